//! Detection in rounds: surfaces, parameters, planes class by class, and every point to its plane.

use super::cells::Cells;
use super::cut::InOrder;
use super::evidence::{self, Evidence, LevelFlatness};
use super::label::{self, Labeller, PointsInCells};
use super::layers::Layers;
use super::links::Links;
use super::load::Loaded;
use super::noise::{self, Plateau, View};
use super::noise_field::NoiseField;
use super::parameters::{MIN_STEPS, Measured, Nature, SIGMAS};
use super::rounds::{self, Findings, Found};
use super::support::Failed;
use super::surfels::{Surfel, Surfels, Thinner};
use super::viewpoint::{NEAREST, Viewpoint};
use super::{
    Answer, Mode, Options, Progress, merge, parameters, planes, refine, rejected, roundness,
    tolerance,
};
use crate::Result;
use crate::backend::{Assigned, Backend, Held, LocalPlane};
use crate::detection::{Curved, Parameters};
use crate::frame::{Frame, Points};
use crate::lms::Refine;

/// Classes of noise that are looked at; each is rougher than the one before.
const CLASSES: usize = 3;
/// A class is worth a look when it holds one in so many of the points.
const WORTH: u64 = 10;

/// Where neighbours have their noise in common, it is that of so many cells.
const ALIKE: f64 = 4.0;

/// What every class is searched in and with.
struct Scene<'a> {
    cloud: &'a Loaded,
    cells: &'a Cells,
    links: &'a Links<'a>,
    field: &'a NoiseField,
    nature: Nature,
    rounding: f64,
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
    let how = (options, backend, progress);
    let labelled = labelled(cloud, held, how, None)?.expect("only a frame may have to be left");
    labelled.finish(cloud, how)
}

/// Searches the frame of a depth camera as the camera sees it, if the cloud is one.
fn as_seen(
    cloud: &mut Loaded,
    how: (&Options, &dyn Backend, &dyn Progress),
) -> Result<Option<Labelled>> {
    // A tolerance that was given means the same everywhere.
    if how.0.tolerance.is_some() {
        return Ok(None);
    }
    let Some(viewpoint) = Viewpoint::find(&cloud.points) else { return Ok(None) };
    let (frame, points) = viewpoint.seen(&cloud.points);
    let mut seen = cloud.redrawn(frame.step, points);
    let Some(mut labelled) = labelled(&mut seen, None, how, Some((&viewpoint, &frame)))? else {
        return Ok(None);
    };
    let order = seen.places.unwrap_or_default();
    cloud.reorder(InOrder { order, points: None }, &mut None)?;
    labelled.leave((&viewpoint, &frame), &cloud.points);
    labelled.parameters.viewpoint = Some(cloud.frame.input(viewpoint.eye()));
    Ok(Some(labelled))
}

/// Finds the planes of a cloud and their points: as a camera sees them, where neighbours share their noise
/// and the cloud turns out to be a frame. None of what is drawn as it was `seen`, if its noise is not that
/// of a frame.
fn labelled<'b>(
    cloud: &mut Loaded,
    held: Option<Box<dyn Held + 'b>>,
    how: (&Options, &'b dyn Backend, &dyn Progress),
    seen: Option<(&Viewpoint, &Frame)>,
) -> Result<Option<Labelled>> {
    let mut held = match held {
        Some(held) => Some(held),
        None => how.1.hold(&cloud.points)?,
    };
    let (plateau, unit) = {
        let (cells, order) = Cells::new(&cloud.points, &mut held)?;
        let links = Links::new(&cells);
        let view = View::new(&cells, &links);
        let mut plateau = view.plateau();
        if let Some((viewpoint, frame)) = seen {
            let far = |cell: u32| {
                let moments = cells.base().moments(cell as usize);
                viewpoint.depth_of_seen(cells.base().local(cell as usize, moments.mean()), frame)
            };
            if plateau.level == 0 || !view.keeps_up(plateau.level, far) {
                return Ok(None);
            }
            plateau.even = true;
        } else if (plateau.level > 0 || plateau.stepped)
            && let Some(labelled) = as_seen(cloud, how)?
        {
            return Ok(Some(labelled));
        }
        if plateau.widening() == 1.0 {
            cloud.reorder(order, &mut held)?;
            let ground = Ground { cells: &cells, links: &links, view, plateau };
            return in_cells(cloud, ground, held, how).map(Some);
        }
        (plateau, cells.unit.coarser(plateau.widening()))
    };
    // What finer cells would show is not the surface. Theirs are gone by now, as both need memory.
    let (cells, order) = Cells::of_unit(&cloud.points, unit, &mut held)?;
    let links = Links::new(&cells);
    let view = View::new(&cells, &links);
    cloud.reorder(order, &mut held)?;
    in_cells(cloud, Ground { cells: &cells, links: &links, view, plateau }, held, how).map(Some)
}

