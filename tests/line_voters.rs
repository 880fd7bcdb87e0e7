//! The papers' voters for lines in images: all give one accumulator.

mod gpu;
mod random;

use gpu::gpu;
use planes::backend::{Backend, Sign};
use planes::cpu::{Cpu, InstructionSet, Voter};
use planes::frame::Points;
use planes::papers::line_voters::{EdgeImage, LineVotes, Version, cpu, slices};
use planes::space::{RhoAxis, Space, cartesian, half_turn, kumar, tomagou, tomagou_origin};
use planes::{Error, Result};
use random::Random;

/// An image in which one pixel in `one_in` is an edge, and a few lines.
fn image([width, height]: [u32; 2], one_in: u64) -> EdgeImage {
    let mut random = Random(1);
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| [x as u16, y as u16]));
    let edges: Vec<[u16; 2]> = pixels
        .filter(|&[x, y]| {
            random.below(one_in) == 0 || x == 7 || x == y || u32::from(y) == height / 2
        })
        .collect();
    EdgeImage::new([width, height], edges)
}

/// What the serial voter of clouds makes of the edges.
fn reference(image: &EdgeImage, space: &Space) -> Vec<u32> {
    let [x, y] = image.origin;
    let points: Points =
        image.edges().map(|p| [(p[0] as i32 - x) as f32, (p[1] as i32 - y) as f32, 0.0]).collect();
    let backend = Cpu::new(Voter::Serial);
    let mut accumulator = backend.accumulator(space).unwrap();
    accumulator.vote(&points, Sign::Add).unwrap();
    accumulator.counts().unwrap()
}

/// Images with the spaces that they vote in.
fn cases() -> Vec<(&'static str, EdgeImage, Vec<Space>)> {
    let mut cases = Vec::new();
    for (size, one_in) in
        [([97, 61], 9), ([64, 64], 2), ([61, 130], 40), ([1, 5], 1), ([33, 1], 3), ([640, 300], 17)]
    {
        let image = image(size, one_in);
        cases.push(("kumar", image.clone(), vec![kumar(size).unwrap()]));
        for degrees in [1.0, 3.0, 6.0] {
            let both = cartesian(size, degrees).unwrap();
            cases.push(("cartesian", image.clone(), both.to_vec()));
        }
    }
    for side in [16, 64, 256] {
        let image = image([side; 2], 7).with_origin(tomagou_origin(side));
        cases.push(("tomagou", image, vec![tomagou(side).unwrap()]));
    }
    cases.push(("empty", EdgeImage::new([40, 30], []), vec![kumar([40, 30]).unwrap()]));
    cases
}

#[test]
fn the_voters_of_the_cpu_agree() {
    for (name, image, spaces) in cases() {
        for space in &spaces {
            let expected = reference(&image, space);
            assert!(expected.iter().sum::<u32>() as usize == image.edges().count() * space.rows());
            assert!(cpu::serial(&image, space) == expected, "{name} {:?}", image.size);
            assert!(cpu::all_cores(&image, space) == expected, "{name} {:?}", image.size);
        }
        if let [first, second] = &spaces[..] {
            let both = [first.clone(), second.clone()];
            let expected = both.clone().map(|space| reference(&image, &space));
            assert!(slices(&image, &both).unwrap() == expected, "{name} {:?}", image.size);
        }
    }
}

#[test]
fn the_backend_of_the_cpu_agrees_at_every_vector_width() {
    for (name, image, spaces) in cases() {
        let [x, y] = image.origin;
        let points: Points = image
            .edges()
            .map(|p| [(p[0] as i32 - x) as f32, (p[1] as i32 - y) as f32, 0.0])
            .collect();
        for cpu in InstructionSet::ALL.into_iter().filter_map(Cpu::with_instructions) {
            for space in &spaces {
                let mut accumulator = cpu.accumulator(space).unwrap();
                accumulator.vote(&points, Sign::Add).unwrap();
                let counts = accumulator.counts().unwrap();
                assert!(counts == reference(&image, space), "{name} {:?}: {cpu:?}", image.size);
                accumulator.vote(&points, Sign::Subtract).unwrap();
                assert!(accumulator.counts().unwrap().iter().all(|&votes| votes == 0));
            }
        }
    }
}

