//! The edge pixels of an image, as a grid that can be walked along lines.

use super::geometry::Axis;
use crate::image::{EdgeMap, Method, blur_reach};
use std::f64::consts::PI;

/// The edge pixels that no line has taken yet.
#[derive(Debug, Clone)]
pub(super) struct Raster {
    pub size: [usize; 2],
    on: Bits,
    /// Edge pixels that a line has taken.
    taken: Bits,
    /// The gradient at each edge pixel, divided by 8; empty if unknown.
    gradients: Vec<[i16; 2]>,
    /// Number of neighbouring pixels along an edge that count as one independent pixel.
    together: f64,
    /// Width of the border, in pixels, within which edges also depend on what is assumed beyond it.
    margin: usize,
}

/// The variance of Sobel's smoothing (1 2 1) along an edge.
const SOBEL: f64 = 0.5;

/// A pixel lies along a line if its gradient is within this many degrees of the line's normal.
pub(super) const ACROSS: f64 = 22.5;
/// The square of the cosine of that angle.
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

/// A row or a column along the border of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Strip {
    pub is_column: bool,
    /// Its index.
    at: usize,
}

/// One bit per pixel: steep lines cross many rows, and rows of bits stay in the processor's caches.
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

/// How many neighbouring pixels along an edge count as one, and how wide the border is within which
/// edges depend on what is beyond it, if gradients are known.
fn seen(method: Method) -> (f64, usize) {
    let blur = if let Method::Canny { sigma, .. } = method { sigma } else { None };
    let variance = blur.map_or(0.0, |sigma| sigma * sigma) + SOBEL;
    // Noise smoothed by a Gaussian is correlated as a Gaussian of twice its variance; this is the sum of that.
    let together = 2.0 * (PI * variance).sqrt();
    (together, blur.map_or(0, blur_reach) + 1)
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
        let (together, margin) = if gradients.is_empty() { (1.0, 0) } else { seen(edges.method) };
        Raster { size, on, taken: Bits::new(all), gradients, together, margin }
    }

    /// Whether gradients are known.
    pub fn has_gradients(&self) -> bool {
        !self.gradients.is_empty()
    }

    /// Number of neighbouring pixels along an edge that count as one, because the detector blurs noise: 1 if the
    /// image was an edge map.
    pub fn together(&self) -> f64 {
        self.together
    }

    /// The gradient at an edge pixel, in any unit, if known.
    pub fn gradient(&self, [x, y]: [usize; 2]) -> Option<[f64; 2]> {
        Some(self.gradients.get(y * self.size[0] + x)?.map(f64::from))
    }

    /// Whether a pixel is an edge along a line, or its gradient is unknown.
    pub fn is_along(&self, pixel: [usize; 2], axis: Axis) -> bool {
        if !self.on.get(pixel[1] * self.size[0] + pixel[0]) {
            return false;
        }
        let Some([x, y]) = self.gradient(pixel) else {
            return true;
        };
        let across = x * axis.cos + y * axis.sin;
        across * across >= COSINE_SQUARED * (x * x + y * y)
    }

    /// The border strip in which a pixel lies, if edges there depend on what is beyond the border.
    pub fn strip(&self, [x, y]: [usize; 2]) -> Option<Strip> {
        let [right, bottom] = [self.size[0] - 1 - x, self.size[1] - 1 - y];
        let (column, row) = (x.min(right), y.min(bottom));
        let is_column = column < row;
        let at = if is_column { x } else { y };
        (column.min(row) < self.margin).then_some(Strip { is_column, at })
    }

    /// The strips at the same depth on all four sides.
    pub fn as_deep(&self, strip: Strip) -> [Strip; 4] {
        let last = |is_column: bool| self.size[usize::from(!is_column)] - 1;
        let depth = strip.at.min(last(strip.is_column) - strip.at);
        [(true, false), (true, true), (false, false), (false, true)].map(|(is_column, is_far)| {
            let far = last(is_column).saturating_sub(depth);
            Strip { is_column, at: if is_far { far } else { depth.min(last(is_column)) } }
        })
    }

    /// The pixels of a strip.
    pub fn along(&self, strip: Strip) -> impl Iterator<Item = [usize; 2]> {
        let length = self.size[usize::from(strip.is_column)];
        (0..length).map(move |i| if strip.is_column { [strip.at, i] } else { [i, strip.at] })
    }

    /// Width and height.
    pub fn extent(&self) -> [f64; 2] {
        self.size.map(|n| n as f64)
    }

    /// Marks a pixel as taken by a line.
    pub fn take(&mut self, [x, y]: [usize; 2]) {
        self.on.set(y * self.size[0] + x, false);
        self.taken.set(y * self.size[0] + x, true);
    }

    /// Whether a line has taken a pixel.
    pub fn is_taken(&self, [x, y]: [usize; 2]) -> bool {
        self.taken.get(y * self.size[0] + x)
    }

    /// Number of steps along a line from one end of the image to the other: columns if the line is
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
            // Where the line crosses this column or row, and how far the band extends.
            let middle = (axis.rho - step as f64 * along) / across;
            let (a, b) = (middle + low / across, middle + high / across);
            let (from, to) = (a.min(b).max(0.0), a.max(b).min(limit));
            if from > to {
                continue;
            }
            // Rounded up and down; neither value is negative.
            let first = from as usize + usize::from((from as usize as f64) < from);
            for other in first..=to as usize {
                let pixel = if flat { [step, other] } else { [other, step] };
                let distance = (other as f64 - middle) * across;
                visit(step, Near { pixel, distance, on: self.is_along(pixel, axis) });
            }
        }
    }
}
