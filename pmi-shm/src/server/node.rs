//! The node server: who is connected, and what each request and message does.

use super::ask::Asks;
use super::client::{Client, Form, encode};
use super::exchange::Exchanges;
use super::fence::Fence;
use super::gather::Gathers;
use super::link::{Inbox, Message, Side};
use super::names::Names;
use super::ring::Ring;
use super::{ChildFds, Conn, Event, Output, Spec, Stats};
use crate::client;
use crate::ext::Tree;
use crate::job::Error;
use crate::kvs::{KEY_MAX, Settings, Store, VALUE_MAX};
use crate::wire::{self, Hint, Incoming, Malformed, Put, Reply, Request};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::os::fd::BorrowedFd;

/// The server of one node. See the module's documentation for how to run it.
pub struct Node {
    pub(super) spec: Spec,
    ranks: Vec<u32>,
    pub(super) tree: Tree,
    pub(super) store: Store,
    outputs: VecDeque<Output>,
    clients: HashMap<Conn, Client>,
    /// Neighbours in the tree, once they have joined.
    links: HashMap<Conn, Inbox>,
    /// What neighbours will be sent when they join.
    held: HashMap<Conn, Vec<u8>>,
    pub(super) fences: [Fence; 2],
    pub(super) rings: [Ring; 2],
    pub(super) gathers: [Gathers; 2],
    pub(super) asks: Asks,
    pub(super) names: Names,
    pub(super) exchanges: Exchanges,
    pub(super) stats: Stats,
}

impl Node {
    /// A node that nobody has connected to. Fails when the system gives no shared memory, or the specification
    /// contradicts itself.
    pub fn new(spec: Spec) -> Result<Node, Error> {
        let size = spec.servers.size();
        if size == 0 || spec.told.size() != size {
            return Err(Error(format!("a job of {size} ranks on servers and {} on nodes", spec.told.size())));
        }
        if spec.node >= spec.servers.nodes() {
            return Err(Error(format!("server {} of {}", spec.node, spec.servers.nodes())));
        }
        let fits = |c: u8| c.is_ascii_graphic() && c != b';' && c != b'=';
        if spec.name.is_empty() || spec.name.len() >= wire::KVSNAME_MAX || !spec.name.bytes().all(fits) {
            return Err(Error(format!("\"{}\" cannot be the name of a job", spec.name.escape_debug())));
        }
        let mut store = Store::create(Settings::default()).map_err(|e| Error(e.to_string()))?;
        // Processes read the mapping as they read any other key.
        let mapping = spec.told.to_text();
        store.insert(b"PMI_process_mapping", mapping.as_bytes()).map_err(|e| Error(e.to_string()))?;
        let ranks = spec.servers.ranks_on(spec.node);
        let clients = ranks.iter().flat_map(|&r| [Conn::Rank(r), Conn::Own(r)]);
        let clients = clients.map(|conn| (conn, Client::default())).collect();
        let tree = Tree::new(spec.node, spec.servers.nodes(), spec.arity.max(1));
        Ok(Node {
            ranks,
            tree,
            store,
            outputs: VecDeque::new(),
            clients,
            links: HashMap::new(),
            held: HashMap::new(),
            fences: Default::default(),
            rings: Default::default(),
            gathers: Default::default(),
            asks: Asks::default(),
            names: Names::default(),
            exchanges: Exchanges::default(),
            stats: Stats::default(),
            spec,
        })
    }

    /// The ranks of this node, ascending.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// The server to connect to; `None`: this is the root.
    pub fn parent(&self) -> Option<u32> {
        self.tree.parent()
    }

    /// The servers that will connect to this one.
    pub fn children(&self) -> Range<u32> {
        self.tree.children()
    }

