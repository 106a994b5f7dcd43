//! From "a process was started" to "PE k of n, memory mapped". `start` reads as one page.
//!
//! Modules of this folder use each other one way: `mod` → `remote`, `topology` → `segments`, `nodes`, `locality` →
//! `pages`, `serve`, `job`, `leader` → `watch` → `found`, `pmix` → `pe_info`, `teardown` → `liveness`,
//! `session` → `error` → `launcher`, `info`.

mod error;
mod found;
pub(crate) mod info;
pub(crate) mod job;
mod launcher;
mod leader;
pub(crate) mod liveness;
mod locality;
mod nodes;
mod pages;
mod pe_info;
mod pmix;
mod remote;
mod segments;
pub(crate) mod serve;
pub(crate) mod session;
pub(crate) mod teardown;
mod topology;
mod watch;

pub(crate) use error::BootError;

use crate::ctx::Contexts;
use crate::diag::{self, Then};
use crate::env::{Env, MpiWhen, OnError, StatsAs, TransportBy, WaitBy};
use crate::hooks::{self, Hooks};
use crate::memory::addr::Pe;
use crate::memory::heap::Heap;
use crate::memory::node::Node;
use crate::memory::translate::{FAST, Reach, Segments};
use crate::mpi;
use crate::net::carrier::Carrier;
use crate::net::comm_cache::CommCache;
use crate::net::departures::Departures;
use crate::net::tagged::job_comm;
use crate::net::{Progress, Remote};
use crate::os::exe::{self, DataSegment};
use crate::os::{map, process};
use crate::state::Runtime;
use crate::sync::atomics::AtomicU64;
use crate::sync::wait::{Backoff, WaitPolicy};
use crate::team::{Members, Spaces, Team, TeamHandle, Teams};
use core::ffi::c_int;
use job::Joined;
use remote::Choice;
use std::sync::{Mutex, OnceLock};
use topology::Topology;

/// Joins the job and makes the runtime, in a call of `routine`. Collective. If MPI ends while the library is up,
/// `finalize` takes the library down.
pub(crate) fn start(routine: &'static str, level: c_int, finalize: fn()) -> Result<Runtime, BootError> {
    let (mut env, bad) = Env::of_process();
    diag::set_then(match env.on_error {
        OnError::Exit => Then::End,
        OnError::Backtrace => Then::Backtrace,
        OnError::Abort => Then::Abort,
    });
    // Threads that are started from here on are not the program's. Counting them takes some time.
    let count = || process::threads(process::pid()).unwrap_or(0);
    let threads_before = env.debug.then(count);
    let resident_before = if env.stats == StatsAs::None { 0 } else { process::resident_kib() };
    let mut joined = job::join(&env, level)?;
    diag::attach(joined.rank);
    hooks::set(Hooks {
        end_job: teardown::end_job,
        announce_end: teardown::announce_end,
        end_threads: serve::end_helper,
        finalize,
        close_transports: serve::close,
        leave_mpi: session::leave_together,
    });
    diag::on_panic();

    let exe = exe::data_segment(map::page());
    let choice = remote::choose(&env, &joined);
    let topology = topology::learn(&mut joined, &env, bad.as_ref(), exe, choice.by)?;
    if env.transport == TransportBy::Auto && !topology.everybody() {
        env.transport = topology.takes;
    }
    match !remote::wanted(&env, topology.everybody()) {
        true if env.mpi == MpiWhen::Auto => {}
        true => job::have_mpi(joined.rank, level)?,
        false if !remote::needs_mpi(&env) && env.mpi == MpiWhen::Auto => {}
        false => {
            job::have_mpi(joined.rank, joined.mpi_level)?;
            // Should init fail from now on, MPI ends with the process all the same.
            mpi::life::Event::LeaveAllowed.note();
        }
    }

    // All PEs have joined. The next step moves static variables, so no thread of this library may run then.
    drop(joined.absent.take());
    // From here on the PEs cannot agree on a failure of one of them: the others go on to the first barrier round.
    let made = make(env, joined, topology, exe, choice);
    let rt = made.unwrap_or_else(|e| diag::fatal_alike(routine, e));
    process::trim_memory();
    watch::top::begin(rt.env.top.0, rt.node.me == 0);
    if let Some(before) = threads_before {
        rt.node.set_own_threads(count().saturating_sub(before));
    }
    Ok(Runtime { resident_before, ..rt })
}

