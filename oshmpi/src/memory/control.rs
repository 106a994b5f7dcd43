//! The state that PEs of a node publish, on their control pages and in the header: their stage, and what they wait for.

use super::node::{HEADER_CONTROL, Node, PE_CONTROL};
use crate::sync::atomics::AtomicU64;
use crate::sync::awaited::{AWAITED_WORDS, Awaited};
use crate::sync::note::{self, NoteWords};
use core::convert::identity;
use core::sync::atomic::Ordering;

// Byte offsets in the header.
const ENDING: usize = HEADER_CONTROL;
const REQUESTS: usize = HEADER_CONTROL + 8;
const ANSWERED: usize = HEADER_CONTROL + 16;
const REPORTED: usize = HEADER_CONTROL + 24;
const SPEAKER: usize = HEADER_CONTROL + 32;

// Byte offsets in a control page.
const STAGE: usize = PE_CONTROL;
const PID: usize = PE_CONTROL + 8;
const SLEPT: usize = PE_CONTROL + 16;
const OWN_THREADS: usize = PE_CONTROL + 24;
const NOTE: usize = PE_CONTROL + 64;

/// The return addresses that a note holds, the innermost first.
pub(crate) const FRAMES: usize = 24;
const NOTE_WORDS: usize = 4 + AWAITED_WORDS + FRAMES;

/// Where a PE is between its start and its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub(crate) enum Stage {
    /// Before its first init is over.
    Outside,
    Up,
    Finalizing,
    /// After its last finalize.
    Finalized,
    /// It has returned from main or called exit without finalize.
    Left,
    /// It has returned from main or called exit. It began with `start_pes`, so it need not call finalize.
    LeftInOrder,
}

impl Stage {
    fn of(word: u64) -> Stage {
        [Stage::Outside, Stage::Up, Stage::Finalizing, Stage::Finalized, Stage::Left, Stage::LeftInOrder]
            .into_iter()
            .find(|&stage| stage as u64 == word)
            .unwrap_or(Stage::Outside)
    }

    /// Whether the PE has ended without finalize.
    pub(crate) fn has_left(self) -> bool {
        matches!(self, Stage::Left | Stage::LeftInOrder)
    }

    /// Whether the PE only takes part in the end of the job.
    pub(crate) fn is_ending(self) -> bool {
        self.has_left() || matches!(self, Stage::Finalizing | Stage::Finalized)
    }
}

/// A PE's stage, and from how many finalizes it has come back: from an inner one to the program, from a last one to
/// another init. Both are collective, so PEs that are up have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Standing {
    stage: Stage,
    finalizes: u64,
}

impl Standing {
    fn encode(self) -> u64 {
        self.stage as u64 | self.finalizes << 8
    }

    fn decode(word: u64) -> Standing {
        Standing { stage: Stage::of(word & 0xff), finalizes: word >> 8 }
    }

    fn at(self, stage: Stage) -> Standing {
        let is_back = self.stage.is_ending() && !stage.is_ending();
        Standing { stage, finalizes: self.finalizes + u64::from(is_back) }
    }

    /// Whether the PE only takes part in the end of the job, for a PE at `reader`, which is up. If the reader is back
    /// from the finalize that the PE is in, the PE comes back, too.
    fn is_ending_for(self, reader: Standing) -> bool {
        match self.stage {
            Stage::Finalizing => self.finalizes == reader.finalizes,
            stage => stage.is_ending(),
        }
    }
}

/// What a PE waits for, or has waited for last. Times are milliseconds of the machine's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Note {
    pub(crate) waits: bool,
    /// When the wait began.
    pub(crate) since: u64,
    /// When the PE last checked its condition, or when the wait ended.
    pub(crate) seen: u64,
    pub(crate) awaited: Awaited,
    /// The calls that the PE was in, the innermost first, and their number.
    pub(crate) frames: [u64; FRAMES],
    pub(crate) n_frames: usize,
}

impl Note {
    fn encode(&self) -> [u64; NOTE_WORDS] {
        let mut words = [0; NOTE_WORDS];
        words[..4].copy_from_slice(&[1 + u64::from(self.waits), self.since, self.seen, self.n_frames as u64]);
        words[4..4 + AWAITED_WORDS].copy_from_slice(&self.awaited.encode());
        words[4 + AWAITED_WORDS..].copy_from_slice(&self.frames);
        words
    }

