//! A surface that was scanned from several places becomes one plane.
//!
//! Scans from several places are registered to each other with an error of some millimetres and hundredths of a degree, which may be
//! several times the noise. A floor is then found once for each place. Its sheets are nearly parallel, and much closer to each
//! other than anything that is built so large: a board or a pane as thin is much smaller.

use super::limits::SIGMAS;
use super::merge::{ROUNDED, distance};
use crate::surface::moments::{Fit, Moments, sums_of_wholes};
use crate::surface::plane::LocalPlane;
use crate::vector::dot;
use std::cmp::Reverse;

/// An error of registration adds at most this share of the size of the smaller sheet to the distances of either sheet's points from the
/// plane through both, root mean square, …
const THIN: f64 = 1.0 / 1500.0;
/// … makes either at most so many times as rough as it is about its own plane, …
const ROUGHER: f64 = 4.0;
/// … and leaves their centroids closer than this many times the sum of their standard deviations. For two squares side by side it
/// is 1.7, and a scanner sees most of a floor nearby.
const APART: f64 = 4.0;
/// From the air, strips lie upon each other: the nearest of their parts are at most so far apart. For two squares side by side it is 1.7.
const UPON: f64 = 1.5;
/// Sheets are at least as parallel as this, the cosine of a degree.
const PARALLEL: f64 = 0.9998;

/// A sheet, or several that are one surface.
struct Sheet {
    plane: LocalPlane,
    sums: Moments,
    fit: Fit,
    /// Root mean square distance of the points from the planes of their own sheets.
    noise: f64,
    /// The tolerance of a single sheet.
    tolerance: f64,
}

/// Two sheets as one.
struct Joint {
    sheet: Sheet,
    /// What the error of registration adds to the distances of the points of one of them, root mean square.
    error: f64,
}

/// Joins the sheets of surfaces that were scanned from several places.
///
/// `sums` are those over the points of each plane, `into` says of each which one it is part of, and `local` is the plane of each part.
/// Joined parts get the plane through all their points, in a slab that holds each of the sheets and is at most `widen` times as
/// wide as that of a single one. Seen `from_air`, sheets of one surface lie upon each other: flat roofs side by side, at nearly the same
/// height, are not one surface.
pub(super) fn join(
    local: &mut [LocalPlane],
    sums: &[Moments],
    into: &mut [u32],
    (widen, from_air): (f64, bool),
) {
    if widen <= 1.0 {
        return;
    }
    let whole = sums_of_wholes(sums, into);
    let roots = (0..local.len()).filter(|&i| into[i] == i as u32);
    let sheet = |root: usize| Some((root, Sheet::new(local[root], whole[root])?));
    let mut sheets: Vec<(usize, Sheet)> = roots.filter_map(sheet).collect();
    sheets.sort_by_key(|(root, sheet)| (Reverse(sheet.sums.n), *root));
    // The parts of each, if they matter.
    let mut parts = vec![Vec::new(); local.len()];
    for (sums, &root) in sums.iter().zip(&*into).filter(|_| from_air) {
        parts[root as usize].extend(sums.fit());
    }
    // Each with the larger one that it fits best.
    let mut surfaces: Vec<(usize, Sheet)> = Vec::new();
    for (root, sheet) in sheets {
        let joints = surfaces.iter_mut().filter_map(|(large, surface)| {
            let joint = surface.with(&sheet, widen)?;
            let is_upon = !from_air || nearest(&parts[*large], &parts[root]) <= UPON;
            is_upon.then_some((large, surface, joint))
        });
        match joints.min_by(|a, b| a.2.error.total_cmp(&b.2.error)) {
            Some((large, surface, joint)) => {
                *surface = joint.sheet;
                let more = std::mem::take(&mut parts[root]);
                parts[*large].extend(more);
                let parts = into.iter_mut().filter(|into| **into == root as u32);
                parts.for_each(|into| *into = *large as u32);
            }
            None => surfaces.push((root, sheet)),
        }
    }
    for (root, surface) in surfaces {
        let parts = local.iter_mut().zip(&*into).filter(|(_, into)| **into == root as u32);
        parts.for_each(|(plane, _)| *plane = surface.plane);
    }
}

impl Sheet {
    fn new(plane: LocalPlane, sums: Moments) -> Option<Sheet> {
        let noise = sums.distance_rms(plane.normal, plane.rho).max(ROUNDED.sqrt());
        Some(Sheet { plane, sums, fit: sums.fit()?, noise, tolerance: plane.tolerance })
    }

    /// The geometric mean of the standard deviations along the plane.
    fn size(&self) -> f64 {
        (self.fit.variance[1].max(0.0) * self.fit.variance[2].max(0.0)).powf(0.25)
    }

    /// This sheet and another one as one surface, if nothing but an error of registration is between them.
    fn with(&self, other: &Sheet, widen: f64) -> Option<Joint> {
        let tolerance = self.tolerance.max(other.tolerance);
        // Most pairs end here.
        let lift = dot(self.plane.normal, other.fit.centroid) - self.plane.rho;
        let is_parallel = dot(self.plane.normal, other.plane.normal).abs() >= PARALLEL;
        if !is_parallel || lift.abs() > widen * tolerance || distance(&self.fit, &other.fit) > APART
        {
            return None;
        }
        let sums: Moments = [&self.sums, &other.sums].into_iter().collect();
        let fit = sums.fit()?;
        let plane = LocalPlane::of_fit(&fit, tolerance);
        let (mut error, mut worst, mut is_bearable, mut squares) = (0f64, 0f64, true, 0.0);
        for sheet in [self, other] {
            let off = sheet.sums.distance_rms(plane.normal, plane.rho);
            error = error.max((off * off - sheet.noise * sheet.noise).max(0.0).sqrt());
            worst = worst.max(off);
            is_bearable &= off <= ROUGHER * sheet.noise;
            squares += sheet.sums.n as f64 * sheet.noise * sheet.noise;
        }
        let needed = SIGMAS * worst;
        let is_thin = error <= THIN * self.size().min(other.size());
        let noise = (squares / sums.n as f64).sqrt();
        let plane = LocalPlane { tolerance: self.plane.tolerance.max(needed), ..plane };
        (is_thin && is_bearable && needed <= widen * tolerance)
            .then_some(Joint { sheet: Sheet { plane, sums, fit, noise, tolerance }, error })
    }
}

