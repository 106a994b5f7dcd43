//! Entries and their index in words of 8 bytes. This file maps no memory, so that the model can run it.
//!
//! ```text
//! header (8 words) | entries and indexes in the order in which they were made | free
//! entry: bytes of key and value | lease | key.. | value..       each padded with zeros
//! index: 2^n slots, each 0 or | 32 bits of the key's hash | offset of the entry |
//! ```
//! An offset counts words from the start. A key's slot is the first one from its hash on that is free or leads to it.
//!
//! **Order.** An entry is written whole, and then a slot leads to it by one store with release. Readers load slots with
//! acquire. A later value of a key is a new entry, to which the same slot leads then: a reader finds the old entry or
//! the new one. An index that is half full is copied to a longer one, to which the header leads then. A reader that
//! still looks at the old index finds what was there when it began. Nothing is ever removed.
//!
//! **A lease** is the number of fences at the time the value was learnt. The value holds while there are no more.

use super::Answer;
#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Longest key and value in bytes. PMI's limits are 64 and 1024; a runtime may publish longer values.
pub const KEY_MAX: usize = 1023;
pub const VALUE_MAX: usize = (1 << 20) - 1;

/// Words of the header, and which word is what.
pub(super) const HEADER: usize = 8;
pub(super) const MAGIC: usize = 0;
/// 128 random bits that tell this store from all others.
pub(super) const ID: [usize; 2] = [1, 2];
/// Where the index begins. In the upper half: how many slots it has.
const INDEX: usize = 3;
const FENCES: usize = 4;

/// Changes with the layout and with the hash. Machines of another byte order read another number.
pub(super) const LAYOUT: u64 = u64::from_le_bytes(*b"pmi-shm4");

/// Slots of the first index. The model sees it grow.
const SLOTS: usize = if cfg!(loom) { 2 } else { 512 };
/// Words of an entry before its key.
const HEAD: usize = 2;
/// The lease of a value that holds for ever.
const FOR_EVER: u64 = u64::MAX;

const fn words_for(bytes: usize) -> usize {
    bytes.div_ceil(8)
}

/// The `i`-th word of `bytes`, filled with zeros at the end.
fn word_of(bytes: &[u8], i: usize) -> u64 {
    let mut word = [0; 8];
    let part = &bytes[i * 8..bytes.len().min(i * 8 + 8)];
    word[..part.len()].copy_from_slice(part);
    u64::from_ne_bytes(word)
}

/// The bits of a key's hash that slots keep. Its place in an index is their lower end.
fn tag(key: &[u8]) -> u64 {
    xxh3_64(key) >> 32
}

fn parts(index: u64) -> (usize, usize) {
    (index as u32 as usize, (index >> 32) as usize)
}

/// Relaxed: all words of an entry were written before a slot led to it.
fn get(words: &[AtomicU64], at: usize) -> u64 {
    words[at].load(Ordering::Relaxed)
}

/// Bytes of key and value of an entry.
fn lengths(words: &[AtomicU64], entry: usize) -> (usize, usize) {
    parts(get(words, entry))
}

fn is_of(words: &[AtomicU64], entry: usize, key: &[u8]) -> bool {
    lengths(words, entry).0 == key.len()
        && (0..words_for(key.len())).all(|i| get(words, entry + HEAD + i) == word_of(key, i))
}

fn value_of(words: &[AtomicU64], entry: usize) -> Vec<u8> {
    let (key, len) = lengths(words, entry);
    let start = entry + HEAD + words_for(key);
    let mut value: Vec<u8> = (start..start + words_for(len)).flat_map(|at| get(words, at).to_ne_bytes()).collect();
    value.truncate(len);
    value
}

/// The slot of a key, and the offset of its entry. 0: the slot is free.
fn find(words: &[AtomicU64], index: u64, key: &[u8]) -> (usize, usize) {
    let ((start, slots), tag) = (parts(index), tag(key));
    let places = (0..slots).map(|i| start + ((tag as usize + i) & (slots - 1)));
    let ends = |at: usize| {
        let slot = words[at].load(Ordering::Acquire); // SYNC kvs-slot: pairs with the store in insert
        let entry = slot as u32 as usize;
        (slot == 0 || slot >> 32 == tag && is_of(words, entry, key)).then_some((at, entry))
    };
    places.into_iter().find_map(ends).expect("half of the slots are free")
}

