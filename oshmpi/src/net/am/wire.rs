//! The format of a message: requests one after the other. Each has a head of four words, which the bytes of a put
//! follow.
//!
//! ```text
//! word 0: what | segment << 8 | bytes of the word << 16 | answer wanted << 24
//! word 1: offset in the segment
//! word 2: operand of an AMO; bytes to put or to get; bytes of a note
//! word 3: what a compare-and-swap compares with; bytes of the answer to a note
//! then:   the bytes of a put or a note, filled up to whole words
//! ```
//! Both ends are processes of one job on machines of one architecture, so words are sent in the machine's byte order.

use crate::memory::addr::{SegId, SymRange};
use crate::memory::local::Source;
use crate::transport::amo::{Amo, Op};
use crate::transport::node;

pub(super) const WORD: usize = 8;
pub(super) const HEAD: usize = 4 * WORD;

/// One operation that the target carries out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Request<'a> {
    /// The source may lie in symmetric memory, which is never borrowed.
    Put {
        at: SymRange,
        source: Source<'a>,
    },
    Get {
        at: SymRange,
    },
    /// On a word of 4 or 8 bytes.
    Amo {
        at: SymRange,
        amo: Amo,
        answered: bool,
    },
    /// What a tool tells its own part at the target, and how many bytes that one answers.
    Note {
        text: Source<'a>,
        answer: usize,
    },
}

const PUT: u64 = 1;
const GET: u64 = 2;
const COMPARE_SWAP: u64 = 3;
const FIRST_OP: u64 = 4;
const NOTE: u64 = 64;
const OPS: [Op; 6] = [Op::Fetch, Op::Store, Op::Add, Op::And, Op::Or, Op::Xor];

/// `len` rounded up to whole words, in bytes.
pub(super) fn padded(len: usize) -> usize {
    len.next_multiple_of(WORD)
}

impl Request<'_> {
    /// Bytes of the request in a message.
    pub(super) fn len(&self) -> usize {
        match self {
            Request::Put { at, .. } => HEAD + padded(at.len),
            Request::Note { text, .. } => HEAD + padded(text.len()),
            _ => HEAD,
        }
    }

    /// Bytes of its result in the answer.
    pub(super) fn answer_len(&self) -> usize {
        match self {
            Request::Get { at } => padded(at.len),
            Request::Amo { answered: true, .. } => WORD,
            Request::Note { answer, .. } => padded(*answer),
            _ => 0,
        }
    }

    /// Appends the request to a message, with the bytes of a put.
    pub(super) fn write(&self, to: &mut Vec<u8>) {
        let (what, at, bytes, answered, words) = match *self {
            Request::Put { at, .. } => (PUT, at, 0, false, [at.len as u64, 0]),
            Request::Get { at } => (GET, at, 0, true, [at.len as u64, 0]),
            Request::Amo { at, amo: Amo::CompareSwap { cond, value }, answered } => {
                (COMPARE_SWAP, at, at.len as u64, answered, [value, cond])
            }
            Request::Amo { at, amo: Amo::Op(op, operand), answered } => {
                let number = OPS.iter().position(|&o| o == op).expect("all operations are listed");
                (FIRST_OP + number as u64, at, at.len as u64, answered, [operand, 0])
            }
            Request::Note { text, answer } => {
                let nowhere = SymRange { seg: SegId::Heap, off: 0, len: 0 };
                (NOTE, nowhere, 0, answer > 0, [text.len() as u64, answer as u64])
            }
        };
        let head = what | at.seg.number() << 8 | bytes << 16 | u64::from(answered) << 24;
        for word in [head, at.off as u64, words[0], words[1]] {
            to.extend_from_slice(&word.to_ne_bytes());
        }
        if let Request::Put { source, .. } | Request::Note { text: source, .. } = *self {
            append(to, source);
        }
    }
}

/// Appends bytes, filled up to whole words.
pub(super) fn append(to: &mut Vec<u8>, source: Source) {
    let (start, len) = (to.len(), source.len());
    to.reserve(padded(len));
    // SAFETY: the source can be read. Room for as many bytes was reserved above.
    unsafe {
        node::copy(to.as_mut_ptr().add(start), source.at(), len);
        to.set_len(start + len);
    }
    to.resize(start + padded(len), 0);
}

