//! How much memory may still be taken, so that a cloud that is too large is refused and not begun.

use crate::{Error, Result};
use std::path::Path;

/// Refuses what needs so many bytes more than there are; lets it pass where the system does not say.
///
/// # Errors
/// [`Error::Memory`].
pub fn check(path: &Path, needed: u64) -> Result<()> {
    match available() {
        Some(available) if needed > available => {
            Err(Error::Memory { path: path.to_path_buf(), needed, available })
        }
        _ => Ok(()),
    }
}

/// Bytes that this process may still take: the least of what the machine has free, what its control group
/// leaves it, and its limit on address space (`ulimit -v`). `None` where none of them is known.
pub fn available() -> Option<u64> {
    [machine(), group(), address_space()].into_iter().flatten().min()
}

/// What is left of the limit on address space; `None` where there is no limit.
pub fn address_space() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, getrlimit};
        let limit = getrlimit(Resource::As).current?;
        Some(limit.saturating_sub(linux::in_use()?))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(target_os = "linux")]
use linux::{group, machine};

#[cfg(not(target_os = "linux"))]
fn machine() -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn group() -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    /// The number in a line `NAME: 123 kB` of a table of the system, in bytes.
    pub fn kilobytes(table: &str, name: &str) -> Option<u64> {
        let line = table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
    }

    /// Memory and swap that are free or can be made so.
    pub fn machine() -> Option<u64> {
        let table = fs::read_to_string("/proc/meminfo").ok()?;
        let swap = kilobytes(&table, "SwapFree").unwrap_or(0);
        Some(kilobytes(&table, "MemAvailable")? + swap)
    }

    /// Addresses that this process uses.
    pub fn in_use() -> Option<u64> {
        kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmSize")
    }

    /// What the control group of this process and those above it leave.
    pub fn group() -> Option<u64> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let root = Path::new("/sys/fs/cgroup");
        let all = Path::new(own).ancestors().map(|folder| left_in(&root.join(folder)));
        all.flatten().min()
    }

    /// What is left in a control group of version 2; `None` where it has no limit.
    pub fn left_in(folder: &Path) -> Option<u64> {
        let number = |name| -> Option<u64> {
            fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok()
        };
        let limit = number("memory.max")?;
        let used = number("memory.current")?;
        // Files that were read and may be forgotten.
        let table = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cache = table.lines().find_map(|line| line.strip_prefix("inactive_file "));
        let cache = cache.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(cache)))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_machine_says_what_it_has() {
        assert!(available().unwrap() > 1 << 20);
        assert!(check(Path::new("a.las"), 1000).is_ok());
        let message = check(Path::new("a.las"), u64::MAX).unwrap_err().to_string();
        assert!(message.starts_with("a.las: "), "{message}");
    }

    #[test]
    fn tables_of_the_system_are_read() {
        let table = "MemTotal:  100 kB\nMemAvailable:       7 kB\nHuge: 3\n";
        assert_eq!(linux::kilobytes(table, "MemAvailable"), Some(7 << 10));
        assert_eq!(linux::kilobytes(table, "Huge"), None);
        assert_eq!(linux::kilobytes(table, "Mem"), None);
    }

    #[test]
    fn a_control_group_leaves_what_it_does_not_use() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        assert_eq!(linux::left_in(folder.path()), None);
        write("memory.max", "1000\n");
        write("memory.current", "700\n");
        assert_eq!(linux::left_in(folder.path()), Some(300));
        write("memory.stat", "anon 1\ninactive_file 200\n");
        assert_eq!(linux::left_in(folder.path()), Some(500));
        write("memory.max", "max\n");
        assert_eq!(linux::left_in(folder.path()), None);
    }
}
