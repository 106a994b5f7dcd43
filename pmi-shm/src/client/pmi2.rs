//! A client of any PMI-2 server. Keys are looked up in shared memory where oshrun is the server.

use super::connection::{Connection, expect_reply, unexpected};
use super::shared;
use crate::abort::AbortHandle;
use crate::error::Error;
use crate::kvs::{GatherView, RankKey, View};
use crate::wire::{GATHERED, Hint, Put, Reply, Request, Service};
use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
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
    /// The server has told that it shares its store, which is equal on all ranks. Whether this process can open the
    /// store is not.
    shares: bool,
    open: Open,
    /// Result of an allgather that has ended. Nobody has taken it yet.
    gathered: Option<Gathered>,
    /// Number of allgathers that were made of puts and a fence.
    gathers: u32,
}

/// What was begun and has not ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Fence,
    /// The server gathers.
    Allgather {
        slot: usize,
    },
    /// The allgather is made of puts and a fence; the fence was begun.
    Puts {
        slot: usize,
    },
}

/// The values of all ranks. That of rank r, padded with zeros, lies at `r * slot`.
pub enum Gathered {
    /// The node's one copy, which is read-only.
    Region(GatherView),
    Private(Vec<u8>),
}

impl Gathered {
    /// Address of the array, which lives as long as `self`.
    pub fn array(&self) -> *const u8 {
        match self {
            Gathered::Region(view) => view.array(),
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
        let (spawned, shares, job) = (spawner.is_some(), epoch.is_some(), String::from_utf8_lossy(&job).into_owned());
        Ok(Pmi2 { appnum, spawned, shares, job, ..pmi })
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
        let (appnum, spawned, shares, job) = (-1, false, false, String::new());
        let (open, gathered, gathers) = (Open::Nothing, None, 0);
        Pmi2 { connection, rank, size, appnum, spawned, job, store, shares, open, gathered, gathers }
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
        self.open = Open::Fence;
        Ok(())
    }

    /// Waits for the end of what was begun. Returns at once if nothing was.
    pub fn wait(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => Ok(()),
            Open::Fence => self.fence_reply(),
            Open::Allgather { slot } => {
                let result = expect_reply!(self.connection.reply(), "allgather", Reply::Allgather(result) => result)?;
                self.gathered = Some(match result.map_err(Error::Allgather).and_then(|(file, id)| region(&file, id)) {
                    Ok(region) => Gathered::Region(region),
                    // There is no memory to share, or this process cannot open it. Then the server tells the values.
                    Err(why) => {
                        self.values(slot, |pmi, rank| pmi.job_attr(&format!("{GATHERED}{rank}"))).or(Err(why))?
                    }
                });
                Ok(())
            }
            Open::Puts { slot } => {
                self.fence_reply()?;
                let number = self.gathers;
                let get = |pmi: &mut Pmi2, rank| pmi.get(gather_key(number, rank).as_bytes(), Some(rank), false);
                self.gathered = Some(self.values(slot, get)?);
                Ok(())
            }
        }
    }

    /// The values of all ranks, which are asked for one by one.
    fn values(
        &mut self,
        slot: usize,
        get: impl Fn(&mut Pmi2, u32) -> Result<Option<Vec<u8>>, Error>,
    ) -> Result<Gathered, Error> {
        let mut all = vec![0; self.size as usize * slot];
        for (rank, room) in (0..self.size).zip(all.chunks_exact_mut(slot)) {
            let failed = |why| Error::Allgather(format!("rank {rank} {why}"));
            let value = get(self, rank)?.ok_or_else(|| failed("gave no value"))?;
            let room = room.get_mut(..value.len()).ok_or_else(|| failed("names another slot"))?;
            room.copy_from_slice(&value);
        }
        Ok(Gathered::Private(all))
    }

    fn fence_reply(&mut self) -> Result<(), Error> {
        expect_reply!(self.connection.reply(), "kvs-fence", Reply::Fence { .. } => ())
    }

    /// Whether a fence that was begun is over. It does not wait for other processes.
    pub(super) fn fence_is_over(&mut self) -> Result<bool, Error> {
        if self.open == Open::Fence && !self.connection.has_reply()? {
            return Ok(false);
        }
        self.wait().map(|()| true)
    }

    pub fn fence(&mut self) -> Result<(), Error> {
        self.begin_fence()?;
        self.wait()
    }

