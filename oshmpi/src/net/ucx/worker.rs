//! UCX's objects of one process: context, worker, this PE's memory, and an endpoint for each PE that was contacted.

use super::library::{
    AtomicOp, Came, EndpointParams, Handle, IN_PROGRESS, LAST_FAILURE, Library, MemoryParams, OK, RequestParams,
    Status, TRUNCATED, Version, WorkerParams,
};
use super::{UCX, config};
use crate::memory::addr::{Pe, Span, SymRange};
use crate::memory::local::{Dest, Source};
use crate::net::NetError;
use crate::net::fabric::Offers;
use crate::net::native::record::Record;
use crate::net::native::worker::Worker as _;
use crate::net::native::worker::{self, Contacts, Flush, MOST, Message, Operands, Peers, Request, TooLong, index};
use crate::transport::amo::{Amo, Op};
use core::cell::UnsafeCell;
use core::mem::replace;
use core::ptr::null_mut;
use std::collections::VecDeque;

/// An endpoint, and the keys of the PE's segments.
struct Way {
    endpoint: Handle,
    keys: [Handle; 2],
}

pub(super) struct Worker {
    library: &'static Library,
    /// Null: another worker has it.
    context: Handle,
    worker: Handle,
    /// Heap and statics as they are registered; null where a segment is empty.
    memory: [Handle; 2],
    peers: Peers<Way>,
    /// Operations that nobody waits for, the oldest first, but for those that were complete at once.
    kept: VecDeque<(Pe, Request, Option<Operands>)>,
    has_fence: bool,
}

// SAFETY: the library takes its handles from any thread, one at a time (`WorkerParams::SERIALIZED`); whoever has the
// lock is that one.
unsafe impl Send for Worker {}

/// Transports that carry out puts, gets and AMOs without the target's CPU, by the beginnings of their names: InfiniBand
/// and RoCE, reliable; Cray's Aries; this process. Over others, such as tcp and ud, the target's CPU does it.
const ADAPTERS: [&[u8]; 4] = [b"rc_", b"dc_", b"ugni_", b"self"];
/// Those by which the kernel puts and gets memory of another process of the machine.
const KERNEL: [&[u8]; 3] = [b"cma", b"knem", b"xpmem"];
/// From this version on short puts and gets go by the kernel too. Earlier ones send the target a message.
const PUTS_BY_KERNEL: Version = [1, 16, 0];

/// What an endpoint does by itself.
fn offers(library: &Library, endpoint: Handle) -> Offers {
    let transports = library.transports(endpoint);
    let is_one = |of: &[&[u8]]| transports.iter().any(|t| of.iter().any(|begin| t.name().starts_with(begin)));
    let amo = is_one(&ADAPTERS);
    let transfers = amo || library.version() >= PUTS_BY_KERNEL && is_one(&KERNEL);
    Offers { put: transfers, get: transfers, amo }
}

/// A broken network, a broken installation or a mistake in this library makes such a status.
fn refused(library: &Library, pe: Option<Pe>, what: &'static str, status: Status) -> NetError {
    UCX.refuses(pe, what, library.text_of(status))
}

impl Worker {
    /// Makes the library's objects, before memory is there. `pes`: those of the job, and those of this PE's
    /// node, as far as is known. `shared`: also over memory that processes of one machine share.
    pub(super) fn open(library: &'static Library, pes: [usize; 2], shared: bool) -> Result<Worker, String> {
        let (context, mut worker) = (config::context(library, pes, shared)?, null_mut());
        // SAFETY: the context was made above, and the library writes a handle.
        let created = unsafe { (library.worker_create)(context, &WorkerParams::serialized(), &mut worker) };
        if let Err(why) = library.good("ucp_worker_create", created) {
            // SAFETY: the context was made above, and nothing uses it.
            unsafe { (library.cleanup)(context) };
            return Err(why);
        }
        Ok(Worker::of(library, context, worker, Peers::of(pes[0]), config::has_fence(library)))
    }

    /// A worker that has no memory and knows nobody.
    fn of(library: &'static Library, context: Handle, worker: Handle, peers: Peers<Way>, has_fence: bool) -> Worker {
        Worker { library, context, worker, memory: [null_mut(); 2], peers, kept: VecDeque::new(), has_fence }
    }

    /// Endpoint, address at the PE and key of a range, for an operation that is noted. The PE was contacted.
    fn place(&mut self, range: SymRange, pe: Pe) -> (Handle, u64, Handle) {
        let peer = self.peers.issue(pe);
        (peer.way.endpoint, peer.address(range), peer.way.keys[index(range.seg)])
    }

    /// What the library gave for an operation: nothing if it is complete, else its request.
    fn pending(&self, pe: Option<Pe>, what: &'static str, given: Handle) -> Result<Option<Request>, NetError> {
        match given as isize {
            0 => Ok(None),
            failure @ LAST_FAILURE..0 => Err(refused(self.library, pe, what, failure as Status)),
            _ => Ok(Some(Request(given))),
        }
    }

