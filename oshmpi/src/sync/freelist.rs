//! Numbered places that are free, the last given back first: taken and given back by any thread without a lock.

use super::atomics::{AtomicU32, AtomicU64, Ordering};

/// What a free place says: the next free one plus 1; 0 at the end.
pub(crate) type Next = AtomicU32;

/// Where the places keep their links. A place's link stays readable for ever: a slow thread may look at the link of a
/// place that another thread has taken meanwhile.
pub(crate) trait Links {
    fn next(&self, place: usize) -> &Next;
}

/// The first free place plus 1 in the low half. The high half counts changes, so that a place that was taken and given
/// back between somebody's look and swap is not mistaken for one that never moved.
pub(crate) struct FreeList {
    head: AtomicU64,
}

impl FreeList {
    pub(crate) fn new() -> FreeList {
        FreeList { head: AtomicU64::new(0) }
    }

    /// Takes a free place, if there is one.
    pub(crate) fn pop(&self, links: &impl Links) -> Option<usize> {
        let mut head = self.head.load(Ordering::Acquire); // SYNC free: the first one's link; pairs with push
        loop {
            let place = (head as u32).checked_sub(1)? as usize;
            let next = links.next(place).load(Ordering::Relaxed);
            // SYNC free: what the place's last user did with it comes before what the next one does.
            match self.swap(head, next) {
                Ok(_) => return Some(place),
                Err(now) => head = now,
            }
        }
    }

    /// Gives a place back that this thread alone has.
    pub(crate) fn push(&self, links: &impl Links, place: usize) {
        // Relaxed: a number to store, and one to compare.
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            links.next(place).store(head as u32, Ordering::Relaxed);
            match self.swap(head, place as u32 + 1) {
                Ok(_) => return, // SYNC free: pairs with pop
                Err(now) => head = now,
            }
        }
    }

    fn swap(&self, head: u64, first: u32) -> Result<u64, u64> {
        let new = ((head >> 32) + 1) << 32 | u64::from(first);
        // SYNC free: releases what was done with the place, and its link, to whoever loads this head or a later one. A head that is
        // swapped is the one that was loaded, since no two are equal: that load has acquired.
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
        /// Written by whoever has the place: loom complains when two do at a time, or when a write is not ordered.
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
            // SAFETY: the place is this thread's until it is given back; loom watches that.
            self.used[place].with_mut(|n| unsafe { *n += 1 });
            Some(place)
        }
    }

    /// Two threads take and give back; a place is never with both, and none is lost.
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

    /// The tag at work: taking two and giving back the first while somebody is about to swap.
    #[test]
    fn loom_reuse_between_look_and_swap() {
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
