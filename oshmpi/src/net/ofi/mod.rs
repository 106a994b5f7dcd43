//! libfabric, for Slingshot, EFA, Omni-Path and whatever else its providers serve. The provider is the first one that
//! libfabric names for what is needed, or one that the user has named (`FI_PROVIDER`). It tells what it does without
//! the target's CPU ([`info`]).

mod info;
mod library;
mod objects;
mod ops;
mod worker;

use super::native::NativeLibrary;
use crate::os::process;
use nix::sys::signal::Signal;
use worker::Worker;

pub(crate) static OFI: NativeLibrary = NativeLibrary {
    name: "libfabric",
    word: "ofi",
    needs: "libfabric 1.9 or newer (Debian: libfabric1)",
    // Libraries below some providers (libpsm2, libpsm_infinipath) catch signals.
    open: |pes, over| {
        process::with_signals_kept(Signal::iterator(), || {
            Ok(Box::new(Worker::open(library::Library::load()?, pes[0], over)?) as Box<_>)
        })
    },
};
