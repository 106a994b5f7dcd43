//! What a thread has noted in a page in its current epoch: a load or store that says no more ends after few compares,
//! without a look at the shadow memory that all PEs share.
//!
//! This hides no race. A byte is marked here after a cell says the access, and the mark holds as long as
//! * the thread is in the same epoch, because a mark is of one epoch;
//! * the cell is there, or one that stands for it. A cell of an epoch that is not over goes only if a granule has too
//!   few cells. Whoever takes its place raises the page's count, and marks are of one value of the count.
//!
//! Marks belong to one thread. Where a process has several, they are not made.

use crate::cell::Cell;
use crate::clock::View;
use crate::shadow::{GRANULES, PAGE, Page};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// The marks of a page. All zero: none. `c/accesses.c` of the runtime has the same.
#[repr(C)]
pub struct Seen {
    /// What a store of the thread to a granule is in the epoch of the marks. 0: there are none.
    pub(crate) whole: AtomicU64,
    /// Where the page's shadow is, whose first word is the count.
    page: AtomicUsize,
    /// The count that the marks are of.
    pub(crate) lost: AtomicU32,
    /// Epochs in which there were marks, since this page was last looked at for a new owner.
    begun: AtomicU32,
    /// The bytes of each granule that were loaded or stored, and those that were stored.
    pub(crate) bytes: UnsafeCell<ByteMarks>,
}

/// Of each granule: the bytes that were loaded or stored, and those that were stored.
pub(crate) type ByteMarks = [[u8; GRANULES]; 2];

// SAFETY: `bytes` is accessed by the thread alone whose epoch `whole` is, by the promise to `Seen::touch`.
unsafe impl Sync for Seen {}

impl Seen {
    /// # Safety
    /// `at` is the address of as many bytes as a `Seen` has, aligned to 8, zero when first used, which stay for `'a`
    /// and are accessed as a `Seen` only.
    pub unsafe fn at<'a>(at: usize) -> &'a Seen {
        // SAFETY: the caller's promise; zero is a Seen.
        unsafe { &*(at as *const Seen) }
    }

    /// Says where the page's shadow is. What was marked of another page is forgotten.
    pub fn lead_to(&self, page: &'static Page) {
        self.forget();
        self.begun.store(0, Ordering::Relaxed);
        self.page.store(core::ptr::from_ref(page) as usize, Ordering::Relaxed);
    }

