//! What a PE does in a wait that lasts: it notes what it waits for, checks whether that can still happen, and reports
//! what all PEs of the node wait for.
//!
//! Only waits that sleep come here, every 100 ms. So a call that does not wait, or a wait that ends sooner, costs
//! nothing more.
//!
//! SIGQUIT and SIGUSR1 ask a PE for the report. A PE of the node that waits makes it, in its wait. If no PE of the node
//! waits, each PE that gets the signal reports that it computes.

mod report;
pub(super) mod top;

use super::error::list;
use super::{session, teardown};
use crate::diag;
use crate::diag::frames;
use crate::diag::symbols::Symbols;
use crate::memory::addr::Pe;
use crate::memory::control::{FRAMES, Note, Stage};
use crate::memory::counters::Cause;
use crate::net::carrier::Carrier;
use crate::net::departures::{Departure, Departures};
use crate::os::{clock, process};
use crate::state::{self, Runtime};
use crate::sync::awaited::Awaited;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use nix::sys::signal::Signal;
use pmi_shm::client::PreparedTable;
use pmi_shm::table::{Table, Words};
use report::Call;
use std::sync::OnceLock;
use std::time::Instant;

/// Milliseconds that this PE must have waited before it reports a PE that has left, if it does not wait for that PE
/// itself. All PEs of its node must be waiting or ending then. Another PE may be about to end the job, or the wait.
const ALL_WAIT: u64 = 500;
/// Milliseconds after which a PE that waits for a word says so. A PE of any node may change the word, so this PE gives
/// the others more time than [`ALL_WAIT`].
const SOMEBODY: u64 = 1000;
/// Milliseconds after which a PE that has left tells the other nodes, if the others have not left by then, and after
/// which a PE that waits for a message asks the sender whether it is in finalize. Less makes messages that nobody needs
/// where PEs come one after another; more delays the line.
const LEFT_ALONE: u64 = 200;
/// Microseconds by which each PE reports later than the PE before it. The first report ends the job, so the others are
/// not printed.
const STAGGER_MICROS: u64 = 50_000;
/// Milliseconds after a report in which further requests are ignored: a launcher asks every PE, and one report is
/// enough.
const JUST_REPORTED: u64 = 1000;
/// The first line of a report that somebody has asked for. `oshrun` knows answers by it.
const ASKED: &str = pmi_shm::table::ASKED;
/// What a report tells of.
const WORDS: Words = Words { rank: "PE", of_all: &["shmem_barrier_all", "shmem_sync_all"] };
/// With `SHMEM_DEBUG`: how long a job must have been stuck before it is ended.
const STUCK: Duration = Duration::from_secs(1);

/// A thread of this PE owns the PE's note.
static TAKEN: AtomicBool = AtomicBool::new(false);
thread_local! {
    /// This thread owns the note: it was the first one whose wait lasted.
    static MINE: Cell<bool> = const { Cell::new(false) };
    /// Since when the current wait of this thread sleeps, and for what; None while no wait does.
    static SLEEPS: Cell<Option<(Instant, Cause)>> = const { Cell::new(None) };
}

/// Called in a wait that sleeps since `since` ([`clock::millis`]) and had lasted for `waited` before its last poll.
/// `ready` polls again, and `what` tells what the wait waits for. True: the condition holds.
pub(super) fn lasts(since: u64, waited: Duration, ready: &mut dyn FnMut() -> bool, what: &dyn Fn() -> Awaited) -> bool {
    // A wait inside this one has ended if none sleeps any more: of what is served, or of a collective that goes on.
    if waited.is_zero() || !sleeps() {
        SLEEPS.set(Some((Instant::now(), Cause::of(what()))));
    }
    let Some(rt) = state::made() else { return false };
    if waited.is_zero() {
        rt.node.note_sleep(since);
        return false;
    }
    let ending = ending(rt);
    // The last poll may be older than what an ending PE has done for this wait. This poll sees it.
    if !ending.is_empty() && ready() {
        return true;
    }
    let note = note(rt, since, waited, report::everywhere(rt, what()));
    look_for_ends(rt, &note, &ending);
    look_elsewhere(rt, &note);
    look_for_hang(rt, &note, waited);
    false
}

