//! Standard streams that are closed, full, slow, or whose reader has gone.

use super::inject::Place;
use crate::ctest::leftovers::{End, Scene};
use crate::util::Launcher;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The word of `cargo xtask faults` for these runs alone.
pub const WORD: &str = "streams";

const PES: usize = 2;
/// Bytes that the program's PEs print together, as in `tests/faults/phases.c`.
const PRINTED: usize = PES * 2000 * 100;

/// How long a run may take on an idle machine. The slow reader takes 2 s.
const LIMIT: Duration = Duration::from_secs(15);

/// What is done with the streams of the launcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Streams {
    Closed(&'static [i32]),
    /// Standard output is /dev/full.
    Full,
    /// Its reader takes a little at a time.
    Slow,
    /// Its reader leaves after the first bytes.
    ReaderLeaves,
    /// Its reader takes nothing, and the user interrupts the job.
    NobodyReads,
}

const CASES: [(&str, Streams); 8] = [
    ("standard input closed", Streams::Closed(&[0])),
    ("standard output closed", Streams::Closed(&[1])),
    ("standard error closed", Streams::Closed(&[2])),
    ("all three closed", Streams::Closed(&[0, 1, 2])),
    ("standard output is a full disk (/dev/full)", Streams::Full),
    ("a reader that takes 8 KiB every 40 ms", Streams::Slow),
    ("a reader that leaves after 1 KiB", Streams::ReaderLeaves),
    ("a reader that takes nothing, then Ctrl-C", Streams::NobodyReads),
];

/// All runs, with both launchers: how many there were, and how many were bad. Hydra's mpiexec itself fails when its
/// standard output or error is closed. Bad ones are told, and with `show` the others too.
pub fn check(place: &Place, show: bool) -> Result<(usize, usize)> {
    let (mut runs, mut bad) = (0, 0);
    for launcher in Launcher::ALL {
        for (name, streams) in CASES {
            if launcher == Launcher::Mpiexec && matches!(streams, Streams::Closed(numbers) if numbers != [0]) {
                continue;
            }
            let (fault, told) = run(launcher, streams, place)?;
            if fault.is_some() || show {
                let fault = fault.as_ref().map_or(String::new(), |fault| format!("FAILED: {fault}; "));
                println!("{}, {name}: {fault}{told}", launcher.name());
            }
            runs += 1;
            bad += usize::from(fault.is_some());
        }
    }
    Ok((runs, bad))
}

/// What was bad about one, and how it ended.
fn run(launcher: Launcher, streams: Streams, place: &Place) -> Result<(Option<String>, String)> {
    let scene = Scene::new(place.private)?;
    let mut c = launcher.command(place.mpi, PES);
    c.arg(&place.program).args(["print", "."]);
    scene.enter(&mut c)?;
    c.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match streams {
        Streams::Closed(numbers) => close_before_exec(&mut c, numbers),
        Streams::Full => {
            c.stdout(File::create("/dev/full").context("cannot open /dev/full")?);
        }
        _ => {}
    }
    let begun = Instant::now();
    let mut child = c.spawn().with_context(|| format!("cannot start {c:?}"))?;
    let complaint = child.stderr.take().map(|mut stderr| {
        thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        })
    });
    let reader = child.stdout.take().map(|stdout| thread::spawn(move || read(stdout, streams)));
    let mut interrupted = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if streams == Streams::NobodyReads && !interrupted && begun.elapsed() > Duration::from_secs(2) {
            // SAFETY: kill takes numbers only, and the child has not been waited for.
            unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
            interrupted = true;
        }
        if begun.elapsed() > LIMIT * place.slow {
            break None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let took = begun.elapsed();
    let no_launcher = launcher == Launcher::Oshrun;
    let end = End { killed: interrupted, early: true, no_launcher, ..End::default() };
    let left = match status {
        Some(_) => scene.remains(place.mpi, &end).faults,
        None => vec!["it does not end".into()],
    };
    scene.kill();
    let _ = child.wait();
    let complaint = complaint.map_or(String::new(), |t| t.join().unwrap_or_default());
    let taken = reader.map_or(0, |t| t.join().unwrap_or_default());
    let success = status.is_some_and(|s| s.success());
    let ours = launcher == Launcher::Oshrun;
    let fault = match streams {
        _ if !left.is_empty() => Some(left.join("; ")),
        Streams::Closed(_) if !success => Some("it fails".into()),
        // mpiexec may say nothing about output that it has lost.
        Streams::Full if ours && (success || !complaint.contains("No space left")) => Some("it is not told".into()),
        Streams::Slow if !success || taken != PRINTED => Some(format!("{taken} of {PRINTED} bytes have come")),
        Streams::NobodyReads if success => Some("it ends with 0".into()),
        _ => None,
    };
    let line = complaint.lines().find(|l| l.chars().any(char::is_alphabetic)).unwrap_or_default().trim().to_string();
    let end = status.map_or("no end".to_string(), |s| s.to_string());
    Ok((fault, format!("{:.1} s, {end}: {line}", took.as_secs_f64())))
}

/// Reads the job's output as the case says. Returns the number of bytes.
fn read(mut stdout: ChildStdout, streams: Streams) -> usize {
    let mut buffer = [0; 8192];
    let mut taken = 0;
    match streams {
        Streams::ReaderLeaves => taken = stdout.read(&mut buffer[..1024]).unwrap_or(0),
        Streams::NobodyReads => thread::sleep(LIMIT),
        _ => {
            while let Ok(n @ 1..) = stdout.read(&mut buffer) {
                taken += n;
                if streams == Streams::Slow {
                    thread::sleep(Duration::from_millis(40));
                }
            }
        }
    }
    taken
}

fn close_before_exec(c: &mut Command, numbers: &'static [i32]) {
    let close = move || {
        for &number in numbers {
            // SAFETY: close takes a number; the command's own descriptors have others.
            unsafe { libc::close(number) };
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls only.
    unsafe { c.pre_exec(close) };
}