    /// The page's shadow. None before [`Seen::lead_to`].
    #[inline(always)]
    pub fn page(&self) -> Option<&'static Page> {
        // SAFETY: null, or a page that lead_to was given.
        unsafe { (self.page.load(Ordering::Relaxed) as *const Page).as_ref() }
    }

    /// Makes marks possible in this epoch. Before the access is noted: if its cell is lost meanwhile, the count tells.
    ///
    /// # Safety
    /// As for [`Seen::touch`].
    #[inline(always)]
    unsafe fn begin<const N: usize>(&self, page: &Page<N>, whole: Cell) {
        let lost = page.lost();
        if self.whole.load(Ordering::Relaxed) != whole.0 || self.lost.load(Ordering::Relaxed) != lost {
            // SAFETY: this thread alone uses the marks.
            unsafe { *self.bytes.get() = [[0; GRANULES]; 2] };
            self.lost.store(lost, Ordering::Relaxed);
            self.whole.store(whole.0, Ordering::Relaxed);
            self.begun.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether the thread has come back to the page in so many epochs.
    pub fn came_back(&self, epochs: u32) -> bool {
        let enough = self.begun.load(Ordering::Relaxed) >= epochs;
        if enough {
            self.begun.store(0, Ordering::Relaxed);
        }
        enough
    }

    /// Notes and marks a load or store of which [`Seen::has`] nothing. `compared` does the same to the cells where
    /// there is more to do, though a cell may say the access already: by [`Page::unsaid`]. `whole`: what a store of
    /// the thread to a granule is in this epoch; `view`: what the thread knows.
    ///
    /// # Safety
    /// No other thread does this to the same marks.
    #[inline(always)]
    pub unsafe fn touch<const N: usize>(
        &self,
        page: &Page<N>,
        (granule, bytes, write): (usize, u8, bool),
        (whole, view): (Cell, View<'_>),
        site: u32,
        compared: impl FnOnce(),
    ) {
        // SAFETY: the caller's promise.
        unsafe { self.begin(page, whole) };
        if !page.renew(granule, whole.narrowed(bytes, write), site, view) {
            compared();
        }
        // SAFETY: this thread alone uses the marks.
        let [loads, stores] = unsafe { &mut *self.bytes.get() };
        loads[granule % GRANULES] |= bytes;
        if write {
            stores[granule % GRANULES] |= bytes;
        }
    }

    /// Whether an access says no more than the marks. `c/accesses.c` asks the same.
    ///
    /// # Safety
    /// `whole` is of the calling thread.
    pub unsafe fn has<const N: usize>(
        &self,
        page: &Page<N>,
        (granule, bytes, write): (usize, u8, bool),
        whole: Cell,
    ) -> bool {
        self.whole.load(Ordering::Relaxed) == whole.0
            && self.lost.load(Ordering::Relaxed) == page.lost()
            // SAFETY: the marks are of this thread.
            && unsafe { (*self.bytes.get())[usize::from(write)][granule % GRANULES] } & bytes == bytes
    }

    /// Forgets the marks, by any thread.
    pub fn forget(&self) {
        self.whole.store(0, Ordering::Relaxed);
    }
}

const _: () = assert!(size_of::<Seen>() == 24 + PAGE / 4);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Kind, Stamp};
    use crate::clock::Clock;
    use crate::shadow::{Access, CELLS, InARow};

    const TOUCHED: (usize, u8, bool) = (1, 0xff, false);

    struct Memory {
        page: Box<InARow>,
        seen: Box<Seen>,
    }

    impl Memory {
        fn new() -> Memory {
            // SAFETY: all zero is each of them.
            unsafe { Memory { page: Box::new_zeroed().assume_init(), seen: Box::<Seen>::new_zeroed().assume_init() } }
        }

        /// An access of an actor in its first epoch. Returns whether it races.
        fn access(&self, actor: u32, kind: Kind, knows: &[u32]) -> bool {
            let mut clock = Clock::default();
            knows.iter().chain([&actor]).for_each(|actor| clock.tick(*actor));
            let by = Stamp { actor, epoch: 1 };
            let access = Access::of_thread(by, kind, &clock, 0);
            let mut race = false;
            self.page.access(8, 16, &access, &mut |_| race = true);
            race
        }

        fn unsaid(&self, epoch: u32) {
            let (by, clock) = (Stamp { actor: 1, epoch }, Clock::default());
            let access = Access::of_thread(by, Kind::READ, &clock, 0);
            self.page.unsaid(TOUCHED.0, TOUCHED.1, &access, &mut |_| panic!("no store was made"));
        }

        /// A load of actor 1 in an epoch, if the marks do not have it. Returns whether they had it.
        fn load(&self, epoch: u32) -> bool {
            let whole = Cell::new(Stamp { actor: 1, epoch }, 0xff, Kind::WRITE);
            let clock = Clock::default();
            // SAFETY: one thread alone.
            unsafe {
                let has = self.seen.has(&self.page, TOUCHED, whole);
                if !has {
                    self.seen.touch(&self.page, TOUCHED, (whole, View::of(&clock)), 0, || self.unsaid(epoch));
                }
                has
            }
        }
    }

    #[test]
    fn a_mark_is_of_one_epoch() {
        let memory = Memory::new();
        assert_eq!([1, 1, 2].map(|epoch| memory.load(epoch)), [false, true, false]);
        memory.seen.forget();
        assert!(!memory.load(2));
    }

    /// Others load what this thread has loaded, until its cell is lost; it loads again; and somebody stores who knows
    /// of the others alone.
    #[test]
    fn what_was_lost_is_noted_again() {
        let memory = Memory::new();
        assert!(!memory.load(1) && memory.load(1));
        let others: Vec<u32> = (2..2 + CELLS as u32).collect();
        others.iter().for_each(|actor| assert!(!memory.access(*actor, Kind::READ, &[])));
        // The new cell takes the place of another, so there are no marks at once.
        assert!(!memory.load(1) && !memory.load(1) && memory.load(1));
        assert!(memory.access(9, Kind::WRITE, &others));
    }
}
