//! The labelled cloud as an output.

use super::labels;
use super::output::{About, Export, Planes, Style};
use crate::Result;
use std::path::Path;

/// The cloud with the plane of each point.
pub struct Labelled;

impl Export<Planes<'_>> for Labelled {
    fn about(&self) -> About {
        let endings = &[
            ".labels.ply",
            ".labels.las",
            ".labels.laz",
            ".labels.pcd",
            ".labels.e57",
            ".labels.npy",
        ];
        let what = "the cloud with each point's plane; .npy holds the labels alone";
        About {
            needs_labels: true,
            follows: |asked| Style { by: asked.by, ..Style::default() },
            ..About::new("labels", what, endings)
        }
    }

    fn save(&self, planes: &Planes, path: &Path) -> Result<()> {
        let left_out = labels::save(planes.source, planes.detection, planes.style.by, path)?;
        if !left_out.is_nothing() {
            log::warn!("{}: {left_out}", planes.source.path().display());
        }
        Ok(())
    }
}
