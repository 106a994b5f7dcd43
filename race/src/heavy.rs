//! A fence for the threads of all processes of the node, made by one of them: each of the others has had a full fence
//! at some point during the call. So who seldom looks at what another one writes often pays for both.
//!
//! Linux has it as `membarrier`. Where there is none, no page has an owner: see [`crate::owned`].

use std::sync::OnceLock;

/// Of `<linux/membarrier.h>`.
const GLOBAL_EXPEDITED: i64 = 1 << 1;
const REGISTER_GLOBAL_EXPEDITED: i64 = 1 << 2;

fn membarrier(command: i64) -> bool {
    // SAFETY: the call has no effect on memory.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Whether heavy fences of others reach this process.
pub fn reaches_here() -> bool {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    *REGISTERED.get_or_init(|| cfg!(miri) || membarrier(REGISTER_GLOBAL_EXPEDITED))
}

/// All registered threads have had a fence when this returns.
pub fn fence() {
    // Miri knows no membarrier, and runs no test here that needs its fence in another thread.
    if !cfg!(miri) && !membarrier(GLOBAL_EXPEDITED) {
        // Cannot be where another process could register. A processor's store buffer is empty after much less.
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}
