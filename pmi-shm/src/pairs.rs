//! Pairs of byte strings in one piece of bytes: each key and each value stands behind its length, four bytes with the
//! lowest first. So pairs are passed on and merged without being taken apart.

/// Adds a pair.
///
/// # Panics
/// If key or value has 4 GiB or more.
pub fn push(pairs: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    for part in [key, value] {
        let length = u32::try_from(part.len()).expect("no key or value has 4 GiB");
        pairs.extend(length.to_le_bytes());
        pairs.extend_from_slice(part);
    }
}

/// The pairs in their order, up to one that is cut off. A key may occur several times.
pub fn iter(pairs: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = pairs;
    let mut part = move || {
        let (length, tail) = rest.split_first_chunk::<4>()?;
        let (part, tail) = tail.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        rest = tail;
        Some(part)
    };
    std::iter::from_fn(move || Some((part()?, part()?)))
}

/// Whether no pair is cut off.
pub fn are_whole(pairs: &[u8]) -> bool {
    iter(pairs).map(|(key, value)| 8 + key.len() + value.len()).sum::<usize>() == pairs.len()
}

/// The bytes of pairs whose keys are text.
pub fn encode<'a>(list: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut pairs = Vec::new();
    list.into_iter().for_each(|(key, value)| push(&mut pairs, key.as_bytes(), value));
    pairs
}

/// The pairs of [`encode`]. `None`: the bytes are no such pairs.
pub fn decode(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let text = |(key, value): (&[u8], &[u8])| Some((String::from_utf8(key.to_vec()).ok()?, value.to_vec()));
    are_whole(bytes).then(|| iter(bytes).map(text).collect())?
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
