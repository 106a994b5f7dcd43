//! The server's part of OpenPMIx's library: types of callbacks, and the functions, which are found at run time. The
//! data are those of [`pmi_shm::pmix::data`].
//!
//! The layouts are those of the library's ABI 2 (`libpmix.so.2`: OpenPMIx 4.2, 5 and 6). The test below compares them
//! with the header.

use anyhow::{Context, Result, anyhow};
use pmi_shm::pmix::data::{ByteObject, Data, DataArray, Info, OPERATION_SUCCEEDED, Proc, SUCCESS, Status, Value, kind};
use pmi_shm::pmix::library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::null_mut;

/// `pmix_group_operation_t`: 0 makes a group, other numbers end it.
pub type GroupOperation = c_int;

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
    /// A list of hosts or ranks in the library's form.
    Regex(Vec<u8>),
    List(Vec<(&'static str, Given)>),
    Processes(Vec<Proc>),
}

/// `Given` values in the form of the library, and the memory to which they point.
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
            let mut data = Data::EMPTY;
            let kind = all.store(value, &mut data).with_context(|| format!("the value of {key}"))?;
            all.infos.push(Info::new(key.as_bytes(), Value { kind, data }));
        }
        Ok(all)
    }

    /// Writes a value into `data` and returns its kind.
    fn store(&mut self, given: &Given, data: &mut Data) -> Result<u16> {
        match given {
            Given::Flag(flag) => data.flag = *flag,
            Given::U16(n) => data.short = *n,
            Given::U32(n) | Given::Rank(n) => data.number = *n,
            Given::Size(n) => data.size = *n,
            Given::Bytes(bytes) => data.bytes = allocated(bytes),
            Given::Text(text) => {
                // The heap part of a CString, a Vec or a Box stays where it is when its owner moves, here and below.
                let text = CString::new(text.as_str())?;
                data.text = text.as_ptr().cast_mut();
                self.texts.push(text);
            }
            Given::Regex(bytes) => {
                let mut bytes = bytes.clone();
                data.bytes = ByteObject { bytes: bytes.as_mut_ptr().cast(), size: bytes.len() };
                self.bytes.push(bytes);
            }
            Given::Processes(list) => {
                let mut list = list.clone();
                let array = list.as_mut_ptr().cast();
                let mut array = Box::new(DataArray { kind: kind::PROCESS, size: list.len(), array });
                data.array = &mut *array;
                self.processes.push((array, list));
            }
            Given::List(list) => {
                let mut inner = Infos::new(list)?;
                let (array, size) = inner.raw();
                let mut array = Box::new(DataArray { kind: kind::INFO, size, array: array.cast() });
                data.array = &mut *array;
                self.lists.push((array, inner));
            }
        }
        Ok(given.kind())
    }

    pub fn raw(&mut self) -> (*mut Info, usize) {
        (self.infos.as_mut_ptr(), self.infos.len())
    }
}

impl Given {
    fn kind(&self) -> u16 {
        match self {
            Given::Flag(_) => kind::BOOL,
            Given::U16(_) => kind::UINT16,
            Given::U32(_) => kind::UINT32,
            Given::Rank(_) => kind::RANK,
            Given::Size(_) => kind::SIZE,
            Given::Text(_) => kind::STRING,
            Given::Bytes(_) => kind::BYTE_OBJECT,
            Given::Regex(_) => kind::REGEX,
            Given::List(_) | Given::Processes(_) => kind::DATA_ARRAY,
        }
    }
}

/// A copy of bytes in a block of malloc, which the library may keep and free.
fn allocated(bytes: &[u8]) -> ByteObject {
    // SAFETY: a new block of that size, which is filled below.
    let block = unsafe { libc::malloc(bytes.len().max(1)) };
    assert!(!block.is_null(), "there is no memory");
    // SAFETY: both have that many bytes, and the block is new.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.cast(), bytes.len()) };
    ByteObject { bytes: block.cast(), size: bytes.len() }
}

