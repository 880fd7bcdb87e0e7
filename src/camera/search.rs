//! The search for the camera of a frame.
//!
//! Its position need not be given: there is one point for each of its pixels, so the points lie evenly if seen from the
//! camera, and only from there.

use super::evenness::{OUTSIDE, Seen};
use super::in_order;
use super::organized::{self, Rows};
use super::pattern_search::{self, MOVE, Tried, sorted};
use super::pixel_grid::{self, Grid};
use super::rows;
use super::thinned;
use super::viewpoint::{NEAREST, Viewpoint};
use crate::frame::Points;
use crate::mix::mixed;
use crate::surface::cloud::CellCloud;
use crate::vector::{Vec3, axes, dot, minus};
use rayon::prelude::*;

/// Larger clouds are not taken for frames.
const MOST: usize = 1 << 23;
/// Fewest points of a frame whose points come pixel after pixel …
const FEWEST_PIXELS: usize = 1 << 10;
/// … and of one whose points come anyhow: fewer may well lie evenly by chance.
const FEWEST: usize = 1 << 13;
/// Points by which viewpoints are compared and first improved, by which the best are, and by which the last are.
const SAMPLES: [usize; 3] = [1 << 9, 1 << 12, 1 << 15];
/// Viewpoints tried along each edge of the box in which they are sought, …
const TRIED: i32 = 8;
/// … which is this many times as wide as the cloud.
const AROUND: f64 = 2.0;
/// The most even of them are improved, so many at once, …
const TRIES: usize = 36;
const AT_ONCE: usize = 12;
/// … and the best so many by more points.
const LEFT: usize = 3;
/// They are improved with at most this many moves of each length.
const MOST_MOVES: u32 = 64;
/// Points lie evenly where the mean square of the counts of places is at most this many times the squared
/// mean.
const EVENLY: f64 = 1.5;
/// The same after each improvement, …
const UNEVEN: f64 = 1.8;
/// … and before the first.
const ROUGHLY: f64 = 2.5;
/// Points that may be pixels lie so evenly at the best of the viewpoints that are tried, if they are spread evenly over the
/// cloud …
const NEARLY_EVEN: f64 = 1.22;
/// … or chosen at random.
const NEARLY_EVEN_AT_RANDOM: f64 = 1.3;
/// All points lie so evenly at viewpoints from which a few of them are most even.
const OF_FEW: f64 = 1.3;
/// Even from a wrong place at least this share of the points of a frame seem to be a pixel from the next. It is about a
/// third for other points in rows.
const SHOWN: f64 = 0.45;
/// Where so many seem to be one from two places, they are a grid from which pixels are missing: of half the pixels of a frame,
/// 0.91 to 0.95. Other places show no more of it.
const HOLED: f64 = 0.9;
/// A camera that is found so near the home of the points, in depths, is there.
const AT_HOME: f64 = 5e-3;
/// One that is farther from where steps told it to be, in depths, is another.
const NEARBY: f64 = 0.25;
/// A place that was improved by many points is not the camera's if points in rows lie less evenly there. The best places of frames
/// had at most 1.21, those of a town in scan lines at least 1.39.
const IMPROVED: f64 = 1.3;
/// Points that do not lie in rows: so even at the best of the viewpoints that are tried, and after so many of them were
/// improved.
const SAMPLED: [f64; 2] = [1.4, 1.21];
const FIRST: usize = 4;
/// A frame is deep when the ninth decile of the depths is more than this many times the first.
const DEEP: f64 = 1.6;
/// The same while the viewpoint is approximate.
const ROUGHLY_DEEP: f64 = 1.4;

/// The viewpoint of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub viewpoint: Viewpoint,
    /// Whether it is exact: pixels, or the steps of their disparities, tell it.
    pub is_exact: bool,
    /// Whether the points are a grid of pixels from there, with hardly any holes but those where the camera saw nothing.
    pub is_whole: bool,
    /// Whether the far points are much farther away than the near ones, so that noise that grows with range differs much
    /// between them.
    pub is_deep: bool,
}

