//! Jobs in an allocation of a batch system. The tests set its variables and replace its launcher.

use super::hosts::launcher;
use super::*;

/// A directory with a command of this name, which is the launcher of `hosts::launcher`.
fn on_path(dir: &tempfile::TempDir, name: &str) -> String {
    let file = launcher(dir, &format!("echo {name} >> \"$0.called\""));
    fs::rename(file, dir.path().join(name)).unwrap();
    format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap())
}

/// Shows the host of a rank: it is in the environment of its parent, the node server.
const SHOW: &str = "echo $PMI_RANK/$PMI_SIZE on $(tr '\\0' '\\n' < /proc/$PPID/environ | sed -n s/^PLAYED=//p)";

#[test]
fn pbs_and_lsf_by_ssh() {
    let dir = tempfile::tempdir().unwrap();
    // The fake ssh drops its options.
    let path = on_path(&dir, "real");
    let script =
        "#!/bin/sh\nwhile :; do case $1 in -o) shift 2;; -*) shift;; *) break;; esac; done\nexec real \"$@\"\n";
    executable(&dir, "ssh", script);
    let nodes = dir.path().join("nodes");
    fs::write(&nodes, "nx1\nnx1\nnx2\n").unwrap();
    let nodes = nodes.to_str().unwrap();
    let (blocks, one_each) = (["0/3 on nx1", "1/3 on nx1", "2/3 on nx2"], ["0/2 on nx1", "1/2 on nx2"]);
    for (name, value, options, expected) in [
        ("PBS_NODEFILE", nodes, &[][..], &blocks[..]),
        ("LSB_HOSTS", "nx1 nx1 nx2", &[], &blocks),
        ("LSB_MCPU_HOSTS", "nx1 2 nx2 1", &[], &blocks),
        ("LSB_MCPU_HOSTS", "nx1 1 nx2 1", &[], &one_each),
        ("PBS_NODEFILE", nodes, &["-ppn", "1"], &one_each),
        ("PBS_NODEFILE", nodes, &["-n", "1"], &["0/1 on nx1"]),
        ("PBS_NODEFILE", nodes, &["-n", "4"], &["0/4 on nx1", "1/4 on nx1", "2/4 on nx2", "3/4 on nx1"]),
        ("PBS_NODEFILE", nodes, &["-hosts", "ny[1-2]"], &["0/2 on ny1", "1/2 on ny2"]),
        ("PBS_NODEFILE", nodes, &["-allocation", "none", "-n", "2"], &["0/2 on", "1/2 on"]),
    ] {
        let e = shell(options, SHOW).env("PATH", &path).env(name, value).end();
        let lines: Vec<&str> = e.sorted().into_iter().map(str::trim).collect();
        assert_eq!((e.code, &lines[..]), (Some(0), expected), "{name} {options:?}: {}", e.err);
    }
}

#[test]
fn lsf_by_blaunch_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = on_path(&dir, "blaunch");
    let e = shell(&[], SHOW).env("PATH", &path).env("LSB_HOSTS", "nx1 nx2").end();
    assert_eq!((e.code, &e.sorted()[..]), (Some(0), &["0/2 on nx1", "1/2 on nx2"][..]), "{}", e.err);
    assert_eq!(fs::read_to_string(dir.path().join("blaunch.called")).unwrap(), "blaunch\nblaunch\n");
}

/// The fake srun: starts a server on this machine for each host of a list without ranges. It runs `before` first.
fn srun(dir: &tempfile::TempDir, before: &str) -> String {
    let script = format!(
        "#!/bin/sh\n{before}\n\
         while :; do case $1 in --nodelist=*) hosts=${{1#*=}}; shift;; -*) shift;; *) break;; esac; done\n\
         cat > \"$0.in\"\nexport SLURM_LAUNCH_NODE_IPADDR=127.0.0.1\n\
         for host in $(echo $hosts | tr , ' '); do\n\
         SLURMD_NODENAME=$host PLAYED=$host \"$@\" < \"$0.in\" &\ndone\nwait\n"
    );
    executable(dir, "srun", &script)
}

/// In an allocation of Slurm with hosts xa, xb, xc and two tasks each.
fn in_slurm(run: Run) -> Run {
    run.env("SLURM_JOB_NODELIST", "xa,xb,xc").env("SLURM_TASKS_PER_NODE", "2(x3)").env("SLURM_NTASKS", "6")
}

