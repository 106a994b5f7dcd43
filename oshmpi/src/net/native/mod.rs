//! The fabric of a library of the network, loaded at run time (`OSHMPI_TRANSPORT`): the library's own puts, gets and
//! AMOs, tagged messages, and the packets of active messages, on ways that are made at the first operation to a PE or
//! the first message to it. Each library is a [`Worker`], and a row of the table of [`NativeLibrary`]s: UCX
//! ([`ucx`](super::ucx)), libfabric ([`ofi`](super::ofi)). What goes by which: docs/design/network.md.
//!
//! Bound, of one PE in a job on N nodes: `make` puts one record of some 300 bytes into the launcher's store, and reads
//! none. Each PE that is used costs one read of its record, an endpoint and two keys. So after `shmem_init`, which ends
//! with an agreement of all PEs, the first PE of a node has up to ceil(log2 N) endpoints that it has made, and others
//! have none (`cargo xtask test counts` asserts it).

mod messages;
pub(super) mod record;
pub(super) mod worker;

use super::am::{FabricHooks, RECORD};
use super::fabric::{Fabric, How, Offers};
use super::{Exposed, NetError};
use crate::memory::addr::{Pe, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::{Comm, MpiError};
use crate::os::process;
use crate::sync::Wait;
use crate::sync::awaited::Awaited;
use crate::sync::ledger::Lane;
use crate::transport::amo::Amo;
use core::cell::UnsafeCell;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
pub(crate) use record::{Place, Store};
use record::{ROOM, Record, Records};
use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};
use worker::{Flush, LaneWorker, Operands, Request, Worker};

/// Polls of a wait, one after the other, while each finds something: a library that moves a piece in each of them is
/// then not slowed by what a wait does between polls. With more, other threads wait longer for the lane.
const IN_A_ROW: usize = 16;

/// A row of the table of libraries.
#[derive(Debug)]
pub(crate) struct NativeLibrary {
    pub(crate) name: &'static str,
    /// Its word in `OSHMPI_TRANSPORT`.
    pub(crate) word: &'static str,
    /// What has to be installed.
    pub(crate) needs: &'static str,
    /// Makes the library's objects, before memory is there. `pes`: those of the job, and those of this PE's node, as
    /// far as is known.
    pub(super) open: fn(pes: [usize; 2], over: Over) -> Made,
}

/// What a library may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Over {
    /// Networks, and memory that processes of one machine share.
    Machine,
    Networks,
    /// Networks that the library knows best, if it tells that of any.
    Own,
}

impl NativeLibrary {
    pub(super) fn refuses(&'static self, pe: Option<Pe>, what: &'static str, why: String) -> NetError {
        NetError::Library { library: self.name, what, pe, why }
    }
}

type Made = Result<Box<dyn Worker>, String>;

pub(crate) struct Native {
    pub(crate) library: &'static NativeLibrary,
    me: u32,
    /// Where records lie in a window. Otherwise no MPI is needed.
    comm: Option<&'static Comm>,
    /// This PE's record, as a message.
    own: Box<[u8]>,
    hooks: FabricHooks,
    has_fence: bool,
    longest: usize,
    records: Records,
    /// The main lane's worker, whose address the others have: it takes in all that comes.
    worker: Mutex<LaneWorker>,
    /// Workers of the other lanes, which contexts of threads have to themselves. Each is made at its first use.
    others: [OnceLock<Mutex<LaneWorker>>; Lane::OTHERS],
    /// A poll for messages has done something since this was last looked at.
    worked: AtomicBool,
    /// The words of its event count.
    waits: [AtomicU32; 2],
}

/// Why there is no such fabric.
#[derive(Debug)]
pub(crate) enum NotMade {
    /// The library is not there, or refuses something.
    Library(String),
    /// The launcher does not take this PE's record.
    Store(String),
    Mpi(MpiError),
}

/// A library's objects in this process, before it is known whether the job takes the library.
pub(crate) struct Opened {
    pub(crate) library: &'static NativeLibrary,
    worker: Box<dyn Worker>,
}

