//! The module `planes._planes`: what `planes` in Python is made of.
//!
//! Numbers come in as checked by `planes/*.py`, and results go out as the library's own JSON documents and
//! as NumPy arrays: what a plane is in Python is written there alone.
//!
//! The command line of the program is compiled into it, from the same files, so that a wheel holds one library
//! and not two programs.

mod accumulator;
mod array;
#[path = "../../src/cli/mod.rs"]
mod cli;
mod cloud;
mod colours;
mod detect;
mod device;
mod errors;
mod eval;
mod lines;
mod outputs;
mod pools;
mod program;
mod search;
mod synth;
mod work;

use pyo3::prelude::*;

/// The native part of the module `planes`.
#[pymodule]
mod _planes {
    #[pymodule_export]
    use super::accumulator::accumulate;
    #[pymodule_export]
    use super::cloud::{Cloud, camera};
    #[pymodule_export]
    use super::colours::plane_colour;
    #[pymodule_export]
    use super::detect::{Found, detect};
    #[pymodule_export]
    use super::eval::{eval_files, eval_found, eval_labels, eval_lines};
    #[pymodule_export]
    use super::lines::{Image, LinesFound, lines};
    #[pymodule_export]
    use super::program::program;
    #[pymodule_export]
    use super::synth::{draw, synth};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::work::clean_up_at_exit(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
