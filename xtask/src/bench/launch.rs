//! Runs one program to its end or to its time limit.

use anyhow::{Context, Result};
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The time between two polls of a running program. Rare, because a poll takes time from a core that is measured.
const POLL: Duration = Duration::from_millis(20);
/// What a launcher gets to end its processes after SIGTERM.
const GRACE: Duration = Duration::from_secs(5);

pub struct Outcome {
    pub stdout: String,
    pub stderr: String,
    /// None: the program was ended at the time limit.
    pub status: Option<ExitStatus>,
}

impl Outcome {
    /// Why the run is not a good one; None if it is.
    pub fn complaint(&self) -> Option<String> {
        let how = match self.status {
            Some(s) if s.success() => return None,
            Some(s) => s.to_string(),
            None => "no end within the time limit".to_string(),
        };
        // Launchers draw frames, and print messages on stdout, where a table may be too.
        let words = |l: &&str| l.chars().any(char::is_alphabetic);
        let trouble = |l: &&str| ["abort", "error", "signal", "terminat"].iter().any(|w| l.to_lowercase().contains(w));
        let message = self.stderr.lines().find(words).or_else(|| self.stdout.lines().find(trouble));
        Some(match message {
            Some(line) => format!("{how}: {}", line.trim_matches(|c: char| c == '=' || c.is_whitespace())),
            None => how,
        })
    }
}

/// Starts `command` in a new process group, without input, and waits at most `limit`.
pub fn run(command: &mut Command, limit: Duration) -> Result<Outcome> {
    // Files instead of pipes: nobody has to read while the program is being measured.
    let mut out = tempfile::tempfile()?;
    let mut err = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let group = i32::try_from(child.id()).context("process id")?;

    let begun = Instant::now();
    let mut status = None;
    let mut asked_to_end = false;
    loop {
        if let Some(s) = child.try_wait()? {
            if asked_to_end {
                signal(-group, libc::SIGKILL);
            } else {
                status = Some(s);
            }
            break;
        }
        if !asked_to_end && begun.elapsed() > limit {
            // The launcher first: it knows the processes that it started, which may have left the group.
            signal(group, libc::SIGTERM);
            asked_to_end = true;
        } else if asked_to_end && begun.elapsed() > limit + GRACE {
            signal(-group, libc::SIGKILL);
            child.wait()?;
            break;
        }
        std::thread::sleep(POLL);
    }
    let text = |f: &mut std::fs::File| -> Result<String> {
        let mut bytes = Vec::new();
        f.rewind()?;
        f.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(Outcome { stdout: text(&mut out)?, stderr: text(&mut err)?, status })
}

fn signal(target: i32, number: i32) {
    // SAFETY: kill takes two numbers and touches no memory. The target is a child of this process or the group that the
    // child leads. The system does not give the group's number out again within 20 ms of its leader's end.
    unsafe { libc::kill(target, number) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Outcome {
        run(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    fn output_and_status() {
        let good = shell("echo figures; echo noise >&2", Duration::from_secs(20));
        assert_eq!((good.stdout.as_str(), good.stderr.as_str()), ("figures\n", "noise\n"));
        assert_eq!(good.complaint(), None);
        let bad = shell("echo figures; echo '---' >&2; echo broken >&2; exit 3", Duration::from_secs(20));
        assert_eq!(bad.stdout, "figures\n");
        assert_eq!(bad.complaint().unwrap(), "exit status: 3: broken");
        let framed = shell("echo 8 0.1; echo '=   BAD TERMINATION'; exit 9", Duration::from_secs(20));
        assert_eq!(framed.complaint().unwrap(), "exit status: 9: BAD TERMINATION");
    }

    #[test]
    fn the_time_limit_ends_it() {
        let begun = Instant::now();
        let late = shell("echo first; sleep 600", Duration::from_millis(200));
        assert!(late.status.is_none());
        assert_eq!(late.stdout, "first\n");
        assert!(late.complaint().unwrap().starts_with("no end within the time limit"));
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}
