//! The calls that a thread is in: their return addresses, by the tables for unwinding that compilers make.

use core::ffi::c_void;

/// A local of a routine, or of a branch of it, that may wait or find a mistake. The compiler cannot replace the
/// routine's frame by that of its last call, because something follows the call, although it is no instruction. So
/// debuggers and reports find the routine on the stack.
pub(crate) struct Frame;

impl Drop for Frame {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: no instruction at all.
        unsafe { core::arch::asm!("", options(nomem, nostack, preserves_flags)) };
    }
}

#[repr(C)]
struct Context {
    _opaque: [u8; 0],
}

type Visit = extern "C" fn(context: *mut Context, into: *mut c_void) -> i32;

unsafe extern "C" {
    fn _Unwind_Backtrace(visit: Visit, into: *mut c_void) -> i32;
    fn _Unwind_GetIP(context: *mut Context) -> usize;
}

/// Goes on to the next frame.
const NO_REASON: i32 = 0;
/// Ends the walk.
const END_OF_STACK: i32 = 5;

struct Walk<'a> {
    frames: &'a mut [u64],
    n: usize,
}

/// Writes the return addresses of the calls that this thread is in, the innermost first, and gives their number. It
/// takes some microseconds. The walk ends early at code without tables.
#[inline(never)]
pub(crate) fn of_this_thread(frames: &mut [u64]) -> usize {
    let mut found = Walk { frames, n: 0 };
    // SAFETY: `visit` takes a `Walk`, which is what it is given; `found` outlives the call, and nobody else uses it.
    unsafe { _Unwind_Backtrace(visit, (&raw mut found).cast()) };
    found.n
}

extern "C" fn visit(context: *mut Context, into: *mut c_void) -> i32 {
    // SAFETY: the unwinder passes the context of a frame, and the pointer that `of_this_thread` has given it.
    let (found, at) = unsafe { (&mut *into.cast::<Walk<'_>>(), _Unwind_GetIP(context)) };
    match found.frames.get_mut(found.n) {
        Some(frame) if at != 0 => {
            *frame = at as u64;
            found.n += 1;
            NO_REASON
        }
        _ => END_OF_STACK,
    }
}
