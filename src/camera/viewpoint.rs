//! Frames of a depth camera, in the camera's view.
//!
//! A camera that measures disparities has errors, and gaps between points, that grow with the range, the
//! errors with its square. One frame has errors of millimetres and of decimetres, and no scale suits both.
//! But planes stay planes if each point `(a, b, z)`, relative to the camera, is drawn at
//! `(a / z, b / z, 1 / z)`, and there the errors and the distances between points are the same everywhere. So
//! such a frame is searched in the camera's view, and its planes are fitted to the original points.

use super::evenness::Seen;
use crate::frame::{Frame, Points};
use crate::ranges::ranges;
use crate::surface::plane::LocalPlane;
use crate::surface::quantile::quantile;
use crate::vector::{Vec3, axes, dot, minus, normalized};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Points that one thread draws at a time.
const PIECE: usize = 1 << 13;
/// Points nearer than this share of the usual depth are drawn at that depth.
pub(crate) const NEAREST: f64 = 0.125;
/// Where pixels are known, the usual depth is so much less than the median that at most this share of them is nearer than that; …
const NEARLY_NONE: f64 = 0.002;
/// … but at least this share of the median.
const LEAST: f64 = 0.25;

/// Pixels are in step with their grid if the mean of their places between two pixels, as directions, is at least so long.
const IN_STEP: f64 = 0.5;

/// The shift of an image jumps by a pixel where pixels are so far from a whole number of pixels: by no half and no quarter,
/// since these are common.
const JUMP: f64 = 0.35;

/// A point is off across the line of sight by this share of what it is off along it, since its pixel is an area. A table
/// top tells a smaller share best, and 0.5 does as well for scenes (`benches/results/detect.md`).
const ACROSS: f64 = 0.25;

/// How far points are off from a surface with this normal in the camera's view, as a share of what they are off along the
/// line of sight, which is the third axis. A floor that is seen at a grazing angle is thinner than a wall seen from the
/// front.
pub(crate) fn share_of_error(normal: Vec3) -> f64 {
    let along = normal[2] * normal[2];
    (along + ACROSS * ACROSS * (1.0 - along).max(0.0)).sqrt()
}

/// How a frame of pixels is seen, in the coordinates in which it is searched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight {
    pub from: SeenFrom,
    /// Position of the camera, in input coordinates.
    pub camera: Vec3,
}

/// From where a frame is seen.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SeenFrom {
    /// A viewpoint among the points.
    Viewpoint(Viewpoint),
    /// The far end of the third axis, since points are drawn in the camera's view. Points drawn at this height are
    /// nearer to the camera than that.
    Drawn { nearest: f64 },
}

impl Sight {
    /// Where a point lies in the image; NaN if it is too near to be drawn, as a point at the camera is that stands for
    /// a missing one.
    pub fn place(&self, p: Vec3) -> [f64; 2] {
        match self.from {
            SeenFrom::Viewpoint(viewpoint) => viewpoint.place(p),
            SeenFrom::Drawn { nearest } if p[2] < nearest => [p[0], p[1]],
            SeenFrom::Drawn { .. } => [f64::NAN; 2],
        }
    }

    /// The side of a plane on which the camera is: the sign of the distance of points before it.
    pub fn side(&self, plane: &LocalPlane) -> f64 {
        match self.from {
            SeenFrom::Viewpoint(viewpoint) => dot(plane.normal, viewpoint.eye()) - plane.rho,
            SeenFrom::Drawn { .. } => plane.normal[2],
        }
    }
}

/// Where a cloud was seen from, in its local coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Viewpoint {
    eye: Vec3,
    /// Two directions across the view and each other, and the direction of view.
    axes: [Vec3; 3],
    /// A usual depth, in steps: the median of those of some points, seen from where it was first looked for, or of all; less in a
    /// frame that has much nearer points.
    middle: f64,
    /// The grid of its pixels, along the first two axes, if it is known.
    pixels: Option<PixelGrid>,
}