/// Why there is no grid of pixels near a viewpoint.
enum NoPixels {
    /// The points are a grid as well from far away: they lie on a grid in space and were seen by no camera.
    Regular,
    /// So many of the points are a pixel from the next one, as a share, at most.
    Uneven(f64),
}

/// Some of the points of a cloud, chosen and ordered at random, but independently of their order in the file; none of those
/// that stand for missing pixels, and none of a cloud that is too large for a frame.
pub(crate) fn sample(points: &Points, home: Vec3) -> Vec<Vec3> {
    if points.len() > MOST {
        return Vec::new();
    }
    let one_in = points.len().div_ceil(SAMPLES[2]) as u64;
    let hashed = |i: usize| (points.hash(i), points.get(i).map(|v| v as i32));
    let all = (0..points.len()).into_par_iter().with_min_len(1 << 12).map(hashed);
    // The hash that chose them is not random among them, so it is mixed again.
    let chosen = all.filter(|(hash, _)| hash % one_in == 0).map(|(hash, p)| (mixed(!hash), p));
    let mut chosen: Vec<(u64, [i32; 3])> = chosen.collect();
    chosen.sort_unstable();
    // Either all copies of a point are chosen or none.
    chosen.dedup();
    let chosen = chosen.into_iter().map(|(_, p)| p.map(f64::from));
    chosen.filter(|&p| !stands_for_none(p, home)).collect()
}

/// The viewpoint of a frame whose pixels are given by its rows, or whose points come pixel after pixel, if there is one. Most
/// cameras are at the `home` of their points: the origin of the input, in their coordinates.
pub(crate) fn told(
    (points, home): (&Points, Vec3),
    many: &[Vec3],
    rows: Option<Rows>,
) -> Option<Found> {
    if many.is_empty() {
        return None;
    }
    let is_none = |p: Vec3| stands_for_none(p, home);
    let in_order = || match points.len() >= FEWEST_PIXELS {
        true => in_order::places(points, is_none),
        false => Vec::new(),
    };
    let likely = rows.is_none().then(in_order);
    if likely.as_ref().is_some_and(Vec::is_empty) {
        return of_some_pixels((points, home), many);
    }
    let some = &Seen::new(&many[..many.len().min(SAMPLES[1])]);
    let of_rows = rows.and_then(|rows| organized::camera(points, rows, (home, &is_none), some));
    let of_order = || of_likely(points, home, likely.unwrap_or_else(in_order), some);
    let Some(grid) = of_rows.or_else(of_order) else {
        return of_some_pixels((points, home), many);
    };
    found((points, home), (grid.viewpoint, Some(grid.edge)), (many, some))
}

/// The viewpoint of points that are some of the pixels of a frame, whose camera is at their `home`.
fn of_some_pixels((points, home): (&Points, Vec3), many: &[Vec3]) -> Option<Found> {
    if points.len() < FEWEST_PIXELS {
        return None;
    }
    let viewpoint = thinned::at_home(many, home)?;
    let some = Seen::new(&many[..many.len().min(SAMPLES[1])]);
    let found = found((points, home), (viewpoint, None), (many, &some))?;
    Some(Found { is_exact: true, ..found })
}

/// The viewpoint of points that come pixel after pixel, which may be near these places: their home, or one of them.
fn of_likely(points: &Points, home: Vec3, likely: Vec<Vec3>, some: &Seen) -> Option<Grid> {
    if likely.is_empty() {
        return None;
    }
    match at_home(points, home, some) {
        Ok(grid) => Some(grid),
        Err(NoPixels::Regular) => None,
        Err(NoPixels::Uneven(_)) => {
            likely.into_iter().find_map(|eye| of_camera_near(points, eye, some))
        }
    }
}

