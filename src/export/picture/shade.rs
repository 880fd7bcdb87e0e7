//! From the nearest points to a picture: widened, lit, reduced.

use super::colour;
use super::view::{DepthBuffer, Seen};
use rayon::prelude::*;

/// Side of the blocks in which the density of points is measured.
const BLOCK: usize = 16;
/// Widest a point becomes: its radius, in pixels.
const WIDEST: u8 = 10;
/// Where the light comes from, as seen by the viewer of each view: right, up, toward.
const LIGHT: [f64; 3] = [0.35, 0.45, 0.82];

/// How much of a point of no plane is seen.
const FAINT: f64 = 0.7;

/// A view as it is shown.
pub struct Shaded {
    /// Its pixels, row by row.
    pub rgb: Vec<[u8; 3]>,
    /// What is seen in each pixel before it is reduced: a plane, or a negative number.
    pub labels: Vec<i32>,
}

/// The picture of a buffer on `ground`, `oversampling` times smaller.
pub fn shade(
    buffer: &DepthBuffer,
    normals: &[[f64; 3]],
    ground: [u8; 3],
    oversampling: usize,
) -> Shaded {
    let [width, height] = buffer.size();
    let pixels = surface(buffer.pixels(), width);
    let seen: Vec<Option<Seen>> = pixels.par_iter().map(|&v| buffer.decode(v)).collect();
    let light: Vec<f64> = normals.iter().map(|&n| buffer.light(n, LIGHT)).collect();
    let reach = 2 * oversampling as isize;
    let surface = |x: usize, y: usize| -> [f64; 3] {
        let Some(here) = seen[y * width + x] else {
            return ground.map(f64::from);
        };
        let lit = usize::try_from(here.label).ok().and_then(|k| light.get(k));
        let edge = edge(&seen, [width, height], [x, y], here.nearness, reach);
        let factor = lit.copied().unwrap_or(UNASSIGNED_LIGHT) * edge;
        colour(here.label).map(|c| f64::from(c) * factor)
    };
    // A point of no plane is never more than a faint dot: so many of them there may be that discs
    // would bury the planes.
    let dots = dots(buffer.rest(), width);
    let lit = |x: usize, y: usize| -> [f64; 3] {
        let below = surface(x, y);
        let k = y * width + x;
        let is_before = dots[k] >> 32 > pixels[k] >> 32;
        let dot = if is_before { colour(-1).map(f64::from) } else { below };
        [0, 1, 2].map(|c| below[c] + FAINT * (dot[c] - below[c]))
    };
    let (columns, rows) = (width / oversampling, height / oversampling);
    let rgb = (0..rows * columns)
        .into_par_iter()
        .map(|k| {
            let mut sum = [0.0; 3];
            for part in 0..oversampling * oversampling {
                let x = k % columns * oversampling + part % oversampling;
                let y = k / columns * oversampling + part / oversampling;
                let c = lit(x, y);
                sum = [0, 1, 2].map(|i| sum[i] + c[i]);
            }
            sum.map(|c| (c / (oversampling * oversampling) as f64).round() as u8)
        })
        .collect();
    let labels = seen.par_iter().map(|seen| seen.map_or(-1, |seen| seen.label)).collect();
    Shaded { rgb, labels }
}

/// Each point a dot of 2 × 2 pixels, which is about one of those that are shown.
fn dots(pixels: &[u64], width: usize) -> Vec<u64> {
    let mut dots = pixels.to_vec();
    for step in [1, width] {
        for k in (step..dots.len()).rev() {
            dots[k] = dots[k].max(dots[k - step]);
        }
    }
    dots
}

/// Points of no plane stay in the background.
const UNASSIGNED_LIGHT: f64 = 0.72;

