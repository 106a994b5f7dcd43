//! `srun`, which starts the node servers of an allocation of Slurm: all of them in one step, each on its host.
//!
//! All tasks of a step share its streams, so these cannot be control connections. Each server reads oshrun's address
//! and the job's secret from its standard input, connects to oshrun, and proves that it knows the secret.

use crate::cli;
use crate::hostlist::{self, Names};
use crate::launch::{NODE_SERVER, oshrun_there};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The second argument of a node server that shall connect to oshrun.
pub const CALL_BACK: &str = "--call-back";

/// The role of such a server in the handshake: see [`pmi_shm::server::auth`].
pub const CALLER: u8 = 1;

/// The data that all servers of a step read from their standard input.
#[derive(Serialize, Deserialize)]
pub struct Rendezvous {
    pub port: u16,
    /// The address of oshrun, if the user has given one; otherwise Slurm's variables say it.
    pub address: Option<String>,
    pub secret: [u8; 32],
    pub silence: Option<Duration>,
    /// By which a server knows its node.
    pub hosts: Names,
}

/// The command line that starts a server on each of the hosts.
pub fn words(srun: &str, hosts: &[&str], o: &cli::Job) -> Result<Vec<String>> {
    let count = hosts.len();
    let mut words = vec![srun.to_string()];
    // --overlap: other steps may hold all CPUs of the job, and the ranks need all of them too.
    words.extend(["--overlap", "--cpu-bind=none", "--mpi=none"].map(String::from));
    words.extend([format!("--nodes={count}"), format!("--ntasks={count}"), "--ntasks-per-node=1".into()]);
    words.push(format!("--nodelist={}", hostlist::compress(hosts)));
    words.extend(["--distribution=block", "--input=all", "--kill-on-bad-exit=1"].map(String::from));
    words.extend([oshrun_there(o)?.to_string_lossy().into_owned(), NODE_SERVER.into(), CALL_BACK.into()]);
    Ok(words)
}

/// Variables that srun needs to find Slurm and the job. Slurm's other variables would change the shape of the step.
const KEPT: &str = "SLURM_CONF SLURM_CLUSTER SLURM_WORKING_CLUSTER SLURM_JOB_ID SLURM_JOBID SLURM_NODE_ALIASES \
                    SLURM_JWT SLURM_SACK SLURM_DEBUG";

pub fn command(words: &[String]) -> Command {
    let mut c = Command::new(&words[0]);
    c.args(&words[1..]).stdout(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let of_slurm = ["SLURM_", "SRUN_"].iter().any(|p| text.starts_with(p));
        if of_slurm && !KEPT.split(' ').any(|p| text.starts_with(p)) {
            c.env_remove(name);
        }
    }
    c
}

/// The reason for an end, from the text on standard error of Slurm and the servers; the end of a message.
pub fn reason(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    // srun says this although oshrun wants no binding; it is not an error.
    let of_interest = |l: &&str| !l.is_empty() && !l.contains("lacks support for cpu binding");
    let lines = || text.lines().map(str::trim).filter(of_interest);
    let ours = lines().find_map(|l| l.strip_prefix("oshrun: "));
    let cancelled = || lines().find(|l| l.contains("CANCELLED"));
    // The first error is the cause of the others.
    let error = || lines().find(|l| l.contains("error:"));
    let line = ours.or_else(cancelled).or_else(error).or_else(|| lines().next_back());
    line.map_or(String::new(), |line| format!(": {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_explains_is_told() {
        let said = "srun: cluster configuration lacks support for cpu binding\nsrun: error: n1: task 0: Killed\n";
        assert_eq!(reason(said.as_bytes()), ": srun: error: n1: task 0: Killed");
        let cancelled = format!("{said}slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2020 ***\nsrun: error: x\n");
        assert_eq!(reason(cancelled.as_bytes()), ": slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2020 ***");
        assert_eq!(reason(format!("{cancelled}oshrun: no way\n").as_bytes()), ": no way");
        assert_eq!((reason(b""), reason(b"a\n\nb\n\n")), (String::new(), ": b".to_string()));
    }
}
