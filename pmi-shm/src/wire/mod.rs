//! The PMI-1 and PMI-2 protocols, both roles, without input or output.
//!
//! PMI-1 is lines (`cmd=put kvsname=N key=K value=V\n`), PMI-2 is frames: a length in six columns, then
//! `cmd=kvs-put;key=K;value=V;`. A PMI-2 client opens with a PMI-1 line, and one server may meet both kinds, so the
//! version is found per message ([`Splitter`]). Requests and replies are one pair of types for both; what exists in one
//! version only says so.
//!
//! What the protocols leave open is decided here once:
//! * **PMI-1 values** run to the end of the line: some clients put blanks into them.
//! * **PMI-2 values** write `;` as `;;`. Clients that know no such rule have no `;` in what they send.
//! * **Trailing junk**: PMI-2 clients of MPICH 3.3 to 4.0.3 send six bytes too many with each frame. They give
//!   themselves away at `fullinit`; from then on the bytes are dropped ([`Splitter`]).
//! * **Length**: no PMI-1 line that we write is longer than [`LINE_MAX`]; clients lose step beyond that.
//! * **Extra fields** that other servers do not send and other clients ignore: `shmepoch` (the store can be read in
//!   shared memory), `hint`, `wait`.

mod fields;
mod mapping;
mod message;
mod split;
mod v1;
mod v2;

pub use crate::ext::Hint;
pub use mapping::NodeMap;
pub use message::{Put, Reply, Request, Service};
pub use split::{Incoming, Splitter};
pub use v1::{decode_reply as reply_from_line, encode_reply as reply_to_line};
pub use v1::{decode_request as request_from_line, encode_request as request_to_line};
pub use v2::{decode_reply as reply_from_frame, encode_reply as reply_to_frame};
pub use v2::{decode_request as request_from_frame, encode_request as request_to_frame};

use std::fmt;

/// Longest PMI-1 line that every client can read, its newline included.
pub const LINE_MAX: usize = 1023;

/// Longest message accepted from anybody. A length field has six digits, so it could name 999,999.
pub const MESSAGE_MAX: usize = 1 << 19;

/// What a server of ours announces to PMI-1 clients. MPICH computes its own limit out of the three, and is only right
/// when the last is even; these are the figures of its own launcher.
pub const KVSNAME_MAX: usize = 256;
pub const KEY_MAX: usize = 64;
pub const VALUE_MAX: usize = 1024;

/// A message that breaks the protocol; the text says how, without the peer's bytes in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

/// The beginning of a message for an error text: printable, short.
fn excerpt(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(60)];
    let more = if shown.len() < bytes.len() { "..." } else { "" };
    format!("\"{}{more}\"", shown.escape_ascii())
}

#[cfg(all(test, not(loom)))]
mod tests;
