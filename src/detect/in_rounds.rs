//! Detection in rounds: surfaces, parameters, planes class by class, and every point to its plane.

use super::cells::Cells;
use super::evidence::{self, Evidence, Surfel};
use super::label::{Labeller, PointsInCells};
use super::layers::Layers;
use super::links::Links;
use super::load::Loaded;
use super::parameters::Measured;
use super::rounds::{self, Findings};
use super::{Answer, Mode, Options, Progress, merge, parameters, planes, refine, rejected};
use crate::Result;
use crate::backend::{Backend, Held, LocalPlane};
use crate::detection::Parameters;
use crate::lms::Refine;

/// Classes of noise that are looked at; each is rougher than the one before.
const CLASSES: usize = 3;
/// A class is worth a look when it holds one in so many of the points.
const WORTH: u64 = 10;

/// What every class is searched in and with.
struct Scene<'a> {
    cloud: &'a Loaded,
    cells: &'a Cells,
    links: &'a Links<'a>,
    options: &'a Options,
    backend: &'a dyn Backend,
    progress: &'a dyn Progress,
}

pub(super) fn detect<'b>(
    cloud: &mut Loaded,
    held: Option<Box<dyn Held + 'b>>,
    (options, backend): (&Options, &'b dyn Backend),
    progress: &dyn Progress,
) -> Result<Answer> {
    progress.stage("cells", None);
    let mut held = match held {
        Some(held) => Some(held),
        None => backend.hold(&cloud.points)?,
    };
    let (cells, order) = Cells::new(&cloud.points, &mut held)?;
    cloud.reorder(order, &mut held)?;
    let (cloud, points) = (&*cloud, &cloud.points);
    progress.stage("surfaces", None);
    let links = Links::new(&cells);
    let scene = Scene { cloud, cells: &cells, links: &links, options, backend, progress };
    let (parameters, classes) = scene.classes(&mut held)?;
    let (surfels, findings) = evidence::combined(classes);
    let Findings { mut found, failed } = findings;
    progress.stage("labels", None);
    let claims = found.iter().map(|f| f.support.surfels.as_slice());
    let places = PointsInCells { cells: &cells, links: &links, points };
    let mut labeller = Labeller::new(places, &surfels, claims, &mut held)?;
    let mut local: Vec<LocalPlane> = found.iter().map(|f| f.support.plane()).collect();
    // Cells gave the planes; their points make them exact and then settle who belongs to whom.
    let sums = labeller.sums(&local)?;
    if parameters.refine != Refine::None {
        for (plane, sums) in local.iter_mut().zip(&sums) {
            *plane = sums.fit().map_or(*plane, |fit| planes::local(&fit, plane.tolerance));
        }
    }
    let into = merge::merge(&mut local, &sums, parameters.angle.to_radians());
    let assigned = labeller.assign(&local, &into)?;
    merge::gather(&mut found, &into);
    let how = (parameters.refine, backend);
    let refined = refine::refined(points, &assigned.labels, &local, &assigned.sums, how)?;
    progress.stage("outlines", None);
    let outline_cell = planes::outline_cell(&cells, &surfels, &found);
    let mut rejected = rejected::candidates(cloud, failed);
    let planes = planes::finish(
        cloud,
        &assigned,
        &found,
        &refined,
        &outline_cell,
        (&parameters, options),
        &mut rejected,
    );
    let rejected = rejected::best(rejected, parameters.tolerance);
    Ok(Answer { planes, parameters, rejected })
}

/// The surfels of one class of noise and what was found among them.
pub(super) type Class = (Vec<Surfel>, Findings);

impl Scene<'_> {
    /// Searches the usual surfaces, and then those of rougher places.
    fn classes(&self, held: &mut Option<Box<dyn Held + '_>>) -> Result<(Parameters, Vec<Class>)> {
        let (cells, cloud) = (self.cells, self.cloud);
        let mut evidence = Evidence::new(cells, self.links, held)?;
        let (noise, _) = evidence.noise(held)?;
        let mut usual = evidence.surfels(noise, held)?;
        self.progress.stage("layers", None);
        Layers { cells, links: self.links, points: &cloud.points, noise }
            .refine(&mut usual, held)?;
        let measured = Measured { noise, spacing: evidence.spacing(&usual) };
        let parameters = parameters::choose(cloud, cells, &usual, measured, self.options);
        self.progress.stage("planes", Some(cells.distinct));
        let findings = self.search(&usual, &parameters, held.as_deref())?;
        let mut classes = vec![(usual, findings)];
        while parameters.widen > 1.0 && classes.len() < CLASSES {
            if let Some((surfels, findings)) = classes.last() {
                evidence.next_class(surfels, &findings.found, held)?;
            }
            let (noise, weight) = evidence.noise(held)?;
            if weight * WORTH < cells.distinct {
                break;
            }
            let rough = evidence.surfels(noise, held)?;
            let rougher = parameters::rougher(&parameters, &rough, noise, cloud.frame.step);
            let findings = self.search(&rough, &rougher, held.as_deref())?;
            classes.push((rough, findings));
        }
        Ok((parameters, classes))
    }

    /// The planes among the surfels of one class.
    fn search(
        &self,
        surfels: &[Surfel],
        parameters: &Parameters,
        held: Option<&(dyn Held + '_)>,
    ) -> Result<Findings> {
        let space = parameters::space(parameters, self.cloud)?;
        let search = parameters::search(parameters, self.cloud, self.cells, &space);
        let cast = match self.options.mode {
            Mode::All => rounds::Cast::All(&self.cloud.points, held),
            _ => rounds::Cast::Near,
        };
        let places = rounds::Places { cells: self.cells, links: self.links, surfels };
        let progress = |n| self.progress.advance(n);
        rounds::search(self.backend, &search, places, &cast, &progress)
    }
}
