//! What the routines do to memory and to the order: called by the generated functions before or after the routine
//! itself, as the rows of `spec/race.effects` say. All are of the calling thread, in the routine that
//! `oshmpi_race_enter` has begun.
//!
//! What comes before a routine comes before its checks, too. So nothing is noted of arguments that it will refuse, and
//! the program ends with the routine's own line.

use crate::collective::{self, world_pe};
use crate::far::{self, Meant};
use crate::memory;
use crate::node::{Node, node};
use crate::thread::{self, Me, process};
use oshmpi_race::cell::Kind;
use oshmpi_race::clock::View;
use oshmpi_race::far::{Far, Spot, Touched};
use oshmpi_race::order::Op;
use oshmpi_race::shadow::Access;

/// `SHMEM_CTX_DEFAULT`.
pub const DEFAULT: usize = 1;

/// The calling thread and the node. Routines have begun, so both are there.
pub fn here() -> Option<(&'static mut Me, &'static Node)> {
    Some((thread::me()?, node()?))
}

/// The class of atomic accesses of a type by a context: types of one width and kind, in one atomicity domain, are
/// atomic with respect to each other. `class`: 1 to 5, as `c/effects.h` counts types.
fn class_of(class: u32, ctx: usize) -> u32 {
    class + if collective::domain_of(ctx) == collective::SHARED { 5 } else { 0 }
}

/// The synchronisation word of an offset from the first slot.
pub fn key(from_slots: usize) -> u64 {
    from_slots as u64 + 1
}

/// Blocks of a strided argument: bytes from one to the next, bytes of each, how many.
#[derive(Clone, Copy)]
struct Blocks {
    stride: usize,
    bytes: usize,
    count: usize,
}

impl Blocks {
    fn one(bytes: usize) -> Blocks {
        Blocks { stride: bytes, bytes, count: usize::from(bytes > 0) }
    }

    fn starts(self) -> impl Iterator<Item = usize> {
        let Blocks { stride, count, .. } =
            if self.stride == self.bytes { Blocks { stride: 0, bytes: 0, count: self.count.min(1) } } else { self };
        (0..count).map(move |i| i * stride)
    }

    fn each(self) -> usize {
        if self.stride == self.bytes { self.bytes * self.count } else { self.bytes }
    }

    /// Bytes from the first to the last of them. None: no routine takes blocks like these.
    fn span(self) -> Option<usize> {
        let Blocks { stride, bytes, count } = self;
        if bytes == 0 || count == 0 {
            return Some(0);
        }
        (count == 1 || stride >= bytes).then_some(())?;
        (count - 1).checked_mul(stride)?.checked_add(bytes)
    }

    /// Whether they may be in memory of the calling PE, symmetric or not.
    fn fit_here(self, node: &Node, addr: usize) -> bool {
        let total = self.count.checked_mul(self.bytes);
        let ends = self.span().and_then(|span| addr.checked_add(span));
        ends.is_some() && total.is_some_and(|total| total <= node.longest())
    }

    /// Whether they may be in symmetric memory.
    fn fit(self, node: &Node, addr: usize) -> bool {
        self.span().is_some_and(|span| node.fits(addr, span))
    }
}

/// What an operation touches at a PE of another node. None: nothing that it is told of.
fn at_far(node: &Node, pe: u32, addr: usize, blocks: Blocks, kind: Kind) -> Option<Touched> {
    let (bytes, stride, count) = (blocks.each(), blocks.stride, blocks.starts().count());
    (node.far && node.is_pe(pe)).then(|| node.spot(addr)).flatten().map(|at| Touched { kind, at, bytes, stride, count })
}

/// What an operation does at a PE: it is compared in the shadow of this node, or that PE's node is told of it. `tells`:
/// the last part is a word, and who sees it learns what the operation knows.
fn operate(me: &mut Me, node: &Node, pe: u32, op: &Op, tells: bool, parts: &[(usize, Blocks, Kind)]) {
    let site = me.site(node, None);
    if node.slot(pe).is_some() {
        for (i, (addr, blocks, kind)) in parts.iter().enumerate() {
            let Some(at) = node.at_peer(*addr, pe) else { continue };
            if tells && i + 1 == parts.len() {
                op.release(&me.thread, &node.sync_word(key(at)));
            }
            let by = Access::pending(op.by, *kind, op.view(&me.thread), site);
            blocks.starts().for_each(|start| memory::symmetric(node, at + start, blocks.each(), &by));
        }
        return;
    }
    // A part in a space, whose memory is not watched, is left out.
    let at = |(addr, blocks, kind): &(usize, Blocks, Kind)| at_far(node, pe, *addr, *blocks, *kind);
    let touched: Vec<_> = parts.iter().filter_map(at).collect();
    if !touched.is_empty() {
        let (fenced, told) = op.told();
        let word = parts.last().filter(|_| tells).and_then(at).map(|word| (word.at, told));
        far::tell(me, node, pe, Far { by: op.by, fenced, tells: word, touched, ..Far::default() }, site);
    }
}

