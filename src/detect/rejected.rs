//! The best of the candidates that are not planes, with the reason for each.

use super::found::Failed;
use super::load::Loaded;
use crate::detection::{Parameters, Reason, Rejected};
use crate::vector::{dot, minus};

/// Candidates that are kept.
const MOST: usize = 50;

/// Candidates that failed in a search with these parameters, in input coordinates.
pub(super) fn candidates(
    cloud: &Loaded,
    parameters: &Parameters,
    failed: Vec<(u64, Failed)>,
) -> Vec<Rejected> {
    let candidate = |(votes, failed): (u64, Failed)| {
        let fewest =
            failed.wanted.and_then(|wanted| fewest(failed.points, wanted.get(), parameters));
        Rejected { fewest, ..rejected(cloud, votes, failed) }
    };
    failed.into_iter().map(candidate).collect()
}

/// The fewest points of a plane with which a candidate of so many points would have had as many as `wanted`; `None` if points
/// between rings were counted, too. Of rougher surfaces more are wanted.
fn fewest(points: u64, wanted: u64, parameters: &Parameters) -> Option<u64> {
    let points = points as f64;
    let share = points / wanted as f64;
    let own = points * parameters.copies;
    let fewest = own.min(share * parameters.min_inliers as f64);
    (parameters.rings == 0).then_some(fewest as u64)
}

/// One candidate in input coordinates.
pub(super) fn rejected(cloud: &Loaded, votes: u64, failed: Failed) -> Rejected {
    let Failed { normal, rho, points, middle, reason, needs, .. } = failed;
    let centroid = (points > 0).then(|| cloud.frame.input(middle));
    let offset = rho * cloud.frame.step + dot(normal, cloud.frame.origin);
    let needs = needs.map(|needs| needs * cloud.frame.step);
    Rejected { normal, offset, votes, points, centroid, reason, fewest: None, needs }
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
    let apart = match (a.centroid, b.centroid) {
        // Far from the origin, offsets of normals that differ a little differ much.
        (Some(one), Some(other)) => dot(a.normal, minus(one, other)).abs(),
        _ => (a.offset - cosine.signum() * b.offset).abs(),
    };
    a.reason == b.reason && cosine.abs() > SAME && apart <= 2.0 * tolerance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_that_was_tried_twice_is_one_candidate_wherever_it_lies() {
        let candidate = |tilt: f64, centroid: [f64; 3]| {
            let normal = [tilt.sin(), 0.0, tilt.cos()];
            let (offset, centroid) = (dot(normal, centroid), Some(centroid));
            let (votes, points, reason) = (9, 30, Reason::TooSmall);
            Rejected { normal, offset, votes, points, centroid, reason, fewest: None, needs: None }
        };
        let home = [500_000.0, 5_800_000.0, 300.0];
        let [once, again] = [candidate(0.0, home), candidate(1e-3, home)];
        let above = candidate(0.0, [home[0], home[1], home[2] + 1.0]);
        let best = best(vec![once.clone(), again, above.clone()], 0.02);
        assert_eq!(best, [once, above]);
    }

    #[test]
    fn of_rougher_surfaces_more_points_are_wanted() {
        let usual = Parameters { min_inliers: 20, copies: 1.0, ..Parameters::default() };
        // Half as many in cells with a surface, and four times as many of rougher ones.
        assert_eq!(fewest(9, 10, &usual), Some(9));
        assert_eq!(fewest(30, 40, &usual), Some(15));
        let copied = Parameters { min_inliers: 60, copies: 3.0, ..usual.clone() };
        assert_eq!(fewest(9, 10, &copied), Some(27));
        assert_eq!(fewest(9, 10, &Parameters { rings: 16, ..usual }), None);
    }
}
