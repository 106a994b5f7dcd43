//! Tests of the choice, the use of the ledger, order and completion, over fabrics in memory.

use super::announce::RENEWED;
use super::fabric::How;
use super::memory::{Job, SEGMENT};
use super::route::{COPIED, Returns, SHORT};
use super::{Ledger, Remote};
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::local::{Dest, Source};
use crate::sync::ledger::NAMED;
use crate::transport::amo::{Amo, Op};
use core::sync::atomic::Ordering;
use std::sync::Arc;

const PEER: Pe = Pe(1);
const ADD_1: Amo = Amo::Op(Op::Add, 1);

fn at(off: usize, len: usize) -> SymRange {
    SymRange { seg: SegId::Heap, off, len }
}

/// The remote transport of PE 0.
struct Pe0 {
    job: Arc<Job>,
    remote: Remote,
}

fn pe0(fabric: bool, messages: bool, by_message: bool) -> Pe0 {
    let job = Job::new(NAMED + 3);
    Pe0 { remote: job.remote(fabric, messages, by_message, false), job }
}

impl Pe0 {
    fn ledger(&self) -> &Ledger {
        self.remote.ledger()
    }

    fn put(&self, pe: Pe, off: usize, bytes: &'static [u8], returns: Returns) {
        self.remote.put(self.ledger(), at(off, bytes.len()), pe, Source::of_slice(bytes), returns).unwrap();
    }

    /// The byte at the PE, without the operations that are under way.
    fn there(&self, pe: Pe, off: usize) -> u8 {
        self.job.byte(pe, off)
    }

    fn amo(&self, off: usize) -> u64 {
        self.remote.amo(self.ledger(), at(off, 8), PEER, ADD_1).unwrap()
    }

    fn fence(&self) {
        self.remote.fence(self.ledger(), |_| false).unwrap();
    }

    fn quiet(&self) {
        self.remote.quiet(self.ledger()).unwrap();
    }

    /// The calls so far of verbs that move data or complete operations.
    fn calls(&self) -> Vec<(Pe, &'static str, How)> {
        core::mem::take(&mut *self.job.calls.lock().unwrap())
    }

    fn verbs(&self) -> Vec<&'static str> {
        self.calls().into_iter().map(|(_, verb, _)| verb).collect()
    }
}

static LONG: [u8; SHORT + 1] = [7; SHORT + 1];
static ONE: [u8; 1] = [1];

#[test]
fn a_fence_keeps_two_puts_in_order_where_the_fabric_does_not() {
    for (fence, last) in [(false, 1), (true, 2)] {
        let pe = pe0(true, false, false);
        pe.put(PEER, 0, &[1], Returns::AtOnce);
        if fence {
            pe.fence();
        }
        pe.put(PEER, 0, &[2], Returns::AtOnce);
        pe.quiet();
        assert_eq!(pe.there(PEER, 0), last, "with fence: {fence}");
    }
}

#[test]
fn messages_keep_their_order_without_waiting() {
    let pe = pe0(false, true, false);
    pe.put(PEER, 0, &[1], Returns::AtOnce);
    pe.fence();
    pe.put(PEER, 0, &[2], Returns::AtOnce);
    assert_eq!(pe.verbs(), ["put_nbi", "put_nbi"], "nothing was completed in between");
    pe.quiet();
    assert_eq!(pe.there(PEER, 0), 2);
}

/// In both directions, operations the other way are complete before the next operation.
#[test]
fn a_fence_orders_what_goes_by_the_fabric_and_what_goes_by_message() {
    for fence in [false, true] {
        let pe = pe0(true, true, true);
        pe.put(PEER, 0, &LONG, Returns::AtOnce);
        if fence {
            pe.fence();
        }
        pe.amo(SEGMENT - 8);
        assert_eq!(pe.there(PEER, 0), if fence { 7 } else { 0 }, "put by the fabric, AMO by message");

        let pe = pe0(true, true, true);
        pe.put(PEER, 0, &[1], Returns::AtOnce);
        if fence {
            pe.fence();
        }
        pe.put(PEER, 8, &LONG, Returns::AtOnce);
        assert_eq!(pe.there(PEER, 0), if fence { 1 } else { 0 }, "put by message, put by the fabric");
    }
}

#[test]
fn a_fence_completes_at_once_what_others_reach_without_the_ledger() {
    let pe = pe0(true, false, false);
    pe.put(PEER, 0, &[1], Returns::AtOnce);
    pe.put(Pe(2), 0, &[1], Returns::AtOnce);
    pe.remote.fence(pe.ledger(), |pe| pe == PEER).unwrap();
    assert_eq!((pe.there(PEER, 0), pe.there(Pe(2), 0)), (1, 0));
}