/// How bright a pixel is for what stands before it: pixels beside something nearer are darker,
/// which draws the edges of things and shows creases.
fn edge(
    seen: &[Option<Seen>],
    [width, height]: [usize; 2],
    [x, y]: [usize; 2],
    nearness: f64,
    reach: isize,
) -> f64 {
    let mut sum = 0.0;
    for [dx, dy] in [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]] {
        let nx = x.saturating_add_signed(dx * reach).min(width - 1);
        let ny = y.saturating_add_signed(dy * reach).min(height - 1);
        if let Some(other) = seen[ny * width + nx] {
            sum += ((other.nearness - nearness) / reach as f64 - 0.7).clamp(0.0, 4.0);
        }
    }
    (-0.05 * sum).exp()
}

/// A point hides what is behind it within so many pixels, when density is measured.
const HIDING: usize = 4;

/// The surfaces that the points stand for: each point a disc as wide as the points around it are
/// apart, nearer discs before farther ones.
fn surface(pixels: &[u64], width: usize) -> Vec<u64> {
    // Points that shine through a sparse surface would make it look dense, so they are not counted.
    let mut front = nearest_around(pixels, width);
    for (wide, &value) in front.iter_mut().zip(pixels) {
        let hidden = *wide >> 32 > (value >> 32) + PIT;
        *wide = if hidden { 0 } else { value };
    }
    let wide = widen(pixels, width, &radii(&front, width));
    [2, 3, 5].iter().fold(wide, |pixels, &reach| fill_pits(&pixels, width, reach))
}

/// For each pixel the nearest point within a square of [`HIDING`] pixels to each side.
fn nearest_around(pixels: &[u64], width: usize) -> Vec<u64> {
    let height = pixels.len() / width;
    let mut along = vec![0; pixels.len()];
    along.par_chunks_mut(width).zip(pixels.par_chunks(width)).for_each(|(out, row)| {
        for shift in 0..=HIDING.min(width - 1) {
            raise(&mut out[shift..], &row[..width - shift]);
            raise(&mut out[..width - shift], &row[shift..]);
        }
    });
    let mut around = vec![0; pixels.len()];
    around.par_chunks_mut(width).enumerate().for_each(|(y, out)| {
        for row in y.saturating_sub(HIDING)..(y + HIDING + 1).min(height) {
            raise(out, &along[row * width..][..width]);
        }
    });
    around
}

fn raise(out: &mut [u64], by: &[u64]) {
    out.iter_mut().zip(by).for_each(|(a, &b)| *a = b.max(*a));
}

/// Number of blocks.
fn blocks(pixels: usize, width: usize) -> usize {
    width.div_ceil(BLOCK) * (pixels / width).div_ceil(BLOCK)
}

/// Draws each point as a disc of the radius of its block.
fn widen(pixels: &[u64], width: usize, radii: &[u8]) -> Vec<u64> {
    let height = pixels.len() / width;
    let columns = width.div_ceil(BLOCK);
    // Each band of rows gathers the discs that reach it, so bands need nothing of each other.
    let mut wide = vec![0; pixels.len()];
    wide.par_chunks_mut(width * BLOCK).enumerate().for_each(|(band, out)| {
        let first = band * BLOCK;
        let rows = out.len() / width;
        let reach = usize::from(WIDEST);
        for y in first.saturating_sub(reach)..(first + rows + reach).min(height) {
            for x in 0..width {
                let value = pixels[y * width + x];
                if value != 0 {
                    let radius = radii[y / BLOCK * columns + x / BLOCK];
                    disc(out, width, [first, rows], [x, y], radius.into(), value);
                }
            }
        }
    });
    wide
}

/// Least depth of a pit, as a part of the whole depth; shallower ones are the surface's own.
const PIT: u64 = (1 << 32) / 100;

