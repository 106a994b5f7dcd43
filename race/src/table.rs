//! What the PEs of a node share beside the shadow of their memory: the actors, the clocks of synchronisation words, and
//! the clocks that members of a team bring to a barrier round.
//!
//! An actor of another node has a number of this node, too, from the first time that somebody tells of it. Other nodes
//! call it by its [`Name`].
//!
//! The caller provides the memory: zero at first, mapped by every PE, [`Table::bytes`] long. Most of it is never
//! touched: a clock has room for all actors, and only as much of it is used as there are actors.

use crate::ahead::write_soon;
use crate::cell::{ACTORS, Stamp};
use crate::clock::{Clock, PART, SharedClock};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use serde::{Deserialize, Serialize};

/// Words whose clocks are kept apart at a time. What comes beyond shares clocks, which hides races and reports none
/// that is none: see [`Table::has_spilled`].
pub const WORDS: usize = 1 << 16;
/// Clocks that later words share.
const SHARED_WORDS: usize = 1 << 10;
/// Places where a word is looked for: the keys of a line of a cache, and those of another one.
const PLACES: usize = 8;
/// Locks under which words come to their places. Words of one lock have the same one always.
const DOORS: usize = 64;
/// Teams and active sets per PE at a time whose rounds are kept apart.
pub const TEAMS: usize = 510;
/// In the place of a team that is gone: what is looked for may be behind it. No key is even.
const GONE: u64 = 2;

/// Places of a shared clock that hold numbers beside it: see [`SharedClock::note`].
pub(crate) const NOTES: usize = 4;
/// Actors with a number of their own.
const MOST_ACTORS: usize = ACTORS - NOTES - 1;
const CLOCK: usize = ACTORS * 4;
const HEADER: usize = 4096;
/// In a line of its own, because who makes an actor changes the first word.
const BLIND: usize = LINE;
const SPILLED: usize = 2 * LINE;
const DOORS_AT: usize = 4 * LINE;
const ROLE_WORDS: usize = 8;
const ROLES: usize = HEADER;
/// The numbers of actors of other nodes, by their names.
const NAMES: usize = ROLES + ACTORS * ROLE_WORDS * 4;
const NAME_PLACES: usize = 2 * ACTORS;
/// A bit for each actor whose kind is [`RoleKind::Tells`].
const TELLERS: usize = NAMES + NAME_PLACES * 8;
/// Of each of these the last epoch that somebody has learned from a word's clock.
const HEARD: usize = TELLERS + ACTORS / 8;
const KEYS: usize = HEARD + ACTORS * 4;
/// The clocks of words. In place of the epoch of actor 0, which nobody is, each has its lock: to change it is to change
/// one line of a cache.
const WORD_CLOCKS: usize = (KEYS + WORDS * 8).next_multiple_of(4096);
const ROUNDS: usize = WORD_CLOCKS + (WORDS + SHARED_WORDS) * CLOCK;
/// The first part of each word's clock, then the second part of each, and so on.
const WORD_STRIDE: usize = (WORDS + SHARED_WORDS) * PART;
/// Of one PE: the keys of its teams, a lock under which they come and go, then two clocks for each.
const ROUND_BYTES: usize = 4096 + TEAMS * 2 * CLOCK;

/// How often a lock is tried before the core is given away.
const SPINS: u32 = 200;
/// Bytes of a line of a cache.
const LINE: usize = 64;

/// What an actor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Role {
    pub pe: u32,
    pub kind: RoleKind,
    /// The context, as its PE counts them.
    pub ctx: u32,
    /// The PE to which the operations go. Gets have none.
    pub target: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RoleKind {
    /// Of the program.
    Thread = 1,
    /// Puts of a context to a target: any time until a quiet, ordered by fence.
    Puts,
    /// What a fence has ordered of the actor before.
    Fenced,
    /// Nonblocking gets and fetches of a context: any time until a quiet.
    Gets,
    /// AMOs, puts of one element and puts with signal of a context to a target: as puts, and over for who sees the
    /// word.
    Tells,
    /// What a collective that goes on does to the buffers of its PE, until its request is complete.
    Request,
}

/// What all nodes call an actor: its PE, and its number on that PE's node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Name {
    pub pe: u32,
    pub number: u32,
    pub kind: RoleKind,
}

/// In a place of [`NAMES`], behind the name: its number is being made, or there was no room for one.
const COMING: u64 = ACTORS as u64 - 1;
const NO_ROOM: u64 = ACTORS as u64 - 2;
const NUMBER_BITS: u32 = ACTORS.trailing_zeros();

