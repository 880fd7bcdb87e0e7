//! Files of labels alone: NumPy arrays, and text files with one number per line.

use crate::cloud::npy_labels;
use crate::{Error, Result};
use std::path::Path;

/// Reads the labels in a file: an array of whole numbers in NumPy's format (`.npy`), of any type and shape, read row
/// by row, or a text with one number per line, as in Semantic3D, perhaps below a line that names them. Numbers below
/// 0 mean no plane.
///
/// # Errors
/// [`Error::Io`], and [`Error::Format`] with the line, the number of the label or the position in the
/// header.
pub fn read_labels(path: &Path) -> Result<Vec<i32>> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let labels =
        if bytes.starts_with(npy_labels::MAGIC) { npy_labels::read(&bytes) } else { text(&bytes) };
    labels.map_err(|(place, message)| Error::format(path, place, message))
}

/// The position of an error, and its message.
type Wrong = (String, String);

/// What some programs write in front of a text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn text(bytes: &[u8]) -> std::result::Result<Vec<i32>, Wrong> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).enumerate();
    let label = |(i, line): (usize, &[u8])| {
        // Some programs write labels as "2.0".
        let number = fast_float2::parse::<f64, _>(line).ok().filter(|v| v.fract() == 0.0);
        let label = number.filter(|v| (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(v));
        label.map(|v| v as i32).ok_or_else(|| {
            let shown: String = String::from_utf8_lossy(line).chars().take(20).collect();
            (format!("line {}", i + 1), format!("'{shown}' is no label"))
        })
    };
    let mut lines = lines.filter(|(_, line)| !line.is_empty()).peekable();
    lines.next_if(|(_, line)| is_heading(line));
    lines.map(label).collect()
}

/// Whether a line is the name of the labels below it.
pub(super) fn is_heading(line: &[u8]) -> bool {
    let start = line.iter().position(|byte| !b"#/\" ".contains(byte)).unwrap_or(line.len());
    let name = line[start..].trim_ascii_end();
    let name = name.strip_suffix(b"\"").unwrap_or(name);
    let is_number = fast_float2::parse::<f64, _>(name).is_ok();
    !is_number
        && name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_ ".contains(byte))
        && name.iter().filter(|&&byte| byte == b' ').count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::npy::save_npy;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let labels = [-1, 0, 7, i32::MAX, i32::MIN];
        save_npy(&labels, &path).unwrap();
        assert_eq!(read_labels(&path).unwrap(), labels);
        let text = folder.path().join("a.labels");
        std::fs::write(&text, "-1\r\n0\n 7.0\n\n2147483647").unwrap();
        assert_eq!(read_labels(&text).unwrap(), labels[..4]);
    }

    #[test]
    fn lines_that_are_no_labels_are_named() {
        let wrong =
            |what: &str, line| Err((format!("line {line}"), format!("'{what}' is no label")));
        assert_eq!(text(b"1\n\n1.5\n"), wrong("1.5", 3));
        assert_eq!(text(b"1 2 3"), wrong("1 2 3", 1));
        assert_eq!(text(b"3e9"), wrong("3e9", 1));
        assert_eq!(text(b"nan"), wrong("nan", 1));
        assert_eq!(text(b""), Ok(vec![]));
        assert_eq!(text(b"plane_id\n-1\nx\n"), wrong("x", 3));
    }

    #[test]
    fn labels_may_have_a_heading() {
        for heading in [
            "plane_id",
            "my label",
            "\u{feff}label",
            "\"label\"",
            "# plane_id",
            "//scalar_plane_id\r",
        ] {
            assert_eq!(text(format!("{heading}\n2\n-1\n").as_bytes()), Ok(vec![2, -1]));
        }
    }
}