/// Fills the gaps that a surface has where its points are thin: pixels that lie deeper than the
/// surroundings at `reach` pixels in each direction. Edges and slits are not pits and stay.
fn fill_pits(pixels: &[u64], width: usize, reach: usize) -> Vec<u64> {
    let height = pixels.len() / width;
    let fill = |k: usize| {
        let (x, y) = (k % width, k / width);
        let inside = reach..width.saturating_sub(reach);
        if !inside.contains(&x) || !(reach..height.saturating_sub(reach)).contains(&y) {
            return pixels[k];
        }
        let (across, down) = (reach, reach * width);
        let sides = [across, down, down + across, down - across];
        // The deeper of two opposite pixels: both must be before this one.
        let rim = sides.map(|step| pixels[k - step].min(pixels[k + step]));
        let [a, b, c, d] = rim;
        let lowest = a.min(b).min(c).min(d);
        if lowest >> 32 > (pixels[k] >> 32) + PIT { lowest } else { pixels[k] }
    };
    (0..pixels.len()).into_par_iter().map(fill).collect()
}

fn disc(
    out: &mut [u64],
    width: usize,
    [first, rows]: [usize; 2],
    [x, y]: [usize; 2],
    radius: usize,
    value: u64,
) {
    for row in y.saturating_sub(radius).max(first)..(y + radius + 1).min(first + rows) {
        let dy = row.abs_diff(y);
        for column in x.saturating_sub(radius)..(x + radius + 1).min(width) {
            let dx = column.abs_diff(x);
            if dx * dx + dy * dy <= radius * radius + radius / 2 {
                let at = (row - first) * width + column;
                out[at] = out[at].max(value);
            }
        }
    }
}

/// For each block the radius at which discs close the gaps between points.
fn radii(pixels: &[u64], width: usize) -> Vec<u8> {
    let columns = width.div_ceil(BLOCK);
    let mut counts = vec![0u32; blocks(pixels.len(), width)];
    let rows = counts.len() / columns;
    for (k, _) in pixels.iter().enumerate().filter(|p| *p.1 != 0) {
        counts[k / width / BLOCK * columns + k % width / BLOCK] += 1;
    }
    (0..columns * rows)
        .map(|k| {
            // The densest of the blocks around: at the edge of a surface blocks are half empty.
            let (x, y) = (k % columns, k / columns);
            let around = (y.saturating_sub(1)..(y + 2).min(rows)).flat_map(|r| {
                (x.saturating_sub(1)..(x + 2).min(columns)).map(move |c| r * columns + c)
            });
            let most = around.map(|k| counts[k]).max().unwrap_or(0).max(1);
            let spacing = (BLOCK as f64) / f64::from(most).sqrt();
            // Points scattered at random leave one gap in a hundred at 1.2 times their spacing.
            ((1.2 * spacing - 0.7).round() as u8).min(WIDEST)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_points_close_and_dense_ones_stay() {
        let mut pixels = vec![0; 64 * 64];
        for y in (0..64).step_by(4) {
            for x in (0..64).step_by(4) {
                pixels[y * 64 + x] = 5;
            }
        }
        let wide = surface(&pixels, 64);
        // The last points stand at 60.
        assert!((0..61 * 64).all(|k| k % 64 > 60 || wide[k] == 5));
        let full = vec![5; 64 * 64];
        assert!(radii(&full, 64).iter().all(|&r| r <= 1));
    }

    #[test]
    fn pits_are_filled_and_slits_stay() {
        let near = u64::from(u32::MAX) << 32;
        let mut pixels = vec![near; 40 * 40];
        pixels[20 * 40 + 20] = 0;
        assert_eq!(fill_pits(&pixels, 40, 2), vec![near; 40 * 40]);
        for row in pixels.chunks_mut(40) {
            row[10] = 0;
        }
        let filled = fill_pits(&pixels, 40, 2);
        assert_eq!(filled[20 * 40 + 10], 0);
        assert_eq!(filled[20 * 40 + 20], near);
    }

    #[test]
    fn the_nearer_disc_is_before_the_farther() {
        let mut pixels = vec![0; 64 * 64];
        pixels[20 * 64 + 20] = 7;
        pixels[20 * 64 + 22] = 9;
        let wide = surface(&pixels, 64);
        assert_eq!(wide[20 * 64 + 20], 9);
        assert_eq!(wide[20 * 64 + 20 - usize::from(WIDEST)], 7);
    }
}
