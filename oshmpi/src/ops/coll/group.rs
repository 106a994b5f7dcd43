//! What a collective needs of a group of PEs, and where it is decided whether its members meet on their node or send
//! each other messages.

use super::active::{self, ActiveSet};
use super::inter_node::{self, MessageGroup, Wire};
use crate::memory::node::EAGER_BYTES;
use crate::state::Runtime;
use crate::team::{NodeTeam, Team};
use core::ffi::{c_int, c_long};

/// Bytes from which a member writes into the dests of the others instead of letting them fetch: one copy less than through a
/// eager buffer, one round less than by reading. The standard lets it, because dest has to be ready on all members when one calls.
pub(super) const WRITTEN_FROM: usize = 512;

/// A group in which the caller is a member. All members decide alike.
#[derive(Clone, Copy)]
pub(crate) enum Group<'a> {
    /// All members are on this node.
    IntraNode(IntraNode<'a>),
    InterNode(MessageGroup<'a>),
}

/// A group on one node.
#[derive(Clone, Copy)]
pub(crate) enum IntraNode<'a> {
    Team(NodeTeam<'a>),
    /// Has no sync slots: nothing can be placed.
    Set(ActiveSet<'a>),
}

/// What the members said at an exchange.
pub(crate) enum Posted<'a> {
    /// It lies on the sync slots: to be read before the next round.
    SyncSlots(NodeTeam<'a>),
    /// So many words of each.
    Words(Vec<u64>, usize),
}

impl Posted<'_> {
    /// Word `i` of what a member said.
    pub(crate) fn word(&self, member: usize, i: usize) -> u64 {
        match self {
            Posted::SyncSlots(node_team) => node_team.read(member, i),
            Posted::Words(words, each) => words[member * each + i],
        }
    }
}

impl<'a> Group<'a> {
    /// A team, in a call of `routine`.
    #[inline]
    pub(crate) fn of_team(rt: &'a Runtime, routine: &'static str, team: &'a Team) -> Group<'a> {
        match team.on(&rt.node) {
            Some(node_team) => Group::IntraNode(IntraNode::Team(node_team)),
            None => Group::InterNode(MessageGroup::team(rt, routine, team)),
        }
    }

    /// An active set, in a call of `routine`. A set that is the whole world meets as the world's team does.
    ///
    /// # Safety
    /// The C caller promises what it says of pSync and pWrk.
    pub(super) unsafe fn of_set(
        rt: &'a Runtime,
        routine: &'static str,
        (start, log_stride, size): (c_int, c_int, c_int),
        psync: *const c_long,
        pwrk: Option<usize>,
    ) -> Group<'a> {
        // SAFETY: passed on to the caller.
        unsafe { active::check_work(rt, routine, psync, pwrk) };
        let set = ActiveSet::new(rt, routine, start, log_stride, size);
        if set.size as u32 == rt.n_pes {
            return Group::of_team(rt, routine, &rt.world);
        }
        match set.members.slots(&rt.node.places) {
            Some(_) => Group::IntraNode(IntraNode::Set(set)),
            None => Group::InterNode(MessageGroup::set(rt, routine, set.members, set.me)),
        }
    }

    pub(crate) fn size(&self) -> usize {
        match self {
            Group::IntraNode(g) => g.size(),
            Group::InterNode(group) => group.size(),
        }
    }

    /// The caller's number in the group.
    pub(crate) fn me(&self) -> usize {
        match self {
            Group::IntraNode(g) => g.me(),
            Group::InterNode(group) => group.me(),
        }
    }

    /// World PE of a member.
    pub(crate) fn pe(&self, member: usize) -> u32 {
        match self {
            Group::IntraNode(g) => g.pe(member),
            Group::InterNode(group) => group.pe(member),
        }
    }

    /// Nobody leaves before everybody has come.
    #[inline]
    pub(crate) fn barrier(&self) {
        match self {
            Group::IntraNode(IntraNode::Team(t)) => t.sync(),
            Group::IntraNode(IntraNode::Set(s)) => s.barrier(0),
            Group::InterNode(group) => inter_node::barrier(group),
        }
    }

    /// All members tell each other as many words, at most `node::WORDS`, and meet by doing so.
    pub(crate) fn exchange(&self, words: &[u64]) -> Posted<'a> {
        let (n, each) = (self.size(), words.len());
        match self {
            Group::IntraNode(IntraNode::Team(node_team)) => {
                node_team.post(words);
                node_team.barrier();
                Posted::SyncSlots(*node_team)
            }
            Group::IntraNode(IntraNode::Set(set)) => {
                let mut all = vec![0; n * each];
                for (i, &word) in words.iter().enumerate() {
                    set.barrier(word);
                    (0..n).for_each(|member| all[member * each + i] = set.read(member));
                }
                Posted::Words(all, each)
            }
            Group::InterNode(group) => {
                let mut all = vec![0u64; n * each];
                // SAFETY: every member has as many words, and there is room for all.
                unsafe { inter_node::gather(group, words.as_ptr().cast(), all.as_mut_ptr().cast(), |i| i * each * 8) };
                Posted::Words(all, each)
            }
        }
    }
}

