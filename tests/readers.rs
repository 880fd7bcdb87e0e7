//! Reading clouds, as a user of the library sees it.

mod common;

use common::{Las, all, points, shared, source};
use planes::cloud::{Chunk, Fields, Format, Source};

const KINDS: [&str; 10] = [
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
];

/// The error that opening or reading `bytes` ends in.
fn error(bytes: impl Into<Vec<u8>>) -> String {
    let read = Source::from_bytes(bytes.into()).and_then(|source| {
        let mut reader = source.reader(Fields::ALL)?;
        let mut chunk = Chunk::default();
        loop {
            reader.read(&mut chunk, 1000)?;
            if chunk.is_empty() {
                return Ok(());
            }
        }
    });
    let message = read.expect_err("this must not be read").to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message.strip_prefix("<memory>: ").expect("the file's name").to_string()
}

mod real {
    use super::*;

    /// Reads a shared cloud, or says that it is missing.
    fn cloud(name: &str) -> Option<(Source, Chunk)> {
        let source = Source::open(shared(name)?).unwrap();
        let chunk = all(&source, Fields::ALL);
        Some((source, chunk))
    }

    #[test]
    fn las_and_laz_agree_with_the_las_crate() {
        for name in ["autzen_trim.las", "autzen_crop.laz", "indoor.laz"] {
            let Some((source, chunk)) = cloud(name) else {
                continue;
            };
            let mut reader = las::Reader::from_path(source.path()).unwrap();
            let points = reader.read_all().unwrap();
            assert_eq!(source.info().points, Some(points.len() as u64));
            assert_eq!(chunk.len(), points.len());
            assert!(points.x().eq(chunk.x.iter().copied()), "{name}");
            assert!(points.y().eq(chunk.y.iter().copied()), "{name}");
            assert!(points.z().eq(chunk.z.iter().copied()), "{name}");
            assert!(points.intensity().eq(chunk.intensity.iter().copied()), "{name}");
        }
    }

    #[test]
    fn counts_and_descriptions() {
        for (name, count, description) in [
            ("autzen_trim.las", 110_000, "LAS 1.2, point format 3"),
            ("hippo1.ply", 30_519, "PLY binary little endian, float coordinates"),
            (
                "roofs_utm_test1.txt",
                1_591,
                "text, columns x y z intensity red green blue by blanks",
            ),
            ("roof_labelled_1977.txt", 2_048, "text, columns x y z label by blanks"),
        ] {
            let Some((source, chunk)) = cloud(name) else {
                continue;
            };
            assert_eq!(chunk.len(), count, "{name}");
            assert_eq!(source.info().description, description);
        }
    }

    #[test]
    fn labels_of_a_ply() {
        let Some((_, chunk)) = cloud("planes12_10k.ply") else {
            return;
        };
        assert_eq!(chunk.label.len(), 10_000);
        assert_eq!(chunk.label.iter().filter(|&&label| label == -1).count(), 20);
        assert_eq!(chunk.label.iter().max(), Some(&11));
    }
}

mod las_files {
    use super::*;

    #[test]
    fn every_point_format() {
        for format in 0..=10 {
            let file = Las { format, count: 300, ..Las::default() };
            let source = source(file.plain());
            assert_eq!(source.format(), Format::Las);
            file.check(&all(&source, Fields::ALL));
        }
    }

    #[test]
    fn every_version() {
        for minor in 0..=5 {
            let file = Las { minor, format: 1, count: 5, ..Las::default() };
            file.check(&all(&source(file.plain()), Fields::ALL));
        }
    }

    #[test]
    fn the_count_of_las_1_4() {
        let file = Las { minor: 4, count: 20, legacy_count: 0, format: 6, ..Las::default() };
        file.check(&all(&source(file.plain()), Fields::ALL));
        let file = Las { minor: 4, count: 20, legacy_count: 19, ..Las::default() };
        assert_eq!(error(file.plain()), "header: its two point counts differ");
    }

    #[test]
    fn labels_are_an_extra_dimension_of_any_type() {
        for (code, _) in (1..).zip(KINDS) {
            let file = Las { label: Some(code), count: 100, ..Las::default() };
            file.check(&all(&source(file.plain()), Fields::ALL));
        }
    }

