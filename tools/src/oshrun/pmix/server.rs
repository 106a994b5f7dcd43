//! The PMIx server of one node.
//!
//! The library does by itself what processes on one node want of each other. The rest goes along the tree of node
//! servers: a fence is an exchange among the servers whose ranks take part, and a request for a rank's values is a
//! message to that rank's server. So a fence moves each byte once up and once down the tree, and a node holds one copy
//! of it, in the library.

use super::JobEvent;
use super::ffi::{Given, Infos, Library};
use super::maps;
use super::need::SETTINGS;
use super::upcalls::{self, Answer, Member, Upcall};
use crate::plan::Plan;
use anyhow::{Context, Result, anyhow};
use pmi_shm::pmix::data::{ERROR, LOST_CONNECTION, NOT_FOUND, Proc, SUCCESS, Status};
use pmi_shm::server::Server;
use pmi_shm::wire::NodeMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::os::fd::BorrowedFd;
use std::path::PathBuf;

/// A message between the PMIx servers of two nodes.
#[derive(Serialize, Deserialize)]
enum PeerMessage {
    /// Asks for the values of `rank`, which is on the receiver's node. The answer carries the same `number`.
    Modex {
        number: usize,
        rank: u32,
    },
    Answer {
        number: usize,
        status: Status,
        data: Vec<u8>,
    },
}

/// One server's part of the data that servers exchange when ranks make a group, as MPI sessions do.
#[derive(Serialize, Deserialize)]
struct Part {
    node: u32,
    /// A number that differs for each group of this server.
    number: u32,
    #[serde(with = "serde_bytes")]
    data: Vec<u8>,
}

/// The server of this process; there can be only one.
///
/// It ends with the process and never by `PMIx_server_finalize`, which waits for locks in memory that the library
/// shares with its clients: a client that was killed holds its lock for ever.
pub struct PmixServer {
    library: Library,
    nspace: String,
    /// For files of processes.
    pub dir: PathBuf,
    node: u32,
    /// The node of each rank, as blocks.
    map: NodeMap,
    /// Readable while [`PmixServer::serve`] has something to do.
    pub wakeup: BorrowedFd<'static>,
    /// Ranks that use PMIx and have not finalised it.
    pub active: HashSet<u32>,
    /// The answers that wait for an exchange, by its key.
    exchanges: HashMap<Vec<u8>, Answer>,
    /// The members of groups that are being made, by the same key.
    groups: HashMap<Vec<u8>, Vec<u32>>,
    /// The answers that wait for another server, by the number of the message.
    requests: HashMap<usize, Answer>,
    /// Other servers' requests that the library has not answered: node and number, by the number of this server.
    received: HashMap<usize, (u32, usize)>,
    next: usize,
}

impl PmixServer {
    pub fn start(library: Library, dir: PathBuf, plan: &Plan, node: u32) -> Result<PmixServer> {
        let wakeup = upcalls::wakeup().context("cannot make an event descriptor")?;
        let nspace = nspace(plan);
        let text = |text: &str| Given::Text(text.to_string());
        let place = dir.to_string_lossy();
        let hosts = maps::hosts(plan)?;
        let given = [
            ("pmix.srv.nspace", Given::Text(format!("{nspace}-server"))),
            ("pmix.srv.rank", Given::Rank(node)),
            ("pmix.srvr.tmpdir", text(&place)),
            ("pmix.sys.tmpdir", text(&place)),
            ("pmix.hname", text(&hosts[node as usize])),
        ];
        library.init(upcalls::module(), &mut Infos::new(&given)?)?;
        library.register_event(LOST_CONNECTION, upcalls::lost)?;
        let lists = maps::Lists {
            host: hosts[node as usize].clone(),
            hosts: library.host_list(&hosts.join(","))?,
            ranks: library.rank_list(&maps::ranks(plan))?,
        };
        let local = plan.ranks_on(node);
        let mut job = Infos::new(&maps::job(plan, node, &nspace, &dir, lists))?;
        library.register_nspace(&nspace, local.len() as u32, &mut job)?;
        let (uid, gid) = (nix::unistd::getuid().as_raw(), nix::unistd::getgid().as_raw());
        for rank in local {
            library.register_client(&Proc::new(&nspace, rank), uid, gid)?;
        }
        Ok(PmixServer {
            library,
            nspace,
            dir,
            node,
            map: plan.map.clone(),
            wakeup,
            active: HashSet::new(),
            exchanges: HashMap::new(),
            groups: HashMap::new(),
            requests: HashMap::new(),
            received: HashMap::new(),
            next: 0,
        })
    }

    pub fn environment(&self, rank: u32) -> Result<Vec<(String, String)>> {
        self.library.setup_fork(&Proc::new(&self.nspace, rank))
    }

