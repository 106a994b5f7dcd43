//! Finds a process of this host that has ended before it joined the job. oshrun notices such an end itself. Other
//! launchers assume that a process has done its work if it ends with 0 and has never called them, and the other
//! processes would wait for it in init for ever.
//!
//! A thread looks for such processes, from the first step into the job until all processes of the job have joined. Its
//! first look comes after [`LOOK`], so a shorter init has none. Processes that a launcher has started are told by their
//! environment, which holds their number. The first process above them without a number is the launcher's.

use super::super::error::list;
use super::super::launcher;
use crate::os::parent::of_stat;
use crate::os::{self, process};
use crate::{diag, env::Seconds};
use core::time::Duration;
use pmi_shm::client;
use std::collections::HashMap;
use std::fs;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

/// Time between two looks of the first two processes of the host. Later processes look less often, so that all P
/// processes together look O(log P) times in this time. Two looks have to find the same processes. With a shorter time,
/// a process that the launcher is still starting may count as ended; a longer time delays the line.
const LOOK: Duration = Duration::from_millis(600);

/// Variables of launchers: the number of a process among those on this host, and the number of these processes.
const TOLD: [(&str, &str); 2] =
    [("MPI_LOCALRANKID", "MPI_LOCALNRANKS"), ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE")];

/// The thread that looks. It ends when this value is dropped.
pub(in crate::boot) struct Watch(Option<(Sender<()>, JoinHandle<()>)>);

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.0.take() {
            drop(over);
            let _ = thread.join();
        }
    }
}

/// Starts the thread. Call after the launcher has answered this process, because it has started all processes of the
/// host by then. None: there is no process to look for, or the launcher notices their end itself.
pub(in crate::boot) fn watch(hang: Seconds) -> Option<Watch> {
    if client::is_oshruns() {
        return None;
    }
    let number = |name: &str| std::env::var(name).ok()?.trim().parse::<u32>().ok();
    let (variable, me, n) = TOLD.into_iter().find_map(|(own, n)| Some((own, number(own)?, number(n)?)))?;
    let all_here = launcher::is_surely_one_node();
    if n == 1 && all_here {
        return None;
    }
    let (over, ends) = channel();
    let look = move || look(variable, n, me, all_here, hang, &ends);
    Some(Watch(Some((over, process::quiet_thread("oshmpi-start", look).ok()?))))
}

