//! `planes bench`: what it prints and writes, and what it refuses.

use super::*;

/// Runs `planes bench` on the CPU.
fn bench(options: &str) -> Done {
    planes("bench --device cpu".split_whitespace().chain(options.split_whitespace()))
}

/// The lines of a CSV file as cells.
fn csv(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split(',').map(String::from).collect()).collect()
}

#[test]
fn everything_that_was_measured_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let (json_path, csv_path, svg_path) = (out("b.json"), out("b.csv"), out("b.svg"));
    let files = format!(
        "--json {} --csv {} --svg {}",
        json_path.display(),
        csv_path.display(),
        svg_path.display()
    );
    let text = bench(&format!("--points 1,1e3 --top 2,10 {files}")).text();
    for what in
        ["1 000", "top 2", "top 10", "CPU", "Fast", "in the slides", "17.00", "extrapolated"]
    {
        assert!(text.contains(what), "{what}: {text}");
    }
    assert_eq!(names(folder.path()), ["b.csv", "b.json", "b.svg"]);

    let report = json(std::fs::read(&json_path).unwrap());
    assert_eq!((&report["format"], &report["version"]), (&"planes-bench".into(), &1.into()));
    assert_eq!(report["source"], "scene street");
    assert_eq!(report["machine"]["gpu"], Value::Null);
    let command = report["machine"]["command"].as_str().unwrap();
    assert!(command.starts_with("planes bench --device cpu --points 1,1e3"), "{command}");
    let measured = report["measurements"].as_array().unwrap();
    let keys: Vec<_> =
        measured.iter().map(|m| (m["row"].as_str().unwrap(), &m["points"], &m["top"])).collect();
    // The table over winners is for one cloud.
    let [one, thousand, two, ten] = [1, 1000, 2, 10].map(Value::from);
    let expected = [
        ("cpu", &one, &ten),
        ("fast", &one, &ten),
        ("cpu", &thousand, &two),
        ("cpu", &thousand, &ten),
        ("fast", &thousand, &two),
        ("fast", &thousand, &ten),
    ];
    assert_eq!(keys, expected);
    for m in measured {
        let seconds = |step: &str| m[step]["seconds"].as_f64().unwrap();
        let steps = ["vote", "suppress", "winners", "transfers"].map(seconds);
        assert!((seconds("total") - steps.iter().sum::<f64>()).abs() < 1e-9);
        assert!(seconds("vote") > 0.0 && m["votes_per_second"].as_f64().unwrap() > 0.0);
        assert_eq!(m["check"]["differing"], 0);
        let checked = m["check"]["points"].as_u64().unwrap();
        assert_eq!(m["check"]["votes"], 32_400 * checked);
        assert!(checked >= 1 && checked <= m["points"].as_u64().unwrap());
    }
    // The slides' loop for the neighbourhoods takes many seconds; it is measured in part.
    assert!(measured[0]["suppress"]["part"].as_f64().unwrap() < 1.0);
    assert_eq!((&measured[0]["slides"], &measured[3]["slides"]), (&15.0.into(), &17.0.into()));
    let speedup = |m: &Value| m["speedup"].as_f64().unwrap();
    assert!(speedup(&measured[0]) == 1.0 && speedup(&measured[1]) > 1.0);

    let lines = csv(&csv_path);
    assert_eq!(lines.len(), 1 + measured.len());
    assert_eq!(lines[0][..4], ["row", "points", "top", "vote"]);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()));
    let total = lines[0].iter().position(|name| name == "total").unwrap();
    for (line, m) in lines[1..].iter().zip(measured) {
        assert_eq!(line[1], m["points"].to_string());
        assert_eq!(line[total].parse::<f64>().unwrap(), m["total"]["seconds"].as_f64().unwrap());
    }

    let svg = std::fs::read_to_string(&svg_path).unwrap();
    let picture = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(picture.root_element().tag_name().name(), "svg");
    let count = |dashed: bool| {
        let lines = picture.descendants().filter(|n| n.has_tag_name("polyline"));
        lines.filter(|n| n.has_attribute("stroke-dasharray") == dashed).count()
    };
    // Two rows of ours, six of the slides.
    assert_eq!((count(false), count(true)), (2, 6));
}

