//! `libpmi2.so.0`: the PMI-2 interface over `PMI_FD` of any launcher, or alone.
//!
//! One connection per process, one call at a time. Where the launcher is ours, values are read in shared memory. The
//! functions are those of `pmi2.h` and return its codes: 0, or what was wrong.

// What a pointer of a caller must be, the prototype in pmi2.h says: a place to write to, or a C string to read.
#![allow(clippy::missing_safety_doc)]

mod attr;
#[path = "../../common.rs"]
mod common;
mod gather;

use common::{abort, end_by, fill, int, set, text};
use pmi_shm::client::pmi2::{Gathered, Pmi2};
use pmi_shm::kvs::Answer;
use pmi_shm::wire::Hint;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard};

pub(crate) const SUCCESS: c_int = 0;
pub(crate) const FAIL: c_int = -1;
pub(crate) const ERR_INIT: c_int = 1;
pub(crate) const ERR_INVALID_ARG: c_int = 3;
const ERR_INVALID_KEY_LENGTH: c_int = 5;
const ERR_INVALID_VAL_LENGTH: c_int = 7;
const ERR_INVALID_LENGTH: c_int = 8;
const ERR_OTHER: c_int = 14;

/// Bytes of a key and of a value with their NUL.
const MAX_KEYLEN: usize = 64;
pub(crate) const MAX_VALLEN: usize = 1024;

/// The job as far as this process is in it.
pub(crate) enum Job {
    /// Before PMI2_Init, or after PMI2_Finalize.
    Out,
    Launched(Box<Pmi2>),
    /// No launcher: a job of one.
    Alone(Box<Solo>),
}

/// The store of a job of one.
#[derive(Default)]
pub(crate) struct Solo {
    pub pairs: HashMap<Vec<u8>, Vec<u8>>,
    pub node: HashMap<Vec<u8>, Vec<u8>>,
    /// The value of an allgather that was begun, padded.
    pub gather: Option<Vec<u8>>,
}

pub(crate) struct State {
    pub job: Job,
    /// The latest allgather that was given out by address.
    pub lent: Option<Gathered>,
}

// SAFETY: what makes a Gathered not Send is the address inside its mapping, which is good in every thread.
unsafe impl Send for State {}

static STATE: Mutex<State> = Mutex::new(State { job: Job::Out, lent: None });

pub(crate) fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(|e| e.into_inner())
}

