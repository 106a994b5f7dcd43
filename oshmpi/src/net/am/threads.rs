//! Tests in which PEs are threads. Every PE has a segment and two threads, which issue requests and serve.

use super::{FabricHooks, LIMIT, Messages, Packets};
use crate::memory::addr::{Pe, SegId, Span, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::request::Arrived;
use crate::net::NetError;
use crate::net::fabric::{ByMessage, Exposed, Fabric, How};
use crate::sync::ledger::Lane;
use crate::sync::wait::{Backoff, NOTHING_MEANWHILE, WaitPolicy};
use crate::transport::amo::{Amo, Op};
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::{Arc, Barrier, Mutex};

/// The messages to a PE, with their senders.
type Mailbox = Mutex<VecDeque<(Pe, Vec<u8>)>>;

/// Messages under way.
struct Post {
    me: Pe,
    boxes: Arc<[Mailbox]>,
}

impl Packets for Post {
    /// The buffer of a receive.
    type Packet = usize;

    unsafe fn send(&self, to: Pe, message: &[u8]) -> Result<Option<usize>, NetError> {
        self.boxes[to.0 as usize].lock().unwrap().push_back((self.me, message.to_vec()));
        Ok(None)
    }

    unsafe fn receive(&self, to: *mut u8, _: usize) -> Result<usize, NetError> {
        Ok(to.expose_provenance())
    }

    fn left(&self, _: &mut usize) -> Result<bool, NetError> {
        Ok(true)
    }

    fn arrived(&self, at: &mut usize) -> Result<Option<Arrived>, NetError> {
        let next = self.boxes[self.me.0 as usize].lock().unwrap().pop_front();
        let Some((from, message)) = next else { return Ok(None) };
        assert!(message.len() <= LIMIT + 1, "there is room for it");
        // SAFETY: the buffer of a receive, which has room for every message.
        unsafe { with_exposed_provenance_mut::<u8>(*at).copy_from(message.as_ptr(), message.len()) };
        Ok(Some(Arrived { from: from.0, len: message.len() }))
    }

    fn cancel(&self, _: usize) -> Result<(), NetError> {
        Ok(())
    }
}

const PES: usize = 3;
const THREADS: usize = 2;
const WORDS: usize = 64 << 10;

/// Numbers of the words of a PE.
const COUNT: usize = 0;
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
    let boxes: Arc<[_]> = (0..PES).map(|_| Mutex::default()).collect();
    let segments: Vec<Box<[AtomicU64]>> = (0..PES).map(|_| (0..WORDS).map(|_| AtomicU64::new(0)).collect()).collect();
    let (policy, backoff) = (WaitPolicy::Yield, Backoff::SERVING);
    let hooks = FabricHooks { policy, backoff, meanwhile: &NOTHING_MEANWHILE, push: || {}, changed: || {} };
    let ams = segments.iter().enumerate().map(|(me, words)| {
        let heap = Span { base: words.as_ptr() as usize, len: size_of_val(&**words) };
        let own = Exposed { heap, statics: Span { base: heap.base, len: 0 } };
        Messages::open(Post { me: Pe(me as u32), boxes: boxes.clone() }, own, hooks).unwrap()
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

/// Whether something is under way to the PE or not.
#[test]
fn who_serves_answers() {
    let (job, through) = (job(), AtomicBool::new(false));
    let (asks, long) = (&job.ams[0], Duration::from_secs(60));
    assert!(!asks.answers(Pe(1), Duration::from_millis(5)), "nobody serves");
    std::thread::scope(|s| {
        s.spawn(|| {
            while !through.load(Ordering::Relaxed) {
                job.ams[1].serve();
                std::thread::yield_now();
            }
        });
        assert!(asks.answers(Pe(1), long) && asks.answers(Pe(1), long));
        through.store(true, Ordering::Relaxed);
    });
    assert!(!asks.answers(Pe(1), Duration::from_millis(5)), "it has answered before");
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
