//! What a GPU answers is what the CPU answers, to the last bit.
//!
//! Each test says in one line that it was skipped where there is no GPU.

mod gpu;

use gpu::gpu;
use planes::Result;
use planes::backend::Backend;
use planes::cloud::{Choice, Chunk, PointReader};
use planes::cpu::Cpu;
use planes::detect::{Loaded, Mode, Options, detect, detect_held, load, load_onto};
use planes::export::json;
use planes::lines;
use planes::lms::Refine;
use planes::synth::lines::{Hardness, LineOptions, draw};
use planes::synth::{HardPart, Scene, SceneOptions, Sensor, generate};
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
    let seen =
        |scene, sensor| (scene, SceneOptions::new(scene, 100_000).with_sensor(scene, sensor));
    let plain = SceneOptions::new(Scene::Room, 100_000);
    let clouds = [
        seen(Scene::Room, Sensor::Depth),
        seen(Scene::Room, Sensor::Photo),
        seen(Scene::Room, Sensor::Tripod),
        seen(Scene::Room, Sensor::Spinning),
        // These are searched twice, and the street is cut into cells twice.
        seen(Scene::Roofs, Sensor::Photo),
        seen(Scene::Street, Sensor::Photo),
        (Scene::Room, SceneOptions { round: Some(0.01), ..plain.clone() }),
        (Scene::Room, SceneOptions { copies: 4, ..plain }),
    ];
    for (number, (name, options)) in clouds.iter().enumerate() {
        let answer = |backend: &dyn Backend| {
            let cloud = drawn(*name, options);
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
    for kind in [Hardness::Noisy, Hardness::Photo] {
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
