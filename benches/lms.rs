//! The least median of squares line: `cargo bench --bench lms`, on a GPU if there is one.
//!
//! Sets of several kinds, since the work of the GPU's versions depends on them: random ones, a line with
//! others among it, and those in which many slabs are equally thin. The paper's own table is printed
//! by `planes bench lms`.

use planes::bench::repeat;
use planes::cuda::Cuda;
use planes::lms::{Problem, Slab, Version, sweep};
use std::hint::black_box;
use std::time::Instant;

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 33);
        (x.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 11) as f64 / (1u64 << 53) as f64
    }
}

const KINDS: [&str; 4] = ["uniform", "line", "grid", "in one line"];

/// Points of a kind.
fn points(kind: &str, n: usize, random: &mut Random) -> Vec<[f64; 2]> {
    let side = (n as f64).sqrt().ceil() as usize;
    let point = |i: usize| match kind {
        "uniform" => [random.unit(), random.unit()],
        "grid" => [(i % side) as f64, (i / side) as f64],
        "line" if random.unit() < 0.6 => {
            let x = random.unit();
            [x, 0.3 * x + 0.002 * random.unit()]
        }
        "line" => [random.unit(), random.unit()],
        _ => [i as f64, 3.0 * i as f64],
    };
    (0..n).map(point).collect()
}

fn main() {
    let gpu = Cuda::new();
    match &gpu {
        Ok(gpu) => println!("{}; milliseconds, medians of 9", gpu.device_name()),
        Err(none) => println!("{none}; milliseconds, medians of 9"),
    }
    for kind in KINDS {
        println!("\n{kind:<12}{:>10}{:>12}{:>12}{:>12}", "points", "sweep", "paper", "fast");
        for n in [128, 256, 512, 1024, 2048, 4096] {
            one(kind, n, gpu.as_ref().ok());
        }
    }
    if let Ok(gpu) = &gpu {
        many(gpu);
    }
}

/// All versions on one set.
fn one(kind: &str, n: usize, gpu: Option<&Cuda>) {
    let problem = [Problem::new(&points(kind, n, &mut Random(n as u64)), None).expect("a set")];
    let mut expected: Option<Slab> = None;
    let swept = (n <= 2048).then(|| {
        let run = || {
            let start = Instant::now();
            expected = Some(black_box(sweep(&problem[0])));
            Ok(start.elapsed().as_secs_f64())
        };
        repeat(run).expect("a time").seconds
    });
    let on_gpu = |version| {
        let mut slabs = gpu?.slabs(&problem).ok()?;
        let mut slab = None;
        let run = || {
            let (found, seconds) = slabs.find(version)?;
            slab = Some(found[0]);
            Ok(seconds)
        };
        let seconds = repeat(run).map_err(|e| println!("{e}")).ok()?.seconds;
        if let (Some(slab), Some(expected)) = (slab, expected) {
            let off = (slab.height - expected.height).abs();
            assert!(off <= 1e-6 * expected.height + 1e-12, "{kind} {n}: {slab:?} {expected:?}");
        }
        Some(seconds)
    };
    let [paper, fast] = Version::ALL.map(on_gpu);
    let text = |t: Option<f64>| t.map_or("-".into(), |t| format!("{:.4}", 1e3 * t));
    println!("{:<12}{n:>10}{:>12}{:>12}{:>12}", "", text(swept), text(paper), text(fast));
}

/// Many sets in one launch.
fn many(gpu: &Cuda) {
    println!("\n{:<12}{:>10}{:>12}", "fast", "sets", "512 points");
    for kind in ["uniform", "line"] {
        for number in [1, 4, 16, 64, 256] {
            let mut random = Random(number);
            let set = |_| Problem::new(&points(kind, 512, &mut random), None).expect("a set");
            let problems: Vec<Problem> = (0..number).map(set).collect();
            let mut slabs = gpu.slabs(&problems).expect("room");
            let time = repeat(|| Ok(slabs.find(Version::Fast)?.1)).expect("a time");
            println!("{kind:<12}{number:>10}{:>12.4}", 1e3 * time.seconds);
        }
    }
}
