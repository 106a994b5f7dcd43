//! Teams: their members, and a sync slot on which each member posts words for the others. A team's memory does not grow
//! with the job, except that of an irregular layout.

mod layout;
mod members;
mod request;
pub(crate) mod short;
mod space;
mod table;
mod tree;
mod words;

pub(crate) use layout::Layout;
pub(crate) use members::{List, Members};
pub(crate) use request::{NodeRequest, PLACED, Request};
pub(crate) use short::ShortRequest;
pub(crate) use space::{Backing, Space, SpaceHandle, Spaces};
pub(crate) use table::Teams;

use self::members::Here;
use crate::diag::fatal_once;
use crate::memory::addr::Pe;
use crate::memory::local::{Dest, Source};
use crate::memory::node::{EAGER_BYTES, Node, WORDS};
use crate::memory::places::Places;
use crate::memory::posted::SyncSlot;
use crate::sync::atomics::{AtomicU64, Ordering};
use crate::sync::barrier::{self, FLAT, Style};
use crate::sync::tree::{Tree, TreeWords};
use crate::sync::wait::WaitPolicy;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicUsize, fence};
use std::sync::OnceLock;

/// `shmem_team_t`: 0 is `SHMEM_TEAM_INVALID`, 1 `SHMEM_TEAM_WORLD`, 2 `SHMEM_TEAM_SHARED`; others are made by
/// [`Teams`].
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TeamHandle(pub(crate) usize);

impl TeamHandle {
    pub(crate) const INVALID: TeamHandle = TeamHandle(0);
    pub(crate) const WORLD: TeamHandle = TeamHandle(1);
    pub(crate) const SHARED: TeamHandle = TeamHandle(2);
}

/// A team as one of its members has it.
pub(crate) struct Team {
    pub(crate) handle: TeamHandle,
    pub(crate) members: Members,
    /// The members on this node, by their slots, and which of them this PE is. They synchronise through sync slots.
    here: Here,
    /// For a team that spans nodes: which member is on which node. Computed at the first use.
    layout: OnceLock<Layout>,
    /// What this PE does in the tree of the members on this node, once there has been a round with one.
    tree: OnceLock<Box<Tree>>,
    /// This PE's number in the team.
    pub(crate) me: u32,
    sync_slot: u32,
    /// The last barrier round that this member entered. Only one thread of a PE is in a collective of a team at a time.
    seq: AtomicU64,
    /// The last round in which every member waited for all.
    full: AtomicU64,
    /// The root of the last round that had one, [`IN_ORDER`] after a scan, or `usize::MAX` after a round in which every
    /// member waited for all.
    root: AtomicUsize,
    /// The last odd and even rounds at which this member posted something, times 2, plus who reads it: [`Readers`].
    posted: [AtomicU64; 2],
    /// How many requests have been started: see [`Request`].
    requests: AtomicU64,
    /// The number of a request that all others are known to have started: see `sync/short`.
    seen: AtomicU64,
    /// The signature of the collective under way, which members compare: see [`Team::set_signature`].
    call: AtomicU64,
    pub(crate) num_contexts: i32,
    /// With `SHMEM_DEBUG`: a thread is in a collective of the team.
    busy: AtomicBool,
}

impl Team {
    /// A predefined team, on one of the first sync slots.
    pub(crate) fn predefined(handle: TeamHandle, members: Members, pe: Pe, places: &Places) -> Team {
        let me = members.index(pe.0).expect("a PE is in the predefined teams it has");
        Team::new(handle, members, Here::new(members, me, places), me, handle.0 - 1, 0, 0)
    }

    /// A team of all PEs of this node, whatever their numbers. It is used in boot, before the world has the first sync
    /// slot.
    pub(crate) fn of_node(places: &Places, me: usize) -> Team {
        let slots = Members::spaced(0, 1, places.count() as u32);
        let here = Here { slots, listed: Box::default(), me: me as u32 };
        Team::new(TeamHandle::INVALID, slots, here, me as u32, 0, 0, 0)
    }

