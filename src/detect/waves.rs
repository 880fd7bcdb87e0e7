//! Waves of a surface that are no planes of their own.
//!
//! A scanner that drifts bends a wall by more than its noise, over decimetres to metres, and two passes lie
//! apart by as much. What leaves the wall's slab, or is tilted against it, is left over when the wall is found,
//! and is flat enough for a small plane of its own. Such a plane either lies within the wall's slab, or goes on
//! where the wall leaves off: without the step that a board or a door has.
//!
//! Old plaster and bricks are rougher than the floor of the same scan, whose noise is white. There, only what goes on is joined,
//! since nothing but a step tells a board from a wave.

use super::found::{FoundPlane, owners};
use super::limits::SIGMAS;
use crate::surface::cells::Cells;
use crate::surface::moments::{Moments, sums_of_wholes};
use crate::surface::plane::LocalPlane;
use crate::surface::quantile::weighted_quantile;
use crate::surface::surfels::Surfels;
use crate::vector::dot;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// A plane lies within the slab of another one if the root mean square distance of its points from the other
/// plane is at most this many tolerances, …
const INSIDE: f64 = 0.6;
/// … however it is tilted, and if it has at least this share of its points next to the other plane's, …
const MEETING: f64 = 0.05;
/// … or, where the scanner drifts, some that are level with it: at most this share of `STEP` away.
const LEVEL: f64 = 0.25;
/// A plane that goes on outside the slab is tilted by at most this angle, in radians, …
const TILT: f64 = 10.0 * std::f64::consts::PI / 180.0;
/// … is at most so many tolerances away, root mean square, …
const REACH: f64 = 3.0;
/// … has at least this share of its points next to the other plane's, …
const TOUCHING: f64 = 0.5;
/// … and these are at most this many tolerances away from it, in the median, …
const STEP: f64 = 2.0;
/// … and the lower quartile of their distances is at most this share of that of all its points, root mean square, or a
/// tolerance: a wave comes nearer where it meets the plane, a board is as far away there as elsewhere.
const NEARER: f64 = 0.85;
/// Where the noise is uneven, surfaces have bumps. A bump is surrounded by the plane: at least this share of its points are next to the
/// plane's. …
const SURROUNDED: f64 = 0.9;
/// … It has at most one in so many of the plane's points, …
const SMALLER: f64 = 50.0;
/// … is at most so many tolerances away, root mean square; the smaller of the two tolerances counts, since a roof on rough ground has a
/// narrower one, …
const BUMP: f64 = 2.0;
/// … and is tilted by at most this angle, in radians.
const SLOPE: f64 = 26.0 * std::f64::consts::PI / 180.0;
/// With the same white noise everywhere, a wave has at most this share of the plane's points, since two sides of a board have as many
/// each, …
const SMALL: f64 = 0.5;
/// … and is at least so many tolerances away, root mean square: what is as level as the plane is a plane of its own, beyond a gap.
const AWAY: f64 = 0.35;
/// With all its waves a plane may be this many times as rough as without, …
const ROUGHER: f64 = 1.3;
/// … or deviate by this many of the usual tolerances, root mean square: terrain is not one plane with waves.
const ROUGH: f64 = 1.5;
/// A large plane has at least one in so many of the points of all planes.
const LARGE: i64 = 40;
/// Planes touch if they meet in the blocks so many levels above those in which their surfaces were seen:
/// between two waves lies what belongs to neither.
const ABOVE: usize = 2;

/// The planes of a search before waves are joined.
pub(super) struct Planes<'a> {
    pub cells: &'a Cells,
    pub surfels: &'a Surfels,
    /// The planes with the surfels that they claimed.
    pub found: &'a [FoundPlane],
    /// Sums over their points.
    pub sums: &'a [Moments],
    /// Whether the noise varies although neighbours do not share it, as a scanner that drifts makes it.
    pub drifts: bool,
    /// Whether the noise is white and the same everywhere.
    pub even: bool,
    /// The tolerance of planes that are as rough as is usual, in steps.
    pub usual: f64,
    /// Most that a tolerance may be widened.
    pub widen: f64,
}

