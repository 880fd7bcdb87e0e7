//! Significance: could points strewn at random have made a plane?
//!
//! *A contrario*, after Moisan and Stival (2004). Let the `n` points that larger planes leave (in a single
//! pass: all points of the cloud) be strewn evenly over the box around the cloud. A slab of volume share `p`
//! then holds `k` or more of them with the probability of a binomial tail, and among all planes through three
//! of the points this happens `NFA` times (the number of false alarms). The significance is `−log10(NFA)`: at
//! 0 chance makes one such plane, at 6 it makes one in a million such clouds.

use crate::surface::moments::Fit;

/// Least thickness of the box around a cloud, as a share of its longest side. If points were strewn over
/// nothing but the slab of a plane, every plane would be the work of chance.
const THINNEST: f64 = 0.1;

/// The points that chance has to work with, and the volume they are strewn over.
pub(super) struct Chance {
    points: f64,
    volume: f64,
}

impl Chance {
    /// `points` strewn over a box of the given sides.
    pub fn new(points: u64, sides: [f64; 3]) -> Chance {
        let longest = sides.into_iter().fold(f64::MIN_POSITIVE, f64::max);
        let volume = sides.into_iter().map(|side| side.max(THINNEST * longest)).product();
        Chance { points: points as f64, volume }
    }

    /// Significance of `k` points within `tolerance` of a plane, spread over it as `fit` says.
    pub fn significance(&self, k: u64, fit: &Fit, tolerance: f64) -> f64 {
        // A rectangle of this spread.
        let area = 12.0 * (fit.variance[1] * fit.variance[2]).sqrt();
        let share = (2.0 * tolerance * area / self.volume).min(1.0);
        let planes = 3.0 * self.points.log10();
        self.tail(k as f64, share) - planes
    }

    /// `−log10` of an upper bound of the probability that `k` or more of the points fall into a share `p` of
    /// the volume: Chernoff's bound, which is sharp for small probabilities.
    fn tail(&self, k: f64, p: f64) -> f64 {
        let q = k / self.points;
        if q <= p {
            return 0.0;
        }
        let rest = if q < 1.0 { (1.0 - q) * ((1.0 - q) / (1.0 - p)).ln() } else { 0.0 };
        let divergence = q * (q / p.max(f64::MIN_POSITIVE)).ln() + rest;
        self.points * divergence / std::f64::consts::LN_10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of the given side, seen by its spread.
    fn square(side: f64) -> Fit {
        let variance = side * side / 12.0;
        Fit { normal: [0.0, 0.0, 1.0], centroid: [0.0; 3], variance: [0.0, variance, variance] }
    }

    #[test]
    fn the_tail_bounds_the_binomial() {
        // 30 or more of 100 in a tenth of the volume: 10^-8.3 exactly.
        let chance = Chance::new(100, [1.0; 3]);
        let binomial: f64 = (30..=100)
            .map(|k: u32| {
                let choose: f64 = (0..k).map(|i| f64::from(100 - i) / f64::from(k - i)).product();
                choose * 0.1f64.powi(k as i32) * 0.9f64.powi(100 - k as i32)
            })
            .sum();
        let bound = chance.tail(30.0, 0.1);
        assert!(bound <= -binomial.log10() && bound > -binomial.log10() - 1.5, "{bound}");
        assert_eq!(chance.tail(10.0, 0.1), 0.0);
    }

    #[test]
    fn what_chance_makes_is_not_significant() {
        // A thousand points in a cube; in a slab of a hundredth of it lie ten, or a few more.
        let chance = Chance::new(1000, [10.0; 3]);
        assert!(chance.significance(20, &square(10.0), 0.05) < 0.0);
        assert!(chance.significance(100, &square(10.0), 0.05) > 50.0);
        assert!(chance.significance(100, &square(1.0), 0.05) > 200.0);
    }

    #[test]
    fn a_cloud_that_is_one_plane_has_one() {
        let chance = Chance::new(500, [10.0, 10.0, 0.01]);
        assert!(chance.significance(500, &square(10.0), 0.005) > 300.0);
    }
}
