//! Insert, find and rebuild on the words of a Table and a KVS. This file maps no memory, so that the model can run it.
//!
//! **Order.** An entry is written whole and then linked with release. Its offset goes into a free slot of its line, or
//! to the end of the line's chain when no slot is free. Readers load offsets with acquire. A chain's link always leads
//! further on in the KVS, in every state that a reader can see, also during a rebuild. So a walk along a chain ends, in
//! a damaged region too.
//!
//! **A later value** is a new entry of the same key. If the old entry stands in a slot, the new one takes that slot
//! with one store. If the old entry stands in the chain, the new one becomes the chain's end and then the old one is
//! unlinked. A reader finds the old entry or the new one, never neither: a reader that no longer sees the old entry
//! linked walks a chain that ends with the new one.
//!
//! **Rebuild.** The epoch is odd while lines and links are made anew. An entry that a reader finds is right at any
//! time, because entries never change. That a reader found nothing counts only if the epoch was even and has not
//! changed.

use super::layout::{BUCKETS, COUNT, EPOCH, Entry, FENCES, HEADER, LINE, SEED, USED};
use super::line::{self, TAGS};
use super::sync::{Ordering, fence};
use super::words::{self, Words};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What a walk found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Find {
    /// The value is `len` bytes from word `at` of the KVS, if the KVS is that long.
    Hit { at: usize, len: usize },
    /// The key is not in the store.
    Absent,
    /// The writer was rebuilding. The reader should look again.
    Busy,
    /// An offset lies beyond the words given: the region has grown, or is damaged.
    Beyond,
    /// There is an entry but its lease has ended. Only the server can tell whether the value still holds.
    Ended,
    /// No writer of this program leaves words like these.
    Damaged,
}

/// Words from an entry's head to its end in the common case, a short key and a network address. A larger number would
/// fetch a cache line that is not needed; a smaller one would not fetch the line that holds the value.
const EXPECTED: usize = 6;

// Both words are read together.
const _: () = assert!(SEED == BUCKETS + 1);

/// The fast path of [`find`]: a key of 9 to 16 bytes, without a lease, in the first slot that has its tag. The result
/// is the value's first word and its length. `None` tells nothing: [`find`] has to look.
///
/// The function is written so that the compiler needs little stack for it. On some processors the stores of one look-up
/// hold back the loads of the next, which otherwise begin while this look-up waits for memory.
#[inline(always)]
pub(crate) fn find_fast(table: &impl Words, kvs: &impl Words, key: &[u8]) -> Option<(usize, usize)> {
    let words = words::two(key)?;
    // Relaxed: the seed never changes, and an old number of buckets leads to a line without the key.
    let [buckets, seed] = table.some(BUCKETS, Ordering::Relaxed)?;
    let hash = xxh3_64_with_seed(key, seed);
    let line = HEADER.wrapping_add(line::start(hash, buckets as usize));
    let tags = table.some::<TAGS>(line, Ordering::Relaxed)?;
    let slot = line::matching(&tags, line::tag(hash)).next()?;
    // SYNC kvs-link: as in find
    let at = line::get(table, line, slot, Ordering::Acquire)?;
    kvs.expect(at + EXPECTED);
    // SYNC kvs-link: as in find
    let head = kvs.get(at, Ordering::Acquire)?;
    // Relaxed: as in Words::equals.
    let same = Entry::plain(head, key.len()) && kvs.some(at + 1, Ordering::Relaxed)? == words;
    (same && at >= HEADER).then_some((at + 3, Entry::unpack(head).value))
}

