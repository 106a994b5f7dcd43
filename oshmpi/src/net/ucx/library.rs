//! UCX's library `libucp.so.0`, loaded at run time: the functions that the fabric calls, and their structures.
//!
//! The layouts are those of UCX's API 1.13, the oldest that was tried. Each structure says which of its fields are
//! valid, so that newer libraries understand it. The test below compares the layouts with UCX's
//! header, where a machine has it.

use crate::memory::addr::Span;
use crate::os::library::functions;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// The name by which the loader finds the library.
const FILE: &str = "libucp.so.0";

/// The version of the API that this file follows.
pub(super) const API: (c_uint, c_uint) = (1, 13);

/// `ucs_status_t`, which has one byte. Numbers below 0 are failures.
pub(super) type Status = i8;
pub(super) const OK: Status = 0;
pub(super) const IN_PROGRESS: Status = 1;
/// A message is longer than its receive buffer.
pub(super) const TRUNCATED: Status = -9;
/// The lowest failure. A function that gives a pointer gives a failure as a pointer with this number or a higher one.
pub(super) const LAST_FAILURE: isize = -100;

/// `ucp_context_h`, `ucp_worker_h` and the other handles: pointers to what only the library knows.
pub(super) type Handle = *mut c_void;

/// `ucp_params_t`.
#[repr(C)]
pub(super) struct ContextParams {
    valid: u64,
    features: u64,
    request_size: usize,
    request_init: Handle,
    request_cleanup: Handle,
    tag_sender_mask: u64,
    mt_workers_shared: c_int,
    estimated_num_eps: usize,
    estimated_num_ppn: usize,
    name: *const c_char,
}

impl ContextParams {
    const FEATURES: u64 = 1 << 0;
    const WORKERS_SHARED: u64 = 1 << 5;
    const ESTIMATED_NUMBERS: u64 = 1 << 6 | 1 << 7;
    /// Tagged messages, puts and gets, AMOs on words of 4 and 8 bytes.
    const ALL_IN_USE: u64 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3;

    /// For tagged messages, puts, gets and AMOs with up to `pes` PEs, of which `on_node` share this PE's node. Each
    /// lane has a worker of the context and a lock of its own, so the library locks what belongs to the context.
    pub(super) fn with(pes: usize, on_node: usize) -> ContextParams {
        ContextParams {
            valid: Self::FEATURES | Self::WORKERS_SHARED | Self::ESTIMATED_NUMBERS,
            features: Self::ALL_IN_USE,
            mt_workers_shared: 1,
            estimated_num_eps: pes,
            estimated_num_ppn: on_node,
            ..ContextParams::default()
        }
    }
}

/// `ucp_worker_params_t`.
#[repr(C)]
pub(super) struct WorkerParams {
    valid: u64,
    thread_mode: c_int,
    cpu_mask: [u64; 16],
    events: c_uint,
    user_data: Handle,
    event_fd: c_int,
    flags: u64,
    name: *const c_char,
    am_alignment: usize,
    client_id: u64,
}

impl WorkerParams {
    const THREAD_MODE: u64 = 1 << 0;
    /// Any thread calls, one at a time.
    const SERIALIZED: c_int = 1;

    pub(super) fn serialized() -> WorkerParams {
        WorkerParams { valid: Self::THREAD_MODE, thread_mode: Self::SERIALIZED, ..WorkerParams::default() }
    }
}

/// `ucp_ep_params_t`.
#[repr(C)]
pub(super) struct EndpointParams {
    valid: u64,
    address: *const u8,
    err_mode: c_int,
    err_handler: [Handle; 2],
    user_data: Handle,
    flags: c_uint,
    sockaddr: [usize; 2],
    conn_request: Handle,
    name: *const c_char,
    local_sockaddr: [usize; 2],
}

impl EndpointParams {
    const REMOTE_ADDRESS: u64 = 1 << 0;

    pub(super) fn to(address: &[u8]) -> EndpointParams {
        EndpointParams { valid: Self::REMOTE_ADDRESS, address: address.as_ptr(), ..EndpointParams::default() }
    }
}

