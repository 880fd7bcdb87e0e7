//! The options that decide what is found. Each is named, so that none is forgotten when one is added.

use super::arguments::Batch;
use super::summary;
use planes::cloud::Choice;
use planes::detect::{Mode, Options};
use planes::detection::Curved;
use planes::lines;
use planes::orient::Orient;
use serde_json::json;

/// Those of a batch.
pub fn decisive(batch: &Batch, options: &Options) -> summary::Options {
    let Options {
        mode,
        directions,
        rho_bin,
        tolerance,
        widen,
        angle,
        curved,
        refine,
        orient,
        min_votes,
        min_inliers,
        top,
        min_area,
        // The planes are the same.
        planes_only: _,
    } = options;
    let mode = match mode {
        Mode::Near => None,
        Mode::All => Some("all"),
        Mode::OnePass => Some("one-pass"),
    };
    let Choice { classes, bbox, every } = batch.search.choice();
    let classes: Option<Vec<String>> =
        classes.map(|classes| classes.iter().map(u8::to_string).collect());
    let arithmetic = Some(batch.machine.arithmetic()).filter(|&name| name != "f32");
    let clouds = json!({
        "mode": mode,
        "arithmetic": arithmetic,
        "space": directions.map(|directions| directions.to_string()),
        "rho_bin": rho_bin,
        "tolerance": tolerance,
        "widen": widen,
        "angle": angle,
        "curved": (*curved != Curved::default()).then_some(curved),
        "refine": refine,
        "orient": (*orient != Orient::default()).then_some(orient),
        "min_votes": min_votes,
        "min_inliers": min_inliers,
        "top": top,
        "min_area": min_area,
        "class": classes.map(|classes| classes.join(",")),
        "bbox": bbox.map(|bbox| bbox.to_string()),
        "every": every,
        "columns": batch.reading.columns(),
        "camera": batch.reading.camera(),
    });
    summary::Options { clouds, images: of_images(batch) }
}

fn of_images(batch: &Batch) -> serde_json::Value {
    let default = lines::Options::default();
    let lines::Options {
        edges,
        theta_step,
        rho_step,
        max_gap,
        min_length,
        false_alarms,
        refine,
        strokes,
        top,
    } = batch.line_search.options(&batch.search);
    let number = |value: f64, default: f64| (value != default).then_some(value);
    let pass = batch.search.one_pass;
    json!({
        "mode": pass.then_some("one-pass"),
        "edges": (edges != default.edges).then(|| edges.to_string()),
        "theta_step": number(theta_step, default.theta_step),
        "rho_step": number(rho_step, default.rho_step),
        "max_gap": number(max_gap, default.max_gap),
        "min_length": min_length,
        "false_alarms": number(false_alarms, default.false_alarms),
        "refine": (refine != default.refine).then_some(refine),
        "strokes": (strokes != default.strokes).then(|| strokes.to_string()),
        "top": top,
        "min_votes": batch.search.min_votes.filter(|_| pass),
        "line_space": batch.line_search.space(),
        "line_voter": batch.line_search.voter(),
    })
}
