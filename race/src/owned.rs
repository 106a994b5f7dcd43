//! Pages that one thread alone accesses, as most are. What the thread does there is noted by marks of the page, in the
//! memory that all PEs share, by plain stores: no read-modify-write, and no look at what others do. Marks say what
//! cells would: which bytes, loaded or stored, in which epoch, and from where.
//!
//! Whoever else comes to the page **revokes** it first: makes cells of the marks. From then on all that come use cells.
//! A revoked page gets its owner back when nobody else has come for some of the owner's epochs, which are twice as many
//! after each time, and when the owner knows all that others did there. So its accesses need no compare.
//!
//! The marks of three epochs are kept. When the owner begins a fourth one, of the oldest only that is made into cells
//! for which the next two epochs' marks do not stand. A loop that does the same in each epoch, or in each second one,
//! makes no cells.
//!
//! The owner stores a mark and looks at the page's count then. Who revokes raises the count, makes all processors do a
//! fence ([`heavy::fence`]), and reads the marks then. So it sees the mark, or the owner sees the count and notes its
//! access again. A loom model cannot have this fence; `of_two_one_sees_the_other` runs it.
//!
//! Bound: a page is revoked at most once for each time it gets an owner, in R epochs of the owner about log2(R) times.
//! Each costs a fence of the node's processors and 512 granules' cells.

use crate::cell::{Cell, Kind, Stamp};
use crate::clock::{Known, View};
use crate::heavy;
use crate::seen::{Marks, Seen};
use crate::shadow::{Access, GRANULES, Page, SITE_BITS, fitting, granules, tag, tagged};
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering, compiler_fence};
use std::time::{Duration, Instant};

/// Nobody has come yet.
const FREE: u32 = 0;
/// Everybody uses cells.
const SHARED: u32 = 0x7fff_ffff;
/// Somebody makes cells of the marks.
const REVOKING: u32 = SHARED - 1;
/// With the owner's number: the owner changes the marks' epoch.
const BUSY: u32 = 1 << 31;

/// How long a page may be in another one's work before it is taken for shared: that one has died.
const PATIENCE: Duration = Duration::from_secs(10);

/// Words of marks: 8 granules each, loads, then stores.
const WORDS: usize = 2 * GRANULES / 8;

/// What the owner of a page has done. All zero: nothing.
#[repr(C)]
pub struct Own {
    /// The owner's process has it as the page's marks.
    seen: Seen,
    /// The tagged sites of loads and stores, of the newest epoch that has any. `c/accesses.c` writes them, too.
    sites: [[AtomicU32; GRANULES]; 2],
    /// The two epochs before, the last one first.
    before: [Before; 2],
    /// The actor that alone may own the page again, and 1.
    first: AtomicU32,
}

/// An epoch, as `Seen::whole`, and its marks.
#[repr(C)]
struct Before {
    whole: AtomicU64,
    marks: [AtomicU64; WORDS],
}

