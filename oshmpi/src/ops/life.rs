//! Init and finalize as programs call them: counted, repeatable, in any order with MPI's own.

use crate::boot::{self, BootError, info, teardown};
use crate::memory::addr::SegId;
use crate::memory::control::Stage;
use crate::memory::translate::{FAST, Reach};
use crate::os::{affinity, memfd, process};
use crate::sync::Wait;
use crate::sync::awaited::Awaited;
use crate::{args, diag, mpi, state};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;

/// Serialises init and finalize of this process.
static LIFE: Mutex<Life> = Mutex::new(Life { start_pes: false, phase: Phase::Usable });

struct Life {
    /// `start_pes` holds the library up until the process ends.
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
    /// For good.
    Failed,
    /// For good: the library is down, and so many finalizes are still to come.
    MpiEnded {
        owed: u32,
    },
}

/// The process that registered the exit handler: a forked child must not run it.
static HANDLER_PID: AtomicU32 = AtomicU32::new(0);
/// Initialises or counts, in a call of `routine`. The error has been agreed on by all PEs.
pub(crate) fn init(routine: &'static str, level: c_int) -> Result<(), BootError> {
    if state::is_child() {
        return Err(BootError::Child);
    }
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
    let rt = match state::made() {
        Some(rt) => rt,
        None => match boot::start(routine, level, end_with_mpi) {
            Ok(rt) => {
                process::at_exit(at_exit);
                process::in_children(in_child);
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
    // start_pes comes from a standard without threads.
    boot::open(routine, rt, level == args::MULTIPLE && !life.start_pes);
    rt.node.set_stage(Stage::Outside); // not Finalized any more, after another init
    super::coll::sync_world(rt); // peers' slots are ready when anybody returns
    affinity::move_there(state::threads().0 <= args::FUNNELED);
    state::set_inits(1, Some((rt.pe, rt.n_pes)));
    rt.node.set_stage(Stage::Up);
    if first {
        info::print(rt);
    }
    Ok(())
}

/// Memory and CPU atomics serve any number of threads; an MPI window only as many as MPI does.
fn granted(rt: &state::Runtime, wanted: c_int) -> c_int {
    if rt.segments.statics != Reach::Window && rt.remote.is_none() {
        return wanted;
    }
    let mpi = mpi::query_thread().unwrap_or(0);
    (0..=wanted).rev().find(|&level| mpi::thread_level(level) <= mpi).unwrap_or(0)
}

/// `start_pes`: up once, down at the end of the process, not counted.
pub(crate) fn start_pes() -> Result<(), BootError> {
    {
        let mut life = lock();
        if life.start_pes || state::inits() > 0 {
            return Ok(()); // the second time, or the program's init and finalize rule
        }
        life.start_pes = true;
    }
    init("start_pes", 3)
}

/// A forked child is no PE: nothing it does may count as the PE's.
extern "C" fn in_child() {
    FAST.close();
    state::become_child();
}

/// The matching end of one init; the last one takes the library down.
pub(crate) fn finalize(routine: &str) {
    if state::is_child() {
        return; // its main has returned through the same end as the PE's will
    }
    let mut life = lock();
    if let Phase::MpiEnded { owed: owed @ 1.. } = &mut life.phase {
        *owed -= 1;
        return;
    }
    let rt = state::up(routine);
    if rt.env.debug && state::threads().1 != process::thread_id() {
        diag::fatal(routine, "called by another thread than the one that initialised");
    }
    let count = state::inits();
    rt.node.set_stage(Stage::Finalizing);
    // First of all: another PE may wait for what this PE has put.
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

/// MPI ends under a job that needs it. Where the library is up, a profiling tool has taken the program's MPI_Finalize
/// and has not asked: what the last finalize does is done while it can be. Collective, as MPI_Finalize is.
fn end_with_mpi() {
    let Some(rt) = state::made().filter(|rt| rt.remote.is_some() && state::inits() > 0) else { return };
    let mut life = lock();
    life.phase = Phase::MpiEnded { owed: state::inits() };
    leave(rt, 1, Stage::Finalizing);
}

/// Returns when all PEs of this node are ending. Without this, the barrier of a finalize would be taken for another one
/// that a PE waits in, and that PE would go on alone. Nobody can leave the finalize before all have seen all.
fn wait_for_ends(rt: &state::Runtime) {
    let (node, wait) = (&rt.node, rt.node.waiter());
    if node.all_are_ending() {
        return wait.notify(); // the others may sleep
    }
    wait.until_told(|| node.all_are_ending(), || Awaited::Ends);
}

/// Completes what is under way, synchronises with all PEs so many times, and takes the library down.
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
    super::team::destroy_all(rt);
    FAST.close();
    state::set_inits(0, None);
    rt.node.set_stage(Stage::Finalized);
    if rt.env.debug {
        let (blocks, bytes) = rt.heap.lock().unwrap_or_else(|e| e.into_inner()).in_use();
        if blocks > 0 {
            diag::print(format_args!("shmem_finalize: {blocks} symmetric blocks ({bytes} bytes) were not freed"));
        }
    }
    if mpi::life::is_program_done() && !needs_mpi() {
        let _ = mpi::life::end(); // the program has called MPI_Finalize meanwhile
    }
    // The next phase starts with an empty heap, and until then nobody needs the memory. Failing costs memory only.
    if rt.gives_pages_back() {
        let _ = memfd::discard(rt.node.fd(), rt.node.file_offset(SegId::Heap), rt.segments.heap.len as u64);
    }
}

/// The program's MPI_Finalize has to wait: OpenSHMEM is up, or may still want to join the job through MPI, or has a
/// window that lives as long as the process. While it is up, the launcher's connection, which MPI may share with this
/// library, is needed to end the job.
pub(crate) fn needs_mpi() -> bool {
    state::inits() > 0 || state::made().is_none() || mpi::life::is_held()
}

/// Level in force.
pub(crate) fn level() -> c_int {
    state::threads().0
}

fn lock() -> std::sync::MutexGuard<'static, Life> {
    LIFE.lock().unwrap_or_else(|e| e.into_inner())
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

/// The program ends by exit() or by returning from main.
extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    if process::pid() != HANDLER_PID.load(Ordering::Relaxed) || state::inits() == 0 || teardown::under_way() {
        return;
    }
    // What the system makes of it: exit(256) is a success.
    if status & 0xff != 0 {
        // The others would wait for this PE for ever.
        teardown::end_job(status);
    }
    let rt = state::up("exit");
    let by_start_pes = lock().start_pes;
    if rt.env.debug && !by_start_pes {
        diag::print("exit: the program ends without shmem_finalize");
    }
    // One round for each finalize that is missing: others may call theirs.
    leave(rt, state::inits(), if by_start_pes { Stage::LeftInOrder } else { Stage::Left });
}
