//! The time of a Get.
//!
//! A sample is the median over batches of short length, of the clients' medians: a client that loses its processor
//! within a batch does not count that against the store. Keys are drawn anew for each batch, outside the clock, so that
//! the caches do not hold them.

use super::crew::Crew;
use super::serve;
use super::work::{Clock, KEY, Random, VALUE, filled, key, median, value, view};
use super::{Options, figure};
use pmi_shm::client::pmi1::Pmi1;
use pmi_shm::client::pmi2::Pmi2;
use pmi_shm::kvs::{Answer, Settings, Store};
use pmi_shm::server::{Conn, Server};
use std::cell::Cell;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

/// Gets between two readings of the clock. A reading takes up to 0.3 us, so its part is below a hundredth of a Get.
const BATCH: usize = 200;

/// `get --keys N,.. --clients C,.. --gets G`: wall and processor time per Get in microseconds.
pub fn run(options: &Options) {
    let gets = options.one("--gets", 10_000);
    for keys in options.list("--keys", &[65_536]) {
        let counts = options.list("--clients", &[1, 2, 4, 8, 16, 32]);
        // A connection serves one client: each case has separate ranks.
        let mut node = serve::filled(counts.iter().sum(), keys);
        let mut ranks = 0;
        let store = filled(Settings::default(), keys);
        for clients in counts {
            let (cpu, wall, cold) = shared(&store, keys, clients, gets);
            figure(&format!("get-cpu-{keys}"), "shared", clients, cpu);
            figure(&format!("get-wall-{keys}"), "shared", clients, wall);
            figure(&format!("get-cold-{keys}"), "shared", clients, cold);
            for (way, name) in [(Way::Socket, "socket"), (Way::Library, "library")] {
                let (cpu, wall) = served(way, &mut node, ranks..ranks + clients, keys, gets);
                figure(&format!("get-cpu-{keys}"), name, clients, cpu);
                figure(&format!("get-wall-{keys}"), name, clients, wall);
            }
            ranks += clients;
        }
    }
}

/// The keys of a batch, drawn outside the clock.
fn draw(random: &mut Random, keys: usize, into: &mut Vec<(usize, [u8; KEY])>) {
    into.clear();
    into.extend((0..BATCH).map(|_| {
        let i = random.below(keys);
        (i, key(i))
    }));
}

/// Processor time, wall time, and processor time on pages touched for the first time.
fn shared(store: &Store, keys: usize, clients: usize, gets: usize) -> (f64, f64, f64) {
    let mut crew = Crew::start(clients, |client| {
        let cold = view(store);
        let warm = view(store);
        warm.touch();
        move || {
            let mut random = Random::new(client);
            let mut batch = Vec::with_capacity(BATCH);
            let mut out = [0; VALUE];
            let (mut cpu, mut wall) = (Vec::new(), Vec::new());
            // One batch to warm up the code.
            for round in 0..1 + gets.div_ceil(BATCH) {
                draw(&mut random, keys, &mut batch);
                let (c, w) = (Clock::Cpu.us(), Clock::Wall.us());
                for (_, key) in &batch {
                    assert_eq!(warm.get(key, &mut out), Answer::Found(VALUE));
                }
                let (w, c) = (Clock::Wall.us() - w, Clock::Cpu.us() - c);
                assert_eq!(out, value(batch[BATCH - 1].0));
                if round > 0 {
                    cpu.push(c / BATCH as f64);
                    wall.push(w / BATCH as f64);
                }
            }
            draw(&mut random, keys, &mut batch);
            let c = Clock::Cpu.us();
            for (_, key) in &batch {
                assert_eq!(cold.get(key, &mut out), Answer::Found(VALUE));
            }
            let first = (Clock::Cpu.us() - c) / BATCH as f64;
            vec![median(cpu), median(wall), first]
        }
    });
    let figures = crew.figures();
    let over_clients = |which: usize| median(figures.iter().map(|f| f[which]).collect());
    (over_clients(0), over_clients(1), over_clients(2))
}

/// How a client of the node server gets its values.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// PMI-1, as without shared memory.
    Socket,
    /// The PMI-2 client library, which reads what the server shares.
    Library,
}

enum Client {
    Socket(Pmi1),
    Library(Pmi2),
}

