//! Cores and giving them up.

use core::time::Duration;
use std::path::{Path, PathBuf};

/// Lets another runnable thread have this core.
#[inline]
pub(crate) fn yield_now() {
    // SAFETY: no arguments, cannot fail on Linux.
    unsafe { libc::sched_yield() };
}

/// Has this thread run soon after it wakes, by asking for turns so short that others hardly notice: since Linux 6.12 a
/// thread that wakes with a shorter turn than the running one's takes the core at once, where it otherwise waits for
/// the next tick (4 ms at 250 Hz). Older kernels ignore it. Backoff also end on time, not some 50 us late.
pub(crate) fn take_short_turns() {
    const TURN_NS: u64 = 100_000; // the least there is
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
    // SAFETY: the kernel writes and reads at most `len` bytes of ours; 0 is the calling thread. A thread of another
    // class (real time) keeps what it has. Failing costs speed only.
    unsafe {
        if libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attr, len, 0) == 0 && attr.policy == 0 {
            attr.runtime = TURN_NS;
            let _ = libc::syscall(libc::SYS_sched_setattr, 0, &raw const attr, 0);
        }
        let _ = libc::prctl(libc::PR_SET_TIMERSLACK, 1000_u64);
    }
}

/// Processor time that this thread has used.
pub(crate) fn thread_time() -> Duration {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec; this clock is always there.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut t) };
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}

/// A set of CPUs, the first 1024 of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct CpuSet(pub(crate) [u64; 16]);

impl CpuSet {
    /// Those this process may run on.
    pub(crate) fn allowed() -> CpuSet {
        CpuSet::known().unwrap_or_else(|| {
            // A machine with more CPUs than the set holds: their number is what counts.
            let mut set = CpuSet::default();
            let n = std::thread::available_parallelism().map_or(1, |n| n.get()).min(1024);
            (0..n).for_each(|cpu| set.0[cpu / 64] |= 1 << (cpu % 64));
            set
        })
    }

    /// The same, if the set holds all there are: only then may somebody be bound to it.
    pub(crate) fn known() -> Option<CpuSet> {
        let mut set = CpuSet::default();
        // SAFETY: the kernel writes at most the bytes we say there are.
        let rc = unsafe { libc::sched_getaffinity(0, size_of_val(&set.0), set.0.as_mut_ptr().cast()) };
        (rc == 0).then_some(set)
    }

    /// One CPU.
    pub(crate) fn of(cpu: usize) -> CpuSet {
        let mut set = CpuSet::default();
        set.0[cpu / 64] |= 1 << (cpu % 64);
        set
    }

    /// The `i`-th CPU of the set, in ascending order.
    pub(crate) fn nth(&self, i: usize) -> Option<usize> {
        (0..64 * self.0.len()).filter(|cpu| self.0[cpu / 64] >> (cpu % 64) & 1 == 1).nth(i)
    }

    /// Lets the calling thread run there only. A refusal leaves things as they were.
    pub(crate) fn bind(&self) {
        // SAFETY: the kernel reads as many bytes as we say there are.
        unsafe { libc::sched_setaffinity(0, size_of_val(&self.0), self.0.as_ptr().cast()) };
    }

    pub(crate) fn union(&self, other: &CpuSet) -> CpuSet {
        CpuSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// At least 1.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum::<usize>().max(1)
    }
}

/// Cores' worth of time that this container may use; no bound where nothing limits it.
pub(crate) fn quota() -> u64 {
    let own = CpuSet::allowed().count();
    // The standard library looks at affinity and at the control group; below the affinity it is the group's limit.
    match std::thread::available_parallelism().map_or(own, |n| n.get()) {
        limit if limit < own => limit as u64,
        _ => u64::MAX,
    }
}

/// The system promises no memory that it does not have (overcommit off): untouched memory is then no safe promise.
pub(crate) fn strict_memory() -> bool {
    std::fs::read_to_string("/proc/sys/vm/overcommit_memory").is_ok_and(|s| s.trim() == "2")
}

/// What the kernel divides the processor among before it looks at single processes. A yield reaches those of the same number only.
///
/// A control group of the cpu controller; else, where the kernel groups sessions (autogroup), the session; else nothing, 0.
pub(crate) fn group() -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let weighed = |group: &Path| Path::new("/sys/fs/cgroup").join(group).join("cpu.weight").exists();
    if let Some(group) = cpu_group(&read("/proc/self/cgroup"), weighed) {
        let mut hash = DefaultHasher::new();
        group.hash(&mut hash);
        hash.finish()
    } else if read("/proc/sys/kernel/sched_autogroup_enabled").trim() == "1" {
        // SAFETY: 0 means this process; it has a session.
        unsafe { libc::getsid(0) as u64 }
    } else {
        0
    }
}

/// The process's group under the cpu controller, from /proc/self/cgroup; none in the topmost group, which sessions divide. In version 2
/// it is the nearest one that the controller works on: those are `weighed`.
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
    fn groups_of_the_cpu_controller() {
        let group = |text, weighed: &[&str]| cpu_group(text, |g| weighed.iter().any(|w| g == Path::new(w)));
        let named = |path: &str| Some(PathBuf::from(path));
        // Version 1: the line of the controller alone counts, wherever it is mounted with others.
        assert_eq!(group("3:cpuset:/a\n2:cpu,cpuacct:/slurm/job_7\n0::/b\n", &[]), named("slurm/job_7"));
        assert_eq!(group("3:cpuset:/a\n1:cpu:/\n0::/\n", &[]), None);
        // Version 2: the session's own group is not weighed by itself, a slice above it is.
        assert_eq!(group("0::/user.slice/user-0.slice/s\n", &["user.slice"]), named("user.slice"));
        assert_eq!(group("0::/user.slice/user-0.slice/s\n", &[]), None);
        // In a container the path is short, but what looks topmost is not.
        assert_eq!(group("0::/\n", &[""]), named(""));
        assert_eq!(group("", &[""]), None);
    }
}
