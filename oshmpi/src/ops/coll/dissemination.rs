//! Dissemination: after ceil(log2 n) rounds every member has a message that depends on all members. Barriers and
//! agreements use it.

use super::bytes;
use super::messages::{MemberMessages, Message};
use crate::memory::local::{Dest, Source};

/// A barrier: dissemination of one byte without meaning.
pub(super) async fn notify_all(w: &impl MemberMessages) {
    let (mut mine, mut theirs) = ([0u8], [0u8]);
    dissemination(w, Dest::of_slice(&mut mine), Dest::of_slice(&mut theirs), |_, _| {}).await;
}

/// In round k each member receives into `theirs` the `mine` of the member 2^k before it, and `join` combines it into
/// its own `mine`. A member may be combined twice. Bound: ceil(log2 n) rounds, in each of which a member sends and
/// receives one message with the bytes of `mine`.
pub(super) async fn dissemination(
    w: &impl MemberMessages,
    mine: Dest<'_>,
    theirs: Dest<'_>,
    join: impl Fn(Dest<'_>, Source<'_>),
) {
    let (n, me) = (w.size(), w.me());
    for away in (0..).map(|k| 1 << k).take_while(|&away| away < n) {
        let (from, to) = ((me + n - away) % n, (me + away) % n);
        w.transfer([Message::Receive(from, theirs), Message::Send(to, bytes::written(mine))]).await;
        join(mine, bytes::written(theirs));
    }
}
