//! Narrow planes, straightened.
//!
//! A slab through one face of a post takes points of the faces beside it, and lies aslant: the more aslant, the more points it takes.
//! Once all faces are known, each point goes to the likeliest plane and each plane is fitted to its points again, in turns: k-means with
//! planes (Bradley and Mangasarian, *k-Plane Clustering*, 2000). Half of the slab decides, so that points beyond the edges have less say.
//! Half of the tolerance also means half of the noise where the tolerance tells it: a narrow plane then loses points far from it to wide ones.

use crate::Result;
use crate::backend::Labels;
use crate::surface::moments::{Fit, Moments};
use crate::surface::plane::LocalPlane;

/// A plane is narrow if its shorter side is at most this many tolerances. Wider ones are hardly turned by the points of others.
const NARROW: f64 = 8.0;
/// A narrow plane is fitted to the points within this share of its tolerance.
const INNER: f64 = 0.5;
/// Fewest points that turn a plane.
const FEWEST: i64 = 20;
/// A plane that keeps less than this share of its points has left its surface, and goes back.
const KEPT: f64 = 0.5;
/// Most turns. Afterwards planes hardly move.
const TURNS: usize = 6;

/// Straightens narrow planes, which it returns, and sets the sums over all points in their slabs. The other planes and their sums stay
/// as they are, although some of their points may have gone to a narrow plane.
///
/// # Errors
/// If the device fails.
pub(super) fn straighten(
    labels: &mut dyn Labels,
    planes: &mut [LocalPlane],
    sums: &mut [Moments],
) -> Result<Vec<usize>> {
    let is_narrow = |i: &usize| {
        let fit = sums[*i].fit();
        fit.is_some_and(|fit| is_narrow(&fit, planes[*i].tolerance))
    };
    let mut narrow: Vec<usize> = (0..planes.len()).filter(is_narrow).collect();
    if narrow.is_empty() {
        return Ok(narrow);
    }
    let mut moving = planes.to_vec();
    narrow.iter().for_each(|&i| moving[i].tolerance *= INNER);
    let mut last = vec![Moments::default(); planes.len()];
    for _ in 0..TURNS {
        let now = labels.sums(&moving)?;
        let moved: Vec<usize> = narrow.iter().copied().filter(|&i| now[i] != last[i]).collect();
        if moved.is_empty() {
            break;
        }
        for i in moved {
            let fit = if now[i].n < FEWEST { None } else { now[i].fit() };
            moving[i] = fit.map_or(moving[i], |fit| LocalPlane::of_fit(&fit, moving[i].tolerance));
        }
        last = now;
    }
    narrow.iter().for_each(|&i| moving[i].tolerance = planes[i].tolerance);
    let all = labels.sums(&moving)?;
    narrow.retain(|&i| all[i].n as f64 >= KEPT * sums[i].n as f64);
    narrow.iter().for_each(|&i| (planes[i], sums[i]) = (moving[i], all[i]));
    Ok(narrow)
}