/// What a plane shares with another one.
#[derive(Default)]
struct Contact {
    /// Distance of each surfel of the other plane that is close by, and its weight.
    gaps: Vec<(f64, u64)>,
    /// Points of the plane close to it.
    touching: u64,
}

/// Joins planes with the larger ones whose waves they are.
///
/// `into` says of each plane which one it is part of, and `local` is the plane of each part; a joined part gets
/// the larger plane, and a tolerance that its points need.
pub(super) fn join(planes: &Planes, local: &mut [LocalPlane], into: &mut [u32]) {
    let whole = sums_of_wholes(planes.sums, into);
    let own = owners(planes.found, planes.surfels.list.len());
    let mut rough: Vec<Roughness> =
        whole.iter().zip(&*local).map(|(sums, plane)| Roughness::new(sums, plane)).collect();
    let is_root = |&plane: &usize| into[plane] == plane as u32 && whole[plane].n > 0;
    let mut order: Vec<usize> = (0..local.len()).filter(is_root).collect();
    order.sort_by_key(|&plane| (whole[plane].n, Reverse(plane)));
    for (k, &small) in order.iter().enumerate() {
        let about = |large: usize| Roughness::new(&whole[small], &local[large]);
        let with = |large: usize| rough[large].with(&rough[small], &about(large));
        let middle = whole[small].mean();
        let pair = |large: usize| Pair {
            points: [whole[small].n as f64, rough[large].points],
            tolerances: [small, large].map(|i| local[i].tolerance),
            cosine: dot(local[small].normal, local[large].normal).abs(),
            away: about(large).first,
        };
        let near = |&large: &usize| {
            let LocalPlane { normal, rho, tolerance } = local[large];
            // Most pairs end here.
            (dot(middle, normal) - rho).abs() <= REACH * tolerance
                && pair(large).may_be_one(planes.even)
                && with(large).is_bearable(planes.usual)
        };
        let mut larger: Vec<usize> = order[k + 1..].iter().copied().filter(near).collect();
        if larger.is_empty() {
            continue;
        }
        let parts: Vec<usize> = (0..into.len()).filter(|&i| into[i] == small as u32).collect();
        // Where nothing but a step tells a tile from a wave, tiles must not lead on to others that are too far away.
        larger.retain(|&large| {
            let LocalPlane { normal, rho, tolerance } = local[large];
            let away = |&part: &usize| planes.sums[part].distance_rms(normal, rho);
            !planes.even || parts.iter().all(|part| away(part) <= REACH * tolerance)
        });
        if larger.is_empty() {
            continue;
        }
        let root = |i: u32| into.get(own[i as usize] as usize).copied();
        let (contacts, points) = planes.contacts(&parts, local[small], &larger, root);
        let is_wave = |&&large: &&usize| {
            let contact = contacts.get(&large);
            contact.is_some_and(|contact| pair(large).is_wave(contact, points, planes))
        };
        let waves = larger.iter().filter(is_wave);
        let nearest = waves.min_by(|&&a, &&b| about(a).first.total_cmp(&about(b).first));
        if let Some(&large) = nearest {
            let plane = local[large];
            let most = planes.widen.max(1.0) * plane.tolerance;
            rough[large] = with(large);
            for part in parts {
                let away = planes.sums[part].distance_rms(plane.normal, plane.rho);
                let tolerance = (plane.tolerance + 2.0 * away).min(most);
                (into[part], local[part]) = (large as u32, LocalPlane { tolerance, ..plane });
            }
        }
    }
}

/// The largest tolerance of the parts of each plane: that of its waves, if it has any.
pub(super) fn widest(local: &[LocalPlane], into: &[u32]) -> Vec<f64> {
    let mut widest = vec![0f64; local.len()];
    for (plane, &root) in local.iter().zip(into) {
        let of_whole = &mut widest[root as usize];
        *of_whole = of_whole.max(plane.tolerance);
    }
    widest
}

