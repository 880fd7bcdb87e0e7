//! Text as surveyors have it: numbers and names of points, headers in five languages, decimal commas,
//! quotes; and a word wherever the program had to decide.

use super::*;

/// Points of two roofs' sides in survey coordinates, with three digits.
fn points() -> Vec<[f64; 3]> {
    let height = |i: usize| 310.0 + 0.25 * (i as f64 - 20.0).abs();
    let point = |k: usize| {
        let (i, j) = (k % 41, k / 41);
        let noise = ((k * 7919) % 13) as f64 * 0.001;
        [500_000.125 + 0.3 * i as f64, 5_400_000.25 + 0.3 * j as f64, height(i) + noise]
    };
    (0..41 * 40).map(point).collect()
}

/// A line for each point.
fn text(header: &str, line: impl Fn(usize, [String; 3]) -> String) -> String {
    let lines = points().into_iter().enumerate().map(|(k, p)| {
        let [x, y, z] = p.map(|v| format!("{v:.3}"));
        line(k, [x, y, z]) + "\n"
    });
    header.to_string() + &lines.collect::<String>()
}

fn comma(number: &str) -> String {
    number.replace('.', ",")
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn write(&self, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join("points.txt");
        std::fs::write(&path, text).unwrap();
        path
    }

    /// What `detect` prints and says of a text.
    fn detect(&self, text: impl AsRef<[u8]>, options: &str) -> (String, String) {
        let mut done = detect(&self.write(text), &format!("--json - {options}"));
        let said = std::mem::take(&mut done.err);
        (done.text(), said)
    }
}

/// The result of the bare points, which all other ways to write them have to give.
fn plain(folder: &Folder) -> String {
    let (plain, said) = folder.detect(text("", |_, [x, y, z]| format!("{x} {y} {z}")), "");
    assert_eq!(said, "");
    assert!(found(&json(&plain)).len() >= 2, "two sides of a roof");
    plain
}

#[test]
fn numbers_of_points_are_not_x() {
    let folder = Folder::new();
    let plain = plain(&folder);
    for (from, step) in [(1, 1), (0, 1), (1001, 1), (100, 10)] {
        let text = text("", |k, [x, y, z]| format!("{} {x} {y} {z}", from + step * k));
        let (found, said) = folder.detect(&text, "");
        assert!(found == plain, "{from} {step}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("points.txt: the first column counts up"), "{said}");
        let (found, said) = folder.detect(&text, "--columns -,x,y,z");
        assert!(found == plain && said.is_empty(), "{said}");
    }
}

#[test]
fn real_coordinates_are_not_numbers_of_points() {
    let folder = Folder::new();
    // A grid as DEMs are written, row by row, its intensity at the end.
    let grid: String = (0..2500)
        .map(|k| {
            format!(
                "{} {} {:.2} 17.5\n",
                500_000 + k % 50,
                5_400_000 - k / 50,
                0.01 * f64::from(k % 50)
            )
        })
        .collect();
    let (found, said) = folder.detect(grid, "");
    assert!(said.contains("taken as x y z intensity") && said.lines().count() == 1, "{said}");
    assert_eq!(json(&found)["input"]["min"][0], 500_000.0);
    // One long row.
    let row: String = (0..2500).map(|k| format!("{k} {}.5 {:.2} 17.5\n", k / 2400, 0.25)).collect();
    let info = planes([OsStr::new("info"), folder.write(row).as_ref()]);
    assert!(info.err.contains("taken as x y z intensity"), "{}", info.err);
    assert!(info.text().contains("columns x y z intensity"));
}

#[test]
fn headers_in_five_languages() {
    let folder = Folder::new();
    let plain = plain(&folder);
    for header in [
        "Point;Easting;Northing;Elevation",
        "Punkt;Rechtswert;Hochwert;Hoehe",
        "\u{feff}Punktnummer;Ost [m];Nord [m];Höhe [m]",
        "Numéro;Est;Nord;Altitude",
        "Nom;X;Y;Hauteur",
        "Nombre;Este;Norte;Cota",
        "Punto;ESTE;NORTE;ELEVACIÓN",
        "Nome;Est;Nord;Quota",
        "Nr;E;N;H",
    ] {
        let text = text(&format!("{header}\n"), |k, [x, y, z]| format!("{};{x};{y};{z}", 3 * k));
        assert_eq!(folder.detect(text, ""), (plain.clone(), String::new()), "{header}");
    }
    // An umlaut of an older file.
    let old = text("", |k, [x, y, z]| format!("{k};{x};{y};{z}"));
    let old = [b"Nr;Rechtswert;Hochwert;H\xf6he\n", old.as_bytes()].concat();
    assert!(folder.detect(old, "") == (plain.clone(), String::new()));
    // North first.
    let swapped = text("Norte,Este,Cota\n", |_, [x, y, z]| format!("{y},{x},{z}"));
    assert!(folder.detect(swapped, "") == (plain, String::new()));
}

#[test]
fn a_header_that_is_not_understood_is_said() {
    let folder = Folder::new();
    let plain = plain(&folder);
    let foreign = text("Itä;Pohjoinen;Korkeus\n", |_, [x, y, z]| format!("{x};{y};{z}"));
    let (found, said) = folder.detect(&foreign, "");
    assert!(found == plain);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("line 1, 'Itä;Pohjoinen;Korkeus', is not understood"), "{said}");
    assert!(said.contains("taken as x y z") && said.contains("--columns"), "{said}");
    assert!(folder.detect(&foreign, "--columns x,y,z") == (plain.clone(), String::new()));
    let swapped = text("Pohjoinen;Itä;Korkeus\n", |_, [x, y, z]| format!("{y};{x};{z}"));
    assert!(folder.detect(swapped, "--columns y,x,z") == (plain, String::new()));
}

