//! Teams: start, stride, size, and a desk on which each member says things to the others. Nothing here grows with the
//! job.

use crate::memory::addr::Pe;
use crate::memory::node::{DESKS, Desk, Node, TRAY, WORDS};
use crate::memory::places::Places;
use crate::sync::atomics::{AtomicU64, Ordering};
use crate::sync::barrier::{self, FLAT, Style, Words};
use crate::sync::wait::Patience;
use core::sync::atomic::{AtomicBool, AtomicPtr};
use std::sync::Mutex;

/// `shmem_team_t`: 0 is `SHMEM_TEAM_INVALID`, 1 `SHMEM_TEAM_WORLD`, 2 `SHMEM_TEAM_SHARED`; others are made by [`Teams`].
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TeamHandle(pub(crate) usize);

impl TeamHandle {
    pub(crate) const INVALID: TeamHandle = TeamHandle(0);
    pub(crate) const WORLD: TeamHandle = TeamHandle(1);
    pub(crate) const SHARED: TeamHandle = TeamHandle(2);
}

/// Who is in a team. Member i is PE `start + i * stride` of the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Members {
    pub(crate) start: u32,
    pub(crate) stride: i32,
    pub(crate) size: u32,
}

impl Members {
    /// World PE of member `i`, which must be below `size`.
    #[inline]
    pub(crate) fn world(self, i: u32) -> u32 {
        debug_assert!(i < self.size);
        (i64::from(self.start) + i64::from(i) * i64::from(self.stride)) as u32
    }

    /// Number of a world PE in the team, if it is a member.
    pub(crate) fn index(self, pe: u32) -> Option<u32> {
        let away = i64::from(pe) - i64::from(self.start);
        if self.size == 1 || self.stride == 0 {
            return (away == 0).then_some(0);
        }
        let stride = i64::from(self.stride);
        let i = away / stride;
        (away % stride == 0 && (0..i64::from(self.size)).contains(&i)).then_some(i as u32)
    }

    /// The sub-triplet of this team's members, if all of them exist: numbers are team numbers.
    pub(crate) fn part(self, start: i32, stride: i32, size: i32) -> Option<Members> {
        let inside = |i: i64| (0..i64::from(self.size)).contains(&i);
        let last = i64::from(start) + i64::from(size - 1) * i64::from(stride);
        if size < 1 || (stride == 0 && size != 1) || !inside(start.into()) || !inside(last) {
            return None;
        }
        let stride = if size == 1 { 1 } else { i64::from(stride) * i64::from(self.stride) };
        Some(Members { start: self.world(start as u32), stride: i32::try_from(stride).ok()?, size: size as u32 })
    }

    /// The members by their slots on this node, if all of them are here. The same answer on every member.
    pub(crate) fn slots(self, places: &Places) -> Option<Members> {
        if places.everybody() {
            return Some(self);
        }
        let slot = |i| places.local(Pe(self.world(i))).map(|s| s as i64);
        let start = slot(0)?;
        let stride = if self.size > 1 { slot(1)? - start } else { 1 };
        // Where PEs are placed irregularly, slots need not follow each other at equal distances.
        let regular = (0..self.size).all(|i| slot(i) == Some(start + i64::from(i) * stride));
        regular.then_some(Members { start: start as u32, stride: stride as i32, size: self.size })
    }
}

/// A team as one of its members has it.
pub(crate) struct Team {
    pub(crate) handle: TeamHandle,
    pub(crate) members: Members,
    /// The members by their slots, if all are on this node: then they meet on desks.
    near: Option<Members>,
    /// This PE's number in the team.
    pub(crate) me: u32,
    desk: u32,
    /// The last meeting this member came to. One thread of a PE is in a collective of a team at a time.
    seq: AtomicU64,
    /// The last meeting at which everybody waited for everybody.
    full: AtomicU64,
    /// The last odd and even meetings at which this member said something.
    said: [AtomicU64; 2],
    pub(crate) num_contexts: i32,
    /// A thread is in a collective, with `SHMEM_DEBUG`.
    busy: AtomicBool,
}

impl Team {
    /// A predefined team, on one of the first desks.
    pub(crate) fn predefined(handle: TeamHandle, members: Members, pe: Pe, places: &Places) -> Team {
        let me = members.index(pe.0).expect("a PE is in the predefined teams it has");
        Team::new(handle, members, members.slots(places), me, handle.0 - 1, 0, 0)
    }

    /// All PEs of this node, whatever their numbers: for what they arrange among themselves before anybody else has
    /// the first desk.
    pub(crate) fn of_node(places: &Places, me: usize) -> Team {
        let slots = Members { start: 0, stride: 1, size: places.count() as u32 };
        Team::new(TeamHandle::INVALID, slots, Some(slots), me as u32, 0, 0, 0)
    }

