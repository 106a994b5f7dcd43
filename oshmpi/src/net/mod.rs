//! The network: the transport to PEs whose memory is not mapped here. It knows nothing of teams, statics and launchers.
//!
//! A job has up to two ways to such PEs, which keep one contract ([`fabric`]): a fabric that moves data by itself
//! ([`mpi`], [`native`]), and active messages over either ([`am`]). One decision for each operation chooses between
//! the two ([`route`]), and one ledger is over both. Tagged messages of collectives go beside them ([`tagged`]).
//!
//! Every operation is noted in the ledger of its context until it is complete at its target. Completion is by the
//! quiets of the two: for one PE and one way, or for all when a context has operations under way to several.

pub(crate) mod am;
mod announce;
pub(crate) mod carrier;
pub(crate) mod comm_cache;
mod completion;
pub(crate) mod departures;
mod error;
mod fabric;
#[cfg(test)]
mod memory;
mod mpi;
mod native;
mod ofi;
mod progress;
mod route;
pub(crate) mod tagged;
#[cfg(test)]
mod tests;
#[cfg(test)]
#[path = "../../../benches/scale/runtime/traffic.rs"]
mod traffic;
pub(crate) mod ucx;

pub(crate) use error::NetError;
pub(crate) use fabric::{BlockFabric, ByMessage, Exposed, Fabric, Offers};
pub(crate) use mpi::Mode;
pub(crate) use native::{Native, NativeLibrary, NotMade, Opened, Over, Place, Store};
pub(crate) use ofi::OFI;
pub(crate) use progress::{Polled, Progress};
pub(crate) use route::{MOST_PES, Returns};
pub(crate) use ucx::UCX;

use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::blocks::Blocks;
use crate::mpi::{Comm, MpiError};
use crate::sync::ledger::{Lane, Ledger};
use crate::sync::order;
use crate::sync::wait::WaitPolicy;
use crate::transport::amo::Amo;
use am::{FabricHooks, Messages};
use announce::Announcements;
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use mpi::{Windows, probe};
use route::{Chooser, Path, Transfer};

/// Gets from mapped memory per poll of the network, if no progress thread polls. A poll takes longer than a get, so a
/// lower number slows gets; a higher one keeps peers waiting.
const GETS_PER_LOOK: u32 = 16;

/// The fabric has told what it does on a PE's memory.
const TOLD: u8 = 1 << 7;

/// When the windows that were made are kept. Otherwise everything goes by messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    /// If all PEs have made theirs.
    IfMade,
    /// If they also put and get without the target's CPU.
    IfOneSided,
}

/// The windows to be made.
pub(crate) struct Make {
    pub(crate) mode: Mode,
    pub(crate) keep: Keep,
    pub(crate) exposed: Exposed,
    pub(crate) policy: WaitPolicy,
}

/// The transport to all PEs whose memory is not mapped here.
pub(crate) struct Remote {
    fabric: Option<Box<dyn Fabric>>,
    messages: Option<Box<dyn ByMessage>>,
    route: Chooser,
    /// What the fabric does by itself, by number of PE: [`Offers::bits`] and [`TOLD`], or 0 for PEs about which nobody
    /// has asked, on pages that nobody has touched.
    offers: Box<[AtomicU8]>,
    /// It matters whether a target's CPU takes part in the fabric's transfers: short ones then go by message, or the
    /// target's progress thread has to be awake.
    minds_cpu: bool,
    /// Which PEs were told that operations by the fabric follow. None: there are none for which a PE has to be awake.
    announcements: Option<Announcements>,
    /// The ledger of the default context.
    ledger: Ledger,
    /// How often operations were completed at other PEs, for `OSHMPI_STATS`.
    flushes: AtomicU64,
    /// Gets from mapped memory, for [`GETS_PER_LOOK`].
    gets: AtomicU32,
}

/// Whether all PEs have had success. Collective: one reduction.
fn all_have<T>(mine: &Result<T, MpiError>) -> Result<bool, MpiError> {
    Ok(Comm::shared_world().least(&[mine.is_ok().into()])?[0] == 1)
}

