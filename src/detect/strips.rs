//! Strips of curved surfaces.
//!
//! Of a vault, a slab takes a strip. The strip is bent, and the vault goes on beyond both of its edges as the strip is bent. A slab
//! that sags is bent as well, but ends at the walls; a facet of a roof or of an octagonal tower is flat, and its surface goes on at
//! an angle.

use super::ends::Piece;
use super::paraboloid::{Height, Paraboloid};
use crate::vector::{axes, dot};

/// A plane is bent when its normals fan out by more than this many standard errors.
const SURE: f64 = 4.0;
/// The bend of a plane explains what lies beyond its outline if it leaves at most this share of its squared distances, …
const LEFT: f64 = 0.25;
/// … and if at least this many times as many points lie there as in the plane.
const BEYOND: f64 = 0.15;
/// A surface is curved if it turns by more than this angle, in radians; what turns by less sags.
const TURNED: f64 = 15.0 * std::f64::consts::PI / 180.0;
/// What lies between strips is one, too, if of what lies beyond its outline most belongs to strips, and that is at least this
/// many times as much as the plane has: it is narrow.
const BETWEEN: f64 = 0.5;

/// Whether a plane is a strip of a curved surface; `beyond` are the first surfels beyond its outline, and as many points as `alike`
/// share one error.
pub(super) fn is_strip(piece: &Piece, beyond: &[u32], alike: f64) -> bool {
    let (u, v) = axes(piece.plane.normal);
    let height = |&i: &u32| {
        let surfel = piece.surfel(i);
        let at = [dot(surfel.centroid, u), dot(surfel.centroid, v)];
        Height { at, above: piece.distance(i), weight: f64::from(surfel.weight) }
    };
    let own: Vec<Height> = piece.own.iter().map(height).collect();
    let Some(bend) = Paraboloid::fit(&own) else { return false };
    let fan = bend.fan();
    if fan.angle <= SURE * alike.max(1.0).sqrt() * fan.error {
        return false;
    }
    let [mut weight, mut squares, mut left] = [0.0; 3];
    for Height { at, above, weight: w } in beyond.iter().map(height) {
        let (above, bend) = (above - bend.tangent(at), bend.above_tangent(at));
        weight += w;
        squares += w * above * above;
        left += w * (above - bend) * (above - bend);
    }
    weight >= BEYOND * own.iter().map(|h| h.weight).sum::<f64>()
        && left <= LEFT * squares
        && piece.turns(beyond.to_vec(), TURNED)
}

/// Whether a plane lies between strips: `among` are the points beyond its outline that belong to strips, and to other planes.
pub(super) fn is_between(own: u64, among: [u64; 2]) -> bool {
    let [strips, others] = among;
    strips > others && strips as f64 >= BETWEEN * own as f64
}
