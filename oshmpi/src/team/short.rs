//! Short requests of a team on one node: see `sync/short` for their lines. What a member places travels in the line of
//! its arrival.

use super::request::{Request, check_call, is_of};
use super::{NodeTeam, Team};
use crate::memory::local::{Dest, Source};
use crate::memory::node::{Node, UNDER_WAY, WORDS};
use crate::memory::posted::{ShortLines, SyncSlot};
use crate::sync::atomics::{AtomicU64, Ordering};
use crate::sync::short::{self, ShortWords};
use crate::sync::tree;
use core::ops::Range;
use core::sync::atomic::fence;

/// A short request of a team as one of its members has it.
#[derive(Clone, Copy)]
pub(crate) struct ShortRequest<'a> {
    pub(crate) team: NodeTeam<'a>,
    pub(crate) number: u64,
    /// The word of an arrival.
    word: u64,
    lines: ShortLines<'a>,
}

impl ShortWords for ShortRequest<'_> {
    type Word = AtomicU64;
    const UNDER_WAY: u64 = UNDER_WAY as u64;

    #[inline]
    fn line(&self, member: usize) -> &AtomicU64 {
        self.line_of(member).arrived(0)
    }

    fn has_started(&self, member: usize, number: u64) -> bool {
        let is_late = |word: u64| word.wrapping_sub(Request::word(number, 0, 0)) as i64 >= 0;
        is_late(short::came(&self.team.in_short(number, 0), member)) || is_late(self.team.longer_word(member, number))
    }
}

impl<'a> NodeTeam<'a> {
    /// Whether the members read each other's lines. Large teams do not, because each member would read those of all.
    #[inline]
    pub(crate) fn has_shorts(&self) -> bool {
        self.size() < tree::FROM
    }

    /// The short request with this number. `call`: see `check::signature`.
    #[inline]
    pub(crate) fn in_short(self, number: u64, call: u64) -> ShortRequest<'a> {
        let lines = self.node.short_lines(self.team.sync_slot as usize, number);
        ShortRequest { team: self, number, word: Request::word(number, 1, call), lines }
    }

    /// Whether this member can place bytes for the short request with this number, and arrive: nobody reads what it
    /// placed in the same line.
    #[inline]
    pub(crate) fn is_free(&self, number: u64) -> bool {
        let seen = self.team.seen.load(Ordering::Acquire); // SYNC short-seen: pairs with all_have_come
        seen + UNDER_WAY as u64 >= number || is_free_otherwise(self.team, self.node, number)
    }

    /// Whether `member` has come to a short request with this number.
    pub(super) fn came_to_short(&self, member: usize, number: u64) -> bool {
        is_of(number, short::came(&self.in_short(number, 0), member))
    }
}

/// See [`NodeTeam::is_free`].
#[inline(never)] // who need not look keeps its registers
fn is_free_otherwise(team: &Team, node: &Node, number: u64) -> bool {
    let here = team.here(node, "");
    let seen = team.seen.load(Ordering::Acquire); // SYNC short-seen: pairs with all_have_come
    short::is_free(&here.in_short(number, 0), here.me(), here.size(), number, seen)
}

