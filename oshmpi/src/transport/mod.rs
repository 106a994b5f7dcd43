//! The transports on a node: `node` by loads and stores, `amo` by CPU atomics, `stream` by stores past the caches,
//! `kernel` for statics that cannot be mapped, `device` for memory of a device.

pub(crate) mod amo;
pub(crate) mod device;
pub(crate) mod kernel;
pub(crate) mod node;
pub(crate) mod stream;
