//! How commands fail.

use std::io;

/// What ends a command early.
#[derive(Debug)]
pub enum Failure {
    /// An error of the library.
    Library(planes::Error),
    /// Standard output could not be written.
    Output(io::Error),
    /// Some files failed while others were done; each failure was reported already.
    Some,
    /// All of several files failed; each failure was reported already.
    All,
}

impl From<planes::Error> for Failure {
    fn from(error: planes::Error) -> Failure {
        Failure::Library(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// Exit code of what was done.
pub const DONE: u8 = 0;
/// Exit code for bad usage and bad input; clap uses the same for bad usage.
pub const BAD_INPUT: u8 = 2;
/// Exit code when some of several files failed and the others are done.
pub const SOME_FAILED: u8 = 1;

/// Whether every other file would fail, too: there is no room for results, or no device.
pub fn concerns_all(error: &planes::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match error {
        planes::Error::Io { source, .. } => {
            matches!(source.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
        }
        planes::Error::NoDevice(_)
        | planes::Error::Device { .. }
        | planes::Error::DeviceMemory { .. } => true,
        _ => false,
    }
}

/// The message of a library error, in the terms of the command line.
pub fn message(error: &planes::Error) -> String {
    match error {
        // These quote files and the system.
        planes::Error::Format { .. } | planes::Error::Io { .. } => error.to_string(),
        _ => with_options(&error.to_string()),
    }
}

/// A message of the library, with its fields replaced by the options that set them.
pub fn with_options(text: &str) -> String {
    let text = text.to_owned();
    FIELDS.iter().fold(text, |text, (field, option)| text.replace(&format!("`{field}`"), option))
}

/// The fields named in errors, and the options that set them.
const FIELDS: &[(&str, &str)] = &[
    ("angle", "--angle"),
    ("bbox", "--bbox"),
    ("classes", "--class"),
    ("columns", "--columns"),
    ("directions", "--space"),
    ("distance", "--distance"),
    ("every", "--every"),
    ("false_alarms", "--false-alarms"),
    ("iou", "--iou"),
    ("labels", "--labels"),
    ("max_gap", "--max-gap"),
    ("min_area", "--min-area"),
    ("min_inliers", "--min-inliers"),
    ("min_length", "--min-length"),
    ("orient", "--orient"),
    ("overlap", "--overlap"),
    ("refine", "--refine"),
    ("rho_bin", "--rho-bin"),
    ("rho_step", "--rho-step"),
    ("theta_step", "--theta-step"),
    ("tolerance", "--tolerance"),
    ("top", "--top"),
    ("widen", "--widen"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_options() {
        let wrong = planes::Error::Parameter("`min_inliers` and `classes` are at least 1".into());
        assert_eq!(message(&wrong), "--min-inliers and --class are at least 1");
        let space = planes::Error::Parameter("space `cube:3`: expected another".into());
        assert_eq!(message(&space), "space `cube:3`: expected another");
        let format = planes::Error::format("a.json", "line 1", "missing field `planes`");
        assert_eq!(message(&format), "a.json: line 1: missing field `planes`");
    }
}
