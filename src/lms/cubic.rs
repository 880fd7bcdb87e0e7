//! The straightforward way, in `O(n³ log n)`: the reference in tests of the others.

use super::problem::{Hanging, Problem, Side, Slab};

/// For the slope of each pair, all points are sorted by how far they are above the pair. The window of `h`
/// points that begins with the pair, and the one that ends with it, are slabs.
pub fn cubic(problem: &Problem) -> Slab {
    let (n, h) = (problem.points().len(), problem.h());
    let mut best: Option<Hanging> = None;
    for i in 0..n {
        for j in i + 1..n {
            if problem.points()[i][0] == problem.points()[j][0] {
                continue;
            }
            let mut rises: Vec<f64> = (0..n).map(|k| problem.rise(i, j, k)).collect();
            rises.sort_by(f64::total_cmp);
            // The pair itself has a rise of zero.
            let first = rises.partition_point(|&rise| rise < 0.0);
            let end = rises.partition_point(|&rise| rise <= 0.0);
            if first + h <= n {
                let rise = rises[first + h - 1];
                best = Hanging::better(best, problem.hanging([i, j], Side::Above, rise));
            }
            if end >= h {
                let rise = rises[end - h];
                best = Hanging::better(best, problem.hanging([i, j], Side::Below, rise));
            }
        }
    }
    best.map_or_else(|| problem.upright(), |best| problem.slab(best.pair, best.side))
}
