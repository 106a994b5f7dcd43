//! The ends of PEs, announced by tagged messages of a word in a job on several nodes. A PE sends and receives them only
//! in waits that last.
//!
//! * A PE has left without finalize. The message travels down a binary tree of all PEs whose root is the PE that has
//!   left: at most two messages of each PE for a departure, and at most [`MOST`] departures.
//! * A PE is in finalize. It tells only those PEs that have asked, because their wait for a message from it lasts: at
//!   most two messages between two PEs, between two finalizes.

use super::carrier::Carrier;
use super::tagged::DEPARTURES;
use crate::net::NetError;
use std::sync::{Mutex, MutexGuard};

/// Departures that a PE passes on, at most. One is enough to end a job; more only make the line complete.
const MOST: usize = 8;

/// Polls for messages before MPI ends. A message that is here is found by the first or second poll. Each one of the
/// others takes about a microsecond.
const POLLS_AT_END: usize = 16;

/// A PE has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Departure {
    pub(crate) pe: u32,
    /// The PE has left after start_pes, which needs no finalize.
    pub(crate) in_order: bool,
}

/// The departures that this PE knows of.
pub(crate) struct Departures {
    carrier: Carrier,
    me: u32,
    n: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: Vec<Departure>,
    questions: Questions,
}

impl Departures {
    pub(crate) fn new(carrier: Carrier, me: u32, n: u32) -> Departures {
        Departures { carrier, me, n, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Asks PE `pe` whether it is in finalize, unless it has been asked.
    pub(crate) fn ask(&self, pe: u32) -> Result<(), NetError> {
        match self.lock().questions.ask(pe) {
            Some(word) => self.send(pe, word, self.me),
            None => Ok(()),
        }
    }

    /// Whether PE `pe` has answered that it is in finalize. All messages that it sent this PE have arrived then: they
    /// left before the answer.
    pub(crate) fn is_in_finalize(&self, pe: u32) -> bool {
        self.lock().questions.is_in_finalize(pe)
    }

    /// This PE is in finalize: answers those that have asked.
    pub(crate) fn answer(&self) -> Result<(), NetError> {
        let answers = self.lock().questions.answers();
        answers.into_iter().try_for_each(|(pe, word)| self.send(pe, word, self.me))
    }

    /// All PEs have come to a finalize, so what was asked and answered before is over.
    pub(crate) fn finalize_is_over(&self) {
        self.lock().questions.finalize_is_over();
    }

    /// Announces that this PE has left. A second call does nothing.
    pub(crate) fn announce(&self, in_order: bool) -> Result<(), NetError> {
        self.take(&mut self.lock(), Departure { pe: self.me, in_order })
    }

    /// The departures that this PE has received.
    pub(crate) fn known(&self) -> Vec<Departure> {
        self.lock().known.clone()
    }

    /// Receives what has come, and passes on departures.
    pub(crate) fn look(&self) -> Result<(), NetError> {
        let mut state = self.lock();
        while let Some(word) = self.carrier.next_word(DEPARTURES)? {
            match Notice::decode(word) {
                (pe, Notice::Left { in_order }) => self.take(&mut state, Departure { pe, in_order })?,
                (pe, word) => state.questions.received(pe, word),
            }
        }
        Ok(())
    }

    /// Receives the questions and answers that nobody needs any more. UCX, on which MPICH may run, prints a warning to
    /// standard output for each message that is never received. All PEs are at their last call, so none sends another.
    pub(crate) fn close(&self) {
        for _ in 0..POLLS_AT_END {
            let _ = self.look(); // a failure leaves nothing to do: MPI ends
        }
    }

    fn take(&self, state: &mut State, departure: Departure) -> Result<(), NetError> {
        if state.known.len() >= MOST || state.known.contains(&departure) {
            return Ok(());
        }
        state.known.push(departure);
        children(departure.pe, self.me, self.n)
            .try_for_each(|to| self.send(to, Notice::Left { in_order: departure.in_order }, departure.pe))
    }

    /// Sends PE `to` what is to be told of PE `of`.
    fn send(&self, to: u32, word: Notice, of: u32) -> Result<(), NetError> {
        self.carrier.send_word(to, DEPARTURES, word.encode(of))
    }
}

/// What a message says of a PE. Questions and answers have the number of finalizes that are over: a finalize is
/// collective, so what belongs to an earlier one is known by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Notice {
    Left { in_order: bool },
    Asks { finalizes: u16 },
    IsInFinalize { finalizes: u16 },
}

impl Notice {
    fn encode(self, pe: u32) -> u64 {
        let (kind, number) = match self {
            Notice::Left { in_order } => (0, u16::from(in_order)),
            Notice::Asks { finalizes } => (1, finalizes),
            Notice::IsInFinalize { finalizes } => (2, finalizes),
        };
        u64::from(pe) | u64::from(number) << 32 | kind << 48
    }

