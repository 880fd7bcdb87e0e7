//! One plane found in two pieces becomes one.

use super::rounds::Found;
use super::support::{Field, Support};
use super::vector::dot;

/// To either of them, a plane through both may be this much rougher than its own.
const ROUGHER: f64 = 1.03;

/// Joins planes that are one: a plane through the surfels of both fits each as well as its own
/// does. Two that are tilted or offset against each other by less than the tolerance stay two.
///
/// Earlier planes (with more votes) take in later ones.
pub(super) fn merge(field: &Field, found: Vec<Found>) -> Vec<Found> {
    let mut merged: Vec<Found> = Vec::new();
    for mut next in found {
        loop {
            let twin = merged.iter().position(|m| joined(field, m, &next).is_some());
            let Some(at) = twin else { break };
            let earlier = merged.remove(at);
            let votes = earlier.votes.max(next.votes);
            if let Some(support) = joined(field, &earlier, &next) {
                next = Found { votes, support };
            }
        }
        merged.push(next);
    }
    merged.sort_by_cached_key(|f| {
        (std::cmp::Reverse(field.weight(&f.support.surfels)), f.support.surfels[0])
    });
    merged
}

/// The plane of both, if they are one plane.
fn joined(field: &Field, a: &Found, b: &Found) -> Option<Support> {
    let (a, b) = (&a.support, &b.support);
    let angle = dot(a.normal, b.normal).abs().min(1.0).acos();
    if angle > field.limits.angle / 2.0 {
        return None;
    }
    // Cheap: the middle of the smaller one must be near the plane of the larger one.
    let (large, small) = if a.surfels.len() >= b.surfels.len() { (a, b) } else { (b, a) };
    let middle = field.middle(&small.surfels);
    let tolerance = a.tolerance.max(b.tolerance);
    if (dot(large.normal, middle) - large.rho).abs() > tolerance {
        return None;
    }
    let mut surfels = [a.surfels.as_slice(), b.surfels.as_slice()].concat();
    surfels.sort_unstable();
    let (normal, rho) = field.fit(&surfels)?;
    let still = |part: &Support| {
        // Three numbers were fitted to the part alone.
        let n = part.surfels.len() as f64;
        let alone = field.squares(&part.surfels, part.normal, part.rho) * n / (n - 3.0).max(1.0);
        field.squares(&part.surfels, normal, rho) <= ROUGHER * ROUGHER * alone
    };
    (still(a) && still(b)).then_some(Support { normal, rho, tolerance, surfels })
}
