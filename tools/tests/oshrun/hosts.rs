//! Several nodes: played by this machine, or reached by a fake launcher that runs everything here.

use super::*;

/// A launcher: `launcher HOST WORDS...` runs the words here, in an environment of their own.
pub fn launcher(dir: &tempfile::TempDir, before: &str) -> String {
    executable(dir, "launcher", &format!("#!/bin/sh\nhost=$1; shift\n{before}\nPLAYED=$host exec \"$@\"\n"))
}

#[test]
fn one_machine_plays_several_nodes() {
    let script = "echo $PMI_RANK/$PMI_SIZE local $MPI_LOCALRANKID/$MPI_LOCALNRANKS";
    let e = shell(&["-n", "5", "--fake-nodes", "2"], script).end();
    assert_eq!(e.sorted(), ["0/5 local 0/3", "1/5 local 1/3", "2/5 local 2/3", "3/5 local 0/2", "4/5 local 1/2"]);
    shell(&["-n", "4", "--fake-nodes", "2"], "test $PMI_RANK != 3 || exit 9; sleep 1000").fails(9, &["rank 3"]);
}

#[test]
fn other_hosts_by_a_launcher() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "echo Welcome to $host; echo a banner >&2");
    let options = ["-launcher", &command, "-hosts", "a:2,b", "-n", "3", "-genv", "SEEN", "1"];
    let e = shell(&options, "echo $PMI_RANK $PLAYED $SEEN; test $PMI_RANK != 0 || cat").input("from input\n").end();
    assert_eq!(e.sorted(), ["0 1", "1 1", "2 1", "from input"]);
    assert_eq!(e.code, Some(0));
}

#[test]
fn an_input_that_cannot_be_read_is_at_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "");
    for (unreadable, words) in [(fs::File::open("/"), "a directory"), (fs::File::create("/dev/null"), "nohup's")] {
        let mut run = oshrun(&["-launcher", &command, "-hosts", "a,b", "-n", "2", "sh", "-c", "cat; echo over"]);
        let out = run.command.stdin(Stdio::from(unreadable.unwrap())).output().unwrap();
        assert_eq!((out.status.code(), &*String::from_utf8_lossy(&out.stdout)), (Some(0), "over\nover\n"), "{words}");
        nothing_stays(&run.mark);
    }
}

#[test]
fn much_input_and_output_over_the_link() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "");
    let text: String = (0..400_000).map(|i| format!("{i}\n")).collect();
    let e = oshrun(&["-launcher", &command, "-hosts", "a,b", "-n", "2", "cat"]).input(text.clone()).end();
    assert!(e.out == text, "{} bytes instead of {}", e.out.len(), text.len());
}

/// As oshrun was started, so are its ranks, also behind a launcher that runs here. A shell would unblock the signals.
#[test]
fn ranks_behind_a_launcher_inherit_no_mask_and_no_limits_of_oshrun() {
    let dir = tempfile::tempdir().unwrap();
    let command = executable(&dir, "launcher", "#!/usr/bin/perl\nshift; exec(@ARGV);\n");
    let words = ["-launcher", &command, "-hosts", "a,b", "-n", "2", "grep"];
    let e = oshrun(&[&words[..], &["SigBlk", "/proc/self/status"]].concat()).end();
    assert_eq!((e.code, e.out.as_str()), (Some(0), "SigBlk:\t0000000000000000\n".repeat(2).as_str()), "{}", e.err);
    let e = oshrun(&[&words[..], &["open files", "/proc/self/limits"]].concat()).descriptors(300, 400).end();
    let limits: Vec<Vec<&str>> = e.out.lines().map(|l| l.split_whitespace().collect()).collect();
    assert!(limits.len() == 2 && limits.iter().all(|l| l[3..5] == ["300", "400"]), "{:?} {}", limits, e.err);
}

/// Memory is bounded, and the line says what came.
#[test]
fn a_launcher_that_only_makes_noise_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "exec cat /dev/zero");
    oshrun(&["-launcher", &command, "-hosts", "a", "-n", "1", "true"])
        .fails(125, &["host a", "before the node server's greeting"]);
    // On standard error it may say as much as it likes.
    let command =
        launcher(&dir, "head -c 30000000 /dev/zero | tr '\\0' 'x' >&2; echo; echo 'the last words' >&2; exit 3");
    oshrun(&["-launcher", &command, "-hosts", "a", "-n", "1", "true"])
        .fails(125, &["cannot start on host a", "exit code 3", "the last words"]);
    // A message longer than any of a node server.
    let command = launcher(&dir, "printf '\\n#oshrun node server 1#\\n\\377\\377\\377\\077'; exec cat /dev/zero");
    oshrun(&["-launcher", &command, "-hosts", "a", "-n", "1", "true"])
        .fails(125, &["host a", "a message of 1073741823 bytes; the limit is 4194304"]);
}

