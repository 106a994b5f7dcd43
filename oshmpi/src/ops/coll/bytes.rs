//! Moves bytes between `Dest` and `Source` values, for the algorithms of collectives. All lengths are checked here.

use crate::memory::local::{Dest, Source};
use crate::sync::plain::Plain;
use crate::transport::{node, stream};

/// Copies all bytes. Both sides have the same length.
#[inline(always)]
pub(super) fn copy(to: Dest, from: Source) {
    assert!(to.len() == from.len(), "as many bytes as there is room for");
    #[cfg(test)]
    if super::recording::copied(to.len()) {
        return;
    }
    // SAFETY: the makers of the two values have promised that these bytes can be written and read.
    unsafe { node::copy(to.at(), from.at(), from.len()) }
}

/// As [`copy`], past the caches.
pub(super) fn copy_past_caches(to: Dest, from: Source) {
    assert!(to.len() == from.len(), "as many bytes as there is room for");
    #[cfg(test)]
    if super::recording::copied(to.len()) {
        return;
    }
    // SAFETY: the makers of the two values have promised that these bytes can be written and read.
    unsafe { stream::copy(to.at(), from.at(), from.len()) }
}

/// Fills with zero bytes, which are the zero of every type that is summed.
pub(super) fn clear(to: Dest) {
    #[cfg(test)]
    if super::recording::copied(to.len()) {
        return;
    }
    // SAFETY: the maker of the value has promised that these bytes can be written.
    unsafe { core::ptr::write_bytes(to.at(), 0, to.len()) }
}

/// Bytes that were written, as a source.
#[inline(always)]
pub(super) fn written(to: Dest) -> Source {
    // SAFETY: bytes that can be written can be read.
    unsafe { Source::of::<u8>(to.at(), to.len()) }
}

/// Copies `n` elements of type `T`, with strides of `ts` elements in `to` and `fs` elements in `from`.
#[inline]
pub(super) fn copy_strided<T: Plain>(to: Dest, ts: usize, from: Source, fs: usize, n: usize) {
    if n == 0 {
        return;
    }
    let span = |stride| strided(size_of::<T>(), n, stride);
    assert!(span(ts) <= to.len() && span(fs) <= from.len(), "all elements lie inside");
    #[cfg(test)]
    if super::recording::copied(n * size_of::<T>()) {
        return;
    }
    let (to, from) = (to.at().cast::<T>(), from.at().cast::<T>());
    for i in 0..n {
        // SAFETY: the elements lie inside both ranges, which the makers of the values have promised. Unaligned, because
        // the bytes may lie in an eager buffer.
        unsafe { to.add(i * ts).write_unaligned(from.add(i * fs).read_unaligned()) };
    }
}

/// Bytes from the first to the end of the last of `n` elements of `unit` bytes with this stride in elements.
#[inline(always)]
pub(super) fn strided(unit: usize, n: usize, stride: usize) -> usize {
    match n {
        0 => 0,
        _ => (n - 1).saturating_mul(stride).saturating_add(1).saturating_mul(unit),
    }
}

/// Memory of a collective. The caller keeps the value as long as its bytes are used.
pub(super) struct Scratch {
    words: Vec<u64>,
    len: usize,
}

impl Scratch {
    /// Zeroed memory. Pages that the system hands out zeroed are not written.
    pub(super) fn new(len: usize) -> Scratch {
        Scratch { words: vec![0; len.div_ceil(size_of::<u64>())], len }
    }

    /// Memory that is written before it is read. It is not cleared, which would take a part of the time of short calls.
    pub(super) fn unwritten(len: usize) -> Scratch {
        Scratch { words: Vec::with_capacity(len.div_ceil(size_of::<u64>())), len }
    }

    #[inline]
    pub(super) fn dest(&mut self) -> Dest<'_> {
        // SAFETY: the vector has `len` bytes, and is kept as long as they are used.
        unsafe { Dest::of::<u8>(self.words.as_mut_ptr().cast(), self.len) }
    }
}
