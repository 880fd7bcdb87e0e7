//! What a GPU answers is what the CPU answers, to the last bit.
//!
//! Each test says in one line that it was skipped where there is no GPU.

mod gpu;
mod random;

use gpu::gpu;
use planes::Result;
use planes::backend::{Backend, LocalNoise, Sign};
use planes::cloud::{Choice, Chunk, PointReader};
use planes::cpu::Cpu;
use planes::cuda::Cuda;
use planes::detect::{Loaded, Mode, Options, detect, detect_held, load, load_onto};
use planes::export::json;
use planes::frame::Points;
use planes::lines;
use planes::lms::Refine;
use planes::space::{Directions, RhoAxis, Space};
use planes::synth::lines::{Kind, LineOptions, draw};
use planes::synth::{HardPart, Scene, SceneOptions, Sensor, generate};
use random::Random;
use std::cell::Cell;
use std::path::Path;

/// Chunks as if read from a file.
struct Chunks(Vec<Chunk>);

impl PointReader for Chunks {
    fn read(&mut self, chunk: &mut Chunk, _: usize) -> Result<()> {
        *chunk = self.0.pop().unwrap_or_default();
        Ok(())
    }
}

/// The chunks of a scene, last first.
fn chunks(scene: Scene, options: &SceneOptions) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = generate(scene, options).unwrap().collect();
    chunks.reverse();
    chunks
}

/// A scene as if read from a file.
fn scene(scene: Scene, points: u64) -> Loaded {
    drawn(scene, &SceneOptions::new(scene, points))
}

/// The same with options of its own.
fn drawn(scene: Scene, options: &SceneOptions) -> Loaded {
    let open = || Ok(Box::new(Chunks(chunks(scene, options))) as Box<dyn PointReader>);
    load(Path::new("scene"), &open, 1 << 20, &|_| {}).unwrap()
}

#[test]
fn the_same_planes_and_labels() {
    let Some(gpu) = gpu() else { return };
    for (name, points) in [
        (Scene::Room, 100_000),
        (Scene::Street, 300_000),
        (Scene::Roofs, 100_000),
        (Scene::Boards, 5_000),
    ] {
        for mode in [Mode::Near, Mode::All, Mode::OnePass] {
            let options = Options { mode, ..Options::default() };
            let answer = |backend: &dyn Backend| {
                let found = detect(scene(name, points), &options, backend, &()).unwrap();
                let mut document = Vec::new();
                json::write_json(&found, &mut document).unwrap();
                (String::from_utf8(document).unwrap(), found.labels, found.piece_labels)
            };
            let (cpu, gpu) = (answer(&Cpu::default()), answer(&gpu));
            assert!(!cpu.1.is_empty());
            assert!(cpu == gpu, "{name:?} {mode:?}");
        }
    }
}

#[test]
fn the_same_planes_as_instruments_see_them() {
    let Some(gpu) = gpu() else { return };
    let plain = SceneOptions::new(Scene::Room, 100_000);
    let clouds = [
        plain.clone().with_sensor(Scene::Room, Sensor::Depth),
        plain.clone().with_sensor(Scene::Room, Sensor::Photo),
        plain.clone().with_sensor(Scene::Room, Sensor::Tripod),
        SceneOptions { round: Some(0.01), ..plain.clone() },
        SceneOptions { copies: 4, ..plain },
    ];
    for (number, options) in clouds.iter().enumerate() {
        let answer = |backend: &dyn Backend| {
            let cloud = drawn(Scene::Room, options);
            let found = detect(cloud, &Options::default(), backend, &()).unwrap();
            let mut document = Vec::new();
            json::write_json(&found, &mut document).unwrap();
            (String::from_utf8(document).unwrap(), found.labels)
        };
        let (cpu, gpu) = (answer(&Cpu::default()), answer(&gpu));
        assert!(!cpu.1.is_empty());
        assert!(cpu == gpu, "{number}");
    }
}

#[test]
fn the_same_planes_in_large_and_odd_clouds() {
    let Some(gpu) = gpu() else { return };
    for (name, points) in [
        (Scene::Street, 1_000_000),
        (Scene::Hard(HardPart::Duplicates), 100_000),
        (Scene::Hard(HardPart::Giant), 100_000),
    ] {
        let answer = |backend: &dyn Backend| {
            let found = detect(scene(name, points), &Options::default(), backend, &()).unwrap();
            let mut document = Vec::new();
            json::write_json(&found, &mut document).unwrap();
            (String::from_utf8(document).unwrap(), found.labels)
        };
        assert!(answer(&Cpu::default()) == answer(&gpu), "{name:?}");
    }
}