    /// What processes inherit to read the store, in this order. Read-only, the same for all of them and for the whole
    /// job. Empty: the store is not offered.
    pub fn shared(&self) -> Vec<BorrowedFd<'_>> {
        if !self.spec.share {
            return Vec::new();
        }
        self.store
            .descriptors()
            .map_or_else(Vec::new, |(table, kvs)| [Some(table), kvs].into_iter().flatten().collect())
    }

    /// What a process of this node finds in its environment, beside what the launcher adds of its own.
    pub fn environment(&self, rank: u32, fds: &ChildFds) -> Vec<(String, String)> {
        let told = &self.spec.told;
        let near = told.ranks_on(told.node_of(rank));
        let local = near.iter().position(|&r| r == rank).unwrap_or(0);
        let mut env = vec![
            ("PMI_FD", fds.pmi.to_string()),
            ("PMI_RANK", rank.to_string()),
            ("PMI_SIZE", told.size().to_string()),
            // Slurm's libpmi2 wants it.
            ("PMI_JOBID", self.spec.name.clone()),
            ("MPI_LOCALNRANKS", near.len().to_string()),
            ("MPI_LOCALRANKID", local.to_string()),
            (client::OWN_FD, fds.own.to_string()),
            (client::PROCESS, client::process_text(rank, told.size(), fds.own, fds.pmi)),
        ];
        // Empty rather than absent: in a job inside a job the outer one's would be seen.
        let numbers: Vec<String> = fds.shared.iter().map(ToString::to_string).collect();
        let offered = !numbers.is_empty();
        let shared = if offered { format!("{}:{:032x}", numbers.join(","), self.store.id()) } else { String::new() };
        env.push((client::SHARED, shared));
        env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What has been served so far.
    pub fn stats(&self) -> Stats {
        Stats { pairs: self.store.len() as u64, ..self.stats }
    }

    /// The next thing to do, in order.
    pub fn output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// An authenticated neighbour in the tree is connected.
    pub fn joined(&mut self, conn: Conn) {
        let expected = match conn {
            Conn::Parent => self.parent().is_some(),
            Conn::Child(node) => self.children().contains(&node),
            Conn::Rank(_) | Conn::Own(_) => false,
        };
        if !expected || self.links.contains_key(&conn) {
            self.broken(conn, "is no neighbour of this server, or joined before".to_owned());
            return;
        }
        self.links.insert(conn, Inbox::default());
        if let Some(bytes) = self.held.remove(&conn) {
            self.outputs.push_back(Output::Send(conn, bytes));
        }
        // A server without ranks of its own has nothing else that makes it begin.
        for side in [Side::Pmi, Side::Own] {
            self.pass_fence(side);
        }
    }

    /// Bytes that arrived on a connection.
    pub fn input(&mut self, conn: Conn, bytes: &[u8]) {
        let result = match conn {
            Conn::Rank(_) | Conn::Own(_) => self.hear_client(conn, bytes),
            Conn::Parent | Conn::Child(_) => self.hear_server(conn, bytes),
        };
        if let Err(Malformed(what)) = result {
            self.broken(conn, what);
        }
    }

    /// The connection has ended at the other side.
    pub fn gone(&mut self, conn: Conn) {
        match self.clients.get_mut(&conn) {
            Some(client) if !client.gone => {
                client.gone = true;
                if client.active && !client.finalized {
                    self.event(Event::Lost(conn));
                }
            }
            Some(_) => {}
            None => {
                if self.links.remove(&conn).is_some() {
                    self.event(Event::Lost(conn));
                }
            }
        }
    }

    /// The other side broke the protocol: it is not listened to any more.
    pub(super) fn broken(&mut self, conn: Conn, what: String) {
        if let Some(client) = self.clients.get_mut(&conn) {
            client.gone = true;
        }
        self.links.remove(&conn);
        self.event(Event::Broken { conn, what });
        self.outputs.push_back(Output::Close(conn));
    }

    pub(super) fn event(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }

    pub(super) fn root(&self) -> bool {
        self.spec.node == 0
    }

    pub(super) fn reply(&mut self, conn: Conn, form: &Form, reply: &Reply) {
        self.raw(conn, encode(reply, form));
    }

    /// Bytes for a process; dropped when it is gone.
    pub(super) fn raw(&mut self, conn: Conn, bytes: Vec<u8>) {
        if self.clients.get(&conn).is_some_and(|c| !c.gone) {
            self.outputs.push_back(Output::Send(conn, bytes));
        }
    }

    /// A message for a neighbour; kept until it joins.
    pub(super) fn tell(&mut self, conn: Conn, message: &Message) {
        let bytes = message.encode();
        self.stats.sent += 1;
        self.stats.sent_bytes += bytes.len() as u64;
        if self.links.contains_key(&conn) {
            self.outputs.push_back(Output::Send(conn, bytes));
        } else {
            self.held.entry(conn).or_default().extend(bytes);
        }
    }

    /// The neighbour through which a server is reached; `None`: it is this one.
    pub(super) fn toward(&self, server: u32) -> Option<Conn> {
        let next = self.tree.towards(server)?;
        Some(if Some(next) == self.tree.parent() { Conn::Parent } else { Conn::Child(next) })
    }

    fn hear_server(&mut self, conn: Conn, bytes: &[u8]) -> Result<(), Malformed> {
        let Some(inbox) = self.links.get_mut(&conn) else {
            return Ok(());
        };
        inbox.push(bytes);
        while let Some(inbox) = self.links.get_mut(&conn) {
            let Some(message) = inbox.take()? else {
                break;
            };
            self.message(conn, message)?;
        }
        Ok(())
    }

    fn message(&mut self, conn: Conn, message: Message) -> Result<(), Malformed> {
        let from_above = conn == Conn::Parent;
        match message {
            Message::Put { key, value } => self.put_sparse(key, value).map_err(|e| Malformed(e.to_string())),
            Message::Ask { key, wait } => {
                self.get(super::ask::Waiter::Server(conn), key, wait);
                Ok(())
            }
            Message::Tell { key, wait, value } => {
                self.told(&key, wait, value);
                Ok(())
            }
            Message::Up { side, fence, pairs } if !from_above => self.fence_from_below(conn, side, fence, pairs),
            Message::Down { side, fence, pairs } if from_above => self.fence_from_above(side, fence, pairs),
            Message::AskName { id, act, service, port } if !from_above => {
                self.ask_name(super::names::Asker::Server(conn, id), act, service, port);
                Ok(())
            }
            Message::TellName { id, result } if from_above => {
                self.name_told(id, result);
                Ok(())
            }
            Message::RingUp { side, count, left, right } if !from_above => {
                self.ring_from_below(conn, side, count, left, right)
            }
            Message::RingDown { side, count, left, right } if from_above => {
                self.ring_done(side, count, left, right);
                Ok(())
            }
            Message::GatherUp { side, values } if !from_above => self.gather_from_below(conn, side, values),
            Message::GatherDown { side, values } if from_above => self.gather_done(side, values),
            Message::ExchangeUp { key, among, data } => match conn {
                Conn::Child(child) => self.exchange_from_below(child, key, among, data),
                _ => Err(Malformed("an exchange that goes the other way".to_owned())),
            },
            Message::ExchangeDown { key, among, data } if from_above => self.exchange_from_above(key, among, data),
            letter @ Message::Letter { .. } => self.letter_came(letter),
            other => Err(Malformed(format!("a message that goes the other way: {other:.40?}"))),
        }
    }

    fn hear_client(&mut self, conn: Conn, bytes: &[u8]) -> Result<(), Malformed> {
        let live = |c: &&mut Client| !c.gone;
        let Some(client) = self.clients.get_mut(&conn).filter(live) else {
            return Ok(());
        };
        client.splitter.push(bytes);
        if !client.active {
            client.active = true;
            self.event(Event::Active(conn));
        }
        while let Some(client) = self.clients.get_mut(&conn).filter(live) {
            let Some(message) = client.splitter.take()? else {
                break;
            };
            let (request, form) = match message {
                Incoming::Line(line) => (wire::request_from_line(&line)?, Form::Line),
                Incoming::Frame(frame) => {
                    let (request, thrid) = wire::request_from_frame(&frame)?;
                    (request, Form::Frame(thrid))
                }
            };
            self.request(conn, form, request);
        }
        Ok(())
    }

    fn request(&mut self, conn: Conn, form: Form, request: Request) {
        let (rank, side) = match conn {
            Conn::Own(rank) => (rank, Side::Own),
            Conn::Rank(rank) => (rank, Side::Pmi),
            Conn::Child(_) | Conn::Parent => return,
        };
        let size = self.spec.servers.size();
        // Who goes on after its goodbye is another client of the same process, and is missed again.
        if let Some(client) = self.clients.get_mut(&conn) {
            let again = client.finalized && request != Request::Finalize;
            client.finalized = request == Request::Finalize;
            if again {
                self.event(Event::Active(conn));
            }
        }
        let reply = match request {
            Request::Init { version, subversion } => init(version, subversion),
            Request::InitAck { .. } => Reply::InitAck { size, rank },
            Request::Maxes => Reply::Maxes { space: wire::KVSNAME_MAX, key: wire::KEY_MAX, value: wire::VALUE_MAX },
            Request::Appnum => Reply::Appnum(self.appnum(rank)),
            Request::Universe => Reply::Universe(self.spec.universe.map_or(-1, i64::from)),
            Request::SpaceName => Reply::SpaceName(self.spec.name.clone().into_bytes()),
            // Who the client is, the connection says.
            Request::FullInit { .. } => {
                Reply::FullInit { rank, size, appnum: self.appnum(rank), spawner: None, epoch: self.epoch() }
            }
            Request::JobId => Reply::JobId(self.spec.name.clone().into_bytes()),
            Request::JobAttr { key } => Reply::JobAttr(self.attribute(&key)),
            Request::Put(put) => Reply::Put(self.put(side, put)),
            Request::Get { key, wait, .. } => {
                self.stats.gets += 1;
                return self.get(super::ask::Waiter::Process(conn, form), key, wait);
            }
            Request::Fence => return self.enter_fence(conn, form, side),
            Request::NodePut { key, value } => return self.node_put(conn, form, key, value),
            Request::NodeGet { key, wait } => return self.node_get(conn, form, key, wait),
            Request::Name { act, service, port } => {
                return self.ask_name(super::names::Asker::Process(conn, form), act, service, port);
            }
            Request::Ring { count, left, right } => return self.enter_ring(conn, form, side, count, left, right),
            Request::Allgather { value, slot } => return self.enter_gather(conn, form, side, value, slot),
            Request::Spawn { more: true } => return,
            Request::Spawn { more: false } => Reply::Spawn("this launcher starts no further processes".to_owned()),
            Request::Connect { end } => Reply::Connect { end, error: "jobs are not connected here".to_owned() },
            Request::Abort { code, message } => {
                let message = String::from_utf8_lossy(&message).into_owned();
                return self.event(Event::Abort { rank, code, message });
            }
            Request::Finalize => {
                self.reply(conn, &form, &Reply::Finalize);
                return self.event(Event::Finalized(conn));
            }
            Request::Unknown(cmd) => Reply::Unknown(cmd),
        };
        self.reply(conn, &form, &reply);
    }

    /// Fences so far, for clients that can read the store.
    pub(super) fn epoch(&self) -> Option<u64> {
        self.spec.share.then(|| self.store.fences())
    }

    fn appnum(&self, rank: u32) -> i32 {
        let begun = self.spec.programs.iter().take_while(|&&first| first <= rank).count();
        i32::try_from(begun.saturating_sub(1)).unwrap_or(0)
    }

    fn attribute(&self, key: &[u8]) -> Option<Vec<u8>> {
        match key {
            b"PMI_process_mapping" => Some(self.spec.told.to_text().into_bytes()),
            b"universeSize" => self.spec.universe.map(|n| n.to_string().into_bytes()),
            b"hasNameServ" => Some(b"TRUE".to_vec()),
            _ => None,
        }
    }

    fn put(&mut self, side: Side, put: Put) -> Result<(), String> {
        self.stats.puts += 1;
        let Put { key, value, hint, .. } = put;
        if key.is_empty() || key.len() > KEY_MAX {
            return Err(format!("a key of {} bytes: 1 to {KEY_MAX} are possible", key.len()));
        }
        if value.len() > VALUE_MAX {
            return Err(format!("a value of {} bytes: at most {VALUE_MAX} are possible", value.len()));
        }
        if hint == Hint::Sparse {
            return self.put_sparse(key, value).map_err(|e| e.to_string());
        }
        self.fences[side as usize].stage(&key, &value);
        self.wake(&key, &value);
        Ok(())
    }
}

fn init(version: u32, subversion: u32) -> Reply {
    match version {
        // 1.1 also to those who ask for 1.2: what that adds is not here.
        1 => Reply::Init { version: 1, subversion: 1, rc: 0 },
        2 => Reply::Init { version: 2, subversion: 0, rc: 0 },
        _ => Reply::Init { version, subversion, rc: -1 },
    }
}
