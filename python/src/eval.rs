//! `planes.eval`: scores as JSON documents.

use crate::cloud::{Cloud, read_points};
use crate::detect::Found;
use crate::errors::{broken, parsed, to_python, wrong};
use crate::lines::LinesFound;
use crate::work::run;
use numpy::{PyArrayMethods, PyReadonlyArray1};
use planes::eval::lines::{LineLimits, score};
use planes::eval::{Evaluation, Files, Options, Surfaces, evaluate, load};
use planes::export::lines::json::{is_of_lines, read_json};
use planes::synth::Truth;
use planes::synth::lines::LineTruth;
use planes::{Error, Result};
use pyo3::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What counts as found.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Limits {
    angle: f64,
    distance: Option<f64>,
    iou: f64,
    overlap: f64,
    min_points: Option<u64>,
}

impl Limits {
    fn of_planes(&self) -> Options {
        Options {
            angle: self.angle,
            distance: self.distance,
            iou: self.iou,
            overlap: self.overlap,
            min_points: self.min_points,
        }
    }

    fn of_lines(&self) -> LineLimits {
        let distance = self.distance.unwrap_or(LineLimits::default().distance);
        LineLimits { angle: self.angle, distance }
    }
}

/// Scores a file against a file, of planes or of lines.
#[pyfunction]
pub fn eval_files(
    py: Python<'_>,
    result: PathBuf,
    truth: PathBuf,
    labels: Option<PathBuf>,
    limits: Limits,
) -> PyResult<String> {
    if is_of_lines(&truth) || is_of_lines(&result) {
        let limits = limits.of_lines();
        let scores = run(py, None, None, move |_| {
            score(&read_json(&result)?, &LineTruth::read(&truth)?, limits)
        })?;
        return document(&scores);
    }
    let options = limits.of_planes();
    let scores = run(py, None, None, move |watch| {
        options.check()?;
        let files = Files { result: &result, labels: labels.as_deref(), truth: &truth };
        let loaded = load(&files)?;
        watch.go_on()?;
        evaluate(&loaded.points, &loaded.truth, &loaded.found, &options)
    })?;
    document(&scores)
}

/// Scores what was found against a file, or against labels with a truth document or without.
#[pyfunction]
pub fn eval_found(
    py: Python<'_>,
    found: &Found,
    truth: Option<PathBuf>,
    labels: Option<PyReadonlyArray1<'_, i32>>,
    truth_document: Option<&str>,
    limits: Limits,
) -> PyResult<String> {
    let options = limits.of_planes();
    let (source, detection) = (found.source(), found.detection.clone());
    let labels = labels.map(|labels| labels.to_vec()).transpose()?;
    let document_of_truth: Option<Truth> = truth_document.map(parsed).transpose()?;
    let scores = run(py, None, None, move |watch| -> Result<Evaluation> {
        options.check()?;
        let surfaces = Surfaces::from_detection(&detection, None)?;
        if let Some(truth) = truth {
            let (points, truth) = read_truth(&truth)?;
            return evaluate(&points, &truth, &surfaces, &options);
        }
        let points = read_points(&source, watch)?;
        let truth = match (&document_of_truth, labels) {
            (Some(truth), labels) => Surfaces::from_truth(truth, labels.as_deref())?,
            (None, labels) => Surfaces::from_labels(&points, &labels.unwrap_or_default())?,
        };
        watch.go_on()?;
        evaluate(&points, &truth, &surfaces, &options)
    })?;
    document(&scores)
}

/// Scores the labels of any program against those of a truth.
#[pyfunction]
pub fn eval_labels(
    py: Python<'_>,
    cloud: &Cloud,
    found: PyReadonlyArray1<'_, i32>,
    labels: PyReadonlyArray1<'_, i32>,
    truth_document: Option<&str>,
    limits: Limits,
) -> PyResult<String> {
    let options = limits.of_planes();
    let source = cloud.0.clone();
    let (found, labels) = (found.to_vec()?, labels.to_vec()?);
    let document_of_truth: Option<Truth> = truth_document.map(parsed).transpose()?;
    let scores = run(py, None, None, move |watch| {
        options.check()?;
        let points = read_points(&source, watch)?;
        let found = Surfaces::from_labels(&points, &found)?;
        watch.go_on()?;
        let truth = match &document_of_truth {
            Some(truth) => Surfaces::from_truth(truth, Some(&labels))?,
            None => Surfaces::from_labels(&points, &labels)?,
        };
        watch.go_on()?;
        evaluate(&points, &truth, &found, &options)
    })?;
    document(&scores)
}

/// Scores the lines of an image against a truth, a file or a document.
#[pyfunction]
pub fn eval_lines(
    py: Python<'_>,
    found: &LinesFound,
    truth: Option<PathBuf>,
    truth_document: Option<&str>,
    limits: Limits,
) -> PyResult<String> {
    let truth = match (truth, truth_document) {
        (Some(path), _) => LineTruth::read(path).map_err(|error| to_python(py, &error))?,
        (None, Some(text)) => parsed(text)?,
        (None, None) => return Err(wrong("`truth` is missing")),
    };
    let scores = score(&found.detection, &truth, limits.of_lines());
    document(&scores.map_err(|error| to_python(py, &error))?)
}

/// The points and the planes of a truth in a file.
fn read_truth(path: &Path) -> Result<(Vec<[f64; 3]>, Surfaces)> {
    let loaded = load(&Files { result: path, labels: None, truth: path })?;
    if loaded.points.is_empty() && !loaded.truth.labels.is_empty() {
        return Err(Error::Parameter(format!("{}: labels alone", path.display())));
    }
    Ok((loaded.points, loaded.truth))
}

fn document(scores: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(scores).map_err(broken)
}
