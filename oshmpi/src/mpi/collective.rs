//! MPI's nonblocking collectives, on a communicator whose ranks are the members of one group. The caller waits for a
//! collective as it waits for messages, and serves other PEs meanwhile.

use super::request::Request;
use super::{Comm, MpiError, constants, mpi, mpi_buffers, word};
use crate::memory::local::{Dest, Source};
use core::ffi::c_int;
use oshmpi_mpi_table as sys;

/// What all members of a group do together. Sizes and roots are equal on all of them.
pub(crate) enum MpiCollective<'a> {
    Barrier,
    /// `source` of the root becomes `dest` on the others.
    Broadcast {
        root: usize,
        source: Source<'a>,
        dest: Dest<'a>,
    },
    /// The block of member i becomes bytes `at(i)` to `at(i + 1)` of every member's `dest`; `at(0)` is 0. The caller's
    /// block may lie there already.
    Allgather {
        own: Source<'a>,
        dest: Dest<'a>,
        at: &'a dyn Fn(usize) -> usize,
    },
    /// Block i of `source` becomes block `me` of member i's `dest`. All blocks have `block` bytes.
    Alltoall {
        source: Source<'a>,
        dest: Dest<'a>,
        block: usize,
    },
    /// The `n` elements of all members, combined, become every member's `dest`, which may be `source`.
    Reduce {
        op: Exact,
        dest: Dest<'a>,
        source: Source<'a>,
        n: usize,
    },
    /// Like `Reduce`, over the members before the caller, or up to the caller. If no member is before the caller
    /// (member 0), `dest` is undefined.
    Scan {
        op: Exact,
        dest: Dest<'a>,
        source: Source<'a>,
        n: usize,
        inclusive: bool,
    },
}

/// An operation on integers, whose result does not depend on the order in which MPI combines them.
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
    /// None if MPIs compute it wrongly. MPICH 4.0.2 compares unsigned numbers of any length as signed ones, Open MPI
    /// 4.1.4 those of type `unsigned long`. Open MPI's sums of short numbers saturate instead of wrapping.
    pub(crate) const fn new(op: Combine, bytes: usize, signed: bool) -> Option<Exact> {
        match op {
            Combine::Min | Combine::Max if !signed => None,
            Combine::Sum | Combine::Prod if bytes < 4 => None,
            _ => Some(Exact { op, bytes }),
        }
    }

    fn op(self) -> sys::MPI_Op {
        let all = constants();
        match self.op {
            Combine::Sum => all.RSMPI_SUM,
            Combine::Prod => all.RSMPI_PROD,
            Combine::Min => all.RSMPI_MIN,
            Combine::Max => all.RSMPI_MAX,
            Combine::And => all.RSMPI_BAND,
            Combine::Or => all.RSMPI_BOR,
            Combine::Xor => all.RSMPI_BXOR,
        }
    }

    /// MPI's type: a signed one only if the sign matters. Sums and products of unsigned numbers have the same bits, and
    /// may overflow.
    fn datatype(self) -> sys::MPI_Datatype {
        if !matches!(self.op, Combine::Min | Combine::Max) {
            return word(self.bytes);
        }
        let all = constants();
        match self.bytes {
            1 => all.RSMPI_INT8_T,
            2 => all.RSMPI_INT16_T,
            4 => all.RSMPI_INT32_T,
            8 => all.RSMPI_INT64_T,
            _ => unreachable!("integers have 1, 2, 4 or 8 bytes"),
        }
    }
}

impl MpiCollective<'_> {
    /// Whether the counts and displacements of the call fit into MPI-3's `int`, between `size` members.
    pub(crate) fn fits(&self, size: usize) -> bool {
        match *self {
            MpiCollective::Allgather { at, .. } => at(size) <= c_int::MAX as usize,
            MpiCollective::Alltoall { block, .. } => block.saturating_mul(size) <= c_int::MAX as usize,
            MpiCollective::Broadcast { dest, .. } => dest.len() <= c_int::MAX as usize,
            MpiCollective::Reduce { n, .. } | MpiCollective::Scan { n, .. } => n <= c_int::MAX as usize,
            MpiCollective::Barrier => true,
        }
    }
}

