//! A furnished room of 6 × 5 × 2.7 m, turned by about 18° about the vertical.

use super::super::model::{Builder, Model, Paint, Side, paint};
use super::super::shape::Cap;
use super::super::vector::{Pose, Vec3, turn};

const LENGTH: f64 = 6.0;
const WIDTH: f64 = 5.0;
const HEIGHT: f64 = 2.7;

const WALL: Paint = paint(225, 220, 205);
const WHITE: Paint = paint(240, 240, 240);
const PARQUET: Paint = paint(150, 105, 65);
const OAK: Paint = paint(170, 125, 80);
const WALNUT: Paint = paint(95, 65, 45);
const FABRIC: Paint = paint(70, 95, 130);
const RED: Paint = paint(170, 60, 50);
const STEEL: Paint = paint(150, 155, 160);

/// Position of the room.
pub fn pose() -> Pose {
    Pose::turned(0.1613, [0.0; 3])
}

/// The room; if `curved`, with a vault for its ceiling, and balls, columns and a dome in it.
pub fn build(curved: bool) -> Model {
    let mut b = Builder::new(pose());
    shell(&mut b, curved);
    b.density(1.15);
    table(&mut b);
    for (i, (half_turn, x, y)) in
        [(0.07, 3.5, 1.45), (-0.6, 5.0, 2.3), (4.5, 4.3, 3.3)].into_iter().enumerate()
    {
        let seat = 0.44 + 0.012 * i as f64;
        let name = format!("chair {}", i + 1);
        b.with(Pose::turned(half_turn, [x, y, 0.0]), |b| chair(b, &name, seat));
    }
    b.density(0.9);
    shelf(&mut b);
    sofa(&mut b);
    b.cuboid(
        "wardrobe",
        WHITE,
        [3.6, 0.0, 0.0],
        [1.4, 0.55, 2.1],
        &[Side::Left, Side::Right, Side::Back, Side::Top],
    );
    b.panel("leaning board", OAK, [1.0, 4.2, 0.0], [0.9, 0.0, 0.0], [0.0, 0.78, 1.9]);
    round_things(&mut b);
    if curved {
        more_round_things(&mut b);
    }
    b.finish()
}

/// A vertical rectangle in the wall `y = depth` or `x = depth`, as a ring.
fn opening(along: [f64; 2], up: [f64; 2], place: impl Fn(f64, f64) -> Vec3) -> Vec<Vec3> {
    vec![
        place(along[0], up[0]),
        place(along[1], up[0]),
        place(along[1], up[1]),
        place(along[0], up[1]),
    ]
}

fn shell(b: &mut Builder, vaulted: bool) {
    let (l, w, h) = (LENGTH, WIDTH, HEIGHT);
    b.density(1.0);
    b.panel("floor", PARQUET, [0.0; 3], [l, 0.0, 0.0], [0.0, w, 0.0]);
    b.density(0.8);
    if vaulted {
        vault(b);
    } else {
        b.panel("ceiling", WHITE, [0.0, 0.0, h], [l, 0.0, 0.0], [0.0, w, 0.0]);
    }
    let south = |x: f64, z: f64| [x, 0.0, z];
    let north = |x: f64, z: f64| [x, w, z];
    let west = |y: f64, z: f64| [0.0, y, z];
    let east = |y: f64, z: f64| [l, y, z];
    b.density(1.0);
    b.holed(
        "south wall",
        WALL,
        &opening([0.0, l], [0.0, h], south),
        &[opening([1.1, 2.9], [0.9, 2.2], south)],
    );
    b.holed(
        "north wall",
        WALL,
        &opening([0.0, l], [0.0, h], north),
        &[opening([2.3, 3.4], [0.85, 2.25], north), opening([4.0, 5.1], [0.85, 2.25], north)],
    );
    b.holed(
        "east wall",
        WALL,
        &opening([0.0, w], [0.0, h], east),
        &[opening([3.0, 3.8], [1.5, 2.2], east)],
    );
    // The doorway reaches the floor, so it is a notch and not a hole.
    let (from, to, lintel) = (3.1, 4.0, 2.05);
    let ring = [
        west(0.0, 0.0),
        west(from, 0.0),
        west(from, lintel),
        west(to, lintel),
        west(to, 0.0),
        west(w, 0.0),
        west(w, h),
        west(0.0, h),
    ];
    b.polygon("west wall", WALL, &ring);
    let (cosine, sine) = turn(-0.29);
    let leaf = [0.88 * cosine, 0.88 * sine, 0.0];
    b.panel("door", OAK, [0.02, from, 0.01], leaf, [0.0, 0.0, 2.03]);
}

