//! Operations through a window. Displacements are bytes from the window's start. Counts for MPI are split, never cast.

use super::request::Request;
use super::window::{Targets, Window};
use super::{MpiError, constants, mpi, mpi_buffers, word};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use oshmpi_mpi_table as sys;
use std::sync::MutexGuard;

/// Bytes per MPI call, at most: MPI's counts are `int`. Longer transfers are split.
const CHUNK: usize = 1 << 30;

/// MPI's operations on words of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordOp {
    NoOp,
    Replace,
    Sum,
    And,
    Or,
    Xor,
}

impl WordOp {
    fn raw(self) -> sys::MPI_Op {
        let all = constants();
        match self {
            WordOp::NoOp => all.oshmpi_mpi_no_op,
            WordOp::Replace => all.oshmpi_mpi_replace,
            WordOp::Sum => all.RSMPI_SUM,
            WordOp::And => all.RSMPI_BAND,
            WordOp::Or => all.RSMPI_BOR,
            WordOp::Xor => all.RSMPI_BXOR,
        }
    }
}

/// Held while an operation is issued to a window, and in a flush. MPICH keeps a mark per window and target for what a
/// flush has to complete. In builds with locks per VCI it clears the mark after the flush has released its lock. An
/// operation that another thread issues in between loses its mark, and its own flush returns too early (4.0.2 to 4.3,
/// `ucx_win.h`). A wait for a request touches no mark, so no thread holds the guard while it waits for one.
///
/// Has the PEs with operations under way: at most those that were used since their last flush. A flush of several is a
/// flush of each, because MPI_Win_flush_all of MPICH and of Open MPI over UCX returns too early: ucp_worker_flush
/// counts no operation that waits for room in the target's queue (UCX 1.13 and its main branch of 2026;
/// docs/design/network.md). ucp_ep_flush, by which they flush one PE, waits for those too. MPI_Win_flush_all must
/// not come before it either: MPICH takes all marks away, and then flushes nothing. Bound: k calls for k PEs. While the
/// first is waited for, the others' operations go on.
pub(crate) struct WindowGuard<'a> {
    window: &'a Window,
    targets: MutexGuard<'a, Targets>,
}

/// Threads that wait for requests of any window. Each of them polls MPI.
static WAITING: AtomicU32 = AtomicU32::new(0);

/// Whether a thread waits for a request of a window, and so polls MPI.
pub(crate) fn somebody_waits() -> bool {
    WAITING.load(Ordering::Relaxed) > 0 // a hint
}

/// Waits for a request of a window. The caller holds no guard.
fn finish(request: Request) -> Result<(), MpiError> {
    WAITING.fetch_add(1, Ordering::Relaxed);
    let done = request.wait();
    WAITING.fetch_sub(1, Ordering::Relaxed);
    done
}

/// Issues an operation to a PE, in functions whose callers promise the buffers.
macro_rules! issued {
    ($window:expr, $pe:expr, $($call:tt)*) => {{
        let _guard = $window.guard_for($pe);
        // SAFETY: the function's caller has promised the buffers on both sides until a flush, until a request is done,
        // or until the function returns, which then waits for the request.
        unsafe { mpi_buffers!($($call)*) }
    }};
}

/// Bytes of the widest word, 8 at most, that divides all numbers whose bits are combined by or in `numbers`.
pub(super) fn widest(numbers: usize) -> usize {
    1 << numbers.trailing_zeros().min(3)
}

impl WindowGuard<'_> {
    /// Returns when everything issued to all PEs is complete there.
    pub(crate) fn flush_all(&mut self) -> Result<(), MpiError> {
        while let Some(&pe) = self.targets.first() {
            self.flush(pe)?;
        }
        Ok(())
    }

    /// No call of MPI for a PE to which nothing was issued on this window since its last flush.
    fn flush(&mut self, pe: u32) -> Result<(), MpiError> {
        if self.targets.contains(&pe) {
            mpi!(PMPI_Win_flush(pe as c_int, self.window.win))?;
            self.targets.remove(&pe);
        }
        Ok(())
    }
}

