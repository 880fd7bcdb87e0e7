//! Labelled points to reported planes: canonical, in input coordinates, largest first.

use super::cells::Cells;
use super::evidence::{Surfel, closing_edge};
use super::label::{self, LocalPlane};
use super::load::Loaded;
use super::moments::{Fit, Moments};
use super::rejected;
use super::rounds::Found;
use super::support::Failed;
use super::vector::{Vec3, dot};
use crate::detection::{Parameters, Reason, Rejected};
use crate::outline::{self, OutlineOptions, PlaneFrame};
use crate::plane::Plane;
use rayon::prelude::*;

/// The plane of a fit, with the canonical sign.
pub(super) fn local(fit: &Fit, tolerance: f64) -> LocalPlane {
    let rho = dot(fit.normal, fit.centroid);
    canonical(LocalPlane { normal: fit.normal, rho, tolerance })
}

/// The same plane, its normal turned so that the distance is not negative; of a plane through
/// local zero, so that its first component other than zero is positive.
pub(super) fn canonical(plane: LocalPlane) -> LocalPlane {
    let first = plane.normal.iter().copied().find(|&v| v != 0.0).unwrap_or(1.0);
    let sign = if plane.rho != 0.0 { plane.rho.signum() } else { first.signum() };
    // Adding zero makes −0 the same as 0.
    LocalPlane {
        normal: plane.normal.map(|v| sign * v + 0.0),
        rho: sign * plane.rho + 0.0,
        ..plane
    }
}

/// Edge of an outline's raster for each plane, in steps.
pub(super) fn outline_cell(cells: &Cells, surfels: &[Surfel], found: &[Found]) -> Vec<f64> {
    let cell = |f: &Found| closing_edge(surfels, &f.support.surfels, cells.base().size);
    found.iter().map(cell).collect()
}

/// The reported planes, best first, and the labels renumbered to match.
///
/// Planes are ranked by their inliers; what has too few, or is not among the top, is dropped.
pub(super) fn finish(
    cloud: &Loaded,
    labels: &mut [i32],
    found: &[Found],
    outline_cell: &[f64],
    parameters: &Parameters,
    rejected: &mut Vec<Rejected>,
) -> Vec<Plane> {
    let sums = label::sums(&cloud.points, labels, found.len());
    let fits: Vec<Option<Fit>> = sums.iter().map(Moments::fit).collect();
    let (mut ranked, left): (Vec<usize>, Vec<usize>) = (0..found.len())
        .partition(|&i| fits[i].is_some() && sums[i].n as u64 >= parameters.min_inliers);
    ranked.sort_by_key(|&i| (std::cmp::Reverse(sums[i].n), i));
    let top = parameters.top.map_or(ranked.len(), |top| ranked.len().min(top as usize));
    let beyond = ranked.split_off(top);
    let mut reject = |of: &[usize], reason| {
        rejected.extend(of.iter().map(|&i| {
            let LocalPlane { normal, rho, .. } = found[i].support.plane();
            let failed = Failed::new((normal, rho), sums[i].n as u64, reason);
            rejected::rejected(cloud, found[i].votes, failed)
        }));
    };
    reject(&left, Reason::Taken);
    reject(&beyond, Reason::BeyondTop);
    let mut rank = vec![-1; found.len()];
    for (new, &old) in ranked.iter().enumerate() {
        rank[old] = new as i32;
    }
    labels.par_iter_mut().for_each(|l| *l = rank.get(*l as usize).copied().unwrap_or(-1));
    let members = members(labels, ranked.len());
    ranked
        .par_iter()
        .zip(members)
        .filter_map(|(&i, members)| {
            let reported = Reported {
                plane: local(fits[i].as_ref()?, found[i].support.tolerance),
                votes: found[i].votes,
                sums: &sums[i],
                members: &members,
                cell: outline_cell[i],
            };
            Some(reported.report(cloud))
        })
        .collect()
}

/// The points of each plane.
pub(super) fn members(labels: &[i32], planes: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); planes];
    for (i, &label) in labels.iter().enumerate() {
        if let Some(members) = members.get_mut(label as usize) {
            members.push(i as u32);
        }
    }
    members
}

/// A plane to be reported, in local coordinates.
pub(super) struct Reported<'a> {
    /// Where it lies.
    pub plane: LocalPlane,
    /// Votes of its peak.
    pub votes: u64,
    /// Exact sums over its points.
    pub sums: &'a Moments,
    /// Its points.
    pub members: &'a [u32],
    /// Edge of its outline's raster, in steps.
    pub cell: f64,
}

impl Reported<'_> {
    /// The plane in input coordinates, with its outline.
    pub fn report(&self, cloud: &Loaded) -> Plane {
        let LocalPlane { normal, rho, tolerance } = self.plane;
        let (origin, step) = (cloud.frame.origin, cloud.frame.step);
        let centroid = cloud.frame.input(self.sums.mean());
        let frame = PlaneFrame::new(normal, self.foot(cloud));
        let point = |&i: &u32| cloud.frame.input(cloud.points.get(i as usize).map(f64::from));
        let flat: Vec<[f64; 2]> = self.members.iter().map(|i| frame.project(point(i))).collect();
        let outline = outline::outline(&flat, &OutlineOptions::new(self.cell * step));
        let (theta, phi) = angles(normal);
        Plane {
            normal,
            offset: rho * step + dot(normal, origin),
            theta,
            phi,
            rho: rho * step,
            votes: self.votes,
            inliers: self.members.len() as u64,
            tolerance: tolerance * step,
            rmse: self.sums.distance_rms(normal, rho) * step,
            centroid,
            area: outline.area(),
            boundary: outline.polygons(&frame),
        }
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
    fn the_sign_of_a_normal_is_canonical() {
        let fit = |normal: Vec3, centroid: Vec3| Fit { normal, centroid, variance: [0.0; 3] };
        let up = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 2.0, tolerance: 1.0 };
        assert_eq!(local(&fit([0.0, 0.0, 1.0], [5.0, 0.0, 2.0]), 1.0), up);
        assert_eq!(local(&fit([0.0, 0.0, -1.0], [5.0, 0.0, 2.0]), 1.0), up);
        let through = LocalPlane { normal: [0.0, 1.0, 0.0], rho: 0.0, tolerance: 1.0 };
        assert_eq!(local(&fit([0.0, -1.0, 0.0], [5.0, 0.0, 2.0]), 1.0), through);
    }

    #[test]
    fn angles_are_azimuth_and_polar_angle() {
        assert_eq!(angles([0.0, 0.0, 1.0]), (0.0, 0.0));
        assert_eq!(angles([0.0, -1.0, 0.0]), (270.0, 90.0));
        assert_eq!(angles([-1.0, 0.0, 0.0]), (180.0, 90.0));
    }
}
