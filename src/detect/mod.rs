//! Detection: from a cloud to its planes, written once for all backends.
//!
//! 1. [`load()`]: the cloud into local coordinates.
//! 2. Cells and local evidence: the surface around every few points.
//! 3. Parameters from what was measured.
//! 4. Rounds: vote, take peaks, refine and claim each, take its votes back.
//! 5. Every point to its plane; the planes [refined](crate::lms::Refine) on their points.
//!
//! [`Mode::OnePass`] is the papers' flow instead: vote, suppress, take the winners.

mod adjacency;
mod around;
mod chamfers;
mod claims;
mod copies;
mod cut;
mod depth_steps;
mod drawn;
mod edge;
mod ends;
mod evidence;
mod faces;
mod fold;
mod found;
mod ground;
mod grow;
mod hills;
mod how;
mod in_rounds;
mod interrupted;
mod labelled;
mod lattice;
mod layers;
mod limits;
mod load;
mod members;
mod merge;
mod noise;
mod noise_field;
mod one_pass;
mod options;
mod paraboloid;
mod parameters;
mod parts;
mod piece;
mod planes;
mod plateau;
mod present;
mod progress;
mod refine;
mod registered;
mod rejected;
mod rings;
mod roughness;
mod rounded;
mod roundness;
mod rounds;
mod sample;
mod scales;
mod scene;
mod search;
mod sheets;
mod significance;
mod sparse_grid;
mod standpoint;
mod straighten;
mod strips;
mod support;
#[cfg(test)]
mod testing;
mod told_noise;
mod tolerance;
mod undulation;
mod waves;
mod zoom;

pub use load::{Loaded, least_memory, load, load_onto};
pub use options::{Mode, Options};
pub use progress::Progress;
pub(crate) use progress::begin;

use crate::Result;
use crate::backend::{Backend, Held};
use crate::detection::{Detection, Input, Rejected};
use crate::orient::Orient;
use how::How;
use planes::{Answer, Finished, Members};
use rayon::prelude::*;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// Finds the planes of a loaded cloud.
///
/// The result is the same, to the byte of its JSON document, on every backend and for every number
/// of threads.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for invalid options, and errors of the backend.
pub fn detect(
    cloud: Loaded,
    options: &Options,
    backend: &dyn Backend,
    progress: &dyn Progress,
) -> Result<Detection> {
    detect_held(cloud, None, options, backend, progress)
}

/// Like [`detect`], for a cloud whose points the backend may already hold, in the cloud's order: see
/// [`load_onto`].
///
/// # Errors
/// As for [`detect`].
pub fn detect_held<'b>(
    mut cloud: Loaded,
    held: Option<Box<dyn Held<'b> + 'b>>,
    options: &Options,
    backend: &'b dyn Backend,
    progress: &dyn Progress,
) -> Result<Detection> {
    options.check()?;
    let options = &Options { orient: options.orient.resolved(cloud.scanner), ..options.clone() };
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
        Mode::Near | Mode::All => in_rounds::detect(
            &mut cloud,
            held,
            How { options, backend, progress, of_clusters: false },
        )?,
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

/// Turns a candidate's normal as those of the planes are turned.
fn turn(candidate: &mut Rejected, orient: Orient) {
    if orient.turns(candidate.normal, candidate.offset, None) {
        candidate.normal = candidate.normal.map(|v| 0.0 - v);
        candidate.offset = 0.0 - candidate.offset;
    }
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
            // Each index is written once.
            let at = place(point) as usize;
            labels[at].store(plane as i32, Relaxed);
            // The number of no piece is −1 with a sign.
            pieces[at].store(piece.cast_signed(), Relaxed);
        });
    }
    // One thread converts each in place; several threads would allocate new memory.
    let plain = |all: Vec<AtomicI32>| all.into_iter().map(AtomicI32::into_inner).collect();
    rayon::join(|| plain(labels), || plain(pieces))
}