    /// None: nothing has been noted.
    fn decode(words: [u64; NOTE_WORDS]) -> Option<Note> {
        let mut awaited = [0; AWAITED_WORDS];
        awaited.copy_from_slice(&words[4..4 + AWAITED_WORDS]);
        let mut frames = [0; FRAMES];
        frames.copy_from_slice(&words[4 + AWAITED_WORDS..]);
        (words[0] != 0).then(|| Note {
            waits: words[0] == 2,
            since: words[1],
            seen: words[2],
            awaited: Awaited::decode(awaited),
            frames,
            n_frames: (words[3] as usize).min(FRAMES),
        })
    }
}

/// The note of one PE on its control page.
struct NotePlace<'a> {
    node: &'a Node,
    at: usize,
}

impl NoteWords<NOTE_WORDS> for NotePlace<'_> {
    fn version(&self) -> &AtomicU64 {
        self.node.word64(self.at)
    }

    fn word(&self, i: usize) -> &AtomicU64 {
        self.node.word64(self.at + 8 + 8 * i)
    }
}

/// The PEs' state. Accesses are relaxed, because no PE reads other memory because of one of these words. A stage is the
/// exception.
impl Node {
    fn control_word(&self, index: usize, offset: usize) -> &AtomicU64 {
        self.word64(self.control(index, offset))
    }

