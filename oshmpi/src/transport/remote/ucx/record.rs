//! What a PE tells the others for UCX: its worker's address, and the bases and keys of its segments. A PE gets another
//! PE's record from an MPI window at the first operation to it.

use super::worker::Own;
use crate::mpi::window::{Use, Window};
use crate::mpi::{Comm, MpiError};
use crate::transport::remote::Exposed;

/// Bytes for an address and two keys. An address has some 50 bytes per network device, a key at most some 100.
const ROOM: usize = 8192 - size_of::<Head>();

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Head {
    /// Heap, statics.
    bases: [u64; 2],
    /// Bytes of the address and of the two keys, which follow each other.
    lens: [u32; 4],
}

/// A record by itself on pages: window bases are page-aligned.
#[repr(C, align(4096))]
pub(super) struct Record {
    head: Head,
    bytes: [u8; ROOM],
}

impl Record {
    fn empty() -> Box<Record> {
        Box::new(Record { head: Head::default(), bytes: [0; ROOM] })
    }

    /// None: the machine has more devices than there is room for.
    pub(super) fn of(own: &Own, exposed: Exposed) -> Option<Box<Record>> {
        let mut record = Record::empty();
        let parts = [&own.address, &own.keys[0], &own.keys[1]];
        let mut from = 0;
        for (part, len) in parts.into_iter().zip(&mut record.head.lens) {
            record.bytes.get_mut(from..from + part.len())?.copy_from_slice(part);
            from += part.len();
            *len = part.len() as u32;
        }
        record.head.bases = [exposed.heap.base as u64, exposed.statics.base as u64];
        Some(record)
    }

    fn part(&self, which: usize) -> &[u8] {
        let len = |i: usize| self.head.lens[i] as usize;
        let from: usize = (0..which).map(len).sum();
        &self.bytes[from..from + len(which)]
    }

    pub(super) fn address(&self) -> &[u8] {
        self.part(0)
    }

    pub(super) fn keys(&self) -> [&[u8]; 2] {
        [self.part(1), self.part(2)]
    }

    pub(super) fn bases(&self) -> [u64; 2] {
        self.head.bases
    }
}

/// The records of all PEs, each at its owner.
pub(super) struct Records(Window);

impl Records {
    /// Collective.
    pub(super) fn make(comm: &Comm, own: Box<Record>) -> Result<Records, MpiError> {
        // Lives as long as the window, which is as long as MPI.
        let own: *mut Record = Box::leak(own);
        Ok(Records(Window::create(comm, own as usize, size_of::<Record>(), Use::Copies)?))
    }

    pub(super) fn get(&self, pe: u32) -> Result<Box<Record>, MpiError> {
        let mut record = Record::empty();
        // SAFETY: a record, which is bytes and numbers only, as every PE has one at the start of its window.
        unsafe { self.0.get_blocking(pe, 0, (&raw mut *record).cast(), size_of::<Record>())? };
        Ok(record)
    }

    /// Collective.
    pub(super) fn close(&self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::addr::Span;

    #[test]
    fn a_record_holds_what_it_was_made_of() {
        let exposed = Exposed { heap: Span { base: 4096, len: 1 }, statics: Span { base: 8192, len: 0 } };
        let own = |address: usize| Own { address: vec![7; address], keys: [vec![1, 2, 3], Vec::new()] };
        let record = Record::of(&own(100), exposed).unwrap();
        assert_eq!((record.address(), record.keys()), (&[7; 100][..], [&[1, 2, 3][..], &[]]));
        assert_eq!(record.bases(), [4096, 8192]);
        assert!(Record::of(&own(ROOM - 3), exposed).is_some());
        assert!(Record::of(&own(ROOM - 2), exposed).is_none());
    }
}
