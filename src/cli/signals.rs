//! Ctrl-C, `kill`, and a terminal that is closed: clears the progress bar and removes temporary files. Then the program
//! ends by the signal, as usual, which a shell shows as 130, 143 or 129.
//! A write beyond the limit of `ulimit -f` fails with an error instead of ending the program.

use std::path::PathBuf;
#[cfg(unix)]
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

/// A folder of temporary files.
#[cfg(unix)]
static TEMPORARY: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes this folder, too, when a signal ends the program; none from then on if it is `None`.
#[cfg(unix)]
pub fn remove_at_end(folder: Option<PathBuf>) {
    *TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner) = folder;
}

#[cfg(not(unix))]
pub fn remove_at_end(_: Option<PathBuf>) {}

/// Removes a folder that others may be writing into: under another name first, so that nothing more comes into it.
#[cfg(unix)]
fn remove(folder: &Path) {
    let gone = folder.with_extension("gone");
    let folder = if std::fs::rename(folder, &gone).is_ok() { &gone } else { folder };
    // What cannot be removed is left to the next run.
    let _ = std::fs::remove_dir_all(folder);
}

/// Starts listening.
#[cfg(unix)]
pub fn listen() {
    use super::progress;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::Arc;
    // With a handler, even one that only raises a flag, the write fails and names its file.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&s| !is_ignored(s));
    let wanted: Vec<i32> = wanted.collect();
    let wait = move || {
        let Ok(mut signals) = Signals::new(wanted) else { return };
        if let Some(signal) = signals.forever().next() {
            progress::clear_all();
            let _discarded = planes::atomic::discard_all();
            if let Some(folder) = &*TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner) {
                remove(folder);
            }
            // If that fails, the signal has no effect, and only `kill -9` remains.
            let _ = emulate_default_handler(signal);
        }
    };
    // Without the thread, signals end the program by default.
    let _ = std::thread::Builder::new().name("signals".into()).stack_size(1 << 17).spawn(wait);
}

#[cfg(not(unix))]
pub fn listen() {}

/// Whether the program was started with this signal ignored, as by `nohup` and a shell's `&`.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action, the call only writes the old one, for which there is room.
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: it was written, or is all zeros, which is also a valid value.
    let action = unsafe { action.assume_init() };
    asked == 0 && action.sa_sigaction == libc::SIG_IGN
}
