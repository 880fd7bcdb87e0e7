//! Scenes of known planes: clouds that show whether a plane finder is right.
//!
//! Every point comes with the plane it was drawn from, and every plane with its equation and
//! outline. The same scene and options give the same points on every machine, whatever the number
//! of threads and the size of the chunks.
//!
//! A [`Sensor`] draws the scene as an instrument sees it, with its noise and its gaps. Other options
//! change the points as other programs would; see [`SceneOptions`].
//!
//! ```
//! use planes::synth::{Scene, SceneOptions, generate};
//!
//! # fn main() -> planes::Result<()> {
//! let scene: Scene = "room".parse()?;
//! let mut points = generate(scene, &SceneOptions::new(scene, 10_000))?;
//! let drawn: usize = points.by_ref().map(|chunk| chunk.len()).sum();
//! assert_eq!(drawn, 10_000);
//! assert_eq!(points.truth().planes[0].name, "floor");
//! # Ok(())
//! # }
//! ```

mod file;
pub mod lines;
mod model;
mod options;
mod points;
mod random;
mod sampler;
mod scene;
mod scenes;
mod sensor;
mod shape;
mod smooth;
mod thin;
mod truth;
mod vector;

pub use file::write_scene;
pub use options::{Passes, SceneOptions, Voxel};
pub use points::{Points, generate};
pub use scene::{HardPart, STEP, Scene};
pub use sensor::Sensor;
pub use truth::{Camera, Survey, TRUTH_VERSION, Truth, TruthPlane, truth_path};
