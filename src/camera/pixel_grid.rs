//! The camera whose pixels the points of a frame are.
//!
//! Seen from the camera, along its axis, the points are a grid: each is one pixel away from the next. So the distances
//! between neighbours tell the camera's position and direction much more precisely than the evenness of the points,
//! once these are about right.

use super::evenness::Seen;
use super::raster::{Image, UNEVEN};
use super::viewpoint::{Viewpoint, sum_of_directions};
use crate::frame::Points;
use crate::mix::mixed_all;
use crate::surface::quantile::quantile;
use crate::vector::Vec3;
use crate::wide::{Work, widely};
use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;

/// Edge of the tiles of the image in which neighbours are looked up, in pixels of a full image, …
const TILE: f64 = 8.0;
/// … points in those of them that are looked at, …
const IN_TILES: usize = 1 << 13;
/// … at most this many in one tile, …
const CROWD: usize = 1 << 10;
/// … and how near its edge the neighbours of a point may be outside, in tiles.
const RIM: f64 = 0.2;
/// Points whose corners are sought at once.
const AT_ONCE: usize = 1 << 9;
/// Most points whose distance to the nearest one is measured: while a view is sought, and in the last one.
const SAMPLES: [usize; 2] = [1 << 9, 1 << 11];
/// At least this share of the points of a grid are a pixel from the next one, give or take `UNEVEN`. It is more than is
/// asked of `Pixels`, since some wrong views are nearly as even.
const SHARE: f64 = 0.95;
/// With fewer of them than this there is no use in looking again.
const PROMISING: f64 = 0.6;
/// Most views in which neighbours are looked for; the last one is at most this much, in depths, from the one before.
const VIEWS: usize = 6;
const SAME: f64 = 3e-3;
/// The share of the errors that tells their usual size: in a wrong view a few large surfaces may be even.
const MOST: f64 = 0.8;
/// The search ends when that is at most this, …
const EXACT: f64 = 1e-5;
/// … or more than this share of what it was before.
const CLOSER: f64 = 0.99;
/// How often neighbours are chosen anew in a view, each time seen from a better place.
const LOOKS: usize = 8;
/// Most steps towards the camera between two looks.
const STEPS: usize = 20;
/// A step that changes less than this, in depths and radians, is the last one.
const LAST: f64 = 1e-6;
/// The camera's distance is told if errors as seen from it are less than this share …
const TOLD: f64 = 0.5;
/// … of those as seen from so many times as far away, unless these are so small.
const FAR_AWAY: f64 = 10.0;
const SMALL: f64 = 1e-4;
/// The squared edges of a grid in space are alike up to rounding, which is such a share of them.
const REGULAR: f64 = 1e-2;
/// Difference by which derivatives are taken, in depths and radians.
const DIFFERENCE: f64 = 1e-5;

/// Sine of the least angle between two directions at a point.
const ACROSS: f64 = 0.5;
/// How often the errors that count little are chosen anew after a look, …
const NARROWER: usize = 3;
/// … and the least that they are.
const LEAST: f64 = 1e-6;
/// First damping of a step; it grows tenfold, so many times at most, until a step is an improvement.
const DAMPING: f64 = 1e-3;
const TRIES: i32 = 8;

/// A point with the nearest one in the image, and the nearest one in another direction.
type Corner = [Vec3; 3];

/// A viewpoint from which points are a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Grid {
    pub viewpoint: Viewpoint,
    /// From a pixel to the next of its row or column in the image.
    pub edge: [f64; 2],
    /// Whether the points are as much a grid from far away. Then they lie on a grid in space, as a height model or the
    /// centres of voxels do, or on a wall before the camera, and do not tell how far away they were seen from.
    pub is_regular: bool,
}

