//! Memory that PEs may share, and the proof that they do: a PE is on my node when I can open the memory it made and
//! read its random token there. Host names, PMI mappings and MPI's opinion play no part.

use super::liveness::LivenessPlan;
use super::pe_info::PeInfo;
use crate::diag::{fatal_alike, print};
use crate::env::{Env, Pages, TransportBy};
use crate::memory::node::{Shape, TOKEN_BYTES};
use crate::memory::placement::{self, Placement};
use crate::memory::places::Places;
use crate::os::{huge, memfd, pass, sched};
use pmi_shm::limits;
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// What an exchange has found out.
pub(crate) struct FoundNode {
    /// The PE infos of the PEs of this host in the order of PEs, those that OSHMPI_ROUTE=mpi keeps apart included, and
    /// which of them is this PE's.
    pub(crate) mates: Vec<PeInfo>,
    pub(crate) own: usize,
    /// The PE that made the memory of this node, and the PEs that have opened it.
    pub(crate) leader: u32,
    pub(crate) here: Places,
    /// The node's memory, what stands at its head, and whether it counts towards the size of a file system. It has no
    /// size yet, or already the one that `shape` tells.
    pub(crate) memory: OwnedFd,
    /// The file of the node's heaps, if they are in reserved huge pages.
    pub(crate) heaps: Option<OwnedFd>,
    pub(crate) token: pass::Token,
    pub(crate) on_disk: bool,
    pub(crate) view: View,
    /// The PEs that run another executable than PE 0, on PE 0.
    pub(crate) other_programs: Vec<u32>,
    /// How other hosts are watched, on the first PE of a node.
    pub(super) watch: Option<LivenessPlan>,
}

/// What a PE learns of the job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct View {
    pub(crate) machine: Machine,
    /// The library of the network that all PEs would take between nodes.
    pub(crate) takes: TransportBy,
    pub(crate) same_program: bool,
    /// Bytes of static variables, equal on all PEs, or 0.
    pub(crate) data: u64,
    /// None: the table in the node's memory tells it, and has been written.
    pub(crate) placement: Option<Placement>,
}

/// All PEs of the job on one machine. They are on several nodes if these are containers.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) pes: u64,
    pub(crate) cores: sched::CpuSet,
    /// The kernel schedules some of them as parts of other groups.
    pub(crate) apart: bool,
}

impl Machine {
    /// The machine of the PE that told `own`.
    pub(super) fn of<'a>(infos: impl Iterator<Item = &'a PeInfo>, own: &PeInfo) -> Machine {
        infos
            .filter(|info| info.machine == own.machine)
            .fold(Machine::default(), |all, info| all.with(1, &info.cores, info.group != own.group))
    }

    pub(super) fn with(&self, pes: u64, cores: &sched::CpuSet, apart: bool) -> Machine {
        Machine { pes: self.pes + pes, cores: self.cores.union(cores), apart: self.apart || apart }
    }
}

/// The shape of a node's memory, for `pes` PEs with so many bytes of static variables. All of them compute the same.
pub(super) fn shape(env: &Env, data: u64, pes: usize, placement: Option<&Placement>, job: u32) -> Option<Shape> {
    Shape::new(pes, env.heap.0 as usize, data as usize, if placement.is_some() { 0 } else { job as usize })
}

/// The placement of the job on these nodes. If it is irregular, it is written into the memory of this node of `pes`
/// PEs.
pub(super) fn place(nodes: &[Places], memory: &OwnedFd, env: &Env, data: u64, pes: usize) -> Option<Placement> {
    let job = nodes[0].job();
    let placement = Placement::of_nodes(nodes, job);
    if placement.is_none()
        && let Some(shape) = shape(env, data, pes, None, job)
    {
        // The memory gets its size from all PEs of the node next, and an error is found again then.
        let _ = placement::write_table(memory, shape.total(), shape.placement, nodes);
    }
    placement
}

/// Makes memory with the PE info's token at its head, and notes it in the PE info.
pub(crate) fn create_memory(info: &mut PeInfo) -> io::Result<OwnedFd> {
    let own = memfd::create()?;
    let write = memfd::write_at(&own.fd, &pass::token_bytes(info.token), 0);
    write.map_err(|e| own.located(e))?;
    (info.fd, info.on_disk) = (own.fd.as_raw_fd() as u64, own.on_disk);
    Ok(own.fd)
}

/// Makes the file of the heaps of `pes` PEs of a node, if they are to be in reserved huge pages and the system has
/// enough of them for all. If the user has asked for such pages, one line tells why there is none.
pub(super) fn huge_heaps(env: &Env, pes: usize) -> Option<OwnedFd> {
    let from = match env.pages {
        Pages::Auto => huge::From::Free,
        Pages::Reserved => huge::From::Anywhere,
        Pages::Small | Pages::Transparent => return None,
    };
    // MPI allocates these heaps.
    if env.transport == TransportBy::Rma || env.heap.0 == 0 {
        return None;
    }
    let all = (env.heap.0 as usize).div_ceil(huge::SIZE).saturating_mul(pes);
    match huge::file(all, from) {
        Ok(file) => Some(file),
        Err(lack) => {
            if env.pages == Pages::Reserved {
                print(format_args!("OSHMPI_PAGES is reserved: {lack}; other pages are used"));
            }
            None
        }
    }
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
