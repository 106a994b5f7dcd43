//! What goes on at one endpoint of libfabric: the operations that were started, and the PEs that were contacted. An
//! operation that the library refuses for now (`FI_EAGAIN`) waits here, in order, until progress was made. So no call
//! waits.

use super::OFI;
use super::library::{Calls, CqEntry, CqError, EAGAIN, EAVAIL, ETRUNC, Library, kind};
use super::objects::Objects;
use super::ops::{self, OfiOp, Outcome, Place, State, What};
use crate::memory::addr::{Pe, Span, SymRange};
use crate::memory::local::{Dest, Source};
use crate::net::NetError;
use crate::net::native::Over;
use crate::net::native::record::Record;
use crate::net::native::worker::{self, Contacts, Flush, MOST, Message, Operands, Peers, Request, TooLong, index};
use crate::transport::amo::Amo;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use core::mem::{replace, zeroed};
use core::ptr::{null_mut, slice_from_raw_parts};
use std::collections::VecDeque;

/// Completions that one call takes from the queue.
const ENTRIES: usize = 16;
/// Unused operations that are kept. Others are allocated again.
const KEPT: usize = 256;
/// Polls in which a receive that was cancelled has to end.
const POLLS_TO_CANCEL: usize = 10_000;

struct Way {
    address: u64,
    keys: [u64; 2],
    /// Operations that the library has refused for now.
    waiting: VecDeque<*mut OfiOp>,
    /// Which of the operations behind the first one under way are over.
    over: VecDeque<bool>,
}

pub(super) struct Worker {
    objects: Objects,
    /// None: the endpoint has ended.
    calls: Option<Calls>,
    peers: Peers<Way>,
    /// Operations on all PEs, from the first one under way on each.
    under_way: usize,
    /// PEs for which operations wait.
    waiting: Vec<Pe>,
    /// Receives that the library has refused for now.
    receives: VecDeque<*mut OfiOp>,
    #[expect(clippy::vec_box, reason = "operations do not move")]
    free: Vec<Box<OfiOp>>,
    /// Why an operation has failed for which nobody waits.
    lost: Option<NetError>,
}

// SAFETY: libfabric takes its objects from any thread, one at a time for all of a domain (`THREAD_DOMAIN`); whoever has
// the lock around the worker is that one.
unsafe impl Send for Worker {}

impl Worker {
    pub(super) fn open(library: &'static Library, pes: usize, over: Over) -> Result<Worker, String> {
        let objects = Objects::open(library, pes, over)?;
        Ok(Worker::with(objects.calls()?, objects, pes))
    }

    fn with(calls: Calls, objects: Objects, pes: usize) -> Worker {
        let (waiting, receives, free) = (Vec::new(), VecDeque::new(), Vec::new());
        let (peers, calls) = (Peers::of(pes), Some(calls));
        Worker { objects, calls, peers, under_way: 0, waiting, receives, free, lost: None }
    }

    /// An operation that nobody uses.
    fn unused(&mut self) -> Box<OfiOp> {
        self.free.pop().unwrap_or_else(OfiOp::new)
    }

    /// Takes back an operation that is over.
    ///
    /// # Safety
    /// The pointer is that of `start`, and nobody uses it again.
    unsafe fn recycle(&mut self, op: *mut OfiOp) {
        // SAFETY: the caller's promise.
        let mut op = unsafe { Box::from_raw(op) };
        if self.free.len() < KEPT {
            (op.pe, op.number, op.state, op.is_forgotten) = (None, 0, State::UnderWay, false);
            op.copy.clear();
            op.operands = None;
            self.free.push(op);
        }
    }

    /// Tries to issue an operation. False: the library refuses it for now.
    ///
    /// # Safety
    /// The operation is one of `start`, and what it names stays until it is over.
    unsafe fn try_to_issue(&mut self, op: *mut OfiOp) -> bool {
        let Some(calls) = &self.calls else { return true };
        // SAFETY: the caller's promise; an endpoint with calls is enabled.
        match unsafe { ops::issue(calls, self.objects.endpoint, op) } {
            0 => true,
            status if status == -EAGAIN => false,
            status => {
                let why = self.objects.library.text_of(status);
                // SAFETY: the library has not taken the operation, so it is over.
                unsafe { self.end_op(op, Err(OFI.refuses((*op).pe, (*op).what.name(), why))) };
                true
            }
        }
    }

