//! Log messages; warnings are also kept for a summary.

use super::words::clean;
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Whether warnings are kept.
static WANTED: AtomicBool = AtomicBool::new(false);
/// Warnings that have not been taken yet.
static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The visible log, and the kept warnings, which need not be visible.
struct Both(env_logger::Logger);

/// Starts the log.
pub fn install(shown: env_logger::Logger) {
    let level = shown.filter().max(LevelFilter::Warn);
    if log::set_boxed_logger(Box::new(Both(shown))).is_ok() {
        log::set_max_level(level);
    }
}

/// Keeps warnings from now on, for [`take`].
pub fn keep() {
    WANTED.store(true, Relaxed);
}

/// The warnings about a file since the last call, without the file's name at their beginning.
pub fn take(file: &str) -> Vec<String> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let about = |text: &String| text.strip_prefix(file)?.strip_prefix(": ").map(str::to_owned);
    let taken = kept.iter().filter_map(about).collect();
    kept.retain(|text| about(text).is_none());
    taken
}

impl Log for Both {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.level() <= Level::Warn || self.0.enabled(metadata)
    }

    fn log(&self, record: &Record) {
        if record.level() <= Level::Warn && WANTED.load(Relaxed) {
            let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(record.args().to_string());
        }
        if self.0.matches(record) {
            let text = record.args().to_string();
            // File names may contain characters that control a terminal.
            let shown = |args| {
                self.0
                    .log(&Record::builder().metadata(record.metadata().clone()).args(args).build())
            };
            shown(format_args!("{}", clean(&text)));
        }
    }

    fn flush(&self) {
        self.0.flush();
    }
}
