//! Lines in images, as the library finds them.

use planes::backend::{Backend, Sign};
use planes::cpu::{Cpu, Voter};
use planes::eval::lines::{LineLimits, LineScores, score};
use planes::image::{EdgeMap, Image, Method};
use planes::lines::{Detection, Options, Polar, detect, detect_in};
use planes::synth::lines::{Hardness, LineOptions, draw};
use std::path::Path;

fn of_kind(kind: Hardness, seed: u64) -> (Image, LineScores) {
    let (image, truth) = draw(&LineOptions { kind, seed, ..LineOptions::default() }).unwrap();
    let found = detect(&image, &Options::default(), &Cpu::default()).unwrap();
    let scores = score(&found, &truth, LineLimits::default()).unwrap();
    (image, scores)
}

/// Precision, recall, duplicates and errors with one setting; a drawing of lines far from the limits
/// of what can be found leaves nothing to be missed.
#[test]
fn lines_of_every_kind_are_found() {
    for kind in Hardness::ALL {
        let scores: Vec<LineScores> = (101..105).map(|seed| of_kind(kind, seed).1).collect();
        let sum = |f: fn(&LineScores) -> usize| scores.iter().map(f).sum::<usize>() as f64;
        let matched = sum(|s| s.matched);
        let (precision, recall) = (matched / sum(|s| s.found), matched / sum(|s| s.truth));
        let least = if matches!(kind, Hardness::Thick | Hardness::Photo) { 0.93 } else { 0.97 };
        assert!(precision >= least && recall >= least, "{kind}: {precision} {recall}");
        assert!(sum(|s| s.duplicates) <= 0.03 * sum(|s| s.found), "{kind}");
        for scores in &scores {
            let [angle, distance] = [scores.angle.unwrap(), scores.distance.unwrap()];
            let most = if matches!(kind, Hardness::Thick | Hardness::Photo) { 0.2 } else { 0.05 };
            assert!(angle <= most && distance <= 0.25, "{kind}: {angle} {distance}");
        }
    }
}

/// Noise alone has no lines, however dense.
#[test]
fn noise_has_no_lines() {
    for kind in [Hardness::Noisy, Hardness::Dense, Hardness::Photo] {
        let options = LineOptions { kind, lines: 0, seed: 5, ..LineOptions::default() };
        let (image, truth) = draw(&options).unwrap();
        assert_eq!(truth.lines, []);
        let found = detect(&image, &Options::default(), &Cpu::default()).unwrap();
        assert_eq!(found.lines, [], "{kind}");
    }
}

fn found_with(image: &Image, cpu: &Cpu) -> Detection {
    detect(image, &Options::default(), cpu).unwrap()
}

#[test]
fn voters_agree() {
    for kind in [Hardness::Dense, Hardness::Photo] {
        let image = of_kind(kind, 3).0;
        let parallel = found_with(&image, &Cpu::default());
        assert_eq!(parallel, found_with(&image, &Cpu::new(Voter::Serial)), "{kind}");
    }
}

/// Turned by 90°, an image has its lines turned: nothing hangs on rows and columns, or on the seam.
#[test]
fn a_turned_image_has_turned_lines() {
    let (image, _) = of_kind(Hardness::Wrapped, 7);
    let (width, height) = (image.width() as usize, image.height() as usize);
    let turned: Vec<u8> = (0..width * height)
        .flat_map(|i| {
            let (x, y) = (i % height, i / height);
            [image.grey()[(height - 1 - x) * width + y]; 3]
        })
        .collect();
    let turned = Image::from_rgb(height as u32, width as u32, turned).unwrap();
    let [before, after] = [&image, &turned].map(|i| found_with(i, &Cpu::default()).lines);
    assert_eq!(before.len(), after.len());
    for line in &before {
        let theta = (line.theta + 90.0) % 180.0;
        let near = after.iter().any(|other| {
            let turn = (other.theta - theta).rem_euclid(180.0);
            turn.min(180.0 - turn) < 0.02 && other.segments.len() == line.segments.len()
        });
        assert!(near, "{line:?}");
    }
}

