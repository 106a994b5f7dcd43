//! Cores: which ones a process may use, how to give one up, and how the kernel divides them.

use std::path::{Path, PathBuf};

/// Lets another runnable thread have this core.
#[inline]
pub(crate) fn yield_now() {
    std::thread::yield_now();
}

/// Lets this thread run soon after it wakes, by asking for short time slices. Since Linux 6.12 a thread that wakes with
/// a shorter slice than the running thread takes the core at once. Otherwise it waits for the next tick (4 ms at 250
/// Hz). Older kernels ignore the request. Sleeps of this thread also end on time, not some 50 us late.
pub(crate) fn take_short_turns() {
    const SLICE_NS: u64 = 100_000; // the shortest that the kernel allows
    const SLACK_NS: u64 = 1000; // how late a sleep may end; the kernel's default is 50 us
    #[repr(C)]
    #[derive(Default)]
    struct Attr {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        runtime: u64,
        deadline: u64,
        period: u64,
    }
    let mut attr = Attr::default();
    let len = size_of::<Attr>();
    // SAFETY: the kernel writes and reads at most `len` bytes of `attr`, which is alive for both calls. 0 names the
    // calling thread. A thread of another class (real time) keeps its attributes. A failure costs speed only.
    unsafe {
        if libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attr, len, 0) == 0 && attr.policy == 0 {
            attr.runtime = SLICE_NS;
            let _ = libc::syscall(libc::SYS_sched_setattr, 0, &raw const attr, 0);
        }
    }
    let _ = nix::sys::prctl::set_timerslack(SLACK_NS);
}

/// A set of CPUs. It has room for the first 1024 of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct CpuSet(pub(crate) [u64; 16]);

impl CpuSet {
    /// The CPUs on which this process may run.
    pub(crate) fn allowed() -> CpuSet {
        CpuSet::known().unwrap_or_else(|| {
            // The machine has more CPUs than the set has room for. Callers need their number only.
            let mut set = CpuSet::default();
            let n = std::thread::available_parallelism().map_or(1, |n| n.get()).min(1024);
            (0..n).for_each(|cpu| set.0[cpu / 64] |= 1 << (cpu % 64));
            set
        })
    }

    /// The CPUs on which the calling thread may run, if the set has room for all of them. Only then may a thread be
    /// bound to the set.
    pub(crate) fn known() -> Option<CpuSet> {
        let mut set = CpuSet::default();
        // SAFETY: the kernel writes at most as many bytes as the array has.
        let rc = unsafe { libc::sched_getaffinity(0, size_of_val(&set.0), set.0.as_mut_ptr().cast()) };
        (rc == 0).then_some(set)
    }

    pub(crate) fn of(cpu: usize) -> CpuSet {
        let mut set = CpuSet::default();
        set.0[cpu / 64] |= 1 << (cpu % 64);
        set
    }

    /// The set of a list such as `0-7,16`. None: it is no such list, or it has CPUs for which there is no room.
    pub(crate) fn parse(list: &str) -> Option<CpuSet> {
        let mut set = CpuSet::default();
        for range in list.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
            for cpu in first..=last {
                *set.0.get_mut(cpu / 64)? |= 1 << (cpu % 64);
            }
        }
        Some(set)
    }

    /// The `i`-th CPU of the set, in ascending order.
    pub(crate) fn nth(&self, i: usize) -> Option<usize> {
        (0..64 * self.0.len()).filter(|cpu| self.0[cpu / 64] >> (cpu % 64) & 1 == 1).nth(i)
    }

    /// Binds the calling thread to these CPUs. If the kernel refuses, the thread stays as it was.
    pub(crate) fn bind(&self) {
        // SAFETY: the kernel reads at most as many bytes as the array has.
        unsafe { libc::sched_setaffinity(0, size_of_val(&self.0), self.0.as_ptr().cast()) };
    }

    pub(crate) fn union(&self, other: &CpuSet) -> CpuSet {
        CpuSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The number of CPUs, at least 1.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum::<usize>().max(1)
    }
}

/// How many cores' time this container may use; `u64::MAX` without a limit.
pub(crate) fn quota() -> u64 {
    let own = CpuSet::allowed().count();
    // The standard library takes the smaller of the affinity and the control group's limit.
    match std::thread::available_parallelism().map_or(own, |n| n.get()) {
        limit if limit < own => limit as u64,
        _ => u64::MAX,
    }
}

/// The system promises no more memory than it has (vm.overcommit_memory is 2), so allocating untouched memory may fail.
pub(crate) fn strict_memory() -> bool {
    super::few_words("/proc/sys/vm/overcommit_memory").is_ok_and(|text| text == "2")
}

/// The group of processes that gets a share of the processor before the kernel looks at single processes. A yield
/// reaches processes with the same number only.
///
/// The group is a control group of the cpu controller. Without one it is the session, where the kernel groups sessions
/// (autogroup). Otherwise there is no group, and the number is 0.
pub(crate) fn group() -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let weighed = |group: &Path| Path::new("/sys/fs/cgroup").join(group).join("cpu.weight").exists();
    if let Some(group) = cpu_group(&read("/proc/self/cgroup"), weighed) {
        let mut hash = DefaultHasher::new();
        group.hash(&mut hash);
        hash.finish()
    } else if super::few_words("/proc/sys/kernel/sched_autogroup_enabled").is_ok_and(|text| text == "1") {
        nix::unistd::getsid(None).map_or(0, |session| session.as_raw() as u64)
    } else {
        0
    }
}

/// The process's group under the cpu controller, from the text of /proc/self/cgroup. None in the topmost group, which
/// the kernel divides by sessions. In version 2 it is the nearest group that the controller divides time among:
/// `weighed` tells.
fn cpu_group(groups: &str, weighed: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let path = Path::new(path.strip_prefix('/')?);
        match controllers {
            "" => path.ancestors().find(|group| weighed(group)).map(Path::to_owned),
            _ if !controllers.split(',').any(|name| name == "cpu") => None,
            _ => (path != Path::new("")).then(|| path.to_owned()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus() {
        let cpus = |list| CpuSet::parse(list).map(|set| (0..64).map_while(|i| set.nth(i)).collect::<Vec<_>>());
        assert_eq!(cpus("0-2,64,1023"), Some(vec![0, 1, 2, 64, 1023]));
        assert_eq!(["", "0-", "x", "1024", "0-1024", "0,,1"].map(cpus), [const { None }; 6]);
    }

    #[test]
    fn groups_of_the_cpu_controller() {
        let group = |text, weighed: &[&str]| cpu_group(text, |g| weighed.iter().any(|w| g == Path::new(w)));
        let named = |path: &str| Some(PathBuf::from(path));
        // Version 1: only the line of the cpu controller counts, which may name other controllers, too.
        assert_eq!(group("3:cpuset:/a\n2:cpu,cpuacct:/slurm/job_7\n0::/b\n", &[]), named("slurm/job_7"));
        assert_eq!(group("3:cpuset:/a\n1:cpu:/\n0::/\n", &[]), None);
        // Version 2: the session's group has no weight, and a slice above it has one.
        assert_eq!(group("0::/user.slice/user-0.slice/s\n", &["user.slice"]), named("user.slice"));
        assert_eq!(group("0::/user.slice/user-0.slice/s\n", &[]), None);
        // In a container the group that looks topmost lies below another one and has a weight.
        assert_eq!(group("0::/\n", &[""]), named(""));
        assert_eq!(group("", &[""]), None);
    }
}
