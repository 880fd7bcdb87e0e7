//! A space: directions times bins of `ρ`.

use super::axis::RhoAxis;
use crate::{Error, Result};

/// Most bins of a space.
const MOST: u64 = 1 << 31;

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
        if size > MOST {
            return Err(Error::Parameter(too_many(&directions, rho)));
        }
        if size == 0 || !rho.bin.is_normal() || rho.bin < 0.0 || !rho.min.is_finite() {
            return Err(Error::Parameter(format!(
                "a space of {} directions and {} bins of {:?} does not work: choose a larger `rho_bin` or \
                 coarser `directions`, in images `rho_step` and `theta_step`",
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

/// What is said of more bins than a space can have: how much wider they must be, in whatever unit.
fn too_many(directions: &[[f64; 3]], rho: RhoAxis) -> String {
    /// Bins beyond the ends of an axis.
    const SPARE: u64 = 6;
    let count = directions.len() as u64;
    // Lines lie in one plane.
    let (width, step) = match directions.iter().all(|d| d[2] == 0.0) {
        true => ("rho_step", "theta_step"),
        false => ("rho_bin", "directions"),
    };
    let room = (MOST / count).saturating_sub(SPARE);
    if room == 0 {
        return format!("{count} directions are too many for a space; choose coarser `{step}`");
    }
    let bins = (-2.0 * rho.min / rho.bin).max(f64::from(rho.bins));
    let times = (bins / room as f64).max(1.0);
    let larger = if times.is_finite() { at_least(times) } else { "far larger".into() };
    format!(
        "`{width}` is too small: with {count} directions and no more than 2^31 bins in all, it must be \
         {larger}; or choose coarser `{step}`"
    )
}

/// So many times as large, rounded up to two digits.
fn at_least(times: f64) -> String {
    let exponent = times.log10().floor() as i32;
    let unit = 10f64.powi(exponent - 1);
    let digits = (times / unit).ceil();
    let times = if exponent < 4 {
        format!("{}", digits * 10f64.powi(exponent + 1) / 100.0)
    } else {
        format!("{}e{exponent}", digits / 10.0)
    };
    format!("at least {times} times as large")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impossible_space_is_refused() {
        let axis = RhoAxis { min: 0.0, bin: 1.0, bins: 1 << 20 };
        assert!(Space::new(vec![[0.0, 0.0, 1.0]; 1 << 12], axis).is_err());
        assert!(Space::new(vec![], axis).is_err());
        assert!(Space::new(vec![[0.0, 0.0, 1.0]], RhoAxis { bin: 0.0, ..axis }).is_err());
    }

    #[test]
    fn bins_that_are_too_small_say_how_large_they_must_be() {
        let directions = vec![[0.0, 0.0, 1.0]; 5000];
        let refusal = |directions: &[[f64; 3]], bin: f64| {
            let space = Space::new(directions.to_vec(), RhoAxis::symmetric(7.0, bin));
            space.err().map(|error| error.to_string())
        };
        // Bins so many times as large are few enough, and fewer times are not.
        for (bin, times, much) in [(1e-12, "3.3e7", 3.3e7), (1e-5, "3.3", 3.3), (1e-6, "33", 33.0)]
        {
            let said = refusal(&directions, bin).unwrap();
            assert!(said.contains(&format!("at least {times} times as large")), "{bin}: {said}");
            assert!(said.starts_with("`rho_bin` is too small"), "{said}");
            assert_eq!(refusal(&directions, bin * much), None, "{bin}");
            assert!(refusal(&directions, bin * much * 0.95).is_some(), "{bin}");
        }
        assert!(refusal(&directions, 1e-320).unwrap().contains("must be far larger"));
        let lines = refusal(&[[1.0, 0.0, 0.0]; 5000], 1e-9).unwrap();
        assert!(lines.starts_with("`rho_step` is too small"), "{lines}");
    }
}
