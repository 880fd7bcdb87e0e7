//! E57: terrestrial laser scans, brought into one coordinate frame.

mod copy;
mod description;
mod document;
mod label;
mod numbers;
mod packets;
mod pages;
mod pose;
mod scan;
mod write;

use super::{
    Chunk, Crs, Fields, Format, HeaderInfo, Note, PointReader,
    blocks::{BlockReader, BlockSource},
    bytes::Bytes,
    driver::{Cloud, Driver},
    labels::Labels,
};
use crate::{Error, Result};
use description::{Description, fault};
use e57::{PointCloud, RecordName};
use pages::Pages;
use rayon::prelude::*;
use scan::{Largest, Scales, Scan};
use std::{
    collections::{HashSet, VecDeque},
    path::Path,
    sync::{Arc, atomic::AtomicU64},
};

pub(super) const DRIVER: Driver = Driver {
    told: |head| head.starts_with(b"ASTM-E57").then_some(Format::E57),
    check_stream: Driver::any_stream,
    open: |bytes, _| Ok(Box::new(E57::open(bytes)?)),
    endings: &["e57"],
    create: None,
    save_labelled: None,
};

impl Format {
    /// E57.
    pub const E57: Format = Format("E57");
}

/// Points that a thread unpacks at a time.
const PIECE: u64 = 1 << 16;

/// An E57 file whose description has been read.
struct E57 {
    file: Arc<File>,
    info: HeaderInfo,
    notes: Vec<Note>,
    /// Number of places from which the scans were taken.
    stations: usize,
}

/// The data that passes and copies share.
struct File {
    pages: Pages,
    scans: Vec<Scan>,
    fields: Fields,
}

impl E57 {
    /// Reads the description, finds the packets, and checks that the file has room for all promised points.
    fn open(bytes: &Arc<Bytes>) -> Result<E57> {
        let description = Description::read(bytes)?;
        let pages = Pages::new(bytes);
        let scans = scans(bytes, &pages, &description.clouds)?;
        let mut fields = Fields::NONE;
        for has in scans.iter().map(Scan::fields) {
            fields.colour |= has.colour;
            fields.intensity |= has.intensity;
            fields.label |= has.label;
        }
        let occupied = || scans.iter().filter(|scan| scan.points > 0);
        let is_posed = occupied().any(|scan| scan.pose.is_some());
        let station = |scan: &Scan| scan.pose.as_ref().map_or([0.0; 3], |pose| pose.translation);
        let mut stations: Vec<[f64; 3]> = occupied().map(station).collect();
        stations.sort_unstable_by_key(|station| station.map(f64::to_bits));
        stations.dedup();
        let crs = description.system.as_deref().and_then(|text| Crs::of_wkt(text.as_bytes()));
        let more = description.more;
        let more = (more > 0).then_some(Note::MoreBytes { bytes: more });
        let notes = Note::of_units(crs.as_ref()).into_iter().chain(more).collect();
        let info = HeaderInfo {
            description: in_words(&description.clouds),
            points: Some(scans.last().map_or(0, |scan| scan.first + scan.points)),
            in_floats: false,
            fields,
            others: others(&description.clouds, &scans),
            bounds: None,
            crs,
            row_length: None,
            scanner: match stations[..] {
                [station] if is_posed => Some(station),
                _ => None,
            },
        };
        Ok(E57 {
            file: Arc::new(File { pages, scans, fields }),
            info,
            notes,
            stations: stations.len(),
        })
    }
}

/// The scans, each with the places of its numbers in the file.
fn scans(bytes: &Bytes, pages: &Pages, clouds: &[PointCloud]) -> Result<Vec<Scan>> {
    let mut scans = Vec::new();
    let (mut first, mut left) = (0, u128::from(bytes.len()) * 8);
    for (k, cloud) in clouds.iter().enumerate() {
        let fault = |what: &str| fault(bytes, &format!("scan {k}: {what}"));
        let scan = Scan::new(cloud, first).map_err(fault)?;
        let bits: u128 = scan.bits().into_iter().map(u128::from).sum();
        if bits == 0 && scan.points > 0 {
            return Err(fault("its records take no room, so that there may be any number of them"));
        }
        // Scans do not share bytes, so together they are no longer than the file.
        let taken = bits * u128::from(scan.points);
        left = left.checked_sub(taken).ok_or_else(|| {
            fault(&format!("{} points are more than the file has room for", scan.points))
        })?;
        first += scan.points;
        scans.push(scan);
    }
    let left = AtomicU64::new(bytes.len());
    scans.par_iter_mut().zip(clouds).try_for_each(|(scan, cloud)| {
        let bits = scan.bits();
        scan.streams = packets::streams(pages, cloud.file_offset, scan.points, &bits, &left)?;
        Ok::<_, Error>(())
    })?;
    Ok(scans)
}