#[test]
fn a_node_server_that_was_started_with_sigchld_ignored() {
    let dir = tempfile::tempdir().unwrap();
    // Not every shell can ignore this signal; env can for the program that it starts.
    let file = launcher(&dir, "set -- env --ignore-signal=CHLD \"$@\"");
    let e = oshrun(&["-launcher", &file, "-hosts", "a,b", "-n", "2", "echo", "hi"]).end();
    assert_eq!((e.code, e.out.as_str(), e.err.as_str()), (Some(0), "hi\nhi\n", ""));
}

#[test]
fn a_node_server_that_cannot_start_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "");
    let net = ["--iface", "no-such-net", "-n", "2"];
    oshrun(&[&net[..], &["--fake-nodes", "2", "sleep", "1000"]].concat()).fails(125, &["no-such-net"]);
    oshrun(&[&net[..], &["-launcher", &command, "-hosts", "a,b", "sleep", "1000"]].concat())
        .fails(125, &["no-such-net", "host a"]);
}

#[test]
fn wherever_descriptors_run_out_it_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "");
    for nodes in
        [&["-n", "6"][..], &["-n", "6", "--fake-nodes", "2"], &["-n", "6", "-launcher", &command, "-hosts", "a"]]
    {
        let mut least = 10;
        loop {
            let e = oshrun(&[nodes, &["true"]].concat()).descriptors(least, least).end();
            if e.code == Some(0) {
                break;
            }
            e.fails(125, &["oo many open files", "ulimit -n"]);
            least += 2;
        }
        assert!(least > 20, "{least}");
    }
}

#[test]
fn a_host_that_cannot_be_reached_is_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "test $host != b || { echo 'no route to b' >&2; exit 255; }");
    oshrun(&["-launcher", &command, "-hosts", "a,b", "-n", "2", "sleep", "1000"])
        .fails(125, &["cannot start on host b", "exit code 255", "no route to b"]);

    let command = launcher(&dir, "test $host != b || exec sleep 1000");
    oshrun(&["-launcher", &command, "-launch-timeout", "0.5", "-hosts", "a,b", "-n", "2", "sleep", "1000"])
        .fails(125, &["host b gave no answer within 0.5 s"]);

    oshrun(&["-launcher", "/no/such/launcher", "-hosts", "a,b", "-n", "2", "true"])
        .fails(125, &["/no/such/launcher", "-launcher"]);
}

/// The processes of the node server on a played host: the launched one and the server that it has forked.
pub fn servers_on(job: &Running, host: &str) -> Vec<i32> {
    let entry = format!("PLAYED={host}");
    let is_there = |pid: &i32| {
        let env = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        env.split(|&b| b == 0).any(|e| e == entry.as_bytes())
    };
    processes(&job.mark).into_iter().filter(|p| p.name == "oshrun").map(|p| p.pid).filter(is_there).collect()
}

/// Host b is lost, and its launcher does not notice, as if the host had lost power.
fn lose_b(job: &Running) {
    let lost = servers_on(job, "b");
    assert_eq!(lost.len(), 2);
    lost.into_iter().for_each(|pid| signal(pid, libc::SIGSTOP));
}

/// Runs all cases at the same time, because each takes as long as oshrun's time limit for hosts.
#[test]
fn a_lost_host_is_not_waited_for() {
    let dirs = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let command = launcher(&dirs[0], "");
    let lost = dirs[0].path().join("lost");
    let script = format!("until test -e {} && test $PMI_RANK = 0; do sleep 0.05; done; exit 3", lost.display());
    let failing = shell(&["-launcher", &command, "-hosts", "a,b", "-n", "2"], &script).start();
    failing.wait_for("sh", 2);
    let alone = ["-launcher", &command, "-hosts", "b", "-n", "1", "-grace", "0.1"];
    let asked = oshrun(&[&alone[..], &["sleep", "1000"]].concat()).start();
    let limited = oshrun(&[&alone[..], &["-timeout", "5", "sleep", "1000"]].concat()).start();
    for job in [&asked, &limited] {
        job.wait_for("sleep", 1);
    }
    for job in [&failing, &asked, &limited] {
        lose_b(job);
    }
    fs::write(&lost, "").unwrap();
    asked.signal(libc::SIGINT);
    // The host is lost when the job is over: the connection stays open after the server has gone.
    let command = launcher(&dirs[1], "PLAYED=$host \"$@\"; exec sleep 1000");
    // A time limit that passes meanwhile has no effect.
    let over = ["-launcher", &command, "-hosts", "a,b", "-n", "2", "-timeout", "5"];
    let over = oshrun(&[&over[..], &["echo", "hi"]].concat()).start();

    failing.end().fails(3, &["rank 0", "exit code 3", "host a"]);
    asked.end().fails(125, &["the node server on host b does not answer"]);
    limited.end().fails(124, &["time limit"]);
    let e = over.end();
    assert_eq!((e.code, e.out.as_str(), e.err.as_str()), (Some(0), "hi\nhi\n", ""));
}
