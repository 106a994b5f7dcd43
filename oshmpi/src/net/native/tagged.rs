//! Tagged messages over a library of the network. The library's tag has the sender in its low bits, because receives
//! name no sender.

use super::Native;
use super::worker::{Request, TooLong, Worker};
use crate::memory::addr::Pe;
use crate::memory::local::{Dest, Source};
use crate::mpi::MpiError;
use crate::mpi::message::{Kind, Unheard};
use crate::net::tagged::TaggedMessages;
use crate::net::{MOST_PES, NetError};
use crate::sync::ledger::Lane;
use core::ffi::c_int;
use smallvec::SmallVec;

/// Messages of most steps of a collective: one each way. They take no allocation.
const AT_A_TIME: usize = 2;

/// Bits of a sender's number in the library's tag. Tags are short, so that all of it fits into the 48 bits that some
/// adapters have.
const SENDER: u32 = MOST_PES.ilog2() + 1;

/// The bits of the library's tag that are not the sender's.
pub(super) const TAG: u64 = u64::MAX << SENDER;

pub(super) fn tag_of(tag: c_int, sender: u32) -> u64 {
    (tag as u64) << SENDER | u64::from(sender)
}

pub(super) fn sender(tag: u64) -> u32 {
    (tag & !TAG) as u32
}

struct Started {
    /// None: it has ended.
    request: Option<Request>,
    kind: Kind,
}

/// Messages that were started, some of which may have ended.
#[derive(Default)]
pub(crate) struct InFlight {
    messages: SmallVec<[Started; AT_A_TIME]>,
    /// The number of messages at the front that have ended.
    ended: usize,
}

fn lost(e: NetError) -> Unheard {
    Unheard::Mpi(MpiError::Found(e.to_string()))
}

impl Started {
    fn has_ended(&self, worker: &mut dyn Worker) -> Result<bool, Unheard> {
        let Some(request) = self.request else { return Ok(true) };
        let Kind::From { pe, bytes: wanted } = self.kind else {
            return worker.is_over(request).map_err(lost);
        };
        match worker.has_come(request).map_err(lost)? {
            None => Ok(false),
            Some(Ok(came)) if came.bytes == wanted => Ok(true),
            Some(Ok(came)) => Err(Unheard::Short { from: pe, came: came.bytes, wanted }),
            Some(Err(TooLong)) => Err(Unheard::Long { from: pe, wanted }),
        }
    }
}

impl InFlight {
    fn push(&mut self, request: Option<Request>, kind: Kind) {
        self.messages.push(Started { request, kind });
    }

    fn have_ended(&mut self, worker: &mut dyn Worker) -> Result<bool, Unheard> {
        while let Some(started) = self.messages.get(self.ended) {
            if !started.has_ended(worker)? {
                return Ok(false);
            }
            self.ended += 1;
        }
        self.messages.clear();
        self.ended = 0;
        Ok(true)
    }
}

impl TaggedMessages for Native {
    type InFlight = InFlight;

    unsafe fn send(&self, in_flight: &mut InFlight, to: u32, tag: c_int, from: Source) -> Result<(), NetError> {
        for (start, len) in self.parts(from.len()) {
            let mut worker = self.lock_for(Lane::MAIN, Pe(to))?;
            // SAFETY: passed on to the caller.
            let request = unsafe { worker.send(Pe(to), tag_of(tag, self.me), from.part(start, len))? };
            in_flight.push(request, Kind::SentTo(to));
        }
        Ok(())
    }

    unsafe fn receive(&self, in_flight: &mut InFlight, from: u32, tag: c_int, to: Dest) -> Result<(), NetError> {
        for (start, len) in self.parts(to.len()) {
            // SAFETY: passed on to the caller.
            let request = unsafe { self.main().receive(tag_of(tag, from), u64::MAX, to.part(start, len))? };
            in_flight.push(request, Kind::From { pe: from, bytes: len });
        }
        Ok(())
    }

    fn ended(&self, in_flight: &mut InFlight) -> Result<bool, Unheard> {
        let mut worker = self.main();
        // A poll for other PEs may have brought what this one waits for.
        let mut ended = in_flight.have_ended(&mut **worker);
        let served = matches!(ended, Ok(false)) && worker.progress_for_next();
        if served {
            ended = in_flight.have_ended(&mut **worker);
        }
        drop(worker);
        if served {
            (self.hooks.changed)();
        }
        ended
    }

    fn first(in_flight: &InFlight) -> Option<Kind> {
        in_flight.messages.get(in_flight.ended).map(|started| started.kind)
    }

    fn send_word(&self, to: u32, tag: c_int, word: u64) -> Result<(), NetError> {
        let bytes: &'static [u8; 8] = Box::leak(Box::new(word.to_ne_bytes()));
        let mut worker = self.lock_for(Lane::MAIN, Pe(to))?;
        // SAFETY: the bytes are there to the end of the process, and nobody writes to them.
        let request = unsafe {
            let source = Source::of::<u8>(bytes.as_ptr().cast(), bytes.len());
            worker.send(Pe(to), tag_of(tag, self.me), source)?
        };
        Native::leave(&mut worker, request);
        Ok(())
    }

    fn next_word(&self, tag: c_int) -> Result<Option<u64>, NetError> {
        let mut worker = self.main();
        if worker.rests {
            return Ok(None);
        }
        worker.progress();
        worker.next_word(tag_of(tag, 0), TAG)
    }
}
