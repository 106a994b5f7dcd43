//! What a library of the network does for one lane of a PE, and the PEs that were contacted on it.

use super::record::Record;
use crate::memory::addr::{Pe, SegId, Span, SymRange};
use crate::memory::local::{Dest, Source};
use crate::net::fabric::Offers;
use crate::net::{Exposed, NetError};
use crate::os::map;
use crate::transport::amo::Amo;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::ops::{Deref, DerefMut};

/// Operations that may be under way on a lane, beside those that a thread waits for. So its memory is bounded, however
/// many a program issues before a quiet: UCX takes some 400 bytes for each, which are 2 MiB on a lane, and libfabric's
/// take some 300 and the copies of short sources, which are 34 MiB at most. With more, nothing is faster.
pub(in crate::net) const MOST: usize = 4096;

/// The number of an operation or a message that was not complete when the library's call returned: a pointer that only
/// its worker follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Request(pub(in crate::net) *mut c_void);

// SAFETY: only the worker follows the pointer, and whoever calls it has its lock.
unsafe impl Send for Request {}

/// A message was longer than its receive buffer.
pub(in crate::net) struct TooLong;

#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Message {
    pub(in crate::net) tag: u64,
    pub(in crate::net) bytes: usize,
}

/// The operations on a PE up to the one with this number, which a quiet completes.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Flush {
    pub(in crate::net) pe: Pe,
    pub(in crate::net) up_to: u64,
    /// None: the library needs no call for it.
    pub(in crate::net) request: Option<Request>,
}

/// Operands and result of an AMO, which stay in place until it is over.
pub(in crate::net) type Operands = Box<[UnsafeCell<u64>; 2]>;

/// The library's objects for one lane: an endpoint or a way to each PE that was contacted. Whoever calls holds the lock
/// around them, so no two threads are in them at a time. No call waits for another PE.
///
/// A request is over when `is_over`, or `has_come` for a receive, has told so once; after that and after `forget` it
/// is gone.
pub(in crate::net) trait Worker: Send {
    /// How other PEs reach this one.
    fn address(&self) -> Result<Vec<u8>, String>;
    /// Registers the segment with this index. Gives its key, and where it begins as the library counts.
    fn register(&mut self, which: usize, segment: Span) -> Result<(Vec<u8>, u64), String>;
    /// Takes back what `register` has made.
    fn unregister(&mut self, which: usize) -> Result<(), String>;

    /// Registers this PE's memory. Gives the keys and bases of its [`Record`].
    fn expose(&mut self, exposed: Exposed) -> Result<([Vec<u8>; 2], [u64; 2]), String> {
        let (mut keys, mut bases) = ([Vec::new(), Vec::new()], [0; 2]);
        let segments = [exposed.heap, exposed.statics].into_iter().enumerate();
        for (i, segment) in segments.filter(|(_, segment)| segment.len > 0) {
            (keys[i], bases[i]) = self.register(i, segment)?;
        }
        Ok((keys, bases))
    }

    /// Registers memory of one page for a moment. Where PEs have not agreed on the library yet, a device that refuses
    /// it has them take another one.
    fn try_memory(&mut self) -> Result<(), String> {
        let page = vec![0u8; map::page()];
        self.register(0, Span { base: page.as_ptr() as usize, len: page.len() })?;
        self.unregister(0)
    }

    /// Another worker of the same process, for another lane: it issues operations, and no PE knows its address.
    fn beside(&self) -> Result<Box<dyn Worker>, NetError>;
    /// The library, and what it uses, in words for people.
    fn describe(&self) -> String;
    /// The most bytes of an operation or a message.
    fn longest(&self) -> usize {
        usize::MAX
    }

    fn contacts(&mut self) -> &mut dyn Contacts;
    /// Makes the way to a PE whose record is `record`, and which was not contacted.
    fn connect(&mut self, pe: Pe, record: &Record) -> Result<(), NetError>;

