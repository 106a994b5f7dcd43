//! AMOs on words of PEs whose memory is not mapped here: by message where their own CPUs carry them out, else by MPI's.

use super::path_key::Path;
use super::{Amo, Remote};
use crate::memory::addr::SymRange;
use crate::mpi::MpiError;
use crate::mpi::rma::Op;
use crate::sync::ledger::Ledger;
use core::ffi::c_void;

impl Remote {
    fn before_amo(&self, ledger: &Ledger, pe: u32) -> Result<(), MpiError> {
        self.before(ledger, pe, if self.am.is_some() { Path::Message } else { Path::Window })?;
        self.stats.amo(pe);
        Ok(())
    }

    /// An AMO on a word of 4 or 8 bytes; gives the old value.
    pub(crate) fn amo(&self, ledger: &Ledger, word: SymRange, pe: u32, amo: Amo) -> Result<u64, MpiError> {
        self.before_amo(ledger, pe)?;
        if let Some(am) = &self.am {
            return am.amo(word, pe, amo);
        }
        let (window, disp) = self.place(word, pe)?;
        let (mut old, bytes) = (0u64, word.len);
        let result = (&raw mut old).cast::<c_void>();
        let at = |v: &u64| (&raw const *v).cast::<c_void>(); // the low bytes come first
        // SAFETY: the result and the argument, by reference, stay until the flush; the word lies inside the segment.
        unsafe {
            match &amo {
                Amo::Op(op, operand) => window.fetch_op(pe, disp, bytes, *op, at(operand), result)?,
                Amo::CompareSwap { cond, value } => {
                    window.compare_swap(pe, disp, bytes, at(value), at(cond), result)?;
                }
            }
            window.flush_local(pe)?;
        }
        // Open MPI holds a lock of the word's owner meanwhile: who asks again and again would never see another PE get it.
        self.serve_if_nobody_does();
        Ok(old)
    }

    /// An AMO whose old value is wanted by nobody; complete when the context is quiet.
    pub(crate) fn amo_only(
        &self,
        ledger: &Ledger,
        word: SymRange,
        pe: u32,
        op: Op,
        operand: u64,
    ) -> Result<(), MpiError> {
        self.before_amo(ledger, pe)?;
        if let Some(am) = &self.am {
            am.amo_only(word, pe, Amo::Op(op, operand))?;
            return self.noted(ledger, pe, Path::Message);
        }
        let (window, disp) = self.place(word, pe)?;
        // SAFETY: the operand is copied to where it stays until a flush; the word lies inside the segment.
        self.aside(8, |copy| unsafe {
            copy.cast::<u64>().write(operand);
            window.op(pe, disp, word.len, op, copy.cast())
        })?;
        self.noted(ledger, pe, Path::Window)
    }

    /// An AMO whose old value is there when the context is quiet.
    ///
    /// # Safety
    /// `result` can be written until then.
    pub(crate) unsafe fn amo_nbi(
        &self,
        ledger: &Ledger,
        word: SymRange,
        pe: u32,
        amo: Amo,
        result: *mut u8,
    ) -> Result<(), MpiError> {
        self.before_amo(ledger, pe)?;
        if let Some(am) = &self.am {
            // SAFETY: passed on to the caller.
            unsafe { am.amo_nbi(word, pe, amo, result)? };
            return self.noted(ledger, pe, Path::Message);
        }
        let (window, disp) = self.place(word, pe)?;
        let (bytes, result) = (word.len, result.cast::<c_void>());
        // SAFETY: the operands are copied to where they stay until a flush; the rest is the caller's promise.
        self.aside(16, |copy| unsafe {
            let (first, second) = (copy.cast::<u64>(), copy.cast::<u64>().add(1));
            match amo {
                Amo::Op(op, operand) => {
                    first.write(operand);
                    window.fetch_op(pe, disp, bytes, op, first.cast(), result)
                }
                Amo::CompareSwap { cond, value } => {
                    first.write(value);
                    second.write(cond);
                    window.compare_swap(pe, disp, bytes, first.cast(), second.cast(), result)
                }
            }
        })?;
        self.noted(ledger, pe, Path::Window)
    }
}