/// Makes windows, or none if a PE fails to make its own. Collective. Beside the windows this costs one more
/// registration of this PE's memory, alone, and two reductions of O(log P) messages.
fn windows(comm: &'static Comm, make: Make) -> Result<Option<Windows>, NetError> {
    let Make { mode, exposed, policy, .. } = make;
    if !all_have(&mode.is_possible(exposed))? {
        return Ok(None);
    }
    let made = Windows::make(comm, mode, exposed, policy);
    let all = all_have(&made)?;
    match made {
        Ok(windows) if !all => {
            // Closing them is collective, and the PE that has none cannot take part.
            core::mem::forget(windows);
            Ok(None)
        }
        made => Ok(made.ok()),
    }
}

impl Remote {
    /// The transport over MPI: the windows to `make`, if they are kept, and active messages. `probe`: two PEs of
    /// different nodes, which measure what windows do by themselves; otherwise they do nothing so. `threads`: PEs have
    /// progress threads. `by_message`: short operations in which the target's CPU takes part go by message. Gives what
    /// windows do by themselves too, and how long this PE has measured for it. Collective.
    pub(crate) fn over_mpi(
        comm: &'static Comm,
        make: Option<Make>,
        messages: Messages<am::ByMpi>,
        probe: Option<[Pe; 2]>,
        threads: bool,
        by_message: bool,
    ) -> Result<(Remote, Offers, Duration), NetError> {
        let keep = make.as_ref().map(|make| make.keep);
        let mut windows = make.map_or(Ok(None), |make| windows(comm, make))?;
        let (measured, took) = match (probe, &windows) {
            (Some(pair), Some(windows)) => probe::ask(comm, windows, pair)?,
            _ => (Some(Offers::default()), Duration::ZERO),
        };
        let offers = measured.unwrap_or_default();
        if measured.is_none() || keep == Some(Keep::IfOneSided) && !offers.transfers() {
            windows.take().inspect(Fabric::close);
        }
        let fabric = windows.map(|windows| Box::new(windows.that_do(offers)) as Box<dyn Fabric>);
        let remote = Remote::over(comm.size()? as usize, fabric, Some(Box::new(messages)), by_message, threads);
        Ok((remote, offers, took))
    }

    /// The transport over MPI's windows alone. Collective.
    pub(crate) fn by_rma(
        comm: &'static Comm,
        mode: Mode,
        exposed: Exposed,
        policy: WaitPolicy,
    ) -> Result<Remote, NetError> {
        let possible = mode.is_possible(exposed);
        if !all_have(&possible)? {
            possible?;
            return Err(NetError::Found("another PE cannot register its memory".into()));
        }
        let windows = Windows::make(comm, mode, exposed, policy)?;
        Ok(Remote::over(comm.size()? as usize, Some(Box::new(windows)), None, false, false))
    }

    /// The transport over a library of the network: its own puts and gets, and active messages over it. `threads`: PEs
    /// have progress threads, so short operations in which the target's CPU takes part go by message. Each PE may
    /// decide it for itself.
    pub(crate) fn by_native(
        pes: usize,
        native: &'static Native,
        exposed: Exposed,
        hooks: FabricHooks,
        threads: bool,
    ) -> Result<Remote, NetError> {
        let messages = Box::new(Messages::open(native, exposed, hooks)?);
        Ok(Remote::over(pes, Some(Box::new(native)), Some(messages), threads, threads))
    }

    /// The transport to the PEs of a job of `pes`, over at least one of the two. `threads`: operations by the fabric in
    /// which the target's CPU takes part need its progress thread.
    fn over(
        pes: usize,
        fabric: Option<Box<dyn Fabric>>,
        messages: Option<Box<dyn ByMessage>>,
        by_message: bool,
        threads: bool,
    ) -> Remote {
        let route = Chooser::new(fabric.is_some(), messages.is_some(), by_message);
        let announcements = (threads && fabric.is_some() && messages.is_some()).then(Announcements::new);
        // SAFETY: zero is a number.
        let offers = unsafe { Box::new_zeroed_slice(pes).assume_init() };
        Remote {
            fabric,
            messages,
            offers,
            minds_cpu: by_message || announcements.is_some(),
            route,
            announcements,
            ledger: Ledger::default(),
            flushes: AtomicU64::new(0),
            gets: AtomicU32::new(0),
        }
    }

