//! What goes by active message although there may be windows: which transfers, and puts.

use super::path_key::Path;
use super::{Remote, SHORT};
use crate::memory::addr::SymRange;
use crate::mpi::MpiError;
use crate::sync::ledger::Ledger;
use crate::transport::am::{Am, Leaves};

impl Remote {
    /// Active messages carry out AMOs with CPU atomics.
    pub(crate) fn has_cpu_atomics(&self) -> bool {
        self.am.is_some()
    }

    /// Where messages do everything.
    pub(super) fn only_am(&self) -> Option<&Am> {
        self.am.as_ref().filter(|_| self.heap.is_none())
    }

    /// Where they do transfers of so many bytes that are not waited for.
    pub(super) fn messenger(&self, len: usize) -> Option<&Am> {
        self.am.as_ref().filter(|_| len <= self.by_message)
    }

    /// The put of a put with signal of `len` bytes goes by message, in order with an AMO that does.
    pub(crate) fn put_goes_by_message(&self, len: usize) -> bool {
        self.am.is_some() && len <= self.by_message.max(SHORT)
    }

    /// Puts as the first half of a put with signal.
    ///
    /// # Safety
    /// As for [`Remote::put`].
    pub(crate) unsafe fn put_before_signal(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: u32,
        from: *const u8,
    ) -> Result<(), MpiError> {
        match &self.am {
            // SAFETY: passed on to the caller.
            Some(am) if self.put_goes_by_message(range.len) => unsafe {
                self.put_message(am, ledger, range, pe, from, Leaves::WithNext)
            },
            // SAFETY: passed on to the caller.
            _ => unsafe { self.put(ledger, range, pe, from) },
        }
    }

    /// Puts by message; the source may be reused when it returns.
    ///
    /// # Safety
    /// As for [`Remote::put`].
    pub(super) unsafe fn put_message(
        &self,
        am: &Am,
        ledger: &Ledger,
        range: SymRange,
        pe: u32,
        from: *const u8,
        leaves: Leaves,
    ) -> Result<(), MpiError> {
        self.before(ledger, pe, Path::Message)?;
        self.stats.put(pe, range.len);
        // SAFETY: passed on to the caller.
        unsafe { am.put(range, pe, from, leaves)? };
        self.noted(ledger, pe, Path::Message)
    }
}
