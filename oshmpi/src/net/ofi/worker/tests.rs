//! Tests over a library that is played: each call is noted, and operations are complete when `COMPLETED` names them.

use super::super::info::{Provider, tests::library};
use super::super::library::{Av, Cq, Endpoint, RmaMessage, flags};
use super::*;
use crate::memory::addr::SegId;
use crate::net::Offers;
use crate::net::native::worker::Worker as _;
use core::cell::{Cell, RefCell};
use core::ffi::{c_int, c_void};

const WORD: SymRange = SymRange { seg: SegId::Heap, off: 16, len: 8 };
static BYTES: [u8; 8] = [7; 8];

thread_local! {
    /// The operations that the library has taken, by PE.
    static TAKEN: RefCell<Vec<(u64, usize)>> = const { RefCell::new(Vec::new()) };
    /// Those that the queue tells next, with their failures.
    static COMPLETED: RefCell<VecDeque<(usize, c_int)>> = const { RefCell::new(VecDeque::new()) };
    /// The PE for which the library refuses all operations for now.
    static BUSY: Cell<u64> = const { Cell::new(0) };
}

fn take(address: u64, context: *mut c_void) -> isize {
    if BUSY.get() == address {
        return -(EAGAIN as isize);
    }
    TAKEN.with_borrow_mut(|taken| taken.push((address, context as usize)));
    0
}

/// The PEs of the operations that were taken since the last question, and the operations.
fn taken() -> (Vec<u64>, Vec<usize>) {
    TAKEN.take().into_iter().unzip()
}

unsafe extern "C" fn write(_: *mut Endpoint, message: *const RmaMessage, flags: u64) -> isize {
    assert_ne!(flags & flags::DELIVERY_COMPLETE, 0);
    // SAFETY: the caller's message.
    unsafe { take((*message).address, (*message).context) }
}

unsafe extern "C" fn poll(_: *mut Cq, to: *mut CqEntry, _: usize) -> isize {
    COMPLETED.with_borrow_mut(|completed| match completed.front() {
        None => -(EAGAIN as isize),
        Some((_, 1..)) => -(EAVAIL as isize),
        Some(&(op, _)) => {
            completed.pop_front();
            // SAFETY: the caller has room for an entry.
            unsafe { (*to).context = op as *mut c_void };
            1
        }
    })
}

unsafe extern "C" fn error(_: *mut Cq, to: *mut CqError, _: u64) -> isize {
    let (op, failure) = COMPLETED.with_borrow_mut(VecDeque::pop_front).expect("there is one");
    // SAFETY: the caller's entry.
    unsafe { ((*to).context, (*to).err) = (op as *mut c_void, failure) };
    1
}

/// Functions that give what their rows say.
macro_rules! played {
    ($($name:ident($($arg:ty),*) -> $result:ty = $value:expr;)*) => {
        $(unsafe extern "C" fn $name($(_: $arg),*) -> $result {
            $value
        })*
    };
}
type Ep = *mut Endpoint;
played! {
    read(Ep, *mut u8, usize, *mut c_void, u64, u64, u64, *mut c_void) -> isize = 0;
    receive(Ep, *mut u8, usize, *mut c_void, u64, u64, u64, *mut c_void) -> isize = 0;
    send(Ep, *const u8, usize, *mut c_void, u64, u64, *mut c_void) -> isize = 0;
    fetch(Ep, *const u64, usize, *mut c_void, *mut u64, *mut c_void, u64, u64, u64, c_int, c_int, *mut c_void)
        -> isize = 0;
    compare(Ep, *const u64, usize, *mut c_void, *const u64, *mut c_void, *mut u64, *mut c_void, u64, u64, u64, c_int,
        c_int, *mut c_void) -> isize = 0;
    cancel(Ep, *mut c_void) -> isize = 0;
    text(*mut Cq, c_int, *const c_void, *mut c_char, usize) -> *const c_char = c"played".as_ptr();
    insert(*mut Av, *const u8, usize, *mut u64, u64, *mut c_void) -> c_int = 1;
}

/// A worker that knows PEs 1 to 3, whose addresses are their numbers.
fn worker() -> Worker {
    let library = library();
    let calls = Calls { read, write, receive, send, fetch, compare, cancel, poll, error, text, insert };
    let objects = Objects::of_fabric(library, Provider::none(library), null_mut(), false);
    let mut worker = Worker::with(calls, objects, 4);
    let record = Record { address: Vec::new(), keys: [Vec::new(), Vec::new()], bases: [4096, 0] };
    for pe in 1..4 {
        let way = Way { address: pe, keys: [1, 2], waiting: VecDeque::new(), over: VecDeque::new() };
        worker.peers.add(Pe(pe as u32), way, &record, Offers::default());
    }
    worker
}

