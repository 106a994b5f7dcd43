//! UCX (`OSHMPI_TRANSPORT`): the executor of puts and gets by UCX's own, the carrier of tagged messages, and the
//! network of active messages, on endpoints that are made at the first operation to a PE or the first message to it.
//! Where the network has remote access, UCX uses that; over TCP the target's threads carry out what comes, in whatever
//! they call of the library, or in the progress thread. There short puts and gets are active messages too, which gather
//! them.
//!
//! AMOs are active messages, so the CPUs of a word's node carry them out, and its PEs need UCX for none of theirs.
//!
//! Bound, of one PE in a job on N nodes: `make` puts one record of some 300 bytes into the launcher's store, and reads
//! none. Each PE that is used costs one read of its record, an endpoint and two keys. So after `shmem_init`, which ends
//! with an agreement of all PEs, the first PE of a node has up to ceil(log2 N) endpoints that it has made, and others
//! have none (`cargo xtask test counts` asserts it). Nothing is sent to PEs that are not used, and nothing grows with
//! the number of PEs. Where the job was joined through MPI, the record takes 8 KiB of a window instead, and is read by
//! one MPI get. The first active message to a PE that has sent none follows a message with this PE's record. So that PE
//! reads nothing to answer, and it can answer while the connection to the launcher is in use, as it is in `MPI_Init`.

mod library;
mod packets;
mod record;
mod tagged;
mod worker;

