//! Makes the transport to PEs of other nodes, in a job that has some.

use super::segments::ALLOCATED_ALIGN;
use super::{BootError, serve, session};
use crate::env::{
    AmoBy, CollBy, Env, OneSidedBy, ProgressBy, ReceiveBy, Route, Statics, TransportBy, WindowBy, WindowPool,
};
use crate::memory::addr::{Pe, SegId, Span};
use crate::memory::node::Node;
use crate::memory::translate::{Reach, Segments};
use crate::mpi::window::{Use, Window};
use crate::mpi::{self, Comm};
use crate::os::{map, network};
use crate::state::Runtime;
use crate::sync::wait::WaitPolicy;
use crate::transport::carrier::Carrier;
use crate::transport::job_comm;
use crate::transport::remote::messages::{Notes, OverPackets, Own};
use crate::transport::remote::{Exposed, Keep, MOST_PES, Mode, NoUcx, OneSided, Place, Probe, Remote, Short, Ucx};
use core::sync::atomic::Ordering;

/// Whether the job has a transport to PEs whose memory is not mapped. `everybody`: all its PEs are on one node.
pub(super) fn wanted(env: &Env, everybody: bool) -> bool {
    !everybody || env.amo == AmoBy::Mpi
}

/// Whether a job that has such a transport needs MPI for it, or for its collectives. All PEs give the same answer.
pub(super) fn needs_mpi(env: &Env) -> bool {
    env.transport != TransportBy::Ucx || env.amo == AmoBy::Mpi || env.coll == CollBy::Mpi || session::store().is_none()
}

/// Whether this PE would take UCX between nodes with `OSHMPI_TRANSPORT=auto`; the job does if all its PEs would. Three
/// things must hold. The MPI of this process uses UCX, so UCX reaches the nodes that MPI reaches. The network has no
/// adapter that accesses memory of other nodes, because UCX was not measured with one. No setting asks for MPI's way.
pub(super) fn would_take_ucx(env: &Env) -> bool {
    env.transport == TransportBy::Auto
        && env.route == Route::Auto
        && env.amo == AmoBy::Auto
        && env.statics != Statics::Mpi
        && env.window == WindowBy::Auto
        && env.window_pool == WindowPool::AUTO
        && env.receive == ReceiveBy::Auto
        && env.one_sided == OneSidedBy::Auto
        && env.coll != CollBy::Mpi
        && session::store().is_some()
        && !Notes::of_program().are_taken()
        && Ucx::is_of_mpi()
        && !network::may_reach_memory()
}

/// An error if the job has more PEs than a ledger can number.
pub(super) fn check_size(n_pes: u32) -> Result<(), BootError> {
    if n_pes > MOST_PES { Err(BootError::TooManyPes(n_pes)) } else { Ok(()) }
}

/// A heap that MPI has allocated.
pub(super) struct Allocated {
    window: Window,
    /// The address at which displacement 0 of the window is.
    base: usize,
    pub(super) heap: Span,
}

/// With `OSHMPI_WINDOW=allocate`, in a job on several nodes: has MPI allocate the heap. Collective over the job.
pub(super) fn allocate(env: &Env, node: &Node) -> Result<Option<Allocated>, BootError> {
    let by_windows = env.window == WindowBy::Allocate && env.transport != TransportBy::Ucx;
    if !by_windows || !wanted(env, node.places.everybody()) {
        return Ok(None);
    }
    let comm = job_comm::made()?;
    let len = node.shape.heap;
    let used = if env.amo == AmoBy::Mpi || env.one_sided != OneSidedBy::None { Use::Amos } else { Use::Copies };
    let (window, base) = Window::allocate(comm, len + ALLOCATED_ALIGN, used).map_err(BootError::NoWindows)?;
    let heap = Span { base: base.next_multiple_of(ALLOCATED_ALIGN), len };
    Ok(Some(Allocated { window, base, heap }))
}

