//! More than a dozen roofs on sloping ground with trees, as an airborne scanner sees them.
//!
//! Each house is given by its plan: a roof face is a polygon in plan, raised to the height of its
//! plane.

use super::super::model::{Builder, Model, Paint, paint};
use super::super::vector::{Pose, Vec3};

/// Half the lengths of the site's sides.
const SITE: [f64; 2] = [62.0, 46.0];

const GRASS: Paint = paint(95, 120, 60);
const LEAF: Paint = paint(60, 95, 40);
const TILE: Paint = paint(165, 85, 60);
const SLATE: Paint = paint(85, 90, 100);
const GRAVEL: Paint = paint(170, 165, 155);
const BRICK: Paint = paint(150, 80, 65);

type Plan = [f64; 2];

/// A plane, given by its height: `at_origin + x · along[0] + y · along[1]`.
#[derive(Clone, Copy)]
struct Slope {
    at_origin: f64,
    along: Plan,
}

impl Slope {
    const fn new(at_origin: f64, x: f64, y: f64) -> Self {
        Slope { at_origin, along: [x, y] }
    }

    fn lift(&self, p: Plan) -> Vec3 {
        let rise = self.along[0] * p[0] + self.along[1] * p[1];
        [p[0], p[1], self.at_origin + rise]
    }

    fn ring(&self, plan: &[Plan]) -> Vec<Vec3> {
        plan.iter().map(|&p| self.lift(p)).collect()
    }
}

const GROUND: Slope = Slope::new(2.0, 0.021, -0.034);

fn rectangle(x: [f64; 2], y: [f64; 2]) -> Vec<Plan> {
    vec![[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]]
}

/// A house under construction: its name and the colour of its roofs.
struct House<'a> {
    b: &'a mut Builder,
    name: String,
    paint: Paint,
}

impl House<'_> {
    fn face(&mut self, part: &str, slope: Slope, plan: &[Plan], holes: &[Vec<Plan>]) {
        let holes: Vec<Vec<Vec3>> = holes.iter().map(|hole| slope.ring(hole)).collect();
        let name = format!("{} {part}", self.name);
        self.b.holed(&name, self.paint, &slope.ring(plan), &holes);
    }
}

/// The kinds of houses; lengths in metres, the front left corner at the origin.
#[derive(Clone, Copy)]
enum RoofKind {
    Gable { pitch: f64, chimney: bool },
    Dormers { pitch: f64 },
    Hip { pitch: f64 },
    Shed { pitch: f64 },
    Flat,
    Wing { pitch: f64 },
    Gambrel,
    Pyramid { pitch: f64 },
}

/// Kind, half-tangent of its rotation, position of its corner, length and depth, height of the eaves.
type Lot = (RoofKind, f64, Plan, Plan, f64);

const LOTS: [Lot; 15] = [
    (RoofKind::Gable { pitch: 0.7, chimney: true }, 0.03, [-56.0, -36.0], [12.0, 8.0], 4.2),
    (RoofKind::Hip { pitch: 0.55 }, -0.05, [-35.0, -36.0], [13.0, 9.0], 3.6),
    (RoofKind::Wing { pitch: 0.8 }, 0.11, [-13.0, -33.0], [14.0, 9.0], 4.4),
    (RoofKind::Flat, 0.0, [10.0, -38.0], [16.0, 12.0], 6.5),
    (RoofKind::Dormers { pitch: 0.9 }, -0.08, [35.0, -34.0], [15.0, 9.6], 3.9),
    (RoofKind::Shed { pitch: 0.25 }, 0.21, [-54.0, -10.0], [9.0, 7.0], 3.0),
    (RoofKind::Gable { pitch: 1.0, chimney: true }, 0.35, [-32.0, -12.0], [11.0, 7.5], 5.0),
    (RoofKind::Pyramid { pitch: 0.65 }, -0.14, [-8.0, -8.0], [9.0, 9.0], 4.0),
    (RoofKind::Gambrel, 0.06, [13.0, -12.0], [12.0, 8.4], 4.1),
    (RoofKind::Gable { pitch: 0.45, chimney: false }, -0.27, [36.0, -4.0], [14.0, 8.0], 3.3),
    (RoofKind::Wing { pitch: 0.6 }, -0.19, [-57.0, 20.0], [15.0, 10.0], 3.8),
    (RoofKind::Hip { pitch: 0.8 }, 0.15, [-30.0, 14.0], [12.0, 8.0], 4.6),
    (RoofKind::Shed { pitch: 0.12 }, -0.02, [-6.0, 18.0], [10.0, 6.0], 3.2),
    (RoofKind::Dormers { pitch: 0.75 }, 0.09, [14.0, 16.0], [14.0, 9.0], 4.3),
    (RoofKind::Gable { pitch: 0.6, chimney: true }, 0.28, [42.0, 17.0], [11.0, 9.0], 3.7),
];