/// The viewpoint from which points lie evenly, if there is one: their `home`, or a place that is sought, thoroughly only
/// where the points lie in rows, as pixels do, and where their noise is `likely` that of a frame or they are nearly even
/// from one of the first places that are tried.
pub(crate) fn find(
    (points, home): (&Points, Vec3),
    many: &[Vec3],
    (likely, in_rows): (bool, impl FnOnce() -> bool),
) -> Option<Found> {
    if !(FEWEST..=MOST).contains(&points.len()) {
        return None;
    }
    let first = |n: usize| Seen::new(&many[..many.len().min(n)]);
    let [few, some] = &[SAMPLES[0], SAMPLES[1]].map(first);
    let elsewhere = || {
        let tried = tried(few);
        let is_nearly_even = tried.first().is_some_and(|tried| tried.0 <= NEARLY_EVEN_AT_RANDOM);
        let grid = match in_rows() {
            true if !likely && !is_nearly_even => return None,
            true if pixel_grid::is_regular_along_axis(points, some) => return None,
            true => of_pixels_from(points, &tried, [few, some]),
            false => Err(of_sample(few, some, (likely, &tried))),
        };
        match grid {
            Ok(grid) => Some((grid.viewpoint, Some(grid.edge))),
            Err(best) => at_last(points, &best, &Seen::new(many)),
        }
    };
    let seen_from = match at_home(points, home, some) {
        Ok(grid) => (grid.viewpoint, Some(grid.edge)),
        Err(NoPixels::Regular) => return None,
        Err(NoPixels::Uneven(_)) => elsewhere()?,
    };
    found((points, home), seen_from, (many, some))
}

/// What is known of the frame that is seen from a viewpoint, with an edge of its pixels if they are known; `None` if some
/// points are too near to be drawn.
fn found(
    (points, home): (&Points, Vec3),
    (viewpoint, edge): (Viewpoint, Option<[f64; 2]>),
    (many, some): (&[Vec3], &Seen),
) -> Option<Found> {
    let [near, middle, far] = some.depths(viewpoint.eye(), viewpoint.ahead());
    log::debug!("depth {near:.0}, {middle:.0} to {far:.0} steps");
    let drawn = match edge {
        Some(edge) => viewpoint.along_pixels(edge, many),
        None => viewpoint,
    };
    let drawn = drawn.with_middle_of(points, |p| !stands_for_none(p, home));
    // Almost no point may be nearer than the nearest depth that is drawn.
    let nearest = NEAREST * drawn.depth_of_middle();
    let nearer = many.iter().filter(|&&p| drawn.depth(p) < nearest).count();
    let (is_grid, is_deep) = (edge.is_some(), far > DEEP * near);
    let found = Found { viewpoint: drawn, is_exact: is_grid, is_whole: is_grid, is_deep };
    (nearer * OUTSIDE <= many.len()).then_some(found)
}

/// The viewpoint from which the points of a cloud are a grid of pixels, if there is one. It is sought away from their
/// `home` only where points lie in rows, and nearly evenly if seen from somewhere, since that takes a while.
pub(crate) fn of_pixels(cloud: &CellCloud, home: Vec3) -> Option<Viewpoint> {
    let points = &*cloud.points;
    if !(FEWEST..=MOST).contains(&points.len()) {
        return None;
    }
    // Points in the order of their cells are a sample of the same places, whatever their order in the file.
    let sample = |most: usize| {
        let every = (0..points.len()).step_by(points.len().div_ceil(most));
        let all = every.map(|i| points.get(i).map(f64::from));
        Seen::new(&all.filter(|&p| !stands_for_none(p, home)).collect::<Vec<_>>())
    };
    let some = sample(SAMPLES[1]);
    match at_home(points, home, &some) {
        Ok(grid) => return Some(grid.viewpoint),
        Err(NoPixels::Regular) => return None,
        Err(NoPixels::Uneven(_)) => {}
    }
    let few = sample(SAMPLES[0]);
    let in_rows = rows::lie_in_rows(&cloud.cells, |i| points.get(i).map(f64::from));
    let tried = in_rows.then(|| tried(&few))?;
    if tried.first()?.0 > NEARLY_EVEN || pixel_grid::is_regular_along_axis(points, &some) {
        return None;
    }
    of_pixels_from(points, &tried, [&few, &some]).ok().map(|grid| grid.viewpoint)
}

