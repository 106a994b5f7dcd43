//! Memory that PEs may share, and the proof that they do: a PE is on my node when I can open the memory it made and
//! read its random token there. Host names, PMI mappings and MPI's opinion play no part.

use super::liveness::LivenessPlan;
use super::pe_info::PeInfo;
use crate::diag::fatal_alike;
use crate::memory::node::TOKEN_BYTES;
use crate::os::{memfd, pass};
use pmi_shm::limits;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// What an exchange has found out.
pub(crate) struct Found {
    /// Of all PEs of the job.
    pub(crate) infos: Vec<PeInfo>,
    /// The PE that made the memory of this node, and the PEs that have opened it, in ascending order.
    pub(crate) leader: u32,
    pub(crate) here: Vec<u32>,
    /// Of every PE of the job: the first PE on its node. None when all are on one.
    pub(crate) leaders: Option<Vec<u32>>,
    /// The node's memory, before it has its size.
    pub(crate) memory: OwnedFd,
    /// How other hosts are watched, on the first PE of a node.
    pub(super) watch: Option<LivenessPlan>,
}

/// Makes memory with the PE info's token at its head, and notes it in the PE info.
pub(crate) fn create_memory(info: &mut PeInfo) -> io::Result<OwnedFd> {
    let own = memfd::create()?;
    let write = memfd::write_at(&own.fd, &pass::token_bytes(info.token), 0);
    write.map_err(|e| own.located(e))?;
    (info.fd, info.on_disk) = (own.fd.as_raw_fd() as u64, own.on_disk);
    Ok(own.fd)
}

/// A PE that can make no memory cannot take part in anything, not even in finding out who else cannot.
pub(crate) fn no_memory(e: &io::Error) -> ! {
    let advice = "allow memfd_create in the container, or give it a writable /dev/shm with room";
    let advice = limits::advice(e).unwrap_or(advice);
    fatal_alike("shmem_init", format_args!("cannot make shared memory: {e}: {advice}"))
}

/// Opens the memory a PE info tells of.
pub(crate) fn open(info: &PeInfo) -> Option<OwnedFd> {
    let fd = memfd::open_of(u32::try_from(info.pid).ok()?, i32::try_from(info.fd).ok()?).ok()?;
    prove(fd, info.token)
}

/// Gives the memory back if it is the one of this token. Only a PE that sees that memory finds the token there.
pub(crate) fn prove(memory: OwnedFd, token: pass::Token) -> Option<OwnedFd> {
    let mut bytes = [0u8; TOKEN_BYTES];
    memfd::read_at(&memory, &mut bytes, 0).ok()?;
    (bytes == pass::token_bytes(token)).then_some(memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::process;

    /// A memory that is not the one on the PE info does not pass, though it can be opened.
    #[test]
    fn a_wrong_token_is_no_proof() {
        let mut info = PeInfo { pid: u64::from(process::pid()), token: [7, 8], ..PeInfo::default() };
        let _own = create_memory(&mut info).unwrap();
        assert!(open(&info).is_some());
        info.token[1] ^= 1;
        assert!(open(&info).is_none());
        info.token[1] ^= 1;
        info.pid = 0;
        assert!(open(&info).is_none());
    }
}
