//! From an image to its edges and sorted bins: a gpu gives what the CPU gives, to the pixel and to the
//! last bit of every score.

mod gpu;

use gpu::gpu;
use planes::backend::Backend;
use planes::cpu::Cpu;
use planes::image::{EdgeMap, Image, Method};
use planes::lines::{Options, detect};
use planes::papers::line_bins::{BinSearch, LineBins};
use planes::synth::lines::{Hardness, LineOptions, draw};
use planes::{Error, Result};

const METHODS: [&str; 10] = [
    "auto",
    "none",
    "none:dark",
    "sobel",
    "sobel:0",
    "sobel:31",
    "canny",
    "canny:0.5",
    "canny:1.5,20,70",
    "canny:8,0,0",
];

fn method(text: &str) -> Method {
    text.parse().unwrap()
}

/// An image of a grey value for each pixel.
fn grey([width, height]: [u32; 2], value: impl Fn(u32, u32) -> u8) -> Image {
    let pixels = (0..width * height).flat_map(|i| [value(i % width, i / width); 3]);
    Image::from_rgb(width, height, pixels.collect()).unwrap()
}

/// A number that differs from pixel to pixel.
fn hash(x: u32, y: u32) -> u32 {
    let mixed =
        (x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77)).wrapping_mul(0xc2b2_ae3d);
    mixed ^ mixed >> 15
}

/// Images of many sizes: even, noisy, with slopes, strokes, and edges that wind through all of it.
fn images() -> Vec<(String, Image)> {
    let mut images = Vec::new();
    for size in
        [[1, 1], [1, 9], [31, 1], [2, 2], [32, 32], [33, 31], [97, 61], [300, 257], [1001, 40]]
    {
        let mut add = |name: &str, value: &dyn Fn(u32, u32) -> u8| {
            images.push((format!("{name} {size:?}"), grey(size, value)));
        };
        add("even", &|_, _| 140);
        add("noise", &|x, y| hash(x, y) as u8);
        add("steps", &|x, y| if (x + 2 * y) % 61 < 30 { 40 } else { 200 });
        add("slope and noise", &|x, y| (x / 3 + hash(x, y) % 20) as u8);
        add("strokes", &|x, y| if x == y || (3 * x + y) % 50 == 3 { 250 } else { 4 });
        add("rings", &|x, y| if (x * x + y * y) / 700 % 2 == 0 { 60 } else { 75 });
        // One edge that hangs together over the whole image, strong at one end alone.
        add("snake", &|x, y| {
            let bar = y % 12 < 6 || (x < 6 && y / 12 % 2 == 0) || (x > 90 && y / 12 % 2 == 1);
            let contrast = if x < 9 && y < 9 { 200 } else { 16 };
            if bar { 20 } else { 20 + contrast }
        });
    }
    for kind in [Hardness::Clean, Hardness::Dense, Hardness::Photo] {
        let options = LineOptions { kind, ..LineOptions::default() };
        images.push((format!("{kind}"), draw(&options).unwrap().0));
    }
    images
}

#[test]
fn edges_on_a_gpu_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for (name, image) in images() {
        for text in METHODS {
            let expected = EdgeMap::find(&image, &method(text)).unwrap();
            let found = gpu.edges(&image, &method(text)).unwrap();
            assert!(found.method == expected.method, "{name}, {text}: {:?}", found.method);
            let n = [&found, &expected].map(|map| map.pixels.len());
            assert!(found == expected, "{name}, {text}: {n:?} edges");
        }
    }
}

#[test]
fn bins_on_a_gpu_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for (name, image) in images() {
        let size = [image.width(), image.height()];
        for (directions, rho_step, false_alarms) in
            [(180, 1.0, 1e-3), (720, 1.0, 1e-3), (97, 2.5, 10.0)]
        {
            let search = BinSearch::new(size, directions, rho_step, false_alarms).unwrap();
            let mut bins = LineBins::new(&gpu, &search).unwrap();
            assert!(bins.find().is_err());
            for text in ["none", "sobel", "canny"] {
                let edges = EdgeMap::find(&image, &method(text)).unwrap();
                let expected = search.find(&edges, &Cpu::default()).unwrap();
                bins.upload(&image, &method(text)).unwrap();
                // Again, over what is there.
                for _ in 0..2 {
                    let found = bins.find().unwrap();
                    assert!(found == expected, "{name}, {text}, {directions} directions");
                }
            }
        }
    }
}

/// One image that is soon done, under tools that slow everything down.
#[test]
fn a_small_image_alone() {
    let Some(gpu) = gpu() else { return };
    let image = grey([97, 61], |x, y| if (x + 2 * y) % 61 < 30 { 40 } else { 200 });
    let search = BinSearch::new([97, 61], 36, 1.0, 1e-3).unwrap();
    let mut bins = LineBins::new(&gpu, &search).unwrap();
    for text in ["none", "sobel", "canny"] {
        bins.upload(&image, &method(text)).unwrap();
        let edges = EdgeMap::find(&image, &method(text)).unwrap();
        assert!(bins.find().unwrap() == search.find(&edges, &Cpu::default()).unwrap(), "{text}");
    }
}

#[test]
fn many_bins_find_room() {
    let Some(gpu) = gpu() else { return };
    let image = grey([1500, 1200], |x, y| if hash(x, y).is_multiple_of(10) { 255 } else { 0 });
    let search = BinSearch::new([1500, 1200], 720, 1.0, 1e12).unwrap();
    let edges = EdgeMap::find(&image, &method("none")).unwrap();
    let expected = search.find(&edges, &Cpu::default()).unwrap();
    assert!(expected.len() > 1 << 13, "{}", expected.len());
    let mut bins = LineBins::new(&gpu, &search).unwrap();
    bins.upload(&image, &method("none")).unwrap();
    assert!(bins.find().unwrap() == expected);
}

#[test]
fn the_same_lines_on_both() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for kind in [Hardness::Clean, Hardness::Noisy, Hardness::Wrapped, Hardness::Photo] {
        let image = draw(&LineOptions { kind, ..LineOptions::default() })?.0;
        let options = Options::default();
        assert!(detect(&image, &options, &Cpu::default())? == detect(&image, &options, &gpu)?);
    }
    Ok(())
}

#[test]
fn an_image_of_another_size_is_refused() {
    let Some(gpu) = gpu() else { return };
    let search = BinSearch::new([40, 30], 180, 1.0, 1e-3).unwrap();
    let mut bins = LineBins::new(&gpu, &search).unwrap();
    let image = grey([30, 40], |_, _| 0);
    assert!(matches!(bins.upload(&image, &Method::Auto), Err(Error::Parameter(_))));
}
