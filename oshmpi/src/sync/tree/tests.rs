use super::*;

#[cfg(not(loom))]
mod shapes {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Wherever members run: they agree on one tree with member 0 as its root, no line has more readers than
        /// allowed, and of a cache or a socket one member belongs to a group that goes beyond it.
        #[test]
        fn members_agree_on_a_tree(
            seats in prop::collection::vec((0u16..3, 0u16..6), 1..100),
            one_cache: bool,
        ) {
            let at = |i: usize| match one_cache {
                true => Locality::default(),
                false => Locality { socket: seats[i].0, cache: seats[i].1 },
            };
            let n = seats.len();
            let trees: Vec<Tree> = (0..n).map(|me| Tree::new(n, me, at)).collect();
            let mut first = vec![None; n];
            for (me, tree) in trees.iter().enumerate() {
                for group in &tree.leads {
                    prop_assert!((1..FAN_IN).contains(&group.len()));
                    for &other in group {
                        prop_assert_eq!(first[other as usize].replace(me), None, "a member of two groups");
                        let own = Some(OwnGroup { first: me as u32, holder: group[0] });
                        prop_assert_eq!(trees[other as usize].own, own);
                    }
                }
            }
            prop_assert_eq!(trees[0].own, None);
            prop_assert!(first[1..].iter().all(Option::is_some) && first[0].is_none());
            let depth = |mut member: usize| {
                let mut depth = 0;
                while let Some(above) = first[member] {
                    (member, depth) = (above, depth + 1);
                }
                depth
            };
            prop_assert!((0..n).map(depth).max().unwrap() <= 6, "100 members of 3 sockets");
            type Domain = fn(Locality) -> (u16, Option<u16>);
            for domain in [(|at| (at.socket, Some(at.cache))) as Domain, |at| (at.socket, None)] {
                let leaves = |i: usize| first[i].is_none_or(|above| domain(at(above)) != domain(at(i)));
                let mut met = std::collections::BTreeMap::new();
                (0..n).filter(|&i| leaves(i)).for_each(|i| *met.entry(domain(at(i))).or_insert(0) += 1);
                prop_assert!(met.values().all(|&members| members == 1), "{met:?}");
            }
        }
    }
}

#[cfg(not(loom))]
mod threads {
    use super::super::super::barrier::{self, Style};
    use super::super::super::{Yield, local_words::LocalWords};
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;

    /// The sum of the numbers of all members, made on the way up and handed on downwards. Each has a place.
    fn summed(words: &LocalWords, sums: &[AtomicUsize], me: usize, seq: u64) -> usize {
        let own = &sums[me];
        own.store(me, Relaxed);
        let come = |member: usize| {
            own.fetch_add(sums[member].load(Relaxed), Relaxed);
        };
        barrier::in_tree(words, &Yield, me, seq, come, |first| own.store(sums[first].load(Relaxed), Relaxed));
        own.load(Relaxed)
    }

    /// The two halves of a round, and a whole one: the sum is made at member 0, and the number of `root` is handed out.
    fn halves(words: &LocalWords, places: [&[AtomicUsize]; 2], me: usize, seq: u64, root: usize) {
        let [sums, handed] = places;
        let own = &sums[me];
        own.store(me, Relaxed);
        barrier::gather(words, &Yield, me, seq, |member| {
            own.fetch_add(sums[member].load(Relaxed), Relaxed);
        });
        let n = sums.len();
        assert!(me != 0 || own.load(Relaxed) == n * (n - 1) / 2);
        handed[me].store(if me == root { root } else { n }, Relaxed);
        barrier::release_from(words, &Yield, root, me, seq + 1, |from| {
            handed[me].store(handed[from].load(Relaxed), Relaxed);
        });
        assert_eq!(handed[me].load(Relaxed), root);
        barrier::enter(words, &Yield, Style::Tree, me, n, seq + 2, || {});
    }

