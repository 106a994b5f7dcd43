//! Init and finalize. They are counted and may be repeated, in any order with MPI_Init and MPI_Finalize.

use crate::boot::{self, BootError, info, session, teardown};
use crate::memory::control::Stage;
use crate::memory::translate::{FAST, Reach};
use crate::net::carrier::Carrier;
use crate::os::{affinity, memfd, process, stack};
use crate::sync::Wait;
use crate::sync::awaited::Awaited;
use crate::{args, diag, mpi, state};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Mutex, TryLockError};

/// Serialises init and finalize of this process.
static LIFE: Mutex<Life> = Mutex::new(Life { start_pes: false, phase: Phase::Usable });

/// The thread that was the last to have [`LIFE`].
static HOLDER: AtomicI32 = AtomicI32::new(0);

struct Life {
    /// `start_pes` was called: the library stays up until the process ends.
    start_pes: bool,
    phase: Phase,
}

/// Whether the library can be initialised. How often it is initialised is `state::inits`.
///
/// | from | to | who moves it |
/// |---|---|---|
/// | `Usable` | `Failed` | the first `init`, where `boot` fails |
/// | `Usable` | `MpiEnded` | `end_with_mpi`: MPI ends under a job that needs it, while the library is up |
/// | `MpiEnded` | `MpiEnded` | each `finalize` that was owed |
#[derive(Clone, Copy)]
enum Phase {
    Usable,
    /// Init has failed. Final.
    Failed,
    /// MPI has ended, so the library is down. `owed` calls of finalize are still to come. Final.
    MpiEnded {
        owed: u32,
    },
}

/// The process that registered the exit handler: a forked child must not run it.
static HANDLER_PID: AtomicU32 = AtomicU32::new(0);
/// Bytes of stack that the first init takes without MPI. With a smaller number, a thread with less ends by SIGSEGV; a
/// larger one refuses threads that would do. The unoptimised library takes more.
const STACK: usize = if cfg!(debug_assertions) { 160 << 10 } else { 68 << 10 };

/// Initialises the library or counts the call. Collective. All PEs return an error or none does.
pub(crate) fn init(routine: &'static str, level: c_int) -> Result<(), BootError> {
    if state::is_child() {
        return Err(BootError::Child);
    }
    match stack::left().filter(|left| *left < STACK && state::made().is_none()) {
        Some(left) => Err(BootError::SmallStack { left: left >> 10, needed: STACK >> 10 }),
        None => init_counted(routine, level),
    }
}

/// Not inlined, so that the check before it needs little of the stack.
#[inline(never)]
fn init_counted(routine: &'static str, level: c_int) -> Result<(), BootError> {
    let mut life = lock();
    match life.phase {
        Phase::Usable => {}
        Phase::Failed => return Err(BootError::FailedBefore),
        Phase::MpiEnded { .. } => return Err(BootError::MpiEnded),
    }
    let count = state::inits();
    if count > 0 {
        let rt = state::up(routine);
        args::thread(rt, routine);
        state::set_inits(count + 1, Some((rt.pe, rt.n_pes)));
        super::coll::sync_world(rt); // every init is collective
        return Ok(());
    }
    let first = state::made().is_none();
    // start_pes is older than thread levels, so its programs count as single-threaded.
    let threads = level == args::MULTIPLE && !life.start_pes;
    let rt = match state::made() {
        Some(rt) => rt,
        None => match boot::start(routine, level, end_with_mpi) {
            Ok(rt) => {
                process::at_exit(at_exit);
                process::at_fork(None, None, in_child);
                state::make(rt)
            }
            Err(e) => {
                life.phase = Phase::Failed;
                return Err(e);
            }
        },
    };
    state::set_threads(granted(rt, level), process::thread_id());
    HANDLER_PID.store(process::pid(), Ordering::Relaxed);
    boot::open(routine, rt, threads);
    rt.node.set_stage(Stage::Outside); // this init may follow a finalize
    match rt.carrier {
        Some(Carrier::Native(_)) if first => agree_on_statics(rt, routine),
        _ => super::coll::sync_world(rt), // peers' slots are ready when anybody returns
    }
    boot::liveness::back();
    if !first {
        boot::session::pause(false);
    }
    affinity::move_there(state::threads().0 <= args::FUNNELED);
    state::set_inits(1, Some((rt.pe, rt.n_pes)));
    rt.node.set_stage(Stage::Up);
    if first {
        info::print(rt);
    }
    Ok(())
}

