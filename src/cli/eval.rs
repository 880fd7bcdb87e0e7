//! `planes eval`.

use super::console::write_stdout;
use super::failure::{Failure, with_options};
use super::guard::{self, Output};
use super::lines::eval as lines;
use super::reading::Reading;
use super::values::{number, whole};
use super::words::{brief, clean, counted};
use clap::Args;
use planes::eval::lines::LineLimits;
use planes::eval::{
    Apart, Evaluation, Files, FoundRow, Options, SegmentScores, TruthRow, Verdict, evaluate,
    load_with,
};
use planes::{Error, atomic};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Score a result against a truth
///
/// The result is the JSON document of `planes detect`, a labelled cloud of any program, or labels
/// alone (.npy, or text with one label per line). The truth is a cloud of `planes synth`, any labelled
/// cloud, or a truth document. Points are matched by their number in the file. Planes that no document gives
/// are fitted to the labelled points.
///
/// True planes that are small (--min-points) need not be found, and finding them is not wrong.
/// Points that the truth labels -2 are unknown: every score ignores them.
///
/// Lines are scored if the result and the truth are documents of lines: the .json of an image, and a
/// .truth.json of lines. Each true line can be matched once, by a line within --angle that passes its middle
/// within --distance.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Eval {
    /// The result: .json of detect, a labelled cloud, or labels alone
    result: PathBuf,
    /// The truth: a labelled cloud, with its .truth.json if that is beside it, or a .truth.json
    /// alone
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// Labels for a .json: a labelled cloud or labels alone
    /// [default: NAME.labels.ply, .las, .laz, .pcd, .e57 or .npy beside NAME.json]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Write all scores and a row for each plane as JSON; - prints it
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// List the true planes that were not found correctly and the found planes that are wrong
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What counts as found")]
struct Limits {
    /// Largest angle between a found plane or line and a true one
    #[arg(long, value_name = "DEGREES", default_value_t = 1.0, value_parser = number)]
    angle: f64,
    /// Largest mean distance of a true plane's points from a found plane, or of the middle of a true
    /// line from a found one [default: 4 times the truth's noise, or twice the mean distance from the
    /// true plane if that is more; 2 pixels]
    #[arg(long, value_name = "LENGTH", value_parser = number)]
    distance: Option<f64>,
    /// Least intersection over union at which a segment is found, above 0.5
    #[arg(long, value_name = "SHARE", default_value_t = 0.75, value_parser = number)]
    iou: f64,
    /// Least overlap for Hoover's counts, above 0.5
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = number)]
    overlap: f64,
    /// Fewest points of a true plane that is not small
    /// [default: 50 or 0.05 % of the cloud, whichever is more; fewer where smaller planes hold a tenth of all points on planes]
    #[arg(long, value_name = "N", value_parser = whole)]
    min_points: Option<u64>,
}

impl Eval {
    pub fn run(&self) -> Result<(), Failure> {
        let options = Options {
            angle: self.limits.angle,
            distance: self.limits.distance,
            iou: self.limits.iou,
            overlap: self.limits.overlap,
            min_points: self.limits.min_points,
        };
        options.check()?;
        for path in
            [Some(&self.result), self.labels.as_ref(), Some(&self.truth)].into_iter().flatten()
        {
            if path == "-" {
                let message = "-: standard input is for planes detect and info; name a file";
                return Err(Error::Parameter(message.into()).into());
            }
        }
        let files =
            Files { result: &self.result, labels: self.labels.as_deref(), truth: &self.truth };
        let file = self.json.as_deref().filter(|&path| path != "-");
        let outputs: Vec<Output> =
            file.map(|path| Output::named("--json", path)).into_iter().collect();
        guard::check(&files.all(), &outputs)?;
        file.map_or(Ok(()), |path| guard::check_extension("--json", path, "json"))?;
        files.check()?;
        if files.are_of_lines()? {
            self.reading.check_used(&[])?;
            return self.lines();
        }
        let loaded = load_with(&files, &self.reading.options())?;
        self.reading.check_used(&loaded.formats)?;
        for (path, note) in &loaded.notes {
            log::warn!("{}: {}", path.display(), with_options(&note.to_string()));
        }
        if let Some(apart) = loaded.apart {
            log::warn!("{}", self.said_of(apart));
        }
        loaded.read.iter().for_each(|path| log::info!("read {}", path.display()));
        let scores = evaluate(&loaded.points, &loaded.truth, &loaded.found, &options)?;
        if scores.unknown > 0 && scores.segments.is_none() {
            log::warn!(
                "{}: without labels, planes on points that the truth does not know count as wrong; name the labels with \
                 --labels",
                self.result.display()
            );
        }
        if scores.planes.truth == 0 {
            let least = counted(scores.limits.min_points, "point");
            log::warn!(
                "{}: no plane of at least {least}, so there is nothing to find",
                self.truth.display()
            );
        }
        match (file, &self.json) {
            (Some(path), _) => save(&scores, path)?,
            (None, Some(_)) => write_stdout(&json(&scores)?)?,
            (None, None) => write_stdout(&self.table(&scores))?,
        }
        if self.list && self.json.as_deref() != Some(Path::new("-")) {
            write_stdout(&list(&scores))?;
        }
        Ok(())
    }

