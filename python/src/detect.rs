//! `planes.detect` and what it found.

use crate::cloud::{Cloud, each_chunk};
use crate::device::Machine;
use crate::errors::{choice, document, named};
use crate::outputs::{check_input, output_for};
use crate::search::Search;
use crate::work::run;
use numpy::PyArray1;
use planes::cloud::Source;
use planes::detect::Mode;
use planes::export::labels::LabelBy;
use planes::export::{About, PLANES, Planes, Style, json};
use planes::{Detection, Detector};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Finds the planes of a cloud.
#[pyfunction]
#[pyo3(signature = (cloud, search, device, voter, gpus, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "called from one place, by name")]
pub fn detect(
    py: Python<'_>,
    cloud: &Cloud,
    search: Search,
    device: &str,
    voter: Option<&str>,
    gpus: Option<u16>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found> {
    let (options, choice) = (search.options(py)?, search.choice(py)?);
    let machine = Machine::new(device, voter, gpus)?;
    if options.mode == Mode::Near {
        machine.check_votes()?;
    }
    let source = cloud.0.clone();
    let detection = run(py, threads, progress, move |watch| {
        let backend = machine.start()?;
        let detector = Detector::new().options(options).choice(choice).backend(backend);
        detector.progress(watch).detect_source(&source)
    })?;
    Ok(Found { source: cloud.0.clone(), detection: Arc::new(detection) })
}

/// The planes of a cloud, and the cloud.
#[pyclass(frozen, module = "planes._planes")]
pub struct Found {
    source: Arc<Source>,
    pub detection: Arc<Detection>,
}

impl Found {
    /// The cloud.
    pub fn source(&self) -> Arc<Source> {
        self.source.clone()
    }
}

#[pymethods]
impl Found {
    /// The JSON document, as the program writes it.
    fn document(&self) -> PyResult<String> {
        document(|text| json::write_json(&self.detection, text))
    }

    /// The number of planes.
    fn count(&self) -> usize {
        self.detection.planes.len()
    }

    /// The plane of each point, or its piece.
    fn labels<'py>(&self, py: Python<'py>, by: &str) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let Detection { labels, piece_labels, .. } = &*self.detection;
        Ok(PyArray1::from_slice(
            py,
            if label_by(by)? == LabelBy::Plane { labels } else { piece_labels },
        ))
    }

    /// The signed distance of each point from its plane, NaN for none.
    fn distance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (source, found) = (self.source.clone(), self.detection.clone());
        let distance = run(py, None, None, move |watch| {
            let mut distance = Vec::with_capacity(found.labels.len());
            let mut labels = found.labels.iter();
            each_chunk(&source, watch, |chunk| {
                let points = chunk.x.iter().zip(&chunk.y).zip(&chunk.z).zip(labels.by_ref());
                distance.extend(points.map(|(((x, y), z), &label)| {
                    let plane = usize::try_from(label).ok().and_then(|k| found.planes.get(k));
                    plane.map_or(f64::NAN, |plane| {
                        let [a, b, c] = plane.normal;
                        a * x + b * y + c * z - plane.offset
                    })
                }));
            })?;
            Ok(distance)
        })?;
        Ok(PyArray1::from_vec(py, distance))
    }

    /// Writes a file, of this kind or of the one that its name says.
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        kind: Option<&str>,
        label_by: &str,
        up: &str,
    ) -> PyResult<()> {
        let outputs: Vec<About> = PLANES.iter().map(|export| export.about()).collect();
        let name = output_for(&outputs, kind, &path)?;
        let style = Style { by: self::label_by(label_by)?, up: named(py, up)? };
        check_input(self.source.path(), &path)?;
        let (source, detection) = (self.source.clone(), self.detection.clone());
        run(py, None, None, move |_| {
            let planes = Planes { source: &source, detection: &detection, style };
            let mut named = PLANES.iter().filter(|export| export.about().name == name);
            named.try_for_each(|export| export.save(&planes, &path))
        })
    }
}

/// What points are labelled by.
fn label_by(name: &str) -> PyResult<LabelBy> {
    choice("label_by", name, &[("plane", LabelBy::Plane), ("piece", LabelBy::Piece)])
}
