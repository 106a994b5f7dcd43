//! The region of an allgather: an array of text, one slot per rank, without keys.
//!
//! ```text
//! header (512 words) | value, padded with zeros | value, padded with zeros | ...
//! ```
//! The length of a slot is chosen when the region is made, so that it is no longer than the values need. C programs
//! index the array themselves. The header takes a page, so that the array begins at a page.

use super::Error;
use super::layout::{HEADER, ID, LAYOUT, LENGTH, MAGIC, STAMP};
use super::region::{Guard, Mapping, Region, check_shrink, map_readable, random};
use super::sync::Ordering;
use super::words::{self, Words};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

const GATHER_MAGIC: u64 = u64::from_le_bytes(*b"pmishm-G");

/// Header words of this kind of region, behind those that all regions have.
const RANKS: usize = 5;
const SLOT: usize = 6;

/// Words of the header: 4 KiB.
const PAGE: usize = 512;

/// Words of a region of `ranks` slots of `slot` bytes. `None`: a slot has no such length.
fn words_of(ranks: u64, slot: u64) -> Option<usize> {
    let (ranks, slot) = (u32::try_from(ranks).ok()? as usize, usize::try_from(slot).ok()?);
    // 2^32 slots of 2^20 bytes are far from an overflow.
    (slot > 0 && slot <= super::VALUE_MAX && slot.is_multiple_of(8)).then(|| PAGE + ranks * (slot / 8))
}

/// The values of an allgather, held by the server.
pub struct Gather {
    region: Region,
    ranks: u32,
    slot: usize,
    id: [u64; 2],
}

impl Gather {
    /// A region with a slot of `slot` bytes for each of `ranks` ranks. `slot` must be a multiple of 8.
    pub fn create(ranks: u32, slot: usize) -> Result<Gather, Error> {
        let refused = Error::Value { len: slot, most: super::VALUE_MAX };
        let region = Region::create(words_of(ranks.into(), slot as u64).ok_or(refused)?, Guard::Sealed)?;
        let id = [random()?, random()?];
        let words = [
            (MAGIC, GATHER_MAGIC),
            (STAMP, LAYOUT),
            (ID[0], id[0]),
            (ID[1], id[1]),
            (LENGTH, region.words() as u64),
            (RANKS, ranks.into()),
            (SLOT, slot as u64),
        ];
        for (at, word) in words {
            // Relaxed: clients learn of the region by a message that is sent later.
            region.window().set(at, word, Ordering::Relaxed);
        }
        Ok(Gather { region, ranks, slot, id })
    }

    /// Stores the value of `rank`, which must leave room for the zero that ends a text in C.
    pub fn insert(&mut self, rank: u32, value: &[u8]) -> Result<(), Error> {
        if rank >= self.ranks {
            return Err(Error::Rank { rank, ranks: self.ranks });
        }
        if value.len() >= self.slot {
            return Err(Error::Value { len: value.len(), most: self.slot - 1 });
        }
        words::write(&self.region.window(), PAGE + rank as usize * (self.slot / 8), value);
        Ok(())
    }

    /// The descriptor with which clients open the region for reading. `None`: the memory cannot be shared.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.region.readers()
    }

    /// Random number that tells this allgather from all others.
    pub fn id(&self) -> u128 {
        u128::from(self.id[0]) << 64 | u128::from(self.id[1])
    }
}

/// The values of an allgather, held by a client that can only read them and does not trust the header.
pub struct GatherView {
    map: Mapping,
    id: u128,
}

impl GatherView {
    pub fn open(file: OwnedFd) -> Result<GatherView, Error> {
        check_shrink(file.as_fd())?;
        let foreign = |why: &str| Error::Foreign(why.to_string());
        let small = || foreign("it is smaller than a header");
        // The header first, for the length that was published: a client may have made the file longer.
        let header = map_readable(file.as_fd(), HEADER - 1, HEADER)?.ok_or_else(small)?;
        let length = header.window().get(LENGTH, Ordering::Relaxed).unwrap_or(0);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let map = map_readable(file.as_fd(), HEADER - 1, length)?.ok_or_else(small)?;
        let window = map.window();
        let word = |at| window.get(at, Ordering::Relaxed).unwrap_or(0);
        if word(MAGIC) != GATHER_MAGIC || word(STAMP) != LAYOUT {
            return Err(foreign("it is no allgather of this version"));
        }
        if words_of(word(RANKS), word(SLOT)).is_none_or(|words| words > window.len()) {
            return Err(foreign("its slots do not fit into it"));
        }
        let id = u128::from(word(ID[0])) << 64 | u128::from(word(ID[1]));
        Ok(GatherView { map, id })
    }

    /// Address of the array: the value of rank r lies r slots behind it. The array lives as long as the view.
    pub fn array(&self) -> *const u8 {
        self.map.window().from(PAGE).base()
    }

    pub fn id(&self) -> u128 {
        self.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(gather: &Gather) -> Result<GatherView, Error> {
        GatherView::open(gather.descriptor().unwrap().try_clone_to_owned().unwrap())
    }

    #[test]
    fn slots_are_an_array_of_text() {
        let mut gather = Gather::create(3, 16).unwrap();
        for (rank, text) in ["a", "fifteen letters", ""].into_iter().enumerate() {
            gather.insert(rank as u32, text.as_bytes()).unwrap();
        }
        assert!(gather.insert(0, &[b'x'; 16]).unwrap_err().to_string().contains("at most 15"));
        let view = open(&gather).unwrap();
        assert_eq!(view.id(), gather.id());
        // SAFETY: three slots of 16 bytes lie there, and nobody writes any more.
        let bytes = unsafe { std::slice::from_raw_parts(view.array(), 48) };
        assert_eq!(bytes, b"a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0fifteen letters\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(view.array() as usize % 4096, 0);
    }

    #[test]
    fn mistakes_are_named() {
        assert!(Gather::create(3, 15).is_err());
        assert!(Gather::create(3, super::super::VALUE_MAX + 1).is_err());
        let mut gather = Gather::create(3, 8).unwrap();
        assert_eq!(gather.insert(3, b"").unwrap_err().to_string(), "rank 3 is out of range 0..3");
        let store = super::super::Store::create(super::super::Settings::default()).unwrap();
        let table = store.descriptors().unwrap()[0].try_clone_to_owned().unwrap();
        assert!(GatherView::open(table).is_err());
    }

    #[test]
    fn a_damaged_region_is_refused() {
        for (at, word) in [(RANKS, u64::from(u32::MAX)), (RANKS, u64::MAX), (SLOT, 1 << 19), (SLOT, u64::MAX)] {
            let gather = Gather::create(100, 16).unwrap();
            gather.region.window().set(at, word, Ordering::Relaxed);
            assert!(open(&gather).is_err(), "{at} {word}");
        }
    }
}
