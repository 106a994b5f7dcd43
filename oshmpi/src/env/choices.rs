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

// What each word means stands in its row of `settings!`.

choice! {
    /// How static variables of other PEs are reached.
    Statics = "remap or cma" { #[default] Remap = "remap", Cma = "cma", }
}

choice! {
    /// How other PEs are reached.
    Route = "auto, node or mpi" {
        #[default] Auto = "auto",
        /// A job on several nodes does not start.
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
    MpiWhen = "auto or always" { #[default] Auto = "auto", Always = "always", }
}

choice! {
    /// What carries data between nodes.
    #[derive(serde::Serialize, serde::Deserialize)]
    TransportBy = "auto, ucx, ofi, mpi or rma"
    { #[default] Auto = "auto", Ucx = "ucx", Ofi = "ofi", Mpi = "mpi", Rma = "rma", }
}

choice! {
    /// The order between nodes: in the order of the members on each node, then in a tree of the nodes; or from left to
    /// right.
    CollOrder = "layout or strict" { #[default] Layout = "layout", Strict = "strict", }
}

choice! {
    /// Who serves peers on other nodes while a PE computes.
    ProgressBy = "auto or none" { #[default] Auto = "auto", None = "none", }
}

choice! {
    /// What a PE does that waits for PEs of other nodes, if every PE of its node has a core.
    WaitBy = "spin or nap" { #[default] Spin = "spin", Nap = "nap", }
}

choice! {
    /// What a PE does after it has reported a mistake.
    OnError = "exit, backtrace or abort" { #[default] Exit = "exit", Backtrace = "backtrace", Abort = "abort", }
}

/// How the counters are printed at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatsAs {
    None,
    Text,
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
