//! How many MPI windows a job on several nodes has.

use super::{Numbered, Read};

/// The number of windows over which contexts are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowPool(u8);

impl WindowPool {
    pub(crate) const AUTO: WindowPool = WindowPool(0);
    /// Windows where threads of the program may be in calls at a time, if the user has set no number. More let more
    /// threads complete their puts at a time, and make the start longer.
    const OF_THREADS: u8 = 4;

    /// The number in a program that has requested `SHMEM_THREAD_MULTIPLE`, or not.
    pub(crate) fn windows(self, threads: bool) -> u32 {
        match (self, threads) {
            (WindowPool::AUTO, true) => WindowPool::OF_THREADS.into(),
            (WindowPool::AUTO, false) => 1,
            (WindowPool(n), _) => n.into(),
        }
    }
}

impl Read for WindowPool {
    const EXPECTED: &'static str = "auto or a number from 1 to 64";
    fn read(text: &str) -> Option<WindowPool> {
        match text {
            "auto" => Some(WindowPool::AUTO),
            _ => text.parse().ok().filter(|n| (1..=64).contains(n)).map(WindowPool),
        }
    }
    fn show(&self) -> String {
        if *self == WindowPool::AUTO { "auto".to_owned() } else { self.0.to_string() }
    }
}

impl Numbered for WindowPool {
    fn number(&self) -> u64 {
        self.0.into()
    }
    fn of_number(n: u64) -> Option<WindowPool> {
        n.try_into().ok().map(WindowPool)
    }
}