    fn note_of(&self, index: usize) -> NotePlace<'_> {
        NotePlace { node: self, at: self.control(index, NOTE) }
    }

    fn standing(&self, index: usize) -> Standing {
        Standing::decode(self.control_word(index, STAGE).load(Ordering::Acquire)) // SYNC stage: pairs with set_stage
    }

    /// The stage of the PE at `index`. What that PE wrote to memory before is visible afterwards.
    pub(crate) fn stage(&self, index: usize) -> Stage {
        self.standing(index).stage
    }

    /// The stage of the PE at `index`, if that PE will make no call any more in which this PE, which is up, could wait
    /// for it.
    pub(crate) fn ends(&self, index: usize) -> Option<Stage> {
        let standing = self.standing(index);
        standing.is_ending_for(self.standing(self.me)).then_some(standing.stage)
    }

    /// Sets the stage of this PE.
    pub(crate) fn set_stage(&self, stage: Stage) {
        let word = self.control_word(self.me, STAGE);
        let at = |before| Some(Standing::decode(before).at(stage).encode());
        // SYNC stage: pairs with standing
        let before = word.fetch_update(Ordering::Release, Ordering::Relaxed, at).unwrap_or_else(identity);
        match (Standing::decode(before).stage.is_ending(), stage.is_ending()) {
            (false, true) => self.word64(ENDING).fetch_add(1, Ordering::Relaxed),
            (true, false) => self.word64(ENDING).fetch_sub(1, Ordering::Relaxed),
            _ => 0,
        };
    }

    /// Whether some PE of the node is ending.
    pub(crate) fn any_is_ending(&self) -> bool {
        self.word64(ENDING).load(Ordering::Relaxed) != 0
    }

    /// Whether all PEs of the node are ending.
    pub(crate) fn all_are_ending(&self) -> bool {
        self.word64(ENDING).load(Ordering::Relaxed) == self.shape.n as u64
    }

    /// The process of the PE at `index`, 0 before it is there. It may be of another PID namespace.
    pub(crate) fn pid(&self, index: usize) -> u32 {
        self.control_word(index, PID).load(Ordering::Relaxed) as u32
    }

    pub(crate) fn set_pid(&self, pid: u32) {
        self.control_word(self.me, PID).store(pid.into(), Ordering::Relaxed);
    }

    /// The number of threads of the PE at `index` that libraries have started, as far as it is known.
    pub(crate) fn own_threads(&self, index: usize) -> u32 {
        self.control_word(index, OWN_THREADS).load(Ordering::Relaxed) as u32
    }

    pub(crate) fn set_own_threads(&self, n: u32) {
        self.control_word(self.me, OWN_THREADS).store(n.into(), Ordering::Relaxed);
    }

    /// What the PE at `index` waits for or has waited for, if that can be read.
    pub(crate) fn note(&self, index: usize) -> Option<Note> {
        note::read(&self.note_of(index)).and_then(Note::decode)
    }

    /// Notes what this PE waits for. One thread of this PE does so at a time.
    pub(crate) fn set_note(&self, note: &Note) {
        note::write(&self.note_of(self.me), &note.encode());
    }

    /// Notes that this PE goes to sleep.
    pub(crate) fn note_sleep(&self, now: u64) {
        self.control_word(self.me, SLEPT).store(now, Ordering::Relaxed);
    }

    /// The last time at which the PE at `index` was seen to do something: it began to sleep, or a noted wait began or
    /// ended.
    pub(crate) fn last_step(&self, index: usize) -> u64 {
        let slept = self.control_word(index, SLEPT).load(Ordering::Relaxed);
        let noted = self.note(index).map_or(0, |note| if note.waits { note.since } else { note.seen });
        slept.max(noted)
    }

    /// Asks for a report. A signal handler may call this.
    pub(crate) fn request_report(&self) {
        self.word64(REQUESTS).fetch_add(1, Ordering::Relaxed);
    }

    /// Whether a report was requested and not made yet. True for one PE only.
    pub(crate) fn take_request(&self) -> bool {
        let (requests, answered) = (self.word64(REQUESTS).load(Ordering::Relaxed), self.word64(ANSWERED));
        let before = answered.load(Ordering::Relaxed);
        before != requests && answered.compare_exchange(before, requests, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// When the last report of this node was made, 0 before the first.
    pub(crate) fn last_report(&self) -> u64 {
        self.word64(REPORTED).load(Ordering::Relaxed)
    }

    /// Takes on a report, unless another PE has done so since `last`.
    pub(crate) fn take_report(&self, last: u64, now: u64) -> bool {
        self.word64(REPORTED).compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// True for the first PE of the node that calls this. It prints why the job ends.
    pub(crate) fn speaks_first(&self) -> bool {
        self.word64(SPEAKER).swap(1, Ordering::Relaxed) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::PE_COUNTERS;
    use super::*;

    #[test]
    fn what_is_noted_is_read() {
        let mut frames = [0; FRAMES];
        frames[..2].copy_from_slice(&[0x1234, 0x5678]);
        for waits in [false, true] {
            let awaited = Awaited::Lock { at: 64, behind: Some(3) };
            let note = Note { waits, since: 5, seen: 7, awaited, frames, n_frames: 2 };
            assert_eq!(Note::decode(note.encode()), Some(note));
        }
        assert_eq!(Note::decode([0; NOTE_WORDS]), None);
    }

    #[test]
    fn the_words_fit_on_a_control_page() {
        const { assert!(NOTE + 8 * (1 + NOTE_WORDS) <= PE_COUNTERS) };
        for stage in [Stage::Outside, Stage::Up, Stage::Finalizing, Stage::Finalized, Stage::Left, Stage::LeftInOrder] {
            for finalizes in [0, 1, 1 << 40] {
                let standing = Standing { stage, finalizes };
                assert_eq!(Standing::decode(standing.encode()), standing);
            }
        }
        assert_eq!(Standing::decode(0), Standing { stage: Stage::Outside, finalizes: 0 });
    }

    /// A PE that is slow to come back from a finalize is not ending for one that is back. In the next finalize it is.
    #[test]
    fn a_finalize_that_is_over_ends_nothing() {
        let up = Standing::decode(0).at(Stage::Up);
        let late = up.at(Stage::Finalizing);
        assert!(!up.is_ending_for(up) && late.is_ending_for(up));
        let inner = late.at(Stage::Up);
        assert!(!late.is_ending_for(inner));
        assert!(!inner.is_ending_for(inner));
        assert!(inner.at(Stage::Finalizing).is_ending_for(inner));
        // After the last finalize, and in the init that follows.
        let last = late.at(Stage::Finalized);
        assert!(last.is_ending_for(up) && last.is_ending_for(inner));
        assert_eq!(last.at(Stage::Outside).at(Stage::Up), inner);
        // A PE that has left does not come back, from however many finalizes.
        for left in [Stage::Left, Stage::LeftInOrder] {
            assert!(up.at(left).is_ending_for(up) && up.at(left).is_ending_for(inner));
        }
    }
}
