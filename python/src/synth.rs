//! `planes.synth`: scenes of known planes, and images of known lines.

use crate::errors::{broken, maybe_named, named};
use crate::work::run;
use numpy::PyArray1;
use planes::Progress;
use planes::synth::lines::{Hardness, LineOptions};
use planes::synth::{Scene, SceneOptions, Sensor, generate};
use pyo3::prelude::*;

/// How a scene is drawn, each under the name that it has in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Drawing {
    points: u64,
    noise: Option<f64>,
    outliers: Option<f64>,
    seed: u64,
    origin: Option<[f64; 3]>,
    sensor: Option<String>,
    round: Option<f64>,
    voxel: Option<String>,
    copies: Option<u32>,
    sag: Option<f64>,
    curved: bool,
    passes: Option<String>,
}

impl Drawing {
    fn options(&self, py: Python<'_>, scene: Scene) -> PyResult<SceneOptions> {
        let mut options = SceneOptions::new(scene, self.points);
        if let Some(sensor) = maybe_named::<Sensor>(py, self.sensor.as_deref())? {
            options = options.with_sensor(scene, sensor);
        }
        Ok(SceneOptions {
            noise: self.noise.unwrap_or(options.noise),
            outliers: self.outliers.unwrap_or(options.outliers),
            seed: self.seed,
            origin: self.origin,
            round: self.round,
            voxel: maybe_named(py, self.voxel.as_deref())?,
            copies: self.copies.unwrap_or(options.copies),
            sag: self.sag.unwrap_or(options.sag),
            curved: self.curved,
            passes: maybe_named(py, self.passes.as_deref())?,
            ..options
        })
    }
}

/// Coordinates, labels, colours and intensities, and the truth as a document.
type Drawn<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<u16>>,
    String,
);

/// Draws a scene.
#[pyfunction]
pub fn synth<'py>(
    py: Python<'py>,
    scene: &str,
    drawing: Drawing,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Drawn<'py>> {
    let scene: Scene = named(py, scene)?;
    let options = drawing.options(py, scene)?;
    let (xyz, labels, colours, intensities, truth) = run(py, None, progress, move |watch| {
        let mut points = generate(scene, &options)?;
        watch.stage("drawing", Some(options.points));
        let (mut xyz, mut labels) = (Vec::new(), Vec::new());
        let (mut colours, mut intensities) = (Vec::new(), Vec::new());
        for chunk in points.by_ref() {
            watch.go_on()?;
            xyz.extend((0..chunk.len()).map(|i| [chunk.x[i], chunk.y[i], chunk.z[i]]));
            watch.advance(chunk.len() as u64);
            labels.extend(chunk.label);
            colours.extend(chunk.colour);
            intensities.extend(chunk.intensity);
        }
        Ok((xyz, labels, colours, intensities, points.truth()))
    })?;
    Ok((
        PyArray1::from_vec(py, xyz.into_flattened()),
        PyArray1::from_vec(py, labels),
        PyArray1::from_vec(py, colours.into_flattened()),
        PyArray1::from_vec(py, intensities),
        serde_json::to_string(&truth).map_err(broken)?,
    ))
}

/// Draws an image of lines: its red, green and blue, and the truth as a document.
#[pyfunction]
pub fn draw<'py>(
    py: Python<'py>,
    kind: &str,
    size: [u32; 2],
    lines: u32,
    seed: u64,
) -> PyResult<(Bound<'py, PyArray1<u8>>, String)> {
    let options = LineOptions { kind: named::<Hardness>(py, kind)?, size, lines, seed };
    let (image, truth) = run(py, None, None, move |_| planes::synth::lines::draw(&options))?;
    let rgb = PyArray1::from_slice(py, image.rgb());
    Ok((rgb, serde_json::to_string(&truth).map_err(broken)?))
}
