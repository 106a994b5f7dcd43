//! What the PEs of a node share: one nameless file, beside that of the library.
//!
//! ```text
//! | Table | sites | reports | shadow of slot 0 | shadow of slot 1 | ...
//! ```

use crate::far;
use crate::options::fail;
use core::sync::atomic::{AtomicU64, Ordering};
use oshmpi_race::cell::ACTORS;
use oshmpi_race::far::Spot;
use oshmpi_race::order::Thread;
use oshmpi_race::shadow::{PAGE, PAGE_SHADOW, Page, REST_SHADOW};
use oshmpi_race::table::{SyncWord, Table, WORDS};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Where the symmetric memory of the node's PEs lies. The library fills it: `oshmpi_tool_memory`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub pe: u32,
    pub n_pes: u32,
    /// This PE's slot, and how many there are.
    pub index: u32,
    pub count: u32,
    pub heap: usize,
    pub heap_len: usize,
    pub data: usize,
    pub data_len: usize,
    /// Where slot 0 is mapped, bytes from slot to slot, and where in a slot the static variables are.
    pub slots: usize,
    pub stride: usize,
    pub data_in_slot: usize,
    /// A word of the node, 0 at first, for a tool.
    pub word: *const AtomicU64,
}

// SAFETY: the word is mapped to the end of the process, and accessed by atomics only.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

unsafe extern "C" {
    fn oshmpi_tool_memory(memory: *mut Memory) -> i32;
    fn oshmpi_tool_slot(pe: i32) -> i32;
}

/// The shared file as this PE has it mapped.
pub struct Node {
    pub memory: Memory,
    pub table: Table,
    /// The job has other nodes, and notes go to all their PEs.
    pub far: bool,
    base: usize,
}

static NODE: OnceLock<Node> = OnceLock::new();

/// PEs of a job, at most, whose accesses between nodes are seen: the file has room for the clocks of each.
pub const MOST_PES: u32 = 2048;
pub const SITES: usize = 1 << 17;
pub const SITE_BYTES: usize = 128;
/// Words for races that were reported.
pub const REPORTS: usize = 4096;

/// The node, once the library is up.
#[inline]
pub fn node() -> Option<&'static Node> {
    NODE.get()
}

/// Makes or opens the node's file. Called after `pshmem_init`.
pub fn start() -> &'static Node {
    NODE.get_or_init(|| {
        let mut memory = core::mem::MaybeUninit::<Memory>::zeroed();
        // SAFETY: the library fills the whole struct, or says that it does not.
        let memory = unsafe {
            if oshmpi_tool_memory(memory.as_mut_ptr()) != 0 {
                fail("the memory of this job is not known to it: the library is not initialised");
            }
            memory.assume_init()
        };
        let file = shared_file(&memory);
        let total = Node::total(&memory);
        // SAFETY: a new mapping of a file that is as long.
        let base = unsafe {
            let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
            libc::mmap(core::ptr::null_mut(), total, access, flags, file.as_raw_fd(), 0)
        };
        if base == libc::MAP_FAILED {
            fail(&format!("cannot map {total} bytes of shadow memory: {}", std::io::Error::last_os_error()));
        }
        // SAFETY: the range was mapped a line above. A core file must not hold it.
        unsafe { libc::madvise(base, total, libc::MADV_DONTDUMP) };
        // The first PE's descriptor stays open: others open it by its number.
        core::mem::forget(file);
        // SAFETY: zero when new, as long, and never unmapped.
        let table = unsafe { Table::at(base.cast(), Node::clocks(&memory)) };
        let far = memory.count < memory.n_pes && far::reaches(&memory);
        Node { memory, table, far, base: base as usize }
    })
}

/// The node's file: made by the PE in the first slot, opened by the others through that PE's descriptor.
fn shared_file(memory: &Memory) -> File {
    // SAFETY: the library promises a word that stays mapped.
    let word = unsafe { &*memory.word };
    if memory.index == 0 {
        // SAFETY: the name is a C string.
        let made = unsafe { libc::memfd_create(c"oshmpi-race".as_ptr(), libc::MFD_CLOEXEC) };
        if made < 0 {
            fail(&format!("cannot make shadow memory: memfd_create: {}", std::io::Error::last_os_error()));
        }
        // SAFETY: the descriptor is new, and nobody else has it.
        let file = unsafe { File::from_raw_fd(made) };
        let total = Node::total(memory) as u64;
        check_size(total);
        if let Err(e) = file.set_len(total) {
            fail(&format!("cannot make shadow memory: {e}"));
        }
        // SYNC shadow_file: pairs with the loads of the other PEs
        word.store(u64::from(std::process::id()) << 32 | file.as_raw_fd() as u64, Ordering::Release);
        return file;
    }
    let begin = Instant::now();
    loop {
        match word.load(Ordering::Acquire) {
            // SYNC shadow_file: pairs with the first PE's store
            0 if begin.elapsed() > FIRST_PE_STARTS => without_first(memory),
            0 => std::thread::yield_now(),
            found => {
                let path = format!("/proc/{}/fd/{}", found >> 32, found as u32);
                let opened = File::options().read(true).write(true).open(&path);
                return opened
                    .unwrap_or_else(|e| fail(&format!("cannot open the shadow memory of PE 0 ({path}): {e}")));
            }
        }
    }
}

