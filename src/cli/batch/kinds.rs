//! What a batch writes of a file.

use super::super::lines::outputs::LineKind;
use super::super::outputs::Kind;
use clap::ValueEnum;
use planes::cloud::Format;
use planes::export::picture::Up;
use planes::input;

/// The results, as `--only` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Wanted {
    /// The planes or lines
    Json,
    /// The cloud with each point's plane
    Labels,
    /// A picture of the cloud coloured by plane, or of the image with its lines
    Overlay,
    /// The planes' outlines as PLY polygons
    Ply,
    /// The planes, or the segments of lines, as a table
    Csv,
    /// The segments of lines as a drawing
    Svg,
    /// A picture of the Hough space of an image
    Space,
}

impl Wanted {
    /// What it is of a cloud, if anything.
    pub fn of_cloud(self) -> Option<Kind> {
        match self {
            Wanted::Json => Some(Kind::Json),
            Wanted::Labels => Some(Kind::Labels),
            Wanted::Overlay => Some(Kind::Picture),
            Wanted::Ply => Some(Kind::Polygons),
            Wanted::Csv => Some(Kind::Table),
            Wanted::Svg | Wanted::Space => None,
        }
    }

    /// Whether it tells the plane of each point of a cloud.
    pub fn needs_labels(self) -> bool {
        self.of_cloud().is_some_and(Kind::needs_labels)
    }

    /// What it is of an image, if anything.
    pub fn of_image(self) -> Option<LineKind> {
        match self {
            Wanted::Json => Some(LineKind::Json),
            Wanted::Overlay => Some(LineKind::Picture),
            Wanted::Csv => Some(LineKind::Csv),
            Wanted::Svg => Some(LineKind::Svg),
            Wanted::Space => Some(LineKind::Space),
            Wanted::Labels | Wanted::Ply => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum LabelFormat {
    Las,
    Laz,
    Ply,
    Npy,
}

/// What a result is like beside what was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct How {
    /// Of labels, whether they are also by piece.
    pub by_piece: bool,
    /// Of a picture of a cloud, which axis is up.
    pub up: Up,
}

/// The kind of a result, by the ending of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    Cloud(Kind),
    Image(LineKind),
}

impl Of {
    /// What matters of it for such a result.
    pub fn how(self, how: How) -> How {
        How {
            by_piece: how.by_piece && self == Of::Cloud(Kind::Labels),
            up: if self == Of::Cloud(Kind::Picture) { how.up } else { Up::default() },
        }
    }

    /// What a file of this kind holds if its name ends so.
    pub fn ending(kind: input::Kind, ending: &str) -> Option<Of> {
        match kind {
            input::Kind::Cloud(_) if ending.starts_with(".labels.") => {
                Some(Of::Cloud(Kind::Labels))
            }
            input::Kind::Cloud(format) => {
                let mut kinds = Kind::ALL.into_iter().filter(|kind| kind.ending(format) == ending);
                kinds.next().map(Of::Cloud)
            }
            input::Kind::Image => {
                let mut kinds = LineKind::ALL.into_iter().filter(|kind| kind.ending() == ending);
                kinds.next().map(Of::Image)
            }
        }
    }
}

/// The endings of the results that are wanted of a file of this kind.
pub fn endings(
    wanted: &[Wanted],
    labels: Option<LabelFormat>,
    kind: input::Kind,
) -> Vec<&'static str> {
    let of_cloud = |wanted: Wanted, format: Format| -> Option<&'static str> {
        let kind = wanted.of_cloud()?;
        Some(match (kind, labels) {
            (Kind::Labels, Some(LabelFormat::Las)) => ".labels.las",
            (Kind::Labels, Some(LabelFormat::Laz)) => ".labels.laz",
            (Kind::Labels, Some(LabelFormat::Ply)) => ".labels.ply",
            (Kind::Labels, Some(LabelFormat::Npy)) => ".labels.npy",
            _ => kind.ending(format),
        })
    };
    let endings = wanted.iter().filter_map(|&wanted| match kind {
        input::Kind::Cloud(format) => of_cloud(wanted, format),
        input::Kind::Image => wanted.of_image().map(LineKind::ending),
    });
    endings.collect()
}
