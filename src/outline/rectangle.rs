//! The smallest rectangle around points of a plane.

/// Length and width, the longer first, of the smallest rectangle by area around `points`; zeros if there are
/// none.
///
/// One of its sides lies along a side of the convex hull (Freeman and Shapira 1975), so each side is tried.
pub fn smallest_rectangle(points: &[[f64; 2]]) -> [f64; 2] {
    let reach = points.iter().flatten().fold(0.0f64, |most, v| most.max(v.abs()));
    if !(reach > 0.0 && reach.is_finite()) {
        return [0.0; 2];
    }
    // Scaled, since products of very large or small coordinates would not be finite, or would be zero.
    let hull = hull(points.iter().map(|p| p.map(|v| v / reach)).collect());
    let sides = hull.iter().zip(hull.iter().cycle().skip(1));
    let rectangles = sides.filter_map(|(a, b)| {
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let along = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
        (length > 0.0).then(|| [extent(&hull, along), extent(&hull, [-along[1], along[0]])])
    });
    let smallest = rectangles.min_by(|a, b| (a[0] * a[1]).total_cmp(&(b[0] * b[1])));
    let [a, b] = smallest.unwrap_or([0.0; 2]);
    [a.max(b) * reach, a.min(b) * reach]
}

/// How far points reach along a direction.
fn extent(points: &[[f64; 2]], [x, y]: [f64; 2]) -> f64 {
    let along = points.iter().map(|p| p[0] * x + p[1] * y);
    let ends = |(low, high): (f64, f64), v: f64| (low.min(v), high.max(v));
    let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    high - low
}

/// The corners of the convex hull, counter-clockwise (Andrew 1979).
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull = half(points.iter());
    hull.pop();
    hull.extend(half(points.iter().rev()));
    hull.pop();
    hull
}

/// One side of the hull, from the first point to the last.
fn half<'a>(points: impl Iterator<Item = &'a [f64; 2]>) -> Vec<[f64; 2]> {
    let mut hull: Vec<[f64; 2]> = Vec::new();
    for &p in points {
        while let [.., a, b] = hull[..]
            && (b[0] - a[0]) * (p[1] - a[1]) <= (b[1] - a[1]) * (p[0] - a[0])
        {
            hull.pop();
        }
        hull.push(p);
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_rectangle_has_its_sides() {
        let (sin, cos) = 0.4f64.sin_cos();
        let turned = |[x, y]: [f64; 2]| [7.0 + x * cos - y * sin, x * sin + y * cos - 3.0];
        let mut points = [[0.0, 0.0], [5.0, 0.0], [5.0, 2.0], [0.0, 2.0], [2.5, 1.0]].map(turned);
        for scale in [1.0, 1e200, 1e-200] {
            let [length, width] =
                smallest_rectangle(&points.map(|p| p.map(|v| v * scale))).map(|v| v / scale);
            assert!((length - 5.0).abs() < 1e-9 && (width - 2.0).abs() < 1e-9, "{length} {width}");
        }
        points.reverse();
        assert!((smallest_rectangle(&points)[1] - 2.0).abs() < 1e-9);
    }

    #[test]
    fn few_points_have_a_rectangle_too() {
        assert_eq!(smallest_rectangle(&[]), [0.0; 2]);
        assert_eq!(smallest_rectangle(&[[3.0, 4.0]]), [0.0; 2]);
        for line in [&[[0.0, 0.0], [3.0, 4.0]][..], &[[0.0, 0.0], [1.5, 2.0], [3.0, 4.0]]] {
            let [length, width] = smallest_rectangle(line);
            assert!((length - 5.0).abs() < 1e-12 && width < 1e-12, "{length} {width}");
        }
        assert_eq!(smallest_rectangle(&[[f64::NAN, 0.0], [1.0, f64::INFINITY]]), [0.0; 2]);
    }
}
