//! A client's side of the store.

use super::chain::{Find, find, find_fast};
use super::layout::{BUCKETS, HEADER, ID, KVS_MAGIC, LAYOUT, LENGTH, MAGIC, STAMP, TABLE_MAGIC, USED};
use super::region::{Mapping, Window, check_shrink, map_readable};
use super::sync::Ordering;
use super::words::Words;
use super::{Answer, Error};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::AtomicPtr;

/// How often a look-up is repeated while the server rebuilds; then the client asks the server. A rebuild of a small
/// store is over by then. For a large store a message is faster than waiting.
const ATTEMPTS: usize = 100;

/// A store that a client can only read, and does not trust. Threads may share one.
pub struct View {
    table: Half,
    kvs: Half,
    id: u128,
}

/// One of the two regions: its descriptor, the mapping in use, and the mappings that were in use before it grew. Old
/// mappings stay until the view goes, because another thread may be reading through them. Each is at most half as long
/// as the next, and they show the same memory.
struct Half {
    file: OwnedFd,
    now: AtomicPtr<Mapping>,
    all: Mutex<Vec<Kept>>,
}

/// A mapping whose address does not change while the list of mappings grows.
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
        // SAFETY: made by `new`; readers borrow the view, which is being dropped, so there are none.
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
            return Ok(true); // another thread has mapped it meanwhile
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

    /// The store's number, if the header is one of this version with this magic number.
    fn check(&self, magic: u64) -> Result<u128, Error> {
        let window = self.window();
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
    /// Opens a store from the server's descriptors of Table and KVS.
    pub fn open(table: OwnedFd, kvs: OwnedFd) -> Result<View, Error> {
        let (table, kvs) = (Half::open(table)?, Half::open(kvs)?);
        let id = table.check(TABLE_MAGIC)?;
        if kvs.check(KVS_MAGIC)? != id {
            return Err(Error::Foreign("Table and KVS are of different stores".to_string()));
        }
        Ok(View { table, kvs, id })
    }

    #[inline]
    fn windows(&self) -> (Window, Window) {
        (self.table.window(), self.kvs.window())
    }

    /// Looks `key` up. `take` gets the KVS, the value's first word and its length, and gives `None` if not all of the
    /// value is there.
    #[inline(never)]
    fn look<T>(&self, key: &[u8], mut take: impl FnMut(&Window, usize, usize) -> Option<T>) -> Result<T, Answer> {
        for _ in 0..ATTEMPTS {
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
                Find::Absent => return Err(Answer::Absent),
                _ => break,
            }
        }
        Err(Answer::AskServer)
    }

    fn refresh(&self) -> bool {
        // Both: an offset beyond the Table tells nothing about the KVS.
        let table = self.table.refresh().unwrap_or(false);
        self.kvs.refresh().unwrap_or(false) || table
    }

    /// Looks `key` up and writes the value's first bytes into `out`. There is no lock, no allocation, and no system
    /// call unless the store has grown.
    pub fn get(&self, key: &[u8], out: &mut [u8]) -> Answer {
        let (table, kvs) = self.windows();
        if let Some((at, len)) = find_fast(&table, &kvs, key) {
            let part = len.min(out.len());
            if kvs.read(at, &mut out[..part]) {
                return Answer::Found(len);
            }
        }
        self.get_slowly(key, out)
    }

    /// [`View::get`] for keys that the fast path does not find. It is apart to keep the fast path's stack small.
    #[inline(never)]
    fn get_slowly(&self, key: &[u8], out: &mut [u8]) -> Answer {
        let found = self.look(key, |kvs, at, len| {
            let part = len.min(out.len());
            kvs.read(at, &mut out[..part]).then_some(len)
        });
        found.map_or_else(|answer| answer, Answer::Found)
    }

    /// The value of `key` in memory of its own. The error tells what there is instead of a value.
    pub fn value(&self, key: &[u8]) -> Result<Vec<u8>, Answer> {
        let take = |kvs: &Window, at, len| {
            let mut value = vec![0; len];
            kvs.read(at, &mut value).then_some(value)
        };
        let (table, kvs) = self.windows();
        match find_fast(&table, &kvs, key).and_then(|(at, len)| take(&kvs, at, len)) {
            Some(value) => Ok(value),
            None => self.look(key, take),
        }
    }

    /// The store's random number, to be compared with the one that the server has told.
    pub fn id(&self) -> u128 {
        self.id
    }

    /// Reads every page in use once, so that no later look-up waits for a page. For many keys, and for measurements.
    pub fn touch(&self) {
        let (table, kvs) = self.windows();
        let count =
            |window: Window, at| usize::try_from(window.get(at, Ordering::Relaxed).unwrap_or(0)).unwrap_or(usize::MAX);
        self.table.touch(count(table, BUCKETS).saturating_add(HEADER));
        self.kvs.touch(count(kvs, USED));
    }
}
