//! COPC: LAZ whose chunks are the cells of an octree.

use crate::*;
use laz::laszip::ChunkTable;
use laz::{LasZipCompressor, LazVlrBuilder};
use planes::cloud::Choice;
use planes::{Detection, Detector, Device};
use std::io::Cursor;

/// Length of the header and of the head of a record.
const HEADER: usize = 375;
const RECORD: usize = 54;
/// Steps of the coordinates, and half the side of the octree.
const STEP: f64 = 0.01;
const HALF: f64 = 8.0;

fn put(bytes: &mut [u8], at: usize, what: &[u8]) {
    bytes[at..at + what.len()].copy_from_slice(what);
}

fn record(user: &str, id: u16, data: &[u8]) -> Vec<u8> {
    let mut record = vec![0; RECORD];
    put(&mut record, 2, user.as_bytes());
    put(&mut record, 18, &id.to_le_bytes());
    put(&mut record, 20, &(data.len() as u16).to_le_bytes());
    [record, data.to_vec()].concat()
}

/// A floor and a wall in a cube of 16 units, in steps: the middle ones of two sides.
fn points() -> Vec<[i32; 3]> {
    let side = |i: i32| [i % 160 * 10, i / 160 * 10];
    let floor = (0..25_600).map(|i| [side(i)[0], side(i)[1], 300 + i % 3]);
    let wall = (0..25_600).map(|i| [side(i)[0], 1200 + i % 3, side(i)[1]]);
    floor.chain(wall).collect()
}

/// The cells by level and place, with their points: every eighth in the root, the others in its octants.
fn cells() -> Vec<([i32; 4], Vec<[i32; 3]>)> {
    let mut cells = vec![([0; 4], Vec::new())];
    cells.extend((0..8).map(|k| ([1, k & 1, k >> 1 & 1, k >> 2], Vec::new())));
    for (i, point) in points().into_iter().enumerate() {
        let octant = (0..3).map(|axis| usize::from(point[axis] >= 800) << axis).sum::<usize>();
        cells[if i % 8 == 0 { 0 } else { 1 + octant }].1.push(point);
    }
    cells
}

/// The file, and where the chunk of each cell starts.
fn copc() -> (Vec<u8>, Vec<usize>) {
    let laszip = LazVlrBuilder::default().with_point_format(6, 0).unwrap();
    let laszip = laszip.with_variable_chunk_size().build();
    let mut described = Vec::new();
    laszip.write_to(&mut described).unwrap();
    let mut info = vec![0; 160];
    [HALF; 4].iter().enumerate().for_each(|(k, v)| put(&mut info, 8 * k, &v.to_le_bytes()));
    let records = [record("copc", 1, &info), record("laszip encoded", 22204, &described)].concat();
    let count = points().len();
    let mut file = vec![0; HEADER];
    put(&mut file, 0, b"LASF");
    put(&mut file, 24, &[1, 4]);
    put(&mut file, 94, &(HEADER as u16).to_le_bytes());
    put(&mut file, 96, &((HEADER + records.len()) as u32).to_le_bytes());
    put(&mut file, 100, &2u32.to_le_bytes());
    put(&mut file, 104, &[0x86, 30, 0]);
    (0..3).for_each(|axis| put(&mut file, 131 + 8 * axis, &STEP.to_le_bytes()));
    put(&mut file, 247, &(count as u64).to_le_bytes());
    file.extend(records);
    let start = file.len();
    let mut file = Cursor::new(file);
    file.set_position(start as u64);
    let mut compressor = LasZipCompressor::new(file, laszip).unwrap();
    let cells = cells();
    for (k, (_, points)) in cells.iter().enumerate() {
        if k > 0 {
            compressor.finish_current_chunk().unwrap();
        }
        for point in points {
            let mut bytes = vec![0; 30];
            (0..3).for_each(|axis| put(&mut bytes, 4 * axis, &point[axis].to_le_bytes()));
            bytes[14] = 0x11;
            compressor.compress_one(&bytes).unwrap();
        }
    }
    compressor.done().unwrap();
    let mut file = compressor.into_inner().into_inner();
    let table = u64::from_le_bytes(file[start..start + 8].try_into().unwrap());
    let table = ChunkTable::read(&mut Cursor::new(&file[table as usize..]), true).unwrap();
    let (mut at, mut starts, mut page) = (start + 8, Vec::new(), Vec::new());
    for ((cell, points), entry) in cells.iter().zip(&table) {
        cell.iter().for_each(|number| page.extend(number.to_le_bytes()));
        page.extend((at as u64).to_le_bytes());
        page.extend((entry.byte_count as i32).to_le_bytes());
        page.extend((points.len() as i32).to_le_bytes());
        starts.push(at);
        at += entry.byte_count as usize;
    }
    let late = file.len();
    let mut head = vec![0; 60];
    put(&mut head, 2, b"copc");
    put(&mut head, 18, &1000u16.to_le_bytes());
    put(&mut head, 20, &(page.len() as u64).to_le_bytes());
    put(&mut file, 235, &(late as u64).to_le_bytes());
    put(&mut file, 243, &1u32.to_le_bytes());
    put(&mut file, HEADER + RECORD + 40, &((late + 60) as u64).to_le_bytes());
    put(&mut file, HEADER + RECORD + 48, &(page.len() as u64).to_le_bytes());
    (file.into_iter().chain(head).chain(page).collect(), starts)
}

