//! The initialised library.

use crate::{Element, Sym, Team};
use core::ffi::c_int;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, Ordering};
use shmem_sys as sys;
use std::fmt;
use std::time::{Duration, Instant};

/// Why a call of this crate failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// A [`World`] exists already.
    Up,
    /// The first [`init`] comes before other threads are started, and this process has some. Or it cannot know that,
    /// because it cannot read `/proc/self/task`.
    Threads,
    /// The library could not be initialised. It has written the reason to standard error.
    Start,
    /// The symmetric heap has no room for this number of bytes (`SHMEM_SYMMETRIC_SIZE` makes it larger).
    NoMemory(usize),
    /// The library cannot make another team.
    NoTeam,
    /// The library cannot make another context.
    NoContext,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Up => f.write_str("OpenSHMEM is up already"),
            Error::Threads => f.write_str(
                "this process has other threads, or cannot read /proc/self/task; start them after the first init",
            ),
            Error::Start => f.write_str("OpenSHMEM could not be started"),
            Error::NoMemory(bytes) => {
                write!(f, "the symmetric heap has no room for {bytes} bytes; SHMEM_SYMMETRIC_SIZE makes it larger")
            }
            Error::NoTeam => f.write_str("no team could be made"),
            Error::NoContext => f.write_str("no context could be made"),
        }
    }
}

impl std::error::Error for Error {}

/// Whether a `World` exists.
static UP: AtomicBool = AtomicBool::new(false);

/// The initialised library. Dropping it finalises the library. All PEs must do both.
#[derive(Debug)]
pub struct World {
    me: usize,
    n: usize,
    /// Makes the type neither `Send` nor `Sync`: only the thread that made it may use it.
    _here: PhantomData<*const ()>,
}

/// Whether a `World` has existed, so the static variables are where they stay.
static MOVED: AtomicBool = AtomicBool::new(false);

/// Initialises OpenSHMEM. Collective.
///
/// The first call moves the program's static variables to shared memory. What another thread writes to one meanwhile
/// would be lost, so this call is an error ([`Error::Threads`]) if the process has other threads. They may be started
/// afterwards, and later calls do not look at them. An MPI may start threads of its own in `MPI_Init`: programs that
/// call it first need [`init_beside_threads`].
pub fn init() -> Result<World, Error> {
    start(|| MOVED.load(Ordering::Relaxed) || is_alone())
}

/// Initialises OpenSHMEM in a process that may have other threads. Collective.
///
/// # Safety
///
/// In the first call, no other thread may write to a static variable of the program.
pub unsafe fn init_beside_threads() -> Result<World, Error> {
    start(|| true)
}

/// `may`: whether the static variables may be moved.
fn start(may: impl Fn() -> bool) -> Result<World, Error> {
    if UP.swap(true, Ordering::Acquire) {
        return Err(Error::Up);
    }
    let mut level = 0;
    let failed = if !may() {
        Some(Error::Threads)
        // SAFETY: only one thread can be here at a time, and the library may be initialised again after its end. No
        // other thread writes static variables while they are moved: `init` has seen that there is none, and who calls
        // `init_beside_threads` promises it.
    } else if unsafe { sys::shmem_init_thread(sys::SHMEM_THREAD_FUNNELED, &mut level) } != 0 {
        Some(Error::Start)
    } else {
        None
    };
    if let Some(e) = failed {
        UP.store(false, Ordering::Release);
        return Err(e);
    }
    // Relaxed: only the thread that has UP looks at it.
    MOVED.store(true, Ordering::Relaxed);
    // SAFETY: the library is up.
    let (me, n) = unsafe { (sys::shmem_my_pe(), sys::shmem_n_pes()) };
    Ok(World { me: me as usize, n: n as usize, _here: PhantomData })
}

/// Whether this process has one thread. A thread that has been joined may be listed a moment longer, so another look
/// follows for a while.
fn is_alone() -> bool {
    /// A shorter time could refuse a program that has joined its threads, on a busy machine.
    const LEAVING: Duration = Duration::from_secs(1);
    let begun = Instant::now();
    loop {
        match std::fs::read_dir("/proc/self/task").map(Iterator::count) {
            Ok(1) => return true,
            Ok(_) if begun.elapsed() < LEAVING => std::thread::sleep(Duration::from_millis(1)),
            _ => return false,
        }
    }
}

impl World {
    /// This PE's number.
    pub fn me(&self) -> usize {
        self.me
    }

    /// The number of PEs.
    pub fn n_pes(&self) -> usize {
        self.n
    }

    /// The next PE; after the last one comes PE 0.
    pub fn right(&self) -> usize {
        (self.me + 1) % self.n
    }

    /// The previous PE; before PE 0 comes the last one.
    pub fn left(&self) -> usize {
        (self.me + self.n - 1) % self.n
    }

    /// Allocates `len` elements on every PE, all zero. Collective, with the same length on all PEs.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Sym<'_, T>, Error> {
        Sym::new(self, len)
    }

    /// Waits until all PEs have called this and all puts have arrived.
    pub fn barrier(&self) {
        // SAFETY: the library is up as long as this exists, here and below.
        unsafe { sys::shmem_barrier_all() }
    }

    /// Waits until all puts of this PE have arrived.
    pub fn quiet(&self) {
        // SAFETY: as above.
        unsafe { sys::shmem_quiet() }
    }

    /// Orders puts: to each PE, later puts of this PE arrive after earlier ones.
    pub fn fence(&self) {
        // SAFETY: as above.
        unsafe { sys::shmem_fence() }
    }

    /// The team of all PEs.
    pub fn team(&self) -> Team<'_> {
        Team::world(self)
    }

    /// Ends the whole job with this status. Any PE may call it alone.
    pub fn global_exit(&self, status: i32) -> ! {
        // SAFETY: as above.
        unsafe { sys::shmem_global_exit(status) }
    }

    /// A PE number as a C int. Panics if there is no such PE.
    pub(crate) fn pe(&self, pe: usize) -> c_int {
        assert!(pe < self.n, "pe {pe} is out of range 0..{}", self.n - 1);
        pe as c_int
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // A panic: without this the other PEs would wait for ever.
            // SAFETY: the library is up.
            unsafe { sys::shmem_global_exit(101) }
        }
        // SAFETY: all that needs the library borrows this, so it is gone by now.
        unsafe { sys::shmem_finalize() };
        UP.store(false, Ordering::Release);
    }
}
