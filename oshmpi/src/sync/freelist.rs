//! A list of numbered places that are free: the place given back last is taken first. Any thread takes and gives back
//! places without a lock.

use super::atomics::{AtomicU32, AtomicU64, Ordering};

/// The link of a free place: the next free place plus 1; 0 at the end of the list.
pub(crate) type Next = AtomicU32;

/// Where the places keep their links. A link must stay readable for ever: a slow thread may read the link of a place
/// that another thread has taken in the meantime.
pub(crate) trait Links {
    fn next(&self, place: usize) -> &Next;
}

/// Low half of `head`: the first free place plus 1. High half: the number of changes, so that a compare-exchange fails
/// when the first place was taken and given back since `head` was loaded.
pub(crate) struct FreeList {
    head: AtomicU64,
}

impl FreeList {
    pub(crate) fn new() -> FreeList {
        FreeList { head: AtomicU64::new(0) }
    }

    /// Takes a free place, if there is one.
    pub(crate) fn pop(&self, links: &impl Links) -> Option<usize> {
        // SYNC free: pairs with swap; makes the first place's link visible
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            let place = (head as u32).checked_sub(1)? as usize;
            let next = links.next(place).load(Ordering::Relaxed);
            match self.swap(head, next) {
                Ok(_) => return Some(place),
                Err(now) => head = now,
            }
        }
    }

    /// Gives a place back that this thread has taken.
    pub(crate) fn push(&self, links: &impl Links, place: usize) {
        // Relaxed: the value is stored and compared only. Nothing that it makes visible is read.
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            links.next(place).store(head as u32, Ordering::Relaxed);
            match self.swap(head, place as u32 + 1) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// Replaces `head`. The exchange releases the place's link, and what its last user did with the place, to every
    /// thread that loads this head or a later one. On success the exchange need not acquire: no two heads are equal, so
    /// the head that was replaced is the one that was loaded, and that load has acquired.
    fn swap(&self, head: u64, first: u32) -> Result<u64, u64> {
        let new = ((head >> 32) + 1) << 32 | u64::from(first);
        // SYNC free: pairs with the load in pop and with the next swap
        self.head.compare_exchange_weak(head, new, Ordering::Release, Ordering::Acquire)
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    struct Three {
        list: FreeList,
        links: [Next; 3],
        /// Written by the thread that has taken the place. Loom reports two writes that are not ordered.
        used: [UnsafeCell<u32>; 3],
    }

    impl Links for Three {
        fn next(&self, place: usize) -> &Next {
            &self.links[place]
        }
    }

    fn three(free: usize) -> Arc<Three> {
        let made = Three {
            list: FreeList::new(),
            links: std::array::from_fn(|_| Next::new(0)),
            used: std::array::from_fn(|_| UnsafeCell::new(0)),
        };
        (0..free).for_each(|place| made.list.push(&made, place));
        Arc::new(made)
    }

    impl Three {
        fn use_one(&self) -> Option<usize> {
            let place = self.list.pop(self)?;
            // SAFETY: no other thread has this place until it is given back. Loom reports a race if one does.
            self.used[place].with_mut(|n| unsafe { *n += 1 });
            Some(place)
        }
    }

    /// Two threads take and give back. No place has two users at a time, and no place is lost.
    #[test]
    fn loom_a_place_has_one_user() {
        loom::model(|| {
            let all = three(2);
            let other = {
                let all = all.clone();
                thread::spawn(move || {
                    let place = all.use_one().expect("two places, two threads");
                    all.list.push(&*all, place);
                })
            };
            let first = all.use_one().expect("two places, two threads");
            all.list.push(&*all, first);
            let again = all.use_one().expect("two places, two threads");
            other.join().unwrap();
            let last = all.use_one().expect("one is left");
            assert!(again != last && all.list.pop(&*all).is_none());
        });
    }

    /// Why `head` counts its changes: one thread takes two places and gives back the first, between the load and the
    /// swap of another thread.
    #[test]
    fn loom_reuse_between_load_and_swap() {
        loom::model(|| {
            let all = three(3);
            let other = {
                let all = all.clone();
                thread::spawn(move || all.use_one().expect("three places"))
            };
            let a = all.use_one().expect("three places");
            let b = all.use_one().expect("three places");
            all.list.push(&*all, a);
            let theirs = other.join().unwrap();
            let c = all.use_one().expect("one is free");
            assert!(theirs != b && theirs != c && b != c);
        });
    }
}