/// Position of a tree, radius of its crown, height of the crown's centre above the ground.
const TREES: [(Plan, f64, f64); 14] = [
    ([-40.0, -38.0], 2.6, 5.0),
    ([-18.0, -40.0], 2.0, 3.6),
    ([5.0, -30.0], 3.1, 6.0),
    ([31.0, -40.0], 2.4, 4.5),
    ([56.0, -30.0], 3.4, 6.5),
    ([-42.0, -4.0], 2.9, 5.5),
    ([-15.0, 5.0], 2.2, 4.0),
    ([6.0, 4.0], 3.0, 6.2),
    ([31.0, -8.0], 1.8, 3.0),
    ([57.0, 8.0], 3.2, 6.0),
    ([-36.0, 34.0], 2.7, 5.2),
    ([-12.0, 34.0], 3.3, 6.4),
    ([8.0, 36.0], 1.6, 2.4),
    ([36.0, 38.0], 2.8, 5.4),
];

pub fn build() -> Model {
    let mut b = Builder::new(Pose::at([0.0; 3]));
    let mut footprints = Vec::new();
    for (i, lot) in LOTS.into_iter().enumerate() {
        let (kind, half_turn, [x, y], size, eaves) = lot;
        let base = GROUND.lift([x, y])[2];
        b.with(Pose::turned(half_turn, [x, y, base]), |b| {
            let paint = [TILE, SLATE, TILE, SLATE, BRICK][i % 5];
            let name = format!("house {}", i + 1);
            house(&mut House { b, name, paint }, kind, size, eaves);
            let plan = footprint(kind, size);
            let placed = plan.iter().map(|&[x, y]| b.place([x, y, 0.0]));
            footprints.push(placed.map(|p| GROUND.lift([p[0], p[1]])).collect());
        });
    }
    let [x, y] = SITE;
    let site = GROUND.ring(&rectangle([-x, x], [-y, y]));
    b.holed("ground", GRASS, &site, &footprints);
    b.density(1.4);
    for (plan, radius, above) in TREES {
        let mut centre = GROUND.lift(plan);
        centre[2] += above;
        b.leaves(LEAF, centre, [radius, radius * 0.9, radius * 1.2]);
        centre[2] -= above - 0.5;
        b.leaves(LEAF, [centre[0] + radius, centre[1], centre[2]], [0.8, 0.7, 0.6]);
    }
    b.finish()
}

/// The wing of an L: where it begins and ends along the front, and how far it projects.
fn wing(size: Plan) -> (f64, f64, f64) {
    (size[0] * 0.55, size[0] * 0.95, 5.0)
}

/// The ground that a house hides.
fn footprint(kind: RoofKind, size: Plan) -> Vec<Plan> {
    let mut plan = rectangle([0.0, size[0]], [0.0, size[1]]);
    if let RoofKind::Wing { .. } = kind {
        let (from, to, out) = wing(size);
        let wing = [[from, 0.0], [from, -out], [to, -out], [to, 0.0]];
        plan.splice(1..1, wing);
    }
    plan
}

fn house(h: &mut House, kind: RoofKind, size: Plan, eaves: f64) {
    match kind {
        RoofKind::Gable { pitch, chimney } => gable(h, size, eaves, pitch, chimney),
        RoofKind::Dormers { pitch } => dormers(h, size, eaves, pitch),
        RoofKind::Hip { pitch } => hip(h, size, eaves, pitch),
        RoofKind::Shed { pitch } => {
            let plan = rectangle([0.0, size[0]], [0.0, size[1]]);
            h.face("shed", Slope::new(eaves, 0.0, pitch), &plan, &[]);
        }
        RoofKind::Flat => flat(h, size, eaves),
        RoofKind::Wing { pitch } => l_shape(h, size, eaves, pitch),
        RoofKind::Gambrel => gambrel(h, size, eaves),
        RoofKind::Pyramid { pitch } => hip(h, [size[0], size[0]], eaves, pitch),
    }
}

/// The slope that descends to the front (`y = 0`) and the one that descends to the back.
fn front_and_back(depth: f64, eaves: f64, pitch: f64) -> (Slope, Slope) {
    (Slope::new(eaves, 0.0, pitch), Slope::new(eaves + pitch * depth, 0.0, -pitch))
}

fn gable(h: &mut House, [l, w]: Plan, eaves: f64, pitch: f64, chimney: bool) {
    let (front, back) = front_and_back(w, eaves, pitch);
    let stack = rectangle([l * 0.3, l * 0.3 + 1.1], [w * 0.62, w * 0.62 + 0.7]);
    let holes = if chimney { vec![stack.clone()] } else { vec![] };
    h.face("front", front, &rectangle([0.0, l], [0.0, w / 2.0]), &[]);
    h.face("back", back, &rectangle([0.0, l], [w / 2.0, w]), &holes);
    if chimney {
        let top = Slope::new(eaves + pitch * w / 2.0 + 0.6, 0.0, 0.0);
        h.face("chimney", top, &stack, &[]);
    }
}

