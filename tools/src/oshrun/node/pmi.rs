//! The process management of a node: sockets for `pmi_shm`'s node server, which has none itself.

use super::tree::{self, Listener};
use crate::node::{Kind, token};
use crate::plan::Plan;
use crate::pmix;
use crate::sys::{self, Poller};
use anyhow::{Result, anyhow};
use pmi_shm::server::auth::{Handshake, Step};
use pmi_shm::server::{ChildFds, Conn, Event, Node, Output, Spec};
use pmi_shm::wire::NodeMap;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// The kind of connection that the greeting announces; there is only one.
const TREE: u8 = 0;

/// What a connection is, as far as we know.
enum Who {
    /// A known one; its bytes are for the node server.
    Known(Conn),
    /// A neighbour in the tree that has to prove itself first.
    Stranger(Box<Handshake>),
}

struct Channel {
    fd: OwnedFd,
    who: Who,
    queue: VecDeque<u8>,
    /// Waits for room to write, beside waiting for bytes to read.
    waits: bool,
}

/// What concerns the job, not only its process management.
pub enum News {
    /// A rank's connection has ended without the word that it would.
    Lost(u32),
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

/// What a rank inherits, and the variables that tell it so. The descriptors close when this is dropped.
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
    node: Node,
    secret: [u8; 32],
    channels: BTreeMap<usize, Channel>,
    slots: HashMap<Conn, usize>,
    next: usize,
    listener: Option<Listener>,
    /// The connection to the parent before it is one, and where that is.
    joining: Option<(usize, SocketAddr)>,
    active: HashSet<Conn>,
    /// The server of PMIx, where one is needed.
    pmix: Option<pmix::Server>,
}

impl Pmi {
    pub fn new(plan: &Plan, node: u32) -> Result<Pmi> {
        let map = NodeMap::of(plan.node_of.iter().copied());
        let spec = Spec {
            name: plan.job.clone(),
            servers: map.clone(),
            node,
            told: map,
            arity: plan.fanout,
            universe: Some(plan.size()),
            programs: plan.programs.iter().map(|p| p.ranks.start).collect(),
            share: plan.share,
        };
        let node = Node::new(spec).map_err(|e| anyhow!("cannot start the process management: {e}"))?;
        Ok(Pmi {
            node,
            secret: plan.secret,
            channels: BTreeMap::new(),
            slots: HashMap::new(),
            next: 0,
            listener: None,
            joining: None,
            active: HashSet::new(),
            pmix: None,
        })
    }

    /// Serves PMIx too from here on. Before any rank is started.
    pub fn add_pmix(&mut self, server: pmix::Server, poller: &Poller) -> Result<()> {
        poller.add(server.bell(), token(Kind::Pmix, 0), true, false)?;
        self.pmix = Some(server);
        Ok(())
    }

    /// The directory of what processes must give a name to, where they use PMIx.
    pub fn dir(&self) -> Option<&Path> {
        self.pmix.as_ref().map(pmix::Server::dir)
    }

    /// Something is to be done for PMIx.
    pub fn serve_pmix(&mut self, poller: &Poller, news: &mut Vec<News>) {
        if let Some(server) = &mut self.pmix {
            server.serve(&mut self.node, news);
            self.pump(poller, news);
        }
    }

    /// Makes the two connections of a rank.
    pub fn wire(&mut self, rank: u32, poller: &Poller) -> Result<Wiring> {
        let mut far = Vec::new();
        for conn in [Conn::Rank(rank), Conn::Own(rank)] {
            let (near, end) = sys::stream_pair()?;
            self.add(near, Who::Known(conn), poller)?;
            far.push(end);
        }
        let (Some(own), Some(pmi)) = (far.pop(), far.pop()) else { unreachable!("two were made") };
        let shared = self.node.shared().iter().map(AsRawFd::as_raw_fd).collect();
        let fds = ChildFds { pmi: pmi.as_raw_fd(), own: own.as_raw_fd(), shared };
        let mut variables = self.node.environment(rank, &fds);
        if let Some(server) = &self.pmix {
            variables.extend(server.environment(rank)?);
        }
        Ok(Wiring { variables, pmi, own })
    }

