//! Every voter gives the accumulator of the plain loop, to the vote.

mod random;

use planes::Error;
use planes::backend::{Backend, PeakOptions, Sign, Weighted};
use planes::cpu::{Cpu, InstructionSet, Voter};
use planes::cuda::Cuda;
use planes::frame::{Frame, Points};
use planes::space::{Neighbours, RhoAxis, Space, SphereIndex, cartesian, half_turn};
use planes::synth::{Scene, SceneOptions, generate};
use planes::vote::{Ballots, Peak};
use random::Random;

/// Scattered points, a dense clump and points on bin edges.
fn cloud(n: u32, seed: u64) -> Points {
    let mut random = Random(seed);
    (0..n)
        .map(|i| {
            let scale = [4001, 41, 3][i as usize % 3];
            [0; 3].map(|_| {
                (random.below(scale) as f32 - (scale / 2) as f32) * (4000 / (scale - 1)) as f32
                    / 4.0
            })
        })
        .collect()
}

fn space(name: &str, points: &Points, bin: f64) -> Space {
    let table = name.parse::<planes::space::Directions>().unwrap().table();
    Space::new(table, RhoAxis::symmetric(points.radius(), bin)).unwrap()
}

fn counts(backend: &dyn Backend, space: &Space, chunks: &[&Points]) -> Vec<u32> {
    let mut accumulator = backend.accumulator(space).unwrap();
    for points in chunks {
        accumulator.vote(points, Sign::Add).unwrap();
    }
    accumulator.counts().unwrap()
}

/// All fast voters that this machine has, by name.
fn fast_voters() -> Vec<(String, Box<dyn Backend>)> {
    let mut voters: Vec<(String, Box<dyn Backend>)> = Vec::new();
    for level in InstructionSet::ALL {
        match Cpu::with_instructions(level) {
            Some(cpu) => voters.push((level.to_string(), Box::new(cpu))),
            None => println!("skipped: this processor has no {level}"),
        }
    }
    match Cuda::new() {
        Ok(gpu) => {
            voters.push((gpu.name(), Box::new(gpu)));
            let few = Cuda::new().unwrap().with_chunk(999);
            voters.push((format!("{} in chunks", few.name()), Box::new(few)));
            // The same GPU twice counts as two, where there is but one.
            let two = if Cuda::count().unwrap() > 1 { [0, 1] } else { [0, 0] };
            let two = Cuda::on(&two).unwrap().with_chunk(2000);
            voters.push((format!("{} together", two.name()), Box::new(two)));
        }
        Err(Error::NoDevice(why)) => println!("skipped: {why}"),
        Err(broken) => panic!("{broken}"),
    }
    voters
}

#[test]
fn every_voter_equals_the_serial_loop() {
    for (n, name, bin) in [
        (0, "polar:18x18", 10.0),
        (1, "polar:18x18", 10.0),
        (2, "polar:18x18", 10.0),
        (31, "ball:10", 3.0),
        (33, "ball:10", 100.0),
        (1000, "polar:36x18", 25.0),
        (5000, "polar:20x20", 1.0),
        (40_000, "polar:12x12", 64.0),
        (3000, "ball:12", 2.0),
        (3000, "ball:30", 0.05),
    ] {
        let points = cloud(n, 7);
        let space = space(name, &points, bin);
        let expected = counts(&Cpu::new(Voter::Serial), &space, &[&points]);
        assert_eq!(
            expected.iter().map(|&v| u64::from(v)).sum::<u64>(),
            u64::from(n) * space.rows() as u64
        );
        for (voter, backend) in fast_voters() {
            let counts = counts(backend.as_ref(), &space, &[&points]);
            assert!(counts == expected, "{voter}: {n} points, {name}, bins of {bin}");
        }
    }
}

#[test]
fn points_off_the_axis_are_left_out_by_all() {
    let points = cloud(3000, 3);
    let axis = RhoAxis { min: -100.0, bin: 7.0, bins: 20 };
    let space =
        Space::new("ball:6".parse::<planes::space::Directions>().unwrap().table(), axis).unwrap();
    let expected = counts(&Cpu::new(Voter::Serial), &space, &[&points]);
    assert!(expected.iter().map(|&v| v as usize).sum::<usize>() < 3000 * space.rows());
    for (voter, backend) in fast_voters() {
        assert!(counts(backend.as_ref(), &space, &[&points]) == expected, "{voter}");
    }
}

/// Edge pixels of an image: some of its pixels, so many in a thousand, and all of a row, a column and a diagonal.
/// The origin is in the middle.
fn edge_pixels([width, height]: [u32; 2], share: u32) -> Points {
    let mut random = Random(u64::from(share));
    (0..width * height)
        .map(|i| [i % width, i / width])
        .filter(|&[x, y]| random.below(1000) < u64::from(share) || x == 20 || y == 30 || x == y)
        .map(|[x, y]| [x as f32 - (width / 2) as f32, y as f32 - (height / 2) as f32, 0.0])
        .collect()
}