/// A gable roof with two gabled dormers in front.
fn dormers(h: &mut House, [l, w]: Plan, eaves: f64, pitch: f64) {
    let (front, back) = front_and_back(w, eaves, pitch);
    let (start, cheek, steep) = (1.2, 1.1, 0.6);
    let mut holes = Vec::new();
    for (i, middle) in [l * 0.28, l * 0.72].into_iter().enumerate() {
        let half = 1.3;
        let (from, to) = (middle - half, middle + half);
        let side = start + cheek / pitch;
        let ridge = side + steep * half / pitch;
        let low = eaves + pitch * start + cheek;
        let left = Slope::new(low - steep * from, steep, 0.0);
        let right = Slope::new(low + steep * to, -steep, 0.0);
        let name = |part: &str| format!("dormer {} {part}", i + 1);
        let (tip, foot) = ([middle, ridge], [middle, start]);
        let left_plan = [[from, start], foot, tip, [from, side]];
        h.face(&name("left"), left, &left_plan, &[]);
        let right_plan = [foot, [to, start], [to, side], tip];
        h.face(&name("right"), right, &right_plan, &[]);
        holes.push(vec![[from, start], [to, start], [to, side], tip, [from, side]]);
    }
    h.face("front", front, &rectangle([0.0, l], [0.0, w / 2.0]), &holes);
    h.face("back", back, &rectangle([0.0, l], [w / 2.0, w]), &[]);
}

/// Four slopes of equal pitch; on a square plan, a pyramid.
fn hip(h: &mut House, [l, w]: Plan, eaves: f64, pitch: f64) {
    let (front, back) = front_and_back(w, eaves, pitch);
    let half = w / 2.0;
    let (left_end, right_end) = ([half, half], [l - half, half]);
    let long = |a: Plan, b: Plan| match l > w {
        true => vec![a, b, right_end, left_end],
        false => vec![a, b, left_end],
    };
    h.face("front", front, &long([0.0, 0.0], [l, 0.0]), &[]);
    let mut back_plan = long([0.0, w], [l, w]);
    back_plan.reverse();
    h.face("back", back, &back_plan, &[]);
    let left = Slope::new(eaves, pitch, 0.0);
    h.face("left", left, &[[0.0, 0.0], left_end, [0.0, w]], &[]);
    let right = Slope::new(eaves + pitch * l, -pitch, 0.0);
    h.face("right", right, &[[l, 0.0], [l, w], right_end], &[]);
}

/// A flat roof with a lift housing and a lower porch.
fn flat(h: &mut House, [l, w]: Plan, eaves: f64) {
    h.paint = GRAVEL;
    let housing = rectangle([l * 0.6, l * 0.6 + 3.2], [w * 0.4, w * 0.4 + 2.6]);
    let level = |z| Slope::new(z, 0.0, 0.0);
    let holes = [housing.clone()];
    h.face("flat", level(eaves), &rectangle([0.0, l], [0.0, w]), &holes);
    h.face("housing", level(eaves + 2.4), &housing, &[]);
}

/// A gable roof with a wing in front whose ridge runs into the front slope.
fn l_shape(h: &mut House, [l, w]: Plan, eaves: f64, pitch: f64) {
    let (front, back) = front_and_back(w, eaves, pitch);
    let (from, to, out) = wing([l, w]);
    let middle = (from + to) / 2.0;
    // The wing's ridge meets the front slope where both have the same height.
    let tip = [middle, (to - from) / 2.0];
    let plan = [[0.0, 0.0], [from, 0.0], tip, [to, 0.0], [l, 0.0], [l, w / 2.0], [0.0, w / 2.0]];
    h.face("front", front, &plan, &[]);
    h.face("back", back, &rectangle([0.0, l], [w / 2.0, w]), &[]);
    let left = Slope::new(eaves - pitch * from, pitch, 0.0);
    let left_plan = [[from, -out], [middle, -out], tip, [from, 0.0]];
    h.face("wing left", left, &left_plan, &[]);
    let right = Slope::new(eaves + pitch * to, -pitch, 0.0);
    let right_plan = [[middle, -out], [to, -out], [to, 0.0], tip];
    h.face("wing right", right, &right_plan, &[]);
}

/// A roof that is steep at the eaves and gentle at the ridge.
fn gambrel(h: &mut House, [l, w]: Plan, eaves: f64) {
    let (knee, steep, gentle) = (1.6, 1.7, 0.4);
    let strip = |a: f64, b: f64| rectangle([0.0, l], [a, b]);
    let (front, back) = front_and_back(w, eaves, steep);
    h.face("front steep", front, &strip(0.0, knee), &[]);
    h.face("back steep", back, &strip(w - knee, w), &[]);
    let knee_height = eaves + steep * knee;
    let front = Slope::new(knee_height - gentle * knee, 0.0, gentle);
    let back = Slope::new(knee_height + gentle * (w - knee), 0.0, -gentle);
    h.face("front gentle", front, &strip(knee, w / 2.0), &[]);
    h.face("back gentle", back, &strip(w / 2.0, w - knee), &[]);
}