/// The shared memory of a node.
#[derive(Clone, Copy)]
pub struct Table {
    base: *mut u8,
    pes: usize,
}

// SAFETY: the memory stays, by the promise to `Table::at`, and is accessed by atomics only.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl RoleKind {
    pub fn of(number: u32) -> Option<RoleKind> {
        use RoleKind::{Fenced, Gets, Puts, Request, Tells, Thread};
        [Thread, Puts, Fenced, Gets, Tells, Request].into_iter().find(|kind| *kind as u32 == number)
    }
}

impl Table {
    /// How long the memory is for this many PEs, of which some may be on other nodes.
    pub const fn bytes(pes: usize) -> usize {
        ROUNDS + pes * ROUND_BYTES
    }

    /// # Safety
    /// `base` leads to [`Table::bytes`] bytes that are zero when first used, aligned to 8, stay mapped, and are
    /// accessed as a table only.
    pub unsafe fn at(base: *mut u8, pes: usize) -> Table {
        Table { base, pes }
    }

    fn word32(&self, at: usize) -> &AtomicU32 {
        debug_assert!(at.is_multiple_of(4) && at < Table::bytes(self.pes));
        // SAFETY: inside the table, aligned, and accessed by atomics only.
        unsafe { AtomicU32::from_ptr(self.base.add(at).cast()) }
    }

    fn word64(&self, at: usize) -> &AtomicU64 {
        debug_assert!(at.is_multiple_of(8) && at < Table::bytes(self.pes));
        // SAFETY: inside the table, aligned, and accessed by atomics only.
        unsafe { AtomicU64::from_ptr(self.base.add(at).cast()) }
    }

