//! UCX's objects of one process: context, worker, this PE's memory, and an endpoint for each PE that was contacted.
//! Whoever calls holds the lock around them, so no two threads are in the library at a time.

use super::library::{
    API, Came, ContextParams, EndpointParams, Handle, IN_PROGRESS, LAST_FAILURE, Library, MemoryParams, OK,
    RequestParams, Status, TRUNCATED, WorkerParams, load,
};
use super::record::Record;
use crate::diag::broken;
use crate::memory::addr::{Pe, SegId, Span, SymRange};
use crate::memory::local::{Dest, Source};
use crate::transport::remote::Exposed;
use core::cell::Cell;
use core::ffi::CStr;
use core::ptr::{null, null_mut};
use std::collections::HashMap;

/// An operation that was not complete when the library's call returned.
#[derive(Clone, Copy)]
pub(crate) struct Request(Handle);

// SAFETY: the library takes a request from any thread that holds the worker's lock.
unsafe impl Send for Request {}

/// A message was longer than its receive buffer.
pub(super) struct TooLong;

/// The way to a PE's memory.
#[derive(Clone, Copy)]
struct Peer {
    endpoint: Handle,
    keys: [Handle; 2],
    bases: [u64; 2],
    /// The PE has this one's record, or has been sent it.
    has_own_record: bool,
}

pub(super) struct Worker {
    library: &'static Library,
    context: Handle,
    worker: Handle,
    /// Heap and statics as they are registered; null where a segment is empty.
    memory: [Handle; 2],
    /// PEs that were contacted. Nothing here is there for other PEs.
    peers: HashMap<Pe, Peer>,
    /// This PE takes part in nothing: see `Ucx::rest`.
    rests: bool,
    /// A wait for tagged messages has just polled the network, and the next poll for requests may rely on that.
    polled: Cell<bool>,
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

/// Only a broken network, a broken installation or a mistake in this library makes such a status.
fn failed(library: &Library, pe: Option<Pe>, call: &str, status: Status) -> ! {
    let text = text_of(library, status);
    match pe {
        Some(pe) => broken(format_args!("UCX: {call} of PE {} failed: {text}", pe.0)),
        None => broken(format_args!("UCX: {call} failed: {text}")),
    }
}

fn text_of(library: &Library, status: Status) -> String {
    // SAFETY: takes a number and gives a constant text.
    let text = unsafe { CStr::from_ptr((library.status_text)(status)) };
    text.to_string_lossy().into_owned()
}

/// A setting of UCX's TCP that this library changes where the user has not set it.
struct TcpSetting {
    /// The variable by which a user sets it.
    variable: &'static str,
    /// The setting's name behind that of the transport, and with it.
    names: [&'static CStr; 2],
    value: &'static CStr,
    /// For which versions, and in which environment.
    applies: fn(&Library) -> bool,
}

/// The buffers: UCX hands TCP 8 KiB at a time by default. With these sizes a put or get of 64 KiB takes half the time.
/// A buffer is taken while data is under way, so memory does not grow with the number of PEs.
///
/// The last one switches UCX's own puts over TCP off ([`Library::ends_at_tcp_puts`]). UCX then sends a put as an active
/// message.
const TCP_SETTINGS: [TcpSetting; 3] = [
    TcpSetting {
        variable: "UCX_TCP_TX_SEG_SIZE",
        names: [c"TX_SEG_SIZE", c"TCP_TX_SEG_SIZE"],
        value: c"64k",
        applies: leaves_out,
    },
    TcpSetting {
        variable: "UCX_TCP_RX_SEG_SIZE",
        names: [c"RX_SEG_SIZE", c"TCP_RX_SEG_SIZE"],
        value: c"128k",
        applies: leaves_out,
    },
    TcpSetting {
        variable: "UCX_TCP_PUT_ENABLE",
        names: [c"PUT_ENABLE", c"TCP_PUT_ENABLE"],
        value: c"n",
        applies: Library::ends_at_tcp_puts,
    },
];

impl TcpSetting {
    fn is_to_change(&self, library: &Library) -> bool {
        (self.applies)(library) && std::env::var_os(self.variable).is_none()
    }

