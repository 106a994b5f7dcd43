//! The ring exchange: every process learns what its left and right neighbours in a ring have given.
//!
//! The ring goes through the nodes in order, and on each node through its processes in order: so neighbours are mostly on
//! the same node, and a node sends two messages, its first value to the left and its last one to the right, whatever the
//! number of its processes. A process's place in the ring is not its rank unless ranks are placed in blocks.

use super::{Busy, Collective, Rounds};

/// Where a message from another node came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// From the node before: its last value.
    Left,
    /// From the node behind: its first value.
    Right,
}

/// What a process gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RingMember<V> {
    /// Its place in the ring.
    pub place: u32,
    /// Processes in the ring.
    pub size: u32,
    pub left: V,
    pub right: V,
}

/// The ring as one node sees it. Exchange follows exchange; a neighbour may be one ahead.
#[derive(Debug)]
pub struct Ring<V> {
    left: u32,
    right: u32,
    alone: bool,
    /// Place of this node's first process.
    first: u32,
    size: u32,
    locals: Collective<V>,
    /// Of each exchange: own values, from the left, from the right.
    parts: Rounds<Vec<V>>,
    sent: u64,
}

/// Sources of `Ring::parts`.
const OWN: usize = 0;
const FROM_LEFT: usize = 1;
const FROM_RIGHT: usize = 2;

/// What follows from a step: messages to other nodes, and answers for the processes of this one, by index.
#[derive(Debug, PartialEq, Eq)]
pub struct Step<V> {
    /// To which node, on which side of it we are, and the value.
    pub sends: Vec<(u32, Side, V)>,
    /// `None`: the exchange is not over.
    pub answers: Option<Vec<RingMember<V>>>,
}

impl<V: Clone> Ring<V> {
    /// `counts`: processes on each node in the ring, by node; at least one on this. Nodes without processes are skipped.
    ///
    /// # Panics
    /// If this node has no processes.
    pub fn new(node: u32, counts: &[u32]) -> Ring<V> {
        let locals = counts[node as usize];
        assert!(locals > 0, "a ring on a node without processes");
        let here = node as usize;
        let busy = |n: &usize| counts[*n] > 0;
        let right = (here + 1..counts.len()).chain(0..=here).find(busy).expect("this node at least");
        let left = (0..here).rev().chain((here..counts.len()).rev()).find(busy).expect("this node at least");
        Ring {
            left: left as u32,
            right: right as u32,
            alone: right == here,
            first: counts[..here].iter().sum(),
            size: counts.iter().sum(),
            locals: Collective::new(locals as usize),
            parts: Rounds::new(if right == here { 1 } else { 3 }),
            sent: 0,
        }
    }

    /// A process of this node gives its value and waits.
    pub fn enter(&mut self, local: usize, value: V) -> Result<Step<V>, Busy> {
        let Some(values) = self.locals.begin(local, value)? else {
            return Ok(Step { sends: Vec::new(), answers: None });
        };
        let mut sends = Vec::new();
        if !self.alone {
            let (first, last) = (values[0].clone(), values[values.len() - 1].clone());
            sends = vec![(self.left, Side::Right, first), (self.right, Side::Left, last)];
            self.sent += 2;
        }
        let complete = self.parts.add(OWN, values);
        Ok(Step { sends, answers: self.finish(complete) })
    }

    /// A message of the neighbour on this side.
    pub fn receive(&mut self, side: Side, value: V) -> Step<V> {
        let source = match side {
            Side::Left => FROM_LEFT,
            Side::Right => FROM_RIGHT,
        };
        let complete = self.parts.add(source, vec![value]);
        Step { sends: Vec::new(), answers: self.finish(complete) }
    }

    fn finish(&mut self, complete: Option<Vec<Vec<V>>>) -> Option<Vec<RingMember<V>>> {
        let mut parts = complete?.into_iter();
        let values = parts.next()?;
        let n = values.len();
        let (left, right) = match (parts.next(), parts.next()) {
            (Some(mut left), Some(mut right)) => (left.pop()?, right.pop()?),
            _ => (values[n - 1].clone(), values[0].clone()),
        };
        // A ring is always waited for.
        self.locals.end()?;
        for local in 0..n {
            self.locals.test(local);
        }
        let member = |i: usize| RingMember {
            place: self.first + i as u32,
            size: self.size,
            left: if i == 0 { left.clone() } else { values[i - 1].clone() },
            right: if i + 1 == n { right.clone() } else { values[i + 1].clone() },
        };
        Some((0..n).map(member).collect())
    }

