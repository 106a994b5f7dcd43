//! The types of symmetric memory, and the C routines for each of them.

use core::ffi::c_int;
use pastey::paste;
use shmem_sys as sys;

mod sealed {
    pub trait Sealed {}
}

type Put<T> = unsafe extern "C" fn(*mut T, *const T, usize, c_int);
type CtxPut<T> = unsafe extern "C" fn(sys::shmem_ctx_t, *mut T, *const T, usize, c_int);
type PutSignal<T> = unsafe extern "C" fn(*mut T, *const T, usize, *mut u64, u64, c_int, c_int);
type Broadcast<T> = unsafe extern "C" fn(sys::shmem_team_t, *mut T, *const T, usize, c_int) -> c_int;
type Collect<T> = unsafe extern "C" fn(sys::shmem_team_t, *mut T, *const T, usize) -> c_int;

/// Types of symmetric memory. Every bit pattern is a value, all zeros is the value zero, and there are no pointers.
pub trait Element: sealed::Sealed + Copy + Default + 'static {
    #[doc(hidden)]
    const PUT: Put<Self>;
    #[doc(hidden)]
    const GET: Put<Self>;
    #[doc(hidden)]
    const CTX_PUT: CtxPut<Self>;
    #[doc(hidden)]
    const CTX_GET: CtxPut<Self>;
    #[doc(hidden)]
    const PUT_NBI: CtxPut<Self>;
    #[doc(hidden)]
    const GET_NBI: CtxPut<Self>;
    #[doc(hidden)]
    const PUT_SIGNAL: PutSignal<Self>;
    #[doc(hidden)]
    const BROADCAST: Broadcast<Self>;
    #[doc(hidden)]
    const FCOLLECT: Collect<Self>;
    #[doc(hidden)]
    const ALLTOALL: Collect<Self>;
}

/// Types with minimum and maximum over a team.
pub trait Ordered: Element {
    #[doc(hidden)]
    const MIN: Collect<Self>;
    #[doc(hidden)]
    const MAX: Collect<Self>;
}

/// Types with sum and product over a team. Integers wrap.
pub trait Number: Element {
    #[doc(hidden)]
    const SUM: Collect<Self>;
    #[doc(hidden)]
    const PROD: Collect<Self>;
}

/// Types with and, or, exclusive or over a team.
pub trait Bits: Element {
    #[doc(hidden)]
    const AND: Collect<Self>;
    #[doc(hidden)]
    const OR: Collect<Self>;
    #[doc(hidden)]
    const XOR: Collect<Self>;
}

/// Types with atomic operations on other PEs, and with waits.
pub trait Atomic: Element {
    #[doc(hidden)]
    const FETCH: unsafe extern "C" fn(*const Self, c_int) -> Self;
    #[doc(hidden)]
    const SET: unsafe extern "C" fn(*mut Self, Self, c_int);
    #[doc(hidden)]
    const SWAP: unsafe extern "C" fn(*mut Self, Self, c_int) -> Self;
    #[doc(hidden)]
    const COMPARE_SWAP: unsafe extern "C" fn(*mut Self, Self, Self, c_int) -> Self;
    #[doc(hidden)]
    const FETCH_ADD: unsafe extern "C" fn(*mut Self, Self, c_int) -> Self;
    #[doc(hidden)]
    const WAIT_UNTIL: unsafe extern "C" fn(*mut Self, c_int, Self);
}

/// Implements traits for types; the name after a type is the one in the routines' names.
macro_rules! elements {
    ($($t:ty, $name:ident: $($kind:ident)*;)*) => { $(
        impl sealed::Sealed for $t {}
        elements! { @Element $t, $name }
        $( elements! { @$kind $t, $name } )*
    )* };
    (@Element $t:ty, $name:ident) => { paste! {
        impl Element for $t {
            const PUT: Put<$t> = sys::[<shmem_ $name _put>];
            const GET: Put<$t> = sys::[<shmem_ $name _get>];
            const CTX_PUT: CtxPut<$t> = sys::[<shmem_ctx_ $name _put>];
            const CTX_GET: CtxPut<$t> = sys::[<shmem_ctx_ $name _get>];
            const PUT_NBI: CtxPut<$t> = sys::[<shmem_ctx_ $name _put_nbi>];
            const GET_NBI: CtxPut<$t> = sys::[<shmem_ctx_ $name _get_nbi>];
            const PUT_SIGNAL: PutSignal<$t> = sys::[<shmem_ $name _put_signal>];
            const BROADCAST: Broadcast<$t> = sys::[<shmem_ $name _broadcast>];
            const FCOLLECT: Collect<$t> = sys::[<shmem_ $name _fcollect>];
            const ALLTOALL: Collect<$t> = sys::[<shmem_ $name _alltoall>];
        }
        impl Ordered for $t {
            const MIN: Collect<$t> = sys::[<shmem_ $name _min_reduce>];
            const MAX: Collect<$t> = sys::[<shmem_ $name _max_reduce>];
        }
        impl Number for $t {
            const SUM: Collect<$t> = sys::[<shmem_ $name _sum_reduce>];
            const PROD: Collect<$t> = sys::[<shmem_ $name _prod_reduce>];
        }
    } };
    (@Bits $t:ty, $name:ident) => { paste! {
        impl Bits for $t {
            const AND: Collect<$t> = sys::[<shmem_ $name _and_reduce>];
            const OR: Collect<$t> = sys::[<shmem_ $name _or_reduce>];
            const XOR: Collect<$t> = sys::[<shmem_ $name _xor_reduce>];
        }
    } };
    (@Atomic $t:ty, $name:ident) => { paste! {
        impl Atomic for $t {
            const FETCH: unsafe extern "C" fn(*const $t, c_int) -> $t = sys::[<shmem_ $name _atomic_fetch>];
            const SET: unsafe extern "C" fn(*mut $t, $t, c_int) = sys::[<shmem_ $name _atomic_set>];
            const SWAP: unsafe extern "C" fn(*mut $t, $t, c_int) -> $t = sys::[<shmem_ $name _atomic_swap>];
            const COMPARE_SWAP: unsafe extern "C" fn(*mut $t, $t, $t, c_int) -> $t =
                sys::[<shmem_ $name _atomic_compare_swap>];
            const FETCH_ADD: unsafe extern "C" fn(*mut $t, $t, c_int) -> $t = sys::[<shmem_ $name _atomic_fetch_add>];
            const WAIT_UNTIL: unsafe extern "C" fn(*mut $t, c_int, $t) = sys::[<shmem_ $name _wait_until>];
        }
    } };
}

elements! {
    i8, int8: Bits;
    i16, int16: Bits;
    i32, int32: Bits Atomic;
    i64, int64: Bits Atomic;
    u8, uint8: Bits;
    u16, uint16: Bits;
    u32, uint32: Bits Atomic;
    u64, uint64: Bits Atomic;
    f32, float:;
    f64, double:;
}