    #[test]
    fn eight_bit_colours_in_sixteen_bits() {
        let file = Las { format: 2, count: 100, colour_shift: 0, ..Las::default() };
        file.check(&all(&source(file.plain()), Fields::ALL));
    }

    #[test]
    fn a_truncated_file_names_the_first_missing_point() {
        let file = Las { count: 50, ..Las::default() };
        let mut bytes = file.plain();
        bytes.truncate(bytes.len() - 21);
        assert_eq!(error(bytes), "point 48: the file ends here, its header promises 50");
    }

    #[test]
    fn two_to_the_sixty_points() {
        let file = Las { minor: 4, count: 3, promised: Some(1 << 60), ..Las::default() };
        assert!(error(file.plain()).starts_with("point 3: the file ends here"));
    }

    #[test]
    fn headers_that_lie() {
        let bytes = Las { count: 3, ..Las::default() }.plain();
        let with = |at: usize, value: &[u8]| {
            let mut bytes = bytes.clone();
            bytes[at..at + value.len()].copy_from_slice(value);
            error(bytes)
        };
        assert_eq!(with(24, &[2]), "header: LAS version 2.2 is unknown");
        assert_eq!(with(104, &[11]), "header: point format 11 is unknown");
        assert_eq!(with(105, &[19, 0]), "header: point format 0 needs records of 20 bytes, not 19");
        assert_eq!(with(96, &[9, 0, 0, 0]), "header: the points cannot start at byte 9 of 344");
        assert_eq!(
            with(131, &f64::NAN.to_le_bytes()),
            "header: a scale or an offset is not a finite number"
        );
        assert_eq!(error(&bytes[..200]), "header: the file ends inside the header");
        assert_eq!(error(&bytes[..4]), "header: the file ends inside the header");
    }

    #[test]
    fn few_points_and_one_place() {
        let empty = Las { count: 0, ..Las::default() };
        assert_eq!(all(&source(empty.plain()), Fields::ALL).len(), 0);
        let one = Las { count: 1000, same: true, ..Las::default() };
        one.check(&all(&source(one.plain()), Fields::ALL));
    }
}

mod laz_files {
    use super::*;

    #[test]
    fn every_point_format_and_kind_of_chunk() {
        for format in [0, 1, 2, 3, 6, 7, 8] {
            for chunk_size in [Some(7), Some(1000), None] {
                let file = Las { format, count: 300, minor: 4, ..Las::default() };
                let source = source(file.compressed(chunk_size));
                assert_eq!(source.format(), Format::Laz);
                for fields in [Fields::ALL, Fields::NONE] {
                    let chunk = all(&source, fields);
                    assert!(
                        chunk
                            == Chunk {
                                x: chunk.x.clone(),
                                y: chunk.y.clone(),
                                z: chunk.z.clone(),
                                ..Chunk::default()
                            }
                            || fields == Fields::ALL
                    );
                    file.check_xyz(&chunk);
                }
                file.check(&all(&source, Fields::ALL));
            }
        }
    }

    #[test]
    fn one_chunk_larger_than_is_decoded_at_once() {
        let file = Las { count: 300_000, ..Las::default() };
        file.check(&all(&source(file.compressed(Some(300_000))), Fields::ALL));
    }

    #[test]
    fn without_a_list_of_chunks() {
        let file = Las { count: 1000, ..Las::default() };
        let mut bytes = file.compressed(Some(64));
        let start = file.start_of_compressed();
        let list = u64::from_le_bytes(bytes[start..start + 8].try_into().unwrap());
        bytes.truncate(list as usize);
        bytes[start..start + 8].copy_from_slice(&(-1_i64).to_le_bytes());
        file.check(&all(&source(bytes), Fields::ALL));
    }

    #[test]
    fn truncated_and_altered() {
        let file = Las { count: 2000, ..Las::default() };
        let bytes = file.compressed(Some(500));
        for length in (0..bytes.len()).step_by(97) {
            error(&bytes[..length]);
        }
        // Altered bytes give an error or other points, never a panic; most of the file is data.
        for at in (0..bytes.len()).step_by(11) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x55;
            if let Ok(source) = Source::from_bytes(bytes) {
                let _ = points(&source, Fields::ALL, 333);
            }
        }
    }

    #[test]
    fn two_to_the_sixty_points() {
        let file = Las { minor: 4, count: 30, promised: Some(1 << 60), ..Las::default() };
        let message = error(file.compressed(Some(50)));
        assert_eq!(
            message,
            "point 50: the chunks end here, the header promises 1152921504606846976 points"
        );
    }
}

