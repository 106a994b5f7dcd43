//! Which shadow an address has: that of the node's file for symmetric memory, one of this process for other memory.
//!
//! One word per page of the address space tells: `UNKNOWN`, `PRIVATE`, where the page's [`Seen`] is, which leads to
//! the shadow, or where the shadow is (`OWN`, `OF_THREADS`). The words lie in address space that takes memory only
//! where pages of the program are.

use crate::effects;
use crate::node::{Node, node};
use crate::options::fail;
use crate::report::{self, Race};
use crate::thread::{self, Inside, Me, Stack};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use oshmpi_race::ahead::write_soon;
use oshmpi_race::cell::{Cell, GRANULE, Kind};
use oshmpi_race::clock::View;
use oshmpi_race::order::InRow;
use oshmpi_race::seen::Seen;
use oshmpi_race::shadow::{Access, CELLS, Conflict, InARow, PAGE, Page};
use oshmpi_race::table::Found;
use std::sync::Mutex;

/// Not looked at yet.
const UNKNOWN: u64 = 0;
/// Not symmetric, and without shadow: nothing is under way there, and one thread alone uses it. Or nothing is noted.
const PRIVATE: u64 = 1;
/// Added to where the shadow is of a page that the only thread of this process owns, or has owned.
const OWN: u64 = 2;
/// Added to where the shadow is of a page that several threads use.
const OF_THREADS: u64 = 4;
/// Bits of an address of a program.
const ADDRESS_BITS: u32 = 48;
const WORDS: usize = 1 << (ADDRESS_BITS - PAGE.trailing_zeros());

unsafe extern "C" {
    /// The words, for `c/accesses.c`.
    static mut oshmpi_race_pages: *mut u64;
    /// Accesses are noted.
    static mut oshmpi_race_on: i32;
}

/// Where the words are.
static PAGES: AtomicUsize = AtomicUsize::new(0);
/// The words of pages with a shadow of this process.
static PRIVATE_PAGES: Mutex<Vec<&'static AtomicU64>> = Mutex::new(Vec::new());

/// Before the program's first access.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_race_reserve() {
    if PAGES.load(Ordering::Relaxed) == 0 {
        PAGES.store(reserve(WORDS * 8), Ordering::Relaxed);
        // SAFETY: an aligned word; the process has one thread yet.
        unsafe { core::ptr::write_volatile(&raw mut oshmpi_race_pages, PAGES.load(Ordering::Relaxed) as *mut u64) };
    }
}

/// From now on accesses are noted.
pub fn start() {
    set_noting(true);
    unlearn();
}

/// From now on nothing is noted.
pub fn stop() {
    set_noting(false);
    unlearn();
}

fn set_noting(on: bool) {
    // SAFETY: an aligned word that C code reads; no other thread of the program runs instrumented code meanwhile that
    // matters.
    unsafe { core::ptr::write_volatile(&raw mut oshmpi_race_on, on.into()) };
}

fn is_noting() -> bool {
    // SAFETY: as above.
    unsafe { core::ptr::read_volatile(&raw const oshmpi_race_on) != 0 }
}

/// Forgets which pages are what, but for pages with a shadow of this process.
pub fn unlearn() {
    oshmpi_race_reserve();
    let kept = PRIVATE_PAGES.lock().unwrap_or_else(|e| e.into_inner());
    let words: Vec<u64> = kept.iter().map(|at| at.load(Ordering::Acquire)).collect();
    // SAFETY: the words' own mapping, all zero then. Zero is a word.
    unsafe { libc::madvise(PAGES.load(Ordering::Relaxed) as *mut _, WORDS * 8, libc::MADV_DONTNEED) };
    for (at, word) in kept.iter().zip(words).filter(|(_, word)| *word > PRIVATE) {
        let word = if word & OWN != 0 { word - OWN + owned() } else { word };
        at.store(word, Ordering::Release); // SYNC page: pairs with the loads in shadow and first
    }
}

/// Address space that takes memory when it is touched.
fn reserve(len: usize) -> usize {
    // SAFETY: a new mapping.
    let at = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        libc::mmap(core::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    };
    if at == libc::MAP_FAILED {
        let why = std::io::Error::last_os_error();
        fail(&format!("cannot reserve {} GiB of address space: {why}; see ulimit -v", len >> 30));
    }
    // SAFETY: the range was mapped above. A core file must not hold it.
    unsafe { libc::madvise(at, len, libc::MADV_DONTDUMP) };
    at as usize
}

