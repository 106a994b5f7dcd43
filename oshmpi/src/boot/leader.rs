//! Leader bootstrap, for PEs that share a node as somebody hints. The first of them, the leader, makes the node's
//! memory and an arrival file. Every PE of the node writes its PE info into that file and counts itself as arrived.
//! Each PE is told one descriptor, whatever the number of PEs.
//!
//! The hint is not believed. A PE that cannot open the leader's memory does not arrive, and is a node of its own. PEs
//! that have waited for it too long go to a barrier of the launcher, as all PEs of the job do then. After the barrier
//! every PE that can arrive has arrived, however late it was.

use super::BootError;
use super::found::{create_memory, no_memory, open, prove};
use super::pe_info::{self, PeInfo};
use crate::diag::print;
use crate::memory::addr::Pe;
use crate::memory::places::Places;
use crate::os::pass::{self, Counter};
use crate::os::{futex, map, memfd, process, sched};
use crate::sync::arrivals::ArrivalCounter;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Bytes of an entry of the arrival file: its length, then a PE info. The end of a long problem is cut off.
const ENTRY: usize = 512;
/// Bytes of the length of an entry.
const LENGTH: usize = 8;
/// Bytes before the first entry: the arrival counter, and the word that tells that what the leader has found is there.
const HEAD: usize = 512;
const TOLD: usize = 64;
/// How long PEs that have arrived wait for the others of the node before all go to a barrier. With a shorter
/// time more jobs take that barrier; with a longer one a job of which a PE cannot open the memory starts later.
const ARRIVAL_TIMEOUT: Duration = Duration::from_millis(500);
/// How often the leader looks whether a PE asks for descriptors, while it waits.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Yields before sleeping, where nobody else needs the core. To wake an idle core may take longer than the other PEs
/// need to arrive.
const YIELDS: u32 = 100;

/// Takes the record of a leader, and gives the next leader.
pub(super) type Read<'a> = dyn FnMut(&[u8]) -> Option<u32> + 'a;

/// How the PEs of a node learn of each other, and their leaders of other nodes.
pub(super) trait Way {
    /// The PEs that may share this PE's node.
    fn mates(&self) -> &Places;

    /// The PEs that may share it after all. Collective over the job.
    fn regroup(&mut self, mates: Places) -> Result<(), BootError>;

    /// Gives what the first of the mates tells to all of them. Collective over the job.
    fn tell(&mut self, descriptor: Option<Vec<u8>>) -> Result<Vec<u8>, BootError>;

    /// Waits until all mates have come here. Collective over the job.
    fn barrier(&mut self) -> Result<(), BootError>;

