//! What a wait is for, in a form that fits into a few words of shared memory.

use super::plain::Plain;

/// Words of an encoded [`Awaited`].
pub(crate) const AWAITED_WORDS: usize = 7;

/// What a wait is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Awaited {
    /// Nothing is known beside the routine that waits.
    #[default]
    Other,
    /// Arrivals of members of a team on this node at a round. The members are the slots `start + i * stride`.
    Arrivals {
        sync_slot: u32,
        seq: u64,
        start: u32,
        stride: i32,
        size: u32,
        /// The one slot whose arrival counts. None: all of them count.
        only: Option<u32>,
    },
    /// A PE: its arrival in a collective, or its message. `request`: the number of a collective that was started, or 0.
    Peer { pe: u32, request: u64 },
    /// The answer of a PE to a request, or the completion of an operation there.
    Answer { pe: u32 },
    /// A word of the caller's symmetric memory.
    Word { at: usize, form: WordForm, cmp: u8, wanted: u64, now: u64 },
    /// Some of the words of an array in the caller's symmetric memory.
    Words { at: usize, n: usize, how: HowMany },
    /// A lock.
    Lock {
        at: usize,
        /// The PE that has the lock, or that waits for it too and comes before the caller.
        behind: Option<u32>,
    },
    /// That all other PEs end, too.
    Ends,
}

/// How the bits of a word are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WordForm {
    pub(crate) bytes: u8,
    pub(crate) signed: bool,
}

/// How many words of an array have to fulfil the condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum HowMany {
    All,
    Any,
}

impl Awaited {
    pub(crate) fn encode(self) -> [u64; AWAITED_WORDS] {
        // 0 stands for None, so numbers are one more.
        let some = |number: Option<u32>| number.map_or(0, |n| u64::from(n) + 1);
        match self {
            Awaited::Other => [0; AWAITED_WORDS],
            Awaited::Arrivals { sync_slot, seq, start, stride, size, only } => {
                [1, sync_slot.into(), seq, start.into(), stride as u32 as u64, size.into(), some(only)]
            }
            Awaited::Peer { pe, request } => [2, pe.into(), request, 0, 0, 0, 0],
            Awaited::Answer { pe } => [3, pe.into(), 0, 0, 0, 0, 0],
            Awaited::Word { at, form, cmp, wanted, now } => {
                [4, at as u64, form.bytes.into(), form.signed.into(), cmp.into(), wanted, now]
            }
            Awaited::Words { at, n, how } => [5, at as u64, n as u64, how as u64, 0, 0, 0],
            Awaited::Lock { at, behind } => [6, at as u64, some(behind), 0, 0, 0, 0],
            Awaited::Ends => [7, 0, 0, 0, 0, 0, 0],
        }
    }

    /// Words that `encode` has not made are [`Awaited::Other`].
    pub(crate) fn decode(words: [u64; AWAITED_WORDS]) -> Awaited {
        let [kind, a, b, c, d, e, f] = words;
        let some = |word: u64| word.checked_sub(1).map(|number| number as u32);
        match kind {
            1 => Awaited::Arrivals {
                sync_slot: a as u32,
                seq: b,
                start: c as u32,
                stride: d as u32 as i32,
                size: e as u32,
                only: some(f),
            },
            2 => Awaited::Peer { pe: a as u32, request: b },
            3 => Awaited::Answer { pe: a as u32 },
            4 => {
                let form = WordForm { bytes: b as u8, signed: c != 0 };
                Awaited::Word { at: a as usize, form, cmp: d as u8, wanted: e, now: f }
            }
            5 => {
                let how = if c == HowMany::All as u64 { HowMany::All } else { HowMany::Any };
                Awaited::Words { at: a as usize, n: b as usize, how }
            }
            6 => Awaited::Lock { at: a as usize, behind: some(b) },
            7 => Awaited::Ends,
            _ => Awaited::Other,
        }
    }
}

impl WordForm {
    /// The form of the values of an integer type.
    pub(crate) fn of<T: Plain + PartialOrd>() -> WordForm {
        const { assert!(size_of::<T>() <= 8) };
        let [zero, ones] = [0u64, u64::MAX].map(|bits| {
            // SAFETY: the words that programs wait for are integers of at most 8 bytes, for which any bits are a value.
            unsafe { core::mem::transmute_copy::<u64, T>(&bits) }
        });
        WordForm { bytes: size_of::<T>() as u8, signed: ones < zero }
    }

    /// A value as bits.
    pub(crate) fn bits<T: Plain>(value: T) -> u64 {
        const { assert!(size_of::<T>() <= 8) };
        let mut bits = 0u64;
        // SAFETY: both are alive, and `bits` has at least as many bytes as the value. The low bytes come first on the
        // little-endian machines that the library is built for.
        unsafe {
            core::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), (&raw mut bits).cast(), size_of::<T>())
        };
        bits
    }

    /// Bits as a number for people.
    pub(crate) fn show(self, bits: u64) -> String {
        let unused = 64 - 8 * u32::from(self.bytes.clamp(1, 8));
        match self.signed {
            true => ((bits << unused) as i64 >> unused).to_string(),
            false => (bits << unused >> unused).to_string(),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let form = WordForm { bytes: 4, signed: true };
        for awaited in [
            Awaited::Other,
            Awaited::Arrivals { sync_slot: 3, seq: 118, start: 7, stride: -2, size: 4, only: None },
            Awaited::Arrivals { sync_slot: 0, seq: u64::MAX, start: 0, stride: 1, size: 9, only: Some(0) },
            Awaited::Peer { pe: 5, request: 1 << 40 },
            Awaited::Answer { pe: 6 },
            Awaited::Word { at: 0x7fff_1234_5678, form, cmp: 5, wanted: 3, now: u64::MAX },
            Awaited::Words { at: 64, n: 1000, how: HowMany::All },
            Awaited::Words { at: 64, n: 1000, how: HowMany::Any },
            Awaited::Lock { at: 8, behind: Some(0) },
            Awaited::Lock { at: 8, behind: None },
            Awaited::Ends,
        ] {
            assert_eq!(Awaited::decode(awaited.encode()), awaited);
        }
        assert_eq!(Awaited::decode([99; AWAITED_WORDS]), Awaited::Other);
    }

    #[test]
    fn words_are_shown_as_their_type_has_them() {
        fn shown<T: Plain + PartialOrd>(value: T) -> String {
            WordForm::of::<T>().show(WordForm::bits(value))
        }
        assert_eq!(shown(-2i16), "-2");
        assert_eq!(shown(-3i32), "-3");
        assert_eq!(shown(i64::MIN), i64::MIN.to_string());
        assert_eq!(shown(u16::MAX), "65535");
        assert_eq!(shown(u32::MAX), "4294967295");
        assert_eq!(shown(u64::MAX), u64::MAX.to_string());
    }
}