fn own(me: &mut Me, node: &Node, addr: usize, blocks: Blocks, kind: Kind) {
    if !blocks.fit_here(node, addr) {
        return;
    }
    let site = me.site(node, None);
    for start in blocks.starts() {
        memory::local(node, addr + start, blocks.each(), &me.thread.access(kind, site));
    }
}

#[unsafe(no_mangle)]
extern "C" fn race_reads(addr: usize, len: usize) {
    let Some((me, node)) = here() else { return };
    own(me, node, addr, Blocks::one(len), Kind::READ);
}

#[unsafe(no_mangle)]
extern "C" fn race_writes(addr: usize, len: usize) {
    let Some((me, node)) = here() else { return };
    own(me, node, addr, Blocks::one(len), Kind::WRITE);
}

/// A put: `blocks` of `bytes`, `dst` and `sst` bytes apart. The source of a nonblocking one is read until it is
/// complete.
#[unsafe(no_mangle)]
extern "C" fn race_put(
    ctx: usize,
    dest: usize,
    source: usize,
    dst: usize,
    sst: usize,
    bytes: usize,
    blocks: usize,
    pe: i32,
    nbi: i32,
) {
    let Some((me, node)) = here() else { return };
    let to = Blocks { stride: dst, bytes, count: blocks };
    let from = Blocks { stride: sst, bytes, count: blocks };
    if !to.fit(node, dest) || !from.fit_here(node, source) {
        return;
    }
    if nbi == 0 {
        own(me, node, source, from, Kind::READ);
    }
    let pe = world_pe(ctx, pe);
    let op = process().pe.put(&mut me.thread, ctx as u64, pe);
    let site = me.site(node, None);
    if nbi != 0 {
        for start in from.starts() {
            let by = Access::pending(op.by, Kind::READ, View::of(&me.thread.clock), site);
            memory::local(node, source + start, from.each(), &by);
        }
    }
    operate(me, node, pe, &op, false, &[(dest, to, Kind::WRITE)]);
}

/// A put of one element. Old programs tell others with it that something is ready.
#[unsafe(no_mangle)]
extern "C" fn race_put_one(ctx: usize, dest: usize, bytes: usize, pe: i32) {
    let Some((me, node)) = here() else { return };
    let pe = world_pe(ctx, pe);
    let op = process().pe.tell(&me.thread, ctx as u64, pe);
    operate(me, node, pe, &op, true, &[(dest, Blocks::one(bytes), Kind::PUT_ONE)]);
    me.thread.tick();
}

/// A get. The destination of a nonblocking one is written, and the source read, until it is complete.
#[unsafe(no_mangle)]
extern "C" fn race_get(
    ctx: usize,
    dest: usize,
    source: usize,
    dst: usize,
    sst: usize,
    bytes: usize,
    blocks: usize,
    pe: i32,
    nbi: i32,
) {
    let Some((me, node)) = here() else { return };
    let to = Blocks { stride: dst, bytes, count: blocks };
    let from = Blocks { stride: sst, bytes, count: blocks };
    if !from.fit(node, source) || !to.fit_here(node, dest) {
        return;
    }
    let pe = world_pe(ctx, pe);
    let site = me.site(node, None);
    let pending = (nbi != 0).then(|| process().pe.get_nbi(&mut me.thread, ctx as u64));
    let by = |kind| match pending {
        Some(stamp) => Access::pending(stamp, kind, View::of(&me.thread.clock), site),
        None => me.thread.access(kind, site),
    };
    let there = node.at_peer(source, pe);
    if let Some(at) = there {
        from.starts().for_each(|start| memory::symmetric(node, at + start, from.each(), &by(Kind::READ)));
    }
    if dest != 0 {
        to.starts().for_each(|start| memory::local(node, dest + start, to.each(), &by(Kind::WRITE)));
    }
    if let (None, Some(touched)) = (there, at_far(node, pe, source, from, Kind::READ)) {
        let by = pending.unwrap_or(me.thread.now());
        far::tell(me, node, pe, Far { by, touched: vec![touched], ..Far::default() }, site);
    }
}

