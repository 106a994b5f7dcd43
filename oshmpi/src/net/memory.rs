//! A fabric for tests: PEs are threads of the test, and their segments are its memory. Operations that need not be
//! complete are kept until a quiet. One that keeps no order carries them out in the reverse order, which is the
//! worst that a network can do.

use super::Remote;
use super::fabric::{ByMessage, Fabric, How, Offers};
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::local::{Dest, Source};
use crate::net::NetError;
use crate::sync::ledger::Lane;
use crate::transport::amo::Amo;
use crate::transport::node;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::{Arc, Mutex};

/// Bytes of a PE's segment, which is its heap.
pub(super) const SEGMENT: usize = 64 << 10;

/// The segments of all PEs, and the calls that were made.
pub(super) struct Job {
    segments: Vec<Box<[AtomicU64]>>,
    pub(super) calls: Mutex<Vec<(Pe, &'static str, How)>>,
    pub(super) no_gets: AtomicBool,
    /// The fabric does everything by itself, and has a fence.
    pub(super) by_itself: AtomicBool,
}

impl Job {
    pub(super) fn new(pes: usize) -> Arc<Job> {
        let segment = || (0..SEGMENT / 8).map(|_| AtomicU64::new(0)).collect();
        let segments = (0..pes).map(|_| segment()).collect();
        Arc::new(Job {
            segments,
            calls: Mutex::default(),
            no_gets: AtomicBool::new(false),
            by_itself: AtomicBool::new(false),
        })
    }

    fn at(&self, range: SymRange, pe: Pe) -> *mut u8 {
        assert!(range.seg == SegId::Heap && range.off + range.len <= SEGMENT, "a range lies inside its segment");
        self.segments[pe.0 as usize].as_ptr().cast::<u8>().cast_mut().wrapping_add(range.off)
    }

    pub(super) fn byte(&self, pe: Pe, off: usize) -> u8 {
        // SAFETY: inside the segment. No thread writes the byte meanwhile.
        unsafe { self.at(SymRange { seg: SegId::Heap, off, len: 1 }, pe).read() }
    }

