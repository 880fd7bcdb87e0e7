//! Which pixels are edges.

use super::blur::blur;
use super::gradient::{Field, level, square};
use super::pixels::Image;
use super::{canny, drawing, otsu};
use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// How edges are found. As text: `auto`, `none`, `none:dark`, `sobel`, `sobel:40`, `canny`,
/// `canny:1.5` or `canny:1.5,40,100`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Method {
    /// [`Drawing`](Method::Drawing) for an image of strokes on an even background, else
    /// [`Canny`](Method::Canny).
    #[default]
    Auto,
    /// The image is an edge map: edges are the bright pixels (above 127; when chosen automatically,
    /// above Otsu's threshold), or the dark ones.
    Drawing {
        /// Whether the edges are the dark pixels.
        dark: bool,
    },
    /// Pixels where the length of Sobel's gradient, divided by 4, is above a threshold in grey levels;
    /// default: Otsu's.
    Sobel {
        /// The threshold.
        threshold: Option<u8>,
    },
    /// Canny's edges.
    Canny {
        /// Standard deviation of the blur in pixels, 0.5 to 8; default: from the noise.
        sigma: Option<f64>,
        /// Lower and upper threshold of the length of Sobel's gradient, in grey levels, 0 to 1443;
        /// default: from the noise.
        thresholds: Option<[f64; 2]>,
    },
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Method::Auto => f.write_str("auto"),
            Method::Drawing { dark: false } => f.write_str("none"),
            Method::Drawing { dark: true } => f.write_str("none:dark"),
            Method::Sobel { threshold: None } => f.write_str("sobel"),
            Method::Sobel { threshold: Some(t) } => write!(f, "sobel:{t}"),
            Method::Canny { sigma: None, .. } => f.write_str("canny"),
            Method::Canny { sigma: Some(s), thresholds: None } => write!(f, "canny:{s}"),
            Method::Canny { sigma: Some(s), thresholds: Some([low, high]) } => {
                write!(f, "canny:{s},{low},{high}")
            }
        }
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Method> {
        let wrong = || {
            Error::Parameter(format!(
                "edges `{text}`: expected auto, none, none:dark, sobel, sobel:THRESHOLD with 0 to \
                 254, canny, canny:SIGMA or canny:SIGMA,LOW,HIGH with SIGMA from 0.5 to 8 and \
                 0 <= LOW <= HIGH <= 1443"
            ))
        };
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        match (name, rest) {
            ("auto", None) => Ok(Method::Auto),
            ("none", None) => Ok(Method::Drawing { dark: false }),
            ("none", Some("dark")) => Ok(Method::Drawing { dark: true }),
            ("sobel", None) => Ok(Method::Sobel { threshold: None }),
            ("sobel", Some(t)) => match t.parse() {
                Ok(255) | Err(_) => Err(wrong()),
                Ok(t) => Ok(Method::Sobel { threshold: Some(t) }),
            },
            ("canny", None) => Ok(Method::Canny { sigma: None, thresholds: None }),
            ("canny", Some(numbers)) => {
                let numbers: std::result::Result<Vec<f64>, _> =
                    numbers.split(',').map(str::parse).collect();
                let method = match numbers.as_deref() {
                    Ok(&[sigma]) => Method::Canny { sigma: Some(sigma), thresholds: None },
                    Ok(&[sigma, low, high]) => {
                        Method::Canny { sigma: Some(sigma), thresholds: Some([low, high]) }
                    }
                    _ => return Err(wrong()),
                };
                method.check().map_err(|_| wrong()).map(|()| method)
            }
            _ => Err(wrong()),
        }
    }
}

impl Method {
    /// Refuses numbers out of range.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        let Method::Canny { sigma, thresholds } = *self else {
            return Ok(());
        };
        if sigma.is_some_and(|s| !(0.5..=8.0).contains(&s)) {
            return Err(Error::Parameter("the blur of Canny's edges is from 0.5 to 8".into()));
        }
        if thresholds.is_some_and(|[low, high]| !(low >= 0.0 && low <= high && high <= 1443.0)) {
            let message = "the thresholds of Canny's edges are 0 <= low <= high <= 1443";
            return Err(Error::Parameter(message.into()));
        }
        Ok(())
    }
}

/// The edge pixels of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeMap {
    /// Pixels in a row of the image.
    pub width: u32,
    /// Rows of the image.
    pub height: u32,
    /// Column and row of each edge pixel, row by row from the top.
    pub pixels: Vec<[u16; 2]>,
    /// Sobel's gradient at each edge pixel, pointing to the brighter side; empty if the image was an edge
    /// map.
    pub gradients: Vec<[i32; 2]>,
    /// How they were found, defaults resolved.
    pub method: Method,
}

impl EdgeMap {
    /// The edges of an image.
    ///
    /// # Errors
    /// [`Error::Parameter`] for numbers out of range.
    pub fn find(image: &Image, method: &Method) -> Result<EdgeMap> {
        Ok(match Recipe::of(image, method)? {
            Recipe::Drawing { threshold, dark } => of_drawing(image, threshold, dark),
            Recipe::Sobel { threshold } => of_sobel(image, threshold),
            Recipe::Canny { sigma, thresholds } => of_canny(image, sigma, thresholds),
        })
    }

    /// The map of an image with edges at the given places, ascending, and their gradients.
    pub(crate) fn new(
        image: &Image,
        edges: &[u32],
        gradients: Vec<[i32; 2]>,
        method: Method,
    ) -> EdgeMap {
        let width = image.width();
        EdgeMap {
            width,
            height: image.height(),
            pixels: edges.iter().map(|&i| [(i % width) as u16, (i / width) as u16]).collect(),
            gradients,
            method,
        }
    }
}

