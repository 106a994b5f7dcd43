//! When MPI is initialised and finalized in this process, for this library and for the program. Each happens at most
//! once, because MPI cannot be initialised twice.

use super::{Comm, MpiError, constants, finalized, initialized, library, mpi, usable};
use crate::hooks;
use crate::os::{bus, process};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::OnceLock;

/// Thread levels of MPI, in the order of OpenSHMEM's 0..3.
pub(crate) fn thread_level(level: c_int) -> c_int {
    let all = constants();
    match level {
        ..=0 => all.RSMPI_THREAD_SINGLE,
        1 => all.RSMPI_THREAD_FUNNELED,
        2 => all.RSMPI_THREAD_SERIALIZED,
        _ => all.RSMPI_THREAD_MULTIPLE,
    }
}

/// Initialises MPI. `required` and the result are MPI thread levels: requested and granted. SERIALIZED becomes
/// MULTIPLE, because a thread of the program may be in MPI while another one is in a call of this library, which calls
/// MPI for its data, or so that MPI serves others while it waits. The MPI standard lets MPI grant more than was
/// requested.
pub(crate) fn init(required: c_int) -> Result<c_int, MpiError> {
    library::load()?;
    super::faults::choose_windows();
    let required = if required == thread_level(2) { thread_level(3) } else { required };
    let _bus = bus::explained();
    let mut provided: c_int = 0;
    let none = core::ptr::null_mut();
    process::with_hangup_kept(|| mpi!(PMPI_Init_thread(none, core::ptr::null_mut(), required, &mut provided)))?;
    Ok(provided)
}

/// Errors of calls that name no communicator are returned: see [`errors_of_no_communicator`].
static ERRORS_COME_BACK: AtomicBool = AtomicBool::new(false);

/// Sets what follows an error in a call that names no communicator, such as MPI_Test: the handlers of MPI_COMM_WORLD
/// and MPI_COMM_SELF decide. With `come_back` errors are returned to the caller, which reports more about them. That is
/// so while only this library uses MPI. A program that initialises MPI gets MPI's default.
fn errors_of_no_communicator(come_back: bool) -> Result<(), MpiError> {
    let all = constants();
    let handler = if come_back { all.RSMPI_ERRORS_RETURN } else { all.RSMPI_ERRORS_ARE_FATAL };
    [all.RSMPI_COMM_WORLD, all.RSMPI_COMM_SELF]
        .into_iter()
        .try_for_each(|comm| mpi!(PMPI_Comm_set_errhandler(comm, handler)))
}

/// MPI's thread level in force.
pub(crate) fn query_thread() -> Result<c_int, MpiError> {
    let mut provided: c_int = 0;
    mpi!(PMPI_Query_thread(&mut provided))?;
    Ok(provided)
}

/// Whether the thread that calls may call MPI while other threads of the program do what their level allows: at
/// SERIALIZED one of them may be in MPI.
fn is_free_for_this_thread() -> bool {
    let Ok(level) = query_thread() else { return false };
    let mut is_main: c_int = 0;
    level >= thread_level(3)
        || level <= thread_level(1) && mpi!(PMPI_Is_thread_main(&mut is_main)).is_ok() && is_main != 0
}

/// Gives MPI the processor, if MPI is up and this thread may call it. A wait that lasts does so: a PE that it waits for
/// may be in a call of MPI that needs this process.
pub(crate) fn poll() {
    if usable() && is_free_for_this_thread() {
        Comm::shared_world().poll();
    }
}

/// The number of this process and the number of processes, as they were told when the job was joined.
static WORLD: OnceLock<(u32, u32)> = OnceLock::new();

/// Notes what MPI's world must be if MPI is initialised later.
pub(crate) fn expect_world(rank: u32, size: u32) {
    let _ = WORLD.set((rank, size)); // a job is joined once
}

/// Why MPI is not usable although it is needed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoMpi {
    #[error(transparent)]
    Failed(#[from] MpiError),
    #[error("MPI is needed, but the program has called MPI_Finalize")]
    Ended,
    /// MPI's world is not the job that the launcher has started.
    #[error(
        "MPI is needed, but it sees process {} of {} where the launcher started process {} of {}: {}",
        mpi.0, mpi.1, job.0, job.1, super::launcher_of_another_mpi()
    )]
    OtherWorld { job: (u32, u32), mpi: (u32, u32) },
}