/// The current wait of this thread sleeps.
pub(super) fn sleeps() -> bool {
    SLEEPS.get().is_some()
}

/// A wait for which `lasts` was called is over.
pub(super) fn over() {
    if let (Some((since, cause)), Some(rt)) = (SLEEPS.take(), state::made()) {
        rt.node.counters(rt.node.me).add_wait(cause, since.elapsed().as_micros() as u64);
    }
    if MINE.replace(false)
        && let Some(rt) = state::made()
    {
        if let Some(note) = rt.node.note(rt.node.me) {
            rt.node.set_note(&Note { waits: false, seen: clock::millis(), ..note });
        }
        // SYNC note-owner: pairs with note; the next owner writes the note after this
        TAKEN.store(false, Ordering::Release);
    }
}

/// Notes what this thread waits for, unless another thread of this PE waits for longer.
fn note(rt: &Runtime, since: u64, waited: Duration, awaited: Awaited) -> Note {
    let seen = since + waited.as_millis() as u64;
    let mut note = Note { waits: true, since, seen, awaited, frames: [0; FRAMES], n_frames: 0 };
    note.n_frames = frames::of_this_thread(&mut note.frames);
    // SYNC note-owner: pairs with over
    if MINE.get() || !TAKEN.swap(true, Ordering::Acquire) {
        MINE.set(true);
        rt.node.set_note(&note);
    }
    note
}

/// The slots of the PEs of this node that are ending, and their stages. None while this PE ends, too: then it waits for
/// no call of theirs.
fn ending(rt: &Runtime) -> Vec<(usize, Stage)> {
    let node = &rt.node;
    if !node.any_is_ending() || node.stage(node.me) != Stage::Up {
        return Vec::new();
    }
    (0..node.shape.n).filter_map(|slot| Some((slot, node.ends(slot)?))).collect()
}

/// Ends the job if this PE waits for a PE that will never come. `ending`: the PEs that were ending before the last
/// poll, so that nothing of what they have done for this wait was missed.
fn look_for_ends(rt: &Runtime, note: &Note, ending: &[(usize, Stage)]) {
    if ending.is_empty() {
        return;
    }
    let those = |wanted: &dyn Fn(usize, Stage) -> bool| -> Vec<(usize, Stage)> {
        ending.iter().copied().filter(|&(slot, stage)| wanted(slot, stage)).collect()
    };
    let awaited = awaited_slots(rt, note.awaited);
    let mut gone = those(&|slot, _| awaited.contains(&slot));
    if gone.is_empty() && note.seen - note.since >= ALL_WAIT && all_wait(rt) {
        // After start_pes a PE may end whenever it wants to.
        gone = those(&|_, stage| stage == Stage::Left);
    }
    if gone.is_empty() {
        return;
    }
    let of = |wanted: &dyn Fn(Stage) -> bool| -> Vec<u32> {
        gone.iter().filter(|(_, stage)| wanted(*stage)).map(|&(slot, _)| rt.node.places.pe(slot).0).collect()
    };
    end(rt, note, &words(&of(&Stage::has_left), &of(&|stage| !stage.has_left())));
}

