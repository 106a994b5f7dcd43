//! The allocator of unit tests. It counts what a thread allocates while the thread is watched.

use std::alloc::{GlobalAlloc, System};
use std::cell::Cell;

thread_local! {
    /// Bytes that the thread has allocated while it was watched, and the most it has had.
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

/// What is allocated meanwhile does not count: what is tested does not do it.
pub(crate) fn uncounted<T>(own: impl FnOnce() -> T) -> T {
    let counted = COUNTED.replace(false);
    let value = own();
    COUNTED.set(counted);
    value
}

/// The most bytes that are allocated at a time while a value is made.
pub(crate) fn most<T>(make: impl FnOnce() -> T) -> (T, usize) {
    ALLOCATED.set((0, 0));
    COUNTED.set(true);
    let value = make();
    COUNTED.set(false);
    (value, ALLOCATED.get().1 as usize)
}

/// Bytes that are allocated while a value is made, and still there when it is.
pub(crate) fn held<T>(make: impl FnOnce() -> T) -> usize {
    let (value, _) = most(make);
    let held = ALLOCATED.get().0 + size_of_val(&value) as isize;
    drop(value);
    held as usize
}
