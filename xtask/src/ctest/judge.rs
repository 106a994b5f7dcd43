//! Runs one program once and judges what came of it.

use super::Run;
use super::build::Place;
use super::leftovers::{End, Private, Scene};
use super::list::{Entry, Expect};
use super::way::{Ground, Way};
use crate::seed;
use crate::util::Mpi;
use anyhow::{Context, Result};
use nix::sys::signal::Signal;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Time beyond the limit. The alarm inside the program comes first, and tells where the program hangs.
const LATE: Duration = Duration::from_secs(4);

/// A part of what check.h prints when the alarm inside a program ends it.
const LATE_WORDS: &str = "time is up";

/// How often a run is made at most whose launcher, of another project, gave no exit code after an abort: it hung or
/// crashed in its own end, with all PEs gone. Open MPI 4.1's mpiexec hangs in 1 to 6 of 100 runs under load, for plain
/// MPI programs too.
const ATTEMPTS: usize = 3;

/// Exit code of a launcher that failed itself, such as Hydra's when a rank dies while it is written to.
const LAUNCHER_FAILED: i32 = 255;

/// Signals that end a broken program, and the words by which launchers tell them.
const CRASHES: [(Signal, &str); 5] = [
    (Signal::SIGILL, "Illegal instruction"),
    (Signal::SIGABRT, "Aborted"),
    (Signal::SIGBUS, "Bus error"),
    (Signal::SIGFPE, "Floating point exception"),
    (Signal::SIGSEGV, "Segmentation fault"),
];

/// Printed by Open MPI 4.1's mpiexec now and then when it starts ranks on hosts, because the new process was quicker.
const LAUNCHER_SLOW: &str = "sh: Warning: setpgid(";

/// Printed by Open MPI 4.1 when a peer's connection arrives before it has read that peer's addresses ("Known IPs of
/// peer: NONE"; two threads of the process race). Open MPI drops the connection, and the peer tries again.
const TOO_EARLY: [&str; 2] = ["Open MPI detected an inbound MPI TCP connection request", "Known IPs of peer:   NONE"];

/// Added by Open MPI's launcher when several ranks have printed the message.
const TOO_EARLY_AGAIN: [&str; 2] =
    ["help-mpi-btl-tcp.txt / dropped inbound connection", "\"orte_base_help_aggregate\""];

/// Printed on standard output by Open MPI 4.1's osc/ucx at a process's end, when a peer has closed its connection
/// first. All operations are complete then. Where PEs crowd the cores, many runs print it.
const OSC_UCX_CLOSES: [&str; 2] =
    ["error during flush: Endpoint timeout", "UCX  WARN  disconnect failed: Endpoint timeout"];

/// After so long the library reports by default that no wait has ended.
const REPORTED: Duration = Duration::from_secs(60);

/// Lines of output shown for a failure.
const SHOWN: usize = 30;

/// How a run went.
pub struct Outcome {
    /// What is wrong; empty when all is right.
    pub faults: Vec<String>,
    /// Faults of the MPI that are allowed.
    pub allowed: Vec<String>,
    /// What the run printed, for a failure.
    pub output: String,
    pub took: Duration,
    /// Whether everything else is right, and a launcher of another project gave no exit code.
    no_code: bool,
}

/// The command of a run: launcher, program, arguments, environment.
pub fn command(place: &Place, e: &Entry, pes: usize, way: &Way, ground: Option<&Ground>) -> Result<Command> {
    let exe = place.executable(e);
    let mut c = if e.alone {
        Command::new(exe)
    } else {
        let mut c = match e.launcher {
            Some(mpi) => mpi.mpiexec(pes),
            None => way.launcher(place.mpi, &place.prefix, ground, pes)?,
        };
        c.arg(exe);
        c
    };
    c.args(&e.args).env("CTEST_TIME", e.time.as_secs().to_string()).env("CTEST_SEED", seed::get().to_string());
    if e.alone || !way.is_by_others() {
        c.env("OSHMPI_MPI_LIBRARY", place.mpi.library());
    }
    // A wait that the run has time for is not reported as a hang.
    if e.time > 2 * REPORTED {
        c.env("OSHMPI_HANG", (e.time / 2).as_secs().to_string());
    }
    if let Some(library) = e.library.as_ref().map(|source| place.library(source)) {
        c.env("LD_LIBRARY_PATH", library.parent().context("a library lies in a directory")?);
    }
    c.envs(e.env.iter().map(|(k, v)| (k, v)));
    Ok(c)
}

