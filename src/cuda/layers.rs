//! Layers through cells on the device: see `kernels/layers.cu`.

use super::device::{Device, Kernels, each, launch};
use super::groups::DevicePoints;
use crate::Result;
use crate::backend::{Layer, Outcome, Trials, Tried};
use cudarc::driver::{CudaSlice, DeviceRepr};

/// Blocks whose points are gathered at a time, and most points of one.
const ROOM: usize = 1 << 17;
const MOST_POINTS: usize = 160;

/// `Layer` of the kernel.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct RawLayer {
    centroid: [f64; 3],
    entry: u32,
    weight: u32,
    scatter: [f32; 6],
    normal: [f32; 3],
    error: f32,
    thickness: f32,
    /// Up to a whole number of doubles, as the kernel has it.
    _padding: u32,
}

// SAFETY: plain numbers without hidden padding, laid out as in the kernel.
unsafe impl DeviceRepr for RawLayer {}

/// `Block` of the kernel.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawBlock {
    normal: [f64; 3],
    points: u32,
    outcome: u32,
}

// SAFETY: as above.
unsafe impl DeviceRepr for RawBlock {}

/// The buffers of a search for layers.
struct Buffers {
    ranges: CudaSlice<[u32; 2]>,
    distinct: CudaSlice<u32>,
    by_place: CudaSlice<u32>,
    start: CudaSlice<u32>,
    list: CudaSlice<u32>,
    inside: CudaSlice<[u32; 2]>,
    level_distinct: CudaSlice<u32>,
    gathered: [CudaSlice<f32>; 3],
    blocks: CudaSlice<RawBlock>,
    outcomes: CudaSlice<u8>,
    layers: CudaSlice<RawLayer>,
    found: CudaSlice<u32>,
}

/// Tries base cells, block by block.
pub(super) fn layers(device: &Device, points: &DevicePoints, trials: &Trials) -> Result<Tried> {
    let room = trials.cells.len().min(ROOM);
    let entries = trials.bases.len();
    let gathered = || device.buffer(room * MOST_POINTS);
    let mut buffers = Buffers {
        ranges: device.upload(trials.base.ranges)?,
        distinct: device.upload(&trials.base.distinct)?,
        by_place: device.upload(trials.base.by_place)?,
        start: device.upload(trials.level.start)?,
        list: device.upload(trials.level.list)?,
        inside: device.upload(trials.level.inside)?,
        level_distinct: device.upload(&trials.level.distinct)?,
        gathered: [gathered()?, gathered()?, gathered()?],
        blocks: device.buffer(room)?,
        outcomes: device.zeros(entries)?,
        layers: device.buffer(entries)?,
        found: device.zeros(1)?,
    };
    let mut first_entry = 0;
    for (batch, cells) in trials.cells.chunks(ROOM).enumerate() {
        let first = (batch * ROOM) as u32;
        let end = trials.block_of.partition_point(|&b| b < first + cells.len() as u32);
        gather(device, points, trials, cells, &mut buffers)?;
        try_cells(device, points, trials, first, first_entry..end, &mut buffers)?;
        first_entry = end;
    }
    let outcome = |&raw: &u8| match raw {
        0 => Outcome::TooFew,
        1 => Outcome::Crowded,
        2 => Outcome::None,
        _ => Outcome::Found,
    };
    let outcomes = device.download(&buffers.outcomes, entries)?.iter().map(outcome).collect();
    let found = device.download(&buffers.found, 1)?[0] as usize;
    let layers = device.download(&buffers.layers, found)?;
    Ok(Tried { outcomes, layers: layers.into_iter().map(Layer::from).collect() })
}

impl From<RawLayer> for Layer {
    fn from(raw: RawLayer) -> Layer {
        let RawLayer { centroid, entry, weight, scatter, normal, error, thickness, .. } = raw;
        Layer { entry, centroid, weight, scatter, normal, error, thickness }
    }
}

/// Gathers the points of some blocks.
fn gather(
    device: &Device,
    points: &DevicePoints,
    trials: &Trials,
    cells: &[u32],
    buffers: &mut Buffers,
) -> Result<()> {
    let count = cells.len() as u32;
    let room = trials.cells.len().min(ROOM) as u32;
    let cells = device.upload(cells)?;
    let [to_x, to_y, to_z] = &mut buffers.gathered;
    launch!(
        device,
        Kernels::Layers,
        "gather_blocks",
        each(count),
        &points.x,
        &points.y,
        &points.z,
        &buffers.ranges,
        &buffers.distinct,
        &buffers.start,
        &buffers.list,
        &buffers.inside,
        &buffers.by_place,
        &buffers.level_distinct,
        &cells,
        &count,
        &u32::from(trials.only_small),
        to_x,
        to_y,
        to_z,
        &room,
        &mut buffers.blocks,
    )
}

/// Tries the cells of a range, whose blocks from `first_block` on were gathered.
fn try_cells(
    device: &Device,
    points: &DevicePoints,
    trials: &Trials,
    first_block: u32,
    range: std::ops::Range<usize>,
    buffers: &mut Buffers,
) -> Result<()> {
    let count = range.len() as u32;
    let room = trials.cells.len().min(ROOM) as u32;
    let bases = device.upload(&trials.bases[range.clone()])?;
    let block_of = device.upload(&trials.block_of[range.clone()])?;
    let [x, y, z] = &buffers.gathered;
    let mut config = each(2 * count);
    config.block_dim = (128, 1, 1);
    launch!(
        device,
        Kernels::Layers,
        "try_cells",
        config,
        &points.x,
        &points.y,
        &points.z,
        &buffers.ranges,
        &buffers.distinct,
        x,
        y,
        z,
        &room,
        &buffers.blocks,
        &bases,
        &block_of,
        &count,
        &first_block,
        &(range.start as u32),
        &trials.noise,
        &mut buffers.outcomes.slice_mut(range.clone()),
        &mut buffers.layers,
        &mut buffers.found,
    )
}
