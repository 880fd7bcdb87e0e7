//! The slides' space, and the neighbourhood of a bin.

use crate::shared::{SLIDES_MAXRHO, SLIDES_PHIS, SLIDES_RADIUS, SLIDES_THETAS};

/// Steps of `θ` of 1°.
pub const THETAS: usize = SLIDES_THETAS;
/// Steps of `φ` of 1°.
pub const PHIS: usize = SLIDES_PHIS;
/// The `ρ` axis begins at `−MAXRHO`.
pub const MAXRHO: usize = SLIDES_MAXRHO;
/// Bins of `ρ`.
pub const RHOS: usize = 2 * MAXRHO;
/// Bins in all: that of `φ`, `θ` and `ρ` has the index `(φ × THETAS + θ) × RHOS + ρ`.
pub const SIZE: usize = PHIS * THETAS * RHOS;
/// Neighbourhood of a bin: this many bins to either side along each axis.
///
/// The slides do not give theirs. This is the largest for which the tile of [`Suppress::Tiled`](super::Suppress::Tiled) fits
/// in shared memory.
pub const RADIUS: usize = SLIDES_RADIUS;
/// Width of a tile of [`Suppress::Tiled`](super::Suppress::Tiled).
pub const TILE: usize = 2 * RADIUS + 1;