fn look(variable: &str, n: u32, me: u32, all_here: bool, hang: Seconds, over: &Receiver<()>) {
    let (begun, pause) = (Instant::now(), LOOK * me.max(1));
    let (mut before, mut alike, mut told) = (Vec::new(), 0, hang.0 == 0 || me > 0);
    while over.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let ended = missing(&living(variable), process::pid() as i32, n).unwrap_or_default();
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
        let seconds = begun.elapsed().as_secs();
        if !told && seconds >= hang.0.into() {
            told = true;
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

/// A process that has not ended.
struct Process {
    parent: i32,
    name: String,
    /// Among those that a launcher has started. None: it has none, or the system does not tell.
    number: Option<u32>,
}

/// The numbers below `n` of which all processes have ended, in the job on this host that process `me` belongs to. None
/// while the launcher has a child whose number is not known. A child that has not executed its program yet has the
/// launcher's name.
fn missing(living: &HashMap<i32, Process>, me: i32, n: u32) -> Option<Vec<u32>> {
    // A chain that changes while it is read may contain a circle.
    let chain = |pid| std::iter::successors(Some(pid), |pid| living.get(pid).map(|p| p.parent)).take(living.len() + 1);
    let starter = |pid| chain(pid).find(|above| living.get(above).is_none_or(|p| p.number.is_none()));
    let launcher = starter(me)?;
    let name = &living.get(&launcher)?.name;
    if living.values().any(|p| p.parent == launcher && (p.name == *name || p.number.is_none())) {
        return None;
    }
    // A process whose parents have ended counts as one of the job: the system has given it a parent above the launcher.
    let is_one = |pid| starter(pid).is_none_or(|starter| chain(launcher).any(|above| above == starter));
    let alive: Vec<u32> = living.iter().filter(|(pid, _)| is_one(**pid)).filter_map(|(_, p)| p.number).collect();
    Some((0..n).filter(|number| !alive.contains(number)).collect())
}

/// All processes that have not ended and that can be seen. `variable` holds their numbers.
fn living(variable: &str) -> HashMap<i32, Process> {
    let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(pid);
    all.filter_map(|pid| {
        let (name, state, parent) = of_stat(&os::text(format!("/proc/{pid}/stat")).ok()?)?;
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let value = |word: &[u8]| word.strip_prefix(variable.as_bytes())?.strip_prefix(b"=").map(<[u8]>::to_vec);
        let value = environment.split(|byte| *byte == 0).find_map(value);
        let number = value.and_then(|value| String::from_utf8(value).ok()?.parse().ok());
        (!"ZX".contains(state)).then_some((pid, Process { parent, name, number }))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    #[test]
    fn processes_are_named_as_the_launcher_counts() {
        assert_eq!(of_host(&[3]), "process 3 of this host");
        assert_eq!(of_host(&[0, 1]), "processes 0, 1 of this host");
    }

    /// Two launchers of one kind, 10 and 20, each with three processes. What is added or removed, and who is missing
    /// then.
    #[test]
    fn processes_of_other_jobs_do_not_count() {
        let process = |parent, name: &str, number| Process { parent, name: name.to_owned(), number };
        let mut living = HashMap::from([(10, process(1, "proxy", None)), (20, process(1, "proxy", None))]);
        for (pid, parent, number) in [(11, 10, 0), (12, 10, 1), (21, 20, 0), (22, 20, 1), (23, 20, 2)] {
            living.insert(pid, process(parent, "program", Some(number)));
        }
        assert_eq!(missing(&living, 11, 3), Some(vec![2]));
        // A process that is being started.
        living.insert(13, process(10, "proxy", None));
        assert_eq!(missing(&living, 11, 3), None);
        // A script without a number, a process with a number, and what that has started.
        living.insert(13, process(10, "sh", None));
        assert_eq!(missing(&living, 11, 3), None);
        living.insert(13, process(10, "sh", Some(2)));
        living.insert(14, process(13, "program", Some(2)));
        assert_eq!(missing(&living, 11, 3), Some(vec![]));
        assert_eq!(missing(&living, 14, 3), Some(vec![]), "asked below the script");
        // A process of another kind of launcher.
        living.insert(30, process(1, "oshrun", None));
        living.insert(31, process(30, "program", Some(2)));
        living.remove(&14);
        living.remove(&13);
        assert_eq!(missing(&living, 11, 3), Some(vec![2]));
        // The script has ended, and its program's job is not known.
        living.insert(14, process(1, "program", Some(2)));
        assert_eq!(missing(&living, 11, 3), Some(vec![]));
        living.remove(&10);
        assert_eq!(missing(&living, 11, 3), None, "the launcher has ended");
    }

    #[test]
    fn a_name_may_be_anything() {
        assert_eq!(of_stat("7 (a) b (c) S 3 7 7"), Some(("a) b (c".to_owned(), 'S', 3)));
        assert_eq!(of_stat("7 (a"), None);
    }

    /// A process is seen with its number, also if its name is not UTF-8, and no longer once it has ended, although
    /// nobody has waited for it.
    #[test]
    fn living_processes_are_seen() {
        let mut sh = Command::new("sh");
        sh.args(["-c", r"printf 'cut \303' >/proc/$$/comm; echo; read line"]).env("TEST_ABSENT_NUMBER", "5");
        let mut child = sh.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let pid = child.id() as i32;
        assert!(fs::read_to_string(format!("/proc/{pid}/comm")).is_err());
        assert_eq!(living("TEST_ABSENT_NUMBER")[&pid].number, Some(5));
        child.kill().unwrap();
        while living("TEST_ABSENT_NUMBER").contains_key(&pid) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }
}
