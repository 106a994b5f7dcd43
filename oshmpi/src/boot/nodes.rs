//! The nodes of a job, found node by node: the PEs of a node arrive at a counter in their leader's memory, and leaders
//! exchange one record per node. Which PEs may share a node is a hint, of the launcher or of MPI.
//!
//! For a job of P PEs on N nodes: a PE reads the PE infos of its node, and its leader reads N records besides. The
//! exchange takes two collective steps of the launcher, or some of MPI: two communicators, two allgathers among the PEs
//! of a node, and one among leaders. A PE's memory grows with the PEs of its node. A leader's grows with N besides, and
//! takes a bit per PE meanwhile. An irregular placement takes 4 P bytes, once per node.
//!
//! That takes equal settings and executables, and nodes that share no memory. Where anything does not fit, all PEs look
//! for their nodes by `among`, which also says what differs.

#[cfg(test)]
mod tests;

use super::BootError;
use super::found::{self, Found, Machine, create_memory, no_memory};
use super::job::Joined;
use super::leader::{self, Met, NOTE_WORDS, Note, Read, Way};
use super::liveness::{Endpoint, Listener, LivenessPlan};
use super::pe_info::{self, PeInfo};
use crate::env::{Env, Route};
use crate::memory::addr::Pe;
use crate::memory::placement::{Map, Placement};
use crate::memory::places::Places;
use crate::mpi::Comm;
use crate::os::sched::CpuSet;
use pmi_shm::{Error, Job};
use serde::{Deserialize, Serialize};

const NODE: &str = "oshmpi-node";
const RECORD: &str = "oshmpi-record";

/// Finds this PE's node; None on all PEs where that is not possible in this way. Collective.
pub(super) fn find(joined: &mut Joined, info: &mut PeInfo, env: &Env) -> Result<Option<Found>, BootError> {
    let me = joined.job.rank();
    if let Some(here) = joined.here.take() {
        return over(&mut ByLauncher::new(&mut *joined.job, here), me, info, env);
    }
    // Where there is no memory for this PE, MPI may find none either and say so at length.
    drop(create_memory(info).unwrap_or_else(|e| no_memory(&e)));
    joined.for_all_to_all()?;
    if joined.by_mpi { over(&mut ByMpi::new(me, joined.job.size())?, me, info, env) } else { Ok(None) }
}

fn over(way: &mut dyn Way, me: u32, info: &mut PeInfo, env: &Env) -> Result<Option<Found>, BootError> {
    let here = way.mates().clone();
    let leader = here.pe(0).0;
    // With OSHMPI_ROUTE=mpi every PE gets memory of its own later.
    let shared = env.route != Route::Mpi;
    let heaps = || if shared { found::huge_heaps(env, here.count()) } else { None };
    let met = leader::gather(way, me, info, heaps)?;
    let (met, other_programs, view, watch) = if here.everybody() {
        let Some(met) = met else {
            way.barrier()?;
            return Ok(None);
        };
        pe_info::check(&met.infos, me)?;
        let placement = Some(Placement::one_node(here.job()));
        let view = View { machine: machine(&met.infos), takes_ucx: false, placement };
        let others = pe_info::other_programs(&met.infos);
        (met, others, view, None)
    } else {
        let listener = if me == leader { Listener::wanted(me, env.host_timeout) } else { None };
        let Some((met, view, endpoints)) = other_nodes(way, me, met, listener.as_ref(), env)? else { return Ok(None) };
        (met, Vec::new(), view, listener.map(|listener| LivenessPlan { listener, endpoints }))
    };
    let own = here.local(Pe(me)).expect("a PE is on its own node");
    let data = if other_programs.is_empty() { met.infos[0].data } else { 0 };
    let (mates, memory, heaps) = met.into_parts();
    let PeInfo { token, on_disk, .. } = mates[0];
    let found = Found {
        mates,
        own,
        leader,
        here,
        memory,
        heaps,
        token,
        on_disk,
        data,
        other_programs,
        machine: view.machine,
        takes_ucx: view.takes_ucx,
        placement: view.placement,
        watch,
    };
    Ok(Some(if shared { found } else { apart(found, me, info, env) }))
}

