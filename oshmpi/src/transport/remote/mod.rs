//! Peers whose memory is not mapped here, through MPI windows over everybody's heap and statics.
//!
//! Every operation is noted in the ledger of its context until it is complete at its target. What must not wait for
//! the network copies its source aside (`bounce`). Completion is by flushes: of the PEs that a context has operations
//! under way to, or of all when there are many.

mod amos;
mod blocks;
mod bounce;
mod by_message;
mod pacing;
mod path_key;
mod progress;
mod segment_bases;
mod stats;

pub(crate) use progress::Progress;
pub(crate) use stats::Stats;

use super::am::{Am, Leaves};
use super::node;
use crate::memory::addr::{SegId, Span, SymRange};
use crate::mpi::rma::{self, Op};
use crate::mpi::{Comm, MpiError, window::Window};
use crate::sync::ledger::{Ledger, Outstanding};
use crate::sync::wait::WaitPolicy;
use bounce::Bounce;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use path_key::{Path, PathKey};
use segment_bases::SegmentBases;
use std::sync::Mutex;
use std::time::Instant;

/// Puts up to this many bytes are copied aside, so that the call need not wait until the source is free.
const COPIED: usize = 8192;
/// Transfers of up to this many bytes may go by message (see [`Short`]); a put with signal does where messages carry out AMOs.
const SHORT: usize = 16 << 10;
/// The first put to a PE after a flush may go as an accumulate up to this many bytes.
const SHORT_PUT: usize = 32 << 10;
/// And a get as one that changes nothing.
const SHORT_GET: usize = 64 << 10;
/// A get that is waited for is done when its bytes are here: up to this many come in one round trip anyway.
const SHORTEST_GET: usize = 4 << 10;
/// Puts after which peers are served: a look costs as much as a short one.
const SERVED_EVERY: u64 = 32;
/// Gets from mapped memory for one look at the network, where no thread looks.
const GETS_PER_LOOK: u32 = 16;
/// After so many operations MPI is asked to let go of what it keeps for those that have left.
const RELEASE_INTERVAL: u64 = 4096;

/// So long after the helper thread has last seen a new operation the program is not at work with peers.
const AT_REST: Duration = Duration::from_millis(2);

/// How the windows are made.
pub(crate) enum Mode {
    /// Over memory that is there.
    Create,
    /// The heap's, with its memory, is there; the heap begins at `base` or behind it.
    Allocated { heap: Window, base: usize },
    /// One for what each PE attaches.
    Dynamic,
    /// None: everything goes by messages.
    Without,
}

/// How short transfers go that could go through a window.
#[derive(Clone, Copy)]
pub(crate) struct Short {
    /// Puts, and gets that are not waited for, by message, where AMOs do: they are gathered, and who waits for them gives the
    /// core away now and then, which a flush on a window does not.
    pub(crate) by_message: bool,
    /// Others as accumulates.
    pub(crate) accumulate: bool,
}

/// This PE's memory as its peers reach it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exposed {
    pub(crate) heap: Span,
    /// Whole pages around the statics; length 0 when they are not reached.
    pub(crate) statics: Span,
}

/// The AMOs there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Amo {
    Op(Op, u64),
    CompareSwap { cond: u64, value: u64 },
}

/// Everything that goes through MPI.
pub(crate) struct Remote {
    comm: Comm,
    /// None: there are no windows, and messages do everything.
    heap: Option<Window>,
    /// None: the heap's window serves both.
    statics: Option<Window>,
    statics_used: AtomicBool,
    bases: SegmentBases,
    /// Active messages carry out the AMOs, ...
    am: Option<Am>,
    /// ... puts up to this many bytes, and gets of as many that are not waited for.
    by_message: usize,
    bounce: Mutex<Bounce>,
    /// The default context's.
    ledger: Ledger,
    /// Short puts and gets may go as accumulates.
    accumulate: bool,
    issued: AtomicU64,
    /// Something was issued since everything was last pushed out.
    dirty: AtomicBool,
    /// Operations issued when the helper thread last looked, and since when it has seen no other number.
    looked: Mutex<(u64, Instant)>,
    stats: &'static Stats,
    /// Operations issued when the last flush began.
    flushed: AtomicU64,
    policy: WaitPolicy,
    /// From mapped memory, where nobody else serves peers.
    gets: AtomicU32,
    /// The heap is not empty.
    has_heap: bool,
}