/// The kind of windows of a job on several nodes, and when they are kept. They are equal on all PEs. With Open MPI
/// there are windows by default only where they are one-sided: over TCP two of Open MPI 4.1's three kinds do not work,
/// and the third is slower than messages except in bandwidth. `adapters`: all PEs have adapters that may be one-sided.
fn windows(env: &Env, adapters: bool) -> Result<(WindowBy, Keep), BootError> {
    let may_be_one_sided = match env.one_sided {
        OneSidedBy::Auto => adapters,
        OneSidedBy::None => false,
        OneSidedBy::All => true,
    };
    match env.window {
        WindowBy::None if env.amo == AmoBy::Mpi => Err(BootError::AmosWithoutWindows),
        // A tool's notes come in the order of operations, which all go by messages then.
        WindowBy::Auto | WindowBy::Create | WindowBy::Dynamic
            if Notes::of_program().are_taken() && env.amo != AmoBy::Mpi =>
        {
            Ok((WindowBy::None, Keep::Always))
        }
        // Only windows carry out these AMOs.
        WindowBy::Auto if env.amo == AmoBy::Mpi => Ok((WindowBy::Create, Keep::Always)),
        WindowBy::Auto if !mpi::is_open_mpi() => Ok((WindowBy::Create, Keep::IfMade)),
        WindowBy::Auto if may_be_one_sided => Ok((WindowBy::Create, Keep::IfOneSided)),
        WindowBy::Auto => Ok((WindowBy::None, Keep::Always)),
        chosen => Ok((chosen, Keep::Always)),
    }
}

/// Makes the transport when the job is on several nodes, and the carrier of its tagged messages. `threads`: threads of
/// the program may be in calls at a time. Collective over the job; a failure of one PE ends it.
pub(super) fn make(
    env: &Env,
    me: Pe,
    allocated: Option<Allocated>,
    node: &Node,
    segments: &Segments,
    threads: bool,
    notes: &mut Vec<String>,
) -> Result<Option<(Remote, Carrier)>, BootError> {
    if !wanted(env, node.places.everybody()) {
        return Ok(None);
    }
    if env.transport == TransportBy::Ucx {
        return over_ucx(env, me, node, segments, notes).map(Some);
    }
    if !mpi::usable() {
        return Err(BootError::NoMpiBetweenNodes);
    }
    let comm = job_comm::made()?;
    // MPI's accumulates are atomic within a window only.
    let pool = if env.amo == AmoBy::Mpi { 1 } else { env.window_pool.windows(threads) };
    let agreed = agree(segments, pool, node.policy == WaitPolicy::Spin)?;
    let helper = mpi::serves_all_threads() && env.progress != ProgressBy::None;
    let (remote, by) = over_mpi(env, comm, allocated, agreed, helper, node, segments, notes)?;
    mpi::life::hold();
    mpi::life::prefer_to_leave();
    begin_to_serve(helper, remote.is_told_by_messages(), &by, notes)?;
    Ok(Some((remote, Carrier::Mpi(comm))))
}

/// Starts the progress thread, if there is to be one, and notes who serves peers.
fn begin_to_serve(helper: bool, told: bool, by: &str, notes: &mut Vec<String>) -> Result<(), BootError> {
    if helper {
        serve::start_helper(told)?;
    }
    let who = if helper { "a thread serves peers while this PE computes" } else { "peers are served in calls only" };
    notes.push(format!("other nodes: {by}; {who}"));
    Ok(())
}

/// The transport over UCX, which carries tagged messages too. It needs MPI only where MPI has the connection to the
/// launcher. Collective.
fn over_ucx(
    env: &Env,
    me: Pe,
    node: &Node,
    segments: &Segments,
    notes: &mut Vec<String>,
) -> Result<(Remote, Carrier), BootError> {
    if env.amo == AmoBy::Mpi {
        return Err(BootError::AmosByMpiOverUcx);
    }
    let place = match session::store() {
        Some(store) => Place::Launcher(store),
        None => Place::Window(job_comm::made()?),
    };
    let hooks = serve::transfer_hooks(node.policy, node.backoff);
    let alone = node.shape.n == 1 && !node.one_machine;
    let pes = [node.placement.pes as usize, node.shape.n];
    let ucx = Ucx::make(me, pes, exposed(segments), hooks, place, alone).map_err(|e| match e {
        NoUcx::Library(why) => BootError::NoUcx(why),
        NoUcx::Store(why) => BootError::NoRecord(why),
        NoUcx::Mpi(e) => BootError::NoWindows(e),
    })?;
    let without_mpi = !ucx.needs_mpi();
    if without_mpi {
        serve::close_at_exit();
    } else {
        mpi::life::hold();
        mpi::life::prefer_to_leave();
    }
    let helper = (without_mpi || mpi::serves_all_threads()) && env.progress != ProgressBy::None;
    // Without an adapter the target takes part in UCX's puts and gets.
    let by_message = helper && !network::may_reach_memory();
    let remote = Remote::by_ucx(ucx, own(segments), hooks, by_message, helper).map_err(BootError::NoWindows)?;
    notes.push("AMOs: carried out by the CPUs of the word's node, told by messages".to_owned());
    let by = "UCX, with an endpoint for each PE that was used";
    begin_to_serve(helper, remote.is_told_by_messages(), by, notes)?;
    Ok((remote, Carrier::Ucx(ucx)))
}

