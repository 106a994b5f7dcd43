//! Who shares memory with me, proved (see `found`), and how the PEs of my node wait for each other.

use super::card::{self, Card, list};
use super::found::Found;
use super::job::Joined;
use super::watch::Post;
use super::{BootError, among, muster};
use crate::diag::{fatal_alike, say};
use crate::env::{BadValue, Env, Route};
use crate::memory::addr::Pe;
use crate::memory::node::{Limit, Node, Shape};
use crate::memory::places::Places;
use crate::os::exe::DataSegment;
use crate::os::{home, memfd, sched};
use crate::sync::wait::Patience;
use pmi_shm::limits;
use std::os::fd::OwnedFd;

/// This PE's node, before its memory is mapped.
pub(crate) struct Topology {
    fd: OwnedFd,
    shape: Shape,
    places: Places,
    /// What must stand at the head of the node's memory.
    token: [u64; 2],
    patience: Patience,
    one_machine: bool,
    limit: Option<Limit>,
    /// All PEs run the same executable, so offsets of static variables mean the same everywhere.
    pub(crate) same_program: bool,
    pub(crate) notes: Vec<String>,
    /// For the first PE of one of several machines.
    pub(super) watch: Option<Post>,
}

/// Finds the node, by as little exchange as the launcher's hint allows, and exchanges cards. Collective; all PEs succeed
/// or all fail.
pub(crate) fn learn(
    joined: &mut Joined,
    env: &Result<Env, BadValue>,
    exe: Option<DataSegment>,
) -> Result<Topology, BootError> {
    let mut card = Card::own(env, exe);
    let (me, n) = (joined.job.rank(), joined.job.size());
    let mustered = if joined.one_node { muster::on_one_node(&mut *joined.job, &mut card)? } else { None };
    let Found { cards, leader, here, memory, watch } = match mustered {
        Some(found) if found.cards.iter().all(|c| c.route != Route::Mpi) => found,
        _ => among::all(joined, card, env)?,
    };
    card::check(&cards, me)?;
    let on_disk = cards[leader as usize].on_disk;
    let mut notes = vec![format!("shared memory: {}", if on_disk { "/dev/shm" } else { "memfd" })];
    let limit = match on_disk {
        true => Some(Limit::DevShm),
        false => sched::strict_memory().then_some(Limit::NoOvercommit),
    };

    let others = card::other_programs(&cards);
    if !others.is_empty() {
        let text = format!("{} run another executable than PE 0: no remote access to static variables", list(&others));
        if me == 0 {
            say(&text);
        }
        notes.push(text);
    }
    // All PEs of a node compute the same shape.
    let (heap, data) = (cards[0].heap, if others.is_empty() { cards[0].data } else { 0 });
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
    // So it is with what PEs write to each other's desks, which would end the one that is first to find no page. Whoever comes second
    // finds it done.
    if let Some(limit) = limit
        && let Err(e) = memfd::commit(&memory, 0, shape.slots as u64)
    {
        no_room(shape.slots, &e, limit.advice());
    }

    // Who runs on the same cores: PEs of one machine, also those that OSHMPI_ROUTE=mpi keeps apart.
    let own = &cards[me as usize];
    let rivals = || cards.iter().filter(|c| c.node == own.node);
    let allowed = rivals().fold(sched::CpuSet::default(), |all, c| all.union(&c.cores)).count() as u64;
    let cores = rivals().map(|c| c.quota).fold(allowed, u64::min);
    // Several nodes on one machine (containers) may share cores without knowing of it.
    let on_machine = || cards.iter().filter(|c| c.machine == own.machine);
    let all_cores = on_machine().fold(sched::CpuSet::default(), |all, c| all.union(&c.cores)).count();
    let machine_is_full = on_machine().count() > all_cores;
    let apart = on_machine().any(|c| c.group != own.group);
    let alike = rivals().all(|c| c.cores == own.cores);
    let before = rivals().take_while(|c| !std::ptr::eq(*c, own)).count();
    let rivals = rivals().count();
    if rivals as u64 > cores && alike {
        home::choose(own.cores.clone(), before, rivals);
    }
    let patience = match rivals as u64 > cores || machine_is_full {
        false => Patience::Spin,
        true if apart => Patience::YieldApart,
        true => Patience::Yield,
    };
    notes.push(format!("{rivals} PEs on {cores} cores of this node; waiting PEs {}", patience.does()));
    if machine_is_full && on_machine().count() > rivals {
        let all = on_machine().count();
        notes.push(format!("this machine is several nodes: {all} PEs on {all_cores} cores"));
    }
    let token = cards[leader as usize].token;
    let one_machine = rivals == cards.len();
    Ok(Topology {
        fd: memory,
        shape,
        places,
        token,
        patience,
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
        let mut node = Node::map(self.fd, shape, self.places, pe, self.patience, self.limit).map_err(|e| {
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
