//! Where planes end: at an edge, or where their surface goes on.
//!
//! A wall ends at a corner, a step or a gap. A piece of terrain or of a vault ends where the surface leaves its slab, and such
//! a piece is arbitrary: a little noise, and the surface falls into other pieces.

use super::edge::Edge;
use super::fold;
use super::found::{FoundPlane, owners};
use super::hills::own_thickness;
use super::piece::Piece;
use super::sparse_grid::{Place, SparseGrid};
use super::strips;
use crate::surface::cells::Cells;
use crate::surface::plane::LocalPlane;
use crate::surface::quantile::weighted_quantile;
use crate::surface::surfels::Surfels;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cell::LazyCell;
use std::ops::ControlFlow;

/// A plane is an arbitrary piece of a surface that goes on beyond more than this share of its outline, …
const OPEN: f64 = 0.5;
/// … if what lies beyond is larger than the plane by this factor.
const LARGER: u64 = 1;
/// If the noise is independent, it is none if it is less than so many times as thick as the pieces of its surface, …
const FACET: f64 = 1.15;
/// … but in a landscape only if at most this share of its outline is open without a ridge: of a lane it was up to .11.
const NO_RIDGE: f64 = 0.15;
/// Planes meet at a ridge if each has this share of its points on its side of a fold.
const ON_ITS_SIDE: f64 = 0.9;
/// Where surfels lie evenly between two planes, as in a slab that their surface fills, the square of the distance from the middle that
/// this share does not exceed is the mean square. Strips of other faces do not count, as they would in the mean.
const MEAN_SQUARE: f64 = 0.58;
/// A plane that is as thick as a piece of a hill is one beyond more than this share, however much lies beyond.
const OPEN_HILL: f64 = 0.2;
/// It goes on to several sides: the face of a roof goes on over its ridge, and edges along a straight line, which take two of four
/// directions, face one way by at least 0.707.
const ONE_SIDE: f64 = 0.7;
/// A plane with at least one in so many of the points ends where a surface of another kind begins.
const LARGE: u64 = 100;
/// A smaller one is a piece of waves, hills or water if these go on smoothly from more than this share of its edge, although they turn
/// or leave its slab there, …
const CONTINUED: f64 = 0.3;
/// … and are larger by more than this factor. All faces of a hip roof have about four times as many points as one.
const MUCH_LARGER: u64 = 5;

/// How a cloud's planes are judged.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    /// As many points share one error.
    pub alike: f64,
    /// Which planes are as thick as pieces of hills; empty if none is.
    pub hilly: &'a [bool],
    /// Surfaces that are thicker are of a rougher kind, with which a smooth one does not go on.
    pub rough: Option<f64>,
    /// Whether small planes that go on smoothly are pieces, though their surface leaves the slab.
    pub judges_small: bool,
    /// Whether the noise is the same everywhere.
    pub is_even: bool,
    /// Whether flat faces are no pieces, small ones only where the noise is even.
    pub has_facets: bool,
    /// Whether flat faces are no pieces if nearly all that goes on lies beyond ridges.
    pub has_ridges: bool,
}

/// Which planes are pieces of larger surfaces.
pub(super) struct Pieces {
    /// Whether each is an arbitrary piece: a little noise, and it is another one.
    pub arbitrary: Vec<bool>,
    /// Whether each is small, and its surface goes on smoothly although it turns. Many such pieces still tell the scale of a cloud.
    pub small: Vec<bool>,
}

/// Which planes are pieces of larger surfaces.
pub(super) fn pieces(
    (cells, surfels): (&Cells, &Surfels),
    found: &[FoundPlane],
    local: &[LocalPlane],
    how: How,
) -> Pieces {
    let owners = owners(found, surfels.list.len());
    let ends = |(number, (one, &plane)): (usize, (&FoundPlane, &LocalPlane))| {
        let own = &one.support.surfels;
        Piece { cells, surfels, own, plane }.ends((number, found, &owners), how)
    };
    let ends: Vec<Ends> =
        found.par_iter().zip(local).enumerate().with_max_len(1).map(ends).collect();
    let is_between = |(end, found): (&Ends, &FoundPlane)| {
        let mut among = [0; 2];
        for &i in &end.beyond {
            if let Some(other) = ends.get(owners[i as usize] as usize) {
                let weight = surfels.list[i as usize].weight;
                among[usize::from(!other.is_strip)] += u64::from(weight);
            }
        }
        strips::is_between(surfels.weight(&found.support.surfels), among)
    };
    let is_arbitrary = |of: (&Ends, &FoundPlane)| of.0.is_strip || of.0.is_piece || is_between(of);
    Pieces {
        arbitrary: ends.iter().zip(found).map(is_arbitrary).collect(),
        small: ends.iter().map(|end| end.is_small_piece).collect(),
    }
}

