//! Progress bars on stderr, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use planes::detect::Progress;
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// A bar that shows the stage at work and keeps the time of each.
pub struct Bar {
    bar: ProgressBar,
    stages: RefCell<Vec<(String, Instant)>>,
}

impl Bar {
    /// A bar for one file; hidden if `quiet` or if stderr is no terminal.
    pub fn new(name: &str, quiet: bool) -> Bar {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        Bar { bar, stages: RefCell::default() }
    }

    /// Takes the bar off the screen and logs how long each stage took.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
        let stages = self.stages.borrow();
        let ends = stages.iter().skip(1).map(|s| s.1).chain([Instant::now()]);
        for ((name, start), end) in stages.iter().zip(ends) {
            log::info!("{name}: {:.3} s", (end - *start).as_secs_f64());
        }
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
