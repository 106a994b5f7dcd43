//! Programs over PMIx: one that uses libpmix alone.

use super::*;
use std::path::Path;
use tempfile::TempDir;

/// The compiled program of pmix.c, in a temporary directory.
struct Program {
    _dir: TempDir,
    path: String,
}

fn program() -> Program {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pmix");
    let flags = Command::new("pkg-config").args(["--cflags", "--libs", "pmix"]).output();
    let flags = String::from_utf8(flags.expect("pkg-config is installed").stdout).unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oshrun/pmix.c");
    let compiled = Command::new("cc").args([source, "-o"]).arg(&path).args(flags.split_whitespace()).status();
    assert!(compiled.unwrap().success(), "Debian: apt-get install libpmix-dev");
    Program { path: path.to_str().unwrap().to_string(), _dir: dir }
}

impl Program {
    /// Runs it, and checks that no directory is left.
    fn run(&self, options: &[&str], words: &[&str]) -> Ended {
        let job = oshrun(&[options, &[self.path.as_str()], words].concat()).start();
        let front = job.pid();
        let e = job.end();
        assert_eq!(directories(front), [""; 0], "{options:?} {words:?} left a directory");
        e
    }
}

/// The job directories of the given oshrun. Those of other jobs on this machine are not looked at.
fn directories(front: i32) -> Vec<String> {
    let places = [Path::new("/dev/shm"), &std::env::temp_dir()].map(|p| fs::read_dir(p).unwrap());
    let names = places.into_iter().flatten().flatten().filter_map(|f| f.file_name().into_string().ok());
    // oshrun-pmix-oshrun_PID_NUMBER-NODE
    names.filter(|name| name.starts_with(&format!("oshrun-pmix-oshrun_{front}_"))).collect()
}

const ONE_AND_MORE: [&[&str]; 4] = [
    &["-n", "4"],
    &["-n", "4", "--fake-nodes", "2"],
    &["-n", "4", "--fake-nodes", "4", "--fanout", "1"],
    &["-n", "4", "--fake-nodes", "3", "--fanout", "2"],
];

#[test]
fn what_is_put_is_read_everywhere() {
    let program = program();
    for options in ONE_AND_MORE {
        for how in ["exchange", "ask"] {
            let e = program.run(options, &[how]);
            let expected = ["0 has of 1", "1 has of 2", "2 has of 3", "3 has of 0"];
            assert_eq!((e.sorted(), e.err.as_str(), e.code), (expected.to_vec(), "", Some(0)), "{options:?} {how}");
        }
    }
}

#[test]
fn some_ranks_synchronise() {
    let program = program();
    for options in
        [&["-n", "6"][..], &["-n", "6", "--fake-nodes", "3"], &["-n", "6", "--fake-nodes", "6", "--fanout", "2"]]
    {
        let e = program.run(options, &["some"]);
        assert_eq!(
            (e.sorted(), e.code),
            (vec!["0 has of 2", "2 has of 4", "4 has of 0"], Some(0)),
            "{options:?} {}",
            e.err
        );
    }
}

#[test]
fn groups_have_numbers() {
    let program = program();
    for options in ONE_AND_MORE {
        let e = program.run(options, &["group"]);
        let lines = e.sorted();
        assert_eq!((lines.len(), e.code), (4, Some(0)), "{options:?} {}", e.err);
        assert!(lines.iter().all(|l| *l == lines[0]), "the same for all: {lines:?}");
        let (first, second) = lines[0].split_once(' ').unwrap();
        assert!(first != "0" && second != "0" && first != second, "{lines:?}");
    }
}

#[test]
fn ranks_know_their_place() {
    let program = program();
    let words =
        ["-n", "3", "--fake-nodes", "2", "-ppn", "2", &program.path, "facts", ":", "-n", "1", &program.path, "facts"];
    let e = oshrun(&words).end();
    let expected = [
        "0 of 4, program 0 of 2, local 0 of 2, node 0 of 2 with 0,1",
        "1 of 4, program 0 of 2, local 1 of 2, node 0 of 2 with 0,1",
        "2 of 4, program 0 of 2, local 0 of 2, node 1 of 2 with 2,3",
        "3 of 4, program 1 of 2, local 1 of 2, node 1 of 2 with 2,3",
    ];
    assert_eq!((e.sorted(), e.code), (expected.to_vec(), Some(0)), "{}", e.err);
}

#[test]
fn names_are_refused_as_not_supported() {
    let e = program().run(&["-n", "1"], &["refused"]);
    assert_eq!((e.out.as_str(), e.code), ("NOT-SUPPORTED NOT-SUPPORTED\n", Some(0)), "{}", e.err);
}

