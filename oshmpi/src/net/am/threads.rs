//! Tests in which PEs are threads. Every PE has a segment and two threads, which issue requests and serve.

use super::limits::LIMIT;
use super::packets::{Kind, Net};
use super::{Hooks, Messages, Own};
use crate::memory::addr::{Pe, SegId, Span, SymRange};
use crate::memory::local::{Dest, Source};
use crate::net::NetError;
use crate::net::fabric::{Fabric, How};
use crate::net::mailboxes::Mailboxes;
use crate::sync::ledger::Lane;
use crate::sync::wait::{Backoff, NOTHING_MEANWHILE, WaitPolicy};
use crate::transport::amo::{Amo, Op};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Barrier};

type Mail = (Pe, Kind, Vec<u8>);

/// Messages under way: a mailbox per receiver.
struct Post {
    me: Pe,
    boxes: Arc<Mailboxes<Mail>>,
}

impl Net for Post {
    fn send(&mut self, to: Pe, kind: Kind, message: Vec<u8>) -> Result<(), NetError> {
        assert!(message.len() <= LIMIT);
        self.boxes.send(to.0 as usize, (self.me, kind, message));
        Ok(())
    }
    fn receive(&mut self) -> Result<Option<Mail>, NetError> {
        Ok(self.boxes.take(self.me.0 as usize))
    }
    fn done_with(&mut self, _: Vec<u8>) -> Result<(), NetError> {
        Ok(())
    }
    fn buffer(&mut self) -> Vec<u8> {
        Vec::new()
    }
    fn is_sent(&self) -> bool {
        self.boxes.all_empty()
    }
    fn close(&mut self) -> Result<(), NetError> {
        Ok(())
    }
}

const PES: usize = 3;
const THREADS: usize = 2;
const WORDS: usize = 64 << 10;

/// Numbers of the words of a PE.
const COUNT: usize = 0;
const NARROW: usize = 1;
const BITS: usize = 2;
const BALANCE: usize = 3;
/// From this word on every thread of the job has a separate range.
const FREE: usize = 8;
const STRETCH: usize = (WORDS - FREE) / (PES * THREADS);

fn at(word: usize, len: usize) -> SymRange {
    SymRange { seg: SegId::Heap, off: word * 8, len }
}

struct Job {
    segments: Vec<Box<[AtomicU64]>>,
    ams: Vec<Messages<Post>>,
}

fn job() -> Job {
    let boxes = Arc::new(Mailboxes::new(PES));
    let segments: Vec<Box<[AtomicU64]>> = (0..PES).map(|_| (0..WORDS).map(|_| AtomicU64::new(0)).collect()).collect();
    let (policy, backoff) = (WaitPolicy::Yield, Backoff::SERVING);
    let hooks = Hooks { policy, backoff, meanwhile: &NOTHING_MEANWHILE, push: || {}, changed: || {} };
    let ams = segments.iter().enumerate().map(|(me, words)| {
        let heap = Span { base: words.as_ptr() as usize, len: size_of_val(&**words) };
        let own = Own { heap, statics: Span { base: heap.base, len: 0 } };
        Messages::over(Post { me: Pe(me as u32), boxes: boxes.clone() }, own, hooks)
    });
    Job { ams: ams.collect(), segments }
}

/// Runs `work(am, pe, thread of the PE)` in all threads. Each serves until all have returned.
fn run(job: &Job, work: impl Fn(&Messages<Post>, usize, usize) + Sync) {
    let through = AtomicU32::new(0);
    std::thread::scope(|s| {
        for pe in 0..PES {
            for t in 0..THREADS {
                let (work, through) = (&work, &through);
                s.spawn(move || {
                    let am = &job.ams[pe];
                    work(am, pe, t);
                    am.quiet(Lane::MAIN, None).unwrap();
                    through.fetch_add(1, Ordering::AcqRel);
                    while through.load(Ordering::Acquire) < (PES * THREADS) as u32 {
                        am.serve();
                        std::thread::yield_now();
                    }
                });
            }
        }
    });
}

/// All threads run every kind of AMO on the same words. A node peer (here each PE, on its own words) uses the CPU. No
/// update is lost.
#[test]
fn one_executor_per_word() {
    const ROUNDS: u64 = 100;
    let job = job();
    let (put_in, got_out) = (AtomicU64::new(0), AtomicU64::new(0));
    run(&job, |am, me, t| {
        let bit = 1u64 << (me * THREADS + t);
        let mut later = vec![[0u64; 2]; ROUNDS as usize];
        for r in 0..ROUNDS {
            for target in 0..PES {
                let pe = Pe(target as u32);
                let words = &job.segments[target];
                if target == me {
                    words[COUNT].fetch_add(3, Ordering::SeqCst);
                    words[BITS].fetch_xor(bit, Ordering::SeqCst);
                    words[BITS].fetch_xor(bit, Ordering::SeqCst);
                    continue;
                }
                am.amo_nbi(Lane::MAIN, at(COUNT, 8), pe, Amo::Op(Op::Add, 1), None).unwrap();
                am.amo(Lane::MAIN, at(COUNT, 8), pe, Amo::Op(Op::Add, 1)).unwrap();
                let mut old = am.amo(Lane::MAIN, at(COUNT, 8), pe, Amo::Op(Op::Fetch, 0)).unwrap();
                loop {
                    let seen =
                        am.amo(Lane::MAIN, at(COUNT, 8), pe, Amo::CompareSwap { cond: old, value: old + 1 }).unwrap();
                    if seen == old {
                        break;
                    }
                    old = seen;
                }
                let minus_1 = Amo::Op(Op::Add, u64::from(u32::MAX));
                am.amo_nbi(Lane::MAIN, at(NARROW, 4), pe, minus_1, None).unwrap();
                am.amo_nbi(Lane::MAIN, at(BITS, 8), pe, Amo::Op(Op::Or, bit), None).unwrap();
                let bits = am.amo(Lane::MAIN, at(BITS, 8), pe, Amo::Op(Op::And, !bit)).unwrap();
                assert_ne!(bits & bit, 0, "what was issued before is carried out before");
                put_in.fetch_add(r + 1, Ordering::Relaxed);
                let place = (&raw mut later[r as usize][usize::from(target > me + 1 || target + 1 == me)]).cast();
                // SAFETY: `later` stays until the quiet, and has a place for each of at most two targets.
                let place = unsafe { Dest::of::<u64>(place, 1) };
                am.amo_nbi(Lane::MAIN, at(BALANCE, 8), pe, Amo::Op(Op::Store, r + 1), Some(place)).unwrap();
            }
        }
        am.quiet(Lane::MAIN, None).unwrap();
        got_out.fetch_add(later.iter().flatten().sum(), Ordering::Relaxed);
    });
    let all = (PES * THREADS) as u64 * ROUNDS;
    let others = ((PES - 1) * THREADS) as u64 * ROUNDS;
    for words in &job.segments {
        assert_eq!(words[COUNT].load(Ordering::Relaxed), 3 * all);
        assert_eq!(words[NARROW].load(Ordering::Relaxed), u64::from((others as u32).wrapping_neg()));
        assert_eq!(words[BITS].load(Ordering::Relaxed), 0);
    }
    let left: u64 = job.segments.iter().map(|words| words[BALANCE].load(Ordering::Relaxed)).sum();
    assert_eq!(put_in.load(Ordering::Relaxed), got_out.load(Ordering::Relaxed) + left);
}

