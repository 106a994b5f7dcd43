//! MPI as the runtime sees it: a table of functions, handles and constants that has the same layout whatever the MPI
//! is. A library per ABI of MPI (`backend/`) fills it. The names are MPI's and those of the crate `mpi`.

#![no_std]
#![allow(non_camel_case_types, non_snake_case)]

use core::ffi::{c_char, c_int, c_void};

/// A handle: the bytes of the MPI's own handle, which is an `int` or an address, and zeros up to the size of a word. So
/// the address of a handle is also that of the MPI's own one.
macro_rules! handles {
    ($($name:ident)*) => { $(
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub usize);
    )* };
}
handles! {
    MPI_Comm MPI_Datatype MPI_Errhandler MPI_Group MPI_Info MPI_Message MPI_Op MPI_Request MPI_T_cvar_handle MPI_Win
}

pub type MPI_Aint = i64;

/// Room for the status of any MPI. [`Table::source`] reads it.
#[repr(C, align(8))]
pub struct MPI_Status([u8; 64]);

impl MPI_Status {
    pub const EMPTY: MPI_Status = MPI_Status([0; 64]);
}

/// Calls the macro `$then` with all functions of MPI that are called. Each returns an error code.
#[macro_export]
macro_rules! calls {
    ($then:ident) => { $then! {
        PMPI_Abort(comm: MPI_Comm, status: c_int);
        PMPI_Accumulate(
            from: *const c_void, n: c_int, ty: MPI_Datatype, pe: c_int, disp: MPI_Aint, there: c_int, its: MPI_Datatype,
            op: MPI_Op, win: MPI_Win
        );
        PMPI_Allgather(
            from: *const c_void, n: c_int, ty: MPI_Datatype, to: *mut c_void, each: c_int, its: MPI_Datatype,
            comm: MPI_Comm
        );
        PMPI_Allreduce(
            from: *const c_void, to: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm
        );
        PMPI_Cancel(request: *mut MPI_Request);
        PMPI_Comm_create_group(comm: MPI_Comm, group: MPI_Group, tag: c_int, made: *mut MPI_Comm);
        PMPI_Comm_dup(comm: MPI_Comm, made: *mut MPI_Comm);
        PMPI_Comm_free(comm: *mut MPI_Comm);
        PMPI_Comm_group(comm: MPI_Comm, group: *mut MPI_Group);
        PMPI_Comm_rank(comm: MPI_Comm, rank: *mut c_int);
        PMPI_Comm_set_errhandler(comm: MPI_Comm, handler: MPI_Errhandler);
        PMPI_Comm_size(comm: MPI_Comm, size: *mut c_int);
        PMPI_Comm_split(comm: MPI_Comm, color: c_int, key: c_int, made: *mut MPI_Comm);
        PMPI_Comm_split_type(comm: MPI_Comm, by: c_int, key: c_int, info: MPI_Info, made: *mut MPI_Comm);
        PMPI_Compare_and_swap(
            value: *const c_void, cond: *const c_void, result: *mut c_void, ty: MPI_Datatype, pe: c_int,
            disp: MPI_Aint, win: MPI_Win
        );
        PMPI_Error_class(code: c_int, class: *mut c_int);
        PMPI_Error_string(code: c_int, text: *mut c_char, len: *mut c_int);
        PMPI_Fetch_and_op(
            operand: *const c_void, result: *mut c_void, ty: MPI_Datatype, pe: c_int, disp: MPI_Aint, op: MPI_Op,
            win: MPI_Win
        );
        PMPI_Finalize();
        PMPI_Finalized(flag: *mut c_int);
        PMPI_Get(
            to: *mut c_void, n: c_int, ty: MPI_Datatype, pe: c_int, disp: MPI_Aint, there: c_int, its: MPI_Datatype,
            win: MPI_Win
        );
        PMPI_Get_count(status: *const MPI_Status, ty: MPI_Datatype, count: *mut c_int);
        PMPI_Get_library_version(text: *mut c_char, len: *mut c_int);
        PMPI_Group_free(group: *mut MPI_Group);
        PMPI_Group_range_incl(group: MPI_Group, n: c_int, ranges: *mut [c_int; 3], made: *mut MPI_Group);
        PMPI_Iallgather(
            from: *const c_void, n: c_int, ty: MPI_Datatype, to: *mut c_void, each: c_int, its: MPI_Datatype,
            comm: MPI_Comm, request: *mut MPI_Request
        );
        PMPI_Iallgatherv(
            from: *const c_void, n: c_int, ty: MPI_Datatype, to: *mut c_void, lens: *const c_int,
            places: *const c_int, its: MPI_Datatype, comm: MPI_Comm, request: *mut MPI_Request
        );
        PMPI_Iallreduce(
            from: *const c_void, to: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm,
            request: *mut MPI_Request
        );
        PMPI_Ialltoall(
            from: *const c_void, n: c_int, ty: MPI_Datatype, to: *mut c_void, each: c_int, its: MPI_Datatype,
            comm: MPI_Comm, request: *mut MPI_Request
        );
        PMPI_Ibarrier(comm: MPI_Comm, request: *mut MPI_Request);
        PMPI_Ibcast(
            at: *mut c_void, n: c_int, ty: MPI_Datatype, root: c_int, comm: MPI_Comm, request: *mut MPI_Request
        );
        PMPI_Iexscan(
            from: *const c_void, to: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm,
            request: *mut MPI_Request
        );
        PMPI_Improbe(
            source: c_int, tag: c_int, comm: MPI_Comm, flag: *mut c_int, message: *mut MPI_Message,
            status: *mut MPI_Status
        );
        PMPI_Imrecv(
            to: *mut c_void, n: c_int, ty: MPI_Datatype, message: *mut MPI_Message, request: *mut MPI_Request
        );
        PMPI_Info_create(info: *mut MPI_Info);
        PMPI_Info_free(info: *mut MPI_Info);
        PMPI_Info_set(info: MPI_Info, key: *const c_char, value: *const c_char);
        PMPI_Init_thread(argc: *mut c_int, argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int);
        PMPI_Initialized(flag: *mut c_int);
        PMPI_Iprobe(source: c_int, tag: c_int, comm: MPI_Comm, flag: *mut c_int, status: *mut MPI_Status);
        PMPI_Irecv(
            to: *mut c_void, n: c_int, ty: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm,
            request: *mut MPI_Request
        );
        PMPI_Is_thread_main(flag: *mut c_int);
        PMPI_Iscan(
            from: *const c_void, to: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm,
            request: *mut MPI_Request
        );
        PMPI_Isend(
            from: *const c_void, n: c_int, ty: MPI_Datatype, to: c_int, tag: c_int, comm: MPI_Comm,
            request: *mut MPI_Request
        );
        PMPI_Put(
            from: *const c_void, n: c_int, ty: MPI_Datatype, pe: c_int, disp: MPI_Aint, there: c_int,
            its: MPI_Datatype, win: MPI_Win
        );
        PMPI_Query_thread(provided: *mut c_int);
        PMPI_Rget(
            to: *mut c_void, n: c_int, ty: MPI_Datatype, pe: c_int, disp: MPI_Aint, there: c_int, its: MPI_Datatype,
            win: MPI_Win, request: *mut MPI_Request
        );
        PMPI_Rput(
            from: *const c_void, n: c_int, ty: MPI_Datatype, pe: c_int, disp: MPI_Aint, there: c_int,
            its: MPI_Datatype, win: MPI_Win, request: *mut MPI_Request
        );
        PMPI_T_cvar_get_index(name: *const c_char, number: *mut c_int);
        PMPI_T_cvar_handle_alloc(
            number: c_int, of: *mut c_void, handle: *mut MPI_T_cvar_handle, count: *mut c_int
        );
        PMPI_T_cvar_handle_free(handle: *mut MPI_T_cvar_handle);
        PMPI_T_cvar_write(handle: MPI_T_cvar_handle, value: *const c_void);
        PMPI_T_init_thread(required: c_int, provided: *mut c_int);
        PMPI_Test(request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status);
        PMPI_Type_commit(ty: *mut MPI_Datatype);
        PMPI_Type_create_hvector(
            n: c_int, each: c_int, stride: MPI_Aint, ty: MPI_Datatype, made: *mut MPI_Datatype
        );
        PMPI_Type_free(ty: *mut MPI_Datatype);
        PMPI_Wait(request: *mut MPI_Request, status: *mut MPI_Status);
        PMPI_Win_allocate(
            len: MPI_Aint, unit: c_int, info: MPI_Info, comm: MPI_Comm, base: *mut c_void, win: *mut MPI_Win
        );
        PMPI_Win_create(
            base: *mut c_void, len: MPI_Aint, unit: c_int, info: MPI_Info, comm: MPI_Comm, win: *mut MPI_Win
        );
        PMPI_Win_flush(pe: c_int, win: MPI_Win);
        PMPI_Win_flush_local(pe: c_int, win: MPI_Win);
        PMPI_Win_free(win: *mut MPI_Win);
        PMPI_Win_lock_all(mode: c_int, win: MPI_Win);
        PMPI_Win_set_errhandler(win: MPI_Win, handler: MPI_Errhandler);
        PMPI_Win_unlock_all(win: MPI_Win);
    } };
}

