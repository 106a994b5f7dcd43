//! UCX's objects of one process: context, worker, this PE's memory, and an endpoint for each PE that was contacted.
//! Whoever calls holds the lock around them, so no two threads are in the library at a time.

use super::config;
use super::library::{
    AtomicOp, Came, EndpointParams, Handle, IN_PROGRESS, LAST_FAILURE, Library, MemoryParams, OK, RequestParams,
    Status, TRUNCATED, WorkerParams,
};
use super::record::{Own, Record};
use crate::memory::addr::{Pe, SegId, Span, SymRange};
use crate::memory::local::{Dest, Source};
use crate::net::fabric::Offers;
use crate::net::{Exposed, NetError};
use crate::os::map;
use crate::transport::amo::{Amo, Op};
use core::cell::{Cell, UnsafeCell};
use core::ptr::null_mut;

/// An operation that was not complete when the library's call returned.
#[derive(Clone, Copy)]
pub(crate) struct Request(Handle);

// SAFETY: the library takes a request from any thread that holds the worker's lock.
unsafe impl Send for Request {}

/// A message was longer than its receive buffer.
pub(super) struct TooLong;

/// The way to a PE's memory.
struct Peer {
    endpoint: Handle,
    keys: [Handle; 2],
    bases: [u64; 2],
    offers: Offers,
    /// The PE has this one's record, or has been sent it.
    has_own_record: bool,
    /// Operations that were issued to the PE, and how many of these a flush has completed.
    issued: u64,
    flushed: u64,
    /// The PE is in `used`.
    is_listed: bool,
}

/// A flush that is under way: it completes the PE's operations up to a number.
pub(super) struct Flush {
    pub(super) pe: Pe,
    up_to: u64,
    pub(super) request: Request,
}

/// Operands and result of an AMO, which stay in place until it is over.
type Operands = Box<[UnsafeCell<u64>; 2]>;

/// AMOs with kept operands after which those that are over are looked for. With fewer, a row of AMOs looks too often;
/// with more, it takes more memory.
const KEPT: usize = 256;

pub(super) struct Worker {
    library: &'static Library,
    /// Null: another worker has it.
    context: Handle,
    worker: Handle,
    /// Heap and statics as they are registered; null where a segment is empty.
    memory: [Handle; 2],
    /// By number of PE. PEs that were not contacted have no more than the null pointer here, on pages that nobody has
    /// touched.
    peers: Box<[Option<Box<Peer>>]>,
    /// PEs that may have operations under way, each once.
    used: Vec<Pe>,
    /// PEs that were contacted.
    contacted: Vec<Pe>,
    /// AMOs under way that nobody waits for.
    kept: Vec<(Request, Operands)>,
    has_fence: bool,
    /// This PE takes part in nothing: see `Ucx::rest`.
    rests: bool,
    /// A wait for tagged messages has just polled the network, and the next poll for requests may rely on that.
    polled: Cell<bool>,
}

/// A table of no peer for so many PEs.
fn nobody(pes: usize) -> Box<[Option<Box<Peer>>]> {
    // SAFETY: the zero pointer is None.
    unsafe { Box::new_zeroed_slice(pes).assume_init() }
}

// SAFETY: the library takes its handles from any thread, one at a time (`WorkerParams::SERIALIZED`); whoever has the
// lock is that one.
unsafe impl Send for Worker {}

/// The index of a segment in `memory`, `keys` and `bases`.
fn index(seg: SegId) -> usize {
    match seg {
        SegId::Heap => 0,
        SegId::Data => 1,
    }
}

/// Transports that carry out puts, gets and AMOs without the target's CPU, by the beginnings of their names: InfiniBand
/// and RoCE, reliable; Cray's Aries; this process. Over others, such as tcp and ud, the target's CPU does it.
const ADAPTERS: [&[u8]; 4] = [b"rc_", b"dc_", b"ugni_", b"self"];
/// Those by which the kernel puts and gets memory of another process of the machine.
const KERNEL: [&[u8]; 3] = [b"cma", b"knem", b"xpmem"];

