//! The communicators of groups, for `OSHMPI_TRANSPORT=rma`. A team gets one after [`USES`] collectives, so that
//! short-lived teams make none. It is freed with the team. Active sets have no begin and no end, so up to [`ROOM`]
//! communicators of sets are cached, and those that were not used for long are freed first.
//!
//! All members of a set must find the same answer. So age is counted in barriers of all PEs, because all members see
//! these barriers and the uses of the set in one order. At every [`SWEEP`]th such barrier all PEs learn whether any of
//! them has no room left. If so, they free the sets that were not used since the sweep before. Before a set gets a
//! communicator, its members agree whether all of them have room: ceil(log2 n) rounds of messages in each collective of
//! a set for which some member has no room.

use crate::mpi::Comm;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Communicators of active sets that a PE keeps. More use up MPI's communicators. With fewer, programs with many sets
/// make them again and again.
const ROOM: usize = 32;

/// Barriers of all PEs between two sweeps. A sweep costs one reduction. Rarer sweeps keep unused communicators longer.
const SWEEP: u64 = 64;

/// Collectives of a team before it gets a communicator: making one takes as long as some thirty small ones.
const USES: u32 = 16;

/// The name of a group. All its members have the same key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Key {
    /// A team, by the number of its sync slot.
    Team(usize),
    /// An active set, by start, stride and size.
    Set(u32, i32, u32),
}

struct Kept<C> {
    comm: Arc<C>,
    /// The number of barriers of all PEs at the last use.
    used: u64,
}

struct State<C> {
    kept: BTreeMap<Key, Kept<C>>,
    /// The number of collectives of groups that have no communicator.
    uses: BTreeMap<Key, u32>,
    /// The number of barriers of all PEs so far.
    barriers: u64,
}

impl<C> State<C> {
    /// Whether one more set can be kept.
    fn has_room(&self) -> bool {
        self.kept.keys().filter(|key| matches!(key, Key::Set(..))).count() < ROOM
    }
}

/// The communicators of the groups that this PE is in.
pub(crate) struct CommCache<C = Comm> {
    state: Mutex<State<C>>,
    /// Threads of some PE may be in collectives of several groups at a time. Then uses of sets and barriers of all PEs
    /// have no common order, so sets get no communicators. Equal on all PEs.
    threads: AtomicBool,
}

impl<C> CommCache<C> {
    pub(crate) fn new() -> CommCache<C> {
        let state = State { kept: BTreeMap::new(), uses: BTreeMap::new(), barriers: 0 };
        CommCache { state: Mutex::new(state), threads: AtomicBool::new(true) }
    }

    /// Set at every init, when PEs have agreed on the value.
    pub(crate) fn set_threads(&self, threads: bool) {
        self.threads.store(threads, Ordering::Relaxed); // no collective is under way
    }

