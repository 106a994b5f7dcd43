//! Every MPI call of the library: one call site per function, return codes read, and always by the `PMPI_` name, so
//! that an MPI profiling tool sees only what the program calls.

pub(crate) mod blocks;
pub(crate) mod collective;
pub(crate) mod faults;
mod library;
pub(crate) mod life;
pub(crate) mod message;
pub(crate) mod request;
pub(crate) mod rma;
pub(crate) mod window;

use library::constants;
pub(crate) use library::is_there;
pub(crate) use life::{ensure, query_thread, thread_level};

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use oshmpi_mpi_table as sys;
use std::fmt;

/// Why something between nodes has failed.
#[derive(Debug)]
pub(crate) enum MpiError {
    /// An MPI call did not return success.
    Call { call: &'static str, code: c_int },
    /// This library found the fault, which is told in its words.
    Found(String),
}

impl MpiError {
    /// The code that an MPI routine gives its caller.
    pub(crate) fn code(&self) -> c_int {
        match *self {
            MpiError::Call { code, .. } => code,
            MpiError::Found(_) => constants().oshmpi_mpi_err_other.max(1),
        }
    }

    /// A message was longer than the room for it.
    pub(crate) fn is_truncation(&self) -> bool {
        let MpiError::Call { code, .. } = *self else { return false };
        let mut class: c_int = 0;
        mpi!(PMPI_Error_class(code, &mut class)).is_ok() && class == constants().oshmpi_mpi_err_truncate
    }
}

impl fmt::Display for MpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (call, code) = match self {
            MpiError::Call { call, code } => (call, *code),
            MpiError::Found(text) => return f.write_str(text),
        };
        let mut text = [0u8; 1024]; // MPI_MAX_ERROR_STRING is at most 1024 in the MPIs there are
        let mut len: c_int = 0;
        // SAFETY: the buffer is as long as the longest error string.
        let told = unsafe { mpi_buffers!(PMPI_Error_string(code, text.as_mut_ptr().cast(), &mut len)) };
        let text = if told.is_ok() { &text[..(len.max(0) as usize).min(text.len())] } else { &b"unknown error"[..] };
        write!(f, "{call} failed: {}", String::from_utf8_lossy(text).trim())
    }
}

impl std::error::Error for MpiError {}

/// Calls an MPI function that gets no buffer, and reads its return code. With a buffer the call does not compile: see
/// [`no_buffer`].
macro_rules! mpi {
    ($f:ident($($a:expr),* $(,)?)) => {
        // SAFETY: numbers, MPI's constants, handles that MPI made and that are not used after they were freed, and
        // references to what the call reads or writes before it returns.
        unsafe { $crate::mpi::mpi_buffers!($f($($crate::mpi::no_buffer($a)),*)) }
    };
}
pub(crate) use mpi;

/// As [`mpi!`], for a function that gets buffers or text. To be called in an `unsafe` block that says why they can be
/// used until the operation has ended.
macro_rules! mpi_buffers {
    ($f:ident($($a:expr),* $(,)?)) => {{
        match $crate::mpi::library::table() {
            Some(table) => match (table.$f)($($a),*) {
                0 => Ok(()),
                code => Err($crate::mpi::MpiError::Call { call: stringify!($f), code }),
            },
            None => Err($crate::mpi::MpiError::Found("no MPI is loaded".to_owned())),
        }
    }};
}
pub(crate) use mpi_buffers;

/// An argument that is no buffer. For buffers and text the compiler finds two implementations, and cannot choose.
pub(crate) trait NoBuffer<Which> {}
impl<T> NoBuffer<()> for T {}
impl NoBuffer<u8> for *const c_void {}
impl NoBuffer<u8> for *mut c_void {}
impl NoBuffer<u8> for *const c_char {}
impl NoBuffer<u8> for *mut c_char {}

pub(crate) fn no_buffer<Which, T: NoBuffer<Which>>(argument: T) -> T {
    argument
}