pub(crate) fn code<T, E>(result: Result<T, E>) -> c_int {
    if result.is_ok() { SUCCESS } else { FAIL }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Init(
    spawned: *mut c_int,
    size: *mut c_int,
    rank: *mut c_int,
    appnum: *mut c_int,
) -> c_int {
    let mut state = state();
    if matches!(state.job, Job::Out) {
        state.job = match Pmi2::from_env() {
            Some(Ok(pmi)) => {
                end_by(Some(pmi.ender()));
                Job::Launched(Box::new(pmi))
            }
            Some(Err(e)) => {
                eprintln!("libpmi2: {e}");
                return FAIL;
            }
            None => Job::Alone(Box::default()),
        };
    }
    let (of, me, app, child) = match &state.job {
        Job::Launched(pmi) => (int(pmi.size as usize), int(pmi.rank as usize), pmi.appnum, pmi.spawned),
        _ => (1, 0, -1, false),
    };
    // SAFETY: four places for a number, as pmi2.h has it.
    let done = unsafe { set(spawned, c_int::from(child)) & set(size, of) & set(rank, me) & set(appnum, app) };
    if done { SUCCESS } else { ERR_INVALID_ARG }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI2_Finalize() -> c_int {
    let mut state = state();
    state.lent = None;
    match std::mem::replace(&mut state.job, Job::Out) {
        Job::Out => ERR_INIT,
        Job::Launched(mut pmi) => {
            pmi.finalize();
            end_by(None);
            SUCCESS
        }
        Job::Alone(_) => SUCCESS,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI2_Initialized() -> c_int {
    c_int::from(!matches!(state().job, Job::Out))
}

/// Ends the job, while other threads wait in other calls too; does not return.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Abort(_flag: c_int, msg: *const c_char) -> c_int {
    // SAFETY: a C string, as pmi2.h has it.
    let message = unsafe { text(msg) }.unwrap_or_default();
    if !message.is_empty() {
        eprintln!("PMI2_Abort: {}", String::from_utf8_lossy(message));
    }
    abort(1, &String::from_utf8_lossy(message))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Job_GetId(jobid: *mut c_char, jobid_size: c_int) -> c_int {
    let name = match &state().job {
        Job::Out => return ERR_INIT,
        Job::Launched(pmi) => pmi.job.clone(),
        Job::Alone(_) => format!("singleton_{}", std::process::id()),
    };
    // SAFETY: `jobid_size` bytes, as pmi2.h has it.
    if unsafe { fill(jobid, jobid_size, name.as_bytes()) } { SUCCESS } else { ERR_INVALID_LENGTH }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Job_GetRank(rank: *mut c_int) -> c_int {
    let me = match &state().job {
        Job::Out => return ERR_INIT,
        Job::Launched(pmi) => int(pmi.rank as usize),
        Job::Alone(_) => 0,
    };
    // SAFETY: a place for a number, as pmi2.h has it.
    if unsafe { set(rank, me) } { SUCCESS } else { ERR_INVALID_ARG }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Info_GetSize(size: *mut c_int) -> c_int {
    let of = match &state().job {
        Job::Out => return ERR_INIT,
        Job::Launched(pmi) => int(pmi.size as usize),
        Job::Alone(_) => 1,
    };
    // SAFETY: a place for a number, as pmi2.h has it.
    if unsafe { set(size, of) } { SUCCESS } else { ERR_INVALID_ARG }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_KVS_Put(key: *const c_char, value: *const c_char) -> c_int {
    // SAFETY: handed through.
    unsafe { put(key, value, Hint::Dense) }
}

/// `hint` is PMIX_DENSE or PMIX_SPARSE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMIX_KVS_Put(key: *const c_char, value: *const c_char, hint: c_int) -> c_int {
    let hint = match hint {
        0 => Hint::Dense,
        1 => Hint::Sparse,
        _ => return ERR_INVALID_ARG,
    };
    // SAFETY: handed through.
    unsafe { put(key, value, hint) }
}

unsafe fn put(key: *const c_char, value: *const c_char, hint: Hint) -> c_int {
    // SAFETY: two C strings, as pmi2.h has it.
    let (Some(key), Some(value)) = (unsafe { (text(key), text(value)) }) else {
        return ERR_INVALID_ARG;
    };
    if key.is_empty() || key.len() > MAX_KEYLEN {
        return ERR_INVALID_KEY_LENGTH;
    }
    if value.len() > MAX_VALLEN {
        return ERR_INVALID_VAL_LENGTH;
    }
    match &mut state().job {
        Job::Out => ERR_INIT,
        Job::Launched(pmi) => code(pmi.put(key, value, hint)),
        Job::Alone(solo) => {
            solo.pairs.insert(key.to_vec(), value.to_vec());
            SUCCESS
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_KVS_Get(
    _jobid: *const c_char,
    src_pmi_id: c_int,
    key: *const c_char,
    value: *mut c_char,
    maxvalue: c_int,
    vallen: *mut c_int,
) -> c_int {
    // SAFETY: handed through.
    unsafe { get(u32::try_from(src_pmi_id).ok(), key, value, maxvalue, vallen, false) }
}

/// Waits until the key has been put.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMIX_KVS_Get(
    key: *const c_char,
    value: *mut c_char,
    maxvalue: c_int,
    vallen: *mut c_int,
) -> c_int {
    // SAFETY: handed through.
    unsafe { get(None, key, value, maxvalue, vallen, true) }
}

unsafe fn get(
    source: Option<u32>,
    key: *const c_char,
    value: *mut c_char,
    maxvalue: c_int,
    vallen: *mut c_int,
    wait: bool,
) -> c_int {
    // SAFETY: a C string, as pmi2.h has it.
    let Some(key) = (unsafe { text(key) }) else {
        return ERR_INVALID_ARG;
    };
    if value.is_null() || maxvalue < 1 {
        return ERR_INVALID_ARG;
    }
    let found = match &mut state().job {
        Job::Out => return ERR_INIT,
        Job::Launched(pmi) => {
            // Most gets end here: without a message, and without memory from the heap.
            let mut buffer = [0; MAX_VALLEN];
            if let Some(Answer::Found(len)) = pmi.store.as_ref().map(|store| store.get(key, &mut buffer))
                && let Some(found) = buffer.get(..len)
            {
                // SAFETY: not null, and the caller says that there is room for `maxvalue` bytes.
                return unsafe { give(found, value, maxvalue, vallen) };
            }
            pmi.get(key, source, wait)
        }
        Job::Alone(solo) => Ok(solo.pairs.get(key).cloned()),
    };
    let Ok(found) = found else {
        return FAIL;
    };
    let Some(found) = found else {
        return ERR_OTHER;
    };
    // SAFETY: not null, and the caller says that there is room for `maxvalue` bytes.
    unsafe { give(&found, value, maxvalue, vallen) }
}

/// A value for the caller, and its length.
unsafe fn give(found: &[u8], value: *mut c_char, maxvalue: c_int, vallen: *mut c_int) -> c_int {
    let len = int(found.len());
    // SAFETY: handed through.
    let whole = unsafe { fill(value, maxvalue, found) };
    // A value that was cut off says so by a negative length. Not every caller wants to know.
    // SAFETY: a place for a number or null.
    let _ = unsafe { set(vallen, if whole { len } else { -len }) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI2_KVS_Fence() -> c_int {
    match &mut state().job {
        Job::Out => ERR_INIT,
        Job::Launched(pmi) => code(pmi.fence()),
        Job::Alone(_) => SUCCESS,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI2_KVS_Ifence() -> c_int {
    match &mut state().job {
        Job::Out => ERR_INIT,
        Job::Launched(pmi) => code(pmi.begin_fence()),
        Job::Alone(_) => SUCCESS,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI2_KVS_Wait() -> c_int {
    match &mut state().job {
        Job::Out => ERR_INIT,
        Job::Launched(pmi) => code(pmi.wait()),
        Job::Alone(_) => SUCCESS,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMIX_KVS_Ifence() -> c_int {
    PMI2_KVS_Ifence()
}

#[unsafe(no_mangle)]
pub extern "C" fn PMIX_Wait() -> c_int {
    PMI2_KVS_Wait()
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI2_Job_Spawn(
    _count: c_int,
    _cmds: *mut *const c_char,
    _argcs: *mut c_int,
    _argvs: *mut *mut *const c_char,
    _maxprocs: *const c_int,
    _info_keyval_sizes: *const c_int,
    _info_keyval_vectors: *mut *const c_void,
    _preput_keyval_size: c_int,
    _preput_keyval_vector: *mut *const c_void,
    _job_id: *mut c_char,
    _job_id_size: c_int,
    _errors: *mut c_int,
) -> c_int {
    FAIL
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI2_Job_Connect(_jobid: *const c_char, _conn: *mut c_void) -> c_int {
    FAIL
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI2_Job_Disconnect(_jobid: *const c_char) -> c_int {
    FAIL
}
