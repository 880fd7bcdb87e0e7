//! Images in: every format, depth, orientation and transparency gives the pixels that were meant.

use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};
use planes::Error;
use planes::image::Image;
use std::io::Cursor;
use std::path::Path;

const SIZE: [u32; 2] = [37, 23];

/// A picture without symmetry.
fn picture() -> RgbImage {
    let [width, height] = SIZE;
    RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([(x * 6) as u8, (y * 11) as u8, (x * y % 256) as u8])
    })
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    if format == ImageFormat::Pnm {
        let head = format!("P6\n{} {}\n255\n", picture.width(), picture.height());
        return [head.as_bytes(), picture.as_bytes()].concat();
    }
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn open(bytes: &[u8]) -> planes::Result<Image> {
    Image::from_bytes(Path::new("picture"), bytes)
}

/// The bytes of a JPEG with a note of the camera's orientation.
fn with_orientation(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut exif = b"\xff\xe1\x00\x22Exif\0\0II*\0\x08\0\0\0\x01\0".to_vec();
    // One entry: tag 0x0112, a short, once.
    exif.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(exif.len(), 0x22 + 2);
    [&jpeg[..2], &exif, &jpeg[2..]].concat()
}

#[test]
fn every_lossless_format_gives_the_pixels() {
    let picture = DynamicImage::from(picture());
    for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Tiff, ImageFormat::Pnm] {
        let image = open(&encoded(&picture, format)).unwrap();
        assert_eq!([image.width(), image.height()], SIZE, "{format:?}");
        assert!(image.rgb() == picture.as_bytes(), "{format:?}");
    }
}

#[test]
fn sixteen_bits_are_rounded_to_eight() {
    let picture = DynamicImage::from(picture());
    let deep = DynamicImage::from(picture.to_rgb16());
    for format in [ImageFormat::Png, ImageFormat::Tiff] {
        assert!(open(&encoded(&deep, format)).unwrap().rgb() == picture.as_bytes(), "{format:?}");
    }
}

#[test]
fn grey_has_three_equal_colours() {
    let grey = DynamicImage::from(DynamicImage::from(picture()).to_luma8());
    let image = open(&encoded(&grey, ImageFormat::Png)).unwrap();
    assert!(image.grey() == grey.as_bytes());
    assert!(image.rgb().chunks(3).zip(grey.as_bytes()).all(|(rgb, g)| rgb == [*g; 3]));
}

#[test]
fn what_is_transparent_lies_on_white() {
    let alphas = [0, 128, 255];
    let pixel = |x: u32| image::Rgba([100, 0, 255, alphas[x as usize]]);
    let picture = DynamicImage::from(RgbaImage::from_fn(3, 1, |x, _| pixel(x)));
    for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Tiff] {
        let image = open(&encoded(&picture, format)).unwrap();
        assert_eq!(image.rgb(), [255, 255, 255, 177, 127, 255, 100, 0, 255], "{format:?}");
    }
}

#[test]
fn the_orientation_of_a_camera_is_applied() {
    let jpeg = encoded(&DynamicImage::from(picture()), ImageFormat::Jpeg);
    let plain = image::load_from_memory(&jpeg).unwrap();
    let turned = [
        plain.clone(),
        plain.fliph(),
        plain.rotate180(),
        plain.flipv(),
        plain.rotate90().fliph(),
        plain.rotate90(),
        plain.rotate270().fliph(),
        plain.rotate270(),
    ];
    for (expected, orientation) in turned.iter().zip(1..) {
        let image = open(&with_orientation(&jpeg, orientation)).unwrap();
        let size = [expected.width(), expected.height()];
        assert_eq!([image.width(), image.height()], size, "orientation {orientation}");
        assert!(image.rgb() == expected.to_rgb8().as_raw(), "orientation {orientation}");
    }
}

#[test]
fn an_image_of_floats_is_refused_in_words() {
    // One pixel, whose entries are tag, type, count and value.
    let entries: [[u16; 2]; 7] =
        [[256, 1], [257, 1], [258, 32], [259, 1], [262, 1], [277, 1], [278, 1]];
    let mut tiff = b"II*\0\x08\0\0\0\x0a\0".to_vec();
    let mut entry = |tag: u16, value: u32| {
        tiff.extend([&tag.to_le_bytes()[..], &[4, 0, 1, 0, 0, 0], &value.to_le_bytes()].concat());
    };
    entries[..5].iter().for_each(|&[tag, value]| entry(tag, value.into()));
    // Where the pixel lies, behind ten entries, and its length.
    entry(273, 10 + 10 * 12 + 4);
    entries[5..7].iter().for_each(|&[tag, value]| entry(tag, value.into()));
    entry(279, 4);
    entry(339, 3);
    tiff.extend([0; 4]);
    tiff.extend(1.5_f32.to_le_bytes());
    let error = open(&tiff).unwrap_err().to_string();
    assert!(
        error.contains("pixels of this kind are not read; grey or colour of 8 or 16"),
        "{error}"
    );
}

#[test]
fn damaged_images_are_errors() {
    let picture = DynamicImage::from(picture());
    for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Tiff, ImageFormat::Pnm] {
        let bytes = encoded(&picture, format);
        for length in [12, bytes.len() / 4, bytes.len() / 2] {
            let error = open(&bytes[..length]).unwrap_err();
            assert!(matches!(error, Error::Format { .. }), "{format:?} {length}: {error}");
        }
    }
}
