//! Memory of this process that the caller of a routine passes: address and length as one value that carries the C
//! caller's promise. So code below the exported symbols needs no unsafe contract for it. The lifetime is that of the
//! promise; memory of ours is borrowed for it. What a nonblocking operation gets is `'static`: nobody borrows it.

use crate::os::map::ADDRESS_SPACE;
use crate::sync::plain::Plain;
use core::marker::PhantomData;

/// Bytes of `n` elements. A product that overflows becomes a length that no memory has.
#[inline(always)]
pub(crate) fn bytes_of<T>(n: usize) -> usize {
    n.saturating_mul(size_of::<T>())
}

/// Bytes from the first to the end of the last of `nblocks` blocks of `bsize` elements, each `stride` elements behind
/// the one before. `usize::MAX` stands for every span that is larger than the address space: such a span fits nowhere.
/// A stride below 0 is a mistake that is complained of later.
#[inline]
pub(crate) fn span_of<T>(stride: isize, bsize: usize, nblocks: usize) -> usize {
    if bsize == 0 || nblocks == 0 {
        return 0;
    }
    let elems = (nblocks - 1).checked_mul(stride.unsigned_abs()).and_then(|n| n.checked_add(bsize));
    elems.map(bytes_of::<T>).filter(|&bytes| bytes < ADDRESS_SPACE).unwrap_or(usize::MAX)
}

macro_rules! local {
    ($(#[$doc:meta])* $name:ident, $kind:tt, $can:literal, $as_ptr:ident $(, $mut:tt)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) struct $name<'a> {
            at: *$kind u8,
            len: usize,
            memory: PhantomData<&'a [u8]>,
        }

        // SAFETY: an address and a length. The maker of the value has promised that the bytes may be used until the
        // operation ends, in any thread.
        unsafe impl Send for $name<'_> {}

        impl<'a> $name<'a> {
            /// `n` elements of type `T`.
            ///
            /// # Safety
            #[doc = concat!("The elements can be ", $can, " as long as the value lives, if it is not `'static`.")]
            /// If a nonblocking operation gets it, they can be until the next quiet of its context. `at` may be null:
            /// operations check that.
            #[inline(always)]
            pub(crate) unsafe fn of<T>(at: *$kind T, n: usize) -> Self {
                Self { at: at.cast(), len: bytes_of::<T>(n), memory: PhantomData }
            }

            #[inline]
            pub(crate) fn of_slice<T: Plain>(slice: &'a $($mut)? [T]) -> Self {
                // SAFETY: all elements are borrowed, and any bytes are a value of them.
                unsafe { Self::of(slice.$as_ptr(), slice.len()) }
            }

            /// `nblocks` blocks of `bsize` elements of type `T`, each `stride` elements behind the one before.
            ///
            /// # Safety
            #[doc = concat!("As for `of`, but only the blocks need to be such that they can be ", $can, ".")]
            #[inline(always)]
            pub(crate) unsafe fn blocks<T>(at: *$kind T, stride: isize, bsize: usize, nblocks: usize) -> Self {
                Self { at: at.cast(), len: span_of::<T>(stride, bsize, nblocks), memory: PhantomData }
            }

            /// These bytes for what goes on when the call has returned.
            ///
            /// # Safety
            #[doc = concat!("They can be ", $can, " as long as the value is used.")]
            pub(crate) unsafe fn held(self) -> $name<'static> {
                $name { memory: PhantomData, ..self }
            }

            #[inline(always)]
            pub(crate) fn at(self) -> *$kind u8 {
                self.at
            }

            #[inline(always)]
            pub(crate) fn address(self) -> usize {
                self.at as usize
            }

            #[inline(always)]
            pub(crate) fn len(self) -> usize {
                self.len
            }

            /// The `len` bytes that begin at byte `from`.
            #[inline]
            pub(crate) fn part(self, from: usize, len: usize) -> Self {
                assert!(from <= self.len && len <= self.len - from, "a part lies inside the whole");
                Self { at: self.at.wrapping_add(from), len, memory: PhantomData }
            }
        }
    };
}

local! {
    /// Bytes that an operation reads.
    Source, const, "read", as_ptr
}
local! {
    /// Bytes that an operation writes.
    Dest, mut, "written, and are used by nobody else,", as_mut_ptr, mut
}

impl Dest<'_> {
    /// Writes a word of 4 or 8 bytes, as long as the memory, which need not be aligned: the low bytes of `value`.
    pub(crate) fn store_word(self, value: u64) {
        // SAFETY: the maker has promised that these bytes can be written, and their number is looked at.
        unsafe {
            match self.len {
                4 => self.at.cast::<u32>().write_unaligned(value as u32),
                8 => self.at.cast::<u64>().write_unaligned(value),
                other => unreachable!("a word of {other} bytes"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_saturate() {
        assert_eq!(span_of::<u64>(3, 2, 4), (3 * 3 + 2) * 8);
        assert_eq!((span_of::<u8>(5, 0, 4), span_of::<u8>(5, 2, 0)), (0, 0));
        assert_eq!(span_of::<u64>(isize::MAX, 1, 9), usize::MAX);
        assert_eq!(span_of::<u16>(1, usize::MAX, 1), usize::MAX);
        // 2^64 - 8 bytes do not overflow, and no memory has as many.
        assert_eq!(span_of::<u64>(isize::MAX / 8, 1, 3), usize::MAX);
        assert_eq!(span_of::<u64>(1 << 50, 1, 2), (1 << 53) + 8);
    }

    #[test]
    #[should_panic(expected = "inside the whole")]
    fn a_part_beyond_the_end_is_refused() {
        let bytes = [0u8; 8];
        Source::of_slice(&bytes).part(5, 4);
    }
}
