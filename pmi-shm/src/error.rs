//! Why a call could not be served.

use crate::wire::Malformed;

/// Why the process manager could not serve a call: what failed and, where known, what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("rank {rank} does not exist: the job has {size}")]
    NoSuchRank { rank: u32, size: u32 },
    #[error("rank {rank} has not put \"{key}\" before the last fence")]
    NotPut { rank: u32, key: String },
    #[error("rank {rank} has not published \"{key}\" for {seconds} s")]
    NotPublished { rank: u32, key: String, seconds: u64 },
    #[error("the key \"{}\" cannot be written: {why}", key.escape_debug())]
    Key { key: String, why: &'static str },
    #[error("a value is too long for a message of PMI-2")]
    ValueTooLong,
    #[error("the process manager refuses to store \"{key}\": {why}")]
    PutRefused { key: String, why: String },
    #[error("the record of rank {0} cannot be read; do all processes run the same version?")]
    BrokenRecord(u32),
    #[error("{0} is not a number")]
    NotANumber(&'static str),
    #[error(
        "PMI_FD is set, but {0} is missing or no number, so the launcher's job cannot be joined: keep all of its \
         variables (env -u removes some), or none"
    )]
    Incomplete(&'static str),
    #[error(
        "{variable} names descriptor {fd}, which cannot be used ({why}); was it closed, or is this process not the one \
         that the launcher started?"
    )]
    Descriptor { variable: &'static str, fd: i32, why: String },
    #[error("the process manager cannot be reached any more: {0}")]
    Lost(String),
    #[error("the process manager speaks PMI {version}.{subversion}, not {expected}")]
    Version { version: u32, subversion: u32, expected: &'static str },
    #[error("the process manager answers nonsense: {0}")]
    Malformed(#[from] Malformed),
    #[error("the process manager answers {asked} with {answer}")]
    Unexpected { asked: &'static str, answer: String },
    #[error("{call} failed: {why} ({status})")]
    PmixCall { call: &'static str, why: String, status: i32 },
    #[error("PMIx_Get gives no sound value of {0}")]
    PmixValue(String),
    #[error("the process manager does not tell {0}")]
    PmixUntold(String),
    #[error("the process manager says rank {rank} of {size}")]
    PmixRank { rank: u32, size: u32 },
    #[error("{0}")]
    PmixLibrary(String),
    #[error("the description of the job is contradictory: {0}")]
    Spec(String),
    #[error("the server has no store: {0}")]
    Store(String),
    #[error("a connection was refused: {0}")]
    Handshake(String),
    #[error(
        "an exchange of server {0} names servers that do not exist, or not that server itself, or is entered twice"
    )]
    Exchange(u32),
    #[error("no random numbers: {0}")]
    Random(String),
    /// Of a job that another runtime serves, such as MPI.
    #[error("{0}")]
    Other(String),
}