/// Whether points of others may turn a plane noticeably.
pub(super) fn is_narrow(fit: &Fit, tolerance: f64) -> bool {
    fit.width() <= NARROW * tolerance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::plane::Assigned;
    use crate::vector::dot;

    /// Points that belong to the nearest plane within its tolerance.
    struct Nearest(Vec<[f32; 3]>);

    impl Labels for Nearest {
        fn sums(&mut self, planes: &[LocalPlane]) -> Result<Vec<Moments>> {
            let mut sums = vec![Moments::default(); planes.len()];
            for &p in &self.0 {
                let away = |plane: &LocalPlane| plane.distance(p).abs();
                let within = planes.iter().enumerate().filter(|(_, q)| away(q) <= q.tolerance);
                if let Some((i, _)) = within.min_by(|a, b| away(a.1).total_cmp(&away(b.1))) {
                    sums[i].add(p.map(|v| v as i64));
                }
            }
            Ok(sums)
        }

        fn assign(self: Box<Self>, _: &[LocalPlane], _: &[u32]) -> Result<Assigned> {
            unreachable!("planes are straightened before points are assigned")
        }
    }

    const HALF: f64 = 6000.0;

    /// A post, 2 `HALF` wide and six times as high, with noise of a twelfth of its width.
    fn post() -> Nearest {
        let point = |i: i32| {
            let [along, high, noise] = [(i, 7919, 1009), (i, 104_729, 997), (i, 48_271, 2003)]
                .map(|(i, by, of)| f64::from(i * by % of) / f64::from(of - 1) - 0.5);
            let (away, along) = (HALF + 3464.0 * noise, 2.0 * HALF * along);
            let [x, y] =
                [[away, along], [-along, away], [-away, -along], [along, -away]][i as usize % 4];
            [x + 50_000.0, y + 50_000.0, 72_000.0 * (high + 0.5)].map(|v| v as f32)
        };
        Nearest((0..4000).map(point).collect())
    }

    /// The same on a floor, whose points are nearer to it than to the faces.
    fn post_on_floor() -> Nearest {
        let floor = |i: i32| {
            let [x, y] =
                [(7919, 1009), (104_729, 997)].map(|(by, of)| (100 * (i * by % of)) as f32);
            [x, y, (i % 3) as f32]
        };
        Nearest(post().0.into_iter().chain((0..9000).map(floor)).collect())
    }

    /// The floor, a little too high.
    fn floor(tolerance: f64) -> LocalPlane {
        LocalPlane { normal: [0.0, 0.0, 1.0], rho: 2.0, tolerance }
    }

    /// Four planes through the middles of the faces, turned about these by so many degrees.
    fn faces(turned: f64, tolerance: f64) -> Vec<LocalPlane> {
        let face = |k: i32| {
            let along = |degrees: f64| {
                let (sine, cosine) = (f64::from(k) * 90.0 + degrees).to_radians().sin_cos();
                [cosine, sine, 0.0]
            };
            let (out, normal) = (along(0.0), along(turned));
            let middle = [50_000.0 + HALF * out[0], 50_000.0 + HALF * out[1], 36_000.0];
            LocalPlane { normal, rho: dot(normal, middle), tolerance }
        };
        (0..4).map(face).collect()
    }

    #[test]
    fn aslant_faces_of_a_post_become_straighter() {
        let (mut labels, mut planes) = (post_on_floor(), faces(5.0, 3000.0));
        planes.push(floor(3000.0));
        let mut sums = labels.sums(&planes).unwrap();
        let wide = (planes[4], sums[4]);
        assert_eq!(straighten(&mut labels, &mut planes, &mut sums).unwrap(), [0, 1, 2, 3]);
        assert_eq!((planes[4], sums[4]), wide);
        for (plane, straight) in planes.iter().zip(faces(0.0, 3000.0)) {
            let angle = dot(plane.normal, straight.normal).abs().min(1.0).acos().to_degrees();
            assert!(angle < 3.0, "{angle} degrees of 5");
            assert_eq!(plane.tolerance, 3000.0);
        }
        assert_eq!(sums[..4], labels.sums(&planes).unwrap()[..4]);
    }

    #[test]
    fn few_points_turn_no_plane() {
        let points = (0..15).map(|i| [(i * 400 % 1000) as f32, 300.0 * i as f32, (i % 3) as f32]);
        let (mut labels, mut planes) = (Nearest(points.collect()), vec![floor(500.0)]);
        let (before, mut sums) = (planes[0], labels.sums(&planes).unwrap());
        assert_eq!(sums[0].n, 15);
        straighten(&mut labels, &mut planes, &mut sums).unwrap();
        assert_eq!(planes[0], before);
    }

    #[test]
    fn wide_planes_stay() {
        // The post is as wide as four of these tolerances, or as 24.
        let is_moved = |tolerance: f64| {
            let (mut labels, mut planes) = (post(), faces(5.0, tolerance));
            let mut sums = labels.sums(&planes).unwrap();
            let before = (planes.clone(), sums.clone());
            straighten(&mut labels, &mut planes, &mut sums).unwrap();
            (planes, sums) != before
        };
        assert!(is_moved(3000.0) && !is_moved(500.0));
    }
}