/// Looks for `key`. Takes no lock, trusts nothing it reads, and ends.
#[inline(always)]
pub(crate) fn find(table: &impl Words, kvs: &impl Words, key: &[u8]) -> Find {
    // SYNC kvs-epoch: pairs with the end of a rebuild
    let Some(epoch) = table.get(EPOCH, Ordering::Acquire) else { return Find::Beyond };
    // Relaxed: the seed is written before anybody gets to know the region. An old number of buckets leads to a wrong
    // line, where the key is not found, and then the epoch tells.
    let Some([buckets, seed]) = table.some(BUCKETS, Ordering::Relaxed) else { return Find::Beyond };
    let buckets = buckets as usize;
    let hash = xxh3_64_with_seed(key, seed);
    let line = HEADER.wrapping_add(line::start(hash, buckets));
    // SYNC kvs-link: the chain's head pairs with the writer's link of a new entry
    let Some(tags) = table.some::<TAGS>(line, Ordering::Acquire) else { return Find::Beyond };
    for slot in line::matching(&tags, line::tag(hash)) {
        // SYNC kvs-link: as above
        let Some(at) = line::get(table, line, slot, Ordering::Acquire) else { return Find::Beyond };
        match look(kvs, at, key) {
            Ok(Look::Key(entry)) => return hit(kvs, at, entry),
            Ok(Look::Other { .. }) => {}
            // The tag of an empty slot.
            Err(_) if at == 0 => {}
            Err(found) => return found,
        }
    }
    if !buckets.is_power_of_two() || buckets < LINE {
        return Find::Damaged;
    }
    let (mut before, mut at) = (0, line::chain(&tags));
    while at != 0 {
        if at <= before {
            return Find::Damaged;
        }
        match look(kvs, at, key) {
            Ok(Look::Key(entry)) => return hit(kvs, at, entry),
            Ok(Look::Other { next }) => (before, at) = (at, next),
            Err(found) => return found,
        }
    }
    // SYNC kvs-rebuild: pairs with the fence at the begin of a rebuild, if anything above came from one
    fence(Ordering::Acquire);
    match table.get(EPOCH, Ordering::Relaxed) {
        Some(now) if now == epoch && epoch % 2 == 0 => Find::Absent,
        _ => Find::Busy,
    }
}

/// An entry that an offset led to.
enum Look {
    Key(Entry),
    Other { next: usize },
}

/// Is the entry at `at` one of `key`?
#[inline(always)]
fn look(kvs: &impl Words, at: usize, key: &[u8]) -> Result<Look, Find> {
    if at < HEADER {
        return Err(Find::Damaged);
    }
    // An entry seldom begins where a cache line does, and the value's offset is known only after the head word is read.
    // So the next cache line is fetched together with the first instead of after it.
    kvs.expect(at + EXPECTED);
    // SYNC kvs-link: as in find
    let entry = Entry::unpack(kvs.get(at, Ordering::Acquire).ok_or(Find::Beyond)?);
    if entry.key != key.len() {
        return Ok(Look::Other { next: entry.next as usize });
    }
    let key_at = at + entry.key_at();
    if kvs.equals(key_at, key) {
        return Ok(Look::Key(entry));
    }
    // A mapping older than the entry may end inside the key. Such an entry is not another key's.
    let end = key_at + words::words_for(key.len());
    if end > kvs.len() { Err(Find::Beyond) } else { Ok(Look::Other { next: entry.next as usize }) }
}