/// Makes the runtime's parts on the node that was found: memory, segments, transport, teams. Collective.
fn make(
    mut env: Env,
    joined: Joined,
    mut topology: Topology,
    exe: Option<DataSegment>,
    choice: Choice,
) -> Result<Runtime, BootError> {
    let (pe, n_pes) = (Pe(joined.rank), joined.size);
    let mut notes = vec![format!("{} of {n_pes} PEs, started through {}", pe.0, joined.way)];
    notes.append(&mut topology.notes);
    let (same_program, watch) = (topology.same_program, topology.watch.take());

    let serving = remote::wanted(&env, topology.everybody());
    if serving {
        remote::check_size(n_pes)?;
    }
    let poll_on = env.wait == WaitBy::Spin;
    let backoff = if serving { Backoff::serving(topology.plan.policy, poll_on) } else { Backoff::NOTIFIED };
    let node = topology.map(pe, backoff, &serve::MEANWHILE)?;
    node.set_pid(process::pid());
    let all = Members::spaced(0, 1, n_pes);
    let world = Team::predefined(TeamHandle::WORLD, all, pe, &node.places);
    let neighbours = (!node.places.everybody()).then(|| Team::of_node(&node.places, node.me));
    let on_node = neighbours.as_ref().unwrap_or(&world);
    let allocated = remote::allocate(&env, &node)?;
    let heap = allocated.as_ref().map(|a| a.heap);
    let segments = segments::make(&env, &node, heap, on_node, exe, same_program, &mut notes)?;
    // After static variables have moved, because these threads use them.
    notes.extend(watch.and_then(|plan| liveness::begin(plan, env.debug)));
    liveness::orphan::end_with_launcher();
    let made = remote::make(&mut env, choice, allocated, &node, on_node, &segments, &mut notes)?;
    let (remote, carrier) = made.unzip();
    if let Some(neighbours) = &neighbours {
        world.continue_rounds(neighbours);
    }
    let carrier = carrier.filter(|_| neighbours.is_some());
    let by_mpi = neighbours.is_some() && env.transport == TransportBy::Rma;
    if by_mpi {
        job_comm()?;
        mpi::life::hold();
        notes.push("collectives between nodes: MPI's".to_owned());
    }
    let shared = Team::predefined(TeamHandle::SHARED, mapped_peers(&node, &segments, pe), pe, &node.places);
    Ok(Runtime {
        pe,
        n_pes,
        env,
        exe,
        remote,
        departures: carrier.map(|carrier| Departures::new(carrier, pe.0, n_pes)),
        carrier,
        comm_cache: by_mpi.then(CommCache::new),
        heap: Mutex::new(Heap::new(segments.heap.len)),
        node,
        segments,
        world,
        shared,
        teams: Teams::new(),
        spaces: Spaces::new(),
        contexts: Contexts::new(),
        calls: AtomicU64::new(0),
        adapters: OnceLock::new(),
        resident_before: 0,
        notes,
    })
}

/// The PEs whose heap is mapped here: SHMEM_TEAM_SHARED.
fn mapped_peers(node: &Node, segments: &Segments, pe: Pe) -> Members {
    match segments.heaps {
        Reach::Mapped => Members::of_node(&node.places),
        _ => Members::spaced(pe.0, 1, 1),
    }
}

/// Opens the library for calls, in a call of `routine`: at the first init and after a re-initialisation. With
/// `threads`, threads of this PE may be in several collectives at a time. Collective.
pub(crate) fn open(routine: &str, rt: &Runtime, threads: bool) {
    if let Some(Carrier::Native(native)) = rt.carrier {
        native.set_rest(false);
    }
    remote::agree_on_threads(rt, threads).unwrap_or_else(|e| diag::fatal_alike(routine, e));
    *rt.heap.lock().unwrap_or_else(|e| e.into_inner()) = Heap::new(rt.segments.heap.len);
    rt.remote.as_ref().inspect(|remote| remote.set_adapter_words(rt.segments.heap.len));
    serve::open();
    watch::listen(rt);
    FAST.set_crowded(rt.node.policy != WaitPolicy::Spin);
    // If peers are served in calls only, every call takes the slow path, which serves them.
    let served_in_calls = rt.remote.is_some() && !Progress::runs();
    if !rt.env.debug && rt.env.stats == StatsAs::None && !served_in_calls {
        let words = rt.remote.as_ref().is_none_or(Remote::has_messages);
        FAST.open(&rt.segments, &rt.node, words, rt.remote.is_some());
    }
}
