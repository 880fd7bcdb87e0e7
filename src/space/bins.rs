//! A space: directions times bins of `ρ`.

use super::axis::RhoAxis;
use crate::{Error, Result};

/// A space: directions times `ρ` bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    directions: Vec<[f64; 3]>,
    rho: RhoAxis,
}

impl Space {
    /// A space of the given directions and bins.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is no direction or no bin, or more than `2^31` bins in all.
    pub fn new(directions: Vec<[f64; 3]>, rho: RhoAxis) -> Result<Space> {
        let size = directions.len() as u64 * u64::from(rho.bins);
        if size == 0
            || size > 1 << 31
            || !rho.bin.is_normal()
            || rho.bin < 0.0
            || !rho.min.is_finite()
        {
            return Err(Error::Parameter(format!(
                "a space of {} directions and {} bins of {:?} does not work; it must have 1 to 2^31 \
                 bins in all: choose a larger `rho_bin` or coarser `directions`, in images `rho_step` and `theta_step`",
                directions.len(),
                rho.bins,
                rho.bin
            )));
        }
        Ok(Space { directions, rho })
    }

    /// The unit directions (not of unit length in Cartesian spaces).
    pub fn directions(&self) -> &[[f64; 3]] {
        &self.directions
    }

    /// The bins of `ρ`.
    pub fn rho(&self) -> RhoAxis {
        self.rho
    }

    /// Number of directions, `K`.
    pub fn rows(&self) -> usize {
        self.directions.len()
    }

    /// Number of bins in a row, `R`.
    pub fn bins(&self) -> usize {
        self.rho.bins as usize
    }

    /// Number of bins in all, `K × R`.
    pub fn size(&self) -> usize {
        self.rows() * self.bins()
    }

    /// The direction and the middle of `ρ` of bin `index` of the accumulator.
    pub fn plane(&self, index: usize) -> ([f64; 3], f64) {
        let (row, r) = (index / self.bins(), index % self.bins());
        (self.directions[row], self.rho.centre(r as u32))
    }

    /// The table that every `f32` voter uses: see [`crate::vote::bin`].
    pub fn vote_table(&self) -> Vec<[f32; 4]> {
        let scale = 1.0 / self.rho.bin;
        let shift = (-self.rho.min * scale) as f32;
        let row = |d: &[f64; 3]| {
            [(d[0] * scale) as f32, (d[1] * scale) as f32, (d[2] * scale) as f32, shift]
        };
        self.directions.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impossible_space_is_refused() {
        let axis = RhoAxis { min: 0.0, bin: 1.0, bins: 1 << 20 };
        assert!(Space::new(vec![[0.0, 0.0, 1.0]; 1 << 12], axis).is_err());
        assert!(Space::new(vec![], axis).is_err());
    }
}
