//! libfabric's library `libfabric.so.1`, loaded at run time: the functions that the fabric calls, and their structures.
//! Most functions are in tables behind the objects that they are for.
//!
//! The layouts are those of libfabric's API 1.9. Newer libraries append to them, and a table begins with its size. The
//! test below compares the layouts with libfabric's header, where a machine has it.

use crate::os::library::functions;
use core::ffi::{CStr, c_char, c_int, c_void};

/// The name by which the loader finds the library.
const FILE: &str = "libfabric.so.1";

/// The version of the API that this file follows: 1.9.
pub(super) const API: u32 = 1 << 16 | 9;

/// A pointer to what only the library knows.
pub(super) type Handle = *mut c_void;

/// Failures are these numbers below 0.
pub(super) const EAGAIN: c_int = libc::EAGAIN;
/// A completion queue has an error.
pub(super) const EAVAIL: c_int = 259;
pub(super) const ETOOSMALL: c_int = 257;
/// A message is longer than its receive buffer.
pub(super) const ETRUNC: c_int = 265;

/// What endpoints can do, what operations ask for, and what queues are bound for.
pub(super) mod flags {
    pub(in super::super) const RMA: u64 = 1 << 2;
    pub(in super::super) const TAGGED: u64 = 1 << 3;
    pub(in super::super) const ATOMIC: u64 = 1 << 4;
    pub(in super::super) const RECV: u64 = 1 << 10;
    pub(in super::super) const TRANSMIT: u64 = 1 << 11;
    pub(in super::super) const REMOTE_READ: u64 = 1 << 12;
    pub(in super::super) const REMOTE_WRITE: u64 = 1 << 13;
    pub(in super::super) const COMPLETION: u64 = 1 << 24;
    pub(in super::super) const DELIVERY_COMPLETE: u64 = 1 << 28;
    pub(in super::super) const LOCAL_COMM: u64 = 1 << 51;
    pub(in super::super) const REMOTE_COMM: u64 = 1 << 52;
    /// Modes: an operation's context is memory for the provider.
    pub(in super::super) const CONTEXT: u64 = 1 << 59;
    pub(in super::super) const CONTEXT2: u64 = 1 << 52;
    /// Orders of messages.
    pub(in super::super) const ORDER_WAW: u64 = 1 << 4;
    pub(in super::super) const ORDER_SAS: u64 = 1 << 8;
}

/// Numbers of enumerations.
pub(super) mod kind {
    use core::ffi::c_int;
    pub(in super::super) const EP_RDM: c_int = 3;
    pub(in super::super) const THREAD_DOMAIN: c_int = 3;
    pub(in super::super) const PROGRESS_AUTO: c_int = 1;
    pub(in super::super) const RM_ENABLED: c_int = 2;
    pub(in super::super) const AV_MAP: c_int = 1;
    pub(in super::super) const CQ_TAGGED: c_int = 4;
    pub(in super::super) const ENABLE: c_int = 6;
    pub(in super::super) const UINT32: c_int = 5;
    pub(in super::super) const UINT64: c_int = 7;
    pub(in super::super) const SUM: c_int = 2;
    pub(in super::super) const BOR: c_int = 6;
    pub(in super::super) const BAND: c_int = 7;
    pub(in super::super) const BXOR: c_int = 9;
    pub(in super::super) const READ: c_int = 10;
    pub(in super::super) const WRITE: c_int = 11;
    pub(in super::super) const CSWAP: c_int = 12;
}

/// What a provider asks of registered memory.
pub(super) mod mr {
    use core::ffi::c_int;
    /// Addresses at the target are virtual ones. Otherwise they begin at 0.
    pub(in super::super) const VIRT_ADDR: c_int = 1 << 4;
    /// The memory is there when it is registered.
    pub(in super::super) const ALLOCATED: c_int = 1 << 5;
    /// The provider chooses keys.
    pub(in super::super) const PROV_KEY: c_int = 1 << 6;
    /// Memory is registered for an endpoint.
    pub(in super::super) const ENDPOINT: c_int = 1 << 9;
    /// Every local buffer is registered, and keys have any length: a provider that needs either is not taken.
    pub(in super::super) const NOT_SERVED: c_int = 1 << 2 | 1 << 3;
    pub(in super::super) const ALL: c_int = VIRT_ADDR | ALLOCATED | PROV_KEY | ENDPOINT;
}

