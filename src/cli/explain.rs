//! `planes detect --explain`: what was measured, what was chosen, and what was rejected.

use super::words::{counted, significant, within};
use planes::detect::{Mode, Options};
use planes::detection::{Detection, Parameters, Reason, Rejected};
use std::fmt::Write;

/// Most candidates shown.
const CANDIDATES: usize = 10;
/// Fewer points lie in one plane by chance.
const FEWEST: u64 = 10;

/// An account of a detection, in plain words.
pub fn explain(detection: &Detection, options: &Options) -> String {
    let mut out = String::new();
    measured(&mut out, detection);
    chosen(&mut out, &detection.parameters, options);
    found(&mut out, detection);
    let top = detection.parameters.top.unwrap_or_default();
    let mut list = |heading: &str, is: &dyn Fn(Reason) -> bool| {
        let these: Vec<&Rejected> = detection.rejected.iter().filter(|r| is(r.reason)).collect();
        candidates(&mut out, heading, &these, &detection.parameters);
    };
    list(&format!("Planes that are not among the top {top}"), &|r| r == Reason::BeyondTop);
    list("Planes that are smaller than --min-area", &|r| r == Reason::SmallArea);
    list("Best candidates that are no planes", &|r| {
        !matches!(r, Reason::BeyondTop | Reason::SmallArea)
    });
    out
}

/// Adds a line; writing to a string cannot fail.
macro_rules! line {
    ($out:expr, $($text:tt)*) => {{ let _ = writeln!($out, $($text)*); }};
}

fn measured(out: &mut String, detection: &Detection) {
    let (input, p) = (&detection.input, &detection.parameters);
    let side = |a: usize| significant(input.max[a] - input.min[a]);
    line!(out, "Measured");
    line!(out, "  extent     {} x {} x {}", side(0), side(1), side(2));
    if input.not_chosen > 0 {
        line!(out, "  not chosen {} points", input.not_chosen);
    }
    if input.not_finite + input.stray > 0 {
        line!(
            out,
            "  left out   {} without usable coordinates, {} far from all others",
            counted(input.not_finite, "point"),
            input.stray
        );
    }
    if p.noise > 0.0 {
        line!(
            out,
            "  spacing    {} between neighbouring points on surfaces",
            significant(p.spacing)
        );
        line!(out, "  noise      {} from a point to its surface, rms", significant(p.noise));
        line!(
            out,
            "  scale      {} across the smallest judged neighbourhoods",
            significant(p.scale)
        );
    }
    if let Some(at) = p.viewpoint {
        let [x, y, z] = at.map(significant);
        line!(
            out,
            "  camera     at {x}, {y}, {z}, as the points tell: a frame, with lengths at its middle depth"
        );
    }
    if let Some(at) = p.camera {
        let [x, y, z] = at.map(significant);
        line!(
            out,
            "  pixels     as seen from {x}, {y}, {z}: planes are divided where the camera sees through"
        );
    }
    if p.rings > 0 {
        line!(
            out,
            "  rings      {} of a spinning scanner: the search puts points between them, and measures with these",
            p.rings
        );
    }
    if p.copies > 1.0 {
        line!(
            out,
            "  copies     {} of each point, of which the search takes one",
            significant(p.copies)
        );
    }
    if p.rounding > 0.0 {
        line!(out, "  rounding   {} of the coordinates, rms", significant(p.rounding));
    }
}

/// The source of a parameter: the user, or the given reason.
fn origin(given: bool, reason: &str) -> &str {
    if given { "as given" } else { reason }
}

fn chosen(out: &mut String, p: &Parameters, options: &Options) {
    line!(out, "Chosen");
    let row = |out: &mut String, name: &str, value: String, why: &str| {
        line!(out, "  {name:<14} {value:<14} {why}");
    };
    let one_pass = options.mode == Mode::OnePass;
    let why = origin(
        options.tolerance.is_some(),
        if one_pass { "half a bin" } else { "three times the noise" },
    );
    row(out, "--tolerance", significant(p.tolerance), why);
    let why =
        if one_pass { "the extent in 180 bins" } else { "two tolerances, or the extent / 2048" };
    row(out, "--rho-bin", significant(p.rho_bin), origin(options.rho_bin.is_some(), why));
    let why = if one_pass { "the papers' grid" } else { "evenly spread, 2 degrees apart" };
    row(out, "--space", p.directions.to_string(), origin(options.directions.is_some(), why));
    let why = if one_pass { "any" } else { "a quarter of --min-inliers" };
    row(out, "--min-votes", p.min_votes.to_string(), origin(options.min_votes.is_some(), why));
    let why = if one_pass { "as the votes have them" } else { "least squares, on clean points" };
    row(out, "--refine", p.refine.to_string(), origin(options.refine.is_some(), why));
    if one_pass {
        return;
    }
    let why = "one point in 2500, at least 20; fewer in large clouds of small faces or one sheet";
    row(
        out,
        "--min-inliers",
        p.min_inliers.to_string(),
        origin(options.min_inliers.is_some(), why),
    );
    let why = "degrees between a surface and its plane";
    row(out, "--angle", significant(p.angle), origin(options.angle.is_some(), why));
    let why = "tolerances for planes that are not quite flat, and for rougher places";
    row(out, "--widen", significant(p.widen), origin(options.widen.is_some(), why));
    let votes = "degrees around its normal for which a surface votes: three standard errors";
    row(out, "spread", significant(p.spread), votes);
}

