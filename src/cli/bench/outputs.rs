//! Outputs of the measurements.

use crate::cli::console::write_stdout;
use crate::cli::failure::Failure;
use crate::cli::guard::{self, Output};
use clap::Args;
use planes::atomic;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The forms in which every bench reports its measurements.
#[derive(Debug, Args)]
pub struct Outputs {
    /// Write all measurements as JSON; - prints it instead of the tables
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write one line for each row of the tables
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the measurements: times against points or edges, errors against cells and noise
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print the tables as Markdown
    #[arg(long)]
    pub markdown: bool,
}

/// The measurements, in every form.
pub struct Texts {
    pub json: String,
    pub csv: String,
    pub svg: String,
    pub tables: String,
}

impl Outputs {
    /// Measures the input, then writes and prints what was asked for.
    pub fn write(
        &self,
        input: Option<&Path>,
        measure: impl FnOnce() -> Result<Texts, Failure>,
    ) -> Result<(), Failure> {
        let prints_json = self.json.as_deref() == Some(Path::new("-"));
        let json_file = self.json.as_deref().filter(|_| !prints_json);
        let files =
            [("--json", json_file), ("--csv", self.csv.as_deref()), ("--svg", self.svg.as_deref())];
        let named = files.into_iter().filter_map(|(name, path)| Some(Output::named(name, path?)));
        let inputs: Vec<PathBuf> = input.map(Path::to_path_buf).into_iter().collect();
        guard::check(&inputs, &named.collect::<Vec<_>>())?;
        for (option, path) in files {
            let extension = &option[2..];
            path.map_or(Ok(()), |path| guard::check_extension(option, path, extension))?;
        }
        let texts = measure()?;
        for ((_, path), text) in files.into_iter().zip([&texts.json, &texts.csv, &texts.svg]) {
            if let Some(path) = path {
                atomic::save(path, |file| file.write_all(text.as_bytes()))?;
            }
        }
        write_stdout(if prints_json { &texts.json } else { &texts.tables })
    }
}
