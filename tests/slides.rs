//! Every version of the slides' system does what its loop on the CPU does.

mod gpu;
mod random;

use gpu::gpu;
use planes::frame::Points;
use planes::papers::bench::{Bench, Mode, Row};
use planes::papers::slides::{
    Cloud, MAXRHO, MOST_WINNERS, PHIS, RADIUS, RHOS, SIZE, Slides, Suppress, THETAS, TILE, Vote,
    Winner, Winners, serial,
};
use random::Random;

/// Points of two planes and scattered ones, none on the edge of a bin for any direction: the sines
/// and cosines of two machines may differ in their last bit.
fn cloud(n: u32) -> Cloud {
    let mut random = Random(5);
    let angles: Vec<_> = (0..180).map(|i| f64::from(i).to_radians().sin_cos()).collect();
    let mut points = Vec::new();
    while points.len() < n as usize {
        let p = [0; 3].map(|_| 100.0 * random.unit() - 50.0);
        let p = match points.len() % 3 {
            0 => [p[0], p[1], 20.5],
            1 => [-33.3, p[1], p[2]],
            _ => p,
        };
        if is_inside_bins(p, &angles) {
            points.push(p);
        }
    }
    Cloud::new(points).unwrap()
}

/// Whether a point is clear of the edges of the bins, for every direction.
fn is_inside_bins([x, y, z]: [f64; 3], angles: &[(f64, f64)]) -> bool {
    (0..THETAS * PHIS).all(|i| {
        let ((st, ct), (sp, cp)) = (angles[i % THETAS], angles[i / THETAS]);
        let rho = x * sp * ct + y * sp * st + z * cp;
        (rho - rho.round()).abs() > 1e-9
    })
}

fn index(phi: usize, theta: usize, rho: usize) -> usize {
    (phi * THETAS + theta) * RHOS + rho
}

/// An accumulator that is empty but for some bins.
fn bins(some: &[(usize, u64)]) -> Vec<u64> {
    let mut accumulator = vec![0; SIZE];
    some.iter().for_each(|&(i, votes)| accumulator[i] = votes);
    accumulator
}

/// What is left of an accumulator when `keeps(bin, other)` holds for all others around a bin.
fn brute_force(accumulator: &[u64], keeps: impl Fn(u64, u64) -> bool) -> Vec<u64> {
    let around = |i: usize, size: usize| i.saturating_sub(RADIUS)..=(i + RADIUS).min(size - 1);
    let is_kept = |i: usize| {
        let (phi, theta, rho) = (i / RHOS / THETAS, i / RHOS % THETAS, i % RHOS);
        around(phi, PHIS).all(|p| {
            around(theta, THETAS).all(|t| {
                around(rho, RHOS)
                    .map(|r| index(p, t, r))
                    .all(|other| other == i || keeps(accumulator[i], accumulator[other]))
            })
        })
    };
    // What is zero stays zero.
    let left = |(i, &v): (usize, &u64)| if v > 0 && is_kept(i) { v } else { 0 };
    accumulator.iter().enumerate().map(left).collect()
}

fn best(accumulator: &[u64], count: usize) -> Vec<Winner> {
    let mut all: Vec<Winner> =
        (0..).zip(accumulator).map(|(index, &votes)| Winner { votes, index }).collect();
    all.retain(|w| w.votes > 0);
    all.sort_by_key(|w| (std::cmp::Reverse(w.votes), w.index));
    all.truncate(count);
    all
}

#[test]
fn a_point_votes_once_in_every_row() {
    let accumulator = serial::vote(&[[10.5, -20.25, 30.75]]);
    assert!(accumulator.chunks(RHOS).all(|row| row.iter().sum::<u64>() == 1));
    // φ = 0: ρ = z; φ = 90°, θ = 0: ρ = x; φ = 90°, θ = 90°: ρ = y.
    assert_eq!(accumulator[index(0, 77, MAXRHO + 30)], 1);
    assert_eq!(accumulator[index(90, 0, MAXRHO + 10)], 1);
    assert_eq!(accumulator[index(90, 90, MAXRHO - 21)], 1);
}

#[test]
fn votes_add() {
    let cloud = cloud(40);
    let (a, b) = cloud.points().split_at(13);
    let mut halves = serial::vote(a);
    serial::add_votes(b, &mut halves);
    assert!(halves == serial::vote(cloud.points()));
    assert!(serial::vote(&[]).iter().all(|&v| v == 0));
}

