//! The best of the candidates that are not planes, with the reason for each.

use super::found::Failed;
use super::load::Loaded;
use crate::detection::{Reason, Rejected};
use crate::vector::dot;

/// Candidates that are kept.
const MOST: usize = 50;

/// Candidates that failed, in input coordinates.
pub(super) fn candidates(cloud: &Loaded, failed: Vec<(u64, Failed)>) -> Vec<Rejected> {
    failed.into_iter().map(|(votes, f)| rejected(cloud, votes, f)).collect()
}

/// One candidate in input coordinates.
pub(super) fn rejected(cloud: &Loaded, votes: u64, failed: Failed) -> Rejected {
    let Failed { normal, rho, points, reason, needs, .. } = failed;
    let offset = rho * cloud.frame.step + dot(normal, cloud.frame.origin);
    let needs = needs.map(|needs| needs * cloud.frame.step);
    Rejected { normal, offset, votes, points, reason, needs }
}

/// The candidates with most points, each place once. Planes beyond the number asked for come first, since
/// they are planes after all.
pub(super) fn best(mut rejected: Vec<Rejected>, tolerance: f64) -> Vec<Rejected> {
    let beyond = |r: &Rejected| r.reason != Reason::BeyondTop;
    rejected.sort_by_key(|r| (beyond(r), std::cmp::Reverse((r.points, r.votes))));
    let mut best: Vec<Rejected> = Vec::new();
    for next in rejected {
        if best.len() < MOST && !best.iter().any(|b| same(b, &next, tolerance)) {
            best.push(next);
        }
    }
    best
}

/// Cosine of the angle below which two candidates are one.
const SAME: f64 = 0.996;

/// Whether two candidates are one seen twice.
fn same(a: &Rejected, b: &Rejected, tolerance: f64) -> bool {
    let cosine = dot(a.normal, b.normal);
    let apart = (a.offset - cosine.signum() * b.offset).abs();
    a.reason == b.reason && cosine.abs() > SAME && apart <= 2.0 * tolerance
}