/// How a plane ends.
#[derive(Default)]
struct Ends {
    /// The first surfels beyond its outline that may go on with its surface, ascending.
    beyond: Vec<u32>,
    /// Whether it is a piece of a larger surface, or of a hill.
    is_piece: bool,
    /// Whether it is small, and a piece of a surface that goes on smoothly.
    is_small_piece: bool,
    /// Whether it is a strip of a curved surface.
    is_strip: bool,
}

impl Piece<'_> {
    /// How the plane with this number ends, one of all that were `found`; `owners` are the numbers of the surfels' planes.
    fn ends(&self, (number, found, owners): (usize, &[FoundPlane], &[u32]), how: How) -> Ends {
        let edge = Edge::of(self);
        // Small smooth patches of rough ground are chance.
        let rough = how.rough.filter(|_| self.is_large());
        let beyond = edge.beyond(self, rough);
        if beyond.is_empty() {
            return Ends::default();
        }
        let open = edge.open(self, &beyond);
        let is_hilly = how.hilly.get(number).is_some_and(|&is| is);
        let is_thin = LazyCell::new(|| self.is_thin());
        let is_face = || {
            let others = (found, owners);
            let goes_over_ridges =
                || edge.share(&self.without_ridges(&edge, &beyond, &open, others)) <= NO_RIDGE;
            *is_thin && (how.has_facets || how.has_ridges && goes_over_ridges())
        };
        let is_judged_small = || {
            let is_sure_face = || *is_thin && how.has_facets && how.is_even;
            how.judges_small && !self.is_large() && !is_sure_face()
        };
        let is_piece =
            (edge.share(&open) > OPEN && !is_face() && self.goes_on(beyond.clone(), LARGER))
                || (is_hilly && edge.share(&open) > OPEN_HILL && one_way(&open) < ONE_SIDE);
        let is_small_piece = !is_piece
            && is_judged_small()
            && edge.continued(self) > CONTINUED
            && self.goes_on(beyond.clone(), MUCH_LARGER);
        Ends {
            is_piece,
            is_small_piece,
            is_strip: strips::is_strip(self, &beyond, how.alike),
            beyond,
        }
    }

    /// Whether the plane has at least a hundredth of the points.
    fn is_large(&self) -> bool {
        self.surfels.weight(self.own) * LARGE >= self.cells.distinct
    }

    /// The part of an `open` outline beyond which there is no plane that meets this one at a ridge.
    fn without_ridges(
        &self,
        edge: &Edge,
        beyond: &[u32],
        open: &[[Place; 2]],
        (found, owners): (&[FoundPlane], &[u32]),
    ) -> Vec<[Place; 2]> {
        // The number of the plane at each place, from 1 on; 0 for none.
        let mut planes = SparseGrid::new();
        for &i in beyond {
            let number = owners[i as usize].checked_add(1).unwrap_or_default();
            edge.lattice.covered(self.surfel(i)).for_each(|place| *planes.at(place) = number);
        }
        let (mut planes, mut known) = (planes.finder(), FxHashMap::default());
        let mut is_ridge = |[_, next]: &[Place; 2]| {
            let number = planes.get(*next);
            let other = number.checked_sub(1).and_then(|other| found.get(other as usize));
            let is_at_ridge = || other.is_some_and(|other| self.is_at_ridge(other));
            *known.entry(number).or_insert_with(is_at_ridge)
        };
        open.iter().copied().filter(|edge| !is_ridge(edge)).collect()
    }

    /// Whether a plane and this one are the two sides of a fold.
    fn is_at_ridge(&self, other: &FoundPlane) -> bool {
        let normal = self.plane.normal;
        let both = [self.own, &other.support.surfels].concat();
        let error = fold::normal_error(self.surfels, &both, self.cells.base().size, false);
        let Some(fold) = fold::fold(self.surfels, &both, normal, error) else { return false };
        // The weight of each plane on a side.
        let weights = |side: &[u32]| {
            let (own, other): (Vec<u32>, Vec<u32>) = side.iter().partition(|&&i| self.is_own(i));
            [own, other].map(|set| self.surfels.weight(&set) as f64)
        };
        let [larger, smaller] = [&fold.larger, &fold.smaller].map(|side| weights(side));
        // The share of a plane that lies on the larger side, of what lies on either.
        let share = |plane: usize| larger[plane] / (larger[plane] + smaller[plane]).max(1.0);
        let [own, other] = [0, 1].map(share);
        own.max(other) >= ON_ITS_SIDE && own.min(other) <= 1.0 - ON_ITS_SIDE
    }

    /// Whether the plane is hardly thicker than the pieces of its surface. A piece of a curved surface fills its slab; a face of a low
    /// roof does not, though its surface goes on over the ridges without a step.
    fn is_thin(&self) -> bool {
        let normal = self.plane.normal;
        let square = |&i: &u32| {
            let (s, distance) = (self.surfel(i), self.distance(i));
            (distance * distance + s.variance_along(normal), u64::from(s.weight))
        };
        let typical = weighted_quantile(self.own.iter().map(square).collect(), MEAN_SQUARE);
        let own = own_thickness(self.surfels, self.own, normal);
        own.is_some_and(|own| typical <= (FACET * own).powi(2))
    }

    /// Whether so many times as much of the surface lies beyond the outline as within; `next` are the first surfels beyond.
    fn goes_on(&self, next: Vec<u32>, times: u64) -> bool {
        let most = times * self.surfels.weight(self.own);
        let mut larger = 0;
        self.walk(next, |i| {
            larger += u64::from(self.surfel(i).weight);
            if larger > most { ControlFlow::Break(true) } else { ControlFlow::Continue(()) }
        })
    }
}

