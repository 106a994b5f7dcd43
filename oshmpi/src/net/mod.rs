//! The network: the transport to PEs whose memory is not mapped here. It knows nothing of teams, statics and launchers.
//!
//! A job has up to two ways to such PEs, which keep one contract ([`fabric`]): a fabric that moves data by itself
//! ([`mpi`], [`ucx`]), and active messages over MPI or UCX ([`am`]). One decision for each operation chooses between
//! the two ([`route`]), and one ledger is over both. Tagged messages of collectives go beside them ([`tagged`]).
//!
//! Every operation is noted in the ledger of its context until it is complete at its target. Completion is by the
//! quiets of the two: for one PE and one way, or for all when a context has operations under way to several.

pub(crate) mod am;
mod amos;
mod announce;
pub(crate) mod carrier;
pub(crate) mod comm_cache;
pub(crate) mod departures;
mod error;
mod fabric;
pub(crate) mod job_comm;
#[cfg(test)]
pub(crate) mod mailboxes;
#[cfg(test)]
mod memory;
mod mpi;
mod path_key;
mod progress;
mod route;
pub(crate) mod tagged;
#[cfg(test)]
mod tests;
mod ucx;

pub(crate) use error::NetError;
pub(crate) use fabric::{ByMessage, Fabric, Offers};
pub(crate) use mpi::{Exposed, Mode};
pub(crate) use progress::Progress;
pub(crate) use route::Returns;
pub(crate) use ucx::{NoUcx, Opened, Place, Store, Ucx};

use crate::memory::addr::{Pe, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::blocks::Blocks;
use crate::mpi::{Comm, MpiError, window::Use};
use crate::os::clock;
use crate::sync::ledger::{Ledger, Outstanding};
use crate::sync::wait::WaitPolicy;
use am::{Hooks, Messages, OverPackets, Own};
use announce::Announcements;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use mpi::{Windows, probe};
pub(crate) use path_key::MOST_PES;
use path_key::{Path, PathKey};
use route::{Route, Transfer};

/// Operations by the fabric after which messages are served once. A poll costs as much as a short operation, so a lower
/// number slows streams of operations. With a higher one, peers wait longer for their AMOs.
const SERVED_EVERY: u32 = 32;
/// Gets from mapped memory per poll of the network, if no progress thread polls. A poll takes longer than a get, so a
/// lower number slows gets; a higher one keeps peers waiting.
const GETS_PER_LOOK: u32 = 16;

/// Two PEs of different nodes, which measure what windows do by themselves.
pub(crate) struct Probe {
    pub(crate) me: Pe,
    pub(crate) pair: [Pe; 2],
}

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
    pub(crate) used: Use,
    pub(crate) keep: Keep,
    pub(crate) exposed: Exposed,
    pub(crate) policy: WaitPolicy,
}

/// The transport to all PEs whose memory is not mapped here.
pub(crate) struct Remote {
    fabric: Option<Box<dyn Fabric>>,
    messages: Option<Box<dyn ByMessage>>,
    route: Route,
    /// Which PEs were told that operations by the fabric follow. None: there are none for which a PE has to be awake.
    announcements: Option<Announcements>,
    /// The ledger of the default context.
    ledger: Ledger,
    /// How often operations were completed at other PEs, for `OSHMPI_STATS`.
    flushes: AtomicU64,
    /// Operations by the fabric, for [`SERVED_EVERY`].
    fabric_calls: AtomicU32,
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
    let Make { mode, used, exposed, policy, .. } = make;
    if !all_have(&mode.is_possible(exposed, used))? {
        return Ok(None);
    }
    let made = Windows::make(comm, mode, exposed, policy, used);
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
    /// The transport over MPI: the windows to `make`, if they are kept, and active messages. `probe`: it is measured
    /// what windows do by themselves; otherwise they do nothing so. `threads`: PEs have progress threads. `by_message`:
    /// short operations in which the target's CPU takes part go by message. Gives what windows do by themselves
    /// too, and how long this PE has measured for it. Collective.
    pub(crate) fn over_mpi(
        comm: &'static Comm,
        make: Option<Make>,
        messages: OverPackets,
        probe: Option<Probe>,
        threads: bool,
        by_message: bool,
    ) -> Result<(Remote, Offers, Duration), NetError> {
        let keep = make.as_ref().map(|make| make.keep);
        let mut windows = make.map_or(Ok(None), |make| windows(comm, make))?;
        let (measured, took) = match (probe, &windows) {
            (Some(Probe { me, pair }), Some(windows)) => probe::ask(comm, windows, me, pair)?,
            _ => (Some(Offers::default()), Duration::ZERO),
        };
        let offers = measured.unwrap_or_default();
        if measured.is_none() || keep == Some(Keep::IfOneSided) && !offers.transfers() {
            windows.take().inspect(Fabric::close);
        }
        let fabric = windows.map(|windows| Box::new(windows.that_do(offers)) as Box<dyn Fabric>);
        Ok((Remote::over(fabric, Some(Box::new(messages)), by_message, threads), offers, took))
    }

