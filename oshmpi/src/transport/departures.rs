//! Departures: a PE has left without finalize, which PEs of other nodes are told. This travels over the job's
//! communicator, with a tag of its own, down a binary tree of all PEs whose root is the PE that has left. So each PE
//! sends at most two messages of 8 bytes for a departure, and passes on at most [`MOST`] departures. A PE sends and
//! receives them only in waits that last.

use super::job_comm;
use crate::mpi::MpiError;
use crate::mpi::packet::Packet;
use core::ffi::c_int;
use std::sync::{Mutex, MutexGuard};

/// Departures that a PE passes on. One is enough to end a job.
const MOST: usize = 8;

/// A PE has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Departure {
    pub(crate) pe: u32,
    /// After start_pes, which needs no finalize.
    pub(crate) in_order: bool,
}

/// What this PE knows.
pub(crate) struct Departures {
    tag: c_int,
    me: u32,
    n: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: Vec<Departure>,
    /// Each with its bytes, until it has left. Eight bytes leave at once.
    sending: Vec<(Packet, Box<[u8; 8]>)>,
}

impl Departures {
    pub(crate) fn new(tag: c_int, me: u32, n: u32) -> Departures {
        Departures { tag, me, n, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// This PE has left. The second call does nothing.
    pub(crate) fn announce(&self, in_order: bool) -> Result<(), MpiError> {
        self.take(&mut self.lock(), Departure { pe: self.me, in_order })
    }

    /// Receives and passes on what has come. Gives all that is known.
    pub(crate) fn look(&self) -> Result<Vec<Departure>, MpiError> {
        let mut state = self.lock();
        while let Some(found) = job_comm::comm().find_packet(self.tag)? {
            let mut bytes = [0; 8];
            // SAFETY: such messages have 8 bytes, as many as there is room. The room stays until the packet has
            // arrived.
            let mut packet = unsafe { found.receive(bytes.as_mut_ptr(), bytes.len())? };
            while packet.arrived()?.is_none() {}
            let word = u64::from_ne_bytes(bytes);
            self.take(&mut state, Departure { pe: word as u32, in_order: word >> 32 != 0 })?;
        }
        Ok(state.known.clone())
    }

    fn take(&self, state: &mut State, departure: Departure) -> Result<(), MpiError> {
        if state.known.len() >= MOST || state.known.contains(&departure) {
            return Ok(());
        }
        state.known.push(departure);
        for to in children(departure.pe, self.me, self.n) {
            let bytes = Box::new((u64::from(departure.pe) | u64::from(departure.in_order) << 32).to_ne_bytes());
            // SAFETY: the box is kept to the end of the process, and nobody writes to it.
            let packet = unsafe { job_comm::comm().send_packet(to, self.tag, bytes.as_ptr(), bytes.len())? };
            state.sending.push((packet, bytes));
        }
        Ok(())
    }
}

/// The PEs to which PE `me` of `n` passes on what PE `root` has begun: at most two.
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
}
