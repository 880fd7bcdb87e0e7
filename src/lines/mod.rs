//! Finds lines in images.
//!
//! An edge pixel is a point `(x, y, 0)`, and a line is a direction `(cos θ, sin θ, 0)` and a distance, so
//! the voters of clouds work here, too. What this module adds is the decision which bins are lines.
//! Many votes alone mean little: a bin that crosses the image along its diagonal, or through dense
//! edges, collects many by chance. So each bin is scored against chance (see [`Chance`]). The best bins are
//! refined on their own pixels, the pixels of the lines are removed together with their votes, and the next
//! round starts, until the remaining bins could be the work of chance.
//!
//! Pixel centres are at integer coordinates, the origin is the centre of the top left pixel, and `y` points down.
//! A line is `x cos θ + y sin θ = ρ` with `0° ≤ θ < 180°`.
//!
//! ```
//! use planes::cpu::Cpu;
//! use planes::image::Image;
//! use planes::lines::{Options, detect};
//!
//! // A white line on black: x + y = 100.
//! let on = |x: u32, y: u32| x + y == 100;
//! let pixels = (0..100 * 100).flat_map(|i| [if on(i % 100, i / 100) { 255 } else { 0 }; 3]);
//! let image = Image::from_rgb(100, 100, pixels.collect())?;
//!
//! let found = detect(&image, &Options::default(), &Cpu::default())?;
//! assert_eq!(found.lines.len(), 1);
//! let line = &found.lines[0];
//! assert!((line.theta - 45.0).abs() < 0.01 && (line.rho - 70.71).abs() < 0.01);
//! # Ok::<(), planes::Error>(())
//! ```

mod area;
mod cast;
mod chance;
mod detect;
mod fit;
mod geometry;
mod line;
mod merge;
mod options;
mod peaks;
mod pieces;
mod raster;
mod refine;
mod rounds;
mod sight;
mod space;
mod verify;
mod voters;
mod zoom;

pub(crate) use area::areas;
pub use chance::Chance;
pub(crate) use detect::parameters;
pub use detect::{detect, detect_in};
pub use line::{Detection, Line, Segment};
pub use options::{Options, Parameters, PassParameters, Strokes};
pub(crate) use peaks::{is_outdone, least_excess};
pub(crate) use sight::Sight;
pub use space::Polar;
pub use voters::{Voters, fit_voters};
