//! The process at the other end of a connection, if it is this process's parent.

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use nix::unistd::getppid;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

/// The process that has made this pair of sockets.
pub(crate) fn serves(connection: &impl AsFd) -> Option<i32> {
    getsockopt(connection, PeerCredentials).ok().map(|peer| peer.pid())
}

/// The process that has started this one, or that has taken it over.
pub(crate) fn number() -> i32 {
    getppid().as_raw()
}

/// Whether this process is a child of `pid`.
pub(crate) fn is(pid: i32) -> bool {
    number() == pid
}

/// Whether a process of this machine lives. One that has ended and was not waited for does not.
pub(crate) fn lives(pid: i32) -> bool {
    let stat = super::text(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// This process's ancestors, from the nearest on: between a launcher and a PE there may be shells.
pub(crate) fn ancestors() -> impl Iterator<Item = i32> {
    let above = |pid: &i32| of_stat(&super::text(format!("/proc/{pid}/stat")).ok()?);
    std::iter::successors(Some(number()), above)
}

/// The directories of the files of this process's ancestors. Those of other users' processes are not told.
pub(crate) fn directories() -> Vec<PathBuf> {
    let directory = |pid: i32| Some(std::fs::read_link(format!("/proc/{pid}/exe")).ok()?.parent()?.to_owned());
    let mut all: Vec<PathBuf> = ancestors().filter_map(directory).collect();
    all.dedup();
    all
}

/// The parent, from `/proc/PID/stat`. The name in there may hold any bytes.
fn of_stat(text: &str) -> Option<i32> {
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The name of a process's file; of a process of another user, the first 15 bytes of its own name.
fn name_of(pid: i32) -> Option<String> {
    let of = format!("/proc/{pid}");
    let file = std::fs::read_link(format!("{of}/exe")).ok();
    let file = file.and_then(|file| Some(file.file_name()?.to_str()?.trim_end_matches(" (deleted)").to_owned()));
    file.or_else(|| Some(super::text(format!("{of}/comm")).ok()?.trim().to_owned()))
}

/// The names of those that may have started this process: its parent, and whoever has made a connection that it has
/// inherited.
pub(crate) fn starters() -> Vec<String> {
    let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let fds = open.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok()).filter(|fd| *fd > 2);
    // SAFETY: the descriptor is asked for its other end only; one that is closed by now is an error.
    let makers = fds.filter_map(|fd| serves(&unsafe { BorrowedFd::borrow_raw(fd) }));
    [number()].into_iter().chain(makers).filter_map(name_of).collect()
}

/// Makes the kernel kill this process when its parent `pid` ends.
pub(crate) fn end_together(pid: i32) {
    let _ = set_pdeathsig(Signal::SIGKILL); // every kernel knows it
    if !is(pid) {
        super::process::kill_self(); // the parent has ended before the call
    }
}

/// Returns when the other end of the connection is closed. Uses no processor time meanwhile, and reads nothing.
pub(crate) fn until_hung_up(fd: i32) {
    // The kernel reports a connection that has ended although nothing is asked for.
    let mut one = libc::pollfd { fd, events: 0, revents: 0 };
    // SAFETY: one structure, which is alive for the call. An error is an interruption by a signal.
    while unsafe { libc::poll(&mut one, 1, -1) } != 1 {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_name_may_be_anything() {
        assert_eq!(of_stat("7 (a) b (c) S 3 7 7"), Some(3));
        assert_eq!(of_stat("7 (a"), None);
    }

    #[test]
    fn who_has_ended_does_not_live() {
        assert!(lives(std::process::id() as i32) && !lives(0) && !lives(i32::MAX));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        while lives(child.id() as i32) {
            thread::yield_now();
        }
        child.wait().unwrap();
    }

    /// Started by the test below.
    #[test]
    #[ignore = "has to be behind shells"]
    fn tell_directories() {
        directories().iter().for_each(|directory| println!("{}", directory.display()));
    }

    #[test]
    fn a_launcher_is_found_behind_shells() {
        let dir = std::env::temp_dir().join(format!("oshmpi-launcher-{}", std::process::id()));
        let (launcher, own) = (dir.join("launcher"), std::env::current_exe().unwrap());
        std::fs::create_dir(&dir).unwrap();
        std::fs::copy("/bin/sh", &launcher).unwrap();
        let line = r#"sh -c '"$0" --exact os::parent::tests::tell_directories --ignored --nocapture; true' "$0"; true"#;
        let told = std::process::Command::new(&launcher).args(["-c", line]).arg(own).output().unwrap().stdout;
        let told = String::from_utf8(told).unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(told.lines().any(|line| line == dir.to_str().unwrap()), "{told}");
    }

    #[test]
    fn the_end_of_a_connection_is_noticed_and_nothing_is_read() {
        let (here, mut there) = UnixStream::pair().unwrap();
        assert_eq!(serves(&here), Some(std::process::id() as i32));
        assert!(is(std::os::unix::process::parent_id() as i32) && !is(std::process::id() as i32));
        std::io::Write::write_all(&mut there, b"x").unwrap();
        let fd = here.as_raw_fd();
        let waiting = thread::spawn(move || until_hung_up(fd));
        thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished(), "bytes are no end");
        drop(there);
        waiting.join().unwrap();
        let mut byte = [0];
        assert_eq!(std::io::Read::read(&mut &here, &mut byte).unwrap(), 1, "what was sent is still there");
    }
}
