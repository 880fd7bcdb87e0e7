//! What is said of a plane, against clouds whose planes are known: its pieces and how sure it is.

mod random;

use planes::cloud::{Chunk, PointReader};
use planes::cpu::Cpu;
use planes::detect::{Mode, Options, detect, load};
use planes::lms::Refine;
use planes::outline::PlaneFrame;
use planes::{Detection, Polygon, Result};
use random::Random;
use std::path::Path;

/// Gaussian with a standard deviation of 1.
fn gaussian(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

/// A cloud in memory.
struct Cloud {
    points: Vec<[f64; 3]>,
    at: usize,
}

impl PointReader for Cloud {
    fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()> {
        chunk.clear();
        let end = self.points.len().min(self.at + limit);
        for [x, y, z] in &self.points[self.at..end] {
            chunk.x.push(*x);
            chunk.y.push(*y);
            chunk.z.push(*z);
        }
        self.at = end;
        Ok(())
    }
}

fn found(points: &[[f64; 3]], options: &Options) -> Detection {
    let open = || Ok(Box::new(Cloud { points: points.to_vec(), at: 0 }) as Box<dyn PointReader>);
    let cloud = load(Path::new("cloud"), &open, 1 << 18, &|_| {}).unwrap();
    detect(cloud, options, &Cpu::default(), &()).unwrap()
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `count` points where `keep` holds of a rectangle on a plane, with noise across it.
fn sampled(
    random: &mut Random,
    frame: &PlaneFrame,
    [width, height]: [f64; 2],
    count: usize,
    noise: f64,
    keep: impl Fn([f64; 2]) -> bool,
) -> Vec<[f64; 3]> {
    let mut points = Vec::with_capacity(count);
    while points.len() < count {
        let p = [width * random.unit(), height * random.unit()];
        if keep(p) {
            let (foot, off) = (frame.lift(p), noise * gaussian(random));
            points.push(std::array::from_fn(|k| foot[k] + off * frame.normal[k]));
        }
    }
    points
}

/// A tilted plane at survey coordinates.
fn tilted() -> PlaneFrame {
    PlaneFrame::new([0.2, -0.35, 0.9], [500_000.0, 4_600_000.0, 300.0])
}

const WIDE: f64 = 6.0;
const HIGH: f64 = 4.0;

/// Left of it 6 by 4 with a hole of 2 by 1.5; 1.5 to the right of that, 2.5 by 4.
fn is_covered([x, y]: [f64; 2]) -> bool {
    let in_hole = (2.0..4.0).contains(&x) && (1.0..2.5).contains(&y);
    (x < WIDE && !in_hole) || x > WIDE + 1.5
}

/// Points on the plane in two parts, 200 to a unit, and on a wall far from it.
fn parted() -> Vec<[f64; 3]> {
    let mut random = Random(3);
    let count = (200.0 * (WIDE * HIGH - 3.0 + 2.5 * HIGH)) as usize;
    let mut points = sampled(&mut random, &tilted(), [WIDE + 4.0, HIGH], count, 0.005, is_covered);
    let wall = PlaneFrame::new([1.0, 0.1, 0.0], [500_020.0, 4_600_000.0, 300.0]);
    points.extend(sampled(&mut random, &wall, [3.0, 3.0], 1800, 0.005, |_| true));
    points
}

/// Rings of a polygon in the plane, the outer one first.
fn rings(polygon: &Polygon, frame: &PlaneFrame) -> Vec<Vec<[f64; 2]>> {
    let all = std::iter::once(&polygon.exterior).chain(&polygon.holes);
    all.map(|ring| ring.iter().map(|&p| frame.project(p)).collect()).collect()
}

fn area(ring: &[[f64; 2]]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>() / 2.0
}

fn inside(p: [f64; 2], ring: &[[f64; 2]]) -> bool {
    let next = ring.iter().cycle().skip(1);
    let crossed = ring.iter().zip(next).filter(|(a, b)| {
        (a[1] > p[1]) != (b[1] > p[1])
            && p[0] < a[0] + (p[1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
    });
    crossed.count() % 2 == 1
}

/// No two edges cross, the outer ring runs counter-clockwise around the holes, they clockwise.
fn assert_valid(rings: &[Vec<[f64; 2]>]) {
    let edges: Vec<_> = rings
        .iter()
        .flat_map(|ring| ring.iter().copied().zip(ring.iter().copied().cycle().skip(1)))
        .collect();
    let side = |a: [f64; 2], b: [f64; 2], p: [f64; 2]| {
        (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
    };
    for (i, &(a, b)) in edges.iter().enumerate() {
        for &(c, d) in &edges[..i] {
            let crossing =
                side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0;
            assert!(!crossing, "{a:?} {b:?} and {c:?} {d:?}");
        }
    }
    assert!(area(&rings[0]) > 0.0);
    for hole in &rings[1..] {
        assert!(area(hole) < 0.0);
        assert!(hole.iter().all(|&p| inside(p, &rings[0])));
    }
}

#[test]
fn a_plane_in_two_parts_with_a_hole_has_two_pieces() {
    let points = parted();
    let found = found(&points, &Options::default());
    assert_eq!(found.planes.len(), 2);
    let plane = &found.planes[0];
    assert!(dot(plane.normal, tilted().normal).abs() > 0.99999);
    assert_eq!(plane.pieces.len(), 2);
    let frame = PlaneFrame::new(plane.normal, plane.centroid);
    // The outline is right within a fraction of a cell, which holds some points: 2 % here.
    for (piece, (size, holes)) in plane.pieces.iter().zip([(21.0, 1), (10.0, 0)]) {
        assert!((piece.area / size - 1.0).abs() < 0.02, "{} of {size}", piece.area);
        assert_eq!(piece.boundary.holes.len(), holes);
        let rings = rings(&piece.boundary, &frame);
        assert_valid(&rings);
        let covered: f64 = rings.iter().map(|ring| area(ring)).sum();
        assert!((covered / piece.area - 1.0).abs() < 1e-8, "{covered} {}", piece.area);
        for vertex in piece.boundary.exterior.iter().chain(piece.boundary.holes.iter().flatten()) {
            // A unit in the last place at 4600000 is 1e-9.
            let off = dot(plane.normal, *vertex) - plane.offset;
            assert!(off.abs() < 1e-8, "{off}");
        }
    }
    assert_eq!(plane.area, plane.pieces.iter().map(|piece| piece.area).sum::<f64>());
}

#[test]
fn labels_by_piece_agree_with_ids_counts_and_places() {
    let points = parted();
    for options in
        [Options::default(), Options { mode: Mode::OnePass, top: Some(3), ..Options::default() }]
    {
        let found = found(&points, &options);
        let pieces: Vec<_> = found
            .planes
            .iter()
            .enumerate()
            .flat_map(|(plane, p)| p.pieces.iter().map(move |piece| (plane as i32, piece)))
            .collect();
        let mut counts = vec![0; pieces.len()];
        assert_eq!(found.piece_labels.len(), points.len());
        for (&label, &id) in found.labels.iter().zip(&found.piece_labels) {
            if id == -1 {
                // Every point of a plane hangs together with some, be it with itself alone.
                assert_eq!(label, -1);
            } else {
                assert_eq!(pieces[id as usize].0, label);
                counts[id as usize] += 1;
            }
        }
        for (id, (_, piece)) in pieces.iter().enumerate() {
            assert_eq!(piece.id as usize, id);
            assert_eq!(piece.inliers, counts[id]);
        }
        for plane in &found.planes {
            assert_eq!(plane.inliers, plane.pieces.iter().map(|piece| piece.inliers).sum::<u64>());
            assert!(plane.pieces.is_sorted_by(|a, b| a.area >= b.area));
        }
        if options.mode == Mode::Near {
            for (&id, &p) in found.piece_labels.iter().zip(&points) {
                let left = tilted().project(p)[0] < WIDE + 0.5;
                assert!(id == -1 || id == 2 || id == i32::from(!left), "{id} at {p:?}");
            }
        }
    }
}

/// The root mean square.
#[test]
fn planes_alone_are_those_with_labels() {
    let points = parted();
    for mode in [Mode::Near, Mode::OnePass] {
        let labelled = found(&points, &Options { mode, ..Options::default() });
        let alone = found(&points, &Options { mode, planes_only: true, ..Options::default() });
        let with_plane = labelled.labels.iter().filter(|&&label| label >= 0).count();
        assert_eq!(labelled.labelled(), with_plane as u64);
        assert!(with_plane > 0 && alone.labels.is_empty() && alone.piece_labels.is_empty());
        let Detection { labels, piece_labels, .. } = labelled.clone();
        assert_eq!(Detection { labels, piece_labels, ..alone }, labelled, "{mode:?}");
    }
}

fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn standard_errors_are_the_spread_of_many_fits() {
    const SIZE: [f64; 2] = [4.0, 2.0];
    let frame = tilted();
    let [mut long, mut short, mut offset] = [const { Vec::new() }; 3];
    let [mut normal_error, mut offset_error] = [const { Vec::new() }; 2];
    for seed in 0..300 {
        let points = sampled(&mut Random(seed << 32), &frame, SIZE, 1500, 0.01, |_| true);
        let found = found(&points, &Options { top: Some(1), ..Options::default() });
        let plane = &found.planes[0];
        assert!(plane.inliers > 1400, "{}", plane.inliers);
        let sign = dot(plane.normal, frame.normal).signum();
        long.push(sign * dot(plane.normal, frame.e1).to_degrees());
        short.push(sign * dot(plane.normal, frame.e2).to_degrees());
        let centroid = std::array::from_fn(|k| plane.centroid[k] - frame.origin[k]);
        offset.push(dot(frame.normal, centroid));
        normal_error.push(plane.normal_error.unwrap());
        offset_error.push(plane.offset_error.unwrap());
    }
    let ratios = [rms(&short) / rms(&normal_error), rms(&offset) / rms(&offset_error)];
    // The spread of 300 is known within 4 %.
    assert!(ratios.iter().all(|ratio| (0.85..1.15).contains(ratio)), "{ratios:?}");
    // Along the other axis the plane is twice as long, and surer.
    let along = rms(&long) / rms(&normal_error);
    assert!((0.425..0.575).contains(&along), "{along}");
}

#[test]
fn what_is_not_fitted_has_no_standard_error() {
    let options = Options { mode: Mode::OnePass, top: Some(2), ..Options::default() };
    let found = found(&parted(), &options);
    assert_eq!(found.planes.len(), 2);
    for plane in &found.planes {
        assert_eq!((plane.normal_error, plane.offset_error), (None, None));
    }
}

/// A unit vector in any direction.
fn direction(random: &mut Random) -> [f64; 3] {
    let v: [f64; 3] = std::array::from_fn(|_| gaussian(random));
    let length = dot(v, v).sqrt();
    v.map(|c| c / length)
}

/// 1100 points of a plane and 900 of another surface through it, tilted by 4 to 15 degrees, all of them in
/// one slab, with others so far away that the plane lies in the middle of a bin; and the first plane.
fn crossed(seed: u64) -> (Vec<[f64; 3]>, PlaneFrame) {
    let mut random = Random(1000 + seed);
    let normal = direction(&mut random);
    let foot = [500_000.0, 4_600_000.0, 300.0].map(|v| v + 10.0 * random.unit());
    let frame = PlaneFrame::new(normal, foot);
    let mut points = sampled(&mut random, &frame, [4.0, 4.0], 1100, 0.002, |_| true);
    // It crosses somewhere in the middle half of the square.
    let tilt = (4.0 + 11.0 * random.unit()).to_radians();
    let [at, turn] = [1.0 + 2.0 * random.unit(), std::f64::consts::TAU * random.unit()];
    for _ in 0..900 {
        let p = [4.0 * random.unit(), 4.0 * random.unit()];
        let along = (p[0] - at) * turn.cos() + (p[1] - at) * turn.sin();
        let (on, off) = (frame.lift(p), along * tilt.tan() + 0.002 * gaussian(&mut random));
        points.push(std::array::from_fn(|k| on[k] + off * frame.normal[k]));
    }
    let copy =
        PlaneFrame::new(frame.normal, std::array::from_fn(|k| foot[k] + 3.0 * frame.normal[k]));
    points.extend(sampled(&mut random, &copy, [4.0, 4.0], 300, 0.002, |_| true));
    (points, frame)
}

#[test]
fn the_least_median_of_squares_finds_the_plane_of_most_points_of_a_slab() {
    // Degrees and metres off at the middle of the square, by coarse votes and a refinement.
    let off = |seed: u64, refine: Refine| {
        let (points, frame) = crossed(seed);
        let options = Options {
            mode: Mode::OnePass,
            directions: Some("polar:45x45".parse().unwrap()),
            rho_bin: Some(3.0),
            top: Some(1),
            refine: Some(refine),
            ..Options::default()
        };
        let plane = &found(&points, &options).planes[0];
        assert!(plane.inliers >= 1950, "{seed}: {}", plane.inliers);
        let cosine = dot(plane.normal, frame.normal).abs().min(1.0);
        let distance = dot(plane.normal, frame.lift([2.0, 2.0])) - plane.offset;
        [cosine.acos().to_degrees(), distance.abs()]
    };
    let right = |refine| {
        let is_right = |&seed: &u64| {
            let [angle, distance] = off(seed, refine);
            angle <= 0.1 && distance <= 0.005
        };
        (0..100).filter(is_right).count()
    };
    let [none, ols, lms] = [Refine::None, Refine::Ols, Refine::Lms].map(right);
    assert!(lms >= 95 && ols <= 5 && none <= 5, "right of 100: {none} {ols} {lms}");
}

#[test]
fn both_faces_of_a_low_gable_are_planes() {
    // Of a roof of 3 to 8 degrees, the slab of one face holds a part of the other.
    for (slope, noise, count) in [(3.0, 0.05, 15_000), (5.0, 0.05, 15_000), (8.0, 0.05, 6_000)] {
        let mut random = Random(7);
        let rise = f64::to_radians(slope).tan();
        let mut point = || {
            let [x, y] = [14.0 * random.unit(), 10.0 * random.unit()];
            let z = 4.0 + rise * y.min(10.0 - y) + noise * gaussian(&mut random);
            [0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y, z]
        };
        let points: Vec<[f64; 3]> = (0..count).map(|_| point()).collect();
        let faces = found(&points, &Options::default()).planes;
        assert_eq!(faces.len(), 2, "{slope} degrees");
        for face in faces {
            let sine = slope.to_radians().sin();
            let [x, y, _] = face.normal;
            let [along, across] = [0.8 * x + 0.6 * y, 0.8 * y - 0.6 * x];
            let off = (across.abs() - sine).abs().max(along.abs());
            assert!(off < 0.01, "{slope} degrees: {:?}", face.normal);
            assert!(face.inliers as f64 > 0.42 * points.len() as f64, "{slope} degrees");
        }
    }
}

/// A square piece of a cylinder, `angle` radians wide, that touches `z = 0` along its middle.
fn arch(radius: f64, angle: f64) -> Vec<[f64; 3]> {
    let mut random = Random(29);
    let mut point = || {
        let [around, along] = [(); 2].map(|()| random.unit() - 0.5);
        let (sin, cos) = (angle * around).sin_cos();
        let r = radius + 0.002 * gaussian(&mut random);
        [r * sin, angle * radius * along, radius - r * cos]
    };
    (0..40_000).map(|_| point()).collect()
}

#[test]
fn with_a_tolerance_a_curved_surface_that_ends_within_it_is_a_plane() {
    // The first rises by 0.225 m; of the others, a slab of the tolerance holds a part.
    for (radius, angle, tolerance, planes) in
        [(20.0, 0.3, 0.12, 1), (20.0, 0.3, 0.3, 1), (1.0, 3.0, 0.05, 0), (1.0, 3.0, 0.2, 0)]
    {
        let options = Options { tolerance: Some(tolerance), ..Options::default() };
        let found = found(&arch(radius, angle), &options);
        let whole = found.planes.iter().filter(|plane| plane.inliers > 32_000).count();
        assert_eq!(whole, planes, "{radius} m, {tolerance} m");
        assert!(planes > 0 || found.planes.is_empty(), "{radius} m, {tolerance} m");
    }
    // Without one, its curvature shows.
    assert!(found(&arch(20.0, 0.3), &Options::default()).planes.iter().all(|p| p.inliers < 32_000));
}

#[test]
fn faces_of_a_roof_alone_are_no_slices_and_no_frame() {
    // The noise is that of a face, although wide neighbourhoods that hold several faces are flat, too.
    for (noise, count) in [(0.0, 3000), (0.001, 3000), (0.001, 10_000)] {
        let mut random = Random(11);
        let rise = f64::to_radians(10.0).tan();
        let mut point = || {
            let [x, y] = [10.0 * random.unit(), 10.0 * random.unit()];
            let edge = x.min(y).min(10.0 - x).min(10.0 - y);
            [x, y, 4.0 + rise * edge + noise * gaussian(&mut random)]
        };
        let points: Vec<[f64; 3]> = (0..count).map(|_| point()).collect();
        let detection = found(&points, &Options::default());
        assert_eq!(detection.planes.len(), 4, "{count} points, noise {noise}");
        assert!(detection.planes.iter().all(|face| face.rmse < 0.005));
        assert!(detection.parameters.viewpoint.is_none());
    }
}

/// Six houses on hills with rough ground, as an airborne scanner sees them; also the mean normals of the faces of their roofs, and points
/// in their middles.
fn village(random: &mut Random) -> (Vec<[f64; 3]>, Vec<[[f64; 3]; 2]>) {
    const HOUSES: [[f64; 2]; 6] =
        [[20.0, 20.0], [55.0, 25.0], [80.0, 60.0], [25.0, 70.0], [50.0, 90.0], [85.0, 95.0]];
    const LENGTH: f64 = 11.0;
    const DEPTH: f64 = 8.0;
    const RISE: f64 = 3.0;
    let hill = |x: f64, y: f64| 3.0 * (x / 25.0).sin() + 2.0 * (y / 18.0).cos();
    let rough = |x: f64, y: f64| 0.05 * ((x / 0.7).sin() + (y / 0.6 + x / 0.9).cos());
    let noise = |random: &mut Random| 0.03 * gaussian(random);
    let is_built = |[x, y]: [f64; 2]| {
        HOUSES.iter().any(|[a, b]| (x - a).abs() < LENGTH / 2.0 && (y - b).abs() < DEPTH / 2.0)
    };
    let mut points = Vec::new();
    for _ in 0..75_000 {
        let [x, y] = [0, 1].map(|_| 110.0 * random.unit());
        if !is_built([x, y]) {
            points.push([x, y, hill(x, y) + rough(x, y) + noise(random)]);
        }
    }
    let mut faces = Vec::new();
    for [a, b] in HOUSES {
        let eaves = hill(a, b) + 4.0;
        let roof = |y: f64| eaves + RISE * (1.0 - y.abs() / (DEPTH / 2.0));
        for _ in 0..600 {
            let (x, y) = (LENGTH * (random.unit() - 0.5), DEPTH * (random.unit() - 0.5));
            points.push([a + x, b + y, roof(y) + noise(random)]);
        }
        for side in [-1.0, 1.0] {
            let slope = side * RISE / (DEPTH / 2.0);
            let normal = [0.0, slope, 1.0].map(|v| v / (1.0 + slope * slope).sqrt());
            faces.push([normal, [a, b + side * DEPTH / 4.0, eaves + RISE / 2.0]]);
        }
    }
    (points, faces)
}

#[test]
fn roofs_among_hills_are_planes_whichever_way_the_cloud_is_turned() {
    let (points, faces) = village(&mut Random(71));
    let turns: [[[f64; 3]; 3]; 3] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]],
        [[2.0, -2.0, 1.0], [1.0, 2.0, 2.0], [-2.0, -1.0, 2.0]].map(|row| row.map(|v| v / 3.0)),
    ];
    for turn in turns {
        let turned = |p: &[f64; 3]| turn.map(|row| dot(row, *p));
        let points: Vec<[f64; 3]> = points.iter().map(turned).collect();
        let Detection { planes, parameters, .. } = found(&points, &Options::default());
        let is_found = |[normal, middle]: &&[[f64; 3]; 2]| {
            let [normal, middle] = [turned(normal), turned(middle)];
            planes.iter().any(|plane| {
                dot(plane.normal, normal).abs() > 2f64.to_radians().cos()
                    && (dot(plane.normal, middle) - plane.offset).abs() < 0.1
            })
        };
        let faces = faces.iter().filter(is_found).count();
        // Hardly anything of the ground is a plane, and no slab is so thick that it swallows a roof.
        assert!(faces >= 11 && planes.len() <= 14, "{faces} of {} planes", planes.len());
        assert!(parameters.tolerance < 0.6, "{}", parameters.tolerance);
    }
}

/// Level ground, and above it a hall of 40 x 30 m, whose roof rises at this slope towards its ridge; airborne noise of 2 cm.
fn hall(random: &mut Random, slope: f64) -> Vec<[f64; 3]> {
    let height = |x: f64, y: f64| match x.abs() < 20.0 && y.abs() < 15.0 {
        true => 6.0 + slope * (15.0 - y.abs()),
        false => 0.0,
    };
    let point = |_| {
        let (x, y) = (80.0 * (random.unit() - 0.5), 60.0 * (random.unit() - 0.5));
        [x, y, height(x, y) + 0.02 * gaussian(random)]
    };
    (0..20_000).map(point).collect()
}

#[test]
fn the_faces_of_a_hall_are_told_apart_down_to_a_slope_of_one_in_a_hundred() {
    for slope in [0.01, 0.015, 0.02, 0.035, 0.05] {
        let planes = found(&hall(&mut Random(5), slope), &Options::default()).planes;
        let mut tilts: Vec<f64> =
            planes.iter().map(|p| (p.normal[1] / p.normal[2]).atan()).collect();
        tilts.sort_by(f64::total_cmp);
        assert_eq!(tilts.len(), 3, "{slope}");
        let right = [-slope, 0.0, slope].map(f64::atan);
        assert!(tilts.iter().zip(right).all(|(a, b)| (a - b).abs() < 0.001), "{slope}: {tilts:?}");
        assert!(planes.iter().all(|p| p.rmse < 0.022 && p.normal[0].abs() < 0.001), "{slope}");
    }
    // So little is the work of drift.
    assert_eq!(found(&hall(&mut Random(5), 0.005), &Options::default()).planes.len(), 2);
}

/// A floor and a post on it, 2 m high, whose faces touch a circle of 15 cm around its axis, or a round column of this radius; noise
/// of 5 mm, points 8 mm apart.
fn post(random: &mut Random, sides: Option<u32>) -> Vec<[f64; 3]> {
    const RADIUS: f64 = 0.15;
    let floor = |random: &mut Random| {
        let [x, y] = [(); 2].map(|()| 1.5 * (random.unit() - 0.5));
        [x, y, 0.005 * gaussian(random)]
    };
    let on_post = |random: &mut Random| {
        let (turn, high) = (std::f64::consts::TAU * random.unit(), 2.0 * random.unit());
        // The direction of the face, and how far around the corner it is from the middle.
        let (normal, along) = match sides {
            None => (turn, 0.0),
            Some(sides) => {
                let half = std::f64::consts::PI / f64::from(sides);
                let normal = 2.0 * half * (turn / (2.0 * half)).floor();
                (normal + 0.3, RADIUS * half.tan() * (2.0 * random.unit() - 1.0))
            }
        };
        let ((sin, cos), away) = (normal.sin_cos(), RADIUS + 0.005 * gaussian(random));
        [away * cos - along * sin, away * sin + along * cos, high]
    };
    let points = (0..34_000).map(|_| floor(random)).collect::<Vec<_>>();
    points.into_iter().chain((0..30_000).map(|_| on_post(random))).collect()
}

#[test]
fn faces_of_a_post_are_planes_though_its_edges_turn_their_normals() {
    for seed in [5, 6, 7] {
        let count = |sides| {
            let points = post(&mut Random(seed), sides);
            let planes = found(&points, &Options::default()).planes;
            planes.iter().filter(|plane| plane.normal[2].abs() < 0.5).count()
        };
        assert_eq!((count(Some(8)), count(None)), (8, 0), "seed {seed}");
    }
}
