//! Makes the transport to PEs of other nodes, in a job that has some.

use super::job::Joined;
use super::segments::{ALLOCATED_ALIGN, all_agree};
use super::{BootError, job, serve, session};
use crate::env::{Env, ProgressBy, Route, TransportBy};
use crate::memory::addr::{Pe, SegId, Span};
use crate::memory::local::{Dest, Source};
use crate::memory::node::Node;
use crate::memory::translate::{Reach, Segments};
use crate::mpi::window::Window;
use crate::mpi::{self, Comm};
use crate::net::am::{Messages, Notes};
use crate::net::carrier::Carrier;
use crate::net::tagged::{self, InFlight, TaggedMessages, Unheard, job_comm};
use crate::net::{
    Exposed, Keep, MOST_PES, Make, Mode, Native, NativeLibrary, NotMade, OFI, Opened, Over, Place, Remote, UCX, ucx,
};
use crate::os::{map, network};
use crate::state::Runtime;
use crate::sync::Wait;
use crate::sync::awaited::Awaited;
use crate::sync::wait::WaitPolicy;
use crate::team::{Layout, Members, Team};
use core::ffi::c_int;
use core::sync::atomic::Ordering;

/// Whether the job has a transport to PEs whose memory is not mapped. `everybody`: all its PEs are on one node.
pub(super) fn wanted(env: &Env, everybody: bool) -> bool {
    !everybody || env.transport == TransportBy::Rma
}

/// The library of the network that carries all data, if there is one.
fn library(env: &Env) -> Option<&'static NativeLibrary> {
    match env.transport {
        TransportBy::Ucx => Some(&UCX),
        TransportBy::Ofi => Some(&OFI),
        TransportBy::Auto | TransportBy::Mpi | TransportBy::Rma => None,
    }
}

/// Whether a job that has such a transport needs MPI for it. All PEs give the same answer.
pub(super) fn needs_mpi(env: &Env) -> bool {
    library(env).is_none() || session::store().is_none()
}

/// The library of the network that this PE would take with `OSHMPI_TRANSPORT=auto`.
#[derive(Default)]
pub(super) struct Choice {
    /// Thread level (0..3) for MPI, should none be taken after all.
    mpi_level: c_int,
    /// `Auto`: none.
    pub(super) by: TransportBy,
    opened: Option<Opened>,
    /// Why, for people: a line for each library that was looked at.
    notes: Vec<String>,
}

/// What decides which libraries of the network are looked at.
#[derive(Clone, Copy)]
struct Seen {
    mpi: bool,
    mpi_uses_ucx: bool,
    /// This machine has an adapter that may access the memory of other machines, and one of InfiniBand or RoCE.
    adapter: bool,
    infiniband: bool,
}

