//! Rounds of contributions from a fixed set of sources.

use std::collections::VecDeque;

/// Contributions of `sources` sources, named `0..sources`. A round is complete when each has contributed once; a source
/// that is ahead waits in its queue.
#[derive(Debug)]
pub struct Rounds<T> {
    queues: Vec<VecDeque<T>>,
    /// Sources whose queue is empty.
    missing: usize,
    completed: u64,
}

impl<T> Rounds<T> {
    /// Without sources no round is ever complete.
    pub fn new(sources: usize) -> Rounds<T> {
        Rounds { queues: (0..sources).map(|_| VecDeque::new()).collect(), missing: sources, completed: 0 }
    }

    /// Adds a contribution. If the round is complete with it: all of them, in the order of the sources.
    ///
    /// # Panics
    /// If there is no such source.
    pub fn add(&mut self, source: usize, contribution: T) -> Option<Vec<T>> {
        let queue = &mut self.queues[source];
        if queue.is_empty() {
            self.missing -= 1;
        }
        queue.push_back(contribution);
        if self.missing > 0 {
            return None;
        }
        self.completed += 1;
        let round = self.queues.iter_mut().map(|queue| queue.pop_front().expect("no source is missing")).collect();
        self.missing = self.queues.iter().filter(|queue| queue.is_empty()).count();
        Some(round)
    }

    /// Contributions of a source that wait for others.
    pub fn waiting(&self, source: usize) -> usize {
        self.queues.get(source).map_or(0, VecDeque::len)
    }

    /// Rounds that are over.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    pub fn sources(&self) -> usize {
        self.queues.len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// In whatever order they come, round `i` holds the `i`-th contribution of each source.
        #[test]
        fn rounds_hold_what_belongs_together(n in 1..6_usize, order in prop::collection::vec(0..6_usize, 0..200)) {
            let mut rounds = Rounds::new(n);
            let mut sent = vec![0_u64; n];
            let mut seen = 0;
            for source in order.into_iter().map(|s| s % n) {
                let complete = rounds.add(source, (source, sent[source]));
                sent[source] += 1;
                let least = *sent.iter().min().unwrap();
                prop_assert_eq!(complete.is_some(), least > seen);
                if let Some(round) = complete {
                    let expected: Vec<_> = (0..n).map(|s| (s, seen)).collect();
                    prop_assert_eq!(round, expected);
                    seen += 1;
                }
                prop_assert_eq!(rounds.completed(), seen);
                prop_assert_eq!(rounds.waiting(source) as u64, sent[source] - seen);
            }
        }
    }
}
