//! The levels of cells on the device, and the surfaces around base cells: see `kernels/levels.cu`.

use super::device::Device;
use super::kernels::{cells, levels};
use super::launch::{each, each_in_blocks};
use super::layouts::{CellSums, CellSurface, Flatness};
use super::sort::scan;
use crate::Result;
use crate::shared::{BLOCK_CELLS, DOUBLINGS, JUDGE_THREADS, THICKNESS_DIGIT_BITS};
use crate::surface::noise_field::NoiseField;
use cudarc::driver::{CudaSlice, CudaView};

/// The base cells, in Morton order.
pub(super) struct Base {
    pub keys: CudaSlice<u64>,
    /// Sums over the points of each, relative to its corner.
    pub sums: CudaSlice<CellSums>,
    pub cells: u32,
    /// Edge of a cell in units of the sums, and of a unit in steps.
    pub span: u32,
    pub steps: u32,
}

/// The cells of all levels in one numbering, as in `kernels/tree.cuh`.
pub(super) struct Tree<'a> {
    device: &'a Device,
    /// Where each level begins; the last entry is where the last level ends.
    starts: Vec<u32>,
    pub keys: CudaSlice<u64>,
    pub parent: CudaSlice<u32>,
    pub first: CudaSlice<u32>,
    pub children: CudaSlice<u8>,
}

/// The blocks of a level; each cell's block is a column.
pub(super) struct Blocks {
    pub cells: CudaSlice<u32>,
    pub level: usize,
}

/// How flat the blocks of all levels are.
pub(super) struct Judged<'a> {
    pub tree: Tree<'a>,
    flat: CudaSlice<Flatness>,
    /// Distinct points of all cells.
    pub distinct: CudaSlice<u32>,
    /// What is known of each base cell.
    seen: CudaSlice<u8>,
    /// The noise of each as a multiple of the usual noise, and the least thickness of a block.
    pub scale: CudaSlice<f32>,
    floor: CudaSlice<f32>,
    /// Whether much thinner blocks may be steps of the depths.
    pub sliced: bool,
}

impl<'a> Tree<'a> {
    /// The cells of `levels` levels, with the sums of those above the base; `None` if there are too many to
    /// number.
    fn new(
        device: &'a Device,
        base: &Base,
        levels: usize,
    ) -> Result<Option<(Tree<'a>, CudaSlice<CellSums>)>> {
        let counts = count(device, base, levels)?;
        let mut starts = vec![0u32];
        let mut end = 0u32;
        for cells in counts {
            match end.checked_add(cells) {
                Some(sum) if sum < u32::MAX => end = sum,
                _ => return Ok(None),
            }
            starts.push(end);
        }
        let all = end as usize;
        let mut tree = Tree {
            device,
            starts,
            keys: device.buffer(all)?,
            parent: device.buffer(all)?,
            first: device.buffer(all)?,
            children: device.buffer(all)?,
        };
        let cells = base.cells as usize;
        device
            .stream()
            .memcpy_dtod(&base.keys.slice(0..cells), &mut tree.keys.slice_mut(0..cells))
            .map_err(|e| device.error("copying keys", e))?;
        let mut sums = device.buffer(all - cells)?;
        for level in 0..levels - 1 {
            tree.join(level, base, &mut sums)?;
        }
        Ok(Some((tree, sums)))
    }

    pub fn levels(&self) -> usize {
        self.starts.len() - 1
    }

    /// First cell of a level, and their number.
    pub fn level(&self, level: usize) -> (u32, u32) {
        (self.starts[level], self.starts[level + 1] - self.starts[level])
    }

    /// Makes the next level from this one.
    fn join(&mut self, level: usize, base: &Base, sums: &mut CudaSlice<CellSums>) -> Result<()> {
        let device = self.device;
        let ((from, count), (above, parents)) = (self.level(level), self.level(level + 1));
        let mut places = device.buffer(count as usize + 1)?;
        let config = each(count + 1);
        levels::parent_heads(device, config, &self.keys, from, count, &mut places)?;
        scan(device, &mut places, count + 1)?;
        levels::parents(
            device,
            each(count),
            &mut self.keys,
            from,
            count,
            &places,
            &mut self.parent,
            &mut self.first,
        )?;
        let span = i64::from(base.span) << level;
        // The sums above the base begin with those of the first level above it.
        let split = (above - base.cells) as usize;
        let (below, mut joined) = sums.split_at_mut(split);
        let base_sums = base.sums.as_view();
        let below = below.as_view();
        let below = match level {
            0 => base_sums,
            _ => below.slice((from - base.cells) as usize..),
        };
        levels::join_cells(
            device,
            each(parents),
            &self.keys,
            &self.parent,
            &self.first,
            &below,
            from,
            above,
            parents,
            span,
            &mut joined,
            &mut self.children,
        )
    }

