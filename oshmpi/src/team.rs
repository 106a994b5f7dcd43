//! Teams: start, stride, size, and a desk on which each member says things to the others. Nothing here grows with the
//! job, and nothing is looked up: a handle is the address of its team.

use crate::memory::node::{DESKS, Desk, Node, TRAY, WORDS};
use crate::sync::atomics::{AtomicU64, Ordering};
use crate::sync::barrier::{self, FLAT, Style, Words};
use crate::sync::wait::Patience;
use core::sync::atomic::AtomicU32;
use std::sync::Mutex;

const LIVE: u32 = 0x7ea3_11fe;
const DEAD: u32 = 0xdead_7ea3;

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
        Some(Members {
            start: self.world(start as u32),
            stride: i32::try_from(stride).ok()?,
            size: size as u32,
        })
    }
}

/// A team as one of its members has it. Aligned so that no address is one of the predefined handles.
#[repr(align(64))]
pub(crate) struct Team {
    state: AtomicU32,
    pub(crate) members: Members,
    /// This PE's number in the team.
    pub(crate) me: u32,
    desk: u32,
    /// The last meeting this member came to. One thread of a PE is in a collective of a team at a time.
    seq: AtomicU64,
    /// The last odd and even meetings at which this member said something.
    said: [AtomicU64; 2],
    pub(crate) num_contexts: i32,
    /// `SHMEM_TEAM_WORLD` and `SHMEM_TEAM_SHARED` cannot be destroyed.
    pub(crate) predefined: bool,
}

impl Team {
    /// A team whose meetings start after `seq`, which is at least the last one of every team that had the desk before.
    pub(crate) fn new(members: Members, me: u32, desk: usize, seq: u64, num_contexts: i32, predefined: bool) -> Team {
        Team {
            state: AtomicU32::new(LIVE),
            members,
            me,
            desk: desk as u32,
            seq: AtomicU64::new(seq),
            said: [AtomicU64::new(0), AtomicU64::new(0)],
            num_contexts,
            predefined,
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.members.size as usize
    }

    pub(crate) fn alive(&self) -> bool {
        self.state.load(Ordering::Relaxed) == LIVE
    }

    /// Marks it, so that a handle kept too long is noticed while nobody has reused the memory.
    pub(crate) fn kill(&self) {
        self.state.store(DEAD, Ordering::Relaxed);
    }

    pub(crate) fn desk_number(&self) -> usize {
        self.desk as usize
    }

    pub(crate) fn last_meeting(&self) -> u64 {
        self.seq.load(Ordering::Relaxed)
    }

    /// The team at work on a node.
    #[inline]
    pub(crate) fn on<'a>(&'a self, node: &'a Node) -> Meeting<'a> {
        Meeting { team: self, node }
    }
}

/// A team, and the node its desks are on: what members do together.
#[derive(Clone, Copy)]
pub(crate) struct Meeting<'a> {
    team: &'a Team,
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

impl Meeting<'_> {
    #[inline]
    fn desk_of(&self, member: usize) -> Desk<'_> {
        self.node.desk(self.team.members.world(member as u32) as usize, self.team.desk as usize)
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
    }

    /// Returns when `root` has come; `root` waits for nobody.
    pub(crate) fn follow(&self, root: usize) {
        if self.style() == Style::Count || self.team.size() == 1 {
            return self.meet();
        }
        let (me, seq, wait) = (self.team.me as usize, self.next(), self.node.waiter());
        barrier::arrive(self, &wait, me, seq);
        if me != root {
            barrier::wait_for(self, &wait, root, seq);
        }
    }

    /// `root` returns when all have come; the others wait for nobody.
    pub(crate) fn report(&self, root: usize) {
        if self.style() == Style::Count || self.team.size() == 1 {
            return self.meet();
        }
        let (me, seq, wait) = (self.team.me as usize, self.next(), self.node.waiter());
        barrier::arrive(self, &wait, me, seq);
        if me == root {
            for other in (0..self.team.size()).filter(|&i| i != me) {
                barrier::wait_for(self, &wait, other, seq);
            }
        }
    }

    /// Where to put what this member says at the next meeting: waits until everybody has heard what lies there.
    fn clear_place(&self) -> (Desk<'_>, u64) {
        let seq = self.team.seq.load(Ordering::Relaxed) + 1;
        let said = &self.team.said[(seq % 2) as usize];
        let last = said.load(Ordering::Relaxed);
        if last != 0 && self.style() == Style::Flags {
            // Members that did not wait for each other may still be at that meeting. With the counter everybody
            // waits for everybody, so nobody is.
            let wait = self.node.waiter();
            for other in (0..self.team.size()).filter(|&i| i != self.team.me as usize) {
                barrier::wait_for(self, &wait, other, last + 1);
            }
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

    /// Where the `len` bytes lie that `member` placed for the meeting just over.
    pub(crate) fn placed(&self, member: usize, len: usize) -> *const u8 {
        let (desk, seq) = (self.desk_of(member), self.team.last_meeting());
        (if len <= 8 * WORDS { desk.words_at(seq) } else { desk.tray_at(seq) }) as *const u8
    }
}

/// Which desks of this PE are free, and the latest meeting any of them has seen.
pub(crate) struct Desks(Mutex<State>);

struct State {
    free: [u64; DESKS / 64],
    latest: u64,
}

impl Desks {
    /// All free but the first `taken`.
    pub(crate) fn new(taken: usize) -> Desks {
        let mut free = [u64::MAX; DESKS / 64];
        free[0] <<= taken;
        Desks(Mutex::new(State { free, latest: 0 }))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// A picture of what is free, and the latest meeting.
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

    /// Gives one back whose last meeting was `seq`.
    pub(crate) fn give(&self, desk: usize, seq: u64) {
        let mut state = self.lock();
        state.free[desk / 64] |= 1 << (desk % 64);
        state.latest = state.latest.max(seq);
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
    fn desks_are_taken_once() {
        let desks = Desks::new(2);
        assert!(!desks.take(0) && !desks.take(1));
        assert!(desks.take(2) && !desks.take(2));
        desks.give(2, 17);
        assert_eq!(desks.look().1, 17);
        assert!(desks.take(2));
    }
}