#[test]
fn points_off_the_axis_are_refused() {
    assert!(Cloud::new(vec![[0.0, 91.0, 0.0]]).is_ok());
    for far in [[0.0, 91.1, 0.0], [60.0, 60.0, 60.0], [f64::NAN, 0.0, 0.0]] {
        let error = Cloud::new(vec![[1.0; 3], far]).unwrap_err().to_string();
        assert!(error.contains("point 1"), "{error}");
    }
}

#[test]
fn a_scaled_cloud_fills_the_axis() {
    let points: Points = [[0.0, 3000.0, 0.0], [100.0, 0.0, -50.0]].into_iter().collect();
    let cloud = Cloud::scaled(&points, points.radius()).unwrap();
    assert_eq!(cloud.points()[0], [0.0, 90.0, 0.0]);
    // A point alone, at zero, has no extent.
    let zero: Points = [[0.0; 3]].into_iter().collect();
    assert_eq!(Cloud::scaled(&zero, zero.radius()).unwrap().points(), [[0.0; 3]]);
}

#[test]
fn the_neighbourhood_is_a_cube_that_ends_at_the_table() {
    // The loops take a minute for a whole accumulator: a slab of it is enough.
    let is_max = |accumulator: &[u64], phi: usize, theta: usize, rho: usize| {
        serial::maxima(accumulator, phi..phi + 1)[index(0, theta, rho)]
    };
    let at = index(90, 90, 90);
    for (other, is_near) in [
        (index(85, 95, 85), true),
        (index(95, 85, 95), true),
        (index(84, 90, 90), false),
        (index(90, 96, 90), false),
        (index(90, 90, 96), false),
    ] {
        let accumulator = bins(&[(at, 4), (other, 5)]);
        assert_eq!(is_max(&accumulator, 90, 90, 90), !is_near, "{other}");
        // Of equals all stay.
        assert!(is_max(&bins(&[(at, 4), (other, 4)]), 90, 90, 90));
    }
    // Near in memory, but in another row; and the corners of the table.
    let rows = bins(&[(index(20, 30, RHOS - 1), 4), (index(20, 36, 0), 5)]);
    assert!(is_max(&rows, 20, 30, RHOS - 1));
    let corners = bins(&[(0, 4), (index(5, 5, 5), 5), (SIZE - 1, 4)]);
    assert!(!is_max(&corners, 0, 0, 0) && is_max(&corners, PHIS - 1, THETAS - 1, RHOS - 1));
}

#[test]
fn suppression_equals_brute_force() {
    let accumulator = serial::vote(cloud(60).points());
    let expected = brute_force(&accumulator, |own, other| own >= other);
    let mut left = accumulator.clone();
    serial::suppress(&mut left);
    assert!(left == expected);
    // A part of the work is that part of the result.
    let maxima = serial::maxima(&accumulator, 40..42);
    assert_eq!(maxima.len(), index(2, 0, 0));
    for (i, is_max) in (index(40, 0, 0)..).zip(maxima) {
        assert_eq!(if is_max { accumulator[i] } else { 0 }, expected[i]);
    }
}

#[test]
fn winners_are_the_largest_then_the_first() {
    let accumulator = bins(&[(5, 3), (900, 8), (700, 8), (SIZE - 1, 5), (0, 1)]);
    for count in [1, 3, 5, 9] {
        let mut used = accumulator.clone();
        assert_eq!(serial::winners(&mut used, count), best(&accumulator, count));
    }
}

#[test]
fn names_tell_the_versions_apart() {
    let names = Vote::ALL.map(Vote::name);
    assert_eq!(names, ["serial", "naive-scatter", "naive-gather", "gather"]);
    assert_eq!(Suppress::ALL.map(Suppress::name), ["cpu", "naive", "tiled"]);
    assert_eq!(Winners::ALL.map(Winners::name), ["cpu", "naive", "rank-reduction"]);
}

