//! What `planes detect` writes of an image.

use super::super::Failure;
use super::super::outputs::{Outputs, Written, stem};
use super::table;
use clap::Args;
use planes::Error;
use planes::backend::Backend;
use planes::export::lines::{json, save_csv, save_overlay, save_space, save_svg};
use planes::image::{EdgeMap, Image};
use planes::lines::Detection;
use std::path::{Path, PathBuf};

/// The outputs of images alone.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output of images")]
pub struct LineOutputs {
    /// Write the segments as a drawing, .svg
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a picture of the Hough space with the lines marked, .png
    #[arg(long, value_name = "FILE")]
    space_image: Option<PathBuf>,
}

impl LineOutputs {
    /// The options with their files and the endings that these must have.
    pub fn files(&self) -> [(&'static str, Option<&Path>, &'static str); 2] {
        [
            ("--svg", self.svg.as_deref(), "svg"),
            ("--space-image", self.space_image.as_deref(), "png"),
        ]
    }

    /// The first option that was given; all are of images alone.
    pub fn given(&self) -> Option<&'static str> {
        self.files().into_iter().find_map(|(name, path, _)| path.map(|_| name))
    }
}

impl Outputs {
    /// Writes what was asked for of an image.
    pub fn write_lines(&self, lines: &Lines, file: &Path) -> Result<Written, Failure> {
        let single = [
            (LineKind::Json, self.json.as_deref().filter(|&p| p != "-")),
            (LineKind::Picture, self.overlay.as_deref()),
            (LineKind::Csv, self.csv.as_deref()),
        ];
        let [svg, space] = self.lines.files().map(|(_, path, _)| path);
        let others = [(LineKind::Svg, svg), (LineKind::Space, space)];
        let named = single.into_iter().chain(others);
        let mut files: Vec<(LineKind, PathBuf)> =
            named.filter_map(|(kind, path)| Some((kind, path?.to_path_buf()))).collect();
        if let Some(folder) = &self.out {
            files.extend(LineKind::ALL.map(|kind| {
                let mut name = stem(file).to_os_string();
                name.push(kind.ending());
                (kind, folder.join(name))
            }));
        }
        files.sort_by_key(|&(kind, _)| kind);
        self.save_all(&files, |(kind, path)| kind.save(lines, path))?;
        let wrote = self.wrote(files.iter().map(|(_, path)| path.as_path()));
        Ok(Written { printed: self.printed_lines(lines)?, wrote })
    }

    /// JSON where that was asked for, a table where nothing else was.
    fn printed_lines(&self, lines: &Lines) -> Result<String, Failure> {
        if self.prints_json() {
            let mut text = Vec::new();
            json::write_json(lines.detection, &mut text)?;
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
        if self.out.is_some() || self.single().next().is_some() {
            return Ok(String::new());
        }
        Ok(table::lines(&lines.image.path().display().to_string(), lines.detection))
    }
}

/// The lines of an image and all that their files are made from.
pub struct Lines<'a> {
    pub image: &'a Image,
    pub edges: &'a EdgeMap,
    pub detection: &'a Detection,
    pub backend: &'a dyn Backend,
}

/// The kinds of files of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineKind {
    Space,
    Picture,
    Svg,
    Csv,
    Json,
}

impl LineKind {
    pub const ALL: [LineKind; 5] =
        [LineKind::Space, LineKind::Picture, LineKind::Svg, LineKind::Csv, LineKind::Json];

    /// How its file's name ends in a folder.
    pub fn ending(self) -> &'static str {
        match self {
            LineKind::Space => ".space.png",
            LineKind::Picture => ".lines.png",
            LineKind::Svg => ".svg",
            LineKind::Csv => ".csv",
            LineKind::Json => ".json",
        }
    }

    /// Writes the file.
    pub fn save(self, lines: &Lines, path: &Path) -> Result<(), Error> {
        let &Lines { image, edges, detection, backend } = lines;
        match self {
            LineKind::Space => save_space(edges, detection, backend, path),
            LineKind::Picture => save_overlay(image, detection, path),
            LineKind::Svg => save_svg(detection, path),
            LineKind::Csv => save_csv(detection, path),
            LineKind::Json => json::save_json(detection, path),
        }
    }
}
