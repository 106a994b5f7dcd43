//! Operations through a window. Displacements are bytes from the window's start; on a dynamic window they are addresses
//! at the target. Counts for MPI are split, never cast.

use super::request::{Echo, Request};
use super::window::Window;
use super::{MpiError, mpi};
use ::mpi::ffi as sys;
use core::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard};

/// Bytes per MPI call, at most: MPI's counts are `int`. Longer transfers are split.
const CHUNK: usize = 1 << 30;

unsafe extern "C" {
    static oshmpi_mpi_replace: sys::MPI_Op;
    static oshmpi_mpi_no_op: sys::MPI_Op;
}

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
        // SAFETY: constants of the shims.
        unsafe {
            match self {
                WordOp::NoOp => oshmpi_mpi_no_op,
                WordOp::Replace => oshmpi_mpi_replace,
                WordOp::Sum => sys::RSMPI_SUM,
                WordOp::And => sys::RSMPI_BAND,
                WordOp::Or => sys::RSMPI_BOR,
                WordOp::Xor => sys::RSMPI_BXOR,
            }
        }
    }
}

/// Held in every call on a window. MPICH keeps a mark for what a flush has to complete. In builds with locks per VCI it
/// clears the mark after the flush has released its lock. An operation that another thread issues in between loses its
/// mark, and its own flush returns too early (4.0.2 to 4.3, `ucx_win.h`). The progress thread polls MPI only while no
/// other thread is in such a call, in which MPI serves windows anyway.
static WINDOW_GUARD: Mutex<()> = Mutex::new(());

