//! Jobs of threads, and of threads among PEs that are played.

use super::records::Covered;
use super::*;
use crate::env::TransportBy;
use crate::os::{counting, memfd, process};
use pmi_shm::wire::NodeMap;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

type Pairs = HashMap<(u32, String), Vec<u8>>;

/// A launcher's store for threads: puts are awaited, a fence is a barrier.
struct Threads {
    rank: u32,
    size: u32,
    store: Arc<(Mutex<Pairs>, Barrier)>,
    awaited: bool,
    /// The other PEs of the job, and so the leaders of their nodes, are played: this is where they are.
    played: Option<NodeMap>,
    reads: AtomicUsize,
}

impl Job for Threads {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.store.0.lock().unwrap().insert((self.rank, key.to_owned()), value.to_owned());
        Ok(())
    }

    fn fence(&mut self) -> Result<(), Error> {
        self.store.1.wait();
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), Error> {
        self.fence()
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let found = |rank| self.store.0.lock().unwrap().get(&(rank, key.to_owned())).cloned();
        let not_put = || Error::NotPut { rank, key: key.to_owned() };
        match &self.played {
            None => found(rank).ok_or_else(not_put),
            Some(map) => {
                let played = counting::uncounted(|| {
                    let own = map.ranks_on(map.node_of(self.rank))[0];
                    let mut record = pe_info::decode::<NodeRecord>(&found(own).unwrap()).unwrap();
                    if rank != own {
                        record.node = u64::from(rank) + 1000;
                        record.machine = record.node;
                        record.places = Places::new(map.ranks_on(map.node_of(rank)), self.size);
                    }
                    pe_info::encode(&record)
                });
                // What the reader frees, it has allocated.
                let read = played.clone();
                counting::uncounted(|| drop(played));
                Ok(read)
            }
        }
    }

    fn puts_are_awaited(&self) -> bool {
        self.awaited
    }

    fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.put(key, value)
    }

    fn get_when_put(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        loop {
            if let Some(value) = self.store.0.lock().unwrap().get(&(rank, key.to_owned())) {
                return Ok(value.clone());
            }
            assert!(self.awaited, "read before the fence");
            std::thread::yield_now();
        }
    }

    fn served_by(&self) -> &'static str {
        "threads"
    }
}

/// What a PE finds: the PEs of its node, the node of each PE of the job, and whether all would take UCX. Or why it
/// cannot start.
type Seen = Result<(Vec<u32>, Vec<u32>, TransportBy), String>;

struct Began {
    seen: Seen,
    same_program: bool,
    /// The most memory that it needs at a time, and what it reads of the launcher.
    most: usize,
    reads: usize,
}

fn env(route: &str) -> Env {
    let set = |name: &str| match name {
        "OSHMPI_ROUTE" => Some(route.to_owned()),
        "OSHMPI_HOST_TIMEOUT" => Some("0".to_owned()),
        "SHMEM_SYMMETRIC_SIZE" => Some("64k".to_owned()),
        _ => None,
    };
    Env::load(set).0
}

/// The node of every PE, as this one finds it in the placement or in the node's memory.
fn nodes(found: &FoundNode, env: &Env) -> Vec<u32> {
    let job = found.here.job();
    if let Some(placement) = found.view.placement {
        return (0..job).map(|pe| placement.node(Pe(pe))).collect();
    }
    let shape = found::shape(env, found.view.data, found.here.count(), None, job).unwrap();
    let mut bytes = vec![0; 4 * job as usize];
    memfd::read_at(&found.memory, &mut bytes, shape.placement as u64).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|node| u32::from_ne_bytes(*node)).collect()
}

fn info(pe: u32, node: u32) -> PeInfo {
    let pid = u64::from(process::pid());
    let (node, machine) = (u64::from(node) + 1, u64::from(node) + 1);
    let mut info = PeInfo { node, machine, pid, token: process::random_token(), ..PeInfo::default() };
    info.common.data = 7;
    info.cores.0[0] = 1 << (pe % 64);
    info
}

