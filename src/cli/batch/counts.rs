//! What came of the files of a batch, in a line and as the end of the program.

use super::shard::Shard;
use super::summary::{self, Line};
use crate::cli::console::say;
use crate::cli::failure::Failure;
use crate::cli::words::counted;
use planes::Error;
use std::path::Path;

/// How many files came to what end.
pub struct Counts {
    all: usize,
    was_done: usize,
    failed: usize,
    skipped: usize,
}

impl Counts {
    pub fn new(lines: &[Line], was_done: usize) -> Counts {
        let skipped = lines.iter().filter(|line| line.is_skipped()).count();
        let failed = lines.iter().filter(|line| line.has_failed()).count();
        Counts { all: lines.len() - skipped, was_done, failed, skipped }
    }

    /// In a line.
    fn said(&self) -> String {
        let Counts { all, was_done, failed, skipped } = *self;
        let parts =
            [(all - was_done - failed, "done"), (was_done, "finished before"), (failed, "failed")];
        let parts =
            parts.into_iter().filter(|&(n, _)| n > 0).map(|(n, what)| format!("{n} {what}"));
        let parts = parts.collect::<Vec<_>>().join(", ");
        let files = match all {
            0 => "no files".to_owned(),
            _ => format!("{}: {parts}", counted(all as u64, "file")),
        };
        let others = match skipped {
            0 => String::new(),
            n => format!(
                "; passed over {n} that {} no cloud and no image",
                if n == 1 { "is" } else { "are" }
            ),
        };
        format!("{files}{others}")
    }
}

/// Says what came of all files of a batch, whose summary lies in `folder`.
pub fn report(counts: &Counts, folder: &Path, quiet: bool) -> Result<(), Failure> {
    let said = format!("{}; see {}", counts.said(), folder.join(summary::NAMES[0]).display());
    if counts.failed == counts.all {
        return Err(Error::Parameter(said).into());
    }
    say_counts(counts, &said, quiet)
}

/// Says what came of the files of a shard. That all of them failed says nothing of the others.
pub fn report_shard(counts: &Counts, shard: Shard, quiet: bool) -> Result<(), Failure> {
    say_counts(counts, &format!("shard {shard}: {}", counts.said()), quiet)
}

fn say_counts(counts: &Counts, said: &str, quiet: bool) -> Result<(), Failure> {
    if counts.failed > 0 || !quiet {
        say(said);
    }
    if counts.failed > 0 { Err(Failure::Some) } else { Ok(()) }
}