/// The rank that a status names, of a call that has returned.
fn source(status: &sys::MPI_Status) -> u32 {
    // SAFETY: MPI has written it.
    library::table().map_or(0, |table| unsafe { (table.source)(status) } as u32)
}

/// MPI was initialised by anybody (and may be finalized since).
pub(crate) fn initialized() -> bool {
    let mut flag: c_int = 0;
    mpi!(PMPI_Initialized(&mut flag)).is_ok() && flag != 0
}

/// MPI has really ended.
pub(crate) fn finalized() -> bool {
    let mut flag: c_int = 0;
    mpi!(PMPI_Finalized(&mut flag)).is_ok() && flag != 0
}

/// MPI can be called now.
pub(crate) fn usable() -> bool {
    initialized() && !finalized() && !life::Event::Left.has_happened()
}

/// Any thread may call MPI at any time.
pub(crate) fn serves_all_threads() -> bool {
    query_thread().is_ok_and(|level| level >= thread_level(3))
}

/// The library is MPICH or made from it.
pub(crate) fn is_mpich() -> bool {
    version().contains("MPICH")
}

pub(crate) fn is_open_mpi() -> bool {
    version().starts_with("Open MPI")
}

/// The first number of Open MPI's version; `None`: the library is another.
pub(crate) fn open_mpi_version() -> Option<u32> {
    let version = version();
    let number = version.strip_prefix("Open MPI v")?.split('.').next()?;
    number.parse().ok()
}

/// For messages where a launcher's processes do not find each other through MPI: what is wrong, and what to do.
pub(crate) fn launcher_of_another_mpi() -> &'static str {
    if is_mpich() {
        "the launcher is not that of MPICH, which this process has loaded; start with oshrun or MPICH's mpiexec \
         (Debian: mpiexec.mpich), or name the launcher's MPI by OSHMPI_MPI_LIBRARY"
    } else if is_open_mpi() {
        "the launcher is not that of Open MPI, which this process has loaded; start with oshrun --pmix yes or Open \
         MPI's mpiexec (Debian: mpiexec.openmpi), or name the launcher's MPI by OSHMPI_MPI_LIBRARY"
    } else {
        "the launcher belongs to another MPI than the one that this process has loaded; start with oshrun or the \
         mpiexec of that MPI, or name the launcher's MPI by OSHMPI_MPI_LIBRARY"
    }
}

/// What the MPI that this process takes calls itself. May be asked at any time. Without an MPI it is empty.
fn version() -> String {
    let _ = library::load();
    let mut text = [0u8; 8192 + 1]; // MPI_MAX_LIBRARY_VERSION_STRING is at most 8192 in the MPIs there are
    let mut len: c_int = 0;
    // SAFETY: the text is as long as MPI's longest.
    let asked = unsafe { mpi_buffers!(PMPI_Get_library_version(text.as_mut_ptr().cast(), &mut len)) };
    let len = if asked.is_ok() { (len.max(0) as usize).min(text.len()) } else { 0 };
    String::from_utf8_lossy(&text[..len]).into_owned()
}

/// The number of bytes of a message as MPI takes it.
fn count(len: usize) -> Result<c_int, MpiError> {
    let most = c_int::MAX;
    let too_long = |_| MpiError::Found(format!("a message of {len} bytes is longer than the {most} that MPI takes"));
    c_int::try_from(len).map_err(too_long)
}

/// MPI's unsigned type of 1, 2, 4 or 8 bytes.
fn word(bytes: usize) -> sys::MPI_Datatype {
    let all = constants();
    match bytes {
        1 => all.RSMPI_UINT8_T,
        2 => all.RSMPI_UINT16_T,
        4 => all.RSMPI_UINT32_T,
        8 => all.RSMPI_UINT64_T,
        _ => unreachable!("words have 1, 2, 4 or 8 bytes"),
    }
}

static COMMUNICATORS: AtomicU32 = AtomicU32::new(0);

/// Communicators made so far.
pub(crate) fn communicators() -> u32 {
    COMMUNICATORS.load(Ordering::Relaxed)
}

