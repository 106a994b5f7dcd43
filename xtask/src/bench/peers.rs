//! What a figure is compared with.

use super::contest::Contestant;
use super::plan::{COLLECTIVES, LOCK, PUT_SIGNAL, WAIT};
use super::samples::{Samples, What};
use crate::util::Mpi;

/// The measurement of the peers that is compared with `measure`: the peers have no team forms. None: not a collective.
fn asked(measure: &'static str) -> Option<&'static str> {
    let collective = COLLECTIVES.iter().find(|c| c.team == Some(measure) || c.name == measure).map(|c| c.name);
    collective.or([PUT_SIGNAL, WAIT, LOCK].into_iter().find(|name| *name == measure))
}

/// The time of Open MPI's OpenSHMEM.
pub fn oshmem(samples: &Samples, what: &What) -> Option<f64> {
    let of = |measure| samples.median(Contestant::Oshmem, &What { measure, ..what.clone() });
    of(what.measure).or_else(|| of(asked(what.measure)?))
}

/// The time of the plain MPI call that comes closest. One-sided memory is always window memory there, and every put and
/// atomic is nonblocking until its flush.
pub fn plain(samples: &Samples, mpi: Mpi, what: &What) -> Option<f64> {
    let measure = match what.measure {
        same @ ("put" | "get" | "atomics" | "barrier" | "startup") => same,
        other => asked(other)?,
    };
    // MPI has no increment.
    let row = what.row.replace("_finc", "_fadd").replace("_inc", "_add");
    samples.median(Contestant::Plain(mpi), &What::any(measure, what.pes, &row))
}

/// The least time that the machine needs.
pub fn limit(samples: &Samples, what: &What, cores: usize) -> Option<f64> {
    let get = |measure, row: &str| samples.median(Contestant::Limit, &What::any(measure, 2, row));
    match what.measure {
        "put" | "get" => get(what.measure, &what.row),
        "atomics" => {
            let (_, operation) = what.row.split_once('_')?;
            let instruction = match operation {
                "fadd" | "finc" | "add" | "inc" => "fetch_add",
                "swap" => "exchange",
                "cswap" => "compare_exchange",
                "fetch" => "load",
                "set" => "store",
                _ => return None,
            };
            get("atomics", instruction)
        }
        "barrier" => {
            // A cache line must come from another core. A core with k processes must switch k-1 times: the process that
            // arrives last in this barrier can be the first in the next.
            let arrive = if cores > 1 { get("handoff", "line_one_way")? } else { 0.0 };
            let turns = what.pes.div_ceil(cores) - 1;
            let switch = if turns > 0 { get("handoff", "process_switch")? } else { 0.0 };
            Some(arrive + turns as f64 * switch)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::Memory;
    use super::super::samples::tests::add;
    use super::*;

    #[test]
    fn the_limit_of_a_barrier_counts_turns() {
        let mut s = Samples::default();
        add(&mut s, Contestant::Limit, "handoff", Memory::Any, 2, "line_one_way", 0.25);
        add(&mut s, Contestant::Limit, "handoff", Memory::Any, 2, "process_switch", 1.0);
        let of = |pes, cores| limit(&s, &What::any("barrier", pes, "avg"), cores);
        assert_eq!([of(2, 2), of(4, 2), of(8, 2), of(4, 1)], [0.25, 1.25, 3.25, 3.0].map(Some));
    }

    #[test]
    fn peers_of_increment_and_team_forms() {
        let mut s = Samples::default();
        add(&mut s, Contestant::Plain(Mpi::Mpich), "put", Memory::Any, 2, "8", 0.9);
        add(&mut s, Contestant::Plain(Mpi::Mpich), "atomics", Memory::Any, 2, "int_fadd", 1.5);
        add(&mut s, Contestant::Limit, "atomics", Memory::Any, 2, "fetch_add", 0.007);
        let put = What { measure: "put", memory: Memory::Statics, pes: 2, row: "8".into() };
        let inc = What { measure: "atomics", memory: Memory::Heap, pes: 2, row: "int_finc".into() };
        assert_eq!((plain(&s, Mpi::Mpich, &put), plain(&s, Mpi::Openmpi, &put)), (Some(0.9), None));
        assert_eq!((plain(&s, Mpi::Mpich, &inc), limit(&s, &inc, 2)), (Some(1.5), Some(0.007)));
        assert_eq!([asked("alltoalls_team"), asked("scan"), asked("put")], [Some("alltoalls"), Some("scan"), None]);
    }
}
