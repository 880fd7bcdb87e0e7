//! Whether flat places are thick because two sheets lie in them, such as the faces of a board.
//!
//! Where points lie closer together than the noise is wide, blocks that are narrower than a board is thick are flat nowhere. Wider
//! blocks hold both faces of the board, and lie flat along it. Noise piles points up in the middle of such a block; two sheets leave
//! the middle empty, which the kurtosis of the points' distances tells.

use super::noise::{Sample, View};
use crate::shared::BLOCK_POINTS;
use crate::surface::blocks::Finder;
use crate::surface::cells::Cells;
use crate::surface::cloud::CellCloud;
use crate::surface::flat::Flatness;
use crate::surface::noise_field::NoiseField;
use crate::vector::dot;
use rayon::prelude::*;

/// A block holds two sheets when the kurtosis of its points' distances is below this. It is 3 for noise, 1.8 for points that fill a
/// slab evenly, and 1 for two sheets.
const LAYERS: f64 = 1.75;
/// Fewest points whose kurtosis tells something.
const TELLING: usize = 40;
/// Places as thick as the noise are up to this factor thicker or thinner than it.
const AS_THICK: f64 = 1.25;
/// Most places that are looked at, …
const MOST: usize = 128;
/// … and fewest that tell something.
const FEWEST: usize = 16;

/// The flat places of a cloud.
pub(super) struct Sheets<'a> {
    pub cloud: &'a CellCloud,
    pub view: &'a View,
    pub field: &'a NoiseField,
}

impl Sheets<'_> {
    /// A thickness below that of the places that are `noise` steps thick, if most of these hold two sheets; `noise` is relative to
    /// the field of the noise.
    pub fn below(&self, noise: f64) -> Option<f64> {
        let as_thick = noise / AS_THICK..=noise * AS_THICK;
        let flat = |sample: &Sample| {
            let (level, flat) = sample.finest()?;
            let (cell, own) = (sample.cell as usize, flat);
            let flat = self.field.at_least(cell, flat);
            let thickness = f64::from(flat.thickness) / self.field.scale(cell);
            as_thick.contains(&thickness).then_some((sample.cell, level, own))
        };
        let places: Vec<(u32, usize, Flatness)> =
            self.view.samples.iter().filter_map(flat).collect();
        let cells = &self.cloud.cells;
        let is_layered = |finders: &mut Vec<Finder>, &(cell, level, ref flat): &_| {
            let cell = cells.ancestor(cell, level);
            is_layered(self.cloud, &finders[level].block(cell), level, flat)
        };
        let chosen: Vec<_> = places.iter().step_by(places.len().div_ceil(MOST).max(1)).collect();
        let layered =
            chosen.par_iter().map_init(|| cells.finders(), |f, place| is_layered(f, place));
        let layered = layered.filter(|&is_layered| is_layered).count();
        let are_sheets = chosen.len() >= FEWEST && 2 * layered > chosen.len();
        are_sheets.then_some(*as_thick.start())
    }
}

/// Whether the points of a flat block of a level lie in two layers.
pub(super) fn is_layered(cloud: &CellCloud, block: &[u32], level: usize, flat: &Flatness) -> bool {
    let cells: &Cells = &cloud.cells;
    let normal = flat.normal.map(f64::from);
    let run = |&cell: &u32| cells.points_in(cells.levels[level].run(cell));
    let points = || block.iter().flat_map(run);
    // Odd, since of two sheets over each other every other point may be the upper one's.
    let stride = block.iter().map(|cell| run(cell).len()).sum::<usize>().div_ceil(BLOCK_POINTS) | 1;
    let mut chosen: Vec<[f32; 3]> = points().step_by(stride).map(|i| cloud.points.get(i)).collect();
    chosen.dedup();
    let heights: Vec<f64> = chosen.iter().map(|p| dot(p.map(f64::from), normal)).collect();
    let n = heights.len() as f64;
    let mean = heights.iter().sum::<f64>() / n;
    let squares = || heights.iter().map(|h| (h - mean) * (h - mean));
    let variance = squares().sum::<f64>() / n;
    let fourth = squares().map(|square| square * square).sum::<f64>() / n;
    heights.len() >= TELLING && fourth < LAYERS * variance * variance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::cut::whole;
    use crate::surface::flat::judge_all;

    #[test]
    fn two_layers_are_told_from_noise() {
        // One block of sheets over the same places; `height` gives that of a point in units of their noise.
        let layered = |sheets: usize, height: fn(usize, usize, f64) -> f64| {
            let noise = |i: usize| ((i * 48_271 % 2003) + (i * 7919 % 2003)) as f64 / 818.0 - 2.45;
            let even = |i: usize| (i * 104_729 % 2003) as f64 / 1001.5 - 1.0;
            let point = |i: usize| {
                let [x, y] = [i / sheets % 15, i / sheets / 15].map(|v| v as f64 * 100.0 + 1.0);
                [x, y, 25.0 * (height(i, i % sheets, even(i)) + noise(i))].map(|v| v as f32)
            };
            let cloud = whole(&(0..225 * sheets).map(point).collect());
            let known = judge_all(&cloud.cells, cloud.sums());
            let level = cloud.cells.levels.len() - 1;
            is_layered(&cloud, &cloud.cells.block(level, 0), level, &known[level].of(0).unwrap())
        };
        assert!(!layered(1, |_, _, _| 0.0));
        // Both sheets are looked at, whatever the stride.
        assert!(layered(2, |_, sheet, _| 4.4 * sheet as f64));
        // A slab that is filled evenly, and one stray among eight points, are no layers.
        assert!(!layered(2, |_, _, even| 5.0 * even));
        assert!(!layered(1, |i, _, _| if i % 8 == 0 { 8.0 } else { 0.0 }));
    }
}
