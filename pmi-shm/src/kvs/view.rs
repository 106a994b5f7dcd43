//! A client's side of the store.

use super::chain::{Find, find, glance};
use super::layout::{BUCKETS, HEADER, ID, KVS_AT, KVS_MAGIC, LAYOUT, LENGTH, MAGIC, MOVED, STAMP, TABLE_MAGIC, USED};
use super::region::{Mapping, Window, check_shrink, map_readable};
use super::sync::Ordering;
use super::words::Words;
use super::{Answer, Error};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::AtomicPtr;

/// How often a look is repeated while the server rebuilds, before it is the server who must answer. A rebuild of a small
/// store is over by then; for a large one a message is faster than waiting.
const LOOKS: usize = 100;

/// A store as a client sees it: read-only, and what it reads is not trusted. Threads may share one.
pub struct View {
    table: Half,
    /// `None`: Table and KVS share a region.
    kvs: Option<Half>,
    id: u128,
}

/// A region: its descriptor, the mapping in use, and those that were in use before it grew. They stay until the view
/// goes, because another thread may be reading; each is at most half of the next, and they are the same memory.
struct Half {
    file: OwnedFd,
    now: AtomicPtr<Mapping>,
    all: Mutex<Vec<Kept>>,
}

/// A mapping that stays where it is while the list of them grows.
struct Kept(*mut Mapping);

// SAFETY: the only owner of a mapping, which may be used and dropped in any thread.
unsafe impl Send for Kept {}

