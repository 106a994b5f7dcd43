//! Finds a process of this host that has ended before it joined the job. oshrun notices such an end itself. Other
//! launchers assume that a process has done its work if it ends with 0 and has never called them, and the other
//! processes would wait for it in init for ever.
//!
//! A thread looks at the launcher's children, from the first step into the job until all processes of the job have
//! joined. Its first look comes after [`LOOK`], so a shorter init has none. A child's environment has its number.

use super::super::error::list;
use super::super::launcher;
use crate::os::{self, parent, process};
use crate::{diag, env::Seconds};
use core::time::Duration;
use pmi_shm::{client, fd};
use std::fs;
use std::io::ErrorKind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

/// Time between two looks of the first two processes of the host. Later processes look less often, so that all P
/// processes together look O(log P) times in this time. Two looks have to find the end. A longer time delays the line.
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
    let launcher = launcher_of(variable)?;
    let (over, ends) = channel();
    let look = move || look(variable, launcher, n, me, all_here, hang, &ends);
    Some(Watch(Some((over, process::quiet_thread("oshmpi-start", look).ok()?))))
}

/// The process whose children those of this host are: the one that serves this process's connection, if it is above
/// this process. Other launchers have no number, unless they run inside another job, in which they have got one.
fn launcher_of(variable: &str) -> Option<i32> {
    let connection = process::pmi_fd().and_then(|number| fd::copy(number).ok());
    let server = connection.and_then(|connection| parent::serves(&connection));
    let server = server.filter(|server| parent::ancestors().any(|pid| pid == *server));
    server.or_else(|| parent::ancestors().find(|&pid| number_of(variable, pid) == Told::Nothing))
}

fn look(variable: &str, launcher: i32, n: u32, me: u32, all_here: bool, hang: Seconds, over: &Receiver<()>) {
    let (begun, pause) = (Instant::now(), LOOK * me.max(1));
    let (mut before, mut alike, mut told) = (Vec::new(), 0, hang.0 == 0 || me > 0);
    while over.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        // This process is alive: if it is not found, processes are no children of the launcher.
        let ended = missing(variable, launcher, n).filter(|ended| !ended.contains(&me)).unwrap_or_default();
        alike = if ended == before { alike + 1 } else { 0 };
        // The first living process reports it. If that one does not look, the next one reports it later.
        if !ended.is_empty() && alike > (0..me).filter(|number| !ended.contains(number)).count() {
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

/// What a process's environment tells.
#[derive(PartialEq, Eq)]
enum Told {
    Number(u32),
    /// It has no number: it is the launcher, or has not executed its program yet. Or the system does not tell.
    Nothing,
    Ended,
}

fn number_of(variable: &str, pid: i32) -> Told {
    match os::text(format!("/proc/{pid}/environ")) {
        // A process that nobody has waited for has no memory to read.
        Err(e) if e.kind() == ErrorKind::NotFound || e.raw_os_error() == Some(libc::ESRCH) => Told::Ended,
        Err(_) => Told::Nothing,
        Ok(text) if text.is_empty() => Told::Ended,
        Ok(text) => {
            let mut values = text.split('\0').filter_map(|word| word.strip_prefix(variable)?.strip_prefix('='));
            values.find_map(|value| value.parse().ok()).map_or(Told::Nothing, Told::Number)
        }
    }
}

/// The numbers below `n` that no living child of the launcher has. None while some child has no number, and where the
/// system does not tell the children.
fn missing(variable: &str, launcher: i32, n: u32) -> Option<Vec<u32>> {
    let threads = fs::read_dir(format!("/proc/{launcher}/task")).ok()?.flatten();
    let children: Vec<String> =
        threads.map(|thread| os::text(thread.path().join("children"))).collect::<Result<_, _>>().ok()?;
    let pids = children.iter().flat_map(|pids| pids.split_whitespace()).filter_map(|pid| pid.parse().ok());
    let told: Vec<Told> = pids.map(|pid| number_of(variable, pid)).collect();
    let there = |number| told.contains(&Told::Number(number));
    (!told.contains(&Told::Nothing)).then(|| (0..n).filter(|&number| !there(number)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};

    #[test]
    fn processes_are_named_as_the_launcher_counts() {
        assert_eq!(of_host(&[3]), "process 3 of this host");
        assert_eq!(of_host(&[0, 1]), "processes 0, 1 of this host");
    }

    /// A launcher of three processes, of which one has never been there, and another ends. Nobody has waited for it.
    #[test]
    fn children_that_have_ended_are_missing() {
        const VARIABLE: &str = "TEST_ABSENT_NUMBER";
        let script = "TEST_ABSENT_NUMBER=0 sleep 99 & a=$!; TEST_ABSENT_NUMBER=1 sleep 99 & b=$!; \
                      echo; read line; kill -9 $b; read line; kill -9 $a";
        let mut sh = Command::new("sh");
        let mut sh = sh.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        sh.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let launcher = sh.id() as i32;
        let until = |wanted: &[u32]| {
            while missing(VARIABLE, launcher, 3).as_deref() != Some(wanted) {
                std::thread::yield_now(); // the children may not have executed their program yet
            }
        };
        until(&[2]);
        let mut stdin = sh.stdin.take().unwrap();
        stdin.write_all(b"\n").unwrap();
        until(&[1, 2]);
        stdin.write_all(b"\n").unwrap();
        sh.wait().unwrap();
        assert_eq!(missing(VARIABLE, launcher, 3), None, "the launcher has ended");
    }

    /// A launcher inside another job, of which it has a number.
    #[test]
    fn a_launcher_with_a_number_is_found_by_its_connection() {
        const NAME: &str = "boot::liveness::absent::tests::a_launcher_with_a_number_is_found_by_its_connection";
        const NUMBER: &str = "TEST_ABSENT_LAUNCHERS_NUMBER";
        let number = std::env::var(NUMBER).unwrap_or_default();
        if number == "2" {
            assert_eq!(launcher_of(NUMBER), Some(parent::number()));
            return;
        }
        let (_own, given) = UnixStream::pair().unwrap();
        // SAFETY: changes the flag of a descriptor that is open here, so that the process below has it too.
        assert_eq!(unsafe { libc::fcntl(given.as_raw_fd(), libc::F_SETFD, 0) }, 0);
        let mut inside = Command::new(std::env::current_exe().unwrap());
        inside.args(["--exact", NAME, "--nocapture"]).env("PMI_FD", given.as_raw_fd().to_string());
        let out = inside.env(NUMBER, if number.is_empty() { "1" } else { "2" }).output().unwrap();
        assert!(out.status.success() && String::from_utf8_lossy(&out.stdout).contains("1 passed"), "{out:?}");
    }
}
