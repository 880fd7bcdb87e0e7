//! The paper's own figures.

use crate::lms::Refine;

/// Seconds of the topological sweep and of the paper's algorithm in Table 1, on an Intel E6550 and
/// an NVIDIA GTX 720, as the paper names it.
pub fn seconds(points: usize) -> Option<[f64; 2]> {
    match points {
        128 => Some([42.52e-3, 0.98e-3]),
        256 => Some([172.12e-3, 4.22e-3]),
        512 => Some([691.35e-3, 35.3e-3]),
        _ => None,
    }
}

/// Mean error of the slope in percent over all cells of figure 7, where the text states it.
pub fn slope_percent(method: Refine) -> Option<f64> {
    match method {
        Refine::Ols => Some(12.4),
        Refine::Lms => Some(0.37),
        _ => None,
    }
}

/// Mean and standard deviation of the error in pixels in Table 2.
pub fn photo(method: Refine) -> Option<[f64; 2]> {
    match method {
        Refine::None => Some([4.393, 2.658]),
        Refine::Ols => Some([4.893, 2.840]),
        Refine::Lms => Some([0.765, 0.404]),
        Refine::Stroke => None,
    }
}
