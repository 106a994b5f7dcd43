//! The places, and how a job has to take each.

use crate::refuse::With;

/// Where a job is run.
pub struct Place {
    pub name: &'static str,
    /// Shell commands in a mount namespace of its own, in which `/dev/shm` is empty and large.
    pub setup: &'static str,
    /// System calls that fail, and how.
    pub refused: &'static [&'static str],
    pub with: With,
    /// What the launcher is started behind: `prlimit`.
    pub limits: &'static [&'static str],
    /// What every PE is started behind.
    pub each: &'static [&'static str],
    pub env: &'static [(&'static str, &'static str)],
    /// Of symmetric heap that every PE touches.
    pub mib: u32,
    pub expected: Expected,
}

/// How a job ends.
pub enum Expected {
    /// Well; PEs reach each other's memory by loads and stores.
    Shared,
    /// The same, but the variables of other PEs by other ways.
    SharedHeaps,
    /// Well; each PE is a node of its own.
    ByMpi,
    /// With an error, and one line of which this is a part.
    Line(&'static str),
}

const USUAL: Place = Place {
    name: "",
    setup: "",
    refused: &[],
    with: With::Eperm,
    limits: &[],
    each: &[],
    env: &[],
    mib: 1,
    expected: Expected::Shared,
};

const MEMFD: &[&str] = &["memfd_create"];
const COPYING: &[&str] = &["process_vm_readv", "process_vm_writev"];
/// What profiles of containers have refused at one time or another.
const ALL: &[&str] = &[
    "memfd_create",
    "process_vm_readv",
    "process_vm_writev",
    "ptrace",
    "pidfd_open",
    "pidfd_getfd",
    "membarrier",
    "futex_waitv",
    "io_uring_setup",
    "clone3",
    "close_range",
    "rseq",
    "statx",
];

const NO_ROOM: &str = "No space left on device (os error 28); memfd_create is refused, so memory is taken from /dev/shm: make that larger, or allow memfd_create";

/// PEs that share nothing by which an MPI could reach them.
const EACH_ALONE: &[&str] =
    &["unshare", "--map-root-user", "--mount", "--pid", "--fork", "--ipc", "--net", "--mount-proc"];

pub const PLACES: &[Place] = &[
    // /dev/shm
    Place { name: "64 MiB of /dev/shm", setup: "mount -t tmpfs -o size=64m tmpfs /dev/shm", mib: 100, ..USUAL },
    Place {
        name: "64 MiB of /dev/shm, no memfd",
        setup: "mount -t tmpfs -o size=64m tmpfs /dev/shm",
        refused: MEMFD,
        ..USUAL
    },
    Place {
        name: "64 MiB of /dev/shm, no memfd, a heap that does not fit",
        setup: "mount -t tmpfs -o size=64m tmpfs /dev/shm",
        refused: MEMFD,
        mib: 40,
        expected: Expected::Line(
            "shmem_malloc: no memory for 41943040 bytes: No space left on device (os error 28); memfd_create is refused, so memory is taken from /dev/shm: make that larger, or allow memfd_create",
        ),
        ..USUAL
    },
    Place { name: "a full /dev/shm", setup: FULL, ..USUAL },
    Place {
        name: "a full /dev/shm, no memfd",
        setup: FULL,
        refused: MEMFD,
        expected: Expected::Line(
            "shmem_init: cannot make shared memory: /dev/shm: No space left on device (os error 28): allow memfd_create in the container, or give it a writable /dev/shm with room",
        ),
        ..USUAL
    },
    Place {
        name: "1 MiB of /dev/shm, no memfd",
        setup: "mount -t tmpfs -o size=1m tmpfs /dev/shm",
        refused: MEMFD,
        expected: Expected::Line(NO_ROOM),
        ..USUAL
    },
    Place { name: "a read-only /dev/shm", setup: "mount -t tmpfs -o ro tmpfs /dev/shm", ..USUAL },
    Place {
        name: "a read-only /dev/shm, no memfd",
        setup: "mount -t tmpfs -o ro tmpfs /dev/shm",
        refused: MEMFD,
        expected: Expected::Line(
            "shmem_init: cannot make shared memory: memfd_create: Operation not permitted (os error 1); /dev/shm: Read-only file system (os error 30): allow memfd_create in the container, or give it a writable /dev/shm with room",
        ),
        ..USUAL
    },
    Place {
        name: "no /dev/shm, no memfd",
        setup: NO_DEV_SHM,
        refused: MEMFD,
        with: With::Enosys,
        expected: Expected::Line(
            "shmem_init: cannot make shared memory: memfd_create: Function not implemented (os error 38); /dev/shm: No such file or directory (os error 2): allow memfd_create in the container, or give it a writable /dev/shm with room",
        ),
        ..USUAL
    },
    // System calls
    Place { name: "no memfd", refused: MEMFD, with: With::Enosys, ..USUAL },
    Place { name: "no copying between processes", refused: COPYING, ..USUAL },
    Place {
        name: "no copying between processes, statics by the kernel",
        refused: COPYING,
        env: &[("OSHMPI_STATICS", "cma")],
        expected: Expected::SharedHeaps,
        ..USUAL
    },
    Place { name: "many calls are not permitted", refused: ALL, ..USUAL },
    Place { name: "many calls are not known", refused: ALL, with: With::Enosys, ..USUAL },
    Place {
        name: "many calls are not known, by MPI",
        setup: "mount -t tmpfs -o size=64m tmpfs /dev/shm",
        refused: ALL,
        with: With::Enosys,
        env: &[("OSHMPI_ROUTE", "mpi")],
        expected: Expected::ByMpi,
        ..USUAL
    },
    // File systems
    Place {
        name: "a read-only root, no HOME",
        setup: "unset HOME; mount --bind / / && mount -o remount,bind,ro /",
        ..USUAL
    },
    Place { name: "a read-only /tmp", setup: "mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp", ..USUAL },
    Place { name: "TMPDIR is not there", env: &[("TMPDIR", "/nowhere")], ..USUAL },
    Place { name: "no /proc", setup: "mount -t tmpfs -o ro tmpfs /proc", ..USUAL },
    Place { name: "no /sys", setup: "mount -t tmpfs -o ro tmpfs /sys", ..USUAL },
    Place {
        name: "no /proc, no /sys, 64 MiB of /dev/shm, many calls are not permitted",
        setup: "mount -t tmpfs -o size=64m tmpfs /dev/shm && mount -t tmpfs -o ro tmpfs /sys && mount -t tmpfs -o ro tmpfs /proc",
        refused: ALL,
        ..USUAL
    },
    // Namespaces
    Place { name: "every PE in its own user namespace", each: &["unshare", "--map-root-user"], ..USUAL },
    Place {
        name: "every PE in its own PID namespace",
        each: &["unshare", "--mount", "--pid", "--fork", "--mount-proc"],
        ..USUAL
    },
    Place { name: "every PE in its own network", each: &["unshare", "--net"], ..USUAL },
    Place {
        name: "every PE in its own IPC namespace",
        each: &["unshare", "--ipc"],
        expected: Expected::ByMpi,
        ..USUAL
    },
    Place {
        name: "every PE in a container of its own",
        each: EACH_ALONE,
        expected: Expected::Line(
            "shmem_init: PEs 0 and 1 are on one host in containers of their own: they share no memory, and MPI has to reach them over the network; where it cannot, start the whole job in one container, or give the containers common IPC and network namespaces (--ipc=host --network=host)",
        ),
        ..USUAL
    },
    Place {
        name: "the job in a container",
        limits: &["unshare", "--map-root-user", "--mount", "--pid", "--fork", "--ipc", "--net", "--mount-proc"],
        ..USUAL
    },
    // Limits of processes
    Place { name: "64 open files", limits: &["prlimit", "--nofile=64"], ..USUAL },
    Place { name: "no locked memory", limits: &["prlimit", "--memlock=0"], ..USUAL },
    Place {
        name: "1 GiB of addresses",
        limits: &["prlimit", "--as=1073741824"],
        expected: Expected::Line(
            "bytes of shared memory: Cannot allocate memory (os error 12); lower SHMEM_SYMMETRIC_SIZE or raise the limit of memory (ulimit -v)",
        ),
        ..USUAL
    },
    Place {
        name: "files of 1 MB",
        limits: &["prlimit", "--fsize=1000000"],
        expected: Expected::Line(
            "bytes of shared memory: File too large (os error 27); lower SHMEM_SYMMETRIC_SIZE or raise the limit of file sizes (ulimit -f)",
        ),
        ..USUAL
    },
];

const FULL: &str = "mount -t tmpfs -o size=4k tmpfs /dev/shm && head -c 4096 /dev/zero >/dev/shm/filler";

/// A /dev with nothing but null, which is reached by a descriptor when the old one is covered.
const NO_DEV_SHM: &str = "exec 9<>/dev/null && mount -t tmpfs tmpfs /dev && touch /dev/null && mount --bind /proc/self/fd/9 /dev/null && exec 9>&-";
