//! `libpmi.so.0`: the PMI-1 interface, over `PMI_FD` or `PMI_PORT` of any launcher, or without a launcher.
//!
//! A process has one connection and makes one call at a time. The functions are those of `pmi.h` and return its codes:
//! 0, or what was wrong.

// The prototypes in pmi.h say what a caller's pointer must be: a place to write to, or a C string to read.
#![allow(clippy::missing_safety_doc)]

#[macro_use]
mod common;
mod legacy;

use common::{
    ERR_INVALID_ARG, ERR_INVALID_KEY_LENGTH, ERR_INVALID_LENGTH, ERR_INVALID_VAL_LENGTH, FAIL, Job, SUCCESS, abort,
    abort_by, code, fill_with, give, int, text,
};
use pmi_shm::client::pmi1::Pmi1;
use pmi_shm::wire::{KEY_MAX, KVSNAME_MAX, NodeMap, VALUE_MAX};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard};

type Pmi1Job = Job<Pmi1, HashMap<Vec<u8>, Vec<u8>>>;

static JOB: Mutex<Pmi1Job> = Mutex::new(Job::Out);

fn job() -> MutexGuard<'static, Pmi1Job> {
    JOB.lock().unwrap_or_else(|e| e.into_inner())
}

impl Pmi1Job {
    fn name(&mut self) -> Result<String, c_int> {
        self.ask(|pmi| Ok(pmi.space.clone()), |_| Some(format!("singinit_kvs_{}_0", std::process::id())))
    }

    fn key_max(&mut self) -> Result<usize, c_int> {
        self.ask(|pmi| Ok(pmi.key_max), |_| Some(KEY_MAX))
    }

    /// Bytes of a value with its NUL. A line must hold name, key and value at their longest. MPICH computes the same
    /// limit, and may be the reader.
    fn value_max(&mut self) -> Result<usize, c_int> {
        let room = |pmi: &mut Pmi1| VALUE_MAX.saturating_sub(pmi.space_max + pmi.key_max + 30);
        self.ask(|pmi| Ok(pmi.value_max.min(room(pmi))), |_| Some(VALUE_MAX))
    }