/// What an endpoint does by itself.
fn offers(library: &Library, endpoint: Handle) -> Offers {
    let transports = library.transports(endpoint);
    let is_one = |of: &[&[u8]]| transports.iter().any(|t| of.iter().any(|begin| t.name().starts_with(begin)));
    let amo = is_one(&ADAPTERS);
    let transfers = amo || library.puts_by_kernel() && is_one(&KERNEL);
    Offers { put: transfers, get: transfers, amo }
}

/// A broken network, a broken installation or a mistake in this library makes such a status.
fn refused(library: &Library, pe: Option<Pe>, what: &'static str, status: Status) -> NetError {
    NetError::Ucx { what, pe, why: library.text_of(status) }
}

impl Worker {
    /// Makes the library's objects, before memory is there. `pes`: those of the job, and those of this PE's
    /// node, as far as is known. `shared`: also over memory that processes of one machine share.
    pub(super) fn open(library: &'static Library, pes: [usize; 2], shared: bool) -> Result<Worker, String> {
        let (context, mut worker) = (config::context(library, pes, shared)?, null_mut());
        // SAFETY: the context was made above, and the library writes a handle.
        let created = unsafe { (library.worker_create)(context, &WorkerParams::serialized(), &mut worker) };
        if let Err(why) = config::good(library, "ucp_worker_create", created) {
            // SAFETY: the context was made above, and nothing uses it.
            unsafe { (library.cleanup)(context) };
            return Err(why);
        }
        let worker = Worker::of(library, context, worker, nobody(pes[0]), config::has_fence(library));
        worker.try_memory()?;
        Ok(worker)
    }

    /// Registers memory of one page for a moment. Where PEs have not agreed on UCX yet, a device that refuses it has
    /// them take another fabric.
    fn try_memory(&self) -> Result<(), String> {
        let page = vec![0u8; map::page()];
        let (memory, _) = self.register(Span { base: page.as_ptr() as usize, len: page.len() })?;
        // SAFETY: what the library gave above, once; nobody has its key.
        unsafe { config::good(self.library, "ucp_mem_unmap", (self.library.mem_unmap)(self.context, memory)) }
    }

    /// Another worker of the same context, for another lane.
    pub(super) fn beside(&self) -> Result<Worker, NetError> {
        let mut worker = null_mut();
        // SAFETY: the context is there until the main worker's end, which comes last; the library writes a handle.
        let status = unsafe { (self.library.worker_create)(self.context, &WorkerParams::serialized(), &mut worker) };
        if status != OK {
            return Err(refused(self.library, None, "another worker", status));
        }
        let (library, has_fence, peers) = (self.library, self.has_fence, nobody(self.peers.len()));
        Ok(Worker::of(library, null_mut(), worker, peers, has_fence))
    }

    /// A worker that has no memory and knows nobody.
    fn of(
        library: &'static Library,
        context: Handle,
        worker: Handle,
        peers: Box<[Option<Box<Peer>>]>,
        has_fence: bool,
    ) -> Worker {
        let (used, contacted, kept) = (Vec::new(), Vec::new(), Vec::new());
        let memory = [null_mut(); 2];
        let (rests, polled) = (false, Cell::new(false));
        Worker { library, context, worker, memory, peers, used, contacted, kept, has_fence, rests, polled }
    }

    /// Registers this PE's memory. Gives what others need to reach it.
    pub(super) fn expose(&mut self, exposed: Exposed) -> Result<Own, String> {
        let mut keys = [Vec::new(), Vec::new()];
        for (i, segment) in [exposed.heap, exposed.statics].into_iter().enumerate().filter(|(_, s)| s.len > 0) {
            (self.memory[i], keys[i]) = self.register(segment)?;
        }
        Ok(Own { address: self.address()?, keys })
    }

    /// Registers a segment; gives its handle and its key.
    fn register(&self, segment: Span) -> Result<(Handle, Vec<u8>), String> {
        let (mut memory, mut key, mut len) = (null_mut(), null_mut(), 0);
        // SAFETY: the segment is mapped to the end of the process; the library writes a handle, a pointer and a length.
        let packed = unsafe {
            match (self.library.mem_map)(self.context, &MemoryParams::over(segment), &mut memory) {
                OK => (self.library.key_pack)(self.context, memory, &mut key, &mut len),
                failure => failure,
            }
        };
        if packed != OK {
            return Err(format!("memory cannot be registered: {}", self.library.text_of(packed)));
        }
        // SAFETY: the library gives so many bytes, which are its own until they are released.
        let bytes = unsafe { core::slice::from_raw_parts(key, len) }.to_vec();
        // SAFETY: what the library gave above, once.
        unsafe { (self.library.key_release)(key) };
        Ok((memory, bytes))
    }

