//! The way to PEs of other nodes, where there are some.

use super::{BootError, job};
use crate::diag;
use crate::env::{AmoBy, Env, ProgressBy, ReceiveBy, WaitBy, WindowBy};
use crate::memory::addr::Span;
use crate::memory::node::Node;
use crate::memory::translate::{Reach, Segments};
use crate::mpi::{self, Comm, MpiError, window::Window};
use crate::os::{map, network};
use crate::state::{self, Runtime};
use crate::sync::wait::Backoff;
use crate::transport::remote::messages::{Hooks, Messages, Own};
use crate::transport::remote::{Exposed, Mode, Progress, Remote, Short};
use crate::transport::{collective_comm, statics_window};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::Mutex;

static PROGRESS: Mutex<Option<Progress>> = Mutex::new(None);
/// Remote operations can be served: from the end of boot until MPI ends.
static OPEN: AtomicBool = AtomicBool::new(false);

/// The thread level at which MPI is initialised here, for a program that wants `level`: a job on several nodes has a
/// helper thread, and whether it is one may not be known yet.
pub(super) fn mpi_level(level: c_int) -> c_int {
    let here = job::number_in_environment("OMPI_COMM_WORLD_LOCAL_SIZE");
    let several = here.is_some() && here != job::number_in_environment("OMPI_COMM_WORLD_SIZE");
    if several || through_mpi_anyway() {
        expect_other_nodes();
    }
    if says("OSHMPI_PROGRESS", "none") { level } else { 3 }
}

/// Data will go through MPI. Before MPI is initialised.
pub(super) fn expect_other_nodes() {
    mpi::faults::avoid_broken_windows(says("OSHMPI_WINDOW", "dynamic"));
}

/// The MPI thread level at which a program's own MPI_Init is carried out that asks for `required`: nobody serves its peers
/// while it waits in MPI's calls, so a job that may be on several nodes needs the helper thread here too. MPI may grant more
/// than was asked for.
pub(crate) fn level_of_program(required: c_int) -> c_int {
    // A job that has started without MPI has no other nodes.
    let one_node = state::made().is_some() || job::is_surely_one_node();
    if one_node && !through_mpi_anyway() { required } else { required.max(mpi::thread_level(mpi_level(0))) }
}

fn says(name: &str, value: &str) -> bool {
    std::env::var(name).is_ok_and(|v| v == value)
}

/// Data or atomics go through MPI on one node, too.
fn through_mpi_anyway() -> bool {
    says("OSHMPI_ROUTE", "mpi") || says("OSHMPI_AMO", "mpi")
}

/// Whether this job needs MPI to move data.
pub(super) fn wanted(env: &Env, node: &Node) -> bool {
    !node.places.everybody() || matches!(env.amo, AmoBy::Mpi)
}

/// Heaps that MPI allocates start at a multiple of this: what its huge pages need at most. Larger alignments cannot be
/// had then, which the allocator says with a null pointer.
pub(super) const ALLOCATED_ALIGN: usize = 2 << 20;

/// A heap that MPI has allocated.
pub(super) struct Allocated {
    comm: Comm,
    window: Window,
    /// Where the window counts from.
    base: usize,
    pub(super) heap: Span,
}

/// With `OSHMPI_WINDOW=allocate`: the heap, in a job on several nodes. Collective over the job.
pub(super) fn allocate(env: &Env, node: &Node) -> Result<Option<Allocated>, BootError> {
    if env.window != WindowBy::Allocate || !wanted(env, node) {
        return Ok(None);
    }
    let comm = Comm::world()?;
    let len = node.shape.heap;
    let (window, base) = Window::allocate(&comm, len + ALLOCATED_ALIGN).map_err(no_windows)?;
    let heap = Span { base: base.next_multiple_of(ALLOCATED_ALIGN), len };
    Ok(Some(Allocated { comm, window, base, heap }))
}

fn no_windows(e: MpiError) -> BootError {
    BootError(Some(format!("this MPI cannot make one-sided windows between the nodes: {e}")))
}

