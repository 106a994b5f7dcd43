//! A job over a PMIx server: Open MPI's mpiexec and prterun, and `srun --mpi=pmix`.
//!
//! The protocol of PMIx is not written down: `libpmix` alone can read the server's memory and its connections, and its
//! version has to fit the server's. So the library is loaded here when there is a server. It starts one thread.

#[cfg(test)]
mod tests;

use crate::abort::AbortHandle;
use crate::error::Error;
use crate::job::{BoxedJob, Job, LauncherJob, check_rank};
use crate::pairs;
use crate::pmix::data::{
    GLOBAL, Info, NOT_FOUND, OPERATION_SUCCEEDED, Proc, SUCCESS, Status, TIMEOUT, Value, WILDCARD, key, kind,
};
use crate::pmix::library::Library;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long a key is awaited that its rank has not put. The server answers at once that there is no such key if the
/// rank has put other keys, although it may still put this one. A shorter time ends jobs whose ranks start at different
/// times; a longer one lets a job wait longer for a rank that will never put the key.
const KEY_WAIT: Duration = Duration::from_secs(10);

/// How long a key is awaited once the ranks have met in a fence or a barrier, and the first key of a rank. The launcher
/// ends the job if a rank dies. So a key that is late comes: its rank has no core, is stopped, or has not been started.
/// A shorter time ends such jobs.
const KEY_WAIT_MET: Duration = Duration::from_secs(600);

/// How long this process sleeps between two questions for a key: at first, and at most. Each question is a message to
/// the server of the key's rank.
const POLL_SLEEP: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(10)];

/// The most ranks whose published values a fence brings to every node: some hundred bytes each.
const SPREAD: u32 = 4096;

/// The library calls it in its thread when something that was begun has ended.
type Ended = unsafe extern "C" fn(Status, *mut c_void);

/// The library's functions. Details are described where the functions are called.
#[derive(Clone, Copy)]
struct Functions {
    init: unsafe extern "C" fn(*mut Proc, *mut Info, usize) -> Status,
    finalize: unsafe extern "C" fn(*const Info, usize) -> Status,
    put: unsafe extern "C" fn(u8, *const c_char, *mut Value) -> Status,
    commit: unsafe extern "C" fn() -> Status,
    fence: unsafe extern "C" fn(*const Proc, usize, *const Info, usize) -> Status,
    fence_nb: unsafe extern "C" fn(*const Proc, usize, *const Info, usize, Ended, *mut c_void) -> Status,
    get: unsafe extern "C" fn(*const Proc, *const c_char, *const Info, usize, *mut *mut Value) -> Status,
    abort: unsafe extern "C" fn(c_int, *const c_char, *mut Proc, usize) -> Status,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
}

impl Functions {
    fn of(library: Library) -> Result<Functions, Error> {
        // SAFETY: the types are those of PMIx's header.
        unsafe {
            Ok(Functions {
                init: library.symbol(c"PMIx_Init")?,
                finalize: library.symbol(c"PMIx_Finalize")?,
                put: library.symbol(c"PMIx_Put")?,
                commit: library.symbol(c"PMIx_Commit")?,
                fence: library.symbol(c"PMIx_Fence")?,
                fence_nb: library.symbol(c"PMIx_Fence_nb")?,
                get: library.symbol(c"PMIx_Get")?,
                abort: library.symbol(c"PMIx_Abort")?,
                error_string: library.symbol(c"PMIx_Error_string")?,
            })
        }
    }
}

/// What the library reads until a fence has ended.
struct Round {
    all: Proc,
    collect: Info,
    status: Arc<OnceLock<Status>>,
}

/// A client of the server, between `PMIx_Init` and `PMIx_Finalize`. The library counts both calls, so MPI may be
/// another client in this process, before and after, provided that it uses the same library. Any thread may call.
pub(super) struct Client {
    functions: Functions,
    me: Proc,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PMIx rank {}", self.me.rank)
    }
}

impl Client {
    fn connect(functions: Functions) -> Result<Client, Error> {
        let mut client = Client { functions, me: Proc::NONE };
        // SAFETY: fills the structure; no arguments are given.
        let status = unsafe { (functions.init)(&mut client.me, std::ptr::null_mut(), 0) };
        client.check("PMIx_Init", status)?;
        Ok(client)
    }

    fn check(&self, call: &'static str, status: Status) -> Result<(), Error> {
        if status == SUCCESS {
            return Ok(());
        }
        // SAFETY: gives a constant string for every number.
        let why = unsafe { CStr::from_ptr((self.functions.error_string)(status)) };
        Err(Error::PmixCall { call, why: why.to_string_lossy().into_owned(), status })
    }

