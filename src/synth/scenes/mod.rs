//! The geometry of the scenes, the same for every seed.

pub(super) mod boards;
pub(super) mod hard;
pub(super) mod roofs;
pub(super) mod room;
pub(super) mod street;
