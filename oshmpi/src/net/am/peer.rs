//! The state of a PE to which this PE sends requests: which requests are gathered, which have left, and where answers
//! go. Requests are numbered from 1. The target carries them out, and answers them, in that order.

use super::wire::{Request, padded};
use super::{AT_ONCE, DEPTH, LOAD};
use crate::memory::local::Dest;
use crate::transport::node;
use std::collections::VecDeque;

/// A message of requests.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    requests: u64,
    places: Vec<Dest<'static>>,
    answer_len: usize,
}

/// A batch that has left and is not answered.
struct Sent {
    requests: u64,
    places: Vec<Dest<'static>>,
}

#[derive(Default)]
pub(super) struct Peer {
    /// The requests that are gathered and not sent yet.
    pub(super) batch: Batch,
    sent: VecDeque<Sent>,
    issued: u64,
    done: u64,
    /// A thread waits for requests of the batch.
    wanted: bool,
    /// The PE is in the list of those that may have requests without an answer.
    is_open: bool,
}

impl Peer {
    /// Whether there is a batch that may leave, given the messages under way.
    pub(super) fn may_leave(&self) -> bool {
        let load = self.batch.bytes.len().max(self.batch.answer_len);
        let room = self.sent.len() < AT_ONCE || self.sent.len() < DEPTH && (self.wanted || load >= LOAD);
        self.gathers() && room
    }

    /// Whether requests are gathered and not sent yet.
    pub(super) fn gathers(&self) -> bool {
        self.batch.requests > 0
    }

    /// Notes that a thread waits for the requests up to `number`.
    pub(super) fn want(&mut self, number: u64) {
        self.wanted |= number > self.issued - self.batch.requests;
    }

    /// The number of the last request.
    pub(super) fn issued(&self) -> u64 {
        self.issued
    }

    /// All requests up to this number are carried out and answered.
    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// Whether the request fits into the batch, and its answer into the batch's answer, in `limit` bytes.
    pub(super) fn fits(&self, request: &Request, limit: usize) -> bool {
        let b = &self.batch;
        b.requests == 0 || b.bytes.len() + request.len() <= limit && b.answer_len + request.answer_len() <= limit
    }

    /// Notes that the PE is among those that may have requests without an answer. Whether it was not before.
    pub(super) fn opens(&mut self) -> bool {
        !core::mem::replace(&mut self.is_open, true)
    }

    /// Whether all requests are answered. Then the PE is not among those any more.
    pub(super) fn closes(&mut self) -> bool {
        self.is_open = self.done < self.issued;
        !self.is_open
    }

    /// Adds a request and returns its number. `place` is where the answer goes, if there is one.
    pub(super) fn add(&mut self, request: &Request, place: Option<Dest>) -> u64 {
        debug_assert_eq!(place.is_some(), request.answer_len() > 0);
        request.write(&mut self.batch.bytes);
        self.batch.answer_len += request.answer_len();
        self.batch.requests += 1;
        // SAFETY: the maker of the place has promised it until the answer is here, and `answered` forgets it then.
        self.batch.places.extend(place.map(|place| unsafe { place.held() }));
        self.issued += 1;
        self.issued
    }

    /// The bytes of the batch, which the caller sends. No memory is kept for the next batch.
    pub(super) fn take_batch(&mut self) -> Vec<u8> {
        self.wanted = false;
        let Batch { bytes, requests, places, .. } = core::mem::take(&mut self.batch);
        self.sent.push_back(Sent { requests, places });
        bytes
    }

    /// Takes the answer to the oldest message that has left. An error tells what is wrong with it.
    pub(super) fn answered(&mut self, mut answer: &[u8]) -> Result<(), &'static str> {
        let sent = self.sent.pop_front().ok_or("an answer to nothing")?;
        for place in &sent.places {
            let len = padded(place.len());
            let bytes = answer.get(..len).ok_or("an answer that is too short")?;
            // SAFETY: the place can be written until its request is answered, which happens here. The answer has its
            // length.
            unsafe { node::copy(place.at(), bytes.as_ptr(), place.len()) };
            answer = &answer[len..];
        }
        self.done += sent.requests;
        if answer.is_empty() { Ok(()) } else { Err("an answer that is too long") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::addr::{SegId, SymRange};
    use crate::memory::local::Source;

    static SOURCE: [u8; LOAD] = [0; LOAD];

    fn add(peer: &mut Peer, len: usize) {
        let at = SymRange { seg: SegId::Heap, off: 0, len };
        peer.add(&Request::Put { at, source: Source::of_slice(&SOURCE).part(0, len) }, None);
    }

    fn leaves(peer: &mut Peer) -> bool {
        let leaves = peer.may_leave();
        if leaves {
            peer.take_batch();
        }
        leaves
    }

    fn answered(peer: &mut Peer) {
        peer.answered(&[]).unwrap();
    }

    #[test]
    fn short_ones_leave_at_once_while_few_are_under_way() {
        let mut peer = Peer::default();
        assert!(!leaves(&mut peer), "there is nothing");
        for _ in 0..AT_ONCE {
            add(&mut peer, 8);
            assert!(leaves(&mut peer));
        }
        add(&mut peer, 8);
        add(&mut peer, 8);
        assert!(!leaves(&mut peer) && peer.gathers());
        answered(&mut peer);
        assert!(leaves(&mut peer) && !peer.gathers());
        (1..=AT_ONCE).for_each(|_| answered(&mut peer));
        assert_eq!(peer.done(), peer.issued());
    }

    #[test]
    fn what_is_worth_a_message_leaves_beside_others_up_to_the_depth() {
        let mut peer = Peer::default();
        for _ in 0..DEPTH {
            add(&mut peer, LOAD);
            assert!(leaves(&mut peer));
        }
        add(&mut peer, LOAD);
        assert!(!leaves(&mut peer));
        answered(&mut peer);
        assert!(leaves(&mut peer));
    }

    #[test]
    fn what_is_waited_for_leaves_as_soon_as_there_is_room() {
        let mut peer = Peer::default();
        for _ in 0..DEPTH {
            add(&mut peer, LOAD);
            assert!(leaves(&mut peer));
        }
        peer.want(peer.issued());
        add(&mut peer, 8);
        answered(&mut peer);
        assert!(!leaves(&mut peer), "only what had left was wanted");
        peer.want(peer.issued());
        assert!(leaves(&mut peer));
        add(&mut peer, 8);
        answered(&mut peer);
        assert!(!leaves(&mut peer), "wanted was what has left");
    }
}