#[test]
fn the_same_planes_for_points_that_came_while_they_were_read() {
    let Some(gpu) = gpu() else { return };
    // Some points are left out, so that others move up.
    let mut dirty = chunks(Scene::Street, &SceneOptions::new(Scene::Street, 2_500_000));
    let half = dirty.len() / 2;
    for chunk in &mut dirty[half..] {
        chunk.x[0] = f64::NAN;
        let middle = chunk.len() / 2;
        chunk.y[middle] = 1e30;
    }
    let open = || Ok(Box::new(Chunks(dirty.clone())) as Box<dyn PointReader>);
    let (path, asked, all) = (Path::new("scene"), Cell::new(0), Choice::default());
    let late = || {
        asked.set(asked.get() + 1);
        (asked.get() > 3).then_some(&gpu as &dyn Backend)
    };
    let (cloud, held) = load_onto(path, &open, &all, 1 << 20, &|_| {}, &late).unwrap();
    assert!(held.is_some() && asked.get() == 4);
    let whole = load(path, &open, 1 << 20, &|_| {}).unwrap();
    assert!(cloud == whole);
    for mode in [Mode::Near, Mode::All] {
        let options = Options { mode, ..Options::default() };
        let later = || load_onto(path, &open, &all, 1 << 20, &|_| {}, &|| Some(&gpu)).unwrap();
        let (cloud, held) = later();
        let found = detect_held(cloud, held, &options, &gpu, &()).unwrap();
        assert!(found == detect(whole.clone(), &options, &gpu, &()).unwrap(), "{mode:?}");
    }
}

#[test]
fn held_points_vote_as_others_do() {
    let Some(gpu) = gpu() else { return };
    let mut points = crowd();
    let directions = Directions::Polar { theta: 24, phi: 24 };
    let space = Space::new(directions.table(), RhoAxis::symmetric(points.radius(), 1e5)).unwrap();
    let mut held = gpu.hold(&points).unwrap().unwrap();
    let mut accumulator = gpu.accumulator(&space).unwrap();
    // They have no order yet.
    assert!(!accumulator.vote_held(held.as_ref(), None, Sign::Add).unwrap());
    held.cells(24, 2).unwrap().unwrap();
    assert!(held.points_in_order(&mut points).unwrap());
    let places: Vec<u32> = (0..points.len() as u32).filter(|i| i % 7 < 3).collect();
    let cpu = Cpu::default();
    let mut expected = cpu.accumulator(&space).unwrap();
    let steps = [(None, Sign::Add), (Some(&places[..]), Sign::Subtract), (Some(&[]), Sign::Add)];
    for (some, sign) in steps {
        assert!(accumulator.vote_held(held.as_ref(), some, sign).unwrap());
        expected.vote(&some.map_or(points.clone(), |some| points.select(some)), sign).unwrap();
        assert!(accumulator.counts().unwrap() == expected.counts().unwrap());
    }
    let few = Cuda::new().unwrap().with_chunk(5000);
    let mut accumulator = few.accumulator(&space).unwrap();
    assert!(!accumulator.vote_held(held.as_ref(), None, Sign::Add).unwrap());
}

#[test]
fn what_was_not_asked_for_before_is_not_answered() {
    let Some(gpu) = gpu() else { return };
    let points = crowd();
    let mut held = gpu.hold(&points).unwrap().unwrap();
    assert!(!held.judge(8, &LocalNoise::default()).unwrap());
    assert_eq!(held.thickness(1.0, 0.5).unwrap(), None);
    assert_eq!(held.surfaces(1.0).unwrap(), None);
    let cells = held.cells(24, 2).unwrap().unwrap().keys.len();
    assert!(held.judge(8, &LocalNoise::default()).unwrap());
    assert_eq!(held.surfaces(f64::INFINITY).unwrap().unwrap().len(), cells);
    held.cells(24, 2).unwrap().unwrap();
    assert_eq!(held.surfaces(1.0).unwrap(), None);
}

/// Points with copies, crowds and gaps.
fn crowd() -> Points {
    let mut random = Random(7);
    let mut random = move |below| random.below(below) as f32;
    (0..20_000)
        .map(|i| match i % 4 {
            0 => [random(1 << 24), random(1 << 24), random(1 << 24)].map(|v| v - 8_388_608.0),
            1 => [random(90), random(5000), random(3)],
            2 => [random(12), random(12), random(12)],
            _ => [random(1 << 20), -random(1 << 20), 8_388_608.0],
        })
        .collect()
}

fn interleave(cell: [u64; 3]) -> u64 {
    (0..21).map(|b| (0..3).map(|a| (cell[a] >> b & 1) << (3 * b + a)).sum::<u64>()).sum()
}

fn positive(points: &Points, i: usize) -> [u64; 3] {
    points.get(i).map(|v| (v as i64 + (1 << 23)) as u64)
}

/// The cell of `edge` steps that a point lies in; its coordinates have 21 bits.
fn cell_of(points: &Points, i: usize, edge: u64) -> [u64; 3] {
    positive(points, i).map(|v| (v / edge) & 0x1f_ffff)
}

