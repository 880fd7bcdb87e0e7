//! What every backend must do, the same for each of them: the CPU, and the GPU where there is one.
//!
//! Where there is no GPU, each test says in one line that it was skipped for it.

mod gpu;
mod random;

use gpu::gpu;
use planes::backend::{Backend, InCells, Room, SEEN, Sign, Surfaces, TAKEN};
use planes::cloud::{Chunk, PointReader};
use planes::cpu::Cpu;
use planes::cuda::Cuda;
use planes::detect::{Mode, Options, detect, load};
use planes::frame::Points;
use planes::space::{Directions, RhoAxis, Space};
use planes::surface::flat::{Flatness, Surface, judge_block};
use planes::surface::layers::{Layer, Outcome, Trials};
use planes::surface::moments::Moments;
use planes::surface::noise_field::NoiseField;
use planes::surface::plane::{Claim, LocalPlane, PRESENT};
use planes::surface::present::Present;
use planes::surface::unit::{FINEST, FULL, Unit};
use planes::synth::{HardPart, Scene, SceneOptions, generate};
use planes::{Detector, Device, Error, Result};
use random::Random;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// The backends that there are; the CPU is the first.
fn backends() -> Vec<Box<dyn Backend>> {
    let mut all: Vec<Box<dyn Backend>> = vec![Box::new(Cpu::default())];
    all.extend(gpu().map(|gpu| Box::new(gpu) as Box<dyn Backend>));
    all
}

/// A random number below a bound, by its index and a seed.
fn random(i: u32, seed: u32, below: u32) -> u32 {
    Random(u64::from(i) << 32 | u64::from(seed)).below(u64::from(below)) as u32
}

/// Points with copies, crowds and gaps.
fn crowd() -> Points {
    let point = |i: u32| {
        let r = |seed: u32, below: u32| random(i, seed, below) as f32;
        match i % 4 {
            0 => [r(1, 1 << 24), r(2, 1 << 24), r(3, 1 << 24)].map(|v| v - 8_388_608.0),
            1 => [r(1, 90), r(2, 5000), r(3, 3)],
            2 => [r(1, 12), r(2, 12), r(3, 12)],
            _ => [r(1, 1 << 20), -r(2, 1 << 20), 8_388_607.0],
        }
    };
    // One cell of very many points.
    let heap = (0..40_000).map(|i| [1, 2, 3].map(|seed| 5e5 + random(i, seed, 8) as f32));
    (0..20_000).map(point).chain(heap).collect()
}

/// A tilted plane with a little roughness, and scattered points above it.
fn scene() -> Points {
    let plane = (0..20_000).map(|i| {
        let (u, v) = ((i % 141) as f32 * 500.0, (i / 141) as f32 * 500.0);
        [u, v, (u / 4.0 + ((i * 7919) % 101) as f32).round()]
    });
    let scattered = (0..600).map(|i: u32| {
        let r = |k: u32| (i.wrapping_mul(k) % 70_001) as f32;
        [r(48_271), r(69_621), 200_000.0 + r(16_807) * 4.0]
    });
    plane.chain(scattered).collect()
}

/// Two boards that lie one above the other, and points between and around them.
fn boards() -> Points {
    let board = |i: u32| {
        let height = (i % 2 * 900 + random(i, 1, 61)) as f32;
        [(i / 2 % 120 * 170) as f32, (i / 240 * 170) as f32, height]
    };
    let around = (0..3000).map(|i| [1, 2, 3].map(|seed| random(i, seed, 20_000) as f32));
    (0..30_000).map(board).chain(around).collect()
}

/// A square post, 600 wide: four faces.
fn post() -> Points {
    let point = |i: u32| {
        let along = random(i, 1, 600) as f32 - 300.0;
        let out = 300.0 + random(i, 2, 61) as f32 - 30.0;
        let [x, y] = [[out, along], [-out, along], [along, out], [along, -out]][i as usize % 4];
        [x, y, random(i, 3, 40_000) as f32]
    };
    (0..40_000).map(point).collect()
}

