//! PMI-1: lines of `name=value` fields.

use super::fields::Fields;
use super::message::{Put, Reply, Request};
use super::{KEY_MAX, KVSNAME_MAX, LINE_MAX, Malformed, VALUE_MAX, excerpt};

/// Reads a line, with or without its newline. `value` goes to the end of the line.
fn parse(line: &[u8]) -> Result<Fields, Malformed> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let mut rest = line;
    let mut fields = Fields { cmd: Vec::new(), pairs: Vec::new() };
    while !rest.is_empty() {
        let end = rest.iter().position(|&c| c == b' ').unwrap_or(rest.len());
        let token = &rest[..end];
        if let Some(eq) = token.iter().position(|&c| c == b'=') {
            let (name, value) = (&token[..eq], &token[eq + 1..]);
            match name {
                b"cmd" | b"mcmd" if fields.cmd.is_empty() => fields.cmd = value.to_vec(),
                b"value" => {
                    fields.pairs.push((name.to_vec(), rest[eq + 1..].to_vec()));
                    break;
                }
                _ => fields.pairs.push((name.to_vec(), value.to_vec())),
            }
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    if fields.cmd.is_empty() {
        return Err(Malformed(format!("{} names no command", excerpt(line))));
    }
    Ok(fields)
}

/// A line under construction.
struct Line(Vec<u8>);

impl Line {
    fn new(cmd: impl AsRef<[u8]>) -> Line {
        Line([b"cmd=", cmd.as_ref()].concat())
    }

    fn field(mut self, name: &str, value: impl AsRef<[u8]>) -> Line {
        self.0.push(b' ');
        self.0.extend(name.as_bytes());
        self.0.push(b'=');
        // A newline or NUL would end the line early. The client and the C libraries refuse keys and values with them,
        // so this happens only by mistake.
        self.0.extend(value.as_ref().iter().map(|&c| if c == b'\n' || c == 0 { b'?' } else { c }));
        self
    }

    fn number(self, name: &str, value: impl ToString) -> Line {
        self.field(name, value.to_string())
    }

    /// Writes a text as one word: blanks become underscores.
    fn word(self, name: &str, text: &str) -> Line {
        self.field(name, text.replace(' ', "_"))
    }

    fn done(mut self) -> Vec<u8> {
        self.0.push(b'\n');
        self.0
    }
}

/// The bytes of a client's request; `None`: no client of this crate sends it in PMI-1.
pub fn encode_request(request: &Request) -> Option<Vec<u8>> {
    let line = match request {
        Request::Init { version, subversion } => {
            Line::new("init").number("pmi_version", version).number("pmi_subversion", subversion)
        }
        Request::Maxes => Line::new("get_maxes"),
        Request::Appnum => Line::new("get_appnum"),
        Request::Universe => Line::new("get_universe_size"),
        Request::SpaceName => Line::new("get_my_kvsname"),
        Request::Put(Put { space, key, value, here: _ }) => {
            Line::new("put").field("kvsname", space).field("key", key).field("value", value)
        }
        Request::Get { space, key, .. } => Line::new("get").field("kvsname", space).field("key", key),
        Request::Fence => Line::new("barrier_in"),
        Request::Abort { code, message } => {
            let line = Line::new("abort").number("exitcode", code);
            if message.is_empty() { line } else { line.field("value", message) }
        }
        Request::Finalize => Line::new("finalize"),
        _ => return None,
    };
    Some(line.done())
}

/// Reads a message of [`super::Incoming::Line`].
pub fn decode_request(line: &[u8]) -> Result<Request, Malformed> {
    if line.starts_with(b"mcmd=spawn") {
        // Only these lines of a block matter.
        let number = |name: &[u8]| {
            let mut values = line.split(|&c| c == b'\n').filter_map(|l| l.strip_prefix(name));
            values.next().and_then(|v| str::from_utf8(v).ok()?.trim().parse::<u32>().ok())
        };
        let more = number(b"totspawns=").zip(number(b"spawnssofar=")).is_some_and(|(all, begun)| begun < all);
        return Ok(Request::Spawn { more });
    }
    let f = parse(line)?;
    Ok(match f.cmd.as_slice() {
        b"init" => Request::Init { version: f.number("pmi_version")?, subversion: f.number("pmi_subversion")? },
        b"get_maxes" => Request::Maxes,
        b"get_appnum" => Request::Appnum,
        b"get_universe_size" => Request::Universe,
        b"get_my_kvsname" => Request::SpaceName,
        b"put" => Request::Put(Put {
            space: f.or_empty("kvsname"),
            key: f.bytes("key")?,
            value: f.bytes("value")?,
            here: false,
        }),
        b"get" => Request::Get { space: f.or_empty("kvsname"), key: f.bytes("key")?, source: None, wait: false },
        b"barrier_in" => Request::Fence,
        b"abort" => Request::Abort { code: f.maybe("exitcode").unwrap_or(1), message: f.or_empty("value") },
        b"finalize" => Request::Finalize,
        _ => Request::Unknown(f.cmd),
    })
}

/// The bytes of a reply; `None`: only PMI-2 has it, or it is longer than [`LINE_MAX`], so that no client could read it.
pub fn encode_reply(reply: &Reply) -> Option<Vec<u8>> {
    let success = |cmd: &str| Line::new(cmd).number("rc", 0).field("msg", "success");
    let line = match reply {
        Reply::Init { version, subversion, rc } => Line::new("response_to_init")
            .number("pmi_version", version)
            .number("pmi_subversion", subversion)
            .number("rc", rc),
        Reply::Maxes { space, key, value } => {
            Line::new("maxes").number("kvsname_max", space).number("keylen_max", key).number("vallen_max", value)
        }
        Reply::Appnum(n) => Line::new("appnum").number("appnum", n),
        Reply::Universe(n) => Line::new("universe_size").number("size", n),
        Reply::SpaceName(name) => Line::new("my_kvsname").field("kvsname", name),
        Reply::Put(Ok(())) => success("put_result"),
        Reply::Put(Err(why)) => Line::new("put_result").number("rc", -1).word("msg", why),
        Reply::Get(Some(value)) => success("get_result").field("value", value),
        Reply::Get(None) => {
            Line::new("get_result").number("rc", -1).field("msg", "key_not_found").field("value", "unknown")
        }
        Reply::Fence => Line::new("barrier_out"),
        Reply::Spawn(why) => Line::new("spawn_result").number("rc", -1).word("msg", why),
        Reply::Finalize => Line::new("finalize_ack"),
        Reply::Unknown(cmd) => {
            Line::new([cmd.as_slice(), b"_result"].concat()).number("rc", -1).field("msg", "unknown")
        }
        _ => return None,
    };
    let line = line.done();
    (line.len() <= LINE_MAX).then_some(line)
}

/// Reads a reply.
pub fn decode_reply(line: &[u8]) -> Result<Reply, Malformed> {
    let f = parse(line)?;
    // Some servers omit rc in replies that cannot fail.
    let failed = f.rc().unwrap_or(0) != 0;
    let why = || String::from_utf8_lossy(f.find("msg").unwrap_or(b"no reason given")).into_owned();
    Ok(match f.cmd.as_slice() {
        b"response_to_init" => Reply::Init {
            version: f.number("pmi_version")?,
            subversion: f.number("pmi_subversion")?,
            rc: f.rc().unwrap_or(0),
        },
        b"maxes" => Reply::Maxes {
            space: f.maybe("kvsname_max").unwrap_or(KVSNAME_MAX),
            key: f.maybe("keylen_max").unwrap_or(KEY_MAX),
            value: f.maybe("vallen_max").unwrap_or(VALUE_MAX),
        },
        b"appnum" => Reply::Appnum(f.number("appnum")?),
        b"universe_size" => Reply::Universe(f.number("size")?),
        b"my_kvsname" => Reply::SpaceName(f.bytes("kvsname")?),
        b"put_result" => Reply::Put(if failed { Err(why()) } else { Ok(()) }),
        b"get_result" => Reply::Get(if failed { None } else { Some(value(&f)?) }),
        b"barrier_out" => Reply::Fence,
        b"finalize_ack" => Reply::Finalize,
        cmd => Reply::Unknown(cmd.strip_suffix(b"_result").unwrap_or(cmd).to_vec()),
    })
}

/// The value of a get. Newer servers may write `found=TRUE` after it.
fn value(f: &Fields) -> Result<Vec<u8>, Malformed> {
    let value = f.need("value")?;
    Ok(value.strip_suffix(b" found=TRUE").unwrap_or(value).to_vec())
}
