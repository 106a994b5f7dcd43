//! From "a process was started" to "PE k of n, memory mapped". `start` reads as one page.

mod among;
mod contact;
pub(crate) mod found;
pub(crate) mod info;
pub(crate) mod job;
pub(crate) mod leader;
pub(crate) mod liveness;
pub(crate) mod mpijob;
pub(crate) mod pe_info;
mod pmix;
pub(crate) mod remote;
pub(crate) mod segments;
pub(crate) mod session;
pub(crate) mod teardown;
pub(crate) mod topology;

use crate::ctx::Contexts;
use crate::diag;
use crate::env::{AmoBy, CollBy, Connect, Env, MpiWhen};
use crate::memory::addr::Pe;
use crate::memory::heap::Heap;
use crate::memory::translate::{FAST, Reach};
use crate::os::{exe, map, process};
use crate::state::Runtime;
use crate::sync::atomics::AtomicU64;
use crate::sync::wait::WaitPolicy;
use crate::team::{Members, Team, TeamHandle, Teams};
use crate::transport::collective_comm;
use crate::transport::comm_cache::CommCache;
use crate::transport::remote::{Progress, Remote, Stats};
use std::sync::Mutex;

/// Why there is no runtime. All PEs fail together, one of them has the text.
#[derive(Debug)]
pub(crate) struct BootError(pub(crate) Option<String>);

impl BootError {
    /// A failure that `me` reports when it is the PE that should.
    fn by(reporter: u32, me: u32, text: impl FnOnce() -> String) -> BootError {
        BootError((reporter == me).then(text))
    }
}

impl<E: std::error::Error> From<E> for BootError {
    fn from(e: E) -> BootError {
        BootError(Some(e.to_string()))
    }
}

/// Ends the job because this PE cannot go on.
fn alone_with(routine: &str, BootError(why): BootError) -> ! {
    diag::fatal_alike(routine, why.unwrap_or_default())
}

/// Joins the job and makes the node's memory ready, in a call of `routine`. Collective.
pub(crate) fn start(routine: &'static str, level: core::ffi::c_int) -> Result<Runtime, BootError> {
    let env = Env::load(|name| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned()));
    let mut joined = job::join(level)?;
    let (pe, n_pes) = (joined.job.rank(), joined.job.size());
    diag::attach(pe, teardown::end_job);
    diag::on_panic();

    let exe = exe::data_segment(map::page());
    let mut topology = topology::learn(&mut joined, &env, exe)?;
    let env = env.expect("a bad value on any PE has ended `learn`");
    let mut notes = std::mem::take(&mut topology.notes);
    notes.insert(0, format!("{} of {n_pes} PEs, started through {}", pe, joined.way));

    match topology.everybody() && env.amo != AmoBy::Mpi {
        true if env.mpi == MpiWhen::Auto => {}
        true => job::have_mpi(level)?,
        false => job::have_mpi(joined.mpi_level)?,
    }

    // From here on a failure of one PE cannot be agreed on: the others are on their way to the first round.
    let (same_program, watch) = (topology.same_program, topology.watch.take());
    let node = topology.map(Pe(pe)).unwrap_or_else(|e| alone_with(routine, e));
    let all = Members { start: 0, stride: 1, size: n_pes };
    let world = Team::predefined(TeamHandle::WORLD, all, Pe(pe), &node.places);
    let neighbours = (!node.places.everybody()).then(|| Team::of_node(&node.places, node.me));
    let on_node = neighbours.as_ref().unwrap_or(&world);
    let allocated = remote::allocate(&env, &node).unwrap_or_else(|e| alone_with(routine, e));
    let heap = allocated.as_ref().map(|a| a.heap);
    let mut made = segments::make(&env, level, node, heap, on_node, exe, same_program, &mut notes)
        .unwrap_or_else(|e| alone_with(routine, e));
    notes.extend(watch.and_then(|post| liveness::begin(post, env.debug)));
    let remote = remote::make(&env, allocated, &mut made.node, &made.segments, &mut notes)
        .unwrap_or_else(|e| alone_with(routine, e));
    if let Some(neighbours) = &neighbours {
        world.continue_rounds(neighbours);
        collective_comm::open().unwrap_or_else(|e| alone_with(routine, e.into()));
    }
    let by_mpi = neighbours.is_some() && env.coll == CollBy::Mpi;
    if by_mpi {
        notes.push("collectives between nodes: MPI's".to_owned());
    }
    drop(joined);
    process::trim_memory();
    let heap_len = made.segments.heap.len;
    // The PEs whose heap is mapped. A team is three numbers: where PEs are placed irregularly, each has it for itself.
    let mapped = made.segments.heaps == Reach::Mapped;
    let (start, stride, size) = made.node.places.regular().filter(|_| mapped).unwrap_or((pe, 1, 1));
    let here = Members { start, stride: stride as i32, size };
    let shared = Team::predefined(TeamHandle::SHARED, here, Pe(pe), &made.node.places);
    Ok(Runtime {
        pe: Pe(pe),
        n_pes,
        env,
        node: made.node,
        segments: made.segments,
        exe,
        remote,
        comm_cache: by_mpi.then(CommCache::new),
        heap: Mutex::new(Heap::new(heap_len)),
        world,
        shared,
        teams: Teams::new(),
        contexts: Contexts::new(),
        calls: AtomicU64::new(0),
        notes,
    })
}

/// Opens the library for calls, at the first init and after a re-initialisation. Threads of this PE may be in several collectives
/// at a time, if `threads`. Collective.
pub(crate) fn open(routine: &str, rt: &Runtime, threads: bool) {
    remote::agree_on_threads(rt, threads).unwrap_or_else(|e| alone_with(routine, e));
    *rt.heap.lock().unwrap_or_else(|e| e.into_inner()) = Heap::new(rt.segments.heap.len);
    remote::open();
    if rt.env.connect == Connect::Eager {
        contact::all(rt).unwrap_or_else(|e| alone_with(routine, e));
    }
    Stats::of_the_job().count(rt.env.stats);
    FAST.set_crowded(rt.node.policy != WaitPolicy::Spin);
    // Where peers are served in calls only, every call has to be able to.
    let served_in_calls = rt.remote.is_some() && !Progress::runs() || rt.segments.statics == Reach::Window;
    if !rt.env.debug && !rt.env.stats && !served_in_calls {
        let words = rt.remote.as_ref().is_none_or(Remote::has_cpu_atomics);
        FAST.open(&rt.segments, &rt.node, words, rt.remote.is_some());
    }
}
