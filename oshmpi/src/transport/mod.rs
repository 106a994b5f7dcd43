//! Ways to move bytes: `node` by loads, stores and CPU atomics; `mpi` to PEs of other nodes; `kernel` and `window` where
//! the statics of a PE of this node cannot be mapped.

pub(crate) mod kernel;
pub(crate) mod locked;
pub(crate) mod mpi;
pub(crate) mod node;
pub(crate) mod post;
pub(crate) mod window;
