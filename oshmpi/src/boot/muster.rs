//! The short way to a node for a job that, as its launcher hints, has only one: PE 0 offers memory, and a roll on which
//! everybody else enters its card. Each PE reads one key of the launcher's store, whatever the number of PEs.
//!
//! The hint is not believed: who cannot open PE 0's memory does not sign and goes to a fence. Those who have signed wait for the
//! roll to be full; when that takes too long one closes it, and all of them go to the fence too. Whoever finds a gap then takes the
//! long way, as all others do.

use super::BootError;
use super::card::{self, Card};
use super::found::{Found, no_memory, offer, open, prove};
use crate::diag::say;
use crate::os::pass::{self, Counter};
use crate::os::{futex, map, memfd, sched};
use crate::sync::roll::Roll as Signatures;
use core::sync::atomic::{AtomicU32, Ordering};
use pmi_shm::Job;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

const NODE: &str = "oshmpi-node";

/// Bytes of an entry of the roll: its length, then a card, the end of a long problem cut off.
const ENTRY: usize = 512;
const LENGTH: usize = 8;
/// Bytes before the first entry; the word that counts the signatures is the first of them.
const HEAD: usize = 512;
/// How long those who have signed wait for the others. A job whose PEs start further apart takes one fence more.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often PE 0 looks whether somebody asks for descriptors, while it waits.
const LOOK: Duration = Duration::from_millis(1);
/// Yields before sleeping, where nobody else needs the core: waking one that has fallen idle may take longer than the others need.
const YIELDS: u32 = 100;

/// Meets all PEs of the job at PE 0's memory; None when that is not possible for all of them. Collective.
pub(crate) fn on_one_node(job: &mut dyn Job, card: &mut Card) -> Result<Option<Found>, BootError> {
    let (me, n) = (job.rank(), job.size());
    let own = (me == 0).then(|| Offer::make(card).unwrap_or_else(|e| no_memory(&e)));
    if let Some(own) = &own {
        let roll = own.roll.fd.as_raw_fd() as u64;
        // Without a counter, those who cannot open the memory by themselves do not get it.
        let counter = own.counter.as_ref().map_or(0, |counter| counter.name);
        let (machine, network) = (card::machine_identity(), card::namespace("net"));
        let notice =
            Notice { node: card.node, pid: card.pid, fd: card.fd, roll, token: card.token, counter, machine, network };
        job.publish(NODE, &notice.encode())?;
    }
    if !job.puts_are_awaited() {
        job.fence()?;
    }
    let joined = match own {
        Some(own) => Some(own),
        None => {
            let notice = Notice::decode(&job.get_when_put(0, NODE)?);
            if me == 1 && notice.as_ref().is_some_and(|notice| notice.is_apart(card.node)) {
                say(APART);
            }
            notice.and_then(|notice| notice.follow(card.node))
        }
    };
    // What fails here shows as a gap, too.
    let signed = joined.filter(|offer| offer.roll.enter(me, card).is_ok());
    let yields = if card.cores.count() >= n as usize { YIELDS } else { 0 };
    if !signed.as_ref().is_some_and(|offer| offer.sign(card.token, n, yields)) {
        job.fence()?;
    }
    let Some(offer) = signed else { return Ok(None) };
    let Some(cards) = offer.roll.read(n) else { return Ok(None) };
    Ok(Some(Found { cards, leader: 0, here: (0..n).collect(), memory: offer.memory, watch: None }))
}

/// PE 0's memory and roll.
struct Offer {
    memory: OwnedFd,
    roll: Roll,
    /// Where PE 0 gives both to those who cannot open them by themselves.
    counter: Option<Counter>,
}

impl Offer {
    fn make(card: &mut Card) -> io::Result<Offer> {
        Ok(Offer { memory: offer(card)?, roll: Roll::new()?, counter: Counter::open().ok() })
    }

    /// Signs the roll, and while it is open gives what is offered to those who ask.
    fn sign(&self, token: pass::Token, n: u32, yields: u32) -> bool {
        let serve = |counter: &Counter| counter.serve(token, &[self.memory.as_fd(), self.roll.fd.as_fd()]);
        match &self.counter {
            Some(counter) => self.roll.sign(n, yields, LOOK, || serve(counter)),
            None => self.roll.sign(n, yields, PATIENCE, || {}),
        }
    }
}

/// What PE 0 tells of its offer.
#[derive(Debug, PartialEq, Eq)]
struct Notice {
    node: u64,
    pid: u64,
    fd: u64,
    roll: u64,
    token: pass::Token,
    counter: u64,
    machine: u64,
    network: u64,
}

/// MPI may not manage, and would say so in words that are no help. Jobs with a container for each PE have this.
const APART: &str = "shmem_init: PEs 0 and 1 are on one host in containers of their own: they share no memory, and MPI has to reach \
     them over the network; where it cannot, start the whole job in one container, or give the containers common IPC and network \
     namespaces (--ipc=host --network=host)";

