//! Medians of several runs, and times extrapolated from a part of the work.

use crate::Result;
use serde::{Deserialize, Serialize};

/// Total seconds to spend on repeated runs of one thing, roughly.
const PATIENCE: f64 = 1.5;
/// Most runs of one thing.
const MOST_RUNS: usize = 9;
/// A part that takes this many seconds predicts well enough how long the whole takes.
const TELLING: f64 = 0.2;

/// How long something takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Seconds: the median of the runs.
    pub seconds: f64,
    /// Number of runs; 0 for a step that does not exist.
    pub runs: usize,
    /// Share of the work that was run; below 1, `seconds` is extrapolated.
    pub part: f64,
}

impl Timing {
    /// The time of a step that does not exist.
    pub const NONE: Timing = Timing { seconds: 0.0, runs: 0, part: 1.0 };

    /// Whether only a part was measured.
    pub fn is_extrapolated(&self) -> bool {
        self.part < 1.0
    }

    /// The time of several steps together.
    pub fn sum(steps: &[Timing]) -> Timing {
        Timing {
            seconds: steps.iter().map(|t| t.seconds).sum(),
            runs: steps.iter().map(|t| t.runs).filter(|&n| n > 0).min().unwrap_or(0),
            part: steps.iter().map(|t| t.part).fold(1.0, f64::min),
        }
    }

    /// The time with additional work included.
    pub fn and(self, more: Timing) -> Timing {
        Timing {
            seconds: self.seconds + more.seconds,
            runs: self.runs.min(more.runs),
            part: self.part.min(more.part),
        }
    }
}

/// How much time may be spent on one thing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Work that takes longer than this, in seconds, is run in part.
    pub longest: f64,
    /// Approximate duration of that part, in seconds.
    pub sample: f64,
}

impl Limits {
    /// For one core, which is slow.
    pub const CPU: Limits = Limits { longest: 1.0, sample: 1.0 };
    /// For a device.
    pub const DEVICE: Limits = Limits { longest: 60.0, sample: 5.0 };
}

/// Times `work`, which returns the seconds it took; one run before that warms up.
///
/// # Errors
/// Errors of `work`.
pub fn repeat(mut work: impl FnMut() -> Result<f64>) -> Result<Timing> {
    let first = work()?;
    median(first, work)
}

/// Times `work(n)`, whose time is proportional to `n`, at least 1. The search for a suitable part begins with
/// `first`. The last call is one of the timed ones.
///
/// # Errors
/// Errors of `work`.
pub fn linear(
    n: usize,
    first: usize,
    limits: Limits,
    mut work: impl FnMut(usize) -> Result<f64>,
) -> Result<Timing> {
    let mut part = first.clamp(1, n);
    // The very first call warms up.
    work(part)?;
    let mut seconds = work(part)?;
    while part < n && seconds < TELLING.min(limits.longest / 4.0) {
        part = part.saturating_mul(4).min(n);
        seconds = work(part)?;
    }
    let whole = seconds * n as f64 / part as f64;
    let run = if whole <= limits.longest {
        n
    } else {
        ((limits.sample / whole * n as f64) as usize).clamp(1, n)
    };
    let timing = median(seconds * run as f64 / part as f64, || work(run))?;
    let share = run as f64 / n as f64;
    Ok(Timing { seconds: timing.seconds / share, part: share, ..timing })
}

/// The median of as many runs as the time limit allows.
fn median(expected: f64, mut work: impl FnMut() -> Result<f64>) -> Result<Timing> {
    let runs = ((PATIENCE / expected.max(1e-9)) as usize).clamp(1, MOST_RUNS);
    let mut seconds = (0..runs).map(|_| work()).collect::<Result<Vec<f64>>>()?;
    seconds.sort_by(f64::total_cmp);
    let middle = [(runs - 1) / 2, runs / 2].map(|i| seconds[i]);
    Ok(Timing { seconds: (middle[0] + middle[1]) / 2.0, runs, part: 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_several_runs_after_one_that_warms_up() {
        let mut times = [100.0, 0.3, 0.1, 0.2, 0.5, 0.4].into_iter();
        let timing = repeat(|| Ok(times.next().unwrap())).unwrap();
        // Work of 100 s is run only once more, not five times.
        assert_eq!(timing, Timing { seconds: 0.3, runs: 1, part: 1.0 });
        let mut times = [0.3, 3.0, 1.0, 2.0, 5.0, 4.0].into_iter();
        let timing = repeat(|| Ok(times.next().unwrap())).unwrap();
        assert_eq!(timing, Timing { seconds: 3.0, runs: 5, part: 1.0 });
    }

    #[test]
    fn what_takes_long_is_run_in_part() {
        let mut last = 0;
        // A millisecond per unit: 1000 units take a second.
        let mut run = |n: usize, limits| {
            let timing = linear(n, 10, limits, |k| {
                last = k;
                Ok(k as f64 / 1000.0)
            });
            (timing.unwrap(), last)
        };
        let (whole, last) = run(1000, Limits { longest: 1.0, sample: 0.5 });
        assert_eq!((whole.part, last), (1.0, 1000));
        assert!((whole.seconds - 1.0).abs() < 1e-9 && !whole.is_extrapolated());
        let (part, last) = run(10_000, Limits { longest: 1.0, sample: 0.5 });
        assert!((part.seconds - 10.0).abs() < 1e-6 && part.is_extrapolated());
        assert_eq!(last, 500);
        let (one, last) = run(1, Limits::CPU);
        assert_eq!((one.runs, one.part, last), (MOST_RUNS, 1.0, 1));
    }

    #[test]
    fn times_of_several_steps_add() {
        let a = Timing { seconds: 1.0, runs: 3, part: 0.5 };
        let b = Timing { seconds: 2.0, runs: 9, part: 1.0 };
        assert_eq!(a.and(b), Timing { seconds: 3.0, runs: 3, part: 0.5 });
    }
}
