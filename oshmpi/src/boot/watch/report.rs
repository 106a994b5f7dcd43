//! The table that tells for each PE of this node which call it waits in, for what, and from where the program made the
//! call.

use super::super::error::list;
use crate::diag::public_name;
use crate::diag::symbols::{CallSite, Symbols};
use crate::memory::addr::{MOST_SPACES, Pe, SegId, SymRange};
use crate::memory::control::{Note, Stage};
use crate::memory::node::Node;
use crate::mpi;
use crate::state::Runtime;
use crate::sync::awaited::{Awaited, HowMany};
use core::convert::identity;
use pmi_shm::table::{self, Table};

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Call {
    /// None: the program has no symbol names.
    pub(super) routine: Option<String>,
    /// The place in the program that made the call.
    pub(super) from: Option<CallSite>,
}

/// The table of this node, at time `now`. `stuck`: nothing can change any more.
pub(super) fn table(rt: &Runtime, now: u64, stuck: bool) -> Table {
    let (node, mut symbols) = (&rt.node, Symbols::default());
    let notes: Vec<Option<Note>> = (0..node.shape.n).map(|slot| node.note(slot)).collect();
    let does = |slot: usize| does(rt, &mut symbols, &notes, slot, now, false);
    let rows = (0..node.shape.n).map(does).enumerate().map(|(slot, words)| (node.places.pe(slot).0, words)).collect();
    let all = "nothing can change any more: every PE waits, and no message is under way".to_owned();
    Table { rows, notes: if stuck { vec![all] } else { Vec::new() } }
}

/// What each PE of this node does, without the places in the program, which take long to find.
pub(super) fn briefly(rt: &Runtime, symbols: &mut Symbols, now: u64) -> Vec<String> {
    let notes: Vec<Option<Note>> = (0..rt.node.shape.n).map(|slot| rt.node.note(slot)).collect();
    (0..notes.len()).map(|slot| does(rt, symbols, &notes, slot, now, true)).collect()
}

/// What a PE does, as one row of the table shows it; `briefly`: without places in the program and earlier waits.
fn does(rt: &Runtime, symbols: &mut Symbols, notes: &[Option<Note>], slot: usize, now: u64, briefly: bool) -> String {
    let (node, note) = (&rt.node, &notes[slot]);
    let words = match (node.stage(slot), note) {
        (stage, _) if stage.has_left() => "has left: it returned from main or called exit without shmem_finalize",
        (Stage::Finalized, _) => "has finalized",
        (_, Some(note)) if note.waits => {
            let seconds = now.saturating_sub(note.since) / 1000;
            let call = match briefly {
                true => Call { routine: routine(symbols, node.pid(slot), note).map(|(_, name)| name), from: None },
                false => call(symbols, node.pid(slot), note),
            };
            return waits(seconds, &call, &detail(rt, symbols, notes, note.awaited));
        }
        (Stage::Finalizing, _) => "is in finalize",
        (Stage::Outside, _) => "is in its first init",
        _ if briefly => return process(node.pid(slot)).map_or_else(identity, str::to_owned),
        (_, note) => {
            let last = note.as_ref().and_then(|note| {
                let call = call(symbols, node.pid(slot), note);
                Some((now.saturating_sub(note.seen) / 1000, call.routine?))
            });
            return computes(process(node.pid(slot)), last);
        }
    };
    words.to_owned()
}

fn waits(seconds: u64, call: &Call, detail: &str) -> String {
    format!("{}{detail}{}", table::waits(seconds, call.routine()), call.from())
}

/// `last`: the last noted wait of the PE, by the seconds since it ended and its routine. Only long waits are noted.
fn computes(process: Result<&str, String>, last: Option<(u64, String)>) -> String {
    match (process, last) {
        (Err(unseen), _) => unseen,
        (Ok(what), Some((seconds, routine))) => format!("{what}; {seconds} s ago it came out of {routine}"),
        (Ok(what), None) => format!("{what}; no call of it has waited long"),
    }
}

/// The call of the library in which a note was made.
pub(super) fn call(symbols: &mut Symbols, pid: u32, note: &Note) -> Call {
    let Some((i, routine)) = routine(symbols, pid, note) else { return Call::default() };
    let from = note.frames[..note.n_frames].get(i + 1).map(|&at| symbols.place(pid, at));
    Call { routine: Some(routine), from }
}

