//! The other threads of this process: where they sleep, and how they are made to sleep anew.

use super::process;
use nix::unistd::gettid;
use std::fs;

/// What the kernel tells of another thread.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    /// It sleeps in this system call: number, the first two arguments, stack pointer. None: it is running, or the
    /// kernel does not tell.
    call: Option<[usize; 4]>,
}

/// Calls `with` for each thread of this process but the caller.
fn others(mut with: impl FnMut(libc::pid_t, Seen)) {
    let (own, list) = (gettid().as_raw(), fs::read_dir("/proc/self/task"));
    for entry in list.into_iter().flatten().flatten() {
        let tid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(tid) = tid.filter(|&tid| tid != own) {
            with(tid, Seen::of(&fs::read_to_string(entry.path().join("syscall")).unwrap_or_default()));
        }
    }
}

impl Seen {
    /// `202 0x55.. 0x80 0x0 0x0 0x0 0x0 0x7f.. 0x7f..`: call, six arguments, stack pointer, program counter.
    fn of(text: &str) -> Seen {
        let mut words = text.split_ascii_whitespace();
        let call = words.next().and_then(|number| number.parse::<usize>().ok());
        let rest: Vec<usize> =
            words.map_while(|w| usize::from_str_radix(w.trim_start_matches("0x"), 16).ok()).collect();
        let call = call.and_then(|call| Some([call, *rest.first()?, *rest.get(1)?, *rest.get(6)?]));
        Seen { call }
    }

    /// It may sleep on a word in `[from, to)` that the kernel knows by its page and not by its address: a futex that is
    /// not private.
    fn may_sleep_by_page(&self, from: usize, to: usize) -> bool {
        const FUTEX_WAITV: usize = 449;
        match self.call {
            Some([call, word, operation, _]) if call == libc::SYS_futex as usize => {
                (from..to).contains(&word) && operation & libc::FUTEX_PRIVATE_FLAG as usize == 0
            }
            Some([call, ..]) => call == FUTEX_WAITV,
            None => true,
        }
    }
}

/// Whether the stack of the calling thread lies in `[from, to)`.
pub(crate) fn own_stack_in(from: usize, to: usize) -> bool {
    let here = 0u8;
    (from..to).contains(&(&raw const here as usize))
}

/// Whether the stack of the calling thread, or of another one that sleeps, lies in `[from, to)`.
pub(crate) fn any_stack_in(from: usize, to: usize) -> bool {
    let mut found = own_stack_in(from, to);
    others(|_, seen| found |= seen.call.is_some_and(|[.., stack]| (from..to).contains(&stack)));
    found
}

/// The signal by which glibc has every thread change its user or group. Two things make it the right one. No thread can
/// block it. And glibc's handler, which is there as soon as a second thread is, ignores it where glibc has not sent it.
/// Calls that it interrupts go on (`SA_RESTART`).
const SIGSETXID: libc::c_int = 33;

/// Has the threads that sleep on words in `[from, to)` go to sleep again, because the pages there are others than when
/// they went to sleep. Only those are interrupted: some calls do not go on after a signal.
pub(crate) fn sleep_again(from: usize, to: usize) {
    let mut ignored = None;
    others(|tid, seen| {
        if seen.may_sleep_by_page(from, to) && *ignored.get_or_insert_with(is_handled) {
            interrupt(tid);
        }
    });
}

/// The signal has a handler: without one it would end the process.
fn is_handled() -> bool {
    // The handler is the first word of the kernel's structure. glibc's own `sigaction` refuses this signal.
    let mut action = [0usize; 4];
    let none = core::ptr::null::<usize>();
    // SAFETY: the kernel writes its structure of four words, the last of which is a set of 64 signals.
    let done = unsafe { libc::syscall(libc::SYS_rt_sigaction, SIGSETXID, none, action.as_mut_ptr(), 8) };
    done == 0 && ![libc::SIG_DFL, libc::SIG_IGN].contains(&action[0])
}

fn interrupt(tid: libc::pid_t) {
    // SAFETY: all bytes zero is a value of this structure, and the kernel reads it. `si_code` says that no kill() and
    // no tgkill() has sent the signal, so glibc's handler returns at once.
    unsafe {
        let mut info: libc::siginfo_t = core::mem::zeroed();
        info.si_signo = SIGSETXID;
        info.si_code = libc::SI_QUEUE;
        // A thread that has ended meanwhile does not sleep.
        libc::syscall(libc::SYS_rt_tgsigqueueinfo, process::pid(), tid, SIGSETXID, &raw const info);
    }
}
