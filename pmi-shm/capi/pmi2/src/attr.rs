//! Attributes of node and job, and names of services.

use super::{Own, state};
use crate::common::{ERR_INVALID_ARG, FAIL, SUCCESS, code, fill, give, int, text};
use pmi_shm::wire::Service;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Info_PutNodeAttr(name: *const c_char, value: *const c_char) -> c_int {
    // SAFETY: two C strings, as pmi2.h has it.
    let (Ok(name), Ok(value)) = (unsafe { (text(name), text(value)) }) else {
        return ERR_INVALID_ARG;
    };
    // The first value stays.
    let own = |own: &mut Box<Own>| Some(own.node.entry(name.to_vec()).or_insert_with(|| value.to_vec()).len());
    code(state().job.ask(|pmi| pmi.node_put(name, value).map(|()| value.len()), own))
}

/// The result of a look-up.
type Found = Result<Option<Vec<u8>>, c_int>;

unsafe fn node_attr(name: *const c_char, wait: bool) -> Found {
    // SAFETY: a C string, as pmi2.h has it.
    let name = unsafe { text(name) }?;
    state().job.ask(|pmi| pmi.node_get(name, wait), |own| Some(own.node.get(name).cloned()))
}

unsafe fn job_attr(name: *const c_char) -> Found {
    // SAFETY: a C string, as pmi2.h has it.
    let name = unsafe { text(name) }?;
    let own = match name {
        b"universeSize" => Some("1"),
        b"PMI_process_mapping" => Some("(vector,(0,1,1))"),
        _ => None,
    };
    state().job.ask(|pmi| pmi.job_attr(&String::from_utf8_lossy(name)), |_| Some(own.map(Vec::from)))
}

/// Writes a text for the caller. It is cut off where it does not fit.
unsafe fn give_text(value: Found, out: *mut c_char, len: c_int, found: *mut c_int) -> c_int {
    if let Ok(Some(value)) = &value {
        // SAFETY: `len` bytes, as pmi2.h has it.
        unsafe { fill(out, len, value) };
    }
    // SAFETY: a place for a number, as pmi2.h has it.
    unsafe { give(found, value.map(|value| c_int::from(value.is_some()))) }
}

/// Writes decimal numbers that are separated by commas. `outlen` is how many there are; those that fit are written.
unsafe fn give_numbers(
    value: Found,
    array: *mut c_int,
    arraylen: c_int,
    outlen: *mut c_int,
    found: *mut c_int,
) -> c_int {
    let value = match value {
        Ok(value) => value,
        Err(code) => return code,
    };
    let list = String::from_utf8_lossy(value.as_deref().unwrap_or_default()).into_owned();
    let numbers: Result<Vec<c_int>, _> =
        list.split(',').map(str::trim).filter(|t| !t.is_empty()).map(str::parse).collect();
    let Ok(numbers) = numbers else {
        return FAIL;
    };
    if array.is_null() {
        return ERR_INVALID_ARG;
    }
    for (i, number) in numbers.iter().take(usize::try_from(arraylen).unwrap_or(0)).enumerate() {
        // SAFETY: below `arraylen`, for which the caller says there is room.
        unsafe { array.add(i).write(*number) };
    }
    // SAFETY: two places for a number, as pmi2.h has it. A code other than SUCCESS keeps its bits.
    unsafe { give(outlen, Ok(int(numbers.len()))) | give(found, Ok(c_int::from(value.is_some()))) }
}

handed! {
    PMI2_Info_GetNodeAttr(name: *const c_char, value: *mut c_char, valuelen: c_int, found: *mut c_int, waitfor: c_int)
        = give_text(node_attr(name, waitfor != 0), value, valuelen, found);
    PMI2_Info_GetNodeAttrIntArray(name: *const c_char, array: *mut c_int, arraylen: c_int, outlen: *mut c_int,
        found: *mut c_int) = give_numbers(node_attr(name, false), array, arraylen, outlen, found);
    PMI2_Info_GetJobAttr(name: *const c_char, value: *mut c_char, valuelen: c_int, found: *mut c_int)
        = give_text(job_attr(name), value, valuelen, found);
    PMI2_Info_GetJobAttrIntArray(name: *const c_char, array: *mut c_int, arraylen: c_int, outlen: *mut c_int,
        found: *mut c_int) = give_numbers(job_attr(name), array, arraylen, outlen, found);
}

/// The port of a look-up; it is empty for other actions.
unsafe fn name(act: Service, service: *const c_char, port: *const c_char) -> Result<Vec<u8>, c_int> {
    // SAFETY: C strings, as pmi2.h has it.
    let (service, port) = unsafe { (text(service)?, text(port).unwrap_or_default()) };
    // Without a launcher no other process could look it up.
    state().job.ask(|pmi| pmi.name(act, service, port), |_| None)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Nameserv_publish(
    service_name: *const c_char,
    _info_ptr: *const c_void,
    port: *const c_char,
) -> c_int {
    if port.is_null() {
        return ERR_INVALID_ARG;
    }
    // SAFETY: handed through.
    code(unsafe { name(Service::Publish, service_name, port) })
}

handed! {
    PMI2_Nameserv_lookup(service_name: *const c_char, _info_ptr: *const c_void, port: *mut c_char, port_len: c_int)
        = match name(Service::Lookup, service_name, null()) {
            Ok(found) if fill(port, port_len, &found) != SUCCESS => FAIL,
            found => code(found),
        };
    PMI2_Nameserv_unpublish(service_name: *const c_char, _info_ptr: *const c_void)
        = code(name(Service::Unpublish, service_name, null()));
}
