//! Scores of a result against a truth.
//!
//! There are two questions. Are the right *planes* found, each once and accurately? And is each
//! *point* assigned to the right plane? [`evaluate`] answers both from two sets of [`Surfaces`] over
//! one cloud; [`load`] reads them from files.
//!
//! | measure | what is counted |
//! | --- | --- |
//! | precision, recall, F1 of planes | a true plane is found if a found plane is within [`Options::angle`] of it and the mean distance of the true plane's points from the found plane is within [`Options::distance`]; each found plane serves once, large true planes choose first, and each takes the nearest plane |
//! | duplicates | planes left over that are within the limits of a true plane that another one found |
//! | angle and offset errors | of the planes that were found; offsets are compared at the found plane's centroid |
//! | panoptic quality (Kirillov et al. 2019) | point sets whose intersection over union (IoU) is above 0.5 |
//! | segments found at an IoU | point sets whose IoU is above 0.5; at least 0.75; at least [`Options::iou`] |
//! | mean IoU (mean coverage, mCov) | for each true plane, the best IoU with any found one; also weighted by points (mWCov) |
//! | precision, recall, F1 by points (after RSPD, Araújo and Oliveira 2020) | points shared by pairs of planes, see [`ByPoints`] |
//! | EVOPS' scores (Kornilova et al. 2022) | matches at an IoU of 0.75, in part at 0.2, see [`Evops`] |
//! | correct, over- and under-segmented, missed, noise (Hoover et al. 1996) | point sets that overlap by at least [`Options::overlap`] |
//!
//! # Small planes
//!
//! A true plane with fewer points than [`Options::min_points`] is *small*: it need not be found, and finding it
//! is not wrong. It counts neither as found nor as missed. A found plane does not count as wrong if more than
//! half of its points lie on small planes; in the scores of planes, also if it matches a small plane by angle
//! and distance.
//!
//! # Unknown points
//!
//! All point sets leave out the points that the truth labels [`UNKNOWN`](crate::cloud::UNKNOWN): nobody knows
//! whether there is a plane. A found plane that found no true one and has more than half of its points on
//! unknown points or small planes does not count as wrong.
//!
//! # Pieces
//!
//! Pieces of one geometric plane, such as the panes of a façade, are one true plane if the truth gives
//! them normals and offsets that are equal to the bit.
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

mod apart;
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

pub use apart::Apart;
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