/// `UCS_MEMORY_TYPE_HOST`.
const HOST: c_int = 0;

/// `ucp_mem_map_params_t`.
#[repr(C)]
pub(super) struct MemoryParams {
    valid: u64,
    address: *mut c_void,
    length: usize,
    flags: c_uint,
    prot: c_uint,
    memory_type: c_int,
}

impl MemoryParams {
    const ADDRESS_LENGTH_TYPE: u64 = 1 << 0 | 1 << 1 | 1 << 4;

    /// Over memory of the host. Without its type UCX asks the drivers of GPUs what it is.
    pub(super) fn over(segment: Span) -> MemoryParams {
        MemoryParams {
            valid: Self::ADDRESS_LENGTH_TYPE,
            address: segment.base as *mut c_void,
            length: segment.len,
            memory_type: HOST,
            ..MemoryParams::default()
        }
    }
}

/// `ucp_request_param_t`.
#[repr(C)]
pub(super) struct RequestParams {
    valid: u32,
    flags: u32,
    request: Handle,
    callback: Handle,
    pub(super) datatype: u64,
    user_data: Handle,
    pub(super) reply_buffer: *mut c_void,
    memory_type: c_int,
    recv_info: Handle,
    memh: Handle,
}

impl RequestParams {
    /// An operation that is complete at once has a request all the same.
    const ALWAYS_A_REQUEST: u32 = 1 << 16;
    const DATATYPE: u32 = 1 << 3;
    const REPLY_BUFFER: u32 = 1 << 5;
    const MEMORY_TYPE: u32 = 1 << 6;
    const DATATYPE_SHIFT: u32 = 3;

    /// For memory of the host, as all buffers are. Without its type UCX asks the drivers of GPUs for each buffer.
    pub(super) fn of_host() -> RequestParams {
        RequestParams { valid: Self::MEMORY_TYPE, memory_type: HOST, ..RequestParams::default() }
    }

    /// For an AMO on a word of so many bytes. `reply`: where the old value goes; null: nowhere.
    pub(super) fn amo(bytes: usize, reply: *mut u64) -> RequestParams {
        let fetches = if reply.is_null() { 0 } else { Self::REPLY_BUFFER };
        RequestParams {
            valid: Self::DATATYPE | Self::MEMORY_TYPE | fetches,
            datatype: (bytes as u64) << Self::DATATYPE_SHIFT,
            reply_buffer: reply.cast(),
            ..RequestParams::of_host()
        }
    }

    /// For a receive, of which the request tells how many bytes have come.
    pub(super) fn receive() -> RequestParams {
        RequestParams { valid: Self::ALWAYS_A_REQUEST | Self::MEMORY_TYPE, ..RequestParams::of_host() }
    }
}

/// `ucp_atomic_op_t`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtomicOp {
    Add,
    Swap,
    CompareSwap,
    And,
    Or,
    Xor,
}

/// `ucp_transport_entry_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Transport {
    pub(super) name: *const c_char,
    device: *const c_char,
}

impl Transport {
    /// The transport's name; empty where the library has told none.
    pub(super) fn name(&self) -> &[u8] {
        // SAFETY: null, or a text of the library's that lasts as long as the endpoint.
        if self.name.is_null() { &[] } else { unsafe { CStr::from_ptr(self.name) }.to_bytes() }
    }
}

/// The most transports of an endpoint that are asked for. UCX's endpoints have up to 16 lanes.
const MOST_TRANSPORTS: usize = 16;

/// `ucp_ep_attr_t`.
#[repr(C)]
pub(super) struct EndpointAttributes {
    valid: u64,
    name: [c_char; 32],
    sockaddrs: [[u64; 16]; 2],
    pub(super) entries: *mut Transport,
    num_entries: c_uint,
    entry_size: usize,
    user_data: Handle,
}

impl EndpointAttributes {
    const TRANSPORTS: u64 = 1 << 3;
}