/// The value of `key`, or what there is instead. Takes no lock.
pub(super) fn value(words: &[AtomicU64], key: &[u8]) -> Result<Vec<u8>, Answer> {
    let index = words[INDEX].load(Ordering::Acquire); // SYNC kvs-index: pairs with the store in lead_to
    match find(words, index, key).1 {
        0 => Err(Answer::Absent),
        // Relaxed: who has learnt of a fence has synchronised with the server since.
        entry if get(words, entry + 1) < get(words, FENCES) => Err(Answer::AskServer),
        entry => Ok(value_of(words, entry)),
    }
}

/// What the one writer keeps in its own memory.
#[derive(Debug)]
pub(super) struct Writer {
    index: u64,
    /// The first free word.
    pub(super) used: usize,
    /// Keys.
    pub(super) count: usize,
    fences: u64,
}

impl Writer {
    /// Words that a new store takes.
    pub(super) const FIRST: usize = HEADER + SLOTS;

    /// A writer of words that are all zero.
    pub(super) fn new(words: &[AtomicU64]) -> Writer {
        let mut writer = Writer { index: 0, used: HEADER, count: 0, fences: 0 };
        writer.lead_to(words, SLOTS);
        writer
    }

    /// Words that an insert takes at most. They must be there, and zero.
    pub(super) fn needs(&self, key: &[u8], value: &[u8]) -> usize {
        let longer = if self.is_half_full() { 2 * parts(self.index).1 } else { 0 };
        longer + HEAD + words_for(key.len()) + words_for(value.len())
    }

    fn is_half_full(&self) -> bool {
        2 * (self.count + 1) > parts(self.index).1
    }

    /// From now on the index is in the next words, which are written already.
    fn lead_to(&mut self, words: &[AtomicU64], slots: usize) {
        self.index = self.used as u64 | (slots as u64) << 32;
        self.used += slots;
        words[INDEX].store(self.index, Ordering::Release); // SYNC kvs-index: pairs with the load in value
    }

    fn grow(&mut self, words: &[AtomicU64]) {
        let (start, slots) = parts(self.index);
        let (new, longer) = (self.used, 2 * slots);
        for slot in (start..start + slots).map(|at| get(words, at)).filter(|slot| *slot != 0) {
            let mut place = (slot >> 32) as usize & (longer - 1);
            while get(words, new + place) != 0 {
                place = (place + 1) & (longer - 1);
            }
            words[new + place].store(slot, Ordering::Relaxed);
        }
        self.lead_to(words, longer);
    }

    /// Stores `value` under `key` in place of what was there. `leased`: it holds until the next fence.
    pub(super) fn insert(&mut self, words: &[AtomicU64], key: &[u8], value: &[u8], leased: bool) {
        if self.is_half_full() {
            self.grow(words);
        }
        let lease = if leased { self.fences } else { FOR_EVER };
        let (slot, old) = find(words, self.index, key);
        if old != 0 && value_of(words, old) == value {
            // Relaxed: the value stays as it is.
            words[old + 1].store(lease.max(get(words, old + 1)), Ordering::Relaxed);
            return;
        }
        let entry = self.used;
        let head = [key.len() as u64 | (value.len() as u64) << 32, lease];
        let key_words = (0..words_for(key.len())).map(|i| word_of(key, i));
        let value_words = (0..words_for(value.len())).map(|i| word_of(value, i));
        for word in head.into_iter().chain(key_words).chain(value_words) {
            words[self.used].store(word, Ordering::Relaxed);
            self.used += 1;
        }
        self.count += usize::from(old == 0);
        // SYNC kvs-slot: pairs with the load in find
        words[slot].store(tag(key) << 32 | entry as u64, Ordering::Release);
    }

    /// Another fence has passed: all leases end.
    pub(super) fn advance(&mut self, words: &[AtomicU64]) {
        self.fences += 1;
        words[FENCES].store(self.fences, Ordering::Relaxed); // clients learn of the fence by a message
    }
}
