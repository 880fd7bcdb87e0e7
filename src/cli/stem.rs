//! What results are named after.

use std::ffi::OsStr;
use std::path::Path;

/// Extensions of compressed files, in small letters.
pub const PACKED: [&str; 3] = ["gz", "zst", "zstd"];

/// The name of a file without its extension; of a compressed one without both.
pub fn stem(file: &Path) -> Option<&OsStr> {
    let stem = file.file_stem()?;
    let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
    let is_packed = PACKED.iter().any(|&known| extension == known);
    if is_packed { Path::new(stem).file_stem() } else { Some(stem) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_files_have_two_extensions() {
        let of = |name| stem(Path::new(name)).and_then(OsStr::to_str).unwrap();
        assert_eq!(["d/a.ply", "a.ply.gz", "a.b.ZST", "a.gz"].map(of), ["a", "a", "a", "a"]);
        assert_eq!(["a.b.ply", "a.tar.bz2", "gz"].map(of), ["a.b", "a.tar", "gz"]);
    }
}
