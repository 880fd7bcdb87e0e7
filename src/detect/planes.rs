//! From labelled points to the reported planes: in input coordinates, best first.

use super::around::{self, Around};
use super::found::{Failed, FoundPlane};
use super::load::Loaded;
use super::members::members;
use super::options::Options;
use super::refine::Refined;
use super::rejected;
use super::significance::Chance;
use crate::detection::{Parameters, Reason, Rejected};
use crate::orient::Orient;
use crate::outline::{self, NO_PART, OutlineOptions, PlaneFrame};
use crate::plane::{Piece, Plane};
use crate::surface::cells::Cells;
use crate::surface::moments::{Fit, Moments};
use crate::surface::plane::{Assigned, LocalPlane};
use crate::surface::surfels::{Surfel, closing_edge};
use crate::vector::{Vec3, dot};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::ops::Range;

/// A plane is thick if the variance of its points across it is more than this share of that along its narrower side: if it is
/// narrower than 17 standard deviations of its noise. Of a forest's trunks, branches and crowns, half the slices are.
const THICK: f64 = 0.04;

/// Points of a plane that one thread numbers at a time.
const PIECE: usize = 1 << 14;

/// Edge of the cells of each plane's outline raster, in steps.
pub(super) fn outline_cell(cells: &Cells, surfels: &[Surfel], found: &[FoundPlane]) -> Vec<f64> {
    let cell = |f: &FoundPlane| closing_edge(surfels, &f.support.surfels, cells.base().size);
    found.iter().map(cell).collect()
}

/// The planes that were found, and what is known of each.
pub(super) struct Known<'a> {
    /// Their surfels and votes.
    pub found: &'a [FoundPlane],
    /// As they are reported.
    pub refined: &'a [Refined],
    /// Whether each is a piece of a curved surface.
    pub round: &'a [bool],
    /// Whether each is an edge that averaging may have rounded; `None` if these are planes.
    pub chamfers: Option<&'a [bool]>,
    /// The points around each; `None` if slices of thicker things are planes.
    pub around: Option<&'a [Around]>,
    /// Whether planes that are thick for their width are none.
    pub judges_thickness: bool,
    /// Edge of the cells of the outline raster, in steps.
    pub outline_cell: &'a [f64],
    /// Standard deviation that rounding adds to each of the coordinates, in steps.
    pub rounding: Vec3,
}