fn word(addr: usize) -> Option<&'static AtomicU64> {
    let pages = PAGES.load(Ordering::Relaxed);
    let i = addr / PAGE;
    // SAFETY: inside the words, which stay mapped.
    (pages != 0 && i < WORDS).then(|| unsafe { AtomicU64::from_ptr((pages as *mut u64).add(i)) })
}

/// The shadow of the page of an address, and whether it lies in the node's file. `make`: also if it has none yet.
fn shadow(node: &Node, addr: usize, make: bool) -> Option<(&'static Page, bool)> {
    let at = word(addr)?;
    if at.load(Ordering::Relaxed) == UNKNOWN {
        if let Some(from_slots) = node.from_slots(addr) {
            new_page(at, Some(node.page(from_slots)));
        } else {
            alone(at);
        }
    }
    // SYNC page: pairs with the stores in new_page and lead
    let page = match at.load(Ordering::Acquire) {
        UNKNOWN | PRIVATE if make => new_page(at, None),
        word => page_of(word)?,
    };
    Some((page, node.has(page)))
}

/// Where one thread is alone, a page of no shadow has nothing to compare with.
fn alone(at: &AtomicU64) {
    if !thread::are_many() {
        let _ = at.compare_exchange(UNKNOWN, PRIVATE, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// What is added to where the shadow is of a page that a thread of this process owns.
fn owned() -> u64 {
    if thread::are_many() { OF_THREADS } else { OWN }
}

/// The marks that a page's word leads to.
#[inline(always)]
fn seen(word: u64) -> Option<&'static Seen> {
    // SAFETY: the word was stored by new_page or lead.
    (word > PRIVATE && word & (OWN | OF_THREADS) == 0).then(|| unsafe { Seen::at(word as usize) })
}

/// The shadow that a page's word leads to.
#[inline(always)]
fn page_of(word: u64) -> Option<&'static Page> {
    match word & (OWN | OF_THREADS) {
        0 => seen(word)?.page(),
        // SAFETY: the word was stored by oshmpi_race_first.
        added => Some(unsafe { Page::at((word - added) as usize) }),
    }
}

/// Zeroed memory that stays.
struct Arena {
    next: usize,
    left: usize,
}

impl Arena {
    const CHUNK: usize = 1024;

    /// Memory for one of so many bytes.
    fn take(&mut self, bytes: usize) -> usize {
        if self.left == 0 {
            *self = Arena { next: reserve(Arena::CHUNK * bytes), left: Arena::CHUNK };
        }
        self.left -= 1;
        self.next += bytes;
        self.next - bytes
    }
}

/// Leads a page's word to its shadow: `shared`, or a new one of this process.
fn new_page(at: &'static AtomicU64, shared: Option<&'static Page>) -> &'static Page {
    static MADE: Mutex<Arena> = Mutex::new(Arena { next: 0, left: 0 });
    let mut made = MADE.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(page) = page_of(at.load(Ordering::Acquire)) {
        return page;
    }
    // SAFETY: new and zero, never unmapped.
    let page = shared.unwrap_or_else(|| unsafe { Page::at(made.take(size_of::<InARow>())) });
    if shared.is_none() {
        PRIVATE_PAGES.lock().unwrap_or_else(|e| e.into_inner()).push(at);
    }
    lead(at, new_marks(page));
    page
}

/// Marks of pages that have become the only thread's own since.
static UNUSED: Mutex<Vec<&'static Seen>> = Mutex::new(Vec::new());

