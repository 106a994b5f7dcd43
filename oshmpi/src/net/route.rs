//! The one decision of an operation: by the fabric or by message, with its source copied or not.
//!
//! | up to | transfer | goes | longer ones |
//! |---|---|---|---|
//! | [`COPIED`] | put by the fabric | from a copy, and the call returns at once | the call waits until the source has left |
//! | [`SHORT`] | nonblocking put or get, where the target's CPU takes part in the fabric's | by message | by the fabric |
//! | any | blocking put, where the target's CPU takes part in the fabric's | by message | |
//! | [`SHORT`] | put with signal, where messages carry out AMOs | by message, with its signal | by the fabric, then a quiet |
//!
//! Operations on spaces go by message: spaces come and go, and no fabric knows their memory.
//!
//! An AMO goes by message, so that the CPUs of the word's node carry it out, or by the fabric: of words that the
//! program has asked for with a hint where adapters carry out AMOs, and of all words where there are no messages.

use super::fabric::How;
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::sync::ledger::MAX_KEYS;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A put of up to this many bytes is copied: the copy costs less than a wait for the network.
pub(super) const COPIED: usize = 8192;

/// A message of up to this many bytes costs less than a put and a flush in which the target takes part. Longer data
/// would be copied once more at both ends.
pub(super) const SHORT: usize = 16 << 10;

/// From this number of blocks on, they go in one operation. Fewer are faster one by one: making and freeing two
/// datatypes costs as much as two to four operations.
const BLOCKS: usize = 4;

/// A way, as the ledger names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    Fabric,
    Message,
}

impl Path {
    pub(super) const ALL: [Path; 2] = [Path::Fabric, Path::Message];
}

/// The most PEs of a job on several nodes: each path to each of them has a key.
pub(crate) const MOST_PES: u32 = MAX_KEYS / Path::ALL.len() as u32;

/// The key of a ledger's note: a PE, and the way on which operations go to it. The two ways complete operations by
/// different means, and messages keep the order of operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PathKey {
    pub(super) pe: Pe,
    pub(super) by: Path,
}

impl PathKey {
    /// The key as the ledger's number.
    pub(super) fn number(self) -> u32 {
        self.pe.0 * Path::ALL.len() as u32 + self.by as u32
    }

    pub(super) fn of_number(number: u32) -> PathKey {
        let paths = Path::ALL.len() as u32;
        PathKey { pe: Pe(number / paths), by: Path::ALL[(number % paths) as usize] }
    }
}

/// When a call returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Returns {
    /// When the local buffer may be used again.
    Done,
    /// At once. The program leaves the buffer alone until a quiet.
    AtOnce,
    /// As `Done`; the signal of a put with signal follows.
    BeforeSignal,
}

/// The kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Transfer {
    Put(Returns),
    Get(Returns),
    /// Several blocks in one operation.
    PutBlocks,
}

/// What the choice depends on in this job.
pub(super) struct Chooser {
    fabric: bool,
    messages: bool,
    /// Where the target's CPU takes part in the fabric's operations, blocking puts, short nonblocking puts and short
    /// nonblocking gets go by message. Requests are then gathered into messages, and a PE that waits for them yields
    /// its core now and then, which it does not in a flush of MPI's.
    by_message: bool,
    /// Where words in the heap begin whose AMOs the fabric carries out, in bytes; `usize::MAX`: there are none.
    words: AtomicUsize,
}

/// A choice: the way, and how the operation is to be carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    pub(super) by: Path,
    pub(super) how: How,
}

const BY_MESSAGE: Choice = Choice { by: Path::Message, how: How { copied: false, with_next: false } };
const WITH_NEXT: Choice = Choice { by: Path::Message, how: How { copied: false, with_next: true } };

impl Chooser {
    pub(super) fn new(fabric: bool, messages: bool, by_message: bool) -> Chooser {
        Chooser { fabric, messages, by_message, words: AtomicUsize::new(usize::MAX) }
    }

