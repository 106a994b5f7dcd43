//! Jobs that end early: kills of every kind of process, signals, the time limit. `end()` looks for processes left over.

use super::*;
use std::os::fd::AsRawFd;

/// A job of two ranks, each with a child in a new session, which is the hardest to find.
fn stubborn() -> Running {
    let job = shell(&["-n", "2"], "setsid sleep 1000 & trap '' TERM INT; sleep 1000 & wait; wait; wait");
    let running = job.start();
    running.wait_for("sleep", 4);
    running
}

#[test]
fn a_stopped_oshrun_that_is_killed_ends_all() {
    let job = stubborn();
    signal(job.node_server(), libc::SIGSTOP);
    job.signal(libc::SIGKILL);
    // The server must wake up to see it.
    thread::sleep(Duration::from_millis(50));
    for p in processes(&job.mark).iter().filter(|p| p.name == "oshrun") {
        signal(p.pid, libc::SIGCONT);
    }
    assert_eq!(job.end().code, None);
}

#[test]
fn a_stopped_node_server_is_woken_to_end_its_ranks() {
    for words in [&["-n", "2"][..], &["-n", "2", "--timeout", "0.5"]] {
        let job = shell(words, "trap 'exit 3' INT; while :; do sleep 0.05; done").start();
        job.wait_for("sleep", 2);
        signal(job.node_server(), libc::SIGSTOP);
        let asked = words.len() == 2;
        if asked {
            job.signal(libc::SIGINT);
        }
        let begun = Instant::now();
        let e = job.end();
        assert!(begun.elapsed() < LONG / 4, "{:?}", begun.elapsed());
        assert_eq!(e.code, Some(if asked { 3 } else { 124 }));
    }
}

#[test]
fn what_a_rank_leaves_behind_goes_with_the_job() {
    let e = shell(&["-n", "2"], "setsid sleep 1000 >/dev/null 2>&1 & (sleep 1000 &) ; exit 0").end();
    assert_eq!((e.code, e.err.as_str()), (Some(0), ""));
}

/// Its time to write does not run while nobody reads. It writes more than oshrun and the node server keep.
#[test]
fn what_a_rank_leaves_behind_may_wait_for_a_slow_reader() {
    const LENGTH: usize = 4 << 20;
    let mut run = shell(&["-n", "1"], &format!("head -c {LENGTH} /dev/zero & exit 0"));
    let child = run.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let runs = |name: &str| processes(&run.mark).iter().any(|p| p.name == name);
    wait_until("the rank stays, or leaves nothing", || runs("head") && !runs("sh"));
    thread::sleep(Duration::from_secs(1));
    let out = child.wait_with_output().unwrap();
    assert_eq!((out.status.code(), out.stdout.len()), (Some(0), LENGTH), "{:?}", out.stderr);
    nothing_stays(&run.mark);
}

/// A pipe may hold more than the usual 64 KiB. Here it holds all that the rank writes, because nobody reads meanwhile.
#[test]
fn all_that_a_failed_rank_has_written_is_shown() {
    const LENGTH: usize = 600_000;
    let dir = tempfile::tempdir().unwrap();
    let go = dir.path().join("go");
    let script = format!("until test -e {}; do sleep 0.01; done; yes | head -c {LENGTH}; exit 3", go.display());
    let job = shell(&["-n", "1"], &script).start();
    let rank = job.wait_for("sh", 1)[0];
    let pipe = fs::File::options().write(true).open(format!("/proc/{rank}/fd/1")).unwrap();
    // SAFETY: sets the size of an open pipe.
    let size = unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, 1 << 20) };
    assert!(size as usize > LENGTH, "{}", std::io::Error::last_os_error());
    drop(pipe);
    let server = job.node_server();
    signal(server, libc::SIGSTOP);
    fs::write(&go, "").unwrap();
    wait_until("the rank does not end", || stat(rank)[0] == "Z");
    signal(server, libc::SIGCONT);
    let e = job.end();
    assert_eq!((e.code, e.out.len()), (Some(3), LENGTH));
}

#[test]
fn children_that_were_there_before_are_spared() {
    // Without the mark of this test's processes, otherwise it would count as left over.
    let before = format!("env -u {MARK} sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; exec \"$@\"");
    let mut run = oshrun(&[]);
    let program = run.command.get_program().to_owned();
    let mut command = Command::new("sh");
    command.args(["-c", &before, "sh"]).arg(program).args(["-n", "2", "sh", "-c", "setsid sleep 1000 & exit 0"]);
    command.env(MARK, &run.mark);
    run.command = command;
    let e = run.end();
    let pid: i32 = e.out.trim().parse().unwrap();
    assert!(stat(pid).first().is_some_and(|state| state != "Z"), "{:?}", stat(pid));
    signal(pid, libc::SIGKILL);
    assert_eq!((e.code, e.err.as_str()), (Some(0), ""));
}

#[test]
fn ranks_that_do_not_care_are_killed_after_the_grace_time() {
    let job = shell(&["-n", "2", "-grace", "0.3"], "trap '' TERM; while :; do sleep 1; done").start();
    job.wait_for("sleep", 2);
    job.signal(libc::SIGTERM);
    assert_eq!(job.end().code, Some(128 + libc::SIGTERM));
}