    fn decode(word: u64) -> (u32, Notice) {
        let number = (word >> 32) as u16;
        let what = match word >> 48 {
            0 => Notice::Left { in_order: number != 0 },
            1 => Notice::Asks { finalizes: number },
            _ => Notice::IsInFinalize { finalizes: number },
        };
        (word as u32, what)
    }
}

/// Who has asked whom whether it is in finalize.
#[derive(Default)]
struct Questions {
    /// How many finalizes are over.
    finalizes: u16,
    asked: Vec<u32>,
    /// Those that have answered.
    in_finalize: Vec<u32>,
    /// Those that wait for an answer of this PE, each with the number it has sent: it may be at the next finalize
    /// before this PE knows that one is over.
    askers: Vec<(u32, u16)>,
}

impl Questions {
    /// The question for PE `pe`. None: it has been asked.
    fn ask(&mut self, pe: u32) -> Option<Notice> {
        let is_new = !self.asked.contains(&pe);
        is_new.then(|| {
            self.asked.push(pe);
            Notice::Asks { finalizes: self.finalizes }
        })
    }

    fn received(&mut self, pe: u32, word: Notice) {
        match word {
            Notice::Asks { finalizes } => self.askers.push((pe, finalizes)),
            Notice::IsInFinalize { finalizes } if finalizes == self.finalizes => self.in_finalize.push(pe),
            Notice::IsInFinalize { .. } | Notice::Left { .. } => {}
        }
    }

    fn is_in_finalize(&self, pe: u32) -> bool {
        self.in_finalize.contains(&pe)
    }

    /// Who has asked about this finalize, and the answer.
    fn answers(&mut self) -> Vec<(u32, Notice)> {
        let finalizes = self.finalizes;
        let now = self.askers.extract_if(.., |(_, asked)| *asked == finalizes);
        now.map(|(pe, _)| (pe, Notice::IsInFinalize { finalizes })).collect()
    }

    fn finalize_is_over(&mut self) {
        let next = self.finalizes.wrapping_add(1);
        // Questions about a finalize that is over need no answer.
        self.askers.retain(|(_, asked)| *asked == next);
        *self = Questions { finalizes: next, askers: core::mem::take(&mut self.askers), ..Questions::default() };
    }
}

/// The children of PE `me` of `n` in the tree of PE `root`: at most two.
fn children(root: u32, me: u32, n: u32) -> impl Iterator<Item = u32> {
    let (root, n) = (u64::from(root), u64::from(n));
    let place = (u64::from(me) + n - root) % n;
    (2 * place + 1..=2 * place + 2).filter(move |&place| place < n).map(move |place| ((place + root) % n) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_departure_reaches_everybody_once() {
        for n in [1, 2, 3, 7, 8, 100] {
            for root in [0, n / 2, n - 1] {
                let mut reached = vec![root];
                let mut next = 0;
                while let Some(&me) = reached.get(next) {
                    assert!(children(root, me, n).count() <= 2);
                    reached.extend(children(root, me, n));
                    next += 1;
                }
                reached.sort_unstable();
                assert_eq!(reached, (0..n).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn words_travel_whole() {
        for word in [
            Notice::Left { in_order: false },
            Notice::Left { in_order: true },
            Notice::Asks { finalizes: 0 },
            Notice::Asks { finalizes: u16::MAX },
            Notice::IsInFinalize { finalizes: 7 },
        ] {
            assert_eq!(Notice::decode(word.encode(u32::MAX)), (u32::MAX, word));
        }
    }

    /// A PE asks once, is answered by a PE that is in finalize, and forgets the answer when that finalize is over.
    #[test]
    fn an_answer_is_about_one_finalize() {
        let (mut waits, mut ends) = (Questions::default(), Questions::default());
        for _ in 0..3 {
            let question = waits.ask(5).expect("the first time");
            assert_eq!(waits.ask(5), None, "one question for each finalize");
            assert_eq!(ends.answers(), []);
            ends.received(2, question);
            let answers = ends.answers();
            assert_eq!(answers.len(), 1);
            assert_eq!(ends.answers(), [], "one answer for a question");
            assert!(!waits.is_in_finalize(5));
            waits.received(5, answers[0].1);
            assert!(waits.is_in_finalize(5) && !waits.is_in_finalize(4));
            waits.finalize_is_over();
            assert!(!waits.is_in_finalize(5), "the PE may be up again");
            waits.received(5, answers[0].1);
            assert!(!waits.is_in_finalize(5), "an answer that comes late");
            ends.finalize_is_over();
        }
    }

    /// A question that comes before this PE knows that a finalize is over is answered at the next one, and a question
    /// about a finalize that is over is not answered.
    #[test]
    fn a_question_belongs_to_one_finalize() {
        let mut ends = Questions::default();
        ends.received(1, Notice::Asks { finalizes: 1 });
        ends.received(2, Notice::Asks { finalizes: 0 });
        assert_eq!(ends.answers(), [(2, Notice::IsInFinalize { finalizes: 0 })]);
        ends.received(3, Notice::Asks { finalizes: 0 });
        ends.finalize_is_over();
        assert_eq!(ends.answers(), [(1, Notice::IsInFinalize { finalizes: 1 })]);
        assert!(ends.askers.is_empty());
    }
}
