//! Active messages over any network: a PE's request for an operation on another PE's memory travels as a message, and
//! the target carries it out by plain copies and CPU atomics. Any thread of the target does that: one that waits, one
//! that issues operations, or the progress thread. So a word has one executor, the CPUs of its node, and node peers
//! need no message. When messages leave, and how many: docs/design/network.md.
//!
//! A thread that waits for an answer serves others meanwhile, so two PEs that wait for each other go on. No lock is
//! held while a thread waits for an answer. Over a library of the network the first request to a PE waits under the
//! lock for that PE's record, and for that no other PE has to take this lock. An answer waits for no record, because
//! the first message of a PE brings its record along.

mod notes;
mod packets;
mod peer;
mod target;
#[cfg(test)]
mod threads;
mod wire;

pub(crate) use notes::{Notes, Take, take_by};

use super::fabric::{ByMessage, Exposed, Fabric, How, Offers};
use crate::diag::broken;
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::faults;
use crate::net::NetError;
use crate::net::tagged::job_comm;
use crate::sync::Wait;
use crate::sync::awaited::Awaited;
use crate::sync::ledger::Lane;
use crate::sync::order;
use crate::sync::wait::{Backoff, EventCount, Meanwhile, WaitPolicy, Waiter};
use crate::transport::amo::Amo;
use core::hash::{BuildHasherDefault, Hasher};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
pub(super) use packets::{ByMpi, Packets, RECORD};
use packets::{PacketKind, PacketNet};
use peer::Peer;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Instant;
use wire::{HEAD, Request, WORD};

/// Bytes of a message at most, and of its answer: a buffer of this size is ready for each that may come. A larger limit
/// takes more memory; a smaller one splits more transfers.
const LIMIT: usize = 64 << 10;
/// Bytes that a put or a get moves with one message. Longer ones go in several.
const PIECE: usize = LIMIT - HEAD;
/// Messages to one PE, at most, whose answers have not come. Further requests wait at the sender. With fewer the
/// network is idle between messages; with more the target needs more buffers.
const DEPTH: usize = 4;
/// While fewer messages than this are unanswered, a request leaves at once. Further short requests are gathered. Two
/// let data and the flag that is put after it leave at once.
const AT_ONCE: usize = 2;
/// Bytes of requests, or of their answers, with which a message leaves although [`AT_ONCE`] are unanswered. Fewer bytes
/// wait for more requests.
const LOAD: usize = 16 << 10;
/// Messages that one poll serves at most. A higher limit delays the caller longer; a lower one leaves peers waiting.
const SERVED: usize = 64;
/// Polls, at most, until answers have left at the end of the process. A peer that has ended takes no answer.
const POLLS_AT_END: u32 = 10_000;
/// Polls of a wait between two pushes of operations that the fabric keeps. An answer that is already on its way comes
/// within fewer polls.
const POLLS_BEFORE_PUSH: u32 = 64;
/// While requests are gathered, the network is polled once for this many of them: a poll costs as much as some tens of
/// requests.
const GATHERED: u64 = 64;

/// Between two looks for the answer of a PE that may be lost. A shorter time takes more of the core.
const ASKED_EVERY: Duration = Duration::from_millis(1);

/// A get of no bytes.
const NOTHING: Request = Request::Get { at: SymRange { seg: SegId::Heap, off: 0, len: 0 } };

/// Requests of other PEs that have written to this PE's memory. Relaxed: a statistic.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Puts and changing AMOs of other PEs that this PE has carried out.
pub(crate) fn written() -> u64 {
    WRITTEN.load(Ordering::Relaxed)
}

/// The calls that a fabric makes upwards.
#[derive(Clone, Copy)]
pub(crate) struct FabricHooks {
    pub(crate) policy: WaitPolicy,
    pub(crate) backoff: Backoff,
    /// What a wait does beside polling.
    pub(crate) meanwhile: &'static Meanwhile,
    /// In a wait that lasts: sends operations that the fabric may keep until a flush.
    pub(crate) push: fn(),
    /// Called when words of this PE's memory may have changed.
    pub(crate) changed: fn(),
}

impl FabricHooks {
    /// How a thread waits, by an event count of these two words.
    pub(super) fn waiter<'a>(&self, [events, waiters]: &'a [AtomicU32; 2]) -> Waiter<'a> {
        let event_count = EventCount { events, waiters };
        Waiter { event_count, policy: self.policy, meanwhile: self.meanwhile, backoff: self.backoff }
    }
}

