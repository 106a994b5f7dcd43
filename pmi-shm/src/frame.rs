//! Messages in a byte stream: a length of four bytes with the lowest first, then the message as postcard writes it.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest message in bytes that is accepted. The pairs of a fence of a million processes are 60 MB. A larger limit
/// would let a broken peer make this process collect more memory; a smaller one would end large jobs.
const LONGEST: usize = 1 << 30;

/// Bytes that have been handed out before the buffer is moved to the front.
const COMPACT: usize = 1 << 20;

/// Bytes of memory that are kept while there is nothing to read. More would be held for the rest of the job when the
/// pairs of a large fence have passed once.
const KEPT: usize = 1 << 20;

/// Why a message cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("a message of {0} bytes; the limit is {1}")]
    TooLong(usize, usize),
    #[error("a message that cannot be read")]
    Unreadable,
}

/// The bytes of a message.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = postcard::to_extend(message, vec![0; 4]).expect("only a value without a plain form fails");
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Cuts received bytes into messages.
#[derive(Debug)]
pub struct Inbox {
    buffer: Vec<u8>,
    /// Messages before this index have been handed out.
    start: usize,
    /// The longest message in bytes.
    longest: usize,
}

impl Default for Inbox {
    fn default() -> Inbox {
        Inbox { buffer: Vec::new(), start: 0, longest: LONGEST }
    }
}

impl Inbox {
    /// Accepts messages of at most so many bytes.
    pub fn limit(&mut self, longest: usize) {
        self.longest = longest.min(LONGEST);
    }

    /// Bytes of memory that are held.
    pub fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    pub fn push(&mut self, bytes: &[u8]) {
        if self.start == self.buffer.len() || self.start > COMPACT {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Skips everything up to the end of `mark`, or what cannot be a part of it if it has not come yet. Returns whether
    /// it has come, and the number of bytes skipped.
    pub fn skip_past(&mut self, mark: &[u8]) -> (bool, usize) {
        let rest = &self.buffer[self.start..];
        let at = rest.windows(mark.len()).position(|window| window == mark);
        let skipped = at.map_or((rest.len() + 1).saturating_sub(mark.len()), |at| at + mark.len());
        self.start += skipped;
        (at.is_some(), skipped)
    }

    /// The next whole message. After an error the stream cannot be read any more.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let Some((length, rest)) = self.buffer[self.start..].split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > self.longest {
            return Err(FrameError::TooLong(length, self.longest));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let message = match postcard::take_from_bytes(body) {
            Ok((message, [])) => message,
            _ => return Err(FrameError::Unreadable),
        };
        self.start += 4 + length;
        if self.start == self.buffer.len() && self.buffer.capacity() > KEPT {
            (self.buffer, self.start) = (Vec::new(), 0);
        }
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn messages_come_back(
            list in proptest::collection::vec(any::<(u64, Vec<u8>, Option<String>)>(), 1..5),
            cut: usize,
        ) {
            let bytes: Vec<u8> = list.iter().flat_map(encode).collect();
            let cut = cut % bytes.len();
            let mut inbox = Inbox::default();
            let mut got: Vec<(u64, Vec<u8>, Option<String>)> = Vec::new();
            for part in [&bytes[..cut], &bytes[cut..]] {
                inbox.push(part);
                while let Some(message) = inbox.take().unwrap() {
                    got.push(message);
                }
            }
            prop_assert_eq!(got, list);
        }
    }

    #[test]
    fn the_memory_of_a_long_message_is_given_back() {
        let mut inbox = Inbox::default();
        inbox.push(&encode(&vec![7_u8; 2 * KEPT]));
        inbox.push(&encode(&7_u32)[..3]);
        assert_eq!(inbox.take::<Vec<u8>>().unwrap().unwrap().len(), 2 * KEPT);
        assert!(inbox.capacity() > KEPT, "a message has begun");
        inbox.push(&encode(&7_u32)[3..]);
        assert_eq!(inbox.take().unwrap(), Some(7_u32));
        assert!(inbox.capacity() <= KEPT);
    }

    #[test]
    fn a_mark_is_found_wherever_it_is() {
        let mut inbox = Inbox::default();
        inbox.push(b"noise ma");
        assert_eq!(inbox.skip_past(b"mark"), (false, 5));
        inbox.push(b"rk");
        inbox.push(&encode(&7_u32));
        assert_eq!(inbox.skip_past(b"mark"), (true, 5));
        assert_eq!(inbox.take().unwrap(), Some(7_u32));
        inbox.push(&[0xff; 8]);
        assert!(inbox.take::<u32>().is_err());
    }
}
