//! What chance would put into a bin.

/// Edge pixels strewn over an image with the same probability everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// Probability that a pixel is an edge pixel.
    pub density: f64,
    /// How many times the votes scatter as they would if pixels were independent; at least 1.
    pub scatter: f64,
}

impl Chance {
    /// `votes` in a bin of `area` pixels, in standard deviations above what is expected. The 4 keeps
    /// small counts from looking significant.
    #[inline]
    pub fn z(&self, votes: u32, area: u32) -> f64 {
        let (p, area) = (self.density, f64::from(area));
        let deviation = (p * (1.0 - p) * area + 4.0).sqrt() * self.scatter;
        (f64::from(votes) - p * area) / deviation
    }

    /// `ln` of (a bound from above of) the probability of so many votes or more: Chernoff's.
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
