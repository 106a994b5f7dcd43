//! The live table that `OSHMPI_TOP` and `oshrun --top` ask for: a thread of the node's first PE reads what all PEs of
//! the node have on their control pages, every few seconds, and sends one message with a row per PE. The other PEs do
//! nothing for it, and their fast path stays as it is.

use super::super::session;
use super::report;
use crate::diag;
use crate::diag::symbols::Symbols;
use crate::memory::control::Stage;
use crate::os::{clock, process};
use crate::state::{self, Runtime};
use core::time::Duration;
use pmi_shm::top::{HEAD, Row, Top};

/// Lines of a table that this PE prints itself, because oshrun has not started the job. More PEs than that do not fit
/// on a terminal.
const LINES: usize = 24;

/// Starts the thread in the first PE of the node, every `every` seconds (0: not at all). Called after static variables
/// have moved, because the thread uses them.
pub(in crate::boot) fn begin(every: u32, first_of_node: bool) {
    if every > 0 && first_of_node {
        let tell = move || tell(Duration::from_secs(every.into()));
        if let Err(e) = process::quiet_thread("oshmpi-top", tell) {
            diag::print(format_args!("OSHMPI_TOP: cannot start a thread: {e}"));
        }
    }
}

fn tell(every: Duration) {
    let (mut symbols, mut top) = (Symbols::default(), Top::default());
    loop {
        std::thread::sleep(every);
        let Some(rt) = state::made().filter(|_| !state::is_child()) else { continue };
        let rows: String = rows(rt, &mut symbols).iter().map(Row::encode).collect();
        if !session::table(HEAD, &rows) {
            top.take(&rows);
            diag::print(format_args!(
                "what the PEs of this node do\n{}",
                top.show("PE", rt.node.shape.n as u32, LINES)
            ));
        }
    }
}

fn rows(rt: &Runtime, symbols: &mut Symbols) -> Vec<Row> {
    let (node, now) = (&rt.node, clock::millis());
    let row = |(slot, does): (usize, String)| {
        let (counters, note) = (node.counters(slot), node.note(slot));
        let moved = counters.all_moved();
        // The counters have only waits that are over, so the current one is added.
        let waits = note.filter(|note| note.waits && node.stage(slot) == Stage::Up);
        let under_way = waits.map_or(0, |note| now.saturating_sub(note.since) * 1000);
        Row {
            rank: node.places.pe(slot).0,
            at: now * 1000,
            waited: counters.waited().iter().sum::<u64>() + under_way,
            puts: moved.puts,
            gets: moved.gets,
            atomics: moved.amos + moved.fetches,
            bytes: moved.put_bytes + moved.get_bytes,
            does,
        }
    };
    report::briefly(rt, symbols, now).into_iter().enumerate().map(row).collect()
}
