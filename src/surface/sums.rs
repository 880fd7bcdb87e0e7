//! Exact sums over the points of a cell that add up without a shift.
//!
//! Relative to one origin for all cells, sums of coordinates and of their products exceed 64 bits. Modulo 2⁶⁴
//! that does no harm: relative to a place nearby they fit again, and are exact. So a block is the plain sum
//! of its cells, and is shifted once.

use super::moments::{Moments, PAIRS};

/// Sums over the points of cells; their coordinates are below 2^17 units within a block of the highest level.
pub type CellMoments = Moments<i64>;

/// Count, sums, and sums of products relative to the corner of the lattice, modulo 2⁶⁴.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums([i64; 10]);

impl CellMoments {
    /// Covariance of the points of a cell or block, whose sums are small enough for `f64`.
    #[inline(always)]
    pub fn covariance(&self) -> [f64; 6] {
        let (n, mean) = (self.n as f64, self.mean());
        std::array::from_fn(|i| {
            let (a, b) = PAIRS[i];
            self.products[i] as f64 / n - mean[a] * mean[b]
        })
    }
}

impl Sums {
    /// The sums of points that are given relative to a corner.
    pub fn of(moments: &CellMoments, corner: [i64; 3]) -> Sums {
        let moved = moved(moments, corner);
        let ([x, y, z], [xx, xy, xz, yy, yz, zz]) = (moved.sum, moved.products);
        Sums([moved.n, x, y, z, xx, xy, xz, yy, yz, zz])
    }

    /// Number of points.
    #[inline(always)]
    pub fn count(&self) -> i64 {
        self.0[0]
    }

    /// Adds the points of `other`.
    #[inline(always)]
    pub fn add(&mut self, other: &Sums) {
        for (sum, other) in self.0.iter_mut().zip(other.0) {
            *sum = sum.wrapping_add(other);
        }
    }

    /// The same sums relative to a corner near the points.
    #[inline(always)]
    pub fn about(&self, corner: [i64; 3]) -> CellMoments {
        let [n, x, y, z, xx, xy, xz, yy, yz, zz] = self.0;
        let all = Moments { n, sum: [x, y, z], products: [xx, xy, xz, yy, yz, zz] };
        moved(&all, corner.map(i64::wrapping_neg))
    }
}

/// The sums of the points, each moved by `offset`.
#[inline(always)]
fn moved(moments: &CellMoments, offset: [i64; 3]) -> CellMoments {
    let Moments { n, sum, mut products } = *moments;
    let along: [i64; 3] = std::array::from_fn(|a| offset[a].wrapping_mul(n));
    for (product, (a, b)) in products.iter_mut().zip(PAIRS) {
        let cross = offset[a].wrapping_mul(sum[b]).wrapping_add(offset[b].wrapping_mul(sum[a]));
        *product = product.wrapping_add(cross).wrapping_add(along[a].wrapping_mul(offset[b]));
    }
    Moments { n, sum: std::array::from_fn(|a| sum[a].wrapping_add(along[a])), products }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_far_from_the_corner_add_up_exactly() {
        let span = 256;
        let (mut block, mut plain) = (Sums::default(), CellMoments::default());
        let middle = [70_000, 3, 2_000_000].map(|c: i64| c * span);
        for k in 0..27i64 {
            let offset = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1].map(|o| o * span);
            let corner = std::array::from_fn(|a| middle[a] + offset[a]);
            let mut cell = CellMoments::default();
            (0..40).for_each(|i| cell.add([i * 7919 % span, i * 31 % span, (i + k) % span]));
            assert_eq!(Sums::of(&cell, corner).about(corner), cell);
            block.add(&Sums::of(&cell, corner));
            plain.merge_shifted(&cell, offset);
        }
        assert_eq!(block.about(middle), plain);
        assert_eq!(block.count(), 27 * 40);
    }
}