    /// Puts. The PE was contacted before, as in all calls below. With `copy` the worker may copy the source, and gives
    /// no request then.
    ///
    /// # Safety
    /// The source can be read until the request is over.
    unsafe fn put(&mut self, range: SymRange, pe: Pe, source: Source, copy: bool) -> Result<Option<Request>, NetError>;
    /// # Safety
    /// The destination can be written until the request is over.
    unsafe fn get(&mut self, range: SymRange, pe: Pe, dest: Dest) -> Result<Option<Request>, NetError>;
    /// Starts an AMO on a word. `reply`: where the old value goes; null: nowhere. Gives its operands, which the caller
    /// keeps until the request is over.
    ///
    /// # Safety
    /// As many bytes as the word has can be written at `reply` until the request is over.
    unsafe fn amo(
        &mut self,
        word: SymRange,
        pe: Pe,
        amo: Amo,
        reply: *mut u64,
    ) -> Result<(Option<Request>, Operands), NetError>;
    /// Keeps an operation on a PE that nobody waits for, with an AMO's operands, until it is over.
    fn keep(&mut self, pe: Pe, request: Request, operands: Option<Operands>) -> Result<(), NetError>;
    /// Whether [`MOST`] operations are under way, so that no others should be issued: a PE that has not completed one.
    fn full(&mut self) -> Result<Option<Pe>, NetError>;

    /// Whether a fence orders without waiting.
    fn has_fence(&self) -> bool;
    /// Orders what is issued to a PE later behind what was issued to it before.
    fn fence(&self) -> Result<(), NetError> {
        Ok(())
    }
    /// Begins to complete what was issued to these PEs, or to all that were used. Gives what is under way.
    fn flush(&mut self, pes: Option<&[Pe]>) -> Result<Vec<Flush>, NetError>;
    /// Whether a flush is over; then its request is gone.
    fn is_flushed(&mut self, flush: &Flush) -> Result<bool, NetError>;

    /// Sends a message to a PE that was contacted.
    ///
    /// # Safety
    /// The source can be read until the request is over.
    unsafe fn send(&mut self, pe: Pe, tag: u64, source: Source) -> Result<Option<Request>, NetError>;
    /// Receives the next message whose tag has these bits under `mask`.
    ///
    /// # Safety
    /// The destination can be written until the request is over.
    unsafe fn receive(&mut self, tag: u64, mask: u64, dest: Dest) -> Result<Request, NetError>;
    /// Tag and bytes of a message, once it has come. Also tells that it was longer than its buffer.
    fn has_come(&mut self, request: Request) -> Result<Option<Result<Message, TooLong>>, NetError>;
    /// Cancels a receive. Gives whether nobody writes to its buffer any more: a message may just be arriving there.
    fn cancel(&mut self, request: Request) -> bool;

    /// Lets the library send and receive. Gives whether anything has happened.
    fn progress(&mut self) -> bool;
    fn is_over(&mut self, request: Request) -> Result<bool, NetError> {
        Ok(self.has_come(request)?.is_some())
    }
    fn forget(&mut self, request: Request);
    /// Ends everything. No operation is under way at any PE.
    fn end(&mut self);
}

/// The worker of a lane, and how this PE uses it.
pub(super) struct LaneWorker {
    worker: Box<dyn Worker>,
    /// This PE takes part in nothing: see `Native::set_rest`.
    pub(super) rests: bool,
    /// A wait for tagged messages has just polled the network, and the next poll for requests may rely on that.
    polled: bool,
    /// The receive of the next word.
    word: Option<(Request, Box<UnsafeCell<u64>>)>,
}

impl LaneWorker {
    pub(super) fn of(worker: Box<dyn Worker>) -> LaneWorker {
        LaneWorker { worker, rests: false, polled: false, word: None }
    }

    /// As `progress`, in a wait that polls for requests of other PEs next: that poll finds what this one has brought.
    pub(super) fn progress_for_next(&mut self) -> bool {
        self.polled = true;
        self.worker.progress()
    }

    /// As `progress`, unless `progress_for_next` was called since the last time.
    pub(super) fn progress_unless_polled(&mut self) -> bool {
        !core::mem::take(&mut self.polled) && self.worker.progress()
    }

    /// Makes the way to a PE unless there is one: another thread may have been quicker.
    pub(super) fn connect(&mut self, pe: Pe, record: &Record) -> Result<(), NetError> {
        if self.contacts().knows(pe) { Ok(()) } else { self.worker.connect(pe, record) }
    }

