//! The region of an allgather: one slot per rank, no keys.
//!
//! A value is found by its rank alone. The length of the longest value is said when the region is made, so that a slot
//! is as long as it must be: 40 bytes for values of up to 32, where a fixed 1024 would take a gigabyte for a million
//! ranks. Two kinds of slots:
//!
//! ```text
//! Counted: header (16 words) | length and mark | value, padded | ...     any bytes; who has not given a value is known
//! Plain:   header (512 words) | value, padded with zeros | ...           an array for C programs: text, fixed stride
//! ```

use super::layout::{HEADER, ID, LAYOUT, LENGTH, MAGIC, STAMP};
use super::region::{Guard, Mapping, Region, Window, check_shrink, map_readable, random};
use super::sync::Ordering;
use super::words::{self, Words, words_for};
use super::{Answer, Error};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

const GATHER_MAGIC: u64 = u64::from_le_bytes(*b"pmishm-G");

/// Header words after those that all regions have.
const RANKS: usize = 5;
const MOST: usize = 6;
const KIND: usize = 7;
/// Values that are there.
const GIVEN: usize = 8;

/// In front of plain slots: a page, so that their array begins at one.
const PLAIN_HEADER: usize = 512;

/// The mark of a slot that has a value; the bits below are the length.
const HERE: u64 = 1 << 63;

/// What a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slots {
    /// Any bytes, with their length.
    Counted,
    /// Text padded with zeros, one value every `most` bytes: an array that C programs can index. `most` must be a
    /// multiple of 8.
    Plain,
}

/// Where the slots of a region lie, in words.
#[derive(Clone, Copy)]
struct Shape {
    slots: Slots,
    ranks: usize,
    most: usize,
}

impl Shape {
    fn new(slots: Slots, ranks: u32, most: usize) -> Option<Shape> {
        let fits = most <= super::VALUE_MAX && (slots == Slots::Counted || (most > 0 && most.is_multiple_of(8)));
        let shape = Shape { slots, ranks: ranks as usize, most };
        // 2^32 slots of 2^20 bytes are far from an overflow.
        fits.then_some(shape)
    }

    fn first(self) -> usize {
        match self.slots {
            Slots::Counted => HEADER,
            Slots::Plain => PLAIN_HEADER,
        }
    }

    fn stride(self) -> usize {
        words_for(self.most) + usize::from(self.slots == Slots::Counted)
    }

    fn slot(self, rank: usize) -> usize {
        self.first() + rank * self.stride()
    }

    fn words(self) -> usize {
        self.slot(self.ranks)
    }
}

/// An allgather's values as the server has them.
pub struct Gather {
    region: Region,
    shape: Shape,
    id: [u64; 2],
    given: u64,
}

impl Gather {
    /// A region for `ranks` values of at most `most` bytes.
    pub fn create(slots: Slots, ranks: u32, most: usize, guard: Guard) -> Result<Gather, Error> {
        let shape = Shape::new(slots, ranks, most).ok_or(Error::Value { len: most, most: super::VALUE_MAX })?;
        let region = Region::create(shape.words(), guard)?;
        let id = [random()?, random()?];
        let header = region.window();
        let words = [
            (MAGIC, GATHER_MAGIC),
            (STAMP, LAYOUT),
            (ID[0], id[0]),
            (ID[1], id[1]),
            (LENGTH, region.words() as u64),
            (RANKS, shape.ranks as u64),
            (MOST, most as u64),
            (KIND, u64::from(slots == Slots::Plain)),
        ];
        for (at, word) in words {
            // Relaxed: clients learn of the region by a message that is sent later.
            header.set(at, word, Ordering::Relaxed);
        }
        Ok(Gather { region, shape, id, given: 0 })
    }

