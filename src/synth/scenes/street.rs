//! A street between two rows of houses, as a scanner on a tripod sees it.

use super::super::model::{Builder, Model, Paint, STANDING, Side, paint};
use super::super::vector::{Pose, Vec3};

/// Position of the scanner's mirror, in the street's frame.
const EYE: Vec3 = [0.4, -0.7, 1.8];

/// Half the street's length.
const REACH: f64 = 55.0;
/// Half the road's width.
const ROAD: f64 = 3.5;
/// Distance from the street's middle to the back of the pavement.
const PAVEMENT: f64 = 5.7;
/// Height of the pavement.
const KERB: f64 = 0.12;

const ASPHALT: Paint = paint(75, 75, 80);
const PAVING: Paint = paint(150, 148, 140);
const GLASS: Paint = paint(60, 75, 90);
const FRAME: Paint = paint(215, 215, 210);
const ROOF: Paint = paint(150, 75, 55);
const BARK: Paint = paint(85, 70, 55);
const LEAF: Paint = paint(70, 110, 45);
const METAL: Paint = paint(130, 135, 140);
const TYRE: Paint = paint(35, 35, 35);
const SIGN: Paint = paint(40, 80, 170);
const STONE: Paint = paint(165, 155, 140);

/// A house: width, depth, height of the eaves, distance from the pavement, floors, windows per
/// floor, whether a gable faces the street, pitch of the roof, colour.
struct House {
    width: f64,
    depth: f64,
    eaves: f64,
    back: f64,
    floors: u32,
    windows: u32,
    gable: bool,
    pitch: f64,
    paint: Paint,
}

#[rustfmt::skip] // A table.
const NORTH: [House; 7] = [
    House { width: 11.0, depth: 9.0, eaves: 6.1, back: 0.0, floors: 2, windows: 3, gable: false, pitch: 0.9, paint: paint(205, 190, 160) },
    House { width: 8.5, depth: 10.0, eaves: 5.4, back: 0.6, floors: 2, windows: 2, gable: true, pitch: 0.8, paint: paint(170, 100, 80) },
    House { width: 12.0, depth: 9.0, eaves: 3.2, back: 1.3, floors: 1, windows: 3, gable: false, pitch: 1.0, paint: paint(220, 215, 200) },
    House { width: 9.0, depth: 8.0, eaves: 5.8, back: 0.2, floors: 2, windows: 3, gable: false, pitch: 0.7, paint: paint(150, 160, 150) },
    House { width: 10.0, depth: 11.0, eaves: 8.7, back: 0.0, floors: 3, windows: 3, gable: false, pitch: 0.6, paint: paint(190, 150, 110) },
    House { width: 8.0, depth: 9.0, eaves: 3.1, back: 1.8, floors: 1, windows: 2, gable: true, pitch: 1.1, paint: paint(210, 200, 190) },
    House { width: 11.5, depth: 9.0, eaves: 5.9, back: 0.4, floors: 2, windows: 3, gable: false, pitch: 0.85, paint: paint(180, 120, 95) },
];

#[rustfmt::skip] // A table.
const SOUTH: [House; 7] = [
    House { width: 9.0, depth: 9.0, eaves: 3.3, back: 1.1, floors: 1, windows: 2, gable: false, pitch: 0.95, paint: paint(200, 180, 150) },
    House { width: 12.0, depth: 10.0, eaves: 6.0, back: 0.1, floors: 2, windows: 4, gable: false, pitch: 0.75, paint: paint(165, 105, 85) },
    House { width: 8.0, depth: 9.0, eaves: 5.2, back: 0.9, floors: 2, windows: 2, gable: true, pitch: 1.0, paint: paint(225, 220, 210) },
    House { width: 11.0, depth: 9.0, eaves: 2.9, back: 2.1, floors: 1, windows: 3, gable: false, pitch: 1.1, paint: paint(185, 170, 150) },
    House { width: 10.0, depth: 8.0, eaves: 6.3, back: 0.3, floors: 2, windows: 3, gable: false, pitch: 0.8, paint: paint(155, 165, 170) },
    House { width: 9.5, depth: 10.0, eaves: 5.6, back: 1.5, floors: 2, windows: 3, gable: true, pitch: 0.9, paint: paint(190, 140, 100) },
    House { width: 10.5, depth: 9.0, eaves: 3.4, back: 0.7, floors: 1, windows: 3, gable: false, pitch: 0.9, paint: paint(215, 205, 185) },
];

