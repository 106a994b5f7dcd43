//! Tests over a library that is played: each call is noted, and operations stay under way until `progress`.

use super::library::{
    AtomicOp, Came, ContextParams, EndpointAttributes, EndpointParams, Handle, IN_PROGRESS, Library, MemoryParams, OK,
    RequestParams, Status, WorkerParams,
};
use super::worker::Worker;
use crate::memory::addr::{Pe, SegId, Span, SymRange};
use crate::memory::local::Source;
use crate::net::native::record::Record;
use crate::net::native::worker::{MOST, Worker as _};
use crate::net::tagged::TaggedMessages;
use crate::net::{
    Exposed, Fabric, Native, NativeLibrary, Offers, Opened, Over, Place, Remote, Returns, Store, am::FabricHooks,
};
use crate::sync::ledger::{Lane, Ledger};
use crate::sync::wait::{Backoff, NOTHING_MEANWHILE, WaitPolicy};
use crate::transport::amo::{Amo, Op};
use core::cell::{Cell, RefCell};
use core::ffi::{CStr, c_char, c_uint};
use core::ptr::{null_mut, without_provenance_mut};
use core::time::Duration;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

const HANDLE: Handle = without_provenance_mut(8);
const WORD: SymRange = SymRange { seg: SegId::Heap, off: 16, len: 8 };
const EXPOSED: Exposed = Exposed { heap: Span { base: 4096, len: 4096 }, statics: Span { base: 0, len: 0 } };
static BYTES: [u8; 8] = [0; 8];

thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static UNDER_WAY: Cell<bool> = const { Cell::new(false) };
    static VERSION: Cell<c_uint> = const { Cell::new(20) };
    static MAPS: Cell<Status> = const { Cell::new(OK) };
    static TRANSPORT: Cell<&'static CStr> = const { Cell::new(c"rc_mlx5") };
    static STAY: Cell<Option<Stay>> = const { Cell::new(None) };
}

/// A put of this thread that stays in the library: it tells that it is there, and goes on when it is told to.
type Stay = (Sender<()>, Receiver<()>);

fn note(call: String) -> Handle {
    CALLS.with_borrow_mut(|calls| calls.push(call));
    if UNDER_WAY.get() { HANDLE } else { null_mut() }
}

fn calls() -> Vec<String> {
    CALLS.take()
}

/// How often a function was called.
fn count(what: &str) -> usize {
    calls().iter().filter(|call| call.starts_with(what)).count()
}

unsafe extern "C" fn version(major: *mut c_uint, minor: *mut c_uint, release: *mut c_uint) {
    // SAFETY: the caller's places for numbers.
    unsafe {
        major.write(1);
        minor.write(VERSION.get());
        release.write(0);
    }
}
unsafe extern "C" fn worker_address(_: Handle, to: *mut *mut u8, len: *mut usize) -> Status {
    // SAFETY: the caller's places; the bytes are a static, and nobody writes to them.
    unsafe {
        to.write(b"address".as_ptr().cast_mut());
        len.write(7);
    }
    OK
}

unsafe extern "C" fn key_pack(_: Handle, _: Handle, to: *mut *mut u8, len: *mut usize) -> Status {
    // SAFETY: as for `worker_address`.
    unsafe { worker_address(HANDLE, to, len) }
}

unsafe extern "C" fn endpoint_query(_: Handle, told: *mut EndpointAttributes) -> Status {
    // SAFETY: the caller has room for several entries.
    unsafe { (*(*told).entries).name = TRANSPORT.get().as_ptr() };
    OK
}

unsafe extern "C" fn atomic(
    _: Handle,
    op: AtomicOp,
    operand: *const u64,
    _: usize,
    at: u64,
    _: Handle,
    params: *const RequestParams,
) -> Handle {
    // SAFETY: operand, parameters and, if there is one, the reply's place are there.
    unsafe {
        let reply = (*params).reply_buffer.cast::<u64>();
        let given = if reply.is_null() { None } else { Some(*reply) };
        note(format!("{op:?} {} of {} bytes at {at}, {given:?}", *operand, (*params).datatype >> 3))
    }
}

