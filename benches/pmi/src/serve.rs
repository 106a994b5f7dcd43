//! The node server of a job on one node, its processes being clients of this benchmark.

use super::work::{key, value};
use pmi_shm::server::{Conn, Output, Server, Spec};
use pmi_shm::wire::NodeMap;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

/// A node of `clients` processes after a fence that brought `keys` pairs: put line by line, as processes do it.
pub fn filled(clients: usize, keys: usize) -> Server {
    let servers = NodeMap::one_node(clients as u32);
    let name = "bench".to_string();
    let (told, programs) = (servers.clone(), vec![0]);
    let spec = Spec { name, told, servers, node: 0, arity: 2, universe: None, programs, share: true };
    let mut node = Server::new(spec).expect("the node");
    for i in 0..keys {
        let line = [b"cmd=put kvsname=bench key=".as_slice(), &key(i), b" value=", &value(i), b"\n"].concat();
        node.input(Conn::Rank((i % clients) as u32), &line);
        while node.output().is_some() {}
    }
    for rank in 0..clients {
        node.input(Conn::Rank(rank as u32), b"cmd=barrier_in\n");
    }
    while node.output().is_some() {}
    assert!(node.stats().pairs as usize >= keys, "the fence is not complete");
    node
}

/// Serves until all connections have ended.
pub fn serve(node: &mut Server, connections: Vec<(Conn, UnixStream)>) {
    let events = libc::POLLIN;
    let mut polls: Vec<libc::pollfd> =
        connections.iter().map(|(_, s)| libc::pollfd { fd: s.as_raw_fd(), events, revents: 0 }).collect();
    let places: HashMap<Conn, usize> = connections.iter().enumerate().map(|(i, (conn, _))| (*conn, i)).collect();
    let mut left = connections.len();
    let mut chunk = [0; 4096];
    while left > 0 {
        // SAFETY: an array of that many structs.
        let ready = unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, -1) };
        assert!(ready > 0, "poll: {}", std::io::Error::last_os_error());
        for i in 0..polls.len() {
            if polls[i].revents == 0 {
                continue;
            }
            let (conn, socket) = &connections[i];
            match (&mut &*socket).read(&mut chunk) {
                Ok(n) if n > 0 => node.input(*conn, &chunk[..n]),
                _ => {
                    node.closed(*conn);
                    polls[i].fd = -1;
                    left -= 1;
                }
            }
            while let Some(output) = node.output() {
                if let Output::Send(to, bytes) = output {
                    // A client that ended early has said why.
                    let _ = (&mut &connections[places[&to]].1).write_all(&bytes);
                }
            }
        }
    }
}