mod ply_files {
    use super::*;
    use common::ply::{Body, Ply};

    #[test]
    fn every_type_in_every_encoding() {
        for body in [Body::Ascii, Body::Little, Body::Big] {
            for kind in KINDS {
                for lists in [false, true] {
                    let file = Ply { body, kind, lists, ..Ply::default() };
                    let chunk = all(&source(file.bytes()), Fields::ALL);
                    file.check(&chunk);
                }
            }
        }
    }

    #[test]
    fn elements_around_the_vertices_and_line_ends_of_windows() {
        for body in [Body::Ascii, Body::Little, Body::Big] {
            let file = Ply { body, around: true, crlf: true, lists: true, ..Ply::default() };
            file.check(&all(&source(file.bytes()), Fields::ALL));
        }
    }

    #[test]
    fn truncated() {
        for body in [Body::Little, Body::Big] {
            let bytes = Ply { body, ..Ply::default() }.bytes();
            assert_eq!(
                error(&bytes[..bytes.len() - 1]),
                "point 199: the file ends before, its header promises 200"
            );
            let bytes = Ply { body, lists: true, ..Ply::default() }.bytes();
            let message = error(&bytes[..bytes.len() - 1]);
            assert!(
                message.ends_with("the file ends before its header's counts are reached"),
                "{message}"
            );
        }
        let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n4 5 6\n";
        assert_eq!(error(text), "point 2: the file ends before, its header promises 3");
        assert_eq!(error(format!("{text}7 8")), "line 10: column 3 is missing");
        assert_eq!(error(format!("{text}7 8 z")), "line 10: column 3: 'z' is not a number");
    }

    #[test]
    fn two_to_the_sixty_points() {
        for (body, lists) in [(Body::Ascii, false), (Body::Little, false), (Body::Little, true)] {
            let file = Ply { body, lists, promised: Some(1 << 60), ..Ply::default() };
            let message = error(file.bytes());
            assert!(message.ends_with("its header promises 1152921504606846976"), "{message}");
        }
    }

    #[test]
    fn a_header_that_is_none() {
        assert_eq!(error("ply\n"), "line 1: the header does not end");
        let header = "ply\nformat binary_little_endian 1.0\nelement face 0\nend_header\n";
        assert_eq!(error(header), "header: there is no element vertex");
        let header = "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n";
        assert_eq!(error(header), "header: a vertex has no x, y and z");
    }

    #[test]
    fn a_list_of_negative_length() {
        let mut bytes = b"ply\nformat binary_little_endian 1.0\nelement strip 1\nproperty list char int i\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n".to_vec();
        bytes.push(0xff);
        assert_eq!(error(bytes), "byte 157: the length of a list is negative");
    }

    #[test]
    fn values_that_are_not_finite_or_huge() {
        let file = Ply { kind: "float32", special: true, ..Ply::default() };
        let chunk = all(&source(file.bytes()), Fields::ALL);
        assert!(chunk.x[0].is_nan());
        assert_eq!(chunk.y[0], f64::INFINITY);
        assert_eq!(chunk.z[0], f64::from(1e30_f32));
    }
}

mod text_files {
    use super::*;

    fn xyz(text: &str) -> Vec<[f64; 3]> {
        let chunk = all(&source(text.as_bytes().to_vec()), Fields::ALL);
        (0..chunk.len()).map(|i| [chunk.x[i], chunk.y[i], chunk.z[i]]).collect()
    }

    const TWO: [[f64; 3]; 2] = [[1.0, -2.5, 3e5], [4.0, 5.0, 6.0]];