fn put(worker: &mut Worker, pe: u32) {
    // SAFETY: a static.
    let request = unsafe { worker.put(WORD, Pe(pe), Source::of_slice(&BYTES), false).unwrap() };
    worker.forget(request.unwrap());
}

fn completes(op: usize, failure: c_int) {
    COMPLETED.with_borrow_mut(|completed| completed.push_back((op, failure)));
}

/// What is refused for now waits in order at its PE, and keeps no other PE waiting.
#[test]
fn full_queues_keep_the_order_of_each_pe() {
    let mut worker = worker();
    BUSY.set(1);
    [1, 2, 1, 3, 1].into_iter().for_each(|pe| put(&mut worker, pe));
    assert_eq!(taken().0, [2, 3]);
    worker.progress();
    assert_eq!(taken().0, []);
    BUSY.set(2);
    put(&mut worker, 1);
    assert_eq!(taken().0, [], "it is behind the others");
    put(&mut worker, 2);
    assert!(worker.progress());
    let (pes, ops) = taken();
    assert_eq!((pes, ops.len()), (vec![1; 4], 4));
    BUSY.set(0);
    worker.progress();
    put(&mut worker, 1);
    assert_eq!(taken().0, [2, 1]);
    assert!(worker.waiting.is_empty());
}

/// A quiet waits for the operations that were issued before it, in whatever order all complete.
#[test]
fn a_quiet_counts_operations_by_their_order() {
    let mut worker = worker();
    assert!(worker.flush(None).unwrap().is_empty());
    [1, 1, 2].into_iter().for_each(|pe| put(&mut worker, pe));
    let before = worker.flush(Some(&[Pe(1)])).unwrap();
    assert_eq!((before.len(), worker.flush(None).unwrap().len()), (1, 2));
    put(&mut worker, 1);
    let (_, ops) = taken();
    let mut is_flushed_after = |op| {
        completes(op, 0);
        worker.progress();
        worker.is_flushed(&before[0]).unwrap()
    };
    assert!(!is_flushed_after(ops[3]), "a later one");
    assert!(!is_flushed_after(ops[1]));
    assert!(is_flushed_after(ops[0]));
    assert_eq!(worker.flush(None).unwrap().len(), 1);
    completes(ops[2], 0);
    worker.progress();
    assert!(worker.flush(None).unwrap().is_empty());
}

/// So a program cannot have any number of operations under way.
#[test]
fn a_lane_is_full_until_operations_are_complete() {
    let mut worker = worker();
    (1..MOST).for_each(|i| put(&mut worker, 1 + (i % 3) as u32));
    assert_eq!(worker.full().unwrap(), None);
    put(&mut worker, 1);
    assert_eq!(worker.full().unwrap(), Some(Pe(2)), "the first one went there");
    completes(taken().1[0], 0);
    worker.progress();
    assert_eq!(worker.full().unwrap(), None);
}

/// A failure for which nobody waits is told by the next quiet, in the library's words.
#[test]
fn a_quiet_tells_failures() {
    let mut worker = worker();
    put(&mut worker, 2);
    completes(taken().1[0], libc::ECONNRESET);
    worker.progress();
    let told = worker.flush(None).unwrap_err().to_string();
    assert_eq!(told, "libfabric: a put to memory of PE 2 failed: no data (played)");
    assert!(worker.flush(None).unwrap().is_empty());
}

/// A put whose source is copied needs no wait.
#[test]
fn a_copied_source_may_be_reused() {
    let mut worker = worker();
    let mut source = [1u8; 8];
    BUSY.set(1);
    // SAFETY: the worker copies it.
    let request = unsafe { worker.put(WORD, Pe(1), Source::of_slice(&source), true).unwrap() };
    source.fill(2);
    assert_eq!(request, None);
    let op = worker.peers.known(Pe(1)).way.waiting[0];
    // SAFETY: the operation waits.
    let What::Put { from, len, .. } = (unsafe { (*op).what }) else { panic!("a put") };
    // SAFETY: as above.
    assert_eq!(unsafe { core::slice::from_raw_parts(from, len) }, [1; 8]);
}