/// Marks of this process for a page.
fn new_marks(page: &'static Page) -> &'static Seen {
    static MADE: Mutex<Arena> = Mutex::new(Arena { next: 0, left: 0 });
    let unused = UNUSED.lock().unwrap_or_else(|e| e.into_inner()).pop();
    let seen = unused.unwrap_or_else(|| {
        let marks = MADE.lock().unwrap_or_else(|e| e.into_inner()).take(size_of::<Seen>());
        // SAFETY: new and zero, never unmapped.
        unsafe { Seen::at(marks) }
    });
    seen.lead_to(page);
    seen
}

/// The page of a word has become the thread's own, so nothing leads to the marks of the word before. With several
/// threads another one may have just found them.
fn leave_marks(before: u64) {
    if let Some(marks) = seen(before).filter(|_| !thread::may_be_several()) {
        UNUSED.lock().unwrap_or_else(|e| e.into_inner()).push(marks);
    }
}

/// Leads a page's word to marks of it.
fn lead(at: &AtomicU64, to: &'static Seen) -> &'static Seen {
    at.store(core::ptr::from_ref(to) as u64, Ordering::Release); // SYNC page: pairs with the loads in shadow and first
    to
}

/// Where an access is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// An offset from the node's first slot.
    Symmetric(usize),
    /// An address of this process.
    Private(usize),
}

impl Place {
    /// Where the page begins.
    fn page(self) -> Place {
        match self {
            Place::Symmetric(off) => Place::Symmetric(off / PAGE * PAGE),
            Place::Private(addr) => Place::Private(addr / PAGE * PAGE),
        }
    }
}

/// An access to symmetric memory of a PE of the node. One that leaves the slots is none: a routine refuses it.
pub fn symmetric(node: &Node, from_slots: usize, len: usize, by: &Access<'_>) {
    if from_slots % PAGE + len > PAGE && !node.has_slots_for(from_slots, len) {
        return;
    }
    each_page(from_slots, len, |at, from, to| {
        check(node.page(at), Place::Symmetric(at), from, to, by);
    });
}

/// A word of symmetric memory, and its synchronisation word, are accessed soon. Returns the latter.
pub fn soon(node: &Node, from_slots: usize) -> Found {
    node.page(from_slots).soon(from_slots % PAGE);
    let found = node.table.soon(effects::key(from_slots));
    // SAFETY: a word of the slots, which stay mapped.
    write_soon(unsafe { AtomicU32::from_ptr(((node.memory.slots + from_slots) & !3) as *mut u32) });
    node.tell_of_spill();
    found
}

/// A word of symmetric memory that has an AMO of a row. None if it is not in one granule.
pub fn in_row(
    node: &Node,
    (at, len): (usize, usize),
    (ctx, target, kind): (usize, u32, Kind),
) -> Option<InRow<'static, CELLS>> {
    let (bytes, page) = (bytes_of(at, len)?, node.page(at));
    Some(InRow { ctx: ctx as u64, target, page, granule: at % PAGE / GRANULE, bytes, kind })
}

/// An access to memory of this process. Symmetric memory is compared with what all PEs of the node do.
pub fn local(node: &Node, addr: usize, len: usize, by: &Access<'_>) {
    let many = thread::are_many();
    // A page at a time: where one is symmetric the next need not be.
    each_page(addr, len, |at, from, to| {
        let make = many || !by.in_order;
        let Some((page, shared)) = shadow(node, at + from, make && by.noted) else { return };
        let place = match shared {
            true => node.from_slots(at + from).map_or(Place::Private(at), |off| Place::Symmetric(off).page()),
            false => Place::Private(at),
        };
        check(page, place, from, to, &Access { noted: by.noted && (shared || make), ..*by });
    });
}

/// Calls `f` with the start of each page of a range, and with the part of the page that is in it.
fn each_page(start: usize, len: usize, mut f: impl FnMut(usize, usize, usize)) {
    let (mut at, end) = (start, start.saturating_add(len));
    while at < end {
        let page = at / PAGE * PAGE;
        let to = end.min(page + PAGE);
        f(page, at - page, to - page);
        at = to;
    }
}

fn check(page: &Page, place: Place, from: usize, to: usize, by: &Access<'_>) {
    let mut last = None;
    page.access(from, to, by, &mut |conflict| {
        // A long block races in each of its words alike.
        let alike = (conflict.earlier.by(), conflict.site);
        if last.replace(alike) != Some(alike) {
            raced(place, from, to, by, conflict);
        }
    });
}

/// An access to the bytes `from..to` of a page has raced.
#[cold]
fn raced(page: Place, from: usize, to: usize, by: &Access<'_>, conflict: Conflict) {
    let at = match page {
        Place::Symmetric(page) => Place::Symmetric(page + conflict.offset),
        Place::Private(page) => Place::Private(page + conflict.offset),
    };
    let low = from.saturating_sub(conflict.offset).min(7);
    let high = (to - conflict.offset).min(8);
    let bytes = ((0xffu32 >> (8 - (high - low))) << low) as u8;
    report::race(&Race {
        place: at,
        new: Cell::new(by.by, bytes, by.kind),
        new_site: by.site,
        earlier: conflict.earlier,
        earlier_site: conflict.site,
        view: by.view,
    });
}

/// Memory that was just allocated has no past.
pub fn forget(addr: usize, len: usize) {
    let Some(node) = node() else { return };
    each_page(addr, len, |at, from, to| {
        if let Some((page, false)) = shadow(node, at + from, false) {
            page.forget(from, to);
            word(at).and_then(|at| seen(at.load(Ordering::Acquire))).into_iter().for_each(Seen::forget);
        }
    });
}

/// An access of the calling thread to its own memory.
pub fn touch(me: &mut Me, node: &Node, addr: usize, len: usize, kind: Kind, pc: Option<usize>) {
    let site = me.site(node, pc);
    local(node, addr, len, &me.thread.access(kind, site));
}

