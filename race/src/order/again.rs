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

use super::had::Of;
use super::{Ctx, Now, Pe, TELLS, Target, Thread};
use crate::cell::{Kind, Stamp};
use crate::shadow::Page;
use std::collections::BTreeMap;

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
    /// The page's number among those of the node.
    pub number: usize,
    pub granule: usize,
    /// Which ones of the granule the word is.
    pub bytes: u8,
    pub kind: Kind,
}

impl<const N: usize> InRow<'_, N> {
    fn of(&self, row: u64) -> Of {
        let InRow { ctx, target, number, bytes, kind, .. } = *self;
        Of { page: number, target, row, ctx, kind, bytes }
    }
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

    /// Whether the thread, which is in the row, remembers that an AMO of the row on this word is noted.
    #[inline]
    pub fn has_told<const N: usize>(&mut self, word: &InRow<'_, N>) -> bool {
        let (table, rows) = (self.table, self.rows);
        let Some(to) = target(&mut self.contexts, word) else { return false };
        if let Some(i) = self.had.lane(&word.of(rows), word.page.gone_amos(), word.granule)
            && let Some(lane) = to.tells[i]
            // Which epoch of the row it was is not remembered, so the row's first one is asked for.
            && !table.has_heard(Stamp { actor: lane.actor, epoch: to.row.begun[i] })
        {
            to.next = (i + 1) % TELLS;
            return true;
        }
        false
    }

    /// The page's count of cells that went, before an AMO of the row is noted, for [`Pe::tells_again`] and
    /// [`Pe::remember`]. None: the AMO is not to be remembered, because cells of this page go again and again.
    pub fn will_remember<const N: usize>(&mut self, word: &InRow<'_, N>) -> Option<u32> {
        self.had.relies_on(&word.of(self.rows), word.page.gone_amos()).then(|| word.page.count_gone_amos())
    }

    /// Whether the word has the cell of an AMO of the row, which says all that another one would. The thread is in the
    /// row. Looks for the cell only if the thread may have forgotten it.
    pub fn tells_again<const N: usize>(&mut self, word: &InRow<'_, N>, count: Option<u32>) -> bool {
        let (table, rows, spare, of) = (self.table, self.rows, self.spare.actor, word.of(self.rows));
        if self.had.is_complete(&of, word.page.gone_amos()) {
            return false;
        }
        let Some(to) = target(&mut self.contexts, word).filter(|to| to.row.number == rows) else { return false };
        let of_row = |by: Stamp| by.actor != spare && to.lane(by).is_some_and(|i| by.epoch >= to.row.begun[i]);
        let found = word.page.find_cell(word.granule, word.bytes, word.kind, of_row);
        let Some(by) = found.filter(|by| !table.has_heard(*by)) else { return false };
        // The next one has the other lane, so that who hears of it does not know this one.
        let lane = to.lane(by).unwrap_or(0);
        to.next = (lane + 1) % TELLS;
        if let Some(count) = count {
            self.had.add(&of, count, word.granule, lane);
        }
        true
    }

    /// Remembers an AMO of the row, which is noted now. `count`: from [`Pe::will_remember`].
    pub fn remember<const N: usize>(&mut self, word: &InRow<'_, N>, by: Stamp, count: u32) {
        let of = word.of(self.rows);
        let lane = target(&mut self.contexts, word).and_then(|to| to.lane(by));
        if let Some(lane) = lane.filter(|_| by.actor != self.spare.actor) {
            self.had.add(&of, count, word.granule, lane);
        }
    }
}

fn target<'a, const N: usize>(contexts: &'a mut BTreeMap<u64, Ctx>, word: &InRow<'_, N>) -> Option<&'a mut Target> {
    contexts.get_mut(&word.ctx)?.targets.get_mut(&word.target)
}