/// With one PE, with several, and with more PEs than a ledger has notes by name.
#[test]
fn a_quiet_completes_everything_and_a_quiet_of_a_pe_its_own() {
    for pes in [1, 2, NAMED + 2] {
        for (fabric, messages) in [(true, false), (false, true), (true, true)] {
            let (pe, peers) = (pe0(fabric, messages, false), || (1..=pes as u32).map(Pe));
            peers().for_each(|peer| pe.put(peer, 0, &[1], Returns::AtOnce));
            assert!(peers().all(|peer| pe.there(peer, 0) == 0));
            pe.remote.quiet_pe(pe.ledger(), PEER).unwrap();
            assert!(peers().all(|peer| pe.there(peer, 0) == u8::from(peer == PEER)));
            pe.quiet();
            assert!(peers().all(|peer| pe.there(peer, 0) == 1));
            pe.calls();
            pe.quiet();
            assert_eq!(pe.verbs(), [""; 0], "nothing is left to complete");
        }
    }
}

/// A quiet flushes the PEs that were used, whatever the number of PEs is, and each once. Beyond the names of a ledger
/// the fabric knows which.
#[test]
fn a_quiet_names_the_pes_that_were_used() {
    for pes in [2, 5, 26, NAMED + 2] {
        let (pe, peers) = (pe0(true, false, false), || (1..=pes as u32).map(Pe));
        (0..3).for_each(|_| peers().for_each(|peer| pe.put(peer, 0, &ONE, Returns::AtOnce)));
        pe.calls();
        pe.quiet();
        let mut named: Vec<Pe> = pe.calls().into_iter().filter(|call| call.1 == "flush").map(|call| call.0).collect();
        named.sort_unstable_by_key(|pe| pe.0);
        assert_eq!(named, if pes > NAMED { Vec::new() } else { peers().collect() });
    }
}

/// Each flush costs a round trip: the first one is for its PE, the second one for all.
#[test]
fn puts_to_many_after_a_fence_flush_twice() {
    for pes in [1, 2, 26] {
        let (pe, peers) = (pe0(true, false, false), || (1..=pes).map(Pe));
        for [before, after] in [[&[1], &[2]], [&[3], &[4u8]]] {
            peers().for_each(|peer| pe.put(peer, 0, before, Returns::AtOnce));
            pe.fence();
            pe.calls();
            peers().for_each(|peer| pe.put(peer, 0, after, Returns::AtOnce));
            let completed = pe.verbs().into_iter().filter(|verb| verb.starts_with("quiet")).collect::<Vec<_>>();
            assert_eq!(completed, ["quiet_pe", "quiet"][..pes.min(2) as usize], "{pes} PEs");
            pe.quiet();
            assert!(peers().all(|peer| pe.there(peer, 0) == after[0]), "{pes} PEs");
        }
    }
}

/// Another context's operations to other PEs stay under way.
#[test]
fn a_quiet_completes_the_pes_of_its_context_alone() {
    let job = Job::new(4);
    let remote = job.remote(true, false, false, false);
    let contexts = [[1, 2], [2, 3]].map(|pes| (Ledger::default(), pes.map(Pe)));
    for (context, pes) in &contexts {
        // SAFETY: a static.
        let source = || unsafe { Source::of::<u8>(ONE.as_ptr(), 1) };
        pes.iter().for_each(|&pe| remote.put(context, at(0, 1), pe, source(), Returns::AtOnce).unwrap());
    }
    remote.quiet(&contexts[0].0).unwrap();
    assert_eq!([1, 2, 3].map(|pe| job.byte(Pe(pe), 0)), [1, 1, 0]);
    remote.quiet(&contexts[1].0).unwrap();
    assert_eq!(job.byte(Pe(3), 0), 1);
}

#[test]
fn quiet_all_completes_other_contexts_too() {
    let (pe, context) = (pe0(true, true, false), Ledger::default());
    pe.remote.amo_nbi(&context, at(0, 8), PEER, ADD_1, None).unwrap();
    pe.quiet();
    assert_eq!(pe.there(PEER, 0), 0, "another context's");
    pe.remote.quiet_all().unwrap();
    assert_eq!(pe.there(PEER, 0), 1);
}

#[test]
fn puts_go_as_they_are_chosen_to() {
    let (how, pe) = (How::default(), pe0(true, true, false));
    pe.put(PEER, 0, &LONG[..COPIED], Returns::Done);
    pe.put(PEER, 0, &LONG[..COPIED + 1], Returns::Done);
    pe.put(Pe(2), 0, &LONG, Returns::AtOnce);
    pe.put(PEER, 0, &LONG[..8], Returns::BeforeSignal);
    let (copied, next) = (How { copied: true, ..how }, How { with_next: true, ..how });
    assert_eq!(pe.calls(), [(PEER, "put", copied), (PEER, "put", how), (Pe(2), "put_nbi", how), (PEER, "put", next)]);
}

