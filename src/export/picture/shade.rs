//! From the nearest points to a picture: widen, light, reduce.

use super::super::palette::colour;
use super::view::{DepthBuffer, each_point, label};
use crate::wide::{Work, widely};
use rayon::prelude::*;
use std::ops::Range;

/// Side of the blocks in which the density of points is measured.
const BLOCK: usize = 16;
/// Largest radius of a point, in pixels.
const WIDEST: u8 = 10;
/// Direction of the light relative to the viewer of each view: right, up, toward.
const LIGHT: [f64; 3] = [0.35, 0.45, 0.82];
/// Rows of the result computed at a time, so that the data of their pixels stay in a cache.
const BAND: usize = 16;

/// Opacity of a point of no plane.
const FAINT: f64 = 0.7;

/// A finished view.
pub struct Shaded {
    /// Its pixels, row by row.
    pub rgb: Vec<[u8; 3]>,
    /// What each pixel shows before reduction, in the buffer's encoding.
    pub seen: Vec<u64>,
}

/// The picture of a buffer on the background `ground`, `oversampling` times smaller.
pub fn shade(
    buffer: &DepthBuffer,
    normals: &[[f64; 3]],
    ground: [u8; 3],
    oversampling: usize,
) -> Shaded {
    let width = buffer.size()[0];
    let seen = surface(buffer.pixels(), width);
    let lit = |(id, &normal): (usize, &[f64; 3])| {
        (colour(id as i32).map(f64::from), buffer.light(normal, LIGHT))
    };
    let shading = Shading {
        buffer,
        seen: &seen,
        planes: normals.iter().enumerate().map(lit).collect(),
        ground,
        oversampling,
        reach: 2 * oversampling,
    };
    let [columns, rows] = buffer.size().map(|pixels| pixels / oversampling);
    let mut rgb = vec![[0; 3]; rows * columns];
    rgb.par_chunks_mut(BAND * columns)
        .enumerate()
        .for_each(|(band, out)| shading.rows(band * BAND, columns, out));
    Shaded { rgb, seen }
}

/// The data from which the colour of a pixel is computed.
struct Shading<'a> {
    buffer: &'a DepthBuffer,
    seen: &'a [u64],
    /// Colour and light of each plane.
    planes: Vec<([f64; 3], f64)>,
    ground: [u8; 3],
    oversampling: usize,
    /// Distance of the pixels that are compared to find edges.
    reach: usize,
}

impl Shading<'_> {
    /// Computes some rows of the picture, from `first` on.
    fn rows(&self, first: usize, columns: usize, out: &mut [[u8; 3]]) {
        let ([width, height], over) = (self.buffer.size(), self.oversampling);
        let first = first * over;
        let last = first + out.len() / columns * over;
        let near = first.saturating_sub(self.reach)..(last + self.reach).min(height);
        let nearness: Vec<f64> = self.seen[near.start * width..near.end * width]
            .iter()
            .map(|&value| self.nearness(value))
            .collect();
        let row = |y: usize| {
            &nearness[(y.clamp(near.start, near.end - 1) - near.start) * width..][..width]
        };
        let mut edges = vec![0.0; over * width];
        let mut dots = vec![0; over * width];
        for (k, out) in out.chunks_mut(columns).enumerate() {
            let top = first + k * over;
            let seen = &self.seen[top * width..][..over * width];
            for (y, edges) in (top..).zip(edges.chunks_mut(width)) {
                let [above, below] = [y.saturating_sub(self.reach), y + self.reach].map(row);
                widely(Edges { above, here: row(y), below, reach: self.reach, out: edges });
            }
            for (y, dots) in (top..).zip(dots.chunks_mut(width)) {
                find_dots(self.buffer.rest(), width, y, dots);
            }
            for (x, out) in out.iter_mut().enumerate() {
                let parts = || {
                    let within = x * over..(x + 1) * over;
                    (0..over).flat_map(move |row| within.clone().map(move |x| row * width + x))
                };
                if parts().all(|k| seen[k] == 0 && dots[k] == 0) {
                    *out = self.ground;
                    continue;
                }
                let mut sum = [0.0; 3];
                for k in parts() {
                    let c = self.lit(seen[k], edges[k], dots[k]);
                    sum = [0, 1, 2].map(|i| sum[i] + c[i]);
                }
                *out = sum.map(|c| rounded(c / (over * over) as f64));
            }
        }
    }

    /// Nearness in units of the reach; an empty pixel's is below all others.
    #[inline(always)]
    fn nearness(&self, value: u64) -> f64 {
        if value == 0 {
            return f64::NEG_INFINITY;
        }
        self.buffer.nearness(value) / self.reach as f64
    }

    /// The colour of a pixel, given its darkening by edges and the nearest dot on it.
    fn lit(&self, seen: u64, edge: f64, dot: u32) -> [f64; 3] {
        let below = if seen == 0 {
            self.ground.map(f64::from)
        } else {
            let label = label(seen);
            let plane = usize::try_from(label).ok().and_then(|k| self.planes.get(k).copied());
            let (colour, light) =
                plane.unwrap_or_else(|| (colour(label).map(f64::from), UNASSIGNED_LIGHT));
            // Most pixels are not at an edge.
            let factor = if edge > 0.0 { light * (-0.05 * edge).exp() } else { light };
            colour.map(|c| c * factor)
        };
        // A point of no plane is always only a faint dot: there may be so many of them that discs
        // would hide the planes.
        if u64::from(dot) > seen >> 32 {
            let dot = colour(-1).map(f64::from);
            return [0, 1, 2].map(|c| below[c] + FAINT * (dot[c] - below[c]));
        }
        below
    }
}