/// A table with round legs; a scan from eye height sees only the upper side of its top.
fn table(b: &mut Builder) {
    b.panel("table", WALNUT, [3.1, 1.9, 0.755], [1.6, 0.0, 0.0], [0.0, 0.9, 0.0]);
    for (x, y) in [(3.15, 1.95), (4.65, 1.95), (3.15, 2.75), (4.65, 2.75)] {
        b.cylinder(WALNUT, [x, y, 0.0], [0.0, 0.0, 0.755], 0.03);
    }
}

/// A chair at the origin, its back towards negative y.
fn chair(b: &mut Builder, name: &str, seat: f64) {
    let (across, side) = ([0.42, 0.0, 0.0], [-0.21, -0.21]);
    b.panel(&format!("{name} seat"), OAK, [side[0], side[1], seat], across, [0.0, 0.42, 0.0]);
    let back = [side[0], side[1], seat + 0.02];
    b.panel(&format!("{name} back"), OAK, back, across, [0.0, -0.07, 0.45]);
    for (x, y) in [(-0.18, -0.18), (0.18, -0.18), (-0.18, 0.18), (0.18, 0.18)] {
        b.cylinder(STEEL, [x, y, 0.0], [0.0, 0.0, seat], 0.014);
    }
}

/// An open shelf against the east wall.
fn shelf(b: &mut Builder) {
    let (depth, width, height) = ([0.32, 0.0, 0.0], [0.0, 1.3, 0.0], [0.0, 0.0, 1.9]);
    let (x, y) = (5.68, 0.7);
    b.panel("shelf side 1", OAK, [x, y, 0.0], depth, height);
    b.panel("shelf side 2", OAK, [x, y + width[1], 0.0], depth, height);
    for (i, z) in [0.1, 0.52, 0.95, 1.39, 1.86].into_iter().enumerate() {
        b.panel(&format!("shelf board {}", i + 1), OAK, [x, y, z], depth, width);
    }
}

/// A sofa against the west wall, its seat towards positive x.
fn sofa(b: &mut Builder) {
    let front = [Side::Left, Side::Right, Side::Front, Side::Back, Side::Top];
    b.cuboid(
        "sofa seat",
        FABRIC,
        [0.28, 0.62, 0.06],
        [0.67, 1.76, 0.36],
        &[Side::Right, Side::Top],
    );
    b.cuboid("sofa back", FABRIC, [0.06, 0.62, 0.06], [0.22, 1.76, 0.76], &front);
    for (i, y) in [0.44, 2.38].into_iter().enumerate() {
        let name = format!("sofa arm {}", i + 1);
        b.cuboid(&name, FABRIC, [0.06, y, 0.06], [0.89, 0.18, 0.53], &front);
    }
}

/// A barrel vault from wall to wall that rises by 0.9 m.
fn vault(b: &mut Builder) {
    let (half, rise) = (WIDTH / 2.0, 0.9);
    let radius = (half * half + rise * rise) / (2.0 * rise);
    let below = radius - rise;
    // 39.6° to either side of 180°.
    let cap = Cap { least: below / radius, share: 0.220 };
    b.vault(WHITE, [0.0, half, HEIGHT - below], [LENGTH, 0.0, 0.0], radius, cap);
}

fn more_round_things(b: &mut Builder) {
    b.density(1.0);
    for (x, y, radius) in [(2.9, 3.9, 0.35), (2.2, 2.3, 0.12), (4.8, 4.2, 0.2)] {
        b.ellipsoid(RED, [x, y, radius], [radius; 3]);
    }
    for (x, y, radius) in [(2.55, 4.55, 0.25), (2.0, 1.9, 0.12), (1.2, 2.9, 0.09)] {
        b.cylinder(WALL, [x, y, 0.0], [0.0, 0.0, HEIGHT], radius);
    }
    b.dome(FABRIC, [1.7, 3.4, 0.0], 0.55);
}

fn round_things(b: &mut Builder) {
    b.density(1.0);
    for (y, tilt) in [(0.9, 0.02), (1.5, -0.01), (2.1, 0.03)] {
        b.ellipsoid(RED, [0.42 + tilt, y, 0.58], [0.09, 0.22, 0.2]);
    }
    b.ellipsoid(RED, [2.4, 1.1, 0.21], [0.42, 0.36, 0.21]);
    b.ellipsoid(WHITE, [3.9, 2.35, 1.95], [0.2, 0.2, 0.2]);
    b.cylinder(STEEL, [3.9, 2.35, 2.15], [0.0, 0.0, 0.55], 0.01);
    b.cylinder(WALL, [5.45, 4.35, 0.0], [0.0, 0.0, HEIGHT], 0.17);
}