impl Opened {
    /// See [`NativeLibrary::open`]. PEs of a node are not reached by it. An error tells what the library refuses.
    pub(crate) fn new(library: &'static NativeLibrary, pes: [usize; 2], over: Over) -> Result<Opened, String> {
        // The library's threads must not run the program's signal handlers.
        let mut worker = process::with_signals_blocked(|| (library.open)(pes, over))?;
        worker.try_memory()?;
        Ok(Opened { library, worker })
    }

    /// The library, and what it uses, in words for people.
    pub(crate) fn describe(&self) -> String {
        self.worker.describe()
    }
}

impl Native {
    /// Made once, for the rest of the process. Collective. `place`: of the records, the same on all PEs. If this PE's
    /// memory cannot be registered, others reach it by messages alone, and the reason is given too.
    pub(crate) fn make(
        me: Pe,
        opened: Opened,
        exposed: Exposed,
        hooks: FabricHooks,
        place: Place,
    ) -> Result<(&'static Native, Option<String>), NotMade> {
        let Opened { library, mut worker } = opened;
        let address = worker.address().map_err(NotMade::Library)?;
        let (memory, refused) = match worker.expose(exposed) {
            Ok(memory) => (memory, None),
            Err(why) => (Default::default(), Some(why)),
        };
        let (keys, bases) = memory;
        let record = Record { address, keys, bases }.packed();
        if record.len() > ROOM {
            return Err(NotMade::Library("its record is too long: this machine has too many devices".into()));
        }
        let comm = match place {
            Place::Launcher(_) => None,
            Place::Window(comm) => Some(comm),
        };
        let own = [&record[..], &[RECORD]].concat().into_boxed_slice();
        let (has_fence, longest) = (worker.has_fence(), worker.longest());
        let (records, worker) = (Records::make(&record, place)?, Mutex::new(LaneWorker::of(worker)));
        let native = Box::leak(Box::new(Native {
            library,
            me: me.0,
            comm,
            own,
            hooks,
            has_fence,
            longest,
            records,
            worker,
            others: Default::default(),
            worked: AtomicBool::new(false),
            waits: Default::default(),
        }));
        Ok((native, refused))
    }

    pub(crate) fn needs_mpi(&self) -> bool {
        self.comm.is_some()
    }

    /// PEs for which there is an endpoint.
    pub(crate) fn contacted(&self) -> usize {
        self.main().contacts().count()
    }

    /// While this PE rests it takes part in nothing: no PE needs another one. Connections may be closed by their other
    /// ends meanwhile, and nobody looks at them.
    pub(crate) fn set_rest(&self, rests: bool) {
        for worker in self.lanes().chain([&self.worker]) {
            worker.lock().unwrap_or_else(|e| e.into_inner()).rests = rests;
        }
    }

    /// The workers of lanes that were used, but for the main one.
    fn lanes(&self) -> impl Iterator<Item = &Mutex<LaneWorker>> {
        self.others.iter().filter_map(OnceLock::get)
    }

    fn main(&self) -> MutexGuard<'_, LaneWorker> {
        self.worker.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// None: another thread has it.
    fn try_main(&self) -> Option<MutexGuard<'_, LaneWorker>> {
        match self.worker.try_lock() {
            Ok(worker) => Some(worker),
            Err(TryLockError::Poisoned(e)) => Some(e.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn lock(&self, lane: Lane) -> Result<MutexGuard<'_, LaneWorker>, NetError> {
        let Some(other) = lane.0.checked_sub(1) else { return Ok(self.main()) };
        let place = &self.others[usize::from(other)];
        if place.get().is_none() {
            let made = process::with_signals_blocked(|| self.main().beside())?; // as in `Opened::new`
            let _ = place.set(Mutex::new(LaneWorker::of(made))); // another thread may have been quicker
        }
        let worker = place.get().expect("it was set above");
        Ok(worker.lock().unwrap_or_else(|e| e.into_inner()))
    }

    /// The worker of a lane, with a way to `pe`.
    fn lock_for(&self, lane: Lane, pe: Pe) -> Result<MutexGuard<'_, LaneWorker>, NetError> {
        let mut worker = self.lock(lane)?;
        if worker.contacts().knows(pe) {
            return Ok(worker);
        }
        drop(worker); // the PE may need this one to go on before it answers
        let record = self.records.get(pe)?;
        let mut worker = self.lock(lane)?;
        worker.connect(pe, &record)?;
        Ok(worker)
    }

