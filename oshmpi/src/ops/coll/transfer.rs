//! How data moves in broadcast, collect, fcollect, alltoall and alltoalls, whatever the type and the interface. The one place that
//! decides between an arrival's line, a eager buffer, the peers' buffers and messages.

use super::buffer::Buffer;
use super::check;
use super::group::{Group, IntraNode, WRITTEN_FROM};
use super::inter_node::{self, Wire};
use crate::args;
use crate::state::Runtime;
use crate::transport::node;

/// Bytes from which the root of a broadcast that has nothing to do until all have their data copies a part for them.
const SHARED_FROM: usize = 32 << 10;

/// Arguments that every one of these has: checked once.
pub(super) struct Call<'a> {
    rt: &'a Runtime,
    routine: &'static str,
    pub(super) group: &'a Group<'a>,
    dest: *mut u8,
    dest_len: usize,
    /// The own copy of the source.
    own: *const u8,
    source_len: usize,
}

impl<'a> Call<'a> {
    #[inline]
    pub(super) fn new(
        rt: &'a Runtime,
        routine: &'static str,
        group: &'a Group<'a>,
        (dest, dest_len): (usize, usize),
        (source, source_len): (usize, usize),
    ) -> Call<'a> {
        check::buffers(rt, routine, (dest, dest_len), (source, source_len), false);
        Call { rt, routine, group, dest: dest as *mut u8, dest_len, own: source as *const u8, source_len }
    }

    /// Dest, as others have it.
    fn result(&self) -> Buffer<'a> {
        Buffer::new(self.rt, self.routine, "dest", self.dest as usize, self.dest_len)
    }

    /// Dest, if members write into the others' dests `bytes` from here on rather than let them fetch.
    fn written(&self, bytes: usize) -> Option<Buffer<'a>> {
        (bytes >= WRITTEN_FROM).then(|| self.result().of_many(self.moved())).filter(Buffer::writable)
    }

    /// Bytes of source and dest of all members.
    fn moved(&self) -> usize {
        self.group.size().saturating_mul(self.dest_len.saturating_add(self.source_len))
    }

    /// The source, as others have it.
    fn source(&self) -> Buffer<'a> {
        Buffer::new(self.rt, self.routine, "source", self.own as usize, self.source_len)
    }
}

/// The root's `len` bytes to everybody's dest; the root's own dest only if `to_root`.
pub(super) unsafe fn broadcast_bytes(call: &Call<'_>, root: usize, len: usize, to_root: bool) {
    let g = call.group;
    let i_am_root = g.me() == root;
    // On all members alike: dest and source are the same objects there.
    let root_copies = to_root && call.dest.cast_const() != call.own;
    // After the others have been let go: they copy meanwhile.
    let own_copy = || {
        if root_copies {
            // SAFETY: both are ours and hold `len` bytes.
            unsafe { node::copy(call.dest, call.own, len) };
        }
    };
    let g = match g {
        Group::IntraNode(g) => g,
        Group::InterNode(group) => {
            let read = |member: usize| {
                let from = if member == root { call.source() } else { call.result() };
                // SAFETY: dest is ours; the member keeps its bytes until this has returned.
                unsafe { from.read(g.pe(member), 0, call.dest, len) };
            };
            // SAFETY: the root's source and the others' dest are theirs and hold `len` bytes.
            unsafe { inter_node::broadcast(group, root, call.own, call.dest, len, read) };
            if i_am_root {
                own_copy();
            }
            return;
        }
    };
    if g.fits(len) {
        if i_am_root {
            // SAFETY: the place holds `len` bytes, the source is ours.
            unsafe { node::copy(g.place(len), call.own, len) };
        }
        g.wait_for_root(root);
        if i_am_root {
            own_copy();
        } else {
            // SAFETY: the root has placed `len` bytes, and dest is ours.
            unsafe { node::copy(call.dest, g.placed(root, len), len) };
        }
        return;
    }
    g.wait_for_root(root);
    let result = call.result();
    let shared = len >= SHARED_FROM && !root_copies && result.writable();
    // So that all are done at the same time: the root copies an n-th for each of the others.
    let theirs = if shared { len - len / g.size() } else { len };
    if !i_am_root {
        // SAFETY: dest is ours; the root keeps its source until all have reported.
        unsafe { call.source().read(g.pe(root), 0, call.dest, theirs) };
    } else if shared {
        for i in (0..g.size()).filter(|&i| i != root) {
            // SAFETY: dest holds `len` bytes on all members, and is ready there when one calls.
            unsafe { result.write(g.pe(i), theirs, call.own.add(theirs), len - theirs) };
        }
    }
    if i_am_root {
        own_copy();
    }
    if shared { g.gather_and_release(root) } else { g.notify_root(root) }
}

