//! Lines in images, as a user finds them.

use super::*;

/// An image of the given kind and its truth in a folder.
fn image(folder: &Path, kind: &str) -> PathBuf {
    let path = folder.join(format!("{kind}.png"));
    planes(["synth", "lines", "--kind", kind, "-o", path.to_str().unwrap()]).text();
    path
}

#[test]
fn from_image_to_score() {
    let folder = tempfile::tempdir().unwrap();
    let image = image(folder.path(), "dense");
    let out = folder.path().join("out");
    let done = detect(&image, &format!("--out {}", out.display()));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.starts_with("planes: wrote dense.csv, dense.json, "), "{}", done.err);
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    let expected = ["dense.csv", "dense.json", "dense.lines.png", "dense.space.png", "dense.svg"];
    assert_eq!(names(&out), expected);
    let truth = folder.path().join("dense.truth.json");
    let result = out.join("dense.json");
    let args = ["eval", result.to_str().unwrap(), "--truth", truth.to_str().unwrap()];
    let text = planes(args).text();
    assert!(text.contains("precision 1.000") && text.contains("12 true"), "{text}");
    let scores = json(planes([&args[..], &["--json", "-"]].concat()).text());
    assert_eq!(scores["duplicates"], 0);
    let nothing = ["eval", truth.to_str().unwrap(), "--truth", truth.to_str().unwrap()];
    assert!(planes(nothing).refusal().contains("a truth of lines, not a result"));

    let svg = std::fs::read_to_string(out.join("dense.svg")).unwrap();
    let svg = roxmltree::Document::parse(&svg).unwrap();
    let document = json(std::fs::read(&result).unwrap());
    let lines = document["lines"].as_array().unwrap();
    let segments: usize = lines.iter().map(|l| l["segments"].as_array().unwrap().len()).sum();
    assert_eq!(svg.descendants().filter(|n| n.has_tag_name("line")).count(), segments);
    let csv = std::fs::read_to_string(out.join("dense.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + segments);
    // The lines are red in the picture, and nothing else is.
    let picture = planes::image::Image::open(out.join("dense.lines.png")).unwrap();
    assert_eq!((picture.width(), picture.height()), (640, 480));
    let red = picture.rgb().chunks(3).filter(|p| *p == [255, 0, 0]).count();
    assert!((3000..10_000).contains(&red), "{red}");
}

#[test]
fn the_document_is_as_its_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let schema = json(planes(["schema", "lines"]).text());
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("lines.json", schema).unwrap();
    let schema = compiler.compile("lines.json", &mut schemas).unwrap();
    for (kind, options) in [
        ("clean", "--top 3"),
        ("thick", "--stroke sides"),
        ("photo", "--edges canny:1.5"),
        ("clean", "--device cpu --one-pass --line-space cartesian:3 --min-votes 90"),
    ] {
        let image = image(folder.path(), kind);
        let text = detect(&image, &format!("--json - {options}")).text();
        schemas.validate(&json(&text), schema).unwrap();
        assert_eq!(text, detect(&image, &format!("--json - --threads 1 {options}")).text());
    }
}

#[test]
fn a_table_names_the_lines() {
    let folder = tempfile::tempdir().unwrap();
    let text = detect(&image(folder.path(), "clean"), "--top 2").text();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains("clean.png: 2 lines in 640 × 480 pixels"), "{text}");
}

#[test]
fn clouds_and_images_in_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let image = image(folder.path(), "clean");
    let text = planes(["detect", image.to_str().unwrap(), shipped("room.ply").to_str().unwrap()]);
    let text = text.text();
    assert!(text.contains("12 lines in") && text.contains("planes hold"), "{text}");
    let piped = planes_with(["detect", "-", "--json", "-"], Some(&image)).text();
    assert_eq!(json(piped)["lines"].as_array().unwrap().len(), 12);
}

#[test]
fn options_of_the_other_kind_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let image = image(folder.path(), "clean");
    for options in
        ["--tolerance 1", "--vote near", "--ply a.ply", "--explain", "--up y", "--orient up"]
    {
        let message = detect(&image, options).refusal();
        let name = options.split(' ').next().unwrap();
        assert!(message.contains(name) && message.contains("for clouds"), "{message}");
        assert!(message.contains("clean.png"), "{message}");
    }
    let votes = detect(&image, "--min-votes 3").refusal();
    assert!(votes.ends_with("on images, --min-votes needs --one-pass"), "{votes}");
    for options in ["--edges none", "--svg a.svg", "--theta-step 1", "--min-length 5"] {
        let message = detect(&shipped("room.ply"), options).refusal();
        let name = options.split(' ').next().unwrap();
        assert!(
            message.contains(name) && message.contains("for images, and this is a cloud"),
            "{message}"
        );
    }
    assert!(detect(&image, "--svg a.png").refusal().contains(".svg"));
    assert!(detect(&image, "--theta-step 0").refusal().contains("--theta-step"));
    assert!(detect(&image, "--edges sharp").refusal().contains("canny"));
    let synth = ["synth", "room", "--kind", "clean", "-o", "room.ply"];
    assert!(planes(synth).refusal().contains("--kind"));
    let synth = ["synth", "lines", "--points", "3", "-o", "lines.png"];
    assert!(planes(synth).refusal().contains("--points"));
    assert!(planes(["synth", "lines", "-o", "lines.jpg"]).refusal().contains(".png"));
}

