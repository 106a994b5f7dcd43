//! Messages over a library of the network: tagged ones, and the packets of active messages, which are tagged messages
//! of any sender with a tag of their own. The library's tag has the sender in its low bits, because receives name no
//! sender.

use super::Native;
use super::record::Record;
use super::worker::{LaneWorker, Request, TooLong, Worker};
use crate::diag::broken;
use crate::memory::addr::Pe;
use crate::memory::local::{Dest, Source};
use crate::mpi::request::Arrived;
use crate::net::am::Packets;
use crate::net::tagged::{DEPARTURES, InFlight, Kind, MESSAGES, TaggedMessages, Unheard, heard};
use crate::net::{MOST_PES, NetError};
use crate::sync::ledger::Lane;
use core::ffi::c_int;
use core::sync::atomic::Ordering;

/// Bits of a sender's number in the library's tag. Tags are short, so that all of it fits into the 48 bits that some
/// adapters have.
const SENDER: u32 = MOST_PES.ilog2() + 1;

/// The bits of the library's tag that are not the sender's.
const TAG: u64 = u64::MAX << SENDER;

fn tag_of(tag: c_int, sender: u32) -> u64 {
    (tag as u64) << SENDER | u64::from(sender)
}

fn sender(tag: u64) -> u32 {
    (tag & !TAG) as u32
}

/// Whether a message has ended. None: it had ended when it was started.
fn has_ended(worker: &mut dyn Worker, request: Option<Request>, kind: Kind) -> Result<bool, Unheard> {
    let Some(request) = request else { return Ok(true) };
    let Kind::From { pe, bytes: wanted } = kind else { return Ok(worker.is_over(request)?) };
    match worker.has_come(request)? {
        None => Ok(false),
        Some(Ok(came)) => heard(pe, came.bytes, wanted),
        Some(Err(TooLong)) => Err(Unheard::Long { from: pe, wanted }),
    }
}

impl TaggedMessages for Native {
    type Request = Option<Request>;

    fn longest(&self) -> usize {
        self.longest
    }

    unsafe fn send_one(&self, to: u32, tag: c_int, from: Source) -> Result<Option<Request>, NetError> {
        // SAFETY: passed on to the caller.
        unsafe { self.lock_for(Lane::MAIN, Pe(to))?.send(Pe(to), tag_of(tag, self.me), from) }
    }

    unsafe fn receive_one(&self, from: u32, tag: c_int, to: Dest) -> Result<Option<Request>, NetError> {
        // SAFETY: passed on to the caller.
        unsafe { self.main().receive(tag_of(tag, from), u64::MAX, to).map(Some) }
    }

    fn ended(&self, in_flight: &mut InFlight<Option<Request>>) -> Result<bool, Unheard> {
        let mut worker = self.main();
        // A poll for other PEs may have brought what this one waits for.
        let mut ended = in_flight.have_ended(|request, kind| has_ended(&mut **worker, *request, kind));
        let served = matches!(ended, Ok(false)) && worker.progress_for_next();
        if served {
            ended = in_flight.have_ended(|request, kind| has_ended(&mut **worker, *request, kind));
        }
        drop(worker);
        if served {
            (self.hooks.changed)();
        }
        ended
    }

    fn forget(&self, request: Option<Request>) {
        Native::leave(&mut self.main(), request);
    }

    fn next_word(&self, tag: c_int) -> Result<Option<u64>, NetError> {
        let mut worker = self.main();
        if worker.rests { Ok(None) } else { worker.next_word(tag_of(tag, 0), TAG) }
    }
}

/// Takes the words that nobody has looked for. UCX would print a warning for each of them.
pub(super) fn drop_words(worker: &mut LaneWorker) {
    while let Ok(Some(_)) = worker.next_word(tag_of(DEPARTURES, 0), TAG) {}
}

impl Packets for &'static Native {
    type Packet = Request;

    /// The first message to a PE follows this PE's record. If that PE's record is not known, it is read.
    unsafe fn send(&self, to: Pe, message: &[u8]) -> Result<Option<Request>, NetError> {
        let mut worker = self.lock_for(Lane::MAIN, to)?;
        if worker.contacts().note_record(to) {
            // SAFETY: the record is there to the end of the process, so the request may be forgotten. The worker has an
            // endpoint for the PE: `lock_for`.
            let request = unsafe { worker.send(to, tag_of(MESSAGES, self.me), Source::of_slice(&self.own))? };
            Native::leave(&mut worker, request);
        }
        // SAFETY: the caller keeps the bytes until the packet has left. The worker has an endpoint for the PE:
        // `lock_for`.
        unsafe { worker.send(to, tag_of(MESSAGES, self.me), Source::of_slice(message)) }
    }

    unsafe fn receive(&self, to: *mut u8, len: usize) -> Result<Request, NetError> {
        // SAFETY: nobody but the library uses the bytes until the caller has seen the packet arrive, or cancels it.
        unsafe { self.main().receive(tag_of(MESSAGES, 0), TAG, Dest::of::<u8>(to, len)) }
    }

    fn know(&self, from: Pe, record: &[u8]) -> Result<(), NetError> {
        let record = Record::unpacked(record)
            .unwrap_or_else(|| broken(format_args!("a message of PE {} holds a damaged record", from.0)));
        let mut worker = self.main();
        worker.connect(from, &record)?;
        worker.contacts().note_record(from); // that PE has read this one's before it sent
        Ok(())
    }

    fn left(&self, packet: &mut Request) -> Result<bool, NetError> {
        self.main().is_over(*packet)
    }

    /// The message may be here already: whoever polls the network takes in what comes for all. Otherwise this polls,
    /// unless a thread is in a call on the main lane: those of other lanes do not wait for that one.
    fn arrived(&self, packet: &mut Request) -> Result<Option<Arrived>, NetError> {
        let Some(mut worker) = self.try_main() else { return Ok(None) };
        let mut came = worker.has_come(*packet)?;
        let polls = came.is_none() && !worker.rests;
        let served = polls && worker.progress_unless_polled();
        if served {
            came = worker.has_come(*packet)?;
        }
        drop(worker);
        if served {
            self.worked.store(true, Ordering::Relaxed);
            (self.hooks.changed)();
        } else if polls && let Some(comm) = self.comm {
            comm.poll(); // a PE that contacts this one for the first time may wait for that
        }
        match came {
            None => Ok(None),
            Some(Ok(came)) => Ok(Some(Arrived { from: sender(came.tag), len: came.bytes })),
            Some(Err(TooLong)) => broken(format_args!("a message of another PE is longer than any can be")),
        }
    }

    fn cancel(&self, packet: Request) -> Result<(), NetError> {
        match self.main().cancel(packet) {
            true => Ok(()),
            false => Err(NetError::Found(format!("{} has not cancelled a receive", self.library.name))),
        }
    }
}
