//! `libpmi2.so.0`: the PMI-2 interface over `PMI_FD` of any launcher, or without a launcher.
//!
//! A process has one connection and makes one call at a time. Where oshrun is the launcher, values are read in shared
//! memory. The functions are those of `pmi2.h` and return its codes: 0, or what was wrong.

// The prototypes in pmi2.h say what a caller's pointer must be: a place to write to, or a C string to read.
#![allow(clippy::missing_safety_doc)]

#[macro_use]
#[path = "../../common.rs"]
mod common;
mod attr;

use common::{
    ERR_INVALID_ARG, ERR_INVALID_KEY_LENGTH, ERR_INVALID_VAL_LENGTH, FAIL, Job, SUCCESS, abort, abort_by, code, fill,
    fill_with, give, int, text,
};
use pmi_shm::client::pmi2::Pmi2;
use pmi_shm::kvs::Answer;
use pmi_shm::wire::Hint;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard};

const ERR_OTHER: c_int = 14;

/// Bytes of the longest key, and of the longest value with its NUL.
const MAX_KEYLEN: usize = 64;
pub(crate) const MAX_VALLEN: usize = 1024;

/// The values of a job of one process.
#[derive(Default)]
pub(crate) struct Own {
    pub pairs: HashMap<Vec<u8>, Vec<u8>>,
    pub node: HashMap<Vec<u8>, Vec<u8>>,
}

pub(crate) struct State {
    pub job: Job<Pmi2, Box<Own>>,
}

static STATE: Mutex<State> = Mutex::new(State { job: Job::Out });

pub(crate) fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(|e| e.into_inner())
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
                abort_by(Some(pmi.abort_handle()));
                Job::Launched(Box::new(pmi))
            }
            Some(Err(e)) => {
                eprintln!("libpmi2: {e}");
                return FAIL;
            }
            None => Job::Singleton(Box::default()),
        };
    }
    let launched = |pmi: &mut Pmi2| Ok((int(pmi.size as usize), int(pmi.rank as usize), pmi.appnum, pmi.spawned));
    let (of, me, app, child) = state.job.ask(launched, |_| Some((1, 0, -1, false))).expect("initialised above");
    // SAFETY: four places for a number, as pmi2.h has it. A code other than SUCCESS keeps its bits.
    unsafe { give(spawned, Ok(c_int::from(child))) | give(size, Ok(of)) | give(rank, Ok(me)) | give(appnum, Ok(app)) }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI2_Finalize() -> c_int {
    let mut state = state();
    let result = state.job.ask(
        |pmi| {
            pmi.finalize();
            Ok(())
        },
        |_| Some(()),
    );
    if result.is_ok() {
        *state = State { job: Job::Out };
        abort_by(None);
    }
    code(result)
}

calls! {
    PMI2_Initialized() = c_int::from(!matches!(state().job, Job::Out));
    PMI2_KVS_Fence() = code(state().job.ask(Pmi2::fence, |_| Some(())));
    PMI2_KVS_Ifence() = code(state().job.ask(Pmi2::begin_fence, |_| Some(())));
    PMI2_KVS_Wait() = code(state().job.ask(Pmi2::wait, |_| Some(())));
    PMIX_KVS_Ifence() = PMI2_KVS_Ifence();
    PMIX_Wait() = PMI2_KVS_Wait();
    PMI2_Job_Spawn(c_int, *mut *const c_char, *mut c_int, *mut *mut *const c_char, *const c_int, *const c_int,
        *mut *const c_void, c_int, *mut *const c_void, *mut c_char, c_int, *mut c_int) = FAIL;
    PMI2_Job_Connect(*const c_char, *mut c_void) = FAIL;
    PMI2_Job_Disconnect(*const c_char) = FAIL;
}

/// Ends the job and does not return. Other threads may wait in other calls meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Abort(_flag: c_int, msg: *const c_char) -> c_int {
    // SAFETY: a C string, as pmi2.h has it.
    let message = unsafe { text(msg) }.unwrap_or_default();
    if !message.is_empty() {
        eprintln!("PMI2_Abort: {}", String::from_utf8_lossy(message));
    }
    abort(1, &String::from_utf8_lossy(message))
}