/// Functions that give a handle by a pointer.
macro_rules! makers {
    ($($name:ident($($arg:ty),*);)*) => { $(
        unsafe extern "C" fn $name($(_: $arg,)* to: *mut Handle) -> Status {
            // SAFETY: the caller's place for a handle.
            unsafe { to.write(HANDLE) };
            OK
        }
    )* };
}
makers! {
    config_read(*const c_char, *const c_char);
    init(c_uint, c_uint, *const ContextParams, Handle);
    worker_create(Handle, *const WorkerParams);
    endpoint_create(Handle, *const EndpointParams);
    key_unpack(Handle, *const u8);
}

/// Functions that give what their rows say; and the library of all.
macro_rules! library {
    ([$($other:ident)*] $($name:ident($($arg:ty),*) -> $result:ty = $value:expr;)*) => {
        $(unsafe extern "C" fn $name($(_: $arg),*) -> $result {
            $value
        })*

        fn library() -> &'static Library {
            Box::leak(Box::new(Library { $($name,)* $($other,)* }))
        }
    };
}
library! {
    [version config_read init worker_create worker_address endpoint_create endpoint_query key_pack key_unpack atomic]
    mem_map(Handle, *const MemoryParams, *mut Handle) -> Status = MAPS.get();
    config_modify(Handle, *const c_char, *const c_char) -> Status = OK;
    config_release(Handle) -> () = ();
    cleanup(Handle) -> () = {
        note("cleanup".to_owned());
    };
    worker_destroy(Handle) -> () = {
        note("worker_destroy".to_owned());
    };
    release_address(Handle, *mut u8) -> () = ();
    progress(Handle) -> c_uint = {
        note("progress".to_owned());
        UNDER_WAY.set(false);
        0
    };
    fence(Handle) -> Status = {
        note("fence".to_owned());
        OK
    };
    flush(Handle, *const RequestParams) -> Handle = note("flush".to_owned());
    mem_unmap(Handle, Handle) -> Status = OK;
    key_release(*mut u8) -> () = ();
    key_destroy(Handle) -> () = ();
    put(Handle, *const u8, usize, u64, Handle, *const RequestParams) -> Handle = {
        if let Some((inside, go)) = STAY.take() {
            inside.send(()).unwrap();
            go.recv().unwrap();
        }
        note("put".to_owned())
    };
    get(Handle, *mut u8, usize, u64, Handle, *const RequestParams) -> Handle = note("get".to_owned());
    send(Handle, *const u8, usize, u64, *const RequestParams) -> Handle = null_mut();
    receive(Handle, *mut u8, usize, u64, u64, *const RequestParams) -> Handle = HANDLE;
    has_come(Handle, *mut Came) -> Status = IN_PROGRESS;
    cancel(Handle, Handle) -> () = ();
    status_of(Handle) -> Status = {
        note("status".to_owned());
        if UNDER_WAY.get() { IN_PROGRESS } else { OK }
    };
    free(Handle) -> () = {
        note("free".to_owned());
    };
    status_text(Status) -> *const c_char = c"played".as_ptr();
}

/// A worker of a job of so many PEs, connected to PEs 1 to `peers`.
fn worker(pes: usize, peers: u32) -> Worker {
    let mut worker = Worker::open(library(), [pes, 1], false).unwrap();
    let (keys, bases) = worker.expose(EXPOSED).unwrap();
    let record = Record { address: worker.address().unwrap(), keys, bases };
    (1..=peers).for_each(|pe| worker.connect(Pe(pe), &record).unwrap());
    worker
}

fn issue(worker: &mut Worker, pe: u32) {
    // SAFETY: a static.
    unsafe { worker.put(WORD, Pe(pe), Source::of_slice(&BYTES), false).unwrap() };
}

#[test]
fn an_endpoint_tells_what_it_does_by_itself() {
    let offers = |minor, transport: &'static CStr| {
        VERSION.set(minor);
        TRANSPORT.set(transport);
        let Offers { put, get, amo } = worker(2, 1).contacts().offers(Pe(1));
        [put, get, amo]
    };
    for transport in [c"rc_mlx5", c"rc_verbs", c"dc_mlx5", c"ugni_rdma"] {
        assert_eq!(offers(15, transport), [true; 3], "{transport:?}");
    }
    for transport in [c"tcp", c"ud_mlx5", c"posix", c"sysv", c"a transport of tomorrow"] {
        assert_eq!(offers(20, transport), [false; 3], "{transport:?}");
    }
    assert_eq!((offers(15, c"cma"), offers(16, c"cma")), ([false; 3], [true, true, false]));
    assert_eq!(worker(2, 0).contacts().offers(Pe(1)), Offers::default(), "nobody is there");
}

