//! The last accesses to each granule of memory, and the check of a new access against them.
//!
//! Shadow memory of a page has two parts. [`Page`]: a count, and what its owner did last. [`Rest`]: what is needed if
//! others come, or if accesses of several epochs are to parts of a granule. It has some cells for each granule, each
//! with a site. A site is the caller's number for where an access comes from. The [`CELLS`] cells of a page of 4 KiB
//! take 20 KiB. Where a granule has too few cells, an access is forgotten, and races with it are not found. The count
//! tells how often that may have been an access that its thread takes for noted: see [`crate::seen`].
//!
//! Two PEs that touch a granule at the same time both write their cell before they look at the other cells, by an
//! atomic read-modify-write, so at least one of them sees the other.

use crate::ahead::{read_soon, write_soon};
use crate::cell::{Cell, GRANULE, Kind, Noted, Stamp};
use crate::clock::{Clock, View};
use crate::owned::{Head, Marks};
use core::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

/// Accesses that are remembered for a granule.
pub const CELLS: usize = 3;
/// Bytes of memory that one [`Page`] describes.
pub const PAGE: usize = 4096;
/// Bytes of a [`Page`].
pub const PAGE_SHADOW: usize = size_of::<Page<CELLS>>();
/// Bytes of a [`Rest`].
pub const REST_SHADOW: usize = size_of::<Rest<CELLS>>();

/// Granules of a page.
pub const GRANULES: usize = PAGE / GRANULE;
/// Bits of a site number. The rest of the word tells whether the site belongs to the cell.
pub const SITE_BITS: u32 = 24;
/// How often a site is read again that is just being written.
const SITE_READS: u32 = 1000;

/// Shadow of a page. All zero: nothing was accessed.
#[repr(C)]
pub struct Page<const N: usize = CELLS> {
    /// The first word: `c/accesses.c` of the runtime reads it.
    pub(crate) lost: AtomicU32,
    /// Which thread owns the page: see [`crate::owned`].
    pub(crate) head: Head,
    /// How far after the page's end its [`Rest`] begins, in bytes. The same in all processes.
    rest: AtomicI64,
    /// To the end of the cache line.
    _unused: [AtomicU32; 6],
    pub(crate) last: Marks,
}

/// The part of a page's shadow that stays untouched for most pages of one thread. It lies elsewhere, so that what such
/// pages have lies close together. All zero: nothing was accessed.
#[repr(C)]
pub struct Rest<const N: usize = CELLS> {
    pub(crate) before: Marks,
    pub(crate) granules: [Granule<N>; GRANULES],
}

/// Both parts in a row. All zero: nothing was accessed.
#[repr(C)]
pub struct InARow<const N: usize = CELLS> {
    page: Page<N>,
    rest: Rest<N>,
}

impl<const N: usize> core::ops::Deref for InARow<N> {
    type Target = Page<N>;
    fn deref(&self) -> &Page<N> {
        // SAFETY: the whole is exposed, because the page's rest is found from the page's address.
        unsafe { &*core::ptr::with_exposed_provenance(core::ptr::from_ref(self).expose_provenance()) }
    }
}

/// The accesses to a granule. They lie together, because a processor gets them from another one's cache together.
#[repr(C)]
pub(crate) struct Granule<const N: usize> {
    pub(crate) cells: [AtomicU64; N],
    sites: [AtomicU32; N],
}

/// A new access.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    pub by: Stamp,
    pub kind: Kind,
    pub view: View<'a>,
    /// Below `1 << SITE_BITS`.
    pub site: u32,
    /// The actor is a thread, whose accesses are ordered among themselves.
    pub in_order: bool,
    /// The access is noted, so that later ones are compared with it.
    pub noted: bool,
}

impl<'a> Access<'a> {
    /// Of a thread itself, which knows what its clock says.
    #[inline(always)]
    pub fn of_thread(by: Stamp, kind: Kind, clock: &'a Clock, site: u32) -> Access<'a> {
        Access { by, kind, view: View::of(clock), site, in_order: true, noted: true }
    }

    /// Of something under way.
    pub fn pending(by: Stamp, kind: Kind, view: View<'a>, site: u32) -> Access<'a> {
        Access { by, kind, view, site, in_order: false, noted: true }
    }
}

/// An earlier access that the new one races with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// Offset of the granule in the page.
    pub offset: usize,
    pub earlier: Cell,
    /// The site of the earlier access; None if it was overwritten meanwhile.
    pub site: Option<u32>,
}

impl<const N: usize> Page<N> {
    /// # Safety
    /// `at` is the address of a page for which [`Page::with_rest`] was called, or of an [`InARow`]: aligned to 8, zero
    /// when first used, staying for `'a`, and accessed as these only.
    pub unsafe fn at<'a>(at: usize) -> &'a Page<N> {
        // SAFETY: the caller's promise; any bytes are valid atomics.
        unsafe { &*(at as *const Page<N>) }
    }

