//! Symmetric memory: where it lies, who sees it, what is allocated.

pub(crate) mod addr;
pub(crate) mod heap;
#[allow(dead_code)] // strided blocks are for RMA
pub(crate) mod local;
pub(crate) mod node;
pub(crate) mod places;
pub(crate) mod statics;
pub(crate) mod translate;