#[test]
fn a_cloud_and_its_first_points() {
    let cloud = shipped("room.ply");
    let args = |rest: &'static str| {
        ["bench", cloud.to_str().unwrap(), "--device", "cpu", "--modes", "fast", "--top", "3"]
            .into_iter()
            .chain(rest.split_whitespace())
    };
    let report = json(planes(args("--points 500,2000 --json -")).text());
    assert_eq!(report["source"], cloud.to_str().unwrap());
    let measured = report["measurements"].as_array().unwrap();
    let points: Vec<_> = measured.iter().map(|m| (&m["row"], &m["points"])).collect();
    assert_eq!(points, [(&"fast".into(), &500.into()), (&"fast".into(), &2000.into())]);
    assert!(measured.iter().all(|m| m["speedup"].is_null()));
    let markdown = planes(args("--points 500 --markdown")).text();
    assert!(markdown.contains("| --- | ---: |") && markdown.contains("| Fast |"), "{markdown}");
    let message = planes(args("--points 40001")).refusal();
    assert!(message.contains("40001") && message.contains("40000"), "{message}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (options, what) in [
        ("--points 0", "--points"),
        ("--points 1.5", "1.5"),
        ("--points 1e10", "1e10"),
        ("--points many", "many"),
        ("--top 0", "--top"),
        ("--top 129", "129"),
        ("--modes quick", "quick"),
        ("--modes naive,optimized", "--modes"),
        ("--scene castle", "castle"),
        ("--scene room room.ply", "--scene"),
        ("no-such-cloud.las", "no-such-cloud.las"),
        ("--points 1 --modes fast --csv no/such/folder.csv", "no/such/folder.csv"),
    ] {
        let message = bench(options).refusal();
        assert!(message.contains(what), "{options}: {message}");
    }
    let message = planes(["bench", "--device", "tpu"]).refusal();
    assert!(message.contains("tpu"), "{message}");
}

#[test]
fn without_a_gpu_the_rest_is_measured_and_said_so() {
    if planes::cuda::Cuda::new().is_ok() {
        println!("skipped: there is a GPU");
        return;
    }
    let done = planes("bench --points 5 --top 1 --modes naive,fast".split_whitespace());
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    assert!(done.err.contains("CPU alone"), "{}", done.err);
    let text = done.text();
    assert!(text.contains("Fast") && !text.contains("Naive scatter  "), "{text}");
    let message = planes("bench --points 5 --device cuda".split_whitespace()).refusal();
    assert!(message.contains("NVIDIA"), "{message}");
}

/// An image of lines in a folder.
fn image(folder: &Path) -> PathBuf {
    let path = folder.join("lines.png");
    planes(["synth", "lines", "--size", "160x120", "-o", path.to_str().unwrap()]).text();
    path
}

#[test]
fn the_voters_on_an_image_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let image = image(folder.path());
    let out = |name: &str| folder.path().join(name);
    let files = ["b.json", "b.csv", "b.svg"].map(out);
    let options = format!(
        "{} --json {} --csv {} --svg {}",
        image.display(),
        files[0].display(),
        files[1].display(),
        files[2].display()
    );
    let text = bench(&options).text();
    for what in ["polar, 181 angles", "Cartesian", "serial", "all-cores", "over serial"] {
        assert!(text.contains(what), "{what}: {text}");
    }
    let report = json(std::fs::read(&files[0]).unwrap());
    assert_eq!((&report["format"], &report["version"]), (&"planes-bench-images".into(), &1.into()));
    let rows = report["voters"].as_array().unwrap();
    let voters: Vec<_> = rows.iter().map(|row| row["voter"].as_str().unwrap()).collect();
    let both = ["serial", "all-cores"];
    assert_eq!(voters, [&both[..], &both, &["all-cores-slices"]].concat());
    for row in rows {
        let seconds = |step: &str| row[step]["seconds"].as_f64().unwrap();
        let steps = ["list", "vote", "select", "transfers"].map(seconds);
        assert!((seconds("total") - steps.iter().sum::<f64>()).abs() < 1e-9);
        assert!(seconds("vote") > 0.0 && row["speedup"].as_f64().unwrap() > 0.0);
        assert_eq!(row["compared_with_serial"], row["edges"]);
    }
    let lines = csv(&files[1]);
    assert_eq!(lines.len(), 1 + rows.len());
    let svg = std::fs::read_to_string(&files[2]).unwrap();
    let picture = roxmltree::Document::parse(&svg).unwrap();
    let lines = picture.descendants().filter(|n| n.has_tag_name("polyline")).count();
    assert_eq!(lines, rows.len());
    let markdown = bench(&format!("{} --markdown --modes serial", image.display())).text();
    assert!(markdown.contains("| serial |") && !markdown.contains("all-cores"), "{markdown}");
}

#[test]
fn options_of_clouds_are_not_for_images() {
    let folder = tempfile::tempdir().unwrap();
    let image = image(folder.path());
    for options in ["--points 5", "--top 3"] {
        let message = bench(&format!("{} {options}", image.display())).refusal();
        assert!(message.contains(options.split(' ').next().unwrap()), "{message}");
        let message = bench(&format!("--sweep grey {options}")).refusal();
        assert!(message.contains("--sweep"), "{message}");
    }
    for (options, what) in [
        ("--sweep sizes", "sizes"),
        ("--sweep grey --modes optimized", "--modes"),
        ("--edges sobel --points 5", "--edges"),
    ] {
        let message = bench(options).refusal();
        assert!(message.contains(what), "{options}: {message}");
    }
}

