//! Which of several failures is the cause.
//!
//! When a rank dies, the kernel closes its connections before it reports the end. So other ranks may notice the death,
//! and end or abort the job, before the node server is told of it. For this reason a failure that may follow from
//! another rank's end waits while another rank is ending.

use super::CAUSE_WAIT;
use crate::control::Failure;
use std::time::Instant;

/// A failure that waits for its cause.
#[derive(Default)]
pub struct Cause(Option<(Instant, Failure)>);

impl Cause {
    /// Takes a failure in, and returns the one that counts, if that is known. `may_be_consequence`: the failure may
    /// follow from another one. `under_way`: another rank is ending.
    pub fn weigh(&mut self, failure: Failure, may_be_consequence: bool, under_way: bool) -> Option<Failure> {
        if !may_be_consequence {
            self.0 = None;
            return Some(failure);
        }
        self.0.get_or_insert((Instant::now() + CAUSE_WAIT, failure));
        self.due(|| under_way)
    }

    /// The failure that waited, if it has waited long enough. `under_way` is called only if a failure waits: it reads a
    /// file for each rank.
    pub fn due(&mut self, under_way: impl FnOnce() -> bool) -> Option<Failure> {
        self.0.take_if(|(until, _)| !under_way() || Instant::now() >= *until).map(|(_, failure)| failure)
    }

    pub fn until(&self) -> Option<Instant> {
        self.0.as_ref().map(|(until, _)| *until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_waits_for_what_it_follows_from() {
        let failure = |code| Failure { code, text: String::new() };
        let mut cause = Cause::default();
        assert_eq!(cause.weigh(failure(9), true, false), Some(failure(9)), "nobody else ends");
        assert_eq!(cause.weigh(failure(9), true, true), None);
        assert_eq!(cause.weigh(failure(8), true, true), None, "the first of those that follow counts");
        assert!(cause.until().is_some() && cause.due(|| true).is_none());
        assert_eq!(cause.weigh(failure(137), false, true), Some(failure(137)), "the cause");
        assert_eq!(cause.due(|| unreachable!("nobody is looked at where no failure waits")), None);
        assert_eq!(cause.weigh(failure(9), true, true), None);
        assert_eq!(cause.due(|| false), Some(failure(9)), "the other one ended well");
    }
}