/// All threads put and get long ranges of odd lengths, which go in pieces. A get finds what was put before it.
#[test]
fn bytes_arrive_whole_and_in_order() {
    let job = job();
    run(&job, |am, me, t| {
        let who = me * THREADS + t;
        let target = Pe(((me + 1) % PES) as u32);
        let start = FREE + who * STRETCH;
        for (round, len) in [1, 7, 8, 4095, LIMIT - 32, LIMIT, LIMIT + 1, STRETCH * 8].into_iter().enumerate() {
            let source: Vec<u8> = (0..len).map(|i| (i * 31 + round * 7 + who) as u8).collect();
            let mut back = vec![0u8; len];
            let how = How { with_next: round % 2 == 1, ..How::default() };
            // SAFETY: both buffers outlive the calls and the quiet below. The range is this thread's.
            let (from, to) =
                unsafe { (Source::of::<u8>(source.as_ptr(), len), Dest::of::<u8>(back.as_mut_ptr(), len)) };
            am.put(Lane::MAIN, at(start, len), target, from, how).unwrap();
            am.get(Lane::MAIN, at(start, len), target, to).unwrap();
            assert_eq!(back, source);
            back.fill(0);
            am.get_nbi(Lane::MAIN, at(start, len), target, to).unwrap();
            am.quiet_pe(Lane::MAIN, target).unwrap();
            assert_eq!(back, source);
        }
    });
}

/// While a target does not poll, requests wait and none fails. When it polls, all are carried out.
#[test]
fn a_target_that_computes() {
    let job = job();
    let (issued, looked) = (Barrier::new(2), AtomicBool::new(false));
    std::thread::scope(|s| {
        let (am, issued, looked) = (&job.ams[0], &issued, &looked);
        s.spawn(move || {
            for _ in 0..2000 {
                am.amo_nbi(Lane::MAIN, at(COUNT, 8), Pe(1), Amo::Op(Op::Add, 1), None).unwrap();
            }
            issued.wait();
            am.quiet_pe(Lane::MAIN, Pe(1)).unwrap();
            assert!(looked.load(Ordering::Acquire), "nobody has carried it out");
        });
        issued.wait();
        assert_eq!(job.segments[1][COUNT].load(Ordering::Relaxed), 0);
        looked.store(true, Ordering::Release);
        while job.segments[1][COUNT].load(Ordering::Relaxed) < 2000 {
            job.ams[1].serve();
            std::thread::yield_now();
        }
    });
}

/// The progress thread stays awake for requests of others, not for answers to its own PE's.
#[test]
fn an_answer_is_no_request() {
    let job = job();
    job.ams[0].amo_nbi(Lane::MAIN, at(COUNT, 8), Pe(1), Amo::Op(Op::Add, 1), None).unwrap();
    assert_eq!([1, 0, 0].map(|pe: usize| job.ams[pe].serve()), [Some(true), Some(false), Some(false)]);
    job.ams[0].quiet_pe(Lane::MAIN, Pe(1)).unwrap();
}

/// A quiet visits the PEs that were sent requests since the last one. PEs that have answered keep no buffers.
#[test]
fn a_quiet_visits_open_peers_only() {
    let job = job();
    run(&job, |am, me, t| {
        if t > 0 {
            return;
        }
        let others = || (0..PES as u32).filter(|&pe| pe != me as u32).map(Pe);
        let add = |pe| am.amo_nbi(Lane::MAIN, at(COUNT, 8), pe, Amo::Op(Op::Add, 1), None).unwrap();
        others().for_each(add);
        assert_eq!(am.lock().unanswered().len(), PES - 1);
        am.quiet(Lane::MAIN, None).unwrap();
        add(others().next().unwrap());
        assert_eq!(am.lock().unanswered().len(), 1);
        am.quiet(Lane::MAIN, None).unwrap();
        let mut inner = am.lock();
        assert!(inner.unanswered().is_empty());
        assert_eq!(inner.peers.len(), PES - 1);
        assert!(inner.peers.values().all(|peer| peer.batch.bytes.capacity() == 0));
    });
}
