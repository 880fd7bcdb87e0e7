//! The surfaces of a cloud in cells on the device, and the planes of its points. The CPU does what the device
//! has no room for.

use super::accumulator::CudaAccumulator;
use super::cut::Cut;
use super::device::if_room;
use super::gpus::Cuda;
use super::labels::CudaLabels;
use super::layers;
use super::levels::{Base, Judged};
use crate::Result;
use crate::backend::{
    Accumulator, Backend, CloudAccumulator, InCells, Labels, Room, Sign, Surfaces,
};
use crate::cpu::{self, CpuSurfaces};
use crate::space::Space;
use crate::surface::cells::Cells;
use crate::surface::cloud::CellCloud;
use crate::surface::flat::{Flatness, Seen, judge_block};
use crate::surface::layers::{Trials, Tried};
use crate::surface::level::Level;
use crate::surface::noise_field::NoiseField;
use crate::surface::present::Present;
use crate::surface::sums::Sums;
use std::sync::Arc;

/// A cloud in cells.
pub(super) struct CudaCells<'a> {
    pub cuda: &'a Cuda,
    pub cut: Cut,
    pub base: Base,
    pub cells: Cells,
    /// The base cells by z, then y, then x.
    pub by_row: Vec<u32>,
    /// The sums over the distinct points of each base cell.
    pub sums: Vec<Sums>,
}

impl<'a> InCells<'a> for CudaCells<'a> {
    fn cells(&self) -> &Cells {
        &self.cells
    }

    fn sums(&self) -> Vec<Sums> {
        self.sums.clone()
    }

    fn judge(self: Box<Self>, room: Room) -> Result<Box<dyn Surfaces<'a> + 'a>> {
        let CudaCells { cuda, cut, base, cells, by_row, mut sums } = *self;
        let on_level = |level: &Level| {
            let own = sums.clone();
            level.join_sums(&mut sums);
            own
        };
        let sums = cells.levels.iter().map(on_level).collect();
        let points = Arc::new(cut.points.download(cuda.first(), room.points)?);
        let cloud = Arc::new(CellCloud { cells, points });
        let levels = cloud.cells.levels.len();
        let judged = if_room(Judged::new(cuda.first(), base, levels))?.flatten();
        let (field, left) = (Arc::new(NoiseField::even()), Vec::new());
        Ok(match judged {
            Some(judged) => {
                let judging = Judging::There { judged: Box::new(judged), left };
                Box::new(CudaSurfaces { cuda, cut, cloud, by_row, sums, field, judging })
            }
            None => {
                let sums = cloud.sums();
                Box::new(CpuSurfaces::new(cloud, sums))
            }
        })
    }
}

/// Where the flatness of the blocks is known.
enum Judging<'a> {
    /// On the device, with everything that was marked so far.
    There { judged: Box<Judged<'a>>, left: Vec<Vec<u8>> },
    /// On the CPU, after something did not fit on the device.
    Here(CpuSurfaces),
}

/// A cloud in cells, with all blocks judged.
struct CudaSurfaces<'a> {
    cuda: &'a Cuda,
    cut: Cut,
    cloud: Arc<CellCloud>,
    /// The base cells by z, then y, then x: the order in which the device lists them.
    by_row: Vec<u32>,
    /// The sums over the distinct points of the cells of each level.
    sums: Vec<Vec<Sums>>,
    field: Arc<NoiseField>,
    judging: Judging<'a>,
}

impl<'a> CudaSurfaces<'a> {
    /// Does some work on the device, or on the CPU once the device has no room for it.
    fn work<T>(
        &mut self,
        there: impl FnOnce(&mut Judged<'a>) -> Result<T>,
        here: impl FnOnce(&mut CpuSurfaces) -> Result<T>,
    ) -> Result<T> {
        let left = match &mut self.judging {
            Judging::Here(all) => return here(all),
            Judging::There { judged, left } => match if_room(there(judged))? {
                Some(done) => return Ok(done),
                None => std::mem::take(left),
            },
        };
        let mut all = CpuSurfaces::new(self.cloud.clone(), self.cloud.sums());
        all.follow(self.field.clone())?;
        left.iter().try_for_each(|known| all.leave(known))?;
        let done = here(&mut all);
        self.judging = Judging::Here(all);
        done
    }
}

impl<'a> Surfaces<'a> for CudaSurfaces<'a> {
    fn cloud(&self) -> &Arc<CellCloud> {
        &self.cloud
    }

