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
    Statics = "remap, cma, mpi or off" {
        /// Moved onto shared memory at init: loads, stores, CPU atomics.
        #[default]
        Remap = "remap",
        /// Left where they are; the kernel copies (process_vm_readv and writev).
        Cma = "cma",
        /// Left where they are; an MPI window over them.
        Mpi = "mpi",
        /// Not remotely accessible.
        Off = "off",
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
    /// How jobs of PMIx servers are joined.
    PmixBy = "auto or none" {
        /// Through PMIx, without MPI.
        #[default]
        Auto = "auto",
        /// Through MPI.
        None = "none",
    }
}

choice! {
    /// What moves data between nodes.
    TransportBy = "auto, mpi or ucx" {
        /// UCX where MPI uses it, over a network without remote access, and nothing asks for MPI's way; else MPI.
        #[default]
        Auto = "auto",
        /// MPI's windows, and messages by MPI.
        Mpi = "mpi",
        /// UCX, collectives included.
        Ucx = "ucx",
    }
}

choice! {
    /// How the MPI windows of a job on several nodes are made.
    WindowBy = "auto, create, allocate, dynamic or none" {
        /// Create, except with Open MPI: there messages are faster than windows that are not one-sided.
        #[default]
        Auto = "auto",
        /// Over the heap and the statics where they lie.
        Create = "create",
        /// A window over the heap in memory that MPI allocates; node peers reach it through MPI too.
        Allocate = "allocate",
        /// Dynamic windows, with addresses that peers fetch at first contact.
        Dynamic = "dynamic",
        /// No windows: active messages do everything.
        None = "none",
    }
}

choice! {
    /// Which operations of windows need no CPU of the target.
    OneSidedBy = "auto, none or all" {
        /// Two PEs measure it at the start.
        #[default]
        Auto = "auto",
        None = "none",
        All = "all",
    }
}

choice! {
    /// Who carries out AMOs. One executor for every word of a job.
    AmoBy = "auto or mpi" {
        /// The CPUs of the word's node: a node peer by itself, for a PE of another node the word's owner, on a message.
        #[default]
        Auto = "auto",
        /// MPI.
        Mpi = "mpi",
    }
}

choice! {
    /// Who carries out collectives of PEs that are not all on one node.
    CollBy = "auto or mpi" {
        /// This library, by messages.
        #[default]
        Auto = "auto",
        /// MPI, on a communicator of the group.
        Mpi = "mpi",
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
    /// How messages of other PEs are received.
    ReceiveBy = "auto, posted or probed" {
        /// Posted, except with MPIs that are known to lose receives.
        #[default]
        Auto = "auto",
        /// By receives that are posted before their messages come.
        Posted = "posted",
        /// By receives that begin when a probe has found a message.
        Probed = "probed",
    }
}

choice! {
    /// When a PE first contacts its peers.
    Connect = "demand or eager" {
        /// At the first operation to a peer.
        #[default]
        Demand = "demand",
        /// All of them in the first init.
        Eager = "eager",
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