/// The transport over MPI: windows, active messages, or both; and its name for people. Collective.
fn over_mpi(
    env: &Env,
    comm: &'static Comm,
    allocated: Option<Allocated>,
    agreed: Agreed,
    helper: bool,
    node: &Node,
    segments: &Segments,
    notes: &mut Vec<String>,
) -> Result<(Remote, String), BootError> {
    let Agreed { on_slots, pool, adapters, calm } = agreed;
    let (window, keep) = windows(env, adapters)?;
    let (mode, name) = match (window, allocated) {
        (WindowBy::Dynamic, _) => (Mode::Dynamic, "dynamic"),
        (WindowBy::None, _) => (Mode::Without, "none"),
        (WindowBy::Allocate, Some(a)) => (Mode::Allocated { heap: a.window, base: a.base }, "allocated"),
        _ if on_slots => (Mode::Slot(slot(node, segments)), "one over heap and statics"),
        _ => (Mode::Create, "one over the heap, one over the statics"),
    };
    let (am, amos) = match env.amo {
        AmoBy::Mpi => (None, "MPI".to_owned()),
        AmoBy::Auto => {
            let (am, receive) = active_messages(env, node, segments)?;
            (Some(am), format!("the CPUs of the word's node, told by messages (receives are {})", receive.name()))
        }
    };
    let (probe, how) = probe(env, comm.rank()?, window, calm, segments, node);
    let short = |one_sided| short_operations(node, window, one_sided, helper);
    let used = told(env, &am, adapters);
    let remote = Remote::make(comm, mode, pool, used, exposed(segments), am, node.policy, keep, probe, helper, short);
    let remote = remote.map_err(BootError::NoWindows)?;
    let (one_sided, took) = remote.one_sided();
    let how = if took.is_zero() { how } else { format!("{how} in {:.1} ms", took.as_secs_f64() * 1e3) };
    notes.push(format!("without the target's processor: {one_sided} ({how})"));
    let hinted = if remote.may_have_adapter_words() { "; of memory for remote atomics: MPI's windows" } else { "" };
    notes.push(format!("AMOs: carried out by {amos}{hinted}"));
    let by = match remote.pool() {
        0 => "messages".to_owned(),
        1 => format!("MPI windows, {name}"),
        several => format!("MPI windows, {name}, {several} of each for contexts of threads"),
    };
    Ok((remote, by))
}

/// What MPI is told of the windows: that AMOs go through them, if an adapter may carry them out.
fn told(env: &Env, messages: &Option<OverPackets>, adapters: bool) -> Use {
    let by_adapter = adapters && env.one_sided == OneSidedBy::Auto || env.one_sided == OneSidedBy::All;
    if messages.is_none() || by_adapter { Use::Amos } else { Use::Copies }
}

/// What all PEs have found out together.
struct Agreed {
    /// All PEs have on their slots what they expose.
    on_slots: bool,
    /// The windows of the job: the least number that a PE wants, because not all need request the same thread level.
    pool: u32,
    /// All PEs have adapters that may access memory without its machine's processors.
    adapters: bool,
    /// Every PE has a core.
    calm: bool,
}

/// Agrees with all PEs. An error if statics are symmetric on some nodes only: each node has found out separately.
/// Collective: one reduction, which needs no communicator of the library.
fn agree(segments: &Segments, pool: u32, calm: bool) -> Result<Agreed, BootError> {
    let statics = u64::from(segments.statics != Reach::None);
    let on_slot = matches!(segments.statics, Reach::Mapped | Reach::None) && segments.heaps == Reach::Mapped;
    let adapters = network::may_reach_memory();
    let mapped = segments.statics == Reach::Mapped;
    let mine = [statics, !statics, on_slot.into(), pool.into(), adapters.into(), calm.into(), mapped.into()];
    let least = Comm::shared_world().least(&mine)?;
    segments.statics_mapped.store(least[6] == 1, Ordering::Relaxed); // this thread reads it
    match least[0] == !least[1] {
        true => {
            let [on_slots, adapters, calm] = [2, 4, 5].map(|i| least[i] == 1);
            Ok(Agreed { on_slots, pool: least[3] as u32, adapters, calm })
        }
        false => Err(BootError::StaticsDiffer),
    }
}