#[test]
fn segments_end_where_lines_do() {
    let mut rgb = vec![0; 3 * 200 * 100];
    for x in (20..80).chain(95..150) {
        rgb[3 * (50 * 200 + x)..][..3].fill(255);
    }
    let image = Image::from_rgb(200, 100, rgb).unwrap();
    let segments = |max_gap| {
        let options = Options { max_gap, ..Options::default() };
        let lines = detect(&image, &options, &Cpu::default()).unwrap().lines;
        assert_eq!(lines.len(), 1);
        assert_eq!((lines[0].theta, lines[0].rho), (90.0, 50.0));
        lines[0].segments.clone()
    };
    let ends = |s: &planes::lines::Segment| [s.start[0].round(), s.end[0].round()];
    assert_eq!(segments(10.0).iter().map(ends).collect::<Vec<_>>(), [[20.0, 79.0], [95.0, 149.0]]);
    assert_eq!(segments(20.0).iter().map(ends).collect::<Vec<_>>(), [[20.0, 149.0]]);
}

/// Both sides of a grey stroke are edges; the line is in its middle.
#[test]
fn the_sides_of_a_stroke_are_one_line() {
    let grey =
        |x: usize, y: usize| if (60..66).contains(&x) { 200u8 } else { 90 + (y % 7) as u8 * 5 };
    let rgb = (0..200 * 150).flat_map(|i| [grey(i % 200, i / 200); 3]).collect();
    let image = Image::from_rgb(200, 150, rgb).unwrap();
    let options = Options { edges: "canny:1".parse().unwrap(), ..Options::default() };
    let lines = detect(&image, &options, &Cpu::default()).unwrap().lines;
    let upright: Vec<_> = lines.iter().filter(|l| l.theta < 1.0 || l.theta > 179.0).collect();
    assert_eq!(upright.len(), 1, "{lines:?}");
    assert!((upright[0].rho.abs() - 62.5).abs() <= 0.5, "{:?}", upright[0]);
}

/// The table of votes at 1° and 1 pixel equals the definition, bin by bin.
#[test]
fn the_accumulator_is_the_definition() {
    let (image, _) = of_kind(Hardness::Noisy, 11);
    let edges = EdgeMap::find(&image, &Method::Auto).unwrap();
    let polar = Polar::top_left([image.width(), image.height()], 180, 1.0).unwrap();
    let (axis, bins) = (polar.space.rho(), polar.space.bins());
    let mut plain = vec![0u32; polar.space.size()];
    for &[x, y] in &edges.pixels {
        for (row, d) in polar.space.directions().iter().enumerate() {
            let rho = f64::from(x) * d[0] + f64::from(y) * d[1];
            plain[row * bins + (rho - axis.min).floor() as usize] += 1;
        }
    }
    let cpu = Cpu::new(Voter::SerialF64);
    let mut votes = cpu.accumulator(&polar.space).unwrap();
    votes.vote(&polar.points(edges.pixels.iter().copied()), Sign::Add).unwrap();
    assert_eq!(votes.counts().unwrap(), plain);
}