    /// The remote transport of one PE: over windows, over messages, or over both. `by_message`: short operations
    /// go by message. `awake`: operations on windows need the target's progress thread.
    pub(super) fn remote(self: &Arc<Job>, windows: bool, messages: bool, by_message: bool, awake: bool) -> Remote {
        let make = |keeps_order| {
            let (job, pending) = (self.clone(), Mutex::new(Vec::new()));
            Box::new(InMemory { job, keeps_order, pending })
        };
        let fabric = windows.then(|| make(false) as Box<dyn Fabric>);
        Remote::over(self.segments.len(), fabric, messages.then(|| make(true) as Box<dyn ByMessage>), by_message, awake)
    }
}

enum Pending<'a> {
    Put(SymRange, Vec<u8>),
    Get(SymRange, Dest<'a>),
    Amo(SymRange, Amo, Option<Dest<'a>>),
}

struct InMemory {
    job: Arc<Job>,
    keeps_order: bool,
    pending: Mutex<Vec<(Pe, Pending<'static>)>>,
}

fn copied(source: Source) -> Vec<u8> {
    // SAFETY: the source can be read.
    unsafe { core::slice::from_raw_parts(source.at(), source.len()) }.to_vec()
}

impl InMemory {
    fn called(&self, pe: Pe, verb: &'static str, how: How) {
        self.job.calls.lock().unwrap().push((pe, verb, how));
    }

    fn keep(&self, pe: Pe, operation: Pending<'static>) -> Result<(), NetError> {
        self.pending.lock().unwrap().push((pe, operation));
        Ok(())
    }

    fn carry_out(&self, pe: Pe, operation: Pending) {
        // SAFETY: all ranges lie inside the segment. Tests use its words from two threads only by AMOs. Buffers of
        // nonblocking operations stay until the quiet that this is a part of.
        unsafe {
            match operation {
                Pending::Put(range, bytes) => node::copy(self.job.at(range, pe), bytes.as_ptr(), range.len),
                Pending::Get(range, dest) => node::copy(dest.at(), self.job.at(range, pe), range.len),
                Pending::Amo(word, amo, result) => {
                    let old = amo.by_cpu(self.job.at(word, pe) as usize, word.len).to_ne_bytes();
                    if let Some(result) = result {
                        node::copy(result.at(), old.as_ptr(), word.len);
                    }
                }
            }
        }
    }

    /// Carries out the pending operations to PEs for which `which` is true.
    fn complete(&self, which: impl Fn(Pe) -> bool) -> Result<(), NetError> {
        let mut pending = self.pending.lock().unwrap();
        let (mut now, later): (Vec<_>, Vec<_>) = pending.drain(..).partition(|(pe, _)| which(*pe));
        *pending = later;
        if !self.keeps_order {
            now.reverse();
        }
        now.into_iter().for_each(|(pe, operation)| self.carry_out(pe, operation));
        Ok(())
    }
}

impl ByMessage for InMemory {
    fn announce(&self, pe: Pe) -> Result<(), NetError> {
        self.called(pe, "announce", How::default());
        Ok(())
    }
    fn answers(&self, _: Pe, _: Duration) -> bool {
        unreachable!("PEs of a test do not get lost")
    }
    fn note(&self, pe: Pe, _: Source, _: Dest) -> Result<(), NetError> {
        self.called(pe, "note", How::default());
        Ok(())
    }
}

impl Fabric for InMemory {
    fn offers(&self, _: Pe) -> Result<Offers, NetError> {
        Ok(if self.job.by_itself.load(Ordering::Relaxed) { Offers::ALL } else { Offers::default() })
    }
    fn has_fence(&self) -> bool {
        self.job.by_itself.load(Ordering::Relaxed)
    }
    fn fence(&self, _: Lane) -> Result<(), NetError> {
        self.called(Pe(0), "fence", How::default());
        self.complete(|_| true)
    }
    fn put(&self, _: Lane, range: SymRange, pe: Pe, source: Source, how: How) -> Result<(), NetError> {
        self.called(pe, "put", how);
        self.keep(pe, Pending::Put(range, copied(source)))
    }
    fn put_nbi(&self, _: Lane, range: SymRange, pe: Pe, source: Source) -> Result<(), NetError> {
        self.called(pe, "put_nbi", How::default());
        self.keep(pe, Pending::Put(range, copied(source)))
    }
    fn get(&self, _: Lane, range: SymRange, pe: Pe, dest: Dest) -> Result<(), NetError> {
        if self.job.no_gets.load(Ordering::Relaxed) {
            return Err(NetError::Found("gets fail".to_owned()));
        }
        self.called(pe, "get", How::default());
        if self.keeps_order {
            self.complete(|other| other == pe)?;
        }
        self.carry_out(pe, Pending::Get(range, dest));
        Ok(())
    }
    fn get_nbi(&self, _: Lane, range: SymRange, pe: Pe, dest: Dest<'static>) -> Result<(), NetError> {
        self.called(pe, "get_nbi", How::default());
        self.keep(pe, Pending::Get(range, dest))
    }
    fn amo(&self, _: Lane, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, NetError> {
        self.called(pe, "amo", How::default());
        if self.keeps_order {
            self.complete(|other| other == pe)?;
        }
        // SAFETY: the word lies inside the segment, and its address is a multiple of its width in all tests.
        Ok(unsafe { amo.by_cpu(self.job.at(word, pe) as usize, word.len) })
    }
    fn amo_nbi(
        &self,
        _: Lane,
        word: SymRange,
        pe: Pe,
        amo: Amo,
        result: Option<Dest<'static>>,
    ) -> Result<(), NetError> {
        self.called(pe, "amo_nbi", How::default());
        self.keep(pe, Pending::Amo(word, amo, result))
    }
    fn quiet_pe(&self, _: Lane, pe: Pe) -> Result<(), NetError> {
        self.called(pe, "quiet_pe", How::default());
        self.complete(|other| other == pe)
    }
    fn quiet(&self, _: Lane, pes: Option<&[Pe]>) -> Result<(), NetError> {
        self.called(Pe(0), "quiet", How::default());
        pes.into_iter().flatten().for_each(|&pe| self.called(pe, "flush", How::default()));
        self.complete(|pe| pes.is_none_or(|pes| pes.contains(&pe)))
    }
    fn close(&self) {}
}
