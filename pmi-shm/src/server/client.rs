//! A process's connection, as its server sees it.

use crate::wire::{self, Reply, Splitter};

/// How a request came, and so how its reply goes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    Line,
    /// With the client's opaque `thrid`, which is returned.
    Frame(Option<Vec<u8>>),
}

#[derive(Debug, Default)]
pub(super) struct Client {
    pub splitter: Splitter,
    /// It has spoken.
    pub active: bool,
    /// It has said that it is done.
    pub finalized: bool,
    /// Nothing is read from or sent to it any more.
    pub gone: bool,
}

/// The bytes of a reply. What a version of the protocol cannot say becomes what it can: a value that fits no line is
/// not found.
pub(super) fn encode(reply: &Reply, form: &Form) -> Vec<u8> {
    let unsaid = || match reply {
        Reply::Get(_) => Reply::Get(None),
        _ => Reply::Unknown(b"reply".to_vec()),
    };
    match form {
        Form::Line => {
            // A newline in a value would end the line; only our own clients put such values, and they read frames.
            let broken = matches!(reply, Reply::Get(Some(v)) if v.iter().any(|c| matches!(c, b'\n' | 0)));
            let line = if broken { None } else { wire::reply_to_line(reply) };
            line.or_else(|| wire::reply_to_line(&unsaid())).unwrap_or_default()
        }
        Form::Frame(thrid) => {
            let frame = wire::reply_to_frame(reply, thrid.as_deref());
            frame.or_else(|| wire::reply_to_frame(&unsaid(), thrid.as_deref())).unwrap_or_default()
        }
    }
}
