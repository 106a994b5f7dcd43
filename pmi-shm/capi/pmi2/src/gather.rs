//! The ring and the allgathers.

use super::{ERR_INIT, ERR_INVALID_ARG, FAIL, Job, MAX_VALLEN, SUCCESS, code, state};
use crate::common::{fill, int, set, text};
use pmi_shm::client::pmi2::Gathered;
use std::ffi::{c_char, c_int, c_void};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMIX_Ring(
    value: *const c_char,
    rank: *mut c_int,
    ranks: *mut c_int,
    left: *mut c_char,
    right: *mut c_char,
    maxvalue: c_int,
) -> c_int {
    // SAFETY: a C string, as pmi2.h has it.
    let Some(value) = (unsafe { text(value) }) else {
        return ERR_INVALID_ARG;
    };
    let (place, of, before, after) = match &mut state().job {
        Job::Out => return ERR_INIT,
        Job::Launched(pmi) => match pmi.ring(value) {
            Ok((place, before, after)) => (int(place as usize), int(pmi.size as usize), before, after),
            Err(_) => return FAIL,
        },
        Job::Alone(_) => (0, 1, value.to_vec(), value.to_vec()),
    };
    // SAFETY: places for two numbers and two times `maxvalue` bytes, as pmi2.h has it.
    let done =
        unsafe { set(rank, place) & set(ranks, of) & fill(left, maxvalue, &before) & fill(right, maxvalue, &after) };
    if done { SUCCESS } else { ERR_INVALID_ARG }
}

unsafe fn begin(value: *const c_char, slot: usize) -> c_int {
    // SAFETY: a C string, as pmi2.h has it.
    let Some(value) = (unsafe { text(value) }) else {
        return ERR_INVALID_ARG;
    };
    if value.len() >= slot || !slot.is_multiple_of(8) {
        return ERR_INVALID_ARG;
    }
    match &mut state().job {
        Job::Out => ERR_INIT,
        Job::Launched(pmi) => code(pmi.begin_allgather(value, slot)),
        Job::Alone(solo) => {
            let mut padded = value.to_vec();
            padded.resize(slot, 0);
            solo.gather = Some(padded);
            SUCCESS
        }
    }
}

/// Ends the allgather that was begun; the values, and how many ranks there are.
fn end() -> Result<(Gathered, usize), c_int> {
    match &mut state().job {
        Job::Out => Err(ERR_INIT),
        Job::Launched(pmi) => {
            let all = pmi.end_allgather().map_err(|_| FAIL)?;
            all.map(|all| (all, pmi.size as usize)).ok_or(FAIL)
        }
        Job::Alone(solo) => solo.gather.take().map(|all| (Gathered::Private(all), 1)).ok_or(FAIL),
    }
}

/// The address of the values; they stay until the next ones.
unsafe fn lend(result: *mut *const c_char) -> c_int {
    let (all, _) = match end() {
        Ok(all) => all,
        Err(code) => return code,
    };
    let address = all.array();
    state().lent = Some(all);
    // SAFETY: a place for an address, as pmi2.h has it.
    if unsafe { set(result, address.cast()) } { SUCCESS } else { ERR_INVALID_ARG }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Iallgather(value: *const c_char) -> c_int {
    // SAFETY: handed through.
    unsafe { begin(value, MAX_VALLEN) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Iallgather_wait(result: *mut c_void) -> c_int {
    let (all, ranks) = match end() {
        Ok(all) => all,
        Err(code) => return code,
    };
    if result.is_null() {
        return ERR_INVALID_ARG;
    }
    // SAFETY: the array has one slot per rank, and so has the caller's buffer, as pmi2.h has it.
    unsafe { result.cast::<u8>().copy_from_nonoverlapping(all.array(), ranks * MAX_VALLEN) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_SHMEM_Iallgather(value: *const c_char) -> c_int {
    // SAFETY: handed through.
    unsafe { begin(value, MAX_VALLEN) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_SHMEM_Iallgather_wait(result: *mut *const c_char) -> c_int {
    // SAFETY: handed through.
    unsafe { lend(result) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMIX_Iallgather(value: *const c_char, slot: c_int) -> c_int {
    // SAFETY: handed through.
    unsafe { begin(value, usize::try_from(slot).unwrap_or(0)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMIX_Iallgather_wait(result: *mut *const c_char) -> c_int {
    // SAFETY: handed through.
    unsafe { lend(result) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMIX_Allgather(value: *const c_char, slot: c_int, result: *mut *const c_char) -> c_int {
    // SAFETY: handed through.
    match unsafe { PMIX_Iallgather(value, slot) } {
        // SAFETY: handed through.
        SUCCESS => unsafe { lend(result) },
        code => code,
    }
}
