//! The number of threads.

use super::words::counted;
use planes::{Error, memory};
use rayon::ThreadPoolBuilder;
use std::thread::available_parallelism;

/// Threads per core beyond which more threads only slow each other down.
const A_CORE: usize = 4;
/// Number of threads that may be asked for on any machine.
const ANYWHERE: usize = 16;
/// Address space that a thread takes: its stack and its part of the allocator.
const ADDRESSES: u64 = 64 << 20;

/// Starts the threads that share all work: as many as asked for, or one per core.
///
/// If it `joins`, the calling thread is one of them. Then it need not hand work over to the others, which
/// otherwise happens a hundred times for the smallest cloud, but it must not wait for threads that themselves
/// share work.
///
/// # Errors
/// If the system does not let them start.
pub fn start(asked: Option<u64>, joins: bool) -> Result<(), Error> {
    let cores = available_parallelism().map_or(1, usize::from);
    let most = ANYWHERE.max(A_CORE * cores);
    let mut threads = asked.map_or(cores, |asked| usize::try_from(asked).unwrap_or(usize::MAX));
    if threads > most {
        log::warn!("--threads {threads}: more than helps on this machine; {most} are started");
        threads = most;
    }
    match memory::address_space() {
        Some(left) => {
            threads = threads.min(usize::try_from(left / ADDRESSES).unwrap_or(most)).max(1);
        }
        // Memory that is kept holds its addresses even after its pages are returned, so nothing is kept
        // if addresses are limited.
        None => super::memory::keep(threads),
    }
    let mut pool = ThreadPoolBuilder::new().num_threads(threads);
    // Copies to a GPU share work and are waited for, so there must be another thread to do it.
    if joins && threads > 1 {
        pool = pool.use_current_thread();
    }
    pool.build_global().map_err(|error| {
        let threads = counted(threads as u64, "thread");
        let message = format!("{threads} cannot be started ({error}); use fewer --threads");
        Error::Parameter(message)
    })
}
