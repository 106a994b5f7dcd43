//! Pages that one thread alone accesses, as most are. What the thread does there is noted by marks of the page, in the
//! memory that all PEs share, by plain stores: no read-modify-write, and no look at what others do. The marks of a
//! granule say what cells would: which bytes were loaded and stored last, in which epoch, and from where.
//!
//! Whoever else comes to the page **revokes** it first: makes cells of the marks. From then on all that come use cells.
//! A revoked page gets its owner back when nobody else has come for some of the owner's epochs, and when the owner
//! knows all that others did there. So its accesses need no compare. The epochs are twice as many after each time, up
//! to 16: a page that others come to seldom should have an owner between.
//!
//! A mark has an epoch of its own, so nothing is to be done to a page when its owner begins another one. The next load
//! takes the place of the last one, and the next store that of the last store, if they are to all of its bytes.
//! Otherwise the mark goes to a second place, for the bytes that the new one is not to. A third one in a row, of other
//! bytes in other epochs, makes a cell of the oldest.
//!
//! The owner stores a mark and looks then whether the page is still its own. Who revokes says so first, makes all
//! processors do a fence ([`heavy::fence`]), and reads the marks then. So it sees the mark, or the owner sees that and
//! notes its access again. A loom model cannot have this fence; `of_two_one_sees_the_other` runs it.
//!
//! Bound: a page is revoked at most once for each time it gets an owner, in R epochs of the owner about R / 16 times.
//! Each costs a fence of the node's processors and 512 granules' cells.

use crate::cell::{Cell, Kind, Stamp};
use crate::clock::{Known, View};
use crate::heavy;
use crate::shadow::{Access, GRANULES, Page, SITE_BITS, granules, tagged};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence};
use std::time::{Duration, Instant};

/// Nobody has come yet.
const FREE: u32 = 0;
/// Everybody uses cells.
const SHARED: u32 = 0x7fff_ffff;
/// Somebody makes cells of the marks.
const REVOKING: u32 = SHARED - 1;
/// With the owner's number: the owner changes what the page's head says.
const BUSY: u32 = 1 << 31;

/// A page waits for its owner twice as many epochs after each time that it was revoked, up to this time.
const LAST_DOUBLED: u32 = 3;

/// How long a page may be in another one's work before it is taken for shared: that one has died, or it has been
/// stopped and finds so when it goes on.
const LONGEST_WAIT: Duration = if cfg!(test) { Duration::from_millis(300) } else { Duration::from_secs(10) };

/// Whose a page is. `c/accesses.c` knows its beginning.
#[repr(C)]
pub(crate) struct Head {
    /// The actor that owns the page, and 1; or one of the above.
    owner: AtomicU32,
    /// The owner's number again, if it may mark loads, and if it may mark stores. So marks that were never made take
    /// no memory.
    open: [AtomicU32; 2],
    /// 1: marks may have gone to their second place.
    split: AtomicU32,
    /// How often the page has lost its owner.
    revoked: AtomicU32,
    /// The actor that alone may own the page again, and 1.
    first: AtomicU32,
    /// The epoch in which it got the page last. Of marks of earlier ones there are cells.
    since: AtomicU32,
}

/// What the owner of a page has done: of each granule the last load, and the last store; or the one before, which was
/// to other bytes. All zero: nothing. `c/accesses.c` writes them, too.
pub(crate) type Marks = [[AtomicU64; GRANULES]; 2];

/// A load or store of the owner: `| 0..24 site | 24..32 bytes | 32..64 epoch |`. 0: none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark(u64);

impl Mark {
    #[inline(always)]
    pub(crate) fn new(epoch: u32, bytes: u8, site: u32) -> Mark {
        debug_assert!(site >> SITE_BITS == 0);
        Mark(u64::from(epoch) << 32 | u64::from(bytes) << SITE_BITS | u64::from(site))
    }

