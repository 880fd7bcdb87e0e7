//! The range of two rows that a box of points reaches: see [`super::joint`], which defines `b` and `e`.

use crate::frame::Points;

/// The corners of the box around points, in order around it.
pub(super) struct Extent(pub(super) [[f32; 2]; 4]);

impl Extent {
    /// The box around `points`; none of its numbers is finite if there are none.
    pub(super) fn of(points: &Points) -> Extent {
        let [[x0, x1], [y0, y1]] = [&points.x, &points.y].map(|values| extremes(values));
        Extent([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    }

    /// Least number of cells that the box reaches in the table of two rows: its area, as both rows measure
    /// it.
    pub(super) fn cells(&self, [t, u]: [[f32; 4]; 2]) -> f64 {
        let [[x0, y0], _, [x1, y1], _] = self.0;
        f64::from(x1 - x0) * f64::from(y1 - y0) * f64::from(t[0] * u[1] - t[1] * u[0]).abs()
    }
}

/// The least and the greatest number among the values, in chunks as wide as a vector.
fn extremes(values: &[f32]) -> [f32; 2] {
    let (mut least, mut most) = ([f32::INFINITY; 16], [f32::NEG_INFINITY; 16]);
    for values in values.chunks(16) {
        for ((least, most), &v) in least.iter_mut().zip(&mut most).zip(values) {
            *least = if v < *least { v } else { *least };
            *most = if v > *most { v } else { *most };
        }
    }
    [
        least.into_iter().fold(f32::INFINITY, f32::min),
        most.into_iter().fold(f32::NEG_INFINITY, f32::max),
    ]
}

/// The edges of a box in unrounded `e` and `b`, which are linear in the point.
pub(super) struct Edges([Edge; 4]);

struct Edge {
    /// `e` and `b` where the edge begins.
    from: [f64; 2],
    /// The change of `b` along the edge.
    change: f64,
    /// The fraction of the edge on which `e` changes by one.
    part: f64,
}

impl Edges {
    pub(super) fn new(rows: [[f32; 4]; 2], extent: &Extent) -> Edges {
        let position = |t: [f32; 4], [x, y]: [f64; 2]| {
            let [a, b, _, shift] = t.map(f64::from);
            a * x + b * y + shift
        };
        let corners = extent.0.map(|corner| {
            let [b, other] = rows.map(|t| position(t, corner.map(f64::from)));
            [other - b, b]
        });
        Edges(std::array::from_fn(|i| {
            let [from, to] = [corners[i], corners[(i + 1) % 4]];
            Edge { from, change: to[1] - from[1], part: 1.0 / (to[0] - from[0]) }
        }))
    }

    /// `e` at the corners.
    pub(super) fn corners(&self) -> [f64; 4] {
        self.0.each_ref().map(|edge| edge.from[0])
    }

    /// The least and the greatest `b` in the box where `e` lies between two values.
    pub(super) fn between(&self, least: f64, most: f64) -> Option<[f64; 2]> {
        let ends = self.0.iter().filter_map(|edge| {
            // Where `e` does not change, this is the whole edge or, at an infinite distance, nothing.
            let [a, b] = [least, most].map(|e| (e - edge.from[0]) * edge.part);
            let (start, end) = (a.min(b).max(0.0), a.max(b).min(1.0));
            (start <= end).then(|| range([start, end].map(|s| edge.from[1] + edge.change * s)))
        });
        ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
    }
}

/// The least and the greatest of some numbers.
pub(super) fn range<const N: usize>(values: [f64; N]) -> [f64; 2] {
    values.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], |r, v| [r[0].min(v), r[1].max(v)])
}
