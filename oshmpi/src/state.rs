//! The one runtime of this process, and whether the library is up. The runtime is made at the first init and kept to
//! the end of the process, because MPI cannot be initialised twice. A later init finds node and segments ready.

use crate::ctx::Contexts;
use crate::diag;
use crate::env::Env;
use crate::memory::addr::{Pe, SegId};
use crate::memory::heap::Heap;
use crate::memory::node::{Limit, Node};
use crate::memory::translate::Segments;
use crate::net::Remote;
use crate::net::carrier::Carrier;
use crate::net::comm_cache::CommCache;
use crate::net::departures::Departures;
use crate::os::exe::DataSegment;
use crate::sync::atomics::{AtomicU64, Ordering};
use crate::team::{Spaces, Team, Teams};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32};
use std::sync::{Mutex, OnceLock};

pub(crate) struct Runtime {
    pub(crate) pe: Pe,
    pub(crate) n_pes: u32,
    pub(crate) env: Env,
    pub(crate) node: Node,
    pub(crate) segments: Segments,
    /// The segment of the executable's variables, for messages. They may be symmetric or not.
    pub(crate) exe: Option<DataSegment>,
    /// The transport to PEs of other nodes, in a job that has some, or whose AMOs all go through MPI.
    pub(crate) remote: Option<Remote>,
    /// What carries messages to PEs of other nodes, in a job on several nodes.
    pub(crate) carrier: Option<Carrier>,
    /// Which PEs of other nodes have left, in a job on several nodes.
    pub(crate) departures: Option<Departures>,
    /// Communicators of groups, in a job on several nodes whose collectives are MPI's.
    pub(crate) comm_cache: Option<CommCache>,
    pub(crate) heap: Mutex<Heap>,
    pub(crate) world: Team,
    pub(crate) shared: Team,
    pub(crate) teams: Teams,
    pub(crate) spaces: Spaces,
    pub(crate) contexts: Contexts,
    /// The number of allocator calls.
    pub(crate) calls: AtomicU64,
    /// Whether adapters carry out AMOs on the memory of all PEs, once a program asks for such memory.
    pub(crate) adapters: OnceLock<bool>,
    /// Resident memory before the first init, in KiB, for `OSHMPI_STATS`.
    pub(crate) resident_before: u64,
    /// What the job got and why, for `SHMEM_INFO`.
    pub(crate) notes: Vec<String>,
}

impl Runtime {
    /// Whether MPI has to be up for data between nodes.
    pub(crate) fn needs_mpi(&self) -> bool {
        self.comm_cache.is_some() || self.remote_needs_mpi()
    }

    fn remote_needs_mpi(&self) -> bool {
        match self.carrier {
            Some(Carrier::Native(native)) => native.needs_mpi(),
            Some(Carrier::Mpi(_)) | None => self.remote.is_some(),
        }
    }

    /// Whether a PE has a part of a segment: every PE of heap and statics, those of its team of a space.
    #[inline]
    pub(crate) fn shares(&self, seg: SegId, pe: Pe) -> bool {
        let shares_space = |place| self.spaces.of_place(place).is_some_and(|s| s.members.index(pe.0).is_some());
        seg.space().is_none_or(shares_space)
    }

    /// Whether unused pages of the heap may be given back to the system. With other nodes they stay: an adapter may
    /// have registered them, for a window or for messages, and would go on using pages that this process no longer has.
    /// Reserved huge pages stay, because they would no longer be promised to this heap.
    pub(crate) fn gives_pages_back(&self) -> bool {
        self.remote.is_none() && self.node.heap_limit() != Some(Limit::HugePages)
    }
}

/// Set by the first init.
static RUNTIME: OnceLock<Runtime> = OnceLock::new();
/// The number of inits that no finalize has matched. `start_pes` counts as one while it is in force.
static INITS: AtomicU32 = AtomicU32::new(0);
/// This process was forked by a PE, after its first init.
static CHILD: AtomicBool = AtomicBool::new(false);
/// The message for a call from a forked child.
pub(crate) const A_CHILD: &str = "called in a child that a PE has forked; only the PE itself is one";

/// The thread level in force (0..3).
static LEVEL: AtomicI32 = AtomicI32::new(0);
/// The kernel's id of the thread that initialised.
static MAIN: AtomicI32 = AtomicI32::new(0);
/// For `shmem_my_pe` and `shmem_n_pes`: -1 while the library is not up.
static MY_PE: AtomicI32 = AtomicI32::new(-1);
static N_PES: AtomicI32 = AtomicI32::new(-1);

/// The runtime. Ends the job with a line about `routine` if the library is not up.
#[inline]
pub(crate) fn up(routine: &str) -> &'static Runtime {
    match RUNTIME.get() {
        Some(rt) if inits() > 0 => rt,
        _ => not_up(routine),
    }
}

/// The runtime if there ever was an init.
pub(crate) fn made() -> Option<&'static Runtime> {
    RUNTIME.get()
}

pub(crate) fn make(rt: Runtime) -> &'static Runtime {
    if RUNTIME.set(rt).is_err() {
        unreachable!("the runtime is made under the init lock, once");
    }
    RUNTIME.get().expect("set a line above")
}

/// The number of inits in force.
#[inline]
pub(crate) fn inits() -> u32 {
    INITS.load(Ordering::Acquire) // SYNC up: pairs with set_inits
}

/// Sets the number of inits. Called under the init lock.
pub(crate) fn set_inits(n: u32, who: Option<(Pe, u32)>) {
    let (pe, n_pes) = who.map_or((-1, -1), |(pe, n)| (pe.0 as i32, n as i32));
    MY_PE.store(pe, Ordering::Relaxed);
    N_PES.store(n_pes, Ordering::Relaxed);
    INITS.store(n, Ordering::Release); // SYNC up: pairs with inits
}

/// Whether this process was forked by a PE: it takes no part in the job.
pub(crate) fn is_child() -> bool {
    CHILD.load(Ordering::Relaxed)
}

/// Runs in a child, right after the fork. The library may be down in its parent, whose later init it cannot make.
pub(crate) fn become_child() {
    CHILD.store(true, Ordering::Relaxed);
    set_inits(0, None);
}

/// Level in force (0..3), and the kernel's id of the thread that initialised.
#[inline]
pub(crate) fn threads() -> (i32, i32) {
    (LEVEL.load(Ordering::Relaxed), MAIN.load(Ordering::Relaxed))
}

/// Sets the thread level and the thread that initialised. Called under the init lock.
pub(crate) fn set_threads(level: i32, main: i32) {
    LEVEL.store(level, Ordering::Relaxed);
    MAIN.store(main, Ordering::Relaxed);
}

#[inline(always)]
pub(crate) fn my_pe(routine: &str) -> i32 {
    let pe = MY_PE.load(Ordering::Relaxed);
    if pe < 0 { not_up(routine) } else { pe }
}

#[inline(always)]
pub(crate) fn n_pes(routine: &str) -> i32 {
    let n = N_PES.load(Ordering::Relaxed);
    if n < 0 { not_up(routine) } else { n }
}

#[cold]
fn not_up(routine: &str) -> ! {
    let when = match RUNTIME.get() {
        _ if is_child() => A_CHILD,
        Some(_) => "called after shmem_finalize",
        None => "called before shmem_init",
    };
    diag::fatal(routine, when)
}