/// The viewpoint near `start` from which the points are a grid of pixels; if there is none, the largest share of points
/// that are a pixel from the next one in a view of them.
pub(super) fn fit(points: &Points, start: Viewpoint) -> Result<Grid, f64> {
    let (mut near, mut largest) = (start, 0.0);
    for _ in 0..VIEWS {
        let Some(tiles) = tiles(points, &near) else { break };
        let Some((found, share)) = looked_at(&tiles, near) else { break };
        largest = f64::max(largest, share);
        if share < PROMISING {
            break;
        }
        let is_regular = share >= SHARE && is_regular(&tiles, &found);
        // Tiles of a wrong view hold what is not next to each other.
        let is_last = found.shift(&near) <= SAME;
        if is_regular || is_last && share >= SHARE {
            return Ok(Grid { viewpoint: found, edge: edge(&tiles, &found), is_regular });
        }
        if is_last {
            break;
        }
        near = found;
    }
    Err(largest)
}

/// Whether points are a grid as seen from far away along one of the axes of their coordinates. `some` of them tell where
/// they are.
pub(super) fn is_regular_along_axis(points: &Points, some: &Seen) -> bool {
    let (low, high) = some.bounds();
    let middle: Vec3 = std::array::from_fn(|a| 0.5 * (low[a] + high[a]));
    let along = |axis: usize| {
        let (mut eye, mut forward) = (middle, [0.0; 3]);
        let extent = (0..3).map(|a| high[a] - low[a]).fold(0.0, f64::max);
        (eye[axis], forward[axis]) = (middle[axis] + FAR_AWAY / SMALL * extent, -1.0);
        let view = Viewpoint::new(eye, forward, some);
        let corners = corners(&tiles(points, &view)?, &view, SAMPLES[0]);
        let Errors { of, .. } = Errors::new(&corners, &view, Measure::Edge)?;
        let alike = of.iter().filter(|error| error.abs() <= REGULAR).count();
        Some(alike as f64 / of.len() as f64)
    };
    (0..3).into_par_iter().filter_map(along).any(|alike| alike >= SHARE)
}

/// From a pixel to the next in the image of points that are a grid.
fn edge(tiles: &Tiles, seen_from: &Viewpoint) -> [f64; 2] {
    let of = |corner: &Corner| {
        let [[x, y], [a, b], _] = corner.map(|p| seen_from.image(p));
        [a - x, b - y]
    };
    let edges: Vec<[f64; 2]> = corners(tiles, seen_from, usize::MAX).iter().map(of).collect();
    let pitch = quantile(&mut edges.iter().map(|[a, b]| a.hypot(*b)).collect::<Vec<_>>(), 0.5);
    // Four times its angle is the same for all four directions of an edge.
    let [cos, sin] = sum_of_directions(edges.iter().map(|[a, b]| 4.0 * b.atan2(*a)));
    let turn = 0.25 * f64::atan2(sin, cos);
    [pitch * turn.cos(), pitch * turn.sin()]
}

/// Whether points that are a grid as they are seen are one from far away, too.
fn is_regular(tiles: &Tiles, seen_from: &Viewpoint) -> bool {
    let corners = corners(tiles, seen_from, SAMPLES[1]);
    let size = |seen_from: &Viewpoint| {
        let errors = Errors::new(&corners, seen_from, Measure::Edge);
        errors.map_or(f64::INFINITY, |errors| errors.size())
    };
    let count = corners.len().max(1) as f64;
    let middle = [0, 1, 2].map(|a| corners.iter().map(|corner| corner[0][a]).sum::<f64>() / count);
    size(seen_from).max(SMALL) > TOLD * size(&seen_from.farther(FAR_AWAY, middle))
}

/// The viewpoint near `start` from which the points of the tiles are a grid, as far as they are, and the share of them
/// that are a pixel from the next one. Few of them are looked at unless they are a grid.
fn looked_at(tiles: &Tiles, start: Viewpoint) -> Option<(Viewpoint, f64)> {
    let (mut found, mut share) = in_tiles(tiles, start, SAMPLES[0])?;
    if share >= SHARE {
        (found, share) = in_tiles(tiles, found, SAMPLES[1])?;
    }
    let eye = found.eye();
    log::debug!("seen from {eye:?}, {share:.3} of the points are a pixel from the next");
    Some((found, share))
}