/// Structures, as far as this library uses them. `appended` is room for what newer libraries append.
macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => { $(
        $(#[$doc])*
        #[repr(C)]
        pub(super) struct $name { $(pub(super) $field: $type),* }
    )* };
}

/// A function of a table.
type Call<F> = Option<F>;

structures! {
    /// `struct fi_info`.
    Info {
        next: *mut Info, caps: u64, mode: u64, addr_format: u32, src_addrlen: usize, dest_addrlen: usize,
        src_addr: Handle, dest_addr: Handle, handle: Handle, tx: *mut Attributes, rx: *mut Attributes,
        endpoint: *mut EndpointAttributes, domain: *mut DomainAttributes, fabric: *mut FabricAttributes,
    }
    /// The beginning of `struct fi_tx_attr` and of `struct fi_rx_attr`.
    Attributes { caps: u64, mode: u64, op_flags: u64, msg_order: u64 }
    /// `struct fi_ep_attr`.
    EndpointAttributes {
        kind: c_int, protocol: u32, protocol_version: u32, max_msg_size: usize, msg_prefix_size: usize,
        max_order_raw_size: usize, max_order_war_size: usize, max_order_waw_size: usize, mem_tag_format: u64,
    }
    /// `struct fi_domain_attr`.
    DomainAttributes {
        domain: Handle, name: *const c_char, threading: c_int, control_progress: c_int, data_progress: c_int,
        resource_mgmt: c_int, av_type: c_int, mr_mode: c_int,
    }
    /// `struct fi_fabric_attr`.
    FabricAttributes { fabric: Handle, name: *const c_char, prov_name: *const c_char }
    /// `struct fid`, by which every object begins.
    Fid { class: usize, context: Handle, ops: *const FidOps }
    /// `struct fi_ops`.
    FidOps {
        size: usize,
        close: Call<unsafe extern "C" fn(*mut Fid) -> c_int>,
        bind: Call<unsafe extern "C" fn(*mut Fid, *mut Fid, u64) -> c_int>,
        control: Call<unsafe extern "C" fn(*mut Fid, c_int, Handle) -> c_int>,
    }
    /// `struct fid_fabric`.
    Fabric { fid: Fid, ops: *const FabricOps }
    FabricOps {
        size: usize,
        domain: Call<unsafe extern "C" fn(*mut Fabric, *mut Info, *mut *mut Domain, Handle) -> c_int>,
    }
    /// `struct fid_domain`.
    Domain { fid: Fid, ops: *const DomainOps, mr: *const MemoryOps }
    DomainOps {
        size: usize,
        av_open: Call<unsafe extern "C" fn(*mut Domain, *mut AvAttributes, *mut *mut Av, Handle) -> c_int>,
        cq_open: Call<unsafe extern "C" fn(*mut Domain, *mut CqAttributes, *mut *mut Cq, Handle) -> c_int>,
        endpoint: Call<unsafe extern "C" fn(*mut Domain, *mut Info, *mut *mut Endpoint, Handle) -> c_int>,
    }
    MemoryOps {
        size: usize,
        reg: Call<unsafe extern "C" fn(*mut Domain, Handle, usize, u64, u64, u64, u64, *mut *mut Memory, Handle)
            -> c_int>,
    }
    /// `struct fid_mr`.
    Memory { fid: Fid, descriptor: Handle, key: u64 }
    /// `struct fid_ep`.
    Endpoint {
        fid: Fid, ops: *const EndpointOps, cm: *const CmOps, msg: Handle, rma: *const RmaOps,
        tagged: *const TaggedOps, atomic: *const AtomicOps,
    }
    EndpointOps { size: usize, cancel: Call<Cancel> }
    CmOps {
        size: usize, setname: Handle,
        getname: Call<unsafe extern "C" fn(*mut Endpoint, *mut u8, *mut usize) -> c_int>,
    }
    RmaOps {
        size: usize, read: Call<Read>, readv: Handle, readmsg: Handle, write: Handle, writev: Handle,
        writemsg: Call<WriteMsg>,
    }
    TaggedOps { size: usize, recv: Call<Recv>, recvv: Handle, recvmsg: Handle, send: Call<Send> }
    AtomicOps {
        size: usize, write: Handle, writev: Handle, writemsg: Handle, inject: Handle, readwrite: Call<Fetch>,
        readwritev: Handle, readwritemsg: Handle, compwrite: Call<Compare>, compwritev: Handle, compwritemsg: Handle,
        writevalid: Handle, readwritevalid: Call<Valid>, compwritevalid: Call<Valid>,
    }
    /// `struct fid_cq`.
    Cq { fid: Fid, ops: *const CqOps }
    CqOps {
        size: usize, read: Call<CqRead>, readfrom: Handle, readerr: Call<CqReadErr>, sread: Handle, sreadfrom: Handle,
        signal: Handle, strerror: Call<CqText>,
    }
    /// `struct fid_av`.
    Av { fid: Fid, ops: *const AvOps }
    AvOps { size: usize, insert: Call<Insert> }
    /// `struct fi_av_attr`.
    AvAttributes {
        kind: c_int, rx_ctx_bits: c_int, count: usize, ep_per_node: usize, name: *const c_char, map_addr: Handle,
        flags: u64, appended: [u64; 8],
    }
    /// `struct fi_cq_attr`.
    CqAttributes {
        size: usize, flags: u64, format: c_int, wait_obj: c_int, signaling_vector: c_int, wait_cond: c_int,
        wait_set: Handle, appended: [u64; 8],
    }
    /// `struct fi_msg_rma`.
    RmaMessage {
        iov: *const libc::iovec, descriptors: *const Handle, iov_count: usize, address: u64, rma_iov: *const RmaIov,
        rma_iov_count: usize, context: Handle, data: u64,
    }
    /// `struct fi_rma_iov`.
    RmaIov { address: u64, len: usize, key: u64 }
    /// `struct fi_cq_err_entry`.
    CqError {
        context: Handle, flags: u64, len: usize, buf: Handle, data: u64, tag: u64, olen: usize, err: c_int,
        prov_errno: c_int, err_data: Handle, err_data_size: usize, appended: [u64; 8],
    }
}

