//! The process management of a node: the sockets of `pmi_shm`'s server, which has none itself.

use super::tree::{self, Joining};
use crate::listener::Listener;
use crate::node::{Kind, token};
use crate::plan::Plan;
use crate::pmix;
use crate::sys::{self, Poller};
use anyhow::{Result, anyhow};
use pmi_shm::server::auth::{Handshake, Step};
use pmi_shm::server::{ChildFds, Conn, Event, Output, Server, Spec};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// The role in the handshake between node servers. Servers that call oshrun back have another one.
const TREE: u8 = 0;

/// Who is at the other end of a socket.
enum Who {
    /// A rank or a neighbour. Its bytes are for the server.
    Known(Conn),
    /// Perhaps a neighbour in the tree, which has to prove first that it belongs to the job.
    Unproven(Box<Handshake>),
}

struct Socket {
    fd: OwnedFd,
    who: Who,
    queue: VecDeque<u8>,
    /// What the poller waits for: bytes to read, and room to write.
    interest: (bool, bool),
}

/// Replies that wait for a rank, in bytes, before no more of its requests are read. A rank that asks and does not read
/// the replies would fill this process's memory otherwise. Clients of PMI read each reply before they ask again.
const UNREAD: usize = 1 << 20;

/// How many times a rank that has ended is read from. A socket holds less than this; a process that the rank has left
/// may go on writing.
const READS_OF_THE_REST: usize = 64;

impl Socket {
    /// A rank's requests, which wait while the rank does not read.
    fn is_held(&self) -> bool {
        matches!(self.who, Who::Known(Conn::Rank(_) | Conn::Own(_))) && self.queue.len() > UNREAD
    }
}

/// What has happened to the job, not only to its process management.
pub enum JobEvent {
    /// A rank's connection has ended without a goodbye.
    Lost(u32),
    /// The first rank has used its connection.
    Joined,
    /// A rank tells what ranks do.
    Table {
        head: String,
        rows: String,
    },
    /// A neighbour in the tree of node servers is gone.
    NeighbourLost(u32),
    Abort {
        rank: u32,
        code: i32,
        message: String,
    },
    /// A rank or a neighbour broke the protocol.
    Broken(String),
}

/// What a rank inherits, and the variables that tell it. The descriptors close when this is dropped.
pub struct Wiring {
    pub variables: Vec<(String, String)>,
    pmi: OwnedFd,
    own: OwnedFd,
}

impl Wiring {
    /// The rank's ends of its two connections.
    pub fn ends(&self) -> [BorrowedFd<'_>; 2] {
        [self.pmi.as_fd(), self.own.as_fd()]
    }
}

pub struct Pmi {
    server: Server,
    secret: [u8; 32],
    sockets: BTreeMap<usize, Socket>,
    slots: HashMap<Conn, usize>,
    next: usize,
    listener: Option<Listener>,
    /// The way to the parent in the tree, until it has proved itself.
    joining: Option<Joining>,
    active: HashSet<Conn>,
    /// Ranks that have used a connection.
    joined: HashSet<u32>,
    /// The server of PMIx, where one is needed.
    pmix: Option<pmix::PmixServer>,
}

impl Pmi {
    pub fn new(plan: &Plan, node: u32) -> Result<Pmi> {
        let spec = Spec {
            name: plan.job.clone(),
            servers: plan.map.clone(),
            node,
            told: plan.map.clone(),
            arity: plan.fanout,
            universe: Some(plan.size()),
            programs: plan.programs.iter().map(|p| p.ranks.start).collect(),
            share: plan.share,
        };
        let server = Server::new(spec).map_err(|e| anyhow!("cannot start the process management: {e}"))?;
        Ok(Pmi {
            server,
            secret: plan.secret,
            sockets: BTreeMap::new(),
            slots: HashMap::new(),
            next: 0,
            listener: None,
            joining: None,
            active: HashSet::new(),
            joined: HashSet::new(),
            pmix: None,
        })
    }

    /// Serves PMIx too from now on. To be called before any rank is started.
    pub fn add_pmix(&mut self, server: pmix::PmixServer, poller: &Poller) -> Result<()> {
        poller.add(server.wakeup(), token(Kind::Pmix, 0), true, false)?;
        self.pmix = Some(server);
        Ok(())
    }

    /// The directory for files of ranks that use PMIx.
    pub fn dir(&self) -> Option<&Path> {
        self.pmix.as_ref().map(pmix::PmixServer::dir)
    }

    /// Handles the upcalls of PMIx.
    pub fn serve_pmix(&mut self, poller: &Poller, events: &mut Vec<JobEvent>) {
        if let Some(server) = &mut self.pmix {
            server.serve(&mut self.server, events);
            self.pump(poller, events);
        }
    }

