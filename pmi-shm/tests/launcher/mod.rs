//! The smallest launcher: the servers of all nodes are in one process, and the ranks are its children.

use pmi_shm::server::{ChildFds, Conn, Event, Output, Server, Spec};
use pmi_shm::wire::NodeMap;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Output as Finished, Stdio};
use std::sync::Mutex;

/// How a job has ended.
pub struct Job {
    pub ranks: Vec<Finished>,
    pub events: Vec<Event>,
}

struct Wire {
    node: usize,
    conn: Conn,
    /// `None`: the other side has closed the connection.
    socket: Option<UnixStream>,
}

/// Held while children are started. Descriptors are inherited by number, so those of one job must not be open meanwhile
/// for another.
static STARTING: Mutex<()> = Mutex::new(());

/// Runs a program on all ranks to its end. An event that means the end of the job kills all ranks.
pub fn run(servers: NodeMap, share: bool, program: impl Fn(u32) -> Command) -> Job {
    let spec = |node| Spec {
        name: format!("test_{}", std::process::id()),
        told: servers.clone(),
        servers: servers.clone(),
        node,
        arity: 2,
        universe: Some(servers.size()),
        programs: vec![0],
        share,
    };
    let mut nodes: Vec<Server> = (0..servers.nodes()).map(|n| Server::new(spec(n)).unwrap()).collect();
    let (mut wires, mut children) = (Vec::new(), Vec::new());
    let starting = STARTING.lock().unwrap_or_else(|e| e.into_inner());
    for rank in 0..servers.size() {
        let node = servers.node_of(rank) as usize;
        let ((pmi, rank_pmi), (own, rank_own)) = (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
        let shared: Vec<RawFd> = nodes[node].shared().iter().map(|fd| fd.as_raw_fd()).collect();
        let fds = ChildFds { pmi: rank_pmi.as_raw_fd(), own: rank_own.as_raw_fd(), shared };
        let mut c = program(rank);
        c.envs(nodes[node].environment(rank, &fds)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let all = || [fds.pmi, fds.own].into_iter().chain(fds.shared.iter().copied());
        all().for_each(|fd| inherit(fd, true));
        children.push(c.spawn().unwrap());
        all().for_each(|fd| inherit(fd, false));
        for (conn, socket) in [(Conn::Rank(rank), pmi), (Conn::Own(rank), own)] {
            wires.push(Wire { node, conn, socket: Some(socket) });
        }
    }
    drop(starting);
    for n in 1..nodes.len() {
        let parent = nodes[n].parent().unwrap();
        nodes[n].connected(Conn::Parent);
        nodes[parent as usize].connected(Conn::Child(n as u32));
    }
    let events = serve(&mut nodes, &mut wires, &mut children);
    // Nobody reads the pipes before the end, so ranks may print little.
    let ranks = children.into_iter().map(|c| c.wait_with_output().unwrap()).collect();
    Job { ranks, events }
}

/// Serves until all connections have ended.
fn serve(nodes: &mut [Server], wires: &mut [Wire], children: &mut [Child]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut between = VecDeque::new();
    loop {
        for (n, node) in nodes.iter_mut().enumerate() {
            while let Some(out) = node.output() {
                match out {
                    Output::Send(Conn::Parent, bytes) => {
                        let parent = node.parent().unwrap() as usize;
                        between.push_back((parent, Conn::Child(n as u32), bytes));
                    }
                    Output::Send(Conn::Child(to), bytes) => between.push_back((to as usize, Conn::Parent, bytes)),
                    Output::Send(conn, bytes) => {
                        if let Some(wire) = wires.iter_mut().find(|w| w.conn == conn)
                            && let Some(socket) = &mut wire.socket
                        {
                            // If nobody takes it, the next read is at the end of file.
                            let _ = socket.write_all(&bytes);
                        }
                    }
                    Output::Close(conn) => wires.iter_mut().filter(|w| w.conn == conn).for_each(|w| w.socket = None),
                    Output::Event(event) => {
                        if matches!(event, Event::Lost(_) | Event::Abort { .. } | Event::ProtocolError { .. }) {
                            children.iter_mut().for_each(|c| c.kill().unwrap());
                        }
                        events.push(event);
                    }
                }
            }
        }
        if let Some((to, conn, bytes)) = between.pop_front() {
            nodes[to].input(conn, &bytes);
            continue;
        }
        let mut open: Vec<&mut Wire> = wires.iter_mut().filter(|w| w.socket.is_some()).collect();
        if open.is_empty() {
            return events;
        }
        let poll = |w: &&mut Wire| libc::pollfd {
            fd: w.socket.as_ref().map_or(-1, AsRawFd::as_raw_fd),
            events: libc::POLLIN,
            revents: 0,
        };
        let mut polls: Vec<libc::pollfd> = open.iter().map(poll).collect();
        // SAFETY: pointer and length are those of a live vector.
        let ready = unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, 60_000) };
        assert!(ready > 0, "nothing happened for a minute");
        for (wire, _) in open.iter_mut().zip(&polls).filter(|(_, p)| p.revents != 0) {
            let mut buffer = [0; 4096];
            match wire.socket.as_mut().unwrap().read(&mut buffer) {
                Ok(n) if n > 0 => nodes[wire.node].input(wire.conn, &buffer[..n]),
                _ => {
                    wire.socket = None;
                    nodes[wire.node].closed(wire.conn);
                }
            }
        }
    }
}

fn inherit(fd: RawFd, yes: bool) {
    // SAFETY: fcntl looks the number up and touches no memory.
    let done = unsafe { libc::fcntl(fd, libc::F_SETFD, if yes { 0 } else { libc::FD_CLOEXEC }) };
    assert_eq!(done, 0);
}

/// How a rank has ended, and what it has printed.
pub fn complaint(rank: &Finished) -> String {
    let (out, err) = (String::from_utf8_lossy(&rank.stdout), String::from_utf8_lossy(&rank.stderr));
    format!("{}\n{out}\n{err}", rank.status)
}