    /// Does some work on every level from the highest down, using the blocks of the level above or, for the
    /// highest, its own.
    fn descend(&self, mut work: impl FnMut(usize, &Blocks) -> Result<()>) -> Result<()> {
        let top = self.levels() - 1;
        let mut near = self.blocks_at_top(top)?;
        work(top, &near)?;
        for level in (0..top).rev() {
            work(level, &near)?;
            if level > 0 {
                near = self.blocks_below(level, &near)?;
            }
        }
        Ok(())
    }

    /// The blocks used to find those of a level: the blocks of the level above, or of the highest level
    /// itself.
    pub fn near(&self, level: usize) -> Result<Blocks> {
        let top = self.levels() - 1;
        let mut near = self.blocks_at_top(top)?;
        for above in (level + 1..top).rev() {
            near = self.blocks_below(above, &near)?;
        }
        Ok(near)
    }

    fn blocks_at_top(&self, level: usize) -> Result<Blocks> {
        let (from, count) = self.level(level);
        let mut cells = self.device.buffer(BLOCK_CELLS * count as usize)?;
        levels::blocks_at_top(self.device, each(count), &self.keys, from, count, &mut cells)?;
        Ok(Blocks { cells, level })
    }

    /// The blocks of a level, from those of the level above.
    fn blocks_below(&self, level: usize, near: &Blocks) -> Result<Blocks> {
        let (from, count) = self.level(level);
        let (near_from, near_count) = self.level(near.level);
        let mut cells = self.device.buffer(BLOCK_CELLS * count as usize)?;
        levels::blocks_below(
            self.device,
            each(count),
            &self.keys,
            &self.parent,
            &self.first,
            &self.children,
            &near.cells,
            near_from,
            near_count,
            from,
            count,
            &mut cells,
        )?;
        Ok(Blocks { cells, level })
    }
}

/// Numbers of cells on `levels` levels.
fn count(device: &Device, base: &Base, levels: usize) -> Result<Vec<u32>> {
    let mut first = device.zeros::<u32>(DOUBLINGS + 1)?;
    let mut crowded = device.zeros::<u32>(DOUBLINGS + 1)?;
    cells::count_levels(
        device,
        each(base.cells),
        &base.keys,
        base.cells,
        0u32,
        &mut first,
        &mut crowded,
    )?;
    let first = device.download(&first, DOUBLINGS + 1)?;
    // A key begins a cell of b doublings if it joins the previous key only after more of them.
    Ok((0..levels).map(|b| 1 + first[b + 1..].iter().sum::<u32>()).collect())
}

