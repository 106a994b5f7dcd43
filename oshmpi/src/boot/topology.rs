//! Who shares memory with me. Proved, not guessed: a PE is on my node when I can open the memory it made and read its
//! random token there. Host names, PMI mappings and MPI's opinion play no part.

use super::BootError;
use crate::diag::{fatal, say};
use crate::env::{BadValue, Env, Route, Statics};
use crate::memory::addr::Pe;
use crate::memory::node::{Node, Shape, TOKEN_BYTES};
use crate::memory::places::Places;
use crate::memory::statics;
use crate::os::exe::DataSegment;
use crate::os::{map, memfd, process, sched};
use crate::sync::wait::Patience;
use pmi_shm::Job;
use std::os::fd::{AsRawFd, OwnedFd};

const CARD: &str = "oshmpi-card";
const LEADER: &str = "oshmpi-leader";

/// What each PE says about itself at start.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Card {
    /// Machine, boot and IPC namespace: a no before anything is opened.
    boot: u64,
    pid: u64,
    fd: u64,
    token: [u64; 2],
    heap: u64,
    data: u64,
    program: u64,
    /// Session of the process: what the kernel may schedule as a group.
    session: u64,
    /// Cores' worth of time its container may use.
    quota: u64,
    cores: sched::CpuSet,
    /// Why this PE cannot start; empty when it can.
    problem: String,
    /// What the environment says of statics, and of the way to peers.
    statics: Statics,
    route: Route,
}

