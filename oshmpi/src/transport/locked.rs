//! AMOs on statics that are not mapped, which the kernel or a window reaches. Neither has atomic operations that work
//! everywhere (Open MPI 4.1.4 crashes in a compare-and-swap on the caller's rank). So all AMOs, the owner's too, take a
//! lock on the owner's control page: each word has one executor.

use crate::memory::local::{Dest, Source};
use crate::memory::node::Node;
use crate::sync::amo_lock;

/// Runs `op` on a copy of a word of `len` bytes, 8 at most, of the PE in `slot`. Writes the copy back only if `op` has
/// changed it, so that a fetch does not undo a put that comes at the same time. All AMOs on that PE's statics run one
/// after the other. Returns what `op` returned.
pub(crate) fn amo<R, E>(
    node: &Node,
    slot: usize,
    len: usize,
    read: impl FnOnce(Dest) -> Result<(), E>,
    write: impl FnOnce(Source) -> Result<(), E>,
    op: impl FnOnce(*mut u64) -> R,
) -> Result<R, E> {
    assert!(len <= size_of::<u64>());
    amo_lock::alone(node.amo_lock(slot), &node.waiter(), || {
        let mut word = 0u64;
        let at = &raw mut word;
        // SAFETY: a local variable of 8 bytes, which is at least `len`. It stays until `read` has returned.
        read(unsafe { Dest::of::<u8>(at.cast(), len) })?;
        // SAFETY: the same variable. Any bytes that `read` has written are a number.
        let before = unsafe { at.read() };
        let result = op(at);
        // SAFETY: as above, with the bytes that `op` has written.
        if before == unsafe { at.read() } {
            return Ok(result);
        }
        // SAFETY: the same variable, which stays until `write` has returned.
        write(unsafe { Source::of::<u8>(at.cast_const().cast(), len) }).map(|()| result)
    })
}