/// The same file without the mark of COPC.
fn plain() -> Vec<u8> {
    let (mut file, _) = copc();
    put(&mut file, HEADER + 2, b"none");
    file
}

fn detect(bytes: &[u8], bbox: &str) -> planes::Result<Detection> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.copc.laz");
    std::fs::write(&path, bytes).unwrap();
    let choice = Choice { bbox: Some(bbox.parse()?), ..Choice::default() };
    Detector::new().device(Device::Cpu).choice(choice).detect_file(&path)
}

#[test]
fn copc_is_laz_and_says_so() {
    let [copc, plain] = [copc().0, plain()].map(source);
    assert_eq!(copc.info().description, "COPC, LAZ 1.4, point format 6");
    assert_eq!(plain.info().description, "LAZ 1.4, point format 6");
    assert_eq!(copc.format(), Format::LAZ);
    assert_eq!(all(&copc, Fields::ALL), all(&plain, Fields::ALL));
}

#[test]
fn a_window_gives_the_planes_of_a_plain_file() {
    for bbox in ["0,0,5,5", "1,1,1,15,15,7", "9,9,2.5,16,16,16", "7.99,7.99,8,8", "0,0,16,16"] {
        let [of_copc, of_plain] = [copc().0, plain()].map(|file| detect(&file, bbox));
        match (of_copc, of_plain) {
            (Ok(of_copc), Ok(of_plain)) => {
                assert_eq!(of_copc.labels.len(), points().len());
                assert!(of_copc == of_plain, "{bbox}");
            }
            (of_copc, of_plain) => assert!(of_copc.is_err() && of_plain.is_err(), "{bbox}"),
        }
    }
    assert_eq!(detect(&copc().0, "0,0,5,5").unwrap().planes.len(), 1);
}

#[test]
fn chunks_outside_the_window_are_not_read() {
    let (mut file, starts) = copc();
    // The head of the chunk of the octant farthest from the origin: its layers become too long.
    file[starts[8] + 30 + 4..][..4].fill(0xff);
    assert!(detect(&file, "0,0,5,5").is_ok());
    assert!(detect(&file, "0,0,0,16,16,7").is_ok());
    assert!(detect(&file, "0,0,16,16").is_err());
}

#[test]
fn a_header_that_was_changed_since_wins_over_the_octree() {
    // Moved by 100 along x, with the bounds that follow.
    let moved = |mut file: Vec<u8>| {
        put(&mut file, 155, &100f64.to_le_bytes());
        put(&mut file, 179, &116f64.to_le_bytes());
        put(&mut file, 187, &100f64.to_le_bytes());
        file
    };
    let [of_copc, of_plain] =
        [copc().0, plain()].map(|file| detect(&moved(file), "100,0,105,5").unwrap());
    assert!(of_copc == of_plain && !of_copc.planes.is_empty());
}

#[test]
fn a_damaged_hierarchy_is_an_error_in_one_line() {
    let info = HEADER + RECORD;
    for (at, value) in [(40, u64::MAX), (40, 1 << 40), (48, 1 << 40), (48, 33)] {
        let (mut file, _) = copc();
        put(&mut file, info + at, &value.to_le_bytes());
        let error = detect(&file, "0,0,5,5").unwrap_err().to_string();
        assert!(error.contains("COPC hierarchy") && error.lines().count() == 1, "{error}");
        // The points can be read without it.
        assert_eq!(all(&source(file), Fields::NONE).len(), points().len());
    }
}
