//! A job on several hosts that a test has started, and all its processes.

use crate::processes::{self, Mark};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for any machine; what takes longer hangs.
pub const LONG: Duration = Duration::from_secs(90);

/// An oshrun that runs, or a command that has started it.
pub struct Running {
    child: Child,
    mark: Mark,
}

impl Running {
    pub fn start(mut c: Command) -> Result<Running> {
        let mark = Mark::new("oshmpi-hosts.");
        mark.put(&mut c);
        c.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = c.spawn().with_context(|| format!("cannot start {c:?}"))?;
        Ok(Running { child, mark })
    }

    /// Waits until so many processes of the job run a program of this name; returns them.
    pub fn wait_for(&self, name: &str, count: usize) -> Result<Vec<i32>> {
        let start = Instant::now();
        loop {
            let all = self.there();
            let found: Vec<i32> = all.iter().filter(|(_, n)| n.as_str() == name).map(|(pid, _)| *pid).collect();
            if found.len() >= count {
                return Ok(found);
            }
            if start.elapsed() > LONG {
                bail!("{} of {count} {name} are there: {all:?}", found.len());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The end of oshrun, and what is there 20 s later (nothing, at once, as a rule).
    pub fn end(mut self) -> Result<(Output, BTreeMap<i32, String>)> {
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            if start.elapsed() > LONG {
                bail!("oshrun did not end; there are {:?}", self.there());
            }
            thread::sleep(Duration::from_millis(5));
        }
        let start = Instant::now();
        let left = loop {
            let left = self.there();
            if left.is_empty() || start.elapsed() > Duration::from_secs(20) {
                break left;
            }
            thread::sleep(Duration::from_millis(10));
        };
        // What is left may hold the other ends of the pipes.
        self.mark.end();
        let read = |pipe: &mut dyn Read| {
            let mut all = Vec::new();
            pipe.read_to_end(&mut all).map(|_| all)
        };
        let stdout = read(self.child.stdout.as_mut().expect("stdout is piped"))?;
        let stderr = read(self.child.stderr.as_mut().expect("stderr is piped"))?;
        Ok((Output { status: self.child.wait()?, stdout, stderr }, left))
    }

    /// The process that was started.
    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Its processes by number and name, on all hosts.
    pub fn there(&self) -> BTreeMap<i32, String> {
        self.mark.processes().into_iter().map(|pid| (pid, processes::name(pid))).collect()
    }
}

impl Drop for Running {
    /// A test that fails leaves nothing either.
    fn drop(&mut self) {
        self.mark.end();
        // It has ended by itself or was ended now, and it may have been waited for.
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_started_is_ended_when_a_test_gives_up() {
        let mark = Mark::new("oshmpi-hosts.");
        let mut c = Command::new("sh");
        mark.put(&mut c);
        let child = c.args(["-c", "setsid sleep 1000 & sleep 1000"]).spawn().unwrap();
        let pid = child.id();
        let running = Running { child, mark };
        running.wait_for("sleep", 2).unwrap();
        let started = running.there();
        drop(running);
        let alive = |pid: &i32| processes::command_line(*pid).contains("sleep 1000");
        assert!(started.contains_key(&(pid as i32)) && !started.keys().any(alive), "{started:?}");
    }
}
