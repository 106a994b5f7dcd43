//! Rounds of a collective that has been started and goes on in steps: a request. On a node each request of a team has
//! lines of its own at every member, as a sync slot has, so it meets neither the team's blocking collectives nor its
//! other requests. A line is used again by the request that is [`UNDER_WAY`] later. A member starts that one when the
//! earlier one has ended there, so a member that is ahead counts as one that has come.
//!
//! An arrival is one word: the number of the request, the number of the round, and some bits of the call, which members
//! compare. Numbers of requests may wrap around.

use super::{NodeTeam, Team};
use crate::diag::fatal_once;
use crate::memory::local::{Dest, Source};
use crate::memory::node::{Node, UNDER_WAY, WORDS};
use crate::memory::posted::SyncSlot;
use crate::sync::Wait;
use crate::sync::atomics::Ordering;
use crate::sync::awaited::Awaited;
use crate::sync::tasks;
use core::cell::Cell;
use core::ops::Range;
use core::sync::atomic::fence;

/// Bits of a call in the word of an arrival. One wrong call in 4,096 is not found here.
const CALL: u32 = 12;
/// Bits of a round's number. A reduction has 4 rounds for each 4 MiB.
const ROUND: u32 = 20;
/// Stands for a round behind all others, at which a member arrives when it needs nothing from the others any more.
const END: u64 = (1 << ROUND) - 1;

/// So many requests apart, members renew the lines of requests: see [`NodeTeam::renew_lines`]. A power of two far below
/// half of all numbers that a word can have. With fewer, requests take more time.
const RENEWED: u64 = 1 << 28;

/// Bytes that a member can place in a line: see [`NodeRequest::place`].
pub(crate) const PLACED: usize = 8 * WORDS;

/// A request of a team as one of its members has it.
pub(crate) struct Request {
    /// The number among the requests of its team, equal on all members.
    pub(crate) number: u64,
    /// See `check::signature`.
    call: u64,
    /// The last round that this member entered, and the last one in which it waited for all.
    round: Cell<u64>,
    full: Cell<u64>,
    /// The last odd and even rounds for which this member has placed bytes; 0: none.
    placed: [Cell<u64>; 2],
}

impl Request {
    pub(crate) fn new(number: u64, call: u64) -> Request {
        Request { number, call, round: Cell::new(0), full: Cell::new(0), placed: Default::default() }
    }

    /// The word of an arrival at a round of the request with this number and this call.
    #[inline]
    pub(super) fn word(number: u64, round: u64, call: u64) -> u64 {
        number << (ROUND + CALL) | round << CALL | call >> (u64::BITS - CALL)
    }
}

/// Whether the word of an arrival is that of a request with this number.
pub(super) fn is_of(number: u64, word: u64) -> bool {
    word != 0 && (word ^ Request::word(number, 0, 0)) >> (ROUND + CALL) == 0
}

/// Whether a member that `came` to this word is where it is `wanted`, or beyond. Ends the job if it is in another
/// collective: its word tells that, or it has come elsewhere.
#[inline]
pub(super) fn check_call(
    team: &NodeTeam<'_>,
    member: usize,
    came: u64,
    wanted: u64,
    elsewhere: impl FnOnce() -> bool,
) -> bool {
    let (differ, has_come) = (came ^ wanted, came.wrapping_sub(wanted) as i64 >= 0);
    if differ >> (ROUND + CALL) == 0 && !differ.is_multiple_of(1 << CALL) || !has_come && elsewhere() {
        let what = "has started another collective of this team at this place, or this one with another size or root";
        fatal_once(team.routine, team.me() < member, format_args!("PE {} {what}", team.pe(member)));
    }
    has_come
}

impl NodeTeam<'_> {
    /// The last odd round of requests that are not short to which `member` has come, in the lines of this number.
    pub(super) fn longer_word(&self, member: usize, number: u64) -> u64 {
        let lines = self.node.request_lines(self.slot(member), self.team.sync_slot as usize, number);
        lines.arrived(1).load(Ordering::Acquire) // SYNC request: pairs with arrive and end
    }

    /// At the start of each request, of whatever kind. A short request does not write the lines of longer ones, nor the
    /// other way round, and a request of one round does not write the word of even rounds. A word that is older than
    /// half of all numbers would count as that of a member that is ahead. So all words are written now and then.
    #[inline]
    pub(crate) fn renew_lines(&self, number: u64) {
        if number % RENEWED < 2 * UNDER_WAY as u64 && number >= RENEWED {
            self.renew_lines_of(number);
        }
    }

    /// Writes the lines that this request may have. This member has ended all requests that had them before. The number
    /// written lies between theirs and that of this request, and is that of no request with these lines.
    #[cold]
    #[inline(never)]
    fn renew_lines_of(&self, number: u64) {
        let (node, slot) = (self.node, self.team.sync_slot as usize);
        let word = Request::word(number - UNDER_WAY as u64 / 2, END, 0);
        let longer = node.request_lines(node.me, slot, number);
        for round in 0..2 {
            longer.arrived(round).store(word, Ordering::Release); // SYNC request: pairs with has_come and has_ended
        }
        let short = node.short_lines(slot, number).of(node.me);
        short.arrived(0).store(word, Ordering::Release); // SYNC short: pairs with came
    }
}

impl Team {
    /// The number of a new request. All members start the requests of a team in one order, each by one thread at a
    /// time, so it is equal on all of them.
    #[inline]
    pub(crate) fn next_request(&self) -> u64 {
        let number = self.requests.load(Ordering::Relaxed) + 1;
        self.requests.store(number, Ordering::Relaxed);
        number
    }

