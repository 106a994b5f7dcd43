//! Keys and values behind each other in one piece of bytes: each is its length, four bytes, the lowest first, and itself.

/// All pairs as bytes.
pub fn encode<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in pairs {
        for part in [key.as_bytes(), value] {
            let length = u32::try_from(part.len()).expect("no key or value has 4 GiB");
            bytes.extend(length.to_le_bytes());
            bytes.extend(part);
        }
    }
    bytes
}

/// The pairs again; `None`: these bytes are not pairs.
pub fn decode(mut bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut part = || -> Option<Vec<u8>> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        bytes = rest;
        Some(part.to_vec())
    };
    let mut pairs = Vec::new();
    while let Some(key) = part() {
        pairs.push((String::from_utf8(key).ok()?, part()?));
    }
    bytes.is_empty().then_some(pairs)
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