    /// A team whose meetings start after `seq`, which is at least the last one of every team that had the desk before.
    fn new(
        handle: TeamHandle,
        members: Members,
        near: Option<Members>,
        me: u32,
        desk: usize,
        seq: u64,
        num_contexts: i32,
    ) -> Team {
        let said = [AtomicU64::new(0), AtomicU64::new(0)];
        Team {
            handle,
            members,
            near,
            me,
            desk: desk as u32,
            seq: AtomicU64::new(seq),
            full: AtomicU64::new(0),
            said,
            num_contexts,
            busy: AtomicBool::new(false),
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.members.size as usize
    }

    /// Its desk: the same number on all members, and another one for every team of a PE.
    pub(crate) fn desk_number(&self) -> usize {
        self.desk as usize
    }

    pub(crate) fn last_meeting(&self) -> u64 {
        self.seq.load(Ordering::Relaxed)
    }

    /// The team at work on its node.
    #[inline]
    pub(crate) fn on<'a>(&'a self, node: &'a Node) -> Meeting<'a> {
        let slots = self.near.expect("a team that meets on desks is on one node");
        Meeting { team: self, slots, node }
    }
}

/// A team, and the node its desks are on: what members do together.
#[derive(Clone, Copy)]
pub(crate) struct Meeting<'a> {
    team: &'a Team,
    slots: Members,
    node: &'a Node,
}

impl Words for Meeting<'_> {
    #[inline]
    fn arrived(&self, member: usize, seq: u64) -> &AtomicU64 {
        self.desk_of(member).arrived(seq)
    }

    #[inline]
    fn count(&self) -> &AtomicU64 {
        self.desk_of(0).count()
    }

    #[inline]
    fn released(&self) -> &AtomicU64 {
        self.desk_of(0).released()
    }
}

impl<'a> Meeting<'a> {
    /// Whether a thread is in a collective of the team.
    pub(crate) fn busy(&self) -> &'a AtomicBool {
        &self.team.busy
    }

    #[inline]
    fn desk_of(&self, member: usize) -> Desk<'_> {
        self.node.desk(self.slots.world(member as u32) as usize, self.team.desk as usize)
    }

    #[inline]
    fn style(&self) -> Style {
        let flags = self.node.patience == Patience::Spin && self.team.size() <= FLAT;
        if flags { Style::Flags } else { Style::Count }
    }

    /// Counts the next meeting.
    #[inline]
    fn next(&self) -> u64 {
        let seq = self.team.seq.load(Ordering::Relaxed) + 1;
        self.team.seq.store(seq, Ordering::Relaxed);
        seq
    }

    /// All members meet.
    #[inline]
    pub(crate) fn meet(&self) {
        let (me, n, seq) = (self.team.me as usize, self.team.size(), self.next());
        barrier::meet(self, &self.node.waiter(), self.style(), me, n, seq);
        self.team.full.store(seq, Ordering::Relaxed);
    }

    /// Returns when `root` has come; `root` waits for nobody.
    pub(crate) fn follow(&self, root: usize) {
        let (me, seq, wait) = (self.team.me as usize, self.next(), self.node.waiter());
        if me == root {
            barrier::arrive(self, &wait, me, seq);
        } else {
            self.come(seq);
            barrier::wait_for(self, &wait, root, seq);
        }
    }

    /// `root` returns when all have come; the others wait for nobody.
    pub(crate) fn report(&self, root: usize) {
        let seq = self.next();
        self.come(seq);
        if self.team.me as usize == root {
            self.wait_for_others(seq);
        }
    }

    /// Says that this member has come, to whom it may concern: where PEs outnumber cores, waking all that sleep because
    /// one has come costs more than the short naps of the one who waits for it.
    fn come(&self, seq: u64) {
        match self.style() {
            Style::Flags => barrier::arrive(self, &self.node.waiter(), self.team.me as usize, seq),
            Style::Count => barrier::arrive_quietly(self, self.team.me as usize, seq),
        }
    }

    fn wait_for_others(&self, seq: u64) {
        let wait = if self.style() == Style::Flags { self.node.waiter() } else { self.node.own_waiter() };
        for other in (0..self.team.size()).filter(|&i| i != self.team.me as usize) {
            barrier::wait_for(self, &wait, other, seq);
        }
    }

    /// Where to put what this member says at the next meeting: waits until everybody has heard what lies there.
    fn clear_place(&self) -> (Desk<'_>, u64) {
        let seq = self.team.seq.load(Ordering::Relaxed) + 1;
        let said = &self.team.said[(seq % 2) as usize];
        let last = said.load(Ordering::Relaxed);
        // Members that did not wait for each other may still be at that meeting, unless all have met since.
        if last != 0 && self.team.full.load(Ordering::Relaxed) <= last {
            self.wait_for_others(last + 1);
        }
        said.store(seq, Ordering::Relaxed);
        (self.desk_of(self.team.me as usize), seq)
    }

    /// Words for the next meeting, which must follow.
    pub(crate) fn say(&self, words: &[u64]) {
        let (desk, seq) = self.clear_place();
        for (i, &word) in words.iter().enumerate().take(WORDS) {
            desk.word(seq, i).store(word, Ordering::Relaxed); // ordered by the meeting
        }
    }

    /// Word `i` of what `member` said at the meeting just over.
    pub(crate) fn heard(&self, member: usize, i: usize) -> u64 {
        self.desk_of(member).word(self.team.last_meeting(), i).load(Ordering::Relaxed)
    }

    /// Where `len` bytes for the next meeting go, at most [`TRAY`].
    pub(crate) fn place(&self, len: usize) -> *mut u8 {
        debug_assert!(len <= TRAY);
        let (desk, seq) = self.clear_place();
        (if len <= 8 * WORDS { desk.words_at(seq) } else { desk.tray_at(seq) }) as *mut u8
    }

    /// A word for the next meeting, and where `len` bytes go that travel with it, at most [`TRAY`].
    pub(crate) fn say_with(&self, word: u64, len: usize) -> *mut u8 {
        let (desk, seq) = self.clear_place();
        desk.word(seq, 0).store(word, Ordering::Relaxed); // ordered by the meeting
        Self::beside_word(desk, seq, len) as *mut u8
    }

    /// Where the `len` bytes lie that `member` sent with its word to the meeting just over.
    pub(crate) fn sent_with(&self, member: usize, len: usize) -> *const u8 {
        Self::beside_word(self.desk_of(member), self.team.last_meeting(), len) as *const u8
    }

    /// In the line behind the first word, or in the tray.
    fn beside_word(desk: Desk<'_>, seq: u64, len: usize) -> usize {
        if len <= 8 * (WORDS - 1) { desk.words_at(seq) + 8 } else { desk.tray_at(seq) }
    }

    pub(crate) fn size(&self) -> usize {
        self.team.size()
    }

    pub(crate) fn me(&self) -> usize {
        self.team.me as usize
    }

    /// World PE of a member.
    pub(crate) fn pe(&self, member: usize) -> u32 {
        self.team.members.world(member as u32)
    }

    /// Where the `len` bytes lie that `member` placed for the meeting just over.
    pub(crate) fn placed(&self, member: usize, len: usize) -> *const u8 {
        let (desk, seq) = (self.desk_of(member), self.team.last_meeting());
        (if len <= 8 * WORDS { desk.words_at(seq) } else { desk.tray_at(seq) }) as *const u8
    }
}