#[test]
fn decimal_commas_quotes_and_names() {
    let folder = Folder::new();
    let plain = plain(&folder);
    let commas = |p: [String; 3]| p.map(|v| comma(&v));
    for text in [
        text("", |_, p| commas(p).join(";")),
        text("", |_, p| commas(p).join("; ")),
        text("", |_, p| commas(p).join("\t")),
        text("", |_, p| commas(p).join("  ")),
        text("Punkt;Rechtswert;Hochwert;Höhe\n", |k, p| format!("P{k};{}", commas(p).join(";"))),
        text("", |_, p| format!("\"{}\"", p.join("\",\""))),
        text("\"X\",\"Y\",\"Z\"\n", |_, p| format!("\"{}\"", commas(p).join("\",\""))),
        text("\"id\",\"x\",\"y\",\"z\"\n", |k, p| format!("\"P {k}, left\",{}", p.join(","))),
        text("", |k, p| format!("P{k} {}", p.join(" "))),
        text("", |k, p| format!("P{k}\t{}", commas(p).join("\t"))),
        text("", |k, p| format!("Punkt {k}\t{}", p.join("\t"))),
        text("Point ID\tEasting (m)\tNorthing (m)\tHeight (m)\n", |k, p| {
            format!("P {k}\t{}", p.join("\t"))
        }),
        text("\u{feff}x,y,z\r\n", |_, p| p.join(",") + "\r"),
        text("\u{feff}", |_, p| p.join(" ")),
    ] {
        let (found, said) = folder.detect(&text, "");
        assert!(found == plain, "{}", &text[..200]);
        assert_eq!(said, "", "{}", &text[..200]);
        let (found, _) = folder.detect(&text, "--chunk 77 --threads 3");
        assert!(found == plain, "{}", &text[..200]);
    }
}

