//! The protocols PMI-1 and PMI-2, for client and server, without input or output.
//!
//! PMI-1 sends lines (`cmd=put kvsname=N key=K value=V\n`). PMI-2 sends frames: a length in six columns, then
//! `cmd=kvs-put;key=K;value=V;`. A PMI-2 client begins with a PMI-1 line, and a server may have clients of both
//! versions, so [`Splitter`] finds the version for each message. Both versions share the types of requests and replies.
//!
//! The protocols leave some questions open. This module decides them:
//! * **PMI-1 values** end at the end of the line, because some clients put blanks into them.
//! * **PMI-2 values** write `;` as `;;`. Clients without this rule send no `;`.
//! * **Trailing junk**: PMI-2 clients of MPICH 3.3 to 4.0.3 send six extra bytes after each frame. [`Splitter`]
//!   recognises them at `fullinit`, and drops the bytes from then on.
//! * **Length**: no PMI-1 line is written that is longer than [`LINE_MAX`], because clients would misread it.
//! * **Extra fields** of oshrun's own clients: `hint`, `wait`.
//!
//! A server reads all requests. A client writes those of PMI-1, and of PMI-2 those that oshrun's own clients send.

mod fields;
mod mapping;
mod message;
mod split;
mod v1;
mod v2;

pub use mapping::NodeMap;
pub use message::{Put, Reply, Request};
pub use split::{Incoming, Splitter};
pub use v1::{decode_reply as reply_from_line, encode_reply as reply_to_line};
pub use v1::{decode_request as request_from_line, encode_request as request_to_line};
pub use v2::{decode_reply as reply_from_frame, encode_reply as reply_to_frame, fits_reply};
pub use v2::{decode_request as request_from_frame, encode_request as request_to_frame};

/// The longest PMI-1 line in bytes, with its newline, that every client can read. Clients read a longer line as two; a
/// lower limit would refuse values that they accept.
pub const LINE_MAX: usize = 1023;

/// The longest message in bytes that is accepted. A length field could hold 999,999. A longer message is a protocol
/// error, so that a bad client cannot use up memory; a lower limit would refuse puts of large values.
pub const MESSAGE_MAX: usize = 1 << 19;

/// Limits in bytes that the server announces to PMI-1 clients: those of MPICH's own launcher. MPICH computes a limit
/// from all three, correctly only if the last is even.
pub const KVSNAME_MAX: usize = 256;
pub const KEY_MAX: usize = 64;
pub const VALUE_MAX: usize = 1024;

/// A message that breaks the protocol. The text says how, with at most an excerpt of the message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// The beginning of a message, short and printable, for an error message.
fn excerpt(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(60)];
    let more = if shown.len() < bytes.len() { "..." } else { "" };
    format!("\"{}{more}\"", shown.escape_ascii())
}

#[cfg(all(test, not(loom)))]
mod tests;