    /// Makes `value` readable for all processes. Some may be waiting for it.
    fn put(&self, key: &CStr, value: &[u8]) -> Result<(), Error> {
        let mut value = Value::of_bytes(value);
        // SAFETY: key and value live until the call, which copies them, returns.
        let status = unsafe { (self.functions.put)(GLOBAL, key.as_ptr(), &mut value) };
        self.check("PMIx_Put", status)?;
        // SAFETY: takes nothing.
        self.check("PMIx_Commit", unsafe { (self.functions.commit)() })
    }

    /// Waits for all processes of the job, and with `collect` for the values that they have put.
    fn fence(&self, collect: bool) -> Result<(), Error> {
        let (all, collect) = (self.me.with_rank(WILDCARD), Info::flag(key::COLLECT_DATA, collect));
        // SAFETY: one process and one argument, both alive until the call returns.
        let status = unsafe { (self.functions.fence)(&all, 1, &collect, 1) };
        self.check("PMIx_Fence", status)
    }

    /// Enters a fence, by which no values travel. Its status is set when all processes have entered.
    fn begin_fence(&self) -> Arc<OnceLock<Status>> {
        unsafe extern "C" fn ended(status: Status, round: *mut c_void) {
            // SAFETY: the round that was made for the call. Its end is told once.
            let round = unsafe { Box::from_raw(round.cast::<Round>()) };
            let _ = round.status.set(status);
        }
        let status = Arc::default();
        let (all, collect) = (self.me.with_rank(WILDCARD), Info::flag(key::COLLECT_DATA, false));
        let round = Box::into_raw(Box::new(Round { all, collect, status: Arc::clone(&status) }));
        // SAFETY: one process and one argument, both alive until the library calls `ended`.
        let begun = unsafe {
            let (all, collect) = (&raw const (*round).all, &raw const (*round).collect);
            (self.functions.fence_nb)(all, 1, collect, 1, ended, round.cast())
        };
        if begun != SUCCESS {
            let outcome = if begun == OPERATION_SUCCEEDED { SUCCESS } else { begun };
            // SAFETY: the library does not call it, and the round is used no more.
            unsafe { ended(outcome, round.cast()) };
        }
        status
    }

    /// The value that `rank` has put under `key`, taken apart by `read`. If the server knows no value of that rank, it
    /// waits until there is one. `None`: the rank has put other keys only.
    fn get<T>(&self, rank: u32, key: &CStr, read: impl FnOnce(&Value) -> Option<T>) -> Result<Option<T>, Error> {
        self.ask(rank, key, &[], read)
    }

    /// As [`get`](Client::get), with arguments to the question.
    fn ask<T>(
        &self,
        rank: u32,
        key: &CStr,
        how: &[Info],
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let mut value: *mut Value = std::ptr::null_mut();
        let of = self.me.with_rank(rank);
        let start = Instant::now();
        let status = loop {
            // SAFETY: process, key and arguments live until the call returns.
            let status = unsafe { (self.functions.get)(&of, key.as_ptr(), how.as_ptr(), how.len(), &mut value) };
            // Open MPI 4.1's server waits for two seconds only.
            if status != TIMEOUT || start.elapsed() > KEY_WAIT_MET {
                break status;
            }
        };
        if status == NOT_FOUND {
            return Ok(None);
        }
        self.check("PMIx_Get", status)?;
        let unsound = || Error::PmixValue(key.to_string_lossy().into_owned());
        if value.is_null() {
            return Err(unsound());
        }
        // SAFETY: after success the pointer is that of a value, which belongs to the caller.
        let result = unsafe { read(&*value) };
        // SAFETY: as above; it is not used any more.
        unsafe { release(value) };
        result.map(Some).ok_or_else(unsound)
    }

    fn number(&self, key: &CStr) -> Result<u32, Error> {
        let number = self.get(WILDCARD, key, |value| match value.kind {
            // SAFETY: the kind says which it is.
            kind::UINT32 => Some(unsafe { value.data.number }),
            _ => None,
        })?;
        number.ok_or_else(|| Error::PmixUntold(key.to_string_lossy().into_owned()))
    }

