//! Static variables of the executable, made reachable by the node's other PEs.
//!
//! `.data` and `.bss` are moved onto this PE's slot with `mmap(MAP_FIXED)`: the program keeps its addresses, the peers
//! see the same memory. Pages nobody has written stay unallocated. A child made by fork() gets a private copy back,
//! as it would have without us.

use super::addr::{SegId, Span};
use super::node::Node;
use crate::os::exe::DataSegment;
use crate::os::{map, memfd, pages, process};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::io;

/// The range that was moved, for the fork handler. Length 0: nothing was.
static MOVED_BASE: AtomicUsize = AtomicUsize::new(0);
static MOVED_LEN: AtomicUsize = AtomicUsize::new(0);

/// Whole pages of the segment: what a slot must have room for.
pub(crate) fn page_span(seg: &DataSegment, page: usize) -> Span {
    let end = map::round_up(seg.end, page).expect("a loaded segment ends below the top of memory");
    Span { base: seg.start, len: end - seg.start }
}

/// Moves the segment onto this PE's part of the node's memory. On an error nothing has changed.
pub(crate) fn remap(seg: &DataSegment, node: &Node) -> io::Result<()> {
    let page = map::page();
    let span = page_span(seg, page);
    // What comes from the file is copied whether touched or not; of the zero pages behind it only those in use.
    let from_file = (map::round_up(seg.file_end, page).unwrap_or(seg.end) - span.base).min(span.len);
    let slot = node.file_offset(SegId::Data);
    let mut copied = Ok(());
    let mut copy = |at: usize, len: usize| {
        if copied.is_ok() {
            // SAFETY: pages of the executable's own segment.
            copied = unsafe { memfd::write_memory(node.fd(), at as *const u8, len, slot + (at - span.base) as u64) };
        }
    };
    copy(span.base, from_file);
    pages::present(span.base + from_file, span.len - from_file, page, copy);
    copied?;
    // The loader maps the segment's gaps and ends without access sometimes; shared_over makes all of it writable,
    // which is what the program headers say.
    // SAFETY: the range is the executable's own segment, and the slot holds its bytes now. Between the copy and this
    // call nothing of ours writes to it; other threads of the program must not either (documented: shmem_init is
    // called before threads that write static data are started).
    unsafe { map::shared_over(span.base, node.fd(), slot, span.len)? };
    MOVED_BASE.store(span.base, Ordering::Relaxed);
    MOVED_LEN.store(span.len, Ordering::Relaxed);
    process::at_fork(in_child);
    Ok(())
}

/// Gives a forked child its own copy, so that it cannot write into the parent's variables.
extern "C" fn in_child() {
    let (base, len) = (MOVED_BASE.load(Ordering::Relaxed), MOVED_LEN.load(Ordering::Relaxed));
    if len == 0 {
        return;
    }
    let Ok(fresh) = map::private(len) else { return };
    pages::present(base, len, map::page(), |at, n| {
        // SAFETY: reads the segment, writes the mapping just made, which is as long.
        unsafe { core::ptr::copy_nonoverlapping(at as *const u8, (fresh + at - base) as *mut u8, n) };
    });
    // SAFETY: both ranges are ours and `len` long; the content is the same, and the child has one thread.
    let _ = unsafe { map::move_over(fresh, base, len) };
}
