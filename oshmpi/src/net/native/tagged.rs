//! Tagged messages over a library of the network. The library's tag has the sender in its low bits, because receives
//! name no sender.

use super::Native;
use super::worker::{Request, TooLong, Worker};
use crate::memory::addr::Pe;
use crate::memory::local::{Dest, Source};
use crate::net::tagged::{InFlight, Kind, TaggedMessages, Unheard};
use crate::net::{MOST_PES, NetError};
use crate::sync::ledger::Lane;
use core::ffi::c_int;

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

/// Whether a message has ended. None: it had ended when it was started.
fn has_ended(worker: &mut dyn Worker, request: Option<Request>, kind: Kind) -> Result<bool, Unheard> {
    let Some(request) = request else { return Ok(true) };
    let Kind::From { pe, bytes: wanted } = kind else { return Ok(worker.is_over(request)?) };
    match worker.has_come(request)? {
        None => Ok(false),
        Some(Ok(came)) if came.bytes == wanted => Ok(true),
        Some(Ok(came)) => Err(Unheard::Short { from: pe, came: came.bytes, wanted }),
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
        unsafe { self.main().receive(tag_of(tag, from), u64::MAX, to) }
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
        if worker.rests {
            return Ok(None);
        }
        worker.progress();
        worker.next_word(tag_of(tag, 0), TAG)
    }
}
