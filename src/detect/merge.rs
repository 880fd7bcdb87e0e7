//! One plane found in several parts becomes one.

use super::found::FoundPlane;
use super::straighten::is_narrow;
use super::undulation::Undulation;
use crate::surface::moments::{Fit, Moments};
use crate::surface::plane::LocalPlane;
use crate::vector::{Vec3, dot, minus};

/// A joint plane fits a part as well as the part's own plane when it adds at most this many times a point's
/// variance to the sum of squares. Chance adds three, and this much in one case of 600. To both parts together it adds
/// as much, since it has three parameters and they have six.
const CHANCE: f64 = 15.0;
/// Adjacent parts are also joined if they are only this many times rougher about the joint plane: walls are
/// not perfect.
const ROUGHER: f64 = 1.03;
/// The same where the noise varies from place to place or is correlated between neighbours.
const ROUGHER_UNEVEN: f64 = 1.15;
/// There, surfaces undulate. How far is known from some sixteen blocks of a part, so that chance adds this many times as much as if it
/// were known exactly.
const FROM_BLOCKS: f64 = 1.75;
/// Parts are adjacent when their centroids are at most this many times the sum of their standard deviations
/// apart; for two squares side by side it is 1.7.
const NEXT: f64 = 2.5;
/// Two small parts farther apart than this often fit one plane by accident. So unless one of them determines
/// its plane at the other to within `KNOWN` of its noise, chance gets less credit: two cases in five.
const FAR: f64 = 4.0;
const KNOWN: f64 = 0.6;
const CHANCE_FAR: f64 = 3.0;
/// A part lies in a plane that is not adjacent if it is at most so many standard errors away, …
const SURE: f64 = 3.0;
/// … and nearly in it if it is at most so many times as far away. …
const NEARLY: f64 = 10.0;
/// … If more parts than this lie nearly in a plane, chance lets one lie in it.
const FEW: usize = 10;
/// Least variance of a point, in squared steps. Coordinates are whole steps, in the camera's view and before, so that parts
/// of an exact plane would otherwise seem to be tilted against each other.
pub(super) const ROUNDED: f64 = 1.0;
/// Points lie within a given tolerance when their root mean square distance is at most this share of it.
const OBEYED: f64 = 0.6;

/// What makes two planes one.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// Largest angle between a surface and its plane, in radians.
    pub angle: f64,
    /// Number of points that share one error, and so count as one.
    pub alike: f64,
    /// Whether the noise varies from place to place or is correlated between neighbours.
    pub uneven: bool,
    /// Whether it varies although neighbours do not share it. Parts then need not be adjacent to be a little
    /// rougher together: a scanner that drifts displaces the far windows of a façade, too.
    pub drifts: bool,
    /// Whether everything within the tolerance is one plane, whatever its shape.
    pub obey: bool,
    /// Whether this is one sheet, as from the air. There, many roofs are nearly level; in a room, what is level was built so.
    pub sheet: bool,
}

/// A plane, with the sums over its points.
struct Part {
    plane: LocalPlane,
    sums: Moments,
    /// The plane that fits the points best; `None` if they tell none.
    fit: Option<Fit>,
    undulation: Undulation,
}

impl Part {
    fn new(plane: LocalPlane, sums: Moments, undulation: Undulation) -> Part {
        Part { plane, sums, fit: sums.fit(), undulation }
    }

    /// This part and another one, about the plane through both.
    fn extend(&mut self, other: &Part, joint: LocalPlane) {
        self.sums.merge(&other.sums);
        self.undulation.extend(&other.undulation);
        (self.plane, self.fit) = (joint, self.sums.fit());
    }

    /// Mean square distance of the points from a plane.
    fn about(&self, plane: &LocalPlane) -> f64 {
        self.sums.distance_rms(plane.normal, plane.rho).powi(2)
    }
}