/// The same, by so many of the points at most.
fn in_tiles(tiles: &Tiles, mut best: Viewpoint, samples: usize) -> Option<(Viewpoint, f64)> {
    let (mut last, mut share) = (f64::INFINITY, 0.0);
    for _ in 0..LOOKS {
        let seen = corners(tiles, &best, samples);
        // From a wrong place the grid is skewed: its areas are alike sooner than its edges. Then all corners count.
        best = improved(&seen, best, (Measure::Area, f64::INFINITY));
        for _ in 0..NARROWER {
            let outlier = Errors::new(&seen, &best, Measure::Edge)?.size().max(LEAST);
            best = improved(&seen, best, (Measure::Edge, outlier));
        }
        let errors = Errors::new(&seen, &best, Measure::Edge)?;
        let apart = |error: &f64| ((2.0 + error) / (2.0 - error)).sqrt();
        let even = errors.of.iter().filter(|&error| (apart(error) - 1.0).abs() <= UNEVEN);
        share = even.count() as f64 / seen.len() as f64;
        let size = errors.size();
        if size <= EXACT || size > CLOSER * last {
            break;
        }
        last = size;
    }
    Some((best, share))
}

/// Points of some tiles of the image.
struct Tiles {
    /// Those that are near each other in the image.
    points: Vec<Vec<Vec3>>,
    /// The places in them, tile and point, of points that have their neighbours among them. They are in an order that says
    /// nothing of where they are, nor of the order of the points.
    inner: Vec<[usize; 2]>,
}

/// The points in some tiles of the image, chosen independently of the order of points.
fn tiles(points: &Points, seen_from: &Viewpoint) -> Option<Tiles> {
    let image = Image::of(points, |p| seen_from.place(p))?;
    let in_tiles = image.tiles(TILE, points.len().div_ceil(IN_TILES) as u64);
    // What is crowded is no grid of pixels.
    let tiles = in_tiles.chunk_by(|a, b| a.0 == b.0).filter(|tile| tile.len() <= CROWD);
    let is_inner =
        |&(_, i): &(u64, u32)| image.in_tile(i, TILE).iter().all(|v| (v - 0.5).abs() <= 0.5 - RIM);
    let (mut all, mut inner) = (Vec::new(), Vec::new());
    for tile in tiles {
        let own: Vec<Vec3> =
            tile.iter().map(|&(_, i)| points.get(i as usize).map(f64::from)).collect();
        inner.extend((0..tile.len()).filter(|&i| is_inner(&tile[i])).map(|i| [all.len(), i]));
        all.push(own);
    }
    let point = |&[tile, i]: &[usize; 2]| whole(all[tile][i]);
    inner.sort_by_cached_key(|place| {
        let point = point(place);
        (mixed_all(point.map(|v| v as u64)), point)
    });
    inner.dedup_by_key(|place| point(place));
    Some(Tiles { points: all, inner })
}

/// The corners at so many points of the tiles at most.
fn corners(tiles: &Tiles, seen_from: &Viewpoint, samples: usize) -> Vec<Corner> {
    let image = |tile: &Vec<Vec3>| tile.iter().map(|&p| seen_from.image(p)).collect();
    let places: Vec<Vec<[f64; 2]>> = tiles.points.iter().map(image).collect();
    let mut corners = Vec::new();
    // Most points have a corner, so few are looked at in vain.
    for some in tiles.inner.chunks(AT_ONCE) {
        let of = |&[tile, i]: &[usize; 2]| corner(i, &tiles.points[tile], &places[tile]);
        corners.extend(some.par_iter().filter_map(of).collect::<Vec<Corner>>());
        if corners.len() >= samples {
            break;
        }
    }
    corners.truncate(samples);
    corners
}