    fn address(&self) -> Result<Vec<u8>, String> {
        let (mut address, mut len) = (null_mut(), 0);
        // SAFETY: the library writes a pointer and a length.
        let status = unsafe { (self.library.worker_address)(self.worker, &mut address, &mut len) };
        if status != OK {
            return Err(format!("ucp_worker_get_address: {}", self.library.text_of(status)));
        }
        // SAFETY: the library gives so many bytes, which are its own until they are released.
        let bytes = unsafe { core::slice::from_raw_parts(address, len) }.to_vec();
        // SAFETY: what the library gave above, once.
        unsafe { (self.library.release_address)(self.worker, address) };
        Ok(bytes)
    }

    fn peer(&self, pe: Pe) -> Option<&Peer> {
        self.peers.get(pe.0 as usize)?.as_deref()
    }

    pub(super) fn knows(&self, pe: Pe) -> bool {
        self.peer(pe).is_some()
    }

    /// What the way to a PE that was contacted offers.
    pub(super) fn offers(&self, pe: Pe) -> Offers {
        self.peer(pe).map_or_else(Offers::default, |peer| peer.offers)
    }

    /// Makes an endpoint for a PE whose record is `record`. The connection is made by the first operations.
    pub(super) fn connect(&mut self, pe: Pe, record: &Record) -> Result<(), NetError> {
        if self.knows(pe) {
            return Ok(()); // another thread was quicker
        }
        let library = self.library;
        let params = EndpointParams::to(record.address());
        let (mut endpoint, mut keys) = (null_mut(), [null_mut(); 2]);
        // SAFETY: the record holds the address and the keys that the PE's library has made.
        let status = unsafe { (library.endpoint_create)(self.worker, &params, &mut endpoint) };
        if status != OK {
            return Err(refused(library, Some(pe), "the endpoint", status));
        }
        for (key, packed) in keys.iter_mut().zip(record.keys()).filter(|(_, packed)| !packed.is_empty()) {
            // SAFETY: as above; the endpoint was made a few lines up.
            let status = unsafe { (library.key_unpack)(endpoint, packed.as_ptr(), key) };
            if status != OK {
                return Err(refused(library, Some(pe), "the key", status));
            }
        }
        let offers = offers(library, endpoint);
        let (bases, has_own_record, is_listed) = (record.bases(), false, false);
        let peer = Peer { endpoint, keys, bases, offers, has_own_record, issued: 0, flushed: 0, is_listed };
        self.peers[pe.0 as usize] = Some(Box::new(peer));
        self.contacted.push(pe);
        Ok(())
    }

    /// Notes that a PE, which was contacted, has this one's record or is sent it next. False: that was noted before.
    pub(super) fn note_record(&mut self, pe: Pe) -> bool {
        let peer = self.peers[pe.0 as usize].as_deref_mut();
        peer.is_some_and(|peer| !core::mem::replace(&mut peer.has_own_record, true))
    }

    /// Endpoint, address at the PE and key of a range, for an operation that is noted. The PE was contacted.
    fn place(&mut self, range: SymRange, pe: Pe) -> (Handle, u64, Handle) {
        let peer = self.peers[pe.0 as usize].as_deref_mut().expect("a PE that is used was contacted");
        peer.issued += 1;
        if !core::mem::replace(&mut peer.is_listed, true) {
            self.used.push(pe);
        }
        let seg = index(range.seg);
        (peer.endpoint, peer.bases[seg] + range.off as u64, peer.keys[seg])
    }

