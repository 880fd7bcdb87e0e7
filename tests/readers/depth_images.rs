//! Depth images, which a camera turns into clouds.

use super::common::all;
use super::*;
use image::{ImageBuffer, ImageFormat, Luma, Rgb};
use planes::cloud::ReadOptions;
use planes::input::Input;
use std::io::Cursor;

const CAMERA: &str = "500,400,1.5,1,1000";

/// A width of 4 and a height of 3; the first pixel shows nothing.
fn value(k: u32) -> u16 {
    [0, 256, 999, 65533][k as usize % 4] * u16::from(k != 4) + (k as u16) / 4
}

fn picture() -> ImageBuffer<Luma<u16>, Vec<u16>> {
    ImageBuffer::from_fn(4, 3, |x, y| Luma([value(4 * y + x)]))
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// With a largest value that is not that of 16 bits, which must not stretch the others.
fn pgm(largest: u16) -> Vec<u8> {
    let mut bytes = format!("P5\n# made by hand\n4 3\n{largest}\n").into_bytes();
    (0..12).for_each(|k| bytes.extend(value(k).to_be_bytes()));
    bytes
}

fn options() -> ReadOptions {
    ReadOptions { camera: Some(CAMERA.parse().unwrap()), ..ReadOptions::default() }
}

fn opened(bytes: Vec<u8>) -> planes::Result<Source> {
    Source::from_bytes_with(bytes, &options())
}

#[test]
fn pixels_become_points_of_the_camera() {
    for bytes in [encoded(ImageFormat::Png), encoded(ImageFormat::Tiff), pgm(65535), pgm(40000)] {
        let source = opened(bytes).unwrap();
        assert_eq!(source.format(), Format::DEPTH);
        assert_eq!(source.info().description, "depth image, 4 x 3 pixels");
        assert_eq!(source.info().scanner, Some([0.0; 3]));
        let chunk = all(&source, Fields::ALL);
        assert_eq!(chunk.len(), 12);
        for k in 0..12_u32 {
            let i = k as usize;
            let z = f64::from(value(k)) / 1000.0;
            let want =
                [(f64::from(k % 4) - 1.5) * z / 500.0, (f64::from(k / 4) - 1.0) * z / 400.0, z];
            let got = [chunk.x[i], chunk.y[i], chunk.z[i]];
            assert!(
                got == want || (matches!(value(k), 0 | 65535) && got.iter().all(|v| v.is_nan())),
                "{k}: {got:?}"
            );
        }
        for limit in [1, 5, 11] {
            let parts = points(&source, Fields::NONE, limit).unwrap();
            assert_eq!(format!("{:?}", parts.x), format!("{:?}", chunk.x));
        }
    }
}

#[test]
fn other_images_stay_images_and_clouds_clouds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let open = |bytes: &[u8], options: &ReadOptions| {
        std::fs::write(&path, bytes).unwrap();
        Input::open_with(&path, options).unwrap()
    };
    let deep = encoded(ImageFormat::Png);
    assert!(matches!(open(&deep, &ReadOptions::default()), Input::Image(_)));
    assert!(matches!(open(&deep, &options()), Input::Cloud(_)));
    let mut colour = Cursor::new(Vec::new());
    let picture = ImageBuffer::from_pixel(4, 3, Rgb([1_u16, 2, 3]));
    picture.write_to(&mut colour, ImageFormat::Png).unwrap();
    assert!(matches!(open(colour.get_ref(), &options()), Input::Image(_)));
    assert!(matches!(open(b"P5 2 1 255 ab", &options()), Input::Image(_)));
    assert!(matches!(open(b"1 2 3\n4 5 6\n", &options()), Input::Cloud(_)));
}

#[test]
fn damaged_images_are_refused() {
    for (bytes, message) in [
        (pgm(65535)[..40].to_vec(), "image: it is cut off: 6 pixels of 12 are there"),
        (b"P5 99999999999 3 65535 ".to_vec(), "image: 99999999999 × 3 pixels; at most 32768"),
        (b"P5 0 3 65535 ".to_vec(), "image: 0 × 3 pixels"),
    ] {
        let error = opened(bytes).unwrap_err().to_string();
        assert!(error.starts_with(&format!("<memory>: {message}")), "{error}");
    }
    let whole = encoded(ImageFormat::Png);
    // Behind the pixels stand a checksum and an end that may be missing.
    for length in 30..whole.len() - 24 {
        let read = opened(whole[..length].to_vec());
        let message = read.map(|_| ()).unwrap_err().to_string();
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
