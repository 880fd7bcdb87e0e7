//! A line with some of its pixels missing, among random pixels.
//!
//! These are the images of the experiments in Shapira and Hassner, "GPU-Based Computation of 2D Least Median of
//! Squares": a line segment whose pixels are sampled, and noise everywhere.

use super::super::random::Random;
use super::layout::anywhere;
use super::paint::thin;
use super::truth::TrueLine;

/// Families of random numbers.
const LINE: u64 = 121;
const SAMPLED: u64 = 122;
const STREWN: u64 = 123;
const UNIFORM: u64 = 124;

/// Options of such an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseLine {
    /// Pixels in a row and rows, 64 or more.
    pub size: [u16; 2],
    /// Probability that a pixel of the line is present.
    pub sampled: f64,
    /// Probability that noise sets a pixel.
    pub noise: f64,
    /// Seed of the random numbers. Images that differ only in noise have the same line.
    pub seed: u64,
}

impl SparseLine {
    /// Returns the pixels, row by row from the top, and the line.
    pub fn draw(&self) -> (Vec<[u16; 2]>, TrueLine) {
        let size = self.size.map(|n| n.max(64));
        let ends = anywhere(&mut Random::new(self.seed, LINE, 0), size.map(f64::from));
        let mut pixels = strewn(size, self.noise, self.seed);
        let mut random = Random::new(self.seed, SAMPLED, 0);
        thin(&ends, &mut |x, y| {
            if random.unit() < self.sampled {
                pixels.push([x as u16, y as u16]);
            }
        });
        pixels.sort_unstable_by_key(|&[x, y]| [y, x]);
        pixels.dedup();
        (pixels, TrueLine::between(ends))
    }
}

/// Pixels that are each present with some probability, row by row from the top.
pub fn strewn([width, height]: [u16; 2], probability: f64, seed: u64) -> Vec<[u16; 2]> {
    let row = |y: u16| {
        let mut random = Random::new(seed, STREWN, u64::from(y));
        (0..width).filter(move |_| random.unit() < probability).map(move |x| [x, y])
    };
    (0..height).flat_map(row).collect()
}

/// Points scattered evenly over a square of side 1.
pub fn uniform_points(n: usize, seed: u64) -> Vec<[f64; 2]> {
    let point = |i: u64| {
        let mut random = Random::new(seed, UNIFORM, i);
        [random.unit(), random.unit()]
    };
    (0..n as u64).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_line_is_there_among_noise() {
        let image = SparseLine { size: [256, 200], sampled: 0.5, noise: 0.01, seed: 3 };
        let (pixels, line) = image.draw();
        let (sin, cos) = line.theta.to_radians().sin_cos();
        let far = |p: &&[u16; 2]| (f64::from(p[0]) * cos + f64::from(p[1]) * sin - line.rho).abs();
        let on = pixels.iter().filter(|p| far(p) < 0.75).count() as f64;
        let length = [0, 1].map(|a| (line.end[a] - line.start[a]).abs());
        let expected = 0.5 * length[0].max(length[1]);
        assert!((on / expected - 1.0).abs() < 0.2, "{on} of {expected}");
        let noise = pixels.len() as f64 - on;
        assert!((noise / (0.01 * 256.0 * 200.0) - 1.0).abs() < 0.2, "{noise}");
        assert!(pixels.windows(2).all(|p| [p[0][1], p[0][0]] < [p[1][1], p[1][0]]));
        let other = SparseLine { noise: 0.0, ..image };
        assert_eq!(other.draw().1, line);
    }
}
