//! Threads to work with.
//!
//! Every search has a pool of its own, all of whose threads are its own, and the search runs on one of them: so
//! several threads of Python may search at once without waiting in each other's tasks, and the memory of one
//! search is kept for the next in its threads' arenas. A pool that is done is kept for whoever asks next.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

/// Most pools that are kept, so that a burst of searches does not leave its threads behind.
const KEPT: usize = 4;
/// Threads a core beyond which more only get into each other's way; so many may be asked for on any machine.
const A_CORE: usize = 4;
const ANYWHERE: usize = 16;

/// Pools that nobody uses, and the process whose threads they are.
static IDLE: Mutex<(u32, Vec<Arc<ThreadPool>>)> = Mutex::new((0, Vec::new()));

/// A pool, which goes back when it is dropped.
pub struct Pool(Arc<ThreadPool>);

impl Pool {
    /// A pool of so many threads, or of one a core.
    pub fn take(threads: Option<usize>) -> PyResult<Pool> {
        let cores = available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or(cores).clamp(1, ANYWHERE.max(A_CORE * cores));
        let found = with_idle(|idle| {
            let at = idle.iter().position(|pool| pool.current_num_threads() == threads)?;
            Some(idle.swap_remove(at))
        });
        if let Some(pool) = found {
            return Ok(Pool(pool));
        }
        let name = |k| format!("planes-{k}");
        let built = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
        let built = built.map_err(|error| {
            PyRuntimeError::new_err(format!("{threads} threads cannot be started: {error}"))
        })?;
        Ok(Pool(Arc::new(built)))
    }

    /// Runs `work` on one of the threads, which then has all of them to share it with.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        self.0.spawn(work);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        with_idle(|idle| {
            if idle.len() < KEPT {
                idle.push(self.0.clone());
            }
        });
    }
}

/// The pools that nobody uses. The threads of a process do not survive a fork, so pools from before it are
/// forgotten, not ended, which would wait for them.
fn with_idle<T>(work: impl FnOnce(&mut Vec<Arc<ThreadPool>>) -> T) -> T {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let (owner, pools) = &mut *idle;
    if *owner != process::id() {
        pools.drain(..).for_each(std::mem::forget);
        *owner = process::id();
    }
    work(pools)
}
