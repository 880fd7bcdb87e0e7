//! Outlines of shapes whose area is known.

use super::*;

/// A deterministic stream of numbers in `0..1`.
struct Uniform(u64);

impl Iterator for Uniform {
    type Item = f64;
    fn next(&mut self) -> Option<f64> {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
}

/// Uniform points of a rectangle about the origin, turned by `degrees`, where `keep` holds.
fn rectangle(
    [w, h]: [f64; 2],
    degrees: f64,
    density: f64,
    keep: impl Fn([f64; 2]) -> bool,
) -> Vec<[f64; 2]> {
    let mut uniform = Uniform(7);
    let (sin, cos) = degrees.to_radians().sin_cos();
    (0..(w * h * density) as usize)
        .filter_map(|_| {
            let x = w * (uniform.next()? - 0.5);
            let y = h * (uniform.next()? - 0.5);
            keep([x, y]).then_some([cos * x - sin * y, sin * x + cos * y])
        })
        .collect()
}

fn assert_valid(outline: &Outline) {
    for part in &outline.parts {
        let mut rings = vec![part.exterior.clone()];
        rings.extend(part.holes.iter().cloned());
        assert!(signed_area(&part.exterior) > 0.0);
        assert!(part.holes.iter().all(|h| signed_area(h) < 0.0));
        assert_eq!(validity::conflicts(&rings), []);
        assert!(validity::nested(&rings));
    }
}

#[test]
fn rectangles_at_any_rotation_have_their_area_and_few_corners() {
    // The cell holds 5 points on average.
    let cell = (5.0f64 / 400.0).sqrt();
    for degrees in [0.0, 7.0, 20.0, 33.0, 45.0, 62.0, 81.0, 90.0] {
        let points = rectangle([6.0, 3.0], degrees, 400.0, |_| true);
        let outline = outline(&points, &OutlineOptions::new(cell));
        assert_eq!(outline.parts.len(), 1);
        assert_valid(&outline);
        let error = outline.area() / 18.0 - 1.0;
        assert!(error.abs() < 0.02, "{degrees}: {error}");
        assert!(outline.parts[0].exterior.len() < 12);
        assert_eq!(outline.parts[0].points, points.len() as u64);
    }
}

#[test]
fn a_wall_with_a_window_has_a_hole() {
    let window = |[x, y]: [f64; 2]| (x - 1.0).abs() > 0.75 || (y - 0.2).abs() > 0.5;
    for degrees in [0.0, 30.0] {
        let points = rectangle([6.0, 3.0], degrees, 400.0, window);
        let outline = outline(&points, &OutlineOptions::new(0.112));
        assert_valid(&outline);
        assert_eq!(outline.parts.len(), 1);
        assert_eq!(outline.parts[0].holes.len(), 1);
        assert!((outline.area() / 16.5 - 1.0).abs() < 0.03, "{}", outline.area());
        let whole = super::outline(
            &points,
            &OutlineOptions { min_hole: 1000, ..OutlineOptions::new(0.112) },
        );
        assert!(whole.parts[0].holes.is_empty());
    }
}

#[test]
fn a_stray_beside_a_window_does_not_bend_the_outline() {
    const CELL: f64 = 0.113;
    let window = |[x, y]: [f64; 2]| (x - 1.0).abs() > 0.75 || (y - 0.2).abs() > 0.5;
    let points = rectangle([6.0, 3.0], 0.0, 1000.0, window);
    let straight = outline(&points, &OutlineOptions::new(CELL));
    let rings = |outline: &Outline| {
        let part = &outline.parts[0];
        [&part.exterior].into_iter().chain(&part.holes).cloned().collect::<Vec<_>>()
    };
    // Two and three columns from the last of the wall.
    for cells in [1.7, 2.7] {
        let mut points = points.clone();
        points.push([0.25 + cells * CELL, 0.2]);
        let beside = outline(&points, &OutlineOptions::new(CELL));
        assert_eq!(rings(&beside).len(), rings(&straight).len());
        for (with, without) in rings(&beside).iter().zip(&rings(&straight)) {
            assert_eq!(with.len(), without.len(), "{cells}");
            // One more point makes the usual gap between points and an edge smaller by a trifle.
            let moved = |(p, q): (&[f64; 2], &[f64; 2])| (p[0] - q[0]).hypot(p[1] - q[1]) < 1e-5;
            assert!(with.iter().zip(without).all(moved), "{cells}");
        }
        assert_eq!(beside.parts.len(), 1);
        assert_eq!(beside.parts[0].points, points.len() as u64);
        assert!(beside.part_of.iter().all(|&part| part == 0));
    }
}

#[test]
fn parts_come_largest_first_and_every_point_names_its_own() {
    let apart = |[x, _]: [f64; 2]| !(1.0..2.0).contains(&x);
    let points = rectangle([6.0, 3.0], 0.0, 200.0, apart);
    let outline = outline(&points, &OutlineOptions::new(0.15));
    assert_eq!(outline.parts.len(), 2);
    assert!((outline.parts[0].area - 12.0).abs() < 0.3);
    assert!((outline.parts[1].area - 3.0).abs() < 0.2);
    for (p, &part) in points.iter().zip(&outline.part_of) {
        assert_eq!(part, u32::from(p[0] > 1.5));
    }
    let count = |k| outline.part_of.iter().filter(|&&p| p == k).count() as u64;
    assert_eq!([outline.parts[0].points, outline.parts[1].points], [count(0), count(1)]);
}

#[test]
fn small_parts_are_dropped_on_request() {
    let mut points = rectangle([2.0, 2.0], 0.0, 400.0, |_| true);
    points.push([5.0, 5.0]);
    let all = outline(&points, &OutlineOptions::new(0.1));
    assert_eq!(all.parts.len(), 2);
    let options = OutlineOptions { min_part: 2, ..OutlineOptions::new(0.1) };
    let large = outline(&points, &options);
    assert_eq!(large.parts.len(), 1);
    assert_eq!(large.part_of.last(), Some(&NO_PART));
}

#[test]
fn the_order_of_points_does_not_matter() {
    let ragged = |[x, y]: [f64; 2]| (3.0 * x).sin() + 0.3 * (5.0 * y).cos() > 0.1;
    let points = rectangle([6.0, 3.0], 15.0, 300.0, ragged);
    let forth = outline(&points, &OutlineOptions::new(0.09));
    let back: Vec<_> = points.iter().rev().copied().collect();
    let mut back = outline(&back, &OutlineOptions::new(0.09));
    back.part_of.reverse();
    assert!(forth.parts.len() > 1);
    assert_valid(&forth);
    assert_eq!(forth, back);
}

#[test]
fn sparse_and_ragged_supports_stay_valid() {
    for density in [2.0, 10.0, 40.0] {
        for degrees in [0.0, 27.0] {
            let comb = |[x, y]: [f64; 2]| (9.0 * x + 2.0 * y).sin() > 0.3 || y < -2.0;
            let points = rectangle([12.0, 9.0], degrees, density, comb);
            for close in [false, true] {
                for min_hole in [1, 4] {
                    let options = OutlineOptions { close, min_hole, ..OutlineOptions::new(0.25) };
                    let outline = outline(&points, &options);
                    assert!(!outline.parts.is_empty());
                    assert_valid(&outline);
                }
            }
        }
    }
}

#[test]
fn strange_points_and_cells_are_answered() {
    assert_eq!(outline(&[], &OutlineOptions::new(1.0)), Outline::default());
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let none = outline(&[[0.0, 0.0]], &OutlineOptions::new(cell));
        assert_eq!((none.parts.len(), none.part_of), (0, vec![NO_PART]));
    }
    let points = [[f64::NAN, 0.0], [1.0, f64::INFINITY], [2.0, 3.0]];
    let one = outline(&points, &OutlineOptions::new(0.5));
    assert_eq!(one.part_of, [NO_PART, NO_PART, 0]);
    assert_valid(&one);
    let far = [[-1e100, 0.0], [1e100, 1e-300], [f64::MAX, f64::MIN]];
    let far = outline(&far, &OutlineOptions::new(1e-3));
    assert_eq!(far.part_of, [0, 1, NO_PART]);
    assert!(far.parts.iter().all(|p| p.exterior.iter().flatten().all(|x| x.is_finite())));
}

#[test]
fn polygons_lie_on_the_plane() {
    let frame = PlaneFrame::new([0.3, -0.4, 0.86], [500_000.0, 4_600_000.0, 300.0]);
    let points = rectangle([6.0, 3.0], 10.0, 100.0, |_| true);
    let outline = outline(&points, &OutlineOptions::new(0.25));
    assert_eq!(outline.parts.len(), 1);
    let polygon = outline.parts[0].polygon(&frame, false);
    assert_eq!(polygon.exterior.len(), outline.parts[0].exterior.len());
    for p in &polygon.exterior {
        let distance: f64 = (0..3).map(|k| frame.normal[k] * (p[k] - frame.origin[k])).sum();
        assert!(distance.abs() < 2e-9, "{distance}");
    }
}
