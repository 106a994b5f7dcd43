//! The table that tells for each PE of this node which call it waits in, for what, and from where the program made the
//! call.

use super::error::list;
use crate::diag::public_name;
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::control::{Note, Stage};
use crate::memory::node::Node;
use crate::os::symbols::{Place, Symbols};
use crate::state::Runtime;
use crate::sync::awaited::{Awaited, How};
use pmi_shm::table::{self, Table};

/// What a PE does, as one row of the table shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Does {
    Waits {
        seconds: u64,
        call: Call,
        detail: Detail,
    },
    /// `last`: the last noted wait of the PE, by the seconds since it ended and its routine. Only waits that last are
    /// noted.
    Computes {
        last: Option<(u64, String)>,
        process: Process,
    },
    Starts,
    Finalizes,
    Finalized,
    Left,
}

/// A PE that is before another one in the queue of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Holder(u32),
    /// A PE of another node. It may have the lock, or wait for it too.
    Queued(u32),
}

/// The state of a process, as the kernel tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Process {
    Runs,
    Sleeps,
    Stopped,
    /// The process has ended, or is of another PID namespace.
    Unseen(u32),
}

/// A call of the library.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Call {
    /// None: the program has no symbol names.
    pub(super) routine: Option<String>,
    /// The place in the program that made the call.
    pub(super) from: Option<Place>,
}

/// What a PE waits for, in the words that follow the routine's name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Detail {
    Nothing,
    /// Text in place of the arguments.
    Arguments(String),
    /// Round of a team, and PEs that have not come.
    Round(u64, Vec<u32>),
    NotCome(u32),
    NotAnswered(u32),
    /// The lock, and the PE that has it or is before this PE in its queue.
    Lock(String, Option<Before>),
}

/// The table of this node, at time `now`. `stuck`: nothing can change any more.
pub(super) fn table(rt: &Runtime, now: u64, stuck: bool) -> Table {
    let (node, mut symbols) = (&rt.node, Symbols::default());
    let notes: Vec<Option<Note>> = (0..node.shape.n).map(|slot| node.note(slot)).collect();
    let does = |slot: usize| does(rt, &mut symbols, &notes, slot, now);
    let words: Vec<String> = (0..node.shape.n).map(does).map(|does| does.words()).collect();
    let rows = words.into_iter().enumerate().map(|(slot, words)| (node.places.pe(slot).0, words)).collect();
    let all = "nothing can change any more: every PE waits, and no message is under way".to_owned();
    Table { rows, notes: if stuck { vec![all] } else { Vec::new() } }
}

/// What each PE of this node does, without the places in the program, which take long to find.
pub(super) fn briefly(rt: &Runtime, symbols: &mut Symbols, now: u64) -> Vec<String> {
    let notes: Vec<Option<Note>> = (0..rt.node.shape.n).map(|slot| rt.node.note(slot)).collect();
    let words = |slot: usize| match (rt.node.stage(slot), &notes[slot]) {
        (Stage::Up, Some(note)) if note.waits => {
            let routine = routine(symbols, rt.node.pid(slot), note).map(|(_, routine)| routine);
            let detail = detail(rt, symbols, &notes, note.awaited);
            let seconds = now.saturating_sub(note.since) / 1000;
            Does::Waits { seconds, call: Call { routine, from: None }, detail }.words()
        }
        (Stage::Up, _) => Does::Computes { last: None, process: process(rt.node.pid(slot)) }.briefly(),
        _ => does(rt, symbols, &notes, slot, now).words(),
    };
    (0..notes.len()).map(words).collect()
}

