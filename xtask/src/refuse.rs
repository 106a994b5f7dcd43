//! `cargo xtask refuse`: a command to which the kernel refuses some system calls, like the seccomp filter of a
//! container. All that the command starts has that filter.

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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum With {
    /// The error of a filter
    #[default]
    Eperm,
    /// The error of a kernel that does not know the call
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

macro_rules! calls {
    ($($name:ident)*) => { &[$((stringify!($name), libc::$name)),*] };
}

/// Calls that the library or a launcher makes and could do without, or that containers are known to refuse.
const CALLS: &[(&str, libc::c_long)] = calls! {
    SYS_close_range SYS_clone3 SYS_futex_waitv SYS_getrandom SYS_io_uring_setup SYS_madvise SYS_membarrier
    SYS_memfd_create SYS_mlock SYS_pidfd_getfd SYS_pidfd_open SYS_pidfd_send_signal SYS_prctl SYS_process_vm_readv
    SYS_process_vm_writev SYS_ptrace SYS_rseq SYS_sched_getaffinity SYS_sched_getattr SYS_sched_setaffinity
    SYS_sched_setattr SYS_statx
};

/// Becomes the command.
pub fn run(args: Args) -> Result<()> {
    let calls: Vec<&str> = args.calls.split(',').collect();
    let (name, rest) = args.command.split_first().context("there is no command")?;
    let mut c = Command::new(name);
    for_child(c.args(rest), args.with, &calls)?;
    Err(c.exec()).with_context(|| format!("cannot start {name}"))
}

/// Makes the kernel refuse these calls to the command and to all that it starts.
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
        let Some((_, number)) = CALLS.iter().find(|(known, _)| known.strip_prefix("SYS_") == Some(name)) else {
            let known: Vec<&str> = CALLS.iter().map(|(known, _)| known.trim_start_matches("SYS_")).collect();
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
