//! `libpmi.so.0`: the PMI-1 interface, over `PMI_FD` or `PMI_PORT` of any launcher, or alone.
//!
//! One connection per process, one call at a time. Where the launcher is ours, values are read in shared memory. The
//! functions are those of `pmi.h` and return its codes: 0, or what was wrong.

// What a pointer of a caller must be, the prototype in pmi.h says: a place to write to, or a C string to read.
#![allow(clippy::missing_safety_doc)]

#[path = "../../common.rs"]
mod common;
mod legacy;

use common::{abort, end_by, fill, int, set, text};
use pmi_shm::client::pmi1::Pmi1;
use pmi_shm::wire::{KVSNAME_MAX, NodeMap, Service};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard};

pub(crate) const SUCCESS: c_int = 0;
pub(crate) const FAIL: c_int = -1;
const ERR_INIT: c_int = 1;
pub(crate) const ERR_INVALID_ARG: c_int = 3;
const ERR_INVALID_KEY_LENGTH: c_int = 5;
const ERR_INVALID_VAL_LENGTH: c_int = 7;
pub(crate) const ERR_INVALID_LENGTH: c_int = 8;

/// The job as far as this process is in it.
enum Job {
    /// Before PMI_Init, or after PMI_Finalize.
    Out,
    Launched(Box<Pmi1>),
    /// No launcher: a job of one with a space of its own.
    Alone(HashMap<Vec<u8>, Vec<u8>>),
}

static JOB: Mutex<Job> = Mutex::new(Job::Out);

fn job() -> MutexGuard<'static, Job> {
    JOB.lock().unwrap_or_else(|e| e.into_inner())
}

impl Job {
    fn name(&self) -> Option<String> {
        match self {
            Job::Out => None,
            Job::Launched(pmi) => Some(pmi.space.clone()),
            Job::Alone(_) => Some(format!("singinit_kvs_{}_0", std::process::id())),
        }
    }

    /// Bytes of a value with its NUL. A line must hold name, key and value at their longest; MPICH clamps in the same
    /// way, and the other side may be one of its readers.
    fn value_max(&self) -> Option<usize> {
        match self {
            Job::Out => None,
            Job::Launched(pmi) => Some(pmi.value_max.min(1024usize.saturating_sub(pmi.space_max + pmi.key_max + 30))),
            Job::Alone(_) => Some(1024),
        }
    }

