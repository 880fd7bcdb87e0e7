//! Cases that are difficult for plane finders, one at a time.

use super::super::model::{Builder, Model, Paint, paint};
use super::super::vector::{Pose, Vec3, cross, frame, plus, scaled, turn};

const STONE: Paint = paint(190, 185, 175);
const CLAY: Paint = paint(175, 110, 85);
const TEAL: Paint = paint(70, 130, 130);

/// A rectangle, given by its middle, its unit normal and its sides.
fn tile(b: &mut Builder, name: &str, paint: Paint, middle: Vec3, normal: Vec3, sides: [f64; 2]) {
    let (u, v) = frame(normal);
    let (a, c) = (scaled(u, sides[0]), scaled(v, sides[1]));
    let corner = plus(middle, scaled(plus(a, c), -0.5));
    b.panel(name, paint, corner, a, c);
}

/// The unit normal whose azimuth and polar angle are given by the tangents of their halves.
fn normal(half_azimuth: f64, half_polar: f64) -> Vec3 {
    let ((ca, sa), (cp, sp)) = (turn(half_azimuth), turn(half_polar));
    [sp * ca, sp * sa, cp]
}

/// Pairs of planes 10 cm apart (horizontal, vertical and oblique), and one pair 1° from parallel.
pub fn parallel(pose: Pose) -> Model {
    let mut b = Builder::new(pose);
    let directions = [
        ("level", [0.0, 0.0, 1.0], [0.0, 0.0, 0.5]),
        ("upright", normal(0.4, 1.0), [6.0, 0.0, 2.0]),
        ("oblique", normal(-0.7, 0.4), [0.0, 6.0, 2.0]),
    ];
    for (name, n, middle) in directions {
        tile(&mut b, &format!("{name} 1"), STONE, middle, n, [4.0, 3.0]);
        let beside = plus(middle, scaled(n, 0.1));
        tile(&mut b, &format!("{name} 2"), CLAY, beside, n, [4.0, 3.0]);
    }
    // Half-tangents that differ by tan(0.5°).
    tile(&mut b, "tilted 1", STONE, [6.0, 6.0, 2.0], normal(0.2, 0.7), [4.0, 3.0]);
    let n = normal(0.2, 0.7 + 0.008_727 * 1.49);
    tile(&mut b, "tilted 2", CLAY, plus([6.0, 6.0, 2.0], scaled(n, 0.1)), n, [4.0, 3.0]);
    b.finish()
}

/// Normals at the poles `±z` and `±y` and a fraction of a degree away from them.
pub fn poles(pose: Pose) -> Model {
    let mut b = Builder::new(pose);
    // Tangents of half of 0°, 0.3° and 0.6°.
    for (i, half) in [0.0, 0.002_618, -0.005_236].into_iter().enumerate() {
        let (cosine, sine) = turn(half);
        let x = 4.0 * i as f64;
        let name = |side: &str| format!("{side} {}", i + 1);
        tile(&mut b, &name("+z"), STONE, [x, 0.0, 3.0], [sine, 0.0, cosine], [3.0, 2.5]);
        tile(&mut b, &name("-z"), CLAY, [x, 0.0, -3.0], [0.0, sine, -cosine], [3.0, 2.5]);
        tile(&mut b, &name("+y"), TEAL, [x, 4.0, 0.0], [0.0, cosine, sine], [3.0, 2.5]);
        tile(&mut b, &name("-y"), STONE, [x, -4.0, 0.0], [-sine, -cosine, 0.0], [3.0, 2.5]);
    }
    b.finish()
}

/// Normals on both sides of the seams of the angles: azimuth 0° and 180°, polar 0°, 90°, 180°.
pub fn seam(pose: Pose) -> Model {
    let mut b = Builder::new(pose);
    let tiny = 0.003_49; // tangent of half of 0.4°
    let polar = [("1", tiny), ("45", 0.414_2), ("90", 1.0), ("135", 2.414_2), ("179", 1.0 / tiny)];
    let azimuth = [("+0", tiny), ("-0", -tiny), ("180", 1.0 / tiny), ("90", 1.0)];
    for (i, (polar_name, half_polar)) in polar.into_iter().enumerate() {
        for (j, (azimuth_name, half_azimuth)) in azimuth.into_iter().enumerate() {
            // Rows are shifted, so that no two tiles are pieces of nearly one plane.
            let middle =
                [2.2 * i as f64 + 0.31 * j as f64, 2.3 * j as f64, 0.37 * (i * 4 + j) as f64];
            let name = format!("azimuth {azimuth_name} polar {polar_name}");
            let n = normal(half_azimuth, half_polar);
            tile(&mut b, &name, STONE, middle, n, [1.6, 1.3]);
        }
    }
    b.finish()
}

/// Twelve steps of 17 × 28 cm, 1.2 m wide.
pub fn stairs(pose: Pose) -> Model {
    let mut b = Builder::new(pose);
    let (rise, going, across) = (0.17, 0.28, [0.0, 1.2, 0.0]);
    for i in 0..12 {
        let (x, z) = (going * f64::from(i), rise * f64::from(i));
        let name = |part: &str| format!("{part} {}", i + 1);
        b.panel(&name("riser"), STONE, [x, 0.0, z], [0.0, 0.0, rise], across);
        b.panel(&name("tread"), CLAY, [x, 0.0, z + rise], [going, 0.0, 0.0], across);
    }
    b.finish()
}

/// Strips 5 to 10 cm wide and metres long, in all directions.
pub fn strips(pose: Pose) -> Model {
    let mut b = Builder::new(pose);
    for i in 0..8 {
        let step = f64::from(i);
        let n = normal(-1.3 + 0.37 * step, 0.15 + 0.21 * step);
        let middle = [1.5 * step, 0.8 * (step - 3.0), 1.0 + 0.3 * step];
        let sides = [2.0 + 0.3 * step, 0.05 + step * 0.05 / 7.0];
        tile(&mut b, &format!("strip {}", i + 1), TEAL, middle, n, sides);
    }
    b.finish()
}

/// A plane of 20 × 20 m with small ones standing beside it.
pub fn giant(pose: Pose) -> Model {
    let mut b = Builder::new(pose);
    let n = normal(0.3, 0.04);
    tile(&mut b, "giant", STONE, [0.0, 0.0, 0.0], n, [20.0, 20.0]);
    for i in 0..6 {
        let step = f64::from(i);
        let middle = [-7.0 + 2.7 * step, 3.0 - 1.7 * step, 2.0 + 0.2 * step];
        let small = normal(-1.1 + 0.41 * step, 0.3 + 0.17 * step);
        let side = 0.6 + 0.1 * step;
        tile(&mut b, &format!("small {}", i + 1), CLAY, middle, small, [side, side]);
    }
    b.finish()
}

/// A corner of three planes and a slope, for cases in which the points are the difficulty.
pub fn corner(pose: Pose) -> Model {
    let mut b = Builder::new(pose);
    let (x, y, z) = ([5.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 3.0]);
    b.panel("floor", STONE, [0.0; 3], x, y);
    b.panel("wall 1", CLAY, [0.0; 3], y, z);
    b.panel("wall 2", CLAY, [0.0; 3], z, x);
    let (down, across) = ([1.4, 0.0, -1.6], [0.0, 2.0, 0.0]);
    let up = cross(down, across);
    b.panel("slope", TEAL, plus([2.5, 1.2, 1.8], scaled(up, 0.01)), down, across);
    b.finish()
}