    /// Starts an operation. It waits behind those that wait for the same PE.
    ///
    /// # Safety
    /// What the operation names stays until it is over.
    unsafe fn start(&mut self, op: Box<OfiOp>) -> Request {
        let pe = op.pe;
        let op = Box::into_raw(op);
        let waits = pe.map_or(!self.receives.is_empty(), |pe| !self.peers.known(pe).way.waiting.is_empty());
        // SAFETY: the caller's promise.
        if waits || unsafe { !self.try_to_issue(op) } {
            match pe {
                None => self.receives.push_back(op),
                Some(pe) => {
                    let queue = &mut self.peers.known(pe).way.waiting;
                    queue.push_back(op);
                    if queue.len() == 1 {
                        self.waiting.push(pe);
                    }
                }
            }
        }
        Request(op.cast())
    }

    /// Issues what the library has refused so far. Gives whether it has taken any.
    fn retry(&mut self) -> bool {
        let mut taken = false;
        while let Some(&op) = self.receives.front()
            // SAFETY: an operation of `start` that the library has not taken yet.
            && unsafe { self.try_to_issue(op) }
        {
            self.receives.pop_front();
            taken = true;
        }
        let mut i = 0;
        while let Some(&pe) = self.waiting.get(i) {
            while let Some(&op) = self.peers.known(pe).way.waiting.front()
                // SAFETY: as above.
                && unsafe { self.try_to_issue(op) }
            {
                self.peers.known(pe).way.waiting.pop_front();
                taken = true;
            }
            match self.peers.known(pe).way.waiting.is_empty() {
                true => drop(self.waiting.swap_remove(i)),
                false => i += 1,
            }
        }
        taken
    }

    /// Notes that an operation is over.
    ///
    /// # Safety
    /// An operation of `start` that neither the library nor a queue has.
    unsafe fn end_op(&mut self, op: *mut OfiOp, result: Outcome) {
        // SAFETY: the caller's promise; nobody else has a reference.
        let ended = unsafe { &mut *op };
        if let (Some(pe), 1..) = (ended.pe, ended.number) {
            let peer = self.peers.known(pe);
            let place = (ended.number - peer.completed - 1) as usize;
            let over = &mut peer.way.over;
            over.resize(over.len().max(place + 1), false);
            over[place] = true;
            while over.front() == Some(&true) {
                over.pop_front();
                peer.completed += 1;
                self.under_way -= 1;
            }
        }
        match ended.is_forgotten {
            // SAFETY: nobody asks for it.
            true => unsafe { self.leave(op, result) },
            false => ended.state = State::Over(result),
        }
    }

    /// Takes back an operation that is over and that nobody asks for.
    ///
    /// # Safety
    /// As for `recycle`.
    unsafe fn leave(&mut self, op: *mut OfiOp, result: Outcome) {
        // A message that nobody waits for may be for a PE that has left.
        // SAFETY: the caller's promise.
        if let (Err(e), 1..) = (result, unsafe { (*op).number }) {
            self.lost.get_or_insert(e);
        }
        // SAFETY: as above.
        unsafe { self.recycle(op) };
    }

    /// Takes completions from the queue. Gives whether there were some.
    fn poll(&mut self) -> bool {
        let (library, cq) = (self.objects.library, self.objects.cq);
        let Some(Calls { poll, error, text, .. }) = self.calls else { return false };
        let mut any = false;
        loop {
            // SAFETY: zeros are values of numbers and pointers.
            let mut entries: [CqEntry; ENTRIES] = unsafe { zeroed() };
            // SAFETY: the queue is there while there are calls; the library writes up to so many entries.
            let came = unsafe { poll(cq, entries.as_mut_ptr(), ENTRIES) };
            for entry in &entries[..came.clamp(0, ENTRIES as isize) as usize] {
                let message = Message { tag: entry.tag, bytes: entry.len };
                if !entry.context.is_null() {
                    // SAFETY: the context is an operation of `start`, which is over.
                    unsafe { self.end_op(entry.context.cast(), Ok(Ok(message))) };
                }
            }
            any |= came > 0;
            if came == -(EAVAIL as isize) {
                // SAFETY: as above; the library writes one entry, whose texts last until the next call. Its context is
                // that of an operation of `start`, which is over; or none.
                unsafe {
                    let mut entry: CqError = zeroed();
                    if error(cq, &mut entry, 0) < 0 {
                        return any;
                    }
                    any = true;
                    let op: *mut OfiOp = entry.context.cast();
                    if op.is_null() {
                        continue;
                    }
                    let outcome = match entry.err {
                        ETRUNC => Ok(Err(TooLong)),
                        err => {
                            let mut room = [0 as c_char; 256];
                            let told = text(cq, entry.prov_errno, entry.err_data, room.as_mut_ptr(), room.len());
                            let told = if told.is_null() { "".into() } else { CStr::from_ptr(told).to_string_lossy() };
                            let why = format!("{} ({told})", library.text_of(err));
                            Err(OFI.refuses((*op).pe, (*op).what.name(), why))
                        }
                    };
                    self.end_op(op, outcome);
                }
            } else if came < ENTRIES as isize {
                return any;
            }
        }
    }