/// How long the first PE of a node may take from its `shmem_init` to the shadow memory.
const FIRST_PE_STARTS: Duration = Duration::from_secs(20);

/// The first PE has made no shadow memory. One of the others says so, and its end ends the job.
fn without_first(memory: &Memory) -> ! {
    const UNTIL_IT_IS_ENDED: Duration = Duration::from_secs(2);
    std::thread::sleep(UNTIL_IT_IS_ENDED * (memory.index - 1));
    let first = (0..memory.n_pes).find(|pe| slot_of(*pe) == Some(0)).unwrap_or(0);
    fail(&format!(
        "PE {first}, the first of its node, was not built with -oshmpi-race, and PE {} was; build its program with it, \
         too",
        memory.pe
    ))
}

/// Ends the process where it may not make so long a file. Without this check the kernel would send a signal that ends
/// it.
fn check_size(total: u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the struct is of this function.
    if unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0 && total > limit.rlim_cur {
        fail(&format!(
            "shadow memory is a file of {total} bytes, and this process may make files of at most {} bytes; raise \
             `ulimit -f` or lower SHMEM_SYMMETRIC_SIZE",
            limit.rlim_cur
        ));
    }
}

/// The slot of a PE; None if it is on another node.
fn slot_of(pe: u32) -> Option<usize> {
    // SAFETY: the library is up.
    usize::try_from(unsafe { oshmpi_tool_slot(pe as i32) }).ok()
}

impl Node {
    /// The PEs whose clocks of rounds have room: those of all nodes if notes can come from them.
    fn clocks(memory: &Memory) -> usize {
        if memory.n_pes > MOST_PES { memory.count as usize } else { memory.n_pes as usize }
    }

    fn sites(memory: &Memory) -> usize {
        Table::bytes(Node::clocks(memory)).next_multiple_of(4096)
    }

    fn reports(memory: &Memory) -> usize {
        Node::sites(memory) + SITES * SITE_BYTES
    }

    fn pages(memory: &Memory) -> usize {
        memory.stride * memory.count as usize / PAGE
    }

    fn shadow(memory: &Memory) -> usize {
        Node::reports(memory) + REPORTS * 8
    }

    fn rest(memory: &Memory) -> usize {
        (Node::shadow(memory) + Node::pages(memory) * PAGE_SHADOW).next_multiple_of(4096)
    }

    fn total(memory: &Memory) -> usize {
        Node::rest(memory) + Node::pages(memory) * REST_SHADOW
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: callers pass aligned offsets inside the file, of words that are accessed by atomics only.
        unsafe { AtomicU64::from_ptr((self.base + at) as *mut u64) }
    }

    /// Word `i` of a site.
    pub fn site_word(&self, site: usize, i: usize) -> &AtomicU64 {
        debug_assert!(site < SITES && i < SITE_BYTES / 8);
        self.word(Node::sites(&self.memory) + site * SITE_BYTES + i * 8)
    }

    /// Word `i` of those that remember which races were reported. Word 0 counts them.
    pub fn report_word(&self, i: usize) -> &AtomicU64 {
        debug_assert!(i < REPORTS);
        self.word(Node::reports(&self.memory) + i * 8)
    }