/// Calls the macro `$then` with all constants of MPI that are used.
#[macro_export]
macro_rules! constants {
    ($then:ident) => {
        $then! {
            RSMPI_COMM_WORLD: MPI_Comm, RSMPI_COMM_SELF: MPI_Comm, RSMPI_COMM_NULL: MPI_Comm,
            RSMPI_GROUP_NULL: MPI_Group, RSMPI_INFO_NULL: MPI_Info, RSMPI_MESSAGE_NULL: MPI_Message,
            RSMPI_REQUEST_NULL: MPI_Request, RSMPI_WIN_NULL: MPI_Win,
            RSMPI_ERRORS_RETURN: MPI_Errhandler, RSMPI_ERRORS_ARE_FATAL: MPI_Errhandler,
            RSMPI_DATATYPE_NULL: MPI_Datatype,
            RSMPI_INT8_T: MPI_Datatype, RSMPI_INT16_T: MPI_Datatype,
            RSMPI_INT32_T: MPI_Datatype, RSMPI_INT64_T: MPI_Datatype,
            RSMPI_UINT8_T: MPI_Datatype, RSMPI_UINT16_T: MPI_Datatype,
            RSMPI_UINT32_T: MPI_Datatype, RSMPI_UINT64_T: MPI_Datatype,
            RSMPI_SUM: MPI_Op, RSMPI_PROD: MPI_Op, RSMPI_MIN: MPI_Op, RSMPI_MAX: MPI_Op,
            RSMPI_BAND: MPI_Op, RSMPI_BOR: MPI_Op, RSMPI_BXOR: MPI_Op,
            oshmpi_mpi_replace: MPI_Op, oshmpi_mpi_no_op: MPI_Op,
            RSMPI_ANY_SOURCE: c_int, RSMPI_COMM_TYPE_SHARED: c_int, RSMPI_UNDEFINED: c_int,
            RSMPI_THREAD_SINGLE: c_int, RSMPI_THREAD_FUNNELED: c_int,
            RSMPI_THREAD_SERIALIZED: c_int, RSMPI_THREAD_MULTIPLE: c_int,
            oshmpi_mpi_err_other: c_int, oshmpi_mpi_err_truncate: c_int, oshmpi_mpi_mode_nocheck: c_int,
            oshmpi_mpi_in_place: *mut c_void, RSMPI_STATUS_IGNORE: *mut MPI_Status,
        }
    };
}