    /// What has become of an operation, once it is over; then it is gone.
    fn result(&mut self, request: Request) -> Option<Outcome> {
        let op: *mut OfiOp = request.0.cast();
        // SAFETY: an operation of `start` that nobody has forgotten and that is not gone.
        unsafe {
            match replace(&mut (*op).state, State::UnderWay) {
                State::UnderWay => None,
                State::Over(result) => {
                    self.recycle(op);
                    Some(result)
                }
            }
        }
    }

    /// Where a range is, of an operation that is noted, and the number of that.
    fn place(&mut self, range: SymRange, pe: Pe) -> (Place, u64) {
        self.under_way += 1;
        let peer = self.peers.issue(pe);
        let key = peer.way.keys[index(range.seg)];
        (Place { address: peer.way.address, at: peer.address(range), key }, peer.issued)
    }

    /// The failure of an operation for which nobody waits, once.
    fn failed(&mut self) -> Result<(), NetError> {
        self.lost.take().map_or(Ok(()), Err)
    }
}

impl worker::Worker for Worker {
    fn address(&self) -> Result<Vec<u8>, String> {
        self.objects.address()
    }

    fn register(&mut self, which: usize, segment: Span) -> Result<(Vec<u8>, u64), String> {
        self.objects.register(which, segment)
    }

    fn unregister(&mut self, which: usize) -> Result<(), String> {
        self.objects.unregister(which)
    }

    fn beside(&self) -> Result<Box<dyn worker::Worker>, NetError> {
        let pes = self.peers.size();
        let objects = self.objects.beside(pes);
        let made = objects.and_then(|objects| Ok(Worker::with(objects.calls()?, objects, pes)));
        Ok(Box::new(made.map_err(|why| OFI.refuses(None, "another endpoint", why))?))
    }

    fn describe(&self) -> String {
        self.objects.provider.describe()
    }

    fn longest(&self) -> usize {
        self.objects.provider.longest()
    }

    fn contacts(&mut self) -> &mut dyn Contacts {
        &mut self.peers
    }

    fn connect(&mut self, pe: Pe, record: &Record) -> Result<(), NetError> {
        let Some(Calls { insert, .. }) = self.calls else { return Ok(()) };
        let (name, told) = (self.objects.provider.name(), &record.address);
        let (theirs, raw) = told.split_at(told.len().min(1 + usize::from(told.first().copied().unwrap_or(0))));
        if theirs.get(1..) != Some(name.as_bytes()) {
            let theirs = String::from_utf8_lossy(theirs.get(1..).unwrap_or_default());
            let why = format!("it uses {theirs}, and this PE uses {name}; set FI_PROVIDER alike on all nodes");
            return Err(OFI.refuses(Some(pe), "the address", why));
        }
        let mut address = 0;
        // SAFETY: the vector is there while there are calls; the address is one of a provider of the same name, which
        // takes as many bytes as its addresses have; the library writes a number.
        let inserted = unsafe { insert(self.objects.av, raw.as_ptr(), 1, &mut address, 0, null_mut()) };
        if inserted != 1 {
            return Err(OFI.refuses(Some(pe), "the address", self.objects.library.text_of(inserted)));
        }
        let keys = record.keys.each_ref().map(|key| key[..].try_into().map_or(0, u64::from_le_bytes));
        let way = Way { address, keys, waiting: VecDeque::new(), over: VecDeque::new() };
        self.peers.add(pe, way, record, self.objects.offers());
        Ok(())
    }

    unsafe fn put(&mut self, range: SymRange, pe: Pe, source: Source, copy: bool) -> Result<Option<Request>, NetError> {
        let mut op = self.unused();
        let (to, number) = self.place(range, pe);
        let (mut from, len) = (source.at(), source.len());
        if copy {
            // SAFETY: the caller's promise.
            op.copy.extend_from_slice(unsafe { &*slice_from_raw_parts(from, len) });
            from = op.copy.as_ptr();
        }
        (op.what, op.pe, op.number) = (What::Put { to, from, len }, Some(pe), number);
        // SAFETY: the caller's promise, or the copy stays with the operation.
        let request = unsafe { self.start(op) };
        if copy {
            self.forget(request);
            return Ok(None);
        }
        Ok(Some(request))
    }

    unsafe fn get(&mut self, range: SymRange, pe: Pe, dest: Dest) -> Result<Option<Request>, NetError> {
        let mut op = self.unused();
        let (of, number) = self.place(range, pe);
        (op.what, op.pe, op.number) = (What::Get { of, to: dest.at(), len: dest.len() }, Some(pe), number);
        // SAFETY: the caller's promise.
        Ok(Some(unsafe { self.start(op) }))
    }

