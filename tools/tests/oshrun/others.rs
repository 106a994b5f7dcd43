//! Lines that were written for other launchers, debuggers, and hosts that are reached at the second try.

use super::*;

#[test]
fn output_goes_to_a_file_for_each_rank() {
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    let script = "echo $PMI_RANK; echo err >&2";
    let name = |rest: &str| format!("{}/{rest}", dir.path().display());
    for nodes in [&["-n", "2"][..], &["-n", "2", "--fake-nodes", "2"]] {
        let e = shell(&[nodes, &["--output-filename", &name("made/d")]].concat(), script).end();
        assert_eq!((e.code, e.sorted()), (Some(0), vec!["0", "1"]), "as under Open MPI, on the terminal too");
        assert_eq!((read("made/d/1/rank.1/stdout"), read("made/d/1/rank.0/stderr")), ("1\n".into(), "err\n".into()));
        let options = ["-outfile-pattern", &name("o.%r"), "-prepend-pattern", "<%r> "];
        let e = shell(&[nodes, &options].concat(), script).end();
        assert_eq!((e.out.as_str(), read("o.0"), read("o.1")), ("", "<0> 0\n".into(), "<1> 1\n".into()));
    }
    // What was there before is gone, and what cannot be written is named.
    let e = shell(&["-n", "1", "--output", &name("o.%t"), "--merge-stderr-to-stdout"], script).end();
    assert_eq!((e.code, e.err.as_str(), read("o.0")), (Some(0), "", "0\nerr\n".into()));
    for (file, says) in [("/dev/full", "no space left"), ("/dev/null/x/y", "not a directory")] {
        shell(&["-n", "2", "-outfile-pattern", file], "echo; sleep 1000")
            .fails(125, &[&format!("cannot write {file}"), says]);
    }
}

#[test]
fn standard_input_goes_to_all_ranks_or_to_one() {
    let text: String = (0..50_000).map(|i| format!("{i}\n")).collect();
    let script = "wc -l | sed \"s/^ */$PMI_RANK: /\"";
    for nodes in [&["-n", "4"][..], &["-n", "4", "--fake-nodes", "4", "--fanout", "2"]] {
        let run = |who| shell(&[nodes, &["--stdin", who]].concat(), script).input(text.clone()).end();
        assert_eq!(run("all").sorted(), ["0: 50000", "1: 50000", "2: 50000", "3: 50000"]);
        assert_eq!(shell(nodes, script).input(text.clone()).end().sorted(), ["0: 50000", "1: 0", "2: 0", "3: 0"]);
        assert_eq!(run("3").sorted(), ["0: 0", "1: 0", "2: 0", "3: 50000"]);
        assert_eq!(run("none").sorted(), ["0: 0", "1: 0", "2: 0", "3: 0"]);
    }
    // One that does not read does not hold up the others.
    let e = shell(&["-n", "2", "-s", "all"], "test $PMI_RANK = 0 || exec wc -l").input(text).end();
    assert_eq!(e.out.trim(), "50000");
}

#[test]
fn lines_of_other_launchers_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("programs");
    fs::write(&file, "-n 1 -x A=1 sh -c 'echo one $A'\n-n 1 -envnone /bin/sh -c 'echo two $A $HOME'\n").unwrap();
    let e = oshrun(&["-configfile", file.to_str().unwrap()]).end();
    assert_eq!((e.code, e.sorted()), (Some(0), vec!["one 1", "two"]), "{}", e.err);
    for (words, out) in [
        (&["-np", "1", "--mca", "btl", "self", "-bynode", "--oversubscribe"][..], "self none"),
        (&["--ntasks=1", "--mpi=pmi2", "--export=ALL,B=2", "--kill-on-bad-exit"], "none 2"),
        (
            &["-n", "1", "-gmca", "btl", "tcp", "--map-by", "ppr:1:node", "--bind-to", "core:overload-allowed"],
            "tcp none",
        ),
        (&["-n", "1", "-rmk", "user", "-genv", "B", "3", "-demux", "poll", "-verbose"], "none 3"),
    ] {
        let e = shell(words, "echo ${OMPI_MCA_btl-none} ${B-none}").end();
        assert_eq!((e.code, e.out.trim()), (Some(0), out), "{words:?} {}", e.err);
    }
    oshrun(&["-n", "2", "--xterm", "1", "true"]).fails(2, &["oshrun has no --xterm: say --gdb"]);
    let e =
        shell(&["-n", "2", "--timestamp-output", "-l", "-print-all-exitcodes", "--report-bindings"], "echo hi").end();
    assert!(
        e.out.lines().all(|l| l.ends_with("] hi") && l.len() == "2026-11-28 20:17:33.123 [0] hi".len()),
        "{}",
        e.out
    );
    assert_eq!(e.err, "oshrun: rank 0 is not bound\noshrun: rank 1 is not bound\noshrun: exit code 0: rank 0-1\n");
}

