//! Who serves peers of other nodes: the progress thread, and every PE between two polls of a wait.

use super::{liveness, teardown, watch};
use crate::state;
use crate::sync::wait::{Backoff, Meanwhile, WaitPolicy};
use crate::transport::remote::messages::Hooks;
use crate::transport::remote::{Progress, Remote};
use crate::transport::statics_window;
use core::sync::atomic::{AtomicBool, Ordering, fence};
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

/// One poll of the progress thread: true if a message had come. None: another thread serves, or operations cannot be
/// served yet.
fn serve_as_helper() -> Option<bool> {
    served()?.poll_for_program()
}

/// What a PE does while it waits for PEs of its node.
pub(super) static MEANWHILE: Meanwhile =
    Meanwhile { interrupted: between_polls, lasts: watch::lasts, over: watch::over };

/// What a PE does between two polls of a wait: it serves peers of other nodes, and leaves if the job ends.
fn between_polls() {
    if let Some(remote) = served() {
        remote.poll_and_push();
        Progress::polled();
    }
    statics_window::poll();
    teardown::leave_if_ending();
}

/// The calls that the executor `messages` makes upwards.
pub(super) fn message_hooks(policy: WaitPolicy, backoff: Backoff) -> Hooks {
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
    Hooks { policy, backoff, meanwhile: &ANSWERS, push, changed }
}

/// Ends the progress thread. Peers are then served in calls only.
pub(super) fn end_helper() {
    let progress = PROGRESS.lock().unwrap_or_else(|e| e.into_inner()).take();
    if let Some(progress) = progress {
        progress.stop();
    }
}

/// Ends what lives in MPI. Collective, before MPI ends.
pub(super) fn close() {
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
    statics_window::close();
}
