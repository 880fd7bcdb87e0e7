//! Files that are no clouds, told by their first bytes.

/// Formats that are not read: how they start, and what to say of them.
pub(super) const FOREIGN: [(&[u8], &str); 24] = [
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"RIFF", "a WebP image, or sound, or video"),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
    (b"%PDF", "a PDF"),
    (b"SQLite", "a SQLite database"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
    (b"solid ", "an STL mesh; convert it to PLY"),
    (b"OFF", "an OFF mesh; convert it to PLY"),
    (b"{", "JSON"),
    // Their centroids and ends would pass for points.
    (
        b"id,normal_x,normal_y,normal_z,offset,slope,aspect,",
        "a table of planes that planes wrote; name the cloud itself",
    ),
    (b"line,theta,rho,votes,", "a table of lines that planes wrote"),
];

/// What a file is that starts with `head`, where it is neither text nor of a format with a mark of its own.
pub(super) fn foreign(head: &[u8]) -> Option<&'static str> {
    if head.is_empty() {
        return Some("the file is empty");
    }
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if let Some((_, what)) = FOREIGN.iter().find(|(start, _)| head.starts_with(start)) {
        return Some(what);
    }
    let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    head.iter().any(control).then_some("binary data of an unknown kind")
}
