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
    pub fn end(self) -> Result<(Output, BTreeMap<i32, String>)> {
        self.end_within(LONG)
    }

    /// The end of a command that has to end in this time.
    pub fn end_within(mut self, limit: Duration) -> Result<(Output, BTreeMap<i32, String>)> {
        if !self.ends_within(limit)? {
            bail!("did not end in {limit:?}; there are {:?}", self.there());
        }
        let left = self.mark.stay(Duration::from_secs(20));
        let left = left.into_iter().map(|pid| (pid, processes::name(pid))).collect();
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

    fn ends_within(&mut self, limit: Duration) -> Result<bool> {
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            if start.elapsed() > limit {
                return Ok(false);
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(true)
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
    /// A test that fails leaves nothing either. A task that was started removes its hosts when what runs there is gone.
    fn drop(&mut self) {
        let task = self.pid();
        processes::end(|| self.mark.processes().into_iter().filter(|&pid| pid != task).collect());
        let _ = self.ends_within(Duration::from_secs(10));
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
        let dir = tempfile::tempdir().unwrap();
        let done = dir.path().join("done");
        let mut c = Command::new("sh");
        // The task waits for its launcher, then does what is left to do.
        c.args(["-c", "setsid sleep 1000 & sleep 1000; : >\"$0\""]).arg(&done);
        let running = Running::start(c).unwrap();
        running.wait_for("sleep", 2).unwrap();
        let started = running.there();
        let (pid, error) = (running.pid(), running.end_within(Duration::ZERO).unwrap_err().to_string());
        let alive = |pid: &i32| processes::command_line(*pid).contains("sleep 1000");
        assert!(started.contains_key(&pid) && !started.keys().any(alive), "{started:?}");
        assert!(error.starts_with("did not end") && done.exists(), "{error}");
    }
}