/// An AMO. `fetches`: it has happened when the routine returns. `fetch`: where a nonblocking one puts the old value; 0:
/// nowhere.
#[unsafe(no_mangle)]
extern "C" fn race_amo(
    ctx: usize,
    dest: usize,
    bytes: usize,
    class: u32,
    pe: i32,
    writes: i32,
    fetches: i32,
    fetch: usize,
) {
    let Some(node) = node() else { return };
    // Clocks of other nodes are not here, and threads share a context's actors.
    let row = fetches == 0 && fetch == 0 && !node.far && !thread::are_many();
    let Some(me) = (if row { thread::me_in_row_of_amos() } else { thread::me() }) else { return };
    let kind = Kind::atomic(class_of(class, ctx), writes != 0);
    let pe = world_pe(ctx, pe);
    let at = node.at_peer(dest, pe);
    if row && !me.thread.is_in_row() {
        process().pe.begin_row();
    } else if let Some(word) = at.filter(|_| row).and_then(|at| memory::in_row(node, (at, bytes), (ctx, pe, kind)))
        && process().pe.tells_again(&word)
    {
        return;
    }
    let at = at.map(|at| (at, memory::soon(node, at)));
    let site = me.site(node, None);
    let op = match fetches != 0 {
        true => process().pe.fetching_amo(&me.thread, ctx as u64, pe),
        false => process().pe.tell(&me.thread, ctx as u64, pe),
    };
    if let Some((at, word)) = at {
        if writes != 0 {
            op.release(&me.thread, &node.table.found(word));
        }
        let by = Access { in_order: fetches != 0, ..Access::pending(op.by, kind, op.view(&me.thread), site) };
        memory::symmetric(node, at, bytes, &by);
    } else {
        operate(me, node, pe, &op, writes != 0, &[(dest, Blocks::one(bytes), kind)]);
    }
    if fetch != 0 {
        let stamp = process().pe.get_nbi(&mut me.thread, ctx as u64);
        let by = Access::pending(stamp, Kind::WRITE, View::of(&me.thread.clock), site);
        memory::local(node, fetch, bytes, &by);
    }
    match row {
        true => thread::go_on_in_row(me),
        false => me.thread.tick(),
    }
}

/// After an AMO that fetches: the value tells what those did before who changed the word.
#[unsafe(no_mangle)]
extern "C" fn race_amo_seen(ctx: usize, dest: usize, pe: i32) {
    let Some((me, node)) = here() else { return };
    let pe = world_pe(ctx, pe);
    match (node.at_peer(dest, pe), node.spot(dest)) {
        (Some(at), _) => node.acquire(key(at), &mut me.thread),
        (None, Some(spot)) if node.far => far::acquire(me, node, pe, Meant::At(spot)),
        _ => {}
    }
    far::heard_without_clock(me, node);
}

/// A put with signal: the data are over for who sees the signal.
#[unsafe(no_mangle)]
extern "C" fn race_put_signal(
    ctx: usize,
    dest: usize,
    source: usize,
    bytes: usize,
    signal: usize,
    class: u32,
    pe: i32,
    nbi: i32,
) {
    let Some((me, node)) = here() else { return };
    let data = Blocks::one(bytes);
    // A space may be longer than the heap, and the signal is known all the same.
    let watched = data.fit(node, dest) && data.fit_here(node, source);
    if !watched && !collective::is_in_space(dest) {
        return;
    }
    let pe = world_pe(ctx, pe);
    if watched && nbi == 0 {
        own(me, node, source, Blocks::one(bytes), Kind::READ);
    }
    let op = process().pe.tell(&me.thread, ctx as u64, pe);
    let site = me.site(node, None);
    if watched && nbi != 0 {
        memory::local(node, source, bytes, &Access::pending(op.by, Kind::READ, View::of(&me.thread.clock), site));
    }
    let amo = Kind::atomic(class_of(class, ctx), true);
    let parts = [(dest, data, Kind::WRITE), (signal, Blocks::one(8), amo)];
    operate(me, node, pe, &op, true, &parts[usize::from(!watched)..]);
    me.thread.tick();
}

/// A wait or test has read a word. `seen`: the condition held, which tells what those did before who changed the word.
#[unsafe(no_mangle)]
extern "C" fn race_waited(ivar: usize, bytes: usize, class: u32, seen: i32) {
    let Some((me, node)) = here() else { return };
    let Some(at) = node.from_slots(ivar) else { return };
    if seen != 0 {
        node.acquire(key(at), &mut me.thread);
        far::heard_without_clock(me, node);
    }
    let site = me.site(node, None);
    // An element may be waited for by any type of its width, in the world's domain or another.
    memory::symmetric(node, at, bytes, &me.thread.access(Kind::waiting(class), site));
}

