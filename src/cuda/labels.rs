//! Assigns points to their planes: see `kernels/labels.cu`.

use super::cut::Cut;
use super::device::{Device, if_room};
use super::kernels::labels;
use super::launch::each;
use super::layouts::LabelSlab;
use crate::Result;
use crate::backend::Labels;
use crate::cpu::CloudLabels;
use crate::shared::{LABEL_POINTS, PLANE_NUMBERS, WARP};
use crate::surface::moments::Moments;
use crate::surface::plane::{Assigned, Claim, LocalPlane, PRESENT};
use cudarc::driver::CudaSlice;

/// The points of a cloud in cell order, and the planes present in each cell.
pub(super) struct CudaLabels<'a> {
    pub device: &'a Device,
    pub cut: Cut,
    pub present: CudaSlice<[u32; PRESENT]>,
    /// Does the work on the CPU if the device has no room.
    pub here: CloudLabels,
}

impl CudaLabels<'_> {
    /// Assigns every point to its plane; `becomes` gives the labels of the planes. Labels are returned only
    /// if wanted.
    fn assigned(
        &self,
        planes: &[LocalPlane],
        becomes: &[u32],
        wants_labels: bool,
    ) -> Result<Assigned> {
        let CudaLabels { device, cut, present, .. } = self;
        let points = &cut.points;
        let slabs: Vec<LabelSlab> = planes.iter().zip(&self.here.claims).map(slab).collect();
        let slabs = device.upload(&slabs)?;
        let becomes = device.upload(becomes)?;
        let wanted = if wants_labels { points.len } else { 0 };
        let mut labels = device.buffer::<i32>(wanted)?;
        let mut numbers = device.zeros::<[u64; PLANE_NUMBERS]>(planes.len())?;
        labels::assign_points(
            device,
            each((points.len as u32).div_ceil(LABEL_POINTS) * WARP),
            points.axes(),
            points.len as u32,
            &cut.starts,
            cut.cells,
            present,
            &slabs,
            planes.len() as u32,
            &becomes,
            &mut labels,
            wanted as u32,
            &mut numbers,
        )?;
        let numbers = device.download(&numbers, planes.len())?;
        Ok(Assigned {
            labels: device.download(&labels, wanted)?,
            sums: numbers.iter().map(moments).collect(),
        })
    }
}

impl Labels for CudaLabels<'_> {
    fn sums(&mut self, planes: &[LocalPlane]) -> Result<Vec<Moments>> {
        let itself: Vec<u32> = (0..planes.len() as u32).collect();
        match if_room(self.assigned(planes, &itself, false))? {
            Some(assigned) => Ok(assigned.sums),
            None => self.here.sums(planes),
        }
    }

    fn assign(self: Box<Self>, planes: &[LocalPlane], becomes: &[u32]) -> Result<Assigned> {
        match if_room(self.assigned(planes, becomes, true))? {
            Some(assigned) => Ok(assigned),
            None => Box::new(self.here).assign(planes, becomes),
        }
    }
}

/// A plane, and what points cost it, as the kernel reads them.
fn slab((plane, claim): (&LocalPlane, &Claim)) -> LabelSlab {
    let [x, y, z] = plane.normal;
    let cost = claim.cost(plane.tolerance);
    [x, y, z, plane.rho, plane.tolerance, cost.weight, cost.rest]
}

/// The sums of a plane from its numbers, in which sums of products are split into two halves.
fn moments(numbers: &[u64; PLANE_NUMBERS]) -> Moments {
    let signed = |at: usize| numbers[at] as i64;
    Moments {
        n: signed(0),
        sum: std::array::from_fn(|a| signed(1 + a)),
        products: std::array::from_fn(|a| {
            i128::from(numbers[4 + a]) + (i128::from(signed(10 + a)) << 32)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_make_whole_sums() {
        let products: [i128; 6] =
            [1 << 70, -(1 << 70), -1, 0, -(5 << 32) + 7, i128::from(u32::MAX)];
        let mut numbers = [0; PLANE_NUMBERS];
        numbers[0] = 3;
        numbers[1] = (-4i64) as u64;
        for (a, p) in products.into_iter().enumerate() {
            numbers[4 + a] = (p & 0xffff_ffff) as u64;
            numbers[10 + a] = (p >> 32) as u64;
        }
        assert_eq!(moments(&numbers), Moments { n: 3, sum: [-4, 0, 0], products });
    }
}