/// `struct fi_cq_tagged_entry`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct CqEntry {
    pub(super) context: Handle,
    pub(super) flags: u64,
    pub(super) len: usize,
    buf: Handle,
    data: u64,
    pub(super) tag: u64,
}

type Cancel = unsafe extern "C" fn(*mut Endpoint, Handle) -> isize;
type Read = unsafe extern "C" fn(*mut Endpoint, *mut u8, usize, Handle, u64, u64, u64, Handle) -> isize;
type WriteMsg = unsafe extern "C" fn(*mut Endpoint, *const RmaMessage, u64) -> isize;
type Recv = unsafe extern "C" fn(*mut Endpoint, *mut u8, usize, Handle, u64, u64, u64, Handle) -> isize;
type Send = unsafe extern "C" fn(*mut Endpoint, *const u8, usize, Handle, u64, u64, Handle) -> isize;
#[rustfmt::skip]
type Fetch = unsafe extern "C" fn(
    *mut Endpoint, *const u64, usize, Handle, *mut u64, Handle, u64, u64, u64, c_int, c_int, Handle,
) -> isize;
#[rustfmt::skip]
type Compare = unsafe extern "C" fn(
    *mut Endpoint, *const u64, usize, Handle, *const u64, Handle, *mut u64, Handle, u64, u64, u64, c_int, c_int, Handle,
) -> isize;
pub(super) type Valid = unsafe extern "C" fn(*mut Endpoint, c_int, c_int, *mut usize) -> c_int;
type CqRead = unsafe extern "C" fn(*mut Cq, *mut CqEntry, usize) -> isize;
type CqReadErr = unsafe extern "C" fn(*mut Cq, *mut CqError, u64) -> isize;
type CqText = unsafe extern "C" fn(*mut Cq, c_int, *const c_void, *mut c_char, usize) -> *const c_char;
type Insert = unsafe extern "C" fn(*mut Av, *const u8, usize, *mut u64, u64, Handle) -> c_int;

