//! The structs of kernels, with the same layout in Rust.

use crate::surface::flat::{self, Seen, Surface};
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

/// `Flatness` of `kernels/levels.cu`: ratio, thickness, error and normal; thickness 0 means not flat.
pub(crate) type Flatness = [f32; 6];

/// How flat a block is, if it is.
pub(crate) fn flatness(
    &[ratio, thickness, error, ref normal @ ..]: &Flatness,
) -> Option<flat::Flatness> {
    (thickness > 0.0).then_some(flat::Flatness { ratio, thickness, error, normal: *normal })
}

/// `Slab` of `kernels/labels.cu`: a normal, the distance from the origin, the tolerance, and the two numbers of
/// a `Cost`.
pub(crate) type LabelSlab = [f64; 7];

/// The sums over the points of a cell, as `Moments` of `kernels/levels.cu` writes them.
pub(crate) type CellSums = [i64; 10];

/// The same in 32 bits.
pub(crate) type NarrowSums = [u32; 10];

/// `Surface` of `kernels/levels.cu`, the surface around a base cell: the bits of its normal, error and
/// thickness, and its level; thickness 0 means none. An array of integers, since the system has zeroed memory
/// for many of them at no cost.
pub(crate) type CellSurface = [u32; 6];

impl Seen for Vec<CellSurface> {
    fn around(&self, cell: usize) -> Option<Surface> {
        let [normal @ .., error, thickness, level] = self[cell];
        let [error, thickness] = [error, thickness].map(f32::from_bits);
        let surface = || Surface::of(normal.map(f32::from_bits), error, thickness, level as usize);
        (thickness > 0.0).then(surface)
    }
}

/// `Layer` of `kernels/layers.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Layer {
    pub centroid: [f64; 3],
    pub entry: u32,
    pub weight: u32,
    pub scatter: [f32; 6],
    pub normal: [f32; 3],
    pub error: f32,
    pub thickness: f32,
    /// Padding to a whole number of doubles, as in the kernel.
    _padding: u32,
}

/// `Block` of `kernels/layers.cu`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Block {
    normal: [f64; 3],
    noise: f64,
    least_area: f64,
    points: u32,
    outcome: u32,
    is_layered: u32,
    padding: u32,
}

/// `Set` of `kernels/lms.cuh`: a point set.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Set {
    pub start: u32,
    pub n: u32,
    pub h: u32,
    pub list: u32,
    pub across: f64,
    pub up: f64,
}

/// `Winner` of `kernels/lms.cuh`: the best slab of a set.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Winner {
    pub height: f64,
    pub slope: f64,
    pub intercept: f64,
    pub pair: [u32; 2],
    pub below: u32,
    none: u32,
}

// SAFETY: plain numbers without hidden padding, laid out as `Layer` of the kernel.
unsafe impl DeviceRepr for Layer {}
// SAFETY: the same, as `Block`.
unsafe impl DeviceRepr for Block {}
// SAFETY: the same, as `Set`.
unsafe impl DeviceRepr for Set {}
// SAFETY: the same, as `Winner`.
unsafe impl DeviceRepr for Winner {}
// SAFETY: zeros are zeros.
unsafe impl ValidAsZeroBits for Winner {}