/// The teams the program has made on this PE, one per desk, and which desks are free.
pub(crate) struct Teams {
    state: Mutex<State>,
    at: [AtomicPtr<Team>; DESKS],
}

struct State {
    free: [u64; DESKS / 64],
    /// The latest meeting any desk has seen.
    latest: u64,
    made: usize,
}

/// Desks of the predefined teams.
const PREDEFINED: usize = 2;

impl Teams {
    pub(crate) fn new() -> Teams {
        let mut free = [u64::MAX; DESKS / 64];
        free[0] <<= PREDEFINED;
        let state = Mutex::new(State { free, latest: 0, made: 0 });
        Teams { state, at: [const { AtomicPtr::new(core::ptr::null_mut()) }; DESKS] }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// A picture of the free desks, and the latest meeting.
    pub(crate) fn look(&self) -> ([u64; DESKS / 64], u64) {
        let state = self.lock();
        (state.free, state.latest)
    }

    /// Takes a desk if it is still free.
    pub(crate) fn take(&self, desk: usize) -> bool {
        let mut state = self.lock();
        let bit = 1 << (desk % 64);
        let was = state.free[desk / 64] & bit != 0;
        state.free[desk / 64] &= !bit;
        was
    }

    /// Gives back a desk that was taken and not used, or whose last meeting was `seq`.
    pub(crate) fn give(&self, desk: usize, seq: u64) {
        let mut state = self.lock();
        state.free[desk / 64] |= 1 << (desk % 64);
        state.latest = state.latest.max(seq);
    }

    /// Makes a team on a desk that was taken.
    pub(crate) fn insert(
        &self,
        members: Members,
        places: &Places,
        me: u32,
        desk: usize,
        seq: u64,
        num_contexts: i32,
    ) -> TeamHandle {
        let made = {
            let mut state = self.lock();
            state.made += 1;
            state.made
        };
        // The count makes a handle that was destroyed differ from the next one on the same desk.
        let handle = TeamHandle(made * DESKS + desk);
        let team = Box::new(Team::new(handle, members, members.slots(places), me, desk, seq, num_contexts));
        self.at[desk].store(Box::into_raw(team), Ordering::Release); // SYNC team: pairs with find
        handle
    }

    /// The team of a handle that `insert` gave and `remove` has not taken.
    #[inline]
    pub(crate) fn find(&self, handle: TeamHandle) -> Option<&Team> {
        let p = self.at[handle.0 % DESKS].load(Ordering::Acquire); // SYNC team: pairs with insert
        // SAFETY: null or a team that lives until `remove`, which the program must not call while it uses the team.
        unsafe { p.as_ref() }.filter(|team| team.handle == handle)
    }

    /// Ends a team of `insert`'s.
    pub(crate) fn remove(&self, handle: TeamHandle) {
        let Some(team) = self.find(handle) else { return };
        let (desk, seq) = (team.desk as usize, team.last_meeting());
        let p = self.at[desk].swap(core::ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: made by Box::into_raw in `insert`, and taken out of the table by nobody else.
        drop(unsafe { Box::from_raw(p) });
        self.give(desk, seq);
    }

    /// Handles of all teams there are.
    pub(crate) fn handles(&self) -> Vec<TeamHandle> {
        // SAFETY: as in find.
        let team = |p: &AtomicPtr<Team>| unsafe { p.load(Ordering::Acquire).as_ref() }.map(|t| t.handle);
        self.at.iter().filter_map(team).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Numbering there and back, for any triplet that fits in the world.
        #[test]
        fn index_undoes_world(start in 0u32..100, stride in -7i32..8, size in 1u32..20) {
            let size = if stride == 0 { 1 } else { size };
            let last = i64::from(start) + i64::from(size - 1) * i64::from(stride);
            prop_assume!((0..200).contains(&last));
            let m = Members { start, stride, size };
            let list: Vec<u32> = (0..size).map(|i| m.world(i)).collect();
            for pe in 0..200 {
                prop_assert_eq!(m.index(pe), list.iter().position(|&w| w == pe).map(|i| i as u32));
            }
        }

        /// A part of a part is what indexing twice gives; what is out of range is refused.
        #[test]
        fn parts_compose(pstride in prop::sample::select(vec![-3, -1, 1, 2]), start in -2i32..12, stride in -4i32..5, size in -1i32..12) {
            let parent = Members { start: 50, stride: pstride, size: 10 };
            let wanted: Vec<i64> = (0..i64::from(size.max(0))).map(|i| i64::from(start) + i * i64::from(stride)).collect();
            let legal = size >= 1 && (stride != 0 || size == 1) && wanted.iter().all(|i| (0..10).contains(i));
            let got = parent.part(start, stride, size);
            prop_assert_eq!(got.is_some(), legal);
            if let Some(part) = got {
                let expect: Vec<u32> = wanted.iter().map(|&i| parent.world(i as u32)).collect();
                prop_assert_eq!((0..part.size).map(|i| part.world(i)).collect::<Vec<_>>(), expect);
            }
        }
    }

    #[test]
    fn teams_across_nodes_have_no_slots() {
        let here = Places::new(vec![2, 3, 4, 5], 8);
        let m = |start, stride, size| Members { start, stride, size };
        assert_eq!(m(2, 1, 4).slots(&here), Some(m(0, 1, 4)));
        assert_eq!(m(5, -2, 2).slots(&here), Some(m(3, -2, 2)));
        assert_eq!(m(4, 0, 1).slots(&here), Some(m(2, 1, 1)));
        assert_eq!(m(1, 1, 3).slots(&here), None);
        assert_eq!(m(0, 1, 8).slots(&here), None);
        let round_robin = Places::new(vec![1, 4, 7], 9);
        assert_eq!(m(1, 3, 3).slots(&round_robin), Some(m(0, 1, 3)));
        let odd = Places::new(vec![0, 1, 5, 9], 10);
        assert_eq!(m(1, 4, 3).slots(&odd), Some(m(1, 1, 3)));
        assert_eq!(m(0, 5, 2).slots(&odd), Some(m(0, 2, 2)));
    }

    #[test]
    fn a_destroyed_handle_is_not_found_again() {
        let teams = Teams::new();
        let members = Members { start: 0, stride: 1, size: 1 };
        let places = Places::new(vec![0], 1);
        assert!(!teams.take(0) && !teams.take(1));
        let mut old = Vec::new();
        for round in 1..=1000 {
            assert!(teams.take(2) && !teams.take(2));
            let handle = teams.insert(members, &places, 0, 2, round, 0);
            assert!(teams.find(handle).is_some() && handle.0 > 2);
            assert!(old.iter().all(|&h| teams.find(h).is_none()));
            teams.remove(handle);
            assert!(teams.find(handle).is_none());
            assert_eq!(teams.look().1, round);
            old = vec![handle, TeamHandle(handle.0 + 1), TeamHandle(usize::MAX), TeamHandle(3)];
        }
        assert!(teams.handles().is_empty());
    }
}
