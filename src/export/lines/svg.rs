//! Lines as a drawing.

use crate::export::output::{About, Export, Lines};
use crate::lines::Detection;
use crate::{Result, atomic};
use std::io::{self, Write};
use std::path::Path;

/// Writes the segments as SVG in the coordinates of the image, so that it can be overlaid, with a group for
/// each line.
///
/// # Errors
/// Errors of `out`.
pub fn write_svg(detection: &Detection, mut out: impl Write) -> io::Result<()> {
    let Detection { width, height, .. } = *detection;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"-0.5 -0.5 {width} {height}\">"
    )?;
    let stroke = f64::from(width.max(height)) / 640.0;
    writeln!(
        out,
        "<g stroke=\"red\" stroke-width=\"{:.2}\" stroke-linecap=\"round\" fill=\"none\">",
        stroke.max(1.0)
    )?;
    for (id, line) in detection.lines.iter().enumerate() {
        writeln!(out, "<g id=\"line-{id}\">")?;
        writeln!(out, "<title>θ {:.3}° ρ {:.3} z {:.1}</title>", line.theta, line.rho, line.z)?;
        for segment in &line.segments {
            let ([x1, y1], [x2, y2]) = (segment.start, segment.end);
            writeln!(out, "<line x1=\"{x1:.3}\" y1=\"{y1:.3}\" x2=\"{x2:.3}\" y2=\"{y2:.3}\"/>")?;
        }
        writeln!(out, "</g>")?;
    }
    writeln!(out, "</g>\n</svg>")
}

/// The drawing as a file.
pub struct Svg;

impl Export<Lines<'_>> for Svg {
    fn about(&self) -> About {
        About::new("svg", "the segments as a drawing", &[".svg"])
    }

    fn save(&self, lines: &Lines, path: &Path) -> Result<()> {
        atomic::save(path, |file| write_svg(lines.detection, file))
    }
}
