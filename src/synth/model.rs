//! A scene as surfaces with labels, and the builder that puts one together.

use super::shape::{Cap, Cylinder, Ellipsoid, Patch, Shape};
use super::vector::{Pose, Vec3, minus, plus, scaled};
use crate::plane::Polygon;

/// Appearance of a surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    pub(super) rgb: [u8; 3],
    /// Share of the light that is reflected, in `[0, 1]`.
    pub(super) reflectance: f64,
}

/// A paint by its colour; the reflectance follows from the brightness.
pub(super) const fn paint(red: u8, green: u8, blue: u8) -> Paint {
    let sum = red as f64 + green as f64 + blue as f64;
    Paint { rgb: [red, green, blue], reflectance: 0.15 + 0.8 * sum / 765.0 }
}

/// A surface with its label and appearance.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    pub(super) shape: Shape,
    /// Index of its plane in [`Model::planes`]; `-1` if it is curved.
    pub(super) label: i32,
    pub(super) paint: Paint,
    /// Points per unit of area, relative to the other surfaces.
    pub(super) density: f64,
}

/// A plane of the truth, in the scene's own coordinates.
#[derive(Debug, Clone)]
pub(super) struct ModelPlane {
    pub(super) name: String,
    pub(super) normal: Vec3,
    pub(super) offset: f64,
    pub(super) polygon: Polygon,
}

/// The surfaces of a scene and its true planes.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) surfaces: Vec<Surface>,
    pub(super) planes: Vec<ModelPlane>,
    /// Smallest coordinates of the surfaces.
    pub(super) low: Vec3,
    /// Largest coordinates of the surfaces.
    pub(super) high: Vec3,
}

impl Model {
    /// Several models as one; the planes are numbered from model to model.
    pub(super) fn merged(models: impl IntoIterator<Item = Model>) -> Model {
        let mut all = Model {
            surfaces: Vec::new(),
            planes: Vec::new(),
            low: [f64::INFINITY; 3],
            high: [f64::NEG_INFINITY; 3],
        };
        for model in models {
            let first = all.planes.len() as i32;
            all.surfaces.extend(model.surfaces.into_iter().map(|surface| {
                let label = if surface.label < 0 { -1 } else { surface.label + first };
                Surface { label, ..surface }
            }));
            all.planes.extend(model.planes);
            for i in 0..3 {
                all.low[i] = all.low[i].min(model.low[i]);
                all.high[i] = all.high[i].max(model.high[i]);
            }
        }
        all
    }
}

/// Sides of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Front,
    Back,
    Bottom,
    Top,
}

/// The four upright sides.
pub(super) const UPRIGHT: [Side; 4] = [Side::Left, Side::Right, Side::Front, Side::Back];

/// All sides except the bottom.
pub(super) const STANDING: [Side; 5] =
    [Side::Left, Side::Right, Side::Front, Side::Back, Side::Top];

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
            Side::Front => "front",
            Side::Back => "back",
            Side::Bottom => "bottom",
            Side::Top => "top",
        }
    }
}

/// Assembles a [`Model`]; each shape is given in the frame of the current pose.
pub(super) struct Builder {
    surfaces: Vec<Surface>,
    planes: Vec<ModelPlane>,
    pose: Pose,
    density: f64,
}

impl Builder {
    pub(super) fn new(pose: Pose) -> Self {
        Builder { surfaces: Vec::new(), planes: Vec::new(), pose, density: 1.0 }
    }

    pub(super) fn finish(self) -> Model {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in self.surfaces.iter().flat_map(|s| s.shape.hull()) {
            for i in 0..3 {
                low[i] = low[i].min(p[i]);
                high[i] = high[i].max(p[i]);
            }
        }
        Model { surfaces: self.surfaces, planes: self.planes, low, high }
    }

    /// Runs `build` with `inner` nested inside the current pose.
    pub(super) fn with(&mut self, inner: Pose, build: impl FnOnce(&mut Builder)) {
        let outer = self.pose;
        self.pose = outer.after(&inner);
        build(self);
        self.pose = outer;
    }