    /// Closes both ways. Collective, before MPI ends.
    pub(crate) fn close(&self) {
        self.messages.iter().for_each(|messages| messages.close());
        self.fabric.iter().for_each(|fabric| fabric.close());
    }

    /// How often operations were completed at other PEs.
    pub(crate) fn flushes(&self) -> u64 {
        self.flushes.load(Ordering::Relaxed)
    }

    /// The default context's ledger.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether there are active messages. Then the CPUs of a word's node carry out its AMOs, if it is no word of an
    /// adapter. A message comes for everything for which this PE's progress thread must be awake: what peers ask for is
    /// a message, or is announced by one, or needs no CPU here.
    pub(crate) fn has_messages(&self) -> bool {
        self.messages.is_some()
    }

    /// What the fabric does by itself on a PE's memory.
    #[inline]
    fn offers(&self, pe: Pe) -> Result<Offers, NetError> {
        let place = &self.offers[pe.0 as usize];
        match place.load(Ordering::Relaxed) {
            0 => {
                let offers = self.fabric.as_ref().map_or(Ok(Offers::default()), |fabric| fabric.offers(pe))?;
                place.store(offers.bits() | TOLD, Ordering::Relaxed); // all threads store the same
                Ok(offers)
            }
            bits => Ok(Offers::of_bits(bits)),
        }
    }

    /// Whether the CPU of `pe` takes part in the fabric's transfers, where that matters.
    #[inline]
    fn cpu_takes_part(&self, pe: Pe) -> Result<bool, NetError> {
        Ok(self.minds_cpu && !self.offers(pe)?.transfers())
    }

    /// Has the signal of a put of `len` bytes to a segment of `pe` follow the put. Both go by messages, which keep
    /// their order; or the fabric has a fence, and carries out the signal too; or the put is completed.
    pub(crate) fn before_signal(
        &self,
        ledger: &Ledger,
        (seg, len): (SegId, usize),
        word: Option<SymRange>,
        pe: Pe,
    ) -> Result<(), NetError> {
        let put = self.route.transfer(Transfer::Put(Returns::BeforeSignal), seg, len, self.cpu_takes_part(pe)?).by;
        match (word.map(|word| self.route.amo(word)), &self.fabric) {
            (Some(Path::Message), _) if put == Path::Message => Ok(()),
            (Some(Path::Fabric), Some(fabric)) if fabric.has_fence() => self.fence(ledger, |_| false),
            _ => self.quiet_pe(ledger, pe),
        }
    }

    /// A way that the job has, if it has it.
    fn find(&self, by: Path) -> Option<&dyn Fabric> {
        match by {
            Path::Fabric => self.fabric.as_deref(),
            Path::Message => self.messages.as_deref().map(|messages| messages as &dyn Fabric),
        }
    }

    fn way(&self, by: Path) -> &dyn Fabric {
        self.find(by).expect("a way that is chosen is there")
    }

    /// The messages that carry a tool's notes: those of all operations, which then come in the order of the notes.
    pub(crate) fn notes(&self) -> Option<&dyn ByMessage> {
        self.messages.as_deref().filter(|_| self.fabric.is_none())
    }

    /// Whether the job has a fabric that moves data by itself.
    pub(crate) fn has_fabric(&self) -> bool {
        self.fabric.is_some()
    }
}

/// Operations. In all of them the local buffer is as long as the range, in bytes.
impl Remote {
    /// Puts. Returns as `returns` says.
    pub(crate) fn put(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: Pe,
        source: Source,
        returns: Returns,
    ) -> Result<(), NetError> {
        let cpu = self.cpu_takes_part(pe)?;
        let choice = self.route.transfer(Transfer::Put(returns), range.seg, range.len, cpu);
        let lane = self.before(ledger, pe, choice.by, cpu)?;
        let way = self.way(choice.by);
        match returns {
            // SAFETY: a nonblocking routine's source stays until a quiet, and `put_blocks` waits for its blocks.
            Returns::AtOnce => way.put_nbi(lane, range, pe, unsafe { source.held() })?,
            _ => way.put(lane, range, pe, source, choice.how)?,
        }
        let waited = returns != Returns::AtOnce && !choice.how.copied;
        self.noted(ledger, pe, choice.by, waited);
        Ok(())
    }

