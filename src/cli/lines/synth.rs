//! `planes synth lines`.

use crate::cli::values::{first_given, whole};
use clap::Args;
use planes::Error;
use planes::synth::lines::{Hardness, LineOptions};

#[derive(Debug, Args)]
#[command(next_help_heading = "Images of lines")]
pub struct LineScene {
    /// The kind of image: clean, noisy, dense, wrapped, border, thick or photo
    /// [default: clean]
    #[arg(long, value_name = "KIND",
        value_parser = |s: &str| s.parse::<Hardness>().map_err(|e| e.to_string()))]
    kind: Option<Hardness>,
    /// Width and height in pixels [default: 640x480]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<[u32; 2]>,
    /// Number of lines [default: 12]
    #[arg(long, value_name = "N", value_parser = whole)]
    lines: Option<u64>,
}

impl LineScene {
    /// The options for the library.
    pub fn options(&self, seed: u64) -> LineOptions {
        let default = LineOptions::default();
        LineOptions {
            kind: self.kind.unwrap_or(default.kind),
            size: self.size.unwrap_or(default.size),
            lines: self.lines.map_or(default.lines, |n| u32::try_from(n).unwrap_or(u32::MAX)),
            seed,
        }
    }

    /// The first option given; all are for images only.
    pub fn given(&self) -> Option<&'static str> {
        first_given(&[
            ("--kind", self.kind.is_some()),
            ("--size", self.size.is_some()),
            ("--lines", self.lines.is_some()),
        ])
    }
}

fn size(text: &str) -> Result<[u32; 2], Error> {
    let wrong = || Error::Parameter("expected WIDTHxHEIGHT, such as 640x480".into());
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    let side = |s: &str| s.parse().map_err(|_| wrong());
    Ok([side(width)?, side(height)?])
}
