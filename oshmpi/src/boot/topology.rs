//! The node of this PE, and how the PEs of a node wait for each other. That PEs share memory is proved (see `found`).

use super::error::{list, lower_heap};
use super::found::Found;
use super::job::Joined;
use super::liveness::LivenessPlan;
use super::pe_info::{self, PeInfo};
use super::{BootError, among, leader, locality};
use crate::diag::{fatal_alike, print};
use crate::env::{BadValue, Env, Route};
use crate::memory::addr::Pe;
use crate::memory::node::{Limit, Node, NodePlan, Shape};
use crate::memory::placement::Placement;
use crate::memory::places::Places;
use crate::os::exe::DataSegment;
use crate::os::{affinity, memfd, sched};
use crate::sync::tree::Locality;
use crate::sync::wait::{Backoff, Meanwhile, WaitPolicy};
use std::os::fd::OwnedFd;

/// This PE's node, before its memory is mapped.
pub(crate) struct Topology {
    fd: OwnedFd,
    shape: Shape,
    places: Places,
    /// Where a formula does not tell it: the node of every PE.
    placement: Result<Placement, Vec<u32>>,
    /// Where each PE of the node runs, if its large teams use trees.
    localities: Option<Vec<Locality>>,
    /// What must stand at the head of the node's memory.
    token: [u64; 2],
    pub(super) policy: WaitPolicy,
    one_machine: bool,
    limit: Option<Limit>,
    /// All PEs run the same executable, so offsets of static variables mean the same everywhere.
    pub(crate) same_program: bool,
    pub(crate) notes: Vec<String>,
    /// For the first PE of one of several machines.
    pub(super) watch: Option<LivenessPlan>,
}

/// Finds the node, by as little exchange as the launcher's hint allows, and exchanges PE infos. Collective; all PEs
/// succeed or all fail.
pub(crate) fn learn(
    joined: &mut Joined,
    env: &Env,
    bad: Option<&BadValue>,
    exe: Option<DataSegment>,
) -> Result<Topology, BootError> {
    let (me, n) = (joined.job.rank(), joined.job.size());
    let mut own = PeInfo::own(env, bad, exe);
    locality::note(&mut own, env, me, n);
    let Found { infos, leader, here, leaders, memory, watch } = find(joined, env, own)?;
    let on_disk = infos[leader as usize].on_disk;
    let mut notes = vec![format!("shared memory: {}", if on_disk { "/dev/shm" } else { "memfd" })];
    let limit = match on_disk {
        true => Some(Limit::DevShm),
        false => sched::strict_memory().then_some(Limit::NoOvercommit),
    };
    let same_program = is_same_program(&infos, me, &mut notes);
    // All PEs of a node compute the same shape.
    let (heap, data) = (env.heap.0, if same_program { infos[0].data } else { 0 });
    let (policy, one_machine) = share_cores(&infos, me, &mut notes);
    let localities = locality::of_node(&infos, &here, policy == WaitPolicy::Spin, &mut notes);
    let places = Places::new(here, n);
    let pes = places.count();
    let placement = leaders.map_or(Ok(Placement::one_node(n)), |leaders| {
        Placement::regular(&leaders).ok_or_else(|| Placement::numbers(&leaders))
    });
    let listed = placement.as_ref().map_or_else(Vec::len, |_| 0);
    let shape = Shape::new(pes, heap as usize, data as usize, listed);
    let shape = shape.ok_or_else(|| BootError::by(leader, me, BootError::HeapsTooLarge { heap, pes }))?;
    reserve(&memory, shape, limit);
    let token = infos[leader as usize].token;
    Ok(Topology {
        fd: memory,
        shape,
        places,
        placement,
        localities,
        token,
        policy,
        one_machine,
        limit,
        same_program,
        notes,
        watch,
    })
}

/// Finds the node at PE 0 where the launcher hints that there is one only, else among all PEs. The settings have been
/// checked. Collective.
fn find(joined: &mut Joined, env: &Env, mut info: PeInfo) -> Result<Found, BootError> {
    if joined.one_node
        && let Some(found) = leader::on_one_node(&mut *joined.job, &mut info)?
    {
        pe_info::check(&found.infos, joined.job.rank())?;
        // All PEs have this setting in common now, so all of them go the same way.
        if env.route != Route::Mpi {
            return Ok(found);
        }
    }
    among::all(joined, info, env)
}

/// All PEs run one executable. Where they do not, PE 0 says which ones differ.
fn is_same_program(infos: &[PeInfo], me: u32, notes: &mut Vec<String>) -> bool {
    let others = pe_info::other_programs(infos);
    if !others.is_empty() {
        let text = format!("{} run another executable than PE 0: no remote access to static variables", list(&others));
        if me == 0 {
            print(&text);
        }
        notes.push(text);
    }
    others.is_empty()
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

/// How the PEs of this machine wait for each other, also those that OSHMPI_ROUTE=mpi keeps apart, and whether they are
/// all PEs of the job.
fn share_cores(infos: &[PeInfo], me: u32, notes: &mut Vec<String>) -> (WaitPolicy, bool) {
    let own = &infos[me as usize];
    let rivals = || infos.iter().filter(|info| info.node == own.node);
    let allowed = rivals().fold(sched::CpuSet::default(), |all, info| all.union(&info.cores)).count() as u64;
    let cores = rivals().map(|info| info.quota).fold(allowed, u64::min);
    // Several nodes on one machine, such as containers, may share cores.
    let on_machine = || infos.iter().filter(|info| info.machine == own.machine);
    let all_cores = on_machine().fold(sched::CpuSet::default(), |all, info| all.union(&info.cores)).count();
    let machine_is_full = on_machine().count() > all_cores;
    let apart = on_machine().any(|info| info.group != own.group);
    let alike = rivals().all(|info| info.cores == own.cores);
    let before = rivals().take_while(|info| !std::ptr::eq(*info, own)).count();
    let rivals = rivals().count();
    if rivals as u64 > cores && alike {
        affinity::choose(own.cores.clone(), before, rivals);
    }
    let policy = match rivals as u64 > cores || machine_is_full {
        false => WaitPolicy::Spin,
        true if apart => WaitPolicy::YieldApart,
        true => WaitPolicy::Yield,
    };
    notes.push(format!("{rivals} PEs on {cores} cores of this node; waiting PEs {}", policy.does()));
    if machine_is_full && on_machine().count() > rivals {
        let all = on_machine().count();
        notes.push(format!("this machine is several nodes: {all} PEs on {all_cores} cores"));
    }
    (policy, rivals == infos.len())
}

impl Topology {
    /// The whole job is on this node, and may use its memory.
    pub(crate) fn everybody(&self) -> bool {
        self.places.everybody()
    }

    /// Maps the node's memory. Waits sleep as `backoff` says, and do `meanwhile` beside polling.
    pub(crate) fn map(self, pe: Pe, backoff: Backoff, meanwhile: &'static Meanwhile) -> Result<Node, BootError> {
        let Topology { fd, shape, places, placement, localities, policy, one_machine, limit, .. } = self;
        let plan = NodePlan { shape, places, placement, localities, policy, one_machine, limit, meanwhile, backoff };
        let node =
            Node::map(fd, pe, plan).map_err(|source| BootError::CannotMapNode { bytes: shape.total(), source })?;
        if node.token() == self.token { Ok(node) } else { Err(BootError::OtherMemory) }
    }
}