/// Joins planes that are one, once every point has its plane.
///
/// Returns for each plane the one that it became part of, or itself. All parts of one get the plane through
/// all their points. Two planes stay apart if they are tilted or offset by more than chance explains, even if
/// it is less than the tolerance. How their surfaces undulate counts for neighbouring parts where the noise is uneven.
pub(super) fn merge(
    planes: &mut [LocalPlane],
    sums: &[Moments],
    undulations: Vec<Undulation>,
    how: How,
) -> Vec<u32> {
    let part = |((&plane, &sums), undulation)| Part::new(plane, sums, undulation);
    let mut parts: Vec<Part> = planes.iter().zip(sums).zip(undulations).map(part).collect();
    let mut into: Vec<u32> = (0..planes.len() as u32).collect();
    // Parts that have grown may be one with others that they were too far away from.
    let mut grown = vec![true; parts.len()];
    while grown.contains(&true) {
        grown = join(&mut parts, &mut into, &grown, how);
    }
    for i in 0..planes.len() {
        planes[i] = parts[into[i] as usize].plane;
    }
    into
}

/// Joins each part with the first one before it with which it is one, if either has grown before. Returns which have grown now.
fn join(parts: &mut [Part], into: &mut [u32], grown: &[bool], how: How) -> Vec<bool> {
    let mut grows = vec![false; parts.len()];
    for next in 0..parts.len() {
        let is_root = |i: usize| into[i] == i as u32;
        let is_new = |&i: &usize| grown[i] || grown[next] || grows[i];
        let mut earlier = (0..next).filter(|&i| is_root(next) && is_root(i)).filter(is_new);
        let twin = earlier.find_map(|earlier| {
            let both = [&parts[earlier], &parts[next]];
            let joint = joined(both, how)?;
            let is_other = |&i: &usize| is_root(i) && i != earlier && i != next;
            let others = (0..parts.len()).filter(is_other).map(|i| &parts[i]);
            // Noise that is uneven or correlated leaves many parts of one surface nearly in one plane.
            (!how.sheet || how.uneven || !is_coincidence(both, others)).then_some((earlier, joint))
        });
        if let Some((earlier, joint)) = twin {
            let (before, after) = parts.split_at_mut(next);
            before[earlier].extend(&after[0], joint);
            grows[earlier] = true;
            into.iter_mut().filter(|of| **of == next as u32).for_each(|of| *of = earlier as u32);
        }
    }
    grows
}

/// Gives the surfels of the parts to the planes that they became part of.
pub(super) fn gather(found: &mut [FoundPlane], into: &[u32]) {
    for (part, &whole) in into.iter().enumerate().filter(|&(part, &whole)| part != whole as usize) {
        let surfels = std::mem::take(&mut found[part].support.surfels);
        let whole = &mut found[whole as usize].support.surfels;
        whole.extend(surfels);
        whole.sort_unstable();
    }
}

/// The planes that other parts were joined with, ascending.
pub(super) fn wholes(into: &[u32]) -> Vec<usize> {
    let joined = into.iter().enumerate().filter(|&(part, &whole)| part != whole as usize);
    let mut wholes: Vec<usize> = joined.map(|(_, &whole)| whole as usize).collect();
    wholes.sort_unstable();
    wholes.dedup();
    wholes
}

