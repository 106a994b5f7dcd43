//! Messages between nodes that a ring exchange takes, counted: by the ring itself, and by Put and Get of neighbours' keys
//! when ranks are placed round-robin, so that no neighbour is on the same node.

use super::{Options, figure};
use pmi_shm::ext::{Pending, Ring, Side, owner};
use pmi_shm::kvs::RankKey;
use std::collections::VecDeque;

/// `ring --nodes N --clients C,..`: messages a node sends per exchange, over the processes per node.
pub fn run(options: &Options) {
    let nodes = options.one("--nodes", 16);
    for locals in options.list("--clients", &[1, 2, 4, 8, 16, 32]) {
        figure("ring", "ring", locals, exchange(nodes, locals));
        figure("ring", "put-get", locals, put_and_get(nodes, locals));
    }
}

fn exchange(nodes: usize, locals: usize) -> f64 {
    let counts = vec![locals as u32; nodes];
    let mut rings: Vec<Ring<usize>> = (0..nodes).map(|n| Ring::new(n as u32, &counts)).collect();
    let mut wire: VecDeque<(u32, Side, usize)> = VecDeque::new();
    let mut answered = 0;
    for (node, ring) in rings.iter_mut().enumerate() {
        for local in 0..locals {
            let step = ring.enter(local, node * locals + local).expect("one ring at a time");
            wire.extend(step.sends);
            answered += step.answers.map_or(0, |a| a.len());
        }
    }
    while let Some((to, side, value)) = wire.pop_front() {
        let step = rings[to as usize].receive(side, value);
        answered += step.answers.map_or(0, |a| a.len());
    }
    assert_eq!(answered, nodes * locals, "somebody got no answer");
    rings.iter().map(|r| r.sent() as f64).sum::<f64>() / nodes as f64
}

/// Every process gets the sparse keys of its two neighbours in rank. Requests and answers that a node sends.
fn put_and_get(nodes: usize, locals: usize) -> f64 {
    let size = nodes * locals;
    let node_of = |rank: u32| Some(rank % nodes as u32);
    let mut sent = 0;
    for node in 0..nodes as u32 {
        let mut pending = Pending::new();
        for rank in (0..size).filter(|r| node_of(*r as u32) == Some(node)) {
            for neighbour in [(rank + size - 1) % size, (rank + 1) % size] {
                let key = RankKey::new(b"addr", neighbour as u32).expect("a short name");
                let there = owner(key.as_bytes(), nodes as u32, node_of);
                if there != node && pending.wait(key.as_bytes(), rank) {
                    // The request, and the owner's answer.
                    sent += 2;
                }
            }
        }
    }
    f64::from(sent) / nodes as f64
}
