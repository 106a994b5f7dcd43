//! Compares the detector with one that keeps the whole history and searches it: random programs of several PEs.

mod history;

use history::{CLASS, Does, FIRST_WORD, History, PES, PLACES, step, word_of};
use oshmpi_race::cell::{Kind, Stamp};
use oshmpi_race::clock::{Known, View};
use oshmpi_race::order::{InRow, Pe, Thread};
use oshmpi_race::seen::Seen;
use oshmpi_race::shadow::{Access, InARow, Page};
use oshmpi_race::table::{RoleKind, Table};
use proptest::prelude::*;

/// A word that has an AMO of a row.
fn in_row<const N: usize>(page: &Page<N>, ctx: u64, (to, word): (usize, usize)) -> InRow<'_, N> {
    let at = (to * PLACES + word) * 4;
    let kind = Kind::atomic(CLASS, true);
    InRow { ctx, target: to as u32, page, granule: at / 8, bytes: 0x0f << (at % 8), kind }
}

/// The detector, with N cells. With [`ENOUGH`] none is forgotten.
struct Detector<const N: usize> {
    _memory: Vec<u64>,
    shadow: Box<InARow<N>>,
    /// Of each PE.
    seen: [Box<Seen>; PES],
    pes: Vec<(Pe, Thread)>,
}

const ENOUGH: usize = 32;

impl<const N: usize> Detector<N> {
    fn new() -> Self {
        let mut memory = vec![0u64; Table::bytes(PES) / 8];
        // SAFETY: zero, as long as a table is, and kept beside it.
        let table = unsafe { Table::at(memory.as_mut_ptr().cast(), PES) };
        let pe = |pe| {
            let made = Pe::new(table, pe).unwrap();
            let thread = Thread::new(made.thread().unwrap());
            (made, thread)
        };
        // SAFETY: all bytes zero is a page of zero atomics.
        let shadow = unsafe { Box::<InARow<N>>::new_zeroed().assume_init() };
        // SAFETY: all bytes zero is no marks.
        let seen = [(); PES].map(|()| unsafe { Box::<Seen>::new_zeroed().assume_init() });
        Detector { _memory: memory, shadow, seen, pes: (0..PES as u32).map(pe).collect() }
    }

    fn touch(&self, place: (usize, usize), by: Stamp, in_order: bool, kind: Kind, view: View<'_>) -> bool {
        let from = (place.0 * PLACES + place.1) * 4;
        let mut race = false;
        let access = Access { by, kind, view, site: 0, in_order, noted: true };
        self.shadow.access(from, from + 4, &access, &mut |_| race = true);
        race
    }

    /// Whether a cell says that this PE has an AMO on the word under way.
    fn has_amo(&self, pe: usize, word: &InRow<'_, N>) -> bool {
        let by = Stamp { actor: self.pes[pe].1.actor, epoch: u32::MAX };
        let view = View { clock: Known::Nothing, fenced: &[] };
        let access = Access { by, kind: Kind::READ, view, site: 0, in_order: false, noted: false };
        let mut found = false;
        word.page.unsaid(word.granule, word.bytes, &access, &mut |conflict| {
            let cell = conflict.earlier;
            let role = self.pes[pe].0.table().role(cell.by().actor).unwrap();
            let of_pe = role.pe as usize == pe && role.kind == RoleKind::Tells && role.target == word.target;
            found |= of_pe && cell.bytes() == word.bytes && cell.kind() == word.kind;
        });
        found
    }

    fn own(&self, pe: usize, place: (usize, usize), kind: Kind) -> bool {
        let thread = &self.pes[pe].1;
        self.touch(place, thread.now(), true, kind, View::of(&thread.clock))
    }

    /// A load or store, as the compiler's calls note it.
    fn instrumented(&self, pe: usize, place: (usize, usize), write: bool) -> bool {
        let (whole, at) = (self.pes[pe].1.whole(), (place.0 * PLACES + place.1) * 4);
        let touched = (at / 8, 0x0f << (at % 8), write);
        let mut race = false;
        let again = || self.shadow.own_again(whole, View::of(&self.pes[pe].1.clock));
        let owned = |again: bool| again && self.shadow.own_access(touched, whole, 0);
        if owned(true) || owned(again()) {
            return false;
        }
        // SAFETY: each PE has marks of its own.
        unsafe {
            if self.seen[pe].has(&self.shadow, touched, whole) {
                assert!(self.shadow.has(touched.0, touched.1, whole, write), "marked, and no cell says it");
            } else {
                let kind = if write { Kind::WRITE } else { Kind::READ };
                let thread = &self.pes[pe].1;
                let knows = (whole, View::of(&thread.clock));
                self.seen[pe].touch(&self.shadow, touched, knows, 0, || {
                    self.shadow.unsaid(touched.0, touched.1, &thread.access(kind, 0), &mut |_| race = true);
                });
            }
        }
        race
    }

