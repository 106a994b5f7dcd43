//! The order between a program's own loads and stores, its puts and gets, and its calls that wait. Each function is one promise of
//! OpenSHMEM to programs, so that the models below run what the calls run; `docs/design/memory-order.md` argues each of them.

use super::atomics::{Ordering, fence};

/// x86-64 carries out loads in their order, and a store after all loads before it. A fence for just that is no instruction there, but the
/// copy of a get could not be the last jump of its call any more. A call is never inlined into a program, so the compiler keeps the
/// order, too.
const LOADS_IN_ORDER: bool = cfg!(target_arch = "x86_64") && !cfg!(loom);

/// `shmem_fence`: what this thread has read and stored before is seen by everybody who sees what it stores after.
#[inline(always)]
pub(crate) fn fence_puts() {
    fence(Ordering::Release); // SYNC put: pairs with word_seen and get_ends
}

/// `shmem_quiet`: what this thread has stored is seen by all that is read after, wherever, if that is ordered by a quiet, too. So of two PEs
/// that each put a word, call quiet and get the other's word, one sees what the other has put.
#[inline(always)]
pub(crate) fn quiet_puts() {
    fence(Ordering::SeqCst); // SYNC put: pairs with word_seen, get_ends, and with another quiet
}

/// Behind a look at a word that ends a wait or a test: what the word's writer ordered before it is visible.
#[inline(always)]
pub(crate) fn word_seen() {
    fence(Ordering::Acquire); // SYNC put: pairs with fence_puts, with quiet_puts, and with the AMO that has changed the word
}

/// At the end of a get: it has read before anything that follows reads or stores. A program may get a flag until it is set and get
/// the data then, or tell the owner that the data may be overwritten.
#[inline(always)]
pub(crate) fn get_ends() {
    if !LOADS_IN_ORDER {
        fence(Ordering::Acquire); // SYNC put: pairs with fence_puts and quiet_puts
    }
}

/// At the begin of a put: it stores after all that was read before. A program may read what has come and then put a word that says so.
///
/// C++ has no weaker name for this order than a release, which is a full fence where processors are weakly ordered (`dmb ish`). What
/// an acquire fence becomes there orders loads before later stores, too (`dmb ishld`; `fence r, rw` of RISC-V; `lwsync` of POWER).
#[inline(always)]
pub(crate) fn put_begins() {
    if !LOADS_IN_ORDER {
        fence(Ordering::Acquire); // SYNC put: loads before stores; pairs with whoever waits for the word
    }
}

/// Before a message to a PE that may share memory with others: what this thread has stored is visible to whoever acts on the message.
/// MPI promises as much for the message's own bytes only.
#[inline(always)]
pub(crate) fn message_leaves() {
    fence(Ordering::Release); // SYNC message: pairs with message_is_here
}

/// Behind a message that has come.
#[inline(always)]
pub(crate) fn message_is_here() {
    fence(Ordering::Acquire); // SYNC message: pairs with message_leaves
}

#[cfg(all(test, loom))]
mod model {
    //! Puts and gets of a word are single loads and stores without an order of their own, as relaxed atomics are; AMOs are
    //! sequentially consistent, which loom takes for acquire and release. That puts begin behind what was read before cannot be seen here:
    //! in loom a load never reads a store that comes later.

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

    /// As a wait does: looks again and again, then the fence.
    fn wait(word: &AtomicU64, seen: fn()) {
        while word.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        seen();
    }

    fn no_fence() {}

    /// Runs both on the same words, `other` in a thread that has not made them: what a thread has seen of a word before it yields loom
    /// never shows it again.
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

    /// A put and its signal: the AMO releases what was put.
    #[test]
    fn loom_order_put_signal() {
        let signal = |p: &Pes| {
            put(&p.data, 7);
            p.flag.fetch_add(1, Ordering::SeqCst)
        };
        both(signal, |p| wait_then_read(p, word_seen), data_is_there);
    }

    /// The reader is a third PE, or polls with gets instead of waiting.
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

    /// Why a quiet is more than a fence.
    #[test]
    #[should_panic(expected = "one is the later")]
    fn loom_order_needs_a_whole_quiet() {
        both(
            |p| put_then_get(&p.data, &p.flag, quiet_puts),
            |p| put_then_get(&p.flag, &p.data, fence_puts),
            one_has_seen,
        );
    }

    /// A PE that has waited passes it on to a third one: by a fence of its own, or by an AMO.
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

    /// What a message of MPI says is here is visible, whatever MPI's own order is.
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