pub(crate) struct Messages<P: Packets> {
    own: Exposed,
    notes: Notes,
    hooks: FabricHooks,
    inner: Mutex<Inner<P>>,
    /// The words of its event count.
    waits: [AtomicU32; 2],
}

struct Inner<P: Packets> {
    net: PacketNet<P>,
    /// The PEs to which this PE has sent requests.
    peers: HashMap<Pe, Peer, BuildHasherDefault<OfPe>>,
    /// Those among them that may have requests without an answer, each once.
    open: Vec<Pe>,
}

/// The hash of a PE's number. Nobody chooses numbers so that they collide, and a request is looked up several times.
#[derive(Default)]
struct OfPe(u64);

impl Hasher for OfPe {
    fn write_u32(&mut self, pe: u32) {
        self.0 = u64::from(pe).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a PE is one number");
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Messages<ByMpi> {
    /// Active messages on the job's communicator.
    pub(crate) fn over_mpi(own: Exposed, hooks: FabricHooks) -> Result<Messages<ByMpi>, NetError> {
        Messages::open(ByMpi { comm: job_comm()?, posted: !faults::receives_may_be_lost() }, own, hooks)
    }
}

impl<P: Packets> Inner<P> {
    /// Sends the requests that are gathered for a PE, if they may leave.
    fn push(&mut self, pe: Pe) -> Result<(), NetError> {
        let Some(peer) = self.peers.get_mut(&pe).filter(|peer| peer.may_leave()) else { return Ok(()) };
        let message = peer.take_batch();
        self.net.send(pe, PacketKind::Request, message)
    }

    /// Notes that a thread waits for the requests to a PE up to `number`: they leave as soon as they may.
    fn want(&mut self, pe: Pe, number: u64) -> Result<(), NetError> {
        if let Some(peer) = self.peers.get_mut(&pe) {
            peer.want(number);
        }
        self.push(pe)
    }

    /// Carries out requests of other PEs until none is left or an answer has come. The caller may be waiting for that
    /// answer, and a poll that finds nothing costs as much as one that finds something. Returns whether there were
    /// requests.
    fn serve(&mut self, own: &Exposed, notes: Notes, changed: fn()) -> Result<bool, NetError> {
        let mut requests = false;
        for _ in 0..SERVED {
            let Some((from, kind, message)) = self.net.receive()? else { break };
            order::message_is_here();
            match kind {
                PacketKind::Request => {
                    requests = true;
                    let mut answer = self.net.buffer();
                    let carried_out = target::carry_out(own, notes, from.0, &message, &mut answer);
                    let written = carried_out.unwrap_or_else(|why| protocol_error(from, why));
                    WRITTEN.fetch_add(written, Ordering::Relaxed);
                    order::message_leaves(); // the requesting PE may tell a node peer of this PE that it has the answer
                    // before the other requests: the requesting PE already waits
                    self.net.send(from, PacketKind::Answer, answer)?;
                    changed();
                }
                PacketKind::Answer => {
                    let peer =
                        self.peers.get_mut(&from).unwrap_or_else(|| protocol_error(from, "an answer to nothing"));
                    peer.answered(&message).unwrap_or_else(|why| protocol_error(from, why));
                    self.push(from)?;
                }
            }
            self.net.await_into(message)?;
            if kind == PacketKind::Answer {
                break;
            }
        }
        Ok(requests)
    }

    /// Gathers a request for a PE, and returns its number.
    fn add(&mut self, pe: Pe, request: &Request, place: Option<Dest>) -> u64 {
        let peer = self.peers.entry(pe).or_default();
        if !peer.gathers() {
            peer.batch.bytes = self.net.buffer();
        }
        if peer.opens() {
            self.open.push(pe);
        }
        peer.add(request, place)
    }

    /// The PEs with requests that are not answered yet, and the number of the last one of each.
    fn unanswered(&mut self) -> Vec<(Pe, u64)> {
        let Inner { peers, open, .. } = self;
        open.retain(|pe| peers.get_mut(pe).is_some_and(|peer| !peer.closes()));
        open.iter().filter_map(|pe| Some((*pe, peers.get(pe)?.issued()))).collect()
    }

    fn done(&self, pe: Pe, number: u64) -> bool {
        self.peers.get(&pe).is_none_or(|peer| peer.done() >= number)
    }
}

/// Ends the job: only a bug of this library, or a process that is not of the job, sends such a message.
fn protocol_error(from: Pe, why: &str) -> ! {
    broken(format_args!("a message of PE {} holds {why}", from.0))
}

impl<P: Packets> Messages<P> {
    pub(super) fn open(packets: P, own: Exposed, hooks: FabricHooks) -> Result<Messages<P>, NetError> {
        let net = PacketNet::new(packets)?;
        let inner = Mutex::new(Inner { net, peers: HashMap::default(), open: Vec::new() });
        Ok(Messages { own, notes: Notes::of_program(), hooks, inner, waits: Default::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Inner<P>> {
        self.inner.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Serves other PEs until `ready` is true. `what` tells reports what the wait is for.
    fn wait(&self, what: Awaited, mut ready: impl FnMut(&Inner<P>) -> bool) -> Result<(), NetError> {
        let (mut result, mut polls) = (Ok(()), 0);
        let ready = || {
            polls += 1;
            if polls % POLLS_BEFORE_PUSH == 0 {
                (self.hooks.push)();
            }
            let mut inner = self.lock();
            // Later polls end with this test.
            if polls == 1 && ready(&inner) {
                return true;
            }
            result = inner.serve(&self.own, self.notes, self.hooks.changed).map(drop);
            result.is_err() || ready(&inner)
        };
        self.hooks.waiter(&self.waits).until_told(ready, || what);
        result
    }

    /// Issues a request and returns its number. The data of a put is copied. The answer goes to `place`. The request
    /// leaves as soon as it may, or together with the caller's next one if `with_next` is true.
    fn issue(&self, pe: Pe, request: &Request, place: Option<Dest>, with_next: bool) -> Result<u64, NetError> {
        let mut inner = self.lock();
        while !inner.peers.entry(pe).or_default().fits(request, LIMIT) {
            inner.want(pe, u64::MAX)?;
            drop(inner);
            self.wait(Awaited::Answer { pe: pe.0 }, |inner| {
                inner.peers.get(&pe).is_none_or(|peer| peer.fits(request, LIMIT))
            })?;
            inner = self.lock(); // another thread may have filled the batch meanwhile
        }
        let number = inner.add(pe, request, place);
        if !with_next {
            inner.push(pe)?;
        }
        let gathering = inner.peers.get(&pe).is_some_and(Peer::gathers);
        if gathering && number.is_multiple_of(GATHERED) {
            inner.serve(&self.own, self.notes, self.hooks.changed)?;
        }
        Ok(number)
    }

    /// Issues a get and returns the number of its last request.
    fn issue_get(&self, range: SymRange, pe: Pe, dest: Dest) -> Result<u64, NetError> {
        let mut last = 0;
        for done in (0..range.len).step_by(PIECE) {
            let len = PIECE.min(range.len - done);
            let at = range.part(done, len);
            last = self.issue(pe, &Request::Get { at }, Some(dest.part(done, len)), false)?;
        }
        Ok(last)
    }

    /// Returns when the requests to `pe` up to `number` are answered.
    fn answered(&self, pe: Pe, number: u64) -> Result<(), NetError> {
        self.lock().want(pe, number)?;
        self.wait(Awaited::Answer { pe: pe.0 }, |inner| inner.done(pe, number))
    }
}

impl<P: Packets> ByMessage for Messages<P> {
    /// A get of nothing. The answer is not waited for.
    fn announce(&self, pe: Pe) -> Result<(), NetError> {
        self.issue(pe, &NOTHING, None, false).map(drop)
    }

    /// A get of nothing, unless something else is under way. Any answer counts.
    fn answers(&self, pe: Pe, within: Duration) -> bool {
        let done = |inner: &Inner<P>| inner.peers.get(&pe).map_or(0, Peer::done);
        let (begun, mut inner) = (Instant::now(), self.lock());
        let before = done(&inner);
        let sent = match inner.peers.get(&pe) {
            Some(peer) if peer.issued() > before => Ok(()),
            _ => {
                inner.add(pe, &NOTHING, None);
                inner.push(pe)
            }
        };
        drop(inner);
        while sent.is_ok() && begun.elapsed() < within {
            self.serve();
            if done(&self.lock()) > before {
                return true;
            }
            std::thread::sleep(ASKED_EVERY);
        }
        false
    }

    /// A note with an answer is waited for. One without leaves with the next request.
    fn note(&self, pe: Pe, text: Source, answer: Dest) -> Result<(), NetError> {
        let request = Request::Note { text, answer: answer.len() };
        match answer.len() {
            0 => self.issue(pe, &request, None, true).map(drop),
            _ => {
                let number = self.issue(pe, &request, Some(answer), false)?;
                self.answered(pe, number)
            }
        }
    }
}

impl<P: Packets> Fabric for Messages<P> {
    fn offers(&self, _: Pe) -> Result<Offers, NetError> {
        Ok(Offers::default())
    }

    fn put(&self, _: Lane, range: SymRange, pe: Pe, source: Source, how: How) -> Result<(), NetError> {
        for done in (0..range.len).step_by(PIECE) {
            let len = PIECE.min(range.len - done);
            let request = Request::Put { at: range.part(done, len), source: source.part(done, len) };
            self.issue(pe, &request, None, how.with_next)?;
        }
        Ok(())
    }

    /// The source is copied. If many requests are under way, the call waits for some of them.
    fn put_nbi(&self, _: Lane, range: SymRange, pe: Pe, source: Source) -> Result<(), NetError> {
        self.put(Lane::MAIN, range, pe, source, How::default())
    }

    fn get(&self, _: Lane, range: SymRange, pe: Pe, dest: Dest) -> Result<(), NetError> {
        let last = self.issue_get(range, pe, dest)?;
        self.answered(pe, last)
    }

    fn get_nbi(&self, _: Lane, range: SymRange, pe: Pe, dest: Dest) -> Result<(), NetError> {
        self.issue_get(range, pe, dest).map(drop)
    }

    fn amo(&self, _: Lane, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, NetError> {
        let mut old = [0u8; WORD];
        // SAFETY: a local variable that stays until the answer has come, below.
        let place = unsafe { Dest::of::<u8>(old.as_mut_ptr(), WORD) };
        let number = self.issue(pe, &Request::Amo { at: word, amo, answered: true }, Some(place), false)?;
        self.answered(pe, number)?;
        // SAFETY: a local variable. It was written through a pointer meanwhile.
        Ok(u64::from_ne_bytes(unsafe { (&raw const old).read_volatile() }))
    }

    fn amo_nbi(&self, _: Lane, word: SymRange, pe: Pe, amo: Amo, result: Option<Dest>) -> Result<(), NetError> {
        let request = Request::Amo { at: word, amo, answered: result.is_some() };
        self.issue(pe, &request, result, false).map(drop)
    }

    fn quiet_pe(&self, _: Lane, pe: Pe) -> Result<(), NetError> {
        let Some(number) = self.lock().peers.get(&pe).map(Peer::issued) else { return Ok(()) };
        self.answered(pe, number)
    }

    /// Time: each PE is looked up once, and once more per poll for the one that is waited for.
    fn quiet(&self, _: Lane, _: Option<&[Pe]>) -> Result<(), NetError> {
        let mut inner = self.lock();
        let mut open = inner.unanswered();
        for &(pe, number) in &open {
            inner.want(pe, number)?;
        }
        drop(inner);
        let what = open.last().map_or(Awaited::Other, |&(pe, _)| Awaited::Answer { pe: pe.0 });
        self.wait(what, |inner| {
            while open.pop_if(|&mut (pe, number)| inner.done(pe, number)).is_some() {}
            open.is_empty()
        })
    }

    fn serve(&self) -> Option<bool> {
        let mut inner = match self.inner.try_lock() {
            Ok(inner) => inner,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        // After an error the requests that were taken are never answered, so the error ends the wait.
        let served = inner.serve(&self.own, self.notes, self.hooks.changed);
        Some(served.unwrap_or_else(|e| {
            broken(format_args!("a message of another node cannot be answered: {e}"));
        }))
    }

    /// Called when no PE sends requests. Returns when the last answers have left.
    fn close(&self) {
        let mut polls = 0;
        // An error, or an answer that a PE which has ended does not take, is ignored at the end of the process.
        let _ = self.wait(Awaited::Other, |inner| {
            polls += 1;
            inner.net.is_sent() || polls > POLLS_AT_END
        });
        let _ = self.lock().net.close();
    }
}
