//! Sobel's gradient.

use rayon::prelude::*;

/// A grid of 16-bit values: grey levels in units of 1/256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub width: usize,
    pub height: usize,
    pub values: Vec<u16>,
}

impl Field {
    /// A field of grey values, row by row.
    pub fn of_grey(width: usize, height: usize, grey: &[u8]) -> Field {
        Field { width, height, values: grey.iter().map(|&v| u16::from(v) << 8).collect() }
    }

    /// The gradient at every pixel.
    pub fn gradient(&self) -> Vec<[i32; 2]> {
        let mut all = vec![[0; 2]; self.values.len()];
        all.par_chunks_mut(self.width).enumerate().for_each(|(y, out)| {
            // Beyond the border, the border pixels repeat.
            let row = |y: usize| &self.values[y * self.width..][..self.width];
            let [above, here, below] =
                [y.saturating_sub(1), y, (y + 1).min(self.height - 1)].map(row);
            for (x, out) in out.iter_mut().enumerate() {
                let (left, right) = (x.saturating_sub(1), (x + 1).min(self.width - 1));
                let at = |row: &[u16], x: usize| i32::from(row[x]);
                let column = |x| at(above, x) + 2 * at(here, x) + at(below, x);
                let line = |row| at(row, left) + 2 * at(row, x) + at(row, right);
                *out = [column(right) - column(left), line(below) - line(above)];
            }
        });
        all
    }
}

/// The square of a gradient's length.
pub(super) fn square([x, y]: [i32; 2]) -> u64 {
    let (x, y) = (i64::from(x), i64::from(y));
    (x * x + y * y) as u64
}

/// A gradient's length divided by 4, rounded down, in grey levels, at most 255: the unit of Otsu's
/// threshold and of the threshold of Sobel edges.
pub(super) fn level(gradient: [i32; 2]) -> u8 {
    (square(gradient).isqrt() >> 10).min(255) as u8
}
