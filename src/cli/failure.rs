//! How a command ends that does not come to its end.

use std::io;

/// What ends a command early.
#[derive(Debug)]
pub enum Failure {
    /// The library says why.
    Library(planes::Error),
    /// Standard output could not be written.
    Output(io::Error),
    /// Some files failed while others were done; each was named already.
    Some,
    /// All of several files failed; each was named already.
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

/// Exit code for bad usage and bad input; clap's own for bad usage.
pub const BAD_INPUT: u8 = 2;
/// Exit code when some of several files failed and the others are done.
pub const SOME_FAILED: u8 = 1;

/// Whether no other file would fare better: there is no room for results, or no device.
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

/// What the library says of an error, in the words of the command line.
pub fn message(error: &planes::Error) -> String {
    match error {
        // These quote files and systems.
        planes::Error::Format { .. } | planes::Error::Io { .. } => error.to_string(),
        _ => with_options(&error.to_string()),
    }
}

/// What the library says, with its fields as the options that they are here.
pub fn with_options(text: &str) -> String {
    let text = text.to_owned();
    FIELDS.iter().fold(text, |text, (field, option)| text.replace(&format!("`{field}`"), option))
}

/// The fields that errors name, and the options that set them.
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
