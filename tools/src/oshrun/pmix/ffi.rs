//! What oshrun uses of OpenPMIx's library: the layout of its structures and the functions, found at run time.
//!
//! The layouts are those of the library's ABI 2 (`libpmix.so.2`: OpenPMIx 4.2, 5 and 6). The test below compares them with
//! the header, where that is installed.

use anyhow::{Context, Result, anyhow};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::null_mut;

/// The longest name of a namespace, and of a key.
pub const NAME_MAX: usize = 255;
const KEY_MAX: usize = 511;

/// `pmix_status_t`.
pub type Status = c_int;
pub const SUCCESS: Status = 0;
pub const ERROR: Status = -1;
pub const NOT_FOUND: Status = -46;
/// Done already: no callback comes.
pub const DONE: Status = -157;
/// An event: a process has gone without goodbye.
pub const LOST: Status = -61;
/// A handler's word that it has dealt with an event.
pub const DEALT_WITH: Status = -334;

/// `pmix_group_operation_t`: making a group is 0, ending it another number.
pub type GroupOperation = c_int;

/// Every rank of a namespace.
pub const WILDCARD: u32 = u32::MAX - 1;

/// `pmix_data_type_t`
pub mod kind {
    pub const BOOL: u16 = 1;
    pub const STRING: u16 = 3;
    pub const SIZE: u16 = 4;
    pub const UINT16: u16 = 13;
    pub const UINT32: u16 = 14;
    pub const STATUS: u16 = 20;
    pub const PROCESS: u16 = 22;
    pub const INFO: u16 = 24;
    pub const BYTES: u16 = 27;
    pub const DATA_ARRAY: u16 = 39;
    pub const RANK: u16 = 40;
    pub const REGEX: u16 = 49;
}

/// `pmix_proc_t`
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proc {
    pub nspace: [c_char; NAME_MAX + 1],
    pub rank: u32,
}

impl Proc {
    pub fn new(nspace: &str, rank: u32) -> Proc {
        Proc { nspace: chars(nspace), rank }
    }

    pub fn is_of(&self, nspace: &str) -> bool {
        self.nspace == chars::<{ NAME_MAX + 1 }>(nspace)
    }
}

/// `pmix_info_t`
#[repr(C)]
pub struct Info {
    key: [c_char; KEY_MAX + 1],
    flags: u32,
    value: Value,
}

/// `pmix_value_t`
#[repr(C)]
struct Value {
    kind: u16,
    data: Data,
}

#[repr(C)]
union Data {
    flag: bool,
    number16: u16,
    number32: u32,
    size: usize,
    text: *mut c_char,
    bytes: ByteObject,
    array: *mut DataArray,
    /// As large as the largest member.
    room: [u64; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct ByteObject {
    bytes: *mut c_char,
    size: usize,
}

/// `pmix_data_array_t`
#[repr(C)]
struct DataArray {
    kind: u16,
    size: usize,
    array: *mut c_void,
}

impl Info {
    /// What the ranks of this node give to the other members of a group; none: this information is another one.
    pub fn endpoints(&self) -> Option<Vec<u8>> {
        let key: [c_char; KEY_MAX + 1] = chars("pmix.grp.endpt");
        if self.key != key || self.value.kind != kind::BYTES {
            return None;
        }
        // SAFETY: the kind says that it is a block of bytes.
        let ByteObject { bytes, size } = unsafe { self.value.data.bytes };
        // SAFETY: the library keeps the block during the call.
        (!bytes.is_null()).then(|| unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), size) }.to_vec())
    }

    /// Under which status the ranks of this node have come to a collective; none: this information is another one.
    pub fn collective_status(&self) -> Option<Status> {
        let key: [c_char; KEY_MAX + 1] = chars("pmix.loc.col.st");
        if self.key != key || self.value.kind != kind::STATUS {
            return None;
        }
        // SAFETY: a status is 32 bits wide.
        Some(unsafe { self.value.data.number32 } as Status)
    }
}

