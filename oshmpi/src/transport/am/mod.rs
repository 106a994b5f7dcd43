//! Active messages: what a PE wants done to another's memory travels as a message, and the target carries it out with
//! plain copies and CPU atomics, in whichever thread looks first: one that waits, one that issues, or the helper thread.
//! So a word has one executor, the CPUs of its node, and node peers need no message.
//!
//! Requests to one PE are carried out in the order they were issued, and answered in that order. The first ones go at
//! once; while [`AT_ONCE`] messages are not answered yet, later requests are gathered into one message, which leaves when
//! fewer are, when it holds [`LOAD`] bytes, or when somebody waits for it; [`DEPTH`] are under way at most.
//!
//! Whoever waits for an answer serves others meanwhile, so two PEs that wait for each other do not wait for ever. No
//! lock is held while anybody waits.

mod net;
mod peer;
mod target;
#[cfg(test)]
mod threads;
mod wire;

pub(crate) use target::Own;

use super::remote::Amo;
use crate::diag::fatal;
use crate::memory::addr::SymRange;
use crate::mpi::{Comm, MpiError};
use crate::sync::Wait;
use crate::sync::order;
use crate::sync::wait::{Backoff, EventCount, WaitPolicy, Waiter};
use core::sync::atomic::AtomicU32;
use net::{Kind, MpiNet, Net};
use peer::{Peer, ReplyBuffer};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, TryLockError};
use wire::{HEAD, Request, WORD};

/// Bytes of a message at most, and of its answer.
const LIMIT: usize = 64 << 10;
/// Bytes that a put or a get moves with one message.
const PIECE: usize = LIMIT - HEAD;
/// Messages to one PE that may wait for their answers.
const DEPTH: usize = 4;
/// So many of them leave whatever they hold: data, and the flag that is put behind them.
const AT_ONCE: usize = 2;
/// Bytes, or bytes of answers, that are worth a message while as many are under way.
const LOAD: usize = 16 << 10;
/// Messages served at a time, so that the caller gets on.
const SERVED: usize = 64;
/// Looks for answers to leave at the end.
const POLLS_AT_END: u32 = 10_000;
/// Looks of a wait after which operations on windows are pushed out: an answer that is on its way comes before.
const POLLS_BEFORE_PUSH: u32 = 64;
/// While requests are being gathered, one look at the network for so many of them.
const GATHERED: u64 = 64;

/// When a request leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// As soon as it may.
    Now,
    /// With the caller's next request to the same PE, which follows at once.
    WithNext,
}

/// What waits and what changes need of the runtime.
#[derive(Clone, Copy)]
pub(crate) struct Hooks {
    pub(crate) policy: WaitPolicy,
    pub(crate) backoff: Backoff,
    /// Between two looks of a wait.
    pub(crate) interrupted: fn(),
    /// In a wait that lasts: operations on windows go out that MPI may keep until a flush.
    pub(crate) push: fn(),
    /// Words of the own memory may have changed.
    pub(crate) changed: fn(),
}

pub(crate) struct Am<N = MpiNet> {
    own: Own,
    hooks: Hooks,
    inner: Mutex<Inner<N>>,
    events: AtomicU32,
    waiters: AtomicU32,
}

struct Inner<N> {
    net: N,
    /// PEs that were sent something.
    peers: HashMap<u32, Peer>,
}

impl Am {
    /// Collective. `posted`: receives stand ready before their messages come; else each is begun when its message is there.
    pub(crate) fn open(own: Own, hooks: Hooks, posted: bool) -> Result<Am, MpiError> {
        Ok(Am::over(MpiNet::new(Comm::world()?, posted)?, own, hooks))
    }
}

impl<N: Net> Inner<N> {
    /// Sends what has been gathered for a PE, if it may leave.
    fn push(&mut self, pe: u32) -> Result<(), MpiError> {
        let Some(peer) = self.peers.get_mut(&pe).filter(|peer| peer.may_leave()) else { return Ok(()) };
        let message = peer.take_batch(self.net.buffer());
        self.net.send(pe, Kind::Request, message)
    }

    /// Somebody waits for the requests to a PE up to this number: they leave as soon as there is room.
    fn want(&mut self, pe: u32, number: u64) -> Result<(), MpiError> {
        if let Some(peer) = self.peers.get_mut(&pe) {
            peer.want(number);
        }
        self.push(pe)
    }

