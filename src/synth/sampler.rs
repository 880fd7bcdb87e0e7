//! Draws points from a model: over its surfaces, or as a scanner on a tripod sees them.

use super::model::{Model, Surface};
use super::random::Random;
use super::vector::{Vec3, dot, plus, scaled};
use rayon::prelude::*;

/// How points are distributed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum View {
    /// Evenly over the surfaces.
    Surface,
    /// Evenly over the ground plan, as an airborne scanner does.
    Above,
    /// By rays in all directions from this point; each gives the first surface it hits.
    Tripod(Vec3),
}

/// A point with its values, in the scene's coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawn {
    pub(super) position: Vec3,
    pub(super) colour: [u8; 3],
    pub(super) intensity: u16,
    pub(super) label: i32,
}

/// A model prepared for drawing points.
#[derive(Debug)]
pub(super) struct Sampler {
    model: Model,
    spread: Spread,
}

#[derive(Debug)]
enum Spread {
    /// Cumulative sums of the surfaces' weights.
    Weighted(Vec<f64>),
    Rays(Rays),
}

/// Direction of the light.
const LIGHT: Vec3 = [0.36, 0.48, 0.8];

impl Sampler {
    pub(super) fn new(model: Model, view: View) -> Self {
        let sums = |weight: fn(&Surface) -> f64| {
            let mut sum = 0.0;
            let add = |surface| {
                sum += weight(surface);
                sum
            };
            Spread::Weighted(model.surfaces.iter().map(add).collect())
        };
        let spread = match view {
            View::Surface => sums(|s| s.shape.area() * s.density),
            View::Above => sums(|s| s.shape.plan_area() * s.density),
            View::Tripod(eye) => Spread::Rays(Rays::new(&model, eye)),
        };
        Sampler { model, spread }
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    pub(super) fn into_model(self) -> Model {
        self.model
    }

    /// A point on a surface, moved along the normal by `noise` times a normal deviate; floors sag
    /// by `sag`.
    pub(super) fn point(&self, random: &mut Random, noise: f64, sag: f64) -> Drawn {
        let (surface, exact, normal) = self.place(random);
        let exact = surface.shape.sagged(exact, sag);
        let position = plus(exact, scaled(normal, noise * random.gaussian()));
        Drawn::painted(surface, normal, position, random)
    }

    /// A surface, a point on it and the normal there.
    pub(super) fn place(&self, random: &mut Random) -> (&Surface, Vec3, Vec3) {
        match &self.spread {
            Spread::Weighted(sums) => {
                let total = sums.last().copied().unwrap_or_default();
                let at = random.unit() * total;
                let chosen = sums.partition_point(|&sum| sum <= at);
                let surface = &self.model.surfaces[chosen.min(sums.len() - 1)];
                let (p, normal) = surface.shape.sample(random);
                (surface, p, normal)
            }
            Spread::Rays(rays) => rays.first_hit(&self.model.surfaces, random),
        }
    }

    /// A point anywhere in the box around the surfaces.
    pub(super) fn outlier(&self, random: &mut Random) -> Drawn {
        Drawn::outlier(&self.model, random)
    }
}

impl Drawn {
    /// A point on a surface, with shading and colour.
    pub(super) fn painted(
        surface: &Surface,
        normal: Vec3,
        position: Vec3,
        random: &mut Random,
    ) -> Self {
        let facing = dot(normal, LIGHT).abs();
        let brightness = 0.7 + 0.3 * facing;
        let grain = random.between(-6.0, 6.0);
        let channel = |c: u8| (f64::from(c) * brightness + grain).clamp(0.0, 255.0) as u8;
        let echo = 2000.0 * surface.paint.reflectance * brightness + random.between(-60.0, 60.0);
        Drawn {
            position,
            colour: surface.paint.rgb.map(channel),
            intensity: echo.clamp(0.0, 65535.0) as u16,
            label: surface.label,
        }
    }

