//! Backlog pacing: waits for many operations without holding a core that the targets need.
//!
//! Where PEs outnumber cores, a flush spins inside MPI and holds MPI's lock and a core that the target needs, until the
//! kernel takes the core away. MPICH passes 64 messages at a time between processes of a host, so a million operations
//! cost thousands of such turns. Instead, this PE gets a byte from the target after all other operations, and polls for
//! it with pauses. The flush that follows has little to wait for.

use crate::memory::addr::Pe;
use crate::mpi::MpiError;
use crate::mpi::request::Request;
use crate::os::sched;
use crate::sync::wait::WaitPolicy;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;

/// Operations under way, up to which a plain flush is fast enough: the messages that MPICH passes in one turn.
const BACKLOG: u64 = 64;
/// Polls between two pauses. Each poll takes at most one message from MPI. With fewer most of the time would be pauses;
/// with more the target gets the core later.
const POLLS: usize = 128;
/// Pauses that yield, before those that sleep. If the target has no core after them, a sleep gives it one.
const YIELDS: u32 = 8;
/// The first sleep: about as long as the target's turn.
const FIRST_SLEEP: Duration = Duration::from_micros(20);
/// The longest sleep. A quiet may end later by this time.
const LAST_SLEEP: Duration = Duration::from_micros(500);

pub(super) struct Pacing {
    policy: WaitPolicy,
    /// The number of operations that had been issued when the last flush began.
    flushed: AtomicU64,
}

impl Pacing {
    pub(super) fn new(policy: WaitPolicy) -> Pacing {
        Pacing { policy, flushed: AtomicU64::new(0) }
    }

    /// Waits until these PEs have most likely answered all operations that were issued to them, if the backlog is long.
    /// `issued` is the number of operations so far. `echo` issues a get of a byte from a PE to a place that stays until
    /// the byte has come.
    pub(super) fn wait(
        &self,
        issued: u64,
        pes: &[Pe],
        echo: impl Fn(Pe, *mut u8) -> Result<Option<Request>, MpiError>,
    ) -> Result<(), MpiError> {
        let backlog = issued.wrapping_sub(self.flushed.swap(issued, Ordering::Relaxed)); // a hint
        if self.policy == WaitPolicy::Spin || backlog < BACKLOG {
            return Ok(());
        }
        for &pe in pes {
            let room = UnsafeCell::new(0);
            if let Some(echo) = echo(pe, room.get())? {
                self.await_echo(echo)?;
            }
        }
        Ok(())
    }

    fn await_echo(&self, mut echo: Request) -> Result<(), MpiError> {
        let (mut pauses, mut sleep) = (0, FIRST_SLEEP);
        loop {
            for _ in 0..POLLS {
                if echo.is_done()? {
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
