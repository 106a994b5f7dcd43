//! Which words have had an AMO of the row, whose cell is still there. A cell takes the place of many words in the
//! caches, and a row goes over words at random. Here a word takes two bits.
//!
//! A page counts when a cell of an AMO goes to another actor, while a thread relies on its cells. Where that happens
//! again and again, the thread looks for cells instead, for longer and longer.

use super::TELLS;
use crate::cell::Kind;
use crate::shadow::GRANULES;

/// Pages that are remembered. A row on more pages looks for cells.
const PAGES: usize = 1024;
/// By how many places the pages of PEs are apart, whose heaps are a power of two apart.
const APART: usize = 389;
/// Times that a page's cells may go without use of the bits, before the thread looks for cells instead. With more, PEs
/// that add to the same words write to the page's count more often. With fewer, pages are given up on which the cells
/// of few PEs find their places.
const PATIENCE: u32 = 8;
/// AMOs that look for cells then, at most, as a power of two. It doubles each time.
const LONGEST: u32 = 10;

/// What must be the same for the bits of a page to say anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Of {
    /// The page's number among those of the node.
    pub(super) page: usize,
    /// The PE whose page it is.
    pub(super) target: u32,
    pub(super) row: u64,
    pub(super) ctx: u64,
    pub(super) kind: Kind,
    /// Which ones of a granule the words are.
    pub(super) bytes: u8,
}

/// A page, and for each lane the words that have had an AMO.
struct Page {
    of: Of,
    /// The page's count of cells that went.
    count: u32,
    /// How often that has changed, less the bits that were of use; and AMOs that look for cells yet.
    in_vain: u32,
    away: u32,
    /// The row has had no other page at this place, and no cell has gone.
    is_complete: bool,
    had: [[u64; GRANULES / 64]; TELLS],
}

/// Bound: [`PAGES`] pages of at most 200 bytes in a process, once there was a row, whatever the job.
#[derive(Default)]
pub(super) struct Had(Vec<Option<Page>>);

const _: () = assert!(size_of::<Option<Page>>() <= 200);

fn place(of: &Of) -> usize {
    of.page.wrapping_add(of.target as usize * APART) % PAGES
}

impl Had {
    fn page(&mut self, of: &Of) -> Option<&mut Page> {
        self.0.get_mut(place(of))?.as_mut().filter(|page| page.of == *of)
    }

    /// The lane of an AMO on a word of this granule that is noted and has its cell.
    #[inline]
    pub(super) fn lane(&mut self, of: &Of, count: u32, granule: usize) -> Option<usize> {
        let page = self.page(of).filter(|page| page.count == count)?;
        let lane = page.had.iter().position(|had| had[granule / 64] >> (granule % 64) & 1 != 0)?;
        page.in_vain = page.in_vain.saturating_sub(1);
        Some(lane)
    }

    /// Whether all words of the page that have an AMO of the row are remembered, as far as this knows. `count`: of the
    /// page now.
    #[inline]
    pub(super) fn is_complete(&self, of: &Of, count: u32) -> bool {
        match self.0.get(place(of)) {
            Some(Some(page)) if page.of == *of => page.count == count && page.is_complete,
            Some(Some(page)) => page.of.row != of.row,
            _ => true,
        }
    }

    /// Whether an AMO is to be remembered, of a page that counts so.
    pub(super) fn relies_on(&mut self, of: &Of, count: u32) -> bool {
        let Some(page) = self.page(of).filter(|page| page.count != count && page.away > 0) else { return true };
        page.away -= 1;
        false
    }

    /// The granule has a cell of this lane.
    pub(super) fn add(&mut self, of: &Of, count: u32, granule: usize, lane: usize) {
        if self.0.is_empty() {
            self.0.resize_with(PAGES, || None);
        }
        let at = &mut self.0[place(of)];
        let had = [[0; GRANULES / 64]; TELLS];
        let page = match at {
            Some(page) if page.of == *of => page,
            _ => {
                let is_complete = at.as_ref().is_none_or(|before| before.of.row != of.row);
                at.insert(Page { of: *of, count, in_vain: 0, away: 0, is_complete, had })
            }
        };
        if page.count != count {
            (page.count, page.in_vain, page.had) = (count, page.in_vain + 1, had);
            page.is_complete = false;
            page.away = page.in_vain.checked_sub(PATIENCE).map_or(0, |more| 1 << more.min(LONGEST));
        }
        page.had[lane][granule / 64] |= 1 << (granule % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF: Of = Of { page: 7, target: 0, row: 1, ctx: 2, kind: Kind::WRITE, bytes: 0xff };

    #[test]
    fn words_are_told_apart() {
        let mut had = Had::default();
        assert_eq!(had.lane(&OF, 3, 65), None);
        had.add(&OF, 3, 65, 1);
        assert_eq!([65, 64, 1].map(|granule| had.lane(&OF, 3, granule)), [Some(1), None, None]);
        let others = [
            Of { page: 8, ..OF },
            Of { page: 7 + PAGES, ..OF },
            Of { target: 1, ..OF },
            Of { row: 2, ..OF },
            Of { ctx: 3, ..OF },
            Of { kind: Kind::READ, ..OF },
            Of { bytes: 0x0f, ..OF },
        ];
        assert!(others.iter().all(|other| had.lane(other, 3, 65).is_none()));
    }

    /// Cells need not be looked for on a page that is new to the row, or whose AMOs are all remembered.
    #[test]
    fn what_is_not_remembered_has_no_cell_unless_something_was_forgotten() {
        let (mut had, same_place) = (Had::default(), Of { page: 7 + PAGES, ..OF });
        assert!(had.is_complete(&OF, 3));
        had.add(&OF, 3, 65, 1);
        assert!(had.is_complete(&OF, 3) && !had.is_complete(&same_place, 3), "another page may have been here");
        assert!(!had.is_complete(&OF, 5), "a cell has gone");
        had.add(&OF, 5, 65, 1);
        assert!(!had.is_complete(&OF, 5), "the others' cells are there, and not remembered");
        had.add(&same_place, 3, 65, 1);
        had.add(&OF, 5, 65, 1);
        assert!(!had.is_complete(&OF, 5), "what was added before is forgotten");
        let next = Of { row: 2, ..OF };
        assert!(had.is_complete(&next, 5));
        had.add(&next, 5, 65, 1);
        assert!(had.is_complete(&next, 5));
    }

    /// All 10,000 AMOs find that cells have gone; then none goes any more.
    #[test]
    fn a_page_that_loses_cells_again_and_again_is_left_for_a_while() {
        let (mut had, mut count, mut added) = (Had::default(), 1, 0);
        for _ in 0..10_000 {
            assert_eq!(had.lane(&OF, count, 1), None);
            if had.relies_on(&OF, count) {
                had.add(&OF, count, 1, 0);
                assert_eq!(had.lane(&OF, count, 2), None);
                added += 1;
            }
            count += 2;
        }
        assert!((PATIENCE..40).contains(&added), "{added}");
        let left = (0..).find(|_| had.relies_on(&OF, count)).unwrap();
        assert!(left <= 1 << LONGEST);
        had.add(&OF, count, 1, 0);
        assert!((0..100).all(|_| had.lane(&OF, count, 1) == Some(0)));
        had.add(&OF, count + 2, 1, 0);
        assert!(had.relies_on(&OF, count + 4), "what was of use is tried again at once");
    }
}
