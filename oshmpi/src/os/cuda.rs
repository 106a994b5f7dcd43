//! CUDA's driver, loaded at run time: memory of a device that processes of a node share, and copies from and to it.
//!
//! Memory is shared by the driver's IPC handles, because their 64 bytes fit into what PEs of a node post. Shareable
//! handles of `cuMemCreate` are descriptors, which every process would have to pass to every other one.

use super::library::functions;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Mutex;

/// The name by which the loader finds the driver.
const FILE: &str = "libcuda.so.1";

/// `CUresult`: 0, or an error.
type Status = c_int;
/// `CUcontext`, `CUstream`.
type Handle = *mut c_void;
/// `CUdeviceptr`.
type Address = u64;

/// `CUipcMemHandle`: device memory as other processes of the node name it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Exported(pub(crate) [u64; 8]);

/// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`.
const PEER_ACCESS: c_uint = 1;
/// `CU_STREAM_NON_BLOCKING`: the stream waits for no kernel of the program, which may wait for what is copied.
const NON_BLOCKING: c_uint = 1;

functions! {
    FILE, any_version;
    init = "cuInit": fn(c_uint) -> Status;
    count = "cuDeviceGetCount": fn(*mut c_int) -> Status;
    device = "cuDeviceGet": fn(*mut c_int, c_int) -> Status;
    retain = "cuDevicePrimaryCtxRetain": fn(*mut Handle, c_int) -> Status;
    push = "cuCtxPushCurrent_v2": fn(Handle) -> Status;
    pop = "cuCtxPopCurrent_v2": fn(*mut Handle) -> Status;
    stream = "cuStreamCreate": fn(*mut Handle, c_uint) -> Status;
    finish = "cuStreamSynchronize": fn(Handle) -> Status;
    alloc = "cuMemAlloc_v2": fn(*mut Address, usize) -> Status;
    free = "cuMemFree_v2": fn(Address) -> Status;
    export = "cuIpcGetMemHandle": fn(*mut Exported, Address) -> Status;
    import = "cuIpcOpenMemHandle_v2": fn(*mut Address, Exported, c_uint) -> Status;
    close = "cuIpcCloseMemHandle": fn(Address) -> Status;
    copy = "cuMemcpyAsync": fn(Address, Address, usize, Handle) -> Status;
    fill = "cuMemsetD8Async": fn(Address, u8, usize, Handle) -> Status;
    text = "cuGetErrorString": fn(Status, *mut *const c_char) -> Status;
}

impl Library {
    fn any_version(self) -> Result<Library, String> {
        Ok(self)
    }

    /// Turns the result of a call into an error with the call's name and the driver's words.
    fn check(&self, call: &str, status: Status) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        let mut text = core::ptr::null();
        // SAFETY: the driver writes a pointer to a constant string, or null for a number that it does not know.
        let text = unsafe {
            (self.text)(status, &raw mut text);
            if text.is_null() { c"unknown error" } else { CStr::from_ptr(text) }
        };
        Err(format!("{call}: {} (CUDA error {status})", text.to_string_lossy()))
    }
}

/// A device that this process uses: its primary context, which the program's CUDA uses too, and a stream for copies.
#[derive(Clone, Copy)]
pub(crate) struct Device {
    library: &'static Library,
    context: Handle,
    stream: Handle,
}

// SAFETY: the driver takes contexts and streams from any thread.
unsafe impl Send for Device {}
// SAFETY: as above; it also takes them from several threads at a time.
unsafe impl Sync for Device {}

impl Device {
    /// The device of this number among those that the process sees. It stays open.
    pub(crate) fn open(number: usize) -> Result<Device, String> {
        static OPEN: Mutex<Vec<(usize, Device)>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock().unwrap_or_else(|e| e.into_inner());
        if let Some((_, device)) = open.iter().find(|(of, _)| *of == number) {
            return Ok(*device);
        }
        let advice = "SHMEMX_SPACE_DEVICE needs a host with a GPU and its driver";
        let library = Library::load().map_err(|e| format!("cannot load CUDA's driver: {e}; {advice}"))?;
        let (mut count, mut device, mut context, mut stream) = (0, 0, core::ptr::null_mut(), core::ptr::null_mut());
        // SAFETY: the driver writes a number.
        let status = unsafe {
            match (library.init)(0) {
                0 => (library.count)(&raw mut count),
                error => error,
            }
        };
        library.check("cuInit", status).map_err(|e| format!("no device: {e}; {advice}"))?;
        let id = c_int::try_from(number).ok().filter(|&id| id < count);
        let id = id.ok_or_else(|| {
            format!("config.number is {number}; this process sees {count} devices (CUDA_VISIBLE_DEVICES)")
        })?;
        // SAFETY: the driver writes the device, which is there, and its context.
        unsafe {
            library.check("cuDeviceGet", (library.device)(&raw mut device, id))?;
            library.check("cuDevicePrimaryCtxRetain", (library.retain)(&raw mut context, device))?;
        }
        let mut made = Device { library, context, stream };
        // SAFETY: the driver writes the stream.
        made.inside("cuStreamCreate", |l| unsafe { (l.stream)(&raw mut stream, NON_BLOCKING) })?;
        made.stream = stream;
        open.push((number, made));
        Ok(made)
    }

