//! `SHMEM_VERSION` and `SHMEM_INFO`: what PE 0 prints at start, on standard error.

use crate::state::{self, Runtime};

/// Name and version, as `shmem_info_get_name` gives it.
pub(crate) const VENDOR: &str = "oshmpi 0.1.0";

pub(crate) fn print(rt: &Runtime) {
    if rt.pe.0 != 0 {
        return;
    }
    if rt.env.version || rt.env.info {
        eprintln!("{VENDOR} (OpenSHMEM 1.6)");
    }
    if rt.env.info {
        for line in rt.env.lines() {
            eprintln!("  {line}");
        }
        for note in &rt.notes {
            eprintln!("  {note}");
        }
        let level = ["SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"][(state::threads().0 as usize).min(3)];
        eprintln!("  threads: SHMEM_THREAD_{level}");
        let here = rt.node.places.count();
        match rt.n_pes as usize - here {
            0 => eprintln!("  route: memory, to all {here} PEs"),
            far => eprintln!("  route: memory, to {here} PEs on this node; MPI, to {far} PEs"),
        }
    }
}
