//! Parallel projections and their depth buffers.

use super::up::Up;
use crate::cloud::Chunk;
use crate::vector::dot;

/// A parallel projection.
#[derive(Debug, Clone, Copy)]
pub struct Camera {
    /// Unit vector to the right of the picture.
    right: [f64; 3],
    /// Unit vector to the top of the picture.
    up: [f64; 3],
    /// Unit vector out of the picture, to the viewer.
    toward: [f64; 3],
}

/// Azimuth and elevation of the viewer in the raised view, in degrees.
const RAISED: (f64, f64) = (-62.0, 34.0);

/// Fraction of a picture that is filled.
const FILLED: f64 = 0.92;
/// Largest enlargement of a view: each pixel of the buffer becomes this many.
const CLOSEST: f64 = 3.0;
/// One point in this many may lie outside at each side.
const FEW: u64 = 500;

impl Camera {
    /// The raised view, the view from the top, and two from the sides.
    pub fn all(up: Up) -> [Camera; 4] {
        let (azimuth, elevation) = (RAISED.0.to_radians(), RAISED.1.to_radians());
        let (sa, ca) = azimuth.sin_cos();
        let (se, ce) = elevation.sin_cos();
        let camera = |right, up_, toward| Camera {
            right: turned(right, up),
            up: turned(up_, up),
            toward: turned(toward, up),
        };
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        [
            camera([-sa, ca, 0.0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]),
            camera(x, y, z),
            camera(x, z, [0.0, -1.0, 0.0]),
            camera(y, z, x),
        ]
    }

    /// The axis on which the viewer is, as seen from the cloud: `-y` if the viewer is at small `y`.
    /// `None` for a raised view.
    pub fn side(&self) -> Option<&'static str> {
        const NAMES: [[&str; 2]; 3] = [["+x", "-x"], ["+y", "-y"], ["+z", "-z"]];
        let axis = self.toward.iter().position(|v| v.abs() == 1.0)?;
        Some(NAMES[axis][usize::from(self.toward[axis] < 0.0)])
    }

    /// The directions of the axes' unit vectors in the picture, to the right and upwards.
    pub fn axes(&self) -> [[f64; 2]; 3] {
        [0, 1, 2].map(|axis| [self.right[axis], self.up[axis]])
    }
}

/// A direction given with `z` up, converted to a cloud whose `up` axis is another.
fn turned([x, y, z]: [f64; 3], up: Up) -> [f64; 3] {
    match up {
        // `Auto` was resolved before, see `Up::of`.
        Up::Z | Up::Auto => [x, y, z],
        Up::Y => [x, z, -y],
        Up::X => [z, x, y],
    }
}

/// For each pixel, the nearest point of a plane and the nearest point of no plane.
pub struct DepthBuffer {
    camera: Camera,
    size: [usize; 2],
    min: [f64; 3],
    max: [f64; 3],
    /// Pixels per unit.
    scale: f64,
    /// Middle of the space in the camera's axes.
    middle: [f64; 3],
    /// Depth of the space.
    depth: f64,
    /// The points of planes. The upper half is nearness, greater is nearer, 0 without a point;
    /// the lower half is the plane. The greatest value wins, in whatever order points come.
    pixels: Vec<u64>,
    /// The points of no plane, in the same encoding.
    rest: Vec<u64>,
}

/// The plane shown by a pixel with this value; negative if none.
pub fn label(value: u64) -> i32 {
    if value == 0 { -1 } else { !(value as u32) as i32 }
}

/// Calls `each` with the positions and values of the pixels that hold a point.
#[inline(always)]
pub fn each_point(pixels: &[u64], mut each: impl FnMut(usize, u64)) {
    const GROUP: usize = 8;
    for (first, group) in (0..).step_by(GROUP).zip(pixels.chunks(GROUP)) {
        // Most groups hold no point.
        if group.iter().fold(0, |all, value| all | value) != 0 {
            let points = group.iter().enumerate().filter(|(_, value)| **value != 0);
            points.for_each(|(k, &value)| each(first + k, value));
        }
    }
}

