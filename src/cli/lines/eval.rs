//! `planes eval` of lines.

use planes::Error;
use planes::eval::lines::{LineLimits, LineScores, score};
use planes::export::lines::json::read_json;
use planes::synth::lines::LineTruth;
use std::fmt::Write;
use std::path::Path;

/// Scores a document of lines against a truth of lines.
pub fn evaluate(result: &Path, truth: &Path, limits: LineLimits) -> Result<LineScores, Error> {
    score(&read_json(result)?, &LineTruth::read(truth)?, limits)
}

/// The scores, for people.
pub fn table(names: &str, s: &LineScores) -> String {
    let mut out = format!("{names}:\n");
    let wrong = s.found - s.matched - s.duplicates;
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "  lines     {} true, {} found, {} of them right, {} missed, {} found again, {wrong} \
         otherwise wrong",
        s.truth,
        s.found,
        s.matched,
        s.truth - s.matched,
        s.duplicates
    );
    let _ = writeln!(
        out,
        "            precision {:.3}  recall {:.3}  F1 {:.3}, within {}° and {} pixels at the \
         middle",
        s.precision, s.recall, s.f1, s.limits.angle, s.limits.distance
    );
    if let (Some(angle), Some(distance)) = (s.angle, s.distance) {
        let _ = writeln!(out, "  errors    angle {angle:.4}°  distance {distance:.3}, medians");
    }
    out
}

/// The lines that need attention, one per line of text.
pub fn list(s: &LineScores) -> String {
    let missed = s.of_truth.iter().enumerate().filter(|(_, found)| found.is_none());
    let wrong = s.of_found.iter().enumerate().filter(|(_, truth)| truth.is_none());
    let missed = missed.map(|(id, _)| format!("true {id}: missed\n"));
    missed.chain(wrong.map(|(id, _)| format!("found {id}: no true line\n"))).collect()
}
