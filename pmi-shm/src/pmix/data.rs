//! The data of PMIx in memory, as the ABI of `libpmix.so.2` lays it out since version 3. A test of oshrun compares
//! sizes, offsets and numbers with the header.

use std::ffi::{CStr, c_char, c_int, c_void};

/// The longest name of a job (of a namespace, as PMIx says), and of a key.
pub const NAME_MAX: usize = 255;
pub const KEY_MAX: usize = 511;

/// `pmix_status_t`.
pub type Status = c_int;
pub const SUCCESS: Status = 0;
pub const ERROR: Status = -1;
pub const TIMEOUT: Status = -24;
pub const NOT_FOUND: Status = -46;
/// An event: a process has ended its connection without a goodbye.
pub const LOST_CONNECTION: Status = -61;
/// The operation is complete already, and no callback comes.
pub const OPERATION_SUCCEEDED: Status = -157;
/// A handler's answer that it has dealt with an event.
pub const EVENT_ACTION_COMPLETE: Status = -334;

/// In place of a rank: all processes of the job, or a property of the job.
pub const WILDCARD: u32 = u32::MAX - 1;

/// `pmix_scope_t`: for processes of all nodes.
pub const GLOBAL: u8 = 3;

/// `pmix_data_type_t`.
pub mod kind {
    pub const BOOL: u16 = 1;
    pub const STRING: u16 = 3;
    pub const SIZE: u16 = 4;
    pub const UINT16: u16 = 13;
    pub const UINT32: u16 = 14;
    pub const STATUS: u16 = 20;
    pub const PROCESS: u16 = 22;
    pub const INFO: u16 = 24;
    pub const BYTE_OBJECT: u16 = 27;
    pub const DATA_ARRAY: u16 = 39;
    pub const RANK: u16 = 40;
    pub const REGEX: u16 = 49;
}

/// Keys that PMIx defines.
pub mod key {
    use std::ffi::CStr;

    /// Number of processes in the job.
    pub const JOB_SIZE: &CStr = c"pmix.job.size";
    /// Number of processes of the job on the caller's node.
    pub const LOCAL_SIZE: &CStr = c"pmix.local.size";
    /// Ranks of the job on the caller's node: "4,5,6,7".
    pub const LOCAL_PEERS: &CStr = c"pmix.lpeers";
    /// To a question: the server is not asked, which has told the library what it knows when the process joined.
    pub const OPTIONAL: &CStr = c"pmix.optional";
    /// To a fence: it brings every process what was put.
    pub const COLLECT_DATA: &CStr = c"pmix.collect";
}

/// `pmix_proc_t`: a process, by the name of its job and its rank.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proc {
    pub nspace: [c_char; NAME_MAX + 1],
    pub rank: u32,
}

impl Proc {
    pub const NONE: Proc = Proc { nspace: [0; NAME_MAX + 1], rank: WILDCARD };

    pub fn new(nspace: &str, rank: u32) -> Proc {
        Proc { nspace: chars(nspace.as_bytes()), rank }
    }

    /// Another process of the same job.
    pub fn with_rank(&self, rank: u32) -> Proc {
        Proc { rank, ..*self }
    }
}

/// `pmix_info_t`: an argument that is named by its key.
#[repr(C)]
pub struct Info {
    pub key: [c_char; KEY_MAX + 1],
    pub flags: u32,
    pub value: Value,
}

impl Info {
    pub fn new(key: &[u8], value: Value) -> Info {
        Info { key: chars(key), flags: 0, value }
    }

    pub fn flag(key: &CStr, flag: bool) -> Info {
        let mut data = Data::EMPTY;
        data.flag = flag;
        Info::new(key.to_bytes(), Value { kind: kind::BOOL, data })
    }

    /// The value, if the argument has this key and its value this kind.
    pub fn value_of(&self, key: &str, kind: u16) -> Option<&Data> {
        (self.key == chars(key.as_bytes()) && self.value.kind == kind).then_some(&self.value.data)
    }
}

/// `pmix_value_t`.
#[repr(C)]
pub struct Value {
    pub kind: u16,
    pub data: Data,
}

impl Value {
    /// A value over bytes that belong to the caller and must live as long as the value.
    pub fn of_bytes(bytes: &[u8]) -> Value {
        let mut data = Data::EMPTY;
        data.bytes = ByteObject { bytes: bytes.as_ptr().cast_mut().cast(), size: bytes.len() };
        Value { kind: kind::BYTE_OBJECT, data }
    }
}

/// The content of a value. The value's kind says which member it is.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    pub flag: bool,
    pub short: u16,
    pub number: u32,
    pub size: usize,
    pub text: *mut c_char,
    pub bytes: ByteObject,
    pub array: *mut DataArray,
    /// Gives the union the size of its largest member, which is not declared here.
    room: [*mut c_void; 3],
}

impl Data {
    pub const EMPTY: Data = Data { room: [std::ptr::null_mut(); 3] };
}

/// `pmix_byte_object_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ByteObject {
    pub bytes: *mut c_char,
    pub size: usize,
}

/// `pmix_data_array_t`.
#[repr(C)]
pub struct DataArray {
    pub kind: u16,
    pub size: usize,
    pub array: *mut c_void,
}

// The sizes that the headers of versions 3 to 5 give on all 64-bit systems.
const _: () = {
    assert!(size_of::<Proc>() == 260 && std::mem::offset_of!(Proc, rank) == 256);
    assert!(size_of::<Value>() == 32 && std::mem::offset_of!(Value, data) == 8);
    assert!(size_of::<Info>() == 552 && std::mem::offset_of!(Info, value) == 520);
};

/// A name in an array of fixed length, ended by a zero. A name that is too long is cut off.
pub fn chars<const N: usize>(text: &[u8]) -> [c_char; N] {
    let mut all = [0; N];
    for (to, &from) in all[..N - 1].iter_mut().zip(text) {
        *to = from as c_char;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_always_ends_with_a_zero() {
        assert_eq!(chars::<4>(b"ab"), [b'a' as c_char, b'b' as c_char, 0, 0]);
        assert_eq!(chars::<3>(b"abc"), [b'a' as c_char, b'b' as c_char, 0]);
        let me = Proc::new("job.7", 3);
        assert_eq!(me.with_rank(0), Proc::new("job.7", 0));
    }
}
