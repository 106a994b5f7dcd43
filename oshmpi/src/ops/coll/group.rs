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

    /// All meet, each with a number and, if [`Group::fits`], with `len` bytes that `fill` writes.
    pub(super) fn meet_with(&self, number: u64, len: usize, fill: impl FnOnce(*mut u8)) {
        match self {
            Group::Team(t) if self.fits(len) => {
                fill(t.say_with(number, len));
                t.meet();
            }
            Group::Team(t) => {
                t.say(&[number]);
                t.meet();
            }
            Group::Set(s) => s.meet(number),
        }
    }

    /// The number `member` came with to the meeting just over.
    pub(super) fn number_of(&self, member: usize) -> u64 {
        match self {
            Group::Team(t) => t.heard(member, 0),
            Group::Set(s) => s.heard(member),
        }
    }

    /// The bytes `member` sent with its number.
    pub(super) fn sent_with(&self, member: usize, len: usize) -> *const u8 {
        match self {
            Group::Team(t) => t.sent_with(member, len),
            Group::Set(_) => unreachable!("nothing fits"),
        }
    }
}