/// The innermost frame of a note that has the name of a routine. Frames inside it are the library's, frames outside it
/// the program's.
fn routine(symbols: &mut Symbols, pid: u32, note: &Note) -> Option<(usize, String)> {
    let frames = &note.frames[..note.n_frames];
    frames.iter().enumerate().find_map(|(i, &at)| Some((i, public_name(&symbols.function(pid, at)?)?)))
}

/// What a PE waits for, in the words that follow the routine's name.
fn detail(rt: &Runtime, symbols: &mut Symbols, notes: &[Option<Note>], awaited: Awaited) -> String {
    match awaited {
        Awaited::Other | Awaited::Ends => String::new(),
        Awaited::Arrivals { seq, .. } => {
            let pes = missing(&rt.node, awaited).into_iter().map(|slot| rt.node.places.pe(slot).0);
            round(seq, &pes.collect::<Vec<_>>())
        }
        Awaited::Peer { pe, request: 0 } => format!(" (PE {pe} has not come)"),
        Awaited::Peer { pe, request } => format!(" (collective {request} of its team; PE {pe} has not come)"),
        Awaited::Answer { pe } => format!(" (PE {pe} has not answered)"),
        Awaited::Word { at, form, cmp, wanted, now } => {
            let cmp = ["==", "!=", ">", "<=", "<", ">="].get(usize::from(cmp)).copied().unwrap_or("?");
            let (name, wanted, now) = (name(rt, symbols, at), form.show(wanted), form.show(now));
            format!("({name} {cmp} {wanted}, now {now})")
        }
        Awaited::Words { at, n, how } => {
            let how = if how == HowMany::All { "all" } else { "any" };
            format!("({how} of {n} words at {})", name(rt, symbols, at))
        }
        Awaited::Lock { at, behind } => {
            let before = behind.map_or_else(String::new, |pe| holder(&rt.node, notes, at, pe));
            format!("({}){before}", name(rt, symbols, at))
        }
    }
}

/// A round of a team, and the PEs that have not come.
fn round(seq: u64, late: &[u32]) -> String {
    match late.len() {
        0 => format!(" (round {seq})"),
        1 => format!(" (round {seq}; {} has not come)", list(late)),
        _ => format!(" (round {seq}; {} have not come)", list(late)),
    }
}

/// Who has the lock: the PE at the head of the queue in which `pe` waits. If the queue goes on at another node, the
/// last PE that is known: it may have the lock, or wait for it too.
fn holder(node: &Node, notes: &[Option<Note>], lock: usize, pe: u32) -> String {
    let mut pe = pe;
    for _ in 0..notes.len() {
        let Some(slot) = node.places.local(Pe(pe)) else {
            return format!(", which PE {pe} holds or waits for before it");
        };
        match notes[slot].as_ref().filter(|note| note.waits).map(|note| note.awaited) {
            Some(Awaited::Lock { at, behind: Some(before) }) if at == lock => pe = before,
            _ => break,
        }
    }
    format!(", held by PE {pe}")
}

/// The slots of members that have not come to a round that a PE waits for.
pub(super) fn missing(node: &Node, awaited: Awaited) -> Vec<usize> {
    let Awaited::Arrivals { sync_slot, seq, start, stride, size, only } = awaited else { return Vec::new() };
    let slot = |i: u32| (i64::from(start) + i64::from(i) * i64::from(stride)) as usize;
    let slots: Vec<usize> = match only {
        Some(slot) => vec![slot as usize],
        None => (0..size).map(slot).collect(),
    };
    let late = |&slot: &usize| {
        // Relaxed: the value is only printed.
        let arrived = node.sync_slot(slot, sync_slot as usize).arrived(seq);
        arrived.load(core::sync::atomic::Ordering::Relaxed) < seq
    };
    slots.into_iter().filter(|&slot| slot < node.shape.n).filter(late).collect()
}

/// An address of a PE's symmetric memory as a number that means the same on every PE: see [`name`].
pub(super) fn everywhere(rt: &Runtime, awaited: Awaited) -> Awaited {
    let placed = |at: usize| match rt.segments.find(at, 0) {
        Some(range) => range.place() as usize,
        None => usize::MAX,
    };
    match awaited {
        Awaited::Word { at, form, cmp, wanted, now } => Awaited::Word { at: placed(at), form, cmp, wanted, now },
        Awaited::Words { at, n, how } => Awaited::Words { at: placed(at), n, how },
        Awaited::Lock { at, behind } => Awaited::Lock { at: placed(at), behind },
        other => other,
    }
}

