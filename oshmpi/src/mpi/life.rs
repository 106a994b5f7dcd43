//! When MPI begins and ends in this process, whoever asks for it: at most once each, since it cannot be started twice.

use super::{Comm, MpiError, finalized, initialized, mpi, usable};
use crate::os::process;
use ::mpi::ffi as sys;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Thread levels of MPI, in the order of OpenSHMEM's 0..3.
pub(crate) fn thread_level(level: c_int) -> c_int {
    // SAFETY: constants of the shim, set before main.
    unsafe {
        match level {
            ..=0 => sys::RSMPI_THREAD_SINGLE,
            1 => sys::RSMPI_THREAD_FUNNELED,
            2 => sys::RSMPI_THREAD_SERIALIZED,
            _ => sys::RSMPI_THREAD_MULTIPLE,
        }
    }
}

/// Initialises MPI at an MPI thread level; gives the level granted.
pub(crate) fn init(required: c_int) -> Result<c_int, MpiError> {
    super::faults::settle_windows();
    let mut provided: c_int = 0;
    let none = core::ptr::null_mut();
    mpi!(PMPI_Init_thread(none, core::ptr::null_mut(), required, &mut provided))?;
    Ok(provided)
}

/// The level in force.
pub(crate) fn query_thread() -> Result<c_int, MpiError> {
    let mut provided: c_int = 0;
    mpi!(PMPI_Query_thread(&mut provided))?;
    Ok(provided)
}

/// This process and the number of processes, as the way into the job gave them.
static WORLD: OnceLock<(u32, u32)> = OnceLock::new();

/// Says what MPI's world must be when it is initialised later.
pub(crate) fn expect_world(rank: u32, size: u32) {
    let _ = WORLD.set((rank, size)); // a job is joined once
}

/// Why there is no MPI although it is needed.
#[derive(Debug)]
pub(crate) enum NoMpi {
    Failed(MpiError),
    /// The program has ended it.
    Ended,
    /// It does not see the job that the launcher started.
    OtherWorld {
        job: (u32, u32),
        mpi: (u32, u32),
    },
}

impl fmt::Display for NoMpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMpi::Failed(e) => e.fmt(f),
            NoMpi::Ended => f.write_str("MPI is needed, but the program has called MPI_Finalize"),
            NoMpi::OtherWorld { job, mpi } => write!(
                f,
                "MPI is needed, but it sees process {} of {} where the launcher started process {} of {}: {}",
                mpi.0,
                mpi.1,
                job.0,
                job.1,
                super::launcher_of_another_mpi()
            ),
        }
    }
}

impl std::error::Error for NoMpi {}

impl From<MpiError> for NoMpi {
    fn from(e: MpiError) -> NoMpi {
        NoMpi::Failed(e)
    }
}

/// Makes MPI usable, at OpenSHMEM's thread level `level` (0..3) or better if nobody has initialised it yet; gives MPI's
/// level in force. Collective: all PEs of the job come here or none. What is initialised here ends with the process.
///
/// # Errors
/// MPI cannot be had, or its world is not the job that was joined.
pub(crate) fn ensure(level: c_int) -> Result<c_int, NoMpi> {
    if finalized() {
        return Err(NoMpi::Ended);
    }
    let granted = if initialized() {
        query_thread()?
    } else {
        // Programs that call MPI themselves later get this level: at least FUNNELED, which costs nothing.
        let granted = init(thread_level(level.max(1)))?;
        end_with_process();
        granted
    };
    if let Some(&job) = WORLD.get() {
        let world = Comm::shared_world();
        let mpi = (world.rank()?, world.size()?);
        if mpi != job {
            return Err(NoMpi::OtherWorld { job, mpi });
        }
    }
    Ok(granted)
}

/// What has to be undone before MPI can end, the last first.
static BEFORE_END: Mutex<Vec<fn()>> = Mutex::new(Vec::new());
/// The process that will end MPI; a forked child must not. 0: nobody has taken it over.
static ENDER: AtomicU32 = AtomicU32::new(0);
/// The exit handler is there.
static REGISTERED: AtomicBool = AtomicBool::new(false);
/// The program has called MPI_Init itself.
static PROGRAM_INIT: AtomicBool = AtomicBool::new(false);
/// The program has called MPI_Finalize itself.
static PROGRAM_DONE: AtomicBool = AtomicBool::new(false);

/// Registers the exit handler that ends MPI if somebody asks for it. What is registered later runs before it.
pub(crate) fn prepare_end() {
    if !REGISTERED.swap(true, Ordering::Relaxed) {
        process::at_exit(end_at_exit);
    }
}

/// Takes over ending MPI, at the very end of the process: the program may use MPI after the last shmem_finalize, and
/// OpenSHMEM after its MPI_Finalize.
pub(crate) fn end_with_process() {
    prepare_end();
    ENDER.store(process::pid(), Ordering::Release); // SYNC ender: pairs with end_at_exit
}