/// Ends the job if a PE of another node has left, or if a PE is in finalize and its message is awaited. Tells other
/// nodes that this PE has left, and those that have asked that it is in finalize.
fn look_elsewhere(rt: &Runtime, note: &Note) {
    let Some(departures) = departures(rt) else { return };
    let (stage, waited) = (rt.node.stage(rt.node.me), note.seen - note.since);
    let peer = match note.awaited {
        Awaited::Peer { pe, .. } if stage == Stage::Up => Some(pe),
        _ => None,
    };
    // What has come before this look: since then this PE has looked for the message of that PE, which was sent before.
    let in_finalize = peer.filter(|&pe| departures.is_in_finalize(pe));
    let known = departures.known();
    // An error of MPI is reported where this PE needs MPI.
    let _ = departures.look();
    let _ = match (stage, peer) {
        (Stage::Left | Stage::LeftInOrder, _) if waited >= LEFT_ALONE => {
            departures.announce(stage == Stage::LeftInOrder)
        }
        (Stage::Finalizing, _) => departures.answer(),
        (_, Some(pe)) if waited >= LEFT_ALONE => departures.ask(pe),
        _ => Ok(()),
    };
    let limit = if matches!(note.awaited, Awaited::Word { .. } | Awaited::Words { .. }) { SOMEBODY } else { ALL_WAIT };
    if stage != Stage::Up || waited < limit {
        return;
    }
    let gone = |departure: &&Departure| {
        !departure.in_order || matches!(note.awaited, Awaited::Peer { pe, .. } if pe == departure.pe)
    };
    let gone: Vec<u32> = known.iter().filter(gone).map(|departure| departure.pe).collect();
    if !gone.is_empty() || in_finalize.is_some() {
        // Every node finds out, and one line is enough. The job ends before the next PE would print.
        process::sleep_micros(STAGGER_MICROS * u64::from(rt.pe.0.min(10)));
        end(rt, note, &words(&gone, in_finalize.as_slice()));
    }
}

/// How PEs of a job on several nodes ask each other, while they can.
fn departures(rt: &Runtime) -> Option<&Departures> {
    rt.departures.as_ref().filter(|_| rt.carrier.is_some_and(Carrier::is_usable))
}

/// "PE 3 has returned from main or called exit without shmem_finalize; PEs 4, 5 have called shmem_finalize".
fn words(left: &[u32], in_finalize: &[u32]) -> String {
    let ends =
        [(left, "returned from main or called exit without shmem_finalize"), (in_finalize, "called shmem_finalize")];
    let ends = ends.into_iter().filter(|(pes, _)| !pes.is_empty());
    let words = ends.map(|(pes, what)| format!("{} {} {what}", list(pes), if pes.len() == 1 { "has" } else { "have" }));
    words.collect::<Vec<_>>().join("; ")
}

/// The slots of the PEs of this node for which a wait waits. In a job on several nodes, a message of such a PE may be
/// under way although its stage says that it is ending. So the PE is asked.
fn awaited_slots(rt: &Runtime, awaited: Awaited) -> Vec<usize> {
    let slot = |pe: u32| rt.node.places.local(Pe(pe)).into_iter().collect();
    match awaited {
        Awaited::Arrivals { .. } => report::missing(&rt.node, awaited),
        Awaited::Peer { pe, .. } if departures(rt).is_none() => slot(pe),
        Awaited::Lock { behind: Some(pe), .. } => slot(pe),
        _ => Vec::new(),
    }
}

/// Whether every PE of this node waits or is ending.
fn all_wait(rt: &Runtime) -> bool {
    let waits = |slot| rt.node.note(slot).is_some_and(|note| note.waits);
    (0..rt.node.shape.n).all(|slot| rt.node.ends(slot).is_some() || waits(slot))
}

/// Ends the job with a line that tells why, and where, this PE waits in vain. One PE of a node prints it.
fn end(rt: &Runtime, note: &Note, why: &str) -> ! {
    if !rt.node.speaks_first() {
        // The PE that prints the line ends this one within moments.
        process::sleep_micros(5_000_000);
    }
    let call = call(note);
    diag::fatal(call.routine(), format_args!("this PE waits in vain{}: {why}", call.from()))
}

fn call(note: &Note) -> Call {
    report::call(&mut Symbols::default(), process::pid(), note)
}