    /// Frees the oldest kept operations as far as they are over. One of them is looked at in vain, so that a row of
    /// operations takes time in proportion to its length.
    fn release(&mut self) -> Result<(), NetError> {
        while let Some(&(_, request, _)) = self.kept.front()
            && self.is_over(request)?
        {
            self.kept.pop_front();
        }
        Ok(())
    }
}

impl worker::Worker for Worker {
    fn address(&self) -> Result<Vec<u8>, String> {
        let (mut address, mut len) = (null_mut(), 0);
        // SAFETY: the library writes a pointer and a length.
        let status = unsafe { (self.library.worker_address)(self.worker, &mut address, &mut len) };
        self.library.good("ucp_worker_get_address", status)?;
        // SAFETY: the library gives so many bytes, which are its own until they are released.
        let bytes = unsafe { core::slice::from_raw_parts(address, len) }.to_vec();
        // SAFETY: what the library gave above, once.
        unsafe { (self.library.release_address)(self.worker, address) };
        Ok(bytes)
    }

    fn register(&mut self, which: usize, segment: Span) -> Result<(Vec<u8>, u64), String> {
        let (memory, mut key, mut len) = (&mut self.memory[which], null_mut(), 0);
        // SAFETY: the segment is mapped until it is unregistered or the process ends; the library writes a handle, a
        // pointer and a length.
        let packed = unsafe {
            match (self.library.mem_map)(self.context, &MemoryParams::over(segment), memory) {
                OK => (self.library.key_pack)(self.context, *memory, &mut key, &mut len),
                failure => failure,
            }
        };
        self.library.good("memory cannot be registered", packed)?;
        // SAFETY: the library gives so many bytes, which are its own until they are released.
        let bytes = unsafe { core::slice::from_raw_parts(key, len) }.to_vec();
        // SAFETY: what the library gave above, once.
        unsafe { (self.library.key_release)(key) };
        Ok((bytes, segment.base as u64))
    }

    fn unregister(&mut self, which: usize) -> Result<(), String> {
        let memory = replace(&mut self.memory[which], null_mut());
        // SAFETY: what the library gave in `register`, once; nobody has its key.
        unsafe { self.library.good("ucp_mem_unmap", (self.library.mem_unmap)(self.context, memory)) }
    }

    fn beside(&self) -> Result<Box<dyn worker::Worker>, NetError> {
        let mut worker = null_mut();
        // SAFETY: the context is there until the main worker's end, which comes last; the library writes a handle.
        let status = unsafe { (self.library.worker_create)(self.context, &WorkerParams::serialized(), &mut worker) };
        if status != OK {
            return Err(refused(self.library, None, "another worker", status));
        }
        let (library, has_fence, peers) = (self.library, self.has_fence, Peers::of(self.peers.size()));
        Ok(Box::new(Worker::of(library, null_mut(), worker, peers, has_fence)))
    }

    fn describe(&self) -> String {
        "UCX, with an endpoint for each PE that was used".to_owned()
    }

    fn contacts(&mut self) -> &mut dyn Contacts {
        &mut self.peers
    }

    fn connect(&mut self, pe: Pe, record: &Record) -> Result<(), NetError> {
        let library = self.library;
        let params = EndpointParams::to(&record.address);
        let (mut endpoint, mut keys) = (null_mut(), [null_mut(); 2]);
        // SAFETY: the record holds the address and the keys that the PE's library has made.
        let status = unsafe { (library.endpoint_create)(self.worker, &params, &mut endpoint) };
        if status != OK {
            return Err(refused(library, Some(pe), "the endpoint", status));
        }
        for (key, packed) in keys.iter_mut().zip(&record.keys).filter(|(_, packed)| !packed.is_empty()) {
            // SAFETY: as above; the endpoint was made a few lines up.
            let status = unsafe { (library.key_unpack)(endpoint, packed.as_ptr(), key) };
            if status != OK {
                return Err(refused(library, Some(pe), "the key", status));
            }
        }
        self.peers.add(pe, Way { endpoint, keys }, record, offers(library, endpoint));
        Ok(())
    }

    unsafe fn put(&mut self, range: SymRange, pe: Pe, source: Source, _: bool) -> Result<Option<Request>, NetError> {
        let (endpoint, at, key) = self.place(range, pe);
        let params = RequestParams::of_host();
        // SAFETY: the caller's promise; the range lies inside the PE's segment, for which the key is.
        let given = unsafe { (self.library.put)(endpoint, source.at(), source.len(), at, key, &params) };
        self.pending(Some(pe), "a put to memory", given)
    }

    unsafe fn get(&mut self, range: SymRange, pe: Pe, dest: Dest) -> Result<Option<Request>, NetError> {
        let (endpoint, at, key) = self.place(range, pe);
        let params = RequestParams::of_host();
        // SAFETY: the caller's promise; the range lies inside the PE's segment, for which the key is.
        let given = unsafe { (self.library.get)(endpoint, dest.at(), dest.len(), at, key, &params) };
        self.pending(Some(pe), "a get from memory", given)
    }