/// Gap between neighbouring houses.
const GAP: f64 = 2.4;

/// The street runs at about 27° to the axes.
pub fn pose() -> Pose {
    Pose::turned(-0.237, [0.0; 3])
}

/// Position of the scanner's mirror.
pub fn eye() -> Vec3 {
    pose().point(EYE)
}

pub fn build() -> Model {
    let mut b = Builder::new(pose());
    ground(&mut b);
    row(&mut b, "north", &NORTH, |x| Pose::at([x - REACH + 9.0, PAVEMENT, KERB]));
    row(&mut b, "south", &SOUTH, |x| Pose::reversed([REACH - 9.0 - x, -PAVEMENT, KERB]));
    #[rustfmt::skip] // A table.
    let cars = [
        (-13.0, 2.4, 0.004, paint(150, 40, 40)), (-6.5, 2.5, -0.006, paint(180, 185, 190)),
        (7.0, 2.3, 0.01, paint(50, 60, 110)), (13.2, 2.45, 0.002, paint(35, 40, 45)),
        (-9.0, -2.5, 0.007, paint(215, 215, 215)), (10.5, -2.4, -0.003, paint(90, 110, 90)),
        (19.0, -2.5, 0.0, paint(120, 60, 40)),
    ];
    for (i, (x, y, half_turn, paint)) in cars.into_iter().enumerate() {
        let pose = Pose::turned(half_turn, [x - 2.1, y - 0.85, 0.0]);
        b.with(pose, |b| car(b, &format!("car {}", i + 1), paint));
    }
    for (x, y, crown) in
        [(-17.0, 4.9, 2.0), (3.6, 5.0, 1.7), (22.0, 4.9, 2.3), (-3.8, -5.0, 1.6), (16.0, -4.9, 2.1)]
    {
        tree(&mut b, x, y, crown);
    }
    for (x, y) in [(-11.0, 3.9), (11.0, -3.9), (29.0, 3.9), (-28.0, -3.9)] {
        b.cylinder(METAL, [x, y, KERB], [0.0, 0.0, 5.6], 0.07);
        b.ellipsoid(METAL, [x, y, KERB + 5.7], [0.3, 0.22, 0.12]);
    }
    signs(&mut b);
    b.cuboid("low wall", STONE, [-25.5, 5.75, KERB], [7.5, 0.25, 0.85], &STANDING);
    steps(&mut b);
    b.finish()
}

fn ground(b: &mut Builder) {
    let along = [2.0 * REACH, 0.0, 0.0];
    b.panel("road", ASPHALT, [-REACH, -ROAD, 0.0], along, [0.0, 2.0 * ROAD, 0.0]);
    for (name, y, towards) in [("north", ROAD, 1.0), ("south", -ROAD, -1.0)] {
        b.panel(&format!("{name} kerb"), PAVING, [-REACH, y, 0.0], along, [0.0, 0.0, KERB]);
        let (part, width) = (format!("{name} pavement"), [0.0, towards * 12.0, 0.0]);
        b.panel(&part, PAVING, [-REACH, y, KERB], along, width);
    }
}

fn row(b: &mut Builder, name: &str, houses: &[House], pose: impl Fn(f64) -> Pose) {
    let mut x = 0.0;
    for (i, house) in houses.iter().enumerate() {
        b.with(pose(x), |b| {
            b.with(Pose::at([0.0, house.back, 0.0]), |b| {
                build_house(b, &format!("{name} house {}", i + 1), house);
            });
        });
        x += house.width + GAP;
    }
}