/// Clouds of all kinds, some of them too small to be worth a GPU's while.
fn clouds() -> Vec<Points> {
    let thrice: Vec<u32> = (0..20_600u32).flat_map(|i| [i; 3]).collect();
    let few: Vec<u32> = (0..5000).collect();
    let lattice = (0..27_000u32).map(|i| [i % 30, i / 30 % 30, i / 900].map(|v| v as f32 * 64.0));
    let wide = (0..50_000).map(|i| [1, 2, 3].map(|s| random(i, s, 1 << 24) as f32 - 8_388_608.0));
    vec![
        scene().select(&thrice),
        scene().select(&few),
        scene(),
        boards(),
        post(),
        lattice.collect(),
        wide.collect(),
        (0..5000).map(|i| [50.0 * (i % 2) as f32; 3]).collect(),
        (0..100).map(|i| [i as f32, 7.0, 0.0]).collect(),
        Points::default(),
    ]
}

/// A cloud in cells of the size that its points ask for, and their order.
fn in_cells<'a>(
    backend: &'a dyn Backend,
    points: &Points,
) -> (Vec<u32>, Box<dyn InCells<'a> + 'a>) {
    let mut held = backend.hold(Arc::new(points.clone())).unwrap();
    let unit = Unit::for_counts(&held.count_cells().unwrap());
    held.cut(unit).unwrap()
}

/// The same, judged; the points take the room of what is there before.
fn judged<'a>(backend: &'a dyn Backend, points: &Points) -> Box<dyn Surfaces<'a> + 'a> {
    in_cells(backend, points).1.judge(Room { points: points.clone(), sums: Vec::new() }).unwrap()
}

