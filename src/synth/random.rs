//! Random numbers that are the same on every machine.
//!
//! Each point draws from its own stream, identified by the seed and the point's number, so points
//! can be made in any order and by any number of threads. Only additions, multiplications,
//! divisions and square roots are used, which IEEE 754 rounds the same way everywhere; the platform's
//! library functions for sines and logarithms do not.

use super::vector::{Vec3, dot, scaled};
use crate::mix::{STEP, mixed};

/// A stream of random numbers.
pub(super) struct Random(u64);

impl Random {
    /// The stream of number `index` in `family` under `seed`.
    pub(super) fn new(seed: u64, family: u64, index: u64) -> Self {
        let family = mixed(mixed(seed).wrapping_add(family.wrapping_mul(STEP)));
        Random(mixed(family ^ mixed(index.wrapping_add(STEP))))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// Uniform in `[0, 1)`.
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `[low, high)`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in the ball of radius 1.
    pub(super) fn in_ball(&mut self) -> Vec3 {
        loop {
            let p = [(); 3].map(|()| self.between(-1.0, 1.0));
            if dot(p, p) <= 1.0 {
                return p;
            }
        }
    }

    /// Uniform on the sphere of radius 1.
    pub(super) fn direction(&mut self) -> Vec3 {
        loop {
            let p = self.in_ball();
            let square = dot(p, p);
            // Near the centre, the direction would have few significant digits.
            if square > 1e-6 {
                return scaled(p, 1.0 / square.sqrt());
            }
        }
    }

    /// Uniform on the circle of radius 1.
    pub(super) fn on_circle(&mut self) -> [f64; 2] {
        let (x, y, square) = self.in_disk();
        let length = square.sqrt();
        [x / length, y / length]
    }

    /// Normally distributed with mean 0 and variance 1, by Marsaglia's polar method.
    pub(super) fn gaussian(&mut self) -> f64 {
        let (x, _, square) = self.in_disk();
        x * (-2.0 * ln(square) / square).sqrt()
    }

    /// A point in the disk of radius 1, except its centre, and its squared distance from the centre.
    fn in_disk(&mut self) -> (f64, f64, f64) {
        loop {
            let (x, y) = (self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let square = x * x + y * y;
            if square < 1.0 && square > 1e-12 {
                return (x, y, square);
            }
        }
    }
}

/// The natural logarithm of a positive, normal number, to about 2 units in the last place.
fn ln(x: f64) -> f64 {
    // x = mantissa · 2^exponent with the mantissa in [0.75, 1.5): the series below is then short.
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | (1023 << 52));
    if mantissa >= 1.5 {
        mantissa *= 0.5;
        exponent += 1;
    }
    // ln m = 2 artanh((m − 1) / (m + 1)), at most 0.2 here.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let mut sum = 0.0;
    for odd in (1..=23).rev().step_by(2) {
        sum = sum * square + 1.0 / f64::from(odd);
    }
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * s * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_agrees_with_the_library() {
        let mut random = Random::new(1, 0, 0);
        for _ in 0..100_000 {
            let x = random.unit().max(1e-300);
            let error = (ln(x) - x.ln()).abs();
            assert!(error <= 1e-15 * x.ln().abs().max(1.0), "{x}: {error}");
        }
    }

    #[test]
    fn moments_and_tails_of_the_normal_distribution() {
        let n = 1_000_000;
        let (mut sum, mut square, mut fourth, mut beyond) = (0.0, 0.0, 0.0, 0);
        for i in 0..n {
            let g = Random::new(7, 3, i).gaussian();
            sum += g;
            square += g * g;
            fourth += g * g * g * g;
            beyond += u32::from(g.abs() > 3.0);
        }
        let mean = |total: f64| total / n as f64;
        assert!(mean(sum).abs() < 0.005);
        assert!((mean(square) - 1.0).abs() < 0.01);
        assert!((mean(fourth) - 3.0).abs() < 0.06);
        // 0.27 % lie beyond three sigma.
        assert!((2500..2900).contains(&beyond), "{beyond}");
    }

    #[test]
    fn the_stream_is_what_it_was() {
        // These values must never change: if they did, every seed would give a different cloud.
        let mut random = Random::new(1, 2, 3);
        let drawn = [random.bits(), random.bits(), random.bits()];
        let expected = [0x751d_2270_2185_2b9d, 0x39da_d5af_f639_4d31, 0x86e6_046a_aade_95a5];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn neighbouring_streams_are_unrelated() {
        let first: Vec<u64> = (0..1000).map(|i| Random::new(5, 0, i).bits()).collect();
        let other: Vec<u64> = (0..1000).map(|i| Random::new(6, 0, i).bits()).collect();
        let family: Vec<u64> = (0..1000).map(|i| Random::new(5, 1, i).bits()).collect();
        let mut all = [first, other, family].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 3000);
    }
}
