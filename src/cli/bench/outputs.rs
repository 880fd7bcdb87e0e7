//! Where the measurements go.

use crate::cli::{Failure, write_stdout};
use clap::Args;
use planes::Error;
use planes::atomic::AtomicFile;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The forms in which every bench tells what it measured.
#[derive(Debug, Args)]
pub struct Outputs {
    /// Write everything that was measured as JSON; - prints it in place of the tables
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a line for each row of the tables
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the measurements: times over points or edges, errors over cells and noise
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print the tables as Markdown
    #[arg(long)]
    pub markdown: bool,
}

/// What was measured, in every form.
pub struct Texts {
    pub json: String,
    pub csv: String,
    pub svg: String,
    pub tables: String,
}

impl Outputs {
    /// Measures, and writes and prints what was asked for.
    pub fn write(&self, measure: impl FnOnce() -> Result<Texts, Failure>) -> Result<(), Failure> {
        let prints_json = self.json.as_deref() == Some(Path::new("-"));
        // A name that cannot be written is better known before minutes of measuring.
        let json_file = start(self.json.as_deref().filter(|_| !prints_json))?;
        let [csv_file, svg_file] = [start(self.csv.as_deref())?, start(self.svg.as_deref())?];
        let texts = measure()?;
        finish(json_file, &texts.json)?;
        finish(csv_file, &texts.csv)?;
        finish(svg_file, &texts.svg)?;
        write_stdout(if prints_json { &texts.json } else { &texts.tables })
    }
}

fn start(path: Option<&Path>) -> Result<Option<AtomicFile>, Error> {
    path.map(AtomicFile::create).transpose()
}

fn finish(file: Option<AtomicFile>, text: &str) -> Result<(), Error> {
    let Some(mut file) = file else { return Ok(()) };
    file.write_all(text.as_bytes()).map_err(Error::io(file.path()))?;
    file.commit()
}
