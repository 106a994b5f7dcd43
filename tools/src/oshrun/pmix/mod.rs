//! PMIx: the process management of Open MPI 5 and of other programs without PMI-1 and PMI-2.
//!
//! The protocol is documented nowhere but in OpenPMIx's library. So oshrun loads that library when a program needs it,
//! and answers its upcalls. See docs/design/pmi.md.

pub mod dir;
mod ffi;
mod group;
mod maps;
pub mod need;
mod server;
mod stderr;
mod upcalls;

pub use server::PmixServer;
pub use stderr::CapturedStderr;

use crate::plan::Plan;
use anyhow::{Result, anyhow};
use need::Decision;
use pmi_shm::limits::{Room, SHARED_MEMORY};
use server::NotStarted;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;

/// What has happened to the job, not only to its process management.
pub enum JobEvent {
    /// A rank's connection has ended without a goodbye.
    Lost(u32),
    /// The first rank has used its connection.
    Joined,
    /// A rank tells what ranks do.
    Table {
        head: String,
        rows: String,
    },
    /// A neighbour in the tree of node servers is gone.
    NeighbourLost(u32),
    Abort {
        rank: u32,
        code: i32,
        message: String,
    },
    /// A rank or a neighbour broke the protocol.
    Broken(String),
}

/// Starts the server for node `node` if a program there needs it.
pub fn start(plan: &Plan, node: u32) -> Result<Option<(PmixServer, Option<CapturedStderr>)>> {
    let (paths, reason) = match need::decide(plan, node) {
        Decision::No => return Ok(None),
        Decision::Try(paths) => (paths, None),
        Decision::Must(paths, reason) => (paths, Some(reason)),
    };
    let library = match server::open(plan, &paths) {
        Ok(library) => library,
        Err(NotStarted::Missing(_)) if reason.is_none() => return Ok(None),
        Err(e) => return Err(e.told(reason.as_deref())),
    };
    let broken = |e| NotStarted::Broken(e).told(None);
    let dir = match dir::make(plan, node) {
        Ok(dir) => dir,
        Err(_) if reason.is_none() => return Ok(None),
        Err(e) => return Err(broken(e)),
    };
    let captured = CapturedStderr::new(plan)?;
    let place = CString::new(dir.as_os_str().as_bytes())?;
    let server = PmixServer::start(library, dir, plan, node).map_err(|e| {
        let full = [&place, SHARED_MEMORY].into_iter().find_map(|place| Room::of(place).filter(Room::is_short));
        broken(full.map_or_else(|| anyhow!("{e:#}"), |room| anyhow!("{e:#}; {room}")))
    })?;
    Ok(Some((server, captured)))
}