/// A communicator: of all processes, or of a group.
pub(crate) struct Comm(sys::MPI_Comm);

impl Comm {
    /// The world itself, for collectives only. They have an order that all processes share, since shmem_init is
    /// collective too, and they receive no messages. Copying the communicator would cost several collectives more.
    pub(crate) fn shared_world() -> Comm {
        Comm(constants().RSMPI_COMM_WORLD)
    }

    /// A copy of the world: the library receives no message of the program there. Never freed: it lives as long as
    /// MPI.
    pub(crate) fn world() -> Result<Comm, MpiError> {
        Comm::copy(constants().RSMPI_COMM_WORLD)
    }

    /// A communicator of this process alone.
    pub(crate) fn alone() -> Result<Comm, MpiError> {
        Comm::copy(constants().RSMPI_COMM_SELF)
    }

    fn copy(of: sys::MPI_Comm) -> Result<Comm, MpiError> {
        let mut own = constants().RSMPI_COMM_NULL;
        mpi!(PMPI_Comm_dup(of, &mut own))?;
        Comm::made(own)
    }

    /// A communicator that has just been made: MPI returns errors instead of ending the program.
    fn made(own: sys::MPI_Comm) -> Result<Comm, MpiError> {
        COMMUNICATORS.fetch_add(1, Ordering::Relaxed); // a number for people
        let errors_return = constants().RSMPI_ERRORS_RETURN;
        mpi!(PMPI_Comm_set_errhandler(own, errors_return))?;
        Ok(Comm(own))
    }

    /// A communicator of `size` ranks of this one: `first`, `first + stride` and so on, in that order. Collective over
    /// them, and blocking; the others are not needed. Of makings under way at a time between the same ranks each has a
    /// `tag` of its own.
    pub(crate) fn part(&self, first: u32, stride: i32, size: u32, tag: c_int) -> Result<Comm, MpiError> {
        let (null, none) = (constants().RSMPI_GROUP_NULL, constants().RSMPI_COMM_NULL);
        let (mut all, mut members, mut own) = (null, null, none);
        let first = first as c_int;
        let mut range = [first, first + (size as c_int - 1) * stride, stride];
        mpi!(PMPI_Comm_group(self.0, &mut all))?;
        let made = mpi!(PMPI_Group_range_incl(all, 1, &mut range, &mut members))
            .and_then(|()| mpi!(PMPI_Comm_create_group(self.0, members, tag, &mut own)));
        for mut group in [all, members].into_iter().filter(|&group| group != null) {
            mpi!(PMPI_Group_free(&mut group))?;
        }
        made.and_then(|()| Comm::made(own))
    }

    /// The processes that share memory with this one as MPI says, in the order of the world. Collective over the world.
    pub(crate) fn of_node() -> Result<Comm, MpiError> {
        let all = constants();
        let mut own = all.RSMPI_COMM_NULL;
        let (world, shared, info) = (all.RSMPI_COMM_WORLD, all.RSMPI_COMM_TYPE_SHARED, all.RSMPI_INFO_NULL);
        mpi!(PMPI_Comm_split_type(world, shared, 0, info, &mut own))?;
        Comm::made(own)
    }

    /// The processes that give the same number, in the order of the world. Collective over the world.
    pub(crate) fn of_number(number: Option<u32>) -> Result<Option<Comm>, MpiError> {
        let (world, none, undefined) =
            (constants().RSMPI_COMM_WORLD, constants().RSMPI_COMM_NULL, constants().RSMPI_UNDEFINED);
        let mut own = none;
        mpi!(PMPI_Comm_split(world, number.map_or(undefined, |number| number as c_int), 0, &mut own))?;
        number.map(|_| Comm::made(own)).transpose()
    }

    /// Gives the communicator back to MPI. It is not used afterwards. Collective over its ranks.
    pub(crate) fn free(&mut self) -> Result<(), MpiError> {
        mpi!(PMPI_Comm_free(&mut self.0))
    }