    /// The shadow of the page at an offset from the first slot.
    pub fn page(&self, from_slots: usize) -> &'static Page {
        let (at, rest) = (Node::shadow(&self.memory), Node::rest(&self.memory));
        let page = from_slots / PAGE;
        // SAFETY: inside the file, which was zero when new and stays mapped. All processes map it as a whole.
        unsafe { Page::with_rest(self.base + at + page * PAGE_SHADOW, self.base + rest + page * REST_SHADOW) }
    }

    /// Whether a page is one of those.
    pub fn has(&self, page: &Page) -> bool {
        let first = self.base + Node::shadow(&self.memory);
        let at = core::ptr::from_ref(page) as usize;
        (first..first + Node::pages(&self.memory) * PAGE_SHADOW).contains(&at)
    }

    /// The offset from the first slot of an address of this PE's symmetric memory, or of a peer's as `shmem_ptr` gives
    /// it.
    pub fn from_slots(&self, addr: usize) -> Option<usize> {
        let m = &self.memory;
        let mine = m.index as usize * m.stride;
        let inside = |base: usize, len: usize| addr.checked_sub(base).filter(|off| *off < len);
        inside(m.heap, m.heap_len)
            .map(|off| mine + off)
            .or_else(|| inside(m.data, m.data_len).map(|off| mine + m.data_in_slot + off))
            .or_else(|| inside(m.slots, m.stride * m.count as usize))
    }

    /// The slot of a PE; None if it is on another node.
    pub fn slot(&self, pe: u32) -> Option<usize> {
        slot_of(pe)
    }

    pub fn is_pe(&self, pe: u32) -> bool {
        pe < self.memory.n_pes
    }

    /// The longest range of symmetric memory, in bytes: that of no operation is longer.
    pub fn longest(&self) -> usize {
        self.memory.heap_len.max(self.memory.data_len)
    }

    /// Whether a range is inside the slots.
    #[cold]
    pub fn has_slots_for(&self, from_slots: usize, len: usize) -> bool {
        let all = self.memory.stride * self.memory.count as usize;
        from_slots <= all && len <= all - from_slots
    }

    /// Whether a range of this PE's symmetric memory is in its slot. What is not symmetric is only not too long.
    pub fn fits(&self, addr: usize, len: usize) -> bool {
        let m = &self.memory;
        let off = self.from_slots(addr).and_then(|at| at.checked_sub(m.index as usize * m.stride));
        len <= self.longest() && off.is_none_or(|off| off >= m.stride || off + len <= m.stride)
    }

    /// Where an address of this PE's symmetric memory is in its slot.
    fn in_own_slot(&self, addr: usize) -> Option<usize> {
        let m = &self.memory;
        self.from_slots(addr)?.checked_sub(m.index as usize * m.stride).filter(|off| *off < m.stride)
    }

    /// What this PE calls `addr`, in the slot of another PE.
    pub fn at_peer(&self, addr: usize, pe: u32) -> Option<usize> {
        let off = self.in_own_slot(addr)?;
        Some(self.slot(pe)? * self.memory.stride + off)
    }

    /// Where an address of this PE's symmetric memory is at every PE.
    pub fn spot(&self, addr: usize) -> Option<Spot> {
        let m = &self.memory;
        let off = self.in_own_slot(addr)?;
        let in_data = off.checked_sub(m.data_in_slot).filter(|off| *off < m.data_len);
        Some(Spot { data: in_data.is_some(), offset: in_data.unwrap_or(off) })
    }

    /// Where it is in this PE's slot, from the first slot.
    pub fn at_spot(&self, Spot { data, offset }: Spot) -> usize {
        let m = &self.memory;
        m.index as usize * m.stride + if data { m.data_in_slot } else { 0 } + offset
    }

    /// The clock of a synchronisation word, to be changed.
    pub fn sync_word(&self, key: u64) -> SyncWord<'_> {
        let word = self.table.sync_word(key);
        self.tell_of_spill();
        word
    }

    /// A thread has seen a synchronisation word.
    pub fn acquire(&self, key: u64, thread: &mut Thread) {
        if let Some(word) = self.table.released(key) {
            word.acquire(&mut thread.clock);
        }
    }

    pub fn tell_of_spill(&self) {
        if self.table.has_spilled() {
            eprintln!(
                "oshmpi-race: there are more than {WORDS} words that order threads or PEs at a time, so some share \
                 what is known of them; races may be missed from now on"
            );
        }
    }

    /// Where the clocks are that a PE brings to rounds. None: it brings none.
    pub fn clocks_of(&self, pe: u32) -> Option<usize> {
        self.is_pe(pe).then_some(())?;
        let slot = self.slot(pe);
        match self.far {
            true => (slot.is_some() || !self.table.is_blind()).then_some(pe as usize),
            false => slot,
        }
    }

    /// The PE in a slot.
    pub fn pe_in(&self, slot: usize) -> u32 {
        (0..self.memory.n_pes).find(|pe| self.slot(*pe) == Some(slot)).unwrap_or(u32::MAX)
    }
}

const _: () = assert!(ACTORS <= 1 << 13);
