//! MPI's own collectives, nonblocking: whoever starts one waits as for messages, and serves others meanwhile. On a communicator
//! that holds the members of one group, whose ranks are the members' numbers.

use super::message::{InFlight, PIECE};
use super::{Comm, MpiError, mpi};
use ::mpi::ffi as sys;
use core::ffi::{c_int, c_void};

unsafe extern "C" {
    static oshmpi_mpi_in_place: *mut c_void;
}

/// What all members of a group do together. Sizes and roots are equal on all of them.
pub(crate) enum Collective<'a> {
    Barrier,
    /// `len` bytes at `at`, from `root` to the others.
    Broadcast {
        root: usize,
        at: *mut u8,
        len: usize,
    },
    /// Everybody's block into everybody's `dest`, from `at(i)` to `at(i + 1)` in bytes. The own one may lie in its place.
    Gather {
        own: *const u8,
        dest: *mut u8,
        at: &'a dyn Fn(usize) -> usize,
    },
    /// Block i of `source` to member i, as block `me` of its `dest`; of `block` bytes all of them.
    Exchange {
        source: *const u8,
        dest: *mut u8,
        block: usize,
    },
    /// `n` elements of every member, combined, into everybody's `dest`, which may be `source`.
    Reduce {
        op: Exact,
        dest: *mut u8,
        source: *const u8,
        n: usize,
    },
    /// The same, of the members before the caller, or up to it; what member 0 has in `dest` means nothing if none is before it.
    Scan {
        op: Exact,
        dest: *mut u8,
        source: *const u8,
        n: usize,
        inclusive: bool,
    },
}

/// An operation on integers: in whatever order MPI combines them, the result is the same.
#[derive(Clone, Copy)]
pub(crate) struct Exact {
    op: Combine,
    bytes: usize,
}

#[derive(Clone, Copy)]
pub(crate) enum Combine {
    Sum,
    Prod,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Exact {
    /// None if MPI cannot be trusted with it. MPICH 4.0.2 finds 10 larger than 200 among unsigned numbers of any length, Open
    /// MPI 4.1.4 among those of type `unsigned long`; its sums of short numbers end at the largest one there is.
    pub(crate) const fn new(op: Combine, bytes: usize, signed: bool) -> Option<Exact> {
        match op {
            Combine::Min | Combine::Max if !signed => None,
            Combine::Sum | Combine::Prod if bytes < 4 => None,
            _ => Some(Exact { op, bytes }),
        }
    }

    fn op(self) -> sys::MPI_Op {
        // SAFETY: constants of the shim.
        unsafe {
            match self.op {
                Combine::Sum => sys::RSMPI_SUM,
                Combine::Prod => sys::RSMPI_PROD,
                Combine::Min => sys::RSMPI_MIN,
                Combine::Max => sys::RSMPI_MAX,
                Combine::And => sys::RSMPI_BAND,
                Combine::Or => sys::RSMPI_BOR,
                Combine::Xor => sys::RSMPI_BXOR,
            }
        }
    }

    /// Signed only where it matters: sums and products of unsigned numbers have the same bits, and may overflow.
    fn datatype(self) -> sys::MPI_Datatype {
        if !matches!(self.op, Combine::Min | Combine::Max) {
            return super::rma::word(self.bytes);
        }
        // SAFETY: constants of the shim.
        unsafe {
            match self.bytes {
                1 => sys::RSMPI_INT8_T,
                2 => sys::RSMPI_INT16_T,
                4 => sys::RSMPI_INT32_T,
                8 => sys::RSMPI_INT64_T,
                _ => unreachable!("integers have 1, 2, 4 or 8 bytes"),
            }
        }
    }
}

impl Collective<'_> {
    /// MPI-3 can count all of it, between `size` members: places are `int`.
    pub(crate) fn fits(&self, size: usize) -> bool {
        match *self {
            Collective::Gather { at, .. } => at(size) - at(0) <= c_int::MAX as usize,
            Collective::Exchange { block, .. } => block.saturating_mul(size) <= c_int::MAX as usize,
            Collective::Reduce { n, .. } | Collective::Scan { n, .. } => n <= c_int::MAX as usize,
            Collective::Barrier | Collective::Broadcast { .. } => true,
        }
    }
}

impl Comm {
    /// Starts a collective that [`Collective::fits`], on a communicator of `size` ranks.
    ///
    /// # Safety
    /// Buffers hold what is said of them, and are the caller's until `pending` has ended.
    pub(crate) unsafe fn start(
        &self,
        pending: &mut InFlight,
        (me, size): (usize, usize),
        what: &Collective<'_>,
    ) -> Result<(), MpiError> {
        // SAFETY: constants of the shim.
        let (byte, null, in_place) = unsafe { (sys::RSMPI_UINT8_T, sys::RSMPI_REQUEST_NULL, oshmpi_mpi_in_place) };
        let comm = self.raw();
        let mut request = null;
        match *what {
            Collective::Barrier => {
                mpi!(PMPI_Ibarrier(comm, &mut request))?;
                pending.push_any(request);
            }
            Collective::Broadcast { root, at, len } => {
                for done in (0..len).step_by(PIECE) {
                    let n = PIECE.min(len - done) as c_int;
                    mpi!(PMPI_Ibcast(at.wrapping_add(done).cast(), n, byte, root as c_int, comm, &mut request))?;
                    pending.push_any(request);
                }
            }
            Collective::Gather { own, dest, at } => {
                let len = |i: usize| (at(i + 1) - at(i)) as c_int;
                let from = if dest.wrapping_add(at(me)).cast_const() == own { in_place } else { own.cast_mut().cast() };
                let to = dest.wrapping_add(at(0)).cast();
                if (0..size).all(|i| len(i) == len(0)) {
                    mpi!(PMPI_Iallgather(from, len(0), byte, to, len(0), byte, comm, &mut request))?;
                } else {
                    let lens: Vec<c_int> = (0..size).map(len).collect();
                    let places: Vec<c_int> = (0..size).map(|i| (at(i) - at(0)) as c_int).collect();
                    let (lens_at, places_at) = (lens.as_ptr(), places.as_ptr());
                    mpi!(PMPI_Iallgatherv(from, lens[me], byte, to, lens_at, places_at, byte, comm, &mut request))?;
                    pending.keep(lens);
                    pending.keep(places);
                }
                pending.push_any(request);
            }
            Collective::Exchange { source, dest, block } => {
                let n = block as c_int;
                mpi!(PMPI_Ialltoall(source.cast(), n, byte, dest.cast(), n, byte, comm, &mut request))?;
                pending.push_any(request);
            }
            Collective::Reduce { op: exact, dest, source, n } | Collective::Scan { op: exact, dest, source, n, .. } => {
                let (ty, op, n, to) = (exact.datatype(), exact.op(), n as c_int, dest.cast());
                let from = if dest.cast_const() == source { in_place } else { source.cast_mut().cast() };
                match what {
                    Collective::Scan { inclusive: true, .. } => {
                        mpi!(PMPI_Iscan(from, to, n, ty, op, comm, &mut request))?
                    }
                    Collective::Scan { .. } => mpi!(PMPI_Iexscan(from, to, n, ty, op, comm, &mut request))?,
                    _ => mpi!(PMPI_Iallreduce(from, to, n, ty, op, comm, &mut request))?,
                }
                pending.push_any(request);
            }
        }
        Ok(())
    }
}