#[test]
fn columns_are_for_text_and_make_sense() {
    let folder = Folder::new();
    let roofs = shipped("roofs.las");
    let refused = detect(&roofs, "--columns x,y,z").refusal();
    assert!(refused.ends_with("roofs.las: --columns is for text, and this is LAS"), "{refused}");
    let path = folder.write("1 2 3\n4 5 6\n");
    for (columns, why) in [
        ("x,y,z,intensity", "text of 3 columns, and --columns names 4"),
        ("x,y", "x, y and z must be among the columns"),
        ("x,y,z,q", "'q' is no column"),
        ("x,y,z,x", "twice"),
        ("x,y,z,r", "r, g and b come together"),
        ("-,x,y,z", "text of 3 columns, and --columns names 4"),
    ] {
        let refused = detect(&path, &format!("--columns {columns}")).refusal();
        assert!(refused.contains(why), "{refused}");
    }
    // The same with info and batch.
    let text = folder.write(text("", |k, [x, y, z]| format!("{z} {k} {x} {y} 9")));
    let args = ["info", "--columns", "z,-,x,y,intensity", "--json"].map(OsStr::new);
    let info = json(planes(args.into_iter().chain([text.as_os_str()])).text());
    assert_eq!(info["min"][0], 500_000.125);
    let out = folder.0.path().join("out");
    let args = ["batch", "--columns", "z,-,x,y", "--quiet", "--out"].map(OsStr::new);
    planes(args.into_iter().chain([out.as_os_str(), text.as_os_str()])).text();
    let document = json(std::fs::read(out.join("points.json")).unwrap());
    assert_eq!(document["input"]["min"][0], 500_000.125);
}

#[test]
fn what_cannot_be_told_apart_is_refused() {
    let folder = Folder::new();
    let mixed = folder.write("1,5, 2,3, 4,0\n1,6, 2,4, 4,1\n");
    let refused = detect(&mixed, "").refusal();
    assert!(refused.contains("commas in its numbers and between them"), "{refused}");
    for text in [
        "x,y,z\n1,5,2,3,4,0\n2,5,3,3,5,0\n",
        "x,y,z\n1,5,2,4,0\n2,5,3,3,5,0\n",
        "name,x,y,z\nP1,1,5,2,3,4,0\n",
        "1,05,2,30,4,05\n1,10,2,30,4,05\n",
    ] {
        let refused = detect(&folder.write(text), "").refusal();
        assert!(refused.contains("commas in its numbers and between them"), "{refused}");
        assert!(refused.contains("save it with semicolons or tabs"), "{refused}");
    }
    let wide = "\u{feff}1 2 3\n".encode_utf16().flat_map(u16::to_le_bytes);
    let refused = detect(&folder.write(wide.collect::<Vec<u8>>()), "").refusal();
    assert!(refused.contains("UTF-16 text; save it as UTF-8"), "{refused}");
    let thousands = folder.write("1.234,5;2,3;4,0\n1.235,5;2,3;4,0\n");
    assert!(detect(&thousands, "").refusal().contains("separators of thousands"));
    let thousands = folder.write("x;y;z\n3,071;576;0\n5,702;4,392;5\n864;1,496;2\n");
    assert!(detect(&thousands, "").refusal().contains("separators of thousands"));
    let mixed = folder.write("3.071,0.576,0.001\n5.703 4.393 -0.006\n");
    let refused = detect(&mixed, "").refusal();
    let changed = "line 2: column 1: '5.703 4.393 -0.006' is not a number: this line has blanks between \
        its numbers, not ','";
    assert!(refused.ends_with(changed), "{refused}");
    let mesh = folder.write("v 1 2 3\nv 2 3 4\nf 1 2 3\n");
    assert!(detect(&mesh, "").refusal().contains("an OBJ mesh"));
}

#[test]
fn words_for_missing_numbers_are_points_left_out() {
    let folder = Folder::new();
    let rows = text("x,y,z\n", |_, p| p.join(","));
    let want = folder.detect(rows.clone() + "0.0,1.0,nan\nnan,1.0,2.0\n", "");
    assert!(want.1.contains("left out 2 points"), "{}", want.1);
    assert_eq!(folder.detect(rows + "0.0,1.0,NULL\nN/A,1.0,2.0\n", ""), want);
}

#[test]
fn units_in_the_names_of_columns_are_said() {
    let folder = Folder::new();
    let plain = plain(&folder);
    let semicolons = |_: usize, p: [String; 3]| p.join(";");
    for (header, said) in [
        ("X [m];Y [m];Z [ft]", Some("x and y are in m, z is in ft: slopes")),
        ("x;y;z_ft", Some("say x without a unit, y without a unit, z in ft; all are taken as")),
        ("Easting (ft);Northing (m);Elevation (ft)", Some("say x in ft, y in m, z in ft; all are")),
        ("x_ft;y_ft;z_ft", None),
        ("x;y;z", None),
    ] {
        let text = text(&format!("{header}\n"), semicolons);
        let (found, warned) = folder.detect(&text, "");
        assert!(found == plain, "{header}");
        match said {
            Some(said) => assert!(warned.contains(said) && warned.lines().count() == 1, "{warned}"),
            None => assert_eq!(warned, "", "{header}"),
        }
    }
    let path = folder.write(text("x_ft;y_ft;z_ft\n", semicolons));
    let info = planes([OsStr::new("info"), path.as_ref()]).text();
    assert!(info.contains("columns x y z by ';', in ft\n"), "{info}");
}