/// Truncated, damaged and absurd images are refused in one line; what decodes is searched.
#[test]
fn damaged_images_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(image(folder.path(), "clean")).unwrap();
    let bad = folder.path().join("bad.png");
    let absurd = {
        let mut bytes = whole.clone();
        bytes[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
        bytes
    };
    let large = b"P5 32768 32768 255 ".to_vec();
    for bytes in [whole[..9].to_vec(), whole[..whole.len() / 2].to_vec(), absurd, large] {
        std::fs::write(&bad, &bytes).unwrap();
        let message = detect(&bad, "--json out.json").refusal();
        assert!(message.contains("bad.png"), "{message}");
    }
    for at in (8..whole.len()).step_by(whole.len() / 23) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&bad, &bytes).unwrap();
        assert!(matches!(detect(&bad, "").code, Some(0 | 2)));
    }
}

/// Every format, depth and orientation gives the same pixels.
#[test]
fn images_come_in_many_ways() {
    let folder = tempfile::tempdir().unwrap();
    let path = image(folder.path(), "clean");
    let expected = detect(&path, "--json -").text();
    let grey = planes::image::Image::open(&path).unwrap();
    let pgm = folder.path().join("a.pgm");
    let mut bytes = b"P5\n# made by hand\n640 480\n255\n".to_vec();
    bytes.extend_from_slice(grey.grey());
    std::fs::write(&pgm, &bytes).unwrap();
    assert_eq!(detect(&pgm, "--json -").text(), expected);
    let deep = folder.path().join("b.pgm");
    let mut bytes = b"P5 640 480 65535\n".to_vec();
    bytes.extend(grey.grey().iter().flat_map(|&v| [v, v]));
    std::fs::write(&deep, &bytes).unwrap();
    assert_eq!(detect(&deep, "--json -").text(), expected);
    let colour = folder.path().join("c.ppm");
    let mut bytes = b"P6 640 480 255\n".to_vec();
    bytes.extend_from_slice(grey.rgb());
    std::fs::write(&colour, &bytes).unwrap();
    assert_eq!(detect(&colour, "--json -").text(), expected);
}

/// In one pass every voter and device says the same, and which it was is in the document.
#[test]
fn one_pass_by_any_voter() {
    let folder = tempfile::tempdir().unwrap();
    let image = image(folder.path(), "noisy");
    let lines = |options: &str| {
        let text = detect(&image, &format!("--json - -q --one-pass --top 20 {options}")).text();
        let mut document = json(text);
        let pass = document["parameters"].as_object_mut().unwrap().remove("one_pass").unwrap();
        (document, pass)
    };
    for space in ["", "--line-space kumar", "--line-space cartesian"] {
        let (serial, pass) = lines(&format!("{space} --line-voter serial"));
        assert_eq!(pass["voter"], "serial");
        assert_eq!(serial["lines"].as_array().unwrap().len(), 20);
        let mut others = vec!["--line-voter all-cores", "--device cpu", ""];
        if space.ends_with("cartesian") {
            others.push("--line-voter all-cores-slices");
        }
        for other in others {
            assert!(lines(&format!("{space} {other}")).0 == serial, "{space} {other}");
        }
    }
    for (options, what) in [
        ("--line-voter serial", "--one-pass"),
        ("--one-pass --line-voter quick", "quick"),
        ("--one-pass --line-space round", "round"),
        ("--one-pass --line-space tomagou", "square"),
        ("--one-pass --line-space cartesian:0", "slopes"),
        ("--one-pass --device cpu --line-voter kumar-fast", "GPU"),
    ] {
        let message = detect(&image, options).refusal();
        assert!(message.contains(what), "{options}: {message}");
    }
}

