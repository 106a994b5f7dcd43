//! The clock that never goes back. It is the same for all processes of a machine.

use core::time::Duration;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_getres, clock_gettime};

/// Seconds since a moment before the processes of this machine started.
pub(crate) fn seconds() -> f64 {
    in_seconds(clock_gettime(ClockId::CLOCK_MONOTONIC))
}

/// Milliseconds since that moment of [`seconds`].
pub(crate) fn millis() -> u64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |time| Duration::from(time).as_millis() as u64)
}

/// Seconds between two successive values of the clock.
pub(crate) fn tick() -> f64 {
    in_seconds(clock_getres(ClockId::CLOCK_MONOTONIC))
}

fn in_seconds(time: nix::Result<TimeSpec>) -> f64 {
    // Linux always has this clock, so there is no error.
    time.map_or(0.0, |time| Duration::from(time).as_secs_f64())
}