/// The nearest whole number; halves are rounded up.
fn rounded(v: f64) -> u8 {
    let whole = v as u8;
    whole + u8::from(v - f64::from(whole) >= 0.5)
}

/// The nearness of the dots in a row: each point covers 2 × 2 pixels, about one pixel of the finished
/// picture. A dot that extends beyond the end of a row continues in the next.
fn find_dots(rest: &[u64], width: usize, y: usize, dots: &mut [u32]) {
    dots.fill(0);
    let mut raise = |x: usize, value: u64| dots[x] = dots[x].max((value >> 32) as u32);
    for y in y.saturating_sub(1)..=y {
        each_point(&rest[y * width..][..width], |x, value| {
            raise(x, value);
            if x + 1 < width {
                raise(x + 1, value);
            }
        });
        if y > 0 {
            raise(0, rest[y * width - 1]);
        }
    }
}

/// Points of no plane stay in the background.
const UNASSIGNED_LIGHT: f64 = 0.72;

/// How much darker the pixels of a row become because of nearer surfaces beside them,
/// which outlines objects and shows creases. The row and those within reach are given by
/// their nearness.
struct Edges<'a> {
    above: &'a [f64],
    here: &'a [f64],
    below: &'a [f64],
    reach: usize,
    out: &'a mut [f64],
}

impl Work for Edges<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Edges { above, here, below, reach, out } = self;
        let width = here.len();
        let sum = |nearness: f64, around: [f64; 8]| {
            around
                .into_iter()
                .fold(0.0, |sum, other| sum + (other - nearness - 0.7).clamp(0.0, 4.0))
        };
        let inner = width.saturating_sub(2 * reach);
        let [left, middle, right] = [0, reach, 2 * reach].map(|start| {
            [above, here, below].map(|row| row.get(start..start + inner).unwrap_or_default())
        });
        let inside = &mut out[reach.min(width)..][..inner];
        for k in 0..inner {
            let around = [
                right[1][k],
                middle[2][k],
                left[1][k],
                middle[0][k],
                right[2][k],
                left[2][k],
                left[0][k],
                right[0][k],
            ];
            inside[k] = sum(middle[1][k], around);
        }
        // Beyond its ends, the row is continued with its end pixels.
        for x in (0..width).filter(|x| !(reach..reach + inner).contains(x)) {
            let (left, right) = (x.saturating_sub(reach), (x + reach).min(width - 1));
            let around = [
                here[right],
                below[x],
                here[left],
                above[x],
                below[right],
                below[left],
                above[left],
                above[right],
            ];
            out[x] = sum(here[x], around);
        }
    }
}

/// When density is measured, a point hides everything behind it within this many pixels.
const HIDING: usize = 4;

