//! Finds a process of this host that has ended before it joined the job. oshrun notices such an end itself. Other
//! launchers assume that a process has done its work if it ends with 0 and has never called them, and the other
//! processes would wait for it in init for ever.
//!
//! A thread looks for such processes, from the first step into the job until all processes of the job have joined. Its
//! first look comes after [`LOOK`], so a shorter init has none.

use super::error::list;
use crate::os::parent;
use crate::os::process;
use crate::os::siblings::{Kin, Siblings};
use crate::{diag, env::Seconds};
use core::time::Duration;
use pmi_shm::{client, fd};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

/// Time between two looks of the first two processes of the host. Later processes look less often, so that all P
/// processes together look O(log P) times in this time. Two looks have to find the same processes. With a shorter time,
/// a process that the launcher is still starting may count as ended; a longer time delays the line.
const LOOK: Duration = Duration::from_millis(600);

/// The thread that looks. It ends when this value is dropped.
pub(super) struct Watch {
    over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        *self.over.0.lock().unwrap_or_else(|e| e.into_inner()) = true;
        self.over.1.notify_all();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Variables of launchers: the number of a process among those on this host, the number of these processes, and a
/// variable that all processes of a job have in common.
const TOLD: [(&str, &str, Option<&str>); 2] = [
    ("MPI_LOCALRANKID", "MPI_LOCALNRANKS", None),
    ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", Some("PMIX_NAMESPACE")),
];

/// Starts the thread. Call after the launcher has answered this process, because it has started all processes of the
/// host by then. None: there is no process to look for, or the launcher notices their end itself.
pub(super) fn watch(hang: Seconds) -> Option<Watch> {
    if client::is_oshruns() {
        return None;
    }
    let number = |name: &str| std::env::var(name).ok()?.trim().parse::<u32>().ok();
    let (own, n, common) = TOLD.into_iter().find(|(own, n, _)| number(own).is_some() && number(n).is_some())?;
    let kin = match common {
        None => Kin::Below,
        Some(name) => Kin::Variable(format!("{name}={}", std::env::var(name).ok()?)),
    };
    let siblings = Siblings { kin, launcher: launcher()?, number: own, n: number(n)? };
    let (me, all_here) = (number(own)?, super::launcher::is_surely_one_node());
    if siblings.n == 1 && all_here {
        return None;
    }
    let over = Arc::new((Mutex::new(false), Condvar::new()));
    let shared = Arc::clone(&over);
    let thread = process::quiet_thread("oshmpi-start", move || look(&siblings, me, all_here, hang, &shared));
    Some(Watch { over, thread: Some(thread.ok()?) })
}

/// The process id of the launcher's process on this host.
fn launcher() -> Option<i32> {
    let number = std::env::var("PMI_FD").ok().and_then(|fd| fd.trim().parse().ok());
    let connection = number.and_then(|number| fd::copy(number).ok());
    connection.map_or_else(|| Some(parent::number()), |connection| parent::serves(&connection))
}

fn look(siblings: &Siblings, me: u32, all_here: bool, hang: Seconds, over: &(Mutex<bool>, Condvar)) {
    let (begun, pause) = (Instant::now(), LOOK * me.max(1));
    let (mut before, mut alike, mut told) = (Vec::new(), 0, hang.0 == 0 || me > 0);
    loop {
        let over_now = over.0.lock().unwrap_or_else(|e| e.into_inner());
        let waited = over.1.wait_timeout_while(over_now, pause, |over| !*over);
        if *waited.unwrap_or_else(|e| e.into_inner()).0 {
            return;
        }
        let ended = siblings.ended().unwrap_or_default();
        alike = if ended == before { alike + 1 } else { 0 };
        // The first living process reports it. If that one does not look, the next one reports it later.
        let before_me = (0..me).filter(|number| !ended.contains(number)).count();
        if !ended.is_empty() && alike > before_me {
            let who = if all_here { list(&ended).replace("PE", "rank") } else { of_host(&ended) };
            diag::print(format_args!(
                "{who} ended before {} joined the job (shmem_init or MPI_Init was not called), and others wait",
                if ended.len() == 1 { "it" } else { "they" }
            ));
            diag::end_job(1);
        }
        before = ended;
        if !told && begun.elapsed().as_secs() >= hang.0.into() {
            told = true;
            let seconds = begun.elapsed().as_secs();
            let where_ = if all_here { "" } else { " on this host or another one" };
            diag::print(format_args!(
                "has waited in init for {seconds} s: a process{where_} has not called shmem_init, and those of this \
                 host are alive"
            ));
        }
    }
}

/// "process 1 of this host", numbered as the launcher does.
fn of_host(numbers: &[u32]) -> String {
    format!("{} of this host", list(numbers).replace("PEs", "processes").replace("PE", "process"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_named_as_the_launcher_counts() {
        assert_eq!(of_host(&[3]), "process 3 of this host");
        assert_eq!(of_host(&[0, 1]), "processes 0, 1 of this host");
    }
}