/// Reports if no wait of the node has ended for long, or if somebody has asked.
fn look_for_hang(rt: &Runtime, note: &Note, waited: Duration) {
    let (node, now) = (&rt.node, note.seen);
    let last = node.last_report();
    if node.take_request() && now.saturating_sub(last) >= JUST_REPORTED && node.take_report(last, now) {
        return print(rt, now, ASKED);
    }
    if rt.env.debug && waited >= STUCK && is_stuck(rt) {
        if node.speaks_first() {
            print(rt, now, "the job is stuck");
            teardown::end_job(1);
        }
        return;
    }
    let limit = u64::from(rt.env.hang.0) * 1000;
    if limit == 0 || (waited.as_millis() as u64) < limit {
        return;
    }
    let step = (0..node.shape.n).map(|slot| node.last_step(slot)).max().unwrap_or(0);
    // One report per standstill.
    if now.saturating_sub(step) >= limit && last <= step && node.take_report(last, now) {
        print(rt, now, &format!("no wait of this node has ended for {} s", now.saturating_sub(step) / 1000));
    }
}

fn print(rt: &Runtime, now: u64, head: &str) {
    let table = report::table(rt, now, is_stuck(rt));
    if !session::table(head, &table.encode()) {
        diag::print(format_args!("{head}\n{}", table.show(&WORDS).trim_end()));
    }
}

/// Whether nothing can change. That is so if the whole job is on this node, no PE has a second thread, and every PE has
/// found that its wait has to go on after the last PE began to wait.
fn is_stuck(rt: &Runtime) -> bool {
    let node = &rt.node;
    if rt.remote.is_some() || !node.places.everybody() {
        return false;
    }
    let (mut begun, mut seen) = (0, u64::MAX);
    for slot in 0..node.shape.n {
        match node.note(slot).filter(|note| note.waits) {
            Some(note) => (begun, seen) = (begun.max(note.since), seen.min(note.seen)),
            None => return false,
        }
    }
    let alone = |slot| process::threads(node.pid(slot)).is_some_and(|n| n <= 1 + node.own_threads(slot));
    seen > begun && (0..node.shape.n).all(alone)
}

/// What a PE that computes reports. It is prepared in advance, because a signal handler may not allocate.
static COMPUTES: OnceLock<Answer> = OnceLock::new();

enum Answer {
    Oshrun(PreparedTable),
    StandardError(String),
}

/// From now on the two signals ask for a report, unless the program or another library catches or ignores them.
pub(super) fn listen(rt: &Runtime) {
    if rt.env.hang.0 == 0 {
        return;
    }
    let computes = "computes, and no PE of its node waits";
    let rows = Table { rows: vec![(rt.pe.0, computes.to_owned())], notes: Vec::new() }.encode();
    COMPUTES.get_or_init(|| match session::prepared_table(ASKED, &rows) {
        Some(table) => Answer::Oshrun(table),
        None => Answer::StandardError(format!("oshmpi[{}]: {computes}\n", rt.pe.0)),
    });
    [Signal::SIGQUIT, Signal::SIGUSR1].into_iter().for_each(|signal| process::catch(signal, asked));
}

/// The signal handler. It makes no allocation and waits for no lock without a limit. If a message of this PE to oshrun
/// stays under way, the report is left out: who wants it can ask again.
extern "C" fn asked(_: i32) {
    let Some(rt) = state::made().filter(|_| !state::is_child()) else { return };
    rt.node.request_report();
    if (0..rt.node.shape.n).any(|slot| rt.node.note(slot).is_some_and(|note| note.waits)) {
        return;
    }
    match COMPUTES.get() {
        Some(Answer::Oshrun(table)) => drop(table.send_soon()),
        Some(Answer::StandardError(line)) => process::write_error(line.as_bytes()),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wait serves MPI while it sleeps, also after a wait inside it that has slept.
    #[test]
    fn a_wait_sleeps_on_after_a_wait_inside_it() {
        let look = |millis| lasts(0, Duration::from_millis(millis), &mut || false, &|| Awaited::Other);
        look(0);
        look(0);
        over();
        look(100);
        assert!(sleeps());
        over();
        assert!(!sleeps());
    }
}
