//! Completing a lot without keeping the processor from those who have to answer.
//!
//! Where PEs outnumber cores, a flush that spins inside MPI holds MPI's lock and a core that the target needs, until the
//! kernel takes the core away: MPICH passes 64 messages at a time between processes of a host, so that a million
//! operations cost thousands of such turns. So a byte is asked back from the target behind everything else, and looked
//! for with pauses; the flush afterwards finds little to wait for.

use super::Remote;
use crate::memory::addr::SegId;
use crate::mpi::MpiError;
use crate::mpi::request::Echo;
use crate::os::sched;
use crate::sync::wait::WaitPolicy;
use core::sync::atomic::Ordering;
use core::time::Duration;

/// With fewer operations under way a flush is quick enough.
const BACKLOG: u64 = 64;
/// Looks between two pauses: each takes one message from MPI at most.
const POLLS: usize = 128;
/// Pauses that only yield.
const YIELDS: u32 = 8;
const FIRST_SLEEP: Duration = Duration::from_micros(20);
const LAST_SLEEP: Duration = Duration::from_micros(500);

impl Remote {
    /// Waits until these PEs are likely to have answered everything that was issued to them, if that may take long.
    pub(super) fn pace(&self, pes: impl IntoIterator<Item = u32>) -> Result<(), MpiError> {
        let issued = self.issued.load(Ordering::Relaxed);
        let backlog = issued.wrapping_sub(self.flushed.swap(issued, Ordering::Relaxed)); // a hint
        if self.policy == WaitPolicy::Spin || backlog < BACKLOG {
            return Ok(());
        }
        // A window without memory has no byte to ask for.
        let Some(heap) = self.heap.as_ref().filter(|_| self.has_heap) else { return Ok(()) };
        for pe in pes {
            self.await_echo(heap.echo(pe, self.bases.base(pe, SegId::Heap)?)?)?;
        }
        Ok(())
    }

    fn await_echo(&self, mut echo: Echo) -> Result<(), MpiError> {
        let (mut pauses, mut sleep) = (0, FIRST_SLEEP);
        loop {
            for _ in 0..POLLS {
                if echo.is_back()? {
                    echo.end();
                    return Ok(());
                }
            }
            if self.policy == WaitPolicy::Yield && pauses < YIELDS {
                sched::yield_now();
                pauses += 1;
            } else {
                std::thread::sleep(sleep);
                sleep = (sleep * 2).min(LAST_SLEEP);
            }
        }
    }
}
