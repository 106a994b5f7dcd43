//! Collectives of groups whose members are not all on one node: messages, and algorithms over them; or MPI's own, where
//! they are wanted. Messages move bytes; what is to be combined is gathered first and combined in the order of the members, as on a node,
//! so that all members get bit-identical results of any type.

mod combine;
mod gather;
mod message_group;
mod spread;
mod stages;
mod swap;
#[cfg(test)]
mod threads;

pub(super) use combine::{reduce, scan};
pub(super) use gather::gather;
pub(super) use message_group::MessageGroup;
pub(crate) use message_group::end as end_communicator;
pub(super) use spread::broadcast;
pub(super) use stages::Stages;
pub(super) use swap::exchange;

use crate::mpi::collective::Collective;

/// How members of a group send each other bytes. Between two members, messages arrive in the order they were sent.
pub(super) trait Wire {
    /// Messages under way.
    type InFlight: Default;

    fn size(&self) -> usize;

    /// The caller's number in the group.
    fn me(&self) -> usize;

    /// Starts sending `len` bytes to a member; nothing when `len` is 0.
    ///
    /// # Safety
    /// The bytes stay as they are until `finish` returns.
    unsafe fn send(&self, pending: &mut Self::InFlight, to: usize, at: *const u8, len: usize);

    /// Starts receiving `len` bytes, as many as the member sends; nothing when `len` is 0.
    ///
    /// # Safety
    /// The room is the caller's until `finish` returns.
    unsafe fn receive(&self, pending: &mut Self::InFlight, from: usize, at: *mut u8, len: usize);

    /// Returns when all messages of `pending` have ended, and everything they were to bring is there.
    fn finish(&self, pending: Self::InFlight);

    /// The group by nodes, where some members share one.
    fn stages(&self) -> Option<Stages<'_>> {
        None
    }

    /// Does it by MPI's own collective, where that is wanted and can be; false: it is to be done by messages. The same on
    /// all members.
    ///
    /// # Safety
    /// Buffers hold what is said of them.
    unsafe fn by_mpi(&self, _what: &Collective<'_>) -> bool {
        false
    }
}

/// A part of a group: member i of it is member `outside(i)` of the whole.
struct Part<'a, W, F> {
    w: &'a W,
    size: usize,
    me: usize,
    outside: F,
}

impl<W: Wire, F: Fn(usize) -> usize> Wire for Part<'_, W, F> {
    type InFlight = W::InFlight;

    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    unsafe fn send(&self, pending: &mut W::InFlight, to: usize, at: *const u8, len: usize) {
        // SAFETY: passed on to the caller.
        unsafe { self.w.send(pending, (self.outside)(to), at, len) }
    }

    unsafe fn receive(&self, pending: &mut W::InFlight, from: usize, at: *mut u8, len: usize) {
        // SAFETY: passed on to the caller.
        unsafe { self.w.receive(pending, (self.outside)(from), at, len) }
    }

    fn finish(&self, pending: W::InFlight) {
        self.w.finish(pending)
    }
}

/// Nobody leaves before everybody has come.
pub(super) fn barrier<W: Wire>(w: &W) {
    // SAFETY: no buffers.
    if unsafe { w.by_mpi(&Collective::Barrier) } {
        return;
    }
    match w.stages() {
        Some(stages) => stages.barrier(w),
        None => dissemination(w),
    }
}

/// In round k each member hears of 2^k members more.
fn dissemination(w: &impl Wire) {
    let (n, me) = (w.size(), w.me());
    let (mine, mut theirs) = (1u8, 0u8);
    let mut away = 1;
    while away < n {
        let mut pending = Default::default();
        // SAFETY: both bytes outlive `finish`.
        unsafe {
            w.receive(&mut pending, (me + n - away) % n, &mut theirs, 1);
            w.send(&mut pending, (me + away) % n, &mine, 1);
        }
        w.finish(pending);
        away *= 2;
    }
}