/// A square grid of pixels in the image at a depth of one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PixelGrid {
    /// The distance from a pixel to the next.
    pitch: f64,
    /// What is added to the places of pixels so that they are whole numbers of pixels and a half; 0 if that is unknown.
    shift: [f64; 2],
}

/// What is added to places on a line, in pixels, so that they are whole numbers and a half; `None` if they are anywhere
/// between whole numbers, as where coordinates are rounded and the pixels of a wide image get out of step.
fn shift_to_halves(places: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let all = places.len();
    let [cos, sin] = sum_of_directions(places.map(|place| TAU * place));
    let phase = (sin.atan2(cos) / TAU + JUMP).rem_euclid(1.0) - JUMP;
    (sin.hypot(cos) >= IN_STEP * all as f64).then_some(0.5 - phase)
}

/// The sum of the directions, of unit length, at some angles; its own angle is their mean.
pub(crate) fn sum_of_directions(angles: impl Iterator<Item = f64>) -> [f64; 2] {
    angles.fold([0.0, 0.0], |[x, y], angle| [x + angle.cos(), y + angle.sin()])
}

impl Viewpoint {
    /// A viewpoint that looks in some direction at points.
    pub fn new(eye: Vec3, forward: Vec3, points: &Seen) -> Viewpoint {
        let [_, middle, _] = points.depths(eye, forward);
        let (u, v) = axes(forward);
        Viewpoint { eye, axes: [u, v, forward], middle, pixels: None }
    }

    /// The viewpoint moved along its axes by three shares of the usual depth, and turned towards the first two by two
    /// angles, in radians; `None` if it turns too far or passes the usual depth.
    pub fn moved(&self, [right, down, ahead, turn_u, turn_v]: [f64; 5]) -> Option<Viewpoint> {
        let [u, v, forward] = self.axes;
        let along = |share: [f64; 3]| -> Vec3 {
            std::array::from_fn(|a| share[0] * u[a] + share[1] * v[a] + share[2] * forward[a])
        };
        let by = along([right, down, ahead].map(|share| share * self.middle));
        let turned = normalized(along([turn_u, turn_v, 1.0]));
        let middle = self.middle * (1.0 - ahead);
        let (u, v) = axes(turned);
        (dot(turned, forward) > 0.5 && middle > 0.0).then_some(Viewpoint {
            eye: std::array::from_fn(|a| self.eye[a] + by[a]),
            axes: [u, v, turned],
            middle,
            pixels: None,
        })
    }

    /// The viewpoint from which what is at `middle` is seen in the same direction, so many times as far away.
    pub fn farther(&self, times: f64, middle: Vec3) -> Viewpoint {
        let eye = std::array::from_fn(|a| middle[a] + times * (self.eye[a] - middle[a]));
        Viewpoint { eye, middle: times * self.middle, ..*self }
    }

    /// The same viewpoint with axes along the rows and columns of its pixels, one of which is at `edge` from the next in the
    /// image. `some` of its points tell which way is down, so that a frame is drawn alike however its camera was turned.
    pub fn along_pixels(&self, edge: [f64; 2], some: &[Vec3]) -> Viewpoint {
        let pitch = edge[0].hypot(edge[1]);
        let [a, b] = edge.map(|v| v / pitch);
        let ways = [[a, b], [-b, a], [-a, -b], [b, -a]];
        let images: Vec<[f64; 2]> = some.iter().map(|&p| self.image(p)).collect();
        // Near points are at the bottom of most frames.
        let near: Vec<f64> =
            some.iter().map(|&p| 1.0 / self.depth(p).max(NEAREST * self.middle)).collect();
        let mean = near.iter().sum::<f64>() / near.len().max(1) as f64;
        let nearer = |[x, y]: [f64; 2]| -> f64 {
            images.iter().zip(&near).map(|([a, b], near)| (x * a + y * b) * (near - mean)).sum()
        };
        let down = ways.into_iter().max_by(|&a, &b| nearer(a).total_cmp(&nearer(b)));
        let [x, y] = down.unwrap_or([0.0, 1.0]);
        let ways = [[y, -x], [x, y]];
        let [u, v, forward] = self.axes;
        let [right, down] =
            ways.map(|[a, b]| -> Vec3 { std::array::from_fn(|k| a * u[k] + b * v[k]) });
        let shift = ways.map(|[x, y]| {
            let places = images.iter().map(|[a, b]| (x * a + y * b) / pitch);
            pitch * shift_to_halves(places).unwrap_or(0.0)
        });
        let turned = Viewpoint { axes: [right, down, forward], ..*self };
        Viewpoint { pixels: Some(PixelGrid { pitch, shift }), ..turned }
    }

