//! What the routines do: translate the address, choose the route, move the data. The fast side of a routine is inlined
//! into its symbols. The slow side is one cold function per kind of access (`slow`).

pub(crate) mod amo;
pub(crate) mod coll;
pub(crate) mod heap;
pub(crate) mod life;
pub(crate) mod lock;
mod notify;
pub(crate) mod order;
pub(crate) mod pcntr;
mod polling;
pub(crate) mod query;
pub(crate) mod rma;
pub(crate) mod signal;
mod slow;
pub(crate) mod space;
mod stats;
pub(crate) mod strided;
pub(crate) mod team;
pub(crate) mod wait;