    /// Stores the value of `rank`, once. Plain slots hold text: a zero byte would end it, as it does in C.
    pub fn insert(&mut self, rank: u32, value: &[u8]) -> Result<(), Error> {
        let Shape { slots, ranks, most } = self.shape;
        if rank as usize >= ranks {
            return Err(Error::Rank { rank, ranks: ranks as u32 });
        }
        // In a plain slot the zero that ends the text has its place too.
        let room = if slots == Slots::Plain { most - 1 } else { most };
        if value.len() > room {
            return Err(Error::Value { len: value.len(), most: room });
        }
        let window = self.region.window();
        let slot = self.shape.slot(rank as usize);
        if slots == Slots::Counted {
            words::write(&window, slot + 1, value);
            window.set(slot, HERE | value.len() as u64, Ordering::Release); // SYNC gather-slot: pairs with get
        } else {
            words::write(&window, slot, value);
        }
        self.given += 1;
        window.set(GIVEN, self.given, Ordering::Release); // SYNC gather-given: pairs with the view's count
        Ok(())
    }

    /// What clients open it with, for reading only; `None`: they cannot.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.region.readers()
    }

    /// Random number by which a client knows that a descriptor is of this allgather.
    pub fn id(&self) -> u128 {
        u128::from(self.id[0]) << 64 | u128::from(self.id[1])
    }

    /// Bytes of header and slots.
    pub fn bytes(&self) -> usize {
        self.shape.words() * 8
    }

    pub fn guard(&self) -> Guard {
        self.region.guard()
    }
}

