//! Work that Python waits for: without its lock, with progress, and until Ctrl-C.

use crate::errors::to_python;
use crate::pools::Pool;
use planes::atomic::{Permit, discard_all};
use planes::{Progress, Result};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCFunction;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often Python is asked for signals, and told of progress.
const POLL: Duration = Duration::from_millis(50);
/// How long cancelled work is waited for. If it takes longer, it ends by itself, soon after; what it reads is
/// kept until then, and it writes no file any more.
const GRACE: Duration = Duration::from_millis(250);

/// What becomes of the work.
enum Event<T> {
    Stage(String),
    Done(std::thread::Result<Result<T>>),
}

/// How far the work is; also what ends it early.
pub struct Watch {
    cancelled: AtomicBool,
    /// Points of the stage that are done, and all of them; 0 where that is not known.
    done: AtomicU64,
    total: AtomicU64,
    /// Who is told of a new stage.
    told: Mutex<Box<dyn Fn(String) + Send>>,
    /// What the files need that the work writes.
    permit: Permit,
}

impl Watch {
    /// The share of the stage that is done, where it can be told.
    fn fraction(&self) -> Option<f64> {
        let (done, total) = (self.done.load(Relaxed), self.total.load(Relaxed));
        (total > 0).then(|| (done as f64 / total as f64).min(1.0))
    }

    /// Ends the work; no file appears afterwards.
    fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
        self.permit.withdraw();
    }

    /// Ends with `Error::Cancelled` if the work was cancelled.
    pub fn go_on(&self) -> Result<()> {
        if self.is_cancelled() { Err(planes::Error::Cancelled) } else { Ok(()) }
    }
}

impl Progress for Watch {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.done.store(0, Relaxed);
        self.total.store(total.unwrap_or(0), Relaxed);
        (self.told.lock().unwrap_or_else(PoisonError::into_inner))(name.to_owned());
    }

    fn advance(&self, points: u64) {
        self.done.fetch_add(points, Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }
}

/// Runs `work` on threads of its own while other threads of Python go on, and waits for it.
///
/// `progress` is called as `progress(stage, fraction)` on the thread that waits; what it raises, and Ctrl-C,
/// ends the work.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (send, receive) = mpsc::channel();
    let (watch, pool) = (Arc::new(watch(send.clone())), Pool::take(threads)?);
    let watched = watch.clone();
    let pool = Arc::new(pool);
    let kept = pool.clone();
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| watched.permit.during(|| work(&watched))));
        // The pool is free before anyone hears of it.
        drop(kept);
        // Nobody listens where Ctrl-C was faster.
        let _ = send.send(Event::Done(done));
    });
    drop(pool);
    match wait(py, receive, progress, &watch) {
        Ok(Ok(done)) => done.map_err(|error| to_python(py, &error)),
        Ok(Err(panic)) => Err(PyRuntimeError::new_err(said(&*panic))),
        Err(raised) => Err(raised),
    }
}

/// Has the temporary files of abandoned work removed when the interpreter ends, which does not wait for it.
pub fn clean_up_at_exit(py: Python<'_>) -> PyResult<()> {
    let owner = process::id();
    let clean_up = PyCFunction::new_closure(py, None, None, move |_, _| {
        // After a fork, they are the parent's.
        if process::id() == owner {
            drop(discard_all());
        }
    })?;
    py.import("atexit")?.call_method1("register", (clean_up,)).map(drop)
}

/// A watch that sends its stages.
fn watch<T: Send + 'static>(send: Sender<Event<T>>) -> Watch {
    let tell = move |name| {
        let _ = send.send(Event::Stage(name));
    };
    Watch {
        cancelled: AtomicBool::new(false),
        done: AtomicU64::new(0),
        total: AtomicU64::new(0),
        told: Mutex::new(Box::new(tell)),
        permit: Permit::default(),
    }
}

/// Waits for the end, and for what Python has to say.
fn wait<T: Send>(
    py: Python<'_>,
    mut receive: Receiver<Event<T>>,
    progress: Option<&Bound<'_, PyAny>>,
    watch: &Watch,
) -> PyResult<std::thread::Result<Result<T>>> {
    let mut stage = None;
    loop {
        let (back, event) = next(py, receive, POLL);
        receive = back;
        let heard = match event {
            Ok(Event::Done(done)) => return Ok(done),
            Ok(Event::Stage(name)) => {
                stage = Some(name);
                py.check_signals()
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals(),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the search broke off"));
            }
        };
        let heard = heard.and_then(|()| match (progress, &stage) {
            (Some(progress), Some(stage)) => progress.call1((stage, watch.fraction())).map(drop),
            _ => Ok(()),
        });
        if let Err(raised) = heard {
            py.detach(|| watch.cancel());
            let end = Instant::now() + GRACE;
            while let left = end.saturating_duration_since(Instant::now())
                && !left.is_zero()
            {
                let (back, event) = next(py, receive, left);
                receive = back;
                if !matches!(event, Ok(Event::Stage(_))) {
                    break;
                }
            }
            return Err(raised);
        }
    }
}

/// The next event, if one comes in time. A receiver serves one thread at a time, so it is lent.
fn next<T: Send>(
    py: Python<'_>,
    receive: Receiver<Event<T>>,
    time: Duration,
) -> (Receiver<Event<T>>, std::result::Result<Event<T>, RecvTimeoutError>) {
    py.detach(move || {
        let event = receive.recv_timeout(time);
        (receive, event)
    })
}

/// What a panic says.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("the search broke off, which is a bug of planes: {}", text.unwrap_or("no message"))
}
