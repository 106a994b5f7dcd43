//! The state of a server: who is connected, and what each request and message does.

use super::channel::{Message, Side};
use super::client::{Client, Form, UNSENT, encode};
use super::exchange::Exchanges;
use super::fence::Fence;
use super::get::{Gets, Waiter};
use super::tree::Tree;
use super::{ChildFds, Conn, Event, Output, Spec, Stats};
use crate::client;
use crate::error::Error;
use crate::frame::{self, Inbox};
use crate::kvs::{KEY_MAX, Store, VALUE_MAX};
use crate::wire::{self, Incoming, Malformed, Put, Reply, Request};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Range;
use std::os::fd::BorrowedFd;

/// The server of one node. The module's documentation says how to run it.
pub struct Server {
    pub(super) spec: Spec,
    ranks: Vec<u32>,
    pub(super) tree: Tree,
    pub(super) store: Store,
    outputs: VecDeque<Output>,
    clients: HashMap<Conn, Client>,
    /// Processes with requests that were read and not looked at, because replies to them have to be sent first.
    left: BTreeSet<Conn>,
    /// Neighbours in the tree that are connected.
    peers: HashMap<Conn, Inbox>,
    /// What neighbours will be sent when they are connected.
    unsent: HashMap<Conn, Vec<u8>>,
    pub(super) fences: [Fence; 2],
    pub(super) gets: Gets,
    pub(super) exchanges: Exchanges,
    pub(super) stats: Stats,
}