/// With OSHMPI_ROUTE=mpi every PE is a node of its own, in memory of its own.
fn apart(found: Found, me: u32, info: &mut PeInfo, env: &Env) -> Found {
    let job = found.here.job();
    let memory = create_memory(info).unwrap_or_else(|e| no_memory(&e));
    let placement = Some(Placement::apart(job));
    let here = Places::spaced(me, 1, 1, job);
    let heaps = found::huge_heaps(env, 1);
    Found { leader: me, here, memory, heaps, token: info.token, on_disk: info.on_disk, placement, ..found }
}

/// The machine of a node's PEs, as far as they know.
fn machine(infos: &[PeInfo]) -> Machine {
    Machine::of(infos.iter(), &infos[0])
}

/// Learns of the other nodes from the leader, which exchanges records with the other leaders. On leaders the endpoints
/// of all nodes are returned too. None on all PEs of the job if one of them has to find its node in another way.
/// Collective.
fn other_nodes(
    way: &mut dyn Way,
    me: u32,
    met: Option<Met>,
    listener: Option<&Listener>,
    env: &Env,
) -> Result<Option<(Met, View, Vec<Endpoint>)>, BootError> {
    let here = way.mates().clone();
    if here.pe(0).0 != me {
        way.exchange(None, &mut |_| None)?;
        let Some(met) = met else { return Ok(None) };
        let view = View::of_note(&met.noted()?, here.job());
        return Ok(view.map(|view| (met, view, Vec::new())));
    }
    let own = met.as_ref().and_then(|met| NodeRecord::of(&met.infos, here.clone(), listener.map(Listener::endpoint)));
    let mut records = Records::of(here.job());
    let record = own.as_ref().map(pe_info::encode).unwrap_or_default();
    let found = |bytes: &[u8]| pe_info::decode(bytes).filter(|record: &NodeRecord| record.places.are_of(here.job()));
    way.exchange(Some(record), &mut |bytes| {
        records.add(found(bytes), own.as_ref());
        records.next()
    })?;
    let Some(met) = met else { return Ok(None) };
    // Who wants one node and has several is told so by `among`.
    let fits = records.fit() && env.route != Route::Node;
    let view = fits.then(|| {
        let data = met.infos[0].data;
        let placement = match env.route {
            Route::Mpi => Some(Placement::apart(here.job())),
            _ => found::place(&records.nodes, met.memory(), env, data, here.count()),
        };
        View { machine: records.machine, takes_ucx: !records.some_take_mpi, placement }
    });
    met.note(&View::note(view.as_ref()))?;
    Ok(view.map(|view| (met, view, records.endpoints)))
}

/// What a leader tells the leaders of other nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NodeRecord {
    /// See [`PeInfo`]; equal on all PEs of the node.
    node: u64,
    machine: u64,
    group: u64,
    /// What must be equal on all PEs of the job.
    common: u64,
    /// PEs of the node are scheduled as parts of several groups.
    mixed: bool,
    takes_ucx: bool,
    cores: CpuSet,
    places: Places,
    endpoint: Option<Endpoint>,
}

impl NodeRecord {
    /// None if a PE of the node cannot start, or differs from the others where none may.
    fn of(infos: &[PeInfo], places: Places, endpoint: Option<Endpoint>) -> Option<NodeRecord> {
        let common = pe_info::common(infos)?;
        let Machine { cores, apart: mixed, .. } = machine(infos);
        let PeInfo { node, machine, group, .. } = infos[0];
        let takes_ucx = infos.iter().all(|info| info.takes_ucx);
        Some(NodeRecord { node, machine, group, common, mixed, takes_ucx, cores, places, endpoint })
    }
}

