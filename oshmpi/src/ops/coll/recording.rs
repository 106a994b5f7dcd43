//! What a thread writes down while it plays a member of a group: copies and combinations, which are then not done, and
//! the memory that is allocated.

use bench_scale::Program;
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
pub(super) fn note(note: impl FnOnce(&mut Program)) -> bool {
    uncounted(|| PROGRAM.with_borrow_mut(|program| program.as_mut().map(note).is_some()))
}

/// What is allocated meanwhile does not count: the member does not do it.
pub(super) fn uncounted<T>(own: impl FnOnce() -> T) -> T {
    let counted = COUNTED.replace(false);
    let value = own();
    COUNTED.set(counted);
    value
}

/// Bytes would be copied.
pub(super) fn copied(bytes: usize) -> bool {
    note(|program| program.copy(bytes as u64))
}

/// Bytes of elements would be combined.
pub(super) fn combined(bytes: usize) -> bool {
    note(|program| program.combine(bytes as u64))
}

/// What `body` writes down, and the most bytes that it has allocated.
pub(super) fn all_of(body: impl FnOnce()) -> (Program, usize) {
    PROGRAM.set(Some(Program::default()));
    ALLOCATED.set((0, 0));
    COUNTED.set(true);
    body();
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
