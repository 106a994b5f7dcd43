//! Locks: variables of default INTEGER kind, which is half of C's `long` unless integers are 8 bytes.

use super::args::IntegerKind;
use crate::ops::lock::{self, Lock};

f_routine! { f_names "shmem_set_lock" = fn(lock: *mut K) { Lock::new(NAME, lock).set() } }
f_routine! { f_names "shmem_test_lock" = fn(lock: *mut K) -> K { K::from_int(Lock::new(NAME, lock).test()) } }
f_routine! { f_names "shmem_clear_lock" = fn(lock: *mut K) { lock::clear(NAME, lock) } }
