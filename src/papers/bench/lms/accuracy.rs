//! Figures 7 and 8: the accuracy of lines in noise.

use super::cells::Coarse;
use super::methods::METHODS;
use crate::Result;
use crate::backend::Backend;
use crate::eval::lines::{line_errors, median};
use crate::lines::{Voters, fit_voters};
use crate::lms::Refine;
use crate::synth::lines::{SparseLine, TrueLine};
use serde::{Deserialize, Serialize};

/// Images of each experiment.
pub const IMAGES: u64 = 100;
/// The paper's images.
const SIZE: [u16; 2] = [1024, 1024];
const SAMPLED: f64 = 0.5;
/// Cells of figure 7, in degrees and pixels, and its noise.
const CELLS: [[f64; 2]; 6] =
    [[1.0, 4.0], [2.0, 8.0], [3.0, 12.0], [5.0, 20.0], [6.0, 24.0], [10.0, 40.0]];
const NOISE: f64 = 0.001;
/// Noise of figure 8, and its cells.
const NOISES: [f64; 7] = [0.0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006];
const CELL: [f64; 2] = [5.0, 20.0];
/// Limits for a right line: the angle in degrees, and the distance in pixels at the middle of the line.
const RIGHT: [f64; 2] = [1.0, 2.0];

/// The accuracy of a method's lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Cells of the accumulator, in degrees.
    pub theta_step: f64,
    /// The same in pixels.
    pub rho_step: f64,
    /// Probability of noise in a pixel.
    pub noise: f64,
    /// How a cell became a line.
    pub method: Refine,
    /// Images.
    pub images: u64,
    /// Share of the images in which the line is right within 1° and 2 pixels.
    pub right: f64,
    /// Median error of the angle, in degrees.
    pub angle_median: f64,
    /// The mean error of the angle.
    pub angle_mean: f64,
    /// Mean error of the slope, in percent of the slope, as in the paper; none if a line is vertical, because
    /// its slope is infinite.
    pub slope_percent_mean: Option<f64>,
    /// The median of the same error.
    pub slope_percent_median: f64,
    /// Median distance at the middle of the line, in pixels.
    pub distance_median: f64,
    /// Mean share of the cell's voters that belong to the line.
    pub inliers: f64,
}

/// Figure 7, for all methods.
///
/// # Errors
/// Errors of the backend.
pub fn over_cells(images: u64, backend: &dyn Backend) -> Result<Vec<Accuracy>> {
    let each = CELLS.iter().map(|&cell| accuracy(cell, NOISE, images, backend));
    Ok(each.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Figure 8, for all methods.
///
/// # Errors
/// Errors of the backend.
pub fn over_noise(images: u64, backend: &dyn Backend) -> Result<Vec<Accuracy>> {
    let each = NOISES.iter().map(|&noise| accuracy(CELL, noise, images, backend));
    Ok(each.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// All methods on the images of one setting.
fn accuracy(
    cell: [f64; 2],
    noise: f64,
    images: u64,
    backend: &dyn Backend,
) -> Result<Vec<Accuracy>> {
    let cases = (0..images).map(|seed| {
        let (pixels, line) = SparseLine { size: SIZE, sampled: SAMPLED, noise, seed }.draw();
        Ok((Coarse::vote(backend, SIZE, pixels, cell)?.peak(), line))
    });
    let (peaks, lines): (Vec<Voters>, Vec<TrueLine>) =
        cases.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let inliers = peaks.iter().zip(&lines).map(|(peak, line)| share(peak, line));
    let inliers = mean(&inliers.collect::<Vec<_>>());
    let of_method = |&method: &Refine| {
        let found = fit_voters(&peaks, method, backend)?;
        let errors: Vec<Errors> =
            lines.iter().zip(&found).map(|(line, &found)| Errors::of(line, found)).collect();
        let all = |of: fn(&Errors) -> f64| errors.iter().map(of).collect::<Vec<f64>>();
        let median = |of: fn(&Errors) -> f64| median(all(of)).unwrap_or(0.0);
        let right = errors.iter().filter(|e| e.angle <= RIGHT[0] && e.distance <= RIGHT[1]);
        Ok(Accuracy {
            theta_step: cell[0],
            rho_step: cell[1],
            noise,
            method,
            images,
            right: right.count() as f64 / images.max(1) as f64,
            angle_median: median(|e| e.angle),
            angle_mean: mean(&all(|e| e.angle)),
            slope_percent_mean: Some(mean(&all(|e| e.slope_percent))).filter(|m| m.is_finite()),
            slope_percent_median: median(|e| e.slope_percent),
            distance_median: median(|e| e.distance),
            inliers,
        })
    };
    METHODS.iter().map(of_method).collect()
}

/// The share of the voters that belong to the line.
fn share(peak: &Voters, line: &TrueLine) -> f64 {
    let (sin, cos) = line.theta.to_radians().sin_cos();
    let far = |p: &[u16; 2]| (f64::from(p[0]) * cos + f64::from(p[1]) * sin - line.rho).abs();
    peak.pixels.iter().filter(|p| far(p) < 0.75).count() as f64 / peak.pixels.len().max(1) as f64
}

/// How far off a line is.
struct Errors {
    /// In degrees.
    angle: f64,
    /// At the middle of the line, in pixels.
    distance: f64,
    slope_percent: f64,
}

impl Errors {
    fn of(line: &TrueLine, (theta, rho): (f64, f64)) -> Errors {
        let [angle, distance] = line_errors(line, theta, rho);
        // The slope of y over x; the normal of a horizontal line points along y.
        let slope = |theta: f64| -1.0 / theta.to_radians().tan();
        let [own, found] = [line.theta, theta].map(slope);
        Errors { angle, distance, slope_percent: 100.0 * ((found - own) / own).abs() }
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;

    #[test]
    fn among_noise_the_least_median_of_squares_is_right() {
        // Figure 8 at noise 0.002, in cells of 5 degrees and 20 pixels.
        let [cell, ols, lms] = &accuracy(CELL, 0.002, IMAGES, &Cpu::default()).unwrap()[..] else {
            panic!("three methods");
        };
        assert_eq!([cell.method, ols.method, lms.method], METHODS);
        assert!(lms.right >= 0.95 && lms.angle_median <= 0.05, "{lms:?}");
        assert!(cell.angle_median > 10.0 * lms.angle_median, "{cell:?}");
        assert!(ols.angle_median > 5.0 * lms.angle_median, "{ols:?}");
    }
}