    /// Gets. A fence does not order gets, so a get need not wait for earlier operations.
    pub(crate) fn get(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: Pe,
        dest: Dest,
        returns: Returns,
    ) -> Result<(), NetError> {
        let cpu = self.cpu_takes_part(pe)?;
        let choice = self.route.transfer(Transfer::Get(returns), range.seg, range.len, cpu);
        self.announce(pe, choice.by, cpu)?;
        let way = self.way(choice.by);
        if returns == Returns::AtOnce {
            // SAFETY: a nonblocking routine's destination stays until a quiet, and `get_blocks` waits for its blocks.
            way.get_nbi(ledger.lane(), range, pe, unsafe { dest.held() })?;
            self.noted(ledger, pe, choice.by, false);
        } else {
            way.get(ledger.lane(), range, pe, dest)?;
            self.serve_behind(choice.by);
        }
        Ok(())
    }

    /// Puts blocks. Their source may be reused when the call returns. Range and source span from the first block to the
    /// end of the last.
    pub(crate) fn put_blocks(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: Pe,
        source: Source,
        blocks: Blocks,
    ) -> Result<(), NetError> {
        let Some(fabric) = self.in_one(range.seg, &blocks) else {
            for b in 0..blocks.n {
                let from = source.part(b * blocks.here, blocks.len);
                self.put(ledger, range.part(b * blocks.there, blocks.len), pe, from, Returns::AtOnce)?;
            }
            return self.local(ledger, pe); // messages have copied theirs
        };
        let cpu = self.cpu_takes_part(pe)?;
        let choice = self.route.transfer(Transfer::PutBlocks, range.seg, blocks.bytes(), cpu);
        self.before(ledger, pe, choice.by, cpu)?;
        fabric.put_blocks(range, pe, source, blocks, choice.how)?;
        self.noted(ledger, pe, choice.by, !choice.how.copied);
        Ok(())
    }

    /// Gets blocks. Range and destination span from the first block to the end of the last.
    pub(crate) fn get_blocks(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: Pe,
        dest: Dest,
        blocks: Blocks,
    ) -> Result<(), NetError> {
        let Some(fabric) = self.in_one(range.seg, &blocks) else {
            for b in 0..blocks.n {
                let to = dest.part(b * blocks.here, blocks.len);
                self.get(ledger, range.part(b * blocks.there, blocks.len), pe, to, Returns::AtOnce)?;
            }
            if self.route.some_gets_by_message(range.seg) {
                self.way(Path::Message).local(ledger.lane(), pe)?;
            }
            return self.local(ledger, pe);
        };
        self.announce(pe, Path::Fabric, self.cpu_takes_part(pe)?)?;
        fabric.get_blocks(range, pe, dest, blocks)?;
        self.serve_behind(Path::Fabric);
        Ok(())
    }

    /// What moves blocks in one operation, if that is better than one by one.
    fn in_one(&self, seg: SegId, blocks: &Blocks) -> Option<&dyn BlockFabric> {
        let fabric = self.fabric.as_deref()?.blocks()?;
        self.route.in_one(seg, blocks.n, blocks.len, fabric.longest_block()).then_some(fabric)
    }
}