    /// Sets the density of everything built from now on.
    pub(super) fn density(&mut self, density: f64) {
        self.density = density;
    }

    /// A point of the current frame, in scene coordinates.
    pub(super) fn place(&self, p: Vec3) -> Vec3 {
        self.pose.point(p)
    }

    /// A flat polygon.
    pub(super) fn polygon(&mut self, name: &str, paint: Paint, ring: &[Vec3]) {
        self.holed(name, paint, ring, &[]);
    }

    /// A parallelogram, given by a corner and the two edges there.
    pub(super) fn panel(&mut self, name: &str, paint: Paint, corner: Vec3, a: Vec3, b: Vec3) {
        let far = plus(corner, plus(a, b));
        self.polygon(name, paint, &[corner, plus(corner, a), far, plus(corner, b)]);
    }

    /// A flat polygon with holes.
    pub(super) fn holed(&mut self, name: &str, paint: Paint, ring: &[Vec3], holes: &[Vec<Vec3>]) {
        let placed = |ring: &[Vec3]| ring.iter().map(|&p| self.pose.point(p)).collect();
        let exterior: Vec<Vec3> = placed(ring);
        let holes: Vec<Vec<Vec3>> = holes.iter().map(|hole| placed(hole)).collect();
        let patch = Patch::new(exterior.clone(), &holes);
        let (normal, offset) = self.same_plane(patch.normal, patch.offset);
        let clockwise = |mut hole: Vec<Vec3>| {
            let about = Patch::new(hole.clone(), &[]).normal;
            if super::vector::dot(about, normal) > 0.0 {
                hole.reverse();
            }
            hole
        };
        self.planes.push(ModelPlane {
            name: name.into(),
            normal,
            offset,
            polygon: Polygon { exterior, holes: holes.into_iter().map(clockwise).collect() },
        });
        let label = self.planes.len() as i32 - 1;
        self.push(Shape::Patch(patch), label, paint);
    }

    /// The normal and offset of an earlier plane that differs from this one only by rounding, so that the
    /// pieces of one plane can be recognised by equality.
    fn same_plane(&self, normal: Vec3, offset: f64) -> (Vec3, f64) {
        for earlier in &self.planes {
            for sign in [1.0, -1.0] {
                let candidate = (scaled(earlier.normal, sign), earlier.offset * sign);
                let apart = minus(candidate.0, normal).map(f64::abs);
                if apart.iter().all(|&d| d < 1e-9) && (candidate.1 - offset).abs() < 1e-9 {
                    return candidate;
                }
            }
        }
        (normal, offset)
    }

    /// Sides of the box with this lowest corner and these edges.
    pub(super) fn cuboid(
        &mut self,
        name: &str,
        paint: Paint,
        low: Vec3,
        size: Vec3,
        sides: &[Side],
    ) {
        let [x, y, z] = [[size[0], 0.0, 0.0], [0.0, size[1], 0.0], [0.0, 0.0, size[2]]];
        for &side in sides {
            // Corner and edges, chosen so that the normal points outwards.
            let (corner, a, b) = match side {
                Side::Left => (low, z, y),
                Side::Right => (plus(low, x), y, z),
                Side::Front => (low, x, z),
                Side::Back => (plus(low, y), z, x),
                Side::Bottom => (low, y, x),
                Side::Top => (plus(low, z), x, y),
            };
            self.panel(&format!("{name} {}", side.name()), paint, corner, a, b);
        }
    }

    /// An ellipsoid with its axes along the axes of the current frame.
    pub(super) fn ellipsoid(&mut self, paint: Paint, centre: Vec3, radii: Vec3) {
        self.round(paint, centre, radii, false, None);
    }

    /// The upper half of a ball.
    pub(super) fn dome(&mut self, paint: Paint, centre: Vec3, radius: f64) {
        let half = Cap { least: 0.0, share: 0.5 };
        self.round(paint, centre, [radius; 3], false, Some(half));
    }

