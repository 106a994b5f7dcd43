//! PEs of other nodes: what this PE tells them of its operations on their memory and of what it knows, and what it does
//! with what they tell. The library carries the notes in the order of the operations, by the same messages. A note is
//! taken by the process to whose PE it goes, in the shadow and the clocks of its node.
//!
//! A note stands before its operation, so whoever sees the operation's effect finds the clock there.

use crate::collective;
use crate::effects::key;
use crate::memory;
use crate::node::{Node, node};
use crate::site;
use crate::thread::{Inside, Me};
use oshmpi_race::cell::Stamp;
use oshmpi_race::clock::{Clock, Known, View};
use oshmpi_race::far::{self, Far, Here, News, Spot};
use oshmpi_race::shadow::Access;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Mutex;

unsafe extern "C" {
    fn oshmpi_tool_notes(take: extern "C" fn(u32, *const u8, usize, *mut u8, usize));
    fn oshmpi_tool_node(pe: i32) -> i32;
    fn oshmpi_tool_note(pe: i32, text: *const u8, len: usize, answer: *mut u8, room: usize);
    fn oshmpi_tool_noted(pe: i32);
    fn pshmem_sync_all();
}

/// The word whose clock is meant: one of memory, or one that is of no memory, such as a lock.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub enum Meant {
    At(Spot),
    Lock(u64),
}

/// What a note is about.
#[derive(Serialize, Deserialize)]
enum About {
    /// A part of a clock. The rest follows.
    Clock,
    Operation(Far<far::Named>),
    /// The clock of a word is asked for.
    Acquire(Meant),
    Release(Meant),
    /// What a member brings to a round.
    Round {
        team: u64,
        odd: bool,
        number: u64,
        bytes: u64,
    },
}

/// The thread's actor and first epoch, what of its clock is new, and more.
#[derive(Serialize, Deserialize)]
struct Note(u32, u32, News, About);

/// Actors in a note, at most, which takes less than 56 KiB then.
const MOST_NEW: usize = 3000;
/// Bytes of an answer, and actors in it.
const ANSWER: usize = 4096;
const MOST_ANSWERED: usize = 250;

/// The clocks that threads have sent: by the thread's actor and the PE. Each with the thread's first epoch, because a
/// later thread with the same actor does not know what the one before it did.
pub type Sent = HashMap<(u32, u32), (u32, Clock)>;

/// The clock that a thread has sent, which knows nothing yet if the last one was of an earlier thread.
fn sent_by(all: &mut Sent, key: (u32, u32), begun: u32) -> &mut Clock {
    let sent = all.entry(key).or_default();
    if sent.0 != begun {
        *sent = (begun, Clock::default());
    }
    &mut sent.1
}

/// Before the library has started: notes are wanted.
pub fn ask() {
    // SAFETY: the function is of the type that the library expects.
    unsafe { oshmpi_tool_notes(take) };
}

/// The node of a PE. None: it is this node, or no notes go there.
pub fn node_of(pe: u32) -> Option<u32> {
    // SAFETY: the library is up.
    u32::try_from(unsafe { oshmpi_tool_node(pe as i32) }).ok()
}

/// Whether notes go to all PEs of other nodes.
pub fn reaches(memory: &crate::node::Memory) -> bool {
    // SAFETY: the library is up.
    memory.n_pes <= crate::node::MOST_PES && (0..memory.n_pes).all(|pe| unsafe { oshmpi_tool_node(pe as i32) } > -2)
}

/// All PEs take notes when this returns. Collective.
pub fn start(node: &Node) {
    if node.far {
        // SAFETY: the library is up.
        unsafe { pshmem_sync_all() };
    }
}

