//! Table 2: the lines of a photograph with added noise.

use super::accuracy::mean;
use super::cells::Coarse;
use super::methods::METHODS;
use crate::backend::Backend;
use crate::image::{EdgeMap, Image, Method};
use crate::lines::{Options, Voters, detect_in, fit_voters};
use crate::lms::Refine;
use crate::synth::lines::{Hardness, LineOptions, TrueLine, draw, strewn};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Cells of the accumulator, in degrees and pixels.
pub const PHOTO_CELL: [f64; 2] = [2.0, 5.0];
/// Probabilities that noise makes a pixel an edge; the paper does not give its own.
pub const PHOTO_NOISE: [f64; 4] = [0.0, 0.005, 0.01, 0.02];
/// The seed of the noise and of a drawn photograph.
const SEED: u64 = 1;
/// Number of lines of a photograph; the most significant are taken.
const LINES: usize = 16;
/// Number of positions along a line at which its error is measured.
const PLACES: u32 = 64;

/// The errors of a method over all lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhotoErrors {
    /// Probability that noise makes a pixel an edge; none for all probabilities together.
    pub noise: Option<f64>,
    /// How a cell became a line.
    pub method: Refine,
    /// Number of lines.
    pub lines: usize,
    /// Mean error, in pixels: of each line, the mean distance from the true one, along `y` if the line
    /// is closer to horizontal, else along `x`.
    pub mean: f64,
    /// Its standard deviation over the lines.
    pub deviation: f64,
}

/// All methods on the lines of a photograph, and its name. The true lines of `photo` are the best that
/// [`detect_in`] finds without noise; without a `photo`, one with known lines is drawn.
///
/// # Errors
/// [`Error::Parameter`] for a photograph without lines; errors of the backend.
pub fn on_photo(
    photo: Option<&Image>,
    backend: &dyn Backend,
) -> Result<(Vec<PhotoErrors>, String)> {
    let (edges, lines, name) = truth(photo, backend)?;
    let size = [edges.width as u16, edges.height as u16];
    let mut all: Vec<Vec<f64>> = vec![Vec::new(); METHODS.len()];
    let mut table = Vec::new();
    for noise in PHOTO_NOISE {
        let mut pixels = edges.pixels.clone();
        pixels.extend(strewn(size, noise, SEED));
        pixels.sort_unstable_by_key(|&[x, y]| [y, x]);
        pixels.dedup();
        let coarse = Coarse::vote(backend, size, pixels, PHOTO_CELL)?;
        let peaks: Vec<Voters> = lines.iter().map(|line| coarse.peak_at(line)).collect();
        for (method, all) in METHODS.into_iter().zip(&mut all) {
            let found = fit_voters(&peaks, method, backend)?;
            let errors: Vec<f64> =
                lines.iter().zip(found).map(|(line, found)| separation(line, found)).collect();
            table.push(summary(Some(noise), method, &errors));
            all.extend(errors);
        }
    }
    table.extend(METHODS.iter().zip(&all).map(|(&method, errors)| summary(None, method, errors)));
    Ok((table, name))
}

/// The edges of a photograph and its lines.
fn truth(photo: Option<&Image>, backend: &dyn Backend) -> Result<(EdgeMap, Vec<TrueLine>, String)> {
    let Some(photo) = photo else {
        let options = LineOptions { kind: Hardness::Photo, seed: SEED, ..LineOptions::default() };
        let (image, truth) = draw(&options)?;
        let edges = EdgeMap::find(&image, &Method::Auto)?;
        return Ok((edges, truth.lines, "drawn photograph, its lines known".into()));
    };
    let edges = EdgeMap::find(photo, &Method::Auto)?;
    let found = detect_in(&edges, &Options::default(), backend)?.lines;
    let longest = |line: &crate::lines::Line| {
        let [first, last] = [line.segments.first()?, line.segments.last()?];
        Some(TrueLine::between([first.start, last.end]))
    };
    let lines: Vec<TrueLine> = found.iter().take(LINES).filter_map(longest).collect();
    if lines.is_empty() {
        let message = format!("{}: it has no lines to compare with", photo.path().display());
        return Err(Error::Parameter(message));
    }
    let name = format!("{}, its lines those found without noise", photo.path().display());
    Ok((edges, lines, name))
}

/// The mean distance of a line from a true one, along the axis that crosses both.
fn separation(line: &TrueLine, (theta, rho): (f64, f64)) -> f64 {
    let (sin, cos) = theta.to_radians().sin_cos();
    let [dx, dy] = [0, 1].map(|a| line.end[a] - line.start[a]);
    let across = if dx.abs() >= dy.abs() { sin } else { cos };
    let at = |k: u32| {
        let t = (f64::from(k) + 0.5) / f64::from(PLACES);
        let [x, y] = [line.start[0] + t * dx, line.start[1] + t * dy];
        ((x * cos + y * sin - rho) / across).abs()
    };
    (0..PLACES).map(at).sum::<f64>() / f64::from(PLACES)
}

fn summary(noise: Option<f64>, method: Refine, errors: &[f64]) -> PhotoErrors {
    let average = mean(errors);
    let squares: Vec<f64> = errors.iter().map(|e| (e - average).powi(2)).collect();
    PhotoErrors {
        noise,
        method,
        lines: errors.len(),
        mean: average,
        deviation: mean(&squares).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;

    #[test]
    fn separation_is_measured_across() {
        let level = TrueLine::between([[0.0, 10.0], [100.0, 10.0]]);
        assert!((separation(&level, (90.0, 13.0)) - 3.0).abs() < 1e-9);
        let upright = TrueLine::between([[10.0, 0.0], [10.0, 100.0]]);
        assert!((separation(&upright, (0.0, 8.0)) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn on_a_drawn_photograph_the_least_median_of_squares_is_best() {
        let (table, _) = on_photo(None, &Cpu::default()).unwrap();
        assert_eq!(table.len(), METHODS.len() * (PHOTO_NOISE.len() + 1));
        let all = |method| table.iter().find(|e| e.noise.is_none() && e.method == method).unwrap();
        let [cell, ols, lms] = METHODS.map(|method| all(method).mean);
        assert!(lms < cell && lms < ols, "{cell} {ols} {lms}");
    }
}