/// Whether a point, whose coordinates are whole numbers, is at the home of the points: some programs put missing pixels
/// there.
fn stands_for_none(p: Vec3, home: Vec3) -> bool {
    p == home.map(f64::round_ties_even)
}

/// The viewpoint near their `home` from which the points, and so `some` of them, are a grid of pixels: the home itself if
/// it is as near as pixels tell.
fn at_home(points: &Points, home: Vec3, some: &Seen) -> Result<Grid, NoPixels> {
    let grid = of_grid(points, home, some)?;
    let there = Viewpoint::new(home, grid.viewpoint.ahead(), some);
    match grid.viewpoint.shift(&there) <= AT_HOME {
        true => Ok(Grid { viewpoint: there, ..grid }),
        false if grid.is_regular => Err(NoPixels::Regular),
        false => Ok(grid),
    }
}

/// The viewpoint near `eye` from which the points, and so `some` of them, are a grid.
fn of_grid(points: &Points, eye: Vec3, some: &Seen) -> Result<Grid, NoPixels> {
    if some.unevenness(eye).is_none_or(|uneven| uneven > UNEVEN) {
        return Err(NoPixels::Uneven(0.0));
    }
    let start = Viewpoint::new(eye, some.forward(eye), some);
    let grid = pixel_grid::fit(points, start).map_err(NoPixels::Uneven)?;
    let Grid { viewpoint, .. } = grid;
    Ok(Grid { viewpoint: Viewpoint::new(viewpoint.eye(), viewpoint.ahead(), some), ..grid })
}

/// The same if the points tell how far away it is.
fn of_camera(points: &Points, eye: Vec3, some: &Seen) -> Result<Grid, NoPixels> {
    let grid = of_grid(points, eye, some)?;
    if grid.is_regular { Err(NoPixels::Regular) } else { Ok(grid) }
}

/// The same if that is near `eye`.
fn of_camera_near(points: &Points, eye: Vec3, some: &Seen) -> Option<Grid> {
    let grid = of_camera(points, eye, some).ok()?;
    let there = Viewpoint::new(eye, grid.viewpoint.ahead(), some);
    (grid.viewpoint.shift(&there) <= NEARBY).then_some(grid)
}

/// The viewpoint from which points in rows are a grid of pixels, near those that were `tried`. Pixels tell where the
/// camera is as soon as it is known roughly. If they are none, the most even viewpoints, as long as pixels seem to show: the most
/// even of those that were tried come first, so the search ends where none of them shows any.
fn of_pixels_from(
    points: &Points,
    tried: &[(f64, Vec3)],
    [few, some]: [&Seen; 2],
) -> Result<Grid, Tried> {
    let (mut best, mut largest): (Tried, f64) = (Vec::new(), 0.0);
    let mut holed = 0;
    // Few points are fast, and enough for most frames.
    'tries: for by in [few, some] {
        for some_tried in tried.chunks(AT_ONCE) {
            let mut improved = improved_by(by, some_tried);
            improved.truncate(LEFT);
            let mut improved = improved_by(some, &improved);
            improved.retain(|&(uneven, _)| uneven <= IMPROVED);
            for &(_, eye) in &improved {
                match of_camera(points, eye, some) {
                    Ok(grid) => return Ok(grid),
                    Err(NoPixels::Regular) => return Err(Vec::new()),
                    Err(NoPixels::Uneven(share)) => {
                        largest = largest.max(share);
                        holed += usize::from(share >= HOLED);
                    }
                }
            }
            best.extend(improved);
            if largest < SHOWN {
                return Err(Vec::new());
            }
            if holed > 1 {
                break 'tries;
            }
        }
    }
    let mut best = sorted(best);
    best.truncate(LEFT);
    Err(best)
}