/// The corner at a point of a tile, whose points are at these places.
fn corner(i: usize, tile: &[Vec3], places: &[[f64; 2]]) -> Option<Corner> {
    let to = |j: usize| [0, 1].map(|a| places[j][a] - places[i][a]);
    let square = |[a, b]: [f64; 2]| a * a + b * b;
    // The nearest of the others that fit. Ties are broken by coordinates, not by order.
    let nearest = |fits: &dyn Fn([f64; 2]) -> bool| {
        let mut best: Option<(f64, usize)> = None;
        for j in 0..tile.len() {
            let apart = square(to(j));
            let is_nearer = best.is_none_or(|(least, k)| {
                apart < least || apart == least && whole(tile[j]) < whole(tile[k])
            });
            if is_nearer && places[j] != places[i] && fits(to(j)) {
                best = Some((apart, j));
            }
        }
        best
    };
    let (edge, first) = nearest(&|_| true)?;
    let [a, b] = to(first);
    let is_across =
        |[c, d]: [f64; 2]| (a * d - b * c).powi(2) >= ACROSS * ACROSS * edge * square([c, d]);
    let (_, second) = nearest(&is_across)?;
    Some([i, first, second].map(|j| tile[j]))
}

/// The coordinates of a point, which are whole numbers.
fn whole(p: Vec3) -> [i64; 3] {
    p.map(|v| v as i64)
}

/// What is alike at all corners.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    /// The area of a pixel, sought where many corners may be wrong: all of them count the same.
    Area,
    /// The squared edge of a pixel; outliers count little.
    Edge,
}

impl Measure {
    /// The measure of a corner, from where its points are in the image.
    #[inline(always)]
    fn of(self, [[x, y], [a, b], [c, d]]: [[f64; 2]; 3]) -> f64 {
        let ([a, b], [c, d]) = ([a - x, b - y], [c - x, d - y]);
        match self {
            Measure::Area => (a * d - b * c).abs(),
            Measure::Edge => a * a + b * b,
        }
    }

    /// The measures of all corners.
    fn all(self, corners: &[Corner], seen_from: &Viewpoint) -> Vec<f64> {
        widely(Measured { measure: self, corners, seen_from })
    }
}

/// The task of measuring corners.
struct Measured<'a> {
    measure: Measure,
    corners: &'a [Corner],
    seen_from: &'a Viewpoint,
}

impl Work for Measured<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run(self) -> Vec<f64> {
        let Measured { measure, corners, seen_from } = self;
        let mut measures = vec![0.0; corners.len()];
        for (found, &[a, b, c]) in measures.iter_mut().zip(corners) {
            *found = measure.of([seen_from.image(a), seen_from.image(b), seen_from.image(c)]);
        }
        measures
    }
}

/// How much the measure of each corner is larger than usual: for small errors as a share of that, at most 2.
struct Errors {
    of: Vec<f64>,
    /// The usual measure.
    usual: f64,
}

impl Errors {
    fn new(corners: &[Corner], seen_from: &Viewpoint, measure: Measure) -> Option<Errors> {
        let found = measure.all(corners, seen_from);
        let usual = quantile(&mut found.clone(), 0.5);
        let of = found.iter().map(|&found| error(found, usual)).collect();
        (usual > 0.0 && usual.is_finite()).then_some(Errors { of, usual })
    }

    /// The magnitude that most errors do not exceed.
    fn size(&self) -> f64 {
        let mut magnitudes: Vec<f64> = self.of.iter().map(|e| e.abs()).collect();
        quantile(&mut magnitudes, MOST)
    }

    /// The sum of the squares; those of errors larger than `outlier` count little.
    fn cost(&self, outlier: f64) -> f64 {
        self.of.iter().map(|e| e * e / (1.0 + (e / outlier).powi(2))).sum()
    }
}

