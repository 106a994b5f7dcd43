//! `cargo xtask refuse`: a command to which the kernel refuses some system calls, as the seccomp filter of a container does. All that
//! the command starts has the same filter.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// How they are refused
    #[arg(long, value_enum, default_value = "eperm")]
    with: With,
    /// System calls, separated by commas
    calls: String,
    /// The command and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<String>,
}

/// What a refused call fails with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum With {
    /// A filter's no
    Eperm,
    /// As a kernel that does not know the call
    Enosys,
}

impl With {
    fn number(self) -> i32 {
        match self {
            With::Eperm => libc::EPERM,
            With::Enosys => libc::ENOSYS,
        }
    }
}

/// Calls that the library or a launcher makes and could do without, or that containers are known to refuse.
const CALLS: &[(&str, libc::c_long)] = &[
    ("close_range", libc::SYS_close_range),
    ("clone3", libc::SYS_clone3),
    ("futex_waitv", libc::SYS_futex_waitv),
    ("getrandom", libc::SYS_getrandom),
    ("io_uring_setup", libc::SYS_io_uring_setup),
    ("madvise", libc::SYS_madvise),
    ("membarrier", libc::SYS_membarrier),
    ("memfd_create", libc::SYS_memfd_create),
    ("mlock", libc::SYS_mlock),
    ("pidfd_getfd", libc::SYS_pidfd_getfd),
    ("pidfd_open", libc::SYS_pidfd_open),
    ("pidfd_send_signal", libc::SYS_pidfd_send_signal),
    ("prctl", libc::SYS_prctl),
    ("process_vm_readv", libc::SYS_process_vm_readv),
    ("process_vm_writev", libc::SYS_process_vm_writev),
    ("ptrace", libc::SYS_ptrace),
    ("rseq", libc::SYS_rseq),
    ("sched_getaffinity", libc::SYS_sched_getaffinity),
    ("sched_getattr", libc::SYS_sched_getattr),
    ("sched_setaffinity", libc::SYS_sched_setaffinity),
    ("sched_setattr", libc::SYS_sched_setattr),
    ("statx", libc::SYS_statx),
];

/// Becomes the command.
pub fn run(args: Args) -> Result<()> {
    let calls: Vec<&str> = args.calls.split(',').collect();
    let (name, rest) = args.command.split_first().context("there is no command")?;
    let mut c = Command::new(name);
    for_child(c.args(rest), args.with, &calls)?;
    Err(c.exec()).with_context(|| format!("cannot start {name}"))
}

/// The command will be refused these calls, and so will be all that it starts.
pub fn for_child(c: &mut Command, with: With, calls: &[&str]) -> Result<()> {
    let filter = filter(with, calls)?;
    let apply = move || apply_filter(&filter).map_err(|e| io::Error::other(format!("the kernel takes no filter: {e}")));
    // SAFETY: as long as it succeeds the closure makes two system calls and allocates nothing.
    unsafe { c.pre_exec(apply) };
    Ok(())
}

fn filter(with: With, calls: &[&str]) -> Result<BpfProgram> {
    let mut refused = BTreeMap::new();
    for &name in calls {
        let Some((_, number)) = CALLS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = CALLS.iter().map(|(known, _)| *known).collect();
            bail!("{name} is none of the calls that can be refused: {}", known.join(" "));
        };
        refused.insert(*number, Vec::new());
    }
    let errno = SeccompAction::Errno(with.number() as u32);
    let arch = TargetArch::try_from(std::env::consts::ARCH).context("no filters are known for this processor")?;
    let filter = SeccompFilter::new(refused, SeccompAction::Allow, errno, arch).context("cannot make the filter")?;
    filter.try_into().context("cannot compile the filter")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_call_fails_and_others_do_not() {
        let bind = |with, call| {
            let mut c = Command::new("taskset");
            for_child(c.args(["1", "true"]).env("LC_ALL", "C"), with, &[call]).unwrap();
            c.output().unwrap()
        };
        for (with, word) in [(With::Eperm, "not permitted"), (With::Enosys, "not implemented")] {
            let out = bind(with, "sched_setaffinity");
            let complaint = String::from_utf8_lossy(&out.stderr);
            assert!(!out.status.success() && complaint.contains(word), "{complaint}");
        }
        assert!(bind(With::Eperm, "membarrier").status.success());
        assert!(filter(With::Eperm, &["no_such_call"]).unwrap_err().to_string().contains("none of the calls"));
    }
}
