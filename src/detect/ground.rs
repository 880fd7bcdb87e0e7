//! What a search starts from: the cells of a cloud, and the scale at which they show its noise.

use super::cut::Cut;
use super::depth_steps::DepthSteps;
use super::drawn::{Drawn, DrawnPoints};
use super::how::How;
use super::load::Loaded;
use super::noise::View;
use super::plateau::{Deviation, Plateau};
use super::rounded;
use crate::Result;
use crate::backend::Held;
use crate::camera::rows;
use crate::camera::search::{self, Found};
use crate::frame::Frame;
use crate::surface::unit::{CellCounts, Unit};
use crate::vector::Vec3;
use std::sync::Arc;

/// Noise that grows with the depth is at least so many times as large far away as if it fell off with the inverse of the depth
/// in the camera's view.
const GROWS: f64 = 1.5;

/// Neighbourhoods so many times as thick as the precision of their sums makes them show noise.
const THICKER: f64 = 2.0;

/// The finest neighbourhoods of clouds of more distinct points than this are so small that independent noise
/// hides correlated noise there …
const LARGE: u64 = 2_000_000;
/// … which those of about so many of the points show.
const PART: u64 = 500_000;

/// The curve of thickness tells surely how far waves go if it does to this degree, from 0 to 1. On roads beside grass it was .9 and less.
const SURE: f64 = 0.95;

/// What a search starts from: the cells, and the scale at which they show the noise.
pub(super) struct Ground<'b> {
    pub cut: Cut<'b>,
    pub plateau: Plateau,
    /// Standard deviation that rounding adds to each of the coordinates, in steps.
    pub rounding: Vec3,
    /// The steps in which depths come, if a frame that is drawn in the camera's view has no other noise.
    pub steps: Option<DepthSteps>,
}