    /// The ranks of the job on this node, in ascending order. `None`: the server has not told them, or they make no
    /// sense.
    fn ranks_here(&self) -> Option<Vec<u32>> {
        let listed = self.ask(WILDCARD, key::LOCAL_PEERS, &[Info::flag(key::OPTIONAL, true)], |value| {
            if value.kind != kind::STRING {
                return None;
            }
            // SAFETY: the kind says which it is, a string or nothing.
            let text = unsafe { value.data.text };
            // SAFETY: as above.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        });
        let ranks: Option<BTreeSet<u32>> = listed.ok()??.split(',').map(|rank| rank.trim().parse().ok()).collect();
        Some(ranks?.into_iter().collect())
    }

    fn bytes(&self, rank: u32, key: &CStr) -> Result<Option<Vec<u8>>, Error> {
        self.get(rank, key, |value| {
            if value.kind != kind::BYTE_OBJECT {
                return None;
            }
            // SAFETY: the kind says which it is.
            let object = unsafe { value.data.bytes };
            if object.size == 0 {
                return Some(Vec::new());
            }
            // SAFETY: so many bytes lie there.
            Some(unsafe { std::slice::from_raw_parts(object.bytes.cast::<u8>(), object.size) }.to_vec())
        })
    }

    /// Has the server end the job with a status.
    pub(super) fn abort(&self, code: i32, message: &str) {
        let message = CString::new(message).unwrap_or_default();
        // SAFETY: the text lives until the call returns; no processes are named, which means all of the job.
        let _ = unsafe { (self.functions.abort)(code, message.as_ptr(), std::ptr::null_mut(), 0) };
    }
}

/// Frees what `PMIx_Get` has made. PMIx's header does this with a macro that calls `free` for the two parts.
///
/// # Safety
/// `value` is what `PMIx_Get` gave, and nobody uses it afterwards.
unsafe fn release(value: *mut Value) {
    // SAFETY: the caller's promise; the kind says which member it is, and both parts were made by malloc.
    unsafe {
        match (*value).kind {
            kind::STRING => libc::free((*value).data.text.cast()),
            kind::BYTE_OBJECT => libc::free((*value).data.bytes.bytes.cast()),
            _ => {}
        }
        libc::free(value.cast());
    }
}

/// A job over [`Client`]. All pairs that a rank puts before a fence are one value, under a key of that fence. So a
/// later put of a key wins, and the server, which might wait, is never asked for a key that nobody has put.
pub(super) struct PmixJob {
    client: Arc<Client>,
    size: u32,
    /// Processes of the job on this node.
    here: Option<u32>,
    /// Fences so far.
    fences: u32,
    /// The ranks have met, in a fence or a barrier.
    met: bool,
    /// The status of a barrier that was begun.
    barrier: Option<Arc<OnceLock<Status>>>,
    staged: BTreeMap<String, Vec<u8>>,
    ended: bool,
}

/// Whether the environment says that a PMIx server has started this process.
pub fn is_offered() -> bool {
    let set = |name| env::var_os(name).is_some();
    // The variable's name ends with the version of the protocol: 2, 21, 3, 4, 41.
    let server = || env::vars_os().any(|(name, _)| name.as_encoded_bytes().starts_with(b"PMIX_SERVER_URI"));
    set("PMIX_RANK") && set("PMIX_NAMESPACE") && server()
}

/// Joins the job of this process through its PMIx server. The library is the one in this process, else the first of
/// `files` that can be loaded, else the system's. To be called only if [`is_offered`].
///
/// # Errors
/// There is no library, or the server does not take this process.
pub fn join(files: &[PathBuf]) -> Result<BoxedJob, Error> {
    let job = PmixJob::over(Functions::of(Library::find(files)?)?)?;
    Ok(Box::new(job))
}

impl PmixJob {
    fn over(functions: Functions) -> Result<PmixJob, Error> {
        let client = Arc::new(Client::connect(functions)?);
        let job = |client: &Client| Ok((client.number(key::JOB_SIZE)?, client.number(key::LOCAL_SIZE).ok()));
        let rank = client.me.rank;
        let known = job(&client).and_then(|(size, here)| match rank < size {
            true => Ok((size, here)),
            false => Err(Error::PmixRank { rank, size }),
        });
        match known {
            Ok((size, here)) => {
                let (fences, met, barrier, staged, ended) = (0, false, None, BTreeMap::new(), false);
                Ok(PmixJob { client, size, here, fences, met, barrier, staged, ended })
            }
            Err(e) => {
                // SAFETY: PMIx_Init has succeeded; no arguments are given.
                unsafe { (client.functions.finalize)(std::ptr::null(), 0) };
                Err(e)
            }
        }
    }

    /// The pairs that `rank` has put before a fence that is over.
    fn record(&self, rank: u32, fence: u32) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let bytes = self.client.bytes(rank, &fence_key(fence))?;
        bytes.and_then(|bytes| pairs::decode(&bytes)).ok_or(Error::BrokenRecord(rank))
    }
}

/// The key of the pairs that a rank puts before a fence.
fn fence_key(fence: u32) -> CString {
    CString::new(format!("osh.fence.{fence}")).expect("the text has no zero")
}

/// The key of a value that a rank publishes.
fn public_key(key: &str) -> Result<CString, Error> {
    CString::new(format!("osh.key.{key}")).map_err(|_| Error::Key { key: key.to_owned(), why: "it has a zero in it" })
}

impl Job for PmixJob {
    fn rank(&self) -> u32 {
        self.client.me.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.staged.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn fence(&mut self) -> Result<(), Error> {
        let staged = std::mem::take(&mut self.staged);
        let bytes = pairs::encode(staged.iter().map(|(k, v)| (k.as_str(), v.as_slice())));
        self.client.put(&fence_key(self.fences), &bytes)?;
        self.client.fence(true)?;
        self.fences += 1;
        self.met = true;
        Ok(())
    }

    /// Nobody's values travel, so this does not grow with what was published.
    fn barrier(&mut self) -> Result<(), Error> {
        self.client.fence(false)?;
        self.met = true;
        Ok(())
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        check_rank(rank, self.size)?;
        for fence in (0..self.fences).rev() {
            // Records are not kept: this process may read those of all ranks of a large job.
            if let Some((_, value)) = self.record(rank, fence)?.into_iter().find(|(name, _)| name == key) {
                return Ok(value);
            }
        }
        Err(Error::NotPut { rank, key: key.to_owned() })
    }

    fn puts_are_awaited(&self) -> bool {
        true
    }

    fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.client.put(&public_key(key)?, value)
    }