    /// The same viewpoint whose usual depth is the median of those of the points that `count`, or less, so that nearly all
    /// of them are drawn, if the grid of its pixels is known.
    pub fn with_middle_of(
        &self,
        points: &Points,
        count: impl Fn(Vec3) -> bool + Sync,
    ) -> Viewpoint {
        let all = (0..points.len()).into_par_iter().map(|i| points.get(i).map(f64::from));
        let depths = all.filter(|&p| count(p)).map(|p| self.depth(p));
        let depths = &mut depths.collect::<Vec<f64>>();
        let nearest = self.pixels.map_or(f64::INFINITY, |_| quantile(depths, NEARLY_NONE));
        let median = quantile(depths, 0.5);
        let middle = median.min((nearest / NEAREST).max(LEAST * median));
        Viewpoint { middle: if middle > 0.0 { middle } else { self.middle }, ..*self }
    }

    /// The distance between two viewpoints, in depths.
    pub fn shift(&self, other: &Viewpoint) -> f64 {
        let apart = minus(self.eye, other.eye);
        dot(apart, apart).sqrt() / self.middle
    }

    /// How a cloud of this frame is seen from there.
    pub fn sight(&self, frame: &Frame) -> Sight {
        Sight { from: SeenFrom::Viewpoint(*self), camera: frame.input(self.eye) }
    }

    /// The same if the points are drawn in the camera's view, in coordinates of the frame `drawn`.
    pub fn sight_of_drawn(&self, frame: &Frame, drawn: &Frame) -> Sight {
        let nearest = ((1.0 / NEAREST - 1.0) * self.middle / drawn.step).floor();
        Sight { from: SeenFrom::Drawn { nearest }, ..self.sight(frame) }
    }

    /// Position of the camera, in the coordinates of the points.
    pub fn eye(&self) -> Vec3 {
        self.eye
    }

    /// The components of a vector along the two axes across the view.
    pub fn across(&self, vector: Vec3) -> [f64; 2] {
        [dot(vector, self.axes[0]), dot(vector, self.axes[1])]
    }

    /// The direction of view.
    pub fn ahead(&self) -> Vec3 {
        self.axes[2]
    }

    /// Depth of a point along the direction of view, in steps.
    pub fn depth(&self, p: Vec3) -> f64 {
        dot(minus(p, self.eye), self.axes[2])
    }

    /// The usual depth, in steps.
    pub fn depth_of_middle(&self) -> f64 {
        self.middle
    }

    /// The depth of a point that is given in the camera's view.
    pub fn depth_of_seen(&self, seen: Vec3, frame: &Frame) -> f64 {
        self.middle / (1.0 + seen[2] * frame.step / self.middle)
    }

