//! Planes with their points, on the way to those that are reported.

use super::around::Around;
use super::copies::Sites;
use super::ends::Pieces;
use super::found::{Failed, FoundPlane};
use super::how::How;
use super::limits::{MIN_STEPS, SIGMAS};
use super::load::Loaded;
use super::planes::{self, Answer};
use super::progress::begin;
use super::{members, refine, rejected, roundness};
use crate::Result;
use crate::camera::viewpoint::{NEAREST, Viewpoint};
use crate::detection::Parameters;
use crate::frame::{Frame, Points};
use crate::lms::Refine;
use crate::surface::plane::{Assigned, LocalPlane};
use crate::surface::quantile::quantile;
use crate::vector::Vec3;
use rayon::prelude::*;

/// The noise of a frame shows only on cells that are wide against its pixels. An outline is finer: its cells are at most so
/// many times as wide as the spacing of the plane's points, which differs between its near and far ends.
const CLOSING: f64 = 16.0;

/// An outline reaches over this share of the gaps between the rings of a plane.
const NEARLY_ALL: f64 = 0.9;

/// The planes of a cloud and their points.
pub(super) struct Labelled {
    pub parameters: Parameters,
    /// The planes, in local coordinates.
    pub local: Vec<LocalPlane>,
    pub found: Vec<FoundPlane>,
    /// Which are pieces of larger surfaces; `None` if pieces of curved surfaces are planes.
    pub pieces: Option<Pieces>,
    /// Which are edges that averaging has rounded; `None` if these are planes.
    pub chamfers: Option<Vec<bool>>,
    /// Whether each is as thick as a piece of a hill, for comparisons with other scales; empty if this is no landscape.
    pub hilly: Vec<bool>,
    /// The points around each; `None` if slices of thicker things are planes.
    pub around: Option<Vec<Around>>,
    /// Whether planes that are thick for their width are slices of trunks and foliage.
    pub judges_thickness: bool,
    /// The candidates that led to no plane, with the votes of their peaks.
    pub failed: Vec<(u64, Failed)>,
    pub assigned: Assigned,
    /// Edge of the cells of each plane's outline raster, in steps.
    pub outline_cell: Vec<f64>,
    /// Standard deviation that rounding adds to each of the coordinates, in steps.
    pub rounding: Vec3,
    /// Number of points that share one error.
    pub alike: f64,
    /// Whether the tolerance was given.
    pub obey: bool,
}

impl Labelled {
    /// Gives the labels of sites, whose order is known, to all their points.
    pub fn spread(&mut self, sites: &Sites, order: &[u32], points: &Points) {
        let planes = self.obey.then_some(&self.local[..]);
        self.assigned.labels = sites.spread(&self.assigned.labels, order, (points, planes));
        self.assigned.sums = members::sums(points, &self.assigned.labels, self.local.len());
        self.alike *= sites.copies();
    }

    /// Gives the labels the order that the points now have, which have these indices in the order before.
    pub fn reorder(&mut self, order: &[u32]) {
        let labels = &self.assigned.labels;
        self.assigned.labels = order.par_iter().map(|&i| labels[i as usize]).collect();
    }

    /// Keeps the labels of the cloud's `points` alone, which were searched together with points between rings, in this
    /// order. An outline reaches over nearly all gaps between the rings of its plane.
    pub fn leave_out_others(&mut self, points: &Points, order: &[u32], gaps: &[f32]) {
        let mut labels = vec![-1; points.len()];
        let mut gaps_of = vec![Vec::new(); self.local.len()];
        for (&point, &label) in order.iter().zip(&self.assigned.labels) {
            let point = point as usize;
            if let Some(own) = labels.get_mut(point) {
                *own = label;
            } else if let Some(of) = gaps_of.get_mut(label as usize) {
                of.push(f64::from(gaps[point - points.len()]));
            }
        }
        for (cell, gaps) in self.outline_cell.iter_mut().zip(&mut gaps_of) {
            // An outline closes gaps of two cells.
            *cell = cell.max(0.5 * quantile(gaps, NEARLY_ALL));
        }
        self.assigned.sums = members::sums(points, &labels, self.local.len());
        self.assigned.labels = labels;
    }

