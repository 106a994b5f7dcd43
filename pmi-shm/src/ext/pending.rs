//! Gets that wait for their Put.

use std::collections::HashMap;

/// Who waits for which key. `W` names who waits: a process on the node where the Get came in, a node at the owner.
#[derive(Debug)]
pub struct Pending<W> {
    keys: HashMap<Vec<u8>, Vec<W>>,
}

impl<W> Default for Pending<W> {
    fn default() -> Self {
        Pending { keys: HashMap::new() }
    }
}

impl<W: PartialEq> Pending<W> {
    pub fn new() -> Pending<W> {
        Pending::default()
    }

    /// `who` waits for `key`. True: nobody did before, so a request must be sent on; for the others its answer serves
    /// as well.
    pub fn wait(&mut self, key: &[u8], who: W) -> bool {
        if let Some(waiting) = self.keys.get_mut(key) {
            if !waiting.contains(&who) {
                waiting.push(who);
            }
            return false;
        }
        self.keys.insert(key.to_vec(), vec![who]);
        true
    }

    /// The key has its value: whom to answer, in the order in which they came.
    pub fn serve(&mut self, key: &[u8]) -> Vec<W> {
        self.keys.remove(key).unwrap_or_default()
    }

    /// `who` is gone. The request for a key that only it waited for is under way; the key stays known, so that a
    /// second request is not sent and the answer is not a surprise.
    pub fn forget(&mut self, who: &W) {
        for waiting in self.keys.values_mut() {
            waiting.retain(|w| w != who);
        }
    }

    /// Keys that are waited for.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// All keys waited for; a job that ends can say what it still waited for.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.keys.keys().map(Vec::as_slice)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_request_serves_all() {
        let mut pending = Pending::new();
        assert!(pending.wait(b"k", 3));
        assert!(!pending.wait(b"k", 1));
        assert!(!pending.wait(b"k", 3), "asked twice, answered once");
        assert!(pending.wait(b"other", 1));
        assert_eq!(pending.serve(b"k"), [3, 1]);
        assert_eq!(pending.serve(b"k"), []);
        assert!(pending.wait(b"k", 3), "a new wait needs a new request");
        assert_eq!(pending.len(), 2);
    }

    #[test]
    fn who_is_gone_is_not_answered() {
        let mut pending = Pending::new();
        assert!(pending.wait(b"k", 3));
        pending.forget(&3);
        assert!(!pending.wait(b"k", 4), "the request is under way");
        assert_eq!(pending.serve(b"k"), [4]);
        assert!(pending.is_empty());
    }

    proptest! {
        /// Whoever waits and stays is answered by the next put of its key, once.
        #[test]
        fn everybody_is_answered_once(calls in prop::collection::vec((0..4_u8, 0..3_u8, 0..3_u8), 0..200)) {
            let mut pending = Pending::new();
            let mut waits: Vec<(u8, u8)> = Vec::new();
            for (who, key, call) in calls {
                match call {
                    0 => {
                        pending.wait(&[key], who);
                        if !waits.contains(&(key, who)) { waits.push((key, who)); }
                    }
                    1 => {
                        let due: Vec<u8> = waits.iter().filter(|(k, _)| *k == key).map(|(_, w)| *w).collect();
                        waits.retain(|(k, _)| *k != key);
                        prop_assert_eq!(pending.serve(&[key]), due);
                    }
                    _ => {
                        pending.forget(&who);
                        waits.retain(|(_, w)| *w != who);
                    }
                }
            }
        }
    }
}
