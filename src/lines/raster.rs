//! The edge pixels of an image as a grid to walk along lines on.

use super::geometry::Axis;
use crate::image::EdgeMap;

/// Which pixels are edges that no line has taken yet.
#[derive(Debug, Clone)]
pub(super) struct Raster {
    pub size: [usize; 2],
    on: Bits,
    /// Edge pixels that a line has taken.
    taken: Bits,
    /// The gradient at each edge pixel, over 8; empty where it is not known.
    gradients: Vec<[i16; 2]>,
}

/// A pixel lies along a line when its gradient points across it within so many degrees.
pub(super) const ACROSS: f64 = 22.5;
/// The square of the cosine of that.
const COSINE_SQUARED: f64 = 0.853_553;

/// A pixel near a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub pixel: [usize; 2],
    /// Its signed distance from the line.
    pub distance: f64,
    /// Whether it is an edge along the line.
    pub on: bool,
}

/// A bit a pixel: steep lines cross many rows, and those of bits stay in the processor's caches.
#[derive(Debug, Clone)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(len: usize) -> Bits {
        Bits(vec![0; len.div_ceil(64)])
    }

    fn get(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn set(&mut self, at: usize, on: bool) {
        let word = &mut self.0[at / 64];
        *word = *word & !(1 << (at % 64)) | u64::from(on) << (at % 64);
    }
}

impl Raster {
    /// The grid of the edge pixels of an image.
    pub fn new(edges: &EdgeMap) -> Raster {
        let size = [edges.width as usize, edges.height as usize];
        let all = size[0] * size[1];
        let at = |[x, y]: [u16; 2]| usize::from(y) * size[0] + usize::from(x);
        let mut on = Bits::new(all);
        edges.pixels.iter().for_each(|&pixel| on.set(at(pixel), true));
        let mut gradients = vec![[0; 2]; if edges.gradients.is_empty() { 0 } else { all }];
        for (&pixel, gradient) in edges.pixels.iter().zip(&edges.gradients) {
            gradients[at(pixel)] = gradient.map(|v| (v / 8) as i16);
        }
        Raster { size, on, taken: Bits::new(all), gradients }
    }

    /// Whether gradients are known.
    pub fn has_gradients(&self) -> bool {
        !self.gradients.is_empty()
    }

    /// The gradient at an edge pixel, in any unit, where it is known.
    pub fn gradient(&self, [x, y]: [usize; 2]) -> Option<[f64; 2]> {
        Some(self.gradients.get(y * self.size[0] + x)?.map(f64::from))
    }

    /// Whether a pixel is an edge along a line, as far as gradients are known.
    fn is_along(&self, pixel: [usize; 2], axis: Axis) -> bool {
        if !self.on.get(pixel[1] * self.size[0] + pixel[0]) {
            return false;
        }
        let Some([x, y]) = self.gradient(pixel) else {
            return true;
        };
        let across = x * axis.cos + y * axis.sin;
        across * across >= COSINE_SQUARED * (x * x + y * y)
    }

    /// Width and height.
    pub fn extent(&self) -> [f64; 2] {
        self.size.map(|n| n as f64)
    }

    /// Takes a pixel off, for a line.
    pub fn take(&mut self, [x, y]: [usize; 2]) {
        self.on.set(y * self.size[0] + x, false);
        self.taken.set(y * self.size[0] + x, true);
    }

    /// Whether a line has taken a pixel.
    pub fn is_taken(&self, [x, y]: [usize; 2]) -> bool {
        self.taken.get(y * self.size[0] + x)
    }

    /// Number of steps from one end of the image to the other along a line: columns where it is
    /// flat, else rows.
    pub fn steps(&self, axis: Axis) -> usize {
        self.size[usize::from(!axis.is_flat())]
    }

    /// Calls `visit` with the step and every pixel whose signed distance from the line is in
    /// `low ..= high`, step by step.
    pub fn walk(
        &self,
        axis: Axis,
        steps: std::ops::Range<usize>,
        [low, high]: [f64; 2],
        mut visit: impl FnMut(usize, Near),
    ) {
        let flat = axis.is_flat();
        let (along, across) = if flat { (axis.cos, axis.sin) } else { (axis.sin, axis.cos) };
        let limit = self.size[usize::from(flat)] as f64 - 1.0;
        for step in steps {
            // Where the line crosses this column or row, and how far the band reaches.
            let middle = (axis.rho - step as f64 * along) / across;
            let (a, b) = (middle + low / across, middle + high / across);
            let (from, to) = (a.min(b).max(0.0), a.max(b).min(limit));
            if from > to {
                continue;
            }
            // Rounded up and down; neither is negative.
            let first = from as usize + usize::from((from as usize as f64) < from);
            for other in first..=to as usize {
                let pixel = if flat { [step, other] } else { [other, step] };
                let distance = (other as f64 - middle) * across;
                visit(step, Near { pixel, distance, on: self.is_along(pixel, axis) });
            }
        }
    }
}
