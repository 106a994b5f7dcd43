//! A client of any PMI-2 server. Where the server is ours, keys are looked up in shared memory.

use super::link::{Link, unexpected};
use super::shared;
use crate::job::Error;
use crate::kvs::View;
use crate::wire::{Hint, Put, Reply, Request, Service};
use std::env;
use std::os::fd::RawFd;
use std::sync::Arc;

/// The connection, and what the server said about the job.
pub struct Pmi2 {
    link: Link,
    pub rank: u32,
    pub size: u32,
    pub appnum: i32,
    /// Started by another job.
    pub spawned: bool,
    pub job: String,
    /// The node's store, where it can be read.
    pub store: Option<Arc<View>>,
    /// A fence was begun, its end not yet read.
    fencing: bool,
}

impl Pmi2 {
    /// Over `PMI_FD`; `None`: it is not set.
    pub fn from_env() -> Option<Result<Pmi2, Error>> {
        let fd = env::var_os("PMI_FD")?;
        let fd = fd.to_str().and_then(|t| t.trim().parse::<RawFd>().ok());
        Some(match fd {
            Some(fd) => Pmi2::over_fd(fd, "PMI_FD"),
            None => Err(Error("PMI_FD is not a number".to_owned())),
        })
    }

    /// Over a copy of the descriptor that `variable` names.
    pub fn over_fd(fd: RawFd, variable: &str) -> Result<Pmi2, Error> {
        let mut link = Link::over_copy(fd, variable)?;
        let init = Request::Init { version: 2, subversion: 0 };
        match link.line(&init)? {
            Reply::Init { version: 2, rc: 0, .. } => {}
            Reply::Init { version, subversion, .. } => {
                return Err(Error(format!("the process manager speaks PMI {version}.{subversion}, not 2.0")));
            }
            other => return Err(unexpected("init", &other)),
        }
        let number = |name: &str| env::var(name).ok().and_then(|t| t.trim().parse().ok());
        let full = Request::FullInit {
            rank: number("PMI_ID").or_else(|| number("PMI_RANK")),
            job: env::var("PMI_JOBID").ok().map(String::into_bytes),
            threaded: false,
        };
        let (rank, size, appnum, spawned, epoch) = match link.frame(&full)? {
            Reply::FullInit { rank, size, appnum, spawner, epoch } => (rank, size, appnum, spawner.is_some(), epoch),
            other => return Err(unexpected("fullinit", &other)),
        };
        let job = match link.frame(&Request::JobId)? {
            Reply::JobId(name) => String::from_utf8_lossy(&name).into_owned(),
            other => return Err(unexpected("job-getid", &other)),
        };
        // The environment alone may be that of another launcher further up.
        let store = epoch.and_then(|_| shared::store()).map(Arc::new);
        Ok(Pmi2 { link, rank, size, appnum, spawned, job, store, fencing: false })
    }

    fn call(&mut self, request: &Request) -> Result<Reply, Error> {
        // One request may be open at a time: the fence's answer comes first.
        self.end_fence()?;
        self.link.frame(request)
    }

    pub fn put(&mut self, key: &[u8], value: &[u8], hint: Hint) -> Result<(), Error> {
        let put = Put { space: Vec::new(), key: key.to_vec(), value: value.to_vec(), hint };
        match self.call(&Request::Put(put))? {
            Reply::Put(Ok(())) => Ok(()),
            Reply::Put(Err(why)) => {
                Err(Error(format!("the process manager refuses to store \"{}\": {why}", key.escape_ascii())))
            }
            other => Err(unexpected("kvs-put", &other)),
        }
    }

    /// `None`: there is no such key. `source`: who put it, if known. `wait`: until somebody has put it; servers that are
    /// not ours do not wait.
    pub fn get(&mut self, key: &[u8], source: Option<u32>, wait: bool) -> Result<Option<Vec<u8>>, Error> {
        if let Some(Ok(value)) = self.store.as_ref().map(|store| store.value(key)) {
            return Ok(Some(value));
        }
        // What is not in the node's store may be at its owner, or on its way.
        let request = Request::Get { space: self.job.clone().into_bytes(), key: key.to_vec(), source, wait };
        match self.call(&request)? {
            Reply::Get(value) => Ok(value),
            other => Err(unexpected("kvs-get", &other)),
        }
    }

    pub fn begin_fence(&mut self) -> Result<(), Error> {
        self.end_fence()?;
        self.link.send_frame(&Request::Fence)?;
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
            Reply::Fence { .. } => Ok(()),
            other => Err(unexpected("kvs-fence", &other)),
        }
    }

    pub fn fence(&mut self) -> Result<(), Error> {
        self.begin_fence()?;
        self.end_fence()
    }

    pub fn job_attr(&mut self, key: &str) -> Result<Option<Vec<u8>>, Error> {
        match self.call(&Request::JobAttr { key: key.as_bytes().to_vec() })? {
            Reply::JobAttr(value) => Ok(value),
            other => Err(unexpected("info-getjobattr", &other)),
        }
    }

    pub fn node_put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        match self.call(&Request::NodePut { key: key.to_vec(), value: value.to_vec() })? {
            Reply::NodePut => Ok(()),
            other => Err(unexpected("info-putnodeattr", &other)),
        }
    }

    pub fn node_get(&mut self, key: &[u8], wait: bool) -> Result<Option<Vec<u8>>, Error> {
        match self.call(&Request::NodeGet { key: key.to_vec(), wait })? {
            Reply::NodeGet(value) => Ok(value),
            other => Err(unexpected("info-getnodeattr", &other)),
        }
    }

    /// The port for a look-up, empty for the others.
    pub fn name(&mut self, act: Service, service: &[u8], port: &[u8]) -> Result<Vec<u8>, Error> {
        match self.call(&Request::Name { act, service: service.to_vec(), port: port.to_vec() })? {
            Reply::Name { result: Ok(port), .. } => Ok(port),
            Reply::Name { result: Err(why), .. } => {
                Err(Error(format!("service \"{}\": {why}", service.escape_ascii())))
            }
            other => Err(unexpected("the question about a service", &other)),
        }
    }

    /// Place in the ring, and what the neighbours to the left and right gave.
    pub fn ring(&mut self, value: &[u8]) -> Result<(u32, Vec<u8>, Vec<u8>), Error> {
        let (left, right) = (value.to_vec(), value.to_vec());
        match self.call(&Request::Ring { count: 1, left, right })? {
            Reply::Ring { count, left, right } => Ok((count, left, right)),
            other => Err(unexpected("ring", &other)),
        }
    }

    /// The server ends the job; nothing comes back.
    pub fn abort(&mut self, code: i32, message: &[u8]) {
        // An error here means that the job is ending already.
        let _ = self.link.send_frame(&Request::Abort { code, message: message.to_vec() });
    }

    /// Ends the connection in order. Errors say that it has ended before, so there are none.
    pub fn finalize(&mut self) {
        let _ = self.call(&Request::Finalize);
    }
}