/// The part of this PE's slot that is exposed. The node's mapping has heap and statics side by side. Its pages are
/// those of the mappings that the program uses.
fn slot(node: &Node, segments: &Segments) -> Span {
    Span { base: node.own(SegId::Heap), len: node.shape.heap_room + exposed(segments).statics.len }
}

/// The segments that other nodes can reach, extended to whole pages: windows begin and end at pages.
fn exposed(segments: &Segments) -> Exposed {
    let page = map::page();
    let statics = match segments.statics {
        Reach::None => Span { base: segments.heap.base, len: 0 },
        _ => {
            let data = segments.data;
            let end = map::round_up(data.base + data.len, page).expect("a segment ends below the top of memory");
            Span { base: data.base, len: end - data.base }
        }
    };
    Exposed { heap: segments.heap, statics }
}

/// How it is found out which operations of windows need no CPU of the target; and the way for people. `calm`: every PE
/// has a core. Otherwise the probe would take time slices, and most answers would come late.
fn probe(env: &Env, me: u32, window: WindowBy, calm: bool, segments: &Segments, node: &Node) -> (Probe, String) {
    // Ends at the first PE of another node, so after as many steps as a node has PEs.
    let elsewhere = (1..node.placement.pes).map(Pe).find(|&pe| node.placement.node(pe) != node.placement.node(Pe(0)));
    let told = |one_sided, how: &str| (Probe::Told(one_sided), how.to_owned());
    match (env.one_sided, elsewhere) {
        _ if window == WindowBy::None => told(OneSided::default(), "there are no windows"),
        (OneSidedBy::None, _) => told(OneSided::default(), "as OSHMPI_ONE_SIDED says"),
        (OneSidedBy::All, _) => told(OneSided::ALL, "as OSHMPI_ONE_SIDED says"),
        (OneSidedBy::Auto, _) if !calm => told(OneSided::default(), "not measured where PEs outnumber cores"),
        (OneSidedBy::Auto, Some(target)) if segments.heap.len > 0 => {
            let how = format!("measured between PE 0 and PE {}", target.0);
            (Probe::Between { me: Pe(me), pair: [Pe(0), target] }, how)
        }
        (OneSidedBy::Auto, _) => told(OneSided::default(), "not measured"),
    }
}

/// By which path short operations go.
fn short_operations(node: &Node, window: WindowBy, one_sided: OneSided, helper: bool) -> Short {
    let adapter_does_it = one_sided.put && one_sided.get;
    // Between processes of one machine, MPI copies without the target.
    let target_takes_part = !node.one_machine && !adapter_does_it;
    // MPICH's accumulate takes one round trip where its put or get takes two, except on dynamic windows. In other MPIs
    // an accumulate locks the target, which costs more round trips.
    let accumulate = target_takes_part && mpi::is_mpich() && window != WindowBy::Dynamic;
    Short {
        // If MPI has allocated the heap, peers of the node reach it through MPI too. Without the progress thread, a
        // target that waits in MPI serves windows only.
        by_message: target_takes_part && helper && window != WindowBy::Allocate,
        accumulate,
        // MPICH cuts its puts into small pieces.
        long_puts_by_message: accumulate,
    }
}

/// What messages of other PEs may change and read.
fn own(segments: &Segments) -> Own {
    Own { heap: segments.heap, statics: segments.data }
}

/// Makes the executor `messages`, and tells how messages are received. Collective.
fn active_messages(env: &Env, node: &Node, segments: &Segments) -> Result<(OverPackets, ReceiveBy), BootError> {
    let receive = match env.receive {
        ReceiveBy::Auto if mpi::faults::receives_may_be_lost() => ReceiveBy::Probed,
        ReceiveBy::Auto => ReceiveBy::Posted,
        chosen => chosen,
    };
    let hooks = serve::message_hooks(node.policy, node.backoff);
    Ok((OverPackets::over_mpi(own(segments), hooks, receive == ReceiveBy::Posted)?, receive))
}

/// Tells all PEs whether threads of any PE may be in collectives of several groups at a time. Collective.
pub(super) fn agree_on_threads(rt: &Runtime, threads: bool) -> Result<(), BootError> {
    if let Some(cache) = &rt.comm_cache {
        cache.set_threads(job_comm::comm().least(&[u64::from(!threads)])?[0] == 0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_beyond_what_ledgers_can_name_are_refused() {
        assert_eq!(MOST_PES, 8_388_607);
        assert!(check_size(1).is_ok() && check_size(MOST_PES).is_ok());
        let refused = check_size(MOST_PES + 1).expect_err("one more than there are names").to_string();
        assert!(refused.contains("8388607 PEs, not 8388608"), "{refused}");
    }
}
