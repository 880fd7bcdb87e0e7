//! Layers through cells on the device: see `kernels/layers.cu`.

use super::cut::Cut;
use super::device::Device;
use super::kernels::layers;
use super::launch::{each, each_in_blocks};
use super::layouts::{Block, Layer as RawLayer};
use super::levels::{Blocks, Judged};
use super::sort::scan;
use crate::Result;
use crate::shared::{BLOCK_POINTS, JUDGE_THREADS};
use crate::surface::layers::{Layer, Outcome, Trials, Tried};
use cudarc::driver::CudaSlice;
use std::ops::Range;

/// Most blocks whose points are gathered at a time: …
const ROOM: usize = 1 << 19;
/// … those that fit into a quarter of the free memory, but not fewer than this.
const LEAST_ROOM: usize = 1 << 14;

/// The data of a search for layers.
struct Search<'a> {
    device: &'a Device,
    cut: &'a Cut,
    judged: &'a Judged<'a>,
    trials: &'a Trials<'a>,
    /// Used to find the blocks.
    near: Blocks,
    /// The base cells that are tried, and the block of each.
    bases: CudaSlice<u32>,
    block_of: CudaSlice<u32>,
    /// The cells whose blocks are examined.
    cells: CudaSlice<u32>,
    /// The first base cell of each block among those that are tried, on the device and on the host.
    heads: CudaSlice<u32>,
    firsts: Vec<u32>,
}

/// The results of a search, and the points of some blocks on the way.
struct Buffers {
    /// Number of blocks that fit.
    room: u32,
    gathered: [CudaSlice<f32>; 3],
    blocks: CudaSlice<Block>,
    outcomes: CudaSlice<u8>,
    layers: CudaSlice<RawLayer>,
    count: CudaSlice<u32>,
}

/// Tries base cells, block by block.
pub(super) fn layers(
    device: &Device,
    cut: &Cut,
    judged: &Judged,
    trials: &Trials,
) -> Result<Tried> {
    let search = Search::new(device, cut, judged, trials)?;
    let (entries, blocks) = (trials.bases.len(), search.firsts.len());
    let fit = device.free_memory()? / 4 / (3 * size_of::<f32>() * BLOCK_POINTS);
    let room = blocks.min(fit.clamp(LEAST_ROOM, ROOM)).max(1);
    let gathered = || device.buffer(room * BLOCK_POINTS);
    let mut found = Buffers {
        room: room as u32,
        gathered: [gathered()?, gathered()?, gathered()?],
        blocks: device.buffer(room)?,
        outcomes: device.zeros(entries)?,
        layers: device.buffer(entries)?,
        count: device.zeros(1)?,
    };
    for first in (0..blocks).step_by(room) {
        let last = (first + room).min(blocks);
        search.gather(first..last, &mut found)?;
        let end = search.firsts.get(last).map_or(entries, |&entry| entry as usize);
        search.try_cells(search.firsts[first] as usize..end, first as u32, &mut found)?;
    }
    let outcome = |&raw: &u8| match raw {
        0 => Outcome::TooFew,
        1 => Outcome::Crowded,
        2 => Outcome::None,
        _ => Outcome::Found,
    };
    let outcomes = device.download(&found.outcomes, entries)?.iter().map(outcome).collect();
    let count = device.get(&found.count, 0)? as usize;
    let layers = device.download(&found.layers, count)?;
    Ok(Tried { outcomes, layers: layers.into_iter().map(Layer::from).collect() })
}

impl From<RawLayer> for Layer {
    fn from(raw: RawLayer) -> Layer {
        let RawLayer { centroid, entry, weight, scatter, normal, error, thickness, .. } = raw;
        Layer { entry, centroid, weight, scatter, normal, error, thickness }
    }
}

impl<'a> Search<'a> {
    /// Lists the blocks.
    fn new(
        device: &'a Device,
        cut: &'a Cut,
        judged: &'a Judged<'a>,
        trials: &'a Trials<'a>,
    ) -> Result<Search<'a>> {
        let n = trials.bases.len();
        let count = n as u32;
        let bases = device.upload(trials.bases)?;
        let (mut cells_of, mut places) = (device.buffer::<u32>(n)?, device.buffer(n + 1)?);
        layers::block_heads(
            device,
            each(count + 1),
            &judged.tree.parent,
            &bases,
            count,
            trials.level as u32,
            &mut cells_of,
            &mut places,
        )?;
        scan(device, &mut places, count + 1)?;
        let blocks = device.get(&places, n)? as usize;
        let (mut cells, mut heads) = (device.buffer(blocks)?, device.buffer(blocks)?);
        let mut block_of = device.buffer(n)?;
        layers::list_blocks(
            device,
            each(count),
            &cells_of,
            &places,
            count,
            &mut cells,
            &mut heads,
            &mut block_of,
        )?;
        let near = judged.tree.near(trials.level)?;
        let firsts = device.download(&heads, blocks)?;
        Ok(Search { device, cut, judged, trials, near, bases, block_of, cells, heads, firsts })
    }

    /// Gathers the points of a range of blocks.
    fn gather(&self, range: Range<usize>, found: &mut Buffers) -> Result<()> {
        let Search { cut, judged, trials, near, .. } = self;
        let (points, starts) = (&cut.distinct, &cut.distinct_starts);
        let tree = &judged.tree;
        let (from, cells) = tree.level(trials.level);
        let (near_from, near_cells) = tree.level(near.level);
        let count = range.len() as u32;
        layers::gather_blocks(
            self.device,
            each(count),
            points.axes(),
            points.len as u32,
            starts,
            judged.base_cells(),
            &judged.distinct,
            &tree.keys,
            &tree.parent,
            &tree.first,
            &tree.children,
            &near.cells,
            near_from,
            near_cells,
            u32::from(near.level == trials.level),
            trials.level as u32,
            from + cells,
            &self.cells.slice(range.clone()),
            &self.heads.slice(range),
            &self.bases,
            &judged.scale,
            trials.noise,
            trials.widest,
            count,
            found.gathered.each_mut(),
            found.room,
            &mut found.blocks,
        )
    }

    /// Tries the base cells of a range; their blocks, from `first_block` on, were gathered.
    fn try_cells(&self, range: Range<usize>, first_block: u32, found: &mut Buffers) -> Result<()> {
        let Search { cut, judged, .. } = self;
        let (points, starts) = (&cut.distinct, &cut.distinct_starts);
        let count = range.len() as u32;
        let config = each_in_blocks(count, JUDGE_THREADS);
        layers::try_cells(
            self.device,
            config,
            points.axes(),
            points.len as u32,
            starts,
            judged.base_cells(),
            found.gathered.each_ref(),
            found.room,
            &found.blocks,
            &self.bases.slice(range.clone()),
            &self.block_of.slice(range.clone()),
            count,
            first_block,
            range.start as u32,
            u32::from(judged.sliced),
            &mut found.outcomes.slice_mut(range),
            &mut found.layers,
            &mut found.count,
        )
    }
}
