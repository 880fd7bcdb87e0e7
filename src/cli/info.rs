//! `planes info`.

use super::console::{say, write_stdout};
use super::failure::{Failure, message, with_options};
use super::folders;
use super::progress::Bar;
use super::reading::Reading;
use super::words::{clean, counted, shortly, significant};
use clap::Args;
use planes::Error;
use planes::cloud::info::{Summary, summarize};
use planes::cloud::{Format, Source};
use planes::detect::Progress;
use planes::image::{EdgeMap, Image, Method};
use planes::input::Input;
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// Say what a cloud holds: format, points, extent, spacing; or an image: pixels, edges
#[derive(Debug, Args)]
pub struct Info {
    /// Clouds (LAS, LAZ, COPC, E57, PLY, PCD, NumPy's .npy and .npz, text; with --camera depth images) and images (PNG,
    /// JPEG, WebP, TIFF, PBM, PGM or PPM), plain or inside gzip or zstd, recognised by their content; - is
    /// standard input
    #[arg(required = true, value_name = "CLOUD|IMAGE")]
    files: Vec<PathBuf>,
    /// Print JSON, one document per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

impl Info {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        let mut failed = 0;
        for file in &self.files {
            match self.file(file, quiet) {
                Ok(text) => write_stdout(&text)?,
                Err(error) if self.files.len() > 1 => {
                    say(&message(&error));
                    failed += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
        // Each failure was reported already.
        if failed > 0 { Err(Failure::All) } else { Ok(()) }
    }

    fn file(&self, file: &Path, quiet: bool) -> Result<String, Error> {
        let name_files = "name the files; only planes batch takes folders and patterns";
        let input = Input::open_with(file, &self.reading.options());
        match input.map_err(|error| folders::advise(file, error, name_files))? {
            Input::Cloud(source) => self.cloud(&source, quiet),
            Input::Image(image) => {
                self.reading.check_image(image.path())?;
                self.image(&image)
            }
        }
    }

    fn cloud(&self, source: &Source, quiet: bool) -> Result<String, Error> {
        self.reading.check(source)?;
        let name = source.path().display().to_string();
        let bar = Bar::new(&name, quiet);
        bar.stage("reading", source.info().points);
        let done = Cell::new(0);
        let summary = summarize(source, &|points| {
            bar.advance(points - done.get().min(points));
            done.set(points);
        })?;
        bar.finish();
        let degrees = summary.min.zip(summary.max).and_then(|(a, b)| source.degrees(a, b));
        let notes: Vec<String> =
            source.notes().iter().chain(&degrees).map(|n| with_options(&n.to_string())).collect();
        notes.iter().for_each(|note| log::warn!("{name}: {note}"));
        Ok(if self.json { json(&name, &summary, &notes) } else { text(&name, &summary) })
    }

    fn image(&self, image: &Image) -> Result<String, Error> {
        let name = image.path().display();
        let EdgeMap { width, height, pixels, method, .. } = EdgeMap::find(image, &Method::Auto)?;
        if self.json {
            let document = serde_json::json!({
                "file": name.to_string(), "width": width, "height": height,
                "edges": pixels.len(), "edges_by": method.to_string(),
            });
            return Ok(format!("{document}\n"));
        }
        let share = 100.0 * pixels.len() as f64 / (f64::from(width) * f64::from(height));
        let edges = format!("{} ({share:.2} %), --edges {method}", pixels.len());
        Ok(format!(
            "{}\n{}{}",
            clean(&name.to_string()),
            line("pixels", &format!("{width} x {height}")),
            line("edges", &edges)
        ))
    }
}

fn json(name: &str, summary: &Summary, notes: &[String]) -> String {
    let mut document = serde_json::json!(summary);
    document["file"] = name.into();
    document["notes"] = notes.into();
    format!("{document}\n")
}

/// A line of text.
fn line(label: &str, value: &str) -> String {
    format!("  {label:<10} {value}\n")
}

fn text(name: &str, summary: &Summary) -> String {
    let mut out = format!("{}\n", clean(name));
    let mut line = |label: &str, value: String| out += &line(label, &clean(&value));
    line("format", summary.header.description.clone());
    if let Some(crs) = &summary.header.crs {
        line("system", crs.to_string());
    }
    line("size", counted(summary.bytes, "byte"));
    line("points", summary.points.to_string());
    match summary.not_finite {
        0 => {}
        n if summary.format == Format::E57 => {
            line("left out", format!("{} marked as invalid or not finite", counted(n, "point")))
        }
        n => line("not finite", n.to_string()),
    }
    let fields = summary.header.fields;
    let with = [
        ("colour", fields.colour),
        ("intensity", fields.intensity),
        ("plane_id", fields.label),
        ("class", fields.class),
    ];
    let with: Vec<&str> = with.into_iter().filter(|f| f.1).map(|f| f.0).collect();
    line(
        "fields",
        if with.is_empty() { "x y z".into() } else { format!("x y z {}", with.join(" ")) },
    );
    if !summary.header.others.is_empty() {
        line("not read", summary.header.others.join(" "));
    }
    // Smaller digits say nothing about where points are.
    let least = summary.spacing.unwrap_or(0.0) / 1000.0;
    let triple = |v: [f64; 3]| v.map(|v| shortly(v, least)).join(" ");
    if let (Some(min), Some(max), Some(extent)) = (summary.min, summary.max, summary.extent) {
        line("min", triple(min));
        line("max", triple(max));
        line("extent", triple(extent));
    }
    if let Some(scanner) = summary.header.scanner {
        line("scanner", triple(scanner));
    }
    if let Some(spacing) = summary.spacing {
        line("spacing", significant(spacing));
    }
    out
}