    /// The transport over MPI's windows alone. Collective.
    pub(crate) fn by_rma(
        comm: &'static Comm,
        mode: Mode,
        exposed: Exposed,
        policy: WaitPolicy,
    ) -> Result<Remote, NetError> {
        let possible = mode.is_possible(exposed, Use::Amos);
        if !all_have(&possible)? {
            possible?;
            return Err(NetError::Found("another PE cannot register its memory".into()));
        }
        let windows = Windows::make(comm, mode, exposed, policy, Use::Amos)?;
        Ok(Remote::over(Some(Box::new(windows)), None, false, false))
    }

    /// The transport over UCX: its own puts and gets, and active messages over it. `threads`: PEs have progress
    /// threads, so short operations in which the target's CPU takes part go by message. Each PE may decide it for
    /// itself.
    pub(crate) fn by_ucx(ucx: &'static Ucx, own: Own, hooks: Hooks, threads: bool) -> Result<Remote, NetError> {
        let messages = Box::new(Messages::open(ucx, own, hooks, true)?);
        Ok(Remote::over(Some(Box::new(ucx)), Some(messages), threads, threads))
    }

    /// The transport over at least one of the two. `threads`: operations by the fabric in which the target's CPU takes
    /// part need its progress thread.
    fn over(
        fabric: Option<Box<dyn Fabric>>,
        messages: Option<Box<dyn ByMessage>>,
        by_message: bool,
        threads: bool,
    ) -> Remote {
        let route = Route::new(fabric.is_some(), messages.is_some(), by_message);
        let announcements = (threads && fabric.is_some() && messages.is_some()).then(Announcements::new);
        Remote {
            fabric,
            messages,
            route,
            announcements,
            ledger: Ledger::default(),
            flushes: AtomicU64::new(0),
            fabric_calls: AtomicU32::new(0),
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

    /// Whether peers tell this PE by messages of all for which its progress thread must be awake: they ask by messages,
    /// or announce what they ask by the fabric, or it needs no CPU here.
    pub(crate) fn is_told_by_messages(&self) -> bool {
        self.messages.is_some()
    }

    /// Whether the CPUs of a word's node carry out its AMOs, if it is no word of an adapter.
    pub(crate) fn has_cpu_atomics(&self) -> bool {
        self.route.has_cpu_atomics()
    }

    /// What the fabric does by itself on a PE's memory.
    #[inline]
    fn offers(&self, pe: Pe) -> Result<Offers, NetError> {
        self.fabric.as_ref().map_or(Ok(Offers::default()), |fabric| fabric.offers(pe))
    }

    /// Has the signal of a put of `len` bytes to `pe` follow the put. Both go by messages, which keep their order; or
    /// the fabric has a fence, and carries out the signal too; or the put is completed.
    pub(crate) fn before_signal(
        &self,
        ledger: &Ledger,
        len: usize,
        word: Option<SymRange>,
        pe: Pe,
    ) -> Result<(), NetError> {
        let put = self.route.transfer(Transfer::Put(Returns::BeforeSignal), len, self.offers(pe)?).by;
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

    /// Whether the job has windows, or UCX's own puts and gets.
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
        let offers = self.offers(pe)?;
        let choice = self.route.transfer(Transfer::Put(returns), range.len, offers);
        self.before(ledger, pe, choice.by, offers)?;
        let way = self.way(choice.by);
        match returns {
            Returns::AtOnce => way.put_nbi(ledger.lane(), range, pe, source)?,
            _ => way.put(ledger.lane(), range, pe, source, choice.how)?,
        }
        let waited = returns != Returns::AtOnce && !choice.how.aside;
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
        let offers = self.offers(pe)?;
        let choice = self.route.transfer(Transfer::Get(returns), range.len, offers);
        self.announce(pe, choice.by, offers)?;
        let way = self.way(choice.by);
        if returns == Returns::AtOnce {
            way.get_nbi(ledger.lane(), range, pe, dest)?;
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
        if !self.in_one(&blocks) {
            for b in 0..blocks.n {
                let from = source.part(b * blocks.here, blocks.len);
                self.put(ledger, range.part(b * blocks.there, blocks.len), pe, from, Returns::AtOnce)?;
            }
            return self.local_puts(ledger, pe);
        }
        let offers = self.offers(pe)?;
        let choice = self.route.transfer(Transfer::PutBlocks, blocks.bytes(), offers);
        self.before(ledger, pe, choice.by, offers)?;
        self.way(choice.by).put_blocks(ledger.lane(), range, pe, source, blocks, choice.how)?;
        self.noted(ledger, pe, choice.by, !choice.how.aside);
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
        if !self.in_one(&blocks) {
            for b in 0..blocks.n {
                let to = dest.part(b * blocks.here, blocks.len);
                self.get(ledger, range.part(b * blocks.there, blocks.len), pe, to, Returns::AtOnce)?;
            }
            return self.local_gets(ledger, pe);
        }
        self.announce(pe, Path::Fabric, self.offers(pe)?)?;
        self.way(Path::Fabric).get_blocks(ledger.lane(), range, pe, dest, blocks)?;
        self.serve_behind(Path::Fabric);
        Ok(())
    }

    fn in_one(&self, blocks: &Blocks) -> bool {
        let longest = self.fabric.as_deref().map_or(0, Fabric::longest_block);
        self.route.in_one(blocks.n, blocks.len, longest)
    }
}

/// Order and completion.
impl Remote {
    /// Called before an operation to `pe` is issued. Completes earlier operations to `pe` that a fence has marked,
    /// except those on the same way if it keeps their order. Announces an operation by the fabric.
    #[inline]
    fn before(&self, ledger: &Ledger, pe: Pe, by: Path, offers: Offers) -> Result<(), NetError> {
        self.announce(pe, by, offers)?;
        for earlier in Path::ALL {
            let key = PathKey { pe, by: earlier };
            if ledger.must_wait(key.number()) && !(earlier == by && self.keeps_order(by)) {
                self.complete_marked(ledger, key)?;
            }
        }
        Ok(())
    }

    /// Whether operations on one way keep their order across a fence.
    fn keeps_order(&self, by: Path) -> bool {
        by == Path::Message || self.fabric.as_ref().is_some_and(|fabric| fabric.has_fence())
    }

    /// Called before an operation on `pe` is issued: has the PE's progress thread awake if it is needed.
    fn announce(&self, pe: Pe, by: Path, offers: Offers) -> Result<(), NetError> {
        match (by, &self.announcements, &self.messages) {
            (Path::Fabric, Some(told), Some(messages)) if !offers.transfers() && told.is_due(pe, clock::millis()) => {
                messages.announce(pe)
            }
            _ => Ok(()),
        }
    }

    /// Completes the operations of a key that a fence has marked. The first key after a fence is completed alone,
    /// because the program may go on with that PE only. From the second key on, all operations by the fabric are
    /// completed together, because each completion costs a round trip.
    #[cold]
    fn complete_marked(&self, ledger: &Ledger, key: PathKey) -> Result<(), NetError> {
        let fabric = self.fabric.as_deref().filter(|_| key.by == Path::Fabric && ledger.not_the_first());
        let Some(fabric) = fabric else { return self.complete(ledger, key) };
        let seen = ledger.look();
        let by_fabric = |number| PathKey::of_number(number).by == Path::Fabric;
        let pes: Vec<Pe> = seen.keys().filter(|&number| by_fabric(number)).map(|n| PathKey::of_number(n).pe).collect();
        self.flushes.fetch_add(1, Ordering::Relaxed);
        fabric.quiet(ledger.lane(), Some(&pes))?;
        ledger.done_if(&seen, by_fabric);
        self.serve_behind(Path::Fabric);
        Ok(())
    }

    /// Called after an operation to `pe` was issued. `waited`: the call waited for the network without serving other
    /// PEs.
    fn noted(&self, ledger: &Ledger, pe: Pe, by: Path, waited: bool) {
        ledger.issued(PathKey { pe, by }.number());
        if by == Path::Fabric {
            let calls = self.fabric_calls.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            if waited || calls.is_multiple_of(SERVED_EVERY) {
                self.serve_behind(by);
            }
        }
    }

    /// Completes all operations of a context.
    pub(crate) fn quiet(&self, ledger: &Ledger) -> Result<(), NetError> {
        if ledger.is_clear() {
            return Ok(());
        }
        let seen = ledger.look();
        match seen.pending() {
            Outstanding::Nothing => return Ok(()),
            Outstanding::One(number) => self.flush(ledger, PathKey::of_number(number))?,
            // All together, because one after the other they would cost a round trip each.
            Outstanding::Many => {
                self.flushes.fetch_add(1, Ordering::Relaxed);
                for (by, way) in Path::ALL.into_iter().filter_map(|by| Some((by, self.find(by)?))) {
                    let keys = seen.keys().map(PathKey::of_number).filter(|key| key.by == by);
                    let pes: Vec<Pe> = keys.map(|key| key.pe).collect();
                    way.quiet(ledger.lane(), (!seen.more()).then_some(&pes))?;
                }
            }
        }
        ledger.done(&seen);
        Ok(())
    }

    /// Completes the operations of a context to one PE.
    pub(crate) fn quiet_pe(&self, ledger: &Ledger, pe: Pe) -> Result<(), NetError> {
        self.complete(ledger, PathKey { pe, by: Path::Fabric })?;
        self.complete(ledger, PathKey { pe, by: Path::Message })
    }

    /// Completes the operations of a context to one PE on one way.
    fn complete(&self, ledger: &Ledger, key: PathKey) -> Result<(), NetError> {
        let seen = ledger.look();
        if seen.may_include(key.number()) {
            self.flush(ledger, key)?;
            ledger.done_with(&seen, key.number());
        }
        Ok(())
    }

    /// Completes all operations of all contexts.
    pub(crate) fn quiet_all(&self) -> Result<(), NetError> {
        let seen = self.ledger.look();
        self.flushes.fetch_add(1, Ordering::Relaxed);
        for way in Path::ALL.into_iter().filter_map(|by| self.find(by)) {
            way.quiet_all()?;
        }
        self.ledger.done(&seen);
        Ok(())
    }

    /// Orders later operations of the context after earlier ones, for each PE. Operations to PEs for which `at_once` is
    /// true are completed at once, because these PEs are also reached without this ledger. The others are completed
    /// before the next operation to their PE, unless the fabric's fence orders both.
    pub(crate) fn fence(&self, ledger: &Ledger, at_once: impl Fn(Pe) -> bool) -> Result<(), NetError> {
        let seen = ledger.look();
        if seen.more() {
            self.quiet(ledger)?;
        } else {
            for key in seen.keys().map(PathKey::of_number).filter(|key| at_once(key.pe)) {
                self.complete(ledger, key)?;
            }
        }
        ledger.fence();
        match &self.fabric {
            Some(fabric) if fabric.has_fence() && seen.keys().any(|n| PathKey::of_number(n).by == Path::Fabric) => {
                fabric.fence(ledger.lane())
            }
            _ => Ok(()),
        }
    }

    /// Completes the operations of a key. A full ledger may name a way that does not exist, which has no operations.
    fn flush(&self, ledger: &Ledger, key: PathKey) -> Result<(), NetError> {
        let Some(way) = self.find(key.by) else { return Ok(()) };
        self.flushes.fetch_add(1, Ordering::Relaxed);
        way.quiet_pe(ledger.lane(), key.pe)?;
        self.serve_behind(key.by);
        Ok(())
    }

    /// Returns when the sources of puts to `pe` may be reused. Messages have copied theirs.
    fn local_puts(&self, ledger: &Ledger, pe: Pe) -> Result<(), NetError> {
        if let Some(fabric) = self.fabric.as_deref() {
            fabric.local_puts(ledger.lane(), pe)?;
            self.serve_behind(Path::Fabric);
        }
        Ok(())
    }

    /// Returns when the data of gets from `pe` has arrived.
    fn local_gets(&self, ledger: &Ledger, pe: Pe) -> Result<(), NetError> {
        if self.route.some_gets_by_message() {
            self.way(Path::Message).local_gets(ledger.lane(), pe)?;
        }
        if let Some(fabric) = self.fabric.as_deref() {
            fabric.local_gets(ledger.lane(), pe)?;
            self.serve_behind(Path::Fabric);
        }
        Ok(())
    }
}

/// Serving peers.
impl Remote {
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

    /// A poll of the progress thread. Returns whether a message had come, or the fabric has served a peer. None: a
    /// thread of the program is in a call of the fabric or polls for messages.
    pub(crate) fn poll_for_program(&self) -> Option<bool> {
        let Some(fabric) = &self.fabric else { return self.serve() };
        let told = fabric.beside_program(&mut || self.serve())?;
        Some(fabric.has_served() || told)
    }

    /// Polls once for requests of other PEs, by messages if there are any, else by the fabric. Either lets the library
    /// below make progress and so serves both.
    fn serve(&self) -> Option<bool> {
        self.find(Path::Message).or(self.find(Path::Fabric))?.serve()
    }

    /// Serves messages after calls of the fabric. MPI does not serve them in such calls, so a program that only gets a
    /// word until it changes would keep its peers' AMOs waiting.
    fn serve_behind(&self, by: Path) {
        if let (Path::Fabric, Some(messages)) = (by, &self.messages) {
            messages.serve();
        }
    }
}
