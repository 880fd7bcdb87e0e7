//! Where a spinning scanner stood, as its rings tell.
//!
//! Noise spreads the points of a ring along the lines of sight. Where it spreads them by as much as they are apart, neighbourhoods on a
//! ring look like thin surfaces, each of which contains its line of sight. All of these meet at the scanner.

use super::noise::{Sample, View};
use crate::vector::{Vec3, dot, minus};
use nalgebra::{Matrix3, Vector3};

/// Share of the flat neighbourhoods, the thinnest, that are asked.
const THINNEST: f64 = 0.5;
/// Fewest of them.
const FEWEST: usize = 64;
/// Share of these that must contain their lines of sight.
const MOST: f64 = 0.6;
/// Sines of the angles between a neighbourhood and its line of sight, up to which it has a say in the scanner's place: from pass to
/// pass less, since true surfaces move the first places.
const ALONG: [f64; 8] = [0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.02];
/// Of parallel neighbourhoods, the normals have less than this share of their squares along some direction. They tell no place.
const SPREAD: f64 = 1e-4;

/// A neighbourhood: its normal, and a place in it.
type Neighbourhood = (Vec3, Vec3);

/// The place in which the thinnest neighbourhoods of a view meet, in steps; `None` if most do not.
pub(super) fn standpoint(view: &View) -> Option<Vec3> {
    let flat = |sample: &Sample| {
        let (_, flat) = sample.finest()?;
        Some((flat.thickness, (flat.normal.map(f64::from), sample.middle)))
    };
    let mut thin: Vec<(f32, Neighbourhood)> = view.samples.iter().filter_map(flat).collect();
    thin.sort_by(|a, b| a.0.total_cmp(&b.0));
    thin.truncate((THINNEST * thin.len() as f64) as usize);
    let thin: Vec<Neighbourhood> = thin.into_iter().map(|(_, one)| one).collect();
    meeting_place(&thin)
}

/// The place in which most of some neighbourhoods meet.
fn meeting_place(all: &[Neighbourhood]) -> Option<Vec3> {
    if all.len() < FEWEST {
        return None;
    }
    let mut place = nearest_to(all)?;
    let mut with_say = Vec::new();
    for most in ALONG {
        let is_along = |&(normal, at): &Neighbourhood| {
            let sight = minus(at, place);
            dot(normal, sight).abs() <= most * dot(sight, sight).sqrt()
        };
        with_say = all.iter().copied().filter(is_along).collect();
        place = nearest_to(&with_say)?;
    }
    (with_say.len() as f64 >= MOST * all.len() as f64).then_some(place)
}

/// The place with the least sum of squared distances from the planes of some neighbourhoods; `None` if they do not tell it.
fn nearest_to(some: &[Neighbourhood]) -> Option<Vec3> {
    let (mut products, mut sums) = (Matrix3::zeros(), Vector3::zeros());
    for &(normal, at) in some {
        let n = Vector3::from(normal);
        products += n * n.transpose();
        sums += n * dot(normal, at);
    }
    let least = products.symmetric_eigenvalues().min();
    (least > SPREAD * products.trace()).then(|| products.cholesky())?.map(|c| c.solve(&sums).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{cross, normalized};

    const EYE: Vec3 = [300.0, -200.0, 50.0];

    /// Pieces of rings around a scanner, and after them as many of its room's walls as asked.
    fn neighbourhoods(rings: u32, walls: u32) -> Vec<Neighbourhood> {
        let ring = |i: u32| {
            let (turn, rise) = (f64::from(i) * 2.4, 0.25 * (f64::from(i % 16) / 7.5 - 1.0));
            let sight = normalized([turn.cos(), turn.sin(), rise]);
            let normal = normalized(cross(sight, [-turn.sin(), turn.cos(), 0.0]));
            let far = 400.0 + f64::from(i * 7919 % 1000);
            (normal, std::array::from_fn(|a| EYE[a] + far * sight[a]))
        };
        let wall = |i: u32| {
            let [along, up] = [7919, 104_729].map(|k| f64::from(i * k % 2000) - 1000.0);
            let side = if i % 4 < 2 { 1000.0 } else { -1000.0 };
            match i % 2 {
                0 => ([1.0, 0.0, 0.0], [side, along, up]),
                _ => ([0.0, 1.0, 0.0], [along, side, up]),
            }
        };
        (0..rings).map(ring).chain((0..walls).map(wall)).collect()
    }

    #[test]
    fn rings_meet_at_the_scanner_among_some_walls() {
        for walls in [0, 100, 200] {
            let place = meeting_place(&neighbourhoods(500, walls)).unwrap();
            let off = minus(place, EYE);
            assert!(dot(off, off).sqrt() < 1.0, "{walls}: {place:?}");
        }
    }

    #[test]
    fn walls_meet_nowhere() {
        assert_eq!(meeting_place(&neighbourhoods(0, 1000)), None);
        assert_eq!(meeting_place(&neighbourhoods(100, 1000)), None);
        // A level floor contains any line of sight in it.
        let floor: Vec<Neighbourhood> = (0..1000)
            .map(|i| ([0.0, 0.0, 1.0], [f64::from(i), f64::from(i * 7919 % 1000), 0.0]))
            .collect();
        assert_eq!(meeting_place(&floor), None);
        assert_eq!(meeting_place(&neighbourhoods(20, 0)), None);
    }
}
