//! The atomics of the store: the processor's, or loom's when the model is built.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{Ordering, fence};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{Ordering, fence};