impl Window {
    pub(super) fn guard(&self) -> WindowGuard<'_> {
        WindowGuard { window: self, targets: self.guard.lock().unwrap_or_else(|e| e.into_inner()) }
    }

    pub(super) fn guard_for(&self, pe: u32) -> WindowGuard<'_> {
        let mut guard = self.guard();
        guard.targets.insert(pe);
        guard
    }

    /// The guard, unless another thread holds it.
    pub(crate) fn try_guard(&self) -> Option<WindowGuard<'_>> {
        Some(WindowGuard { window: self, targets: self.guard.try_lock().ok()? })
    }

    /// Issues a put.
    ///
    /// # Safety
    /// `[from, from+len)` can be read and stays as it is until a flush; the target range lies inside the window.
    pub(crate) unsafe fn put(&self, pe: u32, disp: usize, from: *const u8, len: usize) -> Result<(), MpiError> {
        let byte = word(1);
        for done in (0..len).step_by(CHUNK) {
            let n = CHUNK.min(len - done) as c_int;
            let (from, disp) = (from.wrapping_add(done).cast(), (disp + done) as sys::MPI_Aint);
            issued!(self, pe, PMPI_Put(from, n, byte, pe as c_int, disp, n, byte, self.win))?;
        }
        Ok(())
    }

    /// Puts. The source may be reused when the call returns. The data may still be under way.
    ///
    /// # Safety
    /// `[from, from+len)` can be read; the target range lies inside the window.
    pub(crate) unsafe fn put_blocking(
        &self,
        pe: u32,
        disp: usize,
        from: *const u8,
        len: usize,
    ) -> Result<(), MpiError> {
        let byte = word(1);
        for done in (0..len).step_by(CHUNK) {
            let (n, mut req) = (CHUNK.min(len - done) as c_int, Request::null());
            let (from, disp) = (from.wrapping_add(done).cast(), (disp + done) as sys::MPI_Aint);
            issued!(self, pe, PMPI_Rput(from, n, byte, pe as c_int, disp, n, byte, self.win, &mut req.0))?;
            finish(req)?;
        }
        Ok(())
    }

    /// Issues a get.
    ///
    /// # Safety
    /// `[to, to+len)` can be written and is left alone until a flush; the target range lies inside the window.
    pub(crate) unsafe fn get(&self, pe: u32, disp: usize, to: *mut u8, len: usize) -> Result<(), MpiError> {
        let byte = word(1);
        for done in (0..len).step_by(CHUNK) {
            let n = CHUNK.min(len - done) as c_int;
            let (to, disp) = (to.wrapping_add(done).cast(), (disp + done) as sys::MPI_Aint);
            issued!(self, pe, PMPI_Get(to, n, byte, pe as c_int, disp, n, byte, self.win))?;
        }
        Ok(())
    }

    /// Gets. The data has arrived when the call returns, which waits for this get, not for other operations under way
    /// to that PE.
    ///
    /// # Safety
    /// `[to, to+len)` can be written; the target range lies inside the window.
    pub(crate) unsafe fn get_blocking(&self, pe: u32, disp: usize, to: *mut u8, len: usize) -> Result<(), MpiError> {
        for done in (0..len).step_by(CHUNK) {
            // SAFETY: the destination can be written until this returns; the range is the caller's.
            finish(unsafe { self.request(pe, disp + done, to.wrapping_add(done), CHUNK.min(len - done))? })?;
        }
        Ok(())
    }

    /// Issues a get of at most [`CHUNK`] bytes.
    ///
    /// # Safety
    /// `[to, to+len)` can be written until the request is done; the target range lies inside the window.
    pub(crate) unsafe fn request(&self, pe: u32, disp: usize, to: *mut u8, len: usize) -> Result<Request, MpiError> {
        let (byte, n, mut req) = (word(1), len as c_int, Request::null());
        let disp = disp as sys::MPI_Aint;
        issued!(self, pe, PMPI_Rget(to.cast(), n, byte, pe as c_int, disp, n, byte, self.win, &mut req.0))?;
        Ok(req)
    }

    /// Issues an operation on a word of 4 or 8 bytes. Without `op` it is a compare-and-swap: a word that equals the
    /// second operand becomes the first one. `result`: where the old value goes; null: nowhere.
    ///
    /// # Safety
    /// Operands and result are words of `bytes` bytes that stay in place until a flush. A compare-and-swap has a
    /// result. The target's word lies inside the window.
    pub(crate) unsafe fn amo(
        &self,
        pe: u32,
        (disp, bytes): (usize, usize),
        op: Option<WordOp>,
        [operand, cond]: [*const c_void; 2],
        result: *mut c_void,
    ) -> Result<(), MpiError> {
        let (ty, disp, to) = (word(bytes), disp as sys::MPI_Aint, pe as c_int);
        match op.map(WordOp::raw) {
            None => issued!(self, pe, PMPI_Compare_and_swap(operand, cond, result, ty, to, disp, self.win)),
            Some(op) if result.is_null() => {
                issued!(self, pe, PMPI_Accumulate(operand, 1, ty, to, disp, 1, ty, op, self.win))
            }
            Some(op) => issued!(self, pe, PMPI_Fetch_and_op(operand, result, ty, to, disp, op, self.win)),
        }
    }

    /// Returns when everything issued to `pe` is complete at `pe`.
    pub(crate) fn flush(&self, pe: u32) -> Result<(), MpiError> {
        self.guard().flush(pe)
    }

    pub(crate) fn flush_all(&self) -> Result<(), MpiError> {
        self.guard().flush_all()
    }

    /// Returns when everything issued to these PEs is complete there.
    pub(crate) fn flush_each(&self, mut pes: impl Iterator<Item = u32>) -> Result<(), MpiError> {
        let mut guard = self.guard();
        pes.try_for_each(|pe| guard.flush(pe))
    }

    /// Returns when the local buffers of everything issued to `pe` may be reused.
    pub(crate) fn flush_local(&self, pe: u32) -> Result<(), MpiError> {
        let _guard = self.guard();
        mpi!(PMPI_Win_flush_local(pe as c_int, self.win))
    }

    pub(crate) fn flush_local_all(&self) -> Result<(), MpiError> {
        let guard = self.guard();
        guard.targets.iter().try_for_each(|&pe| mpi!(PMPI_Win_flush_local(pe as c_int, self.win)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_divide_what_is_put() {
        for (disp, len, bytes) in [(0, 8, 8), (8, 4, 4), (4, 8, 4), (6, 64, 2), (3, 8, 1), (16, 24, 8), (0, 7, 1)] {
            assert_eq!(widest(disp | len), bytes, "{len} bytes at {disp}");
        }
    }
}
