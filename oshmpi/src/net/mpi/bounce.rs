//! The bounce buffer: copies of sources and operands whose calls do not wait until MPI has read them.

use core::ptr::NonNull;

/// Bytes of the buffer. It holds some thousand short operations before a call has to wait. A larger one takes more
/// memory per PE.
const SIZE: usize = 256 << 10;
const ALIGN: usize = 8;

pub(super) struct Bounce {
    /// `SIZE` bytes, as words, so that operands are aligned. They are there to the end of the process. A pointer: MPI
    /// reads copies through it while later ones are taken.
    mem: NonNull<u64>,
    used: usize,
}

// SAFETY: nobody else has the memory, and any thread may use it.
unsafe impl Send for Bounce {}

impl Bounce {
    pub(super) fn new() -> Bounce {
        // Zeroed pages take memory only when they are used.
        let words: &'static mut [u64] = Box::leak(vec![0; SIZE / ALIGN].into_boxed_slice());
        Bounce { mem: NonNull::from(words).cast(), used: 0 }
    }

    /// `len` unused bytes. None: the buffer is full, and [`Bounce::reset`] is needed first.
    pub(super) fn take(&mut self, len: usize) -> Option<*mut u8> {
        let len = len.next_multiple_of(ALIGN);
        if SIZE - self.used < len {
            return None;
        }
        let at = self.mem.as_ptr().cast::<u8>().wrapping_add(self.used);
        self.used += len;
        Some(at)
    }

    /// Frees everything that was taken, and takes `len` bytes. MPI must have read all copies.
    pub(super) fn reset(&mut self, len: usize) -> *mut u8 {
        self.used = 0;
        self.take(len).expect("what is copied aside fits into the empty buffer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Ranges that are taken are aligned, inside the buffer, and disjoint until a reset.
        #[test]
        fn pieces_are_apart(lens in prop::collection::vec(1usize..8193, 1..300)) {
            let mut bounce = Bounce::new();
            let base = bounce.mem.as_ptr() as usize;
            let mut end = base;
            for len in lens {
                let at = match bounce.take(len) {
                    Some(at) => at as usize,
                    None => {
                        end = base;
                        bounce.reset(len) as usize
                    }
                };
                prop_assert!(at >= end && at % ALIGN == 0 && at + len <= base + SIZE);
                end = at + len;
            }
        }
    }
}
