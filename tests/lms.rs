//! The least median of squares: all versions find one slab.

mod gpu;
mod random;

use gpu::gpu;
use planes::Error;
use planes::lms::{Problem, Slab, Version, cubic, majority, sweep};
use random::Random;

type Points = Vec<[f64; 2]>;

/// Points around a line with others strewn among them.
fn noisy_line(random: &mut Random, n: usize, outliers: f64) -> Points {
    let mut point = || {
        let x = 100.0 * random.unit();
        let on = 0.7 * x - 12.0 + 0.2 * (random.unit() - 0.5);
        let y = if random.unit() < outliers { 100.0 * random.unit() } else { on };
        [x, y]
    };
    (0..n).map(|_| point()).collect()
}

/// Point sets of `n` points that are hard for one reason or another.
fn cases(seed: u64, n: usize) -> Vec<(&'static str, Points)> {
    let mut r = Random(seed);
    let make = |f: &mut dyn FnMut(usize) -> [f64; 2]| (0..n).map(f).collect::<Points>();
    let side = (n as f64).sqrt().ceil() as u64;
    let k = n as u64;
    vec![
        ("uniform", make(&mut |_| [r.unit(), r.unit()])),
        ("line", noisy_line(&mut r, n, 0.3)),
        ("line, far away", {
            let far = |[x, y]: [f64; 2]| [x + 500_000.0, y + 4_600_000.0];
            noisy_line(&mut r, n, 0.4).into_iter().map(far).collect()
        }),
        ("integers", make(&mut |_| [r.below(2 * k) as f64, r.below(2 * k) as f64])),
        ("few integers", make(&mut |_| [r.below(6) as f64, r.below(5) as f64])),
        ("columns", make(&mut |_| [r.below(3) as f64, r.unit()])),
        ("rows", make(&mut |_| [r.unit(), r.below(3) as f64])),
        ("grid", make(&mut |i| [(i as u64 % side) as f64, (i as u64 / side) as f64])),
        ("centred grid", {
            let half = (side / 2) as f64;
            make(&mut |i| [(i as u64 % side) as f64 - half, (i as u64 / side) as f64 - half])
        }),
        ("tenths", make(&mut |_| [r.below(9) as f64 * 0.1, r.below(9) as f64 * 0.1])),
        ("in one line", make(&mut |i| [3.0 * i as f64 - 7.0, 5.0 * i as f64 + 1.0])),
        ("nearly in one line", make(&mut |i| [0.1 * i as f64, 0.3 * i as f64 + 0.7])),
        ("in three lines", make(&mut |i| [i as f64, (i % 3) as f64 * (i as f64 - 20.0)])),
        ("upright", make(&mut |_| [4.0, r.unit()])),
        ("level", make(&mut |_| [r.unit(), 4.0])),
        ("one place", make(&mut |_| [0.3, -0.7])),
        ("two places", make(&mut |i| [(i % 2) as f64, (i % 2) as f64 * 0.5])),
        (
            "each twice",
            make(&mut |i| {
                let i = (i / 2) as u64;
                [(i * 7919 % 31) as f64, (i * 104729 % 37) as f64]
            }),
        ),
        (
            "a pencil",
            make(&mut |i| {
                let t = if i % 2 == 0 { 1.0 } else { -2.0 };
                [t, t * (i / 2) as f64]
            }),
        ),
        ("steep", make(&mut |_| [1e-9 * r.unit(), 1e6 * r.unit()])),
    ]
}

/// Two slabs must be one: to the last bit for integers. Of others, several may be as thin but for a
/// rounding; then either will do.
fn assert_same(found: &Slab, expected: &Slab, points: &[[f64; 2]], at: &str) {
    if points.iter().flatten().all(|v| v.fract() == 0.0) {
        return assert_eq!(found, expected, "{at}");
    }
    let near = |a: f64, b: f64, slack: f64| (a - b).abs() <= 1e-6 * a.abs().max(b.abs()) + slack;
    let slack = 1e-12 * size(points);
    let message = format!("{at}: {found:?}, not {expected:?}");
    assert!(near(found.height, expected.height, slack), "{message}");
    let is_twin = || {
        let rounding = 1e-12 * size(points);
        (found.height - expected.height).abs() <= rounding && held(points, found) >= found.h
    };
    let is_one = near(found.slope, expected.slope, 1e-12)
        && near(found.intercept, expected.intercept, slack);
    assert!(is_one || is_twin(), "{message}");
}

fn size(points: &[[f64; 2]]) -> f64 {
    points.iter().flatten().fold(0.0, |most, v| v.abs().max(most))
}

