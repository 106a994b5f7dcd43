//! PMI-2: frames of `name=value;` fields after a length of six columns.

use super::fields::Fields;
use super::message::{Put, Reply, Request};
use super::{MESSAGE_MAX, Malformed, excerpt};

/// The columns of the length.
pub(super) const HEAD: usize = 6;

/// Reads a frame without its length. Words without `=` are junk that some clients append.
pub(super) fn parse(frame: &[u8]) -> Result<Fields, Malformed> {
    let mut rest = frame;
    let mut fields = Fields { cmd: Vec::new(), pairs: Vec::new() };
    while let Some(mark) = rest.iter().position(|&c| c == b'=' || c == b';') {
        let (name, tail) = (&rest[..mark], &rest[mark + 1..]);
        if rest[mark] == b';' {
            rest = tail;
            continue;
        }
        let (value, used) = unescape(tail);
        rest = &tail[used..];
        if fields.cmd.is_empty() && name == b"cmd" {
            fields.cmd = value;
        } else {
            fields.pairs.push((name.to_vec(), value));
        }
    }
    if fields.cmd.is_empty() {
        return Err(Malformed(format!("{} names no command", excerpt(frame))));
    }
    Ok(fields)
}

/// The value at the front, up to a single `;`, and the number of bytes that were read.
fn unescape(bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut value = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b';', Some(b';')) => {
                value.push(b';');
                at += 2;
            }
            (b';', _) => return (value, at + 1),
            (c, _) => {
                value.push(c);
                at += 1;
            }
        }
    }
    (value, at)
}

/// A frame under construction; the length is written last.
struct Frame(Vec<u8>);

impl Frame {
    fn new(cmd: impl AsRef<[u8]>) -> Frame {
        Frame(vec![b' '; HEAD]).field("cmd", cmd)
    }

    fn field(mut self, name: &str, value: impl AsRef<[u8]>) -> Frame {
        self.0.extend(name.as_bytes());
        self.0.push(b'=');
        for &c in value.as_ref() {
            self.0.push(c);
            if c == b';' {
                self.0.push(c);
            }
        }
        self.0.push(b';');
        self
    }

    fn number(self, name: &str, value: impl ToString) -> Frame {
        self.field(name, value.to_string())
    }

    fn flag(self, name: &str, value: bool) -> Frame {
        self.field(name, if value { "TRUE" } else { "FALSE" })
    }

    /// Writes the result of a look-up.
    fn found(self, name: &str, value: &Option<Vec<u8>>) -> Frame {
        match value {
            Some(value) => self.flag("found", true).field(name, value),
            None => self.flag("found", false),
        }
    }

    /// The frame with its length; `None`: it is longer than [`MESSAGE_MAX`], so the peer would refuse it.
    fn done(mut self) -> Option<Vec<u8>> {
        let len = self.0.len() - HEAD;
        if len > MESSAGE_MAX {
            return None;
        }
        self.0[..HEAD].copy_from_slice(format!("{len:<HEAD$}").as_bytes());
        Some(self.0)
    }
}

/// The bytes of a client's request; `None`: no client of this crate sends it in PMI-2, or it is longer than
/// [`MESSAGE_MAX`].
pub fn encode_request(request: &Request) -> Option<Vec<u8>> {
    let frame = match request {
        Request::Put(Put { space: _, key, value, here }) => {
            let frame = Frame::new("kvs-put").field("key", key).field("value", value);
            if *here { frame.field("hint", "DIRECT") } else { frame }
        }
        Request::Get { space, key, source, wait } => {
            let source = source.map_or(-1, i64::from);
            let frame = Frame::new("kvs-get").field("jobid", space).number("srcid", source).field("key", key);
            if *wait { frame.flag("wait", true) } else { frame }
        }
        Request::Fence => Frame::new("kvs-fence"),
        // PMI-2 has no exit code; other servers ignore this field.
        Request::Abort { code, message } => {
            Frame::new("abort").flag("isworld", true).field("msg", message).number("exitcode", code)
        }
        Request::Table { head, rows } => Frame::new("oshrun-table").field("head", head).field("rows", rows),
        Request::Finalize => Frame::new("finalize"),
        _ => return None,
    };
    frame.done()
}

