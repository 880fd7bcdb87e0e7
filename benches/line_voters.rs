//! Every voter of the papers on images: time of its steps, each accumulator compared with the serial
//! loop's before it is timed.
//!
//! `cargo bench --bench line_voters` prints the tables of `results/line_voters.md`. On a machine without a
//! GPU it prints the rows of the CPU.

use planes::cpu::Cpu;
use planes::cuda::Cuda;
use planes::cuda::line_bins::Seconds;
use planes::image::{EdgeMap, Image};
use planes::line_voters::{EdgeImage, Version, cpu, slices, spaces};
use planes::lines::{BinSearch, Polar};
use planes::space::Space;
use planes::synth::lines::{Kind, LineOptions, draw};
use std::time::Instant;

/// Runs of which the median is shown.
const RUNS: usize = 9;
/// The serial loop votes with at most so many edges; it is linear in them.
const SERIAL: usize = 200_000;

fn main() {
    let gpu = Cuda::new().ok();
    let on = gpu.as_ref().map_or("no GPU".to_owned(), |gpu| gpu.device_name().to_owned());
    println!("{on}; {} threads; milliseconds, medians of {RUNS}\n", rayon::current_num_threads());

    println!("**From grey to sorted lines, 1920 × 1080, 180 directions, bins of 1 pixel**\n");
    from_grey(&gpu);

    println!("**1920 × 1080, 5.9 % edges, the papers' spaces**\n");
    let image = strewn([1920, 1080], 1920 * 1080 * 59 / 1000);
    table(&gpu, &image, &[spaces::kumar(image.size).expect("a space")], "polar, 181 angles");
    for degrees in [1.0, 3.0, 6.0] {
        let both = spaces::cartesian(image.size, degrees).expect("spaces");
        table(&gpu, &image, &both, &format!("Cartesian, two spaces, {degrees}°"));
    }

    println!("**Density of edges, 1920 × 1080, Cartesian at 1°: edges and vote**\n");
    let densities = [1, 10, 59, 160, 300, 600];
    let images = densities
        .map(|d| (format!("{} %", d as f64 / 10.0), strewn([1920, 1080], 1920 * 1080 * d / 1000)));
    sweep(
        &gpu,
        &images,
        |size| spaces::cartesian(size, 1.0).expect("spaces").to_vec(),
        &[
            Version::BraakBasic,
            Version::BraakFast,
            Version::BraakConstant,
            Version::Slices,
            Version::Lists,
            Version::Fast,
        ],
    );

    println!("**Number of edges, 4096 × 4096, Tomagou's space: vote**\n");
    let images = [1_000, 10_000, 100_000, 1_000_000, 10_000_000].map(|n| {
        let image = strewn([4096; 2], n).with_origin(spaces::tomagou_origin(4096));
        (n.to_string(), image)
    });
    sweep(
        &gpu,
        &images,
        |size| vec![spaces::tomagou(size[0]).expect("a space")],
        &[
            Version::TomagouA,
            Version::TomagouB,
            Version::TomagouC,
            Version::KumarFast,
            Version::Lists,
        ],
    );

    println!("**Number of edges, 4096 × 4096, Cartesian at 1°: edges and vote**\n");
    let images = images.map(|(name, image)| (name, image.with_origin([0, 0])));
    sweep(
        &gpu,
        &images,
        |size| spaces::cartesian(size, 1.0).expect("spaces").to_vec(),
        &[
            Version::BraakFast,
            Version::BraakConstant,
            Version::Slices,
            Version::Lists,
            Version::Fast,
        ],
    );

    println!("**Number of edges, 4096 × 4096, polar, 180 directions, bins of 1 pixel: vote**\n");
    sweep(
        &gpu,
        &images,
        |size| vec![Polar::top_left(size, 180, 1.0).expect("a space").space],
        &[Version::BraakFast, Version::TomagouB, Version::Lists],
    );
}

/// Times the way from a grey image on the device to its sorted bins, which are compared with the
/// CPU's before.
fn from_grey(gpu: &Option<Cuda>) {
    let Some(gpu) = gpu else { return println!("no GPU\n") };
    let size = [1920, 1080];
    let search = BinSearch::new(size, 180, 1.0, 1e-3).expect("a space");
    let mut bins = gpu.line_bins(&search).expect("room");
    // Each spot has eight pixels of edge around it.
    let spots = drawn(&strewn(size, 1920 * 1080 * 59 / 8000));
    let edges = drawn(&strewn(size, 1920 * 1080 * 59 / 1000));
    let lines =
        |kind| draw(&LineOptions { kind, size, ..LineOptions::default() }).expect("lines").0;
    println!("| image, edges | share | bins found | edges | vote | select | all |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, image, method) in [
        ("edge map, strewn", &edges, "none"),
        ("spots, Sobel and Otsu", &spots, "sobel"),
        ("clean lines, Sobel and Otsu", &lines(Kind::Clean), "sobel"),
        ("dense, edge map", &lines(Kind::Dense), "none"),
        ("photograph, Sobel and Otsu", &lines(Kind::Photo), "sobel"),
        ("photograph, Canny", &lines(Kind::Photo), "canny"),
        ("spots, Canny", &spots, "canny"),
    ] {
        let method = method.parse().expect("a method");
        let map = EdgeMap::find(image, &method).expect("edges");
        let expected = search.find(&map, &Cpu::default()).expect("bins");
        bins.upload(image, &method).expect("room");
        assert!(bins.find().expect("bins") == expected, "{name}");
        let runs: Vec<Seconds> = (0..RUNS).map(|_| bins.measure().expect("a run")).collect();
        let ms = |of: fn(&Seconds) -> f64| {
            let mut all: Vec<f64> = runs.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all[RUNS / 2] * 1e3
        };
        println!(
            "| {name} | {:.2} % | {} | {:.4} | {:.4} | {:.4} | {:.4} |",
            100.0 * map.pixels.len() as f64 / f64::from(size[0] * size[1]),
            expected.len(),
            ms(|s| s.edges),
            ms(|s| s.vote),
            ms(|s| s.select),
            ms(|s| s.total)
        );
    }
    println!();
}

