//! A cloud that was cut into cells.

use super::groups::DevicePoints;
use cudarc::driver::CudaSlice;

/// The points in cell order.
pub(super) struct Cut {
    pub points: DevicePoints,
    /// Where each cell begins.
    pub starts: CudaSlice<u32>,
    pub cells: u32,
    /// The same points without copies.
    pub distinct: DevicePoints,
    pub distinct_starts: CudaSlice<u32>,
}
