//! The last accesses to each granule of memory, and the check of a new access against them.
//!
//! Shadow memory of a page lies together: some cells for each granule, then a site for each cell. A site is the
//! caller's number for where an access comes from. With [`CELLS`] cells a page of 4 KiB has 18 KiB of shadow. Where a
//! granule has too few cells, an access is forgotten, and races with it are not found.
//!
//! Two PEs that touch a granule at the same time both write their cell before they look at the other cells, by an
//! atomic read-modify-write, so at least one of them sees the other.

use crate::cell::{Cell, GRANULE, Kind, Stamp};
use crate::clock::View;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Accesses that are remembered for a granule.
pub const CELLS: usize = 3;
/// Bytes of memory that one [`Page`] describes.
pub const PAGE: usize = 4096;
/// Bytes of a page's shadow.
pub const PAGE_SHADOW: usize = size_of::<Page<CELLS>>();

const GRANULES: usize = PAGE / GRANULE;
/// Bits of a site number. The rest of the word tells whether the site belongs to the cell.
pub const SITE_BITS: u32 = 24;
/// How often a site is read again that is just being written.
const SITE_READS: u32 = 1000;

/// Shadow of a page. All zero: nothing was accessed.
#[repr(C)]
pub struct Page<const N: usize = CELLS> {
    cells: [[AtomicU64; N]; GRANULES],
    sites: [[AtomicU32; N]; GRANULES],
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
    /// `at` is the address of as many bytes as a page has, aligned to 8, zero when first used, which stay for `'a` and
    /// are accessed as a `Page` only.
    pub unsafe fn at<'a>(at: usize) -> &'a Page<N> {
        // SAFETY: the caller's promise; any bytes are valid atomics.
        unsafe { &*(at as *const Page<N>) }
    }

    /// Checks and notes an access to the bytes `from..to` of the page. Calls `race` for each conflict.
    pub fn access(&self, from: usize, to: usize, access: &Access<'_>, race: &mut dyn FnMut(Conflict)) {
        let mut at = from;
        while at < to {
            let granule = at / GRANULE;
            let end = to.min((granule + 1) * GRANULE);
            let low = at % GRANULE;
            let bytes = ((0xffu32 >> (GRANULE - (end - at))) << low) as u8;
            self.granule(granule, bytes, access, race);
            at = end;
        }
    }

    /// Whether a thread has noted such an access to the bytes `from..to` in this epoch, so that there is nothing to do.
    /// Of bytes in several granules it is not said.
    #[inline]
    pub fn has(&self, from: usize, to: usize, by: Stamp, kind: Kind) -> bool {
        let (granule, low) = (from / GRANULE, from % GRANULE);
        if from >= to || to > (granule + 1) * GRANULE {
            return false;
        }
        let bytes = ((0xffu32 >> (GRANULE - (to - from))) << low) as u8;
        self.cells[granule].iter().any(|cell| says(Cell(cell.load(Ordering::Relaxed)), by, bytes, kind))
    }

    /// Forgets what was done to the bytes `from..to`, which are new memory now.
    pub fn forget(&self, from: usize, to: usize) {
        for granule in from.div_ceil(GRANULE)..to / GRANULE {
            self.cells[granule].iter().for_each(|cell| cell.store(0, Ordering::Relaxed));
        }
    }

    #[inline]
    fn granule(&self, granule: usize, bytes: u8, access: &Access<'_>, race: &mut dyn FnMut(Conflict)) {
        let new = Cell::new(access.by, bytes, access.kind);
        let cells = &self.cells[granule];
        // Relaxed: what is found decides; nothing else is read because of it.
        let mut seen: [Cell; N] = core::array::from_fn(|i| Cell(cells[i].load(Ordering::Relaxed)));
        if access.in_order && seen.iter().any(|c| says(*c, access.by, bytes, access.kind)) {
            return;
        }
        let mut replaced = None;
        if access.noted {
            (seen, replaced) = self.note(granule, new, seen, access);
        }
        for (i, earlier) in seen.into_iter().enumerate() {
            let own = access.in_order && earlier.by().actor == access.by.actor;
            if earlier != Cell::NONE && !own && earlier.conflicts(new) && !access.view.is_over(earlier.by()) {
                let site = match replaced {
                    Some((place, word)) if place == i => fitting(word, earlier),
                    _ => self.site(granule, i, earlier),
                };
                race(Conflict { offset: granule * GRANULE, earlier, site });
            }
        }
    }

    /// Puts `new` among the cells. Returns the cells that it is compared with, and the place that it took with the site
    /// that was there.
    fn note(
        &self,
        granule: usize,
        new: Cell,
        mut seen: [Cell; N],
        access: &Access<'_>,
    ) -> ([Cell; N], Option<(usize, u32)>) {
        let (cells, sites) = (&self.cells[granule], &self.sites[granule]);
        loop {
            let (place, cell) = place(new, &seen, access);
            let site = sites[place].load(Ordering::Relaxed);
            // SYNC granule: sequentially consistent, against the exchange of another PE in this granule: each then
            // loads the other cells, and one of the two sees the other's.
            match cells[place].compare_exchange(seen[place].0, cell.0, Ordering::SeqCst, Ordering::Relaxed) {
                Ok(old) => {
                    // After the cell: whoever sees the cell reads the site again until it fits.
                    sites[place].store(tagged(access.site, cell), Ordering::Relaxed);
                    let mut others: [Cell; N] = core::array::from_fn(|i| Cell(cells[i].load(Ordering::SeqCst)));
                    // What was replaced is compared, too: it may be unordered, if there was no other place.
                    others[place] = Cell(old);
                    return (others, Some((place, site)));
                }
                Err(_) => seen = core::array::from_fn(|i| Cell(cells[i].load(Ordering::Relaxed))),
            }
        }
    }

