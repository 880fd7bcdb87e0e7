//! The search of a cloud at one or several scales.

use super::cut::Cut;
use super::depth_steps::DepthSteps;
use super::drawn::{Drawn, DrawnPoints};
use super::ground::Ground;
use super::how::{Camera, How};
use super::labelled::Labelled;
use super::load::Loaded;
use super::plateau::Plateau;
use super::progress::begin;
use super::scales::{self, Compared};
use super::scene::{self, Outcome};
use crate::Result;
use crate::backend::Held;
use crate::surface::unit::Unit;
use crate::vector::Vec3;

impl<'b> Ground<'b> {
    /// Finds the planes of a cloud and their points. Where the noise is that of waves, and where it seems independent but planes hold
    /// little, it is read at other scales as well, and the planes that explain most are kept.
    pub fn search(
        mut self,
        cloud: &mut Loaded,
        mut held: Box<dyn Held<'b> + 'b>,
        (camera, how): (Camera, How<'_, 'b>),
    ) -> Result<Labelled> {
        if matches!(camera, Camera::None) {
            self.look_at_smooth_kind();
        }
        let Ground { cut, mut plateau, rounding, steps } = self;
        let finest = cut.cells.cells().unit;
        let mut search = Search { finest, rounding, steps, camera, how };
        let is_open = how.leaves_noise_open(&cloud.points) && matches!(camera, Camera::None);
        let is_small = cloud.points.len() as u64 <= scales::PART;
        if is_open
            && !is_small
            && plateau.is_of_waves()
            && let Some(chosen) = search.on_part(cloud, plateau.landscape)?.other
        {
            (search.finest, plateau) = chosen;
        }
        let cut = cut.refit(held.as_mut(), search.finest, plateau)?;
        // The points in their old order are no longer needed, but their memory is.
        drop(held);
        if is_open && is_small {
            return Ok(search.best(cut, plateau, cloud)?.0);
        }
        let mut best = search.from(cut, plateau, cloud)?;
        if is_open && scales::are_in_doubt(plateau, &best) {
            let OfPart { usual, other, leaves_doubt } = search.on_part(cloud, plateau.landscape)?;
            if let Some((finest, plateau)) = other.or(usual)
                && !leaves_doubt
            {
                let alike = best.alike;
                Search { finest, ..search }.improve(&mut best, (alike, true), (plateau, cloud))?;
            }
        }
        Ok(best)
    }
}

/// What the search of a part of a cloud tells.
#[derive(Default)]
struct OfPart {
    /// The base cells and the plateau that its curve shows, if the noise is that of waves.
    usual: Option<(Unit, Plateau)>,
    /// Those that led to planes that explain more, if there are any.
    other: Option<(Unit, Plateau)>,
    /// Whether its planes hold so little that those of the whole cloud will not hold enough.
    leaves_doubt: bool,
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
        Cut::for_plateau(held.as_mut(), (self.finest, 0.0), plateau)
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
        if plateau.is_of_waves() && plateau.levelled {
            // Kerbs and crowns look like waves that emerge from independent noise.
            let now = self.improve(&mut best, (alike, false), (plateau.white(), cloud))?;
            if now.is_better {
                return Ok((best, Some(plateau.white())));
            }
        }
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

    /// Searches a part of a large cloud, which may be a `landscape`, at several scales.
    fn on_part(&self, cloud: &Loaded, landscape: bool) -> Result<OfPart> {
        let many = (cloud.points.len() as u64).div_ceil(scales::PART);
        let mut part =
            Loaded { frame: cloud.frame, ..cloud.redrawn(1.0, cloud.points.one_in(many)) };
        let options = scales::options_of_part(self.how.options, many);
        let how = How { options: &options, ..self.how };
        if !how.leaves_noise_open(&part.points) {
            // Of points with many copies, a few may be left.
            return Ok(OfPart::default());
        }
        begin(how.progress, "cells", None)?;
        let mut held = how.backend.hold(part.points.clone())?;
        let unit = Unit::for_counts(&held.count_cells()?);
        let mut ground =
            Ground::of_cells(held.as_mut(), unit, DrawnPoints::new(&part.points, Drawn::InSpace))?;
        ground.look_at_smooth_kind();
        let Ground { cut, plateau, rounding, .. } = ground;
        // What is compared must be judged alike.
        let plateau = Plateau { landscape, ..plateau };
        let cut = cut.refit(held.as_mut(), unit, plateau)?;
        let search = Search { finest: unit, rounding, steps: None, how, ..*self };
        let (best, chosen) = search.best(cut, plateau, &mut part)?;
        let usual = Some(plateau).filter(Plateau::is_of_waves);
        let [usual, other] = [usual, chosen].map(|plateau| plateau.map(|plateau| (unit, plateau)));
        Ok(OfPart { usual, other, leaves_doubt: scales::leaves_doubt(&best) })
    }
}
