//! The ring and the allgathers.

use super::{MAX_VALLEN, Own, state};
use crate::common::{ERR_INVALID_ARG, FAIL, SUCCESS, code, fill, give, int, text};
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
    let Ok(value) = (unsafe { text(value) }) else {
        return ERR_INVALID_ARG;
    };
    let own = |_: &mut Box<Own>| Some(((0, value.to_vec(), value.to_vec()), 1));
    let ((number, before, after), of) = match state().job.ask(|pmi| Ok((pmi.ring(value)?, pmi.size)), own) {
        Ok(ring) => ring,
        Err(code) => return code,
    };
    // SAFETY: places for two numbers and two times `maxvalue` bytes, as pmi2.h has it.
    let all_fit = unsafe {
        give(rank, Ok(int(number as usize))) | give(ranks, Ok(int(of as usize))) == SUCCESS
            && fill(left, maxvalue, &before) | fill(right, maxvalue, &after) == SUCCESS
    };
    if all_fit { SUCCESS } else { ERR_INVALID_ARG }
}

unsafe fn begin(value: *const c_char, slot: usize) -> c_int {
    // SAFETY: a C string, as pmi2.h has it.
    let Ok(value) = (unsafe { text(value) }) else {
        return ERR_INVALID_ARG;
    };
    if value.len() >= slot || !slot.is_multiple_of(8) {
        return ERR_INVALID_ARG;
    }
    let own = |own: &mut Box<Own>| {
        let mut padded = value.to_vec();
        padded.resize(slot, 0);
        own.gather = Some(padded);
        Some(())
    };
    code(state().job.ask(|pmi| pmi.begin_allgather(value, slot), own))
}

/// Ends the allgather that was begun. The result is the values, and the number of ranks.
fn end() -> Result<(Gathered, usize), c_int> {
    let launched = |pmi: &mut pmi_shm::client::pmi2::Pmi2| Ok((pmi.end_allgather()?, pmi.size as usize));
    let (all, ranks) = state().job.ask(launched, |own| Some((own.gather.take().map(Gathered::Private), 1)))?;
    Ok((all.ok_or(FAIL)?, ranks))
}

/// Gives the address of the values. They stay there until the next allgather.
unsafe fn lend(result: *mut *const c_char) -> c_int {
    let address = end().map(|(all, _)| {
        let address = all.array().cast();
        state().lent = Some(all);
        address
    });
    // SAFETY: a place for an address, as pmi2.h has it.
    unsafe { give(result, address) }
}

handed! {
    PMI2_Iallgather(value: *const c_char) = begin(value, MAX_VALLEN);
    PMI2_SHMEM_Iallgather(value: *const c_char) = begin(value, MAX_VALLEN);
    PMI2_SHMEM_Iallgather_wait(result: *mut *const c_char) = lend(result);
    PMIX_Iallgather(value: *const c_char, slot: c_int) = begin(value, usize::try_from(slot).unwrap_or(0));
    PMIX_Iallgather_wait(result: *mut *const c_char) = lend(result);
    PMIX_Allgather(value: *const c_char, slot: c_int, result: *mut *const c_char) = match PMIX_Iallgather(value, slot) {
        SUCCESS => lend(result),
        code => code,
    };
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
