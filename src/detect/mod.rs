//! Detection: from a cloud to its planes, written once above the backends.
//!
//! 1. [`load()`]: the cloud into local coordinates.
//! 2. Cells and local evidence: the surface around every few points.
//! 3. Parameters from what was measured.
//! 4. Rounds: vote, take peaks, refine and claim each, take its votes back.
//! 5. Every point to its plane; the planes fitted to their points.
//!
//! [`Mode::OnePass`] is the papers' flow instead: vote, suppress, take the winners.

mod cells;
mod eigen;
mod evidence;
mod grow;
mod label;
mod layers;
mod links;
mod load;
mod merge;
mod moments;
mod one_pass;
mod parameters;
mod planes;
mod rounds;
mod spread;
mod support;
mod vector;

pub use load::{Loaded, load};
pub use moments::{Fit, Moments};

use crate::backend::Backend;
use crate::detection::{Detection, Input, Parameters};
use crate::space::Directions;
use crate::{Error, Result};
use cells::Cells;
use evidence::{Evidence, Surfel};
use label::{LocalPlane, Surroundings};
use layers::Layers;
use links::Links;
use rounds::Found;

/// Which points vote for which directions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Rounds in which every surface votes for the directions near its own normal.
    #[default]
    Near,
    /// Rounds in which every point votes for every direction, the standard Hough transform.
    All,
    /// The papers' flow: every point votes for every direction, non-maxima are suppressed, and
    /// the winners are the planes as they stand in the accumulator.
    OnePass,
}

/// What a user may set; `None` leaves it to what the cloud says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Who votes for what.
    pub mode: Mode,
    /// The directions of the space.
    pub directions: Option<Directions>,
    /// Width of a bin of `ρ`, in the cloud's unit.
    pub rho_bin: Option<f64>,
    /// Largest distance of an inlier from its plane, in the cloud's unit.
    pub tolerance: Option<f64>,
    /// Planes that are not quite flat get up to so many times the tolerance, and rougher places one
    /// in proportion to their noise; 1 for neither. At least 1.
    pub widen: Option<f64>,
    /// Largest angle between a point's surface and its plane, in degrees.
    pub angle: Option<f64>,
    /// Fewest votes of a peak.
    pub min_votes: Option<u64>,
    /// Fewest inliers of a plane.
    pub min_inliers: Option<u64>,
    /// Most planes.
    pub top: Option<u64>,
}

impl Options {
    /// Refuses what makes no sense, naming the option.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        let positive = [("--rho-bin", self.rho_bin), ("--tolerance", self.tolerance)];
        for (name, value) in positive {
            if value.is_some_and(|v| !v.is_normal() || v < 0.0) {
                let message = format!("{name} must be a positive length in the cloud's unit");
                return Err(Error::Parameter(message));
            }
        }
        if self.angle.is_some_and(|a| !(1.0..=45.0).contains(&a)) {
            return Err(Error::Parameter("--angle must be between 1 and 45 degrees".into()));
        }
        if self.widen.is_some_and(|w| !(1.0..=100.0).contains(&w)) {
            return Err(Error::Parameter("--widen must be between 1 and 100".into()));
        }
        if self.top == Some(0) || self.min_inliers == Some(0) {
            let message = "--top and --min-inliers must be at least 1";
            return Err(Error::Parameter(message.into()));
        }
        Ok(())
    }
}

/// What a detection says while it works.
pub trait Progress {
    /// A new stage begins; `total` is its number of points, where known.
    fn stage(&self, name: &str, total: Option<u64>);
    /// So many more points are done.
    fn advance(&self, points: u64);
}

/// Nobody is told.
impl Progress for () {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
}

/// Finds the planes of a loaded cloud.
///
/// The result is the same, to the byte of its JSON document, on every backend and for every number
/// of threads.
///
/// # Errors
/// [`Error::Parameter`] for options that make no sense, and what the backend says.
pub fn detect(
    cloud: Loaded,
    options: &Options,
    backend: &dyn Backend,
    progress: &dyn Progress,
) -> Result<Detection> {
    options.check()?;
    let input = Input {
        points: cloud.total,
        not_finite: cloud.not_finite,
        stray: cloud.stray,
        min: cloud.bounds[0],
        max: cloud.bounds[1],
        origin: cloud.frame.origin,
        step: cloud.frame.step,
    };
    let (planes, labels, parameters) = match options.mode {
        Mode::OnePass => one_pass::detect(&cloud, options, backend, progress)?,
        Mode::Near | Mode::All => in_rounds(&cloud, options, backend, progress)?,
    };
    let labels = in_file_order(&cloud, labels);
    Ok(Detection { input, parameters, planes, labels })
}