impl<'a> Judged<'a> {
    /// Judges the blocks of `levels` levels; `None` if there are too many cells to number.
    pub fn new(device: &'a Device, base: Base, levels: usize) -> Result<Option<Judged<'a>>> {
        let Some((tree, sums)) = Tree::new(device, &base, levels)? else { return Ok(None) };
        let all = tree.starts[levels] as usize;
        let mut flat = device.buffer(all)?;
        let mut distinct = device.buffer(all)?;
        tree.descend(|level, near| {
            let (from, _) = tree.level(level);
            let sums = match level {
                0 => base.sums.as_view(),
                _ => sums.slice((from - base.cells) as usize..),
            };
            judge(&tree, level, near, (&sums, &base), (&mut flat, &mut distinct))
        })?;
        let cells = base.cells as usize;
        Ok(Some(Judged {
            tree,
            flat,
            distinct,
            seen: device.zeros(cells)?,
            scale: device.upload(&vec![1.0; cells])?,
            floor: device.zeros(cells)?,
            sliced: false,
        }))
    }

    /// How flat the blocks of all cells are, level by level; not flat ones have no thickness.
    pub fn flat(&self) -> Result<Vec<Flatness>> {
        self.tree.device.download(&self.flat, self.tree.starts[self.tree.levels()] as usize)
    }

    /// Sets how the noise differs from place to place.
    pub fn follow(&mut self, field: &NoiseField) -> Result<()> {
        let device = self.tree.device;
        if let Some(scale) = &field.scale {
            self.scale = device.upload(scale)?;
        }
        if let Some(floor) = &field.floor {
            self.floor = device.upload(floor)?;
        }
        self.sliced = field.sliced;
        Ok(())
    }

    fn levels(&self) -> u32 {
        self.tree.levels() as u32
    }

    pub fn base_cells(&self) -> u32 {
        self.tree.starts[1]
    }

    /// The thickness below which a `share` of the points lie, among points with a surface of at most
    /// `thickest`, and the number of these points.
    pub fn thickness(&self, thickest: f64, share: f64) -> Result<(f64, u64)> {
        let (device, count) = (self.tree.device, self.base_cells());
        let mut thickness = device.buffer::<f32>(count as usize)?;
        levels::thicknesses(
            device,
            each(count),
            &self.flat,
            &self.tree.parent,
            self.levels(),
            thickest,
            &self.scale,
            &self.floor,
            u32::from(self.sliced),
            &self.seen,
            count,
            &mut thickness,
        )?;
        // Digit by digit from the highest, each being the one at which the wanted share of the points is
        // reached.
        let (mut prefix, mut before, mut total) = (0u32, 0u64, 0u64);
        for shift in [2 * THICKNESS_DIGIT_BITS, THICKNESS_DIGIT_BITS, 0] {
            let weights = self.weights(&thickness, shift, prefix)?;
            if shift == 2 * THICKNESS_DIGIT_BITS {
                total = weights.iter().map(|&w| u64::from(w)).sum();
            }
            let wanted = share * total as f64;
            let mut digit = 0;
            for (d, &weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0) {
                digit = d as u32;
                if (before + u64::from(weight)) as f64 >= wanted {
                    break;
                }
                before += u64::from(weight);
            }
            prefix = prefix << THICKNESS_DIGIT_BITS | digit;
        }
        Ok((f64::from(f32::from_bits(prefix)), total))
    }

    /// Numbers of points by the digit of their surface's thickness at `shift`, among those whose higher
    /// digits are `prefix`.
    fn weights(&self, thickness: &CudaSlice<f32>, shift: u32, prefix: u32) -> Result<Vec<u32>> {
        let (device, count) = (self.tree.device, self.base_cells());
        let mut weights = device.zeros::<u32>(1 << THICKNESS_DIGIT_BITS)?;
        let mut config = each(count);
        config.grid_dim.0 = config.grid_dim.0.min(8 * device.processors);
        levels::weigh(
            device,
            config,
            thickness,
            &self.distinct,
            count,
            shift,
            prefix,
            &mut weights,
        )?;
        device.download(&weights, 1 << THICKNESS_DIGIT_BITS)
    }

    /// The surfaces around the base cells of at most the given thickness.
    pub fn surfaces(&self, thickest: f64) -> Result<Vec<CellSurface>> {
        let (device, count) = (self.tree.device, self.base_cells());
        let mut found = device.buffer(count as usize)?;
        levels::surfaces(
            device,
            each(count),
            &self.flat,
            &self.tree.parent,
            self.levels(),
            thickest,
            &self.scale,
            &self.floor,
            u32::from(self.sliced),
            &self.seen,
            count,
            &mut found,
        )?;
        device.download(&found, count as usize)
    }

    /// Marks what is known: see [`Surfaces::leave`](crate::backend::Surfaces::leave).
    pub fn leave(&mut self, known: &[u8]) -> Result<()> {
        let (tree, device, count) = (&self.tree, self.tree.device, self.base_cells());
        self.seen = device.upload(known)?;
        let mut taken = device.buffer::<u32>(tree.starts[tree.levels()] as usize)?;
        levels::take(device, each(count), &self.seen, &self.distinct, count, &mut taken)?;
        for level in 1..tree.levels() {
            let (above, parents) = tree.level(level);
            levels::join_taken(
                device,
                each(parents),
                &tree.first,
                &tree.children,
                above,
                parents,
                &mut taken,
            )?;
        }
        let (distinct, flat) = (&self.distinct, &mut self.flat);
        tree.descend(|level, near| strike(tree, level, near, [&taken, distinct], flat))
    }
}

/// Judges the blocks of a level, whose cells have the given sums.
fn judge(
    tree: &Tree,
    level: usize,
    near: &Blocks,
    (sums, base): (&CudaView<CellSums>, &Base),
    (flat, distinct): (&mut CudaSlice<Flatness>, &mut CudaSlice<u32>),
) -> Result<()> {
    let (from, count) = tree.level(level);
    let (near_from, near_count) = tree.level(near.level);
    let config = each_in_blocks(count, JUDGE_THREADS);
    levels::judge(
        tree.device,
        config,
        &tree.keys,
        &tree.parent,
        &tree.first,
        &tree.children,
        &near.cells,
        near_from,
        near_count,
        u32::from(near.level == level),
        sums,
        from,
        count,
        i64::from(base.span) << level,
        f64::from(base.steps),
        flat,
        distinct,
    )
}

/// Strikes out the blocks of a level a good part of which was taken.
fn strike(
    tree: &Tree,
    level: usize,
    near: &Blocks,
    [taken, distinct]: [&CudaSlice<u32>; 2],
    flat: &mut CudaSlice<Flatness>,
) -> Result<()> {
    let (from, count) = tree.level(level);
    let (near_from, near_count) = tree.level(near.level);
    levels::strike(
        tree.device,
        each(count),
        &tree.keys,
        &tree.parent,
        &tree.first,
        &tree.children,
        &near.cells,
        near_from,
        near_count,
        u32::from(near.level == level),
        taken,
        distinct,
        from,
        count,
        flat,
    )
}