    /// Gives the records of leaders to each of them, in the order of PEs, by calls of `read`, which returns the next
    /// leader; None if no more records are wanted. A record that is missing is empty. Collective over the job.
    fn exchange(&mut self, record: Option<Vec<u8>>, read: &mut Read<'_>) -> Result<(), BootError>;
}

/// PEs that have opened one memory.
pub(super) struct Met {
    shared: LeaderMemory,
    pub(super) here: Places,
    /// Of these PEs.
    pub(super) infos: Vec<PeInfo>,
    /// The number of mates, all of which could have come.
    places: u32,
}

/// Finds those of the mates that can open the memory of the first of them. One that cannot is alone in memory of its
/// own. Collective over the job. `heaps` makes the file of the node's heaps, if they are to be in reserved huge pages;
/// the leader calls it.
pub(super) fn gather(
    way: &mut dyn Way,
    me: u32,
    info: &mut PeInfo,
    heaps: impl FnOnce() -> Option<OwnedFd>,
) -> Result<Met, BootError> {
    let mates = way.mates().clone();
    let (leader, n) = (mates.pe(0).0, mates.count() as u32);
    let place = mates.local(Pe(me)).expect("a PE is one of its mates") as u32;
    let own = (me == leader).then(|| LeaderMemory::make(info, heaps()).unwrap_or_else(|e| no_memory(&e)));
    let descriptor = own.as_ref().map(|own| pe_info::encode(&own.descriptor(info, &mates)));
    let told = pe_info::decode::<Descriptor>(&way.tell(descriptor)?);
    if me == 1 && leader == 0 && told.as_ref().is_some_and(|descriptor| descriptor.is_apart(info.node)) {
        print(APART);
    }
    let joined = own.or_else(|| told?.open(info.node, &mates));
    // A PE that fails here does not arrive, and its entry is missing.
    let mut joined = joined.filter(|shared| match shared.arrivals.enter(place, info) {
        Err(e) if me == leader => no_memory(&e),
        entered => entered.is_ok(),
    });
    let yields = if info.cores.count() >= n as usize { YIELDS } else { 0 };
    let all_came = joined.as_ref().is_some_and(|shared| shared.arrive(info.token, n, yields));
    if !all_came || !mates.everybody() {
        match joined.as_ref().filter(|_| !all_came) {
            Some(shared) => shared.serving(info.token, || way.barrier())?,
            None => way.barrier()?,
        }
    }
    let Some(shared) = joined.as_mut() else {
        let shared = LeaderMemory::make(info, None).unwrap_or_else(|e| no_memory(&e));
        let here = Places::spaced(me, 1, 1, mates.job());
        return Ok(Met { shared, here, infos: vec![info.clone()], places: 1 });
    };
    let entries = shared.arrivals.read(n);
    let come = (0..n as usize).filter(|&slot| entries[slot].is_some()).map(|slot| mates.pe(slot).0).collect();
    let here = Places::new(come, mates.job());
    if here != mates {
        shared.heaps = None; // their file is for all mates
    }
    let infos = entries.into_iter().flatten().collect();
    Ok(Met { shared: joined.expect("it is there"), here, infos, places: n })
}

impl Met {
    pub(super) fn memory(&self) -> &OwnedFd {
        &self.shared.memory
    }

    /// All that were thought to share a node do.
    pub(super) fn is_whole(&self, mates: &Places) -> bool {
        self.here == *mates
    }

    /// The PE infos of the node, its memory, and the file of its heaps.
    pub(super) fn into_parts(self) -> (Vec<PeInfo>, OwnedFd, Option<OwnedFd>) {
        (self.infos, self.shared.memory, self.shared.heaps)
    }

    /// Tells the PEs of the node what the leader has found. Called once, by the leader.
    pub(super) fn tell(&self, told: &impl Serialize) -> io::Result<()> {
        self.shared.arrivals.write(self.places, &pe_info::encode(told))?;
        let word = self.shared.arrivals.word(TOLD);
        ArrivalCounter::arrive(word, 1);
        futex::wake_all(word);
        Ok(())
    }

