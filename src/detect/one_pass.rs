//! The papers' flow: vote, suppress, take the winners, and nothing else.
//!
//! After Duca, "3D Plane Detection via Hough Transform": a plane is a bin of the accumulator, and is refined
//! on its points only on request. Each point is labelled with the nearest plane within the tolerance.
//! Inliers, area and outline are computed from these points.

use super::load::Loaded;
use super::members;
use super::options::Options;
use super::planes::{self, Answer, Reported, Wanted};
use super::progress::{Progress, begin};
use super::refine;
use crate::Result;
use crate::backend::{Backend, PeakOptions, Sign};
use crate::detection::Parameters;
use crate::lms::Refine;
use crate::space::{Directions, Neighbours, RhoAxis, Space};
use crate::surface::plane::LocalPlane;
use rayon::prelude::*;

/// The papers' directions.
const DIRECTIONS: Directions = Directions::Polar { theta: 180, phi: 180 };
/// The papers' number of bins of `ρ`.
const RHO_BINS: f64 = 184.0;
/// Neighbourhood of a bin: this many steps to either side.
const RADIUS: u32 = 3;
/// Planes reported when neither their number nor the fewest votes are given.
const TOP: u64 = 10;

pub(super) fn detect(
    cloud: &Loaded,
    options: &Options,
    backend: &dyn Backend,
    progress: &dyn Progress,
) -> Result<Answer> {
    let directions = options.directions.unwrap_or(DIRECTIONS);
    let (step, radius) = (cloud.frame.step, cloud.points.radius().max(1.0));
    let rho_bin = options.rho_bin.unwrap_or(2.0 * radius * step / (RHO_BINS - 4.0));
    let axis = RhoAxis::symmetric(radius, rho_bin / step);
    let space = Space::new(directions.table(), axis)?;
    let top = if options.min_votes.is_some() { options.top } else { options.top.or(Some(TOP)) };
    let parameters = Parameters {
        directions,
        rho_bin,
        copies: 1.0,
        rings: 0,
        tolerance: options.tolerance.unwrap_or(rho_bin / 2.0),
        widen: 1.0,
        min_votes: options.min_votes.unwrap_or(1),
        refine: options.refine.unwrap_or(Refine::None),
        orient: options.orient,
        top,
        min_area: options.min_area,
        choice: cloud.choice.clone(),
        ..Parameters::default()
    };
    begin(progress, "votes", None)?;
    let neighbours = Neighbours::within(&space, f64::from(RADIUS) * directions.step())?;
    let mut accumulator = backend.accumulator(&space)?;
    accumulator.vote(&cloud.points, Sign::Add)?;
    let peaks = accumulator.peaks(
        &neighbours,
        PeakOptions {
            rho_radius: RADIUS,
            min_votes: parameters.min_votes.try_into().unwrap_or(u32::MAX),
            limit: top.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX),
        },
    )?;
    let local: Vec<LocalPlane> = peaks
        .iter()
        .map(|p| space.plane(p.index as usize))
        .map(|(normal, rho)| LocalPlane { normal, rho, tolerance: parameters.tolerance / step })
        .collect();
    begin(progress, "labels", None)?;
    let labels = nearest(cloud, &local);
    let sums = members::sums(&cloud.points, &labels, local.len());
    let how = (parameters.refine, backend);
    let refined = refine::refined(&cloud.points, &labels, &local, &sums, how)?;
    let chance = planes::chance(cloud, cloud.points.len() as u64);
    let reported: Vec<Reported> = (0..local.len())
        .map(|i| Reported {
            plane: refined[i].plane.canonical(),
            errors: refined[i].errors,
            votes: u64::from(peaks[i].votes),
            significance: sums[i]
                .fit()
                .map_or(0.0, |fit| chance.significance(sums[i].n as u64, &fit, local[i].tolerance)),
            sums: &sums[i],
            cell: axis.bin,
        })
        .collect();
    let itself: Vec<Option<usize>> = (0..local.len()).map(Some).collect();
    let wanted = Wanted { min_area: options.min_area, top, labels: !options.planes_only };
    let (planes, _) = planes::report(cloud, &labels, &itself, &reported, (wanted, options.orient));
    Ok(Answer { planes, parameters, rejected: Vec::new() })
}

/// For each point the nearest plane within its tolerance, the first of equals, or −1.
fn nearest(cloud: &Loaded, planes: &[LocalPlane]) -> Vec<i32> {
    let label = |i: usize| {
        let p = cloud.points.get(i);
        let distances = planes.iter().enumerate().map(|(q, plane)| (plane.distance(p).abs(), q));
        let near =
            distances.filter(|&(d, q)| d <= planes[q].tolerance).min_by(|a, b| a.0.total_cmp(&b.0));
        near.map_or(-1, |(_, q)| q as i32)
    };
    (0..cloud.points.len()).into_par_iter().map(label).collect()
}
