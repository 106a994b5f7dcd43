//! Pairs of byte strings in one piece of bytes: each key and each value stands behind its length, four bytes with the
//! lowest first. So pairs are passed on and merged without being taken apart.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// Pairs in their order. A key may occur several times.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "ByteBuf")]
pub struct Pairs(#[serde(serialize_with = "serde_bytes::serialize")] Vec<u8>);

impl Pairs {
    /// # Panics
    /// If key or value has 4 GiB or more.
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        for part in [key, value] {
            let length = u32::try_from(part.len()).expect("no key or value has 4 GiB");
            self.0.extend(length.to_le_bytes());
            self.0.extend_from_slice(part);
        }
    }

    /// Adds the pairs of `other` behind those of `self`.
    pub fn append(&mut self, other: &Pairs) {
        self.0.extend_from_slice(&other.0);
    }

    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rest = self.0.as_slice();
        let mut part = move || {
            let (length, tail) = rest.split_first_chunk::<4>()?;
            let (part, tail) = tail.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = tail;
            Some(part)
        };
        std::iter::from_fn(move || Some((part()?, part()?)))
    }
}

impl TryFrom<ByteBuf> for Pairs {
    type Error = &'static str;

    fn try_from(bytes: ByteBuf) -> Result<Pairs, &'static str> {
        let pairs = Pairs(bytes.into_vec());
        let whole: usize = pairs.iter().map(|(key, value)| 8 + key.len() + value.len()).sum();
        if whole == pairs.0.len() { Ok(pairs) } else { Err("a pair is cut off") }
    }
}

/// The bytes of pairs whose keys are text.
pub fn encode<'a>(list: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut pairs = Pairs::default();
    list.into_iter().for_each(|(key, value)| pairs.push(key.as_bytes(), value));
    pairs.0
}

/// The pairs of [`encode`]. `None`: the bytes are no such pairs.
pub fn decode(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let pairs = Pairs::try_from(ByteBuf::from(bytes)).ok()?;
    pairs.iter().map(|(key, value)| Some((String::from_utf8(key.to_vec()).ok()?, value.to_vec()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(pairs: Vec<(String, Vec<u8>)>) {
            let bytes = encode(pairs.iter().map(|(k, v)| (k.as_str(), v.as_slice())));
            prop_assert_eq!(decode(&bytes), Some(pairs));
        }

        #[test]
        fn junk_never_panics(bytes: Vec<u8>) {
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn a_piece_that_is_cut_off_is_refused() {
        let bytes = encode([("key", b"value".as_slice())]);
        assert!((1..bytes.len()).all(|n| decode(&bytes[..n]).is_none()));
    }
}
