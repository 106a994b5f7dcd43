//! What we ask of the operating system, each call typed and its result read. Linux only: memfd, futex, /proc.

pub(crate) mod affinity;
pub(crate) mod cache;
pub(crate) mod clock;
pub(crate) mod exe;
pub(crate) mod futex;
pub(crate) mod map;
pub(crate) mod memfd;
pub(crate) mod network;
pub(crate) mod pages;
pub(crate) mod pass;
pub(crate) mod peer;
pub(crate) mod process;
pub(crate) mod sched;
