//! Who serves peers of other nodes: the progress thread, and every PE between two polls of a wait.

use super::{liveness, session, teardown, watch};
use crate::mpi;
use crate::net::am::FabricHooks;
use crate::net::carrier::Carrier;
use crate::net::tagged::{DEPARTURES, TaggedMessages};
use crate::net::{Fabric, Native, Polled, Progress, Remote};
use crate::os::process;
use crate::state::{self, Runtime};
use crate::sync::tasks;
use crate::sync::wait::{Backoff, Meanwhile, WaitPolicy};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::sync::Mutex;

/// The progress thread, while it runs.
static PROGRESS: Mutex<Option<Progress>> = Mutex::new(None);
/// Operations of other nodes can be served. True from the end of boot until MPI ends.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Starts the progress thread. `told`: peers tell by messages of all for which the thread must be awake.
pub(super) fn start_helper(told: bool) -> std::io::Result<()> {
    *PROGRESS.lock().unwrap_or_else(|e| e.into_inner()) = Some(Progress::start(told, serve_as_helper)?);
    Ok(())
}

/// Begins to serve. Called when the runtime is complete.
pub(super) fn open() {
    OPEN.store(true, Ordering::Release); // SYNC open: pairs with served
}

/// The transport to other nodes; None while operations cannot be served.
fn served() -> Option<&'static Remote> {
    // SYNC open: pairs with open; the runtime is complete
    if !OPEN.load(Ordering::Acquire) {
        return None;
    }
    state::made()?.remote.as_ref()
}

/// One poll of the progress thread. None: another thread serves, or operations cannot be served yet.
fn serve_as_helper() -> Option<Polled> {
    let polled = served()?.poll_for_program();
    tasks::poll();
    polled
}

/// What a PE does while it waits for PEs of its node.
pub(super) static MEANWHILE: Meanwhile =
    Meanwhile { interrupted: between_polls, lasts: watch::lasts, over: watch::over };

/// What a PE does between two polls of a wait: it serves peers of other nodes, lets collectives go on that it has
/// started, and leaves if the job ends. In a wait that lasts, it serves MPI too.
fn between_polls() {
    if let Some(remote) = served() {
        remote.poll_and_push();
        Progress::polled();
    }
    tasks::poll();
    if watch::sleeps() {
        mpi::life::poll();
    }
    teardown::leave_if_ending();
}

/// The calls that active messages make upwards.
pub(super) fn message_hooks(policy: WaitPolicy, backoff: Backoff) -> FabricHooks {
    /// Tells the progress thread that a poll for messages has served peers, so the thread need not.
    fn interrupted() {
        Progress::polled();
        teardown::leave_if_ending();
    }
    fn changed() {
        if let Some(rt) = state::made() {
            fence(Ordering::SeqCst); // SYNC event-count: pairs with the fence in a sleep; puts are plain stores
            rt.node.notify(rt.node.me);
        }
    }
    fn push() {
        if let Some(remote) = served() {
            remote.push();
        }
    }
    static ANSWERS: Meanwhile = Meanwhile { interrupted, lasts: watch::lasts, over: watch::over };
    FabricHooks { policy, backoff, meanwhile: &ANSWERS, push, changed }
}

/// The calls that the fabric of a library of the network makes upwards. Its waits for puts and gets serve messages too.
pub(super) fn transfer_hooks(policy: WaitPolicy, backoff: Backoff) -> FabricHooks {
    fn interrupted() {
        if let Some(remote) = served() {
            remote.serve();
            Progress::polled();
        }
        teardown::leave_if_ending();
    }
    static TRANSFERS: Meanwhile = Meanwhile { interrupted, lasts: watch::lasts, over: watch::over };
    FabricHooks { meanwhile: &TRANSFERS, ..message_hooks(policy, backoff) }
}

/// Ends the progress thread. Peers are then served in calls only.
pub(super) fn end_helper() {
    let progress = PROGRESS.lock().unwrap_or_else(|e| e.into_inner()).take();
    if let Some(progress) = progress {
        progress.stop();
    }
}

/// After the last finalize of a job whose carrier needs no MPI: returns when no PE of the job will need another one
/// before the next init. There are two barriers through the launcher. In the first one the PEs serve each other, so
/// that all messages arrive. When the second is over nobody looks at the network any more, so a process may end, and
/// its peers see nothing of its connections.
///
/// A profiling tool may have ended MPI, and with it the connection to the launcher, on all PEs. Then `barrier_again` is
/// a barrier by messages. It needs no new endpoint, because finalize has made them. When it returns, all messages of
/// this PE have left.
pub(crate) fn rest(rt: &Runtime, barrier_again: impl Fn()) {
    let Some(Carrier::Native(native)) = rt.carrier else { return };
    if native.needs_mpi() {
        return; // the barrier is MPI's, before it ends
    }
    let serve = || {
        if let Some(departures) = &rt.departures {
            let _ = departures.look(); // it polls for everything; the library ends the job where something fails
        }
    };
    rest_by(native, serve, barrier_again);
}

fn rest_by(native: &Native, serve: impl Fn(), barrier_again: impl Fn()) {
    let all_came = session::barrier(serve);
    if !all_came {
        barrier_again();
    }
    native.set_rest(true);
    if all_came {
        session::barrier(|| {});
    }
}

/// Ends a library of the network that the PEs have agreed not to take, when all their messages have arrived. Nothing
/// was started over it but these. Collective.
pub(super) fn let_go(native: &'static Native) {
    let poll = || drop(native.next_word(DEPARTURES)); // nothing of that kind comes
    rest_by(native, poll, || {});
    native.close();
}

/// Has the transport closed at the end of the process, in a job whose carrier needs no MPI.
pub(super) fn close_at_exit() {
    extern "C" fn at_exit(_: c_int, _: *mut c_void) {
        if MAKER.load(Ordering::Relaxed) == process::pid() && !teardown::under_way() {
            close();
        }
    }
    MAKER.store(process::pid(), Ordering::Relaxed); // for this process only
    process::at_exit(at_exit);
}

/// The process that has a transport to close; a forked child must not.
static MAKER: AtomicU32 = AtomicU32::new(0);
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Ends the transport, once. Collective, before MPI ends, where it needs MPI.
pub(super) fn close() {
    if CLOSED.swap(true, Ordering::Relaxed) {
        return; // at the end of MPI
    }
    let made = state::made();
    let remote = made.and_then(|rt| rt.remote.as_ref());
    if remote.is_some() {
        liveness::ending();
    }
    end_helper();
    OPEN.store(false, Ordering::Relaxed); // the thread has ended above
    if let Some(remote) = remote {
        remote.close();
    }
    if let Some(departures) = made.and_then(|rt| rt.departures.as_ref()) {
        departures.close();
    }
}
