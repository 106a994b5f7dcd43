//! Active messages over a library of the network: tagged messages of any sender, with a tag of their own.

use super::Native;
use super::record::Record;
use super::tagged::{TAG, sender, tag_of};
use super::worker::{Request, TooLong};
use crate::diag::broken;
use crate::memory::addr::Pe;
use crate::memory::local::{Dest, Source};
use crate::mpi::request::Arrived;
use crate::net::NetError;
use crate::net::am::Packets;
use crate::net::tagged::MESSAGES;
use crate::sync::ledger::Lane;
use core::sync::atomic::Ordering;

impl Packets for &'static Native {
    /// None: it has left.
    type Packet = Option<Request>;

    /// The first message to a PE follows this PE's record. If that PE's record is not known, it is read.
    unsafe fn send(&self, to: Pe, message: &[u8]) -> Result<Option<Request>, NetError> {
        let mut worker = self.lock_for(Lane::MAIN, to)?;
        if worker.contacts().note_record(to) {
            // SAFETY: the slice is as long as the record, which is there to the end of the process, so the request may
            // be forgotten. The worker has an endpoint for the PE: `lock_for`.
            let request = unsafe {
                let record = Source::of::<u8>(self.own.as_ptr().cast(), self.own.len());
                worker.send(to, tag_of(MESSAGES, self.me), record)?
            };
            Native::leave(&mut worker, request);
        }
        // SAFETY: the slice is as long as the message, and the caller keeps its bytes until the packet has left. The
        // worker has an endpoint for the PE: `lock_for`.
        unsafe {
            let source = Source::of::<u8>(message.as_ptr().cast(), message.len());
            worker.send(to, tag_of(MESSAGES, self.me), source)
        }
    }

    unsafe fn receive(&self, to: *mut u8, len: usize) -> Result<Option<Request>, NetError> {
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

    fn left(&self, packet: &mut Option<Request>) -> Result<bool, NetError> {
        let Some(request) = *packet else { return Ok(true) };
        self.main().is_over(request)
    }

    /// The message may be here already: whoever polls the network takes in what comes for all. Otherwise this polls,
    /// unless a thread is in a call on the main lane: those of other lanes do not wait for that one.
    fn arrived(&self, packet: &mut Option<Request>) -> Result<Option<Arrived>, NetError> {
        let Some(request) = *packet else { return Ok(None) };
        let Some(mut worker) = self.try_main() else { return Ok(None) };
        let mut came = worker.has_come(request)?;
        let polls = came.is_none() && !worker.rests;
        let served = polls && worker.progress_unless_polled();
        if served {
            came = worker.has_come(request)?;
        }
        drop(worker);
        if served {
            self.worked.store(true, Ordering::Relaxed);
            (self.hooks.changed)();
        } else if polls {
            self.poll_mpi();
        }
        match came {
            None => Ok(None),
            Some(Ok(came)) => Ok(Some(Arrived { from: sender(came.tag), len: came.bytes })),
            Some(Err(TooLong)) => broken(format_args!("a message of another PE is longer than any can be")),
        }
    }

    fn cancel(&self, packet: Option<Request>) -> Result<(), NetError> {
        let Some(request) = packet else { return Ok(()) };
        match self.main().cancel(request) {
            true => Ok(()),
            false => Err(NetError::Found(format!("{} has not cancelled a receive", self.library.name))),
        }
    }
}