    /// What the library gave for an operation: nothing if it is complete, else its request.
    fn pending(&self, pe: Option<Pe>, what: &'static str, given: Handle) -> Result<Option<Request>, NetError> {
        match given as isize {
            0 => Ok(None),
            failure @ LAST_FAILURE..0 => Err(refused(self.library, pe, what, failure as Status)),
            _ => Ok(Some(Request(given))),
        }
    }

    /// # Safety
    /// The source can be read until the request is over.
    pub(super) unsafe fn put(&mut self, range: SymRange, pe: Pe, source: Source) -> Result<Option<Request>, NetError> {
        let (endpoint, at, key) = self.place(range, pe);
        let params = RequestParams::of_host();
        // SAFETY: the caller's promise; the range lies inside the PE's segment, for which the key is.
        let given = unsafe { (self.library.put)(endpoint, source.at(), source.len(), at, key, &params) };
        self.pending(Some(pe), "a put to memory", given)
    }

    /// # Safety
    /// The destination can be written until the request is over.
    pub(super) unsafe fn get(&mut self, range: SymRange, pe: Pe, dest: Dest) -> Result<Option<Request>, NetError> {
        let (endpoint, at, key) = self.place(range, pe);
        let params = RequestParams::of_host();
        // SAFETY: the caller's promise; the range lies inside the PE's segment, for which the key is.
        let given = unsafe { (self.library.get)(endpoint, dest.at(), dest.len(), at, key, &params) };
        self.pending(Some(pe), "a get from memory", given)
    }

    /// Starts an AMO on a word. `reply`: where the old value goes; null: nowhere. Gives its operands, which the caller
    /// keeps until the request is over.
    ///
    /// # Safety
    /// As many bytes as the word has can be written at `reply` until the request is over.
    pub(super) unsafe fn amo(
        &mut self,
        word: SymRange,
        pe: Pe,
        amo: Amo,
        reply: *mut u64,
    ) -> Result<(Option<Request>, Operands), NetError> {
        let (endpoint, at, key) = self.place(word, pe);
        let (op, operand, other) = match amo {
            Amo::Op(Op::Fetch, _) => (AtomicOp::Add, 0, 0),
            Amo::Op(Op::Store, value) => (AtomicOp::Swap, value, 0),
            Amo::Op(Op::Add, value) => (AtomicOp::Add, value, 0),
            Amo::Op(Op::And, value) => (AtomicOp::And, value, 0),
            Amo::Op(Op::Or, value) => (AtomicOp::Or, value, 0),
            Amo::Op(Op::Xor, value) => (AtomicOp::Xor, value, 0),
            Amo::CompareSwap { cond, value } => (AtomicOp::CompareSwap, cond, value),
        };
        let operands: Operands = Box::new([operand, other].map(UnsafeCell::new));
        let reply = match (op, reply.is_null()) {
            // The old value replaces the operand that is swapped in, so both are at one place.
            (AtomicOp::CompareSwap, false) => {
                // SAFETY: the caller's promise.
                unsafe { reply.cast::<u8>().copy_from((&raw const other).cast(), word.len) };
                reply
            }
            (AtomicOp::CompareSwap | AtomicOp::Swap, true) => operands[1].get(),
            _ => reply,
        };
        let params = RequestParams::amo(word.len, reply);
        // SAFETY: the word lies inside the PE's segment, for which the key is. Operand and reply stay until the request
        // is over: the caller's promise.
        let given = unsafe { (self.library.atomic)(endpoint, op, operands[0].get(), 1, at, key, &params) };
        Ok((self.pending(Some(pe), "an atomic operation on memory", given)?, operands))
    }

    /// Keeps the operands of an AMO that nobody waits for.
    pub(super) fn keep(&mut self, request: Option<Request>, operands: Operands) -> Result<(), NetError> {
        self.kept.extend(request.map(|request| (request, operands)));
        if self.kept.len() >= KEPT { self.release() } else { Ok(()) }
    }

    /// Frees the operands of AMOs that are over.
    fn release(&mut self) -> Result<(), NetError> {
        let mut i = 0;
        while i < self.kept.len() {
            if self.is_over(self.kept[i].0)? {
                self.kept.swap_remove(i);
            } else {
                i += 1;
            }
        }
        Ok(())
    }

    /// Whether a fence orders without waiting.
    pub(super) fn has_fence(&self) -> bool {
        self.has_fence
    }

