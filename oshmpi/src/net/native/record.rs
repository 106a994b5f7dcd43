//! What a PE tells the others of its library: its worker's address, and the bases and keys of its segments. A PE gets
//! another PE's record at the first operation to it: from the launcher's store, or from an MPI window where MPI has the
//! connection to the launcher.

use super::NotMade;
use crate::diag::broken;
use crate::memory::addr::Pe;
use crate::mpi::Comm;
use crate::mpi::window::Window;
use crate::net::NetError;
use serde::{Deserialize, Serialize};

/// What a PE tells of itself when the library is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::net) struct Record {
    pub(in crate::net) address: Vec<u8>,
    /// Of heap and statics.
    pub(in crate::net) keys: [Vec<u8>; 2],
    /// Where segments begin, as the library counts.
    pub(in crate::net) bases: [u64; 2],
}

impl Record {
    pub(super) fn packed(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("numbers and bytes have a plain form")
    }

    /// The record that was packed; None for other bytes.
    pub(super) fn unpacked(bytes: &[u8]) -> Option<Record> {
        let (record, rest) = postcard::take_from_bytes(bytes).ok()?;
        rest.is_empty().then_some(record)
    }
}

/// The most bytes of a record. An address has some 50 bytes per network device, a key at most some 100.
pub(super) const ROOM: usize = 8192 - size_of::<u64>();

/// A packed record by itself on pages: window bases are page-aligned.
#[repr(C, align(4096))]
struct Page {
    len: u64,
    bytes: [u8; ROOM],
}

impl Page {
    /// `record` has at most [`ROOM`] bytes.
    fn of(record: &[u8]) -> Box<Page> {
        let mut page = Box::new(Page { len: record.len() as u64, bytes: [0; ROOM] });
        page.bytes[..record.len()].copy_from_slice(record);
        page
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
    Window(&'static Comm),
}

pub(super) enum Records {
    Launcher(Store),
    /// Each record is at its owner.
    Window(Window),
}

impl Records {
    /// `own` is packed, and has at most [`ROOM`] bytes. Collective. All PEs give the same place.
    pub(super) fn make(own: &[u8], place: Place) -> Result<Records, NotMade> {
        let comm = match place {
            Place::Launcher(store) => {
                (store.publish)(own).map_err(NotMade::Store)?;
                return Ok(Records::Launcher(store));
            }
            Place::Window(comm) => comm,
        };
        // Lives as long as the window, which is as long as MPI.
        let own: *mut Page = Box::leak(Page::of(own));
        let window = Window::create(comm, own as usize, size_of::<Page>());
        Ok(Records::Window(window.map_err(NotMade::Mpi)?))
    }

    pub(super) fn get(&self, pe: Pe) -> Result<Record, NetError> {
        let bytes = match self {
            Records::Launcher(store) => (store.read)(pe),
            Records::Window(window) => {
                let mut page = Page::of(&[]);
                // SAFETY: bytes and a number only, as every PE has them at the start of its window.
                unsafe { window.get_blocking(pe.0, 0, (&raw mut *page).cast(), size_of::<Page>())? };
                Ok(page.bytes[..ROOM.min(page.len as usize)].to_vec())
            }
        };
        let record = bytes.and_then(|bytes| Record::unpacked(&bytes).ok_or("it is damaged".into()));
        Ok(record.unwrap_or_else(|e| broken(format_args!("PE {} cannot be reached: its record: {e}", pe.0))))
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
        let record = Record { address: vec![7; 100], keys: [vec![1, 2, 3], Vec::new()], bases: [4096, 8192] };
        let packed = record.packed();
        assert_eq!(Record::unpacked(&packed).as_ref(), Some(&record));
        let page = Page::of(&packed);
        assert_eq!(page.bytes[..page.len as usize], packed);
        // A record that is cut off, or claims more than it has, is none.
        assert!((0..packed.len()).all(|len| Record::unpacked(&packed[..len]).is_none()));
        assert!(Record::unpacked(&[packed, vec![0]].concat()).is_none() && Record::unpacked(&[0xff; 32]).is_none());
    }
}