    fn get_when_put(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        check_rank(rank, self.size)?;
        let full = public_key(key)?;
        let start = Instant::now();
        let limit = if self.met { KEY_WAIT_MET } else { KEY_WAIT };
        let [mut sleep, longest] = POLL_SLEEP;
        loop {
            if let Some(value) = self.client.bytes(rank, &full)? {
                return Ok(value);
            }
            if start.elapsed() > limit {
                return Err(Error::NotPublished { rank, key: key.to_owned(), seconds: limit.as_secs() });
            }
            std::thread::sleep(sleep);
            sleep = (sleep * 2).min(longest);
        }
    }

    fn served_by(&self) -> &'static str {
        "PMIx"
    }
}

impl LauncherJob for PmixJob {
    /// A value that is not at this node's server is asked for at that of its rank, which fails in large jobs of some
    /// Open MPIs (issues 7647, 11740). In larger jobs still the values of all would take too much memory of each node.
    fn spread(&mut self) -> Result<(), Error> {
        if self.size > SPREAD {
            return Ok(());
        }
        self.met = true;
        self.client.fence(true)
    }

    /// The other ranks' nodes are not asked for: Open MPI 4.1's server leaves out one node of a job, if no rank runs on
    /// the node of mpiexec.
    fn ranks_here(&self) -> Option<Vec<u32>> {
        let here = self.here?;
        if here == self.size {
            return Some((0..self.size).collect());
        }
        let ranks = self.client.ranks_here()?;
        let fit = ranks.len() == here as usize && ranks.last().is_some_and(|&last| last < self.size);
        // Alone, a rank finds that others share its memory, and all ranks notice.
        Some(if fit && ranks.contains(&self.rank()) { ranks } else { vec![self.rank()] })
    }

    fn begin_barrier(&mut self) -> Result<(), Error> {
        self.barrier = Some(self.client.begin_fence());
        Ok(())
    }

    fn barrier_is_over(&mut self) -> Result<bool, Error> {
        let Some(status) = self.barrier.as_ref() else { return Ok(true) };
        let Some(&status) = status.get() else { return Ok(false) };
        self.barrier = None;
        self.client.check("PMIx_Fence_nb", status)?;
        self.met = true;
        Ok(true)
    }

    /// MPI may be a client of the same library, and then tells the server of its end in MPI_Finalize.
    fn mpi_may_be_left(&self) -> bool {
        false
    }

    fn abort_handle(&self) -> AbortHandle {
        let client = Arc::clone(&self.client);
        AbortHandle::by_call(move |code, message| client.abort(code, message))
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            // SAFETY: PMIx_Init has succeeded, and this is the one call that belongs to it; no arguments are given.
            unsafe { (self.client.functions.finalize)(std::ptr::null(), 0) };
        }
    }
}
