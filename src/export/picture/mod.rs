//! A picture of a cloud with its planes in colours.
//!
//! One sheet shows the cloud from a raised corner, large, and from the top, the front and the side
//! beside it. Each view is a depth buffer of fixed size, so that a cloud of any length is drawn as
//! it streams by; where points are sparse they are widened until surfaces close.

mod canvas;
mod shade;
mod view;

use super::colour;
use crate::atomic::AtomicFile;
use crate::cloud::{Chunk, PointReader};
use crate::detection::Detection;
use crate::{Error, Result};
use canvas::{Canvas, Rect};
use rayon::prelude::*;
use std::io::Write;
use std::path::Path;
use view::{Camera, DepthBuffer};

/// Views are shaded this much larger than shown: edges become smooth.
const OVERSAMPLING: usize = 2;

/// Points are drawn this much larger than shown: a view can be enlarged and stays sharp.
const RESERVE: usize = 2;

/// Points read at a time.
const BATCH: usize = 1 << 18;

/// Which coordinate points up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Up {
    /// The second, as in many models of buildings.
    Y,
    /// The third, as in surveys.
    #[default]
    Z,
}

/// How a picture looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureOptions {
    /// Width of the sheet in pixels, 400 to 8000; its height is five eighths of that.
    pub width: u32,
    /// Which coordinate points up.
    pub up: Up,
    /// Whether the ground is light rather than dark.
    pub light: bool,
}

impl Default for PictureOptions {
    /// 1600 pixels wide, `z` up, on dark ground.
    fn default() -> PictureOptions {
        PictureOptions { width: 1600, up: Up::Z, light: false }
    }
}

/// Colours of what is not a point.
struct Theme {
    sheet: [u8; 3],
    panel: [u8; 3],
    frame: [u8; 3],
    text: [u8; 3],
}

const DARK: Theme =
    Theme { sheet: [13, 15, 20], panel: [19, 22, 29], frame: [44, 50, 62], text: [150, 158, 172] };

const LIGHT: Theme = Theme {
    sheet: [240, 241, 244],
    panel: [255, 255, 255],
    frame: [205, 209, 217],
    text: [92, 98, 110],
};

/// An image of 8 bits a channel.
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
    /// Unit normals of the planes, which light falls on.
    normals: Vec<[f64; 3]>,
}

struct Panel {
    name: &'static str,
    rect: Rect,
    buffer: DepthBuffer,
}

impl Picture {
    /// An empty picture of the space between `detection.input.min` and `max`; points outside are
    /// not drawn.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the width is out of range.
    pub fn new(detection: &Detection, options: PictureOptions) -> Result<Picture> {
        if !(400..=8000).contains(&options.width) {
            let message = format!("a picture of width {}: 400 to 8000 is possible", options.width);
            return Err(Error::Parameter(message));
        }
        let panels = layout(options.width as usize)
            .into_iter()
            .zip(Camera::all(options.up))
            .map(|(rect, (name, camera))| Panel {
                name,
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
        })
    }

    /// Draws points; `labels` are their planes, and points beyond its end belong to none.
    pub fn add(&mut self, chunk: &Chunk, labels: &[i32]) {
        self.panels.par_iter_mut().for_each(|panel| panel.buffer.add(chunk, labels));
    }

    /// The finished sheet.
    pub fn finish(self) -> Image {
        let theme = if self.options.light { &LIGHT } else { &DARK };
        let width = self.options.width as usize;
        let mut canvas = Canvas::new(width, sheet_height(width), theme.sheet);
        let normals = &self.normals;
        let drawn: Vec<_> = (self.panels.into_par_iter())
            .map(|mut panel| {
                let size = [panel.rect.width, panel.rect.height].map(|n| n * OVERSAMPLING);
                panel.buffer = panel.buffer.reframed(size);
                let view = shade::shade(&panel.buffer, normals, theme.panel, OVERSAMPLING);
                (panel, view)
            })
            .collect();
        for (panel, view) in drawn {
            canvas.paste(panel.rect, &view);
            canvas.frame(panel.rect, theme.frame);
            annotate(&mut canvas, &panel, theme, width);
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
    let third = (height - 4 * gap) / 3;
    let rect = |x, y, width, height| Rect { x, y, width, height };
    let right = 2 * gap + large;
    [
        rect(gap, gap, large, 3 * third + 2 * gap),
        rect(right, gap, small, third),
        rect(right, 2 * gap + third, small, third),
        rect(right, 3 * gap + 2 * third, small, third),
    ]
}

/// Writes the name of a view and a bar of a round length.
fn annotate(canvas: &mut Canvas, panel: &Panel, theme: &Theme, sheet: usize) {
    let size = (sheet / 800).max(1);
    let Rect { x, y, width, height } = panel.rect;
    let margin = 6 * size;
    let mut write = |x: usize, y: usize, text: &str| {
        // Ground around the letters, so that they can be read on a cloud.
        let ground = Rect {
            x: x - 2 * size,
            y: y - 2 * size,
            width: (6 * text.len() + 3) * size,
            height: 11 * size,
        };
        if !text.is_empty() {
            canvas.fill(ground, theme.panel);
            canvas.text(x, y, text, size, theme.text);
        }
    };
    write(x + margin, y + margin, panel.name);
    let per_pixel = OVERSAMPLING as f64 / panel.buffer.scale();
    let Some((length, name)) = round_length(per_pixel * width as f64 / 5.0) else {
        return;
    };
    let bar = (length / per_pixel).round() as usize;
    let bottom = y + height - margin;
    write(x + margin + bar + 4 * size, bottom - 7 * size, &name);
    let line = Rect { x: x + margin, y: bottom - size, width: bar, height: size };
    canvas.fill(line, theme.text);
    for end in [x + margin, x + margin + bar] {
        let tick = Rect { x: end, y: bottom - 4 * size, width: size, height: 4 * size };
        canvas.fill(tick, theme.text);
    }
}

/// The largest length of 1, 2 or 5 times a power of ten up to `most`, and how it is written.
fn round_length(most: f64) -> Option<(f64, String)> {
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

/// Draws the cloud that `reader` gives with the planes and labels of `detection` as a PNG file.
///
/// # Errors
/// What `reader` answers; [`Error::Io`] on `path`; [`Error::Parameter`] for a width out of range.
pub fn save_picture(
    reader: &mut dyn PointReader,
    detection: &Detection,
    options: PictureOptions,
    path: &Path,
) -> Result<()> {
    let mut picture = Picture::new(detection, options)?;
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
    let mut file = AtomicFile::create(path)?;
    picture.finish().write_png(&mut file).map_err(Error::io(path))?;
    file.commit()
}

impl Image {
    /// Writes the image as PNG.
    ///
    /// # Errors
    /// What `out` answers.
    pub fn write_png(&self, out: impl Write) -> std::io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        Ok(writer.finish()?)
    }
}

#[cfg(test)]
mod tests;
