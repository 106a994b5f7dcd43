//! Who shares memory with me, proved (see `found`), and how the PEs of my node wait for each other.

use super::BootError;
use super::card::{self, Card, list};
use super::found::{Found, offer, prove};
use super::job::Joined;
use super::muster;
use super::watch::{Door, Post, Sign};
use crate::diag::{fatal_alike, say};
use crate::env::{BadValue, Env, Route};
use crate::memory::addr::Pe;
use crate::memory::node::{Node, Shape};
use crate::memory::places::Places;
use crate::os::exe::DataSegment;
use crate::os::{home, memfd, sched};
use crate::sync::wait::Patience;
use pmi_shm::Job;
use std::os::fd::OwnedFd;

const CARD: &str = "oshmpi-card";
const LEADER: &str = "oshmpi-leader";

/// This PE's node, before its memory is mapped.
pub(crate) struct Topology {
    fd: OwnedFd,
    shape: Shape,
    places: Places,
    /// What must stand at the head of the node's memory.
    token: [u64; 2],
    patience: Patience,
    one_machine: bool,
    limited: bool,
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
        _ => among_all(joined.for_all_to_all()?, card, env)?,
    };
    card::check(&cards, me)?;
    let on_disk = cards[leader as usize].on_disk;
    let mut notes = vec![format!("shared memory: {}", if on_disk { "/dev/shm" } else { "memfd" })];
    let limited = on_disk || sched::strict_memory();

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
        no_room(&shape, &e);
    }
    // So it is with what PEs write to each other's desks, which would end the one that is first to find no page. Whoever comes second
    // finds it done.
    if limited && let Err(e) = memfd::commit(&memory, 0, shape.slots as u64) {
        no_room(&shape, &e);
    }

    // Who runs on the same cores: PEs of one machine, also those that OSHMPI_ROUTE=mpi keeps apart.
    let own = &cards[me as usize];
    let rivals = || cards.iter().filter(|c| c.node == own.node);
    let allowed = rivals().fold(sched::CpuSet::default(), |all, c| all.union(&c.cores)).count() as u64;
    let cores = rivals().map(|c| c.quota).fold(allowed, u64::min);
    let apart = rivals().any(|c| c.group != own.group);
    let alike = rivals().all(|c| c.cores == own.cores);
    let before = rivals().take_while(|c| !std::ptr::eq(*c, own)).count();
    let rivals = rivals().count();
    if rivals as u64 > cores && alike {
        home::choose(own.cores.clone(), before, rivals);
    }
    let patience = match rivals as u64 > cores {
        false => Patience::Spin,
        true if apart => Patience::YieldApart,
        true => Patience::Yield,
    };
    notes.push(format!("{rivals} PEs on {cores} cores of this node; waiting PEs {}", patience.does()));
    let token = cards[leader as usize].token;
    let one_machine = rivals == cards.len();
    Ok(Topology {
        fd: memory,
        shape,
        places,
        token,
        patience,
        one_machine,
        limited,
        same_program: others.is_empty(),
        notes,
        watch,
    })
}

/// Most likely the others of the node find the same.
fn no_room(shape: &Shape, e: &std::io::Error) -> ! {
    let problem =
        format_args!("cannot reserve {} bytes of shared memory: {e}; lower SHMEM_SYMMETRIC_SIZE", shape.total());
    fatal_alike("shmem_init", problem)
}

impl Topology {
    /// The whole job is on this node, and may use its memory.
    pub(crate) fn everybody(&self) -> bool {
        self.places.everybody()
    }

    /// Maps the node's memory.
    pub(crate) fn map(self, pe: Pe) -> Result<Node, BootError> {
        let shape = self.shape;
        let mut node = Node::map(self.fd, shape, self.places, pe, self.patience, self.limited).map_err(|e| {
            let text = format!("cannot map {} bytes of shared memory: {e}; lower SHMEM_SYMMETRIC_SIZE", shape.total());
            BootError(Some(text))
        })?;
        if node.token() != self.token {
            return Err(BootError(Some("the node's shared memory is not the one announced".to_owned())));
        }
        node.interrupted = super::teardown::leave_if_ending;
        node.one_machine = self.one_machine;
        Ok(node)
    }
}

/// Every PE offers memory and reads everybody's card; those who can open the memory of an earlier PE join its node. The first
/// PEs of several machines open doors to each other.
fn among_all(job: &mut dyn Job, mut card: Card, env: &Result<Env, BadValue>) -> Result<Found, BootError> {
    let (me, n) = (job.rank(), job.size());
    let own = offer(&mut card);
    if let Err(e) = &own {
        card.problem = format!("cannot make shared memory: {e}");
    }
    job.put(CARD, &card.encode())?;
    job.fence()?;
    let cards = (0..n).map(|pe| {
        let bytes = job.get(pe, CARD)?;
        Card::decode(&bytes).ok_or_else(|| pmi_shm::Error(format!("PE {pe} runs another version of liboshmpi")))
    });
    let cards = cards.collect::<Result<Vec<Card>, _>>()?;
    // Before the next exchange: a PE with a problem has nothing to offer.
    card::check(&cards, me)?;

    let mut memory = own.expect("a PE without memory has a problem on its card");
    let mut leader = me;
    // With OSHMPI_ROUTE=mpi every PE is a node of its own.
    let candidates = if card.route == Route::Mpi { 0 } else { me };
    for (pe, other) in (0..candidates).zip(&cards) {
        if other.node == card.node
            && let Some(fd) = prove(other)
        {
            (leader, memory) = (pe, fd);
            break;
        }
    }
    let machines = cards.iter().any(|other| other.node != card.node);
    let door =
        env.as_ref().ok().filter(|_| machines && leader == me).and_then(|env| Door::wanted(me, env.host_timeout));
    let mut word = leader.to_le_bytes().to_vec();
    word.extend(door.as_ref().map(|door| door.sign().encode()).unwrap_or_default());
    job.put(LEADER, &word)?;
    job.fence()?;
    let (mut here, mut nodes) = (Vec::new(), 0);
    let (mut strangers, mut signs) = (Vec::new(), Vec::new());
    for pe in 0..n {
        let word = job.get(pe, LEADER)?;
        let (theirs, sign) = word.split_at_checked(4).unwrap_or_default();
        nodes += u32::from(theirs == pe.to_le_bytes());
        if theirs == leader.to_le_bytes() {
            here.push(pe);
        }
        if theirs != 0u32.to_le_bytes() {
            strangers.push(pe);
        }
        signs.extend(Sign::decode(sign));
    }
    if nodes > 1 && card.route == Route::Node {
        return Err(BootError::by(0, me, || {
            format!(
                "{} cannot share memory with PE 0 (another host, container or user), and OSHMPI_ROUTE=node is set",
                list(&strangers)
            )
        }));
    }
    let watch = door.map(|door| Post { door, signs });
    Ok(Found { cards, leader, here, memory, watch })
}
