//! What processes want, as the library's own thread tells it, and the answers.
//!
//! The callbacks run on the library's thread. Each puts what it was told into a queue and rings; the node server's loop takes
//! it from there, so that nothing of oshrun but this queue is touched by two threads.

use super::ffi::{self, EventDone, GroupOperation, Info, InfoDone, Infos, ModexDone, Module, OpDone, Proc, Status};
use nix::sys::eventfd::{EfdFlags, EventFd};
use std::ffi::{CStr, c_char, c_void};
use std::os::fd::{AsFd, BorrowedFd};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A callback's word.
pub enum Call {
    /// A process uses the server from now on.
    Connected(u32),
    /// It has said goodbye.
    Finalized(u32),
    /// Its connection has ended without that.
    Lost(u32),
    Abort {
        rank: u32,
        code: i32,
        message: String,
    },
    /// All of `who` that run on this node have come to a fence; `data` is for all others.
    Fence {
        who: Vec<Member>,
        data: Vec<u8>,
        answer: Answer,
    },
    /// All members of a group on this node make it, or end it; `data` is for all others.
    Group {
        name: Vec<u8>,
        make: bool,
        who: Vec<Member>,
        data: Vec<u8>,
        answer: Answer,
    },
    /// What a rank of another node has published is asked for.
    Modex {
        who: Box<Member>,
        answer: Answer,
    },
    /// The library's answer to our own question `number` for what a rank of this node has published.
    Published {
        number: usize,
        status: Status,
        data: Vec<u8>,
    },
}

/// A process as a call names it.
#[derive(Clone, Copy)]
pub struct Member(Proc);

impl Member {
    /// The rank; none: every rank. Fails when the process is of another job.
    pub fn rank(&self, nspace: &str) -> Result<Option<u32>, Status> {
        match self.0.rank {
            _ if !self.0.is_of(nspace) => Err(ffi::NOT_FOUND),
            ffi::WILDCARD => Ok(None),
            rank => Ok(Some(rank)),
        }
    }
}

/// How a call is answered. One that is dropped leaves those who asked waiting.
pub struct Answer(Done, *mut c_void);

#[derive(Clone, Copy)]
enum Done {
    Bytes(ModexDone),
    Status(OpDone),
    Infos(InfoDone),
}

// SAFETY: the library takes answers from any thread; the pointer is only handed back to it.
unsafe impl Send for Answer {}

impl Answer {
    pub fn give(self, status: Status, data: Vec<u8>) {
        match self.0 {
            Done::Bytes(Some(done)) => {
                let (bytes, length) = (data.as_ptr(), data.len());
                let kept = Box::into_raw(Box::new(data));
                // SAFETY: the bytes live until `release` is called with `kept`, once.
                unsafe { done(status, bytes.cast(), length, self.1, Some(release), kept.cast()) }
            }
            // SAFETY: the library's own function and pointer.
            Done::Status(Some(done)) => unsafe { done(status, self.1) },
            // SAFETY: the library's own function and pointer; there are no infos.
            Done::Infos(Some(done)) => unsafe { done(status, null_mut(), 0, self.1, None, null_mut()) },
            Done::Bytes(None) | Done::Status(None) | Done::Infos(None) => {}
        }
    }

    /// The good answer for a new group.
    pub fn give_infos(self, infos: Infos) {
        if let Done::Infos(Some(done)) = self.0 {
            let mut infos = Box::new(infos);
            let (first, count) = infos.raw();
            // SAFETY: the infos live until `release_infos` is called with them, once.
            unsafe { done(ffi::SUCCESS, first, count, self.1, Some(release_infos), Box::into_raw(infos).cast()) }
        }
    }
}

unsafe extern "C" fn release(kept: *mut c_void) {
    // SAFETY: made by `Answer::give`, and given back once.
    drop(unsafe { Box::from_raw(kept.cast::<Vec<u8>>()) });
}

unsafe extern "C" fn release_infos(kept: *mut c_void) {
    // SAFETY: made by `Answer::give_infos`, and given back once.
    drop(unsafe { Box::from_raw(kept.cast::<Infos>()) });
}

static QUEUE: Mutex<Vec<Call>> = Mutex::new(Vec::new());
static BELL: OnceLock<EventFd> = OnceLock::new();

/// What becomes readable when there are calls.
pub fn bell() -> nix::Result<BorrowedFd<'static>> {
    let new = EventFd::from_value_and_flags(0, EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?;
    Ok(BELL.get_or_init(|| new).as_fd())
}

/// Takes all calls that have come.
pub fn take() -> Vec<Call> {
    if let Some(bell) = BELL.get() {
        let _ = bell.read();
    }
    std::mem::take(&mut *QUEUE.lock().unwrap_or_else(PoisonError::into_inner))
}

fn put(call: Call) {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    if let Some(bell) = BELL.get() {
        let _ = bell.write(1);
    }
}

/// What the library may call. Publishing of names, spawning, queries, and whatever else is not here, it refuses by itself with
/// "not supported".
pub fn module() -> Module {
    Module {
        client_connected: Some(connected),
        client_finalized: Some(finalized),
        abort: Some(abort),
        fence_nb: Some(fence),
        direct_modex: Some(modex),
        connect: Some(meet),
        disconnect: Some(meet),
        group: Some(group),
        ..Module::default()
    }
}

/// # Safety
/// As the library calls it: `process` is one.
unsafe extern "C" fn connected(process: *const Proc, _: *mut c_void, _: OpDone, _: *mut c_void) -> Status {
    // SAFETY: see above.
    put(Call::Connected(unsafe { (*process).rank }));
    ffi::DONE
}

