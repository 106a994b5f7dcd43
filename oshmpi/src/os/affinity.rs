//! Where PEs outnumber cores: a core that each PE comes back to. PEs that start together often lie unevenly, and as soon as
//! a core falls idle for a moment the kernel moves one over; while they hand the cores to each other it is slow to even that
//! out, and every round takes as long as the fullest core needs. Nobody is bound: a PE is moved and let go again.

use super::sched::CpuSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

struct Affinity {
    cpu: usize,
    /// Where the process may run, as it was started.
    allowed: CpuSet,
    /// Every core is the home of as many PEs. Where it is not so, the kernel's way of letting them take turns is better.
    even: bool,
}

static AFFINITY: OnceLock<Affinity> = OnceLock::new();
/// Come back whenever there is nothing to do.
static RETURN: AtomicBool = AtomicBool::new(false);

/// The core the caller runs on.
#[inline]
pub(crate) fn here() -> u32 {
    // SAFETY: no arguments. An error (-1) is a core that nobody else is on.
    unsafe { libc::sched_getcpu() as u32 }
}

/// Gives this process a core of its own `allowed` ones, which `pes` PEs share. It is the `index`-th of them.
pub(crate) fn choose(allowed: CpuSet, index: usize, pes: usize) {
    let cores = allowed.count();
    if let Some(cpu) = allowed.nth(index % cores) {
        AFFINITY.get_or_init(|| Affinity { cpu, allowed, even: pes.is_multiple_of(cores) });
    }
}

/// Goes there now, if there is one. `one_thread`: nobody but this thread waits, so that it may come back whenever it waits.
pub(crate) fn move_there(one_thread: bool) {
    go();
    RETURN.store(one_thread && AFFINITY.get().is_some_and(|affinity| affinity.even), Ordering::Relaxed);
}

/// Before a wait that lasts: nothing is lost by going home then, and the PEs that are waited for have their cores.
#[inline]
pub(crate) fn return_to_core() {
    if RETURN.load(Ordering::Relaxed) {
        go();
    }
}

fn go() {
    let Some(affinity) = AFFINITY.get() else { return };
    // Somebody else who has bound the thread meanwhile knows better.
    if here() as usize != affinity.cpu && CpuSet::known().as_ref() == Some(&affinity.allowed) {
        CpuSet::of(affinity.cpu).bind();
        affinity.allowed.bind();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The thread ends up where it belongs, and may run where it might before.
    #[test]
    fn moved_and_let_go() {
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