/// A command as a line for the shell.
pub fn shell_line(c: &Command) -> String {
    let quote = |s: &OsStr| shlex::try_quote(&s.to_string_lossy()).map_or_else(|e| e.to_string(), Cow::into_owned);
    let set = c.get_envs().filter_map(|(k, v)| Some(format!("{}={}", k.to_string_lossy(), quote(v?))));
    let words = std::iter::once(c.get_program()).chain(c.get_args()).map(quote);
    set.chain(words).collect::<Vec<_>>().join(" ")
}

/// Does one run, and does it again if only its launcher's exit code is missing.
pub fn run(run: &Run, ground: Option<&Ground>, private: Private) -> Result<Outcome> {
    for made in 0.. {
        let mut outcome = attempt(run, ground, private)?;
        let killed = matches!(run.entry.expect, Expect::Killed(_));
        if outcome.no_code && !killed && made + 1 < ATTEMPTS {
            continue;
        }
        match outcome.no_code {
            true if killed => outcome.allowed.push("the launcher gave no exit code after a kill".into()),
            true => outcome.faults.push(format!("{ATTEMPTS} times the launcher gave no exit code")),
            false if made > 0 => outcome.allowed.push(format!("{made} times the launcher gave no exit code")),
            false => {}
        }
        return Ok(outcome);
    }
    unreachable!("a run is made at most {ATTEMPTS} times")
}

