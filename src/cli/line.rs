//! The command line that was given: that of the process, or what the module for Python passes on.

use std::ffi::OsString;
use std::sync::OnceLock;

static LINE: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps it, the name of the program first.
pub fn keep(line: impl IntoIterator<Item = OsString>) -> &'static [OsString] {
    LINE.get_or_init(|| line.into_iter().collect())
}

/// The command line as it may be given again.
pub fn again() -> String {
    let given = LINE.get().into_iter().flatten().skip(1).map(|word| word.to_string_lossy());
    let quoted = given.map(|a| if a.contains(' ') { format!("'{a}'") } else { a.into_owned() });
    std::iter::once("planes".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}