/// The surfaces that the points represent: each point becomes a disc as wide as the spacing of the points around
/// it, nearer discs in front of farther ones.
fn surface(pixels: &[u64], width: usize) -> Vec<u64> {
    let mut wide = widen(pixels, width, &radii(pixels, width));
    let mut filled = vec![0; wide.len()];
    for reach in [2, 3, 5] {
        fill_pits(&wide, width, reach, &mut filled);
        std::mem::swap(&mut wide, &mut filled);
    }
    wide
}

/// Draws each point as a disc of the radius of its block.
fn widen(pixels: &[u64], width: usize, radii: &[u8]) -> Vec<u64> {
    let height = pixels.len() / width;
    let columns = width.div_ceil(BLOCK);
    let discs: Vec<Vec<usize>> = (0..=WIDEST.into()).map(disc).collect();
    // Each band of rows gathers the discs that reach it, so the bands are independent.
    let mut wide = vec![0; pixels.len()];
    wide.par_chunks_mut(width * BLOCK).enumerate().for_each(|(band, out)| {
        let first = band * BLOCK;
        let rows = first..first + out.len() / width;
        let reach = usize::from(WIDEST);
        for y in first.saturating_sub(reach)..(rows.end + reach).min(height) {
            let radii = &radii[y / BLOCK * columns..];
            each_point(&pixels[y * width..][..width], |x, value| {
                let disc = &discs[usize::from(radii[x / BLOCK])];
                draw(disc, [x, y], value, (&mut *out, width, rows.clone()));
            });
        }
    });
    wide
}

/// How far a disc of this radius extends to either side, in its middle row and those below.
fn disc(radius: usize) -> Vec<usize> {
    let reach = |dy: usize| {
        let fits = |dx: &usize| dx * dx + dy * dy <= radius * radius + radius / 2;
        (0..=radius).rev().find(fits).unwrap_or(0)
    };
    (0..=radius).map(reach).collect()
}

/// Draws a disc around a pixel into some rows.
fn draw(
    disc: &[usize],
    [x, y]: [usize; 2],
    value: u64,
    (out, width, rows): (&mut [u64], usize, Range<usize>),
) {
    for row in (y + 1).saturating_sub(disc.len()).max(rows.start)..(y + disc.len()).min(rows.end) {
        let half = disc[row.abs_diff(y)];
        let across = x.saturating_sub(half)..(x + half + 1).min(width);
        for pixel in &mut out[(row - rows.start) * width..][across] {
            *pixel = value.max(*pixel);
        }
    }
}

/// Least depth of a pit, as a fraction of the whole depth; shallower pits belong to the surface.
const PIT: u64 = (1 << 32) / 100;

/// Fills the gaps of a surface whose points are sparse: pixels that lie deeper than the
/// surroundings at `reach` pixels in each direction. Edges and slits are not pits and stay.
fn fill_pits(pixels: &[u64], width: usize, reach: usize, filled: &mut [u64]) {
    let row = |y: usize| &pixels[y * width..][..width];
    let inside = reach..(pixels.len() / width).saturating_sub(reach);
    filled.par_chunks_mut(width).enumerate().with_min_len(BLOCK).for_each(|(y, out)| {
        out.copy_from_slice(row(y));
        if inside.contains(&y) {
            let rows = [row(y - reach), row(y), row(y + reach)];
            widely(Pits { rows, reach, out });
        }
    });
}

/// A row, with the rows at reach, in which pits are filled.
struct Pits<'a> {
    rows: [&'a [u64]; 3],
    reach: usize,
    out: &'a mut [u64],
}

impl Work for Pits<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Pits { rows, reach, out } = self;
        let inner = out.len().saturating_sub(2 * reach);
        let [left, middle, right] = [0, reach, 2 * reach]
            .map(|start| rows.map(|row| row.get(start..start + inner).unwrap_or_default()));
        let out = out.get_mut(reach..reach + inner).unwrap_or_default();
        for k in 0..inner {
            // The deeper of two opposite pixels, since both must be in front of this one.
            let across = left[1][k].min(right[1][k]);
            let down = middle[0][k].min(middle[2][k]);
            let falling = left[0][k].min(right[2][k]);
            let rising = left[2][k].min(right[0][k]);
            let lowest = across.min(down).min(falling).min(rising);
            let here = middle[1][k];
            out[k] = if lowest >> 32 > (here >> 32) + PIT { lowest } else { here };
        }
    }
}

