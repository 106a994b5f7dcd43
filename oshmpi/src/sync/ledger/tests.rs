use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

proptest! {
    /// Compares the ledger with a set that has no bound.
    #[test]
    #[cfg_attr(miri, ignore)] // takes minutes
    fn no_operation_is_forgotten(steps in prop::collection::vec((0u32..300, 0u8..40), 0..400)) {
        let (ledger, mut model) = (Ledger::default(), BTreeSet::new());
        for (pe, what) in steps {
            if what == 0 {
                let seen = ledger.look();
                prop_assert!(model.iter().all(|&p| seen.may_include(p)));
                prop_assert_eq!(seen.pending() == Outstanding::Nothing, model.is_empty());
                prop_assert_eq!(ledger.is_clear(), model.is_empty());
                ledger.done(&seen);
                prop_assert!(ledger.is_clear());
                model.clear();
            } else {
                ledger.issued(pe);
                model.insert(pe);
                prop_assert!(ledger.look().may_include(pe));
                prop_assert!(model.len() > WAYS || !ledger.look().more());
            }
        }
    }
}

#[test]
fn a_younger_note_stays() {
    let ledger = Ledger::default();
    ledger.issued(3);
    let seen = ledger.look();
    ledger.issued(3);
    ledger.done(&seen);
    assert_eq!(ledger.look().pending(), Outstanding::One(3));
    ledger.done(&ledger.look());
    assert_eq!(ledger.look().pending(), Outstanding::Nothing);
}

#[test]
fn one_pe_is_done_alone() {
    let ledger = Ledger::default();
    (0..3).for_each(|key| _ = ledger.issued(key));
    ledger.done_with(&ledger.look(), 1);
    assert_eq!(ledger.look().keys().collect::<Vec<_>>(), [0, 2]);
    assert_eq!(ledger.look().pending(), Outstanding::Many);
}

#[test]
fn operations_after_a_fence_must_wait() {
    let ledger = Ledger::default();
    assert!(!ledger.must_wait(5));
    ledger.issued(5);
    assert!(!ledger.must_wait(5));
    ledger.fence();
    assert!(ledger.must_wait(5) && !ledger.must_wait(6));
    ledger.done(&ledger.look());
    assert!(!ledger.must_wait(5));
    ledger.issued(5);
    assert!(!ledger.must_wait(5));
    ledger.fence();
    assert!(ledger.must_wait(5));
}

/// An operation that cannot pass others is noted after the fence without having waited. Operations that could pass
/// others must still wait.
#[test]
fn a_younger_note_keeps_the_mark() {
    let ledger = Ledger::default();
    ledger.issued(5);
    ledger.fence();
    ledger.issued(5);
    assert!(ledger.must_wait(5));
    let seen = ledger.look();
    ledger.issued(5);
    ledger.done_with(&seen, 5);
    assert!(ledger.must_wait(5), "the younger note stands for all of them");
    ledger.done_with(&ledger.look(), 5);
    assert!(!ledger.must_wait(5));
    ledger.issued(5);
    assert!(!ledger.must_wait(5));
}

/// The neighbours of a PE in three dimensions, for grids of many sizes, by one path and by two. Two paths to 26
/// fill 52 of the 64 places.
#[test]
#[cfg_attr(miri, ignore)] // takes minutes
fn neighbours_of_a_stencil_have_notes_by_name() {
    let (mut grids, mut beyond) = (0, 0);
    for (x, y) in (3..=40).flat_map(|x| (3..=40).map(move |y| (x, y))) {
        let me = 5 * x * y + 2 * x + 1;
        let neighbours = || {
            let offsets = (0..27).filter(|&i| i != 13);
            offsets.map(move |i| (me + (i / 9 - 1) * x * y + (i / 3 % 3 - 1) * x + i % 3 - 1) as u32)
        };
        let (one, two) = (Ledger::default(), Ledger::default());
        neighbours().for_each(|pe| _ = one.issued(2 * pe));
        neighbours().for_each(|pe| (0..2).for_each(|path| _ = two.issued(2 * pe + path)));
        assert!(!one.look().more(), "26 of a grid of {x} by {y}");
        grids += 1;
        beyond += usize::from(two.look().more());
    }
    assert!(beyond * 10 < grids, "{beyond} of {grids} grids had no room for 52 names");
    assert_eq!(size_of::<Ledger>(), 576);
}

#[test]
fn the_second_completion_since_a_fence_is_told() {
    let ledger = Ledger::default();
    for _ in 0..2 {
        ledger.fence();
        assert_eq!([ledger.not_the_first(), ledger.not_the_first(), ledger.not_the_first()], [false, true, true]);
    }
}

#[test]
fn stamps_wrap_around() {
    let ledger = Ledger::default();
    ledger.next.store(STAMPS - 1, Ordering::Relaxed);
    ledger.issued(MAX_KEYS - 1);
    let seen = ledger.look();
    ledger.issued(MAX_KEYS - 1);
    ledger.done(&seen);
    assert_eq!(ledger.look().pending(), Outstanding::One(MAX_KEYS - 1));
    assert!(!ledger.must_wait(MAX_KEYS - 1));
    ledger.fence();
    assert!(ledger.must_wait(MAX_KEYS - 1));
}

proptest! {
    /// Compares the ledger with the list of operations. A key must wait if an operation from before a fence is
    /// under way. A caller that finds operations without a name completes all of them at the fence.
    #[test]
    #[cfg_attr(miri, ignore)] // takes minutes
    fn a_fence_marks_all(steps in prop::collection::vec((0u32..100, 0u8..20), 0..300)) {
        let ledger = Ledger::default();
        let mut under_way: Vec<(u32, bool)> = Vec::new();
        for (key, what) in steps {
            match what {
                0 => {
                    if ledger.look().more() {
                        ledger.done(&ledger.look());
                        under_way.clear();
                    }
                    ledger.fence();
                    under_way.iter_mut().for_each(|(_, fenced)| *fenced = true);
                }
                1 => {
                    ledger.done_with(&ledger.look(), key);
                    under_way.retain(|&(k, _)| k != key);
                }
                _ => {
                    ledger.issued(key);
                    under_way.push((key, false));
                }
            }
            for &(key, fenced) in &under_way {
                prop_assert!(!fenced || ledger.must_wait(key), "key {key}");
            }
        }
    }
}
