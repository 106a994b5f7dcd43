//! A client of any PMI-1 server.

use super::link::{Ender, Link, unexpected};
use super::shared;
use crate::job::Error;
use crate::kvs::View;
use crate::wire::{Hint, LINE_MAX, NodeMap, Put, Reply, Request, Service};
use std::env;
use std::os::fd::RawFd;

/// The connection, and what the server said about the job.
pub struct Pmi1 {
    link: Link,
    pub rank: u32,
    pub size: u32,
    /// Name of the key-value space.
    pub space: String,
    pub space_max: usize,
    pub key_max: usize,
    pub value_max: usize,
    /// A fence was begun, its end not yet read.
    fencing: bool,
    /// The node's store, once the server has said that it can be read.
    store: Option<View>,
}

impl Pmi1 {
    /// Over `PMI_FD` or `PMI_PORT`; `None`: neither is set.
    pub fn from_env() -> Option<Result<Pmi1, Error>> {
        if let Some(fd) = env::var_os("PMI_FD") {
            let fd = fd.to_str().and_then(|t| t.trim().parse::<RawFd>().ok());
            return Some(match fd {
                Some(fd) => Pmi1::over_fd(fd, number("PMI_RANK", 0), number("PMI_SIZE", 1)),
                None => Err(Error("PMI_FD is not a number".to_owned())),
            });
        }
        let port = env::var("PMI_PORT").ok()?;
        Some(Pmi1::over_port(&port, env::var("PMI_ID").ok().and_then(|id| id.trim().parse().ok())))
    }

    /// Over a copy of a descriptor; see [`crate::client`] for what that is good for.
    pub fn over_fd(fd: RawFd, rank: u32, size: u32) -> Result<Pmi1, Error> {
        Pmi1::greet(Link::over_copy(fd, "PMI_FD")?, rank, size)
    }

    /// Over TCP. With an id the server tells rank and size.
    pub fn over_port(address: &str, id: Option<u32>) -> Result<Pmi1, Error> {
        let mut link = Link::over_port(address)?;
        let (mut rank, mut size) = (number("PMI_RANK", 0), number("PMI_SIZE", 1));
        if let Some(id) = id {
            match link.line(&Request::InitAck { id })? {
                Reply::InitAck { size: s, rank: r } => (rank, size) = (r, s),
                other => return Err(unexpected("initack", &other)),
            }
        }
        Pmi1::greet(link, rank, size)
    }

    fn greet(mut link: Link, rank: u32, size: u32) -> Result<Pmi1, Error> {
        match link.line(&Request::Init { version: 1, subversion: 1 })? {
            Reply::Init { rc: 0, .. } => {}
            Reply::Init { version, subversion, .. } => {
                return Err(Error(format!("the process manager speaks PMI {version}.{subversion}, not 1.1")));
            }
            other => return Err(unexpected("init", &other)),
        }
        let (space_max, key_max, value_max) = match link.line(&Request::Maxes)? {
            Reply::Maxes { space, key, value } => (space, key, value),
            other => return Err(unexpected("get_maxes", &other)),
        };
        let space = match link.line(&Request::SpaceName)? {
            Reply::SpaceName(name) => String::from_utf8_lossy(&name).into_owned(),
            other => return Err(unexpected("get_my_kvsname", &other)),
        };
        Ok(Pmi1 { link, rank, size, space, space_max, key_max, value_max, fencing: false, store: None })
    }

    fn call(&mut self, request: &Request) -> Result<Reply, Error> {
        // One request may be open at a time: the fence's answer comes first.
        self.end_fence()?;
        self.link.line(request)
    }

    /// How many bytes of value a put under a key of this length can carry, to every reader.
    pub fn room(&self, key_len: usize) -> usize {
        let put = format!("cmd=put kvsname={} key= value=\n", self.space).len() + key_len;
        let get = "cmd=get_result rc=0 msg=success value=\n".len();
        // The announced maximum counts the NUL at the end.
        LINE_MAX.saturating_sub(put.max(get)).min(self.value_max.saturating_sub(1))
    }