/// [`race_waited`] for the elements of an array that are not masked.
///
/// # Safety
/// `status` is null or leads to as many ints.
#[unsafe(no_mangle)]
unsafe extern "C" fn race_waited_all(ivars: usize, n: usize, status: *const i32, bytes: usize, class: u32, seen: i32) {
    for i in 0..n {
        // SAFETY: the caller's promise.
        if status.is_null() || unsafe { *status.add(i) } == 0 {
            race_waited(ivars + i * bytes, bytes, class, seen);
        }
    }
}

/// [`race_waited`] for the elements that the routine returns.
///
/// # Safety
/// `indices` leads to `n` indices.
#[unsafe(no_mangle)]
unsafe extern "C" fn race_waited_some(ivars: usize, indices: *const usize, n: usize, bytes: usize, class: u32) {
    for i in 0..n {
        // SAFETY: the caller's promise.
        race_waited(ivars + unsafe { *indices.add(i) } * bytes, bytes, class, 1);
    }
}

#[unsafe(no_mangle)]
extern "C" fn race_quiet(ctx: usize) {
    let Some((me, _)) = here() else { return };
    process().pe.quiet(&mut me.thread, ctx as u64);
}

#[unsafe(no_mangle)]
extern "C" fn race_fence(ctx: usize) {
    let Some((me, _)) = here() else { return };
    process().pe.fence(&mut me.thread, ctx as u64);
}

/// # Safety
/// `pes` leads to `n` ints, or `n` is 0.
#[unsafe(no_mangle)]
unsafe extern "C" fn race_pe_quiet(ctx: usize, pes: *const i32, n: usize) {
    let Some((me, _)) = here() else { return };
    // SAFETY: the caller's promise.
    let pes: Vec<u32> = (0..n).map(|i| world_pe(ctx, unsafe { *pes.add(i) })).collect();
    process().pe.pe_quiet(&mut me.thread, ctx as u64, &pes);
}

#[unsafe(no_mangle)]
extern "C" fn race_ctx_destroy(ctx: usize) {
    let Some((me, _)) = here() else { return };
    process().pe.destroy(&mut me.thread, ctx as u64);
    collective::forget_ctx(ctx);
}

/// The synchronisation word of a lock, whichever PE takes it: of one PE's copy.
fn lock_key(node: &Node, lock: usize) -> Option<u64> {
    let Spot { data, offset } = node.spot(lock)?;
    Some(key(offset) | u64::from(data) << 61 | 1 << 62)
}

/// The PE whose node keeps the clocks of locks.
const KEEPER: u32 = 0;

/// Whether the clocks of locks are on this node.
fn keeps(node: &Node) -> bool {
    !node.far || node.slot(KEEPER).is_some()
}

#[unsafe(no_mangle)]
extern "C" fn race_locked(lock: usize) {
    let Some((me, node)) = here() else { return };
    match lock_key(node, lock) {
        Some(key) if keeps(node) => node.acquire(key, &mut me.thread),
        Some(key) => far::acquire(me, node, KEEPER, Meant::Lock(key)),
        None => {}
    }
    far::heard_without_clock(me, node);
}

/// Releasing a lock completes the default context's operations.
#[unsafe(no_mangle)]
extern "C" fn race_unlock(lock: usize) {
    let Some((me, node)) = here() else { return };
    process().pe.quiet(&mut me.thread, DEFAULT as u64);
    match lock_key(node, lock) {
        Some(key) if keeps(node) => node.sync_word(key).release(&me.thread.clock, &[]),
        Some(key) => far::release(me, node, KEEPER, key),
        None => {}
    }
    me.thread.tick();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_no_routine_takes_have_no_span() {
        let span = |stride, bytes, count| Blocks { stride, bytes, count }.span();
        assert_eq!((span(8, 8, 5), span(24, 8, 3), span(0, 8, 1)), (Some(40), Some(56), Some(8)));
        assert_eq!((span(8, 8, 0), Blocks::one(0).span(), Blocks::one(7).span()), (Some(0), Some(0), Some(7)));
        let negative = usize::MAX - 7;
        for (stride, bytes, count) in [(0, 8, 2), (4, 8, 2), (8, 8, negative), (negative, 8, 3), (1 << 62, 8, 9)] {
            assert_eq!(span(stride, bytes, count), None, "{stride} {bytes} {count}");
        }
    }
}
