//! The memory of this library's own objects. A handler of a signal may note accesses while its thread is in the C
//! library's `malloc`, which it cannot call a second time.
//!
//! Sizes are powers of two. What is freed is used again for its size. What is longer than [`LONGEST`] is mapped.

use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicBool, Ordering};
use std::cell::UnsafeCell;

const SMALLEST: u32 = 4;
const LONGEST: u32 = 20;
const SIZES: usize = (LONGEST - SMALLEST + 1) as usize;
const CHUNK: usize = 4 << 20;

struct Own {
    busy: AtomicBool,
    lists: UnsafeCell<Lists>,
}

struct Lists {
    /// The first free block of each size, whose first word leads to the next one.
    free: [*mut u8; SIZES],
    /// What is left of the last mapping.
    next: *mut u8,
    left: usize,
}

// SAFETY: the lists are used while `busy` was set by this thread.
unsafe impl Sync for Own {}

#[global_allocator]
static OWN: Own = Own {
    busy: AtomicBool::new(false),
    lists: UnsafeCell::new(Lists { free: [core::ptr::null_mut(); SIZES], next: core::ptr::null_mut(), left: 0 }),
};

impl Own {
    fn with<R>(&self, f: impl FnOnce(&mut Lists) -> R) -> R {
        // SYNC own: pairs with the store below
        while self.busy.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            // SAFETY: no preconditions. This allocates nothing.
            unsafe { libc::sched_yield() };
        }
        // SAFETY: this thread has set the flag, and no handler comes between: see `thread::Inside`.
        let result = f(unsafe { &mut *self.lists.get() });
        self.busy.store(false, Ordering::Release); // SYNC own: pairs with the exchange above
        result
    }
}

/// The size of a block, as a power of two, and its list. None: it has a mapping of its own.
fn class(layout: Layout) -> Option<(u32, usize)> {
    let power = layout.size().max(layout.align()).max(1 << SMALLEST).next_power_of_two().trailing_zeros();
    (power <= LONGEST).then(|| (power, (power - SMALLEST) as usize))
}

fn map(len: usize) -> *mut u8 {
    // SAFETY: a new mapping.
    let at = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(core::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    };
    if at == libc::MAP_FAILED { core::ptr::null_mut() } else { at.cast() }
}

impl Lists {
    /// A block, and whether it is zero because it was never used.
    fn take(&mut self, power: u32, list: usize) -> (*mut u8, bool) {
        let first = self.free[list];
        if !first.is_null() {
            // SAFETY: a free block begins with the address of the next one.
            self.free[list] = unsafe { first.cast::<*mut u8>().read() };
            return (first, false);
        }
        let bytes = 1usize << power;
        let aligned = self.next.align_offset(bytes);
        if self.left < bytes || self.left - bytes < aligned {
            let chunk = map(CHUNK);
            if chunk.is_null() {
                return (chunk, true);
            }
            (self.next, self.left) = (chunk, CHUNK);
        }
        let skipped = self.next.align_offset(bytes);
        // SAFETY: a chunk has room for the longest block at any alignment, and the check above has found room.
        let at = unsafe { self.next.add(skipped) };
        // SAFETY: as above.
        self.next = unsafe { at.add(bytes) };
        self.left -= skipped + bytes;
        (at, true)
    }
}

// SAFETY: blocks do not overlap, are aligned to their size, and are kept until they are freed.
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match class(layout) {
            Some((power, list)) => self.with(|lists| lists.take(power, list)).0,
            None if layout.align() <= 4096 => map(layout.size()),
            None => core::ptr::null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some((power, list)) = class(layout) else {
            // SAFETY: the caller's promise. Mappings are zero.
            return unsafe { self.alloc(layout) };
        };
        let (at, zero) = self.with(|lists| lists.take(power, list));
        if !zero {
            // SAFETY: a block of at least as many bytes.
            unsafe { at.write_bytes(0, layout.size()) };
        }
        at
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        match class(layout) {
            Some((_, list)) => self.with(|lists| {
                // SAFETY: the caller gives a block back, which has room for an address.
                unsafe { at.cast::<*mut u8>().write(lists.free[list]) };
                lists.free[list] = at;
            }),
            // SAFETY: the mapping that alloc made.
            None => drop(unsafe { libc::munmap(at.cast(), layout.size()) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_apart() {
        let mut all = Vec::new();
        for i in 0..2000usize {
            let layout = Layout::from_size_align(1 + i * 37 % 5000, 1 << (i % 8)).unwrap();
            // SAFETY: the layout has a size.
            let at = unsafe { OWN.alloc(layout) };
            assert!(!at.is_null() && (at as usize).is_multiple_of(layout.align()));
            // SAFETY: the block was just made.
            unsafe { at.write_bytes(i as u8, layout.size()) };
            all.push((at, layout, i as u8));
        }
        for (at, layout, byte) in all {
            // SAFETY: the block is there until it is freed behind this.
            let bytes = unsafe { core::slice::from_raw_parts(at, layout.size()) };
            assert!(bytes.iter().all(|b| *b == byte));
            // SAFETY: it came from alloc with this layout.
            unsafe { OWN.dealloc(at, layout) };
        }
        let long = Layout::from_size_align(3 << 20, 8).unwrap();
        // SAFETY: the layout has a size, and the block is freed once.
        unsafe { OWN.dealloc(OWN.alloc(long), long) };
    }
}
