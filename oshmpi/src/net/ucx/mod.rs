//! UCX. An endpoint's transports tell what it does without the target's CPU ([`worker`]).

mod config;
mod library;
#[cfg(test)]
mod played;
mod worker;

use super::native::{NativeLibrary, Over};
use crate::os::process;
use worker::Worker;

pub(crate) use library::is_of_mpi;

pub(crate) static UCX: NativeLibrary = NativeLibrary {
    name: "UCX",
    word: "ucx",
    needs: "UCX 1.13 or newer (Debian: libucx0)",
    open: |pes, over| {
        let library = process::with_hangup_kept(library::Library::load)?;
        Ok(Box::new(Worker::open(library, pes, over == Over::Machine)?))
    },
};
