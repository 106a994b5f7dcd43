//! The connection of a process.

use crate::wire::{self, Reply, Splitter};

/// In which form a request came. Its reply goes back in the same form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    Line,
    /// The frame has the client's opaque `thrid`, which goes back with the reply.
    Frame(Option<Vec<u8>>),
}

#[derive(Debug, Default)]
pub(super) struct Client {
    pub splitter: Splitter,
    /// The process has sent something.
    pub active: bool,
    /// The process has told that it is done.
    pub finalized: bool,
    /// Nothing is read from the process or sent to it any more.
    pub closed: bool,
    /// Bytes for the process that [`Output::Send`](super::Output::Send) has not handed out.
    pub unsent: usize,
}

/// Bytes of replies to a process, before no more of its requests are looked at. One read may bring hundreds of short
/// requests for long values. It is more than the longest reply, so that clients that read each reply never notice.
pub(super) const UNSENT: usize = 1 << 20;

/// The bytes of a reply. A reply for which a version of the protocol has no form becomes another one: a value that fits
/// no line or no frame is "not found".
pub(super) fn encode(reply: &Reply, form: &Form) -> Vec<u8> {
    let substitute = || match reply {
        Reply::Get(_) => Reply::Get(None),
        Reply::JobAttr(_) => Reply::JobAttr(None),
        Reply::NodeGet(_) => Reply::NodeGet(None),
        _ => Reply::Unknown(b"reply".to_vec()),
    };
    match form {
        Form::Line => {
            // A newline in a value would end the line. Only clients of this crate put such values, and they read
            // frames.
            let broken = matches!(reply, Reply::Get(Some(v)) if v.iter().any(|c| matches!(c, b'\n' | 0)));
            let line = if broken { None } else { wire::reply_to_line(reply) };
            line.or_else(|| wire::reply_to_line(&substitute())).unwrap_or_default()
        }
        Form::Frame(thrid) => {
            let frame = wire::reply_to_frame(reply, thrid.as_deref());
            frame.or_else(|| wire::reply_to_frame(&substitute(), thrid.as_deref())).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Job;
    use super::super::{Conn, Output};
    use super::*;
    use crate::wire::{NodeMap, Put, Request};

    #[test]
    fn requests_wait_while_replies_do() {
        let (mut job, conn) = (Job::new(NodeMap::one_node(1), 2), Conn::Own(0));
        let put = Put { key: b"k".to_vec(), value: vec![b'v'; 500_000], ..Put::default() };
        assert_eq!(job.call(conn, &Request::Put(put)), Reply::Put(Ok(())));
        let get = Request::Get { space: Vec::new(), key: b"k".to_vec(), source: None, wait: false };
        let requests = [get, Request::Finalize].map(|request| wire::request_to_frame(&request).unwrap());
        let server = &mut job.servers[0];
        server.input(conn, &[requests[0].repeat(99), requests[1].clone()].concat());
        let (mut replies, mut ends) = (0, 0);
        loop {
            let mut bytes = 0;
            while let Some(output) = server.output() {
                match output {
                    Output::Send(_, sent) => (replies, bytes) = (replies + 1, bytes + sent.len()),
                    _ => ends += 1,
                }
            }
            assert!(bytes <= UNSENT + wire::MESSAGE_MAX, "{bytes} at a time");
            let Some(left) = server.left().pop() else { break };
            server.input(left, &[]);
        }
        assert_eq!((replies, ends), (100, 1));
    }

    #[test]
    fn a_value_that_fits_no_frame_is_not_found() {
        let long = Some(vec![b'v'; wire::MESSAGE_MAX]);
        for reply in [Reply::Get(long.clone()), Reply::JobAttr(long.clone()), Reply::NodeGet(long)] {
            let bytes = encode(&reply, &Form::Frame(Some(b"1".to_vec())));
            assert!(bytes.ends_with(b";thrid=1;rc=0;found=FALSE;"), "{}", bytes.escape_ascii());
        }
    }
}