/// An allgather's values as a client sees them: read-only and not trusted.
pub struct GatherView {
    map: Mapping,
    shape: Shape,
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
        let slots = if word(KIND) == 0 { Slots::Counted } else { Slots::Plain };
        let shape =
            u32::try_from(word(RANKS)).ok().and_then(|r| Shape::new(slots, r, usize::try_from(word(MOST)).ok()?));
        match shape {
            Some(shape) if shape.words() <= window.len() => {
                let id = u128::from(word(ID[0])) << 64 | u128::from(word(ID[1]));
                Ok(GatherView { map, shape, id })
            }
            _ => Err(foreign("its slots do not fit into it")),
        }
    }

    fn window(&self) -> Window {
        self.map.window()
    }

    /// The value of `rank`; its first bytes go into `out`. Of a plain slot, the text up to the first zero.
    #[inline]
    pub fn get(&self, rank: u32, out: &mut [u8]) -> Answer {
        if rank as usize >= self.shape.ranks {
            return Answer::Absent;
        }
        let window = self.window();
        let slot = self.shape.slot(rank as usize);
        let (at, len) = match self.shape.slots {
            Slots::Counted => {
                let head = window.get(slot, Ordering::Acquire).unwrap_or(0); // SYNC gather-slot
                if head & HERE == 0 {
                    return Answer::Absent;
                }
                // A length beyond the slot would be another rank's bytes.
                (slot + 1, ((head & !HERE) as usize).min(self.shape.most))
            }
            Slots::Plain => (slot, self.text(slot)),
        };
        let part = len.min(out.len());
        if window.read(at, &mut out[..part]) { Answer::Found(len) } else { Answer::AskServer }
    }

    /// Bytes before the first zero of a plain slot.
    fn text(&self, slot: usize) -> usize {
        let window = self.window();
        for i in 0..self.shape.stride() {
            let bytes = window.get(slot + i, Ordering::Relaxed).unwrap_or(0).to_ne_bytes();
            if let Some(end) = bytes.iter().position(|b| *b == 0) {
                return i * 8 + end;
            }
        }
        self.shape.most
    }

    /// The array of plain slots, for C programs: value of rank r at `r * most()`. Lives as long as the view.
    pub fn array(&self) -> Option<*const u8> {
        (self.shape.slots == Slots::Plain).then(|| self.window().from(self.shape.first()).base())
    }

    /// Ranks that have given a value so far.
    pub fn given(&self) -> u64 {
        self.window().get(GIVEN, Ordering::Acquire).unwrap_or(0) // SYNC gather-given
    }

    pub fn ranks(&self) -> u32 {
        self.shape.ranks as u32
    }

    /// Longest value in bytes; with plain slots the distance from one to the next.
    pub fn most(&self) -> usize {
        self.shape.most
    }

    pub fn id(&self) -> u128 {
        self.id
    }

    /// Reads every page once, so that no later look waits for a page.
    pub fn touch(&self) {
        self.map.touch(self.shape.words());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(gather: &Gather) -> GatherView {
        GatherView::open(gather.descriptor().unwrap().try_clone_to_owned().unwrap()).unwrap()
    }

    fn value(view: &GatherView, rank: u32) -> Option<Vec<u8>> {
        let mut out = vec![0; view.most()];
        match view.get(rank, &mut out) {
            Answer::Found(len) => Some(out[..len].to_vec()),
            Answer::Absent => None,
            Answer::AskServer => panic!("a good region"),
        }
    }

    #[test]
    fn values_by_rank() {
        let mut gather = Gather::create(Slots::Counted, 1000, 13, Guard::Sealed).unwrap();
        let view = open(&gather);
        assert_eq!((view.ranks(), view.most(), view.given(), view.id()), (1000, 13, 0, gather.id()));
        assert_eq!(value(&view, 7), None);
        for rank in (0..1000).rev() {
            gather.insert(rank, &vec![rank as u8; rank as usize % 14]).unwrap();
        }
        for rank in 0..1000 {
            assert_eq!(value(&view, rank).unwrap(), vec![rank as u8; rank as usize % 14]);
        }
        assert_eq!(value(&view, 1000), None);
        assert_eq!(view.given(), 1000);
        assert!(view.array().is_none());
    }

    #[test]
    fn a_slot_is_as_long_as_it_must_be() {
        let gather = Gather::create(Slots::Counted, 1000, 32, Guard::Sealed).unwrap();
        assert_eq!(gather.bytes(), 128 + 1000 * 40);
    }

    #[test]
    fn plain_slots_are_an_array_of_text() {
        let mut gather = Gather::create(Slots::Plain, 3, 16, Guard::Sealed).unwrap();
        for (rank, text) in ["a", "fifteen letters", ""].into_iter().enumerate() {
            gather.insert(rank as u32, text.as_bytes()).unwrap();
        }
        assert!(gather.insert(0, &[b'x'; 16]).unwrap_err().to_string().contains("at most 15"));
        let view = open(&gather);
        let array = view.array().unwrap();
        // SAFETY: three slots of 16 bytes lie there, and nobody writes any more.
        let bytes = unsafe { std::slice::from_raw_parts(array, 48) };
        assert_eq!(bytes, b"a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0fifteen letters\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(array as usize % 4096, 0);
        assert_eq!(value(&view, 1).unwrap(), b"fifteen letters");
        assert_eq!(value(&view, 2).unwrap(), b"");
    }

    #[test]
    fn mistakes_are_named() {
        assert!(Gather::create(Slots::Plain, 3, 15, Guard::Sealed).is_err());
        assert!(Gather::create(Slots::Counted, 3, super::super::VALUE_MAX + 1, Guard::Sealed).is_err());
        let mut gather = Gather::create(Slots::Counted, 3, 8, Guard::Sealed).unwrap();
        assert_eq!(gather.insert(3, b"").unwrap_err().to_string(), "rank 3 is out of range 0..3");
        assert!(gather.insert(0, &[0; 9]).unwrap_err().to_string().contains("9 bytes: at most 8"));
        let store = super::super::Store::create(super::super::Settings::default()).unwrap();
        let table = store.descriptors().unwrap().0.try_clone_to_owned().unwrap();
        assert!(GatherView::open(table).is_err());
    }

    /// Slots and sizes that no server of ours writes.
    #[test]
    fn a_damaged_region_is_refused_or_answers() {
        for (at, word) in
            [(RANKS, u64::from(u32::MAX)), (RANKS, u64::MAX), (MOST, 1 << 19), (MOST, u64::MAX), (KIND, 1)]
        {
            let gather = Gather::create(Slots::Counted, 100, 12, Guard::Sealed).unwrap();
            gather.region.window().set(at, word, Ordering::Relaxed);
            assert!(
                GatherView::open(gather.descriptor().unwrap().try_clone_to_owned().unwrap()).is_err(),
                "{at} {word}"
            );
        }
        let gather = Gather::create(Slots::Counted, 100, 12, Guard::Sealed).unwrap();
        let view = open(&gather);
        gather.region.window().set(HEADER, u64::MAX, Ordering::Relaxed);
        let mut out = [0; 64];
        assert_eq!(view.get(0, &mut out), Answer::Found(12), "no more than a slot holds");
    }
}
