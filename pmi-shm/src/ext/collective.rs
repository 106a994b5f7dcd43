//! Collectives of a node's processes that need not wait: begin, test, wait.

use super::Rounds;
use std::fmt;

/// A process has begun a collective and not yet learnt of its end, and begins another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy {
    /// Index of the process on its node.
    pub local: usize,
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} of the node begins a collective before the last one has ended", self.local)
    }
}

impl std::error::Error for Busy {}

/// One kind of collective among the `0..locals` processes of a node and, through the server, with other nodes.
/// `T` is what a process contributes.
///
/// ```text
/// begin of each process -> (last one: the node's contributions, to be sent on) ... end -> who waits is answered
/// ```
#[derive(Debug)]
pub struct Collective<T> {
    rounds: Rounds<T>,
    /// Collectives each process has begun.
    begun: Vec<u64>,
    /// Ends each process was told of.
    told: Vec<u64>,
    waiting: Vec<bool>,
    ended: u64,
}

impl<T> Collective<T> {
    pub fn new(locals: usize) -> Collective<T> {
        Collective {
            rounds: Rounds::new(locals),
            begun: vec![0; locals],
            told: vec![0; locals],
            waiting: vec![false; locals],
            ended: 0,
        }
    }

    /// A process takes part. `Some`: it was the last of the node; the contributions of all, in order, go to the parent.
    pub fn begin(&mut self, local: usize, contribution: T) -> Result<Option<Vec<T>>, Busy> {
        self.check(local)?;
        self.begun[local] += 1;
        Ok(self.rounds.add(local, contribution))
    }

    fn check(&self, local: usize) -> Result<(), Busy> {
        if self.begun[local] > self.told[local] { Err(Busy { local }) } else { Ok(()) }
    }

    /// Has the collective that the process began ended? True ends it for this process, as `wait` does. A process that
    /// has begun none is done.
    pub fn test(&mut self, local: usize) -> bool {
        let over = self.begun[local] <= self.ended;
        if over {
            self.told[local] = self.begun[local];
        }
        over
    }

    /// The process waits for the end. True: answer it now; false: `end` will name it.
    pub fn wait(&mut self, local: usize) -> bool {
        let over = self.test(local);
        self.waiting[local] = !over;
        over
    }

    /// Word from the root: the oldest open collective has ended on all nodes. Returns who waits for it. `None`: this
    /// node has not contributed yet, so the word is wrong, and nothing has changed.
    pub fn end(&mut self) -> Option<Vec<usize>> {
        if self.ended == self.rounds.completed() {
            return None;
        }
        self.ended += 1;
        let ended = self.ended;
        let over = |local: &usize| self.waiting[*local] && self.begun[*local] <= ended;
        let served: Vec<usize> = (0..self.begun.len()).filter(over).collect();
        for &local in &served {
            self.waiting[local] = false;
            self.told[local] = self.begun[local];
        }
        Some(served)
    }

    /// Collectives that have ended.
    pub fn ended(&self) -> u64 {
        self.ended
    }
}

/// Fences with their puts: what a process puts belongs to the fence that it begins next, however far others are.
#[derive(Debug)]
pub struct Fences<P> {
    staged: Vec<Vec<P>>,
    fences: Collective<Vec<P>>,
}

impl<P> Fences<P> {
    pub fn new(locals: usize) -> Fences<P> {
        Fences { staged: (0..locals).map(|_| Vec::new()).collect(), fences: Collective::new(locals) }
    }

    /// A dense put. Readable after the process's next fence.
    pub fn put(&mut self, local: usize, pair: P) {
        self.staged[local].push(pair);
    }

    /// The process begins a fence. `Some`: the node's puts for it, by process and in the order in which they were put.
    pub fn begin(&mut self, local: usize) -> Result<Option<Vec<P>>, Busy> {
        // Before the puts are taken: a refused fence leaves them where they are.
        self.fences.check(local)?;
        let puts = std::mem::take(&mut self.staged[local]);
        let all = self.fences.begin(local, puts)?;
        Ok(all.map(|puts| puts.into_iter().flatten().collect()))
    }

    /// See [`Collective::test`].
    pub fn test(&mut self, local: usize) -> bool {
        self.fences.test(local)
    }

    /// See [`Collective::wait`].
    pub fn wait(&mut self, local: usize) -> bool {
        self.fences.wait(local)
    }

    /// See [`Collective::end`]; call it after the puts of all nodes have been inserted.
    pub fn end(&mut self) -> Option<Vec<usize>> {
        self.fences.end()
    }

