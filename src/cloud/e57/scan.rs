//! A scan: the fields of its records, and how they become points.

use super::super::labels::LABEL;
use super::super::scale::{Scale, label};
use super::super::{Chunk, Fields};
use super::numbers::Packed;
use super::packets::Stream;
use super::pages::Pages;
use super::pose::Pose;
use crate::Result;
use e57::{PointCloud, RecordName};

/// The index of a field in a record.
type Slot = usize;

/// A scan of a file.
pub(super) struct Scan {
    /// Index of its first point in the file.
    pub(super) first: u64,
    pub(super) points: u64,
    /// The pose of its points, unless they are already in the file's frame.
    pub(super) pose: Option<Pose>,
    numbers: Vec<Packed>,
    pub(super) streams: Vec<Stream>,
    roles: Roles,
}

/// The fields that are read.
#[derive(Debug, Default)]
struct Roles {
    /// Coordinates, or range, azimuth and elevation.
    xyz: [Slot; 3],
    is_spherical: bool,
    /// Not 0 for an invalid point.
    invalid: Option<Slot>,
    colour: Option<[Slot; 3]>,
    invalid_colour: Option<Slot>,
    intensity: Option<Slot>,
    invalid_intensity: Option<Slot>,
    label: Option<Slot>,
}

/// The scales of a file's colours and intensities.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scales {
    pub(super) colour: Scale,
    pub(super) intensity: Scale,
}

/// The largest values in a sample, and whether the field may have fractions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Largest {
    colour: (f64, bool),
    intensity: (f64, bool),
}

impl Largest {
    pub(super) fn merge(self, other: Largest) -> Largest {
        let larger = |a: (f64, bool), b: (f64, bool)| (a.0.max(b.0), a.1 || b.1);
        Largest {
            colour: larger(self.colour, other.colour),
            intensity: larger(self.intensity, other.intensity),
        }
    }

    pub(super) fn scales(self) -> Scales {
        Scales {
            colour: Scale::of_colour(self.colour.0, self.colour.1),
            intensity: Scale::of_intensity(self.intensity.0, self.intensity.1),
        }
    }
}

