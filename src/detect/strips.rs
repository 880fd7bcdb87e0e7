//! Strips of curved surfaces.
//!
//! Of a vault, a slab takes a strip. The strip is bent, and the vault goes on beyond both of its edges as the strip is bent. A slab
//! that sags is bent as well, but ends at the walls; a facet of a roof or of an octagonal tower is flat, and its surface goes on at
//! an angle.

use super::paraboloid::{Height, Paraboloid, SURE};
use super::piece::Piece;
use crate::vector::{axes, dot};
use std::ops::ControlFlow;

/// The bend of a plane explains what lies beyond its outline if it leaves at most this share of its squared distances from the
/// plane that touches the middle, …
const LEFT: f64 = 0.25;
/// … and if the first surfels there have at least this many times as many points as the plane. So many must have turned, too.
const BEYOND: f64 = 0.15;
/// A surface is curved if it turns by more than this angle, in radians, …
const TURNED: f64 = 15.0 * std::f64::consts::PI / 180.0;
/// … and by at most this many times as much, or as little, as the bend of the plane foretells: what turns by less sags, and a crowned
/// road may lead into a ditch.
const AS_BENT: f64 = 2.0;
/// It has turned so far within so many times as many points as the plane has. A strip is four times as wide as the root of the product
/// of radius and tolerance, so a cylinder has where its radius is less than 60,000 tolerances. To walk over a whole landscape from each
/// of its pieces takes long.
const FAR: f64 = 32.0;
/// What lies between strips is one, too, if of what belongs to planes beyond its outline most belongs to strips, and that is at least
/// this many times as much as the plane has: it is narrow.
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
    let all: f64 = own.iter().map(|h| h.weight).sum();
    let surfels_alike = alike * own.len() as f64 / all;
    if !bend.fan().is_sure(SURE, surfels_alike) {
        return false;
    }
    let [mut near, mut squares, mut left] = [0.0; 3];
    for Height { at, above, weight } in beyond.iter().map(height) {
        let (off, explained) = (above - bend.tangent(at), bend.above_tangent(at));
        near += weight;
        squares += weight * off * off;
        left += weight * (off - explained) * (off - explained);
    }
    let (mut turned, mut passed) = (0.0, 0.0);
    let has_turned = |i: u32| {
        let Some(surface) = piece.surfel(i).surface else { return ControlFlow::Continue(()) };
        let Height { at, weight, .. } = height(&i);
        passed += weight;
        let sine = (1.0 - dot(surface.normal(), piece.plane.normal).powi(2)).max(0.0).sqrt();
        let slope = bend.slope(at);
        if sine > TURNED.sin() && sine <= AS_BENT * slope && slope <= AS_BENT * sine {
            turned += weight;
        }
        match turned > BEYOND * all {
            true => ControlFlow::Break(true),
            false if passed > FAR * all => ControlFlow::Break(false),
            false => ControlFlow::Continue(()),
        }
    };
    near >= BEYOND * all && left <= LEFT * squares && piece.walk(beyond.to_vec(), has_turned)
}

/// Whether a plane lies between strips: `among` are the points beyond its outline that belong to strips, and to other planes.
pub(super) fn is_between(own: u64, among: [u64; 2]) -> bool {
    let [strips, others] = among;
    strips > others && strips as f64 >= BETWEEN * own as f64
}
