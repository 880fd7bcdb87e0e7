//! The machine that measured.

use crate::cuda::Cuda;
use serde::{Deserialize, Serialize};
use std::fs;

/// The machine and the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name, if the system reports it.
    pub cpu: Option<String>,
    /// Threads that `planes` works with.
    pub threads: usize,
    /// The GPU's name, if there is one and it was asked for.
    pub gpu: Option<String>,
    /// Version of the NVIDIA driver, if it reports it.
    pub driver: Option<String>,
    /// Version of `planes`.
    pub planes: String,
    /// The command line.
    pub command: String,
}

impl Machine {
    /// The machine that runs this program.
    pub fn this(gpu: Option<&Cuda>, command: String) -> Machine {
        let cpu = fs::read_to_string("/proc/cpuinfo").ok();
        let driver = fs::read_to_string("/proc/driver/nvidia/version").ok();
        Machine {
            cpu: cpu.as_deref().and_then(cpu_name),
            threads: rayon::current_num_threads(),
            gpu: gpu.map(|gpu| gpu.device_name().to_owned()),
            driver: gpu.and(driver).as_deref().and_then(driver_version),
            planes: env!("CARGO_PKG_VERSION").into(),
            command,
        }
    }
}

/// The first processor's name in Linux's `/proc/cpuinfo`.
fn cpu_name(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

/// The version in the NVIDIA driver's file: the first word made of digits and points.
fn driver_version(text: &str) -> Option<String> {
    let is_version =
        |word: &&str| word.contains('.') && word.split('.').all(|part| part.parse::<u32>().is_ok());
    text.split_whitespace().find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_what_linux_tells() {
        let cpu = "processor\t: 0\nmodel name\t: Some CPU @ 2.0 GHz\nmodel name\t: other\n";
        assert_eq!(cpu_name(cpu).unwrap(), "Some CPU @ 2.0 GHz");
        assert_eq!(cpu_name("Processor: 1"), None);
        for (text, version) in [
            ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  525.60.13  Wed Nov 30", "525.60.13"),
            (
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Rel",
                "580.95.05",
            ),
        ] {
            assert_eq!(driver_version(text).unwrap(), version);
        }
        assert_eq!(driver_version("GCC version"), None);
    }
}
