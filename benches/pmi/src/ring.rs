//! Messages between nodes that a ring exchange takes, counted by the node servers: once by the ring, once by sparse Puts
//! and waiting Gets of the neighbours' keys with ranks placed round-robin, so that no neighbour is on the same node.

use super::serve::spec;
use super::{Options, figure};
use pmi_shm::server::{Conn, Output, Server};
use pmi_shm::wire::{self, Hint, NodeMap, Put, Request};
use std::collections::VecDeque;

/// `ring --nodes N --clients C,..`: messages a node sends, over the processes per node.
pub fn run(options: &Options) {
    let nodes = options.one("--nodes", 16);
    for locals in options.list("--clients", &[1, 2, 4, 8, 16, 32]) {
        let ring = |rank: usize| {
            vec![Request::Ring { count: 1, left: format!("L{rank}").into(), right: format!("R{rank}").into() }]
        };
        figure("ring", "ring", locals, sent(nodes, locals, ring));
        let size = nodes * locals;
        let neighbours = |rank: usize| vec![put(rank), get((rank + size - 1) % size), get((rank + 1) % size)];
        figure("ring", "put-get", locals, sent(nodes, locals, neighbours));
    }
}

fn address(rank: usize) -> Vec<u8> {
    format!("addr@{rank}").into_bytes()
}

pub fn put(rank: usize) -> Request {
    let value = format!("v{rank}").into_bytes();
    Request::Put(Put { space: b"bench".to_vec(), key: address(rank), value, hint: Hint::Sparse })
}

pub fn get(rank: usize) -> Request {
    Request::Get { space: b"bench".to_vec(), key: address(rank), source: Some(rank as u32), wait: true }
}

/// Messages between servers per server. `says`: what a process asks. The answers are counted, to be sure that the
/// exchange has really taken place.
fn sent(nodes: usize, locals: usize, says: impl Fn(usize) -> Vec<Request>) -> f64 {
    let size = nodes * locals;
    let servers = NodeMap::cyclic(size as u32, nodes as u32);
    let mut all: Vec<Server> = (0..nodes).map(|n| Server::new(spec(&servers, n as u32, 4)).expect("a node")).collect();
    for n in 0..nodes {
        if let Some(parent) = all[n].parent() {
            all[n].connected(Conn::Parent);
            all[parent as usize].connected(Conn::Child(n as u32));
        }
    }
    let (mut answers, mut expected) = (0, 0);
    let mut wires = VecDeque::new();
    for rank in 0..size {
        let at = servers.node_of(rank as u32) as usize;
        let requests = says(rank);
        expected += requests.len();
        for request in requests {
            let bytes = wire::request_to_frame(&request).expect("PMI-2 has it");
            all[at].input(Conn::Own(rank as u32), &bytes);
        }
    }
    loop {
        for (n, node) in all.iter_mut().enumerate() {
            while let Some(output) = node.output() {
                match output {
                    Output::Send(Conn::Parent, bytes) => {
                        let parent = node.parent().expect("only they have one");
                        wires.push_back((parent, Conn::Child(n as u32), bytes));
                    }
                    Output::Send(Conn::Child(child), bytes) => wires.push_back((child, Conn::Parent, bytes)),
                    Output::Send(_, _) => answers += 1,
                    Output::Close(_) => {}
                    Output::Event(event) => assert!(!format!("{event:?}").contains("Broken"), "{event:?}"),
                }
            }
        }
        let Some((to, conn, bytes)) = wires.pop_front() else { break };
        all[to as usize].input(conn, &bytes);
    }
    assert_eq!(answers, expected, "not everybody was answered");
    all.iter().map(|node| node.stats().sent as f64).sum::<f64>() / nodes as f64
}