    /// Does what processes want. `joined`: the ranks that have joined the job, in any way.
    pub fn serve(&mut self, server: &mut Server, joined: &mut HashSet<u32>, events: &mut Vec<JobEvent>) {
        for call in upcalls::take() {
            match call {
                Upcall::Connected(rank) => {
                    self.active.insert(rank);
                    events.extend(joined.is_empty().then_some(JobEvent::Joined));
                    joined.insert(rank);
                }
                Upcall::Finalized(rank) => drop(self.active.remove(&rank)),
                Upcall::Lost(rank) if self.active.contains(&rank) => events.push(JobEvent::Lost(rank)),
                Upcall::Lost(_) => {}
                Upcall::Abort { rank, code, message } => {
                    // Open MPI writes this if it has no message.
                    let message = if message == "N/A" { String::new() } else { message };
                    events.push(JobEvent::Abort { rank, code, message });
                }
                Upcall::Fence { who, data, answer } => self.exchange(&who, None, data, answer, server),
                Upcall::Group { name, make, who, data, answer } => {
                    let number = self.number();
                    let key = [if make { NEW_GROUP } else { OLD_GROUP }, &name[..]].concat();
                    if make {
                        self.groups.insert(key.clone(), self.ranks(&who));
                    }
                    let part = Part { node: self.node, number: number as u32, data };
                    self.exchange(&who, Some(key), plain(&part), answer, server);
                }
                Upcall::Modex { who, answer } => self.modex(*who, answer, server),
                Upcall::Published { number, status, data } => {
                    if let Some((to, number)) = self.received.remove(&number) {
                        send(server, to, &PeerMessage::Answer { number, status, data });
                    }
                }
            }
        }
    }

    /// Begins an exchange of `data` among the members' servers. Without a `key` the members are the key.
    fn exchange(&mut self, who: &[Member], key: Option<Vec<u8>>, data: Vec<u8>, answer: Answer, server: &mut Server) {
        let (members, servers) = match participants(who.iter().map(|m| m.rank(&self.nspace)), &self.map) {
            Ok(found) => found,
            Err(status) => return answer.give(status, Vec::new()),
        };
        let key = key.unwrap_or(members);
        match server.exchange(key.clone(), &servers, data) {
            Ok(()) => drop(self.exchanges.insert(key, answer)),
            Err(_) => answer.give(ERROR, Vec::new()),
        }
    }

    /// The ranks of the members, in order.
    fn ranks(&self, who: &[Member]) -> Vec<u32> {
        let all = 0..self.map.size();
        let one = |m: &Member| match m.rank(&self.nspace) {
            Ok(Some(rank)) => rank..rank + 1,
            Ok(None) => all.clone(),
            Err(_) => 0..0,
        };
        who.iter().flat_map(one).collect()
    }

    /// All servers have entered an exchange, and these are their data.
    pub fn exchanged(&mut self, key: &[u8], data: Vec<u8>) {
        let Some(answer) = self.exchanges.remove(key) else { return };
        if !key.starts_with(NEW_GROUP) {
            return answer.give(SUCCESS, data);
        }
        let Some((number, data)) = join(&data) else { return answer.give(ERROR, Vec::new()) };
        let members = self.groups.remove(key).unwrap_or_default();
        let members = members.into_iter().map(|rank| Proc::new(&self.nspace, rank)).collect();
        let mut infos = vec![("pmix.grp.ctxid", Given::Size(number)), ("pmix.grp.mbrs", Given::Processes(members))];
        if !data.is_empty() {
            infos.push(("pmix.grp.endpt", Given::Bytes(data)));
        }
        match Infos::new(&infos) {
            Ok(infos) => answer.give_infos(infos),
            Err(_) => answer.give(ERROR, Vec::new()),
        }
    }

    fn modex(&mut self, who: Member, answer: Answer, server: &mut Server) {
        let of_job = |rank: Option<u32>| rank.filter(|&rank| rank < self.map.size()).ok_or(NOT_FOUND);
        match who.rank(&self.nspace).and_then(of_job) {
            Err(status) => answer.give(status, Vec::new()),
            Ok(rank) => {
                let to = self.map.node_of(rank);
                let number = self.number();
                self.requests.insert(number, answer);
                send(server, to, &PeerMessage::Modex { number, rank });
            }
        }
    }

    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// Handles a message of the server of node `from`.
    pub fn message(&mut self, from: u32, bytes: &[u8], server: &mut Server) -> Result<()> {
        match postcard::from_bytes(bytes)
            .map_err(|e| anyhow!("a message of another PMIx server cannot be read: {e}"))?
        {
            PeerMessage::Modex { number, rank } => {
                let own = self.number();
                self.received.insert(own, (from, number));
                let process = Proc::new(&self.nspace, rank);
                if self.library.dmodex_request(&process, upcalls::published, own as *mut _).is_err() {
                    self.received.remove(&own);
                    send(server, from, &PeerMessage::Answer { number, status: NOT_FOUND, data: Vec::new() });
                }
            }
            PeerMessage::Answer { number, status, data } => {
                if let Some(answer) = self.requests.remove(&number) {
                    answer.give(status, data);
                }
            }
        }
        Ok(())
    }
}

