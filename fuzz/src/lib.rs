//! What every target does with the bytes it is given.

use planes::Detection;
use planes::cloud::{Chunk, Fields, Format, ReadOptions, Source};
use planes::export::labels::{self, LabelBy};
use planes::image::{EdgeMap, Image, Method};
use std::path::Path;

/// Most points that are read of one input: a few compressed bytes can stand for very many.
const MOST: usize = 20_000;

/// Promised points from which on most inputs are only opened, for the same reason.
const MANY: u64 = 3000;

/// Reads a text with columns that are told, and with columns that are given.
///
/// # Panics
/// As [`read`].
pub fn read_text(bytes: &[u8]) {
    read(bytes.to_vec());
    for columns in ["x,y,z", "-,z,y,x,intensity,class"] {
        let columns = columns.parse().ok();
        read_with(bytes.to_vec(), &ReadOptions { columns, ..ReadOptions::default() });
    }
}

/// Reads a NumPy array, or an archive of them where the first byte is odd.
///
/// # Panics
/// As [`read`].
pub fn read_npy(bytes: &[u8]) {
    match bytes.split_first() {
        Some((first, rest)) if first % 2 == 1 => read(rest.to_vec()),
        Some((_, rest)) => read([b"\x93NUMPY", rest].concat()),
        None => {}
    }
}

/// Reads what is inside gzip, or inside zstd where the first byte is odd.
///
/// # Panics
/// As [`read`].
pub fn read_packed(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let start = if first % 2 == 0 { &b"\x1f\x8b"[..] } else { b"\x28\xb5\x2f\xfd" };
    read([start, rest].concat());
}

/// Reads a depth image with a camera.
///
/// # Panics
/// As [`read`].
pub fn read_depth(bytes: &[u8]) {
    let camera = "525,500.5,319.5,-7,5000".parse().ok();
    read_with(bytes.to_vec(), &ReadOptions { camera, ..ReadOptions::default() });
}

/// Reads a cloud three times with odd limits.
///
/// # Panics
/// If passes differ, a chunk breaks its promises, or an error is not one line that names the file.
pub fn read(bytes: Vec<u8>) {
    read_with(bytes, &ReadOptions::default());
}

fn read_with(bytes: Vec<u8>, options: &ReadOptions) {
    let is_read_anyway = bytes.len() % 16 == 0;
    let source = match Source::from_bytes_with(bytes, options) {
        Ok(source) => source,
        Err(error) => return check(&error),
    };
    if source.info().points.is_some_and(|count| count > MANY) && !is_read_anyway {
        return;
    }
    let whole = pass(&source, Fields::ALL, &[MOST]);
    let parts = pass(&source, Fields::ALL, &[1, 7, 1000, 333]);
    assert_eq!(bits(&whole.0), bits(&parts.0));
    assert_eq!(whole.0.colour, parts.0.colour);
    assert_eq!(whole.0.intensity, parts.0.intensity);
    assert_eq!(whole.0.label, parts.0.label);
    assert_eq!(whole.0.class, parts.0.class);
    source.notes().iter().for_each(|note| assert_eq!(note.to_string().lines().count(), 1));
    assert_eq!(whole.1, parts.1);
    let bare = pass(&source, Fields::NONE, &[4096]);
    if whole.1 && bare.1 {
        assert_eq!(bits(&whole.0), bits(&bare.0));
        let ending = match source.format() {
            Format::PLY => "ply",
            Format::PCD => "pcd",
            Format::E57 => "e57",
            _ => return,
        };
        if whole.0.len() < MOST {
            copy(&source, &whole.0, ending);
        }
    }
}

/// Copies a file with labels, and reads the copy.
fn copy(source: &Source, whole: &Chunk, ending: &str) {
    let name = format!("planes-fuzz-{}.{ending}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let detection = Detection { labels: vec![-1; whole.len()], ..Detection::default() };
    if let Err(error) = labels::save(source, &detection, LabelBy::Plane, &path) {
        return check(&error);
    }
    let copy = Source::open(&path).expect("a copy can be read");
    let (read, is_whole) = pass(&copy, Fields { label: true, ..Fields::NONE }, &[MOST]);
    assert!(is_whole);
    assert_eq!(bits(&read), bits(whole));
    assert!(read.label.iter().all(|&label| label == -1));
}

/// Most pixels whose edges are looked for.
const MOST_PIXELS: u32 = 1 << 16;

/// Decodes an image, and finds its edges if it is not large.
///
/// # Panics
/// If the pixels are not those of the size, or an error is not one line that names the file.
pub fn read_image(bytes: &[u8]) {
    let image = match Image::from_bytes(Path::new("<memory>"), bytes) {
        Ok(image) => image,
        Err(error) => return check(&error),
    };
    let pixels = image.width() * image.height();
    assert_eq!([image.grey().len(), image.rgb().len()], [1, 3].map(|n| n * pixels as usize));
    if pixels <= MOST_PIXELS {
        for method in [Method::Auto, Method::Sobel { threshold: None }] {
            let edges = EdgeMap::find(&image, &method);
            assert!(edges.is_ok_and(|edges| edges.pixels.len() <= pixels as usize));
        }
    }
}

/// The points, and whether there was no error.
fn pass(source: &Source, fields: Fields, limits: &[usize]) -> (Chunk, bool) {
    let (mut all, mut chunk) = (Chunk::default(), Chunk::default());
    let mut reader = match source.reader(fields) {
        Ok(reader) => reader,
        Err(error) => {
            check(&error);
            return (all, false);
        }
    };
    for &limit in limits.iter().cycle() {
        let limit = limit.min(MOST - all.len());
        if limit == 0 {
            return (all, true);
        }
        if let Err(error) = reader.read(&mut chunk, limit) {
            check(&error);
            assert!(chunk.is_empty());
            return (Chunk::default(), false);
        }
        assert!(chunk.len() <= limit);
        let Chunk { colour, intensity, label, class, .. } = &chunk;
        for length in [colour.len(), intensity.len(), label.len(), class.len()] {
            assert!(length == 0 || length == chunk.len());
        }
        assert_eq!([chunk.y.len(), chunk.z.len()], [chunk.len(); 2]);
        if chunk.is_empty() {
            return (all, true);
        }
        all.x.extend(&chunk.x);
        all.y.extend(&chunk.y);
        all.z.extend(&chunk.z);
        all.colour.extend(&chunk.colour);
        all.intensity.extend(&chunk.intensity);
        all.label.extend(&chunk.label);
        all.class.extend(&chunk.class);
    }
    unreachable!("the limits never end")
}

fn bits(chunk: &Chunk) -> Vec<[u64; 3]> {
    let points = chunk.x.iter().zip(&chunk.y).zip(&chunk.z);
    points.map(|((x, y), z)| [x.to_bits(), y.to_bits(), z.to_bits()]).collect()
}

fn check(error: &planes::Error) {
    let text = error.to_string();
    assert!(text.starts_with("<memory>: "), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}