    /// Gives the communicator back to MPI. Collective over its ranks.
    pub(crate) fn end(mut self) -> Result<(), MpiError> {
        self.free()
    }

    pub(crate) fn raw(&self) -> sys::MPI_Comm {
        self.0
    }

    pub(crate) fn rank(&self) -> Result<u32, MpiError> {
        let mut rank: c_int = 0;
        mpi!(PMPI_Comm_rank(self.0, &mut rank))?;
        Ok(rank as u32)
    }

    pub(crate) fn size(&self) -> Result<u32, MpiError> {
        let mut size: c_int = 0;
        mpi!(PMPI_Comm_size(self.0, &mut size))?;
        Ok(size as u32)
    }

    /// Everybody's bytes, in rank order. One MPI collective while all are short: with more processes than cores a
    /// collective can take tens of milliseconds.
    pub(crate) fn allgather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, MpiError> {
        const SHORT: usize = 512;
        let size = self.size()? as usize;
        let mut record = [0u8; SHORT + 4];
        record[..4].copy_from_slice(&count(mine.len())?.to_le_bytes());
        let short = mine.len().min(SHORT);
        record[4..4 + short].copy_from_slice(&mine[..short]);
        let all = self.allgather_equal(&record, size)?;
        let len_of = |r: &[u8]| u32::from_le_bytes([r[0], r[1], r[2], r[3]]) as usize;
        let longest = all.chunks_exact(SHORT + 4).map(len_of).max().unwrap_or(0);
        if longest <= SHORT {
            return Ok(all.chunks_exact(SHORT + 4).map(|r| r[4..4 + len_of(r)].to_vec()).collect());
        }
        let mut padded = mine.to_vec();
        padded.resize(longest, 0);
        let whole = self.allgather_equal(&padded, size)?;
        let lens = all.chunks_exact(SHORT + 4).map(len_of);
        Ok(whole.chunks_exact(longest).zip(lens).map(|(bytes, len)| bytes[..len].to_vec()).collect())
    }

    fn allgather_equal(&self, mine: &[u8], size: usize) -> Result<Vec<u8>, MpiError> {
        let len = count(mine.len())?;
        let mut all = vec![0u8; mine.len() * size];
        let byte = constants().RSMPI_UINT8_T;
        let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
        // SAFETY: `mine` has `len` bytes, and `all` as many for each rank. The call is blocking.
        unsafe { mpi_buffers!(PMPI_Allgather(from, len, byte, to, len, byte, self.0)) }?;
        Ok(all)
    }

    /// The least of everybody's numbers, place by place. Collective.
    pub(crate) fn least(&self, mine: &[u64]) -> Result<Vec<u64>, MpiError> {
        let mut all = vec![0u64; mine.len()];
        let n = mine.len() as c_int; // a handful
        let (ty, min) = (constants().RSMPI_UINT64_T, constants().RSMPI_MIN);
        let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
        // SAFETY: both have `n` numbers. The call is blocking.
        unsafe { mpi_buffers!(PMPI_Allreduce(from, to, n, ty, min, self.0)) }?;
        Ok(all)
    }

    /// Looks for messages that nobody sends: gives MPI the processor, which some need to serve one-sided calls. MPICH
    /// gives it up at once where it finds a message, so a message that waits for its receiver must not be found.
    pub(crate) fn poll(&self) {
        /// No part of the library sends with this tag.
        const UNUSED: c_int = 32767;
        let (mut flag, tag): (c_int, c_int) = (0, UNUSED);
        let (source, ignore) = (constants().RSMPI_ANY_SOURCE, constants().RSMPI_STATUS_IGNORE);
        // A failure shows in the call that matters.
        let _ = mpi!(PMPI_Iprobe(source, tag, self.0, &mut flag, ignore));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_library_finds_is_told_in_its_words() {
        assert_eq!(count(7).unwrap(), 7);
        let told = count(1 << 31).unwrap_err().to_string();
        assert_eq!(told, "a message of 2147483648 bytes is longer than the 2147483647 that MPI takes");
    }
}
