//! What this machine offers to a job.

use serde::Serialize;
use std::{fmt, fs};

#[derive(Serialize, Debug)]
pub struct Machine {
    /// Cores this process may run on. Jobs with more PEs work, and wait by sleeping.
    pub cores: usize,
    /// Whether one process may copy another's memory: what OSHMPI_STATICS=cma needs.
    pub process_vm: String,
    pub memory_available_mib: Option<u64>,
    pub huge_pages: HugePages,
}

/// What there is for OSHMPI_PAGES.
#[derive(Serialize, Debug, PartialEq, Eq)]
pub struct HugePages {
    pub small: u64,
    /// Huge pages of 2 MiB that the administrator has reserved, and those of them that nobody uses or is promised.
    pub reserved: u64,
    pub reserved_free: u64,
    /// When the kernel makes huge pages of shared memory: its word for shmem_enabled. None: never.
    pub transparent: Option<String>,
}

impl HugePages {
    fn look(small: u64, read: impl Fn(&str) -> Option<String>) -> HugePages {
        let pool = |name: &str| {
            let text = read(&format!("/sys/kernel/mm/hugepages/hugepages-2048kB/{name}"));
            text.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        let enabled = read("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
        HugePages {
            small,
            reserved: pool("nr_hugepages"),
            reserved_free: pool("free_hugepages").saturating_sub(pool("resv_hugepages")),
            transparent: enabled.as_deref().and_then(chosen).filter(|word| !["never", "deny"].contains(&word.as_str())),
        }
    }
}

impl fmt::Display for HugePages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "of {} KiB; {} reserved ones of 2 MiB, {} free; ",
            self.small >> 10,
            self.reserved,
            self.reserved_free
        )?;
        match &self.transparent {
            Some(when) => write!(f, "transparent huge ones at the first write (shmem_enabled is {when})"),
            None => write!(f, "transparent huge ones on request (OSHMPI_PAGES=transparent)"),
        }
    }
}

/// The word in brackets.
fn chosen(words: &str) -> Option<String> {
    Some(words.split_once('[')?.1.split_once(']')?.0.to_owned())
}

impl Machine {
    pub fn look() -> Machine {
        let read = |path: &str| fs::read_to_string(path).ok();
        Machine {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            process_vm: process_vm(read("/proc/sys/kernel/yama/ptrace_scope").as_deref()).to_string(),
            memory_available_mib: read("/proc/meminfo").as_deref().and_then(available),
            huge_pages: HugePages::look(page(), read),
        }
    }
}

fn page() -> u64 {
    // SAFETY: sysconf accesses no memory of this program, and every system has a page size.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

/// From the kernel's ptrace_scope.
fn process_vm(scope: Option<&str>) -> &'static str {
    match scope.map(str::trim) {
        None | Some("0") => "allowed",
        Some("1") => "allowed within a job (ptrace_scope 1: oshmpi's processes permit each other)",
        Some("2") => "root only (ptrace_scope 2)",
        Some(_) => "forbidden (ptrace_scope 3)",
    }
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_is_read() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:    4194304 kB\n"), Some(4096));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }

    #[test]
    fn huge_pages_are_told() {
        let read = |path: &str| {
            let files = [
                ("hugepages-2048kB/nr_hugepages", "8\n"),
                ("hugepages-2048kB/free_hugepages", "6\n"),
                ("hugepages-2048kB/resv_hugepages", "1\n"),
                ("transparent_hugepage/shmem_enabled", "always within_size [advise] never deny force\n"),
            ];
            files.iter().find(|(file, _)| path.ends_with(file)).map(|(_, text)| text.to_string())
        };
        let found = HugePages::look(4096, read);
        assert_eq!((found.reserved, found.reserved_free), (8, 5));
        assert!(found.to_string().ends_with("(shmem_enabled is advise)"), "{found}");
        let none = HugePages::look(4096, |_| None);
        assert_eq!(none, HugePages { small: 4096, reserved: 0, reserved_free: 0, transparent: None });
    }

    #[test]
    fn every_scope_has_a_word() {
        assert_eq!(process_vm(None), "allowed");
        assert!(process_vm(Some("3\n")).starts_with("forbidden"));
    }
}
