//! A member that records what it would do: its code is run alone, nothing moves. Data does not steer the schedules of
//! the algorithms between nodes, so buffers need not exist: while a member is recorded on a thread, copying and
//! combining there are recorded too, instead of done.

use super::hierarchy::{Hierarchy, NodeStage, Side};
use super::messages::{MemberMessages, Message};
use crate::env::coll_select::CollSelect;
use crate::memory::local::{Dest, Source};
use crate::memory::node::EAGER_BYTES;
use crate::team::Layout;
use bench_scale::{NodeStage as Stage, Program};
use std::alloc::{GlobalAlloc, System};
use std::cell::{Cell, RefCell};

thread_local! {
    static PROGRAM: RefCell<Option<Program>> = const { RefCell::new(None) };
    /// Bytes that a member has allocated, and the most it has had, while it is recorded. What the recorder itself needs
    /// does not count.
    static ALLOCATED: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

/// The system's allocator, which counts.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(bytes: isize) {
    if COUNTED.get() {
        let (now, most) = ALLOCATED.get();
        ALLOCATED.set((now + bytes, most.max(now + bytes)));
    }
}

// SAFETY: all is done by the system's allocator; cells of a thread that need no destructor are all that is touched.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: std::alloc::Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: std::alloc::Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: std::alloc::Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Records by `note` on a thread that records; false: the thread does not.
fn note(note: impl FnOnce(&mut Program)) -> bool {
    let counted = COUNTED.replace(false);
    let records = PROGRAM.with_borrow_mut(|program| program.as_mut().map(note).is_some());
    COUNTED.set(counted);
    records
}

/// Bytes would be copied.
pub(super) fn copied(bytes: usize) -> bool {
    note(|program| program.copy(bytes as u64))
}

/// Bytes of elements would be combined.
pub(super) fn combined(bytes: usize) -> bool {
    note(|program| program.combine(bytes as u64))
}

/// Memory that is nowhere.
pub(super) fn dest(len: usize) -> Dest {
    // SAFETY: nobody reads or writes while it is recorded.
    unsafe { Dest::of::<u8>(core::ptr::without_provenance_mut(1 << 46), len) }
}

pub(super) fn source(len: usize) -> Source {
    // SAFETY: nobody reads while it is recorded.
    unsafe { Source::of::<u8>(core::ptr::without_provenance(1 << 45), len) }
}

/// A member of a group that is placed so.
pub(super) struct Recorder<'a> {
    layout: &'a Layout,
    /// Number in the group.
    member: usize,
    here: Here,
    chosen: CollSelect,
}

/// The members on the node of the one that is recorded: how many, and which it is.
#[derive(Clone, Copy)]
pub(super) struct Here {
    size: usize,
    me: usize,
}

impl MemberMessages for Recorder<'_> {
    type Node = Here;

    fn size(&self) -> usize {
        self.layout.members()
    }

    fn me(&self) -> usize {
        self.member
    }

    fn transfer(&self, messages: impl IntoIterator<Item = Message>) {
        let messages = messages.into_iter().filter_map(|message| {
            let (peer, bytes) = match &message {
                Message::Send(to, from) => (*to as u32, from.len() as u64),
                Message::Receive(from, to) => (*from as u32, to.len() as u64),
            };
            (bytes > 0).then_some(match message {
                Message::Send(..) => bench_scale::Message::Send { to: peer, bytes },
                Message::Receive(..) => bench_scale::Message::Receive { from: peer, bytes },
            })
        });
        let counted = COUNTED.replace(false);
        // Before anything is recorded: the iterator may copy, too.
        let messages: Vec<_> = messages.collect();
        note(|program| program.transfer(messages));
        COUNTED.set(counted);
    }

    fn hierarchy(&self) -> Option<Hierarchy<'_, Here>> {
        let layout = self.layout;
        let node = layout.node(self.me());
        (layout.nodes() < layout.members()).then_some(Hierarchy { here: self.here, layout, node })
    }

    fn chosen(&self) -> CollSelect {
        self.chosen
    }
}

impl NodeStage for Here {
    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    fn barrier(&self) {
        note(|program| program.node(Stage::Barrier));
    }

    fn notify_root(&self, root: usize) {
        note(|program| program.node(Stage::Gather { root: root as u32 }));
    }

    fn wait_for_root(&self, root: usize) {
        note(|program| program.node(Stage::Release { root: root as u32 }));
    }

    fn eager(&self) -> usize {
        EAGER_BYTES
    }

    fn place(&self, len: usize) -> Dest {
        assert!(len <= EAGER_BYTES, "more than an eager buffer holds");
        dest(len)
    }

    fn placed(&self, _member: usize, len: usize) -> Source {
        source(len)
    }

    fn writable(&self, _side: Side) -> bool {
        true
    }

    fn mapped(&self, _side: Side, _member: usize, off: usize, len: usize) -> Option<Dest> {
        Some(dest(off + len).part(off, len))
    }

    fn read(&self, _side: Side, _member: usize, _off: usize, to: Dest) {
        copied(to.len());
    }
}

/// What `body` does as a member of a group, the `local`th of its node.
pub(super) fn record(layout: &Layout, member: usize, local: usize, body: impl FnOnce(&Recorder<'_>)) -> Program {
    measured(layout, member, local, body).0
}

/// The same, and the most bytes that it has allocated.
pub(super) fn measured(
    layout: &Layout,
    member: usize,
    local: usize,
    body: impl FnOnce(&Recorder<'_>),
) -> (Program, usize) {
    let here = Here { size: layout.count(layout.node(member)), me: local };
    PROGRAM.set(Some(Program::default()));
    ALLOCATED.set((0, 0));
    COUNTED.set(true);
    body(&Recorder { layout, member, here, chosen: CollSelect::NONE });
    COUNTED.set(false);
    (PROGRAM.take().expect("set above"), ALLOCATED.get().1 as usize)
}

/// Bytes that are allocated while a value is made, and still there when it is.
pub(super) fn held<T>(make: impl FnOnce() -> T) -> usize {
    ALLOCATED.set((0, 0));
    COUNTED.set(true);
    let value = make();
    COUNTED.set(false);
    let held = ALLOCATED.get().0 + size_of_val(&value) as isize;
    drop(value);
    held as usize
}