impl Notice {
    fn encode(&self) -> Vec<u8> {
        let [first, second] = self.token;
        let words = [self.node, self.pid, self.fd, self.roll, first, second, self.counter, self.machine, self.network];
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    fn decode(bytes: &[u8]) -> Option<Notice> {
        let (words, rest) = bytes.as_chunks::<8>();
        let [node, pid, fd, roll, first, second, counter, machine, network] =
            <[[u8; 8]; 9]>::try_from(words).ok()?.map(u64::from_le_bytes);
        let token = [first, second];
        rest.is_empty().then_some(Notice { node, pid, fd, roll, token, counter, machine, network })
    }

    /// PE 0 is on this machine, and may neither share memory with this PE, of `node`, nor its network.
    fn is_apart(&self, node: u64) -> bool {
        self.node != node && self.machine == card::machine_identity() && self.network != card::namespace("net")
    }

    /// Gets both, if PE 0's memory is where the notice says.
    fn follow(&self, node: u64) -> Option<Offer> {
        if self.node != node {
            return None;
        }
        let (memory, roll) = self.opened().or_else(|| self.given())?;
        Some(Offer { memory, roll: Roll::of(roll).ok()?, counter: None })
    }

    fn opened(&self) -> Option<(OwnedFd, OwnedFd)> {
        let theirs = Card { pid: self.pid, fd: self.fd, token: self.token, ..Card::default() };
        let memory = open(&theirs)?;
        // The same process as a line above.
        let roll = memfd::open_of(u32::try_from(self.pid).ok()?, i32::try_from(self.roll).ok()?).ok()?;
        Some((memory, roll))
    }

    fn given(&self) -> Option<(OwnedFd, OwnedFd)> {
        let both = pass::ask(self.counter, self.token).and_then(pass::Asked::receive).ok()?;
        let [memory, roll] = <[OwnedFd; 2]>::try_from(both).ok()?;
        Some((prove(memory, self.token)?, roll))
    }
}

/// A file that all PEs have, of which the head is mapped.
struct Roll {
    fd: OwnedFd,
    head: usize,
}

impl Roll {
    fn new() -> io::Result<Roll> {
        let file = memfd::create()?;
        memfd::resize(&file.fd, HEAD as u64)?;
        if file.on_disk {
            // To sign must not fail.
            memfd::commit(&file.fd, 0, HEAD as u64).map_err(|e| file.located(e))?;
        }
        Roll::of(file.fd)
    }

    fn of(fd: OwnedFd) -> io::Result<Roll> {
        let head = map::shared(fd.as_fd(), 0, HEAD)?;
        Ok(Roll { fd, head })
    }

    fn signatures(&self) -> &AtomicU32 {
        // SAFETY: the mapping's first bytes, which are in the file since before it was told of, and are accessed in no other way.
        unsafe { AtomicU32::from_ptr(self.head as *mut u32) }
    }

    fn place(pe: u32) -> u64 {
        HEAD as u64 + u64::from(pe) * ENTRY as u64
    }

    /// Writes the card of a PE.
    fn enter(&self, pe: u32, card: &Card) -> io::Result<()> {
        let mut bytes = card.encode();
        if bytes.len() > ENTRY - LENGTH {
            // The PE itself prints all of it; the others need to know that there is a problem.
            let room = card.problem.len() - (bytes.len() - (ENTRY - LENGTH));
            let problem = card.problem[..card.problem.floor_char_boundary(room)].to_owned();
            bytes = Card { problem, ..card.clone() }.encode();
        }
        let mut entry = (bytes.len() as u64).to_le_bytes().to_vec();
        entry.extend(bytes);
        memfd::write_at(&self.fd, &entry, Self::place(pe))
    }

    /// Signs as one of `n` and waits for the others: true when all have signed, and then for everybody who has. Does `meanwhile`
    /// while it waits, and then as often as `every` says.
    fn sign(&self, n: u32, mut yields: u32, every: Duration, meanwhile: impl Fn()) -> bool {
        let word = self.signatures();
        let start = Instant::now();
        let mut seen = Signatures::sign(word, n);
        let mut settled_here = seen != Signatures::Open;
        while seen == Signatures::Open {
            meanwhile();
            let waited = start.elapsed();
            if waited >= PATIENCE {
                seen = Signatures::close(word, n);
                settled_here = true;
            } else if yields > 0 {
                yields -= 1;
                sched::yield_now();
                seen = Signatures::look(word, n);
            } else {
                let now = word.load(Ordering::Relaxed);
                seen = Signatures::look(word, n);
                if seen == Signatures::Open {
                    // A signature between the two lines has changed the word.
                    futex::wait(word, now, PATIENCE.saturating_sub(waited).min(every));
                }
            }
        }
        if settled_here {
            futex::wake_all(word);
        }
        seen == Signatures::Full
    }

