//! Voting on the device: see `kernels/vote.cu`.

use super::device::Device;
use super::groups::{Bounds, DevicePoints, Groups};
use super::kernels::vote;
use super::launch::{each_in_blocks, grid};
use crate::Result;
use crate::backend::Sign;
use crate::shared::{GROUP, VOTE_BLOCKS, VOTE_THREADS};
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, bin, position};
use cudarc::driver::{CudaSlice, LaunchConfig};

/// Directions of a block, largest first.
const DIRECTIONS: [u32; 3] = [128, 64, 32];
/// Waves of blocks into which a large vote is split, so that the last ones leave little idle.
const WAVES: u32 = 8;
/// Fewest groups that are worth a block.
const FEWEST_GROUPS: u32 = 128;
/// Up to this length the voter's floor distinguishes the positions of a row.
const LONGEST_ROW: usize = 1 << 22;

/// A space on the device, and how its rows are voted in.
pub(super) struct Voting<'a> {
    device: &'a Device,
    host_table: Vec<[f32; 4]>,
    table: CudaSlice<[f32; 4]>,
    bins: u32,
    /// Directions of a block.
    directions: u32,
    /// Bins of a window: the whole row if it fits in shared memory.
    window: u32,
    /// The table ordered by octants, and the row of each entry.
    ordered: CudaSlice<[f32; 4]>,
    rows: CudaSlice<u32>,
    blocks: u32,
}

/// Neighbours on the device; the order within a row does not matter.
pub(super) struct Near {
    pub start: CudaSlice<u32>,
    /// Twice the row, plus one if flipped.
    pub list: CudaSlice<u32>,
}

impl Near {
    pub fn upload(device: &Device, near: &Neighbours) -> Result<Near> {
        let list: Vec<u32> = near.all().iter().map(|n| n.row << 1 | u32::from(n.flipped)).collect();
        Ok(Near { start: device.upload(near.starts())?, list: device.upload(&list)? })
    }
}

