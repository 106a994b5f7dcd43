//! What this machine offers to a job.

use serde::Serialize;
use std::fs;

#[derive(Serialize, Debug)]
pub struct Machine {
    /// Cores this process may run on. Jobs with more PEs work, and wait by sleeping.
    pub cores: usize,
    /// Whether one process may copy another's memory: what OSHMPI_STATICS=cma needs.
    pub process_vm: String,
    /// MiB of memory that programs can still get.
    pub memory_available_mib: Option<u64>,
}

impl Machine {
    pub fn look() -> Machine {
        let read = |path: &str| fs::read_to_string(path).ok();
        Machine {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            process_vm: process_vm(read("/proc/sys/kernel/yama/ptrace_scope").as_deref()).to_string(),
            memory_available_mib: read("/proc/meminfo").as_deref().and_then(available),
        }
    }
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

/// MemAvailable, in MiB.
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
    fn every_scope_has_a_word() {
        assert_eq!(process_vm(None), "allowed");
        assert!(process_vm(Some("3\n")).starts_with("forbidden"));
    }
}
