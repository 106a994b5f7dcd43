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
//! * [`World`] is the library between its initialisation and its end. It is neither `Send` nor `Sync`: OpenSHMEM is
//!   initialised for one thread. Dropping it finalizes. Everything else borrows it, so nothing can be used after the
//!   end. The first [`init`] comes before other threads are started, because it moves static variables.
//! * [`Sym`] owns symmetric memory. Other PEs write to it at any time, so there are no references to its elements but
//!   [`Word`]s, which are read and written one at a time, as the CPU does it. Dropping it frees it.
//! * [`Context`] is a stream of operations with its own quiet. [`Batch`] is for nonblocking operations.
//! * Signals are elements of a `Sym<u64>`: [`Sym::put_signal`] and [`Sym::wait_signal`].
//! * [`Team`] is a set of PEs; PE numbers in its methods are numbers in the team.
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
//! and the library cannot end while memory is in use:
//!
//! ```compile_fail,E0505
//! let world = shmem::init()?;
//! let memory = world.alloc::<i64>(1)?;
//! drop(world);                                   // shmem_finalize
//! memory.fill(1);
//! # Ok::<(), shmem::Error>(())
//! ```
//!
//! Collective calls of OpenSHMEM are collective here too: all PEs (of the team) must call `alloc`, `barrier`, `split`
//! and the reductions, and drop [`Sym`]s and [`Team`]s, in the same order. If a PE does not, others wait for ever, the
//! job ends with a message, or values are wrong (`SHMEM_DEBUG=1` names the mistake); it does not make memory unsafe. A
//! PE number that is out of range, and a transfer that does not fit, panic before anything is moved.
//!
//! Programs are started like any OpenSHMEM program: `mpiexec -n 4 target/debug/examples/pi`.

mod context;
mod element;
mod memory;
mod signal;
mod team;
mod world;

/// More that the compiler refuses. Where it could refuse an example for another reason, a correct one follows.
///
/// A team after the end:
///
/// ```compile_fail,E0505
/// let world = shmem::init()?;
/// let team = world.team();
/// drop(world);
/// team.sync();
/// # Ok::<(), shmem::Error>(())
/// ```
/// ```standalone_crate
/// let world = shmem::init()?;
/// let team = world.team();
/// team.sync();
/// drop(team);
/// drop(world);
/// # Ok::<(), shmem::Error>(())
/// ```
///
/// A word of memory that is freed:
///
/// ```compile_fail,E0505
/// let world = shmem::init()?;
/// let memory = world.alloc::<i64>(1)?;
/// let word = &memory.local()[0];
/// drop(memory);
/// word.set(1);
/// # Ok::<(), shmem::Error>(())
/// ```
/// ```standalone_crate
/// let world = shmem::init()?;
/// let memory = world.alloc::<i64>(1)?;
/// let word = &memory.local()[0];
/// word.set(1);
/// drop(memory);
/// # Ok::<(), shmem::Error>(())
/// ```
///
/// Calls from another thread:
///
/// ```compile_fail,E0277
/// let world = shmem::init()?;
/// std::thread::scope(|threads| threads.spawn(|| world.barrier()).join().unwrap());
/// # Ok::<(), shmem::Error>(())
/// ```
///
/// Elements that contain pointers:
///
/// ```compile_fail,E0277
/// let world = shmem::init()?;
/// world.alloc::<String>(1)?;
/// # Ok::<(), shmem::Error>(())
/// ```
///
/// A buffer that is changed, or that ends, while a nonblocking operation reads it:
///
/// ```compile_fail,E0506
/// let world = shmem::init()?;
/// let memory = world.alloc::<i64>(1)?;
/// let mut values = [1];
/// world.nonblocking(|batch| {
///     batch.put(&memory, 0, 0, &values);
///     values = [2];
/// });
/// # Ok::<(), shmem::Error>(())
/// ```
/// ```compile_fail,E0597
/// let world = shmem::init()?;
/// let memory = world.alloc::<i64>(1)?;
/// world.nonblocking(|batch| {
///     let values = [1];
///     batch.put(&memory, 0, 0, &values);
/// });
/// # Ok::<(), shmem::Error>(())
/// ```
///
/// Atomics on types without atomic operations:
///
/// ```compile_fail,E0599
/// let world = shmem::init()?;
/// let memory = world.alloc::<u8>(1)?;
/// memory.atomic_fetch_add(0, 0, 1);
/// # Ok::<(), shmem::Error>(())
/// ```
#[cfg(doctest)]
mod refused {}

pub use context::{Batch, Context};
pub use element::{Atomic, Bits, Element, Number, Ordered};
pub use memory::{Sym, Word};
pub use signal::{Cmp, SignalOp};
pub use team::{Started, Team};
pub use world::{Error, World, init, init_beside_threads};
