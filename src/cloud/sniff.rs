//! What a file is, told by its first bytes.

use super::Format;

/// Formats that are not read: how they start, and what to say of them.
const FOREIGN: [(&[u8], &str); 26] = [
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"RIFF", "a WebP image, or sound, or video"),
    (b"ASTM-E57", "an E57 file; convert it to LAS or PLY"),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
    (b"# .PCD", "a PCD file; convert it to PLY"),
    (b"VERSION", "a PCD file; convert it to PLY"),
    (b"%PDF", "a PDF"),
    (b"SQLite", "a SQLite database"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array; save it as text or PLY"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
    (b"solid ", "an STL mesh; convert it to PLY"),
    (b"OFF", "an OFF mesh; convert it to PLY"),
    (b"{", "JSON"),
];

/// The format of a file that starts with `head`, or what it is instead.
pub(super) fn sniff(head: &[u8]) -> Result<Format, &'static str> {
    if head.is_empty() {
        return Err("the file is empty");
    }
    if head.starts_with(b"LASF") {
        let compressed = head.get(104).is_some_and(|format| format & 0xc0 != 0);
        return Ok(if compressed { Format::Laz } else { Format::Las });
    }
    if head
        .strip_prefix(b"ply")
        .is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))
    {
        return Ok(Format::Ply);
    }
    if let Some((_, what)) = FOREIGN.iter().find(|(start, _)| head.starts_with(start)) {
        return Err(what);
    }
    let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if head.iter().any(control) {
        return Err("binary data of an unknown kind");
    }
    Ok(Format::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_content() {
        assert_eq!(sniff(b""), Err("the file is empty"));
        assert_eq!(sniff(b"LASF"), Ok(Format::Las));
        let mut laz = [0; 200];
        laz[..4].copy_from_slice(b"LASF");
        laz[104] = 0x83;
        assert_eq!(sniff(&laz), Ok(Format::Laz));
        assert_eq!(sniff(b"ply\r\nformat"), Ok(Format::Ply));
        assert_eq!(sniff(b"plywood 1 2 3"), Ok(Format::Text));
        assert_eq!(sniff(b"1 2 3\n"), Ok(Format::Text));
        assert_eq!(sniff(b"1\x002\x003\x00\n\x00"), Err("binary data of an unknown kind"));
        for (start, what) in FOREIGN {
            assert_eq!(sniff(start), Err(what));
        }
    }
}
