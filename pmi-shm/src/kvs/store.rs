//! The server's side of the store, and a client's.

use super::memory::{Memory, Shared};
use super::table::{self, AtomicU64, HEADER, ID, KEY_MAX, LAYOUT, MAGIC, Ordering, VALUE_MAX, Writer};
use super::{Answer, Error};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes of the file at the beginning.
const FIRST: usize = 64 << 10;

/// The store of a node, held by its one writer.
pub struct Store {
    memory: Memory,
    /// `None`: the memory is private, because none can be shared.
    shared: Option<Shared>,
    /// Bytes of the memory that can be written.
    bytes: usize,
    writer: Writer,
}

fn os(what: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Os { what, source }
}

fn id_in(words: &[AtomicU64]) -> u128 {
    let [high, low] = ID.map(|at| u128::from(words[at].load(Ordering::Relaxed)));
    high << 64 | low
}

impl Store {
    /// An empty store. Where no memory can be shared, clients have to ask the server.
    pub fn create() -> Result<Store, Error> {
        match Shared::new(FIRST) {
            Ok((shared, memory)) => Store::over(memory, Some(shared)),
            Err(_) => Store::private(),
        }
    }

    fn private() -> Result<Store, Error> {
        Store::over(Memory::to_write(None).map_err(os("cannot map the store"))?, None)
    }

    fn over(memory: Memory, shared: Option<Shared>) -> Result<Store, Error> {
        const { assert!(8 * Writer::FIRST <= FIRST, "there is room for the first index") };
        let words = memory.words();
        for (at, word) in [(MAGIC, LAYOUT), (ID[0], random()?), (ID[1], random()?)] {
            words[at].store(word, Ordering::Relaxed); // clients learn of the store by a message that is sent later
        }
        let (writer, bytes) = (Writer::new(words), if shared.is_some() { FIRST } else { memory.bytes });
        Ok(Store { memory, shared, bytes, writer })
    }

    /// Stores `value` under `key`. A value that was there is replaced: readers find the old value until the new one is
    /// there, and the new one from then on.
    pub fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.put(key, value, false)
    }

    /// Stores a value that was learnt from another node. The value holds until the next fence: after [`Store::advance`]
    /// readers get [`Answer::AskServer`] until the key is inserted or leased again.
    pub fn lease(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.put(key, value, true)
    }

    fn put(&mut self, key: &[u8], value: &[u8], leased: bool) -> Result<(), Error> {
        if key.is_empty() || key.len() > KEY_MAX {
            return Err(Error::Key(key.len()));
        }
        if value.len() > VALUE_MAX {
            return Err(Error::Value(value.len()));
        }
        let needed = 8 * (self.writer.used + self.writer.needs(key, value));
        if needed > self.bytes {
            let bytes = needed.next_power_of_two();
            let shared = self.shared.as_ref().filter(|_| bytes <= self.memory.bytes);
            shared.ok_or(Error::Full(self.bytes))?.grow(bytes).map_err(os("cannot make the store larger"))?;
            self.bytes = bytes;
        }
        self.writer.insert(self.memory.words(), key, value, leased);
        Ok(())
    }

    /// A fence has passed: all leases end.
    pub fn advance(&mut self) {
        self.writer.advance(self.memory.words());
    }

    /// The value of `key`. `None`: the key is not there, or its lease has ended.
    pub fn value(&self, key: &[u8]) -> Option<Vec<u8>> {
        table::value(self.memory.words(), key).ok()
    }

    /// Number of keys.
    pub fn count(&self) -> usize {
        self.writer.count
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        8 * self.writer.used
    }

    /// The descriptor with which clients open the store for reading. It is closed on exec. `None`: the memory cannot be
    /// shared.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.shared.as_ref().map(|shared| shared.readers.as_fd())
    }

    /// Random number that tells this store from all others.
    pub fn id(&self) -> u128 {
        id_in(self.memory.words())
    }
}

/// 64 bits that nobody can guess.
fn random() -> Result<u64, Error> {
    getrandom::u64().map_err(io::Error::other).map_err(os("cannot get random numbers"))
}

/// A store that a client can only read. Threads may share one.
pub struct View {
    memory: Memory,
}

impl View {
    /// Opens a store with the number `id` from the server's descriptor. Who has told the number is trusted with what
    /// the memory says.
    pub fn open(file: OwnedFd, id: u128) -> Result<View, Error> {
        let file = File::from(file);
        if file.metadata().map_err(os("cannot look at the store"))?.len() < FIRST as u64 {
            return Err(Error::Foreign);
        }
        let memory = Memory::to_read(file.as_fd()).map_err(os("cannot map the store"))?;
        let words = &memory.words()[..HEADER];
        let ours = words[MAGIC].load(Ordering::Relaxed) == LAYOUT && id_in(words) == id;
        if ours { Ok(View { memory }) } else { Err(Error::Foreign) }
    }

    /// The value of `key`. The error tells what there is instead of a value. There is no lock and no system call.
    pub fn value(&self, key: &[u8]) -> Result<Vec<u8>, Answer> {
        table::value(self.memory.words(), key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where nothing can be shared the server has a store all the same.
    #[test]
    fn a_store_can_be_the_servers_alone() {
        let mut store = Store::private().unwrap();
        assert!(store.descriptor().is_none());
        (0..3000_u32).for_each(|i| store.insert(format!("k{i}").as_bytes(), &i.to_le_bytes()).unwrap());
        assert!((0..3000_u32).all(|i| store.value(format!("k{i}").as_bytes()) == Some(i.to_le_bytes().to_vec())));
    }
}