impl Drop for Infos {
    fn drop(&mut self) {
        for info in self.infos.iter().filter(|i| i.value.kind == kind::BYTE_OBJECT) {
            // SAFETY: a block of `allocated`, or null if the library has kept it.
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
pub type InfoDone = Option<unsafe extern "C" fn(Status, *mut Info, usize, *mut c_void, Release, *mut c_void)>;
type DmodexDone = unsafe extern "C" fn(Status, *mut c_char, usize, *mut c_void);
/// A callback that oshrun does not offer.
type Absent = Option<unsafe extern "C" fn()>;

/// The arguments of a callback for a process that connects or finalizes.
pub type ClientFn = unsafe extern "C" fn(*const Proc, *mut c_void, OpDone, *mut c_void) -> Status;
#[rustfmt::skip]
pub type AbortFn = unsafe extern "C" fn(
    *const Proc, *mut c_void, Status, *const c_char, *mut Proc, usize, OpDone, *mut c_void,
) -> Status;
pub type FenceFn =
    unsafe extern "C" fn(*const Proc, usize, *const Info, usize, *mut c_char, usize, ModexDone, *mut c_void) -> Status;
pub type ModexFn = unsafe extern "C" fn(*const Proc, *const Info, usize, ModexDone, *mut c_void) -> Status;
pub type ConnectFn = unsafe extern "C" fn(*const Proc, usize, *const Info, usize, OpDone, *mut c_void) -> Status;
#[rustfmt::skip]
pub type GroupFn = unsafe extern "C" fn(
    GroupOperation, *const c_char, *const Proc, usize, *const Info, usize, InfoDone, *mut c_void,
) -> Status;

/// `pmix_server_module_t`: the callbacks by which the library tells what processes want. The gaps are callbacks that
/// oshrun does not offer.
#[repr(C)]
#[derive(Default)]
pub struct Module {
    pub client_connected: Option<ClientFn>,
    pub client_finalized: Option<ClientFn>,
    pub abort: Option<AbortFn>,
    pub fence_nb: Option<FenceFn>,
    pub direct_modex: Option<ModexFn>,
    /// publish, lookup, unpublish, spawn
    pub names: [Absent; 4],
    pub connect: Option<ConnectFn>,
    pub disconnect: Option<ConnectFn>,
    /// register_events, deregister_events, listener, notify_event, query, tool_connected, log, allocate, job_control,
    /// monitor, get_credential, validate_credential, iof_pull, push_stdin
    pub events: [Absent; 14],
    pub group: Option<GroupFn>,
    /// fabric, client_connected2
    pub fabric: [Absent; 2],
    /// Callbacks of later versions, which look for them behind those of version 4.
    pub later: [Absent; 8],
}

type MakeList = unsafe extern "C" fn(*const c_char, *mut *mut c_char) -> Status;
#[rustfmt::skip]
type RegisterEvents = unsafe extern "C" fn(
    *mut Status, usize, *mut Info, usize, EventFn, Absent, *mut c_void,
) -> Status;

macro_rules! library {
    ($($function:ident = $name:literal: $type:ty;)*) => {
        /// The library's functions.
        pub struct Library {
            $($function: $type,)*
        }

        impl Library {
            /// Loads the library. `name` is a path, or a name that the loader looks for.
            pub fn open(name: &Path) -> Result<Library> {
                let library = library::Library::open(name, libc::RTLD_GLOBAL)?;
                // SAFETY: each field's type is that of the function in the library's header.
                unsafe { Ok(Library { $($function: library.symbol($name)?,)* }) }
            }
        }
    };
}

library! {
    init = c"PMIx_server_init": unsafe extern "C" fn(*mut Module, *mut Info, usize) -> Status;
    register_nspace = c"PMIx_server_register_nspace":
        unsafe extern "C" fn(*const c_char, c_int, *mut Info, usize, OpDone, *mut c_void) -> Status;
    register_client = c"PMIx_server_register_client":
        unsafe extern "C" fn(*const Proc, u32, u32, *mut c_void, OpDone, *mut c_void) -> Status;
    setup_fork = c"PMIx_server_setup_fork": unsafe extern "C" fn(*const Proc, *mut *mut *mut c_char) -> Status;
    register_event_handler = c"PMIx_Register_event_handler": RegisterEvents;
    dmodex_request = c"PMIx_server_dmodex_request":
        unsafe extern "C" fn(*const Proc, DmodexDone, *mut c_void) -> Status;
    generate_regex = c"PMIx_generate_regex": MakeList;
    generate_ppn = c"PMIx_generate_ppn": MakeList;
    value_load = c"PMIx_Value_load": unsafe extern "C" fn(*mut Value, *const c_void, u16) -> Status;
    error_string = c"PMIx_Error_string": unsafe extern "C" fn(Status) -> *const c_char;
}

impl Library {
    fn check(&self, what: &str, status: Status) -> Result<()> {
        if status == SUCCESS || status == OPERATION_SUCCEEDED {
            return Ok(());
        }
        // SAFETY: gives a constant string for every number.
        let why = unsafe { CStr::from_ptr((self.error_string)(status)) };
        Err(anyhow!("libpmix: {what}: {}", why.to_string_lossy()))
    }

    /// Starts the server. From here on the library calls the module's callbacks, on a thread of its own.
    pub fn init(&self, mut module: Module, infos: &mut Infos) -> Result<()> {
        let (info, count) = infos.raw();
        // SAFETY: the arguments live during the call; the library copies the part of the module that it knows.
        self.check("PMIx_server_init", unsafe { (self.init)(&mut module, info, count) })
    }

    /// Makes the job known. Waits until the library has copied what it needs.
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
        // SAFETY: without a callback the call returns when the library does not use the arguments any more.
        let number =
            unsafe { (self.register_event_handler)(events.as_mut_ptr(), 1, null_mut(), 0, handler, None, null_mut()) };
        // The result is the number of the registration, or a negative status.
        self.check("PMIx_Register_event_handler", number.min(SUCCESS))
    }

    pub fn register_client(&self, process: &Proc, uid: u32, gid: u32) -> Result<()> {
        // SAFETY: without a callback the call returns when the library does not use the arguments any more.
        let status = unsafe { (self.register_client)(process, uid, gid, null_mut(), None, null_mut()) };
        self.check("PMIx_server_register_client", status)
    }

    pub fn setup_fork(&self, process: &Proc) -> Result<Vec<(String, String)>> {
        let mut env: *mut *mut c_char = null_mut();
        // SAFETY: `env` is an empty list, to which the library adds strings.
        self.check("PMIx_server_setup_fork", unsafe { (self.setup_fork)(process, &mut env) })?;
        let mut variables = Vec::new();
        let mut at = env;
        // SAFETY: the list ends with a null pointer. List and strings were made by malloc and belong to the caller.
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

    /// Asks for what a rank of this node has published. The answer may come after the rank has published it.
    pub fn dmodex_request(&self, process: &Proc, done: DmodexDone, data: *mut c_void) -> Result<()> {
        // SAFETY: the library copies `process`; `data` is for `done`.
        self.check("PMIx_server_dmodex_request", unsafe { (self.dmodex_request)(process, done, data) })
    }

    /// The job's hosts, separated by commas, in the library's form.
    pub fn host_list(&self, hosts: &str) -> Result<Vec<u8>> {
        self.list("PMIx_generate_regex", self.generate_regex, hosts)
    }

    /// The ranks of each host in the library's form. Ranks are separated by commas, hosts by semicolons.
    pub fn rank_list(&self, ranks: &str) -> Result<Vec<u8>> {
        self.list("PMIx_generate_ppn", self.generate_ppn, ranks)
    }

    fn list(&self, name: &str, function: MakeList, input: &str) -> Result<Vec<u8>> {
        let input = CString::new(input)?;
        let mut out: *mut c_char = null_mut();
        // SAFETY: gives a block of malloc in `out`.
        self.check(name, unsafe { function(input.as_ptr(), &mut out) })?;
        // Only the library knows how long the list is: it tells the size of a value that it loads.
        let mut value = Value { kind: 0, data: Data::EMPTY };
        // SAFETY: `value` is an empty one; `out` is what the function gave.
        self.check("PMIx_Value_load", unsafe { (self.value_load)(&mut value, out.cast(), kind::REGEX) })?;
        // SAFETY: loaded as bytes. Both blocks were made by malloc and belong to the caller.
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
    use pmi_shm::pmix::data::{ERROR, EVENT_ACTION_COMPLETE, LOST_CONNECTION, NOT_FOUND, TIMEOUT, WILDCARD};
    use std::mem::offset_of;
    use std::process::Command;

    /// The values of these C expressions under the header.
    fn of_the_header(expressions: &[String]) -> Vec<usize> {
        let dir = tempfile::tempdir().unwrap();
        let (source, program) = (dir.path().join("layout.c"), dir.path().join("layout"));
        let prints: String = expressions.iter().map(|e| format!("printf(\"%zu\\n\", (size_t)({e}));")).collect();
        let includes = "#include <pmix_server.h>\n#include <stddef.h>\n#include <stdio.h>\n";
        std::fs::write(&source, format!("{includes}int main(void) {{ {prints} return 0; }}")).unwrap();
        let flags = Command::new("pkg-config").args(["--cflags", "pmix"]).output().expect("pkg-config is installed");
        let flags = String::from_utf8(flags.stdout).unwrap();
        let status = Command::new("cc").args(flags.split_whitespace()).arg(&source).arg("-o").arg(&program).status();
        assert!(status.unwrap().success(), "Debian: apt-get install libpmix-dev");
        let out = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
        out.lines().map(|l| l.parse().unwrap()).collect()
    }

    #[test]
    fn layouts_and_numbers_are_those_of_the_header() {
        macro_rules! sizes {
            ($($type:ident = $name:literal: $($field:ident)*;)*) => { vec![$(
                (size_of::<$type>(), format!("sizeof({})", $name)),
                $((offset_of!($type, $field), format!("offsetof({}, {})", $name, stringify!($field))),)*
            )*] };
        }
        let mut expected = sizes! {
            Proc = "pmix_proc_t": rank;
            Info = "pmix_info_t": flags value;
            Value = "pmix_value_t": data;
            DataArray = "pmix_data_array_t": size array;
            ByteObject = "pmix_byte_object_t": size;
            GroupOperation = "pmix_group_operation_t":;
        };
        let module = "pmix_server_module_t";
        macro_rules! callbacks {
            ($($field:ident)*) => { [$((offset_of!(Module, $field), stringify!($field))),*] };
        }
        let callbacks =
            callbacks!(client_connected client_finalized abort fence_nb direct_modex connect disconnect group);
        expected.extend(callbacks.map(|(at, name)| (at, format!("offsetof({module}, {name})"))));
        expected.push((offset_of!(Module, later), format!("sizeof({module})")));
        let numbers: [(i64, &str); 19] = [
            (kind::PROCESS.into(), "PMIX_PROC"),
            (kind::SIZE.into(), "PMIX_SIZE"),
            (kind::BYTE_OBJECT.into(), "PMIX_BYTE_OBJECT"),
            (kind::BOOL.into(), "PMIX_BOOL"),
            (kind::STRING.into(), "PMIX_STRING"),
            (kind::UINT16.into(), "PMIX_UINT16"),
            (kind::UINT32.into(), "PMIX_UINT32"),
            (kind::STATUS.into(), "PMIX_STATUS"),
            (kind::INFO.into(), "PMIX_INFO"),
            (kind::DATA_ARRAY.into(), "PMIX_DATA_ARRAY"),
            (kind::RANK.into(), "PMIX_PROC_RANK"),
            (kind::REGEX.into(), "PMIX_REGEX"),
            (WILDCARD.into(), "PMIX_RANK_WILDCARD"),
            (ERROR.into(), "PMIX_ERROR"),
            (TIMEOUT.into(), "PMIX_ERR_TIMEOUT"),
            (NOT_FOUND.into(), "PMIX_ERR_NOT_FOUND"),
            (OPERATION_SUCCEEDED.into(), "PMIX_OPERATION_SUCCEEDED"),
            (LOST_CONNECTION.into(), "PMIX_ERR_LOST_CONNECTION"),
            (EVENT_ACTION_COMPLETE.into(), "PMIX_EVENT_ACTION_COMPLETE"),
        ];
        expected.extend(numbers.map(|(number, name)| (number as usize, name.to_string())));
        let found = of_the_header(&expected.iter().map(|(_, e)| e.clone()).collect::<Vec<_>>());
        assert_eq!(found.len(), expected.len());
        for ((ours, what), theirs) in expected.iter().zip(found) {
            assert_eq!(*ours, theirs, "{what}");
        }
    }
}
