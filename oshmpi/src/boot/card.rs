//! What each PE says about itself at start, and what all of them must agree on.

use super::BootError;
use crate::env::{AmoBy, BadValue, CollBy, Env, MpiWhen, Route, Statics, WindowBy};
use crate::memory::statics;
use crate::os::exe::DataSegment;
use crate::os::{map, network, process, sched};

/// What each PE says about itself at start.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Card {
    /// Machine, boot and IPC namespace: a no before anything is opened.
    pub(crate) node: u64,
    /// Machine and boot: nodes that are containers of one machine share its cores.
    pub(crate) machine: u64,
    pub(crate) pid: u64,
    pub(crate) fd: u64,
    /// What it offers there counts towards the size of a file system.
    pub(crate) on_disk: bool,
    pub(crate) token: [u64; 2],
    pub(crate) heap: u64,
    pub(crate) data: u64,
    pub(crate) program: u64,
    /// What the kernel schedules this process as a part of: see `sched::group`.
    pub(crate) group: u64,
    /// Cores' worth of time its container may use.
    pub(crate) quota: u64,
    pub(crate) cores: sched::CpuSet,
    /// Why this PE cannot start; empty when it can.
    pub(crate) problem: String,
    /// What the environment says of statics, of the way to peers, of MPI, of AMOs, of windows and of collectives.
    pub(crate) statics: Statics,
    pub(crate) route: Route,
    pub(crate) mpi: MpiWhen,
    pub(crate) amo: AmoBy,
    pub(crate) window: WindowBy,
    pub(crate) coll: CollBy,
}