/// What OpenCV found in an image (`tests/parity.py`): the votes are ours, but for pixels that lie
/// between two bins as near as its arithmetic goes, and so are the lines.
#[test]
fn opencv_counts_the_same_votes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity");
    let text = std::fs::read_to_string(folder.join("opencv.txt")).unwrap();
    let image = Image::open(folder.join("edges.png")).unwrap();
    let edges = EdgeMap::find(&image, &Method::Drawing { dark: false }).unwrap();
    let polar = Polar::top_left([image.width(), image.height()], 180, 1.0).unwrap();
    let cpu = Cpu::new(Voter::Serial);
    let mut votes = cpu.accumulator(&polar.space).unwrap();
    votes.vote(&polar.points(edges.pixels.iter().copied()), Sign::Add).unwrap();
    let counts = votes.counts().unwrap();
    let ours = detect_in(&edges, &Options::default(), &cpu).unwrap().lines;
    let mut compared = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let numbers: Vec<f64> = line.split(' ').map(|v| v.parse().unwrap()).collect();
        let [rho, theta, expected] = numbers[..] else { panic!("{line}") };
        // OpenCV rounds ρ to the nearest bin, as an axis with a bin around zero does.
        let r = (rho - polar.space.rho().min).floor() as usize;
        let counted = counts[theta.round() as usize * polar.space.bins() + r];
        assert!((f64::from(counted) - expected).abs() <= 1.0, "{line}: {counted}");
        let same = |l: &planes::lines::Line| {
            let turn = (l.theta - theta).rem_euclid(180.0);
            let [dx, dy] = [80.0, 60.0];
            let at = |theta: f64| dx * theta.to_radians().cos() + dy * theta.to_radians().sin();
            let away = (at(l.theta) - l.rho).abs() - (at(theta) - rho).abs();
            turn.min(180.0 - turn) < 1.1 && away.abs() < 2.0
        };
        assert!(ours.iter().any(same), "{line}");
        compared += 1;
    }
    assert!(compared >= 4);
    assert_eq!(ours.len(), 4);
}

#[test]
fn edges_are_named_and_read_back() {
    for name in
        ["auto", "none", "none:dark", "sobel", "sobel:40", "canny", "canny:1.5", "canny:1,20,60"]
    {
        assert_eq!(name.parse::<Method>().unwrap().to_string(), name);
    }
    for wrong in ["", "sobel:255", "canny:9", "canny:1,60,20", "canny:1,2", "none:light", "laplace"]
    {
        assert!(wrong.parse::<Method>().is_err(), "{wrong}");
    }
}

/// A step from dark to light is one pixel wide for Canny, and the replayed method gives the same.
#[test]
fn canny_is_thin_and_can_be_replayed() {
    let (image, _) = of_kind(Hardness::Photo, 2);
    let edges = EdgeMap::find(&image, &Method::Auto).unwrap();
    assert_eq!(EdgeMap::find(&image, &edges.method).unwrap(), edges);
    let step = |x: usize| if x < 40 { 20 } else { 220 };
    let rgb = (0..80 * 60).flat_map(|i| [step(i % 80); 3]).collect();
    let image = Image::from_rgb(80, 60, rgb).unwrap();
    let edges = EdgeMap::find(&image, &Method::Canny { sigma: None, thresholds: None }).unwrap();
    assert_eq!(edges.pixels.len(), 60);
    let column = edges.pixels[0][0];
    assert!((39..=40).contains(&column) && edges.pixels.iter().all(|p| p[0] == column));
    let sobel = EdgeMap::find(&image, &Method::Sobel { threshold: None }).unwrap();
    assert_eq!(sobel.pixels.len(), 120);
}

#[test]
fn no_image_is_too_odd() {
    for (width, height, grey) in [(1, 1, 0), (1, 1, 255), (3, 1, 9), (1, 300, 255), (200, 2, 128)] {
        let rgb = vec![grey; 3 * width as usize * height as usize];
        let image = Image::from_rgb(width, height, rgb).unwrap();
        for edges in ["auto", "none", "none:dark", "sobel", "canny"] {
            let options = Options { edges: edges.parse().unwrap(), ..Options::default() };
            detect(&image, &options, &Cpu::default()).unwrap();
        }
    }
}

/// Grey values between 0 and 255 by their place and a number that is uniform in 0 ≤ u < 1.
fn strewn(size: [u32; 2], seed: u64, grey: impl Fn(&mut dyn FnMut() -> f64) -> f64) -> Image {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let pixels =
        (0..size[0] * size[1]).flat_map(|_| [grey(&mut uniform).clamp(0.0, 255.0) as u8; 3]);
    Image::from_rgb(size[0], size[1], pixels.collect()).unwrap()
}

