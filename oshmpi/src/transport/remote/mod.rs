//! Peers whose memory is not mapped here: one interface ([`executor`]), two executors behind it ([`windows`],
//! [`messages`]), one place that chooses between them ([`choose`], with the table [`sizes`]), and one ledger over both.
//!
//! Every operation is noted in the ledger of its context until it is complete at its target. Completion is by the
//! executors' quiets: for one PE and one executor, or for all when a context has operations under way to several.

mod choose;
mod executor;
#[cfg(test)]
mod in_memory;
pub(crate) mod messages;
mod path_key;
mod progress;
mod sizes;
#[cfg(test)]
mod tests;
mod windows;

pub(crate) use choose::{Returns, Short};
pub(crate) use progress::Progress;
pub(crate) use windows::{Exposed, Mode};

use crate::memory::addr::{Pe, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::blocks::Blocks;
use crate::mpi::{Comm, MpiError};
use crate::sync::ledger::{Ledger, Outstanding};
use crate::sync::wait::WaitPolicy;
use crate::transport::amo::Amo;
use choose::{Chooser, Transfer};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use executor::Executor;
use messages::Messages;
pub(crate) use path_key::MOST_PES;
use path_key::{Path, PathKey};
use windows::Windows;

/// Operations on windows after which messages are served: a poll costs as much as a short operation, and peers that
/// wait for an AMO should not wait for longer than some tens of them.
const SERVED_EVERY: u32 = 32;
/// Gets from mapped memory for one poll of the network, where no thread polls: a poll takes longer than a get.
const GETS_PER_LOOK: u32 = 16;

/// The way to all PEs whose memory is not mapped here.
pub(crate) struct Remote {
    windows: Option<Box<dyn Executor>>,
    messages: Option<Box<dyn Executor>>,
    chooser: Chooser,
    /// The default context's.
    ledger: Ledger,
    /// How often operations were completed at other PEs, for people.
    flushes: AtomicU64,
    /// Operations on windows, for [`SERVED_EVERY`].
    window_calls: AtomicU32,
    /// Gets from mapped memory, for [`GETS_PER_LOOK`].
    gets: AtomicU32,
}

impl Remote {
    /// Makes the windows. Collective. With `messages`, AMOs go by them; without windows, everything.
    pub(crate) fn make(
        comm: &'static Comm,
        mode: Mode,
        exposed: Exposed,
        messages: Option<Messages>,
        short: Short,
        policy: WaitPolicy,
    ) -> Result<Remote, MpiError> {
        let windows = Windows::make(comm, mode, exposed, policy)?.map(|w| Box::new(w) as Box<dyn Executor>);
        Ok(Remote::over(windows, messages.map(|m| Box::new(m) as Box<dyn Executor>), short))
    }

    /// Over at least one executor.
    fn over(windows: Option<Box<dyn Executor>>, messages: Option<Box<dyn Executor>>, short: Short) -> Remote {
        let chooser = Chooser { windows: windows.is_some(), messages: messages.is_some(), short };
        Remote {
            windows,
            messages,
            chooser,
            ledger: Ledger::default(),
            flushes: AtomicU64::new(0),
            window_calls: AtomicU32::new(0),
            gets: AtomicU32::new(0),
        }
    }

    /// Collective, before MPI ends.
    pub(crate) fn close(&self) {
        for executor in self.messages.iter().chain(&self.windows) {
            executor.close();
        }
    }

    /// How often operations were completed at other PEs.
    pub(crate) fn flushes(&self) -> u64 {
        self.flushes.load(Ordering::Relaxed)
    }

    /// The default context's ledger.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The CPUs of a word's node carry out AMOs on it, told by messages.
    pub(crate) fn has_cpu_atomics(&self) -> bool {
        self.messages.is_some()
    }

    /// The signal of a put of `len` bytes, if its word is remote too, goes in order behind the put.
    pub(crate) fn signal_follows(&self, len: usize) -> bool {
        self.chooser.transfer(Transfer::Put(Returns::BeforeSignal), len, || false).by == Path::Message
    }

    fn executor(&self, by: Path) -> &dyn Executor {
        let executor = match by {
            Path::Window => &self.windows,
            Path::Message => &self.messages,
        };
        executor.as_deref().expect("an executor that is chosen is there")
    }
}

/// Operations. In all of them the local buffer is as long as the range.
impl Remote {
    /// Puts.
    pub(crate) fn put(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: Pe,
        source: Source,
        returns: Returns,
    ) -> Result<(), MpiError> {
        let choice = self.chooser.transfer(Transfer::Put(returns), range.len, || is_first(ledger, pe));
        self.before(ledger, pe, choice.by)?;
        let executor = self.executor(choice.by);
        match returns {
            Returns::AtOnce => executor.put_nbi(range, pe, source, choice.how)?,
            _ => executor.put(range, pe, source, choice.how)?,
        }
        let waited = returns != Returns::AtOnce && !choice.how.aside;
        self.noted(ledger, pe, choice.by, waited);
        Ok(())
    }

    /// Gets. A fence orders no gets, so none need wait for earlier operations.
    pub(crate) fn get(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: Pe,
        dest: Dest,
        returns: Returns,
    ) -> Result<(), MpiError> {
        let choice = self.chooser.transfer(Transfer::Get(returns), range.len, || is_first(ledger, pe));
        let executor = self.executor(choice.by);
        if returns == Returns::AtOnce {
            executor.get_nbi(range, pe, dest, choice.how)?;
            self.noted(ledger, pe, choice.by, false);
        } else {
            executor.get(range, pe, dest, choice.how)?;
            self.serve_behind(choice.by);
        }
        Ok(())
    }

    /// Puts blocks; their source may be reused when it returns. The range reaches from the first block to the end of
    /// the last, and so does the source.
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
        let choice = self.chooser.transfer(Transfer::PutBlocks, blocks.bytes(), || false);
        self.before(ledger, pe, choice.by)?;
        self.executor(choice.by).put_blocks(range, pe, source, blocks, choice.how)?;
        self.noted(ledger, pe, choice.by, !choice.how.aside);
        Ok(())
    }

    /// Gets blocks. The range reaches from the first block to the end of the last, and so does the destination.
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
        self.executor(Path::Window).get_blocks(range, pe, dest, blocks)?;
        self.serve_behind(Path::Window);
        Ok(())
    }

    fn in_one(&self, blocks: &Blocks) -> bool {
        let longest = self.windows.as_ref().map_or(0, |windows| windows.longest_block());
        self.chooser.in_one(blocks.n, blocks.len, longest)
    }

    /// An AMO on a word of 4 or 8 bytes; gives the old value.
    pub(crate) fn amo(&self, ledger: &Ledger, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, MpiError> {
        let by = self.before_amo(ledger, pe)?;
        let old = self.executor(by).amo(word, pe, amo)?;
        if by == Path::Window {
            // Open MPI holds a lock of the word's owner meanwhile: a PE that asks again and again would never see
            // another PE get the lock.
            self.serve_if_nobody_does();
        }
        Ok(old)
    }

    /// An AMO that is complete when the context is quiet. `result` has the old value then; none: nobody wants it.
    pub(crate) fn amo_nbi(
        &self,
        ledger: &Ledger,
        word: SymRange,
        pe: Pe,
        amo: Amo,
        result: Option<Dest>,
    ) -> Result<(), MpiError> {
        let by = self.before_amo(ledger, pe)?;
        self.executor(by).amo_nbi(word, pe, amo, result)?;
        self.noted(ledger, pe, by, false);
        Ok(())
    }

    fn before_amo(&self, ledger: &Ledger, pe: Pe) -> Result<Path, MpiError> {
        let by = self.chooser.amo();
        self.before(ledger, pe, by)?;
        Ok(by)
    }
}