    pub fn put(&mut self, space: &str, key: &str, value: &[u8]) -> Result<(), Error> {
        if value.iter().any(|c| matches!(c, b'\n' | 0)) || key.contains(['\n', ' ', '\0']) {
            return Err(Error(format!("\"{}\" cannot be put: PMI-1 has no way to write it", key.escape_debug())));
        }
        let put = Put {
            space: space.as_bytes().to_vec(),
            key: key.as_bytes().to_vec(),
            value: value.to_vec(),
            hint: Hint::Dense,
        };
        match self.call(&Request::Put(put))? {
            Reply::Put(Ok(())) => Ok(()),
            Reply::Put(Err(why)) => Err(Error(format!("the process manager refuses to store \"{key}\": {why}"))),
            other => Err(unexpected("put", &other)),
        }
    }

    /// `None`: there is no such key.
    pub fn get(&mut self, space: &str, key: &str) -> Result<Option<Vec<u8>>, Error> {
        if let Some(Ok(value)) = self.store.as_ref().map(|store| store.value(key.as_bytes())) {
            return Ok(Some(value));
        }
        let (space, key) = (space.as_bytes().to_vec(), key.as_bytes().to_vec());
        match self.call(&Request::Get { space, key, source: None, wait: false })? {
            Reply::Get(value) => Ok(value),
            other => Err(unexpected("get", &other)),
        }
    }

    pub fn begin_fence(&mut self) -> Result<(), Error> {
        self.end_fence()?;
        self.link.send_line(&Request::Fence)?;
        self.fencing = true;
        Ok(())
    }

    /// Waits for the fence that was begun; returns at once when there is none.
    pub fn end_fence(&mut self) -> Result<(), Error> {
        if !self.fencing {
            return Ok(());
        }
        self.fencing = false;
        match self.link.reply()? {
            Reply::Fence { epoch } => {
                // The environment alone may be that of another launcher further up.
                if epoch.is_some() && self.store.is_none() {
                    self.store = shared::store();
                }
                Ok(())
            }
            other => Err(unexpected("barrier_in", &other)),
        }
    }

    pub fn fence(&mut self) -> Result<(), Error> {
        self.begin_fence()?;
        self.end_fence()
    }

    pub fn appnum(&mut self) -> Result<i32, Error> {
        match self.call(&Request::Appnum)? {
            Reply::Appnum(n) => Ok(n),
            other => Err(unexpected("get_appnum", &other)),
        }
    }

    /// -1: the server does not know.
    pub fn universe(&mut self) -> Result<i64, Error> {
        match self.call(&Request::Universe)? {
            Reply::Universe(n) => Ok(n),
            other => Err(unexpected("get_universe_size", &other)),
        }
    }

    /// The port for a look-up, empty for the others.
    pub fn name(&mut self, act: Service, service: &str, port: &str) -> Result<String, Error> {
        let request = Request::Name { act, service: service.as_bytes().to_vec(), port: port.as_bytes().to_vec() };
        match self.call(&request)? {
            Reply::Name { result: Ok(port), .. } => Ok(String::from_utf8_lossy(&port).into_owned()),
            Reply::Name { result: Err(why), .. } => Err(Error(format!("service \"{service}\": {why}"))),
            other => Err(unexpected("the question about a service", &other)),
        }
    }

    /// What the server says about nodes, if it says anything.
    pub fn node_map(&mut self) -> Option<NodeMap> {
        let space = self.space.clone();
        let text = self.get(&space, "PMI_process_mapping").ok()??;
        NodeMap::parse(std::str::from_utf8(&text).ok()?, self.size).ok()
    }

    /// How the server is told to end the job.
    pub fn ender(&self) -> Ender {
        self.link.ender(false)
    }

    /// Ends the connection in order. Errors say that it has ended before, so there are none.
    pub fn finalize(&mut self) {
        let _ = self.call(&Request::Finalize);
    }
}

/// A number in the environment.
fn number(variable: &str, default: u32) -> u32 {
    env::var(variable).ok().and_then(|t| t.trim().parse().ok()).unwrap_or(default)
}