/// Distance between the nearest parts of two surfaces. All parts of a surface together are so wide that everything between them would seem
/// to be near.
fn nearest(a: &[Fit], b: &[Fit]) -> f64 {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| distance(a, b)));
    pairs.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1000.0;

    /// A level square of `side` by `side` points that are so far apart, with a noise of 291.
    fn sheet([corner, height]: [i64; 2], side: i64, step: i64) -> (LocalPlane, Moments) {
        let mut sums = Moments::default();
        for i in 0..side * side {
            let noise = i * 7919 % 1009 - 504;
            sums.add([i % side * step + corner, i / side * step, height + noise]);
        }
        (LocalPlane::of_fit(&sums.fit().unwrap(), TOLERANCE), sums)
    }

    fn joined(sheets: Vec<(LocalPlane, Moments)>, widen: f64) -> (Vec<u32>, Vec<LocalPlane>) {
        joined_from_the_air(sheets, (widen, false))
    }

    fn joined_from_the_air(
        sheets: Vec<(LocalPlane, Moments)>,
        how: (f64, bool),
    ) -> (Vec<u32>, Vec<LocalPlane>) {
        let (mut planes, sums): (Vec<_>, Vec<_>) = sheets.into_iter().unzip();
        let mut into: Vec<u32> = (0..planes.len() as u32).collect();
        join(&mut planes, &sums, &mut into, how);
        (into, planes)
    }

    #[test]
    fn large_sheets_are_one_surface_and_small_ones_are_two() {
        let over =
            |step, height| joined(vec![sheet([0, 0], 30, step), sheet([0, height], 30, step)], 5.0);
        assert_eq!(over(1000, 1200).0, [0, 1]);
        let (into, planes) = over(200_000, 1200);
        assert_eq!(into, [0, 0]);
        assert_eq!(planes[0], planes[1]);
        assert!((1700.0..2400.0).contains(&planes[0].tolerance), "{}", planes[0].tolerance);
        // They would be too rough together.
        assert_eq!(over(4_000_000, 2600).0, [0, 1]);
        // In a slab that may not be wider, or hardly, there is no room for both.
        for (widen, one) in [(1.0, 1), (1.5, 1), (2.5, 0)] {
            let sheets = vec![sheet([0, 0], 30, 200_000), sheet([0, 1200], 30, 200_000)];
            assert_eq!(joined(sheets, widen).0, [0, one], "{widen}");
        }
    }

    #[test]
    fn sheets_are_one_surface_side_by_side_and_not_far_from_each_other() {
        let beside = |corner| {
            joined(vec![sheet([0, 0], 30, 200_000), sheet([corner, 1200], 30, 200_000)], 5.0).0
        };
        assert_eq!([beside(6_000_000), beside(20_000_000)], [[0, 0], [0, 1]]);
    }

    #[test]
    fn strips_from_the_air_lie_upon_each_other_and_roofs_beside_each_other() {
        let into = |corner| {
            let sheets = vec![sheet([0, 0], 30, 200_000), sheet([corner, 1200], 30, 200_000)];
            joined_from_the_air(sheets, (5.0, true)).0
        };
        assert_eq!([into(0), into(4_000_000), into(6_000_000)], [[0, 0], [0, 0], [0, 1]]);
    }

    #[test]
    fn a_sheet_between_the_parts_of_a_surface_does_not_lie_upon_it() {
        let into = |from_air: bool| {
            let places = [[0, 0], [12_000_000, 0], [6_000_000, 1200]];
            let sheets = places.map(|place| sheet(place, 30, 200_000));
            let (mut planes, sums): (Vec<_>, Vec<_>) = sheets.into_iter().unzip();
            // The first two are one already.
            let mut into = vec![0, 0, 2];
            join(&mut planes, &sums, &mut into, (5.0, from_air));
            into
        };
        assert_eq!([into(true), into(false)], [[0, 0, 2], [0, 0, 0]]);
    }

    #[test]
    fn a_small_sheet_is_judged_by_its_own_points() {
        // A hundred times as many points tell of one sheet.
        let over = |height| {
            joined(vec![sheet([0, 0], 300, 20_000), sheet([0, height], 30, 200_000)], 5.0).0
        };
        assert_eq!([over(1000), over(1700)], [[0, 0], [0, 1]]);
    }

    #[test]
    fn a_sheet_joins_the_one_that_it_fits_best_and_no_stairs_are_climbed() {
        let at = |height| sheet([0, height], 30, 200_000);
        let more = sheet([0, 0], 40, 200_000);
        assert_eq!(joined(vec![more, at(2600), at(2400)], 5.0).0, [0, 1, 1]);
        // Each is near the next, and the last far from the first.
        let (into, _) = joined((0..6).map(|i| at(1200 * i)).collect(), 5.0);
        assert!(into[5] != into[0], "{into:?}");
    }
}
