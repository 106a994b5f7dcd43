//! Faults of MPI libraries, recognised by their version strings, and how they are avoided.

use super::{initialized, mpi, mpi_buffers};
use core::ffi::{CStr, c_int};
use oshmpi_mpi_table as sys;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// The default windows of Open MPI 4, osc/rdma, crash in a compare-and-swap on the caller's rank where they emulate
/// atomics. So they are left out, unless the user has chosen a kind. A low priority does not keep Open MPI from
/// osc/rdma. Without osc/ucx no other kind is left, and the program's windows need one. Call before MPI is initialised.
pub(crate) fn avoid_broken_windows() {
    if !initialized() && super::version().starts_with("Open MPI v4.") && control(c"osc_ucx_priority").is_some() {
        set_unless_set(c"OMPI_MCA_osc", Value::Text(c"^rdma,pt2pt"));
    }
}

/// Whether a window of one process alone can be made. Open MPI 4.1 refuses it where osc/rdma is not left out, and makes
/// one of all processes all the same.
pub(crate) fn makes_windows_alone() -> bool {
    !super::is_open_mpi()
}

/// MPICH's `MPI_Win_allocate` looks for one free address on all PEs of the window, and asks the kernel about each page
/// there: 1.3 s for a GiB. This library does not need equal addresses, so MPICH does not look for them, unless the user
/// wants it to. Call before MPI is initialised.
pub(crate) fn avoid_slow_allocation() {
    if !initialized() {
        // The setting has had another name in earlier releases. Other MPIs do not have it.
        set_unless_set(c"MPIR_CVAR_SHM_SYMHEAP_RETRY", Value::Number(0));
        set_unless_set(c"MPIR_CVAR_CH4_SHM_SYMHEAP_RETRY", Value::Number(0));
    }
}

