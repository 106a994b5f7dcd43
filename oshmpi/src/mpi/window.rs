//! MPI windows: made once, locked once, passive to the end. What goes through them is in `rma`.

use super::{Comm, MpiError, mpi};
use ::mpi::ffi as sys;
use core::ffi::c_void;

/// A window over memory of every PE of a communicator.
pub(crate) struct Window {
    pub(super) win: sys::MPI_Win,
    /// Of a dynamic window.
    attached: Vec<usize>,
}

// SAFETY: handles may be used from any thread that may call MPI.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

fn aint(n: usize) -> sys::MPI_Aint {
    sys::MPI_Aint::try_from(n).expect("a segment is smaller than half the address space")
}

impl Window {
    /// Over memory that is there. Collective. `base` is a page boundary: MPICH 4.0.2 puts data at the wrong place in
    /// windows whose base is not a multiple of 16.
    pub(crate) fn create(comm: &Comm, base: usize, len: usize) -> Result<Window, MpiError> {
        assert_eq!(base % 4096, 0, "window bases are page-aligned");
        // SAFETY: constants of the shim.
        let (info, mut win) = unsafe { (sys::RSMPI_INFO_NULL, sys::RSMPI_WIN_NULL) };
        mpi!(PMPI_Win_create(base as *mut c_void, aint(len), 1, info, comm.raw(), &mut win))?;
        Window { win, attached: Vec::new() }.opened()
    }

    /// Over memory that MPI provides. Collective. Gives the address of this PE's part, which the window counts from.
    pub(crate) fn allocate(comm: &Comm, len: usize) -> Result<(Window, usize), MpiError> {
        // SAFETY: constants of the shim.
        let (info, mut win) = unsafe { (sys::RSMPI_INFO_NULL, sys::RSMPI_WIN_NULL) };
        let mut base: *mut c_void = core::ptr::null_mut();
        mpi!(PMPI_Win_allocate(aint(len), 1, info, comm.raw(), (&raw mut base).cast(), &mut win))?;
        Ok((Window { win, attached: Vec::new() }.opened()?, base as usize))
    }

    /// Over what each PE attaches; displacements are addresses at the target. Collective.
    pub(crate) fn dynamic(comm: &Comm, own: &[(usize, usize)]) -> Result<Window, MpiError> {
        // SAFETY: constants of the shim.
        let (info, mut win) = unsafe { (sys::RSMPI_INFO_NULL, sys::RSMPI_WIN_NULL) };
        mpi!(PMPI_Win_create_dynamic(info, comm.raw(), &mut win))?;
        let mut attached = Vec::new();
        for &(base, len) in own.iter().filter(|(_, len)| *len > 0) {
            mpi!(PMPI_Win_attach(win, base as *mut c_void, aint(len)))?;
            attached.push(base);
        }
        Window { win, attached }.opened()
    }

    /// Locking may need the help of other PEs. They give it in the next call that waits for all PEs: while it waits, a
    /// PE polls MPI.
    fn opened(self) -> Result<Window, MpiError> {
        // SAFETY: a constant of the shim.
        let errors_return = unsafe { sys::RSMPI_ERRORS_RETURN };
        mpi!(PMPI_Win_set_errhandler(self.win, errors_return))?;
        mpi!(PMPI_Win_lock_all(0, self.win))?;
        Ok(self)
    }

    /// Collective, before MPI ends: MPI does not like to find windows open then.
    pub(crate) fn close(&self) {
        let mut win = self.win;
        // At the end of the process nobody is left to hear of a failure.
        let _ = mpi!(PMPI_Win_unlock_all(win));
        for &base in &self.attached {
            let _ = mpi!(PMPI_Win_detach(win, base as *const c_void)); // some MPIs do not free it otherwise
        }
        let _ = mpi!(PMPI_Win_free(&mut win));
    }
}
