//! MPI windows. Each is made once and locked once (MPI_Win_lock_all), and stays in passive mode until it is closed.
//! `rma` has the operations.

use super::{Comm, MpiError, constants, library, mpi, mpi_buffers};
use core::ffi::{CStr, c_void};
use oshmpi_mpi_table as sys;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// PEs to which operations may be under way.
pub(super) type Targets = BTreeSet<u32>;

/// A window over memory of every PE of a communicator.
pub(crate) struct Window {
    pub(super) win: sys::MPI_Win,
    /// See [`WindowGuard`](super::rma::WindowGuard).
    pub(super) guard: Mutex<Targets>,
}

// SAFETY: handles may be used from any thread that may call MPI.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

/// What MPI is told when it makes a window, because it is true of all AMOs. OpenSHMEM orders them by fence and quiet
/// only. Each changes one word. These keys let an MPI leave single words to its network adapter; the third is Open
/// MPI's, the last two are MPICH's, which offloads nothing without them. An MPI ignores keys that it does not know.
const OF_AMOS: [(&CStr, &CStr); 5] = [
    (c"accumulate_ordering", c"none"),
    (c"same_disp_unit", c"true"),
    (c"acc_single_intrinsic", c"true"),
    (c"which_accumulate_ops", c"sum,band,bor,bxor,replace,no_op,cswap"),
    (c"disable_shm_accumulate", c"true"),
];

/// Calls `make` with [`OF_AMOS`].
fn told(make: impl FnOnce(sys::MPI_Info) -> Result<(), MpiError>) -> Result<(), MpiError> {
    let mut info = constants().RSMPI_INFO_NULL;
    mpi!(PMPI_Info_create(&mut info))?;
    for (key, value) in OF_AMOS {
        // SAFETY: texts that end with 0, which MPI copies.
        unsafe { mpi_buffers!(PMPI_Info_set(info, key.as_ptr(), value.as_ptr())) }?;
    }
    let made = make(info);
    mpi!(PMPI_Info_free(&mut info))?;
    made
}

fn aint(n: usize) -> sys::MPI_Aint {
    sys::MPI_Aint::try_from(n).expect("a segment is smaller than half the address space")
}

impl Window {
    /// A window over existing memory. Collective. `base` is a page boundary: MPICH 4.0.2 puts data at the wrong place
    /// in windows whose base is not a multiple of 16.
    pub(crate) fn create(comm: &Comm, base: usize, len: usize) -> Result<Window, MpiError> {
        assert_eq!(base % 4096, 0, "window bases are page-aligned");
        let mut win = constants().RSMPI_WIN_NULL;
        let base = base as *mut c_void;
        // SAFETY: nothing is accessed here. Each operation on the window has a reason of its own.
        told(|info| unsafe { mpi_buffers!(PMPI_Win_create(base, aint(len), 1, info, comm.raw(), &mut win)) })?;
        Window::opened(win)
    }

    /// A window over memory that MPI allocates, and the address of this PE's part, which is displacement 0. Collective.
    pub(crate) fn allocate(comm: &Comm, len: usize) -> Result<(Window, usize), MpiError> {
        let mut win = constants().RSMPI_WIN_NULL;
        let mut base: *mut c_void = core::ptr::null_mut();
        let at = (&raw mut base).cast();
        // SAFETY: the address is stored in `base`.
        told(|info| unsafe { mpi_buffers!(PMPI_Win_allocate(aint(len), 1, info, comm.raw(), at, &mut win)) })?;
        Ok((Window::opened(win)?, base as usize))
    }

    /// Locks a window, without a message: nobody takes an exclusive lock, so no other lock is in the way
    /// (MPI_MODE_NOCHECK). Without that assertion MPI asks every PE.
    fn opened(win: sys::MPI_Win) -> Result<Window, MpiError> {
        let errors_return = constants().RSMPI_ERRORS_RETURN;
        mpi!(PMPI_Win_set_errhandler(win, errors_return))?;
        // SAFETY: a window that was made above; the attribute is one of every window.
        if library::table().is_none_or(|table| unsafe { (table.is_unified)(win) } == 0) {
            let why = "MPI keeps a copy of window memory (MPI_WIN_SEPARATE), so its windows cannot be used";
            let mut win = win;
            let _ = mpi!(PMPI_Win_free(&mut win)); // all PEs do: they have the same MPI
            return Err(MpiError::Found(why.to_owned()));
        }
        mpi!(PMPI_Win_lock_all(constants().oshmpi_mpi_mode_nocheck, win))?;
        Ok(Window { win, guard: Mutex::default() })
    }

    /// Unlocks and frees the window. Collective. Some MPIs fail in MPI_Finalize if a window still exists.
    pub(crate) fn close(&self) {
        let mut win = self.win;
        // A failure at the end of the process is not reported.
        let _ = mpi!(PMPI_Win_unlock_all(win));
        let _ = mpi!(PMPI_Win_free(&mut win));
    }
}
