//! Leader bootstrap, for a job that has only one node as its launcher hints. PE 0 makes the node's memory and an
//! arrival file. Every PE writes its PE info into that file and counts itself as arrived. Each PE reads one key of the
//! launcher's store, whatever the number of PEs.
//!
//! The hint is not believed. A PE that cannot open PE 0's memory does not arrive, and goes to a fence. PEs that have
//! arrived wait until all have. When that takes too long, one of them closes the arrival counter, and all of them go to
//! the fence too. An entry is missing then, and all PEs look for their nodes by `among`.

use super::BootError;
use super::found::{Found, create_memory, no_memory, open, prove};
use super::pe_info::{self, PeInfo};
use crate::diag::print;
use crate::os::pass::{self, Counter};
use crate::os::{futex, map, memfd, sched};
use crate::sync::arrivals::ArrivalCounter;
use core::sync::atomic::{AtomicU32, Ordering};
use pmi_shm::Job;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

const NODE: &str = "oshmpi-node";

/// Bytes of an entry of the arrival file: its length, then a PE info. The end of a long problem is cut off.
const ENTRY: usize = 512;
/// Bytes of the length of an entry.
const LENGTH: usize = 8;
/// Bytes before the first entry. The arrival counter is the first word.
const HEAD: usize = 512;
/// How long PEs that have arrived wait for the others. A job whose PEs start further apart takes one fence more.
const ARRIVAL_TIMEOUT: Duration = Duration::from_millis(500);
/// How often PE 0 looks whether a PE asks for descriptors, while it waits.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Yields before sleeping, where nobody else needs the core. To wake an idle core may take longer than the other PEs
/// need to arrive.
const YIELDS: u32 = 100;

/// Finds all PEs of the job in PE 0's memory; None when that is not possible for all of them. Collective.
pub(crate) fn on_one_node(job: &mut dyn Job, info: &mut PeInfo) -> Result<Option<Found>, BootError> {
    let (me, n) = (job.rank(), job.size());
    let own = (me == 0).then(|| LeaderMemory::make(info).unwrap_or_else(|e| no_memory(&e)));
    if let Some(own) = &own {
        let arrivals = own.arrivals.fd.as_raw_fd() as u64;
        // 0: PEs that cannot open the memory by themselves do not get it.
        let counter = own.counter.as_ref().map_or(0, |counter| counter.name);
        let (machine, network) = (pe_info::machine_identity(), pe_info::namespace("net"));
        let descriptor = Descriptor {
            node: info.node,
            pid: info.pid,
            fd: info.fd,
            arrivals,
            token: info.token,
            counter,
            machine,
            network,
        };
        job.publish(NODE, &descriptor.encode())?;
    }
    if !job.puts_are_awaited() {
        job.fence()?;
    }
    let joined = match own {
        Some(own) => Some(own),
        None => {
            let descriptor = Descriptor::decode(&job.get_when_put(0, NODE)?);
            if me == 1 && descriptor.as_ref().is_some_and(|descriptor| descriptor.is_apart(info.node)) {
                print(APART);
            }
            descriptor.and_then(|descriptor| descriptor.open(info.node))
        }
    };
    // A PE that fails here has not arrived, and its entry is missing.
    let entered = joined.filter(|shared| shared.arrivals.enter(me, info).is_ok());
    let yields = if info.cores.count() >= n as usize { YIELDS } else { 0 };
    if !entered.as_ref().is_some_and(|shared| shared.arrive(info.token, n, yields)) {
        job.fence()?;
    }
    let Some(shared) = entered else { return Ok(None) };
    let Some(infos) = shared.arrivals.read(n) else { return Ok(None) };
    Ok(Some(Found { infos, leader: 0, here: (0..n).collect(), leaders: None, memory: shared.memory, watch: None }))
}

