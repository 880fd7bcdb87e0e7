//! Parameters from the data: what a cloud says about how it should be searched.

use super::limits::{Limits, MIN_STEPS, SIGMAS, SLABS};
use super::load::Loaded;
use super::options::Options;
use super::rounds::Search;
use crate::Result;
use crate::detection::{Curved, Parameters};
use crate::space::{RhoAxis, Space};
use crate::surface::cells::Cells;
use crate::surface::quantile::weighted_quantile;
use crate::surface::surfels::Surfel;
use crate::vector::Vec3;
use rayon::prelude::*;

/// Most bins of `ρ`: a coarser axis is enough, since refinement is exact.
const MAX_RHO_BINS: f64 = 2048.0;
/// Largest angle between a surface and its plane, in degrees, unless normals are worse.
const ANGLE: f64 = 20.0;
/// Planes of rougher classes must have this many times the points of others: what is rough and flat may be an
/// edge or a hedge.
const ROUGH_SIZE: u64 = 4;
/// A cloud of many points may be that of a large place, whose planes need not have more than this share of the points in neighbourhoods as
/// wide as most faces, …
const OF_FACES: f64 = 0.5;
/// … in a sheet, such as a town from the air, this share, …
const OF_FACES_OF_SHEET: f64 = 0.25;
/// … and if the noise is independent, not more than in so many cells: most of the sheet may be a flat field. …
const FACE_CELLS: f64 = 16.0;
/// … This does not lower the fewest points of a plane below this number.
const FEW: f64 = 60.0;
/// Cells must show one in this many of the fewest points of a plane: cells at its edges have no surface, and
/// their points are added at the end.
const SEEN: u64 = 2;

/// What was measured of a cloud, in steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    /// Root mean square distance of points from their surface.
    pub noise: f64,
    /// Distance between neighbouring points on surfaces.
    pub spacing: f64,
    /// Standard deviation of what rounding adds to the coordinates.
    pub rounding: f64,
    /// Points in neighbourhoods as wide as most faces.
    pub of_faces: f64,
    /// Whether nearly everything lies in one sheet.
    pub sheet: bool,
    /// Whether the noise of neighbours is correlated.
    pub alike: bool,
}

/// What the noise of a cloud is like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nature {
    /// Whether the tolerance was given, and so is kept everywhere.
    pub obey: bool,
    /// Whether the noise of neighbours is correlated.
    pub alike: bool,
    /// Whether the noise is the same everywhere.
    pub even: bool,
    /// Surfaces that are thicker are of a rougher kind; in steps.
    pub rough: Option<f64>,
    /// Whether this is a landscape.
    pub landscape: bool,
    /// Whether the points are drawn in a depth camera's view.
    pub as_seen: bool,
    /// Where the spinning scanner stood, in local coordinates, if the points are rings and points between rings.
    pub scanner: Option<Vec3>,
}

impl Nature {
    /// Whether ridges are those of faces: waves of correlated noise have ridges as well, and so have a frame's steps and the points
    /// between rings.
    pub fn has_ridges(&self) -> bool {
        !self.alike && !self.as_seen && self.scanner.is_none()
    }
}

/// The parameters for a cloud: what the user set, and the rest as measured.
pub(super) fn choose(
    cloud: &Loaded,
    cells: &Cells,
    surfels: &[Surfel],
    measured: Measured,
    options: &Options,
) -> Parameters {
    let step = cloud.frame.step;
    let noise = measured.noise * step;
    let tolerance = options.tolerance.unwrap_or((SIGMAS * noise).max(MIN_STEPS * step));
    let finest = 2.0 * cloud.points.radius() * step / MAX_RHO_BINS;
    let of_cell = cells.distinct as f64 / cells.base().len().max(1) as f64;
    let smallest = || smallest_plane(cells.distinct).min(smallest_face(of_cell, measured));
    let min_inliers = options.min_inliers.unwrap_or_else(smallest);
    Parameters {
        directions: options.directions.unwrap_or_default(),
        rho_bin: options.rho_bin.unwrap_or((2.0 * tolerance).max(finest)),
        noise,
        spacing: measured.spacing * step,
        scale: 3.0 * cells.base().size * step,
        copies: 1.0,
        rings: 0,
        rounding: measured.rounding * step,
        viewpoint: None,
        camera: None,
        tolerance,
        widen: options.most_widening(),
        angle: options.angle.unwrap_or(ANGLE),
        spread: spread(surfels),
        min_votes: options.min_votes.unwrap_or((min_inliers / 4).max(4)),
        refine: options.refine.unwrap_or_default(),
        orient: options.orient,
        curved: options.curved,
        min_inliers,
        top: options.top,
        min_area: options.min_area,
        choice: cloud.choice.clone(),
    }
}

