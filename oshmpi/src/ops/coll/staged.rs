//! Buffers of collectives that lie on a device. The algorithms work in the host's memory of the same space, at the same
//! offset. What a member gives is copied there before, and what it gets is copied back afterwards.
//!
//! Cost: a copy by the driver for each of the two, or for each element if elements have strides. collect also exchanges
//! a word with all members first, because a member must know how much it gets.

use super::alltoall::Blocks;
use super::plan::Asked;
use super::{Call, Whom};
use crate::diag::fatal;
use crate::memory::spaces::SPACES;
use crate::os::cuda::Device;

/// Elements with a stride, or bytes in one piece. All numbers are bytes, but for the first.
#[derive(Clone, Copy)]
struct Elements {
    n: usize,
    len: usize,
    stride: usize,
}

impl Elements {
    fn whole(len: usize) -> Elements {
        Elements { n: 1, len, stride: 0 }
    }

    fn strided(unit: usize, n: usize, stride: usize) -> Elements {
        if stride == 1 { Elements::whole(n * unit) } else { Elements { n, len: unit, stride: stride * unit } }
    }
}

/// A buffer on a device, and the memory of the host that stands for it.
struct Pair {
    device: Device,
    there: usize,
    host: usize,
}

impl Pair {
    /// None: the buffer is empty, or lies on no device.
    fn find(call: &Call, addr: usize, len: usize) -> Option<Pair> {
        let range = call.rt.segments.find(addr, len).filter(|_| len > 0)?;
        let place = range.seg.device()?;
        let device = SPACES.on_device(place)?.device;
        Some(Pair { device, there: addr, host: SPACES.own(place).base + range.off })
    }

    fn copy(&self, routine: &str, what: Elements, back: bool) {
        let (to, from) = if back { (self.there, self.host) } else { (self.host, self.there) };
        for off in (0..what.n).map(|i| i * what.stride) {
            // SAFETY: the elements lie in the buffer, which was found in this PE's part, and at the same offset in the
            // host's memory.
            let copied = unsafe { self.device.copy(to + off, from + off, what.len) };
            copied.unwrap_or_else(|e| fatal(routine, e));
        }
    }
}

/// What a call on a PE with memory of devices goes on with. It lies on the heap, so that other calls only keep a null.
pub(super) struct Staged {
    /// dest and source.
    pub(super) buffers: [usize; 2],
    /// What is to be copied back, and for which routine.
    back: Option<(Pair, Elements, &'static str)>,
}

impl Staged {
    /// For a PE that has memory of devices. `started`: the call may not wait for other members.
    #[cold]
    #[inline(never)]
    pub(super) fn new(
        routine: &'static str,
        whom: impl Whom,
        [dest, source]: [usize; 2],
        started: bool,
        asked: Asked,
    ) -> Box<Staged> {
        let call = &whom.call(routine);
        let (members, me) = (call.group.size(), call.group.me());
        let ([mut room, len], _) = asked.compared(call);
        let collects = matches!(asked, Asked::Collect { .. }) && Pair::find(call, dest, 1).is_some();
        if collects && started {
            room = 1; // it is found by its first byte, and has its length in the end
        } else if collects {
            let posted = call.group.exchange(&[len as u64]);
            room = (0..members).fold(0, |all: usize, member| all.saturating_add(posted.word(member, 0) as usize));
        }
        // What is read of source and written to dest on this member. In a broadcast of an active set, the root's dest
        // stays as it is.
        let (into, from) = match asked {
            Asked::Alltoall { unit, blocks: Blocks { nelems, dst, sst } } => {
                let all = nelems.saturating_mul(members);
                (Some(Elements::strided(unit, all, dst)), Some(Elements::strided(unit, all, sst)))
            }
            Asked::Broadcast { root, .. } => {
                let is_root = me == root as usize;
                let gets = call.team.is_some() || !is_root;
                (gets.then_some(Elements::whole(room)), is_root.then_some(Elements::whole(len)))
            }
            _ => (Some(Elements::whole(room)), Some(Elements::whole(len))),
        };
        let (result, given) = (Pair::find(call, dest, room), Pair::find(call, source, len));
        if let (Some(pair), Some(what)) = (&given, from) {
            pair.copy(call.routine, what, false);
        }
        Box::new(Staged {
            buffers: [result.as_ref().map_or(dest, |pair| pair.host), given.map_or(source, |pair| pair.host)],
            back: result.zip(into).map(|(pair, what)| (pair, what, call.routine)),
        })
    }

    /// Whether something is copied back. The answer is equal on all members of a team.
    pub(super) fn goes_back(&self) -> bool {
        self.back.is_some()
    }

    /// The collective is over. `got`: the bytes of dest, if only the collective has told them.
    #[cold]
    #[inline(never)]
    #[expect(clippy::boxed_local, reason = "it is freed here, out of the way of other calls")]
    pub(super) fn finish(self: Box<Staged>, got: Option<usize>) {
        if let Some((pair, what, routine)) = self.back {
            pair.copy(routine, got.map_or(what, Elements::whole), true);
        }
    }
}
