//! How a cloud is searched.

use super::options::Options;
use super::progress::Progress;
use super::rings::Scanner;
use crate::backend::Backend;
use crate::camera::viewpoint::Sight;
use crate::detection::Curved;
use crate::frame::Points;

/// Fewest points of a cloud whose planes tell its noise: those of a small cloud are few, and so are their points.
const FEWEST: usize = 10_000;

/// How a cloud is searched.
#[derive(Clone, Copy)]
pub(super) struct How<'a, 'b> {
    pub options: &'a Options,
    pub backend: &'b dyn Backend,
    pub progress: &'a dyn Progress,
    /// Whether each point stands for several that do not coincide with it.
    pub of_clusters: bool,
}

impl How<'_, '_> {
    /// Whether the planes of these points may tell that the noise is another one than it seemed: it is measured, slabs may be widened,
    /// and what is curved may be told apart. Where points stand for clusters, planes may be thinner than the noise.
    pub fn leaves_noise_open(&self, points: &Points) -> bool {
        let options = self.options;
        options.tolerance.is_none()
            && options.most_widening() > 1.0
            && options.curved == Curved::Grey
            && !self.of_clusters
            && points.len() >= FEWEST
    }
}

/// The camera whose pixels the points of a cloud are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Camera {
    /// It was not looked for, since a tolerance was given.
    Unsought,
    /// There is none.
    None,
    /// There is none: a spinning scanner at this place saw them, in rings.
    Spinning(Scanner),
    /// It sees the points like this.
    Seen(Sight),
}