/// What the compiler's calls come to, if the page has shadow or is not known.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_race_access(addr: usize, len: usize, write: i32, pc: usize) {
    if let Some(_inside) = Inside::begin() {
        accessed(addr, len, write != 0, pc);
    }
}

fn accessed(addr: usize, len: usize, write: bool, pc: usize) {
    if !is_noting() {
        [addr, addr + len - 1].into_iter().filter_map(word).for_each(alone);
        return;
    }
    let (Some(node), Some(me)) = (node(), thread::me()) else { return };
    let kind = if write { Kind::WRITE } else { Kind::READ };
    // Where one thread is alone, private memory without shadow has nothing to compare with.
    let no_shadow = |addr| shadow(node, addr, false).is_none();
    if len <= 16 && !thread::are_many() && no_shadow(addr) && no_shadow(addr + len - 1) {
        return;
    }
    touch(me, node, addr, len, kind, Some(pc));
}

/// In an argument of [`oshmpi_race_first`].
const STORE: usize = 256;

/// Which bytes of its granule an access is to. None if it is not in one.
#[inline(always)]
fn bytes_of(addr: usize, len: usize) -> Option<u8> {
    let low = addr % GRANULE;
    (low + len <= GRANULE).then_some((((1u32 << len) - 1) << low) as u8)
}

/// [`oshmpi_race_access`] to at most 8 bytes, as most are: the first one of its kind in this epoch to bytes of a
/// granule, or one to a page that is not known. `what`: how many bytes, and [`STORE`] or 0. It takes no lock.
///
/// # Safety
/// `calls` is the stack of the calling thread.
#[unsafe(no_mangle)]
unsafe extern "C" fn oshmpi_race_first(addr: usize, what: usize, pc: usize, calls: *mut Stack) {
    // SAFETY: the caller's promise.
    let Some(_inside) = (unsafe { Inside::of(calls) }) else { return };
    let (len, store) = (what % STORE, what & STORE != 0);
    let at = word(addr);
    // SYNC page: pairs with the stores in new_page and lead
    let found = at.map_or(UNKNOWN, |at| at.load(Ordering::Acquire));
    let (Some(bytes), Some(at), Some(page)) = (bytes_of(addr, len), at, page_of(found)) else {
        return accessed(addr, len, store, pc);
    };
    // SAFETY: the C side's thread-local; nobody else writes it.
    let calls = unsafe { &mut *calls };
    let (Some(node), Some(me)) = (node(), thread::me_in(calls)) else { return };
    let site = me.site_in(node, calls, pc);
    let (granule, whole) = (addr % PAGE / GRANULE, me.thread.whole());
    loop {
        if page.own_access((granule, bytes, store), whole, site) {
            let word = core::ptr::from_ref(page) as u64 + owned();
            if found != word {
                // SYNC page: pairs with the loads in shadow and above
                at.store(word, Ordering::Release);
                leave_marks(found);
            }
            return;
        }
        let compared = || compared(page, addr, bytes, store, me, site);
        if !thread::are_many() {
            let seen = seen(found).unwrap_or_else(|| lead(at, new_marks(page)));
            let knows = (whole, View::of(&me.thread.clock));
            if seen.came_back(page.epochs_alone()) && page.own_again(knows.0, knows.1) {
                continue;
            }
            // SAFETY: this is the process's only thread.
            unsafe { seen.touch(page, (granule, bytes, store), knows, site, compared) };
        } else if !page.has(granule, bytes, whole, store) {
            compared();
        }
        // SYNC granule: who makes the page its own sees the cell, or this sees the owner.
        if page.is_shared() {
            return;
        }
    }
}

/// Notes an access to a granule that others access, too, or that is new.
#[inline(never)]
fn compared(page: &Page, addr: usize, bytes: u8, store: bool, me: &Me, site: u32) {
    let thread = &me.thread;
    // Two calls, each with a kind that the compiler knows.
    match store {
        true => noted(page, addr, bytes, thread.access(Kind::WRITE, site)),
        false => noted(page, addr, bytes, thread.access(Kind::READ, site)),
    }
}

#[inline(always)]
fn noted(page: &Page, addr: usize, bytes: u8, by: Access<'_>) {
    page.unsaid(addr % PAGE / GRANULE, bytes, &by, &mut |conflict| {
        let Some(node) = node() else { return };
        let place = match node.has(page) {
            true => node.from_slots(addr).map_or(Place::Private(addr), Place::Symmetric),
            false => Place::Private(addr),
        };
        let from = addr % PAGE / GRANULE * GRANULE + bytes.trailing_zeros() as usize;
        raced(place.page(), from, from + bytes.count_ones() as usize, &by, conflict);
    });
}
