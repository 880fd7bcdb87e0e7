//! Whole pictures.

use super::super::palette::colour;
use super::*;
use crate::detection::Input;
use crate::plane::Plane;

fn detection(labels: Vec<i32>) -> Detection {
    let plane =
        |normal| Plane { significance: 12.5, tolerance: 0.0625, ..Plane::with_normal(normal) };
    Detection {
        input: Input { min: [0.0; 3], max: [4.0, 4.0, 2.0], ..Input::default() },
        planes: vec![plane([0.0, 0.0, 1.0])],
        labels,
        rejected: Vec::new(),
        ..Detection::default()
    }
}

/// A floor of 100 by 100 points.
fn floor() -> Chunk {
    let along = |k: usize| 4.0 * k as f64 / 99.0;
    Chunk {
        x: (0..10_000).map(|k| along(k % 100)).collect(),
        y: (0..10_000).map(|k| along(k / 100)).collect(),
        z: vec![0.0; 10_000],
        ..Chunk::default()
    }
}

fn draw(labels: &[i32]) -> Image {
    let options = PictureOptions { width: 800, ..PictureOptions::default() };
    let mut picture = Picture::new(&detection(labels.to_vec()), options).unwrap();
    picture.add(&floor(), labels);
    picture.finish()
}

fn pixel(image: &Image, x: usize, y: usize) -> [u8; 3] {
    let at = 3 * (y * image.width as usize + x);
    [image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]]
}

#[test]
fn a_plane_shows_in_its_colour_as_a_closed_surface() {
    let image = draw(&[0; 10_000]);
    assert_eq!((image.width, image.height), (800, 500));
    assert_eq!(image.rgb.len(), 800 * 500 * 3);
    let top = layout(800)[1];
    let (x, y) = (top.x + top.width / 2, top.y + top.height / 2);
    let middle = pixel(&image, x, y);
    for k in 0..20 {
        assert_eq!(pixel(&image, x + k, y), middle, "one colour, no gaps");
    }
    let expected = colour(0).map(|c| f64::from(c) / f64::from(middle[2].max(1)));
    let found = middle.map(|c| f64::from(c) / f64::from(middle[2].max(1)));
    let blue = f64::from(colour(0)[2]) / f64::from(middle[2].max(1));
    for k in 0..3 {
        assert!((found[k] * blue - expected[k]).abs() < 0.02, "{middle:?}");
    }
    assert_ne!(draw(&[-1; 10_000]), image);
}

#[test]
fn the_order_of_points_does_not_matter() {
    let labels = vec![0; 10_000];
    let mut picture = Picture::new(&detection(labels.clone()), PictureOptions::default()).unwrap();
    let mut chunk = floor();
    chunk.x.reverse();
    chunk.y.reverse();
    picture.add(&chunk, &labels);
    let mut forth = Picture::new(&detection(labels.clone()), PictureOptions::default()).unwrap();
    forth.add(&floor(), &labels);
    assert!(picture.finish() == forth.finish());
}

#[test]
fn a_width_out_of_range_is_refused() {
    for width in [0, 399, 8001, u32::MAX] {
        let options = PictureOptions { width, ..PictureOptions::default() };
        assert!(Picture::new(&detection(Vec::new()), options).is_err());
    }
}

#[test]
fn bars_have_round_lengths() {
    let name = |most| round_length(most).map(|(_, name)| name);
    assert_eq!(name(7.3).as_deref(), Some("5"));
    assert_eq!(name(0.024).as_deref(), Some("0.02"));
    assert_eq!(name(199.0).as_deref(), Some("100"));
    assert_eq!(name(3e9).as_deref(), Some("2e9"));
    assert_eq!(name(f64::INFINITY), None);
    assert_eq!(name(0.0), None);
}

#[test]
fn the_png_is_read_back_equal() {
    let image = draw(&[0; 10_000]);
    let mut bytes = Vec::new();
    image.write_png(&mut bytes).unwrap();
    let read = ::image::load_from_memory(&bytes).unwrap();
    assert_eq!(read.color(), ::image::ColorType::Rgb8);
    assert_eq!(read.into_bytes(), image.rgb);
}
