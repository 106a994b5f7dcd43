//! Insert, find and rebuild on the words of a Table and a KVS. No memory is mapped here, so that the model can run it.
//!
//! **Order.** An entry is written whole and then linked at the end of its chain with release; readers follow links with
//! acquire. A link only ever leads further on in the KVS, in every state that a reader can see, also during a rebuild:
//! so a walk ends, in a damaged region too.
//!
//! **A later value** is a new entry at the end of the chain; then the old one is unlinked. A reader meets the old entry
//! or the new one, never neither: who no longer finds the old one linked follows a chain whose end is the new one.
//!
//! **Rebuild.** The epoch is odd while buckets and links are made anew. What a reader finds is right at any time, since
//! entries never change; that it found nothing counts only if the epoch was even and is still the same.

use super::layout::{BUCKETS, Bucket, COUNT, EPOCH, Entry, FENCES, HEADER, SEED, USED};
use super::sync::{Ordering, fence};
use super::words::{self, Words};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What a walk found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Find {
    /// The value is `len` bytes from word `at` of the KVS.
    Hit { at: usize, len: usize },
    /// The key is not in the store.
    Absent,
    /// The writer was rebuilding: look again.
    Busy,
    /// A place lies beyond the words given: the region has grown, or is damaged.
    Beyond,
    /// There is an entry but its lease has ended: only the server can tell whether it still holds.
    Ended,
    /// No writer of ours leaves words like these.
    Damaged,
}

/// Words from an entry's head to its end, in the common case of an address and a short key.
const EXPECTED: usize = 6;

/// The bucket of a key.
fn bucket_of(key: &[u8], seed: u64, buckets: usize) -> usize {
    HEADER + (xxh3_64_with_seed(key, seed) as usize & (buckets - 1))
}

/// Looks for `key`. Takes no lock, trusts nothing it reads, and ends.
#[inline]
pub(crate) fn find(table: &impl Words, kvs: &impl Words, key: &[u8]) -> Find {
    // Relaxed: the seed is written before anybody gets to know the region.
    let (Some(epoch), Some(seed)) = (table.get(EPOCH, Ordering::Acquire), table.get(SEED, Ordering::Relaxed)) else {
        return Find::Beyond;
    }; // SYNC kvs-epoch: the epoch's load pairs with the end of a rebuild
    // Relaxed: an old number leads to a wrong bucket, hence to nothing, and then the epoch tells.
    let buckets = table.get(BUCKETS, Ordering::Relaxed).unwrap_or(0) as usize;
    if !buckets.is_power_of_two() {
        return Find::Damaged;
    }
    let bucket = bucket_of(key, seed, buckets);
    // SYNC kvs-link: pairs with the writer's link of a new entry
    let Some(first) = table.get(bucket, Ordering::Acquire) else { return Find::Beyond };
    let (mut before, mut at) = (0, Bucket::unpack(first).head as usize);
    while at != 0 {
        if at <= before || at < HEADER {
            return Find::Damaged;
        }
        // An entry seldom begins where a cache line does, and where its value lies is known only after the head word:
        // the next line is fetched beside the first instead of after it.
        kvs.expect(at + EXPECTED);
        // SYNC kvs-link: as above
        let Some(head) = kvs.get(at, Ordering::Acquire) else { return Find::Beyond };
        let entry = Entry::unpack(head);
        if entry.key == key.len() && words::equals(kvs, at + entry.key_at(), key) {
            return hit(kvs, at, entry);
        }
        (before, at) = (at, entry.next as usize);
    }
    // SYNC kvs-rebuild: pairs with the fence at the begin of a rebuild, if anything above came from one
    fence(Ordering::Acquire);
    match table.get(EPOCH, Ordering::Relaxed) {
        Some(now) if now == epoch && epoch % 2 == 0 => Find::Absent,
        _ => Find::Busy,
    }
}

fn hit(kvs: &impl Words, at: usize, entry: Entry) -> Find {
    if at + entry.words() > kvs.len() {
        return Find::Beyond;
    }
    if entry.leased {
        // Relaxed: a client that has learnt of a fence has synchronised with the server since.
        let fences = kvs.get(FENCES, Ordering::Relaxed);
        // SYNC kvs-lease: pairs with the writer's renewal
        if kvs.get(at + 1, Ordering::Acquire) != fences {
            return Find::Ended;
        }
    }
    Find::Hit { at: at + entry.value_at(), len: entry.value }
}

