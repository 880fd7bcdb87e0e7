//! The outputs of `planes detect`.

use super::exports::{outputs_of, save};
use super::failure::Failure;
use super::files::{Files, wrong};
use super::guard::{self, FileId, Output};
use super::results::{is_document, may_be_result};
use super::styling::Styling;
use super::{lines, table};
use clap::Args;
use planes::cloud::{Format, ReadOptions, Source, Unit};
use planes::export::{About, Export, LINES, Lines, PLANES, Planes, Style, json, labels};
use planes::input::{Kind, peek};
use planes::{Error, atomic};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Outputs {
    #[arg(short, long, value_name = "DIR", help = help())]
    out: Option<PathBuf>,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    styling: Styling,
}

/// The result of writing.
pub struct Written {
    /// The text to print.
    pub printed: String,
    /// A line that lists the files in `--out`, whose names the user did not give.
    pub wrote: Option<String>,
}

impl Outputs {
    /// Refuses outputs that cannot be written, before any work is done.
    pub fn check(&self, inputs: &[PathBuf], reading: &ReadOptions) -> Result<(), Error> {
        self.files.check()?;
        self.styling.check(&self.asked())?;
        self.check_names(inputs)?;
        let kind = |input: &PathBuf| self.out.as_ref().and_then(|_| peek(input, reading));
        let kinds: Vec<Option<Kind>> = inputs.iter().map(kind).collect();
        for (input, kind) in inputs.iter().zip(&kinds) {
            kind.map_or(Ok(()), |kind| self.check_kind(input, kind))?;
        }
        let all = self.all(inputs, &kinds);
        guard::check(inputs, &all)?;
        // The user did not give the names of the files in a folder.
        let in_folder = all.iter().filter(|output| output.option == "--out");
        let is_foreign = |path: &&PathBuf| path.is_file() && !may_be_result(path);
        in_folder.map(|output| &output.path).find(is_foreign).map_or(Ok(()), |path| {
            Err(Error::Parameter(format!(
                "--out: {} was not written by planes; move it, or use another folder",
                path.display()
            )))
        })
    }

    /// The outputs that are asked for, for a cloud.
    fn asked(&self) -> Vec<About> {
        let mut outputs = outputs_of(Kind::Cloud(Format::LAS));
        let is_named = |about: &About| self.files.names().any(|name| name == about.name);
        outputs.retain(|about| self.out.is_some() || is_named(about));
        outputs
    }

    /// All files that may be written for these inputs, of these kinds.
    fn all(&self, inputs: &[PathBuf], kinds: &[Option<Kind>]) -> Vec<Output> {
        let mut all = self.files.outputs();
        let Some(folder) = &self.out else { return all };
        for (input, &kind) in inputs.iter().zip(kinds) {
            let clouds = [Format::LAS, Format::LAZ, Format::PLY, Format::PCD, Format::E57];
            let clouds = clouds.map(Kind::Cloud);
            let kinds = match kind {
                Some(kind) => vec![kind],
                // The kind will be known when the input is read.
                None => [&clouds[..], &[Kind::Image]].concat(),
            };
            let endings = |kind| outputs_of(kind).into_iter().map(move |about| about.ending(kind));
            let mut endings: Vec<&str> = kinds.into_iter().flat_map(endings).collect();
            endings.sort_unstable();
            endings.dedup();
            let within = |ending| Output::within("--out", folder, named_after(input, ending));
            all.extend(endings.into_iter().map(within));
        }
        all
    }

    /// Whether a requested file of a cloud contains the plane of each point.
    pub fn need_labels(&self) -> bool {
        self.out.is_some() || self.files.need_labels()
    }

    /// Refuses a file for the labels of a cloud that cannot hold them.
    pub fn check_labels(&self, source: &Source) -> Result<(), Error> {
        self.files.path_of("labels").map_or(Ok(()), |path| labels::check(source, path))
    }

    /// The first given option that is only for clouds, or only for images.
    pub fn given_for(&self, images: bool) -> Option<String> {
        let given = self.styling.given().filter(|_| !images);
        self.files.given_for(images).or(given.map(str::to_owned))
    }

    /// Refuses names that two results would share.
    fn check_names(&self, inputs: &[PathBuf]) -> Result<(), Error> {
        if let (Some(output), 2..) = (self.files.outputs().first(), inputs.len()) {
            let message = "several inputs have no room in one file; use --out DIR";
            return Err(wrong(&output.option, &output.path, message));
        }
        if inputs.iter().filter(|input| *input == "-").count() > 1 {
            return Err(Error::Parameter("-: given twice".into()));
        }
        if self.out.is_none() {
            return Ok(());
        }
        for (i, input) in inputs.iter().enumerate() {
            if let Some(other) = inputs[..i].iter().find(|other| stem(other) == stem(input)) {
                if FileId::of(other) == FileId::of(input) {
                    let message = format!("{}: given twice", input.display());
                    return Err(Error::Parameter(message));
                }
                if let Some(result) = [input, other].into_iter().find(|path| may_be_result(path)) {
                    let result = result.display();
                    return Err(Error::Parameter(format!(
                        "{result} looks like a result of planes; leave it out, or give each its own folder"
                    )));
                }
                return Err(Error::Parameter(format!(
                    "--out: {} and {} would both be written as {}.json; give each its own folder",
                    other.display(),
                    input.display(),
                    stem(input).display()
                )));
            }
        }
        Ok(())
    }

