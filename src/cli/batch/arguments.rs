//! The arguments of a batch.

use super::shard::{MOST, Shard};
use super::wanted::Outputs;
use crate::cli::lines::search::LineSearch;
use crate::cli::reading::Reading;
use crate::cli::search::{Machine, Search};
use crate::cli::values::count;
use clap::Args;
use std::path::PathBuf;

/// Find the planes of many clouds and the lines of many images, into one folder
///
/// Each file's results are called as with `detect --out DIR`, and summary.csv and summary.json tell
/// what came of each. A file that cannot be read is named on stderr and passed over. Stopped at any
/// moment, even killed, the same command goes on where it was: files that are finished are not
/// done again, unless they, the options or the program changed or results are missing. No result is ever
/// removed: of a file that is done again, all that lie there are renewed, those that are not asked for, too.
///
/// Results are called after their file; of a folder, its inner folders are kept. Files that would
/// share a name get their extension or the folder above into it: scan.las and scan.ply become
/// scan.las.json and scan.ply.json, a/scan.las and b/scan.las become a/scan.json and b/scan.json.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
#[command(after_help = "Exit codes: 0 all are done; 1 some failed, the others are done; \
    2 bad usage, or nothing could be done.\n\n\
    planes batch tiles --out results\n\
    planes batch 'scans/*.laz' more/scan.ply --out results --only json,labels\n\
    planes batch tiles --out results --shard 3/16   # and the other shards, then:\n\
    planes batch --collect --out results")]
pub struct Batch {
    /// Clouds, images, folders, or patterns such as 'tiles/**/*.laz'; in a folder and those below it, the
    /// files that are clouds or images, except hidden ones and what planes wrote
    #[arg(required_unless_present = "collect", value_name = "FILE|FOLDER|PATTERN")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub outputs: Outputs,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub line_search: LineSearch,
    #[command(flatten)]
    pub machine: Machine,
    /// Files to work on at the same time, which share the --threads; the results do not depend on it
    /// [default: files up to 8 MiB one a thread, larger ones one by one]
    #[arg(long, value_name = "N", help_heading = "Machine",
        value_parser = |text: &str| count::<u16>(text, 256))]
    pub jobs: Option<u16>,
    /// Do one share of the files, such as 3/16, the third of 16. Shards may run on any number of machines that
    /// share the folder of the results, at the same time or not; join their summaries with --collect
    #[arg(long, value_name = "K/N", help_heading = "Shards")]
    pub shard: Option<Shard>,
    /// Join the summaries of all shards in the folder into summary.csv and summary.json; N is their number,
    /// needed only if the folder has shards of several numbers
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, help_heading = "Shards",
        conflicts_with_all = NOT_TO_COLLECT,
        value_parser = |text: &str| count::<u32>(text, MOST.into()))]
    pub collect: Option<Option<u32>>,
}

/// What joining summaries has no use for: options, and groups of them.
const NOT_TO_COLLECT: [&str; 24] = [
    "files",
    "jobs",
    "shard",
    "only",
    "labels",
    "Styling",
    "Reading",
    "Choosing",
    "LineSearch",
    "Machine",
    // The group of these holds another, and to clap it is empty.
    "top",
    "tolerance",
    "widen",
    "angle",
    "curved",
    "min_inliers",
    "min_area",
    "min_votes",
    "refine",
    "space",
    "rho_bin",
    "vote",
    "one_pass",
    "orient",
];