#[test]
fn every_vote_on_the_gpu_is_that_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    // 2730 points fill the constant memory.
    for n in [0, 1, 2, 33, 2730, 2731, 6000] {
        let cloud = cloud(n);
        let (mut slides, _) = Slides::upload(&gpu, &cloud).unwrap();
        let all = serial::vote(cloud.points());
        for version in [Vote::NaiveScatter, Vote::NaiveGather, Vote::Gather] {
            slides.vote(version, usize::MAX).unwrap();
            assert!(slides.accumulator().unwrap() == all, "{}, {n} points", version.name());
        }
        if n == 33 {
            let few = serial::vote(&cloud.points()[..9]);
            slides.vote(Vote::Gather, 9).unwrap();
            assert!(slides.accumulator().unwrap() == few, "the first 9 points");
        }
        assert!(slides.vote(Vote::Serial, 1).is_err());
    }
}

#[test]
fn sixteen_bits_do_not_overflow() {
    let Some(gpu) = gpu() else { return };
    let cloud = Cloud::new(vec![[1.25, 2.375, 3.625]; 70_000]).unwrap();
    let expected: Vec<u64> =
        serial::vote(&cloud.points()[..1]).iter().map(|&v| 70_000 * v).collect();
    let (mut slides, _) = Slides::upload(&gpu, &cloud).unwrap();
    slides.vote(Vote::Gather, usize::MAX).unwrap();
    assert!(slides.accumulator().unwrap() == expected);
}

#[test]
fn every_suppression_on_the_gpu_is_that_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for n in [0, 1, 60, 3000] {
        let cloud = cloud(n);
        let (mut slides, _) = Slides::upload(&gpu, &cloud).unwrap();
        slides.vote(Vote::Gather, usize::MAX).unwrap();
        let accumulator = slides.accumulator().unwrap();
        slides.suppress(Suppress::Naive).unwrap();
        let naive = brute_force(&accumulator, |own, other| own >= other);
        assert!(slides.suppressed().unwrap() == naive, "naive, {n} points");
        slides.suppress(Suppress::Tiled).unwrap();
        let mut tiled = brute_force(&accumulator, |own, other| own > other);
        // As in the slides, nothing is left in the first tile of the axis.
        tiled.chunks_mut(RHOS).for_each(|row| row[..TILE].fill(0));
        assert!(slides.suppressed().unwrap() == tiled, "tiled, {n} points");
        assert!(slides.accumulator().unwrap() == accumulator);
        assert!(slides.suppress(Suppress::Cpu).is_err());
    }
}

#[test]
fn all_winners_on_the_gpu_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    // None and one point: no winners, and nothing but equals.
    for n in [0, 1, 60, 3000] {
        let cloud = cloud(n);
        let (mut slides, _) = Slides::upload(&gpu, &cloud).unwrap();
        slides.vote(Vote::Gather, usize::MAX).unwrap();
        for suppress in [Suppress::Naive, Suppress::Tiled] {
            slides.suppress(suppress).unwrap();
            let left = slides.suppressed().unwrap();
            for count in [1, 2, 5, 10, MOST_WINNERS] {
                let expected = best(&left, count);
                for version in [Winners::Naive, Winners::RankReduction] {
                    let (found, _) = slides.winners(version, count).unwrap();
                    let what = (version.name(), suppress.name(), n, count);
                    assert_eq!(found, expected, "{what:?}");
                }
            }
        }
        assert!(slides.winners(Winners::Cpu, 1).is_err());
        assert!(slides.winners(Winners::Naive, 0).is_err());
        assert!(slides.winners(Winners::RankReduction, MOST_WINNERS + 1).is_err());
    }
}

/// Every version's votes and winners are compared with the CPU's before it is timed.
#[test]
fn every_row_can_be_measured_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    for n in [1, 2, 5000] {
        let points: Points =
            cloud(n).points().iter().map(|p| p.map(|v| (v * 1000.0).round() as f32)).collect();
        let bench = Bench::new(Some(&gpu), &Mode::ALL);
        let measured = bench.measure(points, &[2, 10], &()).unwrap();
        let rows: Vec<_> = measured.iter().map(|m| (m.row, m.top)).collect();
        assert_eq!(rows, Row::ALL.iter().flat_map(|&r| [(r, 2), (r, 10)]).collect::<Vec<_>>());
        for m in measured {
            assert_eq!(m.points, u64::from(n));
            assert!(m.total.seconds > 0.0 && m.total.seconds < 60.0, "{m:?}");
            assert_eq!(m.transfers.runs > 0, m.row != Row::Cpu);
            assert_eq!(m.sort.is_some(), m.row == Row::Fast);
        }
    }
}
