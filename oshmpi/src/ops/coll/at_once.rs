//! How the steps of an algorithm between members follow each other. Algorithms are `async` functions, whose state
//! machines the compiler makes. What they wait for in the end are messages and rounds on a node.

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

/// Plays an algorithm to its end on the caller's stack. Whatever it waits for waits inside, so that the first poll is
/// the only one: nothing is allocated, and nobody is woken.
#[inline(never)] // short calls keep their registers
pub(super) fn at_once<F: Future>(start: impl FnOnce() -> F) -> F::Output {
    match pin!(start()).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("a member that waits inside has come to its end"),
    }
}
