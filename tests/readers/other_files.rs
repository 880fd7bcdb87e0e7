//! What is no cloud.

use crate::*;

#[test]
fn what_is_no_cloud_says_what_it_is() {
    let not = "not a cloud that planes can read: ";
    for (bytes, what) in [
        (&b""[..], "the file is empty"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"PK\x03\x04", "a zip archive; unpack it first"),
        (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
        (b"\xff\xfe1\x00", "UTF-16 text; save it as UTF-8"),
        (b"1\0 \x002\0", "binary data of an unknown kind"),
        (b"  \n# nothing\n", "text without a line of three or more numbers"),
        (b"1 2\n", "text, but line 1 has two numbers, and a point has three"),
        (b"Dear all,\nthe scan\nis late.\n", "text, but line 2 is not numbers: 'the scan'"),
        (b"4\n5\n0 0 0\n", "a PTX scan, or two counts of points; save it as LAS or PLY"),
        (b"1 2 3\r4 5 6\r", "its lines end in a lone carriage return; save it with line feeds"),
    ] {
        assert_eq!(error(bytes), format!("{not}{what}"));
    }
}

#[test]
fn lone_carriage_returns_are_named_in_files_of_any_length() {
    let long = "500000.25 4600000.5 303.125\r".repeat(20_000);
    let lone = "its lines end in a lone carriage return; save it with line feeds";
    assert!(error(long.as_bytes()).ends_with(lone));
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
    assert_eq!(source.format(), Format::TEXT);
    assert_eq!(source.path(), path);
    assert_eq!(all(&source, Fields::ALL).len(), 1);
}