/// Why an insert could not be done. The writer sees to it that there is room, so both mean that somebody else wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damaged;

/// What the one writer knows by itself. It reads links and keys from shared memory, but neither sizes nor counts.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) seed: u64,
    pub(crate) buckets: usize,
    /// First free word of the KVS.
    pub(crate) used: usize,
    /// Entries that can be found.
    pub(crate) count: usize,
    pub(crate) fences: u64,
    epoch: u64,
}

impl Writer {
    /// A writer of an empty store, whose header words `start` writes.
    pub(crate) fn new(seed: u64, buckets: usize) -> Writer {
        assert!(buckets.is_power_of_two(), "the hash is cut by a mask");
        Writer { seed, buckets, used: HEADER, count: 0, fences: 0, epoch: 0 }
    }

    /// Makes an empty store of words that are all zero.
    pub(crate) fn start(&self, table: &impl Words, kvs: &impl Words) -> Result<(), Damaged> {
        // Relaxed: nobody knows the region yet.
        put(table, SEED, self.seed, Ordering::Relaxed)?;
        put(table, BUCKETS, self.buckets as u64, Ordering::Relaxed)?;
        put(table, EPOCH, self.epoch, Ordering::Relaxed)?;
        put(kvs, FENCES, self.fences, Ordering::Relaxed)?;
        self.tell(kvs)
    }

    /// Words that an entry takes at most, and that must be free before `insert`.
    pub(crate) fn words_of(key: &[u8], value: &[u8]) -> usize {
        Entry { key: key.len(), value: value.len(), leased: true, ..Entry::default() }.words()
    }

    /// Stores `value` under `key`; a value that was there is replaced. `leased`: readers may use it only until the
    /// next fence. Key and value must be within `KEY_MAX` and `VALUE_MAX`.
    pub(crate) fn insert(
        &mut self,
        table: &impl Words,
        kvs: &impl Words,
        key: &[u8],
        value: &[u8],
        leased: bool,
    ) -> Result<(), Damaged> {
        let place = bucket_of(key, self.seed, self.buckets);
        // Relaxed, here and in all reads below: the only writer reads what it wrote itself.
        let bucket = Bucket::unpack(table.get(place, Ordering::Relaxed).ok_or(Damaged)?);
        let old = self.search(kvs, bucket, key)?;
        if let Some((_, at, entry)) = old
            && (entry.leased == leased || !entry.leased)
            && entry.value == value.len()
            && words::equals(kvs, at + entry.value_at(), value)
        {
            // The same again costs nothing, and a lease is renewed.
            let renewed = !entry.leased || kvs.set(at + 1, self.fences, Ordering::Release); // SYNC kvs-lease
            return if renewed { Ok(()) } else { Err(Damaged) };
        }

        let at = self.used;
        let entry = Entry { next: 0, key: key.len(), value: value.len(), dead: false, leased };
        if at + entry.words() > kvs.len() {
            return Err(Damaged);
        }
        put(kvs, at, entry.pack(), Ordering::Relaxed)?;
        if leased {
            put(kvs, at + 1, self.fences, Ordering::Relaxed)?;
        }
        words::write(kvs, at + entry.key_at(), key);
        words::write(kvs, at + entry.value_at(), value);
        self.used += entry.words();
        link(table, kvs, place, at)?;
        match old {
            Some((before, at, _)) => unlink(table, kvs, place, before, at)?,
            None => self.count += 1,
        }
        self.tell(kvs)
    }

    /// The entry of `key` in a chain and the one before it (0: it is the first).
    fn search(&self, kvs: &impl Words, bucket: Bucket, key: &[u8]) -> Result<Option<(usize, usize, Entry)>, Damaged> {
        let (mut before, mut at) = (0, bucket.head as usize);
        while at != 0 {
            if at <= before || at < HEADER || at >= self.used {
                return Err(Damaged);
            }
            let entry = Entry::unpack(kvs.get(at, Ordering::Relaxed).ok_or(Damaged)?);
            if entry.key == key.len() && words::equals(kvs, at + entry.key_at(), key) {
                return Ok(Some((before, at, entry)));
            }
            (before, at) = (at, entry.next as usize);
        }
        Ok(None)
    }

