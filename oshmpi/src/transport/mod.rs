//! The transports. On the node: `node` by loads, stores and CPU atomics, `stream` by stores past the caches, `kernel`
//! for statics that cannot be mapped. To PEs of other nodes: `remote`, and `tagged` for messages between members of
//! collectives.

pub(crate) mod amo;
pub(crate) mod carrier;
pub(crate) mod comm_cache;
pub(crate) mod departures;
pub(crate) mod job_comm;
pub(crate) mod kernel;
pub(crate) mod locked;
#[cfg(test)]
pub(crate) mod mailboxes;
pub(crate) mod node;
pub(crate) mod remote;
pub(crate) mod stream;
pub(crate) mod tagged;
