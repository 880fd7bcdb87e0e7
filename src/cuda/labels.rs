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
use crate::surface::moments::{Moments, sums_of_wholes};
use crate::surface::plane::{Assigned, Claim, LocalPlane, PRESENT};
use cudarc::driver::CudaSlice;

/// The points of a cloud in cell order, and the planes present in each cell.
pub(super) struct CudaLabels<'a> {
    device: &'a Device,
    cut: Cut,
    present: CudaSlice<[u32; PRESENT]>,
    /// The last result.
    known: Option<Known>,
    /// Does the work on the CPU if the device has no room.
    here: CloudLabels,
}

/// The plane of each point, and the sums over the points of each plane.
struct Known {
    planes: Vec<LocalPlane>,
    labels: CudaSlice<i32>,
    numbers: CudaSlice<[u64; PLANE_NUMBERS]>,
}

impl<'a> CudaLabels<'a> {
    /// No point has a plane yet.
    pub fn new(
        device: &'a Device,
        cut: Cut,
        present: CudaSlice<[u32; PRESENT]>,
        here: CloudLabels,
    ) -> CudaLabels<'a> {
        CudaLabels { device, cut, present, known: None, here }
    }

    /// Finds the plane of each point. Only cells in which a plane has changed since the last result are computed
    /// again. If the device fails on the way, the next result starts anew.
    fn label(&mut self, planes: &[LocalPlane]) -> Result<Known> {
        let (device, points) = (self.device, &self.cut.points);
        let last = self.known.take();
        let is_first = last.is_none();
        let mut now = match last {
            Some(last) => last,
            None => Known {
                planes: Vec::new(),
                labels: device.buffer(points.len)?,
                numbers: device.zeros(planes.len())?,
            },
        };
        let slabs: Vec<LabelSlab> = planes.iter().zip(&self.here.claims).map(slab).collect();
        let is_changed = |(q, plane)| u32::from(now.planes.get(q) != Some(plane));
        let changed: Vec<u32> = planes.iter().enumerate().map(is_changed).collect();
        labels::label_points(
            device,
            each((points.len as u32).div_ceil(LABEL_POINTS) * WARP),
            points.axes(),
            points.len as u32,
            &self.cut.starts,
            self.cut.cells,
            &self.present,
            &device.upload(&slabs)?,
            &device.upload(&changed)?,
            planes.len() as u32,
            u32::from(is_first),
            &mut now.labels,
            &mut now.numbers,
        )?;
        now.planes = planes.to_vec();
        Ok(now)
    }

    /// Exact sums over the points of each plane.
    fn sums_of(&self, known: &Known) -> Result<Vec<Moments>> {
        let numbers = self.device.download(&known.numbers, known.planes.len())?;
        Ok(numbers.iter().map(moments).collect())
    }

    /// The same, once each point has its plane.
    fn sums_there(&mut self, planes: &[LocalPlane]) -> Result<Vec<Moments>> {
        let known = self.label(planes)?;
        let sums = self.sums_of(&known);
        self.known = Some(known);
        sums
    }

    /// The label of each point; `becomes` gives the labels of the planes.
    fn assigned_there(&mut self, planes: &[LocalPlane], becomes: &[u32]) -> Result<Assigned> {
        let (device, points) = (self.device, self.cut.points.len);
        let mut known = self.label(planes)?;
        let sums = sums_of_wholes(&self.sums_of(&known)?, becomes);
        labels::rename_labels(
            device,
            each(points as u32),
            &mut known.labels,
            points as u32,
            &device.upload(becomes)?,
            becomes.len() as u32,
        )?;
        Ok(Assigned { labels: device.download(&known.labels, points)?, sums })
    }
}

impl Labels for CudaLabels<'_> {
    fn sums(&mut self, planes: &[LocalPlane]) -> Result<Vec<Moments>> {
        match if_room(self.sums_there(planes))? {
            Some(sums) => Ok(sums),
            None => self.here.sums(planes),
        }
    }

    fn assign(mut self: Box<Self>, planes: &[LocalPlane], becomes: &[u32]) -> Result<Assigned> {
        match if_room(self.assigned_there(planes, becomes))? {
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