/// White edges on black.
fn drawn(edges: &EdgeImage) -> Image {
    let [width, height] = edges.size;
    let rgb = edges.pixels.iter().flat_map(|&v| [v; 3]).collect();
    Image::from_rgb(width, height, rgb).expect("an image")
}

/// An image in which so many different pixels are edges.
fn strewn(size: [u32; 2], edges: usize) -> EdgeImage {
    let mut state = 1u64;
    let mut image = EdgeImage::new(size, []);
    let mut left = edges.min(image.pixels.len());
    while left > 0 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 20) as usize % image.pixels.len();
        left -= usize::from(image.pixels[at] == 0);
        image.pixels[at] = 255;
    }
    image
}

/// The accumulators of the serial loop.
fn expected(image: &EdgeImage, spaces: &[Space]) -> Vec<Vec<u32>> {
    spaces.iter().map(|space| cpu::all_cores(image, space)).collect()
}

/// Times every version that votes in such spaces.
fn table(gpu: &Option<Cuda>, image: &EdgeImage, spaces: &[Space], name: &str) {
    let edges = image.edges().count();
    let expected = expected(image, spaces);
    println!("| {name} | edges | vote | all | over serial |\n| --- | ---: | ---: | ---: | ---: |");
    let part = EdgeImage::new(image.size, image.edges().take(SERIAL).map(|p| p.map(|v| v as u16)))
        .with_origin(image.origin);
    let share = edges as f64 / part.edges().count() as f64;
    let serial =
        share * median(3, || clock(|| spaces.iter().for_each(|s| drop(cpu::serial(&part, s)))));
    let row = |name: &str, first: f64, vote: f64| {
        let all = first + vote;
        println!(
            "| {name} | {:.4} | {:.4} | {:.4} | {:.1} |",
            first * 1e3,
            vote * 1e3,
            all * 1e3,
            serial / all
        );
    };
    row("serial", 0.0, serial);
    let cores = || clock(|| spaces.iter().for_each(|s| drop(cpu::all_cores(image, s))));
    row("all-cores", 0.0, median(3, cores));
    if let [first, second] = spaces {
        let both = [first.clone(), second.clone()];
        let voted = slices(image, &both).expect("slices");
        assert!(voted[..] == expected[..], "slices on the CPU");
        row("slices, all cores", 0.0, median(3, || clock(|| drop(slices(image, &both)))));
    }
    if let Some(gpu) = gpu {
        let mut votes = gpu.line_votes(image, spaces).expect("room");
        for version in Version::ALL.into_iter().filter(|v| !v.is_on_the_cpu()) {
            if version.needs_slopes() && spaces.len() != 2 {
                continue;
            }
            match measured(&mut votes, version, &expected) {
                Some((first, vote)) => row(version.name(), first, vote),
                None => println!("| {} | its rows do not fit in shared memory |", version.name()),
            }
        }
    }
    println!();
}

/// Times some versions on several images.
fn sweep(
    gpu: &Option<Cuda>,
    images: &[(String, EdgeImage)],
    spaces: impl Fn([u32; 2]) -> Vec<Space>,
    versions: &[Version],
) {
    let Some(gpu) = gpu else { return println!("no GPU\n") };
    print!("| |");
    images.iter().for_each(|(name, _)| print!(" {name} |"));
    println!("\n| --- |{}", " ---: |".repeat(images.len()));
    let times: Vec<Vec<Option<(f64, f64)>>> = images
        .iter()
        .map(|(_, image)| {
            let spaces = spaces(image.size);
            let expected = expected(image, &spaces);
            let mut votes = gpu.line_votes(image, &spaces).expect("room");
            versions.iter().map(|&v| measured(&mut votes, v, &expected)).collect()
        })
        .collect();
    for (i, version) in versions.iter().enumerate() {
        print!("| {} |", version.name());
        for image in &times {
            match image[i] {
                Some((first, vote)) => print!(" {:.4} |", (first + vote) * 1e3),
                None => print!(" - |"),
            }
        }
        println!();
    }
    println!();
}

/// Seconds of the two steps of a version, once its accumulators are right; `None` where its rows
/// do not fit.
fn measured(
    votes: &mut planes::cuda::line_voters::LineVotes,
    version: Version,
    expected: &[Vec<u32>],
) -> Option<(f64, f64)> {
    votes.vote(version).ok()?;
    assert!(votes.counts().expect("counts") == expected, "{}", version.name());
    let runs: Vec<_> = (0..RUNS).map(|_| votes.vote(version).expect("a vote")).collect();
    let middle = |of: fn(&planes::cuda::line_voters::Steps) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[RUNS / 2]
    };
    Some((middle(|s| s.edges), middle(|s| s.vote)))
}

fn clock(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(runs: usize, mut run: impl FnMut() -> f64) -> f64 {
    let mut all: Vec<f64> = (0..runs).map(|_| run()).collect();
    all.sort_by(f64::total_cmp);
    all[runs / 2]
}