    /// Messages sent to other nodes: two per exchange, none when all processes are on this node.
    pub fn sent(&self) -> u64 {
        self.sent
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn alone_on_one_node() {
        let mut ring = Ring::new(0, &[3, 0]);
        assert_eq!(ring.enter(2, 'c').unwrap().answers, None);
        assert_eq!(ring.enter(0, 'a').unwrap().answers, None);
        let step = ring.enter(1, 'b').unwrap();
        assert!(step.sends.is_empty());
        let answers = step.answers.unwrap();
        assert_eq!(answers[0], RingMember { place: 0, size: 3, left: 'c', right: 'b' });
        assert_eq!(answers[2], RingMember { place: 2, size: 3, left: 'b', right: 'a' });
        let mut one = Ring::new(0, &[1]);
        assert_eq!(
            one.enter(0, 'x').unwrap().answers.unwrap()[0],
            RingMember { place: 0, size: 1, left: 'x', right: 'x' }
        );
    }

    #[test]
    fn a_process_waits_for_its_answer() {
        let mut ring = Ring::new(0, &[2, 1]);
        ring.enter(0, 1).unwrap();
        assert_eq!(ring.enter(0, 1), Err(Busy { local: 0 }));
    }

    /// A node, the side on which messages reach it, and those on their way.
    type Wire = ((u32, Side), VecDeque<(u32, usize)>);

    proptest! {
        /// Any nodes, any order of arrival, several exchanges: everybody gets its neighbours of the same exchange, with
        /// two messages per node and exchange.
        #[test]
        fn everybody_gets_its_neighbours(
            counts in prop::collection::vec(0..4_u32, 1..6),
            exchanges in 1..4_usize,
            choices in prop::collection::vec(any::<prop::sample::Index>(), 400),
        ) {
            prop_assume!(counts.iter().sum::<u32>() > 0);
            let with: Vec<u32> = (0..counts.len() as u32).filter(|n| counts[*n as usize] > 0).collect();
            let mut rings: Vec<Option<Ring<(u32, usize)>>> =
                (0..counts.len()).map(|n| (counts[n] > 0).then(|| Ring::new(n as u32, &counts))).collect();
            // Each place in the ring: its node, index, and exchanges entered and ended.
            let places: Vec<(u32, usize)> =
                with.iter().flat_map(|n| (0..counts[*n as usize] as usize).map(move |i| (*n, i))).collect();
            let size = places.len();
            let (mut entered, mut ended) = (vec![0; size], vec![0; size]);
            // Messages on their way, in order for each pair of node and side.
            let mut wires: Vec<Wire> = Vec::new();
            for choice in choices.iter().cycle() {
                let mut moves: Vec<(bool, usize)> = Vec::new();
                moves.extend((0..size).filter(|p| entered[*p] == ended[*p] && entered[*p] < exchanges).map(|p| (true, p)));
                moves.extend((0..wires.len()).filter(|w| !wires[*w].1.is_empty()).map(|w| (false, w)));
                if moves.is_empty() { break; }
                let (enters, which) = moves[choice.index(moves.len())];
                let (node, step) = if enters {
                    let (node, local) = places[which];
                    let value = (which as u32, entered[which]);
                    entered[which] += 1;
                    (node, rings[node as usize].as_mut().unwrap().enter(local, value).unwrap())
                } else {
                    let ((node, side), queue) = &mut wires[which];
                    let value = queue.pop_front().unwrap();
                    (*node, rings[*node as usize].as_mut().unwrap().receive(*side, value))
                };
                for (to, side, value) in step.sends {
                    match wires.iter_mut().find(|(key, _)| *key == (to, side)) {
                        Some((_, queue)) => queue.push_back(value),
                        None => wires.push(((to, side), VecDeque::from([value]))),
                    }
                }
                for (local, member) in step.answers.into_iter().flatten().enumerate() {
                    let place = member.place as usize;
                    prop_assert_eq!(places[place], (node, local));
                    let round = ended[place];
                    prop_assert_eq!(member.size as usize, size);
                    prop_assert_eq!(member.left, (((place + size - 1) % size) as u32, round));
                    prop_assert_eq!(member.right, (((place + 1) % size) as u32, round));
                    ended[place] += 1;
                }
            }
            prop_assert!(ended.iter().all(|e| *e == exchanges), "{:?}", ended);
            for node in &with {
                let sent = if with.len() == 1 { 0 } else { 2 * exchanges as u64 };
                prop_assert_eq!(rings[*node as usize].as_ref().unwrap().sent(), sent);
            }
        }
    }
}
