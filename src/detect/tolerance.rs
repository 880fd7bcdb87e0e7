//! Each plane's own tolerance, from its points.
//!
//! The tolerance of a search is that of the usual noise. On a rougher plane, one that is farther away or was
//! scanned twice, the slab cuts through the distribution of the residuals. The points inside tell how much of
//! a normal distribution the slab holds: their root mean square over half the slab's thickness falls from
//! 0.577 (an even spread) to 0.329 (all within three standard deviations). So the slab of such a plane is
//! widened until it holds between 2.3 and three standard deviations, unless the residuals spread with the
//! slab, which then takes in something else. A widened plane is fitted anew, since its points have changed.
//!
//! Where the residuals are much smaller than the slab is thick, the plane is smoother than most, and the
//! points at the rim belong to other surfaces that cross it. The slab is then narrowed until it fits its
//! points.

use super::limits::MIN_STEPS;
use crate::Result;
use crate::backend::Labels;
use crate::surface::moments::Moments;
use crate::surface::plane::LocalPlane;

/// Fewest points whose spread is judged.
const FEWEST: i64 = 60;
/// Above this spread over tolerance the slab cuts the plane's points off, …
const CUT: f64 = 0.40;
/// … and above this they are too even to tell the noise.
const TOO_EVEN: f64 = 0.52;
/// Below this spread over tolerance a slab is too wide, and points at its rim belong to others.
const LOOSE: f64 = 0.25;
/// It is then narrowed to this many times the spread.
const ROOM: f64 = 4.0;
/// A slab is widened by this factor at a time, …
const WIDER: f64 = 1.5;
/// … and kept so only if the noise that it shows grows by no more than this factor.
const STEADY: f64 = 1.1;
/// Rounds of judging the slabs: they are widened after each but the last, and failed widenings are undone.
const ROUNDS: usize = 6;
/// Half the thickness of a slab in standard deviations of a normal distribution, and the root mean square of
/// the part inside over that half thickness.
const NORMAL: [(f64, f64); 6] =
    [(0.5, 0.5677), (1.0, 0.5396), (1.5, 0.4950), (2.0, 0.4398), (2.5, 0.3818), (3.0, 0.3289)];

/// What is known of a plane's slab.
#[derive(Clone, Copy)]
enum Slab {
    /// It may be too narrow.
    Open,
    /// It was widened from this plane, which showed this noise.
    Widened(LocalPlane, f64),
    /// It was narrowed, and may still be too wide.
    Narrowed,
    /// It stays.
    Settled,
}

/// Fits the slabs to their points: too narrow ones are widened, by at most `most` times, and too wide ones
/// narrowed. Returns the sums over the points that the planes have then.
pub(super) fn settle(
    labels: &mut dyn Labels,
    planes: &mut [LocalPlane],
    mut sums: Vec<Moments>,
    most: f64,
) -> Result<Vec<Moments>> {
    let mut slabs = vec![Slab::Open; planes.len()];
    let widest: Vec<f64> = planes.iter().map(|plane| most * plane.tolerance).collect();
    for round in 1..=ROUNDS {
        let mut changed = false;
        for (i, slab) in slabs.iter_mut().enumerate() {
            let widest = if round < ROUNDS { widest[i] } else { 0.0 };
            let next = look(*slab, planes[i], &sums[i], widest);
            changed |= next.1 != planes[i];
            (*slab, planes[i]) = next;
        }
        if !changed {
            break;
        }
        sums = labels.sums(planes)?;
    }
    Ok(sums)
}

/// The next state of a slab and its plane, from the points that the slab holds.
fn look(slab: Slab, plane: LocalPlane, sums: &Moments, widest: f64) -> (Slab, LocalPlane) {
    let settled = (Slab::Settled, plane);
    let before = match slab {
        Slab::Settled => return settled,
        Slab::Open | Slab::Narrowed => plane,
        Slab::Widened(before, _) => before,
    };
    let Some(fit) = sums.fit().filter(|_| sums.n >= FEWEST) else {
        return (Slab::Settled, before);
    };
    let fitted = LocalPlane::of_fit(&fit, plane.tolerance);
    let share = sums.distance_rms(fitted.normal, fitted.rho) / plane.tolerance;
    let narrow = (ROOM * share * plane.tolerance).max(MIN_STEPS);
    if matches!(slab, Slab::Open | Slab::Narrowed) && share < LOOSE && narrow < plane.tolerance {
        return (Slab::Narrowed, LocalPlane { tolerance: narrow, ..fitted });
    }
    if matches!(slab, Slab::Narrowed) {
        return settled;
    }
    let noise = plane.tolerance / sigmas(share);
    if let Slab::Widened(_, was) = slab
        && noise > STEADY * was
    {
        return (Slab::Settled, before);
    }
    let tolerance = (3.0 * noise).min(WIDER * plane.tolerance).min(widest);
    if !(CUT..=TOO_EVEN).contains(&share) || tolerance <= plane.tolerance {
        return settled;
    }
    (Slab::Widened(plane, noise), LocalPlane { tolerance, ..fitted })
}