/// The planes in slabs that hold their waves as well, as far as the points of each, whose sums are given, need it: those of large
/// planes, since small ones with waves may be pieces of rough ground. Planes that were added later have no waves.
pub(super) fn with_waves(
    local: &[LocalPlane],
    sums: &[Moments],
    widest: &[f64],
) -> Vec<LocalPlane> {
    let widest = widest.iter().copied().chain(std::iter::repeat(0.0));
    let held: i64 = sums.iter().map(|sums| sums.n).sum();
    let with = |((plane, sums), widest): ((&LocalPlane, &Moments), f64)| {
        let needed = SIGMAS * sums.distance_rms(plane.normal, plane.rho);
        let needed = if sums.n * LARGE >= held { needed } else { 0.0 };
        LocalPlane { tolerance: plane.tolerance.max(widest.min(needed)), ..*plane }
    };
    local.iter().zip(sums).zip(widest).map(with).collect()
}

/// How rough a plane is with the waves that were joined with it.
#[derive(Clone, Copy)]
struct Roughness {
    points: f64,
    /// Sum of the squared distances from the plane.
    squares: f64,
    /// The part of it that the waves add.
    waves: f64,
    /// Root mean square distance without the waves.
    first: f64,
}

impl Roughness {
    /// That of points about a plane.
    fn new(sums: &Moments, plane: &LocalPlane) -> Roughness {
        let (points, first) = (sums.n as f64, sums.distance_rms(plane.normal, plane.rho));
        Roughness { points, squares: points * first * first, waves: 0.0, first }
    }

    /// That with one more wave, whose own points are so far from this plane; a wave brings its waves along.
    fn with(&self, wave: &Roughness, about: &Roughness) -> Roughness {
        let added = about.squares + wave.waves;
        let points = self.points + wave.points;
        Roughness { points, squares: self.squares + added, waves: self.waves + added, ..*self }
    }

    /// Whether this is still a plane with waves.
    fn is_bearable(&self, usual: f64) -> bool {
        self.squares <= self.points * (ROUGHER * self.first).max(ROUGH * usual).powi(2)
    }
}

/// A plane and a larger one of which it may be a wave.
struct Pair {
    /// The points of both, of the smaller plane first.
    points: [f64; 2],
    /// The tolerances of both.
    tolerances: [f64; 2],
    /// The cosine of the angle between them, from 0 to 1.
    cosine: f64,
    /// Root mean square distance of the smaller plane's points from the larger plane.
    away: f64,
}

impl Pair {
    /// Whether the smaller plane may be a wave, as far as the two planes tell; `even` says that the noise is white and the same everywhere.
    fn may_be_one(&self, even: bool) -> bool {
        let ([points, others], tolerance) = (self.points, self.tolerances[1]);
        let goes_on = self.away <= REACH * tolerance && self.cosine >= TILT.cos();
        match even {
            true => points <= SMALL * others && goes_on && self.away >= AWAY * tolerance,
            false => self.is_inside() || goes_on || self.may_be_bump(),
        }
    }

    /// Whether the smaller plane lies within the slab of the larger one.
    fn is_inside(&self) -> bool {
        self.away <= INSIDE * self.tolerances[1]
    }

    /// Whether the smaller plane may be a bump of the larger one.
    fn may_be_bump(&self) -> bool {
        let [points, others] = self.points;
        let tolerance = self.tolerances[0].min(self.tolerances[1]);
        points * SMALLER <= others && self.away <= BUMP * tolerance && self.cosine >= SLOPE.cos()
    }

    /// Whether the smaller plane is a wave, by its `contact` with the larger one; so many of its points lie on surfaces.
    fn is_wave(
        &self,
        contact: &Contact,
        points: u64,
        &Planes { even, drifts, .. }: &Planes,
    ) -> bool {
        let wider = self.tolerances[0].max(self.tolerances[1]);
        let step = STEP * wider;
        let most_near = if even { NEARER * self.away } else { (NEARER * self.away).max(wider) };
        let is_level = || drifts && contact.step() <= LEVEL * step;
        let goes_on = || contact.step() <= step && contact.near_step() <= most_near;
        match !even && self.is_inside() {
            true => contact.touches(MEETING, points) || is_level(),
            false if contact.touches(TOUCHING, points) && goes_on() => true,
            false => !even && self.may_be_bump() && contact.touches(SURROUNDED, points),
        }
    }
}

