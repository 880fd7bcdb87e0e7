//! Cutting a cloud into cells on the device: see `kernels/cells.cu`.

use super::cut::Cut;
use super::device::Device;
use super::groups::DevicePoints;
use super::kernels::cells;
use super::launch::each;
use super::layouts::{CellSums, NarrowSums};
use super::levels::Base;
use super::sort::{Sorted, scan, sort};
use crate::Result;
use crate::shared::{CELL_THREADS, COORDINATE_BITS, DOUBLINGS, KEY_AXIS_BITS};
use crate::surface::cells::CellTable;
use crate::surface::level::Level;
use crate::surface::moments::Moments;
use crate::surface::sums::Sums;
use crate::surface::unit::{CellCounts, FINEST, FULL, Unit};
use cudarc::driver::CudaSlice;
use rayon::prelude::*;

/// Bits of a key.
const KEY_BITS: u32 = 3 * KEY_AXIS_BITS;

/// The cells of a cloud, on the host and on the device.
pub(super) struct Table {
    /// For each point in cell order, its index before.
    pub order: Vec<u32>,
    /// The base cells, and the sums over the distinct points of each.
    pub cells: CellTable,
    pub sums: HostSums,
    /// The same on the device.
    pub cut: Cut,
    pub base: Base,
}

/// The sums over the distinct points of each base cell, relative to its corner. Those of small cells have 32
/// bits.
pub(super) enum HostSums {
    Narrow(Vec<NarrowSums>),
    Wide(Vec<CellSums>),
}

impl HostSums {
    /// The sums of a cell.
    fn of(&self, cell: usize) -> CellSums {
        match self {
            HostSums::Narrow(sums) => sums[cell].map(i64::from),
            HostSums::Wide(sums) => sums[cell],
        }
    }

    /// The sums of the cells of `base`, relative to the corner of the lattice.
    pub fn all(&self, base: &Level) -> Vec<Sums> {
        let sums = |cell: usize| Sums::of(&moments(&self.of(cell)), base.corner(cell));
        (0..base.len()).into_par_iter().map(sums).collect()
    }
}

/// The points of a cloud, fewer than 2³², being cut into cells.
pub(super) struct Cutting<'a> {
    pub device: &'a Device,
    pub points: &'a DevicePoints,
}