/// While a value exists, no other thread is in a call on a window.
pub(crate) struct WindowGuard(#[expect(dead_code, reason = "held")] MutexGuard<'static, ()>);

pub(super) fn guard() -> WindowGuard {
    WindowGuard(WINDOW_GUARD.lock().unwrap_or_else(|e| e.into_inner()))
}

/// Runs `act` unless another thread is in a call on a window.
pub(crate) fn unless_in_call<R>(act: impl FnOnce(&WindowGuard) -> R) -> Option<R> {
    WINDOW_GUARD.try_lock().ok().map(|guard| act(&WindowGuard(guard)))
}

macro_rules! guarded {
    ($($call:tt)*) => {{
        let _guard = guard();
        mpi!($($call)*)
    }};
}

/// MPI's unsigned type of 1, 2, 4 or 8 bytes.
pub(super) fn word(bytes: usize) -> sys::MPI_Datatype {
    // SAFETY: constants of the shim.
    unsafe {
        match bytes {
            1 => sys::RSMPI_UINT8_T,
            2 => sys::RSMPI_UINT16_T,
            4 => sys::RSMPI_UINT32_T,
            8 => sys::RSMPI_UINT64_T,
            _ => unreachable!("words have 1, 2, 4 or 8 bytes"),
        }
    }
}

/// Bytes of the widest word, 8 at most, that divides all numbers whose bits are combined by or in `numbers`.
pub(super) fn widest(numbers: usize) -> usize {
    1 << numbers.trailing_zeros().min(3)
}

/// Count and type that describe `len` bytes as words for an accumulate. `places` is the bitwise or of the addresses on
/// both sides. For short transfers only.
fn words(places: usize, len: usize) -> (c_int, sys::MPI_Datatype) {
    let bytes = widest(places | len);
    ((len / bytes) as c_int, word(bytes))
}

impl Window {
    /// Issues a put.
    ///
    /// # Safety
    /// `[from, from+len)` can be read and stays as it is until a flush; the target range lies inside the window.
    pub(crate) unsafe fn put(&self, pe: u32, disp: usize, from: *const u8, len: usize) -> Result<(), MpiError> {
        let byte = word(1);
        for done in (0..len).step_by(CHUNK) {
            let n = CHUNK.min(len - done) as c_int;
            let (from, disp) = (from.wrapping_add(done).cast(), (disp + done) as sys::MPI_Aint);
            guarded!(PMPI_Put(from, n, byte, pe as c_int, disp, n, byte, self.win))?;
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
        if len > CHUNK {
            // SAFETY: the source can be read until this returns, and the flush makes it free; the range is the
            // caller's.
            unsafe { self.put(pe, disp, from, len)? };
            return self.flush_local(pe);
        }
        let _guard = guard();
        let (byte, n, mut req) = (word(1), len as c_int, Request::null());
        let disp = disp as sys::MPI_Aint;
        mpi!(PMPI_Rput(from.cast(), n, byte, pe as c_int, disp, n, byte, self.win, &mut req.0))?;
        req.wait()
    }

    /// Issues a put as an accumulate with MPI_REPLACE. In MPICH its flush takes one round trip where that of a put
    /// takes two. For short puts only.
    ///
    /// # Safety
    /// As for [`Window::put`].
    pub(crate) unsafe fn put_short(&self, pe: u32, disp: usize, from: *const u8, len: usize) -> Result<(), MpiError> {
        let (n, ty) = words(disp | from as usize, len);
        let disp = disp as sys::MPI_Aint;
        guarded!(PMPI_Accumulate(from.cast(), n, ty, pe as c_int, disp, n, ty, WordOp::Replace.raw(), self.win))
    }

    /// Puts as [`Window::put_short`] does. The source may be reused when the call returns. The data may still be under
    /// way.
    ///
    /// # Safety
    /// As for [`Window::put_blocking`].
    pub(crate) unsafe fn put_short_blocking(
        &self,
        pe: u32,
        disp: usize,
        from: *const u8,
        len: usize,
    ) -> Result<(), MpiError> {
        let (n, ty) = words(disp | from as usize, len);
        let (from, disp, op) = (from.cast(), disp as sys::MPI_Aint, WordOp::Replace.raw());
        let (_guard, mut req) = (guard(), Request::null());
        mpi!(PMPI_Raccumulate(from, n, ty, pe as c_int, disp, n, ty, op, self.win, &mut req.0))?;
        req.wait()
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
            guarded!(PMPI_Get(to, n, byte, pe as c_int, disp, n, byte, self.win))?;
        }
        Ok(())
    }

    /// Gets. The data has arrived when the call returns.
    ///
    /// # Safety
    /// `[to, to+len)` can be written; the target range lies inside the window.
    pub(crate) unsafe fn get_blocking(&self, pe: u32, disp: usize, to: *mut u8, len: usize) -> Result<(), MpiError> {
        if len > CHUNK {
            // SAFETY: the destination can be written until this returns, and the flush completes the get.
            unsafe { self.get(pe, disp, to, len)? };
            return self.flush_local(pe);
        }
        // Waits for this get, not for other operations under way to that PE.
        let _guard = guard();
        let (byte, n, mut req) = (word(1), len as c_int, Request::null());
        let disp = disp as sys::MPI_Aint;
        mpi!(PMPI_Rget(to.cast(), n, byte, pe as c_int, disp, n, byte, self.win, &mut req.0))?;
        req.wait()
    }

    /// Issues a get as an accumulate with MPI_NO_OP, which takes one round trip. For short gets only.
    ///
    /// # Safety
    /// As for [`Window::get`].
    pub(crate) unsafe fn get_short(&self, pe: u32, disp: usize, to: *mut u8, len: usize) -> Result<(), MpiError> {
        let (n, ty) = words(disp | to as usize, len);
        let (none, to, disp, op) = (core::ptr::null(), to.cast(), disp as sys::MPI_Aint, WordOp::NoOp.raw());
        guarded!(PMPI_Get_accumulate(none, 0, ty, to, n, ty, pe as c_int, disp, n, ty, op, self.win))
    }

    /// Gets as [`Window::get_short`] does, and waits for the data.
    ///
    /// # Safety
    /// As for [`Window::get_blocking`].
    pub(crate) unsafe fn get_short_blocking(
        &self,
        pe: u32,
        disp: usize,
        to: *mut u8,
        len: usize,
    ) -> Result<(), MpiError> {
        let (n, ty) = words(disp | to as usize, len);
        let (none, to, disp, op) = (core::ptr::null(), to.cast(), disp as sys::MPI_Aint, WordOp::NoOp.raw());
        let (_guard, mut req) = (guard(), Request::null());
        mpi!(PMPI_Rget_accumulate(none, 0, ty, to, n, ty, pe as c_int, disp, n, ty, op, self.win, &mut req.0))?;
        req.wait()
    }

    /// Issues a get of one byte from a peer. When the byte has come, the peer is carrying out what was issued to it
    /// before.
    pub(crate) fn echo(&self, pe: u32, disp: usize) -> Result<Echo, MpiError> {
        let (byte, mut echo, disp) = (word(1), Echo::new(), disp as sys::MPI_Aint);
        let to = echo.room();
        guarded!(PMPI_Rget(to, 1, byte, pe as c_int, disp, 1, byte, self.win, &mut echo.request.0))?;
        Ok(echo)
    }

    /// Issues a fetching operation on a word of 4 or 8 bytes.
    ///
    /// # Safety `operand` and `result` are words of `bytes` bytes that stay in place until a flush. The target's word
    /// lies inside the window.
    pub(crate) unsafe fn fetch_op(
        &self,
        pe: u32,
        disp: usize,
        bytes: usize,
        op: WordOp,
        operand: *const c_void,
        result: *mut c_void,
    ) -> Result<(), MpiError> {
        let disp = disp as sys::MPI_Aint;
        guarded!(PMPI_Fetch_and_op(operand, result, word(bytes), pe as c_int, disp, op.raw(), self.win))
    }

    /// Issues an operation on a word, without a result.
    ///
    /// # Safety
    /// As for [`Window::fetch_op`].
    pub(crate) unsafe fn op(
        &self,
        pe: u32,
        disp: usize,
        bytes: usize,
        op: WordOp,
        operand: *const c_void,
    ) -> Result<(), MpiError> {
        let (ty, disp) = (word(bytes), disp as sys::MPI_Aint);
        guarded!(PMPI_Accumulate(operand, 1, ty, pe as c_int, disp, 1, ty, op.raw(), self.win))
    }

    /// Issues a compare-and-swap.
    ///
    /// # Safety
    /// As for [`Window::fetch_op`].
    #[allow(clippy::too_many_arguments)] // they are MPI's
    pub(crate) unsafe fn compare_swap(
        &self,
        pe: u32,
        disp: usize,
        bytes: usize,
        value: *const c_void,
        cond: *const c_void,
        result: *mut c_void,
    ) -> Result<(), MpiError> {
        let disp = disp as sys::MPI_Aint;
        guarded!(PMPI_Compare_and_swap(value, cond, result, word(bytes), pe as c_int, disp, self.win))
    }

    /// Returns when everything issued to `pe` is complete at `pe`.
    pub(crate) fn flush(&self, pe: u32) -> Result<(), MpiError> {
        guarded!(PMPI_Win_flush(pe as c_int, self.win))
    }

    pub(crate) fn flush_all(&self) -> Result<(), MpiError> {
        self.flush_all_guarded(&guard())
    }

    /// Returns when everything issued to all PEs is complete there. The caller holds the guard.
    pub(crate) fn flush_all_guarded(&self, _: &WindowGuard) -> Result<(), MpiError> {
        mpi!(PMPI_Win_flush_all(self.win))
    }

    /// Returns when the local buffers of everything issued to `pe` may be reused.
    pub(crate) fn flush_local(&self, pe: u32) -> Result<(), MpiError> {
        guarded!(PMPI_Win_flush_local(pe as c_int, self.win))
    }

    pub(crate) fn flush_local_all(&self) -> Result<(), MpiError> {
        guarded!(PMPI_Win_flush_local_all(self.win))
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
