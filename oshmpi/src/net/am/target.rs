//! Carries out the requests of a message at its target, by plain copies and CPU atomics, as node peers access the same
//! memory.

use super::notes::Notes;
use super::wire::{self, Request};
use crate::diag::broken;
use crate::memory::addr::{SegId, Span, SymRange};
use crate::memory::local::{Dest, Source};
use crate::memory::spaces::SPACES;
use crate::net::Exposed;
use crate::sync::order;
use crate::transport::device;

impl Exposed {
    fn span(&self, seg: SegId) -> Span {
        match seg {
            SegId::Heap => self.heap,
            SegId::Data => self.statics,
            SegId::Space(place) => SPACES.own(place),
        }
    }

    /// The address of a range; None if it is not inside a segment.
    fn at(&self, range: SymRange) -> Option<usize> {
        let span = self.span(range.seg);
        let end = range.off.checked_add(range.len)?;
        (end <= span.len).then(|| span.base + range.off)
    }

    /// The address of a word; None if it is not inside a segment or not aligned.
    fn word(&self, range: SymRange) -> Option<usize> {
        self.at(range).filter(|at| at.is_multiple_of(range.len.max(1)))
    }
}

/// Carries out all requests of a message of PE `from`, in their order, and writes their results to `answer`. Returns
/// how many of them wrote to this PE's memory. An error tells what is wrong with the message.
pub(super) fn carry_out(
    own: &Exposed,
    notes: Notes,
    from: u32,
    message: &[u8],
    answer: &mut Vec<u8>,
) -> Result<u64, &'static str> {
    let (mut rest, mut written) = (message, 0);
    while !rest.is_empty() {
        let request = wire::read(&mut rest).ok_or("a request that is none")?;
        match request {
            Request::Put { at, source } => {
                let to = own.at(at).ok_or("a put outside of the segment")?;
                order::fence_puts(); // a thread of this node that sees this put also sees the earlier ones
                // SAFETY: the range lies in this PE's segment, and the message has as many bytes.
                unsafe { device::put(at.seg, to, source) }.unwrap_or_else(|e| driver_failed(e));
                written += 1;
            }
            Request::Get { at } => {
                let from = own.at(at).ok_or("a get outside of the segment")?;
                if at.seg.device().is_some() {
                    let mut bytes = vec![0u8; at.len];
                    // SAFETY: the range lies in this PE's segment.
                    let got = unsafe { device::get(at.seg, from, Dest::of_slice(&mut bytes)) };
                    got.unwrap_or_else(|e| driver_failed(e));
                    wire::append(answer, Source::of_slice(&bytes));
                    continue;
                }
                // SAFETY: the range lies in this PE's segment.
                wire::append(answer, unsafe { Source::of::<u8>(from as *const u8, at.len) });
            }
            Request::Amo { at, amo, answered } => {
                let word = own.word(at).ok_or("an AMO outside of the segment")?;
                if at.len != 4 && at.len != 8 {
                    return Err("an AMO on a word that has neither 4 nor 8 bytes");
                }
                // SAFETY: an aligned word of this PE's segment, of 4 or 8 bytes.
                let old = unsafe {
                    match at.seg.device() {
                        Some(place) => device::amo(place, None, word, at.len, amo).unwrap_or_else(|e| driver_failed(e)),
                        None => amo.by_cpu(word, at.len),
                    }
                };
                written += u64::from(amo.changes());
                if answered {
                    answer.extend_from_slice(&old.to_ne_bytes());
                }
            }
            Request::Note { text, answer: len } => {
                let start = answer.len();
                answer.resize(start + wire::padded(len), 0);
                notes.take(from, text, &mut answer[start..][..len]).ok_or("a note that no tool takes")?;
            }
        }
    }
    Ok(written)
}

/// Ends the job: what a peer has asked for cannot be done.
#[cold]
fn driver_failed(why: String) -> ! {
    broken(format_args!("memory of a device that a peer uses: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::amo::{Amo, Op};

    fn segment(words: &mut [u64]) -> Exposed {
        let heap = Span { base: words.as_mut_ptr() as usize, len: size_of_val(words) };
        Exposed { heap, statics: Span { base: heap.base, len: 0 } }
    }

    fn at(off: usize, len: usize) -> SymRange {
        SymRange { seg: SegId::Heap, off, len }
    }

    /// Answers in capitals, and with who has asked.
    extern "C" fn upper(from: u32, text: *const u8, len: usize, answer: *mut u8, room: usize) {
        // SAFETY: as many bytes each, by the promise of `Take`.
        let (text, answer) =
            unsafe { (core::slice::from_raw_parts(text, len), core::slice::from_raw_parts_mut(answer, room)) };
        for (to, byte) in answer.iter_mut().zip(text.to_ascii_uppercase().into_iter().chain([from as u8])) {
            *to = byte;
        }
    }

    #[test]
    fn every_operation() {
        let mut words = [0u64; 4];
        let own = segment(&mut words);
        let (mut message, mut answer) = (Vec::new(), Vec::new());
        let amo = |off, len, amo| Request::Amo { at: at(off, len), amo, answered: true };
        let requests = [
            Request::Put { at: at(8, 3), source: Source::of_slice(b"abc") },
            amo(0, 8, Amo::Op(Op::Store, 9)),
            amo(0, 8, Amo::CompareSwap { cond: 9, value: 7 }),
            amo(20, 4, Amo::Op(Op::Add, u64::MAX)),
            amo(20, 4, Amo::Op(Op::Fetch, 0)),
            Request::Amo { at: at(24, 8), amo: Amo::Op(Op::Store, 77), answered: false },
            Request::Get { at: at(8, 3) },
            Request::Note { text: Source::of_slice(b"note"), answer: 5 },
            Request::Note { text: Source::of_slice(b"told"), answer: 0 },
        ];
        requests.iter().for_each(|r| r.write(&mut message));
        // A put, and four AMOs that change or may change a word.
        assert_eq!(carry_out(&own, Notes::of(upper), 7, &message, &mut answer), Ok(5));
        assert_eq!(answer.len(), requests.iter().map(Request::answer_len).sum::<usize>());
        let old: Vec<u64> = answer.chunks_exact(8).take(4).map(|c| u64::from_ne_bytes(c.try_into().unwrap())).collect();
        assert_eq!(old, [0, 9, 0, u64::from(u32::MAX)]);
        assert_eq!(&answer[32..35], b"abc");
        assert_eq!(&answer[40..], b"NOTE\x07\0\0\0");
        assert_eq!(words[3], 77);
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let mut words = [0u64; 2];
        let own = segment(&mut words);
        for request in [
            Request::Put { at: at(9, 8), source: Source::of_slice(&[0u8; 8]) },
            Request::Get { at: at(16, 1) },
            Request::Get { at: at(usize::MAX, 2) },
            Request::Amo { at: at(4, 8), amo: Amo::Op(Op::Add, 1), answered: false },
            Request::Amo { at: at(0, 2), amo: Amo::Op(Op::Add, 1), answered: false },
            Request::Get { at: SymRange { seg: SegId::Space(13), off: 0, len: 1 } },
            Request::Note { text: Source::of_slice(b"note"), answer: 0 },
        ] {
            let mut message = Vec::new();
            request.write(&mut message);
            assert!(carry_out(&own, Notes::default(), 7, &message, &mut Vec::new()).is_err(), "{request:?}");
        }
        assert!(carry_out(&own, Notes::default(), 7, &[9; 40], &mut Vec::new()).is_err());
        assert_eq!(words, [0, 0]);
    }
}