/// The reported planes, best first.
///
/// Planes are ranked by significance. Those with too few points, those that chance may have made, pieces of
/// curved surfaces, rounded edges, those that do not stand out or are thick for their width and those beyond the top are dropped.
pub(super) fn finish(
    cloud: &Loaded,
    Assigned { labels, sums }: &Assigned,
    known: Known,
    (parameters, options): (&Parameters, &Options),
    rejected: &mut Vec<Rejected>,
) -> Finished {
    let Known { found, refined, round, chamfers, around, judges_thickness, .. } = known;
    let fits: Vec<Option<Fit>> = sums.iter().map(Moments::fit).collect();
    let significance = significances(cloud, found, (sums, &fits), parameters);
    let (mut ranked, left): (Vec<usize>, Vec<usize>) = (0..found.len())
        .partition(|&i| fits[i].is_some() && sums[i].n as u64 >= parameters.min_inliers);
    ranked.sort_by(|&i, &j| significance[j].total_cmp(&significance[i]).then(i.cmp(&j)));
    let by_chance = ranked.split_off(ranked.partition_point(|&i| significance[i] > 0.0));
    let (rounded, ranked): (Vec<usize>, Vec<usize>) = ranked.into_iter().partition(|&i| round[i]);
    let is_chamfer = |&i: &usize| chamfers.is_some_and(|chamfers| chamfers[i]);
    let (narrow, ranked): (Vec<usize>, Vec<usize>) = ranked.into_iter().partition(is_chamfer);
    let is_thick =
        |&i: &usize| judges_thickness && fits[i].as_ref().is_some_and(is_thick_for_its_width);
    let (thick, ranked): (Vec<usize>, Vec<usize>) = ranked.into_iter().partition(is_thick);
    let mut is_indistinct = vec![false; found.len()];
    if let Some(around) = around {
        let mut is_plane = vec![false; found.len()];
        ranked.iter().for_each(|&i| is_plane[i] = true);
        let errors: Vec<Option<f64>> = refined.iter().map(|r| Some(r.errors?[0])).collect();
        is_indistinct = around::indistinct(around, &is_plane, &errors);
    }
    let (indistinct, mut ranked): (Vec<usize>, Vec<usize>) =
        ranked.into_iter().partition(|&i| is_indistinct[i]);
    // Areas are known only with the outlines; a plane that is too small must take no place in the top.
    let (min_area, top) = (options.min_area, options.top);
    let wanted = Wanted { min_area, top, labels: !options.planes_only };
    let top = wanted.most_before_areas().min(ranked.len());
    let beyond = ranked.split_off(top);
    let mut reject = |i: usize, reason: Reason| {
        let LocalPlane { normal, rho, .. } = found[i].support.plane();
        let points = sums[i].n as u64;
        let failed = Failed::new((normal, rho), (points, sums[i].mean()), reason);
        let fewest = (reason == Reason::Taken).then_some(points);
        let candidate = rejected::rejected(cloud, found[i].votes, failed);
        rejected.push(Rejected { fewest, ..candidate });
    };
    for (of, reason) in [
        (left, Reason::Taken),
        (by_chance, Reason::Chance),
        (rounded, Reason::Round),
        (narrow, Reason::Chamfer),
        (thick, Reason::Indistinct),
        (indistinct, Reason::Indistinct),
        (beyond, Reason::BeyondTop),
    ] {
        of.into_iter().for_each(|i| reject(i, reason));
    }
    let mut rank = vec![None; found.len()];
    ranked.iter().enumerate().for_each(|(new, &old)| rank[old] = Some(new));
    let reported: Vec<Reported> = ranked
        .iter()
        .map(|&i| Reported {
            plane: refined[i].plane,
            errors: refined[i].errors_of_rounded(&sums[i], known.rounding),
            votes: found[i].votes,
            significance: significance[i],
            sums: &sums[i],
            cell: known.outline_cell[i],
        })
        .collect();
    let (finished, dropped) = report(cloud, labels, &rank, &reported, (wanted, parameters.orient));
    dropped.into_iter().for_each(|(k, reason)| reject(ranked[k], reason));
    finished
}

/// Whether points are as thick, for their width, as a slice of a trunk, a hedge or a crown.
fn is_thick_for_its_width(fit: &Fit) -> bool {
    let [across, along, _] = fit.variance;
    across > THICK * along
}

/// The significance of each plane.
///
/// The points of larger planes, of larger pieces of curved surfaces and of larger slices are not strewn at random:
/// chance has only the remaining points to work with. Otherwise a wall of a few hundred points could be the work of
/// chance below a floor of a million.
fn significances(
    cloud: &Loaded,
    found: &[FoundPlane],
    (sums, fits): (&[Moments], &[Option<Fit>]),
    parameters: &Parameters,
) -> Vec<f64> {
    // Copies of a point are one witness.
    let alone = |points: i64| (points as f64 / parameters.copies).round() as u64;
    let mut by_size: Vec<usize> = (0..found.len()).collect();
    by_size.sort_by_key(|&i| (Reverse(sums[i].n), i));
    let mut significance = vec![0.0; found.len()];
    let mut left = alone(cloud.points.len() as i64);
    for i in by_size {
        let (n, tolerance) = (alone(sums[i].n), found[i].support.tolerance);
        let of = |fit| chance(cloud, left).significance(n, fit, tolerance);
        significance[i] = fits[i].as_ref().map_or(0.0, of);
        if significance[i] > 0.0 && sums[i].n as u64 >= parameters.min_inliers {
            left = left.saturating_sub(n);
        }
    }
    significance
}

/// Which of the planes found are reported, and whether with labels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Whether the pieces of points are wanted.
    pub labels: bool,
    /// Smallest area, in the cloud's unit squared.
    pub min_area: Option<f64>,
    /// Most planes.
    pub top: Option<u64>,
}