/// `ucp_tag_recv_info_t`: of a message that has come.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct Came {
    pub(super) tag: u64,
    pub(super) bytes: usize,
}

/// A structure of which no field is valid.
macro_rules! empty {
    ($($name:ident)*) => { $(
        impl Default for $name {
            fn default() -> $name {
                // SAFETY: numbers and raw pointers, for which zeros are values.
                unsafe { core::mem::zeroed() }
            }
        }
    )* };
}
empty! { ContextParams WorkerParams EndpointParams EndpointAttributes MemoryParams RequestParams Transport }

functions! {
    FILE, if_tried;
    version = "ucp_get_version": fn(*mut c_uint, *mut c_uint, *mut c_uint);
    config_read = "ucp_config_read": fn(*const c_char, *const c_char, *mut Handle) -> Status;
    config_modify = "ucp_config_modify": fn(Handle, *const c_char, *const c_char) -> Status;
    config_release = "ucp_config_release": fn(Handle);
    init = "ucp_init_version":
        fn(c_uint, c_uint, *const ContextParams, Handle, *mut Handle) -> Status;
    cleanup = "ucp_cleanup": fn(Handle);
    worker_create = "ucp_worker_create": fn(Handle, *const WorkerParams, *mut Handle) -> Status;
    worker_destroy = "ucp_worker_destroy": fn(Handle);
    worker_address = "ucp_worker_get_address": fn(Handle, *mut *mut u8, *mut usize) -> Status;
    release_address = "ucp_worker_release_address": fn(Handle, *mut u8);
    progress = "ucp_worker_progress": fn(Handle) -> c_uint;
    endpoint_create = "ucp_ep_create": fn(Handle, *const EndpointParams, *mut Handle) -> Status;
    endpoint_query = "ucp_ep_query": fn(Handle, *mut EndpointAttributes) -> Status;
    fence = "ucp_worker_fence": fn(Handle) -> Status;
    flush = "ucp_ep_flush_nbx": fn(Handle, *const RequestParams) -> Handle;
    mem_map = "ucp_mem_map": fn(Handle, *const MemoryParams, *mut Handle) -> Status;
    mem_unmap = "ucp_mem_unmap": fn(Handle, Handle) -> Status;
    key_pack = "ucp_rkey_pack": fn(Handle, Handle, *mut *mut u8, *mut usize) -> Status;
    key_release = "ucp_rkey_buffer_release": fn(*mut u8);
    key_unpack = "ucp_ep_rkey_unpack": fn(Handle, *const u8, *mut Handle) -> Status;
    key_destroy = "ucp_rkey_destroy": fn(Handle);
    put = "ucp_put_nbx": fn(Handle, *const u8, usize, u64, Handle, *const RequestParams) -> Handle;
    get = "ucp_get_nbx": fn(Handle, *mut u8, usize, u64, Handle, *const RequestParams) -> Handle;
    atomic = "ucp_atomic_op_nbx":
        fn(Handle, AtomicOp, *const u64, usize, u64, Handle, *const RequestParams) -> Handle;
    send = "ucp_tag_send_nbx": fn(Handle, *const u8, usize, u64, *const RequestParams) -> Handle;
    receive = "ucp_tag_recv_nbx": fn(Handle, *mut u8, usize, u64, u64, *const RequestParams) -> Handle;
    has_come = "ucp_tag_recv_request_test": fn(Handle, *mut Came) -> Status;
    cancel = "ucp_request_cancel": fn(Handle, Handle);
    status_of = "ucp_request_check_status": fn(Handle) -> Status;
    free = "ucp_request_free": fn(Handle);
    status_text = "ucs_status_string": fn(Status) -> *const c_char;
}

/// Major, minor and release.
pub(super) type Version = [c_uint; 3];

/// The oldest version that was tried.
const TRIED: Version = [1, 13, 0];

impl Library {
    pub(super) fn text_of(&self, status: Status) -> String {
        // SAFETY: takes a number and gives a constant text.
        let text = unsafe { CStr::from_ptr((self.status_text)(status)) };
        text.to_string_lossy().into_owned()
    }

