//! Images of known lines.
//!
//! ```
//! use planes::synth::lines::{Hardness, LineOptions, draw};
//!
//! let (image, truth) = draw(&LineOptions { kind: Hardness::Dense, ..LineOptions::default() })?;
//! assert_eq!(image.width(), 640);
//! assert_eq!(truth.lines.len(), 12);
//! # Ok::<(), planes::Error>(())
//! ```

mod draw;
mod file;
mod layout;
mod options;
mod paint;
mod sparse;
mod truth;

pub use draw::draw;
pub use file::write_image;
pub use options::{Hardness, LineOptions};
pub use sparse::{SparseLine, strewn, uniform_points};
pub use truth::{FORMAT, LineTruth, TrueLine, VERSION};