    /// Enters an allgather with a value shorter than `slot`, a multiple of 8 that is equal on all ranks.
    pub fn begin_allgather(&mut self, value: &[u8], slot: usize) -> Result<(), Error> {
        if value.len() >= slot || !slot.is_multiple_of(8) {
            return Err(Error::Allgather(format!("{} bytes in slots of {slot}", value.len())));
        }
        self.wait()?;
        if self.shares {
            self.connection.send_frame(&Request::Allgather { value: value.to_vec(), slot: Some(slot) })?;
            self.open = Open::Allgather { slot };
            return Ok(());
        }
        // Puts and a fence, which every server can do.
        self.gathers += 1;
        let key = gather_key(self.gathers, self.rank);
        self.put(key.as_bytes(), value, Hint::Dense)?;
        self.begin_fence()?;
        self.open = Open::Puts { slot };
        Ok(())
    }

    /// Waits for the end of an allgather that was begun. `None`: none was.
    pub fn end_allgather(&mut self) -> Result<Option<Gathered>, Error> {
        self.wait()?;
        Ok(self.gathered.take())
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

    /// This rank's number in the ring, and the values of its neighbours to the left and to the right.
    pub fn ring(&mut self, value: &[u8]) -> Result<(u32, Vec<u8>, Vec<u8>), Error> {
        let (left, right) = (value.to_vec(), value.to_vec());
        let request = Request::Ring { count: 1, left, right };
        expect_reply!(self.call(&request), "ring", Reply::Ring { count, left, right } => (count, left, right))
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

fn gather_key(number: u32, rank: u32) -> RankKey {
    RankKey::new(format!("allgather.{number}").as_bytes(), rank).expect("two numbers are no long key")
}

/// Opens the region of an allgather.
fn region(file: &[u8], id: u128) -> Result<GatherView, Error> {
    let path = Path::new(OsStr::from_bytes(file));
    let failed = |why: String| Error::GatherMemory { file: path.display().to_string(), why };
    let file = File::open(path).map_err(|e| failed(e.to_string()))?;
    let view = GatherView::open(file.into()).map_err(|e| failed(e.to_string()))?;
    if view.id() == id { Ok(view) } else { Err(failed("it belongs to another job".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{self, Incoming, Splitter};
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    /// The server of rank 0 of 2, which has no memory to share. Returns the requests.
    fn serve(mut socket: UnixStream, epoch: Option<u64>) -> Vec<Request> {
        let (mut splitter, mut buffer, mut requests) = (Splitter::default(), [0; 4096], Vec::new());
        while let Ok(n @ 1..) = socket.read(&mut buffer) {
            splitter.push(&buffer[..n]);
            while let Some(message) = splitter.take().unwrap() {
                let request = match message {
                    Incoming::Line(line) => wire::request_from_line(&line).unwrap(),
                    Incoming::Frame(frame) => wire::request_from_frame(&frame).unwrap().0,
                };
                let reply = match &request {
                    Request::Init { .. } => Reply::Init { version: 2, subversion: 0, rc: 0 },
                    Request::FullInit { .. } => Reply::FullInit { rank: 0, size: 2, appnum: 0, spawner: None, epoch },
                    Request::JobId => Reply::JobId(b"job".to_vec()),
                    Request::Allgather { .. } => Reply::Allgather(Err("no memory can be shared".to_owned())),
                    Request::Put(_) => Reply::Put(Ok(())),
                    Request::Fence => Reply::Fence { epoch },
                    Request::Get { key, .. } => Reply::Get(Some(vec![key[key.len() - 1]])),
                    Request::JobAttr { key } => Reply::JobAttr(Some(vec![key[key.len() - 1]])),
                    other => panic!("{other:?}"),
                };
                let bytes = wire::reply_to_frame(&reply, None).or_else(|| wire::reply_to_line(&reply)).unwrap();
                socket.write_all(&bytes).unwrap();
                requests.push(request);
            }
        }
        requests
    }

    /// Some ranks of the job may be able to open the store, and this one is not.
    #[test]
    fn who_cannot_open_the_store_takes_part_in_the_allgather_of_all() {
        for (epoch, by_server) in [(Some(0), true), (None, false)] {
            let (ours, theirs) = UnixStream::pair().unwrap();
            let server = std::thread::spawn(move || serve(theirs, epoch));
            let mut pmi = Pmi2::over_fd(ours.as_raw_fd(), "PMI_FD").unwrap();
            assert!(pmi.store.is_none());
            pmi.begin_allgather(b"0", 8).unwrap();
            let Some(Gathered::Private(all)) = pmi.end_allgather().unwrap() else { panic!("no values") };
            assert_eq!(all, b"0\0\0\0\0\0\0\x001\0\0\0\0\0\0\0");
            drop((pmi, ours));
            let requests = server.join().unwrap();
            assert_eq!(requests.iter().any(|r| matches!(r, Request::Allgather { .. })), by_server, "{requests:?}");
            assert_eq!(requests.contains(&Request::Fence), !by_server, "{requests:?}");
        }
    }
}
