//! Programs that run to their end: exit codes, output, input, environment, and errors on the command line.

use super::*;

#[test]
fn the_exit_code_is_that_of_the_rank_that_failed() {
    assert_eq!(shell(&["-n", "3"], "exit 0").end().code, Some(0));
    shell(&["-n", "3"], "test $PMI_RANK != 1 || exit 7; sleep 100").fails(7, &["rank 1 (sh)", "exit code 7"]);
}

#[test]
fn a_signal_is_128_more_with_a_name_and_without() {
    for (number, name) in [(11, "signal 11, SIGSEGV"), (34, "signal 34"), (64, "signal 64")] {
        shell(&["-n", "2"], &format!("test $PMI_RANK != 1 || kill -{number} $$; sleep 100"))
            .fails(128 + number, &["rank 1 (sh)", name]);
    }
}

#[test]
fn programs_may_differ() {
    let parts = ["-n", "1", "-env", "A", "x y", "sh", "-c", "echo $PMI_RANK $A $B; pwd", ":", "-n", "2", "-wdir", "/"];
    let e = oshrun(&[&["-genv", "B", "b"], &parts[..], &["sh", "-c", "echo $PMI_RANK $A $B; pwd"]].concat()).end();
    let here = std::env::current_dir().unwrap();
    assert_eq!(e.sorted(), ["/", "/", here.to_str().unwrap(), "0 x y b", "1 b", "2 b"]);
}

#[test]
fn a_job_inside_a_job_has_what_is_its_own() {
    let own = env!("CARGO_BIN_EXE_oshrun");
    let say = "echo $FLUX_JOB_ID ${OMPI_MCA_btl-none} ${OMPI_MCA_btl_tcp_if_include-none}";
    let run = |script: &str| {
        let options = ["--pmix", "yes", "-n", "2", "--fake-nodes", "2"];
        let e = shell(&options, script).env("FLUX_JOB_ID", "7").end();
        assert_eq!((e.code, e.err.as_str()), (Some(0), ""));
        e.sorted().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let script = format!("{say}; {own} --pmix yes -n 1 sh -c '{say}'");
    let said = run(&script);
    let number = |line: &str| line.split(' ').next().unwrap().parse::<u32>().unwrap();
    let (outer, inner): (Vec<&String>, _) = said.iter().partition(|l| l.ends_with(" self,tcp lo"));
    let inner: Vec<&String> = inner;
    assert!(outer.len() == 2 && inner.len() == 2 && inner.iter().all(|l| l.ends_with(" none none")), "{said:?}");
    let numbers = [outer[0], inner[0], inner[1]].map(|l| number(l));
    assert!(outer[0] == outer[1] && numbers.iter().all(|n| *n != 7), "{said:?}");
    assert!(numbers[0] != numbers[1] && numbers[0] != numbers[2] && numbers[1] != numbers[2], "{said:?}");
    // A variable that the user has set is not changed, and a number that a program asks for is given.
    let script = format!("export OMPI_MCA_btl=self,vader; {own} --pmix yes -n 1 -genv FLUX_JOB_ID 8 sh -c '{say}'");
    assert_eq!(run(&script), ["8 self,vader none"; 2]);
}

/// Settings of the PMIx library are passed on, unless a job of PMIx surrounds oshrun: that has variables of its own.
#[test]
fn settings_of_pmix_reach_the_ranks() {
    let run = || shell(&["-n", "1"], "echo ${PMIX_MCA_a-none} ${PMIX_RANK-none}").env("PMIX_MCA_a", "1");
    assert_eq!(run().env("PMIX_RANK", "0").end().out, "1 none\n");
    assert_eq!(run().env("PMIX_NAMESPACE", "outer").end().out, "none none\n");
}

#[test]
fn lines_stay_whole_and_may_have_the_rank_before_them() {
    // Each line is written in three pieces.
    let script = "for i in 1 2 3 4 5 6 7 8 9; do printf $PMI_RANK; printf -; printf \"$PMI_RANK\\n\"; done";
    let e = shell(&["-n", "4"], script).end();
    assert_eq!(e.out.lines().count(), 36);
    assert!(e.out.lines().all(|l| ["0-0", "1-1", "2-2", "3-3"].contains(&l)), "{}", e.out);

    let e = shell(&["-n", "2", "-l"], "echo $PMI_RANK; printf end; echo err >&2").end();
    assert_eq!(e.sorted(), ["[0] 0", "[0] end", "[1] 1", "[1] end"]);
    let mut err: Vec<&str> = e.err.lines().collect();
    err.sort_unstable();
    assert_eq!(err, ["[0] err", "[1] err"]);
}

#[test]
fn bytes_are_not_changed() {
    let e = shell(&["-n", "1"], "head -c 3000000 /dev/zero | tr '\\0' x; printf 'no end'").end();
    assert_eq!(e.out.len(), 3_000_006);
    assert!(e.out.ends_with("xno end"));
}

#[test]
fn a_reader_that_goes_ends_the_job() {
    let mut run = oshrun(&["-n", "2", "yes"]);
    run.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = run.command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + libc::SIGPIPE), "{}", String::from_utf8_lossy(&output.stderr));
    nothing_stays(&run.mark);
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    for nodes in [&["-n", "2"][..], &["-n", "2", "--fake-nodes", "2"]] {
        for (script, code, says) in [
            ("echo lost", 125, &["cannot write standard output: No space left on device"][..]),
            // A line without its end is written last.
            ("printf lost", 125, &["cannot write standard output: No space left on device"]),
            ("echo lost; sleep 1000", 125, &["cannot write standard output: No space left on device"]),
            ("exit 7", 7, &["exit code 7"]),
        ] {
            let mut run = shell(nodes, script);
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            run.command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
            let output = run.command.spawn().unwrap().wait_with_output().unwrap();
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            let e = Ended { code: output.status.code(), out: String::new(), err };
            e.fails(code, says);
            nothing_stays(&run.mark);
        }
    }
}

