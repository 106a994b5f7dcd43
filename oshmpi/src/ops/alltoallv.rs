//! The exchange of blocks of any lengths, as Cray OpenSHMEMX has it.
//!
//! With n members a member reads 8 bytes of each, puts one block and 8 bytes to each, and takes part in a sync and a
//! barrier: n reads and 2 n writes, as many as come to it, and no memory. Every member begins with itself and goes on
//! to the right, so that one member at a time writes to another. `coll/alltoallv` asserts the numbers.

use super::coll::{self, SetArgs, Whom};
use super::{rma, team};
use crate::ctx::Ctx;
use crate::memory::local::Source;
use crate::state;
use crate::team::TeamHandle;
use core::ffi::c_int;

/// What a member sends or receives: the data, and for each member its place in it and its length, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Blocks {
    pub(crate) data: usize,
    pub(crate) offsets: *const usize,
    pub(crate) sizes: *mut usize,
}

/// The members of a collective: how many, which of them the caller is, and the world's number of each.
struct Among {
    whom: Whom,
    n: usize,
    mine: usize,
}

impl Among {
    fn new(routine: &'static str, whom: Whom) -> Among {
        let (n, mine) = match whom {
            Whom::Team(handle) => (team::n_pes(routine, handle), team::my_pe(routine, handle)),
            Whom::Set(set) => (set.size, (state::my_pe(routine) - set.start) >> set.log_stride),
        };
        // A sync has found that the caller is a member.
        Among { whom, n: n as usize, mine: mine as usize }
    }

    fn world(&self, routine: &'static str, member: usize) -> c_int {
        match self.whom {
            Whom::Team(handle) => team::translate_pe(routine, handle, member as c_int, TeamHandle::WORLD),
            Whom::Set(SetArgs { start, log_stride, .. }) => start + ((member as c_int) << log_stride),
        }
    }
}

/// Sends block `i` of `source` to member `i`, which finds it at its own offset for this member, and the length in its
/// own sizes.
///
/// # Safety
/// The four arrays have an element for each member, and the data reaches as far as they say.
pub(crate) unsafe fn alltoallv(routine: &'static str, whom: Whom, target: Blocks, source: Blocks) {
    // The members' offsets have to be there.
    coll::sync(routine, whom);
    let among = Among::new(routine, whom);
    for member in (among.mine..among.n).chain(0..among.mine) {
        let pe = among.world(routine, member);
        let offset = rma::g::<usize>(routine, Ctx::DEFAULT, target.offsets.wrapping_add(among.mine), pe);
        // SAFETY: the caller's arrays have an element for each member.
        let (from, len) = unsafe { (*source.offsets.add(member), *source.sizes.add(member)) };
        // SAFETY: the caller promises so many bytes there, which stay until the barrier below.
        let block = unsafe { Source::of::<u8>((source.data + from) as *const u8, len) };
        rma::put_nbi::<u8>(routine, Ctx::DEFAULT, (target.data + offset) as *mut u8, block, pe);
        rma::p::<usize>(routine, Ctx::DEFAULT, target.sizes.wrapping_add(among.mine), len, pe);
    }
    coll::barrier(routine, whom);
}
