//! How a cloud is searched.

use super::options::Options;
use super::progress::Progress;
use crate::backend::Backend;
use crate::camera::viewpoint::Sight;
use crate::vector::Vec3;

/// How a cloud is searched.
#[derive(Clone, Copy)]
pub(super) struct How<'a, 'b> {
    pub options: &'a Options,
    pub backend: &'b dyn Backend,
    pub progress: &'a dyn Progress,
    /// Whether each point stands for several that do not coincide with it.
    pub of_clusters: bool,
}

/// The camera whose pixels the points of a cloud are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Camera {
    /// It was not looked for, since a tolerance was given.
    Unsought,
    /// There is none.
    None,
    /// There is none: a spinning scanner at this place saw them, in rings.
    Spinning(Vec3),
    /// It sees the points like this.
    Seen(Sight),
}
