//! The surfaces that make up scenes: flat polygons, ellipsoids and cylinders.

use super::random::Random;
use super::vector::{Vec3, cross, dot, frame, length, minus, plus, scaled, unit};
use std::f64::consts::PI;

/// Least length of both sides for a level surface to sag.
const LEAST_SPAN: f64 = 2.0;

/// Hits nearer to the eye than this are ignored: they are on the eye's own surface.
const NEAREST: f64 = 1e-6;

/// A surface.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    Patch(Patch),
    Ellipsoid(Ellipsoid),
    Cylinder(Cylinder),
}

impl Shape {
    /// A random point, uniform over the surface (for a leafy ellipsoid, over the volume; for another
    /// ellipsoid, nearly uniform), and the unit normal there.
    pub(super) fn sample(&self, random: &mut Random) -> (Vec3, Vec3) {
        match self {
            Shape::Patch(patch) => (patch.sample(random), patch.normal),
            Shape::Ellipsoid(ellipsoid) => ellipsoid.sample(random),
            Shape::Cylinder(cylinder) => cylinder.sample(random),
        }
    }

    /// The distance at which the ray from `eye` along the unit `direction` first meets the
    /// surface. `depth`, uniform in `[0, 1)`, determines how far it gets into leaves.
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

    /// Its area; approximate for an ellipsoid.
    pub(super) fn area(&self) -> f64 {
        match self {
            Shape::Patch(patch) => patch.area,
            Shape::Ellipsoid(ellipsoid) => ellipsoid.area(),
            Shape::Cylinder(c) => {
                c.cap.map_or(1.0, |cap| cap.share) * 2.0 * PI * c.radius * c.length
            }
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

    /// A point of the surface when it sags by `depth` in its middle; only level surfaces sag whose
    /// sides are both at least 2 m long.
    pub(super) fn sagged(&self, p: Vec3, depth: f64) -> Vec3 {
        match self {
            Shape::Patch(patch) if depth != 0.0 => [p[0], p[1], p[2] - depth * patch.slackness(p)],
            _ => p,
        }
    }

    /// The distance from a point of the surface to its nearest edge; large if it has none.
    pub(super) fn edge_distance(&self, p: Vec3) -> f64 {
        match self {
            Shape::Patch(patch) => patch.edge_distance(p),
            _ => f64::INFINITY,
        }
    }

    /// Whether rays continue behind it.
    pub(super) fn is_leafy(&self) -> bool {
        matches!(self, Shape::Ellipsoid(Ellipsoid { leafy: true, .. }))
    }

    /// Points whose convex hull holds the surface.
    pub(super) fn hull(&self) -> Vec<Vec3> {
        match self {
            Shape::Patch(patch) => patch.outline.clone(),
            Shape::Ellipsoid(e) => e.hull(),
            Shape::Cylinder(c) => c.hull(),
        }
    }
}

/// The corners of a box, given by its centre and half its edges.
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
    /// Outline and holes, in coordinates along `u` and `v`.
    rings: Vec<Vec<[f64; 2]>>,
    low: [f64; 2],
    high: [f64; 2],
    /// Whether the polygon equals its bounding rectangle.
    is_bounds: bool,
    area: f64,
}

impl Patch {
    /// The polygon with these corners, which must lie in one plane, minus the holes.
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

    /// How far a point has sagged: 1 in the middle, 0 at the edges of the bounds; 0 everywhere
    /// unless the patch is large and level.
    fn slackness(&self, p: Vec3) -> f64 {
        let size = [0, 1].map(|i| self.high[i] - self.low[i]);
        if self.normal[2].abs() < 0.999 || size[0].min(size[1]) < LEAST_SPAN {
            return 0.0;
        }
        let from = minus(p, self.origin);
        let place = [dot(from, self.u), dot(from, self.v)];
        let along = |i: usize| {
            let t = ((place[i] - self.low[i]) / size[i]).clamp(0.0, 1.0);
            4.0 * t * (1.0 - t)
        };
        along(0) * along(1)
    }

