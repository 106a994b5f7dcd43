//! The types of symmetric memory, and the C routines for each of them.

use core::ffi::c_int;
use pastey::paste;
use shmem_sys as sys;

mod sealed {
    pub trait Sealed {}
}

// A routine over elements of type `T`, as C has it.
type Put<T> = unsafe extern "C" fn(*mut T, *const T, usize, c_int);
type CtxPut<T> = unsafe extern "C" fn(sys::shmem_ctx_t, *mut T, *const T, usize, c_int);
type PutSignal<T> = unsafe extern "C" fn(*mut T, *const T, usize, *mut u64, u64, c_int, c_int);
type Broadcast<T> = unsafe extern "C" fn(sys::shmem_team_t, *mut T, *const T, usize, c_int) -> c_int;
type Collect<T> = unsafe extern "C" fn(sys::shmem_team_t, *mut T, *const T, usize) -> c_int;
pub(crate) type Start<T> =
    unsafe extern "C" fn(sys::shmem_team_t, *mut T, *const T, usize, *mut sys::shmemx_req_t) -> c_int;
type Fetch<T> = unsafe extern "C" fn(*const T, c_int) -> T;
type Set<T> = unsafe extern "C" fn(*mut T, T, c_int);
type Swap<T> = unsafe extern "C" fn(*mut T, T, c_int) -> T;
type CompareSwap<T> = unsafe extern "C" fn(*mut T, T, T, c_int) -> T;
type WaitUntil<T> = unsafe extern "C" fn(*mut T, c_int, T);

/// Declares a trait of types and the macro that implements it for a type: `CONSTANT: Signature = before after;`, where
/// the routine's name is `before`, the type's name in C and `after`. The first token is a dollar sign, for the macro
/// that is made.
macro_rules! family {
    ($d:tt $(#[$doc:meta])* $family:ident: [$($bound:tt)+] by $implement:ident {
        $($routine:ident: $signature:ident = $before:ident $after:ident;)*
    }) => {
        $(#[$doc])*
        pub trait $family: $($bound)+ {
            $(
                #[doc(hidden)]
                const $routine: $signature<Self>;
            )*
        }

        macro_rules! $implement {
            ($d t:ty, $d name:ident) => {
                paste! {
                    impl $family for $d t {
                        $(const $routine: $signature<$d t> = sys::[<$before $d name $after>];)*
                    }
                }
            };
        }
    };
}

family! { $
    /// Types of symmetric memory. Every bit pattern is a value, all zeros is the value zero, and there are no pointers.
    Element: [sealed::Sealed + Copy + Default + 'static] by element {
        PUT: Put = shmem_ _put;
        GET: Put = shmem_ _get;
        CTX_PUT: CtxPut = shmem_ctx_ _put;
        CTX_GET: CtxPut = shmem_ctx_ _get;
        PUT_NBI: CtxPut = shmem_ctx_ _put_nbi;
        GET_NBI: CtxPut = shmem_ctx_ _get_nbi;
        PUT_SIGNAL: PutSignal = shmem_ _put_signal;
        BROADCAST: Broadcast = shmem_ _broadcast;
        FCOLLECT: Collect = shmem_ _fcollect;
        ALLTOALL: Collect = shmem_ _alltoall;
        FCOLLECT_NB: Start = shmemx_ _fcollect_nb;
        ALLTOALL_NB: Start = shmemx_ _alltoall_nb;
    }
}

family! { $
    /// Types with minimum and maximum over a team.
    Ordered: [Element] by ordered {
        MIN: Collect = shmem_ _min_reduce;
        MAX: Collect = shmem_ _max_reduce;
        MIN_NB: Start = shmemx_ _min_reduce_nb;
        MAX_NB: Start = shmemx_ _max_reduce_nb;
    }
}

family! { $
    /// Types with sum and product over a team. Integers wrap.
    Number: [Element] by number {
        SUM: Collect = shmem_ _sum_reduce;
        PROD: Collect = shmem_ _prod_reduce;
        SUM_NB: Start = shmemx_ _sum_reduce_nb;
        PROD_NB: Start = shmemx_ _prod_reduce_nb;
    }
}

family! { $
    /// Types with and, or, exclusive or over a team.
    Bits: [Element] by bits {
        AND: Collect = shmem_ _and_reduce;
        OR: Collect = shmem_ _or_reduce;
        XOR: Collect = shmem_ _xor_reduce;
        AND_NB: Start = shmemx_ _and_reduce_nb;
        OR_NB: Start = shmemx_ _or_reduce_nb;
        XOR_NB: Start = shmemx_ _xor_reduce_nb;
    }
}

family! { $
    /// Types with atomic operations on other PEs, and with waits.
    Atomic: [Element + PartialEq] by atomic {
        FETCH: Fetch = shmem_ _atomic_fetch;
        SET: Set = shmem_ _atomic_set;
        SWAP: Swap = shmem_ _atomic_swap;
        COMPARE_SWAP: CompareSwap = shmem_ _atomic_compare_swap;
        FETCH_ADD: Swap = shmem_ _atomic_fetch_add;
        WAIT_UNTIL: WaitUntil = shmem_ _wait_until;
    }
}

/// Implements traits for types; the name after a type is the one in the routines' names.
macro_rules! elements {
    ($($t:ty, $name:ident: $($kind:ident)*;)*) => { $(
        impl sealed::Sealed for $t {}
        element! { $t, $name }
        ordered! { $t, $name }
        number! { $t, $name }
        $($kind! { $t, $name })*
    )* };
}

elements! {
    i8, int8: bits;
    i16, int16: bits;
    i32, int32: bits atomic;
    i64, int64: bits atomic;
    u8, uint8: bits;
    u16, uint16: bits;
    u32, uint32: bits atomic;
    u64, uint64: bits atomic;
    f32, float:;
    f64, double:;
}