/// Half the thickness of a slab in standard deviations of a normal distribution, where the root mean square
/// of the part inside is this share of it.
fn sigmas(share: f64) -> f64 {
    let after = NORMAL.iter().position(|&(_, s)| s <= share).unwrap_or(NORMAL.len() - 1).max(1);
    let [(a, high), (b, low)] = [NORMAL[after - 1], NORMAL[after]];
    a + (b - a) * ((high - share) / (high - low)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The root mean square of what a slab of `a` standard deviations on either side holds.
    fn held(a: f64) -> f64 {
        let steps = 20_000;
        let density = |i: i32| {
            let z = a * f64::from(i) / f64::from(steps);
            ((-0.5 * z * z).exp(), z)
        };
        let [mut all, mut squares] = [0.0; 2];
        for (density, z) in (0..steps).map(density) {
            all += density;
            squares += density * z * z;
        }
        (squares / all).sqrt() / a
    }

    #[test]
    fn a_slab_tells_how_much_of_a_normal_distribution_it_holds() {
        for (a, share) in NORMAL {
            assert!((held(a) - share).abs() < 2e-4, "{a}: {} and not {share}", held(a));
            assert!((sigmas(share) - a).abs() < 1e-9);
        }
        assert_eq!((sigmas(0.9), sigmas(0.1)), (0.5, 3.0));
    }

    /// Sums over the points within `tolerance` of a plane; `height` maps a share from -1 to 1 to a height.
    fn sums(tolerance: f64, height: impl Fn(f64) -> f64) -> Moments {
        let mut sums = Moments::default();
        for i in 0..4000_i64 {
            let share = ((i * 1_234_567 % 4001) as f64 + 0.5) / 2000.5 - 1.0;
            let z = height(share);
            if z.abs() <= tolerance {
                sums.add([i % 63 * 1000, i / 63 * 1000, z.round() as i64]);
            }
        }
        sums
    }

    /// The quantile of the standard normal distribution at a rank from -1 to 1.
    fn normal(share: f64) -> f64 {
        // Tukey's lambda with this exponent is a normal distribution to three digits.
        let [p, q] = [0.5 * (1.0 + share), 0.5 * (1.0 - share)];
        (p.powf(0.14) - q.powf(0.14)) / 0.1975
    }

    #[test]
    fn a_slab_is_widened_to_what_its_points_ask() {
        let noise = 1000.0;
        let mut plane = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 0.0, tolerance: 1.4 * noise };
        let mut slab = Slab::Open;
        for _ in 0..ROUNDS {
            let sums = sums(plane.tolerance, |share| noise * normal(share));
            (slab, plane) = look(slab, plane, &sums, 1e9);
        }
        assert!((2.3..3.3).contains(&(plane.tolerance / noise)), "{}", plane.tolerance);
    }

    #[test]
    fn a_slab_that_takes_in_whatever_is_there_is_not_widened() {
        let plane = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 0.0, tolerance: 1000.0 };
        // Evenly spread.
        let even = sums(1000.0, |share| 9000.0 * share);
        assert_eq!(look(Slab::Open, plane, &even, 1e9).1, plane);
        // Half of the points are a surface of which the slab holds two standard deviations; the rest is
        // something else beside it.
        let mixed = |tolerance| {
            sums(tolerance, |share| match 2.0 * share.abs() {
                inside if inside < 1.0 => 500.0 * normal(2.0 * share),
                outside => share.signum() * (1000.0 + 4000.0 * (outside - 1.0)),
            })
        };
        let (slab, wider) = look(Slab::Open, plane, &mixed(1000.0), 1e9);
        assert!(wider.tolerance > plane.tolerance);
        let (_, last) = look(slab, wider, &mixed(wider.tolerance), 1e9);
        assert_eq!(last.tolerance, plane.tolerance);
    }

    #[test]
    fn a_slab_that_is_too_wide_is_narrowed() {
        let noise = 100.0;
        let mut plane = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 0.0, tolerance: 1000.0 };
        let mut slab = Slab::Open;
        for _ in 0..ROUNDS {
            // One point in ten is of something that crosses the plane.
            let sums = sums(plane.tolerance, |share| match share.abs() / 0.9 {
                inside if inside < 1.0 => noise * normal(share / 0.9),
                outside => share.signum() * 9000.0 * (outside - 1.0),
            });
            (slab, plane) = look(slab, plane, &sums, 1e9);
        }
        assert!((2.5..5.5).contains(&(plane.tolerance / noise)), "{}", plane.tolerance);
    }
}
