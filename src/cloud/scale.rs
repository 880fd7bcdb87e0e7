//! From the many ways colour and intensity are stored to the one in which they are given.

use super::{Chunk, Fields, UNKNOWN};

/// How stored values become 8 or 16 bits; told by the largest value of a sample.
///
/// LAS says that colours fill 16 bits, yet many writers leave 8-bit values in the 16-bit field; other
/// formats hold floats between 0 and 1 or between 0 and 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Scale {
    /// Values are taken as they are.
    #[default]
    Plain,
    /// Values lie between 0 and 1 and are stretched over all bits.
    Unit,
    /// Values fill 16 bits.
    Wide,
}

impl Scale {
    /// The scale of colours whose sample reaches up to `largest`.
    pub(super) fn of_colour(largest: f64, float: bool) -> Scale {
        if float && largest > 0.0 && largest <= 1.0 {
            Scale::Unit
        } else if largest > 255.0 {
            Scale::Wide
        } else {
            Scale::Plain
        }
    }

    /// The scale of intensities whose sample reaches up to `largest`.
    pub(super) fn of_intensity(largest: f64, float: bool) -> Scale {
        if float && largest > 0.0 && largest <= 1.0 { Scale::Unit } else { Scale::Plain }
    }

    /// A colour in 8 bits; what is out of range or not a number is clamped.
    #[inline]
    pub(super) fn colour(self, value: f64) -> u8 {
        // `as` saturates, and takes NaN to 0.
        match self {
            Scale::Plain => value as u8,
            Scale::Unit => (value * 255.0 + 0.5) as u8,
            Scale::Wide => (value / 256.0) as u8,
        }
    }

    /// An intensity in 16 bits, clamped likewise.
    #[inline]
    pub(super) fn intensity(self, value: f64) -> u16 {
        match self {
            Scale::Unit => (value * 65535.0 + 0.5) as u16,
            Scale::Plain | Scale::Wide => value as u16,
        }
    }
}

/// The label for a stored value: `-1` for what is negative or no number, but [`UNKNOWN`].
#[inline]
pub(super) fn label(value: f64) -> i32 {
    if value >= 0.0 || value == f64::from(UNKNOWN) { value as i32 } else { -1 }
}

/// What a number of a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Coordinate 0, 1 or 2.
    Axis(usize),
    /// Red, green or blue.
    Colour(usize),
    /// Intensity.
    Intensity,
    /// Label.
    Label,
    /// Class.
    Class,
}

impl Role {
    /// Its place in a [`PointNumbers`].
    pub(super) fn slot(self) -> usize {
        match self {
            Role::Axis(axis) => axis,
            Role::Colour(channel) => 3 + channel,
            Role::Intensity => 6,
            Role::Label => 7,
            Role::Class => 8,
        }
    }

    /// Whether it is to be read where `fields` are asked for.
    pub(super) fn is_wanted(self, fields: Fields) -> bool {
        match self {
            Role::Axis(_) => true,
            Role::Colour(_) => fields.colour,
            Role::Intensity => fields.intensity,
            Role::Label => fields.label,
            Role::Class => fields.class,
        }
    }
}

/// The numbers of one point: coordinates, colour, intensity, label, class.
pub(super) type PointNumbers = [f64; 9];

/// How rows become points.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape {
    /// What the rows hold beside coordinates.
    pub(super) fields: Fields,
    colour: Scale,
    intensity: Scale,
}

impl Shape {
    /// The shape of rows filled by `roles`.
    pub(super) fn of(roles: impl Iterator<Item = Role>) -> Shape {
        let mut fields = Fields::NONE;
        for role in roles {
            match role {
                Role::Axis(_) => {}
                Role::Colour(_) => fields.colour = true,
                Role::Intensity => fields.intensity = true,
                Role::Label => fields.label = true,
                Role::Class => fields.class = true,
            }
        }
        Shape { fields, ..Default::default() }
    }

    /// Decides the scales by a sample of rows; `floats` says whether colours and whether
    /// intensities are of a floating-point type, `None` that this is told by the values.
    pub(super) fn fit(&mut self, sample: &[PointNumbers], floats: Option<[bool; 2]>) {
        let largest = |slots: &[usize]| {
            let values = sample.iter().flat_map(|row| slots.iter().map(|&slot| row[slot]));
            let fraction = values.clone().any(|value| value.fract() != 0.0);
            (values.fold(0.0, f64::max), fraction)
        };
        let (colour, colour_fraction) = largest(&[3, 4, 5]);
        let (intensity, intensity_fraction) = largest(&[6]);
        let [colour_float, intensity_float] =
            floats.unwrap_or([colour_fraction, intensity_fraction]);
        self.colour = Scale::of_colour(colour, colour_float);
        self.intensity = Scale::of_intensity(intensity, intensity_float);
    }

    /// Appends a row to a chunk.
    #[inline]
    pub(super) fn push(&self, row: &PointNumbers, chunk: &mut Chunk) {
        chunk.x.push(row[0]);
        chunk.y.push(row[1]);
        chunk.z.push(row[2]);
        if self.fields.colour {
            let colour = [row[3], row[4], row[5]].map(|value| self.colour.colour(value));
            chunk.colour.push(colour);
        }
        if self.fields.intensity {
            chunk.intensity.push(self.intensity.intensity(row[6]));
        }
        if self.fields.label {
            chunk.label.push(label(row[7]));
        }
        if self.fields.class {
            // What is out of range or not a number is clamped.
            chunk.class.push(row[8] as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_told_by_the_largest_value() {
        assert_eq!(Scale::of_colour(255.0, false), Scale::Plain);
        assert_eq!(Scale::of_colour(256.0, false), Scale::Wide);
        assert_eq!(Scale::of_colour(1.0, true), Scale::Unit);
        assert_eq!(Scale::of_colour(1.0, false), Scale::Plain);
        assert_eq!(Scale::of_intensity(70000.0, true), Scale::Plain);
        assert_eq!(Scale::of_intensity(0.5, true), Scale::Unit);
    }

    #[test]
    fn values_are_clamped() {
        assert_eq!(Scale::Wide.colour(65535.0), 255);
        assert_eq!(Scale::Unit.colour(1.0), 255);
        assert_eq!(Scale::Plain.colour(-3.0), 0);
        assert_eq!(Scale::Plain.intensity(1e9), 65535);
        assert_eq!(Scale::Plain.intensity(f64::NAN), 0);
        assert_eq!(label(-7.0), -1);
        assert_eq!(label(-2.0), UNKNOWN);
        assert_eq!(label(f64::NAN), -1);
        assert_eq!(label(12.0), 12);
    }
}