    /// A team whose rounds start after `seq`, which is at least the last round of every team that had the sync slot
    /// before.
    fn new(
        handle: TeamHandle,
        members: Members,
        here: Here,
        me: u32,
        sync_slot: usize,
        seq: u64,
        num_contexts: i32,
    ) -> Team {
        let posted = [AtomicU64::new(0), AtomicU64::new(0)];
        Team {
            handle,
            members,
            here,
            layout: OnceLock::new(),
            tree: OnceLock::new(),
            me,
            sync_slot: sync_slot as u32,
            seq: AtomicU64::new(seq),
            full: AtomicU64::new(0),
            root: AtomicUsize::new(usize::MAX),
            posted,
            requests: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            call: AtomicU64::new(0),
            num_contexts,
            busy: AtomicBool::new(false),
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.members.size as usize
    }

    /// The number of the team's sync slot. It is equal on all members. No two teams of a PE have the same number.
    pub(crate) fn sync_slot_number(&self) -> usize {
        self.sync_slot as usize
    }

    pub(crate) fn last_round(&self) -> u64 {
        self.seq.load(Ordering::Relaxed)
    }

    /// The team's members for rounds on this node, in a call of `routine`. None if a member is on another node.
    #[inline]
    pub(crate) fn on<'a>(&'a self, node: &'a Node, routine: &'static str) -> Option<NodeTeam<'a>> {
        (self.here.slots.size == self.members.size).then(|| self.here(node, routine))
    }

    /// The members on this node for rounds on it, in a call of `routine`.
    #[inline]
    pub(crate) fn here<'a>(&'a self, node: &'a Node, routine: &'static str) -> NodeTeam<'a> {
        NodeTeam { team: self, node, routine }
    }

    /// Which node each member is on.
    pub(crate) fn layout(&self, node: &Node) -> &Layout {
        self.layout.get_or_init(|| Layout::new(self.members, &node.placement))
    }

    /// Continues the round numbers of a team that had the sync slot before, with the same members on this node.
    pub(crate) fn continue_rounds(&self, before: &Team) {
        self.seq.store(before.last_round(), Ordering::Relaxed);
    }

    /// Begins a collective whose signature is `call`. A member posts the signature with the bytes that it places, and a
    /// member that reads the bytes compares it. That costs a store and a comparison in cache lines that are written and
    /// read anyway.
    #[inline]
    pub(crate) fn set_signature(&self, call: u64) {
        self.call.store(call, Ordering::Relaxed); // only this PE reads it
    }

    /// Whether a thread is in a collective of the team.
    pub(crate) fn busy(&self) -> &AtomicBool {
        &self.busy
    }
}

/// The members of a team that are on this node, all or a part of the team, and their rounds. Member numbers count these
/// members only.
#[derive(Clone, Copy)]
pub(crate) struct NodeTeam<'a> {
    team: &'a Team,
    node: &'a Node,
    routine: &'static str,
}

/// Who reads what a member posts for a round.
#[derive(Clone, Copy)]
pub(crate) enum Readers {
    All = 0,
    /// The member's neighbours in the tree, and member 0.
    Neighbours = 1,
}

/// The index of the signature among the words of a sync slot's line: behind the bytes that a member places there.
const SIGNATURE: usize = WORDS - 1;

/// Stands in place of a root after a scan: each member's data is needed by the members after it.
const IN_ORDER: usize = usize::MAX - 1;

impl<'a> NodeTeam<'a> {
    #[inline]
    fn slot(&self, member: usize) -> usize {
        self.team.here.slot(member as u32) as usize
    }

