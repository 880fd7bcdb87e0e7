//! Smooth random functions: hashed values at whole numbers, blended in between.

use super::vector::Vec3;
use crate::mix::{STEP, mixed};

/// A smooth random function of position, with mean 0 and variance 1, the same on every machine.
///
/// Positions more than 2 apart are unrelated; within 0.2 the value hardly changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Smooth(u64);

/// Mean of the squared weights of the blend along an axis.
const BLEND: f64 = 362.0 / 462.0;
/// Variance of the values at whole numbers.
const VARIANCE: f64 = 1.0 / 3.0;

impl Smooth {
    /// Function number `channel` under `seed`.
    pub(super) fn new(seed: u64, channel: u64) -> Self {
        Smooth(mixed(mixed(seed ^ 0x5300).wrapping_add(channel.wrapping_mul(STEP))))
    }

    /// Its value along a line.
    pub(super) fn line(self, x: f64) -> f64 {
        self.blended([x, 0.0, 0.0]) / (VARIANCE * BLEND).sqrt()
    }

    /// Its value in a plane.
    pub(super) fn plane(self, x: f64, y: f64) -> f64 {
        self.blended([x, y, 0.0]) / (VARIANCE * BLEND * BLEND).sqrt()
    }

    /// Its value in space.
    pub(super) fn space(self, p: Vec3) -> f64 {
        self.blended(p) / (VARIANCE * BLEND * BLEND * BLEND).sqrt()
    }

    fn blended(self, p: Vec3) -> f64 {
        let low = p.map(f64::floor);
        let weights = [0, 1, 2].map(|i| fade(p[i] - low[i]));
        let mut sum = 0.0;
        for corner in 0..8 {
            let mut weight = 1.0;
            let mut at = low;
            for (i, at) in at.iter_mut().enumerate() {
                let upper = corner >> i & 1 == 1;
                weight *= if upper { weights[i] } else { 1.0 - weights[i] };
                *at += f64::from(u8::from(upper));
            }
            if weight > 0.0 {
                sum += weight * self.value(at);
            }
        }
        sum
    }

    /// Uniform in `[-1, 1)`.
    fn value(self, at: Vec3) -> f64 {
        let add = |state: u64, whole: f64| {
            mixed(state.wrapping_add((whole as i64 as u64).wrapping_mul(STEP)) ^ STEP)
        };
        let bits = at.into_iter().fold(self.0, add);
        (bits >> 11) as f64 * (2.0 / (1u64 << 53) as f64) - 1.0
    }
}

/// Three functions as the components of a vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct SmoothVector([Smooth; 3]);

impl SmoothVector {
    /// Vector number `channel` under `seed`.
    pub(super) fn new(seed: u64, channel: u64) -> Self {
        SmoothVector([0, 1, 2].map(|axis| Smooth::new(seed, 1000 + 3 * channel + axis)))
    }

    /// Its value along a line.
    pub(super) fn line(self, x: f64) -> Vec3 {
        self.0.map(|smooth| smooth.line(x))
    }

    /// Its value in space.
    pub(super) fn space(self, p: Vec3) -> Vec3 {
        self.0.map(|smooth| smooth.space(p))
    }
}

/// Rises from 0 to 1, with zero slope and curvature at both ends.
fn fade(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_variance_and_correlation() {
        let smooth = Smooth::new(3, 5);
        let n = 40_000;
        let mean = |value: &dyn Fn(f64) -> f64| {
            (0..n).map(|i| value(0.37 * f64::from(i))).sum::<f64>() / f64::from(n)
        };
        let [line, plane, space] = [
            &(|x: f64| smooth.line(x)) as &dyn Fn(f64) -> f64,
            &|x: f64| smooth.plane(x, 0.61 * x),
            &|x: f64| smooth.space([x, 0.61 * x, -1.7 * x]),
        ];
        for value in [line, plane, space] {
            assert!(mean(value).abs() < 0.03);
            assert!((mean(&|x| value(x) * value(x)) - 1.0).abs() < 0.05);
        }
        assert!(mean(&|x| line(x) * line(x + 0.1)) > 0.95);
        assert!(mean(&|x| line(x) * line(x + 2.5)).abs() < 0.05);
    }
}