#[test]
fn mistakes_are_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("plain");
    fs::write(&script, "not a program").unwrap();
    let (script, place) = (script.to_str().unwrap(), dir.path().to_str().unwrap());
    for (words, code, says) in [
        (&["-n", "2"][..], 2, &["no program"][..]),
        (&["-hostfile", "/dev/zero", "true"], 2, &["the host file /dev/zero", "more than 64 MiB", "a line for each"]),
        (&["-stdin", "1", "true"], 2, &["--stdin 1", "1 ranks"]),
        (&["-n", "1", "/dev/zero"], 126, &["/dev/zero is no regular file"]),
        (&["-n", "2", "no-such-program"], 127, &["no-such-program", "PATH"]),
        (&["-n", "2", "./no-such-program"], 127, &["./no-such-program is not there"]),
        (&["-n", "2", "-wdir", place, "plain"], 127, &["plain is not in PATH", "say ./plain"]),
        (&["-n", "2", ""], 127, &["the program's name is empty"]),
        (&["-n", "2", "-wdir", "/no/such/dir", "true"], 127, &["/no/such/dir"]),
        (&["-n", "2", script], 126, &["not executable"]),
        (&["-n", "2", "/"], 126, &["directory"]),
    ] {
        let e = oshrun(words).end();
        e.fails(code, says);
        assert_eq!(e.out, "");
    }
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    oshrun(&["-n", "2", script]).fails(126, &["no program for this machine"]);
    // The message names the program that cannot run, whichever it is, also if the end of its process is seen first.
    for _ in 0..20 {
        for parts in [
            [&["-n", "1", "sleep", "1000", ":"][..], &["-n", "2", script]],
            [&["-n", "2", script, ":"], &["-n", "1", "sleep", "1000"]],
        ] {
            oshrun(&parts.concat()).fails(126, &[script, "no program for this machine"]);
        }
    }
    oshrun(&["true"]).env("MPIEXEC_TIMEOUT", "soon").fails(2, &["MPIEXEC_TIMEOUT", "soon"]);
}

#[test]
fn a_dry_run_starts_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("made");
    let made = file.to_str().unwrap();
    let e = oshrun(&["--dry-run", "-n", "3", "-hosts", "a,b:2", "-ppn", "2", "-env", "A", "1", "touch", made]).end();
    assert_eq!(e.code, Some(0));
    for says in ["3 ranks on 2 nodes", "node 0 (a): ranks 0-1", "ssh", "rank 2: A=1 touch"] {
        assert!(e.out.contains(says), "{}", e.out);
    }
    assert!(!file.exists());
    // Only a run reports a program that cannot be found, because other hosts have other files.
    let parts = ["-n", "1", "-env", "A", "x y", "no-such-program", "two words", ":", "-n", "2", "true"];
    let e = oshrun(&[&["--dry-run", "--fake-nodes", "2"], &parts[..]].concat()).end();
    assert_eq!((e.code, e.err.as_str()), (Some(0), ""));
    for says in ["played): ranks 0-1, forked here", "rank 0: A='x y' no-such-program 'two words'", "rank 2: true"] {
        assert!(e.out.contains(says), "{says}: {}", e.out);
    }
}

