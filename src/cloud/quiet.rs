//! Panics of a decoder on damaged bytes, caught and turned into a message.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What `work` gives, or the message of the panic it ended in.
///
/// Nothing is printed for such a panic: the hook in place is wrapped once, and the wrapper passes on
/// every panic but those of a thread that is inside this function. What `work` changed before it
/// panicked must not be used again.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static WRAP: Once = Once::new();
    WRAP.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(outer);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_default();
        text.lines().next().unwrap_or_default().to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_first_line() {
        assert_eq!(catch(|| 3), Ok(3));
        let caught: Result<(), _> = catch(|| panic!("odd\nbytes"));
        assert_eq!(caught, Err("odd".to_string()));
        assert!(!QUIET.get());
    }
}