    /// The points in the camera's view, at a scale that keeps lengths at the usual depth, and the frame of
    /// these coordinates, whose step is in steps of the points.
    pub fn seen(&self, points: &Points) -> (Frame, Points) {
        let drawn = |i: usize| self.draw(points.get(i).map(f64::from));
        let farthest =
            |most: f64, i: usize| drawn(i).iter().fold(most, |most, v| most.max(v.abs()));
        let most = ranges(points.len(), PIECE).map(|piece| piece.fold(0.0, farthest));
        let most = most.reduce(|| 0.0, f64::max);
        let fits = Frame::fit([-most; 3], [most; 3]).step.max(1.0);
        // A pixel is a power of two of steps, so that cells cut it in the same way in any unit.
        let step = self.pixels.map_or(fits, |pixels| {
            let pixel = pixels.pitch * self.middle;
            pixel * 0.5f64.powi((pixel / fits).log2().floor() as i32)
        });
        let frame = Frame { origin: [0.0; 3], step };
        let mut seen = Points::zeros(points.len());
        let Points { x, y, z } = &mut seen;
        let [x, y, z] = [x, y, z].map(|axis| axis.par_chunks_mut(PIECE));
        x.zip(y).zip(z).enumerate().for_each(|(piece, ((x, y), z))| {
            for k in 0..x.len() {
                let [a, b, c] = drawn(piece * PIECE + k);
                [x[k], y[k], z[k]] = [a, b, c].map(|v| (v / step).round_ties_even() as f32);
            }
        });
        (frame, seen)
    }

    /// Where a point lies that is given in the camera's view.
    pub fn point(&self, seen: Vec3, frame: &Frame) -> Vec3 {
        let [u, v, forward] = &self.axes;
        let depth = self.depth_of_seen(seen, frame);
        let [x, y] = std::array::from_fn(|i| {
            (seen[i] * frame.step - self.offset()[i]) * depth / self.middle
        });
        std::array::from_fn(|i| self.eye[i] + x * u[i] + y * v[i] + depth * forward[i])
    }

    /// How far points are drawn from where they are in the image at the usual depth.
    fn offset(&self) -> [f64; 2] {
        self.pixels.map_or([0.0; 2], |pixels| pixels.shift.map(|v| v * self.middle))
    }

    /// Where a point is drawn.
    #[inline(always)]
    fn draw(&self, p: Vec3) -> Vec3 {
        let ([u, v, forward], from) = (&self.axes, minus(p, self.eye));
        let times = self.middle / dot(from, *forward).max(NEAREST * self.middle);
        let [x, y] = self.offset();
        [dot(from, *u) * times + x, dot(from, *v) * times + y, (times - 1.0) * self.middle]
    }

    /// Where a point lies in the image at a depth of one; NaN if it is too near to be drawn.
    pub fn place(&self, p: Vec3) -> [f64; 2] {
        if self.depth(p) > NEAREST * self.middle { self.image(p) } else { [f64::NAN; 2] }
    }

    /// The same, but what is too near is drawn at the least depth.
    #[inline(always)]
    pub fn image(&self, p: Vec3) -> [f64; 2] {
        let ([u, v, forward], from) = (&self.axes, minus(p, self.eye));
        let z = dot(from, *forward).max(NEAREST * self.middle);
        [dot(from, *u) / z, dot(from, *v) / z]
    }

    /// Maps a plane from the camera's view to the coordinates of the points; its tolerance is that at the
    /// usual depth.
    pub fn plane(&self, seen: LocalPlane, frame: &Frame) -> LocalPlane {
        // n · (a m / z, b m / z, m² / z − m) = ρ, times z.
        let [a, b, c] = seen.normal;
        let [x, y] = self.offset();
        let (m, rho) = (self.middle, seen.rho * frame.step - a * x - b * y);
        let across = [a * m, b * m, -(c * m + rho)];
        let normal: Vec3 =
            std::array::from_fn(|i| (0..3).map(|k| across[k] * self.axes[k][i]).sum::<f64>());
        let length = dot(normal, normal).sqrt().max(f64::MIN_POSITIVE);
        let normal = normal.map(|v| v / length);
        let rho = dot(normal, self.eye) - c * m * m / length;
        LocalPlane { normal, rho, tolerance: seen.tolerance * frame.step }
    }
}