/// Blocks of equal length, in the order of the members.
pub(super) unsafe fn fcollect_bytes(call: &Call<'_>, block: usize) {
    let g = match call.group {
        Group::IntraNode(g) => g,
        // SAFETY: the source is ours; dest holds a block per member.
        Group::InterNode(group) => return unsafe { inter_node::gather(group, call.own, call.dest, |i| i * block) },
    };
    let written = call.written(block);
    if g.fits(block) && written.is_none() {
        // SAFETY: the place holds `block` bytes, the source is ours.
        g.barrier_with(block, |place| unsafe { node::copy(place, call.own, block) });
        for i in 0..g.size() {
            let from = if i == g.me() { call.own } else { g.placed(i, block) };
            // SAFETY: member i has placed `block` bytes; dest holds a block per member.
            unsafe { node::copy(call.dest.add(i * block), from, block) };
        }
        return;
    }
    if let Some(result) = written {
        for i in in_turn(g) {
            // SAFETY: dest holds a block per member, and is ready on all of them when one calls.
            unsafe { result.write(g.pe(i), g.me() * block, call.own, block) };
        }
        return g.barrier();
    }
    let source = call.source();
    g.barrier();
    for i in in_turn(g) {
        // SAFETY: dest holds a block per member; sources stay until the round below.
        unsafe { source.read(g.pe(i), 0, call.dest.add(i * block), block) };
    }
    g.barrier();
}

/// Members beginning with the next: not everybody reads the same PE at the same time.
fn in_turn(g: &IntraNode<'_>) -> impl Iterator<Item = usize> {
    let (n, me) = (g.size(), g.me());
    (0..n).map(move |k| (me + 1 + k) % n)
}

/// Blocks of different lengths. Complains when their sum does not fit into symmetric memory.
#[inline]
pub(super) unsafe fn collect_bytes(
    rt: &Runtime,
    routine: &'static str,
    group: Group<'_>,
    dest: usize,
    source: usize,
    len: usize,
) {
    if len > 0 {
        args::symmetric(rt, routine, "source", source, len);
    }
    match group {
        // SAFETY: passed on to the caller.
        Group::IntraNode(g) => unsafe { collect_on_node(rt, routine, g, dest, source, len) },
        // SAFETY: passed on to the caller.
        Group::InterNode(_) => unsafe { collect_between_nodes(rt, routine, group, dest, source, len) },
    }
}

/// The same between nodes: the members tell each other how much they bring before they send it.
unsafe fn collect_between_nodes(
    rt: &Runtime,
    routine: &'static str,
    group: Group<'_>,
    dest: usize,
    source: usize,
    len: usize,
) {
    let Group::InterNode(ref members) = group else { unreachable!("asked for a group between nodes") };
    let posted = group.exchange(&[len as u64]);
    let lens = (0..group.size()).map(|i| posted.word(i, 0) as usize);
    let ends = lens.scan(0usize, |sum, len| {
        *sum = sum.saturating_add(len);
        Some(*sum)
    });
    let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let total = starts[group.size()];
    check::buffers(rt, routine, (dest, total), (source, len), false);
    // SAFETY: the blocks lie inside dest, as was just checked.
    unsafe { inter_node::gather(members, source as *const u8, dest as *mut u8, |i| starts[i]) };
}

