//! Scans of rectangles, the same in every run, for tests.

#[path = "../random/mod.rs"]
mod random;

use planes::{Detection, Detector, Device};
pub use random::Random;

/// x, y and z.
pub type Point = [f64; 3];

/// A rectangle: a corner and two edges.
pub struct Face(pub Point, pub Point, pub Point);

/// So many points on a rectangle, each with this noise along every axis.
pub fn scan(
    Face(corner, u, v): &Face,
    points: usize,
    noise: f64,
    random: &mut Random,
) -> Vec<Point> {
    let mut point = || {
        let [a, b] = [random.unit(), random.unit()];
        std::array::from_fn(|axis| {
            // Nearly normal, with a variance of 1.
            let chance: f64 = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            corner[axis] + a * u[axis] + b * v[axis] + noise * chance
        })
    };
    (0..points).map(|_| point()).collect()
}

/// The planes of a cloud, found on the CPU without parameters.
pub fn detect(points: &[Point]) -> Detection {
    Detector::new().device(Device::Cpu).detect(points).unwrap()
}
