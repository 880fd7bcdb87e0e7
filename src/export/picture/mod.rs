//! A picture of a cloud with its planes in colours.
//!
//! One sheet shows a large view of the cloud from a raised corner, and beside it smaller views from the top and
//! from two sides, with a legend of the largest planes below. Each view is a depth buffer of fixed size, so a
//! cloud of any size can be drawn as it streams by. Where the points of planes are sparse, they are widened
//! until surfaces close; points of no plane stay faint dots.

pub(super) mod canvas;
mod legend;
mod numbers;
mod shade;
mod theme;
mod up;
mod view;

pub use up::Up;

use crate::cloud::{Chunk, PointReader};
use crate::detection::Detection;
use crate::image::write_png;
use crate::{Error, Result, atomic};
use ::image::ExtendedColorType;
use canvas::{Canvas, LETTER, Rect};
use legend::Legend;
use numbers::Spot;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::io::Write;
use std::path::Path;
use theme::{DARK, LIGHT, Theme};
use view::{Camera, DepthBuffer};

/// Views are shaded this many times larger than shown, which smooths edges.
const OVERSAMPLING: usize = 2;

/// Points are drawn this many times larger than shown, so that a view can be enlarged and stays sharp.
const RESERVE: usize = 2;

/// Points read at a time.
const BATCH: usize = 1 << 18;

/// Options of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureOptions {
    /// Width of the sheet in pixels, 400 to 8000; its height is five eighths of that.
    pub width: u32,
    /// Which coordinate points up.
    pub up: Up,
    /// Whether the background is light instead of dark.
    pub light: bool,
    /// The unit of lengths, if known, such as `m`.
    pub unit: Option<String>,
}

impl Default for PictureOptions {
    /// 1600 pixels wide, automatic up axis, dark background, lengths without a unit.
    fn default() -> PictureOptions {
        PictureOptions { width: 1600, up: Up::Auto, light: false, unit: None }
    }
}

/// An image with 8 bits per channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Red, green, blue of each pixel, row by row from the top.
    pub rgb: Vec<u8>,
}

/// A picture that is being drawn: points are added chunk by chunk, in any order.
pub struct Picture {
    options: PictureOptions,
    panels: Vec<Panel>,
    /// Unit normals of the planes, for shading.
    normals: Vec<[f64; 3]>,
    /// The list of the largest planes.
    legend: Legend,
}

struct Panel {
    rect: Rect,
    buffer: DepthBuffer,
}

impl Picture {
    /// An empty picture of the space between `detection.input.min` and `max`; points outside are
    /// not drawn.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the width is out of range.
    pub fn new(detection: &Detection, options: PictureOptions) -> Result<Picture> {
        if !(400..=8000).contains(&options.width) {
            let message = format!("a picture of width {}: 400 to 8000 is possible", options.width);
            return Err(Error::Parameter(message));
        }
        let panels = layout(options.width as usize)
            .into_iter()
            .zip(Camera::all(options.up.of(detection)))
            .map(|(rect, camera)| Panel {
                rect,
                buffer: DepthBuffer::new(
                    camera,
                    [rect.width * RESERVE, rect.height * RESERVE],
                    detection.input.min,
                    detection.input.max,
                ),
            })
            .collect();
        Ok(Picture {
            options,
            panels,
            normals: detection.planes.iter().map(|p| p.normal).collect(),
            legend: Legend::of(detection),
        })
    }

    /// Draws points; `labels` are their planes, and points beyond the end of `labels` belong to none.
    pub fn add(&mut self, chunk: &Chunk, labels: &[i32]) {
        self.panels.par_iter_mut().for_each(|panel| panel.buffer.add(chunk, labels));
    }

