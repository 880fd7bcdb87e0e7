//! Progress bars on stderr, on a terminal only.

use super::words::clean;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};
use planes::detect::Progress;
use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The bars that may be on the terminal.
static SHOWN: Mutex<Vec<WeakProgressBar>> = Mutex::new(Vec::new());

/// Takes all bars off the terminal for good.
pub fn clear_all() {
    for bar in SHOWN.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        if let Some(bar) = bar.upgrade() {
            bar.finish_and_clear();
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
    }
}

/// Keeps a bar moving, if it can be seen, and remembers it for [`clear_all`].
fn show(bar: &ProgressBar, every: Duration) {
    if bar.is_hidden() {
        return;
    }
    bar.enable_steady_tick(every);
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    shown.retain(|bar| bar.upgrade().is_some());
    shown.push(bar.downgrade());
}

/// A bar that shows the current stage and records the time of each.
pub struct Bar {
    bar: ProgressBar,
    /// Its subject, in few words.
    name: String,
    stages: RefCell<Vec<(String, Instant)>>,
}

impl Bar {
    /// A bar for one file, of whose path it shows only the name, or for any other name; hidden if
    /// `quiet` or if stderr is not a terminal.
    pub fn new(name: &str, quiet: bool) -> Bar {
        Bar::on(ProgressBar::with_draw_target(None, target(quiet)), name)
    }

    fn on(bar: ProgressBar, name: &str) -> Bar {
        let short = Path::new(name).file_name();
        let name =
            short.map_or_else(|| name.to_owned(), |name| name.to_string_lossy().into_owned());
        let name = clean(&name).into_owned();
        show(&bar, Duration::from_millis(100));
        Bar { bar, name, stages: RefCell::default() }
    }

    /// Runs `work`, which writes to the terminal, while the bars are hidden.
    pub fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    /// Takes the bar off the screen and logs how long each stage took.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
        self.stages.borrow_mut().push((String::new(), Instant::now()));
        for pair in self.stages.borrow().windows(2) {
            let seconds = (pair[1].1 - pair[0].1).as_secs_f64();
            self.aside(|| log::info!("{}: {seconds:.3} s", pair[0].0));
        }
    }

    /// The time of each stage until the bar was finished, and its share, one per line.
    pub fn timings(&self) -> String {
        let stages = self.stages.borrow();
        let seconds = |from: &Instant, to: &Instant| (*to - *from).as_secs_f64();
        let all = stages.first().zip(stages.last()).map_or(0.0, |(a, b)| seconds(&a.1, &b.1));
        let mut text = String::new();
        for pair in stages.windows(2) {
            let ((name, start), (_, end)) = (&pair[0], &pair[1]);
            let own = seconds(start, end);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:<12} {own:>9.3} s {:>5.1} %", 100.0 * own / all);
        }
        let _ = writeln!(text, "{:<12} {all:>9.3} s", "all");
        text
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.stages.borrow_mut().push((name.to_owned(), Instant::now()));
        // A wide text is cut to the terminal, so that the line never wraps.
        let template = match total {
            Some(_) => "{wide_msg} [{bar:10}] {percent:>3} %",
            None => "{wide_msg} {human_pos} {spinner}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        match total {
            Some(total) => self.bar.set_length(total),
            None => self.bar.unset_length(),
        }
        self.bar.set_position(0);
        self.bar.set_message(format!("{}: {name}", self.name));
    }

    fn advance(&self, points: u64) {
        self.bar.inc(points);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        // After an error, too, the line is needed for the message.
        self.bar.finish_and_clear();
    }
}

/// A bar for a batch, above the bars of the current files.
pub struct BatchBar {
    all: MultiProgress,
    batch: ProgressBar,
}

impl BatchBar {
    /// A bar for this many files; hidden if `quiet` or if stderr is not a terminal.
    pub fn new(files: u64, quiet: bool) -> BatchBar {
        BatchBar::on(files, target(quiet))
    }

    fn on(files: u64, target: ProgressDrawTarget) -> BatchBar {
        let all = MultiProgress::with_draw_target(target);
        let batch = all.add(ProgressBar::new(files));
        let template = "{human_pos} of {human_len} [{bar:12}] {elapsed} {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            batch.set_style(style);
        }
        show(&batch, Duration::from_secs(1));
        BatchBar { all, batch }
    }

    /// The bar of a file.
    pub fn file(&self, name: &str) -> Bar {
        Bar::on(self.all.add(ProgressBar::no_length()), name)
    }

    /// Counts one finished file; `failed` is the number of failures so far.
    pub fn advance(&self, failed: usize) {
        if failed > 0 {
            self.batch.set_message(format!("{failed} failed"));
        }
        self.batch.inc(1);
    }

    /// Runs `work`, which writes to the terminal, while the bars are hidden.
    pub fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        self.batch.suspend(work)
    }
}

impl Drop for BatchBar {
    fn drop(&mut self) {
        self.batch.finish_and_clear();
    }
}

fn target(quiet: bool) -> ProgressDrawTarget {
    if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::InMemoryTerm;

    /// The lines that a terminal with this many columns shows.
    fn lines(columns: u16, work: impl Fn(ProgressDrawTarget)) -> Vec<String> {
        let terminal = InMemoryTerm::new(10, columns);
        work(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        terminal.contents().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_bar_is_one_line_with_the_name_of_the_file_alone() {
        let path = "/a/folder/that/is/far/down/and/has/a/long/path/street-of-houses-and-trees.laz";
        for columns in [40, 80, 200] {
            for total in [None, Some(2_000_000_000)] {
                let shown = lines(columns, |target| {
                    let bar = Bar::on(ProgressBar::with_draw_target(None, target), path);
                    bar.stage("reading", total);
                    bar.advance(1_000_000_000);
                    bar.bar.tick();
                    std::mem::forget(bar);
                });
                assert_eq!(shown.len(), 1, "{columns}: {shown:?}");
                assert!(shown[0].starts_with("street-of-h"), "{shown:?}");
            }
        }
    }

    #[test]
    fn a_batch_has_a_line_and_one_for_each_file_at_work() {
        for columns in [40, 80] {
            let shown = lines(columns, |target| {
                let batch = BatchBar::on(12_345, target);
                let files = ["a/quite-a-long-name-of-a-file-that-is-here.las", "b/short.las"];
                let bars = files.map(|file| batch.file(file));
                bars.iter().for_each(|bar| bar.stage("reading", Some(10)));
                batch.advance(3);
                std::mem::forget((batch, bars));
            });
            assert_eq!(shown.len(), 3, "{columns}: {shown:?}");
            assert!(shown[0].contains(" of 12,345 ["), "{shown:?}");
        }
    }
}