    /// Orders what is issued to a PE later behind what was issued to it before.
    pub(super) fn fence(&self) -> Result<(), NetError> {
        // SAFETY: the worker is there until `end`.
        match unsafe { (self.library.fence)(self.worker) } {
            OK => Ok(()),
            failure => Err(refused(self.library, None, "a fence", failure)),
        }
    }

    /// Sends a message to a PE that was contacted.
    ///
    /// # Safety
    /// The source can be read until the request is over.
    pub(super) unsafe fn send(&self, pe: Pe, tag: u64, source: Source) -> Result<Option<Request>, NetError> {
        let endpoint = self.peer(pe).expect("a PE that is sent a message was contacted").endpoint;
        let params = RequestParams::of_host();
        // SAFETY: the caller's promise; the endpoint is there until the worker ends.
        let given = unsafe { (self.library.send)(endpoint, source.at(), source.len(), tag, &params) };
        self.pending(Some(pe), "a message to a worker", given)
    }

    /// Receives the next message whose tag has these bits under `mask`.
    ///
    /// # Safety
    /// The destination can be written until the request is over.
    pub(super) unsafe fn receive(&self, tag: u64, mask: u64, dest: Dest) -> Result<Option<Request>, NetError> {
        let params = RequestParams::receive();
        // SAFETY: the caller's promise; the worker is there until `end`, after which the fabric calls nothing of it.
        let given = unsafe { (self.library.receive)(self.worker, dest.at(), dest.len(), tag, mask, &params) };
        self.pending(None, "a receive", given)
    }

    /// Tag and bytes of a message, once it has come; then its request is gone. Also tells that it was longer than its
    /// buffer.
    pub(super) fn has_come(&self, request: Request) -> Result<Option<Result<Came, TooLong>>, NetError> {
        let mut came = Came::default();
        // SAFETY: a request of a receive that nobody has freed; the library writes what has come.
        let came = match unsafe { (self.library.has_come)(request.0, &mut came) } {
            IN_PROGRESS => return Ok(None),
            OK => Ok(came),
            TRUNCATED => Err(TooLong),
            failure => return Err(refused(self.library, None, "a receive", failure)),
        };
        self.forget(request);
        Ok(Some(came))
    }

    /// Cancels a receive. Gives whether nobody writes to its buffer any more: a message may just be arriving there.
    pub(super) fn cancel(&self, request: Request) -> bool {
        // SAFETY: a request of a receive that nobody has freed; the worker is there.
        let status = unsafe {
            (self.library.cancel)(self.worker, request.0);
            (self.library.status_of)(request.0)
        };
        self.forget(request);
        status != IN_PROGRESS
    }

    /// The bytes of the next message of 8 bytes whose tag has these bits under `mask`, if one has come. Another thread
    /// may have made the progress by which it came.
    pub(super) fn next_word(&self, tag: u64, mask: u64) -> Result<Option<u64>, NetError> {
        let (mut came, mut word) = (Came::default(), [0u8; 8]);
        let params = RequestParams::receive();
        let at = word.as_mut_ptr();
        // SAFETY: the worker is there. The message that was found is received once, into a buffer that stays until it
        // has come.
        unsafe {
            let found = (self.library.look)(self.worker, tag, mask, 1, &mut came);
            if found.is_null() {
                return Ok(None);
            }
            let given = (self.library.receive_found)(self.worker, at, word.len(), found, &params);
            let Some(request) = self.pending(None, "a receive", given)? else { return Ok(None) };
            while self.has_come(request)?.is_none() {
                self.progress();
            }
        }
        Ok(Some(u64::from_ne_bytes(word)))
    }

    /// PEs that were contacted.
    pub(super) fn contacted(&self) -> usize {
        self.contacted.len()
    }