    /// The upper part of a horizontal pipe.
    pub(super) fn vault(&mut self, paint: Paint, base: Vec3, along: Vec3, radius: f64, cap: Cap) {
        let (base, along) = (self.pose.point(base), self.pose.direction(along));
        self.push(Shape::Cylinder(Cylinder::vault(base, along, radius, cap)), -1, paint);
    }

    /// Leaves within an ellipsoid.
    pub(super) fn leaves(&mut self, paint: Paint, centre: Vec3, radii: Vec3) {
        self.round(paint, centre, radii, true, None);
    }

    fn round(&mut self, paint: Paint, centre: Vec3, radii: Vec3, leafy: bool, cap: Option<Cap>) {
        let axes = [[radii[0], 0.0, 0.0], [0.0, radii[1], 0.0], [0.0, 0.0, radii[2]]];
        let shape = Shape::Ellipsoid(Ellipsoid {
            centre: self.pose.point(centre),
            axes: axes.map(|axis| self.pose.direction(axis)),
            leafy,
            cap,
        });
        self.push(shape, -1, paint);
    }

    /// A pipe around the line from `base` to `base + along`.
    pub(super) fn cylinder(&mut self, paint: Paint, base: Vec3, along: Vec3, radius: f64) {
        let (base, along) = (self.pose.point(base), self.pose.direction(along));
        self.push(Shape::Cylinder(Cylinder::new(base, along, radius)), -1, paint);
    }

    fn push(&mut self, shape: Shape, label: i32, paint: Paint) {
        self.surfaces.push(Surface { shape, label, paint, density: self.density });
    }
}

#[cfg(test)]
mod tests {
    use super::super::vector::dot;
    use super::*;

    const GREY: Paint = paint(128, 128, 128);

    #[test]
    fn the_sides_of_a_box_face_outwards() {
        let mut builder = Builder::new(Pose::turned(0.3, [5.0, 0.0, 0.0]));
        let all = [STANDING.as_slice(), &[Side::Bottom]].concat();
        builder.cuboid("box", GREY, [1.0, 2.0, 3.0], [2.0, 3.0, 4.0], &all);
        let centre = builder.place([2.0, 3.5, 5.0]);
        let model = builder.finish();
        assert_eq!(model.planes.len(), 6);
        for plane in &model.planes {
            assert!(dot(plane.normal, centre) < plane.offset, "{}", plane.name);
        }
        let area: f64 = model.surfaces.iter().map(|s| s.shape.area()).sum();
        assert!((area - 52.0).abs() < 1e-12);
    }

    #[test]
    fn pieces_of_one_plane_have_equal_numbers() {
        let mut builder = Builder::new(Pose::turned(0.123, [0.1, 0.2, 0.3]));
        for x in [0.0, 3.3, 7.7] {
            builder.panel("x", GREY, [x, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.1]);
        }
        builder.panel("y", GREY, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
        let planes = builder.finish().planes;
        for plane in &planes[1..3] {
            assert_eq!((plane.normal, plane.offset), (planes[0].normal, planes[0].offset));
        }
        assert_eq!(planes[3].normal, planes[0].normal.map(|v| -v));
        assert_eq!(planes[3].offset, -planes[0].offset);
    }

    #[test]
    fn holes_run_against_the_outline() {
        let ring = |h: f64| vec![[-h, -h, 0.0], [h, -h, 0.0], [h, h, 0.0], [-h, h, 0.0]];
        let mut builder = Builder::new(Pose::at([0.0; 3]));
        builder.holed("a", GREY, &ring(2.0), &[ring(1.0)]);
        let mut reversed = ring(1.0);
        reversed.reverse();
        let model = builder.finish();
        assert_eq!(model.planes[0].polygon.holes, vec![reversed]);
        assert_eq!(model.surfaces[0].shape.area(), 12.0);
    }
}