impl Contact {
    /// Whether a plane with so many points has this share of them close to the other one.
    fn touches(&self, share: f64, points: u64) -> bool {
        self.touching as f64 >= share * points as f64
    }

    /// How far the other plane's surfels close by lie above or below the plane, in the median.
    fn step(&self) -> f64 {
        weighted_quantile(self.gaps.clone(), 0.5)
    }

    /// The same, in the lower quartile.
    fn near_step(&self) -> f64 {
        weighted_quantile(self.gaps.clone(), 0.25)
    }
}

impl Planes<'_> {
    /// What a plane in some parts shares with each of the `larger` ones that it touches, and the number of its
    /// points; `root` gives the plane of a surfel.
    fn contacts(
        &self,
        parts: &[usize],
        plane: LocalPlane,
        larger: &[usize],
        root: impl Fn(u32) -> Option<u32>,
    ) -> (FxHashMap<usize, Contact>, u64) {
        let Planes { cells, surfels, .. } = *self;
        let mut contacts: FxHashMap<usize, Contact> = FxHashMap::default();
        let mut around: FxHashMap<(usize, u32), Vec<usize>> = FxHashMap::default();
        let mut finders = cells.finders();
        let mut met = FxHashSet::default();
        let mut all = 0;
        for &i in parts.iter().flat_map(|&part| &self.found[part].support.surfels) {
            let surfel = &surfels.list[i as usize];
            let Some(surface) = surfel.surface else { continue };
            let level = (surface.level() + ABOVE).min(cells.levels.len() - 1);
            let mut near = Vec::new();
            for home in surfels.homes(cells, i, level) {
                let here = around.entry((level, home)).or_insert_with(|| {
                    let mut here = Vec::new();
                    for j in surfels.around(&mut finders, level, home) {
                        let other = root(j).map(|root| root as usize);
                        let Some(other) = other.filter(|other| larger.contains(other)) else {
                            continue;
                        };
                        if met.insert(j) {
                            let other_surfel = &surfels.list[j as usize];
                            let gap = (dot(other_surfel.centroid, plane.normal) - plane.rho).abs();
                            let gaps = &mut contacts.entry(other).or_default().gaps;
                            gaps.push((gap, u64::from(other_surfel.weight)));
                        }
                        if !here.contains(&other) {
                            here.push(other);
                        }
                    }
                    here
                });
                near.extend_from_slice(here);
            }
            near.sort_unstable();
            near.dedup();
            let weight = u64::from(surfel.weight);
            all += weight;
            for other in near {
                contacts.entry(other).or_default().touching += weight;
            }
        }
        (contacts, all)
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::Support;
    use super::super::testing::surfels;
    use super::*;
    use crate::frame::Points;

    const TOLERANCE: f64 = 60.0;
    const UP: LocalPlane = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 0.0, tolerance: TOLERANCE };

    /// A floor that swells by 100, beyond the tolerance; boards 150, 110 and 50 above it; an island at its height.
    fn scene() -> Points {
        let height = |u: u32| match u {
            14_000..15_800 => 150.0,
            17_000..18_800 => 110.0,
            11_000..12_800 => 50.0,
            5000..9500 => 100.0 * (f64::from(u - 5000) / 4500.0 * std::f64::consts::PI).sin(),
            _ => 0.0,
        };
        let floor = (0..40_000u32).map(|i| {
            let (u, v) = (i % 200 * 100, i / 200 * 100);
            [f64::from(u), f64::from(v), height(u) + f64::from(i * 7919 % 31)].map(|v| v as f32)
        });
        let island = (0..900)
            .map(|i| [40_000 + i % 30 * 100, i / 30 * 100, i * 7919 % 31].map(|v| v as f32));
        floor.chain(island).collect()
    }

    /// The part of the scene that a place belongs to: floor, swell, board, island, lower boards.
    fn part([x, _, z]: [f64; 3]) -> usize {
        match x {
            30_000.0.. => 3,
            13_950.0..15_750.0 => 2,
            16_950.0..18_750.0 => 4,
            10_950.0..12_750.0 => 5,
            _ => usize::from(z > TOLERANCE),
        }
    }

    #[test]
    fn a_surface_that_goes_on_is_joined_and_a_board_is_not() {
        let points = scene();
        let (cloud, surfels) = surfels(&points, 10.0);
        let cells = &cloud.cells;
        let mut sums = [Moments::default(); 6];
        for p in (0..points.len()).map(|i| points.get(i)) {
            sums[part(p.map(f64::from))].add(p.map(|v| v as i64));
        }
        let found = [0, 1, 2, 3, 4, 5].map(|wanted| {
            let is_in = |&i: &u32| part(surfels.list[i as usize].centroid) == wanted;
            let surfels = (0..surfels.list.len() as u32).filter(is_in).collect();
            FoundPlane {
                votes: 1,
                support: Support { normal: UP.normal, rho: 0.0, tolerance: TOLERANCE, surfels },
            }
        });
        for even in [false, true] {
            let mut local =
                [20.0, 90.0, 165.0, 15.0, 125.0, 65.0].map(|rho| LocalPlane { rho, ..UP });
            let mut into = [0, 1, 2, 3, 4, 5];
            let planes = Planes {
                cells,
                surfels: &surfels,
                found: &found,
                sums: &sums,
                drifts: !even,
                even,
                usual: TOLERANCE,
                widen: 5.0,
            };
            join(&planes, &mut local, &mut into);
            // Within a tolerance, only white and even noise tells a board.
            assert_eq!(into, [0, 0, 2, 3, 4, if even { 5 } else { 0 }], "even {even}");
            let wide = local[1].tolerance;
            assert_eq!(local[1], LocalPlane { tolerance: wide, ..local[0] });
            assert!((130.0..5.0 * TOLERANCE).contains(&wide), "{wide}");
            // A plane is judged in a slab that holds its waves; the last one was added later.
            let widest = widest(&local[..5], &into[..5]);
            let mut of_all = sums;
            of_all[0].merge(&sums[1]);
            let slabs = with_waves(&local, &of_all, &widest);
            let [first, _, rest @ ..] = &slabs[..] else { unreachable!() };
            assert!(first.tolerance > 1.5 * TOLERANCE && first.tolerance <= wide, "{first:?}");
            assert_eq!(*first, LocalPlane { tolerance: first.tolerance, ..local[0] });
            assert_eq!(rest, &local[2..]);
        }
    }

    #[test]
    fn a_steep_bump_is_joined_with_the_surface_around_it() {
        // A floor with a slope in a square; up to this distance from the square points are missing.
        let joined = |gap: f64, even: bool, slope: f64| {
            let from = |u: f64, v: f64| (u - 9950.0).abs().max((v - 9950.0).abs()) - 500.0;
            let is_missing = |u: f64, v: f64| (0.0..gap).contains(&from(u, v));
            let point = |i: u32| {
                let [u, v] = [i % 200, i / 200].map(|v| f64::from(v * 100));
                let height = if from(u, v) < 0.0 { slope * (u - 9950.0) } else { 0.0 };
                [u, v, height + f64::from(i * 7919 % 31)]
            };
            let with = (0..40_000).map(point).filter(|&[u, v, _]| !is_missing(u, v));
            let points: Points = with.clone().map(|at| at.map(|v| v as f32)).collect();
            let (cloud, surfels) = surfels(&points, 10.0);
            let part = |[u, v, _]: [f64; 3]| usize::from(from(u, v) < 0.0);
            let mut sums = [Moments::default(); 2];
            with.for_each(|at| sums[part(at)].add(at.map(|v| v as i64)));
            let mut local = sums.map(|sums| LocalPlane::of_fit(&sums.fit().unwrap(), TOLERANCE));
            let found = [0, 1].map(|wanted| {
                let is_in = |&i: &u32| part(surfels.list[i as usize].centroid) == wanted;
                let surfels = (0..surfels.list.len() as u32).filter(is_in).collect();
                let LocalPlane { normal, rho, tolerance } = local[wanted];
                FoundPlane { votes: 1, support: Support { normal, rho, tolerance, surfels } }
            });
            let mut into = [0, 1];
            let planes = Planes {
                cells: &cloud.cells,
                surfels: &surfels,
                found: &found,
                sums: &sums,
                drifts: false,
                even,
                usual: TOLERANCE,
                widen: 5.0,
            };
            join(&planes, &mut local, &mut into);
            into == [0, 0]
        };
        assert!(joined(0.0, false, 0.36));
        assert!(!joined(0.0, true, 0.36) && !joined(0.0, false, 0.6));
        assert!(!joined(4000.0, false, 0.36));
    }

    /// A plane so many tolerances away from one of as many points.
    fn pair(cosine: f64, away: f64) -> Pair {
        let [points, tolerances] = [[10.0, 10.0], [TOLERANCE; 2]];
        Pair { points, tolerances, cosine, away: away * TOLERANCE }
    }

    #[test]
    fn a_bump_is_small_low_and_not_too_steep() {
        let may_be = |others: f64, own: f64, cosine: f64, away: f64| {
            let (points, tolerances) = ([10.0, others], [own * TOLERANCE, TOLERANCE]);
            Pair { points, tolerances, ..pair(cosine, away) }.may_be_bump()
        };
        assert!(may_be(500.0, 1.0, 0.9, 1.9));
        assert!(!may_be(499.0, 1.0, 0.9, 1.9) && !may_be(500.0, 1.0, 0.9, 2.1));
        assert!(!may_be(500.0, 1.0, 0.89, 1.9));
        // Its own tolerance counts if it is the smaller one.
        assert!(!may_be(500.0, 0.9, 0.9, 1.9) && may_be(500.0, 2.0, 0.9, 1.9));
    }

    #[test]
    fn what_lies_within_the_slab_may_be_tilted() {
        let may_be_one = |cosine: f64, away: f64| pair(cosine, away).may_be_one(false);
        assert!(may_be_one(0.2, 0.59) && !may_be_one(0.2, 0.61));
        // Beyond it only what is nearly parallel.
        assert!(may_be_one(0.99, 2.9) && !may_be_one(0.98, 2.9) && !may_be_one(1.0, 3.1));
        // With the same white noise everywhere, only what leaves the plane does, and it is small.
        let may_go_on = |share: f64, cosine: f64, away: f64| {
            Pair { points: [share, 1.0], ..pair(cosine, away) }.may_be_one(true)
        };
        assert!(may_go_on(0.4, 0.99, 0.4) && !may_go_on(0.6, 0.99, 0.4));
        assert!(!may_go_on(0.4, 1.0, 0.3) && !may_go_on(0.4, 0.98, 0.4));
        assert!(!may_go_on(0.4, 1.0, 3.1));
    }

    #[test]
    fn rough_ground_is_no_plane_with_waves() {
        let flat = Roughness { points: 100.0, squares: 100.0, waves: 0.0, first: 1.0 };
        let wave = Roughness { points: 50.0, ..flat };
        let about = |distance: f64| Roughness { squares: 50.0 * distance * distance, ..wave };
        let one = flat.with(&wave, &about(2.0));
        assert_eq!((one.points, one.squares, one.waves, one.first), (150.0, 300.0, 200.0, 1.0));
        // As rough as a root of two: by more than ROUGHER, but within ROUGH of a usual tolerance of one.
        assert!(one.is_bearable(1.0) && !one.is_bearable(0.9));
        assert!(flat.with(&wave, &about(1.5)).is_bearable(0.0));
        // What became part of the wave before is as far from the new plane.
        let two = flat.with(&one, &about(2.0));
        assert_eq!((two.points, two.squares), (250.0, 500.0));
    }
}
