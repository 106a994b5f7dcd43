//! Node servers that start each other.

use super::hosts::{launcher, servers_on};
use super::*;

/// Of `--stats`: the node servers that oshrun has started, and the bytes that it has sent to them.
fn of_front(e: &Ended) -> (usize, usize) {
    assert_eq!(e.code, Some(0), "{}", e.err);
    let line = e.err.lines().find(|l| l.starts_with("oshrun: connections to ")).unwrap_or_else(|| panic!("{}", e.err));
    let numbers: Vec<usize> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    (numbers[0], numbers[2])
}

/// What oshrun does for one node server, however many nodes there are: the plan, and the messages of a job's course.
const BYTES_PER_SERVER: usize = 400;

#[test]
fn oshrun_starts_few_servers_and_sends_little() {
    let run = |options: &[&str], nodes: usize| {
        let nodes = nodes.to_string();
        let job = ["--stats", "-genvnone", "--wdir", "/", "--fake-nodes", &nodes, "-n", &nodes];
        of_front(&oshrun(&[&job, options, &["true"]].concat()).end())
    };
    for (options, nodes, servers) in [
        (&[][..], 10, 9),
        (&[], 100, 9),
        (&[], 1000, 9),
        (&["--fanout", "2"], 100, 3),
        (&["--fanout", "1"], 10, 2),
        (&["--start", "front"], 100, 100),
    ] {
        let (started, sent) = run(options, nodes);
        assert_eq!(started, servers, "{nodes} nodes, {options:?}");
        assert!(sent <= servers * BYTES_PER_SERVER, "{nodes} nodes, {options:?}: {sent} bytes");
    }
}

/// Nine hosts: a starts none, b starts d and e, c starts f and g, d starts h and i.
const NINE: [&str; 8] = ["--iface", "lo", "--fanout", "2", "-hosts", "a,b,c,d,e,f,g,h,i", "-n", "9"];

#[test]
fn hosts_start_those_below_them() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let command = launcher(&dir, &format!("echo \"$PLAYED>$host\" >> {}", log.display()));
    let script = "echo $PMI_RANK $A; echo err $PMI_RANK >&2; test $PMI_RANK != 0 || cat";
    let e = shell(&[&["-launcher", &command, "-genv", "A", "1"], &NINE[..]].concat(), script).input("input\n").end();
    assert_eq!((e.code, e.out.lines().count(), e.err.lines().count()), (Some(0), 10, 9), "{}", e.err);
    let mut expected: Vec<String> = (0..9).map(|rank| format!("{rank} 1")).collect();
    expected.push("input".into());
    assert_eq!(e.sorted(), expected);
    let started = fs::read_to_string(&log).unwrap();
    let mut started: Vec<&str> = started.lines().collect();
    started.sort_unstable();
    assert_eq!(started, [">a", ">b", ">c", "b>d", "b>e", "c>f", "c>g", "d>h", "d>i"]);
    // oshrun can start all, as --dry-run says.
    fs::remove_file(&log).unwrap();
    let e = shell(&[&["-launcher", &command, "--start=front"], &NINE[..]].concat(), "exit 0").end();
    assert_eq!(e.code, Some(0), "{}", e.err);
    assert!(fs::read_to_string(&log).unwrap().lines().all(|l| l.starts_with('>')));
    let e = shell(&[&["-launcher", &command, "--dry-run"], &NINE[..]].concat(), "exit 0").end();
    assert_eq!(e.out.matches("started from node ").count(), 6, "{}", e.out);
    assert!(e.out.contains(&format!("node 8 (i): ranks 8, started from node 3 by: {command} i ")), "{}", e.out);
}

#[test]
fn what_happens_at_a_leaf_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "");
    let words = [&["-launcher", &command], &NINE[..]].concat();
    shell(&words, "test $PMI_RANK != 8 || exit 5; sleep 1000").fails(5, &["rank 8", "exit code 5", "host i"]);
    let job = shell(&words, "trap 'echo usr1; exit 0' USR1; while :; do sleep 0.05; done").start();
    job.wait_for("sleep", 9);
    job.signal(libc::SIGUSR1);
    let e = job.end();
    assert_eq!((e.code, e.out.as_str()), (Some(0), "usr1\n".repeat(9).as_str()), "{}", e.err);
    let job = oshrun(&[&words[..], &["sleep", "1000"]].concat()).start();
    job.wait_for("sleep", 9);
    job.signal(libc::SIGINT);
    let e = job.end();
    assert_eq!((e.code, e.err.as_str()), (Some(128 + libc::SIGINT), ""));
    let e = oshrun(&[&words[..], &["-timeout", "1", "sleep", "1000"]].concat()).end();
    assert_eq!(e.code, Some(124));
}

#[test]
fn a_host_that_reaches_no_other_is_one_line_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "test -z \"$PLAYED\" || { echo 'no way from here' >&2; exit 255; }");
    let words = [&["-launcher", &command], &NINE[..]].concat();
    oshrun(&[&words[..], &["sleep", "1000"]].concat())
        .fails(125, &["cannot start on host", "exit code 255", "no way from here", "was to start it; --start=front"]);
    let e = oshrun(&[&["--start=front"], &words[..], &["true"]].concat()).end();
    assert_eq!((e.code, e.err.as_str()), (Some(0), ""));
    // A launcher that other hosts do not have: it is gone when the first three have been started.
    let command = launcher(
        &dir,
        "touch \"$0.$host\"\n\
         test $host != c || { until test -e \"$0.a\" && test -e \"$0.b\"; do sleep 0.01; done; mv \"$0\" \"$0.x\"; }\n\
         while test -e \"$0\"; do sleep 0.01; done",
    );
    oshrun(&[&["-launcher", &command], &NINE[..], &["sleep", "1000"]].concat())
        .fails(125, &["cannot start", "launcher: no such file", "was to start it; --start=front"]);
}