fn does(rt: &Runtime, symbols: &mut Symbols, notes: &[Option<Note>], slot: usize, now: u64) -> Does {
    let (node, note) = (&rt.node, &notes[slot]);
    match (node.stage(slot), note) {
        (stage, _) if stage.has_left() => Does::Left,
        (Stage::Finalized, _) => Does::Finalized,
        (_, Some(note)) if note.waits => Does::Waits {
            seconds: now.saturating_sub(note.since) / 1000,
            call: call(symbols, node.pid(slot), note),
            detail: detail(rt, symbols, notes, note.awaited),
        },
        (Stage::Finalizing, _) => Does::Finalizes,
        (Stage::Outside, _) => Does::Starts,
        (_, note) => {
            let last = note.as_ref().and_then(|note| {
                let call = call(symbols, node.pid(slot), note);
                Some((now.saturating_sub(note.seen) / 1000, call.routine?))
            });
            Does::Computes { last, process: process(node.pid(slot)) }
        }
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

fn detail(rt: &Runtime, symbols: &mut Symbols, notes: &[Option<Note>], awaited: Awaited) -> Detail {
    match awaited {
        Awaited::Other | Awaited::Ends => Detail::Nothing,
        Awaited::Arrivals { seq, .. } => {
            let pes = missing(&rt.node, awaited).into_iter().map(|slot| rt.node.places.pe(slot).0);
            Detail::Round(seq, pes.collect())
        }
        Awaited::Peer { pe } => Detail::NotCome(pe),
        Awaited::Answer { pe } => Detail::NotAnswered(pe),
        Awaited::Word { at, form, cmp, wanted, now } => {
            let cmp = ["==", "!=", ">", "<=", "<", ">="].get(usize::from(cmp)).copied().unwrap_or("?");
            let (name, wanted, now) = (name(rt, symbols, at), form.show(wanted), form.show(now));
            Detail::Arguments(format!("{name} {cmp} {wanted}, now {now}"))
        }
        Awaited::Words { at, n, how } => {
            let how = if how == How::All { "all" } else { "any" };
            Detail::Arguments(format!("{how} of {n} words at {}", name(rt, symbols, at)))
        }
        Awaited::Lock { at, behind } => {
            Detail::Lock(name(rt, symbols, at), behind.map(|pe| holder(&rt.node, notes, at, pe)))
        }
    }
}

/// Who has the lock: the PE at the head of the queue in which `pe` waits. If the queue goes on at another node, the
/// last PE that is known.
fn holder(node: &Node, notes: &[Option<Note>], lock: usize, pe: u32) -> Before {
    let mut pe = pe;
    for _ in 0..notes.len() {
        let Some(slot) = node.places.local(Pe(pe)) else { return Before::Queued(pe) };
        match notes[slot].as_ref().filter(|note| note.waits).map(|note| note.awaited) {
            Some(Awaited::Lock { at, behind: Some(before) }) if at == lock => pe = before,
            _ => break,
        }
    }
    Before::Holder(pe)
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
        Some(range) => range.off << 1 | usize::from(range.seg == SegId::Heap),
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
    let off = placed >> 1;
    let behind = |name: &str, off: u64| if off == 0 { name.to_owned() } else { format!("{name}+{off:#x}") };
    match placed {
        usize::MAX => "?".to_owned(),
        _ if placed & 1 == 1 => format!("heap+{off:#x}"),
        _ => {
            let at = rt.segments.address(SymRange { seg: SegId::Data, off, len: 0 });
            symbols.variable(at as u64).map_or_else(|| format!("data+{off:#x}"), |(name, off)| behind(&name, off))
        }
    }
}

/// The state of the process `pid`, as /proc tells it.
fn process(pid: u32) -> Process {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state stands behind the name, which is in parentheses and may hold blanks.
    match stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next()) {
        Some('T' | 't') => Process::Stopped,
        Some('S' | 'D') => Process::Sleeps,
        Some('Z' | 'X') | None => Process::Unseen(pid),
        Some(_) => Process::Runs,
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

impl Does {
    fn words(&self) -> String {
        match self {
            Does::Waits { seconds, call, detail } => {
                let (before, behind) = match detail {
                    Detail::Nothing => (String::new(), String::new()),
                    Detail::Arguments(text) => (format!("({text})"), String::new()),
                    Detail::Round(round, pes) if pes.is_empty() => (format!(" (round {round})"), String::new()),
                    Detail::Round(round, pes) => {
                        let have = if pes.len() == 1 { "has" } else { "have" };
                        (format!(" (round {round}; {} {have} not come)", list(pes)), String::new())
                    }
                    Detail::NotCome(pe) => (format!(" (PE {pe} has not come)"), String::new()),
                    Detail::NotAnswered(pe) => (format!(" (PE {pe} has not answered)"), String::new()),
                    Detail::Lock(name, None) => (format!("({name})"), String::new()),
                    Detail::Lock(name, Some(Before::Holder(pe))) => (format!("({name})"), format!(", held by PE {pe}")),
                    Detail::Lock(name, Some(Before::Queued(pe))) => {
                        (format!("({name})"), format!(", which PE {pe} holds or waits for before it"))
                    }
                };
                format!("{}{before}{behind}{}", table::waits(*seconds, call.routine()), call.from())
            }
            Does::Computes { process: Process::Unseen(_), .. } => self.briefly(),
            Does::Computes { last, .. } => {
                let what = self.briefly();
                match last {
                    Some((seconds, routine)) => format!("{what}; {seconds} s ago it came out of {routine}"),
                    None => format!("{what}; no call of it has waited long"),
                }
            }
            Does::Starts => "is in its first init".to_owned(),
            Does::Finalizes => "is in finalize".to_owned(),
            Does::Finalized => "has finalized".to_owned(),
            Does::Left => "has left: it returned from main or called exit without shmem_finalize".to_owned(),
        }
    }
}

impl Does {
    /// The call in fewer words, for a PE that is in no wait.
    fn briefly(&self) -> String {
        match self {
            Does::Computes { process: Process::Runs, .. } => "computes".to_owned(),
            Does::Computes { process: Process::Sleeps, .. } => "sleeps outside the library".to_owned(),
            Does::Computes { process: Process::Stopped, .. } => "is stopped".to_owned(),
            Does::Computes { process: Process::Unseen(pid), .. } => {
                format!("is not to be seen: process {pid} has ended or is elsewhere")
            }
            _ => self.words(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(routine: &str, from: Option<Place>, detail: Detail) -> String {
        Does::Waits { seconds: 60, call: Call { routine: Some(routine.to_owned()), from }, detail }.words()
    }

    #[test]
    fn rows_read_well() {
        let line = |n| Some(("solver.c".to_owned(), n));
        let place = Place { function: Some("exchange".to_owned()), offset: 0x1c, line: line(214), address: 0x1234 };
        let bare = Place { line: None, ..place.clone() };
        let unknown = Place { function: None, ..bare.clone() };
        let round = |pes: &[u32]| Detail::Round(118, pes.to_vec());
        for (row, expected) in [
            (
                waits("shmem_barrier_all", Some(place.clone()), round(&[1, 7])),
                "waits 60 s in shmem_barrier_all (round 118; PEs 1, 7 have not come), \
                 called at solver.c:214 in exchange",
            ),
            (
                waits("shmem_sync_all", Some(bare), round(&[1])),
                "waits 60 s in shmem_sync_all (round 118; PE 1 has not come), called in exchange+0x1c",
            ),
            (
                waits("shmem_sync_all", Some(unknown), round(&[])),
                "waits 60 s in shmem_sync_all (round 118), called at 0x1234",
            ),
            (
                waits("shmem_long_wait_until", None, Detail::Arguments("flag+0x10 == 3, now 2".to_owned())),
                "waits 60 s in shmem_long_wait_until(flag+0x10 == 3, now 2)",
            ),
            (
                waits("shmem_set_lock", Some(place), Detail::Lock("lck".to_owned(), Some(Before::Holder(5)))),
                "waits 60 s in shmem_set_lock(lck), held by PE 5, called at solver.c:214 in exchange",
            ),
            (
                waits("shmem_set_lock", None, Detail::Lock("lck".to_owned(), Some(Before::Queued(5)))),
                "waits 60 s in shmem_set_lock(lck), which PE 5 holds or waits for before it",
            ),
            (waits("shmem_int_g", None, Detail::NotAnswered(2)), "waits 60 s in shmem_int_g (PE 2 has not answered)"),
            (
                waits("shmem_broadcastmem", None, Detail::NotCome(2)),
                "waits 60 s in shmem_broadcastmem (PE 2 has not come)",
            ),
            (
                Does::Computes { last: Some((61, "shmem_barrier_all".to_owned())), process: Process::Runs }.words(),
                "computes; 61 s ago it came out of shmem_barrier_all",
            ),
            (
                Does::Computes { last: None, process: Process::Stopped }.words(),
                "is stopped; no call of it has waited long",
            ),
        ] {
            assert_eq!(row, expected);
        }
    }

    #[test]
    fn processes_are_seen() {
        // The state is that of the first thread, which waits for the test's threads.
        assert!(matches!(process(std::process::id()), Process::Runs | Process::Sleeps));
        assert_eq!(process(u32::MAX), Process::Unseen(u32::MAX));
    }
}