impl<'b> Ground<'b> {
    /// Cells as fine as the points allow. In a large cloud they are as fine as a part of the points allows if
    /// that shows correlated noise, unless its cells hide faces or it is a landscape, or if it is a frame in the camera's view.
    pub fn of_cloud(
        held: &mut dyn Held<'b>,
        counts: &CellCounts,
        drawing: DrawnPoints,
        how: How<'_, 'b>,
    ) -> Result<Ground<'b>> {
        let unit = Unit::for_counts(counts);
        if counts.finest <= LARGE {
            return Ground::as_fine_as_needed(held, (unit, counts), drawing);
        }
        let part = Arc::new(drawing.points.one_in(counts.finest.div_ceil(PART)));
        let mut held_part = how.backend.hold(part.clone())?;
        let wide = Unit::for_counts(&held_part.count_cells()?).at_least(unit);
        let of_part =
            Ground::of_cells(held_part.as_mut(), wide, DrawnPoints { points: &part, ..drawing })?;
        let (plateau, hides_faces) = (of_part.plateau, of_part.hides_faces());
        drop((of_part, held_part));
        if (!plateau.alike || plateau.landscape || hides_faces) && drawing.drawn == Drawn::InSpace {
            return Ground::as_fine_as_needed(held, (unit, counts), drawing);
        }
        let mut ground = Ground::of_cells(held, wide, drawing)?;
        if !ground.plateau.alike {
            ground.plateau = plateau;
        }
        Ok(ground)
    }

    /// Cells of this edge, or finer ones where these would hide faces: a cloud of many points may be that of a large place, and no denser
    /// than others.
    fn as_fine_as_needed(
        held: &mut dyn Held<'b>,
        (mut unit, counts): (Unit, &CellCounts),
        drawing: DrawnPoints,
    ) -> Result<Ground<'b>> {
        loop {
            let ground = Ground::of_cells(held, unit, drawing)?;
            match unit.finer(counts).filter(|_| ground.hides_faces()) {
                Some(finer) => unit = finer,
                None => return Ok(ground),
            }
        }
    }

    /// Whether many of the finest neighbourhoods are as wide as the faces of the cloud. Slices and the camera's view do not tell.
    fn hides_faces(&self) -> bool {
        let Plateau { drawn, sliced, .. } = self.plateau;
        drawn == Drawn::InSpace && !sliced && self.cut.view.hides_faces()
    }

    /// Cells with this edge over points as they are drawn.
    pub fn of_cells(
        held: &mut dyn Held<'b>,
        unit: Unit,
        drawing: DrawnPoints,
    ) -> Result<Ground<'b>> {
        let DrawnPoints { points, drawn, thinnest } = drawing;
        let mut cut = Cut::new(held, unit, (View::new, thinnest))?;
        let Cut { order, view, .. } = &cut;
        // In the camera's view coordinates come in steps because pixels do.
        let rounding = match drawn {
            // In the order of the cells, so that the order of the file does not matter.
            Drawn::InSpace => rounded::rounding(order.len(), |i| points.get(order[i] as usize)),
            Drawn::AsSeen => [0.0; 3],
        };
        let mut plateau = view.plateau(drawn, view.rounding(rounding));
        if plateau.is_of_waves() {
            // Scattered points look like waves.
            cut.leave_strays_out();
            plateau = cut.view.plateau(drawn, cut.view.rounding(rounding));
        }
        Ok(Ground { cut, plateau, rounding, steps: None })
    }

    /// Reads the noise once more where the cloud looks like waves and holds two kinds of surface: wide neighbourhoods of a road are
    /// thicker where they reach into the grass. The noise is independent if that of the smooth kind is. Where the curve tells surely how far
    /// waves go, as on gravel, these are waves. To be asked in space only, and not of the rings of a scanner.
    pub fn look_at_smooth_kind(&mut self) {
        let Ground { cut, plateau, rounding, .. } = self;
        if !plateau.is_of_waves() || !plateau.sheet || plateau.deviation.known() >= SURE {
            return;
        }
        if let Some(smooth) = cut.view.smooth_kind(cut.cells.cells()) {
            let of_smooth = smooth.plateau(plateau.drawn, smooth.rounding(*rounding));
            if !of_smooth.alike {
                let Plateau { landscape, sheet, stepped, clear, .. } = *plateau;
                *plateau = Plateau { landscape, sheet, stepped, clear, ..of_smooth };
            }
        }
    }

    /// Whether the noise may be that of a depth camera's frame: it is correlated or comes in steps.
    fn may_be_frame(&self) -> bool {
        self.plateau.alike || self.plateau.stepped
    }

    /// Moves the plateau to a level on which the steps of a frame's depths do not hide its surfaces.
    pub fn look_beyond(&mut self, steps: &DepthSteps) {
        let samples = &self.cut.view.samples;
        let mut seen = (0..self.cut.view.levels()).map(|l| (l as f64, steps.hide(samples, l)));
        // Where hardly any neighbourhood is flat, nothing tells whether steps hide it.
        if seen.find(|(_, hidden)| hidden.is_some()).is_none_or(|(_, hidden)| hidden == Some(false))
        {
            return;
        }
        let first = seen.find(|&(_, hidden)| hidden == Some(false));
        if let Some((first, _)) = first.filter(|&(first, _)| first > self.plateau.level) {
            self.plateau = Plateau {
                level: first,
                sliced: true,
                landscape: false,
                deviation: Deviation::UNKNOWN,
                ..self.plateau
            };
        }
    }

    /// Moves the plateau of a frame that is searched in space to a level on which slices across the direction of view, if it
    /// is known, do not hide its surfaces.
    pub fn look_past_slices(&mut self, ahead: Option<Vec3>) {
        if let Some(level) = self.cut.view.beyond_slices(&self.plateau, ahead) {
            let level = self.plateau.level.max(level as f64);
            self.plateau = Plateau {
                level,
                sliced: true,
                alike: true,
                landscape: false,
                deviation: Deviation::UNKNOWN,
                ..self.plateau
            };
        }
    }

    /// Whether the points of a frame have no noise but that of rounded depths.
    pub fn is_exact(&self, steps: Option<&DepthSteps>) -> bool {
        let View { samples, .. } = &self.cut.view;
        let is_rounded = |steps: &DepthSteps| {
            !steps.are_of_disparities() && steps.explain(samples, self.plateau.level)
        };
        steps.is_some_and(is_rounded) || !self.may_be_frame() && !self.shows_noise()
    }

    /// Whether neighbourhoods are thicker than the precision of their sums makes them.
    fn shows_noise(&self) -> bool {
        // The precision limits thickness itself, whichever way points are off.
        let exact = self.cut.cells.cells().base().unit() / 12f64.sqrt();
        self.cut
            .view
            .noise(self.plateau.level, Drawn::InSpace)
            .is_some_and(|noise| noise > THICKER * exact)
    }

    /// The viewpoint of a depth camera's frame, as a [`sample`](search::sample) of its points tells it.
    pub fn viewpoint(&self, cloud: &Loaded, sample: &[Vec3]) -> Option<Found> {
        let in_rows = || {
            let (order, points) = (&self.cut.order, &cloud.points);
            rows::lie_in_rows(self.cut.cells.cells(), |i| {
                points.get(order[i] as usize).map(f64::from)
            })
        };
        let likely = self.may_be_frame() || self.plateau.clear.is_some();
        search::find((&cloud.points, cloud.home()), sample, (likely, in_rows))
    }

    /// Finds the finest level above the base on which a cloud drawn in the camera's view has the noise of a frame,
    /// and makes it the plateau; false if there is none. Steps may blur the levels below.
    pub fn settle_on_frame(&mut self, found: &Found, frame: &Frame) -> bool {
        let far = |middle: Vec3| found.viewpoint.depth_of_seen(middle, frame);
        let grows = |level, least| self.cut.view.growth(level, far).is_some_and(|by| by >= least);
        // Steps hide the noise of a frame on the finest level. Where pixels tell that it is a frame, or noise that is much
        // larger far away, none need show.
        let is_frame = found.is_whole || grows(1, GROWS);
        // Slices of whole pixels are told more precisely.
        let is_blurred = !found.is_whole || !self.plateau.sliced;
        let beyond_slices = || self.cut.view.beyond_slices(&self.plateau, Some([0.0, 0.0, 1.0]));
        let beyond_steps = is_blurred.then(beyond_slices).flatten();
        let first =
            usize::from(is_frame && self.cut.view.levels() > 1).max(beyond_steps.unwrap_or(0));
        let mut level = (self.plateau.level as usize).max(first);
        while level == 0 || !grows(level, 1.0) {
            if !self.cut.view.clears_up(level) {
                return false;
            }
            level += 1;
        }
        (self.plateau.level, self.plateau.alike) = (level as f64, true);
        true
    }
}
