//! The server's side of the store.

use super::Error;
use super::chain::{Find, Writer, find};
use super::layout::{HEADER, ID, KEY_MAX, KVS_MAGIC, LAYOUT, LENGTH, MAGIC, STAMP, TABLE_MAGIC, VALUE_MAX, WORDS_MAX};
use super::region::{Guard, Region, Window, random};
use super::sync::Ordering;
use super::words::{self, Words};
use std::os::fd::BorrowedFd;

/// Largest number of buckets: an entry's offset has 32 bits, so more could not be filled.
const BUCKETS_MAX: usize = 1 << 31;

/// How a store is made.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Entries per bucket at which the number of buckets is doubled. A bucket is 8 bytes of the Table. A line has eight
    /// buckets and slots for ten entries; further entries of the line go into its chain. A lower load makes a look-up
    /// some percent faster, and the Table larger.
    pub load: f64,
    /// Buckets at the beginning. The number is rounded up to a power of two, and to one line at least.
    pub buckets: usize,
    /// Bytes of the KVS at the beginning. Memory that nobody writes costs nothing.
    pub bytes: usize,
    /// The strongest guard to try. Weaker guards follow where the kernel does not know this one.
    pub guard: Guard,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { load: 1.0, buckets: 1024, bytes: 64 << 10, guard: Guard::Sealed }
    }
}

/// The store of a node, held by its one writer.
pub struct Store {
    table: Region,
    kvs: Region,
    writer: Writer,
    load: f64,
    id: [u64; 2],
}

impl Store {
    /// An empty store.
    pub fn create(settings: Settings) -> Result<Store, Error> {
        let buckets = settings.buckets.clamp(8, BUCKETS_MAX).next_power_of_two();
        let words = HEADER + words::words_for(settings.bytes);
        if words > WORDS_MAX {
            return Err(Error::Full);
        }
        let table = Region::create(HEADER + buckets, settings.guard)?;
        let kvs = Region::create(words, settings.guard)?;
        let writer = Writer::new(random()?, buckets);
        let id = [random()?, random()?];
        for (region, magic) in [(&table, TABLE_MAGIC), (&kvs, KVS_MAGIC)] {
            let window = region.window();
            for (at, word) in [(MAGIC, magic), (STAMP, LAYOUT), (ID[0], id[0]), (ID[1], id[1])] {
                // Relaxed: clients learn of the region by a message that is sent later.
                window.set(at, word, Ordering::Relaxed);
            }
            publish_length(region);
        }
        writer.start(&table.window(), &kvs.window())?;
        // A load near zero would ask for buckets without end.
        let load = if settings.load.is_finite() { settings.load.clamp(1.0 / 64.0, 64.0) } else { 1.0 };
        Ok(Store { table, kvs, writer, load, id })
    }

    fn windows(&self) -> (Window, Window) {
        (self.table.window(), self.kvs.window())
    }

    /// Stores `value` under `key`. A value that was there is replaced: readers find the old value until the new one is
    /// there, and the new one from then on.
    pub fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.put(key, value, false)
    }

    /// Stores a value that was learnt from another node. The value holds until the next fence: after [`Store::advance`]
    /// readers get [`Answer::AskServer`](super::Answer::AskServer) until the key is inserted or leased again.
    pub fn lease(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.put(key, value, true)
    }

    fn put(&mut self, key: &[u8], value: &[u8], leased: bool) -> Result<(), Error> {
        check(key, value)?;
        self.make_room(1, Writer::words_of(key, value))?;
        let (table, kvs) = self.windows();
        Ok(self.writer.insert(&table, &kvs, key, value, leased)?)
    }

    /// A fence has passed: all leases end.
    pub fn advance(&mut self) -> Result<(), Error> {
        Ok(self.writer.advance(&self.kvs.window())?)
    }

    /// Asks for large pages behind what is stored. To be called when much has been stored that will be read often. It
    /// takes up to some milliseconds per 2 MiB, once for each of them.
    pub fn use_large_pages(&mut self) {
        self.table.use_large_pages(HEADER + self.writer.buckets);
        self.kvs.use_large_pages(self.writer.used);
    }

    /// Number of fences that have passed.
    pub fn fences(&self) -> u64 {
        self.writer.fences
    }

    /// Makes room for `entries` more entries, each with a key and a value of `bytes` bytes together. The buckets are
    /// then doubled once and not step by step.
    pub fn reserve(&mut self, entries: usize, bytes: usize) -> Result<(), Error> {
        // Head word, lease, and the padding of key and value.
        let words = entries.checked_mul(words::words_for(bytes) + 4).ok_or(Error::Full)?;
        self.make_room(entries, words)
    }

    /// Makes room for `entries` more entries of `words` words together.
    fn make_room(&mut self, entries: usize, words: usize) -> Result<(), Error> {
        let needed = self.writer.used.checked_add(words).filter(|n| *n <= WORDS_MAX).ok_or(Error::Full)?;
        let len = self.kvs.words();
        if needed > len {
            self.kvs.grow(needed.max((len * 2).min(WORDS_MAX)))?;
            publish_length(&self.kvs);
        }
        let buckets = ((self.writer.count + entries) as f64 / self.load).ceil() as usize;
        if buckets > self.writer.buckets && self.writer.buckets < BUCKETS_MAX {
            let buckets = buckets.next_power_of_two().min(BUCKETS_MAX);
            self.table.grow(HEADER + buckets)?;
            publish_length(&self.table);
            let (table, kvs) = self.windows();
            self.writer.rebuild(&table, &kvs, buckets)?;
        }
        Ok(())
    }

    /// The value of `key`. `None`: the key is not there, or its lease has ended.
    pub fn value(&self, key: &[u8]) -> Option<Vec<u8>> {
        let (table, kvs) = self.windows();
        let Find::Hit { at, len } = find(&table, &kvs, key) else { return None };
        let mut value = vec![0; len];
        kvs.read(at, &mut value).then_some(value)
    }

    /// Number of keys.
    pub fn count(&self) -> usize {
        self.writer.count
    }

    /// Bytes of the Table and of the KVS that are in use, without those that are reserved.
    pub fn bytes(&self) -> (usize, usize) {
        (8 * (HEADER + self.writer.buckets), 8 * self.writer.used)
    }

    /// The descriptors of Table and KVS with which clients open the store for reading. `None`: the memory cannot be
    /// shared, and clients have to ask the server.
    pub fn descriptors(&self) -> Option<[BorrowedFd<'_>; 2]> {
        Some([self.table.readers()?, self.kvs.readers()?])
    }

    /// Random number that tells this store from all others.
    pub fn id(&self) -> u128 {
        u128::from(self.id[0]) << 64 | u128::from(self.id[1])
    }

    /// What keeps clients from writing.
    pub fn guard(&self) -> Guard {
        self.table.guard()
    }
}

/// Publishes how long a region is, so that readers see that there is more to map. A wrong length would lead no reader
/// to a word that is not there: readers look at the file's size too.
fn publish_length(region: &Region) {
    // Relaxed: a reader looks here after it has seen an offset beyond its mapping, and that entry was linked later.
    region.window().set(LENGTH, region.words() as u64, Ordering::Relaxed);
}

fn check(key: &[u8], value: &[u8]) -> Result<(), Error> {
    if key.is_empty() || key.len() > KEY_MAX {
        return Err(Error::Key(key.len()));
    }
    if value.len() > VALUE_MAX {
        return Err(Error::Value { len: value.len(), most: VALUE_MAX });
    }
    Ok(())
}
