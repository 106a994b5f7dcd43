//! The server's side of the store.

use super::chain::{Find, Writer, find};
use super::layout::{
    HEADER, ID, KEY_MAX, KVS_AT, KVS_MAGIC, LAYOUT, LENGTH, MAGIC, MOVED, STAMP, TABLE_MAGIC, VALUE_MAX, WORDS_MAX,
};
use super::region::{Guard, Region, Window, random};
use super::sync::Ordering;
use super::words::{self, Words};
use super::{Answer, Error};
use std::os::fd::BorrowedFd;

/// Into how many regions the store is laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Regions {
    /// Table and KVS apart: both grow where they are, and clients keep their descriptors for the whole job.
    #[default]
    Two,
    /// Both in one. When the buckets no longer suffice, everything is copied into a larger region, with a new
    /// descriptor that clients must be given. For comparison.
    One,
}

/// How a store is made.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub regions: Regions,
    /// Entries per bucket at which the buckets are doubled. A bucket is 8 bytes of the Table; a line has eight and room for
    /// ten entries, what is more goes into a chain. Lower is faster by some percent at most.
    pub load: f64,
    /// Buckets to begin with; made a power of two, and a line at least.
    pub buckets: usize,
    /// Bytes of the KVS to begin with. Memory that is not written costs nothing.
    pub bytes: usize,
    /// The strongest guard to try; weaker ones follow where the kernel does not know it.
    pub guard: Guard,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { regions: Regions::Two, load: 1.0, buckets: 1024, bytes: 64 << 10, guard: Guard::Sealed }
    }
}

/// The store of a node, as its one writer has it.
pub struct Store {
    memory: Memory,
    writer: Writer,
    load: f64,
    guard: Guard,
    id: [u64; 2],
    moves: u64,
}

enum Memory {
    Two { table: Region, kvs: Region },
    One { region: Region, kvs_at: usize },
}

impl Memory {
    fn new(regions: Regions, buckets: usize, kvs: usize, guard: Guard) -> Result<Memory, Error> {
        let table = HEADER + buckets;
        Ok(match regions {
            Regions::Two => Memory::Two { table: Region::create(table, guard)?, kvs: Region::create(kvs, guard)? },
            Regions::One => Memory::One { region: Region::create(table + kvs, guard)?, kvs_at: table },
        })
    }

    /// Table and KVS.
    fn windows(&self) -> (Window, Window) {
        match self {
            Memory::Two { table, kvs } => (table.window(), kvs.window()),
            Memory::One { region, kvs_at } => (region.window().first(*kvs_at), region.window().from(*kvs_at)),
        }
    }

    /// Writes what identifies the regions, and their lengths.
    fn head(&self, id: [u64; 2]) {
        let (table, kvs) = self.windows();
        let kvs_at = match self {
            Memory::Two { .. } => 0,
            Memory::One { kvs_at, .. } => *kvs_at,
        };
        // Relaxed: clients learn of the region by a message that is sent later.
        for (window, magic) in [(table, TABLE_MAGIC), (kvs, KVS_MAGIC)] {
            window.set(MAGIC, magic, Ordering::Relaxed);
            window.set(STAMP, LAYOUT, Ordering::Relaxed);
            window.set(ID[0], id[0], Ordering::Relaxed);
            window.set(ID[1], id[1], Ordering::Relaxed);
        }
        table.set(KVS_AT, kvs_at as u64, Ordering::Relaxed);
        self.tell_lengths();
    }

    /// The lengths by which readers see that there is more to map. They lead no reader to a word that is not there: it
    /// looks at the file's size too.
    fn tell_lengths(&self) {
        // Relaxed: a reader looks here only after it has seen a place beyond its mapping, and that was linked later.
        match self {
            Memory::Two { table, kvs } => {
                table.window().set(LENGTH, table.words() as u64, Ordering::Relaxed);
                kvs.window().set(LENGTH, kvs.words() as u64, Ordering::Relaxed);
            }
            Memory::One { region, .. } => {
                region.window().set(LENGTH, region.words() as u64, Ordering::Relaxed);
            }
        }
    }
}