#[test]
fn whatever_is_killed_in_a_tree_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "");
    let by_launcher = ["-launcher", &command, "--iface", "lo", "--fanout", "1", "-hosts", "a,b,c", "-n", "3"];
    let played = ["--fake-nodes", "5", "--fanout", "2", "-n", "5"];
    // oshrun, a relay and a server for each host. oshrun, a process that holds servers, five servers, one relay; all of
    // these ignore SIGTERM, which tells of the end of the process above.
    for (words, processes, ignored) in [(&by_launcher[..], 7, false), (&played, 8, true)] {
        for victim in 0..processes {
            let run = shell(words, "setsid sleep 1000 & sleep 1000");
            let job = run.ignoring(if ignored { &[libc::SIGTERM] } else { &[] }).start();
            job.wait_for("sleep", 2 * words.last().unwrap().parse::<usize>().unwrap());
            let mut all = job.wait_for("oshrun", processes);
            assert_eq!(all.len(), processes);
            all.sort_unstable();
            signal(all[victim], libc::SIGKILL);
            let e = job.end();
            assert!(e.code.is_none_or(|c| c == 125), "{words:?}, victim {victim}: {:?} {}", e.code, e.err);
            assert!(e.code.is_none() || e.err.lines().count() == 1, "{words:?}, victim {victim}: {}", e.err);
        }
    }
}

/// A host in the middle is lost, and nothing comes from above any more; the connection to the host below stays open.
/// That host ends its part.
#[test]
fn who_has_lost_the_host_above_does_not_stay() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "");
    let words =
        ["-launcher", &command, "--iface", "lo", "--fanout", "1", "-hosts", "a,b,c", "-n", "3", "sleep", "1000"];
    let job = oshrun(&words).start();
    job.wait_for("sleep", 3);
    // The server is the child of the relay.
    let middle = servers_on(&job, "b");
    let parent = |pid: i32| stat(pid)[1].parse::<i32>().unwrap();
    let (server, relay) = middle.iter().map(|&pid| (pid, parent(pid))).find(|(_, p)| middle.contains(p)).unwrap();
    // Were oshrun killed, the kernel would make its stopped children go on.
    [job.pid(), relay].into_iter().for_each(|pid| signal(pid, libc::SIGSTOP));
    signal(server, libc::SIGKILL);
    wait_until("the servers of host c stay", || servers_on(&job, "c").is_empty());
    [relay, job.pid()].into_iter().for_each(|pid| signal(pid, libc::SIGCONT));
    job.end().fails(125, &["host "]);
}

/// A lost leaf is given up by the host that has started it, and the others are not.
#[test]
fn a_lost_leaf_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "");
    let lost = dir.path().join("lost");
    let script = format!("until test -e {} && test $PMI_RANK = 2; do sleep 0.05; done; exit 3", lost.display());
    let failing = shell(&[&["-launcher", &command], &NINE[..]].concat(), &script).start();
    let words = [&["-launcher", &command, "-grace", "3"], &NINE[..]].concat();
    let asked = shell(&words, "trap 'exit 0' INT; while :; do sleep 0.05; done").start();
    failing.wait_for("sh", 9);
    asked.wait_for("sleep", 9);
    for job in [&failing, &asked] {
        servers_on(job, "i").into_iter().for_each(|pid| signal(pid, libc::SIGSTOP));
    }
    fs::write(&lost, "").unwrap();
    asked.signal(libc::SIGINT);
    failing.end().fails(3, &["rank 2", "exit code 3", "host c"]);
    asked.end().fails(125, &["the node server on host i does not answer"]);
}

/// Memory that a process has, in KiB.
pub fn memory(pid: i32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Output that nobody reads fills no memory on its way, stops the ranks, and is not lost.
#[test]
fn output_waits_in_the_ranks() {
    const EACH: usize = 20_000_000;
    let dir = tempfile::tempdir().unwrap();
    let command = launcher(&dir, "");
    let script = format!("yes 123456789 | head -c {EACH}");
    let mut run = shell(&[&["-launcher", &command], &NINE[..]].concat(), &script);
    let child = run.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let servers = || processes(&run.mark).into_iter().filter(|p| p.name == "oshrun").map(|p| memory(p.pid));
    // Until all is as full as it gets: the memory has not grown for a while.
    let (mut most, mut since) = (0, Instant::now());
    while since.elapsed() < Duration::from_secs(2) {
        let now = servers().sum();
        if now > most {
            (most, since) = (now, Instant::now());
        }
        thread::sleep(Duration::from_millis(50));
    }
    let largest = servers().max().unwrap();
    assert!(largest < 40 << 10, "a process has {largest} KiB");
    let out = child.wait_with_output().unwrap();
    assert_eq!((out.status.code(), out.stdout.len()), (Some(0), 9 * EACH), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(out.stdout.chunks(10).all(|line| line == b"123456789\n"), "lines stay whole");
    nothing_stays(&run.mark);
}
