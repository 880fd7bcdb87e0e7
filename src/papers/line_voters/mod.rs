//! Every voter of the papers on lines in images.
//!
//! - M. Kumar, "Hough Transform Implementation Using CUDA" (2022);
//! - G. van den Braak et al., "Fast Hough Transform on GPUs: Exploration of Algorithm Trade-offs" (2011);
//! - N. Tomagou, K. Nakano, Y. Ito, "An Implementation of Hough Transform on the GPU".
//!
//! All of them compute the bin of a pixel like every other voter here (see [`crate::vote`]), so the same image
//! and space give the same accumulator, vote for vote, whichever voter counts. The papers' own spaces
//! ([`PaperSpace`]) are ordinary tables of directions. Versions that need a slope ([`Version::needs_slopes`])
//! vote in the two Cartesian spaces of an image, the others in any space. Differences between the kernels and
//! the papers' listings are noted in `kernels/kumar.cu`, `kernels/braak.cu` and `kernels/tomagou.cu`.
//!
//! Voters on the CPU are functions ([`cpu`], [`slices`]), those on a GPU methods of [`LineVotes`].
//!
//! ```
//! use planes::papers::line_voters::{EdgeImage, cpu};
//! use planes::space::kumar;
//!
//! // A column of edges.
//! let image = EdgeImage::new([64, 48], (0..48).map(|y| [20, y]));
//! let space = kumar([64, 48])?;
//! let votes = cpu::serial(&image, &space);
//! // θ = 0° is row 90. There all edges vote for ρ = 20; the bins begin at minus the diagonal, −80.
//! assert_eq!(votes[90 * space.bins() + 80 + 20], 48);
//! # Ok::<(), planes::Error>(())
//! ```

mod accumulators;
mod bits;
pub mod cpu;
mod edge_image;
mod gpu;
mod paper_space;
mod version;

pub use accumulators::accumulators;
pub use bits::slices;
pub use edge_image::EdgeImage;
pub(in crate::papers) use gpu::ImageSpace;
pub use gpu::{LineVotes, Steps};
pub use paper_space::PaperSpace;
pub use version::Version;
