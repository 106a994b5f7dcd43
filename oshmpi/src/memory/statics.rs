//! Static variables of the executable, made reachable by the node's other PEs.
//!
//! `.data` and `.bss` are moved onto this PE's slot with `mmap(MAP_FIXED)`: the program keeps its addresses, the peers
//! see the same memory. Pages nobody has written stay unallocated. A child made by fork() gets a private copy back,
//! as it would have without us.

use super::addr::{SegId, Span};
use super::node::Node;
use crate::os::exe::DataSegment;
use crate::os::{map, memfd, pages, process, sched};
use core::sync::atomic::{AtomicBool, Ordering};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;

/// What the fork handlers need to know. Set once, before the segment is moved, and never written again: in a statically
/// linked program it lies in that segment, which parent and child share until the child has its copy.
static MOVED: OnceLock<Moved> = OnceLock::new();

struct Moved {
    span: Span,
    fd: OwnedFd,
    offset: u64,
    /// Reserved addresses as long as the segment: where a fork's copy is made.
    copy: usize,
    /// A private page behind it whose first byte says that the copy is whole.
    whole: *mut u8,
}

// SAFETY: the pointer is an address of private memory that only fork handlers touch, one fork at a time (`FORKING`).
unsafe impl Send for Moved {}
// SAFETY: as above.
unsafe impl Sync for Moved {}

/// Whole pages of the segment: what a slot must have room for.
pub(crate) fn page_span(seg: &DataSegment, page: usize) -> Span {
    let end = map::round_up(seg.end, page).expect("a loaded segment ends below the top of memory");
    Span { base: seg.start, len: end - seg.start }
}

/// Moves the segment onto this PE's part of the node's memory. On an error the program finds its variables where they were.
pub(crate) fn remap(seg: &DataSegment, node: &Node) -> io::Result<()> {
    if seg.executable {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "the data segment is executable"));
    }
    let page = map::page();
    let span = page_span(seg, page);
    let slot = node.file_offset(SegId::Data);
    let copy = map::reserve(span.len + page, page)?;
    // SAFETY: reserved a line above.
    unsafe { map::private_over(copy + span.len, page)? };
    let whole = (copy + span.len) as *mut u8;
    let fd = node.fd().try_clone_to_owned()?;
    if MOVED.set(Moved { span, fd, offset: slot, copy, whole }).is_err() {
        unreachable!("segments are made once");
    }
    let moved = copy_and_map(seg, node, span, slot);
    if moved.is_err() {
        PRIVATE.store(true, Ordering::Relaxed);
        return moved;
    }
    register(); // has been done, unless a linker has left the constructor out
    Ok(())
}

/// Writes the segment into its slot and puts that in its place.
fn copy_and_map(seg: &DataSegment, node: &Node, span: Span, slot: u64) -> io::Result<()> {
    let page = map::page();
    if node.limit.is_some() {
        // What the program was promised when it was started: no page of it fails later.
        memfd::commit(node.fd(), slot, span.len as u64).inspect_err(|_| {
            // Somebody else may need what there was. A file system that cannot do this keeps it.
            let _ = memfd::discard(node.fd(), slot, span.len as u64);
        })?;
    }
    let mut copied = Ok(());
    let mut copy = |at: usize, len: usize| {
        if copied.is_ok() {
            // SAFETY: pages of the executable's own segment.
            copied = unsafe { memfd::write_memory(node.fd(), at as *const u8, len, slot + (at - span.base) as u64) };
        }
    };
    // What comes from the file is copied whether touched or not; of the zero pages around it only those in use.
    let mut at = span.base;
    for (start, end) in seg.from_file {
        let start = (start / page * page).max(at);
        let end = map::round_up(end, page).unwrap_or(seg.end).min(span.base + span.len);
        if start < end {
            pages::present(at, start - at, page, &mut copy);
            copy(start, end - start);
            at = end;
        }
    }
    pages::present(at, span.base + span.len - at, page, copy);
    copied?;
    // The loader maps the segment's gaps and ends without access sometimes; shared_over makes all of it writable,
    // which is what the program headers say.
    // SAFETY: the range is the executable's own segment, and the slot holds its bytes now. Between the copy and this
    // call nothing of ours writes to it; other threads of the program must not either (documented: shmem_init is
    // called before threads that write static data are started).
    unsafe { map::shared_over(span.base, node.fd(), slot, span.len) }
}

/// The fork handlers are registered when the library is loaded: glibc calls the last one first before a fork, and the first one first
/// in the child. So the copy is made when the program's own handlers have taken their locks, and it is in place when they let go
/// of them.
extern "C" fn register() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if !DONE.swap(true, Ordering::Relaxed) {
        process::at_fork(before_fork, in_parent, in_child);
    }
}

/// In a static library it stands before the program's constructors.
#[used]
// SAFETY: the loader calls what stands there once, with the program's arguments, which C lets a function ignore.
#[unsafe(link_section = ".init_array.00101")]
static AT_LOAD: extern "C" fn() = register;

/// The statics are this process's own memory, because it is a child or could not move them: nothing is left to do at its forks.
static PRIVATE: AtomicBool = AtomicBool::new(false);

/// What a fork has to see to.
fn moved() -> Option<&'static Moved> {
    MOVED.get().filter(|_| !PRIVATE.load(Ordering::Relaxed))
}

/// A fork is between `before_fork` and its end in both processes. glibc lets several threads in at a time, and there is one copy.
static FORKING: AtomicBool = AtomicBool::new(false);

/// Copies what the child will need while it is still what the parent had at fork(). Extents come from the file: the page
/// tables of shared memory say nothing in a child, and nothing of pages that only peers have written.
extern "C" fn before_fork() {
    let Some(moved) = moved() else { return };
    // SYNC forking: pairs with the end of the fork before
    while FORKING.swap(true, Ordering::Acquire) {
        sched::yield_now();
    }
    // SAFETY: reserved for this, and in use by one fork at a time.
    if unsafe { map::private_over(moved.copy, moved.span.len) }.is_err() {
        return;
    }
    let done = memfd::data_extents(&moved.fd, moved.offset, moved.span.len as u64, |from, len| {
        let at = (from - moved.offset) as usize;
        // SAFETY: the mapping just made is as long as the segment.
        unsafe { memfd::read_memory(&moved.fd, (moved.copy + at) as *mut u8, len as usize, from) }
    });
    // SAFETY: the flag's page is ours for good.
    unsafe { moved.whole.write_volatile(u8::from(done.is_ok())) };
}

/// The parent keeps the shared memory.
extern "C" fn in_parent() {
    let Some(moved) = moved() else { return };
    // SAFETY: the child has its own of both; here nobody uses the copy.
    unsafe {
        moved.whole.write_volatile(0);
        // Failing keeps some memory until the next fork.
        let _ = map::reserve_over(moved.copy, moved.span.len);
    }
    FORKING.store(false, Ordering::Release); // SYNC forking
}

/// The child gets its own copy in place of the shared memory. It must not go on with the parent's variables.
extern "C" fn in_child() {
    let Some(moved) = moved() else { return };
    // SAFETY: both ranges are ours and equally long, the content is the same, and the child has one thread.
    let done = unsafe {
        moved.whole.read_volatile() == 1 && map::move_over(moved.copy, moved.span.base, moved.span.len).is_ok()
    };
    if !done {
        process::say_and_end("oshmpi: fork: no memory for a copy of the static variables; the child ends\n");
    }
    // The child's own: with a static library it lies in what has just been moved.
    PRIVATE.store(true, Ordering::Relaxed);
    FORKING.store(false, Ordering::Release); // SYNC forking
}
