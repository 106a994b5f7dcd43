//! This process: identity, exit handlers, ending.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null_mut;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, kill, sigaction};
use nix::sys::socket::{MsgFlags, recv, send};
use nix::unistd::{Pid, gettid};

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    static mut environ: *mut *mut c_char;
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

/// Runs `handler(status, _)` when the process ends by exit() or when main returns.
pub(crate) fn at_exit(handler: extern "C" fn(c_int, *mut c_void)) {
    // SAFETY: the handler stays loaded as long as the process: liboshmpi is linked statically or with nodelete, so it
    // is never unloaded. If the C library's table (at least 32 entries) is full, only the implicit finalize is lost.
    unsafe { on_exit(handler, core::ptr::null_mut()) };
}

/// Runs these functions at every fork(): before it, after it in the parent, and after it in the child. In the child,
/// functions that were registered earlier run earlier.
pub(crate) fn at_fork(before: Option<extern "C" fn()>, parent: Option<extern "C" fn()>, child: extern "C" fn()) {
    // SAFETY: the functions stay loaded as long as the process, as in `at_exit`.
    unsafe { pthread_atfork(before, parent, Some(child)) };
}

/// Has `handler` called for a signal whose effect is the default one. Calls that it interrupts go on.
pub(crate) fn catch(signal: Signal, handler: extern "C" fn(c_int)) {
    let own = SigAction::new(SigHandler::Handler(handler), SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: all bytes zero is a value of this structure. sigaction reads and writes structures that are alive for the
    // call.
    let is_default = unsafe {
        let mut now: libc::sigaction = core::mem::zeroed();
        libc::sigaction(signal as c_int, core::ptr::null(), &raw mut now) == 0 && now.sa_sigaction == libc::SIG_DFL
    };
    if is_default {
        // SAFETY: the handlers that are passed call only what a signal handler may call, and stay loaded as long as the
        // process, as in `at_exit`.
        let _ = unsafe { sigaction(signal, &own) };
    }
}

/// Runs a function for which the environment has these variables too (`NAME=value`), unless they are set. The tables of
/// variables before and after are both left in place, because other threads may be reading them.
pub(crate) fn with_variables<T>(variables: &[&'static CStr], function: impl FnOnce() -> T) -> T {
    let name = |variable: &CStr| variable.to_bytes().split(|&byte| byte == b'=').next().map(<[u8]>::to_vec);
    // SAFETY: null, or the C library's table, which ends with null and whose variables end with a zero. A program that
    // changes the environment in another thread meanwhile breaks the C library's own rules.
    let (before, mut table) = unsafe {
        let (before, mut table) = (environ, Vec::new());
        while !before.is_null() && !(*before.add(table.len())).is_null() {
            table.push(*before.add(table.len()));
        }
        (before, table)
    };
    // SAFETY: as above.
    let is_set = |variable: &CStr| table.iter().any(|&other| name(unsafe { CStr::from_ptr(other) }) == name(variable));
    let more: Vec<_> = variables.iter().filter(|&&v| !is_set(v)).map(|v| v.as_ptr().cast_mut()).collect();
    table.extend(more.into_iter().chain([null_mut()]));
    let table = table.leak().as_mut_ptr();
    // SAFETY: a pointer is stored, to a table that stays.
    unsafe { environ = table };
    let result = function();
    // SAFETY: as above. The function may have had the C library make another table, which has all of this one.
    unsafe {
        if environ == table {
            environ = before;
        }
    }
    result
}

/// Gives a signal another effect, and returns the one that it had.
pub(crate) fn swap(signal: Signal, effect: &SigAction) -> Option<SigAction> {
    // SAFETY: as in `catch`; and an effect that somebody else has set may come back.
    unsafe { sigaction(signal, effect) }.ok()
}

/// Calls what may load UCX. Afterwards a hangup has the effect that it had before, unless the user has named the signal
/// by which UCX begins to print more: by default UCX catches SIGHUP for that, also if the program has caught it.
pub(crate) fn with_hangup_kept<T>(function: impl FnOnce() -> T) -> T {
    let named = std::env::var_os("UCX_DEBUG_SIGNO").is_some();
    with_signals_kept((!named).then_some(Signal::SIGHUP), function)
}

/// Calls a function, after which these signals have the effects that they had before. Some libraries catch signals when
/// they are loaded, and end a process that has crashed with code 1.
pub(crate) fn with_signals_kept<T>(signals: impl IntoIterator<Item = Signal>, function: impl FnOnce() -> T) -> T {
    let before = signals.into_iter().map(|signal| {
        // SAFETY: all bytes zero is a value of this structure, to which sigaction writes.
        let mut effect: libc::sigaction = unsafe { core::mem::zeroed() };
        // SAFETY: as above.
        let is_known = unsafe { libc::sigaction(signal as c_int, core::ptr::null(), &raw mut effect) } == 0;
        (signal, is_known.then_some(effect))
    });
    let before: Vec<_> = before.collect();
    let given = function();
    for (signal, effect) in before {
        if let Some(effect) = effect {
            // SAFETY: an effect that somebody had set comes back. Those of SIGKILL and SIGSTOP cannot be set.
            unsafe { libc::sigaction(signal as c_int, &raw const effect, core::ptr::null_mut()) };
        }
    }
    given
}

/// Writes to standard error, by a system call only.
pub(crate) fn write_error(bytes: &[u8]) {
    // SAFETY: the kernel reads as many bytes as the slice has.
    unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
}

/// Writes a line and ends this process, by system calls only: a forked child may call nothing else.
pub(crate) fn end_with_message(line: &str) -> ! {
    write_error(line.as_bytes());
    end_now(1)
}

/// Writes out every C stream and Fortran unit, as far as that is possible within 300 ms: another thread may hold a
/// stream in a read that does not end.
pub(crate) fn flush_stdio() {
    let (done, wait) = std::sync::mpsc::channel();
    let flush = move || {
        // First: the walk over all streams ends at one that is held, and begins with those that were opened last.
        flush_stdout();
        // SAFETY: fflush takes a null stream for all streams, and locks each of them.
        unsafe { libc::fflush(core::ptr::null_mut()) };
        flush_fortran();
        // The send fails if the wait below is over.
        let _ = done.send(());
    };
    if quiet_thread("oshmpi flush", flush).is_ok() {
        let _ = wait.recv_timeout(core::time::Duration::from_millis(300));
    } else {
        flush_stdout();
    }
}

/// Writes out standard output if no other thread holds it. It is the stream whose loss hurts a program most.
fn flush_stdout() {
    // SAFETY: `stdout` is a stream of the C library for the life of the process, also after a program has closed it.
    // The stream is unlocked only after it was locked here.
    unsafe {
        if ftrylockfile(stdout) == 0 {
            libc::fflush(stdout);
            funlockfile(stdout);
        }
    }
}

/// Writes out gfortran's units, which have their own buffers. The destructor of libgfortran does that too late, after
/// this library's exit handler, or never.
fn flush_fortran() {
    // SAFETY: the name is a C string. The lookup runs no code of the libraries.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_gfortran_flush_i4".as_ptr()) };
    if !found.is_null() {
        // SAFETY: the symbol is libgfortran's FLUSH intrinsic. It takes the address of a unit's number, or null for all
        // units.
        unsafe { core::mem::transmute::<*mut c_void, extern "C" fn(*const i32)>(found)(core::ptr::null()) };
    }
}

/// Waits until what was written to standard output and error has been read at the other end, for at most 0.4 s.
/// Launchers that are told to end the job lose what they have not read from their pipes.
pub(crate) fn drain_output() {
    for fd in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        for _ in 0..100 {
            let mut unread: c_int = 0;
            // SAFETY: FIONREAD writes one int, and `unread` is alive for the call. A descriptor that is no pipe is
            // refused.
            let rc = unsafe { libc::ioctl(fd, libc::FIONREAD, &mut unread) };
            if rc != 0 || unread == 0 {
                break;
            }
            sleep_micros(2000);
        }
    }
    let slurm = std::env::var_os("SLURM_STEP_ID").is_some();
    sleep_micros(if slurm { SLURM_PASSES_ON } else { PASSES_ON });
}

/// Microseconds in which the reader of the output passes it on.
const PASSES_ON: u64 = 5000;
/// As many for Slurm, which sends the output by TCP: a second short piece is held back until the first is acknowledged,
/// and acknowledgements may come 40 ms late.
const SLURM_PASSES_ON: u64 = 50_000;

/// The descriptor of the connection to a launcher that speaks PMI-1 or PMI-2.
pub(crate) fn pmi_fd() -> Option<c_int> {
    std::env::var("PMI_FD").ok()?.trim().parse().ok()
}

/// Asks a launcher that speaks PMI-1 to end the job. It is for processes in which MPI is not initialised; where it is,
/// MPI_Abort does this. A launcher ignores the exit status of a process that has sent it nothing yet, and the other
/// processes would wait for this one.
pub(crate) fn ask_launcher_to_end(status: c_int) {
    let Some(fd) = pmi_fd() else { return };
    let line = format!("cmd=abort exitcode={status}\n");
    // A descriptor that is closed or no socket is refused.
    let _ = send(fd, line.as_bytes(), MsgFlags::MSG_NOSIGNAL);
}

/// Sends the finalize command to a launcher that speaks PMI-1, in place of an MPI that will not send it, and waits for
/// the answer.
pub(crate) fn take_leave_for_mpi() {
    let Some(fd) = pmi_fd() else { return };
    // A descriptor that is closed or no socket is refused.
    if send(fd, b"cmd=finalize\n", MsgFlags::MSG_NOSIGNAL).is_ok() {
        let _ = recv(fd, &mut [0; 64], MsgFlags::empty());
    }
}

/// Ends the process at once, without exit handlers. Not by `_exit`, which this library defines.
pub(crate) fn end_now(status: c_int) -> ! {
    loop {
        // SAFETY: the call accesses no memory and does not return.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// Ends the process by a signal, which every launcher notices.
pub(crate) fn kill_self() {
    let _ = kill(Pid::this(), Signal::SIGKILL);
}

pub(crate) fn sleep_micros(micros: u64) {
    std::thread::sleep(core::time::Duration::from_micros(micros));
}

/// Calls `body` while the calling thread handles no signal but its own faults: the kernel ends a process that has
/// blocked the signal of a fault, without asking its handler. Threads that `body` starts never handle others.
pub(crate) fn with_signals_blocked<T>(body: impl FnOnce() -> T) -> T {
    let mut blocked = SigSet::all();
    for fault in [Signal::SIGSEGV, Signal::SIGBUS, Signal::SIGFPE, Signal::SIGILL] {
        blocked.remove(fault);
    }
    let before = blocked.thread_swap_mask(SigmaskHow::SIG_SETMASK);
    let result = body();
    // A new thread inherits the mask. The calling thread gets its mask back.
    let _ = before.and_then(|mask| mask.thread_set_mask());
    result
}

/// Starts a thread of this library, which never handles a signal of the program but for its own faults.
pub(crate) fn quiet_thread(
    name: &str,
    body: impl FnOnce() + Send + 'static,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    // 1 MiB of stack is enough for any MPI call. Only pages that are touched take memory.
    let builder = std::thread::Builder::new().name(name.to_owned()).stack_size(1 << 20);
    with_signals_blocked(|| builder.spawn(body))
}

/// Resident memory of this process that it does not share with others, in KiB; 0 where the system does not tell.
pub(crate) fn resident_kib() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut pages = statm.split_whitespace().skip(1).filter_map(|n| n.parse::<u64>().ok());
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    resident.saturating_sub(shared) * crate::os::map::page() as u64 / 1024
}

/// The size of this process's page tables, in KiB; None where the system does not tell. Tables of huge pages of
/// hugetlbfs that processes share are not counted.
pub(crate) fn page_tables_kib() -> Option<u64> {
    let status = super::text("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmPTE:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// The number of page faults of this process that read nothing from a disk.
pub(crate) fn page_faults() -> u64 {
    use nix::sys::resource::{UsageWho, getrusage};
    getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.minor_page_faults() as u64)
}

/// The kernel's number of the calling thread.
pub(crate) fn thread_id() -> i32 {
    gettid().as_raw()
}

/// The number of threads of a process of this machine, if it can be seen.
pub(crate) fn threads(pid: u32) -> Option<u32> {
    std::fs::read_dir(format!("/proc/{pid}/task")).ok().map(|threads| threads.count() as u32)
}

/// Gives memory that the C library holds free back to the system.
pub(crate) fn trim_memory() {
    // SAFETY: malloc_trim locks the allocator and touches only memory that it holds free.
    unsafe { libc::malloc_trim(0) };
}

/// 16 random bytes, as two words. Two processes that read the same token in a mapping have mapped the same memory.
pub(crate) fn random_token() -> [u64; 2] {
    let mut token = [0u64; 2];
    // SAFETY: the kernel writes at most as many bytes as the token has.
    let got = unsafe { libc::getrandom(token.as_mut_ptr().cast(), size_of_val(&token), 0) };
    if got != size_of_val(&token) as isize {
        // The kernel has no random source. The clock and the pid differ between any two processes of one machine.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        token = [now as u64, u64::from(pid())];
    }
    token
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_keep_their_effects() {
        extern "C" fn handler(_: c_int) {}
        let own = SigAction::new(SigHandler::Handler(handler), SaFlags::empty(), SigSet::empty());
        let ignored = SigAction::new(SigHandler::SigIgn, SaFlags::empty(), SigSet::empty());
        let first = swap(Signal::SIGXFSZ, &ignored).unwrap();
        assert!(with_signals_kept([Signal::SIGXFSZ], || swap(Signal::SIGXFSZ, &own)).is_some());
        let kept = swap(Signal::SIGXFSZ, &first).unwrap();
        assert!(matches!(kept.handler(), SigHandler::SigIgn));
    }

    /// The handler of SIGBUS says what memory is missing, in any thread.
    #[test]
    fn threads_of_the_library_handle_their_faults() {
        let mask = with_signals_blocked(|| SigSet::thread_get_mask().unwrap());
        assert!([Signal::SIGTERM, Signal::SIGUSR1].into_iter().all(|signal| mask.contains(signal)));
        assert!([Signal::SIGBUS, Signal::SIGSEGV].into_iter().all(|signal| !mask.contains(signal)));
    }

    /// Variables that are there already keep their values, and all is as before afterwards.
    #[test]
    fn variables_are_set_for_a_function() {
        let value = |name| std::env::var(name).ok();
        // Every test has it.
        let (kept, set) = ("CARGO_PKG_NAME", "TEST_OF_VARIABLES");
        let seen = with_variables(&[c"CARGO_PKG_NAME=other", c"TEST_OF_VARIABLES=1"], || (value(kept), value(set)));
        assert_eq!(seen, (value(kept), Some("1".to_owned())));
        assert_eq!(value(set), None);
    }
}
