//! Symmetric memory: where it lies, which PEs have it mapped, what is allocated.

pub(crate) mod addr;
pub(crate) mod control;
pub(crate) mod counters;
pub(crate) mod heap;
pub(crate) mod inline;
pub(crate) mod local;
pub(crate) mod node;
pub(crate) mod placement;
pub(crate) mod places;
pub(crate) mod posted;
pub(crate) mod spaces;
pub(crate) mod statics;
pub(crate) mod translate;
