//! Points in groups of neighbours, each with its box.

use crate::frame::Points;
use crate::morton::interleave;
use rayon::prelude::*;

/// Points of a group; a multiple of every vector width.
pub(super) const GROUP: usize = 32;

/// Points sorted along a Morton curve and cut into groups of [`GROUP`]; the rest, `tail`, vote on their own.
pub(super) struct Grouped {
    /// The points of the whole groups, in Morton order.
    pub points: Points,
    /// Smallest coordinate of each group, per axis.
    pub low: [Vec<f32>; 3],
    /// Largest coordinate of each group, per axis.
    pub high: [Vec<f32>; 3],
    /// The points of the last, incomplete group.
    pub tail: Points,
}

impl Grouped {
    /// Sorts and groups `points`. The order of equal keys does not matter to votes.
    pub fn new(points: &Points) -> Grouped {
        let order = morton_order(points);
        let whole = order.len() / GROUP * GROUP;
        let tail = points.select(&order[whole..]);
        let points = points.select(&order[..whole]);
        let fold = |axis: &[f32], pick: fn(f32, f32) -> f32| -> Vec<f32> {
            let one = |g: &[f32]| g.iter().copied().fold(g[0], pick);
            axis.par_chunks(GROUP).map(one).collect()
        };
        Grouped {
            low: [&points.x, &points.y, &points.z].map(|a| fold(a, f32::min)),
            high: [&points.x, &points.y, &points.z].map(|a| fold(a, f32::max)),
            points,
            tail,
        }
    }

    /// Number of whole groups.
    pub fn groups(&self) -> usize {
        self.low[0].len()
    }
}

/// Indices of the points along a Morton curve of 21 bits per axis over their box.
fn morton_order(points: &Points) -> Vec<u32> {
    let range = |axis: &[f32]| {
        let low = axis.par_iter().copied().reduce(|| f32::INFINITY, f32::min);
        let high = axis.par_iter().copied().reduce(|| f32::NEG_INFINITY, f32::max);
        (low, high)
    };
    let ranges = [range(&points.x), range(&points.y), range(&points.z)];
    let widest = ranges.iter().map(|(l, h)| h - l).fold(0.0, f32::max) as u32;
    let shift = (32 - widest.leading_zeros()).saturating_sub(21);
    let mut keyed: Vec<(u64, u32)> = (0..points.len() as u32)
        .into_par_iter()
        .map(|i| {
            let p = points.get(i as usize);
            let cell: [u64; 3] =
                std::array::from_fn(|a| u64::from((p[a] - ranges[a].0) as u32 >> shift));
            (interleave(cell), i)
        })
        .collect();
    keyed.par_sort_unstable();
    keyed.into_par_iter().map(|(_, i)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_every_point_once_inside_their_boxes() {
        let points: Points = (0..1000)
            .map(|i| [(i * 37 % 101) as f32, (i * 91 % 89) as f32, (i % 7) as f32])
            .collect();
        let grouped = Grouped::new(&points);
        assert_eq!(grouped.groups(), 31);
        assert_eq!(grouped.tail.len(), 8);
        for i in 0..grouped.points.len() {
            for (a, v) in grouped.points.get(i).iter().enumerate() {
                assert!((grouped.low[a][i / GROUP]..=grouped.high[a][i / GROUP]).contains(v));
            }
        }
        let all = |p: &Points| (0..p.len()).map(|i| p.get(i).map(|v| v as i32)).collect::<Vec<_>>();
        let mut before = all(&points);
        let mut after = [all(&grouped.points), all(&grouped.tail)].concat();
        before.sort_unstable();
        after.sort_unstable();
        assert_eq!(before, after);
    }
}
