//! What processes want, as the library's thread tells it, and the answers.
//!
//! The library makes an upcall on its own thread. Each callback puts it into a queue and wakes the node server's loop,
//! which takes it from there. So this queue is the only thing in oshrun that two threads use.

use super::ffi::{EventDone, GroupOperation, InfoDone, Infos, ModexDone, Module, OpDone};
use nix::sys::eventfd::{EfdFlags, EventFd};
use pmi_shm::pmix::data::{
    ByteObject, EVENT_ACTION_COMPLETE, Info, NOT_FOUND, OPERATION_SUCCEEDED, Proc, SUCCESS, Status, WILDCARD, kind,
};
use std::ffi::{CStr, c_char, c_void};
use std::os::fd::{AsFd, BorrowedFd};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};

pub enum Upcall {
    /// A process uses the server from now on.
    Connected(u32),
    /// The process does not use the server any more.
    Finalized(u32),
    /// The process's connection has ended without a goodbye.
    Lost(u32),
    Abort {
        rank: u32,
        code: i32,
        message: String,
    },
    /// All of `who` that run on this node have entered a fence; `data` is for the others.
    Fence {
        who: Vec<Member>,
        data: Vec<u8>,
        answer: Answer,
    },
    /// All members of a group on this node make the group, or end it; `data` is for the others.
    Group {
        name: Vec<u8>,
        make: bool,
        who: Vec<Member>,
        data: Vec<u8>,
        answer: Answer,
    },
    /// A process asks for what a rank of another node has published.
    Modex {
        who: Box<Member>,
        answer: Answer,
    },
    /// The library answers question `number` of this server for what a rank of this node has published.
    Published {
        number: usize,
        status: Status,
        data: Vec<u8>,
    },
}

/// A process that an upcall names.
#[derive(Clone, Copy)]
pub struct Member(Proc);

impl Member {
    /// The rank; `None`: every rank. Fails if the process belongs to another job.
    pub fn rank(&self, nspace: &str) -> Result<Option<u32>, Status> {
        match self.0.rank {
            _ if self.0.nspace != Proc::new(nspace, 0).nspace => Err(NOT_FOUND),
            WILDCARD => Ok(None),
            rank => Ok(Some(rank)),
        }
    }
}

/// The way to answer an upcall. If it is dropped, those who asked wait for ever.
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
            // SAFETY: function and pointer come from the library.
            Done::Status(Some(done)) => unsafe { done(status, self.1) },
            // SAFETY: function and pointer come from the library; there are no infos.
            Done::Infos(Some(done)) => unsafe { done(status, null_mut(), 0, self.1, None, null_mut()) },
            Done::Bytes(None) | Done::Status(None) | Done::Infos(None) => {}
        }
    }

    pub fn give_infos(self, infos: Infos) {
        if let Done::Infos(Some(done)) = self.0 {
            let mut infos = Box::new(infos);
            let (first, count) = infos.raw();
            // SAFETY: the infos live until `release_infos` is called with them, once.
            unsafe { done(SUCCESS, first, count, self.1, Some(release_infos), Box::into_raw(infos).cast()) }
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

static QUEUE: Mutex<Vec<Upcall>> = Mutex::new(Vec::new());
static WAKEUP: OnceLock<EventFd> = OnceLock::new();

/// A descriptor that is readable when there are upcalls.
pub fn wakeup() -> nix::Result<BorrowedFd<'static>> {
    let new = EventFd::from_value_and_flags(0, EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?;
    Ok(WAKEUP.get_or_init(|| new).as_fd())
}

pub fn take() -> Vec<Upcall> {
    if let Some(wakeup) = WAKEUP.get() {
        let _ = wakeup.read();
    }
    std::mem::take(&mut *QUEUE.lock().unwrap_or_else(PoisonError::into_inner))
}

fn put(call: Upcall) {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    if let Some(wakeup) = WAKEUP.get() {
        let _ = wakeup.write(1);
    }
}

/// The callbacks that oshrun offers. The library refuses everything else (publishing of names, spawning, queries) with
/// "not supported".
pub fn module() -> Module {
    Module {
        client_connected: Some(connected),
        client_finalized: Some(finalized),
        abort: Some(abort),
        fence_nb: Some(fence),
        direct_modex: Some(modex),
        connect: Some(connect),
        disconnect: Some(connect),
        group: Some(group),
        ..Module::default()
    }
}

/// # Safety
/// The library's contract: `process` is one.
unsafe extern "C" fn connected(process: *const Proc, _: *mut c_void, _: OpDone, _: *mut c_void) -> Status {
    // SAFETY: see above.
    put(Upcall::Connected(unsafe { (*process).rank }));
    OPERATION_SUCCEEDED
}

/// # Safety
/// The library's contract: `process` is one.
unsafe extern "C" fn finalized(process: *const Proc, _: *mut c_void, _: OpDone, _: *mut c_void) -> Status {
    // SAFETY: see above.
    put(Upcall::Finalized(unsafe { (*process).rank }));
    OPERATION_SUCCEEDED
}

/// # Safety
/// The library's contract: `process` is one, `message` a string or null.
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
    put(Upcall::Abort { rank, code, message });
    // The caller waits for an answer until it is killed.
    SUCCESS
}

/// # Safety
/// The library's contract: there are `count` processes and `info_count` infos; `data` is a block of malloc, which is
/// given away, or null.
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
        return SUCCESS;
    }
    put(Upcall::Fence { who, data, answer: Answer(Done::Bytes(done), pass) });
    SUCCESS
}

