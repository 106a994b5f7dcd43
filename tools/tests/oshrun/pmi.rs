//! Programs over PMI: a small client written in shell, and programs of MPICH.

use super::*;

/// `ask WORDS...` sends a line to the process manager and sets `reply` to its answer.
const CLIENT: &str = r#"
ask() { printf '%s\n' "$*" >&"$PMI_FD"; IFS= read -r reply <&"$PMI_FD"; }
ask cmd=init pmi_version=1 pmi_subversion=1
ask cmd=get_my_kvsname
kvs=${reply##*=}
"#;

fn client(options: &[&str], script: &str) -> Run {
    oshrun(&[options, &["bash", "-c", &format!("{CLIENT}{script}")]].concat())
}

#[test]
fn ranks_are_told_of_nodes_and_programs() {
    let script = "ask cmd=get kvsname=$kvs key=PMI_process_mapping; echo ${reply##*value=}; \
                  ask cmd=get_appnum; echo $reply; \
                  ask cmd=finalize";
    let part = ["bash", "-c", &format!("{CLIENT}{script}")];
    let words = [&["-ppn", "2", "--fake-nodes", "2", "-n", "3"], &part[..], &[":", "-n", "1"], &part].concat();
    let e = oshrun(&words).end();
    let map = "(vector,(0,2,2))";
    let (app0, app1) = ("cmd=appnum appnum=0", "cmd=appnum appnum=1");
    assert_eq!(e.sorted(), [map, map, map, map, app0, app0, app0, app1]);
}

#[test]
fn an_abort_brings_its_code() {
    client(&["-n", "3"], "test $PMI_RANK != 1 || ask cmd=abort exitcode=7; sleep 1000").fails(7, &["rank 1", "code 7"]);
    // A number that is no exit code must not look like success; 0 is an exit code.
    let e = client(&["-n", "3"], "test $PMI_RANK != 1 || ask cmd=abort exitcode=256; sleep 1000").end();
    assert_eq!(e.code, Some(1));
    let e =
        client(&["-n", "3", "--fake-nodes", "2"], "test $PMI_RANK != 1 || ask cmd=abort exitcode=0; sleep 1000").end();
    assert_eq!((e.code, e.err.as_str()), (Some(0), ""));
}

#[test]
fn who_leaves_without_a_word_ends_the_job() {
    client(&["-n", "3"], "test $PMI_RANK != 1 || exit 0; ask cmd=barrier_in")
        .fails(1, &["rank 1", "without finalizing"]);
    client(&["-n", "2"], "test $PMI_RANK != 1 || eval \"exec $PMI_FD>&-\"; sleep 1000")
        .fails(1, &["rank 1", "closed its connection"]);
    // The other connection does not count until it is used.
    let e = client(&["-n", "2"], "eval \"exec $OSHRUN_FD>&-\"; ask cmd=finalize; sleep 1.2").end();
    assert_eq!((e.code, e.err.as_str()), (Some(0), ""));
}

#[test]
fn who_ends_outside_a_job_that_others_are_in_is_named() {
    let outside = |options: &[&str], others: &str| {
        let script = format!("test $PMI_RANK != 1 || exit 0\n{CLIENT}{others}");
        oshrun(&[options, &["bash", "-c", &script]].concat()).end()
    };
    for options in [&["-n", "3"][..], &["-n", "3", "--fake-nodes", "3"]] {
        let e = outside(options, "ask cmd=barrier_in; sleep 1000");
        e.fails(1, &["rank 1", "ended before it joined the job"]);
        // Who needs nobody else is done before anybody complains.
        let e = outside(options, "ask cmd=finalize");
        assert_eq!((e.code, e.err.as_str()), (Some(0), ""), "{options:?}");
    }
}

/// A rank that answers SIGQUIT as a PE does: `frame` is its answer.
const ASKED: &str = r#"
frame='cmd=oshrun-table;head=asked;rows='$PMI_RANK$'\twaits for '$(((PMI_RANK + 1) % PMI_SIZE))$'\n;'
trap 'printf "%-6d%s" ${#frame} "$frame" >&"$PMI_FD"' QUIT
"#;

#[test]
fn tables_of_all_nodes_become_one() {
    let rows = "  PE 0  waits for 1\n  PE 1  waits for 2\n  PE 2  waits for 0\n";
    for nodes in ["1", "3"] {
        let script = format!("{CLIENT}{ASKED}while :; do sleep 0.1; done");
        let e = oshrun(&["-n", "3", "--fake-nodes", nodes, "--timeout", "2", "bash", "-c", &script]).end();
        assert_eq!(e.code, Some(124));
        let table = format!("oshmpi: the job was ended at its time limit of 2 s\n{rows}");
        assert_eq!(e.err, format!("{table}oshrun: the job was ended at its time limit of 2 s\n"), "{nodes} nodes");
    }
}

#[test]
fn nonsense_on_the_connection_is_one_line() {
    client(&["-n", "2"], "test $PMI_RANK != 1 || ask cmd=put; sleep 1000").fails(125, &["rank 1", "protocol"]);
}

/// A rank that asks and does not read the replies waits; the server's memory stays small.
#[test]
fn a_rank_that_floods_and_reads_nothing_is_held() {
    let script = "test $PMI_RANK = 1 || exec sleep 1000; \
                  exec timeout 1000 yes \"cmd=get kvsname=$kvs key=PMI_process_mapping\" >&$PMI_FD";
    let job = client(&["-n", "2"], script).start();
    job.wait_for("yes", 1);
    thread::sleep(Duration::from_secs(3));
    let resident = tree::memory(job.node_server());
    assert!(resident < 64 * 1024, "{resident} KiB");
    job.signal(libc::SIGTERM);
    job.end();
}

#[test]
fn mpich_programs_run() {
    programs_run("mpicc.mpich");
}

#[test]
fn open_mpi_programs_run() {
    programs_run("mpicc.openmpi");
}

fn programs_run(compiler: &str) {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("others");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cluster/others.c");
    let status = Command::new(compiler).arg(source).arg("-o").arg(&program).status();
    assert!(status.unwrap_or_else(|e| panic!("{compiler}: {e}")).success());
    let program = program.to_str().unwrap();
    for (options, says) in [
        (&["-n", "1"][..], "1 processes on 1 hosts, sum 0\n"),
        (&["-n", "8"], "8 processes on 1 hosts, sum 196\n"),
        (&["-n", "4", "--fake-nodes", "2"], "4 processes on 2 hosts, sum 18\n"),
        (&["-n", "3", "--fake-nodes", "3", "--fanout", "1"], "3 processes on 3 hosts, sum 6\n"),
    ] {
        let e = oshrun(&[options, &[program]].concat()).end();
        assert_eq!((e.code, e.out.as_str()), (Some(0), says), "{options:?}: {}", e.err);
        // What Open MPI says is not looked at.
        assert!(e.err.is_empty() || compiler != "mpicc.mpich", "{options:?}: {}", e.err);
    }
    let e = oshrun(&["-n", "3", program, "9"]).end();
    assert!(e.code == Some(9) && e.err.contains(" ended the job with code 9"), "{}", e.err);
    let e = oshrun(&["-n", "3", program, "leave"]).end();
    assert!(e.code == Some(1) && e.err.contains("rank 1") && e.err.contains("without finalizing"), "{}", e.err);
}