    /// # Safety
    /// `at` and `rest` are the addresses of as many bytes as a [`Page`] and a [`Rest`] have, aligned to 8, zero when
    /// first used, which stay for `'a` and are accessed as these only. All processes have them equally far apart.
    pub unsafe fn with_rest<'a>(at: usize, rest: usize) -> &'a Page<N> {
        // SAFETY: the caller's promise; any bytes are valid atomics.
        let page = unsafe { &*(at as *const Page<N>) };
        let after = rest.wrapping_sub(at + size_of::<Page<N>>()) as i64;
        if page.rest.load(Ordering::Relaxed) != after {
            page.rest.store(after, Ordering::Relaxed); // all store the same
        }
        page
    }

    #[inline(always)]
    pub(crate) fn rest(&self) -> &Rest<N> {
        let end = core::ptr::from_ref(self) as usize + size_of::<Page<N>>();
        // SAFETY: who made the page promised that the rest is there and stays as long.
        unsafe { &*(end.wrapping_add(self.rest.load(Ordering::Relaxed) as usize) as *const Rest<N>) }
    }

    /// Checks and notes an access to the bytes `from..to` of the page. Calls `race` for each conflict.
    pub fn access(&self, from: usize, to: usize, access: &Access<'_>, race: &mut dyn FnMut(Conflict)) {
        let mut noted = false;
        while !self.owner_accesses(from, to, access, &mut noted) {
            if noted {
                self.compare(from, to, access, race);
            } else {
                self.shared_access(from, to, access, race);
                noted = true;
            }
            // SYNC granule: who makes the page its own sees the cell, or this sees the owner.
            if self.is_shared() {
                break;
            }
        }
    }

    /// Compares an access once more whose cells are there, because there are new cells of others.
    #[cold]
    fn compare(&self, from: usize, to: usize, access: &Access<'_>, race: &mut dyn FnMut(Conflict)) {
        let mut of_others = |conflict: Conflict| {
            if conflict.earlier.by().actor != access.by.actor {
                race(conflict);
            }
        };
        for (granule, bytes) in granules(from, to) {
            self.unsaid(granule, bytes, &Access { noted: false, ..*access }, &mut of_others);
        }
    }

    /// [`Page::access`] to the cells.
    pub(crate) fn shared_access(&self, from: usize, to: usize, access: &Access<'_>, race: &mut dyn FnMut(Conflict)) {
        for (granule, bytes) in granules(from, to) {
            self.granule(granule, bytes, access, race);
        }
    }

    /// The granule of a byte of the page is needed soon.
    pub fn soon(&self, byte: usize) {
        let granule = byte / GRANULE % GRANULES;
        let Granule { cells, sites } = &self.rest().granules[granule];
        write_soon(&cells[0]);
        write_soon(&sites[N - 1]);
        read_soon(&self.lost);
    }

    /// The cell of an AMO or a put to these bytes of a granule, if there is one for which `wanted` holds.
    pub(crate) fn find_cell(
        &self,
        granule: usize,
        bytes: u8,
        kind: Kind,
        wanted: impl Fn(Stamp) -> bool,
    ) -> Option<Stamp> {
        let cells = self.rest().granules[granule].cells.iter().map(|cell| Cell(cell.load(Ordering::Relaxed)));
        cells.filter(|c| c.bytes() == bytes && c.kind() == kind).map(Cell::by).find(|by| wanted(*by))
    }

    /// Whether a thread has noted such a load or store of `bytes` of a granule in this epoch, so that there is nothing
    /// to do. `whole`: what a store of the thread to a granule is in this epoch.
    #[inline(always)]
    pub fn has(&self, granule: usize, bytes: u8, whole: Cell, write: bool) -> bool {
        let cells = &self.rest().granules[granule].cells;
        let noted = Noted::new(whole, bytes, write);
        cells.iter().any(|cell| noted.is(Cell(cell.load(Ordering::Relaxed))))
    }

    /// How many accesses were forgotten that the thread which made them may take for noted.
    #[inline(always)]
    pub fn lost(&self) -> u32 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Forgets what was done to the bytes `from..to`, which are new memory now.
    pub fn forget(&self, from: usize, to: usize) {
        for granule in from.div_ceil(GRANULE)..to / GRANULE {
            self.rest().granules[granule].cells.iter().for_each(|cell| cell.store(0, Ordering::Relaxed));
            self.forget_marks(granule);
        }
    }