/// PE 0's memory and arrival file.
struct LeaderMemory {
    memory: OwnedFd,
    arrivals: ArrivalFile,
    /// Where PE 0 gives both to PEs that cannot open them by themselves.
    counter: Option<Counter>,
}

impl LeaderMemory {
    fn make(info: &mut PeInfo) -> io::Result<LeaderMemory> {
        Ok(LeaderMemory { memory: create_memory(info)?, arrivals: ArrivalFile::new()?, counter: Counter::open().ok() })
    }

    /// Arrives, and gives both descriptors to PEs that ask, until all have arrived. True when all have.
    fn arrive(&self, token: pass::Token, n: u32, yields: u32) -> bool {
        let serve = |counter: &Counter| counter.serve(token, &[self.memory.as_fd(), self.arrivals.fd.as_fd()]);
        match &self.counter {
            Some(counter) => self.arrivals.arrive(n, yields, POLL_INTERVAL, || serve(counter)),
            None => self.arrivals.arrive(n, yields, ARRIVAL_TIMEOUT, || {}),
        }
    }
}

/// Where PE 0's memory and arrival file are.
#[derive(Debug, PartialEq, Eq)]
struct Descriptor {
    node: u64,
    pid: u64,
    fd: u64,
    arrivals: u64,
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
    fn encode(&self) -> Vec<u8> {
        let [first, second] = self.token;
        let words =
            [self.node, self.pid, self.fd, self.arrivals, first, second, self.counter, self.machine, self.network];
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    fn decode(bytes: &[u8]) -> Option<Descriptor> {
        let (words, rest) = bytes.as_chunks::<8>();
        let [node, pid, fd, arrivals, first, second, counter, machine, network] =
            <[[u8; 8]; 9]>::try_from(words).ok()?.map(u64::from_le_bytes);
        let token = [first, second];
        rest.is_empty().then_some(Descriptor { node, pid, fd, arrivals, token, counter, machine, network })
    }

    /// PE 0 is on this machine, and may neither share memory with this PE, of `node`, nor its network.
    fn is_apart(&self, node: u64) -> bool {
        self.node != node && self.machine == pe_info::machine_identity() && self.network != pe_info::namespace("net")
    }

    /// Gets both, if PE 0's memory is where the descriptor says.
    fn open(&self, node: u64) -> Option<LeaderMemory> {
        if self.node != node {
            return None;
        }
        let (memory, arrivals) = self.opened().or_else(|| self.given())?;
        Some(LeaderMemory { memory, arrivals: ArrivalFile::of(arrivals).ok()?, counter: None })
    }

    fn opened(&self) -> Option<(OwnedFd, OwnedFd)> {
        let theirs = PeInfo { pid: self.pid, fd: self.fd, token: self.token, ..PeInfo::default() };
        let memory = open(&theirs)?;
        // The same process as a line above.
        let arrivals = memfd::open_of(u32::try_from(self.pid).ok()?, i32::try_from(self.arrivals).ok()?).ok()?;
        Some((memory, arrivals))
    }

    fn given(&self) -> Option<(OwnedFd, OwnedFd)> {
        let both = pass::ask(self.counter, self.token).and_then(pass::Asked::receive).ok()?;
        let [memory, arrivals] = <[OwnedFd; 2]>::try_from(both).ok()?;
        Some((prove(memory, self.token)?, arrivals))
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

    fn counter_word(&self) -> &AtomicU32 {
        // SAFETY: the mapping's first bytes, which are in the file since before it was told of, and are accessed in no
        // other way.
        unsafe { AtomicU32::from_ptr(self.head as *mut u32) }
    }

    fn place(pe: u32) -> u64 {
        HEAD as u64 + u64::from(pe) * ENTRY as u64
    }

    /// Writes the PE info of a PE.
    fn enter(&self, pe: u32, info: &PeInfo) -> io::Result<()> {
        let mut bytes = info.encode();
        if bytes.len() > ENTRY - LENGTH {
            // The PE itself prints all of it; the others need to know that there is a problem.
            let room = info.problem.len() - (bytes.len() - (ENTRY - LENGTH));
            let problem = info.problem[..info.problem.floor_char_boundary(room)].to_owned();
            bytes = PeInfo { problem, ..info.clone() }.encode();
        }
        let mut entry = (bytes.len() as u64).to_le_bytes().to_vec();
        entry.extend(bytes);
        memfd::write_at(&self.fd, &entry, Self::place(pe))
    }

    /// Arrives as one of `n` PEs and waits for the others: true when all have arrived, and then on every PE that has.
    /// Does `meanwhile` while it waits, and once it sleeps as often as `every` says.
    fn arrive(&self, n: u32, mut yields: u32, every: Duration, meanwhile: impl Fn()) -> bool {
        let word = self.counter_word();
        let start = Instant::now();
        let mut seen = ArrivalCounter::arrive(word, n);
        let mut decided_here = seen != ArrivalCounter::Open;
        while seen == ArrivalCounter::Open {
            meanwhile();
            let waited = start.elapsed();
            if waited >= ARRIVAL_TIMEOUT {
                seen = ArrivalCounter::close(word, n);
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

    /// All entries, if none is missing.
    fn read(&self, n: u32) -> Option<Vec<PeInfo>> {
        let mut bytes = vec![0u8; n as usize * ENTRY];
        // The last entry may be shorter than its place.
        memfd::read_up_to(&self.fd, &mut bytes, Self::place(0)).ok()?;
        let entries = bytes.chunks_exact(ENTRY).map(|entry| {
            let (len, rest) = entry.split_first_chunk::<LENGTH>()?;
            let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
            PeInfo::decode(rest.get(..len)?)
        });
        entries.collect()
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
    use pmi_shm::Error;
    use std::collections::HashMap;
    use std::sync::{Arc, Barrier, Mutex};

    #[test]
    fn descriptors_travel_whole() {
        let descriptor =
            Descriptor { node: 9, pid: 1, fd: 2, arrivals: 3, token: [4, 5], counter: 6, machine: 7, network: 8 };
        assert_eq!(Descriptor::decode(&descriptor.encode()), Some(descriptor));
        assert_eq!(Descriptor::decode(b"short"), None);
        assert_eq!(Descriptor::decode(&[0; 73]), None);
    }

    #[test]
    fn a_file_without_one_entry_is_not_read() {
        let arrivals = ArrivalFile::new().unwrap();
        let info = |pe: u64| PeInfo { pid: pe, problem: "é".repeat(300), ..PeInfo::default() };
        for pe in [0, 2] {
            arrivals.enter(pe, &info(u64::from(pe))).unwrap();
        }
        assert!(arrivals.read(3).is_none());
        assert!(arrivals.read(4).is_none());
        arrivals.enter(1, &PeInfo::default()).unwrap();
        let infos = arrivals.read(3).unwrap();
        assert_eq!((infos[0].pid, infos[2].pid), (0, 2));
        assert!(infos[0].problem.starts_with('é') && infos[0].problem.len() < 600);
        assert_eq!(infos[1], PeInfo::default());
    }

    /// What PE 0 has made is found by who reads the descriptor, in this process as in another.
    #[test]
    fn a_descriptor_leads_to_the_memory() {
        let mut info = PeInfo { pid: u64::from(crate::os::process::pid()), token: [1, 2], ..PeInfo::default() };
        let own = LeaderMemory::make(&mut info).unwrap();
        let arrivals = own.arrivals.fd.as_raw_fd() as u64;
        let (pid, fd, token) = (info.pid, info.fd, info.token);
        let mut descriptor = Descriptor { node: 7, pid, fd, arrivals, token, counter: 0, machine: 0, network: 0 };
        let found = descriptor.open(7).unwrap();
        found.arrivals.enter(0, &info).unwrap();
        assert_eq!(own.arrivals.read(1).unwrap(), [info]);
        assert!(descriptor.open(8).is_none());
        // What cannot be opened is asked for.
        let counter = own.counter.as_ref().unwrap();
        (descriptor.pid, descriptor.counter) = (0, counter.name);
        let given = std::thread::scope(|threads| {
            let asking = threads.spawn(|| descriptor.open(7));
            while !asking.is_finished() {
                counter.serve(token, &[own.memory.as_fd(), own.arrivals.fd.as_fd()]);
            }
            asking.join().unwrap().unwrap()
        });
        assert_eq!(given.arrivals.read(1).unwrap().len(), 1);
        drop(own);
        assert!(descriptor.open(7).is_none(), "nobody is there to give it");
        (descriptor.pid, descriptor.token[0]) = (pid, 9);
        assert!(descriptor.open(7).is_none());
        (descriptor.machine, descriptor.network) = (pe_info::machine_identity(), 0);
        assert!(descriptor.is_apart(8) && !descriptor.is_apart(7));
        descriptor.network = pe_info::namespace("net");
        assert!(!descriptor.is_apart(8), "MPI can reach it");
    }

    type Pairs = HashMap<(u32, String), Vec<u8>>;

    /// A launcher's store for threads: puts are awaited, a fence is a barrier.
    struct Threads {
        rank: u32,
        size: u32,
        store: Arc<(Mutex<Pairs>, Barrier)>,
        awaited: bool,
    }

    impl Job for Threads {
        fn rank(&self) -> u32 {
            self.rank
        }

        fn size(&self) -> u32 {
            self.size
        }

        fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
            self.store.0.lock().unwrap().insert((self.rank, key.to_owned()), value.to_owned());
            Ok(())
        }

        fn fence(&mut self) -> Result<(), Error> {
            self.store.1.wait();
            Ok(())
        }

        fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
            let found = self.store.0.lock().unwrap().get(&(rank, key.to_owned())).cloned();
            found.ok_or_else(|| Error::NotPut { rank, key: key.to_owned() })
        }

        fn puts_are_awaited(&self) -> bool {
            self.awaited
        }

        fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
            self.put(key, value)
        }

        fn get_when_put(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
            loop {
                if let Ok(value) = self.get(rank, key) {
                    return Ok(value);
                }
                assert!(self.awaited, "read before the fence");
                std::thread::yield_now();
            }
        }

        fn served_by(&self) -> &'static str {
            "threads"
        }
    }

    /// What each of 5 threads finds; `node(pe)` is where it says it is.
    fn bootstrap(awaited: bool, node: fn(u32) -> u64) -> Vec<Option<Vec<u64>>> {
        let size = 5;
        let store = Arc::new((Mutex::default(), Barrier::new(size as usize)));
        let threads = (0..size).map(|rank| {
            let mut job = Threads { rank, size, store: Arc::clone(&store), awaited };
            std::thread::spawn(move || {
                let pid = u64::from(crate::os::process::pid());
                let token = crate::os::process::random_token();
                let mut info = PeInfo { node: node(rank), pid, token, data: u64::from(rank), ..PeInfo::default() };
                let found = on_one_node(&mut job, &mut info).unwrap();
                found.map(|f| {
                    assert_eq!((f.leader, f.here), (0, (0..5).collect()));
                    f.infos.iter().map(|info| info.data).collect()
                })
            })
        });
        threads.collect::<Vec<_>>().into_iter().map(|t| t.join().unwrap()).collect()
    }

    #[test]
    fn all_arrive_or_nobody_does() {
        for awaited in [false, true] {
            assert_eq!(bootstrap(awaited, |_| 7), vec![Some(vec![0, 1, 2, 3, 4]); 5]);
            assert_eq!(bootstrap(awaited, |pe| u64::from(pe == 3)), vec![None; 5]);
            assert_eq!(bootstrap(awaited, |pe| u64::from(pe == 0)), vec![None; 5]);
        }
    }
}