impl ShortRequest<'_> {
    #[inline]
    fn line_of(&self, member: usize) -> SyncSlot<'_> {
        let team = &self.team;
        self.lines.of(if member == team.me() { team.node.me } else { team.slot(member) })
    }

    /// Room for the `len` bytes that this member places, at most [`PLACED`](super::PLACED).
    #[inline(always)]
    pub(crate) fn place(&self, len: usize) -> Dest<'_> {
        NodeTeam::beside(self.line_of(self.team.me()), 0, 0..WORDS, len)
    }

    /// Arrives with what this member has placed, and wakes the members of `whom` that sleep.
    #[inline(always)]
    pub(crate) fn arrive(&self, whom: Range<usize>) {
        let (team, me) = (&self.team, self.team.me());
        short::arrive(self, me, self.word);
        if team.crowded() {
            fence(Ordering::SeqCst); // SYNC event-count: pairs with the fence in a sleep
        }
        whom.filter(|&i| i != me).for_each(|i| team.node.notify(team.slot(i)));
    }

    /// Whether `member` has come, or is beyond this request. Ends the job if it is in another collective.
    #[inline]
    pub(crate) fn has_come(&self, member: usize) -> bool {
        let came = short::came(self, member);
        came == self.word || self.has_come_otherwise(member, came)
    }

    /// See [`ShortRequest::has_come`].
    #[inline(never)]
    fn has_come_otherwise(&self, member: usize, came: u64) -> bool {
        let elsewhere = || is_of(self.number, self.team.longer_word(member, self.number));
        check_call(&self.team, member, came, self.word, elsewhere)
    }

    /// Notes that all others have come.
    #[inline]
    pub(crate) fn all_have_come(&self) {
        let seen = &self.team.team.seen;
        // A thread that finds more meanwhile may be overwritten: then others are looked at once more.
        if self.number > seen.load(Ordering::Relaxed) {
            seen.store(self.number, Ordering::Release); // SYNC short-seen: pairs with is_free
        }
    }

    /// The `len` bytes that `member` placed.
    #[inline]
    pub(crate) fn placed(&self, member: usize, len: usize) -> Source<'_> {
        NodeTeam::read_beside(self.line_of(member), 0, 0..WORDS, len)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::memory::node::{SYNC_SLOTS, Shape};
    use crate::team::PLACED;
    use core::future::Future;
    use core::task::{Context, Waker};
    use std::thread;

    /// The members of a team of `n` PEs on one node. Each has a mapping of the node's memory.
    pub(crate) fn members(n: u32) -> Vec<NodeTeam<'static>> {
        let member = |node: Node| {
            let node = Box::leak(Box::new(node));
            Box::leak(Box::new(Team::of_node(&node.places, node.me))).here(node, "test")
        };
        Node::of_threads(n).into_iter().map(member).collect()
    }

    fn bytes(member: usize, number: u64) -> [u64; WORDS] {
        core::array::from_fn(|i| number << 8 | (member as u64) << 4 | i as u64)
    }

    fn place(team: NodeTeam<'_>, number: u64) {
        let own = bytes(team.me(), number);
        copy(team.in_short(number, 0).place(PLACED).at(), own.as_ptr().cast());
        team.in_short(number, 0).arrive(0..team.size());
    }

    fn copy(to: *mut u8, from: *const u8) {
        // SAFETY: both are PLACED bytes of this test.
        unsafe { core::ptr::copy_nonoverlapping(from, to, PLACED) }
    }

    fn check(team: NodeTeam<'_>, number: u64, member: usize) {
        let mut came = [0; WORDS];
        copy(came.as_mut_ptr().cast(), team.in_short(number, 0).placed(member, PLACED).at());
        assert_eq!(came, bytes(member, number), "request {number}, of member {member} at {}", team.me());
    }

    /// Who is needed in a request: all, one member, or those before the caller.
    fn needed(me: usize, n: usize, number: u64) -> Range<usize> {
        match number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 {
            0 => 0..n,
            1 => 0..me,
            _ => (number as usize % n)..(number as usize % n + 1),
        }
    }

    /// 16 requests are under way at each of four members, of which some are needed by nobody for long. All bytes come.
    /// They and the arrivals take the 32 lines of each member and nothing else of the node's memory, however many
    /// requests there are.
    #[test]
    fn lines_of_short_requests_are_used_again_when_they_are_read() {
        const REQUESTS: u64 = if cfg!(miri) { 70 } else { 3000 };
        let all = members(4);
        let node = all[0].node;
        thread::scope(|scope| {
            for &team in &all {
                scope.spawn(move || {
                    let (me, n) = (team.me(), team.size());
                    for number in 1..=REQUESTS + UNDER_WAY as u64 {
                        if let Some(ended) = number.checked_sub(UNDER_WAY as u64).filter(|&ended| ended > 0) {
                            let needed = needed(me, n, ended);
                            for member in needed.clone().filter(|&i| i != me) {
                                while !team.in_short(ended, 0).has_come(member) {
                                    thread::yield_now();
                                }
                                check(team, ended, member);
                            }
                            if needed.len() == n {
                                team.in_short(ended, 0).all_have_come();
                            }
                        }
                        if number <= REQUESTS {
                            while !team.is_free(number) {
                                thread::yield_now();
                            }
                            place(team, number);
                        }
                    }
                });
            }
        });
        let Shape { sync_slots, shorts, pairs, slots, .. } = node.shape;
        let of_slot = (pairs - shorts) / SYNC_SLOTS;
        assert_eq!(node.lines_written(shorts..shorts + of_slot), 4 * 2 * UNDER_WAY);
        assert_eq!(node.lines_written(sync_slots..shorts) + node.lines_written(shorts + of_slot..slots), 0);
    }

    /// A member comes to a request that is not short, and does not go on.
    fn come_to_longer(team: NodeTeam<'_>, number: u64) {
        let request = Request::new(number, 0);
        let here = team.in_request(&request);
        let _ = core::pin::pin!(here.barrier()).poll(&mut Context::from_waker(Waker::noop()));
    }

    /// The root of broadcasts is ahead: it places the bytes of 32 requests before the other member has started one. The
    /// next line is free when that member has started the request 16 before, short or not.
    #[test]
    fn a_member_may_be_32_requests_late() {
        for longer in [None, Some(17)] {
            let all = members(2);
            let arrive = |team, number| {
                if longer == Some(number) { come_to_longer(team, number) } else { place(team, number) }
            };
            let check_bytes = |number| {
                if longer != Some(number) {
                    assert!(all[1].in_short(number, 0).has_come(0));
                    check(all[1], number, 0);
                }
            };
            for number in 1..=32 {
                assert!(all[0].is_free(number));
                arrive(all[0], number);
            }
            for number in 1..=17 {
                assert!(!all[0].is_free(33), "the other has started {} only", number - 1);
                check_bytes(number);
                arrive(all[1], number);
            }
            assert!(all[0].is_free(33));
            arrive(all[0], 33);
            (18..=33).for_each(check_bytes);
            assert!(!all[0].is_free(34));
        }
    }

    /// The lines of a team are empty for the next team with its sync slot.
    #[test]
    fn a_team_leaves_no_arrivals() {
        let all = members(2);
        (1..=40).for_each(|_| place(all[1], all[1].team.next_request()));
        assert!(all[0].in_short(40, 0).has_come(1));
        all[1].team.clear_requests(all[1].node);
        assert!((1..=40).all(|number| !all[0].in_short(number, 0).has_come(1)));
    }

    /// Numbers wrap around. A line that no request has written for more than half of all numbers is not taken for that
    /// of a member that is ahead, and a member that is ahead has ended what was before.
    #[test]
    fn lines_that_are_not_used_stay_young() {
        let all = members(2);
        for number in (1u64 << 28)..(1 << 28) + 2 * UNDER_WAY as u64 {
            all.iter().for_each(|team| team.renew_lines(number));
        }
        let number = (1u64 << 31) + 5;
        assert!(!all[0].in_short(number, 0).has_come(1));
        assert!(!all[0].in_short(number, 0).has_started(1, number));
        // Two requests that are not short and begin with bytes that are placed.
        let requests = [Request::new(number, 0), Request::new(number, 0)];
        for (team, request) in all.iter().zip(&requests) {
            let here = team.in_request(request);
            let own = [team.me() as u64];
            let mut placing = core::pin::pin!(here.place(Source::of_slice(&own), |to, from| {
                // SAFETY: both are 8 bytes.
                unsafe { core::ptr::copy_nonoverlapping(from.at(), to.at(), 8) }
            }));
            assert!(placing.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready(), "nobody reads the line");
            let mut barrier = core::pin::pin!(here.barrier());
            let ended = barrier.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
            assert_eq!(ended, team.me() == 1, "the first one waits for the second one");
        }
    }

    /// All members wait for each other in each request: nobody looks whether a line is free.
    #[test]
    fn a_line_is_free_when_all_have_come_since() {
        let all = members(2);
        for number in 1..=100 {
            for team in &all {
                assert!(team.is_free(number));
                place(*team, number);
            }
            for (me, team) in all.iter().enumerate() {
                assert!(team.in_short(number, 0).has_come(1 - me));
                team.in_short(number, 0).all_have_come();
                assert_eq!(team.team.seen.load(Ordering::Relaxed), number);
            }
        }
    }
}