    unsafe fn amo(
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

    fn keep(&mut self, pe: Pe, request: Request, operands: Option<Operands>) -> Result<(), NetError> {
        self.kept.push_back((pe, request, operands));
        self.release()
    }

    fn full(&mut self) -> Result<Option<Pe>, NetError> {
        if self.kept.len() < MOST {
            return Ok(None);
        }
        self.release()?;
        let oldest = self.kept.front().map(|&(pe, _, _)| pe);
        Ok(oldest.filter(|_| self.kept.len() >= MOST))
    }

    fn has_fence(&self) -> bool {
        self.has_fence
    }

    fn fence(&self) -> Result<(), NetError> {
        // SAFETY: the worker is there until `end`.
        match unsafe { (self.library.fence)(self.worker) } {
            OK => Ok(()),
            failure => Err(refused(self.library, None, "a fence", failure)),
        }
    }

    /// There is a flush for each PE, because one of the worker counts no operation that waits for room in a queue (UCX
    /// 1.13 and its main branch of 2026).
    fn flush(&mut self, pes: Option<&[Pe]>) -> Result<Vec<Flush>, NetError> {
        self.release()?;
        let mut under_way = Vec::new();
        for (pe, up_to) in self.peers.under_way(pes) {
            let endpoint = self.peers.known(pe).way.endpoint;
            // SAFETY: the endpoint is there until the worker ends.
            let given = unsafe { (self.library.flush)(endpoint, &RequestParams::default()) };
            match self.pending(Some(pe), "a flush of operations", given)? {
                None => self.peers.complete(pe, up_to),
                request => under_way.push(Flush { pe, up_to, request }),
            }
        }
        Ok(under_way)
    }

    fn is_flushed(&mut self, flush: &Flush) -> Result<bool, NetError> {
        let over = flush.request.map_or(Ok(true), |request| self.is_over(request))?;
        if over {
            self.peers.complete(flush.pe, flush.up_to);
            self.release()?;
        }
        Ok(over)
    }

    unsafe fn send(&mut self, pe: Pe, tag: u64, source: Source) -> Result<Option<Request>, NetError> {
        let endpoint = self.peers.known(pe).way.endpoint;
        let params = RequestParams::of_host();
        // SAFETY: the caller's promise; the endpoint is there until the worker ends.
        let given = unsafe { (self.library.send)(endpoint, source.at(), source.len(), tag, &params) };
        self.pending(Some(pe), "a message to a worker", given)
    }

    unsafe fn receive(&mut self, tag: u64, mask: u64, dest: Dest) -> Result<Request, NetError> {
        let params = RequestParams::receive();
        // SAFETY: the caller's promise; the worker is there until `end`, after which the fabric calls nothing of it.
        let given = unsafe { (self.library.receive)(self.worker, dest.at(), dest.len(), tag, mask, &params) };
        let request = self.pending(None, "a receive", given)?;
        Ok(request.expect("the library was told to give one, also for a message that is there"))
    }

    fn has_come(&mut self, request: Request) -> Result<Option<Result<Message, TooLong>>, NetError> {
        let mut came = Came::default();
        // SAFETY: a request of a receive that nobody has freed; the library writes what has come.
        let came = match unsafe { (self.library.has_come)(request.0, &mut came) } {
            IN_PROGRESS => return Ok(None),
            OK => Ok(Message { tag: came.tag, bytes: came.bytes }),
            TRUNCATED => Err(TooLong),
            failure => return Err(refused(self.library, None, "a receive", failure)),
        };
        self.forget(request);
        Ok(Some(came))
    }

    fn cancel(&mut self, request: Request) -> bool {
        // SAFETY: a request of a receive that nobody has freed; the worker is there.
        let status = unsafe {
            (self.library.cancel)(self.worker, request.0);
            (self.library.status_of)(request.0)
        };
        self.forget(request);
        status != IN_PROGRESS
    }

    fn progress(&mut self) -> bool {
        // SAFETY: the worker is there until `end`, after which the fabric calls nothing of it.
        unsafe { (self.library.progress)(self.worker) != 0 }
    }

    fn is_over(&mut self, request: Request) -> Result<bool, NetError> {
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

    fn forget(&mut self, request: Request) {
        // SAFETY: a request of this library that nobody has freed.
        unsafe { (self.library.free)(request.0) };
    }

    fn end(&mut self) {
        if self.worker.is_null() {
            return; // it has ended
        }
        // They are over. The library would print a warning for each.
        while let Some((_, request, _)) = self.kept.pop_front() {
            self.forget(request);
        }
        let library = self.library;
        // SAFETY: each handle was made by the library and is given back once: keys before the worker, whose end ends
        // its endpoints, memory before the context.
        unsafe {
            for way in self.peers.drain() {
                way.keys.into_iter().filter(|key| !key.is_null()).for_each(|key| (library.key_destroy)(key));
            }
            (library.worker_destroy)(replace(&mut self.worker, null_mut()));
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