    /// Scores lines.
    fn lines(&self) -> Result<(), Failure> {
        let default = LineLimits::default();
        let distance = self.limits.distance.unwrap_or(default.distance);
        let limits = LineLimits { angle: self.limits.angle, distance };
        let scores = lines::evaluate(&self.result, &self.truth, limits)?;
        match self.json.as_deref() {
            Some(path) if path != "-" => save(&scores, path)?,
            Some(_) => return write_stdout(&json(&scores)?),
            None => {
                write_stdout(&lines::table(&self.names(), &scores))?;
            }
        }
        write_stdout(&if self.list { lines::list(&scores) } else { String::new() })
    }

    /// What is said of a result whose points are not where those of the truth are.
    fn said_of(&self, apart: Apart) -> String {
        let (result, truth) = (self.result.display(), self.truth.display());
        let where_not = format!("{result}: its points are not where those of {truth} are");
        match apart {
            Apart::Moved(by) => {
                let [x, y, z] = by.map(brief);
                format!(
                    "{where_not}, but moved by {x}, {y}, {z}; planes of a .json cannot match then"
                )
            }
            Apart::Elsewhere => format!(
                "{where_not}; points are matched by their number in the file, so these must be the same cloud in the same order"
            ),
        }
    }

    /// The names of the result and the truth.
    fn names(&self) -> String {
        clean(&format!("{} against {}", self.result.display(), self.truth.display())).into_owned()
    }

    fn table(&self, scores: &Evaluation) -> String {
        let (p, limits) = (&scores.planes, &scores.limits);
        let names = self.names();
        let unknown = match scores.unknown {
            0 => String::new(),
            unknown => format!(", {unknown} of them unknown"),
        };
        let mut out = format!("{names}: {}{unknown}\n", counted(scores.points, "point"));
        let mut line = |label: &str, value: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  {label:<9} {value}");
        };
        if let Some(s) = &scores.segments {
            line(
                "F1",
                format!(
                    "{:.3} at IoU 0.5  {:.3} at IoU 0.75  panoptic quality {:.3} (segmentation {:.3}, recognition {:.3})",
                    s.at_50.f1,
                    s.at_75.f1,
                    s.panoptic_quality,
                    s.segmentation_quality,
                    s.recognition_quality
                ),
            );
        }
        line(
            "planes",
            format!(
                "{} true, {} found, {} of them right, {} missed, {} found again, {} otherwise wrong",
                p.truth,
                p.found,
                p.matched,
                p.missed,
                p.duplicates,
                p.found - p.matched - p.duplicates
            ),
        );
        line(
            "",
            format!(
                "precision {:.3}  recall {:.3}  F1 {:.3}, within {}° and {}",
                p.precision,
                p.recall,
                p.f1,
                limits.angle,
                short(limits.distance)
            ),
        );
        if p.small + p.ignored > 0 {
            let few = limits.min_points;
            let true_ones = format!("{} true of fewer than {few} points", p.small);
            line("left out", format!("{true_ones}, {} found on such or unknown points", p.ignored));
        }
        if let (Some(angle), Some(offset)) = (p.angle, p.offset) {
            line("errors", format!("angle {}°  offset {}, medians", short(angle), short(offset)));
        }
        if let Some(s) = &scores.segments {
            segment_lines(s, limits, &mut line);
        }
        out
    }
}