/// A library, and why it is taken if it works, or why it is not.
type Candidate = (TransportBy, &'static NativeLibrary, Result<&'static str, &'static str>);

impl Seen {
    fn here() -> Seen {
        Seen {
            mpi: mpi::is_there(),
            mpi_uses_ucx: ucx::is_of_mpi(),
            adapter: network::may_reach_memory(),
            infiniband: network::is_infiniband(),
        }
    }

    /// The libraries in the order in which they are tried. One that knows the adapter comes first. UCX reaches the
    /// nodes that MPI reaches if MPI uses it, the machine has InfiniBand or RoCE, or there is no MPI. libfabric is
    /// asked where there is an adapter that it may know: listing its providers takes time.
    fn candidates(self) -> [Candidate; 2] {
        let by_ucx = match self {
            Seen { infiniband: true, .. } => Ok("there is InfiniBand or RoCE"),
            Seen { mpi_uses_ucx: true, .. } => Ok("MPI uses it"),
            Seen { mpi: false, .. } => Ok("there is no MPI"),
            _ => Err("MPI does not use UCX, and there is no InfiniBand"),
        };
        let by_ofi = if self.adapter { Ok("it knows the adapter") } else { Err("there is no adapter") };
        let (ucx, ofi) = ((TransportBy::Ucx, &UCX, by_ucx), (TransportBy::Ofi, &OFI, by_ofi));
        if self.adapter && !self.infiniband { [ofi, ucx] } else { [ucx, ofi] }
    }
}

/// Chooses a library, and makes its objects. They are made before PEs tell each other what they would take, so a PE on
/// which they cannot be made has the job take MPI.
pub(super) fn choose(env: &Env, joined: &Joined) -> Choice {
    let (here, heap, mpi_level) = (joined.here.as_ref().map_or(1, Vec::len), env.heap.0, joined.mpi_level);
    let on_one_node = here == joined.size as usize && env.route != Route::Mpi;
    let mut choice = Choice { mpi_level, ..Choice::default() };
    if env.transport != TransportBy::Auto || on_one_node {
        return choice;
    }
    let none = |why: &str| Choice { notes: vec![format!("no library of the network: {why}")], ..Choice::default() };
    if session::store().is_none() {
        return none("MPI has the connection to the launcher");
    }
    if Notes::of_program().are_taken() {
        return none("a tool watches the program");
    }
    let seen = Seen::here();
    if seen.adapter && !network::can_lock(heap as usize) {
        return none(&format!("a heap of {heap} bytes is above the limit of locked memory (ulimit -l)"));
    }
    for (by, library, reason) in seen.candidates() {
        let open = |why| Ok((Opened::new(library, [joined.size as usize, here], Over::Own)?, why));
        match reason.map_err(str::to_owned).and_then(open) {
            Ok((opened, why)) => {
                choice.notes.push(format!("{} is taken: {why}", library.name));
                return Choice { by, opened: Some(opened), ..choice };
            }
            Err(why) => choice.notes.push(format!("{} is not taken: {why}", library.name)),
        }
    }
    choice
}

/// An error if the job has more PEs than a ledger can number.
pub(super) fn check_size(n_pes: u32) -> Result<(), BootError> {
    if n_pes > MOST_PES { Err(BootError::TooManyPes(n_pes)) } else { Ok(()) }
}

const AMOS: &str = "AMOs: carried out by the CPUs of the word's node, told by messages; of memory that is hinted for \
                    remote atomics: by an adapter, where there is one";

/// A heap that MPI has allocated.
pub(super) struct Allocated {
    window: Window,
    /// The address at which displacement 0 of the window is.
    base: usize,
    pub(super) heap: Span,
}

/// With `OSHMPI_TRANSPORT=rma`: has MPI allocate the heap. Collective over the job.
pub(super) fn allocate(env: &Env, node: &Node) -> Result<Option<Allocated>, BootError> {
    if env.transport != TransportBy::Rma {
        return Ok(None);
    }
    let comm = job_comm()?;
    let len = node.shape.heap;
    // The length stays a multiple of 16, as the base of a window has to be: MPI lays the parts of a node side by side.
    let made = Window::allocate(comm, len + ALLOCATED_ALIGN);
    let (window, base) = made.map_err(|e| BootError::NoWindows(e.into()))?;
    // Behind a word by which a PE tells where its heap begins.
    let heap = Span { base: (base + size_of::<usize>()).next_multiple_of(ALLOCATED_ALIGN), len };
    Ok(Some(Allocated { window, base, heap }))
}

/// When the windows of `OSHMPI_TRANSPORT=mpi` are made and kept; None: there are none. Equal on all PEs. With Open MPI
/// there are windows only where they are one-sided: over TCP two of Open MPI 4.1's three kinds do not work, and the
/// third is slower than messages except in bandwidth. `adapters`: all PEs have adapters that may be one-sided.
fn windows(adapters: bool) -> Option<Keep> {
    // A tool's notes come in the order of operations, which all go by messages then.
    match Notes::of_program().are_taken() {
        true => None,
        false if !mpi::is_open_mpi() => Some(Keep::IfMade),
        false => adapters.then_some(Keep::IfOneSided),
    }
}

/// Makes the transport when the job is on several nodes, and the carrier of its tagged messages. Collective over the
/// job; a failure of one PE ends it.
pub(super) fn make(
    env: &mut Env,
    mut choice: Choice,
    allocated: Option<Allocated>,
    node: &Node,
    on_node: &Team,
    segments: &Segments,
    notes: &mut Vec<String>,
) -> Result<Option<(Remote, Carrier)>, BootError> {
    if !wanted(env, node.places.everybody()) {
        return Ok(None);
    }
    if let Some(library) = library(env) {
        let pes = [node.placement.pes as usize, node.shape.n];
        let over = if env.route == Route::Mpi { Over::Machine } else { Over::Networks };
        let others = choice.opened.is_some().then_some(on_node);
        let opened = choice.opened.take().map_or_else(|| Opened::new(library, pes, over), Ok);
        let opened = opened.map_err(|why| BootError::NoLibrary { library, why })?;
        match over_library(env, library, opened, others, node, segments, &mut choice.notes)? {
            Some(made) => {
                notes.append(&mut choice.notes);
                return Ok(Some(made));
            }
            // From here on it is as if the PEs had not agreed on a library.
            None => env.transport = TransportBy::Auto,
        }
        job::have_mpi(node.places.pe(node.me).0, choice.mpi_level)?;
        mpi::life::Event::LeaveAllowed.note();
    }
    if let Some(Opened { library, .. }) = choice.opened {
        not_taken(library, NOT_BY_ALL, &mut choice.notes);
    }
    notes.append(&mut choice.notes);
    if !mpi::usable() {
        return Err(BootError::NoMpiBetweenNodes);
    }
    let comm = job_comm()?;
    let agreed = agree(segments, node.policy == WaitPolicy::Spin)?;
    let helper = mpi::serves_all_threads() && env.progress != ProgressBy::None;
    let (remote, by) = over_mpi(comm, allocated, agreed, helper, node, segments, notes)?;
    mpi::life::hold();
    begin_to_serve(helper, remote.has_messages(), &by, notes)?;
    Ok(Some((remote, Carrier::Mpi(comm))))
}

/// Why a PE does not take a library that it would take.
const NOT_BY_ALL: &str = "another PE cannot take it";

/// Notes that a library is not taken, in place of the last note, which says that it is.
fn not_taken(library: &NativeLibrary, why: &str, notes: &mut Vec<String>) {
    notes.pop();
    notes.push(format!("{} is not taken: {why}", library.name));
}

/// Starts the progress thread, if there is to be one, and notes who serves peers.
fn begin_to_serve(helper: bool, told: bool, by: &str, notes: &mut Vec<String>) -> Result<(), BootError> {
    if helper {
        serve::start_helper(told)?;
    }
    let who = if helper { "a thread serves peers while this PE computes" } else { "peers are served in calls only" };
    notes.push(format!("other nodes: {by}; {who}"));
    Ok(())
}

/// The transport over a library of the network, which carries tagged messages too. It needs MPI only where MPI has the
/// connection to the launcher. If the library was chosen by the job, `others` are the PEs of the node, and None is
/// given where a PE cannot register its memory: a device may refuse a heap although it takes a page. Collective.
fn over_library(
    env: &Env,
    library: &'static NativeLibrary,
    opened: Opened,
    others: Option<&Team>,
    node: &Node,
    segments: &Segments,
    notes: &mut Vec<String>,
) -> Result<Option<(Remote, Carrier)>, BootError> {
    let place = match session::store() {
        Some(store) => Place::Launcher(store),
        None => Place::Window(job_comm()?),
    };
    let [transfers, messages] = [serve::transfer_hooks, serve::message_hooks].map(|of| of(node.policy, node.backoff));
    let pes = node.placement.pes as usize;
    let (by, me) = (opened.describe(), node.places.pe(node.me));
    let made = Native::make(me, opened, exposed(segments), transfers, place).map_err(|e| match e {
        NotMade::Library(why) => BootError::NoLibrary { library, why },
        NotMade::Store(why) => BootError::NoRecord { library: library.name, why },
        NotMade::Mpi(e) => BootError::NoWindows(e.into()),
    });
    let (native, refused) = made?;
    match (refused, others) {
        (Some(why), None) => return Err(BootError::NoLibrary { library, why }),
        (refused, Some(on_node)) if !all_can(native, node, on_node, refused.is_none())? => {
            not_taken(library, refused.as_deref().unwrap_or(NOT_BY_ALL), notes);
            serve::let_go(native);
            return Ok(None);
        }
        _ => {}
    }
    let without_mpi = !native.needs_mpi();
    if without_mpi {
        serve::close_at_exit();
    } else {
        mpi::life::hold();
    }
    let helper = (without_mpi || mpi::serves_all_threads()) && env.progress != ProgressBy::None;
    let remote = Remote::by_native(pes, native, exposed(segments), messages, helper).map_err(BootError::NoWindows)?;
    notes.push(AMOS.to_owned());
    begin_to_serve(helper, remote.has_messages(), &by, notes)?;
    Ok(Some((remote, Carrier::Native(native))))
}

/// Whether all PEs `can`. Collective. Bound: two barrier rounds of each node; beside them the first PE of each of N
/// nodes sends ceil(log2 N) messages of a byte.
fn all_can(native: &Native, node: &Node, on_node: &Team, can: bool) -> Result<bool, BootError> {
    let mut can = all_agree(node, on_node, can);
    if node.me == 0 {
        let all = Layout::new(Members::spaced(0, 1, node.placement.pes), &node.placement);
        let (n, me) = (all.nodes(), all.node(node.places.pe(0).0 as usize));
        let mut step = 1;
        while step < n {
            let [to, from] = [(me + step) % n, (me + n - step) % n].map(|node| all.leader(node) as u32);
            let (mine, mut theirs) = ([u8::from(can)], [0u8]);
            let mut in_flight = InFlight::default();
            // SAFETY: both are there until the wait below is over, and nobody else uses them. An error ends the
            // process.
            let begun = unsafe {
                let sent = native.send(&mut in_flight, to, tagged::START, Source::of_slice(&mine));
                sent.and_then(|()| native.receive(&mut in_flight, from, tagged::START, Dest::of_slice(&mut theirs)))
            };
            let mut result = begun.map_err(Unheard::from);
            if result.is_ok() {
                let mut ended = || {
                    native.ended(&mut in_flight).unwrap_or_else(|e| {
                        result = Err(e);
                        true
                    })
                };
                node.own_waiter().until_told(&mut ended, || Awaited::Peer { pe: from, request: 0 });
            }
            result.map_err(|e| BootError::NoLibrary { library: native.library, why: e.to_string() })?;
            can &= theirs == [1];
            step *= 2;
        }
    }
    Ok(all_agree(node, on_node, can))
}

/// The transport over MPI: windows, active messages, or both; and its name for people. Collective.
fn over_mpi(
    comm: &'static Comm,
    allocated: Option<Allocated>,
    [on_slots, adapters, calm]: [bool; 3],
    helper: bool,
    node: &Node,
    segments: &Segments,
    notes: &mut Vec<String>,
) -> Result<(Remote, String), BootError> {
    let exposed = exposed(segments);
    if let Some(Allocated { window, base, .. }) = allocated {
        let remote = Remote::by_rma(comm, Mode::Allocated { heap: window, base }, exposed, node.policy);
        notes.push("AMOs: carried out by MPI".to_owned());
        return Ok((remote.map_err(BootError::NoWindows)?, "MPI windows, allocated".to_owned()));
    }
    let am = Messages::over_mpi(exposed, serve::message_hooks(node.policy, node.backoff))?;
    let (mode, name) = match on_slots {
        true => (Mode::Slot(slot(node, segments)), "one over heap and statics"),
        false => (Mode::Create, "one over the heap, one over the statics"),
    };
    let keep = windows(adapters);
    let (pair, how) = probe(calm && keep.is_some(), segments, node);
    let windows = keep.map(|keep| Make { mode, keep, exposed, policy: node.policy });
    // Between processes of one machine, MPI copies without the target. Without the progress thread, a target that waits
    // in MPI serves windows only.
    let by_message = helper && !node.one_machine;
    let made = Remote::over_mpi(comm, windows, am, pair, helper, by_message);
    let (remote, offers, took) = made.map_err(BootError::NoWindows)?;
    let how = if took.is_zero() { how } else { format!("{how} in {:.1} ms", took.as_secs_f64() * 1e3) };
    notes.push(format!("without the target's processor: {offers} ({how})"));
    notes.push(AMOS.to_owned());
    let by = if remote.has_fabric() { format!("MPI windows, {name}") } else { "messages".to_owned() };
    Ok((remote, by))
}

/// Whether all PEs have on their slots what they expose; have adapters that may access memory without its machine's
/// processors; and are `calm`, having a core. An error if statics are symmetric on some nodes only: each node has found
/// out separately. Collective: one reduction, which needs no communicator of the library.
fn agree(segments: &Segments, calm: bool) -> Result<[bool; 3], BootError> {
    let statics = u64::from(segments.statics != Reach::None);
    let on_slot = matches!(segments.statics, Reach::Mapped | Reach::None) && segments.heaps == Reach::Mapped;
    let adapters = network::may_reach_memory();
    let mapped = segments.statics == Reach::Mapped;
    let mine = [statics, !statics, on_slot.into(), adapters.into(), calm.into(), mapped.into()];
    let least = Comm::shared_world().least(&mine)?;
    segments.statics_mapped.store(least[5] == 1, Ordering::Relaxed); // this thread reads it
    if least[0] == !least[1] { Ok([2, 3, 4].map(|i| least[i] == 1)) } else { Err(BootError::StaticsDiffer) }
}

/// The part of this PE's slot that is exposed. The node's mapping has heap and statics side by side. Its pages are
/// those of the mappings that the program uses.
fn slot(node: &Node, segments: &Segments) -> Span {
    Span { base: node.own(SegId::Heap), len: node.shape.heap_room + exposed(segments).statics.len }
}

/// The segments that other nodes can reach, extended to whole pages: windows begin and end at pages.
fn exposed(segments: &Segments) -> Exposed {
    let page = map::page();
    let statics = match segments.statics {
        Reach::None => Span { base: segments.heap.base, len: 0 },
        _ => {
            let data = segments.data;
            let end = map::round_up(data.base + data.len, page).expect("a segment ends below the top of memory");
            Span { base: data.base, len: end - data.base }
        }
    };
    Exposed { heap: segments.heap, statics }
}

/// The two PEs that find out which operations of windows need no CPU of the target; and the way for people. `measured`:
/// there are windows, and every PE has a core. Otherwise the probe would take time slices, and most answers would come
/// late.
fn probe(measured: bool, segments: &Segments, node: &Node) -> (Option<[Pe; 2]>, String) {
    // Ends at the first PE of another node, so after as many steps as a node has PEs.
    let elsewhere = (1..node.placement.pes).map(Pe).find(|&pe| node.placement.node(pe) != node.placement.node(Pe(0)));
    match elsewhere.filter(|_| measured && segments.heap.len > 0) {
        Some(target) => (Some([Pe(0), target]), format!("measured between PE 0 and PE {}", target.0)),
        None => (None, "not measured: no windows, no heap, or PEs that outnumber cores".to_owned()),
    }
}

/// Tells all PEs whether threads of any PE may be in collectives of several groups at a time. Collective.
pub(super) fn agree_on_threads(rt: &Runtime, threads: bool) -> Result<(), BootError> {
    if let Some(cache) = &rt.comm_cache {
        cache.set_threads(job_comm()?.least(&[u64::from(!threads)])?[0] == 0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The network's own library first: what an adapter is for, what MPI uses.
    #[test]
    fn libraries_are_tried_in_the_order_of_the_network() {
        use TransportBy::{Ofi, Ucx};
        let tried = |[mpi, mpi_uses_ucx, adapter, infiniband]: [u8; 4]| -> Vec<TransportBy> {
            let [mpi, mpi_uses_ucx, adapter, infiniband] = [mpi, mpi_uses_ucx, adapter, infiniband].map(|n| n == 1);
            let all = Seen { mpi, mpi_uses_ucx, adapter, infiniband }.candidates();
            all.into_iter().filter(|(.., reason)| reason.is_ok()).map(|(by, ..)| by).collect()
        };
        assert_eq!(tried([1, 0, 0, 0]), [], "Ethernet, and MPI is not over UCX");
        assert_eq!((tried([1, 1, 0, 0]), tried([0, 0, 0, 0])), (vec![Ucx], vec![Ucx]));
        assert_eq!((tried([1, 0, 1, 1]), tried([0, 0, 1, 1])), (vec![Ucx, Ofi], vec![Ucx, Ofi]));
        assert_eq!((tried([1, 0, 1, 0]), tried([1, 1, 1, 0])), (vec![Ofi], vec![Ofi, Ucx]), "not UCX's adapter");
    }

    #[test]
    fn jobs_beyond_what_ledgers_can_name_are_refused() {
        assert_eq!(MOST_PES, 8_388_607);
        assert!(check_size(1).is_ok() && check_size(MOST_PES).is_ok());
        let refused = check_size(MOST_PES + 1).expect_err("one more than there are names").to_string();
        assert!(refused.contains("8388607 PEs, not 8388608"), "{refused}");
    }
}
