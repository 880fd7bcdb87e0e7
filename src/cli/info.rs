//! `planes info`.

use super::progress::Bar;
use super::{Failure, write_stdout};
use clap::Args;
use planes::cloud::Source;
use planes::cloud::info::{Summary, summarize};
use planes::detect::Progress;
use std::cell::Cell;
use std::fmt::Write;
use std::path::PathBuf;

/// Say what a cloud holds: format, points, extent, spacing
#[derive(Debug, Args)]
pub struct Info {
    /// Clouds: LAS, LAZ, PLY or text, told by their content; - is standard input
    #[arg(required = true, value_name = "CLOUD")]
    files: Vec<PathBuf>,
    /// Print JSON, one document a line
    #[arg(long)]
    json: bool,
}

impl Info {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        for file in &self.files {
            let source = Source::open(file)?;
            let name = source.path().display().to_string();
            let bar = Bar::new(&name, quiet);
            bar.stage("reading", source.info().points);
            let done = Cell::new(0);
            let summary = summarize(&source, &|points| {
                bar.advance(points - done.get().min(points));
                done.set(points);
            })?;
            bar.finish();
            write_stdout(&if self.json { json(&name, &summary) } else { text(&name, &summary) })?;
        }
        Ok(())
    }
}

fn json(name: &str, summary: &Summary) -> String {
    let mut document = serde_json::json!(summary);
    document["file"] = name.into();
    format!("{document}\n")
}

fn text(name: &str, summary: &Summary) -> String {
    let mut out = format!("{name}\n");
    let mut line = |label: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {label:<10} {value}");
    };
    line("format", summary.header.description.clone());
    line("size", format!("{} bytes", summary.bytes));
    line("points", summary.points.to_string());
    if summary.not_finite > 0 {
        line("not finite", summary.not_finite.to_string());
    }
    let fields = summary.header.fields;
    let with =
        [("colour", fields.colour), ("intensity", fields.intensity), ("plane_id", fields.label)];
    let with: Vec<&str> = with.into_iter().filter(|f| f.1).map(|f| f.0).collect();
    line(
        "fields",
        if with.is_empty() { "x y z".into() } else { format!("x y z {}", with.join(" ")) },
    );
    let triple = |v: [f64; 3]| format!("{} {} {}", v[0], v[1], v[2]);
    if let (Some(min), Some(max), Some(extent)) = (summary.min, summary.max, summary.extent) {
        line("min", triple(min));
        line("max", triple(max));
        // A difference of coordinates ends in digits that mean nothing.
        let short = extent.map(|v| (v * 1e9).round() / 1e9);
        line("extent", triple(if short.iter().all(|v| v.is_finite()) { short } else { extent }));
    }
    if let Some(spacing) = summary.spacing {
        line("spacing", format!("{spacing:.6}"));
    }
    out
}
