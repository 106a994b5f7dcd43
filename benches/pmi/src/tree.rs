//! A job of up to a million processes on a tree of servers: the servers' code runs for real, the links are a model.
//!
//! All servers of a level do the same work, so one of each level is run, the first one, with the messages that its real
//! neighbours would send it. The time of a fence is the sum, up the tree and down again, of a server's processor time and
//! of its messages: latency once, and the bytes of all its neighbours one after the other. A server answers its processes
//! last, so the slowest level counts.

use super::ring::{get, put};
use super::serve::{ENTER, put_line, spec};
use super::work::Clock;
use super::{Options, figure};
use pmi_shm::ext::Tree;
use pmi_shm::server::{Conn, Output, Server};
use pmi_shm::wire::{self, NodeMap};
use std::collections::HashMap;

/// Processes per node.
const LOCALS: usize = 16;

struct Links {
    latency_us: f64,
    bytes_per_us: f64,
}

/// `tree --sizes P,.. --arities K,.. --latency-us L --mb-per-s B`: milliseconds of a fence in which every process puts a
/// pair; microseconds from a process's question to the value of a peer as far away as can be, without any fence.
pub fn run(options: &Options) {
    let links = Links {
        latency_us: options.one("--latency-us", 25) as f64,
        // Megabytes per second are bytes per microsecond.
        bytes_per_us: options.one("--mb-per-s", 1250) as f64,
    };
    for arity in options.list("--arities", &[2, 8, 32]) {
        for size in options.list("--sizes", &[64, 1024, 16_384, 131_072, 1_000_000]) {
            let (ms, root) = fence(size, arity as u32, &links);
            figure("tree-fence", &format!("arity-{arity}"), size, ms);
            figure("tree-root", &format!("arity-{arity}"), size, root);
            figure("tree-contact", &format!("arity-{arity}"), size, contact(size, arity as u32, &links));
        }
    }
}

/// A server of the job with all its neighbours.
fn server(servers: &NodeMap, node: u32, arity: u32) -> Server {
    let mut server = Server::new(spec(servers, node, arity)).expect("a node");
    if server.parent().is_some() {
        server.connected(Conn::Parent);
    }
    for child in server.children() {
        server.connected(Conn::Child(child));
    }
    server
}

/// What a server says, by connection; the answers to its processes are only counted.
fn drain(server: &mut Server) -> (Vec<(Conn, Vec<u8>)>, usize) {
    let (mut sends, mut answers) = (Vec::new(), 0);
    while let Some(output) = server.output() {
        match output {
            Output::Send(conn @ (Conn::Parent | Conn::Child(_)), bytes) => sends.push((conn, bytes)),
            Output::Send(..) => answers += 1,
            Output::Close(_) => {}
            Output::Event(event) => assert!(!format!("{event:?}").contains("Broken"), "{event:?}"),
        }
    }
    (sends, answers)
}

/// First and number of the ranks on a server and on all below it, level by level.
fn below(node: u32, nodes: u32, arity: u32) -> usize {
    let (mut first, mut last, mut count) = (u64::from(node), u64::from(node), 0);
    while first < u64::from(nodes) {
        count += last.min(u64::from(nodes) - 1) - first + 1;
        (first, last) = (first * u64::from(arity) + 1, last * u64::from(arity) + u64::from(arity));
    }
    count as usize
}

/// The word that a server with `pairs` pairs on it and below it sends up: that of a server with so many on itself.
fn word(first: usize, pairs: usize) -> Vec<u8> {
    let servers = NodeMap::blocks_of(2 * LOCALS as u32, LOCALS as u32);
    let mut one = server(&servers, 1, 1);
    for i in 0..pairs {
        one.input(Conn::Rank((LOCALS + i % LOCALS) as u32), &put_line(first + i));
        while one.output().is_some() {}
    }
    for rank in LOCALS..2 * LOCALS {
        one.input(Conn::Rank(rank as u32), ENTER);
    }
    let (mut sends, _) = drain(&mut one);
    assert_eq!(sends.len(), 1, "one word for the parent");
    sends.remove(0).1
}

