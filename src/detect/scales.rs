//! The scale at which the noise is read, chosen by what explains a cloud best.
//!
//! Waves, and the drift of a scanner, make neighbourhoods thicker the wider they are, and so do kerbs, reveals and steps. The curve of
//! thickness over size often does not tell them apart. A scale that is too fine cuts a wall into facets, or leaves it grey; one
//! that is too coarse makes one plane of a flight of stairs. The planes that are found tell which it was: each explains its points at
//! all sizes from its thickness up to its width.

use super::labelled::Labelled;
use super::options::Options;
use super::plateau::Plateau;
use crate::surface::moments::Moments;

/// Levels of the cells on which the noise of waves usually shows.
const USUAL: [f64; 2] = [1.0, 2.0];
/// Scales that are fewer levels apart are nearly the same.
const APART: f64 = 0.5;
/// No further scales are tried if the planes of another one explain as much to within this share, …
const MATTERS: f64 = 0.01;
/// … and their numbers differ by at most this share.
const DIFFER: f64 = 0.05;
/// The scale of a cloud of more points than this is chosen on a part of it, of about half as many at least.
pub(super) const PART: u64 = 200_000;
/// Where the noise seemed independent, planes that hold less than this share of the points put that in doubt: waves that are long
/// against the finest neighbourhoods look like curved surfaces.
const DOUBTFUL: f64 = 0.5;
/// It is beyond doubt that of waves if the planes of another scale explain more than so many times as much, …
const DOUBTLESS: f64 = 1.5;
/// … and those that are so many times as wide as thick hold at least this share of the points. Terrain, trees and curved things leave
/// much of a cloud without planes, too, and any scale finds others there.
const WIDE: f64 = 100.0;
const HELD: f64 = 2.0 / 3.0;
/// Those of the whole will not hold as many if those of a part hold less than this share.
const HELD_BY_PART: f64 = 0.5;
/// What a plane costs: as much as so many independent points are worth that it explains at sizes within a factor of e. It has three
/// parameters and an outline. With half of this, the scale of an office by SLAM depended on how the cloud was turned.
const COST: f64 = 20.0;
/// No plane is thinner than rounding to whole steps makes it.
const THINNEST: f64 = 0.3;

/// The other scales that are tried.
pub(super) fn others(plateau: Plateau) -> impl Iterator<Item = Plateau> {
    let is_other = move |level: &f64| !plateau.alike || (level - plateau.level).abs() >= APART;
    USUAL.into_iter().filter(is_other).map(move |level| plateau.at(level))
}

/// Whether noise that seemed independent may be that of waves, as the planes that were found with it tell.
pub(super) fn are_in_doubt(plateau: Plateau, labelled: &Labelled) -> bool {
    !plateau.alike && plateau.at(0.0).is_of_waves() && held(labelled, 1.0) < DOUBTFUL
}

/// Whether the planes of a part of a cloud hold so little that those of the whole cloud will not tell that the noise is that of waves.
pub(super) fn leaves_doubt(of_part: &Labelled) -> bool {
    log::debug!("planes of the part hold {:.3}", held(of_part, WIDE));
    held(of_part, WIDE) < HELD_BY_PART
}

/// The share of the points that planes hold which are more than so many `times` as wide as thick.
fn held(labelled: &Labelled, times: f64) -> f64 {
    let sums = kept(labelled).map(|i| &labelled.assigned.sums[i]);
    let held: i64 = sums.filter(|sums| width(sums) >= times).map(|sums| sums.n).sum();
    held as f64 / labelled.assigned.labels.len().max(1) as f64
}

/// The planes of one scale compared with those of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compared {
    /// How many times as much they explain; `None` if neither explains anything.
    times: Option<f64>,
    /// The numbers of planes.
    planes: [usize; 2],
    /// Whether they are the ones to keep.
    pub is_better: bool,
}

impl Compared {
    /// Compares the planes of another scale with those before, if so many points share one error.
    pub fn new([before, other]: [&Labelled; 2], alike: f64, in_doubt: bool) -> Self {
        let planes = [before, other].map(|labelled| kept(labelled).count());
        let [before, now] = [before, other].map(|labelled| explained(labelled, alike));
        let is_better = match in_doubt {
            true => now > DOUBTLESS * before && held(other, WIDE) >= HELD,
            false => now > before,
        };
        Self { times: (before.max(now) > COST).then_some(now / before), planes, is_better }
    }

    /// Whether their planes are nearly equal in number and explain nearly the same.
    pub fn is_alike(&self) -> bool {
        let [before, now] = self.planes;
        let apart = before.abs_diff(now) as f64;
        apart <= DIFFER * before.max(now) as f64
            && self.times.is_some_and(|times| (1.0 - MATTERS..1.0 + MATTERS).contains(&times))
    }
}

/// How much the planes explain, if so many points share one error. Each explains its points at all sizes between its thickness and its
/// width, the better the larger the size: facets explain less than the wall that they are cut from unless they are thinner by more
/// than they are narrower.
/// The result is at least [`COST`], so that results can be divided.
fn explained(labelled: &Labelled, alike: f64) -> f64 {
    let of = |i: usize| explained_by(&labelled.assigned.sums[i], alike);
    kept(labelled).map(of).sum::<f64>().max(COST)
}

