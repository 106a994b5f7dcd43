//! The fabric of MPI-3 RMA: windows over the heap and the statics of all PEs.
//!
//! An operation is complete at its target after a flush. Operations whose call must not wait for the network copy their
//! source into the bounce buffer ([`bounce`]).

mod bounce;
mod pacing;
pub(super) mod probe;
mod segment_windows;

pub(crate) use segment_windows::Mode;

use super::NetError;
use super::fabric::{BlockFabric, Exposed, Fabric, How, Offers};
use crate::memory::addr::{Pe, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::blocks::Blocks;
use crate::mpi::rma::{self, WindowGuard, WordOp};
use crate::mpi::window::Window;
use crate::mpi::{Comm, MpiError};
use crate::sync::ledger::Lane;
use crate::sync::wait::WaitPolicy;
use crate::transport::amo::{Amo, Op};
use crate::transport::node;
use bounce::Bounce;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use pacing::Pacing;
use segment_windows::SegmentWindows;
use std::sync::Mutex;
use std::time::Instant;

/// Operations after which a local flush lets MPI release its memory for operations that have left. With more, MPICH's
/// memory grows; with fewer, the flush costs time.
const RELEASE_INTERVAL: u64 = 4096;

/// If the progress thread has seen no new operation for this time, it may push operations that MPI keeps. With less, a
/// program that issues operations would wait for the thread; with more, the operations arrive later.
const AT_REST: Duration = Duration::from_millis(2);

pub(super) struct Windows {
    /// What MPI does by itself, as far as it was measured: MPI does not tell it.
    offers: Offers,
    comm: &'static Comm,
    segments: SegmentWindows,
    bounce: Mutex<Bounce>,
    issued: AtomicU64,
    /// Operations were issued since the last push.
    dirty: AtomicBool,
    /// The number of operations that the progress thread has seen last, and since when that number has not changed.
    seen: Mutex<(u64, Instant)>,
    pacing: Pacing,
}

impl Windows {
    /// Makes the windows. Collective.
    pub(super) fn make(
        comm: &'static Comm,
        mode: Mode,
        exposed: Exposed,
        policy: WaitPolicy,
    ) -> Result<Windows, MpiError> {
        Ok(Windows {
            offers: Offers::default(),
            comm,
            segments: SegmentWindows::make(comm, mode, exposed)?,
            bounce: Mutex::new(Bounce::new()),
            issued: AtomicU64::new(0),
            dirty: AtomicBool::new(false),
            seen: Mutex::new((0, Instant::now())),
            pacing: Pacing::new(policy),
        })
    }

    /// The windows, of which it was found out what they do by themselves.
    pub(super) fn that_do(self, offers: Offers) -> Windows {
        Windows { offers, ..self }
    }

    /// Called after an operation to `pe` was issued.
    fn noted(&self, pe: Pe) -> Result<(), MpiError> {
        self.dirty.store(true, Ordering::Relaxed); // if seen late, a later poll pushes
        let issued = self.issued.fetch_add(1, Ordering::Relaxed) + 1;
        if issued.is_multiple_of(RELEASE_INTERVAL) {
            self.pace(&[pe])?;
            self.segments.each(Window::flush_local_all)?;
        }
        Ok(())
    }

    fn pace(&self, pes: &[Pe]) -> Result<(), MpiError> {
        // SAFETY: the byte stays until its request is done. An error ends the process.
        self.pacing.wait(self.issued.load(Ordering::Relaxed), pes, |pe, to| unsafe { self.segments.echo(pe, to) })
    }

    /// Calls `issue` with `len` bytes of the bounce buffer, which stay until MPI has read them.
    fn by_copy(&self, len: usize, issue: impl FnOnce(*mut u8) -> Result<(), MpiError>) -> Result<(), MpiError> {
        let mut bounce = self.bounce.lock().unwrap_or_else(|e| e.into_inner());
        let at = match bounce.take(len) {
            Some(at) => at,
            None => {
                // All operations that use the buffer were issued under this lock.
                self.segments.each(Window::flush_local_all)?;
                bounce.reset(len)
            }
        };
        issue(at)
    }

    /// Calls `flush_all` if operations were issued since the last push.
    fn push_by(&self, flush_all: impl FnOnce() -> Result<(), MpiError>) {
        if self.dirty.swap(false, Ordering::Relaxed) {
            // An error appears again in the call that completes the operations.
            let _ = flush_all();
        }
    }

    /// Whether the program has issued operations, and none for [`AT_REST`].
    fn at_rest(&self) -> bool {
        let issued = self.issued.load(Ordering::Relaxed);
        let mut seen = self.seen.lock().unwrap_or_else(|e| e.into_inner());
        if seen.0 != issued {
            *seen = (issued, Instant::now());
        }
        self.dirty.load(Ordering::Relaxed) && seen.1.elapsed() > AT_REST
    }
}

/// MPI's operation for an AMO, and its operands; None: a compare-and-swap. On little-endian machines the low bytes of
/// an operand come first.
fn operation(amo: Amo) -> (Option<WordOp>, [u64; 2]) {
    match amo {
        Amo::Op(Op::Fetch, _) => (Some(WordOp::NoOp), [0, 0]),
        Amo::Op(Op::Store, value) => (Some(WordOp::Replace), [value, 0]),
        Amo::Op(Op::Add, value) => (Some(WordOp::Sum), [value, 0]),
        Amo::Op(Op::And, value) => (Some(WordOp::And), [value, 0]),
        Amo::Op(Op::Or, value) => (Some(WordOp::Or), [value, 0]),
        Amo::Op(Op::Xor, value) => (Some(WordOp::Xor), [value, 0]),
        Amo::CompareSwap { cond, value } => (None, [value, cond]),
    }
}

impl Fabric for Windows {
    fn offers(&self, _: Pe) -> Result<Offers, NetError> {
        Ok(self.offers)
    }

    fn put(&self, _: Lane, range: SymRange, pe: Pe, source: Source, how: How) -> Result<(), NetError> {
        let (window, disp) = self.segments.place(range, pe)?;
        let (from, len) = (source.at(), source.len());
        if how.copied {
            // SAFETY: the copy has the source's length and does not change until a flush. The range lies inside the
            // segment, which the window covers.
            self.by_copy(len, |copy| unsafe {
                node::copy(copy, from, len);
                window.put(pe.0, disp, copy, len)
            })?;
        } else {
            // SAFETY: the source can be read until the call returns, which waits for MPI to read it. The range lies
            // inside the window.
            unsafe { window.put_blocking(pe.0, disp, from, len)? };
        }
        Ok(self.noted(pe)?)
    }

    fn put_nbi(&self, _: Lane, range: SymRange, pe: Pe, source: Source) -> Result<(), NetError> {
        let (window, disp) = self.segments.place(range, pe)?;
        let (from, len) = (source.at(), source.len());
        // SAFETY: the source of a nonblocking put stays until a quiet, which flushes. The range lies inside the window.
        unsafe { window.put(pe.0, disp, from, len)? };
        Ok(self.noted(pe)?)
    }

    fn get(&self, _: Lane, range: SymRange, pe: Pe, dest: Dest) -> Result<(), NetError> {
        let (window, disp) = self.segments.place(range, pe)?;
        // SAFETY: the destination can be written until the call returns, which waits for the data. The range lies
        // inside the window.
        unsafe { Ok(window.get_blocking(pe.0, disp, dest.at(), dest.len())?) }
    }

    fn get_nbi(&self, _: Lane, range: SymRange, pe: Pe, dest: Dest) -> Result<(), NetError> {
        let (window, disp) = self.segments.place(range, pe)?;
        // SAFETY: the destination of a nonblocking get stays until a quiet, which flushes. The range lies inside the
        // window.
        unsafe { window.get(pe.0, disp, dest.at(), dest.len())? };
        Ok(self.noted(pe)?)
    }

    fn amo(&self, _: Lane, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, NetError> {
        let (window, disp) = self.segments.place(word, pe)?;
        let ((op, operands), mut old) = (operation(amo), 0u64);
        let at = operands.each_ref().map(|operand| (&raw const *operand).cast());
        // SAFETY: operands and result are local and stay until the flush. The word lies inside the window.
        unsafe { window.amo(pe.0, (disp, word.len), op, at, (&raw mut old).cast())? };
        window.flush_local(pe.0)?;
        Ok(old)
    }

    fn amo_nbi(&self, _: Lane, word: SymRange, pe: Pe, amo: Amo, result: Option<Dest>) -> Result<(), NetError> {
        let (window, disp) = self.segments.place(word, pe)?;
        let (op, operands) = operation(amo);
        let result = result.map_or(null_mut(), |result| result.at().cast());
        // SAFETY: the operands are copied into the bounce buffer, where they stay until a flush. The result can be
        // written until a quiet, which flushes. The word lies inside the window.
        self.by_copy(size_of_val(&operands), |copy| unsafe {
            let copy = copy.cast::<u64>();
            copy.cast::<[u64; 2]>().write(operands);
            let at = [copy, copy.add(1)].map(|operand| operand.cast_const().cast());
            window.amo(pe.0, (disp, word.len), op, at, result)
        })?;
        Ok(self.noted(pe)?)
    }

    fn quiet_pe(&self, _: Lane, pe: Pe) -> Result<(), NetError> {
        self.pace(&[pe])?;
        Ok(self.segments.each(|w| w.flush(pe.0))?)
    }

    fn quiet(&self, _: Lane, pes: Option<&[Pe]>) -> Result<(), NetError> {
        match pes {
            None => Ok(self.segments.each(Window::flush_all)?),
            Some([]) => Ok(()),
            Some(pes) => {
                self.pace(pes)?;
                Ok(self.segments.each(|w| w.flush_each(pes.iter().map(|pe| pe.0)))?)
            }
        }
    }

    fn serve(&self) -> Option<bool> {
        self.comm.poll(); // MPI serves windows in any call, and does not say whether it did
        Some(false)
    }

    fn push(&self) {
        self.push_by(|| self.segments.each(Window::flush_all));
    }

    /// Does nothing while a thread is in a call on a window or waits for one, because MPI serves windows meanwhile.
    /// Pushes only after the program has issued nothing for a while.
    fn beside_program(&self, serve: &mut dyn FnMut() -> Option<bool>) -> Option<bool> {
        let at_rest = self.at_rest();
        if rma::somebody_waits() {
            return None;
        }
        let mut guards = self.segments.try_guards()?;
        if at_rest {
            self.push_by(|| guards.iter_mut().flatten().try_for_each(WindowGuard::flush_all));
        }
        serve()
    }

    fn local(&self, _: Lane, pe: Pe) -> Result<(), NetError> {
        Ok(self.segments.each(|w| w.flush_local(pe.0))?)
    }

    fn blocks(&self) -> Option<&dyn BlockFabric> {
        Some(self)
    }

    fn close(&self) {
        self.segments.close();
    }
}

impl BlockFabric for Windows {
    fn longest_block(&self) -> usize {
        Window::LONGEST_BLOCK
    }

    fn put_blocks(&self, range: SymRange, pe: Pe, source: Source, blocks: Blocks, how: How) -> Result<(), NetError> {
        let (window, disp) = self.segments.place(range, pe)?;
        let from = source.at();
        if how.copied {
            // SAFETY: the blocks of the source can be read. Their copies, side by side, fill the memory, which does not
            // change until a flush. The range lies inside the window.
            self.by_copy(blocks.bytes(), |copy| unsafe {
                for b in 0..blocks.n {
                    node::copy(copy.add(b * blocks.len), from.add(b * blocks.here), blocks.len);
                }
                window.put_blocks(pe.0, disp, copy, Blocks { here: blocks.len, ..blocks })
            })?;
        } else {
            // SAFETY: the blocks of the source can be read until the flush. The range lies inside the window.
            unsafe { window.put_blocks(pe.0, disp, from, blocks)? };
            window.flush_local(pe.0)?;
        }
        Ok(self.noted(pe)?)
    }

    fn get_blocks(&self, range: SymRange, pe: Pe, dest: Dest, blocks: Blocks) -> Result<(), NetError> {
        let (window, disp) = self.segments.place(range, pe)?;
        // SAFETY: the blocks of the destination can be written until the flush. The range lies inside the window.
        unsafe { window.get_blocks(pe.0, disp, dest.at(), blocks)? };
        Ok(window.flush_local(pe.0)?)
    }
}
