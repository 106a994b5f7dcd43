//! Static variables of the executable, made accessible to the other PEs of the node.
//!
//! `.data` and `.bss` are moved to this PE's slot with `mmap(MAP_FIXED)`. The program keeps its addresses, and the
//! peers map the same memory. Pages that nobody has written take no memory. A child made by fork() gets a private copy
//! in their place, as it would have without this library.

use super::addr::Span;
use super::node::Node;
use crate::diag;
use crate::os::exe::DataSegment;
use crate::os::rights::Rights;
use crate::os::{map, memfd, pages, process, sched, threads};
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;

/// What the fork handlers need to know. It is set once, before the segment is moved, and never written again. In a
/// statically linked program it lies in that segment, which parent and child share until the child has its copy.
static MOVED: OnceLock<Moved> = OnceLock::new();

struct Moved {
    span: Span,
    fd: OwnedFd,
    offset: u64,
    /// Reserved address space, as long as the segment, in which a fork makes its copy.
    copy: usize,
    /// In a private page behind `copy`.
    fork: *mut Fork,
}

/// A fork that is under way.
struct Fork {
    /// The copy is complete.
    whole: bool,
    /// What the program has made of its pages' rights.
    rights: Rights,
    /// The caller's signals, which are blocked meanwhile: a handler may fork, too.
    blocked: SigSet,
}

// SAFETY: the pointer leads to private memory of this process, which is never unmapped, so any thread may use it.
unsafe impl Send for Moved {}
// SAFETY: only fork handlers write through the pointer, and `TURN` lets one fork run at a time. The rest is never
// written.
unsafe impl Sync for Moved {}

/// The pages that hold the segment. A slot has room for all of them.
pub(crate) fn page_span(seg: &DataSegment, page: usize) -> Span {
    let end = map::round_up(seg.end, page).expect("a loaded segment ends below the top of memory");
    Span { base: seg.start, len: end - seg.start }
}

/// Moves the segment to this PE's slot in the node's memory. After an error the variables are still where they were.
pub(crate) fn remap(seg: &DataSegment, node: &Node) -> io::Result<()> {
    if seg.executable {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "the data segment is executable"));
    }
    let page = map::page();
    let span = page_span(seg, page);
    if threads::any_stack_in(span.base, span.base + span.len) {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "a thread has its stack in static data"));
    }
    let rights = Rights::of(span.base, span.base + span.len);
    if rights.any_executable() {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "the program has made static data executable"));
    }
    let slot = node.data_offset();
    let copy = map::reserve(span.len + page, page)?;
    // SAFETY: the last page of what was reserved above, which nobody else knows.
    unsafe { map::private_over(copy + span.len, page)? };
    let fork = (copy + span.len) as *mut Fork;
    let fd = node.fd().try_clone_to_owned()?;
    // A signal handler may fork, too, and would wait for this thread. Nothing is allocated meanwhile, because a thread
    // that waits in a fork may have the allocator's locks.
    process::with_signals_blocked(|| {
        take_turn();
        if MOVED.set(Moved { span, fd, offset: slot, copy, fork }).is_err() {
            unreachable!("segments are made once");
        }
        rights.let_read();
        let moved = copy_and_map(seg, node, span, slot);
        rights.give_back();
        PRIVATE.store(moved.is_err(), Ordering::Relaxed);
        TURN.store(NOBODY, Ordering::Release); // SYNC forking: pairs with take_turn
        moved
    })?;
    // The kernel knows a word in shared memory by its page, and pages are others now.
    threads::sleep_again(span.base, span.base + span.len);
    register(); // does nothing, unless a linker has left the constructor out
    Ok(())
}

/// Writes the segment into its slot and maps the slot in place of the segment.
fn copy_and_map(seg: &DataSegment, node: &Node, span: Span, slot: u64) -> io::Result<()> {
    let page = map::page();
    if node.limit.is_some() {
        // A page of the segment must not fail later, because the program has been started with all of it.
        memfd::commit(node.fd(), slot, span.len as u64).inspect_err(|_| {
            // Gives back what was committed. If the file system cannot do that, it keeps the memory.
            let _ = memfd::discard(node.fd(), slot, span.len as u64);
        })?;
    }
    let mut copied = Ok(());
    let mut copy = |at: usize, len: usize| {
        if copied.is_ok() {
            // SAFETY: the pages lie inside the executable's segment. If one of them cannot be read, the kernel returns
            // an error. Nobody writes them meanwhile; see the reason at `shared_over` below.
            copied = unsafe { memfd::write_memory(node.fd(), at as *const u8, len, slot + (at - span.base) as u64) };
        }
    };
    // Pages that come from the file are all copied. Of the zero pages around them, those that hold data are copied.
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
    // SAFETY: the range is the executable's segment, and the slot holds its bytes now. This library does not write to
    // the segment between the copy and this call. Other threads of the program must not write to it either: the
    // documentation requires that threads which write static data are started after shmem_init.
    unsafe { map::shared_over(span.base, node.fd(), slot, span.len) }
}

/// Registers the fork handlers, when the library is loaded. Before a fork, glibc calls the handler first that was
/// registered last; in the child it calls the one first that was registered first. So the program's handlers have taken
/// their locks when the copy is made, and release them after the copy is in place.
extern "C" fn register() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if !DONE.swap(true, Ordering::Relaxed) {
        process::at_fork(Some(before_fork), Some(in_parent), in_child);
    }
}

