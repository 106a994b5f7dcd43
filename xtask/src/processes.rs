//! Processes that launchers have started, found through /proc in any session, process group or namespace.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Every process of a run has this variable in its environment, with a value that no other run has.
const VARIABLE: &str = "OSHMPI_XTASK_RUN";

/// Tells the processes of one run from all others.
pub struct Mark(String);

impl Mark {
    /// A new mark: `prefix`, this process's id, and a number.
    pub fn new(prefix: &str) -> Mark {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // Relaxed: only the numbers must differ.
        Mark(format!("{prefix}{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Fit for the name of a file too.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// What this command starts belongs to the run.
    pub fn put(&self, c: &mut Command) {
        c.env(VARIABLE, &self.0);
    }

    /// The run's processes that are there.
    pub fn processes(&self) -> Vec<i32> {
        let entry = format!("{VARIABLE}={}", self.0);
        all(|pid| environment(pid).split(|&b| b == 0).any(|e| e == entry.as_bytes()))
    }

    /// The run's processes that are there after `limit`, or none as soon as there is none.
    pub fn stay(&self, limit: Duration) -> Vec<i32> {
        let deadline = Instant::now() + limit;
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() > deadline {
                return left;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends them all.
    pub fn end(&self) {
        end(|| self.processes());
    }
}

/// Ends, one by one and by their numbers, those that are found.
pub fn end(find: impl Fn() -> Vec<i32>) {
    // Launchers start more while they die: look again until nobody is there.
    for _ in 0..50 {
        let left = find();
        if left.is_empty() {
            return;
        }
        for pid in left {
            // SAFETY: kill takes numbers only. The process was found to be of the run a moment ago.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// The parent of a process, if it is there.
pub fn parent(pid: i32) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|l| l.strip_prefix("PPid:")?.trim().parse().ok())
}

/// The name of what a process runs; empty if it is gone.
pub fn name(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned()
}

/// Whether a process runs this program.
pub fn runs(pid: i32, program: &Path) -> bool {
    let file = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    let run = file(Path::new(&format!("/proc/{pid}/exe")));
    run.is_some() && run == file(program)
}

/// A process's command line; empty if it is gone.
pub fn command_line(pid: i32) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ").trim().to_string()
}

fn all(ours: impl Fn(i32) -> bool) -> Vec<i32> {
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    names.filter_map(|e| e.file_name().to_str()?.parse().ok()).filter(|&pid| ours(pid)).collect()
}

/// A process's environment as it was started with; empty if it is gone, or has none.
fn environment(pid: i32) -> Vec<u8> {
    // In the middle of an exec the new memory is there and its environment is not yet: a process that has an
    // executable and no environment is asked again. (Kernel threads and the dead have no executable.)
    for _ in 0..100 {
        let env = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if !env.is_empty() || fs::read_link(format!("/proc/{pid}/exe")).is_err() {
            return env;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_and_ended_and_another_is_not() {
        let (one, other) = (Mark::new("test."), Mark::new("test."));
        let start = |mark: &Mark| {
            let mut c = Command::new("sleep");
            mark.put(&mut c);
            c.arg("60").spawn().unwrap()
        };
        let (mut first, mut second) = (start(&one), start(&other));
        let pid = first.id() as i32;
        assert_eq!((one.processes(), name(pid).as_str(), command_line(pid).as_str()), (vec![pid], "sleep", "sleep 60"));
        assert_eq!(one.stay(Duration::from_millis(30)), [pid]);
        assert!(runs(pid, &fs::read_link(format!("/proc/{pid}/exe")).unwrap()) && !runs(pid, Path::new("/bin/cat")));
        one.end();
        assert!(!first.wait().unwrap().success() && second.try_wait().unwrap().is_none());
        other.end();
        assert!(!second.wait().unwrap().success());
    }
}
