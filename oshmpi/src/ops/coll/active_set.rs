//! Active sets: start, log2 of the stride, size. Only the members take part. pSync is not needed and left as it is.
//! On one node a barrier of a set uses the node's pair counters, which any two PEs count alike whatever sets they are
//! in.

use crate::args;
use crate::diag::fatal;
use crate::memory::addr::Pe;
use crate::state::Runtime;
use crate::sync::Wait;
use crate::sync::atomics::Ordering;
use crate::sync::awaited::Awaited;
use crate::team::Members;
use core::ffi::c_int;

/// A set that the caller is a member of.
#[derive(Clone, Copy)]
pub(crate) struct ActiveSet<'a> {
    rt: &'a Runtime,
    pub(super) members: Members,
    pub(super) size: usize,
    /// The caller's number in the set.
    pub(super) me: usize,
}

/// An active set as C names it.
#[derive(Clone, Copy)]
pub(crate) struct SetArgs {
    pub(crate) start: c_int,
    pub(crate) log_stride: c_int,
    pub(crate) size: c_int,
    /// Addresses of pSync and, in reductions, pWrk.
    pub(crate) psync: usize,
    pub(crate) pwrk: Option<usize>,
}

impl SetArgs {
    /// With `SHMEM_DEBUG`: pSync is symmetric and holds SHMEM_SYNC_VALUE, pWrk is symmetric. Neither is needed here,
    /// but other libraries would fail.
    pub(super) fn check_work(&self, rt: &Runtime, routine: &str) {
        /// `SHMEM_SYNC_VALUE` of shmem.h. One element is read: a program may rely on longer arrays not being needed.
        const SYNC_VALUE: i32 = 0;
        if !rt.env.debug {
            return;
        }
        // The first half is enough, and all that a Fortran program's element has.
        args::symmetric(rt, routine, "pSync", self.psync, size_of::<i32>());
        // SAFETY: symmetric, so it can be read.
        let value = unsafe { (self.psync as *const i32).read_volatile() };
        if value != SYNC_VALUE {
            fatal(routine, format_args!("pSync[0] is {value}, not SHMEM_SYNC_VALUE"));
        }
        if let Some(pwrk) = self.pwrk {
            args::symmetric(rt, routine, "pWrk", pwrk, 1);
        }
    }
}

impl<'a> ActiveSet<'a> {
    /// What C gave, checked: members in range, the caller among them.
    pub(super) fn new(rt: &'a Runtime, routine: &'static str, args: SetArgs) -> ActiveSet<'a> {
        let SetArgs { start, log_stride, size, .. } = args;
        args::thread(rt, routine);
        let n = u64::from(rt.n_pes);
        let bad = |what: &str| -> ! {
            let set = format!("PE_start {start}, logPE_stride {log_stride}, PE_size {size}");
            fatal(routine, format_args!("active set ({set}): {what}"))
        };
        if start < 0 || log_stride < 0 || size < 1 {
            bad("start and stride must not be negative, size must be positive");
        }
        // One member has no stride.
        let log_stride = if size == 1 { 0 } else { log_stride };
        // A shift that loses bits would reach beyond any job.
        let last = 1u64.checked_shl(log_stride as u32).and_then(|s| s.checked_mul((size - 1) as u64));
        if last.and_then(|l| l.checked_add(start as u64)).is_none_or(|last| last >= n) {
            bad(&format!("reaches beyond PE {}", n - 1));
        }
        let members = Members { start: start as u32, stride: 1 << log_stride, size: size as u32 };
        let Some(me) = members.index(rt.pe.0) else { bad(&format!("PE {} is not a member", rt.pe.0)) };
        ActiveSet { rt, members, size: size as usize, me: me as usize }
    }

    /// World PE of a member.
    pub(super) fn pe(&self, member: usize) -> u32 {
        self.members.world(member as u32)
    }

    fn slot(&self, member: usize) -> usize {
        self.rt.node.places.local(Pe(self.pe(member))).expect("the set is on this node")
    }

    /// A barrier to which each member comes with a number: everybody tells everybody. n - 1 words written and read.
    pub(super) fn barrier(&self, number: u64) {
        let (node, wait, mine) = (&self.rt.node, self.rt.node.waiter(), self.rt.node.me);
        let others = || (0..self.size).filter(|&i| i != self.me).map(|i| self.slot(i));
        for peer in others() {
            let pair = node.pair(peer, mine);
            let seq = pair.arrived().load(Ordering::Relaxed) + 1; // only this PE writes it
            pair.word(seq).store(number, Ordering::Relaxed); // ordered by the store below
            pair.arrived().store(seq, Ordering::Release); // SYNC set: pairs with the load below
        }
        // The caller's number, where `read` looks for it.
        let own = node.pair(mine, mine);
        let seq = own.seen().load(Ordering::Relaxed) + 1;
        own.word(seq).store(number, Ordering::Relaxed);
        own.seen().store(seq, Ordering::Relaxed);
        wait.notify();
        for peer in others() {
            let pair = node.pair(mine, peer);
            let seq = pair.seen().load(Ordering::Relaxed) + 1; // only this PE writes it
            let pe = node.places.pe(peer).0;
            let ready = || pair.arrived().load(Ordering::Acquire) >= seq; // SYNC set: pairs with the store above
            wait.until_told(ready, || Awaited::Peer { pe });
            pair.seen().store(seq, Ordering::Relaxed);
        }
    }

    /// The number `member` came with to the barrier just over. It stays until that member's barrier after the next.
    pub(super) fn read(&self, member: usize) -> u64 {
        let pair = self.rt.node.pair(self.rt.node.me, self.slot(member));
        pair.word(pair.seen().load(Ordering::Relaxed)).load(Ordering::Relaxed)
    }
}