/// The file in words. A single scan is described with its rows and columns, if it has them.
fn in_words(clouds: &[PointCloud]) -> String {
    let rows_and_columns = |cloud: &PointCloud| {
        let bounds = cloud.index_bounds.as_ref()?;
        let side = |min: Option<i64>, max: Option<i64>| max?.checked_sub(min?)?.checked_add(1);
        let rows = side(bounds.row_min, bounds.row_max)?;
        let columns = side(bounds.column_min, bounds.column_max)?;
        Some(format!(" of {rows} rows and {columns} columns"))
    };
    match clouds {
        [cloud] => {
            let name = cloud.name.as_deref().unwrap_or_default();
            let named = if name.is_empty() { String::new() } else { format!(", {name}") };
            format!("E57, 1 scan{}{named}", rows_and_columns(cloud).unwrap_or_default())
        }
        _ => {
            let grids = clouds.iter().filter(|cloud| cloud.has_row_column()).count();
            let grids = match grids {
                0 => String::new(),
                grids => format!(", {grids} with rows and columns"),
            };
            format!("E57, {} scans{grids}", clouds.len())
        }
    }
}

/// The names of the fields that are not read, each once.
fn others(clouds: &[PointCloud], scans: &[Scan]) -> Vec<String> {
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    for (cloud, scan) in clouds.iter().zip(scans) {
        for (slot, record) in cloud.prototype.iter().enumerate() {
            let name = name(&record.name);
            if !scan.reads(slot) && seen.insert(name.clone()) {
                names.push(name);
            }
        }
    }
    names
}

/// The name of a field in the file.
fn name(name: &RecordName) -> String {
    use RecordName as Name;
    let known = match name {
        Name::CartesianX => "cartesianX",
        Name::CartesianY => "cartesianY",
        Name::CartesianZ => "cartesianZ",
        Name::CartesianInvalidState => "cartesianInvalidState",
        Name::SphericalRange => "sphericalRange",
        Name::SphericalAzimuth => "sphericalAzimuth",
        Name::SphericalElevation => "sphericalElevation",
        Name::SphericalInvalidState => "sphericalInvalidState",
        Name::Intensity => "intensity",
        Name::IsIntensityInvalid => "isIntensityInvalid",
        Name::ColorRed => "colorRed",
        Name::ColorGreen => "colorGreen",
        Name::ColorBlue => "colorBlue",
        Name::IsColorInvalid => "isColorInvalid",
        Name::RowIndex => "rowIndex",
        Name::ColumnIndex => "columnIndex",
        Name::ReturnCount => "returnCount",
        Name::ReturnIndex => "returnIndex",
        Name::TimeStamp => "timeStamp",
        Name::IsTimeStampInvalid => "isTimeStampInvalid",
        Name::Unknown { name, .. } => name,
    };
    known.to_owned()
}

impl Cloud for E57 {
    fn format(&self) -> Format {
        Format::E57
    }

    fn info(&self) -> &HeaderInfo {
        &self.info
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn stations(&self) -> usize {
        self.stations
    }

    fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>> {
        let file = self.file.clone();
        let fields = Fields {
            colour: fields.colour && file.fields.colour,
            intensity: fields.intensity && file.fields.intensity,
            label: fields.label && file.fields.label,
            class: false,
        };
        let samples = file.scans.par_iter().map(|scan| scan.largest(&file.pages, fields));
        let samples: Vec<Largest> = samples.collect::<Result<_>>()?;
        let scales = samples.into_iter().fold(Largest::default(), Largest::merge).scales();
        Ok(Box::new(BlockReader::new(Pass { file, fields, scales, scan: 0, point: 0 })))
    }

    fn copy(&self, labels: Labels<'_>, path: &Path) -> Option<Result<()>> {
        Some(copy::copy(&self.file.pages, &self.file.scans, labels, path))
    }
}

/// A pass over the points, scan after scan, in pieces that are unpacked in parallel.
struct Pass {
    file: Arc<File>,
    fields: Fields,
    scales: Scales,
    /// The index of the current scan, and its next point.
    scan: usize,
    point: u64,
}

impl Pass {
    /// The next piece: the index of a scan and a range of its points.
    fn piece(&mut self) -> Option<(usize, (u64, u64))> {
        loop {
            let scan = self.file.scans.get(self.scan)?;
            let (from, to) = (self.point, scan.points.min(self.point + PIECE));
            if from < to {
                self.point = to;
                return Some((self.scan, (from, to)));
            }
            (self.scan, self.point) = (self.scan + 1, 0);
        }
    }
}

impl BlockSource for Pass {
    fn fill(&mut self, queue: &mut VecDeque<Chunk>) -> Result<()> {
        let before = (self.scan, self.point);
        let threads = rayon::current_num_threads();
        let pieces: Vec<_> = std::iter::from_fn(|| self.piece()).take(threads).collect();
        let Pass { file, fields, scales, .. } = self;
        let read = |(scan, range): (usize, (u64, u64))| {
            file.scans[scan].read(&file.pages, range, *fields, *scales)
        };
        let read: Vec<Result<Chunk>> = pieces.into_par_iter().map(read).collect();
        match read.into_iter().collect::<Result<Vec<Chunk>>>() {
            Ok(read) => queue.extend(read),
            Err(error) => {
                // The next call fails with the same error.
                (self.scan, self.point) = before;
                return Err(error);
            }
        }
        Ok(())
    }
}