    /// What the leader has found. Waits until it has.
    pub(super) fn told<T: DeserializeOwned>(&self) -> io::Result<T> {
        let word = self.shared.arrivals.word(TOLD);
        while ArrivalCounter::look(word, 1) == ArrivalCounter::Open {
            futex::wait(word, 0, ARRIVAL_TIMEOUT);
        }
        let (fd, at, mut len) = (&self.shared.arrivals.fd, ArrivalFile::place(self.places), [0; LENGTH]);
        memfd::read_at(fd, &mut len, at)?;
        let mut bytes = vec![0; u64::from_le_bytes(len) as usize];
        memfd::read_at(fd, &mut bytes, at + LENGTH as u64)?;
        pe_info::decode(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// The leader's memory and arrival file.
struct LeaderMemory {
    memory: OwnedFd,
    arrivals: ArrivalFile,
    /// The file of the node's heaps, if they are in reserved huge pages.
    heaps: Option<OwnedFd>,
    /// Where the leader gives these files to PEs that cannot open them by themselves.
    counter: Option<Counter>,
}

impl LeaderMemory {
    fn make(info: &mut PeInfo, heaps: Option<OwnedFd>) -> io::Result<LeaderMemory> {
        let (memory, arrivals) = (create_memory(info)?, ArrivalFile::new()?);
        Ok(LeaderMemory { memory, arrivals, heaps, counter: Counter::open().ok() })
    }

    /// What the other PEs of the node are told. `info` is the leader's.
    fn descriptor(&self, info: &PeInfo, mates: &Places) -> Descriptor {
        Descriptor {
            version: VERSION.to_owned(),
            mates: mates.clone(),
            node: info.node,
            pid: info.pid,
            fd: info.fd,
            arrivals: self.arrivals.fd.as_raw_fd() as u64,
            heaps: self.heaps.as_ref().map(|heaps| heaps.as_raw_fd() as u64),
            token: info.token,
            // 0: PEs that cannot open the memory by themselves do not get it.
            counter: self.counter.as_ref().map_or(0, |counter| counter.name),
            machine: info.machine,
            network: pe_info::namespace("net"),
        }
    }

    /// What is given to PEs that ask.
    fn files(&self) -> Vec<BorrowedFd<'_>> {
        [self.memory.as_fd(), self.arrivals.fd.as_fd()]
            .into_iter()
            .chain(self.heaps.as_ref().map(AsFd::as_fd))
            .collect()
    }

    /// Arrives, and gives the files to PEs that ask, until all have arrived. True when all have.
    fn arrive(&self, token: pass::Token, n: u32, yields: u32) -> bool {
        let files = self.files();
        let every = if self.counter.is_some() { POLL_INTERVAL } else { ARRIVAL_TIMEOUT };
        self.arrivals.arrive(n, yields, every, || self.counter.iter().for_each(|counter| counter.serve(token, &files)))
    }

    /// Acts, and gives the files meanwhile.
    fn serving<T>(&self, token: pass::Token, act: impl FnOnce() -> T) -> T {
        let (files, over) = (self.files(), AtomicBool::new(false));
        std::thread::scope(|threads| {
            if let Some(counter) = &self.counter {
                let serve = || {
                    while !over.load(Ordering::Relaxed) {
                        counter.serve(token, &files);
                        std::thread::sleep(POLL_INTERVAL);
                    }
                };
                // Without a thread, PEs that cannot open the memory by themselves do not get it.
                let _ = process::with_signals_blocked(|| std::thread::Builder::new().spawn_scoped(threads, serve));
            }
            let done = act();
            over.store(true, Ordering::Relaxed); // one word, nothing behind it
            done
        })
    }
}

/// PEs of another version of this library read what this one writes wrongly, or not at all.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where the leader's files are.
#[derive(Serialize, Deserialize)]
struct Descriptor {
    /// Of this library.
    version: String,
    /// The leader's.
    mates: Places,
    node: u64,
    pid: u64,
    fd: u64,
    arrivals: u64,
    heaps: Option<u64>,
    token: pass::Token,
    counter: u64,
    machine: u64,
    network: u64,
}

/// Said where each PE is in a container. MPI may not reach the other PEs there, and would say so in words that are no
/// help.
const APART: &str = "shmem_init: PEs 0 and 1 are on one host in containers of their own: they share no memory, and MPI \
     has to reach them over the network; where it cannot, start the whole job in one container, or give the containers \
     common IPC and network namespaces (--ipc=host --network=host)";

impl Descriptor {
    /// The leader is on this machine, and may neither share memory with this PE, of `node`, nor its network.
    fn is_apart(&self, node: u64) -> bool {
        self.node != node && self.machine == pe_info::machine_identity() && self.network != pe_info::namespace("net")
    }

    /// Gets the files, if the leader's memory is where the descriptor says.
    fn open(&self, node: u64, mates: &Places) -> Option<LeaderMemory> {
        if self.version != VERSION || self.mates != *mates || self.node != node {
            return None;
        }
        let (memory, arrivals, heaps) = self.opened().or_else(|| self.given())?;
        Some(LeaderMemory { memory, arrivals: ArrivalFile::of(arrivals).ok()?, heaps, counter: None })
    }

    fn opened(&self) -> Option<(OwnedFd, OwnedFd, Option<OwnedFd>)> {
        let theirs = PeInfo { pid: self.pid, fd: self.fd, token: self.token, ..PeInfo::default() };
        let memory = open(&theirs)?;
        // `open` has shown that the process is the one that was meant.
        let file = |fd: u64| memfd::open_of(u32::try_from(self.pid).ok()?, i32::try_from(fd).ok()?).ok();
        let heaps = if let Some(heaps) = self.heaps { Some(file(heaps)?) } else { None };
        Some((memory, file(self.arrivals)?, heaps))
    }

    fn given(&self) -> Option<(OwnedFd, OwnedFd, Option<OwnedFd>)> {
        let mut files = pass::ask(self.counter, self.token).and_then(pass::Asked::receive).ok()?;
        let heaps = if self.heaps.is_some() { Some(files.pop()?) } else { None };
        let [memory, arrivals] = <[OwnedFd; 2]>::try_from(files).ok()?;
        Some((prove(memory, self.token)?, arrivals, heaps))
    }
}

/// A file that all PEs have, of which the head is mapped.
struct ArrivalFile {
    fd: OwnedFd,
    head: usize,
}

impl ArrivalFile {
    fn new() -> io::Result<ArrivalFile> {
        let file = memfd::create()?;
        memfd::resize(&file.fd, HEAD as u64)?;
        if file.on_disk {
            // To arrive must not fail.
            memfd::commit(&file.fd, 0, HEAD as u64).map_err(|e| file.located(e))?;
        }
        ArrivalFile::of(file.fd)
    }

    fn of(fd: OwnedFd) -> io::Result<ArrivalFile> {
        let head = map::shared(fd.as_fd(), 0, HEAD)?;
        Ok(ArrivalFile { fd, head })
    }

    /// The word at an offset, 0 or [`TOLD`].
    fn word(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: the word lies in the first HEAD bytes of the mapping, and is aligned. The file has had these bytes
        // since before any other PE knew it. Only atomics access the word.
        unsafe { AtomicU32::from_ptr((self.head + offset) as *mut u32) }
    }

    fn place(pe: u32) -> u64 {
        HEAD as u64 + u64::from(pe) * ENTRY as u64
    }

    /// Writes the PE info of the PE at `place` among those of the node.
    fn enter(&self, place: u32, info: &PeInfo) -> io::Result<()> {
        let mut bytes = pe_info::encode(info);
        if bytes.len() > ENTRY - LENGTH {
            // The PE itself prints all of it; the others need to know that there is a problem.
            let room = info.problem.len() - (bytes.len() - (ENTRY - LENGTH));
            let problem = info.problem[..info.problem.floor_char_boundary(room)].to_owned();
            bytes = pe_info::encode(&PeInfo { problem, ..info.clone() });
        }
        self.write(place, &bytes)
    }

    fn write(&self, place: u32, bytes: &[u8]) -> io::Result<()> {
        memfd::write_at(&self.fd, &[&(bytes.len() as u64).to_le_bytes(), bytes].concat(), Self::place(place))
    }

    /// Arrives as one of `n` PEs and waits for the others: true on all of them when all have arrived, and false on all
    /// that arrive if one of them stops waiting before.
    /// Calls `meanwhile` before each yield, and later after each sleep, which takes at most `every`.
    fn arrive(&self, n: u32, mut yields: u32, every: Duration, meanwhile: impl Fn()) -> bool {
        let word = self.word(0);
        let start = Instant::now();
        let mut seen = ArrivalCounter::arrive(word, n);
        let mut decided_here = seen != ArrivalCounter::Open;
        while seen == ArrivalCounter::Open {
            meanwhile();
            let waited = start.elapsed();
            if waited >= ARRIVAL_TIMEOUT {
                seen = ArrivalCounter::stop_waiting(word, n);
                decided_here = true;
            } else if yields > 0 {
                yields -= 1;
                sched::yield_now();
                seen = ArrivalCounter::look(word, n);
            } else {
                let now = word.load(Ordering::Relaxed);
                seen = ArrivalCounter::look(word, n);
                if seen == ArrivalCounter::Open {
                    // An arrival between the two lines has changed the word.
                    futex::wait(word, now, ARRIVAL_TIMEOUT.saturating_sub(waited).min(every));
                }
            }
        }
        if decided_here {
            futex::wake_all(word);
        }
        seen == ArrivalCounter::Full
    }

    /// The entries of `n` PEs; None of one that has not come.
    fn read(&self, n: u32) -> Vec<Option<PeInfo>> {
        let mut bytes = vec![0u8; n as usize * ENTRY];
        // The last entry may be shorter than its place.
        let _ = memfd::read_up_to(&self.fd, &mut bytes, Self::place(0));
        let entry = |entry: &[u8]| {
            let (len, rest) = entry.split_first_chunk::<LENGTH>()?;
            let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
            pe_info::decode(rest.get(..len)?)
        };
        bytes.chunks_exact(ENTRY).map(entry).collect()
    }
}

impl Drop for ArrivalFile {
    fn drop(&mut self) {
        // SAFETY: made by `of`; borrows of the word end before.
        unsafe { map::unmap(self.head, HEAD) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_is_missing_is_noticed() {
        let arrivals = ArrivalFile::new().unwrap();
        let info = |pe: u64| PeInfo { pid: pe, problem: "é".repeat(300), ..PeInfo::default() };
        for pe in [0, 2] {
            arrivals.enter(pe, &info(u64::from(pe))).unwrap();
        }
        let come = |n| arrivals.read(n).iter().map(Option::is_some).collect::<Vec<_>>();
        assert_eq!((come(3), come(4)), (vec![true, false, true], vec![true, false, true, false]));
        arrivals.enter(1, &PeInfo::default()).unwrap();
        let infos: Vec<PeInfo> = arrivals.read(3).into_iter().flatten().collect();
        assert_eq!((infos[0].pid, infos[2].pid), (0, 2));
        assert!(infos[0].problem.starts_with('é') && infos[0].problem.len() < 600);
        assert_eq!(infos[1], PeInfo::default());
    }

    /// What PE 0 has made is found by who reads the descriptor, in this process as in another.
    #[test]
    fn a_descriptor_leads_to_the_memory() {
        let mut info = PeInfo { pid: u64::from(crate::os::process::pid()), token: [1, 2], ..PeInfo::default() };
        let own_heaps = memfd::create().unwrap().fd;
        memfd::write_at(&own_heaps, b"heaps", 0).unwrap();
        let own = LeaderMemory::make(&mut info, Some(own_heaps)).unwrap();
        let has_heaps = |found: &LeaderMemory| {
            let mut bytes = [0; 5];
            memfd::read_at(found.heaps.as_ref().unwrap(), &mut bytes, 0).unwrap();
            assert_eq!(&bytes, b"heaps");
        };
        let (token, mates) = (info.token, Places::spaced(0, 1, 2, 4));
        let mut descriptor =
            Descriptor { node: 7, counter: 0, machine: 0, network: 0, ..own.descriptor(&info, &mates) };
        let (pid, heaps) = (descriptor.pid, descriptor.heaps);
        let found = descriptor.open(7, &mates).unwrap();
        has_heaps(&found);
        descriptor.heaps = None;
        assert!(descriptor.open(7, &mates).unwrap().heaps.is_none());
        descriptor.heaps = heaps;
        found.arrivals.enter(0, &info).unwrap();
        assert_eq!(own.arrivals.read(1), [Some(info)]);
        assert!(descriptor.open(7, &Places::spaced(0, 1, 3, 4)).is_none(), "the leader waits for others");
        assert!(descriptor.open(8, &mates).is_none());
        // What cannot be opened is asked for.
        let counter = own.counter.as_ref().unwrap();
        (descriptor.pid, descriptor.counter) = (0, counter.name);
        let given = std::thread::scope(|threads| {
            let asking = threads.spawn(|| descriptor.open(7, &mates));
            while !asking.is_finished() {
                counter.serve(token, &own.files());
            }
            asking.join().unwrap().unwrap()
        });
        has_heaps(&given);
        assert!(given.arrivals.read(1)[0].is_some());
        drop(own);
        assert!(descriptor.open(7, &mates).is_none(), "nobody is there to give it");
        (descriptor.pid, descriptor.token[0]) = (pid, 9);
        assert!(descriptor.open(7, &mates).is_none());
        (descriptor.machine, descriptor.network) = (pe_info::machine_identity(), 0);
        assert!(descriptor.is_apart(8) && !descriptor.is_apart(7));
        descriptor.network = pe_info::namespace("net");
        assert!(!descriptor.is_apart(8), "MPI can reach it");
    }
}
