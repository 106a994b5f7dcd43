//! What a collective needs of a group of PEs, and where it is decided whether its members meet on their node or send
//! each other messages.

use super::active::{self, ActiveSet};
use super::far::{self, Link, Wire};
use crate::memory::node::TRAY;
use crate::state::Runtime;
use crate::team::{Meeting, Team};
use core::ffi::{c_int, c_long};

/// Bytes from which a member writes into the dests of the others instead of letting them fetch: one copy less than through a
/// tray, one meeting less than by reading. The standard lets it, because dest has to be ready on all members when one calls.
pub(super) const WRITTEN_FROM: usize = 512;

/// A group in which the caller is a member. All members decide alike.
#[derive(Clone, Copy)]
pub(crate) enum Group<'a> {
    /// All members are on this node.
    Near(Near<'a>),
    Far(Link<'a>),
}

/// A group on one node.
#[derive(Clone, Copy)]
pub(crate) enum Near<'a> {
    Team(Meeting<'a>),
    /// Has no desks: nothing can be placed.
    Set(ActiveSet<'a>),
}

/// What the members said at an exchange.
pub(crate) enum Heard<'a> {
    /// It lies on the desks: to be read before the next meeting.
    Desks(Meeting<'a>),
    /// So many words of each.
    Words(Vec<u64>, usize),
}

impl Heard<'_> {
    /// Word `i` of what a member said.
    pub(crate) fn word(&self, member: usize, i: usize) -> u64 {
        match self {
            Heard::Desks(meeting) => meeting.heard(member, i),
            Heard::Words(words, each) => words[member * each + i],
        }
    }
}

impl<'a> Group<'a> {
    /// A team, in a call of `routine`.
    #[inline]
    pub(crate) fn of_team(rt: &'a Runtime, routine: &'static str, team: &'a Team) -> Group<'a> {
        match team.on(&rt.node) {
            Some(meeting) => Group::Near(Near::Team(meeting)),
            None => Group::Far(Link::team(rt, routine, team)),
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
            Some(_) => Group::Near(Near::Set(set)),
            None => Group::Far(Link::set(rt, routine, set.members, set.me)),
        }
    }

    pub(crate) fn size(&self) -> usize {
        match self {
            Group::Near(g) => g.size(),
            Group::Far(link) => link.size(),
        }
    }

    /// The caller's number in the group.
    pub(crate) fn me(&self) -> usize {
        match self {
            Group::Near(g) => g.me(),
            Group::Far(link) => link.me(),
        }
    }

    /// World PE of a member.
    pub(crate) fn pe(&self, member: usize) -> u32 {
        match self {
            Group::Near(g) => g.pe(member),
            Group::Far(link) => link.pe(member),
        }
    }

    /// Nobody leaves before everybody has come.
    #[inline]
    pub(crate) fn meet(&self) {
        match self {
            Group::Near(Near::Team(t)) => t.sync(),
            Group::Near(Near::Set(s)) => s.meet(0),
            Group::Far(link) => far::meet(link),
        }
    }

    /// All members tell each other as many words, at most `node::WORDS`, and meet by doing so.
    pub(crate) fn exchange(&self, words: &[u64]) -> Heard<'a> {
        let (n, each) = (self.size(), words.len());
        match self {
            Group::Near(Near::Team(meeting)) => {
                meeting.say(words);
                meeting.meet();
                Heard::Desks(*meeting)
            }
            Group::Near(Near::Set(set)) => {
                let mut all = vec![0; n * each];
                for (i, &word) in words.iter().enumerate() {
                    set.meet(word);
                    (0..n).for_each(|member| all[member * each + i] = set.heard(member));
                }
                Heard::Words(all, each)
            }
            Group::Far(link) => {
                let mut all = vec![0u64; n * each];
                // SAFETY: every member has as many words, and there is room for all.
                unsafe { far::gather(link, words.as_ptr().cast(), all.as_mut_ptr().cast(), |i| i * each * 8) };
                Heard::Words(all, each)
            }
        }
    }
}

impl Near<'_> {
    pub(super) fn size(&self) -> usize {
        match self {
            Near::Team(t) => t.size(),
            Near::Set(s) => s.size,
        }
    }

    /// The caller's number in the group.
    pub(super) fn me(&self) -> usize {
        match self {
            Near::Team(t) => t.me(),
            Near::Set(s) => s.me,
        }
    }

    /// World PE of a member.
    pub(super) fn pe(&self, member: usize) -> u32 {
        match self {
            Near::Team(t) => t.pe(member),
            Near::Set(s) => s.pe(member),
        }
    }

    /// `len` bytes can travel with an arrival.
    pub(super) fn fits(&self, len: usize) -> bool {
        matches!(self, Near::Team(_)) && len <= TRAY
    }

    /// All have come: a part of moving data.
    #[inline]
    pub(super) fn meet(&self) {
        match self {
            Near::Team(t) => t.meet(),
            Near::Set(s) => s.meet(0),
        }
    }

    /// Returns when at least the members before the caller have come.
    pub(super) fn follow_lower(&self) {
        match self {
            Near::Team(t) => t.follow_lower(),
            Near::Set(s) => s.meet(0),
        }
    }

    /// Returns when `root` has come.
    pub(super) fn follow(&self, root: usize) {
        match self {
            Near::Team(t) => t.follow(root),
            Near::Set(s) => s.meet(0),
        }
    }

    /// `root` returns when all have come.
    pub(super) fn report(&self, root: usize) {
        match self {
            Near::Team(t) => t.report(root),
            Near::Set(s) => s.meet(0),
        }
    }

    /// `root` returns when all have come, the others when it has.
    pub(super) fn settle(&self, root: usize) {
        match self {
            Near::Team(t) => t.settle(root),
            Near::Set(s) => s.meet(0),
        }
    }

    /// All meet, each with `len` bytes that `fill` writes. Only what [`Near::fits`].
    #[inline]
    pub(super) fn meet_with(&self, len: usize, fill: impl FnOnce(*mut u8)) {
        match self {
            Near::Team(t) => t.meet_with(len, fill),
            Near::Set(_) => unreachable!("nothing fits"),
        }
    }

    /// Where bytes go that travel with the next arrival. Only what [`Near::fits`].
    pub(super) fn place(&self, len: usize) -> *mut u8 {
        match self {
            Near::Team(t) => t.place(len),
            Near::Set(_) => unreachable!("nothing fits"),
        }
    }

    /// What `member` placed for the meeting just over.
    pub(super) fn placed(&self, member: usize, len: usize) -> *const u8 {
        match self {
            Near::Team(t) => t.placed(member, len),
            Near::Set(_) => unreachable!("nothing fits"),
        }
    }

    /// `len` bytes go with their number: see [`Near::meet_with_number`].
    pub(super) fn travels(&self, len: usize) -> bool {
        matches!(self, Near::Team(_)) && len < WRITTEN_FROM
    }

    /// All meet, each with a number and, if it [`Near::travels`], with `len` bytes that `fill` writes.
    pub(super) fn meet_with_number(&self, number: u64, len: usize, fill: impl FnOnce(*mut u8)) {
        match self {
            Near::Team(t) if self.travels(len) => t.meet_with_word(number, len, fill),
            Near::Team(t) => {
                t.say(&[number]);
                t.meet();
            }
            Near::Set(s) => s.meet(number),
        }
    }

    /// The number `member` came with to the meeting just over.
    pub(super) fn number_of(&self, member: usize) -> u64 {
        match self {
            Near::Team(t) => t.heard(member, 0),
            Near::Set(s) => s.heard(member),
        }
    }

    /// The bytes `member` sent with its number.
    pub(super) fn sent_with(&self, member: usize, len: usize) -> *const u8 {
        match self {
            Near::Team(t) => t.sent_with(member, len),
            Near::Set(_) => unreachable!("nothing fits"),
        }
    }
}