    /// 2 to 64 members, rounds with gaps between their numbers (other collectives count, too), rounds of other styles
    /// and halves of rounds between, and members that are late or hurry ahead: nobody leaves a round early.
    #[test]
    fn no_member_leaves_early() {
        for n in [2, 3, 8, 9, 16, 31, 64] {
            let words = LocalWords::at(n, |i| Locality { socket: (i % 3) as u16, cache: (i % 5) as u16 });
            let entered = AtomicUsize::new(0);
            let places = || (0..n).map(|_| AtomicUsize::new(0)).collect::<Vec<_>>();
            let (sums, handed) = (places(), places());
            std::thread::scope(|s| {
                for me in 0..n {
                    let (words, entered, sums, handed) = (&words, &entered, &sums, &handed);
                    s.spawn(move || {
                        let mut seq = 0;
                        for round in 1..=30 {
                            seq += 1 + round as u64 % 3;
                            if (me * 7 + round * 5) % 11 == 0 {
                                std::thread::yield_now();
                            }
                            entered.fetch_add(1, Relaxed);
                            match round % 5 {
                                0 => barrier::enter(words, &Yield, Style::Count, me, n, seq, || {}),
                                1 => {
                                    halves(words, [sums, handed], me, seq, round % 3 * (n - 1) / 2);
                                    seq += 2;
                                }
                                2 => assert_eq!(summed(words, sums, me, seq), n * (n - 1) / 2),
                                _ => barrier::enter(words, &Yield, Style::Tree, me, n, seq, || {}),
                            }
                            let seen = entered.load(Relaxed);
                            assert!(seen >= n * round, "{n} members, round {round}: left after {seen}");
                        }
                    });
                }
            });
        }
    }
}

#[cfg(loom)]
mod loom_model {
    use super::super::super::barrier;
    use super::super::super::local_words::LocalWords;
    use super::super::super::model::check;
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::{Arc, Condvar, Mutex};

    /// A member that waits sleeps until it is notified. Members that yield instead can give way to each other for ever
    /// while the third one has to run, because loom is not fair.
    #[derive(Default)]
    struct Sleep {
        lock: Mutex<()>,
        stored: Condvar,
    }

    impl Wait for Sleep {
        fn until(&self, mut ready: impl FnMut() -> bool) {
            // What is ready at once is read without the lock, so the lock orders nothing then.
            if ready() {
                return;
            }
            let mut guard = self.lock.lock().unwrap();
            while !ready() {
                guard = self.stored.wait(guard).unwrap();
            }
        }
        fn notify(&self) {
            drop(self.lock.lock().unwrap());
            self.stored.notify_all();
        }
    }

    struct Shared {
        wait: Sleep,
        words: LocalWords,
        data: Vec<UnsafeCell<u64>>,
    }

    /// Three members, of which the last is behind the second or beside it: what each has written before a round, all
    /// read after it, and nobody sleeps for ever.
    #[test]
    fn loom_tree_orders_plain_data_of_three() {
        for seats in [[0, 0, 0], [0, 1, 1]] {
            check(2, move || {
                let at = |i: usize| Locality { socket: 0, cache: seats[i] };
                let data = (0..3).map(|_| UnsafeCell::new(0)).collect();
                let (wait, words) = (Sleep::default(), LocalWords::at(3, at));
                let shared = Arc::new(Shared { wait, words, data });
                let body = |shared: Arc<Shared>, me: usize| {
                    // SAFETY: the others read this cell behind the round only. Loom reports a race if the round does
                    // not order the accesses.
                    shared.data[me].with_mut(|p| unsafe { *p = 7 + me as u64 });
                    barrier::in_tree(&shared.words, &shared.wait, me, 1, |_| {}, |_| {});
                    for (i, cell) in shared.data.iter().enumerate() {
                        // SAFETY: its member has written it before the round.
                        assert_eq!(cell.with(|p| unsafe { *p }), 7 + i as u64);
                    }
                };
                let others = [1, 2].map(|me| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || body(shared, me))
                });
                body(shared, 0);
                others.into_iter().for_each(|other| other.join().unwrap());
            });
        }
    }
}