fn word(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first_chunk::<WORD>()?;
    *bytes = rest;
    Some(u64::from_ne_bytes(*first))
}

/// Takes the bytes of a put or a note from a message. They lie in it.
fn bytes<'a>(message: &mut &'a [u8], len: u64) -> Option<Source<'a>> {
    let len = usize::try_from(len).ok()?;
    let data = message.get(..len)?;
    *message = message.get(padded(len)..)?;
    Some(Source::of_slice(data))
}

/// Takes the next request from a message. None: the message is at its end, or has no valid request there. The source of
/// a put lies in the message.
pub(super) fn read<'a>(message: &mut &'a [u8]) -> Option<Request<'a>> {
    let head = word(message)?;
    let (off, first, second) = (word(message)? as usize, word(message)?, word(message)?);
    let seg = SegId::of_number((head >> 8) & 0xff)?;
    let (size, answered) = ((head >> 16) & 0xff, (head >> 24) & 1 == 1);
    let word_at = SymRange { seg, off, len: size as usize };
    Some(match head & 0xff {
        PUT => {
            let source = bytes(message, first)?;
            Request::Put { at: SymRange { seg, off, len: source.len() }, source }
        }
        NOTE => Request::Note { text: bytes(message, first)?, answer: usize::try_from(second).ok()? },
        GET => Request::Get { at: SymRange { seg, off, len: usize::try_from(first).ok()? } },
        COMPARE_SWAP => Request::Amo { at: word_at, amo: Amo::CompareSwap { cond: second, value: first }, answered },
        what => {
            let op = *OPS.get(usize::try_from(what.checked_sub(FIRST_OP)?).ok()?)?;
            Request::Amo { at: word_at, amo: Amo::Op(op, first), answered }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::addr::MOST_SPACES;
    use proptest::prelude::*;

    fn any_request() -> impl Strategy<Value = (u8, usize, bool, u64, u64, Vec<u8>)> {
        (0u8..10, any::<usize>(), any::<bool>(), any::<u64>(), any::<u64>(), prop::collection::vec(any::<u8>(), 0..40))
    }

    /// Requests with the bytes of puts, for comparison.
    fn seen(r: Request<'_>) -> (Request<'_>, Vec<u8>) {
        match r {
            Request::Put { at, source: from } => {
                let mut bytes = Vec::new();
                append(&mut bytes, from);
                (Request::Put { at, source: Source::of_slice::<u8>(&[]) }, bytes)
            }
            Request::Note { text, answer } => {
                let mut bytes = Vec::new();
                append(&mut bytes, text);
                (Request::Note { text: Source::of_slice::<u8>(&[]), answer }, bytes)
            }
            other => (other, Vec::new()),
        }
    }

    proptest! {
        /// What was written is read again in order, and has the lengths that `len` and `answer_len` tell.
        #[test]
        fn there_and_back(all in prop::collection::vec(any_request(), 0..20)) {
            let requests: Vec<Request> = all.iter().map(|(kind, off, flag, a, b, data)| {
                let source = Source::of_slice(data);
                let seg = if *flag { SegId::Heap } else { SegId::Space((*b % MOST_SPACES as u64) as u8) };
                let word = SymRange { seg, off: *off, len: if a % 2 == 0 { 4 } else { 8 } };
                match kind {
                    0 => Request::Put { at: SymRange { seg, off: *off, len: data.len() }, source },
                    1 => Request::Get { at: SymRange { seg, off: *off, len: *a as usize } },
                    2 => Request::Amo { at: word, amo: Amo::CompareSwap { cond: *a, value: *b }, answered: *flag },
                    9 => Request::Note { text: source, answer: *a as usize % 100 },
                    n => Request::Amo { at: word, amo: Amo::Op(OPS[*n as usize - 3], *b), answered: *flag },
                }
            }).collect();
            let mut message = Vec::new();
            for r in &requests {
                let before = message.len();
                r.write(&mut message);
                prop_assert_eq!(message.len() - before, r.len());
            }
            let mut rest = &message[..];
            for r in &requests {
                prop_assert_eq!(read(&mut rest).map(seen), Some(seen(*r)));
            }
            prop_assert!(rest.is_empty() && read(&mut rest).is_none());
        }

        #[test]
        fn junk_ends(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut rest = &bytes[..];
            while !rest.is_empty() && read(&mut rest).is_some() {}
        }
    }
}
