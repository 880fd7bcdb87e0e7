//! From an image to its lines.

use super::geometry::Axis;
use super::line::{Detection, Line, Segment};
use super::merge::{Side, strokes, without_doubles};
use super::options::{Options, Parameters, Strokes};
use super::raster::Raster;
use super::refine::Stroke;
use super::rounds::{FoundLine, search};
use super::space::Polar;
use crate::Result;
use crate::backend::Backend;
use crate::image::{EdgeMap, Image};

/// The lines of an image.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for invalid options; errors of the
/// backend.
pub fn detect(image: &Image, options: &Options, backend: &dyn Backend) -> Result<Detection> {
    options.check()?;
    detect_in(&backend.edges(image, &options.method())?, options, backend)
}

/// The lines of an edge map.
///
/// # Errors
/// As [`detect`].
pub fn detect_in(edges: &EdgeMap, options: &Options, backend: &dyn Backend) -> Result<Detection> {
    options.check()?;
    let size = [edges.width, edges.height];
    let polar = Polar::centred(size, options.directions(), options.rho_step)?;
    let resolved = Options { min_length: Some(options.min_length_in(size)), ..options.clone() };
    let found = search(edges, &polar, &resolved, backend)?;
    let raster = Raster::new(edges);
    let mut sides: Vec<Side> = found.into_iter().map(|f| side(&raster, &f)).collect();
    sides.sort_by(|a, b| b.line.z.total_cmp(&a.line.z));
    let sides_apart = options.strokes == Strokes::Sides;
    let kept = without_doubles(sides, sides_apart);
    let mut lines = if sides_apart {
        kept.into_iter().map(|side| side.line).collect()
    } else {
        strokes(kept, options.max_gap)
    };
    lines.truncate(options.top.map_or(usize::MAX, |n| n as usize));
    Ok(Detection {
        width: edges.width,
        height: edges.height,
        edges: edges.pixels.len() as u64,
        parameters: Parameters { theta_step: polar.theta_step(), ..parameters(edges, options) },
        lines,
    })
}

/// The parameters of a search, with all defaults resolved except the space's.
pub(crate) fn parameters(edges: &EdgeMap, options: &Options) -> Parameters {
    Parameters {
        edges: edges.method.to_string(),
        theta_step: options.theta_step,
        rho_step: options.rho_step,
        max_gap: options.max_gap,
        min_length: options.min_length_in([edges.width, edges.height]),
        false_alarms: options.false_alarms,
        refine: options.refine,
        stroke: Some(options.strokes.resolved()),
        top: options.top,
        one_pass: None,
    }
}

fn side(raster: &Raster, found: &FoundLine) -> Side {
    let line = line(raster, found, found.stroke.reach());
    let axis = Axis::new(line.theta.to_radians(), line.rho);
    Side { light: light(raster, &found.stroke, axis), line }
}

/// A line as reported, with the pixels between two signed distances from it.
pub(super) fn line(raster: &Raster, found: &FoundLine, reach: [f64; 2]) -> Line {
    let FoundLine { stroke, votes, z, significance } = found;
    let (theta, rho) = stroke.axis.polar();
    let segments = segments(raster, stroke, reach);
    Line {
        theta,
        rho,
        votes: u64::from(*votes),
        z: *z,
        significance: *significance,
        pixels: segments.iter().map(|s| s.pixels).sum(),
        width: stroke.width(),
        segments,
    }
}

/// The sum of the gradients of a stroke's pixels along the normal of its line.
fn light(raster: &Raster, stroke: &Stroke, axis: Axis) -> f64 {
    let mut sum = 0.0;
    for piece in &stroke.pieces {
        raster.walk(stroke.axis, piece.from..piece.to, stroke.band, |_, n| {
            if let Some([x, y]) = raster.gradient(n.pixel).filter(|_| n.on) {
                sum += x * axis.cos + y * axis.sin;
            }
        });
    }
    sum
}

/// The pieces of a stroke; their ends are on the line, at the first and last pixels of each piece.
fn segments(raster: &Raster, stroke: &Stroke, reach: [f64; 2]) -> Vec<Segment> {
    let axis: Axis = stroke.axis;
    let ends = |piece: &super::pieces::Stretch| {
        let mut ends: Option<[[f64; 2]; 2]> = None;
        let mut pixels = 0;
        raster.walk(axis, piece.from..piece.to, reach, |_, n| {
            if n.on {
                let foot = axis.foot(n.pixel.map(|v| v as f64));
                ends = Some([ends.map_or(foot, |[first, _]| first), foot]);
                pixels += 1;
            }
        });
        ends.map(|[start, end]| Segment { start, end, pixels })
    };
    stroke.pieces.iter().filter_map(ends).collect()
}
