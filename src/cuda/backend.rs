//! GPUs as a backend.

use super::accumulator::CudaAccumulator;
use super::device::{Device, if_room};
use super::gpus::Cuda;
use super::held::Arriving;
use super::{lms, sheets, zoom};
use crate::Result;
use crate::backend::{Accumulator, Backend, Receiver, Weighted};
use crate::cpu::{self, CpuReceiver};
use crate::image::{EdgeMap, Image, Method};
use crate::lms::{Problem, Sheet, Slab, Version};
use crate::space::Space;

/// Fewer points than this are cut into cells faster than they are copied.
const FEWEST_HELD: usize = 1 << 12;

impl Backend for Cuda {
    fn name(&self) -> String {
        let names: Vec<&str> = self.devices.iter().map(Device::name).collect();
        format!("GPU, {}", names.join(" and "))
    }

    fn accumulator<'a>(&'a self, space: &'a Space) -> Result<Box<dyn Accumulator + 'a>> {
        Ok(Box::new(CudaAccumulator::new(self, space)?))
    }

    fn receive<'a>(&'a self, most: usize) -> Result<Box<dyn Receiver<'a> + 'a>> {
        let arriving = match most {
            ..FEWEST_HELD => None,
            _ => if_room(Arriving::new(self, most))?,
        };
        Ok(match arriving {
            Some(arriving) => Box::new(arriving),
            None => Box::new(CpuReceiver),
        })
    }

    fn shut_down(&'static self) {
        self.devices.iter().for_each(Device::shut_down);
    }

    fn slabs(&self, problems: &[Problem]) -> Result<Vec<Slab>> {
        let fits = |p: &Problem| p.points().len() <= lms::MOST_POINTS;
        let done = if problems.iter().all(fits) {
            if_room(self.lms(problems, Version::Fast))?
        } else {
            None
        };
        Ok(done.unwrap_or_else(|| crate::lms::slabs(problems)))
    }

    fn sheets(&self, sets: &[Vec<[f32; 3]>]) -> Result<Vec<Option<Sheet>>> {
        let done = if_room(sheets::sheets(self.first(), sets))?;
        Ok(done.unwrap_or_else(|| crate::lms::sheets(sets)))
    }

    fn densest_slab(
        &self,
        space: &Space,
        places: &[Weighted],
        slab: usize,
    ) -> Result<Option<(usize, usize)>> {
        if zoom::is_worth(self.first(), space, places, slab) {
            let densest = if_room(zoom::densest_slab(self.first(), space, places, slab))?;
            if densest.is_some() {
                return Ok(densest);
            }
        }
        Ok(cpu::densest_slab(space, places, slab))
    }

    fn edges(&self, image: &Image, method: &Method) -> Result<EdgeMap> {
        match self.find_edges(image, method)? {
            Some(edges) => Ok(edges),
            None => EdgeMap::find(image, method),
        }
    }
}
