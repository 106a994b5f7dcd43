//! Who shares memory with me. Proved, not guessed: a PE is on my node when I can open the memory it made and read its
//! random token there. Host names, PMI mappings and MPI's opinion play no part.

use super::BootError;
use super::card::{self, Card, list};
use super::job::Joined;
use super::muster;
use crate::diag::{fatal, say};
use crate::env::{BadValue, Env, Route};
use crate::memory::addr::Pe;
use crate::memory::node::{Node, Shape, TOKEN_BYTES};
use crate::memory::places::Places;
use crate::os::exe::DataSegment;
use crate::os::{home, memfd, sched};
use crate::sync::wait::Patience;
use pmi_shm::Job;
use std::os::fd::{AsRawFd, OwnedFd};

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
}

/// What an exchange has found out.
pub(crate) struct Found {
    /// Of all PEs of the job.
    pub(crate) cards: Vec<Card>,
    /// The PE that made the memory of this node, and the PEs that have opened it, in ascending order.
    pub(crate) leader: u32,
    pub(crate) here: Vec<u32>,
    pub(crate) memory: Memory,
}

/// The node's memory, before it has its size.
pub(crate) struct Memory {
    pub(crate) fd: OwnedFd,
    /// It counts towards the size of a file system.
    pub(crate) on_disk: bool,
}

impl Memory {
    /// Makes one with the card's token at its head, and enters it on the card.
    pub(crate) fn offer(card: &mut Card) -> std::io::Result<Memory> {
        let own = memfd::create()?;
        memfd::write_at(&own.fd, &token_bytes(card), 0)?;
        card.fd = own.fd.as_raw_fd() as u64;
        Ok(Memory { fd: own.fd, on_disk: own.kind != "memfd" })
    }

    fn kind(&self) -> &'static str {
        if self.on_disk { "/dev/shm" } else { "memfd" }
    }
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
    let Found { cards, leader, here, memory } = match mustered {
        Some(found) if found.cards.iter().all(|c| c.route != Route::Mpi) => found,
        _ => among_all(joined.for_all_to_all()?, card)?,
    };
    card::check(&cards, me)?;
    let mut notes = vec![format!("shared memory: {}", memory.kind())];
    let (fd, limited) = (memory.fd, memory.on_disk || sched::strict_memory());

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
    if let Err(e) = memfd::resize(&fd, shape.total() as u64) {
        // The others are on their way and cannot be told otherwise.
        fatal("shmem_init", format_args!("cannot reserve {} bytes of shared memory: {e}", shape.total()));
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
        true if apart => Patience::Sleep,
        true => Patience::Yield,
    };
    notes.push(format!("{rivals} PEs on {cores} cores of this node; waiting PEs {}", patience.does()));
    let token = cards[leader as usize].token;
    let one_machine = rivals == cards.len();
    Ok(Topology { fd, shape, places, token, patience, one_machine, limited, same_program: others.is_empty(), notes })
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

/// Every PE offers memory and reads everybody's card; those who can open the memory of an earlier PE join its node.
fn among_all(job: &mut dyn Job, mut card: Card) -> Result<Found, BootError> {
    let (me, n) = (job.rank(), job.size());
    let own = Memory::offer(&mut card);
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
            (leader, memory.fd) = (pe, fd);
            break;
        }
    }
    job.put(LEADER, &leader.to_le_bytes())?;
    job.fence()?;
    let (mut here, mut nodes) = (Vec::new(), 0);
    let mut strangers = Vec::new();
    for pe in 0..n {
        let theirs = job.get(pe, LEADER)?;
        nodes += u32::from(theirs == pe.to_le_bytes());
        if theirs == leader.to_le_bytes() {
            here.push(pe);
        }
        if theirs != 0u32.to_le_bytes() {
            strangers.push(pe);
        }
    }
    if nodes > 1 && card.route == Route::Node {
        return Err(BootError::by(0, me, || {
            format!(
                "{} cannot share memory with PE 0 (another host, container or user), and OSHMPI_ROUTE=node is set",
                list(&strangers)
            )
        }));
    }
    Ok(Found { cards, leader, here, memory })
}

fn token_bytes(card: &Card) -> [u8; TOKEN_BYTES] {
    let mut bytes = [0; TOKEN_BYTES];
    bytes[..8].copy_from_slice(&card.token[0].to_ne_bytes());
    bytes[8..].copy_from_slice(&card.token[1].to_ne_bytes());
    bytes
}

/// Opens the memory a card tells of. Only a PE that sees the same memory finds the token there.
pub(crate) fn prove(card: &Card) -> Option<OwnedFd> {
    let fd = memfd::open_of(u32::try_from(card.pid).ok()?, i32::try_from(card.fd).ok()?).ok()?;
    let mut bytes = [0u8; TOKEN_BYTES];
    memfd::read_at(&fd, &mut bytes, 0).ok()?;
    (bytes == token_bytes(card)).then_some(fd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::process;

    /// A memory that is not the one on the card does not pass, though it can be opened.
    #[test]
    fn a_wrong_token_is_no_proof() {
        let mut card = Card { pid: u64::from(process::pid()), token: [7, 8], ..Card::default() };
        let _own = Memory::offer(&mut card).unwrap();
        assert!(prove(&card).is_some());
        card.token[1] ^= 1;
        assert!(prove(&card).is_none());
        card.token[1] ^= 1;
        card.pid = 0;
        assert!(prove(&card).is_none());
    }
}
