//! Detection: from a cloud to its planes, written once above the backends.
//!
//! 1. [`load()`]: the cloud into local coordinates.
//! 2. Cells and local evidence: the surface around every few points.
//! 3. Parameters from what was measured.
//! 4. Rounds: vote, take peaks, refine and claim each, take its votes back.
//! 5. Every point to its plane; the planes [refined](crate::lms::Refine) on their points.
//!
//! [`Mode::OnePass`] is the papers' flow instead: vote, suppress, take the winners.

mod cell_size;
mod cells;
mod cut;
mod eigen;
mod evidence;
mod grow;
mod in_rounds;
mod label;
mod layers;
mod links;
mod load;
mod merge;
mod moments;
mod noise;
mod noise_field;
mod one_pass;
mod parameters;
mod patch;
mod planes;
mod refine;
mod rejected;
mod roundness;
mod rounds;
mod significance;
mod spread;
mod sums;
mod support;
mod surfels;
mod tolerance;
mod viewpoint;
mod zoom;

pub use load::{Loaded, least_memory, load, load_onto};
pub use moments::{Fit, Moments};

use crate::backend::{Backend, Held};
use crate::detection::{Curved, Detection, Input, Parameters, Rejected};
use crate::lms::Refine;
use crate::orient::Orient;
use crate::space::Directions;
use crate::{Error, Result};
use planes::{Finished, Members};
use rayon::prelude::*;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

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
    /// What is done with pieces of something round.
    pub curved: Curved,
    /// How planes are refined on their points: least squares, unless it is [`Mode::OnePass`], whose
    /// planes stay as they stand in the accumulator. [`Refine::Stroke`] is for lines.
    pub refine: Option<Refine>,
    /// Fewest votes of a peak.
    pub min_votes: Option<u64>,
    /// Fewest inliers of a plane.
    pub min_inliers: Option<u64>,
    /// Which side of a plane its normal looks to.
    pub orient: Orient,
    /// Most planes.
    pub top: Option<u64>,
    /// Smallest area of a plane, in the cloud's unit squared.
    pub min_area: Option<f64>,
    /// Whether the planes are enough: the points of the detection have no labels then, which of a
    /// large cloud take time and memory.
    pub planes_only: bool,
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
        if self.min_area.is_some_and(|area| !area.is_finite() || area < 0.0) {
            let message = "--min-area must be an area in the cloud's unit squared";
            return Err(Error::Parameter(message.into()));
        }
        if self.angle.is_some_and(|a| !(1.0..=45.0).contains(&a)) {
            return Err(Error::Parameter("--angle must be between 1 and 45 degrees".into()));
        }
        if self.widen.is_some_and(|w| !(1.0..=100.0).contains(&w)) {
            return Err(Error::Parameter("--widen must be between 1 and 100".into()));
        }
        if self.refine == Some(Refine::Stroke) {
            return Err(Error::Parameter("--refine stroke is for lines in images".into()));
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
    detect_held(cloud, None, options, backend, progress)
}

/// The same for a cloud whose points the backend may hold already, as they stand in the cloud: see
/// [`load_onto`].
///
/// # Errors
/// As for [`detect`].
pub fn detect_held<'b>(
    mut cloud: Loaded,
    held: Option<Box<dyn Held + 'b>>,
    options: &Options,
    backend: &'b dyn Backend,
    progress: &dyn Progress,
) -> Result<Detection> {
    options.check()?;
    let input = Input {
        points: cloud.total,
        not_chosen: cloud.not_chosen,
        not_finite: cloud.not_finite,
        stray: cloud.stray,
        min: cloud.bounds[0],
        max: cloud.bounds[1],
        origin: cloud.frame.origin,
        step: cloud.frame.step,
        crs: cloud.crs.clone(),
    };
    let answer = match options.mode {
        Mode::OnePass => one_pass::detect(&cloud, options, backend, progress)?,
        Mode::Near | Mode::All => {
            in_rounds::detect(&mut cloud, held, (options, backend), progress)?
        }
    };
    let Answer { planes: Finished { planes, members }, parameters, mut rejected } = answer;
    rejected.iter_mut().for_each(|candidate| turn(candidate, options.orient));
    let (labels, piece_labels) = if options.planes_only {
        (Vec::new(), Vec::new())
    } else {
        in_file_order(&cloud, &members)
    };
    Ok(Detection { input, parameters, planes, labels, piece_labels, rejected })
}

/// Turns a candidate as the planes are turned.
fn turn(candidate: &mut Rejected, orient: Orient) {
    if orient.turns(candidate.normal, candidate.offset, None) {
        candidate.normal = candidate.normal.map(|v| 0.0 - v);
        candidate.offset = 0.0 - candidate.offset;
    }
}

/// What a mode answers.
struct Answer {
    planes: Finished,
    /// The parameters that led to them.
    parameters: Parameters,
    rejected: Vec<Rejected>,
}

/// The label and the piece of each point of the file.
fn in_file_order(cloud: &Loaded, members: &[Members]) -> (Vec<i32>, Vec<i32>) {
    let none = || -> Vec<AtomicI32> {
        (0..cloud.total as usize).into_par_iter().map(|_| AtomicI32::new(-1)).collect()
    };
    let (labels, pieces) = (none(), none());
    let place = |point: u32| cloud.places.as_ref().map_or(point, |places| places[point as usize]);
    for (plane, members) in members.iter().enumerate() {
        members.points.par_iter().zip(&members.pieces).for_each(|(&point, &piece)| {
            // Every place is written once.
            let at = place(point) as usize;
            labels[at].store(plane as i32, Relaxed);
            pieces[at].store(piece, Relaxed);
        });
    }
    // Each by one thread, since several would take new memory for it.
    let plain = |all: Vec<AtomicI32>| all.into_iter().map(AtomicI32::into_inner).collect();
    rayon::join(|| plain(labels), || plain(pieces))
}
