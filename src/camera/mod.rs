//! The camera of a frame: where it is, how its pixels lie, and how a cloud looks from there.
//!
//! The noise of a depth camera grows with the depth, so that a frame is searched as the camera [sees](viewpoint) it. Where
//! the camera is, the [search] learns from the best that a cloud tells: the [rows and columns](organized) of its image,
//! points that come [pixel after pixel](in_order), pixels that lie [evenly](evenness) in the image from some place, or what is
//! [left](thinned) of the rows and columns where many points are missing.

pub(crate) mod evenness;
mod in_order;
pub(crate) mod organized;
mod pattern_search;
mod pixel_grid;
pub(crate) mod pixels;
pub(crate) mod raster;
pub(crate) mod rows;
pub(crate) mod search;
mod thinned;
pub(crate) mod viewpoint;