fn start(map: &NodeMap, pes: &[u32], awaited: bool, route: &str, info: impl Fn(u32) -> PeInfo + Sync) -> Vec<Began> {
    let store = Arc::new((Mutex::default(), Barrier::new(pes.len())));
    let played = (pes.len() < map.size() as usize).then(|| map.clone());
    std::thread::scope(|threads| {
        let (store, played, info) = (&store, &played, &info);
        let start = |&rank: &u32| {
            threads.spawn(move || {
                let (env, mut info) = (env(route), info(rank));
                let (store, played, reads) = (Arc::clone(store), played.clone(), AtomicUsize::new(0));
                let mut job = Threads { rank, size: map.size(), store, awaited, played, reads };
                let (found, most) = counting::most(|| {
                    over(&mut ByLauncher::new(&mut job, map.ranks_on(map.node_of(rank))), rank, &mut info, &env)
                });
                let same_program = found.as_ref().is_ok_and(|found| found.view.same_program);
                let seen = found.map_err(|e| e.to_string()).map(|found| {
                    let here: Vec<u32> = (0..found.here.count()).map(|slot| found.here.pe(slot).0).collect();
                    let leader = if route == "mpi" { rank } else { here[0] };
                    assert_eq!((found.leader, found.mates[found.own].cores.0), (leader, info.cores.0));
                    (here, nodes(&found, &env), found.view.takes)
                });
                Began { seen, same_program, most, reads: job.reads.into_inner() }
            })
        };
        let started: Vec<_> = pes.iter().map(start).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn all(map: &NodeMap, awaited: bool, route: &str, info: impl Fn(u32) -> PeInfo + Sync) -> Vec<Seen> {
    let pes: Vec<u32> = (0..map.size()).collect();
    start(map, &pes, awaited, route, info).into_iter().map(|began| began.seen).collect()
}

fn maps() -> [NodeMap; 4] {
    let maps = [NodeMap::one_node(5), NodeMap::blocks_of(7, 3), NodeMap::cyclic(7, 3)];
    let [one, blocks, cyclic] = maps;
    [one, blocks, cyclic, NodeMap::of([0, 1, 1, 0, 2, 2, 0])]
}

#[test]
fn every_pe_finds_its_node_and_those_of_all() {
    for map in maps() {
        for awaited in [false, true] {
            let nodes: Vec<u32> = (0..map.size()).map(|pe| map.node_of(pe)).collect();
            for (pe, seen) in (0..).zip(all(&map, awaited, "auto", |pe| info(pe, map.node_of(pe)))) {
                assert_eq!(
                    seen,
                    Ok((map.ranks_on(map.node_of(pe)), nodes.clone(), TransportBy::Auto)),
                    "PE {pe} of {map:?}"
                );
            }
        }
    }
}

#[test]
fn by_mpi_every_pe_is_a_node() {
    for map in maps() {
        let apart: Vec<u32> = (0..map.size()).collect();
        for (pe, seen) in (0..).zip(all(&map, true, "mpi", |pe| info(pe, map.node_of(pe)))) {
            assert_eq!(seen, Ok((vec![pe], apart.clone(), TransportBy::Auto)), "PE {pe} of {map:?}");
        }
    }
}

/// One that would not decides for all, whether it is the first PE of its node or not; so does one that would take
/// another library.
#[test]
fn a_job_takes_a_library_if_all_pes_would() {
    use TransportBy::{Auto, Ofi, Ucx};
    for map in maps().into_iter().filter(|map| map.nodes() > 1) {
        for (by, others) in [(Ucx, Auto), (Ofi, Auto), (Ofi, Ucx)] {
            for other in [None, Some(0), Some(4), Some(6)] {
                let takes = |pe| if Some(pe) == other { others } else { by };
                let found = all(&map, true, "auto", |pe| PeInfo { takes: takes(pe), ..info(pe, map.node_of(pe)) });
                let taken = if other.is_none() { by } else { Auto };
                assert!(found.iter().all(|seen| seen.as_ref().is_ok_and(|seen| seen.2 == taken)), "{by:?} {other:?}");
            }
        }
    }
}

/// A PE that cannot open its leader's memory is a node of its own, and nobody else's node changes.
#[test]
fn a_pe_that_shares_no_memory_is_apart() {
    for map in maps() {
        for (lost, awaited) in [(0, false), (0, true), (3, true)] {
            let node = |pe: u32| if pe == lost { 99 } else { map.node_of(pe) };
            let here = |pe: u32| (0..map.size()).filter(|&other| node(other) == node(pe)).collect::<Vec<u32>>();
            for (pe, seen) in (0..).zip(all(&map, awaited, "auto", |pe| info(pe, node(pe)))) {
                let (found, nodes, _) = seen.unwrap();
                assert_eq!(found, here(pe), "PE {pe} of {map:?}, without {lost}");
                assert!(
                    (0..map.size())
                        .all(|other| (nodes[other as usize] == nodes[pe as usize]) == (node(other) == node(pe)))
                );
            }
            let route = all(&map, awaited, "node", |pe| info(pe, node(pe)));
            assert!(route[0].as_ref().is_err_and(|e| e.contains("OSHMPI_ROUTE=node is set")), "{route:?}");
            assert!(route[1..].iter().all(|seen| *seen == Err("another PE says why".to_owned())), "{route:?}");
        }
    }
}

/// The launcher takes one host for several, or two for one.
#[test]
fn a_wrong_hint_is_corrected() {
    for map in maps() {
        let job: Vec<u32> = (0..map.size()).collect();
        for route in ["auto", "node"] {
            let found = all(&map, true, route, |pe| info(pe, 0));
            assert!(
                found.iter().all(|seen| *seen == Ok((job.clone(), vec![0; job.len()], TransportBy::Auto))),
                "{map:?}: {found:?}"
            );
        }
        let halves: Vec<u32> = job.iter().map(|pe| u32::from(*pe > 2)).collect();
        for (pe, seen) in (0..).zip(all(&map, false, "auto", |pe| info(pe, halves[pe as usize]))) {
            let here = job.iter().copied().filter(|&other| halves[other as usize] == halves[pe]).collect();
            assert_eq!(seen, Ok((here, halves.clone(), TransportBy::Auto)), "PE {pe} of {map:?}");
        }
    }
}

#[test]
fn one_pe_tells_why_the_job_cannot_start() {
    for map in maps() {
        let one = |change: fn(&mut PeInfo)| {
            let map = &map;
            move |pe: u32| {
                let mut info = info(pe, map.node_of(pe));
                if pe == 4 {
                    change(&mut info);
                }
                info
            }
        };
        let told = |route: &str, by: usize, found: Vec<Seen>, why: &str| {
            for (pe, seen) in found.iter().enumerate() {
                let why = if pe == by { why } else { "another PE says why" };
                assert!(seen.as_ref().is_err_and(|e| e.contains(why)), "PE {pe} of {map:?}, {route}: {seen:?}");
            }
        };
        let agreed = one(|info| info.common.agreed[0] = 1);
        told("auto", 0, all(&map, true, "auto", agreed), " on PE 4");
        told("auto", 4, all(&map, false, "auto", one(|info| "no".clone_into(&mut info.problem))), "no");
        if map.nodes() > 1 {
            told("node", 0, all(&map, true, "node", one(|_| {})), "OSHMPI_ROUTE=node is set");
        }
        let pes: Vec<u32> = (0..map.size()).collect();
        let programs = |info| start(&map, &pes, true, "auto", info).iter().all(|began| began.same_program);
        assert!(programs(one(|_| {})) && !programs(one(|info| info.common.program = 1)));
    }
}

/// A PE that comes late is waited for, and nobody reads more for it.
#[test]
fn a_late_pe_is_waited_for() {
    const HERE: u32 = 4;
    let map = NodeMap::blocks_of(64 * HERE, HERE);
    let one_node = NodeMap::one_node(HERE);
    for (map, leaders_reads) in [(map, 64), (one_node, 0)] {
        let pes = map.ranks_on(0);
        let begun = Instant::now();
        let late = |pe: u32| {
            if pe == HERE - 1 {
                std::thread::sleep(Duration::from_millis(600));
            }
            info(pe, map.node_of(pe))
        };
        let found = start(&map, &pes, true, "auto", late);
        println!("{} nodes: {:?}", map.nodes(), begun.elapsed());
        assert!(found.iter().all(|began| began.seen.as_ref().unwrap().0 == pes));
        let reads: Vec<usize> = found.iter().map(|began| began.reads).collect();
        assert_eq!(reads, [leaders_reads, 1, 1, 1]);
    }
}

/// Each record tells who leads the next node. Records that cannot be right are noticed when they come.
#[test]
fn the_first_pe_that_is_in_no_record_leads_the_next_node() {
    let job = 200;
    let blocks = |first: u32, count: u32| Places::spaced(first, 1, count, job);
    let mut covered = Covered::none(job);
    assert_eq!(covered.first_missing(), Some(0));
    assert!(covered.add(&Places::new(vec![0, 3, 64, 130], job)));
    assert_eq!(covered.first_missing(), Some(1));
    assert!(covered.add(&blocks(1, 2)));
    assert_eq!(covered.first_missing(), Some(4));
    assert!(covered.add(&blocks(4, 60)));
    assert_eq!(covered.first_missing(), Some(65));
    assert!(covered.add(&Places::new((65..job).filter(|&pe| pe != 130).collect(), job)));
    assert_eq!(covered.first_missing(), None);
    for wrong in [blocks(0, 1), blocks(4, 1), blocks(3, 8), Places::new(vec![3, 5], job)] {
        let mut covered = Covered::none(job);
        assert!(covered.add(&Places::new(vec![0, 1, 2, 5], job)));
        assert!(!covered.add(&wrong), "{wrong:?}");
    }
}

/// Memory of a start, from a thousand PEs to a million, in all placements: the same for every PE but leaders, and for
/// these at most 256 bytes per node more.
#[test]
fn memory_does_not_grow_with_the_job() {
    const HERE: u32 = 8;
    let maps = |size: u32| {
        let threes = size / 2 / HERE;
        let irregular = format!("(vector,(0,{threes},{HERE}),({threes},{size},4))");
        [NodeMap::blocks_of(size, HERE), NodeMap::cyclic(size, size / HERE), NodeMap::parse(&irregular, size).unwrap()]
    };
    let mut least = [usize::MAX; 3];
    for size in [1 << 10, 1 << 15, 1 << 20] {
        for (map, least) in maps(size).iter().zip(&mut least) {
            let pes = map.ranks_on(1);
            let found = start(map, &pes, true, "auto", |pe| info(pe, map.node_of(pe)));
            assert_eq!(pes.len(), HERE as usize);
            for began in &found {
                let (here, nodes, _) = began.seen.as_ref().unwrap();
                assert_eq!(*here, pes);
                assert!([0, 1, size / 2, size - 1].iter().all(|&pe| nodes[pe as usize] == map.node_of(pe)));
            }
            let [leader, mates @ ..] = &found[..] else { unreachable!() };
            let most = mates.iter().map(|began| began.most).max().unwrap();
            println!("{size} PEs on {} nodes: {most} bytes a PE, {} a leader", map.nodes(), leader.most);
            assert!(most <= least.saturating_add(512), "{most} bytes, {least} before");
            assert!(leader.most <= most + 4096 + 256 * map.nodes() as usize, "{} bytes", leader.most);
            *least = most.min(*least);
        }
    }
}
