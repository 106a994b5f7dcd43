//! The symmetric heap through Cray pointers: an address is an 8-byte INTEGER. Lengths are in words of 32 bits.

use super::args::{Argument, Int, IntegerKind, Value};
use crate::diag::fatal;
use crate::ops::heap::{self, Lookup};
use crate::state;
use core::ffi::{c_int, c_void};

/// Alignment that suits any type.
const ANY: usize = 16;
/// Bytes of a word: lengths are in words.
const WORD: usize = 4;

/// Error codes of the standard's shpalloc, shpdeallc and shpclmove.
const BAD_LENGTH: c_int = -1;
/// The heap has no room.
const NO_MEMORY: c_int = -2;
/// The address is outside of the heap.
const OUTSIDE: c_int = -3;
/// The address is in no block.
const FREE: c_int = -4;
/// The address is inside a block, behind its begin.
const INSIDE: c_int = -5;

/// Bytes of `length` words. A product that overflows becomes a length that is too long for any heap.
fn bytes<K: IntegerKind>(length: K) -> Result<usize, c_int> {
    match usize::try_from(length.wide()) {
        Ok(words) if words > 0 => Ok(words.saturating_mul(WORD)),
        _ => Err(BAD_LENGTH),
    }
}

/// The offset at which a block begins. All PEs find the same one, because the heap's state is equal on all.
fn block(routine: &str, addr: usize) -> Result<*mut c_void, c_int> {
    match heap::look_up(routine, addr) {
        Lookup::Block => Ok(addr as *mut c_void),
        Lookup::Inside => Err(INSIDE),
        Lookup::Free => Err(FREE),
        Lookup::Outside => Err(OUTSIDE),
    }
}

/// Stores the status, or ends the job with a line if `abort` asks for it.
///
/// # Safety
/// `status` can be written.
unsafe fn report<K: IntegerKind>(routine: &str, done: Result<c_int, c_int>, status: *mut K, abort: c_int) {
    let code = match done {
        Ok(code) => code,
        Err(code) if abort != 0 => fatal(
            routine,
            match code {
                BAD_LENGTH => "length is not positive",
                NO_MEMORY => "the symmetric heap has no room for it; SHMEM_SYMMETRIC_SIZE makes it larger",
                OUTSIDE => "addr does not point into the symmetric heap",
                FREE => "addr points to memory that is free",
                _ => "addr points into a block, not to its begin",
            },
        ),
        Err(code) => code,
    };
    // SAFETY: the caller passes a variable of kind `K`.
    unsafe { status.write_unaligned(K::from_int(code)) }
}

unsafe fn alloc<K: IntegerKind>(routine: &'static str, addr: *mut usize, length: K, errcode: *mut K, abort: c_int) {
    let done = bytes(length).and_then(|size| {
        let at = heap::alloc(routine, size, ANY, false);
        // SAFETY: the caller passes a pointer variable.
        unsafe { addr.write_unaligned(at as usize) };
        if at.is_null() { Err(NO_MEMORY) } else { Ok(0) }
    });
    // SAFETY: the Fortran caller passes a variable of kind `K` for the code.
    unsafe { report(routine, done, errcode, abort) }
}

unsafe fn dealloc<K: IntegerKind>(routine: &'static str, addr: usize, errcode: *mut K, abort: c_int) {
    let done = match state::is_child() {
        true => Ok(0), // a forked child does not free the parent's block
        false => block(routine, addr).map(|at| {
            heap::free(routine, at);
            0
        }),
    };
    // SAFETY: the Fortran caller passes a variable of kind `K` for the code.
    unsafe { report(routine, done, errcode, abort) }
}

/// Changes the length of a block. The status is 0 if the block stays in place, 1 if it has moved, negative after an
/// error.
unsafe fn change<K: IntegerKind>(routine: &'static str, addr: *mut usize, length: K, status: *mut K, abort: c_int) {
    // SAFETY: the caller passes a pointer variable.
    let old = unsafe { addr.read_unaligned() };
    let done = bytes(length).and_then(|size| {
        let at = heap::realloc(routine, block(routine, old)?, size);
        if at.is_null() {
            return Err(NO_MEMORY);
        }
        // SAFETY: as above.
        unsafe { addr.write_unaligned(at as usize) };
        Ok(c_int::from(at as usize != old))
    });
    // SAFETY: the Fortran caller passes a variable of kind `K` for the code.
    unsafe { report(routine, done, status, abort) }
}

f_routine! { f_names_short "shpalloc" = fn(addr: *mut usize, length: Value<K>, errcode: *mut K, abort: Int<K>) {
    // SAFETY: the Fortran caller passes variables of these types.
    unsafe { alloc::<K>(NAME, addr, length.value(NAME, "length"), errcode, abort.value(NAME, "abort")) }
} }
f_routine! { f_names_short "shpdeallc" = fn(addr: Value<usize>, errcode: *mut K, abort: Int<K>) {
    // SAFETY: as above.
    unsafe { dealloc::<K>(NAME, addr.value(NAME, "addr"), errcode, abort.value(NAME, "abort")) }
} }
f_routine! { f_names_short "shpclmove" = fn(addr: *mut usize, length: Value<K>, status: *mut K, abort: Int<K>) {
    // SAFETY: as above.
    unsafe { change::<K>(NAME, addr, length.value(NAME, "length"), status, abort.value(NAME, "abort")) }
} }