/// Does one run once.
fn attempt(run: &Run, ground: Option<&Ground>, private: Private) -> Result<Outcome> {
    let (place, e) = (run.place, run.entry);
    let scene = Scene::new(private)?;
    let mut c = command(place, e, run.pes, run.way, ground)?;
    let set: Vec<_> = c.get_envs().map(|(name, _)| name.to_owned()).collect();
    // Settings in the caller's environment must not change results.
    for (name, _) in std::env::vars_os() {
        let n = name.to_string_lossy();
        if ["SHMEM_", "SMA_", "OSHMPI_", "PMI_"].iter().any(|p| n.starts_with(p)) && !set.contains(&name) {
            c.env_remove(&name);
        }
    }
    scene.enter(&mut c)?;
    let dir = tempfile::Builder::new().prefix("run.").tempdir_in(&place.out)?;
    let (out, err) = (dir.path().join("stdout"), dir.path().join("stderr"));
    c.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
    let start = Instant::now();
    let mut child = c.spawn().with_context(|| format!("cannot start {}", shell_line(&c)))?;
    // A launcher of another project is not judged: when PEs were ended early, it may hang, crash, or leave something.
    let program = place.executable(e);
    let ended_early = !matches!(e.expect, Expect::Success | Expect::Prints(_));
    let others = ended_early && !e.alone && (e.launcher.is_some() || run.way.is_by_others());
    let (mut faults, mut late) = (Vec::new(), false);
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > e.time + LATE {
            late = true;
            if !others || scene.runs(&program) {
                faults.push(format!("still running after {} s:", (e.time + LATE).as_secs()));
                faults.extend(scene.running());
            }
            scene.kill();
            break child.wait()?;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    let took = start.elapsed();
    let printed = String::from_utf8_lossy(&fs::read(&out)?).into_owned();
    let out = without_osc_ucx_closing(place.mpi, run.way, &printed);
    let err = String::from_utf8_lossy(&fs::read(&err)?).into_owned();
    let (complaints, early) = without_open_mpis_words(place.mpi, &err);
    let no_code = others && (late || status.code().is_none_or(|code| code == LAUNCHER_FAILED));
    if faults.is_empty() {
        faults = judge(e, run.way, (!no_code).then_some(status), &out, &complaints);
        // What a launcher says that crashes itself is about itself.
        if late || status.signal().is_none() {
            faults.extend(crash(e, &(out.clone() + &complaints)));
        }
    }
    let no_code = no_code && faults.is_empty();
    let remains = scene.remains(
        place.mpi,
        &End {
            killed: matches!(e.expect, Expect::Killed(_)),
            early: ended_early,
            no_launcher: e.alone || e.launcher.is_some_and(|mpi| mpi != place.mpi),
            lost: no_code,
            only: others.then_some(&program),
        },
    );
    faults.extend(remains.faults);
    let mut allowed = remains.allowed;
    if early {
        allowed.push("a connection that came before its peer's addresses was dropped, and tried again".into());
    }
    if out != printed {
        allowed.push("osc/ucx, which found connections closed at the end".into());
    }
    scene.kill();
    Ok(Outcome { faults, allowed, output: shown("stdout", &printed) + &shown("stderr", &err), took, no_code })
}

/// Standard output without what osc/ucx says of closed connections, where all goes by Open MPI's windows between hosts.
fn without_osc_ucx_closing(mpi: Mpi, way: &Way, out: &str) -> String {
    if mpi != Mpi::Openmpi || way.hosts().is_none() || !way.is_rma() {
        return out.into();
    }
    let closing = |line: &str| OSC_UCX_CLOSES.iter().any(|words| line.contains(words));
    out.split_inclusive('\n').filter(|line| !closing(line)).collect()
}

/// Standard error without the harmless messages of Open MPI, and whether a connection came too early for it.
fn without_open_mpis_words(mpi: Mpi, err: &str) -> (String, bool) {
    if mpi != Mpi::Openmpi {
        return (err.into(), false);
    }
    let quick: String = err.split_inclusive('\n').filter(|line| !line.contains(LAUNCHER_SLOW)).collect();
    // Open MPI's messages of several lines stand between lines of dashes.
    let dashes = format!("{}\n", "-".repeat(74));
    let parts: Vec<_> = quick.split(&dashes).collect();
    let early = |part: &str| TOO_EARLY.iter().all(|words| part.contains(words));
    if !parts.iter().any(|part| early(part)) {
        return (quick, false);
    }
    let mut left = String::new();
    let mut rest = parts.into_iter().peekable();
    while let Some(part) = rest.next() {
        left += part;
        if rest.next_if(|message| early(message)).is_none() && rest.peek().is_some() {
            left += &dashes;
        }
    }
    let again = |line: &str| TOO_EARLY_AGAIN.iter().any(|words| line.contains(words));
    (left.split_inclusive('\n').filter(|line| !again(line)).collect(), true)
}

fn shown(name: &str, text: &str) -> String {
    let mut s = String::new();
    for line in text.lines().take(SHOWN) {
        s += &format!("    {name}: {line}\n");
    }
    let more = text.lines().count().saturating_sub(SHOWN);
    if more > 0 {
        s += &format!("    {name}: ... {more} more lines\n");
    }
    s
}

/// A line that tells of the crash of a process, if the entry does not expect it.
fn crash(e: &Entry, text: &str) -> Option<String> {
    let expected = |signal: Signal| match e.expect {
        Expect::Killed(sent) => signal == sent,
        Expect::Exit(code) => code == 128 + signal as i32,
        _ => false,
    };
    let tells = |line: &str| {
        let told = |&(signal, words): &(Signal, &str)| line.contains(words) || line.contains(signal.as_str());
        CRASHES.iter().any(|crash| told(crash) && !expected(crash.0))
    };
    text.lines().find(|line| tells(line)).map(|line| format!("a process crashed: {line:?}"))
}

/// Compares a run's end with what the entry expects. No status: the launcher, of another project, did not tell it.
fn judge(e: &Entry, way: &Way, status: Option<ExitStatus>, out: &str, err: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut must = |right: bool, fault: String| {
        if !right {
            faults.push(fault);
        }
    };
    let ended = status.map_or("no exit code".into(), |status| status.to_string());
    let code_is = |n: i32| status.is_none_or(|status| status.code() == Some(n));
    let failed = status.is_none_or(|status| !status.success());
    let stdout_right = out == format!("{}\n", e.stdout);
    match &e.expect {
        Expect::Success => {
            must(code_is(0), format!("{ended} instead of 0"));
            must(stdout_right, format!("stdout is {:?} instead of {:?}", clip(out), e.stdout));
            must(err.is_empty(), format!("stderr is not empty: {:?}", clip(err)));
        }
        Expect::Exit(n) => {
            if way.needs_slurm() && *n != 0 {
                must(failed, "exit code 0 instead of a failure".into());
            } else {
                must(code_is(*n), format!("{ended} instead of {n}"));
            }
            must(stdout_right, format!("stdout is {:?} instead of {:?}", clip(out), e.stdout));
        }
        Expect::Prints(text) => {
            must(code_is(0), format!("{ended} instead of 0"));
            must(out.lines().any(|l| l == e.stdout), format!("stdout has no line {:?}", e.stdout));
            must(out.contains(text.as_str()) || err.contains(text.as_str()), format!("nobody printed {text:?}"));
        }
        Expect::Abort(says) => {
            must(failed, "exit code 0 instead of a failure".into());
            let lines = err.lines().filter(|l| says.iter().all(|s| l.contains(s.as_str()))).count();
            must(lines == 1, format!("{lines} lines on stderr say {says:?} instead of 1"));
        }
        Expect::Killed(signal) => {
            // Hydra tells the signal itself. It ends the other PEs by SIGKILL, and joins the bits of all signals.
            let number = *signal as i32;
            let codes = [128 + number, number, number | libc::SIGKILL];
            let told = if way.needs_slurm() { failed } else { codes.into_iter().any(code_is) };
            must(told, format!("{ended} instead of one of {codes:?}, which tell {signal}"));
        }
    }
    let ends_early = matches!(e.expect, Expect::Abort(_) | Expect::Killed(_));
    must(!ends_early || !err.contains(LATE_WORDS), "ended by the time limit".into());
    let is_ours = |line: &&str| if ends_early { of_a_check(line) } else { of_the_test(line) };
    let ours = err.lines().find(|line| e.expect != Expect::Success && is_ours(line));
    must(ours.is_none(), format!("stderr has {:?}", ours.unwrap_or_default()));
    faults
}

/// Whether a line was written by a check of the test programs or by a broken library, not by a launcher.
fn of_the_test(line: &str) -> bool {
    // Reports and backtraces of the library name places in programs, too. Only a check has ": " behind the place's
    // number, wherever Open MPI's mpiexec tears the lines of several PEs.
    let says = |(_, at): (&str, &str)| {
        let behind = at.trim_start_matches(|c: char| c.is_ascii_digit());
        behind.len() < at.len() && behind.starts_with(": ")
    };
    let named = line.contains("called at ") || line.contains("allocated at ");
    let check = !named && [".c:", ".cc:"].iter().any(|end| line.split_once(end).is_some_and(says));
    check || line.contains("check.h:") || line.contains("panicked at")
}

/// Whether a line was written by a check. A launcher that lost a PE names lines of its sources too, but no PE.
fn of_a_check(line: &str) -> bool {
    of_the_test(line) && (line.contains(": PE ") || line.contains("check.h:") || line.contains("panicked at"))
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((i, _)) => format!("{}...", &text[..i]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctest::{list, way};

    fn verdict(options: &str, code: i32, out: &str, err: &str) -> bool {
        let e = list::parse(&format!("a/b 2 {options}")).unwrap().remove(0);
        judge(&e, way::parse("node").unwrap(), Some(ExitStatus::from_raw(code << 8)), out, err).is_empty()
    }

    /// Options, whether the run is right, exit code, standard output and standard error.
    #[test]
    fn runs_are_judged_strictly() {
        let (check, aborts) = ("x.c:3: PE 0: not true: a\n", "expect=abort says=\"pe 2\" says=range");
        let told = "x\noshmpi[0]: f: pe 2 is out of range 0..1\nlauncher\n";
        let hydra = "[proxy:0:1@h] HYD_cb (proxy/pmip_cb.c:480): assert (!closed) failed\n";
        for (options, right, code, out, err) in [
            ("", true, 0, "ok\n", ""),
            ("", false, 1, "ok\n", ""),
            ("", false, 0, "ok", ""),
            ("", false, 0, "ok\nok\n", ""),
            ("", false, 0, "", ""),
            ("", false, 0, "ok\n", "warning\n"),
            ("stdout=\"a b\"", true, 0, "a b\n", ""),
            ("exit=7", true, 7, "ok\n", "mpiexec: a rank ended\n"),
            ("exit=7", false, 0, "ok\n", ""),
            ("exit=7", false, 1, "ok\n", ""),
            ("exit=7", false, 7, "", ""),
            ("exit=7", false, 7, "ok\n", check),
            (aborts, true, 1, "noise", told),
            (aborts, false, 0, "", "pe 2 range\n"),
            (aborts, false, 1, "", "pe 2\nrange\n"),
            (aborts, false, 1, "", "pe 2 range\npe 2 range\n"),
            (aborts, false, 1, "", "pe 2 range\nthread panicked at x\n"),
            (aborts, false, 1, "", "a/b.c:3: PE 0: not true: a\nx: pe 2 range\n"),
            ("prints=hello", true, 0, "hello\nok\n", "more\n"),
            ("prints=hello", false, 0, "ok\n", ""),
            ("prints=hello", false, 0, "hello\n", ""),
            ("expect=killed", true, 9, "", "noise"),
            ("expect=killed", true, 9, "", hydra),
            ("expect=killed", false, 9, "", check),
            ("expect=killed", false, 9, "", "check.h: no timer\n"),
            ("expect=killed", false, 101, "", "thread 'main' panicked at x.rs:1:1:\n"),
            ("expect=killed", false, 0, "", ""),
            ("expect=killed", false, 9, "", "check.h: PE 0: time is up; ...\n"),
        ] {
            assert_eq!(verdict(options, code, out, err), right, "{options}: {code} {out:?} {err:?}");
        }
    }

    #[test]
    fn a_kill_wants_the_signal_that_was_sent() {
        for (options, right, wrong) in [
            ("", &[9, 137][..], &[0, 1, 11, 134, 139, 143][..]),
            (" signal=SIGSEGV", &[11, 139], &[0, 9, 134, 137]),
            (" signal=SIGABRT", &[6, 15, 134], &[0, 9, 11, 137, 139]),
            (" signal=SIGTERM", &[15, 143], &[0, 9, 11, 137]),
        ] {
            let is_right = |&code: &i32| verdict(&format!("expect=killed{options}"), code, "", "");
            assert!(right.iter().all(is_right) && !wrong.iter().any(is_right), "{options}");
        }
    }

    #[test]
    fn a_crash_is_a_fault_where_it_is_not_expected() {
        let crashes = |options: &str, line: &str| {
            crash(&list::parse(&format!("a/b 2 {options}")).unwrap().remove(0), &format!("x\n{line}\n")).is_some()
        };
        let hydra = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)";
        let openmpi = "mpiexec noticed that process rank 1 with PID 0 on node x exited on signal 7 (Bus error).";
        let oshrun = "oshrun: rank 1 (x) was ended by signal 6, SIGABRT";
        for options in ["expect=killed", "expect=abort says=x", "exit=3", "prints=x"] {
            assert!([hydra, openmpi, oshrun].iter().all(|line| crashes(options, line)), "{options}");
            assert!(!crashes(options, "oshrun: rank 1 (x) was ended by signal 9, SIGKILL"));
        }
        assert!(!crashes("expect=killed signal=SIGSEGV", hydra) && !crashes("exit=134", oshrun));
    }

    #[test]
    fn without_the_launchers_code_the_rest_is_judged() {
        let right = |options: &str, err: &str| {
            let e = list::parse(&format!("a/b 2 {options}")).unwrap().remove(0);
            judge(&e, way::parse("node").unwrap(), None, "", err).is_empty()
        };
        let line = "oshmpi[0]: f: pe 2 is out of range 0..1\n";
        assert!(right("expect=killed", "noise") && right("expect=abort says=range", line));
        assert!(!right("expect=killed", "check.h: PE 0: time is up; ...\n") && !right("expect=abort says=range", ""));
    }

    #[test]
    fn places_in_reports_are_no_faults() {
        let whole = ["      #0 main a.c:3", "  allocated at main a.c:3", "waits in x, called at a.c:3 in main"];
        let torn = ["rk/tests/openshmem/race/rows.c:390", "    #2 rounds a/rows.c:251", "  #2 rounds a/rows.c:"];
        let glued = ["      #1 main a/rows.c:39  PE 1: load"];
        for line in whole.iter().chain(&torn).chain(&glued) {
            assert!(!of_the_test(line), "{line}");
        }
        for line in ["a.c:3: PE 1: not true: x", "      #1 maia.cc:3: PE 1: got 1, not 2", "x: a.c:3: f: Assertion"] {
            assert!(of_the_test(line), "{line}");
        }
    }

    #[test]
    fn only_open_mpis_launcher_may_be_slow() {
        let words = format!("a\n[vm:7] {LAUNCHER_SLOW}8,8) failed in parent\nb");
        assert_eq!(without_open_mpis_words(Mpi::Openmpi, &words), ("a\nb".into(), false));
        assert_eq!(without_open_mpis_words(Mpi::Mpich, &words), (words, false));
    }

    #[test]
    fn only_osc_ucx_between_hosts_may_find_connections_closed() {
        let way = |name| super::super::way::parse(name).unwrap();
        let closing = format!("[1.2] [host1:1:0] flush.c:26 UCX  ERROR req 0x1: {}, flush comp\n", OSC_UCX_CLOSES[0]);
        let words = format!("ok\n{closing}[1.2] ucp_ep.c:1667 {}\n", OSC_UCX_CLOSES[1]);
        let left = |mpi, name| without_osc_ucx_closing(mpi, way(name), &words);
        assert_eq!(left(Mpi::Openmpi, "2x2-rma"), "ok\n");
        for (mpi, name) in [(Mpi::Mpich, "2x2-rma"), (Mpi::Openmpi, "2x2-ucx"), (Mpi::Openmpi, "rma")] {
            assert_eq!(left(mpi, name), words);
        }
        let other = "ok\n[1.2] UCX  ERROR req 0x1: error during flush: Input/output error\n";
        assert_eq!(without_osc_ucx_closing(Mpi::Openmpi, way("2x2-rma"), other), other);
    }

    #[test]
    fn only_a_connection_that_came_too_early_is_no_fault() {
        let dashes = "-".repeat(74);
        let message = |ips: &str| {
            format!("{dashes}\n{} from a peer\n\n  Peer: x\n  Known IPs of peer:   {ips}\n{dashes}\n", TOO_EARLY[0])
        };
        let left = |words: &str| without_open_mpis_words(Mpi::Openmpi, words);
        let again = format!("[vm:7] 1 more process has sent help message {}\n", TOO_EARLY_AGAIN[0]);
        let twice = message("NONE") + &message("NONE") + &again;
        assert_eq!(left(&twice), (String::new(), true));
        assert_eq!(left(&format!("a\n{twice}b\n")), ("a\nb\n".into(), true));
        let other = format!("{dashes}\nNo network.\n{dashes}\n");
        assert_eq!(left(&(message("NONE") + &other + "b\n")), (other.clone() + "b\n", true));
        assert_eq!(left(&(other.clone() + &message("NONE"))), (other.clone(), true));
        for fault in [message("10.0.0.1"), other, again] {
            assert_eq!(left(&fault), (fault.clone(), false));
        }
        assert_eq!(without_open_mpis_words(Mpi::Mpich, &twice), (twice.clone(), false));
    }

    #[test]
    fn shell_lines_are_quoted() {
        let mut c = Command::new("prog");
        c.args(["a b", "it's", "plain-1.2"]).env("K", "1 G");
        assert_eq!(shell_line(&c), r#"K='1 G' prog 'a b' "it's" plain-1.2"#);
    }
}
