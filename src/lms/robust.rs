//! How far points may lie from a robust fit.

/// Points within this many robust standard deviations of the robust fit enter the final one.
pub const SIGMAS: f64 = 2.5;

/// The robust standard deviation of `n` residuals whose median magnitude is `median`, after a fit of
/// `parameters` parameters (Rousseeuw and Leroy 1987).
pub fn robust_sigma(median: f64, n: usize, parameters: usize) -> f64 {
    1.4826 * (1.0 + 5.0 / n.saturating_sub(parameters).max(1) as f64) * median
}
