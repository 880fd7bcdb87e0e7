//! Options of labelled clouds and pictures.

use super::values::{first_given, said};
use clap::{Args, ValueEnum};
use planes::Error;
use planes::export::labels::LabelBy;
use planes::export::picture::Up;
use planes::export::{About, Style};

#[derive(Debug, Args)]
#[command(next_help_heading = "Output of clouds")]
pub struct Styling {
    /// Label points by plane, or by plane and piece (a connected part of a plane): the cloud then has piece_id
    /// beside plane_id, and .npy holds piece_id instead
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Label::Plane)]
    label_by: Label,
    /// Which coordinate points up in the picture: x, y, z, or auto: z, unless the cloud has a floor and
    /// a ceiling across x or y
    #[arg(long, value_name = "AXIS", default_value = "auto", value_parser = said::<Up>)]
    up: Up,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Label {
    /// By plane
    Plane,
    /// By plane and piece of a plane
    Piece,
}

impl Styling {
    /// The style for the library.
    pub fn style(&self) -> Style {
        let by = match self.label_by {
            Label::Plane => LabelBy::Plane,
            Label::Piece => LabelBy::Piece,
        };
        Style { by, up: self.up }
    }

    /// Refuses options that affect none of the outputs.
    pub fn check(&self, outputs: &[About]) -> Result<(), Error> {
        let follow = |style| outputs.iter().any(|about| (about.follows)(style) != Style::default());
        let Style { by, up } = self.style();
        if by != LabelBy::default() && !follow(Style { by, ..Style::default() }) {
            let message = "--label-by piece: no labelled cloud is asked for";
            return Err(Error::Parameter(message.into()));
        }
        if up != Up::Auto && !follow(Style { up, ..Style::default() }) {
            return Err(Error::Parameter(format!("--up {up}: no picture is asked for")));
        }
        Ok(())
    }

    /// The first option given.
    pub fn given(&self) -> Option<&'static str> {
        first_given(&[("--label-by", self.label_by != Label::Plane), ("--up", self.up != Up::Auto)])
    }
}