    /// Makes all chains anew with `buckets` buckets, for which the table must have room, by walking the KVS.
    pub(crate) fn rebuild(&mut self, table: &impl Words, kvs: &impl Words, buckets: usize) -> Result<(), Damaged> {
        assert!(buckets.is_power_of_two(), "the hash is cut by a mask");
        put(table, EPOCH, self.epoch + 1, Ordering::Relaxed)?;
        fence(Ordering::Release); // SYNC kvs-rebuild: whoever sees a store below sees the odd epoch
        put(table, BUCKETS, buckets as u64, Ordering::Relaxed)?;
        self.buckets = buckets;
        for bucket in 0..buckets {
            put(table, HEADER + bucket, 0, Ordering::Relaxed)?;
        }
        let mut key = Vec::new();
        let mut at = HEADER;
        while at < self.used {
            let mut entry = Entry::unpack(kvs.get(at, Ordering::Relaxed).ok_or(Damaged)?);
            if !entry.dead {
                entry.next = 0;
                put(kvs, at, entry.pack(), Ordering::Relaxed)?;
                key.resize(entry.key, 0);
                if !words::read(kvs, at + entry.key_at(), &mut key) {
                    return Err(Damaged);
                }
                link(table, kvs, bucket_of(&key, self.seed, buckets), at)?;
            }
            at += entry.words();
        }
        self.epoch += 2;
        put(table, EPOCH, self.epoch, Ordering::Release) // SYNC kvs-epoch
    }

    /// All entries that can be found, oldest first, as places of head words.
    pub(crate) fn entries(&self, kvs: &impl Words) -> Vec<(usize, Entry)> {
        let mut found = Vec::with_capacity(self.count);
        let mut at = HEADER;
        while at < self.used {
            let Some(head) = kvs.get(at, Ordering::Relaxed) else { break };
            let entry = Entry::unpack(head);
            if !entry.dead {
                found.push((at, entry));
            }
            at += entry.words();
        }
        found
    }

    /// Leases end: another fence has passed.
    pub(crate) fn advance(&mut self, kvs: &impl Words) -> Result<(), Damaged> {
        self.fences += 1;
        // Relaxed: clients learn of the fence by a message.
        put(kvs, FENCES, self.fences, Ordering::Relaxed)
    }

    /// Counters for who inspects a region; no reader depends on them.
    fn tell(&self, kvs: &impl Words) -> Result<(), Damaged> {
        put(kvs, USED, self.used as u64, Ordering::Relaxed)?;
        put(kvs, COUNT, self.count as u64, Ordering::Relaxed)
    }
}

fn put(words: &impl Words, at: usize, word: u64, order: Ordering) -> Result<(), Damaged> {
    if words.set(at, word, order) { Ok(()) } else { Err(Damaged) }
}

/// Appends the entry at `at`, which is complete, to a chain.
fn link(table: &impl Words, kvs: &impl Words, place: usize, at: usize) -> Result<(), Damaged> {
    let mut bucket = Bucket::unpack(table.get(place, Ordering::Relaxed).ok_or(Damaged)?);
    let this = u32::try_from(at).map_err(|_| Damaged)?;
    if bucket.head == 0 {
        bucket.head = this;
    } else {
        let last = bucket.tail as usize;
        let mut entry = Entry::unpack(kvs.get(last, Ordering::Relaxed).ok_or(Damaged)?);
        entry.next = this;
        put(kvs, last, entry.pack(), Ordering::Release)?; // SYNC kvs-link
    }
    bucket.tail = this;
    put(table, place, bucket.pack(), Ordering::Release) // SYNC kvs-link
}

/// Takes the entry at `at` out of its chain. Never the last entry: its successor of the same key is linked before.
fn unlink(table: &impl Words, kvs: &impl Words, place: usize, before: usize, at: usize) -> Result<(), Damaged> {
    let mut old = Entry::unpack(kvs.get(at, Ordering::Relaxed).ok_or(Damaged)?);
    if before == 0 {
        let mut bucket = Bucket::unpack(table.get(place, Ordering::Relaxed).ok_or(Damaged)?);
        bucket.head = old.next;
        put(table, place, bucket.pack(), Ordering::Release)?; // SYNC kvs-link
    } else {
        let mut entry = Entry::unpack(kvs.get(before, Ordering::Relaxed).ok_or(Damaged)?);
        entry.next = old.next;
        put(kvs, before, entry.pack(), Ordering::Release)?; // SYNC kvs-link
    }
    old.dead = true;
    // Its link stays: readers may stand on it.
    put(kvs, at, old.pack(), Ordering::Release) // SYNC kvs-link
}
