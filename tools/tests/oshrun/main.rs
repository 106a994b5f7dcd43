//! The command oshrun: what it starts and prints, its exit codes, and that it leaves nothing behind.

mod allocation;
mod ends;
mod hosts;
mod jobs;
mod others;
mod pmi;
mod pmix;
mod runs;
mod strangers;
mod tree;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a run may take. A run that takes longer hangs; a shorter time could fail on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// A variable in the environment of every process of a run.
const MARK: &str = "TEST_OF_OSHRUN";

/// A run that has not been started.
struct Run {
    command: Command,
    mark: String,
    input: Vec<u8>,
}

/// A run that has been started.
struct Running {
    child: Child,
    mark: String,
}

/// The result of a run.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

/// `oshrun` with these arguments.
fn oshrun(words: &[&str]) -> Run {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // Relaxed: the numbers only have to differ.
    let mark = format!("{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let mut command = Command::new(env!("CARGO_BIN_EXE_oshrun"));
    command.args(words).env(MARK, &mark).env_remove("MPIEXEC_TIMEOUT");
    // The tests may run in a batch job, which must have no effect.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["SLURM", "LSB_", "PBS_", "PMI_", "OMPI_"].iter().any(|p| text.starts_with(p)) {
            command.env_remove(name);
        }
    }
    // The tests may have been started with interrupts ignored, as a shell's background jobs are.
    let usual = &[libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGCHLD];
    Run { command, mark, input: Vec::new() }.disposed(usual, libc::SIG_DFL)
}

/// `oshrun -n N [options] sh -c script`.
fn shell(options: &[&str], script: &str) -> Run {
    oshrun(&[options, &["sh", "-c", script]].concat())
}

/// Makes a program of this text, and returns its path.
fn executable(dir: &tempfile::TempDir, name: &str, text: &str) -> String {
    let file = dir.path().join(name);
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file.to_str().unwrap().to_string()
}

impl Run {
    fn input(mut self, bytes: impl Into<Vec<u8>>) -> Run {
        self.input = bytes.into();
        self
    }

    fn env(mut self, name: &str, value: &str) -> Run {
        self.command.env(name, value);
        self
    }

    /// Starts oshrun with these signals ignored, as nohup does.
    fn ignoring(self, signals: &'static [i32]) -> Run {
        self.disposed(signals, libc::SIG_IGN)
    }

    fn disposed(mut self, signals: &'static [i32], how: libc::sighandler_t) -> Run {
        let set = move || {
            for &s in signals {
                // SAFETY: sets a disposition; no handler.
                unsafe { libc::signal(s, how) };
            }
            Ok(())
        };
        // SAFETY: the child makes system calls only.
        unsafe { self.command.pre_exec(set) };
        self
    }

    /// Starts oshrun with these limits on open descriptors.
    fn descriptors(mut self, soft: u64, hard: u64) -> Run {
        let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
        // SAFETY: the child makes one system call.
        unsafe {
            self.command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_NOFILE, &limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            })
        };
        self
    }

    fn start(mut self) -> Running {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = self.input;
        // The write fails if the program does not read all input.
        thread::spawn(move || drop(stdin.write_all(&input)));
        Running { child, mark: self.mark }
    }

    /// Waits for the end and checks that no process is left.
    fn end(self) -> Ended {
        self.start().end()
    }

    fn fails(self, code: i32, words: &[&str]) {
        self.end().fails(code, words);
    }
}

impl Running {
    fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    fn signal(&self, number: i32) {
        signal(self.pid(), number);
    }

    fn end(self) -> Ended {
        let mark = self.mark.clone();
        let pid = self.pid();
        let (done, over) = std::sync::mpsc::channel();
        thread::spawn(move || done.send(self.child.wait_with_output()));
        let output: Output = match over.recv_timeout(LONG) {
            Ok(output) => output.unwrap(),
            Err(_) => {
                let left = processes(&mark);
                signal(pid, libc::SIGKILL);
                panic!("oshrun did not end; there are {left:?}");
            }
        };
        nothing_stays(&mark);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Waits until this number of processes of the job run a program of this name, and returns them.
    fn wait_for(&self, name: &str, count: usize) -> Vec<i32> {
        let mut found = Vec::new();
        wait_until(&format!("there are not {count} {name}"), || {
            found = processes(&self.mark).into_iter().filter(|p| p.name == name).map(|p| p.pid).collect();
            found.len() >= count
        });
        found
    }

    /// The server of the only node: the process named oshrun that this test has not started itself.
    fn node_server(&self) -> i32 {
        let all = self.wait_for("oshrun", 2);
        all.into_iter().find(|&p| p != self.pid()).unwrap()
    }
}

impl Ended {
    /// The output's lines in alphabetical order, since the order of different ranks varies.
    fn sorted(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.out.lines().collect();
        lines.sort_unstable();
        lines
    }

    /// Checks the exit code, and that standard error is one line of oshrun with these words.
    fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{words:?} {}", self.err);
        self.says(words);
    }

    /// Checks that standard error is this one line of oshrun.
    fn says(&self, words: &[&str]) {
        let lines: Vec<&str> = self.err.lines().collect();
        assert_eq!(lines.len(), 1, "expected one line: {:?}", self.err);
        assert!(lines[0].starts_with("oshrun: "), "{:?}", self.err);
        for w in words {
            assert!(lines[0].contains(w), "{w:?} is not in {:?}", self.err);
        }
    }
}

#[derive(Debug)]
struct Process {
    pid: i32,
    name: String,
}

/// The processes of a run, in any session.
fn processes(mark: &str) -> Vec<Process> {
    let entry = format!("{MARK}={mark}");
    let mut found = Vec::new();
    for dir in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = dir.file_name().to_str().and_then(|n| n.parse().ok()) else { continue };
        let env = fs::read(dir.path().join("environ")).unwrap_or_default();
        if env.split(|&b| b == 0).any(|e| e == entry.as_bytes()) {
            let name = fs::read_to_string(dir.path().join("comm")).unwrap_or_default().trim().to_string();
            found.push(Process { pid, name });
        }
    }
    found
}

/// The fields of a process behind its name in /proc/PID/stat: its state, its parent, ... Of one that has gone there are
/// none.
fn stat(pid: i32) -> Vec<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = text.rsplit_once(") ").map(|(_, rest)| rest.split(' ').map(String::from).collect());
    fields.unwrap_or_default()
}

/// Waits until it is so.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits a short time for the last processes to end.
fn nothing_stays(mark: &str) {
    let end = Instant::now() + Duration::from_secs(20);
    while !processes(mark).is_empty() && Instant::now() < end {
        thread::sleep(Duration::from_millis(10));
    }
    let left = processes(mark);
    left.iter().for_each(|p| signal(p.pid, libc::SIGKILL));
    assert!(left.is_empty(), "left behind: {left:?}");
}

fn signal(pid: i32, number: i32) {
    // SAFETY: kill takes numbers only, and the process belongs to this test.
    unsafe { libc::kill(pid, number) };
}
