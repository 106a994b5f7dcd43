//! The process manager of a node, without input or output.
//!
//! A launcher runs one [`Server`] per node (and may run several on one machine). The launcher owns the sockets:
//! received bytes go into [`Server::input`], and bytes to be sent come out of [`Server::output`]. Nothing here blocks
//! or polls or starts a process.
//!
//! ```text
//! loop {
//!     while let Some(out) = server.output() {
//!         Output::Send(conn, bytes)   write them all, in order (keep what the socket does not take)
//!         Output::Close(conn)         write what is left, then close
//!         Output::Event(event)        for the launcher, see Event
//!     }
//!     for conn in server.left()       when the replies to conn are written, server.input(conn, &[])
//!     wait for a socket;  server.input(conn, bytes)   or, at the end of file,  server.closed(conn)
//! }
//! ```
//!
//! **Starting a process.** Each rank of [`Server::ranks`] has two socket pairs (`AF_UNIX`, `SOCK_STREAM`). The process
//! inherits one end of each and the descriptor of [`Server::shared`], none of them close-on-exec; the variables of
//! [`Server::environment`] name them. `PMI_FD` ([`Conn::Rank`]) is for everything that speaks PMI: MPICH, a
//! program over Slurm's `libpmi2.so`. `OSHRUN_FD` ([`Conn::Own`]) is for one runtime above MPI,
//! so that both can be in use at the same time; fences on the two connections are independent. A process need not use
//! either.
//!
//! **Between nodes.** Servers form a tree ([`Server::parent`], [`Server::children`]). A connection is first
//! authenticated ([`auth`]) and then announced by [`Server::connected`]. From then on its bytes go through
//! [`Server::input`] as [`Conn::Parent`] or [`Conn::Child`].

pub mod auth;
mod channel;
mod client;
mod core;
mod exchange;
mod fence;
#[cfg(test)]
mod fuzz;
mod get;
#[cfg(test)]
mod tests;
mod tree;

pub use self::core::Server;

use crate::wire::NodeMap;
use std::os::fd::RawFd;

/// A connection of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Conn {
    /// `PMI_FD` of a rank of this node.
    Rank(u32),
    /// `OSHRUN_FD` of a rank of this node.
    Own(u32),
    /// The next server towards the root.
    Parent,
    /// The child with this number.
    Child(u32),
}

/// What a server must know. All servers of a job get the same values, except `node`.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Name of the job and of its key-value space: no blanks, no `;`, at most 255 bytes, and no other job has it.
    pub name: String,
    /// Which server serves which rank.
    pub servers: NodeMap,
    /// Number of this server; 0 is the root.
    pub node: u32,
    /// The nodes that processes are told of (`PMI_process_mapping`): `servers`, or others that the launcher plays.
    pub told: NodeMap,
    /// Children per server in the tree, at least 1.
    pub arity: u32,
    /// The universe size that processes are told; `None`: unknown.
    pub universe: Option<u32>,
    /// The first rank of each program of the job, ascending from 0. The index is the program's application number.
    pub programs: Vec<u32>,
    /// Whether processes may read the store in shared memory.
    pub share: bool,
}

/// What the launcher has to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Send(Conn, Vec<u8>),
    /// To be done after everything has been sent.
    Close(Conn),
    Event(Event),
}

/// What happened. The job goes on unless the launcher ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A process has used this connection for the first time. From now on its end is a loss, unless it finalises.
    Active(Conn),
    /// The process will not use this connection any more.
    Finalized(Conn),
    /// An active connection ended without being finalised: the process died, or closed the descriptor. The launcher
    /// should end the job, as Hydra does.
    Lost(Conn),
    /// A process wants the whole job to end with this exit code.
    Abort { rank: u32, code: i32, message: String },
    /// A process tells what processes do: a line, and rows of a [`table`](crate::table).
    Table { head: String, rows: String },
    /// The other side has broken the protocol; `Output::Close` follows. The job cannot be completed.
    ProtocolError { conn: Conn, what: String },
    /// An exchange that this server has entered is complete, with the data of all members.
    Exchanged { key: Vec<u8>, data: Vec<u8> },
    /// A message from another server, or from this one.
    Message { from: u32, data: Vec<u8> },
}

/// The descriptors that a process inherits, by their numbers.
#[derive(Debug, Clone)]
pub struct ChildFds {
    /// The process's end of [`Conn::Rank`].
    pub pmi: RawFd,
    /// The process's end of [`Conn::Own`].
    pub own: RawFd,
    /// The descriptor of [`Server::shared`].
    pub shared: Option<RawFd>,
}

/// What a server has done, for `--stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    pub puts: u64,
    /// Gets over sockets. Gets in shared memory are not counted.
    pub gets: u64,
    /// Fences and exchanges completed.
    pub fences: u64,
    /// Pairs in the store.
    pub pairs: u64,
    /// Messages to other servers, and their bytes.
    pub sent: u64,
    pub sent_bytes: u64,
}