    /// Leaves the lines of requests to a later team with the sync slot. No member uses the team any more.
    pub(crate) fn clear_requests(&self, node: &Node) {
        for number in 0..self.requests.load(Ordering::Relaxed).min(UNDER_WAY as u64) {
            let lines = node.request_lines(node.me, self.sync_slot as usize, number + 1);
            // Ordered by the rounds in which that team is made.
            (0..2).for_each(|round| lines.arrived(round).store(0, Ordering::Relaxed));
            for number in [2 * number, 2 * number + 1] {
                let short = node.short_lines(self.sync_slot as usize, number).of(node.me);
                short.arrived(0).store(0, Ordering::Relaxed);
            }
        }
    }
}

/// The members of a team on this node in a request. Member numbers count these members only.
#[derive(Clone, Copy)]
pub(crate) struct NodeRequest<'a> {
    pub(crate) team: NodeTeam<'a>,
    request: &'a Request,
}

impl<'a> NodeTeam<'a> {
    pub(crate) fn in_request(self, request: &'a Request) -> NodeRequest<'a> {
        NodeRequest { team: self, request }
    }
}

impl NodeRequest<'_> {
    fn lines(&self, member: usize) -> SyncSlot<'_> {
        let t = &self.team;
        t.node.request_lines(t.slot(member), t.team.sync_slot as usize, self.request.number)
    }

    /// Arrives at the next round, and wakes the members of `whom` that sleep. Gives the number of the round.
    fn arrive(&self, whom: Range<usize>) -> u64 {
        let (team, node) = (&self.team, self.team.node);
        let Request { number, call, .. } = *self.request;
        let round = self.request.round.get() + 1;
        assert!(round < END, "a request has fewer rounds");
        self.request.round.set(round);
        // SYNC request: pairs with has_come
        self.lines(team.me()).arrived(round).store(Request::word(number, round, call), Ordering::Release);
        fence(Ordering::SeqCst); // SYNC event-count: pairs with the fence in a sleep
        whom.filter(|&i| i != team.me()).for_each(|i| node.notify(team.slot(i)));
        node.waiter().notify(); // a member may sleep in another wait
        round
    }

    /// This member needs nothing from the others any more.
    pub(crate) fn end(&self) {
        let word = Request::word(self.request.number, END, self.request.call);
        // SYNC request: pairs with has_ended and has_come
        self.lines(self.team.me()).arrived(END).store(word, Ordering::Release);
    }

    /// Whether `member` has ended the request that had these lines before, or is beyond it. The caller has ended it:
    /// its own line tells which one that was, because short requests have other lines.
    fn has_ended(&self, member: usize) -> bool {
        let own = self.lines(self.team.me()).arrived(END).load(Ordering::Relaxed);
        let came = self.lines(member).arrived(END).load(Ordering::Acquire); // SYNC request: pairs with end and arrive
        came.wrapping_sub(own >> CALL << CALL) as i64 >= 0
    }

    /// Whether `member` has come to a round, or is beyond it. Ends the job if it is in another collective.
    fn has_come(&self, member: usize, round: u64) -> bool {
        let came = self.lines(member).arrived(round).load(Ordering::Acquire); // SYNC request: pairs with arrive and end
        let wanted = Request::word(self.request.number, round, self.request.call);
        check_call(&self.team, member, came, wanted, || self.team.came_to_short(member, self.request.number))
    }

    async fn wait_for(&self, member: usize, ready: impl Fn(usize) -> bool) {
        tasks::until(|| ready(member), || Awaited::Peer { pe: self.team.pe(member), request: 0 }).await;
    }

    async fn wait_for_others(&self, ready: impl Fn(usize) -> bool) {
        for member in (0..self.team.size()).filter(|&i| i != self.team.me()) {
            self.wait_for(member, &ready).await;
        }
    }

    async fn wait_for_all(&self, round: u64) {
        self.wait_for_others(|member| self.has_come(member, round)).await;
        self.request.full.set(round);
    }

    /// No member goes on before all have come.
    ///
    /// Bound: each of n members writes one line and reads n - 1.
    pub(crate) async fn barrier(&self) {
        let round = self.arrive(0..self.team.size());
        self.wait_for_all(round).await;
    }

    /// `root` goes on when all members have come, the others at once.
    pub(crate) async fn notify_root(&self, root: usize) {
        let round = self.arrive(root..root + 1);
        if self.team.me() == root {
            self.wait_for_all(round).await;
        }
    }

    /// The others go on when `root` has come, which waits for nobody.
    pub(crate) async fn wait_for_root(&self, root: usize) {
        let is_root = self.team.me() == root;
        let round = self.arrive(if is_root { 0..self.team.size() } else { 0..0 });
        if !is_root {
            self.wait_for(root, |root| self.has_come(root, round)).await;
        }
    }

    /// Places at most [`PLACED`] bytes for the next round, when all have read what was in its line before.
    pub(crate) async fn place(&self, from: Source<'_>, copy: impl FnOnce(Dest<'_>, Source<'_>)) {
        let round = self.request.round.get() + 1;
        let last = self.request.placed[(round % 2) as usize].replace(round);
        if last == 0 {
            self.wait_for_others(|member| self.has_ended(member)).await;
        } else if self.request.full.get() <= last {
            self.wait_for_others(|member| self.has_come(member, last + 1)).await;
        }
        copy(NodeTeam::beside(self.lines(self.team.me()), round, 0..WORDS, from.len()), from);
    }

    /// The bytes that `member` placed for the round just over.
    pub(crate) fn placed(&self, member: usize, len: usize) -> Source<'_> {
        NodeTeam::read_beside(self.lines(member), self.request.round.get(), 0..WORDS, len)
    }
}