impl Wanted {
    /// Most planes whose outlines are needed.
    fn most_before_areas(self) -> usize {
        let top = self.top.filter(|_| self.min_area.is_none());
        top.map_or(usize::MAX, |top| usize::try_from(top).unwrap_or(usize::MAX))
    }

    /// For each of these planes, in order, why it is not reported, if it is not.
    fn verdicts(self, planes: &[Plane]) -> Vec<Option<Reason>> {
        let mut left = self.top.unwrap_or(u64::MAX);
        let verdict = |plane: &Plane| {
            if self.min_area.is_some_and(|least| plane.area < least) {
                return Some(Reason::SmallArea);
            }
            let is_beyond = left == 0;
            left = left.saturating_sub(1);
            is_beyond.then_some(Reason::BeyondTop)
        };
        planes.iter().map(verdict).collect()
    }
}

/// The result of a search.
pub(super) struct Answer {
    pub planes: Finished,
    /// The parameters that led to them.
    pub parameters: Parameters,
    pub rejected: Vec<Rejected>,
}

/// The reported planes and their points.
#[derive(Default)]
pub(super) struct Finished {
    pub planes: Vec<Plane>,
    /// The points of each plane.
    pub members: Vec<Members>,
}

/// The loaded points of a plane.
pub(super) struct Members {
    /// Their indices, ascending.
    pub points: Vec<u32>,
    /// The piece of each of them, or [`NO_PART`]; empty if that is not wanted.
    pub pieces: Vec<u32>,
}

/// The `reported` planes in input coordinates with their pieces. The points with label `l` are those of the
/// reported plane `plane_of[l]`, if any. Planes that are not wanted are left out; they are returned by their
/// places in `reported`.
pub(super) fn report(
    cloud: &Loaded,
    labels: &[i32],
    plane_of: &[Option<usize>],
    reported: &[Reported],
    (wanted, orient): (Wanted, Orient),
) -> (Finished, Vec<(usize, Reason)>) {
    let members = members(labels, plane_of, reported.len());
    let (planes, part_of): (Vec<Plane>, Vec<Vec<u32>>) = reported
        .par_iter()
        .zip(&members)
        .with_max_len(1)
        .map(|(plane, members)| plane.report(cloud, members, orient))
        .unzip();
    let (mut finished, mut dropped) = (Finished::default(), Vec::new());
    let mut next = 0;
    let verdicts = wanted.verdicts(&planes);
    for (k, (mut plane, (part_of, points))) in
        planes.into_iter().zip(part_of.into_iter().zip(members)).enumerate()
    {
        if let Some(reason) = verdicts[k] {
            dropped.push((k, reason));
            continue;
        }
        let first = next;
        for piece in &mut plane.pieces {
            piece.id = next;
            next += 1;
        }
        let mut pieces = part_of;
        if wanted.labels {
            let of_plane = pieces.par_iter_mut().with_min_len(PIECE);
            of_plane.filter(|part| **part != NO_PART).for_each(|part| *part += first);
        } else {
            pieces = Vec::new();
        }
        finished.planes.push(plane);
        finished.members.push(Members { points, pieces });
    }
    (finished, dropped)
}

/// The chance model for `points` points in the box of a cloud, in local coordinates.
pub(super) fn chance(cloud: &Loaded, points: u64) -> Chance {
    let [low, high] = cloud.bounds;
    let sides = std::array::from_fn(|a| (high[a] - low[a]) / cloud.frame.step);
    Chance::new(points, sides)
}

/// A plane to be reported, in local coordinates.
pub(super) struct Reported<'a> {
    /// Where it lies.
    pub plane: LocalPlane,
    /// Standard errors of its direction and its distance, if it was fitted to its points.
    pub errors: Option<[f64; 2]>,
    /// Votes of its peak.
    pub votes: u64,
    /// Its significance.
    pub significance: f64,
    /// Exact sums over its points.
    pub sums: &'a Moments,
    /// Edge of the cells of its outline raster, in steps.
    pub cell: f64,
}