    /// A point anywhere in the box around a model.
    pub(super) fn outlier(model: &Model, random: &mut Random) -> Self {
        let (low, high) = (model.low, model.high);
        let grey = random.between(0.0, 255.0) as u8;
        Drawn {
            position: [0, 1, 2].map(|i| random.between(low[i], high[i])),
            colour: [grey; 3],
            intensity: random.between(0.0, 1000.0) as u16,
            label: -1,
        }
    }
}

/// Cells along an edge of the cube of directions.
const CELLS: usize = 40;

/// A scanner sees nothing below this sine of the elevation, where its tripod stands.
const BLIND: f64 = -0.87;

/// Rays from one position, with the surfaces that each cell of directions may meet.
#[derive(Debug)]
struct Rays {
    eye: Vec3,
    /// For each cell of the six faces of a cube, the indices of the surfaces that extend into it.
    cells: Vec<Vec<u32>>,
}

impl Rays {
    fn new(model: &Model, eye: Vec3) -> Self {
        let hulls: Vec<Vec<Vec3>> = model
            .surfaces
            .iter()
            .map(|s| s.shape.hull().iter().map(|&p| plus(p, scaled(eye, -1.0))).collect())
            .collect();
        let cells = (0..6 * CELLS * CELLS)
            .into_par_iter()
            .map(|cell| {
                let sides = cell_sides(cell);
                let may_meet = |hull: &&Vec<Vec3>| {
                    // A little wider than the cell, so that rounding cannot drop a surface.
                    let beyond = |side: &Vec3| hull.iter().all(|&p| dot(p, *side) < -1e-6);
                    !sides.iter().any(beyond)
                };
                let numbered = (0u32..).zip(&hulls);
                numbered.filter(|(_, hull)| may_meet(hull)).map(|(i, _)| i).collect()
            })
            .collect();
        Rays { eye, cells }
    }

    /// The first surface that a random ray hits, with the point and the normal there.
    fn first_hit<'a>(
        &self,
        surfaces: &'a [Surface],
        random: &mut Random,
    ) -> (&'a Surface, Vec3, Vec3) {
        loop {
            let direction = random.direction();
            if direction[2] < BLIND {
                continue;
            }
            let depth = random.unit();
            let mut nearest: Option<(f64, &Surface)> = None;
            for &i in &self.cells[cell_of(direction)] {
                let surface = &surfaces[i as usize];
                if let Some(distance) = surface.shape.hit(self.eye, direction, depth)
                    && nearest.is_none_or(|(least, _)| distance < least)
                {
                    nearest = Some((distance, surface));
                }
            }
            if let Some((distance, surface)) = nearest {
                let p = plus(self.eye, scaled(direction, distance));
                return (surface, p, surface.shape.normal_at(p));
            }
        }
    }
}

/// The cell of the cube through which a direction leaves.
fn cell_of(d: Vec3) -> usize {
    let [x, y, z] = d.map(f64::abs);
    let axis = match () {
        () if x >= y && x >= z => 0,
        () if y >= z => 1,
        () => 2,
    };
    let step = |value: f64| {
        let along = (value / d[axis].abs() + 1.0) * 0.5 * CELLS as f64;
        (along as usize).min(CELLS - 1)
    };
    let (a, b) = (step(d[(axis + 1) % 3]), step(d[(axis + 2) % 3]));
    let face = axis * 2 + usize::from(d[axis] < 0.0);
    (face * CELLS + a) * CELLS + b
}

/// Inward normals of the planes through the centre that bound a cell, and the direction of its face.
fn cell_sides(cell: usize) -> [Vec3; 5] {
    let (face, a, b) = (cell / (CELLS * CELLS), cell / CELLS % CELLS, cell % CELLS);
    let (axis, sign) = (face / 2, if face % 2 == 0 { 1.0 } else { -1.0 });
    let edge = |i: usize| i as f64 * 2.0 / CELLS as f64 - 1.0;
    // A direction is in the cell where edge(a) ≤ d[first] / |d[axis]| ≤ edge(a + 1), …
    let side = |other: usize, sense: f64, edge: f64| {
        let mut normal = [0.0; 3];
        normal[(axis + other) % 3] = sense;
        normal[axis] = -sense * edge * sign;
        normal
    };
    let mut forward = [0.0; 3];
    forward[axis] = sign;
    [
        side(1, 1.0, edge(a)),
        side(1, -1.0, edge(a + 1)),
        side(2, 1.0, edge(b)),
        side(2, -1.0, edge(b + 1)),
        forward,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_is_between_the_sides_of_its_cell() {
        let mut random = Random::new(3, 0, 0);
        for _ in 0..20_000 {
            let direction = random.direction();
            let cell = cell_of(direction);
            for side in cell_sides(cell) {
                assert!(dot(direction, side) >= -1e-12, "{direction:?} {cell}");
            }
        }
    }

    #[test]
    fn the_cells_lose_no_surface() {
        let scene = crate::synth::scenes::street::build();
        let eye = crate::synth::scenes::street::eye();
        let rays = Rays::new(&scene, eye);
        let mut random = Random::new(4, 0, 0);
        for _ in 0..5_000 {
            let direction = random.direction();
            let candidates = &rays.cells[cell_of(direction)];
            for (i, surface) in (0u32..).zip(&scene.surfaces) {
                if surface.shape.hit(eye, direction, 0.3).is_some() {
                    assert!(candidates.contains(&i));
                }
            }
        }
    }
}