    /// The next message of a word whose tag has these bits under `mask`, if one has come. A receive for it is always
    /// there, because not all providers of libfabric look for messages without one. Always called with the same tag and
    /// mask.
    pub(super) fn next_word(&mut self, tag: u64, mask: u64) -> Result<Option<u64>, NetError> {
        if self.word.is_none() {
            let room = Box::new(UnsafeCell::new(0u64));
            // SAFETY: the room stays with the request, to the end of the process if need be.
            let request = unsafe { self.worker.receive(tag, mask, Dest::of::<u64>(room.get(), 1))? };
            self.word = Some((request, room));
        }
        if !self.rests {
            self.worker.progress();
        }
        let Some((request, _)) = &self.word else { return Ok(None) };
        let came = match self.worker.has_come(*request) {
            Ok(None) => return Ok(None),
            over => over,
        };
        // A receive that has failed is over, too.
        let word = self.word.take().map(|(_, room)| room.into_inner());
        let is_word = matches!(came?, Some(Ok(message)) if message.bytes == size_of::<u64>());
        Ok(word.filter(|_| is_word))
    }

    pub(super) fn end(&mut self) {
        self.rests = true;
        if let Some((request, room)) = self.word.take()
            && !self.worker.cancel(request)
        {
            core::mem::forget(room); // the library may still write to it
        }
        self.worker.end();
    }
}

impl Deref for LaneWorker {
    type Target = dyn Worker + 'static;

    fn deref(&self) -> &(dyn Worker + 'static) {
        &*self.worker
    }
}

impl DerefMut for LaneWorker {
    fn deref_mut(&mut self) -> &mut (dyn Worker + 'static) {
        &mut *self.worker
    }
}

/// The way to a PE's memory: what the library needs for it, and what was issued.
pub(in crate::net) struct Peer<W> {
    pub(in crate::net) way: W,
    bases: [u64; 2],
    offers: Offers,
    /// The PE has this one's record, or has been sent it.
    has_own_record: bool,
    /// Operations that were issued to the PE, and how many of the first of them are complete.
    pub(in crate::net) issued: u64,
    pub(in crate::net) completed: u64,
    /// The PE is in `used`.
    is_listed: bool,
}

impl<W> Peer<W> {
    /// The address of a range at the PE, as its library counts.
    pub(in crate::net) fn address(&self, range: SymRange) -> u64 {
        self.bases[index(range.seg)] + range.off as u64
    }
}

/// The index of a segment in keys and bases.
pub(in crate::net) fn index(seg: SegId) -> usize {
    match seg {
        SegId::Heap => 0,
        SegId::Data => 1,
        SegId::Space(_) => unreachable!("spaces are reached by messages"),
    }
}

/// PEs that were contacted, whatever the library needs for them.
pub(in crate::net) trait Contacts {
    fn knows(&self, pe: Pe) -> bool;
    fn offers(&self, pe: Pe) -> Offers;
    /// Notes that a PE has this one's record or is sent it next. False: that was noted before.
    fn note_record(&mut self, pe: Pe) -> bool;
    fn count(&self) -> usize;
}

impl<W> Contacts for Peers<W> {
    fn knows(&self, pe: Pe) -> bool {
        self.get(pe).is_some()
    }

    fn offers(&self, pe: Pe) -> Offers {
        self.get(pe).map_or_else(Offers::default, |peer| peer.offers)
    }

    fn note_record(&mut self, pe: Pe) -> bool {
        self.get_mut(pe).is_some_and(|peer| !core::mem::replace(&mut peer.has_own_record, true))
    }

    fn count(&self) -> usize {
        self.contacted.len()
    }
}

/// The PEs that were contacted.
pub(in crate::net) struct Peers<W> {
    /// By number of PE. PEs that were not contacted have no more than the null pointer here, on pages that nobody has
    /// touched.
    all: Box<[Option<Box<Peer<W>>>]>,
    /// PEs that may have operations under way, each once.
    used: Vec<Pe>,
    contacted: Vec<Pe>,
}

impl<W> Peers<W> {
    /// Nobody of so many PEs.
    pub(in crate::net) fn of(pes: usize) -> Peers<W> {
        // SAFETY: the zero pointer is None.
        let all = unsafe { Box::new_zeroed_slice(pes).assume_init() };
        Peers { all, used: Vec::new(), contacted: Vec::new() }
    }

