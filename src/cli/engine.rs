//! The backend of a search: a GPU or the CPU.

use super::console::say;
use clap::ValueEnum;
use planes::Error;
use planes::backend::Backend;
use planes::cpu::{Cpu, Voter};
use planes::cuda::Cuda;
use planes::error::in_words;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeviceName {
    /// On an NVIDIA GPU if there is one, else on the CPU
    Auto,
    /// On the CPU
    Cpu,
    /// On an NVIDIA GPU; an error if there is none
    #[value(alias = "gpu")]
    Cuda,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VoterName {
    /// The papers' loop in f64
    SerialF64,
    /// The papers' loop in f32
    Serial,
    /// Groups of points at once, vectorized, on all threads
    Parallel,
}

/// The backend that was chosen.
struct Chosen {
    backend: Box<dyn Backend>,
    /// The name of the backend; its number of threads is that of the whole program.
    name: String,
    is_gpu: bool,
    /// Why it is not a GPU, if it might have been one.
    why: Option<String>,
}

/// The backend, which starts while a cloud is read: a GPU takes a third of a second.
pub struct Engine {
    starting: Mutex<Option<JoinHandle<Result<Chosen, Error>>>>,
    /// Never dropped: at the end of the program the system frees what is left faster than the driver does.
    ready: OnceLock<&'static dyn Backend>,
    /// A thread that shuts it down before the end.
    ending: Mutex<Option<JoinHandle<()>>>,
    /// Held by the file whose turn it is; only needed on a GPU.
    turn: Mutex<()>,
    is_gpu: OnceLock<bool>,
    /// Why there is no backend, until that has been reported.
    failed: Mutex<Option<Error>>,
    /// Whether to report the choice.
    say: bool,
}

impl Engine {
    /// Starts the requested device, with the GPUs of these numbers if it uses any. If the choice is automatic, it
    /// is reported in one line, unless `quiet`.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if a GPU is asked for and there is no driver.
    pub fn start(
        device: DeviceName,
        voter: Option<VoterName>,
        gpus: Vec<usize>,
        quiet: bool,
    ) -> Result<Engine, Error> {
        if device == DeviceName::Cuda {
            Cuda::find_driver()?;
        }
        let starting = thread::Builder::new().spawn(move || choose(device, voter, &gpus));
        let starting = starting.map_err(|error| {
            let why = in_words(&error);
            Error::Parameter(format!("no thread can be started for the device: {why}"))
        })?;
        Ok(Engine {
            starting: Mutex::new(Some(starting)),
            ready: OnceLock::new(),
            ending: Mutex::default(),
            turn: Mutex::new(()),
            is_gpu: OnceLock::new(),
            failed: Mutex::new(None),
            say: device == DeviceName::Auto && voter.is_none() && !quiet,
        })
    }

    /// Whether starting has ended, successfully or not, and [`ready`](Engine::ready) has something new to return.
    pub fn has_started(&self) -> bool {
        let is_starting = lock(&self.starting).as_ref().is_some_and(|s| !s.is_finished());
        !is_starting && lock(&self.failed).is_none()
    }

    /// The backend, once it has started; if there is none, [`backend`](Engine::backend) returns the reason.
    pub fn ready(&self) -> Option<&'static dyn Backend> {
        self.backend().map_err(|error| *lock(&self.failed) = Some(error)).ok()
    }

    /// Waits for the backend.
    ///
    /// # Errors
    /// If a GPU is asked for and none works.
    pub fn backend(&self) -> Result<&'static dyn Backend, Error> {
        if let Some(error) = lock(&self.failed).take() {
            return Err(error);
        }
        // Held until the backend is ready, because others may ask at the same time.
        let mut starting = lock(&self.starting);
        if let Some(starting) = starting.take() {
            let Chosen { backend, name, is_gpu, why } = starting.join().unwrap_or_else(|_| {
                Err(Error::NoDevice("the NVIDIA driver broke off while it was started".into()))
            })?;
            if self.say {
                let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
                say(&format!("on the {name}{why}"));
            }
            let _ = self.ready.set(Box::leak(backend));
            let _ = self.is_gpu.set(is_gpu);
        }
        self.ready.get().copied().ok_or_else(|| {
            Error::NoDevice("the device that was asked for did not start before".into())
        })
    }

    /// Shuts a GPU down that is no longer needed, while other work goes on.
    pub fn shut_down(&self) {
        if let (Some(true), Some(&backend)) = (self.is_gpu.get(), self.ready.get()) {
            let mut ending = lock(&self.ending);
            if ending.is_none() {
                // Without a thread the system does it at the end.
                *ending = thread::Builder::new().spawn(|| backend.shut_down()).ok();
            }
        }
    }

    /// The turn for a file, unless another file has it.
    pub fn try_turn(&self) -> Option<MutexGuard<'_, ()>> {
        match self.turn.try_lock() {
            Ok(turn) => Some(turn),
            Err(TryLockError::Poisoned(turn)) => Some(turn.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits for a file's turn if several files are processed and the [backend](Engine::backend) is a GPU, where
    /// they go one after the other.
    pub fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        self.is_gpu.get().is_some_and(|&is_gpu| is_gpu).then(|| lock(&self.turn))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The driver must not be in the middle of this when the program ends.
        let _ = lock(&self.ending).take().map(JoinHandle::join);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn choose(device: DeviceName, voter: Option<VoterName>, gpus: &[usize]) -> Result<Chosen, Error> {
    let on_cpu = match voter {
        Some(VoterName::SerialF64) => Voter::SerialF64,
        Some(VoterName::Serial) => Voter::Serial,
        Some(VoterName::Parallel) | None => Voter::Parallel,
    };
    let cpu = |why| Chosen::new(Box::new(Cpu::new(on_cpu)), false, why);
    let on_gpu = |gpu| Chosen::new(Box::new(gpu), true, None);
    match device {
        DeviceName::Cuda => Ok(on_gpu(Cuda::on(gpus)?)),
        DeviceName::Auto if voter.is_none() => match Cuda::on(gpus) {
            Ok(gpu) => Ok(on_gpu(gpu)),
            Err(none) => Ok(cpu(Some(none.to_string()))),
        },
        DeviceName::Auto | DeviceName::Cpu => Ok(cpu(None)),
    }
}

impl Chosen {
    fn new(backend: Box<dyn Backend>, is_gpu: bool, why: Option<String>) -> Chosen {
        Chosen { name: backend.name(), backend, is_gpu, why }
    }
}
