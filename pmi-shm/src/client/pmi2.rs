//! A client of any PMI-2 server. Keys are looked up in shared memory where oshrun is the server.

use super::connection::{Connection, expect_reply, unexpected};
use super::shared;
use crate::abort::AbortHandle;
use crate::error::Error;
use crate::kvs::View;
use crate::wire::{Hint, Put, Reply, Request, Service};
use std::env;
use std::os::fd::RawFd;
use std::sync::Arc;

/// The connection, and what the server has told about the job.
pub struct Pmi2 {
    connection: Connection,
    pub rank: u32,
    pub size: u32,
    pub appnum: i32,
    /// Whether another job has started this one.
    pub spawned: bool,
    pub job: String,
    /// The node's store, where this process can read it.
    pub store: Option<Arc<View>>,
    /// A fence was begun and has not ended.
    fencing: bool,
}

impl Pmi2 {
    /// Over `PMI_FD`; `None`: it is not set.
    pub fn from_env() -> Option<Result<Pmi2, Error>> {
        let fd = env::var_os("PMI_FD")?;
        let fd = fd.to_str().and_then(|t| t.trim().parse::<RawFd>().ok());
        Some(match fd {
            Some(fd) => Pmi2::over_fd(fd, "PMI_FD"),
            None => Err(Error::NotANumber("PMI_FD")),
        })
    }

    /// Over a copy of the descriptor that `variable` names.
    pub fn over_fd(fd: RawFd, variable: &'static str) -> Result<Pmi2, Error> {
        let mut connection = Connection::over_copy(fd, variable)?;
        let init = Request::Init { version: 2, subversion: 0 };
        match connection.line(&init)? {
            Reply::Init { version: 2, rc: 0, .. } => {}
            Reply::Init { version, subversion, .. } => {
                return Err(Error::Version { version, subversion, expected: "2.0" });
            }
            other => return Err(unexpected("init", &other)),
        }
        let number = |name: &str| env::var(name).ok().and_then(|t| t.trim().parse().ok());
        let full = Request::FullInit {
            rank: number("PMI_ID").or_else(|| number("PMI_RANK")),
            job: env::var("PMI_JOBID").ok().map(String::into_bytes),
            threaded: false,
        };
        let (rank, size, appnum, spawner, epoch) = expect_reply!(connection.frame(&full), "fullinit",
            Reply::FullInit { rank, size, appnum, spawner, epoch } => (rank, size, appnum, spawner, epoch))?;
        let job = expect_reply!(connection.frame(&Request::JobId), "job-getid", Reply::JobId(name) => name)?;
        // The environment alone may come from a launcher further up, so the server must say that it shares its store.
        let store = epoch.and_then(|_| shared::store()).map(Arc::new);
        let pmi = Pmi2::new(connection, rank, size, store);
        let (spawned, job) = (spawner.is_some(), String::from_utf8_lossy(&job).into_owned());
        Ok(Pmi2 { appnum, spawned, job, ..pmi })
    }

    /// Over the connection that oshrun keeps for a runtime. The environment says all that the server would answer, so
    /// the greeting's reply is not awaited. The greeting tells the server that this process uses the connection, so
    /// that its end without a goodbye is a failure.
    pub(super) fn known(fd: RawFd, rank: u32, size: u32) -> Result<Pmi2, Error> {
        let mut connection = Connection::over_copy(fd, super::OWN_FD)?;
        connection.post(&Request::Init { version: 2, subversion: 0 })?;
        Ok(Pmi2::new(connection, rank, size, shared::store().map(Arc::new)))
    }

    fn new(connection: Connection, rank: u32, size: u32, store: Option<Arc<View>>) -> Pmi2 {
        // The job's name goes with each get; oshrun does not look at it.
        let (appnum, spawned, job) = (-1, false, String::new());
        Pmi2 { connection, rank, size, appnum, spawned, job, store, fencing: false }
    }

    fn call(&mut self, request: &Request) -> Result<Reply, Error> {
        // Only one request may be open: the reply to what was begun has to be read first.
        self.wait()?;
        self.connection.frame(request)
    }

