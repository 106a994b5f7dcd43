//! Keys that belong to a rank.
//!
//! The store's keys are plain bytes. Where ranks publish values under the same name, the key is `name@rank`. It is
//! text, which passes every server, and the rank can be read from it.

use super::layout::KEY_MAX;
use std::io::Write;

/// A key of one rank. It is made without allocation.
#[derive(Clone, Copy)]
pub struct RankKey {
    bytes: [u8; KEY_MAX],
    len: usize,
}

impl RankKey {
    /// `name@rank`. `None`: too long for a key.
    pub fn new(name: &[u8], rank: u32) -> Option<RankKey> {
        let mut bytes = [0; KEY_MAX];
        let mut rest = &mut bytes[..];
        rest.write_all(name).and_then(|()| write!(rest, "@{rank}")).ok()?;
        let len = KEY_MAX - rest.len();
        (!name.is_empty()).then_some(RankKey { bytes, len })
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The rank that a key names: the number after its last `@`, in the form in which [`RankKey`] writes it.
pub fn rank_of(key: &[u8]) -> Option<u32> {
    let at = key.iter().rposition(|c| *c == b'@')?;
    let digits = &key[at + 1..];
    let plain = at > 0 && digits.first().is_some_and(u8::is_ascii_digit) && (digits.len() == 1 || digits[0] != b'0');
    if !plain {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|_| digits.iter().all(u8::is_ascii_digit))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_rank_goes_in_and_comes_out() {
        for rank in [0, 9, 10, 1_000_000, u32::MAX] {
            let key = RankKey::new(b"card", rank).unwrap();
            assert_eq!(key.as_bytes(), format!("card@{rank}").as_bytes());
            assert_eq!(rank_of(key.as_bytes()), Some(rank));
        }
        assert_eq!(rank_of(RankKey::new(b"a@5", 7).unwrap().as_bytes()), Some(7));
    }

    #[test]
    fn what_is_no_key_of_a_rank() {
        for key in ["card", "@5", "card@", "card@05", "card@x", "card@+5", "card@4294967296", "card@5 ", ""] {
            assert_eq!(rank_of(key.as_bytes()), None, "{key}");
        }
        assert!(RankKey::new(b"", 0).is_none());
        assert!(RankKey::new(&[b'k'; KEY_MAX - 2], 5).is_some());
        assert!(RankKey::new(&[b'k'; KEY_MAX - 2], 55).is_none());
    }
}
