//! Assigns every point to its plane.

use crate::Result;
use crate::backend::Labels;
use crate::frame::Points;
use crate::surface::cloud::CellCloud;
use crate::surface::moments::{Moments, sums_of_wholes};
use crate::surface::plane::{Assigned, Claim, Cost, LocalPlane, PRESENT};
use crate::surface::present::Present;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// A cloud in cells in which planes are present.
pub(crate) struct CloudLabels {
    cloud: Arc<CellCloud>,
    present: Present,
    /// How strongly each plane claims points.
    pub claims: Vec<Claim>,
    /// The last result: the label of each point, the planes that led to the labels, and the sums over the
    /// points of each plane.
    labels: Vec<i32>,
    planes: Vec<LocalPlane>,
    sums: Vec<Moments>,
}

impl CloudLabels {
    /// No point has a plane yet.
    pub fn new(cloud: Arc<CellCloud>, present: Present, claims: Vec<Claim>) -> CloudLabels {
        let (labels, planes, sums) = Default::default();
        CloudLabels { cloud, present, claims, labels, planes, sums }
    }

    /// Finds the plane of each point, `-1` for none. Only cells in which a plane has changed are computed
    /// again.
    fn label(&mut self, planes: &[LocalPlane]) {
        // Few cells, since one next to a scanner may hold thousands of points.
        const PIECE: usize = 64;
        let CellCloud { cells, points } = &*self.cloud;
        let points: &Points = points;
        self.labels.resize(points.len(), -1);
        self.sums.resize(planes.len(), Moments::default());
        let before = std::mem::replace(&mut self.planes, planes.to_vec());
        let changed: Vec<bool> =
            (0..planes.len()).map(|q| before.get(q) != Some(&planes[q])).collect();
        // The points of successive cells are consecutive.
        let all = self.present.cells();
        let mut pieces = Vec::with_capacity(all / PIECE + 1);
        let mut rest = &mut self.labels[..];
        for first in (0..all).step_by(PIECE) {
            let run = first..all.min(first + PIECE);
            let points = cells.points_in([run.start as u32, run.end as u32]).len();
            let (own, after) = rest.split_at_mut(points);
            pieces.push((run, own));
            rest = after;
        }
        let present = &self.present;
        let cost = |(claim, plane): (&Claim, &LocalPlane)| claim.cost(plane.tolerance);
        let costs: Vec<Cost> = self.claims.iter().zip(planes).map(cost).collect();
        let slabs = (planes, &costs[..]);
        let one = |mut moved: Moved, (run, mut rest): CellRun| {
            for cell in run {
                let present = present.of(cell);
                let range = cells.points_of(cell);
                let (own, after) = rest.split_at_mut(range.len());
                rest = after;
                let is_changed = |&q: &u32| changed.get(q as usize).is_some_and(|&c| c);
                if present.iter().any(is_changed) {
                    moved.label(own, range, present, (points, slabs));
                }
            }
            moved
        };
        let none = || Moved::new(planes.len());
        let moved = pieces.into_par_iter().with_min_len(64).fold(none, one);
        let moved = moved.reduce(none, Moved::and);
        for (sums, [left, joined]) in self.sums.iter_mut().zip(&moved.0) {
            sums.merge(joined);
            sums.take(left);
        }
    }
}

/// Some base cells, and the labels of their points.
type CellRun<'a> = (Range<usize>, &'a mut [i32]);

/// Planes, and what points cost them.
type Slabs<'a> = (&'a [LocalPlane], &'a [Cost]);

/// The sums over the points that left each plane and that joined it.
struct Moved(Vec<[Moments; 2]>);

impl Moved {
    fn new(planes: usize) -> Moved {
        Moved(vec![Default::default(); planes])
    }

    fn and(mut self, other: Moved) -> Moved {
        for (all, some) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            all.merge(some);
        }
        self
    }

    /// Assigns labels to the points of a cell again.
    fn label(
        &mut self,
        labels: &mut [i32],
        range: Range<usize>,
        present: &[u32; PRESENT],
        (points, slabs): (&Points, Slabs),
    ) {
        for (label, i) in labels.iter_mut().zip(range) {
            let point = points.get(i);
            let plane = likeliest(present, point, slabs).map_or(-1, |plane| plane as i32);
            let was = std::mem::replace(label, plane);
            if plane != was {
                for (label, into) in [(was, 0), (plane, 1)] {
                    if let Some(sums) = self.0.get_mut(label as usize) {
                        sums[into].add(point.map(|v| v as i64));
                    }
                }
            }
        }
    }
}

/// The likeliest of the present planes whose tolerance a point meets; the first of equals.
fn likeliest(present: &[u32; PRESENT], p: [f32; 3], (planes, costs): Slabs) -> Option<u32> {
    let mut best: Option<(f64, u32)> = None;
    for (k, &q) in present.iter().enumerate() {
        let Some(plane) = planes.get(q as usize).filter(|_| k == 0 || q != present[0]) else {
            continue;
        };
        let distance = plane.distance(p).abs();
        if distance <= plane.tolerance {
            let cost = costs[q as usize].at(distance);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, q));
            }
        }
    }
    best.map(|(_, q)| q)
}

impl Labels for CloudLabels {
    fn sums(&mut self, planes: &[LocalPlane]) -> Result<Vec<Moments>> {
        self.label(planes);
        Ok(self.sums.clone())
    }

    fn assign(mut self: Box<Self>, planes: &[LocalPlane], becomes: &[u32]) -> Result<Assigned> {
        self.label(planes);
        let label = |&label: &i32| becomes.get(label as usize).map_or(-1, |&plane| plane as i32);
        self.labels.par_iter_mut().for_each(|l| *l = label(l));
        let sums = sums_of_wholes(&self.sums, becomes);
        Ok(Assigned { labels: self.labels, sums })
    }
}