    fn threads(&self) -> bool {
        self.threads.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State<C>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The communicator of a group, and notes this use. Either all members find one or none does.
    pub(crate) fn find(&self, key: Key) -> Option<Arc<C>> {
        if matches!(key, Key::Set(..)) && self.threads() {
            return None;
        }
        let state = &mut *self.lock();
        let kept = state.kept.get_mut(&key)?;
        kept.used = state.barriers;
        Some(kept.comm.clone())
    }

    /// Counts a use of a group that has no communicator. True: the group is to get one, if all members have room. The
    /// answer is equal on all members.
    pub(crate) fn count_use(&self, key: Key) -> bool {
        if matches!(key, Key::Set(..)) {
            return !self.threads();
        }
        let state = &mut *self.lock();
        let uses = state.uses.entry(key).or_insert(0);
        *uses += 1;
        *uses > USES
    }

    /// Forgets the uses of a team that has no communicator, so that its last use makes none.
    pub(crate) fn forget_uses(&self, key: Key) {
        self.lock().uses.remove(&key);
    }

    /// Whether this PE can keep one more.
    pub(crate) fn has_room(&self, key: Key) -> bool {
        matches!(key, Key::Team(_)) || self.lock().has_room()
    }

    /// Keeps the communicator of a group that had none. All members of the group have room for it.
    pub(crate) fn keep(&self, key: Key, comm: C) -> Arc<C> {
        let (state, comm) = (&mut *self.lock(), Arc::new(comm));
        state.uses.remove(&key);
        state.kept.insert(key, Kept { comm: comm.clone(), used: state.barriers });
        comm
    }

    /// Removes and returns the communicator of a group that ends.
    pub(crate) fn take(&self, key: Key) -> Option<C> {
        let state = &mut *self.lock();
        state.uses.remove(&key);
        let kept = state.kept.remove(&key)?;
        Arc::into_inner(kept.comm)
    }

    /// Notes that a barrier of all PEs is over. If a sweep is due, tells whether this PE is out of room.
    pub(crate) fn barrier_of_all(&self) -> Option<bool> {
        if self.threads() {
            return None; // no sets
        }
        let state = &mut *self.lock();
        state.barriers += 1;
        state.barriers.is_multiple_of(SWEEP).then(|| !state.has_room())
    }

    /// The sets to free when some PE is out of room, in an order that is equal on all their members.
    pub(crate) fn sweep(&self) -> Vec<Key> {
        let state = self.lock();
        let old = |(key, kept): (&Key, &Kept<C>)| {
            (matches!(key, Key::Set(..)) && kept.used + SWEEP < state.barriers).then_some(*key)
        };
        state.kept.iter().filter_map(old).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_threads() -> CommCache<u32> {
        let cache = CommCache::new();
        cache.set_threads(false);
        cache
    }

    fn set(start: u32) -> Key {
        Key::Set(start, 2, 3)
    }

    /// Counts barriers until a sweep is due, and returns the sets that it frees. `full`: the PE tells that it has no
    /// room.
    fn to_sweep(cache: &CommCache<u32>, full: bool) -> Vec<Key> {
        assert_eq!((0..SWEEP).find_map(|_| cache.barrier_of_all()), Some(full));
        let old = cache.sweep();
        old.iter().for_each(|&key| assert!(cache.take(key).is_some()));
        old
    }

    #[test]
    fn what_was_not_used_between_two_sweeps_goes() {
        let cache = without_threads();
        for i in 0..ROOM as u32 {
            assert!(cache.has_room(set(i)) && cache.find(set(i)).is_none());
            cache.keep(set(i), i);
        }
        assert!(!cache.has_room(set(99)) && cache.has_room(Key::Team(5)));
        cache.keep(Key::Team(5), 500);
        assert_eq!(to_sweep(&cache, true), [], "used since the start");
        assert_eq!(cache.find(set(7)).as_deref(), Some(&7));
        let gone = to_sweep(&cache, true);
        assert_eq!(gone, (0..ROOM as u32).filter(|&i| i != 7).map(set).collect::<Vec<_>>());
        assert!(cache.find(set(7)).is_some() && cache.find(set(6)).is_none() && cache.has_room(set(6)));
        assert_eq!(to_sweep(&cache, false), []);
        assert_eq!((cache.take(Key::Team(5)), cache.take(Key::Team(5))), (Some(500), None));
    }

    /// Members that see the same uses and barriers keep the same sets, whatever other sets each of them is in.
    #[test]
    fn members_agree() {
        let (one, other) = (without_threads(), without_threads());
        let (mut random, mut ended) = (1u64, 0);
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let pick = (random >> 33) as u32;
            let common = pick % 5 < 3;
            let key = set(pick / 5 % 40 + if common { 0 } else { 100 });
            let users: &[&CommCache<u32>] = if common { &[&one, &other] } else { &[&one] };
            let found: Vec<bool> = users.iter().map(|c| c.find(key).is_some()).collect();
            assert!(found.iter().all(|&f| f == found[0]), "{key:?}");
            if !found[0] && users.iter().all(|c| c.has_room(key)) {
                users.iter().for_each(|c| drop(c.keep(key, 0)));
            }
            if pick.is_multiple_of(3)
                && let (Some(a), Some(b)) = (one.barrier_of_all(), other.barrier_of_all())
                && (a || b)
            {
                for cache in [&one, &other] {
                    let old = cache.sweep();
                    ended += old.len();
                    old.iter().for_each(|&key| assert!(cache.take(key).is_some()));
                }
            }
        }
        assert!(ended > 100, "{ended} were let go of");
    }

    #[test]
    fn a_team_gets_one_when_it_has_been_used_and_the_next_on_its_slot_starts_anew() {
        let cache = CommCache::<u32>::new();
        for _ in 0..2 {
            assert_eq!((0..USES).find(|_| cache.count_use(Key::Team(3))), None);
            assert!(cache.count_use(Key::Team(3)) && !cache.count_use(Key::Team(4)));
            cache.keep(Key::Team(3), 0);
            assert!(cache.take(Key::Team(3)).is_some() && cache.take(Key::Team(4)).is_none());
        }
        (0..USES).for_each(|_| assert!(!cache.count_use(Key::Team(5))));
        cache.forget_uses(Key::Team(5));
        assert!(!cache.count_use(Key::Team(5)), "the slot of a team that ended");
    }

    /// Sets have none until PEs have agreed that no threads are in several collectives, and again after an init that
    /// allows it.
    #[test]
    fn sets_have_none_where_threads_have_no_order() {
        let cache = CommCache::<u32>::new();
        assert!(!cache.count_use(set(1)) && (0..SWEEP).all(|_| cache.barrier_of_all().is_none()));
        cache.set_threads(false);
        assert!(cache.count_use(set(1)));
        cache.keep(set(1), 7);
        assert!(cache.find(set(1)).is_some());
        cache.set_threads(true);
        assert!(cache.find(set(1)).is_none() && !cache.count_use(set(1)));
    }
}