/// All PEs have made their statics symmetric, or none has. Each node has found out separately; over MPI boot has
/// compared the nodes. Notes whether the statics are mapped on every node. It is a barrier. Collective.
fn agree_on_statics(rt: &state::Runtime, routine: &'static str) {
    let statics = rt.segments.statics;
    let words = [statics != Reach::None, statics == Reach::Mapped].map(u64::from);
    match super::coll::Group::of_team(rt, routine, &rt.world).agree(&words, 1) {
        // This thread reads it, and others after they have learned that init is over.
        Ok(all) => rt.segments.statics_mapped.store(all.least(1) == 1, Ordering::Relaxed),
        Err(_) => diag::fatal_alike(routine, BootError::StaticsDiffer),
    }
}

/// The thread level granted for the level `wanted`. Memory and CPU atomics serve any number of threads. If MPI moves
/// data, its thread level limits the result.
fn granted(rt: &state::Runtime, wanted: c_int) -> c_int {
    if !rt.needs_mpi() {
        return wanted;
    }
    let mpi = mpi::query_thread().unwrap_or(0);
    (0..=wanted).rev().find(|&level| mpi::thread_level(level) <= mpi).unwrap_or(0)
}

/// `start_pes`: initialises the library if it is down. The end of the process finalizes it. The call is not counted.
pub(crate) fn start_pes() -> Result<(), BootError> {
    {
        let mut life = lock();
        if life.start_pes || state::inits() > 0 {
            return Ok(()); // a repeated call, or one after the program's own init
        }
        life.start_pes = true;
    }
    init("start_pes", 3)
}

/// Runs in a forked child, which is not a PE: nothing that it does may count as the PE's. Before the first init there
/// is no PE.
pub(crate) extern "C" fn in_child() {
    if state::made().is_some() {
        FAST.close();
        state::become_child();
    }
}

/// Finalize: counts back one init. The last one takes the library down. Collective. One too many only says so.
pub(crate) fn finalize(routine: &str) {
    if state::is_child() {
        return; // a forked child's end must not finalize
    }
    let mut life = lock();
    if let Phase::MpiEnded { owed: owed @ 1.. } = &mut life.phase {
        *owed -= 1;
        return;
    }
    if state::inits() == 0 && state::made().is_some() {
        // Two libraries of one program may both end OpenSHMEM. Nothing is left to do, so the program may go on.
        let what = "OpenSHMEM has ended already, so this call does nothing; one is expected for each shmem_init";
        return diag::print(format_args!("{routine}: {what}"));
    }
    let rt = state::up(routine);
    if rt.env.debug && state::threads().1 != process::thread_id() {
        diag::fatal(routine, "called by another thread than the one that initialised");
    }
    super::coll::none_under_way(routine, None);
    let count = state::inits();
    rt.node.set_stage(Stage::Finalizing);
    // Before anything else, because another PE may wait for what this PE has put.
    super::order::quiet_all(rt);
    wait_for_ends(rt);
    sync_ends(rt, 1);
    if count > 1 {
        rt.node.set_stage(Stage::Up);
        state::set_inits(count - 1, Some((rt.pe, rt.n_pes)));
        return;
    }
    life.start_pes = false;
    close(rt);
}

/// Called when MPI ends in a job that needs it. If the library is still up, a profiling tool has wrapped the program's
/// MPI_Finalize and calls MPI directly. Then this does what the last finalize would do, while MPI still works.
/// Collective, as MPI_Finalize is.
fn end_with_mpi() {
    let Some(rt) = state::made().filter(|rt| rt.needs_mpi() && state::inits() > 0) else { return };
    let mut life = lock();
    life.phase = Phase::MpiEnded { owed: state::inits() };
    leave(rt, 1, Stage::Finalizing);
}

/// Returns when all PEs of this node are ending. Without it, a PE that waits in another barrier would take the barrier
/// of a finalize for its own and go on alone. No PE leaves finalize before all PEs have seen that all are ending.
fn wait_for_ends(rt: &state::Runtime) {
    let (node, wait) = (&rt.node, rt.node.waiter());
    if node.all_are_ending() {
        return wait.notify(); // the others may sleep in this wait
    }
    wait.until_told(|| node.all_are_ending(), || Awaited::Ends);
}

/// Completes all operations, synchronises `rounds` times with all PEs, and takes the library down. `stage` is what the
/// other PEs read of this one afterwards.
fn leave(rt: &state::Runtime, rounds: u32, stage: Stage) {
    rt.node.set_stage(stage);
    super::order::quiet_all(rt);
    wait_for_ends(rt);
    sync_ends(rt, rounds);
    close(rt);
}