/// # Safety
/// As the library calls it: `process` is one.
unsafe extern "C" fn finalized(process: *const Proc, _: *mut c_void, _: OpDone, _: *mut c_void) -> Status {
    // SAFETY: see above.
    put(Call::Finalized(unsafe { (*process).rank }));
    ffi::DONE
}

/// # Safety
/// As the library calls it: `process` is one, `message` a string or null.
unsafe extern "C" fn abort(
    process: *const Proc,
    _: *mut c_void,
    code: Status,
    message: *const c_char,
    _: *mut Proc,
    _: usize,
    _: OpDone,
    _: *mut c_void,
) -> Status {
    // SAFETY: see above.
    let (rank, message) = unsafe { ((*process).rank, (!message.is_null()).then(|| CStr::from_ptr(message))) };
    let message = message.map(|m| m.to_string_lossy().into_owned()).unwrap_or_default();
    put(Call::Abort { rank, code, message });
    // Who has called it waits for an answer, and is killed.
    ffi::SUCCESS
}

/// # Safety
/// As the library calls it: there are `count` processes and `info_count` infos; `data` is a block of malloc, which is given
/// away, or null.
unsafe extern "C" fn fence(
    processes: *const Proc,
    count: usize,
    infos: *const Info,
    info_count: usize,
    data: *mut c_char,
    length: usize,
    done: ModexDone,
    pass: *mut c_void,
) -> Status {
    // SAFETY: see above.
    let (who, data) = unsafe {
        let copy = if data.is_null() { &[] } else { std::slice::from_raw_parts(data.cast::<u8>(), length) }.to_vec();
        libc::free(data.cast());
        (members(processes, count), copy)
    };
    // SAFETY: see above.
    if unsafe { is_torn(infos, info_count) } {
        return ffi::SUCCESS;
    }
    put(Call::Fence { who, data, answer: Answer(Done::Bytes(done), pass) });
    ffi::SUCCESS
}

/// Connecting and disconnecting of processes of one job is a fence without data.
///
/// # Safety
/// As the library calls it: there are `count` processes.
unsafe extern "C" fn meet(
    processes: *const Proc,
    count: usize,
    infos: *const Info,
    info_count: usize,
    done: OpDone,
    pass: *mut c_void,
) -> Status {
    // SAFETY: see above.
    if unsafe { is_torn(infos, info_count) } {
        return ffi::SUCCESS;
    }
    // SAFETY: see above.
    let who = unsafe { members(processes, count) };
    put(Call::Fence { who, data: Vec::new(), answer: Answer(Done::Status(done), pass) });
    ffi::SUCCESS
}

/// # Safety
/// As the library calls it: `name` is a string; there are `count` processes and `info_count` infos.
unsafe extern "C" fn group(
    operation: GroupOperation,
    name: *const c_char,
    processes: *const Proc,
    count: usize,
    infos: *const Info,
    info_count: usize,
    done: InfoDone,
    pass: *mut c_void,
) -> Status {
    // SAFETY: see above.
    let (name, who) = unsafe { (CStr::from_ptr(name).to_bytes().to_vec(), members(processes, count)) };
    // SAFETY: see above.
    let data = (0..info_count).find_map(|i| unsafe { (*infos.add(i)).endpoints() }).unwrap_or_default();
    put(Call::Group { name, make: operation == 0, who, data, answer: Answer(Done::Infos(done), pass) });
    ffi::SUCCESS
}

/// Whether a rank of this node has been lost before it came. Then the others wait for the end of the job: an answer would make
/// them fail, one after the other, and hide the reason.
///
/// # Safety
/// There are `count` infos.
unsafe fn is_torn(infos: *const Info, count: usize) -> bool {
    // SAFETY: see above.
    (0..count).any(|i| unsafe { (*infos.add(i)).collective_status() }.is_some_and(|status| status != ffi::SUCCESS))
}

/// # Safety
/// As the library calls it: `source` is a process or null.
pub unsafe extern "C" fn lost(
    _: usize,
    _: Status,
    source: *const Proc,
    _: *mut Info,
    _: usize,
    _: *mut Info,
    _: usize,
    done: EventDone,
    pass: *mut c_void,
) {
    if !source.is_null() {
        // SAFETY: see above.
        put(Call::Lost(unsafe { (*source).rank }));
    }
    if let Some(done) = done {
        // SAFETY: the library's own function and pointer; nothing else is handed over.
        unsafe { done(ffi::DEALT_WITH, null_mut(), 0, None, null_mut(), pass) };
    }
}

/// # Safety
/// There are `count` processes.
unsafe fn members(processes: *const Proc, count: usize) -> Vec<Member> {
    // SAFETY: see above.
    (0..count).map(|i| Member(unsafe { *processes.add(i) })).collect()
}

/// # Safety
/// As the library calls it: `process` is one.
unsafe extern "C" fn modex(
    process: *const Proc,
    _: *const Info,
    _: usize,
    done: ModexDone,
    pass: *mut c_void,
) -> Status {
    // SAFETY: see above.
    let who = Box::new(Member(unsafe { *process }));
    put(Call::Modex { who, answer: Answer(Done::Bytes(done), pass) });
    ffi::SUCCESS
}

/// The library's answer to `PMIx_server_dmodex_request`; `number` travels in place of a pointer.
///
/// # Safety
/// As the library calls it: `data` has `length` bytes, or is null.
pub unsafe extern "C" fn published(status: Status, data: *mut c_char, length: usize, number: *mut c_void) {
    // SAFETY: see above. The library frees the block itself.
    let data = if data.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) } };
    put(Call::Published { number: number as usize, status, data: data.to_vec() });
}
