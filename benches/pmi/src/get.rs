//! The time of a Get.
//!
//! A sample is the median over batches of short length, of the clients' medians: a client that loses its processor
//! within a batch does not count that against the store. Keys are drawn anew for each batch, outside the clock, so that
//! the caches do not hold them.

use super::crew::Crew;
use super::socket::{self, Client};
use super::work::{Clock, KEY, Random, VALUE, filled, key, median, value, view};
use super::{Options, figure};
use pmi_shm::kvs::{Answer, Regions, Settings, Store};
use std::os::unix::net::UnixStream;

/// Gets between two looks at the clock: so many that the look, up to 0.3 us, is less than a hundredth of a Get.
const BATCH: usize = 200;

/// `get --keys N,.. --clients C,.. --gets G`: wall and processor time per Get in microseconds.
pub fn run(options: &Options) {
    let gets = options.one("--gets", 10_000);
    for keys in options.list("--keys", &[65_536]) {
        let two = filled(Settings::default(), keys);
        let one = filled(Settings { regions: Regions::One, ..Settings::default() }, keys);
        for clients in options.list("--clients", &[1, 2, 4, 8, 16, 32]) {
            for (store, name) in [(&two, "two"), (&one, "one")] {
                let (cpu, wall, cold) = shared(store, keys, clients, gets);
                figure(&format!("get-cpu-{keys}"), name, clients, cpu);
                figure(&format!("get-wall-{keys}"), name, clients, wall);
                figure(&format!("get-cold-{keys}"), name, clients, cold);
            }
            let (cpu, wall) = over_sockets(&two, keys, clients, gets);
            figure(&format!("get-cpu-{keys}"), "socket", clients, cpu);
            figure(&format!("get-wall-{keys}"), "socket", clients, wall);
        }
    }
}

/// `load --keys N,.. --clients C`: processor time per Get and bytes of the Table at several load factors.
pub fn loads(options: &Options) {
    let gets = options.one("--gets", 10_000);
    let clients = options.one("--clients", 1);
    for keys in options.list("--keys", &[65_536]) {
        for percent in [400, 200, 100, 50, 25] {
            let store = filled(Settings { load: percent as f64 / 100.0, ..Settings::default() }, keys);
            let (cpu, _, _) = shared(&store, keys, clients, gets);
            figure("load-cpu", &keys.to_string(), percent, cpu);
            figure("load-bytes", &keys.to_string(), percent, store.bytes().0 as f64);
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

/// Processor time of client and server together, and wall time as a client sees it.
fn over_sockets(store: &Store, keys: usize, clients: usize, gets: usize) -> (f64, f64) {
    // Many clients wait for each other: fewer Gets each tell as much.
    let gets = (gets / clients).max(500);
    let (near, far): (Vec<_>, Vec<_>) = (0..clients).map(|_| UnixStream::pair().expect("a socket pair")).unzip();
    let far: Vec<_> = far.into_iter().map(|s| std::cell::Cell::new(Some(s))).collect();
    let near = std::cell::Cell::new(Some(near));
    let mut crew = Crew::start(clients, |client| {
        // What belongs to the others and to the server would keep their connections open.
        drop(near.take());
        let socket = far[client].take().expect("one for each");
        far.iter().for_each(|other| drop(other.take()));
        let mut client_end = Client::new(socket);
        move || {
            let mut random = Random::new(client);
            let mut out = [0; VALUE];
            let (mut wall, begun) = (Vec::new(), Clock::Cpu.us());
            for _ in 0..gets {
                let i = random.below(keys);
                let key = key(i);
                let w = Clock::Wall.us();
                client_end.get(&key, &mut out);
                wall.push(Clock::Wall.us() - w);
                assert_eq!(out, value(i));
            }
            let cpu = (Clock::Cpu.us() - begun) / gets as f64;
            drop(client_end);
            vec![cpu, median(wall)]
        }
    });
    drop(far);
    let begun = Clock::Cpu.us();
    crew.go();
    socket::serve(store, near.take().expect("the server's ends"));
    let server = (Clock::Cpu.us() - begun) / (gets * clients) as f64;
    let figures = crew.figures();
    let cpu = median(figures.iter().map(|f| f[0]).collect()) + server;
    (cpu, median(figures.iter().map(|f| f[1]).collect()))
}