    /// Descriptors that every rank inherits.
    pub fn shared(&self) -> Vec<BorrowedFd<'_>> {
        self.node.shared()
    }

    fn add(&mut self, fd: OwnedFd, who: Who, poller: &Poller) -> Result<usize> {
        let slot = self.next;
        self.next += 1;
        poller.add(&fd, token(Kind::Pmi, slot), true, false)?;
        if let Who::Known(conn) = who {
            self.slots.insert(conn, slot);
        }
        self.channels.insert(slot, Channel { fd, who, queue: VecDeque::new(), waits: false });
        Ok(slot)
    }

    /// Opens the door for children in the tree, if there are any. Returns where they find it.
    pub fn listen(&mut self, plan: &Plan, node: u32, poller: &Poller) -> Result<Option<SocketAddr>> {
        if self.node.children().is_empty() {
            return Ok(None);
        }
        let listener = tree::listen(plan, node, self.node.children())?;
        let address = listener.address;
        poller.add(listener.fd(), token(Kind::Listen, 0), true, false)?;
        self.listener = Some(listener);
        Ok(Some(address))
    }

    /// Takes who stands at the door.
    pub fn accept(&mut self, poller: &Poller) -> Result<()> {
        while let Some(fd) = self.listener.as_ref().and_then(Listener::accept) {
            let stranger = Box::new(Handshake::callee(&self.secret));
            self.add(fd, Who::Stranger(stranger), poller)?;
        }
        Ok(())
    }

    /// Connects to the parent in the tree.
    pub fn join(&mut self, address: SocketAddr, plan: &Plan, node: u32, poller: &Poller) -> Result<()> {
        let fd = tree::connect(address, plan.silence)?;
        let hello = Handshake::caller(&self.secret, TREE, node).map_err(|e| anyhow!("{e}"))?;
        let slot = self.add(fd, Who::Stranger(Box::new(hello)), poller)?;
        self.joining = Some((slot, address));
        self.greet(slot, poller);
        Ok(())
    }

    /// Sends what a stranger is to be told next.
    fn greet(&mut self, slot: usize, poller: &Poller) {
        if let Some(Channel { who: Who::Stranger(hand), queue, .. }) = self.channels.get_mut(&slot) {
            queue.extend(hand.output());
        }
        self.flush(slot, poller);
    }

    /// A connection is ready to be read or written.
    pub fn ready(&mut self, slot: usize, poller: &Poller, news: &mut Vec<News>) {
        self.flush(slot, poller);
        self.read(slot, poller, news);
        self.pump(poller, news);
    }

    /// Takes all that a rank has said; for when it has ended.
    pub fn last_words(&mut self, rank: u32, poller: &Poller, news: &mut Vec<News>) {
        for conn in [Conn::Rank(rank), Conn::Own(rank)] {
            if let Some(&slot) = self.slots.get(&conn) {
                self.read(slot, poller, news);
            }
        }
        self.serve_pmix(poller, news);
        self.pump(poller, news);
    }

    fn read(&mut self, slot: usize, poller: &Poller, news: &mut Vec<News>) {
        let mut buffer = [0; 16 * 1024];
        while let Some(channel) = self.channels.get_mut(&slot) {
            let bytes = match sys::read(channel.fd.as_fd(), &mut buffer) {
                None => return,
                Some(n) => &buffer[..n],
            };
            match &mut channel.who {
                Who::Known(conn) => {
                    let conn = *conn;
                    if bytes.is_empty() {
                        self.close(slot, poller);
                        self.node.gone(conn);
                    } else {
                        self.node.input(conn, bytes);
                    }
                }
                Who::Stranger(_) if bytes.is_empty() => self.turn_away(slot, "it closed the connection", poller, news),
                Who::Stranger(hand) => match hand.input(bytes) {
                    Ok(Step::More) => self.greet(slot, poller),
                    Ok(Step::Done { node, rest, .. }) => {
                        self.greet(slot, poller);
                        self.proved(slot, node, &rest);
                    }
                    Err(e) => self.turn_away(slot, &e.0, poller, news),
                },
            }
        }
    }

    /// Somebody who knocks and does not know the secret may try as often as he likes; but if it was we who called, our
    /// parent is not there.
    fn turn_away(&mut self, slot: usize, why: &str, poller: &Poller, news: &mut Vec<News>) {
        self.close(slot, poller);
        if let Some((_, address)) = self.joining.filter(|j| j.0 == slot) {
            let text =
                format!("cannot join the parent node server at {address}: {why} (--iface names the network to use)");
            news.push(News::Broken(text));
        }
    }

    /// A stranger has proved to be a neighbour: our child `node`, or our parent.
    fn proved(&mut self, slot: usize, node: u32, rest: &[u8]) {
        let conn = if self.node.children().contains(&node) { Conn::Child(node) } else { Conn::Parent };
        let Some(channel) = self.channels.get_mut(&slot) else { return };
        channel.who = Who::Known(conn);
        self.slots.insert(conn, slot);
        self.node.joined(conn);
        if !rest.is_empty() {
            self.node.input(conn, rest);
        }
    }

    /// Does what the node server wants done.
    pub fn pump(&mut self, poller: &Poller, news: &mut Vec<News>) {
        while let Some(output) = self.node.output() {
            match output {
                Output::Send(conn, bytes) => {
                    let Some(&slot) = self.slots.get(&conn) else { continue };
                    let Some(channel) = self.channels.get_mut(&slot) else { continue };
                    channel.queue.extend(bytes);
                    self.flush(slot, poller);
                }
                Output::Close(conn) => {
                    if let Some(slot) = self.slots.get(&conn).copied() {
                        self.flush(slot, poller);
                        self.close(slot, poller);
                    }
                }
                Output::Event(event) => self.event(event, news),
            }
        }
    }

    fn event(&mut self, event: Event, news: &mut Vec<News>) {
        match event {
            Event::Active(conn) => drop(self.active.insert(conn)),
            Event::Finalized(conn) => drop(self.active.remove(&conn)),
            Event::Lost(Conn::Rank(rank) | Conn::Own(rank)) => news.push(News::Lost(rank)),
            Event::Lost(Conn::Parent) => news.extend(self.node.parent().map(News::NeighbourLost)),
            Event::Lost(Conn::Child(node)) => news.push(News::NeighbourLost(node)),
            Event::Abort { rank, code, message } => news.push(News::Abort { rank, code, message }),
            Event::Exchanged { key, data } => {
                if let Some(server) = &mut self.pmix {
                    server.exchanged(&key, data);
                }
            }
            Event::Letter { from, data } => {
                let read = self.pmix.as_mut().map_or(Ok(()), |server| server.letter(from, &data, &mut self.node));
                news.extend(read.err().map(|e| News::Broken(format!("{e:#}"))));
            }
            Event::Broken { conn, what } => {
                let who = match conn {
                    Conn::Rank(r) | Conn::Own(r) => format!("rank {r}"),
                    Conn::Parent => "the parent server".to_string(),
                    Conn::Child(n) => format!("the server of node {n}"),
                };
                news.push(News::Broken(format!("{who} broke the protocol of the process management: {what}")));
            }
        }
    }

    fn flush(&mut self, slot: usize, poller: &Poller) {
        let Some(channel) = self.channels.get_mut(&slot) else { return };
        while !channel.queue.is_empty() {
            let (front, _) = channel.queue.as_slices();
            match sys::write(channel.fd.as_fd(), front) {
                Ok(0) => break,
                Ok(n) => drop(channel.queue.drain(..n)),
                // The read will find out.
                Err(_) => channel.queue.clear(),
            }
        }
        let waits = !channel.queue.is_empty();
        if waits != channel.waits {
            channel.waits = waits;
            poller.change(&channel.fd, token(Kind::Pmi, slot), true, waits);
        }
    }

    fn close(&mut self, slot: usize, poller: &Poller) {
        if let Some(channel) = self.channels.remove(&slot) {
            poller.remove(&channel.fd);
            if let Who::Known(conn) = channel.who {
                self.slots.remove(&conn);
            }
        }
    }

    /// Whether a rank has spoken on one of its connections and not said goodbye there.
    pub fn is_active(&self, rank: u32) -> bool {
        let pmix = self.pmix.as_ref().is_some_and(|server| server.is_active(rank));
        pmix || [Conn::Rank(rank), Conn::Own(rank)].iter().any(|c| self.active.contains(c))
    }

    /// For `--stats`.
    pub fn stats(&self) -> Vec<(String, u64)> {
        let s = self.node.stats();
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
