//! A cloud that is open: points in memory, or a file.

use crate::array::ArrayPoints;
use crate::errors::{maybe_named, named, to_python, wrong};
use crate::work::{Watch, run};
use numpy::PyArray1;
use planes::cloud::{Camera, Chunk, Columns, Fields, Format, ReadOptions, Source};
use planes::{Progress, Result};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Points read at a time.
pub const CHUNK: usize = 1 << 18;

/// A cloud that can be read again and again.
#[pyclass(frozen, module = "planes._planes")]
pub struct Cloud(pub Arc<Source>);

#[pymethods]
impl Cloud {
    /// The points whose coordinates are these arrays, with the length of their rows if they are pixels.
    #[staticmethod]
    #[pyo3(signature = (x, y, z, row_length=None))]
    fn of_arrays(
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        z: &Bound<'_, PyAny>,
        row_length: Option<u32>,
    ) -> PyResult<Cloud> {
        let points = ArrayPoints::new([x, y, z], row_length)?;
        let source =
            Source::from_points(Arc::new(points)).map_err(|error| to_python(py, &error))?;
        Ok(Cloud(Arc::new(source)))
    }

    /// A file; text is read as the columns say.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        columns: Option<&str>,
        camera: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Cloud> {
        let camera = maybe_named(py, camera)?;
        let options = ReadOptions { columns: maybe_named::<Columns>(py, columns)?, camera };
        let source = run(py, threads, None, move |_| Source::open_with(&path, &options))?;
        let (format, name) = (source.format(), source.path().display());
        if columns.is_some() && format != Format::TEXT {
            return Err(wrong(format!("{name}: `columns` is for text, and this is {format}")));
        }
        if camera.is_some() && format != Format::DEPTH {
            return Err(wrong(format!(
                "{name}: `camera` is for depth images, and this is {format}"
            )));
        }
        Ok(Cloud(Arc::new(source)))
    }

    /// What a user should know of the file.
    fn notes(&self) -> Vec<String> {
        self.0.notes().iter().map(ToString::to_string).collect()
    }

    /// What a user should know of coordinates with these bounds.
    fn degrees(&self, min: [f64; 3], max: [f64; 3]) -> Option<String> {
        self.0.degrees(min, max).map(|note| note.to_string())
    }

    /// What a user should know of planes turned to a scanner at 0,0,0.
    fn far_scanner(&self, min: [f64; 3], max: [f64; 3]) -> Option<String> {
        self.0.far_scanner(min, max).map(|note| note.to_string())
    }

    /// Reads all points and says how many there are.
    fn read(&self, py: Python<'_>) -> PyResult<u64> {
        let source = self.0.clone();
        run(py, None, None, move |watch| {
            let mut points = 0;
            each_chunk(&source, watch, |chunk| points += chunk.len() as u64)?;
            Ok(points)
        })
    }

    /// The coordinates of all points, one after the other.
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let source = self.0.clone();
        let points = run(py, None, None, move |watch| read_points(&source, watch))?;
        Ok(PyArray1::from_vec(py, points.into_flattened()))
    }
}

/// The numbers of a camera: focal lengths, centre, scale.
#[pyfunction]
pub fn camera(py: Python<'_>, text: &str) -> PyResult<[f64; 5]> {
    let Camera { focal: [fx, fy], centre: [cx, cy], scale } = named(py, text)?;
    Ok([fx, fy, cx, cy, scale])
}

/// Calls `each` with every chunk.
pub fn each_chunk(source: &Source, watch: &Watch, mut each: impl FnMut(&Chunk)) -> Result<()> {
    watch.stage("reading", source.info().points);
    let mut reader = source.reader(Fields::NONE)?;
    let mut chunk = Chunk::default();
    loop {
        watch.go_on()?;
        reader.read(&mut chunk, CHUNK)?;
        if chunk.is_empty() {
            return Ok(());
        }
        each(&chunk);
        watch.advance(chunk.len() as u64);
    }
}

/// The points of a cloud.
pub fn read_points(source: &Source, watch: &Watch) -> Result<Vec<[f64; 3]>> {
    let mut points = Vec::new();
    each_chunk(source, watch, |chunk| {
        let axes = chunk.x.iter().zip(&chunk.y).zip(&chunk.z);
        points.extend(axes.map(|((&x, &y), &z)| [x, y, z]));
    })?;
    Ok(points)
}
