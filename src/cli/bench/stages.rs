//! The cost of each stage of a detection, in every form.

use super::common::to_json;
use super::csv::{self, Column};
use super::grid::{Grid, head};
use super::outputs::Texts;

use crate::cli::failure::Failure;
use crate::cli::memory;
use crate::cli::words::counted;
use planes::cloud::Source;
use planes::cpu::Cpu;
use planes::cuda::Cuda;
use planes::papers::bench::Machine;
use planes::papers::bench::stages::{Stage, StageReport, Usage};

/// Measures the stages of a cloud.
pub fn measure(
    source: &Source,
    gpu: Option<&Cuda>,
    command: String,
    markdown: bool,
) -> Result<Texts, Failure> {
    let (cpu, machine) = (Cpu::default(), Machine::this(gpu, command));
    let usage = || Usage { processor: processor(), taken: memory::taken(), most: memory::most() };
    let report = match gpu {
        Some(gpu) => StageReport::measure(source, gpu, machine, &usage)?,
        None => StageReport::measure(source, &cpu, machine, &usage)?,
    };
    Ok(Texts {
        json: to_json(&report)?,
        csv: csv(&report),
        svg: String::new(),
        tables: table(&report, markdown),
    })
}

/// Processor time of this process, in seconds; 0 if the system does not report it.
fn processor() -> f64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    }
    #[cfg(not(unix))]
    0.0
}

/// One line per stage.
fn csv(report: &StageReport) -> String {
    let columns: [Column<Stage>; 5] = [
        ("stage", |s| s.name.clone()),
        ("seconds", |s| s.seconds.to_string()),
        ("processor_seconds", |s| s.processor_seconds.to_string()),
        ("bytes", |s| s.bytes.to_string()),
        ("most_bytes", |s| s.most_bytes.to_string()),
    ];
    csv::table(&columns, &report.stages)
}

fn table(report: &StageReport, markdown: bool) -> String {
    let header = ["", "wall, s", "share", "processor, s", "taken, MB", "most in use, MB"];
    let title = format!("Stages of a detection, {}", counted(report.points, "point"));
    let mut grid = Grid::new(title, header.map(String::from).into());
    let all = report.seconds();
    let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
    let mut push = |name: &str, seconds: f64, processor: f64, bytes: u64, most: u64| {
        let cells = [
            format!("{seconds:.3}"),
            format!("{:.1} %", 100.0 * seconds / all),
            format!("{processor:.3}"),
            megabytes(bytes),
            megabytes(most),
        ];
        grid.push(name.to_owned(), cells.into_iter().map(Some));
    };
    for s in &report.stages {
        push(&s.name, s.seconds, s.processor_seconds, s.bytes, s.most_bytes);
    }
    let stages = || report.stages.iter();
    push(
        "all",
        all,
        stages().map(|s| s.processor_seconds).sum(),
        stages().map(|s| s.bytes).sum(),
        stages().map(|s| s.most_bytes).max().unwrap_or(0),
    );
    head(&report.machine, &report.source, markdown) + "\n" + &grid.text(markdown)
}