/// The name of the variable, or the place in the heap, that such a number stands for.
fn name(rt: &Runtime, symbols: &mut Symbols, placed: usize) -> String {
    let behind = |name: &str, off: u64| if off == 0 { name.to_owned() } else { format!("{name}+{off:#x}") };
    let Some(range) = SymRange::at_place(placed as u64) else { return "?".to_owned() };
    let off = range.off;
    match range.seg {
        SegId::Heap => format!("heap+{off:#x}"),
        SegId::Space(place) => format!("space {}+{off:#x}", place % MOST_SPACES as u8),
        SegId::Data => {
            let at = rt.segments.address(range);
            symbols.variable(at as u64).map_or_else(|| format!("data+{off:#x}"), |(name, off)| behind(&name, off))
        }
    }
}

/// What the process `pid` does, as /proc tells it; or that it has ended or is of another PID namespace.
fn process(pid: u32) -> Result<&'static str, String> {
    let stat = crate::os::text(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state stands behind the name, which is in parentheses and may hold blanks.
    match stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next()) {
        Some('T' | 't') => Ok("is stopped"),
        Some('S' | 'D') if mpi::life::is_programs() => Ok("sleeps outside the library, maybe in MPI"),
        Some('S' | 'D') => Ok("sleeps outside the library"),
        Some('Z' | 'X') | None => Err(format!("is not to be seen: process {pid} has ended or is elsewhere")),
        Some(_) if mpi::life::is_programs() => Ok("computes or is in MPI"),
        Some(_) => Ok("computes"),
    }
}

impl Call {
    /// The routine's name, as far as the program holds names.
    pub(super) fn routine(&self) -> &str {
        self.routine.as_deref().unwrap_or("a routine without a name")
    }

    /// ", called at solver.c:214 in exchange".
    pub(super) fn from(&self) -> String {
        self.from.as_ref().map_or_else(String::new, |place| format!(", called {place}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_well() {
        let line = |n| Some(("solver.c".to_owned(), n));
        let place = CallSite { function: Some("exchange".to_owned()), offset: 0x1c, line: line(214), address: 0x1234 };
        let bare = CallSite { line: None, ..place.clone() };
        let unknown = CallSite { function: None, ..bare.clone() };
        let waits =
            |routine: &str, from, detail: &str| waits(60, &Call { routine: Some(routine.to_owned()), from }, detail);
        for (row, expected) in [
            (
                waits("shmem_barrier_all", Some(place), &round(118, &[1, 7])),
                "waits 60 s in shmem_barrier_all (round 118; PEs 1, 7 have not come), \
                 called at solver.c:214 in exchange",
            ),
            (
                waits("shmem_sync_all", Some(bare), &round(118, &[1])),
                "waits 60 s in shmem_sync_all (round 118; PE 1 has not come), called in exchange+0x1c",
            ),
            (
                waits("shmem_sync_all", Some(unknown), &round(118, &[])),
                "waits 60 s in shmem_sync_all (round 118), called at 0x1234",
            ),
            (waits("shmem_set_lock", None, "(lck)"), "waits 60 s in shmem_set_lock(lck)"),
            (
                computes(Ok("computes"), Some((61, "shmem_barrier_all".to_owned()))),
                "computes; 61 s ago it came out of shmem_barrier_all",
            ),
            (computes(Ok("is stopped"), None), "is stopped; no call of it has waited long"),
        ] {
            assert_eq!(row, expected);
        }
    }

    #[test]
    fn processes_are_seen() {
        // The state is that of the first thread, which waits for the test's threads.
        assert!(["computes", "sleeps outside the library"].contains(&process(std::process::id()).unwrap()));
        // A thread's number serves as a process's here.
        let own = || process(crate::os::process::thread_id() as u32);
        let cut = move || std::fs::write("/proc/thread-self/comm", b"cut \xc3").map(|()| own());
        assert_eq!(std::thread::spawn(cut).join().unwrap().unwrap(), Ok("computes"));
        assert!(process(u32::MAX).unwrap_err().starts_with("is not to be seen: process 4294967295 "));
    }
}
