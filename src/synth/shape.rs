//! The surfaces that scenes are made of: flat polygons, ellipsoids and cylinders.

use super::random::Random;
use super::vector::{Vec3, cross, dot, frame, length, minus, plus, scaled, unit};
use std::f64::consts::PI;

/// A hit nearer than this to the eye is the eye's own surface.
const NEAREST: f64 = 1e-6;

/// A surface.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    Patch(Patch),
    Ellipsoid(Ellipsoid),
    Cylinder(Cylinder),
}

impl Shape {
    /// A random point, uniform over the surface (a leafy ellipsoid: over the volume; another
    /// ellipsoid: nearly), and the unit normal there.
    pub(super) fn sample(&self, random: &mut Random) -> (Vec3, Vec3) {
        match self {
            Shape::Patch(patch) => (patch.sample(random), patch.normal),
            Shape::Ellipsoid(ellipsoid) => ellipsoid.sample(random),
            Shape::Cylinder(cylinder) => cylinder.sample(random),
        }
    }

    /// Where the ray from `eye` along the unit `direction` first meets the surface, as a
    /// distance. `depth`, uniform in `[0, 1)`, says how far it gets into leaves.
    pub(super) fn hit(&self, eye: Vec3, direction: Vec3, depth: f64) -> Option<f64> {
        let distance = match self {
            Shape::Patch(patch) => patch.hit(eye, direction),
            Shape::Ellipsoid(ellipsoid) => ellipsoid.hit(eye, direction, depth),
            Shape::Cylinder(cylinder) => cylinder.hit(eye, direction),
        };
        distance.filter(|&distance| distance > NEAREST)
    }

    /// The unit normal at a point of the surface.
    pub(super) fn normal_at(&self, p: Vec3) -> Vec3 {
        match self {
            Shape::Patch(patch) => patch.normal,
            Shape::Ellipsoid(ellipsoid) => ellipsoid.normal_at(p),
            Shape::Cylinder(cylinder) => cylinder.normal_at(p),
        }
    }

    /// Its area, of an ellipsoid nearly.
    pub(super) fn area(&self) -> f64 {
        match self {
            Shape::Patch(patch) => patch.area,
            Shape::Ellipsoid(ellipsoid) => ellipsoid.area(),
            Shape::Cylinder(c) => 2.0 * PI * c.radius * c.length,
        }
    }

    /// The area of its shadow under a vertical light.
    pub(super) fn plan_area(&self) -> f64 {
        match self {
            Shape::Patch(patch) => patch.area * patch.normal[2].abs(),
            Shape::Ellipsoid(e) => PI * length(e.axes[0]) * length(e.axes[1]),
            Shape::Cylinder(c) => 2.0 * c.radius * c.length * (1.0 - c.axis[2].abs()),
        }
    }

    /// Points whose convex hull holds the surface.
    pub(super) fn hull(&self) -> Vec<Vec3> {
        match self {
            Shape::Patch(patch) => patch.outline.clone(),
            Shape::Ellipsoid(e) => corners(e.centre, e.axes[0], e.axes[1], e.axes[2]),
            Shape::Cylinder(c) => corners(
                plus(c.base, scaled(c.axis, 0.5 * c.length)),
                scaled(c.u, c.radius),
                scaled(c.v, c.radius),
                scaled(c.axis, 0.5 * c.length),
            ),
        }
    }
}