/// Order and completion.
impl Remote {
    /// Before an operation to `pe` is issued: a fence may want earlier ones complete first. An executor that keeps the
    /// order of its operations need not complete its own.
    #[inline]
    fn before(&self, ledger: &Ledger, pe: Pe, by: Path) -> Result<(), MpiError> {
        for earlier in Path::ALL {
            let key = PathKey { pe, by: earlier };
            if ledger.must_wait(key.number()) && !(earlier == by && self.executor(by).keeps_order()) {
                self.complete_marked(ledger, key)?;
            }
        }
        Ok(())
    }

    /// Completes what a fence has marked at a key. The first one since the fence by itself: the program may go on with
    /// that PE only. From the second one on with all that goes by windows: one after the other, each costs a round
    /// trip.
    #[cold]
    fn complete_marked(&self, ledger: &Ledger, key: PathKey) -> Result<(), MpiError> {
        let windows = self.windows.as_ref().filter(|_| key.by == Path::Window && ledger.not_the_first());
        let Some(windows) = windows else { return self.complete(ledger, key) };
        let seen = ledger.look();
        let by_window = |number| PathKey::of_number(number).by == Path::Window;
        let pes: Vec<Pe> = seen.keys().filter(|&number| by_window(number)).map(|n| PathKey::of_number(n).pe).collect();
        self.flushes.fetch_add(1, Ordering::Relaxed);
        windows.quiet(&pes)?;
        ledger.done_if(&seen, by_window);
        self.serve_behind(Path::Window);
        Ok(())
    }

    /// After an operation to `pe` was issued. `waited`: the call waited for the network, and served nobody meanwhile.
    fn noted(&self, ledger: &Ledger, pe: Pe, by: Path, waited: bool) {
        ledger.issued(PathKey { pe, by }.number());
        if by == Path::Window {
            let calls = self.window_calls.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            if waited || calls.is_multiple_of(SERVED_EVERY) {
                self.serve_behind(by);
            }
        }
    }

