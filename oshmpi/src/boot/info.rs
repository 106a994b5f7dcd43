//! What PE 0 prints at start, on standard error: `SHMEM_VERSION`, `SHMEM_INFO`, and variables that are no settings.

use crate::diag;
use crate::env::Env;
use crate::net::carrier::Carrier;
use crate::state::{self, Runtime};
use std::fmt::Display;
use std::io::Write;

/// Name and version, as `shmem_info_get_name` gives it.
pub(crate) const VENDOR: &str = "oshmpi 0.1.0";

pub(crate) fn print(rt: &Runtime) {
    if rt.pe.0 != 0 {
        return;
    }
    Env::unknown().into_iter().for_each(diag::print);
    let mut text = String::new();
    if rt.env.version || rt.env.info {
        text = format!("{VENDOR} (OpenSHMEM 1.6)\n");
    }
    if rt.env.info {
        let mut add = |line: &dyn Display| text.extend(["  ", &line.to_string(), "\n"]);
        rt.env.lines().into_iter().for_each(|line| add(&line));
        rt.notes.iter().for_each(|note| add(note));
        let level = ["SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"][(state::threads().0 as usize).min(3)];
        add(&format_args!("threads: SHMEM_THREAD_{level}"));
        let here = rt.node.places.count();
        match rt.n_pes as usize - here {
            0 => add(&format_args!("route: memory, to all {here} PEs")),
            remote => {
                let by = rt.carrier.map_or("MPI", Carrier::name);
                add(&format_args!("route: memory, to {here} PEs on this node; {by}, to {remote} PEs"));
            }
        }
    }
    // A standard error that cannot be written must not end the job.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