    pub fn ended(&self) -> u64 {
        self.fences.ended()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn begin_compute_wait() {
        let mut fence = Collective::new(2);
        assert!(fence.test(0), "nothing begun, nothing open");
        assert_eq!(fence.begin(0, 'a'), Ok(None));
        assert!(!fence.test(0));
        assert_eq!(fence.begin(0, 'x'), Err(Busy { local: 0 }));
        assert_eq!(fence.begin(1, 'b'), Ok(Some(vec!['a', 'b'])));
        assert!(!fence.wait(1), "other nodes are not there yet");
        assert_eq!(fence.end(), Some(vec![1]));
        assert!(fence.test(0) && fence.wait(0));
        assert_eq!(fence.begin(1, 'c'), Ok(None));
    }

    #[test]
    fn who_tests_may_begin_again() {
        let mut fence = Collective::new(1);
        assert_eq!(fence.begin(0, ()), Ok(Some(vec![()])));
        assert_eq!(fence.end(), Some(vec![]));
        assert_eq!(fence.begin(0, ()), Err(Busy { local: 0 }), "it does not know yet");
        assert!(fence.test(0));
        assert_eq!(fence.begin(0, ()), Ok(Some(vec![()])));
    }

    #[test]
    fn an_end_without_a_begin_is_refused() {
        let mut fence = Collective::new(2);
        fence.begin(0, ()).unwrap();
        assert_eq!(fence.end(), None);
        assert_eq!(fence.ended(), 0);
    }

    #[test]
    fn puts_after_a_begin_belong_to_the_next_fence() {
        let mut fences = Fences::new(2);
        fences.put(0, "k=1");
        assert_eq!(fences.begin(0), Ok(None));
        fences.put(0, "k=2");
        fences.put(1, "l=1");
        assert_eq!(fences.begin(1), Ok(Some(vec!["k=1", "l=1"])));
        assert_eq!(fences.end(), Some(vec![]));
        assert!(fences.test(0) && fences.test(1));
        assert_eq!(fences.begin(1), Ok(None));
        assert_eq!(fences.begin(0), Ok(Some(vec!["k=2"])));
    }

    #[test]
    fn a_refused_fence_loses_no_put() {
        let mut fences = Fences::new(1);
        assert!(fences.begin(0).is_ok());
        fences.put(0, 7);
        assert_eq!(fences.begin(0), Err(Busy { local: 0 }));
        assert!(fences.end().is_some());
        assert!(fences.test(0));
        assert_eq!(fences.begin(0), Ok(Some(vec![7])));
    }

    proptest! {
        /// Any order of calls: nobody is told of an end before all processes have begun, everybody who waits is told
        /// exactly once, and nobody may have two open.
        #[test]
        fn all_orders(n in 1..5_usize, calls in prop::collection::vec((0..5_usize, 0..4_u8), 0..300)) {
            let mut c = Collective::new(n);
            let (mut begun, mut known) = (vec![0_u64; n], vec![0_u64; n]);
            let mut waits = vec![false; n];
            let (mut ready, mut ended) = (0_u64, 0_u64);
            for (who, call) in calls {
                let who = who % n;
                // A process that waits makes no calls.
                match call {
                    0 if !waits[who] => match c.begin(who, begun[who]) {
                        Ok(all) => {
                            prop_assert_eq!(begun[who], known[who]);
                            begun[who] += 1;
                            if let Some(all) = all {
                                prop_assert!(all.iter().all(|round| *round == ready));
                                ready += 1;
                            }
                        }
                        Err(busy) => {
                            prop_assert_eq!(busy.local, who);
                            prop_assert!(begun[who] > known[who]);
                        }
                    },
                    1 if !waits[who] => {
                        let over = c.test(who);
                        prop_assert_eq!(over, begun[who] <= ended);
                        if over { known[who] = begun[who]; }
                    }
                    2 if !waits[who] => {
                        let over = c.wait(who);
                        prop_assert_eq!(over, begun[who] <= ended);
                        waits[who] = !over;
                        if over { known[who] = begun[who]; }
                    }
                    3 if ended < ready => {
                        ended += 1;
                        let told = c.end().unwrap();
                        for p in 0..n {
                            let due = waits[p] && begun[p] <= ended;
                            prop_assert_eq!(told.contains(&p), due);
                            if due { waits[p] = false; known[p] = begun[p]; }
                        }
                    }
                    _ => {}
                }
                prop_assert_eq!(ready, *begun.iter().min().unwrap());
            }
        }
    }
}
