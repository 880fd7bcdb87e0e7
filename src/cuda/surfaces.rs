//! The surfaces of a cloud in cells on the device, and the planes of its points. The CPU does what the device
//! has no room for.

use super::accumulator::CudaAccumulator;
use super::cells::HostSums;
use super::cut::Cut;
use super::device::{Device, if_room};
use super::gpus::Cuda;
use super::labels::CudaLabels;
use super::layers;
use super::layouts::{self, flatness};
use super::levels::{Base, Judged};
use crate::Result;
use crate::backend::{
    Accumulator, Backend, CloudAccumulator, InCells, Labels, Room, Sign, Surfaces,
};
use crate::cpu::{self, CpuSurfaces};
use crate::space::Space;
use crate::surface::cells::Cells;
use crate::surface::cloud::CellCloud;
use crate::surface::flat::{Flatness, Seen};
use crate::surface::layers::{Trials, Tried};
use crate::surface::noise_field::NoiseField;
use crate::surface::plane::{Claim, PRESENT};
use crate::surface::present::Present;
use crate::surface::sums::Sums;
use cudarc::driver::CudaSlice;
use rayon::prelude::*;
use std::sync::Arc;

/// Cells whose planes are copied to the device at a time: enough for all threads, and a few megabytes.
const PIECE: usize = 1 << 18;

/// A cloud in cells.
pub(super) struct CudaCells<'a> {
    pub cuda: &'a Cuda,
    pub cut: Cut,
    pub base: Base,
    pub cells: Cells,
    pub sums: HostSums,
}

impl<'a> InCells<'a> for CudaCells<'a> {
    fn cells(&self) -> &Cells {
        &self.cells
    }

    fn sums(&self) -> Vec<Sums> {
        self.sums.all(self.cells.base())
    }

    fn judge(self: Box<Self>, room: Room) -> Result<Box<dyn Surfaces<'a> + 'a>> {
        let CudaCells { cuda, cut, base, cells, sums } = *self;
        let Room { points, sums: room } = room;
        drop((sums, room));
        let points = Arc::new(cut.points.download(cuda.first(), points)?);
        let cloud = Arc::new(CellCloud { cells, points });
        let levels = cloud.cells.levels.len();
        let Some(judged) = if_room(Judged::new(cuda.first(), base, levels))?.flatten() else {
            let sums = cloud.sums();
            return Ok(Box::new(CpuSurfaces::new(cloud, sums)));
        };
        let flat = judged.flat()?;
        let judging = Judging::There { judged: Box::new(judged), flat, left: Vec::new() };
        let field = Arc::new(NoiseField::even());
        Ok(Box::new(CudaSurfaces { cuda, cut, cloud, field, judging }))
    }
}

/// Where the flatness of the blocks is known.
enum Judging<'a> {
    /// On the device, with a copy of it until the noise is known, and everything that was marked so far.
    There { judged: Box<Judged<'a>>, flat: Vec<layouts::Flatness>, left: Vec<Vec<u8>> },
    /// On the CPU, after something did not fit on the device.
    Here(CpuSurfaces),
}

/// A cloud in cells, with all blocks judged.
struct CudaSurfaces<'a> {
    cuda: &'a Cuda,
    cut: Cut,
    cloud: Arc<CellCloud>,
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
            Judging::There { judged, left, .. } => match if_room(there(judged))? {
                Some(done) => return Ok(done),
                None => std::mem::take(left),
            },
        };
        let mut all = CpuSurfaces::new(self.cloud.clone(), self.cloud.sums());
        all.follow(self.field.clone())?;
        left.iter().try_for_each(|known| all.leave(known, 0).map(drop))?;
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
        match &self.judging {
            Judging::There { judged, flat, .. } => {
                let (from, _) = judged.tree.level(level);
                flatness(&flat[(from + cell) as usize])
            }
            Judging::Here(all) => all.flatness(level, cell),
        }
    }

    fn follow(&mut self, field: Arc<NoiseField>) -> Result<()> {
        self.field = field.clone();
        if let Judging::There { flat, .. } = &mut self.judging {
            *flat = Vec::new();
        }
        self.work(|judged| judged.follow(&field), |all| all.follow(field.clone()))
    }

    fn thickness(&mut self, thickest: f64, share: f64) -> Result<(f64, u64)> {
        self.work(|judged| judged.thickness(thickest, share), |all| all.thickness(thickest, share))
    }

    fn surfaces(&mut self, thickest: f64) -> Result<Box<dyn Seen + '_>> {
        let found = self.work(|judged| judged.surfaces(thickest).map(Some), |_| Ok(None))?;
        match (found, &mut self.judging) {
            (None, Judging::Here(all)) => all.surfaces(thickest),
            (found, _) => Ok(Box::new(found.unwrap_or_default())),
        }
    }

    fn leave(&mut self, known: &[u8], _: u64) -> Result<bool> {
        self.work(|judged| judged.leave(known), |all| all.leave(known, 0).map(drop))?;
        if let Judging::There { left, .. } = &mut self.judging {
            left.push(known.to_vec());
        }
        Ok(true)
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
        claims: Vec<Claim>,
    ) -> Result<Box<dyn Labels + 'a>> {
        let CudaSurfaces { cuda, cut, cloud, judging, .. } = *self;
        // Frees the memory of the judged blocks for other uses.
        drop(judging);
        let present = present();
        let there = if_room(upload(cuda.first(), &present))?;
        let here = cpu::CloudLabels::new(cloud, present, claims);
        Ok(match there {
            Some(present) => Box::new(CudaLabels::new(cuda.first(), cut, present, here)),
            None => Box::new(here),
        })
    }
}

/// Copies the planes of all cells to the device, without a copy of them all on the host.
fn upload(device: &Device, present: &Present) -> Result<CudaSlice<[u32; PRESENT]>> {
    let (mut there, mut some) = (device.buffer(present.cells())?, Vec::new());
    for first in (0..present.cells()).step_by(PIECE) {
        let cells = first..present.cells().min(first + PIECE);
        let planes = cells.clone().into_par_iter().map(|cell| *present.of(cell));
        planes.collect_into_vec(&mut some);
        device.upload_into(&some, &mut there.slice_mut(cells))?;
    }
    Ok(there)
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
