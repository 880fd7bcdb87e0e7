//! Whether the steps of a LAS file are so coarse that points of a cloud fall together.

use std::fmt;

/// Coordinates that are kept of each axis, at most twice as many.
const SAMPLE: usize = 4096;
/// The middle half of a cloud must be so many steps wide.
const STEPS: f64 = 1000.0;

/// Coordinates that were rounded to steps too coarse for them.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounded {
    /// The step, in the cloud's unit.
    pub step: f64,
    /// Index of the point that lies so far from the others that no finer step was possible, from 0 on.
    pub farthest: u64,
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "point {}, counted from 0, is so far from the others that the labelled LAS rounds coordinates to \
             multiples of {}; write the labels as .ply, or leave that point out with --bbox",
            self.farthest, self.step
        )
    }
}

/// What is learned of the coordinates of one axis while they are written.
#[derive(Debug, Default)]
struct Axis {
    /// One coordinate in so many, in their order.
    sample: Vec<f64>,
    /// The smallest and the largest, and their points.
    ends: Option<[(f64, u64); 2]>,
    /// Largest difference between what was given and what was written.
    error: f64,
}

/// What is learned of a cloud while it is written.
#[derive(Debug)]
pub(super) struct Watch {
    axes: [Axis; 3],
    /// One point in so many is in the sample.
    every: u64,
}

impl Watch {
    pub(super) fn new() -> Watch {
        Watch { axes: Default::default(), every: 1 }
    }

    /// Takes note of the point `index`, which is written as `written`.
    pub(super) fn see(&mut self, index: u64, given: [f64; 3], written: [f64; 3]) {
        for (axis, (given, written)) in self.axes.iter_mut().zip(given.into_iter().zip(written)) {
            axis.error = axis.error.max((given - written).abs());
            let [low, high] = axis.ends.get_or_insert([(given, index); 2]);
            if given < low.0 {
                *low = (given, index);
            }
            if given > high.0 {
                *high = (given, index);
            }
            if index.is_multiple_of(self.every) {
                axis.sample.push(given);
            }
        }
        if self.axes[0].sample.len() >= 2 * SAMPLE {
            self.every *= 2;
            for axis in &mut self.axes {
                let mut k = 0;
                axis.sample.retain(|_| {
                    k += 1;
                    k % 2 == 1
                });
            }
        }
    }

    /// Whether steps of this size were too coarse.
    pub(super) fn rounded(mut self, steps: [f64; 3]) -> Option<Rounded> {
        let quarters = |axis: &mut Axis| {
            axis.sample.sort_by(f64::total_cmp);
            let last = axis.sample.len().checked_sub(1)?;
            Some([last / 4, last - last / 4].map(|k| axis.sample[k]))
        };
        let quarters = self.axes.each_mut().map(quarters);
        let middle = quarters.iter().flatten().map(|[a, b]| b - a).fold(0.0, f64::max);
        let worst = (0..3).filter(|&a| self.axes[a].error > 1e-6 * steps[a]);
        let worst = worst.max_by(|&a, &b| steps[a].total_cmp(&steps[b]))?;
        let is_coarse = middle > 0.0 && steps[worst] * STEPS > middle;
        let ([low, high], [below, above]) = (self.axes[worst].ends?, quarters[worst]?);
        let farthest = if below - low.0 > high.0 - above { low.1 } else { high.1 };
        is_coarse.then_some(Rounded { step: steps[worst], farthest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(points: &[[f64; 3]], step: f64) -> Option<Rounded> {
        let mut watch = Watch::new();
        for (index, &p) in (0..).zip(points) {
            watch.see(index, p, p.map(|v| (v / step).round() * step));
        }
        watch.rounded([step; 3])
    }

    #[test]
    fn steps_are_compared_with_the_middle_half() {
        let mut points: Vec<[f64; 3]> = (0..20_000)
            .map(|i| [0.37 * f64::from(i % 100), 0.29 * f64::from(i / 100), 0.0])
            .collect();
        assert_eq!(rounded(&points, 1e-3), None);
        points[7] = [0.0, -1e9, 0.0];
        assert_eq!(rounded(&points, 1.0), Some(Rounded { step: 1.0, farthest: 7 }));
        // Whole numbers lose nothing.
        assert_eq!(
            rounded(&points.iter().map(|p| p.map(f64::round)).collect::<Vec<_>>(), 1.0),
            None
        );
        assert_eq!(rounded(&[[0.5; 3]; 9], 1.0), None);
        assert_eq!(rounded(&[], 1.0), None);
    }
}