    #[inline]
    fn granule(&self, granule: usize, bytes: u8, access: &Access<'_>, race: &mut dyn FnMut(Conflict)) {
        let said = |cell: &AtomicU64| says(Cell(cell.load(Ordering::Relaxed)), access.by, bytes, access.kind);
        if !(access.in_order && self.rest().granules[granule].cells.iter().any(said)) {
            self.unsaid(granule, bytes, access, race);
        }
    }

    /// Notes a load or store of a thread in place of such an access of the thread before, and returns whether that is
    /// all: it races with nothing that others did to the granule. So it is with most memory.
    #[inline(always)]
    pub fn renew(&self, granule: usize, new: Cell, site: u32, view: View<'_>) -> bool {
        let Granule { cells, sites } = &self.rest().granules[granule];
        // Relaxed: as in note.
        let seen: [Cell; N] = core::array::from_fn(|i| Cell(cells[i].load(Ordering::Relaxed)));
        let again = seen.iter().position(|c| new.is_again(*c)).map(|place| (place, new));
        let Some((place, cell)) = again.or_else(|| part(new, seen)) else { return false };
        // SYNC granule: as in note.
        if cells[place].compare_exchange(seen[place].0, cell.0, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            return false;
        }
        sites[place].store(tagged(site, cell), Ordering::Relaxed);
        let harmless = |(i, cell): (usize, &AtomicU64)| {
            let cell = Cell(cell.load(Ordering::SeqCst)); // SYNC granule: as in note
            i == place || new.is_alone_with(cell) || view.is_over(cell.by()) || !cell.conflicts(new)
        };
        cells.iter().enumerate().all(harmless)
    }