    fn key_max(&self) -> Option<usize> {
        match self {
            Job::Out => None,
            Job::Launched(pmi) => Some(pmi.key_max),
            Job::Alone(_) => Some(64),
        }
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> c_int {
        match self {
            Job::Out => ERR_INIT,
            Job::Launched(pmi) => {
                let (space, key) = (pmi.space.clone(), String::from_utf8_lossy(key));
                code(pmi.put(&space, &key, value))
            }
            Job::Alone(pairs) => {
                pairs.insert(key.to_vec(), value.to_vec());
                SUCCESS
            }
        }
    }

    fn get(&mut self, key: &[u8]) -> Result<Vec<u8>, c_int> {
        match self {
            Job::Out => Err(ERR_INIT),
            Job::Launched(pmi) => {
                let (space, key) = (pmi.space.clone(), String::from_utf8_lossy(key));
                pmi.get(&space, &key).map_err(|_| FAIL)?.ok_or(FAIL)
            }
            Job::Alone(pairs) => pairs.get(key).cloned().ok_or(FAIL),
        }
    }

    /// Ranks on this node; only itself when the launcher does not say.
    fn clique(&mut self) -> Result<Vec<u32>, c_int> {
        match self {
            Job::Out => Err(ERR_INIT),
            Job::Launched(pmi) => {
                let rank = pmi.rank;
                let near = |map: NodeMap| map.ranks_on(map.node_of(rank));
                Ok(pmi.node_map().map(near).filter(|ranks| ranks.contains(&rank)).unwrap_or_else(|| vec![rank]))
            }
            Job::Alone(_) => Ok(vec![0]),
        }
    }
}

fn code<T, E>(result: Result<T, E>) -> c_int {
    if result.is_ok() { SUCCESS } else { FAIL }
}

/// A number for the caller, or why there is none.
unsafe fn give(out: *mut c_int, value: Result<c_int, c_int>) -> c_int {
    match value {
        // SAFETY: a place for a number, as pmi.h has it.
        Ok(value) if unsafe { set(out, value) } => SUCCESS,
        Ok(_) => ERR_INVALID_ARG,
        Err(code) => code,
    }
}

/// A length that the job has.
unsafe fn give_length(out: *mut c_int, value: Option<usize>) -> c_int {
    // SAFETY: handed through.
    unsafe { give(out, value.map(int).ok_or(ERR_INIT)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Init(spawned: *mut c_int) -> c_int {
    let mut job = job();
    if matches!(*job, Job::Out) {
        *job = match Pmi1::from_env() {
            Some(Ok(pmi)) => {
                end_by(Some(pmi.ender()));
                Job::Launched(Box::new(pmi))
            }
            Some(Err(e)) => {
                eprintln!("libpmi: {e}");
                return FAIL;
            }
            None => Job::Alone(HashMap::new()),
        };
    }
    let child = std::env::var("PMI_SPAWNED").is_ok_and(|v| v.trim() == "1");
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give(spawned, Ok(c_int::from(child))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Initialized(initialized: *mut c_int) -> c_int {
    let there = !matches!(*job(), Job::Out);
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give(initialized, Ok(c_int::from(there))) }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Finalize() -> c_int {
    match std::mem::replace(&mut *job(), Job::Out) {
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
pub unsafe extern "C" fn PMI_Get_size(size: *mut c_int) -> c_int {
    let value = match &*job() {
        Job::Out => Err(ERR_INIT),
        Job::Launched(pmi) => Ok(int(pmi.size as usize)),
        Job::Alone(_) => Ok(1),
    };
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give(size, value) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_rank(rank: *mut c_int) -> c_int {
    let value = match &*job() {
        Job::Out => Err(ERR_INIT),
        Job::Launched(pmi) => Ok(int(pmi.rank as usize)),
        Job::Alone(_) => Ok(0),
    };
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give(rank, value) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_universe_size(size: *mut c_int) -> c_int {
    let value = match &mut *job() {
        Job::Out => Err(ERR_INIT),
        // Nobody knows of more than there are.
        Job::Launched(pmi) => pmi.universe().map(|n| c_int::try_from(n).unwrap_or(-1)).map_err(|_| FAIL),
        Job::Alone(_) => Ok(1),
    };
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give(size, value) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_appnum(appnum: *mut c_int) -> c_int {
    let value = match &mut *job() {
        Job::Out => Err(ERR_INIT),
        Job::Launched(pmi) => pmi.appnum().map_err(|_| FAIL),
        Job::Alone(_) => Ok(-1),
    };
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give(appnum, value) }
}

/// Ends the job, while other threads wait in other calls too; does not return.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Abort(exit_code: c_int, error_msg: *const c_char) -> c_int {
    // SAFETY: a C string, as pmi.h has it.
    if let Some(message) = unsafe { text(error_msg) }.filter(|m| !m.is_empty()) {
        eprintln!("PMI_Abort({exit_code}): {}", String::from_utf8_lossy(message));
    }
    abort(exit_code, "")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_clique_size(size: *mut c_int) -> c_int {
    let ranks = job().clique();
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give(size, ranks.map(|r| int(r.len()))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_clique_ranks(ranks: *mut c_int, length: c_int) -> c_int {
    let near = match job().clique() {
        Ok(near) => near,
        Err(code) => return code,
    };
    if ranks.is_null() {
        return ERR_INVALID_ARG;
    }
    if int(near.len()) > length {
        return ERR_INVALID_LENGTH;
    }
    for (i, rank) in near.into_iter().enumerate() {
        // SAFETY: below `length`, for which the caller says there is room.
        unsafe { ranks.add(i).write(int(rank as usize)) };
    }
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Barrier() -> c_int {
    match &mut *job() {
        Job::Out => ERR_INIT,
        Job::Launched(pmi) => code(pmi.fence()),
        Job::Alone(_) => SUCCESS,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Ibarrier() -> c_int {
    match &mut *job() {
        Job::Out => ERR_INIT,
        Job::Launched(pmi) => code(pmi.begin_fence()),
        Job::Alone(_) => SUCCESS,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Wait() -> c_int {
    match &mut *job() {
        Job::Out => ERR_INIT,
        Job::Launched(pmi) => code(pmi.end_fence()),
        Job::Alone(_) => SUCCESS,
    }
}

/// A text for the caller.
pub(crate) unsafe fn give_text(out: *mut c_char, length: c_int, value: Option<String>) -> c_int {
    let Some(value) = value else {
        return ERR_INIT;
    };
    if out.is_null() {
        return ERR_INVALID_ARG;
    }
    // SAFETY: not null, and the caller says that there is room for `length` bytes.
    if unsafe { fill(out, length, value.as_bytes()) } { SUCCESS } else { ERR_INVALID_LENGTH }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_KVS_Get_my_name(kvsname: *mut c_char, length: c_int) -> c_int {
    let name = job().name();
    // SAFETY: `length` bytes, as pmi.h has it.
    unsafe { give_text(kvsname, length, name) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_KVS_Get_name_length_max(length: *mut c_int) -> c_int {
    let max = match &*job() {
        Job::Out => None,
        Job::Launched(pmi) => Some(pmi.space_max),
        Job::Alone(_) => Some(KVSNAME_MAX),
    };
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give_length(length, max) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_KVS_Get_key_length_max(length: *mut c_int) -> c_int {
    let max = job().key_max();
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give_length(length, max) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_KVS_Get_value_length_max(length: *mut c_int) -> c_int {
    let max = job().value_max();
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give_length(length, max) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_KVS_Put(kvsname: *const c_char, key: *const c_char, value: *const c_char) -> c_int {
    // SAFETY: three C strings, as pmi.h has it.
    let (Some(_), Some(key), Some(value)) = (unsafe { (text(kvsname), text(key), text(value)) }) else {
        return ERR_INVALID_ARG;
    };
    let mut job = job();
    let (Some(key_max), Some(value_max)) = (job.key_max(), job.value_max()) else {
        return ERR_INIT;
    };
    if key.is_empty() || key.len() >= key_max {
        return ERR_INVALID_KEY_LENGTH;
    }
    if value.len() >= value_max {
        return ERR_INVALID_VAL_LENGTH;
    }
    job.put(key, value)
}

/// Puts are sent at once, so there is nothing left to do.
#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Commit(_kvsname: *const c_char) -> c_int {
    if matches!(*job(), Job::Out) { ERR_INIT } else { SUCCESS }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_KVS_Get(
    kvsname: *const c_char,
    key: *const c_char,
    value: *mut c_char,
    length: c_int,
) -> c_int {
    // SAFETY: two C strings, as pmi.h has it.
    let (Some(_), Some(key)) = (unsafe { (text(kvsname), text(key)) }) else {
        return ERR_INVALID_ARG;
    };
    let found = match job().get(key) {
        Ok(found) => found,
        Err(code) => return code,
    };
    if value.is_null() {
        return ERR_INVALID_ARG;
    }
    // SAFETY: not null, and the caller says that there is room for `length` bytes.
    if unsafe { fill(value, length, &found) } { SUCCESS } else { ERR_INVALID_LENGTH }
}

/// The port for a look-up, empty for the others.
unsafe fn name(act: Service, service: *const c_char, port: *const c_char) -> Result<String, c_int> {
    // SAFETY: C strings, as pmi.h has it.
    let (service, port) = unsafe { (text(service), text(port)) };
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (service, port) = (words(service.ok_or(ERR_INVALID_ARG)?), words(port.unwrap_or_default()));
    match &mut *job() {
        Job::Out => Err(ERR_INIT),
        Job::Launched(pmi) => pmi.name(act, &service, &port).map_err(|_| FAIL),
        // Nobody could look it up.
        Job::Alone(_) => Err(FAIL),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Publish_name(service_name: *const c_char, port: *const c_char) -> c_int {
    if port.is_null() {
        return ERR_INVALID_ARG;
    }
    // SAFETY: handed through.
    unsafe { name(Service::Publish, service_name, port) }.map_or_else(|code| code, |_| SUCCESS)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Unpublish_name(service_name: *const c_char) -> c_int {
    // SAFETY: handed through.
    unsafe { name(Service::Unpublish, service_name, std::ptr::null()) }.map_or_else(|code| code, |_| SUCCESS)
}

/// The caller's place has no length; the longest port is a value's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Lookup_name(service_name: *const c_char, port: *mut c_char) -> c_int {
    // SAFETY: handed through.
    match unsafe { name(Service::Lookup, service_name, std::ptr::null()) } {
        // SAFETY: as much room as a value needs, as the interface has it.
        Ok(found) => unsafe { give_text(port, 1024, Some(found)) },
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Spawn_multiple(
    _count: c_int,
    _cmds: *mut *const c_char,
    _argvs: *mut *mut *const c_char,
    _maxprocs: *const c_int,
    _info_keyval_sizes: *const c_int,
    _info_keyval_vectors: *mut *const c_void,
    _preput_keyval_size: c_int,
    _preput_keyval_vector: *const c_void,
    _errors: *mut c_int,
) -> c_int {
    FAIL
}
