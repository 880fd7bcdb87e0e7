//! Pattern search (Hooke and Jeeves, 1961): a place is improved by moves of a fixed length, which is halved when none helps.

use crate::vector::Vec3;

/// The first moves are this share of the depth …
pub(super) const MOVE: f64 = 0.16;
/// … and halved this many times.
const HALVINGS: u32 = 5;

/// Places at which a camera may be, and how uneven what it sees is there.
pub(super) type Tried = Vec<(f64, Vec3)>;

/// The same places, the most even first.
pub(super) fn sorted(mut places: Tried) -> Tried {
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    places
}

/// The most even place near `start` and how uneven it is, with at most so many moves of each length, of which the first is
/// given, both ways along each of the `axes` at a place; `None` if `start` itself is impossible.
pub(super) fn improved<const N: usize>(
    start: Vec3,
    (mut length, most): (f64, u32),
    axes: impl Fn(Vec3) -> [Vec3; N],
    unevenness: impl Fn(Vec3) -> Option<f64>,
) -> Option<(f64, Vec3)> {
    let mut best = (unevenness(start)?, start);
    for _ in 0..HALVINGS {
        for _ in 0..most {
            let axes = axes(best.1);
            let around = (0..2 * N).filter_map(|way| {
                let by = if way % 2 == 0 { length } else { -length };
                let place = std::array::from_fn(|a| best.1[a] + by * axes[way / 2][a]);
                Some((unevenness(place)?, place))
            });
            match around.reduce(|a, b| if b.0 < a.0 { b } else { a }) {
                Some(next) if next.0 < best.0 => best = next,
                _ => break,
            }
        }
        length *= 0.5;
    }
    Some(best)
}
