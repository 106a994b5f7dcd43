//! Vector clocks: for each actor the last of its epochs that is known to be over.

use crate::cell::{ACTORS, Stamp};
use core::sync::atomic::{AtomicU32, Ordering};

/// A clock of one thread.
pub struct Clock(Box<[u32]>);

impl Default for Clock {
    fn default() -> Clock {
        Clock(vec![0; ACTORS].into_boxed_slice())
    }
}

impl Clock {
    #[inline]
    pub fn get(&self, actor: u32) -> u32 {
        self.0[actor as usize]
    }

    #[inline]
    pub fn raise(&mut self, to: Stamp) {
        let at = &mut self.0[to.actor as usize];
        *at = (*at).max(to.epoch);
    }

    /// Goes on to the actor's next epoch. The last one stays: then this actor's accesses look unordered, which cannot
    /// happen before four thousand million releases.
    pub fn tick(&mut self, actor: u32) {
        let at = &mut self.0[actor as usize];
        *at = at.saturating_add(1);
    }

    /// Knows all that a shared clock knows. `actors`: how many there are. Calls `news` with each epoch that is new.
    pub(crate) fn hear(&mut self, other: SharedClock<'_>, actors: usize, mut news: impl FnMut(Stamp)) {
        for (part, theirs) in other.parts(actors).enumerate() {
            for (i, theirs) in theirs.iter().enumerate() {
                let to = Stamp { actor: (part * PART + i) as u32, epoch: theirs.load(Ordering::Relaxed) };
                if to.actor != 0 && self.get(to.actor) < to.epoch {
                    self.raise(to);
                    news(to);
                }
            }
        }
    }

    /// Knows all that a shared clock knows.
    pub fn join_shared(&mut self, other: SharedClock<'_>, actors: usize) {
        for (mine, theirs) in self.0[..actors].chunks_mut(PART).zip(other.parts(actors)) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine = (*mine).max(theirs.load(Ordering::Relaxed));
            }
        }
    }
}

/// Actors that lie together in a shared clock.
pub(crate) const PART: usize = 32;

/// A clock in shared memory. Callers see to it that nobody writes while somebody reads: by the lock of a word, or by
/// the barrier of a round.
#[derive(Clone, Copy)]
pub struct SharedClock<'a> {
    words: &'a [AtomicU32],
    /// From one part to the next. Between them are parts of other clocks, so that clocks of few actors lie together.
    stride: usize,
}

impl<'a> SharedClock<'a> {
    /// `words`: from the first word of the clock to its last one.
    pub(crate) fn new(words: &'a [AtomicU32], stride: usize) -> SharedClock<'a> {
        debug_assert_eq!(words.len(), (ACTORS / PART - 1) * stride + PART);
        SharedClock { words, stride }
    }

    /// Those of the first `actors`.
    fn parts(self, actors: usize) -> impl Iterator<Item = &'a [AtomicU32]> {
        (0..actors.div_ceil(PART)).map(move |part| &self.words[part * self.stride..][..PART])
    }

    #[inline]
    fn at(self, actor: usize) -> &'a AtomicU32 {
        &self.words[actor / PART * self.stride + actor % PART]
    }

    #[inline]
    pub fn get(self, actor: u32) -> u32 {
        self.at(actor as usize).load(Ordering::Relaxed)
    }

    pub fn set(self, to: &Clock, actors: usize) {
        for (mine, theirs) in self.parts(actors).zip(to.0[..actors].chunks(PART)) {
            for (mine, theirs) in mine.iter().zip(theirs) {
                mine.store(*theirs, Ordering::Relaxed);
            }
        }
    }

    pub fn join(self, other: &Clock, actors: usize) {
        for (mine, theirs) in self.parts(actors).zip(other.0[..actors].chunks(PART)) {
            for (mine, theirs) in mine.iter().zip(theirs) {
                if mine.load(Ordering::Relaxed) < *theirs {
                    mine.store(*theirs, Ordering::Relaxed);
                }
            }
        }
    }

    /// Knows all that another one knows.
    pub(crate) fn join_shared(self, other: SharedClock<'_>, actors: usize) {
        for actor in 1..actors as u32 {
            self.raise(Stamp { actor, epoch: other.get(actor) });
        }
    }

    /// Knows nothing any more. The lock of a word, in the place of actor 0, stays.
    pub(crate) fn clear(self, actors: usize) {
        for (part, words) in self.parts(actors).enumerate() {
            words[usize::from(part == 0)..].iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
    }

    /// Notes a number and a length beside the clock.
    pub fn note(self, number: u64, bytes: u64) {
        let store = |i: usize, part: u64, order| self.at(ACTORS - i).store(part as u32, order);
        store(2, number, Ordering::Relaxed);
        store(1, number >> 32, Ordering::Relaxed);
        store(4, bytes, Ordering::Release); // SYNC noted: pairs with noted
        store(3, bytes >> 32, Ordering::Release); // SYNC noted: pairs with noted
    }

    /// The number and the length that were noted last. If somebody notes others meanwhile, the number is not the one
    /// from before unless the length is, too.
    pub fn noted(self) -> (u64, u64) {
        let load = |i: usize, order| u64::from(self.at(ACTORS - i).load(order));
        let bytes = load(4, Ordering::Acquire) | load(3, Ordering::Acquire) << 32; // SYNC noted: pairs with note
        (load(2, Ordering::Relaxed) | load(1, Ordering::Relaxed) << 32, bytes)
    }

    #[inline]
    pub fn raise(self, to: Stamp) {
        let at = self.at(to.actor as usize);
        if at.load(Ordering::Relaxed) < to.epoch {
            at.store(to.epoch, Ordering::Relaxed);
        }
    }
}

/// What an access knows to be over.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub clock: Known<'a>,
    /// Epochs that this access alone knows: what a fence has ordered before it at its target.
    pub fenced: &'a [Stamp],
}

#[derive(Clone, Copy)]
pub enum Known<'a> {
    Thread(&'a Clock),
    /// A member's clock when it entered a collective.
    Member(SharedClock<'a>),
    Nothing,
}

impl View<'_> {
    #[inline]
    pub fn of(clock: &Clock) -> View<'_> {
        View { clock: Known::Thread(clock), fenced: &[] }
    }

    #[inline]
    pub fn is_over(&self, what: Stamp) -> bool {
        let known = match self.clock {
            Known::Thread(clock) => clock.get(what.actor),
            Known::Member(clock) => clock.get(what.actor),
            Known::Nothing => 0,
        };
        known >= what.epoch || self.fenced.iter().any(|f| f.actor == what.actor && f.epoch >= what.epoch)
    }
}