/// How far edges of an outline face one way, from 0 to 1: the length of the mean of their directions.
fn one_way(edges: &[[Place; 2]]) -> f64 {
    let along = |of: fn(&Place) -> i64| {
        let steps = edges.iter().map(|[within, next]| of(next) - of(within));
        steps.sum::<i64>() as f64 / edges.len().max(1) as f64
    };
    along(|place| place.0).hypot(along(|place| place.1))
}

#[cfg(test)]
mod tests {
    use super::super::found::Support;
    use super::super::testing::surfels;
    use super::*;
    use crate::frame::Points;

    const PLANE: LocalPlane = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 15.0, tolerance: 60.0 };
    const SIDE: i32 = 200;
    const HOW: How = How {
        alike: 1.0,
        rough: None,
        hilly: &[],
        judges_small: true,
        is_even: true,
        has_facets: true,
        has_ridges: true,
    };

    /// How the plane through the origin ends on a surface with the given heights, if it has all surfels within its slab
    /// whose middle `is_own`.
    fn ends(height: impl Fn(f64, f64) -> f64, is_own: impl Fn([f64; 2]) -> bool) -> Ends {
        ends_if(height, is_own, false)
    }

    /// The same for a plane that may be as thick as a piece of a hill.
    fn ends_if(
        height: impl Fn(f64, f64) -> f64,
        is_own: impl Fn([f64; 2]) -> bool,
        is_hilly: bool,
    ) -> Ends {
        let hilly = &[false, is_hilly][..];
        of_piece(height, is_own, |piece, found, owners| {
            piece.ends((1, found, owners), How { hilly, ..HOW })
        })
    }

    /// What is told of that plane, of which there are two with the one of all other surfels.
    fn of_piece<T>(
        height: impl Fn(f64, f64) -> f64,
        is_own: impl Fn([f64; 2]) -> bool,
        tell: impl Fn(&Piece, &[FoundPlane], &[u32]) -> T,
    ) -> T {
        let point = |i: i32| {
            let [x, y] = [i % SIDE, i / SIDE].map(|v| f64::from(100 * (v - SIDE / 2)));
            [x, y, height(x, y) + f64::from(i * 7919 % 31)].map(|v| v as f32)
        };
        let points: Points = (0..SIDE * SIDE).map(point).collect();
        let (cloud, surfels) = surfels(&points, 10.0);
        let is_in = |&i: &u32| {
            let [x, y, z] = surfels.list[i as usize].centroid;
            (z - PLANE.rho).abs() <= PLANE.tolerance && is_own([x, y])
        };
        let (own, others) = (0..surfels.list.len() as u32).partition(is_in);
        let plane = |surfels: Vec<u32>| FoundPlane {
            votes: 1,
            support: Support {
                normal: PLANE.normal,
                rho: PLANE.rho,
                tolerance: PLANE.tolerance,
                surfels,
            },
        };
        // Surfels of another plane are not its own.
        let found = [plane(others), plane(own)];
        let owners = owners(&found, surfels.list.len());
        let own = &found[1].support.surfels;
        let piece = Piece { cells: &cloud.cells, surfels: &surfels, own, plane: PLANE };
        tell(&piece, &found, &owners)
    }

    fn judged(height: impl Fn(f64, f64) -> f64, is_own: impl Fn([f64; 2]) -> bool) -> bool {
        ends(height, is_own).is_piece
    }

    #[test]
    fn the_edge_of_a_cap_of_a_wave_is_continued_and_that_of_a_plate_is_not() {
        let continued = |height: fn(f64) -> f64| {
            let surface = |x: f64, y: f64| height(x.hypot(y));
            of_piece(
                surface,
                |[x, y]| x.hypot(y) < 2500.0,
                |piece, _, _| Edge::of(piece).continued(piece),
            )
        };
        assert!(continued(|r| -r * r / 6000.0) > 1.5 * CONTINUED);
        // A step, and a slope that is too steep.
        assert_eq!(continued(|r| if r < 1500.0 { 0.0 } else { -700.0 }), 0.0);
        assert!(continued(|r| (1500.0 - r).min(0.0)) < CONTINUED);
    }

    #[test]
    fn a_piece_of_rolling_ground_is_arbitrary_and_a_terrace_is_not() {
        let hill = |x: f64, y: f64| -(x * x + y * y) / 4e5;
        assert!(judged(hill, |_| true));
        // The same piece where the ground drops by more than the tolerance.
        let terrace = |x: f64, y: f64| if x.hypot(y) < 4000.0 { 0.0 } else { -200.0 };
        assert!(!judged(terrace, |_| true));
        // A roof has creases on two sides and edges on the other two.
        assert!(!judged(|x, _| -(x.abs() - 3000.0).max(0.0), |_| true));
    }

    #[test]
    fn a_face_that_goes_on_over_low_ridges_is_no_piece_unless_it_is_bent() {
        // A flat square, from which the surface falls to all sides by so much.
        let falls = |by: f64| move |x: f64, y: f64| -by * (x.abs().max(y.abs()) - 4000.0).max(0.0);
        let is_face = |[x, y]: [f64; 2]| x.abs().max(y.abs()) < 4000.0;
        assert!(!judged(falls(0.02), is_face));
        // The same part of a dome, which fills its slab.
        let dome = |x: f64, y: f64| 50.0 - (x * x + y * y) / 3.5e5;
        assert!(judged(dome, is_face));
    }

    #[test]
    fn in_a_landscape_a_face_between_ridges_is_no_piece() {
        // A flat strip in the middle, and what lies to its left and right.
        let is_piece = |height: fn(f64) -> f64, has_ridges: bool| {
            let point = |i: i32| {
                let [x, y] = [i % SIDE, i / SIDE].map(|v| f64::from(100 * (v - SIDE / 2)));
                [x, y, height(x.abs() - 3000.0) + f64::from(i * 7919 % 31)].map(|v| v as f32)
            };
            let (cloud, surfels) = surfels(&(0..SIDE * SIDE).map(point).collect(), 10.0);
            let part = |left: f64, right: f64| {
                let is_in =
                    |&i: &u32| (left..right).contains(&surfels.list[i as usize].centroid[0]);
                let surfels = (0..surfels.list.len() as u32).filter(is_in).collect();
                let LocalPlane { normal, rho, tolerance } = PLANE;
                FoundPlane { votes: 1, support: Support { normal, rho, tolerance, surfels } }
            };
            let found = [part(-3000.0, 3000.0), part(-1e5, -3000.0), part(3000.0, 1e5)];
            let owners = owners(&found, surfels.list.len());
            let own = &found[0].support.surfels;
            let how = How { judges_small: false, has_facets: false, has_ridges, ..HOW };
            Piece { cells: &cloud.cells, surfels: &surfels, own, plane: PLANE }
                .ends((0, &found, &owners), how)
                .is_piece
        };
        let falls = |beyond: f64| -0.05 * beyond.max(0.0);
        assert!(!is_piece(falls, true) && is_piece(falls, false));
        // The whole turns steadily.
        assert!(is_piece(|beyond| -(beyond + 3000.0).powi(2) / 1e6, true));
    }

    #[test]
    fn a_piece_of_a_hill_is_arbitrary_if_it_goes_on_to_several_sides() {
        // Ground of this width between two of four sides, that reaches this far beyond.
        let ground = |wide: f64, [low, high]: [f64; 2]| {
            move |x: f64, y: f64| {
                let is_within = (-4800.0..5000.0).contains(&x) && y.abs() < 5000.0;
                let goes_on = (low..high).contains(&x) && y.abs() < wide;
                if is_within || goes_on { 0.0 } else { -900.0 }
            }
        };
        let ends = |wide, reach, is_hilly| {
            ends_if(ground(wide, reach), |[x, _]| (-4800.0..5000.0).contains(&x), is_hilly).is_piece
        };
        let both = [-7000.0, 7000.0];
        assert!(!ends(4000.0, both, false));
        assert!(ends(4000.0, both, true));
        // One side only, as over the ridge of a roof, nearly all of an outline that is an edge, and all of it.
        assert!(!ends(5000.0, [0.0, 9000.0], true));
        assert!(!ends(1500.0, both, true));
        assert!(!ends(0.0, both, true));
    }

    #[test]
    fn a_straight_side_faces_one_way_however_the_lattice_lies() {
        let edges = |steps: &[(i64, i64)]| -> Vec<[Place; 2]> {
            steps.iter().map(|&(u, v)| [(5, 7), (5 + u, 7 + v)]).collect()
        };
        assert_eq!(one_way(&edges(&[(1, 0), (1, 0)])), 1.0);
        assert!(one_way(&edges(&[(1, 0), (0, 1)])) > ONE_SIDE);
        assert!(one_way(&edges(&[(1, 0), (0, 1), (-1, 0)])) < ONE_SIDE);
        assert_eq!(one_way(&[]), 0.0);
    }

    /// Height of a vault of radius 6000 on walls 5000 to each side, below which lies a floor.
    fn vault(x: f64) -> f64 {
        if x.abs() < 5000.0 { (3.6e7 - x * x).sqrt() - 6000.0 + PLANE.tolerance } else { -9000.0 }
    }

    #[test]
    fn a_strip_of_a_vault_is_arbitrary_and_a_facet_is_not() {
        assert!(ends(|x, _| vault(x), |_| true).is_strip);
        // A slab that sags as much ends just outside the strip: too little lies beyond.
        let sags = |x: f64| if x.abs() < 1300.0 { vault(x) } else { -9000.0 };
        assert!(!ends(|x, _| sags(x), |_| true).is_strip);
        // A vault of facets, each two thirds as wide as the strip.
        const FACET: f64 = 1600.0;
        let facets = |x: f64| {
            let (number, within) = ((x.abs() / FACET).round(), x.abs());
            let [near, far] = [-0.5, 0.5].map(|half| vault((number + half) * FACET));
            near + (far - near) * (within / FACET - number + 0.5)
        };
        let level = vault(FACET / 2.0);
        assert!(!ends(|x, _| facets(x) - level, |_| true).is_strip);
    }

    #[test]
    fn a_wall_below_a_vault_is_no_strip_of_it() {
        let wall = |x: f64| if x < -1500.0 { -9000.0 } else { vault(x.max(0.0)) - PLANE.tolerance };
        assert!(!ends(|x, _| wall(x), |_| true).is_strip);
    }

    #[test]
    fn the_crest_of_a_wave_is_no_strip() {
        let wave = |height: f64| {
            let of = move |x: f64| height * ((x / 1900.0).cos() - 1.0) + PLANE.tolerance;
            ends(move |x, _| of(x), |_| true).is_strip
        };
        // Slopes of 9 and of 23 degrees.
        assert!(!wave(300.0) && wave(800.0));
    }

    #[test]
    fn what_lies_between_strips_is_one() {
        assert!(strips::is_between(100, [60, 20]));
        assert!(!strips::is_between(100, [60, 70]) && !strips::is_between(100, [40, 0]));
    }

    #[test]
    fn most_of_a_surface_is_no_arbitrary_piece_of_it() {
        let bowl = |x: f64, y: f64| (x.hypot(y) - 8000.0).max(0.0) / 40.0;
        assert!(!judged(bowl, |_| true));
        let sags = |x: f64, y: f64| (x * x + y * y) / 4e5 - 30.0;
        assert!(judged(sags, |[x, y]| x.hypot(y) < 5000.0));
        assert!(!judged(|_, _| 0.0, |[x, _]| x < 0.0));
    }
}