/// The plane through the points of both parts, if they are one plane.
fn joined([a, b]: [&Part; 2], how: How) -> Option<LocalPlane> {
    if dot(a.plane.normal, b.plane.normal).abs() < (how.angle / 2.0).cos() {
        return None;
    }
    // A cheap test first: the centroid of the smaller part must be near the plane of the larger one.
    let (large, small) = if a.sums.n >= b.sums.n { (a, b) } else { (b, a) };
    let tolerance = a.plane.tolerance.max(b.plane.tolerance);
    if (dot(large.plane.normal, small.sums.mean()) - large.plane.rho).abs() > tolerance {
        return None;
    }
    let (fit_a, fit_b) = (a.fit.as_ref()?, b.fit.as_ref()?);
    let apart = distance(fit_a, fit_b);
    let known = known(fit_a, a.sums.n, fit_b.centroid) || known(fit_b, b.sums.n, fit_a.centroid);
    let chance = if apart > FAR && !known { CHANCE_FAR } else { CHANCE };
    let both: Moments = [&a.sums, &b.sums].into_iter().collect();
    let joint = LocalPlane::of_fit(&both.fit()?, tolerance);
    // How much a part is rougher about the joint plane; nothing where it may be.
    let added = |part: &Part| {
        let n = part.sums.n as f64;
        let squares = |plane: &LocalPlane| n * part.about(plane);
        // Three parameters were fitted to the points of this part alone, or to most of them if it is narrow.
        let variance = (squares(&part.plane) / (n - 3.0)).max(ROUNDED);
        let rougher = match how.uneven {
            true if how.drifts || apart <= NEXT => ROUGHER_UNEVEN,
            false if apart <= NEXT => ROUGHER,
            _ => 0.0,
        };
        let rougher = rougher * rougher * n * variance;
        let within =
            how.obey && apart <= NEXT && squares(&joint) <= n * (OBEYED * tolerance).powi(2);
        if within || n > 3.0 && squares(&joint) <= rougher {
            0.0
        } else if n > 3.0 {
            // Only for adjacent parts: parts that were built apart may really be offset by as much.
            let of_blocks =
                (how.uneven && apart <= NEXT).then(|| part.undulation.alike(&part.plane, variance));
            let alike =
                of_blocks.flatten().map_or(how.alike, |alike| how.alike.max(FROM_BLOCKS * alike));
            (squares(&joint) - squares(&part.plane)) / (alike.min(n / 3.0) * variance)
        } else {
            f64::INFINITY
        }
    };
    let added = [a, b].map(added);
    // Where nothing but independent noise displaces them, both together may deviate no more than one. The points of others
    // may have turned a narrow part.
    let is_exact = !how.uneven && ![fit_a, fit_b].into_iter().any(|fit| is_narrow(fit, tolerance));
    let is_one = added.iter().all(|&added| added <= chance)
        && (!is_exact || added.iter().sum::<f64>() <= CHANCE);
    is_one.then_some(joint)
}

/// Whether a part that is not adjacent to a plane lies in it by chance, as so many `others` lie nearly in it: of a hundred flat roofs,
/// some are level with each other.
fn is_coincidence<'a>([a, b]: [&Part; 2], others: impl Iterator<Item = &'a Part>) -> bool {
    let (large, small) = if a.sums.n >= b.sums.n { (a, b) } else { (b, a) };
    let (Some(of_large), Some(of_small)) = (&large.fit, &small.fit) else { return false };
    if distance(of_large, of_small) <= NEXT {
        return false;
    }
    // The squared standard error of each plane at the place of the smaller part.
    let error = |part: &Part, fit: &Fit| {
        part.about(&part.plane).max(ROUNDED) * leverage(fit, part.sums.n, of_small.centroid)
    };
    let error = (error(large, of_large) + error(small, of_small)).sqrt();
    let (least, most) = ((SURE * error).powi(2), (NEARLY * SURE * error).powi(2));
    let mut near: Vec<(f64, &Fit)> = Vec::with_capacity(FEW);
    for other in others {
        let height = dot(other.sums.mean(), large.plane.normal) - large.plane.rho;
        let Some(fit) = other.fit.as_ref().filter(|_| height * height <= most) else { continue };
        let own = other.about(&other.plane);
        let off = other.about(&large.plane) - own;
        // A few points of the same surface deviate from its plane by more than one error of larger parts.
        let by_chance = CHANCE * own.max(ROUNDED) / other.sums.n.max(1) as f64;
        let is_near = (least.max(by_chance)..=most).contains(&off);
        // Adjacent pieces at one height count once.
        let is_piece = |&(known, of): &(f64, &Fit)| {
            (known - height).abs() <= error && distance(of, fit) <= NEXT
        };
        if is_near && !near.iter().any(is_piece) {
            if near.len() == FEW {
                return true;
            }
            near.push((height, fit));
        }
    }
    false
}

/// Distance between the centroids of two parts, over the sum of their standard deviations.
pub(super) fn distance(a: &Fit, b: &Fit) -> f64 {
    let apart: Vec3 = minus(a.centroid, b.centroid);
    dot(apart, apart).sqrt() / (a.variance[2].sqrt() + b.variance[2].sqrt()).max(f64::MIN_POSITIVE)
}