/// How much the plane through points with these sums explains.
fn explained_by(sums: &Moments, alike: f64) -> f64 {
    sums.n as f64 / alike * width(sums).ln().powi(2) - COST
}

/// The width of the plane through points with these sums, relative to its thickness; at least 1.
fn width(sums: &Moments) -> f64 {
    sums.fit().map_or(1.0, |fit| {
        let [thickness, width, _] = fit.variance.map(f64::sqrt);
        (width / thickness.max(THINNEST)).max(1.0)
    })
}

/// The planes of enough points that are no arbitrary pieces of larger surfaces, and not as thick as pieces of hills. Those that were
/// joined with others have no points.
fn kept(labelled: &Labelled) -> impl Iterator<Item = usize> {
    let is_piece = |i: usize| labelled.pieces.as_ref().is_some_and(|pieces| pieces.arbitrary[i]);
    let is_hilly = |i: usize| labelled.hilly.get(i).is_some_and(|&is| is);
    let fewest = labelled.parameters.min_inliers;
    let has_enough = move |&i: &usize| labelled.assigned.sums[i].n as u64 >= fewest;
    (0..labelled.local.len()).filter(has_enough).filter(move |&i| !is_piece(i) && !is_hilly(i))
}

/// The options for one in so many of the points.
pub(super) fn options_of_part(options: &Options, many: u64) -> Options {
    let fewer = |points: Option<u64>| points.map(|points| points.div_ceil(many));
    Options {
        min_inliers: fewer(options.min_inliers),
        min_votes: fewer(options.min_votes),
        ..options.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::Drawn;
    use super::super::plateau::Deviation;
    use super::*;

    fn plateau(level: f64, alike: bool) -> Plateau {
        Plateau {
            level,
            sliced: false,
            alike,
            drawn: Drawn::InSpace,
            stepped: false,
            landscape: false,
            sheet: false,
            facets: false,
            levelled: false,
            clear: None,
            deviation: Deviation::UNKNOWN,
        }
    }

    #[test]
    fn the_usual_scales_are_tried_but_not_twice() {
        let levels = |plateau| others(plateau).map(|other| other.level).collect::<Vec<f64>>();
        assert_eq!(levels(plateau(0.0, false)), [1.0, 2.0]);
        assert_eq!(levels(plateau(1.5, true)), [1.0, 2.0]);
        assert_eq!(levels(plateau(1.25, true)), [2.0]);
        assert_eq!(levels(plateau(2.0, true)), [1.0]);
        assert!(others(plateau(0.0, false)).all(|other| other.is_of_waves()));
    }

    #[test]
    fn scales_are_alike_only_with_about_as_many_planes() {
        let is_alike = |planes: [usize; 2], times: Option<f64>| {
            Compared { times, planes, is_better: false }.is_alike()
        };
        assert!(is_alike([20, 19], Some(1.0)) && is_alike([100, 105], Some(0.995)));
        assert!(!is_alike([19, 18], Some(1.0)) && !is_alike([46, 113], Some(1.009)));
        assert!(!is_alike([20, 20], Some(1.02)) && !is_alike([20, 20], None));
    }

    /// How much the planes of a grid of 200 × 200 points explain, each of which gets a number and a height.
    fn explained_of(points: impl Fn([i64; 2]) -> (usize, f64), alike: f64) -> f64 {
        let mut sums = vec![Moments::default(); 100];
        for i in 0..40_000 {
            let at = [i % 200, i / 200];
            let (plane, height) = points(at);
            sums[plane].add([100 * at[0], 100 * at[1], height as i64]);
        }
        sums.iter().filter(|sums| sums.n > 0).map(|sums| explained_by(sums, alike)).sum()
    }

    #[test]
    fn a_wall_explains_more_than_its_facets() {
        let wave = |[x, y]: [i64; 2]| 60.0 * ((x as f64 / 8.0).sin() + (y as f64 / 9.0).sin());
        let wall = explained_of(|at| (0, wave(at)), 50.0);
        let facets = explained_of(|at| ((at[0] / 50 + 4 * (at[1] / 50)) as usize, wave(at)), 50.0);
        assert!(wall > 1.1 * facets, "{wall} {facets}");
    }

    #[test]
    fn boards_explain_more_than_a_slab_that_holds_them() {
        // Two boards that lie above each other and are three times as far apart as they are rough.
        let height = |[x, y]: [i64; 2]| 150 * (x % 2) + x * 7919 % 97 + y * 104_729 % 89;
        let slab = explained_of(|at| (0, height(at) as f64), 50.0);
        let boards = explained_of(|at| ((at[0] % 2) as usize, height(at) as f64), 50.0);
        assert!(boards > 1.1 * slab, "{boards} {slab}");
        // A few points are no reason for one more plane.
        assert!(explained_of(|at| (0, height(at) as f64), 1e5) < 0.0);
    }

    #[test]
    fn the_options_for_a_part_are_those_for_fewer_points() {
        let whole = Options { min_inliers: Some(1000), top: Some(7), ..Options::default() };
        let part = options_of_part(&whole, 3);
        assert_eq!((part.min_inliers, part.min_votes, part.top), (Some(334), None, Some(7)));
    }
}