    /// The finished sheet.
    pub fn finish(self) -> Image {
        let theme = if self.options.light { &LIGHT } else { &DARK };
        let unit = self.options.unit.as_deref();
        let width = self.options.width as usize;
        let size = (width / 800).max(1);
        let mut canvas = Canvas::new(width, sheet_height(width), theme.sheet);
        self.legend.draw(&mut canvas, legend_rect(width), (theme, size), unit);
        let normals = &self.normals;
        let drawn: Vec<_> = (self.panels.into_par_iter())
            .map(|mut panel| {
                let size = [panel.rect.width, panel.rect.height].map(|n| n * OVERSAMPLING);
                panel.buffer = panel.buffer.reframed(size);
                let view = shade::shade(&panel.buffer, normals, theme.panel, OVERSAMPLING);
                let places = numbers::places(&view.seen, size[0], normals.len());
                (panel, view.rgb, places)
            })
            .collect();
        for (panel, view, places) in drawn {
            canvas.paste(panel.rect, &view);
            number(&mut canvas, &panel, &places, (&self.legend, size));
            canvas.frame(panel.rect, theme.frame);
            annotate(&mut canvas, &panel, (theme, size), unit);
        }
        Image { width: width as u32, height: sheet_height(width) as u32, rgb: canvas.into_rgb() }
    }
}

fn sheet_height(width: usize) -> usize {
    width * 5 / 8
}

/// The large panel to the left, three small ones to the right.
fn layout(width: usize) -> [Rect; 4] {
    let height = sheet_height(width);
    let gap = width / 100;
    let large = (width - 3 * gap) * 7 / 10;
    let small = width - 3 * gap - large;
    let each = (height - 5 * gap) * 24 / 100;
    let rect = |x, y, width, height| Rect { x, y, width, height };
    let right = 2 * gap + large;
    [
        rect(gap, gap, large, height - 2 * gap),
        rect(right, gap, small, each),
        rect(right, 2 * gap + each, small, each),
        rect(right, 3 * gap + 2 * each, small, each),
    ]
}

/// Below the small panels.
fn legend_rect(width: usize) -> Rect {
    let [large, .., last] = layout(width);
    let y = last.y + last.height + large.y;
    Rect { y, height: large.y + large.height - y, ..last }
}

/// Writes the numbers of the planes on their visible surfaces, where there is room: first the planes in the
/// legend, then the others, most room first.
fn number(canvas: &mut Canvas, panel: &Panel, places: &[Spot], (legend, size): (&Legend, usize)) {
    const INK: [[u8; 3]; 2] = [[255; 3], [0; 3]];
    let mut taken = panel.notes(size);
    let mut places: Vec<&Spot> = places.iter().collect();
    places.sort_by_key(|p| (legend.rank(p.plane), Reverse(p.room), p.plane));
    for place in places {
        let text = place.plane.to_string();
        let Rect { x, y, width, height } = panel.rect;
        let half = [LETTER * text.len() * size / 2 + 2 * size, (LETTER / 2 + 2) * size];
        let ends = [[x, x + width], [y, y + height]];
        // A number at the edge is moved inwards.
        let [column, row] = [0, 1].map(|axis| {
            let at = ends[axis][0] + place.at[axis] / OVERSAMPLING;
            at.clamp(ends[axis][0] + half[axis], ends[axis][1] - half[axis])
        });
        let sign =
            Rect { x: column - half[0], y: row - half[1], width: 2 * half[0], height: 2 * half[1] };
        // A number may extend half a letter beyond its surface and still be recognised as its own.
        let has_room = 2 * place.room >= OVERSAMPLING * LETTER * size;
        if has_room && !taken.iter().any(|other| other.meets(&sign)) {
            canvas.sign([column, row], &text, size, INK);
            taken.push(sign);
        }
    }
}

impl Panel {
    /// The areas of the text in its corners: the name, the scale bar, the axes.
    fn notes(&self, size: usize) -> Vec<Rect> {
        let Rect { x, y, width, height } = self.rect;
        let letter = LETTER * size;
        let name = Rect { x, y, width: 9 * letter, height: 2 * letter };
        let bar = Rect { y: y + height - 2 * letter, width: width / 5 + 9 * letter, ..name };
        let axes = Rect {
            x: x + width - 9 * letter,
            y: y + height - 9 * letter,
            width: 9 * letter,
            height: 9 * letter,
        };
        if self.buffer.camera().side().is_some() { vec![name, bar] } else { vec![bar, axes] }
    }
}