impl Card {
    /// What there is to say about this process, without the memory it offers.
    pub(crate) fn own(env: &Result<Env, BadValue>, exe: Option<DataSegment>) -> Card {
        let mut card = Card {
            node: node_identity(),
            machine: machine_identity(),
            pid: u64::from(process::pid()),
            fd: u64::MAX,
            token: process::random_token(),
            data: exe.map_or(0, |seg| statics::page_span(&seg, map::page()).len as u64),
            program: exe.map_or(0, |seg| seg.identity),
            group: sched::group(),
            quota: sched::quota(),
            cores: sched::CpuSet::allowed(),
            ..Card::default()
        };
        match env {
            Ok(env) => {
                (card.heap, card.statics) = (env.heap.0, env.statics);
                (card.route, card.mpi) = (env.route, env.mpi);
                (card.amo, card.window, card.coll) = (env.amo, env.window, env.coll);
            }
            Err(e) => card.problem = e.to_string(),
        }
        card
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut words =
            vec![self.node, self.machine, self.pid, self.fd, u64::from(self.on_disk), self.token[0], self.token[1]];
        words.extend([
            self.heap,
            self.data,
            self.program,
            self.group,
            self.quota,
            self.statics as u64,
            self.route as u64,
            self.mpi as u64,
            self.amo as u64,
            self.window as u64,
            self.coll as u64,
        ]);
        words.extend(self.cores.0);
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        bytes.extend(self.problem.as_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Card> {
        let mut rest = bytes;
        let mut word = || {
            let (head, tail) = rest.split_first_chunk::<8>()?;
            rest = tail;
            Some(u64::from_le_bytes(*head))
        };
        let mut card = Card {
            node: word()?,
            machine: word()?,
            pid: word()?,
            fd: word()?,
            on_disk: word()? != 0,
            token: [word()?, word()?],
            heap: word()?,
            data: word()?,
            program: word()?,
            group: word()?,
            quota: word()?,
            statics: Statics::of_number(word()?)?,
            route: Route::of_number(word()?)?,
            mpi: MpiWhen::of_number(word()?)?,
            amo: AmoBy::of_number(word()?)?,
            window: WindowBy::of_number(word()?)?,
            coll: CollBy::of_number(word()?)?,
            ..Card::default()
        };
        for w in &mut card.cores.0 {
            *w = word()?;
        }
        card.problem = String::from_utf8(rest.to_vec()).ok()?;
        Some(card)
    }
}

/// All PEs can start, with the same settings; all of them see the same cards and so find the same.
pub(crate) fn check(cards: &[Card], me: u32) -> Result<(), BootError> {
    if let Some((pe, broken)) = (0..).zip(cards).find(|(_, c)| !c.problem.is_empty()) {
        return Err(BootError::by(pe, me, || broken.problem.clone()));
    }
    agree_on(cards, me, "SHMEM_SYMMETRIC_SIZE differs between PEs", |c| format!("{} bytes", c.heap))?;
    agree_on(cards, me, "OSHMPI_STATICS differs between PEs", |c| c.statics.name().to_owned())?;
    agree_on(cards, me, "OSHMPI_ROUTE differs between PEs", |c| c.route.name().to_owned())?;
    agree_on(cards, me, "OSHMPI_MPI differs between PEs", |c| c.mpi.name().to_owned())?;
    agree_on(cards, me, "OSHMPI_AMO differs between PEs", |c| c.amo.name().to_owned())?;
    agree_on(cards, me, "OSHMPI_WINDOW differs between PEs", |c| c.window.name().to_owned())?;
    agree_on(cards, me, "OSHMPI_COLL differs between PEs", |c| c.coll.name().to_owned())
}

/// The PEs that run another executable than PE 0.
pub(crate) fn other_programs(cards: &[Card]) -> Vec<u32> {
    let identity = |c: &Card| (c.program, c.data);
    (0..).zip(cards).filter(|(_, c)| identity(c) != identity(&cards[0])).map(|(pe, _)| pe).collect()
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
pub(crate) fn list(pes: &[u32]) -> String {
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
    let mut hash = DefaultHasher::new();
    (machine_identity(), namespace("ipc")).hash(&mut hash);
    hash.finish()
}

/// The kernel's id of this boot alone.
pub(crate) fn machine_identity() -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hash = DefaultHasher::new();
    // Without /proc the name of the host says no for most others, and memory that cannot be had for the rest.
    std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_else(|_| network::host_name()).hash(&mut hash);
    hash.finish()
}

/// The number of this process's namespace of a kind; 0 without /proc.
pub(crate) fn namespace(kind: &str) -> u64 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(format!("/proc/self/ns/{kind}")).map_or(0, |m| m.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_travel_whole() {
        let settings = Card { amo: AmoBy::Am, window: WindowBy::Dynamic, mpi: MpiWhen::Always, ..Card::default() };
        let card =
            Card { coll: CollBy::Mpi, pid: 7, on_disk: true, heap: 1 << 40, problem: "no".to_owned(), ..settings };
        assert_eq!(Card::decode(&card.encode()), Some(card));
        assert_eq!(Card::decode(b"short"), None);
    }

    /// Each of these decides whether or how a PE goes through MPI, where it would wait for the others.
    #[test]
    fn settings_that_differ_are_named_by_pe_0() {
        let others = [
            ("OSHMPI_STATICS", Card { statics: Statics::Off, ..Card::default() }),
            ("OSHMPI_ROUTE", Card { route: Route::Mpi, ..Card::default() }),
            ("OSHMPI_MPI", Card { mpi: MpiWhen::Always, ..Card::default() }),
            ("OSHMPI_AMO", Card { amo: AmoBy::Mpi, ..Card::default() }),
            ("OSHMPI_WINDOW", Card { window: WindowBy::Allocate, ..Card::default() }),
            ("OSHMPI_COLL", Card { coll: CollBy::Mpi, ..Card::default() }),
        ];
        for (name, other) in others {
            let cards = [Card::default(), other.clone(), Card::default()];
            let BootError(text) = check(&cards, 0).unwrap_err();
            let text = text.expect("PE 0 says it");
            assert!(text.starts_with(&format!("{name} differs between PEs: ")) && text.ends_with(" on PE 1"), "{text}");
            assert!(check(&cards, 2).unwrap_err().0.is_none(), "and nobody else");
            assert!(check(&[other.clone(), other], 0).is_ok());
        }
    }

    #[test]
    fn lists_read_well() {
        assert_eq!(list(&[3]), "PE 3");
        assert_eq!(list(&[1, 2]), "PEs 1, 2");
        assert_eq!(list(&(0..20).collect::<Vec<_>>()), "PEs 0, 1, 2, 3, 4, 5, 6, 7 and 12 more");
    }
}