    unsafe fn amo(
        &mut self,
        word: SymRange,
        pe: Pe,
        amo: Amo,
        reply: *mut u64,
    ) -> Result<(Option<Request>, Operands), NetError> {
        let mut op = self.unused();
        let (place, number) = self.place(word, pe);
        let (operation, operands) = ops::operation(amo);
        let operands: Operands = Box::new(operands.map(UnsafeCell::new));
        let at = [0, 1].map(|i: usize| operands[i].get().cast_const());
        let result = if reply.is_null() { &raw mut op.scratch } else { reply };
        let datatype = if word.len == 4 { kind::UINT32 } else { kind::UINT64 };
        op.what = What::Amo { word: place, datatype, op: operation, operands: at, result };
        (op.pe, op.number) = (Some(pe), number);
        // SAFETY: the caller's promise: the reply and the operands stay. The scratch is the operation's.
        let request = unsafe { self.start(op) };
        Ok((Some(request), operands))
    }

    fn keep(&mut self, _: Pe, request: Request, operands: Option<Operands>) -> Result<(), NetError> {
        // SAFETY: an operation of `start` that is not gone: `forget` comes below.
        unsafe { (*request.0.cast::<OfiOp>()).operands = operands };
        self.forget(request);
        Ok(())
    }

    fn full(&mut self) -> Result<Option<Pe>, NetError> {
        Ok(if self.under_way < MOST { None } else { self.peers.first_under_way() })
    }

    fn has_fence(&self) -> bool {
        self.objects.provider.keeps_order()
    }

    /// No call of the library: the completions of operations are counted.
    fn flush(&mut self, pes: Option<&[Pe]>) -> Result<Vec<Flush>, NetError> {
        self.failed()?;
        Ok(self.peers.under_way(pes).into_iter().map(|(pe, up_to)| Flush { pe, up_to, request: None }).collect())
    }

    fn is_flushed(&mut self, flush: &Flush) -> Result<bool, NetError> {
        self.failed()?;
        Ok(self.peers.get(flush.pe).is_none_or(|peer| peer.completed >= flush.up_to))
    }

    unsafe fn send(&mut self, pe: Pe, tag: u64, source: Source) -> Result<Option<Request>, NetError> {
        let mut op = self.unused();
        let address = self.peers.known(pe).way.address;
        op.what = What::Send { address, tag, from: source.at(), len: source.len() };
        op.pe = Some(pe);
        // SAFETY: the caller's promise.
        Ok(Some(unsafe { self.start(op) }))
    }

    unsafe fn receive(&mut self, tag: u64, mask: u64, dest: Dest) -> Result<Request, NetError> {
        let mut op = self.unused();
        op.what = What::Receive { to: dest.at(), len: dest.len(), tag, ignored: !mask };
        // SAFETY: the caller's promise.
        Ok(unsafe { self.start(op) })
    }

    fn has_come(&mut self, request: Request) -> Result<Option<Result<Message, TooLong>>, NetError> {
        self.result(request).transpose()
    }

    fn cancel(&mut self, request: Request) -> bool {
        let op: *mut OfiOp = request.0.cast();
        if let Some(i) = self.receives.iter().position(|&waits| waits == op) {
            self.receives.remove(i);
            // SAFETY: a receive of `start` that the library has not taken.
            unsafe { self.recycle(op) };
            return true;
        }
        let Some(Calls { cancel, .. }) = self.calls else { return false };
        // SAFETY: the endpoint is there while there are calls, and the operation is one that it has. Whether it has
        // ended is told by the queue.
        let _ = unsafe { cancel(self.objects.endpoint, op.cast()) };
        for _ in 0..POLLS_TO_CANCEL {
            if self.result(request).is_some() {
                return true;
            }
            self.poll();
        }
        false
    }

    fn progress(&mut self) -> bool {
        let happened = self.poll();
        let waits = !self.waiting.is_empty() || !self.receives.is_empty();
        waits && self.retry() || happened
    }

    fn forget(&mut self, request: Request) {
        let op: *mut OfiOp = request.0.cast();
        // SAFETY: an operation of `start` that nobody has forgotten and that is not gone.
        unsafe {
            (*op).is_forgotten = true;
            if let State::Over(result) = replace(&mut (*op).state, State::UnderWay) {
                self.leave(op, result);
            }
        }
    }

    fn end(&mut self) {
        self.calls = None;
        self.objects.close();
    }
}

/// A worker that no job has taken.
impl Drop for Worker {
    fn drop(&mut self) {
        worker::Worker::end(self);
    }
}

#[cfg(test)]
mod tests;