    fn name(&self, library: &Library) -> &'static CStr {
        self.names[usize::from(library.names_have_prefix())]
    }
}

/// Whether transports may be left out: the user has named none, and the library knows how.
fn leaves_out(library: &Library) -> bool {
    std::env::var_os("UCX_TLS").is_none() && library.was_tried()
}

/// What a PE tells of itself when UCX is ready: how it is reached, and the keys of its segments.
pub(super) struct Own {
    pub(super) address: Vec<u8>,
    pub(super) keys: [Vec<u8>; 2],
}

impl Worker {
    /// Loads the library, makes its objects and registers this PE's memory. `pes`: those of the job, and those of
    /// this PE's node. `alone`: this PE is alone on its node, and other nodes are on other machines.
    pub(super) fn make(pes: [usize; 2], exposed: Exposed, alone: bool) -> Result<(Worker, Own), String> {
        let library = load()?;
        let good = |call: &str, status: Status| match status {
            OK => Ok(()),
            failure => Err(format!("{call}: {}", text_of(library, failure))),
        };
        let (mut config, mut context, mut worker) = (null_mut(), null_mut(), null_mut());
        // SAFETY: the strings end with a zero, null stands for the defaults, and the library writes one handle each.
        unsafe {
            good("ucp_config_read", (library.config_read)(null(), null(), &mut config))?;
            // Memory that processes share reaches nobody. Making it takes 5 of UCX's 11 ms of a start.
            if alone && leaves_out(library) {
                let modified = (library.config_modify)(config, c"TLS".as_ptr(), c"^sm".as_ptr());
                good("ucp_config_modify", modified)?;
            }
            for setting in TCP_SETTINGS.iter().filter(|setting| setting.is_to_change(library)) {
                // A failure is not reported: UCX then has no TCP, or does as it does by default.
                let _ = (library.config_modify)(config, setting.name(library).as_ptr(), setting.value.as_ptr());
            }
            let made = (library.init)(API.0, API.1, &ContextParams::with(pes[0], pes[1]), config, &mut context);
            (library.config_release)(config);
            good("ucp_init", made)?;
            let created = (library.worker_create)(context, &WorkerParams::serialized(), &mut worker);
            good("ucp_worker_create", created)?;
        }
        let mut made = Worker {
            library,
            context,
            worker,
            memory: [null_mut(); 2],
            peers: HashMap::new(),
            rests: false,
            polled: Cell::new(false),
        };
        let mut keys = [Vec::new(), Vec::new()];
        for (i, segment) in [exposed.heap, exposed.statics].into_iter().enumerate().filter(|(_, s)| s.len > 0) {
            (made.memory[i], keys[i]) = made.register(segment)?;
        }
        let address = made.address()?;
        Ok((made, Own { address, keys }))
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
            return Err(format!("memory cannot be registered: {}", text_of(self.library, packed)));
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
            return Err(format!("ucp_worker_get_address: {}", text_of(self.library, status)));
        }
        // SAFETY: the library gives so many bytes, which are its own until they are released.
        let bytes = unsafe { core::slice::from_raw_parts(address, len) }.to_vec();
        // SAFETY: what the library gave above, once.
        unsafe { (self.library.release_address)(self.worker, address) };
        Ok(bytes)
    }

    pub(super) fn knows(&self, pe: Pe) -> bool {
        self.peers.contains_key(&pe)
    }

    /// Makes an endpoint for a PE whose record is `record`. The connection is made by the first operations.
    pub(super) fn connect(&mut self, pe: Pe, record: &Record) {
        if self.knows(pe) {
            return; // another thread was quicker
        }
        let library = self.library;
        let params = EndpointParams::to(record.address());
        let (mut endpoint, mut keys) = (null_mut(), [null_mut(); 2]);
        // SAFETY: the record holds the address and the keys that the PE's library has made.
        let status = unsafe { (library.endpoint_create)(self.worker, &params, &mut endpoint) };
        if status != OK {
            failed(library, Some(pe), "the endpoint", status);
        }
        for (key, packed) in keys.iter_mut().zip(record.keys()).filter(|(_, packed)| !packed.is_empty()) {
            // SAFETY: as above; the endpoint was made a few lines up.
            let status = unsafe { (library.key_unpack)(endpoint, packed.as_ptr(), key) };
            if status != OK {
                failed(library, Some(pe), "the key", status);
            }
        }
        self.peers.insert(pe, Peer { endpoint, keys, bases: record.bases(), has_own_record: false });
    }

    /// Notes that a PE, which was contacted, has this one's record or is sent it next. False: that was noted before.
    pub(super) fn note_record(&mut self, pe: Pe) -> bool {
        self.peers.get_mut(&pe).is_some_and(|peer| !core::mem::replace(&mut peer.has_own_record, true))
    }

    /// Endpoint, address at the PE and key of a range. The PE was contacted.
    fn place(&self, range: SymRange, pe: Pe) -> (Handle, u64, Handle) {
        let peer = &self.peers[&pe];
        let seg = index(range.seg);
        (peer.endpoint, peer.bases[seg] + range.off as u64, peer.keys[seg])
    }

    /// What the library gave for an operation: nothing if it is complete, else its request.
    fn pending(&self, pe: Option<Pe>, call: &str, given: Handle) -> Option<Request> {
        match given as isize {
            0 => None,
            failure @ LAST_FAILURE..0 => failed(self.library, pe, call, failure as Status),
            _ => Some(Request(given)),
        }
    }

    /// # Safety
    /// The source can be read until the request is over.
    pub(super) unsafe fn put(&self, range: SymRange, pe: Pe, source: Source) -> Option<Request> {
        let (endpoint, at, key) = self.place(range, pe);
        let params = RequestParams::of_host();
        // SAFETY: the caller's promise; the range lies inside the PE's segment, for which the key is.
        let given = unsafe { (self.library.put)(endpoint, source.at(), source.len(), at, key, &params) };
        self.pending(Some(pe), "a put to memory", given)
    }

