use super::*;
use crate::sync::local_words::LocalWords;

#[cfg(not(loom))]
mod rounds {
    use super::*;
    use crate::sync::Yield;
    use std::sync::atomic::AtomicUsize;

    /// No member leaves a round before all have entered it. The sizes lie on both sides of [`FLAT`] and [`ORDERED`].
    #[test]
    fn no_member_leaves_early() {
        for (n, styles) in [1, 2, 3, 7, FLAT, FLAT + 1, 10, 17, ORDERED, ORDERED + 1].into_iter().flat_map(|n| {
            let mixed = vec![Style::Count, Style::Led(0), Style::Tree, Style::InOrder, Style::Led(n - 1)];
            let alone = mixed.iter().chain(&[Style::Flags]).map(|&style| vec![style]);
            alone.chain([mixed.clone()]).map(move |styles| (n, styles)).collect::<Vec<_>>()
        }) {
            let words = LocalWords::new(n);
            let entered = AtomicUsize::new(0);
            std::thread::scope(|s| {
                for me in 0..n {
                    let (words, entered, styles) = (&words, &entered, &styles);
                    s.spawn(move || {
                        for round in 1..=20 {
                            let style = styles[round as usize % styles.len()];
                            entered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            enter(words, &Yield, style, me, n, round, || {});
                            let seen = entered.load(std::sync::atomic::Ordering::Relaxed);
                            assert!(seen >= n * round as usize, "{n} members, round {round}: left after {seen}");
                        }
                    });
                }
            });
        }
    }
}

#[cfg(loom)]
mod model {
    use super::*;
    use crate::sync::model::{Loom, check};
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// The words of two members, and data that each of them writes.
    struct Two {
        words: LocalWords,
        data: [UnsafeCell<u64>; 2],
    }

    impl Two {
        fn new() -> Arc<Two> {
            Arc::new(Two { words: LocalWords::new(2), data: [UnsafeCell::new(0), UnsafeCell::new(0)] })
        }
    }

    /// Data that is written before a barrier is read after it, twice, without a data race (loom reports one).
    #[test]
    fn loom_barrier_orders_plain_data() {
        [Style::Flags, Style::Count, Style::Led(0), Style::Led(1), Style::InOrder, Style::Tree]
            .into_iter()
            .for_each(orders_plain_data);
    }

    /// One member waits for another, which waits for nobody, and then the other way round, as in broadcasts and
    /// reductions.
    #[test]
    fn loom_barrier_one_waits_for_one() {
        for arrive in
            [|w: &LocalWords, me, seq| arrive(w, &Loom, me, seq), |w: &LocalWords, me, seq| arrive_quietly(w, me, seq)]
        {
            loom::model(move || {
                let shared = Two::new();
                let theirs = shared.clone();
                let other = loom::thread::spawn(move || {
                    wait_for(&theirs.words, &Loom, 0, 1);
                    // SAFETY: member 0 wrote the cell before round 1 and writes it again after round 2. Loom reports a
                    // race if the rounds do not order the accesses.
                    assert_eq!(theirs.data[0].with(|p| unsafe { *p }), 7);
                    arrive(&theirs.words, 1, 2);
                });
                // SAFETY: member 1 reads the cell only after round 1.
                shared.data[0].with_mut(|p| unsafe { *p = 7 });
                arrive(&shared.words, 0, 1);
                wait_for(&shared.words, &Loom, 1, 2);
                // SAFETY: member 1 has read the cell before it arrived at round 2.
                shared.data[0].with_mut(|p| unsafe { *p = 8 });
                other.join().unwrap();
            });
        }
    }

    fn orders_plain_data(style: Style) {
        check(3, move || {
            let body = move |shared: Arc<Two>, me: usize| {
                for round in 1..=2u64 {
                    // SAFETY: the other member reads this cell between the two rounds below only. Loom reports a race
                    // if the rounds do not order the accesses.
                    shared.data[me].with_mut(|p| unsafe { *p = round * 10 + me as u64 });
                    enter(&shared.words, &Loom, style, me, 2, 2 * round - 1, || {});
                    // SAFETY: the other member has written its cell before this round, and writes it again after the
                    // next.
                    let got = shared.data[1 - me].with(|p| unsafe { *p });
                    assert_eq!(got, round * 10 + (1 - me) as u64);
                    enter(&shared.words, &Loom, style, me, 2, 2 * round, || {});
                }
            };
            let shared = Two::new();
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || body(shared, 1))
            };
            body(shared, 0);
            other.join().unwrap();
        });
    }
}
