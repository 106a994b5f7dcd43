//! What a fence costs the server of a node, beyond the messages: taking in the pairs of all nodes. Several fences follow
//! each other, each with `n` new pairs, as when a job exchanges several addresses per process.

use super::work::{Clock, key, median, value};
use super::{Options, figure};
use pmi_shm::kvs::{Settings, Store};
use std::collections::HashMap;

const FENCES: usize = 5;

/// `fence --keys N,..`: milliseconds per fence; a private map, the store.
pub fn run(options: &Options) {
    for n in options.list("--keys", &[1024, 16_384, 262_144]) {
        figure("fence", "private", n, private(n));
        figure("fence", "two", n, shared(n));
    }
}

/// Small fences are repeated: the clock's steps and the first page faults of the process do not count.
fn several(n: usize, one: impl Fn() -> Vec<f64>) -> f64 {
    let times = (100_000 / n).clamp(1, 50);
    median((0..times).flat_map(|_| one()).collect())
}

fn pairs(fence: usize, n: usize) -> Vec<([u8; 16], [u8; 32])> {
    (fence * n..(fence + 1) * n).map(|i| (key(i), value(i))).collect()
}

fn timed(mut take_in: impl FnMut(&[([u8; 16], [u8; 32])]), n: usize) -> Vec<f64> {
    let one = |fence| {
        let pairs = pairs(fence, n);
        let begun = Clock::Cpu.us();
        take_in(&pairs);
        (Clock::Cpu.us() - begun) / 1e3
    };
    (0..FENCES).map(one).collect()
}

/// As servers without shared memory do it.
fn private(n: usize) -> f64 {
    several(n, || {
        let mut map: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
        timed(
            |pairs| {
                for (key, value) in pairs {
                    map.insert(key.to_vec(), value.to_vec());
                }
            },
            n,
        )
    })
}

fn shared(n: usize) -> f64 {
    several(n, || {
        let mut store = Store::create(Settings::default()).expect("the store");
        timed(
            |pairs| {
                store.reserve(pairs.len(), 48).expect("room");
                for (key, value) in pairs {
                    store.insert(key, value).expect("a put");
                }
                store.advance().expect("the end of the fence");
            },
            n,
        )
    })
}
