//! `shmemx_alltoallv`: the exchange of blocks of any lengths, with the interface of Cray OpenSHMEMX.
//!
//! Bound: among n members, each reads 8 bytes of each member, puts one block and 8 bytes to each, and takes part in a
//! sync and a barrier: n reads and 2 n writes, and as many come to it. It needs no memory. Each member begins with
//! itself and goes on to the next higher number, so that one member at a time writes to another. The test program
//! `coll/alltoallv` asserts the numbers.

use super::coll::{self, SetArgs, Whom};
use super::{rma, team};
use crate::ctx::Ctx;
use crate::memory::local::Source;
use crate::state;
use crate::team::TeamHandle;
use core::ffi::c_int;

/// What the caller sends or receives: the address of the data, and for each member the offset and the length of its
/// block, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Blocks {
    pub(crate) data: usize,
    pub(crate) offsets: *const usize,
    pub(crate) sizes: *mut usize,
}

/// The members of a collective: how many there are, which of them the caller is, and the world PE of each.
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
        // The sync has checked that the caller is a member.
        Among { whom, n: n as usize, mine: mine as usize }
    }

    fn world(&self, routine: &'static str, member: usize) -> c_int {
        match self.whom {
            Whom::Team(handle) => team::translate_pe(routine, handle, member as c_int, TeamHandle::WORLD),
            Whom::Set(SetArgs { start, log_stride, .. }) => start + ((member as c_int) << log_stride),
        }
    }
}

/// Sends block `i` of `source` to member `i`. It arrives in that member's target at the member's own offset for the
/// caller, and its length arrives in the member's sizes.
///
/// # Safety
/// The four arrays have an element for each member. All blocks that they describe lie inside the data.
pub(crate) unsafe fn alltoallv(routine: &'static str, whom: Whom, target: Blocks, source: Blocks) {
    // Behind this sync the members' offsets can be read.
    coll::sync(routine, whom);
    let among = Among::new(routine, whom);
    for member in (among.mine..among.n).chain(0..among.mine) {
        let pe = among.world(routine, member);
        let offset = rma::g::<usize>(routine, Ctx::DEFAULT, target.offsets.wrapping_add(among.mine), pe);
        // SAFETY: the caller's arrays have an element for each member.
        let (from, len) = unsafe { (*source.offsets.add(member), *source.sizes.add(member)) };
        // SAFETY: the caller promises `len` bytes there, which stay until the barrier below.
        let block = unsafe { Source::of::<u8>((source.data + from) as *const u8, len) };
        rma::put_nbi::<u8>(routine, Ctx::DEFAULT, (target.data + offset) as *mut u8, block, pe);
        rma::p::<usize>(routine, Ctx::DEFAULT, target.sizes.wrapping_add(among.mine), len, pe);
    }
    coll::barrier(routine, whom);
}
