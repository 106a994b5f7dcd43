//! Locks.

use crate::ops::lock;
use core::ffi::{c_int, c_long};

routine! { "shmem_set_lock" = fn(lock: *mut c_long) { lock::set(NAME, lock) } }
routine! { "shmem_test_lock" = fn(lock: *mut c_long) -> c_int { lock::test(NAME, lock) } }
routine! { "shmem_clear_lock" = fn(lock: *mut c_long) { lock::clear(NAME, lock) } }