impl IntraNode<'_> {
    pub(super) fn size(&self) -> usize {
        match self {
            IntraNode::Team(t) => t.size(),
            IntraNode::Set(s) => s.size,
        }
    }

    /// The caller's number in the group.
    pub(super) fn me(&self) -> usize {
        match self {
            IntraNode::Team(t) => t.me(),
            IntraNode::Set(s) => s.me,
        }
    }

    /// World PE of a member.
    pub(super) fn pe(&self, member: usize) -> u32 {
        match self {
            IntraNode::Team(t) => t.pe(member),
            IntraNode::Set(s) => s.pe(member),
        }
    }

    /// `len` bytes can travel with an arrival.
    pub(super) fn fits(&self, len: usize) -> bool {
        matches!(self, IntraNode::Team(_)) && len <= EAGER_BYTES
    }

    /// All have come: a part of moving data.
    #[inline]
    pub(super) fn barrier(&self) {
        match self {
            IntraNode::Team(t) => t.barrier(),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// Returns when at least the members before the caller have come.
    pub(super) fn wait_for_prefix(&self) {
        match self {
            IntraNode::Team(t) => t.wait_for_prefix(),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// Returns when `root` has come.
    pub(super) fn wait_for_root(&self, root: usize) {
        match self {
            IntraNode::Team(t) => t.wait_for_root(root),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// `root` returns when all have come.
    pub(super) fn notify_root(&self, root: usize) {
        match self {
            IntraNode::Team(t) => t.notify_root(root),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// `root` returns when all have come, the others when it has.
    pub(super) fn gather_and_release(&self, root: usize) {
        match self {
            IntraNode::Team(t) => t.gather_and_release(root),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// All meet, each with `len` bytes that `fill` writes. Only what [`IntraNode::fits`].
    #[inline]
    pub(super) fn barrier_with(&self, len: usize, fill: impl FnOnce(*mut u8)) {
        match self {
            IntraNode::Team(t) => t.barrier_with(len, fill),
            IntraNode::Set(_) => unreachable!("nothing fits"),
        }
    }

    /// Where bytes go that travel with the next arrival. Only what [`IntraNode::fits`].
    pub(super) fn place(&self, len: usize) -> *mut u8 {
        match self {
            IntraNode::Team(t) => t.place(len),
            IntraNode::Set(_) => unreachable!("nothing fits"),
        }
    }

    /// What `member` placed for the round just over.
    pub(super) fn placed(&self, member: usize, len: usize) -> *const u8 {
        match self {
            IntraNode::Team(t) => t.placed(member, len),
            IntraNode::Set(_) => unreachable!("nothing fits"),
        }
    }

    /// `len` bytes go with their number: see [`IntraNode::barrier_with_number`].
    pub(super) fn travels(&self, len: usize) -> bool {
        matches!(self, IntraNode::Team(_)) && len < WRITTEN_FROM
    }

    /// All meet, each with a number and, if it [`IntraNode::travels`], with `len` bytes that `fill` writes.
    pub(super) fn barrier_with_number(&self, number: u64, len: usize, fill: impl FnOnce(*mut u8)) {
        match self {
            IntraNode::Team(t) if self.travels(len) => t.barrier_with_word(number, len, fill),
            IntraNode::Team(t) => {
                t.post(&[number]);
                t.barrier();
            }
            IntraNode::Set(s) => s.barrier(number),
        }
    }

    /// The number `member` came with to the round just over.
    pub(super) fn number_of(&self, member: usize) -> u64 {
        match self {
            IntraNode::Team(t) => t.read(member, 0),
            IntraNode::Set(s) => s.read(member),
        }
    }

    /// The bytes `member` sent with its number.
    pub(super) fn sent_with(&self, member: usize, len: usize) -> *const u8 {
        match self {
            IntraNode::Team(t) => t.sent_with(member, len),
            IntraNode::Set(_) => unreachable!("nothing fits"),
        }
    }
}
