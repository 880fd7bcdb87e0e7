//! From a bin to a line: refined on its own pixels.
//!
//! A bin is coarse, and a wide stroke may run obliquely through it. So a zoom first looks for the densest line
//! around the bin. Then three steps alternate: find the visible pieces, measure the width of the
//! stroke across them, and fit a line to the pixels of the stroke.
//!
//! With another [`Refine`](crate::lms::Refine), the line is known already, and only its
//! pieces and its width are measured.

use super::fit::Sums;
use super::geometry::{Axis, length};
use super::options::Options;
use super::pieces::{Stretch, pieces};
use super::raster::Raster;
use super::zoom;

/// Half the width of the widest stroke, in pixels.
const HALF_STROKE: f64 = 12.0;
/// The middle of a stroke, in pixels: it contains at least one pixel of each step.
const MIDDLE: [f64; 2] = [-0.75, 0.75];
/// Pixels this near to a stroke are fitted with it.
const FRINGE: f64 = 0.25;
/// Cells per pixel in the profile across a stroke.
const CELLS: f64 = 2.0;
/// Most repetitions of pieces, width and fit.
const TURNS: usize = 16;
/// The ends of a piece may be off the line by a pixel and this share of the line's width...
const ASIDE: f64 = 0.15;
/// ... plus the uncertainty of the largest piece's angle, in radians.
const SURE: f64 = 0.004;
/// Least ratio of a line's length to its width.
const SLENDER: f64 = 3.0;

/// A line with its stroke.
#[derive(Debug, Clone)]
pub(super) struct Stroke {
    pub axis: Axis,
    /// Signed distances of its two edges from the line.
    pub band: [f64; 2],
    pub pieces: Vec<Stretch>,
}

impl Stroke {
    /// Its width in pixels.
    pub fn width(&self) -> f64 {
        self.band[1] - self.band[0]
    }

    /// The signed distances between which its pixels may lie, where its pieces were seen or the line fitted.
    pub fn reach(&self) -> [f64; 2] {
        let [low, high] = self.band;
        [(low - FRINGE).min(MIDDLE[0]), (high + FRINGE).max(MIDDLE[1])]
    }
}

/// A line that is known within some angle in radians and some distance in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coarse {
    pub axis: Axis,
    pub turn: f64,
    pub shift: f64,
}

impl Coarse {
    /// The pixels where the line may be.
    pub fn pixels(&self, raster: &Raster) -> Vec<[u16; 2]> {
        let mut near = Vec::new();
        if let Some([a, b]) = self.axis.chord(raster.extent()) {
            let slack = self.shift + self.turn * length(a, b) / 2.0;
            raster.walk(self.axis, 0..raster.steps(self.axis), [-slack, slack], |_, n| {
                if n.on {
                    near.push(n.pixel.map(|v| v as u16));
                }
            });
        }
        near
    }

