//! The border to C.

use pmi_shm::Error;
use pmi_shm::client::AbortHandle;
use std::ffi::{CStr, c_char, c_int};
use std::sync::Mutex;

pub(crate) const SUCCESS: c_int = 0;
pub(crate) const FAIL: c_int = -1;
pub(crate) const ERR_INIT: c_int = 1;
pub(crate) const ERR_INVALID_ARG: c_int = 3;
pub(crate) const ERR_INVALID_KEY_LENGTH: c_int = 5;
pub(crate) const ERR_INVALID_VAL_LENGTH: c_int = 7;
pub(crate) const ERR_INVALID_LENGTH: c_int = 8;

/// The job of this process.
pub(crate) enum Job<L, S> {
    /// Before the library is initialised, or after it is finalised.
    Out,
    Launched(Box<L>),
    /// There is no launcher: a job of one process, with the values that it has put.
    Singleton(S),
}

impl<L, S> Job<L, S> {
    /// The answer of the launcher or, without a launcher, of this process. The error is a code for the caller.
    pub(crate) fn ask<T>(
        &mut self,
        launched: impl FnOnce(&mut L) -> Result<T, Error>,
        singleton: impl FnOnce(&mut S) -> Option<T>,
    ) -> Result<T, c_int> {
        match self {
            Job::Out => Err(ERR_INIT),
            Job::Launched(pmi) => launched(pmi).map_err(|_| FAIL),
            Job::Singleton(own) => singleton(own).ok_or(FAIL),
        }
    }
}

/// Functions that take no pointer that they use: `NAME(types) = code;`.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($t:ty),*) = $code:expr;)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($(_: $t),*) -> c_int {
            $code
        }
    )* };
}

/// Functions that hand the caller's pointers on: `NAME(arguments) = code;`.
macro_rules! handed {
    ($($(#[$doc:meta])* $name:ident($($a:ident: $t:ty),*) = $code:expr;)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($a: $t),*) -> c_int {
            // SAFETY: the prototype in the header says what a caller's pointer must be, and no more is asked here.
            unsafe { $code }
        }
    )* };
}

/// The code for a result.
pub(crate) fn code<T>(result: Result<T, c_int>) -> c_int {
    result.map_or_else(|code| code, |_| SUCCESS)
}

/// The bytes of a C string, or the code for a null pointer.
///
/// # Safety
/// `p` is null or points to a C string that does not change for `'a`.
pub(crate) unsafe fn text<'a>(p: *const c_char) -> Result<&'a [u8], c_int> {
    if p.is_null() {
        return Err(ERR_INVALID_ARG);
    }
    // SAFETY: not null, and the caller promises the rest.
    Ok(unsafe { CStr::from_ptr(p) }.to_bytes())
}

/// Writes `value` and a NUL into `len` bytes at `out`. A value that does not fit is cut off, and then the code says so.
///
/// # Safety
/// `out` is null or `len` bytes can be written there.
pub(crate) unsafe fn fill(out: *mut c_char, len: c_int, value: &[u8]) -> c_int {
    if out.is_null() {
        return ERR_INVALID_ARG;
    }
    let Some(room) = usize::try_from(len).ok().and_then(|n| n.checked_sub(1)) else {
        return ERR_INVALID_LENGTH;
    };
    let part = &value[..value.len().min(room)];
    // SAFETY: part and its NUL are at most `len` bytes, which the caller says are there. Memory of this library cannot
    // overlap them.
    unsafe {
        out.copy_from_nonoverlapping(part.as_ptr().cast(), part.len());
        out.add(part.len()).write(0);
    }
    if part.len() == value.len() { SUCCESS } else { ERR_INVALID_LENGTH }
}

/// Writes a text as `fill` does, or returns why there is none.
///
/// # Safety
/// As for `fill`.
pub(crate) unsafe fn fill_with(out: *mut c_char, len: c_int, value: Result<impl AsRef<[u8]>, c_int>) -> c_int {
    match value {
        // SAFETY: the caller promises it.
        Ok(value) => unsafe { fill(out, len, value.as_ref()) },
        Err(code) => code,
    }
}

/// Writes a number for the caller, or returns why there is none.
///
/// # Safety
/// `out` is null or a `T` can be written there.
pub(crate) unsafe fn give<T>(out: *mut T, value: Result<T, c_int>) -> c_int {
    match value {
        Ok(_) if out.is_null() => ERR_INVALID_ARG,
        Ok(value) => {
            // SAFETY: not null, and the caller promises the rest.
            unsafe { out.write(value) };
            SUCCESS
        }
        Err(code) => code,
    }
}

/// A length or count for C.
pub(crate) fn int(n: usize) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

/// The call that ends the job, while this process is in it. A call of the library holds the job's lock while it waits
/// for other ranks, and an abort may be needed because of them, so the handle is not behind that lock.
static ABORT: Mutex<Option<AbortHandle>> = Mutex::new(None);

pub(crate) fn abort_by(handle: Option<AbortHandle>) {
    *ABORT.lock().unwrap_or_else(|e| e.into_inner()) = handle;
}

/// Ends the job, if this process is in one, and the process. Exit handlers are not run: the launcher has been told to
/// end the job, and a handler of the program could wait for other ranks.
pub(crate) fn abort(code: c_int, message: &str) -> ! {
    let handle = ABORT.lock().unwrap_or_else(|e| e.into_inner()).clone();
    if let Some(handle) = handle {
        handle.abort(code, message);
    }
    // SAFETY: _exit does not return, and uses no memory of this process.
    unsafe { libc::_exit(code) }
}