/// The function of a table, or an error. A table may end before it, as its size tells.
macro_rules! call {
    ($table:expr, $type:ident, $field:ident) => {{
        let table: *const $crate::net::ofi::library::$type = $table;
        #[allow(unused_unsafe)] // where the call stands in such a block
        // SAFETY: null, or a table of the library's, which has as many bytes as its size says.
        let found = unsafe {
            let end = core::mem::offset_of!($crate::net::ofi::library::$type, $field);
            if !table.is_null() && (*table).size > end { (*table).$field } else { None }
        };
        found.ok_or_else(|| concat!("its provider has no ", stringify!($type), ".", stringify!($field)).to_owned())
    }};
}
pub(super) use call;

/// The functions that carry out operations, of the tables of one endpoint, its queue and its address vector.
pub(super) struct Calls {
    pub(super) read: Read,
    pub(super) write: WriteMsg,
    pub(super) receive: Recv,
    pub(super) send: Send,
    pub(super) fetch: Fetch,
    pub(super) compare: Compare,
    pub(super) cancel: Cancel,
    pub(super) poll: CqRead,
    pub(super) error: CqReadErr,
    pub(super) text: CqText,
    pub(super) insert: Insert,
}

impl Calls {
    /// # Safety
    /// The three are objects of the library, and the endpoint is enabled: that may change its tables.
    pub(super) unsafe fn of(ep: *mut Endpoint, cq: *mut Cq, av: *mut Av) -> Result<Calls, String> {
        // SAFETY: the caller's promise; an object begins as its structure says.
        let (ep, cq, av) = unsafe { (&*ep, (*cq).ops, (*av).ops) };
        Ok(Calls {
            read: call!(ep.rma, RmaOps, read)?,
            write: call!(ep.rma, RmaOps, writemsg)?,
            receive: call!(ep.tagged, TaggedOps, recv)?,
            send: call!(ep.tagged, TaggedOps, send)?,
            fetch: call!(ep.atomic, AtomicOps, readwrite)?,
            compare: call!(ep.atomic, AtomicOps, compwrite)?,
            cancel: call!(ep.ops, EndpointOps, cancel)?,
            poll: call!(cq, CqOps, read)?,
            error: call!(cq, CqOps, readerr)?,
            text: call!(cq, CqOps, strerror)?,
            insert: call!(av, AvOps, insert)?,
        })
    }
}

functions! {
    FILE, if_tried;
    version = "fi_version": fn() -> u32;
    get_info = "fi_getinfo": fn(u32, *const c_char, *const c_char, u64, *const Info, *mut *mut Info) -> c_int;
    free_info = "fi_freeinfo": fn(*mut Info);
    copy_info = "fi_dupinfo": fn(*const Info) -> *mut Info;
    fabric = "fi_fabric": fn(*mut FabricAttributes, *mut *mut Fabric, Handle) -> c_int;
    text = "fi_strerror": fn(c_int) -> *const c_char;
}

impl Library {
    fn if_tried(self) -> Result<Library, String> {
        // SAFETY: takes nothing and gives a number.
        let version = unsafe { (self.version)() };
        let [major, minor] = [version >> 16, version & 0xffff];
        if version >= API { Ok(self) } else { Err(format!("{FILE} has version {major}.{minor}")) }
    }

