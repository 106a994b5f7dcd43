//! Starts one rank: fork, and the steps between fork and exec.

use crate::control::Failure;
use crate::plan::{Plan, Program, Word};
use crate::poll;
use crate::sys::{self, Inherited};
use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::sched::CpuSet;
use nix::unistd::{ForkResult, Pid};
use std::ffi::{CString, OsStr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A program in the form that exec needs, made once for all ranks of a node.
pub struct Prepared {
    path: CString,
    argv: Vec<CString>,
    wdir: CString,
    /// NAME=VALUE of the variables that all ranks have in common.
    env: Vec<CString>,
}

/// Settings that all ranks of a node have in common.
pub struct Common {
    /// Whether each rank gets a session; otherwise a process group.
    pub session: bool,
    pub inherited: Inherited,
    /// The pipe into which a child reports that it could not start the program.
    pub exec_failure: OwnedFd,
}

/// How one rank starts.
pub struct Start {
    /// The CPUs that it is bound to.
    pub cpus: Option<CpuSet>,
    /// It stops at its first instruction, for a debugger: see [`leave_stopped`].
    pub stops: bool,
}

/// The descriptors of one rank.
pub struct Ends<'a> {
    pub stdin: BorrowedFd<'a>,
    pub stdout: BorrowedFd<'a>,
    pub stderr: BorrowedFd<'a>,
    /// Descriptors that stay open in the program, under the same numbers.
    pub keep: Vec<BorrowedFd<'a>>,
}

impl Prepared {
    /// Finds the program as a shell does. A failure has the exit code that a shell would give.
    pub fn new(plan: &Plan, program: &Program) -> Result<Prepared, Failure> {
        let mut env = plan.env.clone();
        env.retain(|(name, _)| !program.without.contains(name));
        for (name, value) in &program.env {
            crate::plan::set(&mut env, name, value.clone());
        }
        let path = path(&env);
        if !program.wdir().is_dir() {
            let text = format!("the directory {} is not there", program.wdir().display());
            return Err(Failure { code: 127, text });
        }
        let found = find(program.name(), program.wdir(), path)?;
        let c = |bytes: &[u8]| {
            let text = || format!("{:?} holds a NUL", String::from_utf8_lossy(bytes));
            CString::new(bytes).map_err(|_| Failure { code: 126, text: text() })
        };
        Ok(Prepared {
            path: c(found.as_os_str().as_bytes())?,
            argv: program.argv.iter().map(|w| c(w)).collect::<Result<_, _>>()?,
            wdir: c(&program.wdir)?,
            env: env.iter().map(|(n, v)| c(&[n, &b"="[..], v].concat())).collect::<Result<_, _>>()?,
        })
    }

    /// Starts the program. `own` are this rank's variables. A failure after the fork is reported through
    /// `exec_failure`.
    pub fn start(&self, common: &Common, rank: u32, own: &[(String, String)], how: Start, ends: &Ends) -> Result<Pid> {
        let named = |entry: &CString, name: &str| {
            entry.as_bytes().strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))
        };
        let extra = own.iter().map(|(n, v)| CString::new(format!("{n}={v}")).context("a variable holds a NUL"));
        let extra = extra.collect::<Result<Vec<_>>>()?;
        let inherited = self.env.iter().filter(|e| !own.iter().any(|(n, _)| named(e, n)));
        let pointers = |strings: &mut dyn Iterator<Item = &CString>| {
            strings.map(|s| s.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>()
        };
        let envp = pointers(&mut inherited.chain(&extra));
        let argv = pointers(&mut self.argv.iter());
        let child = Child {
            path: self.path.as_ptr(),
            argv: argv.as_ptr(),
            envp: envp.as_ptr(),
            wdir: self.wdir.as_ptr(),
            parent: Pid::this(),
            rank,
            common,
            how,
            ends,
        };
        // SAFETY: the child makes system calls only until it execs or exits, so other threads (libpmix has one) do not
        // matter.
        match unsafe { nix::unistd::fork() }.map_err(sys::no_process)? {
            ForkResult::Parent { child } => Ok(child),
            ForkResult::Child => child.become_program(),
        }
    }
}

