//! E57 files, written by the crate that others write them with.

use e57::{
    E57Writer, IndexBounds, Quaternion, RawValues, Record, RecordDataType, RecordName, RecordValue,
    Transform, Translation,
};
use std::io::Cursor;

/// A scan to be written.
#[derive(Clone)]
pub struct Scan {
    pub prototype: Vec<Record>,
    pub points: Vec<RawValues>,
    pub pose: Option<Transform>,
}

/// A turn about z by so many degrees, and a shift.
pub fn pose(degrees: f64, [x, y, z]: [f64; 3]) -> Option<Transform> {
    let half = degrees.to_radians() / 2.0;
    let rotation = Quaternion { w: half.cos(), x: 0.0, y: 0.0, z: half.sin() };
    Some(Transform { rotation, translation: Translation { x, y, z } })
}

/// Coordinates as 64-bit numbers.
pub fn doubles(points: &[[f64; 3]], pose: Option<Transform>) -> Scan {
    Scan {
        prototype: vec![Record::CARTESIAN_X_F64, Record::CARTESIAN_Y_F64, Record::CARTESIAN_Z_F64],
        points: points.iter().map(|p| p.map(RecordValue::Double).to_vec()).collect(),
        pose,
    }
}

/// So many points of all that a record may hold: whole steps, every seventh without coordinates and every fifth
/// without a colour.
pub fn rich(count: i64) -> Scan {
    let step =
        RecordDataType::ScaledInteger { min: -50_000, max: 1_000_000, scale: 0.001, offset: 7.0 };
    let flag = |name| Record { name, data_type: RecordDataType::Integer { min: 0, max: 2 } };
    let axis = |name| Record { name, data_type: step.clone() };
    let index = |name| Record { name, data_type: RecordDataType::Integer { min: 0, max: 99_999 } };
    let prototype = vec![
        axis(RecordName::CartesianX),
        axis(RecordName::CartesianY),
        axis(RecordName::CartesianZ),
        flag(RecordName::CartesianInvalidState),
        Record::INTENSITY_U16,
        Record::COLOR_RED_U8,
        Record::COLOR_GREEN_U8,
        Record::COLOR_BLUE_U8,
        Record {
            name: RecordName::IsColorInvalid,
            data_type: RecordDataType::Integer { min: 0, max: 1 },
        },
        index(RecordName::RowIndex),
        index(RecordName::ColumnIndex),
    ];
    let point = |i: i64| {
        let xyz = [i * 11 - 50_000, i % 1000, 1_000_000 - i].map(RecordValue::ScaledInteger);
        let invalid = if i % 7 == 3 { 2 } else { 0 };
        let rest = [
            invalid,
            i % 2048,
            i % 256,
            i / 3 % 256,
            255 - i % 256,
            i64::from(i % 5 == 1),
            i / 100,
            i % 100,
        ];
        xyz.into_iter().chain(rest.map(RecordValue::Integer)).collect()
    };
    Scan { prototype, points: (0..count).map(point).collect(), pose: None }
}

/// Range, azimuth and elevation as 64-bit numbers.
pub fn spherical(points: &[[f64; 3]], pose: Option<Transform>) -> Scan {
    let scan = doubles(points, pose);
    let prototype = vec![
        Record::SPHERICAL_RANGE_F64,
        Record::SPHERICAL_AZIMUTH_F64,
        Record::SPHERICAL_ELEVATION_F64,
    ];
    Scan { prototype, ..scan }
}

/// The file, with a coordinate system if there is one.
pub fn file(scans: &[Scan], system: Option<&str>) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = E57Writer::new(&mut bytes, "a file").unwrap();
    writer.set_coordinate_metadata(system.map(str::to_owned));
    for (k, scan) in scans.iter().enumerate() {
        let mut points =
            writer.add_pointcloud(&format!("scan {k}"), scan.prototype.clone()).unwrap();
        points.set_transform(scan.pose.clone());
        if scan.prototype.iter().any(|record| record.name == RecordName::RowIndex) {
            let [row_min, column_min] = [Some(0); 2];
            let [row_max, column_max] = [Some(199), Some(99)];
            points.set_index_bounds(Some(IndexBounds {
                row_min,
                row_max,
                column_min,
                column_max,
                return_min: None,
                return_max: None,
            }));
        }
        scan.points.iter().for_each(|point| points.add_point(point.clone()).unwrap());
        points.finalize().unwrap();
    }
    writer.finalize().unwrap();
    drop(writer);
    bytes.into_inner()
}

/// Makes the checksums of all pages right.
pub fn seal(bytes: &mut [u8]) {
    for page in bytes.as_chunks_mut::<1024>().0 {
        let sum = crc32c::crc32c(&page[..1020]);
        page[1020..].copy_from_slice(&sum.to_be_bytes());
    }
}