    #[inline(always)]
    fn of(at: &AtomicU64, order: Ordering) -> Mark {
        Mark(at.load(order))
    }

    #[inline(always)]
    fn epoch(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    fn bytes(self) -> u8 {
        (self.0 >> SITE_BITS) as u8
    }

    fn site(self) -> u32 {
        self.0 as u32 & ((1 << SITE_BITS) - 1)
    }

    /// A load or store of all bytes in an epoch, but for the site.
    #[inline(always)]
    pub(crate) fn word(epoch: u32) -> u64 {
        Mark::new(epoch, 0xff, 0).0
    }

    /// Whether an earlier one adds nothing, as none does not.
    fn stands_for(self, earlier: Mark) -> bool {
        earlier.bytes() & !self.bytes() == 0 && earlier.epoch() <= self.epoch()
    }
}

/// How an actor finds a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Shared,
    Mine,
    /// The actor itself is at work with the page: this is a signal's handler.
    Interrupted,
}

impl<const N: usize> Page<N> {
    /// Whether everybody uses cells here.
    #[inline(always)]
    pub fn is_shared(&self) -> bool {
        self.head.owner.load(Ordering::SeqCst) == SHARED
    }

    /// Finds the page as a thread's, in its epoch, or makes it shared.
    fn find(&self, thread: Option<Stamp>) -> Found {
        let mine = thread.map_or(SHARED, |thread| thread.actor + 1);
        let mut waits: Option<Instant> = None;
        loop {
            // SYNC owner: pairs with the stores that end another one's work with the page
            match self.head.owner.load(Ordering::SeqCst) {
                SHARED => return Found::Shared,
                owner if owner == mine => return Found::Mine,
                owner if owner == mine | BUSY => return Found::Interrupted,
                FREE => {
                    if let Some(thread) = thread.filter(|_| heavy::reaches_here()) {
                        self.take(FREE, thread, || true);
                        continue;
                    }
                    let _ = self.head.owner.compare_exchange(FREE, SHARED, Ordering::SeqCst, Ordering::SeqCst);
                }
                owner if owner == REVOKING || owner & BUSY != 0 => {
                    if waits.get_or_insert_with(Instant::now).elapsed() > LONGEST_WAIT {
                        self.head.owner.store(SHARED, Ordering::SeqCst);
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
            match self.find(access.in_order.then_some(access.by)) {
                Found::Shared => return false,
                Found::Interrupted => return true,
                Found::Mine => {}
            }
            if access.noted && matches!(access.kind, Kind::READ | Kind::WRITE) {
                for (granule, bytes) in granules(from, to) {
                    self.mark(granule, bytes, access.kind.writes(), access.by, access.site);
                }
            } else {
                // Cells can say it, too. Nobody else is here.
                self.shared_access(from, to, access, &mut |_| ());
                *cells = true;
            }
            if self.is_still(access.by.actor) {
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
        let by = whole.by();
        loop {
            match self.find(Some(by)) {
                Found::Shared => return false,
                Found::Interrupted => return true,
                Found::Mine => self.mark(granule, bytes, write, by, site),
            }
            if self.is_still(by.actor) {
                return true;
            }
        }
    }

    /// Marks an access of the owner. `c/accesses.c` does the same where this is few steps.
    #[inline]
    fn mark(&self, granule: usize, bytes: u8, write: bool, by: Stamp, site: u32) {
        let kind = usize::from(write);
        if self.head.open[kind].load(Ordering::Relaxed) != by.actor + 1
            && !self.change_head(by.actor, |head| head.open[kind].store(by.actor + 1, Ordering::Relaxed))
        {
            return;
        }
        let (last, new) = (&self.last[kind][granule], Mark::new(by.epoch, bytes, site));
        let old = Mark::of(last, Ordering::Relaxed);
        if old.epoch() == new.epoch() {
            last.store(new.0 | u64::from(old.bytes()) << SITE_BITS, Ordering::Relaxed);
            return;
        }
        if old.bytes() & !bytes != 0 && !self.keep(granule, write, old, new) {
            return;
        }
        last.store(new.0, Ordering::Release); // SYNC before: pairs with the load in both
    }

    /// Puts a mark to its second place before a new one takes the first. Returns false if the page is not the owner's
    /// any more.
    #[inline(never)]
    fn keep(&self, granule: usize, write: bool, old: Mark, new: Mark) -> bool {
        let head = &self.head;
        let actor = head.first.load(Ordering::Relaxed) - 1;
        if head.split.load(Ordering::Relaxed) == 0
            && !self.change_head(actor, |head| head.split.store(1, Ordering::Relaxed))
        {
            return false;
        }
        let before = &self.rest().before[usize::from(write)][granule];
        let older = Mark::of(before, Ordering::Relaxed);
        if older.bytes() & !(old.bytes() | new.bytes()) != 0 && older.epoch() >= head.since.load(Ordering::Relaxed) {
            self.cell_of(granule, actor, older, write);
        }
        before.store(old.0, Ordering::Relaxed);
        true
    }

    /// After a mark was stored. Once it is there, whoever revokes the page makes a cell of it, or the owner is another.
    #[inline]
    fn is_still(&self, actor: u32) -> bool {
        compiler_fence(Ordering::SeqCst);
        self.head.owner.load(Ordering::SeqCst) == actor + 1
    }

    /// Makes a shared page the thread's own again, if it knows all that others did here.
    pub fn own_again(&self, whole: Cell, view: View<'_>) -> bool {
        let first = self.head.first.load(Ordering::Relaxed);
        let may = first == 0 || first == whole.by().actor + 1;
        let known = |cell: &AtomicU64| {
            let cell = Cell(cell.load(Ordering::SeqCst)); // SYNC granule: the owner's number was exchanged before
            whole.is_alone_with(cell) || view.is_over(cell.by())
        };
        may && heavy::reaches_here()
            && self.take(SHARED, whole.by(), || self.rest().granules.iter().all(|g| g.cells.iter().all(known)))
    }

    /// Makes the page the thread's, if `may` says so while nobody else comes.
    fn take(&self, from: u32, Stamp { actor, epoch }: Stamp, may: impl FnOnce() -> bool) -> bool {
        let head = &self.head;
        // SYNC granule: who notes a cell looks at the owner then, so it sees this, or `may` sees its cell
        if head.owner.compare_exchange(from, (actor + 1) | BUSY, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return false;
        }
        let good = may();
        if good {
            head.first.store(actor + 1, Ordering::Relaxed);
            head.since.store(epoch, Ordering::Relaxed);
        }
        let (busy, then) = ((actor + 1) | BUSY, if good { actor + 1 } else { from });
        // SYNC owner: pairs with the loads in find. It fails if others have waited too long.
        let in_time = head.owner.compare_exchange(busy, then, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        good && in_time
    }

    /// Changes the head while nobody revokes the page. Returns false if it is not the owner's any more.
    #[inline(never)]
    fn change_head(&self, actor: u32, change: impl FnOnce(&Head)) -> bool {
        let (owner, mine) = (&self.head.owner, actor + 1);
        if owner.compare_exchange(mine, mine | BUSY, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return false;
        }
        change(&self.head);
        // SYNC owner: pairs with the loads in find. It fails if others have waited too long.
        owner.compare_exchange(mine | BUSY, mine, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Both marks of a granule, the last one first, while the page is revoked.
    fn both(&self, granule: usize, write: bool) -> [Mark; 2] {
        let (kind, since) = (usize::from(write), self.head.since.load(Ordering::Relaxed));
        let valid = |mark: Mark| if mark.epoch() < since { Mark(0) } else { mark };
        // SYNC before: the owner may be at work. It has put what was here to the second place, if this is new.
        let last = Mark::of(&self.last[kind][granule], Ordering::Acquire);
        let before = match self.head.split.load(Ordering::Relaxed) {
            0 => Mark(0),
            _ => Mark::of(&self.rest().before[kind][granule], Ordering::Relaxed),
        };
        [valid(last), valid(before)]
    }

    fn cell_of(&self, granule: usize, actor: u32, mark: Mark, write: bool) {
        let (by, kind) = (Stamp { actor, epoch: mark.epoch() }, if write { Kind::WRITE } else { Kind::READ });
        let cell = Cell::new(by, mark.bytes(), kind);
        let later = |c: Cell| c.by().actor == actor && c.by().epoch >= by.epoch && c.stands_for(cell);
        if self.rest().granules[granule].cells.iter().any(|c| later(Cell(c.load(Ordering::Relaxed)))) {
            return;
        }
        let view = View { clock: Known::Nothing, fenced: &[] };
        let access = Access { by, kind, view, site: 0, in_order: true, noted: true };
        self.note(granule, cell, &access, tagged(mark.site(), cell));
    }

    /// Makes cells of all marks.
    #[cold]
    fn revoke(&self, owner: u32) {
        let head = &self.head;
        if head.owner.compare_exchange(owner, REVOKING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return;
        }
        let open = [&head.open[0], &head.open[1]].map(|open| open.swap(0, Ordering::SeqCst) == owner);
        self.lost.fetch_add(1, Ordering::SeqCst);
        head.revoked.fetch_add(1, Ordering::Relaxed);
        heavy::fence();
        for granule in (0..GRANULES).filter(|_| open != [false; 2]) {
            let of = |write: bool| if open[usize::from(write)] { self.both(granule, write) } else { [Mark(0); 2] };
            let ([load, load_before], [store, store_before]) = (of(false), of(true));
            // What stands for each: a store does for a load, too.
            let none = Mark(0);
            let all = [(store, true, [none; 2]), (store_before, true, [store, none])];
            let loads = [(load, false, [store, none]), (load_before, false, [store, load])];
            let mut marks = [all[0], all[1], loads[0], loads[1]];
            for (mark, _, later) in &mut marks {
                if later.iter().any(|later| later.stands_for(*mark)) {
                    *mark = none;
                }
            }
            marks.sort_by_key(|(mark, ..)| mark.epoch());
            for (mark, write, _) in marks.into_iter().filter(|(mark, ..)| mark.bytes() != 0) {
                self.cell_of(granule, owner - 1, mark, write);
            }
        }
        // SYNC owner: pairs with the loads in find. It fails if others have waited too long: the page has gone on.
        let _ = head.owner.compare_exchange(REVOKING, SHARED, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// A granule is new memory.
    pub(crate) fn forget_marks(&self, granule: usize) {
        for marks in self.last.iter().chain(&self.rest().before) {
            // To store would take memory.
            if marks[granule].load(Ordering::Relaxed) != 0 {
                marks[granule].store(0, Ordering::Relaxed);
            }
        }
    }

    /// After how many epochs the page may have an owner again.
    pub fn epochs_alone(&self) -> u32 {
        2 << self.head.revoked.load(Ordering::Relaxed).min(LAST_DOUBLED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::shadow::{Conflict, InARow};
    use std::sync::Barrier;

    /// Asked before the first access: without the kernel's fence no page has an owner.
    fn page() -> Box<InARow> {
        assert!(heavy::reaches_here(), "the kernel has no membarrier");
        // SAFETY: all bytes zero are zero atomics.
        unsafe { Box::<InARow>::new_zeroed().assume_init() }
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
        let access = Access::of_thread(by, kind, clock, 9);
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
        // Stands for what the epoch before did to granule 3.
        assert!(page.own_access((3, 0xff, true), whole(1, 2), 72));
        assert!(page.own_access((5, 0xf0, true), whole(1, 2), 73));
        assert!(page.own_access((6, 0xff, false), whole(1, 3), 74));
        // Halves of a granule in turn: the third epoch stands for the first, the last one for none.
        for (epoch, half) in [(1, 0xf0), (2, 0x0f), (3, 0xf0), (4, 0x0f), (5, 0x03)] {
            assert!(page.own_access((7, half, true), whole(1, epoch), 75 + epoch));
        }
        // Parts of a granule in one epoch, and a store after a load.
        assert!(
            page.own_access((8, 0x01, false), whole(1, 4), 75) && page.own_access((8, 0x06, false), whole(1, 4), 76)
        );
        assert!(
            page.own_access((9, 0x01, false), whole(1, 4), 75) && page.own_access((9, 0x01, true), whole(1, 5), 76)
        );
        let found = |granule, kind, knows| {
            let all = other(&page, granule, kind, knows);
            all.iter().map(|c| (c.earlier.by().epoch, c.earlier.bytes(), c.site)).collect::<Vec<_>>()
        };
        assert_eq!(found(3, Kind::READ, 0), [(2, 0xff, Some(72))]);
        assert_eq!(found(4, Kind::WRITE, 0), [(1, 0x0f, Some(71))]);
        assert_eq!(found(5, Kind::READ, 1), [(2, 0xf0, Some(73))]);
        assert_eq!(found(6, Kind::WRITE, 2), [(3, 0xff, Some(74))]);
        assert_eq!((found(6, Kind::READ, 2), found(10, Kind::WRITE, 0)), (vec![], vec![]));
        let all = |mut found: Vec<_>| {
            found.sort();
            found
        };
        let stores = [(3, 0xf0, Some(78)), (4, 0x0f, Some(79)), (5, 0x03, Some(80))];
        assert_eq!(all(found(7, Kind::READ, 0)), stores);
        assert_eq!(found(8, Kind::WRITE, 0), [(4, 0x07, Some(76))]);
        assert_eq!(found(9, Kind::WRITE, 0), [(5, 0x01, Some(76))]);
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
        page.head.revoked.store(100, Ordering::Relaxed);
        assert_eq!(page.epochs_alone(), 16);
    }

    /// Who is stopped at work with a page for longer than others wait no longer owns it: what it does then is compared.
    #[test]
    fn who_was_stopped_has_lost_the_page() {
        let page = page();
        assert!(page.own_access((3, 0xff, true), whole(1, 1), 70));
        let changed = page.change_head(1, |_| {
            std::thread::scope(|s| s.spawn(|| assert_eq!(other(&page, 4, Kind::READ, 1), [])).join().unwrap());
        });
        assert!(!changed && page.is_shared());
        assert!(!page.own_access((4, 0xff, true), whole(1, 2), 70));
        let taken = page.take(SHARED, Stamp { actor: 1, epoch: 2 }, || {
            std::thread::scope(|s| s.spawn(|| assert_eq!(other(&page, 5, Kind::READ, 1), [])).join().unwrap());
            true
        });
        assert!(!taken && page.is_shared());
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
    #[cfg_attr(miri, ignore)] // needs membarrier
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
        const EPOCHS: u32 = if cfg!(miri) { 100 } else { 20_000 };
        let (page, start) = (page(), Barrier::new(2));
        let (all, whole) = (clock(Stamp { actor: 2, epoch: u32::MAX }), |epoch| whole(1, epoch));
        std::thread::scope(|s| {
            s.spawn(|| {
                start.wait();
                for epoch in 1..EPOCHS {
                    if !page.own_access((3, 0xff, true), whole(epoch), 70) {
                        page.own_again(whole(epoch), View::of(&all));
                    }
                }
            });
            start.wait();
            for epoch in 1..EPOCHS {
                let before = clock(Stamp { actor: 2, epoch: epoch - 1 });
                let access = Access::pending(Stamp { actor: 2, epoch }, Kind::WRITE, View::of(&before), 9);
                page.access(72, 80, &access, &mut |c| panic!("{c:?} in epoch {epoch}"));
            }
        });
    }
}
