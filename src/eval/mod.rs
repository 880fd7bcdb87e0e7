//! Scores of a result against a truth.
//!
//! Two questions are asked. Are the right *planes* found, each once and exactly? And is each
//! *point* given to the right plane? [`evaluate`] answers both from two sets of [`Surfaces`] over
//! one cloud; [`load`] reads them from files.
//!
//! | measure | what is counted |
//! | --- | --- |
//! | precision, recall, F1 of planes | a true plane is found by a plane within [`Options::angle`] whose mean distance from the true plane's points is within [`Options::distance`]; each plane serves once, large true planes choose first, the nearest plane is taken |
//! | duplicates | planes left over that would have found a true plane which another one found |
//! | angle and offset errors | of the planes that were found; offsets are compared at the centroid of the found one |
//! | panoptic quality (Kirillov et al. 2019) | point sets whose intersection over union (IoU) is above 0.5 |
//! | segments found at an IoU | point sets whose IoU is above 0.5; at least 0.75; at least [`Options::iou`] |
//! | mean IoU (mean coverage, mCov) | for each true plane the best IoU with any found one; weighted by points, too (mWCov) |
//! | precision, recall, F1 by points (after RSPD, Araújo and Oliveira 2020) | points shared by pairs of planes, see [`ByPoints`] |
//! | EVOPS' scores (Kornilova et al. 2022) | matches at an IoU of 0.75, in part at 0.2, see [`Evops`] |
//! | correct, over- and under-segmented, missed, noise (Hoover et al. 1996) | point sets that overlap by at least [`Options::overlap`] |
//!
//! # Small planes
//!
//! A true plane of fewer points than [`Options::min_points`] is *small*: it need not be found, and
//! whoever finds it does nothing wrong. It counts neither as found nor as missed, and a found plane
//! is left out of all counts of wrong planes if more than half of its points lie on small ones; as
//! a plane, also if it matches a small one by angle and distance.
//!
//! # Unknown points
//!
//! Points that the truth labels [`UNKNOWN`](crate::cloud::UNKNOWN) are left out of all sets: nobody knows whether a plane
//! is there. A found plane that found no true one and lies with more than half of its points on
//! them, or on small planes, is left out of all counts of wrong planes.
//!
//! # Pieces
//!
//! Pieces of one geometric plane, as the panes of a facade, are one true plane if the truth gives
//! them normals and offsets equal to the bit.
//!
//! ```
//! use planes::eval::{Options, Surfaces, evaluate};
//!
//! // Two steps of a stair; a point of the upper one was given to the lower.
//! let points: Vec<[f64; 3]> =
//!     (0..200).map(|i| [(i % 10) as f64, (i / 10) as f64, (i / 100) as f64]).collect();
//! let truth: Vec<i32> = (0..200).map(|i| i / 100).collect();
//! let mut found = truth.clone();
//! found[199] = 0;
//!
//! let truth = Surfaces::from_labels(&points, &truth)?;
//! let found = Surfaces::from_labels(&points, &found)?;
//! let options = Options { distance: Some(0.1), ..Options::default() };
//! let scores = evaluate(&points, &truth, &found, &options)?;
//! assert_eq!(scores.planes.f1, 1.0);
//! let segments = scores.segments.unwrap();
//! assert_eq!(segments.mean_iou, (100.0 / 101.0 + 99.0 / 100.0) / 2.0);
//! assert_eq!(segments.hoover.correct, 2);
//! # Ok::<(), planes::Error>(())
//! ```

mod by_points;
mod evaluate;
mod evops;
mod files;
mod fit;
mod flat;
mod hoover;
mod labels;
pub mod lines;
mod matching;
mod numbers;
mod options;
mod overlaps;
mod report;
mod segments;
mod surfaces;

pub use by_points::ByPoints;
pub use evaluate::evaluate;
pub use evops::Evops;
pub use files::{Files, Loaded, load, load_with};
pub use flat::Flat;
pub use hoover::{Hoover, Verdict};
pub use labels::read_labels;
pub use matching::Match;
pub use options::{Limits, Options};
pub use report::{Evaluation, FORMAT, FoundRow, PlaneScores, TruthRow, VERSION};
pub use segments::{SegmentScores, Segments};
pub use surfaces::{Surface, Surfaces};
