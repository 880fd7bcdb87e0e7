//! Points from anywhere as records of LAS.

use super::super::Crs;
use super::super::driver::ending;
use super::super::write::WholePoint;
use super::front::{Front, VERSION, padded, record, unwritable, write_header};
use super::point_format::PointFormat;
use super::sink::Sink;
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use las::{Bounds, Transform, Vector, raw};
use laz::LazVlr;
use std::path::Path;

/// The mark of a coordinate system in well-known text.
const WELL_KNOWN_TEXT: u16 = 16;

/// Whether the name asks for compression.
pub(super) fn is_laz(path: &Path) -> bool {
    ending(path) == "laz"
}

/// How the files are that are written for one purpose.
pub(super) struct Style {
    /// Whether points have the formats that LAS 1.4 brought.
    is_extended: bool,
    system: &'static str,
    software: &'static str,
    /// What the records of extra bytes and of LAZ are called.
    records: [&'static str; 2],
}

/// A cloud that this program made.
pub(super) const MADE: Style = Style {
    is_extended: true,
    system: "planes",
    software: "planes",
    records: ["Extra Bytes", LazVlr::DESCRIPTION],
};

/// A cloud that came as another format and gets labels.
pub(super) const LABELLED: Style = Style {
    is_extended: false,
    system: "",
    software: concat!("planes ", env!("CARGO_PKG_VERSION")),
    records: ["", ""],
};

/// A file of which this is known when all points are written: their number and bounds.
pub(super) struct Encoder {
    header: raw::Header,
    transforms: Vector<Transform>,
    format: PointFormat,
    low: [i32; 3],
    high: [i32; 3],
    /// Points that were written.
    pub(super) written: u64,
}

impl Encoder {
    /// Starts a file of points with or without a colour, and with so many extra bytes, which `description` is of.
    pub(super) fn start(
        mut file: AtomicFile,
        style: &Style,
        transforms: Vector<Transform>,
        colour: bool,
        (description, extra): (&[u8], usize),
        crs: Option<&Crs>,
    ) -> Result<(Encoder, Sink<AtomicFile>)> {
        let path = file.path().to_path_buf();
        let format = PointFormat::to_write(colour, style.is_extended);
        let [x, y, z] = [transforms.x, transforms.y, transforms.z];
        // No date, so that the same points give the same bytes on every day.
        let mut header = raw::Header {
            version: VERSION,
            // The extended formats ask for well-known text, if for any coordinate system.
            global_encoding: if style.is_extended { WELL_KNOWN_TEXT } else { 0 },
            system_identifier: padded(style.system),
            generating_software: padded(style.software),
            x_scale_factor: x.scale,
            y_scale_factor: y.scale,
            z_scale_factor: z.scale,
            x_offset: x.offset,
            y_offset: y.offset,
            z_offset: z.offset,
            ..raw::Header::default()
        };
        let described = record("LASF_Spec", 4, style.records[0], description);
        // A text that ends in a zero; one that is too long for a record is left out.
        let text =
            crs.and_then(|crs| crs.wkt.as_ref()).map(|text| [text.as_bytes(), &[0]].concat());
        let system = text.and_then(|text| record("LASF_Projection", 2112, "", &text));
        if system.is_some() {
            header.global_encoding |= WELL_KNOWN_TEXT;
        }
        let records = described.filter(|_| extra > 0).into_iter().chain(system).collect();
        let mut front = Front { header, records, padding: Vec::new() };
        let laszip = front.complete(format, extra, is_laz(&path), style.records[1]);
        let laszip = laszip.map_err(|message| Error::format(&path, "header", message))?;
        front.write(&mut file)?;
        let sink = Sink::new(file, laszip).map_err(Error::io(&path))?;
        let (low, high) = ([i32::MAX; 3], [i32::MIN; 3]);
        Ok((Encoder { header: front.header, transforms, format, low, high, written: 0 }, sink))
    }

    /// The steps from the origin to a point, if the format can hold them.
    pub(super) fn steps(&self, point: [f64; 3]) -> Option<[i32; 3]> {
        let mut steps = [0; 3];
        for ((step, value), axis) in steps.iter_mut().zip(point).zip(self.axes()) {
            let exact = ((value - axis.offset) / axis.scale).round();
            // The conversion takes the nearest end, and the middle for NaN.
            *step = exact as i32;
            if f64::from(*step) != exact {
                return None;
            }
        }
        Some(steps)
    }

    /// Where a point lies when it is read again.
    pub(super) fn at(&self, steps: [i32; 3]) -> [f64; 3] {
        let axes = self.axes();
        std::array::from_fn(|axis| axes[axis].direct(steps[axis]))
    }

    fn axes(&self) -> [Transform; 3] {
        [self.transforms.x, self.transforms.y, self.transforms.z]
    }

    /// Appends the record of a point but for its extra bytes.
    pub(super) fn append(&mut self, row: &WholePoint, steps: [i32; 3], out: &mut Vec<u8>) {
        self.written += 1;
        for (axis, steps) in steps.into_iter().enumerate() {
            out.extend(steps.to_le_bytes());
            self.low[axis] = self.low[axis].min(steps);
            self.high[axis] = self.high[axis].max(steps);
        }
        out.extend(row.intensity.to_le_bytes());
        out.extend(self.format.blank());
        if self.format.colour().is_some() {
            for channel in row.colour {
                // 255 times 257 is the brightest of 16 bits.
                out.extend((u16::from(channel) * 257).to_le_bytes());
            }
        }
    }

    /// Completes the file.
    pub(super) fn finish(mut self, mut file: AtomicFile) -> Result<()> {
        let bounds = self.bounds().map_err(|error| unwritable(file.path(), error))?;
        let header = &mut self.header;
        [header.min_x, header.min_y, header.min_z] = [bounds.min.x, bounds.min.y, bounds.min.z];
        [header.max_x, header.max_y, header.max_z] = [bounds.max.x, bounds.max.y, bounds.max.z];
        // The old count is 0 where it is too small.
        header.number_of_point_records = u32::try_from(self.written).unwrap_or(0);
        header.number_of_points_by_return[0] = header.number_of_point_records;
        let mut large =
            raw::header::LargeFile { number_of_point_records: self.written, ..Default::default() };
        large.number_of_points_by_return[0] = self.written;
        header.large_file = Some(large);
        write_header(header, &mut file)?;
        file.commit()
    }

    /// The bounds as the header has them.
    fn bounds(&self) -> las::Result<Bounds> {
        let vector = |[x, y, z]: [f64; 3]| Vector { x, y, z };
        let corners = |low, high| Bounds { min: vector(self.at(low)), max: vector(self.at(high)) };
        match (self.format.is_extended(), self.written) {
            (true, 0) => Ok(Bounds::default()),
            (false, 0) => Ok(corners([0; 3], [0; 3])),
            // Rounded outwards by the `las` crate: a step farther out where a product of a step is not exact.
            (true, _) => corners(self.low, self.high).adapt(&self.transforms),
            (false, _) => Ok(corners(self.low, self.high)),
        }
    }
}