    /// The ranks on this node. If the launcher does not tell, it is this rank alone.
    fn clique(&mut self) -> Result<Vec<u32>, c_int> {
        let of_map = |rank: u32, map: NodeMap| map.ranks_on(map.node_of(rank));
        let launched = |pmi: &mut Pmi1| {
            let ranks = pmi.node_map().map(|map| of_map(pmi.rank, map)).filter(|ranks| ranks.contains(&pmi.rank));
            Ok(ranks.unwrap_or_else(|| vec![pmi.rank]))
        };
        self.ask(launched, |_| Some(vec![0]))
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Init(spawned: *mut c_int) -> c_int {
    let mut job = job();
    if matches!(*job, Job::Out) {
        *job = match Pmi1::from_env() {
            Some(Ok(pmi)) => {
                abort_by(Some(pmi.abort_handle()));
                Job::Launched(Box::new(pmi))
            }
            Some(Err(e)) => {
                eprintln!("libpmi: {e}");
                return FAIL;
            }
            None => Job::Singleton(HashMap::new()),
        };
    }
    let child = std::env::var("PMI_SPAWNED").is_ok_and(|v| v.trim() == "1");
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give(spawned, Ok(c_int::from(child))) }
}

handed! {
    PMI_Initialized(initialized: *mut c_int) = give(initialized, Ok(c_int::from(!matches!(*job(), Job::Out))));
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Finalize() -> c_int {
    let result = job().ask(
        |pmi| {
            pmi.finalize();
            Ok(())
        },
        |_| Some(()),
    );
    if result.is_ok() {
        *job() = Job::Out;
        abort_by(None);
    }
    code(result)
}

/// Calls that give the caller one number.
macro_rules! numbers {
    ($($name:ident: $value:expr;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(out: *mut c_int) -> c_int {
            let value: fn(&mut Pmi1Job) -> Result<c_int, c_int> = $value;
            let value = value(&mut job());
            // SAFETY: a place for a number, as pmi.h has it.
            unsafe { give(out, value) }
        }
    )* };
}

numbers! {
    PMI_Get_size: |job| job.ask(|pmi| Ok(int(pmi.size as usize)), |_| Some(1));
    PMI_Get_rank: |job| job.ask(|pmi| Ok(int(pmi.rank as usize)), |_| Some(0));
    PMI_Get_universe_size: |job| job.ask(|pmi| Ok(c_int::try_from(pmi.universe()?).unwrap_or(-1)), |_| Some(1));
    PMI_Get_appnum: |job| job.ask(Pmi1::appnum, |_| Some(-1));
    PMI_Get_clique_size: |job| Ok(int(job.clique()?.len()));
    PMI_Get_id_length_max: |_| Ok(int(KVSNAME_MAX));
    PMI_KVS_Get_name_length_max: |job| job.ask(|pmi| Ok(int(pmi.space_max)), |_| Some(int(KVSNAME_MAX)));
    PMI_KVS_Get_key_length_max: |job| job.key_max().map(int);
    PMI_KVS_Get_value_length_max: |job| job.value_max().map(int);
}

/// Ends the job and does not return. Other threads may wait in other calls meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Abort(exit_code: c_int, error_msg: *const c_char) -> c_int {
    // SAFETY: a C string, as pmi.h has it.
    if let Some(message) = unsafe { text(error_msg) }.ok().filter(|m| !m.is_empty()) {
        eprintln!("PMI_Abort({exit_code}): {}", String::from_utf8_lossy(message));
    }
    abort(exit_code, "")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_clique_ranks(ranks: *mut c_int, length: c_int) -> c_int {
    let clique = match job().clique() {
        Ok(_) if ranks.is_null() => return ERR_INVALID_ARG,
        Ok(clique) if int(clique.len()) > length => return ERR_INVALID_LENGTH,
        Ok(clique) => clique,
        Err(code) => return code,
    };
    for (i, rank) in clique.into_iter().enumerate() {
        // SAFETY: below `length`, for which the caller says there is room.
        unsafe { ranks.add(i).write(int(rank as usize)) };
    }
    SUCCESS
}

calls! {
    PMI_Barrier() = code(job().ask(Pmi1::fence, |_| Some(())));
    PMI_Ibarrier() = code(job().ask(Pmi1::begin_fence, |_| Some(())));
    PMI_Wait() = code(job().ask(Pmi1::end_fence, |_| Some(())));
    /// Puts are sent at once, so nothing is left to do.
    PMI_KVS_Commit(*const c_char) = code(job().ask(|_| Ok(()), |_| Some(())));
    PMI_Spawn_multiple(c_int, *mut *const c_char, *mut *mut *const c_char, *const c_int, *const c_int,
        *mut *const c_void, c_int, *const c_void, *mut c_int) = FAIL;
    PMI_Publish_name(*const c_char, *const c_char) = FAIL;
    PMI_Unpublish_name(*const c_char) = FAIL;
    PMI_Lookup_name(*const c_char, *mut c_char) = FAIL;
}

handed! {
    PMI_KVS_Get_my_name(kvsname: *mut c_char, length: c_int) = fill_with(kvsname, length, job().name());
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_KVS_Put(kvsname: *const c_char, key: *const c_char, value: *const c_char) -> c_int {
    // SAFETY: three C strings, as pmi.h has it.
    let (Ok(_), Ok(key), Ok(value)) = (unsafe { (text(kvsname), text(key), text(value)) }) else {
        return ERR_INVALID_ARG;
    };
    let mut job = job();
    match (job.key_max(), job.value_max()) {
        (Ok(most), _) if key.is_empty() || key.len() >= most => return ERR_INVALID_KEY_LENGTH,
        (_, Ok(most)) if value.len() >= most => return ERR_INVALID_VAL_LENGTH,
        _ => {}
    }
    let put = |pmi: &mut Pmi1| pmi.put(&pmi.space.clone(), &String::from_utf8_lossy(key), value);
    code(job.ask(put, |pairs| {
        pairs.insert(key.to_vec(), value.to_vec());
        Some(())
    }))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_KVS_Get(
    kvsname: *const c_char,
    key: *const c_char,
    value: *mut c_char,
    length: c_int,
) -> c_int {
    // SAFETY: two C strings, as pmi.h has it.
    let (Ok(_), Ok(key)) = (unsafe { (text(kvsname), text(key)) }) else {
        return ERR_INVALID_ARG;
    };
    let get = |pmi: &mut Pmi1| pmi.get(&pmi.space.clone(), &String::from_utf8_lossy(key));
    let found = job().ask(get, |pairs| Some(pairs.get(key).cloned()));
    // SAFETY: the caller says that there is room for `length` bytes.
    unsafe { fill_with(value, length, found.and_then(|value| value.ok_or(FAIL))) }
}
