//! The calling thread: its clock, its stack, and the routine that it is in.

use crate::far::Sent;
use crate::memory;
use crate::node::{Node, SITES, node};
use crate::site;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};
use oshmpi_race::cell::Stamp;
use oshmpi_race::order::{Now, Pe, Thread};
use oshmpi_race::shadow::SITE_BITS;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

/// Calls that are kept per thread: `c/calls.h`.
const DEPTH: usize = 256;

/// The calls of a thread, as the compiler's calls at their begin and end tell: `c/calls.h` has the same.
#[repr(C)]
pub struct Stack {
    pub depth: u32,
    /// In a routine of OpenSHMEM, in the detector, or in a handler of a signal. Nothing that code of the program does
    /// there is noted.
    pub inside: u32,
    /// The thread, a `Me`, or null: [`me`] has not been called.
    me: *mut core::ffi::c_void,
    /// What [`Thread::show`] shows.
    now: Now,
    /// The thread's [`CACHE`] sites.
    sites: *const u64,
    /// A hash of the calls.
    hash: u64,
    pcs: [usize; DEPTH],
    /// The hashes of no call, of the first, of the first two, ...
    hashes: [u64; DEPTH + 1],
}

unsafe extern "C" {
    fn oshmpi_race_stack() -> *mut Stack;
    /// The number of threads or tasks that may touch private memory is not one.
    static mut oshmpi_race_many: i32;
    /// The program has made a thread.
    static mut oshmpi_race_threads: i32;
}

/// The thread is in the detector, until this is dropped. It may hold a lock or change something.
pub struct Inside(*mut Stack);

impl Inside {
    /// None: the thread is inside already.
    pub fn begin() -> Option<Inside> {
        // SAFETY: the C side's thread-local.
        unsafe { Inside::of(oshmpi_race_stack()) }
    }

    /// # Safety
    /// `stack` is the calling thread's.
    #[inline(always)]
    pub unsafe fn of(stack: *mut Stack) -> Option<Inside> {
        // SAFETY: the caller's promise. A handler that comes between leaves the word as it was.
        let inside = unsafe { &mut (*stack).inside };
        if *inside > 0 {
            return None;
        }
        *inside = 1;
        Some(Inside(stack))
    }
}

/// Nothing is noted of the calling thread from now on, and of no thread that begins later.
pub fn stay_inside() {
    UP.store(false, Ordering::Relaxed);
    // SAFETY: the C side's thread-local; nobody else writes it.
    let stack = unsafe { &mut *oshmpi_race_stack() };
    stack.inside += 1;
    (stack.now, stack.sites) = (Now::NOBODY, NO_SITES.as_ptr());
}

impl Drop for Inside {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: as in `of`.
        unsafe { (*self.0).inside = 0 };
    }
}

/// Sites that are found at once: `c/calls.h`.
const CACHE: usize = 4096;

/// A site, and 40 bits of a hash of where it is: so many that no two sites of a program have the same. `c/accesses.c`
/// knows this.
fn cached(hash: u64, site: u32) -> u64 {
    hash << SITE_BITS | u64::from(site)
}

/// A thread of this PE.
pub struct Me {
    pub thread: Thread,
    /// The routine that the thread is in, and where it was called. 0: none.
    routine: u32,
    pc: usize,
    /// Sites by a hash of where they are: those that were asked for last, and all.
    cache: Box<[u64; CACHE]>,
    sites: HashMap<u64, u32>,
    /// What PEs of other nodes have been told.
    pub sent: Sent,
}

impl Me {
    /// Goes on as another thread. Returns the one before.
    pub fn become_thread(&mut self, thread: Thread) -> Thread {
        let before = core::mem::replace(&mut self.thread, thread);
        // SAFETY: the C side's thread-local, until leave.
        unsafe { self.thread.show(&raw mut (*oshmpi_race_stack()).now) };
        before
    }

    /// The site of an instruction, or of the routine that the thread is in.
    pub fn site(&mut self, node: &Node, pc: Option<usize>) -> u32 {
        // SAFETY: the C side's thread-local; nobody else writes it.
        let stack = unsafe { &*oshmpi_race_stack() };
        match pc {
            Some(pc) => self.site_in(node, stack, pc),
            None => self.routine_in(node, stack, self.routine, self.pc),
        }
    }

    /// The site of an instruction of a function that the stack's last call has begun.
    #[inline(always)]
    pub fn site_in(&mut self, node: &Node, stack: &Stack, pc: usize) -> u32 {
        self.routine_in(node, stack, 0, pc)
    }