/// What to compute for an image: a [`Method`], once it is known whether the image is a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Recipe {
    /// The pixels above the threshold, or the others.
    Drawing { threshold: u8, dark: bool },
    /// As [`Method::Sobel`].
    Sobel { threshold: Option<u8> },
    /// As [`Method::Canny`].
    Canny { sigma: Option<f64>, thresholds: Option<[f64; 2]> },
}

impl Recipe {
    pub fn of(image: &Image, method: &Method) -> Result<Recipe> {
        method.check()?;
        let (width, grey) = (image.width() as usize, image.grey());
        Ok(match *method {
            Method::Auto => {
                let split = otsu::split(&otsu::histogram(grey));
                let drawing = split.and_then(|s| Some((s, drawing::is_drawing(width, grey, s)?)));
                match drawing {
                    Some((split, dark)) => Recipe::Drawing { threshold: split.threshold, dark },
                    None => Recipe::Canny { sigma: None, thresholds: None },
                }
            }
            Method::Drawing { dark } => Recipe::Drawing { threshold: 127, dark },
            Method::Sobel { threshold } => Recipe::Sobel { threshold },
            Method::Canny { sigma, thresholds } => Recipe::Canny { sigma, thresholds },
        })
    }
}

fn of_drawing(image: &Image, threshold: u8, dark: bool) -> EdgeMap {
    let on = |v: u8| (v <= threshold) == dark;
    let edges = (0u32..).zip(image.grey()).filter(|&(_, &v)| on(v)).map(|(i, _)| i);
    EdgeMap::new(image, &edges.collect::<Vec<_>>(), Vec::new(), Method::Drawing { dark })
}

fn of_sobel(image: &Image, threshold: Option<u8>) -> EdgeMap {
    let gradients = field(image).gradient();
    let levels: Vec<u8> = gradients.iter().map(|&g| level(g)).collect();
    let automatic = || otsu::split(&otsu::histogram(&levels)).map_or(0, |split| split.threshold);
    let threshold = threshold.unwrap_or_else(automatic);
    let edges: Vec<u32> =
        (0u32..).zip(&levels).filter(|&(_, &v)| v > threshold).map(|(i, _)| i).collect();
    let gradients = at(&gradients, &edges);
    EdgeMap::new(image, &edges, gradients, Method::Sobel { threshold: Some(threshold) })
}

fn of_canny(image: &Image, sigma: Option<f64>, thresholds: Option<[f64; 2]>) -> EdgeMap {
    let plain = field(image);
    let sigma = sigma.unwrap_or_else(|| automatic_sigma(&plain));
    let field = blur(&plain, sigma);
    let gradients = field.gradient();
    let [low, high] = thresholds.unwrap_or_else(|| automatic_thresholds(&gradients));
    let edges = canny::edges(&field, &gradients, limit(low), limit(high));
    let method = Method::Canny { sigma: Some(sigma), thresholds: Some([low, high]) };
    let gradients = at(&gradients, &edges);
    EdgeMap::new(image, &edges, gradients, method)
}

/// The square of a threshold, in the units of [`square`].
pub(crate) fn limit(threshold: f64) -> u64 {
    let fixed = (threshold * 256.0).round() as u64;
    fixed * fixed
}

/// The gradients of some pixels.
fn at(gradients: &[[i32; 2]], pixels: &[u32]) -> Vec<[i32; 2]> {
    pixels.iter().map(|&i| gradients[i as usize]).collect()
}

fn field(image: &Image) -> Field {
    Field::of_grey(image.width() as usize, image.height() as usize, image.grey())
}

/// The blurs of the automatic choice, in steps of a quarter of a pixel.
pub(crate) const SIGMAS: [f64; 7] = [1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5];

/// The blur for an image: more where there is more noise.
fn automatic_sigma(field: &Field) -> f64 {
    let noise = noise(field);
    SIGMAS[(4.0 * (1.0 + noise / 20.0)).round().clamp(4.0, 10.0) as usize - 4]
}

/// Standard deviation of the noise in grey levels: the median response of a mask that is blind to edges
/// and slopes (after Immerkær 1996).
fn noise(field: &Field) -> f64 {
    let (width, height) = (field.width, field.height);
    if width < 3 || height < 3 {
        return 0.0;
    }
    let mut counts = vec![0u64; 1 << 12];
    for y in 1..height - 1 {
        let row = |y: usize| &field.values[y * width..][..width];
        let [a, b, c] = [row(y - 1), row(y), row(y + 1)];
        for x in 1..width - 1 {
            let second =
                |r: &[u16]| (i32::from(r[x - 1]) - 2 * i32::from(r[x]) + i32::from(r[x + 1])) / 256;
            let left = (second(a) - 2 * second(b) + second(c)).unsigned_abs() as usize;
            counts[left.min((1 << 12) - 1)] += 1;
        }
    }
    // The mask multiplies a deviation by 6; half of a normal distribution lies within 0.6745.
    median(&counts) / (6.0 * 0.6745)
}

/// The median value of a histogram.
fn median(counts: &[u64]) -> f64 {
    let half = counts.iter().sum::<u64>().div_ceil(2);
    let mut below = 0;
    let middle = counts.iter().position(|n| {
        below += n;
        below >= half
    });
    middle.unwrap_or(0) as f64
}

/// Thresholds for Canny's edges: well above the gradients of most pixels.
fn automatic_thresholds(gradients: &[[i32; 2]]) -> [f64; 2] {
    let mut counts = vec![0u64; 1 << 12];
    for &g in gradients {
        counts[(square(g).isqrt() >> 8).min((1 << 12) - 1) as usize] += 1;
    }
    let high = (3.0 * median(&counts)).clamp(40.0, 250.0);
    [(high / 2.0).round(), high.round()]
}