#[test]
fn a_fourth_column_without_a_name_is_said() {
    let folder = Folder::new();
    let four = text("", |k, [x, y, z]| format!("{x} {y} {z} {}.5", k % 9));
    let (_, said) = folder.detect(&four, "");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("have no names and are taken as x y z intensity; if not so"), "{said}");
    let (_, said) = folder.detect(&four, "--columns x,y,z,intensity");
    assert_eq!(said, "");
    let label = text("", |k, [x, y, z]| format!("{x} {y} {z} {}", k % 3));
    assert!(folder.detect(&label, "").1.contains("taken as x y z label"));
}

#[test]
fn a_number_behind_a_name_is_not_x_without_a_word() {
    let folder = Folder::new();
    let lines = text("", |k, p| format!("wall {} {}", k % 100, p.join(" ")));
    let (_, said) = folder.detect(&lines, "");
    let taken = "have no names and are taken as – x y z intensity; if not so, say it with";
    assert!(said.contains(taken) && said.contains("--columns -,-,x,y,z"), "{said}");
    let (found, said) = folder.detect(&lines, "--columns -,-,x,y,z");
    assert_eq!((found, &*said), (plain(&folder), ""));
}

#[test]
fn the_end_of_a_dos_text_is_no_point() {
    let folder = Folder::new();
    for end in ["\u{1a}", "\u{1a}\r\n", "\u{1a}\u{1a}\u{1a}"] {
        let lines = text("", |_, p| p.join(" ")) + end;
        assert_eq!(folder.detect(&lines, ""), (plain(&folder), String::new()));
    }
}

#[test]
fn more_columns_without_names_are_said_where_they_may_be_others() {
    let folder = Folder::new();
    let id = |k: usize| 997 * k % 1640;
    for (columns, file) in [
        ("x y z – –", text("", |k, p| format!("1600000000.{k:06},{},{}", p.join(","), k % 9))),
        ("x y z – –", text("", |k, p| format!("{} {} {}", id(k), p.join(" "), 90 + k % 99))),
        (
            "x y z intensity red green blue",
            text("", |k, p| format!("{} {} 8 8 {}", id(k), p.join(" "), 9 + k % 99)),
        ),
    ] {
        let (_, said) = folder.detect(&file, "");
        // Of wrong columns there may be no planes.
        let others = said.lines().filter(|line| !line.contains(": no planes; "));
        assert_eq!(others.count(), 1, "{said}");
        let all = format!("have no names and are taken as {columns}; if not so, say it with");
        assert!(said.contains(&all) && said.contains("--columns -,x,y,z"), "{said}");
        let (found, said) = folder.detect(&file, "--columns -,x,y,z");
        assert_eq!((found, &*said), (plain(&folder), ""));
    }
    let coloured = text("", |k, p| format!("{} -1372 {} 8 {}", p.join(" "), k % 99, k % 200));
    assert_eq!(folder.detect(&coloured, "").1, "");
}

#[test]
fn lone_carriage_returns_are_named_in_pipes_too() {
    let folder = Folder::new();
    let path = folder.write(text("", |_, xyz| xyz.join(" ")).replace('\n', "\r"));
    for refused in [detect(&path, ""), planes_with(["detect", "-"], Some(&path))] {
        let refused = refused.refusal();
        assert!(refused.contains("its lines end in a lone carriage return"), "{refused}");
    }
}

