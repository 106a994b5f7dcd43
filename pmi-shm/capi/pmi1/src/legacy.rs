//! Calls from before PMI 1.1 that programs still name.

use super::{ERR_INVALID_ARG, FAIL, SUCCESS, give_length, give_text, job};
use crate::common::{fill, set};
use pmi_shm::wire::KVSNAME_MAX;
use std::ffi::{c_char, c_int, c_void};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_id(id_str: *mut c_char, length: c_int) -> c_int {
    let name = job().name();
    // SAFETY: `length` bytes, as pmi.h has it.
    unsafe { give_text(id_str, length, name) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_id_length_max(length: *mut c_int) -> c_int {
    // SAFETY: a place for a number, as pmi.h has it.
    unsafe { give_length(length, Some(KVSNAME_MAX)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_kvs_domain_id(id_str: *mut c_char, length: c_int) -> c_int {
    let name = job().name();
    // SAFETY: `length` bytes, as pmi.h has it.
    unsafe { give_text(id_str, length, name) }
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Create(_kvsname: *mut c_char, _length: c_int) -> c_int {
    FAIL
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Destroy(_kvsname: *const c_char) -> c_int {
    FAIL
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Iter_first(
    _kvsname: *const c_char,
    _key: *mut c_char,
    _key_len: c_int,
    _val: *mut c_char,
    _val_len: c_int,
) -> c_int {
    FAIL
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Iter_next(
    _kvsname: *const c_char,
    _key: *mut c_char,
    _key_len: c_int,
    _val: *mut c_char,
    _val_len: c_int,
) -> c_int {
    FAIL
}

/// No argument is an option of the process manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Parse_option(
    _num_args: c_int,
    _args: *mut *mut c_char,
    num_parsed: *mut c_int,
    keyvalp: *mut *mut c_void,
    size: *mut c_int,
) -> c_int {
    // SAFETY: three places to write to, as pmi.h has it.
    let done = unsafe { set(num_parsed, 0) & set(keyvalp, std::ptr::null_mut()) & set(size, 0) };
    if done { SUCCESS } else { ERR_INVALID_ARG }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Args_to_keyval(
    _argcp: *mut c_int,
    _argvp: *mut c_void,
    keyvalp: *mut *mut c_void,
    size: *mut c_int,
) -> c_int {
    // SAFETY: two places to write to, as pmi.h has it.
    let done = unsafe { set(keyvalp, std::ptr::null_mut()) & set(size, 0) };
    if done { SUCCESS } else { ERR_INVALID_ARG }
}

/// None was ever given out.
#[unsafe(no_mangle)]
pub extern "C" fn PMI_Free_keyvals(_keyvalp: *mut c_void, _size: c_int) -> c_int {
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_options(str: *mut c_char, length: *mut c_int) -> c_int {
    if length.is_null() {
        return ERR_INVALID_ARG;
    }
    // SAFETY: not null; the number there is the room at `str`, as pmi.h has it.
    let done = unsafe { fill(str, length.read(), b"") && set(length, 0) };
    if done { SUCCESS } else { ERR_INVALID_ARG }
}
