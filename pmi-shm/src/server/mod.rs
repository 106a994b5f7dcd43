//! The process manager's part of a node, without input or output.
//!
//! A launcher runs one [`Node`] per node (and may run several on one machine). It owns the sockets: what arrives goes in
//! through [`Node::input`], what must be sent comes out of [`Node::output`]. Nothing here blocks, spawns or polls.
//!
//! ```text
//! loop {
//!     while let Some(out) = node.output() {
//!         Output::Send(conn, bytes)   write them all, in order (keep what the socket does not take)
//!         Output::Close(conn)         write what is left, then close
//!         Output::Event(event)        the launcher's own business, see Event
//!     }
//!     wait for a socket;  node.input(conn, bytes)   or, at the end of file,  node.gone(conn)
//! }
//! ```
//!
//! **Starting a process.** For each rank of [`Node::ranks`] two socket pairs (`AF_UNIX`, `SOCK_STREAM`): the far ends and
//! the descriptors of [`Node::shared`] are inherited, not close-on-exec, and named in the variables that
//! [`Node::environment`] returns. `PMI_FD` ([`Conn::Rank`]) is for whatever speaks PMI: MPICH, Open MPI through
//! `libpmi.so`, a program over `libpmi2.so`. `OSHRUN_FD` ([`Conn::Own`]) is for one runtime above MPI, so that both can
//! be busy at the same time; fences on the two are counted apart. A process that uses neither is served as well.
//!
//! **Between nodes.** Servers form a tree ([`Node::parent`], [`Node::children`]). A connection is first authenticated
//! ([`auth`]), then given to the node by [`Node::joined`]; from then on its bytes go through [`Node::input`] as
//! [`Conn::Parent`] or [`Conn::Child`].

mod ask;
pub mod auth;
mod client;
mod exchange;
mod fence;
mod gather;
mod link;
mod names;
mod node;
mod ring;
#[cfg(test)]
mod tests;

pub use node::Node;

use crate::wire::NodeMap;
use std::os::fd::RawFd;

/// A connection, as the launcher and the node call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Conn {
    /// `PMI_FD` of a rank of this node.
    Rank(u32),
    /// `OSHRUN_FD` of a rank of this node.
    Own(u32),
    /// The server one step nearer to the root.
    Parent,
    /// The server of this number, one step further from the root.
    Child(u32),
}

/// What a node must know. The same on all nodes of a job, except `node`.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Name of the job and of its key-value space: no blanks, no `;`, at most 255 bytes, unlike that of any other job.
    pub name: String,
    /// Which server serves which rank.
    pub servers: NodeMap,
    /// The number of this server; 0 is the root.
    pub node: u32,
    /// What processes are told about their nodes (`PMI_process_mapping`): `servers`, or the fiction of `--fake-nodes`.
    pub told: NodeMap,
    /// Children per server in the tree, at least 1.
    pub arity: u32,
    /// Answer to the question for the universe size; `None`: unknown.
    pub universe: Option<u32>,
    /// Programs of the job: the first rank of each, ascending from 0. Their index is the application number.
    pub programs: Vec<u32>,
    /// Offer the store to processes in shared memory.
    pub share: bool,
}

/// What the launcher has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Send(Conn, Vec<u8>),
    /// After all that was sent before.
    Close(Conn),
    Event(Event),
}

/// What happened. The job goes on unless the launcher ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// First word of a process on this connection: from now on its end is a loss unless it finalises.
    Active(Conn),
    /// The process has said that it will not use this connection any more.
    Finalized(Conn),
    /// An active connection ended without that: the process died, or closed what it should have kept. The launcher's
    /// rule is that of Hydra: end the job.
    Lost(Conn),
    /// A process asked for the end of the whole job with this exit code.
    Abort { rank: u32, code: i32, message: String },
    /// The other side broke the protocol; `Output::Close` follows. The job cannot be completed.
    Broken { conn: Conn, what: String },
    /// An exchange that this server has entered is complete: the data of all.
    Exchanged { key: Vec<u8>, data: Vec<u8> },
    /// A letter from another server, or from this one.
    Letter { from: u32, data: Vec<u8> },
}

/// Descriptors as a child process will know them, and as they are open here.
#[derive(Debug, Clone)]
pub struct ChildFds {
    /// Far end of [`Conn::Rank`].
    pub pmi: RawFd,
    /// Far end of [`Conn::Own`].
    pub own: RawFd,
    /// Those of [`Node::shared`], in that order.
    pub shared: Vec<RawFd>,
}

/// What has been served, for `--stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    pub puts: u64,
    /// Gets over sockets. What processes read in shared memory is seen by nobody.
    pub gets: u64,
    /// Fences completed, both kinds.
    pub fences: u64,
    /// Pairs in the store.
    pub pairs: u64,
    /// Messages to other servers, and their bytes.
    pub sent: u64,
    pub sent_bytes: u64,
}