/// A vertical rectangle with the normal along y.
fn upright(x: [f64; 2], y: f64, z: [f64; 2]) -> Vec<Vec3> {
    vec![[x[0], y, z[0]], [x[1], y, z[0]], [x[1], y, z[1]], [x[0], y, z[1]]]
}

fn build_house(b: &mut Builder, name: &str, house: &House) {
    let (w, d, h) = (house.width, house.depth, house.eaves);
    let openings = openings(house);
    let holes: Vec<Vec<Vec3>> = openings.iter().map(|&(x, z)| upright(x, 0.0, z)).collect();
    let mut facade = upright([0.0, w], 0.0, [0.0, h]);
    let ridge = h + house.pitch * if house.gable { w / 2.0 } else { d / 2.0 };
    if house.gable {
        facade.insert(3, [w / 2.0, 0.0, ridge]);
    }
    b.holed(&format!("{name} facade"), house.paint, &facade, &holes);
    // Windows are 10 to 20 cm deep.
    let recess = 0.1 + 0.025 * f64::from(house.windows) + 0.02 * f64::from(house.floors % 2);
    for (i, &opening) in openings.iter().enumerate() {
        window(b, &format!("{name} window {}", i + 1), house.paint, opening, recess);
    }
    for (side, x) in [("left", 0.0), ("right", w)] {
        let mut ring = vec![[x, 0.0, 0.0], [x, d, 0.0], [x, d, h], [x, 0.0, h]];
        if !house.gable {
            ring.insert(3, [x, d / 2.0, ridge]);
        }
        b.polygon(&format!("{name} {side} wall"), house.paint, &ring);
    }
    roof(b, name, house, ridge);
}

/// The windows and the door of a façade, as horizontal and vertical ranges.
fn openings(house: &House) -> Vec<([f64; 2], [f64; 2])> {
    let bay = house.width / f64::from(house.windows);
    let mut openings = Vec::new();
    for floor in 0..house.floors {
        for i in 0..house.windows {
            let middle = bay * (f64::from(i) + 0.5);
            let z = 2.8 * f64::from(floor);
            openings.push(match (floor, i) {
                // The door; slightly above the ground, so that it is a hole in the façade.
                (0, 0) => ([middle - 0.55, middle + 0.55], [0.05, 2.15]),
                _ => ([middle - 0.65, middle + 0.65], [z + 0.9, z + 2.3]),
            });
        }
    }
    openings
}

/// A pane behind the façade and the four sides of its niche.
fn window(b: &mut Builder, name: &str, wall: Paint, opening: ([f64; 2], [f64; 2]), recess: f64) {
    let (x, z) = opening;
    b.polygon(&format!("{name} pane"), GLASS, &upright(x, recess, z));
    let (across, up, inward) =
        ([x[1] - x[0], 0.0, 0.0], [0.0, 0.0, z[1] - z[0]], [0.0, recess, 0.0]);
    b.panel(&format!("{name} left"), wall, [x[0], 0.0, z[0]], up, inward);
    b.panel(&format!("{name} right"), wall, [x[1], 0.0, z[0]], up, inward);
    b.panel(&format!("{name} sill"), FRAME, [x[0], 0.0, z[0]], across, inward);
    b.panel(&format!("{name} head"), wall, [x[0], 0.0, z[1]], across, inward);
}