    /// The line along which most of the pixels lie.
    fn densest(&self, raster: &Raster) -> Option<Axis> {
        let [a, b] = self.axis.chord(raster.extent())?;
        let middle = [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
        let near: Vec<[f64; 2]> =
            self.pixels(raster).into_iter().map(|p| p.map(f64::from)).collect();
        let spread = (self.turn, self.shift, length(a, b) / 2.0);
        Some(zoom::densest(&near, self.axis, middle, spread))
    }
}

/// The line around `start`. If the line is `known` already, it stays where it is and only its stroke is
/// measured. `None` if no piece of it can be seen.
pub(super) fn refine(
    raster: &Raster,
    start: Coarse,
    known: Option<Axis>,
    density: f64,
    options: &Options,
) -> Option<Stroke> {
    let min_length = options.min_length_in(raster.size.map(|n| n as u32));
    let axis = known.or_else(|| start.densest(raster))?;
    let mut stroke = Stroke { axis, band: [-0.5, 0.5], pieces: Vec::new() };
    let length = |stroke: &Stroke, piece: &Stretch| {
        (piece.to - piece.from) as f64 / stroke.axis.sin.abs().max(stroke.axis.cos.abs())
    };
    for _ in 0..TURNS {
        stroke.pieces = visible(raster, &stroke, density, options);
        keep_own(raster, &mut stroke);
        // The fit may still join a line that is in pieces, but not one that is in crumbs.
        if stroke.pieces.iter().all(|piece| length(&stroke, piece) < min_length / 2.0) {
            return None;
        }
        stroke.band = band(raster, &stroke, density);
        if known.is_some() {
            break;
        }
        let before = stroke.axis;
        fit(raster, &mut stroke)?;
        if stroke.axis == before {
            break;
        }
    }
    stroke.pieces = visible(raster, &stroke, density, options);
    keep_own(raster, &mut stroke);
    let lengths: Vec<f64> = stroke.pieces.iter().map(|piece| length(&stroke, piece)).collect();
    let mut long = lengths.iter().map(|&length| length >= min_length);
    stroke.pieces.retain(|_| long.next() == Some(true));
    let longest = lengths.into_iter().filter(|&l| l >= min_length).fold(0.0, f64::max);
    (!stroke.pieces.is_empty() && longest >= SLENDER * stroke.width()).then_some(stroke)
}

/// The pieces of a stroke in which its middle can be seen.
fn visible(raster: &Raster, stroke: &Stroke, density: f64, options: &Options) -> Vec<Stretch> {
    let mut on = vec![false; raster.steps(stroke.axis)];
    let mut pixels = 0u64;
    let mut crossed = 0u64;
    let mut last = usize::MAX;
    raster.walk(stroke.axis, 0..on.len(), MIDDLE, |step, n| {
        on[step] |= n.on;
        pixels += 1;
        crossed += u64::from(step != last);
        last = step;
    });
    let across = pixels as f64 / crossed.max(1) as f64;
    let chance = 1.0 - (1.0 - density).powf(across);
    let gap = options.max_gap * stroke.axis.sin.abs().max(stroke.axis.cos.abs());
    pieces(&on, chance, gap)
}

/// Leaves out the pieces that do not lie on one line with the largest piece: where strokes meet at small
/// angles, or nearly in line, a band through one holds parts of others.
fn keep_own(raster: &Raster, stroke: &mut Stroke) {
    let sums: Vec<Sums> = stroke.pieces.iter().map(|p| sums(raster, stroke, p)).collect();
    let Some(anchor) = (0..sums.len()).rev().max_by_key(|&i| sums[i].count()) else {
        return;
    };
    let Some(line) = sums[anchor].fit() else {
        return;
    };
    let reach = ASIDE * stroke.width() + 1.0;
    let mut own = sums.iter().enumerate().map(|(i, sums)| {
        let Some(fit) = sums.fit().filter(|_| i != anchor) else {
            return true;
        };
        // A piece with this variance extends this far to either side of its middle.
        let half = (3.0 * fit.variance[0]).sqrt();
        fit.ends(half).iter().all(|&end| {
            let beyond = length(end, line.middle) * SURE;
            line.axis.distance(end).abs() <= reach + beyond
        })
    });
    stroke.pieces.retain(|_| own.next() == Some(true));
}

/// How far the stroke extends to either side: as long as it is denser than halfway between its middle
/// and the background.
fn band(raster: &Raster, stroke: &Stroke, density: f64) -> [f64; 2] {
    let cells = (2.0 * HALF_STROKE * CELLS) as usize;
    let (mut all, mut on) = (vec![0u32; cells], vec![0u32; cells]);
    for piece in &stroke.pieces {
        let reach = [-HALF_STROKE, HALF_STROKE];
        raster.walk(stroke.axis, piece.from..piece.to, reach, |_, n| {
            let cell = ((n.distance + HALF_STROKE) * CELLS) as usize;
            all[cell.min(cells - 1)] += 1;
            on[cell.min(cells - 1)] += u32::from(n.on);
        });
    }
    let share = |from: usize, to: usize| {
        let sum = |of: &[u32]| f64::from(of[from..to].iter().sum::<u32>());
        sum(&on) / sum(&all).max(1.0)
    };
    let (middle, pixel) = (cells / 2, CELLS as usize);
    // The densest pixel around the middle.
    let starts = middle - 3 * pixel / 2..=middle + pixel / 2;
    let mut best = (middle - pixel / 2, 0.0);
    for from in starts {
        let dense = share(from, from + pixel);
        if dense > best.1 {
            best = (from, dense);
        }
    }
    let ground = share(0, 3 * pixel).min(share(cells - 3 * pixel, cells)).max(density);
    let least = (best.1 + ground) / 2.0;
    let (mut from, mut to) = (best.0, best.0 + pixel);
    while from >= pixel && share(from - pixel, from) >= least {
        from -= 1;
    }
    while to + pixel <= cells && share(to, to + pixel) >= least {
        to += 1;
    }
    [from, to].map(|cell| cell as f64 / CELLS - HALF_STROKE)
}

/// Fits the line to the pixels of its stroke; the band keeps its width and moves with the line.
fn fit(raster: &Raster, stroke: &mut Stroke) -> Option<()> {
    let mut all = Sums::default();
    stroke.pieces.iter().for_each(|piece| all.join(&sums(raster, stroke, piece)));
    let fit = all.fit()?;
    if fit.variance[0] < SLENDER * SLENDER * fit.variance[1] {
        return None;
    }
    let half = stroke.width() / 2.0;
    stroke.axis = fit.axis;
    stroke.band = [-half, half];
    Some(())
}

/// The sums over the stroke's pixels in one of its pieces.
fn sums(raster: &Raster, stroke: &Stroke, piece: &Stretch) -> Sums {
    let mut sums = Sums::default();
    let band = [stroke.band[0] - FRINGE, stroke.band[1] + FRINGE];
    raster.walk(stroke.axis, piece.from..piece.to, band, |_, n| {
        if n.on {
            sums.add(n.pixel.map(|v| v as i64));
        }
    });
    sums
}