    /// Makes the two connections of a rank.
    pub fn wire(&mut self, rank: u32, poller: &Poller) -> Result<Wiring> {
        let mut ends = Vec::new();
        for conn in [Conn::Rank(rank), Conn::Own(rank)] {
            let (ours, theirs) = sys::stream_pair()?;
            self.add(ours, Who::Known(conn), poller)?;
            ends.push(theirs);
        }
        let (Some(own), Some(pmi)) = (ends.pop(), ends.pop()) else { unreachable!("two were made") };
        let shared = self.server.shared().iter().map(AsRawFd::as_raw_fd).collect();
        let fds = ChildFds { pmi: pmi.as_raw_fd(), own: own.as_raw_fd(), shared };
        let mut variables = self.server.environment(rank, &fds);
        if let Some(server) = &self.pmix {
            variables.extend(server.environment(rank)?);
        }
        Ok(Wiring { variables, pmi, own })
    }

    /// The store's descriptors, which every rank inherits.
    pub fn shared(&self) -> Vec<BorrowedFd<'_>> {
        self.server.shared()
    }

    fn add(&mut self, fd: OwnedFd, who: Who, poller: &Poller) -> Result<usize> {
        let slot = self.next;
        self.next += 1;
        poller.add(&fd, token(Kind::Pmi, slot), true, false)?;
        if let Who::Known(conn) = who {
            self.slots.insert(conn, slot);
        }
        self.sockets.insert(slot, Socket { fd, who, queue: VecDeque::new(), interest: (true, false) });
        Ok(slot)
    }

    /// Listens for children in the tree, if there are any. Returns the address.
    pub fn listen(&mut self, plan: &Plan, node: u32, poller: &Poller) -> Result<Option<SocketAddr>> {
        if self.server.children().is_empty() {
            return Ok(None);
        }
        let mut listener = tree::listen(plan, node, self.server.children())?;
        let address = listener.address;
        listener.watch(poller, token(Kind::Listen, 0))?;
        self.listener = Some(listener);
        Ok(Some(address))
    }

    /// Accepts some connections.
    pub fn accept(&mut self, poller: &Poller) -> Result<()> {
        for fd in self.listener.as_mut().map(|l| l.accept(poller)).unwrap_or_default() {
            let handshake = Box::new(Handshake::callee(&self.secret));
            let slot = self.add(fd, Who::Unproven(handshake), poller)?;
            if let Some(other) = self.listener.as_mut().and_then(|l| l.came(slot)) {
                self.close(other, poller);
            }
        }
        Ok(())
    }

    /// Turns away callers that take too long, and tries again to reach the parent.
    pub fn look_at_clock(&mut self, plan: &Plan, node: u32, poller: &Poller, events: &mut Vec<JobEvent>) {
        if self.joining.as_mut().is_some_and(|j| j.is_due(Instant::now()))
            && let Err(e) = self.reach_parent(plan, node, poller)
        {
            events.push(JobEvent::Broken(format!("{e:#}")));
        }
        let late = self.listener.as_mut().map(|l| l.look_at_clock(poller)).unwrap_or_default();
        late.into_iter().for_each(|slot| self.close(slot, poller));
    }

    /// When to look at the clock.
    pub fn next_time(&self) -> Option<Instant> {
        let again = self.joining.as_ref().and_then(Joining::next_time);
        self.listener.as_ref().and_then(Listener::next_time).into_iter().chain(again).min()
    }

    /// Listens no more when all children have joined.
    fn close_if_complete(&mut self, poller: &Poller) {
        let all = self.server.children().all(|node| self.slots.contains_key(&Conn::Child(node)));
        if let Some(listener) = self.listener.take_if(|_| all) {
            listener.strangers().into_iter().for_each(|slot| self.close(slot, poller));
            listener.close(poller);
        }
    }

    /// Connects to the parent in the tree.
    pub fn join(&mut self, address: SocketAddr, plan: &Plan, node: u32, poller: &Poller) -> Result<()> {
        self.joining = Some(Joining::new(address, Instant::now() + Duration::from_secs_f64(plan.launch_timeout)));
        self.reach_parent(plan, node, poller)
    }

    fn reach_parent(&mut self, plan: &Plan, node: u32, poller: &Poller) -> Result<()> {
        let Some(joining) = &mut self.joining else { return Ok(()) };
        let fd = match tree::connect(joining.address, plan.silence) {
            Ok(fd) => fd,
            Err(_) if joining.retries(Instant::now()) => return Ok(()),
            Err(e) => return Err(e),
        };
        let handshake = Handshake::caller(&self.secret, TREE, node)?;
        let slot = self.add(fd, Who::Unproven(Box::new(handshake)), poller)?;
        self.joining.iter_mut().for_each(|j| j.slot = Some(slot));
        self.shake(slot, poller);
        Ok(())
    }

    /// Sends the next part of a handshake.
    fn shake(&mut self, slot: usize, poller: &Poller) {
        if let Some(Socket { who: Who::Unproven(handshake), queue, .. }) = self.sockets.get_mut(&slot) {
            queue.extend(handshake.output());
        }
        self.flush(slot, poller);
    }

    /// A socket is ready to be read or written.
    pub fn ready(&mut self, slot: usize, poller: &Poller, events: &mut Vec<JobEvent>) {
        self.flush(slot, poller);
        // Requests that were left come before those that are read now, and before an end.
        self.pump(poller, events);
        self.read(slot, poller, events);
        self.pump(poller, events);
    }

    /// Reads everything that a rank has sent. For a rank that has ended.
    pub fn read_rest(&mut self, rank: u32, poller: &Poller, events: &mut Vec<JobEvent>) {
        for conn in [Conn::Rank(rank), Conn::Own(rank)] {
            for _ in 0..READS_OF_THE_REST {
                let Some(&slot) = self.slots.get(&conn) else { break };
                if !self.read(slot, poller, events) {
                    break;
                }
                self.pump(poller, events);
            }
        }
        self.serve_pmix(poller, events);
        self.pump(poller, events);
    }

    /// Reads from a socket: from a rank once, because its replies must go out before it may ask for more; from others
    /// all that is there. False: there is nothing more now.
    fn read(&mut self, slot: usize, poller: &Poller, events: &mut Vec<JobEvent>) -> bool {
        let mut buffer = [0; 16 * 1024];
        while let Some(socket) = self.sockets.get_mut(&slot).filter(|socket| !socket.is_held()) {
            let bytes = match sys::read(socket.fd.as_fd(), &mut buffer) {
                None => return false,
                Some(n) => &buffer[..n],
            };
            match &mut socket.who {
                Who::Known(conn) => {
                    let conn = *conn;
                    if bytes.is_empty() {
                        self.close(slot, poller);
                        self.server.closed(conn);
                    } else {
                        self.server.input(conn, bytes);
                        if matches!(conn, Conn::Rank(_) | Conn::Own(_)) {
                            return true;
                        }
                    }
                }
                Who::Unproven(_) if bytes.is_empty() => {
                    let parent = self.joining.as_mut().filter(|j| j.slot == Some(slot));
                    match parent.is_some_and(|j| j.retries(Instant::now())) {
                        true => self.close(slot, poller),
                        false => self.turn_away(slot, "it closed the connection", poller, events),
                    }
                }
                Who::Unproven(handshake) => match handshake.input(bytes) {
                    Ok(Step::More) => {
                        let greeted = handshake.has_greeted();
                        self.listener.iter_mut().filter(|_| greeted).for_each(|l| l.greeted(slot));
                        self.shake(slot, poller);
                    }
                    Ok(Step::Done { node, rest, .. }) => {
                        self.shake(slot, poller);
                        self.proved(slot, node, &rest);
                        self.close_if_complete(poller);
                    }
                    Err(e) => self.turn_away(slot, &e.to_string(), poller, events),
                },
            }
        }
        false
    }

    /// Closes a socket whose peer has not proved itself. If this server has made the connection, its parent is not
    /// there.
    fn turn_away(&mut self, slot: usize, why: &str, poller: &Poller, events: &mut Vec<JobEvent>) {
        self.close(slot, poller);
        self.listener.iter_mut().for_each(|l| l.settled(slot));
        if let Some(Joining { address, .. }) = self.joining.take_if(|j| j.slot == Some(slot)) {
            let text =
                format!("cannot join the parent node server at {address}: {why} (--iface names the network to use)");
            events.push(JobEvent::Broken(text));
        }
    }

    /// A peer has proved to be a neighbour: child `node`, or the parent.
    fn proved(&mut self, slot: usize, node: u32, rest: &[u8]) {
        let conn = if self.server.children().contains(&node) { Conn::Child(node) } else { Conn::Parent };
        let Some(socket) = self.sockets.get_mut(&slot) else { return };
        socket.who = Who::Known(conn);
        self.joining.take_if(|j| j.slot == Some(slot));
        self.listener.iter_mut().for_each(|l| l.settled(slot));
        self.slots.insert(conn, slot);
        self.server.connected(conn);
        if !rest.is_empty() {
            self.server.input(conn, rest);
        }
    }

    /// Does what the server wants done. Requests that the server has left are looked at, unless their rank is held.
    pub fn pump(&mut self, poller: &Poller, events: &mut Vec<JobEvent>) {
        loop {
            while let Some(output) = self.server.output() {
                self.output(output, poller, events);
            }
            let socket = |conn: &Conn| self.sockets.get(self.slots.get(conn)?);
            let is_held = |conn: &Conn| socket(conn).is_some_and(Socket::is_held);
            let Some(conn) = self.server.left().into_iter().find(|conn| !is_held(conn)) else { return };
            self.server.input(conn, &[]);
        }
    }

    fn output(&mut self, output: Output, poller: &Poller, events: &mut Vec<JobEvent>) {
        match output {
            Output::Send(conn, bytes) => {
                let Some(&slot) = self.slots.get(&conn) else { return };
                let Some(socket) = self.sockets.get_mut(&slot) else { return };
                socket.queue.extend(bytes);
                self.flush(slot, poller);
            }
            Output::Close(conn) => {
                if let Some(slot) = self.slots.get(&conn).copied() {
                    self.flush(slot, poller);
                    self.close(slot, poller);
                }
            }
            Output::Event(event) => self.event(event, events),
        }
    }

    fn event(&mut self, event: Event, events: &mut Vec<JobEvent>) {
        match event {
            Event::Active(conn) => {
                self.active.insert(conn);
                if let Conn::Rank(rank) | Conn::Own(rank) = conn {
                    // One rank is enough to know.
                    events.extend(self.joined.is_empty().then_some(JobEvent::Joined));
                    self.joined.insert(rank);
                }
            }
            Event::Table { head, rows } => events.push(JobEvent::Table { head, rows }),
            Event::Finalized(conn) => drop(self.active.remove(&conn)),
            Event::Lost(Conn::Rank(rank) | Conn::Own(rank)) => events.push(JobEvent::Lost(rank)),
            Event::Lost(Conn::Parent) => events.extend(self.server.parent().map(JobEvent::NeighbourLost)),
            Event::Lost(Conn::Child(node)) => events.push(JobEvent::NeighbourLost(node)),
            Event::Abort { rank, code, message } => events.push(JobEvent::Abort { rank, code, message }),
            Event::Exchanged { key, data } => {
                if let Some(server) = &mut self.pmix {
                    server.exchanged(&key, data);
                }
            }
            Event::Message { from, data } => {
                let read = self.pmix.as_mut().map_or(Ok(()), |server| server.message(from, &data, &mut self.server));
                events.extend(read.err().map(|e| JobEvent::Broken(format!("{e:#}"))));
            }
            Event::ProtocolError { conn, what } => {
                let who = match conn {
                    Conn::Rank(r) | Conn::Own(r) => format!("rank {r}"),
                    Conn::Parent => "the parent server".to_string(),
                    Conn::Child(n) => format!("the server of node {n}"),
                };
                events.push(JobEvent::Broken(format!("{who} broke the protocol of the process management: {what}")));
            }
        }
    }

    fn flush(&mut self, slot: usize, poller: &Poller) {
        let Some(socket) = self.sockets.get_mut(&slot) else { return };
        if sys::write_queue(socket.fd.as_fd(), &mut socket.queue).is_err() {
            // A read will find out that the other side has gone.
            socket.queue.clear();
        }
        let interest = (!socket.is_held(), !socket.queue.is_empty());
        if interest != socket.interest {
            socket.interest = interest;
            poller.change(&socket.fd, token(Kind::Pmi, slot), interest.0, interest.1);
        }
    }

    fn close(&mut self, slot: usize, poller: &Poller) {
        if let Some(socket) = self.sockets.remove(&slot) {
            poller.remove(&socket.fd);
            if let Who::Known(conn) = socket.who {
                self.slots.remove(&conn);
            }
        }
    }

    /// Whether a rank has used one of its connections and not said goodbye there.
    pub fn is_active(&self, rank: u32) -> bool {
        let pmix = self.pmix.as_ref().is_some_and(|server| server.is_active(rank));
        pmix || [Conn::Rank(rank), Conn::Own(rank)].iter().any(|c| self.active.contains(c))
    }

    /// Whether a rank has ever used one of its connections.
    pub fn has_joined(&self, rank: u32) -> bool {
        self.joined.contains(&rank) || self.pmix.as_ref().is_some_and(|server| server.has_joined(rank))
    }

    /// Figures for `--stats`.
    pub fn stats(&self) -> Vec<(String, u64)> {
        let s = self.server.stats();
        [
            ("puts", s.puts),
            ("gets over sockets", s.gets),
            ("fences", s.fences),
            ("pairs stored", s.pairs),
            ("messages to other servers", s.sent),
            ("bytes in them", s.sent_bytes),
        ]
        .map(|(name, n)| (name.to_string(), n))
        .to_vec()
    }
}