/// The windows of a job on several nodes, the same on all PEs of one MPI. Two of Open MPI 4.1's three
/// kinds do not work over TCP and the third is slower than messages in all but bandwidth.
fn chosen(window: WindowBy, amo: AmoBy) -> WindowBy {
    match window {
        WindowBy::Auto if mpi::is_open_mpi() && amo != AmoBy::Mpi => WindowBy::None,
        WindowBy::Auto => WindowBy::Create,
        said => said,
    }
}

/// Makes the windows when the job is on several nodes. Collective over the job; a failure of one PE ends it.
pub(super) fn make(
    env: &Env,
    allocated: Option<Allocated>,
    node: &mut Node,
    segments: &Segments,
    notes: &mut Vec<String>,
) -> Result<Option<Remote>, BootError> {
    if !wanted(env, node) {
        return Ok(None);
    }
    if env.amo == AmoBy::Cpu {
        let text = "OSHMPI_AMO=cpu: CPU atomics do not reach the PEs of other nodes; unset it, or use mpi or am";
        return Err(BootError(Some(text.to_owned())));
    }
    let window = chosen(env.window, env.amo);
    if env.amo == AmoBy::Mpi && env.window == WindowBy::None {
        let text = "OSHMPI_AMO=mpi needs windows, and OSHMPI_WINDOW=none makes none; unset one of them";
        return Err(BootError(Some(text.to_owned())));
    }
    if !mpi::usable() {
        return Err(BootError(Some("the PEs are on several nodes, and there is no MPI between them".to_owned())));
    }
    let (comm, heap) = match allocated {
        Some(a) => (a.comm, Some((a.window, a.base))),
        None => (Comm::world()?, None),
    };
    let statics = u64::from(segments.statics != Reach::None);
    let least = comm.least(&[statics, !statics])?;
    if least[0] != !least[1] {
        let text = "whether statics are symmetric (OSHMPI_STATICS) differs between PEs";
        return Err(BootError(Some(text.to_owned())));
    }
    let page = map::page();
    let statics = match (segments.statics, segments.data) {
        (Reach::None, _) => Span { base: segments.heap.base, len: 0 },
        (_, data) => {
            let end = map::round_up(data.base + data.len, page).expect("a segment ends below the top of memory");
            Span { base: data.base, len: end - data.base }
        }
    };
    let own = Exposed { heap: segments.heap, statics };
    let (mode, name) = match (window, heap) {
        (WindowBy::Dynamic, _) => (Mode::Dynamic, "dynamic"),
        (WindowBy::None, _) => (Mode::Without, "none"),
        (WindowBy::Allocate, Some((window, base))) => (Mode::Allocated { heap: window, base }, "allocated"),
        _ => (Mode::Create, "made over the memory"),
    };
    node.backoff = Backoff::serving(node.policy, env.wait == WaitBy::Spin);
    let by_am = env.amo != AmoBy::Mpi;
    let receive = match env.receive {
        ReceiveBy::Auto if mpi::faults::receives_may_be_lost() => ReceiveBy::Probed,
        ReceiveBy::Auto => ReceiveBy::Posted,
        chosen => chosen,
    };
    let am = by_am.then(|| active_messages(node, segments, receive == ReceiveBy::Posted)).transpose()?;
    let threads = mpi::serves_all_threads();
    let helper = threads && env.progress != ProgressBy::None;
    // Not between processes of a machine, and not where an adapter puts and gets by itself: there the target need not be asked.
    let target_takes_part = !node.one_machine && !network::reaches_memory();
    let short = Short {
        // Allocated memory of the node's own PEs is no matter of theirs. Without the thread, a target that waits in MPI serves
        // windows only.
        by_message: target_takes_part && helper && window != WindowBy::Allocate,
        // MPICH's accumulate takes one round trip where its put or get takes two: not with dynamic windows. In other MPIs it takes
        // a lock at the target, which costs round trips of its own.
        accumulate: target_takes_part && mpi::is_mpich() && window != WindowBy::Dynamic,
    };
    let remote = Remote::make(comm, mode, own, am, short, node.policy).map_err(no_windows)?;
    node.interrupted = serve_and_leave_if_ending;
    mpi::life::before_end(close);
    mpi::life::end_threads_by(end_helper);
    mpi::life::leave_by(super::session::leave_together);
    if !threads && env.progress == ProgressBy::Thread {
        diag::say("OSHMPI_PROGRESS=thread: MPI was initialised below MPI_THREAD_MULTIPLE, so there is no such thread");
    }
    if helper {
        *PROGRESS.lock().unwrap_or_else(|e| e.into_inner()) = Some(Progress::start(serve)?);
    }
    let who = if helper { "a thread serves peers while this PE computes" } else { "peers are served in calls only" };
    let amos = match by_am {
        true => format!("the CPUs of the word's node, told by messages (receives are {})", receive.name()),
        false => "MPI".to_owned(),
    };
    notes.push(match window {
        WindowBy::None => format!("other nodes: messages; {who}"),
        _ => format!("other nodes: MPI windows, {name}; {who}"),
    });
    notes.push(format!("AMOs: carried out by {amos}"));
    Ok(Some(remote))
}