    /// A clock that begins at `at`, with so many words from a part to the next.
    fn clock(&self, at: usize, stride: usize) -> SharedClock<'_> {
        let words = (ACTORS / PART - 1) * stride + PART;
        debug_assert!(at.is_multiple_of(4) && at + words * 4 <= Table::bytes(self.pes));
        // SAFETY: inside the table, aligned, and accessed by atomics only.
        SharedClock::new(unsafe { core::slice::from_raw_parts(self.base.add(at).cast(), words) }, stride)
    }

    /// The number after that of the last actor. They begin with 1.
    pub fn actors(&self) -> usize {
        self.word32(0).load(Ordering::Relaxed) as usize + 1
    }

    /// Makes an actor. None if there are too many.
    pub fn actor(&self, role: Role) -> Option<u32> {
        let counted = |n: u32| ((n as usize) < MOST_ACTORS).then_some(n + 1);
        let actor = self.word32(0).fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted).ok()? + 1;
        let at = ROLES + actor as usize * ROLE_WORDS * 4;
        for (i, value) in [role.kind as u32, role.pe, role.ctx, role.target].into_iter().enumerate() {
            self.word32(at + 4 * i).store(value, Ordering::Relaxed);
        }
        if role.kind == RoleKind::Tells {
            let (word, bit) = self.teller(actor);
            word.fetch_or(bit, Ordering::Relaxed);
        }
        Some(actor)
    }

    fn teller(&self, actor: u32) -> (&AtomicU32, u32) {
        (self.word32(TELLERS + actor as usize / 32 * 4), 1 << (actor % 32))
    }

    pub fn role(&self, actor: u32) -> Option<Role> {
        let word = |i| self.word32(ROLES + (actor as usize * ROLE_WORDS + i) * 4).load(Ordering::Relaxed);
        Some(Role { kind: RoleKind::of(word(0))?, pe: word(1), ctx: word(2), target: word(3) })
    }

    /// What other nodes call an actor. None while it is being made.
    pub fn name(&self, actor: u32) -> Option<Name> {
        let Role { kind, pe, .. } = self.role(actor)?;
        let elsewhere = self.word32(ROLES + (actor as usize * ROLE_WORDS + 7) * 4).load(Ordering::Relaxed);
        Some(Name { pe, kind, number: if elsewhere == 0 { actor } else { elsewhere } })
    }

    /// The number of an actor of another node. None: there is no room for more. Then [`Table::is_blind`] is true from
    /// now on.
    ///
    /// Bound: a few steps, while at most half of the places are taken.
    pub fn named(&self, name: Name) -> Option<u32> {
        let key = (u64::from(name.pe) + 1) << NUMBER_BITS | u64::from(name.number);
        let start = Table::hash(key) % NAME_PLACES;
        for i in 0..NAME_PLACES {
            let at = self.word64(NAMES + (start + i) % NAME_PLACES * 8);
            let mut found = at.load(Ordering::Acquire); // SYNC name: pairs with the store below
            if found == 0 {
                let coming = key << NUMBER_BITS | COMING;
                match at.compare_exchange(0, coming, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => {
                        let made = self.actor(Role { pe: name.pe, kind: name.kind, ctx: 0, target: 0 });
                        if let Some(actor) = made {
                            let place = ROLES + (actor as usize * ROLE_WORDS + 7) * 4;
                            self.word32(place).store(name.number, Ordering::Relaxed);
                        } else {
                            self.become_blind();
                        }
                        let number = made.map_or(NO_ROOM, u64::from);
                        // SYNC name: pairs with the loads of those who look for the name
                        at.store(key << NUMBER_BITS | number, Ordering::Release);
                        return made;
                    }
                    Err(other) => found = other,
                }
            }
            if found >> NUMBER_BITS == key {
                while found & COMING == COMING {
                    std::thread::yield_now();
                    found = at.load(Ordering::Acquire); // SYNC name: as above
                }
                let number = found & COMING;
                return (number != NO_ROOM).then_some(number as u32);
            }
        }
        self.become_blind();
        None
    }

    /// Clocks may lack what PEs of other nodes have told: an actor had no number on a node through which they came.
    pub fn is_blind(&self) -> bool {
        self.word32(BLIND).load(Ordering::Relaxed) != 0
    }

    pub fn become_blind(&self) {
        self.word32(BLIND).store(1, Ordering::Relaxed);
    }

    /// Notes which thread has started operations of an actor, and in which of their epochs: for messages.
    pub fn note_issue(&self, epoch: Stamp, by: Stamp) {
        let at = ROLES + epoch.actor as usize * ROLE_WORDS * 4;
        for (i, value) in [epoch.epoch, by.actor, by.epoch].into_iter().enumerate() {
            self.word32(at + 16 + 4 * i).store(value, Ordering::Relaxed);
        }
    }

    /// Which thread has started the operations of this epoch, if that is the actor's last one.
    pub fn issued_by(&self, epoch: Stamp) -> Option<Stamp> {
        let word = |i| self.word32(ROLES + (epoch.actor as usize * ROLE_WORDS + 4 + i) * 4).load(Ordering::Relaxed);
        (word(0) == epoch.epoch).then(|| Stamp { actor: word(1), epoch: word(2) })
    }

    fn hash(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
    }

    /// Where the word `key` is looked for among [`WORDS`].
    fn places(hash: usize) -> impl Iterator<Item = usize> {
        let starts = [hash % WORDS, (hash >> 16) % WORDS];
        starts.into_iter().flat_map(|start| (0..PLACES).map(move |i| start / PLACES * PLACES + i))
    }

    /// The place of a word that has one.
    fn find(&self, hash: usize, key: u64) -> Option<usize> {
        // Relaxed: the key alone is read here; the clock behind it has its lock.
        Table::places(hash).find(|i| self.word64(KEYS + i * 8).load(Ordering::Relaxed) == key)
    }

    /// Gives a word a place. One thread at a time does so for one word, so it gets one place, though others come free
    /// meanwhile. None: all that it may have are taken.
    #[cold]
    fn come(&self, hash: usize, key: u64) -> Option<usize> {
        let _door = Held::lock(self.word32(DOORS_AT + hash % DOORS * 4));
        let take = |i: &usize| {
            let _word = Held::lock(self.word32(WORD_CLOCKS + i * PART * 4));
            let at = self.word64(KEYS + i * 8);
            let taken = at.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed).is_ok();
            if taken && self.word32(SPILLED).load(Ordering::Relaxed) != 0 {
                // It may have been without a place.
                let (mine, spilled) = (self.clock(WORD_CLOCKS + i * PART * 4, WORD_STRIDE), self.spilled(hash));
                mine.join_shared(spilled.clock(), self.actors());
            }
            taken
        };
        self.find(hash, key).or_else(|| Table::places(hash).find(take))
    }

    /// The clock that a word without a place shares.
    fn spilled_place(hash: usize) -> usize {
        WORDS + hash % SHARED_WORDS
    }

    fn spilled(&self, hash: usize) -> SyncWord<'_> {
        self.found(Found(Table::spilled_place(hash)))
    }

    /// Nobody will ask for the synchronisation word `key` any more, but for what is new of its name.
    pub fn forget(&self, key: u64) {
        let hash = Table::hash(key);
        let _door = Held::lock(self.word32(DOORS_AT + hash % DOORS * 4));
        let Some(index) = self.find(hash, key) else { return };
        self.found(Found(index)).clock.clear(self.actors());
        self.word64(KEYS + index * 8).store(0, Ordering::Relaxed);
    }

    /// Whether words share clocks now, since there are too many. True once.
    pub fn has_spilled(&self) -> bool {
        self.word32(SPILLED).load(Ordering::Relaxed) == 1
            && self.word32(SPILLED).compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Finds the clock of the synchronisation word `key`, which is needed soon. `key` is not 0.
    pub fn soon(&self, key: u64) -> Found {
        let hash = Table::hash(key);
        let index = self.find(hash, key).or_else(|| self.come(hash, key)).unwrap_or_else(|| {
            if self.word32(SPILLED).load(Ordering::Relaxed) == 0 {
                let _ = self.word32(SPILLED).compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
            }
            Table::spilled_place(hash)
        });
        let clock = WORD_CLOCKS + index * PART * 4;
        write_soon(self.word32(clock));
        if self.actors() > LINE / 4 {
            write_soon(self.word32(clock + LINE));
        }
        Found(index)
    }

    /// The clock of a synchronisation word, if somebody has released it, or may have.
    pub fn released(&self, key: u64) -> Option<SyncWord<'_>> {
        let hash = Table::hash(key);
        let shared = || (self.word32(SPILLED).load(Ordering::Relaxed) != 0).then(|| Table::spilled_place(hash));
        self.find(hash, key).or_else(shared).map(|index| self.found(Found(index)))
    }

    /// The clock of the synchronisation word `key`, for this thread alone until it is dropped. `key` is not 0.
    pub fn sync_word(&self, key: u64) -> SyncWord<'_> {
        self.found(self.soon(key))
    }

    /// As [`Table::sync_word`].
    pub fn found(&self, Found(index): Found) -> SyncWord<'_> {
        let held = Held::lock(self.word32(WORD_CLOCKS + index * PART * 4));
        SyncWord { _held: held, clock: self.clock(WORD_CLOCKS + index * PART * 4, WORD_STRIDE), table: *self }
    }

    /// Whether somebody has learned from the clock of a word that this epoch is over.
    pub(crate) fn has_heard(&self, of: Stamp) -> bool {
        self.heard(of.actor).load(Ordering::Relaxed) >= of.epoch
    }

    /// Notes that somebody has learned so.
    fn hear(&self, of: Stamp) {
        let (word, bit) = self.teller(of.actor);
        if word.load(Ordering::Relaxed) & bit != 0 {
            self.heard(of.actor).fetch_max(of.epoch, Ordering::Relaxed);
        }
    }

    fn heard(&self, actor: u32) -> &AtomicU32 {
        self.word32(HEARD + actor as usize * 4)
    }

    /// The place of a team among those of the PE at `index`.
    fn team(&self, index: usize, i: usize) -> &AtomicU64 {
        self.word64(ROUNDS + index * ROUND_BYTES + i * 8)
    }

    /// Where a team is among those of the PE at `index`, and the first place where it may come to.
    fn find_team(&self, index: usize, key: u64) -> (Option<usize>, Option<usize>) {
        let mut free = None;
        for i in (0..TEAMS).map(|i| (key as usize + i) % TEAMS) {
            match self.team(index, i).load(Ordering::Relaxed) {
                found if found == key => return (Some(i), free),
                0 => return (None, free.or(Some(i))),
                GONE if free.is_none() => free = Some(i),
                _ => {}
            }
        }
        (None, free)
    }

    fn teams_door(&self, index: usize) -> Held<'_> {
        Held::lock(self.word32(ROUNDS + index * ROUND_BYTES + 4096 - 4))
    }

    #[cold]
    fn team_comes(&self, index: usize, key: u64) -> Option<usize> {
        let _door = self.teams_door(index);
        let (found, free) = self.find_team(index, key);
        found.or_else(|| free.inspect(|i| self.team(index, *i).store(key, Ordering::Relaxed)))
    }

    /// The clock that the PE at `index` brings to rounds of the team `key`, odd or even. Callers order the accesses by
    /// the barrier of the round. None if the PE has too many teams. `key` is odd.
    pub fn round(&self, index: usize, key: u64, odd: bool) -> Option<SharedClock<'_>> {
        let team = self.find_team(index, key).0.or_else(|| self.team_comes(index, key))?;
        let start = ROUNDS + index * ROUND_BYTES;
        Some(self.clock(start + 4096 + (team * 2 + usize::from(odd)) * CLOCK, PART))
    }

    /// The PE at `index` has no more rounds of the team `key`: it has left the last one, so all others have looked for
    /// its clock there.
    pub fn forget_team(&self, index: usize, key: u64) {
        let _door = self.teams_door(index);
        let Some(mut i) = self.find_team(index, key).0 else { return };
        self.team(index, i).store(GONE, Ordering::Relaxed);
        // Nothing is looked for behind an end.
        if self.team(index, (i + 1) % TEAMS).load(Ordering::Relaxed) == 0 {
            while self.team(index, i).load(Ordering::Relaxed) == GONE {
                self.team(index, i).store(0, Ordering::Relaxed);
                i = (i + TEAMS - 1) % TEAMS;
            }
        }
    }
}