impl Before {
    fn set(&self, whole: &AtomicU64, marks: &[AtomicU64; WORDS]) {
        self.whole.store(whole.load(Ordering::Relaxed), Ordering::Relaxed);
        for (mine, new) in self.marks.iter().zip(marks) {
            mine.store(new.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

impl Own {
    /// The marks of the newest epoch.
    fn marks(&self) -> &[AtomicU64; WORDS] {
        const { assert!(size_of::<Marks>() == size_of::<[AtomicU64; WORDS]>()) };
        // SAFETY: the marks lie at a multiple of 8, and are accessed by atomics here and by C code.
        unsafe { &*self.seen.bytes.get().cast() }
    }

    fn mark_of(&self, write: bool, granule: usize) -> &AtomicU8 {
        // SAFETY: as above; a byte inside the marks.
        unsafe { AtomicU8::from_ptr(self.seen.bytes.get().cast::<u8>().add(usize::from(write) * GRANULES + granule)) }
    }

    /// Marks an access of the owner. `c/accesses.c` does the same.
    #[inline]
    fn mark(&self, granule: usize, bytes: u8, write: bool, site: u32) {
        let tagged = site | self.seen.tag.load(Ordering::Relaxed) ^ u32::from(write) << 31;
        self.sites[usize::from(write)][granule].store(tagged, Ordering::Relaxed);
        for kind in 0..=usize::from(write) {
            let at = self.mark_of(kind != 0, granule);
            at.store(at.load(Ordering::Relaxed) | bytes, Ordering::Relaxed);
        }
    }

    /// Begins an epoch of the owner without marks.
    fn begin(&self, whole: Cell) {
        self.marks().iter().for_each(|word| word.store(0, Ordering::Relaxed));
        self.seen.tag.store(tag(whole.narrowed(0xff, false)) << SITE_BITS, Ordering::Relaxed);
        self.seen.whole.store(whole.0, Ordering::Relaxed);
    }

    /// A granule is new memory.
    pub(crate) fn forget(&self, granule: usize) {
        [false, true].iter().for_each(|write| self.mark_of(*write, granule).store(0, Ordering::Relaxed));
        for words in self.before.iter().flat_map(|before| before.marks.chunks(GRANULES / 8)) {
            words[granule / 8].fetch_and(!(0xff << (granule % 8 * 8)), Ordering::Relaxed);
        }
    }
}

/// How an actor finds a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Shared,
    /// It is the actor's, and the count that tells whether it still is.
    Mine(u32),
    /// The actor itself is at work with the page: this is a signal's handler.
    Interrupted,
}

impl<const N: usize> Page<N> {
    /// The marks of the page's owner, for the owner's process.
    pub fn owners(&self) -> &Seen {
        &self.own.seen
    }

    /// Whether everybody uses cells here.
    #[inline(always)]
    pub fn is_shared(&self) -> bool {
        self.owner.load(Ordering::SeqCst) == SHARED
    }

    /// Finds the page as an actor's, or makes it shared.
    fn find(&self, actor: Option<u32>) -> Found {
        let mine = actor.map_or(SHARED, |actor| actor + 1);
        let mut waits: Option<Instant> = None;
        loop {
            // The count first: if the page is the actor's after it, a later revocation changes it.
            // SYNC owner: pairs with the stores that end another one's work with the page
            let lost = self.lost.load(Ordering::SeqCst);
            match self.owner.load(Ordering::SeqCst) {
                SHARED => return Found::Shared,
                owner if owner == mine => return Found::Mine(lost),
                owner if owner == mine | BUSY => return Found::Interrupted,
                FREE => {
                    let _ = self.owner.compare_exchange(FREE, SHARED, Ordering::SeqCst, Ordering::SeqCst);
                }
                owner if owner == REVOKING || owner & BUSY != 0 => {
                    if waits.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                        self.owner.store(SHARED, Ordering::SeqCst);
                    }
                    std::thread::yield_now();
                }
                owner => self.revoke(owner),
            }
        }
    }

    /// What [`Page::access`] does where the page may have an owner. Returns false if it is shared. `cells`: becomes
    /// true if cells say the access.
    #[inline]
    pub(crate) fn owner_accesses(&self, from: usize, to: usize, access: &Access<'_>, cells: &mut bool) -> bool {
        !self.is_shared() && self.owner_accesses_slowly(from, to, access, cells)
    }

    #[inline(never)]
    fn owner_accesses_slowly(&self, from: usize, to: usize, access: &Access<'_>, cells: &mut bool) -> bool {
        loop {
            let lost = match self.find(access.in_order.then_some(access.by.actor)) {
                Found::Shared => return false,
                Found::Interrupted => return true,
                Found::Mine(lost) => lost,
            };
            if access.noted && matches!(access.kind, Kind::READ | Kind::WRITE) {
                if self.go_on(Cell::new(access.by, 0xff, Kind::WRITE), lost) {
                    for (granule, bytes) in granules(from, to) {
                        self.own.mark(granule, bytes, access.kind.writes(), access.site);
                    }
                }
            } else {
                // Cells can say it, too. Nobody else is here.
                self.shared_access(from, to, access, &mut |_| ());
                *cells = true;
            }
            if self.is_still_mine(lost) {
                return true;
            }
        }
    }

    /// Notes a load or store of the thread whose store `whole` is, if the page is its own or becomes so. Returns
    /// whether it is noted.
    #[inline(always)]
    pub fn own_access(&self, touched: (usize, u8, bool), whole: Cell, site: u32) -> bool {
        !self.is_shared() && self.own_access_slowly(touched, whole, site)
    }

    #[inline(never)]
    fn own_access_slowly(&self, (granule, bytes, write): (usize, u8, bool), whole: Cell, site: u32) -> bool {
        let actor = whole.by().actor;
        if self.owner.load(Ordering::Relaxed) == FREE && heavy::reaches_here() {
            self.take(FREE, whole, || true);
        }
        loop {
            match self.find(Some(actor)) {
                Found::Shared => return false,
                Found::Interrupted => return true,
                Found::Mine(lost) => {
                    if self.go_on(whole, lost) {
                        self.own.mark(granule, bytes, write, site);
                    }
                    if self.is_still_mine(lost) {
                        return true;
                    }
                }
            }
        }
    }

    /// After a mark was stored. Once it is there, whoever revokes the page makes a cell of it, or the count differs.
    #[inline]
    fn is_still_mine(&self, lost: u32) -> bool {
        compiler_fence(Ordering::SeqCst);
        self.lost.load(Ordering::SeqCst) == lost
    }

    /// Makes a shared page the thread's own again, if it knows all that others did here.
    pub fn own_again(&self, whole: Cell, view: View<'_>) -> bool {
        let first = self.own.first.load(Ordering::Relaxed);
        let may = first == 0 || first == whole.by().actor + 1;
        let known = |cell: &AtomicU64| {
            let cell = Cell(cell.load(Ordering::SeqCst)); // SYNC granule: the owner's number was exchanged before
            whole.is_alone_with(cell) || view.is_over(cell.by())
        };
        may && heavy::reaches_here() && self.take(SHARED, whole, || self.cells.iter().flatten().all(known))
    }

    /// Makes the page the thread's, if `may` says so while nobody else comes.
    fn take(&self, from: u32, whole: Cell, may: impl FnOnce() -> bool) -> bool {
        let mine = whole.by().actor + 1;
        // SYNC granule: who notes a cell looks at the owner then, so it sees this, or `may` sees its cell
        if self.owner.compare_exchange(from, mine | BUSY, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return false;
        }
        let good = may();
        if good {
            let Own { seen, before, first, .. } = &self.own;
            self.own.begin(whole);
            before.iter().flat_map(|before| &before.marks).for_each(|word| word.store(0, Ordering::Relaxed));
            first.store(mine, Ordering::Relaxed);
            seen.lead_to_own(self);
            seen.lost.store(self.lost.load(Ordering::SeqCst), Ordering::Relaxed);
            seen.own.store(1, Ordering::Relaxed);
        }
        self.owner.store(if good { mine } else { from }, Ordering::SeqCst); // SYNC owner: pairs with the loads in find
        good
    }

    /// The owner's marks are of the epoch of `whole` from now on. Returns false if the page is not the owner's any
    /// more.
    fn go_on(&self, whole: Cell, lost: u32) -> bool {
        let seen = &self.own.seen;
        if seen.whole.load(Ordering::Relaxed) == whole.0 {
            seen.lost.store(lost, Ordering::Relaxed);
            return true;
        }
        let mine = whole.by().actor + 1;
        if self.owner.compare_exchange(mine, mine | BUSY, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return false;
        }
        let own = &self.own;
        let [last, oldest] = &own.before;
        self.cells_of(oldest, |i| load(&last.marks, i) | load(own.marks(), i));
        oldest.set(&last.whole, &last.marks);
        last.set(&seen.whole, own.marks());
        own.begin(whole);
        seen.lost.store(lost, Ordering::Relaxed);
        self.owner.store(mine, Ordering::SeqCst); // SYNC owner: pairs with the loads in find
        true
    }

    /// Makes cells of the marks of an epoch for which those of later ones do not stand.
    fn cells_of(&self, epoch: &Before, later: impl Fn(usize) -> u64) {
        for i in 0..WORDS / 2 {
            let [loads, stores] = [i, WORDS / 2 + i].map(|i| (load(&epoch.marks, i), later(i)));
            let alone = |(marks, later): (u64, u64)| marks & !later;
            if alone(loads) | alone(stores) != 0 {
                self.eight(i, epoch.whole.load(Ordering::Relaxed), [loads, stores].map(|of| (of.0, alone(of))));
            }
        }
    }

    /// Makes cells of the loads and stores of eight granules in an epoch, in granules where bytes of them are alone.
    fn eight(&self, i: usize, whole: u64, marks: [(u64, u64); 2]) {
        for k in 0..8 {
            let [(loads, alone), (stores, alone_stores)] =
                marks.map(|(all, of)| ((all >> (8 * k)) as u8, of >> (8 * k)));
            for (bytes, alone, write) in [(stores, alone_stores, true), (loads & !stores, alone, false)] {
                if bytes != 0 && alone as u8 != 0 {
                    self.cell_of(8 * i + k, Cell(whole).narrowed(bytes, write), write);
                }
            }
        }
    }

    fn cell_of(&self, granule: usize, cell: Cell, write: bool) {
        let word = self.own.sites[usize::from(write)][granule].load(Ordering::Relaxed);
        // A site of a later epoch does not fit: then it is not known.
        let from = if fitting(word, cell).is_some() { word } else { tagged(0, cell) ^ 1 << SITE_BITS };
        let Stamp { actor, epoch } = cell.by();
        let view = View { clock: Known::Nothing, fenced: &[] };
        let by = Stamp { actor, epoch };
        let access = Access { by, kind: cell.kind(), view, site: 0, in_order: true, noted: true };
        self.note(granule, cell, &access, from);
    }

    /// Makes cells of all marks.
    #[cold]
    fn revoke(&self, owner: u32) {
        if self.owner.compare_exchange(owner, REVOKING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return;
        }
        self.lost.fetch_add(1, Ordering::SeqCst);
        self.revoked.fetch_add(1, Ordering::Relaxed);
        heavy::fence();
        let [last, oldest] = &self.own.before;
        let now = self.own.marks();
        self.cells_of(oldest, |i| load(&last.marks, i) | load(now, i));
        self.cells_of(last, |i| load(now, i));
        for i in 0..WORDS / 2 {
            let marks = [i, WORDS / 2 + i].map(|i| load(now, i));
            if marks[0] != 0 {
                self.eight(i, self.own.seen.whole.load(Ordering::Relaxed), marks.map(|of| (of, of)));
            }
        }
        self.owner.store(SHARED, Ordering::SeqCst); // SYNC owner: pairs with the loads in find
    }

    /// After how many epochs the page may have an owner again.
    pub fn epochs_alone(&self) -> u32 {
        2 << self.revoked.load(Ordering::Relaxed).min(16)
    }
}

fn load(marks: &[AtomicU64; WORDS], i: usize) -> u64 {
    marks[i].load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::shadow::Conflict;
    use std::sync::Barrier;

    /// Asked before the first access: without the kernel's fence no page has an owner.
    fn page() -> Box<Page> {
        assert!(heavy::reaches_here(), "the kernel has no membarrier");
        // SAFETY: all bytes zero is a Page of zero atomics.
        unsafe { Box::<Page>::new_zeroed().assume_init() }
    }

    fn whole(actor: u32, epoch: u32) -> Cell {
        Cell::new(Stamp { actor, epoch }, 0xff, Kind::WRITE)
    }

    fn clock(knows: Stamp) -> Clock {
        let mut clock = Clock::default();
        clock.raise(knows);
        clock
    }

    /// An access of a thread to a granule.
    fn access(page: &Page, granule: usize, kind: Kind, by: Stamp, clock: &Clock) -> Vec<Conflict> {
        let access = Access { by, kind, view: View::of(clock), site: 9, in_order: true, noted: true };
        let mut found = Vec::new();
        page.access(granule * 8, granule * 8 + 8, &access, &mut |c| found.push(c));
        found
    }

    /// One of actor 2, in an epoch after `knows`, up to which it knows of actor 1.
    fn other(page: &Page, granule: usize, kind: Kind, knows: u32) -> Vec<Conflict> {
        let by = Stamp { actor: 2, epoch: knows + 1 };
        access(page, granule, kind, by, &clock(Stamp { actor: 1, epoch: knows }))
    }

    #[test]
    fn marks_say_what_cells_would() {
        let page = page();
        assert!(page.own_access((3, 0xff, true), whole(1, 1), 70));
        assert!(page.own_access((4, 0x0f, false), whole(1, 1), 71));
        // Stands for what the epoch before did to granule 3, and not for that to granule 4.
        assert!(page.own_access((3, 0xff, true), whole(1, 2), 72));
        assert!(page.own_access((5, 0xf0, true), whole(1, 2), 73));
        assert!(page.own_access((6, 0xff, false), whole(1, 3), 74));
        // The first epoch's marks are the oldest of more than three.
        assert!(page.own_access((7, 0x01, true), whole(1, 4), 75));
        assert!(page.own_access((8, 0x01, true), whole(1, 5), 75));
        let found = |granule, kind, knows| {
            let all = other(&page, granule, kind, knows);
            all.iter().map(|c| (c.earlier.by().epoch, c.earlier.bytes(), c.site)).collect::<Vec<_>>()
        };
        assert_eq!(found(3, Kind::READ, 0), [(2, 0xff, Some(72))]);
        assert_eq!(found(4, Kind::WRITE, 0), [(1, 0x0f, Some(71))]);
        assert_eq!(found(5, Kind::READ, 1), [(2, 0xf0, Some(73))]);
        assert_eq!(found(6, Kind::WRITE, 2), [(3, 0xff, Some(74))]);
        assert_eq!((found(6, Kind::READ, 2), found(9, Kind::WRITE, 0)), (vec![], vec![]));
        assert!(page.is_shared() && !page.own_access((3, 0xff, true), whole(1, 3), 70));
    }

    #[test]
    fn only_who_knows_what_others_did_owns_a_page_again() {
        let page = page();
        assert!(page.own_access((3, 0xff, true), whole(1, 1), 70));
        assert_eq!(other(&page, 3, Kind::READ, 1), []);
        let (less, all) = (clock(Stamp { actor: 2, epoch: 1 }), clock(Stamp { actor: 2, epoch: 2 }));
        assert!(!page.own_again(whole(1, 3), View::of(&less)) && page.is_shared());
        assert!(!page.own_again(whole(3, 1), View::of(&all)), "another one");
        assert!(page.own_again(whole(1, 3), View::of(&all)));
        assert!(page.own_access((3, 0xff, true), whole(1, 3), 70));
        assert_eq!(other(&page, 3, Kind::READ, 2).len(), 1);
        assert_eq!(page.epochs_alone(), 8);
    }

    #[test]
    fn new_memory_has_no_marks() {
        let page = page();
        assert!(page.own_access((3, 0xff, true), whole(1, 1), 70) && page.own_access((4, 0xff, true), whole(1, 1), 70));
        assert!(page.own_access((9, 0xff, true), whole(1, 2), 70));
        page.forget(24, 32);
        assert_eq!((other(&page, 3, Kind::READ, 0).len(), other(&page, 4, Kind::READ, 0).len()), (0, 1));
    }

    /// The owner and another one come to the same granules at the same time: one of them finds the race.
    #[test]
    fn of_two_one_sees_the_other() {
        let nothing = Clock::default();
        let store =
            |page: &Page, granule, actor| access(page, granule, Kind::WRITE, Stamp { actor, epoch: 1 }, &nothing).len();
        for round in 0..300 {
            let (page, start) = (page(), Barrier::new(2));
            assert!(page.own_access((0, 0xff, true), whole(1, 1), 7));
            let (mine, its) = std::thread::scope(|s| {
                let owner = s.spawn(|| {
                    start.wait();
                    let own = |granule| page.own_access((granule, 0xff, true), whole(1, 1), 7);
                    (1..GRANULES).map(|g| if own(g) { 0 } else { store(&page, g, 1) }).sum::<usize>()
                });
                let other = s.spawn(|| {
                    start.wait();
                    (0..round * 16).for_each(|_| std::hint::spin_loop());
                    (1..GRANULES).map(|g| store(&page, g, 2)).sum::<usize>()
                });
                (owner.join().unwrap(), other.join().unwrap())
            });
            assert!(mine + its >= GRANULES - 1, "{mine} and {its} in round {round}");
        }
    }

    /// An operation is not compared with itself, though the owner comes back to the page meanwhile.
    #[test]
    fn an_operation_is_one_access() {
        let (page, start) = (page(), Barrier::new(2));
        let (all, whole) = (clock(Stamp { actor: 2, epoch: u32::MAX }), |epoch| whole(1, epoch));
        std::thread::scope(|s| {
            s.spawn(|| {
                start.wait();
                for epoch in 1..20_000 {
                    if !page.own_access((3, 0xff, true), whole(epoch), 70) {
                        page.own_again(whole(epoch), View::of(&all));
                    }
                }
            });
            start.wait();
            for epoch in 1..20_000 {
                let before = clock(Stamp { actor: 2, epoch: epoch - 1 });
                let (by, view) = (Stamp { actor: 2, epoch }, View::of(&before));
                let access = Access { by, kind: Kind::WRITE, view, site: 9, in_order: false, noted: true };
                page.access(72, 80, &access, &mut |c| panic!("{c:?} in epoch {epoch}"));
            }
        });
    }
}
