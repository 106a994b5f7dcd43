//! Calls from before PMI 1.1 that some programs still name.

use super::PMI_KVS_Get_my_name;
use crate::common::{ERR_INVALID_ARG, FAIL, SUCCESS, fill, give};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

calls! {
    PMI_KVS_Create(*mut c_char, c_int) = FAIL;
    PMI_KVS_Destroy(*const c_char) = FAIL;
    PMI_KVS_Iter_first(*const c_char, *mut c_char, c_int, *mut c_char, c_int) = FAIL;
    PMI_KVS_Iter_next(*const c_char, *mut c_char, c_int, *mut c_char, c_int) = FAIL;
    /// None was ever given out.
    PMI_Free_keyvals(*mut c_void, c_int) = SUCCESS;
}

// A code other than SUCCESS keeps its bits.
handed! {
    PMI_Get_id(id_str: *mut c_char, length: c_int) = PMI_KVS_Get_my_name(id_str, length);
    PMI_Get_kvs_domain_id(id_str: *mut c_char, length: c_int) = PMI_KVS_Get_my_name(id_str, length);
    /// No argument is an option of the process manager.
    PMI_Parse_option(_num_args: c_int, _args: *mut *mut c_char, num_parsed: *mut c_int, keyvalp: *mut *mut c_void,
        size: *mut c_int) = give(num_parsed, Ok(0)) | give(keyvalp, Ok(null_mut())) | give(size, Ok(0));
    PMI_Args_to_keyval(_argcp: *mut c_int, _argvp: *mut c_void, keyvalp: *mut *mut c_void, size: *mut c_int)
        = give(keyvalp, Ok(null_mut())) | give(size, Ok(0));
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI_Get_options(str: *mut c_char, length: *mut c_int) -> c_int {
    if length.is_null() {
        return ERR_INVALID_ARG;
    }
    // SAFETY: not null; the number there is the room at `str`, as pmi.h has it.
    match unsafe { fill(str, length.read(), b"") } {
        // SAFETY: not null.
        SUCCESS => unsafe { give(length, Ok(0)) },
        _ => ERR_INVALID_ARG,
    }
}
