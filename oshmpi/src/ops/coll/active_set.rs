//! Active sets: start, log2 of the stride, size. Only the members take part. pSync is not used. On one node a barrier
//! of a set uses the counters of pairs of PEs. Any two PEs count alike, because they see the rounds of all sets that
//! contain both in one order.

use crate::args;
use crate::diag::fatal;
use crate::memory::addr::Pe;
use crate::state::Runtime;
use crate::sync::Wait;
use crate::sync::atomics::Ordering;
use crate::sync::awaited::Awaited;
use crate::team::Members;
use core::ffi::c_int;

/// An active set on one node that has the caller as a member.
#[derive(Clone, Copy)]
pub(crate) struct ActiveSet<'a> {
    rt: &'a Runtime,
    pub(super) members: Members,
    pub(super) size: usize,
    /// The caller's number in the set.
    pub(super) me: usize,
}

/// An active set as the C caller names it.
#[derive(Clone, Copy)]
pub(crate) struct SetArgs {
    pub(crate) start: c_int,
    pub(crate) log_stride: c_int,
    pub(crate) size: c_int,
    /// The address of pSync; `pwrk` is that of pWrk, in reductions.
    pub(crate) psync: usize,
    pub(crate) pwrk: Option<usize>,
}

impl SetArgs {
    /// With `SHMEM_DEBUG`: checks that pSync is symmetric and holds SHMEM_SYNC_VALUE, and that pWrk is symmetric. This
    /// library uses neither, but other libraries do.
    pub(super) fn check_work(&self, rt: &Runtime, routine: &str) {
        /// `SHMEM_SYNC_VALUE` of shmem.h. Only one element is read, because a program may pass a shorter array here.
        const SYNC_VALUE: i32 = 0;
        if !rt.env.debug {
            return;
        }
        // Only the first 4 bytes are read: a Fortran program's element has no more.
        args::symmetric(rt, routine, "pSync", self.psync, size_of::<i32>());
        // SAFETY: the element is symmetric, so it can be read.
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
    /// The set that the C caller names. Ends the job if a member is out of range or the caller is no member.
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
        // The stride of a set of one member is ignored.
        let log_stride = if size == 1 { 0 } else { log_stride };
        // A stride whose shift loses bits is out of range of any job.
        let last = 1u64.checked_shl(log_stride as u32).and_then(|s| s.checked_mul((size - 1) as u64));
        if last.and_then(|l| l.checked_add(start as u64)).is_none_or(|last| last >= n) {
            bad(&format!("reaches beyond PE {}", n - 1));
        }
        let members = Members::spaced(start as u32, 1 << log_stride, size as u32);
        let Some(me) = members.index(rt.pe.0) else { bad(&format!("PE {} is not a member", rt.pe.0)) };
        ActiveSet { rt, members, size: size as usize, me: me as usize }
    }

    /// A part of a set, by the triplet of its members' world PEs, if the caller is one of them.
    pub(super) fn part(rt: &'a Runtime, members: Members) -> Option<ActiveSet<'a>> {
        let me = members.index(rt.pe.0)? as usize;
        Some(ActiveSet { rt, members, size: members.size as usize, me })
    }

    /// The world PE of a member.
    pub(super) fn pe(&self, member: usize) -> u32 {
        self.members.world(member as u32)
    }

    fn slot(&self, member: usize) -> usize {
        self.rt.node.places.local(Pe(self.pe(member))).expect("the set is on this node")
    }

    /// A barrier in which each member posts a number. Bound: each of n members writes and reads n - 1 words.
    pub(super) fn barrier(&self, number: u64) {
        let (node, mine) = (&self.rt.node, self.rt.node.me);
        self.others().for_each(|peer| self.tell(peer, Some(number)));
        // The caller's number is stored where `read` finds it.
        let own = node.pair(mine, mine);
        let seq = own.seen().load(Ordering::Relaxed) + 1;
        own.word(seq).store(number, Ordering::Relaxed);
        own.seen().store(seq, Ordering::Relaxed);
        node.waiter().notify();
        self.others().for_each(|peer| self.wait_for(peer));
    }

    /// On `root`: returns when all members have arrived. The others do not wait. The root must notify the members
    /// before one of them posts a number again, because a pair of PEs has room for two numbers.
    ///
    /// Bound: each of the n - 1 others writes one word, and `root` reads these words.
    pub(super) fn notify_root(&self, root: usize) {
        if self.me == root {
            return self.others().for_each(|peer| self.wait_for(peer));
        }
        self.tell(self.slot(root), None);
        self.rt.node.waiter().notify();
    }

    /// On members other than `root`: returns when `root` has arrived. `root` does not wait.
    ///
    /// Bound: `root` writes a word for each of the n - 1 others, which read one each.
    pub(super) fn wait_for_root(&self, root: usize) {
        if self.me != root {
            return self.wait_for(self.slot(root));
        }
        self.others().for_each(|peer| self.tell(peer, None));
        self.rt.node.waiter().notify();
    }

    /// The slots of the other members.
    fn others(&self) -> impl Iterator<Item = usize> {
        (0..self.size).filter(|&i| i != self.me).map(|i| self.slot(i))
    }

    /// Arrives at the PE in a slot. The caller notifies the waiters afterwards.
    fn tell(&self, peer: usize, number: Option<u64>) {
        let pair = self.rt.node.pair(peer, self.rt.node.me);
        let seq = pair.arrived().load(Ordering::Relaxed) + 1; // only this PE writes it
        if let Some(number) = number {
            pair.word(seq).store(number, Ordering::Relaxed); // ordered by the store below
        }
        pair.arrived().store(seq, Ordering::Release); // SYNC set: pairs with the load below
    }

    /// Returns when the PE in a slot has arrived once more than this PE has waited for it.
    fn wait_for(&self, peer: usize) {
        let pair = self.rt.node.pair(self.rt.node.me, peer);
        let seq = pair.seen().load(Ordering::Relaxed) + 1; // only this PE writes it
        let pe = self.rt.node.places.pe(peer).0;
        let ready = || pair.arrived().load(Ordering::Acquire) >= seq; // SYNC set: pairs with the store above
        self.rt.node.waiter().until_told(ready, || Awaited::Peer { pe, request: 0 });
        pair.seen().store(seq, Ordering::Relaxed);
    }

    /// The number that `member` posted in the barrier just over. It stays until that member's barrier after the next.
    pub(super) fn read(&self, member: usize) -> u64 {
        let pair = self.rt.node.pair(self.rt.node.me, self.slot(member));
        pair.word(pair.seen().load(Ordering::Relaxed)).load(Ordering::Relaxed)
    }
}
