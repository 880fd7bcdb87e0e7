//! The search on the CPU.

use crate::Result;
use crate::backend::Backend;
use crate::image::EdgeMap;
use crate::lines::{Chance, Polar, areas, is_outdone, least_excess};
use rayon::prelude::*;

/// Number of bins tested together, because nearly all fail.
const PART: usize = 256;

/// A bin that stands out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Row of its direction.
    pub theta: u32,
    /// Its index on the axis of `ρ`.
    pub rho: u32,
    /// Its votes.
    pub votes: u32,
    /// By how many standard deviations the votes exceed the number expected by chance.
    pub z: f64,
}

/// Data shared by all images of a size: the space, and the number of pixels in each bin.
#[derive(Debug, Clone, PartialEq)]
pub struct BinSearch {
    polar: Polar,
    areas: Vec<u32>,
    least: f64,
}

impl BinSearch {
    /// For images of a size, with this many directions over half a turn and this bin width, such that
    /// chance makes at most `false_alarms` bins in an image stand out.
    ///
    /// # Errors
    /// If the space would have too many bins.
    pub fn new(
        size: [u32; 2],
        directions: u32,
        rho_step: f64,
        false_alarms: f64,
    ) -> Result<BinSearch> {
        let polar = Polar::centred(size, directions, rho_step)?;
        let least = least_excess(polar.space.size(), false_alarms).max(1.0);
        Ok(BinSearch { areas: areas(&polar), polar, least })
    }

    /// The space.
    pub fn polar(&self) -> &Polar {
        &self.polar
    }

    /// The number of image pixels in each bin of the space.
    pub fn areas(&self) -> &[u32] {
        &self.areas
    }

    /// The lowest score of a bin that stands out.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// The bins that stand out in an image of this search's size, best first; equal bins stay in the order
    /// of the accumulator.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn find(&self, edges: &EdgeMap, backend: &dyn Backend) -> Result<Vec<Bin>> {
        Ok(self.select(&self.vote(edges, backend)?, edges.pixels.len()))
    }

    /// The accumulator of an image, row by row.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn vote(&self, edges: &EdgeMap, backend: &dyn Backend) -> Result<Vec<u32>> {
        self.polar.vote(&edges.pixels, backend)
    }

    /// The bins that stand out in an accumulator of `edges` edges, best first.
    pub fn select(&self, counts: &[u32], edges: usize) -> Vec<Bin> {
        let bins = self.polar.space.bins();
        let pixels = f64::from(self.polar.size[0]) * f64::from(self.polar.size[1]);
        let chance = Chance { density: edges as f64 / pixels, scatter: 1.0 };
        let z = |index: usize| chance.z(counts[index], self.areas[index]);
        let shape = [self.polar.space.rows(), bins];
        let stands_out = |index: usize| {
            let here = z(index);
            (here >= self.least && !is_outdone(shape, index, here, z)).then_some(Bin {
                theta: (index / bins) as u32,
                rho: (index % bins) as u32,
                votes: counts[index],
                z: here,
            })
        };
        // A standard deviation is at least two, so most bins are rejected without computing it.
        let chosen = Excess { density: chance.density, least: 2.0 * self.least };
        let parts = counts.par_chunks(PART).zip(self.areas.par_chunks(PART)).enumerate();
        let mut found: Vec<Bin> = parts
            .flat_map_iter(|(part, (votes, areas))| {
                let any = chosen.any(votes, areas);
                let first = part * PART;
                let some = if any { first..first + votes.len() } else { 0..0 };
                some.filter(|&index| chosen.has(counts[index], self.areas[index]))
                    .filter_map(stands_out)
            })
            .collect();
        // The bins are in the order of the accumulator, and a stable sort keeps that order among equals.
        found.sort_by(|a, b| b.z.total_cmp(&a.z));
        found
    }
}

/// By how many votes a bin must exceed the expected number, whatever the standard deviation.
#[derive(Clone, Copy)]
struct Excess {
    density: f64,
    least: f64,
}

impl Excess {
    /// Whether a bin has that excess.
    #[inline(always)]
    fn has(self, votes: u32, area: u32) -> bool {
        f64::from(votes) - self.density * f64::from(area) >= self.least
    }

    /// Whether any of many bins has that excess; all are tested, so that the loop is vectorized.
    #[inline(always)]
    fn any_plain(self, votes: &[u32], areas: &[u32]) -> bool {
        votes.iter().zip(areas).fold(false, |any, (&votes, &area)| any | self.has(votes, area))
    }

    /// The same, with the widest vectors available.
    fn any(self, votes: &[u32], areas: &[u32]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, as just checked.
            return unsafe { self.any_avx2(votes, areas) };
        }
        self.any_plain(votes, areas)
    }

    /// The same code, compiled for vectors that are twice as wide.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn any_avx2(self, votes: &[u32], areas: &[u32]) -> bool {
        self.any_plain(votes, areas)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;
    use crate::image::Method;

    /// A row, a column and a diagonal, with scattered noise.
    fn crossing() -> EdgeMap {
        let mut state = 3u64;
        let mut noise = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33).is_multiple_of(20)
        };
        let pixels: Vec<[u16; 2]> = (0..120 * 90)
            .map(|i| [i % 120, i / 120])
            .filter(|&[x, y]| y == 20 || x == 100 || x == y || noise())
            .collect();
        EdgeMap {
            width: 120,
            height: 90,
            pixels,
            gradients: Vec::new(),
            method: Method::Drawing { dark: false },
        }
    }

    #[test]
    fn every_bin_above_the_least_that_nobody_outdoes_is_found() {
        let (edges, search) = (crossing(), BinSearch::new([120, 90], 60, 1.0, 1e6).unwrap());
        let counts = search.vote(&edges, &Cpu::default()).unwrap();
        let density = edges.pixels.len() as f64 / (120.0 * 90.0);
        let chance = Chance { density, scatter: 1.0 };
        let z = |i: usize| chance.z(counts[i], search.areas()[i]);
        let shape = [60, search.polar().space.bins()];
        let mut expected: Vec<usize> = (0..counts.len())
            .filter(|&i| z(i) >= search.least() && !is_outdone(shape, i, z(i), z))
            .collect();
        expected.sort_by(|&a, &b| z(b).total_cmp(&z(a)).then(a.cmp(&b)));
        assert!(expected.len() > 20, "{}", expected.len());
        let found = search.select(&counts, edges.pixels.len());
        let places = found.iter().map(|bin| bin.theta as usize * shape[1] + bin.rho as usize);
        assert_eq!(places.collect::<Vec<_>>(), expected);
        assert!(
            found.iter().zip(&expected).all(|(bin, &i)| bin.z == z(i) && bin.votes == counts[i])
        );
    }

    #[test]
    fn crossing_lines_stand_out_once_each() {
        let edges = crossing();
        let search = BinSearch::new([120, 90], 180, 1.0, 1e-3).unwrap();
        let found = search.find(&edges, &Cpu::default()).unwrap();
        assert!(found.windows(2).all(|pair| pair[0].z >= pair[1].z));
        assert!(found.iter().all(|bin| bin.z >= search.least()));
        let mut best: Vec<u32> = found[..3].iter().map(|bin| bin.theta).collect();
        best.sort_unstable();
        assert_eq!(best, [0, 90, 135]);
        assert_eq!(found.iter().map(|bin| bin.votes).max(), Some(120));
    }
}