    fn edge_distance(&self, p: Vec3) -> f64 {
        let from = minus(p, self.origin);
        let p = [dot(from, self.u), dot(from, self.v)];
        let mut least = f64::INFINITY;
        for ring in &self.rings {
            let mut a = ring[ring.len() - 1];
            for &b in ring {
                let (along, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
                let square = along[0] * along[0] + along[1] * along[1];
                let t = (along[0] * to[0] + along[1] * to[1]) / square.max(1e-300);
                let t = t.clamp(0.0, 1.0);
                let off = [to[0] - t * along[0], to[1] - t * along[1]];
                least = least.min(off[0] * off[0] + off[1] * off[1]);
                a = b;
            }
        }
        least.sqrt()
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

/// The upper part of a curved surface, seen from both sides: a vault, a dome.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cap {
    /// Least upward component of the normal.
    pub(super) least: f64,
    /// Its share of the whole surface.
    pub(super) share: f64,
}

impl Cap {
    fn holds(self, normal: Vec3) -> bool {
        normal[2] >= self.least
    }
}

/// An ellipsoid: a ball, a cushion, or, when leafy, a cloud of leaves that rays enter.
#[derive(Debug, Clone)]
pub(super) struct Ellipsoid {
    pub(super) centre: Vec3,
    /// Semi-axes.
    pub(super) axes: [Vec3; 3],
    pub(super) leafy: bool,
    /// The part that exists, if not all; never for a leafy one.
    pub(super) cap: Option<Cap>,
}

impl Ellipsoid {
    fn sample(&self, random: &mut Random) -> (Vec3, Vec3) {
        loop {
            let s = match self.leafy {
                true => random.in_ball(),
                false => random.direction(),
            };
            let across = plus(scaled(self.axes[0], s[0]), scaled(self.axes[1], s[1]));
            let p = plus(self.centre, plus(across, scaled(self.axes[2], s[2])));
            let normal = self.normal_at(p);
            if self.cap.is_none_or(|cap| cap.holds(normal)) {
                return (p, normal);
            }
        }
    }

    fn hull(&self) -> Vec<Vec3> {
        let [a, b, c] = self.axes;
        match self.cap {
            // A cap of a ball about the vertical: at most its upper half.
            Some(_) => corners(plus(self.centre, scaled(c, 0.5)), a, b, scaled(c, 0.5)),
            None => corners(self.centre, a, b, c),
        }
    }

    /// A vector in the frame in which the ellipsoid is the unit ball.
    fn local(&self, d: Vec3) -> Vec3 {
        self.axes.map(|axis| dot(d, axis) / dot(axis, axis))
    }

    fn hit(&self, eye: Vec3, direction: Vec3, depth: f64) -> Option<f64> {
        let (o, d) = (self.local(minus(eye, self.centre)), self.local(direction));
        let (near, far) = roots(dot(d, d), dot(o, d), dot(o, o) - 1.0)?;
        if let Some(cap) = self.cap {
            let at = |t: f64| plus(eye, scaled(direction, t));
            let there = |t: &f64| *t > NEAREST && cap.holds(self.normal_at(at(*t)));
            return [near, far].into_iter().find(there);
        }
        if !self.leafy {
            return Some(near);
        }
        // A third of the rays through the middle hit no leaf.
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
        self.cap.map_or(1.0, |cap| cap.share) * 4.0 * PI * (a * b + a * c + b * c) / 3.0
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
    cap: Option<Cap>,
}

impl Cylinder {
    /// The cylinder around the line from `base` to `base + along`.
    pub(super) fn new(base: Vec3, along: Vec3, radius: f64) -> Self {
        let axis = unit(along);
        let (u, v) = frame(axis);
        Cylinder { base, axis, u, v, radius, length: length(along), cap: None }
    }

    /// The upper part of a horizontal one.
    pub(super) fn vault(base: Vec3, along: Vec3, radius: f64, cap: Cap) -> Self {
        Cylinder { cap: Some(cap), ..Cylinder::new(base, along, radius) }
    }

    fn sample(&self, random: &mut Random) -> (Vec3, Vec3) {
        loop {
            let [cosine, sine] = random.on_circle();
            let along = scaled(self.axis, random.between(0.0, self.length));
            let normal = plus(scaled(self.u, cosine), scaled(self.v, sine));
            let around = scaled(normal, self.radius);
            if self.cap.is_none_or(|cap| cap.holds(normal)) {
                return (plus(self.base, plus(along, around)), normal);
            }
        }
    }

    fn hull(&self) -> Vec<Vec3> {
        let middle = plus(self.base, scaled(self.axis, 0.5 * self.length));
        let half = scaled(self.axis, 0.5 * self.length);
        let Some(cap) = self.cap else {
            return corners(middle, scaled(self.u, self.radius), scaled(self.v, self.radius), half);
        };
        let up = [0.0, 0.0, 1.0];
        let width = self.radius * (1.0 - cap.least * cap.least).sqrt();
        let rise = 0.5 * self.radius * (1.0 - cap.least);
        let middle = plus(middle, scaled(up, self.radius * cap.least + rise));
        corners(middle, scaled(cross(up, self.axis), width), scaled(up, rise), half)
    }

    fn hit(&self, eye: Vec3, direction: Vec3) -> Option<f64> {
        let from = minus(eye, self.base);
        let o = [dot(from, self.u), dot(from, self.v), 0.0];
        let d = [dot(direction, self.u), dot(direction, self.v), 0.0];
        let outside = dot(o, o) - self.radius * self.radius;
        let (near, far) = roots(dot(d, d), dot(o, d), outside)?;
        let within = |t: f64| {
            let height = dot(from, self.axis) + t * dot(direction, self.axis);
            (0.0..=self.length).contains(&height)
        };
        let Some(cap) = self.cap else { return within(near).then_some(near) };
        let at = |t: f64| plus(eye, scaled(direction, t));
        let there = |t: &f64| *t > NEAREST && within(*t) && cap.holds(self.normal_at(at(*t)));
        [near, far].into_iter().find(there)
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
            cap: None,
        };
        let tube = Cylinder::new([1.0, 1.0, 0.0], [0.0, 2.0, 2.0], 0.3);
        let cap = Cap { least: 0.5, share: 0.25 };
        let dome = Ellipsoid { cap: Some(cap), ..ball.clone() };
        let vault = Cylinder::vault([1.0, 1.0, 0.0], [0.0, 2.0, 0.0], 0.3, cap);
        let mut random = Random::new(2, 0, 0);
        for shape in [
            Shape::Ellipsoid(ball),
            Shape::Cylinder(tube),
            Shape::Ellipsoid(dome),
            Shape::Cylinder(vault),
        ] {
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
    fn a_vault_is_seen_from_below_and_has_no_lower_half() {
        let cap = Cap { least: 0.5, share: 1.0 / 3.0 };
        let vault = Shape::Cylinder(Cylinder::vault([0.0; 3], [4.0, 0.0, 0.0], 2.0, cap));
        let (up, down) = ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]);
        assert_eq!(vault.hit([1.0, 0.0, 0.0], up, 0.0), Some(2.0));
        assert_eq!(vault.hit([1.0, 0.0, 3.0], down, 0.0), Some(1.0));
        assert_eq!(vault.hit([1.0, 0.0, 0.0], down, 0.0), None);
        let lowest = vault.hull().iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
        assert_eq!(lowest, 1.0);
    }

    #[test]
    fn large_floors_sag_and_walls_do_not() {
        let ring = |y: Vec3| vec![[0.0; 3], [4.0, 0.0, 0.0], plus([4.0, 0.0, 0.0], y), y];
        let floor = Shape::Patch(Patch::new(ring([0.0, 2.0, 0.0]), &[]));
        assert_eq!(floor.sagged([2.0, 1.0, 0.0], 0.0078125), [2.0, 1.0, -0.0078125]);
        assert_eq!(floor.sagged([1.0, 1.0, 0.0], 0.0078125), [1.0, 1.0, -0.005859375]);
        assert_eq!(floor.sagged([0.0, 1.0, 0.0], 0.006)[2], 0.0);
        let shelf = Shape::Patch(Patch::new(ring([0.0, 1.9, 0.0]), &[]));
        assert_eq!(shelf.sagged([2.0, 1.0, 0.0], 0.006)[2], 0.0);
        let wall = Shape::Patch(Patch::new(ring([0.0, 0.0, 2.0]), &[]));
        assert_eq!(wall.sagged([2.0, 0.0, 1.0], 0.006)[2], 1.0);
    }

    #[test]
    fn the_nearest_edge_may_be_a_holes() {
        assert_eq!(holed().edge_distance([1.25, 0.0, 1.0]), 0.25);
        assert_eq!(holed().edge_distance([1.875, 0.0, 1.0]), 0.125);
    }

    #[test]
    fn rays_end_within_leaves() {
        let crown = Ellipsoid {
            centre: [0.0; 3],
            axes: [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]],
            leafy: true,
            cap: None,
        };
        let hit = |depth| crown.hit([-5.0, 0.0, 0.0], [1.0, 0.0, 0.0], depth);
        assert_eq!(hit(0.0), Some(3.0));
        assert_eq!(hit(0.5), Some(6.0));
        assert_eq!(hit(0.75), None);
        let near_the_edge = crown.hit([-5.0, 0.0, 1.9], [1.0, 0.0, 0.0], 0.5);
        assert_eq!(near_the_edge, None);
    }
}