/// Two slopes that project 30 cm beyond the eaves.
fn roof(b: &mut Builder, name: &str, house: &House, ridge: f64) {
    let (w, d, out) = (house.width, house.depth, 0.3);
    let low = house.eaves - out * house.pitch;
    let paint = ROOF;
    if house.gable {
        let along = [0.0, d + 2.0 * out, 0.0];
        let rise = ridge - low;
        let reach = w / 2.0 + out;
        b.panel(&format!("{name} roof left"), paint, [-out, -out, low], along, [reach, 0.0, rise]);
        b.panel(
            &format!("{name} roof right"),
            paint,
            [w + out, -out, low],
            along,
            [-reach, 0.0, rise],
        );
    } else {
        let along = [w + 2.0 * out, 0.0, 0.0];
        let rise = ridge - low;
        let reach = d / 2.0 + out;
        b.panel(&format!("{name} roof front"), paint, [-out, -out, low], along, [0.0, reach, rise]);
        b.panel(
            &format!("{name} roof back"),
            paint,
            [-out, d + out, low],
            along,
            [0.0, -reach, rise],
        );
    }
}

/// A car of 4.2 × 1.7 m with its rear left corner at the origin.
fn car(b: &mut Builder, name: &str, paint: Paint) {
    let part = |what: &str| format!("{name} {what}");
    b.cuboid(&part("body"), paint, [0.0, 0.0, 0.32], [4.2, 1.7, 0.55], &STANDING);
    let profile = [[0.35, 0.87], [0.9, 1.4], [2.5, 1.43], [3.2, 0.87]];
    for (i, what) in ["rear window", "roof", "windscreen"].into_iter().enumerate() {
        let ([x, z], [to_x, to_z]) = (profile[i], profile[i + 1]);
        let glass = if what == "roof" { paint } else { GLASS };
        let run = [to_x - x, 0.0, to_z - z];
        b.panel(&part(what), glass, [x, 0.12, z], run, [0.0, 1.46, 0.0]);
    }
    for (side, y) in [("right", 0.12), ("left", 1.58)] {
        let ring = profile.map(|[x, z]| [x, y, z]);
        b.polygon(&part(&format!("{side} windows")), GLASS, &ring);
    }
    for (x, y) in [(0.75, 0.08), (3.4, 0.08), (0.75, 1.62), (3.4, 1.62)] {
        b.ellipsoid(TYRE, [x, y, 0.31], [0.31, 0.11, 0.31]);
    }
    b.ellipsoid(paint, [3.65, 0.85, 0.84], [0.5, 0.7, 0.1]);
}

fn tree(b: &mut Builder, x: f64, y: f64, crown: f64) {
    b.cylinder(BARK, [x, y, KERB], [0.05, -0.04, 3.2], 0.13);
    b.leaves(LEAF, [x, y, 3.4 + crown], [crown, crown, 1.2 * crown]);
    b.leaves(LEAF, [x + 0.6 * crown, y, 3.1 + crown], [0.6 * crown, 0.7 * crown, 0.6 * crown]);
    b.leaves(
        LEAF,
        [x - 0.5 * crown, y + 0.2, 3.5 + crown],
        [0.7 * crown, 0.6 * crown, 0.7 * crown],
    );
}

fn signs(b: &mut Builder) {
    for (i, (x, y, half_turn)) in
        [(5.2, 3.8, 0.9), (-7.5, -3.8, -1.1), (18.0, 3.8, 0.7)].into_iter().enumerate()
    {
        b.with(Pose::turned(half_turn, [x, y, KERB]), |b| {
            b.cylinder(METAL, [0.0, 0.06, 0.0], [0.0, 0.0, 2.9], 0.03);
            let name = format!("sign {}", i + 1);
            b.polygon(&name, SIGN, &upright([-0.45, 0.45], 0.0, [2.1, 2.9]));
        });
    }
}

/// Three steps up to the door of the northern house opposite the scanner.
fn steps(b: &mut Builder) {
    let (x, y, count) = (4.87, PAVEMENT, 3);
    for i in 0..count {
        let inset = 0.3 * f64::from(i);
        let low = [x, y + inset - 0.9, KERB + 0.15 * f64::from(i)];
        let size = [1.8, 0.9 - inset, 0.15];
        let sides = [Side::Left, Side::Right, Side::Front, Side::Top];
        b.cuboid(&format!("step {}", i + 1), STONE, low, size, &sides);
    }
}