/// What the search goes on in.
struct Ground<'a> {
    cells: &'a Cells,
    links: &'a Links<'a>,
    view: View,
    plateau: Plateau,
}

/// Searches a cloud that was cut into cells.
fn in_cells<'b>(
    cloud: &Loaded,
    Ground { cells, links, view, plateau }: Ground,
    mut held: Option<Box<dyn Held + 'b>>,
    (options, backend, progress): (&Options, &'b dyn Backend, &dyn Progress),
) -> Result<Labelled> {
    let points = &cloud.points;
    progress.stage("surfaces", None);
    let rounding = noise::rounding(points);
    let flatness = held.is_none().then(|| evidence::judge_all(cells, links));
    let field = NoiseField::new(cells, links, &view, plateau, rounding, flatness.as_deref());
    // One that is to be widened is a measured one.
    let obey = options.tolerance.is_some() && options.widen.is_none_or(|times| times == 1.0);
    let nature = Nature { obey, alike: plateau.level > 0, even: field.is_even() || obey };
    let scene =
        Scene { cloud, cells, links, field: &field, nature, rounding, options, backend, progress };
    let (parameters, classes) = scene.classes(flatness, &mut held)?;
    let (surfels, findings) = evidence::combined(classes);
    let Findings { mut found, failed } = findings;
    progress.stage("labels", None);
    let claims = found.iter().map(|f| f.support.surfels.as_slice());
    let places = PointsInCells { cells, links, points };
    let mut labeller = Labeller::new(places, &surfels, claims, &mut held)?;
    let mut local: Vec<LocalPlane> = found.iter().map(|f| f.support.plane()).collect();
    // Cells gave the planes; their points make them exact and then settle who belongs to whom.
    let mut sums = labeller.sums(&local)?;
    if parameters.widen > 1.0 {
        sums = tolerance::settle(&mut labeller, &mut local, sums, parameters.widen)?;
    }
    if parameters.refine != Refine::None {
        for (plane, sums) in local.iter_mut().zip(&sums) {
            *plane = sums.fit().map_or(*plane, |fit| planes::local(&fit, plane.tolerance));
        }
    }
    let alike = if nature.alike {
        ALIKE * cells.distinct as f64 / links.len(plateau.finer()) as f64
    } else {
        cells.unit.copies
    };
    let uneven = nature.alike || !nature.even;
    let how = merge::How { angle: parameters.angle.to_radians(), alike, uneven, obey };
    let into = merge::merge(&mut local, &sums, how);
    let assigned = labeller.assign(&local, &into)?;
    merge::gather(&mut found, &into);
    found.iter_mut().zip(&local).for_each(|(f, plane)| f.support.tolerance = plane.tolerance);
    let outline_cell = planes::outline_cell(cells, &surfels.list, &found);
    Ok(Labelled { parameters, local, found, failed, assigned, outline_cell, alike, obey })
}

/// The planes of a cloud and their points.
struct Labelled {
    parameters: Parameters,
    /// The planes, in local coordinates.
    local: Vec<LocalPlane>,
    found: Vec<Found>,
    /// The candidates that are none, with the votes of their peaks.
    failed: Vec<(u64, Failed)>,
    assigned: Assigned,
    /// Edge of the outline's raster of each plane, in steps.
    outline_cell: Vec<f64>,
    /// Points that have their noise in common.
    alike: f64,
    /// Whether the tolerance was given.
    obey: bool,
}

impl Labelled {
    /// From planes as they are seen in a frame to those of the points themselves.
    fn leave(&mut self, (viewpoint, frame): (&Viewpoint, &Frame), points: &Points) {
        self.assigned.sums = label::sums(points, &self.assigned.labels, self.local.len());
        let sums = &self.assigned.sums;
        for (i, plane) in self.local.iter_mut().enumerate() {
            let farther = viewpoint.depth(sums[i].mean()) / viewpoint.depth_of_middle();
            *plane = viewpoint.plane(*plane, frame);
            if let Some(fit) = sums[i].fit() {
                let rms = sums[i].distance_rms(plane.normal, plane.rho);
                let tolerance = (SIGMAS * fit.rmse()).max(MIN_STEPS);
                *plane = match self.parameters.refine {
                    Refine::None => LocalPlane { tolerance: tolerance.max(rms), ..*plane },
                    _ => planes::local(&fit, tolerance),
                };
            }
            let support = &mut self.found[i].support;
            (support.normal, support.rho) = (plane.normal, plane.rho);
            support.tolerance = plane.tolerance;
            self.outline_cell[i] *= frame.step * farther.max(NEAREST);
        }
        for (_, failed) in &mut self.failed {
            let plane = LocalPlane { normal: failed.normal, rho: failed.rho, tolerance: 0.0 };
            let plane = viewpoint.plane(plane, frame);
            (failed.normal, failed.rho) = (plane.normal, plane.rho);
            failed.needs = failed.needs.map(|needs| needs * frame.step);
        }
    }