/// For each block, the radius at which discs close the gaps between points.
fn radii(pixels: &[u64], width: usize) -> Vec<u8> {
    let columns = width.div_ceil(BLOCK);
    let rows = (pixels.len() / width).div_ceil(BLOCK);
    let mut counts = vec![0u32; columns * rows];
    counts
        .par_chunks_mut(columns)
        .enumerate()
        .for_each(|(band, counts)| widely(Front { pixels, width, first: band * BLOCK, counts }));
    (0..columns * rows)
        .map(|k| {
            // The densest of the surrounding blocks, because blocks at the edge of a surface are half empty.
            let (x, y) = (k % columns, k / columns);
            let around = (y.saturating_sub(1)..(y + 2).min(rows)).flat_map(|r| {
                (x.saturating_sub(1)..(x + 2).min(columns)).map(move |c| r * columns + c)
            });
            let most = around.map(|k| counts[k]).max().unwrap_or(0).max(1);
            let spacing = (BLOCK as f64) / f64::from(most).sqrt();
            // At 1.2 times the spacing, points scattered at random leave one gap in a hundred.
            ((1.2 * spacing - 0.7).round() as u8).min(WIDEST)
        })
        .collect()
}

/// Counts the points in each block of a band that starts at row `first`. Points that shine through a sparse
/// surface would make it look dense, so points behind another one within [`HIDING`] pixels are not counted.
struct Front<'a> {
    pixels: &'a [u64],
    width: usize,
    first: usize,
    counts: &'a mut [u32],
}

impl Work for Front<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Front { pixels, width, first, counts } = self;
        let height = pixels.len() / width;
        let rows = first..(first + BLOCK).min(height);
        let near = first.saturating_sub(HIDING)..(rows.end + HIDING).min(height);
        // The nearest value in each row within this many pixels to each side, then in the rows around.
        let mut along = vec![0; near.len() * width];
        let mut nearness = vec![0; width];
        for (y, along) in near.clone().zip(along.chunks_exact_mut(width)) {
            let row = &pixels[y * width..][..width];
            nearness.iter_mut().zip(row).for_each(|(near, value)| *near = (value >> 32) as u32);
            for shift in 0..=HIDING.min(width - 1) {
                raise(&mut along[shift..], &nearness[..width - shift]);
                raise(&mut along[..width - shift], &nearness[shift..]);
            }
        }
        for y in rows {
            let around = &mut nearness;
            around.fill(0);
            let from = y.saturating_sub(HIDING) - near.start;
            let to = (y + HIDING + 1).min(height) - near.start;
            for along in along[from * width..to * width].chunks_exact(width) {
                raise(around, along);
            }
            each_point(&pixels[y * width..][..width], |x, value| {
                if u64::from(around[x]) <= (value >> 32) + PIT {
                    counts[x / BLOCK] += 1;
                }
            });
        }
    }
}

#[inline(always)]
fn raise(out: &mut [u32], by: &[u32]) {
    out.iter_mut().zip(by).for_each(|(a, &b)| *a = b.max(*a));
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
        // The last points are at 60.
        assert!((0..61 * 64).all(|k| k % 64 > 60 || wide[k] == 5));
        let full = vec![5; 64 * 64];
        assert!(radii(&full, 64).iter().all(|&r| r <= 1));
    }

    #[test]
    fn pits_are_filled_and_slits_stay() {
        let near = u64::from(u32::MAX) << 32;
        let mut pixels = vec![near; 40 * 40];
        pixels[20 * 40 + 20] = 0;
        let filled = |pixels: &[u64]| {
            let mut filled = vec![0; pixels.len()];
            fill_pits(pixels, 40, 2, &mut filled);
            filled
        };
        assert_eq!(filled(&pixels), vec![near; 40 * 40]);
        for row in pixels.chunks_mut(40) {
            row[10] = 0;
        }
        let filled = filled(&pixels);
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