    /// An error that names the call unless it has succeeded.
    pub(super) fn good(&self, call: &str, status: Status) -> Result<(), String> {
        if status == OK { Ok(()) } else { Err(format!("{call}: {}", self.text_of(status))) }
    }

    /// The transports that an endpoint uses. Libraries older than 1.14 tell none.
    pub(super) fn transports(&self, endpoint: Handle) -> Vec<Transport> {
        let mut entries = vec![Transport::default(); MOST_TRANSPORTS];
        let mut told = EndpointAttributes {
            valid: EndpointAttributes::TRANSPORTS,
            entries: entries.as_mut_ptr(),
            num_entries: MOST_TRANSPORTS as c_uint,
            entry_size: size_of::<Transport>(),
            ..EndpointAttributes::default()
        };
        // SAFETY: the library writes as many entries as there is room for.
        let status = unsafe { (self.endpoint_query)(endpoint, &mut told) };
        entries.retain(|entry| status == OK && !entry.name.is_null());
        entries
    }

    fn if_tried(self) -> Result<Library, String> {
        let version = self.version();
        if version >= TRIED { Ok(self) } else { Err(format!("{FILE} has version {version:?}; 1.13 is needed")) }
    }

    pub(super) fn version(&self) -> Version {
        let mut version = [0; 3];
        let [major, minor, release] = &mut version;
        // SAFETY: the library writes three numbers.
        unsafe { (self.version)(major, minor, release) };
        version
    }
}

