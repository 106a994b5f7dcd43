//! The process management of a node: the sockets of `pmi_shm`'s server, which has none itself.

use crate::listener::Listener;
use crate::plan::Plan;
use crate::pmix::{self, JobEvent};
use crate::poll::{self, Kind, Poller};
use crate::sys;
use crate::tree::{self, Joining};
use anyhow::{Result, anyhow};
use pmi_shm::server::{ChildFds, Conn, Event, Output, Server, Spec};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// The connection to a rank or to a neighbour in the tree.
struct Socket {
    fd: OwnedFd,
    conn: Conn,
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
        is_ranks(self.conn) && self.queue.len() > UNREAD
    }
}

fn is_ranks(conn: Conn) -> bool {
    matches!(conn, Conn::Rank(_) | Conn::Own(_))
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
    sockets: BTreeMap<usize, Socket>,
    slots: HashMap<Conn, usize>,
    next: usize,
    listener: Option<Listener>,
    joining: Option<Joining>,
    active: HashSet<Conn>,
    /// Ranks that have ever used a connection, or PMIx.
    joined: HashSet<u32>,
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
        poller.add(server.wakeup, (Kind::Pmix, 0))?;
        self.pmix = Some(server);
        Ok(())
    }

    /// The directory for files of ranks that use PMIx.
    pub fn dir(&self) -> Option<&Path> {
        self.pmix.as_ref().map(|server| &*server.dir)
    }

    pub fn serve_pmix(&mut self, poller: &Poller, events: &mut Vec<JobEvent>) {
        if let Some(server) = &mut self.pmix {
            server.serve(&mut self.server, &mut self.joined, events);
            self.pump(poller, events);
        }
    }

    /// Makes the two connections of a rank.
    pub fn wire(&mut self, rank: u32, poller: &Poller) -> Result<Wiring> {
        let mut ends = Vec::new();
        for conn in [Conn::Rank(rank), Conn::Own(rank)] {
            let (ours, theirs) = sys::stream_pair()?;
            self.add(ours, conn, poller)?;
            ends.push(theirs);
        }
        let (Some(own), Some(pmi)) = (ends.pop(), ends.pop()) else { unreachable!("two were made") };
        let shared = self.server.shared().map(|store| store.as_raw_fd());
        let fds = ChildFds { pmi: pmi.as_raw_fd(), own: own.as_raw_fd(), shared };
        let mut variables = self.server.environment(rank, &fds);
        if let Some(server) = &self.pmix {
            variables.extend(server.environment(rank)?);
        }
        Ok(Wiring { variables, pmi, own })
    }

    /// The store's descriptor, which every rank inherits.
    pub fn shared(&self) -> Option<BorrowedFd<'_>> {
        self.server.shared()
    }

    fn add(&mut self, fd: OwnedFd, conn: Conn, poller: &Poller) -> Result<()> {
        let slot = self.next;
        self.next += 1;
        poller.add(&fd, (Kind::Pmi, slot))?;
        self.slots.insert(conn, slot);
        self.sockets.insert(slot, Socket { fd, conn, queue: VecDeque::new(), interest: (true, false) });
        Ok(())
    }

    /// Listens for children in the tree, if there are any. Returns the address.
    pub fn listen(&mut self, plan: &Plan, node: u32, poller: &Poller) -> Result<Option<SocketAddr>> {
        if self.server.children().is_empty() {
            return Ok(None);
        }
        let listener = self.listener.insert(tree::listen(plan, node, self.server.children(), poller)?);
        Ok(Some(listener.address))
    }

    pub fn accept(&mut self, poller: &Poller) -> Result<()> {
        self.listener.as_mut().map_or(Ok(()), |l| l.accept(poller))
    }

    /// A caller has sent something. It may be a child in the tree. Nobody is listened for when all children have come.
    pub fn caller_came(&mut self, number: usize, poller: &Poller, events: &mut Vec<JobEvent>) -> Result<()> {
        let came = self.listener.as_mut().and_then(|l| l.ready(number, poller));
        if let Some(came) = came.filter(|c| c.role == tree::TREE && self.server.children().contains(&c.node)) {
            self.welcome(Conn::Child(came.node), came.fd, &came.rest, poller)?;
            let all = self.server.children().all(|node| self.slots.contains_key(&Conn::Child(node)));
            if let Some(listener) = self.listener.take_if(|_| all) {
                listener.close(poller);
            }
            self.pump(poller, events);
        }
        Ok(())
    }

    pub fn join(&mut self, address: SocketAddr, plan: &Plan) {
        self.joining = Some(Joining::new(address, Instant::now() + Duration::from_secs_f64(plan.launch_timeout)));
    }

    pub fn parent_came(&mut self, poller: &Poller, events: &mut Vec<JobEvent>) -> Result<()> {
        match self.joining.as_mut().map(|j| j.ready(poller)) {
            Some(Ok(Some((fd, rest)))) => {
                self.joining = None;
                self.welcome(Conn::Parent, fd, &rest, poller)?;
                self.pump(poller, events);
            }
            Some(Err(e)) => events.push(JobEvent::Broken(format!("{e:#}"))),
            Some(Ok(None)) | None => {}
        }
        Ok(())
    }

    /// A neighbour has proved itself. `rest`: what was read behind that.
    fn welcome(&mut self, conn: Conn, fd: OwnedFd, rest: &[u8], poller: &Poller) -> Result<()> {
        self.add(fd, conn, poller)?;
        self.server.connected(conn);
        if !rest.is_empty() {
            self.server.input(conn, rest);
        }
        Ok(())
    }

    pub fn look_at_clock(&mut self, plan: &Plan, node: u32, poller: &Poller, events: &mut Vec<JobEvent>) {
        if let Some(Err(e)) = self.joining.as_mut().map(|j| j.look_at_clock(plan, node, poller)) {
            events.push(JobEvent::Broken(format!("{e:#}")));
        }
        self.listener.iter_mut().for_each(|l| l.look_at_clock(poller));
    }

    pub fn next_time(&self) -> Option<Instant> {
        let again = self.joining.as_ref().and_then(|joining| joining.again);
        self.listener.as_ref().and_then(Listener::next_time).into_iter().chain(again).min()
    }

    pub fn ready(&mut self, slot: usize, poller: &Poller, events: &mut Vec<JobEvent>) {
        self.flush(slot, poller);
        // Requests that were left come before those that are read now, and before an end.
        self.pump(poller, events);
        self.read(slot, poller);
        self.pump(poller, events);
    }

    /// Reads everything that a rank has sent. For a rank that has ended.
    pub fn read_rest(&mut self, rank: u32, poller: &Poller, events: &mut Vec<JobEvent>) {
        for conn in [Conn::Rank(rank), Conn::Own(rank)] {
            for _ in 0..READS_OF_THE_REST {
                let Some(&slot) = self.slots.get(&conn) else { break };
                if !self.read(slot, poller) {
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
    fn read(&mut self, slot: usize, poller: &Poller) -> bool {
        let mut buffer = [0; 16 * 1024];
        while let Some(socket) = self.sockets.get(&slot).filter(|socket| !socket.is_held()) {
            let Some(n) = poll::read(socket.fd.as_fd(), &mut buffer) else { return false };
            let conn = socket.conn;
            if n == 0 {
                self.close(slot, poller);
                self.server.closed(conn);
            } else {
                self.server.input(conn, &buffer[..n]);
                if is_ranks(conn) {
                    return true;
                }
            }
        }
        false
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
        if poll::write_queue(socket.fd.as_fd(), &mut socket.queue).is_err() {
            // A read will find out that the other side has gone.
            socket.queue.clear();
        }
        let interest = (!socket.is_held(), !socket.queue.is_empty());
        if interest != socket.interest {
            socket.interest = interest;
            poller.change(&socket.fd, (Kind::Pmi, slot), interest.0, interest.1);
        }
    }

    fn close(&mut self, slot: usize, poller: &Poller) {
        if let Some(socket) = self.sockets.remove(&slot) {
            poller.remove(&socket.fd);
            self.slots.remove(&socket.conn);
        }
    }

    /// Whether a rank has used one of its connections and not said goodbye there.
    pub fn is_active(&self, rank: u32) -> bool {
        let pmix = self.pmix.as_ref().is_some_and(|server| server.active.contains(&rank));
        pmix || [Conn::Rank(rank), Conn::Own(rank)].iter().any(|c| self.active.contains(c))
    }

    /// Whether a rank has ever used one of its connections.
    pub fn has_joined(&self, rank: u32) -> bool {
        self.joined.contains(&rank)
    }

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