    fn site(&self, granule: usize, place: usize, cell: Cell) -> Option<u32> {
        let at = &self.sites[granule][place];
        (0..SITE_READS).find_map(|_| {
            let site = fitting(at.load(Ordering::Relaxed), cell);
            if site.is_none() {
                std::thread::yield_now();
            }
            site
        })
    }
}

/// The site in a word, if it is that of the cell.
fn fitting(word: u32, cell: Cell) -> Option<u32> {
    (word >> SITE_BITS == tag(cell)).then_some(word & ((1 << SITE_BITS) - 1))
}

/// Whether a cell says all that an access to these bytes would.
#[inline]
fn says(cell: Cell, by: Stamp, bytes: u8, kind: Kind) -> bool {
    let same_kind = cell.kind() == kind || (cell.kind() == Kind::WRITE && kind == Kind::READ);
    cell.by() == by && bytes & !cell.bytes() == 0 && same_kind
}

fn tag(cell: Cell) -> u32 {
    let by = cell.by();
    (by.epoch ^ by.actor.wrapping_mul(0x9d) ^ u32::from(cell.kind().writes()) << 7) & 0xff
}

fn tagged(site: u32, cell: Cell) -> u32 {
    site | tag(cell) << SITE_BITS
}

/// Where to put a cell, and what: with those of the same access, at a free place, in place of a cell it stands for, or
/// of one that it is least likely to be missed.
fn place<const N: usize>(new: Cell, seen: &[Cell; N], access: &Access<'_>) -> (usize, Cell) {
    let own = |c: Cell| access.in_order && c.by().actor == access.by.actor;
    let over = |c: Cell| own(c) || access.view.is_over(c.by());
    let find = |good: &dyn Fn(Cell) -> bool| seen.iter().position(|c| good(*c));
    if let Some(i) = find(&|c| c != Cell::NONE && c.same_access(new)) {
        return (i, seen[i].with_bytes(new.bytes()));
    }
    // Who knows an actor's epoch knows those before it, so of equal accesses the last one is enough.
    let before =
        |c: Cell| c.by().actor == access.by.actor && c.by().epoch <= access.by.epoch && c.kind() == access.kind;
    let stands_for = |c: Cell| new.stands_for(c) && (over(c) || before(c));
    let free = find(&|c| c != Cell::NONE && stands_for(c)).or_else(|| find(&|c| c == Cell::NONE));
    let i = free
        .or_else(|| find(&|c| over(c) && !c.kind().writes()))
        .or_else(|| find(&over))
        .or_else(|| find(&|c| !c.kind().writes()))
        .unwrap_or(access.by.epoch as usize % N);
    (i, new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn page() -> Box<Page> {
        // SAFETY: all bytes zero is a Page of zero atomics.
        unsafe { Box::<Page>::new_zeroed().assume_init() }
    }

    /// Touches, and counts the races, and those of them whose earlier site is not known.
    fn touched(page: &Page, actor: u32, clock: &Clock, kind: Kind, from: usize, to: usize) -> (usize, usize) {
        let by = Stamp { actor, epoch: clock.get(actor) };
        let access = Access { by, kind, view: View::of(clock), site: actor, in_order: true, noted: true };
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
    fn a_known_epoch_is_no_race() {
        let (page, [a, mut b]) = (page(), clocks());
        assert_eq!(touch(&page, 0, &a, Kind::WRITE, 0, 4096), 0);
        b.join(&a, 2);
        assert_eq!(touch(&page, 1, &b, Kind::WRITE, 0, 4096), 0);
        assert_eq!(touch(&page, 0, &a, Kind::READ, 4090, 4096), 1);
    }

    #[test]
    fn what_was_noted_in_this_epoch_is_known() {
        let (page, [mut a, _]) = (page(), clocks());
        touch(&page, 0, &a, Kind::WRITE, 8, 12);
        let has = |a: &Clock, from, to, kind| page.has(from, to, Stamp { actor: 0, epoch: a.get(0) }, kind);
        assert!(has(&a, 8, 12, Kind::WRITE) && has(&a, 9, 10, Kind::READ));
        assert!(!has(&a, 8, 13, Kind::WRITE) && !has(&a, 8, 20, Kind::READ) && !has(&a, 0, 4, Kind::READ));
        a.tick(0);
        assert!(!has(&a, 8, 12, Kind::WRITE));
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
        for _ in 0..200 {
            let page = page();
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
                        (0..512).map(races).sum::<usize>()
                    })
                };
                [run(0), run(1)].map(|t| t.join().unwrap()).into_iter().sum()
            });
            assert!(races >= 512, "{races}");
        }
    }
}
