//! The remote transport, to peers whose memory is not mapped here. It has one interface ([`executor`]) with three
//! executors behind it ([`windows`], [`messages`], [`ucx`]), one chooser between the two of a job ([`choose`]), and one
//! ledger over both. UCX's executor takes the place of windows.
//!
//! Every operation is noted in the ledger of its context until it is complete at its target. Completion is by the
//! executors' quiets: for one PE and one executor, or for all when a context has operations under way to several.

mod amos;
mod announce;
mod choose;
mod executor;
#[cfg(test)]
mod in_memory;
pub(crate) mod messages;
mod path_key;
mod probe;
mod progress;
#[cfg(test)]
mod tests;
mod ucx;
mod windows;

pub(crate) use choose::Returns;
pub(crate) use probe::OneSided;
pub(crate) use progress::Progress;
pub(crate) use ucx::{NoUcx, Place, Store, Ucx};
pub(crate) use windows::{Exposed, Mode};

use crate::memory::addr::{Pe, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::blocks::Blocks;
use crate::mpi::{Comm, MpiError, window::Use};
use crate::os::clock;
use crate::sync::ledger::{Ledger, Outstanding};
use crate::sync::wait::WaitPolicy;
use announce::Announcements;
use choose::{Chooser, Transfer};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use core::time::Duration;
pub(crate) use executor::Executor;
use messages::{Hooks, Messages, OverPackets, Own};
pub(crate) use path_key::MOST_PES;
use path_key::{Path, PathKey};
use windows::Windows;

/// Operations on windows after which messages are served once. A poll costs as much as a short operation, so a lower
/// number slows streams of operations. With a higher one, peers wait longer for their AMOs.
const SERVED_EVERY: u32 = 32;
/// Gets from mapped memory per poll of the network, if no progress thread polls. A poll takes longer than a get, so a
/// lower number slows gets; a higher one keeps peers waiting.
const GETS_PER_LOOK: u32 = 16;

/// Two PEs of different nodes, which measure which operations of windows are one-sided.
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
    /// What puts and gets by itself: MPI's windows, or UCX.
    windows: Option<Box<dyn Executor>>,
    messages: Option<Box<dyn Executor>>,
    chooser: Chooser,
    one_sided: OneSided,
    /// How long this PE has measured for it.
    probed_in: Duration,
    /// Where words in the heap begin whose AMOs an adapter carries out, in bytes; `usize::MAX`: there are none.
    adapter_words: AtomicUsize,
    /// Announcements of operations on windows, if their targets have progress threads that must be awake.
    announcements: Option<Announcements>,
    /// The ledger of the default context.
    ledger: Ledger,
    /// How often operations were completed at other PEs, for `OSHMPI_STATS`.
    flushes: AtomicU64,
    /// Operations on windows, for [`SERVED_EVERY`].
    window_calls: AtomicU32,
    /// Gets from mapped memory, for [`GETS_PER_LOOK`].
    gets: AtomicU32,
}

/// Whether all PEs have had success. Collective: one reduction.
fn all_have<T>(mine: &Result<T, MpiError>) -> Result<bool, MpiError> {
    Ok(Comm::shared_world().least(&[mine.is_ok().into()])?[0] == 1)
}

