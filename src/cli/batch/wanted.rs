//! What a batch writes of each file.

use crate::cli::exports::{Named, outputs_of};
use crate::cli::styling::Styling;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use planes::Error;
use planes::cloud::Format;
use planes::export::labels::LabelBy;
use planes::export::{About, Style};
use planes::input::Kind;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The output whose format may be chosen.
const LABELS: &str = "labels";

/// Any cloud; all have the same outputs.
pub const CLOUD: Kind = Kind::Cloud(Format::LAS);

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Outputs {
    /// The folder of the results, made if it is missing; one batch at a time works in it, or its shards
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Write only some of the results, such as json,labels [default: all]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
    /// Format of the clouds with each point's plane; npy holds the labels alone
    /// [default: as the cloud came, text as ply]
    #[arg(long, value_name = "FORMAT", value_parser = label_formats())]
    labels: Option<String>,
    #[command(flatten)]
    styling: Styling,
}

/// A result to be written.
pub struct Target {
    /// Its output.
    pub about: About,
    /// The end of its name.
    pub ending: &'static str,
    /// What it is like beside what was found.
    pub style: Style,
}

impl Target {
    /// The result of a file of this kind whose name ends so, if there is one.
    pub fn new(kind: Kind, ending: &str, style: Style) -> Option<Target> {
        outputs_of(kind).into_iter().find_map(|about| {
            let ending = about.endings.iter().find(|known| **known == ending)?;
            Some(Target { about, ending, style: (about.follows)(style) })
        })
    }
}

impl Outputs {
    /// The results that are wanted of a file of this kind.
    pub fn wanted(&self, kind: Kind) -> Vec<Target> {
        let (all, style) = (self.only.is_empty(), self.styling.style());
        let wanted = |about: &About| all || self.only.iter().any(|name| name == about.name);
        let target = |about: About| Target {
            about,
            ending: self.chosen_ending(&about).unwrap_or(about.ending(kind)),
            style: (about.follows)(style),
        };
        outputs_of(kind).into_iter().filter(wanted).map(target).collect()
    }

    /// The ending of labels where their format was chosen.
    fn chosen_ending(&self, about: &About) -> Option<&'static str> {
        let format = self.labels.as_ref().filter(|_| about.name == LABELS)?;
        about.endings.iter().find(|ending| ending.ends_with(format)).copied()
    }

    /// The first option that was given and is for clouds alone, or for images alone.
    pub fn given_for(&self, images: bool) -> Option<String> {
        let alone = |name: &&String| {
            let has = |kind| outputs_of(kind).iter().any(|about| about.name == name.as_str());
            has(Kind::Image) != has(CLOUD) && has(Kind::Image) == images
        };
        let only = self.only.iter().find(alone).map(|name| format!("--only {name}"));
        let labels = self.labels.as_ref().map(|_| "--labels".to_owned());
        let of_clouds = labels.or(self.styling.given().map(str::to_owned));
        only.or(of_clouds.filter(|_| !images))
    }

    /// The options that decide what is written.
    pub fn chosen(&self) -> Value {
        let mut only = self.only.clone();
        only.sort_unstable();
        only.dedup();
        let Style { by, up } = self.styling.style();
        let by_piece = by == LabelBy::Piece;
        json!({"only": only, "labels": self.labels, "by_piece": by_piece, "up": up.to_string()})
    }

    /// Refuses what contradicts itself.
    pub fn check(&self) -> Result<(), Error> {
        let wanted = self.wanted(CLOUD);
        let outputs: Vec<About> = wanted.iter().map(|target| target.about).collect();
        if self.labels.is_some() && !outputs.iter().any(|about| about.name == LABELS) {
            return Err(Error::Parameter("--labels: --only leaves the labels out".into()));
        }
        self.styling.check(&outputs)
    }
}

fn names() -> PossibleValuesParser {
    let value = |output: Named| PossibleValue::new(output.about.name).help(output.what());
    Named::all().into_iter().map(value).collect::<Vec<_>>().into()
}

fn label_formats() -> PossibleValuesParser {
    let labels = Named::all().into_iter().filter(|output| output.about.name == LABELS);
    let formats = labels.flat_map(|output| output.about.extensions());
    // Only an E57 can become one, and does so without the option.
    formats.filter(|&format| format != "e57").collect::<Vec<_>>().into()
}
