//! PLY: every type in every encoding.

use crate::*;
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
