//! AMOs that a thread does in a row. An AMO on a word that had one of the same row needs no cell and no clock of its
//! own: it is as if the first one had happened now. Programs that change words at random (histograms, GUPS) do many.
//!
//! A row is of AMOs that fetch nothing, by one thread, with nothing else between them that is noted. So at each of them
//! the thread knows the same, and those who see the word learn the same. Two things can tell two AMOs of a row on one
//! word apart. Somebody has seen the word between them: then the first AMO is over for it, and the second one is not.
//! [`Table`] notes what is heard, so the second one is noted, too. Or somebody sees another word that was changed
//! between them. Therefore words have epochs of their own: see [`TELLS`].
//!
//! [`Table`]: crate::table::Table

use super::{Now, Pe, TELLS, Target, Thread};
use crate::cell::{Kind, Stamp};
use crate::shadow::Page;

/// The row that a target has had AMOs of.
#[derive(Default)]
pub(super) struct Row {
    number: u64,
    /// The epochs of its lanes when the row began.
    begun: [u32; TELLS],
}

/// A word that has an AMO of a row: which fetches nothing, by a PE of one thread.
pub struct InRow<'a, const N: usize> {
    pub ctx: u64,
    pub target: u32,
    pub page: &'a Page<N>,
    pub granule: usize,
    /// Which ones of the granule the word is.
    pub bytes: u8,
    pub kind: Kind,
}

impl Target {
    fn epochs(&self) -> [u32; TELLS] {
        self.tells.map(|lane| lane.map_or(1, |lane| lane.epoch))
    }

    /// Which of the lanes has done an operation.
    fn lane(&self, by: Stamp) -> Option<usize> {
        self.tells.iter().position(|lane| lane.is_some_and(|lane| lane.actor == by.actor))
    }

    /// Notes where the row begins at this target.
    #[inline]
    pub(super) fn begin_row(&mut self, number: u64) {
        if self.row.number != number {
            self.row = Row { number, begun: self.epochs() };
        }
    }
}

impl Thread {
    /// Whether a row of AMOs goes on.
    #[inline(always)]
    pub fn is_in_row(&self) -> bool {
        self.in_row
    }

    /// Ends a row: what the thread does now is not known to those who see its words.
    pub fn end_row(&mut self) {
        if core::mem::take(&mut self.in_row) {
            self.tick();
        }
    }

    /// After an AMO of a row. The thread's next epoch begins when the row ends. Until then no access fits what is
    /// shown.
    pub fn go_on_in_row(&mut self) {
        if !core::mem::replace(&mut self.in_row, true) {
            self.write_shown(Now::NOBODY);
        }
    }
}

impl Pe {
    /// A row begins.
    pub fn begin_row(&mut self) {
        self.rows += 1;
    }

    /// Whether the word has the cell of an AMO of the row, which says all that another one would. The thread is in the
    /// row.
    pub fn tells_again<const N: usize>(&mut self, word: &InRow<'_, N>) -> bool {
        let (table, rows, spare) = (self.table, self.rows, self.spare.actor);
        let to = self.contexts.get_mut(&word.ctx).and_then(|ctx| ctx.targets.get_mut(&word.target));
        let Some(to) = to.filter(|to| to.row.number == rows) else { return false };
        let of_row = |by: Stamp| by.actor != spare && to.lane(by).is_some_and(|i| by.epoch >= to.row.begun[i]);
        let found = word.page.find_cell(word.granule, word.bytes, word.kind, of_row);
        let Some(by) = found.filter(|by| !table.has_heard(*by)) else { return false };
        // The next one has the other lane, so that who hears of it does not know this one.
        to.next = (to.lane(by).unwrap_or(0) + 1) % TELLS;
        true
    }
}