    /// # Safety
    /// The destination can be written until the request is over.
    pub(super) unsafe fn get(&self, range: SymRange, pe: Pe, dest: Dest) -> Option<Request> {
        let (endpoint, at, key) = self.place(range, pe);
        let params = RequestParams::of_host();
        // SAFETY: the caller's promise; the range lies inside the PE's segment, for which the key is.
        let given = unsafe { (self.library.get)(endpoint, dest.at(), dest.len(), at, key, &params) };
        self.pending(Some(pe), "a get from memory", given)
    }

    /// Sends a message to a PE that was contacted.
    ///
    /// # Safety
    /// The source can be read until the request is over.
    pub(super) unsafe fn send(&self, pe: Pe, tag: u64, source: Source) -> Option<Request> {
        let endpoint = self.peers[&pe].endpoint;
        let params = RequestParams::of_host();
        // SAFETY: the caller's promise; the endpoint is there until the worker ends.
        let given = unsafe { (self.library.send)(endpoint, source.at(), source.len(), tag, &params) };
        self.pending(Some(pe), "a message to a worker", given)
    }

    /// Receives the next message whose tag has these bits under `mask`.
    ///
    /// # Safety
    /// The destination can be written until the request is over.
    pub(super) unsafe fn receive(&self, tag: u64, mask: u64, dest: Dest) -> Option<Request> {
        let params = RequestParams::receive();
        // SAFETY: the caller's promise; the worker is there until `end`, after which the executor calls nothing of it.
        let given = unsafe { (self.library.receive)(self.worker, dest.at(), dest.len(), tag, mask, &params) };
        self.pending(None, "a receive", given)
    }

    /// Tag and bytes of a message, once it has come; then its request is gone. Also tells that it was longer than its
    /// buffer.
    pub(super) fn has_come(&self, request: Request) -> Option<Result<Came, TooLong>> {
        let mut came = Came::default();
        // SAFETY: a request of a receive that nobody has freed; the library writes what has come.
        let came = match unsafe { (self.library.has_come)(request.0, &mut came) } {
            IN_PROGRESS => return None,
            OK => Ok(came),
            TRUNCATED => Err(TooLong),
            failure => failed(self.library, None, "a receive", failure),
        };
        self.forget(request);
        Some(came)
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
    pub(super) fn next_word(&self, tag: u64, mask: u64) -> Option<u64> {
        let (mut came, mut word) = (Came::default(), [0u8; 8]);
        let params = RequestParams::receive();
        let at = word.as_mut_ptr();
        // SAFETY: the worker is there. The message that was found is received once, into a buffer that stays until it
        // has come.
        unsafe {
            let found = (self.library.look)(self.worker, tag, mask, 1, &mut came);
            if found.is_null() {
                return None;
            }
            let given = (self.library.receive_found)(self.worker, at, word.len(), found, &params);
            let request = self.pending(None, "a receive", given)?;
            while self.has_come(request).is_none() {
                self.progress();
            }
        }
        Some(u64::from_ne_bytes(word))
    }

    /// PEs that were contacted.
    pub(super) fn contacted(&self) -> usize {
        self.peers.len()
    }

    /// Begins to complete what was issued to these PEs, or to all that were contacted. Gives what is under way.
    pub(super) fn flush(&self, pes: Option<&[Pe]>) -> Vec<(Pe, Request)> {
        let flush = |(pe, peer): (&Pe, &Peer)| {
            // SAFETY: the endpoint is there until the worker ends.
            let given = unsafe { (self.library.flush)(peer.endpoint, &RequestParams::default()) };
            Some((*pe, self.pending(Some(*pe), "a flush of operations", given)?))
        };
        match pes {
            Some(pes) => pes.iter().filter_map(|pe| self.peers.get_key_value(pe)).filter_map(flush).collect(),
            None => self.peers.iter().filter_map(flush).collect(),
        }
    }

    /// Lets the library send and receive. Gives whether anything has happened.
    pub(super) fn progress(&self) -> bool {
        // SAFETY: the worker is there until `end`, after which the executor calls nothing of it.
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
    pub(super) fn is_over(&self, request: Request) -> bool {
        // SAFETY: a request of this library that nobody has freed.
        match unsafe { (self.library.status_of)(request.0) } {
            IN_PROGRESS => false,
            OK => {
                self.forget(request);
                true
            }
            failure => failed(self.library, None, "an operation", failure),
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
        while self.next_word(0, 0).is_some() {}
        self.rests = true;
        let library = self.library;
        // SAFETY: each handle was made by the library and is given back once: keys before the worker, whose end ends
        // its endpoints, memory before the context.
        unsafe {
            for key in self.peers.drain().flat_map(|(_, peer)| peer.keys).filter(|key| !key.is_null()) {
                (library.key_destroy)(key);
            }
            (library.worker_destroy)(self.worker);
            for memory in self.memory.into_iter().filter(|memory| !memory.is_null()) {
                let _ = (library.mem_unmap)(self.context, memory); // the process ends anyway
            }
            (library.cleanup)(self.context);
        }
    }
}