#[test]
fn cells_are_counted_as_defined() {
    let Some(gpu) = gpu() else { return };
    let points = crowd();
    let mut held = gpu.hold(&points).unwrap().unwrap();
    let (finest, full) = (8, 6);
    let counts = held.count_cells(finest, full).unwrap().unwrap();
    let mut keys: Vec<[u64; 3]> = (0..points.len()).map(|i| cell_of(&points, i, 8)).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(counts.finest, keys.len() as u64);
    for level in 0..21 {
        let mut cells: Vec<[u64; 3]> = keys.iter().map(|k| k.map(|v| v >> level)).collect();
        cells.sort_unstable();
        let sizes: Vec<u64> = cells.chunk_by(|a, b| a == b).map(|c| c.len() as u64).collect();
        let roomy: u64 = sizes.iter().filter(|&&n| n <= u64::from(full)).sum();
        assert_eq!((counts.cells[level], counts.roomy[level]), (sizes.len() as u64, roomy));
    }
}

#[test]
fn cells_are_cut_as_defined() {
    let Some(gpu) = gpu() else { return };
    let points = crowd();
    let mut held = gpu.hold(&points).unwrap().unwrap();
    for (edge, steps) in [(8, 1), (24, 2), (1000, 4), (70_000, 300)] {
        let table = held.cells(edge, steps).unwrap().unwrap();
        let cell = |i: u32| interleave(cell_of(&points, i as usize, u64::from(edge)));
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        order.sort_by_key(|&i| (cell(i), positive(&points, i as usize), i));
        assert!(table.order == order, "edge {edge}");
        let mut rows: Vec<u32> = (0..table.keys.len() as u32).collect();
        rows.sort_by_key(|&k| {
            let first = table.order[table.starts[k as usize] as usize];
            let [x, y, z] = cell_of(&points, first as usize, u64::from(edge));
            [z, y, x]
        });
        assert!(table.by_row == rows, "edge {edge}");
        let mut row_of = vec![0; rows.len()];
        rows.iter().zip(0..).for_each(|(&k, row)| row_of[k as usize] = row);
        let mut at = 0;
        for (k, run) in order.chunk_by(|&a, &b| cell(a) == cell(b)).enumerate() {
            assert_eq!((table.keys[k], table.starts[k]), (cell(run[0]), at));
            at += run.len() as u32;
            let mut own: Vec<[u64; 3]> =
                run.iter().map(|&i| positive(&points, i as usize)).collect();
            own.dedup();
            let corner = own[0].map(|v| v / u64::from(edge) * u64::from(edge));
            let moments = table.moments[row_of[k]];
            let inside = |p: &[u64; 3], a: usize| ((p[a] - corner[a]) / u64::from(steps)) as i64;
            assert_eq!(moments.n, own.len() as i64);
            for a in 0..3 {
                assert_eq!(moments.sum[a], own.iter().map(|p| inside(p, a)).sum::<i64>());
            }
            let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            for (product, (a, b)) in moments.products.into_iter().zip(pairs) {
                assert_eq!(product, own.iter().map(|p| inside(p, a) * inside(p, b)).sum::<i64>());
            }
        }
        assert_eq!(table.keys.len(), order.chunk_by(|&a, &b| cell(a) == cell(b)).count());
    }
}

#[test]
fn every_refinement_gives_the_same_planes_and_lines() {
    let Some(gpu) = gpu() else { return };
    for mode in [Mode::Near, Mode::OnePass] {
        for refine in [Refine::None, Refine::Ols, Refine::Lms] {
            let options = Options { mode, refine: Some(refine), ..Options::default() };
            let answer = |backend: &dyn Backend| {
                let found = detect(scene(Scene::Room, 50_000), &options, backend, &()).unwrap();
                let mut document = Vec::new();
                json::write_json(&found, &mut document).unwrap();
                String::from_utf8(document).unwrap()
            };
            assert!(answer(&Cpu::default()) == answer(&gpu), "{mode:?} {refine}");
        }
    }
    for kind in [Kind::Noisy, Kind::Photo] {
        let (image, _) = draw(&LineOptions { kind, ..LineOptions::default() }).unwrap();
        for refine in Refine::ALL {
            let options = lines::Options { refine, ..lines::Options::default() };
            let answer = |backend: &dyn Backend| lines::detect(&image, &options, backend).unwrap();
            assert_eq!(answer(&Cpu::default()), answer(&gpu), "{kind:?} {refine}");
        }
    }
}

#[test]
fn the_same_sheets() {
    let Some(gpu) = gpu() else { return };
    // Nothing, too few, more than a lane keeps, and as many as a sample has.
    let sets: Vec<Vec<[f32; 3]>> = [0u32, 1, 2, 3, 4, 60, 511, 512, 513, 2048]
        .into_iter()
        .map(|n| {
            let point = |i: u32| {
                let [x, y, z] = [i * 7919 % 2003, i * 104_729 % 1999, i * 1291 % 97];
                let tilted = if i % 9 < 5 { z as f32 / 40.0 } else { 0.4 * x as f32 - 300.0 };
                [x as f32, y as f32, 0.1 * y as f32 + tilted]
            };
            (0..n).map(point).collect()
        })
        .collect();
    assert_eq!(gpu.sheets(&sets).unwrap(), Cpu::default().sheets(&sets).unwrap());
}
