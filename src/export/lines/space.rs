//! The Hough space of an image with its axes, and the lines marked.

use crate::export::output::{About, Export, Lines};
use crate::export::picture::canvas::{Canvas, LETTER, Rect};
use crate::export::picture::{Image as Sheet, round_length};
use crate::lines::{Line, Polar};
use crate::{Result, atomic};
use std::path::Path;

/// The colour of marks.
const RED: [u8; 3] = [255, 60, 40];
/// The background around the votes, and the colour of text on it.
const GROUND: [u8; 3] = [24, 26, 32];
const INK: [u8; 3] = [190, 196, 206];
/// Half the side of a mark.
const MARK: i64 = 5;

/// The votes of all edge pixels as a PNG file: θ from left to right, ρ from top to bottom, one pixel per bin,
/// with both axes. Brightness follows the square root of the votes. The origin is the top left pixel, so
/// each mark is at the θ and ρ of its line.
pub struct Space;

impl Export<Lines<'_>> for Space {
    fn about(&self) -> About {
        let what = "a picture of the Hough space with the lines marked";
        // `--space` already means directions.
        About { option: "space-image", ..About::new("space", what, &[".space.png"]) }
    }

    fn save(&self, &Lines { edges, detection, backend, .. }: &Lines, path: &Path) -> Result<()> {
        let directions = (180.0 / detection.parameters.theta_step).round() as u32;
        let size = [edges.width, edges.height];
        let polar = Polar::top_left(size, directions, detection.parameters.rho_step)?;
        let counts = polar.vote(&edges.pixels, backend)?;
        atomic::save(path, |file| draw(&polar, &counts, &detection.lines).write_png(file))
    }
}

/// The votes with marks and axes.
fn draw(polar: &Polar, counts: &[u32], lines: &[Line]) -> Sheet {
    let (rows, bins) = (polar.space.rows(), polar.space.bins());
    let most = f64::from(counts.iter().copied().max().unwrap_or(0).max(1));
    let votes = |i: usize| {
        let votes = f64::from(counts[i % rows * bins + i / rows]);
        [(255.0 * (votes / most).sqrt()).round() as u8; 3]
    };
    let mut pixels: Vec<[u8; 3]> = (0..rows * bins).map(votes).collect();
    let axis = polar.space.rho();
    for line in lines {
        let column = (line.theta / polar.theta_step()).round() as i64;
        let row = ((line.rho - axis.min) / axis.bin).floor() as i64;
        mark(&mut pixels, [rows as i64, bins as i64], [column, row]);
    }
    let axes = Axes::new(polar);
    let (width, height) = axes.sheet();
    let mut canvas = Canvas::new(width, height, GROUND);
    canvas.paste(axes.votes, &pixels);
    axes.draw(&mut canvas, polar);
    Sheet { width: width as u32, height: height as u32, rgb: canvas.into_rgb() }
}

/// A square around a bin.
fn mark(pixels: &mut [[u8; 3]], [width, height]: [i64; 2], [column, row]: [i64; 2]) {
    for k in -MARK..=MARK {
        for [dx, dy] in [[k, -MARK], [k, MARK], [-MARK, k], [MARK, k]] {
            let (x, y) = (column + dx, row + dy);
            if (0..width).contains(&x) && (0..height).contains(&y) {
                pixels[(y * width + x) as usize] = RED;
            }
        }
    }
}

/// The positions of the votes and of the text around them.
struct Axes {
    /// The votes.
    votes: Rect,
    /// Size of the letters.
    size: usize,
}

/// Letters to the left of the votes: `-12345` and a tick.
const LEFT: usize = 7;

impl Axes {
    fn new(polar: &Polar) -> Axes {
        let (width, height) = (polar.space.rows(), polar.space.bins());
        let size = (width / 300).clamp(1, 3);
        let letter = LETTER * size;
        Axes { votes: Rect { x: LEFT * letter, y: 2 * letter, width, height }, size }
    }