/// The file of a program, if there is one.
pub fn file(plan: &Plan, program: &Program) -> Option<PathBuf> {
    find(program.name(), program.wdir(), path(&program.env).or_else(|| path(&plan.env))).ok()
}

fn path(env: &[(Word, Word)]) -> Option<Word> {
    env.iter().rfind(|(n, _)| n == b"PATH").map(|(_, v)| v.clone())
}

/// All that the child needs. It is prepared before the fork, so that the child allocates nothing.
struct Child<'a> {
    path: *const libc::c_char,
    argv: *const *const libc::c_char,
    envp: *const *const libc::c_char,
    wdir: *const libc::c_char,
    parent: Pid,
    rank: u32,
    common: &'a Common,
    how: Start,
    ends: &'a Ends<'a>,
}

/// The step at which a child failed, for a message.
const STEPS: [&str; 6] =
    ["start", "bind to its cores", "arrange its descriptors", "enter its directory", "run", "stop for a debugger"];

impl Child<'_> {
    fn become_program(self) -> ! {
        let (step, errno) = self.steps();
        let report = ExecFailure { rank: self.rank, step, errno: errno as i32 };
        let _ = poll::write(self.common.exec_failure.as_fd(), &report.bytes());
        // SAFETY: ends the child without running what the parent has registered for its own end.
        unsafe { libc::_exit(127) }
    }

    /// Returns only if a step fails: its number, and the error.
    fn steps(&self) -> (u32, Errno) {
        // SAFETY: plain system calls and pointers to memory that the fork copied.
        unsafe {
            if self.common.session {
                libc::setsid();
            } else {
                libc::setpgid(0, 0);
            }
            // The program must not outlive its node server. The signal comes when the thread that has forked ends; the
            // node server forks on its only thread.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid() != self.parent.as_raw() {
                return (0, Errno::ESRCH);
            }
            // Rust ignores SIGPIPE; programs expect to be ended by it.
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        }
        if let Some(cpus) = &self.how.cpus
            && let Err(e) = nix::sched::sched_setaffinity(Pid::from_raw(0), cpus)
        {
            return (1, e);
        }
        for (fd, at) in [(self.ends.stdin, 0), (self.ends.stdout, 1), (self.ends.stderr, 2)] {
            if let Err(e) = place_at(fd.as_raw_fd(), at) {
                return (2, e);
            }
        }
        for fd in &self.ends.keep {
            // SAFETY: F_SETFD changes the flag of an open descriptor.
            if unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, 0) } != 0 {
                return (2, Errno::last());
            }
        }
        // SAFETY: strings and arrays are NUL-terminated and live in this process' copy of the parent's memory.
        unsafe {
            if libc::chdir(self.wdir) != 0 {
                return (3, Errno::last());
            }
            let _ = self.common.inherited.restore();
            if self.how.stops {
                // Where the kernel is told to let none but ancestors attach (Yama), any process of this user may.
                libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY);
                if libc::ptrace(libc::PTRACE_TRACEME) != 0 {
                    return (5, Errno::last());
                }
            }
            libc::execve(self.path, self.argv, self.envp);
        }
        (4, Errno::last())
    }
}

/// Waits until a child that lets itself be traced has become its program, and leaves it stopped there. It goes on at
/// SIGCONT, or when a debugger that attaches lets it. A child that ends instead is left for `sys::ended_child`.
pub fn leave_stopped(pid: Pid) {
    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    let look = WaitPidFlag::WEXITED | WaitPidFlag::WSTOPPED | WaitPidFlag::WNOWAIT;
    if let Ok(WaitStatus::Stopped(..) | WaitStatus::PtraceEvent(..)) = waitid(Id::Pid(pid), look) {
        let signal = libc::SIGSTOP as libc::c_long;
        // SAFETY: takes numbers only; the child stops and is no longer traced.
        unsafe { libc::ptrace(libc::PTRACE_DETACH, pid.as_raw(), std::ptr::null_mut::<u8>(), signal) };
    }
}