/// A string in the library's fixed arrays; what is too long is cut.
fn chars<const N: usize>(text: &str) -> [c_char; N] {
    let mut all = [0; N];
    for (to, from) in all[..N - 1].iter_mut().zip(text.bytes()) {
        *to = from as c_char;
    }
    all
}

/// A value that oshrun gives to the library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    Flag(bool),
    U16(u16),
    U32(u32),
    Rank(u32),
    Size(usize),
    Text(String),
    /// Bytes that the library may keep.
    Bytes(Vec<u8>),
    /// A list of hosts or ranks in the library's own form.
    Regex(Vec<u8>),
    List(Vec<(&'static str, Given)>),
    Processes(Vec<Proc>),
}

/// `Given` values as the library wants them, and the memory that they point to.
#[derive(Default)]
pub struct Infos {
    infos: Vec<Info>,
    texts: Vec<CString>,
    bytes: Vec<Vec<u8>>,
    lists: Vec<(Box<DataArray>, Infos)>,
    processes: Vec<(Box<DataArray>, Vec<Proc>)>,
}

impl Infos {
    pub fn new(given: &[(&'static str, Given)]) -> Result<Infos> {
        let mut all = Infos::default();
        for (key, value) in given {
            let value = all.value(value).with_context(|| format!("the value of {key}"))?;
            all.infos.push(Info { key: chars(key), flags: 0, value });
        }
        Ok(all)
    }

    fn value(&mut self, given: &Given) -> Result<Value> {
        let mut data = Data { room: [0; 3] };
        let kind = match given {
            Given::Flag(flag) => {
                data.flag = *flag;
                kind::BOOL
            }
            Given::U16(n) => {
                data.number16 = *n;
                kind::UINT16
            }
            Given::U32(n) | Given::Rank(n) => {
                data.number32 = *n;
                if matches!(given, Given::Rank(_)) { kind::RANK } else { kind::UINT32 }
            }
            Given::Size(n) => {
                data.size = *n;
                kind::SIZE
            }
            Given::Bytes(bytes) => {
                // SAFETY: a new block of that size, which is filled.
                let block = unsafe { libc::malloc(bytes.len().max(1)) };
                assert!(!block.is_null(), "there is no memory");
                // SAFETY: both have that many bytes, and the block is new.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.cast(), bytes.len()) };
                data.bytes = ByteObject { bytes: block.cast(), size: bytes.len() };
                kind::BYTES
            }
            Given::Text(text) => {
                let text = CString::new(text.as_str())?;
                // The heap part of a CString stays where it is when the CString moves.
                data.text = text.as_ptr().cast_mut();
                self.texts.push(text);
                kind::STRING
            }
            Given::Regex(bytes) => {
                let mut bytes = bytes.clone();
                data.bytes = ByteObject { bytes: bytes.as_mut_ptr().cast(), size: bytes.len() };
                self.bytes.push(bytes);
                kind::REGEX
            }
            Given::Processes(list) => {
                let mut list = list.clone();
                let array = list.as_mut_ptr().cast();
                let mut array = Box::new(DataArray { kind: kind::PROCESS, size: list.len(), array });
                data.array = &mut *array;
                self.processes.push((array, list));
                kind::DATA_ARRAY
            }
            Given::List(list) => {
                let mut inner = Infos::new(list)?;
                let (array, size) = inner.raw();
                let mut array = Box::new(DataArray { kind: kind::INFO, size, array: array.cast() });
                data.array = &mut *array;
                self.lists.push((array, inner));
                kind::DATA_ARRAY
            }
        };
        Ok(Value { kind, data })
    }

    /// As arguments of a function.
    pub fn raw(&mut self) -> (*mut Info, usize) {
        (self.infos.as_mut_ptr(), self.infos.len())
    }
}

impl Drop for Infos {
    fn drop(&mut self) {
        for info in self.infos.iter().filter(|i| i.value.kind == kind::BYTES) {
            // SAFETY: a block of ours, or null if the library has kept it.
            unsafe { libc::free(info.value.data.bytes.bytes.cast()) };
        }
    }
}

pub type OpDone = Option<unsafe extern "C" fn(Status, *mut c_void)>;
pub type Release = Option<unsafe extern "C" fn(*mut c_void)>;
pub type ModexDone = Option<unsafe extern "C" fn(Status, *const c_char, usize, *mut c_void, Release, *mut c_void)>;
pub type EventDone = Option<unsafe extern "C" fn(Status, *mut Info, usize, OpDone, *mut c_void, *mut c_void)>;
pub type EventFn =
    unsafe extern "C" fn(usize, Status, *const Proc, *mut Info, usize, *mut Info, usize, EventDone, *mut c_void);
type RegisterEvents = unsafe extern "C" fn(
    *mut Status,
    usize,
    *mut Info,
    usize,
    EventFn,
    Option<unsafe extern "C" fn()>,
    *mut c_void,
) -> Status;
pub type InfoDone = Option<unsafe extern "C" fn(Status, *mut Info, usize, *mut c_void, Release, *mut c_void)>;
pub type GroupFn = unsafe extern "C" fn(
    GroupOperation,
    *const c_char,
    *const Proc,
    usize,
    *const Info,
    usize,
    InfoDone,
    *mut c_void,
) -> Status;
type DmodexDone = unsafe extern "C" fn(Status, *mut c_char, usize, *mut c_void);
/// A callback that oshrun does not offer.
type Absent = Option<unsafe extern "C" fn()>;

pub type ClientFn = unsafe extern "C" fn(*const Proc, *mut c_void, OpDone, *mut c_void) -> Status;
pub type AbortFn = unsafe extern "C" fn(
    *const Proc,
    *mut c_void,
    Status,
    *const c_char,
    *mut Proc,
    usize,
    OpDone,
    *mut c_void,
) -> Status;
pub type FenceFn =
    unsafe extern "C" fn(*const Proc, usize, *const Info, usize, *mut c_char, usize, ModexDone, *mut c_void) -> Status;
pub type ModexFn = unsafe extern "C" fn(*const Proc, *const Info, usize, ModexDone, *mut c_void) -> Status;
pub type ConnectFn = unsafe extern "C" fn(*const Proc, usize, *const Info, usize, OpDone, *mut c_void) -> Status;

/// `pmix_server_module_t`: what the library calls when a process wants something.
#[repr(C)]
#[derive(Default)]
pub struct Module {
    pub client_connected: Option<ClientFn>,
    pub client_finalized: Option<ClientFn>,
    pub abort: Option<AbortFn>,
    pub fence_nb: Option<FenceFn>,
    pub direct_modex: Option<ModexFn>,
    pub publish: Absent,
    pub lookup: Absent,
    pub unpublish: Absent,
    pub spawn: Absent,
    pub connect: Option<ConnectFn>,
    pub disconnect: Option<ConnectFn>,
    pub register_events: Absent,
    pub deregister_events: Absent,
    pub listener: Absent,
    pub notify_event: Absent,
    pub query: Absent,
    pub tool_connected: Absent,
    pub log: Absent,
    pub allocate: Absent,
    pub job_control: Absent,
    pub monitor: Absent,
    pub get_credential: Absent,
    pub validate_credential: Absent,
    pub iof_pull: Absent,
    pub push_stdin: Absent,
    pub group: Option<GroupFn>,
    pub fabric: Absent,
    pub client_connected2: Absent,
    /// Callbacks of later versions, which look for them behind those of version 4.
    pub later: [Absent; 8],
}

/// The functions of the library that are called.
pub struct Library {
    init: unsafe extern "C" fn(*mut Module, *mut Info, usize) -> Status,
    register_nspace: unsafe extern "C" fn(*const c_char, c_int, *mut Info, usize, OpDone, *mut c_void) -> Status,
    register_client: unsafe extern "C" fn(*const Proc, u32, u32, *mut c_void, OpDone, *mut c_void) -> Status,
    setup_fork: unsafe extern "C" fn(*const Proc, *mut *mut *mut c_char) -> Status,
    register_event_handler: RegisterEvents,
    dmodex_request: unsafe extern "C" fn(*const Proc, DmodexDone, *mut c_void) -> Status,
    generate_regex: unsafe extern "C" fn(*const c_char, *mut *mut c_char) -> Status,
    generate_ppn: unsafe extern "C" fn(*const c_char, *mut *mut c_char) -> Status,
    value_load: unsafe extern "C" fn(*mut Value, *const c_void, u16) -> Status,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
}

/// The function of this name in a library.
///
/// # Safety
/// The library is loaded; `F` is a function pointer of the function's type.
unsafe fn function<F: Copy>((handle, library, name): (*mut c_void, &Path, &CStr)) -> Result<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: see above.
    let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
    if found.is_null() {
        return Err(anyhow!("{} has no {}", library.display(), name.to_string_lossy()));
    }
    // SAFETY: see above; the sizes are the same.
    Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&found) })
}