    /// Begins to complete what was issued to these PEs, or to all that were used. Gives what is under way. Cost: one
    /// call of the library for each of these PEs that has operations which no flush has completed.
    pub(super) fn flush(&mut self, pes: Option<&[Pe]>) -> Result<Vec<Flush>, NetError> {
        self.release()?;
        let Worker { peers, used, .. } = self;
        used.retain(|pe| {
            let peer = peers[pe.0 as usize].as_deref_mut();
            peer.is_some_and(|peer| {
                peer.is_listed = peer.issued > peer.flushed;
                peer.is_listed
            })
        });
        let mut under_way = Vec::new();
        for &pe in pes.unwrap_or(&self.used) {
            let Some(peer) = self.peer(pe).filter(|peer| peer.issued > peer.flushed) else { continue };
            let (up_to, endpoint) = (peer.issued, peer.endpoint);
            // SAFETY: the endpoint is there until the worker ends.
            let given = unsafe { (self.library.flush)(endpoint, &RequestParams::default()) };
            match self.pending(Some(pe), "a flush of operations", given)? {
                Some(request) => under_way.push(Flush { pe, up_to, request }),
                None => flushed(&mut self.peers, pe, up_to),
            }
        }
        Ok(under_way)
    }

    /// Whether a flush is over; then its request is gone.
    pub(super) fn is_flushed(&mut self, flush: &Flush) -> Result<bool, NetError> {
        let over = self.is_over(flush.request)?;
        if over {
            flushed(&mut self.peers, flush.pe, flush.up_to);
        }
        Ok(over)
    }

    /// Lets the library send and receive. Gives whether anything has happened.
    pub(super) fn progress(&self) -> bool {
        // SAFETY: the worker is there until `end`, after which the fabric calls nothing of it.
        unsafe { (self.library.progress)(self.worker) != 0 }
    }

    /// As `progress`, in a wait that polls for requests of other PEs next: that poll finds what this one has brought.
    pub(super) fn progress_for_next(&self) -> bool {
        self.polled.set(true);
        self.progress()
    }

    /// As `progress`, unless `progress_for_next` was called since the last time.
    pub(super) fn progress_unless_polled(&self) -> bool {
        !self.polled.take() && self.progress()
    }

    /// Whether an operation is over; then its request is gone.
    pub(super) fn is_over(&self, request: Request) -> Result<bool, NetError> {
        // SAFETY: a request of this library that nobody has freed.
        match unsafe { (self.library.status_of)(request.0) } {
            IN_PROGRESS => Ok(false),
            OK => {
                self.forget(request);
                Ok(true)
            }
            failure => Err(refused(self.library, None, "an operation", failure)),
        }
    }

    /// Nobody waits for the operation: the library frees the request when it is over.
    pub(super) fn forget(&self, request: Request) {
        // SAFETY: a request of this library that nobody has freed.
        unsafe { (self.library.free)(request.0) };
    }

    pub(super) fn rests(&self) -> bool {
        self.rests
    }

    pub(super) fn set_rest(&mut self, rests: bool) {
        self.rests = rests;
    }

    /// Ends everything. No operation is under way at any PE. Words that nobody has looked for are received: the library
    /// would print a warning for each.
    pub(super) fn end(&mut self) {
        while let Ok(Some(_)) = self.next_word(0, 0) {}
        self.rests = true;
        let library = self.library;
        if self.worker.is_null() {
            return; // it has ended
        }
        // SAFETY: each handle was made by the library and is given back once: keys before the worker, whose end ends
        // its endpoints, memory before the context.
        unsafe {
            for peer in self.contacted.drain(..).filter_map(|pe| self.peers[pe.0 as usize].take()) {
                peer.keys.into_iter().filter(|key| !key.is_null()).for_each(|key| (library.key_destroy)(key));
            }
            (library.worker_destroy)(core::mem::replace(&mut self.worker, null_mut()));
            for memory in self.memory.into_iter().filter(|memory| !memory.is_null()) {
                let _ = (library.mem_unmap)(self.context, memory); // the process ends anyway
            }
            if !self.context.is_null() {
                (library.cleanup)(self.context);
            }
        }
    }
}

/// A worker that no job has taken.
impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

/// Notes that a PE's operations up to a number are complete.
fn flushed(peers: &mut [Option<Box<Peer>>], pe: Pe, up_to: u64) {
    if let Some(peer) = peers[pe.0 as usize].as_deref_mut() {
        peer.flushed = peer.flushed.max(up_to);
    }
}
