//! The normal and thickness of the surface around each base cell.
//!
//! Every base cell takes its normal from the block of 3 × 3 × 3 cells around it, at the finest level at which
//! that block is flat. Dense places are judged at a small scale, sparse or noisy ones at a larger one. Places
//! that are flat at no scale (foliage, edges, clutter) get no normal.

use super::labels::CloudLabels;
use super::layers;
use crate::Result;
use crate::backend::{
    Accumulator, Backend, CloudAccumulator, InCells, Labels, Room, SEEN, Sign, Surfaces, TAKEN,
};
use crate::shared::{MIXED, SLICES};
use crate::space::Space;
use crate::surface::cells::Cells;
use crate::surface::cloud::CellCloud;
use crate::surface::flat::{FLAT, Flatness, LevelFlatness, Seen, Surface, judge_all};
use crate::surface::layers::{Trials, Tried};
use crate::surface::noise_field::NoiseField;
use crate::surface::plane::Claim;
use crate::surface::present::Present;
use crate::surface::quantile::weighted_quantile;
use crate::surface::sums::Sums;
use rayon::prelude::*;
use std::sync::Arc;

/// A cloud in cells, with its points already in cell order.
pub(crate) struct CpuCells {
    pub cloud: CellCloud,
}

impl<'a> InCells<'a> for CpuCells {
    fn cells(&self) -> &Cells {
        &self.cloud.cells
    }

    fn sums(&self) -> Vec<Sums> {
        self.cloud.sums()
    }

    fn judge(self: Box<Self>, room: Room) -> Result<Box<dyn Surfaces<'a> + 'a>> {
        let Room { points, sums } = room;
        drop(points);
        let sums = self.cloud.sums_in(sums);
        Ok(Box::new(CpuSurfaces::new(Arc::new(self.cloud), sums)))
    }
}

/// A cloud in cells, with all blocks judged.
pub(crate) struct CpuSurfaces {
    cloud: Arc<CellCloud>,
    field: Arc<NoiseField>,
    /// How flat the blocks of each level are.
    flatness: Vec<LevelFlatness>,
    /// What is known of the base cells; empty as long as nothing is.
    known: Vec<u8>,
}

impl CpuSurfaces {
    /// Judges all blocks; `sums` are those of the base cells.
    pub fn new(cloud: Arc<CellCloud>, sums: Vec<Sums>) -> CpuSurfaces {
        let flatness = judge_all(&cloud.cells, sums);
        let field = Arc::new(NoiseField::even());
        CpuSurfaces { cloud, field, flatness, known: Vec::new() }
    }

    /// Strikes out the blocks a good part of which belongs to planes.
    fn strike(&mut self, known: &[u8]) {
        let cells = &self.cloud.cells;
        let base = cells.base();
        let points = |cell: usize| if known[cell] & TAKEN == 0 { 0 } else { base.count(cell) };
        let mut taken: Vec<i64> = (0..base.len()).into_par_iter().map(points).collect();
        for (number, (level, judged)) in cells.levels.iter().zip(&mut self.flatness).enumerate() {
            let judge = || {
                let mut finder = cells.finder(number);
                let taken = &taken;
                move |cell: usize| {
                    let block = finder.block(cell as u32);
                    let taken: i64 = block.iter().map(|&cell| taken[cell as usize]).sum();
                    let all = || block.iter().map(|&cell| level.count(cell as usize)).sum::<i64>();
                    taken > 0 && taken * MIXED > all()
                }
            };
            judged.strike(judge);
            if !level.parent.is_empty() {
                let below = std::mem::replace(&mut taken, vec![0; cells.len(number + 1)]);
                level.parent.iter().zip(below).for_each(|(&cell, n)| taken[cell as usize] += n);
            }
        }
    }

    /// The finest level that is flat around a base cell, or else the flattest level that is nearly flat, among
    /// blocks of at most the given thickness, and how flat it is.
    fn best(&self, base_cell: usize, thickest: f64) -> Option<(usize, Flatness)> {
        if self.known.get(base_cell).is_some_and(|known| known & SEEN != 0) {
            return None;
        }
        let mut cell = base_cell;
        let mut best: Option<(usize, Flatness)> = None;
        // The finest of the levels at which the block is an exact slice, and the number of such levels.
        let (mut slice, mut slices) = (None, 0);
        let thickest = thickest * self.field.scale(base_cell);
        for (level, judged) in self.flatness.iter().enumerate() {
            if let Some(flat) = judged.of(cell).filter(|f| f64::from(f.thickness) <= thickest) {
                let is_slice = self.field.is_slice(base_cell, flat.thickness);
                let flat = self.field.at_least(base_cell, flat);
                if is_slice {
                    slice = slice.or(Some((level, flat)));
                    slices += 1;
                    if slices == SLICES {
                        break;
                    }
                } else if best.is_none_or(|(_, b)| flat.ratio < b.ratio) {
                    best = Some((level, flat));
                }
                if !is_slice && f64::from(flat.ratio) <= FLAT {
                    break;
                }
            }
            cell = match self.cloud.cells.levels[level].parent.get(cell) {
                Some(&parent) => parent as usize,
                None => break,
            };
        }
        // A step is not a surface, but a wall that faces the camera is as exact at any size.
        if slices == SLICES { slice } else { best }
    }
}

