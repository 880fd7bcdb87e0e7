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

/// The command line, in a form that can be entered again.
pub fn command() -> String {
    let arguments = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned());
    let quoted = arguments.map(|a| if a.contains(' ') { format!("'{a}'") } else { a });
    std::iter::once("planes".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// The document of a report, ending with a newline.
pub fn to_json(report: &impl serde::Serialize) -> Result<String, std::io::Error> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}
