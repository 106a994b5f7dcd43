//! OpenSHMEM for Rust, safe: typed symmetric memory, PEs, teams, collectives and atomics over [`shmem_sys`].
//!
//! ```standalone_crate
//! let world = shmem::init()?;
//! let from = world.alloc::<i64>(1)?;             // one word on every PE
//! from.put(world.right(), 0, &[world.me() as i64]);
//! world.barrier();
//! assert_eq!(from.local()[0].get(), world.left() as i64);
//! # Ok::<(), shmem::Error>(())
//! ```
//!
//! * [`World`] is the library while it is up. It is neither `Send` nor `Sync`: OpenSHMEM is initialised for one thread.
//!   Dropping it finalizes. Everything else borrows it, so nothing can be used after the end.
//! * [`Sym`] owns symmetric memory. Other PEs write to it at any time, so there are no references to its elements but
//!   [`Word`]s, which are read and written one at a time, as the CPU does it. Dropping it frees it.
//! * [`Team`] is a part of the PEs; its members' numbers are those of the team.
//!
//! Memory does not outlive the library:
//!
//! ```compile_fail,E0597
//! let memory = {
//!     let world = shmem::init()?;
//!     world.alloc::<i64>(1)?
//! };
//! # Ok::<(), shmem::Error>(())
//! ```
//!
//! What OpenSHMEM calls collective stays collective: all PEs (of the team) must call `alloc`, `barrier`, `split` and the
//! reductions, and drop [`Sym`]s and [`Team`]s, in the same order. A PE that does not makes the others wait or ends the
//! job with a line; it does not make memory unsafe. A PE number that is out of range, and a transfer that does not fit,
//! panic before anything is moved.
//!
//! Start programs as any OpenSHMEM program: `mpiexec -n 4 target/debug/examples/pi`.

mod element;
mod memory;
mod team;
mod world;

pub use element::{Atomic, Bits, Element, Number, Ordered};
pub use memory::{Sym, Word};
pub use team::Team;
pub use world::{Error, World, init};
