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
            let of_store = shared(&store, keys, clients, gets);
            let of_socket = served(&mut node, ranks..ranks + clients, keys, gets);
            for (name, (cpu, wall)) in [("shared", of_store), ("socket", of_socket)] {
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

/// Processor time and wall time.
fn shared(store: &Store, keys: usize, clients: usize, gets: usize) -> (f64, f64) {
    let mut crew = Crew::start(clients, |client| {
        let view = view(store);
        view.touch();
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
                    assert_eq!(view.get(key, &mut out), Answer::Found(VALUE));
                }
                let (w, c) = (Clock::Wall.us() - w, Clock::Cpu.us() - c);
                assert_eq!(out, value(batch[BATCH - 1].0));
                if round > 0 {
                    cpu.push(c / BATCH as f64);
                    wall.push(w / BATCH as f64);
                }
            }
            vec![median(cpu), median(wall)]
        }
    });
    let figures = crew.figures();
    let over_clients = |which: usize| median(figures.iter().map(|f| f[which]).collect());
    (over_clients(0), over_clients(1))
}

/// Processor time of client and server together, and wall time as a client sees it, of PMI-1 over a socket.
fn served(node: &mut Server, ranks: Range<usize>, keys: usize, gets: usize) -> (f64, f64) {
    let clients = ranks.len();
    // Many clients wait for each other: fewer Gets each tell as much.
    let rounds = (gets / clients).max(500);
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
        move || {
            // The size matters to who asks for it.
            let mut pmi = Pmi1::over_fd(socket.as_raw_fd(), rank as u32, u32::MAX).expect("PMI-1");
            drop(socket);
            let mut random = Random::new(rank);
            let mut drawn = Vec::with_capacity(BATCH);
            let (mut cpu, mut wall) = (Vec::new(), Vec::new());
            for round in 0..rounds {
                if round % BATCH == 0 {
                    draw(&mut random, keys, &mut drawn);
                }
                let (number, key) = &drawn[round % BATCH];
                let key = std::str::from_utf8(key).expect("keys are text");
                let (c, w) = (Clock::Cpu.us(), Clock::Wall.us());
                let got = pmi.get("bench", key).expect("the server answers").expect("the store is filled");
                let (w, c) = (Clock::Wall.us() - w, Clock::Cpu.us() - c);
                assert_eq!(got, value(*number));
                cpu.push(c);
                wall.push(w);
            }
            drop(pmi);
            vec![median(cpu), median(wall)]
        }
    });
    drop(ends);
    let servers = servers.take().expect("the server's ends").into_iter();
    let connections = ranks.clone().zip(servers).map(|(rank, socket)| (Conn::Rank(rank as u32), socket)).collect();
    let begun = Clock::Cpu.us();
    crew.go();
    serve::serve(node, connections);
    let server = Clock::Cpu.us() - begun;
    let figures = crew.figures();
    let cpu = median(figures.iter().map(|f| f[0]).collect()) + server / (rounds * clients) as f64;
    let asked = node.stats().gets - before;
    assert!(asked >= (rounds * clients) as u64, "the server was asked {asked} times");
    (cpu, median(figures.iter().map(|f| f[1]).collect()))
}