/// Numbers of points that a slab may be asked to hold.
fn numbers(n: usize) -> Vec<usize> {
    let mut numbers = vec![1, 2, 3, n / 4, majority(n), 3 * n / 4, n];
    numbers.retain(|h| (1..=n).contains(h));
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The points that a slab holds, if it is a little thicker.
fn held(points: &[[f64; 2]], slab: &Slab) -> usize {
    let slack = 1e-9 * (slab.height + slab.slope.abs() * size(points) + size(points));
    points.iter().filter(|&&p| slab.residual(p).abs() <= slab.height / 2.0 + slack).count()
}

#[test]
fn the_cubic_one_is_thinnest_over_all_slopes() {
    for (name, points) in cases(1, 17) {
        for h in numbers(points.len()) {
            let slab = cubic(&Problem::new(&points, Some(h)).unwrap());
            // Windows of the sorted residuals, at the slopes of all pairs and many others.
            let pairs = points.iter().flat_map(|p| points.iter().map(move |q| (p, q)));
            let slopes = pairs.filter(|(p, q)| p[0] != q[0]);
            let slopes = slopes.map(|(p, q)| (q[1] - p[1]) / (q[0] - p[0]));
            let thinnest = slopes
                .chain((-50..50).map(|i| 0.1 * f64::from(i)))
                .flat_map(|slope| {
                    let mut r: Vec<f64> = points.iter().map(|[x, y]| y - slope * x).collect();
                    r.sort_by(f64::total_cmp);
                    r.windows(h).map(|w| w[h - 1] - w[0]).collect::<Vec<_>>()
                })
                .fold(f64::INFINITY, f64::min);
            let slack = 1e-7 * thinnest + 1e-9 * size(&points);
            assert!((slab.height - thinnest).abs() <= slack, "{name} {h}: {slab:?} {thinnest}");
            assert!(held(&points, &slab) >= h, "{name} {h}: {slab:?}");
            let on_edge = |i: &usize| {
                let off = slab.residual(points[*i]).abs() - slab.height / 2.0;
                off.abs() <= 1e-9 * (1.0 + slab.slope.abs()) * size(&points)
            };
            assert!(slab.touches.iter().all(on_edge), "{name} {h}: {slab:?}");
        }
    }
}

#[test]
fn the_sweep_finds_the_slab_of_the_cubic_one() {
    for seed in 0..6 {
        for n in [1, 2, 3, 4, 5, 8, 13, 30, 41] {
            for (name, points) in cases(100 * seed + n as u64, n) {
                for h in numbers(n) {
                    let problem = Problem::new(&points, Some(h)).unwrap();
                    let at = format!("{name}, seed {seed}: {h} of {n}");
                    assert_same(&sweep(&problem), &cubic(&problem), &points, &at);
                }
            }
        }
    }
}

#[test]
fn of_equally_thin_slabs_the_flattest_counts_and_then_the_lowest() {
    // Through two corners of a square there are slabs of no height with slopes 0, 1 and -1.
    let square = [[1.0, 0.0], [2.0, 0.0], [1.0, 1.0], [2.0, 1.0]];
    let problem = Problem::new(&square, Some(2)).unwrap();
    for slab in [cubic(&problem), sweep(&problem)] {
        assert_eq!((slab.slope, slab.intercept, slab.height), (0.0, 0.0, 0.0));
        assert_eq!((slab.touches, slab.h), ([0, 1, 1], 2));
    }
    // Where all have one x, the lowest window.
    let upright = [[3.0, 4.0], [3.0, 1.0], [3.0, 2.0], [3.0, 5.0]];
    let problem = Problem::new(&upright, Some(2)).unwrap();
    for slab in [cubic(&problem), sweep(&problem)] {
        assert_eq!((slab.slope, slab.intercept, slab.height), (0.0, 1.5, 1.0));
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |points: &[[f64; 2]], h| match Problem::new(points, h) {
        Err(Error::Parameter(message)) => message,
        other => panic!("{other:?}"),
    };
    assert!(refused(&[], None).contains("not 0"));
    let two = [[0.0, 1.0], [2.0, 3.0]];
    assert!(refused(&two, Some(0)).contains("not 0"));
    assert!(refused(&two, Some(3)).contains("not 3"));
    for wrong in [f64::NAN, f64::INFINITY, -1e101] {
        assert!(refused(&[[0.0, 1.0], [2.0, wrong]], None).contains("point 1"));
    }
}

#[test]
fn the_order_of_the_points_does_not_matter() {
    for (name, points) in cases(5, 30) {
        let find = |points: &[[f64; 2]]| sweep(&Problem::new(points, None).unwrap());
        let expected = find(&points);
        for turn in 0..3 {
            let mut turned = points.clone();
            turned.rotate_left(7 * turn + 1);
            turned.reverse();
            let found = find(&turned);
            let line = |s: &Slab| (s.slope, s.intercept, s.height);
            assert_eq!(line(&found), line(&expected), "{name}");
        }
    }
}

/// All cases of some sizes, with every number of points to be held.
fn problems(sizes: &[usize]) -> Vec<(String, Points, Problem)> {
    let mut problems = Vec::new();
    for &n in sizes {
        for (name, points) in cases(n as u64, n) {
            for h in numbers(n) {
                let problem = Problem::new(&points, Some(h)).unwrap();
                problems.push((format!("{name}: {h} of {n}"), points.clone(), problem));
            }
        }
    }
    problems
}

#[test]
fn both_versions_on_the_gpu_find_the_slab_of_the_cubic_one() {
    let Some(gpu) = gpu() else { return };
    let cases = problems(&[1, 2, 3, 4, 5, 8, 13, 31, 41]);
    let problems: Vec<Problem> = cases.iter().map(|(_, _, problem)| problem.clone()).collect();
    for version in Version::ALL {
        // All sets at once.
        let slabs = gpu.lms(&problems, version).unwrap();
        for ((name, _, problem), slab) in cases.iter().zip(slabs) {
            // It measures the same slabs by the same arithmetic.
            assert_eq!(slab, cubic(problem), "{}, {name}", version.name());
        }
    }
    assert_eq!(gpu.lms(&[], Version::Fast).unwrap(), []);
}

#[test]
fn both_versions_on_the_gpu_find_the_slab_of_the_sweep() {
    let Some(gpu) = gpu() else { return };
    // Over one tile of points in shared memory, over what a lane keeps, and no powers of two.
    for (n, versions) in [(511, 2), (512, 2), (700, 2), (1100, 2), (2051, 1)] {
        let cases = cases(n, n as usize);
        let make = |(_, points): &(&str, Points)| Problem::new(points, None).unwrap();
        let problems: Vec<Problem> = cases.iter().map(make).collect();
        for version in Version::ALL.into_iter().rev().take(versions) {
            let slabs = gpu.lms(&problems, version).unwrap();
            for (((name, points), problem), slab) in cases.iter().zip(&problems).zip(slabs) {
                let at = format!("{}, {name}, {n} points", version.name());
                assert_same(&slab, &sweep(problem), points, &at);
            }
        }
    }
}

#[test]
fn the_gpu_finds_a_slab_again_and_again() {
    let Some(gpu) = gpu() else { return };
    let points = noisy_line(&mut Random(4), 70, 0.3);
    let problem = [Problem::new(&points, None).unwrap()];
    let mut slabs = gpu.slabs(&problem).unwrap();
    // Each search begins where the one before it left off.
    for version in [Version::Fast, Version::Paper, Version::Fast, Version::Fast, Version::Paper] {
        let (found, seconds) = slabs.find(version).unwrap();
        assert_eq!(found, [sweep(&problem[0])], "{}", version.name());
        assert!(seconds > 0.0);
    }
}

#[test]
fn a_slab_found_on_the_gpu_does_not_depend_on_the_other_sets() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random(9);
    let sizes = [512, 3, 2048, 64, 300, 512, 1, 1500];
    let sets = (0..64).map(|i| noisy_line(&mut random, sizes[i % sizes.len()], 0.4));
    let problems: Vec<Problem> = sets.map(|p| Problem::new(&p, None).unwrap()).collect();
    let together = gpu.lms(&problems, Version::Fast).unwrap();
    for (problem, slab) in problems.iter().zip(&together) {
        assert_eq!(gpu.lms(std::slice::from_ref(problem), Version::Fast).unwrap(), [*slab]);
        assert_eq!(*slab, sweep(problem));
    }
}

#[test]
fn large_sets_are_worked_on_in_parts() {
    let Some(gpu) = gpu() else { return };
    let points = noisy_line(&mut Random(3), 6000, 0.45);
    let slab = gpu.lms(&[Problem::new(&points, None).unwrap()], Version::Fast).unwrap()[0];
    assert!((slab.slope - 0.7).abs() < 1e-3 && slab.height < 0.25, "{slab:?}");
    assert!(held(&points, &slab) >= slab.h);
    let many = vec![[0.5, 1.0]; 40_000];
    let refused = gpu.lms(&[Problem::new(&many, None).unwrap()], Version::Fast);
    assert!(matches!(refused, Err(Error::Parameter(_))));
    let many = Problem::new(&noisy_line(&mut Random(3), 9000, 0.45), None).unwrap();
    assert!(matches!(gpu.lms(&[many], Version::Paper), Err(Error::Parameter(_))));
}