    /// What a failure means; its sign does not matter.
    pub(super) fn text_of(&self, failure: c_int) -> String {
        // SAFETY: takes a number and gives a constant text.
        let text = unsafe { CStr::from_ptr((self.text)(failure.abs())) };
        text.to_string_lossy().into_owned()
    }

    /// An error that names the call unless it has succeeded.
    pub(super) fn good(&self, call: &str, status: c_int) -> Result<(), String> {
        if status == 0 { Ok(()) } else { Err(format!("{call}: {}", self.text_of(status))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::library::assert_equal_to_header;
    use core::mem::offset_of;

    /// Offsets of fields, by their names in the header, and here where these differ.
    macro_rules! offsets {
        ($($theirs:literal $ours:ident { $($their:ident $($our:ident)?),* };)*) => {
            [$($(offsets!(@ $theirs $ours $their $($our)?),)*)*]
        };
        (@ $theirs:literal $ours:ident $name:ident) => { offsets!(@ $theirs $ours $name $name) };
        (@ $theirs:literal $ours:ident $their:ident $our:ident) => {
            (concat!("offsetof(struct ", $theirs, ", ", stringify!($their), ")"), offset_of!($ours, $our) as u64)
        };
    }

    #[test]
    fn layouts_are_those_of_the_header() {
        let offsets = offsets! {
            "fi_info" Info {
                caps, mode, addr_format, src_addr, tx_attr tx, rx_attr rx, ep_attr endpoint, domain_attr domain,
                fabric_attr fabric
            };
            "fi_tx_attr" Attributes { op_flags, msg_order };
            "fi_rx_attr" Attributes { op_flags, msg_order };
            "fi_ep_attr" EndpointAttributes { type kind, max_msg_size, max_order_waw_size, mem_tag_format };
            "fi_domain_attr" DomainAttributes { name, threading, data_progress, resource_mgmt, av_type, mr_mode };
            "fi_fabric_attr" FabricAttributes { name, prov_name };
            "fid" Fid { ops };
            "fi_ops" FidOps { close, bind, control };
            "fid_fabric" Fabric { ops };
            "fi_ops_fabric" FabricOps { domain };
            "fid_domain" Domain { ops, mr };
            "fi_ops_domain" DomainOps { av_open, cq_open, endpoint };
            "fi_ops_mr" MemoryOps { reg };
            "fid_mr" Memory { key };
            "fid_ep" Endpoint { ops, cm, rma, tagged, atomic };
            "fi_ops_ep" EndpointOps { cancel };
            "fi_ops_cm" CmOps { getname };
            "fi_ops_rma" RmaOps { read, writemsg };
            "fi_ops_tagged" TaggedOps { recv, send };
            "fi_ops_atomic" AtomicOps { readwrite, compwrite, readwritevalid, compwritevalid };
            "fid_cq" Cq { ops };
            "fi_ops_cq" CqOps { read, readerr, strerror };
            "fid_av" Av { ops };
            "fi_ops_av" AvOps { insert };
            "fi_av_attr" AvAttributes { type kind, count, flags };
            "fi_cq_attr" CqAttributes { format, wait_obj, wait_set };
            "fi_msg_rma" RmaMessage {
                msg_iov iov, desc descriptors, iov_count, addr address, rma_iov, rma_iov_count, context, data
            };
            "fi_rma_iov" RmaIov { addr address, len, key };
            "fi_cq_err_entry" CqError { op_context context, tag, err, prov_errno, err_data, err_data_size };
            "fi_cq_tagged_entry" CqEntry { op_context context, flags, len, tag };
        };
        let numbers = [
            ("sizeof(struct fi_msg_rma)", size_of::<RmaMessage>() as u64),
            ("sizeof(struct fi_cq_tagged_entry)", size_of::<CqEntry>() as u64),
            ("FI_EAGAIN", EAGAIN as u64),
            ("FI_EAVAIL", EAVAIL as u64),
            ("FI_ETOOSMALL", ETOOSMALL as u64),
            ("FI_ETRUNC", ETRUNC as u64),
            ("FI_RMA", flags::RMA),
            ("FI_TAGGED", flags::TAGGED),
            ("FI_ATOMIC", flags::ATOMIC),
            ("FI_RECV", flags::RECV),
            ("FI_TRANSMIT", flags::TRANSMIT),
            ("FI_REMOTE_READ", flags::REMOTE_READ),
            ("FI_REMOTE_WRITE", flags::REMOTE_WRITE),
            ("FI_COMPLETION", flags::COMPLETION),
            ("FI_DELIVERY_COMPLETE", flags::DELIVERY_COMPLETE),
            ("FI_LOCAL_COMM", flags::LOCAL_COMM),
            ("FI_REMOTE_COMM", flags::REMOTE_COMM),
            ("FI_CONTEXT", flags::CONTEXT),
            ("FI_CONTEXT2", flags::CONTEXT2),
            ("FI_ORDER_WAW", flags::ORDER_WAW),
            ("FI_ORDER_SAS", flags::ORDER_SAS),
            ("FI_EP_RDM", kind::EP_RDM as u64),
            ("FI_THREAD_DOMAIN", kind::THREAD_DOMAIN as u64),
            ("FI_PROGRESS_AUTO", kind::PROGRESS_AUTO as u64),
            ("FI_RM_ENABLED", kind::RM_ENABLED as u64),
            ("FI_AV_MAP", kind::AV_MAP as u64),
            ("FI_CQ_FORMAT_TAGGED", kind::CQ_TAGGED as u64),
            ("FI_ENABLE", kind::ENABLE as u64),
            ("FI_UINT32", kind::UINT32 as u64),
            ("FI_UINT64", kind::UINT64 as u64),
            ("FI_SUM", kind::SUM as u64),
            ("FI_BOR", kind::BOR as u64),
            ("FI_BAND", kind::BAND as u64),
            ("FI_BXOR", kind::BXOR as u64),
            ("FI_ATOMIC_READ", kind::READ as u64),
            ("FI_ATOMIC_WRITE", kind::WRITE as u64),
            ("FI_CSWAP", kind::CSWAP as u64),
            ("FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT", mr::ALL as u64),
            ("FI_MR_LOCAL | FI_MR_RAW", mr::NOT_SERVED as u64),
            ("FI_MR_VIRT_ADDR", mr::VIRT_ADDR as u64),
            ("FI_MR_PROV_KEY", mr::PROV_KEY as u64),
        ];
        let headers = ["fabric", "fi_atomic", "fi_cm", "fi_domain", "fi_endpoint", "fi_eq", "fi_rma", "fi_tagged"];
        let headers = headers.map(|name| format!("rdma/{name}.h"));
        assert_equal_to_header(&headers, "1", numbers.into_iter().chain(offsets));
    }

    #[test]
    fn a_library_that_is_there_has_all_functions() {
        match Library::load() {
            Ok(library) => assert!(!library.text_of(EAGAIN).is_empty()),
            Err(why) => assert!(why.contains(FILE), "{why}"),
        }
    }

    /// A table that ends before a function has none.
    #[test]
    fn tables_end_where_their_size_says() {
        let mut ops = EndpointOps { size: size_of::<EndpointOps>(), cancel: None };
        assert!(call!(&raw const ops, EndpointOps, cancel).is_err());
        unsafe extern "C" fn cancel(_: *mut Endpoint, _: Handle) -> isize {
            0
        }
        ops.cancel = Some(cancel);
        assert!(call!(&raw const ops, EndpointOps, cancel).is_ok());
        ops.size = offset_of!(EndpointOps, cancel);
        assert_eq!(call!(&raw const ops, EndpointOps, cancel).unwrap_err(), "its provider has no EndpointOps.cancel");
        assert!(call!(core::ptr::null(), EndpointOps, cancel).is_err());
    }
}
