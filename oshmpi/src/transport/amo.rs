//! The atomic memory operations (AMOs) as values, and how a CPU carries one out.

use crate::sync::atomics::AtomicU32;
use crate::sync::plain::Plain;
use crate::sync::{Wait, amo_lock};
use core::sync::atomic::{self, Ordering};

/// A type of words. The low bytes of a number hold the bits of a word; the other bytes are ignored.
pub(crate) trait AmoWord: Plain {
    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
}

/// Types of words with all AMOs. An AMO gives a signed word the same bits as an unsigned one.
pub(crate) trait Int: AmoWord {}

macro_rules! ints {
    ($($t:ty)*) => { $(
        impl Int for $t {}
        impl AmoWord for $t {
            #[inline(always)]
            fn bits(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> $t {
                bits as $t
            }
        }
    )* };
}
ints! { i32 u32 i64 u64 isize usize }

macro_rules! floats {
    ($($t:ty as $bits:ty),*) => { $(
        impl AmoWord for $t {
            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> $t {
                <$t>::from_bits(bits as $bits)
            }
        }
    )* };
}
floats! { f32 as u32, f64 as u64 }

/// All AMOs of the CPU are sequentially consistent. On x86-64 they cost no more than weaker ones, and a lock that is
/// built from AMOs then orders what it protects. AArch64 has no cheaper instructions for a weaker order: `stlr`,
/// `ldar`, and read-modify-write with acquire and release.
///
/// SYNC put: an AMO releases what was put before it, and acquires what the word's last writer had put.
/// SYNC event-count: the load that looks for waiters after an AMO is sequentially consistent too, and does not pass it.
const AMO: Ordering = Ordering::SeqCst;

/// Carries an AMO out on an atomic word, and gives the old value.
macro_rules! on_word {
    ($amo:expr, $word:expr, $int:ty) => {
        u64::from(match $amo {
            Amo::Op(Op::Fetch, _) => $word.load(AMO),
            Amo::Op(Op::Store, value) => $word.swap(value as $int, AMO),
            Amo::Op(Op::Add, value) => $word.fetch_add(value as $int, AMO), // wraps
            Amo::Op(Op::And, value) => $word.fetch_and(value as $int, AMO),
            Amo::Op(Op::Or, value) => $word.fetch_or(value as $int, AMO),
            Amo::Op(Op::Xor, value) => $word.fetch_xor(value as $int, AMO),
            Amo::CompareSwap { cond, value } => {
                let (Ok(old) | Err(old)) = $word.compare_exchange(cond as $int, value as $int, AMO, AMO);
                old
            }
        })
    };
}

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
        // SAFETY: passed on to the caller.
        unsafe { self.on_word(at, bytes) }
    }

    /// As [`Amo::by_cpu`], on a word of this type. It is one instruction where the operation is known.
    ///
    /// # Safety
    /// As for [`Amo::by_cpu`].
    #[inline(always)]
    pub(crate) unsafe fn on<T: AmoWord>(self, at: *mut T) -> T {
        // SAFETY: passed on to the caller.
        T::of_bits(unsafe { self.on_word(at as usize, size_of::<T>()) })
    }

    /// As [`Amo::on`], where nobody wants the old value.
    ///
    /// # Safety
    /// As for [`Amo::by_cpu`].
    #[inline(always)]
    pub(crate) unsafe fn run<T: AmoWord>(self, at: *mut T) {
        // SAFETY: the caller promises a word of this type.
        unsafe {
            match self {
                Amo::Op(Op::Store, value) if size_of::<T>() == 4 => {
                    atomic::AtomicU32::from_ptr(at.cast()).store(value as u32, AMO);
                }
                Amo::Op(Op::Store, value) => atomic::AtomicU64::from_ptr(at.cast()).store(value, AMO),
                _ => _ = self.on(at),
            }
        }
    }

    /// # Safety
    /// As for [`Amo::by_cpu`].
    #[inline(always)]
    unsafe fn on_word(self, at: usize, bytes: usize) -> u64 {
        // SAFETY: the caller promises a word of this width.
        unsafe {
            match bytes {
                4 => on_word!(self, atomic::AtomicU32::from_ptr(at as *mut u32), u32),
                _ => on_word!(self, atomic::AtomicU64::from_ptr(at as *mut u64), u64),
            }
        }
    }

    /// Carries the AMO out on a copy of a word of `len` bytes, under the lock that all AMOs on the word take. `get`
    /// reads the word and `put` writes it. Writes the copy back only if it has changed, so that a fetch does not undo a
    /// put that comes at the same time. Returns the old value.
    pub(super) fn on_copy<E>(
        self,
        len: usize,
        (lock, wait): (&AtomicU32, &impl Wait),
        get: impl FnOnce(*mut u64) -> Result<(), E>,
        put: impl FnOnce(*const u64) -> Result<(), E>,
    ) -> Result<u64, E> {
        amo_lock::alone(lock, wait, || {
            let mut word = 0u64;
            let at = &raw mut word;
            get(at)?;
            // SAFETY: an aligned word that only this thread has. Any bytes that `get` has written are a number.
            let (before, old, after) = unsafe { (at.read(), self.by_cpu(at as usize, len), at.read()) };
            if before == after { Ok(old) } else { put(at).map(|()| old) }
        })
    }
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
