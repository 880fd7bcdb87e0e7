//! The cost of each stage of a detection.

use super::machine::Machine;
use crate::Result;
use crate::backend::Backend;
use crate::cloud::{Choice, Source};
use crate::detect::{Options, Progress, detect_held, load_onto};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::time::Instant;

/// The version of a [`StageReport`].
pub const STAGES_VERSION: u32 = 1;
/// Number of detections; each stage is reported from its run of median time.
const RUNS: usize = 3;
/// Points read at a time.
const CHUNK: usize = 1 << 18;

/// The resources that a process has used so far, as reported by the caller.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Processor time of all threads, in seconds.
    pub processor: f64,
    /// Bytes allocated.
    pub taken: u64,
    /// Most bytes in use at once since the last query.
    pub most: u64,
}

/// The cost of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// From its start to its end.
    pub seconds: f64,
    /// Processor time of all threads together.
    pub processor_seconds: f64,
    /// Bytes of memory allocated.
    pub bytes: u64,
    /// Most bytes in use during the stage.
    pub most_bytes: u64,
}

/// The cost of the stages of a detection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageReport {
    /// `planes-bench-stages`.
    pub format: String,
    /// [`STAGES_VERSION`].
    pub version: u32,
    /// The machine.
    pub machine: Machine,
    /// The cloud.
    pub source: String,
    /// Its points.
    pub points: u64,
    /// The stages, in order.
    pub stages: Vec<Stage>,
}

impl StageReport {
    /// Finds the planes of a cloud with default options, from reading to outlines, and measures it;
    /// `usage` reports what the process has used.
    ///
    /// # Errors
    /// As for [`load_onto`] and [`detect_held`].
    pub fn measure(
        source: &Source,
        backend: &dyn Backend,
        machine: Machine,
        usage: &dyn Fn() -> Usage,
    ) -> Result<StageReport> {
        let (mut runs, mut points, choice) = (Vec::new(), 0, Choice::default());
        for _ in 0..RUNS {
            let watch = Watch { usage, marks: RefCell::default() };
            watch.stage("reading", None);
            let open = || source.reader(choice.fields());
            let ready = || Some(backend);
            let path = source.path();
            let (cloud, held) = load_onto(path, &open, &choice, CHUNK, &|_| {}, &ready)?;
            points = cloud.total;
            let found = detect_held(cloud, held, &Options::default(), backend, &watch)?;
            watch.stage("", None);
            drop(found);
            runs.push(watch.stages());
        }
        Ok(StageReport {
            format: "planes-bench-stages".into(),
            version: STAGES_VERSION,
            machine,
            source: source.path().display().to_string(),
            points,
            stages: medians(runs),
        })
    }

    /// Time of all stages together, in seconds.
    pub fn seconds(&self) -> f64 {
        self.stages.iter().map(|stage| stage.seconds).sum()
    }
}

/// Records the usage at the start of each stage.
struct Watch<'a> {
    usage: &'a dyn Fn() -> Usage,
    marks: RefCell<Vec<(String, Instant, Usage)>>,
}

impl Progress for Watch<'_> {
    fn stage(&self, name: &str, _: Option<u64>) {
        self.marks.borrow_mut().push((name.to_owned(), Instant::now(), (self.usage)()));
    }

    fn advance(&self, _: u64) {}
}

impl Watch<'_> {
    /// The stages between the marks.
    fn stages(&self) -> Vec<Stage> {
        let marks = self.marks.borrow();
        let stage = |pair: &[(String, Instant, Usage)]| {
            let [(name, start, before), (_, end, after)] = pair else { return None };
            Some(Stage {
                name: name.clone(),
                seconds: (*end - *start).as_secs_f64(),
                processor_seconds: after.processor - before.processor,
                bytes: after.taken - before.taken,
                most_bytes: after.most,
            })
        };
        marks.windows(2).filter_map(stage).collect()
    }
}

/// Each stage from the run in which it took its median time.
fn medians(mut runs: Vec<Vec<Stage>>) -> Vec<Stage> {
    let count = runs.iter().map(Vec::len).min().unwrap_or(0);
    let median = |k: usize| {
        runs.sort_by(|a, b| a[k].seconds.total_cmp(&b[k].seconds));
        runs[runs.len() / 2][k].clone()
    };
    (0..count).map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_what_was_used_between_two_marks() {
        let used = RefCell::new(0u32);
        let usage = || {
            *used.borrow_mut() += 1;
            let n = *used.borrow();
            Usage { processor: f64::from(n), taken: 10 * u64::from(n), most: n.into() }
        };
        let watch = Watch { usage: &usage, marks: RefCell::default() };
        ["a", "b", ""].into_iter().for_each(|name| watch.stage(name, None));
        let stages = watch.stages();
        let told: Vec<_> =
            stages.iter().map(|s| (&*s.name, s.processor_seconds, s.bytes, s.most_bytes)).collect();
        assert_eq!(told, [("a", 1.0, 10, 2), ("b", 1.0, 10, 3)]);
        assert!(stages.iter().all(|stage| stage.seconds >= 0.0));
    }

    #[test]
    fn the_median_is_taken_stage_by_stage() {
        let stage = |seconds| Stage {
            name: "a".into(),
            seconds,
            processor_seconds: 0.0,
            bytes: 0,
            most_bytes: 0,
        };
        let runs = [[1.0, 9.0], [3.0, 7.0], [2.0, 8.0]];
        let medians = medians(runs.map(|run| run.map(stage).into()).into());
        assert_eq!(medians, [2.0, 8.0].map(stage));
    }
}