/// The error of a measure. Its size grows like the logarithm, but not for ever.
fn error(found: f64, usual: f64) -> f64 {
    2.0 * (found - usual) / (found + usual)
}

/// The viewpoint from which corners are most alike, sought from `best` by damped least squares in which errors larger
/// than `outlier` count little.
fn improved(corners: &[Corner], mut best: Viewpoint, how: (Measure, f64)) -> Viewpoint {
    let (measure, outlier) = how;
    let Some(mut errors) = Errors::new(corners, &best, measure) else { return best };
    let mut damping = DAMPING;
    for _ in 0..STEPS {
        let Some((normal, right)) = equations(corners, &best, &errors, how) else { break };
        let step = |damping: f64| {
            let mut damped = normal;
            (0..6).for_each(|k| damped[(k, k)] *= 1.0 + damping);
            let step = damped.cholesky()?.solve(&right);
            let moved = best.moved(std::array::from_fn(|k| step[k]))?;
            let found = Errors::new(corners, &moved, measure)?;
            (found.cost(outlier) < errors.cost(outlier)).then_some((moved, found, step))
        };
        let tried = (0..TRIES).map(|k| damping * 10f64.powi(k));
        let better = tried.into_iter().find_map(|damping| Some((damping, step(damping)?)));
        let Some((enough, (moved, found, step))) = better else { break };
        (best, errors, damping) = (moved, found, 0.1 * enough);
        if step.rows(0, 5).norm() < LAST {
            break;
        }
    }
    best
}

