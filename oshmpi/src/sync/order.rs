//! The order between a program's own loads and stores, its puts and gets, and its calls that wait. Each function is one
//! promise of OpenSHMEM to programs. The models below run the same functions as the calls;
//! `docs/design/memory-order.md` argues each promise.

use super::atomics::{Ordering, fence};

/// The processor carries out loads in program order, and a store after all loads before it, as x86-64 does. An acquire
/// fence is no instruction there, but it would keep the copy of a get from being the last jump of its call. Leaving it
/// out is safe: a call is not inlined into a program, so the compiler keeps the order, too. `include/oshmpi/inline.h`,
/// which is, tells the compiler to keep it.
const LOADS_IN_ORDER: bool = cfg!(target_arch = "x86_64") && !cfg!(loom);

/// The processor carries out stores in program order.
#[cfg(not(loom))]
pub(crate) const STORES_IN_ORDER: bool = cfg!(target_arch = "x86_64");

/// `shmem_fence`. A PE that sees what this thread stores afterwards sees what this thread has read and stored before.
#[inline(always)]
pub(crate) fn fence_puts() {
    fence(Ordering::Release); // SYNC put: pairs with word_seen and get_ends
}

/// `shmem_quiet`. What this thread has stored is visible to every read that a quiet of the reading thread orders after
/// it. So if two PEs each put a word, call quiet and get the other's word, at least one of them sees what the other has
/// put.
///
/// On x86-64 it is the instruction that the compiler takes for the fence. Written here, it does not make the compiler
/// set up a stack frame for a routine that needs none.
#[inline(always)]
pub(crate) fn quiet_puts() {
    #[cfg(all(target_arch = "x86_64", not(loom)))]
    // SAFETY: the instruction writes back what it has read, and the word is this thread's alone: nothing lies there, or
    // a local of this routine. `nostack` forbids to change that word, and its value does not change: compilers place
    // the same instruction there for a fence. The block may not be moved across accesses to memory, because no option
    // allows it.
    unsafe {
        // SYNC put: pairs with word_seen, get_ends, and with another quiet
        core::arch::asm!("lock or dword ptr [rsp - 64], 0", options(nostack))
    };
    #[cfg(any(not(target_arch = "x86_64"), loom))]
    fence(Ordering::SeqCst); // SYNC put: pairs with word_seen, get_ends, and with another quiet
}

/// After the load of a word that ends a wait or a test. What the writer of the word ordered before it is visible.
#[inline(always)]
pub(crate) fn word_seen() {
    fence(Ordering::Acquire); // SYNC put: pairs with fence_puts, quiet_puts, and the AMO that changed the word
}

/// At the end of a get. The get has read before anything that follows reads or stores. A program may get a flag until
/// it is set and get the data then. It may also tell the owner after a get that the data may be overwritten.
#[inline(always)]
pub(crate) fn get_ends() {
    if !LOADS_IN_ORDER {
        fence(Ordering::Acquire); // SYNC put: pairs with fence_puts and quiet_puts
    }
}

/// At the begin of a put. The put stores after all that this thread has read before. A program may read what has
/// arrived and then put a word that reports so.
///
/// C++ has no weaker name for this order than a release, which is a full fence (`dmb ish`) on weakly ordered
/// processors. The instruction of an acquire fence orders loads before later stores, too: `dmb ishld` of Arm, `fence r,
/// rw` of RISC-V, `lwsync` of POWER.
#[inline(always)]
pub(crate) fn put_begins() {
    if !LOADS_IN_ORDER {
        fence(Ordering::Acquire); // SYNC put: pairs with word_seen of the PE that waits; orders loads before stores
    }
}

/// Before a message to a PE that may share memory with other PEs, or an AMO that MPI or the network carries out. What
/// this thread has stored is visible to a PE that acts on it. MPI promises that for the message's bytes only.
#[inline(always)]
pub(crate) fn message_leaves() {
    fence(Ordering::Release); // SYNC message: pairs with message_is_here
}

/// After a message has been received, or such an AMO has given the old value.
#[inline(always)]
pub(crate) fn message_is_here() {
    fence(Ordering::Acquire); // SYNC message: pairs with message_leaves
}

#[cfg(all(test, loom))]
mod model {
    //! Puts and gets of a word are relaxed atomic loads and stores. AMOs are sequentially consistent; loom gives them
    //! the order of acquire and release only.
    //!
    //! The models cannot show the need for `put_begins`: in loom a load never reads a store that comes later.

    use super::super::atomics::AtomicU64;
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// Words of two PEs.
    #[derive(Default)]
    struct Pes {
        data: AtomicU64,
        flag: AtomicU64,
        next: AtomicU64,
    }

    fn put(word: &AtomicU64, value: u64) {
        put_begins();
        word.store(value, Ordering::Relaxed);
    }

    fn get(word: &AtomicU64) -> u64 {
        let value = word.load(Ordering::Relaxed);
        get_ends();
        value
    }

    /// Polls as a wait does, then runs the fence.
    fn wait(word: &AtomicU64, seen: fn()) {
        while word.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        seen();
    }

