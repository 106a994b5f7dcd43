//! Tests in which PEs are threads. Every PE has a word and two threads, which issue requests and serve.

use super::{FabricHooks, LIMIT, Messages, Packets};
use crate::memory::addr::{Pe, SegId, Span, SymRange};
use crate::mpi::request::Arrived;
use crate::net::NetError;
use crate::net::fabric::{ByMessage, Exposed, Fabric};
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

/// The word of a PE.
const WORD: SymRange = SymRange { seg: SegId::Heap, off: 0, len: 8 };

struct Job {
    segments: Box<[AtomicU64]>,
    ams: Vec<Messages<Post>>,
}

fn job() -> Job {
    let boxes: Arc<[_]> = (0..PES).map(|_| Mutex::default()).collect();
    let segments: Box<[AtomicU64]> = (0..PES).map(|_| AtomicU64::new(0)).collect();
    let (policy, backoff) = (WaitPolicy::Yield, Backoff::SERVING);
    let hooks = FabricHooks { policy, backoff, meanwhile: &NOTHING_MEANWHILE, push: || {}, changed: || {} };
    let ams = segments.iter().enumerate().map(|(me, word)| {
        let heap = Span { base: word.as_ptr() as usize, len: WORD.len };
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

/// While a target does not poll, requests wait and none fails. When it polls, all are carried out.
#[test]
fn a_target_that_computes() {
    let job = job();
    let (issued, looked) = (Barrier::new(2), AtomicBool::new(false));
    std::thread::scope(|s| {
        let (am, issued, looked) = (&job.ams[0], &issued, &looked);
        s.spawn(move || {
            for _ in 0..2000 {
                am.amo_nbi(Lane::MAIN, WORD, Pe(1), Amo::Op(Op::Add, 1), None).unwrap();
            }
            issued.wait();
            am.quiet_pe(Lane::MAIN, Pe(1)).unwrap();
            assert!(looked.load(Ordering::Acquire), "nobody has carried it out");
        });
        issued.wait();
        assert_eq!(job.segments[1].load(Ordering::Relaxed), 0);
        looked.store(true, Ordering::Release);
        while job.segments[1].load(Ordering::Relaxed) < 2000 {
            job.ams[1].serve();
            std::thread::yield_now();
        }
    });
}

/// The progress thread stays awake for requests of others, not for answers to its own PE's.
#[test]
fn an_answer_is_no_request() {
    let job = job();
    job.ams[0].amo_nbi(Lane::MAIN, WORD, Pe(1), Amo::Op(Op::Add, 1), None).unwrap();
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
        let add = |pe| am.amo_nbi(Lane::MAIN, WORD, pe, Amo::Op(Op::Add, 1), None).unwrap();
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