impl Kept {
    fn new(mapping: Mapping) -> Kept {
        Kept(Box::into_raw(Box::new(mapping)))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: made by `new`; whoever reads through it borrows the view, which is gone.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

impl Half {
    fn open(file: OwnedFd) -> Result<Half, Error> {
        check_shrink(file.as_fd())?;
        let small = || Error::Foreign("it is smaller than a header".to_string());
        // The header alone, for the length that was published.
        let header = map_readable(file.as_fd(), HEADER - 1, HEADER)?.ok_or_else(small)?;
        let header = Kept::new(header);
        let half = Half { file, now: AtomicPtr::new(header.0), all: Mutex::new(vec![header]) };
        half.refresh()?;
        Ok(half)
    }

    #[inline]
    fn window(&self) -> Window {
        // SAFETY: points to a mapping that `all` keeps as long as self lives; it is never changed.
        unsafe { &*self.now.load(Ordering::Acquire) }.window() // SYNC view-map
    }

    /// Maps more if the region has grown. True: there is more than before.
    fn refresh(&self) -> Result<bool, Error> {
        let seen = self.window().len();
        let mut all = self.all.lock().unwrap_or_else(|e| e.into_inner());
        let now = self.window();
        if now.len() > seen {
            return Ok(true); // another thread was faster
        }
        let length = usize::try_from(now.get(LENGTH, Ordering::Relaxed).unwrap_or(0)).unwrap_or(usize::MAX);
        let Some(map) = map_readable(self.file.as_fd(), seen, length)? else { return Ok(false) };
        let map = Kept::new(map);
        self.now.store(map.0, Ordering::Release); // SYNC view-map: pairs with window
        all.push(map);
        Ok(true)
    }

    fn touch(&self, words: usize) {
        let all = self.all.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(map) = all.last() {
            // SAFETY: kept by the list, and never changed.
            unsafe { &*map.0 }.touch(words);
        }
    }

    fn check(&self, at: usize, magic: u64) -> Result<u128, Error> {
        let window = self.window().from(at);
        let word = |at| window.get(at, Ordering::Relaxed).unwrap_or(0);
        if word(MAGIC) != magic {
            return Err(Error::Foreign("it does not begin as one does".to_string()));
        }
        if word(STAMP) != LAYOUT {
            return Err(Error::Foreign(format!("its layout is {:#x}, ours {LAYOUT:#x}", word(STAMP))));
        }
        Ok(u128::from(word(ID[0])) << 64 | u128::from(word(ID[1])))
    }
}

impl View {
    /// Opens a store from the server's descriptors: Table and KVS, or the one region.
    pub fn open(table: OwnedFd, kvs: Option<OwnedFd>) -> Result<View, Error> {
        let table = Half::open(table)?;
        let kvs = kvs.map(Half::open).transpose()?;
        let id = table.check(0, TABLE_MAGIC)?;
        let at = table.window().get(KVS_AT, Ordering::Relaxed).unwrap_or(0) as usize;
        let other = match &kvs {
            Some(kvs) if at == 0 => kvs.check(0, KVS_MAGIC)?,
            None if at != 0 => table.check(at, KVS_MAGIC)?,
            Some(_) => return Err(Error::Foreign("a second region where there should be one".to_string())),
            None => return Err(Error::Foreign("one region where there should be two".to_string())),
        };
        if other != id {
            return Err(Error::Foreign("Table and KVS are of different stores".to_string()));
        }
        Ok(View { table, kvs, id })
    }

    #[inline]
    fn windows(&self) -> (Window, Window) {
        let table = self.table.window();
        match &self.kvs {
            Some(kvs) => (table, kvs.window()),
            None => {
                let at = table.get(KVS_AT, Ordering::Relaxed).unwrap_or(0) as usize;
                (table.first(at), table.from(at))
            }
        }
    }

    /// Looks `key` up and lets `take` have the words of its value, whose length it is told, and see whether all are there.
    #[inline(never)]
    fn look<T>(&self, key: &[u8], mut take: impl FnMut(&Window, usize, usize) -> Option<T>) -> Result<T, Answer> {
        for _ in 0..LOOKS {
            let (table, kvs) = self.windows();
            match find(&table, &kvs, key) {
                Find::Hit { at, len } => {
                    if let Some(taken) = take(&kvs, at, len) {
                        return Ok(taken);
                    }
                    if !self.refresh() {
                        break;
                    }
                }
                Find::Busy => std::hint::spin_loop(),
                Find::Beyond if self.refresh() => {}
                // One region: what is not here may be in the one that took its place.
                Find::Absent if table.get(MOVED, Ordering::Acquire) == Some(0) => return Err(Answer::Absent), // SYNC kvs-moved
                _ => break,
            }
        }
        Err(Answer::AskServer)
    }

    fn refresh(&self) -> bool {
        let grown = |half: &Half| half.refresh().unwrap_or(false);
        // Both: a place beyond the table tells nothing about the KVS.
        let table = grown(&self.table);
        self.kvs.as_ref().is_some_and(grown) || table
    }

    /// Looks `key` up; the value's first bytes go into `out`. No lock, no allocation, and no system call unless the
    /// store has grown since.
    pub fn get(&self, key: &[u8], out: &mut [u8]) -> Answer {
        let (table, kvs) = self.windows();
        if let Some((at, len)) = glance(&table, &kvs, key) {
            let part = len.min(out.len());
            if kvs.read(at, &mut out[..part]) {
                return Answer::Found(len);
            }
        }
        self.get_whatever(key, out)
    }

    /// What a glance has not found.
    #[inline(never)]
    fn get_whatever(&self, key: &[u8], out: &mut [u8]) -> Answer {
        let found = self.look(key, |kvs, at, len| {
            let part = len.min(out.len());
            kvs.read(at, &mut out[..part]).then_some(len)
        });
        found.map_or_else(|answer| answer, Answer::Found)
    }

    /// The same with a value of its own. `Err` holds what there is instead of a value.
    pub fn value(&self, key: &[u8]) -> Result<Vec<u8>, Answer> {
        let take = |kvs: &Window, at, len| {
            let mut value = vec![0; len];
            kvs.read(at, &mut value).then_some(value)
        };
        let (table, kvs) = self.windows();
        match glance(&table, &kvs, key).and_then(|(at, len)| take(&kvs, at, len)) {
            Some(value) => Ok(value),
            None => self.look(key, take),
        }
    }

    /// The store's random number, to be compared with what the server said.
    pub fn id(&self) -> u128 {
        self.id
    }

    /// Reads every page in use once, so that no later look waits for a page. For many keys, and for measurements.
    pub fn touch(&self) {
        let (table, kvs) = self.windows();
        let word = |window: Window, at| window.get(at, Ordering::Relaxed).unwrap_or(0);
        let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let used = count(word(kvs, USED));
        match &self.kvs {
            Some(kvs) => {
                self.table.touch(count(word(table, BUCKETS)).saturating_add(HEADER));
                kvs.touch(used);
            }
            None => self.table.touch(count(word(table, KVS_AT)).saturating_add(used)),
        }
    }

    /// Number of buckets as published; for figures.
    pub fn buckets(&self) -> u64 {
        self.table.window().get(BUCKETS, Ordering::Relaxed).unwrap_or(0)
    }
}