/// The same on a node: what is short travels with its length.
unsafe fn collect_on_node(
    rt: &Runtime,
    routine: &'static str,
    g: IntraNode<'_>,
    dest: usize,
    source: usize,
    len: usize,
) {
    g.barrier_with_number(len as u64, len, |place| {
        // SAFETY: the place holds `len` bytes, the source is ours.
        unsafe { node::copy(place, source as *const u8, len) }
    });
    let lens = || (0..g.size()).map(|i| g.number_of(i) as usize);
    let (mut total, mut all_travelled) = (0usize, true);
    for l in lens() {
        total = total.saturating_add(l);
        all_travelled &= g.travels(l);
    }
    check::buffers(rt, routine, (dest, total), (source, len), false);
    if !all_travelled {
        // SAFETY: passed on to the caller; total is the sum of the lengths.
        return unsafe { collect_long(rt, routine, &g, dest, total, source, len, lens().collect()) };
    }
    let mut to = dest as *mut u8;
    for (i, l) in lens().enumerate() {
        let from = if i == g.me() { source as *const u8 } else { g.sent_with(i, l) };
        // SAFETY: the blocks before this one and itself lie inside dest, which is ready: all members have called.
        unsafe { node::copy(to, from, l) };
        to = to.wrapping_add(l);
    }
}

/// Where some of the blocks have not travelled with their lengths `lens`: their owners write them, if they can.
///
/// # Safety
/// The blocks of `lens`, `total` bytes, lie one behind the other in dest.
#[inline(never)]
unsafe fn collect_long(
    rt: &Runtime,
    routine: &'static str,
    g: &IntraNode<'_>,
    dest: usize,
    total: usize,
    source: usize,
    len: usize,
    lens: Vec<usize>,
) {
    let moved = total.saturating_mul(g.size() + 1);
    let result = Buffer::new(rt, routine, "dest", dest, total).of_many(moved);
    let mut start = 0;
    for (i, &l) in lens.iter().enumerate() {
        // SAFETY: the blocks before this one and itself lie inside dest, which is ready: all members have called.
        unsafe {
            if g.travels(l) {
                node::copy((dest + start) as *mut u8, g.sent_with(i, l), l);
            } else if result.writable() && i == g.me() {
                in_turn(g).for_each(|peer| result.write(g.pe(peer), start, source as *const u8, len));
            }
        }
        start += l;
    }
    if !result.writable() {
        // SAFETY: as above; sources stay until the round below.
        unsafe { fetch_blocks(rt, routine, g, dest, source, len, lens) };
    }
    g.barrier();
}

/// Blocks that did not travel, from where their owners have them.
///
/// # Safety
/// The blocks of `lens` lie one behind the other in dest, and their owners keep them.
unsafe fn fetch_blocks(
    rt: &Runtime,
    routine: &'static str,
    g: &IntraNode<'_>,
    dest: usize,
    source: usize,
    len: usize,
    lens: Vec<usize>,
) {
    let mut source = source;
    if lens.contains(&0) {
        // Whoever brings nothing need not say where the others have theirs.
        let place = if len > 0 { check::place_of(rt, source) } else { check::NOWHERE };
        let group = Group::IntraNode(*g);
        let posted = group.exchange(&[place]);
        let known = (0..lens.len()).map(|i| posted.word(i, 0)).find(|&place| place != check::NOWHERE);
        source = known.map_or(source, |place| check::address_of(rt, place));
    }
    let mut to = dest as *mut u8;
    for (i, l) in lens.into_iter().enumerate() {
        if !g.travels(l) && l > 0 {
            // Its owner's count may be larger than ours, so its buffer is looked at anew.
            // SAFETY: passed on to the caller.
            unsafe { Buffer::new(rt, routine, "source", source, l).read(g.pe(i), 0, to, l) };
        }
        to = to.wrapping_add(l);
    }
}

/// Copies `n` elements, `ts` and `fs` elements apart.
///
/// # Safety
/// All of them lie where they can be written and read.
#[inline]
unsafe fn spread<T: Copy>(to: *mut T, ts: usize, from: *const T, fs: usize, n: usize) {
    for i in 0..n {
        // SAFETY: passed on to the caller. Unaligned: the bytes may lie in a eager buffer.
        unsafe { to.add(i * ts).write_unaligned(from.add(i * fs).read_unaligned()) };
    }
}