    #[inline(always)]
    fn routine_in(&mut self, node: &Node, stack: &Stack, routine: u32, pc: usize) -> u32 {
        let access = stack.hash ^ pc as u64;
        let hash = if routine == 0 { access } else { site::mix(access, routine.into()) };
        let found = self.cache[hash as usize % CACHE] ^ cached(hash, 0);
        if found >> SITE_BITS == 0 { found as u32 } else { self.new_site(node, stack, hash, routine, pc) }
    }

    #[cold]
    #[inline(never)]
    fn new_site(&mut self, node: &Node, stack: &Stack, hash: u64, routine: u32, pc: usize) -> u32 {
        let depth = (stack.depth as usize).min(DEPTH);
        if self.sites.len() == SITES {
            // A program that calls itself has ever new ones. What is found again is in the node's file.
            self.sites.clear();
        }
        let site = *self.sites.entry(hash).or_insert_with(|| intern(node, stack, depth, routine, pc));
        self.cache[hash as usize % CACHE] = cached(hash, site);
        site
    }

    pub fn routine(&self) -> u32 {
        self.routine
    }
}

fn intern(node: &Node, stack: &Stack, depth: usize, routine: u32, pc: usize) -> u32 {
    let frames: Vec<usize> = core::iter::once(pc).chain(stack.pcs[..depth].iter().rev().copied()).collect();
    site::intern(node, routine, &frames)
}

/// The contexts of this PE, and actors of threads that have ended.
pub struct Process {
    pub pe: Pe,
    ended: VecDeque<Stamp>,
}

/// The process, which [`process`] gives to one at a time.
struct Shared(UnsafeCell<Option<Process>>);

// SAFETY: accessed as `process` says.
unsafe impl Sync for Shared {}

static PROCESS: Shared = Shared(UnsafeCell::new(None));
static LOCK: Mutex<()> = Mutex::new(());
static UP: AtomicBool = AtomicBool::new(false);

/// How many ended threads wait before an actor is used again, so that a new thread is seldom taken for an old one.
const WAITING: usize = 64;

/// The process, while nobody else has it. It is held for a statement or a block, in which it is not asked for again.
#[expect(dead_code, reason = "held until it is dropped")]
pub struct Held(Option<MutexGuard<'static, ()>>);

impl core::ops::Deref for Held {
    type Target = Process;
    fn deref(&self) -> &Process {
        // SAFETY: the lock is held, or this is the only thread.
        unsafe { &*PROCESS.0.get() }.as_ref().expect("it is set before UP")
    }
}

impl core::ops::DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Process {
        // SAFETY: the lock is held, or this is the only thread.
        unsafe { &mut *PROCESS.0.get() }.as_mut().expect("it is set before UP")
    }
}

fn lock() -> MutexGuard<'static, ()> {
    LOCK.lock().unwrap_or_else(|e| e.into_inner())
}

/// The process, once the library is up. Where there are several threads, with a lock.
pub fn process() -> Held {
    Held(may_be_several().then(lock))
}

/// Whether there are other threads, also if what they do to private memory is not noted.
pub fn may_be_several() -> bool {
    // SAFETY: a word that changes once, before there is another thread.
    let made = unsafe { core::ptr::read_volatile(&raw const oshmpi_race_threads) } != 0;
    made || are_many()
}

impl Process {
    /// A thread that knows nothing of others.
    pub fn new_thread(&mut self) -> Thread {
        let fresh = if self.ended.len() > WAITING { None } else { self.pe.thread() };
        if let Some(actor) = fresh {
            return Thread::new(actor);
        }
        // The accesses of the one that ended are over, if there is no other.
        let old = self.ended.pop_front().unwrap_or(Stamp { actor: 1, epoch: 1 });
        Thread::after(old)
    }

    pub fn end_thread(&mut self, thread: &Thread) {
        self.ended.push_back(thread.now());
    }
}

/// Makes the process and its main thread.
pub fn start(node: &'static Node) {
    let held = lock();
    // SAFETY: the lock is held, and nobody calls `process` before UP.
    let process = unsafe { &mut *PROCESS.0.get() };
    if process.is_none() {
        let pe = Pe::new(node.table, node.memory.pe);
        let mut pe = pe.unwrap_or_else(|| crate::options::fail("there are too many PEs on this node"));
        pe.tells_others(node.memory.count < node.memory.n_pes);
        *process = Some(Process { pe, ended: VecDeque::new() });
    }
    drop(held);
    UP.store(true, Ordering::Release); // SYNC process: pairs with the load in me
    let _ = me();
}

/// Threads are many from now on: what they do to private memory is noted.
pub fn many() {
    if are_many() {
        return;
    }
    // SAFETY: a word that changes once; whoever reads the old value misses an access before the new thread's first.
    unsafe { core::ptr::write_volatile(&raw mut oshmpi_race_many, 1) };
    memory::unlearn();
}

