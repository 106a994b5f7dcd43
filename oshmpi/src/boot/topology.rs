//! Who shares memory with me, proved (see `found`), and how the PEs of my node wait for each other.

use super::found::Found;
use super::job::Joined;
use super::liveness::LivenessPlan;
use super::pe_info::{self, PeInfo, list};
use super::{BootError, among, leader};
use crate::diag::{fatal_alike, say};
use crate::env::{BadValue, Env, Route};
use crate::memory::addr::Pe;
use crate::memory::node::{Limit, Node, Shape};
use crate::memory::places::Places;
use crate::os::exe::DataSegment;
use crate::os::{affinity, memfd, sched};
use crate::sync::wait::WaitPolicy;
use pmi_shm::limits;
use std::os::fd::OwnedFd;

/// This PE's node, before its memory is mapped.
pub(crate) struct Topology {
    fd: OwnedFd,
    shape: Shape,
    places: Places,
    /// What must stand at the head of the node's memory.
    token: [u64; 2],
    policy: WaitPolicy,
    one_machine: bool,
    limit: Option<Limit>,
    /// All PEs run the same executable, so offsets of static variables mean the same everywhere.
    pub(crate) same_program: bool,
    pub(crate) notes: Vec<String>,
    /// For the first PE of one of several machines.
    pub(super) watch: Option<LivenessPlan>,
}

/// Finds the node, by as little exchange as the launcher's hint allows, and exchanges PE infos. Collective; all PEs succeed
/// or all fail.
pub(crate) fn learn(
    joined: &mut Joined,
    env: &Result<Env, BadValue>,
    exe: Option<DataSegment>,
) -> Result<Topology, BootError> {
    let mut info = PeInfo::own(env, exe);
    let (me, n) = (joined.job.rank(), joined.job.size());
    let found = if joined.one_node { leader::on_one_node(&mut *joined.job, &mut info)? } else { None };
    let Found { infos, leader, here, memory, watch } = match found {
        Some(found) if found.infos.iter().all(|c| c.route != Route::Mpi) => found,
        _ => among::all(joined, info, env)?,
    };
    pe_info::check(&infos, me)?;
    let on_disk = infos[leader as usize].on_disk;
    let mut notes = vec![format!("shared memory: {}", if on_disk { "/dev/shm" } else { "memfd" })];
    let limit = match on_disk {
        true => Some(Limit::DevShm),
        false => sched::strict_memory().then_some(Limit::NoOvercommit),
    };

    let others = pe_info::other_programs(&infos);
    if !others.is_empty() {
        let text = format!("{} run another executable than PE 0: no remote access to static variables", list(&others));
        if me == 0 {
            say(&text);
        }
        notes.push(text);
    }
    // All PEs of a node compute the same shape.
    let (heap, data) = (infos[0].heap, if others.is_empty() { infos[0].data } else { 0 });
    let places = Places::new(here, n);
    let shape = Shape::new(places.count(), heap as usize, data as usize).ok_or_else(|| {
        let text = format!("a heap of {heap} bytes for {} PEs is larger than the address space", places.count());
        BootError::by(leader, me, || text)
    })?;
    // Everybody gives the file the same size, and does so before its own first access.
    if let Err(e) = memfd::resize(&memory, shape.total() as u64) {
        // The others are on their way and cannot be told otherwise.
        no_room(shape.total(), &e, &lower_or(&e));
    }
    // So it is with what PEs write to each other's sync slots, which would end the one that is first to find no page. Whoever comes second
    // finds it done.
    if let Some(limit) = limit
        && let Err(e) = memfd::commit(&memory, 0, shape.slots as u64)
    {
        no_room(shape.slots, &e, limit.advice());
    }

    // Who runs on the same cores: PEs of one machine, also those that OSHMPI_ROUTE=mpi keeps apart.
    let own = &infos[me as usize];
    let rivals = || infos.iter().filter(|c| c.node == own.node);
    let allowed = rivals().fold(sched::CpuSet::default(), |all, c| all.union(&c.cores)).count() as u64;
    let cores = rivals().map(|c| c.quota).fold(allowed, u64::min);
    let apart = rivals().any(|c| c.group != own.group);
    let alike = rivals().all(|c| c.cores == own.cores);
    let before = rivals().take_while(|c| !std::ptr::eq(*c, own)).count();
    let rivals = rivals().count();
    if rivals as u64 > cores && alike {
        affinity::choose(own.cores.clone(), before, rivals);
    }
    let policy = match rivals as u64 > cores {
        false => WaitPolicy::Spin,
        true if apart => WaitPolicy::YieldApart,
        true => WaitPolicy::Yield,
    };
    notes.push(format!("{rivals} PEs on {cores} cores of this node; waiting PEs {}", policy.does()));
    let token = infos[leader as usize].token;
    let one_machine = rivals == infos.len();
    Ok(Topology {
        fd: memory,
        shape,
        places,
        token,
        policy,
        one_machine,
        limit,
        same_program: others.is_empty(),
        notes,
        watch,
    })
}

/// What helps where the memory that heaps need is refused.
fn lower_or(e: &std::io::Error) -> String {
    let limit = limits::advice(e).map(|advice| format!(" or {advice}"));
    format!("lower SHMEM_SYMMETRIC_SIZE{}", limit.unwrap_or_default())
}

/// Most likely the others of the node find the same.
fn no_room(bytes: usize, e: &std::io::Error, advice: &str) -> ! {
    fatal_alike("shmem_init", format_args!("cannot reserve {bytes} bytes of shared memory: {e}; {advice}"))
}

impl Topology {
    /// The whole job is on this node, and may use its memory.
    pub(crate) fn everybody(&self) -> bool {
        self.places.everybody()
    }

    /// Maps the node's memory.
    pub(crate) fn map(self, pe: Pe) -> Result<Node, BootError> {
        let shape = self.shape;
        let mut node = Node::map(self.fd, shape, self.places, pe, self.policy, self.limit).map_err(|e| {
            BootError(Some(format!("cannot map {} bytes of shared memory: {e}; {}", shape.total(), lower_or(&e))))
        })?;
        if node.token() != self.token {
            return Err(BootError(Some("the node's shared memory is not the one announced".to_owned())));
        }
        node.interrupted = super::teardown::leave_if_ending;
        node.one_machine = self.one_machine;
        Ok(node)
    }
}
