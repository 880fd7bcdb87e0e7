//! The pixels of a depth camera's frame: which points are next to each other in its image.

use super::raster::{EDGE, Image, Raster, apart};
use super::viewpoint::Viewpoint;
use crate::frame::Points;
use crate::surface::plane::LocalPlane;
use crate::surface::quantile::quantile;
use crate::vector::{Vec3, dot};

/// Points are next to each other when they are at most this many pixels apart: across a corner, too.
const NEXT: f32 = EDGE;
/// Points that tell the distance between pixels, and whether they are a grid.
const SAMPLES: usize = 1 << 12;
/// In a grid the nearest point is one pixel away, give or take this share of a pixel, …
const UNEVEN: f64 = 0.25;
/// … for at least this share of the points, …
const SHARE: f64 = 0.8;
/// … and most points have at least this many next to them: neither every other row is missing nor every other column.
const NEIGHBOURS: f64 = 4.0;

/// How a frame is seen, in the coordinates in which it is searched.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sight {
    /// From a viewpoint among the points.
    From(Viewpoint),
    /// Along the third axis, from its far end: points are drawn in the camera's view.
    Drawn,
}

impl Sight {
    /// Where a point lies in the image.
    fn place(&self, p: Vec3) -> [f64; 2] {
        match self {
            Sight::From(viewpoint) => viewpoint.image(p),
            Sight::Drawn => [p[0], p[1]],
        }
    }

    /// The side of a plane on which the camera is: the sign of the distance of points before it.
    pub fn side(&self, plane: &LocalPlane) -> f64 {
        match self {
            Sight::From(viewpoint) => dot(plane.normal, viewpoint.eye()) - plane.rho,
            Sight::Drawn => plane.normal[2],
        }
    }
}

/// The image of a frame.
#[derive(Debug)]
pub(super) struct Pixels {
    /// How it is seen.
    pub sight: Sight,
    /// Its points; lengths are in pixels.
    raster: Raster,
}

impl Pixels {
    /// The image of a cloud; `None` if its points are no grid of pixels as they are seen.
    pub fn find(points: &Points, sight: Sight) -> Option<Pixels> {
        let image = Image::of(points, |p| sight.place(p))?;
        let rough = Pixels { sight, raster: image.raster(image.apart)? };
        let pixel = image.apart * quantile(&mut rough.nearest_to_samples(), 0.5);
        let pixels = Pixels { sight, raster: image.raster(pixel)? };
        pixels.is_grid().then_some(pixels)
    }

    /// Whether the points are a grid: one a pixel, each with pixels around it.
    fn is_grid(&self) -> bool {
        let nearest = self.nearest_to_samples();
        let even = nearest.iter().filter(|&d| (d - 1.0).abs() <= UNEVEN).count();
        let near =
            |i: u32| self.raster.around(self.place(i)).filter(move |&(j, d)| j != i && d <= NEXT);
        let mut next: Vec<f64> = self.samples().map(|i| near(i).count() as f64).collect();
        log::debug!(
            "{:.3} of the points are one pixel from the next, {} around each",
            even as f64 / nearest.len() as f64,
            quantile(&mut next, 0.5)
        );
        even as f64 >= SHARE * nearest.len() as f64 && quantile(&mut next, 0.5) >= NEIGHBOURS
    }

    /// Points spread over the whole image.
    fn samples(&self) -> impl Iterator<Item = u32> {
        let points = self.raster.points();
        points.iter().copied().step_by(points.len().div_ceil(SAMPLES).max(1))
    }

    /// The distance from some points to the nearest others; infinite if that is far.
    fn nearest_to_samples(&self) -> Vec<f64> {
        let nearest = |i: u32| {
            let others = self.raster.around(self.place(i)).filter(|&(j, _)| j != i);
            f64::from(others.map(|(_, d)| d).fold(f32::INFINITY, f32::min))
        };
        self.samples().map(nearest).collect()
    }

    /// The point at a place of the image, if there is one within a pixel.
    pub fn at(&self, place: [f32; 2]) -> Option<u32> {
        let near = self.raster.around(place).filter(|&(_, d)| d <= 1.0);
        near.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))).map(|(point, _)| point)
    }

    /// Where a point lies in the image, in pixels.
    pub fn place(&self, point: u32) -> [f32; 2] {
        self.raster.at(point)
    }

    /// For each point a point that stands for all those of its label that are connected with it through points next
    /// to each other: the first of them. Points with a negative label are alone.
    pub fn connected(&self, labels: &[i32]) -> Vec<u32> {
        let mut parts = Parts((0..labels.len() as u32).collect());
        let raster = &self.raster;
        let [columns, rows] = raster.size();
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |c| (row, c))) {
            let own = raster.run(row, [column, column + 1]);
            let right = raster.run(row, [column + 1, column + 2]);
            let below = [column.saturating_sub(1), column + 2];
            let below = if row + 1 < rows { raster.run(row + 1, below) } else { &[] };
            for (k, &i) in own.iter().enumerate().filter(|&(_, &i)| labels[i as usize] >= 0) {
                for &j in own[k + 1..].iter().chain(right).chain(below) {
                    let is_next = labels[i as usize] == labels[j as usize]
                        && apart(self.place(i), self.place(j)) <= NEXT;
                    if is_next {
                        parts.join(i, j);
                    }
                }
            }
        }
        (0..labels.len() as u32).map(|i| parts.root(i)).collect()
    }
}

/// Sets that are joined in turn; each is known by its least member.
struct Parts(Vec<u32>);

impl Parts {
    fn root(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            let above = self.0[self.0[i as usize] as usize];
            self.0[i as usize] = above;
            i = above;
        }
        i
    }

    fn join(&mut self, i: u32, j: u32) {
        let [a, b] = [i, j].map(|i| self.root(i));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
