//! How many threads work.

use super::words::counted;
use planes::{Error, memory};
use rayon::ThreadPoolBuilder;
use std::thread::available_parallelism;

/// Threads a core beyond which more only get into each other's way.
const A_CORE: usize = 4;
/// So many may be asked for on any machine.
const ANYWHERE: usize = 16;
/// Address space that a thread takes: its stack and its share of the allocator's.
const ADDRESSES: u64 = 64 << 20;

/// Starts the threads that all work is shared among: those that were asked for, or one a core.
///
/// If it `joins`, the thread that calls is one of them. It hands over no work then, which it does a hundred times
/// for the smallest cloud, but it must not wait for threads that themselves share work.
///
/// # Errors
/// Where the system does not let them start.
pub fn start(asked: Option<u16>, joins: bool) -> Result<(), Error> {
    let cores = available_parallelism().map_or(1, usize::from);
    let most = ANYWHERE.max(A_CORE * cores);
    let mut threads = asked.map_or(cores, usize::from);
    if threads > most {
        log::warn!("--threads {threads}: more than helps on this machine; {most} are started");
        threads = most;
    }
    match memory::address_space() {
        Some(left) => {
            threads = threads.min(usize::try_from(left / ADDRESSES).unwrap_or(most)).max(1);
        }
        // Memory that is kept holds its addresses even when its pages are handed back, so nothing is kept
        // where addresses are limited.
        None => super::memory::keep(threads),
    }
    let mut pool = ThreadPoolBuilder::new().num_threads(threads);
    // Copies to a GPU share work, and are waited for: another thread must be there for it.
    if joins && threads > 1 {
        pool = pool.use_current_thread();
    }
    pool.build_global().map_err(|error| {
        let threads = counted(threads as u64, "thread");
        let message = format!("{threads} cannot be started ({error}); use fewer --threads");
        Error::Parameter(message)
    })
}