unsafe extern "C" {
    /// The shim's: has `oshmpi_mpi_is_ending` called.
    fn oshmpi_mpi_tell_end() -> c_int;
}

/// Has `undo` called before MPI ends, which from now on it does with the process: a program's MPI_Finalize is put off. Where a
/// profiling tool has taken that call and reaches MPI itself, it is called in there.
pub(crate) fn before_end(undo: fn()) {
    let mut undone = undone();
    if undone.is_empty() {
        // SAFETY: MPI is up: there is something to undo. A failure concerns such tools only.
        let _ = unsafe { oshmpi_mpi_tell_end() };
    }
    undone.push(undo);
}

/// Undoes everything, once.
fn undo_all() {
    let undone = std::mem::take(&mut *undone());
    undone.into_iter().rev().for_each(|undo| undo());
}

/// Ends the threads of ours that call MPI.
static END_THREADS: OnceLock<fn()> = OnceLock::new();

/// Has `end_threads` called first when MPI ends under us: inside MPI_Finalize MPICH takes no locks any more.
pub(crate) fn end_threads_by(end_threads: fn()) {
    let _ = END_THREADS.set(end_threads); // made once per process
}

#[unsafe(no_mangle)]
extern "C" fn oshmpi_mpi_is_ending() {
    if let Some(end_threads) = END_THREADS.get() {
        end_threads();
    }
    undo_all();
}

/// A way to leave MPI for good without MPI_Finalize, together with all others; false: it is not possible.
static LEAVE: OnceLock<fn() -> bool> = OnceLock::new();
/// It has been taken.
static LEFT: AtomicBool = AtomicBool::new(false);

/// Has MPI left by `together` where nobody but us has used it. Collective when it comes to it.
pub(crate) fn leave_by(together: fn() -> bool) {
    let _ = LEAVE.set(together); // made once per process, like what it ends
}

/// MPI has been left: it is there, and not to be used.
pub(crate) fn left() -> bool {
    LEFT.load(Ordering::Acquire) // SYNC left: pairs with end
}

/// Something of ours lives in MPI as long as the process.
pub(crate) fn is_held() -> bool {
    !undone().is_empty()
}

fn undone() -> MutexGuard<'static, Vec<fn()>> {
    BEFORE_END.lock().unwrap_or_else(|e| e.into_inner())
}

/// Notes that the program initialises MPI, or that it is done with it.
pub(crate) fn program_init() {
    PROGRAM_INIT.store(true, Ordering::Relaxed);
}

pub(crate) fn program_done() {
    PROGRAM_DONE.store(true, Ordering::Relaxed);
}

pub(crate) fn is_program_done() -> bool {
    PROGRAM_DONE.load(Ordering::Relaxed)
}

/// Ends MPI now. Collective.
pub(crate) fn end() -> Result<(), MpiError> {
    if !usable() {
        return Ok(());
    }
    undo_all();
    let ours = !PROGRAM_INIT.load(Ordering::Relaxed);
    if ours && !super::faults::keeps_names_until_finalize() && LEAVE.get().is_some_and(|together| together()) {
        LEFT.store(true, Ordering::Release); // SYNC left
        return Ok(());
    }
    ENDED_LATE.store(is_exit_passed(), Ordering::Relaxed);
    mpi!(PMPI_Finalize())
}

/// MPI_Finalize was called when the process was ending.
static ENDED_LATE: AtomicBool = AtomicBool::new(false);

/// MPI was ended so late that it may not have taken leave of the launcher: MPICH 4.3 and later do that in an exit handler, made in
/// MPI_Init, which does nothing when MPI has not been ended before it.
pub(crate) fn is_ended_late() -> bool {
    ENDED_LATE.load(Ordering::Relaxed)
}

/// Our exit handler has run: what calls now is a destructor of the program's.
static EXIT_PASSED: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_exit_passed() -> bool {
    EXIT_PASSED.load(Ordering::Relaxed)
}

extern "C" fn end_at_exit(status: c_int, _: *mut core::ffi::c_void) {
    EXIT_PASSED.store(true, Ordering::Relaxed);
    // SYNC ender: what made MPI ours comes before
    if process::pid() != ENDER.load(Ordering::Acquire) || ABORTING.load(Ordering::Relaxed) {
        return;
    }
    let status = status & 0xff; // what the system makes of it
    let program_owes_an_end = PROGRAM_INIT.load(Ordering::Relaxed) && !is_program_done();
    if status != 0 && program_owes_an_end {
        abort(status); // others may wait for this process in MPI for ever
    }
    // At the end of the process nobody is left to hear of a failure.
    let _ = end();
}

/// MPI_Abort may run exit handlers.
static ABORTING: AtomicBool = AtomicBool::new(false);

/// Ends all processes with a status, as far as MPI can.
pub(crate) fn abort(status: c_int) {
    if usable() && !ABORTING.swap(true, Ordering::Relaxed) {
        // SAFETY: a constant of the shim.
        let world = unsafe { sys::RSMPI_COMM_WORLD };
        let _ = mpi!(PMPI_Abort(world, status));
    }
}
