//! AMOs of the remote transport, and which executor a word has.

use super::path_key::Path;
use super::{Ledger, Remote};
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::local::Dest;
use crate::mpi::MpiError;
use crate::transport::amo::Amo;
use core::sync::atomic::Ordering;

impl Remote {
    /// Runs an AMO on a word of 4 or 8 bytes and returns the old value.
    pub(crate) fn amo(&self, ledger: &Ledger, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, MpiError> {
        let by = self.before_amo(ledger, word, pe)?;
        let old = self.executor(by).amo(word, pe, amo)?;
        if by == Path::Window {
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
        result: Option<Dest>,
    ) -> Result<(), MpiError> {
        let by = self.before_amo(ledger, word, pe)?;
        self.executor(by).amo_nbi(word, pe, amo, result)?;
        self.noted(ledger, pe, by, false);
        Ok(())
    }

    fn before_amo(&self, ledger: &Ledger, word: SymRange, pe: Pe) -> Result<Path, MpiError> {
        let by = if self.is_adapter_word(word) { Path::Window } else { self.chooser.amo() };
        self.before(ledger, pe, by)?;
        Ok(by)
    }

    /// Whether memory may be set aside for words whose AMOs an adapter carries out: by windows, which do it without the
    /// target's processor, while the AMOs of all other words go by messages.
    pub(crate) fn may_have_adapter_words(&self) -> bool {
        self.one_sided.amo && self.chooser.windows && self.chooser.messages
    }

    /// Says that from byte `begin` of the heap on, adapters carry out the AMOs on words: for all PEs, those of the
    /// word's node included, because an adapter and a CPU on one word lose updates. All PEs say so before a program
    /// can have the address of such a word.
    pub(crate) fn set_adapter_words(&self, begin: usize) {
        self.adapter_words.store(begin, Ordering::Relaxed);
    }

    /// Whether an adapter carries out the AMOs on a word.
    pub(crate) fn is_adapter_word(&self, word: SymRange) -> bool {
        word.seg == SegId::Heap && word.off >= self.adapter_words.load(Ordering::Relaxed)
    }
}
