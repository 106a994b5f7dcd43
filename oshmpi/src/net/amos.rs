//! AMOs of the remote transport.

use super::path_key::Path;
use super::{Ledger, NetError, Remote};
use crate::memory::addr::{Pe, SymRange};
use crate::memory::local::Dest;
use crate::transport::amo::Amo;

impl Remote {
    /// Runs an AMO on a word of 4 or 8 bytes and returns the old value.
    pub(crate) fn amo(&self, ledger: &Ledger, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, NetError> {
        let by = self.before_amo(ledger, word, pe)?;
        let old = self.way(by).amo(ledger.lane(), word, pe, amo)?;
        if by == Path::Fabric {
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
    ) -> Result<(), NetError> {
        let by = self.before_amo(ledger, word, pe)?;
        self.way(by).amo_nbi(ledger.lane(), word, pe, amo, result)?;
        self.noted(ledger, pe, by, false);
        Ok(())
    }

    fn before_amo(&self, ledger: &Ledger, word: SymRange, pe: Pe) -> Result<Path, NetError> {
        let by = self.route.amo(word);
        self.before(ledger, pe, by, self.offers(pe)?)?;
        Ok(by)
    }

    /// Whether the fabric carries out AMOs on a PE's memory by itself, while the CPUs carry out those of other words.
    pub(crate) fn has_adapter_amos(&self, pe: Pe) -> Result<bool, NetError> {
        Ok(self.messages.is_some() && self.offers(pe)?.amo)
    }

    /// From byte `begin` of the heap on, adapters carry out the AMOs on words: see [`Route`](super::route::Route).
    pub(crate) fn set_adapter_words(&self, begin: usize) {
        self.route.set_adapter_words(begin);
    }

    /// Whether an adapter carries out the AMOs on a word.
    pub(crate) fn is_adapter_word(&self, word: SymRange) -> bool {
        self.route.is_adapter_word(word)
    }
}