/// What a leader makes of the records. All leaders find the same, but for the machine.
struct Records {
    covered: Covered,
    machine: Machine,
    nodes: Vec<Places>,
    /// The numbers of the nodes: equal ones may share memory.
    numbers: Vec<u64>,
    endpoints: Vec<Endpoint>,
    /// What all nodes have in common.
    common: Option<u64>,
    differ: bool,
    some_take_mpi: bool,
}

impl Records {
    fn of(job: u32) -> Records {
        Records {
            covered: Covered::none(job),
            machine: Machine::default(),
            nodes: vec![],
            numbers: vec![],
            endpoints: vec![],
            common: None,
            differ: false,
            some_take_mpi: false,
        }
    }

    fn add(&mut self, record: Option<NodeRecord>, own: Option<&NodeRecord>) {
        let (Some(record), Some(own)) = (record, own) else {
            self.differ = true;
            return;
        };
        self.differ |= *self.common.get_or_insert(record.common) != record.common;
        self.differ |= !self.covered.add(&record.places);
        if record.machine == own.machine {
            let apart = record.mixed || record.group != own.group;
            self.machine = self.machine.with(record.places.count() as u64, &record.cores, apart);
        }
        self.some_take_mpi |= !record.takes_ucx;
        self.numbers.push(record.node);
        self.nodes.push(record.places);
        self.endpoints.extend(record.endpoint);
    }

    /// The PE whose record comes next: the first one that is in no record. It leads its node, since records come in
    /// the order of leaders. None: the records are complete, or do not fit.
    fn next(&self) -> Option<u32> {
        if self.differ { None } else { self.covered.first_missing() }
    }

    /// Every PE is in one record, all have in common what they must, and each node is another.
    fn fit(&mut self) -> bool {
        self.numbers.sort_unstable();
        let complete = !self.differ && self.covered.first_missing().is_none();
        complete && self.numbers.windows(2).all(|two| two[0] != two[1])
    }
}

/// The PEs that are in the records so far. A bit for each PE of the job.
struct Covered {
    bits: Vec<u64>,
    job: u32,
    /// All PEs below are in records.
    below: u32,
}

impl Covered {
    fn none(job: u32) -> Covered {
        Covered { bits: vec![0; job.div_ceil(64) as usize], job, below: 0 }
    }

    /// Adds the PEs of a node. False unless the first PE that was missing is the first of them, and all were missing.
    /// `places` are PEs of this job.
    fn add(&mut self, places: &Places) -> bool {
        let mut fits = places.pe(0).0 == self.below;
        for slot in 0..places.count() {
            let pe = places.pe(slot).0;
            let (word, bit) = (&mut self.bits[(pe / 64) as usize], 1 << (pe % 64));
            fits &= *word & bit == 0;
            *word |= bit;
        }
        while self.below < self.job {
            let ones = (self.bits[(self.below / 64) as usize] >> (self.below % 64)).trailing_ones();
            if ones == 0 {
                break;
            }
            self.below += ones;
        }
        fits
    }

    fn first_missing(&self) -> Option<u32> {
        (self.below < self.job).then_some(self.below)
    }
}

/// What the PEs of a node learn from their leader.
#[derive(Clone, Debug)]
struct View {
    machine: Machine,
    takes_ucx: bool,
    placement: Option<Placement>,
}

impl View {
    fn note(view: Option<&View>) -> Note {
        let mut note = [0; NOTE_WORDS];
        let Some(View { machine, takes_ucx, placement }) = view else { return note };
        let [kind, first, each] = match placement.map(|placement| placement.map) {
            Some(Map::Blocks { first, each }) => [1, first, each],
            Some(Map::Cyclic { nodes }) => [2, nodes, 0],
            _ => [3, 0, 0],
        };
        let flags = u64::from(machine.apart) | u64::from(*takes_ucx) << 1;
        let head = [kind.into(), first.into(), each.into(), machine.pes, flags];
        note.iter_mut().zip(head.into_iter().chain(machine.cores.0)).for_each(|(word, value)| *word = value);
        note
    }

