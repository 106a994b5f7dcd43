//! What a PE tells the others of its library: its worker's address, and the bases and keys of its segments. A PE gets
//! another PE's record at the first operation to it: from the launcher's store, or from an MPI window where MPI has the
//! connection to the launcher.

use super::NotMade;
use crate::diag::broken;
use crate::memory::addr::Pe;
use crate::mpi::Comm;
use crate::mpi::window::{Use, Window};
use crate::net::NetError;

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

/// What a PE tells of itself when the library is ready: how it is reached, and the keys of its segments.
pub(in crate::net) struct Own {
    pub(in crate::net) address: Vec<u8>,
    pub(in crate::net) keys: [Vec<u8>; 2],
    /// Where segments begin, as the library counts.
    pub(in crate::net) bases: [u64; 2],
}

/// A record by itself on pages: window bases are page-aligned.
#[repr(C, align(4096))]
pub(in crate::net) struct Record {
    head: Head,
    bytes: [u8; ROOM],
}

impl Record {
    fn empty() -> Box<Record> {
        Box::new(Record { head: Head::default(), bytes: [0; ROOM] })
    }

    /// None: the machine has more devices than there is room for.
    pub(in crate::net) fn of(own: &Own) -> Option<Box<Record>> {
        let mut record = Record::empty();
        let parts = [&own.address, &own.keys[0], &own.keys[1]];
        let mut from = 0;
        for (part, len) in parts.into_iter().zip(&mut record.head.lens) {
            record.bytes.get_mut(from..from + part.len())?.copy_from_slice(part);
            from += part.len();
            *len = part.len() as u32;
        }
        record.head.bases = own.bases;
        Some(record)
    }

    /// The record without the room that is not used.
    pub(super) fn packed(&self) -> Vec<u8> {
        let Head { bases, lens } = self.head;
        let numbers = bases.into_iter().flat_map(u64::to_le_bytes).chain(lens.into_iter().flat_map(u32::to_le_bytes));
        numbers.chain(self.bytes[..lens.iter().sum::<u32>() as usize].iter().copied()).collect()
    }

    /// The record that was packed; None for other bytes.
    pub(super) fn unpacked(bytes: &[u8]) -> Option<Box<Record>> {
        let (head, parts) = bytes.split_at_checked(size_of::<Head>())?;
        let (bases, lens) = head.split_at(16);
        let mut record = Record::empty();
        for (base, bytes) in record.head.bases.iter_mut().zip(bases.chunks_exact(8)) {
            *base = u64::from_le_bytes(bytes.try_into().ok()?);
        }
        for (len, bytes) in record.head.lens.iter_mut().zip(lens.chunks_exact(4)) {
            *len = u32::from_le_bytes(bytes.try_into().ok()?);
        }
        let used = record.head.lens.iter().try_fold(0usize, |sum, &len| sum.checked_add(len as usize))?;
        record.bytes.get_mut(..used).filter(|_| used == parts.len())?.copy_from_slice(parts);
        Some(record)
    }

    fn part(&self, which: usize) -> &[u8] {
        let len = |i: usize| self.head.lens[i] as usize;
        let from: usize = (0..which).map(len).sum();
        &self.bytes[from..from + len(which)]
    }

    pub(in crate::net) fn address(&self) -> &[u8] {
        self.part(0)
    }

    pub(in crate::net) fn keys(&self) -> [&[u8]; 2] {
        [self.part(1), self.part(2)]
    }

    pub(in crate::net) fn bases(&self) -> [u64; 2] {
        self.head.bases
    }
}

/// The launcher's store.
#[derive(Clone, Copy)]
pub(crate) struct Store {
    /// Collective, unless a read waits for the PE that is to publish.
    pub(crate) publish: fn(&[u8]) -> Result<(), String>,
    pub(crate) read: fn(Pe) -> Result<Vec<u8>, String>,
}

/// Where records are kept.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Launcher(Store),
    /// A window of MPI.
    Window(&'static Comm),
}

/// The records of all PEs.
pub(super) enum Records {
    Launcher(Store),
    /// Each record is at its owner.
    Window(Window),
}

impl Records {
    /// Collective. All PEs give the same place.
    pub(super) fn make(own: Box<Record>, place: Place) -> Result<Records, NotMade> {
        let comm = match place {
            Place::Launcher(store) => {
                (store.publish)(&own.packed()).map_err(NotMade::Store)?;
                return Ok(Records::Launcher(store));
            }
            Place::Window(comm) => comm,
        };
        // Lives as long as the window, which is as long as MPI.
        let own: *mut Record = Box::leak(own);
        let window = Window::create(comm, own as usize, size_of::<Record>(), Use::Copies);
        Ok(Records::Window(window.map_err(NotMade::Mpi)?))
    }

    pub(super) fn get(&self, pe: Pe) -> Result<Box<Record>, NetError> {
        match self {
            Records::Launcher(store) => {
                let read = (store.read)(pe).and_then(|bytes| Record::unpacked(&bytes).ok_or("it is damaged".into()));
                Ok(read.unwrap_or_else(|e| broken(format_args!("PE {} cannot be reached: its record: {e}", pe.0))))
            }
            Records::Window(window) => {
                let mut record = Record::empty();
                // SAFETY: a record, which is bytes and numbers only, as every PE has one at the start of its window.
                unsafe { window.get_blocking(pe.0, 0, (&raw mut *record).cast(), size_of::<Record>())? };
                Ok(record)
            }
        }
    }

    /// Collective.
    pub(super) fn close(&self) {
        if let Records::Window(window) = self {
            window.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_holds_what_it_was_made_of() {
        let own = |address| Own { address: vec![7; address], keys: [vec![1, 2, 3], Vec::new()], bases: [4096, 8192] };
        let record = Record::of(&own(100)).unwrap();
        assert_eq!((record.address(), record.keys()), (&[7; 100][..], [&[1, 2, 3][..], &[]]));
        assert_eq!(record.bases(), [4096, 8192]);
        let packed = record.packed();
        assert_eq!(packed.len(), size_of::<Head>() + 103);
        let again = Record::unpacked(&packed).unwrap();
        assert_eq!((again.address(), again.keys(), again.bases()), (record.address(), record.keys(), record.bases()));
        // A record that is cut off, or claims more than it has, is none.
        assert!(packed.len() > 40 && (0..packed.len()).all(|len| Record::unpacked(&packed[..len]).is_none()));
        let claims = [vec![0; 16], vec![0xff; 16]].concat();
        assert!(Record::unpacked(&claims).is_none() && Record::unpacked(&[0; 32]).is_some());
        assert!(Record::of(&own(ROOM - 3)).is_some());
        assert!(Record::of(&own(ROOM - 2)).is_none());
    }
}
