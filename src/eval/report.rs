//! The scores as one document.

use super::flat::Flat;
use super::hoover::{Verdict, Verdicts};
use super::matching::{Match, Matching};
use super::numbers::{f1, median, ratio};
use super::options::Limits;
use super::overlaps::Overlaps;
use super::segments::SegmentScores;
use super::surfaces::{Surface, Surfaces};
use serde::Serialize;

/// The value of the document's `format` member.
pub const FORMAT: &str = "planes-evaluation";

/// Version of the document; it increases when a reader of the old layout would misread the new one.
pub const VERSION: u32 = 1;

/// All scores, with a row for each plane.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// [`FORMAT`].
    pub format: &'static str,
    /// [`VERSION`].
    pub version: u32,
    /// Points of the cloud.
    pub points: u64,
    /// Number of them whose plane is unknown in the truth.
    pub unknown: u64,
    /// The limits that were used.
    pub limits: Limits,
    /// Scores of the planes.
    pub planes: PlaneScores,
    /// Scores of the point sets; `None` if a side has no labels.
    pub segments: Option<SegmentScores>,
    /// Every true plane.
    pub truth: Vec<TruthRow>,
    /// Every found plane.
    pub found: Vec<FoundRow>,
}

/// Scores of planes by angle and distance; 0 if the divisor is 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlaneScores {
    /// True planes asked for.
    pub truth: usize,
    /// True planes too small to be asked for.
    pub small: usize,
    /// Found planes that count, matched or wrong.
    pub found: usize,
    /// Found planes that do not count because they are small true planes or lie on unknown points.
    pub ignored: usize,
    /// True planes that were found.
    pub matched: usize,
    /// True planes that were not found.
    pub missed: usize,
    /// Found planes that are wrong because another one found the same true plane.
    pub duplicates: usize,
    /// `matched / found`.
    pub precision: f64,
    /// `matched / truth`.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
    /// Median angle error of the matches, in degrees; the mean of the middle two if their number is even.
    pub angle: Option<f64>,
    /// Median offset error of the matches, in the cloud's unit.
    pub offset: Option<f64>,
}

/// Result for a true plane.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruthRow {
    /// The label of its points; that of its first piece if there are several.
    pub id: i32,
    /// Its name; empty if the truth gives none.
    pub name: String,
    /// Number of joined pieces with one equation.
    pub pieces: usize,
    /// Points on it.
    pub points: u64,
    /// Whether it has too few points to be asked for.
    pub small: bool,
    /// Unit normal; `None` if there were too few points to fit one.
    pub normal: Option<[f64; 3]>,
    /// `normal · p` of its points.
    pub offset: Option<f64>,
    /// Label of the plane that found it; `None` if it was missed or is not asked for.
    pub found: Option<i32>,
    /// The errors of that plane.
    pub errors: Option<Match>,
    /// Label of the found plane with the largest intersection over union.
    pub segment: Option<i32>,
    /// That intersection over union.
    pub iou: Option<f64>,
    /// Hoover's verdict.
    pub verdict: Option<Verdict>,
}

/// Result for a found plane.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundRow {
    /// The label of its points.
    pub id: i32,
    /// Points on it.
    pub points: u64,
    /// Number of them whose plane is unknown in the truth.
    pub unknown: u64,
    /// Unit normal; `None` if there were too few points to fit one.
    pub normal: Option<[f64; 3]>,
    /// `normal · p` of its points.
    pub offset: Option<f64>,
    /// The true plane that it found.
    pub truth: Option<i32>,
    /// The true plane that it would have found if another had not.
    pub duplicate_of: Option<i32>,
    /// Whether it does not count, because it is a small true plane or lies on unknown points.
    pub ignored: bool,
    /// Hoover's verdict.
    pub verdict: Option<Verdict>,
    /// The true planes with most of its points, at most three: label and points.
    pub holds: Vec<(i32, u64)>,
}

/// Most true planes listed for a found one.
const HOLDS: usize = 3;

/// Both sides and the results of comparing them.
pub(super) struct Sides<'a> {
    pub(super) truth: &'a Surfaces,
    pub(super) found: &'a Surfaces,
    pub(super) asked: &'a [bool],
    pub(super) on_small: &'a [bool],
}