/// Noise that differs from cell to cell in a way that makes no sense, with a floor or without; below the floor there may
/// be steps.
fn strange(cells: usize, (floor, sliced): (f32, bool)) -> Arc<NoiseField> {
    let of = |times: f32| (0..cells).map(|i| times * (1 + i * 7919 % 5) as f32).collect();
    let floor = (floor > 0.0).then(|| of(floor));
    Arc::new(NoiseField { scale: Some(of(0.5)), floor, sliced, rough: None })
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
fn cells_are_counted() {
    let points = crowd();
    let finest = u64::from(FINEST);
    let mut keys: Vec<[u64; 3]> = (0..points.len()).map(|i| cell_of(&points, i, finest)).collect();
    keys.sort_unstable();
    keys.dedup();
    for backend in backends() {
        let counts = backend.hold(Arc::new(points.clone())).unwrap().count_cells().unwrap();
        assert_eq!(counts.finest, keys.len() as u64);
        assert_eq!([counts.cells.len(), counts.roomy.len()], [21; 2]);
        for level in 0..21 {
            let mut cells: Vec<[u64; 3]> = keys.iter().map(|k| k.map(|v| v >> level)).collect();
            cells.sort_unstable();
            let sizes: Vec<u64> = cells.chunk_by(|a, b| a == b).map(|c| c.len() as u64).collect();
            let roomy: u64 = sizes.iter().filter(|&&n| n <= u64::from(FULL)).sum();
            assert_eq!((counts.cells[level], counts.roomy[level]), (sizes.len() as u64, roomy));
        }
    }
}

#[test]
fn points_are_cut_into_cells() {
    let points = crowd();
    for backend in backends() {
        let mut held = backend.hold(Arc::new(points.clone())).unwrap();
        // Keys of the smallest cells do not fit 64 bits together with an index.
        for (edge, steps) in [(8, 1), (24, 2), (1000, 4), (70_000, 300), (4_000_000, 20_000)] {
            let unit = Unit { span: edge / steps, steps, doublings: 0 };
            let (order, in_cells) = held.cut(unit).unwrap();
            let sums = in_cells.sums();
            let surfaces = in_cells.judge(Room::default()).unwrap();
            let cloud = surfaces.cloud();
            let edge = u64::from(unit.span * steps);
            let cell = |i: u32| interleave(cell_of(&points, i as usize, edge));
            let mut expected: Vec<u32> = (0..points.len() as u32).collect();
            expected.sort_by_key(|&i| (cell(i), positive(&points, i as usize), i));
            assert!(order == expected, "edge {edge}");
            assert!(*cloud.points == points.select(&expected));
            let base = cloud.cells.base();
            let cells: Vec<&[u32]> = order.chunk_by(|&a, &b| cell(a) == cell(b)).collect();
            assert_eq!(base.len(), cells.len());
            let keys = (0..base.len() as u32).map(|c| interleave(base.coordinates(c)));
            assert!(keys.is_sorted_by(|a, b| a < b));
            let mut at = 0;
            for (members, c) in cells.into_iter().zip(0..) {
                assert_eq!(base.coordinates(c), cell_of(&points, members[0] as usize, edge));
                assert_eq!(cloud.cells.points_of(c as usize), at..at + members.len());
                at += members.len();
                let mut own: Vec<[u64; 3]> =
                    members.iter().map(|&i| positive(&points, i as usize)).collect();
                own.dedup();
                let corner = own[0].map(|v| v / edge * edge);
                let inside = |p: &[u64; 3], a| ((p[a] - corner[a]) / u64::from(steps)) as i64;
                let moments = base.moments(&sums, c as usize);
                assert_eq!(moments, cloud.moments(0, c));
                assert_eq!(moments.n, own.len() as i64);
                for a in 0..3 {
                    assert_eq!(moments.sum[a], own.iter().map(|p| inside(p, a)).sum::<i64>());
                }
                let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
                for (product, (a, b)) in moments.products.into_iter().zip(pairs) {
                    let sum = own.iter().map(|p| inside(p, a) * inside(p, b)).sum::<i64>();
                    assert_eq!(product, sum);
                }
            }
        }
    }
}

#[test]
fn points_that_come_one_after_the_other_are_held() {
    let points = Arc::new(scene());
    for backend in backends() {
        let mut receiver = backend.receive(points.len() + 17).unwrap();
        for ready in [0, 1, 5000, 5000, 20_000] {
            receiver.take(&points, ready).unwrap();
        }
        let mut held = receiver.finish(points.clone()).unwrap();
        let unit = Unit::for_counts(&held.count_cells().unwrap());
        let expected = in_cells(backend.as_ref(), &points);
        let (order, cells) = held.cut(unit).unwrap();
        assert!(order == expected.0);
        let surfaces = cells.judge(Room::default()).unwrap();
        assert!(*surfaces.cloud().points == points.select(&order));
    }
}

#[test]
fn blocks_are_judged() {
    for points in clouds() {
        for backend in backends() {
            let surfaces = judged(backend.as_ref(), &points);
            let cloud = surfaces.cloud().clone();
            let mut sums = cloud.sums();
            for (number, level) in cloud.cells.levels.iter().enumerate() {
                for cell in 0..level.len() as u32 {
                    let block = cloud.cells.block(number, cell);
                    let plain = judge_block(level, &sums, cell as usize, &block);
                    let same = |flat: Option<Flatness>| {
                        flat.map(|f| (f.ratio, f.thickness, f.error, f.normal))
                    };
                    assert_eq!(same(surfaces.flatness(number, cell)), same(plain));
                }
                level.join_sums(&mut sums);
            }
        }
    }
}

/// Least thicknesses, and whether there may be steps below them.
const FLOORS: [Option<(f32, bool)>; 6] = [
    None,
    Some((0.0, true)),
    Some((20.0, true)),
    Some((20.0, false)),
    Some((3000.0, true)),
    Some((3000.0, false)),
];

/// What is seen of a cloud, class after class.
type Classes = Vec<(f64, u64, Vec<Option<Surface>>)>;

/// The surfaces of a cloud, and those of what is left of it, where the noise is even, or has this floor and perhaps steps.
fn classes(backend: &dyn Backend, points: &Points, floor: Option<(f32, bool)>) -> Classes {
    let mut surfaces = judged(backend, points);
    let cloud = surfaces.cloud().clone();
    let cells = &cloud.cells;
    if let Some(floor) = floor {
        surfaces.follow(strange(cells.base().len(), floor)).unwrap();
    }
    let see = |surfaces: &mut dyn Surfaces| {
        let (thin, weight) = surfaces.thickness(f64::INFINITY, 0.25).unwrap();
        let (noise, _) = surfaces.thickness(3.0 * thin, 0.5).unwrap();
        let seen = surfaces.surfaces(3.0 * noise).unwrap();
        let seen: Vec<_> = (0..cells.base().len()).map(|cell| seen.around(cell)).collect();
        (noise, weight, seen)
    };
    let first = see(surfaces.as_mut());
    let known = |i: usize| match first.2[i] {
        Some(surface) => SEEN | if surface.level() > 0 || i.is_multiple_of(3) { TAKEN } else { 0 },
        None => 0,
    };
    let known: Vec<u8> = (0..cells.base().len()).map(known).collect();
    // Where too few points are left, nothing is marked, or the caller counts.
    if !surfaces.leave(&known, u64::MAX).unwrap() {
        assert!(see(surfaces.as_mut()) == first);
    }
    assert!(surfaces.leave(&known, 0).unwrap());
    let second = see(surfaces.as_mut());
    assert!(surfaces.leave(&known.iter().map(|k| k & TAKEN).collect::<Vec<u8>>(), 0).unwrap());
    vec![first, second, see(surfaces.as_mut())]
}

#[test]
fn surfaces_are_seen_and_left_behind() {
    let [cpu, others @ ..] = &backends()[..] else { panic!("there is a CPU") };
    let mut differ = 0;
    for points in clouds() {
        let with = |sliced: bool| classes(cpu.as_ref(), &points, Some((3000.0, sliced)));
        differ += usize::from(with(true) != with(false));
        for floor in FLOORS {
            let expected = classes(cpu.as_ref(), &points, floor);
            for backend in others {
                assert!(classes(backend.as_ref(), &points, floor) == expected, "{floor:?}");
            }
        }
    }
    assert!(differ > 0);
}

#[test]
fn a_plane_is_flat_and_scatter_is_not() {
    for backend in backends() {
        let mut surfaces = judged(backend.as_ref(), &scene());
        let cloud = surfaces.cloud().clone();
        let cells = &cloud.cells;
        let thin = surfaces.thickness(f64::INFINITY, 0.25).unwrap().0;
        let noise = surfaces.thickness(3.0 * thin, 0.5).unwrap().0;
        let seen = surfaces.surfaces(3.0 * noise).unwrap();
        let expected = [-0.25f64, 0.0, 1.0].map(|v| v / 1.0625f64.sqrt());
        let (mut on, mut flat, mut off) = (0, 0, 0);
        for cell in 0..cells.base().len() {
            let moments = cloud.moments(0, cell as u32);
            let is_low = cells.base().local(cell, moments.mean())[2] < 100_000.0;
            match seen.around(cell) {
                Some(s) if is_low => {
                    let cosine: f64 = s.normal().iter().zip(expected).map(|(a, b)| a * b).sum();
                    assert!(cosine.abs() > 5f64.to_radians().cos(), "{s:?}");
                    flat += moments.n;
                }
                Some(_) => off += moments.n,
                None => {}
            }
            on += i64::from(is_low) * moments.n;
        }
        assert_eq!(on, 20_000);
        assert!(flat > 19_900, "{flat}");
        assert!(off < 120, "{off}");
    }
}

/// What is seen of a cloud whatever the order of its points.
fn view(backend: &dyn Backend, points: &Points) -> (u64, Classes) {
    (in_cells(backend, points).1.cells().distinct, classes(backend, points, None))
}

#[test]
fn neither_the_order_of_the_points_nor_copies_matter() {
    let points = scene();
    let shuffled: Vec<u32> = (0..points.len() as u32).map(|i| i * 7919 % 20_600).collect();
    let thrice: Vec<u32> = (0..points.len() as u32).flat_map(|i| [i; 3]).collect();
    for backend in backends() {
        let expected = view(backend.as_ref(), &points);
        assert!(view(backend.as_ref(), &points.select(&shuffled)) == expected);
        assert!(view(backend.as_ref(), &points.select(&thrice)) == expected);
    }
}

/// All outcomes and layers of a cloud on its first levels, in the order of the trials.
fn layers(
    backend: &dyn Backend,
    points: &Points,
    floor: Option<(f32, bool)>,
) -> Vec<(Vec<Outcome>, Vec<Layer>)> {
    let mut surfaces = judged(backend, points);
    let cloud = surfaces.cloud().clone();
    if let Some(floor) = floor {
        surfaces.follow(strange(cloud.cells.base().len(), floor)).unwrap();
    }
    let all = cloud.cells.base().len() as u32;
    let some = |every: u32| (0..all).filter(move |i| random(*i, 9, every) == 0).collect();
    let tried = |(level, bases, noise): (usize, Vec<u32>, f64)| {
        let widest = 3.0 * cloud.cells.levels[level].size / 14.0;
        let tried = surfaces.layers(&Trials { bases: &bases, level, noise, widest }).unwrap();
        assert_eq!(tried.outcomes.len(), bases.len());
        let mut layers = tried.layers;
        layers.sort_by_key(|layer| layer.entry);
        let found = tried.outcomes.iter().filter(|&&o| o == Outcome::Found).count();
        assert_eq!(found, layers.len());
        (tried.outcomes, layers)
    };
    let noise = [20.0, 60.0];
    let trials = noise.into_iter().flat_map(|noise| {
        [(0, some(1), noise), (1, some(2), noise), (2, some(7), noise), (5, some(3), noise)]
    });
    trials.chain([(1, Vec::new(), 20.0)]).map(tried).collect()
}

#[test]
fn layers_are_found() {
    let [cpu, others @ ..] = &backends()[..] else { panic!("there is a CPU") };
    let mut found = 0;
    for points in clouds() {
        for floor in &FLOORS[..4] {
            let floor = *floor;
            let expected = layers(cpu.as_ref(), &points, floor);
            found += expected.iter().map(|tried| tried.1.len()).sum::<usize>();
            for backend in others {
                assert!(layers(backend.as_ref(), &points, floor) == expected, "{floor:?}");
            }
        }
    }
    assert!(found > 10_000, "{found}");
}

/// The weights of the right layers, and of all.
fn weights(layers: &[Layer], is_right: impl Fn(&Layer) -> bool) -> [u64; 2] {
    let of = |is_one: &dyn Fn(&Layer) -> bool| {
        layers.iter().filter(|layer| is_one(layer)).map(|layer| u64::from(layer.weight)).sum()
    };
    [of(&is_right), of(&|_| true)]
}

#[test]
fn the_two_sides_of_a_board_are_layers() {
    for backend in backends() {
        let mut surfaces = judged(backend.as_ref(), &boards());
        let cloud = surfaces.cloud().clone();
        let all: Vec<u32> = (0..cloud.cells.base().len() as u32).collect();
        let widest = 3.0 * cloud.cells.levels[1].size / 14.0;
        let trials = Trials { bases: &all, level: 1, noise: 18.0, widest };
        let tried = surfaces.layers(&trials).unwrap();
        let on_board = |layer: &Layer| {
            let z = layer.centroid[2];
            layer.normal[2].abs() > 0.98
                && ((0.0..60.0).contains(&z) || (900.0..960.0).contains(&z))
        };
        let [right, all] = weights(&tried.layers, on_board);
        assert!(right > 25_000 && all - right < 500, "{right} of {all}");
    }
}

#[test]
fn the_faces_of_a_post_are_layers() {
    for backend in backends() {
        let mut surfaces = judged(backend.as_ref(), &post());
        let cloud = surfaces.cloud().clone();
        let bases: Vec<u32> = (0..cloud.cells.base().len() as u32).collect();
        // Such a block holds all four faces, so that nothing lies along it.
        assert!((250.0..300.0).contains(&cloud.cells.levels[2].size));
        let trials = Trials { bases: &bases, level: 2, noise: 18.0, widest: 30.0 };
        let tried = surfaces.layers(&trials).unwrap();
        let on_face = |layer: &Layer| {
            let ([x, y, _], [nx, ny, _]) = (layer.centroid, layer.normal);
            let (across, along, normal) = match x.abs() > y.abs() {
                true => (x, y, nx),
                false => (y, x, ny),
            };
            (across.abs() - 300.0).abs() < 40.0 && along.abs() < 250.0 && normal.abs() > 0.98
        };
        let [right, all] = weights(&tried.layers, on_face);
        assert!(right > 25_000 && 5 * right > 4 * all, "{right} of {all}");
    }
}

#[test]
fn points_in_cells_vote_as_others_do() {
    let points = crowd();
    let directions = Directions::Polar { theta: 24, phi: 24 };
    let space = Space::new(directions.table(), RhoAxis::symmetric(points.radius(), 1e5)).unwrap();
    let cpu = Cpu::default();
    let few = gpu().map(|_| Cuda::new().unwrap().with_chunk(5000));
    let few = few.map(|gpu| Box::new(gpu) as Box<dyn Backend>);
    for backend in backends().into_iter().chain(few) {
        let mut held = backend.hold(Arc::new(points.clone())).unwrap();
        let (_, in_cells) = held.cut(Unit { span: 12, steps: 2, doublings: 0 }).unwrap();
        let surfaces = in_cells.judge(Room::default()).unwrap();
        let points = surfaces.cloud().points.clone();
        let mut votes = surfaces.accumulator(backend.as_ref(), &space).unwrap();
        let mut expected = cpu.accumulator(&space).unwrap();
        let places: Vec<u32> = (0..points.len() as u32).filter(|i| i % 7 < 3).collect();
        let steps =
            [(None, Sign::Add), (Some(&places[..]), Sign::Subtract), (Some(&[][..]), Sign::Add)];
        for (some, sign) in steps {
            votes.vote(some, sign).unwrap();
            let chosen = some.map_or(points.as_ref().clone(), |some| points.select(some));
            expected.vote(&chosen, sign).unwrap();
            assert!(votes.table().counts().unwrap() == expected.counts().unwrap());
        }
    }
}

/// A plane across an axis.
fn across(axis: usize, rho: f64, tolerance: f64) -> LocalPlane {
    let mut normal = [0.0; 3];
    normal[axis] = 1.0;
    LocalPlane { normal, rho, tolerance }
}

/// How strongly four planes claim points.
const CLAIMS: [Claim; 4] = {
    const fn claim(deviation: f64, density: f64) -> Claim {
        Claim { deviation, density }
    }
    [claim(9.0, 1.0), claim(9.0, 1.0), claim(9.0, 0.25), claim(0.5, 5.0)]
};

#[test]
fn points_go_to_their_planes() {
    let place = |i: i32| [i % 200 * 4, i / 200 * 4 - 8_000_000, i * 7 % 13].map(|v| v as f32);
    let points: Points = (0..30_000).map(place).collect();
    let first =
        [across(2, 2.0, 3.0), across(2, 6.0, 3.0), across(0, 400.0, 20.0), across(2, 9.0, 2.0)];
    let (mut second, mut third) = (first, first);
    (second[0].tolerance, second[2].rho) = (5.0, 300.0);
    (third[1].rho, third[2].rho) = (5.0, 300.0);
    // This one is present in half of the cells only.
    let mut one_more = second;
    one_more[3].tolerance = 1.0;
    for backend in backends() {
        let labels = || {
            let surfaces = judged(backend.as_ref(), &points);
            // Planes 0 and 1 are on one half, 1 to 3 on the other, the last of these in the last place.
            let cells = surfaces.cloud().cells.base().len();
            let near = |cell: usize| {
                let planes = if cell < cells / 2 { [0, 1, u32::MAX] } else { [2, 1, 3] };
                let place = |k| if k == PRESENT - 1 { Some(2) } else { Some(k).filter(|&k| k < 2) };
                std::array::from_fn(|k| place(k).map_or(u32::MAX, |k| planes[k]))
            };
            let present: Vec<[u32; PRESENT]> = (0..cells).map(near).collect();
            let all = || Present::new(cells, |range| range.map(near));
            (surfaces.present(&all, CLAIMS.to_vec()).unwrap(), present)
        };
        let surfaces = judged(backend.as_ref(), &points);
        let cloud = surfaces.cloud();
        let (mut one, present) = labels();
        // What labels say is what the definition says, and sums are those of the labelled points.
        let plain = |planes: &[LocalPlane]| {
            let mut labels = vec![-1; points.len()];
            for (cell, present) in present.iter().enumerate() {
                for i in cloud.cells.points_of(cell) {
                    let distance = |q: u32| planes[q as usize].distance(cloud.points.get(i)).abs();
                    let near = present.iter().copied().filter(|&q| q != u32::MAX);
                    let near = near.filter(|&q| distance(q) <= planes[q as usize].tolerance);
                    let cost = |q: u32| {
                        let Claim { deviation, density } = CLAIMS[q as usize];
                        let deviation = deviation.min(planes[q as usize].tolerance / 3.0);
                        0.5 * (distance(q) / deviation).powi(2) + (deviation / density).ln()
                    };
                    let best = near.reduce(|a, b| if cost(b) < cost(a) { b } else { a });
                    labels[i] = best.map_or(-1, |q| q as i32);
                }
            }
            labels
        };
        let count = |labels: &[i32], q: i32| labels.iter().filter(|&&l| l == q).count() as i64;
        let mut all = Vec::new();
        for planes in [first, second, second, one_more] {
            let sums = one.sums(&planes).unwrap();
            let labels_now = plain(&planes);
            assert!((0..4).all(|q| sums[q as usize].n == count(&labels_now, q)));
            // Those who have not seen other planes before say the same.
            assert!(labels().0.sums(&planes).unwrap() == sums);
            all.push(sums);
        }
        assert!(all[0] != all[1] && all[1] == all[2] && all[2] != all[3]);
        let becomes = [0, 1, 1, 3];
        let found = one.assign(&third, &becomes).unwrap();
        assert!(found == labels().0.assign(&third, &becomes).unwrap());
        let expected = plain(&third).into_iter().map(|q| if q == 2 { 1 } else { q });
        assert!(found.labels.iter().copied().eq(expected));
        for (q, sums) in found.sums.iter().enumerate() {
            let mut plain = Moments::default();
            for i in (0..points.len()).filter(|&i| found.labels[i] == q as i32) {
                plain.add(cloud.points.get(i).map(|v| v as i64));
            }
            assert_eq!(*sums, plain);
        }
        assert!(found.sums != all[1]);
    }
}

/// The points of a file as if read at once.
struct Whole(Option<Chunk>);

impl PointReader for Whole {
    fn read(&mut self, chunk: &mut Chunk, _: usize) -> Result<()> {
        *chunk = self.0.take().unwrap_or_default();
        Ok(())
    }
}

#[test]
fn a_gpu_hands_over_what_it_has_no_room_for() {
    let Some(gpu) = gpu() else { return };
    let options = SceneOptions::new(Scene::Hard(HardPart::Strips), 20_000);
    let chunk = generate(Scene::Hard(HardPart::Strips), &options).unwrap().next().unwrap();
    let open = || Ok(Box::new(Whole(Some(chunk.clone()))) as Box<dyn PointReader>);
    let cloud = load(Path::new("strips"), &open, 1 << 20, &|_| {}).unwrap();
    for mode in [Mode::Near, Mode::All] {
        let options = Options { mode, ..Options::default() };
        let expected = detect(cloud.clone(), &options, &Cpu::default(), &()).unwrap();
        let (mut same, mut refused) = (0, 0);
        for buffers in (0..60).chain((60..2000).step_by(37)) {
            // It fails once, wherever that is; what follows has room again.
            gpu.fail_after(buffers);
            match detect(cloud.clone(), &options, &gpu, &()) {
                Ok(found) => {
                    assert!(found == expected, "{mode:?} {buffers}");
                    same += 1;
                }
                // Votes have no other place to be.
                Err(Error::DeviceMemory { .. }) => refused += 1,
                Err(other) => panic!("{buffers}: {other}"),
            }
        }
        assert!(same > 60 && same > 3 * refused, "{same} {refused}");
    }
    gpu.fail_after(usize::MAX);
}

#[test]
fn a_gpu_serves_several_threads() {
    if gpu().is_none() {
        return;
    }
    let points: Vec<[f64; 3]> = {
        let scene = scene();
        (0..300_000).map(|i| scene.get(i % 20_600).map(f64::from)).collect()
    };
    let expected = Detector::new().device(Device::Cpu).detect(&points).unwrap();
    let detector = Detector::new().device(Device::Cuda);
    let search = || assert!(detector.detect(&points).unwrap() == expected);
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (0..6).into_par_iter().for_each(|_| search()));
    }
    std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(search))));
}
