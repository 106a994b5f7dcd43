//! Memory that PEs may share, and the proof that they do: a PE is on my node when I can open the memory it made and read its
//! random token there. Host names, PMI mappings and MPI's opinion play no part.

use super::card::Card;
use super::watch::Post;
use crate::memory::node::TOKEN_BYTES;
use crate::os::memfd;
use std::os::fd::{AsRawFd, OwnedFd};

/// What an exchange has found out.
pub(crate) struct Found {
    /// Of all PEs of the job.
    pub(crate) cards: Vec<Card>,
    /// The PE that made the memory of this node, and the PEs that have opened it, in ascending order.
    pub(crate) leader: u32,
    pub(crate) here: Vec<u32>,
    /// The node's memory, before it has its size.
    pub(crate) memory: OwnedFd,
    /// What there is to watch other hosts with.
    pub(super) watch: Option<Post>,
}

/// Makes memory with the card's token at its head, and enters it on the card.
pub(crate) fn offer(card: &mut Card) -> std::io::Result<OwnedFd> {
    let own = memfd::create()?;
    memfd::write_at(&own.fd, &token_bytes(card), 0)?;
    (card.fd, card.on_disk) = (own.fd.as_raw_fd() as u64, own.on_disk);
    Ok(own.fd)
}

fn token_bytes(card: &Card) -> [u8; TOKEN_BYTES] {
    let mut bytes = [0; TOKEN_BYTES];
    bytes[..8].copy_from_slice(&card.token[0].to_ne_bytes());
    bytes[8..].copy_from_slice(&card.token[1].to_ne_bytes());
    bytes
}

/// Opens the memory a card tells of. Only a PE that sees the same memory finds the token there.
pub(crate) fn prove(card: &Card) -> Option<OwnedFd> {
    let fd = memfd::open_of(u32::try_from(card.pid).ok()?, i32::try_from(card.fd).ok()?).ok()?;
    let mut bytes = [0u8; TOKEN_BYTES];
    memfd::read_at(&fd, &mut bytes, 0).ok()?;
    (bytes == token_bytes(card)).then_some(fd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::process;

    /// A memory that is not the one on the card does not pass, though it can be opened.
    #[test]
    fn a_wrong_token_is_no_proof() {
        let mut card = Card { pid: u64::from(process::pid()), token: [7, 8], ..Card::default() };
        let _own = offer(&mut card).unwrap();
        assert!(prove(&card).is_some());
        card.token[1] ^= 1;
        assert!(prove(&card).is_none());
        card.token[1] ^= 1;
        card.pid = 0;
        assert!(prove(&card).is_none());
    }
}