use super::Exposed;
use super::executor::{Executor, How};
use super::messages::{Hooks, RECORD};
use crate::memory::addr::{Pe, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::{Comm, MpiError};
use crate::sync::Wait;
use crate::sync::awaited::Awaited;
use crate::sync::wait::{EventCount, Waiter};
use crate::transport::amo::Amo;
use core::sync::atomic::AtomicU32;
pub(crate) use record::{Place, Store};
use record::{Record, Records};
use std::sync::{Mutex, MutexGuard, TryLockError};
use worker::{Request, Worker};

/// Where records lie in a window, polls of a wait for one poll of MPI: a PE that contacts this one for the first time
/// waits for MPI to be polled.
const POLLS_PER_MPI: u32 = 8;

pub(crate) struct Ucx {
    me: u32,
    /// Where records lie in a window. Otherwise UCX needs no MPI.
    comm: Option<&'static Comm>,
    /// This PE's record, as a message.
    own: Box<[u8]>,
    hooks: Hooks,
    records: Records,
    worker: Mutex<Worker>,
    events: AtomicU32,
    waiters: AtomicU32,
}

/// Why there is no such executor.
#[derive(Debug)]
pub(crate) enum NoUcx {
    /// The library is not there, or refuses something.
    Library(String),
    /// The launcher does not take this PE's record.
    Store(String),
    Mpi(MpiError),
}

impl Ucx {
    /// Made once, for the rest of the process. Collective. `place`: of the records, the same on all PEs. `pes`: those
    /// of the job, and those of this PE's node. `alone`: this PE is alone on its node, and other nodes are on other
    /// machines.
    pub(crate) fn make(
        me: Pe,
        pes: [usize; 2],
        exposed: Exposed,
        hooks: Hooks,
        place: Place,
        alone: bool,
    ) -> Result<&'static Ucx, NoUcx> {
        let (worker, own) = Worker::make(pes, exposed, alone).map_err(NoUcx::Library)?;
        let record = Record::of(&own, exposed).ok_or_else(|| {
            NoUcx::Library("this machine has too many devices; choose some by UCX_NET_DEVICES".into())
        })?;
        let comm = match place {
            Place::Launcher(_) => None,
            Place::Window(comm) => Some(comm),
        };
        let own = [&record.packed()[..], &[RECORD]].concat().into_boxed_slice();
        let (records, worker) = (Records::make(record, place)?, Mutex::new(worker));
        let (events, waiters) = (AtomicU32::new(0), AtomicU32::new(0));
        Ok(Box::leak(Box::new(Ucx { me: me.0, comm, own, hooks, records, worker, events, waiters })))
    }

    /// Whether this process has UCX's library from its start, because its MPI uses it, in a version that was tried.
    pub(crate) fn is_of_mpi() -> bool {
        library::is_of_mpi()
    }

    /// Whether MPI has to be up.
    pub(crate) fn needs_mpi(&self) -> bool {
        self.comm.is_some()
    }

    /// PEs for which there is an endpoint.
    pub(crate) fn contacted(&self) -> usize {
        self.lock().contacted()
    }

    /// This PE takes part in nothing until [`Ucx::wake`]: no PE needs another one. From now on connections may be
    /// closed by their other ends, and nobody looks at them.
    pub(crate) fn rest(&self) {
        self.lock().set_rest(true);
    }

    /// OpenSHMEM is initialised, maybe again.
    pub(crate) fn wake(&self) {
        self.lock().set_rest(false);
    }

    /// A PE that contacts this one for the first time may wait for MPI to be polled.
    fn poll_mpi(&self) {
        if let Some(comm) = self.comm {
            comm.poll();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Worker> {
        self.worker.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The worker with an endpoint for `pe`.
    fn lock_for(&self, pe: Pe) -> Result<MutexGuard<'_, Worker>, MpiError> {
        let worker = self.lock();
        if worker.knows(pe) {
            return Ok(worker);
        }
        drop(worker); // the PE may need this one to go on before it answers
        let record = self.records.get(pe)?;
        let mut worker = self.lock();
        worker.connect(pe, &record);
        Ok(worker)
    }

    /// Returns when an operation is over. No lock is held between two polls. The polls let UCX carry out puts and gets
    /// of other PEs; active messages are the progress thread's.
    fn wait(&self, what: Awaited, request: Option<Request>) {
        let Some(request) = request else { return };
        let waiter = Waiter {
            event_count: EventCount { events: &self.events, waiters: &self.waiters },
            policy: self.hooks.policy,
            meanwhile: self.hooks.meanwhile,
            backoff: self.hooks.backoff,
        };
        let mut polls = 0u32;
        let ready = || {
            let worker = self.lock();
            let served = worker.progress();
            let over = worker.is_over(request);
            drop(worker);
            if served {
                (self.hooks.changed)();
            }
            polls = polls.wrapping_add(1);
            if !over && polls.is_multiple_of(POLLS_PER_MPI) {
                self.poll_mpi();
            }
            over
        };
        waiter.until_told(ready, || what);
    }

    /// Has nobody wait for an operation: a quiet completes it.
    fn leave(worker: &Worker, request: Option<Request>) {
        if let Some(request) = request {
            worker.forget(request);
        }
    }
}

impl Executor for &'static Ucx {
    fn put(&self, range: SymRange, pe: Pe, source: Source, _: How) -> Result<(), MpiError> {
        // SAFETY: the source can be read until this returns, which waits.
        let request = unsafe { self.lock_for(pe)?.put(range, pe, source) };
        self.wait(Awaited::Answer { pe: pe.0 }, request);
        Ok(())
    }

    fn put_nbi(&self, range: SymRange, pe: Pe, source: Source) -> Result<(), MpiError> {
        let worker = self.lock_for(pe)?;
        // SAFETY: a nonblocking put's source stays until a quiet, which flushes.
        let request = unsafe { worker.put(range, pe, source) };
        Ucx::leave(&worker, request);
        Ok(())
    }

    fn get(&self, range: SymRange, pe: Pe, dest: Dest) -> Result<(), MpiError> {
        // SAFETY: the destination can be written until this returns, which waits.
        let request = unsafe { self.lock_for(pe)?.get(range, pe, dest) };
        self.wait(Awaited::Answer { pe: pe.0 }, request);
        Ok(())
    }

    fn get_nbi(&self, range: SymRange, pe: Pe, dest: Dest) -> Result<(), MpiError> {
        let worker = self.lock_for(pe)?;
        // SAFETY: a nonblocking get's destination stays until a quiet, which flushes.
        let request = unsafe { worker.get(range, pe, dest) };
        Ucx::leave(&worker, request);
        Ok(())
    }

    fn amo(&self, _: SymRange, _: Pe, _: Amo) -> Result<u64, MpiError> {
        unreachable!("AMOs go by message")
    }

    fn amo_nbi(&self, _: SymRange, _: Pe, _: Amo, _: Option<Dest>) -> Result<(), MpiError> {
        unreachable!("AMOs go by message")
    }

    fn quiet_pe(&self, pe: Pe) -> Result<(), MpiError> {
        self.quiet(Some(&[pe]))
    }

    /// All flushes are under way together. There is one for each PE, because a flush of the worker counts no operation
    /// that waits for room in a queue (UCX 1.13 and its main branch of 2026).
    fn quiet(&self, pes: Option<&[Pe]>) -> Result<(), MpiError> {
        let under_way = self.lock().flush(pes);
        under_way.into_iter().for_each(|(pe, request)| self.wait(Awaited::Answer { pe: pe.0 }, Some(request)));
        Ok(())
    }

    /// Two puts may arrive in any order.
    fn keeps_order(&self) -> bool {
        false
    }

    fn amos_by_cpu(&self) -> bool {
        true
    }

    fn serve(&self) -> Option<bool> {
        let worker = match self.worker.try_lock() {
            Ok(worker) => worker,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let served = !worker.rests() && worker.progress();
        drop(worker);
        if served {
            (self.hooks.changed)();
        } else {
            self.poll_mpi();
        }
        Some(served)
    }

    /// All PEs have completed what they issued. Without MPI they rest. With MPI there is a barrier here, when their
    /// last messages have left; behind it nobody needs another one's progress.
    fn close(&self) {
        if let Some(comm) = self.comm {
            let _ = self.quiet(None).and_then(|()| comm.least(&[0])); // the process ends, whatever comes of it
        }
        self.lock().end();
        self.records.close();
    }
}