#[test]
fn ranks_that_did_end_are_not_blamed_for_a_slow_reader() {
    let script = "trap 'head -c 300000 /dev/zero; exit 0' TERM; while :; do sleep 0.05; done";
    let mut run = shell(&["-n", "2", "-grace", "0.5"], script);
    let child = run.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("no ranks", || processes(&run.mark).iter().filter(|p| p.name == "sleep").count() == 2);
    signal(child.id() as i32, libc::SIGTERM);
    // The ranks end at once, because oshrun has room for their output. It is read after the grace time.
    thread::sleep(Duration::from_secs(1));
    let out = child.wait_with_output().unwrap();
    assert_eq!((out.status.code(), out.stdout.len()), (Some(0), 2 * 300_000), "{:?}", out.stderr);
}

#[test]
fn the_second_interrupt_does_not_wait() {
    let job = shell(&["-n", "2", "-grace", "1000"], "trap '' INT; while :; do sleep 1; done").start();
    job.wait_for("sleep", 2);
    job.signal(libc::SIGINT);
    thread::sleep(Duration::from_millis(100));
    job.signal(libc::SIGINT);
    assert_eq!(job.end().code, Some(128 + libc::SIGINT));
}

#[test]
fn signals_that_were_ignored_at_the_start_stay_so() {
    // The signal ends the job at once.
    let ignored = &[libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
    for options in [&["-n", "1"][..], &["-n", "2", "--fake-nodes", "2"]] {
        let script = "trap 'echo usr1; exit 0' USR1; while :; do sleep 0.05; done";
        let job = shell(&[options, &["-grace", "0.001"]].concat(), script).ignoring(ignored).start();
        // The traps are set when the shells sleep.
        job.wait_for("sleep", options[1].parse().unwrap());
        for pid in job.wait_for("oshrun", 2) {
            ignored.iter().for_each(|&s| signal(pid, s));
        }
        job.signal(libc::SIGUSR1);
        let e = job.end();
        assert_eq!(e.code, Some(0), "{}", e.err);
        assert!(e.out.lines().all(|l| l == "usr1"), "{}", e.out);
    }
}

#[test]
fn ends_are_seen_where_sigchld_was_ignored() {
    let script = r"sed -n 's/^SigIgn:\s*//p' /proc/self/status";
    for options in [&["-n", "1"][..], &["-n", "2", "--fake-nodes", "2"]] {
        let e = shell(options, script).ignoring(&[libc::SIGCHLD]).end();
        assert_eq!(e.code, Some(0));
        let ignored = |line: &str| u64::from_str_radix(line, 16).unwrap() & (1 << (libc::SIGCHLD - 1));
        assert!(e.out.lines().count() > 0 && e.out.lines().all(|l| ignored(l) == 0), "{}", e.out);
    }
}

#[test]
fn a_stopped_job_goes_on() {
    // A process that waits for a write into the pipe. A shell is not suitable: it cannot be stopped while it starts a
    // command.
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let job = oshrun(&["-n", "1", "cat", pipe.to_str().unwrap()]).start();
    let rank = job.wait_for("cat", 1)[0];
    let until = |pid: i32, stopped: bool| {
        wait_until("the process does not change its state", || (stat(pid)[0] == "T") == stopped);
    };
    job.signal(libc::SIGTSTP);
    until(rank, true);
    until(job.pid(), true);
    job.signal(libc::SIGCONT);
    until(rank, false);
    fs::write(&pipe, "went\n").unwrap();
    let e = job.end();
    assert_eq!((e.code, e.out.as_str()), (Some(0), "went\n"));
}

#[test]
fn the_time_limit() {
    for run in [
        oshrun(&["-n", "2", "-timeout", "0.3", "sleep", "1000"]),
        oshrun(&["-n", "2", "sleep", "1000"]).env("MPIEXEC_TIMEOUT", "0.3"),
    ] {
        run.fails(124, &["time limit", "0.3 s"]);
    }
}

#[test]
fn a_rank_that_a_debugger_holds_ends_with_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let held = dir.path().join("held");
    let script =
        format!("test $PMI_RANK = 0 || exec sleep 1000; until test -e {}; do sleep 0.05; done; exit 3", held.display());
    let job = shell(&["-n", "2"], &script).start();
    // Rank 0 sleeps, too.
    let is_rank = |pid: &i32| fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|c| c == b"sleep\x001000\0");
    let mut rank = 0;
    wait_until("rank 1 does not sleep", || {
        job.wait_for("sleep", 1).into_iter().find(is_rank).inspect(|pid| rank = *pid).is_some()
    });
    // A tracer is told of a process's end first, and this thread does not ask for it.
    // SAFETY: no memory of this process is changed.
    if unsafe { libc::ptrace(libc::PTRACE_SEIZE, rank, 0, 0) } != 0 {
        eprintln!("not tried: processes cannot be traced here ({})", std::io::Error::last_os_error());
    }
    fs::write(&held, "").unwrap();
    job.end().fails(3, &["rank 0", "exit code 3"]);
}