/// Threads may be many when the library starts: the program has made one before.
pub fn start_with_others() {
    // SAFETY: a word that changes once.
    if unsafe { core::ptr::read_volatile(&raw const oshmpi_race_threads) } != 0 {
        many();
    }
}

pub fn are_many() -> bool {
    // SAFETY: as above.
    unsafe { core::ptr::read_volatile(&raw const oshmpi_race_many) != 0 }
}

/// The sites that are found while no access fits what is shown: none.
static NO_SITES: [u64; CACHE] = [0; CACHE];

/// After an AMO of a row: see `oshmpi_race::order::again`.
pub fn go_on_in_row(me: &mut Me) {
    me.thread.go_on_in_row();
    // SAFETY: the C side's thread-local; nobody else writes it.
    unsafe { (*oshmpi_race_stack()).sites = NO_SITES.as_ptr() };
}

#[cold]
fn end_row(me: &mut Me, stack: &mut Stack) {
    me.thread.end_row();
    stack.sites = me.cache.as_ptr();
}

/// The calling thread. None before the library is up.
#[inline]
pub fn me() -> Option<&'static mut Me> {
    // SAFETY: the C side's thread-local; nobody else writes it.
    me_in(unsafe { &mut *oshmpi_race_stack() })
}

/// The calling thread, which may be in a row of AMOs and stays there.
pub fn me_in_row_of_amos() -> Option<&'static mut Me> {
    // SAFETY: the C side's thread-local; nobody else writes it.
    me_in_row(unsafe { &mut *oshmpi_race_stack() })
}

/// The calling thread, whose stack this is.
#[inline(always)]
pub fn me_in(stack: &mut Stack) -> Option<&'static mut Me> {
    let me = me_in_row(stack)?;
    if me.thread.is_in_row() {
        end_row(me, stack);
    }
    Some(me)
}

/// The calling thread, whose stack this is. It may be in a row of AMOs and stays there.
#[inline(always)]
pub fn me_in_row(stack: &mut Stack) -> Option<&'static mut Me> {
    if stack.me.is_null() {
        new_me(stack)?;
    }
    // SAFETY: made by new_me for this thread alone. Functions of this library take it once per call from outside.
    Some(unsafe { &mut *stack.me.cast() })
}

#[cold]
fn new_me(stack: &mut Stack) -> Option<()> {
    // SYNC process: pairs with the store in start
    if !UP.load(Ordering::Acquire) {
        return None;
    }
    node()?;
    static MADE: AtomicBool = AtomicBool::new(false);
    if MADE.swap(true, Ordering::Relaxed) {
        // Perhaps one that was made unseen, as by thrd_create.
        // SAFETY: a word that changes once.
        unsafe { core::ptr::write_volatile(&raw mut oshmpi_race_threads, 1) };
    }
    let thread = process().new_thread();
    let cache = Box::new([0; CACHE]);
    let sites = HashMap::new();
    let me = Me { thread, routine: 0, pc: 0, cache, sites, sent: Sent::new() };
    let me = Box::leak(Box::new(me));
    // SAFETY: the C side's thread-local, until leave.
    unsafe { me.thread.show(&raw mut (*oshmpi_race_stack()).now) };
    stack.sites = me.cache.as_ptr();
    stack.me = core::ptr::from_mut(me).cast();
    Some(())
}

/// Whether something has been noted of the calling thread.
pub fn is_known() -> bool {
    // SAFETY: the C side's thread-local; nobody else writes it.
    !unsafe { &*oshmpi_race_stack() }.me.is_null()
}

/// Forgets the calling thread, which ends.
pub fn leave() {
    // SAFETY: the C side's thread-local; nobody else writes it.
    let stack = unsafe { &mut *oshmpi_race_stack() };
    let at = core::mem::replace(&mut stack.me, core::ptr::null_mut());
    (stack.now, stack.sites) = (Now::NOBODY, NO_SITES.as_ptr());
    if !at.is_null() {
        // SAFETY: it came from a Box, and nobody has it any more.
        let me = unsafe { Box::from_raw(at.cast::<Me>()) };
        process().end_thread(&me.thread);
    }
}

/// Begins a routine. Returns whether its effects are to be noted.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_race_enter(routine: u32, pc: usize) -> i32 {
    // SAFETY: the C side's thread-local; nobody else writes it.
    let stack = unsafe { &mut *oshmpi_race_stack() };
    stack.inside += 1;
    if stack.inside > 1 {
        return 0;
    }
    let Some(me) = me_in_row(stack) else { return 0 };
    (me.routine, me.pc) = (routine, pc);
    1
}

#[unsafe(no_mangle)]
extern "C" fn oshmpi_race_leave() {
    // SAFETY: the C side's thread-local; nobody else writes it.
    let stack = unsafe { &mut *oshmpi_race_stack() };
    stack.inside -= 1;
}
