//! Pixels of an image of lines.

use super::super::random::Random;
use super::layout::{Ends, Shape};
use super::options::{Hardness, LineOptions};
use rayon::prelude::*;

/// Families of random numbers; each row of pixels has its own stream.
const NOISE: u64 = 111;
const HOLES: u64 = 112;

/// Half the width of thick strokes.
const HALF_THICK: f64 = 4.5;
/// Standard deviation of a photograph's noise, in grey levels.
const GRAIN: f64 = 20.0;
/// Samples of a photograph's pixel along each axis.
const SAMPLES: i32 = 4;

/// Strokes and noise, white on black.
pub(super) fn drawing(options: &LineOptions, lines: &[Ends]) -> Vec<u8> {
    let (white, missing) = match options.kind {
        Hardness::Noisy => (0.03, 0.2),
        Hardness::Wrapped | Hardness::Border => (0.03, 0.0),
        Hardness::Dense => (0.3, 0.0),
        Hardness::Clean | Hardness::Thick | Hardness::Photo => (0.0, 0.0),
    };
    let [width, height] = options.size.map(|n| n as usize);
    let mut grey = vec![0u8; width * height];
    grey.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        let mut random = Random::new(options.seed, NOISE, y as u64);
        row.iter_mut().for_each(|v| *v = if random.unit() < white { 255 } else { 0 });
    });
    for (number, line) in (0..).zip(lines) {
        let mut random = Random::new(options.seed, HOLES, number);
        let mut put = |x: f64, y: f64| {
            let inside = x >= 0.0 && y >= 0.0 && x < width as f64 && y < height as f64;
            if inside && random.unit() >= missing {
                grey[y as usize * width + x as usize] = 255;
            }
        };
        match options.kind {
            Hardness::Thick => thick(line, &mut put),
            _ => thin(line, &mut put),
        }
    }
    grey
}

/// In each column, or for a steep line in each row, the pixel nearest to the line.
pub(super) fn thin(&[a, b]: &Ends, put: &mut impl FnMut(f64, f64)) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let flat = dx.abs() >= dy.abs();
    let i = usize::from(!flat);
    let (from, to) = (a[i].min(b[i]).round(), a[i].max(b[i]).round());
    let slope = if flat { dy / dx } else { dx / dy };
    for step in from as i64..=to as i64 {
        let step = step as f64;
        let other = (a[1 - i] + slope * (step - a[i])).round();
        if flat { put(step, other) } else { put(other, step) }
    }
}

/// Every pixel near enough to the line, up to its ends.
fn thick(&[a, b]: &Ends, put: &mut impl FnMut(f64, f64)) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = (dx * dx + dy * dy).sqrt();
    let range = |i: usize| {
        let low = (a[i].min(b[i]) - HALF_THICK).floor() as i64;
        low..=(a[i].max(b[i]) + HALF_THICK).ceil() as i64
    };
    for y in range(1) {
        for x in range(0) {
            let (px, py) = (x as f64 - a[0], y as f64 - a[1]);
            let along = (px * dx + py * dy) / length;
            let across = (py * dx - px * dy) / length;
            if across.abs() <= HALF_THICK && (0.0..=length).contains(&along) {
                put(x as f64, y as f64);
            }
        }
    }
}

/// Shapes on a shaded background, with smooth edges and grain.
pub(super) fn photo(options: &LineOptions, shapes: &[Shape]) -> Vec<u8> {
    let [width, height] = options.size.map(|n| n as usize);
    let mut grey = vec![0u8; width * height];
    grey.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        let mut random = Random::new(options.seed, NOISE, y as u64);
        for (x, v) in row.iter_mut().enumerate() {
            let shade = 100.0 + 40.0 * x as f64 / width as f64 + 20.0 * y as f64 / height as f64;
            let light: f64 = shapes.iter().map(|s| s.light * cover(s, x as f64, y as f64)).sum();
            let value = shade + light + GRAIN * random.gaussian();
            *v = value.round().clamp(0.0, 255.0) as u8;
        }
    });
    grey
}

/// The share of a pixel, and of a small margin around it, that a convex shape covers.
fn cover(shape: &Shape, x: f64, y: f64) -> f64 {
    let side =
        |[a, b]: Ends, x: f64, y: f64| (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    let far = |i: usize, v: f64| {
        let corners = || shape.corners.iter().map(|c| c[i]);
        v < corners().fold(f64::INFINITY, f64::min) - 2.0
            || v > corners().fold(f64::NEG_INFINITY, f64::max) + 2.0
    };
    if far(0, x) || far(1, y) {
        return 0.0;
    }
    // Samples over two pixels: the lens is not quite sharp.
    let place = |k: i32| (f64::from(k) + 0.5) / f64::from(SAMPLES) * 2.0 - 1.0;
    let mut inside = 0;
    for j in 0..SAMPLES {
        for i in 0..SAMPLES {
            let (x, y) = (x + place(i), y + place(j));
            inside += i32::from(shape.sides().all(|ends| side(ends, x, y) >= 0.0));
        }
    }
    f64::from(inside) / f64::from(SAMPLES * SAMPLES)
}
