//! What each PE says about itself at start, and what all of them must agree on.

use super::BootError;
use crate::env::{AGREED, BadValue, Env, TransportBy};
use crate::memory::statics;
use crate::os::exe::DataSegment;
use crate::os::{map, network, process, sched};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What each PE says about itself at start.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct PeInfo {
    /// Machine, boot and IPC namespace. PEs in which it differs share no memory, which is known before anything is
    /// opened.
    pub(crate) node: u64,
    /// Machine and boot. Nodes that are containers of one machine share its cores.
    pub(crate) machine: u64,
    pub(crate) pid: u64,
    /// The memory that this PE has made, as a descriptor of process `pid`.
    pub(crate) fd: u64,
    /// That memory counts towards the size of a file system.
    pub(crate) on_disk: bool,
    /// What stands at the head of that memory.
    pub(crate) token: [u64; 2],
    /// What the kernel schedules this process as a part of: see `sched::group`.
    pub(crate) group: u64,
    /// Cores' worth of time its container may use.
    pub(crate) quota: u64,
    pub(crate) cores: sched::CpuSet,
    /// Where it runs, as a word of `Locality`.
    pub(crate) locality: u32,
    /// The library of the network that this PE would take between nodes (`Auto`: none). The job takes it if all PEs
    /// would.
    pub(crate) takes: TransportBy,
    /// Why this PE cannot start; empty when it can.
    pub(crate) problem: String,
    pub(super) common: Common,
}

impl PeInfo {
    /// What there is to say about this process, without the memory it makes.
    pub(crate) fn own(env: &Env, bad: Option<&BadValue>, exe: Option<DataSegment>) -> PeInfo {
        PeInfo {
            node: node_identity(),
            machine: machine_identity(),
            pid: u64::from(process::pid()),
            fd: u64::MAX,
            token: process::random_token(),
            group: sched::group(),
            quota: sched::quota(),
            cores: sched::CpuSet::allowed(),
            problem: bad.map(BadValue::to_string).unwrap_or_default(),
            common: Common {
                agreed: env.agreed(),
                program: exe.map_or(0, |seg| seg.identity),
                data: exe.map_or(0, |seg| statics::page_span(&seg, map::page()).len as u64),
            },
            ..PeInfo::default()
        }
    }

    /// The library that all these PEs would take.
    pub(super) fn all_take(takes: impl IntoIterator<Item = TransportBy>) -> TransportBy {
        let both = |all: TransportBy, one| if all == one { all } else { TransportBy::Auto };
        takes.into_iter().reduce(both).unwrap_or_default()
    }
}

/// A value as bytes, for PEs with the same version of this library.
pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("only a value without a plain form fails")
}

/// None if the bytes are not those of one value, such as those of another version.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (value, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(value)
}

/// What is equal on all PEs, or makes a difference.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Common {
    /// The settings on which PEs must agree.
    pub(super) agreed: [u64; AGREED.len()],
    /// Which executable this is.
    pub(super) program: u64,
    /// Bytes of static variables.
    pub(super) data: u64,
}

impl Common {
    pub(super) fn is_program_of(&self, other: &Common) -> bool {
        (self.program, self.data) == (other.program, other.data)
    }
}

/// The first setting in which PEs differ from PE 0. `odd` are the PEs that differ from it in anything.
pub(super) fn differing(zero: &Common, odd: &[(u32, Common)]) -> Option<BootError> {
    AGREED.iter().enumerate().find_map(|(setting, row)| {
        let others = || odd.iter().filter(|(_, other)| other.agreed[setting] != zero.agreed[setting]);
        let (_, first) = others().next()?;
        let (on_zero, on_others) = ((row.show)(zero.agreed[setting]), (row.show)(first.agreed[setting]));
        let others = others().map(|(pe, _)| *pe).collect();
        Some(BootError::Differs { name: row.name, on_zero, on_others, others })
    })
}

/// The kernel's id of this boot, equal in all containers of a machine and different on every other machine, and the IPC
/// namespace: whoever puts processes into different ones wants them not to share memory, though a common PID namespace
/// would let them.
fn node_identity() -> u64 {
    hashed((machine_identity(), namespace("ipc")))
}

/// The kernel's id of this boot alone.
pub(crate) fn machine_identity() -> u64 {
    // Without /proc the name of the host says no for most others, and memory that cannot be had for the rest.
    hashed(std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_else(|_| network::host_name()))
}

fn hashed(value: impl Hash) -> u64 {
    let mut hash = DefaultHasher::new();
    value.hash(&mut hash);
    hash.finish()
}

/// The number of this process's namespace of a kind; 0 without /proc.
pub(crate) fn namespace(kind: &str) -> u64 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(format!("/proc/self/ns/{kind}")).map_or(0, |m| m.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infos_travel_whole() {
        let mut info =
            PeInfo { pid: 7, on_disk: true, locality: 1 << 20, problem: "no".to_owned(), ..PeInfo::default() };
        info.cores.0[0] = 5;
        info.common.agreed = core::array::from_fn(|setting| 100 + setting as u64);
        assert_eq!(decode(&encode(&info)), Some(info.clone()));
        assert_eq!(decode::<PeInfo>(b"short"), None);
        assert_eq!(decode::<PeInfo>(&[encode(&info), vec![0]].concat()), None, "more than one value");
    }

    /// Each of these decides whether or how a PE goes through MPI, where it would wait for the others.
    #[test]
    fn settings_that_differ_are_named_by_pe_0() {
        let with = |name: &str, value: &str| {
            let (env, bad) = Env::load(|asked| (asked == name).then(|| value.to_owned()));
            PeInfo::own(&env, bad.as_ref(), None).common
        };
        let usual = with("", "");
        for (name, value) in [
            ("SHMEM_SYMMETRIC_SIZE", "1m"),
            ("OSHMPI_STATICS", "cma"),
            ("OSHMPI_ROUTE", "mpi"),
            ("OSHMPI_MPI", "always"),
            ("OSHMPI_TRANSPORT", "rma"),
            ("OSHMPI_COLL_SELECT", "scan:read"),
        ] {
            let other = with(name, value);
            let text = differing(&usual, &[(1, other.clone())]).unwrap().to_string();
            assert!(text.starts_with(&format!("{name} differs between PEs: ")) && text.ends_with(" on PE 1"), "{text}");
            assert!(differing(&other, &[]).is_none());
        }
        let two = [1, 3].map(|pe| (pe, with("OSHMPI_TRANSPORT", "mpi")));
        let text = differing(&usual, &two).unwrap().to_string();
        assert_eq!(text, "OSHMPI_TRANSPORT differs between PEs: auto on PE 0, mpi on PEs 1, 3");
    }
}