/// The viewpoints from which points that do not lie in rows are even: some of the pixels of a frame, at random.
fn of_sample(few: &Seen, some: &Seen, (likely, tried): (bool, &[(f64, Vec3)])) -> Tried {
    if tried.first().is_none_or(|tried| tried.0 > SAMPLED[0]) {
        return Vec::new();
    }
    let mut best = improved_by(few, &tried[..tried.len().min(FIRST)]);
    best.truncate(LEFT);
    if !likely {
        best.retain(|&(_, eye)| some.unevenness(eye).is_some_and(|uneven| uneven <= OF_FEW));
    }
    let mut best = improved_by(some, &best);
    best.retain(|best| best.0 <= SAMPLED[1]);
    best
}

/// The viewpoint near these from which the points are a grid of pixels, with an edge of the grid; or the most even one, by
/// all points.
fn at_last(
    points: &Points,
    best: &[(f64, Vec3)],
    all: &Seen,
) -> Option<(Viewpoint, Option<[f64; 2]>)> {
    let best = improved_by(all, best);
    if let Some(camera) = best.iter().find_map(|&(_, eye)| of_camera(points, eye, all).ok()) {
        return Some((camera.viewpoint, Some(camera.edge)));
    }
    let &(uneven, eye) = best.first()?;
    log::debug!("seen from {eye:?}, {uneven:.3} times as uneven as can be");
    (uneven <= EVENLY).then(|| (Viewpoint::new(eye, all.forward(eye), all), None))
}

/// The most even of the viewpoints that are tried, and how uneven they are.
fn tried(points: &Seen) -> Tried {
    let (low, high) = points.bounds();
    let of = |i: i32| {
        let place = [i % TRIED, i / TRIED % TRIED, i / TRIED / TRIED];
        let share = place.map(|v| AROUND * (f64::from(v) / f64::from(TRIED - 1) - 0.5));
        let at = |a: usize| 0.5 * (low[a] + high[a]) + share[a] * (high[a] - low[a]);
        std::array::from_fn(at)
    };
    let tried = (0..TRIED.pow(3)).into_par_iter().map(of);
    let tried = tried.filter_map(|eye| Some((points.unevenness(eye)?, eye)));
    let even = sorted(tried.collect()).into_iter().take_while(|tried| tried.0 <= ROUGHLY);
    even.filter(|&(_, eye)| is_deep(points, eye)).take(TRIES).collect()
}

/// The viewpoints near these from which the frame is even, and deep; the most even first.
fn improved_by(points: &Seen, from: &[(f64, Vec3)]) -> Tried {
    let improved = from.par_iter().filter_map(|&(_, eye)| improved(points, eye));
    sorted(improved.filter(|&(_, eye)| is_deep(points, eye)).collect())
}

/// Whether a frame seen from near here may be deep.
fn is_deep(points: &Seen, eye: Vec3) -> bool {
    let [near, _, far] = points.depths(eye, points.forward(eye));
    far > ROUGHLY_DEEP * near
}