/// The normal equations of a step of the position, in depths, of the direction, in radians, and of the usual measure, as
/// a share of it.
fn equations(
    corners: &[Corner],
    at: &Viewpoint,
    errors: &Errors,
    (measure, outlier): (Measure, f64),
) -> Option<(Matrix6<f64>, Vector6<f64>)> {
    let moved = |way: usize| {
        let mut step = [0.0; 5];
        step[way / 2] = if way.is_multiple_of(2) { -DIFFERENCE } else { DIFFERENCE };
        Some(measure.all(corners, &at.moved(step)?))
    };
    let beside: Vec<Vec<f64>> = (0..10).into_par_iter().map(moved).collect::<Option<_>>()?;
    let beside: Vec<&[Vec<f64>]> = beside.chunks(2).collect();
    let (mut normal, mut right) = (Matrix6::zeros(), Vector6::zeros());
    for (i, &of) in errors.of.iter().enumerate() {
        let slope = Vector6::from_fn(|k, _| match beside.get(k) {
            Some(measures) => {
                let [below, above] = [0, 1].map(|side| error(measures[side][i], errors.usual));
                (above - below) / (2.0 * DIFFERENCE)
            }
            // The error by the logarithm of the usual measure.
            None => 0.25 * of * of - 1.0,
        });
        let weight = (1.0 + (of / outlier).powi(2)).powi(-2);
        normal += weight * slope * slope.transpose();
        right -= weight * of * slope;
    }
    Some((normal, right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix::mixed;
    use crate::vector::{axes, dot, minus, normalized};

    const EYE: Vec3 = [700_000.0, -300_000.0, 200_000.0];
    const AHEAD: Vec3 = [0.9, 0.4, -0.2];

    /// A camera of 200 × 150 pixels before a corner of a room, with errors that grow with the squared depth; `at` tells
    /// where each of its rays goes.
    fn seen(at: impl Fn([f64; 2], usize) -> [f64; 2]) -> Vec<[f32; 3]> {
        let ahead = normalized(AHEAD);
        let (u, v) = axes(ahead);
        let walls = [([0.0, 0.0, -1.0], 1.2e6), ([1.0, 0.2, 0.0], 5e6), ([0.1, 1.0, 0.0], 3e6)];
        let point = |i: usize| {
            let pixel = [(i % 200) as f64 - 110.0, (i / 200) as f64 - 60.0];
            let [a, b] = at(pixel, i).map(|v| v / 170.0);
            let ray: Vec3 = std::array::from_fn(|k| ahead[k] + a * u[k] + b * v[k]);
            let depth = walls.iter().map(|&(normal, rho)| rho / dot(normal, ray));
            let depth = depth.filter(|&t| t > 0.0).fold(f64::INFINITY, f64::min);
            let error = ((i * 7919 % 1009) as f64 / 1009.0 - 0.5) * 4e-9 * depth * depth;
            std::array::from_fn(|k| (EYE[k] + (depth + error) * ray[k]).round() as f32)
        };
        (0..200 * 150).map(point).collect()
    }

    /// A viewpoint a tenth of the depth away from the camera, looking at the middle of the points.
    fn rough(points: &Points) -> Viewpoint {
        let all: Vec<Vec3> = (0..points.len()).map(|i| points.get(i).map(f64::from)).collect();
        let all = Seen::new(&all);
        let eye = [EYE[0] - 150_000.0, EYE[1] + 200_000.0, EYE[2] + 100_000.0];
        Viewpoint::new(eye, all.forward(eye), &all)
    }

    #[test]
    fn pixels_tell_where_the_camera_is() {
        let points: Points = seen(|pixel, _| pixel).into_iter().collect();
        let grid = fit(&points, rough(&points)).unwrap();
        let Grid { viewpoint: found, is_regular, .. } = grid;
        let all: Vec<Vec3> = (0..points.len()).map(|i| points.get(i).map(f64::from)).collect();
        assert!(!is_regular && !is_regular_along_axis(&points, &Seen::new(&all)));
        let off = minus(found.eye(), EYE);
        assert!(dot(off, off).sqrt() < 500.0, "{off:?}");
        // Neither the order of the points nor the number of threads matters.
        let order: Vec<u32> = (0..30_000).map(|i| i * 7919 % 30_000).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = points.select(&order);
        assert_eq!(pool.install(|| fit(&again, rough(&points))), Ok(grid));
    }

    #[test]
    fn a_height_model_was_seen_by_no_camera() {
        // Roofs on a regular grid, as they are and turned.
        let height = |x: usize, y: usize| match (x % 60, y % 50) {
            (10..50, 10..40) => 16_000.0 - 300.0 * (x % 60) as f64,
            _ => 0.0,
        };
        let place = |i: usize| {
            let [x, y] = [i % 200, i / 200];
            [1000.0 * x as f64, 1000.0 * y as f64, height(x, y)]
        };
        let model = |turned: bool| -> (Points, Viewpoint) {
            let turn = |[x, y, z]: Vec3| {
                if turned { [x, 0.6 * y - 0.8 * z, 0.8 * y + 0.6 * z] } else { [x, y, z] }
            };
            let points: Vec<Vec3> = (0..200 * 150).map(|i| turn(place(i))).collect();
            let all = Seen::new(&points);
            let eye = turn([120_000.0, 60_000.0, 400_000.0]);
            let start = Viewpoint::new(eye, all.forward(eye), &all);
            (points.iter().map(|p| p.map(|v| v.round() as f32)).collect(), start)
        };
        for turned in [false, true] {
            let (points, start) = model(turned);
            assert!(fit(&points, start).unwrap().is_regular);
            let all: Vec<Vec3> = (0..points.len()).map(|i| points.get(i).map(f64::from)).collect();
            assert!(turned || is_regular_along_axis(&points, &Seen::new(&all)));
        }
    }

    #[test]
    fn points_at_random_are_no_pixels() {
        let random = |i: usize, salt: u64| (mixed(i as u64 ^ salt) >> 11) as f64 / 2f64.powi(53);
        let anywhere = |_, i| [200.0 * random(i, 1 << 40) - 110.0, 150.0 * random(i, 5) - 60.0];
        let points: Points = seen(anywhere).into_iter().collect();
        assert!(fit(&points, rough(&points)).is_err_and(|share| share < PROMISING));
    }
}