impl Reported<'_> {
    /// The plane in input coordinates with its pieces, not yet numbered, and the index of the piece of each
    /// of its points, `members`.
    fn report(&self, cloud: &Loaded, members: &[u32], orient: Orient) -> (Plane, Vec<u32>) {
        let (origin, step) = (cloud.frame.origin, cloud.frame.step);
        let LocalPlane { normal, rho, tolerance } = self.turned(cloud, orient);
        let centroid = cloud.frame.input(self.sums.mean());
        // The outline is the same whichever side the normal points to.
        let frame = PlaneFrame::new(self.turned(cloud, Orient::Up).normal, self.foot(cloud));
        let is_turned = dot(frame.normal, normal) < 0.0;
        let point = |i: u32| cloud.frame.input(cloud.points.get(i as usize).map(f64::from));
        let flat = |run: Range<usize>, to: &mut Vec<[f64; 2]>| {
            to.extend(members[run].iter().map(|&i| frame.project(point(i))));
        };
        let options = OutlineOptions::new(self.cell * step);
        let outline = outline::outline_of(members.len(), flat, &options);
        let (theta, phi) = angles(normal);
        let area = outline.area();
        let pieces = outline.parts.iter().map(|part| Piece {
            id: 0,
            inliers: part.points,
            area: part.area,
            boundary: part.polygon(&frame, is_turned),
        });
        let plane = Plane {
            normal,
            offset: rho * step + dot(normal, origin),
            theta,
            phi,
            rho: rho * step,
            votes: self.votes,
            // More digits would depend on this machine's logarithm.
            significance: (10.0 * self.significance).round() / 10.0,
            inliers: members.len() as u64,
            tolerance: tolerance * step,
            rmse: self.sums.distance_rms(normal, rho) * step,
            normal_error: self.errors.map(|[angle, _]| angle.to_degrees()),
            offset_error: self.errors.map(|[_, distance]| distance * step),
            centroid,
            area,
            pieces: pieces.collect(),
        };
        (plane, outline.part_of)
    }

    /// The plane with its normal on the requested side.
    fn turned(&self, cloud: &Loaded, orient: Orient) -> LocalPlane {
        let LocalPlane { normal, rho, .. } = self.plane;
        let offset = rho * cloud.frame.step + dot(normal, cloud.frame.origin);
        if !orient.turns(normal, offset, self.errors.map(|[angle, _]| angle)) {
            return self.plane;
        }
        // Subtracted from zero, so that there is no −0.
        LocalPlane { normal: normal.map(|v| 0.0 - v), rho: 0.0 - rho, ..self.plane }
    }

    /// The point of the plane nearest to the mean of its points, in input coordinates.
    fn foot(&self, cloud: &Loaded) -> Vec3 {
        let (normal, mean) = (self.plane.normal, self.sums.mean());
        let above = dot(normal, mean) - self.plane.rho;
        cloud.frame.input(std::array::from_fn(|a| mean[a] - above * normal[a]))
    }
}

/// Azimuth `0 ≤ θ < 360` and polar angle `0 ≤ φ ≤ 180` of a unit normal, in degrees.
fn angles(normal: Vec3) -> (f64, f64) {
    let theta = normal[1].atan2(normal[0]).to_degrees().rem_euclid(360.0);
    let phi = normal[2].clamp(-1.0, 1.0).acos().to_degrees();
    (if theta < 360.0 { theta } else { 0.0 }, phi)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_azimuth_and_polar_angle() {
        assert_eq!(angles([0.0, 0.0, 1.0]), (0.0, 0.0));
        assert_eq!(angles([0.0, -1.0, 0.0]), (270.0, 90.0));
        assert_eq!(angles([-1.0, 0.0, 0.0]), (180.0, 90.0));
    }

    #[test]
    fn a_slice_of_a_trunk_is_thick() {
        let is_thick = |thickness: i64| {
            let mut sums = Moments::<i128>::default();
            for i in 0..40_000i64 {
                sums.add([i % 1000 * 10, i * 7919 % 1009, i * 104_729 % thickness]);
            }
            is_thick_for_its_width(&sums.fit().unwrap())
        };
        // Of one a thousand steps wide.
        assert!(!is_thick(191) && is_thick(211));
    }
}