impl Remote {
    /// Makes the windows. Collective. With `am`, AMOs go by it; without windows, all.
    pub(crate) fn make(
        comm: Comm,
        mode: Mode,
        own: Exposed,
        am: Option<Am>,
        short: Short,
        policy: WaitPolicy,
    ) -> Result<Remote, MpiError> {
        let own_statics = || Window::create(&comm, own.statics.base, own.statics.len);
        let (heap, statics, bases) = match mode {
            Mode::Create => {
                let heap = Window::create(&comm, own.heap.base, own.heap.len)?;
                (Some(heap), Some(own_statics()?), SegmentBases::of_offsets())
            }
            Mode::Allocated { heap, base } => {
                let bases = SegmentBases::exchange(&comm, [(own.heap.base - base) as u64, 0])?;
                (Some(heap), Some(own_statics()?), bases)
            }
            Mode::Dynamic => {
                let segments = [own.heap, own.statics].map(|s| (s.base, s.len));
                let bases = SegmentBases::exchange(&comm, [own.heap.base as u64, own.statics.base as u64])?;
                (Some(Window::dynamic(&comm, &segments)?), None, bases)
            }
            Mode::Without => (None, None, SegmentBases::of_offsets()),
        };
        let by_message = match (&heap, short.by_message) {
            (None, _) => usize::MAX,
            (_, true) => SHORT,
            (_, false) => 0,
        };
        Ok(Remote {
            comm,
            heap,
            statics,
            statics_used: AtomicBool::new(false),
            bases,
            am,
            by_message,
            bounce: Mutex::new(Bounce::new()),
            ledger: Ledger::default(),
            accumulate: short.accumulate,
            issued: AtomicU64::new(0),
            dirty: AtomicBool::new(false),
            looked: Mutex::new((0, Instant::now())),
            stats: Stats::of_the_job(),
            flushed: AtomicU64::new(0),
            policy,
            gets: AtomicU32::new(0),
            has_heap: own.heap.len > 0,
        })
    }

    /// Collective, before MPI ends.
    pub(crate) fn close(&self) {
        if let Some(am) = &self.am {
            am.close();
        }
        for window in self.heap.iter().chain(&self.statics) {
            window.close();
        }
        self.bases.close();
    }

    /// The default context's ledger.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What a PE does between two looks while it waits.
    pub(crate) fn poll_and_push(&self) {
        self.push();
        self.poll(|| self.comm.poll());
    }

    /// In a wait: MPI may keep what was issued until a flush, and the PE that is waited for may be waiting for just that.
    pub(crate) fn push(&self) {
        if self.dirty.swap(false, Ordering::Relaxed) {
            // A failure shows in the call that completes.
            let _ = self.each_window(Window::flush_all);
        }
    }

    /// Serves messages behind a call on a window, which MPI does not do by itself: a program that does nothing else, such as
    /// one that gets a word until it changes, would keep its peers' AMOs waiting.
    fn serve(&self) {
        self.poll(|| ());
    }

    /// In a call on this PE's or its node's own words, with which a program may wait for others, where no thread serves them.
    pub(crate) fn serve_if_nobody_does(&self) {
        if !Progress::runs() {
            self.poll(|| self.comm.poll());
        }
    }

    /// The same in a get from memory that is mapped, which takes less time than a look: in one of several.
    pub(crate) fn serve_in_gets(&self) {
        if self.gets.fetch_add(1, Ordering::Relaxed).is_multiple_of(GETS_PER_LOOK) {
            self.serve_if_nobody_does();
        }
    }

    /// Serves messages where there are any, else whatever `otherwise` does: either gives MPI the processor. Gives
    /// whether a message had come; none: another thread is at it.
    fn poll(&self, otherwise: impl FnOnce()) -> Option<bool> {
        match &self.am {
            Some(am) => am.poll(),
            None => {
                otherwise();
                Some(false)
            }
        }
    }

    /// [`Remote::poll_and_push`] for the helper thread: pushes only when the program has issued nothing for a while, and does not get
    /// into the way of a thread that is in a call on a window: MPI serves windows in it, and messages are served behind it.
    /// Gives whether a message had come; none: there is such a thread, or another has the messages.
    pub(crate) fn poll_for_program(&self) -> Option<bool> {
        let issued = self.issued.load(Ordering::Relaxed);
        let at_rest = {
            let mut looked = self.looked.lock().unwrap_or_else(|e| e.into_inner());
            if looked.0 != issued {
                *looked = (issued, Instant::now());
            }
            self.dirty.load(Ordering::Relaxed) && looked.1.elapsed() > AT_REST
        };
        rma::unless_in_call(|guard| {
            if at_rest && self.dirty.swap(false, Ordering::Relaxed) {
                // A failure shows in the call that completes.
                let _ = self.each_window(|w| w.flush_all_guarded(guard));
            }
            self.poll(|| self.comm.poll())
        })
        .flatten()
    }

