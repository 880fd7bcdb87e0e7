//! The camera whose pixels the points of a frame are.
//!
//! Seen from the camera, along its axis, the points are a grid: each is one pixel away from the next. So the distances
//! between neighbours tell the camera's position and direction much more precisely than the evenness of the points,
//! once these are about right.

use super::raster::Image;
use super::viewpoint::Viewpoint;
use crate::frame::Points;
use crate::mix::mixed;
use crate::surface::quantile::quantile;
use crate::vector::Vec3;
use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;

/// Edge of the tiles of the image in which neighbours are looked up, in pixels of a full image, …
const TILE: f64 = 8.0;
/// … points in those of them that are looked at, …
const IN_TILES: usize = 1 << 14;
/// … and how near its edge the neighbours of a point may be outside, in tiles.
const RIM: f64 = 0.2;
/// Most points whose distance to the nearest one is measured.
const SAMPLES: usize = 1 << 12;
/// In a grid the nearest point is one pixel away, give or take this share of a pixel, …
const UNEVEN: f64 = 0.25;
/// … for at least this share of the points.
const SHARE: f64 = 0.9;
/// The share of the errors that tells their usual size.
const MOST: f64 = 0.8;
/// The search ends when that is at most this, …
const EXACT: f64 = 1e-5;
/// … or more than this share of what it was before.
const CLOSER: f64 = 0.99;
/// How often the neighbours are looked up, each time seen from a better place.
const LOOKS: usize = 8;
/// Most steps towards the camera between two looks.
const STEPS: usize = 20;
/// A step that changes less than this, in depths and radians, is the last one.
const LAST: f64 = 1e-6;
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

/// The viewpoint near `start` from which the points are a grid of pixels, if there is one.
pub(super) fn fit(points: &Points, start: Viewpoint) -> Option<Viewpoint> {
    let (mut best, mut last) = (start, f64::INFINITY);
    for _ in 0..LOOKS {
        let seen = corners(points, &best)?;
        // From a wrong place the grid is skewed: its areas are alike sooner than its edges. Then all corners count.
        best = improved(&seen, best, (Measure::Area, f64::INFINITY));
        for _ in 0..NARROWER {
            let outlier = Errors::new(&seen, &best, Measure::Edge)?.size().max(LEAST);
            best = improved(&seen, best, (Measure::Edge, outlier));
        }
        let errors = Errors::new(&seen, &best, Measure::Edge)?;
        let apart = |error: &f64| ((2.0 + error) / (2.0 - error)).sqrt();
        let even = errors.of.iter().filter(|&error| (apart(error) - 1.0).abs() <= UNEVEN);
        let share = even.count() as f64 / seen.len() as f64;
        log::debug!(
            "seen from {:?}, {share:.3} of the points are a pixel from the next",
            best.eye()
        );
        let size = errors.size();
        if size <= EXACT || size > CLOSER * last {
            return (share >= SHARE).then_some(best);
        }
        last = size;
    }
    None
}

/// The corners at some points, chosen independently of their order.
fn corners(points: &Points, seen_from: &Viewpoint) -> Option<Vec<Corner>> {
    let image = Image::of(points, |p| seen_from.image(p))?;
    let tiles = image.tiles(TILE, points.len().div_ceil(IN_TILES) as u64);
    let in_tile = |tile: &[(u64, u32)]| {
        let tile: Vec<Placed> = tile
            .iter()
            .map(|&(_, i)| (points.get(i as usize).map(f64::from), image.in_tile(i, TILE)))
            .collect();
        tile.iter().filter_map(|from| corner(from, &tile)).collect::<Vec<_>>()
    };
    let tiles: Vec<&[(u64, u32)]> = tiles.chunk_by(|a, b| a.0 == b.0).collect();
    let mut corners: Vec<Corner> = tiles.par_iter().flat_map_iter(|tile| in_tile(tile)).collect();
    // In an order that says nothing of where they are, nor of the order of the points.
    let hash = |[x, y, z]: [i64; 3]| mixed(mixed(mixed(x as u64) ^ y as u64) ^ z as u64);
    corners.sort_by_cached_key(|corner| (hash(whole(corner[0])), whole(corner[0])));
    corners.dedup_by_key(|corner| whole(corner[0]));
    corners.truncate(SAMPLES);
    Some(corners)
}

/// A point, and where it is in its tile, in tiles.
type Placed = (Vec3, [f64; 2]);

/// The corner at a point that is not at the rim of its tile.
fn corner(&(point, at): &Placed, tile: &[Placed]) -> Option<Corner> {
    if at.iter().any(|v| (v - 0.5).abs() > 0.5 - RIM) {
        return None;
    }
    let to = |place: &[f64; 2]| [place[0] - at[0], place[1] - at[1]];
    let square = |place: &[f64; 2]| to(place).iter().map(|v| v * v).sum::<f64>();
    let others = || tile.iter().filter(|(_, place)| *place != at);
    // Ties are broken by coordinates, not by order.
    let nearer = |a: &&Placed, b: &&Placed| {
        let by_place = || whole(a.0).cmp(&whole(b.0));
        square(&a.1).total_cmp(&square(&b.1)).then_with(by_place)
    };
    let first = others().min_by(nearer)?;
    let is_across = |other: &&Placed| {
        let [[a, b], [c, d]] = [to(&first.1), to(&other.1)];
        (a * d - b * c).powi(2) >= ACROSS * ACROSS * square(&first.1) * square(&other.1)
    };
    let second = others().filter(is_across).min_by(nearer)?;
    Some([point, first.0, second.0])
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
    fn of(self, [[x, y], [a, b], [c, d]]: [[f64; 2]; 3]) -> f64 {
        let ([a, b], [c, d]) = ([a - x, b - y], [c - x, d - y]);
        match self {
            Measure::Area => (a * d - b * c).abs(),
            Measure::Edge => a * a + b * b,
        }
    }

    /// The measures of all corners.
    fn all(self, corners: &[Corner], seen_from: &Viewpoint) -> Vec<f64> {
        corners.iter().map(|corner| self.of(corner.map(|p| seen_from.image(p)))).collect()
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
    let moved = |k: usize, by: f64| {
        let mut step = [0.0; 5];
        step[k] = by;
        Some(measure.all(corners, &at.moved(step)?))
    };
    let mut beside = Vec::with_capacity(5);
    for k in 0..5 {
        beside.push([moved(k, -DIFFERENCE)?, moved(k, DIFFERENCE)?]);
    }
    let (mut normal, mut right) = (Matrix6::zeros(), Vector6::zeros());
    for (i, &of) in errors.of.iter().enumerate() {
        let slope = Vector6::from_fn(|k, _| match beside.get(k) {
            Some(measures) => {
                let [below, above] = [0, 1].map(|side| error(measures[side][i], errors.usual));
                (above - below) / (2.0 * DIFFERENCE)
            }
            None => 0.25 * of * of - 1.0,
        });
        let weight = (1.0 + (of / outlier).powi(2)).powi(-2);
        normal += weight * slope * slope.transpose();
        right -= weight * of * slope;
    }
    Some((normal, right))
}
