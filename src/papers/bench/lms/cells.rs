//! Lines from a coarse accumulator.

use crate::Result;
use crate::backend::Backend;
use crate::lines::{Polar, Voters};
use crate::space::turned_towards;
use crate::synth::lines::TrueLine;
use crate::vote::{bin, position};

/// A line is in a cell or at its edge if it is no farther than this from the cell's middle, in cells.
const NEAR: f64 = 0.75;

/// A coarse accumulator of an image.
pub(super) struct Coarse {
    polar: Polar,
    counts: Vec<u32>,
    pixels: Vec<[u16; 2]>,
}

impl Coarse {
    /// Lets pixels vote in cells of the given size in degrees and pixels.
    pub fn vote(
        backend: &dyn Backend,
        size: [u16; 2],
        pixels: Vec<[u16; 2]>,
        [theta_step, rho_step]: [f64; 2],
    ) -> Result<Coarse> {
        let directions = (180.0 / theta_step).round().max(1.0) as u32;
        let polar = Polar::centred(size.map(u32::from), directions, rho_step)?;
        Ok(Coarse { counts: polar.vote(&pixels, backend)?, polar, pixels })
    }

    /// The cell with the most votes among those that `may_be`; the first if several are equal.
    fn best(&self, may_be: impl Fn(usize) -> bool) -> usize {
        let cells = (0..self.counts.len()).filter(|&index| may_be(index));
        cells.rev().max_by_key(|&index| self.counts[index]).unwrap_or(0)
    }

    /// The cell with the most votes and its voters.
    pub fn peak(&self) -> Voters {
        self.voters(self.best(|_| true))
    }

    /// The same among the cells that a line is in or at the edge of.
    pub fn peak_at(&self, line: &TrueLine) -> Voters {
        let bins = self.polar.space.bins();
        let axis = self.polar.space.rho();
        let step = self.polar.theta_step();
        let is_near = |index: usize| {
            let (row, r) = ((index / bins) as f64, index % bins);
            let (theta, rho) = turned_towards(row * step, (line.theta, line.rho));
            if (row - theta / step).abs() > NEAR {
                return false;
            }
            let (sin, cos) = theta.to_radians().sin_cos();
            let [x, y] = self.polar.origin.map(f64::from);
            let rho = rho - x * cos - y * sin;
            ((axis.centre(r as u32) - rho) / axis.bin).abs() <= NEAR
        };
        self.voters(self.best(is_near))
    }

    /// The pixels that voted for a cell.
    fn voters(&self, index: usize) -> Voters {
        let space = &self.polar.space;
        let (row, r) = (index / space.bins(), index % space.bins());
        let table = space.vote_table()[row];
        let is_in =
            |&&p: &&[u16; 2]| bin(position(table, self.polar.point(p)), space.bins()) == Some(r);
        Voters {
            theta: self.polar.theta_step() * row as f64,
            rho: self.polar.line(index).1,
            pixels: self.pixels.iter().filter(is_in).copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;

    #[test]
    fn the_peak_of_a_line_is_its_own_cell() {
        let pixels: Vec<[u16; 2]> = (10..90).map(|i| [i, 40]).collect();
        let voters = |steps| {
            Coarse::vote(&Cpu::default(), [100, 100], pixels.clone(), steps).unwrap().peak()
        };
        let peak = voters([5.0, 3.0]);
        assert_eq!((peak.theta, peak.pixels.len()), (90.0, 80));
        assert!((peak.rho - 40.0).abs() <= 1.5, "{}", peak.rho);
    }

    #[test]
    fn a_line_is_looked_for_across_the_seam() {
        // Vertical, within half a degree to either side.
        for lean in [-3.0, 0.0, 3.0] {
            let x = |y: u16| (50.0 + lean * (f64::from(y) - 50.0) / 300.0).round() as u16;
            let mut pixels: Vec<[u16; 2]> = (0..100).map(|y| [x(y), y]).collect();
            // Other pixels have more votes elsewhere.
            pixels.extend((0..100).flat_map(|x| [[x, 20], [x, 21]]));
            let ends = [[f64::from(x(0)), 0.0], [f64::from(x(99)), 99.0]];
            let coarse = Coarse::vote(&Cpu::default(), [100, 100], pixels, [2.0, 5.0]).unwrap();
            let voters = coarse.peak_at(&TrueLine::between(ends));
            assert!(voters.pixels.len() >= 95, "{lean}: {}", voters.pixels.len());
            let turn = voters.theta.min(180.0 - voters.theta);
            assert!(turn <= 2.0, "{lean}: {}", voters.theta);
        }
    }
}
