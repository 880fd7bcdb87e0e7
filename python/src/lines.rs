//! `planes.lines` and what it found.

use crate::device::Machine;
use crate::errors::{document, maybe_named, to_python, wrong};
use crate::outputs::{check_input, output_for};
use crate::work::{Watch, run};
use planes::backend::Backend;
use planes::export::lines::json;
use planes::export::{About, LINES, Lines};
use planes::image::{EdgeMap, Method};
use planes::lines::{Detection, Options, Strokes, detect_in};
use planes::lms::Refine;
use planes::papers::line_voters::{PaperSpace, Version};
use planes::papers::{OnePass, one_pass};
use planes::{Progress, Result};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// An image in memory.
#[pyclass(frozen, module = "planes._planes")]
pub struct Image(Arc<planes::image::Image>);

#[pymethods]
impl Image {
    /// An image of red, green and blue, row by row from the top.
    #[staticmethod]
    fn of_bytes(py: Python<'_>, width: u32, height: u32, rgb: &[u8]) -> PyResult<Image> {
        let image = planes::image::Image::from_rgb(width, height, rgb.to_vec());
        Ok(Image(Arc::new(image.map_err(|error| to_python(py, &error))?)))
    }

    /// A file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Image> {
        let image = run(py, None, None, move |_| planes::image::Image::open(&path))?;
        Ok(Image(Arc::new(image)))
    }
}

/// What is asked for, each under the name that it has in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct LineSearch {
    edges: Option<String>,
    theta_step: Option<f64>,
    rho_step: Option<f64>,
    max_gap: Option<f64>,
    min_length: Option<f64>,
    false_alarms: Option<f64>,
    refine: Option<String>,
    stroke: Option<String>,
    top: Option<u64>,
    one_pass: bool,
    min_votes: Option<u64>,
    line_space: Option<String>,
    line_voter: Option<String>,
}

/// The papers' flow, if it is asked for: its space, its voter and its fewest votes.
struct Pass {
    space: Option<PaperSpace>,
    voter: Option<Version>,
    min_votes: Option<u32>,
}

impl LineSearch {
    fn options(&self, py: Python<'_>) -> PyResult<Options> {
        let default = Options::default();
        Ok(Options {
            edges: maybe_named::<Method>(py, self.edges.as_deref())?.unwrap_or(default.edges),
            theta_step: self.theta_step.unwrap_or(default.theta_step),
            rho_step: self.rho_step.unwrap_or(default.rho_step),
            max_gap: self.max_gap.unwrap_or(default.max_gap),
            min_length: self.min_length,
            false_alarms: self.false_alarms.unwrap_or(default.false_alarms),
            refine: maybe_named::<Refine>(py, self.refine.as_deref())?.unwrap_or(default.refine),
            strokes: maybe_named::<Strokes>(py, self.stroke.as_deref())?.unwrap_or(default.strokes),
            top: self.top,
        })
    }

    fn pass(&self, py: Python<'_>) -> PyResult<Option<Pass>> {
        let given = |name: &str, given: bool| given.then(|| name.to_owned());
        if self.one_pass {
            let refine = self.refine.as_deref().filter(|&refine| refine != "none");
            let given =
                given("stroke", self.stroke.is_some()).or(given("refine", refine.is_some()));
            return match given {
                Some(name) => Err(wrong(format!("`{name}` cannot be used with one_pass=True"))),
                None => Ok(Some(Pass {
                    space: maybe_named(py, self.line_space.as_deref())?,
                    voter: maybe_named(py, self.line_voter.as_deref())?,
                    min_votes: self.min_votes.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
                })),
            };
        }
        let given = given("line_space", self.line_space.is_some())
            .or(given("line_voter", self.line_voter.is_some()))
            .or(given("min_votes", self.min_votes.is_some()));
        given.map_or(Ok(None), |name| Err(wrong(format!("`{name}` is for one_pass=True"))))
    }
}

/// Finds the lines of an image.
#[pyfunction]
#[pyo3(signature = (image, search, device, threads, progress))]
pub fn lines(
    py: Python<'_>,
    image: &Image,
    search: LineSearch,
    device: &str,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<LinesFound> {
    let (options, pass) = (search.options(py)?, search.pass(py)?);
    let machine = Machine::new(device, None, None)?;
    let image = image.0.clone();
    run(py, threads, progress, move |watch| {
        options.check()?;
        let backend = machine.start()?;
        watch.stage("edges", None);
        let edges = backend.edges(&image, &options.method())?;
        watch.stage("lines", None);
        watch.go_on()?;
        let detection = match pass {
            Some(pass) => pass.find(&edges, &options, &machine)?,
            None => detect_in(&edges, &options, &*backend)?,
        };
        Ok(LinesFound { image, edges: Arc::new(edges), detection: Arc::new(detection), backend })
    })
}

impl Pass {
    fn find(&self, edges: &EdgeMap, options: &Options, machine: &Machine) -> Result<Detection> {
        let gpu = machine.gpu();
        let default = if gpu.is_some() { Version::Fast } else { Version::AllCores };
        let pass = OnePass {
            version: self.voter.unwrap_or(default),
            space: self.space,
            min_votes: self.min_votes,
        };
        one_pass(edges, options, &pass, gpu.as_ref())
    }
}

/// The lines of an image, and the image.
#[pyclass(frozen, module = "planes._planes")]
pub struct LinesFound {
    image: Arc<planes::image::Image>,
    edges: Arc<EdgeMap>,
    pub detection: Arc<Detection>,
    backend: Arc<dyn Backend>,
}

#[pymethods]
impl LinesFound {
    /// The JSON document, as the program writes it.
    fn document(&self) -> PyResult<String> {
        document(|text| json::write_json(&self.detection, text))
    }

    /// Writes a file, of this kind or of the one that its name says.
    fn save(&self, py: Python<'_>, path: PathBuf, kind: Option<&str>) -> PyResult<()> {
        let outputs: Vec<About> = LINES.iter().map(|export| export.about()).collect();
        let name = output_for(&outputs, kind, &path)?;
        check_input(self.image.path(), &path)?;
        let LinesFound { image, edges, detection, backend } = self;
        let (image, edges) = (image.clone(), edges.clone());
        let (detection, backend) = (detection.clone(), backend.clone());
        run(py, None, None, move |_: &Watch| {
            let lines =
                Lines { image: &image, edges: &edges, detection: &detection, backend: &*backend };
            let mut named = LINES.iter().filter(|export| export.about().name == name);
            named.try_for_each(|export| export.save(&lines, &path))
        })
    }
}
