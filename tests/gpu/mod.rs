//! The GPU of this machine, for the tests that need one.

use planes::Error;
use planes::cuda::Cuda;

/// The first GPU; without one, it says in one line that the test is skipped.
pub fn gpu() -> Option<Cuda> {
    match Cuda::new() {
        Ok(gpu) => Some(gpu),
        Err(Error::NoDevice(why)) => {
            println!("skipped: no GPU: {why}");
            None
        }
        Err(broken) => panic!("{broken}"),
    }
}
