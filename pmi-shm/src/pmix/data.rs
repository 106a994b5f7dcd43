//! The data of PMIx in memory, as `libpmix.so.2` has it since version 3: sizes and places are part of its ABI.

use std::ffi::{CStr, c_char, c_int, c_void};

/// The longest name of a job, and of a key.
pub const NAME_MAX: usize = 255;
pub const KEY_MAX: usize = 511;

/// `pmix_status_t`.
pub type Status = c_int;
pub const SUCCESS: Status = 0;
pub const NOT_FOUND: Status = -46;

/// In place of a rank: all processes of the job, or what concerns the job.
pub const WILDCARD: u32 = u32::MAX - 1;

/// `pmix_scope_t`: for processes of all nodes.
pub const GLOBAL: u8 = 3;

/// `pmix_data_type_t`.
pub mod kind {
    pub const BOOL: u16 = 1;
    pub const STRING: u16 = 3;
    pub const UINT32: u16 = 14;
    pub const BYTE_OBJECT: u16 = 27;
}

/// Keys that PMIx defines.
pub mod key {
    use std::ffi::CStr;

    /// Processes in the job.
    pub const JOB_SIZE: &CStr = c"pmix.job.size";
    /// Processes of the job on the caller's node.
    pub const LOCAL_SIZE: &CStr = c"pmix.local.size";
    /// To a fence: it brings everybody what was put.
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
    pub fn flag(key: &CStr, flag: bool) -> Info {
        let mut data = Data::EMPTY;
        data.flag = flag;
        Info { key: chars(key.to_bytes()), flags: 0, value: Value { kind: kind::BOOL, data } }
    }
}

/// `pmix_value_t`.
#[repr(C)]
pub struct Value {
    pub kind: u16,
    pub data: Data,
}

impl Value {
    /// Bytes that stay the caller's, who keeps them as long as the value.
    pub fn of_bytes(bytes: &[u8]) -> Value {
        let mut data = Data::EMPTY;
        data.bytes = ByteObject { bytes: bytes.as_ptr().cast_mut().cast(), size: bytes.len() };
        Value { kind: kind::BYTE_OBJECT, data }
    }
}

/// What a value is, by its kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    pub flag: bool,
    pub number: u32,
    pub text: *mut c_char,
    pub bytes: ByteObject,
    /// As large as the largest of those that are not used here.
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

// What the headers of versions 3 to 5 make on all 64-bit systems.
const _: () = {
    assert!(size_of::<Proc>() == 260 && std::mem::offset_of!(Proc, rank) == 256);
    assert!(size_of::<Value>() == 32 && std::mem::offset_of!(Value, data) == 8);
    assert!(size_of::<Info>() == 552 && std::mem::offset_of!(Info, value) == 520);
};

/// A name in an array of fixed length, ended by a zero; what is too long is cut off.
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
    }

    #[test]
    fn a_process_keeps_its_job() {
        let me = Proc { nspace: chars(b"job.7"), rank: 3 };
        let first = me.with_rank(0);
        assert_eq!((first.nspace, first.rank), (me.nspace, 0));
    }
}