/// Planes, the label of each loaded point, and the parameters that led to them.
type Answer = (Vec<crate::Plane>, Vec<i32>, Parameters);

/// Classes of noise that are looked at; each is rougher than the one before.
const CLASSES: usize = 3;
/// Blocks thicker than so many times the noise may be several layers.
const LAYERED: f64 = 1.6;
/// A class is worth a look when it holds one in so many of the points.
const WORTH: u64 = 10;

fn in_rounds(
    cloud: &Loaded,
    options: &Options,
    backend: &dyn Backend,
    progress: &dyn Progress,
) -> Result<Answer> {
    let points = &cloud.points;
    progress.stage("surfaces", None);
    let cells = Cells::new(points);
    let mut evidence = Evidence::new(&cells);
    let (noise, _) = evidence.noise();
    let mut usual = evidence.surfels(noise);
    let links = Links::new(&cells);
    Layers { cells: &cells, links: &links, points, noise }
        .refine(&mut usual, |s| s.surface.is_none_or(|f| f.thickness > LAYERED * noise));
    let parameters = parameters::choose(cloud, &cells, &usual, noise, options);
    progress.stage("planes", Some(cells.distinct));
    let planes = search(cloud, &cells, &links, &usual, &parameters, options, backend, progress)?;
    let mut classes = vec![(usual, planes)];
    while parameters.widen > 1.0 && classes.len() < CLASSES {
        if let Some((surfels, found)) = classes.last() {
            evidence.next_class(surfels, found);
        }
        let (noise, weight) = evidence.noise();
        if weight * WORTH < cells.distinct {
            break;
        }
        let rough = evidence.surfels(noise);
        let rougher = parameters::rougher(&parameters, &rough, noise, cloud.frame.step);
        let planes = search(cloud, &cells, &links, &rough, &rougher, options, backend, progress)?;
        classes.push((rough, planes));
    }
    let (surfels, found) = evidence::combined(classes);
    progress.stage("labels", None);
    let claims = found.iter().map(|f| f.support.surfels.as_slice());
    let surroundings = Surroundings::new(&cells, &surfels, claims);
    let mut local: Vec<LocalPlane> = found.iter().map(|f| f.support.plane()).collect();
    // Cells gave the planes; their points make them exact and then settle who belongs to whom.
    let mut labels = surroundings.label(&cells, points, &local);
    for (plane, sums) in local.iter_mut().zip(label::sums(points, &labels, found.len())) {
        *plane = sums.fit().map_or(*plane, |fit| planes::local(&fit, plane.tolerance));
    }
    labels = surroundings.label(&cells, points, &local);
    progress.stage("outlines", None);
    let outline_cell = planes::outline_cell(&cells, &surfels, &found);
    let planes = planes::finish(cloud, &mut labels, &found, &outline_cell, &parameters);
    Ok((planes, labels, parameters))
}

/// The planes among the surfels of one class of noise.
fn search(
    cloud: &Loaded,
    cells: &Cells,
    links: &Links,
    surfels: &[Surfel],
    parameters: &Parameters,
    options: &Options,
    backend: &dyn Backend,
    progress: &dyn Progress,
) -> Result<Vec<Found>> {
    let space = parameters::space(parameters, cloud)?;
    let search = parameters::search(parameters, cloud, cells, &space);
    let cast = match options.mode {
        Mode::All => rounds::Cast::All(&cloud.points),
        _ => rounds::Cast::Near,
    };
    let found =
        rounds::search(backend, &search, cells, links, surfels, &cast, &|n| progress.advance(n))?;
    Ok(merge::merge(&support::Field { surfels, limits: search.limits }, found))
}

/// Labels of the loaded points, spread over all points of the file.
fn in_file_order(cloud: &Loaded, labels: Vec<i32>) -> Vec<i32> {
    let Some(places) = &cloud.places else { return labels };
    let mut all = vec![-1; cloud.total as usize];
    for (&place, label) in places.iter().zip(labels) {
        all[place as usize] = label;
    }
    all
}