impl Scan {
    /// The scan that a file describes. The error says in words what is wrong with it.
    pub(super) fn new(cloud: &PointCloud, first: u64) -> std::result::Result<Scan, &'static str> {
        // A packet counts its streams in 16 bits.
        if cloud.prototype.len() > usize::from(u16::MAX) {
            return Err("its records have more numbers than a packet can hold");
        }
        let roles = Roles::new(cloud).ok_or("its records have no coordinates")?;
        let pose = match cloud.transform.as_ref().map(Pose::new) {
            Some(None) => return Err("its pose is no rotation and translation"),
            pose => pose.flatten(),
        };
        let numbers: Vec<Packed> =
            cloud.prototype.iter().map(|record| Packed::new(&record.data_type)).collect();
        let is_finite = |number: &Packed| match number {
            Packed::Whole { scale, offset, .. } => scale.is_finite() && offset.is_finite(),
            Packed::Single | Packed::Double => true,
        };
        if !numbers.iter().all(is_finite) {
            return Err("a scale or an offset is not a finite number");
        }
        Ok(Scan { first, points: cloud.records, pose, numbers, streams: Vec::new(), roles })
    }

    /// The width of each field in bits.
    pub(super) fn bits(&self) -> Vec<u32> {
        self.numbers.iter().map(|number| number.bits()).collect()
    }

    /// The fields of the points besides coordinates.
    pub(super) fn fields(&self) -> Fields {
        Fields {
            colour: self.roles.colour.is_some(),
            intensity: self.roles.intensity.is_some(),
            label: self.roles.label.is_some(),
            class: false,
        }
    }

    /// Unpacks the field `slot` of the records `from..to`.
    fn column(&self, pages: &Pages, slot: Slot, (from, to): (u64, u64)) -> Result<Vec<f64>> {
        let number = self.numbers[slot];
        let bit = |record: u64| u128::from(record) * u128::from(number.bits());
        let start = bit(from) / 8;
        let mut bytes = Vec::new();
        let end = bit(to).div_ceil(8);
        self.streams[slot].append(pages, start as u64, end as u64, &mut bytes)?;
        let mut column = vec![0.0; (to - from) as usize];
        number.unpack(&mut bytes, (bit(from) % 8) as u32, &mut column);
        Ok(column)
    }

    /// The points `range` of the scan with all of `fields`; those that the scan lacks are blank.
    pub(super) fn read(
        &self,
        pages: &Pages,
        range: (u64, u64),
        fields: Fields,
        scales: Scales,
    ) -> Result<Chunk> {
        let column = |slot| self.column(pages, slot, range);
        let optional = |slot: Option<Slot>| slot.map(column).transpose();
        let [x, y, z] = self.roles.xyz.map(column);
        let mut chunk = Chunk { x: x?, y: y?, z: z?, ..Chunk::default() };
        self.place(&mut chunk, optional(self.roles.invalid)?.as_deref());
        let n = chunk.len();
        let is_there = |invalid: &Option<Vec<f64>>, k: usize| {
            invalid.as_ref().is_none_or(|invalid| invalid[k] == 0.0)
        };
        if fields.colour {
            chunk.colour = vec![[0; 3]; n];
            let invalid = optional(self.roles.invalid_colour)?;
            for (channel, &slot) in self.roles.colour.iter().flatten().enumerate() {
                for (k, value) in column(slot)?.into_iter().enumerate() {
                    let value = if is_there(&invalid, k) { value } else { 0.0 };
                    chunk.colour[k][channel] = scales.colour.colour(value);
                }
            }
        }
        if fields.intensity {
            let invalid = optional(self.roles.invalid_intensity)?;
            let values = optional(self.roles.intensity)?.unwrap_or_else(|| vec![0.0; n]);
            let values = values.into_iter().enumerate();
            let values = values.map(|(k, v)| if is_there(&invalid, k) { v } else { 0.0 });
            chunk.intensity = values.map(|v| scales.intensity.intensity(v)).collect();
        }
        if fields.label {
            let labels = optional(self.roles.label)?.unwrap_or_else(|| vec![-1.0; n]);
            chunk.label = labels.into_iter().map(label).collect();
        }
        Ok(chunk)
    }

    /// Brings coordinates into the frame of the file; those of invalid points become NaN.
    fn place(&self, chunk: &mut Chunk, invalid: Option<&[f64]>) {
        let Chunk { x, y, z, .. } = chunk;
        if self.roles.is_spherical {
            for ((x, y), z) in x.iter_mut().zip(&mut *y).zip(&mut *z) {
                let (range, (sin, cos), (up, level)) = (*x, y.sin_cos(), z.sin_cos());
                [*x, *y, *z] = [range * level * cos, range * level * sin, range * up];
            }
        }
        if let Some(pose) = self.pose.as_ref().filter(|pose| !pose.is_identity()) {
            pose.apply([x, y, z]);
        }
        for (k, _) in invalid.unwrap_or_default().iter().enumerate().filter(|(_, v)| **v != 0.0) {
            [x[k], y[k], z[k]] = [f64::NAN; 3];
        }
    }

    /// The largest colours and intensities of a sample.
    pub(super) fn largest(&self, pages: &Pages, fields: Fields) -> Result<Largest> {
        const RUNS: u64 = 8;
        const RUN: u64 = 512;
        let mut found = Largest::default();
        let run = RUN.min(self.points);
        let last = self.points - run;
        for k in 0..if last == 0 { 1 } else { RUNS } {
            let from = (u128::from(last) * u128::from(k) / u128::from(RUNS)) as u64;
            let of = |slots: &[Slot]| -> Result<(f64, bool)> {
                let mut largest = 0.0;
                for &slot in slots {
                    let column = self.column(pages, slot, (from, from + run))?;
                    largest = column.into_iter().fold(largest, f64::max);
                }
                Ok((largest, slots.iter().any(|&slot| self.numbers[slot].is_float())))
            };
            let colour = self.roles.colour.filter(|_| fields.colour);
            let intensity = self.roles.intensity.filter(|_| fields.intensity);
            found = found.merge(Largest {
                colour: of(colour.as_ref().map_or(&[], |slots| &slots[..]))?,
                intensity: of(intensity.as_slice())?,
            });
        }
        Ok(found)
    }
}

impl Roles {
    fn new(cloud: &PointCloud) -> Option<Roles> {
        use RecordName::{
            CartesianInvalidState, CartesianX, CartesianY, CartesianZ, ColorBlue, ColorGreen,
            ColorRed, Intensity, IsColorInvalid, IsIntensityInvalid, SphericalAzimuth,
            SphericalElevation, SphericalInvalidState, SphericalRange, Unknown,
        };
        let find = |name| cloud.prototype.iter().position(|record| record.name == name);
        let three = |[a, b, c]: [RecordName; 3]| Some([find(a)?, find(b)?, find(c)?]);
        let cartesian = three([CartesianX, CartesianY, CartesianZ]);
        let spherical = || three([SphericalRange, SphericalAzimuth, SphericalElevation]);
        let is_spherical = cartesian.is_none();
        let is_label = |name: &RecordName| matches!(name, Unknown { name, .. } if name == LABEL);
        Some(Roles {
            xyz: cartesian.or_else(spherical)?,
            is_spherical,
            invalid: find(if is_spherical { SphericalInvalidState } else { CartesianInvalidState }),
            colour: three([ColorRed, ColorGreen, ColorBlue]),
            invalid_colour: find(IsColorInvalid),
            intensity: find(Intensity),
            invalid_intensity: find(IsIntensityInvalid),
            label: cloud.prototype.iter().position(|record| is_label(&record.name)),
        })
    }

    /// All fields that are read.
    fn slots(&self) -> impl Iterator<Item = Slot> {
        let optional =
            [self.invalid, self.invalid_colour, self.intensity, self.invalid_intensity, self.label];
        self.xyz
            .into_iter()
            .chain(self.colour.into_iter().flatten())
            .chain(optional.into_iter().flatten())
    }
}

impl Scan {
    /// Whether the field `slot` is read.
    pub(super) fn reads(&self, slot: Slot) -> bool {
        self.roles.slots().any(|read| read == slot)
    }
}
