//! What a search finds, in local coordinates.

use crate::detection::Reason;
use crate::surface::plane::LocalPlane;
use crate::surface::surfels::Surfels;
use crate::vector::{Vec3, dot};
use std::num::NonZeroU64;

/// A plane and the surfels along it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Support {
    /// Unit normal.
    pub normal: Vec3,
    /// Distance from local zero along the normal.
    pub rho: f64,
    /// Largest distance of its points, in steps.
    pub tolerance: f64,
    /// Surfels that belong to it, ascending.
    pub surfels: Vec<u32>,
}

impl Support {
    /// The plane alone.
    pub fn plane(&self) -> LocalPlane {
        LocalPlane { normal: self.normal, rho: self.rho, tolerance: self.tolerance }
    }
}

/// A candidate that led to no plane.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Failed {
    /// Unit normal; zero if no plane fits the points.
    pub normal: Vec3,
    /// Distance from local zero along the normal.
    pub rho: f64,
    /// Distinct points that were found along it.
    pub points: u64,
    /// Their mean, in local coordinates; zero for no points.
    pub middle: Vec3,
    /// What was wrong.
    pub reason: Reason,
    /// How many points it should have had, if it has fewer.
    pub wanted: Option<NonZeroU64>,
    /// The tolerance at which it would be a plane, in steps, if there is one.
    pub needs: Option<f64>,
    /// Surfels along it that cannot lead to another plane either.
    pub spent: Vec<u32>,
}

impl Failed {
    /// A failure whose surfels may still lead to another plane.
    pub fn new(
        (normal, rho): (Vec3, f64),
        (points, middle): (u64, Vec3),
        reason: Reason,
    ) -> Failed {
        let spent = Vec::new();
        Failed { normal, rho, points, middle, reason, wanted: None, needs: None, spent }
    }

    /// The same along the direction in which it was sought, if no plane fits its points.
    pub fn along(self, direction: Vec3) -> Failed {
        if self.normal != [0.0; 3] {
            return self;
        }
        Failed { normal: direction, rho: dot(direction, self.middle), ..self }
    }
}

/// Stands for no plane.
const NONE: u32 = u32::MAX;

/// The number of the plane of each of so many surfels; that of a surfel of no plane is larger than any.
pub(super) fn owners(found: &[FoundPlane], surfels: usize) -> Vec<u32> {
    let mut owners = vec![NONE; surfels];
    for (number, found) in found.iter().enumerate() {
        found.support.surfels.iter().for_each(|&i| owners[i as usize] = number as u32);
    }
    owners
}

/// A plane found in the rounds and the votes of the peak that proposed it.
#[derive(Debug, Clone)]
pub(super) struct FoundPlane {
    /// Votes of the peak.
    pub votes: u64,
    /// The plane and its surfels, in local coordinates.
    pub support: Support,
}

/// The planes that a search found, and the candidates that it rejected.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The planes, largest first.
    pub found: Vec<FoundPlane>,
    /// The candidates that led to no plane, with the votes of their peaks.
    pub failed: Vec<(u64, Failed)>,
    /// Points that were given up as those of curved surfaces, and that no plane claimed later; of a single class.
    pub curved: u64,
}

/// The surfels of one class of noise and what was found among them.
pub(super) type Class = (Surfels, Findings);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_plane_fits_lies_along_the_direction_in_which_it_was_sought() {
        let failed = |normal| Failed::new((normal, 0.0), (9, [1.0, 2.0, 3.0]), Reason::TooSmall);
        let [x, z] = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let along = failed([0.0; 3]).along(x);
        assert_eq!((along.normal, along.rho), (x, 1.0));
        assert_eq!(failed(z).along(x), failed(z));
    }
}