    fn window(&self, seg: SegId) -> &Window {
        match (seg, &self.statics) {
            (SegId::Data, Some(statics)) => {
                self.statics_used.store(true, Ordering::Relaxed); // before the operation that a flush must see
                statics
            }
            _ => self.heap.as_ref().expect("what goes through windows has one"),
        }
    }

    fn place(&self, range: SymRange, pe: u32) -> Result<(&Window, usize), MpiError> {
        let disp = self.bases.base(pe, range.seg)?.wrapping_add(range.off);
        Ok((self.window(range.seg), disp))
    }

    /// Before an operation to `pe` is issued: a fence may want earlier ones complete first.
    #[inline]
    fn before(&self, ledger: &Ledger, pe: u32, by: Path) -> Result<(), MpiError> {
        // Messages keep their order.
        for earlier in [Path::Window, Path::Message] {
            let key = PathKey { pe, by: earlier };
            if (earlier, by) != (Path::Message, Path::Message) && ledger.must_wait(key.number()) {
                self.complete(ledger, key)?;
            }
        }
        Ok(())
    }

    /// After an operation to `pe` was issued.
    fn noted(&self, ledger: &Ledger, pe: u32, by: Path) -> Result<(), MpiError> {
        ledger.issued(PathKey { pe, by }.number());
        if by == Path::Message {
            return Ok(());
        }
        self.dirty.store(true, Ordering::Relaxed); // seen late at worst: then the next poll pushes
        let issued = self.issued.fetch_add(1, Ordering::Relaxed) + 1;
        if issued.is_multiple_of(SERVED_EVERY) {
            self.serve();
        }
        if issued.is_multiple_of(RELEASE_INTERVAL) {
            self.pace([pe])?;
            self.each_window(Window::flush_local_all)?;
        }
        Ok(())
    }

    /// Puts; the source may be reused when it returns.
    ///
    /// # Safety
    /// `[from, from+range.len)` can be read; the range lies inside the segment.
    pub(crate) unsafe fn put(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: u32,
        from: *const u8,
    ) -> Result<(), MpiError> {
        let len = range.len;
        if let Some(am) = self.messenger(len) {
            // SAFETY: passed on to the caller.
            return unsafe { self.put_message(am, ledger, range, pe, from, Leaves::Now) };
        }
        self.before(ledger, pe, Path::Window)?;
        self.stats.put(pe, len);
        let (window, disp) = self.place(range, pe)?;
        let short = len <= SHORT_PUT && self.is_first(ledger, pe);
        if len > COPIED {
            // SAFETY: the caller's promise.
            unsafe {
                match short {
                    true => window.put_short_blocking(pe, disp, from, len)?,
                    false => window.put_blocking(pe, disp, from, len)?,
                }
            }
            self.serve(); // nobody could meanwhile
            return self.noted(ledger, pe, Path::Window);
        }
        // SAFETY: the caller's source, copied to where it stays until a flush.
        self.aside(len, |copy| unsafe {
            node::copy(copy, from, len);
            if short { window.put_short(pe, disp, copy, len) } else { window.put(pe, disp, copy, len) }
        })?;
        self.noted(ledger, pe, Path::Window)
    }

    /// Puts; the source must stay until the context is quiet.
    ///
    /// # Safety
    /// `[from, from+range.len)` can be read until then; the range lies inside the segment.
    pub(crate) unsafe fn put_nbi(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: u32,
        from: *const u8,
    ) -> Result<(), MpiError> {
        let len = range.len;
        if let Some(am) = self.messenger(len) {
            // SAFETY: passed on to the caller. The source is copied: with many under way, the call waits for some.
            return unsafe { self.put_message(am, ledger, range, pe, from, Leaves::Now) };
        }
        self.before(ledger, pe, Path::Window)?;
        let (window, disp) = self.place(range, pe)?;
        self.stats.put(pe, len);
        // SAFETY: the caller's promise.
        unsafe {
            match len <= SHORT_PUT && self.is_first(ledger, pe) {
                true => window.put_short(pe, disp, from, len)?,
                false => window.put(pe, disp, from, len)?,
            }
        }
        self.noted(ledger, pe, Path::Window)
    }

    /// The first of possibly many, which goes as an accumulate where those are: what follows before a flush is faster as a
    /// put or a get.
    fn is_first(&self, ledger: &Ledger, pe: u32) -> bool {
        self.accumulate && !ledger.look().may_include(PathKey { pe, by: Path::Window }.number())
    }