    /// The planes as they are reported.
    fn finish(
        self,
        cloud: &Loaded,
        (options, backend, progress): (&Options, &dyn Backend, &dyn Progress),
    ) -> Result<Answer> {
        let Labelled { parameters, local, found, failed, assigned, outline_cell, .. } = self;
        let points = &cloud.points;
        let how = (parameters.refine, backend);
        let refined = refine::refined(points, &assigned.labels, &local, &assigned.sums, how)?;
        let round = if self.obey || options.curved == Curved::Facets {
            vec![false; found.len()]
        } else {
            let count = |i: usize| assigned.sums[i].n;
            roundness::round(points, &assigned.labels, &local, count, self.alike)
        };
        progress.stage("outlines", None);
        let mut rejected = rejected::candidates(cloud, failed);
        let known = planes::Known {
            found: &found,
            refined: &refined,
            round: &round,
            outline_cell: &outline_cell,
        };
        let planes = planes::finish(cloud, &assigned, known, (&parameters, options), &mut rejected);
        let rejected = rejected::best(rejected, parameters.tolerance);
        Ok(Answer { planes, parameters, rejected })
    }
}

/// The surfels of one class of noise and what was found among them.
pub(super) type Class = (Surfels, Findings);

impl Scene<'_> {
    /// Searches the usual surfaces, and then those of rougher places.
    fn classes(
        &self,
        flatness: Option<Vec<LevelFlatness>>,
        held: &mut Option<Box<dyn Held + '_>>,
    ) -> Result<(Parameters, Vec<Class>)> {
        let (cells, cloud) = (self.cells, self.cloud);
        let mut evidence = Evidence::new(cells, self.links, self.field, flatness, held)?;
        let (noise, _) = evidence.noise(held)?;
        let surfaces = evidence.surfaces(noise, held)?;
        let (links, field) = (self.links, self.field);
        let white = self.nature.even && !self.nature.alike;
        let wanted =
            self.options.tolerance.map(|tolerance| tolerance / (SIGMAS * cloud.frame.step));
        let thinner = Thinner { noise, most: wanted.unwrap_or(f64::INFINITY), white };
        let mut usual = Surfels::new(cells, links, field, &surfaces, thinner);
        drop(surfaces);
        self.progress.stage("layers", None);
        Layers { cells, links, points: &cloud.points, field, noise }.refine(&mut usual, held)?;
        self.settle(&mut usual.list);
        let (spacing, rounding) = (evidence.spacing(&usual.list), self.rounding);
        let measured = Measured { noise, spacing, rounding };
        let parameters = parameters::choose(cloud, cells, &usual.list, measured, self.options);
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
            let surfaces = evidence.surfaces(noise, held)?;
            let mut rough = classes[0].0.rougher(cells, links, &surfaces);
            self.settle(&mut rough.list);
            let step = cloud.frame.step;
            let rougher = parameters::rougher(&parameters, &rough.list, noise, step);
            let findings = self.search(&rough, &rougher, held.as_deref())?;
            classes.push((rough, findings));
        }
        Ok((parameters, classes))
    }

    /// A tolerance that was given means what it says everywhere.
    fn settle(&self, surfels: &mut [Surfel]) {
        if self.nature.obey {
            surfels.iter_mut().for_each(|s| s.scale = 1.0);
        }
    }

    /// The planes among the surfels of one class.
    fn search(
        &self,
        surfels: &Surfels,
        parameters: &Parameters,
        held: Option<&(dyn Held + '_)>,
    ) -> Result<Findings> {
        let space = parameters::space(parameters, self.cloud)?;
        let search = parameters::search(parameters, self.cloud, self.cells, &space, self.nature);
        let cast = match self.options.mode {
            Mode::All => rounds::Cast::All(&self.cloud.points, held),
            _ => rounds::Cast::Near,
        };
        let places = rounds::Places { cells: self.cells, links: self.links, surfels };
        let progress = |n| self.progress.advance(n);
        rounds::search(self.backend, &search, places, &cast, &progress)
    }
}
