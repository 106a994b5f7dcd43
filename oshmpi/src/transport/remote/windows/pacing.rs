//! Waiting for much to complete without keeping the processor from the processes that have to answer.
//!
//! Where PEs outnumber cores, a flush that spins inside MPI holds MPI's lock and a core that the target needs, until
//! the kernel takes the core away. MPICH passes 64 messages at a time between processes of a host, so that a million
//! operations cost thousands of such turns. So a byte is asked back from the target, behind everything else, and is
//! looked for with pauses. The flush afterwards finds little to wait for.

use crate::memory::addr::Pe;
use crate::mpi::MpiError;
use crate::mpi::request::Echo;
use crate::os::sched;
use crate::sync::wait::WaitPolicy;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;

/// Operations under way with which a flush is quick enough. With more, a turn of MPICH's is exceeded.
const BACKLOG: u64 = 64;
/// Polls between two pauses. Each takes one message from MPI at most, and fewer would be mostly pauses.
const POLLS: usize = 128;
/// Pauses that only yield. After them the target has no core yet, and a sleep leaves it one.
const YIELDS: u32 = 8;
/// The first sleep: about a turn of the target's.
const FIRST_SLEEP: Duration = Duration::from_micros(20);
/// The longest sleep: what a quiet may come late by.
const LAST_SLEEP: Duration = Duration::from_micros(500);

pub(super) struct Pacing {
    policy: WaitPolicy,
    /// Operations issued when the last flush began.
    flushed: AtomicU64,
}

impl Pacing {
    pub(super) fn new(policy: WaitPolicy) -> Pacing {
        Pacing { policy, flushed: AtomicU64::new(0) }
    }

    /// Waits until these PEs are likely to have answered everything that was issued to them, if that may take long.
    /// `issued`: all operations so far. `echo` asks a PE for a byte.
    pub(super) fn wait(
        &self,
        issued: u64,
        pes: &[Pe],
        echo: impl Fn(Pe) -> Result<Option<Echo>, MpiError>,
    ) -> Result<(), MpiError> {
        let backlog = issued.wrapping_sub(self.flushed.swap(issued, Ordering::Relaxed)); // a hint
        if self.policy == WaitPolicy::Spin || backlog < BACKLOG {
            return Ok(());
        }
        for &pe in pes {
            if let Some(echo) = echo(pe)? {
                self.await_echo(echo)?;
            }
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
