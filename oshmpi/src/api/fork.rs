//! `_Fork`, `clone` and `syscall` in place of the C library's: they make a process without the fork handlers that give
//! a child its own static variables and tell it that it is no PE. Here the same is done around these calls. So are
//! `_exit` and `_Exit`: a PE that ends by them prints a line, which no other process can. The symbols are weak, like
//! those of the MPI calls that the library intercepts. A program that loads the library by `dlopen` uses the C
//! library's functions.

use crate::memory::statics;
use crate::ops::life;
use crate::os::map;
use core::ffi::{CStr, c_int, c_long, c_void};
use core::mem::transmute;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A function of the C library that one of this library hides.
struct Hidden {
    name: &'static CStr,
    at: AtomicPtr<c_void>,
}

impl Hidden {
    const fn new(name: &'static CStr) -> Hidden {
        Hidden { name, at: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// Its address. It is looked up when the library is loaded, because a lookup is nothing for a signal handler, or
    /// earlier by a library that is loaded first.
    fn at(&self) -> *mut c_void {
        let mut at = self.at.load(Ordering::Relaxed);
        if at.is_null() {
            // SAFETY: the name is a C string; the lookup runs no code of the libraries.
            at = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
            self.at.store(at, Ordering::Relaxed);
        }
        at
    }
}

static FORK: Hidden = Hidden::new(c"_Fork");
static CLONE: Hidden = Hidden::new(c"clone");
static SYSCALL: Hidden = Hidden::new(c"syscall");

extern "C" fn look_up() {
    for hidden in [&FORK, &CLONE, &SYSCALL] {
        hidden.at();
    }
}

/// Calls [`look_up`] at load.
#[used]
// SAFETY: the loader calls each function of this section once, with the program's arguments, which a C function may
// ignore.
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = look_up;

/// Makes a process by `make`, which returns 0 in the child, with what fork handlers would do.
fn as_fork<T: Copy + Into<i64>>(make: impl FnOnce() -> T) -> T {
    statics::before_fork();
    let made = make();
    if made.into() == 0 {
        in_child();
    } else {
        statics::in_parent();
    }
    made
}

fn in_child() {
    statics::in_child();
    life::in_child();
}

#[unsafe(no_mangle)]
extern "C" fn oshmpi_fork_at_once() -> c_int {
    // SAFETY: a C library without this function has no program that calls it; the other has the type of fork.
    let fork: Option<extern "C" fn() -> c_int> = unsafe { transmute(FORK.at()) };
    fork.map_or(-1, |fork| as_fork(|| fork()))
}

type Main = unsafe extern "C" fn(*mut c_void) -> c_int;
type Clone = unsafe extern "C" fn(Main, *mut c_void, c_int, *mut c_void, usize, usize, usize) -> c_int;

/// The function that a cloned process runs, and its argument.
struct Run(Main, *mut c_void);

unsafe extern "C" fn run(run: *mut c_void) -> c_int {
    in_child();
    // SAFETY: `oshmpi_clone` has passed a `Run` of its own frame, which this process has a copy of, with what the
    // program has promised to be right for each other.
    unsafe {
        let Run(main, arg) = &*run.cast::<Run>();
        main(*arg)
    }
}

/// The last three arguments are there if the flags say so. Otherwise their values mean nothing.
#[unsafe(no_mangle)]
unsafe extern "C" fn oshmpi_clone(
    main: Main,
    stack: *mut c_void,
    flags: c_int,
    arg: *mut c_void,
    parent: usize,
    tls: usize,
    child: usize,
) -> c_int {
    // SAFETY: every C library of Linux has the function, with these arguments.
    let clone: Clone = unsafe { transmute(CLONE.at()) };
    if flags & libc::CLONE_VM != 0 {
        // SAFETY: the caller's arguments, passed on.
        return unsafe { clone(main, stack, flags, arg, parent, tls, child) };
    }
    let inside = Run(main, arg);
    let inside = (&raw const inside).cast_mut().cast();
    // The process cannot replace the static variables while it runs on a stack among them.
    let own_stack = statics::hold(stack as usize - 1).then(|| map::private(STACK)).and_then(Result::ok);
    let stack = own_stack.map_or(stack, |at| (at + STACK) as *mut c_void);
    statics::before_fork();
    // SAFETY: the caller's arguments, but for the function and maybe the stack: the process has a copy of this frame,
    // in which `Run` lies, and of the memory mapped above.
    let made = unsafe { clone(run, stack, flags, inside, parent, tls, child) };
    statics::in_parent();
    if let Some(at) = own_stack {
        // SAFETY: mapped above, and used by the other process only, which has a copy.
        unsafe { map::unmap(at, STACK) };
    }
    made
}

/// Bytes: the stack of a process in place of one that lies in static data. What is not touched costs nothing.
const STACK: usize = 8 << 20;

/// Whether a system call makes a process that goes on behind the call, with a copy of the caller's memory.
///
/// # Safety
/// The arguments are right for the call.
unsafe fn forks(number: c_long, a: usize, b: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    if number == libc::SYS_fork {
        return true;
    }
    /// The kernel's structure for clone3 begins with the flags; its sixth word is the stack.
    const STACK: usize = 5;
    let (flags, stack) = match number {
        libc::SYS_clone => (a, b),
        // SAFETY: the caller promises such a structure, of at least eight words.
        libc::SYS_clone3 if b >= 64 => unsafe { (*(a as *const usize), *(a as *const usize).add(STACK)) },
        _ => return false,
    };
    flags & libc::CLONE_VM as usize == 0 && stack == 0
}

/// Six arguments at most, as `syscall` passes on to the kernel whatever the call has.
#[unsafe(no_mangle)]
unsafe extern "C" fn oshmpi_syscall(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> c_long {
    type Syscall = unsafe extern "C" fn(c_long, usize, usize, usize, usize, usize, usize) -> c_long;
    // SAFETY: every C library of Linux has the function; these are its arguments.
    let syscall: Syscall = unsafe { transmute(SYSCALL.at()) };
    // SAFETY: the caller's arguments, passed on.
    let call = || unsafe { syscall(number, a, b, c, d, e, f) };
    // SAFETY: the caller's arguments.
    if unsafe { forks(number, a, b) } { as_fork(call) } else { call() }
}

core::arch::global_asm!(
    ".weak _Fork",
    ".set _Fork, oshmpi_fork_at_once",
    ".weak clone",
    ".set clone, oshmpi_clone",
    ".weak syscall",
    ".set syscall, oshmpi_syscall",
);

#[unsafe(no_mangle)]
extern "C" fn oshmpi_exit_at_once(status: c_int) -> ! {
    life::exit_at_once(status)
}

core::arch::global_asm!(
    ".weak _exit",
    ".set _exit, oshmpi_exit_at_once",
    ".weak _Exit",
    ".set _Exit, oshmpi_exit_at_once",
);
