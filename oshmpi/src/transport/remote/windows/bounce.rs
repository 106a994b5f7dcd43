//! Memory for the sources of operations whose call does not wait until MPI has taken them.

/// Bytes. Short operations fill it some thousand times before anybody has to wait.
const SIZE: usize = 256 << 10;
const ALIGN: usize = 8;

pub(super) struct Bounce {
    /// In words, so that operands are aligned.
    mem: Box<[u64]>,
    used: usize,
}

impl Bounce {
    pub(super) fn new() -> Bounce {
        // Zeroed pages: touched when used.
        Bounce { mem: vec![0; SIZE / ALIGN].into_boxed_slice(), used: 0 }
    }

    /// `len` bytes that nobody uses; None when what was handed out must be given back first.
    pub(super) fn take(&mut self, len: usize) -> Option<*mut u8> {
        let len = len.next_multiple_of(ALIGN);
        if SIZE - self.used < len {
            return None;
        }
        let at = self.mem.as_mut_ptr().cast::<u8>().wrapping_add(self.used);
        self.used += len;
        Some(at)
    }

    /// Everything that was handed out is free again; takes `len` bytes.
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
        /// What is handed out is aligned, inside, and apart until the reset.
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