    pub fn put(&mut self, key: &[u8], value: &[u8], hint: Hint) -> Result<(), Error> {
        let put = Put { space: Vec::new(), key: key.to_vec(), value: value.to_vec(), hint };
        match self.call(&Request::Put(put))? {
            Reply::Put(Ok(())) => Ok(()),
            Reply::Put(Err(why)) => Err(Error::PutRefused { key: key.escape_ascii().to_string(), why }),
            other => Err(unexpected("kvs-put", &other)),
        }
    }

    /// Puts without waiting for the server. If the server refuses, a later call fails.
    pub(super) fn post(&mut self, key: &[u8], value: &[u8], hint: Hint) -> Result<(), Error> {
        self.wait()?;
        self.connection.post(&Request::Put(Put { space: Vec::new(), key: key.to_vec(), value: value.to_vec(), hint }))
    }

    /// The value of `key`; `None`: there is no such key. `source` is the rank that put it, if known. With `wait` the
    /// server answers when the key has been put; servers other than oshrun do not wait.
    pub fn get(&mut self, key: &[u8], source: Option<u32>, wait: bool) -> Result<Option<Vec<u8>>, Error> {
        if let Some(Ok(value)) = self.store.as_ref().map(|store| store.value(key)) {
            return Ok(Some(value));
        }
        // A key that is not in the node's store may be at its owner, or on its way.
        let request = Request::Get { space: self.job.clone().into_bytes(), key: key.to_vec(), source, wait };
        expect_reply!(self.call(&request), "kvs-get", Reply::Get(value) => value)
    }

    pub fn begin_fence(&mut self) -> Result<(), Error> {
        self.wait()?;
        self.connection.send_frame(&Request::Fence)?;
        self.fencing = true;
        Ok(())
    }

    /// Waits for the end of a fence that was begun. Returns at once if none was.
    pub fn wait(&mut self) -> Result<(), Error> {
        match std::mem::take(&mut self.fencing) {
            true => expect_reply!(self.connection.reply(), "kvs-fence", Reply::Fence { .. } => ()),
            false => Ok(()),
        }
    }

    /// Whether a fence that was begun is over. It does not wait for other processes.
    pub(super) fn fence_is_over(&mut self) -> Result<bool, Error> {
        if self.fencing && !self.connection.has_reply()? {
            return Ok(false);
        }
        self.wait().map(|()| true)
    }

    pub fn fence(&mut self) -> Result<(), Error> {
        self.begin_fence()?;
        self.wait()
    }

    pub fn job_attr(&mut self, key: &str) -> Result<Option<Vec<u8>>, Error> {
        let request = Request::JobAttr { key: key.as_bytes().to_vec() };
        expect_reply!(self.call(&request), "info-getjobattr", Reply::JobAttr(value) => value)
    }

    pub fn node_put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        let request = Request::NodePut { key: key.to_vec(), value: value.to_vec() };
        expect_reply!(self.call(&request), "info-putnodeattr", Reply::NodePut => ())
    }

    pub fn node_get(&mut self, key: &[u8], wait: bool) -> Result<Option<Vec<u8>>, Error> {
        let request = Request::NodeGet { key: key.to_vec(), wait };
        expect_reply!(self.call(&request), "info-getnodeattr", Reply::NodeGet(value) => value)
    }

    /// Publishes, looks up or removes a service. The result is the port of a look-up, and empty otherwise.
    pub fn name(&mut self, act: Service, service: &[u8], port: &[u8]) -> Result<Vec<u8>, Error> {
        match self.call(&Request::Name { act, service: service.to_vec(), port: port.to_vec() })? {
            Reply::Name { result: Ok(port), .. } => Ok(port),
            Reply::Name { result: Err(why), .. } => {
                Err(Error::Service { service: service.escape_ascii().to_string(), why })
            }
            other => Err(unexpected("the question about a service", &other)),
        }
    }

    /// The call that ends the job.
    pub fn abort_handle(&self) -> AbortHandle {
        self.connection.abort_handle(true)
    }

    /// Ends the connection in order. An error would say that it has ended before, and is ignored.
    pub fn finalize(&mut self) {
        let _ = self.call(&Request::Finalize);
    }
}