/// So PEs agree on another fabric.
#[test]
fn memory_that_is_refused_is_found_at_once() {
    MAPS.set(-3);
    let why = Worker::open(library(), [2, 1], false).and_then(|mut worker| worker.try_memory());
    let why = why.expect_err("no page can be registered");
    assert_eq!(why, "memory cannot be registered: played");
    assert_eq!(calls(), ["worker_destroy", "cleanup"]);
}

/// A heap that is refused although a page was not: the PE has a record, so that all can agree on another fabric.
#[test]
fn a_heap_that_is_refused_leaves_messages() {
    let (native, refused) = native(-3);
    assert_eq!(refused.as_deref(), Some("memory cannot be registered: played"));
    native.send_word(1, 0, 7).unwrap();
    assert_eq!(native.contacted(), 1);
}

/// What one thread's flush has not completed yet, another thread's flush completes too.
#[test]
fn a_flush_under_way_takes_nothing_away() {
    let mut worker = worker(2, 1);
    issue(&mut worker, 1);
    UNDER_WAY.set(true);
    let first = worker.flush(None).unwrap();
    let second = worker.flush(None).unwrap();
    assert_eq!((first.len(), second.len()), (1, 1));
    issue(&mut worker, 1);
    assert!(!worker.is_flushed(&first[0]).unwrap());
    UNDER_WAY.set(false);
    assert!(worker.is_flushed(&first[0]).unwrap());
    calls();
    worker.flush(None).unwrap();
    assert_eq!(count("flush"), 1, "the second put came after the first flush");
}

/// A lane's worker has peers and flushes of its own, and leaves the context to the main worker.
#[test]
fn a_lane_knows_what_was_issued_on_it() {
    let mut main = worker(3, 2);
    let mut other = main.beside().unwrap();
    issue(&mut main, 1);
    assert!(!other.contacts().knows(Pe(1)) && other.flush(None).unwrap().is_empty());
    calls();
    drop(other);
    assert_eq!(calls(), ["worker_destroy"]);
    drop(main);
    assert_eq!(calls(), ["worker_destroy", "cleanup"]);
}

fn hooks() -> FabricHooks {
    let (policy, backoff) = (WaitPolicy::Yield, Backoff::SERVING);
    FabricHooks { policy, backoff, meanwhile: &NOTHING_MEANWHILE, push: || {}, changed: || {} }
}

/// The fabric over the played library, which answers so to the registration of the heap.
fn native(maps: Status) -> (&'static Native, Option<String>) {
    static PLAYED: NativeLibrary = NativeLibrary {
        name: "played",
        word: "played",
        needs: "nothing",
        open: |pes, over| Ok(Box::new(Worker::open(library(), pes, over == Over::Machine)?)),
    };
    static RECORD: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    let publish = |record: &[u8]| {
        *RECORD.lock().unwrap() = record.to_vec();
        Ok(())
    };
    let store = Store { publish, read: |_| Ok(RECORD.lock().unwrap().clone()) };
    let opened = Opened::new(&PLAYED, [2, 1], Over::Networks).unwrap();
    MAPS.set(maps);
    Native::make(Pe(0), opened, EXPOSED, hooks(), Place::Launcher(store)).ok().unwrap()
}

/// The transport of a PE whose threads have lanes of their own.
fn remote() -> Remote {
    Remote::by_native(2, native(OK).0, EXPOSED, hooks(), true).unwrap()
}

/// A thread whose context has a lane of its own takes no lock of another lane: it goes on while a thread is in a call
/// on the main one.
#[test]
fn a_lane_of_its_own_shares_no_lock() {
    let (remote, shared, private) = (remote(), Ledger::default(), Ledger::default());
    private.set_lane(Lane(1));
    let put = |context| remote.put(context, WORD, Pe(1), Source::of_slice(&BYTES), Returns::AtOnce).unwrap();
    put(&private); // it is connected, and told what the PE offers
    let ((inside, is_inside), (go, goes), (done, is_done)) = (channel(), channel(), channel());
    let (put, shared, private, remote) = (&put, &shared, &private, &remote);
    std::thread::scope(|s| {
        s.spawn(move || {
            STAY.set(Some((inside, goes)));
            put(shared);
        });
        is_inside.recv().unwrap();
        s.spawn(move || {
            (0..1000).for_each(|_| put(private));
            remote.quiet(private).unwrap();
            done.send(()).unwrap();
        });
        let went_on = is_done.recv_timeout(Duration::from_secs(20));
        go.send(()).unwrap();
        assert_eq!(went_on, Ok(()), "it waits for the lock of the main lane");
    });
}

