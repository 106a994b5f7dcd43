//! Locks: variables of default INTEGER kind, which is half of C's `long` unless integers are 8 bytes.

use super::args::IntegerKind;
use crate::ops::{lock, lock32};
use core::ffi::c_int;

/// The lock variable of a kind.
trait Lock: IntegerKind {
    fn set(routine: &'static str, lock: *mut Self);
    fn test(routine: &'static str, lock: *mut Self) -> c_int;
    fn clear(routine: &'static str, lock: *mut Self);
}

macro_rules! locks {
    ($($t:ty = $module:ident;)*) => { $(
        impl Lock for $t {
            fn set(routine: &'static str, lock: *mut $t) {
                $module::set(routine, lock)
            }
            fn test(routine: &'static str, lock: *mut $t) -> c_int {
                $module::test(routine, lock)
            }
            fn clear(routine: &'static str, lock: *mut $t) {
                $module::clear(routine, lock)
            }
        }
    )* };
}

locks! { i32 = lock32; i64 = lock; }

f_routine! { f_names "shmem_set_lock" = fn(lock: *mut K) { K::set(NAME, lock) } }
f_routine! { f_names "shmem_test_lock" = fn(lock: *mut K) -> K { K::from_int(K::test(NAME, lock)) } }
f_routine! { f_names "shmem_clear_lock" = fn(lock: *mut K) { K::clear(NAME, lock) } }