impl Client {
    fn join(way: Way, rank: usize, socket: &UnixStream, env: &[(String, String)]) -> Client {
        match way {
            Way::Socket => {
                // The size matters to who asks for it.
                Client::Socket(Pmi1::over_fd(socket.as_raw_fd(), rank as u32, u32::MAX).expect("PMI-1"))
            }
            Way::Library => {
                for (name, value) in env {
                    // SAFETY: a forked child with one thread.
                    unsafe { std::env::set_var(name, value) };
                }
                let client = Pmi2::over_fd(socket.as_raw_fd(), "PMI_FD").expect("PMI-2");
                assert!(client.store.is_some(), "the server shares its store");
                Client::Library(client)
            }
        }
    }

    fn get(&mut self, key: &[u8; KEY]) -> Vec<u8> {
        let value = match self {
            Client::Socket(pmi) => pmi.get("bench", std::str::from_utf8(key).expect("keys are text")),
            Client::Library(pmi) => pmi.get(key, None, false),
        };
        value.expect("the server answers").expect("the store is filled")
    }
}

/// Processor time of client and server together, and wall time as a client sees it, with the node server.
fn served(way: Way, node: &mut Server, ranks: Range<usize>, keys: usize, gets: usize) -> (f64, f64) {
    let clients = ranks.len();
    // Many clients wait for each other: fewer Gets each tell as much.
    let batch = if way == Way::Socket { 1 } else { BATCH };
    let rounds = if way == Way::Socket { (gets / clients).max(500) } else { gets.div_ceil(BATCH) };
    let before = node.stats().gets;
    let (servers, ends): (Vec<_>, Vec<_>) = (0..clients).map(|_| UnixStream::pair().expect("a socket pair")).unzip();
    let ends: Vec<_> = ends.into_iter().map(|s| Cell::new(Some(s))).collect();
    let servers = Cell::new(Some(servers));
    let mut crew = Crew::start(clients, |client| {
        // What belongs to the others and to the server would keep their connections open.
        drop(servers.take());
        let socket = ends[client].take().expect("one for each");
        ends.iter().for_each(|other| drop(other.take()));
        let rank = ranks.start + client;
        let env = serve::environment(node, rank, &socket);
        move || {
            let mut client = Client::join(way, rank, &socket, &env);
            drop(socket);
            if let Client::Library(pmi) = &client {
                pmi.store.iter().for_each(|store| store.touch());
            }
            let mut random = Random::new(rank);
            let mut drawn = Vec::with_capacity(BATCH);
            let (mut cpu, mut wall) = (Vec::new(), Vec::new());
            for round in 0..rounds {
                if round % (BATCH / batch) == 0 {
                    draw(&mut random, keys, &mut drawn);
                }
                let first = round % (BATCH / batch) * batch;
                let (c, w) = (Clock::Cpu.us(), Clock::Wall.us());
                let mut last = Vec::new();
                for (_, key) in &drawn[first..first + batch] {
                    last = client.get(key);
                }
                let (w, c) = (Clock::Wall.us() - w, Clock::Cpu.us() - c);
                assert_eq!(last, value(drawn[first + batch - 1].0));
                cpu.push(c / batch as f64);
                wall.push(w / batch as f64);
            }
            drop(client);
            vec![median(cpu), median(wall)]
        }
    });
    drop(ends);
    let conn = if way == Way::Socket { Conn::Rank } else { Conn::Own };
    let servers = servers.take().expect("the server's ends").into_iter();
    let connections = ranks.clone().zip(servers).map(|(rank, socket)| (conn(rank as u32), socket)).collect();
    let begun = Clock::Cpu.us();
    crew.go();
    serve::serve(node, connections);
    // Of the library's clients it only hears that they come and go.
    let server = if way == Way::Socket { Clock::Cpu.us() - begun } else { 0.0 };
    let figures = crew.figures();
    let cpu = median(figures.iter().map(|f| f[0]).collect()) + server / (rounds * batch * clients) as f64;
    check(way, node, before, rounds * clients);
    (cpu, median(figures.iter().map(|f| f[1]).collect()))
}

/// What is called a Get over a socket went over it, and nothing else did.
fn check(way: Way, node: &Server, before: u64, expected: usize) {
    let asked = node.stats().gets - before;
    let right = if way == Way::Socket { asked >= expected as u64 } else { asked == 0 };
    assert!(right, "the server was asked {asked} times");
}
