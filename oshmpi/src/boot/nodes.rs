//! The nodes of a job, found node by node: the PEs of a node arrive at a counter in their leader's memory, and leaders
//! exchange one record per node. Which PEs may share a node is a hint, of the launcher or of MPI. A PE that cannot open
//! the memory of its leader leads a node of its own. Where nodes may share memory although the hint says otherwise, all
//! PEs try a second time, with what the records say as the hint.
//!
//! For a job of P PEs on N nodes: a PE reads one descriptor and the PE infos of its node, and its leader reads N
//! records besides, in three collective steps of the launcher at most. A PE's memory grows with the PEs of its node, a
//! leader's with N besides. An irregular placement takes 4 P bytes, once per node.

mod records;
#[cfg(test)]
mod tests;

use super::BootError;
use super::found::{self, FoundNode, View, create_memory, no_memory};
use super::job::{self, By, Joined};
use super::leader::{self, Read, Way};
use super::liveness::{Listener, LivenessPlan};
use super::pe_info::{self, PeInfo};
use super::session;
use crate::env::{Env, Route};
use crate::memory::addr::Pe;
use crate::memory::placement::Placement;
use crate::memory::places::Places;
use crate::mpi::{self, Comm};
use pmi_shm::{Error, Job, Singleton};
use records::{NodeRecord, Outcome, Records};

/// Keys, behind which stands the number of the try.
const NODE: &str = "oshmpi-node";
const RECORD: &str = "oshmpi-record";

/// Finds this PE's node. Collective.
pub(super) fn find(joined: &mut Joined, info: &mut PeInfo, env: &Env) -> Result<FoundNode, BootError> {
    let (me, size, here) = (joined.rank, joined.size, joined.here.take());
    match (joined.by, session::job(), &here) {
        (By::Launcher, Some(mut job), Some(here)) => {
            return over(&mut ByLauncher::new(&mut **job, here.clone()), me, info, env);
        }
        (By::Nobody, _, Some(here)) => {
            return over(&mut ByLauncher::new(&mut Singleton::default(), here.clone()), me, info, env);
        }
        _ => {}
    }
    if here.is_none() {
        // Where there is no memory for this PE, MPI may find none either and say so at length.
        drop(create_memory(info).unwrap_or_else(|e| no_memory(&e)));
        job::have_mpi(joined.rank, joined.mpi_level)?;
        // Already here: should init fail from now on, MPI ends with the process all the same.
        mpi::life::Event::LeaveAllowed.note();
    }
    over(&mut ByMpi::new(me, size, here)?, me, info, env)
}

fn over(way: &mut dyn Way, me: u32, info: &mut PeInfo, env: &Env) -> Result<FoundNode, BootError> {
    // With OSHMPI_ROUTE=mpi every PE is a node of its own, whatever shares memory.
    let mut last = env.route == Route::Mpi;
    loop {
        match attempt(way, me, info, env, last)? {
            Ok(found) => return Ok(if env.route == Route::Mpi { apart(found, me, info, env) } else { found }),
            Err(mates) => way.regroup(mates)?,
        }
        last = true;
    }
}

/// Finds the node, or those that may share it after all; not at the last attempt. Collective.
fn attempt(
    way: &mut dyn Way,
    me: u32,
    info: &mut PeInfo,
    env: &Env,
    last: bool,
) -> Result<Result<FoundNode, Places>, BootError> {
    let mates = way.mates().clone();
    // With OSHMPI_ROUTE=mpi every PE gets memory of its own later.
    let shared = env.route != Route::Mpi;
    let heaps = || if shared { found::huge_heaps(env, mates.count()) } else { None };
    let met = leader::gather(way, me, info, heaps)?;
    let here = met.here.clone();
    let leader = here.pe(0).0;
    let listener = if me == leader && !here.everybody() { Listener::wanted(me, env.host_timeout) } else { None };
    let (mut records, mut fault) = (None, None);
    let outcome = if here.everybody() || me == leader {
        let endpoint = listener.as_ref().map(Listener::endpoint);
        let records = records.insert(Records::of(here.job()));
        let own = NodeRecord::of(&met.infos, here.clone(), met.is_whole(&mates), endpoint);
        if here.everybody() {
            records.add(Some(own.clone()), &own);
        } else {
            let record = pe_info::encode(&own);
            let found = |bytes: &[u8]| pe_info::decode(bytes).filter(|r: &NodeRecord| r.places.are_of(here.job()));
            way.exchange(Some(record), &mut |bytes| {
                records.add(found(bytes), &own);
                records.next()
            })?;
        }
        let place = |nodes: &[Places], data| match env.route {
            _ if here.everybody() => Some(Placement::one_node(here.job())),
            Route::Mpi => Some(Placement::apart(here.job())),
            _ => found::place(nodes, met.memory(), env, data, here.count()),
        };
        let outcome;
        (outcome, fault) = records.outcome(&own, env.route, last, place);
        if here.count() > 1 && !here.everybody() {
            met.tell(&outcome)?;
        }
        outcome
    } else {
        way.exchange(None, &mut |_| None)?;
        met.told()?
    };
    let view = match outcome {
        Outcome::Found(view) => view,
        Outcome::MayShare(mates) => return Ok(Err(mates)),
        Outcome::Fails(pe) => {
            let own = (!info.problem.is_empty()).then(|| BootError::Setting(info.problem.clone()));
            return Err(BootError::by(pe, me, own.or(fault).unwrap_or(BootError::ReportedElsewhere)));
        }
    };
    let own = here.local(Pe(me)).expect("a PE is on its own node");
    let (mates, memory, heaps) = met.into_parts();
    let PeInfo { token, on_disk, .. } = mates[0];
    Ok(Ok(FoundNode {
        mates,
        own,
        leader,
        here,
        memory,
        heaps,
        token,
        on_disk,
        view,
        other_programs: records.as_ref().map_or(vec![], Records::other_programs),
        watch: listener.zip(records).map(|(listener, records)| LivenessPlan { listener, endpoints: records.endpoints }),
    }))
}

