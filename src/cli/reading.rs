//! How clouds are read: the options that all commands that read clouds share, and notes on the
//! clouds.

use super::failure::with_options;
use super::progress::Bar;
use super::values::{first_given, said, whole};
use clap::Args;
use planes::Error;
use planes::cloud::{Bbox, Camera, Choice, Columns, Format, ReadOptions, Source};
use planes::image::Image;
use planes::orient::Orient;
use std::path::Path;

#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct Reading {
    /// Columns of a text file, from the first one on: x, y, z, intensity, r, g, b, plane_id,
    /// class, or - to skip a column [default: recognised from the first lines]
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true)]
    columns: Option<Columns>,
    /// The camera of depth images, which become clouds: focal lengths and centre in pixels, and the value of
    /// a metre (1000 in Open3D and RealSense, 5000 in the TUM sets), as in 525,525,319.5,239.5,5000; an image
    /// of 16 bits in one channel (PNG, TIFF or PGM) is a depth image [default: none, it is searched for lines]
    #[arg(long, value_name = "FX,FY,CX,CY,SCALE", allow_hyphen_values = true, value_parser = said::<Camera>)]
    camera: Option<Camera>,
}

impl Reading {
    pub fn options(&self) -> ReadOptions {
        ReadOptions { columns: self.columns.clone(), camera: self.camera }
    }

    /// The first given option that is only for clouds.
    pub fn given(&self) -> Option<&'static str> {
        self.columns.is_some().then_some("--columns")
    }

    /// The columns as given, in a canonical spelling.
    pub fn columns(&self) -> Option<String> {
        self.columns.as_ref().map(ToString::to_string)
    }

    /// The camera as it was given, in one spelling.
    pub fn camera(&self) -> Option<String> {
        self.camera.as_ref().map(ToString::to_string)
    }

    /// Refuses `--columns` for files other than text, and `--camera` for files other than images.
    pub fn check(&self, source: &Source) -> Result<(), Error> {
        let format = source.format();
        let message = if self.columns.is_some() && format != Format::TEXT {
            format!("--columns is for text, and this is {format}")
        } else if self.camera.is_some() && format != Format::DEPTH {
            format!("--camera is for depth images, and this is {format}")
        } else {
            return Ok(());
        };
        Err(Error::Parameter(format!("{}: {message}", source.path().display())))
    }

    /// Refuses `--columns` if none of the clouds that were read is text, and `--camera` if none is a depth image.
    pub fn check_used(&self, formats: &[Format]) -> Result<(), Error> {
        let message = if self.columns.is_some() && !formats.contains(&Format::TEXT) {
            "--columns is for text, and no cloud here is"
        } else if self.camera.is_some() && !formats.contains(&Format::DEPTH) {
            "--camera is for depth images, and there is none here"
        } else {
            return Ok(());
        };
        Err(Error::Parameter(message.into()))
    }

    /// Refuses a camera for an image that it makes no cloud of.
    pub fn check_image(&self, file: &Path) -> Result<(), Error> {
        if self.camera.is_none() {
            return Ok(());
        }
        let message =
            "--camera is for depth images, of 16 bits in one channel, and this is another image";
        Err(Error::Parameter(format!("{}: {message}", file.display())))
    }
}

/// Logs the notes on a cloud, one per line.
pub fn say_notes(source: &Source, bar: &Bar) {
    for note in source.notes() {
        let note = with_options(&note.to_string());
        bar.aside(|| log::warn!("{}: {note}", source.path().display()));
    }
}

/// Suggests a camera for what may be a depth image.
pub fn say_deep(image: &Image, bar: &Bar) {
    if image.is_deep() {
        let hint = "its lines are found, as those of any image; if it is a depth image, give \
                    --camera FX,FY,CX,CY,SCALE to find its planes";
        bar.aside(|| log::warn!("{}: {hint}", image.path().display()));
    }
}

/// Warns if coordinates with these bounds are degrees, or if planes are turned to a scanner far away.
pub fn say_bounds(source: &Source, [min, max]: [[f64; 3]; 2], orient: Orient, bar: &Bar) {
    let is_turned = orient == Orient::Scanner(None);
    let scanner = is_turned.then(|| source.far_scanner(min, max)).flatten();
    for note in source.degrees(min, max).into_iter().chain(scanner) {
        let note = with_options(&note.to_string());
        bar.aside(|| log::warn!("{}: {note}", source.path().display()));
    }
}

/// Which points are searched.
#[derive(Debug, Args)]
#[command(next_help_heading = "Choice of points")]
pub struct Choosing {
    /// Search only points of these classes, such as 2,6 for ground and buildings
    #[arg(long = "class", value_name = "CLASSES", value_delimiter = ',', value_parser = class)]
    classes: Vec<u8>,
    /// Search only points in this box: xmin,ymin,xmax,ymax or xmin,ymin,zmin,xmax,ymax,zmax
    #[arg(long, value_name = "BOX", allow_hyphen_values = true, value_parser = said::<Bbox>)]
    bbox: Option<Bbox>,
    /// Search only the first of every N points of the file
    #[arg(long, value_name = "N", value_parser = every)]
    every: Option<u64>,
}

/// A class of points.
fn class(text: &str) -> Result<u8, String> {
    let class = whole(text).ok().and_then(|class| u8::try_from(class).ok());
    class.ok_or_else(|| "--class takes numbers from 0 to 255, such as 2,6".into())
}

/// The N of "one in every N points".
fn every(text: &str) -> Result<u64, String> {
    let every = whole(text).ok().filter(|&every| every > 0);
    every.ok_or_else(|| "--every takes a whole number from 1 on, such as 10".into())
}

impl Choosing {
    /// The choice of points for the library.
    pub fn choice(&self) -> Choice {
        let mut classes = self.classes.clone();
        classes.sort_unstable();
        classes.dedup();
        Choice {
            classes: (!classes.is_empty()).then_some(classes),
            bbox: self.bbox,
            every: self.every,
        }
    }

    /// The first option given.
    pub fn given(&self) -> Option<&'static str> {
        first_given(&[
            ("--class", !self.classes.is_empty()),
            ("--bbox", self.bbox.is_some()),
            ("--every", self.every.is_some()),
        ])
    }
}
