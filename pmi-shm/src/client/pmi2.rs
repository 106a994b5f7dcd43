//! A client of any PMI-2 server. Where the server is ours, keys are looked up in shared memory.

use super::link::{Ender, Link, unexpected};
use super::shared;
use crate::job::Error;
use crate::kvs::{GatherView, RankKey, View};
use crate::wire::{Hint, Put, Reply, Request, Service};
use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
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
    open: Open,
    /// Result of an allgather that has ended and was not taken.
    gathered: Option<Gathered>,
    /// Allgathers so far, where they are made of puts and a fence.
    gathers: u32,
}

/// What was begun and not yet ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Fence,
    /// The server gathers.
    Allgather,
    /// The values were put, and a fence begun.
    Puts {
        slot: usize,
    },
}

/// The values of all ranks: rank r's, padded with zeros, at `r * slot`.
pub enum Gathered {
    /// One copy for the node, read-only.
    Region(GatherView),
    Private(Vec<u8>),
}

impl Gathered {
    /// Address of the array; good as long as self lives.
    pub fn array(&self) -> *const u8 {
        match self {
            Gathered::Region(view) => view.array().unwrap_or(std::ptr::null()),
            Gathered::Private(bytes) => bytes.as_ptr(),
        }
    }
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
        Ok(Pmi2 { link, rank, size, appnum, spawned, job, store, open: Open::Nothing, gathered: None, gathers: 0 })
    }

    /// Over `oshrun`'s own channel, when the environment says all that the server would answer: the greeting only tells the
    /// server that this process is there, and must be missed.
    pub(super) fn known(fd: RawFd, rank: u32, size: u32) -> Result<Pmi2, Error> {
        let mut link = Link::over_copy(fd, super::OWN_FD)?;
        link.post(&Request::Init { version: 2, subversion: 0 })?;
        Ok(Pmi2 {
            link,
            rank,
            size,
            appnum: -1,
            spawned: false,
            // Goes with each get, and only servers of others look at it.
            job: String::new(),
            store: shared::store().map(Arc::new),
            open: Open::Nothing,
            gathered: None,
            gathers: 0,
        })
    }

    fn call(&mut self, request: &Request) -> Result<Reply, Error> {
        // One request may be open at a time: the answer to what was begun comes first.
        self.wait()?;
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

    /// The same without waiting for the server: if it refuses, a later call fails.
    pub(super) fn post(&mut self, key: &[u8], value: &[u8], hint: Hint) -> Result<(), Error> {
        self.wait()?;
        self.link.post(&Request::Put(Put { space: Vec::new(), key: key.to_vec(), value: value.to_vec(), hint }))
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
        self.wait()?;
        self.link.send_frame(&Request::Fence)?;
        self.open = Open::Fence;
        Ok(())
    }

    /// Waits for what was begun; returns at once when that is nothing.
    pub fn wait(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => Ok(()),
            Open::Fence => self.fence_reply(),
            Open::Allgather => {
                let (file, id) = match self.link.reply()? {
                    Reply::Allgather(result) => result.map_err(|why| Error(format!("no allgather: {why}")))?,
                    other => return Err(unexpected("allgather", &other)),
                };
                self.gathered = Some(Gathered::Region(region(&file, id)?));
                Ok(())
            }
            Open::Puts { slot } => {
                self.fence_reply()?;
                let mut all = vec![0; self.size as usize * slot];
                for (rank, place) in (0..self.size).zip(all.chunks_exact_mut(slot)) {
                    let key = gather_key(self.gathers, rank)?;
                    let value = self.get(key.as_bytes(), Some(rank), false)?;
                    let value = value.ok_or_else(|| Error(format!("no value of rank {rank} in an allgather")))?;
                    let place = place.get_mut(..value.len());
                    place.ok_or_else(|| Error(format!("rank {rank} names another slot")))?.copy_from_slice(&value);
                }
                self.gathered = Some(Gathered::Private(all));
                Ok(())
            }
        }
    }

    fn fence_reply(&mut self) -> Result<(), Error> {
        match self.link.reply()? {
            Reply::Fence { .. } => Ok(()),
            other => Err(unexpected("kvs-fence", &other)),
        }
    }

    pub fn fence(&mut self) -> Result<(), Error> {
        self.begin_fence()?;
        self.wait()
    }

    /// Gives a value, shorter than `slot`, to an allgather; `slot` is a multiple of 8, the same for all.
    pub fn begin_allgather(&mut self, value: &[u8], slot: usize) -> Result<(), Error> {
        if value.len() >= slot || !slot.is_multiple_of(8) {
            return Err(Error(format!("{} bytes for an allgather with slots of {slot}", value.len())));
        }
        self.wait()?;
        if self.store.is_some() {
            self.link.send_frame(&Request::Allgather { value: value.to_vec(), slot: Some(slot) })?;
            self.open = Open::Allgather;
            return Ok(());
        }
        // Every server can do this.
        self.gathers += 1;
        let key = gather_key(self.gathers, self.rank)?;
        self.put(key.as_bytes(), value, Hint::Dense)?;
        self.begin_fence()?;
        self.open = Open::Puts { slot };
        Ok(())
    }

    /// Waits for the allgather that was begun. `None`: there was none.
    pub fn end_allgather(&mut self) -> Result<Option<Gathered>, Error> {
        self.wait()?;
        Ok(self.gathered.take())
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

    /// How the server is told to end the job.
    pub fn ender(&self) -> Ender {
        self.link.ender(true)
    }

    /// Ends the connection in order. Errors say that it has ended before, so there are none.
    pub fn finalize(&mut self) {
        let _ = self.call(&Request::Finalize);
    }
}

fn gather_key(number: u32, rank: u32) -> Result<RankKey, Error> {
    let name = format!("allgather.{number}");
    RankKey::new(name.as_bytes(), rank).ok_or_else(|| Error("a key is too long".to_owned()))
}

/// Opens the region of an allgather.
fn region(file: &[u8], id: u128) -> Result<GatherView, Error> {
    let path = Path::new(OsStr::from_bytes(file));
    let told = |e: &dyn std::fmt::Display| Error(format!("cannot open the allgather's memory {}: {e}", path.display()));
    let file = File::open(path).map_err(|e| told(&e))?;
    let view = GatherView::open(file.into()).map_err(|e| told(&e))?;
    if view.id() == id { Ok(view) } else { Err(told(&"it is that of another job")) }
}
