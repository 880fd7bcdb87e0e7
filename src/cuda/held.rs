//! The points of a cloud on the device: its cells. See `kernels/cells.cu`.

use super::cut::Cut;
use super::device::{Device, if_room};
use super::groups::DevicePoints;
use super::kernels::cells;
use super::labels::Labels;
use super::launch::each;
use super::layers;
use super::layouts::CellSums;
use super::levels::{Base, Judged};
use super::sort::{Sorted, scan, sort};
use crate::Result;
use crate::backend::{
    Assigned, CellCounts, CellSurface, CellTable, Held, LocalNoise, LocalPlane, PRESENT, Trials,
    Tried,
};
use crate::detect::Moments;
use crate::frame::Points;
use crate::shared::{CELL_THREADS, COORDINATE_BITS, DOUBLINGS, KEY_AXIS_BITS};
use cudarc::driver::CudaSlice;
use rayon::prelude::*;
use std::any::Any;

/// Bits of a key.
const KEY_BITS: u32 = 3 * KEY_AXIS_BITS;

/// The points of a cloud on the device.
pub(super) struct HeldPoints<'a> {
    device: &'a Device,
    points: DevicePoints,
    /// What was cut last.
    cut: Option<Cut>,
    /// Its cells, until their blocks are judged.
    base: Option<Base>,
    judged: Option<Judged<'a>>,
    /// The planes that are present in each of its cells.
    present: Option<CudaSlice<[u32; PRESENT]>>,
}

