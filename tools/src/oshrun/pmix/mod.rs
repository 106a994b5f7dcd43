//! PMIx: the process management of Open MPI 5, and of whatever else speaks nothing older.
//!
//! The protocol is that of OpenPMIx's library and written down nowhere else, so oshrun loads that library when a program needs it
//! and serves what the library asks for. See docs/design/pmix.md.

mod calls;
pub mod dir;
mod ffi;
mod maps;
pub mod need;
mod quiet;
mod server;

pub use quiet::Quiet;
pub use server::{NotStarted, Server};
