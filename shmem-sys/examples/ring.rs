//! Every PE puts its number into a word of its right neighbour, waits for all, and looks at what arrived.
//! PE 0 prints "ok".
//!
//! ```text
//! cargo build -p shmem-sys --example ring && mpiexec -n 4 target/debug/examples/ring
//! ```

use shmem_sys::{
    shmem_barrier_all, shmem_finalize, shmem_free, shmem_global_exit, shmem_init, shmem_long_g, shmem_long_put,
    shmem_malloc, shmem_my_pe, shmem_n_pes,
};
use std::ffi::c_long;

fn main() {
    // SAFETY: the first OpenSHMEM call of the process, made by all PEs.
    unsafe { shmem_init() };
    // SAFETY: initialised above.
    let (me, n) = unsafe { (shmem_my_pe(), shmem_n_pes()) };
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);

    // SAFETY: all PEs ask for the same size.
    let inbox: *mut c_long = unsafe { shmem_malloc(size_of::<c_long>()) }.cast();
    if inbox.is_null() {
        eprintln!("ring: no symmetric memory on pe {me}");
        // SAFETY: initialised above.
        unsafe { shmem_global_exit(1) };
    }
    let mine = c_long::from(me);
    // SAFETY: inbox is one symmetric word, `right` a PE of this job; nobody else writes there.
    unsafe { shmem_long_put(inbox, &mine, 1, right) };
    // SAFETY: all PEs come here; afterwards all puts have arrived.
    unsafe { shmem_barrier_all() };

    // SAFETY: inbox is the start of one `long`, and the writer is done.
    let got = unsafe { inbox.read() };
    // SAFETY: as above; nobody writes until the memory is freed.
    let theirs = unsafe { shmem_long_g(inbox, right) };
    if got != c_long::from(left) || theirs != mine {
        eprintln!("ring: pe {me} got {got} from {left}, and {right} got {theirs} from {me}");
        // SAFETY: initialised above.
        unsafe { shmem_global_exit(1) };
    }
    // SAFETY: made by shmem_malloc, freed once and by all PEs, which wait for each other.
    unsafe { shmem_free(inbox.cast()) };
    if me == 0 {
        println!("ok");
    }
    // SAFETY: matches shmem_init.
    unsafe { shmem_finalize() };
}