/// Synchronises with all PEs for so many finalizes.
fn sync_ends(rt: &state::Runtime, finalizes: u32) {
    for _ in 0..finalizes {
        super::coll::sync_ends(rt);
        if let Some(departures) = &rt.departures {
            departures.finalize_is_over();
        }
    }
}

fn close(rt: &state::Runtime) {
    boot::liveness::clean_exit();
    super::stats::print(rt);
    super::space::destroy_all(rt);
    super::team::destroy_all(rt);
    boot::serve::rest(rt, || super::coll::sync_ends(rt));
    FAST.close();
    state::set_inits(0, None);
    rt.node.set_stage(Stage::Finalized);
    if rt.env.debug {
        let (blocks, bytes) = rt.heap.lock().unwrap_or_else(|e| e.into_inner()).in_use();
        if blocks > 0 {
            diag::print(format_args!("shmem_finalize: {blocks} symmetric blocks ({bytes} bytes) were not freed"));
        }
    }
    if mpi::life::Event::ProgramDone.has_happened() && !needs_mpi() {
        let _ = mpi::life::end(); // the program has called MPI_Finalize meanwhile
    }
    // The next phase starts with an empty heap, so the memory is not needed until then. A failure only keeps memory.
    if rt.gives_pages_back() {
        let (file, offset) = rt.node.heap_file();
        let _ = memfd::discard(file, offset, rt.segments.heap.len as u64);
    }
    boot::session::pause(true);
}

/// Whether the program's MPI_Finalize has to be put off. That is so while OpenSHMEM is up, while it may still join the
/// job through MPI, and while it has a window that lives as long as the process. While OpenSHMEM is up, it needs the
/// launcher's connection, which MPI may share, to end the job. Over UCX a later init needs that connection as well, to
/// read the records of PEs.
pub(crate) fn needs_mpi() -> bool {
    let reads_records =
        |rt: &state::Runtime| matches!(rt.carrier, Some(Carrier::Native(_))) && session::is_shared_with_mpi();
    state::inits() > 0 || state::made().is_none_or(reads_records) || mpi::life::Event::Held.has_happened()
}

/// The thread level in force.
pub(crate) fn level() -> c_int {
    state::threads().0
}

fn lock() -> std::sync::MutexGuard<'static, Life> {
    let life = LIFE.lock().unwrap_or_else(|e| e.into_inner());
    HOLDER.store(process::thread_id(), Ordering::Relaxed);
    life
}

/// Whether this thread is in init or finalize, which a signal handler has interrupted.
fn is_interrupted() -> bool {
    HOLDER.load(Ordering::Relaxed) == process::thread_id() && matches!(LIFE.try_lock(), Err(TryLockError::WouldBlock))
}

/// The program ends by `_exit`, which runs no exit handler. Says so, marks this PE as left, and ends the process with a
/// failure, so that the launcher ends the job: a launcher may take the end of this process for the end of its work, or
/// kill the other PEs before one of them can say anything. `oshrun` does without. May run in a signal handler, and in a
/// child that shares its parent's memory: no allocation, no lock.
pub(crate) fn exit_at_once(status: c_int) -> ! {
    let is_pe = process::pid() == HANDLER_PID.load(Ordering::Relaxed) && state::inits() > 0 && !teardown::under_way();
    let rt = state::made().filter(|_| is_pe && !pmi_shm::client::is_oshruns());
    if let Some(rt) = rt {
        rt.node.set_stage(Stage::Left);
        diag::left_at_once(status);
    }
    process::end_now(if rt.is_some() && status & 0xff == 0 { 1 } else { status })
}

/// Exit handler: the program has called exit() or returned from main.
extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    if process::pid() != HANDLER_PID.load(Ordering::Relaxed) || state::inits() == 0 || teardown::under_way() {
        return;
    }
    // The system keeps the low byte of a status: exit(256) is a success.
    if status & 0xff != 0 {
        // Otherwise the other PEs would wait for this one for ever.
        teardown::end_job(status);
    }
    if is_interrupted() {
        diag::fatal("exit", "called by a signal handler during init or finalize, which cannot go on");
    }
    // Another thread may be in the last finalize.
    let life = lock();
    if state::inits() == 0 {
        return;
    }
    let rt = state::up("exit");
    let by_start_pes = life.start_pes;
    if rt.env.debug && !by_start_pes {
        diag::print("exit: the program ends without shmem_finalize");
    }
    // One barrier for each finalize that is missing, because other PEs may call theirs.
    leave(rt, state::inits(), if by_start_pes { Stage::LeftInOrder } else { Stage::Left });
}
