//! Ctrl-C and `kill`: the bar is taken off the terminal and temporary files are removed, then the program
//! ends as anyone expects: by the signal, which a shell shows as 130 or 143.

/// Listens from now on.
#[cfg(unix)]
pub fn listen() {
    use super::progress;
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    let wanted: Vec<i32> = [SIGINT, SIGTERM].into_iter().filter(|&s| !is_ignored(s)).collect();
    let wait = move || {
        let Ok(mut signals) = Signals::new(wanted) else { return };
        if let Some(signal) = signals.forever().next() {
            progress::clear_all();
            planes::atomic::discard_all();
            // Where that fails, the signal goes unheard, and `kill -9` is left.
            let _ = emulate_default_handler(signal);
        }
    };
    // Without the thread a signal ends the program as it always did.
    let _ = std::thread::Builder::new().name("signals".into()).stack_size(1 << 17).spawn(wait);
}

#[cfg(not(unix))]
pub fn listen() {}

/// Whether the program was started so that it goes on after this signal, as `nohup` and a shell's `&` do.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only writes the old one, for which there is room.
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: it was written, or is all zeros, which is a value of it, too.
    let action = unsafe { action.assume_init() };
    asked == 0 && action.sa_sigaction == libc::SIG_IGN
}
