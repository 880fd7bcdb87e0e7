//! Memory in huge pages.
//!
//! Points are kept in arrays of hundreds of megabytes, and the system hands out new memory page by page as
//! it is first touched. With pages of 4 KiB this took an eighth of the time of a detection of 23 million
//! points; see `benches/results/cuda.md`.
//!
//! When memory runs out, the program reports this in one line and ends. This is for the unforeseen case: requests
//! that can be foreseen are refused earlier, by [`planes::memory`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The system's allocator, asking for huge pages in large allocations.
struct HugePages;

#[global_allocator]
static MEMORY: HugePages = HugePages;

/// Smaller allocations are not counted, so that counting costs nothing.
const COUNTED: usize = 1 << 12;
/// Bytes allocated so far, bytes in use, and the most in use since the last query.
static TAKEN: AtomicU64 = AtomicU64::new(0);
static IN_USE: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

/// Bytes of memory allocated so far, in pieces of 4 KiB or more.
pub fn taken() -> u64 {
    TAKEN.load(Relaxed)
}

/// Most of these bytes in use at once since the last call.
pub fn most() -> u64 {
    MOST.swap(IN_USE.load(Relaxed), Relaxed)
}

/// Counts an allocation, if it succeeded.
#[inline]
fn count(memory: *mut u8, size: usize) {
    if size >= COUNTED && !memory.is_null() {
        TAKEN.fetch_add(size as u64, Relaxed);
        let in_use = IN_USE.fetch_add(size as u64, Relaxed) + size as u64;
        MOST.fetch_max(in_use, Relaxed);
    }
}

/// Counts memory that is freed.
#[inline]
fn uncount(size: usize) {
    if size >= COUNTED {
        IN_USE.fetch_sub(size as u64, Relaxed);
    }
}

impl HugePages {
    /// Asks for huge pages in allocated memory, if it is large.
    #[cfg(target_os = "linux")]
    fn advise(memory: *mut u8, size: usize) {
        /// Size of a huge page.
        const PAGE: usize = 2 << 20;
        /// Least size for huge pages.
        const LARGE: usize = 2 * PAGE;
        if memory.is_null() || size < LARGE {
            return;
        }
        let before = memory.align_offset(PAGE);
        let whole = size.saturating_sub(before) / PAGE * PAGE;
        if whole > 0 {
            // SAFETY: these pages lie within the memory. A refusal leaves everything as it is.
            unsafe {
                libc::madvise(memory.wrapping_add(before).cast(), whole, libc::MADV_HUGEPAGE)
            };
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn advise(_: *mut u8, _: usize) {}

    /// Ends the program if an allocation failed.
    #[cfg(unix)]
    fn require(memory: *mut u8, size: usize) {
        use std::io::{Cursor, Write};
        if !memory.is_null() {
            return;
        }
        let mut text = Cursor::new([0; 160]);
        // Nothing here may allocate. A text that does not fit is cut.
        let _ = writeln!(
            text,
            "planes: out of memory: {size} bytes more were refused; free some, raise the limit, or give \
             it a smaller file"
        );
        let length = text.position() as usize;
        // SAFETY: the text is that long. Nothing else of the program runs any more: its work
        // may be half done, and unfinished files have no name.
        unsafe {
            libc::write(libc::STDERR_FILENO, text.get_ref().as_ptr().cast(), length);
            libc::_exit(i32::from(super::failure::BAD_INPUT));
        }
    }

    #[cfg(not(unix))]
    fn require(_: *mut u8, _: usize) {}
}

/// Lets the allocator keep freed memory for the next allocation: the stages of a search use
/// arrays of the same sizes, and new pages cost as much as the work on them. When a file is done,
/// [`planes::memory::trim`] returns what is still kept. Each of these threads has an arena, and so have the
/// main thread and the one that waits for signals: with fewer arenas, threads wait for each other.
///
/// Many threads clear new pages in parallel, faster than one thread clears reused memory, so with more
/// than a few threads nothing is kept.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep(threads: usize) {
    /// Most threads for which memory is kept.
    const FEW: usize = 4;
    if threads > FEW {
        return;
    }
    let arenas = threads as i32 + 2;
    let settings =
        [(libc::M_MMAP_MAX, 0), (libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_ARENA_MAX, arenas)];
    for (setting, value) in settings {
        // SAFETY: it changes how memory is requested and freed, and nothing that is in use. A refusal
        // changes nothing.
        unsafe { libc::mallopt(setting, value) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep(_: usize) {}

// SAFETY: all memory is the system allocator's, and advice does not change it.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees are passed on.
        let memory = unsafe { System.alloc(layout) };
        HugePages::require(memory, layout.size());
        HugePages::advise(memory, layout.size());
        count(memory, layout.size());
        memory
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees are passed on.
        let memory = unsafe { System.alloc_zeroed(layout) };
        HugePages::require(memory, layout.size());
        HugePages::advise(memory, layout.size());
        count(memory, layout.size());
        memory
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's guarantees are passed on.
        let memory = unsafe { System.realloc(memory, layout, size) };
        HugePages::require(memory, size);
        HugePages::advise(memory, size);
        if !memory.is_null() {
            uncount(layout.size());
            count(memory, size);
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        uncount(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}