    /// Returns when `is_over` says so. No lock is held between two polls. They let the library carry out puts and
    /// gets of other PEs, and the hook that is called between them serves active messages.
    fn wait(
        &self,
        lane: Lane,
        pe: Pe,
        mut is_over: impl FnMut(&mut LaneWorker) -> Result<bool, NetError>,
    ) -> Result<(), NetError> {
        let mut result = Ok(());
        let ready = || {
            let mut worker = self.lock(lane).expect("the lane has its worker");
            let (mut served, mut over) = (false, Ok(false));
            for _ in 0..IN_A_ROW {
                let worked = worker.progress_for_next();
                served |= worked;
                over = is_over(&mut worker);
                if !worked || !matches!(over, Ok(false)) {
                    break;
                }
            }
            drop(worker);
            if served {
                (self.hooks.changed)();
            }
            over.unwrap_or_else(|e| {
                result = Err(e);
                true
            })
        };
        self.hooks.waiter(&self.waits).until_told(ready, || Awaited::Answer { pe: pe.0 });
        result
    }

    fn wait_for(&self, lane: Lane, pe: Pe, request: Option<Request>) -> Result<(), NetError> {
        request.map_or(Ok(()), |request| self.wait(lane, pe, |worker| worker.is_over(request)))
    }

    /// Has nobody wait for a message.
    fn leave(worker: &mut LaneWorker, request: Option<Request>) {
        if let Some(request) = request {
            worker.forget(request);
        }
    }

    /// Has nobody wait for an operation on `pe`: a quiet completes it. Waits while too many are under way.
    fn leave_under_way(
        &self,
        mut worker: MutexGuard<'_, LaneWorker>,
        lane: Lane,
        pe: Pe,
        request: Option<Request>,
        operands: Option<Operands>,
    ) -> Result<(), NetError> {
        if let Some(request) = request {
            worker.keep(pe, request, operands)?;
        }
        let full = worker.full()?;
        drop(worker);
        full.map_or(Ok(()), |pe| self.wait(lane, pe, |worker| Ok(worker.full()?.is_none())))
    }

    /// Where the operations or messages begin by which so many bytes are moved, and how long they are.
    fn parts(&self, len: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let longest = self.longest;
        (0..len).step_by(longest).map(move |from| (from, longest.min(len - from)))
    }
}

