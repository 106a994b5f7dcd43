//! Gets that wait for their Put.

use std::collections::HashMap;

/// Who waits for which key. `W` names who waits: a process on the node where the Get came in, or a node at the owner.
#[derive(Debug)]
pub struct WaitList<W>(HashMap<Vec<u8>, Vec<W>>);

impl<W> Default for WaitList<W> {
    fn default() -> Self {
        WaitList(HashMap::new())
    }
}

impl<W: PartialEq> WaitList<W> {
    /// `who` waits for `key`. True: nobody waited before, so a request must be sent on. Its answer serves all later
    /// ones.
    pub fn wait(&mut self, key: &[u8], who: W) -> bool {
        let Some(waiting) = self.0.get_mut(key) else {
            self.0.insert(key.to_vec(), vec![who]);
            return true;
        };
        if !waiting.contains(&who) {
            waiting.push(who);
        }
        false
    }

    /// Those who wait for a key that has got its value, in the order in which they came. They wait no longer.
    pub fn serve(&mut self, key: &[u8]) -> Vec<W> {
        self.0.remove(key).unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn one_request_serves_all() {
        let mut list = WaitList::default();
        assert!(list.wait(b"k", 3));
        assert!(!list.wait(b"k", 1));
        assert!(!list.wait(b"k", 3), "asked twice, answered once");
        assert!(list.wait(b"other", 1));
        assert_eq!(list.serve(b"k"), [3, 1]);
        assert_eq!(list.serve(b"k"), []);
        assert!(list.wait(b"k", 3), "a new wait needs a new request");
        assert_eq!((list.serve(b"k"), list.serve(b"other")), (vec![3], vec![1]));
        assert!(list.is_empty());
    }
}