#[test]
fn labels_and_merged_exports_are_called_so() {
    let folder = Folder::new();
    for labels in ["0\n1\n-1\n", "-1\n-1\n3\n4\n", "0\n0\n0\n0 0 0 0\n"] {
        let refused = detect(&folder.write(labels), "").refusal();
        assert!(refused.contains("one number a line, as labels are"), "{refused}");
    }
    let refused = detect(&folder.write("2\n3\n0 0 0 0\n1 1 1 1\n"), "").refusal();
    assert!(refused.contains("a PTX scan"), "{refused}");
    for (front, line) in [("x;y;z", 1643), ("# of 1640\nNr;X;Y;Z", 1645)] {
        let width = front.matches(';').count();
        let part = text(&format!("{front}\n"), |k, p| match width {
            2 => p.join(";"),
            _ => format!("{k};{}", p.join(";")),
        });
        let refused = detect(&folder.write(format!("{part}\n{part}")), "").refusal();
        assert!(
            refused.contains(&format!("points.txt: line {line}: names of columns")),
            "{refused}"
        );
        assert!(refused.contains("several exports in one"), "{refused}");
    }
    // So are those whose names stand in comments, unless they are the same.
    let part = text("", |_, p| p.join(" "));
    let merged = |first: &str, second: &str| {
        detect(&folder.write(format!("{first}\n{part}{second}\n{part}")), "")
    };
    for second in ["//X Z Y", "# x y z r g b"] {
        let refused = merged("//X Y Z", second).refusal();
        assert!(refused.contains("points.txt: line 1642: names of columns"), "{refused}");
    }
    for second in ["//X Y Z", "# noise of 2 mm", "# x y z as seen from the second station"] {
        assert_eq!(merged("//X Y Z", second).code, Some(0), "{second}");
    }
    // Without names, points with other columns are read as the first ones.
    let numbered = text("", |k, p| format!("{k} {}", p.join(" ")));
    let long = format!("{part}{}", part.repeat(40));
    for (first, second, warns) in [
        (&part, &numbered, true),
        (&numbered, &part, true),
        (&long, &numbered, true),
        (&part, &part, false),
    ] {
        let told = detect(&folder.write(format!("{first}{second}")), "").err;
        assert_eq!(told.contains("several exports in one"), warns, "{told}");
    }
    // A remark may have any number of words.
    let words = format!("{part}0 0 0 corner of a house\n");
    let told = detect(&folder.write(format!("0 0 0 door\n{words}")), "").err;
    assert!(!told.contains("several exports in one"), "{told}");
    // The same names of fewer columns than there are.
    let wide = text("", |k, p| format!("{} {} 2 3", p.join(" "), k % 200));
    let twice = folder.write(format!("//X Y Z\n{wide}//X Y Z\n{wide}"));
    assert_eq!(detect(&twice, "").code, Some(0));
    let refused = detect(&folder.write(format!("{part}1640\n{part}")), "").refusal();
    assert!(refused.contains("points.txt: line 1641: names of columns or a count"), "{refused}");
}

#[test]
fn a_spoilt_first_point_is_refused() {
    let folder = Folder::new();
    let rows = text("", |_, p| p.join(","));
    for front in ["x,y,z", "//x,y,z", "# made by hand\nx,y,z"] {
        let line = 2 + front.matches('\n').count();
        for first in
            ["1,2,O.5", "1,,3", "1,#N/A,3", "?,2,3", "1'000.5,2,3", "\"1,5\",\"2,5\",\"3,5\""]
        {
            let refused = detect(&folder.write(format!("{front}\n{first}\n{rows}")), "").refusal();
            assert!(refused.contains(&format!("line {line} ")), "{front} {first}: {refused}");
        }
        // A line with the units is none.
        let taken = detect(&folder.write(format!("{front}\nm,m,m\n{rows}")), "");
        assert_eq!(taken.code, Some(0), "{front}");
    }
    // With more columns the other numbers are enough for a point, whose name would be the first column.
    for names in ["x,y,z,i", "x,y,z,r,g,b"] {
        let more = ",5".repeat(names.matches(',').count() - 2);
        let rows = text("", |_, p| p.join(",") + &more);
        let refused = detect(&folder.write(format!("{names}\n?,2,3{more}\n{rows}")), "").refusal();
        assert!(refused.contains("line 2 is not numbers: '?,2,3"), "{refused}");
    }
    let refused =
        detect(&folder.write(text("", |_, p| p.join(" "))), "--columns -,x,y,z").refusal();
    assert!(refused.contains("text of 3 columns, and --columns names 4"), "{refused}");
}
