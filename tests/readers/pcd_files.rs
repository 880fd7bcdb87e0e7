//! PCD: every way its data lie, every type, and what is wrong with it.

use super::common::{all, pcd::Pcd, source};
use super::*;

const DATA: [&str; 3] = ["ascii", "binary", "binary_compressed"];

#[test]
fn every_layout_gives_all_fields() {
    for data in DATA {
        for kind in [('F', 4), ('F', 8), ('I', 4), ('U', 2), ('I', 1), ('U', 8)] {
            for colour in ['F', 'U', 'I'] {
                let pcd = Pcd { data, kind, colour, ..Pcd::default() };
                let source = source(pcd.bytes());
                assert_eq!(source.format(), Format::PCD);
                assert_eq!(source.info().others, ["normal_x", "hist"]);
                pcd.check(&all(&source, Fields::ALL));
                let bare = all(&source, Fields::NONE);
                assert!(bare.colour.is_empty() && bare.label.is_empty());
            }
        }
    }
}

#[test]
fn channels_may_stand_apart_and_need_each_other() {
    let text = |fields: &str, count: usize, row: &str| {
        let ones = " 1".repeat(count);
        let (sizes, types) = (" 4".repeat(count), " U".repeat(count));
        format!(
            "VERSION .7\nFIELDS x y z {fields}\nSIZE 4 4 4{sizes}\nTYPE F F F{types}\nCOUNT 1 1 1{ones}\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3 {row}\n"
        )
    };
    let apart = source(text("r g b", 3, "10 20 30").into_bytes());
    assert_eq!(all(&apart, Fields::ALL).colour, [[10, 20, 30]]);
    let packed = source(text("r g b rgba", 4, "10 20 30 4278255361").into_bytes());
    assert_eq!(all(&packed, Fields::ALL).colour, [[0, 0xff, 1]]);
    assert_eq!(packed.info().others, ["r", "g", "b"]);
    let lone = source(text("r g", 2, "10 20").into_bytes());
    assert!(!lone.info().fields.colour && all(&lone, Fields::ALL).colour.is_empty());
}

#[test]
fn a_grid_and_its_viewpoint_are_told() {
    let pcd = Pcd { height: 10, viewpoint: "1 -2 0.5 0 1 0 0", ..Pcd::default() };
    let grid = source(pcd.bytes());
    assert_eq!(grid.info().description, "PCD binary, float coordinates, 20 x 10");
    assert_eq!(grid.info().scanner, Some([1.0, -2.0, 0.5]));
    assert_eq!(source(Pcd::default().bytes()).info().scanner, None);
    pcd.check(&all(&grid, Fields::ALL));
}

#[test]
fn files_that_end_early_or_are_damaged_say_where() {
    for data in DATA {
        let whole = Pcd { data, ..Pcd::default() }.bytes();
        let header = Pcd { data, ..Pcd::default() }.header().len();
        for length in
            [header - 1, header, header + 3, header + 9, whole.len() / 2, whole.len() - 30]
        {
            error(&whole[..length]);
        }
    }
    let promised = 1 << 40;
    for (data, place) in
        [("ascii", "point 200"), ("binary", "point 200"), ("binary_compressed", "compressed data")]
    {
        let message = error(Pcd { data, promised: Some(promised), ..Pcd::default() }.bytes());
        assert!(message.starts_with(place), "{message}");
    }
    let whole = Pcd { data: "binary_compressed", ..Pcd::default() };
    let (header, mut bytes) = (whole.header().len(), whole.bytes());
    // A reference to what stands before the start.
    bytes[header + 8] = 0x3f;
    assert_eq!(
        error(bytes.clone()),
        "compressed data: damaged after 0 bytes: a reference to what stands before the start"
    );
    bytes[header..header + 4].copy_from_slice(&7_u32.to_le_bytes());
    assert!(error(bytes).ends_with("bytes cannot hold the 7000 that they promise"));
    assert_eq!(
        error(whole.header().replace("FIELDS normal_x x", "FIELDS normal_x u")),
        "header: a point has no x, y and z"
    );
    let message =
        error(Pcd { data: "ascii", count: 2, ..Pcd::default() }.header() + "0.5 1 2 9 9 9\n");
    assert!(message.starts_with("line 12: column 7 is missing"), "{message}");
}

#[test]
fn what_stands_behind_the_points_is_told() {
    for data in DATA {
        let whole = Pcd { data, ..Pcd::default() }.bytes();
        assert_eq!(source(whole.clone()).notes(), []);
        let joined = whole.repeat(2);
        let notes: Vec<String> =
            source(joined.clone()).notes().iter().map(ToString::to_string).collect();
        match data {
            "ascii" => {
                let message = error(joined);
                assert!(
                    message.starts_with("point 200: the header promises 200, and the file goes on"),
                    "{message}"
                );
                let blank = [&whole[..], b"\n \n"].concat();
                assert_eq!(all(&source(blank), Fields::NONE).x.len(), 200);
            }
            "binary" => assert!(notes[0].starts_with("the header says 200 points"), "{notes:?}"),
            _ => {
                let message = format!("{} bytes behind the points are not read", whole.len());
                assert!(notes[0].starts_with(&message), "{notes:?}");
            }
        }
    }
}