/// The levels at which surfaces are seen: what else is known of a surface is known of its block.
struct SeenLevels<'a> {
    surfaces: &'a CpuSurfaces,
    /// The level of each base cell, or [`UNSEEN`].
    levels: Vec<u8>,
}

/// No level.
const UNSEEN: u8 = u8::MAX;

impl Seen for SeenLevels<'_> {
    fn around(&self, cell: usize) -> Option<Surface> {
        let level = Some(self.levels[cell]).filter(|&level| level != UNSEEN).map(usize::from)?;
        let CpuSurfaces { cloud, field, flatness, .. } = self.surfaces;
        let flat = flatness[level].of(cloud.cells.ancestor(cell as u32, level) as usize)?;
        Some(Surface::seen(field.at_least(cell, flat), level))
    }
}

impl<'a> Surfaces<'a> for CpuSurfaces {
    fn cloud(&self) -> &Arc<CellCloud> {
        &self.cloud
    }

    fn flatness(&self, level: usize, cell: u32) -> Option<Flatness> {
        self.flatness[level].of(cell as usize)
    }

    fn follow(&mut self, field: Arc<NoiseField>) -> Result<()> {
        self.field = field;
        Ok(())
    }

    fn thickness(&mut self, thickest: f64, share: f64) -> Result<(f64, u64)> {
        let base = self.cloud.cells.base();
        let thickness = |cell: usize| {
            let (_, flat) = self.best(cell, thickest)?;
            let thickness = f64::from(flat.thickness);
            // As many digits as a GPU keeps.
            let usual = (thickness / self.field.scale(cell)) as f32;
            Some((f64::from(usual), base.count(cell) as u64))
        };
        let all: Vec<(f64, u64)> = (0..base.len()).into_par_iter().filter_map(thickness).collect();
        let weight = all.par_iter().map(|v| v.1).sum();
        Ok((weighted_quantile(all, share), weight))
    }

    fn surfaces(&mut self, thickest: f64) -> Result<Box<dyn Seen + '_>> {
        let level =
            |cell: usize| self.best(cell, thickest).map_or(UNSEEN, |(level, _)| level as u8);
        let levels = (0..self.cloud.cells.len(0)).into_par_iter().map(level).collect();
        Ok(Box::new(SeenLevels { surfaces: self, levels }))
    }

    fn leave(&mut self, known: &[u8], least: u64) -> Result<bool> {
        // Those that show a surface before blocks are struck out.
        let shows =
            |&cell: &usize| known[cell] & SEEN == 0 && self.best(cell, f64::INFINITY).is_some();
        let base = self.cloud.cells.base();
        let left =
            (0..base.len()).into_par_iter().filter(shows).map(|cell| base.count(cell) as u64);
        if left.sum::<u64>() < least {
            return Ok(false);
        }
        self.strike(known);
        self.known = known.to_vec();
        Ok(true)
    }

    fn layers(&mut self, trials: &Trials) -> Result<Tried> {
        Ok(layers(&self.cloud, &self.field, trials))
    }

    fn accumulator<'s>(
        &'s self,
        backend: &'s dyn Backend,
        space: &'s Space,
    ) -> Result<Box<dyn CloudAccumulator + 's>> {
        let counts = backend.accumulator(space)?;
        Ok(Box::new(PointVotes { cloud: &self.cloud, counts }))
    }

    fn present(
        self: Box<Self>,
        present: &dyn Fn() -> Present,
        claims: Vec<Claim>,
    ) -> Result<Box<dyn Labels + 'a>> {
        let CpuSurfaces { cloud, flatness, .. } = *self;
        drop(flatness);
        Ok(Box::new(CloudLabels::new(cloud, present(), claims)))
    }
}

/// The votes of the points of a cloud in memory.
struct PointVotes<'a> {
    cloud: &'a CellCloud,
    counts: Box<dyn Accumulator + 'a>,
}

impl CloudAccumulator for PointVotes<'_> {
    fn vote(&mut self, places: Option<&[u32]>, sign: Sign) -> Result<()> {
        match places {
            Some(places) => self.counts.vote(&self.cloud.points.select(places), sign),
            None => self.counts.vote(&self.cloud.points, sign),
        }
    }

    fn table(&mut self) -> &mut dyn Accumulator {
        self.counts.as_mut()
    }
}
