//! Memory that PEs may share, and the proof that they do: a PE is on my node when I can open the memory it made and read its
//! random token there. Host names, PMI mappings and MPI's opinion play no part.

use super::card::Card;
use super::watch::Post;
use crate::diag::fatal_alike;
use crate::memory::node::TOKEN_BYTES;
use crate::os::{memfd, pass};
use pmi_shm::limits;
use std::io;
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
pub(crate) fn offer(card: &mut Card) -> io::Result<OwnedFd> {
    let own = memfd::create()?;
    let write = memfd::write_at(&own.fd, &pass::token_bytes(card.token), 0);
    write.map_err(|e| own.located(e))?;
    (card.fd, card.on_disk) = (own.fd.as_raw_fd() as u64, own.on_disk);
    Ok(own.fd)
}

/// A PE that can make no memory cannot take part in anything, not even in finding out who else cannot.
pub(crate) fn no_memory(e: &io::Error) -> ! {
    let advice = "allow memfd_create in the container, or give it a writable /dev/shm with room";
    let advice = limits::advice(e).unwrap_or(advice);
    fatal_alike("shmem_init", format_args!("cannot make shared memory: {e}: {advice}"))
}

/// Opens the memory a card tells of.
pub(crate) fn open(card: &Card) -> Option<OwnedFd> {
    let fd = memfd::open_of(u32::try_from(card.pid).ok()?, i32::try_from(card.fd).ok()?).ok()?;
    prove(fd, card.token)
}

/// The same memory, if it is the one of this token. Only a PE that sees the same memory finds the token there.
pub(crate) fn prove(memory: OwnedFd, token: pass::Token) -> Option<OwnedFd> {
    let mut bytes = [0u8; TOKEN_BYTES];
    memfd::read_at(&memory, &mut bytes, 0).ok()?;
    (bytes == pass::token_bytes(token)).then_some(memory)
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
        assert!(open(&card).is_some());
        card.token[1] ^= 1;
        assert!(open(&card).is_none());
        card.token[1] ^= 1;
        card.pid = 0;
        assert!(open(&card).is_none());
    }
}
