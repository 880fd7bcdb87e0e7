//! The edge pixels of an image as a grid to walk along lines on.

use super::geometry::Axis;

/// Which pixels are edges that no line has taken yet.
#[derive(Debug, Clone)]
pub(super) struct Raster {
    pub size: [usize; 2],
    on: Vec<bool>,
}

/// A pixel near a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub pixel: [usize; 2],
    /// Its signed distance from the line.
    pub distance: f64,
    pub on: bool,
}

impl Raster {
    /// The grid of some edge pixels.
    pub fn new(width: u32, height: u32, pixels: &[[u16; 2]]) -> Raster {
        let size = [width as usize, height as usize];
        let mut on = vec![false; size[0] * size[1]];
        pixels.iter().for_each(|&[x, y]| on[usize::from(y) * size[0] + usize::from(x)] = true);
        Raster { size, on }
    }

    /// Width and height.
    pub fn extent(&self) -> [f64; 2] {
        self.size.map(|n| n as f64)
    }

    /// Takes a pixel off.
    pub fn clear(&mut self, [x, y]: [usize; 2]) {
        self.on[y * self.size[0] + x] = false;
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
            let (from, to) = (a.min(b).ceil().max(0.0), a.max(b).floor().min(limit));
            if from > to {
                continue;
            }
            for other in from as usize..=to as usize {
                let pixel = if flat { [step, other] } else { [other, step] };
                let distance = (other as f64 - middle) * across;
                let on = self.on[pixel[1] * self.size[0] + pixel[0]];
                visit(step, Near { pixel, distance, on });
            }
        }
    }
}