/// The value of a control variable of MPI.
enum Value {
    Text(&'static CStr),
    Number(c_int),
}

/// MPI's number of a control variable that it has, before MPI is initialised. MPI's tool interface stays open, because
/// MPI forgets what was written when it is closed.
fn control(name: &CStr) -> Option<c_int> {
    let (mut provided, mut number) = (0, -1);
    mpi!(PMPI_T_init_thread(super::thread_level(0), &mut provided)).ok()?;
    // SAFETY: the text ends with a zero. MPI reads it before the call returns.
    unsafe { mpi_buffers!(PMPI_T_cvar_get_index(name.as_ptr(), &mut number)) }.ok()?;
    Some(number)
}

/// Sets the control variable of MPI to which the variable `name` of the environment belongs, unless the user has set
/// that. To be called before MPI is initialised. The environment stays as it is: other threads may be reading it.
fn set_unless_set(name: &CStr, value: Value) {
    if std::env::var_os(OsStr::from_bytes(name.to_bytes())).is_some() {
        return;
    }
    let bytes = name.to_bytes_with_nul();
    let variable = CStr::from_bytes_with_nul(bytes.strip_prefix(b"OMPI_MCA_").unwrap_or(bytes));
    let Some(number) = variable.ok().and_then(control) else { return };
    let (mut handle, mut count): (sys::MPI_T_cvar_handle, c_int) = (sys::MPI_T_cvar_handle(0), 0);
    let value = match &value {
        Value::Text(text) => text.as_ptr().cast(),
        Value::Number(number) => core::ptr::from_ref(number).cast(),
    };
    // SAFETY: the variable belongs to no object. MPI reads from `value` a number or a text that ends with a zero, as
    // the variable is, before the call returns. An MPI that refuses it goes on as it is.
    unsafe {
        if mpi_buffers!(PMPI_T_cvar_handle_alloc(number, core::ptr::null_mut(), &mut handle, &mut count)).is_ok() {
            let _ = mpi_buffers!(PMPI_T_cvar_write(handle, value));
            let _ = mpi_buffers!(PMPI_T_cvar_handle_free(&mut handle));
        }
    }
}

/// Sets settings that make Open MPI 5's windows correct, unless the user has set them. Call before MPI is initialised.
///
/// `osc_rdma_acc_use_amo`: osc/rdma hands `MPI_BAND`, `MPI_BOR` and `MPI_BXOR` to the transport wrongly. The word is
/// combined with itself (5.0.11, whatever the transport). Without the transport's atomics, osc/rdma combines under a
/// lock.
///
/// `osc_ucx_verbose`: osc/ucx reports a priority that it could not set, in every process, even where it is not chosen.
pub(crate) fn choose_windows() {
    if super::open_mpi_version() != Some(5) {
        return;
    }
    set_unless_set(c"OMPI_MCA_osc_rdma_acc_use_amo", Value::Number(0));
    set_unless_set(c"OMPI_MCA_osc_ucx_verbose", Value::Number(-1));
}

/// Whether a receive from any source may never complete, although its message has come: see [`loses_late_receives`].
pub(crate) fn receives_may_be_lost() -> bool {
    loses_late_receives(&super::version())
}

/// MPICH 4.3 and later over UCX can lose a receive. Inside, a receive from `MPI_ANY_SOURCE` is two receives, one for
/// the node and one for the network, and the caller holds the one for the node. If the message has come from another
/// node before, the receive for the network completes while it is being posted, before the two are connected. The
/// caller's request then stays incomplete for ever. Releases up to 4.2 poll once more and so complete it. Messages that
/// `MPI_Improbe` has found are received.
///
/// Libraries derived from MPICH have other version numbers, and are taken to have the fault.
fn loses_late_receives(version: &str) -> bool {
    let value = |key: &str| version.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let Some(device) = value("MPICH Device:").or_else(|| value("MVAPICH Device:")) else { return false };
    let over_ucx = device.starts_with("ch4:") && device.contains("ucx");
    let sound = value("MPICH Version:").and_then(release).is_some_and(|release| release < (4, 3));
    over_ucx && !sound
}

/// Whether names below /dev/shm stay when the process ends without `MPI_Finalize`. MPICH 5 unlinks a segment of the
/// node in that call. Earlier releases unlink it when all processes of the node have mapped it.
pub(crate) fn keeps_names_until_finalize() -> bool {
    unlinks_late(&super::version())
}

fn unlinks_late(version: &str) -> bool {
    let line = version.lines().find_map(|line| line.strip_prefix("MPICH Version:"));
    line.and_then(|text| release(text.trim())).is_some_and(|release| release >= (5, 0))
}

/// "4.0.2" and "4.3rc1" give (4, 0) and (4, 3).
fn release(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mpich(version: &str, device: &str) -> String {
        format!("MPICH Version:\t{version}\nMPICH Release date:\tThu Apr  7\nMPICH Device:\t{device}\nMPICH CC:\tcc")
    }

    #[test]
    fn releases_over_ucx_since_4_3_lose_late_receives() {
        for version in ["4.3.0", "4.3.2", "4.3rc1", "5.0.2", "10.1", "unreleased"] {
            assert!(loses_late_receives(&mpich(version, "ch4:ucx ofi")), "{version}");
        }
        for version in ["3.4.3", "4.0.2", "4.2.3"] {
            assert!(!loses_late_receives(&mpich(version, "ch4:ucx")), "{version}");
        }
        assert!(loses_late_receives("MVAPICH Version:\t4.0\nMVAPICH Device:\tch4:ucx"));
        for other in
            [mpich("5.0.2", "ch4:ofi").as_str(), "Open MPI v5.0.11, package: Open MPI", "Intel(R) MPI Library", ""]
        {
            assert!(!loses_late_receives(other), "{other}");
        }
    }

    #[test]
    fn mpich_5_keeps_names() {
        assert!(unlinks_late(&mpich("5.0.2", "ch4:ucx ofi")) && unlinks_late(&mpich("10.1", "ch4:ofi")));
        assert!(!unlinks_late(&mpich("4.3.2", "ch4:ucx")) && !unlinks_late("Open MPI v5.0.11"));
    }
}