#[test]
fn servers_of_one_step_call_back() {
    let dir = tempfile::tempdir().unwrap();
    let srun = srun(&dir, "test -z \"$SLURM_NTASKS$SLURM_TASKS_PER_NODE\" || exit 9");
    let e = in_slurm(shell(&["-launcher-exec", &srun], SHOW)).end();
    let expected = ["0/6 on xa", "1/6 on xa", "2/6 on xb", "3/6 on xb", "4/6 on xc", "5/6 on xc"];
    assert_eq!((e.code, &e.sorted()[..], e.err.as_str()), (Some(0), &expected[..], ""));
    let e = in_slurm(shell(&["-launcher-exec", &srun, "-n", "3"], "test $PMI_RANK != 0 || cat")).input("hi\n").end();
    assert_eq!((e.code, e.out.as_str(), e.err.as_str()), (Some(0), "hi\n", ""));
    in_slurm(shell(&["-launcher-exec", &srun], "test $PMI_RANK != 4 || exit 5; sleep 1000"))
        .fails(5, &["rank 4", "exit code 5", "host xc"]);
}

#[test]
fn a_step_that_does_not_come_up_is_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let sleep = ["sleep", "1000"];
    for (before, options, says) in [
        (
            "echo 'srun: error: no such node' >&2; exit 1",
            &[][..],
            &["cannot start on host xa", "exit code 1", "no such node"][..],
        ),
        ("exec sleep 1000", &["-launch-timeout", "0.5"], &["host xa gave no answer within 0.5 s"]),
        // Only two of three servers connect.
        (
            "set -- --nodelist=xa,xb --x \"${11}\" \"${12}\" \"${13}\"",
            &["-launch-timeout", "3"],
            &["host xc gave no answer within 3 s"],
        ),
        ("export SLURMD_NODENAME=; set -- --x env -u SLURMD_NODENAME false", &[], &["cannot start on host xa"]),
        ("set -- --nodelist=other --x \"${11}\" \"${12}\" \"${13}\"", &[], &["host other", "none of those asked for"]),
    ] {
        let srun = srun(&dir, before);
        in_slurm(oshrun(&[&["-launcher-exec", &srun], options, &sleep].concat())).fails(125, says);
    }
}

#[test]
fn killed_processes_of_a_step_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let srun = srun(&dir, "");
    // oshrun, and for each host the started process and the server that it has forked.
    for victim in 0..7 {
        let job = in_slurm(shell(&["-launcher-exec", &srun], "setsid sleep 1000 & sleep 1000")).start();
        job.wait_for("sleep", 12);
        let mut all = job.wait_for("oshrun", 7);
        all.sort_unstable();
        signal(all[victim], libc::SIGKILL);
        let e = job.end();
        assert!(e.code.is_none_or(|c| c == 125), "victim {victim}: {:?} {}", e.code, e.err);
        assert!(e.err.lines().count() <= 1, "victim {victim}: {}", e.err);
    }
}

/// This host is the whole allocation, so no launcher is run.
#[test]
fn an_allocation_of_one_node_needs_no_srun() {
    let own = [("SLURM_JOB_NODELIST", "n7"), ("SLURM_TASKS_PER_NODE", "3"), ("SLURMD_NODENAME", "n7")];
    let mut run = shell(&[], "echo $PMI_RANK/$PMI_SIZE ${SLURMD_NODENAME-no} ${SLURM_JOB_NODELIST-no}");
    for (name, value) in own {
        run = run.env(name, value);
    }
    let e = run.env("PATH", "/usr/bin:/bin").end();
    assert_eq!((e.code, &e.sorted()[..]), (Some(0), &["0/3 no n7", "1/3 no n7", "2/3 no n7"][..]), "{}", e.err);
}

/// Ten thousand hosts are a few bytes on srun's command line, and in the first line of a dry run.
#[test]
fn many_hosts_are_shown_in_short() {
    let e = oshrun(&["-dry-run", "x"])
        .env("SLURM_JOB_NODELIST", "n[00001-10000]")
        .env("SLURM_TASKS_PER_NODE", "2(x10000)")
        .end();
    let lines: Vec<&str> = e.out.lines().collect();
    assert_eq!(lines[0], "20000 ranks on 10000 nodes: n[00001-10000]");
    assert!(lines[1].contains(" '--nodelist=n[00001-10000]' ") && lines[1].len() < 1000, "{}", lines[1]);
    assert_eq!((lines.len(), lines[30_001 - 2]), (30_002, "node 9999 (n10000): ranks 19998-19999, started by srun"));
}