/// The best viewpoint near `eye`, and how uneven the points lie there.
fn improved(points: &Seen, eye: Vec3) -> Option<(f64, Vec3)> {
    let to = minus(eye, points.get(points.len() / 2));
    let axes = |eye: Vec3| {
        let forward = points.forward(eye);
        let (u, v) = axes(forward);
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], u, v, forward]
    };
    let length = MOVE * dot(to, to).sqrt();
    pattern_search::improved(eye, (length, MOST_MOVES), axes, |eye| points.unevenness(eye))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::plane::LocalPlane;

    const EYE: Vec3 = [300_000.0, -200_000.0, 100_000.0];

    /// What a camera of 160 × 120 pixels looking along x sees: a floor, a wall and a box before it.
    fn frame() -> Vec<([f32; 3], usize)> {
        let planes = [
            ([0.0, 0.0, 1.0], -1.4e6, 1.0),
            ([0.98, 0.2, 0.0], 5.0e6, 1.0),
            ([1.0, 0.0, 0.0], 2.2e6, 0.15),
        ];
        let pixel = |i: usize| {
            let ray = [1.0, (i % 160) as f64 / 145.0 - 0.55, (i / 160) as f64 / 145.0 - 0.5];
            let hit = |&(k, (normal, rho, reach)): &(usize, (Vec3, f64, f64))| {
                let times = rho / dot(normal, ray);
                let inside = ray[1].abs() <= reach && ray[2].abs() <= reach;
                (times > 0.0 && inside).then_some((times, k))
            };
            let first = planes.into_iter().enumerate().filter_map(|plane| hit(&plane));
            let (times, k) = first.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            (std::array::from_fn(|a| (EYE[a] + times * ray[a]).round() as f32), k)
        };
        (0..160 * 120).map(pixel).collect()
    }

    /// The viewpoint of points, which may lie in rows, and whose noise is likely that of a frame.
    fn find(points: &Points, home: Vec3, in_rows: bool) -> Option<Found> {
        super::find((points, home), &sample(points, home), (true, || in_rows))
    }

    fn points() -> Points {
        frame().into_iter().map(|(p, _)| p).collect()
    }

    #[test]
    fn a_camera_is_found_by_what_it_sees() {
        let points = points();
        let all = find(&points, [0.0; 3], true).unwrap();
        let found = all.viewpoint;
        let off = minus(found.eye(), EYE);
        assert!(dot(off, off).sqrt() < 0.1 * found.depth_of_middle(), "{found:?}");
        let order: Vec<u32> = (0..points.len() as u32).map(|i| i * 7919 % 19_200).collect();
        assert_eq!(find(&points.select(&order), [0.0; 3], true), Some(all));
    }

    #[test]
    fn a_camera_near_the_home_of_its_points_is_there() {
        let near = EYE.map(|v| v + 1000.0);
        assert_eq!(find(&points(), near, false).unwrap().viewpoint.eye(), near);
        let far = EYE.map(|v| v + 100_000.0);
        assert_ne!(find(&points(), far, true).unwrap().viewpoint.eye(), far);
    }

    #[test]
    fn a_few_of_the_pixels_tell_roughly_where_the_camera_is() {
        let points = points();
        let some: Vec<u32> =
            (0..points.len() as u32).filter(|&i| mixed(i.into()).is_multiple_of(2)).collect();
        let found = find(&points.select(&some), [0.0; 3], false).unwrap().viewpoint;
        let off = minus(found.eye(), EYE);
        assert!(dot(off, off).sqrt() < 0.2 * found.depth_of_middle(), "{found:?}");
    }

    #[test]
    fn a_frame_is_drawn_alike_however_the_camera_was_turned() {
        let drawn = |degrees: f64| -> Vec<Vec3> {
            let (sin, cos) = degrees.to_radians().sin_cos();
            // Rolled about the direction of view, which is x, and turned.
            let turn = |[x, y, z]: Vec3| {
                let [y, z] = [cos * y - sin * z, sin * y + cos * z];
                if degrees == 0.0 { [x, y, z] } else { [0.6 * x + 0.8 * z, -y, 0.8 * x - 0.6 * z] }
            };
            let points: Points = frame()
                .into_iter()
                .map(|(p, _)| turn(p.map(f64::from)).map(|v| v.round() as f32))
                .collect();
            let (unit, seen) = find(&points, [0.0; 3], true).unwrap().viewpoint.seen(&points);
            // In pixels, which are a power of two of steps.
            let to_next = seen.get(1)[0] - seen.get(0)[0];
            let pixel = 2f64.powi(f64::from(to_next.abs()).log2().round() as i32);
            assert!(unit.step >= 1.0);
            (0..seen.len()).map(|i| seen.get(i).map(|v| f64::from(v) / pixel)).collect()
        };
        let straight = drawn(0.0);
        for (a, b) in
            [17.0, 120.0].into_iter().flat_map(|degrees| straight.iter().zip(drawn(degrees)))
        {
            let off = minus(*a, b);
            assert!(dot(off, off) < 0.05 * 0.05, "{a:?} {b:?}");
            // Pixels are a whole number of pixels and a half from the middle.
            assert!((0..2).all(|k| (a[k].rem_euclid(1.0) - 0.5).abs() < 0.05), "{a:?}");
        }
    }

    #[test]
    fn points_that_stand_for_missing_pixels_do_not_change_the_depth() {
        let home = [0.0; 3];
        let few = find(&points(), home, true).unwrap().viewpoint;
        let all = frame().into_iter().map(|(p, _)| p).chain((0..9000).map(|_| [0.0; 3]));
        let found = find(&all.collect(), home, true).unwrap().viewpoint;
        let off = found.depth_of_middle() / few.depth_of_middle() - 1.0;
        assert!(off.abs() < 1e-3, "{off}");
    }

    #[test]
    fn what_lies_on_a_grid_in_space_is_no_frame() {
        let point = |i: usize| {
            let [x, y] = [i % 200, i / 200];
            let is_roof = (40..160).contains(&x) && (20..110).contains(&y);
            [500.0 * x as f32, 500.0 * y as f32, if is_roof { 8000.0 } else { (x % 7) as f32 }]
        };
        let points: Points = (0..200 * 150).map(point).collect();
        // Above it, below it, beside it and far away.
        let homes = [[5e4, 4e4, 8e4], [3e4, 4e4, -1e5], [-1e4, -1e4, 1e4], [1e7, 3e7, -1e3]];
        for home in homes {
            for in_rows in [true, false] {
                assert_eq!(find(&points, home, in_rows), None);
            }
        }
    }

    #[test]
    fn what_was_seen_from_all_around_is_no_frame() {
        // The surface of a cube, one square after the other.
        let point = |i: usize| {
            let [u, v] = [i * 7919 % 997, i * 104_729 % 991].map(|v| v as f32 * 2000.0);
            let far = if i.is_multiple_of(2) { 0.0 } else { 1_990_000.0 };
            let mut p = [u, v, 0.0];
            p[2] = far;
            p.rotate_left(i / 2 % 3);
            p
        };
        for in_rows in [true, false] {
            assert_eq!(find(&(0..30_000).map(point).collect(), [0.0; 3], in_rows), None);
        }
    }

    #[test]
    fn planes_come_back_from_what_is_seen() {
        let viewpoint = find(&points(), [0.0; 3], true).unwrap().viewpoint;
        let (unit, seen) = viewpoint.seen(&points());
        for i in (0..seen.len()).step_by(97) {
            let back = viewpoint.point(seen.get(i).map(f64::from), &unit);
            let off = minus(back, points().get(i).map(f64::from));
            assert!(dot(off, off).sqrt() < 4.0 * unit.step, "{off:?}");
        }
        for k in 0..3 {
            let of: Vec<usize> =
                frame().iter().enumerate().filter(|(_, p)| p.1 == k).map(|(i, _)| i).collect();
            let sums = |points: &Points| {
                let mut sums = crate::surface::moments::Moments::<i128>::default();
                of.iter().for_each(|&i| sums.add(points.get(i).map(|v| v as i64)));
                sums.fit().unwrap()
            };
            let (there, here) = (sums(&seen), sums(&points()));
            assert!(there.rmse() < 2.0, "{}", there.rmse());
            let rho = dot(there.normal, there.centroid);
            let seen = LocalPlane { normal: there.normal, rho, tolerance: 1.0 };
            let plane = viewpoint.plane(seen, &unit);
            assert!(dot(plane.normal, here.normal).abs() > 1.0 - 1e-9);
            assert!((dot(plane.normal, here.centroid) - plane.rho).abs() < 10.0);
        }
        let p = points().get(7).map(f64::from);
        let depth = viewpoint.depth_of_seen(seen.get(7).map(f64::from), &unit);
        assert!((depth / viewpoint.depth(p) - 1.0).abs() < 1e-4);
    }
}