    /// PEs of the job.
    pub(in crate::net) fn size(&self) -> usize {
        self.all.len()
    }

    pub(in crate::net) fn get(&self, pe: Pe) -> Option<&Peer<W>> {
        self.all.get(pe.0 as usize)?.as_deref()
    }

    pub(in crate::net) fn get_mut(&mut self, pe: Pe) -> Option<&mut Peer<W>> {
        self.all.get_mut(pe.0 as usize)?.as_deref_mut()
    }

    /// A PE to which an operation or a message goes.
    pub(in crate::net) fn known(&mut self, pe: Pe) -> &mut Peer<W> {
        self.get_mut(pe).expect("a PE that is used was contacted")
    }

    pub(in crate::net) fn add(&mut self, pe: Pe, way: W, record: &Record, offers: Offers) {
        let (bases, has_own_record, is_listed) = (record.bases, false, false);
        let peer = Peer { way, bases, offers, has_own_record, issued: 0, completed: 0, is_listed };
        self.all[pe.0 as usize] = Some(Box::new(peer));
        self.contacted.push(pe);
    }

    /// The PE of an operation, which is noted.
    pub(in crate::net) fn issue(&mut self, pe: Pe) -> &mut Peer<W> {
        let peer = self.all[pe.0 as usize].as_deref_mut().expect("a PE that is used was contacted");
        peer.issued += 1;
        if !core::mem::replace(&mut peer.is_listed, true) {
            self.used.push(pe);
        }
        peer
    }

    /// The PEs among these, or among all, that have operations under way, each with the number of its last one. Cost:
    /// what was used.
    pub(in crate::net) fn under_way(&mut self, pes: Option<&[Pe]>) -> Vec<(Pe, u64)> {
        let Peers { all, used, .. } = self;
        used.retain(|pe| {
            all[pe.0 as usize].as_deref_mut().is_some_and(|peer| {
                peer.is_listed = peer.issued > peer.completed;
                peer.is_listed
            })
        });
        let last = |&pe: &Pe| self.get(pe).filter(|peer| peer.issued > peer.completed).map(|peer| (pe, peer.issued));
        pes.unwrap_or(&self.used).iter().filter_map(last).collect()
    }

    /// A PE that has operations under way.
    pub(in crate::net) fn first_under_way(&self) -> Option<Pe> {
        let is_under_way = |&pe: &Pe| self.get(pe).is_some_and(|peer| peer.issued > peer.completed);
        self.used.iter().copied().find(is_under_way)
    }

    /// Notes that a PE's operations up to a number are complete.
    pub(in crate::net) fn complete(&mut self, pe: Pe, up_to: u64) {
        if let Some(peer) = self.get_mut(pe) {
            peer.completed = peer.completed.max(up_to);
        }
    }

    /// What the library needs for each of them. Nobody is left.
    pub(in crate::net) fn drain(&mut self) -> impl Iterator<Item = W> {
        let Peers { all, contacted, .. } = self;
        contacted.drain(..).filter_map(|pe| all[pe.0 as usize].take()).map(|peer| peer.way)
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    /// The table takes a page for each PE that is contacted, and none for the others. So many PEs that the allocator
    /// takes fresh pages for them.
    #[test]
    fn pes_that_are_not_contacted_take_no_memory() {
        const PES: usize = 1 << 23;
        const PAGE: usize = 4096;
        let record = Record { address: vec![], keys: [vec![], vec![]], bases: [0; 2] };
        let mut peers = Peers::of(PES);
        for pe in [0, 777_777, PES as u32 - 1] {
            assert!(!peers.knows(Pe(pe)));
            peers.add(Pe(pe), (), &record, Offers::default());
        }
        let first = peers.all.as_ptr() as usize & !(PAGE - 1);
        let pages = (peers.all.as_ptr_range().end as usize - first).div_ceil(PAGE);
        let mut resident = vec![0u8; pages];
        // SAFETY: the pages are mapped, and there is a byte for each of them.
        let told = unsafe { libc::mincore(first as *mut _, pages * PAGE, resident.as_mut_ptr()) };
        assert_eq!(told, 0);
        let resident = resident.iter().filter(|&&page| page & 1 != 0).count();
        assert!((3..=4).contains(&resident), "{resident} of {pages} pages"); // the first one has the allocator's word
    }
}