impl Cutting<'_> {
    fn len(&self) -> u32 {
        self.points.len as u32
    }

    /// The Morton keys, in cells of `edge`, of the points in `order`.
    fn keys(&self, order: &CudaSlice<u32>, edge: u32) -> Result<CudaSlice<u64>> {
        let (points, n) = (self.points, self.len());
        let mut keys = self.device.buffer(points.len)?;
        cells::cell_keys(self.device, each(n), points.axes(), order, n, edge, &mut keys)?;
        Ok(keys)
    }

    /// The distinct keys among sorted ones, and where each begins.
    fn firsts(&self, keys: &CudaSlice<u64>) -> Result<(CudaSlice<u64>, CudaSlice<u32>, u32)> {
        let (device, n) = (self.device, self.len());
        let mut places = device.buffer(n as usize + 1)?;
        cells::heads(device, each(n + 1), keys, n, &mut places)?;
        scan(device, &mut places, n + 1)?;
        let different = device.get(&places, n as usize)?;
        let mut firsts = device.buffer(different as usize)?;
        let mut starts = device.buffer(different as usize)?;
        cells::compact(device, each(n), keys, n, &places, &mut firsts, &mut starts)?;
        Ok((firsts, starts, different))
    }

    /// The number of occupied cells on lattices of cubes of all sizes.
    pub fn count(&self) -> Result<CellCounts> {
        let (device, n) = (self.device, self.len());
        let mut order = device.buffer(n as usize)?;
        cells::iota(device, each(n), n, &mut order)?;
        let keys = self.keys(&order, FINEST)?;
        let sorted = sort(device, Sorted { keys, values: order }, n, KEY_BITS)?;
        let (keys, _, different) = self.firsts(&sorted.keys)?;
        let mut first = device.zeros::<u32>(DOUBLINGS + 1)?;
        let mut crowded = device.zeros::<u32>(DOUBLINGS + 1)?;
        let config = each(different);
        cells::count_levels(device, config, &keys, different, FULL, &mut first, &mut crowded)?;
        let first = device.download(&first, DOUBLINGS + 1)?;
        let crowded = device.download(&crowded, DOUBLINGS + 1)?;
        // A key begins a cell of b doublings if it joins the previous key only after more of them.
        let later = |of: &[u32], b: usize| of[b + 1..].iter().map(|&v| u64::from(v)).sum::<u64>();
        Ok(CellCounts {
            points: u64::from(n),
            finest: u64::from(different),
            cells: (0..DOUBLINGS - 1).map(|b| 1 + later(&first, b)).collect(),
            roomy: (0..DOUBLINGS - 1).map(|b| later(&crowded, b)).collect(),
        })
    }

    /// The cells of a given edge; `None` if the edge is too large for the keys of places.
    pub fn table(&self, unit: Unit) -> Result<Option<Table>> {
        let (device, n) = (self.device, self.len());
        let Unit { span, steps, .. } = unit;
        let edge = span * steps;
        // There are only a handful of cells that large.
        if edge > 1 << KEY_AXIS_BITS {
            return Ok(None);
        }
        let sorted = self.by_place(edge)?;
        let keys = self.keys(&sorted.values, edge)?;
        let cells_an_axis = (1 << COORDINATE_BITS) / edge;
        let axis_bits = (u32::BITS - cells_an_axis.leading_zeros()).min(KEY_AXIS_BITS);
        let sorted = sort(device, Sorted { keys, values: sorted.values }, n, 3 * axis_bits)?;
        let (keys, starts, cells) = self.firsts(&sorted.keys)?;
        let cut = self.cut(&sorted.values, starts, cells)?;
        let sums = self.moments(&cut, [edge, steps])?;
        let host_sums = self.host_sums(&sums, cells)?;
        let count = |cell: usize| host_sums.of(cell)[0] as u32;
        Ok(Some(Table {
            order: device.download(&sorted.values, n as usize)?,
            cells: CellTable {
                keys: device.download(&keys, cells as usize)?,
                starts: device.download(&cut.starts, cells as usize)?,
                counts: (0..cells as usize).into_par_iter().map(count).collect(),
            },
            sums: host_sums,
            cut,
            base: Base { keys, sums, cells, span, steps },
        }))
    }

    /// The sums of the cells on the host.
    fn host_sums(&self, sums: &CudaSlice<CellSums>, cells: u32) -> Result<HostSums> {
        let (device, n) = (self.device, cells as usize);
        let mut narrow = device.buffer::<NarrowSums>(n)?;
        let mut wide = device.zeros::<u32>(1)?;
        cells::narrow_sums(device, each(cells), sums, cells, &mut narrow, &mut wide)?;
        Ok(match device.download(&wide, 1)?[0] {
            0 => HostSums::Narrow(device.download(&narrow, n)?),
            _ => HostSums::Wide(device.download(sums, n)?),
        })
    }

    /// The points sorted by their places within cells of `edge`, whatever the cell.
    fn by_place(&self, edge: u32) -> Result<Sorted> {
        let (device, n) = (self.device, self.len());
        let bits = u32::BITS - (edge - 1).leading_zeros();
        let mut by_place =
            Sorted { keys: device.buffer(n as usize)?, values: device.buffer(n as usize)? };
        cells::place_keys(
            device,
            each(n),
            self.points.axes(),
            n,
            edge,
            bits,
            &mut by_place.keys,
            &mut by_place.values,
        )?;
        sort(device, by_place, n, 3 * bits)
    }

    /// The points in cell order.
    fn cut(&self, order: &CudaSlice<u32>, starts: CudaSlice<u32>, cells: u32) -> Result<Cut> {
        let (device, n) = (self.device, self.len());
        let points = self.points.pick(device, order, n as usize)?;
        let mut places = device.buffer(n as usize + 1)?;
        cells::point_heads(device, each(n + 1), points.axes(), n, &mut places)?;
        scan(device, &mut places, n + 1)?;
        let len = device.get(&places, n as usize)? as usize;
        let mut distinct = DevicePoints { len, ..DevicePoints::room(device, len)? };
        cells::distinct_points(device, each(n), points.axes(), n, &places, distinct.axes_mut())?;
        let mut distinct_starts = device.buffer(cells as usize)?;
        let to = &mut distinct_starts;
        cells::distinct_starts(device, each(cells), &starts, cells, &places, to)?;
        Ok(Cut { points, starts, cells, distinct, distinct_starts })
    }

    /// The sums of all cells.
    fn moments(&self, cut: &Cut, [edge, steps]: [u32; 2]) -> Result<CudaSlice<CellSums>> {
        let device = self.device;
        let Cut { distinct: points, distinct_starts: starts, cells, .. } = cut;
        let mut sums = device.buffer::<CellSums>(*cells as usize)?;
        cells::cell_moments(
            device,
            each(cells * CELL_THREADS),
            points.axes(),
            starts,
            *cells,
            points.len as u32,
            edge,
            steps,
            &mut sums,
        )?;
        Ok(sums)
    }
}

fn moments(&[n, x, y, z, ref products @ ..]: &CellSums) -> Moments<i64> {
    Moments { n, sum: [x, y, z], products: *products }
}