/// Writes the direction of view, and draws a scale bar of a round length.
fn annotate(
    canvas: &mut Canvas,
    panel: &Panel,
    (theme, size): (&Theme, usize),
    unit: Option<&str>,
) {
    let Rect { x, y, width, height } = panel.rect;
    let margin = 6 * size;
    let mut write = |x: usize, y: usize, text: &str| {
        // Background around the letters, so that they can be read on a cloud.
        let ground = Rect {
            x: x - 2 * size,
            y: y - 2 * size,
            width: (LETTER * text.chars().count() + 3) * size,
            height: (LETTER + 3) * size,
        };
        canvas.fill(ground, theme.panel);
        canvas.text(x, y, text, size, theme.text);
    };
    if let Some(side) = panel.buffer.camera().side() {
        write(x + margin, y + margin, &format!("from {side}"));
    }
    let per_pixel = OVERSAMPLING as f64 / panel.buffer.scale();
    let Some((length, name)) = round_length(per_pixel * width as f64 / 5.0) else {
        return;
    };
    let bar = (length / per_pixel).round() as usize;
    let bottom = y + height - margin;
    let name = unit.map_or_else(|| name.clone(), |unit| format!("{name} {unit}"));
    write(x + margin + bar + 4 * size, bottom - LETTER * size, &name);
    let line = Rect { x: x + margin, y: bottom - size, width: bar, height: size };
    canvas.fill(line, theme.text);
    for end in [x + margin, x + margin + bar] {
        let tick = Rect { x: end, y: bottom - 4 * size, width: size, height: 4 * size };
        canvas.fill(tick, theme.text);
    }
    if panel.buffer.camera().side().is_none() {
        axes(canvas, panel, size);
    }
}

/// Draws the three axes in the lower right corner, as the view shows them.
fn axes(canvas: &mut Canvas, panel: &Panel, size: usize) {
    const COLOURS: [[u8; 3]; 3] = [[235, 90, 80], [90, 200, 90], [95, 150, 255]];
    let Rect { x, y, width, height } = panel.rect;
    let length = (24 * size) as f64;
    let middle = [x + width, y + height].map(|v| (v - 40 * size) as f64);
    for ((to, colour), name) in
        panel.buffer.camera().axes().into_iter().zip(COLOURS).zip(["x", "y", "z"])
    {
        let end = |length: f64| [middle[0] + to[0] * length, middle[1] - to[1] * length];
        canvas.line(middle, end(length), size, colour);
        let half = (LETTER * size / 2) as f64;
        let [x, y] = end(length + 1.5 * half).map(|v| (v - half) as usize);
        canvas.text(x, y, name, size, colour);
    }
}

/// The largest length of 1, 2 or 5 times a power of ten up to `most`, and its text.
pub(super) fn round_length(most: f64) -> Option<(f64, String)> {
    if !(most.is_finite() && most > 0.0) {
        return None;
    }
    let power = most.log10().floor() as i32;
    let texts = [5, 2, 1].map(|digit| format!("{digit}e{power}"));
    let text = texts.iter().find(|t| t.parse().is_ok_and(|l: f64| l <= most))?;
    let length: f64 = text.parse().ok()?;
    let name = if (-3..=5).contains(&power) { length.to_string() } else { text.clone() };
    Some((length, name))
}

/// Draws the cloud from `reader` with the planes and labels of `detection` as a PNG file.
///
/// # Errors
/// Errors of `reader`; [`Error::Io`] on `path`; [`Error::Parameter`] for a width out of range.
pub fn save_picture(
    reader: &mut dyn PointReader,
    detection: &Detection,
    options: &PictureOptions,
    path: &Path,
) -> Result<()> {
    let mut picture = Picture::new(detection, options.clone())?;
    let mut chunk = Chunk::default();
    let mut labels = &detection.labels[..];
    loop {
        reader.read(&mut chunk, BATCH)?;
        if chunk.is_empty() {
            break;
        }
        let (now, later) = labels.split_at(chunk.len().min(labels.len()));
        picture.add(&chunk, now);
        labels = later;
    }
    atomic::save(path, |file| picture.finish().write_png(file))
}

impl Image {
    /// Writes the image as PNG.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_png(&self, out: impl Write) -> std::io::Result<()> {
        write_png(&self.rgb, [self.width, self.height], ExtendedColorType::Rgb8, out)
    }
}

#[cfg(test)]
mod tests;
