//! Cutting a cloud into cells on the device: see `kernels/cells.cu`.

use super::cut::Cut;
use super::device::Device;
use super::groups::DevicePoints;
use super::kernels::cells;
use super::launch::each;
use super::layouts::CellSums;
use super::levels::Base;
use super::sort::{Sorted, scan, sort};
use crate::Result;
use crate::morton::deinterleave;
use crate::shared::{CELL_THREADS, COORDINATE_BITS, DOUBLINGS, KEY_AXIS_BITS};
use crate::surface::cells::CellTable;
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
    /// The base cells, the same by z, then y, then x, and the sums over the distinct points of each.
    pub cells: CellTable,
    pub by_row: Vec<u32>,
    pub sums: Vec<Sums>,
    /// The same on the device.
    pub cut: Cut,
    pub base: Base,
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
        let by_row = self.by_row(&keys, cells, axis_bits)?;
        let host_keys = device.download(&keys, cells as usize)?;
        let host_by_row = device.download(&by_row, cells as usize)?;
        let sum = |(moments, &cell): (Moments<i64>, &u32)| {
            let corner = deinterleave(host_keys[cell as usize]).map(|v| v as i64 * i64::from(span));
            Sums::of(&moments, corner)
        };
        let moments = self.moments_by_row(&sums, &by_row, cells)?;
        let sums_by_row: Vec<Sums> = moments.into_par_iter().zip(&host_by_row).map(sum).collect();
        let mut host_sums = vec![Sums::default(); cells as usize];
        for (&cell, sums) in host_by_row.iter().zip(sums_by_row) {
            host_sums[cell as usize] = sums;
        }
        Ok(Some(Table {
            order: device.download(&sorted.values, n as usize)?,
            cells: CellTable {
                keys: host_keys,
                starts: device.download(&cut.starts, cells as usize)?,
                counts: host_sums.iter().map(|sums| sums.count() as u32).collect(),
            },
            by_row: host_by_row,
            sums: host_sums,
            cut,
            base: Base { keys, sums, by_row, cells, span, steps },
        }))
    }

    /// The cells by z, then y, then x.
    fn by_row(&self, keys: &CudaSlice<u64>, cells: u32, bits: u32) -> Result<CudaSlice<u32>> {
        let (device, n) = (self.device, cells as usize);
        let mut rows = Sorted { keys: device.buffer(n)?, values: device.buffer(n)? };
        cells::row_keys(device, each(cells), keys, cells, bits, &mut rows.keys, &mut rows.values)?;
        Ok(sort(device, rows, cells, 3 * bits)?.values)
    }

    /// The sums of the cells, row by row.
    fn moments_by_row(
        &self,
        sums: &CudaSlice<CellSums>,
        by_row: &CudaSlice<u32>,
        cells: u32,
    ) -> Result<Vec<Moments<i64>>> {
        let (device, n) = (self.device, cells as usize);
        let config = each(cells);
        let mut narrow = device.buffer::<[u32; 10]>(n)?;
        let mut wide = device.zeros::<u32>(1)?;
        cells::sums_by_row(device, config, sums, by_row, cells, &mut narrow, &mut wide)?;
        if device.download(&wide, 1)?[0] == 0 {
            let sums = device.download(&narrow, n)?;
            return Ok(sums.par_iter().map(|sums| moments(&sums.map(i64::from))).collect());
        }
        drop(narrow);
        let mut whole = device.buffer::<CellSums>(n)?;
        cells::wide_sums_by_row(device, config, sums, by_row, cells, &mut whole)?;
        Ok(device.download(&whole, n)?.par_iter().map(moments).collect())
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
