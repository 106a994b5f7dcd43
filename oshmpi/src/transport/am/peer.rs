//! What a PE knows of one it sends requests to: which of them are gathered, which have left, and where answers go.
//! Requests are numbered from 1; a target carries them out, and answers, in that order.

use super::wire::{Request, padded};
use std::collections::VecDeque;

/// Where an answer goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) to: *mut u8,
    pub(super) len: usize,
}

// SAFETY: an address; whoever gave it keeps what lies there until the answer has come.
unsafe impl Send for Place {}

/// A message of requests.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    requests: u64,
    places: Vec<Place>,
    answer_len: usize,
}

/// A batch that has left.
struct Sent {
    requests: u64,
    places: Vec<Place>,
}

#[derive(Default)]
pub(super) struct Peer {
    /// Gathered, not sent yet.
    pub(super) batch: Batch,
    sent: VecDeque<Sent>,
    issued: u64,
    done: u64,
}

impl Peer {
    /// Messages that have left and are not answered.
    pub(super) fn under_way(&self) -> usize {
        self.sent.len()
    }

    /// Number of the last request.
    pub(super) fn issued(&self) -> u64 {
        self.issued
    }

    /// Requests carried out and answered: all up to this number.
    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// The request fits into the batch, and its answer into the batch's answer.
    pub(super) fn fits(&self, request: &Request, limit: usize) -> bool {
        let b = &self.batch;
        b.requests == 0 || b.bytes.len() + request.len() <= limit && b.answer_len + request.answer_len() <= limit
    }

    /// Adds a request; gives its number. `place` is there for one that is answered.
    ///
    /// # Safety
    /// What a put puts can be read.
    pub(super) unsafe fn add(&mut self, request: &Request, place: Option<Place>) -> u64 {
        debug_assert_eq!(place.is_some(), request.answer_len() > 0);
        // SAFETY: passed on to the caller.
        unsafe { request.write(&mut self.batch.bytes) };
        self.batch.answer_len += request.answer_len();
        self.batch.requests += 1;
        self.batch.places.extend(place);
        self.issued += 1;
        self.issued
    }

    /// The bytes of the batch, to be sent now; `fresh` is what the next one is written to. An error: there is nothing,
    /// and `fresh` is not needed.
    pub(super) fn take_batch(&mut self, fresh: Vec<u8>) -> Result<Vec<u8>, Vec<u8>> {
        if self.batch.requests == 0 {
            return Err(fresh);
        }
        let Batch { bytes, requests, places, .. } =
            core::mem::replace(&mut self.batch, Batch { bytes: fresh, ..Batch::default() });
        self.sent.push_back(Sent { requests, places });
        Ok(bytes)
    }

    /// The oldest message that has left is answered.
    ///
    /// # Safety
    /// The places given to `add` can be written.
    pub(super) unsafe fn answered(&mut self, mut answer: &[u8]) -> Result<(), &'static str> {
        let sent = self.sent.pop_front().ok_or("an answer to nothing")?;
        for place in &sent.places {
            let len = padded(place.len);
            let bytes = answer.get(..len).ok_or("an answer that is too short")?;
            // SAFETY: passed on to the caller.
            unsafe { crate::transport::node::copy(place.to, bytes.as_ptr(), place.len) };
            answer = &answer[len..];
        }
        self.done += sent.requests;
        if answer.is_empty() { Ok(()) } else { Err("an answer that is too long") }
    }
}