    fn flatness(&self, level: usize, cell: u32) -> Option<Flatness> {
        // For a few blocks it is not worth asking the device.
        let cells = &self.cloud.cells;
        let (sums, block) = (&self.sums[level], cells.block(level, cell));
        judge_block(&cells.levels[level], sums, cell as usize, &block)
    }

    fn follow(&mut self, field: Arc<NoiseField>) -> Result<()> {
        self.field = field.clone();
        self.work(|judged| judged.follow(&field), |all| all.follow(field.clone()))
    }

    fn thickness(&mut self, thickest: f64, share: f64) -> Result<(f64, u64)> {
        self.work(|judged| judged.thickness(thickest, share), |all| all.thickness(thickest, share))
    }

    fn surfaces(&mut self, thickest: f64) -> Result<Box<dyn Seen + '_>> {
        let found = self.work(|judged| judged.surfaces(thickest).map(Some), |_| Ok(None))?;
        let found = match (found, &mut self.judging) {
            (None, Judging::Here(all)) => return all.surfaces(thickest),
            (found, _) => found.unwrap_or_default(),
        };
        let mut surfaces = vec![None; found.len()];
        for (&cell, found) in self.by_row.iter().zip(found) {
            surfaces[cell as usize] = found.surface();
        }
        Ok(Box::new(surfaces))
    }

    fn leave(&mut self, known: &[u8]) -> Result<()> {
        let rows: Vec<u8> = self.by_row.iter().map(|&cell| known[cell as usize]).collect();
        self.work(|judged| judged.leave(&rows), |all| all.leave(known))?;
        if let Judging::There { left, .. } = &mut self.judging {
            left.push(known.to_vec());
        }
        Ok(())
    }

    fn layers(&mut self, trials: &Trials) -> Result<Tried> {
        if let Judging::There { judged, .. } = &self.judging {
            let tried = layers::layers(self.cuda.first(), &self.cut, judged, trials);
            if let Some(tried) = if_room(tried)? {
                return Ok(tried);
            }
        }
        Ok(cpu::layers(&self.cloud, &self.field, trials))
    }

    fn accumulator<'s>(
        &'s self,
        _: &'s dyn Backend,
        space: &'s Space,
    ) -> Result<Box<dyn CloudAccumulator + 's>> {
        let counts = CudaAccumulator::new(self.cuda, space)?;
        Ok(Box::new(PointVotes { cut: &self.cut, cloud: &self.cloud, counts }))
    }

    fn present(
        self: Box<Self>,
        present: &dyn Fn() -> Present,
        densities: Vec<f64>,
    ) -> Result<Box<dyn Labels + 'a>> {
        let CudaSurfaces { cuda, cut, cloud, judging, sums, .. } = *self;
        // Frees the memory of the judged blocks for other uses.
        drop((judging, sums));
        let present = present();
        let all: Vec<_> = (0..present.cells()).map(|cell| *present.of(cell)).collect();
        let there = if_room(cuda.first().upload(&all))?;
        let here = cpu::CloudLabels::new(cloud, present, densities);
        Ok(match there {
            Some(present) => Box::new(CudaLabels { device: cuda.first(), cut, present, here }),
            None => Box::new(here),
        })
    }
}

/// The votes of the points of a cloud.
struct PointVotes<'a> {
    cut: &'a Cut,
    cloud: &'a CellCloud,
    counts: CudaAccumulator<'a>,
}

impl CloudAccumulator for PointVotes<'_> {
    fn vote(&mut self, places: Option<&[u32]>, sign: Sign) -> Result<()> {
        if self.counts.vote_there(&self.cut.points, places, sign)? {
            return Ok(());
        }
        match places {
            Some(places) => self.counts.vote(&self.cloud.points.select(places), sign),
            None => self.counts.vote(&self.cloud.points, sign),
        }
    }

    fn table(&mut self) -> &mut dyn Accumulator {
        &mut self.counts
    }
}
