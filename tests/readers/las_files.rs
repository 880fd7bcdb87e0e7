//! LAS: every version and point format, and headers that lie.

use crate::*;

#[test]
fn every_point_format() {
    for format in 0..=10 {
        let file = Las { format, count: 300, ..Las::default() };
        let source = source(file.plain());
        assert_eq!(source.format(), Format::LAS);
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
