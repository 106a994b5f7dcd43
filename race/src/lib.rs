//! Finds data races of one-sided programs while they run: two accesses to a byte, at least one of which writes, that no
//! synchronisation orders. The order is happens-before, kept by vector clocks. So a race is found although nothing went
//! wrong in this run.
//!
//! * [`cell`]: one access in 64 bits, and which accesses conflict;
//! * [`shadow`]: the last accesses to each 8 bytes of memory, and the check of a new one;
//! * [`seen`]: what a thread has noted in a page already;
//! * [`owned`]: pages that one thread alone accesses, whose marks are all that is noted;
//! * [`ahead`]: words that are asked for before they are needed;
//! * [`heavy`]: a fence for threads of all processes;
//! * [`clock`]: vector clocks, private and in shared memory;
//! * [`table`]: what the PEs share: actors, synchronisation words, the clocks of barrier rounds;
//! * [`far`]: what nodes tell each other of clocks and operations;
//! * [`order`]: what the routines of OpenSHMEM order, per PE, context and target.
//!
//! The crate knows no MPI and no processes. What several PEs share lies in memory that the caller provides and maps
//! anywhere: it holds numbers and no pointers, and it is updated by atomics, so that several processes use it at a
//! time.
//!
//! An **actor** is what a clock counts: a thread, or the operations of one kind that a context has under way. An
//! operation that is not complete belongs to an actor of its own, because nothing orders it after the thread that
//! started it; quiet makes the thread know the actor's epoch.

pub mod ahead;
pub mod cell;
pub mod clock;
pub mod far;
pub mod heavy;
pub mod order;
pub mod owned;
pub mod seen;
pub mod shadow;
pub mod table;
