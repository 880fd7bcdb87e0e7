//! How a surface undulates about its plane.
//!
//! Plaster, a scanner that drifts and the fusion of depth images displace a wall by more than its noise, over decimetres to metres. The
//! points of a block as wide err together: they are one witness of where the plane lies, not thousands.

use super::found::FoundPlane;
use crate::surface::moments::{Fit, Moments};
use crate::surface::plane::LocalPlane;
use crate::surface::surfels::Surfels;
use crate::vector::{Vec3, axes, dot, minus};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Number of blocks of a plane that is a rectangle.
const BLOCKS: i64 = 16;
/// Fewer blocks tell nothing: a plane through them takes three of their errors away.
const FEWEST: usize = 8;
/// Parameters of a plane.
const PARAMETERS: f64 = 3.0;

/// A block of a plane.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    points: f64,
    mean: Vec3,
}

/// The blocks of a plane, which tell how far its surface undulates.
#[derive(Debug, Clone, Default)]
pub(super) struct Undulation {
    blocks: Vec<Block>,
}

/// The undulations of all planes that were found, whose points have these `sums`.
pub(super) fn of_all(surfels: &Surfels, found: &[FoundPlane], sums: &[Moments]) -> Vec<Undulation> {
    let of = |(plane, sums): (&FoundPlane, &Moments)| {
        sums.fit().map_or_else(Undulation::default, |fit| Undulation::of(surfels, plane, &fit))
    };
    found.par_iter().zip(sums).map(of).collect()
}

impl Undulation {
    /// That of a plane with this fit, from its surfels.
    fn of(surfels: &Surfels, plane: &FoundPlane, fit: &Fit) -> Undulation {
        let edge = fit.spacing(BLOCKS);
        let (u, v) = axes(fit.normal);
        let mut sums: BTreeMap<[i64; 2], (f64, Vec3)> = BTreeMap::new();
        for surfel in plane.support.surfels.iter().map(|&i| &surfels.list[i as usize]) {
            let from = minus(surfel.centroid, fit.centroid);
            let place = [u, v].map(|axis| (dot(from, axis) / edge).floor() as i64);
            let (points, sum) = sums.entry(place).or_default();
            let weight = f64::from(surfel.weight);
            *points += weight;
            sum.iter_mut().zip(surfel.centroid).for_each(|(sum, at)| *sum += weight * at);
        }
        let block =
            |(points, sum): (f64, Vec3)| Block { points, mean: sum.map(|sum| sum / points) };
        Undulation { blocks: sums.into_values().map(block).collect() }
    }

    /// Adds the blocks of another part of the plane.
    pub fn extend(&mut self, other: &Undulation) {
        self.blocks.extend_from_slice(&other.blocks);
    }

    /// The number of points that share one error about the plane, about which they have this `variance`; `None` if the blocks are too few.
    ///
    /// The sum of n independent errors is √n times one of them, that of n shared errors n times.
    pub fn alike(&self, plane: &LocalPlane, variance: f64) -> Option<f64> {
        let known = self.blocks.len() as f64;
        let error = |block: &Block| block.points * (dot(block.mean, plane.normal) - plane.rho);
        let squares: f64 = self.blocks.iter().map(|block| error(block).powi(2)).sum();
        let points: f64 = self.blocks.iter().map(|block| block.points).sum();
        (self.blocks.len() >= FEWEST)
            .then(|| squares / (points * variance) * known / (known - PARAMETERS))
    }
}

#[cfg(test)]
impl Undulation {
    /// That of sixteen blocks of 56 points around a place, half of them so far above it, half below.
    pub fn waving(at: Vec3, swing: f64) -> Undulation {
        let block = |up: f64| Block { points: 56.0, mean: [at[0], at[1], at[2] + up * swing] };
        Undulation { blocks: [1.0, -1.0].map(block).repeat(8) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::Support;
    use super::super::testing::surfels;
    use super::*;
    use crate::frame::Points;

    /// How many points share one error on a wall with waves of this height, of which so many points a side were seen.
    fn alike(height: f64, side: u32) -> Option<f64> {
        let point = |i: u32| {
            let [u, v] = [i % side, i / side].map(|v| f64::from(v) * 100.0);
            let wave = height * (u / 1500.0).sin() * (v / 1500.0).sin();
            [u, v, wave + f64::from(i * 7919 % 61)].map(|v| v as f32)
        };
        let points: Points = (0..side * side).map(point).collect();
        let (_, surfels) = surfels(&points, 20.0);
        let mut sums = Moments::default();
        (0..points.len()).for_each(|i| sums.add(points.get(i).map(|v| v as i64)));
        let fit = sums.fit().unwrap();
        let plane = LocalPlane::of_fit(&fit, 100.0);
        let own = (0..surfels.list.len() as u32).collect();
        let LocalPlane { normal, rho, tolerance } = plane;
        let support = Support { normal, rho, tolerance, surfels: own };
        let undulation = Undulation::of(&surfels, &FoundPlane { votes: 1, support }, &fit);
        undulation.alike(&plane, fit.variance[0])
    }

    #[test]
    fn points_of_a_wave_share_their_error() {
        let flat = alike(0.0, 100).unwrap();
        assert!(flat < 2.0, "{flat}");
        // A block has 600 points, nearly all of whose error is that of the wave.
        let waving = alike(60.0, 100).unwrap();
        assert!((150.0..600.0).contains(&waving), "{waving}");
    }

    #[test]
    fn few_blocks_tell_nothing() {
        let one = Undulation { blocks: vec![Block { points: 10.0, mean: [0.0, 0.0, 1.0] }] };
        let plane = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 0.0, tolerance: 1.0 };
        assert_eq!(one.alike(&plane, 1.0), None);
        let mut more = Undulation::default();
        (0..8).for_each(|_| more.extend(&one));
        // Eight blocks off by one, with five degrees of freedom.
        assert_eq!(more.alike(&plane, 1.0), Some(800.0 / 80.0 * 8.0 / 5.0));
    }
}
