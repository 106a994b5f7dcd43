//! A process that puts between the begin and the end of its fence, as non-blocking fences invite it to.
#![cfg(not(loom))]

use pmi_shm::server::{Conn, Node, Output, Spec};
use pmi_shm::wire::NodeMap;

/// Two servers with a process each, and the bytes between them.
struct Pair {
    nodes: [Node; 2],
    said: Vec<(Conn, String)>,
}

impl Pair {
    fn new() -> Pair {
        let servers = NodeMap::blocks_of(2, 1);
        let node = |node| {
            let spec = Spec {
                name: "job".into(),
                told: servers.clone(),
                servers: servers.clone(),
                node,
                arity: 2,
                universe: None,
                programs: vec![0],
                share: false,
            };
            Node::new(spec).unwrap()
        };
        let mut pair = Pair { nodes: [node(0), node(1)], said: Vec::new() };
        pair.nodes[0].joined(Conn::Child(1));
        pair.nodes[1].joined(Conn::Parent);
        pair
    }

    fn send(&mut self, rank: usize, line: &str) {
        self.nodes[rank].input(Conn::Rank(rank as u32), line.as_bytes());
        self.carry();
    }

    fn carry(&mut self) {
        while let Some((at, out)) = (0..2).find_map(|n| Some((n, self.nodes[n].output()?))) {
            match out {
                Output::Send(Conn::Parent, bytes) => self.nodes[0].input(Conn::Child(1), &bytes),
                Output::Send(Conn::Child(1), bytes) => self.nodes[1].input(Conn::Parent, &bytes),
                Output::Send(conn, bytes) => self.said.push((conn, String::from_utf8(bytes).unwrap())),
                Output::Event(_) => {}
                other => panic!("server {at}: {other:?}"),
            }
        }
    }

    fn put(&mut self, rank: usize, key: &str, value: &str) {
        self.send(rank, &format!("cmd=put kvsname=job key={key} value={value}\n"));
    }

    fn get(&mut self, rank: usize, key: &str) -> String {
        self.said.clear();
        self.send(rank, &format!("cmd=get kvsname=job key={key}\n"));
        self.said.pop().unwrap().1
    }
}

#[test]
fn a_put_after_the_begin_of_a_fence_travels_with_the_next_one() {
    let mut pair = Pair::new();
    for rank in 0..2 {
        pair.send(rank, "cmd=init pmi_version=1 pmi_subversion=1\n");
    }
    pair.put(1, "k", "first");
    pair.send(1, "cmd=barrier_in\n");
    // Rank 0 has not entered: the fence is under way.
    pair.put(1, "k", "second");
    pair.put(1, "late", "x");
    pair.send(0, "cmd=barrier_in\n");
    assert!(pair.get(0, "k").contains("value=first"));
    assert!(pair.get(1, "k").contains("value=first"));
    for rank in 0..2 {
        pair.send(rank, "cmd=barrier_in\n");
    }
    assert!(pair.get(0, "k").contains("value=second"));
    assert!(pair.get(0, "late").contains("value=x"));
}