fn found(out: &mut String, detection: &Detection) {
    let wider = |p: &&planes::Plane| p.tolerance > 1.001 * detection.parameters.tolerance;
    let wide = detection.planes.iter().filter(wider).count();
    // In a frame, the slab of each plane is that of its own noise.
    let may_be_kept = detection.parameters.widen > 1.0 && detection.parameters.viewpoint.is_none();
    line!(out, "Found");
    line!(
        out,
        "  {}, {wide} of them in a wider slab than --tolerance{}",
        counted(detection.planes.len() as u64, "plane"),
        if wide > 0 && may_be_kept { "; --widen 1 keeps all within --tolerance" } else { "" }
    );
    if let Some(least) = detection.planes.last() {
        line!(
            out,
            "  the least significant one has {}; chance would make one like it in 1 of 10^{:.0} clouds",
            counted(least.inliers, "point"),
            least.significance
        );
    }
}

fn candidates(out: &mut String, heading: &str, candidates: &[&Rejected], limits: &Parameters) {
    if candidates.is_empty() {
        return;
    }
    line!(out, "{heading}");
    for r in candidates.iter().take(CANDIDATES) {
        let [x, y, z] = r.normal;
        line!(
            out,
            "  normal {x:+.3} {y:+.3} {z:+.3}  {}  {}, {}{}",
            place(r, limits),
            counted(r.votes, "vote"),
            counted(r.points, "point"),
            because(r, limits)
        );
    }
}

/// Where a candidate is. Its offset holds at the origin, which may be far away.
fn place(rejected: &Rejected, limits: &Parameters) -> String {
    match rejected.centroid {
        Some(at) => {
            let [x, y, z] = at.map(|v| within(v, limits.spacing.max(limits.tolerance)));
            format!("around {x}, {y}, {z}")
        }
        None => format!("offset {}", within(rejected.offset, limits.tolerance / 10.0)),
    }
}

/// Why a candidate is not a plane, and which option may make it one.
pub fn because(rejected: &Rejected, limits: &Parameters) -> String {
    let reason = match rejected.reason {
        Reason::TooSmall => ": too few connected points lie along it",
        Reason::Mixed => ": most of what lies in its slab does not lie along it",
        Reason::Round => ": its surface is curved, or a piece of one that goes on around it",
        Reason::Chamfer => {
            ": it is a strip along an edge, too narrow to be told from a rounded edge"
        }
        Reason::Indistinct => ": it does not stand out from the points right above and below it",
        Reason::Bent => ": it is not flat",
        Reason::EdgeOn => ": the scanner sees it edge-on, so it may be a single ring",
        Reason::Taken => ": too few points fit it better than other planes",
        Reason::Chance => ": chance could have made it",
        Reason::SmallArea | Reason::BeyondTop => "",
    };
    let advice = advice(rejected, limits).map_or_else(String::new, |advice| format!("; {advice}"));
    reason.to_string() + &advice
}

/// Which option may make a plane of a candidate. What a search finds with it is known only after that search.
fn advice(rejected: &Rejected, limits: &Parameters) -> Option<String> {
    let Rejected { reason, points, fewest, needs, .. } = *rejected;
    match reason {
        Reason::TooSmall | Reason::Taken => {
            let fewer = fewest.filter(|&n| points >= FEWEST && n >= FEWEST);
            let fewer = fewer.filter(|&n| n < limits.min_inliers)?;
            Some(format!("--min-inliers {fewer} may take it"))
        }
        Reason::Round | Reason::Chamfer | Reason::Indistinct => {
            Some("--curved facets may take it, or parts of it".to_string())
        }
        // With a tolerance, a frame is no longer searched as the camera sees it.
        Reason::Bent if limits.viewpoint.is_none() => {
            let tolerance = significant(needs?);
            let options = format!("--tolerance {tolerance} --widen 1");
            Some(format!("{options} may take it, or parts of it; both hold for all planes"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_option_makes_a_plane_of_a_point() {
        let limits = Parameters { min_inliers: 50, ..Parameters::default() };
        let why = |points| {
            let rejected = Rejected {
                normal: [0.0, 0.0, 1.0],
                offset: 0.0,
                votes: 9,
                points,
                centroid: None,
                reason: Reason::TooSmall,
                fewest: Some(points),
                needs: None,
            };
            because(&rejected, &limits)
        };
        let few = ": too few connected points lie along it";
        assert_eq!(
            [why(1), why(40), why(50)],
            [few.to_owned(), format!("{few}; --min-inliers 40 may take it"), few.to_owned()]
        );
    }
}