/// The scores of the point sets, one per line.
fn segment_lines(
    s: &SegmentScores,
    limits: &planes::eval::Limits,
    line: &mut impl FnMut(&str, String),
) {
    let three = |precision: f64, recall: f64, f1: f64| {
        format!("precision {precision:.3}  recall {recall:.3}  F1 {f1:.3}")
    };
    let at = &s.at_iou;
    line(&format!("IoU {}", limits.iou), three(at.precision, at.recall, at.f1));
    line("", format!("mean IoU {:.3}, weighted by points {:.3}", s.mean_iou, s.weighted_iou));
    let p = &s.by_points;
    line("points", three(p.precision, p.recall, p.f1));
    let e = &s.evops;
    line(
        "EVOPS",
        format!(
            "{}, under-segmented {:.3}, over-segmented {:.3}, missed {:.3}, noise {:.3}, IoU {:.3}, Dice {:.3}",
            three(e.precision, e.recall, e.f_score),
            e.usr,
            e.osr,
            e.missed,
            e.noise,
            e.mean_iou,
            e.mean_dice
        ),
    );
    let h = &s.hoover;
    line(
        "Hoover",
        format!(
            "{} correct, {} over-segmented, {} under-segmented, {} missed, {} noise, at overlap {}",
            h.correct, h.over_segmented, h.under_segmented, h.missed, h.noise, limits.overlap
        ),
    );
}

/// The document, ending with a newline.
fn json(scores: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(scores).map_err(std::io::Error::from)?;
    Ok(text + "\n")
}

fn save(scores: &impl Serialize, path: &Path) -> Result<(), Failure> {
    let text = json(scores)?;
    Ok(atomic::save(path, |file| file.write_all(text.as_bytes()))?)
}

/// The planes that need attention, one per line.
fn list(scores: &Evaluation) -> String {
    let mut out = String::new();
    for row in scores.truth.iter().filter(|row| !row.small) {
        if let Some(what) = wrong_truth(row) {
            let name = if row.name.is_empty() { String::new() } else { format!(" ({})", row.name) };
            let _ =
                writeln!(out, "true {}{name}, {}: {what}", row.id, counted(row.points, "point"));
        }
    }
    let name = |id: i32| {
        let row = scores.truth.iter().find(|row| row.id == id);
        match row.map(|row| row.name.as_str()).filter(|name| !name.is_empty()) {
            Some(name) => format!("{id} ({name})"),
            None => id.to_string(),
        }
    };
    for row in scores.found.iter().filter(|row| !row.ignored) {
        if let Some(what) = wrong_found(row, &name) {
            let holds: Vec<String> =
                row.holds.iter().map(|&(id, n)| format!("{n} of true {}", name(id))).collect();
            let holds =
                if holds.is_empty() { "none of a true plane".into() } else { holds.join(", ") };
            let _ = writeln!(
                out,
                "found {}, {}: {what}; {holds}",
                row.id,
                counted(row.points, "point")
            );
        }
    }
    out
}

/// What is wrong with the detection of a true plane, if anything.
fn wrong_truth(row: &TruthRow) -> Option<String> {
    let segment = match (row.segment, row.iou) {
        (Some(segment), Some(iou)) => format!("; best IoU {iou:.3}, with {segment}"),
        _ => String::new(),
    };
    let verdict = match row.verdict {
        Some(Verdict::OverSegmented) => "over-segmented",
        Some(Verdict::UnderSegmented) => "under-segmented",
        Some(Verdict::Missed) if row.found.is_some() => "found, its points not",
        _ if row.found.is_none() => "missed",
        _ => return None,
    };
    let missed = if row.found.is_none() && verdict != "missed" { "missed, " } else { "" };
    Some(format!("{missed}{verdict}{segment}"))
}

/// What is wrong with a found plane, if anything.
fn wrong_found(row: &FoundRow, name: &dyn Fn(i32) -> String) -> Option<String> {
    match (row.truth, row.duplicate_of) {
        (Some(_), _) => None,
        (None, Some(id)) => Some(format!("true {} found again", name(id))),
        (None, None) => Some("no true plane".into()),
    }
}

/// A number with four significant digits, without trailing zeros.
fn short(v: f64) -> String {
    if v == 0.0 {
        return "0".into();
    }
    let digits = (3.0 - v.abs().log10().floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{v:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(0.02), "0.02");
        assert_eq!(short(0.001_234_56), "0.001235");
        assert_eq!(short(1200.0), "1200");
        assert_eq!(short(12.345), "12.35");
    }
}
