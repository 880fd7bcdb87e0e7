//! What a search starts from: the cells of a cloud, and the scale at which they show its noise.

use super::depth_steps::DepthSteps;
use super::drawn::Drawn;
use super::how::{Camera, How};
use super::labelled::Labelled;
use super::load::Loaded;
use super::noise::View;
use super::plateau::{Deviation, Plateau};
use super::progress::begin;
use super::scales::Compared;
use super::scene::{self, Outcome};
use super::{rounded, scales, told_noise};
use crate::Result;
use crate::backend::{Held, InCells, Room, Surfaces};
use crate::camera::rows;
use crate::camera::search::{self, Found};
use crate::frame::{Frame, Points};
use crate::surface::cells::Cells;
use crate::surface::sums::Sums;
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

/// A cloud that was cut into cells.
struct Cut<'b> {
    /// For each point in cell order, its index before.
    order: Vec<u32>,
    cells: Box<dyn InCells<'b> + 'b>,
    /// The memory of the sums of the cells, which are made again.
    sums: Vec<Sums>,
    view: View,
}

impl<'b> Cut<'b> {
    /// Base cells of this edge, and how their neighbourhoods `look`.
    fn new(
        held: &mut dyn Held<'b>,
        unit: Unit,
        look: fn(&Cells, &mut Vec<Sums>) -> View,
    ) -> Result<Self> {
        let (order, cells) = held.cut(unit)?;
        let mut sums = cells.sums();
        let view = look(cells.cells(), &mut sums);
        Ok(Self { order, cells, sums, view })
    }

    /// The cells in which the surfaces of a plateau show.
    fn for_plateau(held: &mut dyn Held<'b>, finest: Unit, plateau: Plateau) -> Result<Self> {
        let look = if plateau.is_of_waves() { View::without_strays } else { View::new };
        Cut::new(held, finest.coarser(plateau.widening()), look)
    }

    /// Looks at the cells once more, without scattered points.
    fn leave_strays_out(&mut self) {
        // Both at once would take twice the memory.
        self.sums = Vec::new();
        self.sums = self.cells.sums();
        self.view = View::without_strays(self.cells.cells(), &mut self.sums);
    }

    /// The surfaces in the cells, and how rough they look. The cloud's points get the order of the cells.
    fn judge(self, cloud: &mut Loaded) -> Result<(Box<dyn Surfaces<'b> + 'b>, View)> {
        let points = Arc::try_unwrap(std::mem::take(&mut cloud.points)).unwrap_or_default();
        let surfaces = self.cells.judge(Room { points, sums: self.sums })?;
        cloud.reorder(self.order, surfaces.cloud().points.clone());
        Ok((surfaces, self.view))
    }
}

/// What a search starts from: the cells, and the scale at which they show the noise.
pub(super) struct Ground<'b> {
    cut: Cut<'b>,
    pub plateau: Plateau,
    /// Standard deviation that rounding adds to each of the coordinates, in steps.
    rounding: Vec3,
    /// The steps in which depths come, if a frame that is drawn in the camera's view has no other noise.
    pub steps: Option<DepthSteps>,
}

impl<'b> Ground<'b> {
    /// Cells as fine as the points allow. In a large cloud they are as fine as a part of the points allows if
    /// that shows correlated noise, or if it is a frame in the camera's view.
    pub fn of_cloud(
        held: &mut dyn Held<'b>,
        counts: &CellCounts,
        (cloud, drawn): (&Loaded, Drawn),
        how: How<'_, 'b>,
    ) -> Result<Ground<'b>> {
        let unit = Unit::for_counts(counts);
        if counts.finest <= LARGE {
            return Ground::of_cells(held, unit, (&cloud.points, drawn));
        }
        let part = Arc::new(cloud.points.one_in(counts.finest.div_ceil(PART)));
        let mut held_part = how.backend.hold(part.clone())?;
        let wide = Unit::for_counts(&held_part.count_cells()?).at_least(unit);
        let Ground { plateau, .. } = Ground::of_cells(held_part.as_mut(), wide, (&part, drawn))?;
        drop(held_part);
        if !plateau.alike && drawn == Drawn::InSpace {
            return Ground::of_cells(held, unit, (&cloud.points, drawn));
        }
        let mut ground = Ground::of_cells(held, wide, (&cloud.points, drawn))?;
        if !ground.plateau.alike {
            ground.plateau = plateau;
        }
        Ok(ground)
    }

    /// Cells of this edge of some points, which are drawn like this.
    fn of_cells(
        held: &mut dyn Held<'b>,
        unit: Unit,
        (points, drawn): (&Points, Drawn),
    ) -> Result<Ground<'b>> {
        let mut cut = Cut::new(held, unit, View::new)?;
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

    /// Finds the planes of a cloud and their points. Where the noise is that of waves, and where it seems independent but planes hold
    /// little, it is read at other scales as well, and the planes that explain most are kept.
    pub fn search(
        self,
        cloud: &mut Loaded,
        mut held: Box<dyn Held<'b> + 'b>,
        (camera, how): (Camera, How<'_, 'b>),
    ) -> Result<Labelled> {
        let Ground { mut cut, mut plateau, rounding, steps } = self;
        let finest = cut.cells.cells().unit;
        let mut search = Search { finest, rounding, steps, camera, how };
        let is_free = scales::is_free(&cloud.points, camera, how);
        let is_small = cloud.points.len() as u64 <= scales::PART;
        let on_part = match is_free && !is_small && plateau.is_of_waves() {
            true => search.on_part(cloud)?[1],
            false => None,
        };
        if let Some(chosen) = on_part {
            (search.finest, plateau) = chosen;
        }
        if on_part.is_some() || plateau.widening() != 1.0 {
            // Finer cells do not show the surface. They are dropped before the wider ones are made, to save
            // memory.
            drop(cut);
            cut = Cut::for_plateau(held.as_mut(), search.finest, plateau)?;
        }
        // The points in their old order are no longer needed, but their memory is.
        drop(held);
        if is_free && is_small {
            return Ok(search.best(cut, plateau, cloud)?.0);
        }
        let mut best = search.from(cut, plateau, cloud)?;
        if is_free && scales::are_in_doubt(plateau, &best) {
            let [usual, other] = search.on_part(cloud)?;
            if let Some((finest, plateau)) = other.or(usual) {
                let alike = best.alike;
                Search { finest, ..search }.improve(&mut best, (alike, true), (plateau, cloud))?;
            }
        }
        Ok(best)
    }
}