    #[inline]
    fn sync_slot_of(&self, member: usize) -> SyncSlot<'_> {
        self.node.sync_slot(self.slot(member), self.team.sync_slot as usize)
    }

    /// Whether PEs outnumber cores.
    #[inline]
    fn crowded(&self) -> bool {
        self.node.policy != WaitPolicy::Spin
    }

    /// How members wait for some others.
    #[inline]
    fn style(&self) -> Style {
        let flags = !self.crowded() && self.size() <= FLAT;
        if flags { Style::Flags } else { Style::Count }
    }

    /// How all members wait for all.
    #[inline]
    fn round_style(&self) -> Style {
        match self.style() {
            Style::Count if self.has_tree() => Style::Tree,
            style => style,
        }
    }

    /// Begins the next round and returns its number.
    #[inline]
    fn next(&self) -> u64 {
        let seq = self.team.seq.load(Ordering::Relaxed) + 1;
        self.team.seq.store(seq, Ordering::Relaxed);
        seq
    }

    /// A barrier that is a part of a collective with data.
    #[inline]
    pub(crate) fn barrier(&self) {
        self.barrier_by(self.round_style(), || {});
    }

    /// A barrier that is a collective by itself.
    #[inline]
    pub(crate) fn sync(&self) {
        let style = match (self.round_style(), self.team.root.load(Ordering::Relaxed)) {
            // The last kind of round is likely to come next. The barrier then releases first the member whose data is
            // needed first.
            (Style::Count, IN_ORDER) if self.crowded() => Style::InOrder,
            (Style::Count, root) if root < self.size() && self.crowded() => Style::Led(root),
            (style, _) => style,
        };
        self.barrier_by(style, || {});
    }

    #[inline]
    fn barrier_by(&self, style: Style, post: impl FnOnce()) {
        let (me, n, seq) = (self.me(), self.size(), self.next());
        barrier::enter(self, &self.node.waiter(), style, me, n, seq, post);
        self.passed(seq);
    }

    /// All have come to round `seq`.
    #[inline]
    fn passed(&self, seq: u64) {
        self.team.full.store(seq, Ordering::Relaxed);
        self.team.root.store(usize::MAX, Ordering::Relaxed);
    }

    /// Returns when `root` has arrived. `root` does not wait.
    ///
    /// Bound: `root` writes one line, which the n - 1 others read.
    pub(crate) fn wait_for_root(&self, root: usize) {
        let (me, seq, wait) = (self.me(), self.next(), self.node.waiter());
        self.team.root.store(root, Ordering::Relaxed);
        if me == root {
            barrier::arrive(self, &wait, me, seq);
        } else {
            self.come(seq);
            barrier::wait_for(self, &wait, root, seq);
        }
    }

    /// On `root`: returns when all members have arrived. The other members do not wait.
    ///
    /// Bound: each of the n - 1 others writes one line, and `root` reads these lines.
    pub(crate) fn notify_root(&self, root: usize) {
        let seq = self.next();
        self.come(seq);
        if self.me() == root {
            self.wait_for_others(seq);
        } else {
            self.notify(root..root + 1);
        }
    }

    /// Arrives at round `seq` without a barrier. Where PEs outnumber cores it does so without a notification: waking
    /// all sleeping members costs more than the short sleeps of the member that waits for this one.
    fn come(&self, seq: u64) {
        match self.style() {
            Style::Flags => barrier::arrive(self, &self.node.waiter(), self.me(), seq),
            _ => barrier::arrive_quietly(self, self.me(), seq),
        }
    }

    /// `root` returns when all members have arrived, the others when `root` has.
    ///
    /// Bound: each member writes one line. `root` reads those of the n - 1 others, and they read that of `root`.
    pub(crate) fn gather_and_release(&self, root: usize) {
        let (me, seq, wait) = (self.me(), self.next(), self.node.waiter());
        if me == root {
            barrier::arrive(self, &wait, me, seq);
            self.wait_for_others(seq);
        } else {
            self.come(seq);
            self.notify(root..root + 1);
            barrier::wait_for(self, &wait, root, seq);
        }
    }

    /// Returns when all members before this one have arrived.
    ///
    /// Bound: each member writes one line, and reads one of each member before it. Where PEs outnumber cores, it wakes
    /// those members after it that sleep.
    pub(crate) fn wait_for_prefix(&self) {
        let seq = self.next();
        self.team.root.store(IN_ORDER, Ordering::Relaxed);
        self.come(seq);
        self.notify(self.me() + 1..self.size());
        self.wait_for_these(0..self.me(), seq);
    }

    /// Wakes those of `members` that sleep, after this member has arrived without a notification.
    fn notify(&self, members: Range<usize>) {
        if self.style() == Style::Count {
            fence(Ordering::SeqCst); // SYNC event-count: pairs with the fence in a sleep
            members.for_each(|i| self.node.notify(self.slot(i)));
        }
    }

    fn wait_for_others(&self, seq: u64) {
        self.wait_for_these((0..self.size()).filter(|&i| i != self.me()), seq);
    }

    /// Waits for members that arrive without a notification: see [`NodeTeam::come`].
    fn wait_for_these(&self, members: impl Iterator<Item = usize>, seq: u64) {
        let wait = if self.style() == Style::Flags { self.node.waiter() } else { self.node.own_waiter() };
        for member in members {
            barrier::wait_for(self, &wait, member, seq);
        }
    }

    /// This member's sync slot, and the number of the next round, in which `readers` will read what this member posts.
    /// The round two before it had the same place, so this waits until all readers of that round have read the place.
    #[inline]
    fn clear_place(&self, readers: Readers) -> (SyncSlot<'_>, u64) {
        let seq = self.team.seq.load(Ordering::Relaxed) + 1;
        let posted = &self.team.posted[(seq % 2) as usize];
        let word = posted.load(Ordering::Relaxed);
        // A member may still read that round's words, unless every member has waited for all since.
        if word >> 1 != 0 && self.team.full.load(Ordering::Relaxed) <= word >> 1 {
            self.wait_for_readers(word);
        }
        posted.store(seq << 1 | readers as u64, Ordering::Relaxed);
        (self.sync_slot_of(self.me()), seq)
    }

    /// Waits until what was posted in a round has been read. `posted` is the round's number and, in bit 0, who reads.
    #[inline(never)] // calls that need not wait keep their registers
    fn wait_for_readers(&self, posted: u64) {
        let next = (posted >> 1) + 1;
        if posted & 1 == Readers::Neighbours as u64 {
            let neighbours = TreeWords::tree(self, self.me()).neighbours();
            self.wait_for_these(neighbours.chain([0]).filter(|&i| i != self.me()), next);
        } else {
            self.wait_for_others(next);
        }
    }

    /// Posts words for the next round, which must follow.
    pub(crate) fn post(&self, words: &[u64]) {
        let (sync_slot, seq) = self.clear_place(Readers::All);
        for (i, &word) in words.iter().enumerate().take(WORDS) {
            sync_slot.word(seq, i).store(word, Ordering::Relaxed); // ordered by the round
        }
    }

    /// Word `i` of what `member` posted for the round that is just over.
    pub(crate) fn read(&self, member: usize, i: usize) -> u64 {
        self.sync_slot_of(member).word(self.team.last_round(), i).load(Ordering::Relaxed)
    }

    /// Places `len` bytes, at most [`EAGER_BYTES`], that `fill` writes, for the next round, and returns where they are.
    /// The signature is posted beside them.
    #[inline]
    pub(crate) fn place(&self, readers: Readers, len: usize, fill: impl FnOnce(Dest)) -> Dest<'_> {
        let (sync_slot, seq) = self.clear_place(readers);
        let place = Self::beside(sync_slot, seq, 0..SIGNATURE, len);
        fill(place);
        self.write_signature(sync_slot, seq);
        place
    }

    /// Posts the signature for the next round, in which this member places no bytes.
    pub(crate) fn post_signature(&self) {
        self.place(Readers::All, 0, |_| ());
    }

    /// Posts the signature for a round. If much time passes between this and the arrival, which is in the same cache
    /// line, others take the line away in between, because they poll it.
    #[inline]
    fn write_signature(&self, sync_slot: SyncSlot<'_>, seq: u64) {
        sync_slot.word(seq, SIGNATURE).store(self.signature(seq), Ordering::Relaxed); // ordered by the round
    }

    /// The signature of the collective under way for round `seq`. Signatures of different rounds differ.
    #[inline]
    fn signature(&self, seq: u64) -> u64 {
        self.team.call.load(Ordering::Relaxed) ^ seq
    }

    /// Ends the job if the signature that `member` posted for the round just over differs from this PE's.
    #[inline]
    pub(crate) fn check(&self, member: usize) {
        self.check_at(member, self.sync_slot_of(member), self.team.last_round());
    }

    #[inline]
    fn check_at(&self, member: usize, sync_slot: SyncSlot<'_>, seq: u64) {
        // A load from the caller's own line would wait until those who are reading the line have it.
        let is_other = member != self.me();
        if is_other && sync_slot.word(seq, SIGNATURE).load(Ordering::Relaxed) != self.signature(seq) {
            self.differs(member);
        }
    }

    #[cold]
    #[inline(never)]
    fn differs(&self, member: usize) -> ! {
        let (me, seq, root) = (self.me(), self.team.last_round(), self.team.root.load(Ordering::Relaxed));
        let of = |member| self.sync_slot_of(member).word(seq, SIGNATURE).load(Ordering::Relaxed);
        let reports = match root < self.size() {
            // The root alone has posted: the first of the others reports.
            true => me == usize::from(root == 0),
            // The first member that differs from member 0 reports.
            false => self.signature(seq) != of(0) && (1..me).all(|member| of(member) == of(0)),
        };
        let what = "is in another collective of this team, or calls this one with another size or root";
        fatal_once(self.routine, reports, format_args!("PE {} {what} (SHMEM_DEBUG=1 says more)", self.pe(member)))
    }

    /// A barrier for which each member places `len` bytes, at most [`EAGER_BYTES`]. `fill` writes them.
    #[inline(always)]
    pub(crate) fn barrier_with(&self, len: usize, fill: impl FnOnce(Dest)) {
        let (sync_slot, seq) = self.clear_place(Readers::All);
        let place = Self::beside(sync_slot, seq, 0..SIGNATURE, len);
        // Up to 8 bytes are written by one store, so the line is asked for early: by the signature. Writing more bytes
        // takes longer, and other members, which poll the line, would take it away meanwhile.
        let early = (1..=8).contains(&len);
        if early {
            self.write_signature(sync_slot, seq);
        }
        self.barrier_by(self.round_style(), || {
            fill(place);
            if !early {
                self.write_signature(sync_slot, seq);
            }
        });
    }

    /// As [`NodeTeam::barrier_with`], with a word before the bytes.
    #[inline]
    pub(crate) fn barrier_with_word(&self, word: u64, len: usize, fill: impl FnOnce(Dest)) {
        let (sync_slot, seq) = self.clear_place(Readers::All);
        let place = Self::beside(sync_slot, seq, 1..WORDS, len);
        self.barrier_by(self.round_style(), || {
            fill(place);
            sync_slot.word(seq, 0).store(word, Ordering::Relaxed); // ordered by the barrier
        });
    }

    /// The `len` bytes that `member` placed with its word for the barrier just over.
    #[inline]
    pub(crate) fn sent_with(&self, member: usize, len: usize) -> Source<'_> {
        Self::read_beside(self.sync_slot_of(member), self.team.last_round(), 1..WORDS, len)
    }

    /// The `len` bytes that `member` placed for the round just over. Ends the job if `member` is in another collective.
    #[inline(always)]
    pub(crate) fn placed(&self, member: usize, len: usize) -> Source<'_> {
        let (sync_slot, seq) = (self.sync_slot_of(member), self.team.last_round());
        self.check_at(member, sync_slot, seq);
        Self::read_beside(sync_slot, seq, 0..SIGNATURE, len)
    }

    #[inline]
    fn read_beside(sync_slot: SyncSlot<'_>, seq: u64, words: Range<usize>, len: usize) -> Source<'_> {
        let place = Self::beside(sync_slot, seq, words, len);
        // SAFETY: memory of this node. The bytes stay until all members have entered the barrier after the next.
        unsafe { Source::of::<u8>(place.at(), len) }
    }

    /// Room for `len` bytes: in these words of the arrival's cache line if they fit, else in the eager buffer.
    #[inline]
    fn beside(sync_slot: SyncSlot<'_>, seq: u64, words: Range<usize>, len: usize) -> Dest<'_> {
        assert!(len <= EAGER_BYTES, "more than an eager buffer holds");
        let in_line = len <= 8 * words.len();
        let at = if in_line { sync_slot.words_at(seq) + 8 * words.start } else { sync_slot.eager_at(seq) };
        // SAFETY: the line has WORDS words and the eager buffer EAGER_BYTES, in memory of this node that stays mapped.
        unsafe { Dest::of::<u8>(at as *mut u8, len) }
    }

    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.team.here.slots.size as usize
    }

    #[inline]
    pub(crate) fn me(&self) -> usize {
        self.team.here.me as usize
    }

    /// World PE of a member.
    pub(crate) fn pe(&self, member: usize) -> u32 {
        self.node.places.pe(self.slot(member)).0
    }
}
