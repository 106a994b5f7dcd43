//! What servers say to each other: a length of four bytes, a kind, the parts. All numbers are little-endian.

use super::Conn;
use crate::wire::{Malformed, Service};

/// Longest message that is accepted. A fence of a million processes is 60 MB.
const LONGEST: usize = 1 << 30;

/// Which of a process's two connections takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Pmi,
    Own,
}

impl Side {
    pub fn conn(self, rank: u32) -> Conn {
        match self {
            Side::Pmi => Conn::Rank(rank),
            Side::Own => Conn::Own(rank),
        }
    }
}

/// A message between neighbours in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message {
    /// Everybody below has entered fence number `fence`; these are their pairs.
    Up {
        side: Side,
        fence: u64,
        pairs: Pairs,
    },
    /// Everybody has entered it; these are everybody's pairs.
    Down {
        side: Side,
        fence: u64,
        pairs: Pairs,
    },
    /// A sparse pair on the way to its owner.
    Put {
        key: Vec<u8>,
        value: Vec<u8>,
    },
    /// To the owner of a sparse key: what is stored under it? `wait`: answer when it is there.
    Ask {
        key: Vec<u8>,
        wait: bool,
    },
    Tell {
        key: Vec<u8>,
        wait: bool,
        value: Option<Vec<u8>>,
    },
    /// To the root, which keeps the names of services. `id` is the asker's.
    AskName {
        id: u64,
        act: Service,
        service: Vec<u8>,
        port: Vec<u8>,
    },
    TellName {
        id: u64,
        result: Result<Vec<u8>, String>,
    },
    /// The ring below me has `count` members and these ends.
    RingUp {
        side: Side,
        count: u32,
        left: Vec<u8>,
        right: Vec<u8>,
    },
    /// Your ring's first member has number `count`; these are the members outside next to its ends.
    RingDown {
        side: Side,
        count: u32,
        left: Vec<u8>,
        right: Vec<u8>,
    },
    /// Values of the ranks below, each behind its rank; and everybody's.
    GatherUp {
        side: Side,
        values: Pairs,
    },
    GatherDown {
        side: Side,
        values: Pairs,
    },
    /// Everybody below who takes part has entered the exchange; this is their data.
    ExchangeUp {
        key: Vec<u8>,
        among: Among,
        data: Vec<u8>,
    },
    /// Everybody has; this is everybody's data.
    ExchangeDown {
        key: Vec<u8>,
        among: Among,
        data: Vec<u8>,
    },
    /// Bytes on the way from one server to another.
    Letter {
        to: u32,
        from: u32,
        data: Vec<u8>,
    },
}

/// The servers that take part in an exchange; none: all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Among(pub Vec<u32>);

/// Pairs of byte strings, laid out as they travel: they are passed on and merged without being taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Pairs {
    count: u32,
    bytes: Vec<u8>,
}

impl Pairs {
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        self.count += 1;
        put_bytes(&mut self.bytes, key);
        put_bytes(&mut self.bytes, value);
    }

    /// Adds the pairs of `other` behind mine.
    pub fn append(&mut self, other: &Pairs) {
        self.count += other.count;
        self.bytes.extend_from_slice(&other.bytes);
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Bytes of all keys and values together.
    pub fn payload(&self) -> usize {
        self.bytes.len().saturating_sub(8 * self.len())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rest = Reader(&self.bytes);
        (0..self.count).map_while(move |_| Some((rest.bytes()?, rest.bytes()?)))
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// Takes parts off the front; `None` when they are not there.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn side(&mut self) -> Option<Side> {
        Some(if self.flag()? { Side::Own } else { Side::Pmi })
    }

    fn u32(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*first))
    }

    fn u64(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*first))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.u32()? as usize;
        let (part, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(part)
    }

    fn owned(&mut self) -> Option<Vec<u8>> {
        self.bytes().map(<[u8]>::to_vec)
    }

    fn among(&mut self) -> Option<Among> {
        let (numbers, rest) = self.bytes()?.as_chunks::<4>();
        rest.is_empty().then(|| Among(numbers.iter().map(|n| u32::from_le_bytes(*n)).collect()))
    }

    /// The rest as pairs, checked to be that many.
    fn pairs(&mut self) -> Option<Pairs> {
        let count = self.u32()?;
        let pairs = Pairs { count, bytes: self.0.to_vec() };
        let mut rest = Reader(self.0);
        for _ in 0..count {
            rest.bytes()?;
            rest.bytes()?;
        }
        self.0 = rest.0;
        Some(pairs)
    }
}

