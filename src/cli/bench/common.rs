//! Functions that all benches share.

use crate::cli::console::say;
use crate::cli::engine::DeviceName;
use planes::Error;
use planes::cuda::Cuda;

/// The GPU, if one may be used and there is one.
pub fn find_gpu(device: DeviceName, quiet: bool) -> Result<Option<Cuda>, Error> {
    match device {
        DeviceName::Cpu => Ok(None),
        DeviceName::Cuda => Cuda::new().map(Some),
        DeviceName::Auto => match Cuda::new() {
            Ok(gpu) => Ok(Some(gpu)),
            Err(why) => {
                if !quiet {
                    say(&format!("{why}; measuring what runs on the CPU alone"));
                }
                Ok(None)
            }
        },
    }
}

/// The document of a report, ending with a newline.
pub fn to_json(report: &impl serde::Serialize) -> Result<String, std::io::Error> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}
