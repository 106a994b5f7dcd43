//! Where processes run: which of them share a last-level cache, and which a socket; and how large that cache is.

use super::sched::CpuSet;
use std::path::Path;
use std::sync::OnceLock;

/// A socket, and a last-level cache there. Equal numbers on one machine mean the same.
pub(crate) type Numbers = (u16, u16);

/// The number if the CPUs do not share a cache or a socket, or if the system does not tell.
const NONE: u16 = u16::MAX;

/// The numbers of a process that may run on these CPUs. Reads a few files of the system.
pub(crate) fn of_cpus(cpus: &CpuSet) -> Numbers {
    told_by(Path::new("/sys/devices/system/cpu"), cpus)
}

fn told_by(dir: &Path, cpus: &CpuSet) -> Numbers {
    let first = cpus.nth(0).unwrap_or(0);
    let dir = dir.join(format!("cpu{first}"));
    let read = |path: &str| std::fs::read_to_string(dir.join(path)).ok();
    // A domain's number is that of its first CPU.
    let domain = |list: Option<String>| {
        let list = CpuSet::parse(list?.trim()).filter(|all| all.union(cpus) == *all)?;
        list.nth(0).map(|cpu| cpu as u16)
    };
    let level = |i: usize| read(&format!("cache/index{i}/level"))?.trim().parse::<u32>().ok();
    let last = (0..8).filter_map(|i| Some((level(i)?, i))).max();
    let cache = domain(last.and_then(|(_, i)| read(&format!("cache/index{i}/shared_cpu_list"))));
    // Kernels before 5.8 have the list under the second name only.
    let socket = read("topology/package_cpus_list").or_else(|| read("topology/core_siblings_list"));
    (domain(socket).unwrap_or(NONE), cache.unwrap_or(NONE))
}

/// Bytes of the last-level cache of this machine's first core. 32 MiB are assumed where the system does not tell.
/// The C library's `sysconf` is not used: what it reads from the processor is wrong in virtual machines.
pub(crate) fn last_level_cache() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| cache_of(Path::new("/sys/devices/system/cpu/cpu0/cache")).unwrap_or(32 << 20))
}

fn cache_of(dir: &Path) -> Option<usize> {
    let sizes = (0..8).map(|i| dir.join(format!("index{i}/size")));
    sizes.filter_map(|path| parse_size(std::fs::read_to_string(path).ok()?.trim())).max()
}

/// Parses a size such as `32768K`, in bytes.
fn parse_size(text: &str) -> Option<usize> {
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => (text.strip_suffix('M').unwrap_or(text), if text.ends_with('M') { 1 << 20 } else { 1 }),
    };
    number.parse::<usize>().ok()?.checked_mul(unit).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_system_tell_cache_and_socket() {
        let dir = std::env::temp_dir().join(format!("oshmpi-locality-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = dir.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for (cpu, cache, socket) in [(4, "4-7", "0-7"), (8, "8-11,24-27", "8-15,24-31")] {
            write(&format!("cpu{cpu}/cache/index0/level"), "1\n");
            write(&format!("cpu{cpu}/cache/index0/shared_cpu_list"), &format!("{cpu}\n"));
            write(&format!("cpu{cpu}/cache/index3/level"), "3\n");
            write(&format!("cpu{cpu}/cache/index3/shared_cpu_list"), &format!("{cache}\n"));
            write(&format!("cpu{cpu}/topology/package_cpus_list"), &format!("{socket}\n"));
        }
        let of = |list: &str| told_by(&dir, &CpuSet::parse(list).unwrap());
        let found = ["4", "4-5", "4-8", "0-3", "8,24", "8,12"].map(of);
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(found, [(0, 4), (0, 4), (NONE, NONE), (NONE, NONE), (8, 8), (8, NONE)]);
    }

    #[test]
    fn sizes() {
        let all = ["32768K", "32M", "512", "", "K", "0K", "99999999999999999999K"].map(parse_size);
        assert_eq!(all, [Some(32 << 20), Some(32 << 20), Some(512), None, None, None, None]);
        assert_eq!(cache_of(Path::new("/nowhere")), None);
        assert!(last_level_cache() >= 64 << 10);
    }
}
