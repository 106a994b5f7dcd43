//! Order and completion of operations: what a fence and a quiet do, with the ledger of a context.

use super::route::{Path, PathKey};
use super::{NetError, Remote};
use crate::memory::addr::Pe;
use crate::os::clock;
use crate::sync::ledger::{Lane, Ledger, Outstanding};
use crate::sync::order;
use core::sync::atomic::Ordering;

/// Of so many operations of a context, one by the fabric serves messages. A poll costs as much as a short operation, so
/// a lower number slows streams of operations. With a higher one, peers wait longer for their AMOs.
const SERVED_EVERY: u64 = 32;

impl Remote {
    /// Called before an operation to `pe` is issued. Completes earlier operations to `pe` that a fence has marked,
    /// except those on the same way if it keeps their order. Announces an operation by the fabric. Gives the lane on
    /// which it is issued.
    #[inline]
    pub(super) fn before(&self, ledger: &Ledger, pe: Pe, by: Path, cpu: bool) -> Result<Lane, NetError> {
        self.announce(pe, by, cpu)?;
        for earlier in Path::ALL {
            let key = PathKey { pe, by: earlier };
            if ledger.must_wait(key.number()) && !(earlier == by && self.keeps_order(pe, by)?) {
                self.complete_marked(ledger, key)?;
            }
        }
        Ok(ledger.lane())
    }

    /// Whether operations on `pe` keep their order across a fence. By the fabric they do if it has one, and the PE's
    /// CPU does not take part or stores in order: other threads and PEs of its node see its stores, among which a
    /// library of the network keeps no order.
    fn keeps_order(&self, pe: Pe, by: Path) -> Result<bool, NetError> {
        match &self.fabric {
            _ if by == Path::Message => Ok(true),
            Some(fabric) if fabric.has_fence() => Ok(order::STORES_IN_ORDER || self.offers(pe)?.put),
            _ => Ok(false),
        }
    }

    /// Called before an operation on `pe` is issued. Wakes the PE's progress thread if the operation needs its `cpu`.
    pub(super) fn announce(&self, pe: Pe, by: Path, cpu: bool) -> Result<(), NetError> {
        match (by, &self.announcements, &self.messages) {
            (Path::Fabric, Some(told), Some(messages)) if cpu && told.is_due(pe, clock::millis()) => {
                messages.announce(pe)
            }
            _ => Ok(()),
        }
    }

    /// Completes the operations of a key that a fence has marked. The first key after a fence is completed alone,
    /// because the program may go on with that PE only. From the second key on, all operations by the fabric are
    /// completed together, because each completion costs a round trip.
    #[cold]
    fn complete_marked(&self, ledger: &Ledger, key: PathKey) -> Result<(), NetError> {
        let fabric = self.fabric.as_deref().filter(|_| key.by == Path::Fabric && ledger.not_the_first());
        let Some(fabric) = fabric else { return self.complete(ledger, key) };
        let seen = ledger.look();
        let by_fabric = |number| PathKey::of_number(number).by == Path::Fabric;
        let pes: Vec<Pe> = seen.keys().filter(|&number| by_fabric(number)).map(|n| PathKey::of_number(n).pe).collect();
        self.flushes.fetch_add(1, Ordering::Relaxed);
        fabric.quiet(ledger.lane(), Some(&pes))?;
        ledger.done_if(&seen, by_fabric);
        self.serve_behind(Path::Fabric);
        Ok(())
    }

    /// Called after an operation to `pe` was issued. `waited`: the call waited for the network without serving other
    /// PEs.
    pub(super) fn noted(&self, ledger: &Ledger, pe: Pe, by: Path, waited: bool) {
        let number = ledger.issued(PathKey { pe, by }.number());
        if by == Path::Fabric && (waited || number % SERVED_EVERY == SERVED_EVERY - 1) {
            self.serve_behind(by);
        }
    }

    /// Completes all operations of a context.
    pub(crate) fn quiet(&self, ledger: &Ledger) -> Result<(), NetError> {
        if ledger.is_clear() {
            return Ok(());
        }
        let seen = ledger.look();
        match seen.pending() {
            Outstanding::Nothing => return Ok(()),
            Outstanding::One(number) => self.flush(ledger, PathKey::of_number(number))?,
            // All together, because one after the other they would cost a round trip each.
            Outstanding::Many => {
                self.flushes.fetch_add(1, Ordering::Relaxed);
                for (by, way) in Path::ALL.into_iter().filter_map(|by| Some((by, self.find(by)?))) {
                    let keys = seen.keys().map(PathKey::of_number).filter(|key| key.by == by);
                    let pes: Vec<Pe> = keys.map(|key| key.pe).collect();
                    way.quiet(ledger.lane(), (!seen.more()).then_some(&pes))?;
                }
            }
        }
        ledger.done(&seen);
        Ok(())
    }

    /// Completes the operations of a context to one PE.
    pub(crate) fn quiet_pe(&self, ledger: &Ledger, pe: Pe) -> Result<(), NetError> {
        self.complete(ledger, PathKey { pe, by: Path::Fabric })?;
        self.complete(ledger, PathKey { pe, by: Path::Message })
    }

    /// Completes the operations of a context to one PE on one way.
    fn complete(&self, ledger: &Ledger, key: PathKey) -> Result<(), NetError> {
        let seen = ledger.look();
        if seen.may_include(key.number()) {
            self.flush(ledger, key)?;
            ledger.done_with(&seen, key.number());
        }
        Ok(())
    }

    /// Completes all operations of all contexts.
    pub(crate) fn quiet_all(&self) -> Result<(), NetError> {
        let seen = self.ledger.look();
        self.flushes.fetch_add(1, Ordering::Relaxed);
        for way in Path::ALL.into_iter().filter_map(|by| self.find(by)) {
            way.quiet_all()?;
        }
        self.ledger.done(&seen);
        Ok(())
    }

    /// Orders later operations of the context after earlier ones, for each PE. Operations to PEs for which `at_once` is
    /// true are completed at once, because these PEs are also reached without this ledger. The others are completed
    /// before the next operation to their PE, unless the fabric's fence orders both.
    pub(crate) fn fence(&self, ledger: &Ledger, at_once: impl Fn(Pe) -> bool) -> Result<(), NetError> {
        let seen = ledger.look();
        if seen.more() {
            self.quiet(ledger)?;
        } else {
            for key in seen.keys().map(PathKey::of_number).filter(|key| at_once(key.pe)) {
                self.complete(ledger, key)?;
            }
        }
        ledger.fence();
        match &self.fabric {
            Some(fabric) if fabric.has_fence() && seen.keys().any(|n| PathKey::of_number(n).by == Path::Fabric) => {
                fabric.fence(ledger.lane())
            }
            _ => Ok(()),
        }
    }

    /// Completes the operations of a key. A full ledger may name a way that does not exist, which has no operations.
    fn flush(&self, ledger: &Ledger, key: PathKey) -> Result<(), NetError> {
        let Some(way) = self.find(key.by) else { return Ok(()) };
        self.flushes.fetch_add(1, Ordering::Relaxed);
        way.quiet_pe(ledger.lane(), key.pe)?;
        self.serve_behind(key.by);
        Ok(())
    }

    /// Returns when the sources of puts by the fabric to `pe` may be reused, and the data of its gets from there has
    /// arrived.
    pub(super) fn local(&self, ledger: &Ledger, pe: Pe) -> Result<(), NetError> {
        if let Some(fabric) = self.fabric.as_deref() {
            fabric.local(ledger.lane(), pe)?;
            self.serve_behind(Path::Fabric);
        }
        Ok(())
    }
}
