//! Points on the device, sorted along a Hilbert curve into groups of neighbours.

use super::device::Device;
use super::kernels;
use super::launch::each;
use super::sort::{Sorted, sort};
use crate::Result;
use crate::frame::Points;
use crate::shared::GROUP;
use cudarc::driver::CudaSlice;
use std::ops::Range;

/// Bits of a key along the curve per axis.
const AXIS_BITS: u32 = 13;

/// Share of the free memory that a chunk of points may take.
const MEMORY_SHARE: f64 = 0.8;
/// Chunks of fewer points are not split further for lack of memory.
pub(super) const SMALLEST_CHUNK: usize = 1 << 12;
/// Device bytes per point for sorting points while the same number of points is being copied.
const BYTES_A_POINT: usize = 2 * 3 * 4 + 3 * 4 + 2 * (8 + 4) + 2;

/// Points on the device, unsorted.
pub(super) struct DevicePoints {
    pub x: CudaSlice<f32>,
    pub y: CudaSlice<f32>,
    pub z: CudaSlice<f32>,
    pub len: usize,
}

impl DevicePoints {
    /// Copies points to the device.
    pub fn upload(device: &Device, points: &Points) -> Result<DevicePoints> {
        DevicePoints::upload_range(device, points, 0..points.len())
    }

    /// Copies a range of the points to the device.
    pub fn upload_range(
        device: &Device,
        points: &Points,
        range: Range<usize>,
    ) -> Result<DevicePoints> {
        Ok(DevicePoints {
            x: device.upload(&points.x[range.clone()])?,
            y: device.upload(&points.y[range.clone()])?,
            z: device.upload(&points.z[range.clone()])?,
            len: range.len(),
        })
    }

    /// Room for `most` points, none of which is there yet.
    pub fn room(device: &Device, most: usize) -> Result<DevicePoints> {
        let axis = || device.buffer(most);
        Ok(DevicePoints { x: axis()?, y: axis()?, z: axis()?, len: 0 })
    }

    /// The coordinates, axis by axis.
    pub fn axes(&self) -> [&CudaSlice<f32>; 3] {
        [&self.x, &self.y, &self.z]
    }

    pub fn axes_mut(&mut self) -> [&mut CudaSlice<f32>; 3] {
        [&mut self.x, &mut self.y, &mut self.z]
    }

    /// Appends a range of the points, copied beside the work queued before.
    pub fn append(&mut self, device: &Device, points: &Points, range: Range<usize>) -> Result<()> {
        let to = self.len..self.len + range.len();
        let axes = [(&points.x, &mut self.x), (&points.y, &mut self.y), (&points.z, &mut self.z)];
        for (from, axis) in axes {
            device.upload_beside(&from[range.clone()], axis, to.clone())?;
        }
        self.len = to.end;
        Ok(())
    }

    /// A copy in host memory, reusing the memory of `room`.
    pub fn download(&self, device: &Device, room: Points) -> Result<Points> {
        let Points { mut x, mut y, mut z } = room;
        for (from, to) in self.axes().into_iter().zip([&mut x, &mut y, &mut z]) {
            to.resize(self.len, 0.0);
            device.download_into(from, to)?;
        }
        Ok(Points { x, y, z })
    }

    /// The points at some places.
    pub fn pick(&self, device: &Device, places: &CudaSlice<u32>, n: usize) -> Result<DevicePoints> {
        let mut to = DevicePoints { len: n, ..DevicePoints::room(device, n)? };
        let n = n as u32;
        kernels::cells::gather_points(device, each(n), self.axes(), places, n, to.axes_mut())?;
        Ok(to)
    }
}

/// Number of points for which a device has room, including the memory for sorting them.
pub(super) fn room(device: &Device) -> Result<usize> {
    let room = device.free_memory()? as f64 * MEMORY_SHARE;
    Ok((room as usize / BYTES_A_POINT).clamp(SMALLEST_CHUNK, 1 << 30))
}

/// A box: its smallest and largest coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub low: [f32; 3],
    pub high: [f32; 3],
}

impl Bounds {
    /// The box of some points, at least one.
    pub fn of(device: &Device, points: &DevicePoints) -> Result<Bounds> {
        let empty = [i32::MAX, i32::MAX, i32::MAX, i32::MIN, i32::MIN, i32::MIN];
        let mut bounds = device.upload(&empty)?;
        let n = points.len as u32;
        let mut config = each(n);
        config.grid_dim.0 = config.grid_dim.0.min(8 * device.processors);
        kernels::sort::bounding_box(device, config, points.axes(), n, &mut bounds)?;
        let bounds = device.download(&bounds, 6)?;
        let corner = |from: usize| std::array::from_fn(|a| bounds[from + a] as f32);
        Ok(Bounds { low: corner(0), high: corner(3) })
    }
}

/// Points in groups, each with its box; the last, incomplete group is at the end of the points.
pub(super) struct Groups {
    pub x: CudaSlice<f32>,
    pub y: CudaSlice<f32>,
    pub z: CudaSlice<f32>,
    pub low: CudaSlice<[f32; 4]>,
    pub high: CudaSlice<[f32; 4]>,
    /// Number of points, including those of the incomplete group.
    pub points: usize,
    /// The box of all points.
    pub bounds: Bounds,
}

impl Groups {
    /// Sorts points.
    pub fn new(device: &Device, points: &DevicePoints) -> Result<Groups> {
        let n = points.len;
        let bounds = Bounds::of(device, points)?;
        let order = order(device, points, &bounds)?;
        let mut groups = Groups {
            x: device.buffer(n)?,
            y: device.buffer(n)?,
            z: device.buffer(n)?,
            low: device.buffer(n / GROUP)?,
            high: device.buffer(n / GROUP)?,
            points: n,
            bounds,
        };
        kernels::sort::group_points(
            device,
            each(n.div_ceil(2) as u32),
            points.axes(),
            &order,
            n as u32,
            [&mut groups.x, &mut groups.y, &mut groups.z],
            &mut groups.low,
            &mut groups.high,
        )?;
        Ok(groups)
    }

    /// Number of whole groups.
    pub fn whole(&self) -> usize {
        self.points / GROUP
    }
}

/// Indices of the points along the curve.
fn order(device: &Device, points: &DevicePoints, bounds: &Bounds) -> Result<CudaSlice<u32>> {
    let n = points.len as u32;
    let widest = (0..3).map(|a| bounds.high[a] - bounds.low[a]).fold(0.0, f32::max) as u32;
    let shift = (32 - widest.leading_zeros()).saturating_sub(AXIS_BITS);
    let mut keys = Sorted { keys: device.buffer(n as usize)?, values: device.buffer(n as usize)? };
    kernels::sort::curve_keys(
        device,
        each(n),
        points.axes(),
        n,
        bounds.low,
        shift,
        AXIS_BITS,
        &mut keys.keys,
        &mut keys.values,
    )?;
    Ok(sort(device, keys, n, 3 * AXIS_BITS)?.values)
}
