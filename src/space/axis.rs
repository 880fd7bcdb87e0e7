//! The axis of `ρ`.

/// The equal bins of `ρ`: bin `r` holds `min + r·bin ≤ ρ < min + (r + 1)·bin`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RhoAxis {
    /// Lower edge of bin 0.
    pub min: f64,
    /// Width of a bin.
    pub bin: f64,
    /// Number of bins.
    pub bins: u32,
}

impl RhoAxis {
    /// An axis around zero that holds every `|ρ| ≤ radius`, with an even number of bins.
    ///
    /// `ρ` in bin `r` then has `−ρ` in bin `bins − 1 − r`, as the seam requires. One bin is spare at either
    /// end, so that rounding in `f32` never leaves the axis.
    pub fn symmetric(radius: f64, bin: f64) -> RhoAxis {
        let half = (radius / bin).floor() + 2.0;
        RhoAxis { min: -half * bin, bin, bins: (half as u32).saturating_mul(2) }
    }

    /// An axis that holds every `|ρ| ≤ radius` and has the middle of a bin at zero. It is meant for pixels:
    /// lines along rows and columns then lie in the middle of bins.
    ///
    /// Here, too, `ρ` in bin `r` has `−ρ` in bin `bins − 1 − r`.
    pub fn centred(radius: f64, bin: f64) -> RhoAxis {
        let half = (radius / bin).floor() + 2.0;
        let bins = (half as u32).saturating_mul(2).saturating_add(1);
        RhoAxis { min: -(half + 0.5) * bin, bin, bins }
    }

    /// The middle of bin `r`.
    pub fn centre(&self, r: u32) -> f64 {
        self.min + (f64::from(r) + 0.5) * self.bin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bins_than_can_be_counted_are_as_many_as_can() {
        for bin in [1e-9, 1e-300] {
            assert_eq!(RhoAxis::symmetric(5.0, bin).bins, u32::MAX);
            assert_eq!(RhoAxis::centred(5.0, bin).bins, u32::MAX);
        }
    }

    #[test]
    fn a_symmetric_axis_mirrors_its_bins() {
        let axis = RhoAxis::symmetric(91.3, 1.0);
        assert_eq!(axis.bins % 2, 0);
        let bin = |rho: f64| ((rho - axis.min) / axis.bin).floor() as u32;
        for rho in [0.5, 17.25, 91.25] {
            assert_eq!(bin(-rho), axis.bins - 1 - bin(rho));
        }
        assert!(bin(91.3) < axis.bins - 1 && bin(-91.3) > 0);
    }
}