impl DepthBuffer {
    /// An empty buffer of `size` columns and rows for the space from `min` to `max`.
    pub fn new(camera: Camera, size: [usize; 2], min: [f64; 3], max: [f64; 3]) -> DepthBuffer {
        let half = |axis: [f64; 3]| -> f64 {
            (0..3).map(|k| (max[k] - min[k]).abs() * axis[k].abs() / 2.0).sum()
        };
        let centre = [0, 1, 2].map(|k| min[k] / 2.0 + max[k] / 2.0);
        let axes = [camera.right, camera.up, camera.toward];
        let [width, height, depth] = axes.map(half);
        // Nine tenths of the picture; a cloud without extent gets some finite scale.
        let fit = |pixels: usize, half: f64| 0.45 * pixels as f64 / half.max(f64::MIN_POSITIVE);
        let scale = fit(size[0], width).min(fit(size[1], height));
        DepthBuffer {
            camera,
            size,
            min,
            max,
            scale: if scale.is_finite() { scale } else { 1.0 },
            middle: axes.map(|axis| dot(axis, centre)),
            depth,
            pixels: vec![0; size[0] * size[1]],
            rest: vec![0; size[0] * size[1]],
        }
    }

    /// Pixels per unit.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Columns and rows.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Brightness of a surface with this normal under `light`, given in the camera's axes: 1 if
    /// it faces the light. Surfaces have no back: the normal is turned to the viewer.
    pub fn light(&self, normal: [f64; 3], light: [f64; 3]) -> f64 {
        let c = &self.camera;
        let [x, y, z] = [c.right, c.up, c.toward].map(|axis| dot(axis, normal));
        let sign = if z < 0.0 { -1.0 } else { 1.0 };
        let facing = sign * (x * light[0] + y * light[1] + z * light[2]);
        0.7 + 0.3 * facing.clamp(0.0, 1.0)
    }

    /// The camera.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// The values of the points of planes, to be widened.
    pub fn pixels(&self) -> &[u64] {
        &self.pixels
    }

    /// The values of the points of no plane.
    pub fn rest(&self) -> &[u64] {
        &self.rest
    }

    /// Adds points; points beyond the end of `labels` belong to no plane.
    pub fn add(&mut self, chunk: &Chunk, labels: &[i32]) {
        let points = chunk.x.iter().zip(&chunk.y).zip(&chunk.z).enumerate();
        for (k, ((&x, &y), &z)) in points {
            let p = [x, y, z];
            // Comparisons with NaN are false.
            if !(0..3).all(|k| p[k] >= self.min[k] && p[k] <= self.max[k]) {
                continue;
            }
            if let Some((at, nearness)) = self.project(p) {
                let label = labels.get(k).copied().unwrap_or(-1);
                let value = u64::from(nearness) << 32 | u64::from(!(label as u32));
                let layer = if label < 0 { &mut self.rest } else { &mut self.pixels };
                layer[at] = layer[at].max(value);
            }
        }
    }

    /// The pixel of a point and its nearness.
    fn project(&self, p: [f64; 3]) -> Option<(usize, u32)> {
        let right = (dot(self.camera.right, p) - self.middle[0]) * self.scale;
        let up = (dot(self.camera.up, p) - self.middle[1]) * self.scale;
        let nearness = dot(self.camera.toward, p) - self.middle[2];
        let column = self.size[0] as f64 / 2.0 + right;
        let row = self.size[1] as f64 / 2.0 - up;
        if !(column >= 0.0 && row >= 0.0) {
            return None;
        }
        let (column, row) = (column as usize, row as usize);
        let span = (2.0 * self.depth).max(f64::MIN_POSITIVE);
        let part = (nearness / span + 0.5).clamp(0.0, 1.0);
        // 0 is reserved for pixels without a point.
        let nearness = 1 + (part * f64::from(u32::MAX - 1)) as u32;
        (column < self.size[0] && row < self.size[1])
            .then_some((row * self.size[0] + column, nearness))
    }