/// AMOs.
impl Remote {
    /// Runs an AMO on a word of 4 or 8 bytes and returns the old value.
    pub(crate) fn amo(&self, ledger: &Ledger, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, NetError> {
        let (by, lane) = self.before_amo(ledger, word, pe)?;
        let old = self.way(by).amo(lane, word, pe, amo)?;
        order::message_is_here();
        if by == Path::Fabric {
            // Open MPI locks the word's owner during an AMO. A PE that repeats AMOs without a pause would keep all
            // others from the lock.
            self.serve_if_nobody_does();
        }
        Ok(old)
    }

    /// Runs an AMO that is complete after a quiet of the context. `result`, if there is one, has the old value then.
    pub(crate) fn amo_nbi(
        &self,
        ledger: &Ledger,
        word: SymRange,
        pe: Pe,
        amo: Amo,
        result: Option<Dest<'static>>,
    ) -> Result<(), NetError> {
        let (by, lane) = self.before_amo(ledger, word, pe)?;
        self.way(by).amo_nbi(lane, word, pe, amo, result)?;
        self.noted(ledger, pe, by, false);
        Ok(())
    }

    /// Called before an AMO is issued. It releases, as one by a CPU does: the word may be a node peer's, to whom data
    /// was put by plain stores. MPI and the network's libraries order their own operations only.
    fn before_amo(&self, ledger: &Ledger, word: SymRange, pe: Pe) -> Result<(Path, Lane), NetError> {
        order::message_leaves();
        let by = self.route.amo(word);
        let cpu = by == Path::Fabric && self.cpu_takes_part(pe)?;
        Ok((by, self.before(ledger, pe, by, cpu)?))
    }

    /// Whether the fabric carries out AMOs on a PE's memory by itself, while the CPUs carry out those of other words.
    pub(crate) fn has_adapter_amos(&self, pe: Pe) -> Result<bool, NetError> {
        Ok(self.messages.is_some() && self.offers(pe)?.amo)
    }

    /// From byte `begin` of the heap on, adapters carry out the AMOs on words: see `net/route`.
    pub(crate) fn set_adapter_words(&self, begin: usize) {
        self.route.set_adapter_words(begin);
    }

    pub(crate) fn is_adapter_word(&self, word: SymRange) -> bool {
        self.route.is_adapter_word(word)
    }
}

/// Serving peers.
impl Remote {
    /// Whether a PE answers within a time, as far as that can be asked: not without messages or a progress thread here.
    pub(crate) fn answers(&self, pe: Pe, within: Duration) -> bool {
        Progress::runs() && self.messages.as_ref().is_some_and(|messages| messages.answers(pe, within))
    }

    /// What a PE does between two polls of a word that it waits for.
    pub(crate) fn poll_and_push(&self) {
        self.push();
        self.serve();
    }

    /// Sends operations that may be kept until a quiet. Called in waits, because the PE that is waited for may need
    /// them.
    pub(crate) fn push(&self) {
        Path::ALL.into_iter().filter_map(|by| self.find(by)).for_each(Fabric::push);
    }

    /// Serves other PEs if there is no progress thread. Called in calls on words of this PE or its node, because a
    /// program may wait for other PEs with such calls alone.
    pub(crate) fn serve_if_nobody_does(&self) {
        if !Progress::runs() {
            self.serve();
        }
    }

    /// Serves other PEs in one of [`GETS_PER_LOOK`] gets from mapped memory.
    pub(crate) fn serve_in_gets(&self) {
        if self.gets.fetch_add(1, Ordering::Relaxed).is_multiple_of(GETS_PER_LOOK) {
            self.serve_if_nobody_does();
        }
    }

    /// A poll of the progress thread. None: a thread of the program is in a call of the fabric or polls for messages.
    pub(crate) fn poll_for_program(&self) -> Option<Polled> {
        let request = match &self.fabric {
            Some(fabric) => fabric.beside_program(&mut || self.serve())?,
            None => self.serve()?,
        };
        let worked = self.fabric.as_ref().is_some_and(|fabric| fabric.has_worked());
        Some(match (request, worked) {
            (true, _) => Polled::Request,
            (false, true) => Polled::Something,
            (false, false) => Polled::Nothing,
        })
    }

    /// Polls once for requests of other PEs, by messages if there are any, else by the fabric. Either lets the library
    /// below make progress and so serves both.
    pub(crate) fn serve(&self) -> Option<bool> {
        self.find(Path::Message).or(self.find(Path::Fabric))?.serve()
    }

    /// Serves peers after calls of the fabric. A program that only gets a word until it changes would keep its peers'
    /// AMOs waiting otherwise. MPI does not serve messages in such calls, and Open MPI serves nobody in one that is
    /// complete at once.
    fn serve_behind(&self, by: Path) {
        match (by, &self.messages) {
            (Path::Fabric, Some(messages)) => drop(messages.serve()),
            (Path::Fabric, None) => self.serve_if_nobody_does(),
            (Path::Message, _) => {}
        }
    }
}