/// The corners of a box by its centre and half its edges.
fn corners(centre: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec<Vec3> {
    let mut corners = Vec::with_capacity(8);
    for i in [-1.0, 1.0] {
        for j in [-1.0, 1.0] {
            for k in [-1.0, 1.0] {
                let across = plus(scaled(a, i), scaled(b, j));
                corners.push(plus(centre, plus(across, scaled(c, k))));
            }
        }
    }
    corners
}

/// A flat polygon with holes.
#[derive(Debug, Clone)]
pub(super) struct Patch {
    /// Unit normal; the outline runs counter-clockwise about it.
    pub(super) normal: Vec3,
    /// `normal · p` of its points.
    pub(super) offset: f64,
    origin: Vec3,
    u: Vec3,
    v: Vec3,
    outline: Vec<Vec3>,
    /// Outline and holes in the coordinates along `u` and `v`.
    rings: Vec<Vec<[f64; 2]>>,
    low: [f64; 2],
    high: [f64; 2],
    /// The bounds are the polygon.
    is_bounds: bool,
    area: f64,
}

impl Patch {
    /// The polygon of these corners, which must lie in one plane, less the holes.
    pub(super) fn new(outline: Vec<Vec3>, holes: &[Vec<Vec3>]) -> Self {
        let origin = outline[0];
        let doubled = ring_area(&outline);
        let normal = unit(doubled);
        let u = unit(minus(outline[1], origin));
        let v = cross(normal, u);
        let flat = |ring: &[Vec3]| -> Vec<[f64; 2]> {
            let local = |&p| [dot(minus(p, origin), u), dot(minus(p, origin), v)];
            ring.iter().map(local).collect()
        };
        let mut rings = vec![flat(&outline)];
        rings.extend(holes.iter().map(|hole| flat(hole)));
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for p in &rings[0] {
            for i in 0..2 {
                low[i] = low[i].min(p[i]);
                high[i] = high[i].max(p[i]);
            }
        }
        let holes_area: f64 = holes.iter().map(|h| 0.5 * length(ring_area(h))).sum();
        let area = 0.5 * length(doubled) - holes_area;
        let bounds_area = (high[0] - low[0]) * (high[1] - low[1]);
        Patch {
            normal,
            offset: dot(normal, origin),
            origin,
            u,
            v,
            outline,
            rings,
            low,
            high,
            is_bounds: (bounds_area - area).abs() < 1e-9 * bounds_area,
            area,
        }
    }

    fn contains(&self, p: [f64; 2]) -> bool {
        let in_bounds = (0..2).all(|i| self.low[i] <= p[i] && p[i] <= self.high[i]);
        in_bounds && (self.is_bounds || inside(&self.rings, p))
    }

    fn sample(&self, random: &mut Random) -> Vec3 {
        loop {
            let a = random.between(self.low[0], self.high[0]);
            let b = random.between(self.low[1], self.high[1]);
            if self.contains([a, b]) {
                let along = plus(scaled(self.u, a), scaled(self.v, b));
                return plus(self.origin, along);
            }
        }
    }

    fn hit(&self, eye: Vec3, direction: Vec3) -> Option<f64> {
        let slope = dot(self.normal, direction);
        if slope.abs() < 1e-12 {
            return None;
        }
        let distance = (self.offset - dot(self.normal, eye)) / slope;
        let p = minus(plus(eye, scaled(direction, distance)), self.origin);
        self.contains([dot(p, self.u), dot(p, self.v)]).then_some(distance)
    }
}

/// Twice the area of a flat ring, along its normal (Newell).
fn ring_area(ring: &[Vec3]) -> Vec3 {
    let mut sum = [0.0; 3];
    for (i, &p) in ring.iter().enumerate() {
        let next = ring[(i + 1) % ring.len()];
        let (a, b) = (minus(p, ring[0]), minus(next, ring[0]));
        sum = plus(sum, cross(a, b));
    }
    sum
}

/// Whether a ray from `p` crosses the rings an odd number of times.
fn inside(rings: &[Vec<[f64; 2]>], p: [f64; 2]) -> bool {
    let mut odd = false;
    for ring in rings {
        let mut previous = ring[ring.len() - 1];
        for &corner in ring {
            if (corner[1] > p[1]) != (previous[1] > p[1]) {
                let along = (p[1] - corner[1]) / (previous[1] - corner[1]);
                odd ^= p[0] < corner[0] + along * (previous[0] - corner[0]);
            }
            previous = corner;
        }
    }
    odd
}

/// An ellipsoid: a ball, a cushion, or, when leafy, a cloud of leaves that rays enter.
#[derive(Debug, Clone)]
pub(super) struct Ellipsoid {
    pub(super) centre: Vec3,
    /// Half axes.
    pub(super) axes: [Vec3; 3],
    pub(super) leafy: bool,
}

impl Ellipsoid {
    fn sample(&self, random: &mut Random) -> (Vec3, Vec3) {
        let s = match self.leafy {
            true => random.in_ball(),
            false => random.direction(),
        };
        let across = plus(scaled(self.axes[0], s[0]), scaled(self.axes[1], s[1]));
        let p = plus(self.centre, plus(across, scaled(self.axes[2], s[2])));
        (p, self.normal_at(p))
    }

    /// A vector in the frame where the ellipsoid is the unit ball.
    fn local(&self, d: Vec3) -> Vec3 {
        self.axes.map(|axis| dot(d, axis) / dot(axis, axis))
    }

    fn hit(&self, eye: Vec3, direction: Vec3, depth: f64) -> Option<f64> {
        let (o, d) = (self.local(minus(eye, self.centre)), self.local(direction));
        let (near, far) = roots(dot(d, d), dot(o, d), dot(o, o) - 1.0)?;
        if !self.leafy {
            return Some(near);
        }
        // A third of the rays through the middle meet no leaf.
        let entered = near + depth * 3.0 * length(self.axes[2]);
        (near > 0.0 && entered < far).then_some(entered)
    }

    fn normal_at(&self, p: Vec3) -> Vec3 {
        let s = self.local(minus(p, self.centre));
        let mut sum = [0.0; 3];
        for (axis, s) in self.axes.iter().zip(s) {
            sum = plus(sum, scaled(*axis, s / dot(*axis, *axis)));
        }
        let long = length(sum);
        match long > 1e-9 {
            true => scaled(sum, 1.0 / long),
            false => [0.0, 0.0, 1.0],
        }
    }

    fn area(&self) -> f64 {
        let [a, b, c] = self.axes.map(length);
        4.0 * PI * (a * b + a * c + b * c) / 3.0
    }
}

/// A cylinder without its ends.
#[derive(Debug, Clone)]
pub(super) struct Cylinder {
    base: Vec3,
    axis: Vec3,
    u: Vec3,
    v: Vec3,
    radius: f64,
    length: f64,
}

impl Cylinder {
    /// Around the line from `base` to `base + along`.
    pub(super) fn new(base: Vec3, along: Vec3, radius: f64) -> Self {
        let axis = unit(along);
        let (u, v) = frame(axis);
        Cylinder { base, axis, u, v, radius, length: length(along) }
    }

    fn sample(&self, random: &mut Random) -> (Vec3, Vec3) {
        let [cosine, sine] = random.on_circle();
        let along = scaled(self.axis, random.between(0.0, self.length));
        let normal = plus(scaled(self.u, cosine), scaled(self.v, sine));
        let around = scaled(normal, self.radius);
        (plus(self.base, plus(along, around)), normal)
    }

    fn hit(&self, eye: Vec3, direction: Vec3) -> Option<f64> {
        let from = minus(eye, self.base);
        let o = [dot(from, self.u), dot(from, self.v), 0.0];
        let d = [dot(direction, self.u), dot(direction, self.v), 0.0];
        let outside = dot(o, o) - self.radius * self.radius;
        let (near, _) = roots(dot(d, d), dot(o, d), outside)?;
        let height = dot(from, self.axis) + near * dot(direction, self.axis);
        (0.0..=self.length).contains(&height).then_some(near)
    }

    fn normal_at(&self, p: Vec3) -> Vec3 {
        let from = minus(p, self.base);
        unit(minus(from, scaled(self.axis, dot(from, self.axis))))
    }
}

/// The roots of `a t² + 2 b t + c`, smaller first.
fn roots(a: f64, b: f64, c: f64) -> Option<(f64, f64)> {
    let discriminant = b * b - a * c;
    if discriminant < 0.0 || a <= 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    Some(((-b - root) / a, (-b + root) / a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of side 4 in the plane z = 1 with a hole of side 2 in its middle.
    fn holed() -> Shape {
        let square = |h: f64| vec![[-h, -h, 1.0], [h, -h, 1.0], [h, h, 1.0], [-h, h, 1.0]];
        Shape::Patch(Patch::new(square(2.0), &[square(1.0)]))
    }

    #[test]
    fn samples_keep_out_of_holes() {
        let shape = holed();
        assert_eq!(shape.area(), 12.0);
        let mut random = Random::new(1, 0, 0);
        for _ in 0..1000 {
            let (p, normal) = shape.sample(&mut random);
            assert_eq!((normal, p[2]), ([0.0, 0.0, 1.0], 1.0));
            assert!(p[0].abs().max(p[1].abs()) >= 1.0);
            assert!(p[0].abs().max(p[1].abs()) <= 2.0);
        }
    }

    #[test]
    fn rays_pass_through_holes() {
        let up = [0.0, 0.0, 1.0];
        assert_eq!(holed().hit([1.5, 0.0, -1.0], up, 0.0), Some(2.0));
        assert_eq!(holed().hit([0.5, 0.0, -1.0], up, 0.0), None);
        assert_eq!(holed().hit([2.5, 0.0, -1.0], up, 0.0), None);
        assert_eq!(holed().hit([1.5, 0.0, 2.0], up, 0.0), None);
    }

    #[test]
    fn curved_samples_lie_where_rays_hit() {
        let ball = Ellipsoid {
            centre: [1.0, 2.0, 3.0],
            axes: [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.5]],
            leafy: false,
        };
        let tube = Cylinder::new([1.0, 1.0, 0.0], [0.0, 2.0, 2.0], 0.3);
        let mut random = Random::new(2, 0, 0);
        for shape in [Shape::Ellipsoid(ball), Shape::Cylinder(tube)] {
            for _ in 0..200 {
                let (p, normal) = shape.sample(&mut random);
                let eye = plus(p, scaled(normal, 0.25));
                let distance = shape.hit(eye, scaled(normal, -1.0), 0.0).unwrap();
                assert!((distance - 0.25).abs() < 1e-9);
                assert!(length(minus(shape.normal_at(p), normal)) < 1e-9);
            }
        }
    }

    #[test]
    fn rays_end_within_leaves() {
        let crown = Ellipsoid {
            centre: [0.0; 3],
            axes: [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]],
            leafy: true,
        };
        let hit = |depth| crown.hit([-5.0, 0.0, 0.0], [1.0, 0.0, 0.0], depth);
        assert_eq!(hit(0.0), Some(3.0));
        assert_eq!(hit(0.5), Some(6.0));
        assert_eq!(hit(0.75), None);
        let near_the_edge = crown.hit([-5.0, 0.0, 1.9], [1.0, 0.0, 0.0], 0.5);
        assert_eq!(near_the_edge, None);
    }
}
