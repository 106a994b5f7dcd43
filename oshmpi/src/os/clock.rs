//! The clock that never goes back: the same for all processes of a machine.

/// Seconds since some moment before the machine's processes started.
pub(crate) fn seconds() -> f64 {
    of(|at| {
        // SAFETY: writes one timespec.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, at) }
    })
}

/// Seconds between two values that the clock can have.
pub(crate) fn tick() -> f64 {
    of(|at| {
        // SAFETY: writes one timespec.
        unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, at) }
    })
}

fn of(ask: impl Fn(*mut libc::timespec) -> libc::c_int) -> f64 {
    let mut at = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    ask(&mut at); // cannot fail for this clock
    at.tv_sec as f64 + at.tv_nsec as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes() {
        let begun = seconds();
        std::thread::sleep(core::time::Duration::from_millis(20));
        let passed = seconds() - begun;
        assert!((0.02..60.0).contains(&passed), "{passed}");
        assert!(tick() > 0.0 && tick() < 0.1);
    }
}
