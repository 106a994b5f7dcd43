//! Ways to move bytes: `node` by loads, stores and CPU atomics, `stream` past the caches; `mpi` to PEs of other nodes, through windows or, by `am`,
//! in messages that the target carries out; `kernel` and `window` where
//! the statics of a PE of this node cannot be mapped.

pub(crate) mod am;
pub(crate) mod collective_comm;
pub(crate) mod comm_cache;
pub(crate) mod kernel;
pub(crate) mod locked;
pub(crate) mod node;
pub(crate) mod remote;
pub(crate) mod statics_window;
pub(crate) mod stream;
