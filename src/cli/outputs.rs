//! What `planes detect` writes and where.

use super::guard::{self, Output};
use super::lines::outputs::{LineKind, LineOutputs};
use super::values::said;
use super::{Failure, table};
use clap::{Args, ValueEnum};
use planes::cloud::{Fields, Format, Source, Unit};
use planes::export::labels::{self, LabelBy};
use planes::export::picture::{PictureOptions, Up, save_picture};
use planes::export::{csv, json, ply};
use planes::input::{self, peek};
use planes::{Detection, Error};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The heading of what is written of clouds alone.
const CLOUDS: &str = "Output of clouds";

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Outputs {
    /// Write everything into this folder: NAME.json, NAME.planes.csv, NAME.planes.ply, NAME.png and
    /// the labelled cloud NAME.labels.las, .laz or .ply, as the input is; of an image NAME.json,
    /// NAME.csv, NAME.svg, NAME.lines.png and NAME.space.png. Of standard input NAME is cloud
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Write the planes or lines as JSON; - prints it, of several inputs one document after the other
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write a table, .csv: a row a plane, or of an image a row a segment
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Write a picture of the cloud coloured by plane, or of the image with its lines in red, .png
    #[arg(long, value_name = "FILE")]
    pub(super) overlay: Option<PathBuf>,
    /// Write the planes' outlines as PLY polygons
    #[arg(long, value_name = "FILE", help_heading = CLOUDS)]
    ply: Option<PathBuf>,
    /// Write the cloud with each point's plane: .las, .laz, .ply, or .npy for the labels alone
    #[arg(long, value_name = "FILE", help_heading = CLOUDS)]
    labels: Option<PathBuf>,
    #[command(flatten)]
    labelling: Labelling,
    #[command(flatten)]
    drawing: Drawing,
    #[command(flatten)]
    pub(super) lines: LineOutputs,
}

/// What labelled clouds tell, here and in a batch.
#[derive(Debug, Args)]
pub struct Labelling {
    /// Label points by plane; or by piece, a connected part of a plane, too: the cloud gets piece_id
    /// beside plane_id, and .npy holds it instead
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Label::Plane, help_heading = CLOUDS)]
    pub label_by: Label,
}

/// How pictures of clouds are drawn, here and in a batch.
#[derive(Debug, Args)]
pub struct Drawing {
    /// Which coordinate points up in the picture: x, y or z; auto: z, unless the cloud has a floor and
    /// a ceiling across x or y
    #[arg(long, value_name = "AXIS", default_value = "auto", value_parser = said::<Up>, help_heading = CLOUDS)]
    pub up: Up,
}