/// Reads a message of [`super::Incoming::Frame`]. The second part of the result is the client's opaque `thrid`, which
/// the reply carries too.
pub fn decode_request(frame: &[u8]) -> Result<(Request, Option<Vec<u8>>), Malformed> {
    let f = parse(frame)?;
    let request = match f.cmd.as_slice() {
        b"fullinit" => Request::FullInit,
        b"job-getid" => Request::JobId,
        b"info-getjobattr" => Request::JobAttr { key: f.bytes("key")? },
        b"kvs-put" => Request::Put(Put {
            space: Vec::new(),
            key: f.bytes("key")?,
            value: f.bytes("value")?,
            here: f.find("hint").is_some(),
        }),
        b"kvs-get" => Request::Get {
            space: f.or_empty("jobid"),
            key: f.bytes("key")?,
            source: f.maybe("srcid"),
            wait: f.flag("wait"),
        },
        b"kvs-fence" => Request::Fence,
        b"info-putnodeattr" => Request::NodePut { key: f.bytes("key")?, value: f.bytes("value")? },
        b"info-getnodeattr" => Request::NodeGet { key: f.bytes("key")?, wait: f.flag("wait") },
        b"spawn" => Request::Spawn { more: false },
        b"abort" => Request::Abort {
            code: f.maybe("exitcode").unwrap_or(1),
            message: f.find("msg").or_else(|| f.find("message")).unwrap_or_default().to_vec(),
        },
        b"oshrun-table" => Request::Table {
            head: f.find("head").unwrap_or_default().to_vec(),
            rows: f.find("rows").unwrap_or_default().to_vec(),
        },
        b"finalize" => Request::Finalize,
        _ => Request::Unknown(f.cmd.clone()),
    };
    Ok((request, f.find("thrid").map(<[u8]>::to_vec)))
}

/// The bytes of a reply; `None`: only PMI-1 has it, or it is longer than `MESSAGE_MAX`.
pub fn encode_reply(reply: &Reply, thrid: Option<&[u8]>) -> Option<Vec<u8>> {
    let head = |cmd: &[u8], rc: i32| {
        let frame = Frame::new([cmd, b"-response"].concat());
        let frame = if let Some(thrid) = thrid { frame.field("thrid", thrid) } else { frame };
        frame.number("rc", rc)
    };
    let ok = |cmd: &str| head(cmd.as_bytes(), 0);
    let bad = |cmd: &str, why: &str| head(cmd.as_bytes(), 1).field("errmsg", why);
    let frame = match reply {
        Reply::FullInit { rank, size, appnum } => ok("fullinit")
            .number("pmi-version", 2)
            .number("pmi-subversion", 0)
            .number("rank", rank)
            .number("size", size)
            .number("appnum", appnum)
            .flag("debugged", false)
            .flag("pmiverbose", false),
        Reply::JobId(name) => ok("job-getid").field("jobid", name),
        Reply::JobAttr(value) => ok("info-getjobattr").found("value", value),
        Reply::Put(Ok(())) => ok("kvs-put"),
        Reply::Put(Err(why)) => bad("kvs-put", why),
        Reply::Get(value) => ok("kvs-get").found("value", value),
        Reply::Fence => ok("kvs-fence"),
        Reply::NodePut => ok("info-putnodeattr"),
        Reply::NodeGet(value) => ok("info-getnodeattr").found("value", value),
        Reply::Spawn(why) => bad("spawn", why),
        Reply::Finalize => ok("finalize"),
        Reply::Unknown(cmd) => head(cmd, 1).field("errmsg", "unknown command"),
        _ => return None,
    };
    frame.done()
}

/// Bytes of a reply beside its value: the 44 of a get's reply, and the client's `thrid`, which takes some 20. With less
/// room, a value that was put would not be found; more room would refuse values that can be found.
const REPLY_ROOM: usize = 128;

/// Whether the reply to a get can carry the value.
pub fn fits_reply(value: &[u8]) -> bool {
    // Most values are so short that nothing has to be counted.
    let doubled = || value.iter().filter(|&&c| c == b';').count();
    let most = MESSAGE_MAX - REPLY_ROOM;
    value.len() <= most / 2 || value.len() + doubled() <= most
}

/// Reads the reply to a request that a client of this crate sends.
pub fn decode_reply(frame: &[u8]) -> Result<Reply, Malformed> {
    let f = parse(frame)?;
    let failed = f.rc().unwrap_or(0) != 0;
    let why = || String::from_utf8_lossy(f.find("errmsg").unwrap_or(b"no reason given")).into_owned();
    Ok(match f.cmd.strip_suffix(b"-response").unwrap_or(&f.cmd) {
        b"kvs-put" => Reply::Put(if failed { Err(why()) } else { Ok(()) }),
        b"kvs-get" => Reply::Get((!failed && f.flag("found")).then(|| f.or_empty("value"))),
        // Otherwise a refusal would be read as a success.
        b"kvs-fence" if failed => return Err(Malformed(format!("the server refused kvs-fence: {}", why()))),
        b"kvs-fence" => Reply::Fence,
        b"finalize" => Reply::Finalize,
        other => Reply::Unknown(other.to_vec()),
    })
}
