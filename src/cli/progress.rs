//! Progress bars on stderr, on a terminal only.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use planes::detect::Progress;
use std::cell::RefCell;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A bar that shows the stage at work and keeps the time of each.
pub struct Bar {
    bar: ProgressBar,
    stages: RefCell<Vec<(String, Instant)>>,
}

impl Bar {
    /// A bar for one file; hidden if `quiet` or if stderr is no terminal.
    pub fn new(name: &str, quiet: bool) -> Bar {
        Bar::on(ProgressBar::with_draw_target(None, target(quiet)), name)
    }

    fn on(bar: ProgressBar, name: &str) -> Bar {
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        Bar { bar, stages: RefCell::default() }
    }

    /// Does what writes to the terminal while the bars are off it.
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

    /// How long each stage took until the bar was finished, and its share, a line each.
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
        let template = match total {
            Some(_) => "{prefix}: {msg} [{bar:30}] {human_pos}/{human_len}",
            None => "{prefix}: {msg} {spinner} {human_pos}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        match total {
            Some(total) => self.bar.set_length(total),
            None => self.bar.unset_length(),
        }
        self.bar.set_position(0);
        self.bar.set_message(name.to_owned());
    }

    fn advance(&self, points: u64) {
        self.bar.inc(points);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        // After an error, too, the line is the message's.
        self.bar.finish_and_clear();
    }
}

/// A bar for a batch, above that of the file at work.
pub struct BatchBar {
    batch: ProgressBar,
    file: ProgressBar,
}

impl BatchBar {
    /// Bars for so many files; hidden if `quiet` or if stderr is no terminal.
    pub fn new(files: u64, quiet: bool) -> BatchBar {
        let both = MultiProgress::with_draw_target(target(quiet));
        let batch = both.add(ProgressBar::new(files));
        let template = "batch: {human_pos} of {human_len} [{bar:30}] {elapsed} {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            batch.set_style(style);
        }
        batch.enable_steady_tick(Duration::from_secs(1));
        let file = both.add(ProgressBar::new_spinner());
        BatchBar { batch, file }
    }

    /// The bar of the next file; there is one at a time.
    pub fn file(&self, name: &str) -> Bar {
        self.file.reset();
        Bar::on(self.file.clone(), name)
    }

    /// One file is behind us; so many failed so far.
    pub fn advance(&self, failed: usize) {
        if failed > 0 {
            self.batch.set_message(format!("{failed} failed"));
        }
        self.batch.inc(1);
    }

    /// Does what writes to the terminal while the bars are off it.
    pub fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        self.batch.suspend(work)
    }
}

impl Drop for BatchBar {
    fn drop(&mut self) {
        self.file.finish_and_clear();
        self.batch.finish_and_clear();
    }
}

fn target(quiet: bool) -> ProgressDrawTarget {
    if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}
