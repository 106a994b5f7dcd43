//! A client of any PMI-1 server.

use super::connection::{Connection, expect_reply, unexpected};
use crate::error::Error;
use crate::wire::{LINE_MAX, NodeMap, Put, Reply, Request};
use std::env;
use std::os::fd::RawFd;

/// The connection, and what the server has told about the job.
pub struct Pmi1 {
    pub(super) connection: Connection,
    pub rank: u32,
    pub size: u32,
    /// Name of the key-value space.
    pub space: String,
    value_max: usize,
}

impl Pmi1 {
    /// Over a copy of `PMI_FD` ([`crate::client`] says why it is a copy); `None`: it is not set.
    pub fn from_env() -> Option<Result<Pmi1, Error>> {
        let fd = env::var_os("PMI_FD")?;
        let fd = fd.to_str().and_then(|t| t.trim().parse::<RawFd>().ok()).ok_or(Error::NotANumber("PMI_FD"));
        Some(fd.and_then(Pmi1::over_fd))
    }

    fn over_fd(fd: RawFd) -> Result<Pmi1, Error> {
        let (rank, size) = place()?;
        let mut connection = Connection::over_copy(fd, "PMI_FD", false)?;
        match connection.call(&Request::Init { version: 1, subversion: 1 })? {
            Reply::Init { rc: 0, .. } => {}
            Reply::Init { version, subversion, .. } => {
                return Err(Error::Version { version, subversion, expected: "1.1" });
            }
            other => return Err(unexpected("init", &other)),
        }
        let value_max =
            expect_reply!(connection.call(&Request::Maxes), "get_maxes", Reply::Maxes { value, .. } => value)?;
        let name =
            expect_reply!(connection.call(&Request::SpaceName), "get_my_kvsname", Reply::SpaceName(name) => name)?;
        let space = String::from_utf8_lossy(&name).into_owned();
        Ok(Pmi1 { connection, rank, size, space, value_max })
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

    pub fn fence(&mut self) -> Result<(), Error> {
        self.connection.begin_fence()?;
        self.connection.end_fence()
    }

    /// Which ranks share a node, if the server tells.
    pub fn node_map(&mut self) -> Option<NodeMap> {
        let space = self.space.clone();
        let text = self.get(&space, "PMI_process_mapping").ok()??;
        NodeMap::parse(std::str::from_utf8(&text).ok()?, self.size).ok()
    }

    /// Ends the connection in order. An error would say that it has ended before, and is ignored.
    pub fn finalize(&mut self) {
        let _ = self.connection.call(&Request::Finalize);
    }
}

/// Rank and size, which launchers set together with `PMI_FD`. They are not guessed: processes that take themselves for
/// another one wait for ever, or each is a job of its own.
fn place() -> Result<(u32, u32), Error> {
    let number = |missing: &'static str| {
        let value = env::var(missing).ok().and_then(|t| t.trim().parse::<u32>().ok());
        value.ok_or(Error::Incomplete(missing))
    };
    let (rank, size) = (number("PMI_RANK")?, number("PMI_SIZE")?);
    if rank < size { Ok((rank, size)) } else { Err(Error::PmixRank { rank, size }) }
}