impl Message {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![0; 4];
        let head = |out: &mut Vec<u8>, kind: u8, side: &Side| out.extend([kind, u8::from(*side == Side::Own)]);
        let pairs = |out: &mut Vec<u8>, pairs: &Pairs| {
            out.extend(pairs.count.to_le_bytes());
            out.extend_from_slice(&pairs.bytes);
        };
        match self {
            Message::Up { side, fence, pairs: p } | Message::Down { side, fence, pairs: p } => {
                head(&mut out, if matches!(self, Message::Up { .. }) { 1 } else { 2 }, side);
                out.extend(fence.to_le_bytes());
                pairs(&mut out, p);
            }
            Message::Put { key, value } => {
                out.push(11);
                put_bytes(&mut out, key);
                put_bytes(&mut out, value);
            }
            Message::Ask { key, wait } => {
                out.extend([3, u8::from(*wait)]);
                put_bytes(&mut out, key);
            }
            Message::Tell { key, wait, value } => {
                out.extend([4, u8::from(*wait), u8::from(value.is_some())]);
                put_bytes(&mut out, key);
                put_bytes(&mut out, value.as_deref().unwrap_or_default());
            }
            Message::AskName { id, act, service, port } => {
                let act = match act {
                    Service::Publish => 0,
                    Service::Lookup => 1,
                    Service::Unpublish => 2,
                };
                out.extend([5, act]);
                out.extend(id.to_le_bytes());
                put_bytes(&mut out, service);
                put_bytes(&mut out, port);
            }
            Message::TellName { id, result } => {
                out.extend([6, u8::from(result.is_ok())]);
                out.extend(id.to_le_bytes());
                put_bytes(&mut out, result.as_deref().unwrap_or_default());
                put_bytes(&mut out, result.as_ref().err().map_or(b"", |e| e.as_bytes()));
            }
            Message::RingUp { side, count, left, right } | Message::RingDown { side, count, left, right } => {
                head(&mut out, if matches!(self, Message::RingUp { .. }) { 7 } else { 8 }, side);
                out.extend(count.to_le_bytes());
                put_bytes(&mut out, left);
                put_bytes(&mut out, right);
            }
            Message::GatherUp { side, values } | Message::GatherDown { side, values } => {
                head(&mut out, if matches!(self, Message::GatherUp { .. }) { 9 } else { 10 }, side);
                pairs(&mut out, values);
            }
            Message::ExchangeUp { key, among, data } | Message::ExchangeDown { key, among, data } => {
                out.push(if matches!(self, Message::ExchangeUp { .. }) { 12 } else { 13 });
                put_bytes(&mut out, key);
                put_bytes(&mut out, &among.0.iter().flat_map(|s| s.to_le_bytes()).collect::<Vec<_>>());
                put_bytes(&mut out, data);
            }
            Message::Letter { to, from, data } => {
                out.push(14);
                out.extend(to.to_le_bytes());
                out.extend(from.to_le_bytes());
                put_bytes(&mut out, data);
            }
        }
        let len = (out.len() - 4) as u32;
        out[..4].copy_from_slice(&len.to_le_bytes());
        out
    }

    /// A message without its length.
    fn decode(bytes: &[u8]) -> Option<Message> {
        let mut r = Reader(bytes);
        let kind = r.byte()?;
        let message = match kind {
            1 | 2 => {
                let (side, fence, pairs) = (r.side()?, r.u64()?, r.pairs()?);
                if kind == 1 { Message::Up { side, fence, pairs } } else { Message::Down { side, fence, pairs } }
            }
            3 => Message::Ask { wait: r.flag()?, key: r.owned()? },
            4 => {
                let (wait, found, key, value) = (r.flag()?, r.flag()?, r.owned()?, r.owned()?);
                Message::Tell { key, wait, value: found.then_some(value) }
            }
            5 => {
                let act = match r.byte()? {
                    0 => Service::Publish,
                    1 => Service::Lookup,
                    2 => Service::Unpublish,
                    _ => return None,
                };
                Message::AskName { act, id: r.u64()?, service: r.owned()?, port: r.owned()? }
            }
            6 => {
                let (good, id, port, why) = (r.flag()?, r.u64()?, r.owned()?, r.owned()?);
                let why = String::from_utf8_lossy(&why).into_owned();
                Message::TellName { id, result: if good { Ok(port) } else { Err(why) } }
            }
            7 | 8 => {
                let (side, count, left, right) = (r.side()?, r.u32()?, r.owned()?, r.owned()?);
                if kind == 7 {
                    Message::RingUp { side, count, left, right }
                } else {
                    Message::RingDown { side, count, left, right }
                }
            }
            9 | 10 => {
                let (side, values) = (r.side()?, r.pairs()?);
                if kind == 9 { Message::GatherUp { side, values } } else { Message::GatherDown { side, values } }
            }
            11 => Message::Put { key: r.owned()?, value: r.owned()? },
            12 | 13 => {
                let (key, among, data) = (r.owned()?, r.among()?, r.owned()?);
                if kind == 12 {
                    Message::ExchangeUp { key, among, data }
                } else {
                    Message::ExchangeDown { key, among, data }
                }
            }
            14 => Message::Letter { to: r.u32()?, from: r.u32()?, data: r.owned()? },
            _ => return None,
        };
        r.0.is_empty().then_some(message)
    }
}