    /// Does a step; returns whether it races with an earlier one, and whether it is taken for one before.
    fn run(&mut self, pe: usize, does: Does) -> (bool, bool) {
        if let Does::Add { ctx, to, word } = does {
            let in_row = in_row(&self.shadow, ctx, (to, word));
            let (me, thread) = &mut self.pes[pe];
            if !thread.is_in_row() {
                me.begin_row();
            } else if me.tells_again(&in_row) {
                assert!(self.has_amo(pe, &in_row), "taken for noted, and no cell says it");
                return (false, true);
            }
        } else {
            let all = matches!(does, Does::Barrier | Does::Sync);
            let in_it = |(i, _): &(usize, &mut (Pe, Thread))| all || *i == pe;
            self.pes.iter_mut().enumerate().filter(in_it).for_each(|(_, (_, thread))| thread.end_row());
        }
        (self.note(pe, does), false)
    }

    fn note(&mut self, pe: usize, does: Does) -> bool {
        let lock = 100;
        let (me, thread) = &mut self.pes[pe];
        let table = *me.table();
        match does {
            Does::Load(at) => self.instrumented(pe, (pe, at), false),
            Does::Store(at) => self.instrumented(pe, (pe, at), true),
            Does::Get { from, at } => self.own(pe, (from, at), Kind::READ),
            Does::Put { ctx, to, at } => {
                let op = me.put(thread, ctx, to as u32);
                let thread = &self.pes[pe].1;
                self.touch((to, at), op.by, false, Kind::WRITE, op.view(thread))
            }
            Does::GetNbi { ctx, from, at } => {
                let by = me.get_nbi(thread, ctx);
                let thread = &self.pes[pe].1;
                self.touch((from, at), by, false, Kind::READ, View::of(&thread.clock))
            }
            Does::PutSignal { ctx, to, word, .. } | Does::Add { ctx, to, word } => {
                let op = me.tell(thread, ctx, to as u32);
                op.release(thread, &table.sync_word(word_of(to, word)));
                let thread = &self.pes[pe].1;
                let mut race = false;
                if let Does::PutSignal { at, .. } = does {
                    race = self.touch((to, at), op.by, false, Kind::WRITE, op.view(thread));
                }
                race |= self.touch((to, word), op.by, false, Kind::atomic(CLASS, true), op.view(thread));
                match does {
                    Does::Add { .. } => self.pes[pe].1.go_on_in_row(),
                    _ => self.pes[pe].1.tick(),
                }
                race
            }
            Does::FetchAdd { ctx, to, word } => {
                let op = me.fetching_amo(thread, ctx, to as u32);
                op.release(thread, &table.sync_word(word_of(to, word)));
                let thread = &self.pes[pe].1;
                let race = self.touch((to, word), op.by, true, Kind::atomic(CLASS, true), op.view(thread));
                let thread = &mut self.pes[pe].1;
                thread.tick();
                table.sync_word(word_of(to, word)).acquire(&mut thread.clock);
                race
            }
            Does::Wait(word) => {
                table.sync_word(word_of(pe, word)).acquire(&mut thread.clock);
                self.own(pe, (pe, word), Kind::waiting(CLASS))
            }
            Does::Quiet(ctx) => {
                me.quiet(thread, ctx);
                false
            }
            Does::PeQuiet(ctx, to) => {
                me.pe_quiet(thread, ctx, &[to as u32]);
                false
            }
            Does::Fence(ctx) => {
                me.fence(thread, ctx);
                false
            }
            Does::Barrier | Does::Sync => {
                let actors = table.actors();
                for (index, (me, thread)) in self.pes.iter_mut().enumerate() {
                    if matches!(does, Does::Barrier) {
                        me.quiet(thread, 0);
                    }
                    table.round(index, 7, false).unwrap().set(&thread.clock, table.actors());
                    thread.tick();
                }
                for (_, thread) in &mut self.pes {
                    (0..PES).for_each(|i| thread.clock.join_shared(table.round(i, 7, false).unwrap(), actors));
                }
                false
            }
            Does::SetLock => {
                table.sync_word(lock).acquire(&mut thread.clock);
                false
            }
            Does::ClearLock => {
                me.quiet(thread, 0);
                table.sync_word(lock).release(&thread.clock, &[]);
                thread.tick();
                false
            }
        }
    }
}

/// A PE touches a place, gives it to a nonblocking operation, and touches it again in the same way.
#[test]
fn what_was_touched_before_counts_again_after_an_operation_has_begun() {
    let (pe, at) = (1, 0);
    for operation in [Does::GetNbi { ctx: 0, from: pe, at }, Does::Put { ctx: 0, to: pe, at }] {
        let (mut history, mut detector) = (History::default(), Detector::<ENOUGH>::new());
        let races = [Does::Store(at), operation, Does::Store(at)].map(|does| {
            let race = history.run(pe, does, false);
            assert_eq!(detector.run(pe, does), (race, false), "{does:?} after {operation:?}");
            race
        });
        assert_eq!(races, [false, false, true]);
    }
}

