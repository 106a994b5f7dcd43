//! What a figure is compared with.

use super::contest::Contestant;
use super::parse::SLOWEST;
use super::plan::{COLLECTIVES, LOCK, PUT_SIGNAL, WAIT};
use super::samples::{Samples, What};
use crate::util::Mpi;

/// The measurement of the peers that is compared with `measure`: the peers have no team forms. None: not a collective.
pub fn asked(measure: &'static str) -> Option<&'static str> {
    let collective = COLLECTIVES.iter().find(|c| c.team == Some(measure) || c.name == measure).map(|c| c.name);
    collective.or([PUT_SIGNAL, WAIT, LOCK].into_iter().find(|name| *name == measure))
}

/// The time of Open MPI's OpenSHMEM.
pub fn oshmem(samples: &Samples, what: &What) -> Option<f64> {
    samples.median(Contestant::Oshmem, what)
}

/// The time of the plain MPI call that comes closest. One-sided memory is always window memory there, and every put and
/// atomic is nonblocking until its flush.
pub fn plain(samples: &Samples, mpi: Mpi, what: &What) -> Option<f64> {
    let measure = match what.measure {
        "put" | "put_nb" => "put",
        "get" | "get_nb" => "get",
        "atomics" => "atomics",
        "barrier" | "barrier_active" => "barrier",
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
        "put" | "put_nb" => get("put", &what.row),
        "get" | "get_nb" => get("get", &what.row),
        "put_mr" | "put_mr_nb" => get("put_window", &what.row),
        "get_mr_nb" => get("get_window", &what.row),
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
        "barrier" | "barrier_active" => {
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

/// With more PEs than cores the launcher decides how the system shares them. Then oshmpi is compared with the peers
/// only under their launcher.
pub fn same_launcher(ours: Contestant, pes: usize, cores: usize) -> bool {
    pes <= cores || ours == Contestant::Ours(Mpi::Openmpi)
}

fn peers() -> impl Iterator<Item = Contestant> {
    Mpi::ALL.into_iter().map(Contestant::Plain).chain([Contestant::Oshmem])
}

fn of_peers(what: &What) -> Option<What> {
    Some(What { measure: asked(what.measure)?, ..what.clone() })
}

/// Rows of one collective in the order of their sizes, and oshmpi's time in each over that of the peer that does best
/// beside it.
pub fn ratios(samples: &Samples, ours: Contestant, measure: &'static str, pes: usize) -> Vec<(String, f64)> {
    let rows = samples.of(ours).filter(|w| w.measure == measure && w.pes == pes && !w.row.ends_with(SLOWEST));
    let mut all: Vec<_> = rows
        .filter_map(|what| {
            let theirs = of_peers(what)?;
            let ratio = peers().filter_map(|who| samples.ratio(ours, what, who, &theirs)).max_by(f64::total_cmp)?;
            Some((what.row.clone(), ratio))
        })
        .collect();
    all.sort_by_key(|(row, _)| row.parse::<u64>().unwrap_or(0));
    all
}

#[cfg(test)]
mod tests {
    use super::super::samples::Memory;
    use super::super::samples::tests::add;
    use super::*;

    const OPENMPI: Contestant = Contestant::Ours(Mpi::Openmpi);

    #[test]
    fn the_limit_of_a_barrier_counts_turns() {
        let mut s = Samples::default();
        add(&mut s, Contestant::Limit, "handoff", Memory::Any, 2, "line_one_way", 0.25);
        add(&mut s, Contestant::Limit, "handoff", Memory::Any, 2, "process_switch", 1.0);
        let of = |pes, cores| limit(&s, &What::any("barrier", pes, "avg"), cores);
        assert_eq!([of(2, 2), of(4, 2), of(8, 2), of(4, 1)], [0.25, 1.25, 3.25, 3.0].map(Some));
    }

    #[test]
    fn peers_of_nonblocking_increment_and_team_forms() {
        let mut s = Samples::default();
        add(&mut s, Contestant::Plain(Mpi::Mpich), "put", Memory::Any, 2, "8", 0.9);
        add(&mut s, Contestant::Plain(Mpi::Mpich), "atomics", Memory::Any, 2, "int_fadd", 1.5);
        add(&mut s, Contestant::Limit, "atomics", Memory::Any, 2, "fetch_add", 0.007);
        let put = What { measure: "put_nb", memory: Memory::Statics, pes: 2, row: "8".into() };
        let inc = What { measure: "atomics", memory: Memory::Heap, pes: 2, row: "int_finc".into() };
        assert_eq!((plain(&s, Mpi::Mpich, &put), plain(&s, Mpi::Openmpi, &put)), (Some(0.9), None));
        assert_eq!((plain(&s, Mpi::Mpich, &inc), limit(&s, &inc, 2)), (Some(1.5), Some(0.007)));
        assert_eq!([asked("alltoalls_team"), asked("scan"), asked("put")], [Some("alltoalls"), Some("scan"), None]);
    }

    #[test]
    fn the_best_peer_counts() {
        let mut s = Samples::default();
        add(&mut s, OPENMPI, "reduce", Memory::Any, 2, "4", 0.3);
        add(&mut s, OPENMPI, "reduce_team", Memory::Any, 2, "4", 0.2);
        for (who, us) in [(Contestant::Oshmem, 0.8), (Contestant::Plain(Mpi::Mpich), 0.4)] {
            add(&mut s, who, "reduce", Memory::Any, 2, "4", us);
        }
        let ratio = |measure| ratios(&s, OPENMPI, measure, 2)[0].1;
        assert!((ratio("reduce") - 0.75).abs() < 1e-9 && (ratio("reduce_team") - 0.5).abs() < 1e-9);
    }
}
