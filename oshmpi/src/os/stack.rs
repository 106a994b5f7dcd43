//! The stack of the calling thread.

use core::mem::MaybeUninit;

/// Bytes that the calls of this thread may still take. None: it runs on a stack of the program's own, or the system
/// does not tell.
pub(crate) fn left() -> Option<usize> {
    let here = 0u8;
    let here = (&raw const here).addr();
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: the attributes are written by the first call, read if it has succeeded, and then destroyed.
    let (begin, size) = unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let (mut begin, mut size) = (core::ptr::null_mut(), 0);
        let failed = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut begin, &raw mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        if failed != 0 {
            return None;
        }
        (begin.addr(), size)
    };
    here.checked_sub(begin).filter(|left| *left < size)
}