    /// Refuses to replace the planes of a cloud by the lines of an image of the same name, or lines by planes. The kind of what comes
    /// through a pipe is known when it is read.
    fn check_kind(&self, input: &Path, kind: Kind) -> Result<(), Error> {
        let Some(folder) = &self.out else { return Ok(()) };
        let (format, holds) = match kind {
            Kind::Image => ("planes-detection", "the planes of a cloud"),
            Kind::Cloud(_) => ("planes-lines", "the lines of an image"),
        };
        let document = folder.join(named_after(input, ".json"));
        if is_document(&document, &[format]) {
            let document = document.display();
            return Err(Error::Parameter(format!(
                "--out: {document} holds {holds} of the same name; use another folder"
            )));
        }
        Ok(())
    }

    /// The style of a cloud's files.
    pub fn style(&self) -> Style {
        self.styling.style()
    }

    /// Writes the requested outputs of a cloud.
    pub fn write(&self, planes: &Planes, file: &Path) -> Result<Written, Failure> {
        let Planes { source, detection, .. } = *planes;
        let wrote = self.save(PLANES, planes, Kind::Cloud(source.format()), file)?;
        let crs = detection.input.crs.as_ref();
        // Degrees are not a unit of length.
        let unit = crs.filter(|crs| !crs.geographic).and_then(|crs| crs.unit.as_ref());
        let name = source.path().display().to_string();
        let table = || table::planes(&name, detection, unit.map(Unit::symbol));
        let printed = self.printed(|out| json::write_json(detection, out), table)?;
        Ok(Written { printed, wrote })
    }

    /// Writes the requested outputs of an image.
    pub fn write_lines(&self, lines: &Lines, file: &Path) -> Result<Written, Failure> {
        let Lines { image, detection, .. } = *lines;
        let wrote = self.save(LINES, lines, Kind::Image, file)?;
        let document = |out: &mut _| planes::export::lines::json::write_json(detection, out);
        let table = || lines::table::lines(&image.path().display().to_string(), detection);
        Ok(Written { printed: self.printed(document, table)?, wrote })
    }

    /// Writes files one after the other; they get their names together. If one fails, none does, and a folder
    /// created for them is removed. Returns a message that lists the files in the
    /// folder, and the other files.
    fn save<R>(
        &self,
        exports: &[&dyn Export<R>],
        found: &R,
        kind: Kind,
        file: &Path,
    ) -> Result<Option<String>, Error> {
        self.check_kind(file, kind)?;
        let mut files: Vec<(&str, PathBuf)> = Vec::new();
        for about in outputs_of(kind) {
            let named = self.files.path_of(about.name).map(Path::to_path_buf);
            let folder = self.out.as_ref();
            let in_folder = folder.map(|folder| folder.join(named_after(file, about.ending(kind))));
            files.extend(named.into_iter().chain(in_folder).map(|path| (about.name, path)));
        }
        let made = self.make_folder()?;
        let save_all =
            || files.iter().try_for_each(|(name, path)| save(exports, name, found, path));
        let written = atomic::together(save_all);
        if let (Err(_), Some(folder)) = (&written, made) {
            // This removes the folder only if it is empty.
            let _ = std::fs::remove_dir(folder);
        }
        written.map(|()| self.wrote(files.iter().map(|(_, path)| path.as_path())))
    }

    /// Creates the folder of `--out`; returns it if it did not exist.
    fn make_folder(&self) -> Result<Option<&Path>, Error> {
        let Some(folder) = self.out.as_deref().filter(|folder| !folder.is_dir()) else {
            return Ok(None);
        };
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        Ok(Some(folder))
    }

    fn wrote<'a>(&self, files: impl Iterator<Item = &'a Path>) -> Option<String> {
        let folder = self.out.as_deref()?;
        let (below, others): (Vec<&Path>, Vec<&Path>) =
            files.partition(|path| path.parent() == Some(folder));
        let names = below.into_iter().filter_map(Path::file_name);
        let mut names: Vec<String> = names.map(|name| name.display().to_string()).collect();
        names.sort();
        let mut others: Vec<String> =
            others.iter().map(|path| format!(", and {}", path.display())).collect();
        others.sort();
        Some(format!("wrote {} in {}{}", names.join(", "), folder.display(), others.concat()))
    }

    /// Whether the planes are printed as JSON.
    pub fn prints_json(&self) -> bool {
        self.files.prints_json()
    }

    /// The document if it is to be printed, the table if no other output is asked for.
    fn printed(
        &self,
        document: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
        table: impl FnOnce() -> String,
    ) -> Result<String, Failure> {
        if self.prints_json() {
            let mut text = Vec::new();
            document(&mut text)?;
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
        let is_file = self.out.is_some() || !self.files.outputs().is_empty();
        Ok(if is_file { String::new() } else { table() })
    }
}

/// The help text of `--out`.
fn help() -> String {
    let names = |kind| {
        let all = outputs_of(kind).into_iter().rev();
        let all = all.map(|about| format!("NAME{}", about.ending(kind)));
        all.collect::<Vec<_>>().join(", ")
    };
    format!(
        "Write everything into this folder: {} (the labelled cloud is .las, .laz, .pcd, .e57 or .ply like the input, and .ply \
         for other inputs); \
         for an image {}. For standard input NAME is cloud",
        names(Kind::Cloud(Format::LAS)),
        names(Kind::Image)
    )
}

/// The name of a file of `input`.
fn named_after(input: &Path, ending: &str) -> OsString {
    let mut name = stem(input).to_os_string();
    name.push(ending);
    name
}

/// The stem of the names of an input's files.
fn stem(file: &Path) -> &OsStr {
    super::stem::stem(file).filter(|_| file != "-").unwrap_or("cloud".as_ref())
}
