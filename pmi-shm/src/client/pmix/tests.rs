//! A job over functions that stand for the library and its server.

use super::*;
use crate::pmix::data::{ByteObject, Data, TIMEOUT, chars};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

const UNREACHABLE: Status = -25;

/// Library and server in one, for the jobs of one thread.
#[derive(Default)]
struct Server {
    /// The rank that joins next.
    rank: u32,
    size: Option<u32>,
    here: Option<u32>,
    peers: Option<&'static str>,
    stored: HashMap<(u32, String), Vec<u8>>,
    fences: u32,
    barriers: u32,
    open: Option<(Ended, *mut c_void)>,
    answer: Status,
    ended: u32,
    aborted: Option<(i32, String)>,
    /// After this many questions for a key that is not there, rank 0 puts it.
    late: Option<(u32, &'static str)>,
}

thread_local! {
    static SERVER: RefCell<Server> = RefCell::default();
    static REFUSES: Cell<bool> = const { Cell::new(false) };
}

fn server<T>(act: impl FnOnce(&mut Server) -> T) -> T {
    SERVER.with_borrow_mut(act)
}

fn text(pointer: *const c_char) -> String {
    // SAFETY: the client gives a string that lives during the call.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap().to_owned()
}

unsafe extern "C" fn init(me: *mut Proc, _: *mut Info, _: usize) -> Status {
    if REFUSES.get() {
        return UNREACHABLE;
    }
    // SAFETY: the client's own structure.
    unsafe { *me = Proc { nspace: chars(b"job"), rank: server(|s| s.rank) } };
    SUCCESS
}

unsafe extern "C" fn finalize(_: *const Info, _: usize) -> Status {
    server(|s| s.ended += 1);
    SUCCESS
}

unsafe extern "C" fn put(scope: u8, key: *const c_char, value: *mut Value) -> Status {
    // SAFETY: the client's own value.
    let value = unsafe { &*value };
    assert_eq!((scope, value.kind), (GLOBAL, kind::BYTE_OBJECT));
    // SAFETY: the kind says which it is, and so many bytes lie there.
    let bytes = unsafe { std::slice::from_raw_parts(value.data.bytes.bytes.cast::<u8>(), value.data.bytes.size) };
    server(|s| s.stored.insert((s.rank, text(key)), bytes.to_vec()));
    SUCCESS
}

unsafe extern "C" fn commit() -> Status {
    SUCCESS
}

unsafe extern "C" fn fence(procs: *const Proc, count: usize, infos: *const Info, n: usize) -> Status {
    // SAFETY: one of each, as asserted.
    let (all, collect) = unsafe { (&*procs, &*infos) };
    assert_eq!((count, n, all.rank, collect.value.kind), (1, 1, WILDCARD, kind::BOOL));
    assert_eq!(text(collect.key.as_ptr()), "pmix.collect");
    // SAFETY: the kind says which it is.
    let collects = unsafe { collect.value.data.flag };
    server(|s| if collects { s.fences += 1 } else { s.barriers += 1 });
    SUCCESS
}

/// A status that is not `SUCCESS` is the answer at once. Otherwise the fence goes on until the test ends it.
unsafe extern "C" fn fence_nb(
    procs: *const Proc,
    count: usize,
    infos: *const Info,
    n: usize,
    ended: Ended,
    round: *mut c_void,
) -> Status {
    // SAFETY: as for this function.
    let entered = unsafe { fence(procs, count, infos, n) };
    assert_eq!(entered, SUCCESS);
    server(|s| {
        s.open = Some((ended, round));
        s.answer
    })
}

/// A value as the library makes it: to be freed in parts.
fn made(kind: u16, data: Data) -> *mut Value {
    // SAFETY: a block large enough for what is written into it.
    unsafe {
        let value = libc::malloc(size_of::<Value>()).cast::<Value>();
        value.write(Value { kind, data });
        value
    }
}

unsafe extern "C" fn get(
    of: *const Proc,
    key: *const c_char,
    how: *const Info,
    arguments: usize,
    out: *mut *mut Value,
) -> Status {
    // SAFETY: the client's own structure.
    let (rank, key) = (unsafe { (*of).rank }, text(key));
    let number = |number: Option<u32>| {
        let mut data = Data::EMPTY;
        data.number = number?;
        Some(made(kind::UINT32, data))
    };
    let found = server(|s| {
        if let Some((left, late)) = s.late {
            s.late = left.checked_sub(1).map(|left| (left, late));
            if left == 0 {
                s.stored.insert((0, late.to_owned()), b"late".to_vec());
            }
        }
        match key.as_str() {
            "pmix.job.size" => number(s.size),
            "pmix.local.size" => number(s.here),
            "pmix.lpeers" => {
                // SAFETY: one argument, as asserted.
                let optional = arguments == 1 && text(unsafe { (*how).key.as_ptr() }) == "pmix.optional";
                assert!(optional, "a server that does not know may wait");
                let mut data = Data::EMPTY;
                // SAFETY: a string, of which the result is a copy.
                data.text = unsafe { libc::strdup(CString::new(s.peers?).unwrap().as_ptr()) };
                Some(made(kind::STRING, data))
            }
            "osh.key.odd" => number(Some(1)),
            _ => s.stored.get(&(rank, key)).map(|bytes| {
                // SAFETY: a block as long as what is copied into it.
                let block = unsafe {
                    let block = libc::malloc(bytes.len().max(1)).cast::<u8>();
                    block.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                    block
                };
                let mut data = Data::EMPTY;
                data.bytes = ByteObject { bytes: block.cast(), size: bytes.len() };
                made(kind::BYTE_OBJECT, data)
            }),
        }
    });
    let Some(value) = found else {
        // Open MPI 4.1's server waits for two seconds for a rank that has put nothing.
        let joined = server(|s| s.stored.keys().any(|(of, _)| *of == rank));
        return if joined || rank == WILDCARD { NOT_FOUND } else { TIMEOUT };
    };
    // SAFETY: the client's own pointer.
    unsafe { *out = value };
    SUCCESS
}

unsafe extern "C" fn abort(code: c_int, message: *const c_char, procs: *mut Proc, count: usize) -> Status {
    assert!(procs.is_null() && count == 0, "the whole job");
    server(|s| s.aborted = Some((code, text(message))));
    SUCCESS
}

unsafe extern "C" fn error_string(status: Status) -> *const c_char {
    assert_eq!(status, UNREACHABLE);
    c"UNREACHABLE".as_ptr()
}

const FAKE: Functions = Functions { init, finalize, put, commit, fence, fence_nb, get, abort, error_string };

fn join_as(rank: u32, size: u32, here: u32) -> Result<PmixJob, Error> {
    server(|s| (s.rank, s.size, s.here) = (rank, Some(size), Some(here)));
    PmixJob::over(FAKE)
}

#[test]
fn what_is_put_is_read_after_the_fence_and_a_later_put_wins() {
    let mut first = join_as(0, 2, 2).unwrap();
    first.put("card", b"one").unwrap();
    first.put("leader", b"").unwrap();
    first.fence().unwrap();
    let mut second = join_as(1, 2, 2).unwrap();
    assert!(second.get(0, "card").is_err(), "this rank has not met the others");
    second.fence().unwrap();
    assert_eq!(second.get(0, "card").unwrap(), b"one");
    assert_eq!(second.get(0, "leader").unwrap(), b"");
    server(|s| s.rank = 0);
    first.put("card", b"two").unwrap();
    first.fence().unwrap();
    server(|s| s.rank = 1);
    second.fence().unwrap();
    assert_eq!(second.get(0, "card").unwrap(), b"two");
    assert_eq!(second.get(0, "leader").unwrap(), b"", "of the fence before");
    assert_eq!(second.get(1, "card"), Err(Error::NotPut { rank: 1, key: "card".to_owned() }));
    assert_eq!(second.get(2, "card"), Err(Error::NoSuchRank { rank: 2, size: 2 }));
    assert_eq!(server(|s| s.fences), 4);
}

#[test]
fn what_is_published_is_awaited_without_a_fence() {
    let mut first = join_as(0, 2, 2).unwrap();
    first.publish("node", b"here").unwrap();
    let second = join_as(1, 2, 2).unwrap();
    assert!(second.puts_are_awaited());
    assert_eq!(second.get_when_put(0, "node").unwrap(), b"here");
    // Rank 0 has put something, and this key comes later.
    server(|s| s.late = Some((3, "osh.key.more")));
    assert_eq!(second.get_when_put(0, "more").unwrap(), b"late");
    assert_eq!(server(|s| s.fences), 0);
    assert!(matches!(second.get_when_put(0, "odd"), Err(Error::PmixValue(_))));
}

#[test]
fn a_rank_that_joins_late_is_awaited() {
    let second = join_as(1, 2, 2).unwrap();
    server(|s| s.late = Some((2, "osh.key.node")));
    assert_eq!(second.get_when_put(0, "node").unwrap(), b"late");
}

/// One fence, and then no rank is asked for.
#[test]
fn what_all_publish_comes_to_every_node() {
    let fences = |size| {
        let mut job = join_as(0, size, 2).unwrap();
        job.publish("card", b"one").unwrap();
        job.spread().unwrap();
        assert_eq!(job.get_when_put(0, "card").unwrap(), b"one");
        server(|s| std::mem::take(&mut s.fences))
    };
    assert_eq!([2, SPREAD, SPREAD + 1].map(fences), [1, 1, 0]);
}

#[test]
fn the_ranks_of_this_node_are_what_the_server_tells_if_it_makes_sense() {
    assert_eq!(join_as(1, 4, 4).unwrap().ranks_here(), Some(vec![0, 1, 2, 3]), "without a question");
    let told = |peers| {
        server(|s| s.peers = peers);
        join_as(1, 4, 2).unwrap().ranks_here()
    };
    assert_eq!(told(Some("1,3")), Some(vec![1, 3]));
    assert_eq!(told(Some("3, 1")), Some(vec![1, 3]));
    for wrong in ["1,4", "0,2", "1", "1,1", "0,1,2"] {
        assert_eq!(told(Some(wrong)), Some(vec![1]), "{wrong}");
    }
    assert_eq!(told(Some("1,x")), None);
    assert_eq!(told(None), None, "a server that does not tell");
    server(|s| s.here = None);
    assert_eq!(PmixJob::over(FAKE).unwrap().ranks_here(), None);
}

#[test]
fn a_barrier_brings_nothing() {
    let mut job = join_as(0, 2, 1).unwrap();
    job.put("card", b"one").unwrap();
    job.barrier().unwrap();
    assert_eq!(server(|s| (s.barriers, s.fences, s.stored.len())), (1, 0, 0));
    job.fence().unwrap();
    assert_eq!(job.get(0, "card").unwrap(), b"one");
}

#[test]
fn a_barrier_need_not_be_waited_for() {
    let mut job = join_as(0, 2, 1).unwrap();
    assert!(job.barrier_is_over().unwrap(), "none was begun");
    job.begin_barrier().unwrap();
    assert!(!job.barrier_is_over().unwrap());
    let (ended, round) = server(|s| s.open).unwrap();
    // SAFETY: the function and its argument belong together, and this is the first call.
    unsafe { ended(SUCCESS, round) };
    assert!(job.barrier_is_over().unwrap() && job.met);
    server(|s| s.answer = OPERATION_SUCCEEDED);
    job.begin_barrier().unwrap();
    assert!(job.barrier_is_over().unwrap());
    server(|s| s.answer = UNREACHABLE);
    job.begin_barrier().unwrap();
    assert!(job.barrier_is_over().is_err());
    assert_eq!(server(|s| (s.barriers, s.fences)), (3, 0));
}

#[test]
fn leave_is_taken_once() {
    let mut job = join_as(0, 1, 1).unwrap();
    job.end();
    job.end();
    assert_eq!(server(|s| s.ended), 1);
    assert!(!job.mpi_may_be_left());
}

#[test]
fn a_server_that_makes_no_sense_is_left_again() {
    assert_eq!(join_as(4, 4, 4).err(), Some(Error::PmixRank { rank: 4, size: 4 }));
    assert_eq!(server(|s| s.ended), 1);
    server(|s| s.size = None);
    assert_eq!(PmixJob::over(FAKE).err(), Some(Error::PmixUntold("pmix.job.size".to_owned())));
    assert_eq!(server(|s| s.ended), 2);
}

#[test]
fn a_server_that_is_not_there_is_an_error_with_the_librarys_words() {
    REFUSES.set(true);
    let error = join_as(0, 2, 2).err().unwrap();
    assert_eq!(error.to_string(), "PMIx_Init failed: UNREACHABLE (-25)");
    assert_eq!(server(|s| s.ended), 0, "what was not begun is not ended");
}

#[test]
fn the_job_is_ended_with_status_and_message() {
    let job = join_as(0, 2, 2).unwrap();
    job.abort_handle().abort(42, "enough");
    assert_eq!(server(|s| s.aborted.take()), Some((42, "enough".to_owned())));
}
