//! Ways to move bytes: `node` by loads, stores and CPU atomics; `kernel` and `window` where a peer's statics cannot be
//! mapped.

pub(crate) mod kernel;
pub(crate) mod locked;
pub(crate) mod node;
pub(crate) mod window;