    /// Carries out what others ask for until there is nothing more, or an answer has come: whoever waits may be waiting for
    /// that one, and finding nothing more costs as much as finding something. Gives whether anything had come.
    fn serve(&mut self, own: &Own, changed: fn()) -> Result<bool, MpiError> {
        for served in 0..SERVED {
            let Some((from, kind, message)) = self.net.receive()? else { return Ok(served > 0) };
            order::message_is_here();
            match kind {
                Kind::Request => {
                    let mut answer = self.net.buffer();
                    target::carry_out(own, &message, &mut answer).unwrap_or_else(|why| protocol_error(from, why));
                    order::message_leaves(); // who has the answer may tell a node peer of this PE's
                    self.net.send(from, Kind::Answer, answer)?; // the asker waits for longer than anybody here
                    changed();
                }
                Kind::Answer => {
                    let peer =
                        self.peers.get_mut(&from).unwrap_or_else(|| protocol_error(from, "an answer to nothing"));
                    // SAFETY: the places are those given to `issue`, which stay until now.
                    unsafe { peer.answered(&message) }.unwrap_or_else(|why| protocol_error(from, why));
                    self.push(from)?;
                }
            }
            self.net.done_with(message)?;
            if kind == Kind::Answer {
                break;
            }
        }
        Ok(true)
    }

    fn done(&self, pe: u32, number: u64) -> bool {
        self.peers.get(&pe).is_none_or(|peer| peer.done() >= number)
    }
}

/// Only a mistake of ours, or a process that is none of the job's, makes such a message.
fn protocol_error(from: u32, why: &str) -> ! {
    fatal("oshmpi", format_args!("a message of PE {from} holds {why}"))
}

