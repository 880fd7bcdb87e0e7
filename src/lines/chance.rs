//! The votes that chance puts into a bin.

/// Edge pixels scattered over an image with the same probability everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// Probability that a pixel is an edge pixel.
    pub density: f64,
    /// How many times wider the votes scatter than those of independent pixels; at least 1.
    pub scatter: f64,
}

impl Chance {
    /// The excess of `votes` in a bin of `area` pixels over the expected number, in standard deviations. The 4 keeps
    /// small counts from looking significant.
    #[inline]
    pub fn z(&self, votes: u32, area: u32) -> f64 {
        let (p, area) = (self.density, f64::from(area));
        let deviation = (p * (1.0 - p) * area + 4.0).sqrt() * self.scatter;
        (f64::from(votes) - p * area) / deviation
    }

    /// `ln` of Chernoff's upper bound of the probability of this many votes or more.
    pub fn log_tail(&self, votes: f64, area: f64) -> f64 {
        let p = self.density.clamp(1e-9, 1.0 - 1e-9);
        let q = (votes / area.max(1.0)).min(1.0);
        if q <= p {
            return 0.0;
        }
        let rest = if q < 1.0 { (1.0 - q) * ((1.0 - q) / (1.0 - p)).ln() } else { 0.0 };
        -area * (q * (q / p).ln() + rest) / (self.scatter * self.scatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_as_written() {
        let chance = Chance { density: 0.3, scatter: 1.0 };
        let expected = (500.0 - 300.0) / (0.3f64 * 0.7 * 1000.0 + 4.0).sqrt();
        assert!((chance.z(500, 1000) - expected).abs() < 1e-12);
        assert_eq!(Chance { scatter: 2.0, ..chance }.z(500, 1000), chance.z(500, 1000) / 2.0);
        // 30 or more of 100 at one in ten: 10^-8.3 exactly.
        let tail = Chance { density: 0.1, scatter: 1.0 }.log_tail(30.0, 100.0) / 10f64.ln();
        assert!(tail > -8.3 && tail < -6.5, "{tail}");
        assert_eq!(chance.log_tail(300.0, 1000.0), 0.0);
    }
}