/// The same bytes with edges from a GPU, where there is one.
#[test]
fn the_same_lines_on_a_gpu() {
    if planes::cuda::Cuda::new().is_err() {
        println!("skipped: there is no GPU");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for kind in ["clean", "photo"] {
        let image = image(folder.path(), kind);
        for edges in ["auto", "sobel", "canny", "canny:1.5,30,60"] {
            let text = |device: &str| {
                detect(&image, &format!("--json - --edges {edges} --device {device}")).text()
            };
            assert!(text("cpu") == text("cuda"), "{kind} {edges}");
        }
    }
}

#[test]
fn every_refinement_finds_the_lines_and_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let image = image(folder.path(), "noisy");
    let default = json(detect(&image, "--json -").text());
    assert_eq!(default["parameters"]["refine"], "stroke");
    for refine in ["none", "ols", "lms", "stroke"] {
        let found = json(detect(&image, &format!("--refine {refine} --json -")).text());
        assert_eq!(found["parameters"]["refine"], refine);
        assert_eq!(
            found["lines"].as_array().unwrap().len(),
            default["lines"].as_array().unwrap().len(),
            "{refine}"
        );
        assert_eq!(found["lines"] == default["lines"], refine == "stroke");
    }
    let message = detect(&image, "--one-pass --refine lms").refusal();
    assert!(message.contains("--one-pass"), "{message}");
}

/// A light bar of six pixels on dark ground, as PGM.
fn bar(folder: &Path) -> PathBuf {
    let path = folder.join("bar.pgm");
    let grey =
        |x: usize, y: usize| if (60..66).contains(&x) { 200 } else { 90 + (y % 7) as u8 * 5 };
    let mut bytes = b"P5 200 150 255\n".to_vec();
    bytes.extend((0..200 * 150).map(|i| grey(i % 200, i / 200)));
    std::fs::write(&path, bytes).unwrap();
    path
}

/// The two sides of a stroke are one line or two, as is asked for.
#[test]
fn strokes_have_sides() {
    let folder = tempfile::tempdir().unwrap();
    let image = bar(folder.path());
    let text =
        |options: &str| detect(&image, &format!("--json - --edges canny:1 {options}")).text();
    let upright = |text: &str| {
        let document = json(text);
        let lines = document["lines"].as_array().unwrap();
        let upright = lines.iter().filter(|l| {
            let theta = l["theta"].as_f64().unwrap();
            theta.min(180.0 - theta) < 1.0
        });
        let mut places: Vec<f64> = upright.map(|l| l["rho"].as_f64().unwrap().abs()).collect();
        places.sort_by(f64::total_cmp);
        (places, document["parameters"]["stroke"].clone())
    };
    let (sides, name) = upright(&text("--stroke sides"));
    assert_eq!(name, "sides");
    assert!(
        sides.len() == 2 && (sides[0] - 59.5).abs() < 1.0 && (sides[1] - 65.5).abs() < 1.0,
        "{sides:?}"
    );
    let (middle, name) = upright(&text("--stroke middle"));
    assert_eq!(name, "middle");
    assert!(middle.len() == 1 && (middle[0] - 62.5).abs() < 0.5, "{middle:?}");
    assert_eq!(text("--stroke auto"), text("--stroke middle"));
    assert_eq!(text(""), text("--stroke middle"));
    assert_eq!(text("--stroke sides"), text("--stroke sides --threads 1"));
}

/// A drawing has sides, too: its edges are found as a photograph's.
#[test]
fn strokes_of_a_drawing_have_sides() {
    let folder = tempfile::tempdir().unwrap();
    let image = image(folder.path(), "thick");
    let [middle, sides] = ["middle", "sides"]
        .map(|stroke| json(detect(&image, &format!("--json - --stroke {stroke}")).text()));
    assert_eq!(middle["parameters"]["edges"], "none");
    assert!(sides["parameters"]["edges"].as_str().unwrap().starts_with("canny"));
    let [few, many] = [&middle, &sides].map(|document| document["lines"].as_array().unwrap().len());
    assert!(many >= 2 * few - 2, "{few} {many}");
    let plain = json(detect(&image, "--json - --stroke sides --edges none").text());
    assert_eq!(plain["parameters"]["edges"], "none");
}

#[test]
fn stroke_is_refused_where_it_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let image = bar(folder.path());
    let message = detect(&image, "--stroke both").refusal();
    assert!(message.contains("sides") && message.contains("middle"), "{message}");
    assert!(detect(&image, "--stroke sides --one-pass").refusal().contains("--one-pass"));
    let message = detect(&shipped("room.ply"), "--stroke sides").refusal();
    assert!(message.contains("--stroke") && message.contains("for images"), "{message}");
}

#[test]
fn the_papers_flow_needs_no_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let image = image(folder.path(), "clean");
    let text = detect(&image, "--one-pass --line-space kumar --line-voter all-cores").text();
    assert!(text.contains("10 lines"), "{text}");
    let without = "--device cpu --one-pass --line-voter braak-fast";
    let message = detect(&image, without).refusal();
    assert!(message.contains("all-cores"), "{message}");
}