/// Grey noise has no lines, neither inside nor along the border; one may be expected in a thousand images.
#[test]
fn grey_noise_has_no_lines() {
    let uniform = |size, seed| strewn(size, seed, |next| 256.0 * next());
    // A sum of twelve has a variance of one.
    let normal = |size, seed| {
        strewn(size, seed, |next| 128.0 + 40.0 * ((0..12).map(|_| next()).sum::<f64>() - 6.0))
    };
    let map = |size, seed| strewn(size, seed, |next| if next() < 0.1 { 255.0 } else { 0.0 });
    let mut images = Vec::new();
    for seed in 1..=14 {
        images.push(("uniform", seed, uniform([640, 480], seed)));
        images.push(("normal", seed, normal([640, 480], seed)));
        images.push(("uniform, flat", seed, uniform([800, 250], seed)));
        images.push(("edge map", seed, map([320, 240], seed)));
    }
    for (kind, seed, image) in images {
        let found = detect(&image, &Options::default(), &Cpu::default()).unwrap();
        assert_eq!(found.lines, [], "{kind}, seed {seed}");
    }
}

/// Noise along the border does not hide a frame that is there, if in pieces.
#[test]
fn lines_along_the_border_are_found() {
    let noise = strewn([640, 480], 3, |next| 130.0 + 40.0 * next());
    let mut grey = noise.grey().to_vec();
    for (i, v) in grey.iter_mut().enumerate() {
        let (x, y) = (i % 640, i / 640);
        if y < 6 || (x < 6 && y < 200) {
            *v = 10;
        }
    }
    let image = Image::from_rgb(640, 480, grey.iter().flat_map(|&v| [v; 3]).collect()).unwrap();
    let options = Options { edges: "canny:2.5".parse().unwrap(), ..Options::default() };
    let lines = detect(&image, &options, &Cpu::default()).unwrap().lines;
    let [top, left] = [90.0, 0.0].map(|theta| lines.iter().find(|l| (l.theta - theta).abs() < 0.5));
    let length = |line: &planes::lines::Line| {
        line.segments
            .iter()
            .map(|s| (s.end[0] - s.start[0]).hypot(s.end[1] - s.start[1]))
            .sum::<f64>()
    };
    assert!(top.is_some_and(|l| (l.rho - 5.5).abs() < 1.0 && length(l) > 400.0), "{lines:?}");
    assert!(left.is_some_and(|l| (l.rho - 5.5).abs() < 1.0 && length(l) > 80.0), "{lines:?}");
    assert_eq!(lines.len(), 2, "{lines:?}");
}

/// A chessboard rendered to rounded coordinates: between two columns its squares meet now on one
/// pixel, now on the next. Each line runs from border to border all the same.
#[test]
fn the_lines_of_a_chessboard_are_whole() {
    const SIDE: usize = 90;
    // The column of the middle line where each pair of rows of squares meets it, and the grey of its pixel.
    let meets = |row: usize| if row == 0 { (4 * SIDE, 239) } else { (4 * SIDE - 1, 143) };
    let grey = |x: usize, y: usize| -> u8 {
        let (row, (middle, between)) = (y / SIDE, meets(y / SIDE));
        let column = match x.cmp(&middle) {
            std::cmp::Ordering::Equal => return between,
            std::cmp::Ordering::Less if x + 3 > middle => 3,
            std::cmp::Ordering::Greater if x < middle + 3 => 4,
            _ => x / SIDE,
        };
        if (row + column).is_multiple_of(2) { 255 } else { 0 }
    };
    let pixels = (0..8 * SIDE * 8 * SIDE).flat_map(|i| [grey(i % (8 * SIDE), i / (8 * SIDE)); 3]);
    let side = 8 * SIDE as u32;
    let image = Image::from_rgb(side, side, pixels.collect()).unwrap();
    let lines = found_with(&image, &Cpu::default()).lines;
    assert_eq!(lines.len(), 14, "{lines:?}");
    for line in &lines {
        let seen: f64 = line
            .segments
            .iter()
            .map(|s| (s.end[0] - s.start[0]).hypot(s.end[1] - s.start[1]))
            .sum();
        assert!(seen > f64::from(side) - 20.0, "{line:?}");
    }
}