/// Makes `fd` the descriptor `at`, open in the program.
fn place_at(fd: RawFd, at: RawFd) -> Result<(), Errno> {
    // SAFETY: both are numbers; an open descriptor is duplicated or its flag changed.
    let result = unsafe { if fd == at { libc::fcntl(fd, libc::F_SETFD, 0) } else { libc::dup2(fd, at) } };
    Errno::result(result).map(drop)
}

/// A child's report that it could not start its program.
#[derive(Clone, Copy)]
pub struct ExecFailure {
    pub rank: u32,
    step: u32,
    errno: i32,
}

impl ExecFailure {
    /// The bytes of a report. A pipe does not split a write as short as this (`PIPE_BUF`).
    pub const LENGTH: usize = 12;

    fn bytes(self) -> [u8; ExecFailure::LENGTH] {
        let mut report = [0; ExecFailure::LENGTH];
        for (place, number) in report.chunks_mut(4).zip([self.rank, self.step, self.errno as u32]) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        report
    }

    pub fn read(report: &[u8]) -> Option<ExecFailure> {
        let number = |at: usize| Some(u32::from_ne_bytes(report.get(at..at + 4)?.try_into().ok()?));
        Some(ExecFailure { rank: number(0)?, step: number(4)?, errno: number(8)? as i32 })
    }

    /// The message, and the exit code.
    pub fn told(self, program: &Path) -> Failure {
        let what = STEPS.get(self.step as usize).unwrap_or(&STEPS[0]);
        let why = match Errno::from_raw(self.errno) {
            Errno::ENOEXEC => {
                "it is no program for this machine (a script starts with a line such as #!/bin/sh)".to_string()
            }
            Errno::ENOENT if self.step == 4 => "the interpreter or loader that it names is not there".to_string(),
            e => e.desc().to_lowercase(),
        };
        Failure { code: 126, text: format!("{} could not {what}: {why}", program.display()) }
    }
}

/// The file that a name means: a path relative to `wdir`, or the first executable in PATH.
fn find(name: &Path, wdir: &Path, path: Option<Word>) -> Result<PathBuf, Failure> {
    let shown = name.display();
    let fail = |code, text| Err(Failure { code, text });
    if name.as_os_str().is_empty() {
        return fail(127, "the program's name is empty".into());
    }
    if name.as_os_str().as_bytes().contains(&b'/') {
        let file = wdir.join(name);
        return match std::fs::metadata(&file) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => fail(127, format!("program {shown} is not there")),
            Err(e) => fail(126, format!("program {shown} cannot be reached: {e}")),
            Ok(m) if m.is_dir() => fail(126, format!("{shown} is a directory, not a program")),
            Ok(m) if !m.is_file() => fail(126, format!("{shown} is no regular file, so no program")),
            Ok(m) if m.permissions().mode() & 0o111 == 0 => {
                fail(126, format!("{shown} is not executable (chmod +x {shown}?)"))
            }
            Ok(_) => Ok(file),
        };
    }
    let path = path.unwrap_or_else(|| b"/usr/local/bin:/usr/bin:/bin".to_vec());
    for dir in path.split(|&b| b == b':') {
        let file = wdir.join(Path::new(OsStr::from_bytes(dir))).join(name);
        if std::fs::metadata(&file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0) {
            return Ok(file);
        }
    }
    match wdir.join(name).is_file() {
        true => fail(127, format!("program {shown} is not in PATH (it is in {}: say ./{shown})", wdir.display())),
        false => fail(127, format!("program {shown} is not in PATH")),
    }
}

/// `/dev/null`, for ranks without standard input.
pub fn null() -> Result<OwnedFd> {
    let file = std::fs::File::open("/dev/null").context("cannot open /dev/null")?;
    Ok(file.into())
}