impl Server {
    /// A server without connections. Fails when the system gives no memory, or the specification contradicts itself.
    pub fn new(spec: Spec) -> Result<Server, Error> {
        let size = spec.servers.size();
        if size == 0 || spec.told.size() != size {
            return Err(Error::Spec(format!("{size} ranks on servers and {} on nodes", spec.told.size())));
        }
        if spec.node >= spec.servers.nodes() {
            return Err(Error::Spec(format!("server {} of {}", spec.node, spec.servers.nodes())));
        }
        let fits = |c: u8| c.is_ascii_graphic() && c != b';' && c != b'=';
        if spec.name.is_empty() || spec.name.len() >= wire::KVSNAME_MAX || !spec.name.bytes().all(fits) {
            return Err(Error::Spec(format!("\"{}\" cannot be the name of a job", spec.name.escape_debug())));
        }
        let mut store = Store::create().map_err(|e| Error::Store(e.to_string()))?;
        // Processes read the mapping like any other key. If no reply can carry it, no process finds it: those that can
        // open the store do not differ from others.
        let mapping = spec.told.to_text();
        if wire::fits_reply(mapping.as_bytes()) {
            store.insert(b"PMI_process_mapping", mapping.as_bytes()).map_err(|e| Error::Store(e.to_string()))?;
        }
        let ranks = spec.servers.ranks_on(spec.node);
        let clients = ranks.iter().flat_map(|&r| [Conn::Rank(r), Conn::Own(r)]);
        let clients = clients.map(|conn| (conn, Client::default())).collect();
        let tree = Tree::new(spec.node, spec.servers.nodes(), spec.arity.max(1));
        Ok(Server {
            ranks,
            tree,
            store,
            outputs: VecDeque::new(),
            clients,
            left: BTreeSet::new(),
            peers: HashMap::new(),
            unsent: HashMap::new(),
            fences: Default::default(),
            gets: Gets::default(),
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

    /// The descriptor through which processes read the store. It is for reading only and does not change during the
    /// job. `None`: the store is not offered.
    pub fn shared(&self) -> Option<BorrowedFd<'_>> {
        self.store.descriptor().filter(|_| self.spec.share)
    }

    /// The variables of a process of this node. The launcher may add others.
    pub fn environment(&self, rank: u32, fds: &ChildFds) -> Vec<(String, String)> {
        let told = &self.spec.told;
        let on_node = told.ranks_on(told.node_of(rank));
        let local = on_node.iter().position(|&r| r == rank).unwrap_or(0);
        let mut env = vec![
            ("PMI_FD", fds.pmi.to_string()),
            ("PMI_RANK", rank.to_string()),
            ("PMI_SIZE", told.size().to_string()),
            // Slurm's libpmi2 needs it.
            ("PMI_JOBID", self.spec.name.clone()),
            ("MPI_LOCALNRANKS", on_node.len().to_string()),
            ("MPI_LOCALRANKID", local.to_string()),
            (client::OWN_FD, fds.own.to_string()),
            (client::PROCESS, client::process_text(rank, told.size(), fds.own, fds.pmi)),
        ];
        // Empty rather than absent: in a job inside a job the outer job's value would be seen.
        let shared = fds.shared.map(|fd| format!("{fd}:{:032x}", self.store.id()));
        env.push((client::SHARED, shared.unwrap_or_default()));
        env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What has been served so far.
    pub fn stats(&self) -> Stats {
        Stats { pairs: self.store.count() as u64, ..self.stats }
    }

    /// The next thing to do.
    pub fn output(&mut self) -> Option<Output> {
        let output = self.outputs.pop_front()?;
        if let Output::Send(conn, bytes) = &output
            && let Some(client) = self.clients.get_mut(conn)
        {
            client.unsent -= bytes.len();
        }
        Some(output)
    }

    /// Processes some of whose requests were not looked at, because many replies to them waited to be sent. When the
    /// replies are sent, [`Server::input`] without bytes goes on.
    pub fn left(&self) -> Vec<Conn> {
        self.left.iter().copied().collect()
    }

    /// An authenticated neighbour in the tree has connected.
    pub fn connected(&mut self, conn: Conn) {
        let expected = match conn {
            Conn::Parent => self.parent().is_some(),
            Conn::Child(node) => self.children().contains(&node),
            Conn::Rank(_) | Conn::Own(_) => false,
        };
        if !expected || self.peers.contains_key(&conn) {
            self.protocol_error(conn, "is no neighbour of this server, or joined before".to_owned());
            return;
        }
        self.peers.insert(conn, Inbox::default());
        if let Some(bytes) = self.unsent.remove(&conn) {
            self.outputs.push_back(Output::Send(conn, bytes));
        }
        // A server without ranks enters its first fence here; nothing else makes it do so.
        for side in [Side::Pmi, Side::Own] {
            self.advance_fence(side);
        }
    }

    /// Bytes that arrived on a connection.
    pub fn input(&mut self, conn: Conn, bytes: &[u8]) {
        let result = match conn {
            Conn::Rank(_) | Conn::Own(_) => self.client_input(conn, bytes),
            Conn::Parent | Conn::Child(_) => self.peer_input(conn, bytes),
        };
        if let Err(Malformed(what)) = result {
            self.protocol_error(conn, what);
        }
    }

    /// The other side has closed the connection.
    pub fn closed(&mut self, conn: Conn) {
        match self.clients.get_mut(&conn) {
            Some(client) if !client.closed => {
                client.closed = true;
                self.left.remove(&conn);
                if client.active && !client.finalized {
                    self.event(Event::Lost(conn));
                }
            }
            Some(_) => {}
            None => {
                if self.peers.remove(&conn).is_some() {
                    self.event(Event::Lost(conn));
                }
            }
        }
    }

    /// The other side has broken the protocol. Nothing is read from it any more.
    pub(super) fn protocol_error(&mut self, conn: Conn, what: String) {
        if let Some(client) = self.clients.get_mut(&conn) {
            client.closed = true;
        }
        self.left.remove(&conn);
        self.peers.remove(&conn);
        self.event(Event::ProtocolError { conn, what });
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

    /// Sends bytes to a process, unless its connection is closed.
    pub(super) fn raw(&mut self, conn: Conn, bytes: Vec<u8>) {
        if let Some(client) = self.clients.get_mut(&conn).filter(|c| !c.closed) {
            client.unsent += bytes.len();
            self.outputs.push_back(Output::Send(conn, bytes));
        }
    }

    /// Sends a message to a neighbour. It is kept until the neighbour is connected.
    pub(super) fn send(&mut self, conn: Conn, message: &Message) {
        let bytes = frame::encode(message);
        self.stats.sent += 1;
        self.stats.sent_bytes += bytes.len() as u64;
        if self.peers.contains_key(&conn) {
            self.outputs.push_back(Output::Send(conn, bytes));
        } else {
            self.unsent.entry(conn).or_default().extend(bytes);
        }
    }

    /// The neighbour through which a server is reached. `None`: it is this server.
    pub(super) fn toward(&self, server: u32) -> Option<Conn> {
        let next = self.tree.towards(server)?;
        Some(if Some(next) == self.tree.parent() { Conn::Parent } else { Conn::Child(next) })
    }

    fn peer_input(&mut self, conn: Conn, bytes: &[u8]) -> Result<(), Malformed> {
        let Some(inbox) = self.peers.get_mut(&conn) else {
            return Ok(());
        };
        inbox.push(bytes);
        while let Some(inbox) = self.peers.get_mut(&conn) {
            let taken = inbox.take().map_err(|e| Malformed(format!("{e} between servers")))?;
            let Some(message) = taken else {
                break;
            };
            self.message(conn, message)?;
        }
        Ok(())
    }

    fn message(&mut self, conn: Conn, message: Message) -> Result<(), Malformed> {
        let from_above = conn == Conn::Parent;
        match message {
            Message::Get { key, wait, source } => {
                self.get(Waiter::Server(conn, source), key, wait, Some(source));
                Ok(())
            }
            Message::GetReply { key, wait, source, value } => {
                self.get_reply(key, wait, source, value);
                Ok(())
            }
            Message::ExchangeUp { key, members, data } => match conn {
                Conn::Child(child) => self.exchange_from_below(child, key, members, data),
                _ => Err(Malformed("an exchange that goes the other way".to_owned())),
            },
            Message::ExchangeDown { key, members, data } if from_above => self.exchange_from_above(key, members, data),
            Message::Direct { to, from, data } => self.forward_from_peer(to, from, data),
            other => Err(Malformed(format!("a message that goes the other way: {other:.40?}"))),
        }
    }

    fn client_input(&mut self, conn: Conn, bytes: &[u8]) -> Result<(), Malformed> {
        let live = |c: &&mut Client| !c.closed;
        let Some(client) = self.clients.get_mut(&conn).filter(live) else {
            return Ok(());
        };
        client.splitter.push(bytes);
        if !client.active {
            client.active = true;
            self.event(Event::Active(conn));
        }
        self.left.remove(&conn);
        while let Some(client) = self.clients.get_mut(&conn).filter(live) {
            if client.unsent > UNSENT {
                self.left.insert(conn);
                break;
            }
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
        // A request after a goodbye comes from another client in the same process, which becomes active again. But a
        // table may come from a thread of the client that has said goodbye.
        if let Some(client) = self.clients.get_mut(&conn)
            && !matches!(request, Request::Table { .. })
        {
            let again = client.finalized && request != Request::Finalize;
            client.finalized = request == Request::Finalize;
            if again {
                self.event(Event::Active(conn));
            }
        }
        let reply = match request {
            Request::Init { version, subversion } => init(version, subversion),
            Request::Maxes => Reply::Maxes { space: wire::KVSNAME_MAX, key: wire::KEY_MAX, value: wire::VALUE_MAX },
            Request::Appnum => Reply::Appnum(self.appnum(rank)),
            Request::Universe => Reply::Universe(self.spec.universe.map_or(-1, i64::from)),
            Request::SpaceName => Reply::SpaceName(self.spec.name.clone().into_bytes()),
            // The connection tells who the client is.
            Request::FullInit => Reply::FullInit { rank, size, appnum: self.appnum(rank) },
            Request::JobId => Reply::JobId(self.spec.name.clone().into_bytes()),
            Request::JobAttr { key } => Reply::JobAttr(self.attribute(&key)),
            Request::Put(put) => Reply::Put(self.put(side, put)),
            Request::Get { key, source, wait, .. } => {
                self.stats.gets += 1;
                return self.get(Waiter::Process(conn, form), key, wait, source);
            }
            Request::Fence => return self.enter_fence(conn, form, side),
            Request::NodePut { key, value } => return self.node_put(conn, form, key, value),
            Request::NodeGet { key, wait } => return self.node_get(conn, form, key, wait),
            Request::Spawn { more: true } => return,
            Request::Spawn { more: false } => Reply::Spawn(
                "spawn is not supported, no process can be added to a job: start all with -n N A : -n M B".to_owned(),
            ),
            Request::Abort { code, message } => {
                let message = String::from_utf8_lossy(&message).into_owned();
                return self.event(Event::Abort { rank, code, message });
            }
            Request::Table { head, rows } => {
                let [head, rows] = [head, rows].map(|text| String::from_utf8_lossy(&text).into_owned());
                return self.event(Event::Table { head, rows });
            }
            Request::Finalize => {
                self.reply(conn, &form, &Reply::Finalize);
                return self.event(Event::Finalized(conn));
            }
            Request::Unknown(cmd) => Reply::Unknown(cmd),
        };
        self.reply(conn, &form, &reply);
    }

    fn appnum(&self, rank: u32) -> i32 {
        let begun = self.spec.programs.iter().take_while(|&&first| first <= rank).count();
        i32::try_from(begun.saturating_sub(1)).unwrap_or(0)
    }

    fn attribute(&self, key: &[u8]) -> Option<Vec<u8>> {
        match key {
            b"PMI_process_mapping" => Some(self.spec.told.to_text().into_bytes()),
            b"universeSize" => self.spec.universe.map(|n| n.to_string().into_bytes()),
            _ => None,
        }
    }

    fn put(&mut self, side: Side, put: Put) -> Result<(), String> {
        self.stats.puts += 1;
        let Put { key, value, here, .. } = put;
        if key.is_empty() || key.len() > KEY_MAX {
            return Err(format!("a key of {} bytes: 1 to {KEY_MAX} are possible", key.len()));
        }
        // What a process finds in the store, others must be able to ask for.
        const { assert!(wire::MESSAGE_MAX <= VALUE_MAX, "the store takes what a reply can carry") };
        if !wire::fits_reply(&value) {
            let most = wire::MESSAGE_MAX;
            return Err(format!("a value of {} bytes: its reply would be longer than {most} bytes", value.len()));
        }
        if here {
            return self.put_here(&key, &value).map_err(|e| e.to_string());
        }
        self.fences[side as usize].stage(&key, &value);
        self.wake(&key, &value);
        Ok(())
    }
}

fn init(version: u32, subversion: u32) -> Reply {
    match version {
        // Clients that ask for 1.2 get 1.1 too: what 1.2 adds is not implemented.
        1 => Reply::Init { version: 1, subversion: 1, rc: 0 },
        2 => Reply::Init { version: 2, subversion: 0, rc: 0 },
        _ => Reply::Init { version, subversion, rc: -1 },
    }
}