    /// [`Page::access`] to `bytes` of one granule, of which [`Page::has`] nothing.
    pub fn unsaid(&self, granule: usize, bytes: u8, access: &Access<'_>, race: &mut dyn FnMut(Conflict)) {
        let new = Cell::new(access.by, bytes, access.kind);
        let replaced = access.noted.then(|| self.note(granule, new, access, tagged(access.site, new)));
        for (i, cell) in self.rest().granules[granule].cells.iter().enumerate() {
            // What was replaced is compared, too: it may be unordered, if there was no other place.
            let earlier = match replaced {
                Some((place, old, _)) if place == i => old,
                // SYNC granule: as in note.
                _ => Cell(cell.load(Ordering::SeqCst)),
            };
            let own = access.in_order && earlier.by().actor == access.by.actor;
            if earlier != Cell::NONE && !own && earlier.conflicts(new) && !access.view.is_over(earlier.by()) {
                self.conflict(granule, i, earlier, replaced, race);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn conflict(
        &self,
        granule: usize,
        place: usize,
        earlier: Cell,
        replaced: Option<(usize, Cell, u32)>,
        race: &mut dyn FnMut(Conflict),
    ) {
        let site = match replaced {
            Some((taken, _, word)) if taken == place => fitting(word, earlier),
            _ => self.site(granule, place, earlier),
        };
        race(Conflict { offset: granule * GRANULE, earlier, site });
    }

    /// Puts `new` among the cells, with a tagged site. Returns the place that it took, and the cell and the site that
    /// were there.
    #[inline(always)]
    pub(crate) fn note(&self, granule: usize, new: Cell, access: &Access<'_>, from: u32) -> (usize, Cell, u32) {
        let Granule { cells, sites } = &self.rest().granules[granule];
        // Relaxed: what is found decides; nothing else is read because of it.
        let load = |i: usize| Cell(cells[i].load(Ordering::Relaxed));
        loop {
            let again = (0..N).map(|i| (i, load(i))).find(|(_, c)| new.comes_again(*c));
            let (place, old, cell) = match again {
                Some((i, c)) => (i, c, new),
                None => place::<N>(new, &core::array::from_fn(load), access),
            };
            let site = sites[place].load(Ordering::Relaxed);
            // SYNC granule: sequentially consistent, against the exchange of another PE in this granule: each then
            // loads the other cells, and one of the two sees the other's.
            if cells[place].compare_exchange(old.0, cell.0, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
                // After the cell: whoever sees the cell reads the site again until it fits.
                sites[place].store(from, Ordering::Relaxed);
                if may_be_missed(old, new, access) {
                    self.lost.fetch_add(1, Ordering::Relaxed);
                }
                return (place, old, site);
            }
        }
    }

    fn site(&self, granule: usize, place: usize, cell: Cell) -> Option<u32> {
        let at = &self.rest().granules[granule].sites[place];
        (0..SITE_READS).find_map(|_| {
            let site = fitting(at.load(Ordering::Relaxed), cell);
            if site.is_none() {
                std::thread::yield_now();
            }
            site
        })
    }
}

/// Where a load or store of some bytes goes among the thread's own ones of its kind, and with which bytes: to that of
/// other bytes in this epoch, or in place of one whose bytes a later one has.
#[inline(never)]
fn part<const N: usize>(new: Cell, seen: [Cell; N]) -> Option<(usize, Cell)> {
    if let Some(place) = seen.iter().position(|c| c.same_access(new)) {
        return Some((place, seen[place].with_bytes(new.bytes())));
    }
    let stands_for = |later: &Cell, c: &Cell| c.by().epoch < later.by().epoch && later.is_again(*c);
    let alike = |c: &Cell| *c != Cell::NONE && c.is_of_kind(new);
    let place = seen.iter().position(|c| alike(c) && seen.iter().any(|later| stands_for(later, c)))?;
    Some((place, new))
}

/// Whether an access that was replaced is one of an epoch that its actor may still be in, and that the new one does not
/// stand for.
#[inline]
fn may_be_missed(old: Cell, new: Cell, access: &Access<'_>) -> bool {
    // Threads mark loads and stores alone.
    if old == Cell::NONE || old.same_access(new) || !matches!(old.kind(), Kind::READ | Kind::WRITE) {
        return false;
    }
    if access.in_order && old.by().actor == access.by.actor {
        return old.by().epoch == access.by.epoch && !new.stands_for(old);
    }
    may_be_under_way(old, access)
}

/// Whether nobody has told that an earlier access is over.
#[inline]
fn may_be_under_way(old: Cell, access: &Access<'_>) -> bool {
    // Who knows an actor's last possible epoch has only heard of it.
    let last = Stamp { epoch: u32::MAX, ..old.by() };
    !access.view.is_over(old.by()) || access.view.is_over(last)
}

/// The granules of the bytes `from..to` of a page, and which bytes of each.
pub(crate) fn granules(from: usize, to: usize) -> impl Iterator<Item = (usize, u8)> {
    let end = if from < to { to.div_ceil(GRANULE) } else { 0 };
    (from / GRANULE..end).map(move |granule| {
        let start = granule * GRANULE;
        let (low, high) = (from.max(start) - start, to.min(start + GRANULE) - start);
        (granule, ((0xffu32 >> (GRANULE - (high - low))) << low) as u8)
    })
}

/// The site in a word, if it is that of the cell.
pub(crate) fn fitting(word: u32, cell: Cell) -> Option<u32> {
    (word >> SITE_BITS == tag(cell)).then_some(word & ((1 << SITE_BITS) - 1))
}

/// Whether a cell says all that an access to these bytes would.
#[inline(always)]
fn says(cell: Cell, by: Stamp, bytes: u8, kind: Kind) -> bool {
    let same_kind = cell.kind() == kind || (cell.kind() == Kind::WRITE && kind == Kind::READ);
    cell.by() == by && bytes & !cell.bytes() == 0 && same_kind
}

#[inline]
pub(crate) fn tag(cell: Cell) -> u32 {
    let by = cell.by();
    (by.epoch ^ by.actor.wrapping_mul(0x9d) ^ u32::from(cell.kind().writes()) << 7) & 0xff
}

#[inline]
pub(crate) fn tagged(site: u32, cell: Cell) -> u32 {
    site | tag(cell) << SITE_BITS
}

/// Where to put a cell, what is there, and what to put: with those of the same access, in place of a cell it stands
/// for, at a free place, or in place of the one that it is least likely to be missed.
#[inline(always)]
fn place<const N: usize>(new: Cell, seen: &[Cell; N], access: &Access<'_>) -> (usize, Cell, Cell) {
    let (mut best, mut rank, mut cell) = (access.by.epoch as usize % N, 6, new);
    for (i, c) in seen.iter().copied().enumerate() {
        let of_actor = c.by().actor == access.by.actor;
        let its = if c == Cell::NONE {
            2
        } else if c.same_access(new) {
            cell = c.with_bytes(new.bytes());
            0
        } else {
            let over = access.in_order && of_actor && c.by().epoch <= access.by.epoch || access.view.is_over(c.by());
            // Who knows an actor's epoch knows those before it, so of equal accesses the last one is enough.
            let before = of_actor && c.by().epoch <= access.by.epoch && c.kind() == access.kind;
            match c.kind().writes() {
                _ if (over || before) && new.stands_for(c) => 1,
                false if over => 3,
                true if over => 4,
                false => 5,
                true => 6,
            }
        };
        if its < rank {
            (best, rank) = (i, its);
        }
    }
    (best, seen[best], cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Box<InARow> {
        // SAFETY: all bytes zero are zero atomics.
        unsafe { Box::<InARow>::new_zeroed().assume_init() }
    }

    /// A page without owner, where accesses make cells.
    fn shared() -> Box<InARow> {
        let page = page();
        let view = View { clock: crate::clock::Known::Nothing, fenced: &[] };
        let by = Stamp { actor: 9, epoch: 1 };
        let access = Access { by, kind: Kind::READ, view, site: 0, in_order: false, noted: false };
        page.access(PAGE - 8, PAGE, &access, &mut |_| ());
        assert!(page.is_shared());
        page
    }

    /// Touches, and counts the races, and those of them whose earlier site is not known.
    fn touched(page: &Page, actor: u32, clock: &Clock, kind: Kind, from: usize, to: usize) -> (usize, usize) {
        let by = Stamp { actor, epoch: clock.get(actor) };
        let access = Access::of_thread(by, kind, clock, actor);
        let (mut races, mut unknown) = (0, 0);
        page.access(from, to, &access, &mut |c| {
            assert!(c.site.is_none_or(|site| site == c.earlier.by().actor));
            races += 1;
            unknown += usize::from(c.site.is_none());
        });
        (races, unknown)
    }

    fn touch(page: &Page, actor: u32, clock: &Clock, kind: Kind, from: usize, to: usize) -> usize {
        let (races, unknown) = touched(page, actor, clock, kind, from, to);
        assert_eq!(unknown, 0);
        races
    }

    fn clocks() -> [Clock; 2] {
        core::array::from_fn(|i| {
            let mut clock = Clock::default();
            clock.tick(i as u32);
            clock
        })
    }

    #[test]
    fn bytes_of_a_word_are_told_apart() {
        let (page, [a, b]) = (page(), clocks());
        assert_eq!(touch(&page, 0, &a, Kind::WRITE, 8, 12), 0);
        assert_eq!(touch(&page, 1, &b, Kind::WRITE, 12, 16), 0);
        assert_eq!(touch(&page, 1, &b, Kind::READ, 11, 12), 1);
        assert_eq!(touch(&page, 1, &b, Kind::WRITE, 0, 20), 1);
    }

    #[test]
    fn what_was_noted_in_this_epoch_is_known() {
        let (page, [mut a, _]) = (shared(), clocks());
        touch(&page, 0, &a, Kind::WRITE, 8, 12);
        touch(&page, 0, &a, Kind::READ, 14, 16);
        touch(&page, 0, &a, Kind::atomic(1, true), 16, 24);
        let has = |a: &Clock, granule, bytes, write| {
            page.has(granule, bytes, Cell::new(Stamp { actor: 0, epoch: a.get(0) }, 0xff, Kind::WRITE), write)
        };
        assert!(has(&a, 1, 0x0f, true) && has(&a, 1, 0x02, false) && has(&a, 1, 0xc0, false));
        assert!(!has(&a, 1, 0x1f, true) && !has(&a, 1, 0x1f, false) && !has(&a, 1, 0x80, true));
        assert!(!has(&a, 0, 0x0f, false) && !has(&a, 2, 0xff, false) && !has(&a, 2, 0xff, true));
        a.tick(0);
        assert!(!has(&a, 1, 0x0f, true) && !has(&a, 1, 0xc0, false));
    }

    #[test]
    fn new_memory_has_no_past() {
        let (page, [a, b]) = (page(), clocks());
        touch(&page, 0, &a, Kind::WRITE, 0, 64);
        page.forget(16, 32);
        assert_eq!(touch(&page, 1, &b, Kind::WRITE, 0, 64), 6);
    }

    #[test]
    fn of_two_at_a_time_one_sees_the_other() {
        let (times, granules) = if cfg!(miri) { (4, 16) } else { (200, 512) };
        for _ in 0..times {
            let page = shared();
            let start = std::sync::Barrier::new(2);
            let races: usize = std::thread::scope(|s| {
                let run = |actor| {
                    let (page, start) = (&page, &start);
                    s.spawn(move || {
                        let [a, b] = clocks();
                        let clock = if actor == 0 { a } else { b };
                        start.wait();
                        // The other one may not have been running since it wrote its cell, and before its site.
                        let races = |g: usize| touched(page, actor, &clock, Kind::WRITE, g * 8, g * 8 + 8).0;
                        (0..granules).map(races).sum::<usize>()
                    })
                };
                [run(0), run(1)].map(|t| t.join().unwrap()).into_iter().sum()
            });
            assert!(races >= granules, "{races}");
        }
    }
}