/// Data, fence, flag: no call that waits.
#[test]
fn a_fence_is_one_call() {
    let mut worker = worker(3, 2);
    assert!(worker.has_fence());
    [1, 2].into_iter().for_each(|pe| issue(&mut worker, pe));
    worker.fence().unwrap();
    issue(&mut worker, 1);
    assert_eq!(calls(), ["put", "put", "fence", "put"]);
    for (minor, has_fence) in [(15, true), (16, false), (18, false), (19, true)] {
        VERSION.set(minor);
        assert_eq!(Worker::open(library(), [1, 1], false).unwrap().has_fence(), has_fence, "1.{minor}");
    }
}

#[test]
fn an_amo_is_one_call() {
    let mut worker = worker(2, 1);
    let mut reply = 77;
    let mut run = |len, amo, fetches: bool| {
        calls();
        let reply = if fetches { &raw mut reply } else { null_mut() };
        // SAFETY: a local variable, and the operation is over when the call returns.
        let (request, _operands) = unsafe { worker.amo(SymRange { len, ..WORD }, Pe(1), amo, reply).unwrap() };
        assert_eq!(request, None);
        calls().join(" ")
    };
    assert_eq!(run(8, Amo::Op(Op::Add, 5), false), "Add 5 of 8 bytes at 4112, None");
    assert_eq!(run(4, Amo::Op(Op::Xor, 5), true), "Xor 5 of 4 bytes at 4112, Some(77)");
    assert_eq!(run(8, Amo::Op(Op::Fetch, 5), true), "Add 0 of 8 bytes at 4112, Some(77)");
    assert_eq!(run(8, Amo::Op(Op::Store, 5), false), "Swap 5 of 8 bytes at 4112, Some(0)");
    let swap = Amo::CompareSwap { cond: 5, value: 6 };
    assert_eq!(run(8, swap, true), "CompareSwap 5 of 8 bytes at 4112, Some(6)");
    assert_eq!(reply, 6, "UCX replaces it by the old value");
}

/// Operands of AMOs that nobody waits for are freed as these end.
#[test]
fn operands_of_amos_do_not_pile_up() {
    let mut worker = worker(2, 1);
    let add = |worker: &mut Worker| {
        // SAFETY: nothing is replied.
        let (request, operands) = unsafe { worker.amo(WORD, Pe(1), Amo::Op(Op::Add, 1), null_mut()).unwrap() };
        worker.keep(Pe(1), request.unwrap(), Some(operands)).unwrap();
    };
    UNDER_WAY.set(true);
    (0..1000).for_each(|_| add(&mut worker));
    let looks = count("status");
    assert!(looks < 2000, "each of them is looked at {} times", looks / 1000);
    UNDER_WAY.set(false);
    worker.flush(None).unwrap();
    assert_eq!(count("free"), 1000);
}

/// A program may have any number of operations on a lane before a quiet: with so many under way, they are waited for.
#[test]
fn operations_under_way_are_bounded() {
    let native = native(OK).0;
    let put = || native.put_nbi(Lane(1), WORD, Pe(1), Source::of_slice(&BYTES)).unwrap();
    put(); // it is connected
    UNDER_WAY.set(true);
    (1..MOST).for_each(|_| put());
    assert_eq!(count("progress"), 0);
    put();
    let calls = calls();
    let count = |what: &str| calls.iter().filter(|call| *call == what).count();
    assert_eq!((count("progress"), count("free")), (1, MOST));
}

/// UCX would print a warning for each request that it has not got back.
#[test]
fn a_worker_that_ends_gives_back_what_it_has_kept() {
    let mut worker = worker(2, 1);
    UNDER_WAY.set(true);
    // SAFETY: a static.
    let request = unsafe { worker.put(WORD, Pe(1), Source::of_slice(&BYTES), false).unwrap() };
    worker.keep(Pe(1), request.unwrap(), None).unwrap();
    UNDER_WAY.set(false);
    calls();
    drop(worker);
    assert_eq!(calls(), ["free", "worker_destroy", "cleanup"]);
}
