//! SIGQUIT and SIGUSR1 ask a PE for a report of what all PEs of its node do. A PE of the node that waits makes the
//! report, in its wait. If no PE of the node waits, each PE that gets the signal reports that it computes.

use super::session;
use crate::os::process;
use crate::state::{self, Runtime};
use nix::sys::signal::Signal;
use pmi_shm::client::PreparedTable;
use pmi_shm::table::Table;
use std::sync::OnceLock;

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
    COMPUTES.get_or_init(|| match session::prepared_table(super::watch::ASKED, &rows) {
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
