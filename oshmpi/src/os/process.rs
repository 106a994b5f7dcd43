//! This process: identity, exit handlers, ending.

use core::ffi::{c_int, c_void};

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    fn ftrylockfile(stream: *mut libc::FILE) -> c_int;
    fn funlockfile(stream: *mut libc::FILE);
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), arg: *mut c_void) -> c_int;
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// Process id.
pub(crate) fn pid() -> u32 {
    std::process::id()
}

/// Runs `handler(status, _)` when the process ends by exit() or by returning from main.
pub(crate) fn at_exit(handler: extern "C" fn(c_int, *mut c_void)) {
    // SAFETY: the handler lives as long as the process; it is never in a library that can be unloaded on its own,
    // since liboshmpi is linked with nodelete or statically. A full table (it has 32 entries at least) loses the
    // implicit finalize only.
    unsafe { on_exit(handler, core::ptr::null_mut()) };
}

/// Runs these around every fork(): before it, after it in the parent, after it in the child.
pub(crate) fn at_fork(before: extern "C" fn(), parent: extern "C" fn(), child: extern "C" fn()) {
    // SAFETY: as in at_exit.
    unsafe { pthread_atfork(Some(before), Some(parent), Some(child)) };
}

/// Runs this in every forked child, after what was registered before.
pub(crate) fn in_children(child: extern "C" fn()) {
    // SAFETY: as in at_exit.
    unsafe { pthread_atfork(None, None, Some(child)) };
}

/// Writes a line and ends this process, with nothing but system calls: for a forked child.
pub(crate) fn say_and_end(line: &str) -> ! {
    // SAFETY: the bytes are alive for the call; the second call does not return.
    unsafe {
        libc::write(2, line.as_ptr().cast(), line.len());
        libc::_exit(1)
    }
}

/// Writes out every C stream and Fortran unit, as far as that is possible soon: another thread may sit in a read that holds one.
pub(crate) fn flush_stdio() {
    let (done, wait) = std::sync::mpsc::channel();
    let flush = move || {
        // SAFETY: a null stream means all of them.
        unsafe { libc::fflush(core::ptr::null_mut()) };
        flush_fortran();
        // Nobody listens after the wait below.
        let _ = done.send(());
    };
    if quiet_thread("oshmpi flush", flush).is_ok() {
        let _ = wait.recv_timeout(core::time::Duration::from_millis(300));
    } else {
        flush_stdout();
    }
}

/// Where no thread can be started: standard output alone, which a program loses most by, and only if nobody holds it.
fn flush_stdout() {
    // SAFETY: the C library's own stream, which the program may have closed but not put anything else in place of.
    unsafe {
        if ftrylockfile(stdout) == 0 {
            libc::fflush(stdout);
            funlockfile(stdout);
        }
    }
}

/// gfortran's units have buffers of their own, written out by its library's destructor: behind our exit handler, or never.
fn flush_fortran() {
    // SAFETY: looks a name up among what is loaded.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_gfortran_flush_i4".as_ptr()) };
    if !found.is_null() {
        // SAFETY: libgfortran's FLUSH intrinsic, which takes the address of a unit's number; none means all units.
        unsafe { core::mem::transmute::<*mut c_void, extern "C" fn(*const i32)>(found)(core::ptr::null()) };
    }
}

/// Waits, for a bounded time, until what was written to standard output and error has been read at the other end:
/// launchers that are told to end the job forget what lies in their pipes.
pub(crate) fn drain_output() {
    for fd in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        for _ in 0..100 {
            let mut unread: c_int = 0;
            // SAFETY: writes one int; refused where the descriptor is no pipe.
            let rc = unsafe { libc::ioctl(fd, libc::FIONREAD, &mut unread) };
            if rc != 0 || unread == 0 {
                break;
            }
            sleep_micros(2000);
        }
    }
    sleep_micros(5000); // the reader passes it on
}

