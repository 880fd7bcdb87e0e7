//! The arguments of a search for planes, as the library takes them.

use crate::errors::{choice, maybe_named, named, wrong};
use planes::cloud::Choice;
use planes::detect::{Mode, Options};
use planes::detection::Curved;
use pyo3::prelude::*;

/// What is asked for, each under the name that it has in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Search {
    top: Option<u64>,
    tolerance: Option<f64>,
    widen: Option<f64>,
    angle: Option<f64>,
    curved: Option<String>,
    min_inliers: Option<u64>,
    min_area: Option<f64>,
    min_votes: Option<u64>,
    refine: Option<String>,
    space: Option<String>,
    rho_bin: Option<f64>,
    vote: Option<String>,
    one_pass: bool,
    orient: String,
    class_: Option<Vec<u8>>,
    bbox: Option<String>,
    every: Option<u64>,
}

impl Search {
    /// What the library is asked for.
    pub fn options(&self, py: Python<'_>) -> PyResult<Options> {
        self.check_one_pass()?;
        let curved = [("grey", Curved::Grey), ("facets", Curved::Facets)];
        let curved =
            self.curved.as_deref().map(|name| choice("curved", name, &curved)).transpose()?;
        Ok(Options {
            mode: self.mode()?,
            directions: maybe_named(py, self.space.as_deref())?,
            rho_bin: self.rho_bin,
            tolerance: self.tolerance,
            widen: self.widen,
            angle: self.angle,
            curved: curved.unwrap_or_default(),
            refine: maybe_named(py, self.refine.as_deref())?,
            orient: named(py, &self.orient)?,
            min_votes: self.min_votes,
            min_inliers: self.min_inliers,
            top: self.top,
            min_area: self.min_area,
            planes_only: false,
        })
    }

    fn mode(&self) -> PyResult<Mode> {
        let modes = [("near", Mode::Near), ("all", Mode::All)];
        let mode = self.vote.as_deref().map(|name| choice("vote", name, &modes)).transpose()?;
        Ok(if self.one_pass { Mode::OnePass } else { mode.unwrap_or_default() })
    }

    /// Refuses what one pass does not heed.
    fn check_one_pass(&self) -> PyResult<()> {
        let given = [
            ("vote", self.vote.is_some()),
            ("widen", self.widen.is_some()),
            ("angle", self.angle.is_some()),
            ("min_inliers", self.min_inliers.is_some()),
            ("curved", self.curved.is_some()),
        ];
        match given.iter().find(|(_, given)| self.one_pass && *given) {
            Some((name, _)) => Err(wrong(format!("`{name}` cannot be used with one_pass=True"))),
            None => Ok(()),
        }
    }

    /// The points that are searched.
    pub fn choice(&self, py: Python<'_>) -> PyResult<Choice> {
        let mut classes = self.class_.clone();
        if let Some(classes) = &mut classes {
            classes.sort_unstable();
            classes.dedup();
        }
        Ok(Choice { classes, bbox: maybe_named(py, self.bbox.as_deref())?, every: self.every })
    }
}