/// A PE adds to a word, and another one that waits for the word stores to it. An addition that comes later races with
/// the store, although the first one does not. Without the other PE it says nothing new.
#[test]
fn an_amo_is_not_the_one_before_once_somebody_has_seen_that() {
    let add = Does::Add { ctx: 0, to: 1, word: FIRST_WORD };
    let seen = vec![(1, Does::Wait(FIRST_WORD)), (1, Does::Store(FIRST_WORD))];
    for (between, races) in [(vec![], false), (seen, true)] {
        for repeats in 0..3 {
            let mut detector = Detector::<ENOUGH>::new();
            for repeat in 0..=repeats {
                assert_eq!(detector.run(0, add), (false, repeat > 0));
            }
            for (pe, does) in between.clone() {
                assert_eq!(detector.run(pe, does), (false, false), "{does:?}");
            }
            assert_eq!(detector.run(0, add), (races, !races), "after {repeats}");
        }
    }
}

/// What a row has done to two words counts neither in the next row, nor for another context.
#[test]
fn an_amo_is_not_the_one_of_another_row_or_context() {
    let add = |ctx, word| Does::Add { ctx, to: 1, word };
    let words = [FIRST_WORD, FIRST_WORD + 2]; // the same bytes of two granules
    let [first, second] = words;
    for (between, ctx) in [(Some(Does::Load(0)), 0), (None, 1)] {
        for then in [[first, second], [second, first]] {
            let mut detector = Detector::<ENOUGH>::new();
            for again in [false, true, true] {
                assert_eq!(words.map(|word| detector.run(0, add(0, word))), [(false, again); 2]);
            }
            assert!(between.is_none_or(|does| detector.run(0, does) == (false, false)));
            assert_eq!(then.map(|word| detector.run(0, add(ctx, word))), [(false, false); 2]);
        }
    }
}

/// Three PEs add to a word that has two cells. Nobody takes an AMO for noted whose cell another one has.
#[test]
fn an_amo_without_a_cell_is_noted_again() {
    let mut detector = Detector::<2>::new();
    for _ in 0..10 {
        let again =
            [0, 0, 0, 1, 1, 1, 2, 2, 2].map(|pe| detector.run(pe, Does::Add { ctx: 0, to: 1, word: FIRST_WORD }));
        assert!(again.iter().filter(|(race, again)| !race && *again).count() < again.len(), "a cell is lacking");
    }
}

/// A PE adds to two words, to the first one again, and to a third one. Who has seen the last does not know the others.
#[test]
fn who_sees_the_amo_after_one_that_was_repeated_does_not_know_that_one() {
    let add = |word| Does::Add { ctx: 0, to: 1, word };
    let [first, second, third] = [FIRST_WORD, FIRST_WORD + 1, FIRST_WORD + 2];
    let mut detector = Detector::<ENOUGH>::new();
    assert_eq!([first, second, first, third].map(|word| detector.run(0, add(word)).1), [false, false, true, false]);
    assert_eq!(detector.run(1, Does::Wait(third)), (false, false));
    assert_eq!(detector.run(1, Does::Load(first)), (true, false));
    let mut detector = Detector::<ENOUGH>::new();
    let again = [first, second, first, first, third].map(|word| detector.run(0, add(word)).1);
    assert_eq!(again, [false, false, true, true, false]);
    assert_eq!(detector.run(1, Does::Wait(third)), (false, false));
    assert_eq!(detector.run(1, Does::Load(first)), (true, false));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Up to the first race of a program both say the same of every step. Most steps that would race are left out, so
    /// that programs get long.
    #[test]
    fn finds_what_the_history_shows(program in prop::collection::vec((step(), 0..8), 1..64)) {
        let (mut history, mut detector) = (History::default(), Detector::<ENOUGH>::new());
        for (i, ((pe, does), may_race)) in program.iter().enumerate() {
            if *may_race > 0 && history.clone().run(*pe, *does, false) {
                continue;
            }
            let (found, again) = detector.run(*pe, *does);
            let race = history.run(*pe, *does, again);
            prop_assert_eq!(found, race, "step {} of {:?}", i, program);
            if race {
                break;
            }
        }
    }

    /// With so few cells that accesses are forgotten, a thread takes none for noted that is not. The detector itself
    /// asserts it.
    #[test]
    fn marks_have_cells(program in prop::collection::vec(step(), 1..128)) {
        let mut detector = Detector::<2>::new();
        for (pe, does) in program {
            detector.run(pe, does);
        }
    }
}