    /// Chooses for `len` bytes of a segment of a PE whose `cpu` takes part in the fabric's transfers or does not.
    pub(super) fn transfer(&self, what: Transfer, seg: SegId, len: usize, cpu: bool) -> Choice {
        let by_fabric = |copied| Choice { by: Path::Fabric, how: How { copied, with_next: false } };
        let (fabric, by_message) = (self.fabric && !seg.is_space(), self.by_message && cpu);
        match what {
            Transfer::Put(Returns::BeforeSignal) if !fabric || by_message => WITH_NEXT,
            Transfer::Put(Returns::BeforeSignal) if self.messages && len <= SHORT => WITH_NEXT,
            _ if !fabric => BY_MESSAGE,
            Transfer::Put(Returns::Done) if by_message => BY_MESSAGE,
            Transfer::Put(Returns::AtOnce) | Transfer::Get(Returns::AtOnce) if by_message && len <= SHORT => BY_MESSAGE,
            Transfer::Put(Returns::AtOnce) | Transfer::Get(_) => by_fabric(false),
            Transfer::Put(_) | Transfer::PutBlocks => by_fabric(len <= COPIED),
        }
    }

    /// Chooses for an AMO. All PEs choose the same way for a word.
    pub(super) fn amo(&self, word: SymRange) -> Path {
        if self.messages && !self.is_adapter_word(word) { Path::Message } else { Path::Fabric }
    }

    /// Whether `n` blocks of `len` bytes of a segment go in one operation. `longest`: bytes of the longest block for
    /// which the fabric gains by it.
    pub(super) fn in_one(&self, seg: SegId, n: usize, len: usize, longest: usize) -> bool {
        self.fabric && !seg.is_space() && n >= BLOCKS && len <= longest
    }

    /// Whether nonblocking gets from a segment may have gone by message.
    pub(super) fn some_gets_by_message(&self, seg: SegId) -> bool {
        self.by_message || !self.fabric || seg.is_space()
    }

    /// Says that from byte `begin` of the heap on, adapters carry out the AMOs on words: for all PEs, those of the
    /// word's node included, because an adapter and a CPU on one word lose updates. All PEs say so before a program can
    /// have the address of such a word.
    pub(super) fn set_adapter_words(&self, begin: usize) {
        self.words.store(begin, Ordering::Relaxed);
    }

