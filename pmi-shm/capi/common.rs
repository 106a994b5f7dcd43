//! What both libraries need at the border to C.

use pmi_shm::client::Ender;
use std::ffi::{CStr, c_char, c_int};
use std::sync::Mutex;

/// The bytes of a C string; `None` for a null pointer.
///
/// # Safety
/// `p` is null or points to a C string that stays as it is for `'a`.
pub(crate) unsafe fn text<'a>(p: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: not null, and the caller promises the rest.
    (!p.is_null()).then(|| unsafe { CStr::from_ptr(p) }.to_bytes())
}

/// Writes `value` and a NUL into `len` bytes at `out`, cut off where it does not fit. True: it fitted.
///
/// # Safety
/// `out` is null or `len` bytes can be written there.
pub(crate) unsafe fn fill(out: *mut c_char, len: c_int, value: &[u8]) -> bool {
    let Some(room) = usize::try_from(len).ok().and_then(|n| n.checked_sub(1)).filter(|_| !out.is_null()) else {
        return false;
    };
    let part = &value[..value.len().min(room)];
    // SAFETY: part and its NUL are at most `len` bytes, which the caller says are there; a slice of ours cannot overlap
    // them.
    unsafe {
        out.copy_from_nonoverlapping(part.as_ptr().cast(), part.len());
        out.add(part.len()).write(0);
    }
    part.len() == value.len()
}

/// Writes a number if there is a place for it. True: there is.
///
/// # Safety
/// `out` is null or a `T` can be written there.
pub(crate) unsafe fn set<T>(out: *mut T, value: T) -> bool {
    if out.is_null() {
        return false;
    }
    // SAFETY: not null, and the caller promises the rest.
    unsafe { out.write(value) };
    true
}

/// A length or count as C has it.
pub(crate) fn int(n: usize) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

/// How the job can be ended, while this process is in it. Not behind the lock that a call holds while it waits for other ranks: they
/// may be what an abort is for.
static ENDER: Mutex<Option<Ender>> = Mutex::new(None);

/// From now on the job is ended like this, or cannot be.
pub(crate) fn end_by(ender: Option<Ender>) {
    *ENDER.lock().unwrap_or_else(|e| e.into_inner()) = ender;
}

/// Ends the job, if this process is in one, and the process.
pub(crate) fn abort(code: c_int, message: &str) -> ! {
    let ender = ENDER.lock().unwrap_or_else(|e| e.into_inner()).clone();
    if let Some(ender) = ender {
        ender.end_job(code, message);
    }
    leave(code)
}

/// Ends the process at once: the launcher has been told to end the job, and handlers of the program could hang on it.
fn leave(code: c_int) -> ! {
    // SAFETY: _exit does not return and touches nothing of ours.
    unsafe { libc::_exit(code) }
}
