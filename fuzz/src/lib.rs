//! What every target does with the bytes it is given.

use planes::cloud::{Chunk, Fields, Source};
use planes::image::{EdgeMap, Image, Method};
use std::path::Path;

/// Most points that are read of one input: a few compressed bytes can stand for very many.
const MOST: usize = 20_000;

/// Promised points from which on most inputs are only opened, for the same reason.
const MANY: u64 = 3000;

/// Reads a cloud three times with odd limits.
///
/// # Panics
/// If passes differ, a chunk breaks its promises, or an error is not one line that names the file.
pub fn read(bytes: Vec<u8>) {
    let is_read_anyway = bytes.len() % 16 == 0;
    let source = match Source::from_bytes(bytes) {
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
    assert_eq!(whole.1, parts.1);
    let bare = pass(&source, Fields::NONE, &[4096]);
    if whole.1 && bare.1 {
        assert_eq!(bits(&whole.0), bits(&bare.0));
    }
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
        for length in [chunk.colour.len(), chunk.intensity.len(), chunk.label.len()] {
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