    /// Width and height of the whole picture.
    fn sheet(&self) -> (usize, usize) {
        let letter = LETTER * self.size;
        let Rect { x, y, width, height } = self.votes;
        (x + width + 2 * letter, y + height + 3 * letter)
    }

    /// θ below and ρ to the left, with a tick and a number at round values.
    fn draw(&self, canvas: &mut Canvas, polar: &Polar) {
        let (size, letter) = (self.size, LETTER * self.size);
        let Rect { x, y, width, height } = self.votes;
        let (right, bottom) = (x + width, y + height);
        let tick = |x, y, width, height| Rect { x, y, width, height };
        canvas.text(letter / 2, letter / 2, "ρ px", size, INK);
        canvas.text(letter / 2, bottom + letter, "θ °", size, INK);
        for degrees in (0..=180).step_by(if width < 300 { 90 } else { 30 }) {
            let at =
                (x as f64 + f64::from(degrees) / polar.theta_step()).min(right as f64) as usize;
            canvas.fill(tick(at, bottom, size, 4 * size), INK);
            let text = degrees.to_string();
            canvas.text(at - text.len() * letter / 2, bottom + letter, &text, size, INK);
        }
        let axis = polar.space.rho();
        let Some((step, _)) =
            round_length(axis.bin * (height as f64 / 6.0).max(3.0 * letter as f64))
        else {
            return;
        };
        let last = axis.min + axis.bin * height as f64;
        for k in (axis.min / step).ceil() as i64..=(last / step).floor() as i64 {
            let rho = k as f64 * step;
            let at = y + ((rho - axis.min) / axis.bin) as usize;
            canvas.fill(tick(x - 4 * size, at, 4 * size, size), INK);
            let text = tick_text(k, step);
            let start = x.saturating_sub((text.len() + 1) * letter);
            canvas.text(start, at.saturating_sub(letter / 2), &text, size, INK);
        }
    }
}

/// `k` steps as text, with as many decimals as the step has: in `f64`, 3 times 0.2 is 0.6000000000000001.
fn tick_text(k: i64, step: f64) -> String {
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{:.decimals$}", k as f64 * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_have_the_decimals_of_their_step() {
        assert_eq!(
            [tick_text(3, 0.2), tick_text(-3, 0.1), tick_text(7, 0.05)],
            ["0.6", "-0.3", "0.35"]
        );
        assert_eq!(
            [tick_text(-3, 100.0), tick_text(0, 0.5), tick_text(4, 2.0)],
            ["-300", "0.0", "8"]
        );
    }

    /// Rows of the left margin and columns of the lower one that have a tick.
    fn ticks(sheet: &Sheet, axes: &Axes) -> (Vec<usize>, Vec<usize>) {
        let ink = |x: usize, y: usize| {
            let at = 3 * (y * sheet.width as usize + x);
            sheet.rgb[at..at + 3] == INK
        };
        let Rect { x, y, width, height } = axes.votes;
        let rows = (y..y + height).filter(|&row| ink(x - 1, row)).map(|row| row - y);
        let columns = (x..=x + width).filter(|&column| ink(column, y + height)).map(|c| c - x);
        (rows.collect(), columns.collect())
    }

    #[test]
    fn ticks_stand_at_round_values() {
        let polar = Polar::top_left([300, 200], 180, 1.0).unwrap();
        let counts = vec![0; polar.space.rows() * polar.space.bins()];
        let sheet = draw(&polar, &counts, &[]);
        let axes = Axes::new(&polar);
        assert_eq!((sheet.width as usize, sheet.height as usize), axes.sheet());
        let (rows, columns) = ticks(&sheet, &axes);
        assert_eq!(columns, [0, 90, 180]);
        // ρ reaches from -362.5 to 362.5.
        let of = |rho: f64| (rho - polar.space.rho().min) as usize;
        assert_eq!(rows, [-300.0, -200.0, -100.0, 0.0, 100.0, 200.0, 300.0].map(of));
    }
}