/// The spaces of edge pixels: with steps fine and coarse, an odd number of rows, pixels on the edges of bins, pixels off the
/// axis on either side, and both of slopes.
fn spaces_of_lines(size: [u32; 2]) -> Vec<Space> {
    let radius = 0.5 * f64::from(size[0]).hypot(f64::from(size[1])) + 1.0;
    let polar = |rows: u32, axis: RhoAxis| Space::new(half_turn(rows), axis).unwrap();
    let mut spaces = vec![
        polar(180, RhoAxis::centred(radius, 1.0)),
        polar(180, RhoAxis::symmetric(radius, 1.0)),
        polar(1, RhoAxis::symmetric(radius, 0.5)),
        polar(13, RhoAxis::centred(radius, 3.7)),
        polar(721, RhoAxis::centred(radius, 0.3)),
        polar(90, RhoAxis { min: -9.0, bin: 1.0, bins: 11 }),
        polar(90, RhoAxis { min: 15.0, bin: 0.5, bins: 300 }),
        polar(90, RhoAxis { min: -1e7, bin: 1.0, bins: 30 }),
    ];
    spaces.extend(cartesian(size, 1.0).unwrap());
    spaces
}

#[test]
fn edge_pixels_vote_as_in_the_serial_loop() {
    let size = [151, 83];
    for share in [0, 10, 100, 500, 1000] {
        let points = edge_pixels(size, share);
        for (i, space) in spaces_of_lines(size).iter().enumerate() {
            let expected = counts(&Cpu::new(Voter::Serial), space, &[&points]);
            for (voter, backend) in fast_voters() {
                let what = format!("{voter}: {share} in 1000, space {i}");
                assert!(counts(backend.as_ref(), space, &[&points]) == expected, "{what}");
                let mut accumulator = backend.accumulator(space).unwrap();
                accumulator.vote(&points, Sign::Subtract).unwrap();
                let negative = accumulator.counts().unwrap();
                assert!(
                    negative.iter().zip(&expected).all(|(n, v)| n.wrapping_neg() == *v),
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn any_number_of_edge_pixels_and_threads_gives_the_same_votes() {
    let size = [40, 30];
    let points = edge_pixels(size, 900);
    let spaces = spaces_of_lines(size);
    for n in (0..70).chain([points.len() as u32]) {
        let points = points.select(&(0..n).collect::<Vec<_>>());
        for space in &spaces[..2] {
            let expected = counts(&Cpu::new(Voter::Serial), space, &[&points]);
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                for cpu in InstructionSet::ALL.into_iter().filter_map(Cpu::with_instructions) {
                    let own = pool.install(|| counts(&cpu, space, &[&points]));
                    assert!(own == expected, "{}: {n} points, {threads} threads", cpu.name());
                }
            }
        }
    }
}

#[test]
fn chunks_and_threads_do_not_change_the_accumulator() {
    let points = cloud(10_000, 11);
    let space = space("polar:24x24", &points, 20.0);
    let whole = counts(&Cpu::default(), &space, &[&points]);
    let all: Vec<u32> = (0..10_000).collect();
    for size in [1, 777, 9_999] {
        let chunks: Vec<Points> = if size == 1 {
            all[..64].chunks(1).chain([&all[64..]]).map(|c| points.select(c)).collect()
        } else {
            all.chunks(size).map(|c| points.select(c)).collect()
        };
        let chunks: Vec<&Points> = chunks.iter().collect();
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let chunked = pool.install(|| counts(&Cpu::default(), &space, &chunks));
            assert!(chunked == whole, "chunks of {size}, {threads} threads");
        }
    }
}

#[test]
fn subtracting_takes_back_exactly_what_was_added() {
    let (kept, gone) = (cloud(2000, 1), cloud(3000, 2));
    let space = space("ball:8", &gone, 30.0);
    let serial = [Voter::SerialF64, Voter::Serial]
        .map(|v| (format!("{v:?}"), Box::new(Cpu::new(v)) as Box<dyn Backend>));
    for (voter, cpu) in serial.into_iter().chain(fast_voters()) {
        let mut accumulator = cpu.accumulator(&space).unwrap();
        accumulator.vote(&kept, Sign::Add).unwrap();
        accumulator.vote(&gone, Sign::Add).unwrap();
        accumulator.vote(&gone, Sign::Subtract).unwrap();
        assert!(accumulator.counts().unwrap() == counts(cpu.as_ref(), &space, &[&kept]), "{voter}");
    }
}

/// The space of the papers on a scan whose density falls with the square of the distance; the same
/// with a million points is `cargo bench --bench vote -- --full`.
#[test]
fn the_street_in_the_papers_space_equals_the_serial_loop() {
    let options = SceneOptions::new(Scene::Street, 5_000);
    let chunks = generate(Scene::Street, &options).unwrap();
    let frame = Frame { origin: [0.0; 3], step: 1.0 / 1024.0 };
    let points: Points = chunks
        .flat_map(|c| {
            (0..c.len()).filter_map(|i| frame.local([c.x[i], c.y[i], c.z[i]])).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(points.len(), 5_000);
    let space = space("polar:180x180", &points, points.radius() / 90.0);
    assert_eq!(space.bins(), 184);
    let expected = counts(&Cpu::new(Voter::Serial), &space, &[&points]);
    for (voter, backend) in fast_voters() {
        assert!(counts(backend.as_ref(), &space, &[&points]) == expected, "{voter}");
    }
}

/// Ballots near their own direction, against the definition: for each ballot each near row.
#[test]
fn ballots_vote_for_the_directions_near_their_own() {
    let points = cloud(600, 5);
    let space = space("polar:30x30", &points, 40.0);
    let near = Neighbours::within(&space, 9.0).unwrap();
    let index = SphereIndex::new(space.directions(), 9.0);
    let mut random = Random(99);
    let mut rows: Vec<(u32, usize, u32)> = (0..points.len())
        .map(|i| {
            let d = space.directions()[random.below(900) as usize];
            (index.nearest(d).unwrap(), i, 1 + random.below(9) as u32)
        })
        .collect();
    rows.sort_unstable();
    let order: Vec<u32> = rows.iter().map(|r| r.1 as u32).collect();
    let ballots = Ballots {
        points: points.select(&order),
        weight: rows.iter().map(|r| r.2).collect(),
        start: (0..=space.rows() as u32)
            .map(|row| rows.partition_point(|r| r.0 < row) as u32)
            .collect(),
    };
    let mut expected = vec![0u32; space.size()];
    for (row, i, weight) in rows {
        for n in near.of(row as usize) {
            let t = space.vote_table()[n.row as usize];
            let r =
                planes::vote::bin(planes::vote::position(t, points.get(i)), space.bins()).unwrap();
            expected[n.row as usize * space.bins() + r] += weight;
        }
    }
    for (voter, backend) in fast_voters() {
        let mut accumulator = backend.accumulator(&space).unwrap();
        accumulator.vote_near(&ballots, &near, Sign::Add).unwrap();
        assert!(accumulator.counts().unwrap() == expected, "{voter}");
        accumulator.vote_near(&ballots, &near, Sign::Subtract).unwrap();
        assert!(accumulator.counts().unwrap().iter().all(|&v| v == 0), "{voter}");
    }
}

/// Peaks against the definition, with the seam and the poles in the table.
#[test]
fn peaks_equal_the_plain_definition() {
    let points = cloud(400, 21);
    let space = space("polar:24x20", &points, 80.0);
    let near = Neighbours::within(&space, 12.0).unwrap();
    let (radius, least) = (2, 5);
    let cpu = Cpu::default();
    let mut accumulator = cpu.accumulator(&space).unwrap();
    accumulator.vote(&points, Sign::Add).unwrap();
    let votes = accumulator.counts().unwrap();
    let (bins, mut expected) = (space.bins() as i64, Vec::new());
    for index in 0..space.size() {
        let (row, r) = (index / space.bins(), (index % space.bins()) as i64);
        let mut best = true;
        for n in near.of(row) {
            let middle = if n.flipped { bins - 1 - r } else { r };
            for other in middle - radius..=middle + radius {
                if (0..bins).contains(&other) {
                    let at = n.row as usize * space.bins() + other as usize;
                    best &= votes[at] < votes[index] || (votes[at] == votes[index] && at >= index);
                }
            }
        }
        if best && votes[index] >= least {
            expected.push(Peak { votes: votes[index], index: index as u32 });
        }
    }
    expected.sort_by_key(Peak::rank);
    assert!(expected.len() > 20);
    let options = |limit| PeakOptions { rho_radius: radius as u32, min_votes: least, limit };
    for (voter, backend) in fast_voters() {
        let mut accumulator = backend.accumulator(&space).unwrap();
        accumulator.vote(&points, Sign::Add).unwrap();
        assert_eq!(accumulator.peaks(&near, options(usize::MAX)).unwrap(), expected, "{voter}");
        assert_eq!(accumulator.peaks(&near, options(3)).unwrap(), expected[..3], "{voter}");
    }
}

/// So many peaks that a device does not hand over all of them.
#[test]
fn the_best_of_very_many_peaks_are_the_same_everywhere() {
    let points = cloud(30_000, 8);
    let space = space("polar:90x90", &points, 4.0);
    let near = Neighbours::within(&space, 2.5).unwrap();
    let options = |rho_radius, limit| PeakOptions { rho_radius, min_votes: 1, limit };
    let cpu = Cpu::default();
    let mut on_cpu = cpu.accumulator(&space).unwrap();
    on_cpu.vote(&points, Sign::Add).unwrap();
    let backends = fast_voters();
    for (voter, backend) in &backends {
        let mut accumulator = backend.accumulator(&space).unwrap();
        accumulator.vote(&points, Sign::Add).unwrap();
        // From narrow windows, of many peaks, to wide ones, and back: buffers are kept.
        for radius in [0, 1, 2, 6, 1000, 0] {
            let expected = on_cpu.peaks(&near, options(radius, usize::MAX)).unwrap();
            assert!(radius > 1 || expected.len() > 100_000, "{}", expected.len());
            for limit in [1, 10, 5000, usize::MAX] {
                let peaks = accumulator.peaks(&near, options(radius, limit)).unwrap();
                let expected = &expected[..expected.len().min(limit)];
                assert!(peaks[..] == *expected, "{voter}: radius {radius}, {limit}");
            }
        }
    }
}

/// A plane right on the seam is one peak, not one at either edge of the table.
#[test]
fn a_plane_on_the_seam_or_at_the_pole_is_found_once() {
    // Normals near −y/+y edge (θ ≈ 0° and 180°) and at ±z.
    for normal in [
        [1.0, 0.004, 0.3f64],
        [1.0, -0.004, 0.3],
        [0.004, -0.003, 1.0],
        [0.0, 0.0, 1.0],
        [0.003, 1.0, 0.0],
    ] {
        let length = normal.iter().map(|v| v * v).sum::<f64>().sqrt();
        let n = normal.map(|v| v / length);
        let mut random = Random(4);
        let points: Points = (0..4000)
            .map(|_| {
                let p = [0; 3].map(|_| random.below(2001) as f64 - 1000.0);
                let off = (0..3).map(|a| p[a] * n[a]).sum::<f64>() - 350.0;
                std::array::from_fn(|a| (p[a] - off * n[a]).round() as f32)
            })
            .collect();
        let space = space("polar:180x180", &points, 40.0);
        let near = Neighbours::within(&space, 8.0).unwrap();
        let cpu = Cpu::default();
        let mut accumulator = cpu.accumulator(&space).unwrap();
        accumulator.vote(&points, Sign::Add).unwrap();
        let options = PeakOptions { rho_radius: 4, min_votes: 2500, limit: 10 };
        let peaks = accumulator.peaks(&near, options).unwrap();
        assert_eq!(peaks.len(), 1, "{normal:?}: {peaks:?}");
        let (d, rho) = space.plane(peaks[0].index as usize);
        let cosine = (0..3).map(|a| d[a] * n[a]).sum::<f64>();
        assert!(cosine.abs() > 1f64.to_radians().cos(), "{normal:?} {d:?}");
        assert!((rho * cosine.signum() - 350.0).abs() < 60.0, "{normal:?} {rho}");
    }
}

/// The densest slab against its definition; with many places, which a GPU counts, and few.
#[test]
fn the_densest_slab_is_the_first_of_the_best() {
    for (n, bin, slab) in
        [(5000, 40.0, 6), (5000, 500.0, 1), (700, 0.05, 9), (40, 40.0, 6), (0, 1e3, 2)]
    {
        let (points, mut random) = (cloud(n, 77), Random(3));
        let space = space("polar:20x16", &points, bin);
        let places: Vec<Weighted> = (0..points.len())
            .map(|i| Weighted { at: points.get(i), weight: 1 + random.below(9) as u32 })
            .collect();
        let mut runs = Vec::new();
        for (row, direction) in space.vote_table().into_iter().enumerate() {
            let mut votes = vec![0u32; space.bins()];
            for place in &places {
                let at = planes::vote::position(direction, place.at);
                planes::vote::bin(at, space.bins())
                    .into_iter()
                    .for_each(|r| votes[r] += place.weight);
            }
            for first in 0..=space.bins() - slab {
                let votes: u32 = votes[first..first + slab].iter().sum();
                runs.push((std::cmp::Reverse(votes), row, first));
            }
        }
        let best = runs.into_iter().min().map(|(_, row, first)| (row, first));
        for (voter, backend) in fast_voters() {
            let found = backend.densest_slab(&space, &places, slab).unwrap();
            assert_eq!(found, best, "{voter}, {n} places");
            assert_eq!(backend.densest_slab(&space, &places, space.bins() + 1).unwrap(), None);
        }
    }
}