/// Milliseconds of a fence, and of them the root's processor time.
fn fence(size: usize, arity: u32, links: &Links) -> (f64, f64) {
    let nodes = size.div_ceil(LOCALS) as u32;
    let servers = NodeMap::blocks_of(size as u32, LOCALS as u32);
    let depth = Tree::new(0, nodes, arity).depth();
    let firsts: Vec<u32> = (0..=depth).scan(0, |node, _| Some(std::mem::replace(node, *node * arity + 1))).collect();
    let mut level: Vec<Server> = firsts.iter().map(|&node| server(&servers, node, arity)).collect();

    let (mut time, mut root, mut down) = (0.0, 0.0, Vec::new());
    for server in level.iter_mut().rev() {
        // Its own processes, who are there before the word from below.
        let begun = Clock::Cpu.us();
        for (i, rank) in server.ranks().to_vec().into_iter().enumerate() {
            server.input(Conn::Rank(rank), &put_line(i));
            server.input(Conn::Rank(rank), ENTER);
        }
        let (own, _) = drain(server);
        if server.children().is_empty() {
            time += Clock::Cpu.us() - begun;
            if server.parent().is_some() {
                assert_eq!(own.len(), 1, "a leaf says its word at once");
            }
            continue;
        }
        let mut put = server.ranks().len();
        for child in server.children() {
            let pairs = below(child, nodes, arity) * LOCALS;
            let word = word(put, pairs.min(size - put));
            put += pairs;
            let begun = Clock::Cpu.us();
            server.input(Conn::Child(child), &word);
            let (sends, _) = drain(server);
            let spent = Clock::Cpu.us() - begun;
            time += spent + word.len() as f64 / links.bytes_per_us;
            if server.parent().is_none() {
                root += spent;
                down = sends.into_iter().next().map_or(Vec::new(), |(_, bytes)| bytes);
            }
        }
        time += links.latency_us;
    }
    let (first, others) = level.split_first_mut().expect("the root");
    let mut above = first.children().len();
    for server in others {
        time += links.latency_us + (above * down.len()) as f64 / links.bytes_per_us;
        above = server.children().len();
        let begun = Clock::Cpu.us();
        server.input(Conn::Parent, &down);
        let (_, answers) = drain(server);
        time += Clock::Cpu.us() - begun;
        assert!(answers >= server.ranks().len(), "everybody is answered");
    }
    for server in &level {
        let stats = server.stats();
        assert!(stats.fences == 1 && stats.pairs as usize >= size, "every server has every pair: {stats:?}");
    }
    (time / 1e3, root / 1e3)
}

/// Microseconds from question to answer over a long way: a process of the first leaf asks for the sparse key of one at the
/// end of the last branch.
fn contact(size: usize, arity: u32, links: &Links) -> f64 {
    let nodes = size.div_ceil(LOCALS) as u32;
    let servers = NodeMap::blocks_of(size as u32, LOCALS as u32);
    let tree = |node| Tree::new(node, nodes, arity);
    let leaf = (0..tree(0).depth()).fold(0, |node, _| node * arity + 1);
    let there = std::iter::successors(Some(0), |node| tree(*node).children().last()).last().expect("the root at least");
    let owner = servers.ranks_on(there)[0] as usize;
    let mut running: HashMap<u32, Server> = HashMap::new();
    let frame = |request| wire::request_to_frame(&request).expect("PMI-2 has it");
    let mut owners = server(&servers, there, arity);
    owners.input(Conn::Own(owner as u32), &frame(put(owner)));
    drain(&mut owners);
    running.insert(there, owners);

    let who = Conn::Own(servers.ranks_on(leaf)[0]);
    let (mut time, mut arriving, mut messages) = (0.0, vec![(leaf, who, frame(get(owner)))], 0);
    while let Some((node, conn, bytes)) = arriving.pop() {
        let here = running.entry(node).or_insert_with(|| server(&servers, node, arity));
        let parent = here.parent();
        let begun = Clock::Cpu.us();
        here.input(conn, &bytes);
        let (sends, answers) = drain(here);
        time += Clock::Cpu.us() - begun;
        if node == leaf && answers > 0 {
            return time + f64::from(messages) * links.latency_us;
        }
        for (conn, bytes) in sends {
            messages += 1;
            match conn {
                Conn::Child(child) => arriving.push((child, Conn::Parent, bytes)),
                _ => arriving.push((parent.expect("only they have one"), Conn::Child(node), bytes)),
            }
        }
    }
    panic!("the question was lost");
}
