//! A client of any PMI-1 server.

use super::connection::{Connection, expect_reply, unexpected};
use crate::abort::AbortHandle;
use crate::error::Error;
use crate::wire::{LINE_MAX, NodeMap, Put, Reply, Request};
use std::env;
use std::os::fd::RawFd;

/// The connection, and what the server has told about the job.
pub struct Pmi1 {
    connection: Connection,
    pub rank: u32,
    pub size: u32,
    /// Name of the key-value space.
    pub space: String,
    pub space_max: usize,
    pub key_max: usize,
    pub value_max: usize,
}

impl Pmi1 {
    /// Over `PMI_FD` or `PMI_PORT`; `None`: neither is set.
    pub fn from_env() -> Option<Result<Pmi1, Error>> {
        if let Some(fd) = env::var_os("PMI_FD") {
            let fd = fd.to_str().and_then(|t| t.trim().parse::<RawFd>().ok());
            return Some(fd.ok_or(Error::NotANumber("PMI_FD")).and_then(|fd| {
                let (rank, size) = place("PMI_FD")?;
                Pmi1::over_fd(fd, rank, size)
            }));
        }
        let port = env::var("PMI_PORT").ok()?;
        Some(Pmi1::over_port(&port, env::var("PMI_ID").ok().and_then(|id| id.trim().parse().ok())))
    }

    /// Over a copy of a descriptor; [`crate::client`] says why it is a copy.
    pub fn over_fd(fd: RawFd, rank: u32, size: u32) -> Result<Pmi1, Error> {
        Pmi1::greet(Connection::over_copy(fd, "PMI_FD", false)?, rank, size)
    }

    /// Over TCP. With an id the server tells rank and size.
    pub fn over_port(address: &str, id: Option<u32>) -> Result<Pmi1, Error> {
        let mut connection = Connection::over_port(address)?;
        let (rank, size) = match id {
            Some(id) => expect_reply!(connection.call(&Request::InitAck { id }), "initack",
                Reply::InitAck { size, rank } => (rank, size))?,
            None => place("PMI_PORT")?,
        };
        Pmi1::greet(connection, rank, size)
    }

    fn greet(mut connection: Connection, rank: u32, size: u32) -> Result<Pmi1, Error> {
        match connection.call(&Request::Init { version: 1, subversion: 1 })? {
            Reply::Init { rc: 0, .. } => {}
            Reply::Init { version, subversion, .. } => {
                return Err(Error::Version { version, subversion, expected: "1.1" });
            }
            other => return Err(unexpected("init", &other)),
        }
        let (space_max, key_max, value_max) = expect_reply!(connection.call(&Request::Maxes), "get_maxes",
            Reply::Maxes { space, key, value } => (space, key, value))?;
        let name =
            expect_reply!(connection.call(&Request::SpaceName), "get_my_kvsname", Reply::SpaceName(name) => name)?;
        let space = String::from_utf8_lossy(&name).into_owned();
        Ok(Pmi1 { connection, rank, size, space, space_max, key_max, value_max })
    }

    /// Bytes of the longest value that a put under a key of this length can carry to every reader.
    pub fn room(&self, key_len: usize) -> usize {
        let put = format!("cmd=put kvsname={} key= value=\n", self.space).len() + key_len;
        let get = "cmd=get_result rc=0 msg=success value=\n".len();
        // The announced maximum counts the NUL at the end.
        LINE_MAX.saturating_sub(put.max(get)).min(self.value_max.saturating_sub(1))
    }

    pub fn put(&mut self, space: &str, key: &str, value: &[u8]) -> Result<(), Error> {
        if value.iter().any(|c| matches!(c, b'\n' | 0)) || key.contains(['\n', ' ', '\0']) {
            return Err(Error::Key { key: key.to_owned(), why: "PMI-1 has no form for it or its value" });
        }
        let put =
            Put { space: space.as_bytes().to_vec(), key: key.as_bytes().to_vec(), value: value.to_vec(), here: false };
        match self.connection.call(&Request::Put(put))? {
            Reply::Put(Ok(())) => Ok(()),
            Reply::Put(Err(why)) => Err(Error::PutRefused { key: key.to_owned(), why }),
            other => Err(unexpected("put", &other)),
        }
    }

    /// `None`: there is no such key.
    pub fn get(&mut self, space: &str, key: &str) -> Result<Option<Vec<u8>>, Error> {
        let (space, key) = (space.as_bytes().to_vec(), key.as_bytes().to_vec());
        let request = Request::Get { space, key, source: None, wait: false };
        expect_reply!(self.connection.call(&request), "get", Reply::Get(value) => value)
    }

    pub fn begin_fence(&mut self) -> Result<(), Error> {
        self.connection.begin_fence()
    }

    /// Waits for the end of a fence that was begun. Returns at once if none was.
    pub fn end_fence(&mut self) -> Result<(), Error> {
        self.connection.end_fence()
    }

    /// Whether a fence that was begun is over. It does not wait for other processes.
    pub(super) fn fence_is_over(&mut self) -> Result<bool, Error> {
        self.connection.fence_is_over()
    }

    pub fn fence(&mut self) -> Result<(), Error> {
        self.begin_fence()?;
        self.end_fence()
    }

    pub fn appnum(&mut self) -> Result<i32, Error> {
        expect_reply!(self.connection.call(&Request::Appnum), "get_appnum", Reply::Appnum(n) => n)
    }

    /// -1: the server does not know.
    pub fn universe(&mut self) -> Result<i64, Error> {
        expect_reply!(self.connection.call(&Request::Universe), "get_universe_size", Reply::Universe(n) => n)
    }

    /// Which ranks share a node, if the server tells.
    pub fn node_map(&mut self) -> Option<NodeMap> {
        let space = self.space.clone();
        let text = self.get(&space, "PMI_process_mapping").ok()??;
        NodeMap::parse(std::str::from_utf8(&text).ok()?, self.size).ok()
    }

    /// The call that ends the job.
    pub fn abort_handle(&self) -> AbortHandle {
        self.connection.abort_handle()
    }

    /// Ends the connection in order. An error would say that it has ended before, and is ignored.
    pub fn finalize(&mut self) {
        let _ = self.connection.call(&Request::Finalize);
    }
}

/// Rank and size, which launchers set together with `connection`. They are not guessed: processes that take themselves
/// for another one wait for ever, or each is a job of its own.
fn place(connection: &'static str) -> Result<(u32, u32), Error> {
    let number = |missing: &'static str| {
        let value = env::var(missing).ok().and_then(|t| t.trim().parse::<u32>().ok());
        value.ok_or(Error::Incomplete { connection, missing })
    };
    let (rank, size) = (number("PMI_RANK")?, number("PMI_SIZE")?);
    if rank < size { Ok((rank, size)) } else { Err(Error::PmixRank { rank, size }) }
}
