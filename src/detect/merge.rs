//! One plane found in two pieces becomes one.

use super::rounds::Found;
use super::support::Field;
use super::vector::dot;

/// Joins planes that are one: each one's surfels lie within the tolerance of the plane of both.
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
fn joined(field: &Field, a: &Found, b: &Found) -> Option<super::support::Support> {
    let (a, b) = (&a.support, &b.support);
    let angle = dot(a.normal, b.normal).abs().min(1.0).acos();
    if angle > field.limits.angle / 2.0 {
        return None;
    }
    // Cheap: the middle of the smaller one must be near the plane of the larger one.
    let (large, small) = if a.surfels.len() >= b.surfels.len() { (a, b) } else { (b, a) };
    let middle = field.middle(&small.surfels);
    if (dot(large.normal, middle) - large.rho).abs() > field.limits.tolerance {
        return None;
    }
    let mut surfels = [a.surfels.as_slice(), b.surfels.as_slice()].concat();
    surfels.sort_unstable();
    let (normal, rho) = field.fit(&surfels)?;
    let within = |set: &[u32]| field.weight_within(set, normal, rho) * 10 >= field.weight(set) * 9;
    (within(&a.surfels) && within(&b.surfels)).then_some(super::support::Support {
        normal,
        rho,
        surfels,
    })
}
