//! Work that goes on beside the program: collectives that have been started and not waited for. A task is a future
//! whose leaves are [`until`]. It is polled in the waits of the library and by the calls that test and wait for it, on
//! whatever thread. Nothing wakes a task: what it waits for is found by looking.

use super::awaited::Awaited;
use core::cell::Cell;
use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll, Waker};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// The number of a task, never 0.
pub(crate) type Id = usize;

struct Task {
    id: Id,
    /// A group of tasks, and the task's number in it.
    place: (usize, u64),
    what: Awaited,
    future: Pin<Box<dyn Future<Output = ()>>>,
}

// SAFETY: a task is polled by one thread at a time, which holds the mutex. What a future holds belongs to it alone, and
// no leaf keeps anything of its thread.
unsafe impl Send for Task {}

struct State {
    tasks: Vec<Task>,
    /// Tasks that have ended and have not been taken.
    ended: Vec<Id>,
    last: Id,
}

static STATE: Mutex<State> = Mutex::new(State { tasks: Vec::new(), ended: Vec::new(), last: 0 });

/// The number of tasks that have not ended.
static GOING_ON: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// For what the last leaf waits that was polled on this thread.
    static AWAITED: Cell<Awaited> = const { Cell::new(Awaited::Other) };
    /// Whether this thread polls tasks.
    static POLLS: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread polls tasks. What it does then was asked for by the call that started the task, on whatever
/// thread.
pub(crate) fn is_polling() -> bool {
    POLLS.get()
}

/// How a task stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    GoesOn,
    Ended,
    Unknown,
}

fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(|e| e.into_inner())
}

/// Waits in a task: goes on when `ready` gives true. `what` tells for what it waits.
pub(crate) async fn until(mut ready: impl FnMut() -> bool, what: impl Fn() -> Awaited) {
    core::future::poll_fn(|_| {
        if ready() {
            return Poll::Ready(());
        }
        AWAITED.set(what());
        Poll::Pending
    })
    .await;
}

impl Task {
    /// Polls the task; true when it has ended.
    fn step(&mut self) -> bool {
        let ended = self.future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        self.what = AWAITED.take();
        ended
    }
}

impl State {
    fn step(&mut self) {
        POLLS.set(true);
        let ended = &mut self.ended;
        self.tasks.retain_mut(|task| {
            let goes_on = !task.step();
            if !goes_on {
                ended.push(task.id);
                GOING_ON.fetch_sub(1, Ordering::Release); // SYNC tasks-ended: pairs with have_ended
            }
            goes_on
        });
        POLLS.set(false);
    }
}

/// Starts a task, and lets it go as far as it can.
pub(crate) fn start(place: (usize, u64), future: Pin<Box<dyn Future<Output = ()>>>) -> Id {
    let mut state = lock();
    state.last += 1;
    let id = state.last;
    GOING_ON.fetch_add(1, Ordering::Relaxed); // a hint
    state.tasks.push(Task { id, place, what: Awaited::Other, future });
    state.step();
    id
}

/// Lets all tasks go as far as they can, unless another thread does so.
#[inline]
pub(crate) fn poll() {
    if GOING_ON.load(Ordering::Relaxed) > 0 {
        step_all();
    }
}

#[cold]
fn step_all() {
    if let Ok(mut state) = STATE.try_lock() {
        state.step();
    }
}

/// Lets all tasks go as far as they can, and tells how one stands. One that has ended is unknown afterwards. While
/// another thread polls, which may sleep meanwhile, the task goes on.
pub(crate) fn take(id: Id) -> Standing {
    let mut state = match STATE.try_lock() {
        Ok(state) => state,
        Err(TryLockError::Poisoned(e)) => e.into_inner(),
        Err(TryLockError::WouldBlock) => return Standing::GoesOn,
    };
    state.step();
    if let Some(i) = state.ended.iter().position(|&ended| ended == id) {
        state.ended.swap_remove(i);
        return Standing::Ended;
    }
    if state.tasks.iter().any(|task| task.id == id) { Standing::GoesOn } else { Standing::Unknown }
}

/// Notes that something has ended that is no task, and is to be taken by this number.
pub(crate) fn note_end(id: Id) {
    lock().ended.push(id);
}

/// Whether the tasks of a group with numbers up to this one have ended. All tasks go as far as they can before.
#[inline]
pub(crate) fn have_ended(group: usize, upto: u64) -> bool {
    // SYNC tasks-ended: pairs with step
    GOING_ON.load(Ordering::Acquire) == 0 || {
        step_all();
        going_on(Some(group), upto) == 0
    }
}

/// Tasks of a group, or of all, with numbers up to this one that go on.
pub(crate) fn going_on(group: Option<usize>, upto: u64) -> usize {
    let counts = |task: &&Task| group.is_none_or(|group| task.place.0 == group) && task.place.1 <= upto;
    lock().tasks.iter().filter(counts).count()
}

/// For what the first of the tasks waits that `is_it` names by number and group. A peer is told with the task's number
/// in its group.
pub(crate) fn awaited(is_it: impl Fn(Id, (usize, u64)) -> bool) -> Awaited {
    match lock().tasks.iter().find(|task| is_it(task.id, task.place)) {
        Some(Task { what: Awaited::Peer { pe, .. }, place, .. }) => Awaited::Peer { pe: *pe, request: place.1 },
        task => task.map_or(Awaited::Other, |task| task.what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// A task goes on in polls, tells for what it waits, and is taken once.
    #[test]
    fn a_task_goes_on_as_it_is_polled() {
        let steps = Arc::new(AtomicUsize::new(0));
        let seen = steps.clone();
        let id = start(
            (7, 1),
            Box::pin(async move {
                until(|| seen.load(Ordering::Relaxed) >= 1, || Awaited::Peer { pe: 1, request: 0 }).await;
                until(|| seen.load(Ordering::Relaxed) >= 2, || Awaited::Peer { pe: 2, request: 0 }).await;
                assert!(is_polling());
            }),
        );
        for step in 1..=2 {
            assert_eq!(awaited(|task, _| task == id), Awaited::Peer { pe: step, request: 1 });
            assert_eq!(
                (take(id), going_on(Some(7), 1), going_on(Some(7), 0), going_on(Some(8), 1)),
                (Standing::GoesOn, 1, 0, 0)
            );
            steps.store(step as usize, Ordering::Relaxed);
            std::thread::spawn(poll).join().unwrap();
        }
        assert!(!is_polling());
        assert_eq!([take(id), take(id)], [Standing::Ended, Standing::Unknown]);
        assert_eq!(awaited(|task, _| task == id), Awaited::Other);
    }
}