handed! {
    PMI2_Job_GetId(jobid: *mut c_char, jobid_size: c_int) = {
        let own = |_: &mut Box<Own>| Some(format!("singleton_{}", std::process::id()));
        fill_with(jobid, jobid_size, state().job.ask(|pmi| Ok(pmi.job.clone()), own))
    };
    PMI2_Job_GetRank(rank: *mut c_int)
        = give(rank, state().job.ask(|pmi| Ok(int(pmi.rank as usize)), |_| Some(0)));
    PMI2_Info_GetSize(size: *mut c_int)
        = give(size, state().job.ask(|pmi| Ok(int(pmi.size as usize)), |_| Some(1)));
    PMI2_KVS_Put(key: *const c_char, value: *const c_char) = put(key, value, Hint::Dense);
}

/// `hint` is PMIX_DENSE, PMIX_SPARSE or PMIX_DIRECT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMIX_KVS_Put(key: *const c_char, value: *const c_char, hint: c_int) -> c_int {
    let hint = match hint {
        0 => Hint::Dense,
        1 => Hint::Sparse,
        2 => Hint::Direct,
        _ => return ERR_INVALID_ARG,
    };
    // SAFETY: two C strings, as pmi2.h has it.
    unsafe { put(key, value, hint) }
}

unsafe fn put(key: *const c_char, value: *const c_char, hint: Hint) -> c_int {
    // SAFETY: two C strings, as pmi2.h has it.
    let (Ok(key), Ok(value)) = (unsafe { (text(key), text(value)) }) else {
        return ERR_INVALID_ARG;
    };
    if key.is_empty() || key.len() > MAX_KEYLEN {
        return ERR_INVALID_KEY_LENGTH;
    }
    if value.len() > MAX_VALLEN {
        return ERR_INVALID_VAL_LENGTH;
    }
    let own = |own: &mut Box<Own>| {
        own.pairs.insert(key.to_vec(), value.to_vec());
        Some(())
    };
    code(state().job.ask(|pmi| pmi.put(key, value, hint), own))
}

handed! {
    PMI2_KVS_Get(_jobid: *const c_char, src_pmi_id: c_int, key: *const c_char, value: *mut c_char, maxvalue: c_int,
        vallen: *mut c_int) = get(u32::try_from(src_pmi_id).ok(), key, value, maxvalue, vallen, false);
    /// Waits until the key has been put.
    PMIX_KVS_Get(key: *const c_char, value: *mut c_char, maxvalue: c_int, vallen: *mut c_int)
        = get(None, key, value, maxvalue, vallen, true);
    /// Looks up a key that rank `src_pmi_id` puts.
    PMIX_KVS_Get_from(src_pmi_id: c_int, key: *const c_char, value: *mut c_char, maxvalue: c_int, vallen: *mut c_int)
        = get(u32::try_from(src_pmi_id).ok(), key, value, maxvalue, vallen, true);
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
    let Ok(key) = (unsafe { text(key) }) else {
        return ERR_INVALID_ARG;
    };
    if value.is_null() || maxvalue < 1 {
        return ERR_INVALID_ARG;
    }
    let mut state = state();
    if let Job::Launched(pmi) = &state.job {
        // Most gets end here: without a message, and without memory from the heap.
        let mut buffer = [0; MAX_VALLEN];
        if let Some(Answer::Found(len)) = pmi.store.as_ref().map(|store| store.get(key, &mut buffer))
            && let Some(found) = buffer.get(..len)
        {
            // SAFETY: not null, and the caller says that there is room for `maxvalue` bytes.
            return unsafe { give_value(found, value, maxvalue, vallen) };
        }
    }
    match state.job.ask(|pmi| pmi.get(key, source, wait), |own| Some(own.pairs.get(key).cloned())) {
        // SAFETY: not null, and the caller says that there is room for `maxvalue` bytes.
        Ok(Some(found)) => unsafe { give_value(&found, value, maxvalue, vallen) },
        Ok(None) => ERR_OTHER,
        Err(code) => code,
    }
}

/// Writes a value and its length for the caller. The length is negative if the value was cut off.
unsafe fn give_value(found: &[u8], value: *mut c_char, maxvalue: c_int, vallen: *mut c_int) -> c_int {
    let len = int(found.len());
    // SAFETY: handed through.
    let whole = unsafe { fill(value, maxvalue, found) } == SUCCESS;
    // SAFETY: a place for a number, or null if the caller does not want it.
    let _ = unsafe { give(vallen, Ok(if whole { len } else { -len })) };
    SUCCESS
}