#[test]
fn old_values_are_there_when_they_are_promised() {
    for (fabric, messages) in [(true, false), (true, true), (false, true)] {
        let pe = pe0(fabric, messages, false);
        assert_eq!((pe.amo(0), pe.amo(0)), (0, 1));
        let mut old = u64::MAX;
        // SAFETY: a local that stays until the quiet.
        let result = unsafe { Dest::of(&raw mut old, 1) };
        pe.remote.amo_nbi(pe.ledger(), at(0, 8), PEER, ADD_1, Some(result)).unwrap();
        pe.quiet();
        // SAFETY: a local; it was written through a pointer meanwhile.
        assert_eq!(unsafe { (&raw const old).read_volatile() }, 2);
    }
}

/// A signal follows its put by message, or behind a fence of the fabric, or the put is completed first.
#[test]
fn a_signal_comes_behind_its_put() {
    let before = |len, word, by_itself| {
        let pe = pe0(true, true, false);
        pe.job.by_itself.store(by_itself, Ordering::Relaxed);
        pe.remote.set_adapter_words(8);
        pe.put(PEER, 16, &LONG[..len], Returns::BeforeSignal);
        pe.calls();
        pe.remote.before_signal(pe.ledger(), (SegId::Heap, len), word, PEER).unwrap();
        pe.verbs()
    };
    assert_eq!(before(SHORT, Some(at(0, 8)), false), [""; 0], "both are messages");
    assert_eq!(before(SHORT + 1, Some(at(0, 8)), false), ["quiet_pe"]);
    assert_eq!(before(SHORT, Some(at(8, 8)), false), ["quiet_pe"], "the word is an adapter's");
    assert_eq!(before(SHORT + 1, Some(at(8, 8)), true), ["fence"], "so are the bytes");
    assert_eq!(before(SHORT, None, true), ["quiet_pe"], "the word is not reached by this transport");
}

/// Round trips of a put, a fence and a put to one PE, where the fabric has a fence: none.
#[test]
fn a_fence_of_the_fabric_completes_nothing() {
    let pe = pe0(true, true, true);
    pe.job.by_itself.store(true, Ordering::Relaxed);
    pe.put(PEER, 0, &[1], Returns::AtOnce);
    pe.fence();
    pe.put(PEER, 0, &[2], Returns::AtOnce);
    assert_eq!(pe.verbs(), ["put_nbi", "fence", "put_nbi"]);
    pe.fence();
    pe.amo(8);
    assert_eq!(pe.verbs(), ["fence", "quiet_pe", "amo"], "a message does not wait for the fabric's fence");
    pe.quiet();
    assert_eq!(pe.there(PEER, 0), 2);
}

/// Two stores that nothing orders show the way: the fabric carries them out in the reverse order, messages do not.
#[test]
fn words_of_adapters_go_by_the_fabric() {
    let pe = pe0(true, true, false);
    pe.remote.set_adapter_words(8);
    let store = |off, value, result| {
        pe.remote.amo_nbi(pe.ledger(), at(off, 8), PEER, Amo::Op(Op::Store, value), result).unwrap();
    };
    let mut old = u64::MAX;
    // SAFETY: a local that stays until the quiet.
    let result = unsafe { Dest::of(&raw mut old, 1) };
    (0..2).for_each(|off| (1..=2).for_each(|value| store(8 * off, value, (off == 1).then_some(result))));
    assert_eq!(pe.there(PEER, 8), 0);
    pe.quiet();
    assert_eq!((pe.there(PEER, 0), pe.there(PEER, 8)), (2, 1));
    // SAFETY: a local; it was written through a pointer meanwhile.
    assert_eq!(unsafe { (&raw const old).read_volatile() }, 2);
    assert!(pe.remote.is_adapter_word(at(8, 8)) && !pe.remote.is_adapter_word(at(0, 8)));
}

#[test]
fn operations_by_the_fabric_are_announced_if_the_target_must_be_awake() {
    static mut GOT: [u8; SHORT + 1] = [0; SHORT + 1];
    for (threads, by_itself) in [(false, false), (true, false), (true, true)] {
        let (job, awake) = (Job::new(4), threads && !by_itself);
        job.by_itself.store(by_itself, Ordering::Relaxed);
        let pe = Pe0 { remote: job.remote(true, true, true, threads), job };
        let announced = |pe: &Pe0| pe.verbs().into_iter().filter(|verb| *verb == "announce").count();
        pe.put(PEER, 0, &ONE, Returns::Done);
        pe.amo(8);
        assert_eq!(announced(&pe), 0, "they go by message");
        let begun = std::time::Instant::now();
        for _ in 0..100 {
            pe.put(PEER, 0, &LONG, Returns::AtOnce);
        }
        let times = 1 + begun.elapsed().as_millis() as usize / RENEWED as usize;
        let several = announced(&pe);
        assert!(if awake { (1..=1 + times).contains(&several) } else { several == 0 }, "{several} in {times}");
        // SAFETY: a static that nothing else uses.
        let dest = unsafe { Dest::of::<u8>((&raw mut GOT).cast(), SHORT + 1) };
        pe.remote.get(pe.ledger(), at(0, SHORT + 1), Pe(2), dest, Returns::Done).unwrap();
        assert_eq!(announced(&pe), usize::from(awake), "another target");
        pe.quiet();
    }
}
