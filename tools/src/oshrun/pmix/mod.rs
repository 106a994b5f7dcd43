//! PMIx: the process management of Open MPI 5 and of other programs without PMI-1 and PMI-2.
//!
//! The protocol is documented nowhere but in OpenPMIx's library. So oshrun loads that library when a program needs it,
//! and answers its upcalls. See docs/design/pmi.md.

pub mod dir;
mod ffi;
mod maps;
pub mod need;
mod server;
mod stderr;
mod upcalls;

pub use server::PmixServer;
pub use stderr::CapturedStderr;

use crate::plan::Plan;
use anyhow::{Context, Result, anyhow, bail};
use need::Served;
use pmi_shm::limits::{Room, SHARED_MEMORY};
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
    let Some(Served { libraries, reason }) = need::decide(plan, node) else { return Ok(None) };
    let library = match (server::open(plan, &libraries), &reason) {
        (Ok(library), _) => library,
        (Err(_), None) => return Ok(None),
        (Err(why), Some(reason)) => bail!(
            "{reason} PMIx, and its library cannot be loaded: {why} \
             (Debian: apt-get install libpmix2; variable {} may name it)",
            need::LIBRARY
        ),
    };
    let broken = "cannot serve PMIx (--pmix no does without it)";
    let dir = match dir::make(plan, node) {
        Err(_) if reason.is_none() => return Ok(None),
        made => made.context(broken)?,
    };
    let captured = CapturedStderr::new(plan)?;
    let place = CString::new(dir.as_os_str().as_bytes())?;
    let started = PmixServer::start(library, dir, plan, node).map_err(|e| {
        let full = [&place, SHARED_MEMORY].into_iter().find_map(|place| Room::of(place).filter(Room::is_short));
        full.map_or_else(|| anyhow!("{e:#}"), |room| anyhow!("{e:#}; {room}"))
    });
    let server = started.context(broken)?;
    Ok(Some((server, captured)))
}