    /// All entries, if none is missing.
    fn read(&self, n: u32) -> Option<Vec<Card>> {
        let mut bytes = vec![0u8; n as usize * ENTRY];
        // The last entry may be shorter than its place.
        memfd::read_up_to(&self.fd, &mut bytes, Self::place(0)).ok()?;
        let entries = bytes.chunks_exact(ENTRY).map(|entry| {
            let (len, rest) = entry.split_first_chunk::<LENGTH>()?;
            let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
            Card::decode(rest.get(..len)?)
        });
        entries.collect()
    }
}

impl Drop for Roll {
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
    fn notices_travel_whole() {
        let notice = Notice { node: 9, pid: 1, fd: 2, roll: 3, token: [4, 5], counter: 6, machine: 7, network: 8 };
        assert_eq!(Notice::decode(&notice.encode()), Some(notice));
        assert_eq!(Notice::decode(b"short"), None);
        assert_eq!(Notice::decode(&[0; 73]), None);
    }

    #[test]
    fn a_roll_with_a_gap_is_no_roll() {
        let roll = Roll::new().unwrap();
        let card = |pe: u64| Card { pid: pe, problem: "é".repeat(300), ..Card::default() };
        for pe in [0, 2] {
            roll.enter(pe, &card(u64::from(pe))).unwrap();
        }
        assert!(roll.read(3).is_none());
        assert!(roll.read(4).is_none());
        roll.enter(1, &Card::default()).unwrap();
        let cards = roll.read(3).unwrap();
        assert_eq!((cards[0].pid, cards[2].pid), (0, 2));
        assert!(cards[0].problem.starts_with('é') && cards[0].problem.len() < 600);
        assert_eq!(cards[1], Card::default());
    }

    /// What PE 0 offers is found by who reads the notice, in this process as in another.
    #[test]
    fn an_offer_is_followed() {
        let mut card = Card { pid: u64::from(crate::os::process::pid()), token: [1, 2], ..Card::default() };
        let offer = Offer::make(&mut card).unwrap();
        let roll = offer.roll.fd.as_raw_fd() as u64;
        let (pid, fd, token) = (card.pid, card.fd, card.token);
        let mut notice = Notice { node: 7, pid, fd, roll, token, counter: 0, machine: 0, network: 0 };
        let found = notice.follow(7).unwrap();
        found.roll.enter(0, &card).unwrap();
        assert_eq!(offer.roll.read(1).unwrap(), [card]);
        assert!(notice.follow(8).is_none());
        // What cannot be opened is asked for.
        let counter = offer.counter.as_ref().unwrap();
        (notice.pid, notice.counter) = (0, counter.name);
        let given = std::thread::scope(|threads| {
            let asking = threads.spawn(|| notice.follow(7));
            while !asking.is_finished() {
                counter.serve(token, &[offer.memory.as_fd(), offer.roll.fd.as_fd()]);
            }
            asking.join().unwrap().unwrap()
        });
        assert_eq!(given.roll.read(1).unwrap().len(), 1);
        drop(offer);
        assert!(notice.follow(7).is_none(), "nobody is there to give it");
        (notice.pid, notice.token[0]) = (pid, 9);
        assert!(notice.follow(7).is_none());
        (notice.machine, notice.network) = (card::machine_identity(), 0);
        assert!(notice.is_apart(8) && !notice.is_apart(7));
        notice.network = card::namespace("net");
        assert!(!notice.is_apart(8), "MPI can reach it");
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
    fn muster(awaited: bool, node: fn(u32) -> u64) -> Vec<Option<Vec<u64>>> {
        let size = 5;
        let store = Arc::new((Mutex::default(), Barrier::new(size as usize)));
        let threads = (0..size).map(|rank| {
            let mut job = Threads { rank, size, store: Arc::clone(&store), awaited };
            std::thread::spawn(move || {
                let pid = u64::from(crate::os::process::pid());
                let token = crate::os::process::random_token();
                let mut card = Card { node: node(rank), pid, token, heap: u64::from(rank), ..Card::default() };
                let found = on_one_node(&mut job, &mut card).unwrap();
                found.map(|f| {
                    assert_eq!((f.leader, f.here), (0, (0..5).collect()));
                    f.cards.iter().map(|c| c.heap).collect()
                })
            })
        });
        threads.collect::<Vec<_>>().into_iter().map(|t| t.join().unwrap()).collect()
    }

    #[test]
    fn all_meet_or_nobody_does() {
        for awaited in [false, true] {
            assert_eq!(muster(awaited, |_| 7), vec![Some(vec![0, 1, 2, 3, 4]); 5]);
            assert_eq!(muster(awaited, |pe| u64::from(pe == 3)), vec![None; 5]);
            assert_eq!(muster(awaited, |pe| u64::from(pe == 0)), vec![None; 5]);
        }
    }
}
