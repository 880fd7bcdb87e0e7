//! Whether points lie in rows, as the pixels of a camera do, or anyhow.

use crate::surface::cells::Cells;
use crate::surface::quantile::quantile;
use crate::vector::{Vec3, dot, minus};
use rayon::prelude::*;

/// Cells that are looked at, on the finest level on which they have so many points on average.
const CELLS: usize = 256;
const USUAL: f64 = 16.0;
/// They have at least so many points, …
const FEWEST: usize = 9;
/// … of which so many are looked at.
const MOST: usize = 64;
/// Nearest points in rows are equally far apart, give or take this share of the distance, …
const UNEVEN: f64 = 0.25;
/// … for at least this share of the points. It is about a third for points at random, and nine tenths for
/// pixels, except where many are missing.
const SHARE: f64 = 0.8;

/// Whether the distances from the points of each cell to the nearest others are mostly the same. A point is found by its
/// rank in the order of the cells.
pub(crate) fn lie_in_rows(cells: &Cells, point: impl Fn(usize) -> Vec3 + Sync) -> bool {
    let each = |level: usize| cells.distinct as f64 / cells.len(level) as f64;
    let Some(level) = (0..cells.levels.len()).find(|&level| each(level) >= USUAL) else {
        return false;
    };
    let points_of = |cell: usize| cells.points_in(cells.run(level, cell as u32));
    let all = cells.len(level);
    let looked_at: Vec<usize> = (0..all)
        .step_by(all.div_ceil(CELLS).max(1))
        .filter(|&cell| points_of(cell).len() >= FEWEST)
        .collect();
    let even = |&cell: &usize| {
        let points: Vec<Vec3> = points_of(cell).take(MOST).map(&point).collect();
        let apart = |a: Vec3, b: Vec3| {
            let between = minus(a, b);
            dot(between, between).sqrt()
        };
        let nearest = |&p: &Vec3| {
            let others = points.iter().filter(|q| **q != p);
            others.map(|&q| apart(p, q)).fold(f64::INFINITY, f64::min)
        };
        let nearest: Vec<f64> = points.iter().map(nearest).collect();
        let usual = quantile(&mut nearest.clone(), 0.5);
        let even = nearest.iter().filter(|&d| (d - usual).abs() <= UNEVEN * usual).count();
        [even, points.len()]
    };
    let counts = looked_at.par_iter().map(even);
    let [even, all] = counts.reduce(|| [0, 0], |a, b| [a[0] + b[0], a[1] + b[1]]);
    all > 0 && even as f64 >= SHARE * all as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::cut::whole;
    use crate::frame::Points;
    use crate::mix::mixed;

    #[test]
    fn pixels_lie_in_rows_and_strewn_points_do_not() {
        let grid = |i: u64| [(i % 200) as f32 * 300.0, (i / 200) as f32 * 330.0];
        let random = |i: u64| [mixed(i), mixed(i ^ 1 << 40)].map(|v| (v % 60_000) as f32);
        let in_rows = |place: &dyn Fn(u64) -> [f32; 2]| {
            let point = |i: u64| {
                let [x, y] = place(i);
                [x, y, (i * 7919 % 101) as f32]
            };
            let cloud = whole(&(0..40_000).map(point).collect::<Points>());
            lie_in_rows(&cloud.cells, |i| cloud.points.get(i).map(f64::from))
        };
        assert!(in_rows(&grid));
        assert!(!in_rows(&random));
    }
}