#[test]
fn a_failure_is_one_line() {
    let program = program();
    for options in [&["-n", "4"][..], &["-n", "4", "--fake-nodes", "2"]] {
        for (how, code, says) in [
            ("abort", 7, "rank 1 ended the job with code 7: enough"),
            ("kill", 137, "was ended by signal 9, SIGKILL"),
            ("kill-before", 137, "was ended by signal 9, SIGKILL"),
            ("exit", 1, "ended without finalizing"),
        ] {
            let e = program.run(options, &[how]);
            assert_eq!(e.code, Some(code), "{options:?} {how}: {}", e.err);
            // A rank may report the loss itself if it learns of it before it is killed.
            let ours: Vec<&str> = e.err.lines().filter(|l| !l.ends_with(": fence: PARTIAL SUCCESS")).collect();
            assert!(matches!(ours[..], [one] if one.starts_with("oshrun: ")), "{options:?} {how}: {}", e.err);
            assert!(ours[0].contains("rank 1") && ours[0].contains(says), "{options:?} {how}: {}", e.err);
        }
    }
}

#[test]
fn nothing_has_a_name_after_a_kill() {
    let program = program();
    for kill_the_front in [false, true] {
        let job = oshrun(&["-n", "2", &program.path, "stay"]).start();
        job.wait_for("pmix", 2);
        let (front, server) = (job.pid(), job.node_server());
        // The ranks have started, so the server has made its directory.
        assert_eq!(directories(front).len(), 1);
        signal(if kill_the_front { front } else { server }, libc::SIGKILL);
        let e = job.end();
        if !kill_the_front {
            e.fails(125, &["node server on host localhost", "SIGKILL"]);
        }
        assert_eq!(directories(front), [""; 0], "front: {kill_the_front}");
    }
}

#[test]
fn a_library_that_is_missing_is_told() {
    let program = program();
    let missing = |options: &[&str], path: &str| {
        oshrun(&[options, &["-n", "1", path, "exchange"]].concat()).env("OSHRUN_PMIX_LIBRARY", "/no/such/library").end()
    };
    let e = missing(&[], &program.path);
    e.fails(125, &["needs PMIx", "/no/such/library", "libpmix2", "OSHRUN_PMIX_LIBRARY"]);
    // A program that does not need PMIx runs without it.
    assert_eq!(missing(&[], "true").code, Some(0));
    assert_eq!(missing(&["--pmix", "yes"], "true").code, Some(125));
}

#[test]
fn pmix_is_served_to_those_who_need_it() {
    let program = program();
    let variables = |options: &[&str]| {
        let e = shell(options, "env | grep -c '^PMIX_' ; exit 0").env("PMIX_RANK", "of an outer job").end();
        e.out.trim().parse::<u32>().unwrap()
    };
    assert_eq!(variables(&["-n", "1"]), 0);
    assert!(variables(&["-n", "1", "--pmix", "yes"]) > 3);
    // MPICH 5 ends in MPI_Init where it finds PMI-1 and PMIx, and is not told by which to go.
    let told = |options: &[&str]| shell(options, "echo ${MPIR_CVAR_PMI_VERSION-none}").end().out;
    assert_eq!([told(&["-n", "1"]), told(&["-n", "1", "--pmix", "yes"])], ["none\n", "1\n"]);
    assert_eq!(told(&["-n", "1", "--pmix", "yes", "-genv", "MPIR_CVAR_PMI_VERSION", "x"]), "x\n");
    let e = program.run(&["-n", "1", "--pmix", "no"], &["exchange"]);
    assert_ne!(e.code, Some(0));
}

/// Where /dev/shm and TMPDIR are full, the directory is in TMPDIR. Without a namespace of its own this is not tested.
#[test]
fn a_full_place_for_files_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().display();
    let script = format!(
        "for d in /dev/shm {place}; do mount -t tmpfs -o size=16k none $d || exit 77; head -c 99999 /dev/zero >$d/x; \
         done 2>/dev/null; TMPDIR={place} exec \"$@\""
    );
    let mut run = oshrun(&[]);
    let program = run.command.get_program().to_owned();
    run.command = Command::new("unshare");
    run.command.args(["-Urm", "sh", "-c", &script, "sh"]).arg(program).args(["-n", "1", "--pmix", "yes", "true"]);
    run.command.env(MARK, &run.mark);
    let e = run.end();
    if e.code == Some(77) || e.err.starts_with("unshare: ") {
        return eprintln!("not tested: no file system can be mounted here");
    }
    e.fails(125, &["cannot serve PMIx", &format!("; {place}/oshrun-pmix-"), " has 0 of 16 KiB free"]);
}