    fn of_note(note: &Note, pes: u32) -> Option<View> {
        let (first, each) = (note[1] as u32, note[2] as u32);
        let map = match note[0] {
            0 => return None,
            1 => Some(Map::Blocks { first, each }),
            2 => Some(Map::Cyclic { nodes: first }),
            _ => None,
        };
        let cores = CpuSet(core::array::from_fn(|i| note[5 + i]));
        let machine = Machine { pes: note[3], cores, apart: note[4] & 1 != 0 };
        Some(View { machine, takes_ucx: note[4] & 2 != 0, placement: map.map(|map| Placement { map, pes }) })
    }
}

/// The launcher tells which PEs may share this PE's node, and its store serves the job.
struct ByLauncher<'a> {
    job: &'a mut dyn Job,
    mates: Places,
}

impl ByLauncher<'_> {
    fn new(job: &mut dyn Job, here: Vec<u32>) -> ByLauncher<'_> {
        let mates = Places::new(here, job.size());
        ByLauncher { job, mates }
    }
}

impl Way for ByLauncher<'_> {
    fn mates(&self) -> &Places {
        &self.mates
    }

    /// On several nodes the PEs come together here, so that no arrival takes long.
    fn tell(&mut self, descriptor: Option<Vec<u8>>) -> Result<Vec<u8>, BootError> {
        if let Some(descriptor) = &descriptor {
            self.job.publish(NODE, descriptor)?;
        }
        match (self.job.puts_are_awaited(), self.mates.everybody()) {
            (false, _) => self.job.fence()?,
            (true, false) => self.job.barrier()?,
            (true, true) => {}
        }
        descriptor.map_or_else(|| Ok(self.job.get_when_put(self.mates.pe(0).0, NODE)?), Ok)
    }

    /// PE 0 leads the first node, and each record tells who leads the next one. So no launcher need tell of others
    /// than the PEs of a node.
    fn exchange(&mut self, record: Option<Vec<u8>>, read: &mut Read<'_>) -> Result<(), BootError> {
        if let Some(record) = &record {
            self.job.put(RECORD, record)?;
        }
        self.job.fence()?;
        let mut next = record.map(|_| 0);
        while let Some(leader) = next {
            next = match self.job.get(leader, RECORD) {
                Ok(record) => read(&record),
                Err(Error::NotPut { .. }) => read(&[]),
                Err(e) => return Err(e.into()),
            };
        }
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), BootError> {
        Ok(self.job.barrier()?)
    }
}

/// MPI tells which PEs may share a node, and its collectives serve them.
struct ByMpi {
    on_node: Comm,
    leaders: Option<Comm>,
    mates: Places,
}

impl ByMpi {
    fn new(me: u32, job: u32) -> Result<ByMpi, BootError> {
        let (on_node, leaders) = Comm::by_node()?;
        let pes = on_node.allgather(&me.to_le_bytes())?;
        let pes = pes.iter().filter_map(|pe| Some(u32::from_le_bytes(*pe.first_chunk()?))).collect();
        Ok(ByMpi { on_node, leaders, mates: Places::new(pes, job) })
    }
}

impl Way for ByMpi {
    fn mates(&self) -> &Places {
        &self.mates
    }

    fn tell(&mut self, descriptor: Option<Vec<u8>>) -> Result<Vec<u8>, BootError> {
        Ok(self.on_node.allgather(&descriptor.unwrap_or_default())?.swap_remove(0))
    }

    fn exchange(&mut self, record: Option<Vec<u8>>, read: &mut Read<'_>) -> Result<(), BootError> {
        if let (Some(leaders), Some(record)) = (&self.leaders, record) {
            for record in leaders.allgather(&record)? {
                read(&record);
            }
        }
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), BootError> {
        Ok(Comm::shared_world().least(&[0]).map(drop)?)
    }
}

impl Drop for ByMpi {
    fn drop(&mut self) {
        // A failure shows in the next call of MPI.
        let _ = self.on_node.free();
        let _ = self.leaders.as_mut().map(Comm::free);
    }
}