/// Processes of one job that connect or disconnect: a fence without data.
///
/// # Safety
/// The library's contract: there are `count` processes.
unsafe extern "C" fn connect(
    processes: *const Proc,
    count: usize,
    infos: *const Info,
    info_count: usize,
    done: OpDone,
    pass: *mut c_void,
) -> Status {
    // SAFETY: see above.
    if unsafe { is_torn(infos, info_count) } {
        return SUCCESS;
    }
    // SAFETY: see above.
    let who = unsafe { members(processes, count) };
    put(Upcall::Fence { who, data: Vec::new(), answer: Answer(Done::Status(done), pass) });
    SUCCESS
}

/// # Safety
/// The library's contract: `name` is a string; there are `count` processes and `info_count` infos.
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
    // SAFETY: see above; one info each.
    let data = (0..info_count).find_map(|i| unsafe { endpoints(&*infos.add(i)) }).unwrap_or_default();
    put(Upcall::Group { name, make: operation == 0, who, data, answer: Answer(Done::Infos(done), pass) });
    SUCCESS
}

/// Whether a rank of this node was lost before it entered. Then the others wait for the end of the job: an answer would
/// make them fail one after the other, and hide the cause.
///
/// # Safety
/// There are `count` infos.
unsafe fn is_torn(infos: *const Info, count: usize) -> bool {
    // SAFETY: see above.
    (0..count).any(|i| unsafe { collective_status(&*infos.add(i)) }.is_some_and(|status| status != SUCCESS))
}

/// # Safety
/// The library's contract: `source` is a process or null.
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
        put(Upcall::Lost(unsafe { (*source).rank }));
    }
    if let Some(done) = done {
        // SAFETY: function and pointer come from the library; nothing else is handed over.
        unsafe { done(EVENT_ACTION_COMPLETE, null_mut(), 0, None, null_mut(), pass) };
    }
}

/// The data that the ranks of this node give to the other members of a group. `None`: the argument is another one.
fn endpoints(info: &Info) -> Option<Vec<u8>> {
    // SAFETY: the kind says that it is a block of bytes.
    let ByteObject { bytes, size } = unsafe { info.value_of("pmix.grp.endpt", kind::BYTE_OBJECT)?.bytes };
    // SAFETY: the library keeps the block during the call.
    (!bytes.is_null()).then(|| unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), size) }.to_vec())
}

/// The status with which the ranks of this node have entered a collective. `None`: the argument is another one.
fn collective_status(info: &Info) -> Option<Status> {
    // SAFETY: a status is 32 bits wide.
    Some(unsafe { info.value_of("pmix.loc.col.st", kind::STATUS)?.number } as Status)
}

/// # Safety
/// There are `count` processes.
unsafe fn members(processes: *const Proc, count: usize) -> Vec<Member> {
    // SAFETY: see above.
    (0..count).map(|i| Member(unsafe { *processes.add(i) })).collect()
}

/// # Safety
/// The library's contract: `process` is one.
unsafe extern "C" fn modex(
    process: *const Proc,
    _: *const Info,
    _: usize,
    done: ModexDone,
    pass: *mut c_void,
) -> Status {
    // SAFETY: see above.
    let who = Box::new(Member(unsafe { *process }));
    put(Upcall::Modex { who, answer: Answer(Done::Bytes(done), pass) });
    SUCCESS
}

/// The library's answer to `PMIx_server_dmodex_request`. `number` is passed in place of a pointer.
///
/// # Safety
/// The library's contract: `data` has `length` bytes, or is null.
pub unsafe extern "C" fn published(status: Status, data: *mut c_char, length: usize, number: *mut c_void) {
    // SAFETY: see above. The library frees the block itself.
    let data = if data.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) } };
    put(Upcall::Published { number: number as usize, status, data: data.to_vec() });
}