    fn no_fence() {}

    /// Runs `one` and `other` on the same words. `other` runs in a thread that has not made the words: loom never shows
    /// a thread again what the thread has seen of a word before it yields.
    fn both(one: fn(&Pes) -> u64, other: fn(&Pes) -> u64, judge: fn(u64, u64)) {
        loom::model(move || {
            let pes = Arc::new(Pes::default());
            let theirs = pes.clone();
            let thread = thread::spawn(move || other(&theirs));
            let mine = one(&pes);
            judge(mine, thread.join().unwrap());
        });
    }

    fn put_then_flag(pes: &Pes, between: fn()) -> u64 {
        put(&pes.data, 7);
        between();
        put(&pes.flag, 1);
        0
    }

    fn wait_then_read(pes: &Pes, seen: fn()) -> u64 {
        wait(&pes.flag, seen);
        pes.data.load(Ordering::Relaxed)
    }

    fn data_is_there(_: u64, read: u64) {
        assert_eq!(read, 7, "the data of a put that was ordered before the flag");
    }

    #[test]
    fn loom_order_put_fence_flag() {
        both(|p| put_then_flag(p, fence_puts), |p| wait_then_read(p, word_seen), data_is_there);
        both(|p| put_then_flag(p, quiet_puts), |p| wait_then_read(p, word_seen), data_is_there);
    }

    #[test]
    #[should_panic(expected = "ordered before the flag")]
    fn loom_order_needs_the_fence() {
        both(|p| put_then_flag(p, no_fence), |p| wait_then_read(p, word_seen), data_is_there);
    }

    #[test]
    #[should_panic(expected = "ordered before the flag")]
    fn loom_order_needs_the_end_of_the_wait() {
        both(|p| put_then_flag(p, fence_puts), |p| wait_then_read(p, no_fence), data_is_there);
    }

    /// The AMO that updates a signal releases what was put before it.
    #[test]
    fn loom_order_put_signal() {
        let signal = |p: &Pes| {
            put(&p.data, 7);
            p.flag.fetch_add(1, Ordering::SeqCst)
        };
        both(signal, |p| wait_then_read(p, word_seen), data_is_there);
    }

    /// The reader polls with gets instead of waiting, as a PE must that is not the target.
    #[test]
    fn loom_order_get_flag_then_data() {
        let reader = |p: &Pes| {
            while get(&p.flag) == 0 {
                thread::yield_now();
            }
            get(&p.data)
        };
        both(|p| put_then_flag(p, fence_puts), reader, data_is_there);
    }

    #[test]
    #[should_panic(expected = "ordered before the flag")]
    fn loom_order_needs_the_end_of_the_get() {
        let reader = |p: &Pes| {
            while p.flag.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
            get(&p.data)
        };
        both(|p| put_then_flag(p, fence_puts), reader, data_is_there);
    }

    fn put_then_get(mine: &AtomicU64, theirs: &AtomicU64, between: fn()) -> u64 {
        put(mine, 1);
        between();
        get(theirs)
    }

    fn one_has_seen(mine: u64, theirs: u64) {
        assert!(mine + theirs > 0, "of two quiets one is the later");
    }

    #[test]
    fn loom_order_quiet_on_both_sides() {
        both(
            |p| put_then_get(&p.data, &p.flag, quiet_puts),
            |p| put_then_get(&p.flag, &p.data, quiet_puts),
            one_has_seen,
        );
    }

    /// With a fence in place of one quiet, neither PE may see what the other has put.
    #[test]
    #[should_panic(expected = "one is the later")]
    fn loom_order_needs_a_whole_quiet() {
        both(
            |p| put_then_get(&p.data, &p.flag, quiet_puts),
            |p| put_then_get(&p.flag, &p.data, fence_puts),
            one_has_seen,
        );
    }

    /// A PE that has waited makes the data visible to a third PE, by a fence and a put or by an AMO.
    #[test]
    fn loom_order_is_passed_on() {
        for by_amo in [false, true] {
            loom::model(move || {
                let pes = Arc::new(Pes::default());
                let (second, third) = (pes.clone(), pes.clone());
                let second = thread::spawn(move || {
                    wait(&second.flag, word_seen);
                    if by_amo {
                        second.next.fetch_add(1, Ordering::SeqCst);
                    } else {
                        fence_puts();
                        put(&second.next, 1);
                    }
                });
                let third = thread::spawn(move || {
                    wait(&third.next, word_seen);
                    data_is_there(0, third.data.load(Ordering::Relaxed));
                });
                put_then_flag(&pes, fence_puts);
                second.join().unwrap();
                third.join().unwrap();
            });
        }
    }

    /// Data that was put before a message is visible after the message, also if MPI orders no memory.
    #[test]
    fn loom_order_message() {
        let sender = |p: &Pes| {
            put(&p.data, 7);
            message_leaves();
            p.flag.store(1, Ordering::Relaxed);
            0
        };
        both(sender, |p| wait_then_read(p, message_is_here), data_is_there);
    }
}