/// The parameters for a rougher class of places: lengths grow with the noise.
pub(super) fn rougher(usual: &Parameters, surfels: &[Surfel], noise: f64, step: f64) -> Parameters {
    let noise = noise * step;
    let rougher = if usual.noise > 0.0 { (noise / usual.noise).max(1.0) } else { 1.0 };
    Parameters {
        noise,
        tolerance: usual.tolerance * rougher,
        rho_bin: usual.rho_bin * rougher,
        spread: spread(surfels),
        min_inliers: usual.min_inliers.saturating_mul(ROUGH_SIZE),
        ..usual.clone()
    }
}

/// The angle within which a surface votes, in degrees: three standard errors of a normal.
fn spread(surfels: &[Surfel]) -> f64 {
    let error = |s: &Surfel| Some((f64::from(s.surface?.error), u64::from(s.weight)));
    let errors = surfels.par_iter().with_min_len(1 << 12).filter_map(error);
    (3.0 * weighted_quantile(errors.collect(), 0.5).to_degrees()).clamp(3.0, 10.0)
}

/// Fewest points of a plane in a cloud of `n`: one in 2500, but not more than half the square root
/// (a large cloud has small planes that matter), nor less than 20 (so few agree by chance).
pub(super) fn smallest_plane(n: u64) -> u64 {
    let n = n as f64;
    (n / 2500.0).min(n.sqrt() / 2.0).max(20.0).ceil() as u64
}

/// Fewest points of a plane as small as faces that matter in a cloud with so many points in a base cell.
fn smallest_face(of_cell: f64, measured: Measured) -> u64 {
    let Measured { of_faces, sheet, alike, .. } = measured;
    let of_face = of_faces * if sheet { OF_FACES_OF_SHEET } else { OF_FACES };
    let most = if sheet && !alike { FACE_CELLS * of_cell } else { f64::INFINITY };
    // An infinite number is the largest one.
    of_face.min(most).max(FEW).ceil() as u64
}

/// The space of the parameters, in steps.
pub(super) fn space(parameters: &Parameters, cloud: &Loaded) -> Result<Space> {
    let bin = parameters.rho_bin / cloud.frame.step;
    Space::new(parameters.directions.table(), RhoAxis::symmetric(cloud.points.radius(), bin))
}

/// The search of the parameters, in steps.
pub(super) fn search<'a>(
    parameters: &Parameters,
    cloud: &Loaded,
    cells: &Cells,
    space: &'a Space,
    how: Nature,
) -> Search<'a> {
    let coarseness = parameters.directions.coarseness();
    Search {
        space,
        spread: parameters.spread.max(1.01 * coarseness),
        min_votes: u32::try_from(parameters.min_votes).unwrap_or(u32::MAX),
        limits: Limits {
            tolerance: parameters.tolerance / cloud.frame.step,
            angle: parameters.angle.to_radians(),
            min_inliers: parameters.min_inliers.div_ceil(SEEN),
            cell: cells.base().size,
            obey: how.obey,
            facets: parameters.curved == Curved::Facets,
            alike: how.alike,
            ridges: how.has_ridges(),
            even: how.even,
            rough: how.rough,
            landscape: how.landscape,
            as_seen: how.as_seen,
            scanner: how.scanner,
            slabs: &SLABS[..SLABS.partition_point(|&times| times <= parameters.widen)],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_town_has_smaller_planes_than_a_room_of_as_many_points() {
        let smallest = |of_faces: f64, of_cell: f64, [sheet, alike]: [bool; 2]| {
            let lengths =
                Measured { noise: 1.0, spacing: 1.0, rounding: 0.0, of_faces, sheet, alike };
            smallest_face(of_cell, lengths)
        };
        assert_eq!(smallest(1000.0, 6.0, [false, false]), 500);
        assert_eq!(smallest(1000.0, 6.0, [true, true]), 250);
        // A flat field hides how large the roofs are.
        assert_eq!(smallest(1000.0, 6.0, [true, false]), 96);
        assert_eq!(smallest(f64::INFINITY, 6.0, [true, false]), 96);
        assert_eq!(smallest(f64::INFINITY, 6.0, [true, true]), u64::MAX);
        // Faces of few points are left to the usual rule.
        assert_eq!(smallest(20.0, 2.0, [true, false]), 60);
        assert_eq!(smallest_plane(4_000_000), 1000);
    }
}
