//! The positions of the lines in an image.

use super::super::random::Random;
use super::options::{Hardness, LineOptions};

/// Families of random numbers.
const LINES: u64 = 101;
const SHAPES: u64 = 102;

/// Least separation of two lines: closer than this in angle (as a sine) and, at the middle of either, in distance,
/// they could be mistaken for one.
const APART: (f64, f64) = (0.05, 15.0);
/// Tries for one line before the image is left with fewer.
const TRIES: u64 = 1000;

/// Two ends.
pub(super) type Ends = [[f64; 2]; 2];

/// The lines of a drawing.
pub(super) fn lines(options: &LineOptions) -> Vec<Ends> {
    let size = options.size.map(f64::from);
    let mut lines: Vec<Ends> = Vec::new();
    for number in 0..u64::from(options.lines) {
        let tried = (0..TRIES).map(|t| {
            let mut random = Random::new(options.seed, LINES, number * TRIES + t);
            match options.kind {
                Hardness::Wrapped => upright(&mut random, size),
                Hardness::Border => at_border(&mut random, size),
                _ => anywhere(&mut random, size),
            }
        });
        let free = |line: &Ends| lines.iter().all(|other| are_apart(line, other));
        if let Some(line) = tried.into_iter().find(free) {
            lines.push(line);
        }
    }
    lines
}

/// Ends anywhere in the image, not close together.
pub(super) fn anywhere(random: &mut Random, size: [f64; 2]) -> Ends {
    loop {
        let ends = [(); 2].map(|()| size.map(|n| random.between(2.0, n - 3.0)));
        if length(&ends) >= 0.35 * size[0].min(size[1]) {
            return ends;
        }
    }
}

/// From far above to far below, with the normal within a few degrees of the x axis.
fn upright(random: &mut Random, size: [f64; 2]) -> Ends {
    let x = random.between(2.0, size[0] - 3.0);
    let top = random.between(0.0, 0.25) * size[1];
    let bottom = random.between(0.75, 1.0) * size[1] - 1.0;
    // One line in four is exactly vertical, on a column of pixels.
    if random.unit() < 0.25 {
        return [[x.round(), top.round()], [x.round(), bottom.round()]];
    }
    let lean = random.between(-0.05, 0.05) * (bottom - top);
    [[x, top], [(x + lean).clamp(1.0, size[0] - 2.0), bottom]]
}

/// Along a side, at most three pixels from it, or across a corner.
fn at_border(random: &mut Random, size: [f64; 2]) -> Ends {
    let side = (random.unit() * 4.0) as usize;
    let (along, across) = (side % 2, 1 - side % 2);
    let far = side >= 2;
    let mut ends = [[0.0; 2]; 2];
    if random.unit() < 0.5 {
        let place = (random.unit() * 4.0).floor();
        for end in &mut ends {
            end[across] = if far { size[across] - 1.0 - place } else { place };
        }
        ends[0][along] = (random.between(0.0, 0.2) * size[along]).floor();
        ends[1][along] = (random.between(0.8, 1.0) * size[along]).floor();
        return ends;
    }
    let cut = random.between(0.35, 0.6) * size[0].min(size[1]);
    let other = random.between(0.35, 0.6) * size[0].min(size[1]);
    ends[0][along] = cut.floor();
    ends[1][across] = other.floor();
    if far {
        ends = ends.map(|end| [size[0] - 1.0 - end[0], size[1] - 1.0 - end[1]]);
    }
    if random.unit() < 0.5 {
        ends = ends.map(|end| [size[0] - 1.0 - end[0], end[1]]);
    }
    ends
}

fn length([a, b]: &Ends) -> f64 {
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    (x * x + y * y).sqrt()
}

/// Whether two lines cannot be mistaken for one.
fn are_apart(a: &Ends, b: &Ends) -> bool {
    let direction = |l: &Ends| [0, 1].map(|i| (l[1][i] - l[0][i]) / length(l));
    let (u, v) = (direction(a), direction(b));
    let sine = (u[0] * v[1] - u[1] * v[0]).abs();
    let distance = |l: &Ends, u: [f64; 2], from: &Ends| {
        let middle = [0, 1].map(|i| (from[0][i] + from[1][i]) / 2.0 - l[0][i]);
        (middle[0] * u[1] - middle[1] * u[0]).abs()
    };
    sine > APART.0 || (distance(a, u, b) > APART.1 && distance(b, v, a) > APART.1)
}

/// A shape with straight sides, its corners in order.
pub(super) struct Shape {
    pub corners: Vec<[f64; 2]>,
    /// How much brighter than the background it is, in grey levels.
    pub light: f64,
}

impl Shape {
    /// Its sides.
    pub fn sides(&self) -> impl Iterator<Item = Ends> {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().zip(next).map(|(&a, &b)| [a, b])
    }
}

/// The shapes of a photograph, each in its own cell of a grid.
pub(super) fn shapes(options: &LineOptions) -> Vec<Shape> {
    let size = options.size.map(f64::from);
    let count = (f64::from(options.lines) / 3.5).ceil();
    let columns = (count * size[0] / size[1]).sqrt().ceil().max(1.0);
    let rows = (count / columns).ceil().max(1.0);
    let field = [size[0] / columns, size[1] / rows];
    let shape = |number: u64| {
        let mut random = Random::new(options.seed, SHAPES, number);
        let place = [number as f64 % columns, (number as f64 / columns).floor()];
        let middle = [0, 1].map(|a| (place[a] + 0.5) * field[a]);
        let radius = 0.48 * field[0].min(field[1]);
        let sides = if random.unit() < 0.4 { 3 } else { 4 };
        let turn = random.on_circle();
        let corner = |k: usize| {
            // Corners of a regular triangle or square, displaced a little.
            let [c, s] = match (sides, k) {
                (_, 0) => [1.0, 0.0],
                (3, 1) => [-0.5, 0.866],
                (3, _) => [-0.5, -0.866],
                (_, 1) => [0.0, 1.0],
                (_, 2) => [-1.0, 0.0],
                _ => [0.0, -1.0],
            };
            let [x, y] = [c * turn[0] - s * turn[1], c * turn[1] + s * turn[0]];
            let r = radius * random.between(0.8, 1.0);
            [middle[0] + r * x, middle[1] + r * y]
        };
        let corners = (0..sides).map(corner).collect();
        let sign = if random.unit() < 0.5 { 1.0 } else { -1.0 };
        Shape { corners, light: sign * random.between(35.0, 70.0) }
    };
    (0..count as u64).map(shape).collect()
}