    #[test]
    fn the_ways_to_write_two_points() {
        for text in [
            "1 -2.5 3e5\n4 5 6\n",
            "1 -2.5 3e5\n4 5 6",
            "  1\t-2.5   +3.0E+5 \r\n\r\n4 5 6\r\n",
            "1,-2.5,300000\n4, 5 ,6\n",
            "1;-2.5;300000;tree\n4;5;6;house\n",
            "x,y,z\n1,-2.5,3e5\n4,5,6\n",
            "\"X [m]\";\"Y [m]\";\"Z [m]\"\n1;-2.5;3e5\n4;5;6\n",
            "//X,Y,Z\n1,-2.5,3e5\n# in between\n4,5,6\n",
            "# z y x\n3e5 -2.5 1\n6 5 4\n",
            "id,z,y,x,name\nA7,3e5,-2.5,1,a b c\nA8,6,5,4,\n",
            "2\n1 -2.5 3e5\n4 5 6\n",
            "\u{feff}1 -2.5 3e5\n4 5 6\n",
            "longitude latitude depth\n1 -2.5 3e5\n4 5 6\n",
            "1 -2.5 3e5 0.1 0.2 -0.3\n4 5 6 0 0 1\n",
        ] {
            assert_eq!(xyz(text), TWO, "{text:?}");
        }
    }

    #[test]
    fn columns_without_names() {
        let chunk = all(&source("1 2 3 -1272 10 20 30\n".into()), Fields::ALL);
        assert_eq!((chunk.colour[0], chunk.intensity[0]), ([10, 20, 30], 0));
        let chunk = all(&source("1 2 3 10 20 30\n".into()), Fields::ALL);
        assert_eq!((chunk.colour[0], chunk.intensity.len()), ([10, 20, 30], 0));
        let chunk = all(&source("1 2 3 5.0\n1 2 3 -1\n".into()), Fields::ALL);
        assert_eq!((chunk.label, chunk.intensity.len()), (vec![5, -1], 0));
        let chunk = all(&source("1 2 3 5.5\n1 2 3 7\n".into()), Fields::ALL);
        assert_eq!((chunk.label.len(), chunk.intensity), (0, vec![5, 7]));
    }

    #[test]
    fn columns_with_names() {
        let text = "x y z r g b intensity plane_id\n1 2 3 0.5 1 0 0.25 4\n1 2 3 0 0 0 1 -1\n";
        let chunk = all(&source(text.into()), Fields::ALL);
        assert_eq!(chunk.colour, [[128, 255, 0], [0; 3]]);
        assert_eq!(chunk.intensity, [16384, 65535]);
        assert_eq!(chunk.label, [4, -1]);
        let chunk = all(&source(text.into()), Fields::NONE);
        assert_eq!((chunk.colour.len(), chunk.intensity.len(), chunk.label.len()), (0, 0, 0));
    }

    #[test]
    fn values_that_are_not_finite_or_huge() {
        let got = xyz("nan 1e30 -inf\n-NaN Infinity 1e400\n-1.#IND 1.#INF 1e-400\nnan(ind) 1 2\n");
        assert!(
            got[0][0].is_nan() && got[1][0].is_nan() && got[2][0].is_nan() && got[3][0].is_nan()
        );
        assert_eq!(got[0][1..], [1e30, f64::NEG_INFINITY]);
        assert_eq!(got[1][1..], [f64::INFINITY, f64::INFINITY]);
        assert!(!got[2][1].is_finite());
        assert_eq!(got[2][2], 0.0);
        assert_eq!(got[3][1..], [1.0, 2.0]);
    }

    #[test]
    fn faults_name_their_line() {
        assert_eq!(error("# a\n\n1 2 3\n1 2\n"), "line 4: column 3 is missing");
        assert_eq!(error("1 2 3\n1 2 3x\n"), "line 2: column 3: '3x' is not a number");
        assert_eq!(error("1,2,3\n1,,3\n"), "line 2: column 2 is missing");
        assert_eq!(error("5\n1 2 3\n"), "line 1: 5 points are promised, the file holds 1");
        assert_eq!(error("1\n1 2 3\n4 5 6\n"), "line 1: 1 points are promised, there are more");
        let huge = format!("{}\n1 2 3\n", 1_u64 << 60);
        assert_eq!(
            error(huge),
            "line 1: 1152921504606846976 points are promised, the file holds 1"
        );
        let long = format!("1 2 3\n1 2 3 {}\n", "a".repeat(2 << 20));
        assert_eq!(error(long), "line 2: the line is longer than 1 MiB");
        let binary = [b"1 2 3\n".repeat(2000), b"\0\x01\n".to_vec()].concat();
        assert_eq!(error(binary), "line 2001: column 1: '\u{fffd}\u{fffd}…' is not a number");
    }

