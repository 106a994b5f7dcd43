//! What a collective costs at any number of PEs, without a cluster. A [`schedule`] says what each member does; it is
//! recorded from the runtime's code. [`checks`] counts its messages and proves that they match. [`simulate`] plays it
//! by a [`model`] of network and node. [`bounds`] says what no algorithm can do better.
//!
//! The crate knows neither MPI nor oshmpi. The files of `runtime/` are modules of oshmpi's unit tests: they record its
//! collectives, and play its barriers on a model of caches.

pub mod bounds;
pub mod checks;
pub mod layout;
pub mod model;
pub mod rows;
pub mod schedule;
pub mod simulate;

pub use layout::Layout;
pub use model::Model;
pub use schedule::{Message, NodeStage, Program, Step};
