//! The variables of the ranks: those of oshrun's environment that are passed on, and those of the options.

use crate::cli::{Command, Part};
use crate::foreign;
use crate::plan::{Variables, Word, set};
use crate::pmix::need;
use anyhow::{Result, bail};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Variables of an outer job in which oshrun runs. Ranks do not get them.
const NOT_PASSED: &str = "PMI_ PMI2_ PMIX_ OSHRUN_ MPI_LOCALNRANKS MPI_LOCALRANKID HYDI_ HYDRA_ OMPI_COMM_WORLD_";

/// Whether a variable is a setting that the user has made for the PMIx library. Inside a job of PMIx the settings are
/// those of its launcher: Open MPI's mpiexec makes one.
fn is_users_setting(name: &str) -> bool {
    name.starts_with(need::SETTINGS) && std::env::var_os("PMIX_NAMESPACE").is_none()
}

/// Slurm's variables about one task or batch script. Ranks do not get them, because programs would read their rank
/// from them.
const OF_A_TASK: &str = "SLURM_PROCID SLURM_LOCALID SLURM_NODEID SLURM_GTIDS SLURM_TASK_PID SLURM_STEP SLURM_PTY_ \
                         SLURM_SRUN_COMM_ SLURM_LAUNCH_NODE_IPADDR SLURMD_NODENAME";

pub fn of_job(command: &Command) -> Result<Variables> {
    let o = &command.job;
    let mut env: Variables = Vec::new();
    if !o.genvnone {
        for (name, value) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let listed = o.genvlist.as_ref().is_none_or(|list| list.iter().any(|n| *n == text));
            let named = NOT_PASSED.split(' ').chain(OF_A_TASK.split(' ')).any(|p| text.starts_with(p));
            let of_outer = named && !is_users_setting(&text) || foreign::is_of_outer(&text, &value);
            if listed && !of_outer {
                env.push((name.as_bytes().to_vec(), value.into_vec()));
            }
        }
    }
    for (name, value) in pairs(&o.genv, "-genv")? {
        set(&mut env, &name, value);
    }
    Ok(env)
}

/// What one program has in addition to the variables of the job, and the names of those that it does not get.
pub fn of_program(part: &Part, command: &Command, job: &[(Word, Word)]) -> Result<(Variables, Vec<Word>)> {
    let mut own = pairs(&part.env, "-env")?;
    for x in &part.x {
        let (name, value) = match split(x) {
            Some((n, v)) => (n.to_vec(), Some(v.to_vec())),
            None => (x.as_bytes().to_vec(), std::env::var_os(x).map(OsString::into_vec)),
        };
        check_name(&name, "-x")?;
        // As under Open MPI, a variable that is not set here is not set for the ranks either.
        if let Some(value) = value {
            set(&mut own, &name, value);
        }
    }
    let passed = |name: &[u8]| match &part.envlist {
        Some(list) => list.iter().any(|n| n.as_bytes() == name),
        None => !part.envnone,
    };
    let of_options = |name: &[u8]| command.job.genv.chunks_exact(2).any(|pair| pair[0].as_bytes() == name);
    let without = job.iter().map(|(n, _)| n).filter(|n| !passed(n) && !of_options(n)).cloned().collect();
    Ok((own, without))
}

fn split(word: &OsStr) -> Option<(&[u8], &[u8])> {
    let bytes = word.as_bytes();
    let at = bytes.iter().position(|&b| b == b'=')?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

/// Reads an option's words NAME VALUE NAME VALUE ...
fn pairs(words: &[OsString], option: &str) -> Result<Variables> {
    let pair = |pair: &[OsString]| {
        check_name(pair[0].as_bytes(), option)?;
        Ok((pair[0].as_bytes().to_vec(), pair[1].as_bytes().to_vec()))
    };
    words.chunks_exact(2).map(pair).collect()
}

fn check_name(name: &[u8], option: &str) -> Result<()> {
    if name.is_empty() || name.contains(&b'=') {
        let name = String::from_utf8_lossy(name);
        bail!("{option}: \"{name}\" is not the name of a variable; expected NAME VALUE (or -x NAME=VALUE)");
    }
    Ok(())
}