impl Sides<'_> {
    /// Whether a found plane counts neither as right nor as wrong.
    fn ignored(&self, f: usize, matching: &Matching) -> bool {
        matching.of_found[f].is_none() && (self.on_small[f] || matching.small[f])
    }

    fn truth_id(&self, t: usize) -> i32 {
        self.truth.planes[t].id
    }
}

/// Points of the cloud.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub(super) points: u64,
    pub(super) unknown: u64,
}

/// Assembles the report.
pub(super) fn report(
    sides: &Sides,
    limits: Limits,
    counted: Counted,
    matching: &Matching,
    overlaps: &Overlaps,
    segments: Option<SegmentScores>,
    verdicts: Option<&Verdicts>,
) -> Evaluation {
    Evaluation {
        format: FORMAT,
        version: VERSION,
        points: counted.points,
        unknown: counted.unknown,
        limits,
        planes: plane_scores(sides, matching),
        segments,
        truth: truth_rows(sides, matching, overlaps, verdicts),
        found: found_rows(sides, matching, overlaps, verdicts),
    }
}

fn plane_scores(sides: &Sides, matching: &Matching) -> PlaneScores {
    let planes = 0..sides.found.planes.len();
    let truth = sides.asked.iter().filter(|&&a| a).count();
    let ignored = planes.clone().filter(|&f| sides.ignored(f, matching)).count();
    let found = planes.len() - ignored;
    let duplicates =
        planes.filter(|&f| matching.duplicate_of[f].is_some() && !sides.ignored(f, matching));
    let matches: Vec<Match> = matching.of_truth.iter().copied().flatten().collect();
    PlaneScores {
        truth,
        small: sides.asked.len() - truth,
        found,
        ignored,
        matched: matches.len(),
        missed: truth - matches.len(),
        duplicates: duplicates.count(),
        precision: ratio(matches.len(), found),
        recall: ratio(matches.len(), truth),
        f1: f1(matches.len(), found, truth),
        angle: median(&mut matches.iter().map(|m| m.angle).collect::<Vec<_>>()),
        offset: median(&mut matches.iter().map(|m| m.offset).collect::<Vec<_>>()),
    }
}

fn truth_rows(
    sides: &Sides,
    matching: &Matching,
    overlaps: &Overlaps,
    verdicts: Option<&Verdicts>,
) -> Vec<TruthRow> {
    let best = overlaps.best();
    let found_id = |f: usize| sides.found.planes[f].id;
    let row = |(t, plane): (usize, &Surface)| TruthRow {
        id: plane.id,
        name: plane.name.clone(),
        pieces: plane.pieces,
        points: plane.points,
        small: !sides.asked[t],
        normal: plane.flat.map(|flat: Flat| flat.normal),
        offset: plane.flat.map(|flat| flat.offset),
        found: matching.of_truth[t].map(|m| found_id(m.found)),
        errors: matching.of_truth[t],
        segment: best[t].map(|b| found_id(b.0)),
        iou: verdicts.map(|_| best[t].map_or(0.0, |b| b.1)),
        verdict: verdicts.and_then(|v| v.truth[t]),
    };
    sides.truth.planes.iter().enumerate().map(row).collect()
}

fn found_rows(
    sides: &Sides,
    matching: &Matching,
    overlaps: &Overlaps,
    verdicts: Option<&Verdicts>,
) -> Vec<FoundRow> {
    let mut holds: Vec<Vec<(i32, u64)>> = vec![vec![]; sides.found.planes.len()];
    for &(t, f, n) in &overlaps.pairs {
        holds[f].push((sides.truth_id(t), n));
    }
    let row = |((f, plane), mut holds): ((usize, &Surface), Vec<(i32, u64)>)| {
        holds.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
        holds.truncate(HOLDS);
        FoundRow {
            id: plane.id,
            points: plane.points,
            unknown: overlaps.unknown[f],
            normal: plane.flat.map(|flat| flat.normal),
            offset: plane.flat.map(|flat| flat.offset),
            truth: matching.of_found[f].map(|t| sides.truth_id(t)),
            duplicate_of: matching.duplicate_of[f].map(|t| sides.truth_id(t)),
            ignored: sides.ignored(f, matching),
            verdict: verdicts.and_then(|v| v.found[f]),
            holds,
        }
    };
    sides.found.planes.iter().enumerate().zip(holds).map(row).collect()
}