/// Whether a fit to `n` points determines its plane at `place`: whether its standard error there is small
/// against the noise.
fn known(fit: &Fit, n: i64, place: Vec3) -> bool {
    leverage(fit, n, place) <= KNOWN * KNOWN
}

/// The squared standard error of a fit to `n` points at `place`, as a share of the noise's variance.
fn leverage(fit: &Fit, n: i64, place: Vec3) -> f64 {
    let apart = minus(place, fit.centroid);
    let tilt = dot(apart, apart) / fit.variance[1].max(f64::MIN_POSITIVE);
    (1.0 + tilt) / n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOW: How =
        How { angle: 0.35, alike: 1.0, uneven: false, drifts: false, obey: false, sheet: true };

    /// A square of 900 points with a little noise, tilted and lifted, with its plane.
    fn tile(corner: [i64; 2], tilt: f64, lift: f64) -> (LocalPlane, Moments) {
        tile_of(30, corner, tilt, lift)
    }

    /// The same with so many points a side.
    fn tile_of(side: i64, corner: [i64; 2], tilt: f64, lift: f64) -> (LocalPlane, Moments) {
        let mut sums = Moments::default();
        for i in 0..side * side {
            let (x, y) = (i % side * 1000 + corner[0], i / side * 1000 + corner[1]);
            let noise = f64::from((i * 7919 % 1009) as i32 - 504);
            sums.add([x, y, (lift + tilt * x as f64 + noise) as i64]);
        }
        (LocalPlane::of_fit(&sums.fit().unwrap(), 1500.0), sums)
    }

    fn merged(tiles: [(LocalPlane, Moments); 2]) -> (Vec<u32>, Vec<LocalPlane>) {
        let (mut planes, sums): (Vec<_>, Vec<_>) = tiles.into_iter().unzip();
        (merge(&mut planes, &sums, vec![Undulation::default(); 2], HOW), planes)
    }

    #[test]
    fn parts_of_one_plane_are_joined() {
        let (into, planes) = merged([tile([0, 0], 0.0, 9e5), tile([40_000, 9_000], 0.0, 9e5)]);
        assert_eq!(into, [0, 0]);
        assert_eq!(planes[0], planes[1]);
    }

    #[test]
    fn parts_that_are_tilted_or_lifted_stay_apart() {
        for other in [tile([40_000, 0], 0.02, 9e5), tile([0, 40_000], 0.0, 9.005e5)] {
            let (into, planes) = merged([tile([0, 0], 0.0, 9e5), other]);
            assert_eq!(into, [0, 1]);
            assert!(planes[0] != planes[1]);
        }
    }

    #[test]
    fn wide_parts_at_nearly_the_same_height_stay_apart() {
        // A tilted plane through both deviates from each by 6 times a point's variance, or by 13.
        let are_one = |lift: f64, tolerance: f64| {
            let tiles = [tile([0, 0], 0.0, 9e5), tile([55_000, 0], 0.0, 9e5 + lift)];
            let tiles = tiles.map(|(plane, sums)| (LocalPlane { tolerance, ..plane }, sums));
            merged(tiles).0 == [0, 0]
        };
        assert!(are_one(150.0, 1500.0) && !are_one(220.0, 1500.0));
        // Narrow ones may have been turned.
        assert!(are_one(220.0, 4000.0));
    }

    #[test]
    fn a_part_far_away_that_chance_puts_into_a_plane_stays_apart() {
        // Two tiles at the same height, and so many others nearly at that height: of a town's flat roofs, some are level with each other.
        let into = |others: i64, uneven: bool| {
            let lifts = (0..others).map(|i| 9e5 + 1500.0 + 700.0 * i as f64);
            let (mut planes, sums): (Vec<_>, Vec<_>) = lifts
                .map(|lift| tile([60_000, 0], 0.0, lift))
                .chain([0, 300_000].map(|y| tile([0, y], 0.0, 9e5)))
                .unzip();
            let how = How { uneven, ..HOW };
            let undulations = vec![Undulation::default(); planes.len()];
            let into = merge(&mut planes, &sums, undulations, how);
            let others_stay = into.iter().zip(0..).take(others as usize).all(|(a, b)| *a == b);
            assert!(others_stay, "{into:?}");
            into.last() == Some(&(others as u32))
        };
        assert!(into(0, false) && into(10, false) && !into(11, false) && into(11, true));
    }

    #[test]
    fn small_parts_of_a_plane_do_not_keep_its_large_parts_apart() {
        // The last two are large.
        let small = (0..20).map(|i| tile_of(6, [60_000, 40_000 * i], 0.0, 9e5));
        let large = [0, 300_000].map(|y| tile([0, y], 0.0, 9e5));
        let (mut planes, sums): (Vec<_>, Vec<_>) = small.chain(large).unzip();
        let undulations = vec![Undulation::default(); planes.len()];
        let into = merge(&mut planes, &sums, undulations, HOW);
        assert_eq!(into[21], into[20]);
    }

    #[test]
    fn parts_without_noise_are_joined_within_the_rounding_of_their_coordinates() {
        let tile = |corner: i64, height: i64| {
            let mut sums = Moments::default();
            (0..900).for_each(|i| sums.add([corner + i % 30 * 1000, i / 30 * 1000, height]));
            (LocalPlane::of_fit(&sums.fit().unwrap(), 30.0), sums)
        };
        let into = |height: i64| merged([tile(0, 900_000), tile(40_000, height)]).0;
        assert_eq!((into(900_001), into(900_008)), (vec![0, 0], vec![0, 1]));
    }

    #[test]
    fn parts_of_a_surface_that_undulates_are_joined() {
        // Two tiles side by side, one lifted; their surfaces rise and fall by as much.
        let are_one = |swing: f64, place: i64, uneven: bool| {
            let tiles = [tile([0, 0], 0.0, 9e5), tile([place, 0], 0.0, 9e5 + 900.0)];
            let (mut planes, sums): (Vec<_>, Vec<_>) = tiles.into_iter().unzip();
            let undulations = sums.iter().map(|sums| Undulation::waving(sums.mean(), swing));
            let how = How { uneven, ..HOW };
            merge(&mut planes, &sums, undulations.collect(), how) == [0, 0]
        };
        assert!(are_one(200.0, 32_000, true) && !are_one(10.0, 32_000, true));
        // Not far from each other, and not where the noise is even.
        assert!(!are_one(200.0, 90_000, true) && !are_one(200.0, 32_000, false));
    }

    #[test]
    fn parts_that_have_grown_are_looked_at_again() {
        // Two tiles far apart, the second one tilted, and a wide one between them.
        let tiles = [
            tile([0, 0], 0.0, 9e5),
            tile([100_000, 0], 0.017, 9e5 - 0.017 * 114_500.0),
            tile_of(60, [35_000, 0], 0.0, 9e5),
        ];
        let how = How { uneven: true, ..HOW };
        let part = |(plane, sums)| Part::new(plane, sums, Undulation::default());
        let mut into = [0, 1, 2];
        let grown = join(&mut tiles.map(part), &mut into, &[true; 3], how);
        assert_eq!((into, grown), ([0, 1, 0], vec![true, false, false]));
        let (mut planes, sums): (Vec<_>, Vec<_>) = tiles.into_iter().unzip();
        let undulations = vec![Undulation::default(); 3];
        assert_eq!(merge(&mut planes, &sums, undulations, how), [0, 0, 0]);
    }

    #[test]
    fn small_parts_far_from_each_other_must_agree_closely() {
        let are_one = |tilt: f64, y: i64| {
            let tiles = [tile_of(6, [0, 0], 0.0, 9e5), tile_of(6, [0, y], tilt, 9e5)];
            merged(tiles).0 == [0, 0]
        };
        assert!(are_one(0.05, 20_000) && !are_one(0.12, 20_000));
        // Between parts that are adjacent the same tilt passes for chance.
        assert!(are_one(0.12, 6000) && !are_one(0.25, 6000));
    }
}
