//! A table, chairs and a shelf of boards 2 to 4 cm thick, seen from both sides.
//!
//! Two surfaces may be only four times the noise apart, and legs are as narrow as a dozen times the noise: harder
//! than the other scenes.

use super::super::model::{Builder, Model, Paint, STANDING, Side, UPRIGHT, paint};
use super::super::vector::Pose;

const PARQUET: Paint = paint(150, 105, 65);
const OAK: Paint = paint(170, 125, 80);
const WALNUT: Paint = paint(95, 65, 45);
const STEEL: Paint = paint(150, 155, 160);

/// Position of the furniture.
pub fn pose() -> Pose {
    Pose::turned(0.1613, [0.0; 3])
}

pub fn build() -> Model {
    let mut b = Builder::new(pose());
    b.panel("floor", PARQUET, [2.6, 0.4, 0.0], [3.6, 0.0, 0.0], [0.0, 3.6, 0.0]);
    table(&mut b);
    for (i, (half_turn, x, y)) in
        [(0.07, 3.5, 1.45), (-0.6, 5.0, 2.3), (4.5, 4.3, 3.3)].into_iter().enumerate()
    {
        let seat = 0.44 + 0.012 * i as f64;
        let name = format!("chair {}", i + 1);
        b.with(Pose::turned(half_turn, [x, y, 0.0]), |b| chair(b, &name, seat));
    }
    shelf(&mut b);
    b.finish()
}

fn table(b: &mut Builder) {
    let (low, size) = ([3.1, 1.9, 0.715], [1.6, 0.9, 0.04]);
    let all = [STANDING.as_slice(), &[Side::Bottom]].concat();
    b.cuboid("table", WALNUT, low, size, &all);
    for (i, (x, y)) in
        [(3.15, 1.95), (4.59, 1.95), (3.15, 2.69), (4.59, 2.69)].into_iter().enumerate()
    {
        let name = format!("table leg {}", i + 1);
        b.cuboid(&name, WALNUT, [x, y, 0.0], [0.06, 0.06, 0.715], &UPRIGHT);
    }
}

/// A chair at the origin, its back towards negative y.
fn chair(b: &mut Builder, name: &str, seat: f64) {
    let all = [STANDING.as_slice(), &[Side::Bottom]].concat();
    let low = [-0.21, -0.21, seat - 0.03];
    b.cuboid(&format!("{name} seat"), OAK, low, [0.42, 0.42, 0.03], &all);
    let low = [-0.21, -0.24, seat];
    b.cuboid(&format!("{name} back"), OAK, low, [0.42, 0.03, 0.45], &all);
    for (x, y) in [(-0.18, -0.18), (0.18, -0.18), (-0.18, 0.18), (0.18, 0.18)] {
        b.cylinder(STEEL, [x, y, 0.0], [0.0, 0.0, seat - 0.03], 0.014);
    }
}

/// A shelf with a back.
fn shelf(b: &mut Builder) {
    let (x, y, depth, width, height) = (5.66, 0.7, 0.32, 1.3, 1.9);
    let upright = [depth, 0.025, height];
    let sides = [Side::Left, Side::Front, Side::Back, Side::Top];
    b.cuboid("shelf side 1", OAK, [x, y, 0.0], upright, &sides);
    b.cuboid("shelf side 2", OAK, [x, y + width, 0.0], upright, &sides);
    let inner = width - 0.025;
    b.panel("shelf back", OAK, [x + depth, y + 0.025, 0.0], [0.0, 0.0, height], [0.0, inner, 0.0]);
    for (i, z) in [0.08, 0.5, 0.93, 1.37, 1.84].into_iter().enumerate() {
        let board = [depth, inner, 0.022];
        let seen = [Side::Left, Side::Bottom, Side::Top];
        let name = format!("shelf board {}", i + 1);
        b.cuboid(&name, OAK, [x, y + 0.025, z], board, &seen);
    }
}