/// A lock of a word in shared memory, held.
struct Held<'a>(&'a AtomicU32);

impl<'a> Held<'a> {
    fn lock(lock: &'a AtomicU32) -> Held<'a> {
        let mut tries = 0;
        // SYNC word: pairs with the release in drop
        while lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            // It is held for some tens of steps, unless who holds it has lost its core.
            tries += 1;
            if tries < SPINS {
                core::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        Held(lock)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release); // SYNC word: pairs with the acquire in lock
    }
}

/// Where the clock of a synchronisation word is.
#[derive(Clone, Copy)]
pub struct Found(usize);

/// The clock of a synchronisation word, held.
pub struct SyncWord<'a> {
    _held: Held<'a>,
    clock: SharedClock<'a>,
    table: Table,
}

impl SyncWord<'_> {
    /// Whoever sees the word after this knows what `clock` knows, and `more`.
    pub fn release(&self, clock: &Clock, more: &[Stamp]) {
        self.clock.join(clock, self.table.actors());
        more.iter().for_each(|stamp| self.clock.raise(*stamp));
    }

    /// What those know who have changed the word.
    pub fn clock(&self) -> SharedClock<'_> {
        self.clock
    }

    /// Knows what those know who have changed the word.
    pub fn acquire(&self, clock: &mut Clock) {
        clock.hear(self.clock, self.table.actors(), |news| self.table.hear(news));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two PEs that look for the clock of a team at the same time, which nobody has looked for before, find the same.
    #[test]
    fn of_two_both_find_the_clock_of_a_round() {
        let mut memory = vec![0u64; Table::bytes(1) / 8];
        // SAFETY: zero, as long as a table is, and kept beside it.
        let table = unsafe { Table::at(memory.as_mut_ptr().cast(), 1) };
        // A barrier of the system lets one go on before the other.
        let (come, wrong) = (AtomicU32::new(0), AtomicU32::new(0));
        let meet = |times: u32| {
            come.fetch_add(1, Ordering::SeqCst);
            while come.load(Ordering::SeqCst) < 2 * times {
                std::thread::yield_now();
            }
        };
        let look = |first: bool| {
            // More teams than there is room for at a time, in places that come free.
            for i in 1..=3 * TEAMS as u32 {
                let key = u64::from(2 * i + 1);
                meet(3 * i - 2);
                let clock = table.round(0, key, false).unwrap();
                if first {
                    clock.note(key, key << 40);
                }
                meet(3 * i - 1);
                wrong.fetch_add(u32::from(clock.noted() != (key, key << 40)), Ordering::Relaxed);
                meet(3 * i);
                if first && i > 5 {
                    table.forget_team(0, key - 10);
                }
            }
        };
        std::thread::scope(|s| {
            s.spawn(|| look(true));
            look(false);
        });
        assert_eq!(wrong.into_inner(), 0);
    }

    /// Words that come and go for ever, of which no more are there at a time than have room, share no clock, and begin
    /// with nothing that those before them knew.
    #[test]
    fn words_come_and_go() {
        let mut memory = vec![0u64; Table::bytes(1) / 8];
        // SAFETY: zero, as long as a table is, and kept beside it.
        let table = unsafe { Table::at(memory.as_mut_ptr().cast(), 1) };
        let actor = table.actor(Role { pe: 0, kind: RoleKind::Thread, ctx: 0, target: 0 }).unwrap();
        let mut knows = Clock::default();
        knows.raise(Stamp { actor, epoch: 7 });
        for key in 1..4 * WORDS as u64 {
            table.sync_word(key).release(&knows, &[]);
            if key > 100 {
                assert_eq!(table.released(key - 100).unwrap().clock().get(actor), 7);
                table.forget(key - 100);
                assert!(table.released(key - 100).is_none());
            }
        }
        assert!(!table.has_spilled());
        // More at a time than there is room for: this is told once.
        (1..2 * WORDS as u64).for_each(|key| drop(table.sync_word(key << 20 | 1)));
        assert!(table.has_spilled() && !table.has_spilled());
        assert!(table.released(1 << 50).is_some());
    }
}