impl<N: Net> Am<N> {
    fn over(net: N, own: Own, hooks: Hooks) -> Am<N> {
        let inner = Mutex::new(Inner { net, peers: HashMap::new() });
        Am { own, hooks, inner, events: AtomicU32::new(0), waiters: AtomicU32::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<N>> {
        self.inner.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Serves others; gives whether anything had come. None: another thread is at it.
    pub(crate) fn poll(&self) -> Option<bool> {
        let mut inner = match self.inner.try_lock() {
            Ok(inner) => inner,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        // What has been taken and not answered would be waited for in vain.
        let served = inner.serve(&self.own, self.hooks.changed);
        Some(served.unwrap_or_else(|e| {
            fatal("oshmpi", format_args!("a message of another node cannot be answered: {e}"));
        }))
    }

    /// Serves others until `ready`.
    fn wait(&self, mut ready: impl FnMut(&Inner<N>) -> bool) -> Result<(), MpiError> {
        let waiter = Waiter {
            event_count: EventCount { events: &self.events, waiters: &self.waiters },
            policy: self.hooks.policy,
            interrupted: self.hooks.interrupted,
            backoff: self.hooks.backoff,
        };
        let (mut result, mut polls) = (Ok(()), 0);
        waiter.until(|| {
            polls += 1;
            if polls % POLLS_BEFORE_PUSH == 0 {
                (self.hooks.push)();
            }
            let mut inner = self.lock();
            // Later looks asked behind the one before.
            if polls == 1 && ready(&inner) {
                return true;
            }
            result = inner.serve(&self.own, self.hooks.changed).map(drop);
            result.is_err() || ready(&inner)
        });
        result
    }

    /// Issues a request; gives its number. What it refers to is copied.
    ///
    /// # Safety
    /// What a put puts can be read. `place` can be written, by nobody else, until the request is answered.
    unsafe fn issue(
        &self,
        pe: u32,
        request: &Request,
        place: Option<ReplyBuffer>,
        leaves: Leaves,
    ) -> Result<u64, MpiError> {
        let mut inner = self.lock();
        while !inner.peers.entry(pe).or_default().fits(request, LIMIT) {
            inner.want(pe, u64::MAX)?;
            drop(inner);
            self.wait(|inner| inner.peers.get(&pe).is_none_or(|peer| peer.fits(request, LIMIT)))?;
            inner = self.lock(); // another thread may have been quicker
        }
        // SAFETY: passed on to the caller.
        let number = unsafe { inner.peers.entry(pe).or_default().add(request, place) };
        if leaves == Leaves::Now {
            inner.push(pe)?;
        }
        let gathering = inner.peers.get(&pe).is_some_and(Peer::gathers);
        if gathering && number.is_multiple_of(GATHERED) {
            inner.serve(&self.own, self.hooks.changed)?;
        }
        Ok(number)
    }

    /// Puts. The source may be reused when it returns.
    ///
    /// # Safety
    /// `[from, from+range.len)` can be read; the range lies inside the segment.
    pub(crate) unsafe fn put(&self, range: SymRange, pe: u32, from: *const u8, leaves: Leaves) -> Result<(), MpiError> {
        for done in (0..range.len).step_by(PIECE) {
            let len = PIECE.min(range.len - done);
            let at = SymRange { off: range.off + done, len, ..range };
            let from = from.wrapping_add(done);
            // SAFETY: the caller's promise.
            unsafe { self.issue(pe, &Request::Put { at, from }, None, leaves)? };
        }
        Ok(())
    }

    /// Issues a get; gives its last request's number.
    ///
    /// # Safety
    /// `[to, to+range.len)` can be written until `pe` is drained; the range lies inside the segment.
    pub(crate) unsafe fn get_nbi(&self, range: SymRange, pe: u32, to: *mut u8) -> Result<u64, MpiError> {
        let mut last = 0;
        for done in (0..range.len).step_by(PIECE) {
            let len = PIECE.min(range.len - done);
            let at = SymRange { off: range.off + done, len, ..range };
            let place = ReplyBuffer { to: to.wrapping_add(done), len };
            // SAFETY: passed on to the caller.
            last = unsafe { self.issue(pe, &Request::Get { at }, Some(place), Leaves::Now)? };
        }
        Ok(last)
    }

    /// Gets.
    ///
    /// # Safety
    /// `[to, to+range.len)` can be written; the range lies inside the segment.
    pub(crate) unsafe fn get(&self, range: SymRange, pe: u32, to: *mut u8) -> Result<(), MpiError> {
        // SAFETY: passed on to the caller; answered before this returns.
        let last = unsafe { self.get_nbi(range, pe, to)? };
        self.answered(pe, last)
    }

    /// Returns when the requests to `pe` up to this number are answered.
    fn answered(&self, pe: u32, number: u64) -> Result<(), MpiError> {
        self.lock().want(pe, number)?;
        self.wait(|inner| inner.done(pe, number))
    }

    /// An AMO on a word of 4 or 8 bytes; gives the old value.
    pub(crate) fn amo(&self, at: SymRange, pe: u32, amo: Amo) -> Result<u64, MpiError> {
        let mut old = [0u8; WORD];
        let place = ReplyBuffer { to: old.as_mut_ptr(), len: WORD };
        // SAFETY: a local that stays until the answer has come.
        let number = unsafe { self.issue(pe, &Request::Amo { at, amo, answered: true }, Some(place), Leaves::Now)? };
        self.answered(pe, number)?;
        // SAFETY: a local; written through a pointer meanwhile.
        Ok(u64::from_ne_bytes(unsafe { (&raw const old).read_volatile() }))
    }

    /// An AMO whose old value is wanted by nobody.
    pub(crate) fn amo_only(&self, at: SymRange, pe: u32, amo: Amo) -> Result<(), MpiError> {
        // SAFETY: there is no place.
        unsafe { self.issue(pe, &Request::Amo { at, amo, answered: false }, None, Leaves::Now) }.map(drop)
    }

    /// An AMO whose old value is there when `pe` is drained.
    ///
    /// # Safety
    /// `[result, result+at.len)` can be written until then.
    pub(crate) unsafe fn amo_nbi(&self, at: SymRange, pe: u32, amo: Amo, result: *mut u8) -> Result<(), MpiError> {
        let place = ReplyBuffer { to: result, len: at.len };
        // SAFETY: passed on to the caller.
        unsafe { self.issue(pe, &Request::Amo { at, amo, answered: true }, Some(place), Leaves::Now) }.map(drop)
    }

    /// Returns when everything issued to `pe` so far has been carried out there, and answered.
    pub(crate) fn drain(&self, pe: u32) -> Result<(), MpiError> {
        let Some(number) = self.lock().peers.get(&pe).map(Peer::issued) else { return Ok(()) };
        self.answered(pe, number)
    }

    /// The same for all PEs.
    pub(crate) fn drain_all(&self) -> Result<(), MpiError> {
        let mut inner = self.lock();
        let mut open: Vec<(u32, u64)> = inner.peers.iter().map(|(&pe, peer)| (pe, peer.issued())).collect();
        for &(pe, number) in &open {
            inner.want(pe, number)?;
        }
        drop(inner);
        self.wait(|inner| {
            open.retain(|&(pe, number)| !inner.done(pe, number));
            open.is_empty()
        })
    }

    /// Nobody asks for anything any more. Returns when the last answers have left.
    pub(crate) fn close(&self) {
        let mut polls = 0;
        // A failure, or an answer that somebody who is gone does not take: at the end of the process there is nobody to
        // hear of it.
        let _ = self.wait(|inner| {
            polls += 1;
            inner.net.is_sent() || polls > POLLS_AT_END
        });
        let _ = self.lock().net.close();
    }
}