/// What a PE does between two looks for messages, which serve others: the helper thread need not.
fn looked_at_messages() {
    Progress::looked();
    super::teardown::leave_if_ending();
}

/// Opens the way by messages. Collective.
fn active_messages(node: &Node, segments: &Segments, posted: bool) -> Result<Messages, BootError> {
    let changed = || {
        if let Some(rt) = state::made() {
            fence(Ordering::SeqCst); // SYNC event-count: pairs with the fence in a sleep; puts are plain stores
            rt.node.notify(rt.node.me);
        }
    };
    let push = || served().map_or((), Remote::push);
    let hooks = Hooks { policy: node.policy, backoff: node.backoff, interrupted: looked_at_messages, push, changed };
    Ok(Messages::open(Own { heap: segments.heap, statics: segments.data }, hooks, posted)?)
}

/// Has all PEs hear whether threads of any of them may be in collectives of several groups at a time. Collective.
pub(super) fn agree_on_threads(rt: &Runtime, threads: bool) -> Result<(), BootError> {
    if let Some(cache) = &rt.comm_cache {
        cache.set_threads(collective_comm::comm().least(&[u64::from(!threads)])?[0] == 0);
    }
    Ok(())
}

/// The runtime is there.
pub(crate) fn open() {
    OPEN.store(true, Ordering::Release); // SYNC open: pairs with served
}

/// What lies far, while it can be served.
fn served() -> Option<&'static Remote> {
    // SYNC open: the runtime is there
    if !OPEN.load(Ordering::Acquire) {
        return None;
    }
    state::made()?.remote.as_ref()
}

/// What the helper thread does: gives whether a message had come. None: another thread does it, or there is nothing to
/// serve yet.
fn serve() -> Option<bool> {
    served()?.poll_for_program()
}

/// What a PE does between two looks while it waits, where MPI serves anything: its peers' one-sided calls. And leaves when the
/// job ends.
pub(super) fn serve_and_leave_if_ending() {
    if let Some(remote) = served() {
        remote.poll_and_push();
        Progress::looked();
    }
    statics_window::poll();
    super::teardown::leave_if_ending();
}

/// From now on peers are served in calls only.
fn end_helper() {
    let progress = PROGRESS.lock().unwrap_or_else(|e| e.into_inner()).take();
    if let Some(progress) = progress {
        progress.stop();
    }
}

/// Collective, before MPI ends.
fn close() {
    super::liveness::ending();
    end_helper();
    OPEN.store(false, Ordering::Relaxed); // the thread has ended above
    if let Some(remote) = state::made().and_then(|rt| rt.remote.as_ref()) {
        remote.close();
    }
}