#[inline(always)]
fn hit(kvs: &impl Words, at: usize, entry: Entry) -> Find {
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

/// Why an insert could not be done. The writer makes room beforehand, so another process must have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damaged;

/// What the one writer keeps in private memory. It reads links and keys from shared memory, but neither sizes nor
/// counts.
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
    /// A writer of an empty store. [`Writer::start`] writes the header words.
    pub(crate) fn new(seed: u64, buckets: usize) -> Writer {
        assert!(buckets.is_power_of_two() && buckets >= LINE, "the hash is cut by a mask, and lines are whole");
        Writer { seed, buckets, used: HEADER, count: 0, fences: 0, epoch: 0 }
    }

    /// Makes an empty store of words that are all zero.
    pub(crate) fn start(&self, table: &impl Words, kvs: &impl Words) -> Result<(), Damaged> {
        // Relaxed: nobody knows the region yet.
        put(table, SEED, self.seed, Ordering::Relaxed)?;
        put(table, BUCKETS, self.buckets as u64, Ordering::Relaxed)?;
        put(table, EPOCH, self.epoch, Ordering::Relaxed)?;
        put(kvs, FENCES, self.fences, Ordering::Relaxed)?;
        self.publish_counters(kvs)
    }

    /// Words that an entry takes at most. They must be free before `insert`.
    pub(crate) fn words_of(key: &[u8], value: &[u8]) -> usize {
        Entry { key: key.len(), value: value.len(), leased: true, ..Entry::default() }.words()
    }

    /// Stores `value` under `key` and replaces a value that was there. If `leased`, readers may use the value only
    /// until the next fence. Key and value must be within `KEY_MAX` and `VALUE_MAX`.
    pub(crate) fn insert(
        &mut self,
        table: &impl Words,
        kvs: &impl Words,
        key: &[u8],
        value: &[u8],
        leased: bool,
    ) -> Result<(), Damaged> {
        let hash = xxh3_64_with_seed(key, self.seed);
        let line = HEADER + line::start(hash, self.buckets);
        let old = self.search(table, kvs, line, hash, key)?;
        if let Some((_, at, entry)) = old
            && (entry.leased == leased || !entry.leased)
            && entry.value == value.len()
            && kvs.equals(at + entry.value_at(), value)
        {
            // An equal value takes no new entry; its lease is renewed.
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
        match old {
            Some((Spot::Slot(slot), old, _)) => {
                done(line::set(table, line, slot, offset(at)?))?;
                mark_dead(kvs, old)?;
            }
            Some((Spot::Chain { before }, old, _)) => {
                append(table, kvs, line, at)?;
                unlink(table, kvs, line, before, old)?;
            }
            None => {
                link(table, kvs, line, hash, at)?;
                self.count += 1;
            }
        }
        self.publish_counters(kvs)
    }

    /// The entry of `key` in a line, and where its offset stands.
    fn search(
        &self,
        table: &impl Words,
        kvs: &impl Words,
        line: usize,
        hash: u64,
        key: &[u8],
    ) -> Result<Option<(Spot, usize, Entry)>, Damaged> {
        // Relaxed, here and in all reads below: the only writer reads what it wrote itself.
        let tags = table.some::<TAGS>(line, Ordering::Relaxed).ok_or(Damaged)?;
        for slot in line::matching(&tags, line::tag(hash)) {
            let at = line::get(table, line, slot, Ordering::Relaxed).ok_or(Damaged)?;
            if at != 0
                && let (true, entry) = self.read(kvs, at, key)?
            {
                return Ok(Some((Spot::Slot(slot), at, entry)));
            }
        }
        let (mut before, mut at) = (0, line::chain(&tags));
        while at != 0 {
            if at <= before {
                return Err(Damaged);
            }
            let (found, entry) = self.read(kvs, at, key)?;
            if found {
                return Ok(Some((Spot::Chain { before }, at, entry)));
            }
            (before, at) = (at, entry.next as usize);
        }
        Ok(None)
    }

    /// The entry at `at`, and whether it is one of `key`.
    fn read(&self, kvs: &impl Words, at: usize, key: &[u8]) -> Result<(bool, Entry), Damaged> {
        if at < HEADER || at >= self.used {
            return Err(Damaged);
        }
        let entry = Entry::unpack(kvs.get(at, Ordering::Relaxed).ok_or(Damaged)?);
        Ok((entry.key == key.len() && kvs.equals(at + entry.key_at(), key), entry))
    }

    /// Makes all lines anew by a walk through the KVS. The table must have room for `buckets` words of lines.
    pub(crate) fn rebuild(&mut self, table: &impl Words, kvs: &impl Words, buckets: usize) -> Result<(), Damaged> {
        assert!(buckets.is_power_of_two() && buckets >= LINE, "the hash is cut by a mask, and lines are whole");
        put(table, EPOCH, self.epoch + 1, Ordering::Relaxed)?;
        fence(Ordering::Release); // SYNC kvs-rebuild: whoever sees a store below sees the odd epoch
        put(table, BUCKETS, buckets as u64, Ordering::Relaxed)?;
        self.buckets = buckets;
        for bucket in HEADER..HEADER + buckets {
            if table.get(bucket, Ordering::Relaxed).ok_or(Damaged)? != 0 {
                put(table, bucket, 0, Ordering::Relaxed)?;
            }
        }
        let mut key = Vec::new();
        let mut at = HEADER;
        while at < self.used {
            let mut entry = Entry::unpack(kvs.get(at, Ordering::Relaxed).ok_or(Damaged)?);
            if !entry.dead {
                entry.next = 0;
                put(kvs, at, entry.pack(), Ordering::Relaxed)?;
                key.resize(entry.key, 0);
                if !kvs.read(at + entry.key_at(), &mut key) {
                    return Err(Damaged);
                }
                let hash = xxh3_64_with_seed(&key, self.seed);
                link(table, kvs, HEADER + line::start(hash, buckets), hash, at)?;
            }
            at += entry.words();
        }
        self.epoch += 2;
        put(table, EPOCH, self.epoch, Ordering::Release) // SYNC kvs-epoch
    }

    /// Another fence has passed: all leases end.
    pub(crate) fn advance(&mut self, kvs: &impl Words) -> Result<(), Damaged> {
        self.fences += 1;
        // Relaxed: clients learn of the fence by a message.
        put(kvs, FENCES, self.fences, Ordering::Relaxed)
    }

    /// Publishes counters for `View::touch` and for people who inspect a region. No look-up depends on them.
    fn publish_counters(&self, kvs: &impl Words) -> Result<(), Damaged> {
        put(kvs, USED, self.used as u64, Ordering::Relaxed)?;
        put(kvs, COUNT, self.count as u64, Ordering::Relaxed)
    }
}

fn put(words: &impl Words, at: usize, word: u64, order: Ordering) -> Result<(), Damaged> {
    if words.set(at, word, order) { Ok(()) } else { Err(Damaged) }
}

/// Where the offset of an entry stands.
enum Spot {
    Slot(usize),
    /// In the entry at offset `before`; 0: at the chain's head.
    Chain {
        before: usize,
    },
}

fn offset(at: usize) -> Result<u32, Damaged> {
    u32::try_from(at).map_err(|_| Damaged)
}

fn done(set: bool) -> Result<(), Damaged> {
    if set { Ok(()) } else { Err(Damaged) }
}

/// Adds the complete entry at `at` to the line at `line`.
fn link(table: &impl Words, kvs: &impl Words, line: usize, hash: u64, at: usize) -> Result<(), Damaged> {
    match line::add(table, line, line::tag(hash), offset(at)?) {
        Some(set) => done(set),
        None => append(table, kvs, line, at),
    }
}

/// Appends the complete entry at `at` to the chain of a line.
fn append(table: &impl Words, kvs: &impl Words, line: usize, at: usize) -> Result<(), Damaged> {
    let tags = table.some::<TAGS>(line, Ordering::Relaxed).ok_or(Damaged)?;
    let (mut last, mut next) = (0, line::chain(&tags));
    while next != 0 {
        // This also ends a walk through words that another process has written.
        if next <= last {
            return Err(Damaged);
        }
        let entry = Entry::unpack(kvs.get(next, Ordering::Relaxed).ok_or(Damaged)?);
        (last, next) = (next, entry.next as usize);
    }
    relink(table, kvs, line, last, offset(at)?)
}

/// Makes the entry `before` lead to `next`; `before` 0 is the chain's head.
fn relink(table: &impl Words, kvs: &impl Words, line: usize, before: usize, next: u32) -> Result<(), Damaged> {
    if before == 0 {
        return done(line::set_chain(table, line, next));
    }
    let mut entry = Entry::unpack(kvs.get(before, Ordering::Relaxed).ok_or(Damaged)?);
    entry.next = next;
    put(kvs, before, entry.pack(), Ordering::Release) // SYNC kvs-link
}

/// Takes the entry at `at` out of its chain. It is never the last: a later entry of the same key was linked before.
fn unlink(table: &impl Words, kvs: &impl Words, line: usize, before: usize, at: usize) -> Result<(), Damaged> {
    let old = Entry::unpack(kvs.get(at, Ordering::Relaxed).ok_or(Damaged)?);
    relink(table, kvs, line, before, old.next)?;
    mark_dead(kvs, at)
}

/// Marks an entry that can no longer be found. Its link stays, because readers may be at this entry.
fn mark_dead(kvs: &impl Words, at: usize) -> Result<(), Damaged> {
    let mut old = Entry::unpack(kvs.get(at, Ordering::Relaxed).ok_or(Damaged)?);
    old.dead = true;
    put(kvs, at, old.pack(), Ordering::Release) // SYNC kvs-link
}
