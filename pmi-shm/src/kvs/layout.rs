//! What lies where in both regions, in words of 8 bytes. No other file knows an offset by number.
//!
//! ```text
//! Table: header (16 words) | line | line | ...                line   = tags, head of a chain, offsets: see `line`
//! KVS:   header (16 words) | entry | entry | ... | free       entry  = head word [lease] key.. value..
//! ```
//! An offset of an entry counts words from the start of the KVS; 0 means none. It has 32 bits, so 32 GiB can be
//! reached. Offsets stand in a line's slots, at the head of its chain and in an entry's `next`. A line is a cache line,
//! and a header is two. Keys and values begin at a word and are padded with zeros.

/// Words of either header.
pub(crate) const HEADER: usize = 16;

/// Header words of both regions.
pub(crate) const MAGIC: usize = 0;
pub(crate) const STAMP: usize = 1;
/// 128 random bits that tell this store from all others, and show that Table and KVS belong together.
pub(crate) const ID: [usize; 2] = [2, 3];
/// Size of the region in words as the writer last set it. It never shrinks.
pub(crate) const LENGTH: usize = 4;

/// Header words of the Table. The epoch is odd while the writer rebuilds. A bucket is a word of a line.
pub(crate) const EPOCH: usize = 5;
pub(crate) const BUCKETS: usize = 6;
pub(crate) const SEED: usize = 7;

/// Header words of the KVS: first free word, entries that can be found, number of fences.
pub(crate) const USED: usize = 5;
pub(crate) const COUNT: usize = 6;
pub(crate) const FENCES: usize = 7;

pub(crate) const TABLE_MAGIC: u64 = u64::from_le_bytes(*b"pmishm-T");
pub(crate) const KVS_MAGIC: u64 = u64::from_le_bytes(*b"pmishm-K");

/// A number that changes whenever this file or the hash changes. A client of another version then asks the server
/// instead of reading memory that it does not understand. It is computed from the numbers above, so that moving a word
/// changes it. `VERSION` stands for what these numbers do not show.
pub(crate) const LAYOUT: u64 = {
    const VERSION: u64 = 3;
    let parts = [
        VERSION,
        HEADER as u64,
        LENGTH as u64,
        EPOCH as u64,
        BUCKETS as u64,
        SEED as u64,
        USED as u64,
        COUNT as u64,
        FENCES as u64,
        LINE as u64,
        SLOTS as u64,
        KEY_BITS as u64,
        VALUE_BITS as u64,
        // A machine with another byte order computes another number.
        u32::from_ne_bytes([1, 2, 3, 4]) as u64,
    ];
    let mut mixed = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < parts.len() {
        mixed = (mixed ^ parts[i]).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    mixed
};

const KEY_BITS: u32 = 10;
const VALUE_BITS: u32 = 20;

/// Longest key and value in bytes. PMI's limits are 64 and 1024; a runtime may publish longer values.
pub const KEY_MAX: usize = (1 << KEY_BITS) - 1;
pub const VALUE_MAX: usize = (1 << VALUE_BITS) - 1;

/// Largest number of words of a KVS: offsets have 32 bits.
pub(crate) const WORDS_MAX: usize = u32::MAX as usize;

/// Words of a line of the Table. Lines are small in the model, so that it reaches chains with fewer steps.
pub(crate) const LINE: usize = if cfg!(loom) { 4 } else { 8 };
/// Entries that a line has slots for.
pub(crate) const SLOTS: usize = if cfg!(loom) { 1 } else { 10 };

/// The first word of an entry. A link and the lengths are one word, so that they are read together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Entry {
    /// Offset of the next entry of the chain, 0 at its end. It is always larger than this entry's offset.
    pub(crate) next: u32,
    pub(crate) key: usize,
    pub(crate) value: usize,
    /// A later entry of the same key has replaced this one, and no chain leads here. Only the writer reads this bit.
    pub(crate) dead: bool,
    /// The entry has a lease: a word with the number of fences at the time it was learnt. See `Store::lease`.
    pub(crate) leased: bool,
}

impl Entry {
    pub(crate) const fn pack(self) -> u64 {
        self.next as u64
            | (self.key as u64) << 32
            | (self.value as u64) << (32 + KEY_BITS)
            | (self.dead as u64) << 62
            | (self.leased as u64) << 63
    }

    pub(crate) const fn unpack(word: u64) -> Entry {
        Entry {
            next: word as u32,
            key: (word >> 32) as usize & KEY_MAX,
            value: (word >> (32 + KEY_BITS)) as usize & VALUE_MAX,
            dead: word >> 62 & 1 == 1,
            leased: word >> 63 == 1,
        }
    }

    /// Is this the head word of an entry with a key of `key` bytes and no lease?
    #[inline(always)]
    pub(crate) const fn plain(word: u64, key: usize) -> bool {
        word & (1 << 63 | (KEY_MAX as u64) << 32) == (key as u64) << 32
    }

    /// Words from the head word to the key.
    pub(crate) const fn key_at(self) -> usize {
        1 + self.leased as usize
    }

    /// Words from the head word to the value.
    pub(crate) const fn value_at(self) -> usize {
        self.key_at() + self.key.div_ceil(8)
    }

    /// Words of the whole entry.
    pub(crate) const fn words(self) -> usize {
        self.value_at() + self.value.div_ceil(8)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        assert!(Entry::plain(Entry { key: 9, ..Entry::default() }.pack(), 9));
        assert!(Entry::plain(Entry { key: 9, value: VALUE_MAX, next: u32::MAX, dead: true, leased: false }.pack(), 9));
        assert!(!Entry::plain(Entry { key: 9, ..Entry::default() }.pack(), 8));
        assert!(!Entry::plain(Entry { key: 9, leased: true, ..Entry::default() }.pack(), 9));
        for (dead, leased) in [(false, false), (true, false), (false, true), (true, true)] {
            let entry = Entry { next: u32::MAX, key: KEY_MAX, value: VALUE_MAX, dead, leased };
            assert_eq!(Entry::unpack(entry.pack()), entry);
            let entry = Entry { next: 0, key: 1, value: 0, dead, leased };
            assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }

    #[test]
    fn the_papers_entry_takes_56_bytes() {
        let entry = Entry { key: 16, value: 32, ..Entry::default() };
        assert_eq!((entry.key_at(), entry.value_at(), entry.words()), (1, 3, 7));
        assert_eq!(Entry { leased: true, ..entry }.words(), 8);
    }
}