macro_rules! define_constants {
    ($($name:ident: $t:ty,)*) => {
        #[repr(C)]
        pub struct Constants { $(pub $name: $t,)* }
    };
}
constants!(define_constants);

// SAFETY: numbers, and addresses through which nobody reads or writes.
unsafe impl Sync for Constants {}
// SAFETY: as above.
unsafe impl Send for Constants {}

macro_rules! define_table {
    ($($name:ident($($arg:ident: $t:ty),*);)*) => {
        /// The functions are called like MPI's. Pointers need not be valid longer than MPI asks for.
        #[repr(C)]
        pub struct Table {
            $(pub $name: unsafe extern "C" fn($($arg: $t),*) -> c_int,)*
            /// The rank that a status names.
            pub source: unsafe extern "C" fn(status: *const MPI_Status) -> c_int,
            /// Whether loads and stores see what a window's operations have done, and the other way
            /// (`MPI_WIN_UNIFIED`).
            pub is_unified: unsafe extern "C" fn(win: MPI_Win) -> c_int,
            /// Has MPI call `then` when it ends, whoever ends it, while all of it still works.
            pub tell_end: unsafe extern "C" fn(then: extern "C" fn()) -> c_int,
            pub constants: Constants,
        }
    };
}
calls!(define_table);

/// Fills the table, unless its layout is another than the library's. Returns whether it has.
pub type Fill = unsafe extern "C" fn(table: *mut Table, layout: usize) -> bool;

/// The name of that function in each library.
pub const FILL: &str = "oshmpi_mpi_fill";

/// What tells tables of different releases apart, beside their size. Higher after each change of a function's arguments
/// or of the order.
const VERSION: usize = 1;

pub const LAYOUT: usize = VERSION << 32 | size_of::<Table>();
