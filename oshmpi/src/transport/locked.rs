//! AMOs on statics that are not mapped, by kernel or by window. Neither has an atomic operation that works everywhere
//! (Open MPI 4.1.4 crashes in a compare-and-swap on the own rank), so all of them, the owner's own included, take a
//! lock on the owner's control page: one executor per word.

use crate::memory::node::Node;
use crate::sync::amo_lock;
use core::mem::MaybeUninit;

/// Runs `op` on a copy of a word of the PE at `index` and writes the copy back if that has changed it, alone among all AMOs on that
/// PE's statics: a fetch must not undo a put that comes at the same time. Returns what `op` returned.
pub(crate) fn amo<T: Copy, R, E>(
    node: &Node,
    index: usize,
    read: impl FnOnce(*mut u8) -> Result<(), E>,
    write: impl FnOnce(*const u8) -> Result<(), E>,
    op: impl FnOnce(*mut T) -> R,
) -> Result<R, E> {
    amo_lock::alone(node.amo_lock(index), &node.waiter(), || {
        let mut word = MaybeUninit::<T>::uninit();
        read(word.as_mut_ptr().cast())?;
        let before = word;
        let result = op(word.as_mut_ptr());
        if bytes(&before) == bytes(&word) { Ok(result) } else { write(word.as_ptr().cast()).map(|()| result) }
    })
}

/// The bytes of a word that has been read.
fn bytes<T: Copy>(word: &MaybeUninit<T>) -> &[u8] {
    // SAFETY: every byte of it came from the word, which is a number without gaps.
    unsafe { core::slice::from_raw_parts(word.as_ptr().cast(), size_of::<T>()) }
}