impl Drawing {
    /// Refuses to say what is up where no picture is drawn.
    pub fn check(&self, has_picture: bool) -> Result<(), Error> {
        if has_picture || self.up == Up::Auto {
            return Ok(());
        }
        Err(Error::Parameter(format!("--up {}: no picture is asked for", self.up)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Label {
    /// By plane
    Plane,
    /// By piece of a plane
    Piece,
}

impl Labelling {
    pub fn by(&self) -> LabelBy {
        match self.label_by {
            Label::Plane => LabelBy::Plane,
            Label::Piece => LabelBy::Piece,
        }
    }

    /// Refuses to label by piece where no labels are written.
    pub fn check(&self, has_labels: bool) -> Result<(), Error> {
        if has_labels || self.label_by == Label::Plane {
            return Ok(());
        }
        Err(Error::Parameter("--label-by piece: no labelled cloud is asked for".into()))
    }
}

impl Outputs {
    /// Refuses outputs that cannot be, before any work is done.
    pub fn check(&self, inputs: &[PathBuf]) -> Result<(), Error> {
        if let Some(path) = self.ply.as_ref().filter(|p| extension(p) != "ply") {
            return Err(wrong("--ply", path, "the planes' outlines are a .ply"));
        }
        if let Some(path) = self.overlay.as_ref().filter(|p| extension(p) != "png") {
            return Err(wrong("--overlay", path, "the picture is a .png"));
        }
        if let Some(path) = self.csv.as_ref().filter(|p| extension(p) != "csv") {
            return Err(wrong("--csv", path, "the table is a .csv"));
        }
        let endings = ["las", "laz", "ply", "npy"];
        if let Some(path) = self.labels.as_ref().filter(|p| !endings.contains(&&*extension(p))) {
            return Err(wrong("--labels", path, "use .las, .laz, .ply or .npy"));
        }
        for (option, path, ending) in self.lines.files() {
            if let Some(path) = path.filter(|path| extension(path) != ending) {
                return Err(wrong(option, path, &format!("that is a .{ending}")));
            }
        }
        self.labelling.check(self.labels.is_some() || self.out.is_some())?;
        self.drawing.check(self.overlay.is_some() || self.out.is_some())?;
        self.check_names(inputs)?;
        guard::check(inputs, &self.all(inputs))
    }

    /// All files that may be written of these inputs.
    fn all(&self, inputs: &[PathBuf]) -> Vec<Output> {
        let mut all: Vec<Output> =
            self.single().map(|(option, path)| Output::named(option, path)).collect();
        let Some(folder) = &self.out else { return all };
        for input in inputs {
            let (clouds, images) = match peek(input) {
                Some(input::Kind::Cloud(format)) => (vec![format], false),
                Some(input::Kind::Image) => (vec![], true),
                // What it is will be seen when it is read.
                None => (vec![Format::LAS, Format::LAZ, Format::PLY], true),
            };
            let of_cloud = |format| Kind::ALL.map(|kind| kind.ending(format));
            let mut endings: Vec<&str> = clouds.into_iter().flat_map(of_cloud).collect();
            if images {
                endings.extend(LineKind::ALL.map(LineKind::ending));
            }
            endings.sort_unstable();
            endings.dedup();
            all.extend(endings.into_iter().map(|ending| {
                let mut name = stem(input).to_os_string();
                name.push(ending);
                Output::within("--out", folder, name)
            }));
        }
        all
    }

    /// Whether a file of a cloud is asked for that tells the plane of each point.
    pub fn need_labels(&self) -> bool {
        self.out.is_some() || self.labels.is_some() || self.overlay.is_some()
    }

    /// The first option that was given and is of clouds alone, or of images alone.
    pub fn given_for(&self, images: bool) -> Option<&'static str> {
        if images {
            return self.lines.given();
        }
        let given = [
            ("--ply", self.ply.is_some()),
            ("--labels", self.labels.is_some()),
            ("--label-by", self.labelling.label_by != Label::Plane),
            ("--up", self.drawing.up != Up::Auto),
        ];
        given.into_iter().find_map(|(name, given)| given.then_some(name))
    }

    /// Refuses names that two results would share.
    fn check_names(&self, inputs: &[PathBuf]) -> Result<(), Error> {
        let single: Vec<_> = self.single().collect();
        if let (Some((option, path)), 2..) = (single.first(), inputs.len()) {
            let message = "several inputs have no room in one file; use --out DIR";
            return Err(wrong(option, path, message));
        }
        if self.out.is_none() {
            return Ok(());
        }
        for (i, input) in inputs.iter().enumerate() {
            if let Some(other) = inputs[..i].iter().find(|other| stem(other) == stem(input)) {
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

    /// The single files that are asked for, each with its option.
    pub(super) fn single(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let files = [
            ("--json", &self.json),
            ("--csv", &self.csv),
            ("--ply", &self.ply),
            ("--labels", &self.labels),
            ("--overlay", &self.overlay),
        ];
        let named = files.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)));
        let of_images = self.lines.files().into_iter();
        let named = named.chain(of_images.filter_map(|(option, path, _)| Some((option, path?))));
        named.filter(|&(_, path)| path != "-")
    }

    /// Writes what was asked for.
    pub fn write(
        &self,
        source: &Source,
        file: &Path,
        detection: &Detection,
    ) -> Result<Written, Failure> {
        let mut files = self.files(source, file);
        files.sort_by_key(|&(kind, _)| kind);
        let (by, up) = (self.labelling.by(), self.drawing.up);
        self.save_all(&files, |(kind, path)| kind.save(source, detection, (by, up), path))?;
        let wrote = self.wrote(files.iter().map(|(_, path)| path.as_path()));
        Ok(Written { printed: self.printed(source, detection)?, wrote })
    }

    /// Says what the folder of everything received, and what else was written.
    pub(super) fn wrote<'a>(&self, files: impl Iterator<Item = &'a Path>) -> Option<String> {
        let folder = self.out.as_deref()?;
        let (below, others): (Vec<&Path>, Vec<&Path>) =
            files.partition(|path| path.parent() == Some(folder));
        let names = below.into_iter().filter_map(Path::file_name);
        let mut names: Vec<String> = names.map(|name| name.display().to_string()).collect();
        names.sort();
        let mut others: Vec<String> =
            others.iter().map(|path| path.display().to_string()).collect();
        others.sort();
        let others = others.iter().map(|path| format!(", and {path}")).collect::<String>();
        Some(format!("wrote {} in {}{others}", names.join(", "), folder.display()))
    }

    /// Writes files one after the other; a folder that was made for them goes if there are none.
    pub(super) fn save_all<T>(
        &self,
        files: &[T],
        save: impl Fn(&T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let made = self.make_folder()?;
        let written = files.iter().try_for_each(save);
        if let (Err(_), Some(folder)) = (&written, made) {
            // It goes if it is empty, and stays with what it holds if it is not.
            let _ = std::fs::remove_dir(folder);
        }
        written
    }

    /// Everything that is to be written of one cloud.
    fn files(&self, source: &Source, file: &Path) -> Vec<(Kind, PathBuf)> {
        let single = [
            (Kind::Json, self.json.as_ref().filter(|&p| p != "-")),
            (Kind::Table, self.csv.as_ref()),
            (Kind::Polygons, self.ply.as_ref()),
            (Kind::Labels, self.labels.as_ref()),
            (Kind::Picture, self.overlay.as_ref()),
        ];
        let mut files: Vec<(Kind, PathBuf)> =
            single.into_iter().filter_map(|(kind, path)| Some((kind, path?.clone()))).collect();
        if let Some(folder) = &self.out {
            for kind in Kind::ALL {
                let mut name = stem(file).to_os_string();
                name.push(kind.ending(source.format()));
                files.push((kind, folder.join(name)));
            }
        }
        files
    }

    /// Makes the folder for everything; returns it if it was not there.
    fn make_folder(&self) -> Result<Option<&Path>, Error> {
        let Some(folder) = self.out.as_deref().filter(|folder| !folder.is_dir()) else {
            return Ok(None);
        };
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        Ok(Some(folder))
    }

    /// Whether the planes are printed as JSON.
    pub fn prints_json(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }

    /// JSON where that was asked for, a table where nothing else was.
    fn printed(&self, source: &Source, detection: &Detection) -> Result<String, Failure> {
        if self.prints_json() {
            let mut text = Vec::new();
            json::write_json(detection, &mut text)?;
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
        if self.out.is_some() || self.single().next().is_some() {
            return Ok(String::new());
        }
        let crs = detection.input.crs.as_ref();
        // Degrees are no unit of lengths.
        let unit = crs.filter(|crs| !crs.geographic).and_then(|crs| crs.unit.as_ref());
        let name = source.path().display().to_string();
        Ok(table::planes(&name, detection, unit.map(Unit::symbol)))
    }
}

/// What came of writing.
pub struct Written {
    /// What is to be printed.
    pub printed: String,
    /// Which files were named by us, in a line.
    pub wrote: Option<String>,
}

/// The kinds of files, those first that read the cloud again and may yet find fault with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The cloud with each point's plane.
    Labels,
    /// A picture of the cloud coloured by plane.
    Picture,
    /// The planes' outlines as PLY polygons.
    Polygons,
    /// The planes as a table.
    Table,
    /// The planes.
    Json,
}

impl Kind {
    pub const ALL: [Kind; 5] =
        [Kind::Labels, Kind::Picture, Kind::Polygons, Kind::Table, Kind::Json];

    /// Whether it tells the plane of each point.
    pub fn needs_labels(self) -> bool {
        matches!(self, Kind::Labels | Kind::Picture)
    }

    /// How its file's name ends in a folder; labels are written as the cloud came.
    pub fn ending(self, format: Format) -> &'static str {
        match (self, format) {
            (Kind::Labels, Format::LAS) => ".labels.las",
            (Kind::Labels, Format::LAZ) => ".labels.laz",
            (Kind::Labels, _) => ".labels.ply",
            (Kind::Picture, _) => ".png",
            (Kind::Polygons, _) => ".planes.ply",
            (Kind::Table, _) => ".planes.csv",
            (Kind::Json, _) => ".json",
        }
    }

    pub fn save(
        self,
        source: &Source,
        detection: &Detection,
        (by, up): (LabelBy, Up),
        path: &Path,
    ) -> Result<(), Error> {
        match self {
            Kind::Labels => {
                let left_out = labels::save(source, detection, by, path)?;
                if !left_out.is_nothing() {
                    log::warn!("{}: {left_out}", source.path().display());
                }
                Ok(())
            }
            Kind::Picture => {
                let mut reader = source.reader(Fields::default())?;
                let options = PictureOptions { up, ..PictureOptions::default() };
                save_picture(reader.as_mut(), detection, &options, path)
            }
            Kind::Polygons => ply::save_polygons(detection, ply::Encoding::Binary, path),
            Kind::Table => csv::save_csv(detection, path),
            Kind::Json => json::save_json(detection, path),
        }
    }
}

fn wrong(option: &str, path: &Path, message: &str) -> Error {
    Error::Parameter(format!("{option} {}: {message}", path.display()))
}

/// What the files of a cloud are named after.
pub(super) fn stem(file: &Path) -> &OsStr {
    file.file_stem().filter(|_| file != "-").unwrap_or("cloud".as_ref())
}

/// The extension in lower case; empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().map_or_else(String::new, |e| e.to_string_lossy().to_lowercase())
}
