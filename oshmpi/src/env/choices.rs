//! Settings that are one word out of a few.

use super::{Numbered, Read};

/// Declares the type of such a setting, with the text that a user gets in place of another word.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident = $expected:literal { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub(crate) enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            pub(crate) fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            const ALL: &[$name] = &[$($name::$variant),*];
        }

        impl Numbered for $name {
            fn number(&self) -> u64 {
                *self as u64
            }
            fn of_number(n: u64) -> Option<$name> {
                $name::ALL.iter().copied().find(|s| s.number() == n)
            }
        }

        impl Read for $name {
            const EXPECTED: &'static str = $expected;
            fn read(text: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|s| s.name() == text)
            }
            fn show(&self) -> String {
                self.name().to_owned()
            }
        }
    };
}

choice! {
    /// How static variables of other PEs are reached.
    Statics = "remap or cma" {
        /// Moved onto shared memory at init: loads, stores, CPU atomics.
        #[default]
        Remap = "remap",
        /// Left where they are; the kernel copies (process_vm_readv and writev).
        Cma = "cma",
    }
}

choice! {
    /// How other PEs are reached.
    Route = "auto, node or mpi" {
        /// Through memory on the node, by OSHMPI_TRANSPORT elsewhere.
        #[default]
        Auto = "auto",
        /// Through memory; a job on several nodes does not start.
        Node = "node",
        /// As if every PE were alone on its node: for tests.
        Mpi = "mpi",
    }
}

choice! {
    /// Which pages symmetric heaps are in.
    Pages = "auto, small, transparent or reserved"
    { #[default] Auto = "auto", Small = "small", Transparent = "transparent", Reserved = "reserved", }
}

choice! {
    /// When MPI is initialised.
    MpiWhen = "auto or always" {
        /// When something needs it.
        #[default]
        Auto = "auto",
        /// In the first init.
        Always = "always",
    }
}

choice! {
    /// What carries data between nodes.
    #[derive(serde::Serialize, serde::Deserialize)]
    TransportBy = "auto, ucx, ofi, mpi or rma" {
        /// The network's own library, else MPI.
        #[default]
        Auto = "auto",
        /// UCX, collectives included.
        Ucx = "ucx",
        /// libfabric, collectives included.
        Ofi = "ofi",
        /// MPI's windows, and messages by MPI.
        Mpi = "mpi",
        /// MPI alone: its memory, atomics and collectives.
        Rma = "rma",
    }
}

choice! {
    /// The order between nodes: in the order of the members on each node, then in a tree of the nodes; or from left to
    /// right.
    CollOrder = "layout or strict" { #[default] Layout = "layout", Strict = "strict", }
}

choice! {
    /// Who serves peers on other nodes while a PE computes.
    ProgressBy = "auto or none" {
        /// A helper thread where MPI allows one.
        #[default]
        Auto = "auto",
        /// Nobody: only calls of the library do.
        None = "none",
    }
}

choice! {
    /// What a PE does that waits for PEs of other nodes.
    WaitBy = "spin or nap" {
        /// It polls continuously, if every PE of its node has a core.
        #[default]
        Spin = "spin",
        /// It sleeps for up to 100 us between two polls.
        Nap = "nap",
    }
}

choice! {
    /// What a PE does after it has reported a mistake.
    OnError = "exit, backtrace or abort" {
        /// It ends the job.
        #[default]
        Exit = "exit",
        /// It prints a backtrace and ends the job.
        Backtrace = "backtrace",
        /// It aborts, for a debugger or a core file.
        Abort = "abort",
    }
}

/// How the counters are printed at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatsAs {
    /// Not at all.
    None,
    /// One line of words per PE.
    Text,
    /// One line of JSON per PE.
    Json,
}

impl Read for StatsAs {
    const EXPECTED: &'static str = "text, json, or 0 for none";
    /// Accepts the words of a flag too.
    fn read(text: &str) -> Option<StatsAs> {
        let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        match () {
            _ if is(&["json"]) => Some(StatsAs::Json),
            _ if is(&["text", "", "1", "yes", "on", "true", "y"]) => Some(StatsAs::Text),
            _ if is(&["0", "no", "off", "false"]) => Some(StatsAs::None),
            _ => None,
        }
    }
    fn show(&self) -> String {
        match self {
            StatsAs::None => "not set",
            StatsAs::Text => "text",
            StatsAs::Json => "json",
        }
        .to_owned()
    }
}