impl<'a> HeldPoints<'a> {
    /// Holds points, fewer than 2³², that are on the device.
    pub fn new(device: &'a Device, points: DevicePoints) -> HeldPoints<'a> {
        HeldPoints { device, points, cut: None, base: None, judged: None, present: None }
    }

    fn len(&self) -> u32 {
        self.points.len as u32
    }

    /// The Morton keys, in cells of `edge`, of the points of `order`.
    fn keys(&self, order: &CudaSlice<u32>, edge: u32) -> Result<CudaSlice<u64>> {
        let (points, n) = (&self.points, self.len());
        let mut keys = self.device.buffer(points.len)?;
        cells::cell_keys(self.device, each(n), points.axes(), order, n, edge, &mut keys)?;
        Ok(keys)
    }

    /// The different ones of sorted keys, and where each begins.
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

    fn counts(&self, finest: u32, full: u32) -> Result<CellCounts> {
        let (device, n) = (self.device, self.len());
        let mut order = device.buffer(n as usize)?;
        cells::iota(device, each(n), n, &mut order)?;
        let keys = self.keys(&order, finest)?;
        let sorted = sort(device, Sorted { keys, values: order }, n, KEY_BITS)?;
        let (keys, _, different) = self.firsts(&sorted.keys)?;
        let mut first = device.zeros::<u32>(DOUBLINGS + 1)?;
        let mut crowded = device.zeros::<u32>(DOUBLINGS + 1)?;
        let config = each(different);
        cells::count_levels(device, config, &keys, different, full, &mut first, &mut crowded)?;
        let first = device.download(&first, DOUBLINGS + 1)?;
        let crowded = device.download(&crowded, DOUBLINGS + 1)?;
        // A key begins a cell of b doublings if it joins the one before later than that.
        let later = |of: &[u32], b: usize| of[b + 1..].iter().map(|&v| u64::from(v)).sum::<u64>();
        Ok(CellCounts {
            finest: u64::from(different),
            cells: (0..DOUBLINGS - 1).map(|b| 1 + later(&first, b)).collect(),
            roomy: (0..DOUBLINGS - 1).map(|b| later(&crowded, b)).collect(),
        })
    }

    fn table(&mut self, edge: u32, steps: u32) -> Result<CellTable> {
        let (device, n) = (self.device, self.len());
        let sorted = self.by_place(edge)?;
        let keys = self.keys(&sorted.values, edge)?;
        let cells_an_axis = (1 << COORDINATE_BITS) / edge;
        let axis_bits = (u32::BITS - cells_an_axis.leading_zeros()).min(KEY_AXIS_BITS);
        let sorted = sort(device, Sorted { keys, values: sorted.values }, n, 3 * axis_bits)?;
        let (keys, starts, cells) = self.firsts(&sorted.keys)?;
        let cut = self.cut(&sorted.values, starts, cells)?;
        let sums = self.moments(&cut, [edge, steps])?;
        let by_row = self.by_row(&keys, cells, axis_bits)?;
        let table = CellTable {
            order: device.download(&sorted.values, n as usize)?,
            keys: device.download(&keys, cells as usize)?,
            starts: device.download(&cut.starts, cells as usize)?,
            by_row: device.download(&by_row, cells as usize)?,
            moments: self.moments_by_row(&sums, &by_row, cells)?,
        };
        self.cut = Some(cut);
        self.base = Some(Base { keys, sums, by_row, cells, span: edge / steps, steps });
        Ok(table)
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

    /// The points by their places in cells of `edge`, whatever the cell.
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

    /// The points in the order of their cells.
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

impl Held for HeldPoints<'_> {
    fn count_cells(&mut self, finest: u32, full: u32) -> Result<Option<CellCounts>> {
        // Finer cells have no key.
        if finest < 1 << (COORDINATE_BITS - KEY_AXIS_BITS) {
            return Ok(None);
        }
        if_room(self.counts(finest, full))
    }

    fn cells(&mut self, edge: u32, steps: u32) -> Result<Option<CellTable>> {
        // What was cut before is of other cells.
        (self.cut, self.base, self.judged, self.present) = (None, None, None, None);
        // Places in larger cells, of which there are a handful, do not fit in a key.
        if edge > 1 << (KEY_AXIS_BITS) || steps == 0 {
            return Ok(None);
        }
        if_room(self.table(edge, steps))
    }

    fn in_order(&self) -> Option<&dyn Any> {
        self.cut.as_ref().map(|cut| &cut.points as &dyn Any)
    }

    fn points_in_order(&mut self, points: &mut Points) -> Result<bool> {
        let Some(Cut { points: cut, .. }) = &self.cut else { return Ok(false) };
        if cut.len != points.len() {
            return Ok(false);
        }
        let Points { x, y, z } = points;
        for (from, to) in [(&cut.x, x), (&cut.y, y), (&cut.z, z)] {
            self.device.download_into(from, to)?;
        }
        Ok(true)
    }

    fn layers(&mut self, trials: &Trials) -> Result<Option<Tried>> {
        match (&self.cut, &self.judged) {
            (Some(cut), Some(judged)) if judged.can_try(trials) => {
                if_room(layers::layers(self.device, cut, judged, trials))
            }
            _ => Ok(None),
        }
    }

    fn judge(&mut self, levels: usize, noise: &LocalNoise) -> Result<bool> {
        let Some(base) = self.base.take().filter(|_| (1..DOUBLINGS).contains(&levels)) else {
            return Ok(false);
        };
        self.judged = if_room(Judged::new(self.device, base, levels, noise))?.flatten();
        Ok(self.judged.is_some())
    }

    fn thickness(&mut self, thickest: f64, share: f64) -> Result<Option<(f64, u64)>> {
        match &self.judged {
            Some(judged) => if_room(judged.thickness(thickest, share)),
            None => Ok(None),
        }
    }

    fn surfaces(&mut self, thickest: f64) -> Result<Option<Vec<CellSurface>>> {
        match &self.judged {
            Some(judged) => if_room(judged.surfaces(thickest)),
            None => Ok(None),
        }
    }

    fn leave(&mut self, known: &[u8]) -> Result<bool> {
        let left = match &mut self.judged {
            Some(judged) if known.len() == judged.base_cells() as usize => {
                if_room(judged.leave(known))?
            }
            _ => None,
        };
        if left.is_none() {
            // Some levels may have been done and others not.
            self.judged = None;
        }
        Ok(left.is_some())
    }

    fn present(&mut self, planes: &[[u32; PRESENT]]) -> Result<bool> {
        let cells = self.cut.as_ref().map_or(0, |cut| cut.cells as usize);
        if cells != planes.len() {
            return Ok(false);
        }
        self.present = if_room(self.device.upload(planes))?;
        Ok(self.present.is_some())
    }

    fn assign(
        &mut self,
        planes: &[LocalPlane],
        becomes: &[u32],
        wants_labels: bool,
    ) -> Result<Option<Assigned>> {
        let (Some(cut), Some(present)) = (&self.cut, &self.present) else { return Ok(None) };
        let Cut { points, starts, cells, .. } = cut;
        let labels = Labels { device: self.device, points, starts, cells: *cells, present };
        if_room(labels.assign(planes, becomes, wants_labels))
    }
}
