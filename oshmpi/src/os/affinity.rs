//! A core for each PE to return to, where PEs outnumber cores.
//!
//! PEs that start together often lie unevenly on the cores. When a core is idle for a moment, the kernel moves a PE to
//! it. While the PEs yield to each other, the kernel is slow to even that out, and every barrier round takes as long as
//! the fullest core needs. A PE is moved to its core by binding it there and releasing it at once. No PE stays bound.

use super::sched::CpuSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

struct Affinity {
    /// The core to return to.
    cpu: usize,
    /// The cores on which the process was allowed to run when it started.
    allowed: CpuSet,
    /// Every core has the same number of PEs. Otherwise the kernel shares the cores more fairly than fixed cores would.
    even: bool,
}

static AFFINITY: OnceLock<Affinity> = OnceLock::new();
/// The PE returns to its core at the begin of every wait that lasts.
static RETURN: AtomicBool = AtomicBool::new(false);

/// The core the caller runs on.
#[inline]
pub(crate) fn here() -> u32 {
    // After an error: the number of a core that does not exist, so that nobody else is on it.
    nix::sched::sched_getcpu().map_or(u32::MAX, |cpu| cpu as u32)
}

/// Chooses the core of this PE. It is the `index`-th of `pes` PEs that share the `allowed` cores.
pub(crate) fn choose(allowed: CpuSet, index: usize, pes: usize) {
    let cores = allowed.count();
    if let Some(cpu) = allowed.nth(index % cores) {
        AFFINITY.get_or_init(|| Affinity { cpu, allowed, even: pes.is_multiple_of(cores) });
    }
}

/// Moves the calling thread to the PE's core now, if one was chosen. `one_thread`: only this thread waits in calls, so
/// the PE may also return to its core whenever it waits.
pub(crate) fn move_there(one_thread: bool) {
    move_to_core();
    RETURN.store(one_thread && AFFINITY.get().is_some_and(|affinity| affinity.even), Ordering::Relaxed);
}

/// Moves the calling thread to the PE's core before a wait that lasts. The move costs nothing then, and it leaves the
/// other cores to the PEs that are waited for.
#[inline]
pub(crate) fn return_to_core() {
    if RETURN.load(Ordering::Relaxed) {
        move_to_core();
    }
}

fn move_to_core() {
    let Some(affinity) = AFFINITY.get() else { return };
    // If the thread has been bound elsewhere since the start, it is left there.
    if here() as usize != affinity.cpu && CpuSet::known().as_ref() == Some(&affinity.allowed) {
        CpuSet::of(affinity.cpu).bind();
        affinity.allowed.bind();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The thread runs on the chosen core afterwards, and the cores on which it may run are those of before.
    #[test]
    fn moved_and_released() {
        let before = CpuSet::allowed();
        choose(before.clone(), before.count() - 1, before.count());
        let cpu = before.nth(before.count() - 1).unwrap();
        move_there(true);
        return_to_core();
        assert_eq!(AFFINITY.get().unwrap().cpu, cpu);
        assert_eq!(CpuSet::allowed(), before);
        CpuSet::of(cpu).bind();
        assert_eq!(here() as usize, cpu);
        before.bind();
    }
}