/// Element `(l * nelems + i) * sst` of member k to element `(k * nelems + i) * dst` of member l.
pub(super) unsafe fn alltoall_elements<T: Copy>(call: &Call<'_>, nelems: usize, dst: usize, sst: usize) {
    let g = call.group;
    let (n, me, elem) = (g.size(), g.me(), size_of::<T>());
    let block = elem * nelems;
    let dense = dst == 1 && sst == 1;
    let (dest, own) = (call.dest.cast::<T>(), call.own.cast::<T>());
    let g = match g {
        Group::IntraNode(g) => g,
        // SAFETY: every element lies inside source and dest, which the caller checked.
        Group::InterNode(group) => return unsafe { alltoall_far(group, dest, own, nelems, [dst, sst]) },
    };
    let written = call.written(block * n);
    if g.fits(block * n) && written.is_none() {
        // SAFETY: the place holds n blocks; every element lies inside source and dest, which the caller checked.
        unsafe {
            g.barrier_with(block * n, |place| {
                if sst == 1 {
                    node::copy(place, call.own, block * n);
                } else {
                    spread(place.cast::<T>(), 1, own, sst, nelems * n);
                }
            });
            for k in 0..n {
                let theirs = g.placed(k, block * n).add(me * block);
                if dst == 1 {
                    node::copy(call.dest.add(k * block), theirs, block);
                } else {
                    spread(dest.add(k * nelems * dst), dst, theirs.cast::<T>(), 1, nelems);
                }
            }
        }
        return;
    }
    if let Some(result) = written {
        for k in in_turn(g) {
            let from = own.wrapping_add(k * nelems * sst);
            // SAFETY: every element lies inside source and dest, and dest is ready on all members when one calls.
            unsafe {
                match result.mapped(g.pe(k), me * nelems * dst * elem) {
                    Some(to) if !dense => spread(to.cast_mut().cast::<T>(), dst, from, sst, nelems),
                    _ => result.write(g.pe(k), me * block, from.cast(), block),
                }
            }
        }
        return g.barrier();
    }
    let mut aside: Vec<T> = Vec::new();
    let source = call.source();
    g.barrier();
    for k in in_turn(g) {
        let (pe, from) = (g.pe(k), me * nelems * sst * elem);
        // SAFETY: as above; sources stay until the round below.
        unsafe {
            let to = dest.add(k * nelems * dst);
            match source.mapped(pe, from) {
                _ if dense => source.read(pe, from, to.cast(), block),
                Some(theirs) => spread(to, dst, theirs.cast::<T>(), sst, nelems),
                None => {
                    // One transfer of the whole stretch, not one per element.
                    let stretch = (nelems - 1) * sst + 1;
                    aside.reserve(stretch);
                    source.read(pe, from, aside.as_mut_ptr().cast(), stretch * elem);
                    spread(to, dst, aside.as_ptr(), sst, nelems);
                }
            }
        }
    }
    g.barrier();
}

/// The same between nodes. Strided elements are packed for it and unpacked behind it.
unsafe fn alltoall_far<T: Copy>(
    group: &inter_node::MessageGroup<'_>,
    dest: *mut T,
    own: *const T,
    nelems: usize,
    [dst, sst]: [usize; 2],
) {
    let all = group.size() * nelems;
    let block = nelems * size_of::<T>();
    let (mut packed, mut come): (Vec<T>, Vec<T>) = (Vec::new(), Vec::new());
    let (mut from, mut to) = (own, dest);
    // SAFETY: passed on to the caller; the vectors have room for all elements.
    unsafe {
        if sst > 1 {
            packed.reserve_exact(all);
            spread(packed.as_mut_ptr(), 1, own, sst, all);
            from = packed.as_ptr();
        }
        if dst > 1 {
            come.reserve_exact(all);
            to = come.as_mut_ptr();
        }
        inter_node::exchange(group, from.cast(), to.cast(), block);
        if dst > 1 {
            spread(dest, dst, to, 1, all);
        }
    }
}
