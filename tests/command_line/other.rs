//! `planes info`, `synth`, `schema` and `completions`.

use super::*;

#[test]
fn info_tells_what_a_cloud_holds() {
    for (name, points, format) in [
        ("roofs.las", 50_000, "LAS 1.4, point format 7"),
        ("street.laz", 60_000, "LAZ 1.4, point format 7"),
        ("room.ply", 40_000, "PLY binary little endian, double coordinates"),
        ("hard.txt", 30_000, "text, columns x y z intensity red green blue by blanks"),
    ] {
        let path = shipped(name);
        let cloud = read(&path);
        let info = json(planes([OsStr::new("info"), path.as_ref(), "--json".as_ref()]).text());
        assert_eq!(info["file"], path.to_str().unwrap());
        assert_eq!(info["points"], points);
        assert_eq!(info["not_finite"], 0);
        assert_eq!(info["bytes"], path.metadata().unwrap().len());
        assert_eq!(info["header"]["description"], format);
        for (axis, values) in [&cloud.x, &cloud.y, &cloud.z].into_iter().enumerate() {
            let min = values.iter().copied().fold(f64::INFINITY, f64::min);
            let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(info["min"][axis], min, "{name}");
            assert_eq!(info["max"][axis], max, "{name}");
            assert_eq!(info["extent"][axis], max - min, "{name}");
        }
        let text = planes([OsStr::new("info"), path.as_ref()]).text();
        assert!(text.contains(&points.to_string()) && text.contains(format), "{text}");
    }
}

#[test]
fn info_tells_what_an_image_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("column.pgm");
    let row: Vec<u8> = (0..64).map(|x| if x == 20 { 255 } else { 0 }).collect();
    std::fs::write(&path, [b"P5 64 48 255\n", &row.repeat(48)[..]].concat()).unwrap();
    let file = path.to_str().unwrap();
    let text = planes(["info", file]).text();
    let expected = "  pixels     64 x 48\n  edges      48 (1.56 %), --edges none\n";
    assert_eq!(text, format!("{file}\n{expected}"));
    let info = json(planes(["info", "--json", file]).text());
    let (count, by) = (48.into(), "none".into());
    assert_eq!((&info["edges"], &info["edges_by"]), (&count, &by));
    assert_eq!((&info["width"], &info["height"]), (&64.into(), &48.into()));
}

#[test]
fn info_of_several_clouds_is_one_document_a_line() {
    let paths = CLOUDS.map(shipped);
    let mut args: Vec<&OsStr> = vec!["info".as_ref(), "--json".as_ref()];
    args.extend(paths.iter().map(|p| p.as_os_str()));
    let text = planes(args).text();
    let files: Vec<Value> = text.lines().map(|line| json(line)["file"].clone()).collect();
    assert_eq!(files, paths.map(|p| Value::from(p.to_str().unwrap())));
}

#[test]
fn the_spacing_of_a_grid() {
    let folder = tempfile::tempdir().unwrap();
    let grid = folder.path().join("grid.xyz");
    let points: Vec<_> = (0..900).map(|i| [f64::from(i % 30), f64::from(i / 30), 5.0]).collect();
    write(&grid, &points);
    let info = json(planes(["info", "--json", grid.to_str().unwrap()]).text());
    assert_eq!(info["spacing"], 1.0);
    assert_eq!(info["max"], serde_json::json!([29.0, 29.0, 5.0]));
}

#[test]
fn the_shipped_clouds_are_made_again_byte_by_byte() {
    let readme = std::fs::read_to_string(shipped("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut made = 0;
    for command in readme.lines().filter_map(|line| line.strip_prefix("planes synth ")) {
        let (options, path) = command.split_once("-o clouds/").unwrap();
        let out = folder.path().join(path);
        let mut args = vec![OsStr::new("synth")];
        args.extend(options.split_whitespace().map(OsStr::new));
        args.extend([OsStr::new("-o"), out.as_ref()]);
        planes(args).text();
        for file in names(folder.path()) {
            let fresh = std::fs::read(folder.path().join(&file)).unwrap();
            assert!(fresh == std::fs::read(shipped(&file)).unwrap(), "{file} differs");
            std::fs::remove_file(folder.path().join(&file)).unwrap();
        }
        made += 1;
    }
    assert_eq!(made, CLOUDS.len());
}

#[test]
fn synth_refuses_what_it_cannot_make() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.ply").to_str().unwrap().to_owned();
    for (args, what) in [
        (vec!["castle", "-o", &out], "castle"),
        (vec!["room", "-o", "room.doc"], "room.doc"),
        (vec!["room"], "--out"),
        (vec!["room", "-o", &out, "--outliers", "2"], "outliers"),
        (vec!["room", "-o", &out, "--noise", "nan"], "noise"),
        (vec!["room", "-o", &out, "--origin", "1,2"], "--origin"),
        (vec!["room", "-o", &out, "--origin", "1,2,nan"], "origin"),
    ] {
        let message = planes([&["synth"], &args[..]].concat()).refusal();
        assert!(message.contains(what), "{message}");
        assert_eq!(names(folder.path()), [""; 0], "{message}");
    }
}

#[test]
fn the_schema_is_printed_as_published() {
    let text = planes(["schema"]).text();
    assert_eq!(text, planes::export::json::SCHEMA);
    assert_eq!(json(text)["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = planes(["completions", shell]).text();
        assert!(script.contains("planes") && script.contains("min-inliers"), "{shell}");
    }
}

#[test]
fn tables_that_were_written_are_no_clouds() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let outputs = format!("--csv {} --ply {}", at("a.csv").display(), at("a.ply").display());
    detect(&shipped("room.ply"), &outputs).text();
    let image = at("lines.png");
    planes([OsStr::new("synth"), "lines".as_ref(), "-o".as_ref(), image.as_ref()]).text();
    detect(&image, &format!("--csv {}", at("b.csv").display())).text();
    for (name, what) in [
        ("a.csv", "a table of planes"),
        ("a.ply", "outlines of planes that planes wrote"),
        ("b.csv", "a table of lines"),
    ] {
        for command in ["detect", "info"] {
            let message = planes([command.as_ref(), at(name).as_os_str()]).refusal();
            assert!(message.contains(&format!("{name}: not a cloud that planes can read: {what}")));
        }
    }
}