/// Asks a launcher that speaks PMI-1 to end the job: one that has not heard from a process yet would not notice how it
/// ended, and the others would wait for it. For processes in which MPI is not up; MPI_Abort does the same there.
pub(crate) fn ask_launcher_to_end(status: c_int) {
    let Some(fd) = std::env::var("PMI_FD").ok().and_then(|fd| fd.parse::<c_int>().ok()) else { return };
    let line = format!("cmd=abort exitcode={status}\n");
    // SAFETY: the bytes are alive for the call; a descriptor that is no socket, or closed, is refused.
    unsafe { libc::send(fd, line.as_ptr().cast(), line.len(), libc::MSG_NOSIGNAL) };
}

/// Takes leave of a launcher that speaks PMI-1 for an MPI that will not do so itself, and waits for the answer.
pub(crate) fn take_leave_for_mpi() {
    let Some(fd) = std::env::var("PMI_FD").ok().and_then(|fd| fd.parse::<c_int>().ok()) else { return };
    let line = "cmd=finalize\n";
    let mut answer = [0u8; 64];
    // SAFETY: the bytes are alive for the calls; a descriptor that is no socket, or closed, is refused.
    unsafe {
        if libc::send(fd, line.as_ptr().cast(), line.len(), libc::MSG_NOSIGNAL) > 0 {
            libc::recv(fd, answer.as_mut_ptr().cast(), answer.len(), 0);
        }
    }
}

/// Ends the process at once, without exit handlers.
pub(crate) fn end_now(status: c_int) -> ! {
    // SAFETY: does not return.
    unsafe { libc::_exit(status) }
}

/// Ends the process as no launcher overlooks it.
pub(crate) fn kill_self() {
    // SAFETY: own process.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

/// Sleeps.
pub(crate) fn sleep_micros(micros: u64) {
    std::thread::sleep(core::time::Duration::from_micros(micros));
}

/// Calls `body` while this thread handles no signal: nor does a thread that is started in it, ever.
pub(crate) fn with_signals_blocked<T>(body: impl FnOnce() -> T) -> T {
    let mut all = core::mem::MaybeUninit::<libc::sigset_t>::uninit();
    let mut old = core::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: both sets are filled by the calls; a new thread inherits the mask, and this one gets its own back.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), old.as_mut_ptr());
    }
    let result = body();
    // SAFETY: filled above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, old.as_ptr(), core::ptr::null_mut()) };
    result
}

/// Starts a thread of ours in which no signal of the program is ever handled.
pub(crate) fn quiet_thread(
    name: &str,
    body: impl FnOnce() + Send + 'static,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    // Deep enough for any MPI call; only what is touched costs memory.
    let builder = std::thread::Builder::new().name(name.to_owned()).stack_size(1 << 20);
    with_signals_blocked(|| builder.spawn(body))
}

/// Resident memory of this process that is not shared with others, in KiB: 0 where the system does not say.
pub(crate) fn resident_kib() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut pages = statm.split_whitespace().skip(1).filter_map(|n| n.parse::<u64>().ok());
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    resident.saturating_sub(shared) * crate::os::map::page() as u64 / 1024
}

/// Id of this thread in the kernel.
pub(crate) fn thread_id() -> i32 {
    // SAFETY: no arguments, cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// Gives memory that was needed for a moment back to the system.
pub(crate) fn trim_memory() {
    // SAFETY: touches only what the allocator holds free.
    unsafe { libc::malloc_trim(0) };
}

/// 16 random bytes, as two words: what proves that two processes look at the same memory.
pub(crate) fn random_token() -> [u64; 2] {
    let mut token = [0u64; 2];
    // SAFETY: the buffer holds the bytes asked for.
    let got = unsafe { libc::getrandom(token.as_mut_ptr().cast(), size_of_val(&token), 0) };
    if got != size_of_val(&token) as isize {
        // No random source: the clock and the pid still differ between any two processes of one machine.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        token = [now as u64, u64::from(pid())];
    }
    token
}