    #[test]
    fn a_fault_far_into_the_file_names_its_line() {
        let mut text = "1.25 2.5 3.75 a comment at the end of each line\n".repeat(400_000);
        text.push_str("1.25 2.5 oops\n");
        text.push_str(&"1 2 3\n".repeat(100_000));
        assert_eq!(error(text), "line 400001: column 3: 'oops' is not a number");
    }

    #[test]
    fn many_blocks_keep_the_order() {
        let count = 700_000_usize;
        let text: String = (0..count).map(|i| format!("{i} {}.5 -7\n", i % 1000)).collect();
        assert!(text.len() > 8 << 20);
        let chunk = all(&source(text.into_bytes()), Fields::NONE);
        assert_eq!(chunk.len(), count);
        assert!(chunk.x.iter().enumerate().all(|(i, &x)| x == i as f64));
    }
}

mod other_files {
    use super::*;

    #[test]
    fn what_is_no_cloud_says_what_it_is() {
        let not = "not a cloud that planes can read: ";
        for (bytes, what) in [
            (&b""[..], "the file is empty"),
            (b"\x89PNG\r\n\x1a\n", "a PNG image"),
            (b"PK\x03\x04", "a zip archive; unpack it first"),
            (b"\x1f\x8b\x08", "a gzip archive; unpack it first"),
            (b"ASTM-E57", "an E57 file; convert it to LAS or PLY"),
            (b"# .PCD v0.7\n", "a PCD file; convert it to PLY"),
            (b"\xff\xfe1\x00", "UTF-16 text; save it as UTF-8"),
            (b"1\0 \x002\0", "binary data of an unknown kind"),
            (b"  \n# nothing\n", "text without a line of three or more numbers"),
            (b"1 2\n", "text, but line 1 is not numbers"),
            (b"Dear all,\nthe scan\nis late.\n", "text, but line 2 is not numbers: 'the scan'"),
            (b"4\n5\n0 0 0\n", "a PTX scan, or two counts of points; save it as LAS or PLY"),
            (b"1 2 3\r4 5 6\r", "its lines end in a lone carriage return; save it with line feeds"),
        ] {
            assert_eq!(error(bytes), format!("{not}{what}"));
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Source::open("no/such/cloud.las").unwrap_err().to_string();
        assert!(error.starts_with("no/such/cloud.las: "), "{error}");
    }

    #[test]
    fn the_name_of_a_file_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud.laz");
        std::fs::write(&path, "1 2 3\n").unwrap();
        let source = Source::open(&path).unwrap();
        assert_eq!(source.format(), Format::Text);
        assert_eq!(source.path(), path);
        assert_eq!(all(&source, Fields::ALL).len(), 1);
    }
}

/// Every limit, every number of threads and every pass give the same points.
#[test]
fn limits_threads_and_passes_change_nothing() {
    let las = Las { count: 20_000, format: 3, ..Las::default() };
    let ply = |body, lists| common::ply::Ply { body, lists, count: 20_000, ..Default::default() };
    let text: String = (0..20_000).map(|i| format!("{i} 0.5 {} 7 1 2 3\n", i * 2)).collect();
    for bytes in [
        las.plain(),
        las.compressed(Some(999)),
        ply(common::ply::Body::Little, false).bytes(),
        ply(common::ply::Body::Big, true).bytes(),
        ply(common::ply::Body::Ascii, true).bytes(),
        text.into_bytes(),
    ] {
        let source = source(bytes);
        let whole = all(&source, Fields::ALL);
        assert_eq!(whole.len(), 20_000);
        for limit in [1, 777, 4096, 5000, 19_999] {
            assert!(points(&source, Fields::ALL, limit).unwrap() == whole, "{limit}");
        }
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| all(&source, Fields::ALL)) == whole, "{threads}");
        }
    }
}