#[test]
fn a_host_that_the_network_does_not_reach_for_a_while_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tried");
    let fails =
        format!("test -e {0} || {{ touch {0}; echo 'ssh: Connection refused' >&2; exit 255; }}", file.display());
    let command = hosts::launcher(&dir, &fails);
    let e = oshrun(&["-launcher", &command, "-hosts", "a", "-n", "2", "cat"]).input("in\n").end();
    assert_eq!((e.code, e.out.as_str()), (Some(0), "in\n"), "{}", e.err);
    e.says(&["cannot start on host a", "Connection refused", "trying again"]);
    let command = hosts::launcher(&dir, "echo 'ssh: No route to host' >&2; exit 255");
    let e = oshrun(&["-launcher", &command, "-launch-timeout", "0.5", "-hosts", "a", "-n", "1", "true"]).end();
    assert_eq!(e.code, Some(125));
    assert!(e.err.trim_end().ends_with("No route to host (tried again for 0.5 s)"), "{}", e.err);
}

/// Ranks stop at their first instruction, and go on when they are let.
#[test]
fn ranks_stop_for_a_debugger() {
    let job = oshrun(&["-n", "3", "--gdb=0,2", "sleep", "0.01"]).env("TMUX", "").start();
    let mut pids = Vec::new();
    wait_until("the ranks do not stop", || {
        pids = processes(&job.mark).into_iter().filter(|p| p.name == "sleep").map(|p| p.pid).collect();
        pids.len() == 2 && pids.iter().all(|&pid| stat(pid).first().is_some_and(|state| state == "T"))
    });
    pids.into_iter().for_each(|pid| signal(pid, libc::SIGCONT));
    let e = job.end();
    assert_eq!(e.code, Some(0), "{}", e.err);
    let lines: Vec<&str> = e.err.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with("oshrun: rank 0 has stopped at its start; debug it by: gdb -q -p ")
    );
    let e = oshrun(&["-n", "2", "--gdb=2", "true"]).end();
    e.says(&["--gdb=2", "2 ranks from 0"]);
}

/// A debugger of parallel programs, played by gdb: it sets a variable before main, finds the processes in the table at
/// the breakpoint, where they have stopped, and lets the job go on. Without gdb this is not tested.
#[test]
fn a_debugger_finds_the_processes() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("mpir");
    let table = "set language c\nset confirm off\nset debuginfod enabled off\nstarti\n\
        set {int}&MPIR_being_debugged = 1\n\
        break MPIR_Breakpoint\ncontinue\nset $t = *(char**)&MPIR_proctable\nset $i = 0\n\
        while $i < {int}&MPIR_proctable_size\nset $e = $t + 24 * $i\n\
        eval \"shell echo %s %s $(sed -n 's/^State:.//p' /proc/%d/status)\", *(char**)$e, *(char**)($e + 8), \
        {int}($e + 16)\nset $i = $i + 1\nend\ncontinue\n";
    fs::write(&script, table).unwrap();
    let run = oshrun(&["-n", "4", "/bin/echo", "hi"]);
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-batch", "-x"])
        .arg(&script)
        .arg("--args")
        .arg(run.command.get_program())
        .args(run.command.get_args());
    let Ok(output) = gdb.env(MARK, &run.mark).stdin(Stdio::null()).output() else { return };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let of = |end: &str| text.lines().filter(|l| l.ends_with(end)).count();
    assert_eq!((of(" /bin/echo T (stopped)"), of("hi")), (4, 4), "{text} {}", String::from_utf8_lossy(&output.stderr));
    nothing_stays(&run.mark);
}

/// Each rank stops, and a window shows a gdb that lets it go on. Without tmux and gdb this is not tested.
#[test]
fn each_rank_has_its_gdb_in_a_window_of_tmux() {
    let there =
        |program: &str, version: &str| Command::new(program).arg(version).stdout(Stdio::null()).status().is_ok();
    if !there("tmux", "-V") || !there("gdb", "-v") {
        return eprintln!("not tested: there is no tmux, or no gdb");
    }
    let dir = tempfile::tempdir().unwrap();
    let ended = dir.path().join("ended");
    let run = oshrun(&[]);
    let tmux = |words: &[&str]| {
        let mut c = Command::new("tmux");
        c.arg("-S").arg(dir.path().join("socket")).args(["-f", "/dev/null"]).args(words);
        let out = c.env(MARK, &run.mark).env_remove("TMUX").output().unwrap();
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    let server = Killed(dir.path().join("socket"));
    let line = format!("{} -n 2 --gdb sleep 0.01; echo $? >{}", env!("CARGO_BIN_EXE_oshrun"), ended.display());
    tmux(&["new-session", "-d", &line]);
    for window in [":rank 0", ":rank 1"] {
        wait_until("no prompt of gdb", || tmux(&["capture-pane", "-p", "-t", window]).contains("(gdb)"));
        tmux(&["send-keys", "-t", window, "continue", "Enter"]);
    }
    wait_until("no end of oshrun", || fs::read_to_string(&ended).is_ok_and(|code| code == "0\n"));
    drop(server);
    nothing_stays(&run.mark);
}

/// A server of tmux, which ends with this.
struct Killed(std::path::PathBuf);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = Command::new("tmux").arg("-S").arg(&self.0).arg("kill-server").status();
    }
}
