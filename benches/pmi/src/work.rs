//! What all figures need: the paper's keys and values, a store of them, clocks, medians.

use pmi_shm::kvs::{Settings, Store, View};

pub const KEY: usize = 16;
pub const VALUE: usize = 32;

/// Key number `i`: 16 bytes.
pub fn key(i: usize) -> [u8; KEY] {
    let mut key = *b"addr000000000000";
    let mut rest = i;
    for digit in key[4..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    key
}

/// The value of key number `i`: 32 bytes of text.
pub fn value(i: usize) -> [u8; VALUE] {
    let mut value = [b'v'; VALUE];
    value[16..].copy_from_slice(&key(i));
    value
}

pub fn filled(settings: Settings, keys: usize) -> Store {
    let mut store = Store::create(settings).expect("the store");
    store.reserve(keys, KEY + VALUE).expect("room in the store");
    for i in 0..keys {
        store.insert(&key(i), &value(i)).expect("a put");
    }
    store.use_large_pages();
    store
}

pub fn view(store: &Store) -> View {
    let fds = store.descriptors().expect("memory that can be shared");
    let [table, kvs] = fds.map(|fd| fd.try_clone_to_owned().expect("a descriptor"));
    View::open(table, kvs).expect("the view")
}

/// Numbers that look random and are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: usize) -> Random {
        Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed as u64 + 1) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((u128::from(self.0)) * n as u128) >> 64) as usize
    }
}

#[derive(Clone, Copy)]
pub enum Clock {
    Wall,
    /// Processor time of this thread.
    Cpu,
}

impl Clock {
    /// Microseconds since some moment.
    pub fn us(self) -> f64 {
        let id = match self {
            Clock::Wall => libc::CLOCK_MONOTONIC,
            Clock::Cpu => libc::CLOCK_THREAD_CPUTIME_ID,
        };
        let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: fills the struct it is given.
        assert_eq!(unsafe { libc::clock_gettime(id, &raw mut t) }, 0);
        t.tv_sec as f64 * 1e6 + t.tv_nsec as f64 / 1e3
    }
}

pub fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "the median of nothing");
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