impl Fabric for &'static Native {
    fn offers(&self, pe: Pe) -> Result<Offers, NetError> {
        Ok(self.lock_for(Lane::MAIN, pe)?.contacts().offers(pe))
    }

    fn put(&self, lane: Lane, range: SymRange, pe: Pe, source: Source, how: How) -> Result<(), NetError> {
        self.parts(range.len).try_for_each(|(from, len)| {
            let mut worker = self.lock_for(lane, pe)?;
            // SAFETY: the source can be read until this returns, which waits unless it is copied.
            let request = unsafe { worker.put(range.part(from, len), pe, source.part(from, len), how.copied)? };
            if request.is_none() {
                return self.leave_under_way(worker, lane, pe, None, None);
            }
            drop(worker);
            self.wait_for(lane, pe, request)
        })
    }

    fn put_nbi(&self, lane: Lane, range: SymRange, pe: Pe, source: Source<'static>) -> Result<(), NetError> {
        self.parts(range.len).try_for_each(|(from, len)| {
            let mut worker = self.lock_for(lane, pe)?;
            // SAFETY: a nonblocking put's source stays until a quiet, which completes it.
            let request = unsafe { worker.put(range.part(from, len), pe, source.part(from, len), false)? };
            self.leave_under_way(worker, lane, pe, request, None)
        })
    }

    fn get(&self, lane: Lane, range: SymRange, pe: Pe, dest: Dest) -> Result<(), NetError> {
        self.parts(range.len).try_for_each(|(from, len)| {
            let (part, dest) = (range.part(from, len), dest.part(from, len));
            // SAFETY: the destination can be written until this returns, which waits.
            let request = unsafe { self.lock_for(lane, pe)?.get(part, pe, dest)? };
            self.wait_for(lane, pe, request)
        })
    }

    fn get_nbi(&self, lane: Lane, range: SymRange, pe: Pe, dest: Dest<'static>) -> Result<(), NetError> {
        self.parts(range.len).try_for_each(|(from, len)| {
            let mut worker = self.lock_for(lane, pe)?;
            // SAFETY: a nonblocking get's destination stays until a quiet, which completes it.
            let request = unsafe { worker.get(range.part(from, len), pe, dest.part(from, len))? };
            self.leave_under_way(worker, lane, pe, request, None)
        })
    }

    fn amo(&self, lane: Lane, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, NetError> {
        let old = UnsafeCell::new(0);
        // SAFETY: a local variable, which stays until this returns, which waits; so do the operands.
        let (request, _operands) = unsafe { self.lock_for(lane, pe)?.amo(word, pe, amo, old.get())? };
        self.wait_for(lane, pe, request)?;
        Ok(old.into_inner())
    }

    fn amo_nbi(
        &self,
        lane: Lane,
        word: SymRange,
        pe: Pe,
        amo: Amo,
        old: Option<Dest<'static>>,
    ) -> Result<(), NetError> {
        let mut worker = self.lock_for(lane, pe)?;
        let reply = old.map_or(null_mut(), |old| old.at().cast());
        // SAFETY: a nonblocking AMO's result can be written until a quiet, which completes it. The operands are kept.
        let (request, operands) = unsafe { worker.amo(word, pe, amo, reply)? };
        self.leave_under_way(worker, lane, pe, request, Some(operands))
    }

    fn has_fence(&self) -> bool {
        self.has_fence
    }

    fn fence(&self, lane: Lane) -> Result<(), NetError> {
        self.lock(lane)?.fence()
    }

    fn quiet_pe(&self, lane: Lane, pe: Pe) -> Result<(), NetError> {
        self.quiet(lane, Some(&[pe]))
    }

    /// All flushes are under way together.
    fn quiet(&self, lane: Lane, pes: Option<&[Pe]>) -> Result<(), NetError> {
        let under_way = self.lock(lane)?.flush(pes)?;
        under_way.iter().try_for_each(|flush: &Flush| self.wait(lane, flush.pe, |worker| worker.is_flushed(flush)))
    }

    fn quiet_all(&self) -> Result<(), NetError> {
        let others = (1..).map(Lane).zip(&self.others).filter(|(_, other)| other.get().is_some());
        others.map(|(lane, _)| lane).chain([Lane::MAIN]).try_for_each(|lane| self.quiet(lane, None))
    }

    /// Lets lanes that nobody uses for a while send what waits for room.
    fn push(&self) {
        for lane in self.lanes() {
            if let Ok(mut worker) = lane.try_lock()
                && !worker.rests
            {
                worker.progress();
            }
        }
    }

    fn beside_program(&self, serve: &mut dyn FnMut() -> Option<bool>) -> Option<bool> {
        self.push();
        serve()
    }

    fn has_worked(&self) -> bool {
        self.worked.swap(false, Ordering::Relaxed) // a hint
    }

    /// All PEs have completed what they issued. Without MPI they rest. With MPI there is a barrier here, when their
    /// last messages have left; behind it nobody needs another one's progress.
    fn close(&self) {
        if let Some(comm) = self.comm {
            let _ = self.quiet_all().map(|()| comm.least(&[0])); // the process ends, whatever comes of it
        }
        for lane in self.lanes() {
            lane.lock().unwrap_or_else(|e| e.into_inner()).end();
        }
        let mut main = self.main();
        main.rests = true; // other PEs close their ends from here on
        messages::drop_words(&mut main);
        main.end();
        drop(main);
        self.records.close();
    }
}
