//! The atomic memory operations (AMOs) as values, and how a CPU carries one out.

use super::node::Int;
use crate::sync::atomics::AtomicU32;
use crate::sync::{Wait, amo_lock};

/// What an AMO does to a word, with one operand. Words have 4 or 8 bytes: signed and unsigned integers, and
/// floating-point numbers, which are only stored, swapped or read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Fetch,
    /// Set and swap.
    Store,
    Add,
    And,
    Or,
    Xor,
}

/// An AMO with its operands, which are the low bytes of the numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Amo {
    Op(Op, u64),
    CompareSwap { cond: u64, value: u64 },
}

impl Amo {
    /// Whether the AMO may change the word.
    pub(crate) fn changes(self) -> bool {
        !matches!(self, Amo::Op(Op::Fetch, _))
    }

    /// Whether the CPU needs a loop for the AMO if the old value is wanted, because it has no single instruction for
    /// it.
    pub(crate) fn is_loop(self) -> bool {
        matches!(self, Amo::Op(Op::And | Op::Or | Op::Xor, _))
    }

    /// Carries the AMO out by the CPU, on the word of `bytes` bytes at `at`. Returns the old value.
    ///
    /// # Safety
    /// `at` is a word of 4 or 8 bytes, mapped and naturally aligned, that only atomics change meanwhile.
    pub(crate) unsafe fn by_cpu(self, at: usize, bytes: usize) -> u64 {
        // SAFETY: the caller promises a word of this width; `u32` and `u64` are the two widths there are.
        unsafe {
            match bytes {
                4 => self.on_word(at as *mut u32),
                _ => self.on_word(at as *mut u64),
            }
        }
    }

    /// # Safety
    /// As for [`Amo::by_cpu`].
    unsafe fn on_word<T: Int>(self, at: *mut T) -> u64 {
        let of = T::of_bits;
        // SAFETY: the caller promises a mapped and aligned word of type `T`.
        unsafe {
            match self {
                Amo::Op(Op::Fetch, _) => T::fetch(at),
                Amo::Op(Op::Store, value) => T::swap(at, of(value)),
                Amo::Op(Op::Add, value) => T::add(at, of(value)),
                Amo::Op(Op::And, value) => T::and(at, of(value)),
                Amo::Op(Op::Or, value) => T::or(at, of(value)),
                Amo::Op(Op::Xor, value) => T::xor(at, of(value)),
                Amo::CompareSwap { cond, value } => T::compare_swap(at, of(cond), of(value)),
            }
            .bits()
        }
    }
}

/// Runs `op` on a copy of a word of 8 bytes at most, under the lock that all AMOs on the word take. `get` reads the
/// word and `put` writes it. Writes the copy back only if `op` has changed it, so that a fetch does not undo a put that
/// comes at the same time. Returns what `op` returned.
pub(super) fn on_copy<R, E>(
    lock: &AtomicU32,
    wait: &impl Wait,
    op: impl FnOnce(*mut u64) -> R,
    get: impl FnOnce(*mut u64) -> Result<(), E>,
    put: impl FnOnce(*const u64) -> Result<(), E>,
) -> Result<R, E> {
    amo_lock::alone(lock, wait, || {
        let mut word = 0u64;
        let at = &raw mut word;
        get(at)?;
        // SAFETY: a local variable. Any bytes that `get` has written are a number.
        let before = unsafe { at.read() };
        let result = op(at);
        // SAFETY: as above, with the bytes that `op` has written.
        if before == unsafe { at.read() } {
            return Ok(result);
        }
        put(at).map(|()| result)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_on_both_widths() {
        let steps = [
            (Amo::Op(Op::Store, 12), 0),
            (Amo::Op(Op::Add, u64::MAX), 12),
            (Amo::Op(Op::And, 0b1110), 11),
            (Amo::Op(Op::Or, 1), 10),
            (Amo::Op(Op::Xor, 2), 11),
            (Amo::CompareSwap { cond: 1, value: 2 }, 9),
            (Amo::CompareSwap { cond: 9, value: 7 }, 9),
            (Amo::Op(Op::Fetch, 0), 7),
        ];
        for bytes in [4, 8] {
            let mut word = 0u64;
            for (amo, old) in steps {
                // SAFETY: a local word of 8 bytes, whose first 4 bytes are a word too. Nobody else has its address.
                assert_eq!(unsafe { amo.by_cpu(&raw mut word as usize, bytes) }, old, "{amo:?}");
            }
        }
        let mut half = [0u32, 5];
        // SAFETY: the first word of a local array.
        unsafe { Amo::Op(Op::Add, u64::MAX).by_cpu(half.as_mut_ptr() as usize, 4) };
        assert_eq!(half, [u32::MAX, 5], "a narrow word wraps by itself");
    }
}