/// With OSHMPI_ROUTE=mpi every PE is a node of its own, in memory of its own.
fn apart(found: FoundNode, me: u32, info: &mut PeInfo, env: &Env) -> FoundNode {
    let job = found.here.job();
    let memory = create_memory(info).unwrap_or_else(|e| no_memory(&e));
    let view = View { placement: Some(Placement::apart(job)), ..found.view };
    let here = Places::spaced(me, 1, 1, job);
    let heaps = found::huge_heaps(env, 1);
    FoundNode { leader: me, here, memory, heaps, token: info.token, on_disk: info.on_disk, view, ..found }
}

/// The launcher tells which PEs may share this PE's node, and its store serves the job.
struct ByLauncher<'a> {
    job: &'a mut dyn Job,
    mates: Places,
    tries: u32,
}

impl ByLauncher<'_> {
    fn new(job: &mut dyn Job, here: Vec<u32>) -> ByLauncher<'_> {
        let mates = Places::new(here, job.size());
        ByLauncher { job, mates, tries: 1 }
    }

    fn key(&self, name: &str) -> String {
        format!("{name}{}", self.tries)
    }
}

impl Way for ByLauncher<'_> {
    fn mates(&self) -> &Places {
        &self.mates
    }

    fn regroup(&mut self, mates: Places) -> Result<(), BootError> {
        self.mates = mates;
        self.tries += 1;
        Ok(())
    }

    fn tell(&mut self, descriptor: Option<Vec<u8>>) -> Result<Vec<u8>, BootError> {
        let key = self.key(NODE);
        if let Some(descriptor) = &descriptor {
            self.job.publish(&key, descriptor)?;
        }
        if !self.job.puts_are_awaited() {
            self.job.fence()?;
        }
        descriptor.map_or_else(|| Ok(self.job.get_when_put(self.mates.pe(0).0, &key)?), Ok)
    }

    fn barrier(&mut self) -> Result<(), BootError> {
        Ok(self.job.barrier()?)
    }

    /// PE 0 leads the first node, and each record tells who leads the next one. So no launcher need tell of others
    /// than the PEs of a node.
    fn exchange(&mut self, record: Option<Vec<u8>>, read: &mut Read<'_>) -> Result<(), BootError> {
        let key = self.key(RECORD);
        if let Some(record) = &record {
            self.job.put(&key, record)?;
        }
        self.job.fence()?;
        let mut next = record.map(|_| 0);
        while let Some(leader) = next {
            next = match self.job.get(leader, &key) {
                Ok(record) => read(&record),
                Err(Error::NotPut { .. }) => read(&[]),
                Err(e) => return Err(e.into()),
            };
        }
        Ok(())
    }
}

/// MPI tells which PEs may share a node, or the launcher does. MPI's collectives serve them.
struct ByMpi {
    on_node: Comm,
    mates: Places,
}

impl ByMpi {
    fn new(me: u32, job: u32, here: Option<Vec<u32>>) -> Result<ByMpi, BootError> {
        if let Some(here) = here {
            return ByMpi::of(Places::new(here, job));
        }
        let on_node = Comm::of_node()?;
        let pes = on_node.allgather(&me.to_le_bytes())?;
        let pes = pes.iter().filter_map(|pe| Some(u32::from_le_bytes(*pe.first_chunk()?))).collect();
        Ok(ByMpi { on_node, mates: Places::new(pes, job) })
    }

    fn of(mates: Places) -> Result<ByMpi, BootError> {
        let on_node = Comm::of_number(Some(mates.pe(0).0))?.expect("it has a number");
        Ok(ByMpi { on_node, mates })
    }
}

impl Way for ByMpi {
    fn mates(&self) -> &Places {
        &self.mates
    }

    fn regroup(&mut self, mates: Places) -> Result<(), BootError> {
        *self = ByMpi::of(mates)?;
        Ok(())
    }

    fn tell(&mut self, descriptor: Option<Vec<u8>>) -> Result<Vec<u8>, BootError> {
        Ok(self.on_node.allgather(&descriptor.unwrap_or_default())?.swap_remove(0))
    }

    fn barrier(&mut self) -> Result<(), BootError> {
        Ok(self.on_node.least(&[0]).map(drop)?)
    }

    fn exchange(&mut self, record: Option<Vec<u8>>, read: &mut Read<'_>) -> Result<(), BootError> {
        let leaders = Comm::of_number(record.as_ref().map(|_| 0))?;
        if let (Some(leaders), Some(record)) = (leaders, record) {
            for record in leaders.allgather(&record)? {
                read(&record);
            }
            leaders.end()?;
        }
        Ok(())
    }
}

impl Drop for ByMpi {
    fn drop(&mut self) {
        let _ = self.on_node.free(); // a failure shows in the next call of MPI
    }
}