impl Store {
    /// An empty store.
    pub fn create(settings: Settings) -> Result<Store, Error> {
        let buckets = settings.buckets.clamp(8, 1 << 31).next_power_of_two();
        let kvs = HEADER + words::words_for(settings.bytes);
        if kvs > WORDS_MAX {
            return Err(Error::Full);
        }
        let memory = Memory::new(settings.regions, buckets, kvs, settings.guard)?;
        let writer = Writer::new(random()?, buckets);
        let id = [random()?, random()?];
        memory.head(id);
        let (table, kvs) = memory.windows();
        writer.start(&table, &kvs)?;
        // A load of nothing would mean buckets without end.
        let load = if settings.load.is_finite() { settings.load.clamp(1.0 / 64.0, 64.0) } else { 1.0 };
        Ok(Store { memory, writer, load, guard: settings.guard, id, moves: 0 })
    }

    /// Stores `value` under `key`. A value that was there is replaced: readers find the old one until the new one is
    /// there, and then the new one.
    pub fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.put(key, value, false)
    }

    /// The same for a value learnt from another node, which holds until the next fence: after [`Store::advance`]
    /// readers get [`Answer::AskServer`] until it is inserted or leased again.
    pub fn lease(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.put(key, value, true)
    }

    fn put(&mut self, key: &[u8], value: &[u8], leased: bool) -> Result<(), Error> {
        check(key, value)?;
        self.room(1, Writer::words_of(key, value))?;
        let (table, kvs) = self.memory.windows();
        Ok(self.writer.insert(&table, &kvs, key, value, leased)?)
    }

    /// A fence has passed: leases end.
    pub fn advance(&mut self) -> Result<(), Error> {
        let (_, kvs) = self.memory.windows();
        Ok(self.writer.advance(&kvs)?)
    }

    /// Much has been stored, and will be read often: sees to it that it lies in large pages, where the system has them. Takes
    /// up to some milliseconds per 2 MiB, once.
    pub fn settle(&mut self) {
        let used = self.writer.used;
        let buckets = HEADER + self.writer.buckets;
        match &mut self.memory {
            Memory::Two { table, kvs } => {
                table.enlarge_pages(buckets);
                kvs.enlarge_pages(used);
            }
            Memory::One { region, kvs_at } => region.enlarge_pages(*kvs_at + used),
        }
    }

    /// Number of fences that have passed.
    pub fn fences(&self) -> u64 {
        self.writer.fences
    }

    /// Makes room for `entries` more entries with keys and values of `bytes` bytes together, so that the buckets need
    /// not be doubled step by step.
    pub fn reserve(&mut self, entries: usize, bytes: usize) -> Result<(), Error> {
        // Head word, lease, and the padding of key and value.
        let words = entries.checked_mul(words::words_for(bytes) + 4).ok_or(Error::Full)?;
        self.room(entries, words)
    }

    /// Sees to it that `entries` more entries of `words` words fit.
    fn room(&mut self, entries: usize, words: usize) -> Result<(), Error> {
        let needed = self.writer.used.checked_add(words).filter(|n| *n <= WORDS_MAX).ok_or(Error::Full)?;
        let (_, kvs) = self.memory.windows();
        if needed > kvs.len() {
            self.grow_kvs(needed.max((kvs.len() * 2).min(WORDS_MAX)))?;
        }
        let wanted = ((self.writer.count + entries) as f64 / self.load).ceil() as usize;
        if wanted > self.writer.buckets && self.writer.buckets < 1 << 31 {
            self.grow_table(wanted.next_power_of_two().min(1 << 31))?;
        }
        Ok(())
    }

    fn grow_kvs(&mut self, words: usize) -> Result<(), Error> {
        match &mut self.memory {
            Memory::Two { kvs, .. } => kvs.grow(words)?,
            Memory::One { region, kvs_at } => region.grow(*kvs_at + words)?,
        }
        self.memory.tell_lengths();
        Ok(())
    }

    fn grow_table(&mut self, buckets: usize) -> Result<(), Error> {
        match &mut self.memory {
            Memory::Two { table, .. } => table.grow(HEADER + buckets)?,
            Memory::One { .. } => return self.move_to(buckets),
        }
        self.memory.tell_lengths();
        let (table, kvs) = self.memory.windows();
        Ok(self.writer.rebuild(&table, &kvs, buckets)?)
    }

    /// One region: everything that can be found goes into a new one with more buckets.
    fn move_to(&mut self, buckets: usize) -> Result<(), Error> {
        let (old_table, old_kvs) = self.memory.windows();
        let memory = Memory::new(Regions::One, buckets, old_kvs.len(), self.guard)?;
        let id = [random()?, random()?];
        let mut writer = Writer::new(self.writer.seed, buckets);
        writer.fences = self.writer.fences;
        memory.head(id);
        let (table, kvs) = memory.windows();
        writer.start(&table, &kvs)?;
        for (at, entry) in self.writer.entries(&old_kvs) {
            let (mut key, mut value) = (vec![0; entry.key], vec![0; entry.value]);
            let whole = old_kvs.read(at + entry.key_at(), &mut key) && old_kvs.read(at + entry.value_at(), &mut value);
            // An ended lease would begin anew.
            let ended = entry.leased && old_kvs.get(at + 1, Ordering::Relaxed) != Some(self.writer.fences);
            if !whole {
                return Err(Error::Damaged);
            }
            if !ended {
                writer.insert(&table, &kvs, &key, &value, entry.leased)?;
            }
        }
        old_table.set(MOVED, 1, Ordering::Release); // SYNC kvs-moved: pairs with the view's look after a miss
        (self.memory, self.writer, self.id) = (memory, writer, id);
        self.moves += 1;
        Ok(())
    }

    /// Looks a key up, as a client would; the value's first bytes go into `out`.
    pub fn get(&self, key: &[u8], out: &mut [u8]) -> Answer {
        let (table, kvs) = self.memory.windows();
        match find(&table, &kvs, key) {
            Find::Hit { at, len } => {
                let part = len.min(out.len());
                if kvs.read(at, &mut out[..part]) { Answer::Found(len) } else { Answer::AskServer }
            }
            Find::Absent => Answer::Absent,
            _ => Answer::AskServer,
        }
    }

    /// The same with a value of its own. `None`: not there, or its lease has ended.
    pub fn value(&self, key: &[u8]) -> Option<Vec<u8>> {
        let (table, kvs) = self.memory.windows();
        let Find::Hit { at, len } = find(&table, &kvs, key) else { return None };
        let mut value = vec![0; len];
        kvs.read(at, &mut value).then_some(value)
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.writer.count
    }

    pub fn is_empty(&self) -> bool {
        self.writer.count == 0
    }

    /// Bytes in use: buckets and entries, without what is reserved and untouched.
    pub fn bytes(&self) -> (usize, usize) {
        (8 * (HEADER + self.writer.buckets), 8 * self.writer.used)
    }

    pub fn buckets(&self) -> usize {
        self.writer.buckets
    }

    /// What clients open the store with: Table and KVS, or the one region. For reading only. `None`: they cannot, and have to ask
    /// the server.
    pub fn descriptors(&self) -> Option<(BorrowedFd<'_>, Option<BorrowedFd<'_>>)> {
        match &self.memory {
            Memory::Two { table, kvs } => Some((table.readers()?, Some(kvs.readers()?))),
            Memory::One { region, .. } => Some((region.readers()?, None)),
        }
    }

    /// Random number by which a client knows that a descriptor is of this store.
    pub fn id(&self) -> u128 {
        u128::from(self.id[0]) << 64 | u128::from(self.id[1])
    }

    /// How often the store has moved to new descriptors. Always 0 with two regions.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// What keeps clients from writing.
    pub fn guard(&self) -> Guard {
        match &self.memory {
            Memory::Two { table, .. } => table.guard(),
            Memory::One { region, .. } => region.guard(),
        }
    }
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