    /// Gets.
    ///
    /// # Safety
    /// `[to, to+range.len)` can be written; the range lies inside the segment.
    pub(crate) unsafe fn get(&self, range: SymRange, pe: u32, to: *mut u8) -> Result<(), MpiError> {
        self.stats.get(pe, range.len);
        if let Some(am) = self.only_am() {
            // SAFETY: passed on to the caller.
            return unsafe { am.get(range, pe, to) };
        }
        let (window, disp) = self.place(range, pe)?;
        // SAFETY: the caller's promise.
        unsafe {
            match self.accumulate && (SHORTEST_GET + 1..=SHORT_GET).contains(&range.len) {
                true => window.get_short_blocking(pe, disp, to, range.len),
                false => window.get_blocking(pe, disp, to, range.len),
            }
        }
        .map(|()| self.serve())
    }

    /// Gets; the bytes are there when the context is quiet.
    ///
    /// # Safety
    /// `[to, to+range.len)` can be written until then; the range lies inside the segment.
    pub(crate) unsafe fn get_nbi(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: u32,
        to: *mut u8,
    ) -> Result<(), MpiError> {
        self.stats.get(pe, range.len);
        if let Some(am) = self.messenger(range.len) {
            // SAFETY: passed on to the caller.
            unsafe { am.get_nbi(range, pe, to)? };
            return self.noted(ledger, pe, Path::Message);
        }
        let (window, disp) = self.place(range, pe)?;
        // SAFETY: the caller's promise.
        unsafe {
            match range.len <= SHORT_GET && self.is_first(ledger, pe) {
                true => window.get_short(pe, disp, to, range.len)?,
                false => window.get(pe, disp, to, range.len)?,
            }
        }
        self.noted(ledger, pe, Path::Window)
    }

    /// Gives `issue` memory for `len` bytes that stays as it is until everything issued so far needs it no more.
    fn aside(&self, len: usize, issue: impl FnOnce(*mut u8) -> Result<(), MpiError>) -> Result<(), MpiError> {
        let mut bounce = self.bounce.lock().unwrap_or_else(|e| e.into_inner());
        let at = match bounce.take(len) {
            Some(at) => at,
            None => {
                // Everything that came out of it was issued under this lock.
                self.each_window(Window::flush_local_all)?;
                bounce.reset(len)
            }
        };
        issue(at)
    }

    fn each_window(&self, call: impl Fn(&Window) -> Result<(), MpiError>) -> Result<(), MpiError> {
        if let Some(statics) = &self.statics
            && self.statics_used.load(Ordering::Relaxed)
        {
            call(statics)?;
        }
        self.heap.as_ref().map_or(Ok(()), call)
    }

    /// What was issued to a PE, one way, is complete there.
    fn flush(&self, key: PathKey) -> Result<(), MpiError> {
        self.stats.flush();
        match (key.by, &self.am) {
            (Path::Message, Some(am)) => am.drain(key.pe),
            _ => {
                self.pace([key.pe])?;
                self.each_window(|w| w.flush(key.pe)).map(|()| self.serve())
            }
        }
    }

    /// What was put to `pe` needs its sources here no more: messages have copied them.
    pub(crate) fn sources_free(&self, pe: u32) -> Result<(), MpiError> {
        if self.only_am().is_some() { Ok(()) } else { self.flush_local(pe) }
    }

    /// What was got from `pe` is there.
    pub(crate) fn gets_done(&self, pe: u32) -> Result<(), MpiError> {
        self.am.as_ref().filter(|_| self.by_message > 0).map_or(Ok(()), |am| am.drain(pe))?;
        if self.only_am().is_some() { Ok(()) } else { self.flush_local(pe) }
    }

    fn flush_local(&self, pe: u32) -> Result<(), MpiError> {
        self.each_window(|w| w.flush_local(pe)).map(|()| self.serve())
    }

    fn flush_all(&self) -> Result<(), MpiError> {
        self.stats.flush();
        self.each_window(Window::flush_all)?;
        self.am.as_ref().map_or(Ok(()), Am::drain_all)
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
                self.pace(keys.filter(|p| p.by == Path::Window).map(|p| p.pe))?;
                self.flush_all()?;
            }
        }
        ledger.done(&seen);
        Ok(())
    }

    /// Completes what a context has under way to one PE.
    pub(crate) fn quiet_pe(&self, ledger: &Ledger, pe: u32) -> Result<(), MpiError> {
        self.complete(ledger, PathKey { pe, by: Path::Window })?;
        match &self.am {
            Some(_) => self.complete(ledger, PathKey { pe, by: Path::Message }),
            None => Ok(()),
        }
    }

    /// The same for one way to it.
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
        self.flush_all()?;
        self.ledger.done(&seen);
        Ok(())
    }

    /// What comes after on the context does not pass what came before, PE by PE. PEs for which `at_once` holds are
    /// also reached without this ledger, so they are completed now; the others when the next operation to them comes.
    pub(crate) fn fence(&self, ledger: &Ledger, at_once: impl Fn(u32) -> bool) -> Result<(), MpiError> {
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
}