/// Loads the first of the libraries that can be loaded. An error is why the first one cannot.
pub fn open(plan: &Plan, libraries: &[PathBuf]) -> Result<Library> {
    prepare_environment(plan);
    let mut first = None;
    for path in libraries {
        match Library::open(path) {
            Ok(library) => return Ok(library),
            Err(e) => drop(first.get_or_insert(e)),
        }
    }
    Err(first.expect("one library is named at least"))
}

fn send(server: &mut Server, to: u32, message: &PeerMessage) {
    server.send_message(to, plain(message));
}

fn plain(message: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).expect("our messages have a plain form")
}

/// The number of a group, and the data of all servers, one after the other. The number is made from the lowest node and
/// that server's number, so it is the same on all servers and differs from other groups' numbers.
fn join(mut parts: &[u8]) -> Option<(usize, Vec<u8>)> {
    let (mut all, mut lowest) = (Vec::new(), None);
    while !parts.is_empty() {
        let (Part { node, number, data }, rest) = postcard::take_from_bytes(parts).ok()?;
        all.extend(data);
        lowest = Some(lowest.map_or((node, number), |l: (u32, u32)| l.min((node, number))));
        parts = rest;
    }
    lowest.map(|(node, number)| ((node as usize + 1) << 32 | number as usize, all))
}

/// The prefixes of an exchange's key: for making a group, for ending one, and for a fence.
const NEW_GROUP: &[u8] = b"new group ";
const OLD_GROUP: &[u8] = b"old group ";
const FENCE: &[u8] = b"fence ";

/// The key of a fence of these ranks (`None`: of all), and the servers that take part; an empty list means all. Cost:
/// linear in the ranks that are named, times the blocks of the map. So a fence of all ranks needs no list of them.
fn participants(
    who: impl Iterator<Item = Result<Option<u32>, Status>>,
    map: &NodeMap,
) -> Result<(Vec<u8>, Vec<u32>), Status> {
    let mut ranks = BTreeSet::new();
    for rank in who {
        match rank? {
            None => return Ok((FENCE.to_vec(), Vec::new())),
            Some(rank) if rank < map.size() => drop(ranks.insert(rank)),
            Some(_) => return Err(NOT_FOUND),
        }
    }
    if ranks.len() == map.size() as usize {
        return Ok((FENCE.to_vec(), Vec::new()));
    }
    let servers: BTreeSet<u32> = ranks.iter().map(|&r| map.node_of(r)).collect();
    let key = FENCE.iter().copied().chain(ranks.into_iter().flat_map(u32::to_le_bytes));
    Ok((key.collect(), servers.into_iter().collect()))
}

/// The job's name for PMIx. All users of this machine can reach the server's port, and a client must know this name. So
/// a part of it is secret.
fn nspace(plan: &Plan) -> String {
    let number: String = plan.pmix_token.iter().map(|b| format!("{b:02x}")).collect();
    format!("{}_{number}", plan.job)
}

/// Sets up the environment, from which the library reads its settings: the ranks' settings are for the server too.
/// All other variables that begin with `PMIX_` belong to an outer job and are removed.
fn prepare_environment(plan: &Plan) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("PMIX_") {
            // SAFETY: this process has one thread before the library is loaded.
            unsafe { std::env::remove_var(&name) };
        }
    }
    let text = |word: &[u8]| String::from_utf8(word.to_vec()).ok();
    for (name, value) in plan.env.iter().filter_map(|(n, v)| Some((text(n)?, text(v)?))) {
        if name.starts_with(SETTINGS) {
            // SAFETY: as above.
            unsafe { std::env::set_var(name, value) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_has_its_key_and_the_servers_of_its_ranks() {
        let map = NodeMap::of([0, 0, 1, 1, 2, 2]);
        let of = |ranks: &[u32]| participants(ranks.iter().map(|&r| Ok(Some(r))), &map).unwrap();
        let all = (FENCE.to_vec(), Vec::new());
        assert_eq!(of(&[5, 4, 3, 2, 1, 0]), all);
        assert_eq!(participants([Ok(None)].into_iter(), &map).unwrap(), all);
        assert_eq!(of(&[3, 0]).1, [0, 1]);
        assert_eq!(of(&[3, 0]), of(&[0, 3]));
        assert_ne!(of(&[3, 0]).0, of(&[2, 0]).0);
        assert!(participants([Ok(Some(6))].into_iter(), &map).is_err());
        assert!(participants([Err(NOT_FOUND)].into_iter(), &map).is_err());
    }
}
