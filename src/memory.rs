//! How much memory is available, so that too large a cloud is refused at once.

use crate::{Error, Result};
use std::path::Path;

/// Refuses a task that needs more bytes than are available; accepts it if the system does not say.
///
/// Memory that was freed but is kept by the allocator counts as used, so it is returned to the system before
/// anything is refused.
///
/// # Errors
/// [`Error::Memory`].
pub fn check(path: &Path, needed: u64) -> Result<()> {
    let too_few = || available().filter(|&available| needed > available);
    if too_few().is_none() {
        return Ok(());
    }
    trim();
    match too_few() {
        Some(available) => Err(Error::Memory { path: path.to_path_buf(), needed, available }),
        None => Ok(()),
    }
}

/// Returns freed memory that the allocator keeps to the system.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: only unused pages are returned; any thread may call it at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Bytes that this process may still take: the least of what the machine has free, what the process's control
/// group leaves, and what its limit on address space leaves (`ulimit -v`). `None` if none of them is known.
pub fn available() -> Option<u64> {
    [machine(), group(), address_space()].into_iter().flatten().min()
}

/// What is left of the limit on address space; `None` without a limit.
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

    /// The number in a line `NAME: 123 kB` of a system table, in bytes.
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

    /// Address space that this process uses.
    pub fn in_use() -> Option<u64> {
        kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmSize")
    }

    /// The names of files in a version of control groups: the limit, the usage, and the entry of
    /// `memory.stat` for cached files that can be dropped.
    pub struct Names([&'static str; 3]);

    /// Those of version 2.
    pub const NEW: Names = Names(["memory.max", "memory.current", "inactive_file "]);
    /// Those of version 1.
    pub const OLD: Names =
        Names(["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "]);

    /// What the control groups of this process and their ancestors leave.
    pub fn group() -> Option<u64> {
        left(&fs::read_to_string("/proc/self/cgroup").ok()?, Path::new("/sys/fs/cgroup"))
    }

    /// The same for a process with these `groups`, in a system that shows them under `root`.
    pub fn left(groups: &str, root: &Path) -> Option<u64> {
        let each = |line: &str| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, own) = rest.split_once(":/")?;
            let (root, names) = match controllers {
                "" => (root.to_path_buf(), NEW),
                _ if controllers.split(',').any(|name| name == "memory") => {
                    (root.join("memory"), OLD)
                }
                _ => return None,
            };
            Path::new(own)
                .ancestors()
                .filter_map(|folder| left_in(&root.join(folder), &names))
                .min()
        };
        groups.lines().filter_map(each).min()
    }

    /// What is left in a control group; `None` if it has no limit.
    pub fn left_in(folder: &Path, Names([limit, used, cache]): &Names) -> Option<u64> {
        let number = |name| -> Option<u64> {
            fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok()
        };
        let limit = number(limit)?;
        let used = number(used)?;
        let table = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cache = table.lines().find_map(|line| line.strip_prefix(cache));
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
        let left = || linux::left_in(folder.path(), &linux::NEW);
        assert_eq!(left(), None);
        write("memory.max", "1000\n");
        write("memory.current", "700\n");
        assert_eq!(left(), Some(300));
        write("memory.stat", "anon 1\ninactive_file 200\n");
        assert_eq!(left(), Some(500));
        write("memory.max", "max\n");
        assert_eq!(left(), None);
    }

    #[test]
    fn control_groups_of_both_versions_are_known() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let old = "12:cpu,cpuacct:/job\n4:memory:/job/own\n0::/\n";
        assert_eq!(linux::left(old, root.path()), None);
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/memory.usage_in_bytes", "5000\n");
        write("memory/job/own/memory.limit_in_bytes", "1000\n");
        write("memory/job/own/memory.usage_in_bytes", "700\n");
        write("memory/job/own/memory.stat", "inactive_file 9\ntotal_inactive_file 100\n");
        assert_eq!(linux::left(old, root.path()), Some(400));
        write("job/memory.max", "900\n");
        write("job/memory.current", "100\n");
        assert_eq!(linux::left("0::/job/own\n", root.path()), Some(800));
        assert_eq!(linux::left("nonsense\n", root.path()), None);
    }
}
