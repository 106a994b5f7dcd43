//! The library while it is up.

use crate::{Element, Sym, Team};
use core::ffi::c_int;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, Ordering};
use shmem_sys as sys;
use std::fmt;

/// What cannot be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// A [`World`] exists already.
    Up,
    /// The library could not be started; it has said why.
    Start,
    /// The symmetric heap has no room for so many bytes (SHMEM_SYMMETRIC_SIZE makes it larger).
    NoMemory(usize),
    /// No more teams can be made.
    NoTeam,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Up => f.write_str("OpenSHMEM is up already"),
            Error::Start => f.write_str("OpenSHMEM could not be started"),
            Error::NoMemory(bytes) => {
                write!(f, "the symmetric heap has no room for {bytes} bytes; SHMEM_SYMMETRIC_SIZE makes it larger")
            }
            Error::NoTeam => f.write_str("no team could be made"),
        }
    }
}

impl std::error::Error for Error {}

/// There is a `World`.
static UP: AtomicBool = AtomicBool::new(false);

/// OpenSHMEM, up until this is dropped. All PEs must come to both.
#[derive(Debug)]
pub struct World {
    me: usize,
    n: usize,
    /// Of the thread that made it.
    _here: PhantomData<*const ()>,
}

/// Starts OpenSHMEM. Collective.
pub fn init() -> Result<World, Error> {
    if UP.swap(true, Ordering::Acquire) {
        return Err(Error::Up);
    }
    let mut level = 0;
    // SAFETY: only one thread comes here at a time, and the library counts its starts.
    if unsafe { sys::shmem_init_thread(sys::SHMEM_THREAD_FUNNELED, &mut level) } != 0 {
        UP.store(false, Ordering::Release);
        return Err(Error::Start);
    }
    // SAFETY: the library is up.
    let (me, n) = unsafe { (sys::shmem_my_pe(), sys::shmem_n_pes()) };
    Ok(World { me: me as usize, n: n as usize, _here: PhantomData })
}

impl World {
    /// This PE's number.
    pub fn me(&self) -> usize {
        self.me
    }

    /// Number of PEs.
    pub fn n_pes(&self) -> usize {
        self.n
    }

    /// The next PE, around.
    pub fn right(&self) -> usize {
        (self.me + 1) % self.n
    }

    /// The PE before, around.
    pub fn left(&self) -> usize {
        (self.me + self.n - 1) % self.n
    }

    /// `len` elements on every PE, all zero. Collective, with the same length everywhere.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Sym<'_, T>, Error> {
        Sym::new(self, len)
    }

    /// All PEs meet, and everything that was put is there.
    pub fn barrier(&self) {
        // SAFETY: the library is up as long as this exists, here and below.
        unsafe { sys::shmem_barrier_all() }
    }

    /// What this PE has put is at its targets when this returns.
    pub fn quiet(&self) {
        // SAFETY: as above.
        unsafe { sys::shmem_quiet() }
    }

    /// What this PE puts to a PE after this arrives there after what it has put before.
    pub fn fence(&self) {
        // SAFETY: as above.
        unsafe { sys::shmem_fence() }
    }

    /// The team of all PEs.
    pub fn team(&self) -> Team<'_> {
        Team::world(self)
    }

    /// Ends the whole job with a status, from any PE.
    pub fn global_exit(&self, status: i32) -> ! {
        // SAFETY: as above.
        unsafe { sys::shmem_global_exit(status) }
    }

    /// A PE number as C wants it; panics when there is no such PE.
    pub(crate) fn pe(&self, pe: usize) -> c_int {
        assert!(pe < self.n, "pe {pe} is out of range 0..{}", self.n - 1);
        pe as c_int
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The others would wait for this PE for ever.
            // SAFETY: the library is up.
            unsafe { sys::shmem_global_exit(101) }
        }
        // SAFETY: nothing that needs the library can outlive this.
        unsafe { sys::shmem_finalize() };
        UP.store(false, Ordering::Release);
    }
}
