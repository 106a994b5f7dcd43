//! Attributes of node and job, and names of services.

use super::{ERR_INIT, ERR_INVALID_ARG, FAIL, Job, SUCCESS, code, state};
use crate::common::{fill, int, set, text};
use pmi_shm::Error;
use pmi_shm::wire::Service;
use std::ffi::{c_char, c_int, c_void};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Info_PutNodeAttr(name: *const c_char, value: *const c_char) -> c_int {
    // SAFETY: two C strings, as pmi2.h has it.
    let (Some(name), Some(value)) = (unsafe { (text(name), text(value)) }) else {
        return ERR_INVALID_ARG;
    };
    match &mut state().job {
        Job::Out => ERR_INIT,
        Job::Launched(pmi) => code(pmi.node_put(name, value)),
        Job::Alone(solo) => {
            // The first value stays.
            solo.node.entry(name.to_vec()).or_insert_with(|| value.to_vec());
            SUCCESS
        }
    }
}

/// What a look-up found.
type Found = Result<Option<Vec<u8>>, c_int>;

unsafe fn node_attr(name: *const c_char, wait: bool) -> Found {
    // SAFETY: a C string, as pmi2.h has it.
    let name = unsafe { text(name) }.ok_or(ERR_INVALID_ARG)?;
    match &mut state().job {
        Job::Out => Err(ERR_INIT),
        Job::Launched(pmi) => pmi.node_get(name, wait).map_err(|_| FAIL),
        Job::Alone(solo) => Ok(solo.node.get(name).cloned()),
    }
}

unsafe fn job_attr(name: *const c_char) -> Found {
    // SAFETY: a C string, as pmi2.h has it.
    let name = unsafe { text(name) }.ok_or(ERR_INVALID_ARG)?;
    match &mut state().job {
        Job::Out => Err(ERR_INIT),
        Job::Launched(pmi) => pmi.job_attr(&String::from_utf8_lossy(name)).map_err(|_| FAIL),
        Job::Alone(_) if name == b"universeSize" => Ok(Some(b"1".to_vec())),
        Job::Alone(_) if name == b"PMI_process_mapping" => Ok(Some(b"(vector,(0,1,1))".to_vec())),
        Job::Alone(_) => Ok(None),
    }
}

/// A text for the caller, cut off where it does not fit.
unsafe fn give(value: Found, out: *mut c_char, len: c_int, found: *mut c_int) -> c_int {
    let value = match value {
        Ok(value) => value,
        Err(code) => return code,
    };
    // SAFETY: a place for a number and `len` bytes, as pmi2.h has it.
    let done = unsafe {
        if let Some(value) = &value {
            fill(out, len, value);
        }
        set(found, c_int::from(value.is_some()))
    };
    if done { SUCCESS } else { ERR_INVALID_ARG }
}

/// Decimal numbers with commas for the caller. `outlen` is how many there are; those that fit are written.
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
    // SAFETY: two places for a number, as pmi2.h has it.
    let done = unsafe { set(outlen, int(numbers.len())) & set(found, c_int::from(value.is_some())) };
    if done { SUCCESS } else { ERR_INVALID_ARG }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Info_GetNodeAttr(
    name: *const c_char,
    value: *mut c_char,
    valuelen: c_int,
    found: *mut c_int,
    waitfor: c_int,
) -> c_int {
    // SAFETY: handed through.
    unsafe { give(node_attr(name, waitfor != 0), value, valuelen, found) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Info_GetNodeAttrIntArray(
    name: *const c_char,
    array: *mut c_int,
    arraylen: c_int,
    outlen: *mut c_int,
    found: *mut c_int,
) -> c_int {
    // SAFETY: handed through.
    unsafe { give_numbers(node_attr(name, false), array, arraylen, outlen, found) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Info_GetJobAttr(
    name: *const c_char,
    value: *mut c_char,
    valuelen: c_int,
    found: *mut c_int,
) -> c_int {
    // SAFETY: handed through.
    unsafe { give(job_attr(name), value, valuelen, found) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Info_GetJobAttrIntArray(
    name: *const c_char,
    array: *mut c_int,
    arraylen: c_int,
    outlen: *mut c_int,
    found: *mut c_int,
) -> c_int {
    // SAFETY: handed through.
    unsafe { give_numbers(job_attr(name), array, arraylen, outlen, found) }
}

unsafe fn name(act: Service, service: *const c_char, port: *const c_char) -> Result<Vec<u8>, c_int> {
    // SAFETY: C strings, as pmi2.h has it.
    let (service, port) = unsafe { (text(service), text(port)) };
    let service = service.ok_or(ERR_INVALID_ARG)?;
    match &mut state().job {
        Job::Out => Err(ERR_INIT),
        Job::Launched(pmi) => pmi.name(act, service, port.unwrap_or_default()).map_err(|_: Error| FAIL),
        // Nobody could look it up.
        Job::Alone(_) => Err(FAIL),
    }
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
    unsafe { name(Service::Publish, service_name, port) }.map_or_else(|code| code, |_| SUCCESS)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Nameserv_lookup(
    service_name: *const c_char,
    _info_ptr: *const c_void,
    port: *mut c_char,
    port_len: c_int,
) -> c_int {
    // SAFETY: handed through.
    match unsafe { name(Service::Lookup, service_name, std::ptr::null()) } {
        // SAFETY: `port_len` bytes, as pmi2.h has it.
        Ok(found) => code(unsafe { fill(port, port_len, &found) }.then_some(()).ok_or(())),
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMI2_Nameserv_unpublish(service_name: *const c_char, _info_ptr: *const c_void) -> c_int {
    // SAFETY: handed through.
    unsafe { name(Service::Unpublish, service_name, std::ptr::null()) }.map_or_else(|code| code, |_| SUCCESS)
}