#[test]
fn the_experiments_on_the_least_median_of_squares() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let files = ["l.json", "l.csv", "l.svg"].map(out);
    let [json_path, csv_path, svg_path] = files.each_ref().map(|path| path.display());
    let options = "bench lms --device cpu --points 50,128 --images 3 --markdown";
    let options = format!("{options} --json {json_path} --csv {csv_path} --svg {svg_path}");
    let text = planes(options.split_whitespace()).text();
    for what in ["Table 1", "Figure 7", "Figure 8", "Table 2", "42.52", "0.765", "| lms |"] {
        assert!(text.contains(what), "{what}: {text}");
    }
    let report = json(std::fs::read(&files[0]).unwrap());
    assert_eq!((&report["format"], &report["version"]), (&"planes-bench-lms".into(), &1.into()));
    let rows = |table: &str| report[table].as_array().unwrap().clone();
    let held = |times: &[Value]| -> Vec<Value> { times.iter().map(|t| t["h"].clone()).collect() };
    assert_eq!(held(&rows("times")), [26, 65]);
    assert!(rows("times").iter().all(|row| row["sweep"]["seconds"].as_f64() > Some(0.0)));
    assert!(rows("times").iter().all(|row| row["paper"].is_null() && row["fast"].is_null()));
    let lms = |row: &&Value| row["method"] == "lms";
    for table in ["cells", "noise"] {
        assert_eq!(rows(table).len() % 3, 0);
        let rows = rows(table);
        let exact = |row: &Value| row["angle_median"].as_f64() < Some(0.1);
        assert!(rows.iter().filter(lms).all(exact), "{rows:?}");
    }
    let all: usize =
        ["times", "cells", "noise", "photo"].map(|table| rows(table).len()).iter().sum();
    let lines = csv(&files[1]);
    assert_eq!(lines.len(), 1 + all);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()));
    let svg = std::fs::read_to_string(&files[2]).unwrap();
    let picture = roxmltree::Document::parse(&svg).unwrap();
    let curves = picture.descendants().filter(|n| n.has_tag_name("polyline")).count();
    assert_eq!(curves, 6);
    let three_quarters = "bench lms --device cpu --points 50 --hold 0.75 --images 1 --json -";
    let report = json(planes(three_quarters.split_whitespace()).text());
    assert_eq!(held(report["times"].as_array().unwrap()), [38]);
    for (options, what) in [
        ("--points 0", "--points"),
        ("--images 0", "--images"),
        ("--hold 0", "a slab holds 1 to 128 of 128 points, not 0"),
        ("--hold 1.5", "not 192"),
        ("--hold NaN", "'NaN' is not a number"),
        ("--photo no-such-image.png", "no-such-image.png"),
    ] {
        let options = format!("bench lms --device cpu {options}");
        let message = planes(options.split_whitespace()).refusal();
        assert!(message.contains(what), "{options}: {message}");
    }
}

#[test]
fn the_stages_of_a_detection_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let (json_path, csv_path) = (folder.path().join("s.json"), folder.path().join("s.csv"));
    let files = format!("--json {} --csv {}", json_path.display(), csv_path.display());
    let text = bench(&format!("--stages clouds/room.ply {files}")).text();
    let names = ["reading", "cells", "surfaces", "layers", "planes", "labels", "outlines"];
    assert!(names.iter().all(|name| text.contains(name)) && text.contains("100.0 %"), "{text}");
    let report = json(std::fs::read(&json_path).unwrap());
    let expected = ("planes-bench-stages".into(), 1.into());
    assert_eq!((&report["format"], &report["version"]), (&expected.0, &expected.1));
    let stages = report["stages"].as_array().unwrap();
    assert_eq!(stages.iter().map(|s| s["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
    for stage in stages {
        assert!(stage["seconds"].as_f64().unwrap() > 0.0, "{stage}");
        assert!(stage["processor_seconds"].as_f64().unwrap() >= 0.0, "{stage}");
        assert!(stage["most_bytes"].as_u64().unwrap() > 0, "{stage}");
    }
    assert!(stages[1]["bytes"].as_u64().unwrap() > 12 * report["points"].as_u64().unwrap());
    let lines = csv(&csv_path);
    assert_eq!((lines.len(), &*lines[0][1]), (1 + names.len(), "seconds"));

    let message = bench("--stages").refusal();
    assert!(message.contains("CLOUD"), "{message}");
    let message = bench("--stages clouds/street.png").refusal();
    assert!(message.contains("--stages is for clouds"), "{message}");
}