/// Calls `f` with this node as it names actors.
fn here<R>(node: &Node, f: impl FnOnce(&Here<'_>) -> R) -> R {
    let has = |pe| node.slot(pe).is_some();
    let was = node.table.is_blind();
    let result = f(&Here { table: node.table, has: &has });
    if !was && node.table.is_blind() {
        eprintln!(
            "oshmpi-race: PE {}'s node has no room for all that PEs of other nodes do; accesses between nodes are not \
             seen from now on",
            node.memory.pe
        );
    }
    result
}

/// Sends a note with what is new to the PE's process. Parts that are too long go before.
fn send(me: &mut Me, node: &Node, pe: u32, about: About, answer: &mut [u8]) {
    let (actor, begun) = (me.thread.actor, me.thread.begun());
    let sent = sent_by(&mut me.sent, (actor, pe), begun);
    let clock = &me.thread.clock;
    let post = |news, about, answer: &mut [u8]| {
        let note = Note(actor, begun, news, about);
        let text = postcard::to_allocvec(&note).expect("only a value without a plain form fails");
        // SAFETY: both stay until the call has returned.
        unsafe { oshmpi_tool_note(pe as i32, text.as_ptr(), text.len(), answer.as_mut_ptr(), answer.len()) };
    };
    loop {
        let news = here(node, |here| here.news(|actor| clock.get(actor), sent, MOST_NEW));
        if !news.more {
            return post(news, about, answer);
        }
        post(news, About::Clock, &mut []);
    }
}

/// Before an operation on a PE of another node.
pub fn tell(me: &mut Me, node: &Node, pe: u32, mut far: Far, site: u32) {
    far.issuer = me.thread.now();
    (far.routine, far.frames) = site::words(node, site);
    let far = here(node, |here| here.told(far));
    send(me, node, pe, About::Operation(far), &mut []);
}

/// Knows what those know who have changed a word of a PE of another node, or a lock.
pub fn acquire(me: &mut Me, node: &Node, pe: u32, word: Meant) {
    loop {
        let mut answer = [0u8; ANSWER];
        send(me, node, pe, About::Acquire(word), &mut answer);
        let news = postcard::take_from_bytes::<News>(&answer).map(|(news, _)| news).unwrap_or_default();
        here(node, |here| here.learn(&news, &mut me.thread.clock));
        if !news.more {
            return;
        }
    }
}

/// Tells those who take a lock later, at the PE that keeps its clock. It is there when this returns.
pub fn release(me: &mut Me, node: &Node, pe: u32, lock: u64) {
    send(me, node, pe, About::Release(Meant::Lock(lock)), &mut [0; 8]);
}

/// Brings this thread's clock, and what is noted beside it, to a round on these PEs' nodes. It is there when this
/// returns.
pub fn bring(me: &mut Me, node: &Node, to: &[u32], (team, odd): (u64, bool), (number, bytes): (u64, u64)) {
    for pe in to {
        send(me, node, *pe, About::Round { team, odd, number, bytes }, &mut []);
    }
    // SAFETY: the library is up.
    to.iter().for_each(|pe| unsafe { oshmpi_tool_noted(*pe as i32) });
}

/// One PE of each other node that has some of these.
pub fn one_of_each_node(members: &[u32]) -> Vec<u32> {
    let mut nodes = std::collections::BTreeSet::new();
    members.iter().copied().filter(|pe| node_of(*pe).is_some_and(|node| nodes.insert(node))).collect()
}

/// Takes a note of PE `from`. The library calls this, for one note at a time in this process.
extern "C" fn take(from: u32, text: *const u8, len: usize, answer: *mut u8, room: usize) {
    let _inside = Inside::begin();
    // SAFETY: as many bytes, by the library's promise.
    let (text, answer) =
        unsafe { (core::slice::from_raw_parts(text, len), core::slice::from_raw_parts_mut(answer, room)) };
    static CLOCKS: Mutex<Option<Sent>> = Mutex::new(None);
    let Some(node) = node() else { return };
    let mut clocks = CLOCKS.lock().unwrap_or_else(|e| e.into_inner());
    let Ok(Note(thread, begun, news, about)) = postcard::from_bytes(text) else { return };
    let clock = sent_by(clocks.get_or_insert_default(), (from, thread), begun);
    here(node, |here| {
        here.learn(&news, clock);
        match about {
            About::Clock => {}
            About::Operation(far) => {
                if let Some(far) = here.heard(far) {
                    operation(node, &far, clock);
                }
            }
            About::Acquire(word) => {
                // A word that nobody has changed gets no place.
                let word = node.table.released(key_of(node, word));
                let known = word.as_ref().map(|word| word.clock());
                let news = here.news(|actor| known.map_or(0, |known| known.get(actor)), clock, MOST_ANSWERED);
                let _ = postcard::to_slice(&news, answer);
            }
            About::Release(word) => node.table.sync_word(key_of(node, word)).release(clock, &[]),
            About::Round { team, odd, number, bytes } => {
                if let Some(round) = node.table.round(from as usize, team, odd) {
                    round.set(clock, node.table.actors());
                    round.note(number, bytes);
                }
            }
        }
    });
}

/// The synchronisation word that a note names.
fn key_of(node: &Node, word: Meant) -> u64 {
    match word {
        Meant::At(spot) => key(node.at_spot(spot)),
        Meant::Lock(key) => key,
    }
}

/// Notes an operation on this PE's memory.
fn operation(node: &'static Node, far: &Far, clock: &Clock) {
    let view = View { clock: Known::Thread(clock), fenced: &far.fenced };
    node.table.note_issue(far.by, far.issuer);
    if let Some((spot, told)) = far.tells {
        let more: Vec<Stamp> = far.fenced.iter().copied().chain([told]).collect();
        node.table.sync_word(key(node.at_spot(spot))).release(clock, &more);
    }
    if node.table.is_blind() {
        return;
    }
    let site = site::intern_words(node, far.routine, &far.frames);
    for touched in &far.touched {
        let by = Access::pending(far.by, touched.kind, view, site);
        let at = node.at_spot(touched.at);
        (0..touched.count).for_each(|i| memory::symmetric(node, at + i * touched.stride, touched.bytes, &by));
    }
}

/// After this thread was told something by a PE of another node, which came without a clock: then it takes as over all
/// that it may have been told of.
pub fn heard_without_clock(me: &mut Me, node: &Node) {
    if node.memory.count < node.memory.n_pes && (!node.far || node.table.is_blind()) {
        collective::know_all(me);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oshmpi_race::order::Thread;

    /// A thread that has the actor of one that ended has sent nothing yet.
    #[test]
    fn a_later_thread_with_the_same_actor_has_sent_nothing() {
        let (mut all, first) = (Sent::new(), Thread::new(5));
        let other = Stamp { actor: 9, epoch: 7 };
        sent_by(&mut all, (5, 1), first.begun()).raise(other);
        assert_eq!(sent_by(&mut all, (5, 1), first.begun()).get(9), 7);
        let later = Thread::after(first.now());
        assert_eq!(sent_by(&mut all, (5, 1), later.begun()).get(9), 0);
    }
}