    /// Completes what a context has under way.
    pub(crate) fn quiet(&self, ledger: &Ledger) -> Result<(), MpiError> {
        let seen = ledger.look();
        match seen.pending() {
            Outstanding::Nothing => return Ok(()),
            Outstanding::One(number) => self.flush(PathKey::of_number(number))?,
            // All at once: one after the other they would cost a round trip each.
            Outstanding::Many => {
                let keys = seen.keys().map(PathKey::of_number);
                let pes: Vec<Pe> = keys.filter(|key| key.by == Path::Window).map(|key| key.pe).collect();
                self.flush_all(&pes)?;
            }
        }
        ledger.done(&seen);
        Ok(())
    }

    /// Completes what a context has under way to one PE.
    pub(crate) fn quiet_pe(&self, ledger: &Ledger, pe: Pe) -> Result<(), MpiError> {
        self.complete(ledger, PathKey { pe, by: Path::Window })?;
        self.complete(ledger, PathKey { pe, by: Path::Message })
    }

    /// Completes what a context has under way to one PE by one executor.
    fn complete(&self, ledger: &Ledger, key: PathKey) -> Result<(), MpiError> {
        let seen = ledger.look();
        if seen.may_include(key.number()) {
            self.flush(key)?;
            ledger.done_with(&seen, key.number());
        }
        Ok(())
    }

    /// Completes everything on every context.
    pub(crate) fn quiet_all(&self) -> Result<(), MpiError> {
        let seen = self.ledger.look();
        self.flush_all(&[])?;
        self.ledger.done(&seen);
        Ok(())
    }

    /// What comes after on the context does not pass what came before, PE by PE. PEs for which `at_once` holds are
    /// also reached without this ledger, so they are completed now; the others when the next operation to them comes.
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

    /// A ledger without room for all names may ask for an executor that is not there: it has nothing under way.
    fn flush(&self, key: PathKey) -> Result<(), MpiError> {
        let executor = match key.by {
            Path::Window => &self.windows,
            Path::Message => &self.messages,
        };
        let Some(executor) = executor else { return Ok(()) };
        self.flushes.fetch_add(1, Ordering::Relaxed);
        executor.quiet_pe(key.pe)?;
        self.serve_behind(key.by);
        Ok(())
    }

    fn flush_all(&self, pes: &[Pe]) -> Result<(), MpiError> {
        self.flushes.fetch_add(1, Ordering::Relaxed);
        for executor in self.windows.iter().chain(&self.messages) {
            executor.quiet(pes)?;
        }
        Ok(())
    }

    /// What was put to `pe` needs its sources here no more: messages have copied them.
    fn local_puts(&self, pe: Pe) -> Result<(), MpiError> {
        if let Some(windows) = &self.windows {
            windows.local_puts(pe)?;
            self.serve_behind(Path::Window);
        }
        Ok(())
    }

    /// What was got from `pe` is here.
    fn local_gets(&self, pe: Pe) -> Result<(), MpiError> {
        if self.chooser.some_gets_by_message() {
            self.executor(Path::Message).local_gets(pe)?;
        }
        if let Some(windows) = &self.windows {
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

    /// In a wait: an executor may keep what was issued until a quiet, and the PE that is waited for may be waiting for
    /// just that.
    pub(crate) fn push(&self) {
        for executor in self.windows.iter().chain(&self.messages) {
            executor.push();
        }
    }

    /// In a call on this PE's or its node's own words, with which a program may wait for others, where no thread serves
    /// them.
    pub(crate) fn serve_if_nobody_does(&self) {
        if !Progress::runs() {
            self.serve();
        }
    }

    /// In a get from memory that is mapped, which takes less time than a poll: serves in one of several.
    pub(crate) fn serve_in_gets(&self) {
        if self.gets.fetch_add(1, Ordering::Relaxed).is_multiple_of(GETS_PER_LOOK) {
            self.serve_if_nobody_does();
        }
    }

    /// For the helper thread. Gives whether a message had come; none: the program is in a call on a window, or another
    /// thread has the messages.
    pub(crate) fn poll_for_program(&self) -> Option<bool> {
        match &self.windows {
            Some(windows) => windows.beside_program(&mut || self.serve()),
            None => self.serve(),
        }
    }

    /// Polls once for what others want: messages where there are any, else windows. Either gives MPI the
    /// processor, and so serves windows too.
    fn serve(&self) -> Option<bool> {
        self.messages.as_ref().or(self.windows.as_ref())?.serve()
    }

    /// Serves messages behind a call on a window. MPI does not by itself: a program that does nothing else, such as one
    /// that gets a word until it changes, would keep its peers' AMOs waiting.
    fn serve_behind(&self, by: Path) {
        if let (Path::Window, Some(messages)) = (by, &self.messages) {
            messages.serve();
        }
    }
}

/// Nothing of the context is under way to `pe` through windows, or it is completed before the next operation.
fn is_first(ledger: &Ledger, pe: Pe) -> bool {
    let key = PathKey { pe, by: Path::Window }.number();
    !ledger.may_include(key) || ledger.must_wait(key)
}