/// Whether the library is in this process, because its MPI uses it, and can be used.
pub(crate) fn is_of_mpi() -> bool {
    use libloading::os::unix::{Library as File, RTLD_LAZY};
    // SAFETY: nothing is loaded, so no initialiser runs.
    let is_loaded = unsafe { File::open(Some(FILE), RTLD_LAZY | libc::RTLD_NOLOAD) }.is_ok();
    is_loaded && Library::load().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::library::assert_equal_to_header;
    use core::mem::offset_of;
    use core::ptr::null_mut;

    #[test]
    fn layouts_are_those_of_the_header() {
        let numbers = [
            ("offsetof(ucp_params_t, features)", offset_of!(ContextParams, features)),
            ("offsetof(ucp_params_t, mt_workers_shared)", offset_of!(ContextParams, mt_workers_shared)),
            ("offsetof(ucp_params_t, estimated_num_eps)", offset_of!(ContextParams, estimated_num_eps)),
            ("UCP_PARAM_FIELD_FEATURES", ContextParams::FEATURES as usize),
            ("UCP_PARAM_FIELD_MT_WORKERS_SHARED", ContextParams::WORKERS_SHARED as usize),
            ("offsetof(ucp_params_t, estimated_num_ppn)", offset_of!(ContextParams, estimated_num_ppn)),
            (
                "UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_ESTIMATED_NUM_PPN",
                ContextParams::ESTIMATED_NUMBERS as usize,
            ),
            (
                "UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64",
                ContextParams::ALL_IN_USE as usize,
            ),
            ("UCP_ATOMIC_OP_ADD", AtomicOp::Add as usize),
            ("UCP_ATOMIC_OP_SWAP", AtomicOp::Swap as usize),
            ("UCP_ATOMIC_OP_CSWAP", AtomicOp::CompareSwap as usize),
            ("UCP_ATOMIC_OP_AND", AtomicOp::And as usize),
            ("UCP_ATOMIC_OP_OR", AtomicOp::Or as usize),
            ("UCP_ATOMIC_OP_XOR", AtomicOp::Xor as usize),
            ("sizeof(ucp_atomic_op_t)", size_of::<AtomicOp>()),
            ("offsetof(ucp_worker_params_t, thread_mode)", offset_of!(WorkerParams, thread_mode)),
            ("UCP_WORKER_PARAM_FIELD_THREAD_MODE", WorkerParams::THREAD_MODE as usize),
            ("UCS_THREAD_MODE_SERIALIZED", WorkerParams::SERIALIZED as usize),
            ("offsetof(ucp_ep_params_t, address)", offset_of!(EndpointParams, address)),
            ("UCP_EP_PARAM_FIELD_REMOTE_ADDRESS", EndpointParams::REMOTE_ADDRESS as usize),
            ("offsetof(ucp_mem_map_params_t, address)", offset_of!(MemoryParams, address)),
            ("offsetof(ucp_mem_map_params_t, length)", offset_of!(MemoryParams, length)),
            ("offsetof(ucp_mem_map_params_t, memory_type)", offset_of!(MemoryParams, memory_type)),
            (
                "UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | \
                 UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE",
                MemoryParams::ADDRESS_LENGTH_TYPE as usize,
            ),
            ("UCS_MEMORY_TYPE_HOST", HOST as usize),
            ("offsetof(ucp_request_param_t, op_attr_mask)", offset_of!(RequestParams, valid)),
            ("offsetof(ucp_request_param_t, memory_type)", offset_of!(RequestParams, memory_type)),
            ("UCP_OP_ATTR_FLAG_NO_IMM_CMPL", RequestParams::ALWAYS_A_REQUEST as usize),
            ("UCP_OP_ATTR_FIELD_MEMORY_TYPE", RequestParams::MEMORY_TYPE as usize),
            ("offsetof(ucp_request_param_t, datatype)", offset_of!(RequestParams, datatype)),
            ("offsetof(ucp_request_param_t, reply_buffer)", offset_of!(RequestParams, reply_buffer)),
            ("UCP_OP_ATTR_FIELD_DATATYPE", RequestParams::DATATYPE as usize),
            ("UCP_OP_ATTR_FIELD_REPLY_BUFFER", RequestParams::REPLY_BUFFER as usize),
            ("ucp_dt_make_contig(8)", RequestParams::amo(8, null_mut()).datatype as usize),
            ("offsetof(ucp_tag_recv_info_t, sender_tag)", offset_of!(Came, tag)),
            ("offsetof(ucp_tag_recv_info_t, length)", offset_of!(Came, bytes)),
            ("-UCS_ERR_MESSAGE_TRUNCATED", TRUNCATED.unsigned_abs().into()),
            ("sizeof(ucs_status_t)", size_of::<Status>()),
            ("UCS_OK", OK as usize),
            ("UCS_INPROGRESS", IN_PROGRESS as usize),
            ("-UCS_ERR_LAST", LAST_FAILURE.unsigned_abs()),
        ];
        // In the headers since 1.14.
        let of_1_14 = [
            ("UCP_EP_ATTR_FIELD_TRANSPORTS", EndpointAttributes::TRANSPORTS as usize),
            ("offsetof(ucp_ep_attr_t, transports.entries)", offset_of!(EndpointAttributes, entries)),
            ("offsetof(ucp_ep_attr_t, transports.num_entries)", offset_of!(EndpointAttributes, num_entries)),
            ("offsetof(ucp_ep_attr_t, transports.entry_size)", offset_of!(EndpointAttributes, entry_size)),
            ("sizeof(ucp_transport_entry_t)", size_of::<Transport>()),
        ];
        let header = ["ucp/api/ucp.h".to_owned()];
        assert_equal_to_header(&header, "1", numbers);
        assert_equal_to_header(&header, "UCP_API_VERSION >= UCP_VERSION(1, 14)", of_1_14);
    }

    /// Without that, UCX takes no lock around the registrations that all workers of a context share.
    #[test]
    fn threads_may_use_workers_of_one_context() {
        let params = ContextParams::with(2, 1);
        assert!(params.valid & ContextParams::WORKERS_SHARED != 0 && params.mt_workers_shared == 1);
    }

    #[test]
    fn a_library_that_is_there_has_all_functions() {
        match Library::load() {
            // SAFETY: takes a number and gives a constant text.
            Ok(library) => assert!(!unsafe { (library.status_text)(OK) }.is_null()),
            Err(why) => assert!(why.contains(FILE), "{why}"),
        }
    }
}