    /// The view moved and enlarged so that the planes, or without planes the points, fill a picture of `size`.
    /// The requested space is rarely filled, and a few stray points must not make
    /// the rest small.
    pub fn reframed(mut self, size: [usize; 2]) -> DepthBuffer {
        let mut columns = vec![0u64; self.size[0]];
        let mut rows = vec![0u64; self.size[1]];
        if self.pixels.iter().all(|&value| value == 0) {
            std::mem::swap(&mut self.pixels, &mut self.rest);
        }
        for (y, row) in self.pixels.chunks_exact(self.size[0]).enumerate() {
            each_point(row, |x, _| {
                columns[x] += 1;
                rows[y] += 1;
            });
        }
        let spans = [most_of(&columns), most_of(&rows)];
        let fit = |axis: usize| FILLED * size[axis] as f64 / (spans[axis].1 - spans[axis].0);
        let zoom = fit(0).min(fit(1)).min(CLOSEST);
        let moved = |layer: &[u64]| {
            let mut pixels = vec![0; size[0] * size[1]];
            for (y, row) in layer.chunks_exact(self.size[0]).enumerate() {
                each_point(row, |x, value| {
                    let at = [x, y];
                    let [x, y] = [0, 1].map(|axis| {
                        let middle = (spans[axis].0 + spans[axis].1) / 2.0;
                        (at[axis] as f64 + 0.5 - middle) * zoom + size[axis] as f64 / 2.0
                    });
                    if x >= 0.0 && y >= 0.0 && x < size[0] as f64 && y < size[1] as f64 {
                        let pixel = &mut pixels[y as usize * size[0] + x as usize];
                        *pixel = value.max(*pixel);
                    }
                });
            }
            pixels
        };
        let (pixels, rest) = (moved(&self.pixels), moved(&self.rest));
        DepthBuffer { size, pixels, rest, scale: self.scale * zoom, ..self }
    }

    /// Nearness of what a pixel of this value shows, in pixels; greater is nearer to the viewer.
    #[inline(always)]
    pub fn nearness(&self, value: u64) -> f64 {
        (value >> 32) as f64 / f64::from(u32::MAX) * 2.0 * self.depth * self.scale
    }
}