    /// Makes a call in the device's context. Afterwards the thread has the program's context again.
    fn inside(&self, call: &str, act: impl FnOnce(&Library) -> Status) -> Result<(), String> {
        let (l, mut own) = (self.library, core::ptr::null_mut());
        // SAFETY: a context that was retained for good; the driver writes which one it takes away again.
        l.check("cuCtxPushCurrent", unsafe { (l.push)(self.context) })?;
        let status = act(l);
        // SAFETY: as above.
        let popped = unsafe { (l.pop)(&raw mut own) };
        l.check(call, status).and_then(|()| l.check("cuCtxPopCurrent", popped))
    }

    /// Makes a call that starts something on the stream, and waits until it is done.
    fn done(&self, call: &str, act: impl FnOnce(&Library) -> Status) -> Result<(), String> {
        self.inside(call, |l| match act(l) {
            // SAFETY: a stream of this context, which stays.
            0 => unsafe { (l.finish)(self.stream) },
            error => error,
        })
    }

    /// Memory of the device: its address. It begins at a multiple of 256 bytes.
    pub(crate) fn alloc(&self, len: usize) -> Result<usize, String> {
        let mut at = 0;
        // SAFETY: the driver writes the address.
        self.inside("cuMemAlloc", |l| unsafe { (l.alloc)(&raw mut at, len) }).map(|()| at as usize)
    }

    /// Gives memory of [`Device::alloc`] back, which no other process uses any more.
    pub(crate) fn free(&self, at: usize) -> Result<(), String> {
        // SAFETY: the driver knows what it has allocated.
        self.inside("cuMemFree", |l| unsafe { (l.free)(at as Address) })
    }

    /// Memory of [`Device::alloc`] for other processes.
    pub(crate) fn export(&self, at: usize) -> Result<Exported, String> {
        let mut exported = Exported::default();
        // SAFETY: the driver writes 64 bytes.
        self.inside("cuIpcGetMemHandle", |l| unsafe { (l.export)(&raw mut exported, at as Address) })?;
        Ok(exported)
    }

    /// The address at which memory of another process is reached here.
    pub(crate) fn import(&self, exported: Exported) -> Result<usize, String> {
        let mut at = 0;
        // SAFETY: the driver writes the address.
        self.inside("cuIpcOpenMemHandle", |l| unsafe { (l.import)(&raw mut at, exported, PEER_ACCESS) })?;
        Ok(at as usize)
    }

    /// Ends the use of memory of another process.
    pub(crate) fn close(&self, at: usize) -> Result<(), String> {
        // SAFETY: the driver knows what it has opened.
        self.inside("cuIpcCloseMemHandle", |l| unsafe { (l.close)(at as Address) })
    }

    /// Copies `n` bytes. The driver finds out which of the two sides are memory of a device. Complete at return.
    ///
    /// # Safety
    /// Both sides have `n` bytes, which CPU or device can use.
    pub(crate) unsafe fn copy(&self, to: usize, from: usize, n: usize) -> Result<(), String> {
        // SAFETY: promised. The stream is this context's.
        self.done("cuMemcpyAsync", |l| unsafe { (l.copy)(to as Address, from as Address, n, self.stream) })
    }

    /// Zeroes `n` bytes of a device.
    ///
    /// # Safety
    /// `n` bytes of a device lie at `at`.
    pub(crate) unsafe fn zero(&self, at: usize, n: usize) -> Result<(), String> {
        // SAFETY: promised. The stream is this context's.
        self.done("cuMemsetD8Async", |l| unsafe { (l.fill)(at as Address, 0, n, self.stream) })
    }
}