/// Calls [`register`] at load. In a statically linked program it runs before the program's constructors.
#[used]
// SAFETY: the loader calls each function of this section once, with the program's arguments, which a C function may
// ignore.
#[unsafe(link_section = ".init_array.00101")]
static AT_LOAD: extern "C" fn() = register;

/// The statics are private memory of this process, because it is a child or could not move them. Its forks need no copy
/// then.
static PRIVATE: AtomicBool = AtomicBool::new(false);

/// The segment that a fork has to copy, if there is one.
fn moved() -> Option<&'static Moved> {
    MOVED.get().filter(|_| !PRIVATE.load(Ordering::Relaxed))
}

/// Whether an address is in shared memory because the segment is.
pub(crate) fn hold(addr: usize) -> bool {
    moved().is_some_and(|moved| moved.span.offset_of(addr, 0).is_some())
}

/// The thread that moves the segment, or whose fork is under way: between `before_fork` and `in_parent` or `in_child`.
/// Several threads may call fork() at a time, and there is room for one copy. A copy of a segment that is half moved
/// would be wrong.
static TURN: AtomicI32 = AtomicI32::new(NOBODY);
const NOBODY: i32 = 0;

/// Waits until no other thread has the turn, and takes it. The caller has blocked its signals.
fn take_turn() {
    let own = process::thread_id();
    // SYNC forking: pairs with the stores at the end of the last turn
    while TURN.compare_exchange(NOBODY, own, Ordering::Acquire, Ordering::Relaxed).is_err() {
        sched::yield_now();
    }
}

/// Copies the segment for the child, as it is when fork() is called. The file tells which pages to copy: the page
/// tables of a shared mapping do not tell which pages only peers have written.
pub(crate) extern "C" fn before_fork() {
    let Some(moved) = moved() else { return };
    if threads::own_stack_in(moved.span.base, moved.span.base + moved.span.len) {
        diag::fatal(
            "fork",
            "the caller's stack lies in static data, and the child would share it; use a stack from malloc",
        );
    }
    let mut blocked = SigSet::empty();
    let _ = pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&SigSet::all()), Some(&mut blocked));
    take_turn();
    if PRIVATE.load(Ordering::Relaxed) {
        // Another thread had the turn, and could not move the segment.
        TURN.store(NOBODY, Ordering::Release); // SYNC forking: pairs with take_turn
        let _ = blocked.thread_set_mask();
        return;
    }
    let rights = Rights::of(moved.span.base, moved.span.base + moved.span.len);
    // SAFETY: the page is mapped for the life of the process, and `TURN` lets one fork write it at a time.
    unsafe { moved.fork.write(Fork { whole: false, rights, blocked }) };
    // SAFETY: the range is reserved for the copy, and `TURN` lets one fork use it at a time.
    if unsafe { map::private_over(moved.copy, moved.span.len) }.is_err() {
        return;
    }
    let done = memfd::data_extents(&moved.fd, moved.offset, moved.span.len as u64, |from, len| {
        let at = (from - moved.offset) as usize;
        // SAFETY: `[at, at + len)` lies inside the segment, the mapping made above is as long, and nobody else uses it.
        unsafe { memfd::read_memory(&moved.fd, (moved.copy + at) as *mut u8, len as usize, from) }
    });
    // SAFETY: the page is mapped for the life of the process, and `TURN` lets one fork write it at a time.
    unsafe { (*moved.fork).whole = done.is_ok() };
}

/// The parent keeps the shared memory and drops the copy.
pub(crate) extern "C" fn in_parent() {
    // A fork that began before the segment was moved has no turn.
    let own = |_: &&Moved| TURN.load(Ordering::Relaxed) == process::thread_id();
    let Some(moved) = moved().filter(own) else { return };
    // SAFETY: both ranges are private, so the child has its own of them. In this process nobody uses the copy. The page
    // was written before the fork.
    let blocked = unsafe {
        // If this fails, the copy keeps its memory until the next fork.
        let _ = map::reserve_over(moved.copy, moved.span.len);
        (*moved.fork).blocked
    };
    TURN.store(NOBODY, Ordering::Release); // SYNC forking: pairs with take_turn
    let _ = blocked.thread_set_mask();
}

/// The child gets the copy in place of the shared memory. Without a copy it ends, because it must not change the
/// parent's variables.
pub(crate) extern "C" fn in_child() {
    let Some(moved) = moved() else { return };
    // SAFETY: the page is private and was written before the fork.
    let fork = unsafe { &*moved.fork };
    // SAFETY: both ranges belong to this library and are equally long. The copy holds what the segment held, and the
    // child has one thread, so nobody sees the change.
    let done = unsafe { fork.whole && map::move_over(moved.copy, moved.span.base, moved.span.len).is_ok() };
    if !done {
        process::end_with_message("oshmpi: fork: no memory for a copy of the static variables; the child ends\n");
    }
    fork.rights.give_back();
    // In a statically linked program this flag lies in the memory that was just moved, so the parent does not see the
    // store.
    PRIVATE.store(true, Ordering::Relaxed);
    TURN.store(NOBODY, Ordering::Release); // SYNC forking: pairs with take_turn
    let _ = fork.blocked.thread_set_mask();
}
