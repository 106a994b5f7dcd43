//! What a collective needs of a group of PEs.

use super::active::ActiveSet;
use crate::memory::node::TRAY;
use crate::team::Meeting;

/// A group in which the caller is a member.
#[derive(Clone, Copy)]
pub(super) enum Group<'a> {
    Team(Meeting<'a>),
    /// Has no desks: nothing can be placed.
    Set(ActiveSet<'a>),
}

impl Group<'_> {
    pub(super) fn size(&self) -> usize {
        match self {
            Group::Team(t) => t.size(),
            Group::Set(s) => s.size,
        }
    }

    /// The caller's number in the group.
    pub(super) fn me(&self) -> usize {
        match self {
            Group::Team(t) => t.me(),
            Group::Set(s) => s.me,
        }
    }

    /// World PE of a member.
    pub(super) fn pe(&self, member: usize) -> u32 {
        match self {
            Group::Team(t) => t.pe(member),
            Group::Set(s) => s.pe(member) as u32,
        }
    }

    /// `len` bytes can travel with an arrival.
    pub(super) fn fits(&self, len: usize) -> bool {
        matches!(self, Group::Team(_)) && len <= TRAY
    }

    pub(super) fn meet(&self) {
        match self {
            Group::Team(t) => t.meet(),
            Group::Set(s) => s.meet(0),
        }
    }

    /// Returns when `root` has come.
    pub(super) fn follow(&self, root: usize) {
        match self {
            Group::Team(t) => t.follow(root),
            Group::Set(s) => s.meet(0),
        }
    }

    /// `root` returns when all have come.
    pub(super) fn report(&self, root: usize) {
        match self {
            Group::Team(t) => t.report(root),
            Group::Set(s) => s.meet(0),
        }
    }

    /// Where bytes go that travel with the next arrival. Only what [`Group::fits`].
    pub(super) fn place(&self, len: usize) -> *mut u8 {
        match self {
            Group::Team(t) => t.place(len),
            Group::Set(_) => unreachable!("nothing fits"),
        }
    }

    /// What `member` placed for the meeting just over.
    pub(super) fn placed(&self, member: usize, len: usize) -> *const u8 {
        match self {
            Group::Team(t) => t.placed(member, len),
            Group::Set(_) => unreachable!("nothing fits"),
        }
    }

    /// All meet, each with a number; gives back everybody's. A team may put data of up to `TRAY` bytes beside it, which
    /// `fill` writes.
    pub(super) fn meet_with(&self, number: u64, fill: impl FnOnce(*mut u8)) -> Vec<u64> {
        match self {
            Group::Team(t) => {
                fill(t.say_with_tray(number));
                t.meet();
                (0..t.size()).map(|i| t.heard(i, 0)).collect()
            }
            Group::Set(s) => {
                s.meet(number);
                (0..s.size).map(|i| s.heard(i)).collect()
            }
        }
    }

    /// What `member` put beside its number.
    pub(super) fn tray(&self, member: usize) -> *const u8 {
        match self {
            Group::Team(t) => t.tray(member),
            Group::Set(_) => unreachable!("nothing fits"),
        }
    }
}