/// A collective that was started.
pub(crate) struct Started {
    pub(crate) request: Request,
    /// Counts and displacements, which MPI may read until the request is done.
    pub(crate) kept: [Vec<c_int>; 2],
}

impl Comm {
    /// Starts a collective that [`MpiCollective::fits`], on a communicator of `size` ranks.
    ///
    /// # Safety
    /// The buffers can be read and written, and nobody else uses them, until the request is done, or to the end of the
    /// process.
    pub(crate) unsafe fn start(
        &self,
        (me, size): (usize, usize),
        call: &MpiCollective<'_>,
    ) -> Result<Started, MpiError> {
        let (byte, in_place, comm) = (word(1), constants().oshmpi_mpi_in_place, self.raw());
        let (mut request, mut kept) = (constants().RSMPI_REQUEST_NULL, [Vec::new(), Vec::new()]);
        match *call {
            MpiCollective::Barrier => mpi!(PMPI_Ibarrier(comm, &mut request))?,
            MpiCollective::Broadcast { root, source, dest } => {
                let at = if me == root { source.at().cast_mut() } else { dest.at() };
                let (at, n, root) = (at.cast(), dest.len() as c_int, root as c_int);
                // SAFETY: the caller has promised the buffer.
                unsafe { mpi_buffers!(PMPI_Ibcast(at, n, byte, root, comm, &mut request)) }?;
            }
            MpiCollective::Allgather { own, dest, at } => {
                let len = |i: usize| (at(i + 1) - at(i)) as c_int;
                let in_its_place = dest.address() + at(me) == own.address();
                let from = if in_its_place { in_place } else { own.at().cast() };
                let to = dest.at().cast();
                if (0..size).all(|i| len(i) == len(0)) {
                    // SAFETY: the caller has promised both buffers. `dest` has room for the blocks of all members.
                    unsafe { mpi_buffers!(PMPI_Iallgather(from, len(0), byte, to, len(0), byte, comm, &mut request)) }?;
                } else {
                    let lens: Vec<c_int> = (0..size).map(len).collect();
                    let places: Vec<c_int> = (0..size).map(|i| at(i) as c_int).collect();
                    let (own, counts, at) = (lens[me], lens.as_ptr(), places.as_ptr());
                    // SAFETY: as above. The lists are kept until the collective has ended.
                    unsafe {
                        mpi_buffers!(PMPI_Iallgatherv(from, own, byte, to, counts, at, byte, comm, &mut request))
                    }?;
                    kept = [lens, places];
                }
            }
            MpiCollective::Alltoall { source, dest, block } => {
                let (from, to, n) = (source.at().cast(), dest.at().cast(), block as c_int);
                // SAFETY: the caller has promised both buffers, which have a block for each member.
                unsafe { mpi_buffers!(PMPI_Ialltoall(from, n, byte, to, n, byte, comm, &mut request)) }?;
            }
            MpiCollective::Reduce { op, dest, source, n } | MpiCollective::Scan { op, dest, source, n, .. } => {
                let (ty, op, n, to) = (op.datatype(), op.op(), n as c_int, dest.at().cast());
                let same = dest.address() == source.address();
                let from = if same { in_place } else { source.at().cast() };
                // SAFETY: the caller has promised both buffers, of `n` elements each.
                unsafe {
                    match call {
                        MpiCollective::Scan { inclusive: true, .. } => {
                            mpi_buffers!(PMPI_Iscan(from, to, n, ty, op, comm, &mut request))
                        }
                        MpiCollective::Scan { .. } => {
                            mpi_buffers!(PMPI_Iexscan(from, to, n, ty, op, comm, &mut request))
                        }
                        _ => mpi_buffers!(PMPI_Iallreduce(from, to, n, ty, op, comm, &mut request)),
                    }
                }?;
            }
        }
        Ok(Started { request: Request(request), kept })
    }
}