/// Points that lie off the axis have no vote, wherever they come in a vector.
#[test]
fn points_off_the_axis_are_left_out() {
    let points: Points = (0..50).map(|i| [(i % 7 * 9 - 30) as f32, i as f32, 0.0]).collect();
    let axis = RhoAxis { min: -10.0, bin: 1.0, bins: 21 };
    let space = Space::new(half_turn(36), axis).unwrap();
    let votes = |cpu: Cpu| {
        let mut accumulator = cpu.accumulator(&space).unwrap();
        accumulator.vote(&points, Sign::Add).unwrap();
        accumulator.counts().unwrap()
    };
    for cpu in InstructionSet::ALL.into_iter().filter_map(Cpu::with_instructions) {
        assert!(votes(cpu) == votes(Cpu::new(Voter::Serial)), "{cpu:?}");
    }
}

#[test]
fn every_voter_on_the_gpu_agrees_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for (name, image, spaces) in cases() {
        let expected: Vec<_> = spaces.iter().map(|space| reference(&image, space)).collect();
        let mut votes = LineVotes::new(&gpu, &image, &spaces).unwrap();
        let on_gpu = |v: &Version| !v.is_on_the_cpu();
        for version in Version::ALL.into_iter().filter(on_gpu) {
            if version.needs_slopes() && spaces.len() != 2 {
                assert!(votes.vote(version).is_err());
                continue;
            }
            // A copy of a long row in each bank does not fit in shared memory, and is refused.
            if let Err(e) = votes.vote(version) {
                assert!(version == Version::TomagouC && spaces[0].bins() > 1700, "{e}");
                continue;
            }
            let counts = votes.counts().unwrap();
            assert!(counts == expected, "{name} {:?}: {}", image.size, version.name());
            // Again, over what is there.
            votes.vote(version).unwrap();
            assert!(votes.counts().unwrap() == expected, "{name}: {} again", version.name());
        }
    }
}

#[test]
fn bins_above_a_threshold_are_selected() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let image = image([200, 150], 11);
    let space = kumar(image.size)?;
    let counts = cpu::serial(&image, &space);
    let mut votes = LineVotes::new(&gpu, &image, std::slice::from_ref(&space))?;
    votes.vote(Version::KumarFast)?;
    for threshold in [0, 20, 60, 100_000] {
        let indices = 0..counts.len() as u32;
        let expected: Vec<u32> = indices.filter(|&i| counts[i as usize] > threshold).collect();
        assert_eq!(votes.above(threshold)?.0, [expected]);
    }
    Ok(())
}

#[test]
fn names_tell_the_versions_apart() {
    let mut names = Version::ALL.map(Version::name);
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn versions_of_the_cpu_are_not_run_on_a_gpu() {
    let Some(gpu) = gpu() else { return };
    let image = image([20, 20], 3);
    let mut votes = LineVotes::new(&gpu, &image, &[kumar(image.size).unwrap()]).unwrap();
    for version in [Version::Serial, Version::AllCores, Version::Slices] {
        assert!(matches!(votes.vote(version), Err(Error::Parameter(_))));
    }
    assert!(LineVotes::new(&gpu, &image, &[]).is_err());
    let moved = image.with_origin([1, 0]);
    let both = cartesian(moved.size, 1.0).unwrap();
    let mut votes = LineVotes::new(&gpu, &moved, &both).unwrap();
    assert!(votes.vote(Version::BraakConstant).is_err());
    assert!(votes.vote(Version::BraakFast).is_ok());
}

#[test]
fn slopes_need_the_origin_in_the_top_left_pixel() {
    let image = image([20, 20], 3).with_origin([0, 1]);
    let both = cartesian(image.size, 1.0).unwrap();
    assert!(matches!(slices(&image, &both), Err(Error::Parameter(_))));
}
