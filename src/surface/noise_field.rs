//! The noise of a cloud from place to place.

use super::flat::Flatness;
use crate::shared::EXACT_BLOCK as EXACT;
use rayon::prelude::*;

/// The noise of a cloud from place to place.
pub struct NoiseField {
    /// The noise of each base cell as a multiple of the usual noise; `None` where it is the same everywhere.
    pub scale: Option<Vec<f32>>,
    /// A neighbourhood of a base cell that is thinner than this counts as this thick, in steps.
    pub floor: Option<Vec<f32>>,
    /// Whether a neighbourhood much thinner than that may be one step of the depths of a camera, and no surface. The steps of
    /// rounded coordinates are no wider than the floor.
    pub sliced: bool,
    /// Thicker neighbourhoods are those of a rougher kind of surface and tell nothing of the usual noise; in steps. Fields with a floor
    /// have one kind.
    pub rough: Option<f64>,
}

impl NoiseField {
    /// Noise that is the same everywhere.
    pub fn even() -> NoiseField {
        NoiseField { scale: None, floor: None, sliced: false, rough: None }
    }

    /// A field of arbitrary noise that differs between cells, to compare backends with.
    #[cfg(test)]
    pub fn strange(cells: usize, floor: f32) -> NoiseField {
        let of = |times: f32| (0..cells).map(|i| times * (1 + i * 7919 % 5) as f32).collect();
        let floor = (floor > 0.0).then(|| of(floor));
        NoiseField { scale: Some(of(0.5)), sliced: floor.is_some(), floor, rough: None }
    }

    /// The field of noise that is so many times as large; its scale, which is relative, stays.
    pub fn scaled(&self, by: f64) -> NoiseField {
        let floor =
            |floor: &Vec<f32>| floor.par_iter().map(|&v| (f64::from(v) * by) as f32).collect();
        NoiseField { scale: self.scale.clone(), floor: self.floor.as_ref().map(floor), ..*self }
    }

    /// The same field of so many base cells if neighbourhoods that are thinner than a floor, in steps, count as thick as that.
    pub fn with_floor(self, cells: usize, floor: f32) -> NoiseField {
        let higher = match self.floor {
            Some(before) => before.into_iter().map(|before| before.max(floor)).collect(),
            None => vec![floor; cells],
        };
        NoiseField { floor: Some(higher), ..self }
    }

    /// Whether the noise is the same everywhere and at every scale.
    pub fn is_even(&self) -> bool {
        self.scale.is_none() && self.floor.is_none()
    }

    /// Whether fine scales show steps or correlated noise.
    pub fn has_floor(&self) -> bool {
        self.floor.is_some()
    }

    /// The noise of a base cell as a multiple of the usual noise.
    pub fn scale(&self, cell: usize) -> f64 {
        self.scale.as_ref().map_or(1.0, |scale| f64::from(scale[cell]))
    }

    /// The smallest scale.
    pub fn least(&self) -> f64 {
        let scale =
            self.scale.as_ref().map(|scale| scale.iter().copied().fold(f32::INFINITY, f32::min));
        scale.map_or(1.0, f64::from)
    }

    /// Whether a neighbourhood of a base cell is so much thinner than the noise there that it shows one step
    /// of the depths, not a surface.
    pub fn is_slice(&self, cell: usize, thickness: f32) -> bool {
        self.sliced && self.floor.as_ref().is_some_and(|floor| EXACT * thickness < floor[cell])
    }

    /// A neighbourhood of a base cell, made at least as thick as the floor there.
    pub fn at_least(&self, cell: usize, flat: Flatness) -> Flatness {
        flat.at_least(self.floor.as_ref().map_or(0.0, |floor| floor[cell]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_noise_is_as_much_smaller_everywhere() {
        let field = NoiseField::strange(10, 8.0);
        let half = field.scaled(0.5);
        assert_eq!((&half.scale, half.sliced), (&field.scale, true));
        let floor = |field: &NoiseField| field.floor.clone().unwrap();
        assert_eq!(floor(&half), floor(&field).iter().map(|v| 0.5 * v).collect::<Vec<f32>>());
        assert!(NoiseField::even().scaled(0.5).is_even());
    }

    #[test]
    fn a_floor_raises_lower_values() {
        let floor = |field: NoiseField| field.with_floor(4, 9.0).floor.unwrap();
        assert_eq!(floor(NoiseField::even()), [9.0; 4]);
        let before = NoiseField { floor: Some(vec![3.0, 12.0, 9.0, 0.0]), ..NoiseField::even() };
        assert_eq!(floor(before), [9.0, 12.0, 9.0, 9.0]);
    }
}