/// The range that contains all but a few of the counts.
fn most_of(counts: &[u64]) -> (f64, f64) {
    let few = counts.iter().sum::<u64>() / FEW;
    let skip = |counts: &mut dyn Iterator<Item = &u64>| {
        let mut sum = 0;
        counts
            .take_while(|&&n| {
                sum += n;
                sum <= few
            })
            .count()
    };
    let first = skip(&mut counts.iter());
    let last = counts.len().saturating_sub(skip(&mut counts.iter().rev()));
    if first < last { (first as f64, last as f64) } else { (0.0, counts.len() as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAISED_VIEW: usize = 0;
    const TOP: usize = 1;
    const FRONT: usize = 2;
    const SIDE: usize = 3;

    fn buffer(view: usize, up: Up) -> DepthBuffer {
        let camera = Camera::all(up)[view];
        DepthBuffer::new(camera, [100, 50], [0.0; 3], [8.0, 4.0, 2.0])
    }

    fn chunk(points: &[[f64; 3]]) -> Chunk {
        Chunk {
            x: points.iter().map(|p| p[0]).collect(),
            y: points.iter().map(|p| p[1]).collect(),
            z: points.iter().map(|p| p[2]).collect(),
            ..Chunk::default()
        }
    }

    #[test]
    fn cameras_are_right_handed() {
        for up in [Up::X, Up::Y, Up::Z] {
            for (view, c) in Camera::all(up).into_iter().enumerate() {
                for k in 0..3 {
                    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                    let out = c.right[i] * c.up[j] - c.right[j] * c.up[i];
                    assert!((out - c.toward[k]).abs() < 1e-15, "{view} {up:?}");
                }
            }
        }
    }

    #[test]
    fn the_nearest_point_is_seen_in_any_order() {
        let points = [[1.0, 1.0, 0.5], [1.0, 1.0, 1.5], [1.0, 1.0, 1.0]];
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let mut buffer = buffer(TOP, Up::Z);
            buffer.add(&chunk(&order.map(|k| points[k])), &order.map(|k| k as i32));
            let seen: Vec<_> = buffer.pixels.iter().filter(|&&v| v != 0).collect();
            assert_eq!(seen.len(), 1);
            assert_eq!(label(*seen[0]), 1);
        }
    }

    #[test]
    fn views_have_their_axes() {
        let corner = [[7.9, 0.1, 1.9]];
        // Right of the middle, above it?
        for (view, up, side, expected) in [
            (TOP, Up::Z, "+z", (true, false)),
            (FRONT, Up::Z, "-y", (true, true)),
            (SIDE, Up::Z, "+x", (false, true)),
            (TOP, Up::Y, "+y", (true, false)),
            (FRONT, Up::Y, "+z", (true, false)),
            (SIDE, Up::Y, "+x", (false, false)),
            (TOP, Up::X, "+x", (false, true)),
            (FRONT, Up::X, "-z", (false, true)),
            (SIDE, Up::X, "+y", (true, true)),
        ] {
            let mut buffer = buffer(view, up);
            assert_eq!(buffer.camera().side(), Some(side));
            buffer.add(&chunk(&corner), &[]);
            let at = buffer.rest.iter().position(|&v| v != 0).unwrap();
            assert_eq!((at % 100 >= 50, at / 100 < 25), expected, "{side} {up:?}");
            assert_eq!(label(buffer.rest[at]), -1);
        }
    }

    #[test]
    fn what_was_drawn_fills_the_picture() {
        let camera = Camera::all(Up::Z)[TOP];
        let mut buffer = DepthBuffer::new(camera, [300, 300], [0.0; 3], [10.0; 3]);
        // A square of side 5 and one stray point.
        let square =
            (0..2500).map(|k| [1.0 + 0.1 * f64::from(k % 50), 2.0 + 0.1 * f64::from(k / 50), 3.0]);
        let points: Vec<_> = square.chain([[9.9, 9.9, 9.9]]).collect();
        buffer.add(&chunk(&points), &vec![4; 2501]);
        let before = buffer.scale();
        let view = buffer.reframed([200, 100]);
        assert_eq!(view.size(), [200, 100]);
        let zoom = view.scale() / before;
        assert!((view.scale() * 5.0 / 92.0 - 1.0).abs() < 0.05, "{zoom}");
        let rows: Vec<_> =
            (0..view.pixels.len()).filter(|&k| view.pixels[k] != 0).map(|k| k / 200).collect();
        assert!(rows.iter().all(|r| (2..98).contains(r)));
        let columns: Vec<_> =
            (0..view.pixels.len()).filter(|&k| view.pixels[k] != 0).map(|k| k % 200).collect();
        assert!(columns.iter().min() > Some(&50) && columns.iter().max() < Some(&150));
    }

    #[test]
    fn strays_and_clouds_without_extent_are_no_trouble() {
        let mut far = buffer(RAISED_VIEW, Up::Z);
        far.add(&chunk(&[[f64::NAN, 0.0, 0.0], [1e300, 0.0, 0.0], [-1.0, 0.0, 0.0]]), &[0; 3]);
        assert!(far.pixels.iter().all(|&v| v == 0));
        let camera = Camera::all(Up::Z)[RAISED_VIEW];
        for p in [[5.0; 3], [0.0; 3], [1e300; 3]] {
            let mut one = DepthBuffer::new(camera, [40, 40], p, p);
            one.add(&chunk(&[p]), &[0]);
            assert!(one.pixels.iter().filter(|&&v| v != 0).count() <= 1);
        }
    }
}