impl Library {
    /// Loads the library; `name` is a path, or a name that the loader looks for. It is never unloaded: its threads may run.
    pub fn open(name: &Path) -> Result<Library> {
        let text = CString::new(name.as_os_str().as_encoded_bytes())?;
        // SAFETY: runs the initialisers of a library; RTLD_GLOBAL because its plugins look for its symbols.
        let handle = unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            // SAFETY: after a failure it gives a string.
            let why = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(anyhow!("{}", why.to_string_lossy()));
        }
        let named = |symbol: &'static CStr| (handle, name, symbol);
        // SAFETY: `handle` is a loaded library, and each field's type is the function's, as in the library's header.
        unsafe {
            Ok(Library {
                init: function(named(c"PMIx_server_init"))?,
                register_nspace: function(named(c"PMIx_server_register_nspace"))?,
                register_client: function(named(c"PMIx_server_register_client"))?,
                setup_fork: function(named(c"PMIx_server_setup_fork"))?,
                register_event_handler: function(named(c"PMIx_Register_event_handler"))?,
                dmodex_request: function(named(c"PMIx_server_dmodex_request"))?,
                generate_regex: function(named(c"PMIx_generate_regex"))?,
                generate_ppn: function(named(c"PMIx_generate_ppn"))?,
                value_load: function(named(c"PMIx_Value_load"))?,
                error_string: function(named(c"PMIx_Error_string"))?,
            })
        }
    }

    fn check(&self, what: &str, status: Status) -> Result<()> {
        if status == SUCCESS || status == DONE {
            return Ok(());
        }
        // SAFETY: gives a constant string for every number.
        let why = unsafe { CStr::from_ptr((self.error_string)(status)) };
        Err(anyhow!("libpmix: {what}: {}", why.to_string_lossy()))
    }

    /// Starts the server; from here on the callbacks of the module come, on the library's own thread.
    pub fn init(&self, module: Module, infos: &mut Infos) -> Result<()> {
        let (info, count) = infos.raw();
        // The library keeps a copy of the part that it knows.
        let mut module = module;
        // SAFETY: all are as the header asks, and live during the call.
        self.check("PMIx_server_init", unsafe { (self.init)(&mut module, info, count) })
    }

    /// Makes the job known; waits until the library has taken all it needs.
    pub fn register_nspace(&self, nspace: &str, local: u32, infos: &mut Infos) -> Result<()> {
        let nspace = Proc::new(nspace, 0);
        let (info, count) = infos.raw();
        // SAFETY: without a callback the call returns when the library does not use the arguments any more.
        let status =
            unsafe { (self.register_nspace)(nspace.nspace.as_ptr(), local as c_int, info, count, None, null_mut()) };
        self.check("PMIx_server_register_nspace", status)
    }

    /// Has `handler` called when the event happens.
    pub fn register_event(&self, event: Status, handler: EventFn) -> Result<()> {
        let mut events = [event];
        // SAFETY: as above; no information is given.
        let number =
            unsafe { (self.register_event_handler)(events.as_mut_ptr(), 1, null_mut(), 0, handler, None, null_mut()) };
        // The number of the registration, or what was wrong.
        self.check("PMIx_Register_event_handler", number.min(SUCCESS))
    }

    /// Makes a rank of this node known.
    pub fn register_client(&self, process: &Proc, uid: u32, gid: u32) -> Result<()> {
        // SAFETY: as above.
        let status = unsafe { (self.register_client)(process, uid, gid, null_mut(), None, null_mut()) };
        self.check("PMIx_server_register_client", status)
    }

    /// The variables with which a rank finds the server.
    pub fn setup_fork(&self, process: &Proc) -> Result<Vec<(String, String)>> {
        let mut env: *mut *mut c_char = null_mut();
        // SAFETY: `env` is an empty list, to which the library adds strings of its own.
        self.check("PMIx_server_setup_fork", unsafe { (self.setup_fork)(process, &mut env) })?;
        let mut variables = Vec::new();
        let mut at = env;
        // SAFETY: the list ends with a null pointer; list and strings were made by malloc and are ours.
        unsafe {
            while !at.is_null() && !(*at).is_null() {
                let text = CStr::from_ptr(*at).to_string_lossy().into_owned();
                variables.extend(text.split_once('=').map(|(n, v)| (n.to_string(), v.to_string())));
                libc::free((*at).cast());
                at = at.add(1);
            }
            libc::free(env.cast());
        }
        Ok(variables)
    }

    /// Asks for what a rank of this node has published; the answer may come after it has published.
    pub fn dmodex_request(&self, process: &Proc, done: DmodexDone, data: *mut c_void) -> Result<()> {
        // SAFETY: the library copies `process`; `data` is for `done`.
        self.check("PMIx_server_dmodex_request", unsafe { (self.dmodex_request)(process, done, data) })
    }

    /// The hosts of the job, separated by commas, in the library's own form.
    pub fn host_list(&self, hosts: &str) -> Result<Vec<u8>> {
        self.own_form("PMIx_generate_regex", self.generate_regex, hosts)
    }

    /// The ranks of each host (separated by commas; hosts by semicolons) in the library's own form.
    pub fn rank_list(&self, ranks: &str) -> Result<Vec<u8>> {
        self.own_form("PMIx_generate_ppn", self.generate_ppn, ranks)
    }

    fn own_form(
        &self,
        name: &str,
        function: unsafe extern "C" fn(*const c_char, *mut *mut c_char) -> Status,
        input: &str,
    ) -> Result<Vec<u8>> {
        let input = CString::new(input)?;
        let mut out: *mut c_char = null_mut();
        // SAFETY: gives a block of malloc in `out`.
        self.check(name, unsafe { function(input.as_ptr(), &mut out) })?;
        // The library alone knows how long its form is: a value that it loads has the size.
        let mut value = Value { kind: 0, data: Data { room: [0; 3] } };
        // SAFETY: `value` is an empty one; `out` is what the function gave.
        self.check("PMIx_Value_load", unsafe { (self.value_load)(&mut value, out.cast(), kind::REGEX) })?;
        // SAFETY: loaded as bytes; both blocks were made by malloc and are ours.
        unsafe {
            let ByteObject { bytes, size } = value.data.bytes;
            let copy = std::slice::from_raw_parts(bytes.cast::<u8>(), size).to_vec();
            libc::free(bytes.cast());
            libc::free(out.cast());
            Ok(copy)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};
    use std::process::Command;

    /// What the header says of these C expressions.
    fn of_the_header(expressions: &[String]) -> Vec<usize> {
        let dir = tempfile::tempdir().unwrap();
        let (source, program) = (dir.path().join("layout.c"), dir.path().join("layout"));
        let prints: String = expressions.iter().map(|e| format!("printf(\"%zu\\n\", (size_t)({e}));")).collect();
        let text = format!(
            "#include <pmix_server.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {{ {prints} return 0; }}"
        );
        std::fs::write(&source, text).unwrap();
        let flags = Command::new("pkg-config").args(["--cflags", "pmix"]).output().expect("pkg-config is installed");
        let flags = String::from_utf8(flags.stdout).unwrap();
        let status = Command::new("cc").args(flags.split_whitespace()).arg(&source).arg("-o").arg(&program).status();
        assert!(status.unwrap().success(), "Debian: apt-get install libpmix-dev");
        let out = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
        out.lines().map(|l| l.parse().unwrap()).collect()
    }

    #[test]
    fn layouts_and_numbers_are_those_of_the_header() {
        macro_rules! field {
            ($type:ident.$field:ident, $name:literal.$other:literal) => {
                (offset_of!($type, $field), format!("offsetof({}, {})", $name, $other))
            };
        }
        let size = |size: usize, name: &str| (size, format!("sizeof({name})"));
        let number = |number: i64, name: &str| (number as usize, name.to_string());
        let expected = [
            size(size_of::<Proc>(), "pmix_proc_t"),
            size(size_of::<Info>(), "pmix_info_t"),
            size(size_of::<Value>(), "pmix_value_t"),
            size(size_of::<DataArray>(), "pmix_data_array_t"),
            size(size_of::<ByteObject>(), "pmix_byte_object_t"),
            size(offset_of!(Module, later), "pmix_server_module_t"),
            field!(Proc.rank, "pmix_proc_t"."rank"),
            field!(Info.flags, "pmix_info_t"."flags"),
            field!(Info.value, "pmix_info_t"."value"),
            field!(Value.data, "pmix_value_t"."data"),
            field!(DataArray.size, "pmix_data_array_t"."size"),
            field!(DataArray.array, "pmix_data_array_t"."array"),
            field!(ByteObject.size, "pmix_byte_object_t"."size"),
            field!(Module.client_connected, "pmix_server_module_t"."client_connected"),
            field!(Module.client_finalized, "pmix_server_module_t"."client_finalized"),
            field!(Module.abort, "pmix_server_module_t"."abort"),
            field!(Module.fence_nb, "pmix_server_module_t"."fence_nb"),
            field!(Module.direct_modex, "pmix_server_module_t"."direct_modex"),
            field!(Module.connect, "pmix_server_module_t"."connect"),
            field!(Module.disconnect, "pmix_server_module_t"."disconnect"),
            field!(Module.group, "pmix_server_module_t"."group"),
            size(size_of::<GroupOperation>(), "pmix_group_operation_t"),
            number(kind::PROCESS.into(), "PMIX_PROC"),
            number(kind::SIZE.into(), "PMIX_SIZE"),
            number(kind::BYTES.into(), "PMIX_BYTE_OBJECT"),
            number(ERROR.into(), "PMIX_ERROR"),
            number(NOT_FOUND.into(), "PMIX_ERR_NOT_FOUND"),
            number(DONE.into(), "PMIX_OPERATION_SUCCEEDED"),
            number(WILDCARD.into(), "PMIX_RANK_WILDCARD"),
            number(kind::BOOL.into(), "PMIX_BOOL"),
            number(kind::STRING.into(), "PMIX_STRING"),
            number(kind::UINT16.into(), "PMIX_UINT16"),
            number(kind::UINT32.into(), "PMIX_UINT32"),
            number(LOST.into(), "PMIX_ERR_LOST_CONNECTION"),
            number(DEALT_WITH.into(), "PMIX_EVENT_ACTION_COMPLETE"),
            number(kind::STATUS.into(), "PMIX_STATUS"),
            number(kind::INFO.into(), "PMIX_INFO"),
            number(kind::DATA_ARRAY.into(), "PMIX_DATA_ARRAY"),
            number(kind::RANK.into(), "PMIX_PROC_RANK"),
            number(kind::REGEX.into(), "PMIX_REGEX"),
        ];
        let found = of_the_header(&expected.iter().map(|(_, e)| e.clone()).collect::<Vec<_>>());
        assert_eq!(found.len(), expected.len());
        for ((ours, what), theirs) in expected.iter().zip(found) {
            assert_eq!(*ours, theirs, "{what}");
        }
    }
}
