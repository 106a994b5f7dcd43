//! All pairs of one rank and one fence as few values of a text store.
//!
//! Launchers keep short texts without binary bytes and without blanks, some hundred bytes each. The pairs of a rank are
//! encoded as one piece of bytes, then as base64, and cut into values. The first value says how many there are:
//! `3.<text>`.

use crate::error::Error;
use crate::pairs;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;

/// The values, each at most `room` bytes long.
pub(super) fn cut<'a>(all: impl IntoIterator<Item = (&'a str, &'a [u8])>, room: usize) -> Vec<String> {
    let text = BASE64.encode(pairs::encode(all));
    let room = room.max(16);
    // The count takes one digit or more; it is given more digits until it fits.
    let mut digits = 1;
    let count = loop {
        let first = room - digits - 1;
        let count = 1 + text.len().saturating_sub(first).div_ceil(room);
        if count.to_string().len() <= digits {
            break count;
        }
        digits += 1;
    };
    let head = format!("{count:0digits$}.");
    let (first, mut rest) = text.split_at(text.len().min(room - head.len()));
    let mut pieces = vec![head + first];
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(rest.len().min(room));
        pieces.push(piece.to_owned());
        rest = tail;
    }
    pieces
}

/// The pairs of `rank`. `piece(i)` fetches value `i`; value 0 comes first, and only those are fetched that it
/// announces.
pub(super) fn join(
    rank: u32,
    mut piece: impl FnMut(usize) -> Result<Vec<u8>, Error>,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let broken = || Error::BrokenRecord(rank);
    let first = String::from_utf8(piece(0)?).map_err(|_| broken())?;
    let (count, text) = first.split_once('.').ok_or_else(broken)?;
    let count: usize = count.parse().map_err(|_| broken())?;
    let mut text = text.to_owned();
    for i in 1..count {
        text.push_str(std::str::from_utf8(&piece(i)?).map_err(|_| broken())?);
    }
    let bytes = BASE64.decode(text).map_err(|_| broken())?;
    pairs::decode(&bytes).ok_or_else(broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn pairs_come_back(
            pairs in proptest::collection::vec((".{0,9}", any::<Vec<u8>>()), 0..9),
            room in 16..700usize,
        ) {
            let pieces = cut(pairs.iter().map(|(k, v)| (k.as_str(), v.as_slice())), room);
            for p in &pieces {
                prop_assert!(p.len() <= room);
                prop_assert!(p.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_.".contains(&c)));
            }
            let mut fetched = 0;
            let back = join(0, |i| { fetched += 1; Ok(pieces[i].clone().into_bytes()) }).unwrap();
            prop_assert_eq!(fetched, pieces.len());
            prop_assert_eq!(back, pairs);
        }

        #[test]
        fn junk_never_panics(pieces: Vec<Vec<u8>>) {
            let _ = join(0, |i| pieces.get(i).cloned().ok_or(Error::BrokenRecord(0)));
        }
    }
}