/// A search of a cloud at one or several scales.
struct Search<'a, 'b> {
    /// The finest base cells.
    finest: Unit,
    /// Standard deviation that rounding adds to each of the coordinates, in steps.
    rounding: Vec3,
    steps: Option<DepthSteps>,
    camera: Camera,
    how: How<'a, 'b>,
}

impl<'b> Search<'_, 'b> {
    /// Cuts a cloud once more, into the cells of a plateau.
    fn cut(&self, cloud: &Loaded, plateau: Plateau) -> Result<Cut<'b>> {
        begin(self.how.progress, "cells", None)?;
        let mut held = self.how.backend.hold(cloud.points.clone())?;
        Cut::for_plateau(held.as_mut(), self.finest, plateau)
    }

    /// Searches a cloud at the scale of a plateau, once more where its planes tell that finer cells show its surfaces.
    fn from(&self, mut cut: Cut<'b>, mut plateau: Plateau, cloud: &mut Loaded) -> Result<Labelled> {
        let Search { rounding, steps, camera, how, .. } = *self;
        loop {
            begin(how.progress, "surfaces", None)?;
            let (surfaces, view) = cut.judge(cloud)?;
            let found = (&view, plateau, rounding, steps);
            plateau = match scene::search(cloud, surfaces, found, (camera, how))? {
                Outcome::Labelled(labelled) => return Ok(*labelled),
                Outcome::Finer(finer) => finer,
            };
            cut = self.cut(cloud, plateau)?;
        }
    }

    /// Searches a cloud at the scale of a plateau, and where that is open at others. Returns the planes that explain most, and the
    /// plateau that led to them if it is another one.
    fn best(
        &self,
        cut: Cut<'b>,
        plateau: Plateau,
        cloud: &mut Loaded,
    ) -> Result<(Labelled, Option<Plateau>)> {
        let mut best = self.from(cut, plateau, cloud)?;
        let (alike, mut chosen) = (best.alike, None);
        if plateau.is_of_waves() || scales::are_in_doubt(plateau, &best) {
            for other in scales::others(plateau) {
                let in_doubt = !plateau.is_of_waves() && chosen.is_none();
                let now = self.improve(&mut best, (alike, in_doubt), (other, cloud))?;
                if now.is_better {
                    chosen = Some(other);
                }
                if now.is_alike() {
                    // The planes hardly depend on the scale.
                    break;
                }
            }
        }
        Ok((best, chosen))
    }

    /// Searches a cloud at another scale, and keeps these planes if they are better than the best ones so far, where as many as
    /// `alike` points share one error. Where it is in doubt whether the noise is that of waves, they must be so beyond doubt.
    fn improve(
        &self,
        best: &mut Labelled,
        (alike, in_doubt): (f64, bool),
        (plateau, cloud): (Plateau, &mut Loaded),
    ) -> Result<Compared> {
        let cut = self.cut(cloud, plateau)?;
        let places = cloud.places.take();
        let tried = self.from(cut, plateau, cloud)?;
        let order = std::mem::replace(&mut cloud.places, places).unwrap_or_default();
        let compared = Compared::new([&*best, &tried], alike, in_doubt);
        log::debug!("level {}: {compared:.3?}", plateau.level);
        if compared.is_better {
            *best = tried;
        } else {
            best.reorder(&order);
        }
        cloud.reorder(order, cloud.points.clone());
        Ok(compared)
    }

    /// Searches a part of a large cloud at several scales. Returns the base cells and the plateau that its curve shows, if the noise is
    /// that of waves, and those that led to planes that explain more.
    fn on_part(&self, cloud: &Loaded) -> Result<[Option<(Unit, Plateau)>; 2]> {
        let many = (cloud.points.len() as u64).div_ceil(scales::PART);
        let mut part =
            Loaded { frame: cloud.frame, ..cloud.redrawn(1.0, cloud.points.one_in(many)) };
        if part.points.len() < told_noise::FEWEST {
            // Of points with many copies, a few may be left.
            return Ok([None; 2]);
        }
        let options = scales::options_of_part(self.how.options, many);
        let how = How { options: &options, ..self.how };
        begin(how.progress, "cells", None)?;
        let mut held = how.backend.hold(part.points.clone())?;
        let unit = Unit::for_counts(&held.count_cells()?);
        let ground = Ground::of_cells(held.as_mut(), unit, (&part.points, Drawn::InSpace))?;
        let Ground { mut cut, plateau, rounding, .. } = ground;
        if plateau.widening() != 1.0 {
            cut = Cut::for_plateau(held.as_mut(), unit, plateau)?;
        }
        let search = Search { finest: unit, rounding, steps: None, how, ..*self };
        let (_, chosen) = search.best(cut, plateau, &mut part)?;
        let usual = Some(plateau).filter(Plateau::is_of_waves);
        Ok([usual, chosen].map(|plateau| plateau.map(|plateau| (unit, plateau))))
    }
}