#[test]
fn ranks_are_bound_where_asked() {
    let mut all = Vec::new();
    for options in [
        &["-n", "3", "-bind-to", "core"][..],
        &["-n", "3", "-bind-to", "core", "--fake-nodes", "3"],
        &["-n", "3", "-bind-to", "numa"],
        &["-n", "3", "--bind", "numa"],
    ] {
        // In the kernel's notation; taskset writes neighbours in another way.
        let script = r"sed -n 's/^Cpus_allowed_list:\s*//p' /proc/self/status";
        let e = shell(options, script).end();
        let dry = oshrun(&[&["--dry-run"], options, &["true"]].concat()).end();
        let mut told: Vec<&str> =
            dry.out.lines().filter_map(|l| l.split_once("on CPU ")?.1.split_once(':').map(|x| x.0)).collect();
        told.sort_unstable();
        assert_eq!((told.len(), e.sorted()), (3, told), "{options:?}");
        all.push(e.sorted().join(" "));
    }
    assert_eq!(all[0], all[1], "played nodes share the cores");
}

#[test]
fn a_rank_inherits_nothing_but_what_is_its_own() {
    let script = "ls /proc/self/fd | wc -l";
    let count = |text: &str| text.trim().parse::<usize>().unwrap();
    // Independent of the limits of this test.
    let plain = Command::new("sh").args(["-c", script]).output().unwrap();
    let plain = count(&String::from_utf8(plain.stdout).unwrap());
    // Two connections, and the key-value store.
    for (options, more) in [(&["-n", "2"][..], 3), (&["-n", "2", "--no-share"], 2)] {
        let e = shell(options, script).end();
        assert_eq!(e.out.lines().map(count).collect::<Vec<_>>(), [plain + more, plain + more]);
    }
}

#[test]
fn who_writes_into_an_input_that_nobody_reads_is_told() {
    for options in [&["-n", "1"][..], &["-n", "2", "--fake-nodes", "2"]] {
        let mut run = shell(options, "exec <&-; sleep 1000");
        run.command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = run.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let end = Instant::now() + LONG;
        // If another process kept it open, the writer would wait instead of failing.
        never_wait(&stdin);
        loop {
            match stdin.write(&[b'x'; 4096]) {
                Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => break,
                _ => assert!(Instant::now() < end, "{options:?}"),
            }
            thread::sleep(Duration::from_millis(1));
        }
        signal(child.id() as i32, libc::SIGTERM);
        assert_eq!(child.wait().unwrap().code(), Some(128 + libc::SIGTERM));
        nothing_stays(&run.mark);
    }
}

fn never_wait(fd: &impl std::os::fd::AsRawFd) {
    // SAFETY: sets a flag of an open descriptor.
    assert_eq!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) }, 0);
}

#[test]
fn ranks_have_the_limits_that_oshrun_was_started_with() {
    for options in [&["-n", "1"][..], &["-n", "2", "--fake-nodes", "2"]] {
        let e = shell(options, "ulimit -Sn; ulimit -Hn").descriptors(256, 512).end();
        assert!(e.out.lines().all(|l| l == "256" || l == "512") && e.out.contains("256"), "{options:?}: {}", e.out);
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_a_reader_that_stops_is_none() {
    let mut run = oshrun(&["-n", "4", "--dry-run", "true"]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let out = run.command.stdout(Stdio::from(full)).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(out.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&out.stderr).starts_with("oshrun: cannot write"), "{out:?}");
    let mut run = oshrun(&["-n", "20000", "--dry-run", "true"]);
    let mut child = run.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!((out.status.code(), out.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_directory_that_is_gone_is_no_obstacle() {
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"";
    let dir = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_oshrun")]).args(words).current_dir(dir.path());
        let out = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    assert_eq!(run(&["-n", "2", "echo", "here"]), (Some(0), "here\nhere\n".to_owned(), String::new()));
    // No other host can have it.
    let (code, _, said) = run(&["-n", "2", "-hosts", "localhost,192.0.2.7", "-launcher", "false", "echo"]);
    assert!(code == Some(2) && said.contains("the current directory has been removed"), "{said}");
}
