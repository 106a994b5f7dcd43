//! Types for PE numbers, segments and ranges, so that none of them is a plain number.

/// The number of a PE in the world. It is below the number of PEs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Pe(pub(crate) u32);

/// A symmetric segment of a PE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SegId {
    /// Global and static variables of the executable.
    Data,
    /// The memory that the symmetric allocator hands out.
    Heap,
    /// The space at this place of [`SPACES`](super::spaces::SPACES), below [`MOST_SPACES`]. The place is equal on all
    /// PEs of the space's team. From [`MOST_SPACES`] on, the memory of a device that belongs to the space at the place
    /// so many before. That place has memory of the host then, in which collectives work.
    Space(u8),
}

/// The number of spaces that a PE can have at a time.
pub(crate) const MOST_SPACES: usize = 16;
/// The number of the first space's segment.
const FIRST_SPACE: u64 = 2;
/// The numbers of segments end here.
const END: u64 = FIRST_SPACE + 2 * MOST_SPACES as u64;
/// Bits in which every segment's number fits.
const SEG_BITS: u32 = 6;

impl SegId {
    /// The segment as a number that means the same on every PE.
    pub(crate) fn number(self) -> u64 {
        match self {
            SegId::Data => 0,
            SegId::Heap => 1,
            SegId::Space(place) => FIRST_SPACE + u64::from(place),
        }
    }

    pub(crate) fn of_number(number: u64) -> Option<SegId> {
        match number {
            0 => Some(SegId::Data),
            1 => Some(SegId::Heap),
            _ => (number < END).then(|| SegId::Space((number - FIRST_SPACE) as u8)),
        }
    }

    pub(crate) fn is_space(self) -> bool {
        matches!(self, SegId::Space(_))
    }

    /// The place of the space, whose memory of a device it may be.
    pub(crate) fn space(self) -> Option<u8> {
        if let SegId::Space(place) = self { Some(place % MOST_SPACES as u8) } else { None }
    }

    /// The place of the space whose memory of a device it is. No CPU can touch that.
    pub(crate) fn device(self) -> Option<u8> {
        if let SegId::Space(place) = self { place.checked_sub(MOST_SPACES as u8) } else { None }
    }
}

/// A range inside a segment. No other form of an address has the same meaning on every PE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SymRange {
    pub(crate) seg: SegId,
    /// Bytes from the segment's start.
    pub(crate) off: usize,
    /// Bytes; `off + len` does not pass the segment's end.
    pub(crate) len: usize,
}

impl SymRange {
    /// Segment and offset as one number, which means the same on every PE. No address space is so large that the offset
    /// does not fit.
    pub(crate) fn place(self) -> u64 {
        (self.off as u64) << SEG_BITS | self.seg.number()
    }

    /// The range of no bytes at a [`SymRange::place`].
    pub(crate) fn at_place(place: u64) -> Option<SymRange> {
        let seg = SegId::of_number(place & ((1 << SEG_BITS) - 1))?;
        Some(SymRange { seg, off: (place >> SEG_BITS) as usize, len: 0 })
    }

    /// The `len` bytes that begin at byte `from` of the range.
    #[inline]
    pub(crate) fn part(self, from: usize, len: usize) -> SymRange {
        assert!(from <= self.len && len <= self.len - from, "a part lies inside the whole");
        SymRange { off: self.off + from, len, ..self }
    }
}

/// Where this PE's copy of a segment lies in its address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    pub(crate) base: usize,
    pub(crate) len: usize,
}

impl Span {
    /// Offset of `[addr, addr+len)`, if all of it lies inside. An empty range must still start inside.
    pub(crate) fn offset_of(self, addr: usize, len: usize) -> Option<usize> {
        let off = addr.checked_sub(self.base)?;
        (off < self.len && len <= self.len - off).then_some(off)
    }

    pub(crate) fn contains(self, addr: usize) -> bool {
        self.offset_of(addr, 0).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_are_read_again() {
        let spaces = (0..2 * MOST_SPACES as u8).map(SegId::Space);
        for seg in [SegId::Data, SegId::Heap].into_iter().chain(spaces) {
            let range = SymRange { seg, off: (1 << 56) - 8, len: 0 };
            assert_eq!((SegId::of_number(seg.number()), SymRange::at_place(range.place())), (Some(seg), Some(range)));
        }
        assert_eq!(SegId::of_number(END), None);
        const { assert!(END <= 1 << SEG_BITS) }
    }

    proptest! {
        /// Ranges that start or end near a border of the span, compared with arithmetic that cannot overflow.
        #[test]
        fn offsets_agree_with_wide_arithmetic(
            base in prop_oneof![4096u64..1 << 40, u64::MAX - 200..u64::MAX - 100],
            len in 0u64..64,
            before in 0u64..8,
            n in prop_oneof![0u64..80, any::<u64>()],
        ) {
            let span = Span { base: base as usize, len: len as usize };
            let end = |at: u64, len: u64| u128::from(at) + u128::from(len);
            for addr in [base - before, base + before, base + len - before.min(len), base + len + before] {
                let inside = addr >= base && addr < base + len && end(addr, n) <= end(base, len);
                prop_assert_eq!(span.offset_of(addr as usize, n as usize), inside.then(|| (addr - base) as usize));
            }
        }
    }
}
