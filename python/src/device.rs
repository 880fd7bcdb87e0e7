//! What searches: started once, and shared by all threads of the process.

use crate::errors::wrong;
use planes::Result;
use planes::backend::Backend;
use planes::cpu::{Cpu, Voter};
use planes::cuda::Cuda;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

/// Devices that have started.
static STARTED: Mutex<Started> = Mutex::new(Started { process: 0, devices: BTreeMap::new() });

/// Devices by what was asked for, and the process that started them.
struct Started {
    process: u32,
    devices: BTreeMap<Machine, Arc<dyn Backend>>,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Machine {
    device: Device,
    voter: VoterName,
    gpus: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Device {
    Auto,
    Cpu,
    Cuda,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VoterName {
    Any,
    SerialF64,
    Serial,
    Parallel,
}

impl Machine {
    /// What these names ask for.
    pub fn new(device: &str, voter: Option<&str>, gpus: Option<u16>) -> PyResult<Machine> {
        let device = match device {
            "auto" => Device::Auto,
            "cpu" => Device::Cpu,
            "cuda" => Device::Cuda,
            _ => return Err(wrong(format!("`device` is auto, cpu or cuda, not {device:?}"))),
        };
        let voter = match voter {
            None => VoterName::Any,
            Some("serial-f64") => VoterName::SerialF64,
            Some("serial") => VoterName::Serial,
            Some("parallel") => VoterName::Parallel,
            Some(name) => {
                let message = "`voter` is serial-f64, serial or parallel, not";
                return Err(wrong(format!("{message} {name:?}")));
            }
        };
        let on_cpu = device == Device::Cpu || voter != VoterName::Any;
        if voter != VoterName::Any && device == Device::Cuda {
            return Err(wrong("`voter` is of the CPU, and `device` is cuda"));
        }
        if gpus.is_some() && on_cpu {
            return Err(wrong("`gpus`: the CPU was asked for"));
        }
        Ok(Machine { device, voter, gpus })
    }

    /// Refuses what only votes of every point for every direction heed, where there are none.
    pub fn check_votes(&self) -> PyResult<()> {
        let given = match (self.voter, self.gpus) {
            (VoterName::Any, None) => return Ok(()),
            (VoterName::Any, Some(_)) => "`gpus`",
            _ => "`voter`",
        };
        Err(wrong(format!("{given} is for vote=\"all\" and one_pass=True")))
    }

    /// The device, started now or before.
    pub fn start(&self) -> Result<Arc<dyn Backend>> {
        let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        if started.process != process::id() {
            // A GPU does not survive a fork, and must not be ended by the child either.
            std::mem::forget(std::mem::take(&mut started.devices));
            started.process = process::id();
        }
        if let Some(backend) = started.devices.get(self) {
            return Ok(backend.clone());
        }
        let backend = self.begin()?;
        started.devices.insert(self.clone(), backend.clone());
        Ok(backend)
    }

    fn begin(&self) -> Result<Arc<dyn Backend>> {
        let cpu = |voter| -> Arc<dyn Backend> { Arc::new(Cpu::new(voter)) };
        let gpus: Vec<usize> = (0..usize::from(self.gpus.unwrap_or(1))).collect();
        Ok(match (self.voter, self.device) {
            (VoterName::SerialF64, _) => cpu(Voter::SerialF64),
            (VoterName::Serial, _) => cpu(Voter::Serial),
            (VoterName::Parallel, _) | (VoterName::Any, Device::Cpu) => cpu(Voter::Parallel),
            (VoterName::Any, Device::Cuda) => Arc::new(Cuda::on(&gpus)?),
            (VoterName::Any, Device::Auto) => {
                Cuda::on(&gpus).map_or_else(|_| cpu(Voter::Parallel), |gpu| Arc::new(gpu))
            }
        })
    }

    /// A GPU for what a backend does not do, where one may be used.
    pub fn gpu(&self) -> Option<Cuda> {
        if self.device == Device::Cpu { None } else { Cuda::new().ok() }
    }
}