impl<'a> Voting<'a> {
    pub fn new(device: &'a Device, space: &Space) -> Result<Voting<'a>> {
        let host_table = space.vote_table();
        let bins = space.bins() as u32;
        let room = (device.processor_shared / VOTE_BLOCKS - 1024).min(device.block_shared);
        let fits = |&d: &u32| shared_bytes(d, bins + 2) <= room;
        let directions = DIRECTIONS.into_iter().find(fits).unwrap_or(DIRECTIONS[2]);
        let window = bins.min((room / directions - 16) / 4 - 3);
        let (ordered, rows) = by_octant(&host_table, directions as usize);
        Ok(Voting {
            device,
            table: device.upload(&host_table)?,
            bins,
            directions,
            window,
            blocks: rows.len() as u32 / directions,
            ordered: device.upload(&ordered)?,
            rows: device.upload(&rows)?,
            host_table,
        })
    }

    /// Lets every point vote for every direction.
    pub fn vote(&self, points: &Groups, sign: Sign, counts: &mut CudaSlice<u32>) -> Result<()> {
        let whole = points.whole() as u32;
        if whole > 0 {
            self.vote_groups(points, self.is_on_axis(&points.bounds), sign, counts)?;
        }
        let rest = points.points as u32 - whole * GROUP as u32;
        if rest > 0 {
            let from = whole as usize * GROUP;
            let axes = [&points.x, &points.y, &points.z].map(|axis| axis.slice(from..));
            let config = each_in_blocks(self.host_table.len() as u32, 128);
            vote::vote_each(
                self.device,
                config,
                axes.each_ref(),
                rest,
                &self.table,
                self.host_table.len() as u32,
                self.bins,
                factor(sign),
                counts,
            )?;
        }
        Ok(())
    }

    fn vote_groups(
        &self,
        points: &Groups,
        on_axis: bool,
        sign: Sign,
        counts: &mut CudaSlice<u32>,
    ) -> Result<()> {
        let guarded = !on_axis || self.window < self.bins;
        let vote = match (self.directions, guarded) {
            (128, false) => vote::vote_groups_128,
            (64, false) => vote::vote_groups_64,
            (_, false) => vote::vote_groups_32,
            (128, true) => vote::vote_groups_guarded_128,
            (64, true) => vote::vote_groups_guarded_64,
            (_, true) => vote::vote_groups_guarded_32,
        };
        let windows = self.bins.div_ceil(self.window);
        let whole = points.whole() as u32;
        let fill = self.device.processors * VOTE_BLOCKS * WAVES;
        let shares = fill.div_ceil(self.blocks * windows).min(whole.div_ceil(FEWEST_GROUPS));
        let shared = shared_bytes(self.directions, self.window + 2);
        let config = LaunchConfig {
            grid_dim: (self.blocks, shares.clamp(1, 65_535), windows),
            block_dim: (VOTE_THREADS, 1, 1),
            shared_mem_bytes: shared,
        };
        vote(
            self.device,
            config,
            [&points.x, &points.y, &points.z],
            &points.low,
            &points.high,
            whole,
            &self.ordered,
            &self.rows,
            self.bins,
            self.window,
            factor(sign),
            counts,
        )
    }

    /// Whether no point of a box is off the axis for any direction.
    fn is_on_axis(&self, bounds: &Bounds) -> bool {
        let bins = self.bins as usize;
        bins < LONGEST_ROW
            && self.host_table.iter().all(|&t| {
                // Positions are monotone in each coordinate, so two corners bound them all.
                let corner = |first: bool| {
                    std::array::from_fn(|a| {
                        if (t[a] >= 0.0) == first { bounds.low[a] } else { bounds.high[a] }
                    })
                };
                [true, false].into_iter().all(|c| bin(position(t, corner(c)), bins).is_some())
            })
    }

    /// Lets every ballot vote for the directions near its own.
    pub fn vote_near(
        &self,
        ballots: &Ballots,
        near: &Near,
        sign: Sign,
        counts: &mut CudaSlice<u32>,
    ) -> Result<()> {
        let points = DevicePoints::upload(self.device, &ballots.points)?;
        let weight = self.device.upload(&ballots.weight)?;
        let start = self.device.upload(&ballots.start)?;
        vote::vote_near(
            self.device,
            grid(self.host_table.len() as u32, 1, 256, 0),
            points.axes(),
            &weight,
            &start,
            &near.start,
            &near.list,
            &self.table,
            self.bins,
            factor(sign),
            counts,
        )
    }
}

/// The factor of a vote; counters wrap around.
fn factor(sign: Sign) -> u32 {
    match sign {
        Sign::Add => 1,
        Sign::Subtract => u32::MAX,
    }
}

/// Bytes of shared memory for the entries and counters of some directions.
fn shared_bytes(directions: u32, width: u32) -> u32 {
    directions * (16 + 4 * (width | 1))
}

/// The table octant by octant, each padded to whole blocks with entries of no row.
fn by_octant(table: &[[f32; 4]], block: usize) -> (Vec<[f32; 4]>, Vec<u32>) {
    let octant = |t: &[f32; 4]| (0..3).map(|a| u32::from(t[a] >= 0.0) << a).sum::<u32>();
    let (mut ordered, mut rows) = (Vec::new(), Vec::new());
    for wanted in 0..8 {
        for (t, row) in table.iter().zip(0..).filter(|(t, _)| octant(t) == wanted) {
            ordered.push(*t);
            rows.push(row);
        }
        while !rows.len().is_multiple_of(block) {
            ordered.push(ordered[ordered.len() - 1]);
            rows.push(u32::MAX);
        }
    }
    (ordered, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_of_one_octant_and_hold_every_row_once() {
        let table: Vec<[f32; 4]> = (0..500)
            .map(|i: i32| {
                [(i * 37 % 11 - 5) as f32, (i * 53 % 7 - 3) as f32, (i % 3 - 1) as f32, 0.0]
            })
            .collect();
        let (ordered, rows) = by_octant(&table, 32);
        for (entries, rows) in ordered.chunks(32).zip(rows.chunks(32)) {
            assert_eq!(entries.len(), 32);
            for (t, &row) in entries.iter().zip(rows) {
                assert!((0..3).all(|a| (t[a] >= 0.0) == (entries[0][a] >= 0.0)));
                assert!(row == u32::MAX || table[row as usize] == *t);
            }
        }
        let mut used: Vec<u32> = rows.into_iter().filter(|&r| r != u32::MAX).collect();
        used.sort_unstable();
        assert_eq!(used, (0..500).collect::<Vec<u32>>());
    }
}