impl Card {
    fn encode(&self) -> Vec<u8> {
        let mut words = vec![self.boot, self.pid, self.fd, self.token[0], self.token[1]];
        words.extend([
            self.heap,
            self.data,
            self.program,
            self.session,
            self.quota,
            self.statics as u64,
            self.route as u64,
        ]);
        words.extend(self.cores.0);
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        bytes.extend(self.problem.as_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Card> {
        let mut rest = bytes;
        let mut word = || {
            let (head, tail) = rest.split_first_chunk::<8>()?;
            rest = tail;
            Some(u64::from_le_bytes(*head))
        };
        let mut card = Card {
            boot: word()?,
            pid: word()?,
            fd: word()?,
            token: [word()?, word()?],
            heap: word()?,
            data: word()?,
            program: word()?,
            session: word()?,
            quota: word()?,
            statics: Statics::of_number(word()?)?,
            route: Route::of_number(word()?)?,
            ..Card::default()
        };
        for w in &mut card.cores.0 {
            *w = word()?;
        }
        card.problem = String::from_utf8(rest.to_vec()).ok()?;
        Some(card)
    }
}

/// This PE's node, before its memory is mapped.
pub(crate) struct Topology {
    fd: OwnedFd,
    shape: Shape,
    places: Places,
    /// What must stand at the head of the node's memory.
    token: [u64; 2],
    patience: Patience,
    limited: bool,
    /// All PEs run the same executable, so offsets of static variables mean the same everywhere.
    pub(crate) same_program: bool,
    pub(crate) notes: Vec<String>,
}

/// Exchanges cards and finds the node. Collective; all PEs succeed or all fail.
pub(crate) fn learn(
    job: &mut dyn Job,
    env: &Result<Env, BadValue>,
    exe: Option<DataSegment>,
) -> Result<Topology, BootError> {
    let (me, n) = (job.rank(), job.size());
    let mut own = memfd::create();
    let mut card = Card {
        boot: node_identity(),
        pid: u64::from(process::pid()),
        token: process::random_token(),
        data: exe.map_or(0, |seg| statics::page_span(&seg, map::page()).len as u64),
        program: exe.map_or(0, |seg| seg.identity),
        session: process::session(),
        quota: sched::quota(),
        cores: sched::CpuSet::allowed(),
        ..Card::default()
    };
    match env {
        Ok(env) => (card.heap, card.statics, card.route) = (env.heap.0, env.statics, env.route),
        Err(e) => card.problem = e.to_string(),
    }
    let token_bytes = [card.token[0].to_ne_bytes(), card.token[1].to_ne_bytes()].concat();
    let ready = own.as_mut().map_err(|e| e.to_string()).and_then(|own| {
        card.fd = own.fd.as_raw_fd() as u64;
        memfd::write_at(&own.fd, &token_bytes, 0).map_err(|e| e.to_string())
    });
    if let Err(e) = ready {
        card.problem = format!("cannot make shared memory: {e}");
    }

    job.put(CARD, &card.encode())?;
    job.fence()?;
    let cards = (0..n).map(|pe| {
        let bytes = job.get(pe, CARD)?;
        Card::decode(&bytes).ok_or_else(|| pmi_shm::Error(format!("PE {pe} runs another version of liboshmpi")))
    });
    let cards = cards.collect::<Result<Vec<Card>, _>>()?;

    if let Some((pe, broken)) = (0..).zip(&cards).find(|(_, c)| !c.problem.is_empty()) {
        return Err(BootError::by(pe, me, || broken.problem.clone()));
    }
    agree_on(&cards, me, "SHMEM_SYMMETRIC_SIZE differs between PEs", |c| format!("{} bytes", c.heap))?;
    agree_on(&cards, me, "OSHMPI_STATICS differs between PEs", |c| c.statics.name().to_owned())?;
    agree_on(&cards, me, "OSHMPI_ROUTE differs between PEs", |c| c.route.name().to_owned())?;

    let own = own.expect("a PE without memory has a problem on its card");
    let limited = own.kind != "memfd" || sched::strict_memory();
    let mut notes = vec![format!("shared memory: {}", own.kind)];
    let mut leader = me;
    let mut fd = own.fd;
    // With OSHMPI_ROUTE=mpi every PE is a node of its own.
    let candidates = if card.route == Route::Mpi { 0 } else { me };
    for (pe, other) in (0..candidates).zip(&cards) {
        if other.boot == card.boot
            && let Some(theirs) = prove(other)
        {
            (leader, fd) = (pe, theirs);
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
    if nodes > 1 {
        return Err(BootError::by(0, me, || {
            format!(
                "{} cannot share memory with PE 0 (another host, container or user): this version serves one node",
                list(&strangers)
            )
        }));
    }
    let places = Places::new(here, n);
    let shape = Shape::new(places.count(), card.heap as usize, card.data as usize).ok_or_else(|| {
        let text = format!("a heap of {} bytes for {} PEs is larger than the address space", card.heap, places.count());
        BootError::by(leader, me, || text)
    })?;
    // Everybody gives the file the same size, and does so before its own first access.
    if let Err(e) = memfd::resize(&fd, shape.total() as u64) {
        // The others are on their way and cannot be told otherwise.
        fatal("shmem_init", format_args!("cannot reserve {} bytes of shared memory: {e}", shape.total()));
    }

    let others: Vec<u32> = (0..)
        .zip(&cards)
        .filter(|(_, c)| (c.program, c.data) != (cards[0].program, cards[0].data))
        .map(|(pe, _)| pe)
        .collect();
    if !others.is_empty() {
        let text = format!("{} run another executable than PE 0: no remote access to static variables", list(&others));
        if me == 0 {
            say(&text);
        }
        notes.push(text);
    }
    let neighbours = || (0..places.count()).map(|slot| &cards[places.pe(slot).0 as usize]);
    let allowed = neighbours().fold(sched::CpuSet::default(), |all, c| all.union(&c.cores)).count() as u64;
    let cores = neighbours().map(|c| c.quota).fold(allowed, u64::min);
    let apart = neighbours().any(|c| c.session != card.session);
    let patience = match places.count() as u64 > cores {
        false => Patience::Spin,
        true if apart && sched::groups_sessions() => Patience::Sleep,
        true => Patience::Yield,
    };
    notes.push(format!("{} PEs on {cores} cores of this node; waiting PEs {}", places.count(), patience.does()));
    let token = cards[leader as usize].token;
    Ok(Topology { fd, shape, places, token, patience, limited, same_program: others.is_empty(), notes })
}

impl Topology {
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
        Ok(node)
    }
}

/// Opens the memory a card tells of. Only a PE that sees the same memory finds the token there.
fn prove(card: &Card) -> Option<OwnedFd> {
    let fd = memfd::open_of(u32::try_from(card.pid).ok()?, i32::try_from(card.fd).ok()?).ok()?;
    let mut bytes = [0u8; TOKEN_BYTES];
    memfd::read_at(&fd, &mut bytes, 0).ok()?;
    let expect = [card.token[0].to_ne_bytes(), card.token[1].to_ne_bytes()].concat();
    (bytes[..] == expect[..]).then_some(fd)
}

/// PE 0 names the PEs whose value differs from its own.
fn agree_on(cards: &[Card], me: u32, what: &str, value: impl Fn(&Card) -> String) -> Result<(), BootError> {
    let expect = value(&cards[0]);
    let others: Vec<u32> = (0..).zip(cards).filter(|(_, c)| value(c) != expect).map(|(pe, _)| pe).collect();
    let Some(&first) = others.first() else {
        return Ok(());
    };
    let theirs = value(&cards[first as usize]);
    Err(BootError::by(0, me, || format!("{what}: {expect} on PE 0, {theirs} on {}", list(&others))))
}

/// "PE 3", "PEs 1, 2, 5", the first few of many.
fn list(pes: &[u32]) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> = pes.iter().take(SHOWN).map(u32::to_string).collect();
    let more = if pes.len() > SHOWN { format!(" and {} more", pes.len() - SHOWN) } else { String::new() };
    format!("PE{} {}{more}", if pes.len() == 1 { "" } else { "s" }, names.join(", "))
}

/// The kernel's id of this boot, equal in all containers of a machine and different on every other machine, and the IPC
/// namespace: whoever puts processes into different ones wants them not to share memory, though a common PID namespace
/// would let them.
fn node_identity() -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    use std::os::unix::fs::MetadataExt;
    let mut hash = DefaultHasher::new();
    std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default().hash(&mut hash);
    std::fs::metadata("/proc/self/ns/ipc").map_or(0, |m| m.ino()).hash(&mut hash);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_travel_whole() {
        let card = Card { pid: 7, heap: 1 << 40, problem: "no".to_owned(), ..Card::default() };
        assert_eq!(Card::decode(&card.encode()), Some(card));
        assert_eq!(Card::decode(b"short"), None);
    }

    /// A memory that is not the one on the card does not pass, though it can be opened.
    #[test]
    fn a_wrong_token_is_no_proof() {
        let own = memfd::create().unwrap();
        memfd::write_at(&own.fd, &[7u8; TOKEN_BYTES], 0).unwrap();
        let mut card = Card {
            pid: u64::from(process::pid()),
            fd: own.fd.as_raw_fd() as u64,
            token: [u64::from_ne_bytes([7; 8]); 2],
            ..Card::default()
        };
        assert!(prove(&card).is_some());
        card.token[1] ^= 1;
        assert!(prove(&card).is_none());
        card.pid = 0;
        assert!(prove(&card).is_none());
    }

    #[test]
    fn lists_read_well() {
        assert_eq!(list(&[3]), "PE 3");
        assert_eq!(list(&[1, 2]), "PEs 1, 2");
        assert_eq!(list(&(0..20).collect::<Vec<_>>()), "PEs 0, 1, 2, 3, 4, 5, 6, 7 and 12 more");
    }
}
