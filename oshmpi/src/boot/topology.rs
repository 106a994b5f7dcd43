//! The node of this PE, and how the PEs of a node wait for each other. That PEs share memory is proved (see `found`).

use super::error::{list, lower_heap};
use super::found::{self, FoundNode, Machine, View};
use super::job::Joined;
use super::liveness::LivenessPlan;
use super::pe_info::PeInfo;
use super::{BootError, locality, nodes};
use crate::diag::{fatal_alike, print};
use crate::env::coll_select::{Algorithm, Collective};
use crate::env::{BadValue, Env, TransportBy};
use crate::memory::addr::Pe;
use crate::memory::node::{Limit, Node, NodePlan, Shape};
use crate::os::exe::DataSegment;
use crate::os::{affinity, memfd, sched};
use crate::sync::wait::{Backoff, Meanwhile, WaitPolicy};
use std::os::fd::OwnedFd;

/// This PE's node, before its memory is mapped.
pub(crate) struct Topology {
    fd: OwnedFd,
    pub(super) plan: NodePlan,
    /// What must stand at the head of the node's memory.
    token: [u64; 2],
    /// The library of the network that all PEs would take between nodes.
    pub(super) takes: TransportBy,
    /// All PEs run the same executable, so offsets of static variables mean the same everywhere.
    pub(crate) same_program: bool,
    pub(crate) notes: Vec<String>,
    /// For the first PE of one of several machines.
    pub(super) watch: Option<LivenessPlan>,
}

/// Finds the node, by as little exchange as the launcher's hint allows, and exchanges PE infos. Collective; all PEs
/// succeed or all fail. `takes`: what this PE would take between nodes.
pub(crate) fn learn(
    joined: &mut Joined,
    env: &Env,
    bad: Option<&BadValue>,
    exe: Option<DataSegment>,
    takes: TransportBy,
) -> Result<Topology, BootError> {
    let (me, n) = (joined.rank, joined.size);
    let mut info = PeInfo { takes, ..PeInfo::own(env, bad, exe) };
    locality::note(&mut info, n);
    let found = nodes::find(joined, &mut info, env)?;
    let mut notes = vec![format!("shared memory: {}", if found.on_disk { "/dev/shm" } else { "memfd" })];
    let limit = match found.on_disk {
        true => Some(Limit::DevShm),
        false => sched::strict_memory().then_some(Limit::NoOvercommit),
    };
    if !found.view.same_program {
        notes.extend(other_programs(&found.other_programs, me));
    }
    let (policy, one_machine) = share_cores(&found, n, &mut notes);
    // Where some PEs of this host have another memory, the PEs of this node are not told from those by their infos.
    let whole = found.here.count() == found.mates.len();
    let infos: &[PeInfo] = if whole { &found.mates } else { &[] };
    let tree_asked = env.coll_select.has(Collective::Barrier, Algorithm::Tree);
    let localities = locality::of_node(infos, policy == WaitPolicy::Spin, tree_asked, &mut notes);
    let FoundNode { leader, here: places, memory, heaps, token, view, watch, .. } = found;
    let View { takes, same_program, data, placement, .. } = view;
    let (heap, pes) = (env.heap.0, places.count());
    let shape = found::shape(env, data, pes, placement.as_ref(), n);
    let shape = shape.ok_or_else(|| BootError::by(leader, me, BootError::HeapsTooLarge { heap, pes }))?;
    reserve(&memory, shape, limit);
    let plan = NodePlan { heaps, shape, places, placement, localities, policy, one_machine, limit };
    Ok(Topology { fd: memory, plan, token, takes, same_program, notes, watch })
}

/// Some PEs run another executable. PE 0 knows which ones, and says so.
fn other_programs(others: &[u32], me: u32) -> Option<String> {
    (me == 0).then(|| {
        let text = format!("{} run another executable than PE 0: no remote access to static variables", list(others));
        print(&text);
        text
    })
}

/// Gives the node's memory its size, for good. Everybody gives the same size, and does so before its own first access.
fn reserve(memory: &OwnedFd, shape: Shape, limit: Option<Limit>) {
    if let Err(e) = memfd::resize(memory, shape.total() as u64) {
        // The others are on their way and cannot be told otherwise.
        no_room(shape.total(), &e, &lower_heap(&e));
    }
    memfd::seal_size(memory);
    // PEs write to each other's sync slots. A PE that is the first to find no page there would be killed, so these
    // pages are committed. For the second PE that comes here they are there already.
    if let Some(limit) = limit
        && let Err(e) = memfd::commit(memory, 0, shape.slots as u64)
    {
        no_room(shape.slots, &e, limit.advice());
    }
}

/// Most likely the other PEs of the node find the same.
fn no_room(bytes: usize, e: &std::io::Error, advice: &str) -> ! {
    fatal_alike("shmem_init", format_args!("cannot reserve {bytes} bytes of shared memory: {e}; {advice}"))
}

/// How the PEs with this node id wait for each other, also those that OSHMPI_ROUTE=mpi keeps apart, and whether they
/// are all PEs of the job.
fn share_cores(found: &FoundNode, n: u32, notes: &mut Vec<String>) -> (WaitPolicy, bool) {
    let FoundNode { mates, own, view, .. } = found;
    let Machine { pes: on_machine, cores: all_cores, apart } = &view.machine;
    let allowed = mates.iter().fold(sched::CpuSet::default(), |all, info| all.union(&info.cores)).count() as u64;
    let cores = mates.iter().map(|info| info.quota).fold(allowed, u64::min);
    // Several nodes on one machine, such as containers, may share cores.
    let all_cores = all_cores.count();
    let machine_is_full = *on_machine > all_cores as u64;
    let own_cores = &mates[*own].cores;
    let (rivals, alike) = (mates.len() as u64, mates.iter().all(|info| info.cores == *own_cores));
    if rivals > cores && alike {
        affinity::choose(own_cores.clone(), *own, mates.len());
    }
    let policy = match rivals > cores || machine_is_full {
        false => WaitPolicy::Spin,
        true if *apart => WaitPolicy::YieldApart,
        true => WaitPolicy::Yield,
    };
    notes.push(format!("{rivals} PEs on {cores} cores of this node; waiting PEs {}", policy.does()));
    if machine_is_full && *on_machine > rivals {
        notes.push(format!("this machine is several nodes: {on_machine} PEs on {all_cores} cores"));
    }
    (policy, rivals == u64::from(n))
}

impl Topology {
    /// The whole job is on this node, and may use its memory.
    pub(crate) fn everybody(&self) -> bool {
        self.plan.places.everybody()
    }

    /// Maps the node's memory. Waits sleep as `backoff` says, and do `meanwhile` beside polling.
    pub(crate) fn map(self, pe: Pe, backoff: Backoff, meanwhile: &'static Meanwhile) -> Result<Node, BootError> {
        let bytes = self.plan.shape.total();
        let node = Node::map(self.fd, pe, self.plan, backoff, meanwhile);
        let node = node.map_err(|source| BootError::CannotMapNode { bytes, source })?;
        if node.token() == self.token { Ok(node) } else { Err(BootError::OtherMemory) }
    }
}