/// Makes windows, or none if a PE fails to make its own. Collective.
fn windows(comm: &'static Comm, make: Make) -> Result<Option<Windows>, MpiError> {
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
    /// The transport over MPI: the windows to `make`, if they are kept, and active messages. `probe`: how it is found
    /// out which operations of windows are one-sided; otherwise none is. `threads`: PEs have progress threads.
    /// `by_message` is told which operations of windows are one-sided, and tells whether short ones go by message.
    /// Collective.
    pub(crate) fn over_mpi(
        comm: &'static Comm,
        make: Option<Make>,
        messages: OverPackets,
        probe: Option<Probe>,
        threads: bool,
        by_message: impl FnOnce(OneSided) -> bool,
    ) -> Result<Remote, MpiError> {
        let keep = make.as_ref().map(|make| make.keep);
        let made = make.map_or(Ok(None), |make| windows(comm, make))?;
        let mut windows = made.map(|windows| Box::new(windows) as Box<dyn Executor>);
        let (measured, probed_in) = match (probe, &windows) {
            (Some(Probe { me, pair }), Some(windows)) => probe::ask(comm, &**windows, me, pair)?,
            _ => (Some(OneSided::default()), Duration::ZERO),
        };
        let one_sided = measured.unwrap_or_default();
        let by_itself = one_sided.put && one_sided.get;
        if measured.is_none() || keep == Some(Keep::IfOneSided) && !by_itself {
            windows.take().inspect(|executor| executor.close());
        }
        let remote = Remote::over(windows, Some(Box::new(messages)), by_message(one_sided), threads && !by_itself);
        Ok(Remote { one_sided, probed_in, ..remote })
    }

    /// The transport over MPI's windows alone. Collective.
    pub(crate) fn by_rma(
        comm: &'static Comm,
        mode: Mode,
        exposed: Exposed,
        policy: WaitPolicy,
    ) -> Result<Remote, MpiError> {
        let possible = mode.is_possible(exposed, Use::Amos);
        if !all_have(&possible)? {
            return Err(possible
                .err()
                .unwrap_or_else(|| MpiError::Found("another PE cannot register its memory".into())));
        }
        let windows = Windows::make(comm, mode, exposed, policy, Use::Amos)?;
        Ok(Remote::over(Some(Box::new(windows)), None, false, false))
    }

    /// Which operations of windows are one-sided, and how long this PE has measured for it.
    pub(crate) fn one_sided(&self) -> (OneSided, Duration) {
        (self.one_sided, self.probed_in)
    }

    /// The transport over UCX: its own puts and gets, and active messages over it. `by_message`: short puts and gets go
    /// by message. `threads`: PEs have progress threads. Each PE may decide both for itself.
    pub(crate) fn by_ucx(
        ucx: &'static Ucx,
        own: Own,
        hooks: Hooks,
        by_message: bool,
        threads: bool,
    ) -> Result<Remote, MpiError> {
        let messages = Box::new(Messages::open(ucx, own, hooks, true)?);
        Ok(Remote::over(Some(Box::new(ucx)), Some(messages), by_message, threads))
    }

    /// The transport over at least one executor. `awake`: operations on windows need the target's progress thread.
    fn over(
        windows: Option<Box<dyn Executor>>,
        messages: Option<Box<dyn Executor>>,
        by_message: bool,
        awake: bool,
    ) -> Remote {
        let chooser = Chooser { windows: windows.is_some(), messages: messages.is_some(), by_message };
        let announcements = (awake && chooser.windows && chooser.messages).then(Announcements::new);
        Remote {
            windows,
            messages,
            chooser,
            announcements,
            one_sided: OneSided::default(),
            probed_in: Duration::ZERO,
            adapter_words: AtomicUsize::new(usize::MAX),
            ledger: Ledger::default(),
            flushes: AtomicU64::new(0),
            window_calls: AtomicU32::new(0),
            gets: AtomicU32::new(0),
        }
    }

    /// Closes the executors. Collective, before MPI ends.
    pub(crate) fn close(&self) {
        for executor in self.messages.iter().chain(&self.windows) {
            executor.close();
        }
    }

    fn executors(&self) -> impl Iterator<Item = &dyn Executor> {
        self.windows.iter().chain(&self.messages).map(|executor| &**executor)
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
    /// or announce what they ask by windows, or windows are one-sided.
    pub(crate) fn is_told_by_messages(&self) -> bool {
        self.messages.is_some()
    }

    /// Whether the CPUs of a word's node carry out its AMOs, if it is no word of an adapter.
    pub(crate) fn has_cpu_atomics(&self) -> bool {
        self.executor(self.chooser.amo()).amos_by_cpu()
    }

    /// Whether the signal of a put of `len` bytes, if its word is remote too, may follow the put without a quiet: both
    /// go by messages, which keep their order.
    pub(crate) fn signal_follows(&self, len: usize) -> bool {
        self.chooser.transfer(Transfer::Put(Returns::BeforeSignal), len).by == Path::Message
    }

    /// The executor of a path, if the job has one.
    fn find(&self, by: Path) -> Option<&dyn Executor> {
        match by {
            Path::Window => self.windows.as_deref(),
            Path::Message => self.messages.as_deref(),
        }
    }

    fn executor(&self, by: Path) -> &dyn Executor {
        self.find(by).expect("an executor that is chosen is there")
    }

    /// The executor of a tool's notes: that of all operations, which then come in the order of the notes.
    pub(crate) fn notes(&self) -> Option<&dyn Executor> {
        self.messages.as_deref().filter(|_| self.windows.is_none())
    }

    /// Whether the job has windows, or UCX's own puts and gets.
    pub(crate) fn has_windows(&self) -> bool {
        self.windows.is_some()
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
    ) -> Result<(), MpiError> {
        let choice = self.chooser.transfer(Transfer::Put(returns), range.len);
        self.before(ledger, pe, choice.by)?;
        let executor = self.executor(choice.by);
        match returns {
            Returns::AtOnce => executor.put_nbi(range, pe, source)?,
            _ => executor.put(range, pe, source, choice.how)?,
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
    ) -> Result<(), MpiError> {
        let choice = self.chooser.transfer(Transfer::Get(returns), range.len);
        self.announce(pe, choice.by)?;
        let executor = self.executor(choice.by);
        if returns == Returns::AtOnce {
            executor.get_nbi(range, pe, dest)?;
            self.noted(ledger, pe, choice.by, false);
        } else {
            executor.get(range, pe, dest)?;
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
    ) -> Result<(), MpiError> {
        if !self.in_one(&blocks) {
            for b in 0..blocks.n {
                let from = source.part(b * blocks.here, blocks.len);
                self.put(ledger, range.part(b * blocks.there, blocks.len), pe, from, Returns::AtOnce)?;
            }
            return self.local_puts(pe);
        }
        let choice = self.chooser.transfer(Transfer::PutBlocks, blocks.bytes());
        self.before(ledger, pe, choice.by)?;
        self.executor(choice.by).put_blocks(range, pe, source, blocks, choice.how)?;
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
    ) -> Result<(), MpiError> {
        if !self.in_one(&blocks) {
            for b in 0..blocks.n {
                let to = dest.part(b * blocks.here, blocks.len);
                self.get(ledger, range.part(b * blocks.there, blocks.len), pe, to, Returns::AtOnce)?;
            }
            return self.local_gets(pe);
        }
        self.announce(pe, Path::Window)?;
        self.executor(Path::Window).get_blocks(range, pe, dest, blocks)?;
        self.serve_behind(Path::Window);
        Ok(())
    }

    fn in_one(&self, blocks: &Blocks) -> bool {
        let longest = self.windows.as_deref().map_or(0, |windows| windows.longest_block());
        self.chooser.in_one(blocks.n, blocks.len, longest)
    }
}

/// Order and completion.
impl Remote {
    /// Called before an operation to `pe` is issued. Completes earlier operations to `pe` that a fence has marked,
    /// except those by the same executor if it keeps their order. Announces an operation on a window.
    #[inline]
    fn before(&self, ledger: &Ledger, pe: Pe, by: Path) -> Result<(), MpiError> {
        self.announce(pe, by)?;
        for earlier in Path::ALL {
            let key = PathKey { pe, by: earlier };
            if ledger.must_wait(key.number()) && !(earlier == by && self.executor(by).keeps_order()) {
                self.complete_marked(ledger, key)?;
            }
        }
        Ok(())
    }

    /// Called before an operation on `pe` is issued: has the PE's progress thread awake if it is needed.
    fn announce(&self, pe: Pe, by: Path) -> Result<(), MpiError> {
        match (by, &self.announcements, &self.messages) {
            (Path::Window, Some(told), Some(messages)) if told.is_due(pe, clock::millis()) => messages.announce(pe),
            _ => Ok(()),
        }
    }

    /// Completes the operations of a key that a fence has marked. The first key after a fence is completed alone,
    /// because the program may go on with that PE only. From the second key on, all operations on windows are completed
    /// together, because each completion costs a round trip.
    #[cold]
    fn complete_marked(&self, ledger: &Ledger, key: PathKey) -> Result<(), MpiError> {
        let windows = self.windows.as_deref().filter(|_| key.by == Path::Window && ledger.not_the_first());
        let Some(windows) = windows else { return self.complete(ledger, key) };
        let seen = ledger.look();
        let by_window = |number| PathKey::of_number(number).by == Path::Window;
        let pes: Vec<Pe> = seen.keys().filter(|&number| by_window(number)).map(|n| PathKey::of_number(n).pe).collect();
        self.flushes.fetch_add(1, Ordering::Relaxed);
        windows.quiet(Some(&pes))?;
        ledger.done_if(&seen, by_window);
        self.serve_behind(Path::Window);
        Ok(())
    }

    /// Called after an operation to `pe` was issued. `waited`: the call waited for the network without serving other
    /// PEs.
    fn noted(&self, ledger: &Ledger, pe: Pe, by: Path, waited: bool) {
        ledger.issued(PathKey { pe, by }.number());
        if by == Path::Window {
            let calls = self.window_calls.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            if waited || calls.is_multiple_of(SERVED_EVERY) {
                self.serve_behind(by);
            }
        }
    }

    /// Completes all operations of a context.
    pub(crate) fn quiet(&self, ledger: &Ledger) -> Result<(), MpiError> {
        if ledger.is_clear() {
            return Ok(());
        }
        let seen = ledger.look();
        match seen.pending() {
            Outstanding::Nothing => return Ok(()),
            Outstanding::One(number) => self.flush(PathKey::of_number(number))?,
            // All together, because one after the other they would cost a round trip each.
            Outstanding::Many => {
                self.flushes.fetch_add(1, Ordering::Relaxed);
                for (by, executor) in Path::ALL.into_iter().filter_map(|by| Some((by, self.find(by)?))) {
                    let keys = seen.keys().map(PathKey::of_number).filter(|key| key.by == by);
                    let pes: Vec<Pe> = keys.map(|key| key.pe).collect();
                    executor.quiet((!seen.more()).then_some(&pes))?;
                }
            }
        }
        ledger.done(&seen);
        Ok(())
    }

    /// Completes the operations of a context to one PE.
    pub(crate) fn quiet_pe(&self, ledger: &Ledger, pe: Pe) -> Result<(), MpiError> {
        self.complete(ledger, PathKey { pe, by: Path::Window })?;
        self.complete(ledger, PathKey { pe, by: Path::Message })
    }

    /// Completes the operations of a context to one PE by one executor.
    fn complete(&self, ledger: &Ledger, key: PathKey) -> Result<(), MpiError> {
        let seen = ledger.look();
        if seen.may_include(key.number()) {
            self.flush(key)?;
            ledger.done_with(&seen, key.number());
        }
        Ok(())
    }

    /// Completes all operations of all contexts.
    pub(crate) fn quiet_all(&self) -> Result<(), MpiError> {
        let seen = self.ledger.look();
        self.flushes.fetch_add(1, Ordering::Relaxed);
        for executor in self.executors() {
            executor.quiet(None)?;
        }
        self.ledger.done(&seen);
        Ok(())
    }

    /// Orders later operations of the context after earlier ones, for each PE. Operations to PEs for which `at_once` is
    /// true are completed at once, because these PEs are also reached without this ledger. The others are completed
    /// before the next operation to their PE.
    pub(crate) fn fence(&self, ledger: &Ledger, at_once: impl Fn(Pe) -> bool) -> Result<(), MpiError> {
        let seen = ledger.look();
        if seen.more() {
            self.quiet(ledger)?;
        } else {
            for key in seen.keys().map(PathKey::of_number).filter(|key| at_once(key.pe)) {
                self.complete(ledger, key)?;
            }
        }
        ledger.fence();
        Ok(())
    }

    /// Completes the operations of a key at its executor. A full ledger may name an executor that does not exist, which
    /// has no operations.
    fn flush(&self, key: PathKey) -> Result<(), MpiError> {
        let Some(executor) = self.find(key.by) else { return Ok(()) };
        self.flushes.fetch_add(1, Ordering::Relaxed);
        executor.quiet_pe(key.pe)?;
        self.serve_behind(key.by);
        Ok(())
    }

    /// Returns when the sources of puts to `pe` may be reused. Messages have copied theirs.
    fn local_puts(&self, pe: Pe) -> Result<(), MpiError> {
        if let Some(windows) = self.windows.as_deref() {
            windows.local_puts(pe)?;
            self.serve_behind(Path::Window);
        }
        Ok(())
    }

    /// Returns when the data of gets from `pe` has arrived.
    fn local_gets(&self, pe: Pe) -> Result<(), MpiError> {
        if self.chooser.some_gets_by_message() {
            self.executor(Path::Message).local_gets(pe)?;
        }
        if let Some(windows) = self.windows.as_deref() {
            windows.local_gets(pe)?;
            self.serve_behind(Path::Window);
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

    /// Sends operations that an executor may keep until a quiet. Called in waits, because the PE that is waited for may
    /// need them.
    pub(crate) fn push(&self) {
        self.executors().for_each(Executor::push);
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

    /// A poll of the progress thread. Returns whether a message had come. None: a thread of the program is in a call on
    /// a window or polls for messages.
    pub(crate) fn poll_for_program(&self) -> Option<bool> {
        match &self.windows {
            Some(windows) => windows.beside_program(&mut || self.serve()),
            None => self.serve(),
        }
    }

    /// Polls once for requests of other PEs, by messages if there are any, else by windows. Either lets MPI make
    /// progress and so serves windows too.
    fn serve(&self) -> Option<bool> {
        self.messages.as_ref().or(self.windows.as_ref())?.serve()
    }

    /// Serves messages after calls on a window. MPI does not serve them in such calls, so a program that only gets a
    /// word until it changes would keep its peers' AMOs waiting.
    fn serve_behind(&self, by: Path) {
        if let (Path::Window, Some(messages)) = (by, &self.messages) {
            messages.serve();
        }
    }
}
