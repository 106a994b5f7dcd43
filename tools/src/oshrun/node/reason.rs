//! Which of several failures is the reason.
//!
//! When a rank dies, others notice it through their own connections, and may end or ask for the end of the job before the node
//! server is told of the death: the kernel closes a process' connections first. So a failure that may follow from another rank's
//! end waits for that end while one is under way.

use super::REASON;
use crate::link::Failure;
use std::time::Instant;

/// A failure that waits.
#[derive(Default)]
pub struct Reason(Option<(Instant, Failure)>);

impl Reason {
    /// Weighs a failure; returns the one that counts, if that is known. `may_follow`: it may follow from another one;
    /// `under_way`: another rank is ending.
    pub fn weigh(&mut self, failure: Failure, may_follow: bool, under_way: bool) -> Option<Failure> {
        if !may_follow {
            self.0 = None;
            return Some(failure);
        }
        self.0.get_or_insert((Instant::now() + REASON, failure));
        self.due(under_way)
    }

    /// The failure that waited, if it has waited long enough.
    pub fn due(&mut self, under_way: bool) -> Option<Failure> {
        self.0.take_if(|(until, _)| !under_way || Instant::now() >= *until).map(|(_, failure)| failure)
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
        let mut reason = Reason::default();
        assert_eq!(reason.weigh(failure(9), true, false), Some(failure(9)), "nobody else ends");
        assert_eq!(reason.weigh(failure(9), true, true), None);
        assert_eq!(reason.weigh(failure(8), true, true), None, "the first of those that follow counts");
        assert!(reason.until().is_some() && reason.due(true).is_none());
        assert_eq!(reason.weigh(failure(137), false, true), Some(failure(137)), "the reason");
        assert_eq!(reason.due(false), None);
        assert_eq!(reason.weigh(failure(9), true, true), None);
        assert_eq!(reason.due(false), Some(failure(9)), "the other one ended well");
    }
}