    /// Maps the planes from the camera's view to the coordinates of the points, and fits them there.
    pub fn leave(&mut self, (viewpoint, frame): (&Viewpoint, &Frame), points: &Points) {
        self.assigned.sums = members::sums(points, &self.assigned.labels, self.local.len());
        let sums = &self.assigned.sums;
        for (i, plane) in self.local.iter_mut().enumerate() {
            let farther = viewpoint.depth(sums[i].mean()) / viewpoint.depth_of_middle();
            *plane = viewpoint.plane(*plane, frame);
            if let Some(fit) = sums[i].fit() {
                let rms = sums[i].distance_rms(plane.normal, plane.rho);
                let tolerance = (SIGMAS * fit.rmse()).max(MIN_STEPS);
                *plane = match self.parameters.refine {
                    Refine::None => LocalPlane { tolerance: tolerance.max(rms), ..*plane },
                    _ => LocalPlane::of_fit(&fit, tolerance),
                };
            }
            let support = &mut self.found[i].support;
            (support.normal, support.rho) = (plane.normal, plane.rho);
            support.tolerance = plane.tolerance;
            let seen = frame.step * farther.max(NEAREST) * self.outline_cell[i];
            let spacing = sums[i].fit().map_or(f64::INFINITY, |fit| fit.spacing(sums[i].n));
            self.outline_cell[i] = seen.min(CLOSING * spacing);
        }
        for (_, failed) in &mut self.failed {
            let plane = LocalPlane { normal: failed.normal, rho: failed.rho, tolerance: 0.0 };
            let plane = viewpoint.plane(plane, frame);
            (failed.normal, failed.rho) = (plane.normal, plane.rho);
            failed.middle = viewpoint.point(failed.middle, frame);
            failed.needs = failed.needs.map(|needs| needs * frame.step);
        }
    }

    /// The planes as they are reported.
    pub fn finish(self, cloud: &Loaded, how: How) -> Result<Answer> {
        let How { options, backend, progress, .. } = how;
        let Labelled { parameters, local, found, failed, assigned, outline_cell, .. } = self;
        let points = &cloud.points;
        let how = (parameters.refine, backend);
        let mut refined = refine::refined(points, &assigned.labels, &local, &assigned.sums, how)?;
        // Copies of a point are no more certain than one.
        let less = parameters.copies.sqrt();
        refined.iter_mut().flat_map(|r| r.errors.iter_mut().flatten()).for_each(|e| *e *= less);
        let Assigned { labels, sums } = &assigned;
        let round = || roundness::round(points, labels, &local, sums, self.alike);
        let round = match self.pieces {
            Some(Pieces { arbitrary, small }) => {
                let pieces = arbitrary.into_iter().zip(small).map(|(a, b)| a | b);
                round().into_iter().zip(pieces).map(|(a, b)| a | b).collect()
            }
            None => vec![false; found.len()],
        };
        // Nothing may use the backend from here on: the program shuts it down.
        begin(progress, "outlines", None)?;
        let mut rejected = rejected::candidates(cloud, &parameters, failed);
        let known = planes::Known {
            found: &found,
            refined: &refined,
            round: &round,
            chamfers: self.chamfers.as_deref(),
            around: self.around.as_deref(),
            judges_thickness: self.judges_thickness,
            outline_cell: &outline_cell,
            rounding: self.rounding,
        };
        let planes = planes::finish(cloud, &assigned, known, (&parameters, options), &mut rejected);
        let rejected = rejected::best(rejected, parameters.tolerance);
        Ok(Answer { planes, parameters, rejected })
    }
}