/// Cuts what arrives from a neighbour into messages.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    buffer: Vec<u8>,
    start: usize,
}

impl Inbox {
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    pub fn take(&mut self) -> Result<Option<Message>, Malformed> {
        let rest = &self.buffer[self.start..];
        let Some((len, rest)) = rest.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let len = u32::from_le_bytes(*len) as usize;
        if len > LONGEST {
            return Err(Malformed(format!("a message of {len} bytes between servers; the limit is {LONGEST}")));
        }
        let Some(body) = rest.get(..len) else {
            return Ok(None);
        };
        let message = Message::decode(body);
        self.start += 4 + len;
        if self.start > 1 << 20 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        message.map(Some).ok_or_else(|| Malformed("a message between servers that cannot be read".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side() -> impl Strategy<Value = Side> {
        prop_oneof![Just(Side::Pmi), Just(Side::Own)]
    }

    fn pairs() -> impl Strategy<Value = Pairs> {
        proptest::collection::vec((any::<Vec<u8>>(), any::<Vec<u8>>()), 0..5).prop_map(|list| {
            let mut pairs = Pairs::default();
            list.iter().for_each(|(k, v)| pairs.push(k, v));
            pairs
        })
    }

    fn message() -> impl Strategy<Value = Message> {
        let bytes = || any::<Vec<u8>>();
        prop_oneof![
            (side(), any::<u64>(), pairs()).prop_map(|(side, fence, pairs)| Message::Up { side, fence, pairs }),
            (side(), any::<u64>(), pairs()).prop_map(|(side, fence, pairs)| Message::Down { side, fence, pairs }),
            (bytes(), any::<bool>()).prop_map(|(key, wait)| Message::Ask { key, wait }),
            (bytes(), bytes()).prop_map(|(key, value)| Message::Put { key, value }),
            (bytes(), any::<bool>(), proptest::option::of(bytes())).prop_map(|(key, wait, value)| Message::Tell {
                key,
                wait,
                value
            }),
            (any::<u64>(), bytes(), bytes()).prop_map(|(id, service, port)| Message::AskName {
                id,
                act: Service::Lookup,
                service,
                port
            }),
            (any::<u64>(), bytes()).prop_map(|(id, port)| Message::TellName { id, result: Ok(port) }),
            (any::<u64>(), ".{0,9}").prop_map(|(id, why)| Message::TellName { id, result: Err(why) }),
            (side(), any::<u32>(), bytes(), bytes()).prop_map(|(side, count, left, right)| Message::RingDown {
                side,
                count,
                left,
                right
            }),
            (side(), pairs()).prop_map(|(side, values)| Message::GatherUp { side, values }),
            (bytes(), any::<Vec<u32>>(), bytes()).prop_map(|(key, among, data)| Message::ExchangeUp {
                key,
                among: Among(among),
                data
            }),
            (bytes(), any::<Vec<u32>>(), bytes()).prop_map(|(key, among, data)| Message::ExchangeDown {
                key,
                among: Among(among),
                data
            }),
            (any::<u32>(), any::<u32>(), bytes()).prop_map(|(to, from, data)| Message::Letter { to, from, data }),
        ]
    }

    proptest! {
        #[test]
        fn messages_come_back(list in proptest::collection::vec(message(), 1..5), cut: usize) {
            let bytes: Vec<u8> = list.iter().flat_map(Message::encode).collect();
            let cut = cut % bytes.len();
            let mut inbox = Inbox::default();
            let mut got = Vec::new();
            for part in [&bytes[..cut], &bytes[cut..]] {
                inbox.push(part);
                while let Some(message) = inbox.take().unwrap() {
                    got.push(message);
                }
            }
            prop_assert_eq!(got, list);
        }

        #[test]
        fn junk_never_panics(bytes: Vec<u8>, kind in 0..15u8) {
            let mut inbox = Inbox::default();
            inbox.push(&((bytes.len() + 1) as u32).to_le_bytes());
            inbox.push(&[kind]);
            inbox.push(&bytes);
            while let Ok(Some(_)) = inbox.take() {}
        }
    }
}