    /// Whether an adapter carries out the AMOs on a word.
    pub(super) fn is_adapter_word(&self, word: SymRange) -> bool {
        word.seg == SegId::Heap && word.off >= self.words.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::Returns::{AtOnce, BeforeSignal, Done};
    use super::Transfer::{Get, Put};
    use super::*;

    const FABRIC: Choice = Choice { by: Path::Fabric, how: How { copied: false, with_next: false } };
    const COPY: Choice = Choice { by: Path::Fabric, how: How { copied: true, with_next: false } };

    const HEAP: SegId = SegId::Heap;
    const WORD: SymRange = SymRange { seg: HEAP, off: 8, len: 8 };

    /// For each border: the transfer, the last length on one side with its choice, and the choice for one byte more.
    #[test]
    fn ways_change_at_the_sizes_of_the_table() {
        let (plain, short) = (Chooser::new(true, true, false), Chooser::new(true, true, true));
        for (route, what, size, up_to, above) in [
            (&plain, Put(Done), COPIED, COPY, FABRIC),
            (&plain, Put(AtOnce), COPIED, FABRIC, FABRIC),
            (&plain, Put(BeforeSignal), SHORT, WITH_NEXT, FABRIC),
            (&plain, Transfer::PutBlocks, COPIED, COPY, FABRIC),
            (&short, Put(Done), SHORT, BY_MESSAGE, BY_MESSAGE),
            (&short, Put(AtOnce), SHORT, BY_MESSAGE, FABRIC),
            (&short, Put(BeforeSignal), SHORT, WITH_NEXT, WITH_NEXT),
            (&short, Get(AtOnce), SHORT, BY_MESSAGE, FABRIC),
            (&short, Get(Done), SHORT, FABRIC, FABRIC),
        ] {
            assert_eq!(route.transfer(what, HEAP, size, true), up_to, "{what:?} of {size} bytes");
            assert_eq!(route.transfer(what, HEAP, size + 1, true), above, "{what:?} of {size} bytes and one");
        }
    }

    #[test]
    fn without_a_fabric_everything_goes_by_message() {
        let route = Chooser::new(false, true, false);
        for what in [Put(Done), Put(AtOnce), Get(Done), Get(AtOnce)] {
            assert_eq!(route.transfer(what, HEAP, 1 << 40, true), BY_MESSAGE);
        }
        assert_eq!(route.transfer(Put(BeforeSignal), HEAP, 1 << 40, true), WITH_NEXT);
        assert!(route.amo(WORD) == Path::Message && !route.in_one(HEAP, 100, 8, usize::MAX));
    }

    #[test]
    fn without_messages_everything_goes_by_the_fabric() {
        let route = Chooser::new(true, false, false);
        for what in [Put(AtOnce), Get(Done), Get(AtOnce)] {
            assert_eq!(route.transfer(what, HEAP, 8, true), FABRIC);
        }
        assert_eq!(route.transfer(Put(BeforeSignal), HEAP, 8, true), COPY);
        assert_eq!(route.amo(WORD), Path::Fabric);
        assert!(route.in_one(HEAP, 4, 8, 8) && !route.in_one(HEAP, 3, 8, 8) && !route.in_one(HEAP, 4, 9, 8));
    }

    /// Where an adapter does the work, nothing goes by message but signals and AMOs of words that are not its own.
    #[test]
    fn what_an_adapter_does_goes_by_the_fabric() {
        let route = Chooser::new(true, true, true);
        for (what, choice) in [(Put(Done), COPY), (Put(AtOnce), FABRIC), (Get(Done), FABRIC), (Get(AtOnce), FABRIC)] {
            assert_eq!(route.transfer(what, HEAP, 8, false), choice, "{what:?}");
        }
        assert_eq!(route.transfer(Put(BeforeSignal), HEAP, 8, false), WITH_NEXT);
        assert_eq!(route.amo(WORD), Path::Message);
        route.set_adapter_words(8);
        assert_eq!(route.amo(WORD), Path::Fabric);
        assert_eq!(route.amo(SymRange { off: 0, ..WORD }), Path::Message);
    }

    /// A fabric knows nothing of spaces, whatever it offers.
    #[test]
    fn operations_on_spaces_go_by_message() {
        let (route, space) = (Chooser::new(true, true, false), SegId::Space(3));
        for what in [Put(Done), Put(AtOnce), Get(Done), Get(AtOnce), Transfer::PutBlocks] {
            assert_eq!(route.transfer(what, space, 1 << 40, false), BY_MESSAGE, "{what:?}");
        }
        assert_eq!(route.transfer(Put(BeforeSignal), space, 1 << 40, false), WITH_NEXT);
        assert!(!route.in_one(space, 100, 8, 8) && route.some_gets_by_message(space));
        assert!(route.in_one(HEAP, 100, 8, 8) && !route.some_gets_by_message(HEAP));
        route.set_adapter_words(0);
        assert_eq!(route.amo(SymRange { seg: space, ..WORD }), Path::Message);
    }

    #[test]
    fn there_and_back() {
        for pe in [0, 1, 77, MOST_PES - 1].map(Pe) {
            for by in Path::ALL {
                let key = PathKey { pe, by };
                assert!(key.number() < MAX_KEYS);
                assert_eq!(PathKey::of_number(key.number()), key);
            }
        }
    }
}