/// Makes MPI usable, and returns MPI's thread level in force. If MPI is not initialised yet, it is initialised at
/// OpenSHMEM's level `level` (0..3) or higher, and finalized at the end of the process. Collective over the job.
///
/// # Errors
/// MPI has been finalized or cannot be initialised, or its world is not the job that was joined.
pub(crate) fn ensure(level: c_int) -> Result<c_int, NoMpi> {
    if finalized() {
        return Err(NoMpi::Ended);
    }
    let granted = if initialized() {
        query_thread()?
    } else {
        library::load()?; // levels are its constants
        // Programs that call MPI themselves later get this level: at least FUNNELED, which costs nothing.
        let granted = init(thread_level(level.max(1)))?;
        end_with_process();
        errors_of_no_communicator(true)?;
        ERRORS_COME_BACK.store(true, Ordering::Relaxed);
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

/// Something that has happened to MPI in this process. Each is a bit of one word, [`STATE`], which starts empty.
///
/// | event | set by | what follows |
/// |---|---|---|
/// | `HandlerThere` | `prepare_end`, once | `end_at_exit` runs at the end of the process |
/// | `ProgramInit` | the program's MPI_Init, or `boot` when it finds MPI up | MPI ends by MPI_Finalize only |
/// | `ProgramDone` | the program's MPI_Finalize, which is put off while `Held` | MPI ends as soon as OpenSHMEM is down |
/// | `Held` | `hold`: something of this library lives in MPI | `finalize`, `close_transports` run at its end |
/// | not `Held` | `undo`, right before these hooks run | they run once |
/// | `LeaveAllowed` | `boot`: MPI talks to other PEs by a network | MPI is left, where it can be (`boot/session`) |
/// | `Ending` | `end`, once, or MPI at its end | nobody else ends MPI |
/// | `Left` | `end`, where MPI was left | MPI is up, and not used any more |
/// | `HandlerPassed` | `end_at_exit` | callers from now on are destructors of the program |
/// | `Aborting` | `abort`, once | exit handlers that MPI_Abort runs do nothing |
/// | `EndedLate` | `end`, called by a destructor of the program | the launcher hears of the end from this library |
///
/// `Held` is the only event that is taken back. `EndedLate` matters because MPICH 4.3 and later take leave of the
/// launcher in an exit handler that MPI_Init registers. That handler does nothing if MPI has not been ended before.
#[derive(Clone, Copy)]
pub(crate) enum Event {
    HandlerThere = 1 << 0,
    ProgramInit = 1 << 1,
    ProgramDone = 1 << 2,
    Held = 1 << 3,
    LeaveAllowed = 1 << 4,
    Left = 1 << 5,
    HandlerPassed = 1 << 6,
    Aborting = 1 << 7,
    EndedLate = 1 << 8,
    Ending = 1 << 9,
}

static STATE: AtomicU32 = AtomicU32::new(0);
/// The process that ends MPI at its end; a forked child must not. 0: no process does.
static ENDER: AtomicU32 = AtomicU32::new(0);

impl Event {
    pub(crate) fn has_happened(self) -> bool {
        STATE.load(Ordering::Acquire) & self as u32 != 0 // SYNC mpi-state: pairs with note
    }

    /// Notes the event; true when it had happened before.
    pub(crate) fn note(self) -> bool {
        STATE.fetch_or(self as u32, Ordering::AcqRel) & self as u32 != 0 // SYNC mpi-state: pairs with has_happened
    }

    /// Takes the event back; true when it had happened.
    fn take_back(self) -> bool {
        STATE.fetch_and(!(self as u32), Ordering::AcqRel) & self as u32 != 0 // SYNC mpi-state: pairs with note
    }
}

/// Registers the exit handler that ends MPI, if [`end_with_process`] was called by then. Handlers that are registered
/// later run before it.
pub(crate) fn prepare_end() {
    if !Event::HandlerThere.note() {
        process::at_exit(end_at_exit);
    }
}

/// Has the exit handler end MPI at the end of the process. Until then the program may use MPI after the last
/// shmem_finalize, and OpenSHMEM after its MPI_Finalize.
pub(crate) fn end_with_process() {
    prepare_end();
    ENDER.store(process::pid(), Ordering::Release); // SYNC ender: pairs with end_at_exit
}

/// Notes that this library has objects in MPI, such as windows, which are released before MPI ends, and that MPI talks
/// to other PEs through a network. MPI then ends with the process: a program's MPI_Finalize is put off. If a profiling
/// tool wraps MPI_Finalize and calls MPI directly, the objects are released in that call.
pub(crate) fn hold() {
    Event::LeaveAllowed.note();
    if !Event::Held.note() {
        // SAFETY: MPI is up, since objects of this library are in it. A failure matters only with such tools.
        let _ = library::table().map(|table| unsafe { (table.tell_end)(is_ending) });
    }
}

/// Releases this library's objects in MPI, once.
fn undo() {
    if Event::Held.take_back()
        && let Some(hooks) = hooks::get()
    {
        (hooks.finalize)();
        (hooks.close_transports)();
    }
}

extern "C" fn is_ending() {
    Event::Ending.note();
    if let Some(hooks) = hooks::get() {
        (hooks.end_threads)();
    }
    undo();
}

pub(crate) fn program_init() {
    Event::ProgramInit.note();
    if ERRORS_COME_BACK.swap(false, Ordering::Relaxed) {
        let _ = errors_of_no_communicator(false); // both communicators are there as long as MPI is
    }
}

/// Whether the program uses MPI itself.
pub(crate) fn is_programs() -> bool {
    Event::ProgramInit.has_happened() && !Event::ProgramDone.has_happened()
}

/// Ends MPI now, unless another thread does: one may be in MPI_Finalize, and another one in the last shmem_finalize.
/// Collective.
pub(crate) fn end() -> Result<(), MpiError> {
    if !usable() || Event::Ending.note() {
        return Ok(());
    }
    undo();
    let may_leave = Event::LeaveAllowed.has_happened() && !Event::ProgramInit.has_happened();
    let may_leave = may_leave && !super::faults::keeps_names_until_finalize();
    if may_leave && hooks::get().is_some_and(|hooks| (hooks.leave_mpi)()) {
        Event::Left.note();
        return Ok(());
    }
    if Event::HandlerPassed.has_happened() {
        Event::EndedLate.note();
    }
    mpi!(PMPI_Finalize())
}

extern "C" fn end_at_exit(status: c_int, _: *mut core::ffi::c_void) {
    Event::HandlerPassed.note();
    // SYNC ender: MPI was initialised before
    if process::pid() != ENDER.load(Ordering::Acquire) || Event::Aborting.has_happened() {
        return;
    }
    let status = status & 0xff; // the part that the system keeps
    if status != 0 && is_programs() {
        abort(status); // others may wait for this process in MPI for ever
    }
    // A failure at the end of the process is not reported.
    let _ = end();
}

/// Ends all processes with a status by MPI_Abort.
pub(crate) fn abort(status: c_int) {
    if usable() && !Event::Aborting.note() {
        let _ = mpi!(PMPI_Abort(constants().RSMPI_COMM_WORLD, status));
    }
}
