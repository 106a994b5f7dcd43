//! Messages in a byte stream: a length of four bytes with the lowest first, then the message as postcard writes it.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest message in bytes that is accepted. The pairs of a fence of a million processes are 60 MB. A larger limit
/// would let a broken peer make this process collect more memory; a smaller one would end large jobs.
const LONGEST: usize = 1 << 30;

/// Bytes that have been handed out before the buffer is moved to the front.
const COMPACT: usize = 1 << 20;

/// Why a message cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("a message of {0} bytes; the limit is {LONGEST}")]
    TooLong(usize),
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
#[derive(Debug, Default)]
pub struct Inbox {
    buffer: Vec<u8>,
    /// Messages before this index have been handed out.
    start: usize,
}

impl Inbox {
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start == self.buffer.len() || self.start > COMPACT {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Skips everything up to the end of `mark`. False: `mark` has not come yet, and nothing is skipped.
    pub fn skip_past(&mut self, mark: &[u8]) -> bool {
        let at = self.buffer[self.start..].windows(mark.len()).position(|window| window == mark);
        self.start += at.map_or(0, |at| at + mark.len());
        at.is_some()
    }

    /// The next whole message. After an error the stream cannot be read any more.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let Some((length, rest)) = self.buffer[self.start..].split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > LONGEST {
            return Err(FrameError::TooLong(length));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let message = match postcard::take_from_bytes(body) {
            Ok((message, [])) => message,
            _ => return Err(FrameError::Unreadable),
        };
        self.start += 4 + length;
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
    fn a_mark_is_found_wherever_it_is() {
        let mut inbox = Inbox::default();
        inbox.push(b"noise ma");
        assert!(!inbox.skip_past(b"mark"));
        inbox.push(b"rk");
        inbox.push(&encode(&7_u32));
        assert!(inbox.skip_past(b"mark"));
        assert_eq!(inbox.take().unwrap(), Some(7_u32));
        inbox.push(&[0xff; 8]);
        assert!(inbox.take::<u32>().is_err());
    }
}
